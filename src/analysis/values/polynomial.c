#include "analysis/values/polynomial.h"

#include <assert.h>
#include <string.h>

// ---- memory --------------------------------------------------------------------------------------------------------

enum { CHUNK_SIZE = 32 * 1024 };

struct poly_chunk {
    struct poly_chunk *next;
    size_t used;
    size_t size;
    max_align_t bytes[];
};

static struct poly_chunk *new_chunk(struct poly_pool *pool, size_t size)
{
    size_t wanted = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct poly_chunk *chunk = arena_alloc(pool->arena, sizeof *chunk + wanted);
    chunk->size = wanted;
    return chunk;
}

void poly_pool_init(struct poly_pool *pool, struct arena *arena)
{
    assert(arena != NULL);
    pool->arena = arena;
    pool->first = new_chunk(pool, 0);
    pool->current = pool->first;
}

void *poly_alloc(struct poly_pool *pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct poly_chunk *chunk = pool->current;
    while (chunk->used + size > chunk->size) {
        if (chunk->next == NULL || chunk->next->size < size) {
            struct poly_chunk *fresh = new_chunk(pool, size);
            fresh->next = chunk->next;
            chunk->next = fresh;
        }
        chunk = chunk->next;
        chunk->used = 0;
        pool->current = chunk;
    }
    void *memory = (char *)chunk->bytes + chunk->used;
    chunk->used += size;
    memset(memory, 0, size);
    return memory;
}

struct poly_mark poly_mark(struct poly_pool *pool)
{
    return (struct poly_mark){pool->current, pool->current->used};
}

void poly_release(struct poly_pool *pool, struct poly_mark mark)
{
    pool->current = mark.chunk;
    pool->current->used = mark.used;
}

static struct poly *new_poly(struct poly_pool *pool, int count)
{
    assert(count >= 0);
    struct poly *a = poly_alloc(pool, sizeof *a + sizeof a->terms[0] * (size_t)count);
    a->count = count;
    return a;
}

// ---- ranges --------------------------------------------------------------------------------------------------------

poly_wide poly_clamp(poly_wide value)
{
    return value > POLY_INFINITY ? POLY_INFINITY : value < -POLY_INFINITY ? -POLY_INFINITY : value;
}

struct poly_range poly_range_add(struct poly_range a, struct poly_range b)
{
    return (struct poly_range){poly_clamp(a.lo + b.lo), poly_clamp(a.hi + b.hi)};
}

static poly_wide mul_clamped(poly_wide a, poly_wide b)
{
    poly_wide result;
    if (a == 0 || b == 0) {
        return 0;
    }
    if (__builtin_mul_overflow(a, b, &result)) {
        return (a < 0) == (b < 0) ? POLY_INFINITY : -POLY_INFINITY;
    }
    return poly_clamp(result);
}

struct poly_range poly_range_mul(struct poly_range a, struct poly_range b)
{
    poly_wide products[4] = {mul_clamped(a.lo, b.lo), mul_clamped(a.lo, b.hi), mul_clamped(a.hi, b.lo),
                             mul_clamped(a.hi, b.hi)};
    struct poly_range range = {products[0], products[0]};
    for (int i = 1; i < 4; i++) {
        range.lo = products[i] < range.lo ? products[i] : range.lo;
        range.hi = products[i] > range.hi ? products[i] : range.hi;
    }
    return range;
}

struct poly_range poly_type_range(enum ir_type type, bool is_signed)
{
    if (type == IR_I1) {
        return (struct poly_range){0, 1};
    }
    int bits = 8 * ir_type_size(type);
    if (is_signed) {
        return (struct poly_range){-((poly_wide)1 << (bits - 1)), ((poly_wide)1 << (bits - 1)) - 1};
    }
    return (struct poly_range){0, ((poly_wide)1 << bits) - 1};
}

// ---- polynomials ---------------------------------------------------------------------------------------------------

static int compare_terms(const struct poly_term *a, const struct poly_term *b)
{
    if (a->degree != b->degree) {
        return a->degree - b->degree;
    }
    for (int i = 0; i < a->degree; i++) {
        if (a->ids[i] != b->ids[i]) {
            return a->ids[i] < b->ids[i] ? -1 : 1;
        }
    }
    return 0;
}

const struct poly *poly_const(struct poly_pool *pool, int64_t value)
{
    struct poly *a = new_poly(pool, value != 0);
    if (value != 0) {
        a->terms[0].coef = value;
    }
    return a;
}

const struct poly *poly_atom(struct poly_pool *pool, int id)
{
    assert(id >= 0);
    struct poly *a = new_poly(pool, 1);
    a->terms[0] = (struct poly_term){.coef = 1, .degree = 1, .ids = {id}};
    return a;
}

const struct poly *poly_copy(struct poly_pool *pool, const struct poly *a)
{
    if (a == NULL) {
        return NULL;
    }
    struct poly *copy = new_poly(pool, a->count);
    memcpy(copy->terms, a->terms, sizeof a->terms[0] * (size_t)a->count);
    return copy;
}

// a + factor * b, by merging the sorted terms.
static const struct poly *add_scaled(struct poly_pool *pool, const struct poly *a, const struct poly *b, int64_t factor)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct poly *sum = new_poly(pool, a->count + b->count);
    int i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : compare_terms(&a->terms[i], &b->terms[j]);
        struct poly_term term = order <= 0 ? a->terms[i] : b->terms[j];
        int64_t other = 0;
        if (order >= 0 && __builtin_mul_overflow(b->terms[j].coef, factor, &other)) {
            return NULL;
        }
        if (__builtin_add_overflow(order <= 0 ? a->terms[i].coef : 0, other, &term.coef)) {
            return NULL;
        }
        i += order <= 0;
        j += order >= 0;
        if (term.coef != 0) {
            sum->terms[count++] = term;
        }
    }
    sum->count = count;
    return count <= POLY_MAX_TERMS ? sum : NULL;
}

const struct poly *poly_add(struct poly_pool *pool, const struct poly *a, const struct poly *b)
{
    return add_scaled(pool, a, b, 1);
}

const struct poly *poly_sub(struct poly_pool *pool, const struct poly *a, const struct poly *b)
{
    return add_scaled(pool, a, b, -1);
}

const struct poly *poly_plus(struct poly_pool *pool, const struct poly *a, int64_t value)
{
    return add_scaled(pool, a, poly_const(pool, value), 1);
}

const struct poly *poly_scale(struct poly_pool *pool, const struct poly *a, int64_t factor)
{
    return add_scaled(pool, poly_const(pool, 0), a, factor);
}

static bool mul_terms(const struct poly_term *a, const struct poly_term *b, struct poly_term *out)
{
    if (a->degree + b->degree > POLY_MAX_DEGREE) {
        return false;
    }
    *out = (struct poly_term){.degree = a->degree + b->degree};
    if (__builtin_mul_overflow(a->coef, b->coef, &out->coef)) {
        return false;
    }
    int i = 0, j = 0;
    for (int k = 0; k < out->degree; k++) {
        bool from_a = j == b->degree || (i < a->degree && a->ids[i] <= b->ids[j]);
        out->ids[k] = from_a ? a->ids[i++] : b->ids[j++];
    }
    return true;
}

static const struct poly *mul_by_term(struct poly_pool *pool, const struct poly *a, const struct poly_term *factor)
{
    struct poly *product = new_poly(pool, a->count);
    for (int i = 0; i < a->count; i++) {
        struct poly_term term;
        if (!mul_terms(&a->terms[i], factor, &term)) {
            return NULL;
        }
        int k = i; // insertion keeps the terms sorted: a common factor does not always keep the order
        while (k > 0 && compare_terms(&product->terms[k - 1], &term) > 0) {
            product->terms[k] = product->terms[k - 1];
            k--;
        }
        product->terms[k] = term;
    }
    return product;
}

const struct poly *poly_mul(struct poly_pool *pool, const struct poly *a, const struct poly *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const struct poly *sum = poly_const(pool, 0);
    for (int i = 0; i < b->count && sum != NULL; i++) {
        sum = poly_add(pool, sum, mul_by_term(pool, a, &b->terms[i]));
    }
    return sum;
}

// term / divisor, if it goes.
static bool divide_term(const struct poly_term *term, const struct poly_term *divisor, struct poly_term *out)
{
    if ((divisor->coef == -1 && term->coef == INT64_MIN) || term->coef % divisor->coef != 0) {
        return false;
    }
    *out = (struct poly_term){.coef = term->coef / divisor->coef};
    int j = 0;
    for (int i = 0; i < term->degree; i++) {
        if (j < divisor->degree && term->ids[i] == divisor->ids[j]) {
            j++;
        } else {
            out->ids[out->degree++] = term->ids[i];
        }
    }
    return j == divisor->degree;
}

const struct poly *poly_divide(struct poly_pool *pool, const struct poly *a, const struct poly *b)
{
    if (a == NULL || b == NULL || b->count == 0) {
        return NULL;
    }
    // Long division by the last (highest) term; it ends because each round removes the highest term of the rest.
    const struct poly *quotient = poly_const(pool, 0);
    const struct poly *rest = a;
    for (int round = 0; rest != NULL && rest->count > 0; round++) {
        struct poly *one = new_poly(pool, 1);
        if (round > POLY_MAX_TERMS ||
            !divide_term(&rest->terms[rest->count - 1], &b->terms[b->count - 1], &one->terms[0])) {
            return NULL;
        }
        quotient = poly_add(pool, quotient, one);
        const struct poly *product = poly_mul(pool, b, one);
        rest = quotient == NULL ? NULL : poly_sub(pool, rest, product);
    }
    return rest == NULL ? NULL : quotient;
}

const struct poly *poly_replace(struct poly_pool *pool, const struct poly *a, int id, const struct poly *value)
{
    assert(id >= 0);
    const struct poly *result = poly_const(pool, 0);
    for (int i = 0; a != NULL && result != NULL && i < a->count; i++) {
        struct poly *left = new_poly(pool, 1);
        left->terms[0].coef = a->terms[i].coef;
        const struct poly *product = left;
        for (int k = 0; k < a->terms[i].degree && product != NULL; k++) {
            int factor = a->terms[i].ids[k];
            product = poly_mul(pool, product, factor == id ? value : poly_atom(pool, factor));
        }
        result = poly_add(pool, result, product);
    }
    return a == NULL ? NULL : result;
}

bool poly_is_const(const struct poly *a, int64_t *out_value)
{
    if (a == NULL || a->count > 1 || (a->count == 1 && a->terms[0].degree != 0)) {
        return false;
    }
    if (out_value != NULL) {
        *out_value = a->count == 1 ? a->terms[0].coef : 0;
    }
    return true;
}

bool poly_is_atom(const struct poly *a, int *out_id)
{
    if (a == NULL || a->count != 1 || a->terms[0].degree != 1 || a->terms[0].coef != 1) {
        return false;
    }
    *out_id = a->terms[0].ids[0];
    return true;
}

bool poly_equal(const struct poly *a, const struct poly *b)
{
    if (a == NULL || b == NULL || a->count != b->count) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        if (a->terms[i].coef != b->terms[i].coef || compare_terms(&a->terms[i], &b->terms[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool poly_mentions(const struct poly *a, int id)
{
    for (int i = 0; a != NULL && i < a->count; i++) {
        for (int k = 0; k < a->terms[i].degree; k++) {
            if (a->terms[i].ids[k] == id) {
                return true;
            }
        }
    }
    return false;
}

int64_t poly_constant_of(const struct poly *a)
{
    return a != NULL && a->count > 0 && a->terms[0].degree == 0 ? a->terms[0].coef : 0;
}

const struct poly *poly_coefficient(struct poly_pool *pool, const struct poly *a, int id, const struct poly **out_rest)
{
    assert(id >= 0);
    if (a == NULL) {
        return NULL;
    }
    struct poly *with = new_poly(pool, a->count);
    struct poly *without = new_poly(pool, a->count);
    with->count = without->count = 0;
    for (int i = 0; i < a->count; i++) {
        struct poly_term divisor = {.coef = 1, .degree = 1, .ids = {id}};
        struct poly_term term;
        if (!divide_term(&a->terms[i], &divisor, &term)) {
            without->terms[without->count++] = a->terms[i];
            continue;
        }
        int k = with->count++;
        while (k > 0 && compare_terms(&with->terms[k - 1], &term) > 0) {
            with->terms[k] = with->terms[k - 1];
            k--;
        }
        with->terms[k] = term;
    }
    if (out_rest != NULL) {
        *out_rest = without;
    }
    return poly_mentions(with, id) ? NULL : with;
}

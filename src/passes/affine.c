#include "passes/affine.h"

#include <string.h>

// ---- memory --------------------------------------------------------------------------------------------------------

enum { CHUNK_SIZE = 32 * 1024 };

struct affine_chunk {
    struct affine_chunk *next;
    size_t used;
    size_t size;
    max_align_t bytes[];
};

static struct affine_chunk *new_chunk(struct affine_pool *pool, size_t size)
{
    size_t wanted = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    struct affine_chunk *chunk = arena_alloc(pool->arena, sizeof *chunk + wanted);
    chunk->size = wanted;
    return chunk;
}

void affine_pool_init(struct affine_pool *pool, struct arena *arena)
{
    pool->arena = arena;
    pool->first = new_chunk(pool, 0);
    pool->current = pool->first;
}

void *affine_alloc(struct affine_pool *pool, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct affine_chunk *chunk = pool->current;
    while (chunk->used + size > chunk->size) {
        if (chunk->next == NULL || chunk->next->size < size) {
            struct affine_chunk *fresh = new_chunk(pool, size);
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

struct affine_mark affine_mark(struct affine_pool *pool)
{
    return (struct affine_mark){pool->current, pool->current->used};
}

void affine_release(struct affine_pool *pool, struct affine_mark mark)
{
    pool->current = mark.chunk;
    pool->current->used = mark.used;
}

static struct affine *new_affine(struct affine_pool *pool, int count)
{
    struct affine *a = affine_alloc(pool, sizeof *a + sizeof a->terms[0] * (size_t)count);
    a->count = count;
    return a;
}

// ---- ranges --------------------------------------------------------------------------------------------------------

affine_wide affine_clamp(affine_wide value)
{
    return value > AFFINE_INFINITY ? AFFINE_INFINITY : value < -AFFINE_INFINITY ? -AFFINE_INFINITY : value;
}

struct affine_range affine_range_add(struct affine_range a, struct affine_range b)
{
    return (struct affine_range){affine_clamp(a.lo + b.lo), affine_clamp(a.hi + b.hi)};
}

static affine_wide mul_clamped(affine_wide a, affine_wide b)
{
    affine_wide result;
    if (a == 0 || b == 0) {
        return 0;
    }
    if (__builtin_mul_overflow(a, b, &result)) {
        return (a < 0) == (b < 0) ? AFFINE_INFINITY : -AFFINE_INFINITY;
    }
    return affine_clamp(result);
}

struct affine_range affine_range_mul(struct affine_range a, struct affine_range b)
{
    affine_wide products[4] = {mul_clamped(a.lo, b.lo), mul_clamped(a.lo, b.hi), mul_clamped(a.hi, b.lo),
                               mul_clamped(a.hi, b.hi)};
    struct affine_range range = {products[0], products[0]};
    for (int i = 1; i < 4; i++) {
        range.lo = products[i] < range.lo ? products[i] : range.lo;
        range.hi = products[i] > range.hi ? products[i] : range.hi;
    }
    return range;
}

struct affine_range affine_type_range(enum ir_type type, bool is_signed)
{
    if (type == IR_I1) {
        return (struct affine_range){0, 1};
    }
    int bits = 8 * ir_type_size(type);
    if (is_signed) {
        return (struct affine_range){-((affine_wide)1 << (bits - 1)), ((affine_wide)1 << (bits - 1)) - 1};
    }
    return (struct affine_range){0, ((affine_wide)1 << bits) - 1};
}

// ---- polynomials ---------------------------------------------------------------------------------------------------

static int compare_terms(const struct affine_term *a, const struct affine_term *b)
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

const struct affine *affine_const(struct affine_pool *pool, int64_t value)
{
    struct affine *a = new_affine(pool, value != 0);
    if (value != 0) {
        a->terms[0].coef = value;
    }
    return a;
}

const struct affine *affine_atom(struct affine_pool *pool, int id)
{
    struct affine *a = new_affine(pool, 1);
    a->terms[0] = (struct affine_term){.coef = 1, .degree = 1, .ids = {id}};
    return a;
}

const struct affine *affine_copy(struct affine_pool *pool, const struct affine *a)
{
    if (a == NULL) {
        return NULL;
    }
    struct affine *copy = new_affine(pool, a->count);
    memcpy(copy->terms, a->terms, sizeof a->terms[0] * (size_t)a->count);
    return copy;
}

// a + factor * b, by merging the sorted terms.
static const struct affine *add_scaled(struct affine_pool *pool, const struct affine *a, const struct affine *b,
                                       int64_t factor)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    struct affine *sum = new_affine(pool, a->count + b->count);
    int i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : compare_terms(&a->terms[i], &b->terms[j]);
        struct affine_term term = order <= 0 ? a->terms[i] : b->terms[j];
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
    return count <= AFFINE_MAX_TERMS ? sum : NULL;
}

const struct affine *affine_add(struct affine_pool *pool, const struct affine *a, const struct affine *b)
{
    return add_scaled(pool, a, b, 1);
}

const struct affine *affine_sub(struct affine_pool *pool, const struct affine *a, const struct affine *b)
{
    return add_scaled(pool, a, b, -1);
}

const struct affine *affine_plus(struct affine_pool *pool, const struct affine *a, int64_t value)
{
    return add_scaled(pool, a, affine_const(pool, value), 1);
}

const struct affine *affine_scale(struct affine_pool *pool, const struct affine *a, int64_t factor)
{
    return add_scaled(pool, affine_const(pool, 0), a, factor);
}

static bool mul_terms(const struct affine_term *a, const struct affine_term *b, struct affine_term *out)
{
    if (a->degree + b->degree > AFFINE_MAX_DEGREE) {
        return false;
    }
    *out = (struct affine_term){.degree = a->degree + b->degree};
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

static const struct affine *mul_by_term(struct affine_pool *pool, const struct affine *a,
                                        const struct affine_term *factor)
{
    struct affine *product = new_affine(pool, a->count);
    for (int i = 0; i < a->count; i++) {
        struct affine_term term;
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

const struct affine *affine_mul(struct affine_pool *pool, const struct affine *a, const struct affine *b)
{
    if (a == NULL || b == NULL) {
        return NULL;
    }
    const struct affine *sum = affine_const(pool, 0);
    for (int i = 0; i < b->count && sum != NULL; i++) {
        sum = affine_add(pool, sum, mul_by_term(pool, a, &b->terms[i]));
    }
    return sum;
}

// term / divisor, if it goes.
static bool divide_term(const struct affine_term *term, const struct affine_term *divisor, struct affine_term *out)
{
    if ((divisor->coef == -1 && term->coef == INT64_MIN) || term->coef % divisor->coef != 0) {
        return false;
    }
    *out = (struct affine_term){.coef = term->coef / divisor->coef};
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

const struct affine *affine_divide(struct affine_pool *pool, const struct affine *a, const struct affine *b)
{
    if (a == NULL || b == NULL || b->count == 0) {
        return NULL;
    }
    // Long division by the last (highest) term; it ends because each round removes the highest term of the rest.
    const struct affine *quotient = affine_const(pool, 0);
    const struct affine *rest = a;
    for (int round = 0; rest != NULL && rest->count > 0; round++) {
        struct affine *one = new_affine(pool, 1);
        if (round > AFFINE_MAX_TERMS ||
            !divide_term(&rest->terms[rest->count - 1], &b->terms[b->count - 1], &one->terms[0])) {
            return NULL;
        }
        quotient = affine_add(pool, quotient, one);
        const struct affine *product = affine_mul(pool, b, one);
        rest = quotient == NULL ? NULL : affine_sub(pool, rest, product);
    }
    return rest == NULL ? NULL : quotient;
}

const struct affine *affine_replace(struct affine_pool *pool, const struct affine *a, int id,
                                    const struct affine *value)
{
    const struct affine *result = affine_const(pool, 0);
    for (int i = 0; a != NULL && result != NULL && i < a->count; i++) {
        struct affine *left = new_affine(pool, 1);
        left->terms[0].coef = a->terms[i].coef;
        const struct affine *product = left;
        for (int k = 0; k < a->terms[i].degree && product != NULL; k++) {
            int factor = a->terms[i].ids[k];
            product = affine_mul(pool, product, factor == id ? value : affine_atom(pool, factor));
        }
        result = affine_add(pool, result, product);
    }
    return a == NULL ? NULL : result;
}

bool affine_is_const(const struct affine *a, int64_t *out_value)
{
    if (a == NULL || a->count > 1 || (a->count == 1 && a->terms[0].degree != 0)) {
        return false;
    }
    if (out_value != NULL) {
        *out_value = a->count == 1 ? a->terms[0].coef : 0;
    }
    return true;
}

bool affine_is_atom(const struct affine *a, int *out_id)
{
    if (a == NULL || a->count != 1 || a->terms[0].degree != 1 || a->terms[0].coef != 1) {
        return false;
    }
    *out_id = a->terms[0].ids[0];
    return true;
}

bool affine_equal(const struct affine *a, const struct affine *b)
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

bool affine_mentions(const struct affine *a, int id)
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

int64_t affine_constant_of(const struct affine *a)
{
    return a != NULL && a->count > 0 && a->terms[0].degree == 0 ? a->terms[0].coef : 0;
}

const struct affine *affine_coefficient(struct affine_pool *pool, const struct affine *a, int id,
                                        const struct affine **out_rest)
{
    if (a == NULL) {
        return NULL;
    }
    struct affine *with = new_affine(pool, a->count);
    struct affine *without = new_affine(pool, a->count);
    with->count = without->count = 0;
    for (int i = 0; i < a->count; i++) {
        struct affine_term divisor = {.coef = 1, .degree = 1, .ids = {id}};
        struct affine_term term;
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
    return affine_mentions(with, id) ? NULL : with;
}

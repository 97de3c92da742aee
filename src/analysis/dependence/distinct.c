#include "analysis/dependence/distinct.h"

#include "analysis/dependence/pair.h"
#include "analysis/scalars/scalars.h"
#include "base/hash.h"

#include <assert.h>

enum { MAX_COMPARED = 2048 };

// ---- which accesses matter -----------------------------------------------------------------------------------------

static bool is_relevant(const struct analysis *an, const struct loop_info *info, const struct access *access)
{
    int index = base_index(access->base);
    switch (base_kind(access->base)) {
    case BASE_PARAM: return !an->kernel->params[index].is_struct;
    case BASE_GLOBAL: return !an->module->globals[index]->is_const || access->kind != ACCESS_READ;
    case BASE_LOCAL:
        return !scalars_is_declared_in(an->kernel->vars[index], info->inst) &&
               !ir_has_role(info->inst->loop, an->kernel->vars[index]);
    case BASE_NULL: return false;
    case BASE_UNKNOWN: break;
    }
    return true;
}

// Each access must be exact by itself: one whose index cannot wrap does not stand for one whose index may.
static bool has_same_needs(const struct need *a, const struct need *b)
{
    for (; a != b && a != NULL && b != NULL; a = a->next, b = b->next) {
        if (!poly_equal(a->value, b->value) || a->type != b->type || a->is_signed != b->is_signed) {
            return false;
        }
    }
    return a == b;
}

static bool is_alike(const struct access *a, const struct access *b)
{
    if (a->base != b->base || a->kind != b->kind || a->update != b->update || a->type != b->type ||
        a->dim_count != b->dim_count || !poly_equal(a->flat, b->flat) || !poly_equal(a->size, b->size) ||
        a->guards != b->guards || a->source != b->source || a->loop != b->loop || a->recheck != b->recheck ||
        a->inst->own != b->inst->own || a->has_constant != b->has_constant || a->constant != b->constant ||
        a->inst->is_packed != b->inst->is_packed || a->inst->is_around != b->inst->is_around ||
        !has_same_needs(a->needs, b->needs)) {
        return false;
    }
    for (int d = 0; d < a->dim_count; d++) {
        if (!poly_equal(a->dims[d].index, b->dims[d].index) || !poly_equal(a->dims[d].stride, b->dims[d].stride)) {
            return false;
        }
    }
    return true;
}

static uint64_t hash_access(const struct access *access)
{
    uint64_t hash = hash_bytes(HASH_SEED, &access->base, sizeof access->base);
    hash = hash_bytes(hash, &access->kind, sizeof access->kind);
    hash = hash_bytes(hash, &access->guards, sizeof access->guards);
    hash = hash_bytes(hash, &access->constant, sizeof access->constant);
    return value_hash(hash, access->flat);
}

// ---- families ------------------------------------------------------------------------------------------------------

struct family {
    uint64_t hash;
    int next; // 1 + the next one in the same bucket; 0: none
    const struct access *first;
    int dim;         // of same_index: which index it is; -1: of wide_step
    poly_wide begin; // of wide_step: the lowest constant in an offset
    poly_wide end;   // the highest
    int64_t size;    // of the largest access
    int64_t stride;  // bytes from one iteration to the next
};

struct finder {
    struct analysis *an;
    struct loop_info *info;
    struct distinct *out;
    int *buckets; // 1 + a position in out->items
    VEC(int) next;
    VEC(uint64_t) hashes;
    int *family_buckets;
    VEC(struct family) families;
    size_t mask;
};

// Whether the value moves with the loop by the same amount each time, and with nothing else.
static bool moves_alone(struct finder *f, const struct poly *value, int64_t *out_factor)
{
    const struct poly *rest;
    return poly_is_const(poly_coefficient(&f->an->scratch, value, f->info->variable, &rest), out_factor) &&
           *out_factor != 0 && !value_varies(f->an, rest, f->info);
}

// Equal but for the constant.
static bool has_same_terms(const struct poly *a, const struct poly *b)
{
    int i = a->count > 0 && a->terms[0].degree == 0, k = b->count > 0 && b->terms[0].degree == 0;
    if (a->count - i != b->count - k) {
        return false;
    }
    for (; i < a->count; i++, k++) {
        const struct poly_term *x = &a->terms[i], *y = &b->terms[k];
        if (x->coef != y->coef || x->degree != y->degree ||
            memcmp(x->ids, y->ids, sizeof x->ids[0] * (size_t)x->degree) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_of_family(const struct family *family, const struct access *access, int dim)
{
    const struct access *first = family->first;
    if (family->dim != dim || first->base != access->base) {
        return false;
    }
    if (dim < 0) {
        return has_same_terms(first->flat, access->flat);
    }
    assert(dim < access->dim_count);
    for (int d = 0; d < access->dim_count && access->dim_count == first->dim_count; d++) {
        if (!poly_equal(access->dims[d].stride, first->dims[d].stride)) {
            return false;
        }
    }
    return access->dim_count == first->dim_count && poly_equal(access->dims[dim].index, first->dims[dim].index);
}

static int family_of(struct finder *f, const struct access *access, int dim, uint64_t hash)
{
    int *bucket = &f->family_buckets[hash & f->mask];
    for (int i = *bucket; i != 0; i = f->families.items[i - 1].next) {
        if (f->families.items[i - 1].hash == hash && is_of_family(&f->families.items[i - 1], access, dim)) {
            return i - 1;
        }
    }
    poly_wide constant = dim < 0 ? poly_constant_of(access->flat) : 0;
    struct family family = {
        .hash = hash, .next = *bucket, .first = access, .dim = dim, .begin = constant, .end = constant};
    VEC_PUSH(f->an->arena, &f->families, family);
    *bucket = f->families.count;
    return f->families.count - 1;
}

// Two of these have the same index in the same dimension of arrays of one shape: see has_same_index of the pair test.
static int find_same_index(struct finder *f, const struct access *access)
{
    int64_t factor;
    for (int d = 0; d < access->dim_count; d++) {
        if (moves_alone(f, access->dims[d].index, &factor)) {
            uint64_t hash = hash_bytes(HASH_SEED, &access->base, sizeof access->base);
            return pair_has_same_dims(f->an, access, access)
                       ? family_of(f, access, d, value_hash(hash + (uint64_t)d, access->dims[d].index))
                       : -1;
        }
    }
    return -1;
}

// Two of these are a constant apart and move alike: see has_wide_step of the pair test.
static int find_wide_step(struct finder *f, const struct access *access)
{
    int64_t factor, size, stride;
    if (access->flat == NULL || !poly_is_const(access->size, &size) || !moves_alone(f, access->flat, &factor) ||
        __builtin_mul_overflow(factor, f->info->inst->loop->step, &stride) || stride == INT64_MIN) {
        return -1;
    }
    uint64_t hash = hash_bytes(HASH_SEED, &access->base, sizeof access->base);
    for (int i = 0; i < access->flat->count; i++) {
        const struct poly_term *term = &access->flat->terms[i];
        if (term->degree > 0) {
            hash = hash_bytes(hash, &term->coef, sizeof term->coef);
            hash = hash_bytes(hash, term->ids, (size_t)term->degree * sizeof term->ids[0]);
        }
    }
    int number = family_of(f, access, -1, hash);
    struct family *family = &f->families.items[number];
    poly_wide constant = poly_constant_of(access->flat);
    family->begin = constant < family->begin ? constant : family->begin;
    family->end = constant > family->end ? constant : family->end;
    family->size = size > family->size ? size : family->size;
    family->stride = stride < 0 ? -stride : stride;
    return number;
}

static void find_families(struct finder *f)
{
    for (int i = 0; i < f->out->items.count; i++) {
        struct distinct_access *item = &f->out->items.items[i];
        const struct access *access = &f->an->accesses.items[item->access];
        if (access->needs != NULL || access->recheck == f->info) {
            continue; // tested in another way
        }
        struct poly_mark mark = poly_mark(&f->an->scratch);
        item->same_index = find_same_index(f, access);
        item->wide_step = find_wide_step(f, access);
        poly_release(&f->an->scratch, mark);
    }
    const int64_t limit = INT64_C(1) << 40;
    for (int i = 0; i < f->out->items.count; i++) {
        struct distinct_access *item = &f->out->items.items[i];
        const struct family *family = item->wide_step >= 0 ? &f->families.items[item->wide_step] : NULL;
        if (family != NULL &&
            (family->stride >= limit || family->stride < family->end - family->begin + family->size)) {
            item->wide_step = -1;
        }
    }
}

// ---- all of them ---------------------------------------------------------------------------------------------------

// The one that is there already and is like it, or it is added.
static void add(struct finder *f, int index)
{
    struct analysis *an = f->an;
    const struct access *access = &an->accesses.items[index];
    assert(index >= f->info->access_begin && index < f->info->access_end);
    uint64_t hash = hash_access(access);
    int *bucket = &f->buckets[hash & f->mask];
    f->out->next_alike[index - f->info->access_begin] = -1;
    for (int i = *bucket; i != 0; i = f->next.items[i - 1]) {
        int other = f->out->items.items[i - 1].access;
        if (f->hashes.items[i - 1] == hash && is_alike(access, &an->accesses.items[other])) {
            int *next = &f->out->next_alike[other - f->info->access_begin];
            f->out->next_alike[index - f->info->access_begin] = *next;
            *next = index;
            return;
        }
    }
    struct distinct_access item = {.access = index, .same_index = -1, .wide_step = -1};
    VEC_PUSH(an->arena, &f->out->items, item);
    VEC_PUSH(an->arena, &f->next, *bucket);
    VEC_PUSH(an->arena, &f->hashes, hash);
    *bucket = f->out->items.count;
}

bool distinct_find(struct analysis *an, struct loop_info *info, struct distinct *out)
{
    int count = info->access_end - info->access_begin;
    size_t buckets = 8;
    while (buckets < (size_t)count && buckets < MAX_COMPARED) {
        buckets *= 2;
    }
    struct finder f = {.an = an, .info = info, .out = out, .mask = buckets - 1};
    out->next_alike = ARENA_ARRAY(an->arena, int, count + 1);
    f.buckets = ARENA_ARRAY(an->arena, int, buckets);
    f.family_buckets = ARENA_ARRAY(an->arena, int, buckets);
    for (int i = info->access_begin; i < info->access_end; i++) {
        if (is_relevant(an, info, &an->accesses.items[i])) {
            add(&f, i);
        }
        if (out->items.count > MAX_COMPARED) {
            return false;
        }
    }
    find_families(&f);
    return true;
}

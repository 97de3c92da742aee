// Scatter: an array that a loop only stores to, at places that are not followed. The iterations may store in any order
// if each place keeps the store of the last of them, which is what serial C leaves there. A first pass over the slice
// that makes the places notes at each of them the last iteration that will store to it; so the slice must be computable
// ahead, and each store must have a place of its own or share it whole with another.
#include "analysis/dependence/scatter.h"

#include "analysis/dependence/pair.h"
#include "analysis/scalars/scalars.h"
#include "analysis/values/evaluate.h"

#include <assert.h>

struct unit { // what one store covers: |size| bytes at |offset|, counted from a multiple of |modulus|
    int64_t offset;
    int64_t size;
};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

// What every offset of the store has in common but for its constant; 0: it has nothing but the constant.
static int64_t modulus_of(const struct poly *flat)
{
    int64_t modulus = 0;
    for (int i = 0; i < flat->count; i++) {
        if (flat->terms[i].degree > 0) {
            modulus = flat->terms[i].coef == INT64_MIN ? 1 : gcd(modulus, flat->terms[i].coef);
        }
    }
    return modulus;
}

static const char *why_not_store(const struct access *access)
{
    int64_t size;
    bool is_store = access->inst->op == IR_OP_STORE || access->inst->op == IR_OP_COPY;
    if (access->context != NULL) {
        return "is stored to by a helper that is called";
    }
    if (access->inst->base != access->base) {
        return "is stored to through a pointer that may point elsewhere, too";
    }
    if (!is_store || !poly_is_const(access->size, &size) || size <= 0 || access->inst->is_volatile ||
        access->inst->is_around) {
        return "is not stored to by whole elements";
    }
    return NULL;
}

// Whether two stores cover the same bytes, or none in common, wherever their elements lie.
static bool may_share(const struct unit *a, const struct unit *b)
{
    bool is_same = a->offset == b->offset && a->size == b->size;
    return is_same || a->offset + a->size <= b->offset || b->offset + b->size <= a->offset;
}

static bool is_store_to(const struct access *access, int base)
{
    return access->base == base && access->kind != ACCESS_READ;
}

// The bytes that one mark stands for; 0: stores overlap in part.
static int64_t find_granule(const struct analysis *an, const struct loop_info *info, int base)
{
    enum { MAX_UNITS = 32 };
    struct unit units[MAX_UNITS];
    int count = 0;
    int64_t modulus = 0, size;
    for (int i = info->access_begin; i < info->access_end; i++) {
        if (is_store_to(&an->accesses.items[i], base)) {
            modulus = gcd(modulus, modulus_of(an->accesses.items[i].flat));
        }
    }
    int64_t granule = modulus;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        if (!is_store_to(access, base)) {
            continue;
        }
        poly_is_const(access->size, &size);
        int64_t constant = poly_constant_of(access->flat);
        struct unit unit = {modulus > 0 ? (constant % modulus + modulus) % modulus : constant, size};
        if (modulus > 0 && unit.offset + unit.size > modulus) {
            return 0;
        }
        for (int k = 0; k < count; k++) {
            if (!may_share(&unit, &units[k])) {
                return 0;
            }
        }
        if (count == MAX_UNITS) {
            return 0;
        }
        assert(unit.size > 0); // why_not_store() has seen to that
        units[count++] = unit;
        granule = gcd(gcd(granule, unit.offset), unit.size);
    }
    return granule;
}

// ---- the slice -----------------------------------------------------------------------------------------------------

struct reader {
    struct analysis *an;
    struct loop_info *info;
};

static bool is_private(int base, void *user)
{
    const struct reader *reader = user;
    if (base_kind(base) != BASE_LOCAL) {
        return false;
    }
    const struct ir_var *var = reader->an->kernel->vars[base_index(base)];
    return scalars_is_declared_in(var, reader->info->inst) || ir_has_role(reader->info->inst->loop, var);
}

static bool may_read(const struct ir_inst *inst, int base, void *user)
{
    const struct reader *reader = user;
    if (base == 0 || inst->is_volatile) {
        return false;
    }
    for (int i = reader->info->access_begin; i < reader->info->access_end; i++) {
        const struct access *access = &reader->an->accesses.items[i];
        if (access->kind != ACCESS_READ && (access->base == base || base_kind(access->base) == BASE_UNKNOWN)) {
            return false;
        }
    }
    return true;
}

static bool may_call(const struct ir_inst *call, void *user)
{
    const struct reader *reader = user;
    if ((access_callee_does(reader->an, call->function) & CALLEE_PRINTS) != 0) {
        return false;
    }
    for (int i = reader->info->access_begin; i < reader->info->access_end; i++) {
        const struct access *access = &reader->an->accesses.items[i];
        bool is_harmless = access->kind == ACCESS_READ && !is_private(access->base, user) &&
                           may_read(access->inst, access->base, user);
        if (access->site == call && !is_harmless) {
            return false;
        }
    }
    return true;
}

struct slice *scatter_slice(struct analysis *an, struct loop_info *info, const int *bases, int base_count)
{
    struct slice *slice = ARENA_NEW(an->arena, struct slice);
    struct reader *reader = ARENA_NEW(an->arena, struct reader);
    *reader = (struct reader){an, info};
    *slice = (struct slice){.arena = an->arena,
                            .loop = info->inst,
                            .may_read = may_read,
                            .is_private = is_private,
                            .may_call = may_call,
                            .user = reader};
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        for (int k = 0; k < base_count; k++) {
            if (is_store_to(access, bases[k])) {
                slice_add_store(slice, access->inst);
            }
        }
    }
    slice_close(slice);
    return slice;
}

static bool is_read_by(const struct analysis *an, const struct loop_info *info, const struct slice *slice, int base)
{
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        if (access->kind == ACCESS_READ && access->base == base && slice_has(slice, access->site)) {
            return true;
        }
    }
    return false;
}

void scatter_part_pairs(const struct analysis *an, struct loop_info *info, const struct slice *slice)
{
    for (int i = 0; i < info->pairs.count; i++) {
        struct access_pair *pair = &info->pairs.items[i];
        const struct access *a = &an->accesses.items[pair->a], *b = &an->accesses.items[pair->b];
        pair->equal_will_do &= !is_read_by(an, info, slice, a->base) && !is_read_by(an, info, slice, b->base);
    }
}

// ---- one array -----------------------------------------------------------------------------------------------------

const char *scatter_refuse(struct analysis *an, struct loop_info *info, int base, int64_t *out_granule,
                           const struct access **out_access)
{
    enum base_kind kind = base_kind(base);
    *out_access = NULL;
    if (info->context != NULL || (kind != BASE_PARAM && kind != BASE_GLOBAL)) {
        return "is not an array parameter or a field";
    }
    if (info->inst->loop->recheck) {
        return "might hold the loop's bound, which is read from memory: put the bound into a variable before the loop";
    }
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        if (access->base != base) {
            continue;
        }
        *out_access = access;
        if (access->kind != ACCESS_WRITE) {
            return access->kind == ACCESS_READ ? "is also read" : "is also updated";
        }
        const char *why = why_not_store(access);
        if (why != NULL) {
            return why;
        }
    }
    *out_granule = find_granule(an, info, base);
    return *out_granule > 0 ? NULL : "is stored to in pieces that may overlap";
}

// Where two loops touch an array, as it is written: a quick look that spares the analysis most of what it would refuse.
#include "offload/fuse.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>

struct place {
    int base; // of ir_inst.base
    bool writes;
    uint64_t index; // stands for the index as it is written; members of one element have the same
};

struct places {
    struct arena *arena;
    const struct ir_var *vars[NEST_MOST]; // of the loops that are put together: they count by their level
    int level_count;
    VEC(struct place) items;
    VEC(const struct ir_inst *) sets; // of the loop
};

enum { PLACE_DEPTH = 12 }; // of variables that stand for other variables

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// The value that the loop gives to the variable, if it does so in one place only: what it stands for.
static const struct ir_inst *only_value(const struct places *places, const struct ir_var *var)
{
    const struct ir_inst *found = NULL;
    for (int i = 0; i < places->sets.count; i++) {
        const struct ir_inst *set = places->sets.items[i];
        if (set->var == var) {
            if (found != NULL || set->op != IR_OP_SET) {
                return NULL;
            }
            found = set->args[0];
        }
    }
    return found;
}

static uint64_t hash_of(const struct places *places, const struct ir_inst *value, int depth)
{
    if (value->op == IR_OP_OFFSET) {
        return hash_of(places, value->args[0], depth);
    }
    const struct ir_inst *meant = value->op == IR_OP_GET && depth > 0 ? only_value(places, value->var) : NULL;
    if (meant != NULL) {
        return hash_of(places, meant, depth - 1);
    }
    uint64_t hash = mix((uint64_t)value->op, (uint64_t)value->type);
    int count = value->op == IR_OP_INDEX ? 3 : value->arg_count; // the extent does not matter
    hash = mix(hash, (uint64_t)value->imm);
    if (value->op == IR_OP_GET) {
        uint64_t number = (uint64_t)value->var->index + NEST_MOST;
        for (int i = 0; i < places->level_count; i++) {
            number = places->vars[i] == value->var ? (uint64_t)i : number;
        }
        hash = mix(hash, number);
    }
    for (int i = 0; i < count; i++) {
        hash = mix(hash, hash_of(places, value->args[i], depth));
    }
    return value->op == IR_OP_LOAD ? mix(hash, (uint64_t)value->id) : hash; // what is loaded may differ each time
}

static bool find_place(struct ir_inst *inst, void *user)
{
    struct places *places = user;
    bool writes = ir_op_is_element(inst->op) && !ir_has_result(inst); // explicit atomics are not looked at
    if (writes || inst->op == IR_OP_LOAD) {
        uint64_t index = hash_of(places, inst->args[0], PLACE_DEPTH);
        struct place place = {.base = inst->base, .writes = writes, .index = index};
        VEC_PUSH(places->arena, &places->items, place);
    }
    return true;
}

static bool find_set(struct ir_inst *inst, void *user)
{
    struct places *places = user;
    if (ir_op_sets(inst->op)) {
        VEC_PUSH(places->arena, &places->sets, inst);
    }
    return true;
}

struct places *fuse_places(struct arena *arena, struct ir_inst *loop, int levels)
{
    assert(loop->op == IR_OP_FOR && levels >= 1);
    struct places *places = ARENA_NEW(arena, struct places);
    places->arena = arena;
    struct ir_inst *at = loop;
    for (int i = 0; i < levels && at != NULL; i++, at = fuse_inner(at)) {
        places->vars[places->level_count++] = at->loop->var;
    }
    walk_inst(loop, find_set, places);
    walk_inst(loop, find_place, places);
    return places;
}

// Whether |b| has no place in the array that |a| lacks.
static bool covers(const struct places *a, const struct places *b, int base)
{
    for (int i = 0; i < b->items.count; i++) {
        bool is_there = b->items.items[i].base != base;
        for (int k = 0; k < a->items.count && !is_there; k++) {
            is_there = a->items.items[k].base == base && a->items.items[k].index == b->items.items[i].index;
        }
        if (!is_there) {
            return false;
        }
    }
    return true;
}

static bool touches(const struct places *places, int base, bool *out_writes)
{
    bool is_there = false;
    for (int i = 0; i < places->items.count; i++) {
        if (places->items.items[i].base == base) {
            is_there = true;
            *out_writes |= places->items.items[i].writes;
        }
    }
    return is_there;
}

bool fuse_places_agree(const struct places *a, const struct places *b, int *out_base)
{
    for (int i = 0; i < a->items.count; i++) {
        int base = a->items.items[i].base;
        bool writes = false;
        *out_base = base;
        if (touches(a, base, &writes) && touches(b, base, &writes) && writes &&
            !(covers(a, b, base) && covers(b, a, base))) {
            return false;
        }
    }
    return true;
}

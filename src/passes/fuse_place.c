// Where two loops touch an array, as it is written: a quick look that spares the analysis most of what it would refuse.
#include "passes/fuse.h"

#include "base/vec.h"
#include "passes/walk.h"

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
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct places *places, const struct ir_inst *value)
{
    if (value->op == IR_OP_OFFSET) {
        return hash_of(places, value->args[0]);
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
        hash = mix(hash, hash_of(places, value->args[i]));
    }
    return value->op == IR_OP_LOAD ? mix(hash, (uint64_t)value->id) : hash; // what is loaded may differ each time
}

static bool find_place(struct ir_inst *inst, void *user)
{
    struct places *places = user;
    bool reads = inst->op == IR_OP_LOAD, writes = inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
    if (reads || writes) {
        struct place place = {.base = inst->base, .writes = writes, .index = hash_of(places, inst->args[0])};
        VEC_PUSH(places->arena, &places->items, place);
    }
    return true;
}

struct places *fuse_places(struct arena *arena, struct ir_inst *loop, int levels)
{
    struct places *places = ARENA_NEW(arena, struct places);
    places->arena = arena;
    struct ir_inst *at = loop;
    for (int i = 0; i < levels && at != NULL; i++, at = fuse_inner(at)) {
        places->vars[places->level_count++] = at->loop->var;
    }
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

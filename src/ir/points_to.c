#include "ir/points_to.h"

#include "ir/walk.h"

#include <assert.h>
#include <string.h>

bool base_set_add(struct arena *arena, struct base_set *set, int base)
{
    for (int i = 0; i < set->count; i++) {
        if (set->bases[i] == base) {
            return false;
        }
    }
    int *larger = ARENA_ARRAY(arena, int, set->count + 1);
    if (set->count > 0) {
        memcpy(larger, set->bases, sizeof *larger * (size_t)set->count);
    }
    larger[set->count++] = base;
    set->bases = larger;
    return true;
}

bool base_set_may_hold(const struct base_set *set, int base)
{
    for (int i = 0; i < set->count; i++) {
        if (set->bases[i] == base || base_kind(set->bases[i]) == BASE_UNKNOWN) {
            return true;
        }
    }
    return set->is_unknown;
}

static bool add_set(struct arena *arena, struct base_set *to, const struct base_set *from)
{
    bool changed = (from->is_unknown && !to->is_unknown) || (from->has_offset && !to->has_offset);
    to->is_unknown |= from->is_unknown;
    to->has_offset |= from->has_offset;
    for (int i = 0; i < from->count; i++) {
        changed |= base_set_add(arena, to, from->bases[i]);
    }
    return changed;
}

void points_to_of(struct arena *arena, const struct points_to *sets, const struct ir_inst *address,
                  struct base_set *out)
{
    switch (address->op) {
    case IR_OP_INDEX:
    case IR_OP_OFFSET:
        out->has_offset = true;
        points_to_of(arena, sets, address->args[0], out);
        return;
    case IR_OP_SELECT:
        points_to_of(arena, sets, address->args[1], out);
        points_to_of(arena, sets, address->args[2], out);
        return;
    case IR_OP_PARAM:
    case IR_OP_ADDR_GLOBAL:
    case IR_OP_ADDR_VAR: base_set_add(arena, out, base_beginning_at(address)); return;
    case IR_OP_CONST: return; // null
    case IR_OP_GET:
        if (sets != NULL) {
            assert(address->var->index < sets->function->var_count);
            add_set(arena, out, &sets->of_var[address->var->index]);
            return;
        }
        break;
    default: break;
    }
    out->is_unknown = true;
}

static bool visit(struct arena *arena, struct points_to *sets, struct ir_region *region)
{
    bool changed = false;
    WALK (inst, region) {
        if (inst->op == IR_OP_SET && inst->var->type == IR_PTR) {
            struct base_set found = {0};
            points_to_of(arena, sets, inst->args[0], &found);
            changed |= add_set(arena, &sets->of_var[inst->var->index], &found);
        }
    }
    return changed;
}

struct points_to *points_to_find(struct arena *arena, struct ir_function *function)
{
    struct points_to *sets = ARENA_NEW(arena, struct points_to);
    sets->function = function;
    sets->of_var = ARENA_ARRAY(arena, struct base_set, function->var_count + 1);
    while (visit(arena, sets, &function->body)) {
        // Sets only grow, and there are finitely many bases.
    }
    return sets;
}

const char *base_name(const struct ir_module *module, const struct ir_function *kernel, int base)
{
    const char *name = NULL;
    switch (base_kind(base)) {
    case BASE_PARAM: name = kernel->params[base_index(base)].name; break;
    case BASE_GLOBAL: name = module->globals[base_index(base)]->name; break;
    case BASE_LOCAL: name = kernel->vars[base_index(base)]->name; break;
    case BASE_UNKNOWN: name = "a pointer from memory"; break;
    case BASE_NULL: name = "null"; break;
    }
    return name != NULL ? name : "?";
}

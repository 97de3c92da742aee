// An index that is made from loaded data is the author's word that iterations do not meet. It is no such word where the
// data is what other iterations write: in an insertion sort, in a hash table that is filled, in the trees of union-find
// the place where an iteration writes hangs on what those before it have written. Such a loop runs in order.
#include "passes/independence_pair.h"
#include "passes/walk.h"

enum { MAX_STEPS = 20000 }; // of looking for where an index comes from; beyond that the author's word is taken

struct own {
    struct analysis *an;
    struct loop_info *info;
    const struct access *write; // what the data must not meet
    bool *seen;                 // by variable
    int step_count;
    const struct ir_var *var; // of the walk for its assignments
};

static bool value_is_own(struct own *own, const struct ir_inst *value);

// Whether another iteration may write what the instruction loads.
static bool load_is_own(const struct own *own, const struct ir_inst *load)
{
    const struct loop_info *info = own->info;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &own->an->accesses.items[i];
        if (access->inst == load && access->context == NULL && access->base == own->write->base &&
            pair_test(own->an, own->info, access, own->write, false).answer != PAIR_APART) {
            return true;
        }
    }
    return false;
}

static bool stays(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_BREAK && inst->op != IR_OP_JUMP;
}

static bool exits_are_not_own(struct ir_inst *inst, void *user)
{
    bool is_choice = inst->op == IR_OP_IF || inst->op == IR_OP_SWITCH;
    return !is_choice || walk_inst(inst, stays, NULL) || !value_is_own(user, inst->args[0]);
}

// Whether the instruction runs, or how often, hangs on such data.
static bool control_is_own(struct own *own, const struct ir_inst *inst)
{
    for (struct ir_inst *owner = inst->parent->owner; owner != NULL && owner != own->info->inst;
         owner = owner->parent->owner) {
        for (int i = 0; i < owner->arg_count; i++) {
            if (value_is_own(own, owner->args[i])) {
                return true;
            }
        }
        bool is_loop = owner->op == IR_OP_LOOP || owner->op == IR_OP_CFG;
        if (is_loop && !walk_inst(owner, exits_are_not_own, own)) {
            return true;
        }
    }
    return false;
}

static bool is_not_assigned_own(struct ir_inst *inst, void *user)
{
    struct own *own = user;
    const struct ir_var *var = inst->op == IR_OP_FOR ? inst->loop->var : inst->var;
    bool assigns = inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE || inst->op == IR_OP_FOR;
    if (!assigns || var != own->var) {
        return true;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        if (value_is_own(own, inst->args[i])) {
            return false;
        }
    }
    return !control_is_own(own, inst);
}

static bool var_is_own(struct own *own, const struct ir_var *var)
{
    if (own->seen[var->index]) {
        return false;
    }
    own->seen[var->index] = true;
    const struct ir_var *outer = own->var;
    own->var = var;
    bool is_own = !walk_region(&own->info->inst->regions[0], is_not_assigned_own, own);
    own->var = outer;
    return is_own;
}

static bool value_is_own(struct own *own, const struct ir_inst *value)
{
    if (++own->step_count > MAX_STEPS || !walk_is_inside(value, own->info->inst)) {
        return false;
    }
    if ((value->op == IR_OP_LOAD && load_is_own(own, value)) ||
        (value->op == IR_OP_GET && var_is_own(own, value->var))) {
        return true;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (value_is_own(own, value->args[i])) {
            return true;
        }
    }
    return false;
}

bool pair_is_own(struct analysis *an, struct loop_info *info, const struct access *a, const struct access *b)
{
    const struct access *both[] = {a, b};
    if (a->context != NULL || b->context != NULL) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const struct access *write = both[i / 2];
        if (write->kind == ACCESS_READ || write->kind == ACCESS_ATOMIC) {
            continue;
        }
        struct own own = {.an = an, .info = info, .write = write};
        own.seen = ARENA_ARRAY(an->arena, bool, info->function->var_count + 1);
        const struct ir_inst *inst = both[i % 2]->inst;
        for (int k = 0; k < inst->arg_count; k++) {
            if (inst->args[k]->type == IR_PTR && value_is_own(&own, inst->args[k])) {
                return true;
            }
        }
    }
    return false;
}

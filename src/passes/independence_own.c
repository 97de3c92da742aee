// An index that is made from loaded data is the author's word that iterations do not meet. It is no such word where the
// data is what other iterations write: in an insertion sort, in a hash table that is filled, in the trees of union-find
// the place where an iteration writes hangs on what those before it have written. Such a loop runs in order.
//
// Where an index comes from is looked for backwards: through variables, through the memory of locals, and through the
// helpers that are called, from their parameters to the arguments and from a call to what the helper returns.
#include "passes/independence_pair.h"
#include "passes/walk.h"

enum { MAX_STEPS = 20000 }; // of looking for where an index comes from; beyond that an order is kept

struct place { // a variable of one call's code, or a base
    const struct call_context *context;
    const struct ir_var *var; // NULL: memory
    int base;
};

struct own {
    struct analysis *an;
    struct loop_info *info;
    const struct access *write; // what the data must not meet
    VEC(struct place) seen;
    int step_count;
    const struct call_context *context; // of the walk that is made now
    const struct ir_var *var;           // of the walk for its assignments
};

static bool value_is_own(struct own *own, const struct call_context *context, const struct ir_inst *value);
static bool memory_is_own(struct own *own, int base);

static bool is_seen(struct own *own, struct place place)
{
    for (int i = 0; i < own->seen.count; i++) {
        const struct place *other = &own->seen.items[i];
        if (other->context == place.context && other->var == place.var && other->base == place.base) {
            return true;
        }
    }
    VEC_PUSH(own->an->arena, &own->seen, place);
    return false;
}

// Whether what the instruction reads is what another iteration may write, or comes from there.
static bool read_is_own(struct own *own, const struct call_context *context, const struct ir_inst *inst)
{
    const struct loop_info *info = own->info;
    bool is_noted = false;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *access = &own->an->accesses.items[i];
        if (access->inst != inst || access->context != context || access->kind == ACCESS_WRITE) {
            continue;
        }
        is_noted = true;
        if (access->base == own->write->base &&
            pair_test(own->an, own->info, access, own->write, false).answer != PAIR_APART) {
            return true;
        }
        if (base_kind(access->base) == BASE_LOCAL && memory_is_own(own, access->base)) {
            return true;
        }
    }
    return !is_noted; // memory of a helper's call, which is not looked into
}

// ---- control -------------------------------------------------------------------------------------------------------

static bool stays(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_BREAK && inst->op != IR_OP_JUMP && inst->op != IR_OP_RETURN;
}

static bool exits_are_not_own(struct ir_inst *inst, void *user)
{
    struct own *own = user;
    bool is_choice = inst->op == IR_OP_IF || inst->op == IR_OP_SWITCH;
    return !is_choice || walk_inst(inst, stays, NULL) || !value_is_own(own, own->context, inst->args[0]);
}

static bool exits_are_own(struct own *own, const struct call_context *context, struct ir_inst *loop)
{
    const struct call_context *outer = own->context;
    own->context = context;
    bool are_own = !walk_inst(loop, exits_are_not_own, own);
    own->context = outer;
    return are_own;
}

// Whether the instruction runs, or how often, hangs on such data.
static bool control_is_own(struct own *own, const struct call_context *context, const struct ir_inst *inst)
{
    for (struct ir_inst *owner = inst->parent->owner; owner != NULL && owner != own->info->inst;
         owner = owner->parent->owner) {
        for (int i = 0; i < owner->arg_count; i++) {
            if (value_is_own(own, context, owner->args[i])) {
                return true;
            }
        }
        bool is_loop = owner->op == IR_OP_LOOP || owner->op == IR_OP_CFG;
        if (is_loop && exits_are_own(own, context, owner)) {
            return true;
        }
    }
    return false;
}

// The same, with the calls that lead to it.
static bool way_is_own(struct own *own, const struct call_context *context, const struct ir_inst *inst)
{
    while (!control_is_own(own, context, inst)) {
        if (context == own->info->context) {
            return false;
        }
        inst = context->call;
        context = context->caller;
    }
    return true;
}

// ---- variables -----------------------------------------------------------------------------------------------------

static const struct ir_region *region_of(const struct own *own, const struct call_context *context)
{
    return context == own->info->context ? &own->info->inst->regions[0] : &context->callee->body;
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
        if (value_is_own(own, own->context, inst->args[i])) {
            return false;
        }
    }
    return !control_is_own(own, own->context, inst);
}

static bool var_is_own(struct own *own, const struct call_context *context, const struct ir_var *var)
{
    if (is_seen(own, (struct place){.context = context, .var = var})) {
        return false;
    }
    const struct call_context *outer_context = own->context;
    const struct ir_var *outer = own->var;
    own->var = var;
    own->context = context;
    bool is_own = !walk_region(region_of(own, context), is_not_assigned_own, own);
    own->var = outer;
    own->context = outer_context;
    return is_own;
}

// ---- memory of locals ----------------------------------------------------------------------------------------------

static bool memory_is_own(struct own *own, int base)
{
    if (is_seen(own, (struct place){.base = base})) {
        return false;
    }
    for (int i = own->info->access_begin; i < own->info->access_end; i++) {
        const struct access *access = &own->an->accesses.items[i];
        const struct ir_inst *inst = access->inst;
        if (access->base != base || access->kind == ACCESS_READ) {
            continue;
        }
        if (inst->op == IR_OP_CALL || (inst->op == IR_OP_COPY && read_is_own(own, access->context, inst))) {
            return true; // a call that was not looked into
        }
        for (int k = 1; k < inst->arg_count; k++) {
            if (inst->args[k]->type != IR_PTR && value_is_own(own, access->context, inst->args[k])) {
                return true;
            }
        }
        if (way_is_own(own, access->context, inst)) {
            return true;
        }
    }
    return false;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static bool is_not_returned_own(struct ir_inst *inst, void *user)
{
    struct own *own = user;
    return inst->op != IR_OP_RETURN || inst->arg_count == 0 ||
           (!value_is_own(own, own->context, inst->args[0]) && !control_is_own(own, own->context, inst));
}

static bool result_is_own(struct own *own, const struct call_context *context, const struct ir_inst *call)
{
    const struct call_context *callee = NULL;
    for (int i = 0; i < own->an->contexts.count && callee == NULL; i++) {
        const struct call_context *other = own->an->contexts.items[i];
        callee = other->call == call && other->caller == context ? other : NULL;
    }
    if (callee == NULL || !callee->is_walked) {
        return true;
    }
    if (is_seen(own, (struct place){.context = callee})) {
        return false;
    }
    const struct call_context *outer = own->context;
    own->context = callee;
    bool is_own = !walk_region(&callee->callee->body, is_not_returned_own, own);
    own->context = outer;
    return is_own;
}

// ---- values --------------------------------------------------------------------------------------------------------

static bool value_is_own(struct own *own, const struct call_context *context, const struct ir_inst *value)
{
    bool is_here = context == own->info->context;
    if (is_here && !walk_is_inside(value, own->info->inst)) {
        return false;
    }
    if (++own->step_count > MAX_STEPS) {
        return true;
    }
    switch (value->op) {
    case IR_OP_LOAD:
    case IR_OP_COMPARE:
        if (read_is_own(own, context, value)) {
            return true;
        }
        break;
    case IR_OP_GET: return var_is_own(own, context, value->var);
    case IR_OP_PARAM: return !is_here && value_is_own(own, context->caller, context->call->args[value->imm]);
    case IR_OP_CALL: return result_is_own(own, context, value);
    default: break;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (value_is_own(own, context, value->args[i])) {
            return true;
        }
    }
    return false;
}

struct own *own_create(struct analysis *an, struct loop_info *info, const struct access *write)
{
    struct own *own = ARENA_NEW(an->arena, struct own);
    *own = (struct own){.an = an, .info = info, .write = write};
    return own;
}

bool own_makes_index(struct own *own, const struct access *access)
{
    own->step_count = 0;
    for (int k = 0; k < access->inst->arg_count; k++) {
        if (access->inst->args[k]->type == IR_PTR && value_is_own(own, access->context, access->inst->args[k])) {
            own->seen.count = 0; // whatever was seen may be what makes it
            return true;
        }
    }
    return false;
}

bool pair_is_own(struct analysis *an, struct loop_info *info, const struct access *a, const struct access *b)
{
    const struct access *both[] = {a, b};
    for (int i = 0; i < 4; i++) {
        const struct access *write = both[i / 2];
        if (write->kind == ACCESS_READ || write->kind == ACCESS_ATOMIC) {
            continue;
        }
        struct own own = {.an = an, .info = info, .write = write};
        if (own_makes_index(&own, both[i % 2])) {
            return true;
        }
    }
    return false;
}

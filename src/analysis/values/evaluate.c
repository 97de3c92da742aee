// The walk over a kernel: variables get values, branches join, loops make their variables vary, calls are walked into.
// What a value means never changes once it is made, so that one walk serves every loop.
#include "analysis/values/evaluate.h"

enum { MAX_CALL_DEPTH = 32 };

struct leave { // a place that `break` goes to
    struct ir_inst *inst;
    struct env env; // joined so far
    struct leave *outer;
};

static void walk_region(struct frame *frame, struct ir_region *region);

// ---- environments --------------------------------------------------------------------------------------------------

static struct env copy_env(struct frame *frame, const struct env *env)
{
    struct env copy = *env;
    copy.values = var_values_copy(frame->an->arena, &env->values);
    return copy;
}

// What holds on both ways: guards are lists that share their tails.
static const struct guard *common_guards(const struct guard *a, const struct guard *b)
{
    for (; a != NULL; a = a->next) {
        for (const struct guard *other = b; other != NULL; other = other->next) {
            if (other == a) {
                return a;
            }
        }
    }
    return NULL;
}

static void join_env(struct frame *frame, struct env *into, const struct env *from)
{
    if (from->is_dead) {
        return;
    }
    if (into->is_dead || into->values.chunks == NULL) {
        *into = copy_env(frame, from);
        return;
    }
    int v = var_values_next_difference(&into->values, &from->values, 0);
    for (; v < into->values.count; v = var_values_next_difference(&into->values, &from->values, v + 1)) {
        const struct sym *a = var_values_get(&into->values, v), *b = var_values_get(&from->values, v);
        const struct sym *joined = NULL; // not set on one way: some value
        if (a != NULL && b != NULL) {
            joined = sym_join(frame, a, b, frame->function->vars[v]->type);
        }
        var_values_set(frame->an->arena, &into->values, v, joined);
    }
    into->guards = common_guards(into->guards, from->guards);
}

static void set_var(struct frame *frame, const struct ir_var *var, const struct sym *value)
{
    var_values_set(frame->an->arena, &frame->env.values, var->index, value);
}

static const struct sym *get_var(struct frame *frame, struct ir_inst *inst)
{
    const struct sym *value = var_values_get(&frame->env.values, inst->var->index);
    if (value == NULL) { // never set, or not on every way; the value stays the same until the next set
        value = sym_unknown(frame, inst, inst->var, inst->var->type, frame->loop);
        set_var(frame, inst->var, value);
    }
    return value;
}

// Variables that are assigned somewhere in the loop have unknown values from here on.
static void forget(struct frame *frame, struct ir_inst *inst, const struct assignments *vars)
{
    for (int v = 0; v < frame->function->var_count; v++) {
        if (vars[v].first != NULL) {
            struct ir_var *var = frame->function->vars[v];
            set_var(frame, var, sym_unknown(frame, inst, var, var->type, frame->loop));
        }
    }
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static void walk_for(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    struct loop_info *info = access_new_loop(frame, inst);
    access_open_loop(frame, info);
    info->entry = copy_env(frame, &frame->env).values;
    info->guards = frame->env.guards;
    info->access_begin = an->accesses.count;
    struct poly_mark mark = poly_mark(&an->scratch);
    struct assignments *vars = access_find_assigned(frame, inst);
    struct env outer = copy_env(frame, &frame->env);
    frame->loop = info;
    for (int v = 0; v < frame->function->var_count; v++) {
        struct ir_var *var = frame->function->vars[v];
        if (vars[v].first != NULL && var != inst->loop->var) {
            const struct sym *value = access_induction(frame, info, &vars[v], vars, var_values_get(&outer.values, v));
            set_var(frame, var, value != NULL ? value : sym_unknown(frame, inst, var, var->type, info));
        }
    }
    set_var(frame, inst->loop->var, sym_int(an, poly_atom(&an->pool, info->variable), NULL));
    if (inst->region_count > 1) {
        const struct loop_info *outer_recheck = frame->recheck;
        frame->recheck = info;
        walk_region(frame, &inst->regions[1]);
        frame->recheck = outer_recheck;
        frame->env.is_dead = false;
    }
    walk_region(frame, &inst->regions[0]);
    info->access_end = an->accesses.count;
    info->bound_may_change = inst->region_count > 1 && access_may_change_bound(an, info);
    frame->loop = info->parent;
    frame->env = outer;
    vars[inst->loop->var->index].first = inst;
    forget(frame, inst, vars);
    poly_release(&an->scratch, mark);
}

static void walk_loop(struct frame *frame, struct ir_inst *inst)
{
    struct poly_mark mark = poly_mark(&frame->an->scratch);
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    forget(frame, inst, access_find_assigned(frame, inst));
    poly_release(&frame->an->scratch, mark);
    frame->leaves = &leave;
    walk_region(frame, &inst->regions[0]);
    frame->leaves = leave.outer;
    frame->env = leave.env;
    if (frame->env.values.chunks == NULL) { // nothing leaves it
        frame->env = (struct env){var_values_create(frame->an->arena, frame->function->var_count), NULL, true};
    }
    frame->env.guards = NULL;
}

// ---- branches ------------------------------------------------------------------------------------------------------

static void walk_if(struct frame *frame, struct ir_inst *inst)
{
    struct env other = copy_env(frame, &frame->env);
    const struct guard *before = frame->env.guards;
    frame->env.guards = access_guard(frame, inst->args[0], true, before);
    walk_region(frame, &inst->regions[0]);
    struct env first = frame->env;
    frame->env = other;
    frame->env.guards = access_guard(frame, inst->args[0], false, before);
    if (inst->region_count > 1) {
        walk_region(frame, &inst->regions[1]);
    }
    if (first.is_dead) {
        return;
    }
    join_env(frame, &first, &frame->env);
    frame->env = first;
}

static void walk_block(struct frame *frame, struct ir_inst *inst)
{
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    frame->leaves = &leave;
    walk_region(frame, &inst->regions[0]);
    frame->leaves = leave.outer;
    if (leave.env.values.chunks != NULL) {
        join_env(frame, &leave.env, &frame->env);
        frame->env = leave.env;
    }
}

static void walk_switch(struct frame *frame, struct ir_inst *inst)
{
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    struct env entry = copy_env(frame, &frame->env);
    frame->leaves = &leave;
    frame->env.is_dead = true;
    for (int i = 0; i < inst->region_count; i++) {
        struct env start = copy_env(frame, &entry);
        join_env(frame, &start, &frame->env); // falls through from the one before
        frame->env = start;
        walk_region(frame, &inst->regions[i]);
    }
    frame->leaves = leave.outer;
    join_env(frame, &leave.env, &frame->env);
    join_env(frame, &leave.env, &entry);                              // no case may fit
    frame->env = leave.env.values.chunks != NULL ? leave.env : entry; // nothing comes here, nothing leaves it
}

static void walk_cfg(struct frame *frame, struct ir_inst *inst)
{
    struct poly_mark mark = poly_mark(&frame->an->scratch);
    struct assignments *vars = access_find_assigned(frame, inst);
    forget(frame, inst, vars);
    struct env entry = copy_env(frame, &frame->env);
    entry.guards = NULL;
    for (int i = 0; i < inst->region_count; i++) {
        frame->env = copy_env(frame, &entry);
        walk_region(frame, &inst->regions[i]);
    }
    frame->env = entry;
    forget(frame, inst, vars);
    poly_release(&frame->an->scratch, mark);
}

static void walk_break(struct frame *frame, struct ir_inst *inst)
{
    for (struct leave *leave = frame->leaves; leave != NULL; leave = leave->outer) {
        if (leave->inst == inst->target) {
            join_env(frame, &leave->env, &frame->env);
            break;
        }
    }
    frame->env.is_dead = true;
}

static void flag_loops(struct frame *frame, enum ir_op op)
{
    for (struct loop_info *loop = frame->loop; loop != NULL; loop = loop->parent) {
        loop->may_fail |= op == IR_OP_FAIL;
        loop->may_print |= op == IR_OP_PRINT;
        loop->holds_blocks |= op == IR_OP_BLOCKS;
    }
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static struct call_context *new_context(struct frame *frame, struct ir_inst *call)
{
    struct call_context *context = ARENA_NEW(frame->an->arena, struct call_context);
    context->caller = frame->context;
    context->call = call;
    context->callee = call->function;
    if (context->caller != NULL) {
        struct call_context *caller = context->caller;
        *(caller->last_child != NULL ? &caller->last_child->next : &caller->first_child) = context;
        caller->last_child = context;
    }
    VEC_PUSH(frame->an->arena, &frame->an->contexts, context);
    return context;
}

// A call that is not walked into: it may do whatever its code does, anywhere.
static void pass_by(struct frame *frame, struct ir_inst *inst)
{
    unsigned does = access_callee_does(frame->an, inst->function);
    if ((does & CALLEE_TOUCHES) != 0) {
        access_note_everything(frame, inst);
    }
    if ((does & CALLEE_PRINTS) != 0) {
        flag_loops(frame, IR_OP_PRINT);
    }
    if ((does & CALLEE_FAILS) != 0) {
        flag_loops(frame, IR_OP_FAIL);
    }
}

static void walk_call(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    struct ir_function *callee = inst->function;
    struct frame inner = {.an = an,
                          .function = callee,
                          .caller = frame,
                          .loop = frame->loop,
                          .site = frame->site != NULL ? frame->site : inst,
                          .context = new_context(frame, inst),
                          .recheck = frame->recheck,
                          .depth = frame->depth + 1};
    struct env returns = {.is_dead = true};
    inner.values = ARENA_ARRAY(an->arena, const struct sym *, callee->value_count + 1);
    inner.params = ARENA_ARRAY(an->arena, const struct sym *, inst->arg_count + 1);
    inner.env.values = var_values_create(an->arena, callee->var_count);
    inner.env.guards = frame->env.guards;
    inner.returns = &returns;
    for (int i = 0; i < inst->arg_count; i++) {
        inner.params[i] = sym_of(frame, inst->args[i]);
    }
    inner.context->is_walked = inner.depth < MAX_CALL_DEPTH && an->call_budget > 0;
    an->call_budget -= access_call_charge(callee);
    if (inner.context->is_walked) {
        walk_region(&inner, &callee->body);
    } else {
        pass_by(frame, inst);
    }
    if (inst->type != IR_VOID && inst->id >= 0) {
        frame->values[inst->id] =
            inner.result != NULL ? inner.result : sym_unknown(frame, inst, NULL, inst->type, frame->loop);
    }
}

static void walk_return(struct frame *frame, struct ir_inst *inst)
{
    if (frame->caller != NULL && inst->arg_count > 0) {
        const struct sym *value = sym_of(frame, inst->args[0]);
        enum ir_type type = frame->function->return_type;
        frame->result = frame->result == NULL ? value : sym_join(frame, frame->result, value, type);
    }
    frame->env.is_dead = true;
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// Blocks run in any order: what one of them assigns has no value in the others, neither the one from before nor the
// new.
static void walk_blocks(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    flag_loops(frame, inst->op);
    const struct assignments *vars = access_find_assigned(frame, inst);
    struct var_values before = copy_env(frame, &frame->env).values;
    struct var_values after = copy_env(frame, &frame->env).values;
    struct var_values kept = copy_env(frame, &frame->env).values;
    for (int v = 0; v < frame->function->var_count; v++) {
        if (vars[v].first != NULL) {
            var_values_set(an->arena, &kept, v, NULL);
        }
    }
    if (frame->caller == NULL) {
        struct blocks_entry entry = {inst, an->atoms.count, before, kept};
        VEC_PUSH(an->arena, &an->blocks, entry);
    }
    for (int i = 0; i < inst->region_count; i++) {
        const struct assignments *own = access_find_assigned_in(frame, &inst->regions[i]);
        for (int v = 0; v < frame->function->var_count; v++) {
            if (vars[v].first != NULL) {
                set_var(frame, frame->function->vars[v], own[v].first != NULL ? var_values_get(&before, v) : NULL);
            }
        }
        walk_region(frame, &inst->regions[i]);
        for (int v = 0; v < frame->function->var_count; v++) {
            if (own[v].first != NULL) {
                var_values_set(an->arena, &after, v, var_values_get(&frame->env.values, v));
            }
        }
    }
    for (int v = 0; v < frame->function->var_count; v++) {
        if (vars[v].first != NULL) {
            set_var(frame, frame->function->vars[v], var_values_get(&after, v));
        }
    }
}

// ---- the walk ------------------------------------------------------------------------------------------------------

static void walk_control(struct frame *frame, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_IF: walk_if(frame, inst); return;
    case IR_OP_BLOCK: walk_block(frame, inst); return;
    case IR_OP_LOOP: walk_loop(frame, inst); return;
    case IR_OP_FOR: walk_for(frame, inst); return;
    case IR_OP_SWITCH: walk_switch(frame, inst); return;
    case IR_OP_CFG: walk_cfg(frame, inst); return;
    case IR_OP_BREAK: walk_break(frame, inst); return;
    case IR_OP_RETURN: walk_return(frame, inst); return;
    case IR_OP_BLOCKS: walk_blocks(frame, inst); return;
    case IR_OP_FAIL:
        flag_loops(frame, inst->op);
        frame->env.is_dead = true;
        return;
    default: frame->env.is_dead |= inst->op == IR_OP_JUMP; return;
    }
}

static void update_var(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *before = var_values_get(&frame->env.values, inst->var->index);
    const struct sym *operand = sym_of(frame, inst->args[0]);
    bool is_sum = ir_update_kind(inst->update) == IR_UPDATE_KIND_SUM;
    if (is_sum && ir_type_is_int(inst->var->type) && before != NULL && before->alt_count == 1 &&
        operand->alt_count == 1 && before->alts[0].needs == NULL && operand->alts[0].needs == NULL) {
        const struct poly *value = inst->update == IR_UPDATE_ADD
                                       ? poly_add(&an->pool, before->alts[0].value, operand->alts[0].value)
                                       : poly_sub(&an->pool, before->alts[0].value, operand->alts[0].value);
        if (value != NULL) {
            set_var(frame, inst->var, sym_int(an, value, NULL));
            return;
        }
    }
    set_var(frame, inst->var, sym_unknown(frame, inst, inst->var, inst->var->type, frame->loop));
}

static void walk_inst(struct frame *frame, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET: frame->values[inst->id] = get_var(frame, inst); return;
    case IR_OP_SET: set_var(frame, inst->var, sym_of(frame, inst->args[0])); return;
    case IR_OP_VUPDATE: update_var(frame, inst); return;
    case IR_OP_CALL: walk_call(frame, inst); return;
    case IR_OP_YIELD: return;
    default: break;
    }
    if (ir_op_has_regions(inst->op) || ir_op_is_terminator(inst->op)) {
        walk_control(frame, inst);
        return;
    }
    if (inst->op == IR_OP_PRINT) {
        flag_loops(frame, inst->op);
    }
    access_note(frame, inst);
    if (inst->id >= 0) {
        frame->values[inst->id] = access_evaluate(frame, inst);
    }
}

static void walk_region(struct frame *frame, struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        walk_inst(frame, inst);
    }
}

// A pure instruction with its operands, ahead of the walk.
static void evaluate_tree(struct frame *frame, struct ir_inst *inst)
{
    for (int i = 0; i < inst->arg_count; i++) {
        evaluate_tree(frame, inst->args[i]);
    }
    if (ir_op_is_pure(inst->op) && frame->values[inst->id] == NULL) {
        frame->values[inst->id] = access_evaluate(frame, inst);
    }
}

static void add_global_fact(struct analysis *an, const struct poly *value, bool is_equal)
{
    struct fact *fact = ARENA_NEW(an->arena, struct fact);
    *fact = (struct fact){value, is_equal, NULL, an->facts};
    an->facts = fact;
}

static void assume_nonnegative(struct analysis *an, const struct poly *value)
{
    int id;
    if (value == NULL || poly_is_const(value, NULL) || value_range(an, value).lo >= 0) {
        return;
    }
    if (!poly_is_atom(value, &id)) {
        add_global_fact(an, value, false);
        return;
    }
    struct atom *atom = atom_of(an, id);
    atom->range.lo = 0;
    if (atom->kind != ATOM_OP || atom->op != IR_OP_SEXT) {
        return;
    }
    // n + 1 as an extent: had it wrapped it would be negative, so that it has not.
    struct poly_range type = poly_type_range(atom->type, true), from = value_range(an, atom->a);
    if (from.lo >= type.lo && from.hi <= 2 * type.hi) {
        atom_add_fact(an, id, poly_sub(&an->pool, value, atom->a), true, NULL);
        add_global_fact(an, atom->a, false);
        add_global_fact(an, poly_plus(&an->pool, poly_scale(&an->pool, atom->a, -1), (int64_t)type.hi), false);
    }
}

// Extents are not negative: the launch refuses others.
static void assume_extents(struct frame *frame)
{
    struct analysis *an = frame->an;
    for (int p = 0; p < an->kernel->param_count; p++) {
        const struct ir_param *param = &an->kernel->params[p];
        for (int d = 0; d < param->rank; d++) {
            evaluate_tree(frame, param->extents[d]);
            const struct poly *extent = sym_exact_or_wrapped(frame, sym_of(frame, param->extents[d]), IR_I64, true);
            assume_nonnegative(an, extent);
        }
    }
}

void access_walk(struct analysis *an)
{
    struct frame frame = {.an = an, .function = an->kernel};
    frame.values = ARENA_ARRAY(an->arena, const struct sym *, an->kernel->value_count + 1);
    frame.env.values = var_values_create(an->arena, an->kernel->var_count);
    assume_extents(&frame);
    walk_region(&frame, &an->kernel->body);
}

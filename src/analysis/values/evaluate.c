// The walk over a kernel: variables get values, branches join, loops make their variables vary, calls are walked into.
// What a value means never changes once it is made, so that one walk serves every loop.
#include "analysis/values/evaluate.h"

#include <assert.h>

enum { MAX_CALL_DEPTH = 32 };

static const struct flow_problem evaluation; // at the end: how calls are walked into is part of it

// ---- environments --------------------------------------------------------------------------------------------------

static void *copy_env(struct flow *flow, const void *state)
{
    const struct frame *frame = flow->user;
    const struct env *env = state;
    struct env *copy = ARENA_NEW(frame->an->arena, struct env);
    copy->values = var_values_copy(frame->an->arena, &env->values);
    copy->guards = env->guards;
    return copy;
}

static struct var_values copy_values(const struct frame *frame)
{
    return var_values_copy(frame->an->arena, &frame_env(frame)->values);
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

static void join_env(struct flow *flow, void *to, const void *state)
{
    struct frame *frame = flow->user;
    struct env *into = to;
    const struct env *from = state;
    assert(into->values.count == from->values.count);
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
    var_values_set(frame->an->arena, &frame_env(frame)->values, var->index, value);
}

static const struct sym *get_var(struct frame *frame, struct ir_inst *inst)
{
    const struct sym *value = var_values_get(&frame_env(frame)->values, inst->var->index);
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

struct open_loop {
    struct loop_info *info; // of a FOR
    struct assignments *vars;
    struct poly_mark mark;                 // |vars| is given back with it
    const struct loop_info *outer_recheck; // of a FOR
};

// Variables that each iteration moves by the same amount have a value that its number gives; others that the loop
// assigns are unknown.
static void open_for(struct frame *frame, struct ir_inst *inst, struct open_loop *loop)
{
    struct analysis *an = frame->an;
    struct loop_info *info = access_new_loop(frame, inst);
    loop->info = info;
    access_open_loop(frame, info);
    info->entry = copy_values(frame);
    info->guards = frame_env(frame)->guards;
    info->access_begin = an->accesses.count;
    loop->mark = poly_mark(&an->scratch);
    loop->vars = access_find_assigned(frame, inst);
    loop->outer_recheck = frame->recheck;
    frame->loop = info;
    for (int v = 0; v < frame->function->var_count; v++) {
        struct ir_var *var = frame->function->vars[v];
        if (loop->vars[v].first != NULL && var != inst->loop->var) {
            const struct sym *before = var_values_get(&info->entry, v);
            const struct sym *value = access_induction(frame, info, &loop->vars[v], loop->vars, before);
            set_var(frame, var, value != NULL ? value : sym_unknown(frame, inst, var, var->type, info));
        }
    }
    set_var(frame, inst->loop->var, sym_int(an, poly_atom(&an->pool, info->variable), NULL));
}

static void close_for(struct frame *frame, struct ir_inst *inst, struct open_loop *loop)
{
    struct loop_info *info = loop->info;
    assert(frame->loop == info && frame->recheck == loop->outer_recheck);
    info->access_end = frame->an->accesses.count;
    info->bound_may_change = inst->region_count > 1 && access_may_change_bound(frame->an, info);
    frame->loop = info->parent;
    loop->vars[inst->loop->var->index].first = inst;
}

static void *enter_loop(struct flow *flow, struct ir_inst *inst)
{
    struct frame *frame = flow->user;
    struct open_loop *loop = ARENA_NEW(frame->an->arena, struct open_loop);
    if (inst->op == IR_OP_FOR) {
        open_for(frame, inst, loop);
        return loop;
    }
    loop->mark = poly_mark(&frame->an->scratch);
    loop->vars = access_find_assigned(frame, inst);
    forget(frame, inst, loop->vars);
    if (inst->op == IR_OP_LOOP) { // its breaks bring what holds behind it
        poly_release(&frame->an->scratch, loop->mark);
        return NULL;
    }
    frame_env(frame)->guards = NULL;
    return loop;
}

static void leave_loop(struct flow *flow, struct ir_inst *inst, void *before, void *opened)
{
    struct frame *frame = flow->user;
    struct open_loop *loop = opened;
    if (inst->op == IR_OP_LOOP) {
        if (flow->is_dead) { // nothing leaves it
            frame_env(frame)->values = var_values_create(frame->an->arena, frame->function->var_count);
        }
        frame_env(frame)->guards = NULL;
        return;
    }
    if (inst->op == IR_OP_FOR) {
        close_for(frame, inst, loop);
        flow->state = before;
    }
    forget(frame, inst, loop->vars);
    poly_release(&frame->an->scratch, loop->mark);
}

// ---- branches ------------------------------------------------------------------------------------------------------

static void enter_region(struct flow *flow, struct ir_inst *inst, int number, void *opened)
{
    struct frame *frame = flow->user;
    struct env *env = frame_env(frame);
    if (inst->op == IR_OP_IF) {
        env->guards = access_guard(frame, inst->args[0], number == 0, env->guards);
    } else {
        const struct open_loop *loop = opened;
        frame->recheck = number == 1 ? loop->info : loop->outer_recheck;
    }
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
    struct env env = {var_values_create(an->arena, callee->var_count), frame_env(frame)->guards};
    inner.values = ARENA_ARRAY(an->arena, const struct sym *, callee->value_count + 1);
    inner.params = ARENA_ARRAY(an->arena, const struct sym *, inst->arg_count + 1);
    inner.flow = (struct flow){.problem = &evaluation, .user = &inner, .state = &env};
    for (int i = 0; i < inst->arg_count; i++) {
        inner.params[i] = sym_of(frame, inst->args[i]);
    }
    inner.context->is_walked = inner.depth < MAX_CALL_DEPTH && an->call_budget > 0;
    an->call_budget -= access_call_charge(callee);
    if (inner.context->is_walked) {
        flow_region(&inner.flow, &callee->body);
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
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// Blocks run in any order: what one of them assigns has no value in the others, neither the one from before nor the
// new.
static void walk_blocks(struct flow *flow, struct ir_inst *inst)
{
    struct frame *frame = flow->user;
    struct analysis *an = frame->an;
    flag_loops(frame, inst->op);
    const struct assignments *vars = access_find_assigned(frame, inst);
    struct var_values before = copy_values(frame);
    struct var_values after = copy_values(frame);
    struct var_values kept = copy_values(frame);
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
        flow_region(flow, &inst->regions[i]);
        for (int v = 0; v < frame->function->var_count; v++) {
            if (own[v].first != NULL) {
                var_values_set(an->arena, &after, v, var_values_get(&frame_env(frame)->values, v));
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

static void update_var(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    const struct sym *before = var_values_get(&frame_env(frame)->values, inst->var->index);
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

static void visit(struct flow *flow, struct ir_inst *inst)
{
    struct frame *frame = flow->user;
    switch (inst->op) {
    case IR_OP_GET: frame->values[inst->id] = get_var(frame, inst); return;
    case IR_OP_SET: set_var(frame, inst->var, sym_of(frame, inst->args[0])); return;
    case IR_OP_VUPDATE: update_var(frame, inst); return;
    case IR_OP_CALL: walk_call(frame, inst); return;
    case IR_OP_RETURN: walk_return(frame, inst); return;
    case IR_OP_FAIL: flag_loops(frame, inst->op); return;
    case IR_OP_YIELD: return;
    case IR_OP_PRINT: flag_loops(frame, inst->op); break;
    default: break;
    }
    access_note(frame, inst);
    if (inst->id >= 0) {
        frame->values[inst->id] = access_evaluate(frame, inst);
    }
}

static const struct flow_problem evaluation = {.copy = copy_env,
                                               .join = join_env,
                                               .visit = visit,
                                               .enter_region = enter_region,
                                               .enter_loop = enter_loop,
                                               .leave_loop = leave_loop,
                                               .blocks = walk_blocks};

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
    struct env env = {.values = var_values_create(an->arena, an->kernel->var_count)};
    struct frame frame = {.an = an, .function = an->kernel};
    frame.flow = (struct flow){.problem = &evaluation, .user = &frame, .state = &env};
    frame.values = ARENA_ARRAY(an->arena, const struct sym *, an->kernel->value_count + 1);
    assume_extents(&frame);
    flow_region(&frame.flow, &an->kernel->body);
}

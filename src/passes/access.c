// The walk over a kernel: variables get values, branches join, loops make their variables vary, calls are walked into.
// What a value means never changes once it is made, so that one walk serves every loop.
#include "passes/analyse.h"

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
    int count = frame->function->var_count;
    copy.values = arena_alloc(frame->an->arena, sizeof *copy.values * (size_t)(count + 1));
    if (count > 0) {
        memcpy((void *)copy.values, (const void *)env->values, sizeof *copy.values * (size_t)count);
    }
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

static void join_env(struct frame *frame, struct env *into, const struct env *from, unsigned taint)
{
    if (from->is_dead) {
        return;
    }
    if (into->is_dead || into->values == NULL) {
        *into = copy_env(frame, from);
        return;
    }
    for (int v = 0; v < frame->function->var_count; v++) {
        if (into->values[v] != from->values[v]) {
            into->values[v] =
                into->values[v] == NULL || from->values[v] == NULL
                    ? NULL // not set on one way: some value
                    : sym_join(frame, into->values[v], from->values[v], frame->function->vars[v]->type, taint);
        }
    }
    into->guards = common_guards(into->guards, from->guards);
}

static void set_var(struct frame *frame, const struct ir_var *var, const struct sym *value)
{
    frame->env.values[var->index] = value;
}

static const struct sym *get_var(struct frame *frame, struct ir_inst *inst)
{
    const struct sym *value = frame->env.values[inst->var->index];
    if (value == NULL) { // never set, or not on every way; the value stays the same until the next set
        value = sym_unknown(frame, inst, inst->var, inst->var->type, TAINT_OPAQUE);
        set_var(frame, inst->var, value);
    }
    return value;
}

// ---- what a region assigns -----------------------------------------------------------------------------------------

struct assigned {
    struct ir_inst *first; // the only assignment so far
    int count;
    unsigned taint;
};

static unsigned inst_taint(const struct ir_inst *inst, const struct assigned *vars)
{
    switch (inst->op) {
    case IR_OP_LOAD:
    case IR_OP_ATOMIC:
    case IR_OP_CAS:
    case IR_OP_COMPARE:
    case IR_OP_CALL: return TAINT_DATA;
    case IR_OP_GET: return vars[inst->var->index].taint;
    default: break;
    }
    unsigned taint = 0;
    for (int i = 0; i < inst->arg_count; i++) {
        taint |= inst_taint(inst->args[i], vars);
    }
    return taint;
}

// Whether leaving a loop hangs on data: then so do all values that were carried around in it.
static unsigned break_taint(const struct ir_region *region, const struct assigned *vars, unsigned control)
{
    unsigned taint = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP) {
            taint |= control;
        }
        unsigned inner = control;
        if (inst->op == IR_OP_IF || inst->op == IR_OP_SWITCH) {
            inner |= inst_taint(inst->args[0], vars);
        }
        for (int i = 0; i < inst->region_count; i++) {
            taint |= break_taint(&inst->regions[i], vars, inner);
        }
    }
    return taint;
}

static bool scan_assigned(const struct ir_region *region, struct assigned *vars, unsigned control)
{
    bool changed = false;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        struct ir_var *var = inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE ? inst->var
                             : inst->op == IR_OP_FOR                            ? inst->loop->var
                                                                                : NULL;
        unsigned inner = control;
        if (var != NULL) {
            struct assigned *assigned = &vars[var->index];
            unsigned taint = assigned->taint | control;
            for (int i = 0; i < inst->arg_count; i++) {
                taint |= inst_taint(inst->args[i], vars);
            }
            changed |= taint != assigned->taint || assigned->count == 0;
            assigned->taint = taint;
            assigned->first = assigned->first == NULL ? inst : assigned->first;
            assigned->count += assigned->first != inst || assigned->count == 0;
        }
        if (inst->op == IR_OP_IF || inst->op == IR_OP_SWITCH) {
            inner |= inst_taint(inst->args[0], vars);
        }
        for (int i = 0; i < inst->region_count; i++) {
            if (inst->op == IR_OP_LOOP || inst->op == IR_OP_CFG) {
                inner |= break_taint(&inst->regions[i], vars, 0);
            }
            changed |= scan_assigned(&inst->regions[i], vars, inner);
        }
    }
    return changed;
}

// By variable: how often it is assigned in the instruction's regions and whether from data.
static struct assigned *find_assigned(struct frame *frame, const struct ir_inst *inst)
{
    struct assigned *vars = ARENA_ARRAY(frame->an->arena, struct assigned, frame->function->var_count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        unsigned control = 0;
        for (int i = 0; i < inst->region_count; i++) {
            if (inst->op == IR_OP_LOOP || inst->op == IR_OP_CFG) {
                control |= break_taint(&inst->regions[i], vars, 0);
            }
            changed |= scan_assigned(&inst->regions[i], vars, control);
        }
    }
    return vars;
}

// Variables that are assigned somewhere in the instruction have unknown values from here on.
static void forget(struct frame *frame, struct ir_inst *inst, const struct assigned *vars)
{
    for (int v = 0; v < frame->function->var_count; v++) {
        if (vars[v].first != NULL) {
            struct ir_var *var = frame->function->vars[v];
            set_var(frame, var, sym_unknown(frame, inst, var, var->type, TAINT_OPAQUE | vars[v].taint));
        }
    }
}

// ---- loops ---------------------------------------------------------------------------------------------------------

static struct loop_info *new_loop(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    struct loop_info *info = ARENA_NEW(an->arena, struct loop_info);
    info->inst = inst;
    info->function = frame->function;
    info->parent = frame->loop;
    info->is_kernel_loop = frame->caller == NULL;
    if (info->parent != NULL) {
        *(info->parent->last_child != NULL ? &info->parent->last_child->next : &info->parent->first_child) = info;
        info->parent->last_child = info;
    }
    VEC_PUSH(an->arena, &an->loops, info);
    return info;
}

static void make_variable(struct analysis *an, struct loop_info *info, struct affine_range range)
{
    struct atom atom = {
        .kind = ATOM_LOOP, .type = info->inst->loop->var->type, .loop = info, .home = info, .range = range};
    info->variable = atom_create(an, atom);
    atom.kind = ATOM_COUNT;
    atom.range = (struct affine_range){0, AFFINE_INFINITY};
    info->count = atom_create(an, atom);
}

static bool writes_memory(const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        switch (inst->op) {
        case IR_OP_STORE:
        case IR_OP_COPY:
        case IR_OP_FILL:
        case IR_OP_UPDATE:
        case IR_OP_ATOMIC:
        case IR_OP_CAS:
        case IR_OP_CALL: return true;
        default: break;
        }
        for (int i = 0; i < inst->region_count; i++) {
            if (writes_memory(&inst->regions[i])) {
                return true;
            }
        }
    }
    return false;
}

// The variable's bounds, given that an iteration runs, and the facts that tie it to the iteration's number.
static void bound_variable(struct analysis *an, struct loop_info *info, bool is_signed)
{
    struct affine_pool *pool = &an->pool;
    const struct ir_for *loop = info->inst->loop;
    enum ir_op compare = loop->compare;
    bool is_up = loop->step > 0 || an->bug == BUG_DOWNWARD_LOOPS;
    const struct affine *end = info->bound;
    if (compare == IR_OP_SLT || compare == IR_OP_ULT || (compare == IR_OP_NE && is_up)) {
        end = affine_plus(pool, end, -1);
    } else if (compare == IR_OP_SGT || compare == IR_OP_UGT || compare == IR_OP_NE) {
        end = affine_plus(pool, end, 1);
    }
    info->first = is_up ? info->init : end;
    info->last = is_up ? end : info->init;
    struct affine_range range = affine_type_range(loop->var->type, is_signed);
    struct affine_range low = value_range(an, info->first), high = value_range(an, info->last);
    range.lo = low.lo > range.lo ? low.lo : range.lo;
    range.hi = high.hi < range.hi ? high.hi : range.hi;
    make_variable(an, info, range);
    bool is_open = loop->recheck && writes_memory(&info->inst->regions[0]); // the bound may move
    const struct affine *variable = affine_atom(pool, info->variable);
    const struct affine *stepped =
        affine_add(pool, info->init, affine_scale(pool, affine_atom(pool, info->count), loop->step));
    for (int i = 0; i < 2; i++) {
        int id = i == 0 ? info->variable : info->count;
        if (is_up || !is_open) {
            atom_add_fact(an, id, affine_sub(pool, variable, info->first), false, NULL);
        }
        if (!is_up || !is_open) {
            atom_add_fact(an, id, affine_sub(pool, info->last, variable), false, NULL);
        }
        if (i == 1 || (loop->step != 1 && loop->step != -1)) {
            atom_add_fact(an, id, affine_sub(pool, variable, stepped), true, NULL);
        }
    }
}

// Bounds of a loop are values in the integers, wrapped ones if need be. `!=` counts like `<` if the end is not before
// the start; otherwise it runs all around, and nothing is known but that no value comes twice.
static void open_loop(struct frame *frame, struct loop_info *info)
{
    struct analysis *an = frame->an;
    struct ir_inst *inst = info->inst;
    enum ir_type type = inst->loop->var->type;
    enum ir_op compare = inst->loop->compare;
    bool is_unsigned =
        (compare >= IR_OP_ULT && compare <= IR_OP_UGE) || (compare == IR_OP_NE && inst->loop->var->is_unsigned);
    bool is_signed = !is_unsigned || type == IR_I64;
    info->init = sym_exact_or_wrapped(frame, sym_of(frame, inst->args[0]), type, is_signed);
    info->bound = sym_exact_or_wrapped(frame, sym_of(frame, inst->args[1]), type, is_signed);
    // A value of several alternatives is at least one value.
    struct atom edge = {
        .kind = ATOM_UNKNOWN, .type = type, .home = frame->loop, .range = affine_type_range(type, is_signed)};
    info->init = info->init != NULL ? info->init : affine_atom(&an->pool, atom_create(an, edge));
    info->bound = info->bound != NULL ? info->bound : affine_atom(&an->pool, atom_create(an, edge));
    if (compare == IR_OP_NE) {
        const struct affine *way = affine_sub(&an->pool, info->bound, info->init);
        way = inst->loop->step > 0 ? way : affine_scale(&an->pool, way, -1);
        if (!value_is_nonnegative(an, way, frame->env.guards)) {
            make_variable(an, info, edge.range);
            return;
        }
    }
    bound_variable(an, info, is_signed);
}

// A variable that each iteration adds the same amount to, once, has a value that the iteration's number gives.
static const struct sym *induction(struct frame *frame, struct loop_info *info, const struct assigned *assigned,
                                   const struct assigned *vars, const struct sym *before)
{
    struct analysis *an = frame->an;
    struct ir_inst *inst = assigned->first;
    if (assigned->count != 1 || inst->parent != &info->inst->regions[0] || before == NULL || before->alt_count != 1) {
        return NULL;
    }
    const struct ir_inst *amount = NULL;
    bool is_minus = false;
    if (inst->op == IR_OP_VUPDATE && (inst->update == IR_UPDATE_ADD || inst->update == IR_UPDATE_SUB)) {
        amount = inst->args[0];
        is_minus = inst->update == IR_UPDATE_SUB;
    } else if (inst->op == IR_OP_SET && ir_type_is_int(inst->var->type)) {
        const struct ir_inst *sum = inst->args[0];
        bool is_sum = sum->op == IR_OP_ADD || sum->op == IR_OP_SUB;
        if (is_sum && sum->args[0]->op == IR_OP_GET && sum->args[0]->var == inst->var) {
            amount = sum->args[1];
            is_minus = sum->op == IR_OP_SUB;
        }
    } else if (inst->op == IR_OP_SET && inst->args[0]->op == IR_OP_INDEX) {
        const struct ir_inst *index = inst->args[0];
        int64_t stride = index->args[2]->imm;
        if (index->args[0]->op != IR_OP_GET || index->args[0]->var != inst->var || index->args[1]->op != IR_OP_CONST ||
            index->args[2]->op != IR_OP_CONST) {
            return NULL;
        }
        struct sym *moved = arena_alloc(an->arena, sizeof *moved + sizeof moved->alts[0]);
        *moved = *before;
        moved->alts[0] = before->alts[0];
        struct sym_dim *dims = ARENA_ARRAY(an->arena, struct sym_dim, before->alts[0].dim_count + 1);
        int count = before->alts[0].dim_count;
        for (int i = 0; i < count; i++) {
            dims[i] = before->alts[0].dims[i];
        }
        const struct affine *way = affine_scale(&an->pool, affine_atom(&an->pool, info->count), index->args[1]->imm);
        int64_t last;
        if (count > 0 && affine_is_const(dims[count - 1].stride, &last) && last == stride) {
            dims[count - 1].index = affine_add(&an->pool, dims[count - 1].index, way);
            dims[count - 1].extent = NULL;
        } else {
            dims[count++] = (struct sym_dim){way, affine_const(&an->pool, stride), NULL};
        }
        moved->alts[0].dims = dims;
        moved->alts[0].dim_count = count;
        return moved;
    }
    if (amount == NULL || !ir_type_is_int(inst->var->type) || amount->type != inst->var->type) {
        return NULL;
    }
    // The amount must be the same in each iteration: a constant, or a variable that the loop does not assign.
    const struct affine *by = NULL;
    if (amount->op == IR_OP_CONST) {
        by = affine_const(&an->pool, amount->imm);
    } else if (amount->op == IR_OP_GET && vars[amount->var->index].first == NULL) {
        const struct sym *sym = frame->env.values[amount->var->index];
        by = sym != NULL && sym->alt_count == 1 && sym->alts[0].needs == NULL ? sym->alts[0].value : NULL;
    } else if (amount->op == IR_OP_PARAM && frame->params == NULL) {
        by = access_evaluate(frame, (struct ir_inst *)amount)->alts[0].value;
    }
    const struct affine *way = affine_mul(&an->pool, by, affine_atom(&an->pool, info->count));
    const struct affine *value = is_minus ? affine_sub(&an->pool, before->alts[0].value, way)
                                          : affine_add(&an->pool, before->alts[0].value, way);
    return value == NULL ? NULL : sym_int(an, value, before->alts[0].needs);
}

// Whether the body may write what the bound reads.
static bool may_change_bound(const struct analysis *an, const struct loop_info *info)
{
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *read = &an->accesses.items[i];
        for (int k = info->access_begin; k < info->access_end && read->is_recheck; k++) {
            const struct access *write = &an->accesses.items[k];
            if (write->kind != ACCESS_READ && access_relation(an, read, write) != RELATION_NONE) {
                return true;
            }
        }
    }
    return false;
}

static void walk_for(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    struct loop_info *info = new_loop(frame, inst);
    open_loop(frame, info);
    info->entry = copy_env(frame, &frame->env).values;
    info->guards = frame->env.guards;
    info->access_begin = an->accesses.count;
    struct assigned *vars = find_assigned(frame, inst);
    struct env outer = copy_env(frame, &frame->env);
    frame->loop = info;
    for (int v = 0; v < frame->function->var_count; v++) {
        struct ir_var *var = frame->function->vars[v];
        if (vars[v].first != NULL && var != inst->loop->var) {
            const struct sym *value = induction(frame, info, &vars[v], vars, outer.values[v]);
            frame->env.values[v] =
                value != NULL ? value : sym_unknown(frame, inst, var, var->type, TAINT_OPAQUE | vars[v].taint);
        }
    }
    set_var(frame, inst->loop->var, sym_int(an, affine_atom(&an->pool, info->variable), NULL));
    if (inst->region_count > 1) {
        bool was_recheck = frame->in_recheck;
        frame->in_recheck = true;
        walk_region(frame, &inst->regions[1]);
        frame->in_recheck = was_recheck;
        frame->env.is_dead = false;
    }
    walk_region(frame, &inst->regions[0]);
    info->access_end = an->accesses.count;
    info->bound_may_change = inst->region_count > 1 && may_change_bound(an, info);
    frame->loop = info->parent;
    frame->env = outer;
    vars[inst->loop->var->index].first = inst;
    vars[inst->loop->var->index].taint = 0;
    forget(frame, inst, vars);
}

static void walk_loop(struct frame *frame, struct ir_inst *inst)
{
    struct assigned *vars = find_assigned(frame, inst);
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    forget(frame, inst, vars);
    frame->leaves = &leave;
    walk_region(frame, &inst->regions[0]);
    frame->leaves = leave.outer;
    frame->env = leave.env;
    if (frame->env.values == NULL) { // nothing leaves it
        frame->env =
            (struct env){ARENA_ARRAY(frame->an->arena, const struct sym *, frame->function->var_count + 1), NULL, true};
    }
    frame->env.guards = NULL;
}

// ---- branches ------------------------------------------------------------------------------------------------------

static unsigned condition_taint(struct frame *frame, const struct ir_inst *condition)
{
    const struct sym *sym = sym_of(frame, condition);
    unsigned taint = sym->taint;
    for (int i = 0; i < sym->alt_count; i++) {
        taint |= value_taint(frame->an, sym->alts[i].value);
    }
    return taint & TAINT_DATA;
}

static void walk_if(struct frame *frame, struct ir_inst *inst)
{
    struct env other = copy_env(frame, &frame->env);
    const struct guard *before = frame->env.guards;
    unsigned taint = condition_taint(frame, inst->args[0]);
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
    join_env(frame, &first, &frame->env, taint);
    frame->env = first;
}

static void walk_block(struct frame *frame, struct ir_inst *inst)
{
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    frame->leaves = &leave;
    walk_region(frame, &inst->regions[0]);
    frame->leaves = leave.outer;
    if (leave.env.values != NULL) {
        join_env(frame, &leave.env, &frame->env, TAINT_DATA);
        frame->env = leave.env;
    }
}

static void walk_switch(struct frame *frame, struct ir_inst *inst)
{
    struct leave leave = {.inst = inst, .env = {.is_dead = true}, .outer = frame->leaves};
    unsigned taint = condition_taint(frame, inst->args[0]);
    struct env entry = copy_env(frame, &frame->env);
    frame->leaves = &leave;
    frame->env.is_dead = true;
    for (int i = 0; i < inst->region_count; i++) {
        struct env start = copy_env(frame, &entry);
        join_env(frame, &start, &frame->env, taint); // falls through from the one before
        frame->env = start;
        walk_region(frame, &inst->regions[i]);
    }
    frame->leaves = leave.outer;
    join_env(frame, &leave.env, &frame->env, taint);
    join_env(frame, &leave.env, &entry, taint); // no case may fit
    frame->env = leave.env;
}

static void walk_cfg(struct frame *frame, struct ir_inst *inst)
{
    struct assigned *vars = find_assigned(frame, inst);
    forget(frame, inst, vars);
    struct env entry = copy_env(frame, &frame->env);
    entry.guards = NULL;
    for (int i = 0; i < inst->region_count; i++) {
        frame->env = copy_env(frame, &entry);
        walk_region(frame, &inst->regions[i]);
    }
    frame->env = entry;
    forget(frame, inst, vars);
}

static void walk_break(struct frame *frame, struct ir_inst *inst)
{
    for (struct leave *leave = frame->leaves; leave != NULL; leave = leave->outer) {
        if (leave->inst == inst->target) {
            join_env(frame, &leave->env, &frame->env, TAINT_DATA);
            break;
        }
    }
    frame->env.is_dead = true;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static void walk_call(struct frame *frame, struct ir_inst *inst)
{
    struct analysis *an = frame->an;
    struct ir_function *callee = inst->function;
    struct frame inner = {.an = an,
                          .function = callee,
                          .caller = frame,
                          .loop = frame->loop,
                          .site = frame->site != NULL ? frame->site : inst,
                          .in_recheck = frame->in_recheck,
                          .depth = frame->depth + 1};
    struct env returns = {.is_dead = true};
    inner.values = ARENA_ARRAY(an->arena, const struct sym *, callee->value_count + 1);
    inner.params = ARENA_ARRAY(an->arena, const struct sym *, inst->arg_count + 1);
    inner.env.values = ARENA_ARRAY(an->arena, const struct sym *, callee->var_count + 1);
    inner.env.guards = frame->env.guards;
    inner.returns = &returns;
    for (int i = 0; i < inst->arg_count; i++) {
        inner.params[i] = sym_of(frame, inst->args[i]);
    }
    if (inner.depth < MAX_CALL_DEPTH && an->call_budget-- > 0) {
        walk_region(&inner, &callee->body);
    } else {
        access_note_everything(frame, inst);
    }
    if (inst->type != IR_VOID && inst->id >= 0) {
        frame->values[inst->id] =
            inner.result != NULL ? inner.result : sym_unknown(frame, inst, NULL, inst->type, TAINT_OPAQUE | TAINT_DATA);
    }
}

static void walk_return(struct frame *frame, struct ir_inst *inst)
{
    if (frame->caller != NULL && inst->arg_count > 0) {
        const struct sym *value = sym_of(frame, inst->args[0]);
        frame->result = frame->result == NULL
                            ? value
                            : sym_join(frame, frame->result, value, frame->function->return_type, TAINT_DATA);
    }
    frame->env.is_dead = true;
}

// ---- the walk ------------------------------------------------------------------------------------------------------

static void flag_loops(struct frame *frame, enum ir_op op)
{
    for (struct loop_info *loop = frame->loop; loop != NULL; loop = loop->parent) {
        loop->may_fail |= op == IR_OP_FAIL;
        loop->may_print |= op == IR_OP_PRINT;
        loop->holds_blocks |= op == IR_OP_BLOCKS;
    }
}

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
    case IR_OP_BLOCKS:
        flag_loops(frame, inst->op);
        if (frame->caller == NULL) {
            struct blocks_entry entry = {inst, frame->an->atoms.count, copy_env(frame, &frame->env).values};
            VEC_PUSH(frame->an->arena, &frame->an->blocks, entry);
        }
        for (int i = 0; i < inst->region_count; i++) {
            walk_region(frame, &inst->regions[i]);
        }
        return;
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
    const struct sym *before = frame->env.values[inst->var->index];
    const struct sym *operand = sym_of(frame, inst->args[0]);
    bool is_sum = inst->update == IR_UPDATE_ADD || inst->update == IR_UPDATE_SUB;
    if (is_sum && ir_type_is_int(inst->var->type) && before != NULL && before->alt_count == 1 &&
        operand->alt_count == 1 && before->alts[0].needs == NULL && operand->alts[0].needs == NULL) {
        const struct affine *value = inst->update == IR_UPDATE_ADD
                                         ? affine_add(&an->pool, before->alts[0].value, operand->alts[0].value)
                                         : affine_sub(&an->pool, before->alts[0].value, operand->alts[0].value);
        if (value != NULL) {
            set_var(frame, inst->var, sym_int(an, value, NULL));
            return;
        }
    }
    unsigned taint = operand->taint | (before != NULL ? before->taint : 0);
    for (int i = 0; i < operand->alt_count; i++) {
        taint |= value_taint(an, operand->alts[i].value) & TAINT_DATA;
    }
    set_var(frame, inst->var, sym_unknown(frame, inst, inst->var, inst->var->type, TAINT_OPAQUE | taint));
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
    if (ir_op_has_regions(inst->op) || ir_is_terminator(inst->op)) {
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

static void add_global_fact(struct analysis *an, const struct affine *value, bool is_equal)
{
    struct fact *fact = ARENA_NEW(an->arena, struct fact);
    *fact = (struct fact){value, is_equal, NULL, an->facts};
    an->facts = fact;
}

static void assume_nonnegative(struct analysis *an, const struct affine *value)
{
    int id;
    if (value == NULL || affine_is_const(value, NULL) || value_range(an, value).lo >= 0) {
        return;
    }
    if (!affine_is_atom(value, &id)) {
        add_global_fact(an, value, false);
        return;
    }
    struct atom *atom = atom_of(an, id);
    atom->range.lo = 0;
    if (atom->kind != ATOM_OP || atom->op != IR_OP_SEXT) {
        return;
    }
    // n + 1 as an extent: had it wrapped it would be negative, so that it has not.
    struct affine_range type = affine_type_range(atom->type, true), from = value_range(an, atom->a);
    if (from.lo >= type.lo && from.hi <= 2 * type.hi) {
        atom_add_fact(an, id, affine_sub(&an->pool, value, atom->a), true, NULL);
        add_global_fact(an, atom->a, false);
        add_global_fact(an, affine_plus(&an->pool, affine_scale(&an->pool, atom->a, -1), (int64_t)type.hi), false);
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
            const struct affine *extent = sym_exact_or_wrapped(frame, sym_of(frame, param->extents[d]), IR_I64, true);
            assume_nonnegative(an, extent);
        }
    }
}

void access_walk(struct analysis *an)
{
    struct frame frame = {.an = an, .function = an->kernel};
    frame.values = ARENA_ARRAY(an->arena, const struct sym *, an->kernel->value_count + 1);
    frame.env.values = ARENA_ARRAY(an->arena, const struct sym *, an->kernel->var_count + 1);
    assume_extents(&frame);
    walk_region(&frame, &an->kernel->body);
}

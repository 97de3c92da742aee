#include "passes/offload.h"

#include "base/vec.h"
#include "passes/demote.h"
#include "passes/walk.h"
#include "plan/abi.h"

#include <string.h>

struct mark *offload_mark(struct offload *o, struct ir_inst *inst)
{
    if (inst->note == NULL) {
        struct mark *mark = ARENA_NEW(o->arena, struct mark);
        mark->node_id = -1;
        mark->loop_index = -1;
        inst->note = mark;
    }
    return inst->note;
}

void offload_add_expr(struct offload *o, struct plan_expr **place)
{
    VEC_PUSH(o->arena, &o->exprs, place);
}

// ---- which loops become tasks
// ----------------------------------------------------------------------------------------

static bool is_independent(const struct ir_for *loop)
{
    return loop->verdict == IR_VERDICT_PROVEN || loop->verdict == IR_VERDICT_IF || loop->verdict == IR_VERDICT_ASSUMED;
}

static bool is_not_blocks(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_BLOCKS;
}

// False when |inst| is a loop that is independent without updates: the walk stops.
static bool is_not_better(struct ir_inst *inst, void *user)
{
    if (inst == user || inst->op != IR_OP_FOR || !is_independent(inst->loop)) {
        return true;
    }
    const struct loop_facts *facts = inst->loop->analysis;
    return facts == NULL || facts->independent_by_updates;
}

enum { TRIPS_TOO_FEW = 16 }; // a task of so few iterations leaves most of a device idle

// Whether the source itself says that the loop has few iterations.
static bool has_few_iterations(const struct ir_inst *loop)
{
    const struct ir_inst *first = loop->args[0];
    const struct ir_inst *bound = loop->args[1];
    if (first->op != IR_OP_CONST || bound->op != IR_OP_CONST) {
        return false;
    }
    bool is_unsigned = loop->loop->compare >= IR_OP_ULT && loop->loop->compare <= IR_OP_UGE;
    return ir_trip_count(loop->loop->compare, loop->loop->var->type, is_unsigned, first->imm, bound->imm,
                         loop->loop->step) <= TRIPS_TOO_FEW;
}

bool facts_choose(const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    if (!is_independent(loop->loop) || facts == NULL || loop->loop->pragma_single) {
        return false;
    }
    struct ir_inst *whole = (struct ir_inst *)loop; // walked, not changed
    if (!walk_inst(whole, is_not_blocks, NULL)) {
        return false;
    }
    bool has_better =
        (facts->independent_by_updates || has_few_iterations(loop)) && !walk_inst(whole, is_not_better, whole);
    return loop->loop->pragma_parallel || !has_better;
}

static bool mark_region(struct offload *o, struct ir_region *region, bool may_choose);

static bool mark_inst(struct offload *o, struct ir_inst *inst, bool may_choose)
{
    struct mark *mark = offload_mark(o, inst);
    switch (inst->op) {
    case IR_OP_FOR:
        if (inst->loop->pragma_parallel && !walk_inst(inst, is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc, "a loop under '#pragma rill parallel' cannot hold a stream_parallel block");
        }
        mark->is_chosen = may_choose && facts_choose(inst);
        mark->has_task = mark->is_chosen || mark_region(o, &inst->regions[0], may_choose && !inst->loop->pragma_single);
        break;
    case IR_OP_IF:
    case IR_OP_BLOCK:
    case IR_OP_LOOP:
        for (int i = 0; i < inst->region_count; i++) {
            mark->has_task |= mark_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_BLOCKS:
        mark->has_task = true;
        for (int i = 0; i < inst->region_count; i++) {
            mark_region(o, &inst->regions[i], may_choose);
        }
        break;
    case IR_OP_SWITCH:
    case IR_OP_CFG:
        if (!walk_inst(inst, is_not_blocks, NULL)) {
            diag_error(o->diags, inst->loc,
                       "a stream_parallel block cannot stand under a switch or between gotos: "
                       "use if and loops around it");
        }
        break;
    default: break;
    }
    return mark->has_task;
}

static bool mark_region(struct offload *o, struct ir_region *region, bool may_choose)
{
    bool has_task = false;
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->region_count > 0) {
            has_task |= mark_inst(o, inst, may_choose);
        }
    }
    return has_task;
}

static bool has_no_escape(struct ir_inst *inst, void *user)
{
    struct ir_inst *outer = user;
    return !(inst->op == IR_OP_RETURN || (inst->op == IR_OP_BREAK && !walk_is_inside(inst->target, outer)));
}

// ---- nodes, tasks, pieces
// ----------------------------------------------------------------------------------------------

static struct plan_node *add_node(struct offload *o, struct plan_node *parent, enum plan_node_kind kind, struct loc loc)
{
    struct plan_node *node = ARENA_NEW(o->arena, struct plan_node);
    node->kind = kind;
    node->id = o->out->node_count++;
    node->loc = loc;
    node->whole_task = -1;
    node->task = -1;
    node->target = -1;
    if (parent != NULL) {
        node->group = parent->group;
        if (parent->child_count == parent->child_capacity) {
            parent->child_capacity = parent->child_capacity == 0 ? 4 : 2 * parent->child_capacity;
            struct plan_node **larger = ARENA_ARRAY(o->arena, struct plan_node *, parent->child_capacity);
            if (parent->child_count > 0) {
                memcpy(larger, parent->children, sizeof *larger * (size_t)parent->child_count);
            }
            parent->children = larger;
        }
        parent->children[parent->child_count++] = node;
    }
    return node;
}

static struct plan_task *add_task(struct offload *o, enum plan_task_kind kind, struct loc loc, int group,
                                  int *out_index)
{
    *out_index = o->tasks.count;
    char *name = arena_printf(o->arena, "%s.%d", o->kernel->name, o->tasks.count);
    struct plan_task task = {.name = name, .kind = kind, .loc = loc, .group = group, .loop = -1, .entry = name};
    VEC_PUSH(o->arena, &o->tasks, task);
    return &VEC_LAST(&o->tasks);
}

struct code_flags {
    bool may_fail;
    bool may_print;
    bool check_bounds;
};

static bool look_at_code(struct ir_inst *inst, void *user)
{
    struct code_flags *flags = user;
    flags->may_fail |= inst->op == IR_OP_FAIL || (inst->op == IR_OP_INDEX && flags->check_bounds) ||
                       (inst->op == IR_OP_CALL && inst->function->may_fail);
    flags->may_print |= inst->op == IR_OP_PRINT || inst->op == IR_OP_CALL;
    return true;
}

struct escape_search {
    struct offload *o;
    struct piece *piece;
    struct {
        struct ir_inst **items;
        int count;
        int capacity;
    } targets;
};

static bool is_in_range(const struct piece *piece, const struct ir_inst *inst)
{
    const struct ir_inst *part = piece->first;
    for (int i = 0; i < piece->count; i++, part = part->next) {
        if (walk_is_inside(inst, part)) {
            return true;
        }
    }
    return false;
}

static bool find_escape(struct ir_inst *inst, void *user)
{
    struct escape_search *search = user;
    bool is_escape = inst->op == IR_OP_RETURN ||
                     ((inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP) && !is_in_range(search->piece, inst->target));
    if (!is_escape) {
        return true;
    }
    struct ir_inst *target = inst->op == IR_OP_RETURN ? NULL : inst->target;
    for (int i = 0; i < search->targets.count; i++) {
        if (search->targets.items[i] == target) {
            return true;
        }
    }
    VEC_PUSH(search->o->arena, &search->targets, target);
    return true;
}

// |is_all|: nothing comes after the piece, so that nobody asks by which way it was left.
static void add_serial_task(struct offload *o, struct plan_node *parent, struct ir_inst *first, int count, bool is_all)
{
    struct piece piece = {.kind = PIECE_SERIAL, .first = first, .count = count, .group = parent->group};
    struct plan_task *task = add_task(o, PLAN_TASK_SERIAL, first->loc, parent->group, &piece.task);
    struct code_flags flags = {.check_bounds = o->module->check_bounds};
    struct escape_search search = {.o = o, .piece = &piece};
    struct ir_inst *inst = first;
    for (int i = 0; i < count; i++, inst = inst->next) {
        walk_inst(inst, look_at_code, &flags);
        walk_inst(inst, find_escape, &search);
    }
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    effects_of_code(o->module, o->kernel, first, count, &task->effects, &task->effect_count);
    struct plan_node *node = add_node(o, parent, PLAN_TASK, first->loc);
    node->task = piece.task;
    if (search.targets.count > 0 && !is_all) {
        piece.escape = ir_var_create(o->module, o->kernel, arena_printf(o->arena, ".escape%d", piece.task), IR_I32);
        piece.escapes = search.targets.items;
        piece.escape_count = search.targets.count;
    }
    VEC_PUSH(o->arena, &o->pieces, piece);
    for (int i = 0; i < piece.escape_count; i++) {
        struct plan_expr *way = ARENA_NEW(o->arena, struct plan_expr);
        *way = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = IR_I32, .index = piece.escape->index};
        struct plan_node *choice = add_node(o, parent, PLAN_IF, first->loc);
        choice->expr = plan_op(o->arena, IR_OP_EQ, IR_I1, IR_I32, way, plan_const(o->arena, IR_I32, i + 1));
        offload_add_expr(o, &choice->expr);
        struct plan_node *then = add_node(o, choice, PLAN_SEQUENCE, first->loc);
        if (piece.escapes[i] == NULL) {
            add_node(o, then, PLAN_RETURN, first->loc);
        } else {
            add_node(o, then, PLAN_BREAK, first->loc)->target = offload_mark(o, piece.escapes[i])->node_id;
        }
    }
}

// ---- straight code between control
// -------------------------------------------------------------------------------------

struct pending {
    struct ir_inst *first;
    int count;
};

static bool simple_update(enum ir_update update, bool is_float, enum ir_op *out_op)
{
    switch (update) {
    case IR_UPDATE_ADD: *out_op = is_float ? IR_OP_FADD : IR_OP_ADD; return true;
    case IR_UPDATE_SUB: *out_op = is_float ? IR_OP_FSUB : IR_OP_SUB; return true;
    case IR_UPDATE_MUL: *out_op = is_float ? IR_OP_FMUL : IR_OP_MUL; return true;
    case IR_UPDATE_AND: *out_op = IR_OP_AND; return !is_float;
    case IR_UPDATE_OR: *out_op = IR_OP_OR; return !is_float;
    case IR_UPDATE_XOR: *out_op = IR_OP_XOR; return !is_float;
    default: return false;
    }
}

// Whether |value| reads |var| by a `get` that stands before |where|, both in one segment.
static bool reads_before(const struct ir_inst *value, const struct ir_var *var, const struct ir_inst *where)
{
    if (value->op == IR_OP_GET && value->var == var && value->parent == where->parent) {
        for (const struct ir_inst *inst = where; inst != NULL; inst = inst->prev) {
            if (inst == value) {
                return true;
            }
        }
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (reads_before(value->args[i], var, where)) {
            return true;
        }
    }
    return false;
}

// An expression is evaluated where it is used: a variable that it read must not have been assigned since.
static bool is_fresh(const struct pending *pending, const struct ir_inst *value, const struct ir_inst *used_by)
{
    const struct ir_inst *inst = pending->first;
    for (int i = 0; i < pending->count && inst != used_by; i++, inst = inst->next) {
        if ((inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE) && reads_before(value, inst->var, inst)) {
            return false;
        }
    }
    return true;
}

// The new value of the variable that |inst| assigns, as an expression; NULL if it is none.
static struct plan_expr *assigned_value(struct offload *o, const struct pending *pending, const struct ir_inst *inst)
{
    struct plan_expr *value = expr_of_value(o->arena, inst->args[0]);
    if (value == NULL || !is_fresh(pending, inst->args[0], inst) || inst->var->is_memory) {
        return NULL;
    }
    if (inst->op == IR_OP_SET) {
        return value;
    }
    enum ir_op op;
    enum ir_type type = inst->var->type;
    if (!simple_update(inst->update, ir_type_is_float(type), &op)) {
        return NULL;
    }
    struct plan_expr *old = ARENA_NEW(o->arena, struct plan_expr);
    *old = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = type, .index = inst->var->index};
    return plan_op(o->arena, op, type, type, old, value);
}

enum { MAX_CONTROL_CODE = 256 };

// Scalar arithmetic over arguments and other scalars is no task: the launch does it. False if there is more to it.
static bool flush_as_assignments(struct offload *o, struct plan_node *parent, const struct pending *pending)
{
    if (pending->count > MAX_CONTROL_CODE) {
        return false;
    }
    struct plan_expr *values[MAX_CONTROL_CODE];
    struct ir_inst *inst = pending->first;
    for (int i = 0; i < pending->count; i++, inst = inst->next) {
        bool assigns = inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE;
        if (!assigns && inst->op != IR_OP_GET && !ir_op_is_pure(inst->op)) {
            return false;
        }
        values[i] = assigns ? assigned_value(o, pending, inst) : NULL;
        if (assigns && values[i] == NULL) {
            return false;
        }
    }
    inst = pending->first;
    for (int i = 0; i < pending->count; i++, inst = inst->next) {
        if (values[i] != NULL) {
            struct plan_node *node = add_node(o, parent, PLAN_ASSIGN, inst->loc);
            node->slot = inst->var->index;
            node->type = inst->var->type;
            node->expr = values[i];
            offload_add_expr(o, &node->expr);
        }
    }
    return true;
}

static void flush(struct offload *o, struct plan_node *parent, struct pending *pending)
{
    if (pending->count > 0 && !flush_as_assignments(o, parent, pending)) {
        add_serial_task(o, parent, pending->first, pending->count, false);
    }
    *pending = (struct pending){0};
}

// The last thing that pending code does is to store the value.
static void spill(struct offload *o, struct pending *pending, struct ir_inst *value, struct ir_var *var,
                  struct ir_inst *control)
{
    struct ir_builder b = {
        .module = o->module, .function = o->kernel, .region = control->parent, .before = control, .loc = value->loc};
    struct ir_inst *set = ir_set(&b, var, value);
    pending->first = pending->count == 0 ? set : pending->first;
    pending->count++;
}

// The value that control needs, after everything pending has run.
static struct plan_expr *control_value(struct offload *o, struct plan_node *parent, struct pending *pending,
                                       struct ir_inst *value, struct ir_inst *control)
{
    struct plan_expr *expr = expr_of_value(o->arena, value);
    if (expr == NULL || !is_fresh(pending, value, NULL)) {
        char *name = arena_printf(o->arena, ".c%d", value->id);
        struct ir_var *var = ir_var_create(o->module, o->kernel, name, value->type);
        spill(o, pending, value, var, control);
        expr = ARENA_NEW(o->arena, struct plan_expr);
        *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = value->type, .index = var->index};
    }
    flush(o, parent, pending);
    return expr;
}

// ---- control
// -----------------------------------------------------------------------------------------------------------

static void build_region(struct offload *o, struct ir_region *region, struct plan_node *parent);

static struct plan_expr *trip_of(struct offload *o, const struct ir_inst *loop)
{
    struct plan_expr *expr = ARENA_NEW(o->arena, struct plan_expr);
    bool is_unsigned = loop->loop->compare >= IR_OP_ULT && loop->loop->compare <= IR_OP_UGE;
    *expr = (struct plan_expr){.kind = PLAN_EXPR_TRIP,
                               .type = IR_I64,
                               .op = loop->loop->compare,
                               .arg_type = loop->loop->var->type,
                               .index = is_unsigned || loop->loop->var->is_unsigned,
                               .imm = loop->loop->step,
                               .arg_count = 2};
    expr->args[0] = expr_of_value(o->arena, loop->args[0]);
    expr->args[1] = expr_of_value(o->arena, loop->args[1]);
    return expr;
}

struct outside_search {
    const struct ir_inst *loop;
    const struct ir_var *var;
};

// Whether the variable is read outside the loop, other than inside another loop over it.
static bool is_not_read_outside(struct ir_inst *inst, void *user)
{
    const struct outside_search *search = user;
    if (inst->op != IR_OP_GET || inst->var != search->var || walk_is_inside(inst, search->loop)) {
        return true;
    }
    for (const struct ir_inst *owner = inst->parent->owner; owner != NULL; owner = owner->parent->owner) {
        if (owner->op == IR_OP_FOR && owner->loop->var == search->var) {
            return true;
        }
    }
    return false;
}

// C's value of the loop variable afterwards, where somebody reads it.
static void build_final_value(struct offload *o, const struct ir_inst *loop, struct plan_node *parent)
{
    struct outside_search search = {.loop = loop, .var = loop->loop->var};
    if (walk_region(&o->kernel->body, is_not_read_outside, &search)) {
        return;
    }
    enum ir_type type = loop->loop->var->type;
    struct plan_expr *trip = trip_of(o, loop);
    if (type != IR_I64) {
        trip = plan_op(o->arena, IR_OP_TRUNC, type, IR_I64, trip, NULL);
    }
    struct plan_expr *distance =
        plan_op(o->arena, IR_OP_MUL, type, type, trip, plan_const(o->arena, type, loop->loop->step));
    struct plan_node *node = add_node(o, parent, PLAN_ASSIGN, loop->loc);
    node->slot = loop->loop->var->index;
    node->type = type;
    node->expr = plan_op(o->arena, IR_OP_ADD, type, type, expr_of_value(o->arena, loop->args[0]), distance);
    offload_add_expr(o, &node->expr);
}

static struct plan_effect *copy_effects(struct offload *o, const struct plan_effect *effects, int count)
{
    struct plan_effect *copy = ARENA_ARRAY(o->arena, struct plan_effect, count);
    for (int i = 0; i < count; i++) {
        copy[i] = effects[i];
    }
    return copy;
}

static void add_effect_exprs(struct offload *o, struct plan_effect *effects, int count)
{
    for (int i = 0; i < count; i++) {
        offload_add_expr(o, &effects[i].region.low);
        offload_add_expr(o, &effects[i].region.high);
        offload_add_expr(o, &effects[i].region.step);
    }
}

static bool is_same_place(struct loc a, struct loc b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

// A reduction's memory is updated once, by the end of the task: atomic only if another block may touch it meanwhile.
static void describe_reductions(const struct loop_facts *facts, struct plan_task *task)
{
    for (int i = 0; i < facts->reduction_count; i++) {
        for (int k = 0; k < task->effect_count; k++) {
            struct plan_effect *effect = &task->effects[k];
            if (effect->access == PLAN_UPDATE && is_same_place(effect->loc, facts->reductions[i].updates[0]->loc)) {
                effect->is_atomic &= task->group != 0;
                effect->why = "a reduction: one update at the end";
            }
        }
    }
}

static void build_parallel(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct loop_facts *facts = loop->loop->analysis;
    struct piece piece = {.kind = PIECE_PARALLEL, .first = loop, .count = 1, .group = parent->group};
    struct plan_task *task = add_task(o, PLAN_TASK_PARALLEL, loop->loc, parent->group, &piece.task);
    task->trip = trip_of(o, loop);
    task->cost = facts->cost;
    task->effects = copy_effects(o, facts->effects, facts->effect_count);
    task->effect_count = facts->effect_count;
    describe_reductions(facts, task);
    task->pairs = facts->pairs;
    task->pair_count = facts->pair_count;
    task->conditions = ARENA_ARRAY(o->arena, struct plan_condition, facts->condition_count);
    for (int i = 0; i < facts->condition_count; i++) {
        task->conditions[i] = facts->conditions[i];
    }
    task->condition_count = facts->condition_count;
    task->loop = offload_mark(o, loop)->loop_index;
    struct code_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, look_at_code, &flags);
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    o->loops.items[task->loop].task = piece.task;
    VEC_PUSH(o->arena, &o->pieces, piece);
    add_node(o, parent, PLAN_TASK, loop->loc)->task = piece.task;
    build_final_value(o, loop, parent);
}

static void build_assign(struct offload *o, struct plan_node *parent, const struct ir_var *var, struct plan_expr *value,
                         struct loc loc)
{
    struct plan_node *node = add_node(o, parent, PLAN_ASSIGN, loc);
    node->slot = var->index;
    node->type = var->type;
    node->expr = value;
    offload_add_expr(o, &node->expr);
}

static struct plan_expr *var_expr(struct offload *o, const struct ir_var *var)
{
    struct plan_expr *expr = ARENA_NEW(o->arena, struct plan_expr);
    *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = var->type, .index = var->index};
    return expr;
}

// A loop whose bound is read from memory each time round.
static void build_rechecked(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    const struct ir_var *var = loop->loop->var;
    build_assign(o, parent, var, expr_of_value(o->arena, loop->args[0]), loop->loc);
    struct plan_node *node = add_node(o, parent, PLAN_LOOP, loop->loc);
    offload_mark(o, loop)->node_id = node->id;
    struct plan_node *round = add_node(o, node, PLAN_SEQUENCE, loop->loc);
    // The yielded condition becomes an ordinary variable.
    struct ir_region *check = &loop->regions[1];
    struct ir_inst *yield = check->last;
    struct ir_var *goes_on = ir_var_create(o->module, o->kernel, arena_printf(o->arena, ".on%d", node->id), IR_I1);
    struct ir_builder b = {
        .module = o->module, .function = o->kernel, .region = check, .before = yield, .loc = loop->loc};
    ir_set(&b, goes_on, yield->args[0]);
    build_region(o, check, round);
    struct plan_node *choice = add_node(o, round, PLAN_IF, loop->loc);
    choice->expr = plan_op(o->arena, IR_OP_EQ, IR_I1, IR_I1, var_expr(o, goes_on), plan_const(o->arena, IR_I1, 0));
    offload_add_expr(o, &choice->expr);
    add_node(o, add_node(o, choice, PLAN_SEQUENCE, loop->loc), PLAN_BREAK, loop->loc)->target = node->id;
    build_region(o, &loop->regions[0], round);
    struct plan_expr *next = plan_op(o->arena, IR_OP_ADD, var->type, var->type, var_expr(o, var),
                                     plan_const(o->arena, var->type, loop->loop->step));
    build_assign(o, round, var, next, loop->loc);
}

static bool expr_names(const struct plan_expr *expr, const struct ir_var *var)
{
    if (expr->kind == PLAN_EXPR_VAR && expr->index == var->index) {
        return true;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (expr_names(expr->args[i], var)) {
            return true;
        }
    }
    return false;
}

static bool does_not_assign(struct ir_inst *inst, void *user)
{
    const struct plan_expr *expr = user;
    bool assigns = inst->op == IR_OP_SET || inst->op == IR_OP_VUPDATE;
    return !(assigns && expr_names(expr, inst->var)) && !(inst->op == IR_OP_FOR && expr_names(expr, inst->loop->var));
}

struct set_search {
    const struct ir_var *var;
    const struct ir_inst *set;
};

static bool is_not_set_of(struct ir_inst *inst, void *user)
{
    struct set_search *search = user;
    if (inst->op != IR_OP_SET || inst->var != search->var) {
        return true;
    }
    search->set = inst;
    return false;
}

// The expression with what the demote pass copied (".v…", assigned once) in place of the copies.
static struct plan_expr *without_copies(struct offload *o, struct plan_expr *expr)
{
    if (expr == NULL) {
        return NULL;
    }
    if (expr->kind == PLAN_EXPR_VAR) {
        struct set_search search = {.var = o->kernel->vars[expr->index]};
        bool is_copy = strncmp(search.var->name, ".v", 2) == 0;
        if (is_copy && !walk_region(&o->kernel->body, is_not_set_of, &search)) {
            struct plan_expr *source = expr_of_value(o->arena, search.set->args[0]);
            return source != NULL ? source : expr;
        }
        return expr;
    }
    struct plan_expr *copy = ARENA_NEW(o->arena, struct plan_expr);
    *copy = *expr;
    for (int i = 0; i < expr->arg_count; i++) {
        copy->args[i] = without_copies(o, expr->args[i]);
    }
    return copy;
}

// Operations of one run of the task, as far as they are known where |loop| begins; NULL: they are not.
static struct plan_expr *work_of(struct offload *o, const struct plan_task *task, struct ir_inst *loop)
{
    struct plan_expr *work = plan_op(o->arena, IR_OP_MUL, IR_I64, IR_I64, task->trip, task->cost);
    work = without_copies(o, work);
    return work != NULL && walk_inst(loop, does_not_assign, work) ? work : NULL;
}

enum { WORK_TOO_SMALL = 50 * 1000 }; // operations that one core does while others are still being woken

// A loop in order whose tasks are all too small to be shared runs whole: the launch decides by their trip counts.
static void add_whole(struct offload *o, struct ir_inst *loop, struct plan_node *node, int first_task)
{
    if (!walk_inst(loop, is_not_blocks, NULL) || !walk_inst(loop, has_no_escape, loop)) {
        return;
    }
    struct plan_expr *small = plan_const(o->arena, IR_I1, 1);
    for (int i = first_task; i < o->tasks.count && small != NULL; i++) {
        const struct plan_task *task = &o->tasks.items[i];
        if (task->kind == PLAN_TASK_PARALLEL) {
            struct plan_expr *limit = plan_const(o->arena, IR_I64, WORK_TOO_SMALL);
            struct plan_expr *is_small = plan_op(o->arena, IR_OP_SLT, IR_I1, IR_I64, work_of(o, task, loop), limit);
            small = plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, small, is_small);
        }
    }
    if (small == NULL) {
        return;
    }
    struct piece piece = {.kind = PIECE_SERIAL, .first = loop, .count = 1, .group = node->group};
    struct plan_task *task = add_task(o, PLAN_TASK_SERIAL, loop->loc, node->group, &piece.task);
    struct code_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(loop, look_at_code, &flags);
    task->may_fail = flags.may_fail;
    task->may_print = flags.may_print;
    effects_of_code(o->module, o->kernel, loop, 1, &task->effects, &task->effect_count);
    VEC_PUSH(o->arena, &o->pieces, piece);
    node->whole_task = piece.task;
    node->whole_if = small;
    offload_add_expr(o, &node->whole_if);
}

static void build_body(struct offload *o, struct ir_inst *loop, struct plan_node *node)
{
    int first_task = o->tasks.count;
    o->loop_depth++;
    build_region(o, &loop->regions[0], add_node(o, node, PLAN_SEQUENCE, loop->loc));
    o->loop_depth--;
    if (o->loop_depth == 0) {
        add_whole(o, loop, node, first_task);
    }
}

static void build_for(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    if (loop->loop->recheck) {
        build_rechecked(o, loop, parent);
        return;
    }
    struct plan_node *node = add_node(o, parent, PLAN_FOR, loop->loc);
    offload_mark(o, loop)->node_id = node->id;
    node->slot = loop->loop->var->index;
    node->type = loop->loop->var->type;
    node->step = loop->loop->step;
    node->expr = expr_of_value(o->arena, loop->args[0]);
    node->trip = trip_of(o, loop);
    offload_add_expr(o, &node->expr);
    offload_add_expr(o, &node->trip);
    build_body(o, loop, node);
}

static void build_blocks(struct offload *o, struct ir_inst *inst, struct plan_node *parent)
{
    struct plan_node *node = add_node(o, parent, PLAN_REGION, inst->loc);
    for (int i = 0; i < inst->region_count; i++) {
        struct plan_node *block = add_node(o, node, PLAN_SEQUENCE, inst->regions[i].loc);
        block->group = ++o->group_count;
        block->in_order = inst->regions[i].in_order;
        build_region(o, &inst->regions[i], block);
    }
    blocks_check(o, inst, node);
}

static void build_control(struct offload *o, struct ir_inst *inst, struct plan_node *parent, struct pending *pending)
{
    switch (inst->op) {
    case IR_OP_IF: {
        struct plan_expr *condition = control_value(o, parent, pending, inst->args[0], inst);
        struct plan_node *node = add_node(o, parent, PLAN_IF, inst->loc);
        node->expr = condition;
        offload_add_expr(o, &node->expr);
        for (int i = 0; i < inst->region_count; i++) {
            build_region(o, &inst->regions[i], add_node(o, node, PLAN_SEQUENCE, inst->loc));
        }
        break;
    }
    case IR_OP_FOR:
        flush(o, parent, pending);
        if (offload_mark(o, inst)->is_chosen) {
            build_parallel(o, inst, parent);
        } else {
            build_for(o, inst, parent);
        }
        break;
    case IR_OP_LOOP:
    case IR_OP_BLOCK: {
        flush(o, parent, pending);
        struct plan_node *node = add_node(o, parent, inst->op == IR_OP_LOOP ? PLAN_LOOP : PLAN_BLOCK, inst->loc);
        offload_mark(o, inst)->node_id = node->id;
        if (inst->op == IR_OP_LOOP) {
            build_body(o, inst, node);
        } else {
            build_region(o, &inst->regions[0], add_node(o, node, PLAN_SEQUENCE, inst->loc));
        }
        break;
    }
    case IR_OP_BLOCKS:
        flush(o, parent, pending);
        build_blocks(o, inst, parent);
        break;
    case IR_OP_BREAK:
        flush(o, parent, pending);
        add_node(o, parent, PLAN_BREAK, inst->loc)->target = offload_mark(o, inst->target)->node_id;
        break;
    default: // RETURN
        flush(o, parent, pending);
        add_node(o, parent, PLAN_RETURN, inst->loc);
    }
}

static bool is_control(struct offload *o, struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_BREAK:
    case IR_OP_RETURN:
    case IR_OP_BLOCKS: return true;
    case IR_OP_FOR:
    case IR_OP_LOOP: return offload_mark(o, inst)->has_task;
    case IR_OP_IF:
    case IR_OP_BLOCK: return offload_mark(o, inst)->has_task || !walk_inst(inst, has_no_escape, inst);
    default: return false;
    }
}

static void build_region(struct offload *o, struct ir_region *region, struct plan_node *parent)
{
    struct pending pending = {0};
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_RETURN && inst->arg_count > 0) {
            struct ir_builder b = {
                .module = o->module, .function = o->kernel, .region = region, .before = inst, .loc = inst->loc};
            struct ir_inst *set = ir_set(&b, o->result, inst->args[0]);
            pending.first = pending.count == 0 ? set : pending.first;
            pending.count++;
        }
        if (inst->op == IR_OP_YIELD) {
            break; // the last of a recheck: its value has been stored
        }
        if (is_control(o, inst)) {
            build_control(o, inst, parent, &pending);
        } else {
            pending.first = pending.count == 0 ? inst : pending.first;
            pending.count++;
        }
    }
    flush(o, parent, &pending);
}

// Nothing in the kernel is parallel: one serial task is all of it, returns and all.
static void build_single(struct offload *o)
{
    int count = 0;
    for (const struct ir_inst *inst = o->kernel->body.first; inst != NULL; inst = inst->next) {
        count++;
    }
    struct pending pending = {.first = o->kernel->body.first, .count = count};
    if (count > 0) {
        add_serial_task(o, o->out->root, pending.first, pending.count, true);
    }
}

// ---- the kernel
// --------------------------------------------------------------------------------------------------------

static const char *role_text(const struct ir_scalar_role *role)
{
    switch (role->role) {
    case IR_ROLE_PRIVATE: return "private";
    case IR_ROLE_LAST_VALUE: return "keeps its last value";
    case IR_ROLE_REDUCTION: return "reduction";
    case IR_ROLE_SELECTION: return "selection";
    default: return "chosen with the selection";
    }
}

static const char *openmp_operator(enum ir_update update)
{
    switch (update) {
    case IR_UPDATE_ADD:
    case IR_UPDATE_SUB: return "+";
    case IR_UPDATE_MUL: return "*";
    case IR_UPDATE_AND: return "&";
    case IR_UPDATE_OR: return "|";
    case IR_UPDATE_XOR: return "^";
    case IR_UPDATE_LAND: return "&&";
    case IR_UPDATE_LOR: return "||";
    default: return ir_update_class(update) == ir_update_class(IR_UPDATE_SMIN) ? "min" : "max";
    }
}

// The roles of the scalars, for people and as OpenMP's clauses.
static void describe_roles(struct offload *o, const struct ir_for *from, struct plan_loop *loop)
{
    struct str notes;
    struct str clauses;
    str_init(&notes, o->arena);
    str_init(&clauses, o->arena);
    for (int i = 0; i < from->role_count; i++) {
        const struct ir_scalar_role *role = &from->roles[i];
        if (role->var->name[0] == '.') {
            continue; // the compiler's own
        }
        str_printf(&notes, "%s'%s' %s", notes.length > 0 ? ", " : "", role->var->name, role_text(role));
        if (role->role == IR_ROLE_REDUCTION) {
            str_printf(&notes, " %s", ir_update_name(role->update));
            str_printf(&clauses, " reduction(%s:%s)", openmp_operator(role->update), role->var->name);
        } else {
            const char *clause = role->role == IR_ROLE_PRIVATE ? "private" : "lastprivate";
            str_printf(&clauses, " %s(%s)", clause, role->var->name);
        }
    }
    loop->notes = notes.length > 0 ? str_text(&notes) : NULL;
    loop->clauses = clauses.length > 0 ? str_text(&clauses) : NULL;
}

// Whether somebody asked for it, or it is too short to matter.
static bool is_meant(const struct offload *o, const struct ir_inst *inst)
{
    if (o->kernel->pragma_single) {
        return true;
    }
    if (inst->op != IR_OP_FOR) {
        return false;
    }
    const struct ir_for *loop = inst->loop;
    int64_t first;
    int64_t bound;
    bool is_short = plan_expr_is_const(expr_of_value(o->arena, inst->args[0]), &first) &&
                    plan_expr_is_const(expr_of_value(o->arena, inst->args[1]), &bound) && bound - first <= 64 &&
                    first - bound <= 64;
    return loop->pragma_serial || loop->pragma_single || is_short;
}

static void warn_of_one_thread(struct offload *o, const struct ir_inst *inst, const struct plan_loop *loop)
{
    if (is_meant(o, inst)) {
        return;
    }
    diag_warning(o->diags, inst->loc, "this loop runs in order, on one thread%s%s", loop->reason != NULL ? ": " : "",
                 loop->reason != NULL ? loop->reason : "");
    if (loop->loc_a.line != 0) {
        diag_note(o->diags, loop->loc_a, "here");
    }
    if (loop->loc_b.line != 0 && loop->loc_b.line != loop->loc_a.line) {
        diag_note(o->diags, loop->loc_b, "and here");
    }
}

static void number_loops(struct offload *o, struct ir_region *region, int depth, bool inside_task)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        bool is_loop = inst->op == IR_OP_FOR || inst->op == IR_OP_LOOP;
        bool is_task = inst->op == IR_OP_FOR && offload_mark(o, inst)->is_chosen;
        if (is_loop) {
            struct plan_loop loop = {.loc = inst->loc, .depth = depth, .task = -1, .inside_task = inside_task};
            loop.verdict = IR_VERDICT_IN_ORDER;
            loop.reason = inst->op == IR_OP_FOR ? inst->loop->reason : inst->text;
            if (inst->op == IR_OP_FOR) {
                loop.verdict = inst->loop->verdict == IR_VERDICT_NONE ? IR_VERDICT_IN_ORDER : inst->loop->verdict;
                loop.loc_a = inst->loop->reason_loc_a;
                loop.loc_b = inst->loop->reason_loc_b;
                describe_roles(o, inst->loop, &loop);
            }
            offload_mark(o, inst)->loop_index = o->loops.count;
            VEC_PUSH(o->arena, &o->loops, loop);
            if (!inside_task && !offload_mark(o, inst)->has_task) {
                warn_of_one_thread(o, inst, &loop);
            }
        }
        bool is_code = inst->region_count > 0 && !offload_mark(o, inst)->has_task;
        for (int i = 0; i < inst->region_count; i++) {
            number_loops(o, &inst->regions[i], depth + is_loop, inside_task || is_task || is_code);
        }
    }
}

static void describe_params(struct offload *o)
{
    const struct ir_function *kernel = o->kernel;
    struct plan_kernel *out = o->out;
    out->param_count = kernel->param_count;
    out->params = ARENA_ARRAY(o->arena, struct plan_param, kernel->param_count);
    for (int i = 0; i < kernel->param_count; i++) {
        const struct ir_param *from = &kernel->params[i];
        struct plan_param *to = &out->params[i];
        *to = (struct plan_param){.name = from->name,
                                  .type = from->type,
                                  .is_array = from->is_array,
                                  .is_struct = from->is_struct,
                                  .is_const = from->is_const,
                                  .is_restrict = from->is_restrict,
                                  .ctype = from->ctype,
                                  .rank = from->rank,
                                  .loc = from->loc};
        to->extents = ARENA_ARRAY(o->arena, struct plan_expr *, from->rank);
        for (int k = 0; k < from->rank; k++) {
            to->extents[k] = expr_of_value(o->arena, from->extents[k]);
        }
        uint64_t size = from->is_struct ? from->ctype->size : (uint64_t)ir_type_size(from->type);
        uint64_t align = from->is_struct ? from->ctype->align : size;
        to->offset = (out->args_size + align - 1) & ~(align - 1);
        out->args_size = to->offset + size;
    }
    if (out->args_size > ABI_MAX_ARGS_SIZE) {
        diag_error(o->diags, kernel->loc, "the arguments of kernel '%s' take %llu bytes; at most %d fit: pass an array",
                   kernel->name, (unsigned long long)out->args_size, ABI_MAX_ARGS_SIZE);
    }
}

void offload_kernel(struct ir_module *module, struct ir_function *kernel, struct plan_module *plan, struct diags *diags)
{
    struct offload offload = {.module = module, .arena = module->arena, .kernel = kernel, .plan = plan, .diags = diags};
    struct offload *o = &offload;
    o->out = ARENA_NEW(o->arena, struct plan_kernel);
    o->out->name = kernel->name;
    o->out->loc = kernel->loc;
    o->out->return_ctype = kernel->return_ctype;
    if (kernel->return_type != IR_VOID) {
        o->result = ir_var_create(module, kernel, ".result", kernel->return_type);
    }
    describe_params(o);
    bool has_task = mark_region(o, &kernel->body, !kernel->pragma_single);
    number_loops(o, &kernel->body, 0, false);
    o->out->root = add_node(o, NULL, PLAN_SEQUENCE, kernel->loc);
    if (has_task) {
        build_region(o, &kernel->body, o->out->root);
    } else {
        build_single(o);
    }
    for (int i = 0; i < o->tasks.count; i++) {
        struct plan_task *task = &o->tasks.items[i];
        add_effect_exprs(o, task->effects, task->effect_count);
        if (task->trip != NULL) {
            offload_add_expr(o, &task->trip);
        }
        offload_add_expr(o, &task->cost);
        for (int k = 0; k < task->condition_count; k++) {
            offload_add_expr(o, &task->conditions[k].expr);
        }
    }
    slots_assign(o);
    outline_pieces(o);
    o->out->tasks = o->tasks.items;
    o->out->task_count = o->tasks.count;
    o->out->loops = o->loops.items;
    o->out->loop_count = o->loops.count;
    struct {
        struct plan_kernel **items;
        int count;
        int capacity;
    } kernels = {plan->kernels, plan->kernel_count, plan->kernel_count};
    VEC_PUSH(o->arena, &kernels, o->out);
    plan->kernels = kernels.items;
    plan->kernel_count = kernels.count;
}

struct plan_module *offload_module(struct ir_module *module)
{
    struct plan_module *plan = ARENA_NEW(module->arena, struct plan_module);
    plan->arena = module->arena;
    plan->files = module->files;
    plan->file_count = module->file_count;
    plan->check_bounds = module->check_bounds;
    plan->fields = ARENA_ARRAY(module->arena, struct plan_field, module->global_count);
    for (int i = 0; i < module->global_count; i++) {
        const struct ir_global *global = module->globals[i];
        if (!global->is_const) {
            plan->fields[plan->field_count++] = (struct plan_field){
                .name = global->name, .size = global->size, .align = global->align, .ctype = global->ctype};
        }
    }
    return plan;
}

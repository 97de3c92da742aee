#include "plan/check.h"

#include "plan/abi.h"

enum { MAX_PIECE_END = 1 << 30 }; // fields and constants of a module

struct check {
    const struct plan_module *module;
    const struct plan_kernel *kernel;
    struct str *out;
    bool ok;
};

static void fail(struct check *check, const char *what, int64_t value)
{
    check->ok = false;
    str_printf(check->out, "%s: %s (%lld)\n", check->kernel != NULL ? check->kernel->name : "module", what,
               (long long)value);
}

int plan_depth(const struct plan_node *node)
{
    int deepest = 0;
    for (int i = 0; node != NULL && i < node->child_count; i++) {
        int depth = plan_depth(node->children[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    return node != NULL ? deepest + 1 : 0;
}

static void check_slot(struct check *check, int64_t offset, enum ir_type type)
{
    int64_t size = ir_type_size(type);
    if (offset < 0 || size == 0 || (uint64_t)offset + (uint64_t)size > check->kernel->block_size) {
        fail(check, "a slot lies outside the launch block", offset);
    }
}

static void check_expr(struct check *check, const struct plan_expr *expr)
{
    if (expr == NULL) {
        return;
    }
    switch (expr->kind) {
    case PLAN_EXPR_PARAM:
    case PLAN_EXPR_EXTENT:
        if (expr->index < 0 || expr->index >= check->kernel->param_count) {
            fail(check, "an expression names a parameter that does not exist", expr->index);
        } else if (expr->kind == PLAN_EXPR_PARAM && (expr->imm < 0 || (uint64_t)expr->imm > check->kernel->args_size ||
                                                     check->kernel->params[expr->index].offset + (uint64_t)expr->imm +
                                                             (uint64_t)ir_type_size(expr->type) >
                                                         check->kernel->args_size)) {
            fail(check, "an expression reads beyond the arguments", expr->index);
        }
        break;
    case PLAN_EXPR_SLOT: check_slot(check, expr->imm, expr->type); break;
    case PLAN_EXPR_VAR:
    case PLAN_EXPR_LOOPVAR: fail(check, "an expression still names a variable of the compiler", expr->index); break;
    case PLAN_EXPR_WIDTH:
    case PLAN_EXPR_CONST: break;
    case PLAN_EXPR_TRIP:
        if (expr->arg_count != 2 || expr->imm == 0 || !trip_compares(expr->op)) {
            fail(check, "a trip count lacks its parts", expr->imm);
        }
        break;
    case PLAN_EXPR_OP:
        if (expr->arg_count < 1 || (expr->op == IR_OP_SELECT && expr->arg_count != 3)) {
            fail(check, "an expression lacks operands", expr->arg_count);
        }
        break;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        check_expr(check, expr->args[i]);
    }
}

static void check_effect(struct check *check, const struct plan_effect *effect)
{
    int limit = effect->base == PLAN_BASE_PARAM   ? check->kernel->param_count
                : effect->base == PLAN_BASE_FIELD ? check->module->field_count
                                                  : 1;
    if ((effect->base == PLAN_BASE_PARAM || effect->base == PLAN_BASE_FIELD) &&
        (effect->index < 0 || effect->index >= limit)) {
        fail(check, "an effect names a base that does not exist", effect->index);
    }
    if ((effect->region.low == NULL) != (effect->region.high == NULL)) {
        fail(check, "an effect has half a region", effect->index);
    }
    check_expr(check, effect->region.low);
    check_expr(check, effect->region.high);
    check_expr(check, effect->region.step);
}

static void check_tiles(struct check *check, const struct plan_task *task)
{
    bool may = task->row_length != NULL && task->collapse >= 2 && task->partial_size == 0 &&
               (task->collapse == 2 || task->row_count != NULL);
    if (task->tile_count < 0 || task->tile_count > PLAN_MAX_TILES || (task->tile_count > 0 && !may)) {
        fail(check, "a task has tiles that it cannot have", task->tile_count);
        return;
    }
    for (int i = 0; i < task->tile_count; i++) {
        const struct plan_tile *tile = &task->tiles[i];
        if (tile->rows < 1 || tile->rows > ABI_TILE_MOST || tile->columns < 1 || tile->columns > ABI_TILE_MOST) {
            fail(check, "a task's tile is out of range", tile->rows);
        }
    }
}

static void check_task(struct check *check, const struct plan_task *task)
{
    if (task->kind == PLAN_TASK_PARALLEL && task->trip == NULL) {
        fail(check, "a parallel task has no trip count", 0);
    }
    bool may_run_in_order = task->condition_count > 0;
    for (int i = 0; i < task->pair_count; i++) {
        may_run_in_order |= !task->pairs[i].is_restrict;
    }
    if ((may_run_in_order || task->order_cost != NULL) && task->in_order == NULL) {
        fail(check, "a task with conditions has no version that runs in order", 0);
    }
    if ((task->partial_size != 0) != (task->finish != NULL) || task->partial_size > ABI_MAX_BLOCK_SIZE) {
        fail(check, "partial records and the finishing entry do not go together", (int64_t)task->partial_size);
    }
    if (task->collapse < 0 || task->collapse > 16 || task->block_dim < 0 || task->block_dim > 1024) {
        fail(check, "a task's collapse or block_dim is out of range", task->collapse);
    }
    if (task->run < 0 || task->run > 16 || (task->is_merged && task->partial_size == 0)) {
        fail(check, "a task's run is out of range", task->run);
    }
    check_tiles(check, task);
    if (task->loop < -1 || task->loop >= check->kernel->loop_count) {
        fail(check, "a task names a loop that does not exist", task->loop);
    }
    if (task->is_few != NULL && (task->kind != PLAN_TASK_SERIAL || task->loop < 0)) {
        fail(check, "a task that takes the place of none runs for want of iterations", task->loop);
    }
    check_expr(check, task->is_few);
    check_expr(check, task->trip);
    check_expr(check, task->cost);
    check_expr(check, task->order_cost);
    check_expr(check, task->team);
    bool has_columns = task->team_columns != 0 && task->team_columns != ABI_GPU_TEAM_COLUMNS;
    if (has_columns || (task->team_columns != 0 && task->team == NULL)) {
        fail(check, "a task's teams have a wrong number of columns", task->team_columns);
    }
    if (task->team != NULL && (task->partial_size != 0 || task->copy_count != 0 || task->collapse > 1)) {
        fail(check, "a task for teams has partial records or copies", (int64_t)task->partial_size);
    }
    check_expr(check, task->row_length);
    check_expr(check, task->row_count);
    if (task->copy_count < 0 || task->copy_count > PLAN_MAX_COPIES) {
        fail(check, "a task has too many private copies", task->copy_count);
    }
    for (int i = 0; i < task->effect_count; i++) {
        check_effect(check, &task->effects[i]);
        if (task->effects[i].copy < 0 || task->effects[i].copy > task->copy_count) {
            fail(check, "an effect names a private copy that does not exist", task->effects[i].copy);
        }
    }
    for (int i = 0; i < task->pair_count; i++) {
        const struct plan_pair *pair = &task->pairs[i];
        if (pair->a < 0 || pair->a >= task->effect_count || pair->b < 0 || pair->b >= task->effect_count) {
            fail(check, "a pair names an effect that does not exist", i);
        }
    }
    for (int i = 0; i < task->condition_count; i++) {
        if (task->conditions[i].expr == NULL) {
            fail(check, "a condition is missing", i);
        }
        check_expr(check, task->conditions[i].expr);
    }
}

static void check_task_index(struct check *check, int task)
{
    if (task < 0 || task >= check->kernel->task_count) {
        fail(check, "a node names a task that does not exist", task);
    }
}

// What a kind of node must have.
static void check_parts(struct check *check, const struct plan_node *node)
{
    bool needs_child =
        node->kind == PLAN_IF || node->kind == PLAN_FOR || node->kind == PLAN_LOOP || node->kind == PLAN_BLOCK;
    if (needs_child && (node->child_count < 1 || node->child_count > (node->kind == PLAN_IF ? 2 : 1))) {
        fail(check, "a node has the wrong number of children", node->child_count);
    }
    bool needs_expr = node->kind == PLAN_IF || node->kind == PLAN_FOR || node->kind == PLAN_ASSIGN;
    if (needs_expr && node->expr == NULL) {
        fail(check, "a node has no expression", node->id);
    }
    if (node->kind == PLAN_FOR && node->trip == NULL) {
        fail(check, "a loop has no trip count", node->id);
    }
    if (node->kind == PLAN_FOR || node->kind == PLAN_ASSIGN) {
        check_slot(check, node->slot, node->type);
    }
    if (node->kind == PLAN_TASK || (node->kind == PLAN_IF && node->task >= 0)) {
        check_task_index(check, node->task);
    }
    if ((node->kind == PLAN_FOR || node->kind == PLAN_LOOP) && node->whole_task >= 0) {
        check_task_index(check, node->whole_task);
    }
}

struct enclosing {
    const struct plan_node *node;
    const struct enclosing *outer;
};

static void check_node(struct check *check, const struct plan_node *node, const struct enclosing *outer)
{
    struct enclosing here = {.node = node, .outer = outer};
    check_parts(check, node);
    check_expr(check, node->expr);
    check_expr(check, node->trip);
    check_expr(check, node->whole_if);
    check_expr(check, node->work);
    if (node->kind == PLAN_BREAK) {
        const struct enclosing *e = outer;
        while (e != NULL && !(e->node->id == node->target && (e->node->kind == PLAN_FOR || e->node->kind == PLAN_LOOP ||
                                                              e->node->kind == PLAN_BLOCK))) {
            e = e->outer;
        }
        if (e == NULL) {
            fail(check, "a break leaves nothing that encloses it", node->target);
        }
    }
    for (int i = 0; i < node->conflict_count; i++) {
        const struct plan_conflict *conflict = &node->conflicts[i];
        if (conflict->block_a < 0 || conflict->block_a >= conflict->block_b || conflict->block_b >= node->child_count) {
            fail(check, "a conflict names blocks that do not exist", i);
        }
        if (conflict->kind == PLAN_CONFLICT_TEST && (conflict->effect_a == NULL || conflict->effect_b == NULL)) {
            fail(check, "a conflict has no effects to test", i);
        }
        if (conflict->effect_a != NULL) {
            check_effect(check, conflict->effect_a);
        }
        if (conflict->effect_b != NULL) {
            check_effect(check, conflict->effect_b);
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        check_node(check, node->children[i], &here);
    }
}

static void check_ctype(struct check *check, const struct ir_ctype *type)
{
    if (type->size > PLAN_MAX_OBJECT_SIZE) {
        fail(check, "a type is too large", (int64_t)type->size);
    }
    for (int i = 0; i < type->member_count; i++) {
        if (type->members[i].offset > type->size) {
            fail(check, "a member lies outside its struct", (int64_t)type->members[i].offset);
        }
        check_ctype(check, type->members[i].type);
    }
}

static void check_hidden(struct check *check, int index)
{
    const struct plan_kernel *kernel = check->kernel;
    const struct plan_param *param = &kernel->params[index];
    int given = kernel->param_count - kernel->hidden_count;
    bool counts = param->counts > 0 && param->counts <= index && kernel->params[param->counts - 1].is_array &&
                  param->type == IR_I64 && !param->is_array && !param->is_struct;
    bool is_lent = param->scratch != NULL && param->is_array && param->rank == 0 && param->counts == 0;
    bool is_own = param->is_scratch && param->is_array && param->rank > 0 && param->counts == 0 && !is_lent;
    if (index >= given ? counts + is_lent + is_own != 1
                       : param->counts != 0 || param->scratch != NULL || param->is_scratch) {
        fail(check, "a parameter counts no array", index);
    }
    const struct ir_ctype *returned = kernel->return_ctype;
    if (param->is_result && (!is_own || returned == NULL || param->ctype->size != returned->size)) {
        fail(check, "a parameter takes a result that is another", index);
    }
    if (param->scratch != NULL) {
        check_expr(check, param->scratch);
    }
}

static void check_params(struct check *check)
{
    const struct plan_kernel *kernel = check->kernel;
    if (kernel->hidden_count < 0 ||
        kernel->hidden_count > kernel->param_count / 2 + 2 * (PLAN_MAX_SCRATCH + PLAN_MAX_SHADOWS) + PLAN_MAX_OWN ||
        kernel->hidden_count > kernel->param_count) {
        fail(check, "there are fewer parameters than hidden ones", kernel->hidden_count);
        return;
    }
    if (kernel->args_size > ABI_MAX_ARGS_SIZE) {
        fail(check, "the arguments are too large", (int64_t)kernel->args_size);
    }
    for (int i = 0; i < kernel->param_count; i++) {
        const struct plan_param *param = &kernel->params[i];
        uint64_t size = param->is_struct ? param->ctype->size : (uint64_t)ir_type_size(param->type);
        if (size > kernel->args_size || param->offset > kernel->args_size - size) {
            fail(check, "a parameter lies outside the arguments", i);
        }
        check_ctype(check, param->ctype);
        check_hidden(check, i);
        for (int k = 0; k < param->rank; k++) {
            if (param->extents[k] == NULL) {
                fail(check, "an extent is missing", i);
            }
            check_expr(check, param->extents[k]);
        }
    }
}

bool plan_check(const struct plan_module *module, struct str *out)
{
    struct check check = {.module = module, .out = out, .ok = true};
    for (int i = 0; i < module->piece_count; i++) {
        const struct plan_piece *piece = &module->pieces[i];
        if (piece->size > MAX_PIECE_END || piece->offset > MAX_PIECE_END - piece->size) {
            fail(&check, "a piece of a field lies beyond what a module can hold", (int64_t)piece->offset);
        }
    }
    for (int i = 0; i < module->kernel_count; i++) {
        check.kernel = module->kernels[i];
        if (check.kernel->block_size > ABI_MAX_BLOCK_SIZE) {
            fail(&check, "the launch block is too large", (int64_t)check.kernel->block_size);
        }
        int depth = plan_depth(check.kernel->root);
        if (depth > PLAN_MAX_DEPTH) {
            fail(&check, "control is nested too deep", depth);
        }
        check_params(&check);
        for (int k = 0; k < check.kernel->task_count; k++) {
            check_task(&check, &check.kernel->tasks[k]);
        }
        for (int k = 0; k < check.kernel->loop_count; k++) {
            check_expr(&check, check.kernel->loops[k].work);
        }
        check_node(&check, check.kernel->root, NULL);
    }
    return check.ok;
}

// Expressions of the plan as code. What tasks compute the host of a GPU does not know when it queues the next task, and
// it does not wait to find out: a loop whose bound lies in the launch block computes its own trip count when its
// threads begin, and scalars that are assigned from such values have a small entry of their own.
#include "codegen/emit.h"

#include "plan/abi.h"
#include "plan/plan.h"

#include <assert.h>
#include <string.h>

// ---- expressions --------------------------------------------------------------------------------------------------

static LLVMValueRef load_at(struct emitter *e, LLVMValueRef base, int64_t at, enum ir_type type)
{
    LLVMValueRef offset = emit_i64(e, at);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
    LLVMValueRef value = emit_load_raw(e, type, address, (uint32_t)ir_type_size(type));
    return type == IR_I1 ? LLVMBuildTrunc(e->builder, value, e->types[IR_I1], "") : value;
}

// By the emitter of instructions: the operand stands in the place behind the function's own values.
static LLVMValueRef convert(struct emitter *e, const struct plan_expr *expr, LLVMValueRef x)
{
    struct ir_inst operand = {.op = IR_OP_CONST, .type = expr->args[0]->type, .id = e->function->ir->value_count};
    struct ir_inst *args[1] = {&operand};
    struct ir_inst inst = {.op = expr->op, .type = expr->type, .id = -1, .args = args, .arg_count = 1};
    e->function->values[operand.id] = x;
    return emit_pure(e, &inst);
}

static LLVMValueRef widen(struct emitter *e, LLVMValueRef x, enum ir_type type, bool is_signed)
{
    if (type == IR_I64) {
        return x;
    }
    return is_signed ? LLVMBuildSExt(e->builder, x, e->types[IR_I64], "")
                     : LLVMBuildZExt(e->builder, x, e->types[IR_I64], "");
}

// How many steps lie between |init| and |bound|, widened, where there is one: at most INT64_MAX.
static LLVMValueRef count_steps(struct emitter *e, const struct ir_trip *trip, LLVMValueRef init, LLVMValueRef bound)
{
    LLVMBuilderRef b = e->builder;
    if (trip->is_endless) {
        return emit_i64(e, INT64_MAX);
    }
    LLVMValueRef distance = trip->rises ? LLVMBuildSub(b, bound, init, "") : LLVMBuildSub(b, init, bound, "");
    distance = trip->is_inclusive ? distance : LLVMBuildSub(b, distance, emit_i64(e, 1), "");
    LLVMValueRef whole = LLVMBuildUDiv(b, distance, emit_i64(e, (int64_t)trip->stride), "");
    whole = emit_intrinsic2(e, "llvm.umin", whole, emit_i64(e, INT64_MAX - 1));
    return LLVMBuildAdd(b, whole, emit_i64(e, 1), "");
}

// As struct ir_trip says, and no more than INT64_MAX, as plan_eval() has it.
static LLVMValueRef emit_trip(struct emitter *e, const struct plan_expr *expr, LLVMValueRef init, LLVMValueRef bound)
{
    assert(expr->kind == PLAN_EXPR_TRIP && expr->arg_count == 2);
    struct ir_trip trip = plan_trip_of(expr);
    enum ir_type type = trip.type;
    if (trip.is_around) {
        assert(trip.stride == 1); // plan_expr_has_code() has looked
        LLVMValueRef distance =
            trip.rises ? LLVMBuildSub(e->builder, bound, init, "") : LLVMBuildSub(e->builder, init, bound, "");
        return emit_intrinsic2(e, "llvm.umin", widen(e, distance, type, false), emit_i64(e, INT64_MAX));
    }
    bool is_signed = !trip.is_unsigned;
    LLVMValueRef runs = emit_binary(e, trip.compare, type, init, bound);
    LLVMValueRef count = count_steps(e, &trip, widen(e, init, type, is_signed), widen(e, bound, type, is_signed));
    return LLVMBuildSelect(e->builder, runs, count, emit_i64(e, 0), "");
}

LLVMValueRef emit_plan_expr(struct emitter *e, const struct plan_kernel *kernel, const struct plan_expr *expr)
{
    LLVMValueRef args[3] = {NULL};
    for (int i = 0; i < expr->arg_count; i++) {
        args[i] = emit_plan_expr(e, kernel, expr->args[i]);
    }
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        return ir_type_is_float(expr->type) ? emit_real(e, expr->type, expr->fimm)
                                            : emit_const(e, expr->type, expr->imm);
    case PLAN_EXPR_PARAM:
        return load_at(e, e->function->args, (int64_t)kernel->params[expr->index].offset + expr->imm, expr->type);
    case PLAN_EXPR_SLOT: return load_at(e, emit_slot(e, expr->imm), 0, expr->type);
    case PLAN_EXPR_WIDTH: return emit_i64(e, PLAN_WIDTH_UNKNOWN); // as a GPU's host has it
    case PLAN_EXPR_TRIP: return emit_trip(e, expr, args[0], args[1]);
    default: break;
    }
    if (expr->op == IR_OP_SELECT) {
        return LLVMBuildSelect(e->builder, args[0], args[1], args[2], "");
    }
    if (expr->op == IR_OP_FNEG) {
        return emit_negated(e, expr->type, args[0]);
    }
    return expr->arg_count == 1 ? convert(e, expr, args[0])
                                : emit_binary(e, expr->op, expr->args[0]->type, args[0], args[1]);
}

// ---- trip counts --------------------------------------------------------------------------------------------------

static bool is_named(const char *a, const char *b)
{
    return a != NULL && strcmp(a, b) == 0;
}

static bool has_tile(const struct plan_task *task, const char *name)
{
    bool has = false;
    for (int i = 0; i < task->tile_count; i++) {
        has |= is_named(task->tiles[i].entry, name);
    }
    return has;
}

// The parallel task that the function is the fast version or the end of; NULL: none.
static const struct plan_task *task_of(const struct emitter *e, const struct ir_function *ir,
                                       const struct plan_kernel **out_kernel)
{
    const struct plan_module *plan = e->options->plan;
    for (int i = 0; plan != NULL && ir->kernel != NULL && i < plan->kernel_count; i++) {
        *out_kernel = plan->kernels[i];
        for (int k = 0; is_named((*out_kernel)->name, ir->kernel->name) && k < (*out_kernel)->task_count; k++) {
            const struct plan_task *task = &(*out_kernel)->tasks[k];
            if (is_named(task->entry, ir->name) || is_named(task->finish, ir->name) || has_tile(task, ir->name)) {
                return task;
            }
        }
    }
    return NULL;
}

bool emit_plan_is_remote(const struct emitter *e, const struct ir_function *ir)
{
    const struct plan_module *plan = e->options->plan;
    for (int i = 0; plan != NULL && ir->kernel != NULL && i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; is_named(kernel->name, ir->kernel->name) && k < kernel->task_count; k++) {
            const struct plan_task *task = &kernel->tasks[k];
            if (is_named(task->entry, ir->name) || is_named(task->in_order, ir->name) ||
                is_named(task->finish, ir->name)) {
                return plan_task_has_remote(task);
            }
        }
    }
    return false;
}

static bool *device_slots(struct emitter *e, const struct plan_kernel *kernel)
{
    bool *slots = ARENA_ARRAY(e->arena, bool, kernel->slot_count + 1);
    plan_device_slots(kernel, slots);
    return slots;
}

LLVMValueRef emit_plan_records(struct emitter *e, LLVMValueRef trip, bool is_merged, LLVMValueRef *out_chunk)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef last = LLVMBuildSub(b, trip, emit_i64(e, 1), "");
    LLVMValueRef chunk = LLVMBuildUDiv(b, last, emit_i64(e, ABI_GPU_MAX_PARTIALS), "");
    chunk = LLVMBuildAdd(b, chunk, emit_i64(e, 1), "");
    chunk = emit_intrinsic2(e, "llvm.umax", chunk, emit_i64(e, is_merged ? ABI_GPU_MERGED_CHUNK : ABI_GPU_MIN_CHUNK));
    if (is_merged) { // the next multiple of the step, which is a power of two
        chunk = LLVMBuildAdd(b, chunk, emit_i64(e, ABI_GPU_CHUNK_STEP - 1), "");
        chunk = LLVMBuildAnd(b, chunk, emit_i64(e, -ABI_GPU_CHUNK_STEP), "");
    }
    *out_chunk = chunk;
    return LLVMBuildAdd(b, LLVMBuildUDiv(b, last, *out_chunk, ""), emit_i64(e, 1), "");
}

static LLVMValueRef join(struct emitter *e, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                         LLVMBasicBlockRef from_b, const char *name)
{
    LLVMValueRef phi = LLVMBuildPhi(e->builder, e->types[IR_I64], name);
    LLVMAddIncoming(phi, &a, &from_a, 1);
    LLVMAddIncoming(phi, &b, &from_b, 1);
    return phi;
}

void emit_plan_count(struct emitter *e)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    const struct plan_kernel *kernel;
    const struct plan_task *task = task_of(e, f->ir, &kernel);
    if (task == NULL || !plan_trip_has_code(kernel, task, device_slots(e, kernel))) {
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef ask = emit_block(e, "bound");
    LLVMBasicBlockRef empty = emit_block(e, "empty");
    LLVMBasicBlockRef some = emit_block(e, "some");
    LLVMBasicBlockRef known = emit_block(e, "known");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, f->count, emit_i64(e, 0), ""), ask, known);

    emit_at(e, ask);
    LLVMValueRef trip = emit_plan_expr(e, kernel, task->trip);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, trip, emit_i64(e, 0), ""), some, empty);
    emit_at(e, empty);
    LLVMBuildRetVoid(b);

    emit_at(e, some);
    LLVMValueRef chunk = emit_i64(e, 1);
    LLVMValueRef records = emit_i64(e, 0);
    if (task->partial_size != 0) {
        records = emit_plan_records(e, trip, task->is_merged, &chunk);
    }
    LLVMValueRef count = f->ir->kind == IR_FUNCTION_FINISH ? records : trip;
    LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, known);

    emit_at(e, known);
    f->count = join(e, f->count, before, count, end, "trip");
    f->chunk = join(e, f->chunk, before, chunk, end, "chunk");
}

LLVMValueRef emit_plan_team(struct emitter *e)
{
    const struct plan_kernel *kernel;
    const struct plan_task *task = task_of(e, e->function->ir, &kernel);
    if (task == NULL || task->team == NULL || e->function->ir->kind != IR_FUNCTION_TASK) {
        return NULL;
    }
    assert(plan_expr_has_code(task->team));
    return LLVMBuildICmp(e->builder, LLVMIntSLE, e->function->count, emit_plan_expr(e, kernel, task->team), "teams");
}

bool emit_plan_has_team(const struct emitter *e, const struct ir_function *ir, int *out_columns)
{
    const struct plan_kernel *kernel;
    const struct plan_task *task = ir->kind == IR_FUNCTION_TASK ? task_of(e, ir, &kernel) : NULL;
    bool has_team = task != NULL && task->team != NULL;
    *out_columns = has_team ? task->team_columns : 0;
    return has_team;
}

// ---- what is only read ----------------------------------------------------------------------------------------------

// While such a task runs nobody writes what these parameters lead to: loads of it need not look whether somebody did.
void emit_plan_reads(struct emitter *e)
{
    struct emit_function *f = e->function;
    const struct plan_kernel *kernel;
    const struct plan_task *task = task_of(e, f->ir, &kernel);
    if (task == NULL || f->ir->kind != IR_FUNCTION_TASK) {
        return;
    }
    f->only_read = ARENA_ARRAY(e->arena, bool, kernel->param_count + 1);
    for (int i = 0; i < kernel->param_count; i++) {
        f->only_read[i] = kernel->params[i].is_array && plan_task_only_reads(kernel, task, i);
    }
}

// ---- assignments and conditions -----------------------------------------------------------------------------------

static void emit_node_body(struct emitter *e, const struct plan_kernel *kernel, const struct plan_node *node)
{
    LLVMValueRef value = emit_plan_expr(e, kernel, node->expr);
    if (node->kind == PLAN_IF) {
        LLVMValueRef at = e->function->chunk;
        LLVMValueRef flag = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], e->function->block, &at, 1, "");
        emit_store_raw(e, IR_I1, value, flag, 1);
        return;
    }
    LLVMValueRef offset = emit_i64(e, node->slot);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], e->function->block, &offset, 1, "");
    emit_store_raw(e, node->type, value, address, (uint32_t)ir_type_size(node->type));
}

static void emit_nodes(struct emitter *e, struct ir_function *function, const struct plan_kernel *kernel,
                       const struct plan_node *node, const bool *slots)
{
    if (plan_node_has_code(kernel, node, slots)) {
        struct ir_function *ir = ARENA_NEW(e->arena, struct ir_function);
        *ir = (struct ir_function){.name = arena_printf(e->arena, "%s.n%d", kernel->name, node->id),
                                   .kind = IR_FUNCTION_TASK,
                                   .loc = node->loc,
                                   .kernel = function,
                                   .is_serial = true};
        struct emit_function f;
        emit_entry_begin(e, &f, ir);
        emit_node_body(e, kernel, node);
        LLVMBuildRetVoid(e->builder);
        emit_function_end(e);
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            emit_nodes(e, function, kernel, node->children[i], slots);
        }
    }
}

static bool has_assignments(const struct plan_node *node)
{
    bool has_some = node->kind == PLAN_ASSIGN || (node->kind == PLAN_FOR && node->slot >= 0);
    for (int i = 0; i < node->child_count && !has_some; i++) {
        has_some = node->children[i] != NULL && has_assignments(node->children[i]);
    }
    return has_some;
}

// A value of the host on its way into the launch block.
static void emit_store_entry(struct emitter *e)
{
    static const enum ir_type types[] = {IR_I8, IR_I16, IR_I32, IR_I64};
    struct ir_function *ir = ARENA_NEW(e->arena, struct ir_function);
    *ir = (struct ir_function){.name = "rill.store", .kind = IR_FUNCTION_TASK, .is_serial = true};
    struct emit_function f;
    emit_entry_begin(e, &f, ir);
    LLVMBuilderRef b = e->builder;
    LLVMValueRef offset = LLVMBuildLShr(b, f.chunk, emit_i64(e, 4), "");
    LLVMValueRef address = LLVMBuildInBoundsGEP2(b, e->types[IR_I8], f.block, &offset, 1, "");
    LLVMValueRef size = LLVMBuildAnd(b, f.chunk, emit_i64(e, 15), "size");
    LLVMBasicBlockRef done = emit_block(e, "done");
    LLVMValueRef choice = LLVMBuildSwitch(b, size, done, 4);
    for (int i = 0; i < 4; i++) {
        LLVMBasicBlockRef block = emit_block(e, "store");
        LLVMAddCase(choice, emit_i64(e, ir_type_size(types[i])), block);
        emit_at(e, block);
        LLVMValueRef value = types[i] == IR_I64 ? f.count : LLVMBuildTrunc(b, f.count, e->types[types[i]], "");
        emit_store_raw(e, types[i], value, address, (uint32_t)ir_type_size(types[i]));
        LLVMBuildBr(b, done);
    }
    emit_at(e, done);
    LLVMBuildRetVoid(b);
    emit_function_end(e);
}

void emit_plan_nodes(struct emitter *e)
{
    const struct plan_module *plan = e->options->plan;
    bool needs_store = false;
    for (int i = 0; plan != NULL && i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; k < e->module->function_count; k++) {
            struct ir_function *function = e->module->functions[k];
            if (function->kind == IR_FUNCTION_KERNEL && is_named(kernel->name, function->name) &&
                kernel->root != NULL) {
                emit_nodes(e, function, kernel, kernel->root, device_slots(e, kernel));
                needs_store = needs_store || has_assignments(kernel->root);
            }
        }
    }
    if (needs_store) {
        emit_store_entry(e);
    }
}

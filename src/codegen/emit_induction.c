// Inductions of a task's loop. Offload writes the loop variable as init + iter * step in the variable's own type. LLVM
// cannot see that this does not wrap, so it becomes an induction of its own, beside the iteration number, whose step is
// marked: then a[i] is seen to lie next to a[i + 1]. A variable of 32 bits is one of 64, cut with a mark that nothing
// is lost: most uses are indices, and widening it for them is then no work, neither for LLVM nor for the loop.
#include "codegen/emit.h"

#include "ir/assignment.h"

#include <assert.h>

// Whether the value is there before the loop over the iterations. Other invariant ones are emitted where they stand.
static bool is_there_before(const struct emitter *e, const struct ir_inst *inst)
{
    return inst->parent == &e->function->ir->prologue || inst->op == IR_OP_CONST;
}

// The factor of the iteration number in |inst|: ITER, its truncation, or either times a constant.
static bool iter_factor(const struct ir_inst *inst, int64_t *out_factor)
{
    *out_factor = 1;
    if (inst->op == IR_OP_MUL && inst->args[1]->op == IR_OP_CONST) {
        *out_factor = inst->args[1]->imm;
        inst = inst->args[0];
    }
    if (inst->op == IR_OP_TRUNC) {
        inst = inst->args[0];
    }
    return inst->op == IR_OP_ITER;
}

static LLVMValueRef initial_value(struct emitter *e, const struct ir_inst *inst)
{
    return inst->op == IR_OP_CONST ? emit_const(e, inst->type, inst->imm) : emit_value(e, inst);
}

// On a GPU a thread's iterations are far apart and nothing is vectorised. Where the variable is seen never to be
// negative, its sum is taken in 64 bits and cut, and LLVM is told that nothing is lost: widening it again for an
// address then costs nothing.
static LLVMValueRef wide_value(struct emitter *e, const struct ir_inst *inst, int64_t factor)
{
    LLVMBuilderRef b = e->builder;
    const struct ir_inst *init = inst->args[0];
    if (inst->type == IR_I64 || init->op != IR_OP_CONST || init->imm < 0 || factor < 0) {
        return NULL;
    }
    LLVMValueRef distance = LLVMBuildNSWMul(b, e->function->iter, emit_i64(e, factor), "");
    LLVMValueRef sum = LLVMBuildNSWAdd(b, distance, emit_i64(e, init->imm), "");
    int64_t limit = INT64_C(1) << (8 * ir_type_size(inst->type) - 1);
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntULT, sum, emit_i64(e, limit), "");
    emit_intrinsic(e, "llvm.assume", NULL, 0, &fits, 1);
    return LLVMBuildTrunc(b, sum, e->types[inst->type], "");
}

LLVMValueRef emit_induction_value(struct emitter *e, const struct ir_inst *inst)
{
    assert(ir_op_is_pure(inst->op));
    struct emit_function *f = e->function;
    int64_t factor;
    if (f->ir->kind != IR_FUNCTION_TASK || f->ir->is_serial || !inst->no_wrap || inst->op != IR_OP_ADD ||
        !is_there_before(e, inst->args[0]) || !iter_factor(inst->args[1], &factor)) {
        return NULL;
    }
    if (f->before == NULL) {
        // The distance alone may wrap, where the variable begins below zero; then the sum of both as they are does too.
        LLVMValueRef wide = wide_value(e, inst, factor);
        return wide != NULL
                   ? wide
                   : emit_binary(e, inst->op, inst->type, emit_value(e, inst->args[0]), emit_value(e, inst->args[1]));
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderBefore(e->builder, f->before);
    struct emit_induction *induction = ARENA_NEW(e->arena, struct emit_induction);
    induction->step = emit_i64(e, factor);
    LLVMValueRef init = initial_value(e, inst->args[0]);
    if (inst->type != IR_I64) {
        init = LLVMBuildSExt(e->builder, init, e->types[IR_I64], "");
    }
    LLVMValueRef distance = LLVMBuildMul(e->builder, f->first, induction->step, "");
    induction->start = LLVMBuildAdd(e->builder, init, distance, "");
    LLVMBasicBlockRef loop = LLVMGetInstructionParent(f->iter);
    LLVMPositionBuilder(e->builder, loop, LLVMGetFirstInstruction(loop));
    induction->phi = LLVMBuildPhi(e->builder, e->types[IR_I64], "");
    induction->next = f->inductions;
    f->inductions = induction;
    emit_at(e, here);
    induction->value =
        inst->type == IR_I64 ? induction->phi : LLVMBuildTrunc(e->builder, induction->phi, e->types[inst->type], "");
    return induction->value;
}

void emit_induction_close(struct emitter *e, LLVMBasicBlockRef before, LLVMBasicBlockRef latch)
{
    for (struct emit_induction *i = e->function->inductions; i != NULL; i = i->next) {
        LLVMValueRef next = LLVMBuildNSWAdd(e->builder, i->phi, i->step, "");
        LLVMAddIncoming(i->phi, (LLVMValueRef[]){i->start, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    }
}

// ---- variables that their loop alone sets
// --------------------------------------------------------------------------------------------

void emit_counter_open(struct emitter *e, const struct ir_var *var, LLVMValueRef wide, LLVMValueRef value)
{
    assert(var->index < e->function->ir->var_count);
    struct emit_function *f = e->function;
    if (f->counters == NULL) {
        f->counters = ARENA_ARRAY(e->arena, struct emit_counter, f->ir->var_count + 1);
        f->assigned = ARENA_ARRAY(e->arena, struct assignments, f->ir->var_count + 1);
        assignments_add(&f->ir->prologue, f->assigned);
        assignments_add(&f->ir->body, f->assigned);
    }
    if (f->assigned[var->index].count == 1) {
        f->counters[var->index] = (struct emit_counter){.wide = wide, .value = value};
    }
}

void emit_counter_close(struct emitter *e, const struct ir_var *var)
{
    if (e->function->counters != NULL) {
        e->function->counters[var->index] = (struct emit_counter){0};
    }
}

void emit_counter_set(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_SET);
    if (inst->parent != &e->function->ir->body) { // set on every path or not at all
        return;
    }
    LLVMValueRef value = emit_value(e, inst->args[0]);
    for (struct emit_induction *i = e->function->inductions; i != NULL; i = i->next) {
        if (i->value == value) {
            emit_counter_open(e, inst->var, i->phi, value);
        }
    }
}

const struct emit_counter *emit_counter_of(struct emitter *e, const struct ir_inst *inst)
{
    const struct emit_counter *counters = e->function->counters;
    bool is_counter = inst->op == IR_OP_GET && counters != NULL && counters[inst->var->index].wide != NULL;
    return is_counter ? &counters[inst->var->index] : NULL;
}

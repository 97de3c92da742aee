// Inductions of a task's loop. Offload writes the loop variable as init + iter * step in the variable's own type. LLVM
// cannot see that this does not wrap, so it becomes an induction of its own, beside the iteration number, whose step is
// marked: then a[i] is seen to lie next to a[i + 1].
#include "codegen/emit.h"

static bool is_invariant(const struct emitter *e, const struct ir_inst *inst)
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
    struct emit_function *f = e->function;
    int64_t factor;
    if (f->ir->kind != IR_FUNCTION_TASK || f->ir->is_serial || !inst->no_wrap || inst->op != IR_OP_ADD ||
        !is_invariant(e, inst->args[0]) || !iter_factor(inst->args[1], &factor)) {
        return NULL;
    }
    if (f->before == NULL) {
        return wide_value(e, inst, factor);
    }
    LLVMTypeRef type = e->types[inst->type];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderBefore(e->builder, f->before);
    struct emit_induction *induction = ARENA_NEW(e->arena, struct emit_induction);
    induction->step = emit_const(e, inst->type, factor);
    LLVMValueRef first = inst->type == IR_I64 ? f->first : LLVMBuildTrunc(e->builder, f->first, type, "");
    LLVMValueRef distance = LLVMBuildMul(e->builder, first, induction->step, "");
    induction->start = LLVMBuildAdd(e->builder, initial_value(e, inst->args[0]), distance, "");
    LLVMBasicBlockRef loop = LLVMGetInstructionParent(f->iter);
    LLVMPositionBuilder(e->builder, loop, LLVMGetFirstInstruction(loop));
    induction->phi = LLVMBuildPhi(e->builder, type, "");
    induction->next = f->inductions;
    f->inductions = induction;
    emit_at(e, here);
    return induction->phi;
}

void emit_induction_close(struct emitter *e, LLVMBasicBlockRef before, LLVMBasicBlockRef latch)
{
    for (struct emit_induction *i = e->function->inductions; i != NULL; i = i->next) {
        LLVMValueRef next = LLVMBuildNSWAdd(e->builder, i->phi, i->step, "");
        LLVMAddIncoming(i->phi, (LLVMValueRef[]){i->start, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    }
}

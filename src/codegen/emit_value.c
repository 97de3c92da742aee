// Arithmetic, comparisons and conversions, defined for all operands as language.md §6 says. Truth values (i1) count as
// 0 and 1, never as 0 and -1, so that their signed and unsigned forms are one.
#include "codegen/emit.h"

static int width_of(enum ir_type type)
{
    return type == IR_I1 ? 1 : 8 * ir_type_size(type);
}

void emit_float_flags(struct emitter *e, LLVMValueRef value, LLVMFastMathFlags more)
{
    LLVMFastMathFlags flags = more | (e->options->fast_math ? LLVMFastMathAll : LLVMFastMathNone);
    if (flags != LLVMFastMathNone && LLVMIsAInstruction(value) != NULL && LLVMCanValueUseFastMathFlags(value)) {
        LLVMSetFastMathFlags(value, flags);
    }
}

// ---- integers
// --------------------------------------------------------------------------------------------------------------

static bool is_safe_divisor(LLVMValueRef y)
{
    if (LLVMIsAConstantInt(y) == NULL) {
        return false;
    }
    long long value = LLVMConstIntGetSExtValue(y);
    return value != 0 && value != -1;
}

// Division that does not trap: the divisor is 1 where C leaves the result open, and the result is chosen afterwards.
static LLVMValueRef emit_division(struct emitter *e, enum ir_op op, enum ir_type type, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = e->builder;
    bool is_signed = op == IR_OP_SDIV || op == IR_OP_SREM;
    bool is_rem = op == IR_OP_SREM || op == IR_OP_UREM;
    LLVMOpcode opcode = op == IR_OP_SDIV   ? LLVMSDiv
                        : op == IR_OP_UDIV ? LLVMUDiv
                        : op == IR_OP_SREM ? LLVMSRem
                                           : LLVMURem;
    if (is_safe_divisor(y)) {
        return LLVMBuildBinOp(b, opcode, x, y, "");
    }
    LLVMValueRef zero = emit_const(e, type, 0);
    LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
    LLVMValueRef bad = is_zero;
    if (is_signed) {
        int64_t least = -(INT64_C(1) << (width_of(type) - 2)) * 2;
        LLVMValueRef is_least = LLVMBuildICmp(b, LLVMIntEQ, x, emit_const(e, type, least), "");
        LLVMValueRef is_minus = LLVMBuildICmp(b, LLVMIntEQ, y, emit_const(e, type, -1), "");
        bad = LLVMBuildOr(b, bad, LLVMBuildAnd(b, is_least, is_minus, ""), "");
    }
    LLVMValueRef divisor = LLVMBuildSelect(b, bad, emit_const(e, type, 1), y, "");
    LLVMValueRef result = LLVMBuildBinOp(b, opcode, x, divisor, "");
    return LLVMBuildSelect(b, is_zero, is_rem ? x : zero, result, "");
}

static LLVMValueRef emit_shift(struct emitter *e, enum ir_op op, enum ir_type type, LLVMValueRef x, LLVMValueRef y)
{
    if (type == IR_I1) {
        return x; // a count modulo 1 is 0
    }
    LLVMValueRef count = LLVMBuildAnd(e->builder, y, emit_const(e, type, width_of(type) - 1), "");
    LLVMOpcode opcode = op == IR_OP_SHL ? LLVMShl : op == IR_OP_LSHR ? LLVMLShr : LLVMAShr;
    return LLVMBuildBinOp(e->builder, opcode, x, count, "");
}

static enum ir_op unsigned_form(enum ir_op op)
{
    switch (op) {
    case IR_OP_SDIV: return IR_OP_UDIV;
    case IR_OP_SREM: return IR_OP_UREM;
    case IR_OP_SMIN: return IR_OP_UMIN;
    case IR_OP_SMAX: return IR_OP_UMAX;
    case IR_OP_SLT: return IR_OP_ULT;
    case IR_OP_SLE: return IR_OP_ULE;
    case IR_OP_SGT: return IR_OP_UGT;
    case IR_OP_SGE: return IR_OP_UGE;
    default: return op;
    }
}

// ---- comparisons
// -------------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_compare(struct emitter *e, enum ir_op op, LLVMValueRef x, LLVMValueRef y)
{
    switch (op) {
    case IR_OP_EQ: return LLVMBuildICmp(e->builder, LLVMIntEQ, x, y, "");
    case IR_OP_NE: return LLVMBuildICmp(e->builder, LLVMIntNE, x, y, "");
    case IR_OP_SLT: return LLVMBuildICmp(e->builder, LLVMIntSLT, x, y, "");
    case IR_OP_SLE: return LLVMBuildICmp(e->builder, LLVMIntSLE, x, y, "");
    case IR_OP_SGT: return LLVMBuildICmp(e->builder, LLVMIntSGT, x, y, "");
    case IR_OP_SGE: return LLVMBuildICmp(e->builder, LLVMIntSGE, x, y, "");
    case IR_OP_ULT: return LLVMBuildICmp(e->builder, LLVMIntULT, x, y, "");
    case IR_OP_ULE: return LLVMBuildICmp(e->builder, LLVMIntULE, x, y, "");
    case IR_OP_UGT: return LLVMBuildICmp(e->builder, LLVMIntUGT, x, y, "");
    case IR_OP_UGE: return LLVMBuildICmp(e->builder, LLVMIntUGE, x, y, "");
    case IR_OP_FEQ: return LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, y, "");
    case IR_OP_FNE: return LLVMBuildFCmp(e->builder, LLVMRealUNE, x, y, "");
    case IR_OP_FLT: return LLVMBuildFCmp(e->builder, LLVMRealOLT, x, y, "");
    case IR_OP_FLE: return LLVMBuildFCmp(e->builder, LLVMRealOLE, x, y, "");
    case IR_OP_FGT: return LLVMBuildFCmp(e->builder, LLVMRealOGT, x, y, "");
    case IR_OP_FGE: return LLVMBuildFCmp(e->builder, LLVMRealOGE, x, y, "");
    default: return LLVMGetPoison(e->types[IR_I1]);
    }
}

// |type| is the operands' type.
LLVMValueRef emit_binary(struct emitter *e, enum ir_op op, enum ir_type type, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = e->builder;
    if (type == IR_I1) {
        op = unsigned_form(op);
    }
    if (ir_type_is_half(type)) {
        LLVMValueRef wide = emit_binary(e, op, IR_F32, emit_half_widen(e, type, x), emit_half_widen(e, type, y));
        return ir_op_is_compare(op) ? wide : emit_half_narrow(e, type, wide);
    }
    LLVMValueRef value;
    switch (op) {
    case IR_OP_ADD: return LLVMBuildAdd(b, x, y, "");
    case IR_OP_SUB: return LLVMBuildSub(b, x, y, "");
    case IR_OP_MUL: return LLVMBuildMul(b, x, y, "");
    case IR_OP_SDIV:
    case IR_OP_UDIV:
    case IR_OP_SREM:
    case IR_OP_UREM: return emit_division(e, op, type, x, y);
    case IR_OP_AND: return LLVMBuildAnd(b, x, y, "");
    case IR_OP_OR: return LLVMBuildOr(b, x, y, "");
    case IR_OP_XOR: return LLVMBuildXor(b, x, y, "");
    case IR_OP_SHL:
    case IR_OP_LSHR:
    case IR_OP_ASHR: return emit_shift(e, op, type, x, y);
    case IR_OP_SMIN: return emit_intrinsic2(e, "llvm.smin", x, y);
    case IR_OP_SMAX: return emit_intrinsic2(e, "llvm.smax", x, y);
    case IR_OP_UMIN: return emit_intrinsic2(e, "llvm.umin", x, y);
    case IR_OP_UMAX: return emit_intrinsic2(e, "llvm.umax", x, y);
    case IR_OP_UMULH: return emit_upper_product(e, x, y);
    case IR_OP_FADD: value = LLVMBuildFAdd(b, x, y, ""); break;
    case IR_OP_FSUB: value = LLVMBuildFSub(b, x, y, ""); break;
    case IR_OP_FMUL: value = LLVMBuildFMul(b, x, y, ""); break;
    case IR_OP_FDIV: value = LLVMBuildFDiv(b, x, y, ""); break;
    default: value = emit_compare(e, op, x, y); break;
    }
    emit_float_flags(e, value, LLVMFastMathNone);
    return value;
}

// ---- conversions
// ---------------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_saturating(struct emitter *e, const struct ir_inst *inst, LLVMValueRef x)
{
    bool is_signed = inst->op == IR_OP_FPTOSI;
    if (ir_type_is_half(inst->args[0]->type)) {
        x = emit_half_widen(e, inst->args[0]->type, x);
    }
    enum ir_type type = inst->type == IR_I1 ? IR_I8 : inst->type;
    LLVMTypeRef types[2] = {e->types[type], LLVMTypeOf(x)};
    LLVMValueRef value = emit_intrinsic(e, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &x, 1);
    if (inst->type == IR_I1) {
        LLVMValueRef least = emit_intrinsic2(e, "llvm.umin", value, emit_const(e, IR_I8, 1));
        value = LLVMBuildTrunc(e->builder, least, e->types[IR_I1], "");
    }
    return value;
}

static LLVMValueRef emit_conversion(struct emitter *e, const struct ir_inst *inst)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef x = emit_value(e, inst->args[0]);
    LLVMTypeRef type = e->types[inst->type];
    bool from_bool = inst->args[0]->type == IR_I1;
    const struct emit_counter *counter = emit_counter_of(e, inst->args[0]);
    if (counter != NULL && inst->op == IR_OP_SEXT && inst->type == IR_I64) {
        return counter->wide;
    }
    const struct ir_inst *from = inst->args[0];
    if (inst->op == IR_OP_SEXT && from->op == IR_OP_TRUNC && from->no_wrap && from->args[0]->type == inst->type &&
        !target_is_gpu(e->target)) {
        return emit_value(e, from->args[0]);
    }
    bool has_half = ir_type_is_half(inst->type) || ir_type_is_half(from->type);
    if (has_half && inst->op != IR_OP_FPTOSI && inst->op != IR_OP_FPTOUI) {
        return emit_half_conversion(e, inst, x);
    }
    switch (inst->op) {
    case IR_OP_SEXT: return from_bool ? LLVMBuildZExt(b, x, type, "") : LLVMBuildSExt(b, x, type, "");
    case IR_OP_ZEXT: return LLVMBuildZExt(b, x, type, "");
    case IR_OP_TRUNC: {
        LLVMValueRef cut = LLVMBuildTrunc(b, x, type, "");
        if (inst->no_wrap && LLVMIsATruncInst(cut) != NULL) {
            LLVMSetNSW(cut, true);
        }
        return cut;
    }
    case IR_OP_SITOFP: return from_bool ? LLVMBuildUIToFP(b, x, type, "") : LLVMBuildSIToFP(b, x, type, "");
    case IR_OP_UITOFP: return LLVMBuildUIToFP(b, x, type, "");
    case IR_OP_FPTOSI:
    case IR_OP_FPTOUI: return emit_saturating(e, inst, x);
    case IR_OP_FPEXT: return LLVMBuildFPExt(b, x, type, "");
    case IR_OP_FPTRUNC: return LLVMBuildFPTrunc(b, x, type, "");
    case IR_OP_BITCAST: return LLVMBuildBitCast(b, x, type, "");
    case IR_OP_PTRTOINT: return LLVMBuildPtrToInt(b, x, type, "");
    default: return LLVMBuildIntToPtr(b, x, type, "");
    }
}

// ---- everything pure
// -------------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_leaf(struct emitter *e, const struct ir_inst *inst)
{
    LLVMTypeRef type = e->types[inst->type];
    switch (inst->op) {
    case IR_OP_CONST: return inst->type == IR_PTR ? LLVMConstNull(type) : LLVMConstInt(type, (uint64_t)inst->imm, true);
    case IR_OP_FCONST: return emit_real(e, inst->type, inst->fimm);
    case IR_OP_PARAM: return emit_param(e, inst);
    case IR_OP_GET: {
        const struct emit_counter *counter = emit_counter_of(e, inst);
        emit_counter_get(e, inst);
        return counter != NULL ? counter->value
                               : LLVMBuildLoad2(e->builder, type, e->function->vars[inst->var->index], inst->var->name);
    }
    case IR_OP_ITER: return e->function->iter;
    case IR_OP_ITER_COUNT: return e->function->count;
    case IR_OP_PARTIALS: return emit_generic(e, e->function->partial);
    default: return emit_address(e, inst);
    }
}

LLVMValueRef emit_pure(struct emitter *e, const struct ir_inst *inst)
{
    if (ir_op_group(inst->op) == IR_GROUP_LEAF || ir_op_group(inst->op) == IR_GROUP_ADDRESS) {
        return emit_leaf(e, inst);
    }
    if (ir_op_group(inst->op) == IR_GROUP_CONVERT) {
        return emit_conversion(e, inst);
    }
    if (ir_op_group(inst->op) == IR_GROUP_BITS) {
        return emit_bits(e, inst->op, emit_value(e, inst->args[0]));
    }
    if (inst->op == IR_OP_MATH) {
        return emit_math(e, inst);
    }
    if (inst->op == IR_OP_NEST_ITER) {
        return emit_nest_iter(e, inst);
    }
    LLVMValueRef x = emit_value(e, inst->args[0]);
    LLVMValueRef value;
    switch (inst->op) {
    case IR_OP_FNEG: value = emit_negated(e, inst->type, x); break;
    case IR_OP_FMA: {
        LLVMTypeRef type = LLVMTypeOf(x);
        LLVMValueRef args[3] = {x, emit_value(e, inst->args[1]), emit_value(e, inst->args[2])};
        value = emit_intrinsic(e, "llvm.fma", &type, 1, args, 3);
        break;
    }
    case IR_OP_SELECT:
        return LLVMBuildSelect(e->builder, x, emit_value(e, inst->args[1]), emit_value(e, inst->args[2]), "");
    case IR_OP_ADD:
        value = emit_induction_value(e, inst);
        if (value != NULL) {
            return value;
        }
        if (inst->no_wrap) {
            return LLVMBuildNSWAdd(e->builder, x, emit_value(e, inst->args[1]), "");
        }
        return emit_binary(e, inst->op, inst->type, x, emit_value(e, inst->args[1]));
    case IR_OP_SUB:
        if (inst->no_wrap) {
            return LLVMBuildNSWSub(e->builder, x, emit_value(e, inst->args[1]), "");
        }
        return emit_binary(e, inst->op, inst->type, x, emit_value(e, inst->args[1]));
    case IR_OP_MUL:
        if (inst->no_wrap) {
            return LLVMBuildNSWMul(e->builder, x, emit_value(e, inst->args[1]), "");
        }
        return emit_binary(e, inst->op, inst->type, x, emit_value(e, inst->args[1]));
    default: return emit_binary(e, inst->op, inst->args[0]->type, x, emit_value(e, inst->args[1]));
    }
    emit_float_flags(e, value, LLVMFastMathNone);
    return value;
}

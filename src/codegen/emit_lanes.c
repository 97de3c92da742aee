// The code of loops in lanes: see lanes.h. What is the same for all lanes is emitted as everywhere; so are the loops
// and conditions inside, which all lanes go through together.
#include "codegen/lanes.h"

#include "ir/assignment.h"

#include <assert.h>
#include <string.h>

// ---- vectors ------------------------------------------------------------------------------------------------------

LLVMTypeRef lanes_type(const struct lanes *lanes, enum ir_type type)
{
    return LLVMVectorType(lanes->e->types[type], (unsigned)lanes->width);
}

static LLVMValueRef splat(const struct lanes *lanes, LLVMValueRef value)
{
    LLVMBuilderRef b = lanes->e->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), (unsigned)lanes->width);
    LLVMValueRef one = LLVMBuildInsertElement(b, LLVMGetPoison(type), value, emit_const(lanes->e, IR_I32, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(lanes->e->types[IR_I32], (unsigned)lanes->width));
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type), zeros, "");
}

// 0, step, 2 * step, …
static LLVMValueRef steps(const struct lanes *lanes, enum ir_type type, int64_t step)
{
    LLVMValueRef *items = ARENA_ARRAY(lanes->e->arena, LLVMValueRef, lanes->width);
    for (int i = 0; i < lanes->width; i++) {
        items[i] = emit_const(lanes->e, type, ir_normalize(type, i * step));
    }
    return LLVMConstVector(items, (unsigned)lanes->width);
}

static LLVMValueRef scalar(struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *value = &lanes->values[inst->id];
    assert(value->kind != LANES_VECTOR);
    return value->kind == LANES_SAME ? emit_value(lanes->e, inst) : lanes->items[inst->id];
}

static LLVMValueRef vector(struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *value = &lanes->values[inst->id];
    if (value->kind == LANES_VECTOR) {
        assert(lanes->items[inst->id] != NULL);
        return lanes->items[inst->id];
    }
    LLVMValueRef all = splat(lanes, scalar(lanes, inst));
    if (value->kind == LANES_SAME) {
        return all;
    }
    if (inst->type == IR_PTR) {
        LLVMValueRef offsets = steps(lanes, IR_I64, value->step);
        return LLVMBuildGEP2(lanes->e->builder, lanes->e->types[IR_I8], scalar(lanes, inst), &offsets, 1, "");
    }
    return LLVMBuildAdd(lanes->e->builder, all, steps(lanes, inst->type, value->step), "");
}

// ---- memory -------------------------------------------------------------------------------------------------------

// An intrinsic of masked memory whose pointer is operand |at|: later versions of LLVM have the alignment as an
// attribute of it, earlier ones as the operand behind it.
static LLVMValueRef emit_masked(struct lanes *lanes, const char *name, LLVMTypeRef *types, LLVMValueRef *args,
                                int count, int at, uint32_t align)
{
    struct emitter *e = lanes->e;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, 2);
    LLVMValueRef all[5];
    int total = 0;
    for (int i = 0; i < count; i++) {
        all[total++] = args[i];
        if (i == at && LLVMCountParamTypes(type) > (unsigned)count) {
            all[total++] = emit_const(e, IR_I32, align);
        }
    }
    LLVMValueRef call = emit_intrinsic(e, name, types, 2, all, total);
    if (total == count) {
        unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
        LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)(at + 1), LLVMCreateEnumAttribute(e->context, kind, align));
    }
    return call;
}

static LLVMValueRef all_lanes(const struct lanes *lanes)
{
    return LLVMConstAllOnes(LLVMVectorType(lanes->e->types[IR_I1], (unsigned)lanes->width));
}

LLVMValueRef lanes_emit_load(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    const struct lanes_value *at = &lanes->values[inst->args[0]->id];
    LLVMTypeRef type = lanes_type(lanes, inst->type);
    uint32_t align = (uint32_t)ir_type_size(inst->type);
    LLVMValueRef load;
    if (at->kind == LANES_LINEAR && at->step == ir_type_size(inst->type)) {
        LLVMValueRef address = scalar(lanes, inst->args[0]);
        if (lanes->mask == NULL) {
            load = LLVMBuildLoad2(e->builder, type, address, "");
            LLVMSetAlignment(load, align);
        } else {
            LLVMTypeRef types[2] = {type, e->types[IR_PTR]};
            LLVMValueRef args[3] = {address, lanes->mask, LLVMConstNull(type)};
            load = emit_masked(lanes, "llvm.masked.load", types, args, 3, 0, align);
        }
    } else {
        LLVMValueRef address = vector(lanes, inst->args[0]);
        LLVMTypeRef types[2] = {type, LLVMTypeOf(address)};
        LLVMValueRef mask = lanes->mask != NULL ? lanes->mask : all_lanes(lanes);
        LLVMValueRef args[3] = {address, mask, LLVMConstNull(type)};
        load = emit_masked(lanes, "llvm.masked.gather", types, args, 3, 0, align);
    }
    emit_tag_access(e, load, inst->args[0]);
    return load;
}

void lanes_emit_store(struct lanes *lanes, const struct ir_inst *inst, LLVMValueRef value)
{
    struct emitter *e = lanes->e;
    bool is_unit = lanes_is_unit(lanes, inst);
    LLVMValueRef address = is_unit ? scalar(lanes, inst->args[0]) : vector(lanes, inst->args[0]);
    uint32_t align = (uint32_t)ir_type_size(inst->type);
    LLVMValueRef store;
    if (!is_unit) {
        LLVMTypeRef types[2] = {LLVMTypeOf(value), LLVMTypeOf(address)};
        LLVMValueRef args[3] = {value, address, lanes->mask != NULL ? lanes->mask : all_lanes(lanes)};
        store = emit_masked(lanes, "llvm.masked.scatter", types, args, 3, 1, align);
    } else if (lanes->mask == NULL) {
        store = LLVMBuildStore(e->builder, value, address);
        LLVMSetAlignment(store, align);
    } else {
        LLVMTypeRef types[2] = {LLVMTypeOf(value), e->types[IR_PTR]};
        LLVMValueRef args[3] = {value, address, lanes->mask};
        store = emit_masked(lanes, "llvm.masked.store", types, args, 3, 1, align);
    }
    emit_tag_access(e, store, inst->args[0]);
}

// ---- updates ------------------------------------------------------------------------------------------------------

// As emit_update.c has it for one: a fused product is never rounded.
LLVMValueRef lanes_emit_updated(struct lanes *lanes, const struct ir_inst *inst, enum ir_type type, LLVMValueRef old)
{
    struct emitter *e = lanes->e;
    const struct ir_inst *operand = inst->args[inst->arg_count - 1];
    if (inst->fused) {
        LLVMValueRef a = vector(lanes, operand->args[0]);
        a = inst->update == IR_UPDATE_SUB ? LLVMBuildFNeg(e->builder, a, "") : a;
        LLVMTypeRef types[1] = {LLVMTypeOf(a)};
        LLVMValueRef args[3] = {a, vector(lanes, operand->args[1]), old};
        return emit_intrinsic(e, "llvm.fma", types, 1, args, 3);
    }
    return emit_binary(e, ir_update_op(inst->update, type), type, old, vector(lanes, operand));
}

LLVMValueRef lanes_emit_slot(struct lanes *lanes, const struct ir_var *var)
{
    return emit_alloca(lanes->e, lanes_type(lanes, var->type), 64, var->name);
}

static LLVMValueRef slot_of(struct lanes *lanes, const struct ir_var *var)
{
    LLVMValueRef *slot = &lanes->vars[var->index];
    if (*slot == NULL) {
        *slot = lanes_emit_slot(lanes, var);
    }
    return *slot;
}

static LLVMValueRef load_var(struct lanes *lanes, const struct ir_var *var)
{
    return LLVMBuildLoad2(lanes->e->builder, lanes_type(lanes, var->type), slot_of(lanes, var), var->name);
}

// ---- values -------------------------------------------------------------------------------------------------------

static LLVMValueRef emit_shifted(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    LLVMOpcode opcode = inst->op == IR_OP_SHL ? LLVMShl : inst->op == IR_OP_LSHR ? LLVMLShr : LLVMAShr;
    int64_t count = inst->args[1]->imm & (8 * ir_type_size(inst->type) - 1);
    return LLVMBuildBinOp(e->builder, opcode, vector(lanes, inst->args[0]),
                          splat(lanes, emit_const(e, inst->type, count)), "");
}

static LLVMValueRef emit_converted(struct lanes *lanes, const struct ir_inst *inst)
{
    LLVMBuilderRef b = lanes->e->builder;
    LLVMValueRef x = vector(lanes, inst->args[0]);
    LLVMTypeRef type = lanes_type(lanes, inst->type);
    bool from_bool = inst->args[0]->type == IR_I1;
    switch (inst->op) {
    case IR_OP_SEXT: return from_bool ? LLVMBuildZExt(b, x, type, "") : LLVMBuildSExt(b, x, type, "");
    case IR_OP_ZEXT: return LLVMBuildZExt(b, x, type, "");
    case IR_OP_TRUNC: return LLVMBuildTrunc(b, x, type, "");
    case IR_OP_SITOFP: return from_bool ? LLVMBuildUIToFP(b, x, type, "") : LLVMBuildSIToFP(b, x, type, "");
    case IR_OP_UITOFP: return LLVMBuildUIToFP(b, x, type, "");
    case IR_OP_FPEXT: return LLVMBuildFPExt(b, x, type, "");
    case IR_OP_FPTRUNC: return LLVMBuildFPTrunc(b, x, type, "");
    default: assert(inst->op == IR_OP_BITCAST); return LLVMBuildBitCast(b, x, type, "");
    }
}

static LLVMValueRef emit_vector_index(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    LLVMValueRef size = splat(lanes, emit_value(e, inst->args[2]));
    LLVMValueRef offset = LLVMBuildNSWMul(e->builder, vector(lanes, inst->args[1]), size, "");
    bool is_one = lanes->values[inst->args[0]->id].kind == LANES_SAME;
    LLVMValueRef base = is_one ? scalar(lanes, inst->args[0]) : vector(lanes, inst->args[0]);
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
}

static LLVMValueRef emit_vector(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    LLVMValueRef value;
    switch (ir_op_group(inst->op)) {
    case IR_GROUP_MEMORY: return lanes_emit_load(lanes, inst);
    case IR_GROUP_LEAF: return load_var(lanes, inst->var);
    case IR_GROUP_ADDRESS: return emit_vector_index(lanes, inst);
    case IR_GROUP_CONVERT: return emit_converted(lanes, inst);
    case IR_GROUP_SELECT: {
        LLVMValueRef condition = lanes->values[inst->args[0]->id].kind == LANES_SAME ? emit_value(e, inst->args[0])
                                                                                     : vector(lanes, inst->args[0]);
        return LLVMBuildSelect(e->builder, condition, vector(lanes, inst->args[1]), vector(lanes, inst->args[2]), "");
    }
    case IR_GROUP_MATH:
        value = emit_intrinsic1(e, inst->imm == IR_MATH_SQRT ? "llvm.sqrt" : "llvm.fabs", vector(lanes, inst->args[0]));
        break;
    default:
        if (inst->op == IR_OP_SHL || inst->op == IR_OP_LSHR || inst->op == IR_OP_ASHR) {
            return emit_shifted(lanes, inst);
        }
        if (inst->op == IR_OP_FNEG) {
            value = LLVMBuildFNeg(e->builder, vector(lanes, inst->args[0]), "");
        } else if (inst->op == IR_OP_FMA) {
            LLVMTypeRef types[1] = {lanes_type(lanes, inst->type)};
            LLVMValueRef args[3] = {vector(lanes, inst->args[0]), vector(lanes, inst->args[1]),
                                    vector(lanes, inst->args[2])};
            value = emit_intrinsic(e, "llvm.fma", types, 1, args, 3);
        } else {
            value = emit_binary(e, inst->op, inst->args[0]->type, vector(lanes, inst->args[0]),
                                vector(lanes, inst->args[1]));
        }
    }
    emit_float_flags(e, value, LLVMFastMathNone);
    return value;
}

// In lane 0.
static LLVMValueRef emit_linear(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    LLVMBuilderRef b = e->builder;
    switch (inst->op) {
    case IR_OP_ITER:
    case IR_OP_GET: return lanes->first;
    case IR_OP_SEXT: return LLVMBuildSExt(b, scalar(lanes, inst->args[0]), e->types[inst->type], "");
    case IR_OP_TRUNC: return LLVMBuildTrunc(b, scalar(lanes, inst->args[0]), e->types[inst->type], "");
    case IR_OP_OFFSET: {
        LLVMValueRef offset = emit_i64(e, inst->imm);
        return LLVMBuildGEP2(b, e->types[IR_I8], scalar(lanes, inst->args[0]), &offset, 1, "");
    }
    case IR_OP_INDEX: {
        LLVMValueRef index = scalar(lanes, inst->args[1]);
        LLVMValueRef offset = LLVMBuildNSWMul(b, index, emit_value(e, inst->args[2]), "");
        return LLVMBuildGEPWithNoWrapFlags(b, e->types[IR_I8], scalar(lanes, inst->args[0]), &offset, 1, "",
                                           LLVMGEPFlagNUSW);
    }
    default: {
        LLVMValueRef x = scalar(lanes, inst->args[0]), y = scalar(lanes, inst->args[1]);
        return inst->op == IR_OP_ADD   ? LLVMBuildAdd(b, x, y, "")
               : inst->op == IR_OP_SUB ? LLVMBuildSub(b, x, y, "")
                                       : LLVMBuildMul(b, x, y, "");
    }
    }
}

static void emit_assignment(struct lanes *lanes, const struct ir_inst *inst)
{
    struct emitter *e = lanes->e;
    if (inst->op == IR_OP_SET && assignments_only_set(&lanes->assigned[inst->var->index]) == inst &&
        !(ir_type_is_int(inst->var->type) || ir_type_is_float(inst->var->type))) {
        return;
    }
    LLVMValueRef value = inst->op == IR_OP_SET
                             ? vector(lanes, inst->args[0])
                             : lanes_emit_updated(lanes, inst, inst->var->type, load_var(lanes, inst->var));
    LLVMBuildStore(e->builder, value, slot_of(lanes, inst->var));
}

bool lanes_emit(struct lanes *lanes, const struct ir_inst *inst)
{
    if (ir_op_sets(inst->op)) {
        if (!lanes->varies[inst->var->index]) {
            return false;
        }
        emit_assignment(lanes, inst);
        return true;
    }
    if (inst->op == IR_OP_STORE) {
        lanes_emit_store(lanes, inst, vector(lanes, inst->args[1]));
        return true;
    }
    if (inst->op == IR_OP_UPDATE) {
        lanes_emit_store(lanes, inst, lanes_emit_updated(lanes, inst, inst->type, lanes_emit_load(lanes, inst)));
        return true;
    }
    if (inst->id < 0 || lanes->values[inst->id].kind == LANES_SAME) {
        return false;
    }
    const struct lanes_value *value = &lanes->values[inst->id];
    lanes->items[inst->id] = value->source != NULL         ? value->kind == LANES_VECTOR ? vector(lanes, value->source)
                                                                                         : scalar(lanes, value->source)
                                     : value->kind == LANES_LINEAR ? emit_linear(lanes, inst)
                                                           : emit_vector(lanes, inst);
    return true;
}

// ---- the loop -----------------------------------------------------------------------------------------------------

static void begin_at(struct lanes *lanes, LLVMValueRef init, LLVMValueRef at)
{
    struct emitter *e = lanes->e;
    LLVMBuilderRef b = e->builder;
    enum ir_type type = lanes->counter != NULL ? lanes->counter->type : IR_I64;
    LLVMValueRef number = type == IR_I64 ? at : LLVMBuildTrunc(b, at, e->types[type], "");
    if (lanes->step != 1) {
        number = LLVMBuildMul(b, number, emit_const(e, type, lanes->step), "");
    }
    lanes->first = LLVMBuildAdd(b, init, number, "");
}

// Iterations from number |at| on.
static void emit_chunk(struct lanes *lanes, LLVMValueRef init, LLVMValueRef at)
{
    struct emitter *e = lanes->e;
    begin_at(lanes, init, at);
    e->function->lanes = lanes;
    emit_region(e, lanes->body);
    e->function->lanes = NULL;
}

// The first |count| lanes, of which there are fewer than 128: numbers of a byte are compared soonest.
static LLVMValueRef mask_of(struct lanes *lanes, LLVMValueRef count)
{
    struct emitter *e = lanes->e;
    assert(lanes->width < 128);
    LLVMValueRef some = LLVMBuildTrunc(e->builder, count, e->types[IR_I8], "");
    return LLVMBuildICmp(e->builder, LLVMIntULT, steps(lanes, IR_I8, 1), splat(lanes, some), "");
}

void lanes_emit_place(struct lanes *lanes, LLVMValueRef init, LLVMValueRef at, LLVMValueRef left)
{
    struct emitter *e = lanes->e;
    begin_at(lanes, init, at);
    LLVMValueRef is_all = LLVMBuildICmp(e->builder, LLVMIntULT, emit_i64(e, lanes->width), left, "");
    lanes->mask = mask_of(lanes, LLVMBuildSelect(e->builder, is_all, emit_i64(e, lanes->width), left, ""));
}

LLVMValueRef lanes_emit_loop(struct lanes *lanes, LLVMValueRef init, LLVMValueRef trip)
{
    struct emitter *e = lanes->e;
    LLVMBuilderRef b = e->builder;
    const struct ir_function *ir = e->function->ir;
    lanes->items = ARENA_ARRAY(e->arena, LLVMValueRef, ir->value_count + 1);
    lanes->vars = ARENA_ARRAY(e->arena, LLVMValueRef, ir->var_count + 1);
    LLVMValueRef whole = LLVMBuildAnd(b, trip, emit_i64(e, -(int64_t)lanes->width), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef chunk = emit_block(e, "lanes");
    LLVMBasicBlockRef rest = emit_block(e, "rest");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, whole, emit_i64(e, 0), ""), chunk, rest);

    emit_at(e, chunk);
    LLVMValueRef at = LLVMBuildPhi(b, e->types[IR_I64], "at");
    emit_chunk(lanes, init, at);
    LLVMValueRef next = LLVMBuildNUWAdd(b, at, emit_i64(e, lanes->width), "");
    LLVMAddIncoming(at, (LLVMValueRef[]){emit_i64(e, 0), next}, (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(b)},
                    2);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, next, whole, ""), chunk, rest);

    emit_at(e, rest);
    if (!lanes->may_mask) {
        return whole;
    }
    LLVMBasicBlockRef some = emit_block(e, "masked");
    LLVMBasicBlockRef after = emit_block(e, "over");
    LLVMValueRef left = LLVMBuildSub(b, trip, whole, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, left, emit_i64(e, 0), ""), some, after);
    emit_at(e, some);
    lanes->mask = mask_of(lanes, left);
    emit_chunk(lanes, init, whole);
    lanes->mask = NULL;
    emit_go(e, after);
    emit_at(e, after);
    return trip;
}

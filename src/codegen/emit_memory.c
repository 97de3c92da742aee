// Addresses, loads, stores and block operations.
#include "codegen/emit.h"

#include "ir/points_to.h"

#include <assert.h>
#include <string.h>

// ---- what is known about a pointer
// -------------------------------------------------------------------------------------------

// What a pointer was made from: a parameter, variable, global, slot, or something that cannot be followed.
static uint64_t lowest_bit(uint64_t value)
{
    return value & (0 - value);
}

// What the constant steps from the root of a pointer leave of its alignment: their bits.
static uint64_t steps_of(const struct ir_inst *pointer)
{
    uint64_t bits = 0;
    for (; pointer->op == IR_OP_INDEX || pointer->op == IR_OP_OFFSET; pointer = pointer->args[0]) {
        if (pointer->op == IR_OP_OFFSET) {
            bits |= (uint64_t)pointer->imm;
        } else if (pointer->args[2]->op == IR_OP_CONST) {
            bits |= (uint64_t)pointer->args[2]->imm;
        }
    }
    return bits;
}

// A power of two that divides the pointer; 0 if its root is not known.
static uint64_t known_alignment(struct emitter *e, const struct ir_inst *pointer)
{
    uint64_t bits = steps_of(pointer);
    pointer = address_root(pointer);
    const struct ir_function *ir = e->function->ir;
    uint64_t root = 0;
    if (pointer->op == IR_OP_ADDR_VAR) {
        root = pointer->var->align;
    } else if (pointer->op == IR_OP_ADDR_GLOBAL) {
        root = pointer->global->align;
    } else if (pointer->op == IR_OP_ADDR_SLOT) {
        root = 64 | (uint64_t)pointer->imm;
    } else if (pointer->op == IR_OP_PARAM && ir->kind != IR_FUNCTION_HELPER) {
        const struct ir_ctype *ctype = (ir->kernel != NULL ? ir->kernel : ir)->params[pointer->imm].ctype;
        root = ctype != NULL ? ctype->align : 0;
    }
    return root == 0 ? 0 : lowest_bit(bits | root);
}

// The type's own, unless the pointer leads into a packed struct. A pointer that cannot be followed is aligned as its
// type in C is, and so is what is found at constant steps from it.
uint32_t emit_alignment(struct emitter *e, const struct ir_inst *access)
{
    assert(ir_op_accesses(access->op));
    const struct ir_inst *pointer = access->args[0];
    uint64_t natural = (uint64_t)ir_type_size(access->type);
    uint64_t known = known_alignment(e, pointer);
    uint64_t in_run = emit_run_alignment(e, pointer, access->type);
    if (known == 0) {
        known = access->is_packed ? 1 : lowest_bit(natural | steps_of(pointer));
    }
    if (in_run > natural) {
        return (uint32_t)in_run;
    }
    return (uint32_t)(known < natural ? known : natural);
}

// Locals live in one place for all iterations, so an access to one is no proof of independence.
static bool may_be_local(struct emitter *e, const struct ir_inst *pointer)
{
    const struct ir_inst *root = address_root(pointer);
    if (root->op == IR_OP_ADDR_GLOBAL || root->op == IR_OP_ADDR_SLOT || root->op == IR_OP_PARAM) {
        return e->function->ir->kind == IR_FUNCTION_HELPER;
    }
    return root->op == IR_OP_ADDR_VAR || e->function->has_memory_vars;
}

static LLVMMetadataRef groups_node(struct emitter *e)
{
    LLVMMetadataRef all[16];
    size_t count = 0;
    for (struct emit_group *group = e->function->groups; group != NULL && count < 16; group = group->outer) {
        if (group->group != NULL) {
            all[count++] = group->group;
        }
    }
    return count == 0 ? NULL : count == 1 ? all[0] : LLVMMDNodeInContext2(e->context, all, count);
}

void emit_tag_access(struct emitter *e, LLVMValueRef access, const struct ir_inst *pointer)
{
    const struct emit_run *run = e->function->run;
    if ((e->function->groups == NULL && run == NULL) || may_be_local(e, pointer)) {
        return;
    }
    if (run != NULL) {
        emit_metadata(e, access, "alias.scope", run->scopes[run->at]);
        emit_metadata(e, access, "noalias", run->others[run->at]);
    }
    LLVMMetadataRef node = groups_node(e);
    if (node != NULL) {
        emit_metadata(e, access, "llvm.access.group", node);
    }
}

// ---- addresses
// ---------------------------------------------------------------------------------------------------------------

// Splits x + constant, if it is one that does not wrap: a[i - 1] and a[i + 1] are then a[i] at fixed distances, which
// cost LLVM next to nothing, instead of two addresses that it has to find out about. Returns the index without the
// constant, NULL if there is nothing to split.
static LLVMValueRef split_index(struct emitter *e, const struct ir_inst *index, int64_t *out_distance)
{
    const struct ir_inst *sum = index->op == IR_OP_SEXT ? index->args[0] : index;
    if (!sum->no_wrap || (sum->op != IR_OP_ADD && sum->op != IR_OP_SUB) || sum->args[1]->op != IR_OP_CONST) {
        return NULL;
    }
    *out_distance = sum->op == IR_OP_ADD ? sum->args[1]->imm : -sum->args[1]->imm;
    const struct emit_counter *counter = emit_counter_of(e, sum->args[0]);
    if (counter != NULL) {
        return counter->wide;
    }
    LLVMValueRef rest = emit_value(e, sum->args[0]);
    return sum == index ? rest : LLVMBuildSExt(e->builder, rest, e->types[IR_I64], "");
}

static LLVMValueRef scale_index(struct emitter *e, LLVMValueRef base, LLVMValueRef index, LLVMValueRef size)
{
    LLVMValueRef offset = LLVMBuildNSWMul(e->builder, index, size, "");
    return LLVMBuildGEPWithNoWrapFlags(e->builder, e->types[IR_I8], base, &offset, 1, "", LLVMGEPFlagNUSW);
}

// Where an index is out of range and unchecked the language leaves the result open, so the product may be taken not to
// overflow. The pointer itself may lie outside its object as long as nothing is read there, hence no inbounds.
static LLVMValueRef emit_index(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_INDEX);
    LLVMValueRef base = emit_value(e, inst->args[0]);
    LLVMValueRef index = emit_value(e, inst->args[1]);
    LLVMValueRef size = emit_value(e, inst->args[2]);
    const struct ir_inst *extent = inst->args[3];
    bool known = extent->op != IR_OP_CONST || extent->imm != -1;
    if (e->check_bounds && known && !inst->in_bounds) {
        emit_bounds_check(e, inst, index, emit_value(e, extent));
    }
    LLVMValueRef in_run = emit_run_address(e, inst);
    if (in_run != NULL) {
        return in_run;
    }
    int64_t distance = 0;
    LLVMValueRef rest = split_index(e, inst->args[1], &distance);
    if (rest == NULL) {
        LLVMValueRef linear = emit_linear_index(e, inst);
        return scale_index(e, base, linear != NULL ? linear : index, size);
    }
    return scale_index(e, scale_index(e, base, rest, size), emit_i64(e, distance), size);
}

static LLVMValueRef add_bytes(struct emitter *e, LLVMValueRef base, int64_t bytes)
{
    LLVMValueRef offset = emit_i64(e, bytes);
    return bytes == 0 ? base : LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
}

LLVMValueRef emit_address(struct emitter *e, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_ADDR_VAR: return e->function->vars[inst->var->index];
    case IR_OP_ADDR_GLOBAL: return emit_generic(e, e->globals[inst->global->index]);
    case IR_OP_ADDR_SLOT: return emit_slot(e, inst->imm);
    case IR_OP_INDEX: return emit_index(e, inst);
    default: return add_bytes(e, emit_value(e, inst->args[0]), inst->imm);
    }
}

// ---- loads and stores
// ----------------------------------------------------------------------------------------------------------

// An access that is not aligned ends everything on a GPU; so it does on what stands in for one.
void emit_insist_on_alignment(struct emitter *e, LLVMValueRef pointer, uint32_t align)
{
    assert(align != 0 && (align & (align - 1)) == 0);
    LLVMBuilderRef b = e->builder;
    if (!e->target->is_stand_in || align == 1) {
        return;
    }
    LLVMBasicBlockRef wrong = emit_block(e, "wrong");
    LLVMBasicBlockRef right = emit_block(e, "right");
    LLVMValueRef bits = LLVMBuildPtrToInt(b, pointer, e->types[IR_I64], "");
    LLVMValueRef rest = LLVMBuildAnd(b, bits, emit_i64(e, (int64_t)align - 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, emit_i64(e, 0), ""), right, wrong);
    emit_at(e, wrong);
    emit_intrinsic(e, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(b);
    emit_at(e, right);
}

// A truth value is a byte in memory. Returns what was loaded; the load itself is the value or its operand.
LLVMValueRef emit_load_raw(struct emitter *e, enum ir_type type, LLVMValueRef pointer, uint32_t align)
{
    enum ir_type stored = type == IR_I1 ? IR_I8 : type;
    emit_insist_on_alignment(e, pointer, align);
    LLVMValueRef value = LLVMBuildLoad2(e->builder, e->types[stored], pointer, "");
    LLVMSetAlignment(value, align);
    return value;
}

LLVMValueRef emit_store_raw(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef pointer,
                            uint32_t align)
{
    if (type == IR_I1) {
        value = LLVMBuildZExt(e->builder, value, e->types[IR_I8], "");
    }
    emit_insist_on_alignment(e, pointer, align);
    LLVMValueRef store = LLVMBuildStore(e->builder, value, pointer);
    LLVMSetAlignment(store, align);
    return store;
}

// Whether nobody writes what it loads while the task runs.
bool emit_is_only_read(struct emitter *e, const struct ir_inst *load)
{
    const struct ir_inst *root = address_root(load->args[0]);
    return e->function->only_read != NULL && root->op == IR_OP_PARAM && e->function->only_read[root->imm] &&
           !load->is_volatile;
}

LLVMValueRef emit_load_from(struct emitter *e, const struct ir_inst *inst, LLVMValueRef address)
{
    const struct ir_inst *pointer = inst->args[0];
    if (!inst->atomic) {
        sanitize_access(e, inst, pointer, (uint64_t)ir_type_size(inst->type), false);
    }
    LLVMValueRef load = emit_load_raw(e, inst->type, address, emit_alignment(e, inst));
    LLVMSetVolatile(load, inst->is_volatile);
    if (inst->atomic) {
        LLVMSetOrdering(load, LLVMAtomicOrderingMonotonic);
    }
    emit_tag_access(e, load, pointer);
    if (emit_is_only_read(e, inst)) {
        emit_metadata(e, load, "invariant.load", LLVMMDNodeInContext2(e->context, NULL, 0));
    }
    return inst->type == IR_I1 ? LLVMBuildTrunc(e->builder, load, e->types[IR_I1], "") : load;
}

static void emit_store(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_STORE);
    const struct ir_inst *pointer = inst->args[0];
    sanitize_access(e, inst, pointer, (uint64_t)ir_type_size(inst->type), true);
    LLVMValueRef store =
        emit_store_raw(e, inst->type, emit_value(e, inst->args[1]), emit_value(e, pointer), emit_alignment(e, inst));
    LLVMSetVolatile(store, inst->is_volatile);
    emit_tag_access(e, store, pointer);
}

// ---- block operations
// --------------------------------------------------------------------------------------------------------

static unsigned block_alignment(struct emitter *e, const struct ir_inst *pointer)
{
    uint64_t known = known_alignment(e, pointer);
    return known == 0 ? 1 : (unsigned)known;
}

static LLVMValueRef emit_compare_call(struct emitter *e, LLVMValueRef *args)
{
    LLVMTypeRef params[3] = {e->types[IR_PTR], e->types[IR_PTR], e->types[IR_I64]};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_I32], params, 3, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, "memcmp");
    if (function == NULL) {
        function = LLVMAddFunction(e->llvm, "memcmp", type);
        emit_attribute(e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
    }
    return LLVMBuildCall2(e->builder, type, function, args, 3, "");
}

static LLVMValueRef load_byte(struct emitter *e, LLVMValueRef base, LLVMValueRef at)
{
    LLVMValueRef pointer = LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &at, 1, "");
    LLVMValueRef byte = LLVMBuildLoad2(e->builder, e->types[IR_I8], pointer, "");
    return LLVMBuildZExt(e->builder, byte, e->types[IR_I32], "");
}

// GPUs have no memcmp to call: the difference of the first two bytes that differ.
static LLVMValueRef emit_compare_loop(struct emitter *e, LLVMValueRef *args)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef test = emit_block(e, "compare");
    LLVMBasicBlockRef look = emit_block(e, "bytes");
    LLVMBasicBlockRef after = emit_block(e, "compared");
    LLVMBuildBr(b, test);
    emit_at(e, test);
    LLVMValueRef at = LLVMBuildPhi(b, e->types[IR_I64], "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, at, args[2], ""), look, after);
    emit_at(e, look);
    LLVMValueRef difference = LLVMBuildSub(b, load_byte(e, args[0], at), load_byte(e, args[1], at), "");
    LLVMValueRef next = LLVMBuildAdd(b, at, emit_i64(e, 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, difference, emit_const(e, IR_I32, 0), ""), test, after);
    emit_at(e, after);
    LLVMValueRef result = LLVMBuildPhi(b, e->types[IR_I32], "");
    LLVMAddIncoming(at, (LLVMValueRef[]){emit_i64(e, 0), next}, (LLVMBasicBlockRef[]){before, look}, 2);
    LLVMAddIncoming(result, (LLVMValueRef[]){emit_const(e, IR_I32, 0), difference}, (LLVMBasicBlockRef[]){test, look},
                    2);
    return result;
}

LLVMValueRef emit_memory(struct emitter *e, const struct ir_inst *inst)
{
    assert(ir_op_accesses(inst->op));
    if (inst->op == IR_OP_LOAD) {
        LLVMValueRef early = emit_run_early(e, inst);
        return early != NULL ? early : emit_load_from(e, inst, emit_value(e, inst->args[0]));
    }
    if (inst->op == IR_OP_STORE) {
        emit_store(e, inst);
        return NULL;
    }
    LLVMValueRef args[3] = {emit_value(e, inst->args[0]), emit_value(e, inst->args[1]), emit_value(e, inst->args[2])};
    unsigned align = block_alignment(e, inst->args[0]);
    LLVMValueRef call = NULL;
    sanitize_range(e, inst, inst->args[0], args[2], inst->op != IR_OP_COMPARE);
    if (inst->op != IR_OP_FILL) {
        sanitize_range(e, inst, inst->args[1], args[2], false);
    }
    switch (inst->op) {
    case IR_OP_COPY:
        call = LLVMBuildMemMove(e->builder, args[0], align, args[1], block_alignment(e, inst->args[1]), args[2]);
        break;
    case IR_OP_FILL: call = LLVMBuildMemSet(e->builder, args[0], args[1], args[2], align); break;
    default: return target_is_gpu(e->target) ? emit_compare_loop(e, args) : emit_compare_call(e, args);
    }
    if (inst->is_volatile) { // the last operand of both intrinsics
        LLVMSetOperand(call, 3, emit_const(e, IR_I1, 1));
    }
    return NULL;
}

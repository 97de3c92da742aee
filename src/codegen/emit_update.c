// Updates: of variables, of memory, and atomic ones. What the hardware has no instruction for is a loop around compare
// and swap; LLVM widens 8- and 16-bit ones where the target lacks them. Memory that belongs to one thread has no
// atomics on a GPU, and needs none: there they are plain.
#include "codegen/emit.h"

#include "ir/points_to.h"
#include "plan/abi.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

// ---- the value after an update
// -----------------------------------------------------------------------------------------------

LLVMValueRef emit_truth(struct emitter *e, enum ir_type type, LLVMValueRef x)
{
    if (ir_type_is_half(type)) {
        x = emit_half_widen(e, type, x);
        type = IR_F32;
    }
    LLVMValueRef zero = LLVMConstNull(e->types[type]);
    return ir_type_is_float(type) ? LLVMBuildFCmp(e->builder, LLVMRealUNE, x, zero, "")
                                  : LLVMBuildICmp(e->builder, LLVMIntNE, x, zero, "");
}

static LLVMValueRef emit_logical(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef old,
                                 LLVMValueRef operand)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef was = emit_truth(e, type, old);
    LLVMValueRef is = ir_update_kind(update) == IR_UPDATE_KIND_LAND ? LLVMBuildAnd(b, was, operand, "")
                                                                    : LLVMBuildOr(b, was, operand, "");
    if (type == IR_I1) {
        return is;
    }
    if (ir_type_is_half(type)) {
        return LLVMBuildSelect(b, is, emit_real(e, type, 1), emit_real(e, type, 0), "");
    }
    return ir_type_is_float(type) ? LLVMBuildUIToFP(b, is, e->types[type], "")
                                  : LLVMBuildZExt(b, is, e->types[type], "");
}

static LLVMValueRef emit_min_max(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef old,
                                 LLVMValueRef operand)
{
    enum ir_op compare;
    bool old_first;
    if (!ir_update_choice(update, &compare, &old_first)) {
        bool is_half = ir_type_is_half(type);
        LLVMValueRef x = is_half ? emit_half_widen(e, type, old) : old;
        LLVMValueRef y = is_half ? emit_half_widen(e, type, operand) : operand;
        LLVMValueRef value = emit_minimum(e, x, y, ir_update_kind(update) == IR_UPDATE_KIND_MIN);
        return is_half ? emit_half_narrow(e, type, value) : value;
    }
    LLVMValueRef first = old_first ? old : operand;
    LLVMValueRef second = old_first ? operand : old;
    LLVMValueRef is_first = emit_binary(e, compare, type, first, second);
    return LLVMBuildSelect(e->builder, is_first, first, second, "");
}

LLVMValueRef emit_update_value(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef old,
                               LLVMValueRef operand, LLVMFastMathFlags flags)
{
    enum ir_op op = ir_update_op(update, type);
    if (op != IR_OP_COUNT) {
        LLVMValueRef value = emit_binary(e, op, type, old, operand);
        if (ir_type_is_float(type)) {
            emit_float_flags(e, value, flags);
        }
        return value;
    }
    switch (ir_update_kind(update)) {
    case IR_UPDATE_KIND_LAND:
    case IR_UPDATE_KIND_LOR: return emit_logical(e, update, type, old, operand);
    case IR_UPDATE_KIND_STORE: return operand;
    default: return emit_min_max(e, update, type, old, operand);
    }
}

// ---- atomics
// -----------------------------------------------------------------------------------------------------------------

// The hardware's operation; LLVMAtomicRMWBinOpXchg with |has| false if there is none.
static LLVMAtomicRMWBinOp hardware_op(enum ir_update update, enum ir_type type, bool *has)
{
    *has = true;
    if (ir_type_is_half(type)) {
        *has = update == IR_UPDATE_EXCHANGE;
        return LLVMAtomicRMWBinOpXchg;
    }
    if (ir_type_is_float(type)) {
        switch (update) {
        case IR_UPDATE_ADD: return LLVMAtomicRMWBinOpFAdd;
        case IR_UPDATE_SUB: return LLVMAtomicRMWBinOpFSub;
        case IR_UPDATE_EXCHANGE: return LLVMAtomicRMWBinOpXchg;
        default: *has = false; return LLVMAtomicRMWBinOpXchg;
        }
    }
    switch (update) {
    case IR_UPDATE_ADD: return LLVMAtomicRMWBinOpAdd;
    case IR_UPDATE_SUB: return LLVMAtomicRMWBinOpSub;
    case IR_UPDATE_AND: return LLVMAtomicRMWBinOpAnd;
    case IR_UPDATE_OR: return LLVMAtomicRMWBinOpOr;
    case IR_UPDATE_XOR: return LLVMAtomicRMWBinOpXor;
    case IR_UPDATE_SMIN: return LLVMAtomicRMWBinOpMin;
    case IR_UPDATE_UMIN: return LLVMAtomicRMWBinOpUMin;
    case IR_UPDATE_SMAX: return LLVMAtomicRMWBinOpMax;
    case IR_UPDATE_UMAX: return LLVMAtomicRMWBinOpUMax;
    case IR_UPDATE_EXCHANGE: return LLVMAtomicRMWBinOpXchg;
    default: *has = false; return LLVMAtomicRMWBinOpXchg;
    }
}

// Who sees it happen as one: the block, the device, or (memory that is not the device's own) everybody.
static const char *scope_of(const struct emitter *e, bool is_shared)
{
    return is_shared ? "workgroup" : e->is_remote ? "" : "agent";
}

// Atomics are device-wide. On AMD GPUs the memory does them, and only a device's own memory does all of them: a bus
// loses float additions without a word. The compiler must hear which memory it is; told nothing, it uses compare and
// swap for what may be lost.
static void set_scope(struct emitter *e, LLVMValueRef atomic, bool is_shared)
{
    if (e->target->kind != TARGET_AMDGPU) {
        return;
    }
    const char *scope = scope_of(e, is_shared);
    LLVMSetAtomicSyncScopeID(atomic, LLVMGetSyncScopeID(e->context, scope, strlen(scope)));
    LLVMMetadataRef empty = LLVMMDNodeInContext2(e->context, NULL, 0);
    if (is_shared || !e->is_remote) {
        emit_metadata(e, atomic, "amdgpu.no.fine.grained.memory", empty);
        emit_metadata(e, atomic, "amdgpu.no.remote.memory", empty);
    }
    emit_metadata(e, atomic, "amdgpu.ignore.denormal.mode", empty); // a GPU's float atomics may flush subnormals
    // None is done in a thread's own memory (emit_atomic sees to it), for which LLVM would look once more.
    LLVMMetadataRef range[2] = {LLVMValueAsMetadata(emit_const(e, IR_I32, TARGET_SPACE_PRIVATE)),
                                LLVMValueAsMetadata(emit_const(e, IR_I32, TARGET_SPACE_PRIVATE + 1))};
    emit_metadata(e, atomic, "noalias.addrspace", LLVMMDNodeInContext2(e->context, range, 2));
}

static enum ir_type int_of(enum ir_type type)
{
    return ir_type_is_half(type)              ? IR_I16
           : type == IR_F32                   ? IR_I32
           : type == IR_F64 || type == IR_PTR ? IR_I64
           : type == IR_I1                    ? IR_I8
                                              : type;
}

static LLVMValueRef to_int(struct emitter *e, enum ir_type type, LLVMValueRef value)
{
    enum ir_type as = int_of(type);
    switch (type) {
    case IR_F32:
    case IR_F64: return LLVMBuildBitCast(e->builder, value, e->types[as], "");
    case IR_PTR: return LLVMBuildPtrToInt(e->builder, value, e->types[as], "");
    case IR_I1: return LLVMBuildZExt(e->builder, value, e->types[as], "");
    default: return value;
    }
}

static LLVMValueRef from_int(struct emitter *e, enum ir_type type, LLVMValueRef value)
{
    switch (type) {
    case IR_F32:
    case IR_F64: return LLVMBuildBitCast(e->builder, value, e->types[type], "");
    case IR_PTR: return LLVMBuildIntToPtr(e->builder, value, e->types[type], "");
    case IR_I1: return LLVMBuildTrunc(e->builder, value, e->types[type], "");
    default: return value;
    }
}

// Atomics want what they touch aligned to its size, on every GPU.
static void insist(struct emitter *e, enum ir_type type, LLVMValueRef pointer)
{
    emit_insist_on_alignment(e, pointer, (uint32_t)ir_type_size(type));
}

static LLVMValueRef compare_and_swap(struct emitter *e, LLVMValueRef pointer, LLVMValueRef expected,
                                     LLVMValueRef wanted)
{
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, pointer, expected, wanted, LLVMAtomicOrderingMonotonic,
                                               LLVMAtomicOrderingMonotonic, false);
    set_scope(e, pair, false);
    return pair;
}

// old = *p; do seen = old, old = cas(p, seen, update(seen)) while it was not seen. Bits are compared, so a NaN ends
// too.
static LLVMValueRef emit_swap_loop(struct emitter *e, const struct ir_inst *inst, LLVMValueRef pointer,
                                   LLVMValueRef operand)
{
    LLVMBuilderRef b = e->builder;
    enum ir_type type = inst->type;
    enum ir_type as = int_of(type);
    insist(e, type, pointer);
    LLVMValueRef first = LLVMBuildLoad2(b, e->types[as], pointer, "");
    LLVMSetAlignment(first, (unsigned)ir_type_size(type));
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    if (e->target->kind == TARGET_AMDGPU) {
        const char *scope = scope_of(e, false);
        LLVMSetAtomicSyncScopeID(first, LLVMGetSyncScopeID(e->context, scope, strlen(scope)));
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef again = emit_block(e, "swap");
    LLVMBasicBlockRef after = emit_block(e, "swapped");
    LLVMBuildBr(b, again);
    emit_at(e, again);
    LLVMValueRef seen = LLVMBuildPhi(b, e->types[as], "seen");
    LLVMValueRef old = from_int(e, type, seen);
    LLVMValueRef wanted = emit_update_value(e, inst->update, type, old, operand, LLVMFastMathNone);
    LLVMValueRef pair = compare_and_swap(e, pointer, seen, to_int(e, type, wanted));
    LLVMValueRef found = LLVMBuildExtractValue(b, pair, 0, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), after, again);
    LLVMAddIncoming(seen, (LLVMValueRef[]){first, found}, (LLVMBasicBlockRef[]){before, latch}, 2);
    emit_at(e, after);
    return old;
}

// An update that the hardware has, of memory that the whole device sees, or of the block's own.
LLVMValueRef emit_atomic_at(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef pointer,
                            LLVMValueRef operand, bool is_shared)
{
    bool has;
    LLVMAtomicRMWBinOp op = hardware_op(update, type, &has);
    if (target_has_remote(e->target) && e->target->is_stand_in && !is_shared && !e->is_remote) {
        stand_in_note_atomic(e, pointer);
    }
    insist(e, type, pointer);
    LLVMValueRef old = LLVMBuildAtomicRMW(e->builder, op, pointer, operand, LLVMAtomicOrderingMonotonic, false);
    set_scope(e, old, is_shared);
    return old;
}

static LLVMValueRef emit_cas(struct emitter *e, const struct ir_inst *inst, const LLVMValueRef *args)
{
    assert(inst->op == IR_OP_CAS);
    insist(e, inst->type, args[0]);
    LLVMValueRef pair = compare_and_swap(e, args[0], to_int(e, inst->type, args[1]), to_int(e, inst->type, args[2]));
    return from_int(e, inst->type, LLVMBuildExtractValue(e->builder, pair, 0, ""));
}

// In memory that other threads see. |args| are the instruction's; returns the old value.
static LLVMValueRef emit_device_atomic(struct emitter *e, const struct ir_inst *inst, const LLVMValueRef *args)
{
    if (inst->op == IR_OP_CAS) {
        return emit_cas(e, inst, args);
    }
    if (emit_append_is_one(e, inst)) {
        return emit_append(e, inst, args);
    }
    bool has;
    (void)hardware_op(inst->update, inst->type, &has);
    if (!has || inst->type == IR_I1 || inst->type == IR_PTR) {
        return emit_swap_loop(e, inst, args[0], args[1]);
    }
    return emit_atomic_at(e, inst->update, inst->type, args[0], args[1], false);
}

// In memory that no other thread sees.
static LLVMValueRef emit_own_atomic(struct emitter *e, const struct ir_inst *inst, const LLVMValueRef *args)
{
    LLVMBuilderRef b = e->builder;
    enum ir_type type = inst->type;
    uint32_t align = emit_alignment(e, inst);
    LLVMValueRef load = emit_load_raw(e, type, args[0], align);
    LLVMValueRef old = type == IR_I1 ? LLVMBuildTrunc(b, load, e->types[IR_I1], "") : load;
    LLVMValueRef value;
    if (inst->op == IR_OP_CAS) { // bits are compared
        LLVMValueRef is_same = LLVMBuildICmp(b, LLVMIntEQ, to_int(e, type, old), to_int(e, type, args[1]), "");
        value = LLVMBuildSelect(b, is_same, args[2], old, "");
    } else {
        value = emit_update_value(e, inst->update, type, old, args[1], LLVMFastMathNone);
    }
    emit_store_raw(e, type, value, args[0], align);
    return old;
}

// Whose memory |pointer| points into.
enum owner { OWNER_ALL, OWNER_THREAD, OWNER_EITHER };

static enum owner owner_of(const struct emitter *e, const struct ir_inst *pointer)
{
    const struct ir_inst *root = address_root(pointer);
    bool is_gpu = e->target->kind != TARGET_X86; // elsewhere atomics do in all memory alike
    switch (root->op) {
    case IR_OP_ADDR_VAR: return OWNER_THREAD;
    case IR_OP_ADDR_GLOBAL:
    case IR_OP_ADDR_SLOT: return OWNER_ALL;
    case IR_OP_PARAM: return is_gpu && e->function->ir->kind == IR_FUNCTION_HELPER ? OWNER_EITHER : OWNER_ALL;
    default: return is_gpu ? OWNER_EITHER : OWNER_ALL;
    }
}

// A pointer that cannot be followed: the thread looks where it leads. Once a helper is inlined, LLVM mostly knows.
static LLVMValueRef emit_either_atomic(struct emitter *e, const struct ir_inst *inst, LLVMValueRef *args)
{
    LLVMBuilderRef b = e->builder;
    bool is_nvidia = e->target->kind == TARGET_NVPTX;
    const char *test = is_nvidia ? "llvm.nvvm.isspacep.local" : "llvm.amdgcn.is.private";
    LLVMValueRef is_own = emit_intrinsic(e, test, NULL, 0, args, 1);
    LLVMBasicBlockRef own = emit_block(e, "own");
    LLVMBasicBlockRef shared = emit_block(e, "shared");
    LLVMBasicBlockRef after = emit_block(e, "updated");
    LLVMBuildCondBr(b, is_own, own, shared);
    LLVMValueRef values[2];
    LLVMBasicBlockRef ends[2];
    emit_at(e, own);
    values[0] = emit_own_atomic(e, inst, args);
    ends[0] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    emit_at(e, shared);
    values[1] = emit_device_atomic(e, inst, args);
    ends[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    emit_at(e, after);
    LLVMValueRef old = LLVMBuildPhi(b, e->types[inst->type], "old");
    LLVMAddIncoming(old, values, ends, 2);
    return old;
}

// Of an ATOMIC, a CAS or an UPDATE that must be atomic; returns the old value. In a thread's own memory it is undefined
// in PTX for a generic address and refused for a local one, and AMD's flat instructions do not do all of them there.
static LLVMValueRef emit_atomic(struct emitter *e, const struct ir_inst *inst)
{
    LLVMValueRef args[3] = {0};
    assert(inst->arg_count >= 2 && inst->arg_count <= 3);
    for (int i = 0; i < inst->arg_count; i++) {
        args[i] = emit_value(e, inst->args[i]);
    }
    switch (owner_of(e, inst->args[0])) {
    case OWNER_THREAD: return emit_own_atomic(e, inst, args);
    case OWNER_EITHER: return emit_either_atomic(e, inst, args);
    default: return emit_device_atomic(e, inst, args);
    }
}

// ---- plain updates
// -----------------------------------------------------------------------------------------------------------

// x = fma(±a, b, x): the product that the update adds is never rounded.
static LLVMValueRef emit_fused(struct emitter *e, const struct ir_inst *inst, LLVMValueRef old)
{
    assert(inst->fused);
    const struct ir_inst *product = inst->args[inst->arg_count - 1];
    LLVMValueRef a = emit_value(e, product->args[0]);
    LLVMTypeRef type = LLVMTypeOf(a);
    if (inst->update == IR_UPDATE_SUB) {
        a = LLVMBuildFNeg(e->builder, a, "");
    }
    LLVMValueRef args[3] = {a, emit_value(e, product->args[1]), old};
    return emit_intrinsic(e, "llvm.fma", &type, 1, args, 3);
}

static void emit_plain_update(struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_inst *pointer = inst->args[0];
    LLVMValueRef address = emit_value(e, pointer);
    uint32_t align = emit_alignment(e, inst);
    sanitize_access(e, inst, pointer, (uint64_t)ir_type_size(inst->type), true);
    LLVMValueRef load = emit_load_raw(e, inst->type, address, align);
    emit_tag_access(e, load, pointer);
    LLVMValueRef old = inst->type == IR_I1 ? LLVMBuildTrunc(e->builder, load, e->types[IR_I1], "") : load;
    LLVMValueRef value = inst->fused ? emit_fused(e, inst, old)
                                     : emit_update_value(e, inst->update, inst->type, old, emit_value(e, inst->args[1]),
                                                         LLVMFastMathNone);
    LLVMValueRef store = emit_store_raw(e, inst->type, value, address, align);
    emit_tag_access(e, store, pointer);
}

// Only the operations that lead into the running value of a reduction may be put in another order; there a fused update
// is a sum and a product that may be fused, because LLVM makes vectors of these but not of an exact fma.
static LLVMValueRef emit_reduction_step(struct emitter *e, const struct ir_inst *inst, LLVMValueRef old)
{
    LLVMFastMathFlags flags = LLVMFastMathAllowReassoc;
    LLVMValueRef operand = emit_value(e, inst->args[0]);
    if (inst->fused) {
        flags |= LLVMFastMathAllowContract;
        emit_float_flags(e, operand, LLVMFastMathAllowContract);
    }
    return emit_update_value(e, inst->update, inst->var->type, old, operand, flags);
}

static void emit_variable_update(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_VUPDATE);
    LLVMValueRef slot = e->function->vars[inst->var->index];
    enum ir_type type = inst->var->type;
    LLVMValueRef old = LLVMBuildLoad2(e->builder, e->types[type], slot, inst->var->name);
    LLVMValueRef value;
    if (ir_type_is_float(type) && emit_may_reassociate(e, inst)) {
        value = emit_reduction_step(e, inst, old);
    } else if (inst->fused) {
        value = emit_fused(e, inst, old);
    } else {
        value = emit_update_value(e, inst->update, type, old, emit_value(e, inst->args[0]), LLVMFastMathNone);
    }
    LLVMBuildStore(e->builder, value, slot);
}

// ---- private copies
// ----------------------------------------------------------------------------------------------------------

static LLVMValueRef load_copy(struct emitter *e, int number, size_t member, LLVMTypeRef type)
{
    LLVMBuilderRef b = e->function->entry;
    LLVMValueRef at = emit_i64(e, offsetof(struct abi_frame, copies));
    LLVMValueRef place = LLVMBuildInBoundsGEP2(b, e->types[IR_I8], e->function->frame, &at, 1, "");
    LLVMValueRef copies = LLVMBuildLoad2(b, e->types[IR_PTR], place, "copies");
    LLVMMetadataRef empty = LLVMMDNodeInContext2(e->context, NULL, 0);
    emit_metadata(e, copies, "invariant.load", empty);
    at = emit_i64(e, (int64_t)((size_t)number * sizeof(struct abi_copy) + member));
    LLVMValueRef value = LLVMBuildLoad2(b, type, LLVMBuildInBoundsGEP2(b, e->types[IR_I8], copies, &at, 1, ""), "copy");
    emit_metadata(e, value, "invariant.load", empty);
    return value;
}

// An update that must be atomic in its own place is plain in a copy that nobody else has. What the copy does not cover
// goes to its own place, so that one version of the code serves a launch with copies and one without, and an index out
// of range touches what it always did.
static void emit_copied_update(struct emitter *e, const struct ir_inst *inst)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i64 = e->types[IR_I64];
    int number = inst->copy - 1;
    LLVMValueRef first = load_copy(e, number, offsetof(struct abi_copy, first), i64);
    LLVMValueRef limit = load_copy(e, number, offsetof(struct abi_copy, limit), i64);
    LLVMValueRef bytes = load_copy(e, number, offsetof(struct abi_copy, bytes), e->types[IR_PTR]);
    LLVMValueRef pointer = emit_value(e, inst->args[0]);
    LLVMValueRef operand = emit_value(e, inst->args[1]);
    LLVMValueRef offset = LLVMBuildSub(b, LLVMBuildPtrToInt(b, pointer, i64, ""), first, "");
    LLVMBasicBlockRef copied = emit_block(e, "copied");
    LLVMBasicBlockRef shared = emit_block(e, "shared");
    LLVMBasicBlockRef after = emit_block(e, "updated");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, offset, limit, ""), copied, shared);
    emit_at(e, copied);
    uint32_t align = (uint32_t)ir_type_size(inst->type);
    LLVMValueRef place = LLVMBuildGEP2(b, e->types[IR_I8], bytes, &offset, 1, "");
    LLVMValueRef old = emit_load_raw(e, inst->type, place, align);
    LLVMValueRef value = emit_update_value(e, inst->update, inst->type, old, operand, LLVMFastMathNone);
    emit_store_raw(e, inst->type, value, place, align);
    LLVMBuildBr(b, after);
    emit_at(e, shared);
    (void)emit_atomic(e, inst);
    LLVMBuildBr(b, after);
    emit_at(e, after);
}

// Memory that the threads of a team share, each of them in iterations of its own.
static bool is_team_local(const struct emitter *e, const struct ir_inst *update)
{
    const struct ir_inst *root = address_root(update->args[0]);
    const struct emit_team *team = e->function->team;
    return root->op == IR_OP_ADDR_VAR && root->var->is_team && team != NULL && team->is_inside &&
           !e->target->is_stand_in;
}

LLVMValueRef emit_update(struct emitter *e, const struct ir_inst *inst)
{
    assert(ir_op_updates(inst->op) || inst->op == IR_OP_CAS);
    switch (inst->op) {
    case IR_OP_ATOMIC:
    case IR_OP_CAS: return emit_atomic(e, inst);
    case IR_OP_VUPDATE: emit_variable_update(e, inst); return NULL;
    default: break;
    }
    // ThreadSanitizer would see the same accesses to memory that it knows nothing of, and no race less.
    bool has_copies = inst->copy > 0 && !target_is_gpu(e->target) && !sanitize_is(e, "thread");
    if (inst->atomic && has_copies) {
        emit_copied_update(e, inst);
    } else if (inst->atomic && emit_copies_update(e, inst)) {
        return NULL;
    } else if (inst->atomic) {
        (void)emit_atomic(e, inst);
    } else if (is_team_local(e, inst)) {
        LLVMValueRef operand = emit_value(e, inst->args[1]);
        (void)emit_atomic_at(e, inst->update, inst->type, emit_value(e, inst->args[0]), operand, true);
    } else {
        emit_plain_update(e, inst);
    }
    return NULL;
}

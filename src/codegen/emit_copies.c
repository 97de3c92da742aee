// Shared updates on a GPU: a small histogram, for instance. Atomic updates of a few addresses from all over the device
// wait for each other; so the threads of a block gather theirs in memory that the block shares, and each block adds
// that to the array once, in the end. Where the launch says that it does not pay, or that the array is too large, and
// for an index out of range, the update goes to its own place as it would without copies.
//
// The launch says so by the two parameters that are for partial records in other tasks: the address of what the copy
// stands for, and its bytes, 0 for none.
#include "codegen/emit.h"

#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

// Shared memory of a block has atomic updates of 32 and 64 bits.
static bool can_gather(const struct ir_inst *inst)
{
    bool is_wide = inst->type == IR_I32 || inst->type == IR_I64;
    return is_wide && ir_update_gathers(inst->update, inst->type);
}

static const struct ir_inst *find_update(const struct ir_region *region)
{
    WALK (inst, region) {
        if (inst->op == IR_OP_UPDATE && inst->atomic && inst->copy == 1 && can_gather(inst)) {
            return inst;
        }
    }
    return NULL;
}

// One of the updates that the task's first copy takes; NULL: it takes none.
static const struct ir_inst *gathered(const struct emitter *e, const struct ir_function *ir)
{
    bool may_have =
        target_is_gpu(e->target) && ir->kind == IR_FUNCTION_TASK && !ir->is_serial && ir->accumulator_count == 0;
    return may_have ? find_update(&ir->body) : NULL;
}

bool emit_copies_has(const struct emitter *e, const struct ir_function *ir)
{
    return gathered(e, ir) != NULL;
}

static LLVMValueRef identity_of(struct emitter *e, const struct ir_inst *update)
{
    assert(can_gather(update));
    union ir_value identity;
    (void)ir_update_identity(update->update, update->type, &identity);
    return emit_const(e, update->type, identity.i);
}

// |f->shared| for each element of the copy, the block's threads taking turns.
static void each_element(struct emitter *e, const struct emit_thread *thread, const struct ir_inst *update,
                         void (*body)(struct emitter *e, const struct ir_inst *update, LLVMValueRef offset))
{
    LLVMBuilderRef b = e->builder;
    int64_t size = ir_type_size(update->type);
    LLVMValueRef limit = LLVMGetParam(e->function->llvm, 3);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef loop = emit_block(e, "element");
    LLVMBasicBlockRef after = emit_block(e, "elements");
    LLVMValueRef first = LLVMBuildMul(b, thread->lane, emit_i64(e, size), "");
    LLVMValueRef stride = LLVMBuildMul(b, thread->size, emit_i64(e, size), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, first, limit, ""), loop, after);
    emit_at(e, loop);
    LLVMValueRef at = LLVMBuildPhi(b, e->types[IR_I64], "");
    body(e, update, at);
    LLVMValueRef next = LLVMBuildNUWAdd(b, at, stride, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, limit, ""), loop, after);
    LLVMAddIncoming(at, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    emit_at(e, after);
}

static LLVMValueRef place_at(struct emitter *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
}

static void clear_element(struct emitter *e, const struct ir_inst *update, LLVMValueRef offset)
{
    LLVMValueRef identity = identity_of(e, update);
    emit_store_raw(e, update->type, identity, place_at(e, e->function->shared, offset),
                   (uint32_t)ir_type_size(update->type));
}

static void add_element(struct emitter *e, const struct ir_inst *update, LLVMValueRef offset)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef identity = identity_of(e, update);
    LLVMValueRef value =
        emit_load_raw(e, update->type, place_at(e, e->function->shared, offset), (uint32_t)ir_type_size(update->type));
    LLVMBasicBlockRef add = emit_block(e, "add");
    LLVMBasicBlockRef added = emit_block(e, "added");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, value, identity, ""), added, add);
    emit_at(e, add);
    enum ir_update merge = ir_update_merge(update->update);
    emit_atomic_at(e, merge, update->type, place_at(e, e->function->partial, offset), value, false);
    LLVMBuildBr(b, added);
    emit_at(e, added);
}

void emit_copies_begin(struct emitter *e, const struct emit_thread *thread)
{
    struct emit_function *f = e->function;
    const struct ir_inst *update = gathered(e, f->ir);
    if (update == NULL) {
        return;
    }
    LLVMTypeRef type = LLVMArrayType2(e->types[IR_I8], ABI_GPU_COPY_SIZE);
    f->shared = e->target->is_stand_in ? emit_alloca(e, type, 8, "copy") : emit_shared(e, type, "rill_copy");
    each_element(e, thread, update, clear_element);
    emit_meet(e);
}

void emit_copies_end(struct emitter *e, const struct emit_thread *thread)
{
    const struct ir_inst *update = gathered(e, e->function->ir);
    if (update == NULL) {
        return;
    }
    emit_meet(e);
    each_element(e, thread, update, add_element);
}

bool emit_copies_update(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_UPDATE && inst->atomic);
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    if (f->shared == NULL || inst->copy != 1 || !can_gather(inst)) {
        return false;
    }
    LLVMValueRef pointer = emit_value(e, inst->args[0]);
    LLVMValueRef operand = emit_value(e, inst->args[1]);
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMValueRef first = LLVMBuildPtrToInt(b, f->partial, i64, "");
    // Addresses of the device's memory are the same in both address spaces.
    LLVMValueRef offset = LLVMBuildSub(b, LLVMBuildPtrToInt(b, pointer, i64, ""), first, "");
    LLVMBasicBlockRef copied = emit_block(e, "copied");
    LLVMBasicBlockRef own = emit_block(e, "own");
    LLVMBasicBlockRef after = emit_block(e, "updated");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, offset, LLVMGetParam(f->llvm, 3), ""), copied, own);
    emit_at(e, copied);
    emit_atomic_at(e, inst->update, inst->type, place_at(e, f->shared, offset), operand, true);
    LLVMBuildBr(b, after);
    emit_at(e, own);
    emit_atomic_at(e, inst->update, inst->type, pointer, operand, false);
    LLVMBuildBr(b, after);
    emit_at(e, after);
    return true;
}

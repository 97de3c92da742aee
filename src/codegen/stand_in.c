// Stand-in code: the GPU's form of a module's tasks as x86-64 code, for a driver library that runs grids on the CPU
// (tests/fakes). The tasks go the way they go for a GPU: threads that find their own iterations, atomics, partial
// records, failures and prints in the launch's frame. Only the number of the thread comes from somewhere else, since a
// block has one lane and is one call:
//
//     void entry(void *const *params, uint32_t grid_size, uint32_t block_index);
//
// |params| is what cuLaunchKernel gets: the address of each parameter of the GPU's entry. Code that stands in for an
// AMD GPU's calls rill_stand_in_atomic(address) before each atomic that holds in the device's own memory alone.
//
// The object lies behind the zero byte that ends the PTX, so that a real driver never sees it, and the first line of
// the PTX says where: "// rill stand-in OFFSET SIZE". Code for AMD GPUs is an ELF file, whose header says where it ends
// (with the table of sections, its last part): at the next multiple of 16 follow STAND_IN_MARK, the object's size as 8
// bytes, 8 zeros, and the object.
#include "codegen/emit.h"
#include "codegen/pipeline.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LINE_SIZE = 64, OBJECT_ALIGN = 16 };

static const char STAND_IN_MARK[16] = "rill stand-in\n\0";

// The parameter that is passed by value in memory: the argument buffer.
static bool is_buffer(int index)
{
    return index == 0;
}

// The function that the driver calls: fetches the parameters and runs one lane.
static void add_caller(struct emitter *e, const char *name, LLVMValueRef lane, LLVMTypeRef lane_type)
{
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMTypeRef types[3] = {ptr, e->types[IR_I32], e->types[IR_I32]};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], types, 3, false);
    LLVMValueRef caller = LLVMAddFunction(e->llvm, name, type);
    int count = (int)LLVMCountParams(lane);
    LLVMValueRef *args = ARENA_ARRAY(e->arena, LLVMValueRef, count); // before the builder, which it could leave behind
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(e->context, caller, "entry"));
    for (int i = 0; i < count - 2; i++) {
        LLVMValueRef index = emit_i64(e, i);
        LLVMValueRef slot = LLVMBuildInBoundsGEP2(b, ptr, LLVMGetParam(caller, 0), &index, 1, "");
        args[i] = LLVMBuildLoad2(b, ptr, slot, "");
        if (!is_buffer(i)) {
            args[i] = LLVMBuildLoad2(b, LLVMTypeOf(LLVMGetParam(lane, (unsigned)i)), args[i], "");
            LLVMSetAlignment(args[i], 1);
        }
    }
    args[count - 2] = LLVMGetParam(caller, 1);
    args[count - 1] = LLVMGetParam(caller, 2);
    LLVMBuildCall2(b, lane_type, lane, args, (unsigned)count, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

// The function that the task is emitted into: the GPU's parameters, then the number of blocks and this block.
LLVMValueRef stand_in_declare(struct emitter *e, const char *name, LLVMTypeRef *params, int count)
{
    LLVMTypeRef *types = ARENA_ARRAY(e->arena, LLVMTypeRef, count + 2);
    memcpy(types, params, sizeof *types * (size_t)count);
    types[count] = e->types[IR_I32];
    types[count + 1] = e->types[IR_I32];
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], types, (unsigned)count + 2, false);
    LLVMValueRef lane = LLVMAddFunction(e->llvm, arena_printf(e->arena, "%s.lane", name), type);
    LLVMSetLinkage(lane, LLVMInternalLinkage);
    emit_attribute(e, lane, 1, "noalias", 0);
    emit_attribute(e, lane, 1, "readonly", 0);
    add_caller(e, name, lane, type);
    return lane;
}

// The lane is inlined into the function that the driver calls, which is optimised as a GPU's entry is.
void stand_in_mark(struct emitter *e, LLVMValueRef lane, const char *attribute)
{
    LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(lane));
    emit_attribute_text(e, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), attribute, "");
}

LLVMValueRef stand_in_thread(struct emitter *e, LLVMValueRef *out_count)
{
    LLVMValueRef lane = e->function->llvm;
    unsigned count = LLVMCountParams(lane);
    *out_count = LLVMBuildZExt(e->builder, LLVMGetParam(lane, count - 2), e->types[IR_I64], "threads");
    return LLVMBuildZExt(e->builder, LLVMGetParam(lane, count - 1), e->types[IR_I64], "thread");
}

// Tells the driver, which knows what memory it gave out, that the hardware is about to do an atomic there.
void stand_in_note_atomic(struct emitter *e, LLVMValueRef pointer)
{
    static const char name[] = "rill_stand_in_atomic";
    LLVMTypeRef params[1] = {e->types[IR_PTR]};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    function = function != NULL ? function : LLVMAddFunction(e->llvm, name, type);
    LLVMValueRef generic = emit_generic(e, pointer);
    LLVMBuildCall2(e->builder, type, function, &generic, 1, "");
}

static void saturate(struct emitter *e, LLVMValueRef inst, const char *name)
{
    LLVMPositionBuilderBefore(e->builder, inst);
    LLVMValueRef value = LLVMGetOperand(inst, 0);
    LLVMTypeRef types[2] = {LLVMTypeOf(inst), LLVMTypeOf(value)};
    LLVMReplaceAllUsesWith(inst, emit_intrinsic(e, name, types, 2, &value, 1));
    LLVMInstructionEraseFromParent(inst);
}

static void look_at(void *arg, LLVMValueRef inst)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    if (opcode == LLVMFPToSI || opcode == LLVMFPToUI) {
        saturate(arg, inst, opcode == LLVMFPToSI ? "llvm.fptosi.sat" : "llvm.fptoui.sat");
    }
}

// A GPU's conversions to integers saturate, and the library looks things up in tables with what they give for a NaN.
void stand_in_saturate(struct emitter *e)
{
    pipeline_each_inst(e, look_at, e);
}

rill_status stand_in_join(struct codegen_output *ptx, const struct codegen_output *object)
{
    size_t offset = (FIRST_LINE_SIZE + ptx->size + 1 + OBJECT_ALIGN - 1) / OBJECT_ALIGN * OBJECT_ALIGN;
    size_t size = offset + object->size;
    char *bytes = calloc(1, size + 1);
    if (bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "codegen: out of memory for %zu bytes of code", size);
    }
    int used = snprintf(bytes, FIRST_LINE_SIZE, "// rill stand-in %zu %zu", offset, object->size);
    memset(bytes + used, ' ', (size_t)(FIRST_LINE_SIZE - used));
    bytes[FIRST_LINE_SIZE - 1] = '\n';
    memcpy(bytes + FIRST_LINE_SIZE, ptx->bytes, ptx->size);
    memcpy(bytes + offset, object->bytes, object->size);
    free(ptx->bytes);
    *ptx = (struct codegen_output){.bytes = bytes, .size = size};
    return RILL_OK;
}

rill_status stand_in_append(struct codegen_output *elf, const struct codegen_output *object)
{
    size_t offset = (elf->size + OBJECT_ALIGN - 1) / OBJECT_ALIGN * OBJECT_ALIGN;
    size_t size = offset + 2 * OBJECT_ALIGN + object->size;
    char *bytes = calloc(1, size + 1);
    if (bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "codegen: out of memory for %zu bytes of code", size);
    }
    uint64_t object_size = object->size;
    memcpy(bytes, elf->bytes, elf->size);
    memcpy(bytes + offset, STAND_IN_MARK, sizeof STAND_IN_MARK);
    memcpy(bytes + offset + OBJECT_ALIGN, &object_size, sizeof object_size);
    memcpy(bytes + offset + 2 * OBJECT_ALIGN, object->bytes, object->size);
    free(elf->bytes);
    *elf = (struct codegen_output){.bytes = bytes, .size = size, .own_size = elf->size};
    return RILL_OK;
}

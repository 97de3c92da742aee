// Failures and printing on a GPU: records in the launch's frame, as plan/abi.h lays them out. The loops that do it are
// written as LLVM's text once and joined to the module when something needs them.
#include "codegen/emit.h"

#include "plan/abi.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- the helpers
// -----------------------------------------------------------------------------------------------------------------

// |size| bytes; a loop of bytes, since nothing here is hot.
static const char copy_text[] =
    "define internal void @rill_gpu_copy(ptr addrspace(1) %to, ptr %from, i64 %size) noinline nounwind norecurse {\n"
    "entry:\n"
    "  br label %test\n"
    "test:\n"
    "  %i = phi i64 [ 0, %entry ], [ %next, %body ]\n"
    "  %more = icmp ult i64 %i, %size\n"
    "  br i1 %more, label %body, label %done\n"
    "body:\n"
    "  %a = getelementptr i8, ptr %from, i64 %i\n"
    "  %b = getelementptr i8, ptr addrspace(1) %to, i64 %i\n"
    "  %c = load i8, ptr %a, align 1\n"
    "  store i8 %c, ptr addrspace(1) %b, align 1\n"
    "  %next = add i64 %i, 1\n"
    "  br label %test\n"
    "done:\n"
    "  ret void\n"
    "}\n";

// Bytes of a string with its terminator.
static const char length_text[] = "define internal i64 @rill_gpu_length(ptr %text) noinline nounwind norecurse {\n"
                                  "entry:\n"
                                  "  br label %test\n"
                                  "test:\n"
                                  "  %i = phi i64 [ 0, %entry ], [ %next, %test ]\n"
                                  "  %a = getelementptr i8, ptr %text, i64 %i\n"
                                  "  %c = load i8, ptr %a, align 1\n"
                                  "  %next = add i64 %i, 1\n"
                                  "  %end = icmp eq i8 %c, 0\n"
                                  "  br i1 %end, label %done, label %test\n"
                                  "done:\n"
                                  "  ret i64 %next\n"
                                  "}\n";

// Room for a record in the print buffer, or null.
static const char reserve_text[] = "define internal ptr addrspace(1) @rill_gpu_reserve(ptr addrspace(1) %frame, i64 "
                                   "%size) noinline nounwind norecurse {\n"
                                   "  %capacity_at = getelementptr i8, ptr addrspace(1) %frame, i64 152\n"
                                   "  %used_at = getelementptr i8, ptr addrspace(1) %frame, i64 160\n"
                                   "  %lost_at = getelementptr i8, ptr addrspace(1) %frame, i64 168\n"
                                   "  %buffer = getelementptr i8, ptr addrspace(1) %frame, i64 176\n"
                                   "  %capacity = load i64, ptr addrspace(1) %capacity_at, align 8\n"
                                   "  %from = atomicrmw add ptr addrspace(1) %used_at, i64 %size monotonic\n"
                                   "  %to = add i64 %from, %size\n"
                                   "  %fits = icmp ule i64 %to, %capacity\n"
                                   "  br i1 %fits, label %good, label %bad\n"
                                   "good:\n"
                                   "  %record = getelementptr i8, ptr addrspace(1) %buffer, i64 %from\n"
                                   "  ret ptr addrspace(1) %record\n"
                                   "bad:\n"
                                   "  %lost = atomicrmw add ptr addrspace(1) %lost_at, i64 1 monotonic\n"
                                   "  ret ptr addrspace(1) null\n"
                                   "}\n";

static const char claim_text[] =
    "define internal i1 @rill_gpu_claim(ptr addrspace(1) %frame) noinline nounwind norecurse {\n"
    "  %old = atomicrmw xchg ptr addrspace(1) %frame, i32 1 monotonic\n"
    "  %first = icmp eq i32 %old, 0\n"
    "  ret i1 %first\n"
    "}\n";

_Static_assert(offsetof(struct abi_gpu_frame, print_size) == 152, "reserve_text");
_Static_assert(offsetof(struct abi_gpu_frame, print_used) == 160, "reserve_text");
_Static_assert(offsetof(struct abi_gpu_frame, print_lost) == 168, "reserve_text");
_Static_assert(sizeof(struct abi_gpu_frame) == 176, "reserve_text");

// The helper of that name; its text is read on first use.
static LLVMValueRef helper(struct emitter *e, const char *name, const char *text)
{
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    if (function != NULL) {
        return function;
    }
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), name);
    LLVMModuleRef module = NULL;
    char *message = NULL;
    if (LLVMParseIRInContext(e->context, buffer, &module, &message) != 0) {
        emit_fail(e, e->function->ir->loc, "internal: %s: %s", name, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMSetTarget(module, e->target->triple);
    LLVMSetDataLayout(module, e->target->layout);
    // Linking takes internal functions only where something calls them; for the moment this one is external.
    LLVMSetLinkage(LLVMGetNamedFunction(module, name), LLVMExternalLinkage);
    (void)LLVMLinkModules2(e->llvm, module);
    function = LLVMGetNamedFunction(e->llvm, name);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

static LLVMValueRef call(struct emitter *e, const char *name, const char *text, LLVMValueRef *args, int count)
{
    LLVMValueRef function = helper(e, name, text);
    if (function == NULL) {
        return LLVMGetPoison(e->types[IR_I64]);
    }
    return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, args, (unsigned)count, "");
}

static LLVMValueRef field(struct emitter *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
}

static void store_at(struct emitter *e, LLVMValueRef base, int64_t offset, LLVMValueRef value)
{
    LLVMBuildStore(e->builder, value, field(e, base, emit_i64(e, offset)));
}

// LLVM before 23 forgets to wait for the write-back of the caches that a release on a gfx9 begins with, where nothing
// else is under way: after a call, for instance. Here the wait is said.
static bool must_say_wait(const struct emitter *e)
{
    return e->target->kind == TARGET_AMDGPU && strncmp(e->target->cpu, "gfx9", 4) == 0;
}

// After everything else of the record.
static void publish(struct emitter *e, LLVMValueRef base, int64_t offset)
{
    LLVMAtomicOrdering order = LLVMAtomicOrderingRelease;
    if (must_say_wait(e)) {
        LLVMValueRef nothing_left = emit_const(e, IR_I32, 0);
        LLVMBuildFence(e->builder, LLVMAtomicOrderingRelease, false, "");
        emit_intrinsic(e, "llvm.amdgcn.s.waitcnt", NULL, 0, &nothing_left, 1);
        order = LLVMAtomicOrderingMonotonic;
    }
    LLVMValueRef store = LLVMBuildStore(e->builder, emit_const(e, IR_I32, 1), field(e, base, emit_i64(e, offset)));
    LLVMSetAlignment(store, 4);
    LLVMSetOrdering(store, order);
}

// ---- failures
// --------------------------------------------------------------------------------------------------------------------

void emit_gpu_failure(struct emitter *e, const struct ir_inst *inst, int kind, LLVMValueRef index, LLVMValueRef extent)
{
    LLVMValueRef frame = e->function->frame;
    LLVMBasicBlockRef fill = emit_block(e, "claimed");
    LLVMBasicBlockRef after = emit_block(e, "reported");
    LLVMBuildCondBr(e->builder, call(e, "rill_gpu_claim", claim_text, &frame, 1), fill, after);
    emit_at(e, fill);
    LLVMValueRef elsewhere =
        LLVMBuildLoad2(e->builder, LLVMTypeOf(frame),
                       field(e, frame, emit_i64(e, offsetof(struct abi_gpu_frame, record))), "elsewhere");
    LLVMValueRef record =
        LLVMBuildSelect(e->builder, LLVMBuildIsNull(e->builder, elsewhere, ""), frame, elsewhere, "record");
    store_at(e, record, offsetof(struct abi_gpu_frame, kind), emit_const(e, IR_I32, kind));
    store_at(e, record, offsetof(struct abi_gpu_frame, file), emit_const(e, IR_I32, (int64_t)inst->loc.file));
    store_at(e, record, offsetof(struct abi_gpu_frame, line), emit_const(e, IR_I32, (int64_t)inst->loc.line));
    store_at(e, record, offsetof(struct abi_gpu_frame, column), emit_const(e, IR_I32, (int64_t)inst->loc.column));
    store_at(e, record, offsetof(struct abi_gpu_frame, iteration), e->function->iter);
    store_at(e, record, offsetof(struct abi_gpu_frame, index), index);
    store_at(e, record, offsetof(struct abi_gpu_frame, extent), extent);
    char text[ABI_GPU_TEXT_SIZE];
    snprintf(text, sizeof text, "%s", inst->text != NULL ? inst->text : "");
    LLVMValueRef to = field(e, record, emit_i64(e, offsetof(struct abi_gpu_frame, text)));
    LLVMValueRef args[3] = {to, emit_string(e, text, "text"), emit_i64(e, (int64_t)strlen(text) + 1)};
    call(e, "rill_gpu_copy", copy_text, args, 3);
    publish(e, record, offsetof(struct abi_gpu_frame, published));
    emit_go(e, after);
    emit_at(e, after);
}

// ---- printing
// --------------------------------------------------------------------------------------------------------------------

static int64_t padded(int64_t size)
{
    return (size + 7) / 8 * 8;
}

static LLVMValueRef padded_value(struct emitter *e, LLVMValueRef size)
{
    return LLVMBuildAnd(e->builder, LLVMBuildAdd(e->builder, size, emit_i64(e, 7), ""), emit_i64(e, -8), "");
}

void emit_gpu_print(struct emitter *e, const struct ir_inst *inst, LLVMValueRef *values, const char *conversions)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef frame = e->function->frame;
    int64_t format_size = (int64_t)strlen(inst->text) + 1;
    int64_t args_at = (int64_t)sizeof(struct abi_gpu_print) + padded(format_size);
    LLVMValueRef size = emit_i64(e, args_at + 8 * inst->arg_count);
    LLVMValueRef *lengths = ARENA_ARRAY(e->arena, LLVMValueRef, inst->arg_count + 1);
    LLVMValueRef *offsets = ARENA_ARRAY(e->arena, LLVMValueRef, inst->arg_count + 1);
    for (int i = 0; i < inst->arg_count; i++) {
        if (conversions[i] == 's') {
            LLVMValueRef text = emit_value(e, inst->args[i]);
            lengths[i] = call(e, "rill_gpu_length", length_text, &text, 1);
            offsets[i] = size;
            size = LLVMBuildAdd(b, size, padded_value(e, lengths[i]), "");
        }
    }
    LLVMValueRef record = call(e, "rill_gpu_reserve", reserve_text, (LLVMValueRef[]){frame, size}, 2);
    LLVMBasicBlockRef fill = emit_block(e, "print");
    LLVMBasicBlockRef after = emit_block(e, "printed");
    LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, record, ""), fill, after);
    emit_at(e, fill);
    store_at(e, record, offsetof(struct abi_gpu_print, size), LLVMBuildTrunc(b, size, e->types[IR_I32], ""));
    store_at(e, record, offsetof(struct abi_gpu_print, format_size), emit_const(e, IR_I32, padded(format_size)));
    store_at(e, record, offsetof(struct abi_gpu_print, arg_count), emit_const(e, IR_I32, inst->arg_count));
    store_at(e, record, offsetof(struct abi_gpu_print, iteration), e->function->iter);
    LLVMValueRef format_at = field(e, record, emit_i64(e, sizeof(struct abi_gpu_print)));
    LLVMValueRef copy[3] = {format_at, emit_string(e, inst->text, "format"), emit_i64(e, format_size)};
    call(e, "rill_gpu_copy", copy_text, copy, 3);
    for (int i = 0; i < inst->arg_count; i++) {
        LLVMValueRef value = values[i];
        if (offsets[i] != NULL) {
            LLVMValueRef args[3] = {field(e, record, offsets[i]), emit_value(e, inst->args[i]), lengths[i]};
            call(e, "rill_gpu_copy", copy_text, args, 3);
            value = offsets[i];
        }
        store_at(e, record, args_at + 8 * i, value);
    }
    publish(e, record, offsetof(struct abi_gpu_print, published));
    emit_go(e, after);
    emit_at(e, after);
}

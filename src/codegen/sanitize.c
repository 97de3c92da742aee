// Kernels under sanitizers. For AddressSanitizer LLVM's pass does it. For ThreadSanitizer every access is announced
// here with its place in the source: LLVM's pass would leave the reader with addresses in code that no file holds.
#include "codegen/emit.h"

#include "codegen/pipeline.h"
#include "ir/points_to.h"
#include "plan/abi.h"

#include <string.h>

bool sanitize_is(const struct emitter *e, const char *name)
{
    return e->options->sanitize != NULL && strcmp(e->options->sanitize, name) == 0;
}

// ---- threads
// -------------------------------------------------------------------------------------------------------------------

static LLVMValueRef place_of(struct emitter *e, const struct ir_inst *inst)
{
    LLVMTypeRef ptr = e->types[IR_PTR];
    LLVMTypeRef i32 = e->types[IR_I32];
    LLVMTypeRef type = LLVMStructTypeInContext(e->context, (LLVMTypeRef[]){ptr, ptr, i32, i32}, 4, false);
    uint32_t file = inst->loc.file;
    const char *path = file < (uint32_t)e->module->file_count ? e->module->files[file] : "?";
    LLVMValueRef values[4] = {emit_string(e, path, "file"), emit_string(e, e->function->ir->name, "function"),
                              emit_const(e, IR_I32, (int64_t)inst->loc.line),
                              emit_const(e, IR_I32, (int64_t)inst->loc.column)};
    LLVMValueRef place = LLVMAddGlobal(e->llvm, type, "place");
    LLVMSetInitializer(place, LLVMConstStructInContext(e->context, values, 4, false));
    LLVMSetGlobalConstant(place, true);
    LLVMSetLinkage(place, LLVMPrivateLinkage);
    LLVMValueRef number = LLVMBuildPtrToInt(e->builder, place, e->types[IR_I64], "");
    LLVMValueRef marked = LLVMBuildOr(e->builder, number, emit_i64(e, (int64_t)ABI_PLACE_BIT), "");
    return LLVMBuildIntToPtr(e->builder, marked, ptr, "");
}

static void announce(struct emitter *e, const char *name, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef params[3] = {LLVMTypeOf(args[0]), LLVMTypeOf(args[1]), count > 2 ? LLVMTypeOf(args[2]) : NULL};
    LLVMTypeRef type = LLVMFunctionType(e->types[IR_VOID], params, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->llvm, name);
    if (function == NULL) {
        function = LLVMAddFunction(e->llvm, name, type);
        emit_attribute(e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
    }
    LLVMBuildCall2(e->builder, type, function, args, count, "");
}

void sanitize_access(struct emitter *e, const struct ir_inst *inst, const struct ir_inst *pointer, uint64_t size,
                     bool is_write)
{
    if (!sanitize_is(e, "thread") || address_root(pointer)->op == IR_OP_ADDR_VAR) {
        return;
    }
    const char *name = arena_printf(e->arena, "__tsan_%s%d_pc", is_write ? "write" : "read", (int)size);
    LLVMValueRef args[2] = {emit_value(e, pointer), place_of(e, inst)};
    announce(e, name, args, 2);
}

void sanitize_range(struct emitter *e, const struct ir_inst *inst, const struct ir_inst *pointer, LLVMValueRef size,
                    bool is_write)
{
    if (!sanitize_is(e, "thread") || address_root(pointer)->op == IR_OP_ADDR_VAR) {
        return;
    }
    LLVMValueRef args[3] = {emit_value(e, pointer), size, place_of(e, inst)};
    announce(e, is_write ? "__tsan_write_range_pc" : "__tsan_read_range_pc", args, 3);
}

// ---- addresses
// -----------------------------------------------------------------------------------------------------------------

static void mark_functions(struct emitter *e)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(e->llvm); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            emit_attribute(e, f, LLVMAttributeFunctionIndex, "sanitize_address", 0);
        }
    }
}

// Fields keep their size and nothing has to run when an image is placed: the pass leaves globals alone that are aligned
// to more than its red zones, and what it then still puts into a constructor the process has long done.
static void spare_globals(struct emitter *e)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(e->llvm); g != NULL; g = LLVMGetNextGlobal(g)) {
        if (LLVMGetInitializer(g) != NULL && LLVMGetAlignment(g) < 64) {
            LLVMSetAlignment(g, 64);
        }
    }
}

// The constructor stands in two lists, with nothing beside it: what is deleted must not be named any more.
static void drop_constructor(struct emitter *e)
{
    static const char *const lists[] = {"llvm.global_ctors", "llvm.used"};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(e->llvm, lists[i]);
        if (list != NULL) {
            LLVMDeleteGlobal(list);
        }
    }
    LLVMValueRef constructor = LLVMGetNamedFunction(e->llvm, "asan.module_ctor");
    if (constructor != NULL) {
        LLVMDeleteFunction(constructor);
    }
}

rill_status sanitize_finish(struct emitter *e)
{
    if (!sanitize_is(e, "address")) {
        return RILL_OK;
    }
    mark_functions(e);
    spare_globals(e);
    RILL_TRY(pipeline_passes(e, "asan"));
    drop_constructor(e);
    return RILL_OK;
}

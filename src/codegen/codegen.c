// The whole way of one module: target, emission, passes, code. Everything that LLVM made is freed at one place.
#include "codegen/codegen.h"

#include "base/status.h"
#include "codegen/emit.h"
#include "codegen/pipeline.h"
#include "plan/abi.h"

#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- diagnostics
// -------------------------------------------------------------------------------------------------------------------

// LLVM's own handler would end the process. Emitting can succeed after an error was reported here, so errors count.
struct diagnostics {
    int error_count;
    char text[512]; // of the first
};

static void take_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    struct diagnostics *diagnostics = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) {
        return;
    }
    if (diagnostics->error_count++ == 0) {
        char *text = LLVMGetDiagInfoDescription(info);
        snprintf(diagnostics->text, sizeof diagnostics->text, "%s", text);
        LLVMDisposeMessage(text);
    }
}

static const struct ir_function *find_task(const struct ir_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++) {
        const struct ir_function *function = module->functions[i];
        if (function->kernel != NULL && strcmp(function->name, name) == 0) {
            return function;
        }
    }
    return NULL;
}

// What only LLVM can find: a task's locals, with what it adds itself, are more than a thread of an AMD GPU can address.
// How much that is depends on the GPU. RILL_OK: it is not that.
static rill_status refuse_frame(const struct emitter *e, const char *text, struct codegen_output *out)
{
    static const char words[] = "stack frame size (";
    const char *at = strstr(text, words);
    unsigned long long size;
    unsigned long long limit;
    char name[128];
    if (at == NULL ||
        sscanf(at + sizeof words - 1, "%llu) exceeds limit (%llu) in function '%127[^']", &size, &limit, name) != 3) {
        return RILL_OK;
    }
    const struct ir_function *task = find_task(e->module, name);
    if (task == NULL) {
        return RILL_OK;
    }
    out->refused_at = task->loc;
    return status_fail(
        RILL_ERR_COMPILE,
        "the locals of this task of kernel '%s' take %llu bytes, and a task has at most %llu on %s: pass "
        "some as arrays",
        task->kernel->name, size, limit, e->target->cpu);
}

static rill_status check_diagnostics(const struct emitter *e, const struct diagnostics *diagnostics,
                                     struct codegen_output *out)
{
    if (diagnostics->error_count == 0) {
        return RILL_OK;
    }
    RILL_TRY(refuse_frame(e, diagnostics->text, out));
    return status_fail(RILL_ERR_INTERNAL, "LLVM: %s (%d errors)", diagnostics->text, diagnostics->error_count);
}

// ---- output
// --------------------------------------------------------------------------------------------------------------------------

static rill_status take_bytes(struct codegen_output *out, const char *bytes, size_t size)
{
    out->bytes = malloc(size + 1);
    if (out->bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "codegen: out of memory for %zu bytes of code", size);
    }
    memcpy(out->bytes, bytes, size);
    out->bytes[size] = '\0';
    out->size = size;
    out->own_size = size;
    return RILL_OK;
}

static rill_status write_llvm(struct emitter *e, struct codegen_output *out)
{
    char *text = LLVMPrintModuleToString(e->llvm);
    rill_status status = take_bytes(out, text, strlen(text));
    LLVMDisposeMessage(text);
    return status;
}

static rill_status write_code(struct emitter *e, struct codegen_output *out)
{
    bool as_text = e->options->kind == CODEGEN_ASM || e->target->kind == TARGET_NVPTX;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(e->target->machine, e->llvm, as_text ? LLVMAssemblyFile : LLVMObjectFile,
                                            &message, &buffer) != 0) {
        rill_status status = status_fail(RILL_ERR_INTERNAL, "LLVM could not emit code for %s: %s", e->target->cpu,
                                         message != NULL ? message : "no reason given");
        LLVMDisposeMessage(message);
        return status;
    }
    rill_status status = take_bytes(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return status;
}

// ---- one module
// ------------------------------------------------------------------------------------------------------------------------

static rill_status verify(struct emitter *e)
{
    char *message = NULL;
    rill_status status = RILL_OK;
    if (LLVMVerifyModule(e->llvm, LLVMReturnStatusAction, &message) != 0) {
        status = status_fail(RILL_ERR_INTERNAL, "codegen made a module that LLVM refuses: %.400s", message);
    }
    LLVMDisposeMessage(message);
    return status;
}

static rill_status check_options(const struct codegen_options *options, const struct target *target)
{
    const char *sanitize = options->sanitize;
    if (sanitize == NULL || sanitize[0] == '\0') {
        return RILL_OK;
    }
    if (strcmp(sanitize, "address") != 0 && strcmp(sanitize, "thread") != 0) {
        return status_fail(RILL_ERR_INVALID, "unknown sanitizer '%s'; known are: address thread", sanitize);
    }
    if (target_is_gpu(target)) {
        return status_fail(RILL_ERR_UNSUPPORTED, "not supported: sanitizer '%s' on %s", sanitize, target->cpu);
    }
    return RILL_OK;
}

static rill_status emit_with(struct emitter *e, struct diagnostics *diagnostics, struct codegen_output *out)
{
    LLVMSetTarget(e->llvm, e->target->triple);
    LLVMSetDataLayout(e->llvm, e->target->layout);
    emit_module(e);
    RILL_TRY(e->status);
    RILL_TRY(verify(e));
    RILL_TRY(pipeline_run(e));
    RILL_TRY(check_diagnostics(e, diagnostics, out));
    RILL_TRY(e->options->kind == CODEGEN_LLVM ? write_llvm(e, out) : write_code(e, out));
    return check_diagnostics(e, diagnostics, out);
}

static rill_status emit_guarded(struct emitter *e, struct codegen_output *out)
{
    struct diagnostics diagnostics = {0};
    jmp_buf escape;
    e->arena->escape = &escape;
    e->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(e->context, take_diagnostic, &diagnostics);
    e->llvm = LLVMModuleCreateWithNameInContext("rill", e->context);
    e->builder = LLVMCreateBuilderInContext(e->context);
    rill_status status;
    if (setjmp(escape) == 0) {
        status = emit_with(e, &diagnostics, out);
    } else {
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "codegen: out of memory");
    }
    if (e->entry != NULL) {
        LLVMDisposeBuilder(e->entry);
    }
    if (e->debug.builder != NULL) {
        LLVMDisposeDIBuilder(e->debug.builder);
    }
    LLVMDisposeBuilder(e->builder);
    LLVMDisposeModule(e->llvm);
    LLVMContextDispose(e->context);
    return status;
}

static rill_status emit_to(const struct ir_module *module, const struct codegen_options *options, struct target *target,
                           struct codegen_output *out)
{
    struct arena arena;
    arena_init(&arena);
    arena.fail_after = options->fail_after;
    struct emitter e = {.module = module, .options = options, .target = target, .arena = &arena};
    e.check_bounds = options->check_bounds || module->check_bounds;
    rill_status status = emit_guarded(&e, out);
    arena_finish(&arena);
    return status;
}

static rill_status add_stand_in(const struct ir_module *module, const struct codegen_options *options,
                                enum target_kind kind, struct codegen_output *out)
{
    struct target target;
    struct codegen_output object = {0};
    RILL_TRY(target_init_stand_in(&target, options->unoptimised, kind));
    rill_status status = emit_to(module, options, &target, &object);
    if (status == RILL_OK) {
        status = kind == TARGET_NVPTX ? stand_in_join(out, &object) : stand_in_append(out, &object);
    }
    codegen_output_finish(&object);
    target_finish(&target);
    return status;
}

rill_status codegen_emit(const struct ir_module *module, const struct codegen_options *options,
                         struct codegen_output *out)
{
    *out = (struct codegen_output){0};
    struct target target;
    RILL_TRY(target_init(&target, options->target, options->unoptimised));
    rill_status status = check_options(options, &target);
    if (status == RILL_OK) {
        status = emit_to(module, options, &target, out);
    }
    if (status == RILL_OK && options->stand_in && options->kind == CODEGEN_OBJECT && target.kind != TARGET_X86) {
        status = add_stand_in(module, options, target.kind, out);
    }
    target_finish(&target);
    if (status != RILL_OK) {
        codegen_output_finish(out);
    }
    return status;
}

// A variable that kernels share is in one of two pieces of code only.
static bool can_be_apart(const struct ir_module *module, const struct codegen_options *options)
{
    bool has_late = false;
    for (int i = 0; i < module->function_count; i++) {
        has_late |= emit_is_fallback(module->functions[i]);
    }
    for (int i = 0; i < module->global_count; i++) {
        has_late &= module->globals[i]->is_const && module->globals[i]->piece_count == 0;
    }
    return has_late && options->kind == CODEGEN_OBJECT;
}

static rill_status join_late(struct codegen_output *first, const struct codegen_output *late)
{
    enum { ALIGN = 16 };
    struct abi_gpu_late where = {.first_size = first->size, .size = late->size};
    memcpy(where.mark, ABI_GPU_LATE_MARK, sizeof where.mark);
    where.offset = (first->size + ALIGN) / ALIGN * ALIGN;
    size_t size = where.offset + late->size + 1 + sizeof where;
    char *bytes = calloc(1, size + 1);
    if (bytes == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "codegen: out of memory for %zu bytes of code", size);
    }
    memcpy(bytes, first->bytes, first->size);
    memcpy(bytes + where.offset, late->bytes, late->size);
    memcpy(bytes + size - sizeof where, &where, sizeof where);
    free(first->bytes);
    *first = (struct codegen_output){.bytes = bytes, .size = size};
    return RILL_OK;
}

rill_status codegen_emit_apart(const struct ir_module *module, const struct codegen_options *options,
                               struct codegen_output *out)
{
    struct codegen_options part = *options;
    struct codegen_output late = {0};
    if (!can_be_apart(module, options)) {
        return codegen_emit(module, options, out);
    }
    part.part = CODEGEN_FIRST;
    RILL_TRY(codegen_emit(module, &part, out));
    part.part = CODEGEN_LATE;
    rill_status status = codegen_emit(module, &part, &late);
    status = status == RILL_OK ? join_late(out, &late) : status;
    codegen_output_finish(&late);
    if (status != RILL_OK) {
        codegen_output_finish(out);
    }
    return status;
}

void codegen_output_finish(struct codegen_output *out)
{
    free(out->bytes);
    *out = (struct codegen_output){.refused_at = out->refused_at};
}

rill_status codegen_check_target(const char *target)
{
    return target_check_name(target);
}

const char *codegen_llvm_version(void)
{
    static const char version[] = LLVM_VERSION_STRING;
    return version;
}

const char *codegen_llvm_library(struct arena *arena)
{
    union {
        void (*function)(unsigned *, unsigned *, unsigned *);
        void *object;
    } theirs = {.function = LLVMGetVersion};
    union {
        const char *(*function)(struct arena *);
        void *object;
    } own = {.function = codegen_llvm_library};
    Dl_info there, here;
    bool is_known = dladdr(theirs.object, &there) != 0 && dladdr(own.object, &here) != 0;
    return is_known && there.dli_fbase != here.dli_fbase ? arena_strdup(arena, there.dli_fname) : NULL;
}

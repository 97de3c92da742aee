#include "runtime/module.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/hot.h"
#include "base/status.h"
#include "runtime/cache.h"
#include "runtime/footprint.h"
#include "runtime/package.h"
#include "runtime/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that rill_kernel_load() was asked for. Several files are compiled at the same time, each by one thread.
struct loaded_file {
    struct loaded_file *next;
    char *path;               // owned
    struct thread_mutex lock; // of what follows; held while the file is compiled
    rill_module module;       // its handle, which rill_kernel_module() gives out; zero: it is not loaded
};

// ---- lifetime -----------------------------------------------------------------------------------------------------

static void free_module(struct module *module)
{
    struct context *context = module->context;
    context->backend->image_unload(module->image);
    arena_finish(&module->arena);
    context_free(context, module, sizeof *module);
}

static void release_module(struct retirement *retirement)
{
    free_module((struct module *)retirement);
}

static void module_unreference(struct module *module)
{
    if (atomic_fetch_sub_explicit(&module->reference_count, 1, memory_order_acq_rel) == 1) {
        retire(module->context, &module->retirement, NULL);
    }
}

void module_dispose(struct module *module)
{
    atomic_fetch_sub(&module->context->module_count, 1);
    module_unreference(module);
}

void kernel_dispose(struct kernel *kernel)
{
    module_unreference(kernel->module);
}

// ---- making -------------------------------------------------------------------------------------------------------

static rill_status open_image(const char *who, struct module *module, const struct compiler_result *result)
{
    struct image_header header;
    const unsigned char *bytes = result->bytes;
    if (result->size < sizeof header) {
        return status_fail(RILL_ERR_INTERNAL, "%s: the image is too short", who);
    }
    memcpy(&header, bytes, sizeof header);
    bool is_whole = memcmp(header.magic, "rillimg1", sizeof header.magic) == 0 && header.plan_offset <= result->size &&
                    header.plan_size <= result->size - header.plan_offset && header.code_offset <= result->size &&
                    header.code_size < result->size - header.code_offset && // a zero follows: code may be a text
                    bytes[header.code_offset + header.code_size] == 0 &&
                    hash_bytes(HASH_SEED, bytes + sizeof header, result->size - sizeof header) == header.hash;
    if (!is_whole) {
        return status_fail(RILL_ERR_INTERNAL, "%s: the image is damaged", who);
    }
    module->image_hash = header.hash;
    rill_status status = plan_read(&module->arena, bytes + header.plan_offset, header.plan_size, &module->plan);
    if (status == RILL_OK) {
        struct context *context = module->context;
        status = context->backend->image_load(context->device, module->plan, bytes + header.code_offset,
                                              header.code_size, &module->image);
    }
    return context_fail_as(who, status);
}

// Handles for the module and its kernels. What fails leaves none.
static rill_status add_handles(const char *who, struct module *module)
{
    struct context *context = module->context;
    int count = module->plan->kernel_count;
    atomic_store(&module->reference_count, count + 1);
    for (int i = 0; i < count; i++) {
        struct kernel *kernel = &module->kernels[i];
        kernel->known = backend_kernel_of(kernel->plan);
        context->backend->image_describe(module->image, i, &kernel->known);
        kernel->id = context_add(context, who, kernel, KIND_KERNEL);
    }
    module->id = context_add(context, who, module, KIND_MODULE);
    bool has_all = module->id != 0;
    for (int i = 0; i < count; i++) {
        has_all = has_all && module->kernels[i].id != 0;
    }
    if (has_all) {
        atomic_fetch_add(&context->module_count, 1);
        return RILL_OK;
    }
    // The caller frees the module: one reference more than the handles have keeps it until then.
    atomic_store(&module->reference_count, count + 2);
    atomic_fetch_add(&context->module_count, 1);
    void *object;
    for (int i = 0; i < count; i++) {
        if (module->kernels[i].id != 0 &&
            context_retire(context, who, module->kernels[i].id, KIND_KERNEL, &object) == RILL_OK) {
            context_unpin(context, module->kernels[i].id);
        }
    }
    if (module->id != 0 && context_retire(context, who, module->id, KIND_MODULE, &object) == RILL_OK) {
        context_unpin(context, module->id);
    } else {
        atomic_fetch_sub(&context->module_count, 1);
    }
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for handles", who);
}

// What a launch asks of a kernel that is known without its handle. The module's arena may jump out.
static void describe_kernels(struct module *module, bool tells)
{
    for (int i = 0; i < module->plan->kernel_count; i++) {
        struct kernel *kernel = &module->kernels[i];
        kernel->context = module->context;
        kernel->image = module->image;
        kernel->module = module;
        kernel->index = i;
        kernel->plan = module->plan->kernels[i];
        atomic_init(&kernel->is_untold, tells && tell_has_loops(kernel->plan));
        if (module->context->order != NULL) {
            footprint_describe(kernel);
        }
    }
}

static rill_status context_compiler(const char *who, struct context *context, const struct compiler_table **out_table)
{
    *out_table = atomic_load_explicit(&context->compiler, memory_order_acquire);
    if (*out_table != NULL) {
        return RILL_OK;
    }
    RILL_TRY(source_find_compiler(who, out_table));
    atomic_store_explicit(&context->compiler, *out_table, memory_order_release);
    return RILL_OK;
}

// Then the library says nothing of itself: see tell.h.
static bool takes_diagnostics(const struct module_request *request)
{
    return request->options != NULL && request->options->diagnostics != NULL;
}

// What a compile gave, now or once: |table| frees the result if it is set, otherwise it lies in the cache's entry.
struct compiled {
    const struct compiler_result *result;
    struct compiler_result *fresh;      // owned
    const struct compiler_table *table; // with |fresh|
    struct cache_lookup lookup;         // owned
    bool is_ahead;                      // it lies in a package
};

static void compiled_finish(struct compiled *compiled)
{
    if (compiled->fresh != NULL) {
        compiled->table->free_result(compiled->fresh);
    }
    cache_end(&compiled->lookup);
}

static rill_status take_found(const char *who, struct compiled *compiled, rill_diagnostics *diagnostics)
{
    compiled->result = &compiled->lookup.entry.result;
    return diagnostics == NULL || source_copy_diagnostics(compiled->result, diagnostics)
               ? RILL_OK
               : status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the diagnostics", who);
}

// The image in a package that fits the device best. |at_last|: nothing else can be had.
static rill_status take_packaged(const struct module_request *request, struct module *module, bool at_last,
                                 struct compiled *compiled)
{
    struct package_wanted wanted = {
        .who = request->who, .package = request->package, .source = module->source, .at_last = at_last};
    RILL_TRY(package_find_image(module->context, &wanted, &compiled->lookup.entry));
    compiled->is_ahead = compiled->lookup.entry.result.bytes != NULL;
    compiled->lookup.is_found = compiled->is_ahead;
    return compiled->is_ahead ? take_found(request->who, compiled, NULL) : RILL_OK;
}

// A package is asked first, then the cache, and the compiler is not loaded if one of them has it. |compiled| is to be
// finished in any case.
static rill_status compile(const struct module_request *request, struct module *module, struct compiled *compiled)
{
    rill_diagnostics *diagnostics = request->options != NULL ? request->options->diagnostics : NULL;
    *compiled = (struct compiled){.result = NULL};
    if (request->package != NULL) {
        RILL_TRY(take_packaged(request, module, module->source->is_absent, compiled));
        if (compiled->is_ahead) {
            return RILL_OK;
        }
    }
    cache_find_image(module->context, module->source, &compiled->lookup);
    if (compiled->lookup.is_found) {
        return take_found(request->who, compiled, diagnostics);
    }
    rill_status status = context_compiler(request->who, module->context, &compiled->table);
    if (status == RILL_ERR_NO_COMPILER && request->package != NULL) {
        return take_packaged(request, module, true, compiled);
    }
    RILL_TRY(status);
    RILL_TRY(
        source_compile(request->who, compiled->table, module->source, COMPILER_IMAGE, diagnostics, &compiled->fresh));
    compiled->result = compiled->fresh;
    return RILL_OK;
}

static rill_status compile_and_open(const struct module_request *request, struct module *module, bool *out_is_ahead)
{
    struct compiled compiled;
    volatile rill_status status = compile(request, module, &compiled);
    *out_is_ahead = compiled.is_ahead;
    if (status != RILL_OK) {
        compiled_finish(&compiled);
        return status;
    }
    // The result must be freed when the arena jumps out while the plan is read.
    jmp_buf *outer = module->arena.escape;
    jmp_buf escape;
    module->arena.escape = &escape;
    status = RILL_ERR_OUT_OF_MEMORY;
    if (setjmp(escape) == 0) {
        status = open_image(request->who, module, compiled.result);
    } else {
        status_fail(status, "%s: no memory for the module", request->who);
    }
    module->arena.escape = outer;
    if (status == RILL_OK) {
        cache_keep_image(module->context, &compiled.lookup, module->source, compiled.result);
    }
    if (status == RILL_OK && !takes_diagnostics(request) && !request->was_warned) {
        tell_warnings(module->context, compiled.result);
    }
    compiled_finish(&compiled);
    return status;
}

// What was built ahead of time may not load here: a C library may lack one of its routines. Then it is compiled here.
static rill_status open_otherwise(const struct module_request *request, struct module *module, rill_status status)
{
    const struct compiler_table *table;
    struct saved_message message;
    bool is_its_fault = status == RILL_ERR_NOT_FOUND || status == RILL_ERR_INVALID || status == RILL_ERR_UNSUPPORTED;
    context_save_message(&message);
    if (!is_its_fault || module->source->is_absent ||
        context_compiler(request->who, module->context, &table) != RILL_OK) {
        context_restore_message(&message);
        return status;
    }
    context_log(module->context, RILL_LOG_WARNING, "'%s' is compiled: what was built ahead of time does not load: %s",
                module->source->input.path, message.text);
    struct module_request again = *request;
    again.package = NULL;
    bool is_ahead;
    return compile_and_open(&again, module, &is_ahead);
}

// Fills a module whose arena may jump out.
static rill_status build_module(const struct module_request *request, struct module *module)
{
    module->source = source_copy(&module->arena, request->text, request->length, request->path, request->options);
    module->source->is_absent = request->package != NULL && !request->package->has_source;
    const char *target = module->context->backend->device_target(module->context->device);
    if (target != NULL) { // what runs here is compiled for what is here
        module->source->input.target = arena_strdup(&module->arena, target);
    }
    bool is_ahead = false;
    rill_status status = compile_and_open(request, module, &is_ahead);
    if (status != RILL_OK && is_ahead) {
        is_ahead = false;
        status = open_otherwise(request, module, status);
    }
    RILL_TRY(status);
    if (request->package != NULL) {
        atomic_fetch_add(is_ahead ? &module->context->ahead_count : &module->context->ahead_compiled_count, 1);
    }
    size_t count = (size_t)module->plan->kernel_count;
    module->kernels = ARENA_ARRAY(&module->arena, struct kernel, count > 0 ? count : 1);
    describe_kernels(module, !takes_diagnostics(request) && !request->was_told);
    reflect_module(module);
    return add_handles(request->who, module);
}

rill_status module_make(struct context *context, const struct module_request *request, rill_module *out)
{
    if (UNLIKELY(request->package == NULL && package_wanted_ahead() != NULL)) {
        return package_make_ahead(context, request, out);
    }
    struct module *module = context_alloc(context, sizeof *module);
    if (module == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a module", request->who);
    }
    module->context = context;
    module->retirement.release = release_module;
    arena_init(&module->arena);
    jmp_buf escape;
    module->arena.escape = &escape;
    volatile rill_status status = RILL_ERR_OUT_OF_MEMORY;
    if (setjmp(escape) == 0) {
        status = build_module(request, module);
    } else {
        status_fail(status, "%s: no memory for the module", request->who);
    }
    module->arena.escape = NULL;
    if (status != RILL_OK) {
        free_module(module);
        return status;
    }
    out->id = module->id;
    return RILL_OK;
}

rill_status rill_module_create(rill_context handle, const char *text, const rill_module_options *options,
                               rill_module *out_module)
{
    RILL_TRY(context_check_out("rill_module_create", out_module, "out_module"));
    out_module->id = 0;
    RILL_TRY(context_check_out("rill_module_create", text, "text"));
    RILL_TRY(source_check_options("rill_module_create", options));
    struct context *context;
    RILL_TRY(context_enter("rill_module_create", handle.id, KIND_CONTEXT, &context));
    struct module_request request = {
        .who = "rill_module_create", .text = text, .length = strlen(text), .options = options};
    rill_status status = module_make(context, &request, out_module);
    context_leave(context);
    return status;
}

static rill_status load_file(struct context *context, const char *who, const char *path,
                             const rill_module_options *options, rill_module *out)
{
    char *text;
    size_t length;
    RILL_TRY(file_read(who, path, &text, &length));
    struct module_request request = {.who = who, .text = text, .length = length, .path = path, .options = options};
    rill_status status = module_make(context, &request, out);
    free(text);
    return status;
}

rill_status rill_module_load(rill_context handle, const char *path, const rill_module_options *options,
                             rill_module *out_module)
{
    RILL_TRY(context_check_out("rill_module_load", out_module, "out_module"));
    out_module->id = 0;
    RILL_TRY(context_check_out("rill_module_load", path, "path"));
    RILL_TRY(source_check_options("rill_module_load", options));
    struct context *context;
    RILL_TRY(context_enter("rill_module_load", handle.id, KIND_CONTEXT, &context));
    rill_status status = load_file(context, "rill_module_load", path, options, out_module);
    context_leave(context);
    return status;
}

// ---- looking up ---------------------------------------------------------------------------------------------------

rill_status module_begin(const char *who, rill_module handle, struct context **out_context, struct module **out_module)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_MODULE, out_context, &object));
    *out_module = object;
    return RILL_OK;
}

rill_status rill_module_destroy(rill_module handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_module_destroy", handle.id, KIND_MODULE, &context));
    void *object;
    rill_status status = context_retire(context, "rill_module_destroy", handle.id, KIND_MODULE, &object);
    if (status == RILL_OK) {
        struct module *module = object;
        void *kernel;
        for (int i = 0; i < module->plan->kernel_count; i++) {
            uint64_t id = module->kernels[i].id;
            if (context_retire(context, "rill_module_destroy", id, KIND_KERNEL, &kernel) == RILL_OK) {
                context_unpin(context, id);
            }
        }
        context_unpin(context, handle.id);
    }
    context_leave(context);
    return status;
}

// "'a', 'b' and 'c'"
static void list_kernels(const struct module *module, char *out, size_t size)
{
    size_t used = 0;
    int count = module->plan->kernel_count;
    *out = '\0';
    for (int i = 0; i < count && used < size; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", before, module->plan->kernels[i]->name);
    }
}

static rill_status find_kernel(const char *who, const struct module *module, const char *name, rill_kernel *out)
{
    const struct plan_module *plan = module->plan;
    for (int i = 0; i < plan->kernel_count; i++) {
        if (name != NULL ? strcmp(plan->kernels[i]->name, name) == 0 : plan->kernel_count == 1) {
            out->id = module->kernels[i].id;
            return RILL_OK;
        }
    }
    char names[512];
    list_kernels(module, names, sizeof names);
    const char *path = module->source->input.path;
    if (plan->kernel_count == 0) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: '%s' has no kernel", who, path);
    }
    if (name == NULL) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: '%s' has %d kernels, say which: %s", who, path, plan->kernel_count,
                           names);
    }
    return status_fail(RILL_ERR_NOT_FOUND, "%s: '%s' has no kernel '%s'; it has %s", who, path, name, names);
}

rill_status rill_module_kernel(rill_module handle, const char *name, rill_kernel *out_kernel)
{
    RILL_TRY(context_check_out("rill_module_kernel", out_kernel, "out_kernel"));
    out_kernel->id = 0;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_kernel", handle, &context, &module));
    return context_end(context, handle.id, find_kernel("rill_module_kernel", module, name, out_kernel));
}

rill_status rill_module_kernel_count(rill_module handle, size_t *out_count)
{
    RILL_TRY(context_check_out("rill_module_kernel_count", out_count, "out_count"));
    *out_count = 0;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_kernel_count", handle, &context, &module));
    *out_count = (size_t)module->plan->kernel_count;
    return context_end(context, handle.id, RILL_OK);
}

rill_status module_out_of_range(const char *who, size_t index, int count, const char *what)
{
    return status_fail(RILL_ERR_INVALID, "%s: index %zu of %d %s", who, index, count, what);
}

rill_status rill_module_kernel_at(rill_module handle, size_t index, rill_kernel *out_kernel)
{
    RILL_TRY(context_check_out("rill_module_kernel_at", out_kernel, "out_kernel"));
    out_kernel->id = 0;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_kernel_at", handle, &context, &module));
    int count = module->plan->kernel_count;
    if (index >= (size_t)count) {
        return context_end(context, handle.id, module_out_of_range("rill_module_kernel_at", index, count, "kernels"));
    }
    out_kernel->id = module->kernels[index].id;
    return context_end(context, handle.id, RILL_OK);
}

// ---- files loaded by path -----------------------------------------------------------------------------------------

// The record of a path; load_lock is held.
static struct loaded_file *find_file(const struct context *context, const char *path)
{
    struct loaded_file *file = context->files;
    while (file != NULL && strcmp(file->path, path) != 0) {
        file = file->next;
    }
    return file;
}

static rill_status add_file(struct context *context, const char *path, struct loaded_file **out_file)
{
    size_t length = strlen(path) + 1;
    struct loaded_file *file = context_alloc(context, sizeof *file);
    char *copy = context_alloc(context, length);
    if (file == NULL || copy == NULL) {
        context_free(context, copy, length);
        context_free(context, file, sizeof *file);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_kernel_load: no memory for '%s'", path);
    }
    file->path = memcpy(copy, path, length);
    thread_mutex_init(&file->lock);
    file->next = context->files;
    context->files = file;
    *out_file = file;
    return RILL_OK;
}

// Found or made. It stays until the context closes, so that whoever loads the file locks this record alone.
static rill_status file_of_path(struct context *context, const char *path, struct loaded_file **out_file)
{
    thread_lock(&context->load_lock);
    *out_file = find_file(context, path);
    rill_status status = *out_file != NULL ? RILL_OK : add_file(context, path, out_file);
    thread_unlock(&context->load_lock);
    return status;
}

void module_forget_files(struct context *context)
{
    while (context->files != NULL) {
        struct loaded_file *file = context->files;
        context->files = file->next;
        thread_mutex_finish(&file->lock);
        context_free(context, file->path, strlen(file->path) + 1);
        context_free(context, file, sizeof *file);
    }
}

// The module of a file, pinned. One that nobody has loaded, or that somebody has destroyed, is loaded now; the record's
// lock is held.
static rill_status pin_file(struct context *context, struct loaded_file *file, void **out_module)
{
    if (file->module.id != 0 &&
        handle_pin(&context->handles, handle_in_table(file->module.id), KIND_MODULE, out_module) == HANDLE_OK) {
        return RILL_OK;
    }
    rill_module loaded;
    RILL_TRY(load_file(context, "rill_kernel_load", file->path, NULL, &loaded));
    file->module = loaded;
    return context_pin(context, "rill_kernel_load", loaded.id, KIND_MODULE, out_module);
}

static rill_status kernel_of_file(struct context *context, const char *path, const char *name, rill_kernel *out)
{
    struct loaded_file *file;
    void *module;
    RILL_TRY(file_of_path(context, path, &file));
    thread_lock(&file->lock);
    rill_status status = pin_file(context, file, &module);
    rill_module handle = file->module;
    thread_unlock(&file->lock);
    RILL_TRY(status);
    status = find_kernel("rill_kernel_load", module, name, out);
    context_unpin(context, handle.id);
    return status;
}

rill_status rill_kernel_load(rill_context handle, const char *path, const char *name, rill_kernel *out_kernel)
{
    RILL_TRY(context_check_out("rill_kernel_load", out_kernel, "out_kernel"));
    out_kernel->id = 0;
    RILL_TRY(context_check_out("rill_kernel_load", path, "path"));
    struct context *context;
    RILL_TRY(context_enter("rill_kernel_load", handle.id, KIND_CONTEXT, &context));
    rill_status status = kernel_of_file(context, path, name, out_kernel);
    context_leave(context);
    return status;
}

// ---- explain, emit ------------------------------------------------------------------------------------------------

static rill_status emit(const char *who, struct module *module, enum compiler_emit kind, const char *target,
                        char **out_text)
{
    const struct compiler_table *table;
    if (module->source->is_absent) {
        return status_fail(RILL_ERR_NOT_FOUND, "%s: the package of '%s' was built without its source", who,
                           module->source->input.path);
    }
    RILL_TRY(context_compiler(who, module->context, &table));
    struct source source = *module->source;
    source.input.target = target != NULL ? target : source.input.target;
    struct compiler_result *result;
    RILL_TRY(source_compile(who, table, &source, kind, NULL, &result));
    return source_take_text(who, table, result, out_text);
}

rill_status rill_module_explain(rill_module handle, char **out_text)
{
    RILL_TRY(context_check_out("rill_module_explain", out_text, "out_text"));
    *out_text = NULL;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_explain", handle, &context, &module));
    return context_end(context, handle.id, emit("rill_module_explain", module, COMPILER_EXPLAIN, NULL, out_text));
}

rill_status rill_module_emit(rill_module handle, rill_emit kind, const char *target, char **out_text)
{
    RILL_TRY(context_check_out("rill_module_emit", out_text, "out_text"));
    *out_text = NULL;
    struct context *context;
    struct module *module;
    RILL_TRY(module_begin("rill_module_emit", handle, &context, &module));
    enum compiler_emit emitted = source_emit_kind(kind);
    rill_status status = emitted != COMPILER_CHECK
                             ? emit("rill_module_emit", module, emitted, target, out_text)
                             : status_fail(RILL_ERR_INVALID, "rill_module_emit: %d is no kind of output", (int)kind);
    return context_end(context, handle.id, status);
}

// A context knows its opened packages by a table of lists, by the address of their bytes. A list only grows, at its
// head, until the context closes: a launch walks it without a lock. The entry has a part of the package's digest:
// another package in the same place, as after dlclose(), is another entry.
#include "runtime/package.h"

#include "base/status.h"
#include "runtime/module.h"
#include "runtime/package_target.h"
#include "runtime/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opened_package {
    struct opened_package *next;         // constant
    const void *bytes;                   //
    uint64_t check;                      // package_check() of them
    struct thread_mutex lock;            // while it is opened
    _Atomic uint64_t module;             // its handle's id; 0: it was never opened
    size_t kernel_count;                 // of all that follows: set before |kernels| is
    _Atomic(_Atomic uint64_t *) kernels; // owned: their handles' ids
};

// ---- images -------------------------------------------------------------------------------------------------------

static bool environment_adds(const struct package_wanted *wanted)
{
    const struct compiler_input *built = &wanted->package->source, *now = &wanted->source->input;
    return (now->check_bounds && !built->check_bounds) || (now->check_races && !built->check_races) ||
           (now->contract_off && !built->contract_off) || source_is_sanitized(wanted->source);
}

static const struct package_image *best_image(const struct package *package, const char *device)
{
    int level = device == NULL ? package_processor_level() : 0;
    int best_rank = 0;
    const struct package_image *best = NULL;
    for (int i = 0; i < package->image_count; i++) {
        int rank = package_target_rank(package->images[i].target, device, level);
        best = rank > best_rank ? &package->images[i] : best;
        best_rank = rank > best_rank ? rank : best_rank;
    }
    return best;
}

static rill_status refuse_device(const struct package_wanted *wanted, const char *device)
{
    const struct package *package = wanted->package;
    char here[PACKAGE_TARGET_SIZE], list[1024] = "nothing";
    package_device_words(device, here);
    for (int i = 0, used = 0; i < package->image_count && used < (int)sizeof list; i++) {
        char words[PACKAGE_TARGET_SIZE];
        package_target_words(package->images[i].target, words);
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", i > 0 ? ", " : "", words);
    }
    if (!package->has_source) {
        return status_fail(RILL_ERR_UNSUPPORTED,
                           "%s: '%s' was built for %s, this is %s, and the source is not in the package: name its "
                           "target to 'rill build --target' too",
                           wanted->who, package->source.path, list, here);
    }
    return status_fail(
        RILL_ERR_NO_COMPILER,
        "%s: '%s' was built for %s, this is %s, and there is no compiler for its source: name its target "
        "to 'rill build --target' too, or install librill-compiler from the same release as librill",
        wanted->who, package->source.path, list, here);
}

static rill_status damaged(const char *who, const char *path)
{
    return status_fail(RILL_ERR_INVALID,
                       "%s: the package of '%s' is damaged: its digest is wrong; build it and the program again", who,
                       path);
}

rill_status package_find_image(struct context *context, const struct package_wanted *wanted,
                               struct cache_entry *out_entry)
{
    *out_entry = (struct cache_entry){.memory = NULL};
    const char *device = context->backend->device_target(context->device);
    const struct package *package = wanted->package;
    bool is_of_this_build = strcmp(package->built, COMPILER_BUILT) == 0;
    const struct package_image *image = is_of_this_build ? best_image(package, device) : NULL;
    bool is_other = environment_adds(wanted);
    if (!wanted->at_last && (image == NULL || is_other)) {
        return RILL_OK;
    }
    if (!is_of_this_build) {
        return status_fail(RILL_ERR_NO_COMPILER,
                           "%s: '%s' was built by Rill %s, librill.so is %s, and there is no compiler for its source: "
                           "build it again, or install both from the same release",
                           wanted->who, package->source.path, package->built, COMPILER_BUILT);
    }
    if (image == NULL) {
        return refuse_device(wanted, device);
    }
    if (is_other) {
        context_log(context, RILL_LOG_WARNING,
                    "'%s' runs as it was built, without the checks that the environment asks for: there is no compiler",
                    package->source.path);
    }
    if (!package_image_is_sound(image)) {
        return damaged(wanted->who, package->source.path);
    }
    if (package_wanted_ahead() == NULL) { // programs that are run so as a test expect their own notes
        char words[PACKAGE_TARGET_SIZE];
        package_target_words(image->target, words);
        context_log(context, RILL_LOG_NOTE, "'%s' runs as it was built for %s", package->source.path, words);
    }
    return cache_entry_read(image->payload, image->size, out_entry) // it is as it was written: there was no memory
               ? RILL_OK
               : status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the package of '%s'", wanted->who,
                             package->source.path);
}

// ---- opening ------------------------------------------------------------------------------------------------------

static rill_status compare_check(const char *who, const rill_package *given, uint64_t check)
{
    return given->check == 0 || given->check == check
               ? RILL_OK
               : status_fail(RILL_ERR_INVALID,
                             "%s: the package is not the one that its header was made with: 'rill build' writes both; "
                             "compile and link the program with the same two",
                             who);
}

static rill_status read_package(const char *who, const rill_package *given, struct package *out)
{
    if ((uintptr_t)given->bytes % PACKAGE_ALIGN != 0) {
        return status_fail(RILL_ERR_INVALID, "%s: the package at %p is not aligned to %d bytes", who, given->bytes,
                           (int)PACKAGE_ALIGN);
    }
    RILL_TRY(compare_check(who, given, package_check(given->bytes, given->size)));
    switch (package_read(given->bytes, given->size, out)) {
    case PACKAGE_SOUND: return RILL_OK;
    case PACKAGE_NONE: return status_fail(RILL_ERR_INVALID, "%s: this is no package of 'rill build'", who);
    case PACKAGE_OLDER:
        return status_fail(RILL_ERR_INVALID,
                           "%s: the package has another form than this librill.so reads: build it "
                           "with the 'rill' of the same release",
                           who);
    case PACKAGE_DAMAGED: return damaged(who, "a kernel file");
    case PACKAGE_NO_MEMORY: break;
    }
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a package", who);
}

// |tested|: the request that was made a package of, by RILL_AHEAD; NULL: there was none.
static rill_status make_module(struct context *context, const char *who, const struct package *package,
                               const struct module_request *tested, rill_module *out)
{
    const struct compiler_input *source = &package->source;
    size_t define_count = (size_t)source->define_count, header_count = (size_t)source->header_count;
    char *lists = calloc(1, define_count * sizeof(rill_define) + header_count * sizeof(rill_header) + 1);
    if (lists == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a package", who);
    }
    rill_define *defines = (rill_define *)(void *)lists;
    rill_header *headers = (rill_header *)(void *)(defines + define_count);
    for (size_t i = 0; i < define_count; i++) {
        defines[i] = (rill_define){.name = source->defines[i].name, .value = source->defines[i].value};
    }
    for (size_t i = 0; i < header_count; i++) {
        headers[i] = (rill_header){.name = source->headers[i].name, .text = source->headers[i].value};
    }
    rill_module_options options = {.path = source->path,
                                   .defines = defines,
                                   .define_count = define_count,
                                   .headers = headers,
                                   .header_count = header_count,
                                   .contract_off = source->contract_off,
                                   .check_bounds = source->check_bounds,
                                   .check_races = source->check_races,
                                   .fast_math = source->fast_math};
    struct module_request request = {
        .who = who, .text = source->text, .length = source->length, .options = &options, .package = package};
    request.was_told = tested != NULL && tested->options != NULL && tested->options->diagnostics != NULL;
    request.was_warned = tested == NULL || request.was_told; // by rill build
    rill_status status = module_make(context, &request, out);
    free(lists);
    return status;
}

static rill_status load(struct context *context, const char *who, const rill_package *given,
                        const struct module_request *tested, rill_module *out)
{
    struct package package;
    RILL_TRY(read_package(who, given, &package));
    rill_status status = make_module(context, who, &package, tested, out);
    package_finish(&package);
    return status;
}

const char *package_wanted_ahead(void)
{
    const char *wanted = getenv("RILL_AHEAD");
    return wanted != NULL && wanted[0] != '\0' ? wanted : NULL;
}

// "here" is the device's own target, anything else one of rill build's.
rill_status package_make_ahead(struct context *context, const struct module_request *request, rill_module *out)
{
    static const rill_module_options defaults;
    rill_module_options options = request->options != NULL ? *request->options : defaults;
    const char *device = context->backend->device_target(context->device);
    const char *target = package_wanted_ahead();
    target = strcmp(target, "here") != 0 ? target
             : device != NULL            ? device
             : options.target != NULL    ? options.target
                                         : "native";
    rill_package_options wanted = {.name = "tested", .targets = &target, .target_count = 1};
    rill_built built = {.package = NULL};
    options.path = request->path != NULL ? request->path : options.path;
    RILL_TRY(package_build(request->who, request->text, &options, &wanted, &built));
    rill_package package = {.bytes = built.package, .size = built.package_size};
    rill_status status = load(context, request->who, &package, request, out);
    rill_built_free(&built);
    return status;
}

// ---- the table ----------------------------------------------------------------------------------------------------

static _Atomic(struct opened_package *) *bucket_of(struct context *context, const void *bytes)
{
    uint64_t mixed = (uint64_t)(uintptr_t)bytes / PACKAGE_ALIGN * UINT64_C(0x9e3779b97f4a7c15);
    return &context->packages[mixed >> 32 & (PACKAGE_BUCKETS - 1)];
}

static struct opened_package *find_opened(struct opened_package *first, const rill_package *package, uint64_t check)
{
    while (first != NULL && (first->bytes != package->bytes || first->check != check)) {
        first = first->next;
    }
    return first;
}

static rill_status entry_of(struct context *context, const char *who, const rill_package *package,
                            struct opened_package **out)
{
    if (package == NULL || package->bytes == NULL) {
        return status_fail(RILL_ERR_INVALID, "%s: the package is NULL", who);
    }
    uint64_t check = package_check(package->bytes, package->size);
    _Atomic(struct opened_package *) *bucket = bucket_of(context, package->bytes);
    *out = find_opened(atomic_load_explicit(bucket, memory_order_acquire), package, check);
    if (*out != NULL) {
        return compare_check(who, package, check);
    }
    rill_status status = RILL_OK;
    thread_lock(&context->load_lock);
    *out = find_opened(atomic_load(bucket), package, check);
    if (*out == NULL) {
        struct opened_package *made = context_alloc(context, sizeof *made);
        if (made != NULL) {
            made->bytes = package->bytes;
            made->check = check;
            made->next = atomic_load(bucket);
            thread_mutex_init(&made->lock);
            atomic_store_explicit(bucket, made, memory_order_release);
            *out = made;
        } else {
            status = status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a package", who);
        }
    }
    thread_unlock(&context->load_lock);
    return status;
}

void package_forget_all(struct context *context)
{
    for (int i = 0; i < PACKAGE_BUCKETS; i++) {
        struct opened_package *at = atomic_load(&context->packages[i]);
        atomic_store(&context->packages[i], NULL);
        while (at != NULL) {
            struct opened_package *next = at->next;
            context_free(context, atomic_load(&at->kernels), at->kernel_count * sizeof(uint64_t));
            thread_mutex_finish(&at->lock);
            context_free(context, at, sizeof *at);
            at = next;
        }
    }
}

// ---- modules and kernels ------------------------------------------------------------------------------------------

static bool is_alive(struct context *context, uint64_t module)
{
    void *object;
    if (module == 0 || handle_pin(&context->handles, handle_in_table(module), KIND_MODULE, &object) != HANDLE_OK) {
        return false;
    }
    context_unpin(context, module);
    return true;
}

// The handles of the kernels of |loaded|, in the entry, whose lock is held.
static rill_status note_kernels(struct context *context, const char *who, struct opened_package *entry,
                                rill_module loaded)
{
    void *object;
    RILL_TRY(context_pin(context, who, loaded.id, KIND_MODULE, &object));
    const struct module *module = object;
    size_t count = (size_t)module->plan->kernel_count;
    _Atomic uint64_t *kernels = atomic_load(&entry->kernels);
    if (kernels == NULL && count > 0) {
        kernels = context_alloc(context, count * sizeof *kernels);
        entry->kernel_count = kernels != NULL ? count : 0;
    }
    // The same bytes have the same kernels; their source, compiled by another build, might not.
    rill_status status = kernels != NULL || count == 0
                             ? RILL_OK
                             : status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a package", who);
    for (size_t i = 0; status == RILL_OK && i < count && i < entry->kernel_count; i++) {
        atomic_store(&kernels[i], module->kernels[i].id);
    }
    if (status == RILL_OK) {
        atomic_store_explicit(&entry->kernels, kernels, memory_order_release);
        atomic_store(&entry->module, loaded.id);
    }
    context_unpin(context, loaded.id);
    return status;
}

// Opens it unless its module, which is not |stale|, is there.
static rill_status open_package(struct context *context, const char *who, const rill_package *package,
                                struct opened_package *entry)
{
    thread_lock(&entry->lock);
    rill_status status = RILL_OK;
    if (!is_alive(context, atomic_load(&entry->module))) {
        rill_module loaded = {0};
        status = load(context, who, package, NULL, &loaded);
        if (status == RILL_OK) {
            status = note_kernels(context, who, entry, loaded);
        }
        if (status != RILL_OK && loaded.id != 0) {
            struct saved_message message;
            context_save_message(&message);
            RILL_IGNORE(rill_module_destroy(loaded));
            context_restore_message(&message);
        }
    }
    thread_unlock(&entry->lock);
    return status;
}

// |check|: also that the module has not been destroyed since.
static rill_status kernel_of(struct context *context, const char *who, const rill_package *package, size_t index,
                             bool check, rill_kernel *out)
{
    struct opened_package *entry;
    RILL_TRY(entry_of(context, who, package, &entry));
    _Atomic uint64_t *kernels = atomic_load_explicit(&entry->kernels, memory_order_acquire);
    if (kernels == NULL || (check && !is_alive(context, atomic_load(&entry->module)))) {
        RILL_TRY(open_package(context, who, package, entry));
        kernels = atomic_load_explicit(&entry->kernels, memory_order_acquire);
    }
    if (index >= entry->kernel_count) {
        return module_out_of_range(who, index, (int)entry->kernel_count, "kernels");
    }
    out->id = atomic_load_explicit(&kernels[index], memory_order_relaxed);
    return RILL_OK;
}

rill_status rill_package_module(rill_context handle, const rill_package *package, rill_module *out_module)
{
    RILL_TRY(context_check_out("rill_package_module", out_module, "out_module"));
    out_module->id = 0;
    struct context *context;
    struct opened_package *entry;
    RILL_TRY(context_enter("rill_package_module", handle.id, KIND_CONTEXT, &context));
    rill_status status = entry_of(context, "rill_package_module", package, &entry);
    if (status == RILL_OK) {
        status = open_package(context, "rill_package_module", package, entry);
    }
    if (status == RILL_OK) {
        out_module->id = atomic_load(&entry->module);
    }
    context_leave(context);
    return status;
}

rill_status rill_package_kernel(rill_context handle, const rill_package *package, size_t index, rill_kernel *out_kernel)
{
    RILL_TRY(context_check_out("rill_package_kernel", out_kernel, "out_kernel"));
    out_kernel->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_package_kernel", handle.id, KIND_CONTEXT, &context));
    rill_status status = kernel_of(context, "rill_package_kernel", package, index, true, out_kernel);
    context_leave(context);
    return status;
}

// ---- launching ----------------------------------------------------------------------------------------------------

// The kernel in the context of |stream|.
static rill_status kernel_for(const char *who, const rill_package *package, size_t index, rill_stream stream,
                              bool check, rill_kernel *out)
{
    struct context *context;
    if (stream.id >= UINT64_MAX - 1) { // RILL_CURRENT, RILL_ANY
        RILL_TRY(stream_only_current(who, &stream));
    }
    RILL_TRY(context_enter(who, stream.id, KIND_STREAM, &context));
    rill_status status = kernel_of(context, who, package, index, check, out);
    context_leave(context);
    return status;
}

// A launch that found its kernel stale has done nothing: the module was destroyed since, and is opened again.
static bool is_to_be_repeated(rill_status status, rill_kernel kernel)
{
    rill_kernel_info info;
    return status == RILL_ERR_STALE && rill_kernel_describe(kernel, &info) == RILL_ERR_STALE;
}

// A |call| that has |kernel|, once or, if that was destroyed, twice.
#define WITH_KERNEL(who, call)                                                                                         \
    rill_kernel kernel;                                                                                                \
    RILL_TRY(kernel_for(who, package, index, stream, false, &kernel));                                                 \
    rill_status status = call;                                                                                         \
    if (is_to_be_repeated(status, kernel)) {                                                                           \
        RILL_TRY(kernel_for(who, package, index, stream, true, &kernel));                                              \
        status = call;                                                                                                 \
    }                                                                                                                  \
    return status

rill_status rill_package_launch(const rill_package *package, size_t index, const char *place, rill_stream stream,
                                rill_args args)
{
    WITH_KERNEL("rill_launch", rill_launch_at(place, kernel, stream, args));
}

rill_status rill_package_call(const rill_package *package, size_t index, rill_stream stream, rill_args args,
                              void *out_result, size_t size)
{
    WITH_KERNEL("rill_call", rill_call(kernel, stream, args, out_result, size));
}

rill_status rill_package_launch_result(const rill_package *package, size_t index, rill_stream stream, rill_args args,
                                       rill_array result)
{
    WITH_KERNEL("rill_launch_result", rill_launch_result(kernel, stream, args, result));
}

#include "runtime/context.h"

#include "base/hot.h"
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/cache.h"
#include "runtime/callback.h"
#include "runtime/event.h"
#include "runtime/module.h"
#include "runtime/order.h"
#include "runtime/package.h"
#include "runtime/record.h"
#include "runtime/step.h"
#include "runtime/stream.h"
#include "runtime/variants.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A context's serial is its slot in this table and the slot's generation, in the bits that an id has for a table.
enum { SLOT_BITS = 8, GENERATION_BITS = HANDLE_TABLE_BITS - SLOT_BITS, OWN_ID = 1 };

static void leave_for_good(void *object, int kind);

// What a launch looks at is at the front, and with this alignment on one page: see base/hot.h.
static _Alignas(2048) struct handle_table contexts = {
    .lock = THREAD_MUTEX_INIT,
    .slot_limit = 1u << SLOT_BITS,
    .generation_limit = (1u << GENERATION_BITS) - 1,
    .dispose = leave_for_good,
};

static uint64_t table_id(uint32_t serial)
{
    uint32_t slot = serial & ((1u << SLOT_BITS) - 1);
    return (uint64_t)slot << HANDLE_GENERATION_BITS | serial >> SLOT_BITS;
}

static uint32_t serial_of(uint64_t id)
{
    uint32_t generation = (uint32_t)id & ((1u << HANDLE_GENERATION_BITS) - 1);
    return generation << SLOT_BITS | (uint32_t)(id >> HANDLE_GENERATION_BITS);
}

const char *kind_words(enum object_kind kind)
{
    switch (kind) {
#define KIND_CASE(name, words)                                                                                         \
    case KIND_##name: return words;
        OBJECT_KIND_LIST(KIND_CASE)
#undef KIND_CASE
    }
    return "object";
}

// ---- entering, pinning --------------------------------------------------------------------------------------------

static bool has_forked(const struct context *context)
{
    return LIKELY(context->fork_mark != NULL) ? *context->fork_mark == 0 : getpid() != context->pid;
}

enum { NO_STRIPE = -1 };

static inline __attribute__((always_inline)) bool pin_context(uint32_t serial, int stripe, void **out_object)
{
    return stripe != NO_STRIPE
               ? handle_pin_striped(&contexts, table_id(serial), KIND_CONTEXT, (unsigned)stripe, out_object)
               : handle_pin(&contexts, table_id(serial), KIND_CONTEXT, out_object) == HANDLE_OK;
}

static HOT void unpin_context(uint32_t serial, int stripe)
{
    if (stripe != NO_STRIPE) {
        handle_unpin_striped(&contexts, table_id(serial), (unsigned)stripe);
    } else {
        handle_unpin(&contexts, table_id(serial));
    }
}

static rill_status find_context(const char *who, uint32_t serial, enum object_kind kind, int stripe,
                                struct context **out_context)
{
    void *object;
    if (!pin_context(serial, stripe, &object)) {
        return kind == KIND_CONTEXT
                   ? status_fail(RILL_ERR_STALE, "%s: the context is closed", who)
                   : status_fail(RILL_ERR_STALE, "%s: the context of the %s is closed", who, kind_words(kind));
    }
    struct context *context = object;
    if (has_forked(context)) {
        unpin_context(serial, stripe);
        return status_fail(RILL_ERR_FORKED, "%s: the context was opened before fork() and cannot be used in the child",
                           who);
    }
    *out_context = context;
    return RILL_OK;
}

// A launch has chosen its stream before it comes here.
static rill_status refuse_any(const char *who)
{
    return status_fail(RILL_ERR_INVALID, "%s: RILL_ANY is for rill_launch() alone; name a stream, or RILL_CURRENT",
                       who);
}

// Apart from its callers: see context_pin_slowly().
static __attribute__((noinline, cold)) rill_status enter(const char *who, uint64_t id, enum object_kind kind,
                                                         int stripe, struct context **out_context)
{
    *out_context = NULL;
    if (id == 0) {
        return status_fail(RILL_ERR_NULL_HANDLE, "%s: the %s handle was never set", who, kind_words(kind));
    }
    if (id == UINT64_MAX - 1 && kind == KIND_STREAM) {
        return refuse_any(who);
    }
    if (id == UINT64_MAX && kind == KIND_STREAM) {
        return status_fail(RILL_ERR_INVALID, "%s: RILL_CURRENT is not taken here; name the stream itself", who);
    }
    RILL_TRY(find_context(who, handle_table_of(id), kind, stripe, out_context));
    if (kind == KIND_CONTEXT && handle_in_table(id) != OWN_ID) {
        unpin_context((*out_context)->serial, stripe);
        *out_context = NULL;
        return status_fail(RILL_ERR_WRONG_KIND, "%s: the handle is not that of a context", who);
    }
    return RILL_OK;
}

// As nearly always: |id| names an object of a context that is open, in the process that opened it. False: see enter().
static inline bool enter_at_once(uint64_t id, enum object_kind kind, int stripe, struct context **out_context)
{
    void *object;
    if (UNLIKELY(kind == KIND_CONTEXT || id == UINT64_MAX || !pin_context(handle_table_of(id), stripe, &object))) {
        return false;
    }
    *out_context = object;
    if (UNLIKELY(has_forked(*out_context))) {
        unpin_context(handle_table_of(id), stripe);
        return false;
    }
    return true;
}

rill_status context_enter(const char *who, uint64_t id, enum object_kind kind, struct context **out_context)
{
    return LIKELY(enter_at_once(id, kind, NO_STRIPE, out_context)) ? RILL_OK
                                                                   : enter(who, id, kind, NO_STRIPE, out_context);
}

void context_leave(struct context *context)
{
    unpin_context(context->serial, NO_STRIPE);
}

HOT rill_status context_enter_striped(const char *who, uint64_t id, enum object_kind kind, unsigned stripe,
                                      struct context **out_context)
{
    int place = (int)(stripe % HANDLE_STRIPES);
    return LIKELY(enter_at_once(id, kind, place, out_context)) ? RILL_OK : enter(who, id, kind, place, out_context);
}

HOT void context_leave_striped(struct context *context, unsigned stripe)
{
    unpin_context(context->serial, (int)(stripe % HANDLE_STRIPES));
}

// What there is in the table of contexts.
struct open_contexts {
    size_t open_count;
    size_t forked_count; // of the process that this one was forked from
    uint64_t default_stream;
};

static void count_context(void *object, void *arg)
{
    struct context *context = object;
    struct open_contexts *found = arg;
    if (has_forked(context)) {
        found->forked_count++;
    } else if (atomic_load_explicit(&context->is_open, memory_order_acquire)) { // or another thread is opening it
        found->open_count++;
        found->default_stream = context->default_stream;
    }
}

rill_status context_only(const char *who, uint64_t *out_default_stream)
{
    struct open_contexts found = {0};
    handle_visit(&contexts, KIND_CONTEXT, count_context, &found);
    if (found.open_count == 1) {
        *out_default_stream = found.default_stream;
        return RILL_OK;
    }
    if (found.open_count > 1) {
        return status_fail(RILL_ERR_INVALID,
                           "%s: RILL_CURRENT does not say of which context: %zu are open, and this thread is in no "
                           "scope; write rill_current_stream(context)",
                           who, found.open_count);
    }
    return found.forked_count > 0
               ? status_fail(RILL_ERR_FORKED,
                             "%s: the context was opened before fork() and cannot be used in the child", who)
               : status_fail(RILL_ERR_INVALID, "%s: RILL_CURRENT says nothing, because no context is open", who);
}

// A handle of another context: stale if that one is closed, else foreign.
static rill_status refuse_foreign(const char *who, uint64_t id, enum object_kind kind)
{
    struct context *other;
    RILL_TRY(find_context(who, handle_table_of(id), kind, NO_STRIPE, &other));
    context_leave(other);
    return status_fail(RILL_ERR_FOREIGN, "%s: the %s belongs to another context", who, kind_words(kind));
}

static rill_status explain_pin(const char *who, uint64_t id, enum handle_result result, enum object_kind kind)
{
    // A context's own id has no slot in the context's table, so that looking there finds nothing.
    if (result == HANDLE_WRONG_KIND || handle_in_table(id) == OWN_ID) {
        return status_fail(RILL_ERR_WRONG_KIND, "%s: the handle names an object of another kind than %s", who,
                           kind_words(kind));
    }
    return status_fail(RILL_ERR_STALE, "%s: the %s was destroyed", who, kind_words(kind));
}

static rill_status check_id(struct context *context, const char *who, uint64_t id, enum object_kind kind)
{
    if (id == 0) {
        return status_fail(RILL_ERR_NULL_HANDLE, "%s: the %s handle was never set", who, kind_words(kind));
    }
    if (id == UINT64_MAX - 1 && kind == KIND_STREAM) {
        return refuse_any(who);
    }
    return handle_table_of(id) == context->serial ? RILL_OK : refuse_foreign(who, id, kind);
}

rill_status context_pin_slowly(struct context *context, const char *who, uint64_t id, enum object_kind kind,
                               void **out_object)
{
    *out_object = NULL;
    RILL_TRY(check_id(context, who, id, kind));
    enum handle_result result = handle_pin(&context->handles, handle_in_table(id), (int)kind, out_object);
    return result == HANDLE_OK ? RILL_OK : explain_pin(who, id, result, kind);
}

rill_status context_begin(const char *who, uint64_t id, enum object_kind kind, struct context **out_context,
                          void **out_object)
{
    *out_object = NULL;
    RILL_TRY(context_enter(who, id, kind, out_context));
    rill_status status = context_pin(*out_context, who, id, kind, out_object);
    if (status != RILL_OK) {
        context_leave(*out_context);
    }
    return status;
}

rill_status context_end(struct context *context, uint64_t id, rill_status status)
{
    context_unpin(context, id);
    context_leave(context);
    return status;
}

rill_status context_retire(struct context *context, const char *who, uint64_t id, enum object_kind kind,
                           void **out_object)
{
    *out_object = NULL;
    RILL_TRY(check_id(context, who, id, kind));
    enum handle_result result = handle_retire(&context->handles, handle_in_table(id), (int)kind, out_object);
    return result == HANDLE_OK ? RILL_OK : explain_pin(who, id, result, kind);
}

uint64_t context_add(struct context *context, const char *who, void *object, enum object_kind kind)
{
    assert(object != NULL);
    bool is_striped = kind == KIND_KERNEL; // what threads launch at the same time
    uint64_t id = is_striped ? handle_add_striped(&context->handles, object, (int)kind)
                             : handle_add(&context->handles, object, (int)kind);
    if (id == 0) {
        status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a handle, or too many objects", who);
        return 0;
    }
    return handle_join(context->serial, id);
}

rill_status context_check_out(const char *who, const void *out, const char *name)
{
    return out != NULL ? RILL_OK : status_fail(RILL_ERR_INVALID, "%s: %s is NULL", who, name);
}

rill_status context_prefix(const char *who, rill_status status)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", rill_message());
    return status_fail(status, "%s: %s", who, text);
}

void context_save_message(struct saved_message *message)
{
    snprintf(message->text, sizeof message->text, "%s", rill_message());
}

void context_restore_message(const struct saved_message *message)
{
    status_fail(RILL_OK, "%s", message->text);
}

void context_note_failure(struct context *context, rill_status status, const char *text)
{
    context_log(context, RILL_LOG_ERROR, "%s", text);
    thread_lock(&context->lock);
    if (context->unreported_status == RILL_OK) {
        context->unreported_status = status;
        snprintf(context->unreported_text, sizeof context->unreported_text, "%s", text);
    }
    thread_unlock(&context->lock);
}

rill_context context_handle(const struct context *context)
{
    return (rill_context){handle_join(context->serial, OWN_ID)};
}

// The failure that waits to be returned, as a status with a message; RILL_OK if there is none.
static rill_status take_unreported(struct context *context, const char *who)
{
    thread_lock(&context->lock);
    rill_status status = context->unreported_status;
    if (status != RILL_OK) {
        status_fail(status, "%s: %s", who, context->unreported_text);
    }
    context->unreported_status = RILL_OK;
    thread_unlock(&context->lock);
    return status;
}

// ---- open, close --------------------------------------------------------------------------------------------------

static void dispose(void *object, int kind)
{
    switch ((enum object_kind)kind) {
    case KIND_MODULE: module_dispose(object); break;
    case KIND_KERNEL: kernel_dispose(object); break;
    case KIND_ARRAY: array_dispose(object); break;
    case KIND_STREAM: stream_dispose(object); break;
    case KIND_EVENT: event_dispose(object); break;
    case KIND_STEP: step_dispose(object); break;
    case KIND_VARIANTS: variants_dispose(object); break;
    case KIND_CONTEXT: break;
    }
}

// The last call has left a context that is being closed; rill_close() takes it apart.
static void leave_for_good(void *object, int kind)
{
    (void)kind;
    struct context *context = object;
    thread_lock(&context->lock);
    context->is_left = true;
    thread_broadcast(&context->left);
    thread_unlock(&context->lock);
}

static void make_fork_mark(struct context *context)
{
    context->pid = getpid();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *mark = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mark == MAP_FAILED) {
        return;
    }
    if (madvise(mark, page, MADV_WIPEONFORK) != 0) {
        munmap(mark, page);
        return;
    }
    *mark = 1;
    context->fork_mark = mark;
}

#ifdef RILL_IS_SANITIZED
enum { HAS_FIRST = false }; // each context is memory of its own, which a sanitizer sees come and go
#else
enum { HAS_FIRST = true };
#endif

enum { FIRST_PAGE = 4096, FIRST_PAGES = (sizeof(struct context) + FIRST_PAGE - 1) / FIRST_PAGE };

// Memory for the first context, as a rule the only one. All of it is zero in a forked child, so that it needs no other
// page to be its mark, and each launch one page less: see base/hot.h.
static _Alignas(FIRST_PAGE) char first_memory[FIRST_PAGES * FIRST_PAGE];
static atomic_bool first_is_taken;

// NULL: it is another's, or the system cannot do this.
static struct context *take_first(void)
{
    bool is_taken = false;
    if (!HAS_FIRST || sysconf(_SC_PAGESIZE) != FIRST_PAGE ||
        !atomic_compare_exchange_strong(&first_is_taken, &is_taken, true)) {
        return NULL;
    }
    if (madvise(first_memory, sizeof first_memory, MADV_WIPEONFORK) != 0) {
        atomic_store(&first_is_taken, false);
        return NULL;
    }
    return (struct context *)(void *)first_memory;
}

static void free_context(struct context *context)
{
    if ((char *)context == first_memory) {
        assert(atomic_load(&first_is_taken));
        atomic_store(&first_is_taken, false);
        return;
    }
    if (context->fork_mark != NULL) {
        munmap((void *)context->fork_mark, (size_t)sysconf(_SC_PAGESIZE));
    }
    context_free(context, context, sizeof *context);
}

// Takes a context apart that nobody uses any more; also a half-made one. RILL_ERR_IO, with a message: its trace could
// not be written.
static rill_status destroy(struct context *context)
{
    handle_retire_all(&context->handles, KIND_STEP, NULL, NULL); // which pin much of what follows
    handle_retire_all(&context->handles, KIND_VARIANTS, NULL, NULL);
    handle_retire_all(&context->handles, KIND_EVENT, NULL, NULL);
    handle_retire_all(&context->handles, KIND_KERNEL, NULL, NULL);
    handle_retire_all(&context->handles, KIND_MODULE, NULL, NULL);
    handle_retire_all(&context->handles, KIND_ARRAY, NULL, NULL);
    handle_retire_all(&context->handles, KIND_STREAM, NULL, NULL);
    module_forget_files(context);
    package_forget_all(context);
    callback_thread_destroy(context);
    order_destroy(context->order);
    pool_finish_streams(&context->stream_pool);
    host_memory_finish(context);
    struct backend_device *device = context->device;
    context->device = NULL; // what is logged from here on is no remark in its trace
    context->backend->device_close(device);
    rill_status status =
        context->trace_failure[0] == '\0' ? RILL_OK : status_fail(RILL_ERR_IO, "%s", context->trace_failure);
    cache_destroy(context, context->cache);
    stream_list_finish(context);
    handle_table_finish(&context->handles);
    thread_cond_finish(&context->left);
    thread_mutex_finish(&context->load_lock);
    thread_mutex_finish(&context->wrap_lock);
    thread_mutex_finish(&context->scratch_lock);
    thread_mutex_finish(&context->host_lock);
    thread_mutex_finish(&context->lock);
    thread_mutex_finish(&context->log_lock);
    free_context(context);
    return status;
}

static void apply_options(struct context *context, const rill_open_options *options)
{
    context->log = options->log;
    context->log_user = options->log_user;
    context->print = options->print;
    context->print_user = options->print_user;
    const char *level = getenv("RILL_LOG");
    context->has_notes = level != NULL && strcmp(level, "note") == 0;
    const char *trace = getenv("RILL_TRACE");
    context->is_traced = trace != NULL && *trace != '\0';
}

static rill_status check_options(const rill_open_options *options)
{
    if (options->allocator != NULL && (options->allocator->allocate == NULL || options->allocator->release == NULL)) {
        return status_fail(RILL_ERR_INVALID, "rill_open: the allocator lacks a function");
    }
    if (options->thread_count < 0) {
        return status_fail(RILL_ERR_INVALID, "rill_open: thread_count is %d", options->thread_count);
    }
    if ((int)options->graph_mode < 0 || (int)options->graph_mode >= BACKEND_GRAPH_MODE_COUNT) {
        return status_fail(RILL_ERR_INVALID, "rill_open: there is no graph_mode %d", (int)options->graph_mode);
    }
    return RILL_OK;
}

static void open_pools(struct context *context, int cap)
{
    pool_init_streams(&context->stream_pool, context->backend, context->device, &context->allocator);
    if (cap != 0) {
        context->stream_pool.cap = cap > 0 ? (size_t)cap : 0;
    }
}

// Everything that needs the device. The context's handles exist.
static rill_status open_device(struct context *context, size_t index, const rill_open_options *options)
{
    struct backend_host host;
    rill_order order;
    RILL_TRY(order_find_mode(options->order, &order));
    if (order != RILL_ORDER_MANUAL) {
        RILL_TRY(order_create(context, order, options));
    }
    context->cache = cache_create(context, options->cache);
    host_describe(context, &host);
    context->thread_count = options->thread_count;
    host.thread_count = options->thread_count;
    host.graph_mode = (enum backend_graph_mode)options->graph_mode;
    RILL_TRY(context->backend->device_open(index, &host, &context->device));
    open_pools(context, options->pool_cap);
    struct backend_device_info info;
    context->backend->device_describe(index, &info);
    snprintf(context->device_name, sizeof context->device_name, "%s", info.name);
    RILL_TRY(callback_thread_create(context));
    struct stream *stream;
    RILL_TRY(stream_make(context, "rill_open", &(struct stream_origin){.priority = 0}, &stream));
    context->default_stream = stream->id;
    return RILL_OK;
}

static struct context *new_context(const rill_open_options *options, const struct backend *backend)
{
    rill_allocator allocator = options->allocator != NULL ? *options->allocator : host_allocator;
    struct context *first = options->allocator == NULL ? take_first() : NULL;
    struct context *context = first != NULL ? first : allocator.allocate(allocator.user, sizeof *context, 64);
    if (context == NULL) {
        return NULL;
    }
    memset(context, 0, sizeof *context);
    if (first != NULL) {
        context->own_mark = 1;
        context->fork_mark = &context->own_mark;
    } else {
        make_fork_mark(context);
    }
    context->allocator = allocator;
    context->backend = backend;
    context->launch = backend->launch;
    thread_mutex_init(&context->log_lock);
    thread_mutex_init(&context->lock);
    thread_mutex_init(&context->load_lock);
    thread_mutex_init(&context->wrap_lock);
    thread_mutex_init(&context->scratch_lock);
    thread_mutex_init(&context->host_lock);
    thread_cond_init(&context->left);
    handle_table_init(&context->handles, dispose);
    apply_options(context, options);
    return context;
}

// Closes a context that has a place in the table. The caller is in it, and has made its handle stale. As destroy().
static rill_status close_entered(struct context *context)
{
    context_leave(context);
    thread_lock(&context->lock);
    while (!context->is_left) {
        thread_wait(&context->left, &context->lock);
    }
    thread_unlock(&context->lock);
    // Calls that were under way may have queued more. Once it has run nothing of the context is in use.
    uint64_t end;
    struct stream *stream = stream_next(context, NULL, &end);
    for (; stream != NULL; stream = stream_next(context, stream, &end)) {
        context->backend->stream_synchronize(stream->queue);
    }
    return destroy(context);
}

rill_status rill_open(const char *device, const rill_open_options *options, rill_context *out_context)
{
    static const rill_open_options defaults;
    RILL_TRY(context_check_out("rill_open", out_context, "out_context"));
    out_context->id = 0;
    RILL_TRY(context_check_out("rill_open", device, "device"));
    options = options != NULL ? options : &defaults;
    RILL_TRY(check_options(options));
    const char *wanted = getenv("RILL_DEVICE");
    if (strcmp(device, "auto") == 0 && wanted != NULL && *wanted != '\0') {
        device = wanted;
    }
    const struct backend *backend = NULL;
    size_t index = 0;
    RILL_TRY(device_find(device, &backend, &index));
    RILL_TRY(backend_with_faults(backend, &backend));
    struct context *context = new_context(options, backend);
    if (context == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "rill_open: no memory for a context");
    }
    uint64_t id = handle_add_striped(&contexts, context, KIND_CONTEXT);
    if (id == 0) {
        RILL_IGNORE(destroy(context));
        return status_fail(RILL_ERR_LIMIT, "rill_open: too many contexts are open, or were opened in this process");
    }
    context->serial = serial_of(id);
    rill_status status = open_device(context, index, options);
    if (status != RILL_OK) {
        void *object;
        struct saved_message message;
        context_save_message(&message);
        handle_retire(&contexts, id, KIND_CONTEXT, &object);
        RILL_IGNORE(close_entered(context));
        context_restore_message(&message);
        return context_fail_as("rill_open", status);
    }
    atomic_store_explicit(&context->is_open, true, memory_order_release);
    out_context->id = handle_join(context->serial, OWN_ID);
    return RILL_OK;
}

// Whoever waits for all streams may as well run one that nobody has begun, before it sleeps over another that is.
// False: none has work or an error.
static bool help_streams(struct context *context)
{
    uint64_t end;
    struct stream *stream = stream_next_busy(context, NULL, &end);
    bool has_any = stream != NULL;
    for (; stream != NULL; stream = stream_next_busy(context, stream, &end)) {
        context->backend->stream_help(stream->queue);
    }
    return has_any;
}

// Waits for all streams. The first error among them; with |only_unknown| one that no call has returned.
static rill_status finish_streams(struct context *context, const char *who, bool only_unknown)
{
    rill_status first = RILL_OK;
    char text[1024] = "";
    uint64_t end;
    struct stream *stream = help_streams(context) ? stream_next_busy(context, NULL, &end) : NULL;
    for (; stream != NULL; stream = stream_next_busy(context, stream, &end)) {
        context->backend->stream_synchronize(stream->queue);
        struct backend_error error;
        if (first != RILL_OK || (only_unknown && !stream_has_news(stream, &error))) {
            continue;
        }
        first = stream_check(who, stream);
        snprintf(text, sizeof text, "%s", first != RILL_OK ? rill_message() : "");
    }
    context->backend->device_flush(context->device);
    rill_status unreported = take_unreported(context, who);
    if (context->order != NULL) {
        order_host_saw_all(context->order);
        unreported = unreported == RILL_OK ? order_take_conflict(context->order, who) : unreported;
    }
    return first != RILL_OK ? status_fail(first, "%s", text) : unreported;
}

// Closes the context that the caller has entered, and leaves it. With |to_log| a failure goes to the context's log, as
// long as there is one.
static rill_status close_context(struct context *context, bool to_log)
{
    rill_status status = callback_refuse("rill_close");
    void *object;
    if (status == RILL_OK && handle_retire(&contexts, table_id(context->serial), KIND_CONTEXT, &object) != HANDLE_OK) {
        status = status_fail(RILL_ERR_STALE, "rill_close: the context is closed");
    }
    bool is_refused = status != RILL_OK;
    if (!is_refused) {
        context_leave(context); // the pin of entering; that of retiring is left
        status = finish_streams(context, "rill_close", true);
    }
    char text[1024];
    snprintf(text, sizeof text, "%s", rill_message());
    if (to_log && status != RILL_OK && status != RILL_ERR_STALE) {
        context_log(context, RILL_LOG_ERROR, "%s", text);
    }
    rill_status closed = RILL_OK;
    if (is_refused) {
        context_leave(context);
    } else {
        closed = context_fail_as("rill_close", close_entered(context));
    }
    return status != RILL_OK ? status_fail(status, "%s", text) : closed;
}

rill_status rill_close(rill_context handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_close", handle.id, KIND_CONTEXT, &context));
    return close_context(context, false);
}

void rill_auto_context(rill_context *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    struct context *context;
    rill_status status = context_enter("rill_close", handle->id, KIND_CONTEXT, &context);
    if (status == RILL_OK) {
        status = close_context(context, true);
    } else if (status != RILL_ERR_STALE && status != RILL_ERR_FORKED) {
        fprintf(stderr, "rill: error: %s\n", rill_message()); // no context, so no log of its own
    }
    if (status != RILL_OK) {
        context_restore_message(&message);
    }
    handle->id = 0;
}

rill_status rill_sync(rill_context handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_sync", handle.id, KIND_CONTEXT, &context));
    rill_status status = callback_refuse("rill_sync");
    status = status == RILL_OK ? record_refuse(context, "rill_sync") : status;
    if (status == RILL_OK) {
        status = finish_streams(context, "rill_sync", false);
    }
    context_leave(context);
    return status;
}

rill_status rill_context_trim(rill_context handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_context_trim", handle.id, KIND_CONTEXT, &context));
    pool_trim(&context->stream_pool);
    context->backend->device_trim(context->device);
    host_memory_collect(context);
    context_leave(context);
    return RILL_OK;
}

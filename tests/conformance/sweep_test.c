// The n-th allocation made through Rill's allocator fails, for every n, in every public call: a status, no output,
// nothing lost, the thread's stream unchanged, pooled streams back, and a context that works.
//
// The calls are compared with the exported symbols, so that a new one without a row here is a failure.
#include "exports.h"
#include "rill/tsan.h"
#include "world.h"

// ---- an allocator that fails once ---------------------------------------------------------------------------------

struct meter {
    atomic_long count;   // allocations since it was armed
    atomic_long fail_at; // the one that fails; 0: none
    atomic_long blocks;  // not yet released
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    void *memory = NULL;
    if (atomic_fetch_add(&meter->count, 1) + 1 == atomic_load(&meter->fail_at) ||
        posix_memalign(&memory, alignment < 16 ? 16 : alignment, size) != 0) {
        return NULL;
    }
    memset(memory, 0xa5, size);
    atomic_fetch_add(&meter->blocks, 1);
    return memory;
}

static void meter_release(void *user, void *memory, size_t size)
{
    struct meter *meter = user;
    (void)size;
    atomic_fetch_sub(&meter->blocks, 1);
    free(memory);
}

static void arm(struct meter *meter, long n)
{
    atomic_store(&meter->count, 0);
    atomic_store(&meter->fail_at, n);
}

// ---- what a call works on -----------------------------------------------------------------------------------------

static const char source[] = "#include <rill/kernel.h>\n"
                             "#include <stdio.h>\n"
                             "int field[4];\n"
                             "kernel int blocks(int n, int a[n], int b[n])\n"
                             "{\n"
                             "    int s = 0;\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) a[i] = i; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) s += b[i]; }\n"
                             "    for (int i = 0; i < 2; i++) { printf(\"%d\", i); }\n"
                             "    return s;\n"
                             "}\n"
                             "kernel void two(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 2; }\n";
static const char small_source[] = "#include <rill/kernel.h>\nkernel int one(void) { return 1; }\n";

enum { N = 20 };

struct stage {
    struct meter meter;
    rill_allocator allocator;
    char path[64]; // a kernel file
    rill_context context;
    rill_context other; // with nothing in it
    rill_stream stream; // the thread's current one, and cold
    rill_stream second;
    rill_event event; // recorded on the second stream
    rill_event unused;
    rill_array a, b, one;
    rill_module module;
    rill_kernel blocks, two;
    rill_step step;
    rill_scope scope; // for the call
    int host[N];
    uint64_t out; // the handle a call has made; must be 0 after a failure
    char *text;   // what a call gave out; must be NULL after a failure
    atomic_int callback_count;
};

static void ignore_print(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
}

static void ignore_log(void *user, rill_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static rill_open_options options_of(struct stage *s)
{
    s->allocator = (rill_allocator){&s->meter, meter_allocate, meter_release};
    return (rill_open_options){.allocator = &s->allocator, .print = ignore_print, .log = ignore_log, .thread_count = 2};
}

// Records what a step may be made of. No thread records when it returns.
static rill_status make_step(struct stage *s, rill_step *out_step)
{
    int seven = 7;
    RILL_TRY(rill_record_begin(s->context));
    rill_status status = rill_launch(s->blocks, RILL_CURRENT, RILL_ARGS(N, s->a, s->b));
    status = status != RILL_OK ? status : rill_launch(s->two, s->stream, RILL_ARGS(N, s->b));
    status = status != RILL_OK ? status : rill_array_fill(s->one, s->second, &seven, sizeof seven);
    status = status != RILL_OK ? status : rill_event_record(s->unused, s->second);
    status = status != RILL_OK ? status : rill_event_wait(s->unused, s->stream);
    status = status != RILL_OK ? status : rill_stream_wait(s->second, s->stream);
    status = status != RILL_OK ? status : rill_array_copy(s->a, s->b, s->second);
    status = status != RILL_OK ? status : rill_launch_result(s->blocks, s->second, RILL_ARGS(N, s->a, s->b), s->one);
    if (status != RILL_OK) {
        RILL_TRY(rill_record_drop(s->context));
        return status;
    }
    return rill_record_end(s->context, out_step);
}

static void open_stage(struct stage *s, rill_scope *scope, bool wants_module)
{
    memset(s, 0, sizeof *s);
    rill_open_options options = options_of(s);
    snprintf(s->path, sizeof s->path, "/tmp/rill-sweep-%d.c", (int)getpid());
    OK(rill_open(world_device(), &options, &s->context));
    OK(rill_open(world_device(), &options, &s->other));
    OK(rill_stream_create(s->context, NULL, &s->stream));
    OK(rill_stream_create(s->context, NULL, &s->second));
    OK(rill_event_create(s->context, NULL, &s->event));
    OK(rill_event_create(s->context, NULL, &s->unused));
    OK(rill_event_record(s->event, s->second));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->a));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->b));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(1), &s->one));
    if (wants_module) {
        OK(rill_module_create(s->context, source, NULL, &s->module));
        OK(rill_module_kernel(s->module, "blocks", &s->blocks));
        OK(rill_module_kernel(s->module, "two", &s->two));
        OK(make_step(s, &s->step));
    }
    OK(rill_scope_enter(scope, s->stream));
}

// Uses the context once more, with everything that a failure might have broken.
static void use_again(struct stage *s, const char *name, long n)
{
    rill_array c = {0};
    rill_stream stream = {0};
    rill_event event = {0};
    int seven = 7;
    int host[N] = {0};
    rill_status status = rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &c);
    status = status != RILL_OK ? status : rill_stream_create(s->context, NULL, &stream);
    status = status != RILL_OK ? status : rill_event_create(s->context, NULL, &event);
    status = status != RILL_OK ? status : rill_array_fill(c, stream, &seven, sizeof seven);
    status = status != RILL_OK ? status : rill_event_record(event, stream);
    status = status != RILL_OK ? status : rill_event_wait(event, RILL_CURRENT);
    status = status != RILL_OK ? status : rill_array_read(c, RILL_CURRENT, host, sizeof host);
    bool is_right = status == RILL_OK && host[N - 1] == 7;
    rill_kernel blocks = {0};
    if (is_right && s->module.id != 0 && rill_module_kernel(s->module, "blocks", &blocks) == RILL_OK) {
        int sum = 0;
        status = rill_call(blocks, stream, RILL_ARGS(N, c, c), &sum, sizeof sum); // in order: they overlap
        is_right = status == RILL_OK && sum == N * (N - 1) / 2;
    }
    if (!is_right) {
        FAIL("%s, allocation %ld: the context did not work afterwards: %s", name, n, rill_message());
    }
}

// ---- the calls ----------------------------------------------------------------------------------------------------

#define CALL(name) static rill_status call_##name(struct stage *s)

CALL(rill_open)
{
    rill_open_options options = options_of(s);
    rill_context context = {77};
    rill_status status = rill_open(world_device(), &options, &context);
    s->out = context.id;
    if (status == RILL_OK) {
        status = rill_close(context);
    }
    return status;
}

CALL(rill_close)
{
    rill_context context = s->other;
    s->other.id = 0;
    return rill_close(context);
}

CALL(rill_auto_context)
{
    rill_auto_context(&s->other);
    return s->other.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_sync)
{
    return rill_sync(s->context);
}

CALL(rill_context_device)
{
    const char *name;
    return rill_context_device(s->context, &name);
}

CALL(rill_context_has)
{
    bool has;
    return rill_context_has(s->context, RILL_CAPABILITY_GRAPHS, &has);
}

CALL(rill_context_stats)
{
    rill_stats stats;
    return rill_context_stats(s->context, &stats);
}

CALL(rill_context_trim)
{
    return rill_context_trim(s->context);
}

CALL(rill_device_count)
{
    (void)s;
    return rill_device_count() > 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_device_get)
{
    (void)s;
    rill_device_info info;
    return rill_device_get(0, &info);
}

CALL(rill_free)
{
    (void)s;
    rill_free(NULL);
    return RILL_OK;
}

CALL(rill_version)
{
    (void)s;
    return rill_version() != NULL ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_message)
{
    (void)s;
    return rill_message() != NULL ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_status_name)
{
    (void)s;
    return strcmp(rill_status_name(RILL_OK), "RILL_OK") == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_status_text)
{
    (void)s;
    return rill_status_text(RILL_OK) != NULL ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_tsan_symbolize)
{
    (void)s;
    char text[8];
    int place[2];
    return rill_tsan_symbolize(1, text, sizeof text, text, sizeof text, &place[0], &place[1]) == 0 ? RILL_OK
                                                                                                   : RILL_ERR_INTERNAL;
}

// ---- arrays

CALL(rill_array_create)
{
    rill_array array = {77};
    rill_status status = rill_array_create(s->context, RILL_F64, RILL_SHAPE(3, 3), &array);
    s->out = array.id;
    return status;
}

CALL(rill_array_create_struct)
{
    rill_array array = {77};
    rill_status status = rill_array_create_struct(s->context, 12, RILL_SHAPE(3), &array);
    s->out = array.id;
    return status;
}

CALL(rill_array_view)
{
    rill_array array = {77};
    rill_status status = rill_array_view(s->a, 2, RILL_SHAPE(3), &array);
    s->out = array.id;
    return status;
}

static void count_release(void *user, void *memory)
{
    (void)memory;
    atomic_fetch_add((atomic_int *)user, 1);
}

CALL(rill_array_wrap)
{
    rill_array array = {77};
    rill_wrap wrap = {.memory = s->host,
                      .type = RILL_I32,
                      .shape = RILL_SHAPE(N),
                      .release = count_release,
                      .user = &s->callback_count};
    rill_status status = rill_array_wrap(s->context, &wrap, &array);
    s->out = array.id;
    return status;
}

CALL(rill_array_destroy)
{
    // In use, so that the memory goes back after a mark on the stream: an allocation that must not fail the call.
    int three = 3;
    RILL_TRY(rill_array_fill(s->a, s->stream, &three, sizeof three));
    return rill_array_destroy(s->a);
}

CALL(rill_auto_array)
{
    rill_auto_array(&s->a);
    return s->a.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_array_describe)
{
    rill_array_info info;
    return rill_array_describe(s->a, &info);
}

CALL(rill_array_label)
{
    return rill_array_label(s->a, "a");
}

CALL(rill_array_address)
{
    void *address;
    return rill_array_address(s->a, &address);
}

CALL(rill_array_read)
{
    return rill_array_read(s->a, RILL_CURRENT, s->host, sizeof s->host);
}

CALL(rill_array_write)
{
    return rill_array_write(s->a, RILL_CURRENT, s->host, sizeof s->host);
}

CALL(rill_array_read_async)
{
    return rill_array_read_async(s->a, RILL_CURRENT, s->host, sizeof s->host);
}

CALL(rill_array_write_async)
{
    return rill_array_write_async(s->a, RILL_CURRENT, s->host, sizeof s->host);
}

CALL(rill_array_read_at)
{
    return rill_array_read_at(s->a, RILL_CURRENT, 1, s->host, N - 1);
}

CALL(rill_array_write_at)
{
    return rill_array_write_at(s->a, RILL_CURRENT, 1, s->host, N - 1);
}

CALL(rill_array_read_at_async)
{
    return rill_array_read_at_async(s->a, RILL_CURRENT, 1, s->host, N - 1);
}

CALL(rill_array_write_at_async)
{
    return rill_array_write_at_async(s->a, RILL_CURRENT, 1, s->host, N - 1);
}

CALL(rill_array_fill)
{
    int three = 3;
    return rill_array_fill(s->a, RILL_CURRENT, &three, sizeof three);
}

CALL(rill_array_copy)
{
    return rill_array_copy(s->a, s->b, RILL_CURRENT);
}

CALL(rill_array_transfer)
{
    return rill_array_transfer(s->a, RILL_CURRENT, s->b, RILL_CURRENT);
}

// ---- host memory

CALL(rill_host_alloc)
{
    void *memory = &s->out;
    rill_status status = rill_host_alloc(s->context, 1000, &memory);
    s->out = (uint64_t)(uintptr_t)memory;
    return status;
}

CALL(rill_host_access_begin)
{
    return rill_host_access_begin(s->context, s->host, sizeof s->host, true);
}

CALL(rill_host_access_end)
{
    return rill_host_access_end(s->context, s->host);
}

CALL(rill_host_free)
{
    // In use, so that it goes back after a mark on the stream.
    void *memory;
    RILL_TRY(rill_host_alloc(s->context, sizeof s->host, &memory));
    memset(memory, 0, sizeof s->host);
    rill_status status = rill_array_write_async(s->a, s->stream, memory, sizeof s->host);
    rill_status freed = rill_host_free(s->context, memory);
    return status != RILL_OK ? status : freed;
}

// ---- streams, scopes, events

CALL(rill_stream_create)
{
    rill_stream stream = {77};
    rill_status status = rill_stream_create(s->context, NULL, &stream);
    s->out = stream.id;
    return status;
}

CALL(rill_stream_destroy)
{
    return rill_stream_destroy(s->second);
}

CALL(rill_stream_destroy_later)
{
    return rill_stream_destroy_later(s->second);
}

CALL(rill_auto_stream)
{
    rill_auto_stream(&s->second);
    return s->second.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_stream_synchronize)
{
    return rill_stream_synchronize(s->second);
}

CALL(rill_stream_label)
{
    return rill_stream_label(s->second, "second");
}

CALL(rill_stream_query)
{
    rill_status status = rill_stream_query(s->second);
    return status == RILL_ERR_NOT_READY ? RILL_OK : status;
}

CALL(rill_stream_wait)
{
    return rill_stream_wait(s->stream, s->second);
}

// On the CPU there are no such streams.
CALL(rill_stream_native)
{
    void *native;
    rill_status status = rill_stream_native(s->second, &native);
    return status == RILL_ERR_UNSUPPORTED ? RILL_OK : status;
}

CALL(rill_stream_wrap)
{
    rill_stream stream = {0};
    rill_status status = rill_stream_wrap(s->context, NULL, &stream);
    s->out = stream.id;
    if (status == RILL_OK) {
        status = rill_stream_destroy(stream);
    }
    return status == RILL_ERR_UNSUPPORTED ? RILL_OK : status;
}

static void count_callback(void *user, rill_status status)
{
    (void)status;
    atomic_fetch_add((atomic_int *)user, 1);
}

CALL(rill_stream_callback)
{
    return rill_stream_callback(s->stream, count_callback, &s->callback_count);
}

CALL(rill_default_stream)
{
    return rill_default_stream(s->context).id != 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_current_stream)
{
    return rill_current_stream(s->context).id == s->stream.id ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_scope_enter)
{
    RILL_TRY(rill_scope_enter(&s->scope, s->second));
    return rill_scope_leave(&s->scope);
}

CALL(rill_scope_leave)
{
    RILL_TRY(rill_scope_enter(&s->scope, s->second));
    return rill_scope_leave(&s->scope);
}

CALL(rill_auto_scope)
{
    RILL_TRY(rill_scope_enter(&s->scope, s->second));
    rill_auto_scope(&s->scope);
    return RILL_OK;
}

CALL(rill_stream_error)
{
    rill_error_info info;
    return rill_stream_error(s->stream, &info);
}

CALL(rill_stream_clear_error)
{
    return rill_stream_clear_error(s->stream);
}

CALL(rill_event_create)
{
    rill_event event = {77};
    rill_status status = rill_event_create(s->context, NULL, &event);
    s->out = event.id;
    return status;
}

CALL(rill_event_destroy)
{
    return rill_event_destroy(s->event);
}

CALL(rill_auto_event)
{
    rill_auto_event(&s->event);
    return s->event.id == 0 ? RILL_OK : RILL_ERR_INTERNAL;
}

CALL(rill_event_record)
{
    return rill_event_record(s->unused, s->stream);
}

CALL(rill_event_wait)
{
    return rill_event_wait(s->event, s->stream);
}

CALL(rill_event_synchronize)
{
    return rill_event_synchronize(s->event);
}

CALL(rill_event_query)
{
    rill_status status = rill_event_query(s->event);
    return status == RILL_ERR_NOT_READY ? RILL_OK : status;
}

CALL(rill_event_elapsed)
{
    double time;
    RILL_TRY(rill_event_synchronize(s->event));
    return rill_event_elapsed(s->event, s->event, &time);
}

#include "sweep_modules.h"

// ---- launches

CALL(rill_launch)
{
    return rill_launch(s->blocks, RILL_CURRENT, RILL_ARGS(N, s->a, s->b));
}

CALL(rill_call)
{
    int result;
    return rill_call(s->blocks, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(s->host, N), s->b), &result, sizeof result);
}

CALL(rill_launch_at)
{
    return rill_launch_at("here", s->blocks, RILL_CURRENT, RILL_ARGS(N, s->a, s->b));
}

CALL(rill_launch_result)
{
    return rill_launch_result(s->blocks, RILL_CURRENT, RILL_ARGS(N, s->a, s->b), s->one);
}

#include "sweep_packages.h"
#include "sweep_steps.h"

// X(name, whether it needs a module). In the order of tests/house/exports.list.
#define CALL_LIST(X)                                                                                                   \
    X(rill_array_address, false)                                                                                       \
    X(rill_array_copy, false)                                                                                          \
    X(rill_array_create, false)                                                                                        \
    X(rill_array_create_struct, false)                                                                                 \
    X(rill_array_describe, false)                                                                                      \
    X(rill_array_destroy, false)                                                                                       \
    X(rill_array_fill, false)                                                                                          \
    X(rill_array_label, false)                                                                                         \
    X(rill_array_read, false)                                                                                          \
    X(rill_array_read_async, false)                                                                                    \
    X(rill_array_read_at, false)                                                                                       \
    X(rill_array_read_at_async, false)                                                                                 \
    X(rill_array_transfer, false)                                                                                      \
    X(rill_array_view, false)                                                                                          \
    X(rill_array_wrap, false)                                                                                          \
    X(rill_array_write, false)                                                                                         \
    X(rill_array_write_async, false)                                                                                   \
    X(rill_array_write_at, false)                                                                                      \
    X(rill_array_write_at_async, false)                                                                                \
    X(rill_auto_array, false)                                                                                          \
    X(rill_auto_context, false)                                                                                        \
    X(rill_auto_event, false)                                                                                          \
    X(rill_auto_scope, false)                                                                                          \
    X(rill_auto_step, true)                                                                                            \
    X(rill_auto_stream, false)                                                                                         \
    X(rill_auto_variants, true)                                                                                        \
    X(rill_built_free, false)                                                                                          \
    X(rill_cache_folder, false)                                                                                        \
    X(rill_cache_remove, false)                                                                                        \
    X(rill_cache_visit, false)                                                                                         \
    X(rill_call, true)                                                                                                 \
    X(rill_check, false)                                                                                               \
    X(rill_close, false)                                                                                               \
    X(rill_context_device, false)                                                                                      \
    X(rill_context_has, false)                                                                                         \
    X(rill_context_stats, false)                                                                                       \
    X(rill_context_trim, false)                                                                                        \
    X(rill_current_stream, false)                                                                                      \
    X(rill_default_stream, false)                                                                                      \
    X(rill_device_count, false)                                                                                        \
    X(rill_device_get, false)                                                                                          \
    X(rill_diagnostics_free, false)                                                                                    \
    X(rill_event_create, false)                                                                                        \
    X(rill_event_destroy, false)                                                                                       \
    X(rill_event_elapsed, false)                                                                                       \
    X(rill_event_query, false)                                                                                         \
    X(rill_event_record, false)                                                                                        \
    X(rill_event_synchronize, false)                                                                                   \
    X(rill_event_wait, false)                                                                                          \
    X(rill_field_read, true)                                                                                           \
    X(rill_field_write, true)                                                                                          \
    X(rill_free, false)                                                                                                \
    X(rill_host_access_begin, false)                                                                                   \
    X(rill_host_access_end, false)                                                                                     \
    X(rill_host_alloc, false)                                                                                          \
    X(rill_host_free, false)                                                                                           \
    X(rill_kernel_describe, true)                                                                                      \
    X(rill_kernel_explain, true)                                                                                       \
    X(rill_kernel_load, false)                                                                                         \
    X(rill_kernel_module, true)                                                                                        \
    X(rill_kernel_param, true)                                                                                         \
    X(rill_kernel_param_shape, true)                                                                                   \
    X(rill_kernel_task, true)                                                                                          \
    X(rill_launch, true)                                                                                               \
    X(rill_launch_at, true)                                                                                            \
    X(rill_launch_result, true)                                                                                        \
    X(rill_message, false)                                                                                             \
    X(rill_module_create, false)                                                                                       \
    X(rill_module_destroy, true)                                                                                       \
    X(rill_module_emit, true)                                                                                          \
    X(rill_module_explain, true)                                                                                       \
    X(rill_module_field, true)                                                                                         \
    X(rill_module_field_count, true)                                                                                   \
    X(rill_module_kernel, true)                                                                                        \
    X(rill_module_kernel_at, true)                                                                                     \
    X(rill_module_kernel_count, true)                                                                                  \
    X(rill_module_load, false)                                                                                         \
    X(rill_open, false)                                                                                                \
    X(rill_package_build, false)                                                                                       \
    X(rill_package_call, false)                                                                                        \
    X(rill_package_kernel, false)                                                                                      \
    X(rill_package_launch, false)                                                                                      \
    X(rill_package_launch_result, false)                                                                               \
    X(rill_package_module, false)                                                                                      \
    X(rill_record_begin, false)                                                                                        \
    X(rill_record_drop, true)                                                                                          \
    X(rill_record_end, true)                                                                                           \
    X(rill_scope_enter, false)                                                                                         \
    X(rill_scope_leave, false)                                                                                         \
    X(rill_source_emit, false)                                                                                         \
    X(rill_source_explain, false)                                                                                      \
    X(rill_status_name, false)                                                                                         \
    X(rill_status_text, false)                                                                                         \
    X(rill_step_describe, true)                                                                                        \
    X(rill_step_destroy, true)                                                                                         \
    X(rill_step_launch, true)                                                                                          \
    X(rill_step_launch_at, true)                                                                                       \
    X(rill_step_repeat, true)                                                                                          \
    X(rill_step_until, true)                                                                                           \
    X(rill_stream_callback, false)                                                                                     \
    X(rill_stream_clear_error, false)                                                                                  \
    X(rill_stream_create, false)                                                                                       \
    X(rill_stream_destroy, false)                                                                                      \
    X(rill_stream_destroy_later, false)                                                                                \
    X(rill_stream_error, false)                                                                                        \
    X(rill_stream_label, false)                                                                                        \
    X(rill_stream_native, false)                                                                                       \
    X(rill_stream_query, false)                                                                                        \
    X(rill_stream_synchronize, false)                                                                                  \
    X(rill_stream_wait, false)                                                                                         \
    X(rill_stream_wrap, false)                                                                                         \
    X(rill_sync, false)                                                                                                \
    X(rill_tsan_symbolize, false)                                                                                      \
    X(rill_variants_call, true)                                                                                        \
    X(rill_variants_create, true)                                                                                      \
    X(rill_variants_describe, true)                                                                                    \
    X(rill_variants_destroy, true)                                                                                     \
    X(rill_variants_launch, true)                                                                                      \
    X(rill_version, false)

static const struct call {
    const char *name;
    rill_status (*run)(struct stage *s);
    bool wants_module;
} calls[] = {
#define CALL_ROW(name, wants_module) {#name, call_##name, wants_module},
    CALL_LIST(CALL_ROW)
#undef CALL_ROW
};

enum { CALL_COUNT = sizeof calls / sizeof *calls };

static const char *name_of_call(int row)
{
    return calls[row].name;
}

TEST(every_exported_call_is_swept)
{
    exports_check(name_of_call, CALL_COUNT, "has no row here");
}

// ---- the sweep ----------------------------------------------------------------------------------------------------

// What must hold after a call that was to fail at its n-th allocation. |status| is what it returned.
static void check_stage(struct stage *s, const struct call *call, long n, rill_status status)
{
    if (status != RILL_OK && status != RILL_ERR_OUT_OF_MEMORY) {
        FAIL("%s, allocation %ld: %s: %s", call->name, n, rill_status_name(status), rill_message());
    }
    if (status != RILL_OK && (s->out != 0 || s->text != NULL)) {
        FAIL("%s, allocation %ld: failed, and yet gave something out", call->name, n);
    }
    if (rill_current_stream(s->context).id != s->stream.id) {
        FAIL("%s, allocation %ld: the thread's stream has changed", call->name, n);
    }
    rill_stats stats;
    OK(rill_context_stats(s->context, &stats));
    if (stats.stream_pool.in_use_count != 0) {
        FAIL("%s, allocation %ld: %llu pooled streams are not back", call->name, n,
             (unsigned long long)stats.stream_pool.in_use_count);
    }
}

// Runs |call| with its n-th allocation failing. True if it made as many.
static bool sweep_once(const struct call *call, long n, long *failed_count)
{
    struct stage s;
    rill_scope scope;
    open_stage(&s, &scope, call->wants_module);
    OK(rill_sync(s.context));
    arm(&s.meter, n);
    rill_status status = call->run(&s);
    OK(rill_sync(s.context)); // what the workers allocate belongs to the call
    bool was_reached = atomic_load(&s.meter.count) >= n;
    atomic_store(&s.meter.fail_at, 0);
    *failed_count += status != RILL_OK;
    check_stage(&s, call, n, status);
    if (status != RILL_OK && !was_reached) {
        FAIL("%s fails without a failing allocation: %s", call->name, rill_message());
    }
    use_again(&s, call->name, n);
    rill_free(s.text);
    OK(rill_scope_leave(&scope));
    OK(rill_close(s.context));
    if (s.other.id != 0) {
        OK(rill_close(s.other));
    }
    if (atomic_load(&s.meter.blocks) != 0) {
        FAIL("%s, allocation %ld: %ld blocks were lost", call->name, n, atomic_load(&s.meter.blocks));
    }
    return was_reached;
}

// A round opens two contexts and compiles, which takes a real driver most of a second. There so many rounds are a
// sample: the calls are taken in steps, so that those of all kinds are among them. The stand-ins sweep them all.
enum { SAMPLE_ROUNDS = 64, SAMPLE_STEP = 19 };

static bool is_sample(void)
{
    return !world_is_cpu() && getenv("RILL_STAND_IN") == NULL && getenv("RILL_TEST_LONG") == NULL;
}

TEST(nth_allocation_fails_in_every_public_call)
{
    long failed_count = 0;
    long allocation_count = 0;
    long round_count = 0;
    int call_count = 0;
    _Static_assert(CALL_COUNT % SAMPLE_STEP != 0, "the steps must come to every call"); // and the step is a prime
    for (int i = 0; i < CALL_COUNT && (!is_sample() || round_count < SAMPLE_ROUNDS); i++) {
        long n = 1;
        while (sweep_once(&calls[i * SAMPLE_STEP % CALL_COUNT], n, &failed_count)) {
            n++;
        }
        allocation_count += n - 1;
        round_count += n;
        call_count++;
    }
    char path[64];
    snprintf(path, sizeof path, "/tmp/rill-sweep-%d.c", (int)getpid());
    remove(path);
    rill_built_free(&built);
    CHECK(allocation_count > (world_is_cpu() ? 60 : is_sample() ? 8 : 30)); // what a driver allocates is its own
    CHECK(failed_count > (world_is_cpu() ? 40 : is_sample() ? 6 : 20));
    if (getenv("RILL_TEST_PROGRESS") != NULL || is_sample()) {
        printf("# %d of %d calls, %ld allocations in %ld rounds, %ld of them fail a call\n", call_count, CALL_COUNT,
               allocation_count, round_count, failed_count);
    }
}

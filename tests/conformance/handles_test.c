// A handle that was never set, whose object was destroyed, whose context was closed, that is of another kind or of
// another context: each is its own error in every call that takes a handle, from any thread, also while another thread
// closes the context.
#include "tree.h"
#include "world.h"

enum kind { CONTEXT, MODULE, KERNEL, ARRAY, STREAM, EVENT, KIND_COUNT };

static const char *const kind_names[] = {"context", "module", "kernel", "array", "stream", "event"};

// One object of each kind: the ids.
struct objects {
    uint64_t ids[KIND_COUNT];
};

static const char source[] = "#include <rill/kernel.h>\n"
                             "int field[4];\n"
                             "kernel int use(int n, const int a[n]) { return n > 0 ? a[0] : 0; }\n";

static rill_context context_of(const struct objects *o)
{
    return (rill_context){o->ids[CONTEXT]};
}

static void make_objects(struct objects *o, rill_context context)
{
    rill_module module = {0};
    rill_kernel kernel = {0};
    rill_array array = {0};
    rill_stream stream = {0};
    rill_event event = {0};
    OK(rill_module_create(context, source, NULL, &module));
    OK(rill_module_kernel(module, "use", &kernel));
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(4), &array));
    OK(rill_stream_create(context, NULL, &stream));
    OK(rill_event_create(context, NULL, &event));
    OK(rill_event_record(event, stream));
    *o = (struct objects){{context.id, module.id, kernel.id, array.id, stream.id, event.id}};
}

static void open_objects(struct objects *o)
{
    rill_context context = {0};
    OK(rill_open(world_device(), &(rill_open_options){.thread_count = 2}, &context));
    make_objects(o, context);
}

static void destroy_objects(const struct objects *o)
{
    OK(rill_event_destroy((rill_event){o->ids[EVENT]}));
    OK(rill_stream_destroy((rill_stream){o->ids[STREAM]}));
    OK(rill_array_destroy((rill_array){o->ids[ARRAY]}));
    OK(rill_module_destroy((rill_module){o->ids[MODULE]}));
}

// ---- the calls ----------------------------------------------------------------------------------------------------

static _Thread_local int host[4];
static _Thread_local union {
    rill_stats stats;
    const char *name;
    bool has;
    char *text;
    size_t count;
    double time;
    void *address;
    uint64_t id;
    rill_kernel_info kernel;
    rill_param_info param;
    rill_task_info task;
    rill_field_info field;
    rill_array_info array;
    rill_error_info error;
    rill_shape shape;
} out;

static void ignore(void *user, rill_status status)
{
    (void)user;
    (void)status;
}

#define C_(id) ((rill_context){id})
#define M_(id) ((rill_module){id})
#define K_(id) ((rill_kernel){id})
#define A_(id) ((rill_array){id})
#define S_(id) ((rill_stream){id})
#define E_(id) ((rill_event){id})
#define GOOD(kind) (o->ids[kind])

// X(name, the call, kind of the handle in question, the call with that handle as |h|). The other handles are good.
#define FIRST_LIST(X)                                                                                                  \
    X(sync, rill_sync, CONTEXT, rill_sync(C_(h)))                                                                      \
    X(context_stats, rill_context_stats, CONTEXT, rill_context_stats(C_(h), &out.stats))                               \
    X(context_trim, rill_context_trim, CONTEXT, rill_context_trim(C_(h)))                                              \
    X(context_device, rill_context_device, CONTEXT, rill_context_device(C_(h), &out.name))                             \
    X(context_has, rill_context_has, CONTEXT, rill_context_has(C_(h), RILL_CAPABILITY_GRAPHS, &out.has))               \
    X(array_create, rill_array_create, CONTEXT,                                                                        \
      rill_array_create(C_(h), RILL_I32, RILL_SHAPE(1), (rill_array *)&out.id))                                        \
    X(array_create_struct, rill_array_create_struct, CONTEXT,                                                          \
      rill_array_create_struct(C_(h), 8, RILL_SHAPE(1), (rill_array *)&out.id))                                        \
    X(array_wrap, rill_array_wrap, CONTEXT,                                                                            \
      rill_array_wrap(C_(h), &(rill_wrap){.memory = host, .type = RILL_I32, .shape = RILL_SHAPE(1)},                   \
                      (rill_array *)&out.id))                                                                          \
    X(stream_wrap, rill_stream_wrap, CONTEXT, rill_stream_wrap(C_(h), NULL, (rill_stream *)&out.id))                   \
    X(stream_create, rill_stream_create, CONTEXT, rill_stream_create(C_(h), NULL, (rill_stream *)&out.id))             \
    X(event_create, rill_event_create, CONTEXT, rill_event_create(C_(h), NULL, (rill_event *)&out.id))                 \
    X(module_create, rill_module_create, CONTEXT, rill_module_create(C_(h), "", NULL, (rill_module *)&out.id))         \
    X(module_load, rill_module_load, CONTEXT,                                                                          \
      rill_module_load(C_(h), tree_file("README.md"), NULL, (rill_module *)&out.id))                                   \
    X(kernel_load, rill_kernel_load, CONTEXT,                                                                          \
      rill_kernel_load(C_(h), tree_file("README.md"), NULL, (rill_kernel *)&out.id))                                   \
    X(module_kernel, rill_module_kernel, MODULE, rill_module_kernel(M_(h), NULL, (rill_kernel *)&out.id))              \
    X(module_kernel_at, rill_module_kernel_at, MODULE, rill_module_kernel_at(M_(h), 0, (rill_kernel *)&out.id))        \
    X(module_kernel_count, rill_module_kernel_count, MODULE, rill_module_kernel_count(M_(h), &out.count))              \
    X(module_field_count, rill_module_field_count, MODULE, rill_module_field_count(M_(h), &out.count))                 \
    X(module_field, rill_module_field, MODULE, rill_module_field(M_(h), 0, &out.field))                                \
    X(module_explain, rill_module_explain, MODULE, rill_module_explain(M_(h), &out.text))                              \
    X(module_emit, rill_module_emit, MODULE, rill_module_emit(M_(h), RILL_EMIT_PLAN, NULL, &out.text))                 \
    X(field_read, rill_field_read, MODULE, rill_field_read(M_(h), "field", RILL_CURRENT, host, 4))                     \
    X(field_write, rill_field_write, MODULE, rill_field_write(M_(h), "field", RILL_CURRENT, host, 4))                  \
    X(kernel_module, rill_kernel_module, KERNEL, rill_kernel_module(K_(h), (rill_module *)&out.id))                    \
    X(kernel_describe, rill_kernel_describe, KERNEL, rill_kernel_describe(K_(h), &out.kernel))                         \
    X(kernel_param, rill_kernel_param, KERNEL, rill_kernel_param(K_(h), 0, &out.param))                                \
    X(kernel_explain, rill_kernel_explain, KERNEL, rill_kernel_explain(K_(h), RILL_ARGS(1, 0), &out.text))             \
    X(kernel_task, rill_kernel_task, KERNEL, rill_kernel_task(K_(h), 0, &out.task))                                    \
    X(kernel_param_shape, rill_kernel_param_shape, KERNEL,                                                             \
      rill_kernel_param_shape(K_(h), 1, RILL_ARGS(1, 0), &out.shape))                                                  \
    X(launch, rill_launch, KERNEL, rill_launch(K_(h), RILL_CURRENT, RILL_ARGS(4, A_(GOOD(ARRAY)))))                    \
    X(call, rill_call, KERNEL, rill_call(K_(h), RILL_CURRENT, RILL_ARGS(4, A_(GOOD(ARRAY))), host, 4))                 \
    X(launch_result, rill_launch_result, KERNEL,                                                                       \
      rill_launch_result(K_(h), RILL_CURRENT, RILL_ARGS(4, A_(GOOD(ARRAY))), A_(GOOD(ARRAY))))                         \
    X(array_view, rill_array_view, ARRAY, rill_array_view(A_(h), 0, RILL_SHAPE(1), (rill_array *)&out.id))             \
    X(array_describe, rill_array_describe, ARRAY, rill_array_describe(A_(h), &out.array))                              \
    X(array_address, rill_array_address, ARRAY, rill_array_address(A_(h), &out.address))                               \
    X(array_read, rill_array_read, ARRAY, rill_array_read(A_(h), RILL_CURRENT, host, 4))                               \
    X(array_write, rill_array_write, ARRAY, rill_array_write(A_(h), RILL_CURRENT, host, 4))                            \
    X(array_read_async, rill_array_read_async, ARRAY, rill_array_read_async(A_(h), RILL_CURRENT, host, 0))             \
    X(array_write_async, rill_array_write_async, ARRAY, rill_array_write_async(A_(h), RILL_CURRENT, host, 0))          \
    X(array_read_at, rill_array_read_at, ARRAY, rill_array_read_at(A_(h), RILL_CURRENT, 0, host, 1))                   \
    X(array_write_at, rill_array_write_at, ARRAY, rill_array_write_at(A_(h), RILL_CURRENT, 0, host, 1))                \
    X(array_read_at_async, rill_array_read_at_async, ARRAY, rill_array_read_at_async(A_(h), RILL_CURRENT, 0, host, 0)) \
    X(array_write_at_async, rill_array_write_at_async, ARRAY,                                                          \
      rill_array_write_at_async(A_(h), RILL_CURRENT, 0, host, 0))                                                      \
    X(array_fill, rill_array_fill, ARRAY, rill_array_fill(A_(h), RILL_CURRENT, host, 4))                               \
    X(array_copy, rill_array_copy, ARRAY, rill_array_copy(A_(h), A_(GOOD(ARRAY)), RILL_CURRENT))                       \
    X(array_transfer, rill_array_transfer, ARRAY,                                                                      \
      rill_array_transfer(A_(h), RILL_CURRENT, A_(GOOD(ARRAY)), RILL_CURRENT))                                         \
    X(array_transfer_from, rill_array_transfer, ARRAY,                                                                 \
      rill_array_transfer(A_(GOOD(ARRAY)), RILL_CURRENT, A_(h), RILL_CURRENT))                                         \
    X(stream_native, rill_stream_native, STREAM, rill_stream_native(S_(h), &out.address))                              \
    X(stream_synchronize, rill_stream_synchronize, STREAM, rill_stream_synchronize(S_(h)))                             \
    X(stream_query, rill_stream_query, STREAM, rill_stream_query(S_(h)))                                               \
    X(stream_callback, rill_stream_callback, STREAM, rill_stream_callback(S_(h), ignore, NULL))                        \
    X(stream_error, rill_stream_error, STREAM, rill_stream_error(S_(h), &out.error))                                   \
    X(stream_clear_error, rill_stream_clear_error, STREAM, rill_stream_clear_error(S_(h)))                             \
    X(stream_wait, rill_stream_wait, STREAM, rill_stream_wait(S_(h), S_(h)))                                           \
    X(event_record, rill_event_record, EVENT, rill_event_record(E_(h), RILL_CURRENT))                                  \
    X(event_wait, rill_event_wait, EVENT, rill_event_wait(E_(h), RILL_CURRENT))                                        \
    X(event_synchronize, rill_event_synchronize, EVENT, rill_event_synchronize(E_(h)))                                 \
    X(event_query, rill_event_query, EVENT, rill_event_query(E_(h)))                                                   \
    X(event_elapsed, rill_event_elapsed, EVENT, rill_event_elapsed(E_(h), E_(h), &out.time))

// Calls that take something away, and so are not made with a good handle; otherwise the same.
#define LAST_LIST(X)                                                                                                   \
    X(close, rill_close, CONTEXT, rill_close(C_(h)))                                                                   \
    X(module_destroy, rill_module_destroy, MODULE, rill_module_destroy(M_(h)))                                         \
    X(array_destroy, rill_array_destroy, ARRAY, rill_array_destroy(A_(h)))                                             \
    X(stream_destroy, rill_stream_destroy, STREAM, rill_stream_destroy(S_(h)))                                         \
    X(stream_destroy_later, rill_stream_destroy_later, STREAM, rill_stream_destroy_later(S_(h)))                       \
    X(event_destroy, rill_event_destroy, EVENT, rill_event_destroy(E_(h)))                                             \
    X(scope_enter, rill_scope_enter, STREAM, rill_scope_enter(&(rill_scope){0}, S_(h)))

// A second handle, beside a good first one: here it can be foreign too.
#define SECOND_LIST(X)                                                                                                 \
    X(second_launch_stream, rill_launch, STREAM, rill_launch(K_(GOOD(KERNEL)), S_(h), RILL_ARGS(4, A_(GOOD(ARRAY)))))  \
    X(second_launch_array, rill_launch, ARRAY, rill_launch(K_(GOOD(KERNEL)), RILL_CURRENT, RILL_ARGS(4, A_(h))))       \
    X(second_call_stream, rill_call, STREAM,                                                                           \
      rill_call(K_(GOOD(KERNEL)), S_(h), RILL_ARGS(4, A_(GOOD(ARRAY))), host, 4))                                      \
    X(second_call_array, rill_call, ARRAY, rill_call(K_(GOOD(KERNEL)), RILL_CURRENT, RILL_ARGS(4, A_(h)), host, 4))    \
    X(second_launch_result_stream, rill_launch_result, STREAM,                                                         \
      rill_launch_result(K_(GOOD(KERNEL)), S_(h), RILL_ARGS(4, A_(GOOD(ARRAY))), A_(GOOD(ARRAY))))                     \
    X(second_launch_result_array, rill_launch_result, ARRAY,                                                           \
      rill_launch_result(K_(GOOD(KERNEL)), RILL_CURRENT, RILL_ARGS(4, A_(GOOD(ARRAY))), A_(h)))                        \
    X(second_read, rill_array_read, STREAM, rill_array_read(A_(GOOD(ARRAY)), S_(h), host, 4))                          \
    X(second_write, rill_array_write, STREAM, rill_array_write(A_(GOOD(ARRAY)), S_(h), host, 4))                       \
    X(second_read_async, rill_array_read_async, STREAM, rill_array_read_async(A_(GOOD(ARRAY)), S_(h), host, 0))        \
    X(second_write_async, rill_array_write_async, STREAM, rill_array_write_async(A_(GOOD(ARRAY)), S_(h), host, 0))     \
    X(second_read_at, rill_array_read_at, STREAM, rill_array_read_at(A_(GOOD(ARRAY)), S_(h), 0, host, 1))              \
    X(second_write_at, rill_array_write_at, STREAM, rill_array_write_at(A_(GOOD(ARRAY)), S_(h), 0, host, 1))           \
    X(second_read_at_async, rill_array_read_at_async, STREAM,                                                          \
      rill_array_read_at_async(A_(GOOD(ARRAY)), S_(h), 0, host, 0))                                                    \
    X(second_write_at_async, rill_array_write_at_async, STREAM,                                                        \
      rill_array_write_at_async(A_(GOOD(ARRAY)), S_(h), 0, host, 0))                                                   \
    X(second_fill, rill_array_fill, STREAM, rill_array_fill(A_(GOOD(ARRAY)), S_(h), host, 4))                          \
    X(second_copy_array, rill_array_copy, ARRAY, rill_array_copy(A_(GOOD(ARRAY)), A_(h), RILL_CURRENT))                \
    X(second_copy_stream, rill_array_copy, STREAM, rill_array_copy(A_(GOOD(ARRAY)), A_(GOOD(ARRAY)), S_(h)))           \
    X(second_transfer_stream, rill_array_transfer, STREAM,                                                             \
      rill_array_transfer(A_(GOOD(ARRAY)), S_(h), A_(GOOD(ARRAY)), RILL_CURRENT))                                      \
    X(second_transfer_from_stream, rill_array_transfer, STREAM,                                                        \
      rill_array_transfer(A_(GOOD(ARRAY)), RILL_CURRENT, A_(GOOD(ARRAY)), S_(h)))                                      \
    X(second_field_read, rill_field_read, STREAM, rill_field_read(M_(GOOD(MODULE)), "field", S_(h), host, 4))          \
    X(second_field_write, rill_field_write, STREAM, rill_field_write(M_(GOOD(MODULE)), "field", S_(h), host, 4))       \
    X(second_stream_wait, rill_stream_wait, STREAM, rill_stream_wait(S_(GOOD(STREAM)), S_(h)))                         \
    X(second_event_record, rill_event_record, STREAM, rill_event_record(E_(GOOD(EVENT)), S_(h)))                       \
    X(second_event_wait, rill_event_wait, STREAM, rill_event_wait(E_(GOOD(EVENT)), S_(h)))                             \
    X(second_event_elapsed, rill_event_elapsed, EVENT, rill_event_elapsed(E_(GOOD(EVENT)), E_(h), &out.time))

// clang-format off
#define CALL_FUNCTION(name, call, kind, expression)                                                                    \
    static rill_status call_##name(const struct objects *o, uint64_t h) { (void)o; return expression; }
FIRST_LIST(CALL_FUNCTION)
LAST_LIST(CALL_FUNCTION)
SECOND_LIST(CALL_FUNCTION)
// clang-format on

struct call {
    const char *name; // as messages begin
    enum kind kind;
    rill_status (*run)(const struct objects *o, uint64_t h);
};

#define CALL_ROW(name, call, kind, expression) {#call, kind, call_##name},
static const struct call first_calls[] = {FIRST_LIST(CALL_ROW)};
static const struct call last_calls[] = {LAST_LIST(CALL_ROW)};
static const struct call second_calls[] = {SECOND_LIST(CALL_ROW)};

enum {
    FIRST_COUNT = sizeof first_calls / sizeof *first_calls,
    LAST_COUNT = sizeof last_calls / sizeof *last_calls,
    SECOND_COUNT = sizeof second_calls / sizeof *second_calls,
};

// ---- bad handles --------------------------------------------------------------------------------------------------

struct hall {
    struct objects good;
    struct objects destroyed; // of the good context
    struct objects closed;    // of a context that was closed, before another was opened
    struct objects foreign;   // of another open context
};

static void open_hall(struct hall *hall)
{
    open_objects(&hall->closed);
    OK(rill_close(context_of(&hall->closed)));
    open_objects(&hall->good);
    make_objects(&hall->destroyed, context_of(&hall->good));
    destroy_objects(&hall->destroyed);
    open_objects(&hall->foreign);
}

static void close_hall(struct hall *hall)
{
    OK(rill_close(context_of(&hall->foreign)));
    OK(rill_close(context_of(&hall->good)));
}

static void expect(const struct call *call, const struct objects *good, uint64_t handle, rill_status expected,
                   const char *words)
{
    char part[256];
    snprintf(part, sizeof part, words, kind_names[call->kind]);
    rill_status status = call->run(good, handle);
    if (status != expected || strncmp(rill_message(), call->name, strlen(call->name)) != 0 ||
        strstr(rill_message(), part) == NULL) {
        FAIL("%s is %s (\"%s\"), expected %s (\"%s\")", call->name, rill_status_name(status), rill_message(),
             rill_status_name(expected), part);
    }
}

static void expect_all(const struct hall *hall, const struct call *call, bool is_second)
{
    enum kind kind = call->kind;
    const struct objects *good = &hall->good;
    expect(call, good, 0, RILL_ERR_NULL_HANDLE, "the %s handle was never set");
    if (kind == CONTEXT) {
        expect(call, good, hall->closed.ids[CONTEXT], RILL_ERR_STALE, "the %s is closed");
        expect(call, good, good->ids[ARRAY], RILL_ERR_WRONG_KIND, "the handle is not that of a %s");
        return;
    }
    expect(call, good, hall->destroyed.ids[kind], RILL_ERR_STALE, "the %s was destroyed");
    expect(call, good, hall->closed.ids[kind], RILL_ERR_STALE, "the context of the %s is closed");
    expect(call, good, good->ids[kind == EVENT ? ARRAY : EVENT], RILL_ERR_WRONG_KIND, "another kind than %s");
    expect(call, good, good->ids[CONTEXT], RILL_ERR_WRONG_KIND, "another kind than %s");
    if (is_second) {
        expect(call, good, hall->foreign.ids[kind], RILL_ERR_FOREIGN, "the %s belongs to another context");
    }
}

static void *expect_everything(void *arg)
{
    const struct hall *hall = arg;
    for (int i = 0; i < FIRST_COUNT; i++) {
        expect_all(hall, &first_calls[i], false);
    }
    for (int i = 0; i < LAST_COUNT; i++) {
        expect_all(hall, &last_calls[i], false);
    }
    for (int i = 0; i < SECOND_COUNT; i++) {
        expect_all(hall, &second_calls[i], true);
    }
    return NULL;
}

TEST(every_bad_handle_is_its_own_error_in_every_call)
{
    struct hall hall;
    open_hall(&hall);
    expect_everything(&hall);
    rill_stats stats;
    OK(rill_context_stats(context_of(&hall.good), &stats));
    CHECK_INT(stats.launch_count, 0); // what was refused queued nothing
    CHECK_INT(stats.array_count, 1);
    CHECK_INT(stats.module_count, 1);
    CHECK_INT(stats.stream_count, 2);
    close_hall(&hall);
}

TEST(every_bad_handle_is_its_own_error_from_other_threads)
{
    enum { THREADS = 3 };
    struct hall hall;
    open_hall(&hall);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, expect_everything, &hall) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    close_hall(&hall);
}

TEST(event_that_was_never_recorded_is_its_own_error)
{
    struct objects o;
    open_objects(&o);
    rill_event event = {0};
    rill_event recorded = {o.ids[EVENT]};
    double time;
    OK(rill_event_create(context_of(&o), NULL, &event));
    STATUS(rill_event_wait(event, RILL_CURRENT), RILL_ERR_UNRECORDED);
    CHECK_STR(rill_message(), "rill_event_wait: the event was never recorded");
    STATUS(rill_event_synchronize(event), RILL_ERR_UNRECORDED);
    CHECK_STR(rill_message(), "rill_event_synchronize: the event was never recorded");
    STATUS(rill_event_query(event), RILL_ERR_UNRECORDED);
    CHECK_STR(rill_message(), "rill_event_query: the event was never recorded");
    STATUS(rill_event_elapsed(event, recorded, &time), RILL_ERR_UNRECORDED);
    STATUS(rill_event_elapsed(recorded, event, &time), RILL_ERR_UNRECORDED);
    CHECK_STR(rill_message(), "rill_event_elapsed: the event was never recorded");
    OK(rill_event_record(event, RILL_CURRENT));
    OK(rill_event_synchronize(event));
    OK(rill_event_query(event));
    OK(rill_close(context_of(&o)));
}

// ---- while another thread closes ----------------------------------------------------------------------------------

struct caller {
    const struct objects *objects;
    int first;
    atomic_int *round_count; // calls made by all
};

static void *call_until_stale(void *arg)
{
    struct caller *self = arg;
    const struct objects *o = self->objects;
    bool is_over[FIRST_COUNT] = {false};
    int over_count = 0;
    for (int i = self->first; over_count < FIRST_COUNT; i = (i + 1) % FIRST_COUNT) {
        const struct call *call = &first_calls[i];
        out.text = NULL;
        rill_status status = call->run(o, o->ids[call->kind]);
        if (call->run == call_module_explain || call->run == call_module_emit) {
            rill_free(out.text);
        }
        atomic_fetch_add(self->round_count, 1);
        // README.md does not compile, what is under way is not ready, and the CPU has no streams of others.
        if (status != RILL_OK && status != RILL_ERR_STALE && status != RILL_ERR_NOT_READY &&
            status != RILL_ERR_COMPILE && status != RILL_ERR_UNSUPPORTED) {
            FAIL("%s is %s: %s", call->name, rill_status_name(status), rill_message());
            return NULL;
        }
        if (is_over[i] && status != RILL_ERR_STALE) {
            FAIL("%s is %s after it was stale", call->name, rill_status_name(status));
            return NULL;
        }
        over_count += status == RILL_ERR_STALE && !is_over[i];
        is_over[i] = status == RILL_ERR_STALE;
    }
    return NULL;
}

TEST(every_call_is_safe_while_another_thread_closes_the_context)
{
    enum { THREADS = 3 };
    for (int round = 0; round < 3; round++) {
        struct objects o;
        open_objects(&o);
        atomic_int round_count = 0;
        struct caller callers[THREADS];
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            callers[i] = (struct caller){.objects = &o, .first = i * 17 % FIRST_COUNT, .round_count = &round_count};
            REQUIRE(pthread_create(&threads[i], NULL, call_until_stale, &callers[i]) == 0);
        }
        while (atomic_load(&round_count) < 20 + 40 * round) {
            usleep(100);
        }
        rill_status status = rill_close(context_of(&o));
        CHECK_INT(status, RILL_OK);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
        }
    }
}

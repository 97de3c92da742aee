// What the sweep of faults does: every public call that comes to the driver, in one step or another.
#ifndef RILL_TESTS_FAKES_STEPS_H
#define RILL_TESTS_FAKES_STEPS_H

#include "scene.h"

// For contexts that come and go: compiling is most of their cost.
static const char small_source[] =
    "#include <rill/kernel.h>\n"
    "int counter[4] = {1, 2, 3, 4};\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n";

static rill_status do_array(struct scene *s)
{
    rill_array array = {0};
    RILL_TRY(rill_array_create(s->context, RILL_F64, RILL_SHAPE(1000), &array));
    double one = 1;
    rill_status status = rill_array_fill(array, s->stream, &one, sizeof one);
    return first_of(status, rill_array_destroy(array));
}

static rill_status do_transfers(struct scene *s)
{
    int host[N] = {0};
    RILL_TRY(rill_array_write(s->y, s->stream, host, sizeof host));
    RILL_TRY(rill_array_copy(s->x, s->y, s->stream));
    return rill_array_read(s->x, s->stream, host, sizeof host);
}

// Within one array, from and to ranges that overlap.
static rill_status do_move(struct scene *s)
{
    enum { LENGTH = 3 << 18 }; // three pieces
    RILL_AUTO_ARRAY all = {0};
    RILL_AUTO_ARRAY low = {0};
    RILL_AUTO_ARRAY high = {0};
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(LENGTH + 1), &all));
    RILL_TRY(rill_array_view(all, 0, RILL_SHAPE(LENGTH), &low));
    RILL_TRY(rill_array_view(all, 1, RILL_SHAPE(LENGTH), &high));
    RILL_TRY(rill_array_copy(high, low, s->stream));
    RILL_TRY(rill_array_copy(low, high, s->stream));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_async_transfers(struct scene *s)
{
    static int host[N];
    RILL_TRY(rill_array_write_async(s->y, s->stream, host, sizeof host));
    RILL_TRY(rill_array_read_async(s->y, s->stream, host, sizeof host));
    return rill_stream_synchronize(s->stream);
}

enum { LARGE = 5 << 18 }; // two pieces of what pageable memory goes through

// The stream has come past also if the call that waits is the one that fails.
static rill_status synchronize(struct scene *s)
{
    rill_status status = rill_stream_synchronize(s->stream);
    stand_in_drain_at();
    return status;
}

// The memory goes as soon as a call has failed, or the stream has come past.
static rill_status do_large_transfers(struct scene *s)
{
    RILL_AUTO_ARRAY array = {0};
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(LARGE), &array));
    int *from = calloc(LARGE, sizeof *from);
    int *to = calloc(LARGE, sizeof *to);
    rill_status written = first_of(RILL_OK, rill_array_write_async(array, s->stream, from, LARGE * sizeof *from));
    if (written != RILL_OK) {
        free(from);
    }
    rill_status read = first_of(RILL_OK, rill_array_read_async(array, s->stream, to, LARGE * sizeof *to));
    if (read != RILL_OK) {
        free(to);
    }
    rill_status status = first_of(written, first_of(read, synchronize(s)));
    free(written == RILL_OK ? from : NULL);
    free(read == RILL_OK ? to : NULL);
    return status;
}

static rill_status do_elements(struct scene *s)
{
    static int host[N];
    RILL_TRY(rill_array_write_at(s->y, s->stream, 1, host, N - 1));
    RILL_TRY(rill_array_write_at_async(s->y, s->stream, N - 1, host, 1));
    RILL_TRY(rill_array_read_at_async(s->y, s->stream, 2, host, N - 2));
    return rill_array_read_at(s->y, s->stream, 3, host, 1);
}

static rill_status do_launch(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->y)));
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 2, s->y)));
    return rill_stream_synchronize(s->stream);
}

// Arrays of the kernel's own: some memory, more of it, the same again.
static rill_status do_own(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "own"), s->stream, RILL_ARGS(8, s->y)));
    RILL_TRY(rill_launch(kernel_of(s, "own"), s->stream, RILL_ARGS(N, s->y)));
    RILL_TRY(rill_launch(kernel_of(s, "own"), s->stream, RILL_ARGS(N - 1, s->y)));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_launch_host(struct scene *s)
{
    static int host[N];
    rill_status status = rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, RILL_HOST(host, N)));
    return first_of(status, rill_stream_synchronize(s->stream));
}

static rill_status do_launch_hosts(struct scene *s)
{
    int *a = calloc(LARGE, sizeof *a);
    int *b = calloc(LARGE, sizeof *b);
    rill_status status =
        rill_launch(kernel_of(s, "pair"), s->stream, RILL_ARGS(N, RILL_HOST(a, LARGE), RILL_HOST(b, LARGE)));
    status = first_of(RILL_OK, status);
    if (status == RILL_OK) {
        status = first_of(status, synchronize(s));
        CHECK(status != RILL_OK || (a[N - 1] == N && b[N - 1] == 3 * N - 1 && b[N] == 0));
    }
    free(a);
    free(b);
    return status;
}

static rill_status do_call(struct scene *s)
{
    int sum = 0;
    RILL_TRY(rill_call(kernel_of(s, "sum"), s->stream, RILL_ARGS(N, s->y), &sum, sizeof sum));
    int ends[3] = {-1, -1, -1};
    rill_status status = rill_call(kernel_of(s, "ends"), s->stream, RILL_ARGS(N, s->y), ends, sizeof ends);
    CHECK(status == RILL_OK || (ends[0] == -1 && ends[1] == -1 && ends[2] == -1));
    return status;
}

static rill_status do_blocks(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "pair"), s->stream, RILL_ARGS(N, s->x, s->y)));
    return rill_stream_synchronize(s->stream);
}

// A bound and a condition that lie in device memory; so long that nothing of it is run whole.
static rill_status do_control(struct scene *s)
{
    enum { LONG = 4000 };
    rill_array x = {0};
    int rounds = 2;
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(LONG), &x));
    rill_status status = rill_array_write(s->y, s->stream, &rounds, sizeof rounds);
    status = first_of(status, rill_launch(kernel_of(s, "repeat"), s->stream, RILL_ARGS(LONG, N, s->y, x)));
    status = first_of(status, rill_stream_synchronize(s->stream));
    return first_of(status, rill_array_destroy(x));
}

static rill_status do_print(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "talk"), s->stream, RILL_ARGS(3)));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_checked(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "checked"), s->stream, RILL_ARGS(N, s->x)));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_field(struct scene *s)
{
    int values[4];
    RILL_TRY(rill_launch(kernel_of(s, "count"), s->stream, RILL_ARGS(4)));
    RILL_TRY(rill_field_read(s->module, "counter", s->stream, values, sizeof values));
    return rill_field_write(s->module, "counter", s->stream, values, sizeof values);
}

static rill_status do_stream(struct scene *s)
{
    rill_stream stream = {0};
    RILL_TRY(rill_stream_create(s->context, &(rill_stream_options){.priority = 1}, &stream));
    rill_status status = rill_launch(kernel_of(s, "add"), stream, RILL_ARGS(N, 1, s->y));
    status = first_of(status, rill_stream_wait(s->other, stream));
    status = first_of(status, rill_stream_synchronize(s->other));
    return first_of(status, rill_stream_destroy(stream));
}

static rill_status do_event(struct scene *s)
{
    rill_event event = {0};
    RILL_TRY(rill_event_create(s->context, NULL, &event));
    rill_status status = rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->y));
    status = first_of(status, rill_event_record(event, s->stream));
    status = first_of(status, rill_event_wait(event, s->other));
    status = first_of(status, rill_event_synchronize(event));
    status = first_of(status, rill_stream_synchronize(s->other));
    return first_of(status, rill_event_destroy(event));
}

static void note_callback(void *user, rill_status status)
{
    (void)status;
    __atomic_add_fetch((int *)user, 1, __ATOMIC_RELEASE);
}

// A callback that was taken is called, whatever fails.
static rill_status do_callback(struct scene *s)
{
    static int calls;
    int before = __atomic_load_n(&calls, __ATOMIC_ACQUIRE);
    RILL_TRY(rill_stream_callback(s->stream, note_callback, &calls));
    rill_status status = rill_stream_synchronize(s->stream);
    for (int i = 0; i < 20000 && __atomic_load_n(&calls, __ATOMIC_ACQUIRE) == before; i++) {
        usleep(500);
    }
    CHECK(__atomic_load_n(&calls, __ATOMIC_ACQUIRE) > before);
    return status;
}

static rill_status do_scope(struct scene *s)
{
    rill_scope scope;
    RILL_TRY(rill_scope_enter(&scope, s->other));
    rill_status status = rill_launch(kernel_of(s, "add"), RILL_CURRENT, RILL_ARGS(N, 1, s->y));
    status = first_of(status, rill_scope_leave(&scope));
    CHECK_UINT(rill_current_stream(s->context).id, rill_default_stream(s->context).id);
    return first_of(status, rill_sync(s->context));
}

static rill_status do_result(struct scene *s)
{
    rill_array ends = {0};
    RILL_TRY(rill_launch_result(kernel_of(s, "sum"), s->stream, RILL_ARGS(N, s->x), s->y));
    RILL_TRY(rill_array_create_struct(s->context, 3 * sizeof(int), RILL_SHAPE(1), &ends));
    rill_status status = rill_launch_result(kernel_of(s, "ends"), s->stream, RILL_ARGS(N, s->x), ends);
    status = first_of(status, rill_array_destroy(ends));
    return first_of(status, rill_stream_synchronize(s->stream));
}

// Arrays of other kinds: of structs, parts of another, over memory from elsewhere.
static rill_status do_arrays(struct scene *s)
{
    rill_array records = {0}, part = {0}, wrapped = {0};
    void *memory = NULL;
    int host[4] = {1, 2, 3, 4};
    RILL_TRY(rill_array_create_struct(s->context, sizeof host, RILL_SHAPE(8), &records));
    rill_status status = rill_array_fill(records, s->stream, host, sizeof host); // which no memset can do
    status = first_of(status, rill_array_view(s->x, 4, RILL_SHAPE(4), &part));
    status = first_of(status, rill_array_write(part, s->stream, host, sizeof host));
    status = first_of(status, rill_array_address(s->x, &memory));
    rill_wrap wrap = {.memory = memory, .type = RILL_I32, .shape = RILL_SHAPE(N)};
    status = first_of(status, rill_array_wrap(s->context, &wrap, &wrapped));
    status = first_of(status, rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, wrapped)));
    status = first_of(status, rill_array_read(part, s->stream, host, sizeof host));
    rill_array all[] = {records, part, wrapped};
    for (int i = 0; i < 3; i++) {
        status = all[i].id != 0 ? first_of(status, rill_array_destroy(all[i])) : status;
    }
    return status;
}

// Pinned memory, freed while it is copied.
static rill_status do_pinned(struct scene *s)
{
    void *memory = NULL;
    RILL_TRY(rill_host_alloc(s->context, N * sizeof(int), &memory));
    memset(memory, 0, N * sizeof(int));
    rill_status status = rill_array_write_async(s->x, s->stream, memory, N * sizeof(int));
    status = first_of(status, rill_array_read_async(s->x, s->stream, memory, N * sizeof(int)));
    status = first_of(status, rill_host_free(s->context, memory));
    return first_of(status, rill_stream_synchronize(s->stream));
}

// From one device to another, and through the host where they do not reach each other.
static rill_status do_transfer(struct scene *s)
{
    rill_stream far = rill_default_stream(s->far);
    (void)!rill_stream_clear_error(far);
    RILL_TRY(rill_array_transfer(s->far_x, far, s->x, s->stream));
    RILL_TRY(rill_array_transfer(s->y, s->stream, s->far_x, far));
    RILL_TRY(rill_stream_synchronize(far));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_query(struct scene *s)
{
    rill_event begin = {0}, end = {0};
    rill_error_info info;
    double time;
    rill_status status = rill_event_create(s->context, NULL, &begin);
    status = first_of(status, rill_event_create(s->context, NULL, &end));
    status = first_of(status, rill_event_record(begin, s->stream));
    status = first_of(status, rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->y)));
    status = first_of(status, rill_event_record(end, s->stream));
    for (int i = 0; i < 3 && status == RILL_OK; i++) { // whether they have run is nobody's promise
        rill_status asked[] = {rill_event_query(end), rill_stream_query(s->stream)};
        for (int k = 0; k < 2; k++) {
            status = asked[k] != RILL_ERR_NOT_READY ? first_of(status, asked[k]) : status;
        }
        status = first_of(status, rill_stream_error(s->stream, &info));
    }
    status = first_of(status, rill_stream_synchronize(s->stream));
    status = first_of(status, rill_event_elapsed(begin, end, &time));
    rill_event all[] = {begin, end};
    for (int i = 0; i < 2; i++) {
        status = all[i].id != 0 ? first_of(status, rill_event_destroy(all[i])) : status;
    }
    return status;
}

// A stream that goes while it works, and one that others know.
static rill_status do_streams(struct scene *s)
{
    rill_stream later = {0}, known = {0}, wrapped = {0};
    void *native = NULL;
    RILL_TRY(rill_stream_create(s->context, NULL, &later));
    rill_status status = rill_launch(kernel_of(s, "add"), later, RILL_ARGS(N, 1, s->y));
    status = first_of(status, rill_stream_destroy_later(later));
    status = first_of(status, rill_stream_create(s->context, NULL, &known));
    status = first_of(status, rill_stream_native(known, &native));
    status = first_of(status, rill_launch(kernel_of(s, "pair"), known, RILL_ARGS(N, s->x, s->y)));
    status = first_of(status, rill_stream_wrap(s->context, NULL, &wrapped)); // the driver's default stream
    status = first_of(status, rill_launch(kernel_of(s, "checked"), wrapped, RILL_ARGS(N, s->x)));
    status = wrapped.id != 0 ? first_of(status, rill_stream_destroy(wrapped)) : status;
    status = known.id != 0 ? first_of(status, rill_stream_destroy(known)) : status;
    status = first_of(status, rill_context_trim(s->context));
    return first_of(status, rill_sync(s->context));
}

// What devices say of themselves.
static rill_status do_devices(struct scene *s)
{
    (void)s;
    rill_status status = RILL_OK;
    rill_device_info info;
    size_t count = rill_device_count();
    for (size_t i = 0; i < count; i++) {
        status = first_of(status, rill_device_get(i, &info));
    }
    return status;
}

static rill_status do_module(struct scene *s)
{
    rill_module module = {0};
    rill_kernel kernel = {0};
    RILL_TRY(rill_module_create(s->context, small_source, NULL, &module));
    rill_status status = rill_module_kernel(module, "add", &kernel);
    status = first_of(status, rill_launch(kernel, s->stream, RILL_ARGS(N, 1, s->y)));
    return first_of(status, rill_module_destroy(module));
}

// Opens a package that was built before, and uses each of its calls.
static rill_status do_package(struct scene *s)
{
    static rill_built built;
    if (built.package == NULL) {
        const char *const targets[] = {"sm_90", "gfx90a", "gfx942", "gfx1100"};
        rill_package_options options = {.targets = targets, .target_count = 4};
        RILL_TRY(rill_package_build(small_source, NULL, &options, &built));
    }
    rill_package package = {.bytes = built.package, .size = built.package_size};
    rill_module module = {0};
    rill_kernel kernel = {0};
    RILL_TRY(rill_package_module(s->context, &package, &module));
    rill_status status = rill_package_kernel(s->context, &package, 0, &kernel);
    status = first_of(status, rill_package_launch(&package, 0, NULL, s->stream, RILL_ARGS(N, 1, s->y)));
    status = first_of(status, rill_package_call(&package, 0, s->stream, RILL_ARGS(N, 1, s->y), NULL, 0));
    return first_of(status, rill_module_destroy(module));
}

// Tries two kernels; a call that fails in a trial must not decide anything, nor fail what the caller asked for
// otherwise.
static rill_status do_variants(struct scene *s)
{
    rill_module module = {0};
    rill_kernel kernels[2];
    RILL_AUTO_VARIANTS variants = {0};
    RILL_TRY(rill_module_create(s->context, small_source, NULL, &module));
    rill_status status = rill_module_kernel(module, "add", &kernels[0]);
    kernels[1] = kernels[0];
    status = first_of(status, rill_variants_create(kernels, 2, &(rill_variants_options){.rounds = 1}, &variants));
    status = first_of(status, rill_variants_launch(variants, s->stream, RILL_ARGS(N, 1, s->y)));
    status = first_of(status, rill_variants_call(variants, s->stream, RILL_ARGS(N, 1, s->y), NULL, 0));
    return first_of(status, rill_module_destroy(module));
}

// A launch on a stream that another captures. The captures are the test's own and do not fail.
static void begin_capture(struct scene *s)
{
    int (*begin)(void *, int);
    *(void **)&begin = dlsym(s->library, vendor.begin_capture);
    CHECK_INT(begin(s->native, 2), 0);
}

static rill_status do_capture(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "pair"), s->known, RILL_ARGS(N, s->x, s->y)));
    RILL_TRY(rill_launch(kernel_of(s, "own"), s->known, RILL_ARGS(N, s->y)));
    return rill_launch(kernel_of(s, "checked"), s->known, RILL_ARGS(N, s->x));
}

static void end_capture(struct scene *s)
{
    int (*end)(void *, void **);
    int (*destroy)(void *);
    void *graph = NULL;
    *(void **)&end = dlsym(s->library, vendor.end_capture);
    *(void **)&destroy = dlsym(s->library, vendor.graph_destroy);
    CHECK_INT(end(s->native, &graph), 0);
    CHECK_INT(destroy(graph), 0);
    (void)!rill_stream_clear_error(s->known);
}

// A step with parts that may overlap, launched on two streams with other values, and as a part of another step.
static rill_status record_parts(struct scene *s)
{
    int seven = 7;
    RILL_TRY(rill_array_fill(s->x, s->stream, &seven, sizeof seven));
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->x)));
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->other, RILL_ARGS(N, 2, s->y)));
    RILL_TRY(rill_array_copy(s->y, s->x, s->other));
    return rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 3, s->y));
}

static rill_status do_step(struct scene *s)
{
    rill_step step = {0};
    RILL_TRY(rill_record_begin(s->context));
    rill_status status = record_parts(s);
    if (status != RILL_OK) {
        RILL_TRY(rill_record_drop(s->context));
        return status;
    }
    RILL_TRY(rill_record_end(s->context, &step));
    status = rill_step_launch(step, s->stream, RILL_NO_VALUES);
    status = first_of(status, rill_step_launch(step, s->stream, RILL_VALUES(RILL_SET_ARRAY(s->y, s->x))));
    status = first_of(status, rill_stream_wait(s->other, s->stream));
    status = first_of(status, rill_step_launch(step, s->other, RILL_NO_VALUES));
    status = first_of(status, rill_stream_synchronize(s->other));
    status = first_of(status, rill_stream_synchronize(s->stream));
    return first_of(status, rill_step_destroy(step));
}

// Until a flag says stop, which the step raises itself; then 100 rounds.
static rill_status do_step_loop(struct scene *s)
{
    rill_step step = {0};
    RILL_AUTO_ARRAY flag = {0};
    int zero = 0;
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &flag));
    rill_status status = rill_array_fill(flag, s->stream, &zero, sizeof zero);
    RILL_TRY(rill_record_begin(s->context));
    rill_status recorded = first_of(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->x)),
                                    rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, flag)));
    if (recorded != RILL_OK) {
        RILL_TRY(rill_record_drop(s->context));
        return recorded;
    }
    RILL_TRY(rill_record_end(s->context, &step));
    status = first_of(status, rill_step_until(step, flag));
    status = status == RILL_OK ? rill_step_launch(step, s->stream, RILL_NO_VALUES) : status;
    status = first_of(status, rill_step_until(step, (rill_array){0}));
    status = first_of(status, rill_step_repeat(step, 100));
    status = status == RILL_OK ? rill_step_launch(step, s->stream, RILL_NO_VALUES) : status;
    status = first_of(status, rill_stream_synchronize(s->stream));
    return first_of(status, rill_step_destroy(step));
}

static const struct step {
    const char *name;
    rill_status (*run)(struct scene *scene);
    void (*before)(struct scene *scene); // nothing of these two fails
    void (*after)(struct scene *scene);
    bool is_slow; // it compiles
} steps[] = {
    {.name = "array", .run = do_array},
    {.name = "arrays", .run = do_arrays},
    {.name = "transfers", .run = do_transfers},
    {.name = "move", .run = do_move},
    {.name = "async_transfers", .run = do_async_transfers},
    {.name = "elements", .run = do_elements},
    {.name = "large_transfers", .run = do_large_transfers},
    {.name = "far", .run = do_transfer},
    {.name = "launch", .run = do_launch},
    {.name = "own", .run = do_own},
    {.name = "launch_host", .run = do_launch_host},
    {.name = "launch_hosts", .run = do_launch_hosts},
    {.name = "call", .run = do_call},
    {.name = "result", .run = do_result},
    {.name = "blocks", .run = do_blocks},
    {.name = "control", .run = do_control},
    {.name = "print", .run = do_print},
    {.name = "checked", .run = do_checked},
    {.name = "field", .run = do_field},
    {.name = "stream", .run = do_stream},
    {.name = "streams", .run = do_streams},
    {.name = "event", .run = do_event},
    {.name = "query", .run = do_query},
    {.name = "callback", .run = do_callback},
    {.name = "scope", .run = do_scope},
    {.name = "step", .run = do_step},
    {.name = "step loop", .run = do_step_loop},
    {.name = "devices", .run = do_devices},
    {.name = "pinned", .run = do_pinned},
    {.name = "module", .run = do_module, .is_slow = true},
    {.name = "package", .run = do_package, .is_slow = true},
    {.name = "variants", .run = do_variants, .is_slow = true},
    {.name = "capture", .run = do_capture, .before = begin_capture, .after = end_capture},
};
enum { STEP_COUNT = sizeof steps / sizeof steps[0] };

// ---- what they are for ----------------------------------------------------------------------------------------------

// X(a public call, the step that makes it; "": it calls no driver, "open": opening and closing)
#define STEP_CALLS(X)                                                                                                  \
    X(rill_array_address, "")                                                                                          \
    X(rill_array_copy, "transfers")                                                                                    \
    X(rill_array_create, "array")                                                                                      \
    X(rill_array_create_struct, "arrays")                                                                              \
    X(rill_array_describe, "")                                                                                         \
    X(rill_array_destroy, "array")                                                                                     \
    X(rill_array_fill, "array")                                                                                        \
    X(rill_array_label, "")                                                                                            \
    X(rill_array_read, "transfers")                                                                                    \
    X(rill_array_read_async, "async_transfers")                                                                        \
    X(rill_array_read_at, "elements")                                                                                  \
    X(rill_array_read_at_async, "elements")                                                                            \
    X(rill_array_transfer, "far")                                                                                      \
    X(rill_array_view, "arrays")                                                                                       \
    X(rill_array_wrap, "arrays")                                                                                       \
    X(rill_array_write, "transfers")                                                                                   \
    X(rill_array_write_async, "async_transfers")                                                                       \
    X(rill_array_write_at, "elements")                                                                                 \
    X(rill_array_write_at_async, "elements")                                                                           \
    X(rill_auto_array, "array") /* these destroy */                                                                    \
    X(rill_auto_context, "open")                                                                                       \
    X(rill_auto_event, "event")                                                                                        \
    X(rill_auto_scope, "scope")                                                                                        \
    X(rill_auto_step, "step")                                                                                          \
    X(rill_auto_stream, "stream")                                                                                      \
    X(rill_auto_variants, "")                                                                                          \
    X(rill_built_free, "")                                                                                             \
    X(rill_cache_folder, "")                                                                                           \
    X(rill_cache_remove, "")                                                                                           \
    X(rill_cache_visit, "")                                                                                            \
    X(rill_call, "call")                                                                                               \
    X(rill_check, "")                                                                                                  \
    X(rill_close, "open")                                                                                              \
    X(rill_context_device, "")                                                                                         \
    X(rill_context_has, "")                                                                                            \
    X(rill_context_stats, "")                                                                                          \
    X(rill_context_trim, "streams")                                                                                    \
    X(rill_current_stream, "scope")                                                                                    \
    X(rill_default_stream, "scope")                                                                                    \
    X(rill_device_count, "devices")                                                                                    \
    X(rill_device_get, "devices")                                                                                      \
    X(rill_diagnostics_free, "")                                                                                       \
    X(rill_event_create, "event")                                                                                      \
    X(rill_event_destroy, "event")                                                                                     \
    X(rill_event_elapsed, "query")                                                                                     \
    X(rill_event_query, "query")                                                                                       \
    X(rill_event_record, "event")                                                                                      \
    X(rill_event_synchronize, "event")                                                                                 \
    X(rill_event_wait, "event")                                                                                        \
    X(rill_field_read, "field")                                                                                        \
    X(rill_field_write, "field")                                                                                       \
    X(rill_free, "")                                                                                                   \
    X(rill_host_access_begin, "")                                                                                      \
    X(rill_host_access_end, "")                                                                                        \
    X(rill_host_alloc, "pinned")                                                                                       \
    X(rill_host_free, "pinned")                                                                                        \
    X(rill_kernel_describe, "")                                                                                        \
    X(rill_kernel_explain, "")                                                                                         \
    X(rill_kernel_load, "module") /* which reads a file too */                                                         \
    X(rill_kernel_module, "")                                                                                          \
    X(rill_kernel_param, "")                                                                                           \
    X(rill_kernel_param_shape, "")                                                                                     \
    X(rill_kernel_task, "")                                                                                            \
    X(rill_launch, "launch")                                                                                           \
    X(rill_launch_at, "launch")                                                                                        \
    X(rill_launch_result, "result")                                                                                    \
    X(rill_message, "")                                                                                                \
    X(rill_module_create, "module")                                                                                    \
    X(rill_module_destroy, "module")                                                                                   \
    X(rill_module_emit, "")                                                                                            \
    X(rill_module_explain, "")                                                                                         \
    X(rill_module_field, "")                                                                                           \
    X(rill_module_field_count, "")                                                                                     \
    X(rill_module_kernel, "launch")                                                                                    \
    X(rill_module_kernel_at, "")                                                                                       \
    X(rill_module_kernel_count, "")                                                                                    \
    X(rill_module_load, "module") /* which reads a file too */                                                         \
    X(rill_open, "open")                                                                                               \
    X(rill_package_build, "")                                                                                          \
    X(rill_package_call, "package")                                                                                    \
    X(rill_package_kernel, "package")                                                                                  \
    X(rill_package_launch, "package")                                                                                  \
    X(rill_package_launch_result, "result") /* the kernel alone differs */                                             \
    X(rill_package_module, "package")                                                                                  \
    X(rill_record_begin, "step")                                                                                       \
    X(rill_record_drop, "step")                                                                                        \
    X(rill_record_end, "step")                                                                                         \
    X(rill_scope_enter, "scope")                                                                                       \
    X(rill_scope_leave, "scope")                                                                                       \
    X(rill_source_emit, "")                                                                                            \
    X(rill_source_explain, "")                                                                                         \
    X(rill_status_name, "")                                                                                            \
    X(rill_status_text, "")                                                                                            \
    X(rill_step_describe, "")                                                                                          \
    X(rill_step_destroy, "step")                                                                                       \
    X(rill_step_launch, "step")                                                                                        \
    X(rill_step_launch_at, "step")                                                                                     \
    X(rill_step_repeat, "")                                                                                            \
    X(rill_step_until, "step loop")                                                                                    \
    X(rill_stream_callback, "callback")                                                                                \
    X(rill_stream_clear_error, "stream")                                                                               \
    X(rill_stream_create, "stream")                                                                                    \
    X(rill_stream_destroy, "stream")                                                                                   \
    X(rill_stream_destroy_later, "streams")                                                                            \
    X(rill_stream_error, "query")                                                                                      \
    X(rill_stream_label, "")                                                                                           \
    X(rill_stream_native, "streams")                                                                                   \
    X(rill_stream_query, "query")                                                                                      \
    X(rill_stream_synchronize, "stream")                                                                               \
    X(rill_stream_wait, "stream")                                                                                      \
    X(rill_stream_wrap, "streams")                                                                                     \
    X(rill_sync, "scope")                                                                                              \
    X(rill_tsan_symbolize, "")                                                                                         \
    X(rill_variants_call, "variants")                                                                                  \
    X(rill_variants_create, "")                                                                                        \
    X(rill_variants_describe, "")                                                                                      \
    X(rill_variants_destroy, "")                                                                                       \
    X(rill_variants_launch, "variants")                                                                                \
    X(rill_version, "")

#endif

// Automatic order (RILL_ORDER_AUTO): what is queued follows the unfinished work of other streams that it conflicts
// with, and no other. A callback that does not return holds one stream: whoever gets past it was not ordered behind it.
// The same programs in manual order show that nothing else orders them.
#include "world.h"

#include <semaphore.h>

enum { N = 64 };

static const char order_source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "int box[64];\n"
    "kernel void put(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] = v; }\n"
    "kernel void get(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n"
    "kernel void add(int n, int v, int x[n]) { for (int i = 0; i < n; i++) x[i] += v; }\n"
    "kernel void evens(int n, int v, int x[2 * n]) { for (int i = 0; i < n; i++) x[2 * i] = v; }\n"
    "kernel void odds(int n, int v, int x[2 * n]) { for (int i = 0; i < n; i++) x[2 * i + 1] = v; }\n"
    "kernel void part(int n, int from, int to, int v, int x[n]) { for (int i = from; i < to; i++) x[i] = v; }\n"
    "kernel void count(int n, const int at[n], int x[n]) { for (int i = 0; i < n; i++) x[at[i]] += 1; }\n"
    "kernel void most(int n, const int at[n], int x[n])\n"
    "{ for (int i = 0; i < n; i++) x[at[i]] = x[at[i]] > i ? x[at[i]] : i; }\n"
    "kernel void countf(int n, const int at[n], float x[n]) { for (int i = 0; i < n; i++) x[at[i]] += 0.1f; }\n"
    "kernel void take(int n, int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = rill_atomic_add(&x[0], 1); }\n"
    "kernel void fill_box(int v) { for (int i = 0; i < 64; i++) box[i] = v; }\n"
    "kernel void read_box(int n, int y[n]) { for (int i = 0; i < n; i++) y[i] = box[i]; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void fails(int n, int x[n]) { for (int i = 0; i < n; i++) assert(x[i] < 0); }\n"
    "kernel void through(int n, int v, int *p) { for (int i = 0; i < n; i++) p[i] = v; }\n";

struct scene {
    struct world world;
    rill_module module;
    rill_array x, at, low, high, wrapped, floats;
    rill_array out[2], other[2];
    rill_stream streams[2];
    int *address;
    int host[N], shared[N];
    int big[2][N];
    sem_t entered, opened;
    int conflict_count; // of those reported
};

static void count_conflict(void *user, const rill_conflict *conflict)
{
    struct scene *s = user;
    (void)conflict;
    s->conflict_count++;
}

static rill_kernel kernel_of(struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->module, name, &kernel));
    return kernel;
}

static void make_arrays(struct scene *s)
{
    rill_context context = s->world.context;
    int at[N];
    for (int i = 0; i < N; i++) {
        at[i] = i * 7 % N;
        s->host[i] = s->shared[i] = 1;
    }
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &s->x));
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &s->at));
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(N), &s->floats));
    OK(rill_array_view(s->x, 0, RILL_SHAPE(N / 2), &s->low));
    OK(rill_array_view(s->x, N / 2, RILL_SHAPE(N / 2), &s->high));
    void *address = NULL;
    OK(rill_array_address(s->x, &address));
    s->address = address;
    rill_wrap wrap = {.memory = s->address + 8, .type = RILL_I32, .shape = RILL_SHAPE(8)};
    OK(rill_array_wrap(context, &wrap, &s->wrapped));
    for (int i = 0; i < 2; i++) {
        OK(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &s->out[i]));
        OK(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &s->other[i]));
        OK(rill_stream_create(context, NULL, &s->streams[i]));
    }
    OK(rill_array_write(s->at, s->streams[0], at, sizeof at));
    OK(rill_sync(context));
}

static void open_scene(struct scene *s, rill_order order)
{
    memset(s, 0, sizeof *s);
    rill_open_options options = {.log = world_log,
                                 .log_user = &s->world,
                                 .thread_count = 2,
                                 .order = order,
                                 .conflict = count_conflict,
                                 .conflict_user = s};
    if (rill_open(world_device(), &options, &s->world.context) != RILL_OK ||
        rill_module_create(s->world.context, order_source, NULL, &s->module) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
    make_arrays(s);
    sem_init(&s->entered, 0, 0);
    sem_init(&s->opened, 0, 0);
}

static void close_scene(struct scene *s)
{
    OK(rill_close(s->world.context));
    sem_destroy(&s->entered);
    sem_destroy(&s->opened);
}

static void hold_here(void *user, rill_status status)
{
    struct scene *s = user;
    (void)status;
    sem_post(&s->entered);
    while (sem_wait(&s->opened) != 0) {
    }
}

static void hold(struct scene *s, rill_stream stream)
{
    OK(rill_stream_callback(stream, hold_here, s));
    while (sem_wait(&s->entered) != 0) {
    }
}

static void let_go(struct scene *s)
{
    sem_post(&s->opened);
}

static uint64_t waits(struct scene *s)
{
    rill_stats stats = {0};
    OK(rill_context_stats(s->world.context, &stats));
    return stats.order_wait_count;
}

// ---- one operation on the first or second stream ------------------------------------------------------------------

typedef void operation(struct scene *s, int i);

#define LAUNCH(name, ...) OK(rill_launch(kernel_of(s, name), s->streams[i], RILL_ARGS(__VA_ARGS__)))

static void launch_write(struct scene *s, int i)
{
    LAUNCH("put", N, 10 + i, s->x);
}
static void launch_read(struct scene *s, int i)
{
    LAUNCH("get", N, s->x, s->out[i]);
}
static void launch_add(struct scene *s, int i)
{
    LAUNCH("add", N, 5, s->x);
}
static void launch_other(struct scene *s, int i)
{
    LAUNCH("add", N, 5, s->other[i]);
}
static void launch_few(struct scene *s, int i)
{
    LAUNCH("put", 16, 20 + i, s->x);
}
static void launch_nothing(struct scene *s, int i)
{
    LAUNCH("put", 0, 20 + i, s->x);
}
static void launch_low(struct scene *s, int i)
{
    LAUNCH("put", N / 2, 30 + i, s->low);
}
static void launch_high(struct scene *s, int i)
{
    LAUNCH("put", N / 2, 40 + i, s->high);
}
static void launch_first(struct scene *s, int i)
{
    LAUNCH("part", N, 0, 16, 50 + i, s->x);
}
static void launch_rest(struct scene *s, int i)
{
    LAUNCH("part", N, 16, N, 60 + i, s->x);
}
static void launch_evens(struct scene *s, int i)
{
    LAUNCH("evens", N / 2, 70 + i, s->x);
}
static void launch_odds(struct scene *s, int i)
{
    LAUNCH("odds", N / 2, 80 + i, s->x);
}
static void launch_wrapped(struct scene *s, int i)
{
    LAUNCH("put", 8, 90 + i, s->wrapped);
}
static void launch_pointer(struct scene *s, int i)
{
    LAUNCH("through", 8, 95 + i, RILL_PTR(s->address + 20, 8));
}
static void launch_count(struct scene *s, int i)
{
    LAUNCH("count", N, s->at, s->x);
}
static void launch_most(struct scene *s, int i)
{
    LAUNCH("most", N, s->at, s->x);
}
static void launch_count_float(struct scene *s, int i)
{
    LAUNCH("countf", N, s->at, s->floats);
}
static void launch_take(struct scene *s, int i)
{
    LAUNCH("take", N, s->x, s->out[i]);
}
static void launch_fill_box(struct scene *s, int i)
{
    LAUNCH("fill_box", 3 + i);
}
static void launch_read_box(struct scene *s, int i)
{
    LAUNCH("read_box", N, s->out[i]);
}
static void launch_host(struct scene *s, int i)
{
    LAUNCH("add", N, 1 + i, RILL_HOST(s->host, N));
}
static void launch_host_end(struct scene *s, int i)
{
    LAUNCH("add", 8, 1 + i, RILL_HOST(s->host + N - 8, 8));
}
static void launch_host_other(struct scene *s, int i)
{
    LAUNCH("add", N, 1 + i, RILL_HOST(s->big[i], N));
}
static void launch_value(struct scene *s, int i)
{
    OK(rill_launch_result(kernel_of(s, "sum"), s->streams[i], RILL_ARGS(N, s->at), s->x));
}
static void copy_to(struct scene *s, int i)
{
    OK(rill_array_copy(s->x, s->other[i], s->streams[i]));
}
static void copy_from(struct scene *s, int i)
{
    OK(rill_array_copy(s->out[i], s->x, s->streams[i]));
}
static void copy_inside(struct scene *s, int i)
{
    OK(rill_array_copy(s->low, s->high, s->streams[i]));
}
static void transfer_to(struct scene *s, int i)
{
    OK(rill_array_transfer(s->x, s->streams[i], s->other[i], s->streams[i]));
}
static void fill(struct scene *s, int i)
{
    int value = 100 + i;
    OK(rill_array_fill(s->x, s->streams[i], &value, sizeof value));
}
static void write_few(struct scene *s, int i)
{
    int values[4] = {i, 1, 2, 3};
    OK(rill_array_write(s->x, s->streams[i], values, sizeof values));
}
static void write_later(struct scene *s, int i)
{
    OK(rill_array_write_async(s->x, s->streams[i], s->big[i], sizeof s->big[i]));
}
static void read_later(struct scene *s, int i)
{
    OK(rill_array_read_async(s->x, s->streams[i], s->big[i], sizeof s->big[i]));
}
static void read_shared_later(struct scene *s, int i)
{
    OK(rill_array_read_async(s->at, s->streams[i], s->shared, sizeof s->shared));
}
static void write_some(struct scene *s, int i)
{
    OK(rill_array_write_at_async(s->x, s->streams[i], 8, s->big[i], 8));
}
static void read_some(struct scene *s, int i)
{
    OK(rill_array_read_at_async(s->x, s->streams[i], 8, s->big[i], 8));
}
static void read_end(struct scene *s, int i)
{
    OK(rill_array_read_at_async(s->x, s->streams[i], N - 8, s->big[i], 8));
}

// ---- pairs --------------------------------------------------------------------------------------------------------

struct pair {
    const char *text;
    operation *first, *second;
    bool conflicts;
};

#define CONFLICT(a, b) {#a ", " #b, a, b, true}
#define APART(a, b) {#a ", " #b, a, b, false}

static const struct pair pairs[] = {
    CONFLICT(launch_write, launch_read),
    CONFLICT(launch_read, launch_write),
    CONFLICT(launch_write, launch_write),
    CONFLICT(launch_add, launch_add),
    CONFLICT(launch_write, copy_from),
    CONFLICT(copy_from, launch_add),
    CONFLICT(copy_to, launch_read),
    CONFLICT(launch_read, copy_to),
    CONFLICT(copy_to, copy_to),
    CONFLICT(copy_inside, launch_low),
    CONFLICT(copy_inside, launch_high),
    CONFLICT(launch_high, copy_inside),
    CONFLICT(transfer_to, launch_read),
    CONFLICT(launch_read, transfer_to),
    CONFLICT(fill, launch_read),
    CONFLICT(launch_read, fill),
    CONFLICT(fill, fill),
    CONFLICT(write_few, launch_few),
    CONFLICT(launch_read, write_few),
    CONFLICT(write_later, launch_read),
    CONFLICT(launch_read, write_later),
    CONFLICT(launch_write, read_later),
    CONFLICT(read_later, launch_write),
    CONFLICT(read_shared_later, read_shared_later), // the same memory of the host
    CONFLICT(write_some, read_some),
    CONFLICT(read_some, write_some),
    CONFLICT(launch_few, read_some),
    CONFLICT(launch_low, launch_write), // views
    CONFLICT(launch_write, launch_low),
    CONFLICT(launch_low, launch_first),
    CONFLICT(launch_wrapped, launch_low), // memory wrapped again
    CONFLICT(launch_low, launch_wrapped),
    CONFLICT(launch_pointer, launch_low), // an address
    CONFLICT(launch_low, launch_pointer),
    CONFLICT(launch_evens, launch_evens),
    CONFLICT(launch_evens, launch_few),
    CONFLICT(launch_first, launch_few),
    CONFLICT(launch_count, launch_read),
    CONFLICT(launch_read, launch_count),
    CONFLICT(launch_count, launch_most),              // updates that do not commute with each other
    CONFLICT(launch_count_float, launch_count_float), // the sum of floats depends on the order
    CONFLICT(launch_take, launch_take),               // and so does what an explicit atomic gives
    CONFLICT(launch_value, launch_read),
    CONFLICT(launch_read, launch_value),
    CONFLICT(launch_fill_box, launch_read_box),
    CONFLICT(launch_read_box, launch_fill_box),
    CONFLICT(launch_host, launch_host),
    CONFLICT(launch_host, launch_host_end),
    CONFLICT(launch_host_end, launch_host),

    APART(launch_read, launch_read),
    APART(launch_read, copy_from),
    APART(copy_from, read_later),
    APART(read_later, launch_read),
    APART(launch_write, launch_other),
    APART(launch_other, launch_other),
    APART(launch_low, launch_high),
    APART(launch_high, launch_low),
    APART(launch_first, launch_rest),
    APART(launch_rest, launch_few),
    APART(launch_evens, launch_odds),
    APART(launch_few, launch_high),
    APART(launch_nothing, launch_write),
    APART(launch_wrapped, launch_high),
    APART(launch_wrapped, launch_pointer),
    APART(launch_few, read_end),
    APART(write_some, read_end),
    APART(write_few, launch_rest),
    APART(launch_value, launch_high),
    APART(launch_read_box, launch_read_box),
    APART(launch_read_box, launch_write),
    APART(launch_count, launch_count), // atomic updates that commute
    APART(launch_most, launch_most),
    APART(launch_host_other, launch_host_other),
};

static void try_pair(struct scene *s, const struct pair *pair, rill_order order)
{
    hold(s, s->streams[0]);
    pair->first(s, 0);
    uint64_t before = waits(s);
    pair->second(s, 1);
    bool has_waited = waits(s) > before;
    bool expected = order == RILL_ORDER_AUTO && pair->conflicts;
    if (has_waited != expected) {
        FAIL("%s, order %d: it %s", pair->text, (int)order, has_waited ? "waits" : "does not wait");
    }
    if (expected) {
        usleep(1000);
        if (rill_stream_query(s->streams[1]) != RILL_ERR_NOT_READY) {
            FAIL("%s: the second has run before the first", pair->text);
        }
    } else {
        OK(rill_stream_synchronize(s->streams[1])); // while the first stream is held
    }
    let_go(s);
    OK(rill_sync(s->world.context));
}

static void try_pairs(rill_order order)
{
    struct scene s;
    open_scene(&s, order);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        try_pair(&s, &pairs[i], order);
    }
    close_scene(&s);
}

TEST(conflicts_wait_and_nothing_else_does)
{
    try_pairs(RILL_ORDER_AUTO);
}

TEST(manual_order_waits_for_nothing)
{
    need_no_watch();
    try_pairs(RILL_ORDER_MANUAL);
}

// Without an event each conflict is reported, with one nothing is.
TEST(checked_order_reports_the_same_conflicts)
{
    need_no_watch();
    struct scene s;
    rill_event event = {0};
    open_scene(&s, RILL_ORDER_CHECK);
    OK(rill_event_create(s.world.context, NULL, &event));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (int has_event = 1; has_event >= 0; has_event--) {
            s.conflict_count = 0;
            s.world.logged[0] = '\0';
            pairs[i].first(&s, 0);
            if (has_event) {
                OK(rill_event_record(event, s.streams[0]));
                OK(rill_event_wait(event, s.streams[1]));
            }
            pairs[i].second(&s, 1);
            bool expected = pairs[i].conflicts && !has_event;
            if (s.conflict_count != expected) {
                FAIL("%s, with%s an event: %d reports", pairs[i].text, has_event ? "" : "out", s.conflict_count);
            }
            OK(rill_sync(s.world.context));
        }
    }
    CHECK_INT(waits(&s), 0);
    close_scene(&s);
}

// ---- what exactly is waited for -----------------------------------------------------------------------------------

static int first_of(struct scene *s, rill_array array)
{
    int values[N] = {-1};
    OK(rill_array_read(array, s->streams[1], values, sizeof values));
    return values[0];
}

TEST(what_comes_later_on_the_other_stream_is_not_waited_for)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    launch_write(&s, 0);
    hold(&s, s.streams[0]);
    launch_other(&s, 0);
    launch_read(&s, 1);
    CHECK_INT(first_of(&s, s.out[1]), 10); // while the first stream is held
    let_go(&s);
    close_scene(&s);
}

// Events that nobody waits for are left out. The next wait is for the place all the same, if nothing was queued behind
// it, or only what waits itself; else it is for more, and the wait after that for the place again.
TEST(places_that_nobody_asked_for_are_found_again)
{
    enum { MANY = 100 };
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    for (int i = 0; i < MANY; i++) {
        launch_write(&s, 0);
    }
    hold(&s, s.streams[0]);
    launch_other(&s, 0);
    launch_read(&s, 1);
    CHECK_INT(first_of(&s, s.out[1]), 10); // while the first stream is held
    let_go(&s);
    for (int i = 0; i < 2; i++) {
        hold(&s, s.streams[0]); // so that there is something to wait for
        for (int j = 0; j < MANY; j++) {
            launch_write(&s, 0);
        }
        launch_other(&s, 0);
        launch_read(&s, 1);
        let_go(&s);
    }
    launch_write(&s, 0);
    launch_other(&s, 0);
    hold(&s, s.streams[0]);
    launch_other(&s, 0);
    launch_read(&s, 1);
    CHECK_INT(first_of(&s, s.out[1]), 10);
    let_go(&s);
    close_scene(&s);
}

TEST(work_that_has_run_is_not_waited_for)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    launch_write(&s, 0);
    OK(rill_stream_synchronize(s.streams[0]));
    launch_read(&s, 1);
    CHECK_INT(waits(&s), 0);
    CHECK_INT(first_of(&s, s.out[1]), 10);
    close_scene(&s);
}

TEST(a_stream_waits_for_a_place_once)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    for (int i = 0; i < 5; i++) {
        launch_read(&s, 1);
    }
    CHECK_INT(waits(&s), 1);
    let_go(&s);
    CHECK_INT(first_of(&s, s.out[1]), 10);
    close_scene(&s);
}

// What follows the default stream's work from the time when there was no other stream.
TEST(work_from_before_the_second_stream_is_waited_for)
{
    struct world world = {0};
    rill_open_options options = {.log = world_log, .log_user = &world, .order = RILL_ORDER_AUTO, .thread_count = 2};
    OK(rill_open(world_device(), &options, &world.context));
    OK(rill_module_create(world.context, world_source, NULL, &world.module));
    rill_array out = world_array(&world, RILL_I64, 1);
    struct world_gate gate = WORLD_GATE_INIT;
    rill_stream standard = rill_default_stream(world.context);
    OK(rill_stream_callback(standard, world_stand_at_gate, &gate));
    OK(rill_launch(world_kernel(&world, "append"), standard, RILL_ARGS(1, out)));
    rill_stream second = {0};
    OK(rill_stream_create(world.context, NULL, &second));
    OK(rill_launch(world_kernel(&world, "append"), second, RILL_ARGS(2, out)));
    world_open_gate(&gate);
    int64_t value = 0;
    OK(rill_array_read(out, second, &value, sizeof value));
    CHECK_INT(value, 12);
    world_close(&world);
}

TEST(a_stream_without_order_is_left_alone)
{
    need_no_watch();
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    OK(rill_stream_destroy(s.streams[1]));
    OK(rill_stream_create(s.world.context, &(rill_stream_options){.is_unordered = true}, &s.streams[1]));
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    launch_read(&s, 1);
    OK(rill_stream_synchronize(s.streams[1]));
    let_go(&s);
    OK(rill_stream_synchronize(s.streams[0]));
    hold(&s, s.streams[1]);
    launch_write(&s, 1);
    launch_read(&s, 0);
    OK(rill_stream_synchronize(s.streams[0]));
    let_go(&s);
    CHECK_INT(waits(&s), 0);
    close_scene(&s);
}

// ---- any stream ---------------------------------------------------------------------------------------------------

static void launch_any(struct scene *s, rill_array from, rill_array to)
{
    OK(rill_launch(kernel_of(s, "get"), RILL_ANY, RILL_ARGS(N, from, to)));
}

TEST(launches_on_any_stream_overlap_where_they_may)
{
    struct scene s;
    int values[N] = {0};
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    launch_any(&s, s.x, s.out[0]); // behind what is held
    CHECK_INT(waits(&s), 1);
    launch_any(&s, s.out[0], s.other[0]); // behind that, on its stream
    CHECK_INT(waits(&s), 1);
    launch_any(&s, s.at, s.out[1]); // behind nothing
    CHECK_INT(waits(&s), 1);
    OK(rill_array_read(s.out[1], s.streams[1], values, sizeof values));
    CHECK_INT(values[1], 7);
    let_go(&s);
    OK(rill_array_read(s.other[0], s.streams[1], values, sizeof values));
    CHECK_INT(values[1], 10);
    close_scene(&s);
}

TEST(any_stream_is_one_of_a_few)
{
    struct scene s;
    rill_array arrays[12];
    rill_stats before = {0};
    rill_stats after = {0};
    open_scene(&s, RILL_ORDER_AUTO);
    OK(rill_context_stats(s.world.context, &before));
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    for (int i = 0; i < 12; i++) {
        OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(N), &arrays[i]));
        launch_any(&s, s.x, arrays[i]);
    }
    OK(rill_context_stats(s.world.context, &after));
    CHECK_INT(after.stream_count, before.stream_count + 8);
    let_go(&s);
    OK(rill_sync(s.world.context));
    for (int i = 0; i < 12; i++) {
        CHECK_INT(first_of(&s, arrays[i]), 10);
    }
    close_scene(&s);
}

TEST(any_stream_is_refused_where_nothing_orders_it)
{
    struct scene s;
    for (int order = RILL_ORDER_MANUAL; order <= RILL_ORDER_CHECK; order++) {
        open_scene(&s, (rill_order)order);
        int value = 0;
        rill_status expected = order == RILL_ORDER_AUTO ? RILL_OK : RILL_ERR_INVALID;
        CHECK_INT(rill_launch(kernel_of(&s, "put"), RILL_ANY, RILL_ARGS(N, 1, s.x)), expected);
        expected = order == RILL_ORDER_MANUAL ? RILL_ERR_INVALID : RILL_ERR_ARGUMENTS; // the first fault that is found
        CHECK_INT(rill_launch(kernel_of(&s, "put"), RILL_ANY, RILL_ARGS(N, s.x)), expected);
        STATUS(rill_array_fill(s.x, RILL_ANY, &value, sizeof value), RILL_ERR_INVALID);
        CHECK_CONTAINS(rill_message(), "RILL_ANY is for rill_launch() alone");
        STATUS(rill_stream_synchronize(RILL_ANY), RILL_ERR_INVALID);
        close_scene(&s);
    }
}

// ---- calls that wait ----------------------------------------------------------------------------------------------

static void *let_go_later(void *arg)
{
    usleep(20000);
    let_go(arg);
    return NULL;
}

static pthread_t start_letting_go(struct scene *s)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, let_go_later, s) == 0);
    return thread;
}

TEST(a_read_waits_for_the_writer)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    pthread_t thread = start_letting_go(&s);
    CHECK_INT(first_of(&s, s.x), 10);
    pthread_join(thread, NULL);
    close_scene(&s);
}

TEST(a_call_waits_for_the_writer)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    pthread_t thread = start_letting_go(&s);
    int sum = 0;
    OK(rill_call(kernel_of(&s, "sum"), s.streams[1], RILL_ARGS(N, s.x), &sum, sizeof sum));
    CHECK_INT(sum, 10 * N);
    pthread_join(thread, NULL);
    close_scene(&s);
}

TEST(fields_wait_for_the_kernels_that_use_them)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    int box[64] = {0};
    hold(&s, s.streams[0]);
    launch_fill_box(&s, 0);
    pthread_t thread = start_letting_go(&s);
    OK(rill_field_read(s.module, "box", s.streams[1], box, sizeof box));
    CHECK_INT(box[63], 3);
    pthread_join(thread, NULL);
    hold(&s, s.streams[0]);
    launch_read_box(&s, 0);
    thread = start_letting_go(&s);
    box[63] = 8;
    OK(rill_field_write(s.module, "box", s.streams[1], box, sizeof box));
    pthread_join(thread, NULL);
    launch_read_box(&s, 1);
    int values[N];
    OK(rill_array_read(s.out[0], s.streams[0], values, sizeof values));
    CHECK_INT(values[63], 3);
    OK(rill_array_read(s.out[1], s.streams[1], values, sizeof values));
    CHECK_INT(values[63], 8);
    close_scene(&s);
}

TEST(a_copy_to_another_context_waits_for_the_writer)
{
    struct scene s;
    struct scene t;
    open_scene(&s, RILL_ORDER_AUTO);
    open_scene(&t, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    pthread_t thread = start_letting_go(&s);
    OK(rill_array_transfer(t.x, t.streams[1], s.x, s.streams[1]));
    CHECK_INT(first_of(&t, t.x), 10);
    pthread_join(thread, NULL);
    close_scene(&s);
    close_scene(&t);
}

// ---- lifetimes, failures ------------------------------------------------------------------------------------------

TEST(destroyed_arrays_and_streams_are_still_waited_for)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    OK(rill_array_destroy(s.x)); // its views live
    OK(rill_stream_destroy_later(s.streams[0]));
    OK(rill_launch(kernel_of(&s, "get"), s.streams[1], RILL_ARGS(N / 2, s.low, s.out[1])));
    CHECK_INT(waits(&s), 1);
    let_go(&s);
    CHECK_INT(first_of(&s, s.out[1]), 10);
    close_scene(&s);
}

TEST(memory_that_is_used_again_has_no_past)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    for (int i = 0; i < 50; i++) {
        rill_array array = {0};
        OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(N), &array));
        OK(rill_launch(kernel_of(&s, "put"), s.streams[i % 2], RILL_ARGS(N, i, array)));
        OK(rill_stream_synchronize(s.streams[i % 2]));
        OK(rill_array_destroy(array));
    }
    CHECK_INT(waits(&s), 0);
    close_scene(&s);
}

TEST(who_follows_failed_work_gets_its_error)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    OK(rill_launch(kernel_of(&s, "fails"), s.streams[0], RILL_ARGS(N, s.x)));
    STATUS(rill_stream_synchronize(s.streams[0]), RILL_ERR_ASSERT);
    launch_write(&s, 1); // after what has failed, though it has run
    STATUS(rill_stream_synchronize(s.streams[1]), RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(s.streams[0]));
    OK(rill_stream_clear_error(s.streams[1]));
    launch_write(&s, 1);
    OK(rill_stream_synchronize(s.streams[1]));
    close_scene(&s);
}

TEST(a_refused_launch_is_not_waited_for)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    hold(&s, s.streams[0]);
    STATUS(rill_launch(kernel_of(&s, "put"), s.streams[0], RILL_ARGS(N + 1, 1, s.x)), RILL_ERR_ARGUMENTS);
    launch_write(&s, 1);
    CHECK_INT(waits(&s), 0);
    OK(rill_stream_synchronize(s.streams[1]));
    let_go(&s);
    close_scene(&s);
}

static void launch_in_callback(void *user, rill_status status)
{
    (void)status;
    launch_add(user, 1);
}

TEST(callbacks_launch_in_order)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    for (int i = 0; i < 20; i++) {
        launch_add(&s, 0);
        OK(rill_stream_callback(s.streams[0], launch_in_callback, &s));
        launch_add(&s, 1);
    }
    OK(rill_sync(s.world.context));
    OK(rill_sync(s.world.context));
    CHECK_INT(first_of(&s, s.x), 20 * 3 * 5);
    close_scene(&s);
}

// More launches than a stream holds, while a callback that holds the stream launches too.
TEST(full_streams_do_not_keep_callbacks_from_launching)
{
    struct scene s;
    open_scene(&s, RILL_ORDER_AUTO);
    OK(rill_stream_callback(s.streams[0], launch_in_callback, &s));
    for (int i = 0; i < 5000; i++) {
        OK(rill_launch(kernel_of(&s, "add"), s.streams[i % 2], RILL_ARGS(8, 1, s.x)));
    }
    OK(rill_sync(s.world.context));
    OK(rill_sync(s.world.context));
    CHECK_INT(first_of(&s, s.x), 5000 + 5);
    close_scene(&s);
}

// Standard error has the default log.
static void take_stderr(char *out, size_t size, void (*body)(void))
{
    char path[] = "/tmp/rill-order-XXXXXX";
    int file = mkstemp(path), kept = dup(2);
    CHECK(file >= 0 && kept >= 0 && dup2(file, 2) == 2);
    body();
    dup2(kept, 2);
    close(kept);
    ssize_t length = pread(file, out, size - 1, 0);
    out[length > 0 ? length : 0] = '\0';
    close(file);
    unlink(path);
}

static void wait_by_an_index(void)
{
    static const char source[] =
        "#include <rill/kernel.h>\n"
        "kernel void hit(int n, const int at[n], int x[n]) { for (int i = 0; i < n; i++) x[at[i]] += 1; }\n"
        "kernel void get(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n";
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel hit = {0}, get = {0};
    rill_stream a = {0}, b = {0};
    rill_array at = {0}, x = {0}, y = {0};
    OK(rill_open(world_device(), &(rill_open_options){.order = RILL_ORDER_AUTO, .thread_count = 1}, &context));
    OK(rill_module_create(context, source, &(rill_module_options){.path = "hit.c"}, &module));
    OK(rill_module_kernel(module, "hit", &hit));
    OK(rill_module_kernel(module, "get", &get));
    OK(rill_stream_create(context, NULL, &a));
    OK(rill_stream_create(context, NULL, &b));
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(64), &at));
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(64), &x));
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(64), &y));
    struct world_gate gate = WORLD_GATE_INIT;
    OK(rill_stream_callback(a, world_stand_at_gate, &gate));
    for (int i = 0; i < 3; i++) {
        OK(rill_launch_at("main.c:1", hit, a, RILL_ARGS(64, at, x)));
        OK(rill_launch_at("main.c:2", get, b, RILL_ARGS(64, x, y)));
    }
    world_open_gate(&gate);
    OK(rill_close(context));
}

TEST(a_note_says_why_a_stream_waits_and_what_made_the_range_a_bound)
{
    static char text[16384];
    setenv("RILL_LOG", "note", 1);
    take_stderr(text, sizeof text, wait_by_an_index);
    unsetenv("RILL_LOG");
    CHECK_CONTAINS(text, "kernel 'get', main.c:2, (stream 3) reads bytes [0, 256) of 'x': it waits, as kernel 'hit', "
                         "main.c:1, (stream 2) may ");
    CHECK_CONTAINS(text, "bytes [0, 256) of 'x' (hit.c:2: the index of 'x[at[i]]' is data)");
    const char *first = strstr(text, "it waits, as kernel 'hit'");
    CHECK(first != NULL && strstr(first + 1, "it waits, as kernel 'hit'") == NULL); // once for each pair of places
}

TEST(the_environment_says_the_order)
{
    struct scene s;
    setenv("RILL_ORDER", "auto", 1);
    open_scene(&s, RILL_ORDER_MANUAL);
    hold(&s, s.streams[0]);
    launch_write(&s, 0);
    launch_read(&s, 1);
    CHECK_INT(waits(&s), 1);
    let_go(&s);
    close_scene(&s);
    setenv("RILL_ORDER", "sometimes", 1);
    rill_context context = {0};
    STATUS(rill_open(world_device(), NULL, &context), RILL_ERR_INVALID);
    CHECK_CONTAINS(rill_message(), "RILL_ORDER is 'sometimes'");
    unsetenv("RILL_ORDER");
    STATUS(rill_open(world_device(), &(rill_open_options){.order = (rill_order)7}, &context), RILL_ERR_INVALID);
}

// Arrays and host memory in the order of a stream, whatever other streams do; and what is refused changes nothing.
#include "world.h"

enum { N = 1000 };

// The default stream stands at a gate from open_busy() to close_busy(): what waits for it never comes back.
struct busy {
    struct world world;
    struct world_gate gate;
    rill_stream stream;
};

static void open_busy(struct busy *b)
{
    world_open(&b->world, 2);
    b->gate = (struct world_gate)WORLD_GATE_INIT;
    OK(rill_stream_create(b->world.context, NULL, &b->stream));
    OK(rill_stream_callback(rill_default_stream(b->world.context), world_stand_at_gate, &b->gate));
}

static void close_busy(struct busy *b)
{
    STATUS(rill_stream_query(rill_default_stream(b->world.context)), RILL_ERR_NOT_READY);
    world_open_gate(&b->gate);
    world_close(&b->world);
}

TEST(host_arguments_work_on_a_stream_while_the_default_stream_is_busy)
{
    struct busy b;
    open_busy(&b);
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    rill_kernel saxpy = world_kernel(&b.world, "saxpy");
    OK(rill_launch(saxpy, b.stream, RILL_ARGS(N, 2, RILL_HOST(x, N), RILL_HOST(y, N))));
    OK(rill_launch(saxpy, b.stream, RILL_ARGS(N, 1, RILL_HOST(x, N), RILL_HOST(y, N))));
    OK(rill_stream_synchronize(b.stream));
    CHECK_NEAR(y[N - 1], 3 * (N - 1) + 1, 0);
    float sum = 0;
    float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    OK(rill_call(world_kernel(&b.world, "sum"), b.stream, RILL_ARGS(8, RILL_HOST(ones, 8)), &sum, sizeof sum));
    CHECK_NEAR(sum, 8, 0);
    close_busy(&b);
}

// On a device with memory of its own they share one copy, which begins where the ints do, and not with the longs.
TEST(host_ranges_that_overlap_are_aligned_as_on_the_host)
{
    struct world world;
    world_open(&world, 2);
    rill_module module;
    rill_kernel mixed;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "kernel void mixed(int a[8], long b[4]) { b[3] += 5; a[0] = (int)b[3]; }\n",
                          NULL, &module));
    OK(rill_module_kernel(module, "mixed", &mixed));
    static _Alignas(64) int64_t memory[8];
    memory[4] = 7;
    int *ints = (int *)(void *)memory + 1;
    OK(rill_call(mixed, RILL_CURRENT, RILL_ARGS(RILL_HOST(ints, 8), RILL_HOST(memory + 1, 4)), NULL, 0));
    CHECK_INT(memory[4], 12);
    CHECK_INT(memory[0] >> 32, 12);
    world_close(&world);
}

enum { CROWD = 4, TURNS = 100, SHARED = 64 };

// Threads that launch on one stream with the same memory of the host, each of them many times.
struct crowd {
    rill_kernel bump;
    rill_stream stream;
    rill_array array; // what other threads copy to and from in between
    int shared[SHARED];
    atomic_int failures;
};

static void *bump_often(void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 0; i < TURNS; i++) {
        if (rill_launch(crowd->bump, crowd->stream, RILL_ARGS(SHARED, RILL_HOST(crowd->shared, SHARED))) != RILL_OK) {
            atomic_fetch_add(&crowd->failures, 1);
        }
    }
    return NULL;
}

static void *copy_often(void *arg)
{
    struct crowd *crowd = arg;
    static int host[SHARED];
    for (int i = 0; i < TURNS; i++) {
        if (rill_array_write_async(crowd->array, crowd->stream, crowd->shared, sizeof crowd->shared) != RILL_OK ||
            rill_array_read_async(crowd->array, crowd->stream, host, sizeof host) != RILL_OK) {
            atomic_fetch_add(&crowd->failures, 1);
        }
    }
    return NULL;
}

// |stands|: the stream does while they launch, so that nothing of it has gone to the device.
static void launch_in_a_crowd(bool stands)
{
    struct world world;
    world_open(&world, 2);
    static struct crowd crowd;
    memset(&crowd, 0, sizeof crowd);
    struct world_gate gate = WORLD_GATE_INIT;
    rill_module module;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "kernel void bump(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] += 1; }\n",
                          NULL, &module));
    OK(rill_module_kernel(module, "bump", &crowd.bump));
    OK(rill_stream_create(world.context, NULL, &crowd.stream));
    crowd.array = world_array(&world, RILL_I32, SHARED);
    if (stands) {
        OK(rill_stream_callback(crowd.stream, world_stand_at_gate, &gate));
    }
    pthread_t threads[CROWD + 1];
    for (int i = 0; i <= CROWD; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, i < CROWD ? bump_often : copy_often, &crowd) == 0);
    }
    for (int i = 0; i <= CROWD; i++) {
        pthread_join(threads[i], NULL);
    }
    if (stands) {
        world_open_gate(&gate);
    }
    OK(rill_stream_synchronize(crowd.stream));
    CHECK_INT(atomic_load(&crowd.failures), 0);
    for (int i = 0; i < SHARED && CHECK_INT(crowd.shared[i], CROWD * TURNS); i++) {
    }
    world_close(&world);
}

TEST(launches_of_several_threads_with_the_same_host_memory_lose_no_update)
{
    launch_in_a_crowd(false);
}

TEST(launches_of_several_threads_behind_a_callback_lose_no_update)
{
    launch_in_a_crowd(true);
}

// Each element of |x| is what it was or what the kernel writes there.
static bool is_old_or_new(const int *x, int old, int by)
{
    for (int i = 0; i < SHARED; i++) {
        if (x[i] != old && x[i] != i + by) {
            return FAIL("element %d is %d, which nobody has written", i, x[i]);
        }
    }
    return true;
}

// The failure is the stream's, and not the launch's that queued the kernel; the next launch finds it.
TEST(a_kernel_that_fails_leaves_in_host_memory_what_was_there_or_what_it_wrote)
{
    struct world world;
    world_open(&world, 2);
    rill_module module;
    rill_kernel kernel;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n#include <assert.h>\n"
                          "kernel void fill(int n, int bad, int a[n], int b[n], int c[n])\n"
                          "{ for (int i = 0; i < n; i++) a[i] = i + 1;\n"
                          "  for (int i = 0; i < n; i++) { assert(i != bad); b[i] = i + 2; }\n"
                          "  for (int i = 0; i < n; i++) c[i] = i + 3; }\n",
                          NULL, &module));
    OK(rill_module_kernel(module, "fill", &kernel));
    static int hosts[3][SHARED];
    for (int turn = 0; turn < 300; turn++) {
        for (int i = 0; i < 3 * SHARED; i++) {
            hosts[i / SHARED][i % SHARED] = -1;
        }
        int bad = turn % 4 == 3 ? -1 : turn % SHARED;
        OK(rill_launch(kernel, RILL_CURRENT,
                       RILL_ARGS(SHARED, bad, RILL_HOST(hosts[0], SHARED), RILL_HOST(hosts[1], SHARED),
                                 RILL_HOST(hosts[2], SHARED))));
        if (bad < 0) {
            OK(rill_stream_synchronize(rill_default_stream(world.context)));
            CHECK_INT(hosts[2][SHARED - 1], SHARED + 2);
        } else {
            STATUS(rill_stream_synchronize(rill_default_stream(world.context)), RILL_ERR_ASSERT);
            OK(rill_stream_clear_error(rill_default_stream(world.context)));
            CHECK_INT(hosts[0][SHARED - 1], SHARED);
            CHECK_INT(hosts[1][bad], -1);
        }
        for (int i = 0; i < 3 && is_old_or_new(hosts[i], -1, i + 1); i++) {
        }
    }
    world_close(&world);
}

TEST(transfers_work_on_a_stream_while_the_default_stream_is_busy)
{
    struct busy b;
    open_busy(&b);
    static int host[N], back[N];
    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    rill_array x = world_array(&b.world, RILL_I32, N);
    rill_array y = world_array(&b.world, RILL_I32, N);
    rill_array view = {0};
    OK(rill_array_view(y, 10, RILL_SHAPE(20), &view));
    OK(rill_array_write(x, b.stream, host, sizeof host));
    OK(rill_array_copy(y, x, b.stream));
    int seven = 7;
    OK(rill_array_fill(view, b.stream, &seven, sizeof seven));
    OK(rill_array_read(y, b.stream, back, sizeof back));
    for (int i = 0; i < N; i++) {
        CHECK_INT(back[i], i >= 10 && i < 30 ? 7 : i);
    }
    OK(rill_field_write(b.world.module, "gain", b.stream, &(float){5}, sizeof(float)));
    float gain = 0;
    OK(rill_field_read(b.world.module, "gain", b.stream, &gain, sizeof gain));
    CHECK_NEAR(gain, 5, 0);
    // Destroyed while the default stream holds a mark for them: that needs no waiting either.
    OK(rill_array_destroy(x));
    OK(rill_array_destroy(y));
    OK(rill_array_read(view, b.stream, back, 20 * sizeof *back));
    CHECK_INT(back[19], 7);
    close_busy(&b);
}

// Moves |count| elements of an array within it and compares with memmove.
static void move_within(struct world *world, size_t length, size_t to, size_t from, size_t count)
{
    short *host = malloc(length * sizeof *host), *back = malloc(length * sizeof *back);
    for (size_t i = 0; i < length; i++) {
        host[i] = (short)(i * 40503u >> 4);
    }
    RILL_AUTO_ARRAY all = world_array(world, RILL_I16, (int64_t)length);
    RILL_AUTO_ARRAY target = {0};
    RILL_AUTO_ARRAY source = {0};
    OK(rill_array_view(all, to, RILL_SHAPE((int64_t)count), &target));
    OK(rill_array_view(all, from, RILL_SHAPE((int64_t)count), &source));
    OK(rill_array_write(all, RILL_CURRENT, host, length * sizeof *host));
    OK(rill_array_copy(target, source, RILL_CURRENT));
    OK(rill_array_read(all, RILL_CURRENT, back, length * sizeof *back));
    memmove(host + to, host + from, count * sizeof *host);
    if (memcmp(host, back, length * sizeof *host) != 0) {
        FAIL("%zu elements from %zu to %zu are not those of memmove", count, from, to);
    }
    free(back);
    free(host);
}

// A byte's distance, some pieces' distance, and so far that they only touch; to both sides.
TEST(a_copy_within_an_array_is_that_of_memmove)
{
    struct world world;
    world_open(&world, 2);
    static const size_t distances[] = {0, 1, 7, 500, 999, 1000};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        move_within(&world, 2000, distances[i], 0, 1000);
        move_within(&world, 2000, 0, distances[i], 1000);
    }
    enum { LARGE = 3 << 20 }; // elements: several pieces of what a device takes on the way
    static const size_t far[] = {3, (1 << 19) + 5, LARGE - 1};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        move_within(&world, 2 * (size_t)LARGE, far[i], 0, LARGE);
        move_within(&world, 2 * (size_t)LARGE, 0, far[i], LARGE);
    }
    world_close(&world);
}

// Arrays of two contexts over the same memory, from which pieces go through the host.
TEST(a_transfer_between_names_of_the_same_memory_is_that_of_memmove)
{
    enum { LENGTH = 3 << 20, BY = 100 };
    struct world world;
    struct world other;
    world_open(&world, 2);
    world_open(&other, 2);
    rill_array all = world_array(&world, RILL_I32, LENGTH + BY);
    rill_array views[2], wrapped[2];
    void *address;
    OK(rill_array_address(all, &address));
    for (int i = 0; i < 2; i++) {
        rill_wrap wrap = {.memory = (int *)address + (i == 0 ? 0 : BY), .type = RILL_I32, .shape = RILL_SHAPE(LENGTH)};
        OK(rill_array_wrap(other.context, &wrap, &wrapped[i]));
        OK(rill_array_view(all, i == 0 ? 0 : BY, RILL_SHAPE(LENGTH), &views[i]));
    }
    int *host = malloc((LENGTH + BY) * sizeof *host), *back = malloc((LENGTH + BY) * sizeof *back);
    for (int to = 0; to < 2; to++) {
        for (int i = 0; i < LENGTH + BY; i++) {
            host[i] = i * 17;
        }
        OK(rill_array_write(all, RILL_CURRENT, host, (LENGTH + BY) * sizeof *host));
        OK(rill_array_transfer(views[to], RILL_CURRENT, wrapped[1 - to], RILL_CURRENT));
        OK(rill_array_read(all, RILL_CURRENT, back, (LENGTH + BY) * sizeof *back));
        memmove(host + to * BY, host + (1 - to) * BY, LENGTH * sizeof *host);
        CHECK(memcmp(host, back, (LENGTH + BY) * sizeof *host) == 0);
    }
    free(back);
    free(host);
    world_close(&other);
    world_close(&world);
}

TEST(results_come_by_call_and_in_stream_order)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel sum = world_kernel(&world, "sum");
    rill_kernel scale = world_kernel(&world, "scale");
    rill_array x = world_array(&world, RILL_F32, 100);
    rill_array results[5];
    float one = 1;
    OK(rill_array_fill(x, RILL_CURRENT, &one, sizeof one));
    for (int i = 0; i < 5; i++) {
        results[i] = world_array(&world, RILL_F32, 1);
        OK(rill_launch_result(sum, RILL_CURRENT, RILL_ARGS(100, x), results[i]));
        OK(rill_launch(scale, RILL_CURRENT, RILL_ARGS(100, x))); // twice as much for the next
    }
    float got = 0;
    for (int i = 0; i < 5; i++) {
        OK(rill_array_read(results[i], RILL_CURRENT, &got, sizeof got));
        CHECK_NEAR(got, 100 << i, 0);
    }
    OK(rill_call(sum, RILL_CURRENT, RILL_ARGS(100, x), &got, sizeof got));
    CHECK_NEAR(got, 3200, 0);
    // A result feeds the next launch without the host.
    OK(rill_launch_result(sum, RILL_CURRENT, RILL_ARGS(1, results[0]), results[1]));
    OK(rill_array_read(results[1], RILL_CURRENT, &got, sizeof got));
    CHECK_NEAR(got, 100, 0);
    world_close(&world);
}

static void release_wrapped(void *user, void *memory)
{
    (void)memory;
    atomic_fetch_add((atomic_int *)user, 1);
}

TEST(wrapped_memory_is_released_after_the_last_view_and_the_last_use)
{
    struct busy b;
    open_busy(&b);
    static int host[N];
    rill_array owner = world_array(&b.world, RILL_I32, N); // memory that any device has
    void *memory = NULL;
    OK(rill_array_address(owner, &memory));
    atomic_int released = 0;
    rill_array whole = {0};
    rill_array view = {0};
    rill_wrap wrap = {
        .memory = memory, .type = RILL_I32, .shape = RILL_SHAPE(N), .release = release_wrapped, .user = &released};
    OK(rill_array_wrap(b.world.context, &wrap, &whole));
    OK(rill_array_view(whole, 0, RILL_SHAPE(10), &view));
    int three = 3;
    OK(rill_array_fill(whole, RILL_CURRENT, &three, sizeof three)); // behind the gate
    OK(rill_array_destroy(whole));
    OK(rill_array_fill(view, RILL_CURRENT, &three, sizeof three));
    OK(rill_array_destroy(view));
    CHECK_INT(atomic_load(&released), 0);
    OK(rill_array_read(owner, b.stream, host, sizeof host));
    CHECK_INT(host[0], 0);
    STATUS(rill_stream_query(rill_default_stream(b.world.context)), RILL_ERR_NOT_READY);
    world_open_gate(&b.gate);
    OK(rill_array_read(owner, RILL_CURRENT, host, sizeof host));
    CHECK_INT(host[N - 1], 3);
    OK(rill_close(b.world.context));
    CHECK_INT(atomic_load(&released), 1);
}

// Everything that is refused, and then every byte is as it was.
TEST(what_is_refused_changes_nothing)
{
    struct world world;
    world_open(&world, 2);
    int host[10];
    int before[10];
    int ones[10];
    for (int i = 0; i < 10; i++) {
        host[i] = -i;
        before[i] = host[i];
        ones[i] = 1;
    }
    rill_array x = world_array(&world, RILL_I32, 10);
    rill_array large = world_array(&world, RILL_I32, 20);
    OK(rill_array_write(x, RILL_CURRENT, ones, sizeof ones));
    STATUS(rill_array_read(x, RILL_CURRENT, host, sizeof host + 1), RILL_ERR_INVALID);
    STATUS(rill_array_read_async(x, RILL_CURRENT, host, sizeof host + 4), RILL_ERR_INVALID);
    STATUS(rill_array_write(x, RILL_CURRENT, host, sizeof host + 1), RILL_ERR_INVALID);
    STATUS(rill_array_write_async(x, RILL_CURRENT, host, sizeof host + 4), RILL_ERR_INVALID);
    STATUS(rill_array_fill(x, RILL_CURRENT, host, 8), RILL_ERR_INVALID);
    STATUS(rill_array_copy(x, large, RILL_CURRENT), RILL_ERR_INVALID);
    rill_array none = {77};
    STATUS(rill_array_view(x, 5, RILL_SHAPE(6), &none), RILL_ERR_INVALID);
    STATUS(rill_array_view(x, 0, RILL_SHAPE(INT64_MAX, 4), &none), RILL_ERR_INVALID);
    STATUS(rill_array_create(world.context, RILL_F64, RILL_SHAPE(INT64_MAX, 16), &none), RILL_ERR_INVALID);
    STATUS(rill_array_create(world.context, RILL_U8, RILL_SHAPE(INT64_C(1) << 60), &none), RILL_ERR_OUT_OF_MEMORY);
    CHECK_UINT(none.id, 0);
    // A wrong shape, or memory that is too short.
    rill_kernel append = world_kernel(&world, "append");
    rill_kernel pointer = world_kernel(&world, "pointer");
    rill_kernel scale = world_kernel(&world, "scale");
    STATUS(rill_launch(append, RILL_CURRENT, RILL_ARGS(1, x)), RILL_ERR_ARGUMENTS);
    STATUS(rill_launch(pointer, RILL_CURRENT, RILL_ARGS(10, RILL_HOST((float *)host, 10))), RILL_ERR_ARGUMENTS);
    STATUS(rill_launch(scale, RILL_CURRENT, RILL_ARGS(11, RILL_HOST((float *)host, 10))), RILL_ERR_ARGUMENTS);
    OK(rill_sync(world.context));
    CHECK_MEM(host, before, sizeof host);
    OK(rill_array_read(x, RILL_CURRENT, host, sizeof host));
    CHECK_MEM(host, ones, sizeof host);
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.launch_count, 0);
    CHECK_INT(stats.array_count, 2);
    CHECK_INT(stats.array_size, 120);
    world_close(&world);
}

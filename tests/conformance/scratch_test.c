// Arrays of a kernel's own: memory that the launch lends, private to it.
#include "world.h"

static const char own_source[] = "#include <rill/kernel.h>\n"
                                 "kernel void shift(int n, int by, const int a[n], int out[n])\n"
                                 "{\n"
                                 "    int t[n + 1];\n"
                                 "    for (int i = 0; i <= n; i++) t[i] = by;\n"
                                 "    for (int i = 0; i < n; i++) t[i] += a[i];\n"
                                 "    for (int i = 0; i < n; i++) out[i] = t[n - 1 - i] + t[n];\n"
                                 "}\n"
                                 "kernel long sized(long n, long m)\n"
                                 "{\n"
                                 "    long t[n][m];\n"
                                 "    for (long i = 0; i < n; i++) for (long j = 0; j < m; j++) t[i][j] = i + j;\n"
                                 "    long s = 0;\n"
                                 "    for (long i = 0; i < n; i++) for (long j = 0; j < m; j++) s += t[i][j];\n"
                                 "    return s;\n"
                                 "}\n"
                                 "kernel void both(int n, int m, const int at[n], int out[m])\n"
                                 "{\n"
                                 "    int t[n];\n"
                                 "    for (int i = 0; i < n; i++) t[i] = at[i] ^ 1;\n"
                                 "    for (int i = 0; i < n; i++) out[t[n - 1 - i] % m] = i;\n"
                                 "}\n"
                                 "kernel int beyond(int n, int k)\n"
                                 "{\n"
                                 "    int t[n];\n"
                                 "    for (int i = 0; i < n; i++) t[i] = i;\n"
                                 "    return t[k];\n"
                                 "}\n";

enum { MOST = 40000 };

static rill_kernel find(const struct world *world, const char *source, const char *name)
{
    rill_module module;
    rill_kernel kernel;
    OK(rill_module_create(world->context, source, NULL, &module));
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

static void fill(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = (int)((long)i * 48271 % 30011);
    }
}

static void check_shifted(const int *a, const int *out, int n, int by)
{
    for (int i = 0; i < n; i++) {
        if (out[i] != a[n - 1 - i] + 2 * by) {
            FAIL("n %d, by %d, element %d: %d instead of %d", n, by, i, out[i], a[n - 1 - i] + 2 * by);
            return;
        }
    }
}

TEST(launches_on_one_stream_have_arrays_that_grow_and_shrink)
{
    static int a[MOST], out[20][MOST];
    struct world world;
    world_open(&world, 4);
    rill_kernel shift = find(&world, own_source, "shift");
    fill(a, MOST);
    rill_stream stream = rill_default_stream(world.context);
    rill_array in, to[20];
    int sizes[20];
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &in));
    OK(rill_array_write(in, stream, a, sizeof a));
    for (int i = 0; i < 20; i++) { // nothing waits in between
        sizes[i] = i % 3 == 2 ? 17 : 100 + i * i * 100;
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(sizes[i]), &to[i]));
        OK(rill_launch(shift, stream, RILL_ARGS(sizes[i], i, in, to[i])));
    }
    for (int i = 0; i < 20; i++) {
        OK(rill_array_read(to[i], stream, out[i], (size_t)sizes[i] * sizeof(int)));
        check_shifted(a, out[i], sizes[i], i);
    }
    OK(rill_close(world.context));
}

// Were the memory shared, one of the two would find the other's numbers sooner or later.
TEST(launches_on_two_streams_have_arrays_of_their_own)
{
    static int a[MOST], out[MOST];
    struct world world;
    world_open(&world, 4);
    rill_kernel shift = find(&world, own_source, "shift");
    fill(a, MOST);
    rill_stream streams[4];
    rill_array in, to[4];
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &in));
    OK(rill_array_write(in, rill_default_stream(world.context), a, sizeof a));
    for (int s = 0; s < 4; s++) {
        OK(rill_stream_create(world.context, NULL, &streams[s]));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &to[s]));
    }
    for (int round = 0; round < 30; round++) {
        for (int s = 0; s < 4; s++) {
            OK(rill_launch(shift, streams[s], RILL_ARGS(MOST, round * 4 + s, in, to[s])));
        }
        for (int s = 0; s < 4 && round % 10 == 9; s++) {
            OK(rill_array_read(to[s], streams[s], out, sizeof out));
            check_shifted(a, out, MOST, round * 4 + s);
        }
    }
    OK(rill_close(world.context));
}

TEST(a_length_that_cannot_be_is_an_error_of_the_launch_with_words)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel sized = find(&world, own_source, "sized");
    rill_stream stream = rill_default_stream(world.context);
    long sum = -1;
    STATUS(rill_call(sized, stream, RILL_ARGS(-3, 2), &sum, sizeof sum), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "kernel 'sized': its array 't' would have a length of -3");
    STATUS(rill_launch(sized, stream, RILL_ARGS(4, -1)), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "length of -1");
    STATUS(rill_launch(sized, stream, RILL_ARGS(1L << 40, 1L << 40)), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "its array 't' would take more than 2^47 bytes");
    STATUS(rill_launch(sized, stream, RILL_ARGS(1L << 44, 2)), RILL_ERR_ARGUMENTS);
    CHECK_CONTAINS(rill_message(), "more than 2^47 bytes");
    CHECK_INT(sum, -1);
    OK(rill_call(sized, stream, RILL_ARGS(0, 1L << 60), &sum, sizeof sum)); // no element, so none is too many
    CHECK_INT(sum, 0);
    OK(rill_call(sized, stream, RILL_ARGS(30, 20), &sum, sizeof sum));
    CHECK_INT(sum, 20 * 435 + 30 * 190);
    OK(rill_close(world.context));
}

TEST(more_memory_than_there_is_fails_the_launch_and_nothing_else)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel sized = find(&world, own_source, "sized");
    rill_stream stream = rill_default_stream(world.context);
    long sum = -1;
    STATUS(rill_launch(sized, stream, RILL_ARGS(1L << 22, 1L << 22)), RILL_ERR_OUT_OF_MEMORY); // 2^47 bytes
    CHECK_CONTAINS(rill_message(), "kernel 'sized': no memory for its own arrays, 140737488355328 bytes");
    OK(rill_sync(world.context));
    OK(rill_call(sized, stream, RILL_ARGS(3, 2), &sum, sizeof sum));
    CHECK_INT(sum, 9);
    OK(rill_close(world.context));
}

TEST(indices_of_own_arrays_are_checked)
{
    struct world world;
    world_open(&world, 2);
    rill_module_options options = {.check_bounds = true};
    rill_module module;
    rill_kernel beyond;
    OK(rill_module_create(world.context, own_source, &options, &module));
    OK(rill_module_kernel(module, "beyond", &beyond));
    rill_stream stream = rill_default_stream(world.context);
    int value = -1;
    OK(rill_call(beyond, stream, RILL_ARGS(10, 9), &value, sizeof value));
    CHECK_INT(value, 9);
    CHECK(rill_call(beyond, stream, RILL_ARGS(10, 10), &value, sizeof value) != RILL_OK);
    CHECK_CONTAINS(rill_message(), "'t'");
    OK(rill_close(world.context));
}

TEST(own_arrays_are_no_parameters_to_the_host)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel shift = find(&world, own_source, "shift");
    rill_kernel_info info;
    OK(rill_kernel_describe(shift, &info));
    CHECK_INT((int)info.param_count, 4);
    rill_param_info param;
    STATUS(rill_kernel_param(shift, 4, &param), RILL_ERR_INVALID);
    OK(rill_close(world.context));
}

// ---- the n-th allocation fails -------------------------------------------------------------------------------------

struct meter {
    atomic_long count;
    atomic_long fail_at; // the allocation that fails; 0: none
    atomic_long blocks;
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    long number = atomic_fetch_add(&meter->count, 1) + 1;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    if (number == atomic_load(&meter->fail_at)) {
        return NULL;
    }
    atomic_fetch_add(&meter->blocks, 1);
    return aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
}

static void meter_release(void *user, void *memory, size_t size)
{
    struct meter *meter = user;
    (void)size;
    atomic_fetch_sub(&meter->blocks, 1);
    free(memory);
}

static void check_both(const int *at, const int *out, int n, int m)
{
    for (int k = 0; k < m; k++) {
        int last = 0;
        for (int i = 0; i < n; i++) {
            last = (at[n - 1 - i] ^ 1) % m == k ? i : last;
        }
        CHECK_INT(out[k], last);
    }
}

// A launch that wants an array of its own and marks. True: it made fewer than |n| allocations.
static bool launch_with_failure(struct meter *meter, long n, int *failed_count)
{
    enum { N = 30000, M = 50 };
    static int at[N], got[M];
    rill_allocator allocator = {meter, meter_allocate, meter_release};
    rill_open_options options = {.allocator = &allocator, .thread_count = 4};
    struct world world = {0};
    OK(rill_open(world_device(), &options, &world.context));
    rill_kernel both = find(&world, own_source, "both");
    rill_stream stream = rill_default_stream(world.context);
    rill_array in, out;
    fill(at, N);
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &in));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(M), &out));
    OK(rill_array_write(in, stream, at, sizeof at));
    atomic_store(&meter->count, 0);
    atomic_store(&meter->fail_at, n);
    rill_status status = rill_launch(both, stream, RILL_ARGS(N, M, in, out));
    bool is_over = atomic_load(&meter->count) < n;
    atomic_store(&meter->fail_at, 0);
    if (status != RILL_OK) {
        CHECK_STR(rill_status_name(status), "RILL_ERR_OUT_OF_MEMORY");
        (*failed_count)++;
        OK(rill_array_read(out, stream, got, sizeof got));
        CHECK_INT(got[0], 0); // nothing ran
        OK(rill_launch(both, stream, RILL_ARGS(N, M, in, out)));
    }
    OK(rill_array_read(out, stream, got, sizeof got));
    check_both(at, got, N, M);
    OK(rill_close(world.context));
    CHECK_INT((int)atomic_load(&meter->blocks), 0);
    return is_over;
}

TEST(a_launch_without_memory_for_its_arrays_fails_and_can_be_made_again)
{
    struct meter meter = {0};
    long n = 1;
    int failed_count = 0;
    while (n < 100 && !launch_with_failure(&meter, n, &failed_count)) {
        n++;
    }
    CHECK(n > 1 && n < 100);
    CHECK(failed_count > 0);
}

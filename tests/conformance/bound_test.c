// Control over what tasks compute: bounds, values and conditions that lie in device memory. A parallel loop's bound
// never makes the host wait, whatever the device; what is assigned from a task's result goes on in stream order.
#include "world.h"

#include <limits.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdint.h>\n"
    "#pragma rill single\n"
    "kernel void hold(volatile int flag[1]) { while (flag[0] == 0) { } }\n"
    "kernel void put(int a, int b, int bounds[2]) { bounds[0] = a; bounds[1] = b; }\n"
    "kernel void bound(int n, const int bounds[2], int x[n]) { for (int i = 0; i < bounds[0]; i++) x[i] += 1; }\n"
    "kernel void bounds(int n, const int bounds[2], int x[n], int y[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < bounds[0]; i++) x[i] += i; }\n"
    "    stream_parallel { for (int i = 0; i < bounds[1]; i++) y[i] -= i; }\n"
    "}\n"
    "kernel void forms(const int b[2], const uint64_t w[2], long out[9])\n"
    "{\n"
    "    for (int i = b[0]; i < b[1]; i++) out[0] += 1;\n"
    "    for (int i = b[0]; i <= b[1]; i += 3) out[1] += 1;\n"
    "    for (int i = b[1]; i > b[0]; i -= 2) out[2] += 1;\n"
    "    for (int i = b[1]; i >= b[0]; i -= 7) out[3] += 1;\n"
    "    for (unsigned i = b[0]; i < (unsigned)b[1]; i += 5) out[4] += 1;\n"
    "    for (int i = b[0]; i != b[1]; i++) out[5] += 1;\n"
    "    for (uint64_t i = w[0]; i < w[1]; i += 11) out[6] += 1;\n"
    "    for (int64_t i = (int64_t)w[0]; i <= (int64_t)w[1]; i += 4) out[7] += 1;\n"
    "    for (short i = (short)b[0]; i < (short)b[1]; i++) out[8] += 1;\n"
    "}\n"
    "kernel float sum_to(int n, const int bounds[2], const float x[n])\n"
    "{ float s = -0.0f; for (int i = 0; i < bounds[0]; i++) s += x[i]; return s; }\n"
    "kernel float sum(int n, int m, const float x[n]) { float s = -0.0f; for (int i = 0; i < m; i++) s += x[i]; return "
    "s; }\n"
    "kernel double chain(int n, const float x[n], float y[n])\n"
    "{\n"
    "    int above = 0;\n"
    "    for (int i = 0; i < n; i++) above += x[i] > 0;\n"
    "    int wanted = above / 2 + 1;\n"
    "    for (int i = 0; i < wanted; i++) y[i] = wanted;\n"
    "    int k;\n"
    "    for (k = 0; k < wanted; k += 2) y[k] += 0.5f;\n"
    "    return k * 1000.0 + wanted;\n"
    "}\n"
    "kernel int last(int n, const int bounds[2], const int x[n])\n"
    "{ int t = -1; for (int i = 0; i < bounds[0]; i++) t = x[i]; return t; }\n";

struct bound_world {
    struct world world;
    rill_module module;
    uint64_t readbacks;
};

static uint64_t readbacks(const struct bound_world *control)
{
    rill_stats stats;
    OK(rill_context_stats(control->world.context, &stats));
    return stats.readback_count;
}

static void control_open(struct bound_world *control)
{
    world_open(&control->world, 2);
    OK(rill_module_create(control->world.context, source, NULL, &control->module));
    control->readbacks = readbacks(control);
}

static void control_close(struct bound_world *control)
{
    CHECK_INT((long)(readbacks(control) - control->readbacks), 0);
    world_close(&control->world);
}

static rill_kernel kernel_of(const struct bound_world *control, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(control->module, name, &kernel));
    return kernel;
}

static rill_stream stream_of(const struct bound_world *control)
{
    rill_stream stream = {0};
    OK(rill_stream_create(control->world.context, NULL, &stream));
    return stream;
}

// If the launch waited, the flag would never be set.
TEST(bound_in_device_memory_never_makes_the_host_wait)
{
    if (world_is_serial()) {
        SKIP("one thread runs everything");
    }
    if (world_finds_races()) {
        SKIP("the kernel in front races for its flag");
    }
    struct bound_world control;
    control_open(&control);
    enum { N = 1000 };
    rill_stream s = stream_of(&control);
    rill_stream other = stream_of(&control);
    rill_array flag = world_array(&control.world, RILL_I32, 1);
    rill_array bounds = world_array(&control.world, RILL_I32, 2);
    rill_array x = world_array(&control.world, RILL_I32, N);
    rill_array y = world_array(&control.world, RILL_I32, N);
    OK(rill_launch(kernel_of(&control, "bounds"), s, RILL_ARGS(N, bounds, x, y))); // so that nothing is loaded later
    OK(rill_stream_synchronize(s));
    OK(rill_launch(kernel_of(&control, "hold"), s, RILL_ARGS(flag)));
    OK(rill_launch(kernel_of(&control, "put"), s, RILL_ARGS(700, 300, bounds)));
    OK(rill_launch(kernel_of(&control, "bound"), s, RILL_ARGS(N, bounds, x)));
    OK(rill_launch(kernel_of(&control, "bounds"), s, RILL_ARGS(N, bounds, x, y)));
    STATUS(rill_stream_query(s), RILL_ERR_NOT_READY);
    int one = 1;
    OK(rill_array_write(flag, other, &one, sizeof one));
    int xs[N];
    int ys[N];
    OK(rill_array_read(x, s, xs, sizeof xs));
    OK(rill_array_read(y, s, ys, sizeof ys));
    for (int i = 0; i < N; i++) {
        CHECK_INT(xs[i], i < 700 ? i + 1 : 0);
        CHECK_INT(ys[i], i < 300 ? -i : 0);
    }
    control_close(&control);
}

// Each launch has bounds of its own, however many streams launch the kernel at once.
TEST(two_streams_do_not_see_each_others_bounds)
{
    struct bound_world control;
    control_open(&control);
    enum { N = 512, ROUNDS = 40 };
    rill_stream streams[2];
    rill_array bounds[2];
    rill_array x[2];
    rill_array y[2];
    for (int k = 0; k < 2; k++) {
        streams[k] = stream_of(&control);
        bounds[k] = world_array(&control.world, RILL_I32, 2);
        x[k] = world_array(&control.world, RILL_I32, N);
        y[k] = world_array(&control.world, RILL_I32, N);
    }
    rill_kernel put = kernel_of(&control, "put");
    rill_kernel add = kernel_of(&control, "bounds");
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            int a = k == 0 ? round : N - round;
            OK(rill_launch(put, streams[k], RILL_ARGS(a, N - a, bounds[k])));
            OK(rill_launch(add, streams[k], RILL_ARGS(N, bounds[k], x[k], y[k])));
        }
    }
    for (int k = 0; k < 2; k++) {
        int xs[N];
        int ys[N];
        OK(rill_array_read(x[k], streams[k], xs, sizeof xs));
        OK(rill_array_read(y[k], streams[k], ys, sizeof ys));
        for (int i = 0; i < N; i++) {
            int in_x = 0;
            int in_y = 0;
            for (int round = 0; round < ROUNDS; round++) {
                int a = k == 0 ? round : N - round;
                in_x += i < a;
                in_y += i < N - a;
            }
            CHECK_INT(xs[i], in_x * i);
            CHECK_INT(ys[i], -in_y * i);
        }
    }
    control_close(&control);
}

static void expect_forms(const int b[2], const uint64_t w[2], long out[9])
{
    memset(out, 0, 9 * sizeof *out);
    for (int64_t i = b[0]; i < b[1]; i++) {
        out[0] += 1;
    }
    for (int64_t i = b[0]; i <= b[1]; i += 3) {
        out[1] += 1;
    }
    for (int64_t i = b[1]; i > b[0]; i -= 2) {
        out[2] += 1;
    }
    for (int64_t i = b[1]; i >= b[0]; i -= 7) {
        out[3] += 1;
    }
    for (uint64_t i = (unsigned)b[0]; i < (unsigned)b[1]; i += 5) {
        out[4] += 1;
    }
    for (int i = b[0]; i != b[1]; i++) {
        out[5] += 1;
    }
    for (uint64_t i = w[0]; i < w[1]; i += 11) {
        out[6] += 1;
    }
    for (int64_t i = (int64_t)w[0]; i <= (int64_t)w[1]; i += 4) {
        out[7] += 1;
    }
    for (int i = (short)b[0]; i < (short)b[1]; i++) {
        out[8] += 1;
    }
}

TEST(every_form_of_loop_finds_its_bound_on_the_device)
{
    static const int bounds[][2] = {
        {0, 100}, {5, 5}, {-7, 50}, {INT_MAX - 90, INT_MAX - 3}, {INT_MIN + 9, INT_MIN + 70}, {-3, 4}, {1, 40000}};
    static const uint64_t wide[][2] = {{0, 1000}, {7, 7}, {10, 3},    {UINT64_C(1) << 40, (UINT64_C(1) << 40) + 999},
                                       {0, 1},    {3, 4}, {100, 5000}};
    struct bound_world control;
    control_open(&control);
    rill_stream s = stream_of(&control);
    rill_array b = world_array(&control.world, RILL_I32, 2);
    rill_array w = world_array(&control.world, RILL_U64, 2);
    rill_array out = world_array(&control.world, RILL_I64, 9);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        long zero[9] = {0};
        long found[9];
        long wanted[9];
        OK(rill_array_write(b, s, bounds[i], sizeof bounds[i]));
        OK(rill_array_write(w, s, wide[i], sizeof wide[i]));
        OK(rill_array_write(out, s, zero, sizeof zero));
        OK(rill_launch(kernel_of(&control, "forms"), s, RILL_ARGS(b, w, out)));
        OK(rill_array_read(out, s, found, sizeof found));
        expect_forms(bounds[i], wide[i], wanted);
        for (int k = 0; k < 9; k++) {
            if (found[k] != wanted[k]) {
                FAIL("bounds %zu, form %d: %ld instead of %ld", i, k, found[k], wanted[k]);
            }
        }
    }
    control_close(&control);
}

// The end of the reduction is cut by the trip count alone, whoever computes it; an empty loop leaves the value alone.
TEST(reduction_to_a_bound_on_the_device_has_the_bits_of_one_that_the_host_knows)
{
    static const int lengths[] = {0, 1, 15, 16, 17, 33, 4000, 32768, 32769, 100000, -4};
    struct bound_world control;
    control_open(&control);
    enum { N = 100000 };
    float *host = malloc(N * sizeof *host);
    for (int i = 0; i < N; i++) {
        host[i] = 1.0f / (float)(i % 1000 + 1) - 0.003f;
    }
    rill_stream s = stream_of(&control);
    rill_array x = world_array(&control.world, RILL_F32, N);
    rill_array bounds = world_array(&control.world, RILL_I32, 2);
    rill_array results = world_array(&control.world, RILL_F32, 1);
    OK(rill_array_write(x, s, host, N * sizeof *host));
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        float known = 0;
        float found = 0;
        OK(rill_launch(kernel_of(&control, "put"), s, RILL_ARGS(lengths[i], 0, bounds)));
        OK(rill_launch_result(kernel_of(&control, "sum_to"), s, RILL_ARGS(N, bounds, x), results));
        OK(rill_array_read(results, s, &found, sizeof found));
        OK(rill_call(kernel_of(&control, "sum"), s, RILL_ARGS(N, lengths[i], x), &known, sizeof known));
        if (memcmp(&found, &known, sizeof found) != 0) {
            FAIL("%d elements: %a instead of %a", lengths[i], (double)found, (double)known);
        }
    }
    free(host);
    control_close(&control);
}

TEST(values_that_follow_from_a_tasks_result_stay_on_the_device)
{
    struct bound_world control;
    control_open(&control);
    enum { N = 1000 };
    float host[N];
    int above = 0;
    for (int i = 0; i < N; i++) {
        host[i] = (float)(i * 37 % 101) - 60;
        above += host[i] > 0;
    }
    rill_stream s = stream_of(&control);
    rill_array x = world_array(&control.world, RILL_F32, N);
    rill_array y = world_array(&control.world, RILL_F32, N);
    rill_array bounds = world_array(&control.world, RILL_I32, 2);
    OK(rill_array_write(x, s, host, sizeof host));
    double result = 0;
    OK(rill_call(kernel_of(&control, "chain"), s, RILL_ARGS(N, x, y), &result, sizeof result));
    int wanted = above / 2 + 1;
    CHECK(result == (wanted + wanted % 2) * 1000.0 + wanted);
    float ys[N];
    OK(rill_array_read(y, s, ys, sizeof ys));
    for (int i = 0; i < N; i++) {
        CHECK(ys[i] == (i < wanted ? (float)wanted + (i % 2 == 0 ? 0.5f : 0.0f) : 0.0f));
    }
    int numbers[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = i * 3;
    }
    rill_array z = world_array(&control.world, RILL_I32, N);
    OK(rill_array_write(z, s, numbers, sizeof numbers));
    for (int length = 0; length < 3; length++) {
        int found = 0;
        OK(rill_launch(kernel_of(&control, "put"), s, RILL_ARGS(length, 0, bounds)));
        OK(rill_call(kernel_of(&control, "last"), s, RILL_ARGS(N, bounds, z), &found, sizeof found));
        CHECK_INT(found, length == 0 ? -1 : 3 * (length - 1));
    }
    control_close(&control);
}

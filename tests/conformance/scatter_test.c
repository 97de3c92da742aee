// Memory that a launch lends to itself: the marks of a scatter. Launches of one stream share a buffer that grows; a
// launch that gets none runs in order, with the same result.
#include "world.h"

static const char scatter_source[] = "#include <rill/kernel.h>\n"
                                     "kernel void scatter(int n, int m, int shift, const int at[n], int out[m])\n"
                                     "{ for (int i = 0; i < n; i++) out[(at[i] + shift) % m] = i + shift; }\n";

enum { MOST = 60000, LEAST = 500 };

struct scene {
    rill_context context;
    rill_kernel kernel;
    int *at;       // n of them
    int *expected; // what serial C leaves
    int *actual;
};

static void fill(struct scene *s, int n)
{
    s->at = calloc(MOST, sizeof *s->at);
    s->expected = calloc(MOST, sizeof *s->expected);
    s->actual = calloc(MOST, sizeof *s->actual);
    for (int i = 0; i < n; i++) {
        s->at[i] = (int)((long)i * 48271 % 30011);
    }
}

static void expect(struct scene *s, int n, int m, int shift)
{
    for (int i = 0; i < n; i++) {
        s->expected[(s->at[i] + shift) % m] = i + shift;
    }
}

static void finish(struct scene *s)
{
    free(s->at);
    free(s->expected);
    free(s->actual);
}

TEST(launches_of_one_stream_share_marks_that_grow)
{
    struct world world;
    struct scene s = {0};
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s.kernel));
    fill(&s, MOST);
    rill_array at, out;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &out));
    rill_stream stream = rill_default_stream(world.context);
    OK(rill_array_write(at, stream, s.at, MOST * sizeof *s.at));
    int round = 0;
    for (int m = LEAST; m <= MOST; m = m * 3 / 2, round++) { // nothing waits in between
        rill_array view;
        OK(rill_array_view(out, 0, RILL_SHAPE(m), &view));
        OK(rill_launch(s.kernel, stream, RILL_ARGS(MOST, m, round, at, view)));
        OK(rill_array_destroy(view));
        expect(&s, MOST, m, round);
    }
    OK(rill_array_read(out, stream, s.actual, MOST * sizeof *s.actual));
    CHECK(round > 8 && memcmp(s.actual, s.expected, MOST * sizeof *s.actual) == 0);
    finish(&s);
    OK(rill_close(world.context));
}

struct launcher {
    struct scene *scene;
    rill_stream stream;
    rill_array at;
    rill_array out;
    int first; // its own part of |out|
    rill_status status;
};

enum { THREADS = 4, ROUNDS = 30, PART = MOST / THREADS };

static void *launch_many(void *arg)
{
    struct launcher *l = arg;
    for (int r = 0; r < ROUNDS && l->status == RILL_OK; r++) {
        int m = LEAST + r * (PART - LEAST) / ROUNDS;
        rill_array view;
        l->status = rill_array_view(l->out, (size_t)l->first, RILL_SHAPE(m), &view);
        if (l->status == RILL_OK) {
            l->status = rill_launch(l->scene->kernel, l->stream, RILL_ARGS(20000, m, r, l->at, view));
            OK(rill_array_destroy(view));
        }
    }
    return NULL;
}

TEST(threads_that_launch_on_one_stream_share_its_marks)
{
    struct world world;
    struct scene s = {0};
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s.kernel));
    fill(&s, MOST);
    rill_array at, out;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &out));
    rill_stream stream;
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_array_write(at, stream, s.at, MOST * sizeof *s.at));
    pthread_t threads[THREADS];
    struct launcher launchers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        launchers[t] = (struct launcher){.scene = &s, .stream = stream, .at = at, .out = out, .first = t * PART};
        REQUIRE(pthread_create(&threads[t], NULL, launch_many, &launchers[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        OK(launchers[t].status);
        for (int r = 0; r < ROUNDS; r++) {
            int m = LEAST + r * (PART - LEAST) / ROUNDS;
            for (int i = 0; i < 20000; i++) {
                s.expected[t * PART + (s.at[i] + r) % m] = i + r;
            }
        }
    }
    OK(rill_array_read(out, stream, s.actual, MOST * sizeof *s.actual));
    CHECK(memcmp(s.actual, s.expected, MOST * sizeof *s.actual) == 0);
    finish(&s);
    OK(rill_stream_destroy(stream));
    OK(rill_close(world.context));
}

// ---- no memory -----------------------------------------------------------------------------------------------------

struct meter {
    atomic_long count;
    atomic_long fail_at; // the allocation that fails; 0: none
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    long number = atomic_fetch_add(&meter->count, 1) + 1;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return number == atomic_load(&meter->fail_at) ? NULL : aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
}

static void meter_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void count_warnings(void *user, rill_log_level level, const char *text)
{
    int *count = user;
    *count += level == RILL_LOG_WARNING && strstr(text, "no memory for its marks") != NULL;
}

// True: the launch made fewer than |n| allocations.
static bool launch_with_failure(struct scene *s, const rill_allocator *allocator, struct meter *meter, long n,
                                int *warning_count)
{
    rill_open_options options = {
        .allocator = allocator, .thread_count = 2, .log = count_warnings, .log_user = warning_count};
    OK(rill_open(world_device(), &options, &s->context));
    rill_module module;
    OK(rill_module_create(s->context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s->kernel));
    rill_array at, out;
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(LEAST), &out));
    rill_stream stream = rill_default_stream(s->context);
    OK(rill_array_write(at, stream, s->at, MOST * sizeof *s->at));
    atomic_store(&meter->count, 0);
    atomic_store(&meter->fail_at, n);
    rill_status status = rill_launch(s->kernel, stream, RILL_ARGS(MOST, LEAST, 0, at, out));
    bool is_over = atomic_load(&meter->count) < n;
    atomic_store(&meter->fail_at, 0);
    if (status == RILL_OK) {
        OK(rill_array_read(out, stream, s->actual, LEAST * sizeof *s->actual));
        CHECK(memcmp(s->actual, s->expected, LEAST * sizeof *s->actual) == 0);
    }
    OK(rill_launch(s->kernel, stream, RILL_ARGS(MOST, LEAST, 0, at, out))); // the context still works
    OK(rill_array_read(out, stream, s->actual, LEAST * sizeof *s->actual));
    CHECK(memcmp(s->actual, s->expected, LEAST * sizeof *s->actual) == 0);
    OK(rill_close(s->context));
    return is_over;
}

TEST(a_launch_without_memory_for_marks_gives_the_same_result)
{
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    struct scene s = {0};
    fill(&s, MOST);
    expect(&s, MOST, LEAST, 0);
    long n = 1;
    int warning_count = 0;
    while (n < 100 && !launch_with_failure(&s, &allocator, &meter, n, &warning_count)) {
        n++;
    }
    CHECK(n > 1 && n < 100);
    CHECK(warning_count > 0);
    finish(&s);
}

// ---- what the marks are set by --------------------------------------------------------------------------------------

static const char alias_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void store(int n, const int idx[n], const int flag[n], int cell[n], int out[2])\n"
    "{ for (int i = 0; i < n; i++) { cell[i] = i % 2; out[idx[i] & 1] = i; } }\n"
    "kernel void update(int n, const int idx[n], const int flag[n], int cell[n], int out[2])\n"
    "{ for (int i = 0; i < n; i++) { cell[i] ^= 1; out[idx[i] & 1] = i; } }\n"
    "kernel void condition(int n, const int idx[n], const int flag[n], int cell[n], int out[2])\n"
    "{ for (int i = 0; i < n; i++) { cell[i] = i % 3 == 0; if (flag[i]) out[idx[i] & 1] = i; } }\n"
    "kernel void bound(int n, const int idx[n], const int flag[n], int cell[n], int out[2])\n"
    "{ for (int i = 0; i < n; i++) { cell[i] = i % 2; for (int j = 0; j < flag[i] && j < 2; j++) out[j] = i; } }\n"
    "kernel void behind(int n, const int idx[n], const int flag[n], int cell[n], int out[2])\n"
    "{ for (int i = 0; i < n; i++) { cell[i] = 1; out[flag[idx[i]] & 1] = i; } }\n";

// The body of each kernel, once more.
static void run_serial(const char *name, int n, const int *idx, const int *flag, int *cell, int *out)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(name, "store") == 0) {
            cell[i] = i % 2;
            out[idx[i] & 1] = i;
        } else if (strcmp(name, "update") == 0) {
            cell[i] ^= 1;
            out[idx[i] & 1] = i;
        } else if (strcmp(name, "condition") == 0) {
            cell[i] = i % 3 == 0;
            if (flag[i]) {
                out[idx[i] & 1] = i;
            }
        } else if (strcmp(name, "bound") == 0) {
            cell[i] = i % 2;
            for (int j = 0; j < flag[i] && j < 2; j++) {
                out[j] = i;
            }
        } else {
            cell[i] = 1;
            out[flag[idx[i]] & 1] = i;
        }
    }
}

// Marks are set before the loop stores anything: an array that the loop writes in the same iteration may be passed as
// the one that the places come from, and then nothing is known ahead. In "behind" it holds no index at all before that.
TEST(array_that_the_places_come_from_may_be_one_that_the_loop_writes)
{
    enum { N = 50000 };
    struct world world;
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, alias_source, NULL, &module));
    rill_stream stream = rill_default_stream(world.context);
    int *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b), *got = calloc(N, sizeof *got);
    const char *const names[] = {"store", "update", "condition", "bound", "behind"};
    for (int k = 0; k < 5; k++) {
        rill_kernel kernel;
        OK(rill_module_kernel(module, names[k], &kernel));
        bool is_flag = k == 2 || k == 3;
        for (int round = 0; round < 3; round++) {
            rill_array x, y, out;
            int start[2] = {-1, -1}, actual[2], expected[2] = {-1, -1};
            for (int i = 0; i < N; i++) {
                a[i] = k == 4 ? 2000000000 : i / 3 % 2;
                b[i] = i % 5;
            }
            OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &x));
            OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &y));
            OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(2), &out));
            OK(rill_array_write(x, stream, a, N * sizeof *a));
            OK(rill_array_write(y, stream, b, N * sizeof *b));
            OK(rill_array_write(out, stream, start, sizeof start));
            if (is_flag) {
                OK(rill_launch(kernel, stream, RILL_ARGS(N, y, x, x, out)));
                run_serial(names[k], N, b, a, a, expected);
            } else {
                OK(rill_launch(kernel, stream, RILL_ARGS(N, x, y, x, out)));
                run_serial(names[k], N, a, b, a, expected);
            }
            OK(rill_array_read(out, stream, actual, sizeof actual));
            OK(rill_array_read(x, stream, got, N * sizeof *got));
            if (memcmp(actual, expected, sizeof actual) != 0 || memcmp(got, a, N * sizeof *got) != 0) {
                FAIL("%s: {%d, %d} instead of {%d, %d}", names[k], actual[0], actual[1], expected[0], expected[1]);
            }
            OK(rill_array_destroy(x));
            OK(rill_array_destroy(y));
            OK(rill_array_destroy(out));
        }
    }
    free(a);
    free(b);
    free(got);
    OK(rill_close(world.context));
}

static const char assert_source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n"
    "kernel void places(int n, int m, const int idx[n], const int p[m], int out[m])\n" // line 3
    "{\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        assert(idx[i] >= 0 && idx[i] < m);\n"
    "        out[p[idx[i]]] = i;\n"
    "    }\n"
    "}\n"
    "static int at(const int *p, int k, int m)\n"
    "{\n"
    "    assert(k >= 0 && k < m);\n"
    "    return p[k];\n"
    "}\n"
    "kernel void helped(int n, int m, const int idx[n], const int p[m], int out[m])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) out[at(p, idx[i], m)] = i;\n"
    "}\n"
    "kernel void lists(int n, int m, const int head[n], const int next[m], int out[m])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        int steps = 0;\n"
    "        for (int p = head[i]; p >= 0; p = next[p]) { assert(++steps <= m); out[p] = i; }\n"
    "    }\n"
    "}\n";

// An assertion that keeps a wild index from being used, or a walk from going round, does so for the marks too.
TEST(assertion_ends_an_iteration_before_its_places_are_made)
{
    enum { N = 40000, M = 1000 };
    struct world world;
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, assert_source, NULL, &module));
    rill_stream stream = rill_default_stream(world.context);
    const char *const names[] = {"places", "helped", "lists"};
    int *idx = calloc(N, sizeof *idx), p[M];
    for (int k = 0; k < 3; k++) {
        rill_kernel kernel;
        rill_array x, y, out;
        for (int i = 0; i < N; i++) {
            idx[i] = k != 2 && i == N / 2 ? 2000000000 : i % M;
        }
        for (int i = 0; i < M; i++) {
            p[i] = k != 2 ? M - 1 - i : i == 7 ? 7 : -1; // 7 leads back to itself
        }
        OK(rill_module_kernel(module, names[k], &kernel));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &x));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(M), &y));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(M), &out));
        OK(rill_array_write(x, stream, idx, N * sizeof *idx));
        OK(rill_array_write(y, stream, p, sizeof p));
        OK(rill_launch(kernel, stream, RILL_ARGS(N, M, x, y, out)));
        CHECK_INT(rill_stream_synchronize(stream), RILL_ERR_ASSERT);
        CHECK_CONTAINS(rill_message(), "the assertion '");
        OK(rill_stream_clear_error(stream));
        OK(rill_array_destroy(x));
        OK(rill_array_destroy(y));
        OK(rill_array_destroy(out));
    }
    free(idx);
    OK(rill_close(world.context));
}

static const char sum_source[] = "#include <rill/kernel.h>\n"
                                 "kernel float sum(int n, const int at[n], const float v[n], int out[64])\n"
                                 "{\n"
                                 "    float s = 0;\n"
                                 "    for (int i = 0; i < n; i++) { out[at[i] & 63] = i; s += v[i]; }\n"
                                 "    return s;\n"
                                 "}\n";

// Whether a scatter is worth its marks may depend on the number of threads; the bits of a sum may not.
TEST(float_that_is_summed_beside_a_scatter_has_the_same_bits_on_any_number_of_threads)
{
    enum { N = 50000 };
    float sums[4];
    static const int threads[4] = {1, 2, 3, 8};
    float *v = calloc(N, sizeof *v);
    int *at = calloc(N, sizeof *at);
    for (int i = 0; i < N; i++) {
        v[i] = 1.0f / (float)(1 + i * 7919L % 1009);
        at[i] = (int)(i * 48271L % 61);
    }
    for (int t = 0; t < 4; t++) {
        struct world world;
        world_open(&world, threads[t]);
        rill_module module;
        rill_kernel kernel;
        OK(rill_module_create(world.context, sum_source, NULL, &module));
        OK(rill_module_kernel(module, "sum", &kernel));
        rill_array x, y, out;
        rill_stream stream = rill_default_stream(world.context);
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &x));
        OK(rill_array_create(world.context, RILL_F32, RILL_SHAPE(N), &y));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(64), &out));
        OK(rill_array_write(x, stream, at, N * sizeof *at));
        OK(rill_array_write(y, stream, v, N * sizeof *v));
        OK(rill_call(kernel, stream, RILL_ARGS(N, x, y, out), &sums[t], sizeof sums[t]));
        OK(rill_close(world.context));
    }
    CHECK(memcmp(&sums[0], &sums[1], sizeof sums[0]) == 0 && memcmp(&sums[0], &sums[2], sizeof sums[0]) == 0 &&
          memcmp(&sums[0], &sums[3], sizeof sums[0]) == 0);
    free(v);
    free(at);
}

static const char push_source[] = "#include <rill/kernel.h>\n"
                                  "static const int dx[5] = {0, 1, 0, -1, 0}, dy[5] = {0, 0, 1, 0, -1};\n"
                                  "kernel void push(int w, int h, const float t[h][w][5], float f[h][w][5])\n"
                                  "{\n"
                                  "    for (int y = 0; y < h; y++)\n"
                                  "        for (int x = 0; x < w; x++)\n"
                                  "            for (int k = 0; k < 5; k++)\n"
                                  "                f[(y + dy[k] + h) % h][(x + dx[k] + w) % w][k] = t[y][x][k];\n"
                                  "}\n";

static uint64_t parallel_count(struct world *world)
{
    rill_stats stats;
    OK(rill_context_stats(world->context, &stats));
    return stats.parallel_count;
}

// Each store of an iteration has a mark of its own, and its place is made twice: two threads would take longer than one
// without marks.
TEST(marks_of_all_the_stores_of_an_iteration_count)
{
    enum { W = 200, H = 100, N = 5 * W * H };
    if (!world_is_cpu()) {
        SKIP("how many threads there are is a question of CPUs");
    }
    char *verify = getenv("RILL_VERIFY") != NULL ? strdup(getenv("RILL_VERIFY")) : NULL;
    unsetenv("RILL_VERIFY"); // with it loops are scatters where it does not pay
    float *t = calloc(N, sizeof *t), *f = calloc(N, sizeof *f);
    for (int i = 0; i < N; i++) {
        t[i] = (float)i;
    }
    for (int threads = 2; threads <= 8; threads += 6) {
        struct world world;
        world_open(&world, threads);
        rill_module module;
        rill_kernel push;
        OK(rill_module_create(world.context, push_source, NULL, &module));
        OK(rill_module_kernel(module, "push", &push));
        uint64_t before = parallel_count(&world);
        OK(rill_call(push, RILL_CURRENT, RILL_ARGS(W, H, RILL_HOST(t, N), RILL_HOST(f, N)), NULL, 0));
        CHECK((parallel_count(&world) > before) == (threads == 8));
        for (int y = 0, wrong = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                wrong += f[5 * (y * W + (x + 1) % W) + 1] != t[5 * (y * W + x) + 1];
                wrong += f[5 * ((y + H - 1) % H * W + x) + 4] != t[5 * (y * W + x) + 4];
            }
            CHECK_INT(wrong, 0);
        }
        memset(f, 0, N * sizeof *f);
        world_close(&world);
    }
    free(t);
    free(f);
    if (verify != NULL) {
        setenv("RILL_VERIFY", verify, 1);
        free(verify);
    }
}

// What people do with streams elsewhere, done here: streams made and destroyed, events between them, current streams,
// one kernel on many streams, blocks by twos, fours and eights, with reductions, random numbers and bounds read from
// memory, and returned values from two threads at once.
#include "world.h"

static const char use_source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdint.h>\n"
    "kernel void fill(int n, float value, float x[n]) { for (int i = 0; i < n; i++) x[i] = value; }\n"
    "kernel void add(int n, const float x[n], const float y[n], float z[n])\n"
    "{ for (int i = 0; i < n; i++) z[i] = x[i] + y[i]; }\n"
    "kernel void bump(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] += 1; }\n"
    "kernel void up_to(int n, const int count[1], int x[n])\n"
    "{ for (int i = 0; i < count[0]; i++) x[i] += 1; }\n"
    "kernel void dice(int n, uint64_t key, uint32_t x[n], double mean[1])\n"
    "{\n"
    "    double s = 0;\n"
    "    for (int i = 0; i < n; i++) { x[i] = rill_random_u32(key, (uint64_t)i); s += x[i] >> 8; }\n"
    "    mean[0] = s / n;\n"
    "}\n"
    "kernel long work(int n, long start) { long s = start; for (int i = 0; i < n; i++) s += i; return s; }\n";

static const char block_source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdint.h>\n"
    "#define ROW(r) stream_parallel { for (int i = 0; i < n; i++) x[r][i] = x[r][i] * 2 + (r); }\n"
    "#define SUM(r) stream_parallel { long s = 0; for (int i = 0; i < n; i++) s += x[r][i]; sums[r] = s; total[0] += "
    "s; }\n"
    "#define ROLL(r) stream_parallel { for (int i = 0; i < n; i++) x[r][i] = (int)(rill_random_u32(r, (uint64_t)i) & "
    "1023); }\n"
    "#define COUNT(r) stream_parallel { for (int i = 0; i < counts[r]; i++) x[r][i] = -1; }\n"
    "kernel void two(int n, int x[8][n], long sums[8], long total[1], const int counts[8])\n"
    "{ ROLL(0) ROLL(1) n += 0; ROW(0) ROW(1) n += 0; SUM(0) SUM(1) n += 0; COUNT(0) COUNT(1) }\n"
    "kernel void four(int n, int x[8][n], long sums[8], long total[1], const int counts[8])\n"
    "{ ROLL(0) ROLL(1) ROLL(2) ROLL(3) n += 0; ROW(0) ROW(1) ROW(2) ROW(3) n += 0;\n"
    "  SUM(0) SUM(1) SUM(2) SUM(3) n += 0; COUNT(0) COUNT(1) COUNT(2) COUNT(3) }\n"
    "kernel void eight(int n, int x[8][n], long sums[8], long total[1], const int counts[8])\n"
    "{ ROLL(0) ROLL(1) ROLL(2) ROLL(3) ROLL(4) ROLL(5) ROLL(6) ROLL(7) n += 0;\n"
    "  ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) n += 0;\n"
    "  SUM(0) SUM(1) SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7) n += 0;\n"
    "  COUNT(0) COUNT(1) COUNT(2) COUNT(3) COUNT(4) COUNT(5) COUNT(6) COUNT(7) }\n";

struct use {
    struct world world;
    rill_module module;
};

static void open_text(struct use *u, int threads, const char *text)
{
    world_open(&u->world, threads);
    OK(rill_module_create(u->world.context, text, NULL, &u->module));
}

static void open_use(struct use *u, int threads)
{
    open_text(u, threads, use_source);
}

static rill_kernel kernel_of(struct use *u, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(u->module, name, &kernel));
    return kernel;
}

static rill_stream new_stream(struct use *u)
{
    rill_stream stream = {0};
    OK(rill_stream_create(u->world.context, NULL, &stream));
    return stream;
}

enum { N = 3000 };

static void check_all(struct use *u, rill_array array, float value)
{
    static float host[N];
    OK(rill_array_read(array, rill_default_stream(u->world.context), host, sizeof host));
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += host[i] != value;
    }
    CHECK_INT(wrong, 0);
}

TEST(streams_come_and_go)
{
    struct use u;
    open_use(&u, 2);
    rill_array x = world_array(&u.world, RILL_F32, N);
    for (int i = 0; i < 200; i++) {
        rill_stream s = new_stream(&u);
        OK(rill_launch(kernel_of(&u, "bump"), s, RILL_ARGS(N, x)));
        OK(rill_stream_destroy(s)); // waits, so that the next stream finds what this one did
    }
    check_all(&u, x, 200);
    rill_stats stats;
    OK(rill_context_stats(u.world.context, &stats));
    CHECK_INT(stats.stream_count, 1);
    world_close(&u.world);
}

TEST(two_fills_on_two_streams_are_added_behind_events)
{
    for (int threads = 1; threads <= 3; threads++) {
        struct use u;
        open_use(&u, threads);
        rill_stream s[3] = {new_stream(&u), new_stream(&u), new_stream(&u)};
        rill_event filled[2] = {{0}};
        rill_array x = world_array(&u.world, RILL_F32, N), y = world_array(&u.world, RILL_F32, N);
        rill_array z = world_array(&u.world, RILL_F32, N);
        for (int i = 0; i < 2; i++) {
            OK(rill_event_create(u.world.context, NULL, &filled[i]));
        }
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 2; i++) {
                OK(rill_stream_wait(s[i], s[2])); // the sum of the round before has read them
                OK(rill_launch(kernel_of(&u, "fill"), s[i], RILL_ARGS(N, (float)(round + 10 * i), i == 0 ? x : y)));
                OK(rill_event_record(filled[i], s[i]));
                OK(rill_event_wait(filled[i], s[2]));
            }
            OK(rill_launch(kernel_of(&u, "add"), s[2], RILL_ARGS(N, x, y, z)));
        }
        OK(rill_stream_synchronize(s[2]));
        check_all(&u, z, 29 + 39);
        world_close(&u.world);
    }
}

static rill_status bump_in_scope(struct use *u, rill_stream s, rill_array x, int times)
{
    RILL_AUTO_SCOPE scope = {0};
    RILL_TRY(rill_scope_enter(&scope, s));
    for (int i = 0; i < times; i++) {
        RILL_TRY(rill_launch(kernel_of(u, "bump"), RILL_CURRENT, RILL_ARGS(N, x)));
    }
    return rill_stream_synchronize(rill_current_stream(u->world.context));
}

TEST(launches_go_to_the_stream_of_their_scope)
{
    struct use u;
    open_use(&u, 2);
    rill_array x = world_array(&u.world, RILL_F32, N);
    rill_stream s = new_stream(&u);
    OK(bump_in_scope(&u, s, x, 5));
    check_all(&u, x, 5);
    OK(bump_in_scope(&u, rill_default_stream(u.world.context), x, 2));
    check_all(&u, x, 7);
    CHECK_UINT(rill_current_stream(u.world.context).id, rill_default_stream(u.world.context).id);
    world_close(&u.world);
}

TEST(one_kernel_on_many_streams_at_once)
{
    enum { STREAMS = 32, ROUNDS = 20 };
    struct use u;
    open_use(&u, 4);
    rill_kernel bump = kernel_of(&u, "bump");
    rill_stream s[STREAMS];
    rill_array x[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        s[i] = new_stream(&u);
        x[i] = world_array(&u.world, RILL_F32, N);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STREAMS; i++) {
            OK(rill_launch(bump, s[i], RILL_ARGS(N, x[i])));
        }
    }
    OK(rill_sync(u.world.context));
    for (int i = 0; i < STREAMS; i++) {
        check_all(&u, x[i], ROUNDS);
    }
    world_close(&u.world);
}

TEST(random_numbers_in_two_streams_are_those_of_one)
{
    struct use u;
    open_use(&u, 3);
    static uint32_t host[3][N];
    rill_stream s[3] = {new_stream(&u), new_stream(&u), rill_default_stream(u.world.context)};
    rill_array x[3], mean[3];
    double means[3];
    for (int i = 0; i < 3; i++) {
        x[i] = world_array(&u.world, RILL_U32, N);
        mean[i] = world_array(&u.world, RILL_F64, 1);
        OK(rill_launch(kernel_of(&u, "dice"), s[i], RILL_ARGS(N, (uint64_t)(i == 1 ? 8 : 7), x[i], mean[i])));
    }
    for (int i = 0; i < 3; i++) {
        OK(rill_array_read(x[i], s[i], host[i], sizeof host[i]));
        OK(rill_array_read(mean[i], s[i], &means[i], sizeof means[i]));
        CHECK_NEAR(means[i], (1 << 23), (1 << 23) * 0.05);
    }
    CHECK_MEM(host[0], host[2], sizeof host[0]); // the same key
    CHECK(memcmp(host[0], host[1], sizeof host[0]) != 0);
    CHECK(means[0] == means[2]);
    world_close(&u.world);
}

// Each launch reads its bound from memory, in the order of its stream: no two of them share where it is kept.
TEST(bounds_read_from_memory_in_two_streams_do_not_mix)
{
    enum { ROUNDS = 60 };
    for (int threads = 1; threads <= 3; threads++) {
        struct use u;
        open_use(&u, threads);
        rill_stream s[2] = {new_stream(&u), new_stream(&u)};
        rill_array count[2], x[2];
        static int host[2][N], expected[2][N];
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < 2; i++) {
            count[i] = world_array(&u.world, RILL_I32, 1);
            x[i] = world_array(&u.world, RILL_I32, N);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < 2; i++) {
                int bound = (round * (i == 0 ? 37 : 101) + 5) % N;
                OK(rill_array_fill(count[i], s[i], &bound, sizeof bound));
                OK(rill_launch(kernel_of(&u, "up_to"), s[i], RILL_ARGS(N, count[i], x[i])));
                for (int k = 0; k < bound; k++) {
                    expected[i][k]++;
                }
            }
        }
        for (int i = 0; i < 2; i++) {
            OK(rill_array_read(x[i], s[i], host[i], sizeof host[i]));
            CHECK_MEM(host[i], expected[i], sizeof host[i]);
        }
        world_close(&u.world);
    }
}

// ---- blocks -------------------------------------------------------------------------------------------------------

static void check_blocks(struct use *u, const char *name, int blocks)
{
    enum { M = 600 };
    static int host[8][M];
    static int rolled[8][M];
    int counts[8];
    long sums[8] = {0}, total = 0, expected_total = 0;
    rill_array x = {0};
    rill_array s = world_array(&u->world, RILL_I64, 8), t = world_array(&u->world, RILL_I64, 1);
    rill_array c = world_array(&u->world, RILL_I32, 8);
    OK(rill_array_create(u->world.context, RILL_I32, RILL_SHAPE(8, M), &x));
    for (int r = 0; r < 8; r++) {
        counts[r] = r * 50 + 3;
    }
    OK(rill_array_write(c, RILL_CURRENT, counts, sizeof counts));
    OK(rill_launch(kernel_of(u, name), RILL_CURRENT, RILL_ARGS(M, x, s, t, c)));
    OK(rill_array_read(x, RILL_CURRENT, host, sizeof host));
    OK(rill_array_read(s, RILL_CURRENT, sums, sizeof sums));
    OK(rill_array_read(t, RILL_CURRENT, &total, sizeof total));
    int wrong = 0;
    for (int r = 0; r < blocks; r++) {
        long sum = 0;
        for (int i = 0; i < M; i++) {
            rolled[r][i] = host[r][i];
            wrong += i < counts[r] ? host[r][i] != -1 : host[r][i] % 2 != r % 2 || host[r][i] < r;
            sum += i < counts[r] ? 0 : host[r][i];
        }
        CHECK(sums[r] >= sum);
        expected_total += sums[r];
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(total, expected_total);
    // Again: the same numbers, whatever ran beside what.
    long again[8] = {0};
    OK(rill_launch(kernel_of(u, name), RILL_CURRENT, RILL_ARGS(M, x, s, t, c)));
    OK(rill_array_read(s, RILL_CURRENT, again, sizeof again));
    OK(rill_array_read(x, RILL_CURRENT, host, sizeof host));
    CHECK_MEM(again, sums, sizeof again);
    CHECK_MEM(host, rolled, (size_t)blocks * sizeof host[0]);
    rill_stats stats;
    OK(rill_context_stats(u->world.context, &stats));
    CHECK_INT(stats.block_in_order_count, 0);
}

TEST(two_four_and_eight_blocks_with_reductions_random_numbers_and_bounds)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        struct use u;
        open_text(&u, threads, block_source);
        check_blocks(&u, "two", 2);
        check_blocks(&u, "four", 4);
        check_blocks(&u, "eight", 8);
        world_close(&u.world);
    }
}

// ---- returned values ----------------------------------------------------------------------------------------------

struct caller {
    struct use *use;
    rill_kernel kernel;
    long start;
    int wrong;
};

static void *call_often(void *arg)
{
    struct caller *c = arg;
    rill_stream s = new_stream(c->use);
    for (int i = 0; i < 150; i++) {
        long got = 0, n = 100 + (i * 7 + c->start) % 3000;
        OK(rill_call(c->kernel, s, RILL_ARGS((int)n, c->start + i), &got, sizeof got));
        c->wrong += got != c->start + i + n * (n - 1) / 2;
    }
    OK(rill_stream_destroy(s));
    return NULL;
}

TEST(returned_values_of_two_threads_do_not_mix)
{
    struct use u;
    open_use(&u, 2);
    struct caller callers[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        callers[i] = (struct caller){.use = &u, .kernel = kernel_of(&u, "work"), .start = 1000000L * i};
        REQUIRE(pthread_create(&threads[i], NULL, call_often, &callers[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(callers[i].wrong, 0);
    }
    world_close(&u.world);
}

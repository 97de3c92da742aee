// What happens when a kernel fails, when the process forks, and when it just exits.
#include "world.h"

#include <fcntl.h>
#include <sys/wait.h>

// These come first: of a process that has begun to use a driver for a GPU, no child can use it.

// What a child process writes to a stream of its own, read back.
static void run_child(void (*body)(void), const char *variable, const char *value, int stream, char *out, size_t size)
{
    int pipes[2];
    memset(out, 0, size);
    REQUIRE(pipe(pipes) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, stream == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO);
        dup2(pipes[1], stream);
        close(pipes[0]);
        if (variable != NULL) {
            setenv(variable, value, 1);
        }
        body();
        fflush(stdout);
        _exit(0);
    }
    close(pipes[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(pipes[0], out + used, size - 1 - used)) > 0;) {
        used += (size_t)got;
    }
    close(pipes[0]);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void use_defaults(void)
{
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel talk = {0};
    rill_kernel saxpy = {0};
    float x[11] = {0};
    if (rill_open("auto", NULL, &context) != RILL_OK ||
        rill_module_create(context, world_source, NULL, &module) != RILL_OK ||
        rill_module_kernel(module, "talk", &talk) != RILL_OK ||
        rill_module_kernel(module, "saxpy", &saxpy) != RILL_OK ||
        rill_call(talk, RILL_CURRENT, RILL_ARGS(3), NULL, 0) != RILL_OK ||
        rill_call(saxpy, RILL_CURRENT, RILL_ARGS(10, 1, RILL_HOST(x, 10), RILL_HOST(x + 1, 10)), NULL, 0) != RILL_OK ||
        rill_close(context) != RILL_OK) {
        _exit(1);
    }
}

static void fail_and_leave(void)
{
    RILL_AUTO_CONTEXT context = {0};
    rill_module module = {0};
    rill_kernel checked = {0};
    static int bad[1] = {5};
    if (rill_open("auto", NULL, &context) != RILL_OK ||
        rill_module_create(context, world_source, NULL, &module) != RILL_OK ||
        rill_module_kernel(module, "checked", &checked) != RILL_OK ||
        rill_launch(checked, RILL_CURRENT, RILL_ARGS(1, 0, RILL_HOST(bad, 1))) != RILL_OK) {
        _exit(1);
    }
}

TEST(without_callbacks_text_goes_to_stdout_and_the_log_to_stderr)
{
    char text[4096];
    run_child(use_defaults, NULL, NULL, STDOUT_FILENO, text, sizeof text);
    CHECK_STR(text, "0:even 1:odd 2:even ");
    run_child(use_defaults, NULL, NULL, STDERR_FILENO, text, sizeof text);
    CHECK_STR(text, "");
    run_child(use_defaults, "RILL_LOG", "note", STDERR_FILENO, text, sizeof text);
    CHECK_CONTAINS(text, "rill: note: kernel 'saxpy', kernel.c:9: the loop runs in order: 'x' and 'y' overlap\n");
    run_child(use_defaults, "RILL_DEVICE", "cpu", STDOUT_FILENO, text, sizeof text);
    CHECK_STR(text, "0:even 1:odd 2:even ");
    run_child(fail_and_leave, NULL, NULL, STDERR_FILENO, text, sizeof text);
    CHECK_CONTAINS(text, "rill: error: rill_close: kernel 'checked', kernel.c:23: the assertion");
}

static void call_at_exit(void)
{
    rill_context context = {0};
    if (rill_open("cpu", NULL, &context) != RILL_OK || rill_close(context) != RILL_OK) {
        _exit(3);
    }
}

TEST(exit_without_close_neither_hangs_nor_crashes)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        const char *limit = getenv("RILL_TEST_TIMEOUT");
        alarm(limit != NULL ? (unsigned)strtoul(limit, NULL, 10) : 120); // a child inherits none
        struct world world;
        world_open(&world, 2);
        atexit(call_at_exit);
        static long out[1];
        for (int i = 0; i < 100; i++) {
            (void)!rill_launch(world_kernel(&world, "slow"), RILL_CURRENT, RILL_ARGS(5000000));
            (void)!rill_launch(world_kernel(&world, "append"), RILL_CURRENT, RILL_ARGS(1, RILL_HOST(out, 1)));
        }
        exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const char bounds_source[] = "#include <rill/kernel.h>\n"
                                    "int field[8];\n"
                                    "kernel void reach(int n, int m, int a[n][m], int by)\n"
                                    "{\n"
                                    "    for (int i = 0; i < n; i++)\n"
                                    "        for (int j = 0; j < m; j++)\n"
                                    "            a[i][j + by] = i;\n"
                                    "}\n"
                                    "kernel void poke(int i) { field[i] = 1; }\n";

TEST(failed_assert_stays_on_its_stream_until_cleared)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel checked = world_kernel(&world, "checked");
    rill_stream s = {0};
    rill_stream other = {0};
    OK(rill_stream_create(world.context, NULL, &s));
    OK(rill_stream_create(world.context, NULL, &other));
    int x[1000] = {0};
    x[777] = 50;
    OK(rill_launch(checked, s, RILL_ARGS(1000, 10, RILL_HOST(x, 1000))));
    STATUS(rill_stream_synchronize(s), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(),
                   "rill_stream_synchronize: kernel 'checked', kernel.c:23: the assertion 'x[i] < limit' "
                   "failed in iteration 777");
    rill_error_info info;
    OK(rill_stream_error(s, &info));
    CHECK_INT(info.status, RILL_ERR_ASSERT);
    CHECK_STR(info.kernel, "checked");
    CHECK_STR(info.file, "kernel.c");
    CHECK_INT(info.line, 23);
    CHECK_INT(info.iteration, 777);
    CHECK_UINT(info.stream, s.id);
    // The stream refuses more work, others go on.
    STATUS(rill_launch(checked, s, RILL_ARGS(1, 10, RILL_HOST(x, 1000))), RILL_ERR_ASSERT);
    OK(rill_launch(checked, other, RILL_ARGS(1, 10, RILL_HOST(x, 1000))));
    OK(rill_stream_synchronize(other));
    STATUS(rill_sync(world.context), RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(s));
    OK(rill_stream_error(s, &info));
    CHECK_INT(info.status, RILL_OK);
    OK(rill_launch(checked, s, RILL_ARGS(1, 10, RILL_HOST(x, 1000))));
    OK(rill_sync(world.context));
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.launch_failed_count, 1);
    world_close(&world);
}

TEST(call_returns_its_own_failure_and_nothing_sticks)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel checked = world_kernel(&world, "checked");
    int x[10] = {0};
    STATUS(rill_call(checked, RILL_CURRENT, RILL_ARGS(10, 0, RILL_HOST(x, 10)), NULL, 0), RILL_ERR_ASSERT);
    OK(rill_call(checked, RILL_CURRENT, RILL_ARGS(10, 1, RILL_HOST(x, 10)), NULL, 0));
    OK(rill_sync(world.context));
    world_close(&world);
}

TEST(call_that_fails_leaves_the_result_as_it_was)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {0};
    rill_kernel total = {0};
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n#include <assert.h>\n"
                          "kernel int total(int n, int limit, const int x[n])\n"
                          "{ int s = 0; for (int i = 0; i < n; i++) { assert(x[i] < limit); s += x[i]; } return s; }\n",
                          NULL, &module));
    OK(rill_module_kernel(module, "total", &total));
    int x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int sum = -7;
    STATUS(rill_call(total, RILL_CURRENT, RILL_ARGS(10, 10, RILL_HOST(x, 10)), &sum, sizeof sum), RILL_ERR_ASSERT);
    CHECK_INT(sum, -7);
    STATUS(rill_call(total, RILL_CURRENT, RILL_ARGS(10), &sum, sizeof sum), RILL_ERR_ARGUMENTS);
    CHECK_INT(sum, -7);
    rill_array array = {0};
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(10), &array));
    OK(rill_array_write(array, RILL_CURRENT, x, sizeof x));
    STATUS(rill_call(total, RILL_CURRENT, RILL_ARGS(10, 10, array), &sum, sizeof sum), RILL_ERR_ASSERT);
    CHECK_INT(sum, -7);
    OK(rill_call(total, RILL_CURRENT, RILL_ARGS(10, 11, RILL_HOST(x, 10)), &sum, sizeof sum));
    CHECK_INT(sum, 55);
    world_close(&world);
}

// One thread lets kernels fail on a stream and clears the error; another uses the stream all the time. What the second
// is told while the first is between a clear and the next failure is no error that was cleared.
struct user_of_failing {
    struct world *world;
    rill_stream stream;
    rill_array good;
    atomic_uint phase; // odd: the error was cleared, and nothing fails
    atomic_bool is_over;
    long wrong_count;
    long refused_count;
};

static void *use_failing(void *arg)
{
    struct user_of_failing *user = arg;
    rill_kernel checked = world_kernel(user->world, "checked");
    for (long i = 0; !atomic_load(&user->is_over); i++) {
        unsigned before = atomic_load(&user->phase);
        rill_args args = RILL_ARGS(100, 10, user->good);
        rill_status status = i % 3 == 0   ? rill_launch(checked, user->stream, args)
                             : i % 3 == 1 ? rill_call(checked, user->stream, args, NULL, 0)
                                          : rill_stream_synchronize(user->stream);
        bool is_quiet = before % 2 == 1 && atomic_load(&user->phase) == before;
        user->refused_count += status != RILL_OK;
        if (is_quiet && status != RILL_OK && user->wrong_count++ == 0) {
            FAIL("call %ld: %s", i, rill_message());
        }
    }
    return NULL;
}

TEST(error_that_one_thread_has_cleared_is_not_returned_to_another)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel checked = world_kernel(&world, "checked");
    struct user_of_failing user = {.world = &world};
    rill_array bad = {0};
    OK(rill_stream_create(world.context, NULL, &user.stream));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(100), &user.good));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(100), &bad));
    OK(rill_array_fill(bad, RILL_CURRENT, &(int){50}, sizeof(int)));
    OK(rill_sync(world.context));
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, use_failing, &user) == 0);
    for (int round = 0; round < 300; round++) {
        OK(rill_launch(checked, user.stream, RILL_ARGS(100, 10, bad)));
        STATUS(rill_stream_synchronize(user.stream), RILL_ERR_ASSERT);
        OK(rill_stream_clear_error(user.stream));
        atomic_fetch_add(&user.phase, 1);
        usleep(300);
        atomic_fetch_add(&user.phase, 1);
    }
    atomic_store(&user.is_over, true);
    pthread_join(thread, NULL);
    CHECK_INT(user.wrong_count, 0);
    world_close(&world);
}

static void wait_for(void *user, rill_status status)
{
    (void)status;
    while (!atomic_load((atomic_bool *)user)) {
        usleep(100);
    }
}

TEST(error_reaches_streams_that_wait_behind_it_and_skips_queued_launches)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel checked = world_kernel(&world, "checked");
    rill_stream a = {0};
    rill_stream b = {0};
    rill_event e = {0};
    OK(rill_stream_create(world.context, NULL, &a));
    OK(rill_stream_create(world.context, NULL, &b));
    OK(rill_event_create(world.context, NULL, &e));
    int bad[1] = {5};
    atomic_bool all_queued = false;
    OK(rill_stream_callback(a, wait_for, &all_queued));
    OK(rill_launch(checked, a, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    for (int i = 0; i < 100; i++) {
        OK(rill_launch(checked, a, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    }
    OK(rill_event_record(e, a));
    OK(rill_event_wait(e, b));
    OK(rill_launch(checked, b, RILL_ARGS(1, 10, RILL_HOST(bad, 1))));
    atomic_store(&all_queued, true);
    STATUS(rill_stream_synchronize(b), RILL_ERR_ASSERT);
    STATUS(rill_event_synchronize(e), RILL_ERR_ASSERT);
    rill_error_info info;
    OK(rill_stream_error(b, &info));
    CHECK_UINT(info.stream, a.id); // where it happened
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    if (world_is_cpu()) { // elsewhere what is queued behind a failure may run
        CHECK_INT(stats.launch_failed_count, 1);
        CHECK_INT(stats.launch_skipped_count, 101);
    }
    CHECK(stats.launch_failed_count >= 1);
    OK(rill_stream_clear_error(a));
    OK(rill_stream_clear_error(b));
    OK(rill_sync(world.context));
    world_close(&world);
}

struct poller {
    rill_stream stream;
    rill_error_info info; // once there is one
    atomic_bool was_seen;
};

static void *poll_error(void *arg)
{
    struct poller *self = arg;
    while (!atomic_load(&self->was_seen)) {
        rill_error_info info;
        OK(rill_stream_error(self->stream, &info));
        if (info.status != RILL_OK) {
            self->info = info;
            atomic_store(&self->was_seen, true);
        }
    }
    return NULL;
}

// Looking costs no synchronisation: the record is either not there or complete, while launches are queued behind it.
TEST(error_is_complete_for_a_thread_that_polls_while_launches_are_queued)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel checked = world_kernel(&world, "checked");
    static int x[1000];
    x[321] = 50;
    for (int round = 0; round < 20; round++) {
        struct poller poller = {.was_seen = false};
        pthread_t thread;
        OK(rill_stream_create(world.context, NULL, &poller.stream));
        struct world_gate gate = WORLD_GATE_INIT;
        OK(rill_stream_callback(poller.stream, world_stand_at_gate, &gate));
        OK(rill_launch(checked, poller.stream, RILL_ARGS(1000, 10, RILL_HOST(x, 1000))));
        for (int i = 0; i < 100; i++) {
            OK(rill_launch(checked, poller.stream, RILL_ARGS(1000, 60, RILL_HOST(x, 1000))));
        }
        REQUIRE(pthread_create(&thread, NULL, poll_error, &poller) == 0);
        world_open_gate(&gate);
        pthread_join(thread, NULL);
        CHECK_INT(poller.info.status, RILL_ERR_ASSERT);
        CHECK_STR(poller.info.kernel, "checked");
        CHECK_INT(poller.info.line, 23);
        CHECK_INT(poller.info.iteration, 321);
        CHECK_UINT(poller.info.stream, poller.stream.id);
        CHECK_CONTAINS(poller.info.text, "kernel.c:23: the assertion 'x[i] < limit' failed in iteration 321");
        OK(rill_stream_destroy(poller.stream)); // the failure has been looked at
    }
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.launch_failed_count, 20);
    world_close(&world);
}

TEST(index_out_of_range_is_named_and_the_process_survives)
{
    struct world world;
    world_open(&world, 2);
    rill_module module;
    OK(rill_module_create(world.context, bounds_source,
                          &(rill_module_options){.path = "bounds.c", .check_bounds = true}, &module));
    rill_kernel reach;
    OK(rill_module_kernel(module, "reach", &reach));
    rill_array a;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(6, 5), &a));
    OK(rill_launch(reach, RILL_CURRENT, RILL_ARGS(6, 5, a, 0)));
    OK(rill_sync(world.context));
    OK(rill_launch(reach, RILL_CURRENT, RILL_ARGS(6, 5, a, 1)));
    STATUS(rill_sync(world.context), RILL_ERR_BOUNDS);
    rill_error_info info;
    OK(rill_stream_error(rill_default_stream(world.context), &info));
    CHECK_INT(info.status, RILL_ERR_BOUNDS);
    CHECK_STR(info.kernel, "reach");
    CHECK_STR(info.file, "bounds.c");
    CHECK_INT(info.line, 7);
    CHECK_STR(info.array, "a");
    CHECK_INT(info.index, 5);
    CHECK_INT(info.extent, 5);
    CHECK_STR(info.shape, "[6][5]");
    CHECK_CONTAINS(info.text, "bounds.c:7: index 5 of 'a' is out of range [0, 5) in iteration");
    OK(rill_stream_clear_error(rill_default_stream(world.context)));
    rill_kernel poke;
    OK(rill_module_kernel(module, "poke", &poke));
    STATUS(rill_call(poke, RILL_CURRENT, RILL_ARGS(8), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 8 of 'field'");
    OK(rill_call(poke, RILL_CURRENT, RILL_ARGS(7), NULL, 0));
    world_close(&world);
}

TEST(index_behind_a_pointer_into_an_array_is_one_of_the_array)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "static int get(const int *p, int k) { return p[k]; }\n"
                                 "static int first(const int *p) { return *p; }\n"
                                 "kernel int back(int n, const int a[n], int o, int k) { return get(a + o, k); }\n"
                                 "kernel int at(int n, const int a[n], int o) { return first(&a[o]); }\n"
                                 "kernel void count(int n, int a[n], int k) { rill_atomic_add(&a[k], 1); }\n"
                                 "kernel int flat(int n, const int a[n][4], int k) { return get(&a[0][0], k); }\n";
    struct world world;
    world_open(&world, 2);
    rill_module module;
    rill_kernel back, at, count, flat;
    OK(rill_module_create(world.context, source, &(rill_module_options){.check_bounds = true}, &module));
    OK(rill_module_kernel(module, "back", &back));
    OK(rill_module_kernel(module, "at", &at));
    OK(rill_module_kernel(module, "count", &count));
    OK(rill_module_kernel(module, "flat", &flat));
    int a[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, got = 0;
    rill_arg host = RILL_HOST(a, 12);
    OK(rill_call(back, RILL_CURRENT, RILL_ARGS(12, host, 5, -5), &got, sizeof got));
    CHECK_INT(got, 1);
    STATUS(rill_call(back, RILL_CURRENT, RILL_ARGS(12, host, 5, 7), &got, sizeof got), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 12 of 'a' is out of range [0, 12)");
    STATUS(rill_call(back, RILL_CURRENT, RILL_ARGS(12, host, 5, -6), &got, sizeof got), RILL_ERR_BOUNDS);
    OK(rill_call(at, RILL_CURRENT, RILL_ARGS(12, host, 11), &got, sizeof got));
    CHECK_INT(got, 12);
    STATUS(rill_call(at, RILL_CURRENT, RILL_ARGS(12, host, 12), &got, sizeof got), RILL_ERR_BOUNDS);
    OK(rill_call(count, RILL_CURRENT, RILL_ARGS(12, host, 11), NULL, 0));
    CHECK_INT(a[11], 13);
    STATUS(rill_call(count, RILL_CURRENT, RILL_ARGS(12, host, 12), NULL, 0), RILL_ERR_BOUNDS);
    // An element of a row is often taken for the start of all that follows: inside the array that is no error.
    OK(rill_call(flat, RILL_CURRENT, RILL_ARGS(3, host, 11), &got, sizeof got));
    CHECK_INT(got, 13);
    world_close(&world);
}

// Neighbours in memory: an index past the end of one is inside the other, so that the loop runs in order.
TEST(failure_in_a_loop_that_ran_in_order_names_no_iteration)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void blur(int n, const float x[n], float y[n])\n"
                                 "{ for (int i = 0; i < n; i++) y[i] = 0.5f * (x[i] + x[i + 1]); }\n";
    struct world world;
    world_open(&world, 2);
    rill_module module;
    rill_kernel blur;
    OK(rill_module_create(world.context, source, &(rill_module_options){.check_bounds = true}, &module));
    OK(rill_module_kernel(module, "blur", &blur));
    rill_array both = world_array(&world, RILL_F32, 16), low = {0}, high = {0};
    OK(rill_array_view(both, 0, RILL_SHAPE(8), &low));
    OK(rill_array_view(both, 8, RILL_SHAPE(8), &high));
    STATUS(rill_call(blur, RILL_CURRENT, RILL_ARGS(8, high, low), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 8 of 'x' is out of range [0, 8) in iteration 7; its shape is [8]");
    STATUS(rill_call(blur, RILL_CURRENT, RILL_ARGS(8, low, high), NULL, 0), RILL_ERR_BOUNDS);
    CHECK_CONTAINS(rill_message(), "index 8 of 'x' is out of range [0, 8); its shape is [8]");
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.in_order_count, 1);
    world_close(&world);
}

TEST(loop_whose_variable_never_gets_to_its_end_is_refused)
{
    struct world world;
    world_open(&world, 2);
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "#include <stdint.h>\n"
                                 "kernel void reach(int n, int a[256])\n"
                                 "{ for (uint8_t i = 0; i < n; i++) a[i]++; }\n"
                                 "kernel void step(uint8_t lo, uint8_t hi, int a[256])\n"
                                 "{ for (uint8_t i = lo; i < hi; i += 6) a[i]++; }\n"
                                 "kernel void constant(int n, int a[256])\n"
                                 "{ for (uint8_t i = 0; i < 300; i++) a[i] += n; }\n"
                                 "kernel void leaves(int n, int a[256])\n"
                                 "{ for (uint8_t i = 0; i < 300; i++) { if (i == n) break; a[i] = -1; } }\n";
    rill_module module;
    rill_kernel reach;
    rill_kernel step;
    rill_kernel constant;
    rill_kernel leaves;
    OK(rill_module_create(world.context, source, NULL, &module));
    OK(rill_module_kernel(module, "reach", &reach));
    OK(rill_module_kernel(module, "step", &step));
    OK(rill_module_kernel(module, "constant", &constant));
    OK(rill_module_kernel(module, "leaves", &leaves));
    int a[256] = {0};
    STATUS(rill_call(reach, RILL_CURRENT, RILL_ARGS(300, RILL_HOST(a, 256)), NULL, 0), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "the bound of the loop can be reached by 'i', which is 'uint8_t'");
    OK(rill_call(reach, RILL_CURRENT, RILL_ARGS(200, RILL_HOST(a, 256)), NULL, 0));
    // By sixes an even number stays even and never gets to 255, an odd one does.
    STATUS(rill_call(step, RILL_CURRENT, RILL_ARGS(2, 255, RILL_HOST(a, 256)), NULL, 0), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "the loop ends, though 'i' wraps around");
    OK(rill_call(step, RILL_CURRENT, RILL_ARGS(1, 255, RILL_HOST(a, 256)), NULL, 0));
    // What is never reached is known without looking, unless the body can leave the loop.
    STATUS(rill_call(constant, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(a, 256)), NULL, 0), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "the bound of the loop can be reached by 'i', which is 'uint8_t'");
    OK(rill_call(leaves, RILL_CURRENT, RILL_ARGS(7, RILL_HOST(a, 256)), NULL, 0));
    CHECK(a[6] == -1 && a[7] != -1);
    world_close(&world);
}

TEST(environment_turns_bounds_checks_on)
{
    struct world world;
    world_open(&world, 1);
    setenv("RILL_CHECK", "bounds", 1);
    rill_module module;
    rill_status status = rill_module_create(world.context, bounds_source, NULL, &module);
    unsetenv("RILL_CHECK");
    OK(status);
    rill_kernel poke;
    OK(rill_module_kernel(module, "poke", &poke));
    STATUS(rill_call(poke, RILL_CURRENT, RILL_ARGS(-1), NULL, 0), RILL_ERR_BOUNDS);
    world_close(&world);
}

static rill_status fail_in_scope(struct world *world, rill_kernel checked)
{
    static int bad[1] = {5};
    RILL_AUTO_STREAM s = {0};
    RILL_TRY(rill_stream_create(world->context, NULL, &s));
    return rill_launch(checked, s, RILL_ARGS(1, 0, RILL_HOST(bad, 1)));
}

TEST(failure_found_when_a_scope_is_left_is_logged_and_returned_by_the_next_sync)
{
    struct world world;
    world_open(&world, 2);
    OK(fail_in_scope(&world, world_kernel(&world, "checked")));
    CHECK_CONTAINS(world.logged, "0: rill_stream_destroy: kernel 'checked', kernel.c:23");
    STATUS(rill_sync(world.context), RILL_ERR_ASSERT);
    OK(rill_sync(world.context));
    // The same for a stream that is destroyed later.
    rill_stream s = {0};
    int bad[1] = {5};
    OK(rill_stream_create(world.context, NULL, &s));
    OK(rill_launch(world_kernel(&world, "checked"), s, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    OK(rill_stream_destroy_later(s));
    rill_status status = rill_sync(world.context);
    CHECK(status == RILL_ERR_ASSERT || rill_sync(world.context) == RILL_ERR_ASSERT);
    world_close(&world);
}

TEST(close_returns_a_failure_that_nobody_has_seen)
{
    struct world world;
    world_open(&world, 2);
    int bad[1] = {5};
    OK(rill_launch(world_kernel(&world, "checked"), RILL_CURRENT, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    STATUS(rill_close(world.context), RILL_ERR_ASSERT);
    STATUS(rill_sync(world.context), RILL_ERR_STALE);
}

static void fail_in_context(struct world *log, rill_status (*leave)(rill_context context))
{
    static int bad[1] = {5};
    RILL_AUTO_CONTEXT context = {0};
    rill_module module = {0};
    rill_kernel checked = {0};
    OK(rill_open(world_device(), &(rill_open_options){.log = world_log, .log_user = log}, &context));
    OK(rill_module_create(context, world_source, NULL, &module));
    OK(rill_module_kernel(module, "checked", &checked));
    OK(rill_launch(checked, RILL_CURRENT, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    if (leave != NULL) {
        STATUS(leave(context), RILL_ERR_ASSERT);
    }
}

TEST(failure_found_when_the_context_is_left_goes_to_its_own_log)
{
    struct world log = {{0}, {0}, "", ""};
    fail_in_context(&log, NULL);
    CHECK_CONTAINS(log.logged, "0: rill_close: kernel 'checked', kernel.c:23: the assertion");
    // What a call has returned is no news, and a context that is closed already has none.
    log.logged[0] = '\0';
    fail_in_context(&log, rill_sync);
    fail_in_context(&log, rill_close);
    CHECK_STR(log.logged, "");
}

// ---- processes ----------------------------------------------------------------------------------------------------

TEST(forked_child_is_refused_with_words_and_the_parent_goes_on)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel answer = world_kernel(&world, "answer");
    int result = 0;
    OK(rill_call(answer, RILL_CURRENT, RILL_ARGS(), &result, sizeof result));
    pid_t child = fork();
    if (child == 0) {
        rill_status launched = rill_launch(answer, RILL_CURRENT, RILL_ARGS());
        rill_status synced = rill_sync(world.context);
        rill_status closed = rill_close(world.context);
        bool is_right = launched == RILL_ERR_FORKED && synced == RILL_ERR_FORKED && closed == RILL_ERR_FORKED &&
                        strstr(rill_message(), "before fork()") != NULL;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(rill_call(answer, RILL_CURRENT, RILL_ARGS(), &result, sizeof result));
    world_close(&world);
}

// What a child gets for the handles of a context that was opened before fork().
static bool is_refused_in_child(const rill_context context, rill_stream stream, rill_event event)
{
    return rill_sync(context) == RILL_ERR_FORKED && rill_stream_synchronize(stream) == RILL_ERR_FORKED &&
           rill_event_record(event, stream) == RILL_ERR_FORKED && rill_stream_destroy(stream) == RILL_ERR_FORKED;
}

// The first context of a process lies in other memory than those after it. A child's own is none of them.
TEST(each_context_opened_before_fork_is_refused_and_a_child_may_open_its_own)
{
    enum { COUNT = 3, ROUNDS = 2 };
    for (int round = 0; round < ROUNDS; round++) {
        rill_context contexts[COUNT] = {{0}};
        rill_stream streams[COUNT] = {{0}};
        rill_event events[COUNT] = {{0}};
        for (int i = 0; i < COUNT; i++) {
            OK(rill_open("cpu", NULL, &contexts[i]));
            OK(rill_stream_create(contexts[i], NULL, &streams[i]));
            OK(rill_event_create(contexts[i], NULL, &events[i]));
        }
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            rill_context own = {0};
            rill_array array = {0};
            bool is_right = rill_open("cpu", NULL, &own) == RILL_OK &&
                            rill_array_create(own, RILL_I32, RILL_SHAPE(4), &array) == RILL_OK;
            for (int i = 0; i < COUNT; i++) {
                is_right = is_right && is_refused_in_child(contexts[i], streams[i], events[i]);
            }
#ifndef RILL_IS_SANITIZED // ThreadSanitizer ends a child that starts threads, which writing does
            int numbers[4] = {1, 2, 3, 4};
            int back[4] = {0};
            is_right = is_right && rill_array_write(array, RILL_CURRENT, numbers, sizeof numbers) == RILL_OK &&
                       rill_array_read(array, RILL_CURRENT, back, sizeof back) == RILL_OK;
            is_right = is_right && back[3] == numbers[3];
#endif
            is_right = is_right && rill_close(own) == RILL_OK;
            _exit(is_right ? 0 : 1);
        }
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        for (int i = 0; i < COUNT; i++) {
            OK(rill_event_record(events[i], streams[i]));
            OK(rill_sync(contexts[i]));
            OK(rill_close(contexts[i]));
        }
    }
}

static void close_in_callback(void *user, rill_status status)
{
    struct world *world = user;
    (void)status;
    STATUS(rill_close(world->context), RILL_ERR_IN_CALLBACK);
    STATUS(rill_sync(world->context), RILL_ERR_IN_CALLBACK);
    STATUS(rill_call(world_kernel(world, "answer"), RILL_CURRENT, RILL_ARGS(), NULL, 0), RILL_ERR_IN_CALLBACK);
    char byte;
    STATUS(rill_field_read(world->module, "gain", RILL_CURRENT, &byte, 1), RILL_ERR_IN_CALLBACK);
    CHECK_CONTAINS(rill_message(), "rill_field_read: the call waits, which a callback must not do");
    float gain = 4;
    OK(rill_field_write(world->module, "gain", RILL_CURRENT, &gain, sizeof gain));
}

TEST(calls_that_wait_are_refused_in_a_callback)
{
    struct world world;
    world_open(&world, 2);
    OK(rill_stream_callback(rill_default_stream(world.context), close_in_callback, &world));
    OK(rill_stream_callback(rill_default_stream(world.context), close_in_callback, &world));
    OK(rill_sync(world.context));
    OK(rill_sync(world.context));
    float gain = 0;
    OK(rill_field_read(world.module, "gain", RILL_CURRENT, &gain, sizeof gain));
    CHECK_NEAR(gain, 4, 0);
    world_close(&world);
}

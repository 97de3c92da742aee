// RILL_TRACE: what ran when. Overlap is read from it, not from wall time.
#include "world.h"

#include <semaphore.h>
#include <sys/wait.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void spins(int n, float x[2])\n"
                             "{\n"
                             "    stream_parallel {\n"
                             "        float s = x[0];\n"
                             "#pragma rill single\n"
                             "        for (int i = 0; i < n; i++) s = s * 0.5f + 1;\n"
                             "        x[0] = s;\n"
                             "    }\n"
                             "    stream_parallel {\n"
                             "        float t = x[1];\n"
                             "#pragma rill single\n"
                             "        for (int i = 0; i < n; i++) t = t * 0.5f + 1;\n"
                             "        x[1] = t;\n"
                             "    }\n"
                             "}\n"
                             "kernel void shift(int n, const int a[n], int b[n])\n"
                             "{\n"
                             "    for (int i = 0; i < n; i++) b[i] = a[i] + 1;\n"
                             "}\n"
                             "kernel void ordered(int n, float p[2], float q[2])\n"
                             "{\n"
                             "    stream_parallel { p[0] += 1; }\n"
                             "    stream_parallel { q[0] += q[1]; }\n"
                             "#pragma rill in_order\n"
                             "    stream_parallel { p[1] += 1; }\n"
                             "    p[1] += n;\n"
                             "}\n"
                             "kernel void until(int n, int most, int x[n])\n" // line 29
                             "{\n"
                             "    while (x[0] < most) {\n"
                             "        for (int i = 0; i < n; i++) x[i]++;\n"
                             "    }\n"
                             "}\n";

enum { TEXT_SIZE = 1 << 20 };

struct event {
    char name[64];
    int stream;
    int group;
    double begin;
    double duration;
    char rest[1024];
};

// A GPU's events have times of their own clock: microseconds that what follows may seem to begin early.
static double slack(void)
{
    return world_is_cpu() ? 0.001 : 2;
}

// The events of a trace, one a line.
static int read_events(const char *text, struct event *events, int limit)
{
    int count = 0;
    for (const char *at = text; count < limit && (at = strstr(at, "{\"ph\": \"X\"")) != NULL; at++) {
        struct event *event = &events[count];
        count += sscanf(at,
                        "{\"ph\": \"X\", \"name\": \"%63[^\"]\", \"pid\": %d, \"tid\": %d, \"ts\": %lf, \"dur\": %lf, "
                        "\"args\": %1023[^\n]",
                        event->name, &event->stream, &event->group, &event->begin, &event->duration, event->rest) == 6;
    }
    return count;
}

static char *trace_of(void (*body)(struct world *world, rill_module module), int thread_count)
{
    char path[] = "/tmp/rill_trace_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    setenv("RILL_TRACE", path, 1);
    struct world world;
    world_open(&world, thread_count);
    unsetenv("RILL_TRACE");
    rill_module module = {0};
    OK(rill_module_create(world.context, source, &(rill_module_options){.path = "traced.c"}, &module));
    body(&world, module);
    world_close(&world);
    char *text = calloc(1, TEXT_SIZE);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL && text != NULL);
    CHECK(fread(text, 1, TEXT_SIZE - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

static char *read_trace(const char *path)
{
    char *text = calloc(1, TEXT_SIZE);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        CHECK(fread(text, 1, TEXT_SIZE - 1, file) > 0);
        fclose(file);
    } else {
        FAIL("there is no '%s'", path);
    }
    unlink(path);
    return text;
}

static bool is_whole(const char *text)
{
    size_t length = strlen(text);
    return strncmp(text, "{\"displayTimeUnit\": ", 20) == 0 && length > 3 && strcmp(text + length - 3, "}}\n") == 0 &&
           strstr(text, "\"producer\": \"rill\"") != NULL;
}

static void open_traced(struct world *world, const char *path, rill_kernel *out_shift)
{
    rill_module module = {0};
    setenv("RILL_TRACE", path, 1);
    world_open(world, 2);
    unsetenv("RILL_TRACE");
    OK(rill_module_create(world->context, source, NULL, &module));
    OK(rill_module_kernel(module, "shift", out_shift));
}

static void launch_shifts(struct world *world, rill_kernel shift, int count)
{
    rill_array a = {0};
    rill_array b = {0};
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(100), &a));
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(100), &b));
    for (int i = 0; i < count; i++) {
        OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(100, a, b)));
    }
    OK(count % 2 == 0 ? rill_sync(world->context) : rill_stream_synchronize(rill_default_stream(world->context)));
}

// The first test: of a process that has begun to use a driver for a GPU, no child can use it.
TEST(program_that_exits_without_closing_leaves_a_whole_trace)
{
    char path[] = "/tmp/rill_trace_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct world world;
        rill_kernel shift = {0};
        open_traced(&world, path, &shift);
        launch_shifts(&world, shift, 7);
        launch_shifts(&world, shift, 6);
        _exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    char *text = read_trace(path);
    struct event events[32];
    CHECK_INT(read_events(text, events, 32), 13);
    CHECK(is_whole(text));
    free(text);
}

TEST(each_context_of_a_process_has_a_trace_of_its_own)
{
    char path[64];
    char second[64];
    char third[64];
    snprintf(path, sizeof path, "/tmp/rill_trace_%ld.json", (long)getpid());
    snprintf(second, sizeof second, "/tmp/rill_trace_%ld.2.json", (long)getpid());
    snprintf(third, sizeof third, "/tmp/rill_trace_%ld.3.json", (long)getpid());
    struct world worlds[3];
    rill_kernel shifts[3];
    open_traced(&worlds[0], path, &shifts[0]);
    open_traced(&worlds[1], path, &shifts[1]); // beside the first
    launch_shifts(&worlds[1], shifts[1], 2);
    launch_shifts(&worlds[0], shifts[0], 1);
    world_close(&worlds[1]);
    world_close(&worlds[0]);
    open_traced(&worlds[2], path, &shifts[2]); // after both
    launch_shifts(&worlds[2], shifts[2], 3);
    world_close(&worlds[2]);
    const char *const paths[] = {path, second, third};
    for (int i = 0; i < 3; i++) {
        char *text = read_trace(paths[i]);
        struct event events[8];
        CHECK_INT(read_events(text, events, 8), i + 1);
        CHECK(is_whole(text));
        free(text);
    }
}

TEST(trace_of_an_earlier_process_is_overwritten)
{
    char path[] = "/tmp/rill_trace_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    const char old[] = "{\"displayTimeUnit\": \"ms\", \"process\": \"1-1\", \"traceEvents\": [";
    CHECK_INT(write(fd, old, sizeof old - 1), sizeof old - 1);
    close(fd);
    struct world world;
    rill_kernel shift = {0};
    open_traced(&world, path, &shift);
    launch_shifts(&world, shift, 1000); // more than a page
    world_close(&world);
    char *text = read_trace(path);
    static struct event events[1100];
    CHECK_INT(read_events(text, events, 1100), 1000);
    CHECK(is_whole(text));
    free(text);
}

// A busy machine may give the second thread its turn late: what needs two at once is tried again, and lasts longer.
// Where one thread runs everything, two overlap by luck alone.
static int stretch;
enum { MOST_STRETCH = 16 };

static bool overlap(const struct event *a, const struct event *b)
{
    return a->begin < b->begin + b->duration && b->begin < a->begin + a->duration;
}

static void run_spins(struct world *world, rill_module module)
{
    (void)world;
    rill_kernel spins = {0};
    float x[2] = {0};
    OK(rill_module_kernel(module, "spins", &spins));
    OK(rill_call(spins, RILL_CURRENT, RILL_ARGS(30000000 * stretch, RILL_HOST(x, 2)), NULL, 0));
}

TEST(blocks_overlap_in_the_trace_and_have_their_lines)
{
    bool do_overlap = false;
    for (stretch = 1; stretch <= MOST_STRETCH && !do_overlap; stretch *= 2) {
        char *text = trace_of(run_spins, 2);
        struct event events[8];
        REQUIRE(read_events(text, events, 8) == 2);
        const struct event *a = events[0].group == 1 ? &events[0] : &events[1];
        const struct event *b = events[0].group == 1 ? &events[1] : &events[0];
        CHECK_STR(a->name, "spins.0");
        CHECK_STR(b->name, "spins.1");
        CHECK_INT(b->group, 2);
        do_overlap = overlap(a, b) || world_is_serial();
        CHECK_CONTAINS(a->rest, "\"kernel\": \"spins\", \"file\": \"traced.c\", \"line\": 5,");
        CHECK_CONTAINS(a->rest, "\"group\": 1, \"stream\": 1,");
        CHECK_CONTAINS(a->rest, "\"ran\": \"alone\"");
        CHECK_CONTAINS(b->rest,
                       world_is_cpu() ? "\"why\": \"first on its stream" : "\"why\": \"after a copy on its stream");
        CHECK_CONTAINS(text, "\"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"stream 1\"}");
        CHECK_CONTAINS(text, "\"lost\": 0");
        free(text);
    }
    CHECK(do_overlap);
}

static void run_shifts(struct world *world, rill_module module)
{
    rill_kernel shift = {0};
    OK(rill_module_kernel(module, "shift", &shift));
    int n = 1000000;
    rill_array a = world_array(world, RILL_I32, n);
    rill_array b = world_array(world, RILL_I32, n);
    int small[11] = {0};
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(n, a, b)));
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(10, RILL_HOST(small, 10), RILL_HOST(small + 1, 10))));
    OK(rill_launch(shift, RILL_CURRENT, RILL_ARGS(10, a, b)));
    OK(rill_sync(world->context));
}

TEST(trace_tells_how_each_task_ran_and_keeps_stream_order)
{
    char *text = trace_of(run_shifts, 2);
    struct event events[8];
    REQUIRE(read_events(text, events, 8) == 3);
    CHECK_CONTAINS(events[0].rest, "\"ran\": \"shared\"");
    CHECK_CONTAINS(events[1].rest, "\"ran\": \"in order\"");
    CHECK_CONTAINS(events[0].rest, "\"why\": \"first on its stream");
    CHECK_CONTAINS(events[1].rest, " on its stream; its iterations in order: ");
    if (world_is_cpu()) { // a GPU copies what is the host's, and shares however little there is
        CHECK_CONTAINS(events[2].rest, "\"ran\": \"alone\"");
        CHECK_CONTAINS(events[1].rest, "\"why\": \"after kernel shift on its stream");
        CHECK_CONTAINS(events[2].rest, "\"why\": \"after kernel shift on its stream");
    }
    CHECK(events[1].begin >= events[0].begin + events[0].duration - slack());
    CHECK(events[2].begin >= events[1].begin + events[1].duration - slack());
    free(text);
}

static void hold(void *user, rill_status status)
{
    (void)status;
    sem_wait(user);
}

// Stream b comes to its wait while a callback holds a: the one thread has taken b up before it came to c.
static void run_ordered(struct world *world, rill_module module)
{
    rill_kernel shift = {0};
    rill_kernel ordered = {0};
    OK(rill_module_kernel(module, "shift", &shift));
    OK(rill_module_kernel(module, "ordered", &ordered));
    rill_array x = world_array(world, RILL_F32, 8);
    rill_array y = world_array(world, RILL_F32, 8);
    rill_array z = world_array(world, RILL_I32, 8);
    rill_stream a = {0};
    rill_stream b = {0};
    rill_stream c = {0};
    OK(rill_stream_create(world->context, NULL, &a));
    OK(rill_stream_create(world->context, NULL, &b));
    OK(rill_stream_create(world->context, NULL, &c));
    sem_t release;
    sem_init(&release, 0, 0);
    OK(rill_stream_callback(a, hold, &release));
    OK(rill_stream_wait(b, a));
    OK(rill_launch(ordered, b, RILL_ARGS(4, y, y)));
    OK(rill_launch(shift, c, RILL_ARGS(8, z, z)));
    OK(rill_stream_synchronize(c));
    sem_post(&release);
    OK(rill_stream_synchronize(b));
    float one = 1;
    OK(rill_array_fill(y, b, &one, sizeof one));
    OK(rill_launch(ordered, b, RILL_ARGS(4, y, x)));
    OK(rill_sync(world->context));
    sem_destroy(&release);
}

TEST(trace_tells_what_each_task_began_after)
{
    char *text = trace_of(run_ordered, 1);
    struct event events[16];
    REQUIRE(read_events(text, events, 16) == 1 + 2 * 4);
    static const char *const reasons[] = {"waited for an event of stream ", "after block 1: their arguments overlap",
                                          "after block 2: in program order",
                                          "after the blocks at line 23 of its launch", "after a fill on its stream"};
    for (int i = 0; i < 4; i++) {
        CHECK_CONTAINS(events[1 + i].rest, "\"kernel\": \"ordered\"");
        CHECK_CONTAINS(events[1 + i].rest, reasons[i]);
    }
    int count = 0;
    for (int i = 5; i < 9; i++) {
        count += strstr(events[i].rest, reasons[4]) != NULL;
    }
    CHECK_INT(count, 2); // the first two blocks
    free(text);
}

static void run_until(struct world *world, rill_module module)
{
    rill_kernel until = {0};
    OK(rill_module_kernel(module, "until", &until));
    enum { SIZE = 20000 }; // so large that the loop is not run whole
    rill_array x = world_array(world, RILL_I32, SIZE);
    OK(rill_launch(until, RILL_CURRENT, RILL_ARGS(SIZE, 3, x)));
    static int host[SIZE];
    OK(rill_array_read(x, RILL_CURRENT, host, sizeof host));
    CHECK_INT(host[SIZE - 1], 3);
}

// Where the host has to know what the device has computed, the trace names what and where.
TEST(trace_names_what_is_read_back)
{
    setenv("RILL_RESIDENT", "off", 1); // else the threads of one launch decide
    char *text = trace_of(run_until, 2);
    unsetenv("RILL_RESIDENT");
    struct event events[32];
    int count = read_events(text, events, 32);
    int read_count = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(events[i].name, "until reads back") == 0) {
            read_count++;
            CHECK_CONTAINS(events[i].rest, "\"line\": 31,");
            CHECK_CONTAINS(events[i].rest, "\"ran\": \"read back\"");
            CHECK_CONTAINS(events[i].rest, "a condition over device data is read back: the host waits for it");
        }
    }
    CHECK_INT(read_count, world_is_cpu() ? 0 : 4);
    if (!world_is_cpu()) {
        CHECK_CONTAINS(text, "after a condition at line 31 was read back by the host");
    }
    free(text);
}

// ---- many ----------------------------------------------------------------------------------------------------------

enum { MANY_THREADS = 4, MANY_LAUNCHES = 250 };

struct sender {
    struct world *world;
    rill_kernel shift;
    rill_array a, b;
};

static void *send_many(void *arg)
{
    struct sender *sender = arg;
    rill_stream stream = {0};
    rill_event event = {0};
    OK(rill_stream_create(sender->world->context, NULL, &stream));
    OK(rill_event_create(sender->world->context, NULL, &event));
    for (int i = 0; i < MANY_LAUNCHES; i++) {
        OK(rill_launch(sender->shift, stream, RILL_ARGS(16, sender->a, sender->b)));
        if (i % 50 == 49) {
            OK(rill_event_record(event, stream));
            OK(rill_event_wait(event, rill_default_stream(sender->world->context)));
        }
    }
    OK(rill_stream_synchronize(stream));
    OK(rill_stream_destroy(stream));
    OK(rill_event_destroy(event));
    return NULL;
}

static void run_many(struct world *world, rill_module module)
{
    struct sender senders[MANY_THREADS];
    pthread_t threads[MANY_THREADS];
    for (int i = 0; i < MANY_THREADS; i++) {
        senders[i] = (struct sender){.world = world};
        OK(rill_module_kernel(module, "shift", &senders[i].shift));
        senders[i].a = world_array(world, RILL_I32, 16);
        senders[i].b = world_array(world, RILL_I32, 16);
    }
    for (int i = 0; i < MANY_THREADS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, send_many, &senders[i]) == 0);
    }
    for (int i = 0; i < MANY_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

TEST(no_task_of_many_threads_is_lost_and_each_stream_keeps_its_order)
{
    enum { LIMIT = MANY_THREADS * MANY_LAUNCHES + 1 };
    char *text = trace_of(run_many, 2);
    struct event *events = calloc(LIMIT, sizeof *events);
    REQUIRE(events != NULL);
    int count = read_events(text, events, LIMIT);
    CHECK_INT(count, MANY_THREADS * MANY_LAUNCHES);
    double ends[64] = {0};
    for (int i = 0; i < count; i++) {
        if (events[i].stream < 0 || events[i].stream >= 64 || events[i].begin < ends[events[i].stream] - slack()) {
            FAIL("event %d of stream %d begins %f us before the one before it ends", i, events[i].stream,
                 ends[events[i].stream & 63] - events[i].begin);
            break;
        }
        ends[events[i].stream] = events[i].begin + events[i].duration;
    }
    CHECK_CONTAINS(text, "\"lost\": 0");
    free(events);
    free(text);
}

// ---- streams ------------------------------------------------------------------------------------------------------

static void open_two(struct world *world, rill_stream *a, rill_stream *b)
{
    OK(rill_stream_create(world->context, NULL, a));
    OK(rill_stream_create(world->context, NULL, b));
}

static void run_apart(struct world *world, rill_module module)
{
    (void)module;
    rill_kernel slow = world_kernel(world, "slow");
    rill_stream a = {0};
    rill_stream b = {0};
    open_two(world, &a, &b);
    OK(rill_launch(slow, a, RILL_ARGS(20000000 * stretch)));
    OK(rill_launch(slow, b, RILL_ARGS(20000000 * stretch)));
    OK(rill_sync(world->context));
}

TEST(streams_overlap_in_the_trace)
{
    bool do_overlap = false;
    for (stretch = 1; stretch <= MOST_STRETCH && !do_overlap; stretch *= 2) {
        char *text = trace_of(run_apart, 2);
        struct event e[4];
        REQUIRE(read_events(text, e, 4) == 2);
        do_overlap = overlap(&e[0], &e[1]) || world_is_serial();
        CHECK_CONTAINS(text, "\"stream\": 1,");
        CHECK_CONTAINS(text, "\"stream\": 2,");
        free(text);
    }
    CHECK(do_overlap);
}

// A callback holds a for a while, so that b comes to its wait before a comes past the event.
static void run_behind_an_event(struct world *world, rill_module module)
{
    (void)module;
    rill_kernel slow = world_kernel(world, "slow");
    rill_stream a = {0};
    rill_stream b = {0};
    rill_event done = {0};
    sem_t release;
    sem_init(&release, 0, 0);
    open_two(world, &a, &b);
    OK(rill_event_create(world->context, NULL, &done));
    OK(rill_stream_callback(a, hold, &release));
    OK(rill_launch(slow, a, RILL_ARGS(2000000)));
    OK(rill_event_record(done, a));
    OK(rill_event_wait(done, b));
    OK(rill_launch(slow, b, RILL_ARGS(2000000)));
    usleep(5000 * (unsigned)stretch);
    sem_post(&release);
    OK(rill_sync(world->context));
    sem_destroy(&release);
}

TEST(event_keeps_streams_apart_in_the_trace_and_is_named)
{
    bool is_named = false;
    for (stretch = 1; stretch <= 4 * MOST_STRETCH && !is_named; stretch *= 2) {
        char *text = trace_of(run_behind_an_event, 2);
        struct event e[4];
        REQUIRE(read_events(text, e, 4) == 2);
        CHECK(e[1].begin >= e[0].begin + e[0].duration - 0.001);
        CHECK_CONTAINS(e[0].rest, "\"stream\": 1,");
        is_named = strstr(e[1].rest, "waited for an event of stream 1") != NULL;
        free(text);
    }
    CHECK(is_named);
}

static void open_tracing_to(struct world *world, const char *path)
{
    setenv("RILL_TRACE", path, 1);
    world_open(world, 1);
    unsetenv("RILL_TRACE");
}

TEST(trace_that_cannot_be_opened_is_logged_and_closing_returns_it)
{
    struct world world;
    open_tracing_to(&world, "/no/such/folder/trace.json");
    OK(rill_sync(world.context)); // the work is not to blame
    STATUS(rill_close(world.context), RILL_ERR_IO);
    CHECK_CONTAINS(rill_message(),
                   "rill_close: cannot write the trace '/no/such/folder/trace.json': No such file or directory");
    CHECK_CONTAINS(world.logged, "0: cannot write the trace '/no/such/folder/trace.json': No such file or directory");
    STATUS(rill_close(world.context), RILL_ERR_STALE); // it was closed all the same
}

TEST(trace_to_a_full_disk_is_logged_once_and_closing_returns_it)
{
    struct world world;
    open_tracing_to(&world, "/dev/full");
    rill_array x = world_array(&world, RILL_F32, 100);
    for (int i = 0; i < 3; i++) {
        OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(100, x)));
        OK(rill_sync(world.context));
    }
    STATUS(rill_close(world.context), RILL_ERR_IO);
    CHECK_CONTAINS(rill_message(), "rill_close: cannot write the trace '/dev/full': No space left on device");
    CHECK_STR(world.logged, "0: cannot write the trace '/dev/full': No space left on device\n");
}

TEST(failure_of_the_work_comes_before_that_of_the_trace)
{
    struct world world;
    open_tracing_to(&world, "/dev/full");
    int bad[1] = {5};
    OK(rill_launch(world_kernel(&world, "checked"), RILL_CURRENT, RILL_ARGS(1, 0, RILL_HOST(bad, 1))));
    STATUS(rill_close(world.context), RILL_ERR_ASSERT);
}

// The log is all there is: a scope that ends returns nothing.
TEST(failure_of_the_trace_is_logged_once_when_a_scope_closes_the_context)
{
    struct world world;
    open_tracing_to(&world, "/dev/full");
    rill_auto_context(&world.context);
    CHECK_STR(world.logged, "0: cannot write the trace '/dev/full': No space left on device\n");
}

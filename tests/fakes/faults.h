// For every public call and every call of the driver that it makes: the n-th one fails, for every n. The public call
// returns a status with words or does without; nothing is lost, no rule of the driver is broken, and the context works
// on. The programs that include this say on which stand-in.
#ifndef RILL_TESTS_FAKES_FAULTS_H
#define RILL_TESTS_FAKES_FAULTS_H

#include "rill/rill.h"

#include "cuda/application.h"
#include "test.h"

#include <dlfcn.h>
#include <unistd.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n#include <stdio.h>\n"
    "int counter[4] = {1, 2, 3, 4};\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel void pair(int n, int a[n], int b[n])\n"
    "{\n"
    "    for (int i = 0; i < n; i++) a[i] = 1;\n"
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] += i; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = 2 * i + 1; }\n"
    "    for (int i = 0; i < n; i++) b[i] += a[i];\n"
    "}\n"
    "kernel void repeat(int n, int m, int flag[m], int x[n])\n"
    "{\n"
    "    while (flag[0] > 0) {\n"
    "        for (int i = 0; i < n; i++) x[i] += 1;\n"
    "        for (int i = 0; i < flag[0]; i++) x[i] += 1;\n"
    "        flag[0]--;\n"
    "    }\n"
    "}\n"
    "kernel void count(int n) { for (int i = 0; i < n; i++) counter[i % 4] += 1; }\n"
    "kernel void talk(int n) { for (int i = 0; i < n; i++) printf(\"%d \", i); }\n"
    "kernel void checked(int n, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] < 1000000); }\n";

// For contexts that come and go: compiling is most of their cost.
static const char small_source[] =
    "#include <rill/kernel.h>\n"
    "int counter[4] = {1, 2, 3, 4};\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n";

enum { N = 64 };

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

// A stand-in, and how it is used.
struct vendor {
    const char *library;
    const char *variable; // that names it
    const char *device;
    const char *illegal; // what an illegal address is called
    bool recovers;       // a device that was lost works again once nobody uses it
};
static const struct vendor vendor;

static void open_fake(void)
{
    setenv(vendor.variable, vendor.library, 1);
    setenv("RILL_STAND_IN", "1", 1);
    void *library = dlopen(vendor.library, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        FAIL("%s", dlerror());
        REQUIRE(false);
    }
#define FIND(symbol, result, parameters) *(void **)&symbol##_at = dlsym(library, #symbol);
    STAND_IN_LIST(FIND)
#undef FIND
}

// ---- steps ----------------------------------------------------------------------------------------------------------

struct scene {
    rill_context context;
    rill_module module;
    rill_stream stream, other;
    rill_array x, y;
};

static void swallow(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
}

static void ignore_log(void *user, rill_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static rill_status open_scene_of(struct scene *s, const char *text)
{
    *s = (struct scene){0};
    rill_open_options options = {.print = swallow, .log = ignore_log};
    RILL_TRY(rill_open(vendor.device, &options, &s->context));
    RILL_TRY(rill_module_create(s->context, text, NULL, &s->module));
    RILL_TRY(rill_stream_create(s->context, NULL, &s->stream));
    RILL_TRY(rill_stream_create(s->context, NULL, &s->other));
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->x));
    return rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->y);
}

static rill_status open_scene(struct scene *s)
{
    return open_scene_of(s, source);
}

static rill_kernel kernel_of(struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    (void)!rill_module_kernel(s->module, name, &kernel);
    return kernel;
}

// The first failure counts; what was made goes either way.
static rill_status first_of(rill_status status, rill_status next)
{
    return status != RILL_OK ? status : next;
}

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

static rill_status do_async_transfers(struct scene *s)
{
    static int host[N];
    RILL_TRY(rill_array_write_async(s->y, s->stream, host, sizeof host));
    RILL_TRY(rill_array_read_async(s->y, s->stream, host, sizeof host));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_launch(struct scene *s)
{
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->y)));
    RILL_TRY(rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 2, s->y)));
    return rill_stream_synchronize(s->stream);
}

static rill_status do_launch_host(struct scene *s)
{
    static int host[N];
    rill_status status = rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, RILL_HOST(host, N)));
    return first_of(status, rill_stream_synchronize(s->stream));
}

static rill_status do_call(struct scene *s)
{
    int sum = 0;
    return rill_call(kernel_of(s, "sum"), s->stream, RILL_ARGS(N, s->y), &sum, sizeof sum);
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

static const struct {
    const char *name;
    rill_status (*run)(struct scene *scene);
} steps[] = {
    {"array", do_array},
    {"transfers", do_transfers},
    {"async_transfers", do_async_transfers},
    {"launch", do_launch},
    {"launch_host", do_launch_host},
    {"call", do_call},
    {"blocks", do_blocks},
    {"control", do_control},
    {"print", do_print},
    {"checked", do_checked},
    {"field", do_field},
    {"stream", do_stream},
    {"event", do_event},
    {"callback", do_callback},
    {"scope", do_scope},
};

// ---- the sweep ------------------------------------------------------------------------------------------------------

static void forget_errors(struct scene *s)
{
    (void)!rill_stream_clear_error(s->stream);
    (void)!rill_stream_clear_error(s->other);
    (void)!rill_stream_clear_error(rill_default_stream(s->context));
    (void)!rill_sync(s->context);
    stand_in_drain_at(); // what the call left behind shows now, not with the next one
}

// The context does what it did before.
static bool works(struct scene *s, const char *step, long n)
{
    int host[N], sum = 0;
    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    rill_status status = rill_array_write(s->x, s->stream, host, sizeof host);
    status = first_of(status, rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, s->x)));
    status = first_of(status, rill_call(kernel_of(s, "sum"), s->stream, RILL_ARGS(N, s->x), &sum, sizeof sum));
    if (status != RILL_OK || sum != N * (N - 1) / 2 + N) {
        return FAIL("%s: after call %ld, %s, failed the context does not work: %d, %s", step, n, stand_in_failed_at(),
                    sum, status != RILL_OK ? rill_message() : "wrong result");
    }
    return true;
}

static bool no_rule_is_broken(const char *step, long n)
{
    if (stand_in_violations_at() == 0) {
        return true;
    }
    FAIL("%s: call %ld, %s, failed, and then: %s", step, n, stand_in_failed_at(), stand_in_violation_at(0));
    stand_in_forgive_at();
    return false;
}

static long sweep_step(struct scene *s, int step, int code)
{
    long points = 0;
    for (long n = 1; n < 1000; n++) {
        long before = stand_in_calls_at("*");
        stand_in_fail_at("*", n, code);
        rill_status status = steps[step].run(s);
        const char *message = rill_message();
        bool has_words = status == RILL_OK || (message != NULL && *message != '\0');
        stand_in_fail_at("", 0, 0);
        bool fired = stand_in_calls_at("*") - before >= n;
        if (!has_words) {
            FAIL("%s: call %ld, %s, failed, and nothing says so", steps[step].name, n, stand_in_failed_at());
        }
        forget_errors(s);
        if (!no_rule_is_broken(steps[step].name, n) || !works(s, steps[step].name, n) || !fired) {
            break;
        }
        points++;
    }
    return points;
}

// |only|: names of steps, "" for all.
static void sweep(const char *graph, const char *only)
{
    open_fake();
    setenv("RILL_GRAPH", graph, 1);
    struct scene s;
    if (open_scene(&s) != RILL_OK) {
        FAIL("%s", rill_message());
        REQUIRE(false);
    }
    long points = 0;
    for (int step = 0; step < (int)(sizeof steps / sizeof steps[0]); step++) {
        if (*only != '\0' && strstr(only, steps[step].name) == NULL) {
            continue;
        }
        if (steps[step].run(&s) != RILL_OK) {
            FAIL("%s: %s", steps[step].name, rill_message());
        }
        points += sweep_step(&s, step, 999);
        points += sweep_step(&s, step, CU_OUT_OF_MEMORY);
    }
    CHECK_INT(rill_close(s.context), RILL_OK);
    no_rule_is_broken("close", 0);
    printf("  %ld points\n", points);
    CHECK(points > (*only != '\0' ? 50 : 100));
    unsetenv("RILL_GRAPH");
}

TEST(every_call_of_the_driver_may_fail_in_direct_launches)
{
    sweep("off", "");
}

TEST(every_call_of_the_driver_may_fail_in_graphs)
{
    sweep("on", "");
}

// A trace makes calls of its own. One that fails costs the trace a task, and nobody else anything.
TEST(every_call_of_the_driver_may_fail_while_tracing)
{
    setenv("RILL_TRACE", "/dev/null", 1);
    sweep("off", "blocks control event");
    unsetenv("RILL_TRACE");
}

// Opening and closing: a context for each point, and few points under sanitizers.
TEST(opening_and_closing_may_fail_anywhere)
{
    open_fake();
    struct scene first; // a driver that cannot be loaded is not looked for again
    REQUIRE(open_scene_of(&first, small_source) == RILL_OK);
    CHECK_INT(rill_close(first.context), RILL_OK);
    const char *part = getenv("RILL_TEST_PART");
    long step = part != NULL && strcmp(part, "plain") != 0 ? 7 : 1;
    long points = 0;
    for (long n = 1; n < 1000; n += step) {
        long before = stand_in_calls_at("*");
        struct scene s;
        stand_in_fail_at("*", n, 999);
        rill_status status = open_scene_of(&s, small_source);
        if (status == RILL_OK) {
            status = do_launch(&s);
        }
        if (s.context.id != 0) {
            status = first_of(status, rill_close(s.context));
        }
        stand_in_fail_at("", 0, 0);
        bool fired = stand_in_calls_at("*") - before >= n;
        static const char *const kinds[] = {"memory", "host", "stream", "event", "module", "graph", "exec", "pool"};
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            if (stand_in_alive_at(kinds[i]) != 0) {
                FAIL("call %ld, %s, failed, and %ld of '%s' are left", n, stand_in_failed_at(),
                     stand_in_alive_at(kinds[i]), kinds[i]);
            }
        }
        if (!no_rule_is_broken("open and close", n) || !fired) {
            break;
        }
        points++;
    }
    printf("  %ld points\n", points);
    CHECK(points > 3);
}

// ---- a device that is lost ------------------------------------------------------------------------------------------

static void lose_while_queued(struct scene *s)
{
    rill_array y = s->y;
    for (int i = 0; i < 20; i++) {
        (void)!rill_launch(kernel_of(s, "add"), s->stream, RILL_ARGS(N, 1, y));
    }
    stand_in_lose_at(CU_ILLEGAL_ADDRESS);
    for (int i = 0; i < 20; i++) {
        (void)!rill_launch(kernel_of(s, "add"), s->other, RILL_ARGS(N, 1, y));
    }
}

// It is written all the same, and says that it does not know.
static void check_lost_trace(const char *path)
{
    char text[16384] = "";
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    CHECK(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    CHECK_CONTAINS(text, "\"producer\": \"rill\"");
    CHECK(strstr(text, "\"lost\": ") != NULL && strstr(text, "\"lost\": 0") == NULL);
}

TEST(a_lost_device_is_said_and_stays_said)
{
    open_fake();
    char path[] = "/tmp/rill_lost_XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    for (int graph = 0; graph < 2; graph++) {
        setenv("RILL_GRAPH", graph == 0 ? "off" : "on", 1);
        setenv("RILL_TRACE", graph == 0 ? path : "", 1);
        struct scene s;
        REQUIRE(open_scene(&s) == RILL_OK && do_blocks(&s) == RILL_OK);
        lose_while_queued(&s);
        for (int step = 0; step < (int)(sizeof steps / sizeof steps[0]); step++) {
            rill_status status = steps[step].run(&s);
            if (strcmp(steps[step].name, "array") != 0) { // what touches no device may succeed
                CHECK(status != RILL_OK);
            }
        }
        CHECK_INT(rill_launch(kernel_of(&s, "add"), s.stream, RILL_ARGS(N, 1, s.y)), RILL_ERR_DEVICE);
        CHECK_CONTAINS(rill_message(), vendor.illegal);
        (void)!rill_close(s.context);
        no_rule_is_broken("lost", 0);
        if (graph == 0) {
            check_lost_trace(path);
            unsetenv("RILL_TRACE");
        }
        rill_status again = open_scene(&s);
        if (!vendor.recovers) {
            CHECK_INT(again, RILL_ERR_DEVICE);
            CHECK_CONTAINS(rill_message(), vendor.illegal);
            (void)!(s.context.id != 0 && rill_close(s.context) == RILL_OK);
            break;
        }
        REQUIRE(again == RILL_OK);
        works(&s, "a context after the loss", 0);
        CHECK_INT(rill_close(s.context), RILL_OK);
        no_rule_is_broken("lost", 0);
    }
    unsetenv("RILL_GRAPH");
}

#endif

// The versions of loops that run in order have code of their own on NVIDIA GPUs: the driver sees it when the first
// launch needs one, once, and any of its calls may fail then.
#include "cuda/application.h"
#include "ok.h"
#include "stand_in.h"

#include <pthread.h>

enum { N = 64, THREADS = 4 };

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

struct stage {
    rill_context context;
    rill_module module;
    rill_kernel shift;
};

static void ignore_log(void *user, rill_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

// |number| makes the text one that the driver has not compiled yet.
static void load(struct stage *stage, int number, const char *more)
{
    char text[512];
    snprintf(text, sizeof text,
             "#include <rill/kernel.h>\n%s"
             "kernel void shift(int n, const int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i] + %d; }\n",
             more, number);
    OK(rill_module_create(stage->context, text, NULL, &stage->module));
    OK(rill_module_kernel(stage->module, "shift", &stage->shift));
}

static void open_stage(struct stage *stage, const char *mode)
{
    setenv("RILL_GRAPH", mode, 1);
    void *library = use_stand_in();
#define FIND(symbol, result, parameters) *(void **)&symbol##_at = dlsym(library, #symbol);
    STAND_IN_LIST(FIND)
#undef FIND
    rill_open_options options = {.log = ignore_log};
    OK(rill_open("cuda:0", &options, &stage->context));
}

// A launch of the loop over |x| and itself, one element further on: each element is the one before plus |number|.
static rill_status launch_over_itself(struct stage *stage, rill_stream stream, rill_array x)
{
    rill_array a;
    rill_array b;
    int n = N - 1;
    RILL_TRY(rill_array_view(x, 0, RILL_SHAPE(n), &a));
    RILL_TRY(rill_array_view(x, 1, RILL_SHAPE(n), &b));
    rill_status status = rill_launch(stage->shift, stream, RILL_ARGS(n, a, b));
    char words[256];
    snprintf(words, sizeof words, "%s", status != RILL_OK ? rill_message() : "");
    (void)!rill_array_destroy(a);
    (void)!rill_array_destroy(b);
    if (status != RILL_OK) {
        CHECK(words[0] != '\0');
    }
    return status;
}

static int count_wrong(rill_stream stream, rill_array x, int number)
{
    int got[N];
    int wrong = 0;
    OK(rill_array_read(x, stream, got, sizeof got));
    for (int i = 0; i < N; i++) {
        wrong += got[i] != i * number;
    }
    return wrong;
}

static void check_loads(const char *mode)
{
    struct stage stage;
    rill_array x;
    rill_array y;
    open_stage(&stage, mode);
    long before = stand_in_calls_at("cuModuleLoadDataEx");
    load(&stage, 3, "");
    OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &x));
    OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &y));
    for (int i = 0; i < 20; i++) {
        OK(rill_launch(stage.shift, RILL_CURRENT, RILL_ARGS(N, x, y)));
    }
    OK(rill_sync(stage.context));
    CHECK_INT(stand_in_calls_at("cuModuleLoadDataEx") - before, 1);
    for (int i = 0; i < 20; i++) {
        OK(launch_over_itself(&stage, RILL_CURRENT, x));
        CHECK_INT(stand_in_calls_at("cuModuleLoadDataEx") - before, 2);
    }
    CHECK_INT(count_wrong(RILL_CURRENT, x, 3), 0);
    OK(rill_close(stage.context));
    CHECK_INT(stand_in_alive_at("module"), 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

TEST(versions_in_order_are_loaded_by_the_first_launch_that_needs_one)
{
    check_loads("off");
    check_loads("on");
}

// What kernels share is in one place: such a module is loaded whole.
TEST(a_module_with_fields_is_loaded_whole)
{
    struct stage stage;
    rill_array x;
    open_stage(&stage, "off");
    long before = stand_in_calls_at("cuModuleLoadDataEx");
    load(&stage, 5, "int total;\nkernel void count(int n) { for (int i = 0; i < n; i++) total += 1; }\n");
    OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &x));
    OK(launch_over_itself(&stage, RILL_CURRENT, x));
    CHECK_INT(count_wrong(RILL_CURRENT, x, 5), 0);
    CHECK_INT(stand_in_calls_at("cuModuleLoadDataEx") - before, 1);
    OK(rill_close(stage.context));
    CHECK_INT(stand_in_violations_at(), 0);
}

// |first|: so that the driver has not seen the texts.
static void fail_each(const char *mode, int first)
{
    struct stage stage;
    rill_array x;
    rill_stream stream;
    open_stage(&stage, mode);
    OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &x));
    OK(rill_stream_create(stage.context, NULL, &stream));
    bool fired = true;
    int points = 0;
    int failures = 0;
    for (long n = 1; fired && n < 200; n++) {
        load(&stage, first + points, "");
        long alive = stand_in_alive_at("module");
        long before = stand_in_calls_at("*");
        stand_in_fail_at("*", n, 999);
        rill_status status = launch_over_itself(&stage, stream, x);
        stand_in_fail_at("", 0, 0);
        fired = stand_in_calls_at("*") - before >= n;
        failures += status != RILL_OK;
        CHECK(status == RILL_OK || stand_in_alive_at("module") <= alive + 1);
        (void)!rill_stream_synchronize(stream);
        (void)!rill_stream_clear_error(stream);
        int zeros[N] = {0};
        OK(rill_array_write(x, stream, zeros, sizeof zeros));
        OK(launch_over_itself(&stage, stream, x));
        CHECK_INT(count_wrong(stream, x, first + points), 0);
        OK(rill_module_destroy(stage.module));
        points++;
    }
    CHECK(failures >= 5); // the driver's linker, loading, looking up
    OK(rill_close(stage.context));
    CHECK_INT(stand_in_alive_at("module"), 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

TEST(any_call_may_fail_while_they_are_loaded)
{
    fail_each("off", 1000);
    fail_each("on", 3000);
}

struct worker {
    struct stage *stage;
    rill_stream stream;
    rill_array x;
    rill_status status;
};

static void *work(void *user)
{
    struct worker *worker = user;
    for (int i = 0; i < 3 && worker->status == RILL_OK; i++) {
        worker->status = launch_over_itself(worker->stage, worker->stream, worker->x);
    }
    return NULL;
}

TEST(several_launches_may_load_them_at_once)
{
    struct stage stage;
    open_stage(&stage, "off");
    for (int round = 0; round < 5; round++) {
        struct worker workers[THREADS] = {0};
        pthread_t threads[THREADS];
        long alive = stand_in_alive_at("module");
        load(&stage, 5000 + round, "");
        for (int i = 0; i < THREADS; i++) {
            workers[i].stage = &stage;
            OK(rill_stream_create(stage.context, NULL, &workers[i].stream));
            OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &workers[i].x));
        }
        for (int i = 0; i < THREADS; i++) {
            REQUIRE(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            OK(workers[i].status);
            CHECK_INT(count_wrong(workers[i].stream, workers[i].x, 5000 + round), 0);
            OK(rill_stream_destroy(workers[i].stream));
            OK(rill_array_destroy(workers[i].x));
        }
        CHECK_INT(stand_in_alive_at("module"), alive + 2);
        OK(rill_module_destroy(stage.module));
    }
    OK(rill_close(stage.context));
    CHECK_INT(stand_in_alive_at("module"), 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

struct capturing {
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **graph);
    int (*instantiate)(void **exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*exec_destroy)(void *exec);
    int (*graph_destroy)(void *graph);
};

static struct capturing find_capturing(void)
{
    void *library = stand_in_library();
    struct capturing d = {0};
    *(void **)&d.begin = dlsym(library, "cuStreamBeginCapture_v2");
    *(void **)&d.end = dlsym(library, "cuStreamEndCapture");
    *(void **)&d.instantiate = dlsym(library, "cuGraphInstantiateWithFlags");
    *(void **)&d.launch = dlsym(library, "cuGraphLaunch");
    *(void **)&d.exec_destroy = dlsym(library, "cuGraphExecDestroy");
    *(void **)&d.graph_destroy = dlsym(library, "cuGraphDestroy");
    return d;
}

// In the strictest mode, in which most of what loads code would end the capture; and a load that fails does not.
TEST(they_are_loaded_while_a_stream_is_captured_and_the_capture_goes_on)
{
    struct stage stage;
    rill_array x;
    rill_stream stream;
    void *native = NULL;
    void *graph = NULL;
    void *exec = NULL;
    open_stage(&stage, "on");
    struct capturing d = find_capturing();
    load(&stage, 7000, "");
    OK(rill_array_create(stage.context, RILL_I32, RILL_SHAPE(N), &x));
    OK(rill_stream_create(stage.context, NULL, &stream));
    OK(rill_stream_native(stream, &native));
    REQUIRE(d.begin(native, 0) == 0);
    stand_in_fail_at("cuModuleGetFunction", 1, 999);
    CHECK(launch_over_itself(&stage, stream, x) != RILL_OK);
    stand_in_fail_at("", 0, 0);
    OK(launch_over_itself(&stage, stream, x));
    REQUIRE(d.end(native, &graph) == 0 && graph != NULL);
    CHECK(d.instantiate(&exec, graph, 0) == 0);
    CHECK(d.launch(exec, native) == 0);
    OK(rill_stream_synchronize(stream));
    CHECK_INT(count_wrong(stream, x, 7000), 0);
    CHECK(d.exec_destroy(exec) == 0 && d.graph_destroy(graph) == 0);
    OK(rill_close(stage.context));
    CHECK_INT(stand_in_alive_at("module"), 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

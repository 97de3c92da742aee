// Memory that a launch lends to its kernel, and launches that are captured: that of a graph is the graph's alone, and
// goes with it.
#include "cuda/application.h"
#include "ok.h"
#include "stand_in.h"

enum { N = 5000 };

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

static const char text[] = "#include <rill/kernel.h>\n"
                           "kernel void shift(int n, int by, const int a[n], int out[n])\n"
                           "{\n"
                           "    int t[n];\n"
                           "    for (int i = 0; i < n; i++) t[i] = a[i] + by;\n"
                           "    for (int i = 0; i < n; i++) out[i] = t[n - 1 - i];\n"
                           "}\n"
                           "kernel void scatter(int n, int m, const int at[n], int out[m])\n"
                           "{ for (int i = 0; i < n; i++) out[at[i] % m] = i; }\n";

// What an application calls.
static struct {
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **out_graph);
    int (*instantiate)(void **out_exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*exec_destroy)(void *exec);
    int (*graph_destroy)(void *graph);
    int (*retain)(void **out_context, int device);
    int (*release)(int device);
    int (*set_current)(void *context);
} driver;

struct scene {
    rill_context context;
    rill_stream stream;
    void *native;
    rill_kernel shift, scatter;
    rill_array in, out, other;
    int host[N];
};

static void open_scene(struct scene *s)
{
    void *library = use_stand_in();
#define FIND(symbol, result, parameters) *(void **)&symbol##_at = dlsym(library, #symbol);
    STAND_IN_LIST(FIND)
#undef FIND
    *(void **)&driver.begin = dlsym(library, "cuStreamBeginCapture_v2");
    *(void **)&driver.end = dlsym(library, "cuStreamEndCapture");
    *(void **)&driver.instantiate = dlsym(library, "cuGraphInstantiateWithFlags");
    *(void **)&driver.launch = dlsym(library, "cuGraphLaunch");
    *(void **)&driver.exec_destroy = dlsym(library, "cuGraphExecDestroy");
    *(void **)&driver.graph_destroy = dlsym(library, "cuGraphDestroy");
    *(void **)&driver.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&driver.release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    *(void **)&driver.set_current = dlsym(library, "cuCtxSetCurrent");
    void *primary = NULL;
    rill_module module;
    OK(rill_open("cuda:0", NULL, &s->context));
    REQUIRE(driver.retain(&primary, 0) == 0 && driver.set_current(primary) == 0);
    OK(rill_module_create(s->context, text, NULL, &module));
    OK(rill_module_kernel(module, "shift", &s->shift));
    OK(rill_module_kernel(module, "scatter", &s->scatter));
    OK(rill_stream_create(s->context, NULL, &s->stream));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->in));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->out));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->other));
    for (int i = 0; i < N; i++) {
        s->host[i] = (int)((long)i * 48271 % 30011);
    }
    OK(rill_array_write(s->in, s->stream, s->host, sizeof s->host));
}

static void close_scene(struct scene *s)
{
    OK(rill_close(s->context));
    CHECK(driver.set_current(NULL) == 0 && driver.release(0) == 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

static void check_shifted(struct scene *s, rill_array out, int n, int by)
{
    static int got[N];
    int wrong = 0;
    OK(rill_array_read(out, s->stream, got, sizeof got));
    for (int i = 0; i < n; i++) {
        wrong += got[i] != s->host[n - 1 - i] + by;
    }
    CHECK_INT(wrong, 0);
}

static void *capture(struct scene *s, int n, int by)
{
    void *graph = NULL, *exec = NULL;
    REQUIRE(driver.begin(s->native, 0) == 0);
    OK(rill_launch(s->shift, s->stream, RILL_ARGS(n, by, s->in, s->out)));
    OK(rill_launch(s->scatter, s->stream, RILL_ARGS(n, 7, s->in, s->other)));
    REQUIRE(driver.end(s->native, &graph) == 0 && graph != NULL);
    CHECK(driver.instantiate(&exec, graph, 0) == 0 && driver.graph_destroy(graph) == 0);
    return exec;
}

static void check_scattered(struct scene *s, int n)
{
    int got[7], expected[7] = {0};
    for (int i = 0; i < n; i++) {
        expected[s->host[i] % 7] = i;
    }
    OK(rill_array_read_at(s->other, s->stream, 0, got, 7));
    CHECK(memcmp(got, expected, sizeof got) == 0);
}

// A launch of the stream's between two runs of the graph writes other numbers into its memory, and asks for more of it.
TEST(a_graph_keeps_memory_that_no_launch_of_its_stream_gets)
{
    static struct scene s;
    open_scene(&s);
    OK(rill_launch(s.shift, s.stream, RILL_ARGS(10, 1, s.in, s.out)));
    OK(rill_stream_native(s.stream, &s.native));
    void *first = capture(&s, 3000, 5), *second = capture(&s, 2000, 9);
    for (int round = 0; round < 3; round++) {
        CHECK_INT(driver.launch(first, s.native), 0);
        check_shifted(&s, s.out, 3000, 5);
        check_scattered(&s, 3000);
        OK(rill_launch(s.shift, s.stream, RILL_ARGS(1000 + 2000 * round, round, s.in, s.out)));
        check_shifted(&s, s.out, 1000 + 2000 * round, round);
        CHECK_INT(driver.launch(second, s.native), 0);
        check_shifted(&s, s.out, 2000, 9);
        check_scattered(&s, 2000);
    }
    OK(rill_stream_synchronize(s.stream));
    CHECK(driver.exec_destroy(first) == 0 && driver.exec_destroy(second) == 0);
    close_scene(&s);
}

// What the graph has is not the stream's: it runs when the stream is gone.
TEST(a_graph_runs_when_the_stream_that_it_was_captured_from_is_gone)
{
    static struct scene s;
    open_scene(&s);
    rill_stream captured = s.stream;
    OK(rill_stream_native(s.stream, &s.native));
    void *exec = capture(&s, 3000, 5);
    OK(rill_stream_create(s.context, NULL, &s.stream));
    OK(rill_stream_native(s.stream, &s.native));
    OK(rill_stream_destroy(captured));
    OK(rill_context_trim(s.context));
    CHECK_INT(driver.launch(exec, s.native), 0);
    check_shifted(&s, s.out, 3000, 5);
    OK(rill_stream_synchronize(s.stream));
    CHECK(driver.exec_destroy(exec) == 0);
    close_scene(&s);
}

// Regions of many blocks in a capture: each block follows what was captured before the region, and nothing else.
#include "cuda/application.h"
#include "ok.h"
#include "stand_in.h"

enum { BLOCKS = 40, N = 64 };

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

static rill_kernel load_many(rill_context context)
{
    char text[8192];
    rill_module module;
    rill_kernel kernel;
    int length =
        snprintf(text, sizeof text, "#include <rill/kernel.h>\nkernel void many(int n, int x[%d][n])\n{\n", BLOCKS);
    for (int k = 0; k < BLOCKS; k++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "stream_parallel { for (int i = 0; i < n; i++) x[%d][i] = i + %d; }\n", k, k);
    }
    snprintf(text + length, sizeof text - (size_t)length, "}\n");
    OK(rill_module_create(context, text, NULL, &module));
    OK(rill_module_kernel(module, "many", &kernel));
    return kernel;
}

static void check_result(rill_stream stream, rill_array x)
{
    static int got[BLOCKS][N];
    int wrong = 0;
    OK(rill_array_read(x, stream, got, sizeof got));
    for (int k = 0; k < BLOCKS; k++) {
        for (int i = 0; i < N; i++) {
            wrong += got[k][i] != i + k;
        }
    }
    CHECK_INT(wrong, 0);
}

// What an application calls.
static struct {
    int (*begin)(void *stream, int mode);
    int (*end)(void *stream, void **out_graph);
    int (*instantiate)(void **out_exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*exec_destroy)(void *exec);
    int (*graph_destroy)(void *graph);
    int (*retain)(void **out_context, int device); // a graph is made in the current context
    int (*release)(int device);
    int (*set_current)(void *context);
} driver;

static void open_driver(void)
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
}

// A context, and a stream of it that is to be captured.
struct place {
    rill_context context;
    rill_stream stream;
    void *native;
};

static void place_open(struct place *place)
{
    void *primary = NULL;
    open_driver();
    OK(rill_open("cuda:0", NULL, &place->context));
    REQUIRE(driver.retain(&primary, 0) == 0 && driver.set_current(primary) == 0);
    OK(rill_stream_create(place->context, NULL, &place->stream));
    OK(rill_stream_native(place->stream, &place->native));
}

static void place_close(struct place *place)
{
    OK(rill_close(place->context));
    CHECK(driver.set_current(NULL) == 0 && driver.release(0) == 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

// Where blocks run one after the other, nobody says what the capture goes on from.
TEST(forty_blocks_in_a_capture_do_not_follow_each_other)
{
    struct place place;
    rill_array x;
    void *graph = NULL, *exec = NULL;
    place_open(&place);
    rill_kernel many = load_many(place.context);
    OK(rill_array_create(place.context, RILL_I32, RILL_SHAPE(BLOCKS, N), &x));
    long before = stand_in_calls_at("cuStreamUpdateCaptureDependencies");
    REQUIRE(driver.begin(place.native, 0) == 0);
    OK(rill_launch(many, place.stream, RILL_ARGS(N, x)));
    REQUIRE(driver.end(place.native, &graph) == 0 && graph != NULL);
    CHECK_INT(stand_in_calls_at("cuStreamUpdateCaptureDependencies") - before, BLOCKS + 1); // and the join
    CHECK(driver.instantiate(&exec, graph, 0) == 0 && driver.launch(exec, place.native) == 0);
    OK(rill_stream_synchronize(place.stream));
    check_result(place.stream, x);
    CHECK(driver.exec_destroy(exec) == 0 && driver.graph_destroy(graph) == 0);
    place_close(&place);
}

// As outside of a capture: the launch is queued, and its stream has the failure with its words.
TEST(a_broken_restrict_in_a_block_of_a_capture_is_said_as_elsewhere)
{
    static const char text[] = "#include <rill/kernel.h>\n"
                               "kernel void pair(int n, int *restrict a, const int *b, int c[n])\n"
                               "{\n"
                               "    stream_parallel { for (int i = 0; i < n; i++) a[i] = b[i]; }\n"
                               "    stream_parallel { for (int i = 0; i < n; i++) c[i] = i; }\n"
                               "}\n";
    struct place place;
    rill_module module;
    rill_kernel pair;
    rill_array x, y;
    rill_error_info info = {0};
    void *graph = NULL;
    place_open(&place);
    OK(rill_module_create(place.context, text, &(rill_module_options){.check_bounds = true}, &module));
    OK(rill_module_kernel(module, "pair", &pair));
    OK(rill_array_create(place.context, RILL_I32, RILL_SHAPE(N), &x));
    OK(rill_array_create(place.context, RILL_I32, RILL_SHAPE(N), &y));
    REQUIRE(driver.begin(place.native, 0) == 0);
    OK(rill_launch(pair, place.stream, RILL_ARGS(N, x, x, y)));
    REQUIRE(driver.end(place.native, &graph) == 0 && graph != NULL);
    OK(rill_stream_error(place.stream, &info));
    CHECK(info.status != RILL_OK && info.status != RILL_ERR_INTERNAL);
    CHECK(strstr(info.text, "is restrict") != NULL);
    OK(rill_stream_clear_error(place.stream));
    CHECK(driver.graph_destroy(graph) == 0);
    place_close(&place);
}

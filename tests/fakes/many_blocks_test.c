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

// Where blocks run one after the other, nobody says what the capture goes on from.
TEST(forty_blocks_in_a_capture_do_not_follow_each_other)
{
    void *library = use_stand_in();
#define FIND(symbol, result, parameters) *(void **)&symbol##_at = dlsym(library, #symbol);
    STAND_IN_LIST(FIND)
#undef FIND
    int (*begin)(void *, int), (*end)(void *, void **), (*instantiate)(void **, void *, unsigned long long);
    int (*launch)(void *, void *), (*exec_destroy)(void *), (*graph_destroy)(void *);
    *(void **)&begin = dlsym(library, "cuStreamBeginCapture_v2");
    *(void **)&end = dlsym(library, "cuStreamEndCapture");
    *(void **)&instantiate = dlsym(library, "cuGraphInstantiateWithFlags");
    *(void **)&launch = dlsym(library, "cuGraphLaunch");
    *(void **)&exec_destroy = dlsym(library, "cuGraphExecDestroy");
    *(void **)&graph_destroy = dlsym(library, "cuGraphDestroy");
    int (*retain)(void **, int), (*release)(int), (*set_current)(void *); // a graph is made in the current context
    *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    *(void **)&set_current = dlsym(library, "cuCtxSetCurrent");
    rill_context context;
    rill_array x;
    rill_stream stream;
    void *primary = NULL;
    void *native = NULL, *graph = NULL, *exec = NULL;
    OK(rill_open("cuda:0", NULL, &context));
    REQUIRE(retain(&primary, 0) == 0 && set_current(primary) == 0);
    rill_kernel many = load_many(context);
    OK(rill_array_create(context, RILL_I32, RILL_SHAPE(BLOCKS, N), &x));
    OK(rill_stream_create(context, NULL, &stream));
    OK(rill_stream_native(stream, &native));
    long before = stand_in_calls_at("cuStreamUpdateCaptureDependencies");
    REQUIRE(begin(native, 0) == 0);
    OK(rill_launch(many, stream, RILL_ARGS(N, x)));
    REQUIRE(end(native, &graph) == 0 && graph != NULL);
    CHECK_INT(stand_in_calls_at("cuStreamUpdateCaptureDependencies") - before, BLOCKS + 1); // and the join
    CHECK(instantiate(&exec, graph, 0) == 0 && launch(exec, native) == 0);
    OK(rill_stream_synchronize(stream));
    check_result(stream, x);
    CHECK(exec_destroy(exec) == 0 && graph_destroy(graph) == 0);
    OK(rill_close(context));
    CHECK(set_current(NULL) == 0 && release(0) == 0);
    CHECK_INT(stand_in_violations_at(), 0);
}

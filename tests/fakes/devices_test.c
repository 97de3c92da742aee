// Devices of the stand-in: several of them, by every name; what the driver compiles; what an old or a small driver
// lacks; memory without pools; a driver that is gone before the program is.
#include "cuda/application.h"
#include "form.h"
#include "ok.h"
#include "stand_in.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n"
    "kernel int sum(int n, const int x[n]) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "#pragma rill single\n"
    "kernel void hold(volatile int flag[1]) { while (flag[0] == 0) { } }\n";

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

static int (*get_current)(cu_context *out);
static int (*set_current)(cu_context context);

static void open_fake(void)
{
    if (getenv("FAKE_CUDA_DEVICES") == NULL) {
        setenv("FAKE_CUDA_DEVICES", "3", 1);
    }
    void *library = use_stand_in();
#define FIND(symbol, result, parameters) *(void **)&symbol##_at = dlsym(library, #symbol);
    STAND_IN_LIST(FIND)
#undef FIND
    *(void **)&get_current = dlsym(library, "cuCtxGetCurrent");
    *(void **)&set_current = dlsym(library, "cuCtxSetCurrent");
}

struct place {
    rill_context context;
    rill_module module;
    rill_stream stream;
    rill_array x;
};

enum { N = 100 };

static void place_open(struct place *place, const char *device)
{
    *place = (struct place){.context = {0}};
    OK(rill_open(device, NULL, &place->context));
    OK(rill_module_create(place->context, source, NULL, &place->module));
    OK(rill_stream_create(place->context, NULL, &place->stream));
    OK(rill_array_create(place->context, RILL_I32, RILL_SHAPE(N), &place->x));
}

static rill_kernel kernel_of(const struct place *place, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(place->module, name, &kernel));
    return kernel;
}

static void works(const struct place *place)
{
    int sum = 0;
    int before = 0;
    OK(rill_call(kernel_of(place, "sum"), place->stream, RILL_ARGS(N, place->x), &before, sizeof before));
    OK(rill_launch(kernel_of(place, "add"), place->stream, RILL_ARGS(N, 3, place->x)));
    OK(rill_call(kernel_of(place, "sum"), place->stream, RILL_ARGS(N, place->x), &sum, sizeof sum));
    CHECK_INT(sum - before, 3 * N);
}

// Runs the test |name| of this program again, in a process with other settings. Whether it passed.
static bool passes_with(const char *settings, const char *name)
{
    char self[512] = "";
    char command[1024];
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "env INSIDE=1 %s %s %s > /dev/null", settings, self, name);
    int status = system(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_inside(void)
{
    return getenv("INSIDE") != NULL;
}

TEST(devices_are_found_by_number_uuid_and_pci_id)
{
    open_fake();
    static const struct {
        const char *name;
        const char *device;
    } names[] = {
        {"cuda", "cuda:0"},
        {"cuda:2", "cuda:2"},
        {"cuda:0000:02:00.0", "cuda:1"},
        {"cuda:0000:01:00.0", "cuda:0"},
        {"cuda:GPU-fb0c1d2e-3f50-6172-8394-a5b6c7d8e9fa", "cuda:1"},
        {"cuda:gpu-FA0B1C2D-3E4F-6071-8293-A4B5C6D7E8F9", "cuda:0"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rill_context context = {0};
        const char *device = "";
        OK(rill_open(names[i].name, NULL, &context));
        OK(rill_context_device(context, &device));
        CHECK_STR(device, names[i].device);
        OK(rill_close(context));
    }
    rill_context none = {0};
    CHECK_INT(rill_open("cuda:3", NULL, &none), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "cuda:0, cuda:1, cuda:2");
    CHECK_INT(rill_open("cuda:GPU-00000000", NULL, &none), RILL_ERR_NO_DEVICE);
    CHECK_INT(stand_in_violations_at(), 0);
}

TEST(arrays_go_from_device_to_device)
{
    open_fake();
    struct place places[3];
    place_open(&places[0], "cuda:0");
    place_open(&places[1], "cuda:2");
    place_open(&places[2], "cpu");
    int host[N];
    for (int i = 0; i < N; i++) {
        host[i] = 7 * i;
    }
    OK(rill_array_write(places[0].x, places[0].stream, host, sizeof host));
    for (int step = 0; step < 3; step++) { // to the other device, to the CPU, and back to the first
        struct place *from = &places[step];
        struct place *to = &places[(step + 1) % 3];
        OK(rill_launch(kernel_of(from, "add"), from->stream, RILL_ARGS(N, 1, from->x)));
        OK(rill_array_transfer(to->x, to->stream, from->x, from->stream));
    }
    OK(rill_array_read(places[0].x, places[0].stream, host, sizeof host));
    for (int i = 0; i < N; i++) {
        CHECK_INT(host[i], 7 * i + 3);
    }
    CHECK(stand_in_calls_at("cuMemcpyPeerAsync") == 1);
    stand_in_fail_at("cuMemcpyPeerAsync", 1, 801); // through the host then
    OK(rill_array_transfer(places[1].x, places[1].stream, places[0].x, places[0].stream));
    OK(rill_array_read(places[1].x, places[1].stream, host, sizeof host));
    CHECK_INT(host[N - 1], 7 * (N - 1) + 3);
    rill_array small = {0};
    OK(rill_array_create(places[0].context, RILL_I32, RILL_SHAPE(N - 1), &small));
    CHECK_INT(rill_array_transfer(small, places[0].stream, places[1].x, places[1].stream), RILL_ERR_INVALID);
    CHECK_INT(rill_array_transfer(places[0].x, places[1].stream, places[1].x, places[1].stream), RILL_ERR_FOREIGN);
    OK(rill_array_transfer(places[0].x, places[0].stream, places[0].x, places[0].stream));
    for (int i = 0; i < 3; i++) {
        OK(rill_close(places[i].context));
    }
    CHECK_INT(stand_in_violations_at(), 0);
}

// The compile of the driver, which takes most of the time of a load, is done once for a text and an architecture.
TEST(what_the_driver_compiles_is_compiled_once)
{
    open_fake();
    long before = stand_in_calls_at("cuLinkComplete");
    static const char *const devices[] = {"cuda:0", "cuda:1", "cuda:0"};
    for (int i = 0; i < 3; i++) {
        rill_context context = {0};
        OK(rill_open(devices[i], NULL, &context));
        for (int k = 0; k < 2; k++) {
            rill_module module = {0};
            OK(rill_module_create(context, "#include <rill/kernel.h>\nkernel int two(void) { return 2; }\n", NULL,
                                  &module));
            rill_kernel two = {0};
            int found = 0;
            OK(rill_module_kernel(module, "two", &two));
            OK(rill_call(two, rill_default_stream(context), (rill_args){0}, &found, sizeof found));
            CHECK_INT(found, 2);
            OK(rill_module_destroy(module));
        }
        OK(rill_close(context));
    }
    CHECK_INT(stand_in_calls_at("cuLinkComplete") - before, 1);
    CHECK_INT(stand_in_alive_at("link"), 0);
}

TEST(compiling_may_fail_anywhere_and_is_tried_again)
{
    open_fake();
    static const char *const calls[] = {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy",
                                        "cuModuleLoadDataEx"};
    rill_context context = {0};
    OK(rill_open("cuda:0", NULL, &context));
    for (int i = 0; i < 5; i++) {
        char text[128];
        snprintf(text, sizeof text, "#include <rill/kernel.h>\nkernel int number(void) { return %d; }\n", i);
        rill_module module = {0};
        stand_in_fail_at(calls[i], 1, 2);
        rill_status status = rill_module_create(context, text, NULL, &module);
        CHECK(i == 3 ? status == RILL_OK : status == RILL_ERR_OUT_OF_MEMORY);
        OK(status == RILL_OK ? RILL_OK : rill_module_create(context, text, NULL, &module));
        CHECK_INT(stand_in_alive_at("link"), 0);
    }
    OK(rill_close(context));
    CHECK_INT(stand_in_violations_at(), 0);
}

TEST(capabilities_are_what_the_driver_has)
{
    open_fake();
    static const char *const devices[] = {"cuda:0", "cpu"};
    for (int i = 0; i < 2; i++) {
        rill_context context = {0};
        OK(rill_open(devices[i], NULL, &context));
        static const rill_capability capabilities[] = {RILL_CAPABILITY_GRAPHS, RILL_CAPABILITY_POOLS,
                                                       RILL_CAPABILITY_BINARIES, RILL_CAPABILITY_PEERS};
        for (int k = 0; k < 4; k++) {
            bool has = i != 0;
            OK(rill_context_has(context, capabilities[k], &has));
            bool is_off = capabilities[k] == RILL_CAPABILITY_POOLS && getenv("FAKE_CUDA_ATTRIBUTE") != NULL;
            CHECK(has == (i == 0 && !is_off));
        }
        bool has;
        CHECK_INT(rill_context_has(context, (rill_capability)99, &has), RILL_ERR_INVALID);
        OK(rill_close(context));
    }
    if (!is_inside()) {
        CHECK(passes_with("FAKE_CUDA_ATTRIBUTE=115:0", "capabilities_are"));
    }
}

// Makes arrays, uses and destroys them.
static void churn(const struct place *place, rill_stream stream)
{
    for (int round = 0; round < 20; round++) {
        rill_array array = {0};
        int count = 10000 + round;
        OK(rill_array_create(place->context, RILL_I32, RILL_SHAPE(count), &array));
        OK(rill_launch(kernel_of(place, "add"), stream, RILL_ARGS(count, 1, array)));
        OK(rill_array_destroy(array));
        OK(rill_stream_synchronize(stream));
    }
}

// A device without pools would stop at each free: nothing is given to the driver while something runs.
TEST(memory_without_pools_is_freed_without_stopping)
{
    if (!is_inside()) {
        CHECK(passes_with("FAKE_CUDA_ATTRIBUTE=115:0", "freed_without"));
        return;
    }
    open_fake();
    struct place place;
    place_open(&place, "cuda:0");
    rill_stream other = {0};
    OK(rill_stream_create(place.context, NULL, &other));
    rill_array flag = {0};
    OK(rill_array_create(place.context, RILL_I32, RILL_SHAPE(1), &flag));
    OK(rill_launch(kernel_of(&place, "hold"), place.stream, RILL_ARGS(flag)));
    long frees = stand_in_calls_at("cuMemFree_v2");
    churn(&place, other);
    for (int n = 1; n <= 12; n++) { // an event that cannot be recorded does not make it a free by the driver
        static int host[1000];
        stand_in_fail_at("cuEventRecord", n, 2);
        (void)(rill_launch(kernel_of(&place, "add"), other, RILL_ARGS(1000, 1, RILL_HOST(host, 1000))) == RILL_OK);
        (void)(rill_stream_synchronize(other) == RILL_OK);
        stand_in_fail_at("", 0, 0);
    }
    CHECK_INT(stand_in_calls_at("cuMemFree_v2"), frees);
    int one = 1;
    OK(rill_array_write(flag, other, &one, sizeof one));
    OK(rill_stream_synchronize(place.stream));
    long allocs = stand_in_calls_at("cuMemAlloc_v2");
    churn(&place, other);
    CHECK(stand_in_calls_at("cuMemAlloc_v2") - allocs <= 2); // what was freed is used again
    CHECK_INT(stand_in_calls_at("cuMemFree_v2"), frees);
    works(&place);
    OK(rill_close(place.context));
    CHECK(stand_in_calls_at("cuMemFree_v2") > frees);
    CHECK_INT(stand_in_violations_at(), 0);
}

TEST(memory_without_pools_is_found_again_when_there_is_no_more)
{
    if (!is_inside()) {
        CHECK(passes_with("FAKE_CUDA_ATTRIBUTE=115:0 FAKE_CUDA_MEMORY=67108864", "no_more"));
        return;
    }
    open_fake();
    rill_context context = {0};
    OK(rill_open("cuda:0", NULL, &context));
    for (int i = 0; i < 40; i++) { // each of another size, and together more than there is
        rill_array array = {0};
        OK(rill_array_create(context, RILL_I8, RILL_SHAPE(1000000 * (i % 20 + 1)), &array));
        OK(rill_array_destroy(array));
    }
    OK(rill_close(context));
    CHECK_INT(stand_in_violations_at(), 0);
}

static void *call_from_a_thread(void *arg)
{
    const struct place *place = arg;
    cu_context before = NULL;
    CHECK_INT(get_current(&before), 0);
    CHECK(before == NULL);
    works(place);
    CHECK_INT(get_current(&before), 0);
    CHECK(before == NULL);
    return NULL;
}

// Whatever the calling thread had made current, on any thread, it finds again.
TEST(the_callers_context_is_restored_in_every_thread)
{
    open_fake();
    struct place first;
    struct place second;
    place_open(&first, "cuda:0");
    place_open(&second, "cuda:1");
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, call_from_a_thread, &first), 0);
    pthread_join(thread, NULL);
    cu_context own = NULL;
    cu_context found = NULL;
    void *library = dlopen(STAND_IN_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    int (*retain)(cu_context *out, int device);
    int (*release)(int device);
    *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&release = dlsym(library, "cuDevicePrimaryCtxRelease_v2");
    CHECK_INT(retain(&own, 2), 0);
    CHECK_INT(set_current(own), 0);
    works(&first);
    works(&second);
    OK(rill_array_transfer(first.x, first.stream, second.x, second.stream));
    OK(rill_close(first.context));
    OK(rill_close(second.context));
    CHECK_INT(get_current(&found), 0);
    CHECK(found == own);
    CHECK_INT(set_current(NULL), 0);
    CHECK_INT(release(2), 0);
    CHECK_INT(stand_in_violations_at(), 0);
    dlclose(library);
}

// The PTX asks for the version that the driver takes; a driver of CUDA 11.8 has neither all functions nor the newest
// PTX.
TEST(an_old_driver_gets_what_it_takes)
{
    open_fake();
    struct place place;
    place_open(&place, "cuda:0");
    works(&place);
    OK(rill_close(place.context));
    CHECK_INT(stand_in_violations_at(), 0);
    if (!is_inside()) {
        CHECK(passes_with("FAKE_CUDA_VERSION=11080", "an_old_driver_gets"));
        CHECK(passes_with("FAKE_CUDA_VERSION=12000", "an_old_driver_gets"));
        CHECK(passes_with("FAKE_CUDA_VERSION=12020", "an_old_driver_gets"));
    }
}

TEST(a_profiler_sees_a_range_for_each_launch)
{
    if (!is_inside()) {
        CHECK(passes_with("RILL_NVTX=1 NVTX_INJECTION64_PATH=" RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so",
                          "a_profiler_sees"));
        return;
    }
    open_fake();
    struct place place;
    place_open(&place, "cuda:0");
    works(&place);
    CHECK_INT(stand_in_calls_at("nvtxRangePushA"), 3);
    CHECK_INT(stand_in_calls_at("nvtxRangePop"), 3);
    OK(rill_close(place.context));
}

static struct place left;

static void close_late(void)
{
    rill_status status = rill_close(left.context);
    if (status != RILL_OK) {
        fprintf(stderr, "closing without a driver: %s\n", rill_message());
        _exit(1);
    }
}

// Handlers that were registered before the driver was loaded run after it has gone.
TEST(a_driver_that_is_gone_at_exit_is_no_error)
{
    if (!is_inside()) {
        CHECK(passes_with("", "gone_at_exit"));
        return;
    }
    CHECK_INT(atexit(close_late), 0);
    open_fake();
    place_open(&left, "cuda:0");
    works(&left);
    rill_array gone_with_it;
    OK(rill_array_create(left.context, RILL_I32, RILL_SHAPE(N), &gone_with_it));
    for (int i = 0; i < 20; i++) { // and nobody waits for them
        OK(rill_launch(kernel_of(&left, "add"), left.stream, RILL_ARGS(N, i, gone_with_it)));
    }
    OK(rill_array_destroy(gone_with_it));
}

// The child's exit runs the driver's handlers. Whether its threads waited when the process forked depends on the
// moment.
TEST(a_forked_child_exits_though_threads_of_the_driver_waited)
{
    open_fake();
    struct place place;
    place_open(&place, "cuda:0");
    int element = 1;
    rill_array array;
    OK(rill_array_create(place.context, RILL_I32, RILL_SHAPE(N), &array));
    int rounds = form_is_sanitized() && !form_is_long() ? 40 : 250; // a process with a sanitizer takes long to exit
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 5; i++) {
            OK(rill_array_fill(array, place.stream, &element, sizeof element));
        }
        if (round % 2 != 0) {
            OK(rill_sync(place.context));
        }
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            exit(0);
        }
        int status = 0;
        CHECK_INT(waitpid(child, &status, 0), child);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    OK(rill_close(place.context));
}

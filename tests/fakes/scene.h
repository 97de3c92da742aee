// A stand-in, and a context on it with what tests use: for programs that run the same on each of them.
#ifndef RILL_TESTS_FAKES_SCENE_H
#define RILL_TESTS_FAKES_SCENE_H

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
    "struct ends { int first, last, sum; };\n"
    "kernel struct ends ends(int n, const int x[n])\n"
    "{\n"
    "    struct ends e = {x[0], x[n - 1], 0};\n"
    "    for (int i = 0; i < n; i++) e.sum += x[i];\n"
    "    return e;\n"
    "}\n"
    "kernel void own(int n, int x[n])\n"
    "{\n"
    "    int t[n];\n"
    "    for (int i = 0; i < n; i++) t[i] = x[i];\n"
    "    for (int i = 0; i < n; i++) x[i] = t[n - 1 - i] + 1;\n"
    "}\n"
    "kernel void count(int n) { for (int i = 0; i < n; i++) counter[i % 4] += 1; }\n"
    "kernel void talk(int n) { for (int i = 0; i < n; i++) printf(\"%d \", i); }\n"
    "kernel void say(int n) { for (int i = n; i <= n; i++) printf(\"<%d>\", i); }\n"
    "kernel void checked(int n, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] < 1000000); }\n";

enum { N = 64 };

#define FAKE_MEMBER(symbol, result, parameters) static result(*symbol##_at) parameters;
STAND_IN_LIST(FAKE_MEMBER)
#undef FAKE_MEMBER

// A stand-in, and how it is used.
struct vendor {
    const char *library;
    const char *variable; // that names it
    const char *device;
    const char *far;     // another device
    const char *unknown; // what an unknown error is called
    const char *illegal; // what an illegal address is called
    bool recovers;       // a device that was lost works again once nobody uses it
    const char *enters;  // makes a device or its context the thread's current one
    const char *begin_capture;
    const char *end_capture;
    const char *graph_destroy;
    const char *event_record;
    const char *event_query;
    const char *event_synchronize;
    const char *wait_value;
    const char *host_function;
    const char *host_alloc;
    const char *host_free;
    const char *memory_alloc;
    const char *set; // bytes
    const char *stream_synchronize;
    const char *attribute; // the variable that sets an attribute of a device
    const char *no_pools;  // and what it is without pools
    const char *memory;    // the variable that sets how many bytes of memory a device has
};

#define VENDOR_CUDA                                                                                                    \
    {                                                                                                                  \
        .library = RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so",                                                      \
        .variable = "RILL_CUDA_LIBRARY",                                                                               \
        .device = "cuda:0",                                                                                            \
        .far = "cuda:1",                                                                                               \
        .unknown = "CUDA_ERROR_UNKNOWN",                                                                               \
        .illegal = "CUDA_ERROR_ILLEGAL_ADDRESS",                                                                       \
        .recovers = true,                                                                                              \
        .enters = "cuCtxSetCurrent",                                                                                   \
        .begin_capture = "cuStreamBeginCapture_v2",                                                                    \
        .end_capture = "cuStreamEndCapture",                                                                           \
        .graph_destroy = "cuGraphDestroy",                                                                             \
        .event_record = "cuEventRecord",                                                                               \
        .event_query = "cuEventQuery",                                                                                 \
        .event_synchronize = "cuEventSynchronize",                                                                     \
        .wait_value = "cuStreamWaitValue32_v2",                                                                        \
        .host_function = "cuLaunchHostFunc",                                                                           \
        .host_alloc = "cuMemHostAlloc",                                                                                \
        .host_free = "cuMemFreeHost",                                                                                  \
        .memory_alloc = "cuMemAlloc_v2",                                                                               \
        .set = "cuMemsetD8Async",                                                                                      \
        .stream_synchronize = "cuStreamSynchronize",                                                                   \
        .attribute = "FAKE_CUDA_ATTRIBUTE",                                                                            \
        .no_pools = "115:0",                                                                                           \
        .memory = "FAKE_CUDA_MEMORY",                                                                                  \
    }
#define VENDOR_HIP                                                                                                     \
    {                                                                                                                  \
        .library = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so",                                                       \
        .variable = "RILL_HIP_LIBRARY",                                                                                \
        .device = "amdgpu:0",                                                                                          \
        .far = "amdgpu:1",                                                                                             \
        .unknown = "hipErrorUnknown",                                                                                  \
        .illegal = "hipErrorIllegalAddress",                                                                           \
        .recovers = false,                                                                                             \
        .enters = "hipSetDevice",                                                                                      \
        .begin_capture = "hipStreamBeginCapture",                                                                      \
        .end_capture = "hipStreamEndCapture",                                                                          \
        .graph_destroy = "hipGraphDestroy",                                                                            \
        .event_record = "hipEventRecord",                                                                              \
        .event_query = "hipEventQuery",                                                                                \
        .event_synchronize = "hipEventSynchronize",                                                                    \
        .wait_value = "hipStreamWaitValue32",                                                                          \
        .host_function = "hipLaunchHostFunc",                                                                          \
        .host_alloc = "hipHostMalloc",                                                                                 \
        .host_free = "hipHostFree",                                                                                    \
        .memory_alloc = "hipMalloc",                                                                                   \
        .set = "hipMemsetD8Async",                                                                                     \
        .stream_synchronize = "hipStreamSynchronize",                                                                  \
        .attribute = "FAKE_HIP_ATTRIBUTE",                                                                             \
        .no_pools = "88:0",                                                                                            \
        .memory = "FAKE_HIP_MEMORY",                                                                                   \
    }
static const struct vendor vendor; // the program says which

static inline void open_fake(void)
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

struct scene {
    rill_context context;
    rill_module module;
    rill_stream stream, other;
    rill_array x, y;
    void *library;      // the stand-in
    rill_stream known;  // its handle was given out
    void *native;       //
    rill_context far;   // another device's
    rill_array far_x;   //
    char printed[8192]; // by kernels; what does not fit is dropped
    size_t printed_size;
};

// Called by one thread at a time.
static inline void take_print(void *user, const char *text, size_t length)
{
    struct scene *s = user;
    size_t room = sizeof s->printed - 1 - s->printed_size;
    length = length < room ? length : room;
    memcpy(s->printed + s->printed_size, text, length);
    s->printed_size += length;
}

static inline void ignore_log(void *user, rill_log_level level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static inline rill_status open_scene_of(struct scene *s, const char *text)
{
    memset(s, 0, sizeof *s);
    rill_open_options options = {.print = take_print, .print_user = s, .log = ignore_log};
    RILL_TRY(rill_open(vendor.device, &options, &s->context));
    RILL_TRY(rill_module_create(s->context, text, NULL, &s->module));
    RILL_TRY(rill_stream_create(s->context, NULL, &s->stream));
    RILL_TRY(rill_stream_create(s->context, NULL, &s->other));
    RILL_TRY(rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->x));
    return rill_array_create(s->context, RILL_I32, RILL_SHAPE(N), &s->y);
}

static inline rill_status open_scene(struct scene *s)
{
    return open_scene_of(s, source);
}

// With a stream that others know, and another device.
static inline rill_status open_wide_scene(struct scene *s)
{
    RILL_TRY(open_scene(s));
    s->library = dlopen(vendor.library, RTLD_NOW | RTLD_LOCAL);
    RILL_TRY(rill_stream_create(s->context, NULL, &s->known));
    RILL_TRY(rill_stream_native(s->known, &s->native));
    RILL_TRY(rill_open(vendor.far, &(rill_open_options){.log = ignore_log}, &s->far));
    return rill_array_create(s->far, RILL_I32, RILL_SHAPE(N), &s->far_x);
}

static inline rill_kernel kernel_of(struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    (void)!rill_module_kernel(s->module, name, &kernel);
    return kernel;
}

// The first failure counts, with its words; what was made goes either way.
static char first_words[1024];

static inline rill_status first_of(rill_status status, rill_status next)
{
    if (status == RILL_OK && next != RILL_OK) {
        snprintf(first_words, sizeof first_words, "%s", rill_message());
    }
    return status != RILL_OK ? status : next;
}

#endif

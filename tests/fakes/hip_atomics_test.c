// Atomic updates of memory that is not the device's own, on the stand-in of an AMD GPU: the version of a task that
// holds there is taken, task by task, with graphs, in blocks, through helpers and from a capture. The stand-in ends
// the process if an atomic of the hardware runs in the host's, in managed or in fine-grained memory; here that is a
// test of its own.
#include "ok.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "static void put(float *s, double *d, int at) { rill_atomic_add(&s[at], 1.0f); rill_atomic_add(&d[at], 2.0); }\n"
    "kernel void sums(int n, const int k[n], float s[8], double d[8], int c[8])\n"
    "{ for (int i = 0; i < n; i++) { s[k[i] & 7] += 1.0f; d[k[i] & 7] += 2.0; c[k[i] & 7] -= 1; } }\n"
    "kernel void helped(int n, const int k[n], float s[8], double d[8], int c[8])\n"
    "{\n"
    "#pragma rill parallel\n"
    "    for (int i = 0; i < n; i++) { put(s, d, k[i] & 7); rill_atomic_sub(&c[k[i] & 7], 1); }\n"
    "}\n"
    "kernel void once(int n, const int k[n], float s[8], double d[8], int c[8])\n"
    "{ for (int r = 0; r < n; r++) { rill_atomic_add(&s[k[r] & 7], 1.0f); rill_atomic_add(&d[k[r] & 7], 2.0);\n"
    "  c[k[r] & 7] = c[k[r] & 7] - 1; } }\n"
    "kernel void blocks(int n, const int k[n], float s[8], double d[8], int c[8])\n"
    "{\n"
    "    stream_parallel\n"
    "    { for (int i = 0; i < n / 2; i++) { s[k[i] & 7] += 1.0f; d[k[i] & 7] += 2.0; c[k[i] & 7] -= 1; } }\n"
    "    stream_parallel\n"
    "    { for (int i = n / 2; i < n; i++) { s[k[i] & 7] += 1.0f; d[k[i] & 7] += 2.0; c[k[i] & 7] -= 1; } }\n"
    "}\n";

enum { N = 4000, BINS = 8, ROUNDS = 6 };

struct world {
    rill_context context;
    rill_module module;
    rill_stream stream;
    rill_array k;
    int (*host_alloc)(void **, size_t, unsigned);
    int (*host_free)(void *);
    int (*managed_alloc)(void **, size_t, unsigned);
    int (*flagged_alloc)(void **, size_t, unsigned);
    int (*device_alloc)(void **, size_t);
    int (*device_free)(void *);
};

static void world_open(struct world *world)
{
    static const char hip[] = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so";
    int numbers[N];
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
    }
    setenv("RILL_HIP_LIBRARY", hip, 1);
    setenv("RILL_STAND_IN", "1", 1);
    void *library = dlopen(hip, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    *(void **)&world->host_alloc = dlsym(library, "hipHostMalloc");
    *(void **)&world->host_free = dlsym(library, "hipHostFree");
    *(void **)&world->managed_alloc = dlsym(library, "hipMallocManaged");
    *(void **)&world->flagged_alloc = dlsym(library, "hipExtMallocWithFlags");
    *(void **)&world->device_alloc = dlsym(library, "hipMalloc");
    *(void **)&world->device_free = dlsym(library, "hipFree");
    OK(rill_open("amdgpu:0", NULL, &world->context));
    OK(rill_module_create(world->context, source, NULL, &world->module));
    world->stream = rill_default_stream(world->context);
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(N), &world->k));
    OK(rill_array_write(world->k, world->stream, numbers, sizeof numbers));
}

struct bins {
    double d[BINS];
    float s[BINS];
    int c[BINS];
};

static void launch_on(const struct world *world, const char *name, struct bins *bins, int rounds)
{
    rill_kernel kernel;
    OK(rill_module_kernel(world->module, name, &kernel));
    for (int r = 0; r < rounds; r++) {
        OK(rill_launch(
            kernel, world->stream,
            RILL_ARGS(N, world->k, RILL_PTR(bins->s, BINS), RILL_PTR(bins->d, BINS), RILL_PTR(bins->c, BINS))));
    }
    OK(rill_stream_synchronize(world->stream));
}

static void check(const struct bins *bins, int rounds)
{
    for (int i = 0; i < BINS; i++) {
        CHECK(bins->s[i] == (float)(rounds * N / BINS));
        CHECK(bins->d[i] == 2.0 * rounds * N / BINS);
        CHECK_INT(bins->c[i], -rounds * N / BINS);
    }
}

static const char *const kernels[] = {"sums", "helped", "once", "blocks"};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static void run_all(const char *graphs)
{
    struct world world;
    setenv("RILL_GRAPH", graphs, 1);
    world_open(&world);
    for (int i = 0; i < 3 * KERNELS; i++) {
        struct bins *bins = NULL;
        int (*allocs[])(void **, size_t, unsigned) = {world.host_alloc, world.managed_alloc, world.flagged_alloc};
        CHECK_INT(allocs[i / KERNELS]((void **)&bins, sizeof *bins, i / KERNELS == 2), 0);
        memset(bins, 0, sizeof *bins);
        launch_on(&world, kernels[i % KERNELS], bins, ROUNDS);
        check(bins, ROUNDS);
        CHECK_INT((i < KERNELS ? world.host_free : world.device_free)(bins), 0);
    }
    OK(rill_close(world.context));
}

TEST(updates_of_the_hosts_of_managed_and_of_fine_grained_memory_hold_task_by_task)
{
    run_all("off");
}

TEST(updates_of_the_hosts_of_managed_and_of_fine_grained_memory_hold_with_graphs)
{
    run_all("on");
}

// The recording of a launch over the device's memory is not replayed for the host's, nor the other way round.
TEST(a_launch_takes_the_version_of_the_memory_it_is_given_each_time)
{
    struct world world;
    struct bins *pinned = NULL, *own = NULL, got;
    rill_array bytes;
    void *address;
    setenv("RILL_GRAPH", "on", 1);
    world_open(&world);
    CHECK_INT(world.host_alloc((void **)&pinned, sizeof *pinned, 0), 0);
    memset(pinned, 0, sizeof *pinned);
    OK(rill_array_create(world.context, RILL_I8, RILL_SHAPE(sizeof got), &bytes));
    OK(rill_array_address(bytes, &address));
    own = address;
    for (int r = 0; r < ROUNDS; r++) {
        launch_on(&world, "sums", pinned, 1);
        launch_on(&world, "sums", own, 1);
    }
    OK(rill_array_read(bytes, world.stream, &got, sizeof got));
    check(pinned, ROUNDS);
    check(&got, ROUNDS);
    OK(rill_close(world.context));
    CHECK_INT(world.host_free(pinned), 0);
}

// Memory that others have made is the device's own too, unless it is said that nothing can be trusted.
TEST(memory_of_the_device_is_updated_by_its_hardware)
{
    struct world world;
    struct bins *bins = NULL, got;
    world_open(&world);
    long (*calls)(const char *);
    *(void **)&calls = dlsym(dlopen(RILL_BUILD_DIR "/tests/fakes/libfake_hip.so", RTLD_NOW), "stand_in_calls");
    REQUIRE(calls != NULL);
    CHECK_INT(world.device_alloc((void **)&bins, sizeof *bins), 0);
    memset(bins, 0, sizeof *bins);
    long before = calls("rill_stand_in_atomic");
    launch_on(&world, "sums", bins, 1);
    CHECK(calls("rill_stand_in_atomic") > before);
    memcpy(&got, bins, sizeof got);
    check(&got, 1);
    OK(rill_close(world.context));
    setenv("RILL_ATOMICS", "anywhere", 1);
    world_open(&world);
    before = calls("rill_stand_in_atomic");
    memset(bins, 0, sizeof *bins);
    launch_on(&world, "sums", bins, 1);
    CHECK(calls("rill_stand_in_atomic") == before);
    check(bins, 1);
    CHECK_INT(world.device_free(bins), 0);
    OK(rill_close(world.context));
}

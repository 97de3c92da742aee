// Devices of both vendors in one process, on their stand-ins: by every name, side by side, and arrays that go from one
// to the other; the calling thread's device is left as it was.
#include "ok.h"

#include <dlfcn.h>
#include <unistd.h>

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void add(int n, int by, int x[n]) { for (int i = 0; i < n; i++) x[i] += by; }\n";

enum { N = 100 };

static int (*get_device)(int *out);
static int (*set_device)(int device);
static void (*fail_call)(const char *name, long n, int code);

static void open_fakes(void)
{
    static const char cuda[] = RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so";
    static const char hip[] = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so";
    setenv("RILL_CUDA_LIBRARY", cuda, 1);
    setenv("RILL_HIP_LIBRARY", hip, 1);
    setenv("RILL_STAND_IN", "1", 1);
    void *library = dlopen(hip, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    *(void **)&get_device = dlsym(library, "hipGetDevice");
    *(void **)&set_device = dlsym(library, "hipSetDevice");
    *(void **)&fail_call = dlsym(library, "stand_in_fail");
}

struct place {
    rill_context context;
    rill_kernel add;
    rill_array x;
};

static void place_open(struct place *place, const char *device)
{
    rill_module module;
    *place = (struct place){.context = {0}};
    OK(rill_open(device, NULL, &place->context));
    OK(rill_module_create(place->context, source, NULL, &module));
    OK(rill_module_kernel(module, "add", &place->add));
    OK(rill_array_create(place->context, RILL_I32, RILL_SHAPE(N), &place->x));
}

static void add(struct place *place, int by)
{
    OK(rill_launch(place->add, rill_default_stream(place->context), RILL_ARGS(N, by, place->x)));
}

static int last_of(struct place *place)
{
    int host[N] = {0};
    OK(rill_array_read(place->x, rill_default_stream(place->context), host, sizeof host));
    return host[N - 1];
}

TEST(amd_devices_are_found_by_number_alias_id_and_pci)
{
    open_fakes();
    static const char *const names[][2] = {{"amdgpu", "amdgpu:0"},
                                           {"amdgpu:1", "amdgpu:1"},
                                           {"hip", "amdgpu:0"},
                                           {"hip:1", "amdgpu:1"},
                                           {"amdgpu:0000:02:00.0", "amdgpu:1"},
                                           {"hip:GPU-fa4e000000000001", "amdgpu:1"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rill_context context;
        const char *name = NULL;
        OK(rill_open(names[i][0], NULL, &context));
        OK(rill_context_device(context, &name));
        CHECK_STR(name, names[i][1]);
        OK(rill_close(context));
    }
    rill_context context;
    CHECK_INT(rill_open("amdgpu:7", NULL, &context), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "amdgpu:1");
}

TEST(both_vendors_and_the_cpu_work_side_by_side_and_give_arrays_to_each_other)
{
    static const char *const devices[] = {"cuda:0", "amdgpu:0", "amdgpu:1", "cpu"};
    enum { COUNT = sizeof devices / sizeof devices[0] };
    struct place places[COUNT];
    open_fakes();
    for (int i = 0; i < COUNT; i++) {
        place_open(&places[i], devices[i]);
    }
    int expected = 0;
    for (int i = 0; i < 3 * COUNT; i++) {
        struct place *here = &places[i % COUNT], *next = &places[(i + 1) % COUNT];
        add(here, i + 1);
        expected += i + 1;
        OK(rill_array_transfer(next->x, rill_default_stream(next->context), here->x,
                               rill_default_stream(here->context)));
        CHECK_INT(last_of(next), expected);
    }
    for (int i = 0; i < COUNT; i++) {
        OK(rill_close(places[i].context));
    }
}

TEST(the_callers_device_is_left_as_it_was)
{
    struct place place;
    int device = -1;
    open_fakes();
    place_open(&place, "amdgpu:1");
    for (int current = 0; current < 2; current++) {
        CHECK_INT(set_device(current), 0);
        add(&place, 1);
        CHECK_INT(last_of(&place), current + 1);
        CHECK_INT(get_device(&device), 0);
        CHECK_INT(device, current);
    }
    OK(rill_close(place.context));
    CHECK_INT(get_device(&device), 0);
    CHECK_INT(device, 1);
}

TEST(capabilities_of_an_amd_device_are_what_its_runtime_has)
{
    rill_context context;
    open_fakes();
    OK(rill_open("amdgpu:0", NULL, &context));
    static const struct {
        rill_capability capability;
        bool expected;
    } cases[] = {{RILL_CAPABILITY_GRAPHS, true},
                 {RILL_CAPABILITY_CONDITIONS, false},
                 {RILL_CAPABILITY_POOLS, true},
                 {RILL_CAPABILITY_PEERS, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool has = !cases[i].expected;
        OK(rill_context_has(context, cases[i].capability, &has));
        CHECK_INT(has, cases[i].expected);
    }
    OK(rill_close(context));
}

TEST(code_that_does_not_load_is_said_with_the_runtimes_words)
{
    open_fakes();
    rill_context context;
    rill_module module;
    REQUIRE(rill_open("amdgpu:0", NULL, &context) == RILL_OK);
    fail_call("hipModuleLoadData", 1, 200);
    CHECK_INT(rill_module_create(context, source, NULL, &module), RILL_ERR_DEVICE);
    fail_call("", 0, 0);
    CHECK_CONTAINS(rill_message(), "hipErrorInvalidImage");
    CHECK_INT(rill_close(context), RILL_OK);
}

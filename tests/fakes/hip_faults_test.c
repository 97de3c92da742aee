// The sweep of faults on the stand-in for the HIP runtime.
#include "faults.h"

static const struct vendor vendor = {.library = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so",
                                     .variable = "RILL_HIP_LIBRARY",
                                     .device = "amdgpu:0",
                                     .illegal = "hipErrorIllegalAddress",
                                     .recovers = false};

TEST(code_that_does_not_load_is_said_with_the_runtimes_words)
{
    open_fake();
    rill_context context;
    rill_module module;
    REQUIRE(rill_open(vendor.device, NULL, &context) == RILL_OK);
    fake_cuda_fail_at("hipModuleLoadData", 1, 200);
    CHECK_INT(rill_module_create(context, source, NULL, &module), RILL_ERR_DEVICE);
    fake_cuda_fail_at("", 0, 0);
    CHECK_CONTAINS(rill_message(), "hipErrorInvalidImage");
    CHECK_INT(rill_close(context), RILL_OK);
}

// Fine-grained memory: hardware additions of floats may be lost there.
TEST(float_updates_in_the_hosts_memory_are_refused_with_words)
{
    static const char updates[] = "#include <rill/kernel.h>\n"
                                  "kernel void sums(int n, const int k[n], float s[8], int c[8])\n"
                                  "{ for (int i = 0; i < n; i++) { s[k[i] & 7] += 1.0f; c[k[i] & 7] += 1; } }\n";
    open_fake();
    rill_context context;
    rill_module module;
    rill_kernel sums;
    rill_array k, s, c;
    float got[8];
    REQUIRE(rill_open(vendor.device, NULL, &context) == RILL_OK);
    CHECK_INT(rill_module_create(context, updates, NULL, &module), RILL_OK);
    CHECK_INT(rill_module_kernel(module, "sums", &sums), RILL_OK);
    CHECK_INT(rill_array_create(context, RILL_I32, RILL_SHAPE(N), &k), RILL_OK);
    CHECK_INT(rill_array_create(context, RILL_F32, RILL_SHAPE(8), &s), RILL_OK);
    CHECK_INT(rill_array_create(context, RILL_I32, RILL_SHAPE(8), &c), RILL_OK);
    void *library = dlopen(vendor.library, RTLD_NOW | RTLD_LOCAL);
    int (*host_alloc)(void **, size_t, unsigned), (*host_free)(void *);
    *(void **)&host_alloc = dlsym(library, "hipHostMalloc");
    *(void **)&host_free = dlsym(library, "hipHostFree");
    void *pinned = NULL;
    CHECK_INT(host_alloc(&pinned, 8 * sizeof(float), 0), 0);
    memset(pinned, 0, 8 * sizeof(float));
    rill_stream stream = rill_default_stream(context);
    CHECK_INT(rill_launch(sums, stream, RILL_ARGS(N, k, RILL_PTR((float *)pinned, 8), c)), RILL_ERR_UNSUPPORTED);
    CHECK_CONTAINS(rill_message(), "'s' lies in the host's memory");
    CHECK_INT(rill_launch(sums, stream, RILL_ARGS(N, k, s, RILL_PTR((int *)pinned, 8))), RILL_OK); // integers may
    CHECK_INT(rill_array_read(s, stream, got, sizeof got), RILL_OK);
    CHECK(got[0] == N);
    CHECK_INT(((int *)pinned)[0], N);
    CHECK_INT(rill_close(context), RILL_OK);
    CHECK_INT(host_free(pinned), 0);
}

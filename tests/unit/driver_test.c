// Loading the NVIDIA driver, and its results in words, without one: with libraries that lack something.
#include "backend/cuda/loader.h"

#include "test.h"

#include <unistd.h>

TEST(missing_library_is_named)
{
    struct cuda_library library;
    CHECK_INT(cuda_load("/nowhere/libcuda.so.1", &library), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "there is no NVIDIA driver: ");
    CHECK_CONTAINS(rill_message(), "/nowhere/libcuda.so.1");
    CHECK(library.dylib.handle == NULL);
}

TEST(environment_names_the_library)
{
    struct cuda_library library;
    setenv("RILL_CUDA_LIBRARY", "/elsewhere/libdriver.so", 1);
    CHECK_INT(cuda_load(NULL, &library), RILL_ERR_NO_DEVICE);
    CHECK_CONTAINS(rill_message(), "/elsewhere/libdriver.so");
    unsetenv("RILL_CUDA_LIBRARY");
}

TEST(missing_symbol_is_named)
{
    struct cuda_library library;
    CHECK_INT(cuda_load("libm.so.6", &library), RILL_ERR_NO_DEVICE);
    CHECK_STR(rill_message(), "the NVIDIA driver libm.so.6 has no cuInit: it is older than CUDA 11.8");
    CHECK(library.dylib.handle == NULL);
}

// A library with the functions of the list, in |path|: all give 0, except as |more| says. |without| is left out.
static bool build_library(const char *path, const char *without, const char *more)
{
    static const char *const names[] = {
#define SYMBOL_NAME(member, symbol, need, parameters) symbol,
        CUDA_SYMBOL_LIST(SYMBOL_NAME)
#undef SYMBOL_NAME
    };
    char source[256];
    char command[1024];
    snprintf(source, sizeof source, "%s.c", path);
    FILE *file = fopen(source, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file, "%s", more);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], without) != 0 && strstr(more, names[i]) == NULL) {
            fprintf(file, "int %s(void) { return 0; }\n", names[i]);
        }
    }
    fclose(file);
    snprintf(command, sizeof command, "cc -w -shared -fPIC -o %s %s", path, source);
    bool is_built = system(command) == 0;
    unlink(source);
    return is_built;
}

static void load_built(const char *without, const char *more, rill_status status, struct cuda_library *out_library)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/rill_driver_%d.so", (int)getpid());
    if (!build_library(path, without, more)) {
        SKIP("there is no C compiler to build a library with");
    }
    CHECK_INT(cuda_load(path, out_library), status);
    unlink(path);
}

TEST(old_driver_is_refused_with_its_version)
{
    struct cuda_library library;
    load_built("", "int cuDriverGetVersion(int *out) { *out = 11020; return 0; }\n", RILL_ERR_NO_DEVICE, &library);
    CHECK_CONTAINS(rill_message(), "is of CUDA 11.2; 11.8 or later is needed");
}

TEST(driver_that_does_not_start_says_why)
{
    struct cuda_library library;
    load_built("",
               "int cuDriverGetVersion(int *out) { *out = 12040; return 0; }\n"
               "int cuInit(unsigned flags) { return 100; }\n"
               "int cuGetErrorName(int error, const char **out) { *out = \"CUDA_ERROR_NO_DEVICE\"; return 0; }\n"
               "int cuGetErrorString(int error, const char **out) { *out = \"no device is here\"; return 0; }\n",
               RILL_ERR_NO_DEVICE, &library);
    CHECK_CONTAINS(rill_message(), "does not start: cuInit: CUDA_ERROR_NO_DEVICE (100): no device is here");
}

TEST(missing_optional_symbol_is_a_capability_that_is_off)
{
    struct cuda_library library;
    load_built("cuGraphLaunch", "int cuDriverGetVersion(int *out) { *out = 11080; return 0; }\n", RILL_OK, &library);
    CHECK(library.symbols.exec_launch == NULL);
    CHECK(library.symbols.launch != NULL);
    CHECK_INT(library.version, 11080);
    dylib_close(&library.dylib);
}

static int give_name(int error, const char **out)
{
    *out = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : NULL;
    return 0;
}

static int give_text(int error, const char **out)
{
    *out = error == 700 ? "an illegal memory access was encountered" : NULL;
    return error == 999;
}

TEST(results_have_the_drivers_own_words)
{
    struct cuda_symbols symbols = {.error_name = give_name, .error_text = give_text};
    CHECK_INT(cuda_convert(&symbols, 0, "cuInit"), RILL_OK);
    CHECK_INT(cuda_convert(&symbols, 600, "cuStreamQuery"), RILL_ERR_NOT_READY);
    CHECK_INT(cuda_convert(&symbols, 2, "cuMemAlloc"), RILL_ERR_OUT_OF_MEMORY);
    CHECK_INT(cuda_convert(&symbols, 700, "cuStreamSynchronize"), RILL_ERR_DEVICE);
    CHECK_STR(rill_message(), "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was "
                              "encountered; the device is lost to this process");
    CHECK_INT(cuda_convert(&symbols, 999, "cuLaunchKernel"), RILL_ERR_DEVICE);
    CHECK_STR(rill_message(), "cuLaunchKernel: an unknown error (999): the driver has no words for it");
}

TEST(ptx_asks_for_the_drivers_version)
{
    static const struct {
        int driver;
        const char *asked;
        const char *given;
    } cases[] = {{11080, "8.3", "7.8"},
                 {12010, "8.3", "8.1"},
                 {12030, "8.3", "8.3"},
                 {13000, "8.8", "8.8"},
                 {12000, "7.8", "7.8"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        char wanted[64];
        snprintf(text, sizeof text, "// made\n.version %s\n.target sm_90\n", cases[i].asked);
        snprintf(wanted, sizeof wanted, "// made\n.version %s\n.target sm_90\n", cases[i].given);
        cuda_lower_ptx(text, cases[i].driver);
        CHECK_STR(text, wanted);
    }
    char none[] = "no version";
    cuda_lower_ptx(none, 11080);
    CHECK_STR(none, "no version");
}

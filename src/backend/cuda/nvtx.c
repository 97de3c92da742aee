#include "backend/cuda/nvtx.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Numbers of the interface between programs and profilers.
enum {
    TABLE_CALLBACKS = 1, // what a profiler may ask for
    TABLE_VERSION = 3,   //
    VERSION = 3,         // of the interface
    MODULE_CORE = 1,     // functions that it may give, by module and number
    MODULE_COUNT = 7,
    CORE_PUSH = 9,
    CORE_POP = 11,
    MOST_FUNCTIONS = 16, // of a module, number 0 being none
};

static const unsigned char function_counts[MODULE_COUNT] = {0, 16, 9, 15, 7, 16, 7};

typedef void any_function(void);

struct callbacks {
    size_t size;
    int (*functions)(int module, any_function ****out_table, unsigned *out_count);
};

struct version {
    size_t size;
    uint32_t version;
    uint32_t reserved;
    void (*set)(uint32_t version);
};

// Part of the registry of back ends: the profiler of the process, which writes its functions here.
static struct {
    any_function *given[MODULE_COUNT][MOST_FUNCTIONS];       // NULL: not given
    any_function **places[MODULE_COUNT][MOST_FUNCTIONS + 1]; // where they go; the last ends the table
} nvtx;

static int get_functions(int module, any_function ****out_table, unsigned *out_count)
{
    if (module < 1 || module >= MODULE_COUNT) {
        return 0;
    }
    *out_table = nvtx.places[module];
    if (out_count != NULL) {
        *out_count = function_counts[module];
    }
    return 1;
}

static void ignore_version(uint32_t version)
{
    (void)version;
}

static const void *get_table(uint32_t which)
{
    static const struct callbacks callbacks = {sizeof callbacks, get_functions};
    static const struct version version = {sizeof version, VERSION, 0, ignore_version};
    return which == TABLE_CALLBACKS ? (const void *)&callbacks : which == TABLE_VERSION ? &version : NULL;
}

// By the library that the environment names, or by one that was loaded into the process before.
static any_function *find_start(void)
{
    const char *path = getenv("NVTX_INJECTION64_PATH");
    any_function *start = NULL;
    if (path != NULL) {
        void *library = dlopen(path, RTLD_LAZY); // stays open: the profiler is in use until the process ends
        *(void **)&start = library != NULL ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    }
    if (start == NULL) {
        *(void **)&start = dlsym(RTLD_DEFAULT, "InitializeInjectionNvtx2Preinject");
    }
    return start;
}

bool cuda_nvtx_open(void)
{
    const char *wanted = getenv("RILL_NVTX");
    if (wanted == NULL || strcmp(wanted, "1") != 0) {
        return false;
    }
    for (int module = 1; module < MODULE_COUNT; module++) {
        for (int i = 1; i < function_counts[module]; i++) {
            nvtx.places[module][i] = &nvtx.given[module][i];
        }
    }
    any_function *start = find_start();
    return start != NULL && ((int (*)(const void *(*)(uint32_t)))start)(get_table) != 0 &&
           nvtx.given[MODULE_CORE][CORE_PUSH] != NULL && nvtx.given[MODULE_CORE][CORE_POP] != NULL;
}

void cuda_nvtx_push(const char *name)
{
    ((int (*)(const char *))nvtx.given[MODULE_CORE][CORE_PUSH])(name);
}

void cuda_nvtx_pop(void)
{
    ((int (*)(void))nvtx.given[MODULE_CORE][CORE_POP])();
}

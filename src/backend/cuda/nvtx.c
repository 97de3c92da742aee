#include "backend/cuda/nvtx.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Numbers of the interface between programs and profilers.
enum {
    TABLE_CALLBACKS = 1, // what a profiler may ask for
    MODULE_CORE = 1,     // functions that it may give, by module and number
    CORE_PUSH = 9,
    CORE_POP = 11,
    CORE_COUNT = 16,
};

typedef void any_function(void);

struct callbacks {
    size_t size;
    int (*functions)(int module, any_function ****out_table, unsigned *out_count);
};

// Part of the registry of back ends: the profiler of the process, which writes its functions here.
static struct {
    any_function *given[CORE_COUNT];       // NULL: not given
    any_function **places[CORE_COUNT + 1]; // where they go; number 0 is none, and the last ends the table
} nvtx;

static int get_functions(int module, any_function ****out_table, unsigned *out_count)
{
    static any_function **nothing[1];
    bool is_core = module == MODULE_CORE;
    *out_table = is_core ? nvtx.places : nothing;
    if (out_count != NULL) {
        *out_count = is_core ? CORE_COUNT : 0;
    }
    return 1;
}

static const void *get_table(uint32_t which)
{
    static const struct callbacks callbacks = {sizeof callbacks, get_functions};
    return which == TABLE_CALLBACKS ? &callbacks : NULL;
}

bool cuda_nvtx_open(void)
{
    const char *wanted = getenv("RILL_NVTX");
    const char *path = getenv("NVTX_INJECTION64_PATH");
    if (wanted == NULL || strcmp(wanted, "1") != 0 || path == NULL) {
        return false;
    }
    for (int i = 1; i < CORE_COUNT; i++) {
        nvtx.places[i] = &nvtx.given[i];
    }
    void *library = dlopen(path, RTLD_LAZY); // stays open: the profiler is in use until the process ends
    int (*start)(const void *(*)(uint32_t)) = NULL;
    if (library != NULL) {
        *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    }
    return start != NULL && start(get_table) != 0 && nvtx.given[CORE_PUSH] != NULL && nvtx.given[CORE_POP] != NULL;
}

void cuda_nvtx_push(const char *name)
{
    ((int (*)(const char *))nvtx.given[CORE_PUSH])(name);
}

void cuda_nvtx_pop(void)
{
    ((int (*)(void))nvtx.given[CORE_POP])();
}

// A profiler that counts ranges: what NVTX_INJECTION64_PATH may name in tests.
#include "cuda.h"

typedef void any_function(void);

struct callbacks {
    size_t size;
    int (*functions)(int module, any_function ****out_table, unsigned *out_count);
};

static int push(const char *name)
{
    (void)name;
    fake_count_call("nvtxRangePushA");
    return 0;
}

static int pop(void)
{
    fake_count_call("nvtxRangePop");
    return 0;
}

EXPORT int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
    const struct callbacks *callbacks = get_table(1);
    any_function ***table;
    unsigned count = 0;
    if (callbacks == NULL || callbacks->functions(1, &table, &count) == 0 || count != 16) {
        return 0;
    }
    *table[9] = (any_function *)push;
    *table[11] = (any_function *)pop;
    return 1;
}

// Modules, launches, graphs.
#include "hip.h"

#include <string.h>

enum { HIP_LAUNCH_FAILURE = 719 };

// A code object for another architecture is refused, as the runtime does it.
int fake_hip_module_load(hip_module *out, const void *code)
{
    const void *stand_in;
    size_t size;
    const char *architecture = fake_setting("ARCH");
    if (memcmp(code, "\177ELF", 4) != 0) {
        return FAKE_INVALID_IMAGE;
    }
    struct code_object *object = code_object_open(code, &stand_in, &size);
    if (object == NULL) {
        return FAKE_INVALID_IMAGE;
    }
    bool fits = code_object_is_for(object, architecture != NULL ? architecture : "gfx90a");
    code_object_close(object);
    int result = fake_cu_module_load(out, code, 0, NULL, NULL);
    return result == FAKE_OK && !fits ? HIP_NO_BINARY_FOR_GPU : result;
}

int fake_hip_module_unload(hip_module module)
{
    return fake_cu_module_unload(module);
}

int fake_hip_module_function(hip_function *out, hip_module module, const char *name)
{
    return fake_cu_module_function(out, module, name);
}

int fake_hip_module_global(uint64_t *out, size_t *size, hip_module module, const char *name)
{
    return fake_cu_module_global(out, size, module, name);
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

int fake_hip_function_attribute(int *out, int attribute, hip_function handle)
{
    static const char call[] = "hipFuncGetAttribute";
    ENTER(call, DEVICE);
    fake_lock();
    struct fake_function *function = fake_get_locked(handle, FAKE_FUNCTION, call);
    fake_unlock();
    *out = function != NULL && attribute == HIP_FUNCTION_MAX_THREADS ? (int)function->max_block : 0;
    return function != NULL ? FAKE_OK : FAKE_INVALID_HANDLE;
}

// The runtime looks at registers and shared memory, not at what the code says of its blocks.
int fake_hip_occupancy(int *grid, int *block, hip_function function, size_t shared_size, int limit)
{
    int code = fake_cu_occupancy(grid, block, function, NULL, shared_size, limit);
    *block = hip_attribute_given(HIP_DEVICE_MAX_THREADS_PER_BLOCK, *block);
    *block = 0 < limit && limit < *block ? limit : *block;
    return code;
}

// Larger blocks than the code is for are refused. Where the device is said to have larger ones, one of their threads
// does for all of them: not for what has a record for each thread.
static int fit_block(const char *call, hip_function handle, unsigned *threads)
{
    fake_lock();
    struct fake_function *function = fake_get_locked(handle, FAKE_FUNCTION, call);
    fake_unlock();
    bool is_larger = function != NULL && *threads > function->max_block;
    if (*threads <= (unsigned)hip_attribute_given(HIP_DEVICE_MAX_THREADS_PER_BLOCK, 1)) {
        *threads = 1;
    }
    return is_larger ? HIP_LAUNCH_FAILURE : FAKE_OK;
}

int fake_hip_launch(hip_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                    unsigned block_y, unsigned block_z, unsigned shared_size, hip_stream stream, void **params,
                    void **extra)
{
    if ((uint64_t)grid_x * block_x > UINT32_MAX) {
        fake_violation("hipModuleLaunchKernel: a grid of %u blocks of %u threads is too large", grid_x, block_x);
    }
    int fits = fit_block("hipModuleLaunchKernel", function, &block_x);
    if (fits != FAKE_OK) {
        return fits;
    }
    return fake_cu_launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_size,
                          stream, params, extra);
}

// ---- graphs ---------------------------------------------------------------------------------------------------------

static struct cu_kernel_node same_node(const struct hip_kernel_node *node)
{
    return (struct cu_kernel_node){.function = node->function,
                                   .grid_x = node->grid_x,
                                   .grid_y = node->grid_y,
                                   .grid_z = node->grid_z,
                                   .block_x = node->block_x,
                                   .block_y = node->block_y,
                                   .block_z = node->block_z,
                                   .shared_size = node->shared_size,
                                   .params = node->params,
                                   .extra = node->extra};
}

int fake_hip_graph_create(hip_graph *out, unsigned flags)
{
    return fake_cu_graph_create(out, flags);
}

int fake_hip_graph_destroy(hip_graph graph)
{
    return fake_cu_graph_destroy(graph);
}

int fake_hip_graph_add_kernel(hip_node *out, hip_graph graph, const hip_node *after, size_t count,
                              const void *kernel)
{
    struct cu_kernel_node same = same_node(kernel);
    return fake_cu_graph_add_kernel(out, graph, after, count, &same);
}

int fake_hip_graph_instantiate(hip_exec *out, hip_graph graph, unsigned long long flags)
{
    return fake_cu_graph_instantiate(out, graph, flags);
}

int fake_hip_exec_set_kernel(hip_exec exec, hip_node node, const void *kernel)
{
    struct cu_kernel_node same = same_node(kernel);
    return fake_cu_exec_set_kernel(exec, node, &same);
}

int fake_hip_exec_destroy(hip_exec exec)
{
    return fake_cu_exec_destroy(exec);
}

int fake_hip_exec_launch(hip_exec exec, hip_stream stream)
{
    return fake_cu_exec_launch(exec, stream);
}

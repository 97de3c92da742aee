// The functions that the CUDA driver and the HIP runtime have alike: one list with two names a row, from which the
// table that driver.c calls and the larger ones of both vendors are made. The prototypes are our own, for the
// documented binary interfaces: HIP's addresses are pointers and CUDA's are numbers, which are passed alike.
//
//     ROW(X, member, CUDA's name, HIP's name, need, parameters)
//
// Every function returns an int: 0, or the driver's error. |need| is REQUIRED (a driver without it is refused, and the
// message names it) or OPTIONAL (the member is NULL and a capability is off). The symbols.h of each vendor says which
// versions of a symbol are meant, and why.
#ifndef RILL_BACKEND_GPU_SYMBOLS_H
#define RILL_BACKEND_GPU_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct driver_stream_object *driver_stream;
typedef struct driver_event_object *driver_event;
typedef struct driver_module_object *driver_module;
typedef struct driver_function_object *driver_function;
typedef struct driver_pool_object *driver_pool;
typedef struct driver_graph_object *driver_graph;
typedef struct driver_node_object *driver_node;
typedef struct driver_exec_object *driver_exec;
typedef struct driver_user_object *driver_user; // what a graph keeps until it goes, and the last of its executable ones
typedef void driver_host_function(void *user);

// What a memory pool is made of: memory of one device.
struct driver_pool_options {
    int allocation; // 1: ordinary device memory
    int handles;    // 0: not for other processes
    struct {
        int kind; // 1: a device
        int id;
    } location;
    void *security;
    unsigned char rest[64]; // zero: no limit, and what later drivers give a meaning
};

// Numbers that both interfaces have.
enum {
    DRIVER_SUCCESS = 0,
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_DEINITIALIZED = 4,
    DRIVER_NOT_READY = 600,

    DRIVER_STREAM_NON_BLOCKING = 1,
    DRIVER_CAPTURE_RELAXED = 2,
    DRIVER_CAPTURE_SET_DEPENDENCIES = 1,
    DRIVER_USER_NO_DESTRUCTOR_SYNC = 1,
    DRIVER_GRAPH_USER_MOVE = 1,
    DRIVER_EVENT_DISABLE_TIMING = 2,
    DRIVER_HOST_PORTABLE = 1,
    DRIVER_HOST_DEVICE_MAP = 2,
    DRIVER_POOL_RELEASE_THRESHOLD = 4,
};

// The node of a kernel is a struct of the vendor's own: gpu_driver.kernel_node() writes it.
// clang-format off
#define GPU_SYMBOL_LIST(ROW, X)                                                                                        \
    ROW(X, init,                 "cuInit",                              "hipInit",                               REQUIRED, (unsigned flags))\
    ROW(X, device_count,         "cuDeviceGetCount",                    "hipGetDeviceCount",                     REQUIRED, (int *out))\
    ROW(X, device_name,          "cuDeviceGetName",                     "hipDeviceGetName",                      REQUIRED, (char *out, int size, int device))\
    ROW(X, device_attribute,     "cuDeviceGetAttribute",                "hipDeviceGetAttribute",                 REQUIRED, (int *out, int attribute, int device))\
    ROW(X, device_memory,        "cuDeviceTotalMem_v2",                 "hipDeviceTotalMem",                     REQUIRED, (size_t *out, int device))\
    ROW(X, device_pci,           "cuDeviceGetPCIBusId",                 "hipDeviceGetPCIBusId",                  OPTIONAL, (char *out, int size, int device))\
    ROW(X, priority_range,       "cuCtxGetStreamPriorityRange",         "hipDeviceGetStreamPriorityRange",       REQUIRED, (int *least, int *greatest))\
    ROW(X, memory_alloc,         "cuMemAlloc_v2",                       "hipMalloc",                             REQUIRED, (uint64_t *out, size_t size))\
    ROW(X, memory_free,          "cuMemFree_v2",                        "hipFree",                               REQUIRED, (uint64_t address))\
    ROW(X, host_alloc,           "cuMemHostAlloc",                      "hipHostMalloc",                         REQUIRED, (void **out, size_t size, unsigned flags))\
    ROW(X, host_free,            "cuMemFreeHost",                       "hipHostFree",                           REQUIRED, (void *memory))\
    ROW(X, pool_create,          "cuMemPoolCreate",                     "hipMemPoolCreate",                      OPTIONAL, (driver_pool *out, const struct driver_pool_options *options))\
    ROW(X, pool_destroy,         "cuMemPoolDestroy",                    "hipMemPoolDestroy",                     OPTIONAL, (driver_pool pool))\
    ROW(X, pool_set,             "cuMemPoolSetAttribute",               "hipMemPoolSetAttribute",                OPTIONAL, (driver_pool pool, int attribute, void *value))\
    ROW(X, pool_alloc,           "cuMemAllocFromPoolAsync",             "hipMallocFromPoolAsync",                OPTIONAL, (uint64_t *out, size_t size, driver_pool pool, driver_stream stream))\
    ROW(X, memory_free_async,    "cuMemFreeAsync",                      "hipFreeAsync",                          OPTIONAL, (uint64_t address, driver_stream stream))\
    ROW(X, pointer_get,          "cuPointerGetAttribute",               "hipPointerGetAttribute",                REQUIRED, (void *out, int attribute, uint64_t address))\
    ROW(X, set8_async,           "cuMemsetD8Async",                     "hipMemsetD8Async",                      REQUIRED, (uint64_t target, unsigned char value, size_t count, driver_stream stream))\
    ROW(X, set16_async,          "cuMemsetD16Async",                    "hipMemsetD16Async",                     REQUIRED, (uint64_t target, unsigned short value, size_t count, driver_stream stream))\
    ROW(X, set32_async,          "cuMemsetD32Async",                    "hipMemsetD32Async",                     REQUIRED, (uint64_t target, unsigned value, size_t count, driver_stream stream))\
    ROW(X, stream_create,        "cuStreamCreateWithPriority",          "hipStreamCreateWithPriority",           REQUIRED, (driver_stream *out, unsigned flags, int priority))\
    ROW(X, stream_destroy,       "cuStreamDestroy_v2",                  "hipStreamDestroy",                      REQUIRED, (driver_stream stream))\
    ROW(X, stream_synchronize,   "cuStreamSynchronize",                 "hipStreamSynchronize",                  REQUIRED, (driver_stream stream))\
    ROW(X, stream_query,         "cuStreamQuery",                       "hipStreamQuery",                        REQUIRED, (driver_stream stream))\
    ROW(X, stream_wait_event,    "cuStreamWaitEvent",                   "hipStreamWaitEvent",                    REQUIRED, (driver_stream stream, driver_event event, unsigned flags))\
    ROW(X, stream_is_capturing,  "cuStreamIsCapturing",                 "hipStreamIsCapturing",                  REQUIRED, (driver_stream stream, int *out))\
    ROW(X, capture_info,         "cuStreamGetCaptureInfo_v2",           "hipStreamGetCaptureInfo_v2",            OPTIONAL, (driver_stream stream, int *state, uint64_t *id, driver_graph *graph, const driver_node **after, size_t *count))\
    ROW(X, capture_update,       "cuStreamUpdateCaptureDependencies",   "hipStreamUpdateCaptureDependencies",    OPTIONAL, (driver_stream stream, driver_node *nodes, size_t count, unsigned flags))\
    ROW(X, capture_mode,         "cuThreadExchangeStreamCaptureMode",   "hipThreadExchangeStreamCaptureMode",    OPTIONAL, (int *mode))\
    ROW(X, user_create,          "cuUserObjectCreate",                  "hipUserObjectCreate",                   OPTIONAL, (driver_user *out, void *user, driver_host_function *destroy, unsigned count, unsigned flags))\
    ROW(X, user_release,         "cuUserObjectRelease",                 "hipUserObjectRelease",                  OPTIONAL, (driver_user object, unsigned count))\
    ROW(X, graph_retain,         "cuGraphRetainUserObject",             "hipGraphRetainUserObject",              OPTIONAL, (driver_graph graph, driver_user object, unsigned count, unsigned flags))\
    ROW(X, event_create,         "cuEventCreate",                       "hipEventCreateWithFlags",               REQUIRED, (driver_event *out, unsigned flags))\
    ROW(X, event_destroy,        "cuEventDestroy_v2",                   "hipEventDestroy",                       REQUIRED, (driver_event event))\
    ROW(X, event_record,         "cuEventRecord",                       "hipEventRecord",                        REQUIRED, (driver_event event, driver_stream stream))\
    ROW(X, event_query,          "cuEventQuery",                        "hipEventQuery",                         REQUIRED, (driver_event event))\
    ROW(X, event_synchronize,    "cuEventSynchronize",                  "hipEventSynchronize",                   REQUIRED, (driver_event event))\
    ROW(X, event_elapsed,        "cuEventElapsedTime",                  "hipEventElapsedTime",                   REQUIRED, (float *out, driver_event begin, driver_event end))\
    ROW(X, module_unload,        "cuModuleUnload",                      "hipModuleUnload",                       REQUIRED, (driver_module module))\
    ROW(X, module_function,      "cuModuleGetFunction",                 "hipModuleGetFunction",                  REQUIRED, (driver_function *out, driver_module module, const char *name))\
    ROW(X, module_global,        "cuModuleGetGlobal_v2",                "hipModuleGetGlobal",                    REQUIRED, (uint64_t *out, size_t *size, driver_module module, const char *name))\
    ROW(X, launch,               "cuLaunchKernel",                      "hipModuleLaunchKernel",                 REQUIRED, (driver_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size, driver_stream stream, void **params, void **extra))\
    ROW(X, graph_create,         "cuGraphCreate",                       "hipGraphCreate",                        OPTIONAL, (driver_graph *out, unsigned flags))\
    ROW(X, graph_destroy,        "cuGraphDestroy",                      "hipGraphDestroy",                       OPTIONAL, (driver_graph graph))\
    ROW(X, graph_add_kernel,     "cuGraphAddKernelNode",                "hipGraphAddKernelNode",                 OPTIONAL, (driver_node *out, driver_graph graph, const driver_node *after, size_t count, const void *kernel))\
    ROW(X, graph_instantiate,    "cuGraphInstantiateWithFlags",         "hipGraphInstantiateWithFlags",          OPTIONAL, (driver_exec *out, driver_graph graph, unsigned long long flags))\
    ROW(X, exec_set_kernel,      "cuGraphExecKernelNodeSetParams",      "hipGraphExecKernelNodeSetParams",       OPTIONAL, (driver_exec exec, driver_node node, const void *kernel))\
    ROW(X, exec_destroy,         "cuGraphExecDestroy",                  "hipGraphExecDestroy",                   OPTIONAL, (driver_exec exec))\
    ROW(X, exec_launch,          "cuGraphLaunch",                       "hipGraphLaunch",                        OPTIONAL, (driver_exec exec, driver_stream stream))
// clang-format on

#define GPU_SYMBOL_MEMBER(X, member, cuda, hip, need, parameters) int(*member) parameters;
struct gpu_symbols {
    GPU_SYMBOL_LIST(GPU_SYMBOL_MEMBER, unused)
};

#endif

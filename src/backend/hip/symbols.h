// The functions of the HIP runtime that Rill uses: one list, from which the table, its loader and the stand-in of the
// tests are made. The prototypes are our own, for the runtime's documented binary interface: no vendor header is needed
// to build and none is shipped.
//
//     X(member, symbol, need, result, parameters)
//
// |need| is REQUIRED (a runtime without it is refused, and the message names it) or OPTIONAL (the member is NULL and a
// capability is off). Runtimes of ROCm 5.0 and later are served.
//
// Symbols that changed, and what is done about it:
//   hipGetDeviceProperties: the struct's layout changed with ROCm 6, where the new one has the symbol
//       hipGetDevicePropertiesR0600. Of either nothing is used but the name of the architecture, which no attribute
//       has, and which is found by how it looks: the layout does not matter. Everything else comes from attributes.
//   hipPointerGetAttribute (ROCm 5.0): the numbers that it gives for kinds of memory changed with ROCm 6.
//   hipPointerGetAttributes: the layout of its struct stayed the same, the numbers of |kind| did not. The flags that
//       memory of a device was asked for with are in it since ROCm 6; before, they read 0.
//   hipStreamGetDevice (ROCm 5.6): before, a stream of another device is not noticed when it is wrapped.
//   hipUserObjectCreate (ROCm 5.3): before, what needs memory is not captured.
//   hipLaunchHostFunc (ROCm 5.3): before, hipStreamAddCallback does it.
//   hipMallocFromPoolAsync and the pools: there since ROCm 5.1, usable since 5.4.
#ifndef RILL_BACKEND_HIP_SYMBOLS_H
#define RILL_BACKEND_HIP_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef void *hip_address;
typedef struct hip_stream_object *hip_stream;
typedef struct hip_event_object *hip_event;
typedef struct hip_module_object *hip_module;
typedef struct hip_function_object *hip_function;
typedef struct hip_pool_object *hip_pool;
typedef struct hip_graph_object *hip_graph;
typedef struct hip_node_object *hip_node;
typedef struct hip_exec_object *hip_exec;
typedef struct hip_user_object *hip_user; // what a graph keeps until it goes, and the last of its executable ones
typedef void hip_host_function(void *user);
typedef void hip_callback(hip_stream stream, int status, void *user);

struct hip_uuid {
    char bytes[16]; // characters, not numbers
};

// What a memory pool is made of: memory of one device. Later runtimes give the first bytes of |reserved| a meaning that
// zero leaves at its default.
struct hip_pool_options {
    int allocation; // 1: ordinary device memory
    int handles;    // 0: not for other processes
    struct {
        int kind; // 1: a device
        int id;
    } location;
    void *security;
    unsigned char reserved[64]; // zero
};

struct hip_pointer {
    int kind;
    int device;
    void *device_address;
    void *host_address;
    int is_managed;
    unsigned flags;          // of hipExtMallocWithFlags: 0 is ordinary memory
    unsigned char later[96]; // room for what runtimes may add
};

struct hip_kernel_node {
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    void **extra;
    void *function;
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    void **params;
    unsigned shared_size;
};

// Numbers of the runtime's interface.
enum {
    HIP_SUCCESS = 0,
    HIP_INVALID_VALUE = 1,
    HIP_OUT_OF_MEMORY = 2,
    HIP_DEINITIALIZED = 4,
    HIP_NO_DEVICE = 100,
    HIP_INVALID_DEVICE = 101,
    HIP_INVALID_IMAGE = 200,
    HIP_NO_BINARY_FOR_GPU = 209,
    HIP_NOT_FOUND = 500,
    HIP_NOT_READY = 600,

    HIP_DEVICE_MAX_GRID_X = 29,
    HIP_DEVICE_MAX_THREADS_PER_BLOCK = 56,
    HIP_DEVICE_MULTIPROCESSOR_COUNT = 63,
    HIP_DEVICE_WARP_SIZE = 87,
    HIP_DEVICE_MEMORY_POOLS = 88,
    HIP_DEVICE_WAIT_VALUE = 10013,

    HIP_STREAM_NON_BLOCKING = 1,
    HIP_STREAM_LEGACY = 1, // as a handle, in late runtimes; 0 means the same in all
    HIP_STREAM_PER_THREAD = 2,
    HIP_CAPTURE_RELAXED = 2,
    HIP_CAPTURE_SET_DEPENDENCIES = 1,
    HIP_USER_NO_DESTRUCTOR_SYNC = 1,
    HIP_GRAPH_USER_MOVE = 1,
    HIP_EVENT_DISABLE_TIMING = 2,
    HIP_HOST_PORTABLE = 1,
    HIP_HOST_DEVICE_MAP = 2,
    HIP_COPY_DEFAULT = 4, // the addresses say from where to where
    HIP_POINTER_MEMORY_TYPE = 2,
    HIP_POINTER_IS_MANAGED = 8, // the answer is one byte
    HIP_POINTER_DEVICE_ORDINAL = 9,
    HIP_POOL_RELEASE_THRESHOLD = 4,
    HIP_WAIT_VALUE_GEQ = 0,
};

// clang-format off
#define HIP_SYMBOL_LIST(X)                                                                                             \
    X(init,                  "hipInit",                          REQUIRED, int, (unsigned flags))                      \
    X(runtime_version,       "hipRuntimeGetVersion",             REQUIRED, int, (int *out))                            \
    X(error_name,            "hipGetErrorName",                  REQUIRED, const char *, (int error))                  \
    X(error_text,            "hipGetErrorString",                REQUIRED, const char *, (int error))                  \
    X(device_count,          "hipGetDeviceCount",                REQUIRED, int, (int *out))                            \
    X(device_name,           "hipDeviceGetName",                 REQUIRED, int, (char *out, int size, int device))     \
    X(device_attribute,      "hipDeviceGetAttribute",            REQUIRED, int, (int *out, int attribute, int device)) \
    X(device_memory,         "hipDeviceTotalMem",                REQUIRED, int, (size_t *out, int device))             \
    X(device_properties,     "hipGetDevicePropertiesR0600",      OPTIONAL, int, (void *out, int device))               \
    X(device_properties_old, "hipGetDeviceProperties",           OPTIONAL, int, (void *out, int device))               \
    X(device_uuid,           "hipDeviceGetUuid",                 OPTIONAL, int, (struct hip_uuid *out, int device))    \
    X(device_pci,            "hipDeviceGetPCIBusId",             OPTIONAL, int, (char *out, int size, int device))     \
    X(current_get,           "hipGetDevice",                     REQUIRED, int, (int *out))                            \
    X(current_set,           "hipSetDevice",                     REQUIRED, int, (int device))                          \
    X(priority_range,        "hipDeviceGetStreamPriorityRange",  REQUIRED, int, (int *least, int *greatest))           \
    X(memory_alloc,          "hipMalloc",                        REQUIRED, int, (void **out, size_t size))             \
    X(memory_free,           "hipFree",                          REQUIRED, int, (void *address))                       \
    X(host_alloc,            "hipHostMalloc",                    REQUIRED, int, (void **out, size_t size, unsigned flags)) \
    X(host_free,             "hipHostFree",                      REQUIRED, int, (void *memory))                        \
    X(pool_create,           "hipMemPoolCreate",                 OPTIONAL, int, (hip_pool *out, const struct hip_pool_options *options)) \
    X(pool_destroy,          "hipMemPoolDestroy",                OPTIONAL, int, (hip_pool pool))                       \
    X(pool_set,              "hipMemPoolSetAttribute",           OPTIONAL, int, (hip_pool pool, int attribute, void *value)) \
    X(pool_alloc,            "hipMallocFromPoolAsync",           OPTIONAL, int, (void **out, size_t size, hip_pool pool, hip_stream stream)) \
    X(memory_free_async,     "hipFreeAsync",                     OPTIONAL, int, (void *address, hip_stream stream))    \
    X(pointer_get,           "hipPointerGetAttribute",           REQUIRED, int, (void *out, int attribute, void *address)) \
    X(pointer_describe,      "hipPointerGetAttributes",          OPTIONAL, int, (struct hip_pointer *out, const void *address)) \
    X(copy_async,            "hipMemcpyAsync",                   REQUIRED, int, (void *target, const void *source, size_t size, int kind, hip_stream stream)) \
    X(copy_peer,             "hipMemcpyPeerAsync",               OPTIONAL, int, (void *target, int target_device, const void *source, int source_device, size_t size, hip_stream stream)) \
    X(set8_async,            "hipMemsetD8Async",                 REQUIRED, int, (void *target, unsigned char value, size_t count, hip_stream stream)) \
    X(set16_async,           "hipMemsetD16Async",                REQUIRED, int, (void *target, unsigned short value, size_t count, hip_stream stream)) \
    X(set32_async,           "hipMemsetD32Async",                REQUIRED, int, (void *target, int value, size_t count, hip_stream stream)) \
    X(stream_create,         "hipStreamCreateWithPriority",      REQUIRED, int, (hip_stream *out, unsigned flags, int priority)) \
    X(stream_destroy,        "hipStreamDestroy",                 REQUIRED, int, (hip_stream stream))                   \
    X(stream_synchronize,    "hipStreamSynchronize",             REQUIRED, int, (hip_stream stream))                   \
    X(stream_query,          "hipStreamQuery",                   REQUIRED, int, (hip_stream stream))                   \
    X(stream_wait_event,     "hipStreamWaitEvent",               REQUIRED, int, (hip_stream stream, hip_event event, unsigned flags)) \
    X(stream_is_capturing,   "hipStreamIsCapturing",             REQUIRED, int, (hip_stream stream, int *out))         \
    X(stream_wait_value,     "hipStreamWaitValue32",             OPTIONAL, int, (hip_stream stream, void *address, uint32_t value, unsigned flags, uint32_t mask)) \
    X(stream_device,         "hipStreamGetDevice",               OPTIONAL, int, (hip_stream stream, int *out))         \
    X(capture_info,          "hipStreamGetCaptureInfo_v2",       OPTIONAL, int, (hip_stream stream, int *state, uint64_t *id, hip_graph *graph, const hip_node **after, size_t *count)) \
    X(capture_update,        "hipStreamUpdateCaptureDependencies", OPTIONAL, int, (hip_stream stream, hip_node *nodes, size_t count, unsigned flags)) \
    X(capture_mode,          "hipThreadExchangeStreamCaptureMode", OPTIONAL, int, (int *mode))                         \
    X(user_create,           "hipUserObjectCreate",              OPTIONAL, int, (hip_user *out, void *user, hip_host_function *destroy, unsigned count, unsigned flags)) \
    X(user_release,          "hipUserObjectRelease",             OPTIONAL, int, (hip_user object, unsigned count))     \
    X(graph_retain,          "hipGraphRetainUserObject",         OPTIONAL, int, (hip_graph graph, hip_user object, unsigned count, unsigned flags)) \
    X(host_function,         "hipLaunchHostFunc",                OPTIONAL, int, (hip_stream stream, hip_host_function *function, void *user)) \
    X(add_callback,          "hipStreamAddCallback",             REQUIRED, int, (hip_stream stream, hip_callback *function, void *user, unsigned flags)) \
    X(event_create,          "hipEventCreateWithFlags",          REQUIRED, int, (hip_event *out, unsigned flags))      \
    X(event_destroy,         "hipEventDestroy",                  REQUIRED, int, (hip_event event))                     \
    X(event_record,          "hipEventRecord",                   REQUIRED, int, (hip_event event, hip_stream stream))  \
    X(event_query,           "hipEventQuery",                    REQUIRED, int, (hip_event event))                     \
    X(event_synchronize,     "hipEventSynchronize",              REQUIRED, int, (hip_event event))                     \
    X(event_elapsed,         "hipEventElapsedTime",              REQUIRED, int, (float *out, hip_event begin, hip_event end)) \
    X(module_load,           "hipModuleLoadData",                REQUIRED, int, (hip_module *out, const void *code))   \
    X(module_unload,         "hipModuleUnload",                  REQUIRED, int, (hip_module module))                   \
    X(module_function,       "hipModuleGetFunction",             REQUIRED, int, (hip_function *out, hip_module module, const char *name)) \
    X(module_global,         "hipModuleGetGlobal",               REQUIRED, int, (void **out, size_t *size, hip_module module, const char *name)) \
    X(occupancy,             "hipModuleOccupancyMaxPotentialBlockSize", REQUIRED, int, (int *grid, int *block, hip_function function, size_t shared_size, int limit)) \
    X(launch,                "hipModuleLaunchKernel",            REQUIRED, int, (hip_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size, hip_stream stream, void **params, void **extra)) \
    X(graph_create,          "hipGraphCreate",                   OPTIONAL, int, (hip_graph *out, unsigned flags))      \
    X(graph_destroy,         "hipGraphDestroy",                  OPTIONAL, int, (hip_graph graph))                     \
    X(graph_add_kernel,      "hipGraphAddKernelNode",            OPTIONAL, int, (hip_node *out, hip_graph graph, const hip_node *after, size_t count, const struct hip_kernel_node *kernel)) \
    X(graph_instantiate,     "hipGraphInstantiateWithFlags",     OPTIONAL, int, (hip_exec *out, hip_graph graph, unsigned long long flags)) \
    X(exec_set_kernel,       "hipGraphExecKernelNodeSetParams",  OPTIONAL, int, (hip_exec exec, hip_node node, const struct hip_kernel_node *kernel)) \
    X(exec_destroy,          "hipGraphExecDestroy",              OPTIONAL, int, (hip_exec exec))                       \
    X(exec_launch,           "hipGraphLaunch",                   OPTIONAL, int, (hip_exec exec, hip_stream stream))
// clang-format on

struct hip_symbols {
#define HIP_SYMBOL_MEMBER(member, symbol, need, result, parameters) result(*member) parameters;
    HIP_SYMBOL_LIST(HIP_SYMBOL_MEMBER)
#undef HIP_SYMBOL_MEMBER
};

#endif

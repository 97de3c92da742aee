// The functions of the NVIDIA driver that Rill uses: one list, from which the table, its loader and the stand-in driver
// of the tests are made. The prototypes are our own, for the driver's documented binary interface: no vendor header is
// needed to build and none is shipped.
//
//     X(member, symbol, need, parameters)
//
// Every function returns an int: 0, or the driver's error. |need| is REQUIRED (a driver without it is refused, and the
// message names it) or OPTIONAL (the member is NULL and a capability is off). Drivers from CUDA 11.8 (version 11080) on
// are served.
//
// Versioned symbols, and why:
//   _v2 of memory, module, stream and event functions: since CUDA 3.2 and 4.0 sizes and addresses have 64 bits; the
//       plain names are the 32-bit forms of old.
//   cuDevicePrimaryCtxRelease_v2: since CUDA 11.0; the plain name cannot be called for a device that was reset.
//   cuDeviceGetUuid: the plain name does for whole devices; _v2 only matters for slices of a device.
//   cuStreamWaitValue32_v2: since CUDA 11.7; the plain name works only where an administrator has allowed it. Only the
//       tests call it, to hold a stream.
//   cuGraphAddKernelNode, cuGraphExecKernelNodeSetParams: the plain names, which every driver has. Their parameters are
//       those of _v2 without the last two members.
//   cuGraphAddNode: since CUDA 12.2, with conditional nodes since 12.3; _v2 takes data of edges too.
//   cuLinkCreate_v2, cuLinkAddData_v2: since CUDA 6.5; the plain names' options had 32 bits.
//   cuStreamGetCaptureInfo_v2: since CUDA 11.3 it gives the graph; _v3 (12.3) adds the kinds of edges, which nobody
//   asks. cuStreamUpdateCaptureDependencies: the plain name; _v2 (12.3) adds the kinds of edges too.
//   cuEventElapsedTime: the plain name; _v2 (CUDA 12.8) differs only for events that have not been reached.
#ifndef RILL_BACKEND_CUDA_SYMBOLS_H
#define RILL_BACKEND_CUDA_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t cu_address;
typedef struct cu_context_object *cu_context;
typedef struct cu_stream_object *cu_stream;
typedef struct cu_event_object *cu_event;
typedef struct cu_module_object *cu_module;
typedef struct cu_function_object *cu_function;
typedef struct cu_pool_object *cu_pool;
typedef struct cu_graph_object *cu_graph;
typedef struct cu_node_object *cu_node;
typedef struct cu_exec_object *cu_exec;
typedef struct cu_link_object *cu_link;
typedef struct cu_user_object *cu_user; // what a graph keeps until it goes, and the last of its executable ones
typedef void cu_host_function(void *user);

struct cu_uuid {
    unsigned char bytes[16];
};

// What a memory pool is made of: pinned memory of one device.
struct cu_pool_options {
    int allocation; // 1: ordinary device memory
    int handles;    // 0: not for other processes
    struct {
        int kind; // 1: a device
        int id;
    } location;
    void *security;
    size_t limit;      // 0: as much as there is
    uint16_t usage;    //
    char reserved[54]; // zero
};

struct cu_kernel_node {
    cu_function function;
    unsigned grid_x;
    unsigned grid_y;
    unsigned grid_z;
    unsigned block_x;
    unsigned block_y;
    unsigned block_z;
    unsigned shared_size;
    void **params;
    void **extra;
};

// A conditional node, in the form that all kinds of nodes share.
struct cu_node_options {
    int kind; // CU_NODE_CONDITIONAL
    int reserved[3];
    union {
        int64_t whole[29];
        struct {
            uint64_t handle;
            int kind; // 0: if, 1: while
            unsigned size;
            cu_graph *bodies; // filled in: |size| graphs
            cu_context context;
        } condition;
    } u;
    int64_t reserved_end;
};

// Numbers of the driver's interface.
enum {
    CU_SUCCESS = 0,
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NOT_INITIALIZED = 3,
    CU_DEINITIALIZED = 4,
    CU_NO_DEVICE = 100,
    CU_INVALID_IMAGE = 200,
    CU_INVALID_PTX = 218,
    CU_NOT_FOUND = 500,
    CU_NOT_READY = 600,
    CU_ILLEGAL_ADDRESS = 700,
    CU_CAPTURE_UNSUPPORTED = 900,
    CU_CAPTURE_IMPLICIT = 906,

    CU_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_MAX_GRID_X = 5,
    CU_DEVICE_WARP_SIZE = 10,
    CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_MAJOR = 75,
    CU_DEVICE_MINOR = 76,
    CU_DEVICE_MEMORY_POOLS = 115,
    CU_DEVICE_WAIT_VALUE = 122, // CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS: implies the 32-bit ones

    CU_STREAM_NON_BLOCKING = 1,
    CU_STREAM_LEGACY = 1, // as a handle; 0 means the same
    CU_STREAM_PER_THREAD = 2,
    CU_CAPTURE_RELAXED = 2,
    CU_CAPTURE_SET_DEPENDENCIES = 1,
    CU_USER_NO_DESTRUCTOR_SYNC = 1,
    CU_GRAPH_USER_MOVE = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_HOST_PORTABLE = 1,
    CU_HOST_DEVICE_MAP = 2,
    CU_WAIT_VALUE_GEQ = 0,
    CU_POINTER_MEMORY_TYPE = 2, // attribute: 1 host, 2 device
    CU_POINTER_DEVICE_ORDINAL = 9,
    CU_POOL_RELEASE_THRESHOLD = 4,
    CU_FUNCTION_MAX_THREADS = 0,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_SIZE = 6,
    CU_JIT_LINE_INFO = 13,
    CU_JIT_INPUT_PTX = 1,
    CU_NODE_CONDITIONAL = 13,
    CU_HANDLE_HAS_DEFAULT = 1,
};

// clang-format off
#define CUDA_SYMBOL_LIST(X)                                                                                            \
    X(init,                  "cuInit",                           REQUIRED, (unsigned flags))                           \
    X(driver_version,        "cuDriverGetVersion",               REQUIRED, (int *out))                                 \
    X(error_name,            "cuGetErrorName",                   REQUIRED, (int error, const char **out))              \
    X(error_text,            "cuGetErrorString",                 REQUIRED, (int error, const char **out))              \
    X(device_count,          "cuDeviceGetCount",                 REQUIRED, (int *out))                                 \
    X(device_get,            "cuDeviceGet",                      REQUIRED, (int *out, int ordinal))                    \
    X(device_name,           "cuDeviceGetName",                  REQUIRED, (char *out, int size, int device))          \
    X(device_attribute,      "cuDeviceGetAttribute",             REQUIRED, (int *out, int attribute, int device))      \
    X(device_memory,         "cuDeviceTotalMem_v2",              REQUIRED, (size_t *out, int device))                  \
    X(device_uuid,           "cuDeviceGetUuid",                  OPTIONAL, (struct cu_uuid *out, int device))          \
    X(device_pci,            "cuDeviceGetPCIBusId",              OPTIONAL, (char *out, int size, int device))          \
    X(primary_retain,        "cuDevicePrimaryCtxRetain",         REQUIRED, (cu_context *out, int device))              \
    X(primary_release,       "cuDevicePrimaryCtxRelease_v2",     REQUIRED, (int device))                               \
    X(context_get,           "cuCtxGetCurrent",                  REQUIRED, (cu_context *out))                          \
    X(context_set,           "cuCtxSetCurrent",                  REQUIRED, (cu_context context))                       \
    X(priority_range,        "cuCtxGetStreamPriorityRange",      REQUIRED, (int *least, int *greatest))                \
    X(memory_alloc,          "cuMemAlloc_v2",                    REQUIRED, (cu_address *out, size_t size))             \
    X(memory_free,           "cuMemFree_v2",                     REQUIRED, (cu_address address))                       \
    X(host_alloc,            "cuMemHostAlloc",                   REQUIRED, (void **out, size_t size, unsigned flags))  \
    X(host_free,             "cuMemFreeHost",                    REQUIRED, (void *memory))                             \
    X(pool_create,           "cuMemPoolCreate",                  OPTIONAL, (cu_pool *out, const struct cu_pool_options *options)) \
    X(pool_destroy,          "cuMemPoolDestroy",                 OPTIONAL, (cu_pool pool))                             \
    X(pool_set,              "cuMemPoolSetAttribute",            OPTIONAL, (cu_pool pool, int attribute, void *value)) \
    X(pool_alloc,            "cuMemAllocFromPoolAsync",          OPTIONAL, (cu_address *out, size_t size, cu_pool pool, cu_stream stream)) \
    X(memory_free_async,     "cuMemFreeAsync",                   OPTIONAL, (cu_address address, cu_stream stream))     \
    X(pointer_get,           "cuPointerGetAttribute",            REQUIRED, (void *out, int attribute, cu_address address)) \
    X(pointer_get_many,      "cuPointerGetAttributes",           OPTIONAL, (unsigned count, int *attributes, void **out, cu_address address)) \
    X(copy_async,            "cuMemcpyAsync",                    REQUIRED, (cu_address target, cu_address source, size_t size, cu_stream stream)) \
    X(copy_peer,             "cuMemcpyPeerAsync",                OPTIONAL, (cu_address target, cu_context target_context, cu_address source, cu_context source_context, size_t size, cu_stream stream)) \
    X(set8_async,            "cuMemsetD8Async",                  REQUIRED, (cu_address target, unsigned char value, size_t count, cu_stream stream)) \
    X(set16_async,           "cuMemsetD16Async",                 REQUIRED, (cu_address target, unsigned short value, size_t count, cu_stream stream)) \
    X(set32_async,           "cuMemsetD32Async",                 REQUIRED, (cu_address target, unsigned value, size_t count, cu_stream stream)) \
    X(stream_create,         "cuStreamCreateWithPriority",       REQUIRED, (cu_stream *out, unsigned flags, int priority)) \
    X(stream_destroy,        "cuStreamDestroy_v2",               REQUIRED, (cu_stream stream))                         \
    X(stream_synchronize,    "cuStreamSynchronize",              REQUIRED, (cu_stream stream))                         \
    X(stream_query,          "cuStreamQuery",                    REQUIRED, (cu_stream stream))                         \
    X(stream_wait_event,     "cuStreamWaitEvent",                REQUIRED, (cu_stream stream, cu_event event, unsigned flags)) \
    X(stream_is_capturing,   "cuStreamIsCapturing",              REQUIRED, (cu_stream stream, int *out))               \
    X(stream_wait_value,     "cuStreamWaitValue32_v2",           OPTIONAL, (cu_stream stream, cu_address address, uint32_t value, unsigned flags)) \
    X(stream_context,        "cuStreamGetCtx",                   OPTIONAL, (cu_stream stream, cu_context *out))       \
    X(capture_info,          "cuStreamGetCaptureInfo_v2",        OPTIONAL, (cu_stream stream, int *state, uint64_t *id, cu_graph *graph, const cu_node **after, size_t *count)) \
    X(capture_update,        "cuStreamUpdateCaptureDependencies", OPTIONAL, (cu_stream stream, cu_node *nodes, size_t count, unsigned flags)) \
    X(capture_mode,          "cuThreadExchangeStreamCaptureMode", OPTIONAL, (int *mode))                               \
    X(user_create,           "cuUserObjectCreate",               OPTIONAL, (cu_user *out, void *user, cu_host_function *destroy, unsigned count, unsigned flags)) \
    X(user_release,          "cuUserObjectRelease",              OPTIONAL, (cu_user object, unsigned count))           \
    X(graph_retain,          "cuGraphRetainUserObject",          OPTIONAL, (cu_graph graph, cu_user object, unsigned count, unsigned flags)) \
    X(host_function,         "cuLaunchHostFunc",                 REQUIRED, (cu_stream stream, cu_host_function *function, void *user)) \
    X(event_create,          "cuEventCreate",                    REQUIRED, (cu_event *out, unsigned flags))            \
    X(event_destroy,         "cuEventDestroy_v2",                REQUIRED, (cu_event event))                           \
    X(event_record,          "cuEventRecord",                    REQUIRED, (cu_event event, cu_stream stream))         \
    X(event_query,           "cuEventQuery",                     REQUIRED, (cu_event event))                           \
    X(event_synchronize,     "cuEventSynchronize",               REQUIRED, (cu_event event))                           \
    X(event_elapsed,         "cuEventElapsedTime",               REQUIRED, (float *out, cu_event begin, cu_event end)) \
    X(module_load,           "cuModuleLoadDataEx",               REQUIRED, (cu_module *out, const void *code, unsigned count, int *options, void **values)) \
    X(link_create,           "cuLinkCreate_v2",                  OPTIONAL, (unsigned count, int *options, void **values, cu_link *out)) \
    X(link_add,              "cuLinkAddData_v2",                 OPTIONAL, (cu_link link, int kind, void *code, size_t size, const char *name, unsigned count, int *options, void **values)) \
    X(link_complete,         "cuLinkComplete",                   OPTIONAL, (cu_link link, void **out, size_t *out_size)) \
    X(link_destroy,          "cuLinkDestroy",                    OPTIONAL, (cu_link link))                             \
    X(module_unload,         "cuModuleUnload",                   REQUIRED, (cu_module module))                         \
    X(module_function,       "cuModuleGetFunction",              REQUIRED, (cu_function *out, cu_module module, const char *name)) \
    X(module_global,         "cuModuleGetGlobal_v2",             REQUIRED, (cu_address *out, size_t *size, cu_module module, const char *name)) \
    X(function_attribute,    "cuFuncGetAttribute",               REQUIRED, (int *out, int attribute, cu_function function)) \
    X(occupancy,             "cuOccupancyMaxPotentialBlockSize", REQUIRED, (int *grid, int *block, cu_function function, void *shared, size_t shared_size, int limit)) \
    X(launch,                "cuLaunchKernel",                   REQUIRED, (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size, cu_stream stream, void **params, void **extra)) \
    X(graph_create,          "cuGraphCreate",                    OPTIONAL, (cu_graph *out, unsigned flags))            \
    X(graph_destroy,         "cuGraphDestroy",                   OPTIONAL, (cu_graph graph))                           \
    X(graph_add_kernel,      "cuGraphAddKernelNode",             OPTIONAL, (cu_node *out, cu_graph graph, const cu_node *after, size_t count, const struct cu_kernel_node *kernel)) \
    X(graph_handle,          "cuGraphConditionalHandleCreate",   OPTIONAL, (uint64_t *out, cu_graph graph, cu_context context, unsigned initial, unsigned flags)) \
    X(graph_add_node,        "cuGraphAddNode",                   OPTIONAL, (cu_node *out, cu_graph graph, const cu_node *after, size_t count, struct cu_node_options *options)) \
    X(graph_instantiate,     "cuGraphInstantiateWithFlags",      OPTIONAL, (cu_exec *out, cu_graph graph, unsigned long long flags)) \
    X(exec_set_kernel,       "cuGraphExecKernelNodeSetParams",   OPTIONAL, (cu_exec exec, cu_node node, const struct cu_kernel_node *kernel)) \
    X(exec_destroy,          "cuGraphExecDestroy",               OPTIONAL, (cu_exec exec))                             \
    X(exec_launch,           "cuGraphLaunch",                    OPTIONAL, (cu_exec exec, cu_stream stream))
// clang-format on

struct cuda_symbols {
#define CUDA_SYMBOL_MEMBER(member, symbol, need, parameters) int(*member) parameters;
    CUDA_SYMBOL_LIST(CUDA_SYMBOL_MEMBER)
#undef CUDA_SYMBOL_MEMBER
};

#endif

// The functions of the NVIDIA driver that Rill uses: those of backend/gpu/symbols.h, and its own. From the lists the
// table, its loader and the stand-in driver of the tests are made. The prototypes are our own, for the driver's
// documented binary interface: no vendor header is needed to build and none is shipped.
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
//   cuGraphAddMemcpyNode, cuGraphAddMemsetNode and what sets these: the plain names, of which there are no others.
//   cuGraphAddNode: since CUDA 12.2, with conditional nodes since 12.3; _v2 takes data of edges too.
//   cuLinkCreate_v2, cuLinkAddData_v2: since CUDA 6.5; the plain names' options had 32 bits.
//   cuStreamGetCaptureInfo_v2: since CUDA 11.3 it gives the graph; _v3 (12.3) adds the kinds of edges, which nobody
//   asks. cuStreamUpdateCaptureDependencies: the plain name; _v2 (12.3) adds the kinds of edges too.
//   cuEventElapsedTime: the plain name; _v2 (CUDA 12.8) differs only for events that have not been reached.
#ifndef RILL_BACKEND_CUDA_SYMBOLS_H
#define RILL_BACKEND_CUDA_SYMBOLS_H

#include "backend/gpu/symbols.h"

#include <stddef.h>
#include <stdint.h>

typedef uint64_t cu_address;
typedef struct cu_context_object *cu_context;
typedef driver_stream cu_stream;
typedef driver_event cu_event;
typedef driver_module cu_module;
typedef driver_function cu_function;
typedef driver_pool cu_pool;
typedef driver_graph cu_graph;
typedef driver_node cu_node;
typedef driver_exec cu_exec;
typedef struct cu_link_object *cu_link;
typedef driver_user cu_user; // what a graph keeps until it goes, and the last of its executable ones
typedef driver_host_function cu_host_function;

struct cu_uuid {
    unsigned char bytes[16];
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

struct cu_copy_side {
    size_t x;
    size_t y;
    size_t z;
    size_t level;
    int kind; // CU_MEMORY_UNIFIED
    void *host;
    cu_address address;
    void *array;
    void *reserved;
    size_t pitch;
    size_t height;
};
struct cu_copy_node {
    struct cu_copy_side source;
    struct cu_copy_side target;
    size_t width; // bytes
    size_t height;
    size_t depth;
};
struct cu_fill_node {
    cu_address target;
    size_t pitch;
    unsigned value;
    unsigned element_size;
    size_t width; // elements
    size_t height;
};

// The value of a launch's attribute.
union cu_launch_value {
    unsigned char bytes[64];
    int cooperative;
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
    CU_INVALID_CONTEXT = 201,
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
    CU_MEMORY_UNIFIED = 4,
    CU_NODE_CONDITIONAL = 13,
    CU_DEVICE_COOPERATIVE_LAUNCH = 95,
    CU_LAUNCH_COOPERATIVE = 2, // attribute of a node
    CU_HANDLE_HAS_DEFAULT = 1,
};

// clang-format off
#define CUDA_OWN_LIST(X)                                                                                               \
    X(driver_version,        "cuDriverGetVersion",                REQUIRED, (int *out))                                \
    X(error_name,            "cuGetErrorName",                    REQUIRED, (int error, const char **out))             \
    X(error_text,            "cuGetErrorString",                  REQUIRED, (int error, const char **out))             \
    X(device_get,            "cuDeviceGet",                       REQUIRED, (int *out, int ordinal))                   \
    X(device_uuid,           "cuDeviceGetUuid",                   OPTIONAL, (struct cu_uuid *out, int device))         \
    X(primary_retain,        "cuDevicePrimaryCtxRetain",          REQUIRED, (cu_context *out, int device))             \
    X(primary_release,       "cuDevicePrimaryCtxRelease_v2",      REQUIRED, (int device))                              \
    X(context_get,           "cuCtxGetCurrent",                   REQUIRED, (cu_context *out))                         \
    X(context_set,           "cuCtxSetCurrent",                   REQUIRED, (cu_context context))                      \
    X(pointer_get_many,      "cuPointerGetAttributes",            OPTIONAL, (unsigned count, int *attributes, void **out, cu_address address))\
    X(copy_async,            "cuMemcpyAsync",                     REQUIRED, (cu_address target, cu_address source, size_t size, cu_stream stream))\
    X(copy_peer,             "cuMemcpyPeerAsync",                 OPTIONAL, (cu_address target, cu_context target_context, cu_address source, cu_context source_context, size_t size, cu_stream stream))\
    X(stream_wait_value,     "cuStreamWaitValue32_v2",            OPTIONAL, (cu_stream stream, cu_address address, uint32_t value, unsigned flags))\
    X(stream_context,        "cuStreamGetCtx",                    OPTIONAL, (cu_stream stream, cu_context *out))       \
    X(host_function,         "cuLaunchHostFunc",                  REQUIRED, (cu_stream stream, cu_host_function *function, void *user))\
    X(module_load,           "cuModuleLoadDataEx",                REQUIRED, (cu_module *out, const void *code, unsigned count, int *options, void **values))\
    X(link_create,           "cuLinkCreate_v2",                   OPTIONAL, (unsigned count, int *options, void **values, cu_link *out))\
    X(link_add,              "cuLinkAddData_v2",                  OPTIONAL, (cu_link link, int kind, void *code, size_t size, const char *name, unsigned count, int *options, void **values))\
    X(link_complete,         "cuLinkComplete",                    OPTIONAL, (cu_link link, void **out, size_t *out_size))\
    X(link_destroy,          "cuLinkDestroy",                     OPTIONAL, (cu_link link))                            \
    X(function_attribute,    "cuFuncGetAttribute",                REQUIRED, (int *out, int attribute, cu_function function))\
    X(occupancy,             "cuOccupancyMaxPotentialBlockSize",  REQUIRED, (int *grid, int *block, cu_function function, void *shared, size_t shared_size, int limit))\
    X(launch_cooperative,    "cuLaunchCooperativeKernel",         OPTIONAL, (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size, cu_stream stream, void **params))\
    X(node_set,              "cuGraphKernelNodeSetAttribute",     OPTIONAL, (cu_node node, int attribute, const union cu_launch_value *value))\
    X(graph_add_copy,        "cuGraphAddMemcpyNode",              OPTIONAL, (cu_node *out, cu_graph graph, const cu_node *after, size_t count, const struct cu_copy_node *copy, cu_context context))\
    X(graph_add_fill,        "cuGraphAddMemsetNode",              OPTIONAL, (cu_node *out, cu_graph graph, const cu_node *after, size_t count, const struct cu_fill_node *fill, cu_context context))\
    X(exec_set_copy,         "cuGraphExecMemcpyNodeSetParams",    OPTIONAL, (cu_exec exec, cu_node node, const struct cu_copy_node *copy, cu_context context))\
    X(exec_set_fill,         "cuGraphExecMemsetNodeSetParams",    OPTIONAL, (cu_exec exec, cu_node node, const struct cu_fill_node *fill, cu_context context))\
    X(graph_handle,          "cuGraphConditionalHandleCreate",    OPTIONAL, (uint64_t *out, cu_graph graph, cu_context context, unsigned initial, unsigned flags))\
    X(graph_add_node,        "cuGraphAddNode",                    OPTIONAL, (cu_node *out, cu_graph graph, const cu_node *after, size_t count, struct cu_node_options *options))
// clang-format on

#define CUDA_ROW(X, member, cuda, hip, need, parameters) X(member, cuda, need, parameters)
#define CUDA_SYMBOL_LIST(X) GPU_SYMBOL_LIST(CUDA_ROW, X) CUDA_OWN_LIST(X)

#define CUDA_SYMBOL_MEMBER(member, symbol, need, parameters) int(*member) parameters;
struct cuda_symbols {
    union {
        struct gpu_symbols shared;
        struct {
            GPU_SYMBOL_LIST(GPU_SYMBOL_MEMBER, unused)
        };
    };
    CUDA_OWN_LIST(CUDA_SYMBOL_MEMBER)
};
#undef CUDA_SYMBOL_MEMBER

#endif

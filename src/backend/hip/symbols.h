// The functions of the HIP runtime that Rill uses: those of backend/gpu/symbols.h, and its own. From the lists the
// table, its loader and the stand-in of the tests are made. The prototypes are our own, for the runtime's documented
// binary interface: no vendor header is needed to build and none is shipped.
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

#include "backend/gpu/symbols.h"

#include <stddef.h>
#include <stdint.h>

typedef driver_stream hip_stream;
typedef driver_event hip_event;
typedef driver_module hip_module;
typedef driver_function hip_function;
typedef driver_pool hip_pool;
typedef driver_graph hip_graph;
typedef driver_node hip_node;
typedef driver_exec hip_exec;
typedef driver_user hip_user; // what a graph keeps until it goes, and the last of its executable ones
typedef driver_host_function hip_host_function;
typedef void hip_callback(hip_stream stream, int status, void *user);

struct hip_uuid {
    char bytes[16]; // characters, not numbers
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
    HIP_FUNCTION_MAX_THREADS = 0,
};

// clang-format off
#define HIP_OWN_LIST(X)                                                                                                \
    X(runtime_version,       "hipRuntimeGetVersion",                      REQUIRED, int, (int *out))                   \
    X(error_name,            "hipGetErrorName",                           REQUIRED, const char *, (int error))         \
    X(error_text,            "hipGetErrorString",                         REQUIRED, const char *, (int error))         \
    X(device_properties,     "hipGetDevicePropertiesR0600",               OPTIONAL, int, (void *out, int device))      \
    X(device_properties_old, "hipGetDeviceProperties",                    OPTIONAL, int, (void *out, int device))      \
    X(device_uuid,           "hipDeviceGetUuid",                          OPTIONAL, int, (struct hip_uuid *out, int device))\
    X(current_get,           "hipGetDevice",                              REQUIRED, int, (int *out))                   \
    X(current_set,           "hipSetDevice",                              REQUIRED, int, (int device))                 \
    X(pointer_describe,      "hipPointerGetAttributes",                   OPTIONAL, int, (struct hip_pointer *out, const void *address))\
    X(copy_async,            "hipMemcpyAsync",                            REQUIRED, int, (void *target, const void *source, size_t size, int kind, hip_stream stream))\
    X(copy_peer,             "hipMemcpyPeerAsync",                        OPTIONAL, int, (void *target, int target_device, const void *source, int source_device, size_t size, hip_stream stream))\
    X(stream_wait_value,     "hipStreamWaitValue32",                      OPTIONAL, int, (hip_stream stream, void *address, uint32_t value, unsigned flags, uint32_t mask))\
    X(stream_device,         "hipStreamGetDevice",                        OPTIONAL, int, (hip_stream stream, int *out))\
    X(host_function,         "hipLaunchHostFunc",                         OPTIONAL, int, (hip_stream stream, hip_host_function *function, void *user))\
    X(add_callback,          "hipStreamAddCallback",                      REQUIRED, int, (hip_stream stream, hip_callback *function, void *user, unsigned flags))\
    X(module_load,           "hipModuleLoadData",                         REQUIRED, int, (hip_module *out, const void *code))\
    X(function_attribute,    "hipFuncGetAttribute",                       REQUIRED, int, (int *out, int attribute, hip_function function))\
    X(occupancy,             "hipModuleOccupancyMaxPotentialBlockSize",   REQUIRED, int, (int *grid, int *block, hip_function function, size_t shared_size, int limit))
// clang-format on

#define HIP_ROW(X, member, cuda, hip, need, parameters) X(member, hip, need, int, parameters)
#define HIP_SYMBOL_LIST(X) GPU_SYMBOL_LIST(HIP_ROW, X) HIP_OWN_LIST(X)

#define HIP_SYMBOL_MEMBER(member, symbol, need, result, parameters) result(*member) parameters;
struct hip_symbols {
    union {
        struct gpu_symbols shared;
        struct {
            GPU_SYMBOL_LIST(GPU_SYMBOL_MEMBER, unused)
        };
    };
    HIP_OWN_LIST(HIP_SYMBOL_MEMBER)
};
#undef HIP_SYMBOL_MEMBER

#endif

// Functions of the CUDA driver that Rill does not call but applications beside it do, and that tests therefore need;
// and what the stand-in itself offers to tests in its process.
#ifndef RILL_TESTS_FAKES_CUDA_APPLICATION_H
#define RILL_TESTS_FAKES_CUDA_APPLICATION_H

#include "backend/cuda/symbols.h"

// X(symbol, parameters)
#define CUDA_APPLICATION_LIST(X)                                                                                       \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuCtxPushCurrent_v2, (cu_context context))                                                                       \
    X(cuCtxPopCurrent_v2, (cu_context * out))                                                                          \
    X(cuModuleLoadData, (cu_module * out, const void *code))                                                           \
    X(cuStreamCreate, (cu_stream * out, unsigned flags))                                                               \
    X(cuMemcpyHtoD_v2, (cu_address target, const void *source, size_t size))                                           \
    X(cuMemcpyDtoH_v2, (void *target, cu_address source, size_t size))                                                 \
    X(cuMemsetD8_v2, (cu_address target, unsigned char value, size_t count))                                           \
    X(cuMemAllocAsync, (cu_address * out, size_t size, cu_stream stream))                                              \
    X(cuMemGetInfo_v2, (size_t *free_size, size_t *total_size))                                                        \
    X(cuMemHostRegister_v2, (void *memory, size_t size, unsigned flags))                                               \
    X(cuMemHostUnregister, (void *memory))                                                                             \
    X(cuStreamWriteValue32_v2, (cu_stream stream, cu_address address, uint32_t value, unsigned flags))                 \
    X(cuStreamBeginCapture_v2, (cu_stream stream, int mode))                                                           \
    X(cuStreamEndCapture, (cu_stream stream, cu_graph * out))                                                          \
    X(cuGraphGetNodes, (cu_graph graph, cu_node * nodes, size_t *count))

#define CUDA_APPLICATION_DECLARE(symbol, parameters) __attribute__((visibility("default"))) int symbol parameters;
CUDA_APPLICATION_LIST(CUDA_APPLICATION_DECLARE)
#undef CUDA_APPLICATION_DECLARE

// X(symbol, result, parameters): state.c says what they do
#define STAND_IN_LIST(X)                                                                                               \
    X(stand_in_violations, int, (void))                                                                                \
    X(stand_in_violation, const char *, (int index))                                                                   \
    X(stand_in_forgive, void, (void))                                                                                  \
    X(stand_in_fail, void, (const char *name, long n, int code))                                                       \
    X(stand_in_failed, const char *, (void))                                                                           \
    X(stand_in_calls, long, (const char *name))                                                                        \
    X(stand_in_alive, long, (const char *what))                                                                        \
    X(stand_in_drain, void, (void))                                                                                    \
    X(stand_in_seed, void, (unsigned long seed))                                                                       \
    X(stand_in_lose, void, (int code))                                                                                 \
    X(stand_in_linger, void, (int microseconds))                                                                       \
    X(stand_in_lazy, void, (int microseconds))

#define STAND_IN_DECLARE(symbol, result, parameters) __attribute__((visibility("default"))) result symbol parameters;
STAND_IN_LIST(STAND_IN_DECLARE)
#undef STAND_IN_DECLARE

#endif

// The NVIDIA driver by hand, for the benchmarks that put Rill beside it: its functions by their own names, and a kernel
// or two as PTX.
#ifndef RILL_BENCH_RAW_DRIVER_H
#define RILL_BENCH_RAW_DRIVER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct raw_node {
    void *function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_size;
    void **params;
    void **extra;
};

// X(member, symbol, parameters)
#define RAW_LIST(X)                                                                                                    \
    X(init, "cuInit", (unsigned))                                                                                      \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                                              \
    X(set_current, "cuCtxSetCurrent", (void *))                                                                        \
    X(load, "cuModuleLoadData", (void **, const void *))                                                               \
    X(function, "cuModuleGetFunction", (void **, void *, const char *))                                                \
    X(alloc, "cuMemAlloc_v2", (uint64_t *, size_t))                                                                    \
    X(launch, "cuLaunchKernel",                                                                                        \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))        \
    X(stream, "cuStreamCreateWithPriority", (void **, unsigned, int))                                                  \
    X(stream_destroy, "cuStreamDestroy_v2", (void *))                                                                  \
    X(synchronize, "cuStreamSynchronize", (void *))                                                                    \
    X(event, "cuEventCreate", (void **, unsigned))                                                                     \
    X(record, "cuEventRecord", (void *, void *))                                                                       \
    X(wait, "cuStreamWaitEvent", (void *, void *, unsigned))                                                           \
    X(copy, "cuMemcpyAsync", (uint64_t, uint64_t, size_t, void *))                                                     \
    X(graph_create, "cuGraphCreate", (void **, unsigned))                                                              \
    X(graph_add, "cuGraphAddKernelNode", (void **, void *, void *const *, size_t, const struct raw_node *))            \
    X(instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))                               \
    X(graph_set, "cuGraphExecKernelNodeSetParams", (void *, void *, const struct raw_node *))                          \
    X(graph_launch, "cuGraphLaunch", (void *, void *))

enum { RAW_N = 1024, RAW_ARRAYS = 16 };

struct raw {
#define RAW_MEMBER(member, symbol, parameters) int(*member) parameters;
    RAW_LIST(RAW_MEMBER)
#undef RAW_MEMBER
    void *context;
    void *loop; // x[i] = s * x[i] + 1
    void *spin; // one thread, |n| rounds
    uint64_t arrays[RAW_ARRAYS];
};

static const char raw_text[] =
    ".version 7.8\n.target sm_60\n.address_size 64\n"
    ".visible .entry loop(.param .u64 px, .param .u32 pn, .param .f32 ps)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [px]; ld.param.u32 %r1, [pn]; ld.param.f32 %f1, [ps];\n"
    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.s32 %p1, %r5, %r1; @%p1 bra done;\n"
    "cvta.to.global.u64 %d2, %d1; mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d2, %d3;\n"
    "ld.global.f32 %f2, [%d4]; fma.rn.f32 %f3, %f2, %f1, 0f3F800000;\n"
    "st.global.f32 [%d4], %f3;\ndone: ret;\n}\n"
    ".visible .entry spin(.param .u64 px, .param .u32 pn)\n{\n"
    ".reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [px]; ld.param.u32 %r1, [pn]; cvta.to.global.u64 %d2, %d1;\n"
    "mov.u64 %d3, 1; mov.u64 %d4, 6364136223846793005; mov.u64 %d5, 1442695040888963407; mov.u32 %r2, 0;\n"
    "again: mad.lo.s64 %d3, %d3, %d4, %d5; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra again;\n"
    "st.global.u64 [%d2], %d3;\nret;\n}\n";

static inline double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static inline bool raw_open(struct raw *raw)
{
    memset(raw, 0, sizeof *raw);
    const char *path = getenv("RILL_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW);
    bool has_all = library != NULL;
#define RAW_FIND(member, symbol, parameters)                                                                           \
    *(void **)&raw->member = library != NULL ? dlsym(library, symbol) : NULL;                                          \
    has_all = has_all && raw->member != NULL;
    RAW_LIST(RAW_FIND)
#undef RAW_FIND
    void *module;
    bool is_good = has_all && raw->init(0) == 0 && raw->retain(&raw->context, 0) == 0 &&
                   raw->set_current(raw->context) == 0 && raw->load(&module, raw_text) == 0 &&
                   raw->function(&raw->loop, module, "loop") == 0 && raw->function(&raw->spin, module, "spin") == 0;
    for (int i = 0; is_good && i < RAW_ARRAYS; i++) {
        is_good = raw->alloc(&raw->arrays[i], RAW_N * sizeof(float)) == 0;
    }
    return is_good;
}

// One call of |loop| with its parameters; |node| points into it.
struct raw_call {
    uint64_t array;
    int n;
    float s;
    void *params[3];
    struct raw_node node;
};

static inline void raw_fill(const struct raw *raw, struct raw_call *call, int array, float s)
{
    call->array = raw->arrays[array];
    call->n = RAW_N;
    call->s = s;
    call->params[0] = &call->array;
    call->params[1] = &call->n;
    call->params[2] = &call->s;
    call->node = (struct raw_node){
        .function = raw->loop, .grid = {RAW_N / 256, 1, 1}, .block = {256, 1, 1}, .params = call->params};
}

static inline int raw_launch(const struct raw *raw, int array, void *stream, float s)
{
    struct raw_call call;
    raw_fill(raw, &call, array, s);
    return raw->launch(raw->loop, RAW_N / 256, 1, 1, 256, 1, 1, 0, stream, call.params, NULL);
}

// An executable graph of |loop|: |count| in parallel, or one behind the other.
enum { RAW_NODES = 32 };
struct raw_graph {
    void *exec;
    void *nodes[RAW_NODES];
    int count;
    bool is_chain;
};

static inline int raw_graph_make(const struct raw *raw, struct raw_graph *graph, int count, bool is_chain)
{
    void *made;
    graph->count = count;
    graph->is_chain = is_chain;
    int failed = raw->graph_create(&made, 0);
    for (int i = 0; failed == 0 && i < count; i++) {
        struct raw_call call;
        raw_fill(raw, &call, is_chain ? 0 : i, 1);
        bool follows = is_chain && i > 0;
        failed =
            raw->graph_add(&graph->nodes[i], made, follows ? &graph->nodes[i - 1] : NULL, follows ? 1 : 0, &call.node);
    }
    return failed != 0 ? failed : raw->instantiate(&graph->exec, made, 0);
}

static inline int raw_graph_run(const struct raw *raw, const struct raw_graph *graph, void *stream, float s)
{
    int failed = 0;
    for (int i = 0; i < graph->count; i++) {
        struct raw_call call;
        raw_fill(raw, &call, graph->is_chain ? 0 : i, s);
        failed |= raw->graph_set(graph->exec, graph->nodes[i], &call.node);
    }
    return failed | raw->graph_launch(graph->exec, stream);
}

#endif

// PoCL's queues, through whatever libOpenCL.so.1 is there. The prototypes are our own, of the few calls that are
// needed.
#include "peer.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cl_object *cl_handle; // platform, device, context, queue, program, kernel, memory, event

// name, result, parameters
#define OPENCL_CALLS(X)                                                                                                \
    X(clGetPlatformIDs, int, (unsigned, cl_handle *, unsigned *))                                                      \
    X(clGetPlatformInfo, int, (cl_handle, unsigned, size_t, void *, size_t *))                                         \
    X(clGetDeviceIDs, int, (cl_handle, uint64_t, unsigned, cl_handle *, unsigned *))                                   \
    X(clCreateContext, cl_handle, (const intptr_t *, unsigned, const cl_handle *, void *, void *, int *))              \
    X(clCreateCommandQueue, cl_handle, (cl_handle, cl_handle, uint64_t, int *))                                        \
    X(clCreateProgramWithSource, cl_handle, (cl_handle, unsigned, const char **, const size_t *, int *))               \
    X(clBuildProgram, int, (cl_handle, unsigned, const cl_handle *, const char *, void *, void *))                     \
    X(clCreateKernel, cl_handle, (cl_handle, const char *, int *))                                                     \
    X(clCreateBuffer, cl_handle, (cl_handle, uint64_t, size_t, void *, int *))                                         \
    X(clSetKernelArg, int, (cl_handle, unsigned, size_t, const void *))                                                \
    X(clEnqueueNDRangeKernel, int,                                                                                     \
      (cl_handle, cl_handle, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const cl_handle *,    \
       cl_handle *))                                                                                                   \
    X(clEnqueueMarkerWithWaitList, int, (cl_handle, unsigned, const cl_handle *, cl_handle *))                         \
    X(clEnqueueBarrierWithWaitList, int, (cl_handle, unsigned, const cl_handle *, cl_handle *))                        \
    X(clReleaseEvent, int, (cl_handle))                                                                                \
    X(clFlush, int, (cl_handle))                                                                                       \
    X(clFinish, int, (cl_handle))

enum { CL_PLATFORM_NAME = 0x0902, CL_DEVICE_TYPE_CPU = 2, CL_MEM_READ_WRITE = 1 };

struct opencl {
#define DECLARE(name, result, parameters) result(*name) parameters;
    OPENCL_CALLS(DECLARE)
#undef DECLARE
    cl_handle queues[MAX_K];
    cl_handle tiny[MAX_K]; // a kernel object is for one thread at a time
    cl_handle spin[MAX_K];
    cl_handle buffers[MAX_K];
    cl_handle words[MAX_K];
};

static const char *text = "kernel void tiny(global float *x) { x[0] = x[0] * 0.5f + 1; }\n"
                          "kernel void spin(int rounds, global uint *x)\n"
                          "{\n"
                          "    uint s = x[0];\n"
                          "    for (int i = 0; i < rounds; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; }\n"
                          "    x[0] = s;\n"
                          "}\n";

static void must(int status, const char *call)
{
    if (status != 0) {
        fprintf(stderr, "%s: OpenCL error %d\n", call, status);
        exit(1);
    }
}

static bool load_calls(struct opencl *cl)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol;
    if (library == NULL) {
        return false;
    }
#define LOAD(name, result, parameters)                                                                                 \
    symbol = dlsym(library, #name);                                                                                    \
    memcpy(&cl->name, &symbol, sizeof symbol);                                                                         \
    if (symbol == NULL) {                                                                                              \
        return false;                                                                                                  \
    }
    OPENCL_CALLS(LOAD)
#undef LOAD
    return true;
}

static bool find_device(struct opencl *cl, cl_handle *out)
{
    cl_handle platforms[16];
    unsigned count = 0;
    if (cl->clGetPlatformIDs(16, platforms, &count) != 0) {
        return false;
    }
    for (unsigned i = 0; i < count && i < 16; i++) {
        char name[128] = "";
        cl->clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, "Portable Computing Language") != NULL &&
            cl->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, out, NULL) == 0) {
            return true;
        }
    }
    return false;
}

static const char *open_opencl(struct peer *peer)
{
    struct opencl *cl = calloc(1, sizeof *cl);
    cl_handle device;
    int status = 0;
    peer->state = cl;
    if (cl == NULL || !load_calls(cl)) {
        return "there is no libOpenCL.so.1 (Debian: pocl-opencl-icd)";
    }
    if (!find_device(cl, &device)) {
        return "there is an OpenCL, but no PoCL in it (Debian: pocl-opencl-icd)";
    }
    cl_handle context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "clCreateContext");
    cl_handle program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status, "clCreateProgramWithSource");
    must(cl->clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    for (int i = 0; i < MAX_K; i++) {
        cl->queues[i] = cl->clCreateCommandQueue(context, device, 0, &status);
        must(status, "clCreateCommandQueue");
        cl->tiny[i] = cl->clCreateKernel(program, "tiny", &status);
        must(status, "clCreateKernel");
        cl->spin[i] = cl->clCreateKernel(program, "spin", &status);
        must(status, "clCreateKernel");
        cl->buffers[i] = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 512, NULL, &status);
        cl->words[i] = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status);
        must(status, "clCreateBuffer");
    }
    return NULL;
}

static void launch_tiny(struct opencl *cl, int i, int queue, unsigned wait_count, const cl_handle *waits,
                        cl_handle *out)
{
    size_t one = 1;
    must(cl->clSetKernelArg(cl->tiny[i], 0, sizeof(cl_handle), &cl->buffers[i]), "clSetKernelArg");
    must(cl->clEnqueueNDRangeKernel(cl->queues[queue], cl->tiny[i], 1, NULL, &one, &one, wait_count, waits, out),
         "clEnqueueNDRangeKernel");
}

static double enqueue(struct opencl *cl)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            launch_tiny(cl, 0, 0, 0, NULL, NULL);
        }
        must(cl->clFlush(cl->queues[0]), "clFlush");
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        must(cl->clFinish(cl->queues[0]), "clFinish");
    }
    return bench_median(times, BATCHES);
}

static double enqueue_idle(struct opencl *cl)
{
    usleep(IDLE_PAUSE_US);
    double start = bench_now();
    launch_tiny(cl, 0, 0, 0, NULL, NULL);
    must(cl->clFlush(cl->queues[0]), "clFlush");
    double spent = bench_now() - start;
    must(cl->clFinish(cl->queues[0]), "clFinish");
    return spent;
}

static double complete(struct opencl *cl)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            launch_tiny(cl, 0, 0, 0, NULL, NULL);
            must(cl->clFinish(cl->queues[0]), "clFinish");
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

static double record_and_wait(struct opencl *cl)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        cl_handle events[BATCH];
        launch_tiny(cl, 0, 0, 0, NULL, NULL);
        launch_tiny(cl, 1, 1, 0, NULL, NULL);
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            must(cl->clEnqueueMarkerWithWaitList(cl->queues[0], 0, NULL, &events[i]), "clEnqueueMarkerWithWaitList");
            must(cl->clEnqueueBarrierWithWaitList(cl->queues[1], 1, &events[i], NULL), "clEnqueueBarrierWithWaitList");
        }
        must(cl->clFlush(cl->queues[0]), "clFlush"); // without it nothing need have begun
        must(cl->clFlush(cl->queues[1]), "clFlush");
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        must(cl->clFinish(cl->queues[0]), "clFinish");
        must(cl->clFinish(cl->queues[1]), "clFinish");
        for (int i = 0; i < BATCH; i++) {
            must(cl->clReleaseEvent(events[i]), "clReleaseEvent");
        }
    }
    return bench_median(times, BATCHES);
}

static double chain(struct opencl *cl)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            cl_handle event;
            launch_tiny(cl, 0, 0, 0, NULL, &event);
            must(cl->clFlush(cl->queues[0]), "clFlush");
            launch_tiny(cl, 1, 1, 1, &event, NULL);
            must(cl->clFinish(cl->queues[1]), "clFinish");
            must(cl->clReleaseEvent(event), "clReleaseEvent");
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

// From queue 0 to k queues and back.
static double fork_join(struct opencl *cl, int k)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            cl_handle begin;
            cl_handle ends[MAX_K];
            must(cl->clEnqueueMarkerWithWaitList(cl->queues[0], 0, NULL, &begin), "clEnqueueMarkerWithWaitList");
            for (int p = 0; p < k; p++) {
                launch_tiny(cl, p, p + 1, 1, &begin, &ends[p]);
                must(cl->clFlush(cl->queues[p + 1]), "clFlush");
            }
            must(cl->clEnqueueBarrierWithWaitList(cl->queues[0], (unsigned)k, ends, NULL),
                 "clEnqueueBarrierWithWaitList");
            must(cl->clFinish(cl->queues[0]), "clFinish");
            must(cl->clReleaseEvent(begin), "clReleaseEvent");
            for (int p = 0; p < k; p++) {
                must(cl->clReleaseEvent(ends[p]), "clReleaseEvent");
            }
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

static double spins(struct opencl *cl, int k, bool overlap, int pause_us)
{
    size_t one = 1;
    int rounds = SPINS;
    launch_tiny(cl, 0, 0, 0, NULL, NULL);
    must(cl->clFinish(cl->queues[0]), "clFinish");
    usleep((unsigned)pause_us);
    double start = bench_now();
    for (int i = 0; i < k; i++) {
        must(cl->clSetKernelArg(cl->spin[i], 0, sizeof rounds, &rounds), "clSetKernelArg");
        must(cl->clSetKernelArg(cl->spin[i], 1, sizeof(cl_handle), &cl->words[i]), "clSetKernelArg");
        must(cl->clEnqueueNDRangeKernel(cl->queues[overlap ? i : 0], cl->spin[i], 1, NULL, &one, &one, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
        must(cl->clFlush(cl->queues[overlap ? i : 0]), "clFlush");
    }
    for (int i = 0; i < (overlap ? k : 1); i++) {
        must(cl->clFinish(cl->queues[i]), "clFinish");
    }
    return bench_now() - start;
}

static void launch_many(int index, void *user)
{
    struct opencl *cl = user;
    for (int i = 0; i < PER_THREAD; i++) {
        launch_tiny(cl, index, index, 0, NULL, NULL);
    }
    must(cl->clFinish(cl->queues[index]), "clFinish");
}

static double sample_opencl(struct peer *peer, enum shape shape, int k)
{
    struct opencl *cl = peer->state;
    switch (shape) {
    case SHAPE_ENQUEUE: return enqueue(cl);
    case SHAPE_IDLE: return enqueue_idle(cl);
    case SHAPE_COMPLETE: return complete(cl);
    case SHAPE_EVENT: return record_and_wait(cl);
    case SHAPE_CHAIN: return chain(cl);
    case SHAPE_FORK: return fork_join(cl, k);
    case SHAPE_SERIAL: return spins(cl, k, false, 0);
    case SHAPE_OVERLAP: return spins(cl, k, true, 0);
    case SHAPE_OVERLAP_IDLE: return spins(cl, k, true, IDLE_PAUSE_US);
    case SHAPE_THREADS: return bench_threads(k, launch_many, cl) / (k * PER_THREAD);
    default: return (double)NAN;
    }
}

struct peer peer_opencl = {.name = "PoCL", .open = open_opencl, .sample = sample_opencl};

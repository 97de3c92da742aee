// A CUDA driver that does nothing, at once, and says that it has run: what is left of a launch is Rill's own cost. See
// bench/gpu_host.c; tests/fakes has the stand-in that works. Every context is current already, as in a program that
// uses the driver itself.
//
// RILL_NULL_COLD=1: calls that queue work push code and data out of the first caches, as a real driver does.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL __attribute__((visibility("default"))) int

enum { LINE = 64, COLD_LINES = 1024 };

static char context[LINE];
static _Thread_local void *current = context;
static char cold_data[COLD_LINES * LINE];
static int is_cold;

// As many lines of code as |cold_data| has of data, a jump in each.
__attribute__((noinline)) static void run_cold_code(void)
{
#if defined(__x86_64__)
    __asm__ volatile(".p2align 6\n.rept 1024\njmp 1f\n.p2align 6\n1:\n.endr\n" ::: "memory");
#endif
}

static int work(void)
{
    if (is_cold) {
        for (int i = 0; i < COLD_LINES; i++) {
            ++*(volatile char *)&cold_data[i * LINE];
        }
        run_cold_code();
    }
    return 0;
}

// Something that is not NULL.
static int give(void **out)
{
    static char thing[LINE];
    *out = thing;
    return 0;
}

static int give_memory(void **out, size_t size)
{
    *out = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (*out == NULL) {
        return 2;
    }
    memset(*out, 0, size);
    return 0;
}

CALL cuInit(unsigned flags)
{
    (void)flags;
    is_cold = getenv("RILL_NULL_COLD") != NULL;
    return 0;
}
CALL cuDriverGetVersion(int *out)
{
    *out = 13000;
    return 0;
}
CALL cuGetErrorName(int e, const char **out)
{
    (void)e;
    *out = "none";
    return 0;
}
CALL cuGetErrorString(int e, const char **out)
{
    (void)e;
    *out = "none";
    return 0;
}
CALL cuDeviceGetCount(int *out)
{
    *out = 1;
    return 0;
}
CALL cuDeviceGet(int *out, int i)
{
    *out = i;
    return 0;
}
CALL cuDeviceGetName(char *out, int size, int d)
{
    (void)d;
    snprintf(out, (size_t)size, "null");
    return 0;
}
CALL cuDeviceTotalMem_v2(size_t *out, int d)
{
    (void)d;
    *out = (size_t)1 << 34;
    return 0;
}
CALL cuDeviceGetAttribute(int *out, int which, int d)
{
    (void)d;
    *out = which == 1     ? 1024
           : which == 10  ? 32
           : which == 16  ? 132
           : which == 41  ? 1
           : which == 75  ? 9
           : which == 76  ? 0
           : which == 115 ? 1
                          : 0;
    return 0;
}
CALL cuDevicePrimaryCtxRetain(void **out, int d)
{
    (void)d;
    *out = context;
    return 0;
}
CALL cuDevicePrimaryCtxRelease_v2(int d)
{
    (void)d;
    return 0;
}
CALL cuCtxGetCurrent(void **out)
{
    *out = current;
    return 0;
}
CALL cuCtxSetCurrent(void *c)
{
    current = c;
    return 0;
}
CALL cuCtxGetStreamPriorityRange(int *a, int *b)
{
    *a = 0;
    *b = -5;
    return 0;
}
CALL cuMemAlloc_v2(void **out, size_t size)
{
    return give_memory(out, size);
}
CALL cuMemFree_v2(void *m)
{
    free(m);
    return 0;
}
CALL cuMemHostAlloc(void **out, size_t size, unsigned f)
{
    (void)f;
    return give_memory(out, size);
}
CALL cuMemFreeHost(void *m)
{
    free(m);
    return 0;
}
CALL cuPointerGetAttribute(void *out, int which, uint64_t a)
{
    (void)which;
    (void)a;
    *(int *)out = 2;
    return 0;
}
CALL cuMemcpyAsync(uint64_t t, uint64_t s, size_t n, void *q)
{
    (void)q;
    memcpy((void *)t, (void *)s, n);
    return 0;
}
CALL cuMemsetD8Async(uint64_t t, unsigned char v, size_t n, void *q)
{
    (void)q;
    memset((void *)t, v, n);
    return 0;
}
CALL cuMemsetD16Async(uint64_t t, unsigned short v, size_t n, void *q)
{
    (void)t;
    (void)v;
    (void)n;
    (void)q;
    return 0;
}
CALL cuMemsetD32Async(uint64_t t, unsigned v, size_t n, void *q)
{
    (void)t;
    (void)v;
    (void)n;
    (void)q;
    return 0;
}
CALL cuStreamCreateWithPriority(void **out, unsigned f, int p)
{
    (void)f;
    (void)p;
    return give(out);
}
CALL cuStreamDestroy_v2(void *s)
{
    (void)s;
    return 0;
}
CALL cuStreamSynchronize(void *s)
{
    (void)s;
    return work();
}
CALL cuStreamQuery(void *s)
{
    (void)s;
    return 0;
}
CALL cuStreamWaitEvent(void *s, void *e, unsigned f)
{
    (void)s;
    (void)e;
    (void)f;
    return work();
}
CALL cuStreamIsCapturing(void *s, int *out)
{
    (void)s;
    *out = 0;
    return 0;
}
CALL cuLaunchHostFunc(void *s, void (*f)(void *), void *user)
{
    (void)s;
    f(user);
    return 0;
}
CALL cuEventCreate(void **out, unsigned f)
{
    (void)f;
    *out = malloc(LINE);
    return 0;
}
CALL cuEventDestroy_v2(void *e)
{
    free(e);
    return 0;
}
CALL cuEventRecord(void *e, void *s)
{
    (void)e;
    (void)s;
    return work();
}
CALL cuEventQuery(void *e)
{
    (void)e;
    return 0;
}
CALL cuEventSynchronize(void *e)
{
    (void)e;
    return 0;
}
CALL cuEventElapsedTime(float *out, void *a, void *b)
{
    (void)a;
    (void)b;
    *out = 0;
    return 0;
}
CALL cuModuleLoadDataEx(void **out, const void *c, unsigned n, int *o, void **v)
{
    (void)c;
    (void)n;
    (void)o;
    (void)v;
    return give(out);
}
CALL cuModuleLoadData(void **out, const void *c)
{
    (void)c;
    return give(out);
}
CALL cuModuleUnload(void *m)
{
    (void)m;
    return 0;
}
CALL cuModuleGetFunction(void **out, void *m, const char *n)
{
    (void)m;
    (void)n;
    return give(out);
}
CALL cuModuleGetGlobal_v2(void **out, size_t *size, void *m, const char *n)
{
    (void)m;
    (void)n;
    *size = LINE;
    return give(out);
}
CALL cuFuncGetAttribute(int *out, int w, void *f)
{
    (void)w;
    (void)f;
    *out = 0;
    return 0;
}
CALL cuOccupancyMaxPotentialBlockSize(int *g, int *b, void *f, void *s, size_t n, int l)
{
    (void)f;
    (void)s;
    (void)n;
    (void)l;
    *g = 264;
    *b = 1024;
    return 0;
}
CALL cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s,
                    void *q, void **p, void **x)
{
    (void)f;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    (void)e;
    (void)g;
    (void)s;
    (void)q;
    (void)p;
    (void)x;
    return work();
}
CALL cuGraphCreate(void **out, unsigned f)
{
    (void)f;
    return give(out);
}
CALL cuGraphDestroy(void *g)
{
    (void)g;
    return 0;
}
CALL cuGraphAddKernelNode(void **out, void *g, void *const *a, size_t n, const void *k)
{
    (void)g;
    (void)a;
    (void)n;
    (void)k;
    return give(out);
}
CALL cuGraphInstantiateWithFlags(void **out, void *g, unsigned long long f)
{
    (void)g;
    (void)f;
    return give(out);
}
CALL cuGraphExecKernelNodeSetParams(void *x, void *n, const void *k)
{
    (void)x;
    (void)n;
    (void)k;
    return 0;
}
CALL cuGraphExecDestroy(void *x)
{
    (void)x;
    return 0;
}
CALL cuGraphLaunch(void *x, void *s)
{
    (void)x;
    (void)s;
    return work();
}

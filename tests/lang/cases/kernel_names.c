// The word marks a function where a type or the function's name follows; anywhere else it is a name. Each such name is
// a macro for a plain C compiler, which is said once.
#include <rill/kernel.h>

struct kernel { float kernel[9]; int size; };
enum { sizes = 2 };
static const float table[2] = {1, 2};

static float apply(const struct kernel *kernel, int at) { return kernel->kernel[at] * (float)kernel->size; }

kernel void convolve(int n, const float in[n], float out[n], const float kernel[3])
{
    for (int i = 1; i < n - 1; i++) {
        out[i] = kernel[0] * in[i - 1] + kernel[1] * in[i] + kernel[2] * in[i + 1];
    }
}

static kernel float second(int n, struct kernel k)
{
    struct kernel kernel = {.kernel = {1}, .size = n};
    if (n < 0)
        goto kernel;
    kernel.size += k.size;
kernel:
    return apply(&kernel, 1) + (n ? kernel.kernel[0] : sizeof kernel);
}

void kernel third(int n) { (void)n; }
const kernel unsigned fourth(size_t kernel) { return (unsigned)kernel; }
kernel size_t fifth(float *kernel __attribute__((unused))) { return 1; }
int old(n, kernel) int n, kernel; { return n + kernel; }
kernel typo(int n) { return n; }
#undef kernel
int kernel;
#if defined kernel
#error kernel is no macro any more
#endif

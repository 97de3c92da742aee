// Floats of 16 bits through the C interface: element types, scalars, and every conversion held to rill/half.h, on the
// CPU also by code for processors that have no instruction for them.
#include "world.h"

#include <math.h>
#include <string.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void widen(int n, const _Float16 a[n], const __bf16 b[n], float f[n], double d[n])\n"
    "{ for (int i = 0; i < n; i++) { f[i] = a[i]; d[i] = b[i]; } }\n"
    "kernel void narrow(int n, const double d[n], const float f[n], _Float16 a[2 * n], __bf16 b[2 * n])\n"
    "{ for (int i = 0; i < n; i++) { a[i] = d[i]; b[i] = d[i]; a[n + i] = f[i]; b[n + i] = f[i]; } }\n"
    "kernel void sums(int n, const _Float16 a[n], const __bf16 b[n], _Float16 c[n], __bf16 d[n])\n"
    "{ for (int i = 0; i < n; i++) { c[i] = a[i] * a[n - 1 - i] + a[i]; d[i] = b[i] * b[n - 1 - i] + b[i]; } }\n"
    "kernel void scalars(_Float16 a, __bf16 b, double out[2]) { out[0] = a; out[1] = b; }\n"
    "kernel _Float16 total(int n, const _Float16 a[n])\n"
    "{ _Float16 sum = 0; for (int i = 0; i < n; i++) { sum += a[i]; } return sum; }\n";

enum { ALL = 0x10000 };

struct halves {
    struct world world;
    rill_module module;
};

static void open_halves(struct halves *h, const char *target)
{
    world_open(&h->world, 0);
    rill_module_options options = {.target = target, .contract_off = true};
    OK(rill_module_create(h->world.context, source, &options, &h->module));
}

static void close_halves(struct halves *h)
{
    OK(rill_module_destroy(h->module));
    world_close(&h->world);
}

static rill_kernel kernel_of(const struct halves *h, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(h->module, name, &kernel));
    return kernel;
}

static rill_array filled(struct halves *h, rill_type type, int n, const void *from, size_t size)
{
    rill_array array = world_array(&h->world, type, n);
    OK(rill_array_write(array, RILL_CURRENT, from, size));
    return array;
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static bool same_bits(uint16_t a, uint16_t b, bool is_bf16)
{
    return a == b || (isnan(is_bf16 ? rill_bf16_to_double(a) : rill_f16_to_double(a)) &&
                      isnan(is_bf16 ? rill_bf16_to_double(b) : rill_f16_to_double(b)));
}

static uint16_t bits[ALL], out16[2 * ALL], other16[2 * ALL];
static float floats[ALL];
static double doubles[ALL];

static void check_widening(struct halves *h)
{
    for (int i = 0; i < ALL; i++) {
        bits[i] = (uint16_t)i;
    }
    rill_array a = filled(h, RILL_F16, ALL, bits, sizeof bits), b = filled(h, RILL_BF16, ALL, bits, sizeof bits);
    rill_array f = world_array(&h->world, RILL_F32, ALL), d = world_array(&h->world, RILL_F64, ALL);
    OK(rill_launch(kernel_of(h, "widen"), RILL_CURRENT, RILL_ARGS(ALL, a, b, f, d)));
    OK(rill_array_read(f, RILL_CURRENT, floats, sizeof floats));
    OK(rill_array_read(d, RILL_CURRENT, doubles, sizeof doubles));
    int wrong = 0;
    for (int i = 0; i < ALL; i++) {
        wrong += !same((double)floats[i], rill_f16_to_double((uint16_t)i));
        wrong += !same(doubles[i], rill_bf16_to_double((uint16_t)i));
    }
    CHECK_INT(wrong, 0);
    // Each with another: rounded after the product, and after the sum.
    rill_array c = world_array(&h->world, RILL_F16, ALL), e = world_array(&h->world, RILL_BF16, ALL);
    OK(rill_launch(kernel_of(h, "sums"), RILL_CURRENT, RILL_ARGS(ALL, a, b, c, e)));
    OK(rill_array_read(c, RILL_CURRENT, out16, sizeof bits));
    OK(rill_array_read(e, RILL_CURRENT, other16, sizeof bits));
    for (int i = 0; i < ALL; i++) {
        float x = (float)rill_f16_to_double((uint16_t)i), y = (float)rill_f16_to_double((uint16_t)(ALL - 1 - i));
        float product = (float)rill_f16_to_double(rill_f16_from_double((double)(x * y)));
        wrong += !same_bits(out16[i], rill_f16_from_double((double)(product + x)), false);
        x = (float)rill_bf16_to_double((uint16_t)i), y = (float)rill_bf16_to_double((uint16_t)(ALL - 1 - i));
        product = (float)rill_bf16_to_double(rill_bf16_from_double((double)(x * y)));
        wrong += !same_bits(other16[i], rill_bf16_from_double((double)(product + x)), true);
    }
    CHECK_INT(wrong, 0);
}

// Neighbours of the middle between two halves: where a second rounding shows.
static void check_narrowing(struct halves *h)
{
    for (int i = 0; i < ALL; i++) {
        bool is_bf16 = i % 2 != 0;
        uint16_t low = (uint16_t)(i & 0x7fff);
        double x = is_bf16 ? rill_bf16_to_double(low) : rill_f16_to_double(low);
        double next = is_bf16 ? rill_bf16_to_double((uint16_t)(low + 1)) : rill_f16_to_double((uint16_t)(low + 1));
        double middle = x + (next - x) / 2;
        doubles[i] = i % 3 == 0 ? middle : nextafter(middle, i % 3 == 1 ? 0.0 : 1e300);
        doubles[i] = (i & 0x8000) != 0 ? -doubles[i] : doubles[i];
        floats[i] = i % 5 == 0 ? nextafterf((float)doubles[i], 0.0f) : (float)doubles[i];
    }
    rill_array d = filled(h, RILL_F64, ALL, doubles, sizeof doubles),
               f = filled(h, RILL_F32, ALL, floats, sizeof floats);
    rill_array a = world_array(&h->world, RILL_F16, 2 * ALL), b = world_array(&h->world, RILL_BF16, 2 * ALL);
    OK(rill_launch(kernel_of(h, "narrow"), RILL_CURRENT, RILL_ARGS(ALL, d, f, a, b)));
    OK(rill_array_read(a, RILL_CURRENT, out16, sizeof out16));
    OK(rill_array_read(b, RILL_CURRENT, other16, sizeof other16));
    int wrong = 0;
    for (int i = 0; i < 2 * ALL; i++) {
        double x = i < ALL ? doubles[i] : (double)floats[i - ALL];
        wrong += !same_bits(out16[i], rill_f16_from_double(x), false);
        wrong += !same_bits(other16[i], rill_bf16_from_double(x), true);
    }
    CHECK_INT(wrong, 0);
}

TEST(every_conversion_rounds_once)
{
    struct halves h;
    open_halves(&h, NULL);
    check_widening(&h);
    check_narrowing(&h);
    close_halves(&h);
}

TEST(processors_without_instructions_for_halves_compute_the_same)
{
    const char *device = getenv("RILL_TEST_DEVICE");
    if (device != NULL && strcmp(device, "cpu") != 0) {
        SKIP("code for another processor is the CPU's matter");
    }
    struct halves h;
    open_halves(&h, "x86-64-v2");
    check_widening(&h);
    check_narrowing(&h);
    close_halves(&h);
}

TEST(scalars_of_16_bits_are_rounded_or_refused)
{
    struct halves h;
    open_halves(&h, NULL);
    rill_kernel scalars = kernel_of(&h, "scalars");
    rill_array out = world_array(&h.world, RILL_F64, 2);
    double got[2];
    OK(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(0.1, 0.1f, out)));
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    CHECK(got[0] == rill_f16_to_double(rill_f16_from_double(0.1)));
    CHECK(got[1] == rill_bf16_to_double(rill_bf16_from_double((double)0.1f)));
    OK(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(-3, 257u, out))); // integers convert
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    CHECK(got[0] == -3 && got[1] == 256);
    OK(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(INFINITY, (double)NAN, out)));
    CHECK_INT(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(65520.0, 1.0, out)), RILL_ERR_ARGUMENTS);
    CHECK_INT(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(70000, 1.0, out)), RILL_ERR_ARGUMENTS);
    CHECK_INT(rill_launch(scalars, RILL_CURRENT, RILL_ARGS(1.0, 1e39, out)), RILL_ERR_ARGUMENTS);
    close_halves(&h);
}

TEST(arrays_of_16_bits_are_types_of_their_own)
{
    struct halves h;
    open_halves(&h, NULL);
    rill_kernel total = kernel_of(&h, "total");
    rill_kernel_info info;
    OK(rill_kernel_describe(total, &info));
    CHECK_INT(info.returns->type, RILL_F16);
    CHECK_STR(info.returns->name, "_Float16");
    CHECK_INT(info.returns->size, 2);
    uint16_t values[64], result;
    for (int i = 0; i < 64; i++) {
        values[i] = rill_f16_from_double(i - 20.0);
    }
    rill_array a = filled(&h, RILL_F16, 64, values, sizeof values), wrong = world_array(&h.world, RILL_BF16, 64);
    rill_array sum = world_array(&h.world, RILL_F16, 1);
    OK(rill_launch_result(total, RILL_CURRENT, RILL_ARGS(64, a), sum));
    OK(rill_array_read(sum, RILL_CURRENT, &result, sizeof result));
    CHECK(rill_f16_to_double(result) == 64 * 63 / 2 - 64 * 20);
    CHECK_INT(rill_launch(total, RILL_CURRENT, RILL_ARGS(64, wrong)), RILL_ERR_ARGUMENTS);
    close_halves(&h);
}

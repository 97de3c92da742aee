// What the tests of math calls share: the functions, arguments that are hard for them, and a reference of 113 bits from
// libquadmath, which comes with gcc and is opened at run time.
#ifndef RILL_TESTS_CONFORMANCE_MATH_CASES_H
#define RILL_TESTS_CONFORMANCE_MATH_CASES_H

#include "rill/rill.h"

#include "test.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>

__extension__ typedef __float128 quad;

// X(C name, arguments, lower and upper end of where it is interesting). Results are rounded: held to ulps.
#define MATH_ROUNDED_LIST(X)                                                                                           \
    X(acos, 1, -1, 1)                                                                                                  \
    X(acosh, 1, 1, 40)                                                                                                 \
    X(asin, 1, -1, 1)                                                                                                  \
    X(asinh, 1, -20, 20)                                                                                               \
    X(atan, 1, -8, 8)                                                                                                  \
    X(atan2, 2, -8, 8)                                                                                                 \
    X(atanh, 1, -1, 1)                                                                                                 \
    X(cbrt, 1, -100, 100)                                                                                              \
    X(cos, 1, -100, 100)                                                                                               \
    X(cosh, 1, -90, 90)                                                                                                \
    X(erf, 1, -6, 6)                                                                                                   \
    X(erfc, 1, -6, 27)                                                                                                 \
    X(exp, 1, -104, 89)                                                                                                \
    X(exp2, 1, -150, 128)                                                                                              \
    X(expm1, 1, -20, 89)                                                                                               \
    X(fdim, 2, -10, 10)                                                                                                \
    X(fma, 3, -10, 10)                                                                                                 \
    X(fmod, 2, -100, 100)                                                                                              \
    X(hypot, 2, -100, 100)                                                                                             \
    X(lgamma, 1, -20, 40)                                                                                              \
    X(log, 1, 0, 3)                                                                                                    \
    X(log10, 1, 0, 3)                                                                                                  \
    X(log1p, 1, -1, 3)                                                                                                 \
    X(log2, 1, 0, 3)                                                                                                   \
    X(pow, 2, 0, 20)                                                                                                   \
    X(remainder, 2, -100, 100)                                                                                         \
    X(sin, 1, -100, 100)                                                                                               \
    X(sinh, 1, -90, 90)                                                                                                \
    X(sqrt, 1, 0, 100)                                                                                                 \
    X(tan, 1, -100, 100)                                                                                               \
    X(tanh, 1, -10, 10)                                                                                                \
    X(tgamma, 1, -40, 36)

struct math_function {
    const char *name;
    int arity;
    double low, high;
};

static const struct math_function math_functions[] = {
#define MATH_ROW(name, arity, low, high) {#name, arity, low, high},
    MATH_ROUNDED_LIST(MATH_ROW)
#undef MATH_ROW
};
enum { MATH_FUNCTION_COUNT = sizeof math_functions / sizeof math_functions[0] };

// ---- the reference
// ----------------------------------------------------------------------------------------------------------------

union math_symbol { // C has no conversion from the pointer that dlsym gives
    void *pointer;
    quad (*one)(quad);
    quad (*two)(quad, quad);
    quad (*three)(quad, quad, quad);
};

static inline union math_symbol math_reference(const char *name)
{
    static void *library; // opened once, for the life of the program
    if (library == NULL) {
        library = dlopen("libquadmath.so.0", RTLD_NOW | RTLD_LOCAL);
    }
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%sq", name);
    return (union math_symbol){.pointer = library != NULL ? dlsym(library, symbol) : NULL};
}

static inline quad math_true_value(const struct math_function *function, union math_symbol reference,
                                   const double *args)
{
    return function->arity == 1   ? reference.one((quad)args[0])
           : function->arity == 2 ? reference.two((quad)args[0], (quad)args[1])
                                  : reference.three((quad)args[0], (quad)args[1], (quad)args[2]);
}

// ---- errors
// -----------------------------------------------------------------------------------------------------------------

static inline quad math_scale(quad x, int exponent)
{
    for (; exponent > 0; exponent--) {
        x *= 2;
    }
    for (; exponent < 0; exponent++) {
        x /= 2;
    }
    return x;
}

// The distance of |got| from the true value in units of the last place that the type has there. An infinity stands for
// the first number beyond the range; a NaN, an infinity or a zero that is no rounding must be matched exactly, with its
// sign.
static inline double math_ulps(bool is_float, double got, quad expected)
{
    double rounded = (double)expected; // the class and, nearly, the size
    if (expected != expected || isnan(got)) {
        return (expected != expected) == (isnan(got) != 0) ? 0 : HUGE_VAL;
    }
    bool is_infinite = isinf(rounded) && expected + expected == expected;
    bool is_negative = expected < 0 || (expected == 0 && signbit(rounded));
    if (is_infinite || expected == 0) {
        return got == rounded && (signbit(got) != 0) == is_negative ? 0 : HUGE_VAL;
    }
    if ((signbit(got) != 0) != is_negative) {
        return HUGE_VAL;
    }
    int digits = is_float ? 24 : 53, highest = is_float ? 128 : 1024, lowest = is_float ? -149 : -1074;
    int exponent = highest; // |expected| < 2^exponent
    if (!isinf(rounded)) {
        (void)frexp(rounded, &exponent);
        if (rounded == 0) {
            exponent = -2000;
        }
    }
    exponent = exponent > highest ? highest : exponent;
    int last = exponent - digits < lowest ? lowest : exponent - digits;
    quad value = isinf(got) ? math_scale(got > 0 ? 1 : -1, highest) : (quad)got;
    quad distance = (value - expected) * math_scale(1, -last);
    if (isinf(got) && (is_negative ? expected <= value : expected >= value)) {
        return 0;
    }
    return fabs((double)distance);
}

// ---- arguments
// ---------------------------------------------------------------------------------------------------------------------

static inline uint64_t math_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline double math_unit(uint64_t *state)
{
    return (double)(math_random(state) >> 11) * 0x1p-53;
}

static inline double math_as(bool is_float, double x)
{
    return is_float ? (double)(float)x : x;
}

static inline double math_any_bits(bool is_float, uint64_t bits)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return is_float ? (double)narrow : wide;
}

static const double math_edges[] = {
    0.0,  -0.0, INFINITY,  -INFINITY, NAN,       1.0,  -1.0,   2.0,    -2.0,       0.5,         -0.5,      3.0,
    -3.0, 1e10, -1e10,     1.5,       -1.5,      2.5,  -2.5,   0.25,   FLT_MAX,    -FLT_MAX,    FLT_MIN,   -FLT_MIN,
    1e20, 1e30, 0x1p-149,  -0x1p-149, 0x1p-130,  88.0, 88.73,  -87.34, -103.97,    709.0,       709.79,    -745.14,
    10.0, 100., 16777216., 8388607.5, -8388609., 35.0, 171.62, 1e-10,  0x1p-24,    0x1p-53,     -0x1p-60,  1e5,
    1e-5, -4.0, 1e300,     -1e300,    DBL_MAX,   1e-5, 1e-300, 5e-324, -5e-324,    DBL_MIN,     -DBL_MIN,  -7.0,
    26.5, 9.06, 27.2,      0x1p1000,  0x1p500,   6.0,  -0.75,  -1e-20, 0x1.8p+100, 0x1.fep+127, 0x1p-1060, 1e-40,
};

// Next to a multiple of pi/2, as near as the type comes.
static inline double math_near_pi(bool is_float, uint64_t *state)
{
    int bits = (int)(math_random(state) % (is_float ? 30 : 50));
    double k = floor(ldexp(math_unit(state), bits)) + 1;
    double x = (double)((quad)k * (quad)1.5707963267948966 + (quad)k * (quad)6.123233995736766e-17);
    x = math_as(is_float, x);
    return math_random(state) % 2 != 0 ? x : -x;
}

static inline double math_argument(const struct math_function *function, bool is_float, int index, uint64_t *state)
{
    uint64_t bits = math_random(state);
    double sign = bits % 2 != 0 ? 1 : -1;
    double tiny = ldexp(1 + math_unit(state), -(int)(bits / 16 % (is_float ? 26 : 56)));
    switch (index % 8) {
    case 0: return math_any_bits(is_float, bits);
    case 3: return math_as(is_float, sign * ldexp(1 + math_unit(state), (int)(bits / 16 % 44) - 32));
    case 4: return math_near_pi(is_float, state);
    case 5: return math_as(is_float, sign * (1 + (bits / 2 % 2 != 0 ? tiny : -tiny)));
    case 6: return math_as(is_float, floor(math_unit(state) * 200 - 100) / 2 + tiny * sign);
    default: return math_as(is_float, function->low + math_unit(state) * (function->high - function->low));
    }
}

// The arguments number |index|: all pairs of edges come first.
static inline void math_arguments(const struct math_function *function, bool is_float, int index, uint64_t *state,
                                  double *out)
{
    enum { EDGES = sizeof math_edges / sizeof math_edges[0] };
    for (int i = 0; i < 3; i++) {
        out[i] = math_argument(function, is_float, index + (i > 0 ? (int)(math_random(state) % 8) : 0), state);
    }
    if (index < (function->arity == 1 ? EDGES : EDGES * EDGES)) {
        out[0] = math_as(is_float, math_edges[index % EDGES]);
        out[1] = math_as(is_float, math_edges[index / EDGES % EDGES]);
    } else if (strcmp(function->name, "pow") == 0 && index % 2 == 0) { // results all over the range
        double target = math_unit(state) * (is_float ? 280 : 2110) - (is_float ? 150 : 1080);
        out[0] = fabs(out[0]);
        out[1] = math_as(is_float, target / log2(out[0]));
    } else if (strcmp(function->name, "hypot") == 0 && index % 2 == 0) { // neither is lost in the other
        out[1] = math_as(is_float, out[0] * (0.1 + 4 * math_unit(state)));
    } else if (strcmp(function->name, "fma") == 0 && index % 2 == 0) { // cancels
        out[2] = math_as(is_float, -out[0] * out[1]);
    }
}

// ---- the device
// -----------------------------------------------------------------------------------------------------------------------

// RILL_TEST_DEVICE, or the CPU.
static inline const char *math_device(void)
{
    const char *device = getenv("RILL_TEST_DEVICE");
    return device != NULL ? device : "cpu";
}

static inline bool math_is_cpu(void)
{
    return strcmp(math_device(), "cpu") == 0;
}

static inline rill_context math_open(int threads)
{
    rill_context context = {0};
    if (rill_open(math_device(), &(rill_open_options){.thread_count = threads}, &context) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
    return context;
}

// ---- kernels
// -----------------------------------------------------------------------------------------------------------------------

// Appends a kernel that maps |function| over arrays: sin_f or sin_d.
static inline void math_add_kernel(char *text, size_t size, const struct math_function *function, bool is_float)
{
    static const char *const args[] = {"", "x[i]", "x[i], y[i]", "x[i], y[i], z[i]"};
    const char *type = is_float ? "float" : "double";
    size_t used = strlen(text);
    snprintf(text + used, size - used,
             "kernel void %s_%c(long n, const %s x[n], const %s y[n], const %s z[n], %s r[n])\n"
             "{ for (long i = 0; i < n; i++) r[i] = %s%s(%s); }\n",
             function->name, is_float ? 'f' : 'd', type, type, type, type, function->name, is_float ? "f" : "",
             args[function->arity]);
}

static inline rill_module math_module(rill_context context, bool is_float, const char *target)
{
    static char text[64 * 1024];
    strcpy(text, "#include <rill/kernel.h>\n#include <math.h>\n");
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        math_add_kernel(text, sizeof text, &math_functions[i], is_float);
    }
    rill_module module = {0};
    if (rill_module_create(context, text, &(rill_module_options){.target = target}, &module) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
    return module;
}

static inline rill_kernel math_kernel(rill_module module, const struct math_function *function, bool is_float)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%c", function->name, is_float ? 'f' : 'd');
    rill_kernel kernel = {0};
    if (rill_module_kernel(module, name, &kernel) != RILL_OK) {
        FAIL("%s", rill_message());
    }
    return kernel;
}

static inline double math_take(bool is_float, const void *array, size_t index)
{
    return is_float ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

static inline void math_put(bool is_float, void *array, size_t index, double value)
{
    if (is_float) {
        ((float *)array)[index] = (float)value;
    } else {
        ((double *)array)[index] = value;
    }
}

// Elements |first| to |first| + |count| of the arrays x, y, z, r, each of which holds doubles or floats.
static inline bool math_run(rill_kernel kernel, bool is_float, void *const arrays[4], size_t first, size_t count)
{
    size_t size = is_float ? sizeof(float) : sizeof(double);
    rill_arg args[5] = {rill_arg_int((int64_t)count)};
    for (int i = 0; i < 4; i++) {
        args[i + 1] = rill_arg_memory(RILL_ARG_HOST, is_float ? RILL_F32 : RILL_F64, (char *)arrays[i] + first * size,
                                      count, size);
    }
    if (rill_call(kernel, RILL_CURRENT, (rill_args){args, 5}, NULL, 0) != RILL_OK) {
        return FAIL("%s", rill_message());
    }
    return true;
}

#endif

// Math functions of floats on the device that RILL_TEST_DEVICE names, held to the same function of doubles there (which
// math_ulp_test holds to a reference): at most 2 ulp on a GPU, for one float in 4093; with RILL_TEST_LONG for every
// float there is, on a CPU for one in 61: all would take it hours.
//
//   math_float_test --table [step [samples]]    prints the largest error of each function and where it is
#define TEST_NO_MAIN
#include "world.h"

#include <math.h>

// |step| 1 is every float. The error of a result that is not finite, or should not be, is 0 or 1e30.
static const char head[] =
    "#include <rill/kernel.h>\n#include <math.h>\n#include <stdint.h>\n"
    "static double error_of(float got, double expected)\n"
    "{ union { double number; uint64_t bits; } unit;\n"
    "  if (isnan(expected) || isnan(got)) { return isnan(expected) && isnan(got) ? 0 : 1e30; }\n"
    "  if (isinf(expected) || expected == 0) {\n"
    "    return got == expected && !signbit(got) == !signbit(expected) ? 0 : 1e30; }\n"
    "  if (!signbit(got) != !signbit(expected)) { return 1e30; }\n"
    "  double size = fabs(expected);\n"
    "  double value = isinf(got) ? 0x1p128 : fabs((double)got);\n"
    "  if (isinf(got) && size >= 0x1p128) { return 0; }\n"
    "  unit.number = fmin(fmax(size, 0x1p-126), 0x1.fffffep127);\n"
    "  unit.bits = (2069 - (unit.bits >> 52)) << 52;\n" // 2^23 / the power of two below
    "  return fabs(value - size) * unit.number; }\n"
    "static float float_of(uint32_t bits)\n"
    "{ union { uint32_t bits; float number; } both; both.bits = bits; return both.number; }\n"
    "#define ONE(name) kernel void all_##name(uint32_t step, long count, double error[1], uint32_t at[2]) { \\\n"
    "  double worst = 0; uint32_t where = 0; \\\n"
    "  for (long i = 0; i < count; i++) { uint32_t bits = (uint32_t)i * step; float x = float_of(bits); \\\n"
    "    double e = error_of(name##f(x), name((double)x)); \\\n"
    "    if (e > worst) { worst = e; where = bits; } } \\\n"
    "  error[0] = worst; at[0] = where; }\n"
    // A quarter of the pairs are any two floats; the others have results that are neither 0 nor infinite, some of them
    // with a base next to 1.
    "static float base_of(long i) { uint64_t r = rill_random_u32(7, 2 * i); long kind = i & 3;\n"
    "  if (kind == 0) { return float_of((uint32_t)r); }\n"
    "  if (kind == 1) { return float_of((uint32_t)(r % 0x7f800000)); }\n"
    "  if (kind == 2) { return 1 + ((int)(r & 0xffff) - 32768) * 0x1p-24f * (1 << (r >> 29)); }\n"
    "  return (float)(r + 1) * 0x1p-29f; }\n"
    "static float exponent_of(long i, float x) { uint32_t r = rill_random_u32(7, 2 * i + 1); long kind = i & 3;\n"
    "  if (kind == 0) { return float_of(r); }\n"
    "  if (kind == 3) { return ((int)(r & 0xffff) - 32768) * 0x1p-9f; }\n"
    "  return (float)((r * 0x1p-31 - 1) * 150 / log2((double)x)); }\n"
    "kernel void all_pow(uint32_t step, long count, double error[1], uint32_t at[2]) {\n"
    "  double worst = 0; long where = 0;\n"
    "  for (long i = 0; i < count; i++) { float x = base_of(i * step); float y = exponent_of(i * step, x);\n"
    "    double e = error_of(powf(x, y), pow((double)x, (double)y));\n"
    "    if (e > worst) { worst = e; where = i; } }\n"
    "  error[0] = worst; float x = base_of(where * step); float y = exponent_of(where * step, x);\n"
    "  union { float number; uint32_t bits; } both; both.number = x; at[0] = both.bits;\n"
    "  both.number = y; at[1] = both.bits; }\n";

// X(name, ulps that a GPU may be off). Our own first; exp2 is as good as the instruction.
#define FUNCTION_LIST(X)                                                                                               \
    X(cos, 2)                                                                                                          \
    X(exp, 2)                                                                                                          \
    X(exp2, 2.1)                                                                                                       \
    X(log, 2)                                                                                                          \
    X(log10, 2)                                                                                                        \
    X(log2, 2)                                                                                                         \
    X(sin, 2)                                                                                                          \
    X(tan, 2)                                                                                                          \
    X(tanh, 2)                                                                                                         \
    X(acos, 4)                                                                                                         \
    X(acosh, 4)                                                                                                        \
    X(asin, 4)                                                                                                         \
    X(asinh, 4)                                                                                                        \
    X(atan, 4)                                                                                                         \
    X(atanh, 4)                                                                                                        \
    X(cbrt, 4)                                                                                                         \
    X(cosh, 4)                                                                                                         \
    X(erf, 4)                                                                                                          \
    X(erfc, 4)                                                                                                         \
    X(expm1, 4)                                                                                                        \
    X(log1p, 4)                                                                                                        \
    X(sinh, 4)

static const struct function {
    const char *name;
    double limit;
} functions[] = {
#define FUNCTION_ROW(name, limit) {#name, limit},
    FUNCTION_LIST(FUNCTION_ROW)
#undef FUNCTION_ROW
        {"pow", 2},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

struct worst {
    double error;
    uint32_t at[2];
};

static rill_module load(rill_context context)
{
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int i = 0; i < FUNCTION_COUNT - 1; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "ONE(%s)\n", functions[i].name);
    }
    rill_module module = {0};
    OK(rill_module_create(context, text, NULL, &module));
    return module;
}

static struct worst measure(rill_module module, const struct function *function, uint32_t step, int64_t count)
{
    struct worst worst = {.error = HUGE_VAL};
    char name[32];
    snprintf(name, sizeof name, "all_%s", function->name);
    rill_kernel kernel;
    OK(rill_module_kernel(module, name, &kernel));
    rill_args args = RILL_ARGS(step, count, RILL_HOST(&worst.error, 1), RILL_HOST(worst.at, 2));
    OK(rill_call(kernel, RILL_CURRENT, args, NULL, 0));
    return worst;
}

static float float_of(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static int64_t count_of(const struct function *function, uint32_t step, int64_t samples)
{
    return strcmp(function->name, "pow") == 0 ? samples : ((INT64_C(1) << 32) + step - 1) / step;
}

TEST(functions_of_floats_are_within_their_ulps)
{
    bool is_long = getenv("RILL_TEST_LONG") != NULL;
    bool is_every = is_long && !world_is_cpu();
    uint32_t step = is_every ? 1 : is_long ? 61 : 4093;
    rill_context context = {0};
    OK(rill_open(world_device(), NULL, &context));
    rill_module module = load(context);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        int64_t count = count_of(&functions[i], step, is_every ? 1000000000 : is_long ? 20000000 : 1000000);
        struct worst worst = measure(module, &functions[i], step, count);
        if (worst.error > (world_is_cpu() ? 4 : functions[i].limit)) {
            FAIL("%sf(%a, %a): %.3f ulp", functions[i].name, (double)float_of(worst.at[0]),
                 (double)float_of(worst.at[1]), worst.error);
        }
    }
    OK(rill_close(context));
}

static void print_table(uint32_t step, int64_t samples)
{
    rill_context context = {0};
    OK(rill_open(world_device(), NULL, &context));
    rill_module module = load(context);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        struct worst worst = measure(module, &functions[i], step, count_of(&functions[i], step, samples));
        printf("%-6s %8.3f at %a", functions[i].name, worst.error, (double)float_of(worst.at[0]));
        printf(strcmp(functions[i].name, "pow") == 0 ? ", %a\n" : "\n", (double)float_of(worst.at[1]));
        fflush(stdout);
    }
    OK(rill_close(context));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        if (setjmp(test_run.leave) == 0) {
            print_table(argc > 2 ? (uint32_t)atoi(argv[2]) : 1, argc > 3 ? atoll(argv[3]) : 1000000000);
        }
        return test_run.failed_file != NULL;
    }
    return test_main(argc, argv);
}

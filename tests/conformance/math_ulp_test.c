// Math calls against a reference of 113 bits: at most 4 ulp, for floats and doubles, over edges, arguments next to
// multiples of pi/2, next to 1, next to integers, and over all exponents. tgamma and lgamma of the CPU are the C
// library's. RILL_TEST_DEVICE names another device.
//
//   math_ulp_test --table [arguments [target]]    prints rows of the table in docs/math.md
#define TEST_NO_MAIN
#include "math_cases.h"

enum { CHUNK = 1 << 16 };

struct worst {
    double ulps;
    double args[3];
    double got;
    double expected;
    long count;
};

struct arrays {
    double x[CHUNK], y[CHUNK], z[CHUNK], r[CHUNK];
};

static void fill(const struct math_function *function, bool is_float, struct arrays *arrays, int first, int count,
                 uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        double args[3];
        math_arguments(function, is_float, first + i, state, args);
        math_put(is_float, arrays->x, (size_t)i, args[0]);
        math_put(is_float, arrays->y, (size_t)i, args[1]);
        math_put(is_float, arrays->z, (size_t)i, args[2]);
    }
}

// Of a GPU's lgamma between negative integers, where it goes through 0, the absolute error is held: in ulps of what is
// subtracted there.
static double error_of(const struct math_function *function, bool is_float, const double *args, double got,
                       quad expected)
{
    if (strcmp(function->name, "lgamma") == 0 && !is_float && !math_is_cpu() && args[0] < 0 && isfinite(got)) {
        return fabs((double)((quad)got - expected)) / (DBL_EPSILON * fmax(fmax(1, fabs(got)), lgamma(-args[0])));
    }
    return math_ulps(is_float, got, expected);
}

static void judge(const struct math_function *function, bool is_float, const struct arrays *arrays, int count,
                  struct worst *worst)
{
    union math_symbol reference = math_reference(function->name);
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)i;
        double args[3] = {math_take(is_float, arrays->x, at), math_take(is_float, arrays->y, at),
                          math_take(is_float, arrays->z, at)};
        double got = math_take(is_float, arrays->r, at);
        quad expected = math_true_value(function, reference, args);
        double ulps = error_of(function, is_float, args, got, expected);
        if (ulps > worst->ulps) {
            *worst = (struct worst){
                .ulps = ulps, .args = {args[0], args[1], args[2]}, .got = got, .expected = (double)expected};
        }
    }
}

static struct worst measure(rill_module module, const struct math_function *function, bool is_float, int count)
{
    static struct arrays arrays;
    void *const pointers[4] = {arrays.x, arrays.y, arrays.z, arrays.r};
    struct worst worst = {.ulps = 0};
    uint64_t state = 1;
    for (int first = 0; first < count; first += CHUNK) {
        int part = count - first < CHUNK ? count - first : CHUNK;
        fill(function, is_float, &arrays, first, part, &state);
        if (!math_run(math_kernel(module, function, is_float), is_float, pointers, 0, (size_t)part)) {
            break;
        }
        judge(function, is_float, &arrays, part, &worst);
    }
    worst.count = count;
    return worst;
}

static rill_context open_device(void)
{
    if (math_reference("sin").pointer == NULL) {
        SKIP("there is no libquadmath.so.0 to compare with");
    }
    return math_open(0);
}

static double limit_of(const struct math_function *function)
{
    static const char *const exact[] = {"sqrt", "fma", "fdim", "fmod", "remainder"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (strcmp(function->name, exact[i]) == 0) {
            return 0.5;
        }
    }
    // As the C library has them: glibc documents up to 10 for tgamma and lgamma.
    // On a GPU tgamma of a negative number is a quotient of products.
    bool is_gamma = strcmp(function->name, "tgamma") == 0 || strcmp(function->name, "lgamma") == 0;
    return is_gamma ? 10 : 4;
}

static void check_all(bool is_float, const char *target, int count)
{
    rill_context context = open_device();
    rill_module module = math_module(context, is_float, target);
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        const struct math_function *function = &math_functions[i];
        struct worst worst = measure(module, function, is_float, count);
        if (worst.ulps > limit_of(function)) {
            FAIL("%s%s(%.17g, %.17g, %.17g) on %s is %.17g, expected %.17g: %.2f ulp", function->name,
                 is_float ? "f" : "", worst.args[0], worst.args[1], worst.args[2],
                 target != NULL ? target : "the device", worst.got, worst.expected, worst.ulps);
        }
    }
    CHECK(rill_close(context) == RILL_OK);
}

static int wanted_count(void)
{
    return getenv("RILL_TEST_LONG") != NULL ? 2000000 : 12000;
}

TEST(float_functions_are_within_four_ulp)
{
    check_all(true, math_is_cpu() ? "native" : NULL, wanted_count());
}

TEST(double_functions_are_within_four_ulp)
{
    check_all(false, math_is_cpu() ? "native" : NULL, wanted_count());
}

// Another instruction set means other routines of the C library.
TEST(float_functions_are_within_four_ulp_with_sse_only)
{
    if (!math_is_cpu()) {
        SKIP("this device is no CPU");
    }
    check_all(true, "x86-64", wanted_count() / 2);
}

TEST(double_functions_are_within_four_ulp_with_sse_only)
{
    if (!math_is_cpu()) {
        SKIP("this device is no CPU");
    }
    check_all(false, "x86-64", wanted_count() / 2);
}

// ---- the table of the docs
// --------------------------------------------------------------------------------------------------------

static void print_table(int count, const char *target)
{
    rill_context context = open_device();
    rill_module modules[2] = {math_module(context, true, target), math_module(context, false, target)};
    printf("| function | float, ulp | double, ulp |\n| --- | --- | --- |\n");
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        struct worst narrow = measure(modules[0], &math_functions[i], true, count);
        struct worst wide = measure(modules[1], &math_functions[i], false, count);
        printf("| `%s` | %.2f | %.2f |\n", math_functions[i].name, narrow.ulps, wide.ulps);
        if (fmax(narrow.ulps, wide.ulps) > 4) {
            fprintf(stderr, "%s: %.2f at %a %a = %a; %.2f at %a %a = %a\n", math_functions[i].name, narrow.ulps,
                    narrow.args[0], narrow.args[1], narrow.got, wide.ulps, wide.args[0], wide.args[1], wide.got);
        }
        fflush(stdout);
    }
    printf("\n%d arguments for each.\n", count);
    CHECK(rill_close(context) == RILL_OK);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        if (setjmp(test_run.leave) == 0) {
            print_table(argc > 2 ? atoi(argv[2]) : 1000000, argc > 3 ? argv[3] : math_is_cpu() ? "native" : NULL);
        }
        return test_run.failed_file != NULL;
    }
    return test_main(argc, argv);
}

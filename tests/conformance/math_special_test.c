// Math calls beyond their accuracy: what C99's Annex F says of special values, functions whose results are exact, and
// that a result depends on the argument alone.
#include "math_cases.h"

#define SOURCE_HEAD "#include <rill/kernel.h>\n#include <math.h>\n#include <limits.h>\n"

static rill_module compile(rill_context context, const char *text)
{
    rill_module module = {0};
    if (rill_module_create(context, text, NULL, &module) != RILL_OK) {
        FAIL("%s", rill_message());
        test_leave(NULL);
    }
    return module;
}

static const struct math_function *find_function(const char *name)
{
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        if (strcmp(math_functions[i].name, name) == 0) {
            return &math_functions[i];
        }
    }
    return NULL;
}

// ---- Annex F
// ------------------------------------------------------------------------------------------------------------------

#define INF INFINITY
#define PI 3.14159265358979323846

// What F.9 lists, written out. A result that is not exact (a multiple of pi) is compared within 4 ulp.
static const struct special {
    const char *name;
    double x, y;
    double expected;
} specials[] = {
    {"acos", 1, 0, 0.0},
    {"acos", 2, 0, NAN},
    {"acos", -1.5, 0, NAN},
    {"acos", INF, 0, NAN},
    {"asin", 0.0, 0, 0.0},
    {"asin", -0.0, 0, -0.0},
    {"asin", 1.5, 0, NAN},
    {"asin", -INF, 0, NAN},
    {"atan", 0.0, 0, 0.0},
    {"atan", -0.0, 0, -0.0},
    {"atan", INF, 0, PI / 2},
    {"atan", -INF, 0, -PI / 2},
    {"atan2", 0.0, -0.0, PI},
    {"atan2", -0.0, -0.0, -PI},
    {"atan2", 0.0, 0.0, 0.0},
    {"atan2", -0.0, 0.0, -0.0},
    {"atan2", 0.0, -1, PI},
    {"atan2", -0.0, -1, -PI},
    {"atan2", 0.0, 1, 0.0},
    {"atan2", -0.0, 1, -0.0},
    {"atan2", -1, 0.0, -PI / 2},
    {"atan2", -1, -0.0, -PI / 2},
    {"atan2", 1, 0.0, PI / 2},
    {"atan2", 1, -0.0, PI / 2},
    {"atan2", 1, -INF, PI},
    {"atan2", -1, -INF, -PI},
    {"atan2", 1, INF, 0.0},
    {"atan2", -1, INF, -0.0},
    {"atan2", INF, 1, PI / 2},
    {"atan2", -INF, 1, -PI / 2},
    {"atan2", INF, -INF, 3 * PI / 4},
    {"atan2", -INF, -INF, -3 * PI / 4},
    {"atan2", INF, INF, PI / 4},
    {"atan2", -INF, INF, -PI / 4},
    {"cos", 0.0, 0, 1},
    {"cos", -0.0, 0, 1},
    {"cos", INF, 0, NAN},
    {"cos", -INF, 0, NAN},
    {"sin", 0.0, 0, 0.0},
    {"sin", -0.0, 0, -0.0},
    {"sin", INF, 0, NAN},
    {"sin", -INF, 0, NAN},
    {"tan", 0.0, 0, 0.0},
    {"tan", -0.0, 0, -0.0},
    {"tan", INF, 0, NAN},
    {"tan", -INF, 0, NAN},
    {"acosh", 1, 0, 0.0},
    {"acosh", INF, 0, INF},
    {"acosh", 0.5, 0, NAN},
    {"acosh", -INF, 0, NAN},
    {"asinh", 0.0, 0, 0.0},
    {"asinh", -0.0, 0, -0.0},
    {"asinh", INF, 0, INF},
    {"asinh", -INF, 0, -INF},
    {"atanh", 0.0, 0, 0.0},
    {"atanh", -0.0, 0, -0.0},
    {"atanh", 1, 0, INF},
    {"atanh", -1, 0, -INF},
    {"atanh", 2, 0, NAN},
    {"atanh", -INF, 0, NAN},
    {"cosh", 0.0, 0, 1},
    {"cosh", -0.0, 0, 1},
    {"cosh", INF, 0, INF},
    {"cosh", -INF, 0, INF},
    {"sinh", 0.0, 0, 0.0},
    {"sinh", -0.0, 0, -0.0},
    {"sinh", INF, 0, INF},
    {"sinh", -INF, 0, -INF},
    {"tanh", 0.0, 0, 0.0},
    {"tanh", -0.0, 0, -0.0},
    {"tanh", INF, 0, 1},
    {"tanh", -INF, 0, -1},
    {"exp", 0.0, 0, 1},
    {"exp", -0.0, 0, 1},
    {"exp", -INF, 0, 0.0},
    {"exp", INF, 0, INF},
    {"exp2", 0.0, 0, 1},
    {"exp2", -0.0, 0, 1},
    {"exp2", -INF, 0, 0.0},
    {"exp2", INF, 0, INF},
    {"expm1", 0.0, 0, 0.0},
    {"expm1", -0.0, 0, -0.0},
    {"expm1", -INF, 0, -1},
    {"expm1", INF, 0, INF},
    {"log", 0.0, 0, -INF},
    {"log", -0.0, 0, -INF},
    {"log", 1, 0, 0.0},
    {"log", -1, 0, NAN},
    {"log", -INF, 0, NAN},
    {"log", INF, 0, INF},
    {"log10", 0.0, 0, -INF},
    {"log10", -0.0, 0, -INF},
    {"log10", 1, 0, 0.0},
    {"log10", -1, 0, NAN},
    {"log10", INF, 0, INF},
    {"log1p", 0.0, 0, 0.0},
    {"log1p", -0.0, 0, -0.0},
    {"log1p", -1, 0, -INF},
    {"log1p", -2, 0, NAN},
    {"log1p", INF, 0, INF},
    {"log2", 0.0, 0, -INF},
    {"log2", -0.0, 0, -INF},
    {"log2", 1, 0, 0.0},
    {"log2", -1, 0, NAN},
    {"log2", INF, 0, INF},
    {"cbrt", 0.0, 0, 0.0},
    {"cbrt", -0.0, 0, -0.0},
    {"cbrt", INF, 0, INF},
    {"cbrt", -INF, 0, -INF},
    {"hypot", INF, NAN, INF},
    {"hypot", NAN, -INF, INF},
    {"hypot", -3, 0.0, 3},
    {"hypot", 0.0, -0.0, 0.0},
    {"pow", 0.0, -3, INF},
    {"pow", -0.0, -3, -INF},
    {"pow", 0.0, -2, INF},
    {"pow", -0.0, -2, INF},
    {"pow", -0.0, -2.5, INF},
    {"pow", 0.0, 3, 0.0},
    {"pow", -0.0, 3, -0.0},
    {"pow", -0.0, 2, 0.0},
    {"pow", -0.0, 2.5, 0.0},
    {"pow", -1, INF, 1},
    {"pow", -1, -INF, 1},
    {"pow", 1, NAN, 1},
    {"pow", 1, INF, 1},
    {"pow", NAN, 0.0, 1},
    {"pow", NAN, -0.0, 1},
    {"pow", -2, 0.5, NAN},
    {"pow", 0.5, -INF, INF},
    {"pow", 2, -INF, 0.0},
    {"pow", 0.5, INF, 0.0},
    {"pow", -2, INF, INF},
    {"pow", -INF, -3, -0.0},
    {"pow", -INF, -2, 0.0},
    {"pow", -INF, 3, -INF},
    {"pow", -INF, 2.5, INF},
    {"pow", INF, -1, 0.0},
    {"pow", INF, 1, INF},
    {"sqrt", 0.0, 0, 0.0},
    {"sqrt", -0.0, 0, -0.0},
    {"sqrt", INF, 0, INF},
    {"sqrt", -1, 0, NAN},
    {"erf", 0.0, 0, 0.0},
    {"erf", -0.0, 0, -0.0},
    {"erf", INF, 0, 1},
    {"erf", -INF, 0, -1},
    {"erfc", INF, 0, 0.0},
    {"erfc", -INF, 0, 2},
    {"lgamma", 1, 0, 0.0},
    {"lgamma", 2, 0, 0.0},
    {"lgamma", 0.0, 0, INF},
    {"lgamma", -3, 0, INF},
    {"lgamma", INF, 0, INF},
    {"lgamma", -INF, 0, INF},
    {"tgamma", 0.0, 0, INF},
    {"tgamma", -0.0, 0, -INF},
    {"tgamma", -3, 0, NAN},
    {"tgamma", -INF, 0, NAN},
    {"tgamma", INF, 0, INF},
    {"fmod", 0.0, 3, 0.0},
    {"fmod", -0.0, 3, -0.0},
    {"fmod", INF, 3, NAN},
    {"fmod", 3, 0.0, NAN},
    {"fmod", -3, INF, -3},
    {"remainder", INF, 3, NAN},
    {"remainder", 3, 0.0, NAN},
    {"remainder", 3, INF, 3},
    {"fdim", INF, 1, INF},
    {"fdim", 1, NAN, NAN},
    {"fdim", NAN, 1, NAN},
};
enum { SPECIAL_COUNT = sizeof specials / sizeof specials[0] };

static void check_special(rill_module module, bool is_float, const struct special *row, int copies)
{
    static double x[64], y[64], z[64], r[64];
    void *const arrays[4] = {x, y, z, r};
    for (int i = 0; i < copies; i++) { // between ordinary values, and alone
        bool here = copies == 1 || i == copies / 2;
        math_put(is_float, x, (size_t)i, here ? row->x : 0.75);
        math_put(is_float, y, (size_t)i, here ? row->y : 0.75);
        math_put(is_float, z, (size_t)i, 0);
    }
    math_run(math_kernel(module, find_function(row->name), is_float), is_float, arrays, 0, (size_t)copies);
    double got = math_take(is_float, r, (size_t)(copies == 1 ? 0 : copies / 2));
    double expected = math_as(is_float, row->expected);
    bool is_exact = expected == 0 || fabs(expected) == 1 || isinf(expected);
    double error = is_exact && got != expected ? HUGE_VAL : math_ulps(is_float, got, (quad)expected);
    if (error > 4) {
        FAIL("%s%s(%g, %g) is %.17g, expected %.17g", row->name, is_float ? "f" : "", row->x, row->y, got, expected);
    }
}

TEST(special_values_are_as_annex_f_says)
{
    rill_context context = math_open(1);
    for (int is_float = 0; is_float < 2; is_float++) {
        rill_module module = math_module(context, is_float, "native");
        for (int i = 0; i < SPECIAL_COUNT; i++) {
            check_special(module, is_float, &specials[i], 1);
            check_special(module, is_float, &specials[i], 41);
        }
        for (int i = 0; i < MATH_FUNCTION_COUNT; i++) { // a NaN in gives a NaN out
            struct special nan = {math_functions[i].name, NAN, 2, NAN};
            check_special(module, is_float, &nan, 1);
            check_special(module, is_float, &nan, 41);
        }
    }
    CHECK(rill_close(context) == RILL_OK);
}

// ---- exact functions
// ---------------------------------------------------------------------------------------------------------------------

// The same text, compiled by Rill and by the C compiler, where C defines what comes out: r in the type, q an integer.
#define EXACT_LIST(S, X)                                                                                               \
    S(ceil, r = FN(ceil)(x))                                                                                           \
    S(floor, r = FN(floor)(x))                                                                                         \
    S(trunc, r = FN(trunc)(x))                                                                                         \
    S(round, r = FN(round)(x))                                                                                         \
    S(rint, r = FN(rint)(x))                                                                                           \
    S(nearbyint, r = FN(nearbyint)(x))                                                                                 \
    S(fabs, r = FN(fabs)(x))                                                                                           \
    S(logb, r = FN(logb)(x))                                                                                           \
    S(copysign, r = FN(copysign)(x, y))                                                                                \
    S(nextafter, r = FN(nextafter)(x, y))                                                                              \
    S(fmin, r = FN(fmin)(x, y) + 0)                                                                                    \
    S(fmax, r = FN(fmax)(x, y) + 0)                                                                                    \
    S(ilogb, q = FN(ilogb)(x))                                                                                         \
    S(ldexp, r = FN(ldexp)(x, k))                                                                                      \
    S(scalbn, r = FN(scalbn)(x, k))                                                                                    \
    S(scalbln, r = FN(scalbln)(x, (long)k))                                                                            \
    S(frexp, int e = 0; r = FN(frexp)(x, &e); q = isfinite(x) ? e : 0)                                                 \
    S(modf, TYPE whole; r = FN(modf)(x, &whole); q = fabs(whole) < 1e9 ? (long)whole : 0)                              \
    S(remquo, int bits = 0; r = FN(remquo)(x, y, &bits); q = isnan(r) ? 0 : bits < 0 ? -(-bits & 7) : bits & 7)        \
    S(isnan, q = isnan(x) != 0)                                                                                        \
    S(isinf, q = isinf(x) != 0)                                                                                        \
    S(isfinite, q = isfinite(x) != 0)                                                                                  \
    S(isnormal, q = isnormal(x) != 0)                                                                                  \
    S(signbit, q = signbit(x) != 0)                                                                                    \
    S(fpclassify, q = fpclassify(x) == FP_NAN         ? 1                                                              \
                      : fpclassify(x) == FP_INFINITE  ? 2                                                              \
                      : fpclassify(x) == FP_ZERO      ? 3                                                              \
                      : fpclassify(x) == FP_SUBNORMAL ? 4                                                              \
                                                      : 5)                                                             \
    S(compare, q = isgreater(x, y) + 2 * isgreaterequal(x, y) + 4 * isless(x, y) + 8 * islessequal(x, y) +             \
                   16 * islessgreater(x, y) + 32 * isunordered(x, y))                                                  \
    X(lrint, q = FN(lrint)(x), q = saturate(FN(rint)(x)))                                                              \
    X(llrint, q = FN(llrint)(x), q = saturate(FN(rint)(x)))                                                            \
    X(lround, q = FN(lround)(x), q = saturate(FN(round)(x)))                                                           \
    X(llround, q = FN(llround)(x), q = saturate(FN(round)(x)))

// language.md, section 6: a conversion to an integer saturates, of a NaN it gives 0.
static long saturate(double x)
{
    return isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (long)x;
}

#define HOST_FLOAT_SAME(name, body) HOST_FLOAT(name, , body)
#define HOST_FLOAT(name, mine, host)                                                                                   \
    static void host_##name##_f(float x, float y, int k, double *out_r, long *out_q)                                   \
    {                                                                                                                  \
        float r = 0;                                                                                                   \
        long q = 0;                                                                                                    \
        (void)y, (void)k;                                                                                              \
        host;                                                                                                          \
        *out_r = (double)r;                                                                                            \
        *out_q = q;                                                                                                    \
    }
#define HOST_DOUBLE_SAME(name, body) HOST_DOUBLE(name, , body)
#define HOST_DOUBLE(name, mine, host)                                                                                  \
    static void host_##name##_d(double x, double y, int k, double *out_r, long *out_q)                                 \
    {                                                                                                                  \
        double r = 0;                                                                                                  \
        long q = 0;                                                                                                    \
        (void)y, (void)k;                                                                                              \
        host;                                                                                                          \
        *out_r = r;                                                                                                    \
        *out_q = q;                                                                                                    \
    }
#define FN(name) name##f
#define TYPE float
EXACT_LIST(HOST_FLOAT_SAME, HOST_FLOAT)
#undef FN
#undef TYPE
#define FN(name) name
#define TYPE double
EXACT_LIST(HOST_DOUBLE_SAME, HOST_DOUBLE)
#undef FN
#undef TYPE

struct exact {
    const char *name;
    const char *body;
    void (*host_f)(float, float, int, double *, long *);
    void (*host_d)(double, double, int, double *, long *);
};

#define EXACT_ROW_SAME(name, body) {#name, #body, host_##name##_f, host_##name##_d},
#define EXACT_ROW(name, mine, host) {#name, #mine, host_##name##_f, host_##name##_d},
static const struct exact exacts[] = {EXACT_LIST(EXACT_ROW_SAME, EXACT_ROW)};
enum { EXACT_COUNT = sizeof exacts / sizeof exacts[0], EXACT_SIZE = 4001 };

struct exact_data {
    double x[EXACT_SIZE], y[EXACT_SIZE], r[EXACT_SIZE];
    int k[EXACT_SIZE];
    long q[EXACT_SIZE];
};

static void fill_exact(struct exact_data *data, bool is_float)
{
    uint64_t state = 77;
    for (int i = 0; i < EXACT_SIZE; i++) {
        double args[3];
        math_arguments(find_function("hypot"), is_float, i * 3, &state, args);
        math_put(is_float, data->x, (size_t)i, args[0]);
        math_put(is_float, data->y, (size_t)i, i % 5 == 0 ? args[0] * 1.25 : args[1]);
        data->k[i] = i % 17 == 0 ? (int)math_random(&state) : (int)(math_random(&state) % 400) - 200;
    }
}

static void compare_exact(const struct exact *row, bool is_float, const struct exact_data *data)
{
    for (int i = 0; i < EXACT_SIZE; i++) {
        double x = math_take(is_float, data->x, (size_t)i), y = math_take(is_float, data->y, (size_t)i), r;
        double got = math_take(is_float, data->r, (size_t)i);
        long q;
        if (is_float) {
            row->host_f((float)x, (float)y, data->k[i], &r, &q);
        } else {
            row->host_d(x, y, data->k[i], &r, &q);
        }
        bool same = (isnan(got) && isnan(r)) || (got == r && !signbit(got) == !signbit(r));
        if (!same || q != data->q[i]) {
            FAIL("%s%s(%a, %a, %d) is %a and %ld, expected %a and %ld", row->name, is_float ? "f" : "", x, y,
                 data->k[i], got, data->q[i], r, q);
            return;
        }
    }
}

static void check_exact(rill_context context, bool is_float)
{
    static char text[64 * 1024];
    static struct exact_data data;
    const char *type = is_float ? "float" : "double";
    int used = snprintf(text, sizeof text, SOURCE_HEAD "#define TYPE %s\n#define FN(name) name%s\n", type,
                        is_float ? "##f" : "");
    for (int i = 0; i < EXACT_COUNT; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "kernel void k_%s(int n, const TYPE xs[n], const TYPE ys[n], const int ks[n], TYPE rs[n],\n"
                         "                 long qs[n])\n{ for (int i = 0; i < n; i++) {\n"
                         "  TYPE x = xs[i], y = ys[i], r = 0; int k = ks[i]; long q = 0;\n  %s;\n"
                         "  rs[i] = r; qs[i] = q; } }\n",
                         exacts[i].name, exacts[i].body);
    }
    rill_module module = compile(context, text);
    fill_exact(&data, is_float);
    rill_type element = is_float ? RILL_F32 : RILL_F64;
    size_t size = is_float ? sizeof(float) : sizeof(double);
    for (int i = 0; i < EXACT_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "k_%s", exacts[i].name);
        rill_kernel kernel = {0};
        CHECK(rill_module_kernel(module, name, &kernel) == RILL_OK);
        rill_status status = rill_call(
            kernel, RILL_CURRENT,
            RILL_ARGS(EXACT_SIZE, rill_arg_memory(RILL_ARG_HOST, element, data.x, EXACT_SIZE, size),
                      rill_arg_memory(RILL_ARG_HOST, element, data.y, EXACT_SIZE, size), RILL_HOST(data.k, EXACT_SIZE),
                      rill_arg_memory(RILL_ARG_HOST, element, data.r, EXACT_SIZE, size), RILL_HOST(data.q, EXACT_SIZE)),
            NULL, 0);
        if (status != RILL_OK) {
            FAIL("%s", rill_message());
            continue;
        }
        compare_exact(&exacts[i], is_float, &data);
    }
}

TEST(exact_functions_of_floats_are_exact)
{
    rill_context context = math_open(2);
    check_exact(context, true);
    CHECK(rill_close(context) == RILL_OK);
}

TEST(exact_functions_of_doubles_are_exact)
{
    rill_context context = math_open(2);
    check_exact(context, false);
    CHECK(rill_close(context) == RILL_OK);
}

// ---- the argument alone
// ---------------------------------------------------------------------------------------------------------------

enum { PLACE_SIZE = 40013 };

struct places {
    double x[PLACE_SIZE], y[PLACE_SIZE], z[PLACE_SIZE], whole[PLACE_SIZE], parts[PLACE_SIZE];
};

static struct places places;

static bool same_bits(const struct math_function *function, bool is_float, size_t count, const char *how)
{
    size_t size = is_float ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < count; i++) {
        if (memcmp((char *)places.whole + i * size, (char *)places.parts + i * size, size) != 0) {
            return FAIL("%s%s(%a, %a) is %a, and %a %s", function->name, is_float ? "f" : "",
                        math_take(is_float, places.x, i), math_take(is_float, places.y, i),
                        math_take(is_float, places.whole, i), math_take(is_float, places.parts, i), how);
        }
    }
    return true;
}

// The same values in one call, in pieces of other lengths that start elsewhere, by other numbers of threads.
static void check_places(rill_module module, rill_module other, const struct math_function *function, bool is_float)
{
    static const size_t pieces[] = {1, 3, 7, 17, 33, 64, 255};
    void *const whole[4] = {places.x, places.y, places.z, places.whole};
    void *const parts[4] = {places.x, places.y, places.z, places.parts};
    uint64_t state = 5;
    for (int i = 0; i < PLACE_SIZE; i++) {
        double args[3];
        math_arguments(function, is_float, i, &state, args);
        math_put(is_float, places.x, (size_t)i, args[0]);
        math_put(is_float, places.y, (size_t)i, args[1]);
        math_put(is_float, places.z, (size_t)i, args[2]);
    }
    rill_kernel kernel = math_kernel(module, function, is_float);
    math_run(kernel, is_float, whole, 0, PLACE_SIZE);
    math_run(math_kernel(other, function, is_float), is_float, parts, 0, PLACE_SIZE);
    same_bits(function, is_float, PLACE_SIZE, "with 7 threads");
    memset(places.parts, 0, sizeof places.parts);
    enum { SHORT = 800 };
    for (size_t first = 0, k = 0; first < SHORT; k++) {
        size_t count = pieces[k % 7] < SHORT - first ? pieces[k % 7] : SHORT - first;
        math_run(kernel, is_float, parts, first, count);
        first += count;
    }
    same_bits(function, is_float, SHORT, "in pieces");
}

static void check_all_places(bool is_float)
{
    rill_context one = math_open(1), seven = math_open(7);
    rill_module module = math_module(one, is_float, "native"), other = math_module(seven, is_float, "native");
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        check_places(module, other, &math_functions[i], is_float);
    }
    CHECK(rill_close(one) == RILL_OK);
    CHECK(rill_close(seven) == RILL_OK);
}

TEST(a_call_depends_on_its_argument_alone_with_floats)
{
    check_all_places(true);
}

TEST(a_call_depends_on_its_argument_alone_with_doubles)
{
    check_all_places(false);
}

// A literal argument, a scalar of the launch, a serial loop that nobody can count, an element of a vectorised loop.
static void check_forms(rill_context context, const struct math_function *function, bool is_float)
{
    static const double values[] = {0.3, 0.75, 1.1, 2.7, 5.9, 12.3, -0.4, -3.3};
    enum { VALUES = sizeof values / sizeof values[0] };
    char text[8192];
    const char *type = is_float ? "float" : "double", *f = is_float ? "f" : "";
    int used =
        snprintf(text, sizeof text,
                 SOURCE_HEAD "static %s call(%s x) { return %s%s(x%s); }\n"
                             "kernel void forms(int n, const %s x[n], %s scalar, %s r[4][n])\n{\n"
                             "  for (int i = 0; i < n; i++) r[0][i] = call(x[i]);\n"
                             "  int k = 0;\n  while (k < n) { r[1][k] = call(x[k]); k += x[k] == x[k] ? 1 : 2; }\n"
                             "  r[2][0] = call(scalar);\n",
                 type, type, function->name, f, function->arity == 1 ? "" : ", x * 0.75", type, type, type);
    for (int i = 0; i < VALUES; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "  r[3][%d] = call(%a);\n", i,
                         math_as(is_float, values[i]));
    }
    snprintf(text + used, sizeof text - (size_t)used, "}\n");
    rill_module module = compile(context, text);
    rill_kernel kernel = {0};
    CHECK(rill_module_kernel(module, "forms", &kernel) == RILL_OK);
    double x[VALUES], r[4 * VALUES];
    for (size_t i = 0; i < VALUES; i++) {
        math_put(is_float, x, i, values[i]);
    }
    rill_type element = is_float ? RILL_F32 : RILL_F64;
    size_t size = is_float ? sizeof(float) : sizeof(double);
    if (rill_call(kernel, RILL_CURRENT,
                  RILL_ARGS(VALUES, rill_arg_memory(RILL_ARG_HOST, element, x, VALUES, size), math_take(is_float, x, 0),
                            rill_arg_memory(RILL_ARG_HOST, element, r, 4 * VALUES, size)),
                  NULL, 0) != RILL_OK) {
        FAIL("%s", rill_message());
        return;
    }
    static const char *const hows[] = {"", "in a serial loop", "of a scalar", "of a literal"};
    // A real GPU's driver may compute what depends on constants alone, to other last bits: docs/math.md.
    const char *device = getenv("RILL_TEST_DEVICE");
    bool is_real_gpu = device != NULL && strcmp(device, "cpu") != 0 && getenv("RILL_STAND_IN") == NULL;
    for (size_t i = 0; i < VALUES; i++) {
        for (size_t form = 1; form < (is_real_gpu ? 3 : 4); form++) {
            double a = math_take(is_float, r, i), b = math_take(is_float, r, form * VALUES + i);
            if ((form != 2 || i == 0) && !(isnan(a) && isnan(b)) && a != b) {
                FAIL("%s%s(%g) is %a, and %a %s", function->name, f, values[i], a, b, hows[form]);
            }
        }
    }
    CHECK(rill_module_destroy(module) == RILL_OK);
}

TEST(a_call_gives_the_same_bits_in_every_form)
{
    rill_context context = math_open(2);
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++) {
        if (math_functions[i].arity < 3) {
            check_forms(context, &math_functions[i], true);
            check_forms(context, &math_functions[i], false);
        }
    }
    CHECK(rill_close(context) == RILL_OK);
}

// Accuracy of math on the CPU against a reference of higher precision: the double functions for float, the long double
// ones (64 bits of mantissa) for double. docs/math.md states what this measures; RILL_ULP_TABLE=1 prints its rows.
#include "support.h"

#include <math.h>

typedef long double wide;

struct function {
    enum ir_math math;
    wide (*one)(wide);
    wide (*two)(wide, wide);
    double low; // where the function has values worth looking at; beyond it everything is an edge
    double high;
    double limit; // ulp
};

#define ONE(name, function, low, high) {IR_MATH_##name, function##l, NULL, low, high, 4.0}
#define TWO(name, function, low, high) {IR_MATH_##name, NULL, function##l, low, high, 4.0}

static const struct function functions[] = {
    ONE(ACOS, acos, -1, 1),
    ONE(ACOSH, acosh, 1, 1e6),
    ONE(ASIN, asin, -1, 1),
    ONE(ASINH, asinh, -1e6, 1e6),
    ONE(ATAN, atan, -1e6, 1e6),
    TWO(ATAN2, atan2, -1e6, 1e6),
    ONE(ATANH, atanh, -1, 1),
    ONE(CBRT, cbrt, -1e9, 1e9),
    ONE(COS, cos, -1e5, 1e5),
    ONE(COSH, cosh, -80, 80),
    ONE(ERF, erf, -6, 6),
    ONE(ERFC, erfc, -6, 9),
    ONE(EXP, exp, -86, 88),
    ONE(EXP2, exp2, -125, 127),
    ONE(EXPM1, expm1, -20, 88),
    TWO(FMOD, fmod, -1e3, 1e3),
    TWO(HYPOT, hypot, -1e9, 1e9),
    ONE(LOG, log, 0, 1e9),
    ONE(LOG10, log10, 0, 1e9),
    ONE(LOG1P, log1p, -1, 1e9),
    ONE(LOG2, log2, 0, 1e9),
    TWO(POW, pow, 0, 20),
    TWO(REMAINDER, remainder, -1e3, 1e3),
    ONE(SIN, sin, -1e5, 1e5),
    ONE(SINH, sinh, -80, 80),
    ONE(SQRT, sqrt, 0, 1e9),
    ONE(TAN, tan, -1e4, 1e4),
    ONE(TANH, tanh, -20, 20),
    {IR_MATH_LGAMMA, lgammal, NULL, 1e-3, 1e4, HUGE_VAL}, // as the C library has them
    {IR_MATH_TGAMMA, tgammal, NULL, 1e-3, 30, HUGE_VAL},
};

enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0], SAMPLE_COUNT = 60000 };

// Half the samples are spread evenly, half over the orders of magnitude.
static double sample(const struct function *f, uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double unit = (double)(*state >> 11) / 9007199254740992.0;
    if ((*state >> 3 & 1) != 0) {
        return f->low + (f->high - f->low) * unit;
    }
    double size = ldexp(1.0 + unit, -(int)(*state >> 57 & 31)) * (f->high / 2);
    double value = f->low < 0 && (*state >> 5 & 1) != 0 ? -size : size;
    return value < f->low ? f->low : value > f->high ? f->high : value;
}

static double ulps(enum ir_type type, double got, wide expected)
{
    if (isnan(got) || isnan((double)expected)) {
        return isnan(got) && isnan((double)expected) ? 0 : HUGE_VAL;
    }
    if (isinf(got)) {
        double largest = type == IR_F32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
        return fabsl(expected) >= (wide)largest && (got > 0) == (expected > 0) ? 0 : HUGE_VAL;
    }
    if (expected == 0) {
        return got == 0 ? 0 : HUGE_VAL;
    }
    int exponent;
    frexpl(expected, &exponent);
    int digits = type == IR_F32 ? 24 : 53;
    int least = type == IR_F32 ? -149 : -1074;
    int unit = exponent - digits > least ? exponent - digits : least;
    return (double)(fabsl((wide)got - expected) / ldexpl(1.0L, unit));
}

static void add_task(struct fixture *f, const struct function *function, enum ir_type type, const char *name)
{
    f->task = ir_function_create(f->module, IR_FUNCTION_TASK, name);
    f->task->kernel = f->kernel;
    f->task->assume_independent = true;
    f->b.function = f->task;
    f->b.region = &f->task->body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[2] = {fixture_load(f, 0, iter, type), NULL};
    if (function->two != NULL) {
        args[1] = fixture_load(f, 1, iter, type);
    }
    fixture_store(f, 2, iter, fixture_math(f, function->math, type, function->two != NULL ? 2 : 1, args));
}

static double worst_error(struct fixture *f, const struct function *function, enum ir_type type, const char *name)
{
    static double x[SAMPLE_COUNT], y[SAMPLE_COUNT], out[SAMPLE_COUNT];
    uint64_t state = 12345;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        double a = sample(function, &state), b = sample(function, &state);
        if (type == IR_F32) {
            ((float *)x)[i] = (float)a;
            ((float *)y)[i] = (float)b;
        } else {
            x[i] = a;
            y[i] = b;
        }
    }
    void *buffer[3] = {x, y, out};
    struct test_frame frame = new_frame(SAMPLE_COUNT);
    fixture_entry(f, name)(buffer, NULL, 0, SAMPLE_COUNT, NULL, &frame.frame);
    double worst = 0, at = 0;
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        double a = type == IR_F32 ? (double)((float *)x)[i] : x[i];
        double b = type == IR_F32 ? (double)((float *)y)[i] : y[i];
        double got = type == IR_F32 ? (double)((float *)out)[i] : out[i];
        double error = ulps(type, got, function->two != NULL ? function->two(a, b) : function->one(a));
        if (error > worst) {
            worst = error;
            at = a;
        }
    }
    if (worst > function->limit) {
        FAIL("%s(%g …) is %g ulp off", name, at, worst);
    }
    return worst;
}

static void check_target(const char *target)
{
    static char names[2 * FUNCTION_COUNT][32];
    struct fixture f;
    fixture_init(&f);
    f.kernel = ir_function_create(f.module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 3; i++) {
        fixture_param(&f, "a", IR_PTR);
    }
    for (int i = 0; i < 2 * FUNCTION_COUNT; i++) {
        enum ir_type type = i % 2 == 0 ? IR_F32 : IR_F64;
        snprintf(names[i], sizeof names[i], "%s.%s", ir_math_name(functions[i / 2].math), ir_type_name(type));
        add_task(&f, &functions[i / 2], type, names[i]);
    }
    bool table = getenv("RILL_ULP_TABLE") != NULL;
    if (fixture_build(&f, &(struct codegen_options){.target = target})) {
        for (int i = 0; i < FUNCTION_COUNT; i++) {
            double narrow = worst_error(&f, &functions[i], IR_F32, names[2 * i]);
            double full = worst_error(&f, &functions[i], IR_F64, names[2 * i + 1]);
            if (table) {
                printf("| %s | %s | %.2f | %.2f |\n", target, ir_math_name(functions[i].math), narrow, full);
            }
        }
    }
    fixture_finish(&f);
}

TEST(math_is_within_four_ulp_of_the_exact_result)
{
    check_target("native");
}

TEST(math_is_within_four_ulp_of_the_exact_result_on_avx2)
{
    check_target("x86-64-v3");
}

TEST(math_is_within_four_ulp_of_the_exact_result_on_sse)
{
    check_target("x86-64");
}

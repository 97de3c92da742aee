// Math calls: near the C library's results, and the same bits wherever an element stands.
#include "support.h"

#include <math.h>

static struct ir_function *add_math_task(struct fixture *f, enum ir_math math, enum ir_type type, const char *name,
                                         bool in_a_loop)
{
    struct ir_function *task = ir_function_create(f->module, IR_FUNCTION_TASK, name);
    task->kernel = f->kernel;
    task->assume_independent = true;
    f->task = task;
    f->b.function = task;
    f->b.region = &task->body;
    struct ir_inst *iter = ir_emit0(&f->b, IR_OP_ITER, IR_I64);
    struct ir_inst *args[2] = {fixture_load(f, 0, iter, type), NULL};
    int count = ir_math_arg_count(math);
    if (count > 1) {
        args[1] = fixture_load(f, 1, iter, math == IR_MATH_LDEXP ? IR_I32 : type);
    }
    bool gives_int = math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS;
    enum ir_type result = gives_int ? IR_I32 : type;
    if (!in_a_loop) {
        fixture_store(f, 2, iter, fixture_math(f, math, result, count, args));
        return task;
    }
    // Under a condition and in a loop that LLVM cannot count: the scalar form.
    struct ir_inst *loop = ir_control(&f->b, IR_OP_LOOP, NULL, 1);
    struct ir_region *outer = f->b.region;
    f->b.region = &loop->regions[0];
    struct ir_inst *value = fixture_math(f, math, result, count, args);
    fixture_store(f, 2, iter, value);
    struct ir_inst *again = fixture_load(f, 3, ir_const(&f->b, IR_I64, 0), IR_I32);
    struct ir_inst *test =
        ir_control(&f->b, IR_OP_IF, ir_emit2(&f->b, IR_OP_EQ, IR_I1, again, ir_const(&f->b, IR_I32, 0)), 1);
    struct ir_region *inner = f->b.region;
    f->b.region = &test->regions[0];
    ir_emit0(&f->b, IR_OP_BREAK, IR_VOID)->target = loop;
    f->b.region = inner;
    f->b.region = outer;
    return task;
}

static void begin(struct fixture *f)
{
    fixture_init(f);
    f->kernel = ir_function_create(f->module, IR_FUNCTION_KERNEL, "k");
    for (int i = 0; i < 4; i++) {
        fixture_param(f, "a", IR_PTR);
    }
}

enum { COUNT = 1037 };

// Values over many magnitudes and both signs, with the special ones in between.
static double sample(int i)
{
    static const double edges[] = {0.0, -0.0,   1.0,   -1.0,  0.5,  INFINITY, -INFINITY,
                                   NAN, 1e-300, 1e300, 1e-45, 88.8, -104.0,   710.0};
    if (i % 23 == 5) {
        return edges[i / 23 % 14];
    }
    double magnitude = ldexp(1.0 + (double)(i * 7919 % 1000) / 1000.0, i % 37 - 22);
    return i % 3 == 0 ? -magnitude : magnitude;
}

static double ulps(enum ir_type type, double got, double expected)
{
    if ((isnan(got) && isnan(expected)) || got == expected) {
        return 0;
    }
    if (isnan(got) || isnan(expected) || isinf(got) || isinf(expected)) {
        double largest = type == IR_F32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
        bool edge = fabs(got) >= largest && fabs(expected) >= largest && (got > 0) == (expected > 0);
        return edge ? 1 : HUGE_VAL;
    }
    int exponent = 0;
    frexp(expected, &exponent);
    int least = type == IR_F32 ? -148 : -1073;
    int digits = type == IR_F32 ? 24 : 53;
    double unit = ldexp(1.0, exponent - digits > least - 1 ? exponent - digits : least - 1);
    return fabs(got - expected) / unit;
}

static void fill(enum ir_math math, enum ir_type type, void *x, void *y)
{
    for (int i = 0; i < COUNT; i++) {
        double a = sample(i), b = sample(i * 31 + 7);
        if (type == IR_F32) {
            ((float *)x)[i] = (float)a;
            ((float *)y)[i] = (float)b;
        } else {
            ((double *)x)[i] = a;
            ((double *)y)[i] = b;
        }
        if (math == IR_MATH_LDEXP) {
            ((int *)y)[i] = i % 11 == 0 ? i * 1000003 : i % 400 - 200;
        }
    }
}

static double take(enum ir_type type, const void *array, int i)
{
    return type == IR_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void check_accuracy(struct fixture *f, enum ir_math math, enum ir_type type, const char *name)
{
    static double x[COUNT], y[COUNT], out[COUNT];
    fill(math, type, x, y);
    int zero = 0;
    void *buffer[4] = {x, y, out, &zero};
    struct test_frame frame = new_frame(COUNT);
    fixture_entry(f, name)(buffer, NULL, 0, COUNT, NULL, &frame.frame);
    double worst = 0;
    int where = 0;
    for (int i = 0; i < COUNT; i++) {
        union ir_value args[2] = {{.f = take(type, x, i)}, {.f = take(type, y, i)}}, expected;
        if (math == IR_MATH_LDEXP) {
            args[1].i = ((int *)y)[i];
        }
        if (!CHECK(ir_fold_math(math, type, args, &expected))) {
            return;
        }
        if (math == IR_MATH_ILOGB || math == IR_MATH_FREXP_EXPONENT || math == IR_MATH_REMQUO_BITS) {
            if (((int *)out)[i] != expected.i) {
                FAIL("%s(%g): %d, expected %lld", name, args[0].f, ((int *)out)[i], (long long)expected.i);
                return;
            }
            continue;
        }
        double error = ulps(type, take(type, out, i), expected.f);
        if (error > worst) {
            worst = error;
            where = i;
        }
    }
    if (worst > 4) {
        FAIL("%s(%g, %g) = %g is %g ulp off", name, take(type, x, where), take(type, y, where), take(type, out, where),
             worst);
    }
}

static void check_functions(const struct codegen_options *options)
{
    static char names[2 * IR_MATH_COUNT][40];
    struct fixture f;
    begin(&f);
    for (int i = 0; i < 2 * IR_MATH_COUNT; i++) {
        enum ir_type type = i % 2 == 0 ? IR_F32 : IR_F64;
        snprintf(names[i], sizeof names[i], "%s.%s", ir_math_name((enum ir_math)(i / 2)), ir_type_name(type));
        add_math_task(&f, (enum ir_math)(i / 2), type, names[i], false);
    }
    if (fixture_build(&f, options)) {
        for (int i = 0; i < 2 * IR_MATH_COUNT; i++) {
            check_accuracy(&f, (enum ir_math)(i / 2), i % 2 == 0 ? IR_F32 : IR_F64, names[i]);
        }
    }
    fixture_finish(&f);
}

TEST(math_is_within_four_ulp_of_the_library)
{
    check_functions(&(struct codegen_options){0});
}

TEST(math_is_within_four_ulp_on_avx2)
{
    check_functions(&(struct codegen_options){.target = "x86-64-v3"});
}

TEST(math_without_vector_routines_is_the_librarys)
{
    check_functions(&(struct codegen_options){.no_vector_math = true});
}

// One call for all, calls of one, calls of odd sizes, a loop that is not vectorised: always the same bits.
static void check_place(enum ir_math math, enum ir_type type)
{
    struct fixture f;
    begin(&f);
    add_math_task(&f, math, type, "vector", false);
    add_math_task(&f, math, type, "scalar", true);
    if (fixture_build(&f, &(struct codegen_options){0})) {
        static double x[COUNT], y[COUNT], whole[COUNT], other[COUNT];
        memset(whole, 0, sizeof whole);
        fill(math, type, x, y);
        int zero = 0;
        void *first[4] = {x, y, whole, &zero};
        void *second[4] = {x, y, other, &zero};
        struct test_frame frame = new_frame(COUNT);
        abi_entry *vector = fixture_entry(&f, "vector");
        vector(first, NULL, 0, COUNT, NULL, &frame.frame);
        static const int sizes[] = {1, 3, 17, 64, 65, 129};
        for (int s = 0; s < 6; s++) {
            memset(other, 0, sizeof other);
            for (int lo = 0; lo < COUNT; lo += sizes[s]) {
                int hi = lo + sizes[s] < COUNT ? lo + sizes[s] : COUNT;
                vector(second, NULL, lo, hi, NULL, &frame.frame);
            }
            CHECK_MEM(other, whole, sizeof whole);
        }
        memset(other, 0, sizeof other);
        fixture_entry(&f, "scalar")(second, NULL, 0, COUNT, NULL, &frame.frame);
        CHECK_MEM(other, whole, sizeof whole);
    }
    fixture_finish(&f);
}

TEST(math_depends_on_its_argument_alone)
{
    static const enum ir_math some[] = {IR_MATH_SIN,  IR_MATH_EXP,   IR_MATH_POW, IR_MATH_LOG,
                                        IR_MATH_TANH, IR_MATH_ATAN2, IR_MATH_FMOD};
    for (int i = 0; i < 7; i++) {
        check_place(some[i], IR_F32);
        check_place(some[i], IR_F64);
    }
}

TEST(math_loops_call_vector_routines)
{
    struct fixture f;
    begin(&f);
    add_math_task(&f, IR_MATH_SIN, IR_F32, "vector", false);
    struct codegen_output code;
    REQUIRE(codegen_emit(f.module, &(struct codegen_options){.target = "x86-64-v3", .kind = CODEGEN_ASM}, &code) ==
            RILL_OK);
    CHECK_CONTAINS(code.bytes, "_ZGVdN8v_sinf");
    CHECK(strstr(code.bytes, "rill_sinf") == NULL);
    codegen_output_finish(&code);
    fixture_finish(&f);
}

#include "support.h"

#include "base/half.h"
#include "ir/interpret.h"

#include <time.h>

// ---- support -------------------------------------------------------------------------------------------------------

struct access_log {
    struct interp_access items[256];
    int count;
    char printed[512];
    int64_t printed_iteration;
    int64_t loop_events[64];
    int loop_event_count;
};

static void log_access(void *user, const struct interp_access *access)
{
    struct access_log *log = user;
    if (log->count < 256) {
        log->items[log->count] = *access;
    }
    log->count++;
}

static void log_print(void *user, int64_t iteration, const char *text, size_t length)
{
    struct access_log *log = user;
    CHECK(strlen(text) == length);
    strncat(log->printed, text, sizeof log->printed - strlen(log->printed) - 1);
    log->printed_iteration = iteration;
}

static void log_loop(void *user, const struct ir_inst *inst, int64_t iteration)
{
    struct access_log *log = user;
    CHECK(inst->op == IR_OP_FOR);
    if (log->loop_event_count < 64) {
        log->loop_events[log->loop_event_count++] = iteration;
    }
}

static void read_module(struct fixture *f, const char *text)
{
    struct diags diags;
    diags_init(&diags, &f->arena);
    f->module = ir_read(&f->arena, &diags, text);
    if (f->module == NULL) {
        struct str rendered;
        str_init(&rendered, &f->arena);
        diags_render_all(&diags, false, &rendered);
        FAIL("%s", str_text(&rendered));
    }
    REQUIRE(f->module != NULL);
    CHECK_STR(fixture_verify(f), "");
}

static void load_case(struct fixture *f, const char *name)
{
    fixture_init(f);
    FILE *file = fopen(arena_printf(&f->arena, RILL_SOURCE_DIR "/tests/ir/cases/%s", name), "rb");
    REQUIRE(file != NULL);
    char *text = arena_alloc(&f->arena, 1 << 16);
    size_t length = fread(text, 1, (1 << 16) - 1, file);
    text[length] = '\0';
    fclose(file);
    read_module(f, text);
}

// A kernel of the body's lines, with parameters (i64 a, i64 b, ptr p) and variables $v#0 (i64), $f#1 (f64), and memory
// $m#2 of 64 bytes; what it returns.
#define PARAMS "  param 0 \"a\" i64\n  param 1 \"b\" i64\n  param 2 \"p\" ptr array\n"
#define VARS "  var 0 \"v\" i64\n  var 1 \"f\" f64\n  var 2 \"m\" memory size 64 align 16\n"
#define KERNEL(type, lines)                                                                                            \
    "rill-ir 1\nkernel 0 \"k\" returns " type "\n" PARAMS VARS "  body {\n%0 = param i64 0\n%1 = param i64 1\n"        \
    "%2 = param ptr 2\n" lines "\n  }\nend\n"

static union ir_value run_kernel(const char *text, int64_t a, int64_t b, void *p)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, text);
    struct interp *interp = interp_create(f.module, NULL);
    REQUIRE(interp != NULL);
    union ir_value result = {.i = -77};
    struct interp_arg args[3] = {{.i = a}, {.i = b}, {.p = p}};
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, &result), INTERP_DONE);
    interp_destroy(interp);
    fixture_finish(&f);
    return result;
}

static int64_t run_case(const char *file, int kernel, int64_t argument)
{
    struct fixture f;
    load_case(&f, file);
    struct interp *interp = interp_create(f.module, NULL);
    union ir_value result = {.i = -77};
    CHECK_INT(interp_kernel(interp, f.module->functions[kernel], &(struct interp_arg){.i = argument}, &result),
              INTERP_DONE);
    interp_destroy(interp);
    fixture_finish(&f);
    return result.i;
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

// Every integer operation and comparison at every width, on values at and around the edges, against ir_fold.
static void check_operation(enum ir_op op, enum ir_type type, const int64_t *values, int count)
{
    struct fixture f;
    fixture_init(&f);
    struct ir_function *kernel = fixture_function(&f, IR_FUNCTION_KERNEL, "k", ir_op_is_compare(op) ? IR_I1 : type);
    fixture_param(&f, "a", type);
    fixture_param(&f, "b", type);
    struct ir_inst *a = fixture_param_value(&f, 0);
    struct ir_inst *b = fixture_param_value(&f, 1);
    ir_emit1(&f.b, IR_OP_RETURN, IR_VOID, ir_emit2(&f.b, op, kernel->return_type, a, b));
    CHECK_STR(fixture_verify(&f), "");
    struct interp *interp = interp_create(f.module, NULL);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            struct interp_arg args[2] = {{.i = values[i]}, {.i = values[k]}};
            union ir_value in[2] = {{.i = ir_normalize(type, values[i])}, {.i = ir_normalize(type, values[k])}};
            union ir_value expected, actual;
            CHECK(ir_fold(op, kernel->return_type, type, in, &expected));
            CHECK_INT(interp_kernel(interp, kernel, args, &actual), INTERP_DONE);
            if (actual.i != expected.i) {
                FAIL("%s %s of %lld and %lld is %lld, expected %lld", ir_op_name(op), ir_type_name(type),
                     (long long)in[0].i, (long long)in[1].i, (long long)actual.i, (long long)expected.i);
            }
        }
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(integer_operations_equal_folding_at_every_width)
{
    static const int64_t values[] = {0,     1,     2,         3,         5,          7,          8,          31,  32,
                                     33,    63,    64,        100,       127,        128,        255,        256, 32767,
                                     32768, 65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX,  INT64_MIN,  -1,  -2,
                                     -3,    -8,    -128,      -129,      -32768,     0x12345678, -0x12345678};
    for (int op = IR_OP_ADD; op <= IR_OP_UGE; op++) {
        if (op > IR_OP_UMAX && op < IR_OP_EQ) {
            continue;
        }
        for (enum ir_type type = IR_I8; type <= IR_I64; type++) {
            check_operation((enum ir_op)op, type, values, sizeof values / sizeof *values);
        }
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? UINT64_C(0x7ff) << 52 | 1 : bits; // all NaNs are alike here
}

// The nearest number that the type has.
static double in_type(enum ir_type type, double value)
{
    return type == IR_F32 ? (double)(float)value : ir_type_is_half(type) ? half_round(value, type == IR_BF16) : value;
}

static void check_float_operation(enum ir_op op, enum ir_type type, const double *values, int count)
{
    struct fixture f;
    fixture_init(&f);
    bool compares = ir_op_is_compare(op);
    struct ir_function *kernel = fixture_function(&f, IR_FUNCTION_KERNEL, "k", compares ? IR_I1 : type);
    fixture_param(&f, "a", type);
    fixture_param(&f, "b", type);
    fixture_param(&f, "c", type);
    struct ir_inst *params[3] = {fixture_param_value(&f, 0), fixture_param_value(&f, 1), fixture_param_value(&f, 2)};
    struct ir_inst *result = ir_emit(&f.b, op, kernel->return_type, ir_op_arg_count(op), params);
    ir_emit1(&f.b, IR_OP_RETURN, IR_VOID, result);
    CHECK_STR(fixture_verify(&f), "");
    struct interp *interp = interp_create(f.module, NULL);
    for (int i = 0; i < count * count; i++) {
        union ir_value in[3] = {{.f = values[i % count]}, {.f = values[i / count]}, {.f = values[(i + 1) % count]}};
        for (int k = 0; k < 3; k++) {
            in[k].f = in_type(type, in[k].f);
        }
        struct interp_arg args[3] = {{.f = in[0].f}, {.f = in[1].f}, {.f = in[2].f}};
        union ir_value expected, actual;
        CHECK(ir_fold(op, kernel->return_type, type, in, &expected));
        CHECK_INT(interp_kernel(interp, kernel, args, &actual), INTERP_DONE);
        if (compares ? actual.i != expected.i : bits_of(actual.f) != bits_of(expected.f)) {
            FAIL("%s %s of %a, %a, %a", ir_op_name(op), ir_type_name(type), in[0].f, in[1].f, in[2].f);
        }
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(float_operations_equal_folding_in_every_type)
{
    static const double values[] = {0,     -0.0,  1,     -1,     0.1, 3.25,     -7e10,     1e38,
                                    -1e38, 1e300, 1e-45, 1e-310, NAN, INFINITY, -INFINITY, 16777217};
    int count = sizeof values / sizeof *values;
    for (int op = IR_OP_FADD; op <= IR_OP_FGE; op++) {
        if (op > IR_OP_FMA && op < IR_OP_FEQ) {
            continue;
        }
        check_float_operation((enum ir_op)op, IR_F32, values, count);
        check_float_operation((enum ir_op)op, IR_F64, values, count);
        if (op != IR_OP_FMA) { // halves have none
            check_float_operation((enum ir_op)op, IR_F16, values, count);
            check_float_operation((enum ir_op)op, IR_BF16, values, count);
        }
    }
}

static void check_conversion(enum ir_op op, enum ir_type type, enum ir_type from, const struct interp_arg *values,
                             int count)
{
    struct fixture f;
    fixture_init(&f);
    struct ir_function *kernel = fixture_function(&f, IR_FUNCTION_KERNEL, "k", type);
    fixture_param(&f, "a", from);
    ir_emit1(&f.b, IR_OP_RETURN, IR_VOID, ir_emit1(&f.b, op, type, fixture_param_value(&f, 0)));
    if (fixture_verify(&f)[0] != '\0') {
        fixture_finish(&f);
        return; // not a conversion that exists
    }
    struct interp *interp = interp_create(f.module, NULL);
    for (int i = 0; i < count; i++) {
        union ir_value in = {.i = ir_normalize(from, values[i].i)};
        if (ir_type_is_float(from)) {
            in.f = in_type(from, values[i].f);
        }
        union ir_value expected, actual;
        CHECK(ir_fold(op, type, from, &in, &expected));
        CHECK_INT(interp_kernel(interp, kernel, &values[i], &actual), INTERP_DONE);
        bool same = ir_type_is_float(type) ? bits_of(actual.f) == bits_of(expected.f) : actual.i == expected.i;
        if (!same) {
            FAIL("%s from %s to %s of value %d", ir_op_name(op), ir_type_name(from), ir_type_name(type), i);
        }
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(conversions_equal_folding_for_every_pair_of_types)
{
    static const struct interp_arg integers[] = {{.i = 0},         {.i = 1},         {.i = -1},        {.i = 127},
                                                 {.i = 128},       {.i = 255},       {.i = 65535},     {.i = INT32_MIN},
                                                 {.i = INT32_MAX}, {.i = INT64_MIN}, {.i = INT64_MAX}, {.i = 16777217}};
    static const struct interp_arg floats[] = {{.f = 0},         {.f = -0.0},  {.f = 1.5},   {.f = -1.5},
                                               {.f = 127.9},     {.f = 255.5}, {.f = 3e9},   {.f = -3e9},
                                               {.f = 1e19},      {.f = 1e300}, {.f = NAN},   {.f = INFINITY},
                                               {.f = -INFINITY}, {.f = 0.1},   {.f = 1e-320}};
    for (int op = IR_OP_SEXT; op <= IR_OP_INTTOPTR; op++) {
        for (enum ir_type from = IR_I1; from <= IR_F64; from++) {
            for (enum ir_type type = IR_I1; type <= IR_F64; type++) {
                bool is_float = ir_type_is_float(from);
                check_conversion((enum ir_op)op, type, from, is_float ? floats : integers, is_float ? 15 : 12);
            }
        }
    }
}

TEST(select_and_math_with_two_operands_work)
{
    const char *text = KERNEL("i64", "%3 = slt i1 %0 %1\n%4 = select i64 %3 %0 %1\nreturn %4");
    CHECK_INT(run_kernel(text, 3, 4, NULL).i, 3);
    CHECK_INT(run_kernel(text, 5, 4, NULL).i, 4);
    double power =
        run_kernel(KERNEL("f64", "%3 = sitofp f64 %0\n%4 = sitofp f64 %1\n%5 = math f64 pow %3 %4\nreturn %5"), 3, 4,
                   NULL)
            .f;
    CHECK(power == pow(3, 4));
    double scaled =
        run_kernel(KERNEL("f64", "%3 = sitofp f64 %0\n%4 = trunc i32 %1\n%5 = math f64 ldexp %3 %4\nreturn %5"), 3, -2,
                   NULL)
            .f;
    CHECK(scaled == 0.75);
}

TEST(floats_are_computed_in_their_own_type)
{
    double x = run_kernel(KERNEL("f32", "%3 = sitofp f32 %0\n%4 = sitofp f32 %1\n%5 = fdiv f32 %3 %4\n"
                                        "%6 = fadd f32 %5 %5\n%7 = fneg f32 %6\nreturn %7"),
                          1, 3, NULL)
                   .f;
    CHECK(x == (double)-(1.0f / 3.0f + 1.0f / 3.0f));
    double y = run_kernel(KERNEL("f64", "%3 = sitofp f64 %0\n%4 = sitofp f64 %1\n%5 = fma f64 %3 %4 %4\n"
                                        "%6 = math f64 sqrt %5\nset f64 $f#1 %6\n%7 = get f64 $f#1\n"
                                        "%8 = fmul f64 %7 %7\n%9 = fsub f64 %8 %3\nreturn %9"),
                          2, 3, NULL)
                   .f;
    CHECK(y == sqrt(9.0) * sqrt(9.0) - 2.0);
    CHECK_INT(
        run_kernel(KERNEL("i64", "%3 = sitofp f32 %0\n%4 = fptosi i8 %3\n%5 = zext i64 %4\nreturn %5"), 1000, 0, NULL)
            .i,
        127);
    CHECK_INT(
        run_kernel(KERNEL("i1", "%3 = sitofp f32 %0\n%4 = sitofp f32 %1\n%5 = flt i1 %3 %4\nreturn %5"), 1, 2, NULL).i,
        1);
}

TEST(signalling_nans_pass_through_registers_unchanged)
{
    uint32_t words[2] = {0x7f800001, 0};
    run_kernel(KERNEL("void", "%3 = load f32 %2\n%4 = offset ptr 4 %2\nstore f32 %4 %3"), 0, 0, words);
    CHECK_UINT(words[1], words[0]);
    CHECK_INT(run_kernel(KERNEL("i32", "%3 = load f32 %2\n%4 = bitcast i32 %3\nreturn %4"), 0, 0, words).i, 0x7f800001);
}

TEST(variables_are_updated_by_every_operator)
{
    CHECK_INT(run_kernel(KERNEL("i64", "set i64 $v#0 %0\nvupdate i64 $v#0 mul %1\nvupdate i64 $v#0 smax %0\n"
                                       "vupdate i64 $v#0 umin %1\n%3 = get i64 $v#0\nreturn %3"),
                         -4, 3, NULL)
                  .i,
              3);
    CHECK_INT(run_kernel(KERNEL("i64", "set i64 $v#0 %0\n%3 = ne i1 %1 %1\nvupdate i64 $v#0 lor %3\n"
                                       "%4 = get i64 $v#0\nreturn %4"),
                         12, 0, NULL)
                  .i,
              1);
    CHECK(run_kernel(KERNEL("f64", "%3 = sitofp f64 %0\n%4 = sitofp f64 %1\nset f64 $f#1 %3\n"
                                   "vupdate f64 $f#1 fmin_if %4\n%5 = get f64 $f#1\nreturn %5"),
                     4, 3, NULL)
              .f == 3);
}

TEST(fused_updates_round_once)
{
    // x = -1; x ±= a * a, where the product's last bits are lost when it is rounded by itself.
#define BODY(update)                                                                                                   \
    KERNEL("f64", "%3 = fconst f64 0x1.0000002p+0\n%4 = fmul f64 %3 %3\n%5 = fconst f64 -0x1p+0\nset f64 $f#1 %5\n"    \
                  "vupdate f64 $f#1 " update "\n%6 = get f64 $f#1\nreturn %6")
    double a = 0x1.0000002p+0;
    volatile double product = a * a; // kept from being contracted here
    CHECK(run_kernel(BODY("add %4 fused"), 0, 0, NULL).f == fma(a, a, -1.0));
    CHECK(run_kernel(BODY("add %4"), 0, 0, NULL).f == product - 1.0);
    CHECK(run_kernel(BODY("sub %4 fused"), 0, 0, NULL).f == fma(-a, a, -1.0));
    CHECK(fma(a, a, -1.0) != product - 1.0);
#undef BODY
    float cells[1] = {1.0f};
    run_kernel(KERNEL("void", "%3 = fconst f32 0x1.0002p+0\n%4 = fmul f32 %3 %3\nupdate f32 sub %2 %4 fused"), 0, 0,
               cells);
    CHECK(cells[0] == fmaf(-0x1.0002p+0f, 0x1.0002p+0f, 1.0f));
}

// ---- control -------------------------------------------------------------------------------------------------------

static int collatz(int n)
{
    int steps = 0;
    for (; n > 1; steps++) {
        n = n % 2 != 0 ? 3 * n + 1 : n / 2;
    }
    return steps;
}

TEST(loops_run_until_they_break)
{
    for (int n = 1; n < 100; n += 7) {
        CHECK_INT(run_case("control.ir", 0, n), collatz(n));
    }
}

TEST(a_switch_falls_through_until_it_breaks)
{
    CHECK_INT(run_case("control.ir", 1, 7), 11);
    CHECK_INT(run_case("control.ir", 1, -2), 10);
    CHECK_INT(run_case("control.ir", 1, INT64_MAX), 99);
    CHECK_INT(run_case("control.ir", 1, 0), -1);
}

TEST(jumps_go_where_they_say)
{
    CHECK_INT(run_case("control.ir", 2, 5), (0 + 1 + 2 + 3 + 4) * 5);
    CHECK_INT(run_case("control.ir", 2, 0), 0);
}

TEST(a_loop_without_iterations_stores_its_start)
{
    CHECK_INT(run_case("control.ir", 3, 42), 42);
}

// Runs a `for` of an i8 counter and gives the iterations and what the counter is afterwards.
static void run_for(enum ir_op compare, int64_t step, int64_t init, int64_t bound, int64_t *out_count,
                    int64_t *out_last)
{
    struct fixture f;
    fixture_init(&f);
    struct ir_function *kernel = fixture_function(&f, IR_FUNCTION_KERNEL, "k", IR_I64);
    struct ir_var *i = ir_var_create(f.module, kernel, "i", IR_I8);
    struct ir_var *count = ir_var_create(f.module, kernel, "count", IR_I64);
    ir_set(&f.b, count, ir_const(&f.b, IR_I64, 0));
    struct ir_inst *loop =
        ir_emit_for(&f.b, i, ir_const(&f.b, IR_I8, init), ir_const(&f.b, IR_I8, bound), compare, step);
    f.b.region = &loop->regions[0];
    struct ir_inst *update = ir_emit1(&f.b, IR_OP_VUPDATE, IR_I64, ir_const(&f.b, IR_I64, 256));
    update->var = count;
    update->update = IR_UPDATE_ADD;
    f.b.region = &kernel->body;
    struct ir_inst *last = ir_emit1(&f.b, IR_OP_ZEXT, IR_I64, ir_get(&f.b, i));
    ir_emit1(&f.b, IR_OP_RETURN, IR_VOID, ir_emit2(&f.b, IR_OP_OR, IR_I64, ir_get(&f.b, count), last));
    CHECK_STR(fixture_verify(&f), "");
    struct interp *interp = interp_create(f.module, NULL);
    union ir_value result;
    CHECK_INT(interp_kernel(interp, kernel, NULL, &result), INTERP_DONE);
    *out_count = result.i >> 8;
    *out_last = (int8_t)(result.i & 255);
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(counted_loops_leave_their_counter_as_c_does)
{
    int64_t count, last;
    run_for(IR_OP_SLT, 3, 0, 10, &count, &last);
    CHECK_INT(count, 4);
    CHECK_INT(last, 12);
    run_for(IR_OP_SGE, -1, 5, 0, &count, &last);
    CHECK_INT(count, 6);
    CHECK_INT(last, -1);
    run_for(IR_OP_SLE, 1, 120, 127, &count, &last);
    CHECK_INT(count, 8);
    CHECK_INT(last, -128); // wrapped
    run_for(IR_OP_NE, 1, 100, -100, &count, &last);
    CHECK_INT(count, 56);
    CHECK_INT(last, -100);
    run_for(IR_OP_ULT, 100, 0, -6, &count, &last);
    CHECK_INT(count, 3);
    CHECK_INT(last, 44);
}

TEST(a_loop_that_rechecks_looks_at_its_bound_each_time)
{
    int64_t cells[2] = {10, 0};
    // for (v = 0; v < p[0]; v++) { p[0]--; p[1]++; }
    const char *text =
        KERNEL("i64", "%3 = const i64 0\n%4 = const i64 1\n%5 = offset ptr 8 %2\n"
                      "for L0 $v#0 slt %3 %0 step 1 recheck {\nupdate i64 sub %2 %4\nupdate i64 add %5 %4\n} {\n"
                      "%6 = load i64 %2\n%7 = get i64 $v#0\n%8 = slt i1 %7 %6\nyield %8\n}\n"
                      "%9 = get i64 $v#0\nreturn %9");
    CHECK_INT(run_kernel(text, 999, 0, cells).i, 5);
    CHECK_INT(cells[0], 5);
    CHECK_INT(cells[1], 5);
    cells[0] = 0;
    CHECK_INT(run_kernel(text, 999, 0, cells).i, 0);
}

TEST(blocks_of_a_region_run_in_program_order)
{
    int64_t cell = 1;
    run_kernel(KERNEL("void", "%3 = const i64 3\n%4 = const i64 10\nblocks L0 {\n update i64 mul %2 %4\n} {\n"
                              "update i64 add %2 %3\n}"),
               0, 0, &cell);
    CHECK_INT(cell, 13);
}

// ---- memory --------------------------------------------------------------------------------------------------------

TEST(loads_and_stores_have_the_size_of_their_type)
{
    uint8_t bytes[16] = {0xff, 0x80, 0x34, 0x12, 0xef, 0xbe, 0xad, 0xde};
    CHECK_INT(run_kernel(KERNEL("i8", "%3 = load i8 %2\nreturn %3"), 0, 0, bytes).i, -1);
    CHECK_INT(run_kernel(KERNEL("i16", "%3 = load i16 %2\nreturn %3"), 0, 0, bytes).i, (int16_t)0x80ff);
    CHECK_INT(run_kernel(KERNEL("i32", "%3 = offset ptr 4 %2\n%4 = load i32 %3\nreturn %4"), 0, 0, bytes).i,
              (int32_t)0xdeadbeef);
    CHECK_INT(run_kernel(KERNEL("i1", "%3 = load i1 %2\nreturn %3"), 0, 0, bytes).i, 1);
    CHECK_INT(run_kernel(KERNEL("i1", "%3 = offset ptr 1 %2\n%4 = load i1 %3\nreturn %4"), 0, 0, bytes).i, 0);
    run_kernel(KERNEL("void", "%3 = trunc i16 %0\n%4 = offset ptr 1 %2\nstore i16 %4 %3"), 0x5566, 0, bytes);
    CHECK_UINT(bytes[0], 0xff);
    CHECK_UINT(bytes[1], 0x66);
    CHECK_UINT(bytes[2], 0x55);
    CHECK_UINT(bytes[3], 0x12);
    run_kernel(KERNEL("void", "%3 = trunc i8 %0\nstore i8 %2 %3"), 0x177, 0, bytes);
    CHECK_UINT(bytes[0], 0x77);
    CHECK_UINT(bytes[1], 0x66);
}

TEST(local_memory_is_the_functions_own)
{
    CHECK_INT(
        run_kernel(KERNEL("i64", "%3 = addr_var ptr $m#2\nstore i64 %3 %0\n%4 = offset ptr 8 %3\nstore i64 %4 %1\n"
                                 "%5 = load i64 %3\n%6 = load i64 %4\n%7 = sub i64 %5 %6\nreturn %7"),
                   50, 8, NULL)
            .i,
        42);
}

TEST(helpers_globals_copies_and_atomics_work_together)
{
    struct fixture f;
    load_case(&f, "memory.ir");
    struct access_log log = {0};
    struct interp_options options = {.print = log_print, .user = &log};
    struct interp *interp = interp_create(f.module, &options);
    int32_t a[8] = {0};
    struct interp_arg args[2] = {{.i = 5}, {.p = a}};
    union ir_value result;
    CHECK_INT(interp_kernel(interp, f.module->functions[1], args, &result), INTERP_DONE);
    // clamp(5, &table[2]) is 5 + table[2] = 2; a is the table, then -1s; max(a[0] = 1, 2); cas a[1]: 2 → 5
    CHECK_INT(result.i, 1 - 0 + 1 + 2);
    CHECK_MEM(a, ((int32_t[]){2, 5, -3, 4, -1, -1, -1, -1}), sizeof a);
    CHECK_INT(*(int32_t *)interp_global_address(interp, f.module->globals[1]), 2);
    CHECK_STR(log.printed, "x=5 old=1\n");
    CHECK_INT(interp_kernel(interp, f.module->functions[1], args, &result), INTERP_DONE);
    CHECK_INT(*(int32_t *)interp_global_address(interp, f.module->globals[1]), 4); // fields live on
    interp_reset_globals(interp);
    CHECK_INT(*(int32_t *)interp_global_address(interp, f.module->globals[1]), 0);
    interp_destroy(interp);
    fixture_finish(&f);
}

// ---- failures ------------------------------------------------------------------------------------------------------

static enum interp_outcome run_failing(struct fixture *f, const struct interp_options *options, const char *text,
                                       int64_t a, void *p, struct interp_failure *out)
{
    fixture_init(f);
    read_module(f, text);
    struct interp *interp = interp_create(f->module, options);
    struct interp_arg args[3] = {{.i = a}, {.i = 0}, {.p = p}};
    enum interp_outcome outcome = interp_kernel(interp, f->module->functions[0], args, NULL);
    memset(out, 0, sizeof *out);
    if (interp_failure(interp) != NULL) {
        *out = *interp_failure(interp);
    }
    interp_destroy(interp);
    return outcome;
}

TEST(an_assertion_in_a_helper_ends_the_kernel)
{
    struct fixture f;
    load_case(&f, "memory.ir");
    struct interp *interp = interp_create(f.module, NULL);
    int32_t a[8] = {7};
    struct interp_arg args[2] = {{.i = -4}, {.p = a}};
    CHECK_INT(interp_kernel(interp, f.module->functions[1], args, NULL), INTERP_FAILED);
    const struct interp_failure *failure = interp_failure(interp);
    REQUIRE(failure != NULL);
    CHECK_INT(failure->kind, INTERP_ASSERT);
    CHECK_STR(failure->text, "x >= *p");
    CHECK_INT(failure->loc.line, 7);
    CHECK_INT(failure->iteration, -1);
    CHECK_INT(a[0], 7);
    args[0].i = 5;
    CHECK_INT(interp_kernel(interp, f.module->functions[1], args, NULL), INTERP_DONE);
    CHECK(interp_failure(interp) == NULL);
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(an_index_out_of_range_names_array_index_and_extent)
{
    const char *text = KERNEL("void", "%3 = const i64 8\n%4 = const i64 4\n%5 = index ptr %2 %0 %3 %4 \"grid\" !0:9:7\n"
                                      "%6 = load i64 %5");
    struct fixture f;
    struct interp_failure failure;
    int64_t cells[5] = {0};
    struct interp_options checked = {.check_bounds = true};
    static const int64_t bad[] = {4, -1, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(run_failing(&f, &checked, text, bad[i], cells, &failure), INTERP_FAILED);
        CHECK_INT(failure.kind, INTERP_BOUNDS);
        CHECK_STR(failure.array, "grid");
        CHECK_INT(failure.index, bad[i]);
        CHECK_INT(failure.extent, 4);
        CHECK_INT(failure.loc.line, 9);
        fixture_finish(&f);
    }
    CHECK_INT(run_failing(&f, &checked, text, 3, cells, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, 4, cells, &failure), INTERP_DONE);
    fixture_finish(&f);
}

TEST(following_null_is_a_failure_and_no_crash)
{
    static const char *const bodies[] = {
        KERNEL("void", "%3 = load i32 %2"),      KERNEL("void", "store i64 %2 %0"),
        KERNEL("void", "update i64 add %2 %0"),  KERNEL("void", "copy %2 %2 %0"),
        KERNEL("void", "%3 = cas i64 %2 %0 %0"), KERNEL("void", "%3 = load i1 %2"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct fixture f;
        struct interp_failure failure;
        CHECK_INT(run_failing(&f, NULL, bodies[i], 8, NULL, &failure), INTERP_FAILED);
        CHECK_INT(failure.kind, INTERP_NULL);
        fixture_finish(&f);
    }
}

TEST(a_result_claimed_to_fit_is_held_to_it)
{
    struct fixture f;
    struct interp_failure failure;
    const char *text = KERNEL("i64", "%3 = add i64 %0 %0 no_wrap\nreturn %3");
    CHECK_INT(run_failing(&f, NULL, text, INT64_MAX / 2, NULL, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, INT64_MAX / 2 + 1, NULL, &failure), INTERP_FAILED);
    CHECK_INT(failure.kind, INTERP_CLAIM);
    fixture_finish(&f);
    text = KERNEL("i64", "%3 = trunc i32 %0\n%4 = mul i32 %3 %3 no_wrap\n%5 = sext i64 %4\nreturn %5");
    CHECK_INT(run_failing(&f, NULL, text, 46340, NULL, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, 46341, NULL, &failure), INTERP_FAILED);
    fixture_finish(&f);
    text = KERNEL("i64", "%3 = trunc i8 %0 no_wrap\n%4 = sext i64 %3\nreturn %4");
    CHECK_INT(run_failing(&f, NULL, text, -128, NULL, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, 128, NULL, &failure), INTERP_FAILED);
    CHECK_INT(failure.kind, INTERP_CLAIM);
    fixture_finish(&f);
    text = KERNEL("i64", "%3 = const i64 -9223372036854775808\n%4 = sub i64 %3 %0 no_wrap\nreturn %4");
    CHECK_INT(run_failing(&f, NULL, text, -1, NULL, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, 1, NULL, &failure), INTERP_FAILED);
    fixture_finish(&f);
    text = KERNEL("i64", "%3 = const i64 -9223372036854775808\n%4 = mul i64 %3 %0 no_wrap\nreturn %4");
    CHECK_INT(run_failing(&f, NULL, text, 1, NULL, &failure), INTERP_DONE);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, -1, NULL, &failure), INTERP_FAILED);
    fixture_finish(&f);
    CHECK_INT(run_failing(&f, NULL, text, 2, NULL, &failure), INTERP_FAILED);
    fixture_finish(&f);
}

TEST(a_loop_without_end_meets_the_step_limit)
{
    struct fixture f;
    struct interp_failure failure;
    struct interp_options options = {.step_limit = 1000};
    CHECK_INT(run_failing(&f, &options, KERNEL("void", "loop L0 {\n}"), 0, NULL, &failure), INTERP_STEP_LIMIT);
    fixture_finish(&f);
}

// ---- records -------------------------------------------------------------------------------------------------------

TEST(every_access_is_recorded_with_its_kind_and_type)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, KERNEL("void", "%3 = load f32 %2\n%4 = trunc i16 %0\n%5 = trunc i32 %0\nstore i16 %2 %4\n"
                                   "update i32 xor %2 %5\n%6 = atomic i64 exchange %2 %0\n%7 = cas i64 %2 %0 %0\n"
                                   "%8 = offset ptr 8 %2\n%9 = const i64 5\ncopy %8 %2 %9\n%10 = const i64 0\n"
                                   "copy %8 %2 %10"));
    struct access_log log = {0};
    struct interp_options options = {.record = log_access, .user = &log};
    struct interp *interp = interp_create(f.module, &options);
    int64_t cells[4] = {0};
    struct interp_arg args[3] = {{.i = 1}, {.i = 2}, {.p = cells}};
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_DONE);
    static const struct {
        int64_t offset;
        uint64_t size;
        enum interp_access_kind kind;
        enum ir_update update;
        enum ir_type type;
    } expected[] = {
        {0, 4, INTERP_READ, IR_UPDATE_NONE, IR_F32},   {0, 2, INTERP_WRITE, IR_UPDATE_NONE, IR_I16},
        {0, 4, INTERP_UPDATE, IR_UPDATE_XOR, IR_I32},  {0, 8, INTERP_ATOMIC, IR_UPDATE_EXCHANGE, IR_I64},
        {0, 8, INTERP_ATOMIC, IR_UPDATE_NONE, IR_I64}, {0, 5, INTERP_READ, IR_UPDATE_NONE, IR_VOID},
        {8, 5, INTERP_WRITE, IR_UPDATE_NONE, IR_VOID},
    };
    CHECK_INT(log.count, 7);
    for (int i = 0; i < 7 && i < log.count; i++) {
        CHECK_INT((const char *)log.items[i].address - (const char *)cells, expected[i].offset);
        CHECK_UINT(log.items[i].size, expected[i].size);
        CHECK_INT(log.items[i].kind, expected[i].kind);
        CHECK_INT(log.items[i].update, expected[i].update);
        CHECK_INT(log.items[i].type, expected[i].type);
        CHECK_INT(log.items[i].iteration, -1);
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(a_printed_text_is_recorded_as_read)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, KERNEL("void", "print %2 %0 \"%s=%ld\\n\""));
    struct access_log log = {0};
    struct interp_options options = {.record = log_access, .print = log_print, .user = &log};
    struct interp *interp = interp_create(f.module, &options);
    char word[] = "size";
    struct interp_arg args[3] = {{.i = 7}, {.i = 0}, {.p = word}};
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_DONE);
    CHECK_STR(log.printed, "size=7\n");
    CHECK_INT(log.printed_iteration, -1);
    CHECK_INT(log.count, 1);
    CHECK(log.items[0].address == word && log.items[0].size == 5 && log.items[0].kind == INTERP_READ);
    args[2].p = (void *)8;
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_FAILED);
    CHECK_INT(interp_failure(interp)->kind, INTERP_NULL);
    args[2].p = NULL;
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_DONE);
    CHECK_STR(log.printed, "size=7\n(null)=7\n");
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(loops_tell_their_iterations)
{
    struct fixture f;
    fixture_init(&f);
    read_module(
        &f, KERNEL("void", "%3 = const i64 0\nfor L0 $v#0 slt %3 %0 step 1 {\n}\nfor L1 $v#0 slt %0 %3 step 1 {\n}"));
    struct access_log log = {0};
    struct interp_options options = {.loop = log_loop, .user = &log};
    struct interp *interp = interp_create(f.module, &options);
    struct interp_arg args[3] = {{.i = 3}};
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_DONE);
    CHECK_INT(log.loop_event_count, 5);
    CHECK_MEM(log.loop_events, ((int64_t[]){0, 1, 2, -1, -1}), 5 * sizeof(int64_t));
    interp_destroy(interp);
    fixture_finish(&f);
}

// ---- tasks ---------------------------------------------------------------------------------------------------------

TEST(a_task_split_anywhere_and_its_finish_equal_the_kernel)
{
    struct fixture f;
    load_case(&f, "sum.ir");
    struct interp *interp = interp_create(f.module, NULL);
    float x[100];
    for (int i = 0; i < 100; i++) {
        x[i] = (float)(i * i); // exact in every order
    }
    struct interp_arg args[2] = {{.i = 100}, {.p = x}};
    union ir_value serial;
    CHECK_INT(interp_kernel(interp, f.module->functions[0], args, &serial), INTERP_DONE);
    CHECK(serial.f == 328350);
    for (int pieces = 1; pieces <= 7; pieces++) {
        struct {
            float sum;
            int rest;
        } partials[7];
        float block[4] = {1000};
        for (int k = 0; k < pieces; k++) {
            struct interp_launch launch = {.args = args,
                                           .block = block,
                                           .partials = &partials[k],
                                           .iter_count = 100,
                                           .lo = 100 * k / pieces,
                                           .hi = 100 * (k + 1) / pieces,
                                           .order = (enum interp_order)(k % 3),
                                           .seed = (uint64_t)k};
            CHECK_INT(interp_task(interp, f.module->functions[1], &launch), INTERP_DONE);
        }
        struct interp_launch end = {.args = args, .block = block, .partials = partials, .iter_count = pieces};
        CHECK_INT(interp_task(interp, f.module->functions[2], &end), INTERP_DONE);
        CHECK(block[0] == 329350);
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

// A task that stores its iteration's number behind those before it: p[p[0]++ + 1] = iter; it fails for iteration a.
#define ORDER_TASK                                                                                                     \
    "rill-ir 1\nkernel 0 \"k\" returns void\n" PARAMS "  body {\n  }\nend\ntask 1 \"k.0\" returns void of @k#0\n"      \
    "  var 0 \"left\" i64\n  body {\n%0 = iter i64\n%1 = param ptr 2\n%2 = load i64 %1\n%3 = const i64 1\n"            \
    "%4 = add i64 %2 %3\nstore i64 %1 %4\n%5 = const i64 8\n%6 = const i64 -1\n%7 = index ptr %1 %4 %5 %6\n"           \
    "store i64 %7 %0\n%8 = param i64 0\n%9 = eq i1 %8 %0\n%10 = get i64 $left#0\nset i64 $left#0 %0\n"                 \
    "%11 = addr_slot ptr 8\nstore i64 %11 %10\nif L0 %9 {\nfail \"not this one\" !0:4:2\n} {\n}\n  }\nend\n"

static void run_order(int64_t *cells, enum interp_order order, uint64_t seed, int64_t failing, int64_t *block,
                      uint64_t poison)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, ORDER_TASK);
    struct interp_options options = {.poison = poison};
    struct interp *interp = interp_create(f.module, &options);
    struct interp_arg args[3] = {{.i = failing}, {.i = 0}, {.p = cells}};
    cells[0] = 0;
    struct interp_launch launch = {
        .args = args, .block = block, .iter_count = 20, .lo = 10, .hi = 15, .order = order, .seed = seed};
    enum interp_outcome outcome = interp_task(interp, f.module->functions[1], &launch);
    CHECK_INT(outcome, failing >= 10 && failing < 15 ? INTERP_FAILED : INTERP_DONE);
    if (outcome == INTERP_FAILED) {
        CHECK_INT(interp_failure(interp)->iteration, failing);
        CHECK_STR(interp_failure(interp)->text, "not this one");
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(a_task_runs_its_range_in_the_order_asked_for)
{
    int64_t cells[8];
    int64_t block[2];
    run_order(cells, INTERP_FORWARD, 0, -1, block, 0);
    CHECK_MEM(cells, ((int64_t[]){5, 10, 11, 12, 13, 14}), 6 * sizeof *cells);
    run_order(cells, INTERP_BACKWARD, 0, -1, block, 0);
    CHECK_MEM(cells, ((int64_t[]){5, 14, 13, 12, 11, 10}), 6 * sizeof *cells);
    int64_t first[8];
    bool differs = false;
    for (uint64_t seed = 1; seed < 20; seed++) {
        run_order(cells, INTERP_SEEDED, seed, -1, block, 0);
        int64_t sum = 0;
        for (int i = 1; i <= 5; i++) {
            sum += INT64_C(1) << cells[i];
        }
        CHECK_INT(sum, 31 << 10); // each once
        differs |= seed > 1 && memcmp(first, cells, 6 * sizeof *cells) != 0;
        memcpy(first, cells, 6 * sizeof *cells);
        run_order(cells, INTERP_SEEDED, seed, -1, block, 0);
        CHECK_MEM(cells, first, 6 * sizeof *cells);
    }
    CHECK(differs);
}

// Three loops of 3, 4 and 5 iterations as one space: each iteration stores its three numbers.
TEST(a_nests_iterations_come_in_the_order_of_its_loops)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, "rill-ir 1\nkernel 0 \"k\" returns void\n" PARAMS "  body {\n  }\nend\n"
                    "task 1 \"k.0\" returns void of @k#0\n  prologue {\n%0 = const i64 4\n%1 = const i64 5\n  }\n"
                    "  body {\n%2 = nest_iter i64 2 %0 %1\n%3 = nest_iter i64 1 %0 %1\n%4 = nest_iter i64 0 %0 %1\n"
                    "%5 = param ptr 2\n%6 = iter i64\n%7 = const i64 24\n%8 = const i64 -1\n"
                    "%9 = index ptr %5 %6 %7 %8\nstore i64 %9 %4\n%10 = offset ptr 8 %9\nstore i64 %10 %3\n"
                    "%11 = offset ptr 16 %9\nstore i64 %11 %2\n  }\nend\n");
    int64_t numbers[60][3];
    struct interp *interp = interp_create(f.module, NULL);
    struct interp_arg args[3] = {{.i = 0}, {.i = 0}, {.p = numbers}};
    struct interp_launch launch = {.args = args, .iter_count = 60, .lo = 0, .hi = 60};
    CHECK_INT(interp_task(interp, f.module->functions[1], &launch), INTERP_DONE);
    for (int64_t i = 0; i < 60; i++) {
        CHECK_MEM(numbers[i], ((int64_t[]){i / 20, i / 5 % 4, i % 5}), sizeof numbers[i]);
    }
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(a_failing_iteration_does_not_stop_the_others)
{
    int64_t cells[8];
    int64_t block[2];
    run_order(cells, INTERP_FORWARD, 0, 12, block, 0);
    CHECK_INT(cells[0], 5);
}

TEST(poison_shows_a_variable_that_is_read_before_it_is_written)
{
    int64_t cells[8];
    int64_t block[2];
    run_order(cells, INTERP_FORWARD, 0, -1, block, 0);
    CHECK_INT(block[1], 13); // what the iteration before left
    run_order(cells, INTERP_FORWARD, 0, -1, block, 99);
    CHECK(block[1] != 13);
}

TEST(a_prologue_that_fails_runs_no_iteration)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, "rill-ir 1\nkernel 0 \"k\" returns void\n" PARAMS "  body {\n  }\nend\n"
                    "task 1 \"k.0\" returns void of @k#0\n  var 0 \"m\" memory size 8 align 8\n  prologue {\n"
                    "%0 = param ptr 2\n%1 = load i64 %0\n  }\n  body {\n%2 = addr_var ptr $m#0\n%3 = load i64 %2\n"
                    "store i64 %0 %3\n  }\nend\n");
    struct interp_options options = {.poison = 5};
    struct interp *interp = interp_create(f.module, &options);
    struct interp_arg args[3] = {{.i = 0}};
    struct interp_launch launch = {.args = args, .iter_count = 1, .lo = 0, .hi = 1};
    CHECK_INT(interp_task(interp, f.module->functions[1], &launch), INTERP_FAILED);
    CHECK_INT(interp_failure(interp)->iteration, -1);
    int64_t cell = 0;
    args[2].p = &cell;
    CHECK_INT(interp_task(interp, f.module->functions[1], &launch), INTERP_DONE);
    CHECK(cell != 0); // memory of an iteration is poisoned too
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(a_local_is_dead_when_its_task_has_ended)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, "rill-ir 1\nkernel 0 \"k\" returns void\n" PARAMS "  body {\n  }\nend\n"
                    "task 1 \"k.0\" returns void of @k#0\n  var 0 \"m\" memory size 8 align 8\n  body {\n"
                    "%0 = addr_var ptr $m#0\n%1 = const i64 7\nstore i64 %0 %1\n%2 = addr_slot ptr 0\n"
                    "store ptr %2 %0\n  }\nend\n");
    struct interp_options options = {.poison = 5};
    struct interp *interp = interp_create(f.module, &options);
    struct interp_arg args[3] = {{.i = 0}};
    int64_t *block[1] = {NULL};
    struct interp_launch launch = {.args = args, .block = block, .iter_count = 1, .lo = 0, .hi = 1};
    CHECK_INT(interp_task(interp, f.module->functions[1], &launch), INTERP_DONE);
    CHECK(*block[0] != 7);
    interp_destroy(interp);
    fixture_finish(&f);
}

// ---- speed ---------------------------------------------------------------------------------------------------------

TEST(a_simple_loop_runs_at_twenty_million_operations_a_second)
{
    struct fixture f;
    fixture_init(&f);
    read_module(&f, KERNEL("i64", "%3 = const i64 0\nset i64 $v#0 %3\n%4 = trunc i32 %0\nloop L0 {\n%5 = get i64 $v#0\n"
                                  "%6 = sge i1 %5 %0\nif L1 %6 {\nbreak of L0\n} {\n}\n%7 = const i64 1\n"
                                  "%8 = add i64 %5 %7\nset i64 $v#0 %8\n}\n%9 = get i64 $v#0\nreturn %9"));
    struct interp *interp = interp_create(f.module, NULL);
    struct interp_arg args[3] = {{.i = 1000000}};
    double best = 0;
    for (int round = 0; round < 5 && best < 20e6; round++) {
        clock_t start = clock();
        CHECK_INT(interp_kernel(interp, f.module->functions[0], args, NULL), INTERP_DONE);
        double seconds = (double)(clock() - start + 1) / CLOCKS_PER_SEC;
        double rate = (double)interp_step_count(interp) / seconds;
        best = rate > best ? rate : best;
    }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    best *= 10;
#endif
    CHECK(best >= 20e6);
    interp_destroy(interp);
    fixture_finish(&f);
}

TEST(creation_refuses_memory_that_no_machine_has)
{
    struct fixture f;
    load_case(&f, "memory.ir");
    struct ir_var *huge = f.module->functions[0]->vars[0];
    huge->size = UINT64_C(1) << 62; // no machine has it
    CHECK(interp_create(f.module, NULL) == NULL);
    fixture_finish(&f);
}

// The arithmetic of language.md §6, row by row, and whole types against a reference in wider integers.
#include "support.h"

#include "ir/trip.h"

#include <math.h>

static const enum ir_type int_types[] = {IR_I8, IR_I16, IR_I32, IR_I64};

static int width_of(enum ir_type type)
{
    return 8 * ir_type_size(type);
}

static int64_t fold2(enum ir_op op, enum ir_type type, int64_t a, int64_t b)
{
    union ir_value args[2] = {{.i = a}, {.i = b}};
    union ir_value out = {.i = 0x5555};
    CHECK(ir_fold(op, type, type, args, &out));
    return out.i;
}

static union ir_value fold1(enum ir_op op, enum ir_type type, enum ir_type from, union ir_value x)
{
    union ir_value out = {.i = 0x5555};
    CHECK(ir_fold(op, type, from, &x, &out));
    return out;
}

static double foldf(enum ir_op op, enum ir_type type, double a, double b)
{
    union ir_value args[2] = {{.f = a}, {.f = b}};
    union ir_value out = {.f = -1};
    CHECK(ir_fold(op, type, type, args, &out));
    return out.f;
}

// ---- the rows of the table -----------------------------------------------------------------------------------------

TEST(signed_overflow_wraps)
{
    CHECK_INT(fold2(IR_OP_ADD, IR_I32, INT32_MAX, 1), INT32_MIN);
    CHECK_INT(fold2(IR_OP_SUB, IR_I32, INT32_MIN, 1), INT32_MAX);
    CHECK_INT(fold2(IR_OP_MUL, IR_I32, 65536, 65536), 0);
    CHECK_INT(fold2(IR_OP_ADD, IR_I64, INT64_MAX, 1), INT64_MIN);
    CHECK_INT(fold2(IR_OP_SUB, IR_I64, INT64_MIN, 1), INT64_MAX);
    CHECK_INT(fold2(IR_OP_MUL, IR_I64, INT64_MIN, -1), INT64_MIN);
    CHECK_INT(fold2(IR_OP_MUL, IR_I64, INT64_MAX, 2), -2);
}

TEST(narrowing_conversions_wrap)
{
    CHECK_INT(fold1(IR_OP_TRUNC, IR_I8, IR_I32, (union ir_value){.i = 0x180}).i, -128);
    CHECK_INT(fold1(IR_OP_TRUNC, IR_I16, IR_I64, (union ir_value){.i = INT64_C(0x12345ffff)}).i, -1);
    CHECK_INT(fold1(IR_OP_TRUNC, IR_I32, IR_I64, (union ir_value){.i = INT64_C(0x80000000)}).i, INT32_MIN);
    CHECK_INT(fold1(IR_OP_TRUNC, IR_I1, IR_I32, (union ir_value){.i = 2}).i, 0);
    CHECK_INT(fold1(IR_OP_TRUNC, IR_I1, IR_I32, (union ir_value){.i = -1}).i, 1);
}

TEST(widening_keeps_or_clears_the_sign)
{
    CHECK_INT(fold1(IR_OP_SEXT, IR_I64, IR_I8, (union ir_value){.i = -1}).i, -1);
    CHECK_INT(fold1(IR_OP_ZEXT, IR_I64, IR_I8, (union ir_value){.i = -1}).i, 255);
    CHECK_INT(fold1(IR_OP_ZEXT, IR_I16, IR_I8, (union ir_value){.i = -128}).i, 128);
    CHECK_INT(fold1(IR_OP_ZEXT, IR_I64, IR_I32, (union ir_value){.i = -1}).i, INT64_C(0xffffffff));
    CHECK_INT(fold1(IR_OP_ZEXT, IR_I32, IR_I1, (union ir_value){.i = 1}).i, 1);
}

TEST(shift_counts_are_taken_modulo_the_width)
{
    for (size_t t = 0; t < 4; t++) {
        enum ir_type type = int_types[t];
        int width = width_of(type);
        CHECK_INT(fold2(IR_OP_SHL, type, 1, width), 1);
        CHECK_INT(fold2(IR_OP_SHL, type, 1, width + 1), 2);
        CHECK_INT(fold2(IR_OP_LSHR, type, 4, width + 1), 2);
        CHECK_INT(fold2(IR_OP_ASHR, type, -4, width + 1), -2);
        CHECK_INT(fold2(IR_OP_ASHR, type, -8, -1), -1); // -1 is width - 1
        CHECK_INT(fold2(IR_OP_SHL, type, 3, -1), fold2(IR_OP_SHL, type, 1, width - 1));
    }
}

TEST(right_shift_of_a_negative_is_arithmetic)
{
    CHECK_INT(fold2(IR_OP_ASHR, IR_I32, -1, 31), -1);
    CHECK_INT(fold2(IR_OP_ASHR, IR_I64, INT64_MIN, 63), -1);
    CHECK_INT(fold2(IR_OP_LSHR, IR_I64, -1, 63), 1);
    CHECK_INT(fold2(IR_OP_LSHR, IR_I8, -1, 4), 15);
}

TEST(division_by_zero_gives_zero_and_remainder_gives_x)
{
    for (size_t t = 0; t < 4; t++) {
        enum ir_type type = int_types[t];
        for (int64_t x = -3; x <= 3; x++) {
            CHECK_INT(fold2(IR_OP_SDIV, type, x, 0), 0);
            CHECK_INT(fold2(IR_OP_UDIV, type, x, 0), 0);
            CHECK_INT(fold2(IR_OP_SREM, type, x, 0), x);
            CHECK_INT(fold2(IR_OP_UREM, type, x, 0), x);
        }
    }
}

TEST(the_least_value_divided_by_minus_one_stays_and_leaves_nothing)
{
    for (size_t t = 0; t < 4; t++) {
        enum ir_type type = int_types[t];
        int64_t min = type == IR_I64 ? INT64_MIN : -(INT64_C(1) << (width_of(type) - 1));
        CHECK_INT(fold2(IR_OP_SDIV, type, min, -1), min);
        CHECK_INT(fold2(IR_OP_SREM, type, min, -1), 0);
    }
}

static void check_to_int(enum ir_op op, enum ir_type type, double x, int64_t expected)
{
    int64_t from_double = fold1(op, type, IR_F64, (union ir_value){.f = x}).i;
    if (from_double != expected) {
        FAIL("%s of %g to %s is %lld, expected %lld", ir_op_name(op), x, ir_type_name(type), (long long)from_double,
             (long long)expected);
    }
    if ((double)(float)x == x || x != x) {
        CHECK_INT(fold1(op, type, IR_F32, (union ir_value){.f = x}).i, expected);
    }
}

TEST(float_to_integer_saturates_and_nan_gives_zero)
{
    for (size_t t = 0; t < 4; t++) {
        enum ir_type type = int_types[t];
        int width = width_of(type);
        int64_t max = type == IR_I64 ? INT64_MAX : (INT64_C(1) << (width - 1)) - 1;
        check_to_int(IR_OP_FPTOSI, type, NAN, 0);
        check_to_int(IR_OP_FPTOSI, type, INFINITY, max);
        check_to_int(IR_OP_FPTOSI, type, -INFINITY, -max - 1);
        check_to_int(IR_OP_FPTOSI, type, ldexp(1, width - 1), max);
        check_to_int(IR_OP_FPTOSI, type, -ldexp(1, width - 1), -max - 1);
        check_to_int(IR_OP_FPTOSI, type, -ldexp(1.5, width - 1), -max - 1);
        check_to_int(IR_OP_FPTOSI, type, -1.75, -1);
        check_to_int(IR_OP_FPTOSI, type, 1.75, 1);
        check_to_int(IR_OP_FPTOUI, type, NAN, 0);
        check_to_int(IR_OP_FPTOUI, type, INFINITY, -1); // all bits
        check_to_int(IR_OP_FPTOUI, type, ldexp(1, width), -1);
        check_to_int(IR_OP_FPTOUI, type, ldexp(1, width - 1), -max - 1);
        check_to_int(IR_OP_FPTOUI, type, -0.5, 0);
        check_to_int(IR_OP_FPTOUI, type, -1, 0);
        check_to_int(IR_OP_FPTOUI, type, -1e30, 0);
        check_to_int(IR_OP_FPTOUI, type, 100.99, 100);
    }
    check_to_int(IR_OP_FPTOSI, IR_I32, 2147483647.5, INT32_MAX);
    check_to_int(IR_OP_FPTOSI, IR_I32, -2147483648.5, INT32_MIN);
    check_to_int(IR_OP_FPTOSI, IR_I64, 9007199254740993.0, INT64_C(9007199254740992));
    check_to_int(IR_OP_FPTOUI, IR_I32, 4294967295.5, -1);
}

TEST(integer_to_float_rounds_once)
{
    union ir_value big = {.i = (int64_t)UINT64_C(0x8000008000000001)};
    CHECK(fold1(IR_OP_UITOFP, IR_F32, IR_I64, big).f ==
          0x1.000002p+63); // not via double, which would round to even first
    CHECK(fold1(IR_OP_SITOFP, IR_F32, IR_I64, (union ir_value){.i = INT64_C(0x4000004000000001)}).f == 0x1.000002p+62);
    CHECK(fold1(IR_OP_UITOFP, IR_F64, IR_I64, (union ir_value){.i = -1}).f == 0x1p+64);
    CHECK(fold1(IR_OP_SITOFP, IR_F64, IR_I64, (union ir_value){.i = -1}).f == -1);
    CHECK(fold1(IR_OP_UITOFP, IR_F64, IR_I8, (union ir_value){.i = -1}).f == 255);
    CHECK(fold1(IR_OP_UITOFP, IR_F32, IR_I1, (union ir_value){.i = 1}).f == 1);
}

TEST(floats_are_ieee_in_their_own_type)
{
    CHECK(foldf(IR_OP_FADD, IR_F32, 16777216, 1) == 16777216);
    CHECK(foldf(IR_OP_FADD, IR_F64, 16777216, 1) == 16777217);
    CHECK(foldf(IR_OP_FMUL, IR_F32, 1e38f, 10) == INFINITY);
    CHECK(foldf(IR_OP_FDIV, IR_F64, 1, 0) == INFINITY);
    CHECK(isnan(foldf(IR_OP_FDIV, IR_F64, 0, 0)));
    CHECK(foldf(IR_OP_FDIV, IR_F32, 1, 3) == (double)(1.0f / 3.0f));
    CHECK(foldf(IR_OP_FSUB, IR_F32, 0x1p-149, 0) == 0x1p-149); // subnormals stay
    CHECK(signbit(fold1(IR_OP_FNEG, IR_F32, IR_F32, (union ir_value){.f = 0}).f));
    CHECK(fold1(IR_OP_FPTRUNC, IR_F32, IR_F64, (union ir_value){.f = 0.1}).f == (double)0.1f);
    CHECK(fold1(IR_OP_FPTRUNC, IR_F32, IR_F64, (union ir_value){.f = 1e300}).f == INFINITY);
    union ir_value args[3] = {{.f = 1 + 0x1p-12}, {.f = 1 - 0x1p-12}, {.f = -1}};
    union ir_value out;
    CHECK(ir_fold(IR_OP_FMA, IR_F32, IR_F32, args, &out) && out.f == -0x1p-24);
}

TEST(bits_are_counted_in_the_operands_width)
{
    for (size_t t = 0; t < 4; t++) {
        enum ir_type type = int_types[t];
        int width = width_of(type);
        union ir_value none = {.i = 0}, all = {.i = -1}, one = {.i = 1};
        CHECK_INT(fold1(IR_OP_POPCOUNT, type, type, none).i, 0);
        CHECK_INT(fold1(IR_OP_POPCOUNT, type, type, all).i, width);
        CHECK_INT(fold1(IR_OP_CLZ, type, type, none).i, width);
        CHECK_INT(fold1(IR_OP_CLZ, type, type, one).i, width - 1);
        CHECK_INT(fold1(IR_OP_CLZ, type, type, all).i, 0);
        CHECK_INT(fold1(IR_OP_CTZ, type, type, none).i, width);
        CHECK_INT(fold1(IR_OP_CTZ, type, type,
                        (union ir_value){.i = ir_normalize(type, (int64_t)(UINT64_C(3) << (width - 2)))})
                      .i,
                  width - 2);
        CHECK_INT(fold1(IR_OP_BITREVERSE, type, type, one).i, ir_normalize(type, INT64_MIN >> (64 - width)));
        CHECK_INT(fold1(IR_OP_BSWAP, type, type, (union ir_value){.i = 0x12}).i,
                  ir_normalize(type, INT64_C(0x12) << (width - 8)));
        CHECK_INT(fold2(IR_OP_UMULH, type, -1, -1), -2);
        CHECK_INT(fold2(IR_OP_UMULH, type, -1, 1), 0);
    }
    CHECK_INT(fold2(IR_OP_UMULH, IR_I64, INT64_C(0x123456789abcdef0), INT64_C(0x0fedcba987654321)),
              INT64_C(0x0121fa00ad77d742));
}

TEST(comparisons_are_false_for_nan_except_not_equal)
{
    static const enum ir_op ops[] = {IR_OP_FEQ, IR_OP_FLT, IR_OP_FLE, IR_OP_FGT, IR_OP_FGE};
    union ir_value args[2] = {{.f = NAN}, {.f = 1}};
    union ir_value out;
    for (int swap = 0; swap < 2; swap++) {
        for (size_t i = 0; i < 5; i++) {
            CHECK(ir_fold(ops[i], IR_I1, IR_F64, args, &out) && out.i == 0);
        }
        CHECK(ir_fold(IR_OP_FNE, IR_I1, IR_F64, args, &out) && out.i == 1);
        args[1] = (union ir_value){.f = NAN};
    }
}

TEST(bitcasts_keep_every_bit_also_of_signalling_nans)
{
    static const uint32_t words[] = {0, 0x80000000, 0x7f800001, 0xffc12345, 0x7fa00000, 0x3f800000, 1};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        union ir_value x = fold1(IR_OP_BITCAST, IR_F32, IR_I32, (union ir_value){.i = (int32_t)words[i]});
        CHECK_INT(fold1(IR_OP_BITCAST, IR_I32, IR_F32, x).i, (int32_t)words[i]);
    }
    int64_t bits = INT64_C(0x7ff0000000000001);
    union ir_value y = fold1(IR_OP_BITCAST, IR_F64, IR_I64, (union ir_value){.i = bits});
    CHECK_INT(fold1(IR_OP_BITCAST, IR_I64, IR_F64, y).i, bits);
}

TEST(select_takes_one_of_its_values)
{
    union ir_value args[3] = {{.i = 1}, {.i = 7}, {.i = 9}};
    union ir_value out;
    CHECK(ir_fold(IR_OP_SELECT, IR_I32, IR_I32, args, &out) && out.i == 7);
    args[0].i = 0;
    CHECK(ir_fold(IR_OP_SELECT, IR_I32, IR_I32, args, &out) && out.i == 9);
}

// ---- all of 8 bits -------------------------------------------------------------------------------------------------

// What an operation on 8-bit values gives, in int: the mathematics, then the low 8 bits.
static int reference_8(enum ir_op op, int a, int b)
{
    int ua = a & 255, ub = b & 255, count = b & 7;
    switch (op) {
    case IR_OP_ADD: return a + b;
    case IR_OP_SUB: return a - b;
    case IR_OP_MUL: return a * b;
    case IR_OP_SDIV: return b == 0 ? 0 : a / b;
    case IR_OP_UDIV: return ub == 0 ? 0 : ua / ub;
    case IR_OP_SREM: return b == 0 ? a : a % b;
    case IR_OP_UREM: return ub == 0 ? ua : ua % ub;
    case IR_OP_AND: return ua & ub;
    case IR_OP_OR: return ua | ub;
    case IR_OP_XOR: return ua ^ ub;
    case IR_OP_SHL: return ua * (1 << count);
    case IR_OP_LSHR: return ua / (1 << count);
    case IR_OP_ASHR: return (int)floor((double)a / (1 << count));
    case IR_OP_SMIN: return a < b ? a : b;
    case IR_OP_SMAX: return a > b ? a : b;
    case IR_OP_UMIN: return ua < ub ? ua : ub;
    case IR_OP_UMAX: return ua > ub ? ua : ub;
    case IR_OP_EQ: return a == b;
    case IR_OP_NE: return a != b;
    case IR_OP_SLT: return a < b;
    case IR_OP_SLE: return a <= b;
    case IR_OP_SGT: return a > b;
    case IR_OP_SGE: return a >= b;
    case IR_OP_ULT: return ua < ub;
    case IR_OP_ULE: return ua <= ub;
    case IR_OP_UGT: return ua > ub;
    case IR_OP_UGE: return ua >= ub;
    default: return -999;
    }
}

TEST(every_operation_on_every_pair_of_bytes_is_right)
{
    for (int op = IR_OP_ADD; op <= IR_OP_UGE; op++) {
        if (op > IR_OP_UMAX && op < IR_OP_EQ) {
            continue; // floats
        }
        bool compares = op >= IR_OP_EQ;
        int wrong = 0;
        for (int a = -128; a < 128; a++) {
            for (int b = -128; b < 128; b++) {
                union ir_value args[2] = {{.i = a}, {.i = b}};
                union ir_value out = {0};
                bool known = ir_fold((enum ir_op)op, compares ? IR_I1 : IR_I8, IR_I8, args, &out);
                int expected = reference_8((enum ir_op)op, a, b);
                expected = compares ? expected : (int)(int8_t)(uint8_t)expected;
                wrong += !known || out.i != expected;
            }
        }
        if (wrong != 0) {
            FAIL("%s is wrong for %d pairs", ir_op_name((enum ir_op)op), wrong);
        }
    }
}

// ---- updates -------------------------------------------------------------------------------------------------------

static double updatef(enum ir_update update, double x, double e)
{
    union ir_value out = {.f = -99};
    CHECK(ir_fold_update(update, IR_F64, (union ir_value){.f = x}, (union ir_value){.f = e}, &out));
    return out.f;
}

static int64_t updatei(enum ir_update update, enum ir_type type, int64_t x, int64_t e)
{
    union ir_value out = {.i = -99};
    CHECK(ir_fold_update(update, type, (union ir_value){.i = x}, (union ir_value){.i = e}, &out));
    return out.i;
}

TEST(integer_updates_wrap_in_their_type)
{
    CHECK_INT(updatei(IR_UPDATE_ADD, IR_I8, 127, 1), -128);
    CHECK_INT(updatei(IR_UPDATE_SUB, IR_I16, INT16_MIN, 1), INT16_MAX);
    CHECK_INT(updatei(IR_UPDATE_MUL, IR_I32, 1 << 20, 1 << 20), 0);
    CHECK_INT(updatei(IR_UPDATE_AND, IR_I32, 12, 10), 8);
    CHECK_INT(updatei(IR_UPDATE_OR, IR_I32, 12, 10), 14);
    CHECK_INT(updatei(IR_UPDATE_XOR, IR_I32, 12, 10), 6);
    CHECK_INT(updatei(IR_UPDATE_SMIN, IR_I32, -1, 1), -1);
    CHECK_INT(updatei(IR_UPDATE_UMIN, IR_I32, -1, 1), 1);
    CHECK_INT(updatei(IR_UPDATE_SMAX, IR_I32, -1, 1), 1);
    CHECK_INT(updatei(IR_UPDATE_UMAX, IR_I32, -1, 1), -1);
    CHECK_INT(updatei(IR_UPDATE_LAND, IR_I32, 7, 1), 1);
    CHECK_INT(updatei(IR_UPDATE_LAND, IR_I32, 7, 0), 0);
    CHECK_INT(updatei(IR_UPDATE_LOR, IR_I8, 0, 0), 0);
    CHECK_INT(updatei(IR_UPDATE_LOR, IR_I8, -3, 0), 1);
    CHECK_INT(updatei(IR_UPDATE_EXCHANGE, IR_I64, 1, 9), 9);
    union ir_value out;
    CHECK(!ir_fold_update(IR_UPDATE_NONE, IR_I32, (union ir_value){0}, (union ir_value){0}, &out));
}

TEST(float_minima_treat_nan_as_their_source_form_does)
{
    CHECK(updatef(IR_UPDATE_FMIN, NAN, 1) == 1); // fmin ignores it
    CHECK(updatef(IR_UPDATE_FMIN, 1, NAN) == 1);
    CHECK(isnan(updatef(IR_UPDATE_FMIN_IF, NAN, 1))); // if (e < x) x = e
    CHECK(updatef(IR_UPDATE_FMIN_IF, 1, NAN) == 1);
    CHECK(updatef(IR_UPDATE_FMIN_COND, NAN, 1) == 1); // x = x < e ? x : e
    CHECK(isnan(updatef(IR_UPDATE_FMIN_COND, 1, NAN)));
    CHECK(updatef(IR_UPDATE_FMAX_IF, 1, 2) == 2);
    CHECK(isnan(updatef(IR_UPDATE_FMAX_COND_EQ, 1, NAN)));
}

TEST(float_minima_keep_the_zero_that_their_source_form_keeps)
{
    CHECK(!signbit(updatef(IR_UPDATE_FMIN_IF, 0.0, -0.0)));
    CHECK(signbit(updatef(IR_UPDATE_FMIN_IF_EQ, 0.0, -0.0)));
    CHECK(signbit(updatef(IR_UPDATE_FMIN_COND, 0.0, -0.0)));
    CHECK(!signbit(updatef(IR_UPDATE_FMIN_COND_EQ, 0.0, -0.0)));
    CHECK(!signbit(updatef(IR_UPDATE_FMAX_IF, 0.0, -0.0)));
    CHECK(signbit(updatef(IR_UPDATE_FMAX_IF_EQ, 0.0, -0.0)));
    CHECK(signbit(updatef(IR_UPDATE_FMAX_COND, 0.0, -0.0)));
    CHECK(!signbit(updatef(IR_UPDATE_FMAX_COND_EQ, 0.0, -0.0)));
}

TEST(float_sums_are_rounded_in_their_type)
{
    union ir_value out;
    CHECK(ir_fold_update(IR_UPDATE_ADD, IR_F32, (union ir_value){.f = 16777216}, (union ir_value){.f = 1}, &out));
    CHECK(out.f == 16777216);
    CHECK(updatef(IR_UPDATE_SUB, 1, 0.25) == 0.75);
    CHECK(updatef(IR_UPDATE_MUL, 3, 0.25) == 0.75);
}

// ---- math ----------------------------------------------------------------------------------------------------------

static union ir_value math(enum ir_math function, enum ir_type type, double x, union ir_value y)
{
    union ir_value args[2] = {{.f = x}, y};
    union ir_value out = {.f = -99};
    CHECK(ir_fold_math(function, type, args, &out));
    return out;
}

TEST(every_math_function_is_known_in_both_types)
{
    for (int i = 0; i < IR_MATH_COUNT; i++) {
        union ir_value second = i == IR_MATH_LDEXP ? (union ir_value){.i = 2} : (union ir_value){.f = 0.5};
        math((enum ir_math)i, IR_F32, 0.75, second);
        math((enum ir_math)i, IR_F64, 0.75, second);
        CHECK(ir_math_arg_count((enum ir_math)i) >= 1 && ir_math_arg_count((enum ir_math)i) <= 2);
    }
}

TEST(math_is_the_librarys_function_of_that_type)
{
    union ir_value none = {0};
    CHECK(math(IR_MATH_SIN, IR_F64, 1, none).f == sin(1));
    CHECK(math(IR_MATH_SIN, IR_F32, 1, none).f == (double)sinf(1));
    CHECK(math(IR_MATH_POW, IR_F64, 2, (union ir_value){.f = 0.5}).f == pow(2, 0.5));
    CHECK(math(IR_MATH_FMOD, IR_F32, 7.5, (union ir_value){.f = 2}).f == 1.5);
    CHECK(math(IR_MATH_SQRT, IR_F32, 2, none).f == (double)sqrtf(2));
    CHECK(math(IR_MATH_LDEXP, IR_F64, 3, (union ir_value){.i = 4}).f == 48);
    CHECK_INT(math(IR_MATH_ILOGB, IR_F64, 10, none).i, 3);
    CHECK_INT(math(IR_MATH_FREXP_EXPONENT, IR_F64, 10, none).i, 4);
    CHECK(math(IR_MATH_FREXP_FRACTION, IR_F64, 10, none).f == 0.625);
    CHECK_INT(math(IR_MATH_REMQUO_BITS, IR_F64, 7, (union ir_value){.f = 2}).i & 7, 4);
    CHECK(math(IR_MATH_ROUND, IR_F32, 2.5, none).f == 3);
    CHECK(math(IR_MATH_RINT, IR_F32, 2.5, none).f == 2);
    CHECK(math(IR_MATH_LGAMMA, IR_F64, 5, none).f == lgamma(5));
}

// ---- trip counts ---------------------------------------------------------------------------------------------------

static bool holds(enum ir_op compare, int64_t a, int64_t b)
{
    return compare == IR_OP_SLT || compare == IR_OP_ULT   ? a < b
           : compare == IR_OP_SLE || compare == IR_OP_ULE ? a <= b
           : compare == IR_OP_SGT || compare == IR_OP_UGT ? a > b
           : compare == IR_OP_SGE || compare == IR_OP_UGE ? a >= b
                                                          : a != b;
}

static uint64_t count(enum ir_op compare, enum ir_type type, bool is_unsigned, int64_t init, int64_t bound,
                      int64_t step)
{
    struct ir_trip trip = trip_make(compare, type, is_unsigned, step);
    return trip_count(&trip, init, bound);
}

// Counts by running the loop in numbers that do not overflow.
static uint64_t brute_force(enum ir_op compare, int64_t init, int64_t bound, int64_t step)
{
    uint64_t count = 0;
    for (int64_t i = init; holds(compare, i, bound); i += step) {
        count++;
    }
    return count;
}

static void check_bytes(enum ir_op compare, bool is_unsigned, int step)
{
    int low = is_unsigned ? 0 : -128;
    int wrong = 0;
    for (int init = low; init < low + 256; init++) {
        for (int bound = low; bound < low + 256; bound++) {
            uint64_t expected;
            if (compare == IR_OP_NE) {
                expected = (uint64_t)((step > 0 ? bound - init : init - bound) & 255); // C's counter wraps
            } else {
                expected = brute_force(compare, init, bound, step);
            }
            wrong += count(compare, IR_I8, is_unsigned, (int8_t)init, (int8_t)bound, step) != expected;
        }
    }
    if (wrong != 0) {
        FAIL("%s by %d is wrong for %d pairs", ir_op_name(compare), step, wrong);
    }
}

TEST(trip_counts_of_bytes_are_those_of_the_loop)
{
    static const int steps[] = {1, 2, 3, 7, 64, 127, 128, 200, 255};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        check_bytes(IR_OP_SLT, false, steps[i]);
        check_bytes(IR_OP_SLE, false, steps[i]);
        check_bytes(IR_OP_SGT, false, -steps[i]);
        check_bytes(IR_OP_SGE, false, -steps[i]);
        check_bytes(IR_OP_ULT, true, steps[i]);
        check_bytes(IR_OP_ULE, true, steps[i]);
        check_bytes(IR_OP_UGT, true, -steps[i]);
        check_bytes(IR_OP_UGE, true, -steps[i]);
    }
    for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
        check_bytes(IR_OP_NE, is_unsigned, 1);
        check_bytes(IR_OP_NE, is_unsigned, -1);
    }
}

TEST(trip_counts_are_exact_at_the_ends_of_64_bits)
{
    CHECK_UINT(count(IR_OP_SLT, IR_I64, false, INT64_MIN, INT64_MAX, 1), UINT64_MAX);
    CHECK_UINT(count(IR_OP_SLT, IR_I64, false, INT64_MIN, INT64_MAX, INT64_MAX), 3);
    CHECK_UINT(count(IR_OP_SLE, IR_I64, false, INT64_MAX, INT64_MAX, 1), 1);
    CHECK_UINT(count(IR_OP_SLE, IR_I64, false, INT64_MIN, INT64_MAX, 2), UINT64_C(1) << 63);
    CHECK_UINT(count(IR_OP_SGE, IR_I64, false, INT64_MIN, INT64_MIN, -1), 1);
    CHECK_UINT(count(IR_OP_SGT, IR_I64, false, INT64_MAX, INT64_MIN, INT64_MIN), 2);
    CHECK_UINT(count(IR_OP_ULT, IR_I64, true, 0, -1, 1), UINT64_MAX);
    CHECK_UINT(count(IR_OP_ULT, IR_I64, true, 0, -1, 10), UINT64_MAX / 10 + 1);
    CHECK_UINT(count(IR_OP_UGT, IR_I64, true, -1, 0, -1), UINT64_MAX);
    CHECK_UINT(count(IR_OP_UGE, IR_I64, true, 5, 0, -1), 6);
    CHECK_UINT(count(IR_OP_NE, IR_I64, false, INT64_MAX, INT64_MIN, 1), 1);
    CHECK_UINT(count(IR_OP_NE, IR_I64, true, 0, -1, 1), UINT64_MAX);
    CHECK_UINT(count(IR_OP_NE, IR_I64, true, 0, -1, -1), 1);
    CHECK_UINT(count(IR_OP_NE, IR_I32, false, INT32_MIN, INT32_MAX, 1), UINT32_MAX);
    CHECK_UINT(count(IR_OP_SLT, IR_I32, false, INT32_MIN, INT32_MAX, 1), UINT32_MAX);
    CHECK_UINT(count(IR_OP_ULE, IR_I32, true, 0, -1, 1), UINT64_C(1) << 32);
    CHECK_UINT(count(IR_OP_ULT, IR_I16, true, 1, -1, 3), 21845);
    CHECK_UINT(count(IR_OP_SLT, IR_I64, false, 5, 5, 1), 0);
    CHECK_UINT(count(IR_OP_SLT, IR_I64, false, 0, INT64_C(1) << 33, 1), UINT64_C(1) << 33);
}

#include "ir/ir.h"

#include "base/half.h"
#include "ir/arith.h"

// ---- integers ------------------------------------------------------------------------------------------------------

static bool fold_integer(enum ir_op op, int width, int64_t a, int64_t b, int64_t *out)
{
    uint64_t ua = arith_unsigned(width, a);
    uint64_t ub = arith_unsigned(width, b);
    uint64_t r = 0;
    switch (op) {
    case IR_OP_ADD: r = ua + ub; break;
    case IR_OP_SUB: r = ua - ub; break;
    case IR_OP_MUL: r = ua * ub; break;
    case IR_OP_SDIV: r = (uint64_t)arith_sdiv(a, b); break;
    case IR_OP_UDIV: r = arith_udiv(ua, ub); break;
    case IR_OP_SREM: r = (uint64_t)arith_srem(a, b); break;
    case IR_OP_UREM: r = arith_urem(ua, ub); break;
    case IR_OP_AND: r = ua & ub; break;
    case IR_OP_OR: r = ua | ub; break;
    case IR_OP_XOR: r = ua ^ ub; break;
    case IR_OP_SHL: r = ua << arith_shift(width, b); break;
    case IR_OP_LSHR: r = ua >> arith_shift(width, b); break;
    case IR_OP_ASHR: r = (uint64_t)arith_ashr(a, arith_shift(width, b)); break;
    case IR_OP_SMIN: r = (uint64_t)(a < b ? a : b); break;
    case IR_OP_SMAX: r = (uint64_t)(a > b ? a : b); break;
    case IR_OP_UMIN: r = ua < ub ? ua : ub; break;
    case IR_OP_UMAX: r = ua > ub ? ua : ub; break;
    case IR_OP_UMULH: r = arith_umulh(width, ua, ub); break;
    default: return false;
    }
    *out = arith_wrap(width, r);
    return true;
}

static bool fold_bits(enum ir_op op, int width, int64_t a, int64_t *out)
{
    uint64_t ua = arith_unsigned(width, a);
    uint64_t r = 0;
    switch (op) {
    case IR_OP_POPCOUNT: r = (uint64_t)arith_popcount(ua); break;
    case IR_OP_CLZ: r = (uint64_t)arith_clz(width, ua); break;
    case IR_OP_CTZ: r = (uint64_t)arith_ctz(width, ua); break;
    case IR_OP_BSWAP: r = arith_bswap(width, ua); break;
    case IR_OP_BITREVERSE: r = arith_bitreverse(width, ua); break;
    default: return false;
    }
    *out = arith_wrap(width, r);
    return true;
}

static bool fold_compare(enum ir_op op, int width, int64_t a, int64_t b, int64_t *out)
{
    uint64_t ua = arith_unsigned(width, a);
    uint64_t ub = arith_unsigned(width, b);
    switch (op) {
    case IR_OP_EQ: *out = ua == ub; return true;
    case IR_OP_NE: *out = ua != ub; return true;
    case IR_OP_SLT: *out = a < b; return true;
    case IR_OP_SLE: *out = a <= b; return true;
    case IR_OP_SGT: *out = a > b; return true;
    case IR_OP_SGE: *out = a >= b; return true;
    case IR_OP_ULT: *out = ua < ub; return true;
    case IR_OP_ULE: *out = ua <= ub; return true;
    case IR_OP_UGT: *out = ua > ub; return true;
    case IR_OP_UGE: *out = ua >= ub; return true;
    default: return false;
    }
}

// ---- floats --------------------------------------------------------------------------------------------------------

static bool fold_float_compare(enum ir_op op, double a, double b, int64_t *out)
{
    switch (op) {
    case IR_OP_FEQ: *out = a == b; return true;
    case IR_OP_FNE: *out = a != b; return true;
    case IR_OP_FLT: *out = a < b; return true;
    case IR_OP_FLE: *out = a <= b; return true;
    case IR_OP_FGT: *out = a > b; return true;
    case IR_OP_FGE: *out = a >= b; return true;
    default: return false;
    }
}

static bool fold_f32(enum ir_op op, const union ir_value *args, union ir_value *out)
{
    float a = arith_held(args[0].f);
    float b = op == IR_OP_FNEG ? 0 : arith_held(args[1].f);
    float r;
    switch (op) {
    case IR_OP_FADD: r = a + b; break;
    case IR_OP_FSUB: r = a - b; break;
    case IR_OP_FMUL: r = a * b; break;
    case IR_OP_FDIV: r = a / b; break;
    case IR_OP_FNEG: r = -a; break;
    case IR_OP_FMA: r = fmaf(a, b, arith_held(args[2].f)); break;
    default: return false;
    }
    out->f = arith_hold(r);
    return true;
}

static bool fold_f64(enum ir_op op, const union ir_value *args, union ir_value *out)
{
    double a = args[0].f;
    double b = op == IR_OP_FNEG ? 0 : args[1].f;
    switch (op) {
    case IR_OP_FADD: out->f = a + b; return true;
    case IR_OP_FSUB: out->f = a - b; return true;
    case IR_OP_FMUL: out->f = a * b; return true;
    case IR_OP_FDIV: out->f = a / b; return true;
    case IR_OP_FNEG: out->f = -a; return true;
    case IR_OP_FMA: out->f = fma(a, b, args[2].f); return true;
    default: return false;
    }
}

// Of halves: what float gives, rounded to 16 bits. A float has more than twice their bits, so that of a sum, a product
// or a quotient this is the nearest half.
static bool fold_half(enum ir_op op, enum ir_type type, const union ir_value *args, union ir_value *out)
{
    bool is_bf16 = type == IR_BF16;
    if (op == IR_OP_FNEG) {
        out->f = half_value(half_bits(args[0].f, is_bf16) ^ 0x8000, is_bf16);
        return true;
    }
    union ir_value wide;
    if (op == IR_OP_FMA || !fold_f32(op, args, &wide)) {
        return false;
    }
    out->f = half_round(wide.f, is_bf16);
    return true;
}

// ---- conversions ---------------------------------------------------------------------------------------------------

static void fold_bitcast(enum ir_type type, enum ir_type from, union ir_value x, union ir_value *out)
{
    if (type == IR_F32 && from == IR_I32) {
        out->f = arith_hold(arith_float((uint32_t)x.i));
    } else if (ir_type_is_half(type)) {
        out->f = half_value((uint16_t)x.i, type == IR_BF16);
    } else if (ir_type_is_half(from)) {
        out->i = (int16_t)half_bits(x.f, from == IR_BF16);
    } else if (type == IR_I32 && from == IR_F32) {
        out->i = arith_wrap(32, arith_bits32(arith_held(x.f)));
    } else {
        *out = x; // i64 and f64 share the union's bits
    }
}

static bool fold_conversion(enum ir_op op, enum ir_type type, enum ir_type from, union ir_value x, union ir_value *out)
{
    int width = arith_width(type);
    int from_width = arith_width(from);
    switch (op) {
    case IR_OP_SEXT:
    case IR_OP_TRUNC: out->i = arith_wrap(width, (uint64_t)x.i); return true;
    case IR_OP_ZEXT: out->i = arith_wrap(width, arith_unsigned(from_width, x.i)); return true;
    case IR_OP_SITOFP:
        if (ir_type_is_half(type)) {
            out->f = half_round(half_sticky(x.i < 0 ? 0 - (uint64_t)x.i : (uint64_t)x.i, x.i < 0), type == IR_BF16);
            return true;
        }
        out->f = type == IR_F32 ? (double)(float)x.i : (double)x.i;
        return true;
    case IR_OP_UITOFP: {
        uint64_t u = arith_unsigned(from_width, x.i);
        out->f = ir_type_is_half(type) ? half_round(half_sticky(u, false), type == IR_BF16)
                 : type == IR_F32      ? (double)(float)u
                                       : (double)u;
        return true;
    }
    case IR_OP_FPTOSI: out->i = arith_fptosi(width, x.f); return true;
    case IR_OP_FPTOUI: out->i = arith_fptoui(width, x.f); return true;
    case IR_OP_FPEXT: out->f = ir_type_is_half(from) ? arith_quiet(x.f) : (double)arith_held(x.f); return true;
    case IR_OP_FPTRUNC:
        out->f = ir_type_is_half(type) ? half_round(arith_quiet(x.f), type == IR_BF16) : arith_hold((float)x.f);
        return true;
    case IR_OP_BITCAST: fold_bitcast(type, from, x, out); return true;
    case IR_OP_PTRTOINT:
    case IR_OP_INTTOPTR: out->i = x.i; return true;
    default: return false;
    }
}

bool ir_fold(enum ir_op op, enum ir_type type, enum ir_type arg_type, const union ir_value *args, union ir_value *out)
{
    union ir_value result = {0};
    bool known;
    switch (ir_op_group(op)) {
    case IR_GROUP_SELECT:
        result = args[0].i != 0 ? args[1] : args[2];
        known = true;
        break;
    case IR_GROUP_INTEGER:
        known = ir_type_is_int(type) && fold_integer(op, arith_width(type), args[0].i, args[1].i, &result.i);
        break;
    case IR_GROUP_BITS: known = ir_type_is_int(type) && fold_bits(op, arith_width(type), args[0].i, &result.i); break;
    case IR_GROUP_FLOAT:
        known = ir_type_is_half(type) ? fold_half(op, type, args, &result)
                : type == IR_F32      ? fold_f32(op, args, &result)
                                      : type == IR_F64 && fold_f64(op, args, &result);
        break;
    case IR_GROUP_COMPARE:
        known = (ir_type_is_int(arg_type) || arg_type == IR_PTR) &&
                fold_compare(op, arith_width(arg_type), args[0].i, args[1].i, &result.i);
        break;
    case IR_GROUP_FLOAT_COMPARE: known = fold_float_compare(op, args[0].f, args[1].f, &result.i); break;
    case IR_GROUP_CONVERT: known = fold_conversion(op, type, arg_type, args[0], &result); break;
    default: return false;
    }
    if (known) {
        *out = result;
    }
    return known;
}

// ---- updates -------------------------------------------------------------------------------------------------------

static bool fold_logical_update(enum ir_update update, enum ir_type type, union ir_value old, union ir_value operand,
                                union ir_value *out)
{
    bool is_float = ir_type_is_float(type);
    bool was = is_float ? old.f != 0 : old.i != 0;
    bool is = ir_update_kind(update) == IR_UPDATE_KIND_LAND ? was && operand.i != 0 : was || operand.i != 0;
    if (is_float) {
        out->f = is;
    } else {
        out->i = is;
    }
    return true;
}

// Of floats: a minimum or maximum.
static bool fold_min_max(enum ir_update update, enum ir_type type, union ir_value old, union ir_value operand,
                         union ir_value *out)
{
    enum ir_op compare;
    bool old_first;
    union ir_value is_first;
    if (ir_update_choice(update, &compare, &old_first)) {
        union ir_value args[2] = {old_first ? old : operand, old_first ? operand : old};
        bool known = ir_fold(compare, IR_I1, type, args, &is_first);
        *out = args[is_first.i == 0];
        return known;
    }
    bool is_min = ir_update_kind(update) == IR_UPDATE_KIND_MIN;
    double x = old.f, e = operand.f;
    if (type == IR_F32 || ir_type_is_half(type)) {
        out->f = (double)(is_min ? fminf((float)x, (float)e) : fmaxf((float)x, (float)e));
    } else {
        out->f = is_min ? fmin(x, e) : fmax(x, e);
    }
    return true;
}

bool ir_fold_update(enum ir_update update, enum ir_type type, union ir_value old, union ir_value operand,
                    union ir_value *out)
{
    if (!ir_update_fits(update, type)) {
        return false;
    }
    if (ir_update_kind(update) == IR_UPDATE_KIND_STORE) {
        *out = operand;
        return true;
    }
    if (ir_update_takes_truth(update)) {
        return fold_logical_update(update, type, old, operand, out);
    }
    enum ir_op op = ir_update_op(update, type);
    if (op != IR_OP_COUNT) {
        return ir_fold(op, type, type, (union ir_value[]){old, operand}, out);
    }
    return fold_min_max(update, type, old, operand, out);
}

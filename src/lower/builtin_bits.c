// GNU C's functions of the bits of integers, and arithmetic that tells whether its result fits.
#include "lower/internal.h"

#include <assert.h>
#include <string.h>

// ---- bits ----------------------------------------------------------------------------------------------------------

// A row's |op| is done in the argument's type; the rows that need more are written out below.
static const struct {
    const char *name;
    enum ir_op op;
} bits[] = {
    {"popcount", IR_OP_POPCOUNT}, {"parity", IR_OP_POPCOUNT}, {"clz", IR_OP_CLZ},     {"ctz", IR_OP_CTZ},
    {"ffs", IR_OP_CTZ},           {"clrsb", IR_OP_CLZ},       {"bswap", IR_OP_BSWAP}, {"bitreverse", IR_OP_BITREVERSE},
};

static const char *row_name(const struct function *function, enum ir_op *out_op)
{
    const char *name = function->name + strlen("__builtin_");
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        size_t length = strlen(bits[i].name);
        if (strncmp(name, bits[i].name, length) == 0 && strspn(name + length, "l0123456789") == strlen(name + length)) {
            *out_op = bits[i].op;
            return bits[i].name;
        }
    }
    return NULL;
}

bool lower_is_bits(const struct function *function)
{
    enum ir_op op;
    return strncmp(function->name, "__builtin_", 10) == 0 && row_name(function, &op) != NULL;
}

static struct ir_inst *resized(struct lower *l, struct ir_inst *x, enum ir_type type)
{
    int grows = ir_type_size(type) - ir_type_size(x->type);
    return grows == 0 ? x : lower_unary(l, grows > 0 ? IR_OP_ZEXT : IR_OP_TRUNC, type, x);
}

struct ir_inst *lower_bits(struct lower *l, const struct expr *e, struct ir_inst *x)
{
    enum ir_op op;
    const char *name = row_name(e->function, &op);
    enum ir_type type = x->type;
    assert(name != NULL && ir_type_is_int(type));
    if (strcmp(name, "ffs") == 0) {
        struct ir_inst *next = lower_binary(l, IR_OP_ADD, type, lower_unary(l, op, type, x), lower_int(l, type, 1));
        struct ir_inst *is_zero = lower_binary(l, IR_OP_EQ, IR_I1, x, lower_int(l, type, 0));
        x = lower_select(l, is_zero, lower_int(l, type, 0), next);
    } else if (strcmp(name, "clrsb") == 0) {
        // Signs below the highest bit: zeros above the highest bit that differs from it.
        struct ir_inst *signs = lower_binary(l, IR_OP_ASHR, type, x, lower_int(l, type, 8 * ir_type_size(type) - 1));
        struct ir_inst *zeros = lower_unary(l, op, type, lower_binary(l, IR_OP_XOR, type, x, signs));
        x = lower_binary(l, IR_OP_SUB, type, zeros, lower_int(l, type, 1));
    } else {
        x = lower_unary(l, op, type, x);
    }
    if (strcmp(name, "parity") == 0) {
        x = lower_binary(l, IR_OP_AND, type, x, lower_int(l, type, 1));
    }
    return resized(l, x, lower_type(e->type));
}

// ---- overflow ------------------------------------------------------------------------------------------------------

// An integer of 128 bits, as two of 64. Sums, differences and products of any two integers of C are exact in it, but
// for products beyond 2^127, whose upper half is then never all ones: nobody takes them for negative numbers.
struct wide {
    struct ir_inst *low;
    struct ir_inst *high;
};

static struct wide widened(struct lower *l, struct ir_inst *x, const struct type *type)
{
    struct wide w = {lower_widen(l, x, type), lower_int(l, IR_I64, 0)};
    if (!lower_is_unsigned(type)) {
        w.high = lower_binary(l, IR_OP_ASHR, IR_I64, w.low, lower_int(l, IR_I64, 63));
    }
    return w;
}

static struct ir_inst *i64(struct lower *l, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return lower_binary(l, op, IR_I64, x, y);
}

static struct wide exact(struct lower *l, char operation, struct wide a, struct wide b)
{
    if (operation == 'm') {
        struct ir_inst *high = i64(l, IR_OP_UMULH, a.low, b.low);
        high = i64(l, IR_OP_ADD, high, i64(l, IR_OP_MUL, a.high, b.low));
        high = i64(l, IR_OP_ADD, high, i64(l, IR_OP_MUL, a.low, b.high));
        return (struct wide){i64(l, IR_OP_MUL, a.low, b.low), high};
    }
    enum ir_op op = operation == 'a' ? IR_OP_ADD : IR_OP_SUB;
    struct ir_inst *low = i64(l, op, a.low, b.low);
    struct ir_inst *carries = operation == 'a' ? lower_binary(l, IR_OP_ULT, IR_I1, low, a.low)
                                               : lower_binary(l, IR_OP_ULT, IR_I1, a.low, b.low);
    struct ir_inst *carry = lower_unary(l, IR_OP_ZEXT, IR_I64, carries);
    return (struct wide){low, i64(l, op, i64(l, op, a.high, b.high), carry)};
}

bool lower_is_overflow(const struct function *function, bool *out_is_question)
{
    const char *name = function->name;
    size_t length = strlen(name);
    *out_is_question = length > 11 && strcmp(name + length - 11, "_overflow_p") == 0;
    return strncmp(name, "__builtin_", 10) == 0 &&
           (*out_is_question || (length > 9 && strcmp(name + length - 9, "_overflow") == 0));
}

// The sum, difference or product of args[0] and args[1] as integers without end, cut to the type that args[2] points to
// (or has); the value is whether something was cut off.
struct ir_inst *lower_overflow(struct lower *l, const struct expr *e, struct ir_inst *const *args)
{
    bool is_question;
    bool is_overflow = lower_is_overflow(e->function, &is_question);
    assert(is_overflow && e->arg_count == 3);
    (void)is_overflow;
    const struct type *type = is_question ? e->args[2]->type : e->args[2]->type->base;
    bool is_narrow = e->args[0]->type->size < 8 && e->args[1]->type->size < 8 && type->size < 8;
    struct wide a = widened(l, args[0], e->args[0]->type);
    struct wide b = widened(l, args[1], e->args[1]->type);
    char operation = e->function->name[strlen("__builtin_")];
    struct wide sum;
    if (is_narrow) { // 64 bits hold what two integers of 32 make, or tell that they do not
        enum ir_op op = operation == 'a' ? IR_OP_ADD : operation == 's' ? IR_OP_SUB : IR_OP_MUL;
        sum = (struct wide){i64(l, op, a.low, b.low), NULL};
    } else {
        sum = exact(l, operation, a, b);
    }
    enum ir_type to = lower_type(type);
    struct ir_inst *result = to == IR_I64 ? sum.low : lower_unary(l, IR_OP_TRUNC, to, sum.low);
    struct ir_inst *kept = lower_widen(l, result, type);
    struct ir_inst *lost = lower_binary(l, IR_OP_NE, IR_I1, kept, sum.low);
    if (!is_narrow) {
        struct ir_inst *zero = lower_int(l, IR_I64, 0);
        struct ir_inst *sign = lower_is_unsigned(type) ? zero : i64(l, IR_OP_ASHR, kept, lower_int(l, IR_I64, 63));
        lost = lower_binary(l, IR_OP_OR, IR_I1, lost, lower_binary(l, IR_OP_NE, IR_I1, sum.high, sign));
    }
    if (!is_question) {
        lower_store(l, args[2], result, (struct lower_access){0});
    }
    return lower_unary(l, IR_OP_ZEXT, IR_I8, lost);
}

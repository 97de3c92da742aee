// Loops whose condition holds for every value of the type it looks at: `i >= 0` of an unsigned i, `c < 300` of an
// unsigned char. In C they do not end by it, whatever the author meant.
#include "lang/parse.h"

// Conversions that keep every value, but for negative ones that become unsigned, which the caller looks for.
static const struct expr *without_widening(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->is_implicit && type_is_integer(e->type) && type_is_integer(e->a->type) &&
           e->type->size >= e->a->type->size) {
        e = e->a;
    }
    return e;
}

// Whether `x compare value` holds for the least and the largest x of |type|, and so for all. |is_huge|: the value is
// 2^63 or more, and |value| its bits.
static bool holds_for_all(const struct type *type, enum expr_kind compare, int64_t value, bool is_huge)
{
    int bits = type_int_bits(type);
    bool is_signed = type_is_signed(type);
    int64_t least = is_signed ? (bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1))) : 0;
    if (bits == 64 && !is_signed) {
        return compare == EXPR_GE ? value == 0 : compare == EXPR_LE && is_huge && value == -1;
    }
    int64_t largest = bits == 64 ? INT64_MAX : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    switch (compare) {
    case EXPR_LT: return is_huge || largest < value;
    case EXPR_LE: return is_huge || largest <= value;
    case EXPR_GT: return !is_huge && least > value;
    case EXPR_GE: return !is_huge && least >= value;
    default: return is_huge || value < least || value > largest;
    }
}

void parse_warn_of_endless(struct parser *p, const struct expr *condition, const char *word)
{
    static const char *const signs[] = {"below", "at most", "above", "at least", NULL, "never"};
    if (condition->kind < EXPR_LT || condition->kind > EXPR_NE || condition->kind == EXPR_EQ ||
        !type_is_integer(condition->a->type)) {
        return;
    }
    int64_t value;
    bool is_left = const_eval_int(condition->a, &value); // the constant is
    const struct expr *other = is_left ? condition->b : condition->a;
    if (const_eval_int(other, &(int64_t){0}) || (!is_left && !const_eval_int(condition->b, &value))) {
        return;
    }
    const struct type *common = condition->a->type;
    const struct type *type = without_widening(other)->type;
    bool is_huge = value < 0 && !type_is_signed(common) && common->size == 8;
    if (type->kind == TYPE_BOOL || (type_is_signed(type) && !type_is_signed(common))) {
        return;
    }
    enum expr_kind compare = is_left ? expr_mirrored(condition->kind) : condition->kind;
    if (holds_for_all(type, compare, value, is_huge)) {
        const char *number = is_huge ? arena_printf(p->arena, "%llu", (unsigned long long)value)
                                     : arena_printf(p->arena, "%lld", (long long)value);
        parse_warning(p, condition->loc, "the condition of '%s' always holds: '%s' is %s %s", word,
                      parse_describe(p, type), signs[compare - EXPR_LT], number);
    }
}

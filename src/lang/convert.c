// C's implicit conversions, made visible as EXPR_CAST and EXPR_DECAY.
#include "lang/parse.h"

#include <assert.h>

// ---- lvalues, arrays, functions ------------------------------------------------------------------------------------

// The object that an lvalue is a part of, or NULL when it is reached through a pointer.
static struct object *root_object(const struct expr *e)
{
    for (;;) {
        switch (e->kind) {
        case EXPR_OBJECT:
        case EXPR_COMPOUND_LITERAL: return e->object;
        case EXPR_MEMBER: e = e->a; break;
        case EXPR_DEREF:
            for (e = e->a; e->kind == EXPR_PTR_ADD; e = e->a) {
            }
            if (e->kind != EXPR_DECAY && e->kind != EXPR_ADDR) {
                return NULL;
            }
            e = e->a;
            break;
        default: return NULL;
        }
    }
}

void convert_mark_address_taken(struct expr *e)
{
    struct object *object = root_object(e);
    if (object != NULL) {
        object->address_taken = true;
    }
}

struct expr *convert_decay(struct parser *p, struct expr *e)
{
    if (e->type->kind == TYPE_ARRAY) {
        convert_mark_address_taken(e);
        return expr_unary(p, EXPR_DECAY, type_pointer_to(p->arena, e->type->base), e->loc, e);
    }
    if (e->type->kind == TYPE_FUNCTION) {
        return expr_unary(p, EXPR_DECAY, type_pointer_to(p->arena, e->type), e->loc, e);
    }
    return e;
}

static bool is_same_representation(const struct type *a, const struct type *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    bool has_more = a->kind == TYPE_ENUM || a->kind == TYPE_POINTER || a->kind == TYPE_COMPLEX || type_is_record(a);
    return !has_more || type_compatible(a, b);
}

struct expr *convert_to(struct parser *p, struct expr *e, struct type *type)
{
    if (expr_is_error(e) || type_is_error(type) || is_same_representation(e->type, type)) {
        return e;
    }
    bool is_complex = complex_is(e->type) || complex_is(type);
    if (is_complex && complex_is_number(e->type) && complex_is_number(type)) {
        return complex_convert(p, e, type);
    }
    struct expr *cast = expr_unary(p, EXPR_CAST, type_unqualified(p->arena, type), e->loc, e);
    cast->is_implicit = true;
    return cast;
}

struct expr *convert_to_kind(struct parser *p, struct expr *e, enum type_kind kind)
{
    assert(kind <= TYPE_LDOUBLE); // p->basic has no others
    return convert_to(p, e, &p->basic[kind]);
}

// ---- arithmetic ----------------------------------------------------------------------------------------------------

static const struct member *bitfield_of(const struct expr *e)
{
    for (;;) {
        switch (e->kind) {
        case EXPR_MEMBER: return e->member->is_bitfield ? e->member : NULL;
        case EXPR_ASSIGN:
        case EXPR_UPDATE: e = e->a; break;
        case EXPR_COMMA: e = e->b; break;
        default: return NULL;
        }
    }
}

static enum type_kind promoted_kind(const struct expr *e)
{
    const struct type *type = e->type->kind == TYPE_ENUM ? e->type->base : e->type;
    const struct member *bitfield = bitfield_of(e);
    if (bitfield != NULL && bitfield->bit_width <= 32) {
        // By its width, whatever type it was declared with.
        return bitfield->bit_width < 32 || type_is_signed(type) ? TYPE_INT : TYPE_UINT;
    }
    return type->size < 4 ? TYPE_INT : type->kind;
}

struct expr *convert_promote(struct parser *p, struct expr *e)
{
    return type_is_integer(e->type) ? convert_to_kind(p, e, promoted_kind(e)) : e;
}

struct expr *convert_default_argument(struct parser *p, struct expr *e)
{
    e = convert_decay(p, e);
    bool is_narrow = type_is_float(e->type) && e->type->size < 8;
    return is_narrow ? convert_to_kind(p, e, TYPE_DOUBLE) : convert_promote(p, e);
}

static enum type_kind unsigned_of(enum type_kind kind)
{
    return kind == TYPE_LONG ? TYPE_ULONG : kind == TYPE_LLONG ? TYPE_ULLONG : TYPE_UINT;
}

static int rank_of(enum type_kind kind)
{
    return kind >= TYPE_LLONG ? 3 : kind >= TYPE_LONG ? 2 : 1;
}

// 6.3.1.8 for two promoted integer types.
static enum type_kind common_integer_kind(enum type_kind a, enum type_kind b)
{
    assert(a >= TYPE_INT && a < TYPE_BF16 && b >= TYPE_INT && b < TYPE_BF16); // promoted
    bool a_unsigned = a == TYPE_UINT || a == TYPE_ULONG || a == TYPE_ULLONG;
    bool b_unsigned = b == TYPE_UINT || b == TYPE_ULONG || b == TYPE_ULLONG;
    if (a_unsigned == b_unsigned) {
        return rank_of(a) >= rank_of(b) ? a : b;
    }
    enum type_kind with_sign = a_unsigned ? b : a;
    enum type_kind without = a_unsigned ? a : b;
    if (rank_of(without) >= rank_of(with_sign)) {
        return without;
    }
    bool holds_all = without == TYPE_UINT; // long and long long have the same 64 bits
    return holds_all ? with_sign : unsigned_of(with_sign);
}

static enum type_kind real_kind(const struct type *type)
{
    return type->kind == TYPE_COMPLEX ? type->base->kind : type->kind;
}

struct type *convert_common_type(struct parser *p, struct expr *a, struct expr *b)
{
    enum type_kind ka = type_is_integer(a->type) ? promoted_kind(a) : real_kind(a->type);
    enum type_kind kb = type_is_integer(b->type) ? promoted_kind(b) : real_kind(b->type);
    enum type_kind kind;
    if (ka >= TYPE_BF16 || kb >= TYPE_BF16) {
        kind = ka > kb ? ka : kb; // an integer kind is below every float kind
        bool is_mixed = ka != kb && ka >= TYPE_BF16 && kb >= TYPE_BF16 && kind == TYPE_F16;
        kind = is_mixed ? TYPE_FLOAT : kind; // neither of the two holds the other's values
    } else {
        kind = common_integer_kind(ka, kb);
    }
    if (a->type->kind == TYPE_COMPLEX || b->type->kind == TYPE_COMPLEX) {
        return type_complex(p->arena, &p->basic[kind]);
    }
    return &p->basic[kind];
}

struct type *convert_arithmetic(struct parser *p, struct expr **a, struct expr **b)
{
    struct type *type = convert_common_type(p, *a, *b);
    *a = convert_to(p, *a, type);
    *b = convert_to(p, *b, type);
    return type;
}

// ---- assignment ----------------------------------------------------------------------------------------------------

bool convert_is_null_constant(const struct expr *e)
{
    while (e->kind == EXPR_CAST && type_is_pointer_to(e->type, TYPE_VOID) && e->type->base->quals == 0) {
        e = e->a;
    }
    int64_t value;
    return type_is_integer(e->type) && const_eval_int(e, &value) && value == 0;
}

static bool differ_in_sign_only(const struct type *a, const struct type *b)
{
    return type_is_integer(a) && type_is_integer(b) && a->kind != TYPE_BOOL && b->kind != TYPE_BOOL &&
           a->size == b->size && rank_of(a->kind) == rank_of(b->kind);
}

static bool check_pointers(struct parser *p, struct expr *e, struct type *type, const char *what)
{
    assert(e->type->kind == TYPE_POINTER && type->kind == TYPE_POINTER);
    const struct type *from = e->type->base;
    const struct type *to = type->base;
    bool fits = type_is_void(from) || type_is_void(to) || type_compatible(from, to);
    if (!fits && differ_in_sign_only(from, to)) {
        parse_warning(p, e->loc, "pointers to types of different sign in %s: '%s' becomes '%s'", what,
                      parse_describe(p, e->type), parse_describe(p, type));
        fits = true;
    }
    if (!fits) {
        parse_error(p, e->loc, "incompatible pointer types in %s: '%s' does not convert to '%s'", what,
                    parse_describe(p, e->type), parse_describe(p, type));
        return false;
    }
    unsigned lost = type_quals(from) & ~type_quals(to);
    if ((lost & (QUAL_CONST | QUAL_VOLATILE)) != 0) {
        parse_warning(p, e->loc, "%s drops the '%s' of what '%s' points to", what,
                      (lost & QUAL_CONST) != 0 ? "const" : "volatile", parse_describe(p, e->type));
    }
    return true;
}

static bool check_assign(struct parser *p, struct expr *e, struct type *type, const char *what)
{
    const struct type *from = e->type;
    if (complex_is_number(type) && complex_is_number(from)) {
        return true;
    }
    if (type->kind == TYPE_POINTER && from->kind == TYPE_POINTER) {
        return convert_is_null_constant(e) || check_pointers(p, e, type, what);
    }
    if (type->kind == TYPE_POINTER && type_is_integer(from)) {
        if (convert_is_null_constant(e)) {
            return true;
        }
        parse_error(p, e->loc, "integer used as a pointer in %s: '%s' does not convert to '%s'", what,
                    parse_describe(p, from), parse_describe(p, type));
        return false;
    }
    if (type->kind == TYPE_BOOL && from->kind == TYPE_POINTER) {
        return true;
    }
    if (type_is_integer(type) && from->kind == TYPE_POINTER) {
        parse_error(p, e->loc, "pointer used as an integer in %s: '%s' does not convert to '%s'", what,
                    parse_describe(p, from), parse_describe(p, type));
        return false;
    }
    if (type_is_record(type) && type_compatible(type, from)) {
        return true;
    }
    parse_error(p, e->loc, "incompatible types in %s: '%s' does not convert to '%s'", what, parse_describe(p, from),
                parse_describe(p, type));
    return false;
}

// An integer constant that the place cannot hold, as gcc warns of it: -1 for an unsigned place is no mistake.
static void warn_of_overflow(struct parser *p, const struct expr *e, const struct type *type, const char *what)
{
    int64_t value;
    int bits = type_is_integer(type) ? type_int_bits(type) : 64;
    if (bits >= 64 || type->kind == TYPE_BOOL || !const_eval_int(e, &value)) {
        return;
    }
    bool is_negative = value < 0 && type_is_signed(e->type);
    int64_t low = -((int64_t)1 << (bits - 1));
    int64_t high = type_is_signed(type) ? -low - 1 : ((int64_t)1 << bits) - 1;
    bool fits = is_negative ? value >= low : value >= 0 && value <= high;
    if (!fits && !(type_is_signed(type) && e->type->size == type->size)) {
        const char *number = type_is_signed(e->type) ? arena_printf(p->arena, "%lld", (long long)value)
                                                     : arena_printf(p->arena, "%llu", (unsigned long long)value);
        parse_warning(p, e->loc, "%s does not fit into '%s' in %s: it wraps", number, parse_describe(p, type), what);
    }
}

struct expr *convert_assign(struct parser *p, struct expr *e, struct type *type, const char *what)
{
    e = convert_decay(p, e);
    if (expr_is_error(e) || type_is_error(type)) {
        return e;
    }
    if (!check_assign(p, e, type, what)) {
        return expr_error(p, e->loc);
    }
    if (type_is_integer(e->type)) {
        warn_of_overflow(p, e, type, what);
    }
    return convert_to(p, e, type);
}

struct expr *convert_condition(struct parser *p, struct expr *e, const char *what)
{
    e = convert_decay(p, e);
    if (complex_is(e->type)) {
        return complex_condition(p, e);
    }
    if (!expr_is_error(e) && !type_is_scalar(e->type)) {
        parse_error(p, e->loc, "%s must be a number or a pointer, not '%s'", what, parse_describe(p, e->type));
        return expr_error(p, e->loc);
    }
    return e;
}

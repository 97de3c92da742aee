// C99's complex numbers. For everybody behind the parser one is a struct of two numbers, and an operation on them a
// compound literal with an expression for either part: nobody else has to know them. Products and quotients, which
// C99's Annex G wants right for infinities, are calls of functions in the built-in header complex_arithmetic.h, which
// is read before a file that has complex numbers.
#include "lang/naming.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// |im| is NULL: a real number.
struct parts {
    struct expr *re, *im;
};

// ---- types ---------------------------------------------------------------------------------------------------------

bool complex_is(const struct type *type)
{
    return type->kind == TYPE_STRUCT && type->record->is_complex;
}

bool complex_is_number(const struct type *type)
{
    return type_is_arithmetic(type) || complex_is(type);
}

static struct type *part_type(const struct type *complex)
{
    assert(complex_is(complex));
    return complex->record->members[0].type;
}

struct type *complex_of(struct parser *p, enum type_kind kind)
{
    struct type *part = &p->basic[kind];
    if (kind == TYPE_LDOUBLE) {
        return type_complex(p->arena, part);
    }
    if (p->complexes[kind] != NULL) {
        return p->complexes[kind];
    }
    struct type *type = type_record_new(p->arena, false, NULL, (struct loc){0});
    struct record *record = type->record;
    record->members = ARENA_ARRAY(p->arena, struct member, 2);
    record->members[0] = (struct member){.name = "re", .type = part};
    record->members[1] = (struct member){.name = "im", .type = part, .offset = part->size};
    record->member_count = 2;
    record->is_complex = true;
    record->size = 2 * part->size;
    record->align = part->align;
    type_record_complete(record);
    p->complexes[kind] = type;
    return type;
}

struct type *complex_common(struct parser *p, const struct expr *a, const struct expr *b)
{
    struct expr x = *a, y = *b;
    x.kind = complex_is(a->type) ? EXPR_REFUSED : x.kind; // nothing that promotion would look at
    y.kind = complex_is(b->type) ? EXPR_REFUSED : y.kind;
    x.type = complex_is(a->type) ? part_type(a->type) : x.type;
    y.type = complex_is(b->type) ? part_type(b->type) : y.type;
    return complex_of(p, convert_common_type(p, &x, &y)->kind);
}

// ---- parts ---------------------------------------------------------------------------------------------------------

static struct expr *member_of(struct parser *p, struct expr *e, int index)
{
    const struct member *member = &e->type->record->members[index];
    struct expr *part = expr_new(p, EXPR_MEMBER, type_with_quals(p->arena, member->type, e->type->quals), e->loc);
    part->a = e;
    part->member = member;
    part->is_lvalue = e->is_lvalue;
    return expr_finish(p, part);
}

// Each part may be used once.
static struct parts parts_of(struct parser *p, struct naming *n, struct expr *e)
{
    if (!complex_is(e->type)) {
        return (struct parts){e, NULL};
    }
    e = naming_inside(p, n, e);
    if (naming_is_literal(e, 2)) {
        return (struct parts){e->object->inits[0].value, e->object->inits[1].value};
    }
    e = naming_may_repeat(e) ? e : naming_name(p, n, e, e->loc);
    return (struct parts){member_of(p, e, 0), member_of(p, e, 1)};
}

// May be used again and again.
static struct expr *repeated(struct parser *p, struct naming *n, struct expr *e)
{
    return naming_may_repeat(e) ? e : naming_name(p, n, e, e->loc);
}

static struct expr *real_zero(struct parser *p, struct type *part, struct loc loc)
{
    if (type_is_integer(part)) {
        return expr_int(p, part->kind, 0, loc);
    }
    struct expr *e = expr_new(p, EXPR_FLOAT, part, loc);
    e->f = 0;
    return e;
}

static struct expr *make(struct parser *p, const struct naming *n, struct type *type, struct expr *re, struct expr *im,
                         struct loc loc)
{
    if (expr_is_error(re) || expr_is_error(im)) {
        return expr_error(p, loc);
    }
    struct type *part = part_type(type);
    struct expr *values[2] = {convert_to(p, re, part), convert_to(p, im, part)};
    struct expr *literal = naming_literal(p, type_unqualified(p->arena, type), values, 2, part->size, loc);
    return naming_around(p, n, literal, loc);
}

struct expr *complex_make(struct parser *p, struct expr *re, struct expr *im, struct loc loc)
{
    struct type *type = convert_common_type(p, re, im);
    struct naming n = {0};
    return make(p, &n, complex_of(p, type->kind), re, im, loc);
}

// ---- conversions ---------------------------------------------------------------------------------------------------

static struct expr *is_not_zero(struct parser *p, struct expr *e, struct loc loc)
{
    struct naming n = {0};
    struct parts x = parts_of(p, &n, e);
    struct expr *re = operate_binary(p, EXPR_NE, x.re, expr_int(p, TYPE_INT, 0, loc), loc);
    struct expr *im = operate_binary(p, EXPR_NE, x.im, expr_int(p, TYPE_INT, 0, loc), loc);
    return naming_around(p, &n, operate_binary(p, EXPR_LOGOR, re, im, loc), loc);
}

struct expr *complex_condition(struct parser *p, struct expr *e)
{
    return is_not_zero(p, e, e->loc);
}

struct expr *complex_convert(struct parser *p, struct expr *e, struct type *type)
{
    struct naming n = {0};
    if (type->kind == TYPE_BOOL) {
        return convert_to(p, is_not_zero(p, e, e->loc), type);
    }
    struct parts x = parts_of(p, &n, e);
    if (!complex_is(type)) {
        return naming_around(p, &n, convert_to(p, x.re, type), e->loc);
    }
    return make(p, &n, type, x.re, x.im != NULL ? x.im : real_zero(p, part_type(type), e->loc), e->loc);
}

// ---- operators -----------------------------------------------------------------------------------------------------

static bool is_constant(const struct expr *e, double *out_value)
{
    return const_eval_float(e, out_value);
}

// The product of two constants, as `I * I` has them. False: they are none.
static bool fold_product(struct parser *p, const struct parts *x, const struct parts *y, struct expr **out)
{
    double a, b, c, d;
    bool is_known =
        is_constant(x->re, &a) && is_constant(x->im, &b) && is_constant(y->re, &c) && is_constant(y->im, &d);
    if (!is_known || !isfinite(a) || !isfinite(b) || !isfinite(c) || !isfinite(d)) {
        return false;
    }
    bool is_float = x->re->type->kind == TYPE_FLOAT;
    double values[2] = {a * c - b * d, a * d + b * c};
    for (int i = 0; i < 2; i++) {
        out[i] = expr_new(p, EXPR_FLOAT, &p->basic[is_float ? TYPE_FLOAT : TYPE_DOUBLE], x->re->loc);
        out[i]->f = is_float ? (double)(float)values[i] : values[i];
    }
    return true;
}

// A call of a function of complex_arithmetic.h.
static struct expr *call(struct parser *p, const char *name, struct expr **args, struct loc loc)
{
    const struct symbol *symbol = hash_map_get(&p->linkage, name, strlen(name));
    assert(symbol != NULL && symbol->kind == SYMBOL_FUNCTION); // parse_unit() has read the header
    struct expr *e = expr_new(p, EXPR_CALL, symbol->function->type->base, loc);
    e->function = symbol->function;
    e->args = ARENA_ARRAY(p->arena, struct expr *, 4);
    memcpy(e->args, args, 4 * sizeof *args);
    e->arg_count = 4;
    return expr_finish(p, e);
}

static struct expr *product_of_integers(struct parser *p, struct naming *n, struct type *type, struct expr **x,
                                        struct loc loc)
{
    for (int i = 0; i < 4; i++) {
        x[i] = repeated(p, n, x[i]);
    }
    struct expr *re = operate_binary(p, EXPR_SUB, operate_binary(p, EXPR_MUL, x[0], x[2], loc),
                                     operate_binary(p, EXPR_MUL, x[1], x[3], loc), loc);
    struct expr *im = operate_binary(p, EXPR_ADD, operate_binary(p, EXPR_MUL, x[0], x[3], loc),
                                     operate_binary(p, EXPR_MUL, x[1], x[2], loc), loc);
    return make(p, n, type, re, im, loc);
}

static struct expr *multiplicative(struct parser *p, enum expr_kind kind, struct type *type, struct expr *a,
                                   struct expr *b, struct loc loc)
{
    struct naming n = {0};
    struct parts x = parts_of(p, &n, convert_to(p, a, type)), y = parts_of(p, &n, convert_to(p, b, type));
    struct expr *args[4] = {x.re, x.im, y.re, y.im}, *folded[2];
    if (type_is_integer(part_type(type))) {
        return kind == EXPR_MUL ? product_of_integers(p, &n, type, args, loc) : NULL;
    }
    if (kind == EXPR_MUL && fold_product(p, &x, &y, folded)) {
        return make(p, &n, type, folded[0], folded[1], loc);
    }
    bool is_float = part_type(type)->kind == TYPE_FLOAT;
    const char *name = kind == EXPR_MUL ? is_float ? "__rill_complex_mulf" : "__rill_complex_mul"
                       : is_float       ? "__rill_complex_divf"
                                        : "__rill_complex_div";
    return naming_around(p, &n, call(p, name, args, loc), loc);
}

// A real number and a complex one: the other part is not made up, so that no zero changes its sign and no infinity
// becomes a NaN.
static struct expr *mixed(struct parser *p, enum expr_kind kind, struct type *type, struct expr *a, struct expr *b,
                          struct loc loc)
{
    struct naming n = {0};
    struct type *part = part_type(type);
    struct parts x = parts_of(p, &n, a), y = parts_of(p, &n, b);
    bool is_left = y.im == NULL; // the complex one
    struct parts z = is_left ? x : y;
    struct expr *r = convert_to(p, is_left ? y.re : x.re, part), *re, *im = convert_to(p, z.im, part);
    z.re = convert_to(p, z.re, part);
    if (kind == EXPR_MUL || kind == EXPR_DIV) {
        r = repeated(p, &n, r);
        re = is_left ? operate_binary(p, kind, z.re, r, loc) : operate_binary(p, kind, r, z.re, loc);
        im = is_left ? operate_binary(p, kind, im, r, loc) : operate_binary(p, kind, r, im, loc);
    } else {
        re = is_left ? operate_binary(p, kind, z.re, r, loc) : operate_binary(p, kind, r, z.re, loc);
        im = kind == EXPR_SUB && !is_left ? expr_unary(p, EXPR_NEG, part, loc, im) : im;
    }
    return make(p, &n, type, re, im, loc);
}

static struct expr *equality(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    struct naming n = {0};
    struct parts x = parts_of(p, &n, a), y = parts_of(p, &n, b);
    x.im = x.im != NULL ? x.im : expr_int(p, TYPE_INT, 0, loc);
    y.im = y.im != NULL ? y.im : expr_int(p, TYPE_INT, 0, loc);
    struct expr *re = operate_binary(p, kind, x.re, y.re, loc), *im = operate_binary(p, kind, x.im, y.im, loc);
    enum expr_kind both = kind == EXPR_EQ ? EXPR_LOGAND : EXPR_LOGOR;
    return naming_around(p, &n, operate_binary(p, both, re, im, loc), loc);
}

struct expr *complex_binary(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    bool is_logic = kind == EXPR_LOGAND || kind == EXPR_LOGOR;
    if (is_logic && (type_is_scalar(a->type) || complex_is(a->type)) &&
        (type_is_scalar(b->type) || complex_is(b->type))) {
        return operate_binary(p, kind, convert_condition(p, a, "an operand"), convert_condition(p, b, "an operand"),
                              loc);
    }
    if (is_logic || !complex_is_number(a->type) || !complex_is_number(b->type) || a->type->kind == TYPE_COMPLEX ||
        b->type->kind == TYPE_COMPLEX) {
        return NULL;
    }
    bool is_mixed = complex_is(a->type) != complex_is(b->type);
    struct type *type = complex_common(p, a, b);
    if (type->kind == TYPE_COMPLEX) { // one of long doubles, which is refused where it is reached
        return expr_refused(p, type, loc, "long double");
    }
    switch (kind) {
    case EXPR_EQ:
    case EXPR_NE: return equality(p, kind, a, b, loc);
    case EXPR_DIV:
        if (is_mixed && !complex_is(a->type)) {
            return multiplicative(p, kind, type, a, b, loc);
        }
        // fall through
    case EXPR_MUL: return is_mixed ? mixed(p, kind, type, a, b, loc) : multiplicative(p, kind, type, a, b, loc);
    case EXPR_ADD:
    case EXPR_SUB: break;
    default: return NULL;
    }
    if (is_mixed) {
        return mixed(p, kind, type, a, b, loc);
    }
    struct naming n = {0};
    struct parts x = parts_of(p, &n, a), y = parts_of(p, &n, b);
    return make(p, &n, type, operate_binary(p, kind, x.re, y.re, loc), operate_binary(p, kind, x.im, y.im, loc), loc);
}

// -z, +z, and as GNU C has it ~z, the conjugate. NULL: none of them.
struct expr *complex_unary(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc)
{
    struct naming n = {0};
    struct parts x = parts_of(p, &n, a);
    struct type *part = part_type(a->type);
    struct expr *re = kind == EXPR_NEG ? expr_unary(p, EXPR_NEG, part, loc, x.re) : x.re;
    return make(p, &n, a->type, re, expr_unary(p, EXPR_NEG, part, loc, x.im), loc);
}

// ---- assignments ---------------------------------------------------------------------------------------------------

// The same place each time.
static struct expr *place_of(struct parser *p, struct naming *n, struct expr *a, struct loc loc)
{
    if (!expr_has_effect(a)) {
        return a;
    }
    return operate_deref(p, naming_name(p, n, operate_address(p, a, loc), loc), loc);
}

static struct expr *value_of(struct parser *p, struct naming *n, struct expr *e)
{
    return e->kind == EXPR_INT || e->kind == EXPR_FLOAT ? e : naming_name(p, n, e, e->loc);
}

// Either part is an update of its own, which may be a reduction or atomic. What is added must be known before the first
// part changes.
static struct expr *update_parts(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    struct naming n = {0};
    struct expr *place = place_of(p, &n, a, loc);
    struct parts x = parts_of(p, &n, b);
    x.re = value_of(p, &n, x.re);
    bool is_scaled = kind == EXPR_MUL || kind == EXPR_DIV;
    x.im = x.im != NULL ? value_of(p, &n, x.im) : is_scaled ? x.re : NULL;
    struct expr *all = operate_update(p, kind, member_of(p, place, 0), x.re, loc);
    if (x.im != NULL) {
        struct expr *im = operate_update(p, kind, member_of(p, place, 1), x.im, loc);
        all = expr_binary(p, EXPR_COMMA, im->type, all, im);
    }
    struct expr *value = expr_binary(p, EXPR_COMMA, type_unqualified(p->arena, a->type), all, place);
    return naming_around(p, &n, value, loc);
}

struct expr *complex_update(struct parser *p, enum expr_kind kind, struct expr *a, struct expr *b, struct loc loc)
{
    if (!complex_is_number(a->type) || !complex_is_number(b->type) || kind < EXPR_ADD || kind > EXPR_DIV) {
        return NULL;
    }
    bool is_scaled = kind == EXPR_MUL || kind == EXPR_DIV;
    if (complex_is(a->type) && !(is_scaled && complex_is(b->type))) {
        return update_parts(p, kind, a, b, loc);
    }
    struct naming n = {0};
    struct expr *place = place_of(p, &n, a, loc);
    struct expr *value = operate_binary(p, kind, place, b, loc);
    return expr_is_error(value) ? value : naming_around(p, &n, operate_assign(p, place, value, loc), loc);
}

// z++ and z--, as GNU C has them; the value is the old one.
struct expr *complex_postfix(struct parser *p, enum expr_kind kind, struct expr *a, struct loc loc)
{
    struct naming n = {0};
    struct expr *place = place_of(p, &n, a, loc);
    struct expr *old = naming_name(p, &n, place, loc);
    struct expr *change = operate_update(p, kind, member_of(p, place, 0), expr_int(p, TYPE_INT, 1, loc), loc);
    return naming_around(p, &n, expr_binary(p, EXPR_COMMA, old->type, change, old), loc);
}

// __real__ and __imag__: a place if |a| is one.
struct expr *complex_part(struct parser *p, struct expr *a, bool is_imaginary, struct loc loc)
{
    if (expr_is_error(a)) {
        return a;
    }
    if (type_is_arithmetic(a->type) && a->type->kind != TYPE_COMPLEX) {
        if (!is_imaginary) {
            return a;
        }
        struct expr *zero = real_zero(p, type_unqualified(p->arena, a->type), loc);
        return expr_has_effect(a) ? expr_binary(p, EXPR_COMMA, zero->type, a, zero) : zero;
    }
    if (!complex_is(a->type)) {
        parse_error(p, loc, "'%s' does not take '%s'", is_imaginary ? "__imag__" : "__real__",
                    parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    if (a->is_lvalue) {
        return member_of(p, a, is_imaginary);
    }
    struct naming n = {0};
    struct parts x = parts_of(p, &n, a);
    return naming_around(p, &n, is_imaginary ? x.im : x.re, loc);
}

// __builtin_complex(re, im), at its '('.
struct expr *complex_builtin(struct parser *p, const char *name, struct loc loc)
{
    (void)name;
    if (!parse_expect(p, TOKEN_LPAREN, "after '__builtin_complex'")) {
        return expr_error(p, loc);
    }
    struct expr *re = convert_decay(p, parse_assignment_expression(p));
    parse_expect(p, TOKEN_COMMA, "after the real part");
    struct expr *im = convert_decay(p, parse_assignment_expression(p));
    parse_expect(p, TOKEN_RPAREN, "after the imaginary part");
    if (expr_is_error(re) || expr_is_error(im)) {
        return expr_error(p, loc);
    }
    if (!type_is_float(re->type) || re->type->kind != im->type->kind || re->type->kind < TYPE_FLOAT ||
        re->type->kind > TYPE_DOUBLE) {
        parse_error(p, loc, "'__builtin_complex' takes two floats or two doubles");
        return expr_error(p, loc);
    }
    return complex_make(p, re, im, loc);
}

// A constant of a file's scope, or of a static object, has its two parts as stores of their own.
bool complex_is_literal(const struct expr *e)
{
    return complex_is(e->type) && naming_is_literal(e, 2);
}

// ---- the header ----------------------------------------------------------------------------------------------------

static bool has_complex(const struct token_list *tokens)
{
    for (int i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->items[i];
        bool is_number = token->kind == TOKEN_INT || token->kind == TOKEN_FLOAT;
        bool is_made = token->kind == TOKEN_IDENT && strcmp(token->text, "__builtin_complex") == 0;
        if (token->kind == TOKEN_KW_COMPLEX || (is_number && token->is_imaginary) || is_made) {
            return true;
        }
    }
    return false;
}

bool complex_header(struct arena *arena, struct diags *diags, const struct token_list *tokens,
                    struct token_list *out_header)
{
    static const char text[] = "#define __RILL_COMPLEX_ARITHMETIC\n#include <complex_arithmetic.h>\n";
    if (!has_complex(tokens)) {
        return false;
    }
    struct preprocess_options options = {.no_disk = true};
    preprocess(arena, diags, "<complex>", text, sizeof text - 1, &options, out_header);
    return true;
}

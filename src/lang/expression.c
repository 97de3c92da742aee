// Expressions from the comma down to the unary operators. Postfix and primary ones are in expression_primary.c; what an
// operator means for its operands is in expression_operate.c.
#include "lang/parse.h"

// ---- unary and cast ------------------------------------------------------------------------------------------------

static struct expr *sizeof_expression(struct parser *p, struct loc loc)
{
    struct expr *e;
    if (parse_at(p, TOKEN_LPAREN) && declare_starts_type(p, parse_peek(p, 1))) {
        struct loc type_loc = parse_loc(p);
        parse_advance(p);
        struct type *type = declare_type_name(p);
        parse_expect(p, TOKEN_RPAREN, "after the type");
        if (!parse_at(p, TOKEN_LBRACE)) {
            return operate_sizeof(p, type, loc);
        }
        e = parse_compound_literal(p, type, type_loc);
    } else {
        e = parse_unary_expression(p);
    }
    if (e->kind == EXPR_MEMBER && e->member->is_bitfield) {
        parse_error(p, loc, "a bit-field has no size");
        return expr_error(p, loc);
    }
    if (e->kind == EXPR_OBJECT && e->object->array_type != NULL) {
        parse_warning(p, loc, "'sizeof %s' is the size of a pointer: '%s' is a parameter", e->object->name,
                      e->object->name);
    }
    return operate_sizeof(p, e->type, loc);
}

static struct expr *alignof_expression(struct parser *p, struct loc loc)
{
    uint32_t align;
    struct type *type;
    if (parse_at(p, TOKEN_LPAREN) && declare_starts_type(p, parse_peek(p, 1))) {
        parse_advance(p);
        type = declare_type_name(p);
        align = type->align;
        parse_expect(p, TOKEN_RPAREN, "after the type");
    } else {
        struct expr *e = parse_unary_expression(p); // as GNU C has it
        type = e->type;
        align = e->kind == EXPR_OBJECT && e->object->align > type->align ? e->object->align : type->align;
    }
    if (type_is_error(type)) {
        return expr_error(p, loc);
    }
    if (type_is_void(type) || type->kind == TYPE_FUNCTION) {
        return expr_int(p, TYPE_ULONG, 1, loc); // as GNU C has it
    }
    if (type->kind != TYPE_ARRAY && !type_is_complete(type)) {
        parse_error(p, loc, "the alignment of '%s' is not known", parse_describe(p, type));
        return expr_error(p, loc);
    }
    return expr_int(p, TYPE_ULONG, align, loc);
}

static struct expr *sign_expression(struct parser *p, enum token_kind token, struct loc loc)
{
    struct expr *a = convert_decay(p, parse_cast_expression(p));
    if (expr_is_error(a)) {
        return a;
    }
    if (vector_is(a->type) && token == TOKEN_PLUS) {
        return a;
    }
    if (complex_is(a->type) && token != TOKEN_PLUS) {
        return complex_unary(p, token == TOKEN_MINUS ? EXPR_NEG : EXPR_BITNOT, a, loc);
    }
    bool is_float = vector_is(a->type) && type_is_float(a->type->record->members[0].type->base);
    if (vector_is(a->type) && !(is_float && token == TOKEN_TILDE)) {
        return vector_unary(p, token == TOKEN_MINUS ? EXPR_NEG : EXPR_BITNOT, a, loc);
    }
    bool fits = token == TOKEN_TILDE ? type_is_integer(a->type) : complex_is_number(a->type);
    if (!fits) {
        parse_error(p, loc, "operator '%c' does not take '%s'",
                    token == TOKEN_TILDE   ? '~'
                    : token == TOKEN_MINUS ? '-'
                                           : '+',
                    parse_describe(p, a->type));
        return expr_error(p, loc);
    }
    a = convert_promote(p, a);
    struct type *type = type_unqualified(p->arena, a->type);
    if (token == TOKEN_PLUS) {
        // A cast to its own type, so that the result is a value.
        return a->is_lvalue ? expr_unary(p, EXPR_CAST, type, loc, a) : a;
    }
    return expr_unary(p, token == TOKEN_MINUS ? EXPR_NEG : EXPR_BITNOT, type, loc, a);
}

static struct expr *unary_operator(struct parser *p, enum token_kind token, struct loc loc)
{
    switch (token) {
    case TOKEN_INC:
    case TOKEN_DEC: return operate_step(p, parse_unary_expression(p), token == TOKEN_DEC, false, loc);
    case TOKEN_AMP: return operate_address(p, parse_cast_expression(p), loc);
    case TOKEN_STAR: return operate_deref(p, parse_cast_expression(p), loc);
    case TOKEN_NOT: {
        struct expr *a = convert_condition(p, parse_cast_expression(p), "the operand of '!'");
        return expr_is_error(a) ? a : expr_unary(p, EXPR_LOGNOT, &p->basic[TYPE_INT], loc, a);
    }
    case TOKEN_KW_REAL:
    case TOKEN_KW_IMAG: return complex_part(p, parse_cast_expression(p), token == TOKEN_KW_IMAG, loc);
    case TOKEN_KW_SIZEOF: return sizeof_expression(p, loc);
    case TOKEN_KW_ALIGNOF: return alignof_expression(p, loc);
    case TOKEN_KW_EXTENSION: return parse_cast_expression(p);
    default: return sign_expression(p, token, loc);
    }
}

struct expr *parse_unary_expression(struct parser *p)
{
    const struct token *token = parse_token(p);
    switch (token->kind) {
    case TOKEN_INC:
    case TOKEN_DEC:
    case TOKEN_AMP:
    case TOKEN_STAR:
    case TOKEN_NOT:
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_TILDE:
    case TOKEN_KW_SIZEOF:
    case TOKEN_KW_ALIGNOF:
    case TOKEN_KW_REAL:
    case TOKEN_KW_IMAG:
    case TOKEN_KW_EXTENSION: break;
    default: return parse_postfix_expression(p);
    }
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        e = unary_operator(p, token->kind, token->loc);
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, token->loc);
}

struct expr *parse_cast_expression(struct parser *p)
{
    if (!parse_at(p, TOKEN_LPAREN) || !declare_starts_type(p, parse_peek(p, 1))) {
        return parse_unary_expression(p);
    }
    struct loc loc = parse_loc(p);
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        struct type *type = declare_type_name(p);
        parse_expect(p, TOKEN_RPAREN, "after the type of a cast");
        if (parse_at(p, TOKEN_LBRACE)) {
            e = parse_compound_literal(p, type, loc);
        } else {
            e = operate_cast(p, parse_cast_expression(p), type, loc);
        }
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, loc);
}

// ---- binary --------------------------------------------------------------------------------------------------------

// C's ten levels of left-associative operators, from || (1) to * (10). 0: the token is none of them.
static int precedence_of(enum token_kind token, enum expr_kind *out_kind)
{
    static const struct {
        enum token_kind token;
        enum expr_kind kind;
        int precedence;
    } table[] = {
        {TOKEN_OROR, EXPR_LOGOR, 1}, {TOKEN_ANDAND, EXPR_LOGAND, 2}, {TOKEN_PIPE, EXPR_OR, 3},
        {TOKEN_CARET, EXPR_XOR, 4},  {TOKEN_AMP, EXPR_AND, 5},       {TOKEN_EQ, EXPR_EQ, 6},
        {TOKEN_NE, EXPR_NE, 6},      {TOKEN_LT, EXPR_LT, 7},         {TOKEN_GT, EXPR_GT, 7},
        {TOKEN_LE, EXPR_LE, 7},      {TOKEN_GE, EXPR_GE, 7},         {TOKEN_SHL, EXPR_SHL, 8},
        {TOKEN_SHR, EXPR_SHR, 8},    {TOKEN_PLUS, EXPR_ADD, 9},      {TOKEN_MINUS, EXPR_SUB, 9},
        {TOKEN_STAR, EXPR_MUL, 10},  {TOKEN_SLASH, EXPR_DIV, 10},    {TOKEN_PERCENT, EXPR_MOD, 10},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].token == token) {
            *out_kind = table[i].kind;
            return table[i].precedence;
        }
    }
    return 0;
}

// All ten levels in one function: it takes operators that bind at least as tightly as |lowest|.
static struct expr *binary_expression(struct parser *p, int lowest)
{
    struct expr *a = parse_cast_expression(p);
    for (;;) {
        enum expr_kind kind;
        struct loc loc = parse_loc(p);
        int precedence = precedence_of(parse_token(p)->kind, &kind);
        if (precedence == 0 || precedence < lowest) {
            return a;
        }
        parse_advance(p);
        struct expr *b = binary_expression(p, precedence + 1);
        a = operate_binary(p, kind, a, b, loc);
    }
}

// ---- conditional, assignment, comma --------------------------------------------------------------------------------

struct expr *parse_conditional_expression(struct parser *p)
{
    struct expr *a = binary_expression(p, 1);
    struct loc loc = parse_loc(p);
    if (!parse_at(p, TOKEN_QUESTION)) {
        return a;
    }
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        struct expr *b = parse_at(p, TOKEN_COLON) ? NULL : parse_expression(p);
        parse_expect(p, TOKEN_COLON, "in the conditional expression");
        struct expr *c = parse_conditional_expression(p);
        e = b == NULL ? parse_omitted_operand(p, a, c, loc) : operate_condition(p, a, b, c, loc);
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, loc);
}

static bool is_assignment_operator(enum token_kind token, enum expr_kind *out_kind)
{
    switch (token) {
    case TOKEN_ASSIGN: *out_kind = EXPR_ASSIGN; return true;
    case TOKEN_MUL_ASSIGN: *out_kind = EXPR_MUL; return true;
    case TOKEN_DIV_ASSIGN: *out_kind = EXPR_DIV; return true;
    case TOKEN_MOD_ASSIGN: *out_kind = EXPR_MOD; return true;
    case TOKEN_ADD_ASSIGN: *out_kind = EXPR_ADD; return true;
    case TOKEN_SUB_ASSIGN: *out_kind = EXPR_SUB; return true;
    case TOKEN_SHL_ASSIGN: *out_kind = EXPR_SHL; return true;
    case TOKEN_SHR_ASSIGN: *out_kind = EXPR_SHR; return true;
    case TOKEN_AND_ASSIGN: *out_kind = EXPR_AND; return true;
    case TOKEN_XOR_ASSIGN: *out_kind = EXPR_XOR; return true;
    case TOKEN_OR_ASSIGN: *out_kind = EXPR_OR; return true;
    default: return false;
    }
}

struct expr *parse_assignment_expression(struct parser *p)
{
    struct expr *a = parse_conditional_expression(p);
    struct loc loc = parse_loc(p);
    enum expr_kind kind;
    if (!is_assignment_operator(parse_token(p)->kind, &kind)) {
        return a;
    }
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        struct expr *b = parse_assignment_expression(p);
        e = kind == EXPR_ASSIGN ? operate_assign(p, a, b, loc) : operate_update(p, kind, a, b, loc);
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, loc);
}

struct expr *parse_expression(struct parser *p)
{
    struct expr *a = parse_assignment_expression(p);
    while (parse_at(p, TOKEN_COMMA)) {
        struct loc loc = parse_loc(p);
        parse_advance(p);
        a = operate_binary(p, EXPR_COMMA, a, parse_assignment_expression(p), loc);
    }
    return a;
}

bool parse_integer_constant(struct parser *p, const char *what, int64_t *out_value)
{
    struct expr *e = convert_decay(p, parse_conditional_expression(p));
    *out_value = 0;
    if (expr_is_error(e)) {
        return false;
    }
    if (!type_is_integer(e->type)) {
        parse_error(p, e->loc, "%s must be an integer, not '%s'", what, parse_describe(p, e->type));
        return false;
    }
    if (!const_eval_int(e, out_value)) {
        parse_error(p, e->loc, "%s must be a constant", what);
        return false;
    }
    return true;
}

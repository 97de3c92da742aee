// Primary and postfix expressions.
#include "lang/lex.h"
#include "lang/parse.h"

#include <assert.h>
#include <string.h>

// ---- constants and names -------------------------------------------------------------------------------------------

static struct expr *integer_constant(struct parser *p, const struct token *token)
{
    assert(token->kind == TOKEN_INT);
    enum type_kind kind = TYPE_INT;
    if (token->is_long_long) {
        kind = token->is_unsigned ? TYPE_ULLONG : TYPE_LLONG;
    } else if (token->is_long) {
        kind = token->is_unsigned ? TYPE_ULONG : TYPE_LONG;
    } else if (token->is_unsigned) {
        kind = TYPE_UINT;
    }
    return expr_int(p, kind, token->u, token->loc);
}

static struct expr *floating_constant(struct parser *p, const struct token *token)
{
    assert(token->kind == TOKEN_FLOAT);
    enum type_kind kind = token->is_float32       ? TYPE_FLOAT
                          : token->is_long_double ? TYPE_LDOUBLE
                          : token->is_float16     ? TYPE_F16
                          : token->is_bf16        ? TYPE_BF16
                                                  : TYPE_DOUBLE;
    struct expr *e = expr_new(p, EXPR_FLOAT, &p->basic[kind], token->loc);
    e->f = token->f;
    return e;
}

static struct expr *imaginary(struct parser *p, const struct token *token, struct expr *e)
{
    if (!token->is_imaginary) {
        return e;
    }
    if (e->type->kind == TYPE_LDOUBLE) {
        return expr_refused(p, complex_of(p, TYPE_LDOUBLE), token->loc, "long double");
    }
    bool is_half = e->type->kind == TYPE_F16 || e->type->kind == TYPE_BF16;
    return complex_make(p,
                        convert_to_kind(p, expr_int(p, TYPE_INT, 0, token->loc), is_half ? TYPE_FLOAT : e->type->kind),
                        is_half ? convert_to_kind(p, e, TYPE_FLOAT) : e, token->loc);
}

// wchar_t, char16_t, char32_t, and C23's char8_t.
static enum type_kind literal_kind(char encoding)
{
    switch (encoding) {
    case 'u': return TYPE_USHORT;
    case 'U': return TYPE_UINT;
    case '8': return TYPE_UCHAR;
    default: return TYPE_INT;
    }
}

static struct expr *string_literal(struct parser *p, const struct token *token)
{
    assert(token->kind == TOKEN_STRING);
    uint32_t unit = lex_unit_size(token->encoding);
    if (unit == 1) {
        return expr_string(p, token->text, (uint64_t)token->length + 1, token->loc);
    }
    // The terminator is a unit too.
    char *bytes = ARENA_ARRAY(p->arena, char, token->length + unit);
    if (token->length > 0) {
        memcpy(bytes, token->text, token->length);
    }
    struct expr *e = expr_string(p, bytes, (uint64_t)token->length + unit, token->loc);
    e->type = type_array_of(p->arena, &p->basic[literal_kind(token->encoding)], (int64_t)(token->length / unit) + 1);
    return e;
}

static struct expr *identifier_expression(struct parser *p)
{
    const struct token *token = parse_token(p);
    const char *name = parse_identifier(p);
    const struct symbol *symbol = scope_find(p, name);
    if (symbol == NULL) {
        struct expr *builtin = builtin_expression(p, token);
        return builtin != NULL ? builtin : parse_unknown_name(p, token);
    }
    switch (symbol->kind) {
    case SYMBOL_OBJECT: return expr_object(p, symbol->object, token->loc);
    case SYMBOL_FUNCTION: {
        struct expr *e = expr_new(p, EXPR_FUNCTION, symbol->function->type, token->loc);
        e->function = symbol->function;
        return e;
    }
    case SYMBOL_CONSTANT: {
        struct expr *e = expr_new(p, EXPR_INT, symbol->type, token->loc);
        e->u = (uint64_t)symbol->value;
        return e;
    }
    case SYMBOL_TYPEDEF:
        parse_error(p, token->loc, "'%s' is a type, not a value", name);
        return expr_error(p, token->loc);
    default: return expr_error(p, token->loc);
    }
}

// ---- _Generic ------------------------------------------------------------------------------------------------------

static struct type *generic_control(struct parser *p)
{
    struct expr *control = convert_decay(p, parse_assignment_expression(p));
    return type_unqualified(p->arena, control->type);
}

static struct expr *generic_associations(struct parser *p, struct loc loc)
{
    struct type *control = generic_control(p);
    struct expr *chosen = NULL;
    struct expr *fallback = NULL;
    while (parse_accept(p, TOKEN_COMMA)) {
        struct loc here = parse_loc(p);
        bool is_default = parse_accept(p, TOKEN_KW_DEFAULT);
        struct type *type = is_default ? NULL : declare_type_name(p);
        parse_expect(p, TOKEN_COLON, "in '_Generic'");
        struct expr *e = parse_assignment_expression(p);
        if (is_default) {
            if (fallback != NULL) {
                parse_error(p, here, "'_Generic' has two defaults");
            }
            fallback = e;
        } else if (!type_is_error(control) && type_identical(control, type)) {
            if (chosen != NULL) {
                parse_error(p, here, "'_Generic' names the type '%s' twice", parse_describe(p, type));
            }
            chosen = e;
        }
    }
    parse_expect(p, TOKEN_RPAREN, "after the associations of '_Generic'");
    if (type_is_error(control)) {
        return expr_error(p, loc);
    }
    if (chosen == NULL && fallback == NULL) {
        parse_error(p, loc, "'_Generic' has no association for '%s'", parse_describe(p, control));
        return expr_error(p, loc);
    }
    return chosen != NULL ? chosen : fallback;
}

struct expr *parse_generic_selection(struct parser *p)
{
    struct loc loc = parse_loc(p);
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        if (parse_expect(p, TOKEN_LPAREN, "after '_Generic'")) {
            e = generic_associations(p, loc);
        }
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, loc);
}

// ---- primary -------------------------------------------------------------------------------------------------------

static struct expr *parenthesized(struct parser *p)
{
    struct loc loc = parse_loc(p);
    if (parse_peek(p, 1)->kind == TOKEN_LBRACE) {
        struct expr *e = parse_enter(p) ? parse_statement_expression(p) : NULL;
        parse_leave(p);
        return e != NULL ? e : expr_error(p, loc);
    }
    struct expr *e = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        e = parse_expression(p);
        parse_expect(p, TOKEN_RPAREN, "after the expression");
        e->is_paren = true;
    }
    parse_leave(p);
    return e != NULL ? e : expr_error(p, loc);
}

struct expr *parse_primary_expression(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct expr *e;
    switch (token->kind) {
    case TOKEN_IDENT:
    case TOKEN_KW_STREAM_PARALLEL: return identifier_expression(p);
    case TOKEN_INT: e = imaginary(p, token, integer_constant(p, token)); break;
    case TOKEN_CHAR: e = expr_int(p, literal_kind(token->encoding), token->u, token->loc); break;
    case TOKEN_FLOAT: e = imaginary(p, token, floating_constant(p, token)); break;
    case TOKEN_STRING: e = string_literal(p, token); break;
    case TOKEN_LPAREN: return parenthesized(p);
    case TOKEN_KW_GENERIC: return parse_generic_selection(p);
    case TOKEN_ANDAND:
        parse_syntax_error(p, "expected an expression; the address of a label is not supported");
        return expr_error(p, token->loc);
    default:
        parse_syntax_error(p, "expected an expression, found %s%s", token_describe(p->arena, token),
                           parse_peek(p, 1)->kind == TOKEN_LPAREN && declare_starts_type(p, token)
                               ? ": write '(type)value' to convert"
                               : "");
        return expr_error(p, token->loc);
    }
    parse_advance(p);
    return e;
}

// ---- postfix -------------------------------------------------------------------------------------------------------

// (type){ … }: an unnamed object. The cursor is at the brace.
static struct expr *compound_literal(struct parser *p, struct type *type, struct loc loc)
{
    if (type_is_variable(type) || type->kind == TYPE_FUNCTION ||
        (type->kind != TYPE_ARRAY && !type_is_complete(type))) {
        parse_error(p, loc, "a compound literal cannot have the type '%s'", parse_describe(p, type));
        type = &p->basic[TYPE_ERROR];
    }
    bool is_local = p->body != NULL && p->scope->depth > 0;
    struct object *object =
        is_local ? declare_local_object(p, NULL, type, loc) : declare_object_new(p, NULL, type, loc);
    if (!is_local) {
        object->name = arena_printf(p->arena, "(literal %d)", p->globals.count);
        object->kind = (type_quals(type) & QUAL_CONST) != 0 ? OBJECT_CONSTANT : OBJECT_FIELD;
        object->is_static = true;
    }
    init_object(p, object, !is_local);
    if (type_is_error(type)) {
        return expr_error(p, loc);
    }
    if (!is_local) {
        declare_global_add(p, object);
        return expr_object(p, object, loc);
    }
    struct expr *e = expr_object(p, object, loc);
    e->kind = EXPR_COMPOUND_LITERAL;
    return e;
}

static struct expr *subscript_suffix(struct parser *p, struct expr *a, struct loc loc)
{
    struct expr *index = NULL;
    if (parse_enter(p)) {
        parse_advance(p);
        index = parse_expression(p);
        parse_expect(p, TOKEN_RBRACKET, "after the index");
    }
    parse_leave(p);
    return index != NULL ? operate_subscript(p, a, index, loc) : a;
}

static struct expr *member_suffix(struct parser *p, struct expr *a, bool is_arrow, struct loc loc)
{
    parse_advance(p);
    struct loc name_loc = parse_loc(p);
    const char *name = parse_identifier(p);
    if (name == NULL) {
        parse_syntax_error(p, "expected a member's name after '%s'", is_arrow ? "->" : ".");
        return expr_error(p, loc);
    }
    if (is_arrow) {
        a = convert_decay(p, a);
        if (!expr_is_error(a) && a->type->kind != TYPE_POINTER) {
            parse_error(p, loc, "'->' needs a pointer, not '%s'%s", parse_describe(p, a->type),
                        type_is_record(a->type) ? "; use '.'" : "");
            return expr_error(p, loc);
        }
        a = operate_deref(p, a, loc);
    }
    return operate_member(p, a, name, name_loc);
}

static struct expr *postfix_suffixes(struct parser *p, struct expr *e)
{
    for (;;) {
        const struct token *token = parse_token(p);
        switch (token->kind) {
        case TOKEN_LBRACKET: e = subscript_suffix(p, e, token->loc); break;
        case TOKEN_LPAREN: e = parse_call(p, e, token->loc); break;
        case TOKEN_DOT:
        case TOKEN_ARROW: e = member_suffix(p, e, token->kind == TOKEN_ARROW, token->loc); break;
        case TOKEN_INC:
        case TOKEN_DEC:
            parse_advance(p);
            e = operate_step(p, e, token->kind == TOKEN_DEC, true, token->loc);
            break;
        default: return e;
        }
    }
}

struct expr *parse_compound_literal(struct parser *p, struct type *type, struct loc loc)
{
    assert(parse_at(p, TOKEN_LBRACE));
    return postfix_suffixes(p, compound_literal(p, type, loc));
}

struct expr *parse_postfix_expression(struct parser *p)
{
    if (!parse_at(p, TOKEN_LPAREN) || !declare_starts_type(p, parse_peek(p, 1))) {
        return postfix_suffixes(p, parse_primary_expression(p));
    }
    struct loc loc = parse_loc(p);
    parse_advance(p);
    struct type *type = declare_type_name(p);
    parse_expect(p, TOKEN_RPAREN, "after the type of a compound literal");
    if (!parse_at(p, TOKEN_LBRACE)) {
        parse_syntax_error(p, "expected '{' after the type: a cast needs parentheses around it here");
        return expr_error(p, loc);
    }
    return parse_compound_literal(p, type, loc);
}

// The expressions of #if: integer constant expressions in intmax_t and uintmax_t, names that are left over count as 0.
#include "lang/preprocess_state.h"

#include <assert.h>
#include <string.h>

struct value {
    uint64_t bits;
    bool is_unsigned;
};

struct evaluator {
    struct preprocessor *pp;
    const char *directive;
    struct lex_token token; // the next one
    bool failed;
    int unevaluated; // > 0: in the part of && || ?: that does not count; no complaint about a division by zero
    int depth;
};

static const struct value zero = {0, false};

static struct value conditional(struct evaluator *e);

static struct value fail(struct evaluator *e, struct loc loc, const char *text)
{
    if (!e->failed) {
        diag_error(e->pp->diags, loc, "#%s: %s", e->directive, text);
    }
    e->failed = true;
    return zero;
}

static void advance(struct evaluator *e)
{
    pp_next(e->pp, &e->token);
}

static bool at(const struct evaluator *e, enum token_kind kind)
{
    return e->token.kind == LEX_PUNCT && e->token.number == kind;
}

static bool accept(struct evaluator *e, enum token_kind kind)
{
    bool found = at(e, kind);
    if (found) {
        advance(e);
    }
    return found;
}

// `defined X` and `defined(X)`: the name must not be replaced before it is looked at.
static struct value defined(struct evaluator *e)
{
    struct loc loc = e->token.loc;
    e->pp->no_expand++;
    advance(e);
    bool parens = accept(e, TOKEN_LPAREN);
    struct value value = zero;
    if (e->token.kind != LEX_IDENT) {
        e->pp->no_expand--;
        return fail(e, loc, "defined needs the name of a macro");
    }
    value.bits = pp_is_defined(e->token.name);
    if (parens) {
        advance(e);
    }
    e->pp->no_expand--;
    if (parens && !at(e, TOKEN_RPAREN)) {
        return fail(e, e->token.loc, "expected ')' after defined(");
    }
    advance(e);
    return value;
}

static struct value has_include(struct evaluator *e)
{
    struct preprocessor *pp = e->pp;
    struct loc loc = e->token.loc;
    advance(e);
    if (!at(e, TOKEN_LPAREN)) {
        return fail(e, loc, "__has_include needs a header in parentheses");
    }
    pp->file->lexer.wants_header = true;
    advance(e);
    pp->file->lexer.wants_header = false;
    if (e->token.kind != LEX_HEADER && e->token.kind != LEX_STRING) {
        return fail(e, loc, "__has_include needs a header in parentheses");
    }
    const char *name = arena_strndup(pp->arena, e->token.text + 1, e->token.length - 2);
    struct value value = {pp_has_include(pp, name, e->token.text[0] == '"'), false};
    advance(e);
    return accept(e, TOKEN_RPAREN) ? value : fail(e, e->token.loc, "expected ')' after __has_include(");
}

static const struct lex_name *word(struct evaluator *e)
{
    const struct lex_name *name = e->token.kind == LEX_IDENT ? e->token.name : NULL;
    if (name != NULL) {
        advance(e);
    }
    return name;
}

// __has_attribute(packed), __has_c_attribute(gnu::packed): the names are not replaced, as those of `defined` are not.
static struct value question(struct evaluator *e)
{
    struct loc loc = e->token.loc;
    enum pp_question which = e->token.name->question;
    e->pp->no_expand++;
    advance(e);
    bool opens = accept(e, TOKEN_LPAREN);
    const struct lex_name *name = word(e), *prefix = NULL;
    if (name != NULL && accept(e, TOKEN_COLON) && accept(e, TOKEN_COLON)) {
        prefix = name;
        name = word(e);
    }
    e->pp->no_expand--;
    if (!opens || name == NULL || !at(e, TOKEN_RPAREN)) {
        return fail(e, loc, arena_printf(e->pp->arena, "%s needs a name in parentheses", pp_question_name(which)));
    }
    advance(e);
    return (struct value){(uint64_t)pp_answer(which, prefix, name), false};
}

static struct value number(struct evaluator *e)
{
    struct token token = {0};
    int errors = e->pp->diags->error_count;
    lex_number_value(&e->pp->values, &e->token, &token);
    if (e->pp->diags->error_count != errors) {
        e->failed = true;
        return zero;
    }
    if (token.kind == TOKEN_FLOAT) {
        return fail(e, e->token.loc, "a floating constant cannot stand here");
    }
    // Every signed type is intmax_t here, so that 0xffffffff, unsigned elsewhere, is not.
    bool is_unsigned = token.is_unsigned && (strpbrk(token.text, "uU") != NULL || token.u > INT64_MAX);
    advance(e);
    return (struct value){token.u, is_unsigned};
}

static struct value primary(struct evaluator *e)
{
    if (e->token.kind == LEX_NUMBER) {
        return number(e);
    }
    if (e->token.kind == LEX_CHAR) {
        struct token token = {0};
        lex_char_value(&e->pp->values, &e->token, &token);
        advance(e);
        return (struct value){token.u, false};
    }
    if (e->token.kind == LEX_IDENT) {
        if (e->token.name == e->pp->name_defined) {
            return defined(e);
        }
        if (e->token.name->question != PP_ASKS_NOTHING) {
            return e->token.name->question == PP_HAS_INCLUDE ? has_include(e) : question(e);
        }
        advance(e);
        return zero;
    }
    if (accept(e, TOKEN_LPAREN)) {
        struct value value = conditional(e);
        if (!at(e, TOKEN_RPAREN)) {
            return fail(e, e->token.loc, "expected ')'");
        }
        advance(e);
        return value;
    }
    if (e->token.kind == LEX_STRING) {
        return fail(e, e->token.loc, "a string cannot stand in this expression");
    }
    if (lex_is_end(&e->token)) {
        return fail(e, e->token.loc, "the expression ends where an operand is wanted");
    }
    return fail(e, e->token.loc, "expected an operand");
}

static struct value unary(struct evaluator *e)
{
    struct value value;
    if (e->depth >= LANG_MAX_MACRO_DEPTH) {
        return fail(e, e->token.loc, "the expression is nested too deeply");
    }
    e->depth++;
    if (accept(e, TOKEN_MINUS)) {
        value = unary(e);
        value.bits = -value.bits;
    } else if (accept(e, TOKEN_PLUS)) {
        value = unary(e);
    } else if (accept(e, TOKEN_TILDE)) {
        value = unary(e);
        value.bits = ~value.bits;
    } else if (accept(e, TOKEN_NOT)) {
        value = (struct value){unary(e).bits == 0, false};
    } else {
        value = primary(e);
    }
    e->depth--;
    return value;
}

static int precedence(const struct lex_token *token)
{
    if (token->kind != LEX_PUNCT) {
        return 0;
    }
    switch (token->number) {
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_PERCENT: return 10;
    case TOKEN_PLUS:
    case TOKEN_MINUS: return 9;
    case TOKEN_SHL:
    case TOKEN_SHR: return 8;
    case TOKEN_LT:
    case TOKEN_GT:
    case TOKEN_LE:
    case TOKEN_GE: return 7;
    case TOKEN_EQ:
    case TOKEN_NE: return 6;
    case TOKEN_AMP: return 5;
    case TOKEN_CARET: return 4;
    case TOKEN_PIPE: return 3;
    case TOKEN_ANDAND: return 2;
    case TOKEN_OROR: return 1;
    default: return 0;
    }
}

static struct value divide(struct evaluator *e, struct value left, struct value right, struct loc loc, bool remainder)
{
    if (right.bits == 0) {
        return e->unevaluated > 0 ? zero : fail(e, loc, "division by zero");
    }
    struct value result = {0, left.is_unsigned || right.is_unsigned};
    int64_t a = (int64_t)left.bits, b = (int64_t)right.bits;
    if (result.is_unsigned) {
        result.bits = remainder ? left.bits % right.bits : left.bits / right.bits;
    } else if (b == -1) {
        result.bits = remainder ? 0 : -left.bits; // INTMAX_MIN / -1 would trap
    } else {
        result.bits = (uint64_t)(remainder ? a % b : a / b);
    }
    return result;
}

// A count out of range shifts the other way or everything out, as gcc has it.
static struct value shift(struct value left, struct value right, bool to_left)
{
    uint64_t count = right.bits;
    if (!right.is_unsigned && (int64_t)right.bits < 0) {
        to_left = !to_left;
        count = -right.bits;
    }
    bool negative = !left.is_unsigned && (int64_t)left.bits < 0;
    if (to_left) {
        left.bits = count > 63 ? 0 : left.bits << count;
    } else if (count > 63) {
        left.bits = negative ? UINT64_MAX : 0;
    } else {
        left.bits = left.bits >> count | (negative && count > 0 ? UINT64_MAX << (64 - count) : 0);
    }
    return left;
}

static bool compare(enum token_kind kind, struct value left, struct value right)
{
    bool is_unsigned = left.is_unsigned || right.is_unsigned;
    bool less = is_unsigned ? left.bits < right.bits : (int64_t)left.bits < (int64_t)right.bits;
    bool equal = left.bits == right.bits;
    switch (kind) {
    case TOKEN_LT: return less;
    case TOKEN_GT: return !less && !equal;
    case TOKEN_LE: return less || equal;
    case TOKEN_GE: return !less;
    case TOKEN_EQ: return equal;
    default: return !equal;
    }
}

static struct value apply(struct evaluator *e, const struct lex_token *op, struct value left, struct value right)
{
    enum token_kind kind = op->number;
    bool is_unsigned = left.is_unsigned || right.is_unsigned;
    switch (kind) {
    case TOKEN_STAR: return (struct value){left.bits * right.bits, is_unsigned};
    case TOKEN_SLASH:
    case TOKEN_PERCENT: return divide(e, left, right, op->loc, kind == TOKEN_PERCENT);
    case TOKEN_PLUS: return (struct value){left.bits + right.bits, is_unsigned};
    case TOKEN_MINUS: return (struct value){left.bits - right.bits, is_unsigned};
    case TOKEN_SHL:
    case TOKEN_SHR: return shift(left, right, kind == TOKEN_SHL);
    case TOKEN_AMP: return (struct value){left.bits & right.bits, is_unsigned};
    case TOKEN_CARET: return (struct value){left.bits ^ right.bits, is_unsigned};
    case TOKEN_PIPE: return (struct value){left.bits | right.bits, is_unsigned};
    case TOKEN_ANDAND: return (struct value){left.bits != 0 && right.bits != 0, false};
    case TOKEN_OROR: return (struct value){left.bits != 0 || right.bits != 0, false};
    default: return (struct value){compare(kind, left, right), false};
    }
}

static struct value binary(struct evaluator *e, int least)
{
    struct value left = unary(e);
    for (;;) {
        struct lex_token op = e->token;
        int level = precedence(&op);
        if (level < least || level == 0 || e->failed) {
            return left;
        }
        bool decided = (op.number == TOKEN_ANDAND && left.bits == 0) || (op.number == TOKEN_OROR && left.bits != 0);
        advance(e);
        e->unevaluated += decided;
        struct value right = binary(e, level + 1);
        e->unevaluated -= decided;
        left = apply(e, &op, left, right);
    }
}

static struct value conditional(struct evaluator *e)
{
    struct value condition = binary(e, 1);
    if (e->failed || !accept(e, TOKEN_QUESTION)) {
        return condition;
    }
    if (e->depth >= LANG_MAX_MACRO_DEPTH) {
        return fail(e, e->token.loc, "the expression is nested too deeply");
    }
    e->depth++;
    bool first = condition.bits != 0;
    e->unevaluated += !first;
    struct value a = conditional(e);
    e->unevaluated -= !first;
    if (!e->failed && !accept(e, TOKEN_COLON)) {
        fail(e, e->token.loc, "expected ':'");
    }
    e->unevaluated += first;
    struct value b = conditional(e);
    e->unevaluated -= first;
    e->depth--;
    return (struct value){first ? a.bits : b.bits, a.is_unsigned || b.is_unsigned};
}

bool pp_evaluate(struct preprocessor *pp, const char *directive)
{
    struct evaluator e = {.pp = pp, .directive = directive};
    advance(&e);
    if (lex_is_end(&e.token)) {
        fail(&e, e.token.loc, "an expression is missing");
        return false;
    }
    struct value value = conditional(&e);
    if (!e.failed && at(&e, TOKEN_COMMA)) {
        fail(&e, e.token.loc, "a comma cannot stand in this expression");
    } else if (!e.failed && at(&e, TOKEN_ASSIGN)) {
        fail(&e, e.token.loc, "'=' cannot stand in this expression; did you mean '=='?");
    } else if (!e.failed && !lex_is_end(&e.token)) {
        fail(&e, e.token.loc, "expected an operator");
    }
    return !e.failed && value.bits != 0;
}

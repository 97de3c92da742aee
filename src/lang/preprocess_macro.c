// #define and #undef. In a body the parameters are recognised once, here: each becomes a LEX_PARAM, # before it a flag
// of it, and ## a flag of the token on its left.
#include "lang/preprocess_state.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

static int find_param(const struct macro *macro, const struct lex_name *name)
{
    for (int i = 0; i < macro->param_count; i++) {
        if (macro->params[i] == name) {
            return i;
        }
    }
    return -1;
}

enum { MAX_PARAMS = 4096 };

static bool add_param(struct preprocessor *pp, struct macro *macro, struct lex_name *name, struct loc loc)
{
    if (find_param(macro, name) >= 0) {
        diag_error(pp->diags, loc, "the macro parameter '%s' is named twice", name->text);
        return false;
    }
    if (macro->param_count >= MAX_PARAMS) {
        diag_error(pp->diags, loc, "a macro has at most %d parameters", MAX_PARAMS);
        return false;
    }
    int count = macro->param_count;
    if ((count & (count - 1)) == 0) {
        struct lex_name **params = ARENA_ARRAY(pp->arena, struct lex_name *, count == 0 ? 1 : 2 * count);
        if (count > 0) {
            memcpy(params, macro->params, sizeof *params * (size_t)count);
        }
        macro->params = params;
    }
    macro->params[macro->param_count++] = name;
    assert(macro->param_count <= MAX_PARAMS); // an index fits into lex_token.number
    return true;
}

// One parameter: a name, `...`, or a name with `...`.
static bool read_param(struct preprocessor *pp, struct macro *macro, struct lex_token *token)
{
    struct lexer *lexer = &pp->file->lexer;
    if (lex_is_punct(token, TOKEN_ELLIPSIS)) {
        macro->is_variadic = true;
        bool added = add_param(pp, macro, pp->name_va_args, token->loc);
        lex_next(lexer, token);
        return added;
    }
    if (token->kind != LEX_IDENT) {
        diag_error(pp->diags, token->loc, "expected the name of a macro parameter");
        return false;
    }
    if (token->name == pp->name_va_args) {
        diag_error(pp->diags, token->loc, "__VA_ARGS__ cannot be the name of a parameter");
        return false;
    }
    if (!add_param(pp, macro, token->name, token->loc)) {
        return false;
    }
    lex_next(lexer, token);
    if (lex_is_punct(token, TOKEN_ELLIPSIS)) {
        macro->is_variadic = true;
        lex_next(lexer, token);
    }
    return true;
}

// The parameters behind "(", up to and with ")".
static bool read_params(struct preprocessor *pp, struct macro *macro)
{
    struct lexer *lexer = &pp->file->lexer;
    struct lex_token token;
    lex_next(lexer, &token);
    if (lex_is_punct(&token, TOKEN_RPAREN)) {
        return true;
    }
    for (;;) {
        if (!read_param(pp, macro, &token)) {
            return false;
        }
        if (lex_is_punct(&token, TOKEN_RPAREN)) {
            return true;
        }
        if (!lex_is_punct(&token, TOKEN_COMMA) || macro->is_variadic) {
            diag_error(pp->diags, token.loc, "expected %s in the parameters of the macro '%s'",
                       macro->is_variadic ? "')' after '...'" : "',' or ')'", macro->name->text);
            return false;
        }
        lex_next(lexer, &token);
    }
}

struct body {
    struct lex_token *items;
    int count;
    int capacity;
};

static void make_param(const struct macro *macro, struct lex_token *token)
{
    int param = token->kind == LEX_IDENT ? find_param(macro, token->name) : -1;
    if (param >= 0) {
        token->kind = LEX_PARAM;
        token->number = (uint16_t)param;
    }
}

// A token of the body that is no operator; # of a function-like macro takes the parameter behind it.
static bool read_operand(struct preprocessor *pp, struct macro *macro, struct lex_token *token)
{
    if (token->kind == LEX_HASH && macro->kind == MACRO_FUNCTION) {
        uint8_t flags = token->flags;
        struct loc loc = token->loc;
        lex_next(&pp->file->lexer, token);
        make_param(macro, token);
        if (token->kind != LEX_PARAM) {
            diag_error(pp->diags, loc, "# needs a parameter of the macro after it");
            return false;
        }
        token->flags = (uint8_t)(flags | LEX_STRINGIFY);
        token->loc = loc;
        return true;
    }
    if (token->kind == LEX_IDENT && token->name == pp->name_va_args && find_param(macro, token->name) < 0) {
        diag_error(pp->diags, token->loc, "__VA_ARGS__ stands only in a macro whose parameters end in '...'");
        return false;
    }
    make_param(macro, token);
    return true;
}

static bool read_body(struct preprocessor *pp, struct macro *macro)
{
    struct lexer *lexer = &pp->file->lexer;
    struct body body = {0};
    struct lex_token token;
    for (lex_next(lexer, &token); token.kind != LEX_END_OF_LINE; lex_next(lexer, &token)) {
        pp_charge(pp, 1, token.loc);
        if (token.kind == LEX_HASH_HASH) {
            struct loc loc = token.loc;
            if (body.count > 0) {
                VEC_LAST(&body).flags |= LEX_PASTE_LEFT;
            }
            lex_next(lexer, &token);
            if (body.count == 0 || token.kind == LEX_END_OF_LINE) {
                diag_error(pp->diags, loc, "## cannot stand at the %s of a macro", body.count == 0 ? "start" : "end");
                return false;
            }
        }
        if (!read_operand(pp, macro, &token)) {
            return false;
        }
        token.flags &= (uint8_t)~LEX_LINE_START;
        VEC_PUSH(pp->arena, &body, token);
    }
    if (body.count > 0) {
        body.items[0].flags &= (uint8_t)~LEX_SPACE;
    }
    macro->body = body.items;
    macro->body_count = body.count;
    return true;
}

static bool same_token(const struct lex_token *a, const struct lex_token *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

static bool same_macro(const struct macro *a, const struct macro *b)
{
    if (a->kind != b->kind || a->param_count != b->param_count || a->body_count != b->body_count ||
        a->is_variadic != b->is_variadic) {
        return false;
    }
    for (int i = 0; i < a->param_count; i++) {
        if (a->params[i] != b->params[i]) {
            return false;
        }
    }
    for (int i = 0; i < a->body_count; i++) {
        if (!same_token(&a->body[i], &b->body[i])) {
            return false;
        }
    }
    return true;
}

static bool read_name(struct preprocessor *pp, const char *directive, struct lex_token *token)
{
    lex_next(&pp->file->lexer, token);
    if (token->kind != LEX_IDENT) {
        diag_error(pp->diags, token->loc, "#%s needs the name of a macro", directive);
        return false;
    }
    if (token->name == pp->name_defined || token->name == pp->name_va_args) {
        diag_error(pp->diags, token->loc, "'%s' cannot be the name of a macro", token->name->text);
        return false;
    }
    return true;
}

static void check_redefinition(struct preprocessor *pp, const struct macro *macro)
{
    const struct macro *old = macro->name->macro;
    if (old == NULL || same_macro(old, macro)) {
        return;
    }
    if (old->is_predefined) {
        diag_warning(pp->diags, macro->loc, "the built-in macro '%s' is redefined", macro->name->text);
    } else {
        diag_warning(pp->diags, macro->loc, "the macro '%s' is redefined", macro->name->text);
        diag_note(pp->diags, old->loc, "the definition before it is here");
    }
}

void pp_define(struct preprocessor *pp)
{
    struct lexer *lexer = &pp->file->lexer;
    struct lex_token token;
    if (!read_name(pp, "define", &token)) {
        return;
    }
    struct macro *macro = ARENA_NEW(pp->arena, struct macro);
    macro->name = token.name;
    macro->loc = token.loc;
    macro->is_predefined = pp->predefining;
    if (*lexer->p == '(' && lexer->p < lexer->end) {
        lex_next(lexer, &token);
        macro->kind = MACRO_FUNCTION;
        if (!read_params(pp, macro)) {
            return;
        }
    } else if (lexer->p < lexer->end && strchr(" \t\r\n\f\v/", *lexer->p) == NULL) {
        diag_warning(pp->diags, token.loc, "a blank belongs between the macro's name and its text");
    }
    if (!read_body(pp, macro)) {
        return;
    }
    check_redefinition(pp, macro);
    macro->name->macro = macro;
}

void pp_undef(struct preprocessor *pp)
{
    struct lex_token token;
    if (!read_name(pp, "undef", &token)) {
        return;
    }
    if (token.name->macro != NULL && token.name->macro->is_predefined) {
        diag_warning(pp->diags, token.loc, "the built-in macro '%s' is undefined", token.name->text);
    }
    token.name->macro = NULL;
    pp_expect_end(pp, "undef");
}

struct macro *pp_add_builtin(struct preprocessor *pp, const char *name, enum macro_kind kind)
{
    struct macro *macro = ARENA_NEW(pp->arena, struct macro);
    macro->kind = kind;
    macro->name = lex_names_get(&pp->names, name, strlen(name));
    macro->is_predefined = true;
    macro->name->macro = macro;
    return macro;
}

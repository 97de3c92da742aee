// #pragma and _Pragma. `rill`, `pack` and `STDC FP_CONTRACT` go to the parser as one token; `once`, `push_macro` and
// `pop_macro` are done here. What other compilers call a hint is left to them; what would change a result and is not
// done is said (preprocess_foreign.c).
#include "lang/preprocess_state.h"

#include "base/str.h"

#include <string.h>

const char *pp_rest_of_pragma(struct preprocessor *pp)
{
    struct str text;
    str_init(&text, pp->arena);
    int depth = 0;
    for (;;) {
        struct lex_token token;
        pp->no_expand += depth == 0;
        pp_next(pp, &token);
        pp->no_expand -= depth == 0;
        if (lex_is_end(&token)) {
            return str_text(&text);
        }
        depth += lex_is_punct(&token, TOKEN_LPAREN);
        depth -= lex_is_punct(&token, TOKEN_RPAREN) && depth > 0;
        if (text.length > 0 && (token.flags & LEX_SPACE)) {
            str_add_char(&text, ' ');
        }
        str_add_n(&text, token.text, token.length);
    }
}

// What stands inside the parentheses of `pack(…)`, or NULL.
static const char *inside_parens(struct preprocessor *pp, const char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[0] != '(' || text[length - 1] != ')') {
        return NULL;
    }
    return arena_strndup(pp->arena, text + 1, length - 2);
}

struct lex_token pp_pragma_token(struct loc loc, const char *text, enum pragma_kind kind)
{
    return (struct lex_token){
        .kind = LEX_PRAGMA, .number = (uint16_t)kind, .text = text, .length = (uint32_t)strlen(text), .loc = loc};
}

static bool is_string(const struct lex_token *token)
{
    return token->kind == LEX_STRING && !(token->flags & LEX_BROKEN);
}

// The string without its quotes and the backslashes that made it one.
static const char *destringize(struct preprocessor *pp, const struct lex_token *string)
{
    struct str text;
    str_init(&text, pp->arena);
    const char *p = (const char *)memchr(string->text, '"', string->length) + 1;
    const char *end = string->text + string->length - 1;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end && (p[1] == '"' || p[1] == '\\')) {
            p++;
        }
        str_add_char(&text, *p == '\0' ? ' ' : *p);
    }
    return str_text(&text);
}

// ---- push_macro and pop_macro --------------------------------------------------------------------------------------

// The name in `("X")`. Nothing is replaced there. NULL, and an error: something else stands there.
static struct lex_name *macro_operand(struct preprocessor *pp, struct loc loc, const char *pragma)
{
    struct lexer *lexer = &pp->file->lexer;
    struct lex_token open, string, close;
    lex_next(lexer, &open);
    if (lex_is_punct(&open, TOKEN_LPAREN)) {
        lex_next(lexer, &string);
        if (is_string(&string)) {
            lex_next(lexer, &close);
            if (lex_is_punct(&close, TOKEN_RPAREN)) {
                const char *text = destringize(pp, &string);
                return lex_names_get(&pp->names, text, strlen(text));
            }
        }
    }
    diag_error(pp->diags, loc, "'#pragma %s' takes the name of a macro as a string: %s(\"NAME\")", pragma, pragma);
    return NULL;
}

static void push_macro(struct preprocessor *pp, struct loc loc)
{
    struct lex_name *name = macro_operand(pp, loc, "push_macro");
    if (name == NULL) {
        return;
    }
    struct pushed_macro *pushed = ARENA_NEW(pp->arena, struct pushed_macro);
    *pushed = (struct pushed_macro){.outer = name->pushed, .macro = name->macro};
    name->pushed = pushed;
    pp_expect_end(pp, "pragma push_macro");
}

static void pop_macro(struct preprocessor *pp, struct loc loc)
{
    struct lex_name *name = macro_operand(pp, loc, "pop_macro");
    if (name == NULL) {
        return;
    }
    if (name->pushed == NULL) {
        diag_warning(pp->diags, loc, "'#pragma pop_macro(\"%s\")' without a push before it", name->text);
    } else {
        name->macro = name->pushed->macro;
        name->pushed = name->pushed->outer;
    }
    pp_expect_end(pp, "pragma pop_macro");
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static bool pack(struct preprocessor *pp, struct loc loc, struct lex_token *out)
{
    const char *inside = inside_parens(pp, pp_rest_of_pragma(pp));
    if (inside == NULL) {
        diag_warning(pp->diags, loc, "#pragma pack needs parentheses and is ignored");
        return false;
    }
    *out = pp_pragma_token(loc, inside, PRAGMA_PACK);
    return true;
}

static bool rill(struct preprocessor *pp, struct loc loc, struct lex_token *out)
{
    const char *text = pp_rest_of_pragma(pp);
    if (pp->file->loaded->builtin && strcmp(text, "short_names") == 0) {
        pp->short_names = true; // rill/kernel.h, without RILL_NO_SHORT_NAMES
        return false;
    }
    *out = pp_pragma_token(loc, text, PRAGMA_RILL);
    return true;
}

bool pp_pragma(struct preprocessor *pp, struct loc loc, struct lex_token *out)
{
    struct lex_token token;
    lex_next(&pp->file->lexer, &token);
    const char *name = token.kind == LEX_IDENT ? token.name->text : "";
    if (strcmp(name, "once") == 0) {
        pp->file->loaded->once = true;
    } else if (strcmp(name, "push_macro") == 0) {
        push_macro(pp, loc);
    } else if (strcmp(name, "pop_macro") == 0) {
        pop_macro(pp, loc);
    } else if (strcmp(name, "pack") == 0) {
        return pack(pp, loc, out);
    } else if (strcmp(name, "rill") == 0) {
        return rill(pp, loc, out);
    } else if (!lex_is_end(&token)) {
        return pp_foreign_pragma(pp, loc, &token, out);
    }
    return false;
}

static bool read_operand(struct preprocessor *pp, const struct lex_token *at, struct lex_token *string)
{
    struct lex_token token;
    pp_next(pp, &token);
    if (lex_is_punct(&token, TOKEN_LPAREN)) {
        pp_next(pp, string);
        if (is_string(string)) {
            pp_next(pp, &token);
            if (lex_is_punct(&token, TOKEN_RPAREN)) {
                return true;
            }
        }
    } else {
        pp_push_back(pp, &token);
    }
    diag_error(pp->diags, at->loc, "_Pragma takes a string in parentheses");
    return false;
}

bool pp_pragma_operator(struct preprocessor *pp, const struct lex_token *at, struct lex_token *out)
{
    struct lex_token string;
    if (!read_operand(pp, at, &string)) {
        return false;
    }
    const char *text = destringize(pp, &string);
    // The pragma is read from a text of its own; the expansions under way wait meanwhile.
    struct expansion *saved = pp->expansions;
    struct open_file *file = pp->file;
    pp->expansions = NULL;
    pp_open_text(pp, file->shown_path, text, strlen(text), file->loaded->builtin);
    pp->file->lexer.in_directive = true;
    bool once = false;
    bool left = pp_pragma(pp, at->loc, out);
    once = pp->file->loaded->once;
    pp_drop_expansions(pp);
    pp->file = file;
    pp->expansions = saved;
    file->loaded->once |= once;
    return left;
}

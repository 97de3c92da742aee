// #pragma and _Pragma. `rill` and `pack` go to the parser as one token, `once` is done here, others are ignored: they
// are for other compilers.
#include "lang/preprocess_state.h"

#include "base/str.h"

#include <string.h>

// The rest of the line with single blanks. Macros are replaced inside parentheses only: `block_dim(N)` may use one,
// while a macro that happens to be called `serial` does not change what the pragma says.
static const char *rest_of_pragma(struct preprocessor *pp)
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

static struct lex_token pragma_token(struct loc loc, const char *text, uint8_t flags)
{
    return (struct lex_token){
        .kind = LEX_PRAGMA, .flags = flags, .text = text, .length = (uint32_t)strlen(text), .loc = loc};
}

bool pp_pragma(struct preprocessor *pp, struct loc loc, struct lex_token *out)
{
    struct lex_token token;
    lex_next(&pp->file->lexer, &token);
    const char *name = token.kind == LEX_IDENT ? token.name->text : "";
    if (strcmp(name, "once") == 0) {
        pp->file->loaded->once = true;
    } else if (strcmp(name, "pack") == 0) {
        const char *inside = inside_parens(pp, rest_of_pragma(pp));
        if (inside == NULL) {
            diag_warning(pp->diags, loc, "#pragma pack needs parentheses and is ignored");
            return false;
        }
        *out = pragma_token(loc, inside, LEX_PACK);
        return true;
    } else if (strcmp(name, "rill") == 0) {
        const char *text = rest_of_pragma(pp);
        if (pp->file->loaded->builtin && strcmp(text, "short_names") == 0) {
            pp->short_names = true; // rill/kernel.h, without RILL_NO_SHORT_NAMES
            return false;
        }
        *out = pragma_token(loc, text, 0);
        return true;
    }
    return false;
}

// The string without its quotes and the backslashes that made it one.
static const char *destringize(struct preprocessor *pp, const struct lex_token *string)
{
    struct str text;
    str_init(&text, pp->arena);
    const char *p = string->text + (string->text[0] == 'L' ? 2 : 1);
    const char *end = string->text + string->length - 1;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end && (p[1] == '"' || p[1] == '\\')) {
            p++;
        }
        str_add_char(&text, *p == '\0' ? ' ' : *p);
    }
    return str_text(&text);
}

static bool read_operand(struct preprocessor *pp, const struct lex_token *at, struct lex_token *string)
{
    struct lex_token token;
    pp_next(pp, &token);
    if (lex_is_punct(&token, TOKEN_LPAREN)) {
        pp_next(pp, string);
        if (string->kind == LEX_STRING && !(string->flags & LEX_BROKEN)) {
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

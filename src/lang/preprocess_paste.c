// The operators # and ##.
#include "lang/preprocess_state.h"

#include "base/str.h"

#include <assert.h>
#include <string.h>

// The literals among the tokens must read back as themselves, so their quotes and backslashes are escaped.
static void add_escaped(struct str *out, const struct lex_token *token)
{
    if (token->kind != LEX_STRING && token->kind != LEX_CHAR) {
        str_add_n(out, token->text, token->length);
        return;
    }
    for (uint32_t i = 0; i < token->length; i++) {
        if (token->text[i] == '"' || token->text[i] == '\\') {
            str_add_char(out, '\\');
        }
        str_add_char(out, token->text[i]);
    }
}

struct lex_token pp_stringify(struct preprocessor *pp, const struct lex_token *tokens, int count, struct loc loc)
{
    assert(count >= 0);
    struct str text;
    str_init(&text, pp->arena);
    str_add_char(&text, '"');
    for (int i = 0; i < count; i++) {
        if (i > 0 && (tokens[i].flags & (LEX_SPACE | LEX_LINE_START))) {
            str_add_char(&text, ' ');
        }
        add_escaped(&text, &tokens[i]);
    }
    // A lone backslash at the end (`#x` of `\`) would eat the closing quote.
    size_t backslashes = 0;
    while (backslashes < text.length && text.text[text.length - 1 - backslashes] == '\\') {
        backslashes++;
    }
    if (backslashes % 2 == 1) {
        diag_error(pp->diags, loc, "# makes no valid string of an argument that ends in a backslash");
        text.text[--text.length] = '\0';
    }
    str_add_char(&text, '"');
    pp_charge(pp, text.length / 4, loc);
    return (struct lex_token){.kind = LEX_STRING, .text = text.text, .length = (uint32_t)text.length, .loc = loc};
}

// Lexes |text| and says whether it is exactly one token.
static bool lex_one(struct preprocessor *pp, const char *text, size_t length, struct lex_token *out)
{
    uint32_t line_start = 0;
    struct lex_text source = {text, (uint32_t)length, &line_start, 1};
    struct lexer lexer;
    lex_init(&lexer, pp->arena, pp->diags, &pp->names);
    lex_open(&lexer, &source, 0);
    lexer.quiet = true;
    lex_next(&lexer, out);
    return out->kind != LEX_EOF && lexer.p == lexer.end && !(out->flags & (LEX_BROKEN | LEX_SPACE));
}

struct lex_token pp_paste(struct preprocessor *pp, const struct lex_token *left, const struct lex_token *right)
{
    if (right->kind == LEX_PLACEMARKER) {
        return *left;
    }
    struct lex_token result;
    uint8_t flags = left->flags & LEX_SPACE;
    if (left->kind == LEX_PLACEMARKER) {
        result = *right;
        result.flags = (uint8_t)((right->flags & ~LEX_SPACE) | flags);
        return result;
    }
    size_t length = (size_t)left->length + right->length;
    pp_charge(pp, length / 4, left->loc);
    char *text = arena_alloc(pp->arena, length + LEX_PADDING);
    memcpy(text, left->text, left->length);
    memcpy(text + left->length, right->text, right->length);
    if (length > LANG_MAX_FILE_SIZE || !lex_one(pp, text, length, &result)) {
        diag_error(pp->diags, left->loc, "## makes no valid token of '%.*s' and '%.*s'",
                   (int)(left->length < 80 ? left->length : 80), left->text,
                   (int)(right->length < 80 ? right->length : 80), right->text);
        return *left;
    }
    result.flags = flags;
    result.loc = left->loc;
    result.macro = left->macro;
    return result;
}

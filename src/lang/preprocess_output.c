// The end of the line: preprocessing tokens become tokens of the language, adjacent strings are joined.
#include "lang/preprocess_state.h"

#include "base/vec.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- the short names of rill/kernel.h ------------------------------------------------------------------------------

static bool wants_tag(enum token_kind before)
{
    return before == TOKEN_KW_STRUCT || before == TOKEN_KW_UNION || before == TOKEN_KW_ENUM;
}

// `stream_parallel` is a word of the language only before a block, and not where C wants a tag.
static void settle_stream_parallel(struct token *word, enum token_kind before, enum token_kind next)
{
    if (next == TOKEN_LBRACE && !wants_tag(before)) {
        word->kind = TOKEN_KW_STREAM_PARALLEL;
    } else {
        word->is_short_name = true;
    }
}

// `kernel` is one only where more specifiers, or the function's name, follow: a variable is followed by punctuation.
static void settle_kernel(struct preprocessor *pp, struct token *word, enum token_kind before, enum token_kind next)
{
    word->text = pp->name_kernel->text;
    word->length = pp->name_kernel->length;
    bool follows = next == TOKEN_IDENT || next == TOKEN_PRAGMA || (next >= TOKEN_KW_AUTO && next < TOKEN_LBRACKET);
    bool is_named = wants_tag(before) || before == TOKEN_KW_GOTO || before == TOKEN_DOT || before == TOKEN_ARROW ||
                    (before == TOKEN_STAR && next == TOKEN_KW_ATTRIBUTE);
    if (follows && !is_named) {
        word->kind = TOKEN_KW_KERNEL;
    } else {
        word->is_short_name = true;
    }
}

// Settles what the last token is, now that the |next| one is known.
static void settle_word(struct preprocessor *pp, enum token_kind next)
{
    struct token_list *out = pp->out;
    if (!pp->short_names || out->count == 0) {
        return;
    }
    struct token *last = &out->items[out->count - 1];
    enum token_kind before = out->count > 1 ? out->items[out->count - 2].kind : TOKEN_EOF;
    if (last->kind != TOKEN_IDENT) {
        return;
    }
    if (last->text == pp->name_stream_parallel->text) {
        settle_stream_parallel(last, before, next);
    } else if (last->text == pp->name_short_kernel->text) {
        settle_kernel(pp, last, before, next);
    }
}

// ---- tokens --------------------------------------------------------------------------------------------------------

static void push(struct preprocessor *pp, const struct token *token)
{
    if (pp->out->count >= LANG_MAX_TOKENS) {
        pp_stop(pp, token->loc, "the file has more than %d tokens", LANG_MAX_TOKENS);
        return;
    }
    settle_word(pp, token->kind);
    VEC_PUSH(pp->arena, pp->out, *token);
}

static void flush_strings(struct preprocessor *pp)
{
    if (pp->strings.count == 0) {
        return;
    }
    const struct lex_token *first = &pp->strings.items[0];
    struct token token = {.loc = first->loc, .macro = first->macro};
    lex_string_value(&pp->values, first, pp->strings.count, &token);
    pp->strings.count = 0;
    push(pp, &token);
}

static void output_punct(const struct lex_token *token, struct token *out)
{
    assert(token->kind == LEX_PUNCT);
    out->kind = token->number;
    out->text = token_spelling(out->kind);
    out->length = (uint32_t)strlen(out->text);
}

static void stray(struct preprocessor *pp, const struct lex_token *token)
{
    unsigned char byte = (unsigned char)token->text[0];
    if (token->length == 1 && (byte < 0x20 || byte >= 0x7f)) {
        diag_error(pp->diags, token->loc, "the byte 0x%02x does not belong here", byte);
    } else {
        diag_error(pp->diags, token->loc, "'%.*s' does not belong here", (int)token->length, token->text);
    }
}

// The built-in <math.h> writes NAN and INFINITY with these names, because C has no constants for them.
static bool output_special_float(const struct lex_token *token, struct token *out)
{
    bool nan = strcmp(token->name->text, "__rill_nan__") == 0;
    if (!nan && strcmp(token->name->text, "__rill_inf__") != 0) {
        return false;
    }
    out->kind = TOKEN_FLOAT;
    out->f = nan ? (double)NAN : (double)INFINITY;
    out->is_float32 = true;
    return true;
}

static void output_name(const struct lex_token *token, struct token *out)
{
    assert(token->name != NULL);
    out->text = token->name->text;
    out->length = token->name->length;
    if (token->name->text[0] != '_' || !output_special_float(token, out)) {
        out->kind = token->name->keyword;
    }
}

void pp_output(struct preprocessor *pp, const struct lex_token *token)
{
    if (token->kind == LEX_STRING) {
        VEC_PUSH(pp->arena, &pp->strings, *token);
        return;
    }
    flush_strings(pp);
    struct token out = {.loc = token->loc, .macro = token->macro};
    switch (token->kind) {
    case LEX_IDENT: output_name(token, &out); break;
    case LEX_NUMBER: lex_number_value(&pp->values, token, &out); break;
    case LEX_CHAR: lex_char_value(&pp->values, token, &out); break;
    case LEX_PUNCT: output_punct(token, &out); break;
    case LEX_PRAGMA:
        out.kind = TOKEN_PRAGMA;
        out.text = token->text;
        out.length = token->length;
        out.pragma = (enum pragma_kind)token->number;
        break;
    default: stray(pp, token); return;
    }
    push(pp, &out);
}

void pp_finish_output(struct preprocessor *pp, struct loc loc)
{
    flush_strings(pp);
    struct token end = {.kind = TOKEN_EOF, .loc = loc, .text = ""};
    settle_word(pp, TOKEN_EOF);
    VEC_PUSH(pp->arena, pp->out, end);
}

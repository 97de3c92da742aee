// The end of the line: preprocessing tokens become tokens of the language, adjacent strings are joined.
#include "lang/preprocess_state.h"

#include "base/vec.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- C23's spellings -----------------------------------------------------------------------------------------------

// The words that C99 leaves to the program are C11's where a parenthesis follows.
static void settle_modern(struct token *word)
{
    static const struct {
        const char *text;
        enum token_kind kind;
    } words[] = {
        {"static_assert", TOKEN_KW_STATIC_ASSERT}, {"alignas", TOKEN_KW_ALIGNAS}, {"alignof", TOKEN_KW_ALIGNOF}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word->text, words[i].text) == 0) {
            word->kind = words[i].kind;
        }
    }
}

// `[[gnu::packed, nodiscard]]`, which begins where nothing of C99 could stand, is output as `__attribute__((packed,
// nodiscard))`. Whether the token is one of it, and so is not output as it is; |out| is what stands for it then, if its
// kind is not TOKEN_EOF.
static bool is_in_brackets(struct preprocessor *pp, const struct token *token, struct token *out)
{
    struct token *last = pp->out->count > 0 ? &pp->out->items[pp->out->count - 1] : NULL;
    *out = *token;
    out->kind = TOKEN_LPAREN;
    out->text = token_spelling(TOKEN_LPAREN);
    if (pp->attribute_depth == 0) {
        bool begins = token->kind == TOKEN_LBRACKET && last != NULL && last->kind == TOKEN_LBRACKET;
        if (begins) {
            pp->attribute_depth = 2;
            last->kind = TOKEN_KW_ATTRIBUTE;
            last->text = token_spelling(TOKEN_KW_ATTRIBUTE);
        }
        return begins;
    }
    pp->attribute_depth += (token->kind == TOKEN_LBRACKET) - (token->kind == TOKEN_RBRACKET);
    if (token->kind == TOKEN_RBRACKET && pp->attribute_depth < 2) {
        out->kind = TOKEN_RPAREN;
        out->text = token_spelling(TOKEN_RPAREN);
        return true;
    }
    if (token->kind == TOKEN_COLON && pp->attribute_depth == 2) {
        pp->out->count -= last->kind == TOKEN_IDENT; // the prefix of `gnu::`
        out->kind = TOKEN_EOF;
        return true;
    }
    return false;
}

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
    struct token *last = out->count > 0 ? &out->items[out->count - 1] : NULL;
    if (last == NULL || last->kind != TOKEN_IDENT) {
        return;
    }
    enum token_kind before = out->count > 1 ? out->items[out->count - 2].kind : TOKEN_EOF;
    if (next == TOKEN_LPAREN && (last->text[0] == 's' || last->text[0] == 'a')) {
        settle_modern(last);
    }
    if (!pp->short_names) {
        return;
    }
    if (last->text == pp->name_stream_parallel->text) {
        settle_stream_parallel(last, before, next);
    } else if (last->text == pp->name_short_kernel->text) {
        settle_kernel(pp, last, before, next);
    }
}

// ---- tokens --------------------------------------------------------------------------------------------------------

static void push_plain(struct preprocessor *pp, const struct token *token)
{
    if (pp->out->count >= LANG_MAX_TOKENS) {
        pp_stop(pp, token->loc, "the file has more than %d tokens", LANG_MAX_TOKENS);
        return;
    }
    settle_word(pp, token->kind);
    VEC_PUSH(pp->arena, pp->out, *token);
}

static void push(struct preprocessor *pp, const struct token *token)
{
    struct token other;
    if (!is_in_brackets(pp, token, &other)) {
        push_plain(pp, token);
    } else if (other.kind != TOKEN_EOF) {
        push_plain(pp, &other);
        if (pp->out->items[pp->out->count - 2].kind == TOKEN_KW_ATTRIBUTE) {
            push_plain(pp, &other); // of two brackets three tokens
        }
    }
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

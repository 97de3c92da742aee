// Shared by the tests of the lexer and the preprocessor: a text becomes tokens, the tokens a line of text again.
#ifndef RILL_TESTS_LANG_TOKENS_H
#define RILL_TESTS_LANG_TOKENS_H

#include "lang/lex.h"
#include "lang/preprocess.h"
#include "test.h"

#include <string.h>

struct tokens {
    struct arena arena; // owned
    struct diags diags;
    struct token_list list;
};

static inline void tokens_init(struct tokens *tokens, const char *text, size_t length,
                               const struct preprocess_options *options)
{
    arena_init(&tokens->arena);
    diags_init(&tokens->diags, &tokens->arena);
    preprocess(&tokens->arena, &tokens->diags, "t.c", text, length, options, &tokens->list);
}

static inline void tokens_finish(struct tokens *tokens)
{
    arena_finish(&tokens->arena);
}

static inline void tokens_add_string(struct str *out, const struct token *token)
{
    str_add(out, token->encoding == 'L' ? "L\"" : "\"");
    uint32_t step = lex_unit_size(token->encoding);
    for (uint32_t i = 0; i < token->length; i += step) {
        uint32_t c = (unsigned char)token->text[i];
        if (token->encoding == 'L') {
            memcpy(&c, token->text + i, 4);
        }
        str_printf(out, c >= ' ' && c < 0x7f && c != '"' && c != '\\' ? "%c" : "\\%o", c);
    }
    str_add_char(out, '"');
}

// The tokens with a blank between them.
static inline const char *tokens_text(struct tokens *tokens)
{
    struct str out;
    str_init(&out, &tokens->arena);
    for (int i = 0; i < tokens->list.count - 1; i++) {
        const struct token *token = &tokens->list.items[i];
        str_add(&out, i > 0 ? " " : "");
        if (token->kind == TOKEN_STRING) {
            tokens_add_string(&out, token);
        } else if (token->kind == TOKEN_PRAGMA) {
            str_printf(&out, "<%s %s>",
                       token->pragma == PRAGMA_PACK       ? "pack"
                       : token->pragma == PRAGMA_CONTRACT ? "contract"
                                                          : "rill",
                       token->text);
        } else {
            str_add(&out, token->text);
        }
    }
    return str_text(&out);
}

// The messages, one a line: "2:5: error: ...".
static inline const char *tokens_messages(struct tokens *tokens)
{
    static const char *const words[] = {"note", "warning", "error"};
    struct str out;
    str_init(&out, &tokens->arena);
    for (int i = 0; i < tokens->diags.count; i++) {
        const struct diag *diag = &tokens->diags.items[i];
        str_printf(&out, "%u:%u: %s: %s\n", diag->loc.line, diag->loc.column, words[diag->severity], diag->text);
    }
    return str_text(&out);
}

static inline bool tokens_check_expands(const char *text, const char *expected, const char *file, int line)
{
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    bool same = test_check_str(tokens_text(&tokens), expected, text, file, line);
    bool clean = test_check_str(tokens_messages(&tokens), "", text, file, line);
    tokens_finish(&tokens);
    return same && clean;
}

static inline bool tokens_check_says(const char *text, const char *part, const char *file, int line)
{
    struct tokens tokens;
    tokens_init(&tokens, text, strlen(text), NULL);
    bool says = test_check_contains(tokens_messages(&tokens), part, text, file, line);
    tokens_finish(&tokens);
    return says;
}

// The text gives these tokens and no message.
#define CHECK_EXPANDS(text, expected) tokens_check_expands((text), (expected), __FILE__, __LINE__)
// Among the messages about the text is this one.
#define CHECK_SAYS(text, part) tokens_check_says((text), (part), __FILE__, __LINE__)

#endif

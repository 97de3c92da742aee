// `#pragma rill …` and `#pragma pack(…)`. A rill pragma waits from the moment the cursor passes it; whoever parses a
// statement or an external declaration takes those that stand right before it, and any other has lost its object.
#include "lang/parse.h"

#include "base/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const pragma_words[] = {"parallel", "serial", "single", "in_order", "collapse", "block_dim"};

enum { MAX_COLLAPSE = 16, MAX_BLOCK_DIM = 1024 };

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text;
}

// "( 4 )" behind collapse and block_dim. 0 when it is not there or not in range.
static int read_count(struct parser *p, const struct token *token, const char *word, int limit, const char **text)
{
    const char *at = skip_space(*text);
    char *end = NULL;
    long value = *at == '(' ? strtol(at + 1, &end, 0) : 0;
    if (end == NULL || end == at + 1 || *skip_space(end) != ')') {
        parse_error(p, token->loc, "'#pragma rill %s' needs a number in parentheses: %s(2)", word, word);
        *text += strlen(*text);
        return 0;
    }
    *text = skip_space(end) + 1;
    if (value < 1 || value > limit) {
        parse_error(p, token->loc, "'#pragma rill %s' takes a number from 1 to %d, not %ld", word, limit, value);
        return 0;
    }
    return (int)value;
}

static void apply_word(struct parser *p, const struct token *token, const char *word, const char **text,
                       struct pragmas *out)
{
    if (strcmp(word, "parallel") == 0) {
        out->parallel = true;
    } else if (strcmp(word, "serial") == 0) {
        out->serial = true;
    } else if (strcmp(word, "single") == 0) {
        out->single = true;
    } else if (strcmp(word, "in_order") == 0) {
        out->in_order = true;
    } else if (strcmp(word, "collapse") == 0) {
        out->collapse = read_count(p, token, word, MAX_COLLAPSE, text);
    } else if (strcmp(word, "block_dim") == 0) {
        out->block_dim = read_count(p, token, word, MAX_BLOCK_DIM, text);
    } else {
        const char *best = diag_suggest(word, pragma_words, sizeof pragma_words / sizeof *pragma_words);
        if (best != NULL) {
            parse_error(p, token->loc, "unknown pragma 'rill %s'; did you mean '%s'?", word, best);
        } else {
            parse_error(p, token->loc, "unknown pragma 'rill %s'", word);
        }
        *text += strlen(*text);
    }
}

static void apply_words(struct parser *p, const struct token *token, struct pragmas *out)
{
    const char *text = skip_space(token->text);
    if (*text == '\0') {
        parse_error(p, token->loc,
                    "'#pragma rill' needs a word: parallel, serial, single, in_order, collapse(k) or "
                    "block_dim(n)");
    }
    while (*text != '\0') {
        const char *begin = text;
        while (isalnum((unsigned char)*text) || *text == '_') {
            text++;
        }
        if (text == begin) {
            parse_error(p, token->loc, "unexpected '%c' in '#pragma rill'", *text);
            return;
        }
        apply_word(p, token, arena_strndup(p->arena, begin, (size_t)(text - begin)), &text, out);
        text = skip_space(text);
        if (*text == ',') {
            text = skip_space(text + 1);
        }
    }
}

// One that is wrong in itself says nothing: where it stands is no longer of interest.
static void apply(struct parser *p, const struct token *token, struct pragmas *out)
{
    int errors = p->diags->error_count;
    struct pragmas changed = *out;
    apply_words(p, token, &changed);
    if (p->diags->error_count == errors) {
        changed.loc = out->loc.line == 0 ? token->loc : out->loc;
        *out = changed;
    }
}

struct pragmas parse_take_pragmas(struct parser *p)
{
    struct pragmas taken = {0};
    for (int i = 0; i < p->pragmas.count; i++) {
        const struct waiting_pragma *waiting = &p->pragmas.items[i];
        if (waiting->before == p->position && !parse_at(p, TOKEN_EOF)) {
            apply(p, waiting->token, &taken);
        } else {
            parse_error(p, waiting->token->loc, "'#pragma rill %s' has nothing after it that it could apply to",
                        waiting->token->text);
        }
    }
    p->pragmas.count = 0;
    return taken;
}

bool parse_has_pragmas(const struct pragmas *pragmas)
{
    return pragmas->loc.line != 0;
}

void parse_refuse_pragmas(struct parser *p, const struct pragmas *pragmas, const char *before)
{
    if (!parse_has_pragmas(pragmas)) {
        return;
    }
    if (pragmas->in_order) {
        parse_error(p, pragmas->loc, "'#pragma rill in_order' must stand before a stream_parallel block, not before %s",
                    before);
    } else {
        parse_error(p, pragmas->loc, "this '#pragma rill' must stand before a loop, not before %s", before);
    }
}

void parse_check_loop_pragmas(struct parser *p, const struct pragmas *pragmas, enum stmt_kind kind)
{
    if (!parse_has_pragmas(pragmas)) {
        return;
    }
    if (pragmas->in_order) {
        parse_error(p, pragmas->loc, "'#pragma rill in_order' is for stream_parallel blocks, not for loops");
    }
    if (pragmas->parallel + pragmas->serial + pragmas->single > 1) {
        parse_error(p, pragmas->loc, "'parallel', 'serial' and 'single' exclude each other");
    }
    bool wants_for = pragmas->parallel || pragmas->collapse > 0 || pragmas->block_dim > 0;
    if (wants_for && kind != STMT_FOR) {
        parse_error(p, pragmas->loc, "this '#pragma rill' needs a 'for' loop; a '%s' loop runs in order",
                    kind == STMT_DO ? "do" : "while");
    }
}

// ---- pack ----------------------------------------------------------------------------------------------------------

static bool is_pack_value(long value)
{
    return value == 0 || value == 1 || value == 2 || value == 4 || value == 8 || value == 16;
}

// The words between the parentheses, as gcc reads them: nothing, n, push, push n, pop; a name after push or pop is
// accepted and has no meaning here.
void parse_pragma_pack(struct parser *p, const struct token *token)
{
    bool sets = true;
    int value = 0;
    for (const char *text = skip_space(token->text); *text != '\0'; text = skip_space(text + (*text == ','))) {
        size_t length = strcspn(text, ", \t");
        if (length == 4 && strncmp(text, "push", 4) == 0) {
            VEC_PUSH(p->arena, &p->pack_stack, p->pack);
            sets = false;
        } else if (length == 3 && strncmp(text, "pop", 3) == 0) {
            if (p->pack_stack.count == 0) {
                parse_warning(p, token->loc, "'#pragma pack(pop)' without a push before it");
            } else {
                p->pack = p->pack_stack.items[--p->pack_stack.count];
            }
            sets = false;
        } else if (isdigit((unsigned char)*text)) {
            long number = strtol(text, NULL, 0);
            if (!is_pack_value(number)) {
                parse_error(p, token->loc, "'#pragma pack' takes 1, 2, 4, 8 or 16, not %ld", number);
                return;
            }
            value = (int)number;
            sets = true;
        } else if (!isalpha((unsigned char)*text) && *text != '_' && *text != ',') {
            parse_error(p, token->loc, "'#pragma pack' takes a number, push or pop");
            return;
        }
        text += length;
    }
    if (sets) {
        p->pack = value;
    }
}

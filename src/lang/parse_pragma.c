// `#pragma rill …` and `#pragma pack(…)`. A rill pragma waits from the moment the cursor passes it; whoever parses a
// statement or an external declaration takes those that stand right before it, and any other has lost its object.
#include "lang/parse.h"

#include "base/suggest.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const pragma_words[] = {"parallel", "serial",   "single",    "in_order",
                                           "unroll",   "collapse", "block_dim", "map"};

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

// The character, behind spaces; false: another one stands there.
static bool take(const char **text, char wanted)
{
    const char *at = skip_space(*text);
    if (*at != wanted) {
        return false;
    }
    *text = at + 1;
    return true;
}

// A side of a tile: a power of two.
static bool read_side(const char **text, int *out, int most)
{
    char *end = NULL;
    long value = strtol(*text, &end, 0);
    bool is_number = end != *text;
    *text = end;
    *out = (int)value;
    return is_number && value >= 1 && value <= most && (value & (value - 1)) == 0;
}

// What one thread does of a tile. Up to 8 by 8 iterations it does all of it; a larger one is that of a block, whose 8
// warps share its rows and whose 32 lanes its columns.
static bool read_tile(const char **text, struct pragmas *out)
{
    enum { THREAD = 8, WARPS = 8, LANES = 32 };
    int rows, columns;
    if (!take(text, '(') || !read_side(text, &rows, THREAD * WARPS) || !take(text, ',') ||
        !read_side(text, &columns, THREAD * LANES) || !take(text, ')')) {
        return false;
    }
    if (rows > THREAD || columns > THREAD) {
        rows = rows > WARPS ? rows / WARPS : 1;
        columns = columns > LANES ? columns / LANES : 1;
    }
    out->tile_rows = rows;
    out->tile_columns = columns;
    return true;
}

// "( outer )", "( tile(8, 4) )" and the like behind map.
static void read_map(struct parser *p, const struct token *token, const char **text, struct pragmas *out)
{
    static const char *const words[] = {"outer", "inner", "two_level", "tile", "serial"};
    const char *at = *text;
    bool is_open = take(&at, '(');
    at = skip_space(at);
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
        length++;
    }
    const char *word = arena_strndup(p->arena, at, length);
    at += length;
    bool is_tile = strcmp(word, "tile") == 0, is_right = is_open;
    if (is_tile && is_right && !read_tile(&at, out)) {
        parse_error(
            p, token->loc,
            "'map(tile(rows, columns))' takes powers of two, up to 64 rows and 256 columns: so many iterations of "
            "the two loops does a block of threads, or up to 8 by 8 one thread");
        *text += strlen(*text);
        return;
    }
    is_right = is_right && take(&at, ')');
    if (is_tile) {
        out->map = PRAGMA_MAP_TILE;
    } else if (strcmp(word, "outer") == 0) {
        out->map = PRAGMA_MAP_OUTER;
    } else if (strcmp(word, "two_level") == 0) {
        out->map = PRAGMA_MAP_TWO_LEVEL;
    } else if (strcmp(word, "inner") == 0) {
        out->serial = true;
    } else if (strcmp(word, "serial") == 0) {
        out->single = true;
    } else {
        const char *best = diag_suggest(word, words, sizeof words / sizeof *words);
        parse_error(p, token->loc,
                    "'#pragma rill map' takes outer, inner, two_level, tile(rows, columns) or serial%s%s%s",
                    best != NULL ? "; did you mean '" : "", best != NULL ? best : "", best != NULL ? "'?" : "");
        is_right = true;
    }
    if (!is_right) {
        parse_error(p, token->loc, "'#pragma rill map' needs one word in parentheses: map(outer)");
    }
    *text = is_right ? at : *text + strlen(*text);
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
    } else if (strcmp(word, "unroll") == 0) {
        out->unroll = true;
    } else if (strcmp(word, "collapse") == 0) {
        out->collapse = read_count(p, token, word, MAX_COLLAPSE, text);
    } else if (strcmp(word, "block_dim") == 0) {
        out->block_dim = read_count(p, token, word, MAX_BLOCK_DIM, text);
    } else if (strcmp(word, "map") == 0) {
        read_map(p, token, text, out);
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
                    "'#pragma rill' needs a word: parallel, serial, single, in_order, unroll, collapse(k), "
                    "block_dim(n) or map(…)");
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
        assert(waiting->token->kind == TOKEN_PRAGMA && waiting->before <= p->position);
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
    bool has_map = pragmas->map != PRAGMA_MAP_ANY;
    if (has_map && (pragmas->serial || pragmas->single || pragmas->collapse > 0)) {
        parse_error(p, pragmas->loc,
                    "'map' says which loops are shared out: 'serial', 'single' and 'collapse' do not go with it");
    }
    if (pragmas->unroll && (pragmas->parallel || pragmas->serial || pragmas->single || pragmas->collapse > 0 ||
                            pragmas->block_dim > 0 || has_map)) {
        parse_error(p, pragmas->loc, "'unroll' makes blocks of a loop's iterations: no other word goes with it");
    }
    bool wants_for = pragmas->unroll || pragmas->parallel || pragmas->collapse > 0 || pragmas->block_dim > 0 || has_map;
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

struct pack_words {
    bool pushes, pops;
    const char *name; // after push or pop; "": none
    int value;        // -1: none
};

// The words between the parentheses, as gcc reads them: nothing, n, push, pop; a name, or a number after push, may
// follow. What makes no sense is an error, and false.
static bool read_pack(struct parser *p, const struct token *token, struct pack_words *out)
{
    *out = (struct pack_words){.name = "", .value = -1};
    bool is_first = true;
    for (const char *text = skip_space(token->text); *text != '\0'; text = skip_space(text + (*text == ','))) {
        const char *word = arena_strndup(p->arena, text, strcspn(text, ", \t"));
        text = skip_space(text + strlen(word));
        if (is_first && (strcmp(word, "push") == 0 || strcmp(word, "pop") == 0)) {
            out->pushes = word[1] == 'u';
            out->pops = !out->pushes;
        } else if (isdigit((unsigned char)word[0]) && out->value < 0) {
            long number = strtol(word, NULL, 0);
            if (!is_pack_value(number)) {
                parse_error(p, token->loc, "'#pragma pack' takes 1, 2, 4, 8 or 16, not %ld", number);
                return false;
            }
            out->value = (int)number;
        } else if (!is_first && (isalpha((unsigned char)word[0]) || word[0] == '_') && out->name[0] == '\0') {
            out->name = word;
        } else {
            parse_error(p, token->loc, "'#pragma pack' takes a number, push or pop");
            return false;
        }
        is_first = false;
    }
    return true;
}

// With a name, back to the push of that name. Without one of that name, or with no name, the last push.
static void pop_pack(struct parser *p, const struct token *token, const char *name)
{
    if (p->pack_stack.count == 0) {
        parse_warning(p, token->loc, "'#pragma pack(%s)' without a push before it", token->text);
        return;
    }
    int at = p->pack_stack.count - 1;
    if (name[0] != '\0') {
        while (at >= 0 && strcmp(p->pack_stack.items[at].name, name) != 0) {
            at--;
        }
        if (at < 0) {
            parse_warning(p, token->loc, "'#pragma pack(%s)' without a push of that name: the last push counts",
                          token->text);
            at = p->pack_stack.count - 1;
        }
    }
    p->pack = p->pack_stack.items[at].pack;
    p->pack_stack.count = at;
}

void parse_pragma_pack(struct parser *p, const struct token *token)
{
    struct pack_words words;
    if (!read_pack(p, token, &words)) {
        return;
    }
    if (words.pops) {
        pop_pack(p, token, words.name);
    } else if (words.pushes) {
        VEC_PUSH(p->arena, &p->pack_stack, (struct pushed_pack){.name = words.name, .pack = p->pack});
    }
    if (words.value >= 0 || (!words.pops && !words.pushes)) {
        p->pack = words.value > 0 ? words.value : 0;
    }
}

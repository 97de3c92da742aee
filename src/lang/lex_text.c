// Phase 2 of C's translation: a backslash at the end of a line joins it to the next. It is done once for a file, so
// that the lexer meets no splice inside a token; a table of where the lines began keeps the places right.
#include "lang/lex.h"

#include "base/vec.h"

#include <string.h>

// The number of bytes that a splice at |p| takes, 0 if there is none. Blanks between the backslash and the end of the
// line are forgiven, as other compilers do.
static size_t splice_size(const char *p, const char *end)
{
    const char *q = p + 1;
    while (q < end && (*q == ' ' || *q == '\t' || *q == '\r' || *q == '\f' || *q == '\v')) {
        q++;
    }
    return q < end && *q == '\n' ? (size_t)(q + 1 - p) : 0;
}

static bool is_plain_splice(size_t size, const char *p)
{
    return size == 2 || (size == 3 && p[1] == '\r');
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t count = 1;
    for (size_t i = 0; i < length; i++) {
        count += text[i] == '\n';
    }
    return count;
}

static void mark_line(struct lex_text *out, size_t start)
{
    out->line_starts[out->line_count++] = (uint32_t)start;
}

struct lex_text *lex_load(struct arena *arena, struct diags *diags, uint32_t file, const char *text, size_t length)
{
    struct lex_text *out = ARENA_NEW(arena, struct lex_text);
    out->line_starts = ARENA_ARRAY(arena, uint32_t, count_lines(text, length));
    char *joined = arena_alloc(arena, length + LEX_PADDING);
    size_t size = 0;
    mark_line(out, 0);
    const char *p = text, *end = text + length;
    const char *line = p;
    while (p < end) {
        size_t splice = *p == '\\' ? splice_size(p, end) : 0;
        if (splice != 0) {
            if (!is_plain_splice(splice, p)) {
                diag_warning(diags, (struct loc){file, out->line_count, (uint32_t)(p - line + 1)},
                             "blanks stand between the backslash and the end of the line; the lines are joined all the "
                             "same");
            }
            p += splice;
            mark_line(out, size);
            line = p;
        } else {
            joined[size++] = *p++;
            if (p[-1] == '\n') {
                mark_line(out, size);
                line = p;
            }
        }
    }
    joined[size] = '\0';
    out->text = joined;
    out->length = (uint32_t)size;
    return out;
}

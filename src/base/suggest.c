#include "base/suggest.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { MAX_LENGTH = 64 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

// A letter in the wrong case is half a slip: it counts as one of two points, so that `Foo` is nearer to `foo` than
// `fob` is. All costs below are in these half points.
static unsigned replace_cost(char a, char b)
{
    if (a == b) {
        return 0;
    }
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

static unsigned half_points(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][MAX_LENGTH + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    assert(b_length <= MAX_LENGTH);
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = 2 * (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = 2 * (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = min3(last[j] + 2, row[j - 1] + 2, last[j - 1] + replace_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 2 < row[j]) {
                row[j] = before[j - 2] + 2;
            }
        }
        unsigned *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

unsigned suggest_distance(const char *a, const char *b, unsigned limit)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > MAX_LENGTH || b_length > MAX_LENGTH) {
        return limit + 1;
    }
    unsigned distance = (half_points(a, a_length, b, b_length) + 1) / 2;
    return distance > limit ? limit + 1 : distance;
}

void suggest_init(struct suggest *suggest, const char *name)
{
    *suggest = (struct suggest){.name = name, .length = strlen(name)};
}

// A third of the letters may be wrong; of a name of two letters one, of a name of one letter none.
static unsigned limit_for(size_t length)
{
    return length < 2 ? 0 : (unsigned)(2 * (length + 2) / 3);
}

void suggest_offer(struct suggest *suggest, const char *candidate)
{
    size_t length = strlen(candidate);
    if (suggest->length > MAX_LENGTH || length > MAX_LENGTH) {
        return;
    }
    unsigned distance = half_points(suggest->name, suggest->length, candidate, length);
    unsigned limit = limit_for(length < suggest->length ? length : suggest->length);
    if (distance <= limit && (suggest->best == NULL || distance < suggest->distance)) {
        suggest->best = candidate;
        suggest->distance = distance;
    }
}

const char *suggest_best(const struct suggest *suggest)
{
    return suggest->best;
}

const char *diag_suggest(const char *name, const char *const *candidates, size_t count)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (size_t i = 0; i < count; i++) {
        suggest_offer(&suggest, candidates[i]);
    }
    return suggest_best(&suggest);
}

// "did you mean …": the nearest of a few names, by the letters that would have to change.
#include "cli/cli.h"

#include <string.h>

enum { MAX_LENGTH = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Insertions, deletions and replacements that turn one into the other.
static size_t distance(const char *a, const char *b)
{
    size_t row[MAX_LENGTH + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t above = row[j];
            size_t replaced = corner + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above, row[j - 1]) + 1);
            corner = above;
        }
    }
    return row[length];
}

const char *cli_suggest(const char *name, const char *(*name_at)(const void *user, size_t index), const void *user,
                        size_t count)
{
    const char *best = NULL;
    size_t length = strlen(name);
    size_t nearest = length / 3 + 1; // at most so many letters are wrong
    for (size_t i = 0; i < count && length <= MAX_LENGTH; i++) {
        const char *candidate = name_at(user, i);
        size_t apart = strlen(candidate) <= MAX_LENGTH ? distance(name, candidate) : MAX_LENGTH;
        if (apart < length && apart <= nearest && (best == NULL || apart < nearest)) {
            best = candidate;
            nearest = apart;
        }
    }
    return best;
}

// "did you mean …": the nearest of a set of names.
#ifndef RILL_BASE_SUGGEST_H
#define RILL_BASE_SUGGEST_H

#include <stddef.h>

// Candidates are offered one at a time, so that the caller needs no list:
//     struct suggest s;
//     suggest_init(&s, "lenght");
//     suggest_offer(&s, "length");
//     const char *best = suggest_best(&s); // NULL if nothing is near enough
struct suggest {
    const char *name;  // borrowed
    size_t length;     // of name
    const char *best;  // borrowed; NULL while nothing was near enough
    unsigned distance; // of best
};

void suggest_init(struct suggest *suggest, const char *name);
void suggest_offer(struct suggest *suggest, const char *candidate);
const char *suggest_best(const struct suggest *suggest);

// The number of insertions, deletions, replacements and swaps of neighbours that turn one name into the other; any
// number above |limit| is reported as limit + 1. Names of more than 64 bytes are as far apart as can be.
unsigned suggest_distance(const char *a, const char *b, unsigned limit);

// The nearest of a list, or NULL.
const char *diag_suggest(const char *name, const char *const *candidates, size_t count);

#endif

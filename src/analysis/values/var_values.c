// A table of chunks. A chunk belongs to the table that made it until the place is copied; from then on nobody writes
// it, and who sets a variable there makes a chunk of its own.
#include "analysis/values/var_values.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_VARS = 32 };

struct var_chunk {
    struct var_chunk **owner; // the table that may write it; NULL: none
    const struct sym *items[CHUNK_VARS];
};

static int chunk_count(int count)
{
    return (count + CHUNK_VARS - 1) / CHUNK_VARS;
}

struct var_values var_values_create(struct arena *arena, int count)
{
    return (struct var_values){ARENA_ARRAY(arena, struct var_chunk *, chunk_count(count) + 1), count};
}

struct var_values var_values_copy(struct arena *arena, const struct var_values *from)
{
    struct var_values copy = var_values_create(arena, from->count);
    for (int i = 0; i < chunk_count(from->count); i++) {
        copy.chunks[i] = from->chunks[i];
        if (copy.chunks[i] != NULL) {
            copy.chunks[i]->owner = NULL;
        }
    }
    return copy;
}

static const struct sym *item_of(const struct var_chunk *chunk, int var)
{
    return chunk != NULL ? chunk->items[var % CHUNK_VARS] : NULL;
}

const struct sym *var_values_get(const struct var_values *values, int var)
{
    assert(var >= 0);
    return var < values->count ? item_of(values->chunks[var / CHUNK_VARS], var) : NULL;
}

void var_values_set(struct arena *arena, struct var_values *values, int var, const struct sym *value)
{
    assert(var >= 0 && var < values->count);
    struct var_chunk **chunk = &values->chunks[var / CHUNK_VARS];
    if (*chunk == NULL || (*chunk)->owner != values->chunks) {
        struct var_chunk *own = ARENA_NEW(arena, struct var_chunk);
        if (*chunk != NULL) {
            *own = **chunk;
        }
        own->owner = values->chunks;
        *chunk = own;
    }
    (*chunk)->items[var % CHUNK_VARS] = value;
}

int var_values_next_difference(const struct var_values *a, const struct var_values *b, int var)
{
    assert(a->count == b->count && var >= 0);
    while (var < a->count) {
        const struct var_chunk *one = a->chunks[var / CHUNK_VARS], *other = b->chunks[var / CHUNK_VARS];
        if (one == other) { // shared, or both never set
            var = (var / CHUNK_VARS + 1) * CHUNK_VARS;
        } else if (item_of(one, var) != item_of(other, var)) {
            return var;
        } else {
            var++;
        }
    }
    return a->count;
}

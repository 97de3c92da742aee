// From addresses to addresses. Maps are small and short-lived; nothing is ever removed.
#ifndef RILL_BASE_POINTER_MAP_H
#define RILL_BASE_POINTER_MAP_H

#include "base/arena.h"

struct pointer_map { // all zero: empty
    struct pointer_map_slot {
        const void *key;
        void *value;
    } *slots;
    int capacity; // a power of two
    int count;
};

void *pointer_map_get(const struct pointer_map *map, const void *key); // NULL if absent
void pointer_map_set(struct arena *arena, struct pointer_map *map, const void *key, void *value);
struct pointer_map pointer_map_copy(struct arena *arena, const struct pointer_map *map);

#endif

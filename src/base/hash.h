// Hashing, and a map from strings to pointers that lives in an arena.
#ifndef RILL_BASE_HASH_H
#define RILL_BASE_HASH_H

#include "base/arena.h"

// 64-bit FNV-1a. Start with HASH_SEED, chain by passing the last result.
#define HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);

struct hash_entry {
    const char *key; // borrowed; must outlive the map
    uint32_t key_length;
    uint64_t hash;
    void *value;
};

struct hash_map {
    struct arena *arena; // borrowed
    struct hash_entry *entries;
    int capacity; // a power of two
    int count;
};

void hash_map_init(struct hash_map *map, struct arena *arena);
void *hash_map_get(const struct hash_map *map, const char *key, size_t length); // NULL if absent
void hash_map_set(struct hash_map *map, const char *key, size_t length, void *value);

#endif

#include "base/hash.h"

#include <assert.h>
#include <string.h>

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++) {
        seed = (seed ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return seed;
}

void hash_map_init(struct hash_map *map, struct arena *arena)
{
    *map = (struct hash_map){.arena = arena};
}

// The entry of the key, or the free one where it belongs. The map is never full.
static struct hash_entry *find(const struct hash_map *map, const char *key, size_t length, uint64_t hash)
{
    size_t mask = (size_t)map->capacity - 1;
    assert(map->capacity > map->count && ((size_t)map->capacity & mask) == 0); // a power of two, with a free entry
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct hash_entry *entry = &map->entries[i];
        if (entry->key == NULL) {
            return entry;
        }
        if (entry->hash == hash && entry->key_length == length && memcmp(entry->key, key, length) == 0) {
            return entry;
        }
    }
}

void *hash_map_get(const struct hash_map *map, const char *key, size_t length)
{
    if (map->capacity == 0) {
        return NULL;
    }
    return find(map, key, length, hash_bytes(HASH_SEED, key, length))->value;
}

static void grow(struct hash_map *map)
{
    struct hash_map larger = *map;
    larger.capacity = map->capacity == 0 ? 32 : 2 * map->capacity;
    larger.entries = ARENA_ARRAY(map->arena, struct hash_entry, larger.capacity);
    for (int i = 0; i < map->capacity; i++) {
        const struct hash_entry *entry = &map->entries[i];
        if (entry->key != NULL) {
            *find(&larger, entry->key, entry->key_length, entry->hash) = *entry;
        }
    }
    *map = larger;
}

void hash_map_set(struct hash_map *map, const char *key, size_t length, void *value)
{
    assert(key != NULL); // marks a free entry
    if (4 * (map->count + 1) > 3 * map->capacity) {
        grow(map);
    }
    uint64_t hash = hash_bytes(HASH_SEED, key, length);
    struct hash_entry *entry = find(map, key, length, hash);
    if (entry->key == NULL) {
        map->count++;
    }
    *entry = (struct hash_entry){.key = key, .key_length = (uint32_t)length, .hash = hash, .value = value};
}

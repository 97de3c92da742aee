// Open addressing by the address itself.
#include "base/pointer_map.h"

static size_t slot_of(const struct pointer_map *map, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    size_t mask = (size_t)map->capacity - 1;
    size_t i = (size_t)(hash >> 32) & mask;
    while (map->slots[i].key != NULL && map->slots[i].key != key) {
        i = (i + 1) & mask;
    }
    return i;
}

void *pointer_map_get(const struct pointer_map *map, const void *key)
{
    return map->capacity == 0 ? NULL : map->slots[slot_of(map, key)].value;
}

static void grow(struct arena *arena, struct pointer_map *map)
{
    struct pointer_map larger = {.capacity = map->capacity == 0 ? 16 : 2 * map->capacity, .count = map->count};
    larger.slots = ARENA_ARRAY(arena, struct pointer_map_slot, larger.capacity);
    for (int i = 0; i < map->capacity; i++) {
        if (map->slots[i].key != NULL) {
            larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
        }
    }
    *map = larger;
}

void pointer_map_set(struct arena *arena, struct pointer_map *map, const void *key, void *value)
{
    if (2 * (map->count + 1) > map->capacity) {
        grow(arena, map);
    }
    struct pointer_map_slot *slot = &map->slots[slot_of(map, key)];
    if (slot->key == NULL) {
        slot->key = key;
        map->count++;
    }
    slot->value = value;
}

struct pointer_map pointer_map_copy(struct arena *arena, const struct pointer_map *map)
{
    struct pointer_map copy = *map;
    copy.slots = ARENA_ARRAY(arena, struct pointer_map_slot, map->capacity);
    for (int i = 0; i < map->capacity; i++) {
        copy.slots[i] = map->slots[i];
    }
    return copy;
}

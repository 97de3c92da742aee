// Growing arrays in an arena. A vector is any struct with `items`, `count` and `capacity`:
//     struct { int *items; int count; int capacity; } numbers = {0};
//     VEC_PUSH(arena, &numbers, 7);
// Nothing is freed: a grown vector leaves its old storage to the arena.
#ifndef RILL_BASE_VEC_H
#define RILL_BASE_VEC_H

#include "base/arena.h"

#include <string.h>

#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        int count;                                                                                                     \
        int capacity;                                                                                                  \
    }

#define VEC_RESERVE(arena, vec, wanted)                                                                                \
    do {                                                                                                               \
        if ((vec)->capacity < (wanted)) {                                                                              \
            (vec)->capacity = (wanted) > 2 * (vec)->capacity ? (wanted) : 2 * (vec)->capacity;                         \
            if ((vec)->capacity < 8) {                                                                                 \
                (vec)->capacity = 8;                                                                                   \
            }                                                                                                          \
            void *vec_new_ = arena_alloc((arena), sizeof *(vec)->items * (size_t)(vec)->capacity);                     \
            if ((vec)->count > 0) {                                                                                    \
                memcpy(vec_new_, (vec)->items, (size_t)(vec)->count * sizeof *(vec)->items);                           \
            }                                                                                                          \
            (vec)->items = vec_new_;                                                                                   \
        }                                                                                                              \
    } while (0)

#define VEC_PUSH(arena, vec, ...)                                                                                      \
    do {                                                                                                               \
        VEC_RESERVE((arena), (vec), (vec)->count + 1);                                                                 \
        (vec)->items[(vec)->count++] = (__VA_ARGS__);                                                                  \
    } while (0)

#define VEC_LAST(vec) ((vec)->items[(vec)->count - 1])

#endif

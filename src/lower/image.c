// The bytes that an object begins with, while its initialiser is evaluated. A large object is kept in pages that exist
// only where something was stored, so that `int x[] = {[200000000] = 1}` costs one page and not 800 MB.
#include "lower/image.h"

#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_SIZE = 4096 };

void lower_image_init(struct lower_image *image, struct arena *arena, uint64_t size)
{
    *image = (struct lower_image){.arena = arena, .size = size};
    if (size <= IR_DENSE_SIZE) {
        image->dense = arena_alloc(arena, size > 0 ? size : 1);
    }
}

static uint8_t *page_at(struct lower_image *image, uint64_t index)
{
    const void *key = (const void *)(uintptr_t)(index + 1);
    if (image->last == NULL || image->last_index != index) {
        image->last = pointer_map_get(&image->pages, key);
        image->last_index = index;
    }
    if (image->last == NULL) {
        image->last = arena_alloc(image->arena, PAGE_SIZE);
        pointer_map_set(image->arena, &image->pages, key, image->last);
        VEC_PUSH(image->arena, &image->indices, index);
    }
    return image->last;
}

uint8_t *lower_image_at(struct lower_image *image, uint64_t offset)
{
    assert(offset < image->size);
    if (image->dense != NULL) {
        return image->dense + offset;
    }
    return page_at(image, offset / PAGE_SIZE) + offset % PAGE_SIZE;
}

void lower_image_put(struct lower_image *image, uint64_t offset, const void *bytes, uint64_t size)
{
    assert(offset <= image->size && size <= image->size - offset);
    const uint8_t *from = bytes;
    while (size > 0) {
        uint64_t room = image->dense != NULL ? size : PAGE_SIZE - offset % PAGE_SIZE;
        uint64_t part = size < room ? size : room;
        memcpy(lower_image_at(image, offset), from, part);
        offset += part;
        from += part;
        size -= part;
    }
}

static int compare_indices(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void make_dense(struct lower_image *image)
{
    uint8_t *bytes = arena_alloc(image->arena, image->size);
    for (int i = 0; i < image->indices.count; i++) {
        uint64_t offset = image->indices.items[i] * PAGE_SIZE;
        uint64_t size = image->size - offset < PAGE_SIZE ? image->size - offset : PAGE_SIZE;
        memcpy(bytes + offset, page_at(image, image->indices.items[i]), size);
    }
    image->dense = bytes;
}

// One piece for each page that holds more than zeros, without the zeros at its ends.
static void make_pieces(struct lower_image *image, struct ir_global *global)
{
    VEC(struct ir_piece) pieces = {0};
    for (int i = 0; i < image->indices.count; i++) {
        const uint8_t *page = page_at(image, image->indices.items[i]);
        int begin = 0;
        int end = PAGE_SIZE;
        while (begin < end && page[begin] == 0) {
            begin++;
        }
        while (end > begin && page[end - 1] == 0) {
            end--;
        }
        if (begin < end) {
            struct ir_piece piece = {.offset = image->indices.items[i] * PAGE_SIZE + (uint64_t)begin,
                                     .size = (uint64_t)(end - begin),
                                     .bytes = page + begin};
            VEC_PUSH(image->arena, &pieces, piece);
        }
    }
    global->pieces = pieces.items;
    global->piece_count = pieces.count;
}

void lower_image_finish(struct lower_image *image, struct ir_global *global)
{
    if (image->dense == NULL) {
        uint64_t stored = (uint64_t)image->indices.count * PAGE_SIZE;
        if (image->indices.count > 1) {
            qsort(image->indices.items, (size_t)image->indices.count, sizeof(uint64_t), compare_indices);
        }
        if (global->reloc_count == 0 && stored < image->size / 2) {
            make_pieces(image, global);
            return;
        }
        make_dense(image);
    }
    global->bytes = image->dense;
}

#ifndef RILL_LOWER_IMAGE_H
#define RILL_LOWER_IMAGE_H

#include "base/pointer_map.h"
#include "ir/ir.h"

struct lower_image {
    struct arena *arena; // borrowed
    uint64_t size;
    uint8_t *dense;           // all of it; NULL: in pages
    struct pointer_map pages; // a page's number plus one → its bytes
    struct {
        uint64_t *items;
        int count;
        int capacity;
    } indices; // of the pages
    uint8_t *last;
    uint64_t last_index;
};

void lower_image_init(struct lower_image *image, struct arena *arena, uint64_t size);
uint8_t *lower_image_at(struct lower_image *image, uint64_t offset); // one byte, to be read and written
void lower_image_put(struct lower_image *image, uint64_t offset, const void *bytes, uint64_t size);
// Gives the global, whose relocations are known, its bytes or pieces.
void lower_image_finish(struct lower_image *image, struct ir_global *global);

#endif

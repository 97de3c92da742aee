// BLAKE2b, the hash of RFC 7693: nobody finds two texts with the same digest, so that a digest stands for its text.
#ifndef RILL_BASE_BLAKE2_H
#define RILL_BASE_BLAKE2_H

#include <stddef.h>
#include <stdint.h>

enum { BLAKE2_BLOCK = 128, BLAKE2_MAX_SIZE = 64 };

struct blake2 {
    uint64_t h[8];
    uint64_t count; // bytes compressed so far
    size_t digest_size;
    size_t used; // of |block|
    unsigned char block[BLAKE2_BLOCK];
};

void blake2_init(struct blake2 *state, size_t digest_size); // 1 to BLAKE2_MAX_SIZE bytes
void blake2_add(struct blake2 *state, const void *bytes, size_t size);
void blake2_finish(struct blake2 *state, void *out_digest);

#endif

#include "base/blake2.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const uint64_t start[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

enum { ROUNDS = 12, ORDERS = 10 };

static const unsigned char orders[ORDERS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotate(uint64_t value, int by)
{
    return value >> by | value << (64 - by);
}

static inline uint64_t load(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static inline void mix(uint64_t v[16], const int at[4], uint64_t x, uint64_t y)
{
    uint64_t a = v[at[0]], b = v[at[1]], c = v[at[2]], d = v[at[3]];
    a += b + x;
    d = rotate(d ^ a, 32);
    c += d;
    b = rotate(b ^ c, 24);
    a += b + y;
    d = rotate(d ^ a, 16);
    c += d;
    b = rotate(b ^ c, 63);
    v[at[0]] = a, v[at[1]] = b, v[at[2]] = c, v[at[3]] = d;
}

// |state->count| has this block's bytes already.
static void compress(struct blake2 *state, const unsigned char *block, bool is_last)
{
    static const int places[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                     {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};
    uint64_t m[16], v[16];
    for (int i = 0; i < 16; i++) {
        m[i] = load(block + (size_t)i * sizeof m[i]);
        v[i] = i < 8 ? state->h[i] : start[i - 8];
    }
    v[12] ^= state->count; // a text of 2^64 bytes does not exist
    v[14] ^= is_last ? UINT64_MAX : 0;
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned char *order = orders[round % ORDERS];
        for (int i = 0; i < 8; i++) {
            mix(v, places[i], m[order[2 * i]], m[order[2 * i + 1]]);
        }
    }
    for (int i = 0; i < 8; i++) {
        state->h[i] ^= v[i] ^ v[i + 8];
    }
}

void blake2_init(struct blake2 *state, size_t digest_size)
{
    assert(digest_size >= 1 && digest_size <= BLAKE2_MAX_SIZE);
    *state = (struct blake2){.digest_size = digest_size};
    memcpy(state->h, start, sizeof state->h);
    state->h[0] ^= UINT64_C(0x01010000) ^ digest_size;
}

// A full block is compressed when more comes: the last one is compressed differently.
void blake2_add(struct blake2 *state, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        if (state->used == BLAKE2_BLOCK) {
            state->count += BLAKE2_BLOCK;
            compress(state, state->block, false);
            state->used = 0;
        }
        size_t room = BLAKE2_BLOCK - state->used;
        size_t part = size < room ? size : room;
        memcpy(state->block + state->used, at, part);
        state->used += part;
        at += part;
        size -= part;
    }
}

void blake2_finish(struct blake2 *state, void *out_digest)
{
    memset(state->block + state->used, 0, BLAKE2_BLOCK - state->used);
    state->count += state->used;
    compress(state, state->block, true);
    unsigned char digest[BLAKE2_MAX_SIZE];
    for (size_t i = 0; i < sizeof digest; i++) {
        digest[i] = (unsigned char)(state->h[i / 8] >> 8 * (i % 8));
    }
    memcpy(out_digest, digest, state->digest_size);
}

// Pictures of the examples: PNG files of 8 bits a channel, not compressed.
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t picture_crc(uint32_t crc, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return crc;
}

static inline uint8_t *picture_put(uint8_t *at, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        *at++ = (uint8_t)(number >> shift);
    }
    return at;
}

static inline bool picture_chunk(FILE *file, const char *kind, const uint8_t *data, size_t size)
{
    uint8_t head[8];
    uint8_t tail[4];
    memcpy(picture_put(head, (uint32_t)size), kind, 4);
    picture_put(tail, ~picture_crc(picture_crc(~0u, head + 4, 4), data, size));
    return fwrite(head, sizeof head, 1, file) == 1 && (size == 0 || fwrite(data, size, 1, file) == 1) &&
           fwrite(tail, sizeof tail, 1, file) == 1;
}

// A zlib stream of stored blocks, one for each row.
static inline size_t picture_pack(uint8_t *out, int width, int height, const uint8_t *pixels)
{
    uint8_t *at = out;
    uint32_t low = 1;
    uint32_t high = 0;
    size_t row = (size_t)width * 3 + 1;
    *at++ = 0x78;
    *at++ = 1;
    for (int y = 0; y < height; y++) {
        *at++ = y == height - 1;
        *at++ = (uint8_t)row;
        *at++ = (uint8_t)(row >> 8);
        *at++ = (uint8_t)~row;
        *at++ = (uint8_t)(~row >> 8);
        *at = 0; // no filter
        memcpy(at + 1, pixels + (size_t)y * (row - 1), row - 1);
        for (size_t i = 0; i < row; i++, at++) {
            low = (low + *at) % 65521;
            high = (high + low) % 65521;
        }
    }
    at = picture_put(at, high << 16 | low);
    return (size_t)(at - out);
}

// Writes red, green and blue of each pixel, row by row from the top. At most 21,844 pixels a row. Says what went wrong.
static inline bool picture_write(const char *path, int width, int height, const uint8_t *pixels)
{
    uint8_t header[13] = {0};
    memcpy(picture_put(picture_put(header, (uint32_t)width), (uint32_t)height), (uint8_t[]){8, 2, 0, 0, 0}, 5);
    uint8_t *packed = malloc(((size_t)width * 3 + 6) * (size_t)height + 6);
    FILE *file = packed != NULL ? fopen(path, "wb") : NULL;
    bool is_written = file != NULL && fwrite("\x89PNG\r\n\x1a\n", 8, 1, file) == 1 &&
                      picture_chunk(file, "IHDR", header, sizeof header) &&
                      picture_chunk(file, "IDAT", packed, picture_pack(packed, width, height, pixels)) &&
                      picture_chunk(file, "IEND", NULL, 0);
    is_written = file != NULL && fclose(file) == 0 && is_written;
    free(packed);
    if (!is_written) {
        fprintf(stderr, "%s: cannot be written\n", path);
    }
    return is_written;
}

#endif

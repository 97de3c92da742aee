// What `rill run` does with the bytes of arrays: first contents, checksums, numbers as text.
#ifndef RILL_CLI_FILL_H
#define RILL_CLI_FILL_H

#include "rill/rill.h"

#include <stdbool.h>
#include <stdio.h>

// Scalar number k of the array, members of structs counted in order, starts as k % 251 + 1 in its type. Of a union the
// first member counts; padding is zero.
void fill_array(const rill_type_info *type, unsigned char *bytes, size_t size);

uint64_t fill_checksum(const void *bytes, size_t size); // 64-bit FNV-1a

// A scalar inside a record.
struct fill_place {
    const rill_type_info *type;
    size_t offset;
    int bit_offset; // -1: not a bit-field
    int bit_width;
};
// Follows ".position.x" or ".table[3]" from |type|; false if that is no scalar of it.
bool fill_find_place(const rill_type_info *type, const char *path, struct fill_place *out);
// Stores a number that fits the place's type; false if it does not fit the bit-field.
bool fill_store(unsigned char *record, const struct fill_place *place, const rill_arg *number);

void fill_print_value(FILE *out, const rill_type_info *type, const void *bytes, bool is_json);

#endif

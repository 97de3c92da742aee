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

const rill_member_info *fill_find_member(const rill_type_info *type, const char *name);
void fill_store_member(unsigned char *record, const rill_member_info *member, const rill_arg *number);

void fill_print_value(FILE *out, const rill_type_info *type, const void *bytes, bool is_json);

#endif

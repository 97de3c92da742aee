#include "cli/fill.h"

#include <math.h>
#include <string.h>

static void store_int(unsigned char *to, const rill_type_info *type, int64_t value)
{
    float f32 = (float)value;
    double f64 = (double)value;
    switch (type->type) {
    case RILL_F32: memcpy(to, &f32, sizeof f32); break;
    case RILL_F64: memcpy(to, &f64, sizeof f64); break;
    case RILL_BOOL: to[0] = value != 0; break;
    default: memcpy(to, &value, type->size); break; // little-endian: the low bytes
    }
}

static void store_bits(unsigned char *record, const rill_member_info *member, int64_t value)
{
    uint64_t unit = 0;
    size_t size = member->type->size;
    memcpy(&unit, record + member->offset, size);
    uint64_t mask = member->bit_width == 64 ? UINT64_MAX : ((uint64_t)1 << member->bit_width) - 1;
    unit &= ~(mask << member->bit_offset);
    unit |= ((uint64_t)value & mask) << member->bit_offset;
    memcpy(record + member->offset, &unit, size);
}

static void fill_value(const rill_type_info *type, unsigned char *to, uint64_t *count);

static void fill_record(const rill_type_info *type, unsigned char *to, uint64_t *count)
{
    size_t members = type->is_union && type->member_count > 1 ? 1 : type->member_count;
    for (size_t i = 0; i < members; i++) {
        const rill_member_info *member = &type->members[i];
        if (member->bit_offset >= 0) {
            store_bits(to, member, (int64_t)((*count)++ % 251 + 1));
        } else {
            fill_value(member->type, to + member->offset, count);
        }
    }
}

static void fill_value(const rill_type_info *type, unsigned char *to, uint64_t *count)
{
    switch (type->kind) {
    case RILL_KIND_SCALAR: store_int(to, type, (int64_t)((*count)++ % 251 + 1)); break;
    case RILL_KIND_RECORD: fill_record(type, to, count); break;
    case RILL_KIND_ARRAY:
        for (int64_t i = 0; i < type->length; i++) {
            fill_value(type->element, to + (size_t)i * type->element->size, count);
        }
        break;
    default: break;
    }
}

void fill_array(const rill_type_info *type, unsigned char *bytes, size_t size)
{
    uint64_t count = 0;
    for (size_t at = 0; at + type->size <= size && type->size > 0; at += type->size) {
        fill_value(type, bytes + at, &count);
    }
}

uint64_t fill_checksum(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

const rill_member_info *fill_find_member(const rill_type_info *type, const char *name)
{
    for (size_t i = 0; i < type->member_count; i++) {
        if (strcmp(type->members[i].name, name) == 0) {
            return &type->members[i];
        }
    }
    return NULL;
}

void fill_store_member(unsigned char *record, const rill_member_info *member, const rill_arg *number)
{
    double f = number->kind == RILL_ARG_FLOAT ? number->value.f : (double)number->value.i;
    float f32 = (float)f;
    int64_t i = number->kind == RILL_ARG_FLOAT ? (int64_t)number->value.f : number->value.i;
    if (member->bit_offset >= 0) {
        store_bits(record, member, i);
    } else if (member->type->type == RILL_F32) {
        memcpy(record + member->offset, &f32, sizeof f32);
    } else if (member->type->type == RILL_F64) {
        memcpy(record + member->offset, &f, sizeof f);
    } else {
        store_int(record + member->offset, member->type, i);
    }
}

static void print_float(FILE *out, double value, int digits, bool is_json)
{
    if (is_json && !isfinite(value)) {
        fprintf(out, "\"%s\"", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"); // JSON has no such numbers
    } else {
        fprintf(out, "%.*g", digits, value);
    }
}

void fill_print_value(FILE *out, const rill_type_info *type, const void *bytes, bool is_json)
{
    float f32;
    double f64;
    uint64_t u = 0;
    int shift = (int)(64 - 8 * type->size);
    memcpy(&u, bytes, type->size <= 8 ? type->size : 8);
    switch (type->type) {
    case RILL_F32:
        memcpy(&f32, bytes, sizeof f32);
        print_float(out, (double)f32, 9, is_json);
        break;
    case RILL_F64:
        memcpy(&f64, bytes, sizeof f64);
        print_float(out, f64, 17, is_json);
        break;
    case RILL_I8:
    case RILL_I16:
    case RILL_I32:
    case RILL_I64: fprintf(out, "%lld", (long long)((int64_t)(u << shift) >> shift)); break;
    default: fprintf(out, "%llu", (unsigned long long)u); break;
    }
}

#include "cli/fill.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void store_half(unsigned char *to, const rill_type_info *type, double value)
{
    uint16_t half = type->type == RILL_BF16 ? rill_bf16_from_double(value) : rill_f16_from_double(value);
    memcpy(to, &half, sizeof half);
}

static void store_int(unsigned char *to, const rill_type_info *type, int64_t value)
{
    assert(type->kind == RILL_KIND_SCALAR && type->size <= 8);
    float f32 = (float)value;
    double f64 = (double)value;
    switch (type->type) {
    case RILL_F32: memcpy(to, &f32, sizeof f32); break;
    case RILL_F64: memcpy(to, &f64, sizeof f64); break;
    case RILL_F16:
    case RILL_BF16: store_half(to, type, f64); break;
    case RILL_BOOL: to[0] = value != 0; break;
    default: memcpy(to, &value, type->size); break; // little-endian: the low bytes
    }
}

static void store_bits(unsigned char *to, const rill_type_info *type, int bit_offset, int bit_width, int64_t value)
{
    assert(type->size <= 8 && bit_offset >= 0 && bit_width > 0 && (size_t)(bit_offset + bit_width) <= 8 * type->size);
    uint64_t unit = 0;
    memcpy(&unit, to, type->size);
    uint64_t mask = bit_width == 64 ? UINT64_MAX : ((uint64_t)1 << bit_width) - 1;
    unit &= ~(mask << bit_offset);
    unit |= ((uint64_t)value & mask) << bit_offset;
    memcpy(to, &unit, type->size);
}

static void fill_value(const rill_type_info *type, unsigned char *to, uint64_t *count);

static void fill_record(const rill_type_info *type, unsigned char *to, uint64_t *count)
{
    size_t members = type->is_union && type->member_count > 1 ? 1 : type->member_count;
    for (size_t i = 0; i < members; i++) {
        const rill_member_info *member = &type->members[i];
        if (member->bit_offset >= 0) {
            store_bits(to + member->offset, member->type, member->bit_offset, member->bit_width,
                       (int64_t)((*count)++ % 251 + 1));
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

// The member |name| of |length| bytes; those of anonymous members are the record's own.
static const rill_member_info *find_member(const rill_type_info *type, const char *name, size_t length, size_t *offset)
{
    for (size_t i = 0; i < type->member_count; i++) {
        const rill_member_info *member = &type->members[i];
        if (strlen(member->name) == length && length > 0 && memcmp(member->name, name, length) == 0) {
            *offset += member->offset;
            return member;
        }
        if (member->name[0] == '\0' && member->type->kind == RILL_KIND_RECORD) {
            size_t inner = *offset + member->offset;
            const rill_member_info *found = find_member(member->type, name, length, &inner);
            if (found != NULL) {
                *offset = inner;
                return found;
            }
        }
    }
    return NULL;
}

bool fill_find_place(const rill_type_info *type, const char *path, struct fill_place *out)
{
    *out = (struct fill_place){.type = type, .bit_offset = -1};
    while (*path != '\0') {
        if (path[0] == '.' && out->type->kind == RILL_KIND_RECORD) {
            size_t length = strcspn(path + 1, ".[");
            const rill_member_info *member = find_member(out->type, path + 1, length, &out->offset);
            if (member == NULL) {
                return false;
            }
            out->type = member->type;
            out->bit_offset = member->bit_offset;
            out->bit_width = member->bit_width;
            path += 1 + length;
        } else if (path[0] == '[' && out->type->kind == RILL_KIND_ARRAY) {
            char *end;
            unsigned long long index = strtoull(path + 1, &end, 0);
            if (end == path + 1 || *end != ']' || index >= (unsigned long long)out->type->length) {
                return false;
            }
            out->type = out->type->element;
            out->offset += index * out->type->size;
            path = end + 1;
        } else {
            return false;
        }
    }
    return out->type->kind == RILL_KIND_SCALAR;
}

bool fill_store(unsigned char *record, const struct fill_place *place, const rill_arg *number)
{
    assert(place->type->kind == RILL_KIND_SCALAR);
    unsigned char *to = record + place->offset;
    float f32 = (float)number->value.f;
    if (place->bit_offset >= 0) {
        store_bits(to, place->type, place->bit_offset, place->bit_width, number->value.i);
        int unused = 64 - place->bit_width;
        bool is_unsigned = place->type->type == RILL_BOOL || place->type->type % 2 != 0;
        uint64_t top = (uint64_t)number->value.i << unused;
        int64_t same = is_unsigned ? (int64_t)(top >> unused) : (int64_t)top >> unused;
        return same == number->value.i;
    }
    switch (place->type->type) {
    case RILL_F32: memcpy(to, &f32, sizeof f32); break;
    case RILL_F64: memcpy(to, &number->value.f, sizeof number->value.f); break;
    case RILL_F16:
    case RILL_BF16: store_half(to, place->type, number->value.f); break;
    default: memcpy(to, &number->value.i, place->type->size); break; // little-endian: the low bytes
    }
    return true;
}

static void print_float(FILE *out, double value, int digits, bool is_json)
{
    if (is_json && !isfinite(value)) {
        fprintf(out, "\"%s\"", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"); // JSON has no such numbers
    } else {
        char text[40];
        snprintf(text, sizeof text, "%.*g", digits, value);
        bool is_whole = is_json && strpbrk(text, ".e") == NULL; // -0 would be read back as the integer 0
        fprintf(out, "%s%s", text, is_whole ? ".0" : "");
    }
}

static void print_scalar(FILE *out, const rill_type_info *type, const void *bytes, bool is_json)
{
    float f32;
    double f64;
    uint64_t u = 0;
    int shift = (int)(64 - 8 * type->size);
    assert(type->size >= 1 && type->size <= 8);
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
    case RILL_F16: print_float(out, rill_f16_to_double((uint16_t)u), 5, is_json); break;
    case RILL_BF16: print_float(out, rill_bf16_to_double((uint16_t)u), 4, is_json); break;
    case RILL_I8:
    case RILL_I16:
    case RILL_I32:
    case RILL_I64: fprintf(out, "%lld", (long long)((int64_t)(u << shift) >> shift)); break;
    default: fprintf(out, "%llu", (unsigned long long)u); break;
    }
}

static void print_bits(FILE *out, const rill_member_info *member, const unsigned char *bytes)
{
    uint64_t u = 0;
    for (int i = 0; i < member->bit_width; i++) { // in a packed struct they may reach into a byte behind the type's
        int at = member->bit_offset + i;
        u |= (uint64_t)(bytes[member->offset + (size_t)(at / 8)] >> at % 8 & 1) << i;
    }
    bool is_signed = member->type->type == RILL_I8 || member->type->type == RILL_I16 ||
                     member->type->type == RILL_I32 || member->type->type == RILL_I64;
    u <<= 64 - member->bit_width;
    if (is_signed) {
        fprintf(out, "%lld", (long long)((int64_t)u >> (64 - member->bit_width)));
    } else {
        fprintf(out, "%llu", (unsigned long long)(u >> (64 - member->bit_width)));
    }
}

void fill_print_value(FILE *out, const rill_type_info *type, const void *bytes, bool is_json)
{
    const unsigned char *at = bytes;
    if (type->kind == RILL_KIND_SCALAR) {
        print_scalar(out, type, bytes, is_json);
    } else if (type->kind == RILL_KIND_ARRAY) {
        fputc('[', out);
        for (int64_t i = 0; i < type->length; i++) {
            fputs(i > 0 ? ", " : "", out);
            fill_print_value(out, type->element, at + (size_t)i * type->element->size, is_json);
        }
        fputc(']', out);
    } else {
        fputc('{', out);
        for (size_t i = 0; i < type->member_count; i++) {
            const rill_member_info *member = &type->members[i];
            fprintf(out, is_json ? "%s\"%s\": " : "%s%s ", i > 0 ? ", " : "", member->name);
            if (member->bit_width > 0) {
                print_bits(out, member, at);
            } else {
                fill_print_value(out, member->type, at + member->offset, is_json);
            }
        }
        fputc('}', out);
    }
}

#include "runtime/variants.h"

#include "base/half.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct comparison {
    double tolerance;
    double largest; // magnitude among the numbers that are wanted
    size_t element; // where the first difference is
    char *words;
};

static bool is_float(rill_type type)
{
    return type == RILL_F16 || type == RILL_BF16 || type == RILL_F32 || type == RILL_F64;
}

static double value_of(rill_type type, const unsigned char *at)
{
    uint16_t bits;
    float narrow;
    double wide;
    switch (type) {
    case RILL_F16:
    case RILL_BF16: memcpy(&bits, at, sizeof bits); return half_value(bits, type == RILL_BF16);
    case RILL_F32: memcpy(&narrow, at, sizeof narrow); return narrow;
    default: memcpy(&wide, at, sizeof wide); return wide;
    }
}

// What is done with each number of a type: false ends the walk.
typedef bool leaf_function(struct comparison *comparison, const rill_type_info *type, const unsigned char *wanted,
                           const unsigned char *got);

// Padding is no number; of a union the bytes are. Bits are compared with the bytes that hold them.
static bool walk(struct comparison *comparison, const rill_type_info *type, const unsigned char *wanted,
                 const unsigned char *got, leaf_function *leaf)
{
    if (type->kind == RILL_KIND_ARRAY) {
        for (int64_t i = 0; i < type->length; i++) {
            size_t offset = (size_t)i * type->element->size;
            if (!walk(comparison, type->element, wanted + offset, got + offset, leaf)) {
                return false;
            }
        }
        return true;
    }
    if (type->kind != RILL_KIND_RECORD || type->is_union) {
        return leaf(comparison, type, wanted, got);
    }
    for (size_t i = 0; i < type->member_count; i++) {
        size_t offset = type->members[i].offset;
        if (!walk(comparison, type->members[i].type, wanted + offset, got + offset, leaf)) {
            return false;
        }
    }
    return true;
}

static bool note_largest(struct comparison *comparison, const rill_type_info *type, const unsigned char *wanted,
                         const unsigned char *got)
{
    (void)got;
    if (type->kind == RILL_KIND_SCALAR && is_float(type->type)) {
        double magnitude = fabs(value_of(type->type, wanted));
        comparison->largest = isfinite(magnitude) && magnitude > comparison->largest ? magnitude : comparison->largest;
    }
    return true;
}

static bool agree_on(struct comparison *comparison, const rill_type_info *type, const unsigned char *wanted,
                     const unsigned char *got)
{
    if (memcmp(wanted, got, type->size) == 0) {
        return true;
    }
    if (type->kind != RILL_KIND_SCALAR || !is_float(type->type)) {
        snprintf(comparison->words, 256, "element %zu differs", comparison->element);
        return false;
    }
    double a = value_of(type->type, wanted), b = value_of(type->type, got);
    bool agrees = a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= comparison->tolerance * comparison->largest;
    if (!agrees) {
        snprintf(comparison->words, 256, "element %zu is %.9g, and %.9g of the first one", comparison->element, b, a);
    }
    return agrees;
}

bool variants_agree(const rill_type_info *type, const void *wanted, const void *got, size_t count, double tolerance,
                    char out_words[256])
{
    assert(type->size > 0 || count == 0);
    struct comparison comparison = {.tolerance = tolerance, .words = out_words};
    out_words[0] = '\0';
    for (size_t i = 0; tolerance > 0 && i < count; i++) {
        walk(&comparison, type, (const unsigned char *)wanted + i * type->size,
             (const unsigned char *)got + i * type->size, note_largest);
    }
    for (size_t i = 0; i < count; i++) {
        comparison.element = i;
        if (!walk(&comparison, type, (const unsigned char *)wanted + i * type->size,
                  (const unsigned char *)got + i * type->size, agree_on)) {
            return false;
        }
    }
    return true;
}

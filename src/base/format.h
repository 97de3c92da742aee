// printf of kernels: the format is a literal known at compile time, the arguments are 64-bit cells of a record. The
// interpreter and the runtime format with this, the verifier reads conversions with it.
//
// Supported: flags - + space # 0, width and precision as numbers or `*`, the lengths hh h l ll j z t, the conversions
// d i u o x X c s p a A e E f F g G and %%. Not supported: %n, `L`, wide characters and strings (lc, ls).
#ifndef RILL_BASE_FORMAT_H
#define RILL_BASE_FORMAT_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What one argument cell holds: an integer sign-extended, a double's bits, an address of characters, an address.
enum format_kind { FORMAT_I32, FORMAT_I64, FORMAT_F64, FORMAT_TEXT, FORMAT_POINTER };

enum format_result { FORMAT_END, FORMAT_ITEM, FORMAT_BAD };

// Characters that stand for themselves, or one conversion.
struct format_item {
    const char *start;
    size_t length;
    bool is_literal;          // |start| … as they stand ("%%" gives an item of one '%')
    char conversion;          // d i u o x X c s p a A e E f F g G
    enum format_kind args[3]; // width and precision by `*` come first
    int arg_count;
    char modifier[3];     // "", "hh", "h", "l", "ll", "j", "z", "t"
    size_t prefix_length; // of '%', flags, width and precision
};

// Takes the next item of |*at|. FORMAT_BAD leaves |*at| at the conversion that is not supported.
enum format_result format_next(const char **at, struct format_item *item);

// Appends what C's printf would write. |args| holds one cell for each argument; false if the format is bad or wants
// more than |arg_count|. |text_limit| bounds every %s that has no precision.
bool format_printf(struct str *out, const char *format, const uint64_t *args, int arg_count, size_t text_limit);

#endif

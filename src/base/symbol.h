// What a symbol is called where its name may hold letters, digits, '_' and '$' alone, as in PTX, or dots too, as in the
// assembler's text for AMD.
#ifndef RILL_BASE_SYMBOL_H
#define RILL_BASE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

// Writes what |name| is called: a dot is |dot|, and every other byte that may not stand there "$$" with two hexadecimal
// digits. False if that has |size| bytes or more.
bool symbol_spell(const char *name, char dot, char *out, size_t size);

// Enough for any name of |length| bytes.
static inline size_t symbol_size(size_t length)
{
    return 4 * length + 5;
}

#endif

// UTF-8, one character at a time.
#ifndef RILL_BASE_UTF8_H
#define RILL_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// The size in bytes of the character at |text|, of which |left| bytes are there; 0 if they are not valid UTF-8: a stray
// or missing continuation, an overlong form, a surrogate, a code beyond U+10FFFF.
int utf8_decode(const char *text, size_t left, uint32_t *out_code);

// Writes |code|, at most U+10FFFF, and returns the number of bytes.
int utf8_encode(uint32_t code, char out[4]);

#endif

// A string that grows in an arena. `text` is always terminated once anything was written; str_text() always is.
#ifndef RILL_BASE_STR_H
#define RILL_BASE_STR_H

#include "base/arena.h"

struct str {
    struct arena *arena; // borrowed
    char *text;
    size_t length;
    size_t capacity;
};

void str_init(struct str *str, struct arena *arena);
void str_add(struct str *str, const char *text);
void str_add_n(struct str *str, const char *text, size_t length);
void str_add_char(struct str *str, char c);
void str_printf(struct str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *str_text(const struct str *str);

#endif

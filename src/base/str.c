#include "base/str.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void str_init(struct str *str, struct arena *arena)
{
    *str = (struct str){.arena = arena};
}

static void reserve(struct str *str, size_t more)
{
    if (str->length + more + 1 <= str->capacity) {
        return;
    }
    size_t capacity = 2 * (str->length + more + 1) + 32;
    char *text = arena_alloc(str->arena, capacity);
    if (str->length > 0) {
        memcpy(text, str->text, str->length);
    }
    text[str->length] = '\0';
    str->text = text;
    str->capacity = capacity;
}

void str_add_n(struct str *str, const char *text, size_t length)
{
    reserve(str, length);
    assert(str->length + length < str->capacity);
    memcpy(str->text + str->length, text, length);
    str->length += length;
    str->text[str->length] = '\0';
}

void str_add(struct str *str, const char *text)
{
    str_add_n(str, text, strlen(text));
}

void str_add_char(struct str *str, char c)
{
    str_add_n(str, &c, 1);
}

void str_printf(struct str *str, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length > 0) {
        reserve(str, (size_t)length);
        vsnprintf(str->text + str->length, (size_t)length + 1, format, args);
        str->length += (size_t)length;
    }
    va_end(args);
}

const char *str_text(const struct str *str)
{
    return str->text != NULL ? str->text : "";
}

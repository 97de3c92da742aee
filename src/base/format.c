#include "base/format.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_LIMIT = 64, NUMBER_LIMIT = 1000 * 1000 };

// ---- reading -------------------------------------------------------------------------------------------------------

// A width or precision; NULL if it is beyond all reason.
static const char *skip_number(const char *c, struct format_item *item)
{
    if (*c == '*') {
        item->args[item->arg_count++] = FORMAT_I32;
        return c + 1;
    }
    int value = 0;
    while (*c >= '0' && *c <= '9' && value <= NUMBER_LIMIT) {
        value = 10 * value + (*c++ - '0');
    }
    return value <= NUMBER_LIMIT ? c : NULL;
}

static const char *take_modifier(const char *c, struct format_item *item)
{
    size_t length = 0;
    if (*c == 'h' || *c == 'l') {
        length = c[1] == *c ? 2 : 1;
    } else if (*c == 'j' || *c == 'z' || *c == 't') {
        length = 1;
    }
    memcpy(item->modifier, c, length);
    item->modifier[length] = '\0';
    return c + length;
}

static bool take_conversion(char c, struct format_item *item)
{
    bool is_plain = item->modifier[0] == '\0';
    bool is_wide = strchr("ljzt", item->modifier[0]) != NULL && !is_plain;
    enum format_kind kind;
    if (c != '\0' && strchr("diuoxX", c) != NULL) {
        kind = is_wide ? FORMAT_I64 : FORMAT_I32;
    } else if (c != '\0' && strchr("aAeEfFgG", c) != NULL && (is_plain || strcmp(item->modifier, "l") == 0)) {
        kind = FORMAT_F64;
    } else if (c == 'c' && is_plain) {
        kind = FORMAT_I32;
    } else if (c == 's' && is_plain) {
        kind = FORMAT_TEXT;
    } else if (c == 'p' && is_plain) {
        kind = FORMAT_POINTER;
    } else {
        return false;
    }
    item->conversion = c;
    item->args[item->arg_count++] = kind;
    return true;
}

enum format_result format_next(const char **at, struct format_item *item)
{
    const char *c = *at;
    *item = (struct format_item){.start = c};
    if (*c == '\0') {
        return FORMAT_END;
    }
    if (*c != '%' || c[1] == '%') {
        item->is_literal = true;
        item->length = *c == '%' ? 1 : strcspn(c, "%");
        *at = *c == '%' ? c + 2 : c + item->length;
        return FORMAT_ITEM;
    }
    c += 1 + strspn(c + 1, "-+ #0");
    c = skip_number(c, item);
    if (c != NULL && *c == '.') {
        c = skip_number(c + 1, item);
    }
    if (c == NULL) {
        return FORMAT_BAD;
    }
    item->prefix_length = (size_t)(c - item->start);
    c = take_modifier(c, item);
    if (item->prefix_length + 8 > SPEC_LIMIT || !take_conversion(*c, item)) {
        return FORMAT_BAD;
    }
    item->length = (size_t)(c + 1 - item->start);
    *at = c + 1;
    return FORMAT_ITEM;
}

// ---- writing -------------------------------------------------------------------------------------------------------

// Copies the flags, with every `*` replaced by its value, into |spec|; returns its length. 0: a width or precision that
// was given for a `*` is beyond all reason.
static size_t write_prefix(const struct format_item *item, const uint64_t *args, char *spec)
{
    size_t length = 0;
    size_t used = 0;
    for (size_t i = 0; i < item->prefix_length; i++) {
        char c = item->start[i];
        if (c != '*') {
            spec[length++] = c;
            continue;
        }
        assert(length > 0 && used + 1 < (size_t)item->arg_count); // the last is the value itself
        int32_t value = (int32_t)args[used++];
        if (value > NUMBER_LIMIT || (value < -NUMBER_LIMIT && spec[length - 1] != '.')) {
            return 0;
        }
        if (spec[length - 1] == '.' && value < 0) {
            spec[--length] = '\0'; // a negative precision is as if there were none
        } else {
            length += (size_t)snprintf(spec + length, 16, "%d", value);
        }
    }
    return length;
}

// The C type that the length modifier asks for, from a sign-extended cell.
static int64_t narrowed(const struct format_item *item, uint64_t cell)
{
    bool is_signed = item->conversion == 'd' || item->conversion == 'i';
    if (strcmp(item->modifier, "hh") == 0) {
        return is_signed ? (int64_t)(int8_t)cell : (int64_t)(uint8_t)cell;
    }
    if (strcmp(item->modifier, "h") == 0) {
        return is_signed ? (int64_t)(int16_t)cell : (int64_t)(uint16_t)cell;
    }
    if (item->modifier[0] == '\0') {
        return is_signed ? (int64_t)(int32_t)cell : (int64_t)(uint32_t)cell;
    }
    return (int64_t)cell;
}

static void write_text(struct str *out, char *spec, size_t length, uint64_t cell, size_t limit)
{
    const char *text = (const char *)(uintptr_t)cell;
    text = text != NULL ? text : "(null)";
    if (strchr(spec, '.') == NULL) {
        length += (size_t)snprintf(spec + length, 24, ".%d", limit > INT_MAX ? INT_MAX : (int)limit);
    }
    memcpy(spec + length, "s", 2);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    str_printf(out, spec, text);
#pragma GCC diagnostic pop
}

static bool write_item(struct str *out, const struct format_item *item, const uint64_t *args, size_t text_limit)
{
    char spec[SPEC_LIMIT + 64] = {0};
    size_t length = write_prefix(item, args, spec);
    assert(!item->is_literal && item->arg_count > 0);
    uint64_t cell = args[item->arg_count - 1];
    if (length == 0) {
        return false;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    switch (item->args[item->arg_count - 1]) {
    case FORMAT_TEXT: write_text(out, spec, length, cell, text_limit); break;
    case FORMAT_F64: {
        double value;
        memcpy(&value, &cell, sizeof value);
        spec[length] = item->conversion;
        str_printf(out, spec, value);
        break;
    }
    case FORMAT_POINTER:
        spec[length] = 'p';
        str_printf(out, spec, (void *)(uintptr_t)cell);
        break;
    default:
        if (item->conversion == 'c') {
            // A zero character ends nothing: it is one of the bytes written.
            spec[length] = 'c';
            str_printf(out, spec, (int)(int32_t)cell);
        } else {
            spec[length] = 'l';
            spec[length + 1] = 'l';
            spec[length + 2] = item->conversion;
            str_printf(out, spec, (long long)narrowed(item, cell));
        }
        break;
    }
#pragma GCC diagnostic pop
    return true;
}

bool format_printf(struct str *out, const char *format, const uint64_t *args, int arg_count, size_t text_limit)
{
    const char *at = format;
    int used = 0;
    struct format_item item;
    enum format_result result;
    while ((result = format_next(&at, &item)) == FORMAT_ITEM) {
        if (item.is_literal) {
            str_add_n(out, item.start, item.length);
            continue;
        }
        if (used + item.arg_count > arg_count || !write_item(out, &item, args + used, text_limit)) {
            return false;
        }
        used += item.arg_count;
    }
    return result == FORMAT_END;
}

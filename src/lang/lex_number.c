// Numbers: a preprocessing number is anything that looks like one; here it gets its value and type, or an error.
#include "lang/lex.h"

#include "base/half.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The text of the number as a C string, and the place for messages.
struct number {
    struct lex_values *values;
    const char *text;
    struct loc loc;
};

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static int base_of(const char *text)
{
    if (text[0] != '0') {
        return 10;
    }
    if (text[1] == 'x' || text[1] == 'X') {
        return 16;
    }
    return text[1] == 'b' || text[1] == 'B' ? 2 : 8;
}

// It is a floating constant if it has a point or an exponent where one may be.
static bool is_float(const char *text)
{
    bool hex = base_of(text) == 16;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '.' || (hex ? *p == 'p' || *p == 'P' : *p == 'e' || *p == 'E')) {
            return base_of(text) != 2;
        }
    }
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Reads u, l, ll in any order and case; "lL" is none.
static bool read_int_suffix(const char *suffix, struct token *out)
{
    bool is_unsigned = false;
    int longs = 0;
    for (const char *p = suffix; *p != '\0';) {
        if (lower(*p) == 'u' && !is_unsigned) {
            is_unsigned = true;
            p++;
        } else if (lower(*p) == 'l' && longs == 0) {
            longs = p[1] == *p ? 2 : 1;
            p += longs;
        } else {
            return false;
        }
    }
    out->is_unsigned = is_unsigned;
    out->is_long = longs == 1;
    out->is_long_long = longs == 2;
    return true;
}

// The first type of C99 6.4.4.1's list that holds the value, for int of 32 and long of 64 bits.
static void settle_int_type(const struct number *number, bool decimal, struct token *out)
{
    bool any_long = out->is_long || out->is_long_long;
    bool may_be_unsigned = out->is_unsigned || !decimal;
    if (!any_long && out->u > (may_be_unsigned ? UINT32_MAX : INT32_MAX)) {
        out->is_long = any_long = true;
    }
    uint64_t most = any_long ? INT64_MAX : INT32_MAX;
    if (!out->is_unsigned && out->u > most) {
        out->is_unsigned = true;
        if (decimal) {
            diag_warning(number->values->diags, number->loc, "%s fits no signed type and is taken as unsigned",
                         number->text);
        }
    }
}

static void set_zero(struct token *out)
{
    out->kind = TOKEN_INT;
    out->u = 0;
    out->is_unsigned = out->is_long = out->is_long_long = out->is_float32 = out->is_long_double = false;
    out->is_float16 = out->is_bf16 = out->is_imaginary = false;
}

static void wrong_suffix(const struct number *number, const char *suffix, const char *kind)
{
    diag_error(number->values->diags, number->loc, "the suffix \"%s\" of the %s constant %s is none that C has", suffix,
               kind, number->text);
}

// GNU C's imaginary constants have an i or a j before or behind what else the suffix says. What is left without it.
static const char *imaginary_suffix(struct lex_values *values, const char *suffix, struct token *out)
{
    for (const char *p = suffix; *p != '\0'; p++) {
        if (lower(*p) == 'i' || lower(*p) == 'j') {
            char *rest = arena_strdup(values->arena, suffix);
            memmove(rest + (p - suffix), p + 1, strlen(p));
            out->is_imaginary = true;
            return rest;
        }
    }
    return suffix;
}

static void int_value(const struct number *number, struct token *out)
{
    struct diags *diags = number->values->diags;
    int base = base_of(number->text);
    const char *p = number->text + (base == 16 || base == 2 ? 2 : 0);
    const char *first = p;
    bool overflow = false;
    uint64_t value = 0;
    for (; digit_value(*p) < (base < 10 ? 10 : base); p++) {
        if (digit_value(*p) >= base) {
            diag_error(diags, number->loc, "the digit %c does not belong in the %s constant %s", *p,
                       base == 8 ? "octal" : "binary", number->text);
            set_zero(out);
            return;
        }
        uint64_t digit = (uint64_t)digit_value(*p);
        overflow |= value > (UINT64_MAX - digit) / (uint64_t)base;
        value = value * (uint64_t)base + digit;
    }
    out->kind = TOKEN_INT;
    out->u = value;
    if (p == first && first != number->text) {
        diag_error(diags, number->loc, "the constant %s has no digits", number->text);
        set_zero(out);
    } else if (!read_int_suffix(imaginary_suffix(number->values, p, out), out)) {
        wrong_suffix(number, p, "integer");
        set_zero(out);
    } else if (overflow) {
        diag_error(diags, number->loc, "the constant %s does not fit into 64 bits", number->text);
        set_zero(out);
    } else {
        settle_int_type(number, base == 10, out);
    }
}

static const char *skip_digits(const char *p, int base)
{
    assert(base == 10 || base == 16);
    while (digit_value(*p) < base) {
        p++;
    }
    return p;
}

// The end of the floating constant, before the suffix; NULL (and an error) if it is malformed.
static const char *float_end(const struct number *number)
{
    struct diags *diags = number->values->diags;
    bool hex = base_of(number->text) == 16;
    const char *first = number->text + (hex ? 2 : 0);
    const char *point = skip_digits(first, hex ? 16 : 10);
    const char *p = point;
    if (*p == '.') {
        p = skip_digits(p + 1, hex ? 16 : 10);
    }
    if (p - first == (*point == '.')) {
        diag_error(diags, number->loc, "the constant %s has no digits", number->text);
        return NULL;
    }
    if (lower(*p) == (hex ? 'p' : 'e')) {
        p++;
        p += *p == '+' || *p == '-';
        const char *digits = p;
        p = skip_digits(p, 10);
        if (p == digits) {
            diag_error(diags, number->loc, "the exponent of %s has no digits", number->text);
            return NULL;
        }
    } else if (hex) {
        diag_error(diags, number->loc, "the hexadecimal floating constant %s needs an exponent: p and a power of two",
                   number->text);
        return NULL;
    }
    return p;
}

static bool read_float_suffix(const char *suffix, struct token *out)
{
    if (suffix[0] == '\0') {
        return true;
    }
    out->is_float16 = strcmp(suffix, "f16") == 0 || strcmp(suffix, "F16") == 0;
    out->is_bf16 = strcmp(suffix, "bf16") == 0 || strcmp(suffix, "BF16") == 0;
    if (out->is_float16 || out->is_bf16) {
        return true;
    }
    out->is_float32 = lower(suffix[0]) == 'f';
    out->is_long_double = lower(suffix[0]) == 'l';
    return (out->is_float32 || out->is_long_double) && suffix[1] == '\0';
}

// The process may have any locale; constants have C's. In the C library this locale is a constant that newlocale only
// looks up. Without it, which takes a failed allocation, the process's own locale has to do.
static double convert(const char *digits, bool to_float)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value;
    if (c_locale == (locale_t)0) {
        value = to_float ? (double)strtof(digits, NULL) : strtod(digits, NULL);
    } else {
        value = to_float ? (double)strtof_l(digits, NULL, c_locale) : strtod_l(digits, NULL, c_locale);
        freelocale(c_locale);
    }
    return value;
}

static bool has_nonzero_digit(const char *text)
{
    int base = base_of(text) == 16 ? 16 : 10;
    for (const char *p = text + (base == 16 ? 2 : 0); digit_value(*p) < base || *p == '.'; p++) {
        if (lower(*p) == 'e' && base == 10) {
            break;
        }
        if (*p != '0' && *p != '.') {
            return true;
        }
    }
    return false;
}

static void float_value(const struct number *number, struct token *out)
{
    struct diags *diags = number->values->diags;
    const char *end = float_end(number);
    if (end == NULL) {
        set_zero(out);
        return;
    }
    if (!read_float_suffix(imaginary_suffix(number->values, end, out), out)) {
        wrong_suffix(number, end, "floating");
        set_zero(out);
        return;
    }
    char *digits = arena_strndup(number->values->arena, number->text, (size_t)(end - number->text));
    out->kind = TOKEN_FLOAT;
    int saved = errno;
    out->f = convert(digits, out->is_float32);
    errno = saved;
    const char *type = out->is_float32 ? "float" : "double";
    if (out->is_float16 || out->is_bf16) {
        out->f = half_round(out->f, out->is_bf16);
        type = out->is_bf16 ? "__bf16" : "_Float16";
    }
    if (isinf(out->f)) {
        diag_warning(diags, number->loc, "the constant %s is beyond the range of %s and becomes infinity", number->text,
                     type);
    } else if (out->f == 0 && has_nonzero_digit(digits)) {
        diag_warning(diags, number->loc, "the constant %s is too small for %s and becomes zero", number->text, type);
    }
}

static const char *without_separators(struct lex_values *values, const char *text)
{
    char *plain = arena_strdup(values->arena, text);
    char *to = plain;
    for (; *text != '\0'; text++) {
        *to = *text;
        to += *text != '\'';
    }
    *to = '\0';
    return plain;
}

void lex_number_value(struct lex_values *values, const struct lex_token *token, struct token *out)
{
    assert(token->kind == LEX_NUMBER && token->length > 0);
    struct number number = {values, arena_strndup(values->arena, token->text, token->length), token->loc};
    out->text = number.text;
    out->length = token->length;
    if (memchr(token->text, '\'', token->length) != NULL) {
        number.text = without_separators(values, number.text);
    }
    if (is_float(number.text)) {
        float_value(&number, out);
    } else {
        int_value(&number, out);
    }
}

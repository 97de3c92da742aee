#include "ir/read.h"

#include <stdarg.h>
#include <string.h>

void ir_read_fail(struct reader *r, const char *format, ...)
{
    if (!r->failed) {
        va_list args;
        va_start(args, format);
        struct loc loc = {r->file, r->line, (uint32_t)(r->word - r->line_start) + 1};
        diag_error(r->diags, loc, "%s", arena_vprintf(r->arena, format, args));
        va_end(args);
    }
    r->failed = true;
    r->at = r->end;
    r->word = r->end;
    r->length = 0;
    r->is_line_end = true;
    r->is_end = true;
}

// ---- words ---------------------------------------------------------------------------------------------------------

static size_t quoted_length(const struct reader *r)
{
    const char *c = r->at + 1;
    while (c < r->end && *c != '"' && *c != '\n') {
        c += *c == '\\' && c + 1 < r->end && c[1] != '\n' ? 2 : 1;
    }
    return (size_t)(c - r->at) + (c < r->end && *c == '"');
}

void ir_read_next(struct reader *r)
{
    if (r->failed || r->is_end) {
        return;
    }
    if (r->is_line_end) {
        r->line++;
        r->line_start = r->at;
    }
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
    if (r->at < r->end && *r->at == ';') { // a comment, up to the end of the line
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = end != NULL ? end : r->end;
    }
    r->word = r->at;
    r->length = 0;
    r->is_end = r->at == r->end;
    r->is_line_end = r->is_end || *r->at == '\n';
    if (r->is_line_end) {
        r->at += r->is_end ? 0 : 1;
        return;
    }
    if (*r->at == '"') {
        r->length = quoted_length(r);
    } else {
        while (r->at + r->length < r->end && strchr(" \t\r\n", r->at[r->length]) == NULL) {
            r->length++;
        }
    }
    r->at += r->length;
}

bool ir_read_is(const struct reader *r, const char *word)
{
    return strlen(word) == r->length && memcmp(r->word, word, r->length) == 0 && r->length > 0;
}

bool ir_read_accept(struct reader *r, const char *word)
{
    if (!ir_read_is(r, word)) {
        return false;
    }
    ir_read_next(r);
    return true;
}

void ir_read_expect(struct reader *r, const char *word)
{
    if (!ir_read_accept(r, word)) {
        ir_read_fail(r, "expected '%s'", word);
    }
}

void ir_read_line_end(struct reader *r)
{
    if (!r->is_line_end) {
        ir_read_fail(r, "'%.*s' does not belong here", (int)(r->length < 40 ? r->length : 40), r->word);
    }
    do {
        ir_read_next(r);
    } while (r->is_line_end && !r->is_end);
}

int ir_read_find(const struct reader *r, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (ir_read_is(r, names[i])) {
            return i;
        }
    }
    return -1;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

// Digits from |*c| on; false if there are none or they do not fit.
static bool take_digits(const char **c, const char *end, uint64_t *out)
{
    const char *start = *c;
    uint64_t value = 0;
    while (*c < end && **c >= '0' && **c <= '9') {
        uint64_t digit = (uint64_t)(**c - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
        ++*c;
    }
    *out = value;
    return *c > start;
}

uint64_t ir_read_uint(struct reader *r)
{
    const char *c = r->word;
    uint64_t value = 0;
    if (!take_digits(&c, r->word + r->length, &value) || c != r->word + r->length) {
        ir_read_fail(r, "expected a number");
        return 0;
    }
    ir_read_next(r);
    return value;
}

int64_t ir_read_int(struct reader *r)
{
    const char *c = r->word;
    const char *end = r->word + r->length;
    bool is_negative = c < end && *c == '-';
    uint64_t value = 0;
    c += is_negative;
    if (!take_digits(&c, end, &value) || c != end || value > (uint64_t)INT64_MAX + is_negative) {
        ir_read_fail(r, "expected an integer");
        return 0;
    }
    ir_read_next(r);
    return (int64_t)(is_negative ? 0 - value : value);
}

int ir_read_small(struct reader *r, int64_t low, int64_t high)
{
    const char *word = r->word;
    size_t length = r->length;
    int64_t value = ir_read_int(r);
    if (!r->failed && (value < low || value > high)) {
        ir_read_fail(r, "%.*s is out of range", (int)length, word);
    }
    return r->failed ? (int)low : (int)value;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(const char **c, const char *end, int limit, uint64_t *out, int *count)
{
    uint64_t value = 0;
    *count = 0;
    while (*c < end && *count < limit && hex_digit(**c) >= 0) {
        value = value << 4 | (uint64_t)hex_digit(**c);
        ++*c;
        ++*count;
    }
    *out = value;
    return *count > 0;
}

// "0x1.8p+3", "0x0p+0", "0x0.8p-1022" as the printer writes them; not strtod, which follows the host's locale.
static bool take_hex_float(const char *c, const char *end, uint64_t *bits)
{
    uint64_t lead = 0, fraction = 0, exponent = 0;
    int count = 0;
    if (end - c < 6 || c[0] != '0' || c[1] != 'x') {
        return false;
    }
    c += 2;
    if (!take_hex(&c, end, 1, &lead, &count) || lead > 1) {
        return false;
    }
    if (c < end && *c == '.') {
        c++;
        if (!take_hex(&c, end, 13, &fraction, &count)) {
            return false;
        }
        fraction <<= 4 * (13 - count);
    }
    if (end - c < 3 || c[0] != 'p' || (c[1] != '+' && c[1] != '-')) {
        return false;
    }
    bool is_negative = c[1] == '-';
    c += 2;
    if (!take_digits(&c, end, &exponent) || c != end || exponent > 1023) {
        return false;
    }
    int64_t biased = 1023 + (is_negative ? -(int64_t)exponent : (int64_t)exponent);
    if (lead == 0 ? biased != (fraction == 0 ? 1023 : 1) : biased < 1) {
        return false;
    }
    *bits = (lead == 0 ? 0 : (uint64_t)biased << 52) | fraction;
    return true;
}

double ir_read_float(struct reader *r)
{
    const char *c = r->word;
    const char *end = r->word + r->length;
    uint64_t bits = 0;
    bool is_good;
    if (r->length == 20 && memcmp(c, "nan:", 4) == 0) {
        int count = 0;
        c += 4;
        is_good = take_hex(&c, end, 16, &bits, &count) && count == 16;
    } else {
        bool is_negative = r->length > 0 && *c == '-';
        c += is_negative;
        if (end - c == 3 && memcmp(c, "inf", 3) == 0) {
            bits = UINT64_C(0x7ff) << 52;
            is_good = true;
        } else {
            is_good = take_hex_float(c, end, &bits);
        }
        bits |= (uint64_t)is_negative << 63;
    }
    double value = 0;
    if (!is_good) {
        ir_read_fail(r, "expected a float");
        return 0;
    }
    memcpy(&value, &bits, sizeof value);
    ir_read_next(r);
    return value;
}

// ---- texts and names -----------------------------------------------------------------------------------------------

// One character of a quoted text; moves |*c| behind it. 0 if it is no good.
static char unescaped(const char **c, const char *end)
{
    if (**c != '\\') {
        return *(*c)++;
    }
    if (end - *c < 2) {
        return '\0';
    }
    char kind = (*c)[1];
    *c += 2;
    if (kind == 'n') {
        return '\n';
    }
    if (kind == 'x' && end - *c >= 2 && hex_digit((*c)[0]) >= 0 && hex_digit((*c)[1]) >= 0) {
        char value = (char)(hex_digit((*c)[0]) << 4 | hex_digit((*c)[1]));
        *c += 2;
        return value;
    }
    return kind == '"' || kind == '\\' ? kind : '\0';
}

const char *ir_read_text(struct reader *r)
{
    const char *c = r->word + 1;
    const char *end = r->word + r->length - 1;
    if (r->length < 2 || r->word[0] != '"' || *end != '"') {
        ir_read_fail(r, "expected a quoted text");
        return "";
    }
    char *text = arena_alloc(r->arena, r->length);
    size_t length = 0;
    while (c < end) {
        text[length] = unescaped(&c, end);
        if (text[length++] == '\0') {
            ir_read_fail(r, "the text holds a bad escape");
            return "";
        }
    }
    text[length] = '\0';
    ir_read_next(r);
    return text;
}

bool ir_read_is_text(const struct reader *r)
{
    return r->length > 0 && r->word[0] == '"';
}

bool ir_read_is_loc(const struct reader *r)
{
    return r->length > 0 && r->word[0] == '!';
}

struct loc ir_read_loc(struct reader *r)
{
    const char *c = r->word;
    const char *end = r->word + r->length;
    uint64_t parts[3] = {0};
    bool is_good = r->length > 0 && *c == '!';
    for (int i = 0; i < 3 && is_good; i++) {
        c++; // '!' or ':'
        is_good = c < end && take_digits(&c, end, &parts[i]) && parts[i] <= UINT32_MAX &&
                  (i == 2 ? c == end : c < end && *c == ':');
    }
    if (!is_good) {
        ir_read_fail(r, "expected a place: !file:line:column");
        return (struct loc){0};
    }
    ir_read_next(r);
    return (struct loc){(uint32_t)parts[0], (uint32_t)parts[1], (uint32_t)parts[2]};
}

// Nothing that the text defines can have an index beyond its length, so a wild one costs no memory.
static int checked_index(struct reader *r, const char *c, const char *what)
{
    const char *end = r->word + r->length;
    uint64_t value = 0;
    if (c >= end || !take_digits(&c, end, &value) || c != end || value >= (uint64_t)(r->end - r->text) ||
        value > INT32_MAX / 2) {
        ir_read_fail(r, "expected %s", what);
        return 0;
    }
    ir_read_next(r);
    return (int)value;
}

int ir_read_index(struct reader *r, char sigil)
{
    const char *hash = r->length > 0 ? memchr(r->word, '#', r->length) : NULL;
    if (hash == NULL || r->word[0] != sigil) {
        ir_read_fail(r, "expected a name like %cname#0", sigil);
        return 0;
    }
    return checked_index(r, hash + 1, "a number after '#'");
}

int ir_read_label(struct reader *r)
{
    if (r->length == 0 || r->word[0] != 'L') {
        ir_read_fail(r, "expected a label like L0");
        return 0;
    }
    return checked_index(r, r->word + 1, "a label like L0");
}

int ir_read_value_number(struct reader *r)
{
    if (r->length == 0 || r->word[0] != '%') {
        ir_read_fail(r, "expected a value like %%0");
        return 0;
    }
    return checked_index(r, r->word + 1, "a value like %0");
}

static const char *const type_names[] = {
#define IR_TYPE_NAME(name, text, size) text,
    IR_TYPE_LIST(IR_TYPE_NAME)
#undef IR_TYPE_NAME
};

bool ir_read_is_type(const struct reader *r)
{
    return ir_read_find(r, type_names, IR_PTR + 1) >= 0;
}

enum ir_type ir_read_type(struct reader *r)
{
    int type = ir_read_find(r, type_names, IR_PTR + 1);
    if (type < 0) {
        ir_read_fail(r, "expected a type");
        return IR_VOID;
    }
    ir_read_next(r);
    return (enum ir_type)type;
}

// Character constants and string literals: escapes, universal character names, wide forms, C11's u, U and u8.
#include "lang/lex.h"

#include "base/str.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

struct reader {
    struct lex_values *values;
    const char *p, *end; // between the quotes
    const char *start;
    struct loc loc; // of the literal
    bool in_source; // the literal is spelt at |loc|, so that a column inside it can be told
    char encoding;  // as in struct token
};

// One element of a literal: a byte of a narrow one, a code of a wide one, or a character still to be encoded.
struct element {
    uint32_t value;
    bool is_character; // |value| is a character of the source character set, not the value of an escape
};

static struct loc place(const struct reader *reader, const char *at)
{
    struct loc loc = reader->loc;
    loc.column += reader->in_source ? (uint32_t)(at - reader->start) : 0;
    return loc;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

uint32_t lex_unit_size(char encoding)
{
    return encoding == 'L' || encoding == 'U' ? 4 : encoding == 'u' ? 2 : 1;
}

static uint64_t most_of(char encoding)
{
    return UINT32_MAX >> (32 - 8 * lex_unit_size(encoding));
}

static const char *name_of(char encoding)
{
    return encoding == 'L' ? "wchar_t" : encoding == 'U' ? "char32_t" : encoding == 'u' ? "char16_t" : "char";
}

static struct element number_escape(struct reader *reader, int base)
{
    assert(base == 8 || base == 16);
    const char *start = reader->p;
    uint64_t value = 0;
    bool overflow = false;
    int digits = 0;
    while (reader->p < reader->end && (base == 16 || digits < 3)) {
        int digit = hex_digit(*reader->p);
        if (digit < 0 || digit >= base) {
            break;
        }
        value = value * (uint64_t)base + (uint64_t)digit;
        overflow |= value > most_of(reader->encoding);
        value &= UINT32_MAX;
        reader->p++;
        digits++;
    }
    if (digits == 0) {
        diag_error(reader->values->diags, place(reader, start - 2), "\\x needs hexadecimal digits after it");
    } else if (overflow) {
        diag_error(reader->values->diags, place(reader, start - (base == 16 ? 2 : 1)),
                   "the escape \\%s%.*s is beyond the range of %s", base == 16 ? "x" : "", (int)(reader->p - start),
                   start, name_of(reader->encoding));
    }
    return (struct element){(uint32_t)value, false};
}

static struct element ucn_escape(struct reader *reader, const char *backslash)
{
    assert(backslash[0] == '\\' && (backslash[1] == 'u' || backslash[1] == 'U'));
    uint32_t code;
    int size = lex_ucn_decode(backslash, reader->end, &code);
    struct diags *diags = reader->values->diags;
    if (size == 0) {
        diag_error(diags, place(reader, backslash), "\\%c needs %d hexadecimal digits after it", backslash[1],
                   backslash[1] == 'u' ? 4 : 8);
        reader->p = backslash + 2;
        return (struct element){'?', false};
    }
    reader->p = backslash + size;
    bool basic = code < 0xa0 && code != '$' && code != '@' && code != '`';
    if (basic || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) {
        diag_error(diags, place(reader, backslash), "%.*s is not a universal character name that C allows", size,
                   backslash);
        return (struct element){'?', false};
    }
    return (struct element){code, true};
}

static struct element escape(struct reader *reader)
{
    static const char names[] = "abfnrtve'\"?\\";
    static const char values[] = "\a\b\f\n\r\t\v\x1b'\"?\\";
    const char *backslash = reader->p++;
    if (reader->p >= reader->end) {
        return (struct element){'\\', false};
    }
    char c = *reader->p;
    if (c >= '0' && c <= '7') {
        return number_escape(reader, 8);
    }
    if (c == 'x') {
        reader->p++;
        return number_escape(reader, 16);
    }
    if (c == 'u' || c == 'U') {
        return ucn_escape(reader, backslash);
    }
    const char *known = c != '\0' ? strchr(names, c) : NULL;
    if (known != NULL) {
        reader->p++;
        return (struct element){(unsigned char)values[known - names], false};
    }
    diag_warning(reader->values->diags, place(reader, backslash),
                 "the escape \\%c is unknown and stands for the character itself", c);
    uint32_t code;
    int size = utf8_decode(reader->p, (size_t)(reader->end - reader->p), &code);
    reader->p += size > 0 ? size : 1;
    return size > 0 ? (struct element){code, true} : (struct element){(unsigned char)c, false};
}

static struct element next_element(struct reader *reader)
{
    assert(reader->p < reader->end);
    if (*reader->p == '\\') {
        return escape(reader);
    }
    uint32_t code;
    int size = utf8_decode(reader->p, (size_t)(reader->end - reader->p), &code);
    if (size == 0) {
        return (struct element){(unsigned char)*reader->p++, false}; // broken UTF-8 is kept byte for byte
    }
    reader->p += size;
    return (struct element){code, true};
}

static struct reader open_literal(struct lex_values *values, const struct lex_token *token)
{
    const char *p = token->text, *end = token->text + token->length;
    char encoding = *p == '"' || *p == '\'' ? '\0' : p[1] == '8' ? '8' : *p;
    p += encoding == '\0' ? 1 : encoding == '8' ? 3 : 2;
    end -= token->flags & LEX_BROKEN ? 0 : 1;
    return (struct reader){values, p, end < p ? p : end, token->text, token->loc, token->macro.line == 0, encoding};
}

// A literal of more units than one is told by |out_count|. Of a character beyond 16 bits u'…' takes the second half, as
// gcc does.
static uint32_t unit_char_value(struct reader *reader, int *out_count)
{
    uint32_t value = 0;
    while (reader->p < reader->end) {
        struct element element = next_element(reader);
        value = element.value;
        if (reader->encoding == '8' && element.is_character && value > 0x7f) {
            diag_error(reader->values->diags, reader->loc, "the character does not fit into one unit of UTF-8");
        }
        bool is_pair = value > most_of(reader->encoding);
        value = is_pair && reader->encoding == 'u' ? 0xdc00 + (value & 0x3ff) : value;
        *out_count += is_pair ? 2 : 1;
    }
    return value;
}

// The bytes of an element in a narrow literal.
static int narrow_bytes(struct element element, char out[4])
{
    if (element.is_character) {
        return utf8_encode(element.value, out);
    }
    out[0] = (char)element.value;
    return 1;
}

static uint32_t narrow_char_value(struct reader *reader, int *out_count)
{
    uint32_t value = 0;
    while (reader->p < reader->end) {
        char bytes[4];
        int size = narrow_bytes(next_element(reader), bytes);
        for (int i = 0; i < size; i++) {
            value = value << 8 | (unsigned char)bytes[i];
            ++*out_count;
        }
    }
    return *out_count == 1 ? (uint32_t)(int32_t)(int8_t)value : value;
}

void lex_char_value(struct lex_values *values, const struct lex_token *token, struct token *out)
{
    struct reader reader = open_literal(values, token);
    int count = 0;
    uint32_t value = 0;
    if (reader.encoding != '\0') {
        value = unit_char_value(&reader, &count);
    } else {
        value = narrow_char_value(&reader, &count);
    }
    if (count == 0 && !(token->flags & LEX_BROKEN)) {
        diag_error(values->diags, token->loc, "a character constant needs a character between the quotes");
    } else if (count > 4) {
        diag_warning(values->diags, token->loc, "the character constant is too long for its type");
    } else if (count > 1) {
        diag_warning(values->diags, token->loc, "a character constant of several characters");
    }
    out->kind = TOKEN_CHAR;
    bool is_signed = reader.encoding == '\0' || reader.encoding == 'L';
    out->u = is_signed ? (uint64_t)(int64_t)(int32_t)value : value;
    out->encoding = reader.encoding;
    out->text = arena_strndup(values->arena, token->text, token->length);
    out->length = token->length;
}

static void add_element(struct str *bytes, struct element element, char encoding)
{
    if (encoding == 'u' && element.value > UINT16_MAX) {
        uint16_t pair[2] = {(uint16_t)(0xd800 + ((element.value - 0x10000) >> 10)),
                            (uint16_t)(0xdc00 + (element.value & 0x3ff))};
        str_add_n(bytes, (const char *)pair, sizeof pair);
    } else if (lex_unit_size(encoding) > 1) {
        str_add_n(bytes, (const char *)&element.value, lex_unit_size(encoding));
    } else {
        char narrow[4];
        str_add_n(bytes, narrow, (size_t)narrow_bytes(element, narrow));
    }
}

// Literals side by side have one encoding: that of those with a prefix.
static char encoding_of(struct lex_values *values, const struct lex_token *tokens, int count)
{
    char encoding = '\0';
    for (int i = 0; i < count; i++) {
        char own = open_literal(values, &tokens[i]).encoding;
        if (own != '\0' && encoding != '\0' && own != encoding) {
            diag_error(values->diags, tokens[i].loc, "string literals with different prefixes stand side by side");
        }
        encoding = own != '\0' ? own : encoding;
    }
    return encoding;
}

void lex_string_value(struct lex_values *values, const struct lex_token *tokens, int count, struct token *out)
{
    char encoding = encoding_of(values, tokens, count);
    struct str bytes;
    str_init(&bytes, values->arena);
    for (int i = 0; i < count; i++) {
        struct reader reader = open_literal(values, &tokens[i]);
        reader.encoding = encoding;
        while (reader.p < reader.end) {
            add_element(&bytes, next_element(&reader), encoding);
        }
    }
    out->kind = TOKEN_STRING;
    out->encoding = encoding;
    out->text = str_text(&bytes);
    out->length = (uint32_t)bytes.length;
}

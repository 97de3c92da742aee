#include "cli/json.h"

#include "cli/cli.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

void json_init(struct json *json, const char *text, size_t size)
{
    *json = (struct json){.start = text, .at = text, .end = text + size};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark
        json->at += 3;
    }
}

static void fail(struct json *json, const char *fault)
{
    if (json->fault == NULL) {
        json->fault = fault;
        json->fault_at = json->at;
    }
    json->at = json->end;
}

int json_fault_line(const struct json *json)
{
    int line = 1;
    for (const char *at = json->start; at < json->fault_at; at++) {
        line += *at == '\n';
    }
    return line;
}

static void skip_space(struct json *json)
{
    while (json->at < json->end && strchr(" \t\r\n", *json->at) != NULL && *json->at != '\0') {
        json->at++;
    }
}

char json_peek(struct json *json)
{
    skip_space(json);
    return json->at < json->end ? *json->at : '\0';
}

static bool take(struct json *json, char wanted)
{
    if (json_peek(json) != wanted) {
        return false;
    }
    json->at++;
    return true;
}

bool json_enter(struct json *json, char bracket)
{
    if (json_peek(json) != bracket) {
        json_skip(json);
        return false;
    }
    if (json->depth == MAX_DEPTH - 1) {
        fail(json, "it is nested too deeply");
        return false;
    }
    json->at++;
    json->depth++;
    assert(json->depth < MAX_DEPTH); // a bit of |has_items| each
    json->has_items &= ~(UINT64_C(1) << json->depth);
    return true;
}

// Comes to the next item of the container; false at its end, which is left, or at a fault.
static bool next_item(struct json *json, char bracket)
{
    assert(json->depth > 0 || json->fault != NULL);
    if (json->fault != NULL) {
        return false;
    }
    if (take(json, bracket)) {
        json->depth--;
        return false;
    }
    uint64_t bit = UINT64_C(1) << json->depth;
    if ((json->has_items & bit) != 0 && !take(json, ',')) {
        fail(json, json->at == json->end ? "the file ends in the middle" : "a comma or a closing bracket is missing");
        return false;
    }
    json->has_items |= bit;
    return true;
}

bool json_element(struct json *json)
{
    return next_item(json, ']');
}

bool json_member(struct json *json, char *key, size_t size)
{
    if (!next_item(json, '}')) {
        return false;
    }
    if (json_peek(json) != '"') {
        fail(json, json->at == json->end ? "the file ends in the middle" : "a member has no name");
        return false;
    }
    json_text(json, key, size);
    if (!take(json, ':')) {
        fail(json, "a colon is missing");
    }
    return json->fault == NULL;
}

// ---- text ---------------------------------------------------------------------------------------------------------

struct text {
    char *out;
    size_t used;
    size_t size;
    bool is_cut; // at a whole character: what comes later is dropped too
};

static void add_bytes(struct text *text, const char *bytes, size_t count)
{
    text->is_cut |= text->used + count >= text->size;
    if (!text->is_cut) {
        memcpy(text->out + text->used, bytes, count);
        text->used += count;
    }
}

static void add_code(struct text *text, uint32_t code)
{
    assert(code > 0 && code < 0x110000);
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i > 1; i--, code >>= 6) {
        bytes[i - 1] = (char)(0x80 | (code & 0x3f));
    }
    bytes[0] = (char)(heads[count] | code);
    add_bytes(text, bytes, count);
}

// The four digits after \u; 0xfffd after a fault.
static uint32_t take_hex(struct json *json)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = json->at < json->end ? *json->at : '\0';
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (digit < 0) {
            fail(json, "\\u needs four hexadecimal digits");
            return 0xfffd;
        }
        value = value * 16 + (uint32_t)digit;
        json->at++;
    }
    return value;
}

static void take_escape(struct json *json, struct text *text)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = json->at < json->end ? *json->at : '\0';
    const char *known = c != '\0' ? strchr(letters, c) : NULL;
    if (known != NULL) {
        json->at++;
        add_bytes(text, &meanings[known - letters], 1);
    } else if (c == 'u') {
        json->at++;
        uint32_t code = take_hex(json);
        bool is_high = code >= 0xd800 && code < 0xdc00;
        if (is_high && json->end - json->at >= 6 && json->at[0] == '\\' && json->at[1] == 'u') {
            json->at += 2;
            uint32_t low = take_hex(json);
            code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
        }
        add_code(text, (code >= 0xd800 && code < 0xe000) || code == 0 ? 0xfffd : code);
    } else {
        fail(json, "a backslash in a text is followed by something unknown");
    }
}

bool json_text(struct json *json, char *out, size_t size)
{
    assert(size > 0);
    struct text text = {.out = out, .size = size};
    out[0] = '\0';
    if (json_peek(json) != '"') {
        json_skip(json);
        return false;
    }
    json->at++;
    while (json->at < json->end && *json->at != '"') {
        size_t length = cli_character_size((const unsigned char *)json->at, (size_t)(json->end - json->at));
        if (*json->at == '\\') {
            json->at++;
            take_escape(json, &text);
        } else if ((unsigned char)*json->at < 0x20) {
            fail(json, "a text has a control character or no end");
        } else if (length == 0) {
            add_code(&text, 0xfffd);
            json->at++;
        } else {
            add_bytes(&text, json->at, length);
            json->at += length;
        }
    }
    out[text.used] = '\0';
    if (!take(json, '"')) {
        fail(json, "the file ends in the middle of a text");
    }
    return json->fault == NULL;
}

// ---- the rest -----------------------------------------------------------------------------------------------------

bool json_number(struct json *json, double *out)
{
    *out = 0;
    char c = json_peek(json);
    if (c != '-' && (c < '0' || c > '9')) {
        json_skip(json);
        return false;
    }
    char digits[64];
    size_t length = 0;
    while (json->at < json->end && *json->at != '\0' && strchr("+-.eE0123456789", *json->at) != NULL) {
        if (length < sizeof digits - 1) {
            digits[length++] = *json->at;
        }
        json->at++;
    }
    digits[length] = '\0';
    char *end;
    *out = strtod(digits, &end);
    if (*end != '\0') {
        fail(json, "a number is written wrongly");
    }
    return json->fault == NULL;
}

static void skip_word(struct json *json)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(json->end - json->at) >= length && memcmp(json->at, words[i], length) == 0) {
            json->at += length;
            return;
        }
    }
    fail(json, json->at == json->end ? "the file ends in the middle" : "this is no JSON");
}

// Not recursive beyond json_enter()'s depth.
void json_skip(struct json *json)
{
    char ignored[8];
    double number;
    switch (json_peek(json)) {
    case '{':
        if (json_enter(json, '{')) {
            while (json_member(json, ignored, sizeof ignored)) {
                json_skip(json);
            }
        }
        break;
    case '[':
        if (json_enter(json, '[')) {
            while (json_element(json)) {
                json_skip(json);
            }
        }
        break;
    case '"': json_text(json, ignored, sizeof ignored); break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': json_number(json, &number); break;
    default: skip_word(json); break;
    }
}

void json_finish(struct json *json)
{
    if (json_peek(json) != '\0' || json->at != json->end) {
        fail(json, "something stands after the end");
    }
}

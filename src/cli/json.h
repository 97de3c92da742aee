// Reads JSON from memory, value by value, so that a large file needs no tree of it. The first fault is kept, with its
// line; after it every call answers as if all had ended, so that who reads need look only once.
#ifndef RILL_CLI_JSON_H
#define RILL_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    const char *start; // borrowed
    const char *at;
    const char *end;
    const char *fault; // what is wrong; NULL: nothing so far
    const char *fault_at;
    int depth;
    uint64_t has_items; // bit d: the container at depth d has had an item
};

void json_init(struct json *json, const char *text, size_t size);
// The line of the fault, from 1.
int json_fault_line(const struct json *json);

// The first character of the next value: one of { [ " t f n - and digits; 0 at a fault or at the end.
char json_peek(struct json *json);
// Enters the object ('{') or the array ('[') that comes next; false, and it is skipped, if something else does.
bool json_enter(struct json *json, char bracket);
// The key of the entered object's next member, cut to |size|; false at the object's end, which is left.
bool json_member(struct json *json, char *key, size_t size);
// Whether the entered array has another element; false at its end, which is left.
bool json_element(struct json *json);

// The next value, which is skipped with false if it is of another kind. Text is cut to |size| at a whole character;
// what is no UTF-8 becomes U+FFFD.
bool json_text(struct json *json, char *out, size_t size);
bool json_number(struct json *json, double *out);
void json_skip(struct json *json);
// Nothing but white space is left; else that is a fault.
void json_finish(struct json *json);

#endif

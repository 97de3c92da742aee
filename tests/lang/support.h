// What the tests of the parser share.
#ifndef RILL_TESTS_LANG_SUPPORT_H
#define RILL_TESTS_LANG_SUPPORT_H

#include "astdump.h"
#include "test.h"

#include <string.h>

// The messages that |text| gives, copied out.
static inline const char *messages_of(const char *text)
{
    static char buffer[16384];
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text);
    snprintf(buffer, sizeof buffer, "%s", parsed_messages(&parsed));
    parsed_finish(&parsed);
    return buffer;
}

// The tree of the body of the function f in |text|, its lines joined by "; ", or the messages if there are errors.
static inline const char *body_of(const char *text)
{
    static char buffer[16384];
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text);
    struct function *function = parsed_function(&parsed, "f");
    struct str out;
    str_init(&out, &parsed.arena);
    if (parsed.diags.error_count > 0 || function == NULL || function->body == NULL) {
        snprintf(buffer, sizeof buffer, "%s", parsed_messages(&parsed));
        parsed_finish(&parsed);
        return buffer;
    }
    astdump_function(function, &out);
    size_t length = 0;
    bool skips = true; // up to the line of the body's block
    for (char *line = strtok(out.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        line += strspn(line, " ");
        if (!skips) {
            length += (size_t)snprintf(buffer + length, sizeof buffer - length, "%s%s", length > 0 ? "; " : "", line);
        }
        skips = skips && strcmp(line, "block") != 0;
    }
    buffer[length] = '\0';
    parsed_finish(&parsed);
    return buffer;
}

// The expression that is returned by a function with the given parameters: "(add<int> a 1)".
static inline const char *value_of(const char *declarations, const char *params, const char *expression)
{
    static char buffer[16384];
    snprintf(buffer, sizeof buffer, "%s\nvoid f(%s) { (void)(%s); }\n", declarations, params, expression);
    char *text = strdup(buffer);
    const char *body = body_of(text);
    free(text);
    if (strncmp(body, "expr (cast<void> ", 17) != 0) {
        return body;
    }
    snprintf(buffer, sizeof buffer, "%.*s", (int)(strlen(body) - 18), body + 17);
    return buffer;
}

// The type of an expression, in words.
static inline const char *type_of(const char *declarations, const char *expression)
{
    static char buffer[4096];
    char *text = NULL;
    if (asprintf(&text, "%s\n__typeof__(%s) *probe;\n", declarations, expression) < 0) {
        return "";
    }
    struct parsed parsed;
    parsed_init(&parsed, "test.c", text);
    struct object *probe = parsed_global(&parsed, "probe");
    bool is_good = parsed.diags.error_count == 0 && probe != NULL;
    snprintf(buffer, sizeof buffer, "%s",
             is_good ? type_describe(&parsed.arena, probe->type->base) : parsed_messages(&parsed));
    parsed_finish(&parsed);
    free(text);
    return buffer;
}

#endif

// For tests of the front end: source text in, the typed tree or the messages out.
#ifndef RILL_TESTS_SUPPORT_ASTDUMP_H
#define RILL_TESTS_SUPPORT_ASTDUMP_H

#include "base/str.h"
#include "lang/ast.h"

struct parsed {
    struct arena arena; // owned
    struct diags diags;
    struct unit *unit;
};

// Preprocesses and parses |text| as the file |path|. parsed_finish() frees everything.
void parsed_init(struct parsed *parsed, const char *path, const char *text);
void parsed_finish(struct parsed *parsed);
// The same, but the |fail_after|-th allocation fails and leaves through |escape|.
void parsed_init_failing(struct parsed *parsed, const char *path, const char *text, jmp_buf *escape,
                         uint64_t fail_after);

// Every message on a line of its own: "3:5: error: …", notes indented.
const char *parsed_messages(struct parsed *parsed);

// The tree as text, one statement a line, expressions as lists: (add int (obj n) 1).
void astdump_unit(const struct unit *unit, struct str *out);
void astdump_function(const struct function *function, struct str *out);
void astdump_expr(struct arena *arena, const struct expr *expr, struct str *out);

struct function *parsed_function(struct parsed *parsed, const char *name); // NULL if there is none
struct object *parsed_global(struct parsed *parsed, const char *name);

#endif

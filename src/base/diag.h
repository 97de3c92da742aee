// Diagnostics are a list: severity, place, text, and notes that point at the other places. A stage adds to the list and
// goes on; the compile failed if diag_error_count() is not zero. They are rendered with the source line and a caret.
#ifndef RILL_BASE_DIAG_H
#define RILL_BASE_DIAG_H

#include "base/arena.h"
#include "base/loc.h"
#include "base/str.h"

#include <stdbool.h>

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

struct diag {
    enum diag_severity severity;
    struct loc loc;
    const char *text;
};

// A file that the compile has read. The text is terminated by a zero byte that |length| does not count.
struct source_file {
    const char *path; // as it is shown
    const char *text;
    size_t length;
    struct loc included_from; // line 0: it is the main file
    bool builtin;             // one of Rill's own headers: no warnings from here
    int64_t line_shift;       // `#line`: a line of the text plus this is the line that a loc names
};

struct diags {
    struct arena *arena; // borrowed
    struct diag *items;  // a note belongs to the last item before it that is none
    int count;
    int capacity;
    int error_count;
    int warning_count;
    int error_limit;            // after so many errors the rest is only counted; 0 is the default of 50
    struct source_file **files; // indexed by loc.file
    int file_count;
    int file_capacity;
    bool last_dropped; // the last error or warning is not in |items|, so its notes are dropped too
};

void diags_init(struct diags *diags, struct arena *arena);

// Adds a file and returns its index. The text is borrowed and must live as long as the list.
uint32_t diags_add_file(struct diags *diags, struct source_file file);

void diag_error(struct diags *diags, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(struct diags *diags, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Attaches to the diagnostic before it; dropped if that one was dropped.
void diag_note(struct diags *diags, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

// "path:line:column: error: text", the line, and a caret under the column (tabs and UTF-8 respected).
void diag_render(const struct diags *diags, const struct diag *diag, bool color, struct str *out);
void diags_render_all(const struct diags *diags, bool color, struct str *out);

#endif

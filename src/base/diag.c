#include "base/diag.h"

#include "base/utf8.h"
#include "base/vec.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_ERROR_LIMIT = 50,
    WARNING_LIMIT = 1000, // a file that warns on every line must not fill the memory
    TAB_WIDTH = 4,
    SHOWN_WIDTH = 100, // columns of a source line that are shown
};

void diags_init(struct diags *diags, struct arena *arena)
{
    *diags = (struct diags){.arena = arena};
}

uint32_t diags_add_file(struct diags *diags, struct source_file file)
{
    assert(diags->file_count <= diags->file_capacity);
    struct source_file *copy = ARENA_NEW(diags->arena, struct source_file);
    *copy = file;
    if (diags->file_count == diags->file_capacity) {
        int capacity = diags->file_capacity == 0 ? 8 : 2 * diags->file_capacity;
        struct source_file **files = ARENA_ARRAY(diags->arena, struct source_file *, capacity);
        if (diags->file_count > 0) {
            memcpy(files, diags->files, sizeof *files * (size_t)diags->file_count);
        }
        diags->files = files;
        diags->file_capacity = capacity;
    }
    diags->files[diags->file_count] = copy;
    return (uint32_t)diags->file_count++;
}

static const struct source_file *file_of(const struct diags *diags, struct loc loc)
{
    return loc.line != 0 && loc.file < (uint32_t)diags->file_count ? diags->files[loc.file] : NULL;
}

static void add(struct diags *diags, enum diag_severity severity, struct loc loc, const char *format, va_list args)
{
    VEC_PUSH(diags->arena, diags,
             (struct diag){.severity = severity, .loc = loc, .text = arena_vprintf(diags->arena, format, args)});
}

void diag_error(struct diags *diags, struct loc loc, const char *format, ...)
{
    int limit = diags->error_limit > 0 ? diags->error_limit : DEFAULT_ERROR_LIMIT;
    diags->last_dropped = diags->error_count++ >= limit;
    if (!diags->last_dropped) {
        va_list args;
        va_start(args, format);
        add(diags, DIAG_ERROR, loc, format, args);
        va_end(args);
    }
}

void diag_warning(struct diags *diags, struct loc loc, const char *format, ...)
{
    const struct source_file *file = file_of(diags, loc);
    if (file != NULL && file->builtin) {
        diags->last_dropped = true;
        return;
    }
    diags->last_dropped = diags->warning_count++ >= WARNING_LIMIT;
    if (!diags->last_dropped) {
        va_list args;
        va_start(args, format);
        add(diags, DIAG_WARNING, loc, format, args);
        va_end(args);
    }
}

void diag_note(struct diags *diags, struct loc loc, const char *format, ...)
{
    if (diags->last_dropped) {
        return;
    }
    va_list args;
    va_start(args, format);
    add(diags, DIAG_NOTE, loc, format, args);
    va_end(args);
}

// A character of the source as it is shown.
struct glyph {
    uint32_t code;
    int size;  // bytes it takes in the source
    int width; // columns it takes on the screen
};

static int width_of(uint32_t code)
{
    static const uint32_t combining[][2] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const uint32_t wide[][2] = {{0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
                                       {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof combining / sizeof *combining; i++) {
        if (code >= combining[i][0] && code <= combining[i][1]) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (code >= wide[i][0] && code <= wide[i][1]) {
            return 2;
        }
    }
    return 1;
}

// What must not reach a terminal as it stands (control bytes, broken UTF-8, direction marks) is U+FFFD.
static struct glyph glyph_at(const char *text, size_t left, int column)
{
    struct glyph glyph = {.code = 0xfffd, .size = 1, .width = 1};
    uint32_t code;
    int size = utf8_decode(text, left, &code);
    if (size == 0) {
        return glyph;
    }
    glyph.size = size;
    if (code == '\t') {
        glyph.code = '\t';
        glyph.width = TAB_WIDTH - column % TAB_WIDTH;
    } else if (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) && !(code >= 0x202a && code <= 0x202e) &&
               !(code >= 0x2066 && code <= 0x2069)) {
        glyph.code = code;
        glyph.width = width_of(code);
    }
    return glyph;
}

static void add_glyph(struct str *out, const char *text, struct glyph glyph)
{
    if (glyph.code == '\t') {
        for (int i = 0; i < glyph.width; i++) {
            str_add_char(out, ' ');
        }
    } else if (glyph.code == 0xfffd) {
        str_add(out, "\xef\xbf\xbd");
    } else {
        str_add_n(out, text, (size_t)glyph.size);
    }
}

// The parts of a message come from the source too.
static void add_clean(struct str *out, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        struct glyph glyph = glyph_at(text, left, 0);
        if (*text == '\n') {
            str_add_char(out, '\n');
        } else {
            add_glyph(out, text, glyph);
        }
        text += glyph.size;
        left -= (size_t)glyph.size;
    }
}

static bool find_line(const struct source_file *file, uint32_t line, const char **out_text, size_t *out_length)
{
    const char *p = file->text, *end = file->text + file->length;
    for (uint32_t n = 1; n < line; n++) {
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (p == NULL) {
            return false;
        }
        p++;
    }
    const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    stop = stop == NULL ? end : stop;
    if (stop > p && stop[-1] == '\r') {
        stop--;
    }
    *out_text = p;
    *out_length = (size_t)(stop - p);
    return true;
}

static int caret_column(const char *text, size_t length, uint32_t column)
{
    int shown = 0;
    for (size_t i = 0; i < length && i + 1 < column;) {
        struct glyph glyph = glyph_at(text + i, length - i, shown);
        if (i + (size_t)glyph.size >= column) {
            break; // the column is inside this character
        }
        shown += glyph.width;
        i += (size_t)glyph.size;
    }
    return shown;
}

// The line from column |first| on, at most SHOWN_WIDTH columns of it, with dots where something was cut off.
static void add_line(struct str *out, const char *text, size_t length, int first)
{
    int column = 0;
    if (first > 0) {
        str_add(out, "...");
    }
    for (size_t i = 0; i < length;) {
        struct glyph glyph = glyph_at(text + i, length - i, column);
        if (column + glyph.width > first + SHOWN_WIDTH) {
            str_add(out, "...");
            return;
        }
        if (column >= first) {
            add_glyph(out, text + i, glyph);
        } else if (column + glyph.width > first) {
            for (int k = first; k < column + glyph.width; k++) {
                str_add_char(out, ' ');
            }
        }
        column += glyph.width;
        i += (size_t)glyph.size;
    }
}

static void render_source(const struct source_file *file, struct loc loc, bool color, struct str *out)
{
    const char *text;
    size_t length;
    if (!find_line(file, loc.line - (uint32_t)file->line_shift, &text, &length)) {
        return;
    }
    int caret = caret_column(text, length, loc.column);
    int first = caret >= SHOWN_WIDTH - 20 ? caret - SHOWN_WIDTH / 2 : 0;
    str_printf(out, "%5u | ", loc.line);
    add_line(out, text, length, first);
    str_add(out, "\n      | ");
    for (int i = first > 0 ? first - 3 : 0; i < caret; i++) {
        str_add_char(out, ' ');
    }
    str_add(out, color ? "\x1b[1;32m^\x1b[0m\n" : "^\n");
}

static void render_includes(const struct diags *diags, const struct source_file *file, struct str *out)
{
    struct loc from = file->included_from;
    const struct source_file *parent = file_of(diags, from);
    for (int i = 0; parent != NULL && i < 100; i++) {
        str_add(out, "In file included from ");
        add_clean(out, parent->path);
        str_printf(out, ":%u:\n", from.line);
        from = parent->included_from;
        parent = file_of(diags, from);
    }
}

void diag_render(const struct diags *diags, const struct diag *diag, bool color, struct str *out)
{
    static const char *const words[] = {"note", "warning", "error"};
    static const char *const colors[] = {"\x1b[1;36m", "\x1b[1;35m", "\x1b[1;31m"};
    const struct source_file *file = file_of(diags, diag->loc);
    if (file != NULL && diag->severity != DIAG_NOTE) {
        render_includes(diags, file, out);
    }
    str_add(out, color ? "\x1b[1m" : "");
    if (file != NULL) {
        add_clean(out, file->path);
        str_printf(out, ":%u:%u: ", diag->loc.line, diag->loc.column);
    }
    str_printf(out, "%s%s: %s", color ? colors[diag->severity] : "", words[diag->severity], color ? "\x1b[0m" : "");
    add_clean(out, diag->text);
    str_add_char(out, '\n');
    if (file != NULL) {
        render_source(file, diag->loc, color, out);
    }
}

void diags_render_all(const struct diags *diags, bool color, struct str *out)
{
    int errors = 0;
    for (int i = 0; i < diags->count; i++) {
        diag_render(diags, &diags->items[i], color, out);
        errors += diags->items[i].severity == DIAG_ERROR;
    }
    if (diags->error_count > errors) {
        str_printf(out, "%d more errors are not shown\n", diags->error_count - errors);
    }
}

// The timeline in characters. A bar holds its task's name where that fits; tasks too short for a bar of their own share
// one character.
#include "cli/timeline.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LABEL_WIDTH = 18, MIN_WIDTH = 40, MAX_WIDTH = 400 };

static bool is_utf8(void)
{
    const char *const values[] = {getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")};
    for (int i = 0; i < 3; i++) {
        const char *value = values[i];
        if (value != NULL && *value != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL || strstr(value, "utf-8") != NULL;
        }
    }
    return false;
}

struct timeline_style timeline_style(FILE *stream)
{
    struct timeline_style style = {.width = 80, .color = cli_color(stream), .utf8 = is_utf8(), .task_limit = 20};
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns != NULL && atoi(columns) > 0) {
        style.width = atoi(columns);
    } else if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        style.width = size.ws_col;
    }
    return style;
}

// The pieces of a bar.
struct pieces {
    const char *open;
    const char *line;
    const char *close;
    const char *one; // a bar of one character
};

static const struct pieces plain = {.open = "[", .line = "=", .close = "]", .one = "#"};
static const struct pieces drawn = {.open = "├", .line = "─", .close = "┤", .one = "█"};

// What stands in one column: part of a bar, of a name, or nothing.
struct cell {
    const char *text; // NULL: nothing
    char letter;      // of a name; text is NULL then
    int color;
};

static int color_of(const char *kernel)
{
    static const int colors[] = {36, 33, 32, 35, 34, 31};
    unsigned hash = 0;
    for (; *kernel != '\0'; kernel++) {
        hash = hash * 31 + (unsigned char)*kernel;
    }
    return colors[hash % (sizeof colors / sizeof colors[0])];
}

static int column_of(const struct timeline *timeline, int columns, double time)
{
    double column = timeline->span > 0 ? time / timeline->span * columns : 0;
    return column < 0 ? 0 : column >= columns ? columns - 1 : (int)column;
}

static void put_bar(struct cell *cells, int from, int to, const struct timeline_task *task, const struct pieces *pieces)
{
    assert(0 <= from && from <= to && to < MAX_WIDTH);
    int color = color_of(task->kernel);
    if (to - from < 2) {
        for (int i = from; i <= to; i++) {
            cells[i] = (struct cell){.text = pieces->one, .color = color};
        }
        return;
    }
    for (int i = from; i <= to; i++) {
        cells[i] = (struct cell){.text = i == from ? pieces->open
                                         : i == to ? pieces->close
                                                   : pieces->line,
                                 .color = color};
    }
    int room = to - from - 1;
    int length = (int)strlen(task->name);
    for (int i = 0; i < length && length <= room; i++) {
        char c = task->name[i];
        cells[from + 1 + i] = (struct cell){.letter = c >= 0x20 && c < 0x7f ? c : '?', .color = color};
    }
}

static void print_cells(const struct cell *cells, int count, bool color, FILE *out)
{
    int last = count;
    while (last > 0 && cells[last - 1].text == NULL && cells[last - 1].letter == '\0') {
        last--;
    }
    int now = 0;
    for (int i = 0; i < last; i++) {
        if (color && cells[i].color != now) {
            now = cells[i].color;
            fprintf(out, "\033[%dm", now);
        }
        if (cells[i].text != NULL) {
            fputs(cells[i].text, out);
        } else {
            fputc(cells[i].letter != '\0' ? cells[i].letter : ' ', out);
        }
    }
    fputs(now != 0 ? "\033[0m\n" : "\n", out);
}

// One row of the drawing while it is made.
struct row {
    struct cell cells[MAX_WIDTH];
    int next; // the first column that no bar covers: a later task shorter than a column leaves the bar before it whole
};

static void put_task(const struct timeline *timeline, const struct timeline_task *task, struct row *row, int columns,
                     const struct pieces *pieces)
{
    int from = column_of(timeline, columns, task->begin);
    int to = (int)ceil(timeline->span > 0 ? task->end / timeline->span * columns : 1) - 1;
    to = to < from ? from : to >= columns ? columns - 1 : to;
    from = from < row->next ? row->next : from;
    if (from <= to) {
        put_bar(row->cells, from, to, task, pieces);
        row->next = to + 1;
    }
}

static void draw_rows(const struct timeline *timeline, int columns, const struct timeline_style *style, FILE *out)
{
    struct row *rows = calloc(timeline->row_count, sizeof *rows);
    if (rows == NULL) {
        fputs("(no memory to draw it)\n", out);
        return;
    }
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_task *task = &timeline->tasks[i];
        put_task(timeline, task, &rows[task->row], columns, style->utf8 ? &drawn : &plain);
    }
    for (size_t i = 0; i < timeline->row_count; i++) {
        char name[64];
        timeline_row_name(&timeline->rows[i], name, sizeof name);
        fprintf(out, "%-*.*s ", LABEL_WIDTH, LABEL_WIDTH, name);
        print_cells(rows[i].cells, columns, style->color, out);
    }
    free(rows);
}

static void draw_axis(const struct timeline *timeline, int columns, FILE *out)
{
    char line[MAX_WIDTH + 1];
    memset(line, ' ', (size_t)columns);
    line[columns] = '\0';
    double step = timeline_step(timeline->span, columns / 12);
    for (double at = 0; timeline->span > 0 && at < timeline->span; at += step) {
        char text[32];
        snprintf(text, sizeof text, "|%.6g", at);
        size_t column = (size_t)column_of(timeline, columns, at);
        if (column + strlen(text) <= (size_t)columns) {
            memcpy(line + column, text, strlen(text));
        }
    }
    fprintf(out, "%-*s %s\n", LABEL_WIDTH, "ms", line);
}

// Words, in lines of at most |width| columns that begin with |indent| blanks.
static void print_wrapped(const char *text, int indent, int width, FILE *out)
{
    int column = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column == 0 || column + 1 + length > width) {
            fprintf(out, "%s%*s", column == 0 ? "" : "\n", indent, "");
            column = indent;
        } else {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_list(const struct timeline *timeline, const struct timeline_style *style, int width, FILE *out)
{
    size_t limit = (size_t)style->task_limit;
    if (limit == 0) {
        return;
    }
    fputs("\n  begin ms        ms  task\n", out);
    for (size_t i = 0; i < timeline->count && i < limit; i++) {
        const struct timeline_task *task = &timeline->tasks[i];
        char where[64];
        char text[768];
        const char *slash = strrchr(task->file, '/');
        timeline_row_name(&timeline->rows[task->row], where, sizeof where);
        fprintf(out, "%10.3f %9.3f  %s\n", task->begin, task->end - task->begin, task->name);
        char who[64];
        snprintf(who, sizeof who, "thread %d%s", task->thread, strcmp(task->way, "shared") == 0 ? " and others" : "");
        snprintf(text, sizeof text, "%s:%d, %s, %s: %s", slash != NULL ? slash + 1 : task->file, task->line, where,
                 task->thread >= 0 ? who : task->way, task->why); // a GPU has no threads of the host
        print_wrapped(text, 22, width, out);
    }
    if (timeline->count > limit) {
        fprintf(out, "... and %zu more: --tasks %zu lists all\n", timeline->count - limit, timeline->count);
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

// What the library said while this ran: conflicts, races, why something waited, loops in order.
static void print_remarks(const struct timeline *timeline, FILE *out)
{
    for (size_t i = 0; i < timeline->remark_count; i++) {
        fprintf(out, "%s%s\n", i == 0 ? "\nlogged\n  " : "  ", timeline->remarks[i]);
    }
}

void timeline_draw(const struct timeline *timeline, const struct timeline_style *style, FILE *out)
{
    if (timeline->count == 0) {
        fputs("no task ran\n", out);
        print_remarks(timeline, out);
        return;
    }
    int width = style->width < MIN_WIDTH ? MIN_WIDTH : style->width > MAX_WIDTH ? MAX_WIDTH : style->width;
    int columns = width - LABEL_WIDTH - 1;
    size_t streams = (size_t)timeline->stream_count;
    size_t threads = (size_t)timeline->thread_count;
    char where[160];
    snprintf(where, sizeof where, "%zu thread%s", threads, plural(threads));
    fprintf(out, "%zu task%s on %zu stream%s, %s: %.3f ms,\nfor %.3f ms of it (%.0f%%) two or more at once\n",
            timeline->count, plural(timeline->count), streams, plural(streams),
            timeline->device[0] != '\0' ? timeline->device : where, timeline->span, timeline->overlapped,
            timeline->span > 0 ? 100 * timeline->overlapped / timeline->span : 0);
    if (timeline->lost_count > 0) {
        fprintf(out, "%.0f more were lost: no memory for them, or the device did not say when they ran\n",
                timeline->lost_count);
    }
    fputc('\n', out);
    draw_axis(timeline, columns, out);
    draw_rows(timeline, columns, style, out);
    print_list(timeline, style, width, out);
    print_remarks(timeline, out);
}

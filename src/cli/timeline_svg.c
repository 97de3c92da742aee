// The timeline as SVG: one file that a browser opens; pointing at a task shows what is known of it.
#include "cli/timeline.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { LEFT = 150, WIDTH = 1200, ROW = 28, TOP = 56, LETTER = 7 };

// XML has no control characters, not even as references, and two others that it lacks.
static void write_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        switch (c) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        default:
            if (c < 0x20 || c == 0x7f) {
                fputs("\xef\xbf\xbd", file);
            } else if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
                fputs("\xef\xbf\xbd", file);
                text += 2;
            } else {
                fputc(c, file); // valid UTF-8: json_text() saw to that
            }
        }
    }
}

static unsigned hue_of(const char *kernel)
{
    unsigned hash = 7;
    for (; *kernel != '\0'; kernel++) {
        hash = hash * 131 + (unsigned char)*kernel;
    }
    return hash % 360;
}

static double x_of(const struct timeline *timeline, double time)
{
    return LEFT + (timeline->span > 0 ? time / timeline->span : 0) * (WIDTH - LEFT - 20);
}

static void write_task(FILE *file, const struct timeline *timeline, const struct timeline_task *task)
{
    double from = x_of(timeline, task->begin);
    double width = x_of(timeline, task->end) - from;
    int y = TOP + task->row * ROW;
    fprintf(file, "<g><title>");
    write_escaped(file, task->name);
    fprintf(file, " of kernel ");
    write_escaped(file, task->kernel);
    fprintf(file, ", ");
    write_escaped(file, task->file);
    fprintf(file, ":%d&#10;%.3f ms from %.3f ms on, ", task->line, task->end - task->begin, task->begin);
    if (task->thread >= 0) { // a GPU has no threads of the host
        fprintf(file, "thread %d, ", task->thread);
    }
    fprintf(file, "ran %s&#10;", task->way);
    write_escaped(file, task->why);
    fprintf(file,
            "</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"hsl(%u,60%%,72%%)\"/>",
            from, y + 3, width < 0.5 ? 0.5 : width, ROW - 6, hue_of(task->kernel));
    if (width > (double)(LETTER * strlen(task->name) + 6)) {
        fprintf(file, "<text x=\"%.2f\" y=\"%d\">", from + 4, y + 18);
        write_escaped(file, task->name);
        fputs("</text>", file);
    }
    fputs("</g>\n", file);
}

static void write_axis(FILE *file, const struct timeline *timeline, int bottom)
{
    double step = timeline_step(timeline->span, 10);
    for (double at = 0; timeline->span > 0 && at <= timeline->span; at += step) {
        double x = x_of(timeline, at);
        fprintf(file, "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"#ddd\"/>", x, TOP - 4, x, bottom);
        fprintf(file, "<text x=\"%.2f\" y=\"%d\" fill=\"#666\">%.6g ms</text>\n", x + 2, TOP - 8, at);
    }
}

static void write_svg(FILE *file, const struct timeline *timeline)
{
    int bottom = TOP + (int)timeline->row_count * ROW;
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"monospace\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, bottom + 20, WIDTH, bottom + 20);
    fprintf(file, "<text x=\"8\" y=\"20\">tasks %zu, streams %d, ", timeline->count, timeline->stream_count);
    if (timeline->device[0] != '\0') {
        write_escaped(file, timeline->device);
    } else {
        fprintf(file, "threads %d", timeline->thread_count);
    }
    fprintf(file, "; %.3f ms, %.3f ms of it two or more at once</text>\n", timeline->span, timeline->overlapped);
    write_axis(file, timeline, bottom);
    for (size_t i = 0; i < timeline->row_count; i++) {
        char name[64];
        timeline_row_name(&timeline->rows[i], name, sizeof name);
        fprintf(file, "<text x=\"8\" y=\"%d\">%s</text>\n", TOP + (int)i * ROW + 18, name);
    }
    for (size_t i = 0; i < timeline->count; i++) {
        write_task(file, timeline, &timeline->tasks[i]);
    }
    fputs("</svg>\n", file);
}

int timeline_write_svg(const struct timeline *timeline, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    if (file == NULL) {
        return cli_fail(CLI_FILE, "cannot write '%s': %s", path, strerror(errno));
    }
    write_svg(file, timeline);
    bool has_failed = ferror(file) != 0;
    if (file != stdout) {
        has_failed = fclose(file) != 0 || has_failed;
    }
    return has_failed ? cli_fail(CLI_FILE, "cannot write '%s': %s", path, strerror(errno)) : CLI_OK;
}

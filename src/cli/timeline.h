// What a trace file tells: which task ran when, and on which stream. Drawn in the terminal and as SVG.
#ifndef RILL_CLI_TIMELINE_H
#define RILL_CLI_TIMELINE_H

#include "cli/cli.h"

struct timeline_task {
    char name[64];
    char kernel[64];
    char file[96];
    char why[256];
    char way[16];
    int line;
    int stream; // from 1
    int group;  // the stream_parallel block; 0: none
    int thread;
    double begin; // milliseconds from the first task on
    double end;
    int row;
};

struct timeline_row {
    int stream;
    int group;
    int depth; // a block of a stream that has other rows too
};

struct timeline {
    struct timeline_task *tasks; // owned, by their begin
    size_t count;
    size_t capacity;
    struct timeline_row *rows; // owned, by stream and group
    size_t row_count;
    int stream_count;
    int thread_count; // of the pool
    char device[96];  // "": the host's threads
    double lost_count;
    char **remarks; // owned: what was logged meanwhile
    size_t remark_count;
    double span;       // milliseconds from the first begin to the last end
    double overlapped; // of these, with two tasks or more at once
};

// Reads the file. cli_exit, after a message that names it. timeline_finish() in any case.
int timeline_read(const char *path, struct timeline *out);
void timeline_finish(struct timeline *timeline);

struct timeline_style {
    int width; // columns
    bool color;
    bool utf8;
    int task_limit; // tasks in the list below the drawing
};

// What the environment and the terminal at |stream| allow.
struct timeline_style timeline_style(FILE *stream);
void timeline_draw(const struct timeline *timeline, const struct timeline_style *style, FILE *out);
// cli_exit, after a message.
int timeline_write_svg(const struct timeline *timeline, const char *path);

// Where a row is: "stream 2", "stream 2 block 1".
void timeline_row_name(const struct timeline_row *row, char *out, size_t size);
// A step of 1, 2 or 5 times a power of ten that cuts |span| into at most |most| parts.
double timeline_step(double span, int most);

#endif

#include "cli/timeline.h"

#include "cli/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading ------------------------------------------------------------------------------------------------------

// What of a file shows that Rill wrote it.
struct origin {
    bool has_events;
    bool is_rill;
};

static int clamp_int(double value)
{
    return value >= -1e9 && value <= 1e9 ? (int)value : 0;
}

static void read_args(struct json *json, struct timeline_task *task)
{
    char key[32];
    if (!json_enter(json, '{')) {
        return;
    }
    while (json_member(json, key, sizeof key)) {
        double number = 0;
        if (strcmp(key, "kernel") == 0) {
            json_text(json, task->kernel, sizeof task->kernel);
        } else if (strcmp(key, "file") == 0) {
            json_text(json, task->file, sizeof task->file);
        } else if (strcmp(key, "why") == 0) {
            json_text(json, task->why, sizeof task->why);
        } else if (strcmp(key, "ran") == 0) {
            json_text(json, task->way, sizeof task->way);
        } else if (strcmp(key, "line") == 0 && json_number(json, &number)) {
            task->line = clamp_int(number);
        } else if (strcmp(key, "thread") == 0 && json_number(json, &number)) {
            task->thread = clamp_int(number);
        } else if (strcmp(key, "line") != 0 && strcmp(key, "thread") != 0) {
            json_skip(json);
        }
    }
}

// False if the event is none of a task.
static bool read_event(struct json *json, struct timeline_task *task)
{
    *task = (struct timeline_task){0};
    char key[32];
    char phase[4] = "";
    double stream = 0;
    double group = 0;
    double begin = -1;
    double duration = -1;
    if (!json_enter(json, '{')) {
        return false;
    }
    while (json_member(json, key, sizeof key)) {
        if (strcmp(key, "ph") == 0) {
            json_text(json, phase, sizeof phase);
        } else if (strcmp(key, "name") == 0) {
            json_text(json, task->name, sizeof task->name);
        } else if (strcmp(key, "pid") == 0) {
            json_number(json, &stream);
        } else if (strcmp(key, "tid") == 0) {
            json_number(json, &group);
        } else if (strcmp(key, "ts") == 0) {
            json_number(json, &begin);
        } else if (strcmp(key, "dur") == 0) {
            json_number(json, &duration);
        } else if (strcmp(key, "args") == 0) {
            read_args(json, task);
        } else {
            json_skip(json);
        }
    }
    task->stream = clamp_int(stream);
    task->group = clamp_int(group);
    task->begin = begin * 1e-3;
    task->end = (begin + duration) * 1e-3;
    return strcmp(phase, "X") == 0 && begin >= 0 && duration >= 0 && begin + duration < 1e15;
}

static bool add_task(struct timeline *timeline, const struct timeline_task *task)
{
    if (timeline->count == timeline->capacity) {
        size_t capacity = timeline->capacity > 0 ? 2 * timeline->capacity : 64;
        struct timeline_task *larger = realloc(timeline->tasks, capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        timeline->tasks = larger;
        timeline->capacity = capacity;
    }
    timeline->tasks[timeline->count++] = *task;
    return true;
}

// False without memory.
static bool read_events(struct json *json, struct timeline *timeline)
{
    bool has_memory = true;
    if (!json_enter(json, '[')) {
        return true;
    }
    while (json_element(json)) {
        struct timeline_task task;
        if (read_event(json, &task) && has_memory) {
            has_memory = add_task(timeline, &task);
        }
    }
    return has_memory;
}

// What does not fit into memory is left out.
static void read_remarks(struct json *json, struct timeline *timeline)
{
    if (!json_enter(json, '[')) {
        return;
    }
    while (json_element(json)) {
        char text[1024] = "";
        json_text(json, text, sizeof text);
        char **larger = realloc(timeline->remarks, (timeline->remark_count + 1) * sizeof *larger);
        char *copy = larger != NULL ? strdup(text) : NULL;
        timeline->remarks = larger != NULL ? larger : timeline->remarks;
        if (copy != NULL) {
            timeline->remarks[timeline->remark_count++] = copy;
        }
        for (char *at = copy; at != NULL && *at != '\0'; at++) {
            *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        }
    }
}

static void read_origin(struct json *json, struct timeline *timeline, struct origin *origin)
{
    char key[32];
    if (!json_enter(json, '{')) {
        return;
    }
    while (json_member(json, key, sizeof key)) {
        double number = 0;
        char text[16];
        if (strcmp(key, "producer") == 0) {
            origin->is_rill = json_text(json, text, sizeof text) && strcmp(text, "rill") == 0;
        } else if (strcmp(key, "threads") == 0) {
            json_number(json, &number);
            timeline->thread_count = clamp_int(number);
        } else if (strcmp(key, "device") == 0) {
            json_text(json, timeline->device, sizeof timeline->device);
            for (char *at = timeline->device; *at != '\0'; at++) {
                *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
            }
        } else if (strcmp(key, "lost") == 0) {
            json_number(json, &timeline->lost_count);
        } else if (strcmp(key, "remarks") == 0) {
            read_remarks(json, timeline);
        } else {
            json_skip(json);
        }
    }
}

// ---- putting in order ---------------------------------------------------------------------------------------------

static int by_begin(const void *a, const void *b)
{
    const struct timeline_task *x = a;
    const struct timeline_task *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_place(const void *a, const void *b)
{
    const struct timeline_row *x = a;
    const struct timeline_row *y = b;
    return x->stream != y->stream ? (x->stream > y->stream) - (x->stream < y->stream)
                                  : (x->group > y->group) - (x->group < y->group);
}

// One row for each stream and group that has tasks.
static bool make_rows(struct timeline *timeline)
{
    struct timeline_row *rows = calloc(timeline->count, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < timeline->count; i++) {
        rows[i] = (struct timeline_row){.stream = timeline->tasks[i].stream, .group = timeline->tasks[i].group};
    }
    qsort(rows, timeline->count, sizeof *rows, by_place);
    size_t count = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        if (count == 0 || by_place(&rows[count - 1], &rows[i]) != 0) {
            timeline->stream_count += count == 0 || rows[count - 1].stream != rows[i].stream;
            rows[i].depth = count > 0 && rows[count - 1].stream == rows[i].stream;
            rows[count++] = rows[i];
        }
    }
    timeline->rows = rows;
    timeline->row_count = count;
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_task *task = &timeline->tasks[i];
        struct timeline_row place = {.stream = task->stream, .group = task->group};
        struct timeline_row *row = bsearch(&place, rows, count, sizeof *rows, by_place);
        assert(row != NULL); // made of the same tasks
        task->row = (int)(row - rows);
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The time in which two tasks or more ran: a sweep over begins and ends.
static bool measure_overlap(struct timeline *timeline)
{
    double *ends = malloc(timeline->count * sizeof *ends);
    if (ends == NULL) {
        return false;
    }
    for (size_t i = 0; i < timeline->count; i++) {
        ends[i] = timeline->tasks[i].end;
    }
    qsort(ends, timeline->count, sizeof *ends, by_value);
    size_t begun = 0;
    double before = 0;
    for (size_t ended = 0; ended < timeline->count;) {
        bool is_begin = begun < timeline->count && timeline->tasks[begun].begin <= ends[ended];
        double now = is_begin ? timeline->tasks[begun].begin : ends[ended];
        timeline->overlapped += begun - ended >= 2 ? now - before : 0;
        assert(begun >= ended); // no task ends before it begins
        before = now;
        begun += is_begin;
        ended += !is_begin;
    }
    timeline->span = ends[timeline->count - 1];
    free(ends);
    return true;
}

static bool put_in_order(struct timeline *timeline)
{
    assert(timeline->count > 0);
    qsort(timeline->tasks, timeline->count, sizeof *timeline->tasks, by_begin);
    double start = timeline->tasks[0].begin;
    for (size_t i = 0; i < timeline->count; i++) {
        timeline->tasks[i].begin -= start;
        timeline->tasks[i].end -= start;
    }
    return make_rows(timeline) && measure_overlap(timeline);
}

static int parse(const char *path, const char *text, size_t size, struct timeline *out)
{
    struct json json;
    struct origin origin = {0};
    bool has_memory = true;
    char key[32];
    json_init(&json, text, size);
    if (json_peek(&json) != '{') {
        return cli_fail(CLI_FAILED, "'%s' is no trace: it does not begin with '{'", path);
    }
    json_enter(&json, '{');
    while (json_member(&json, key, sizeof key)) {
        if (strcmp(key, "traceEvents") == 0) {
            origin.has_events = true;
            has_memory = read_events(&json, out);
        } else if (strcmp(key, "otherData") == 0) {
            read_origin(&json, out, &origin);
        } else {
            json_skip(&json);
        }
    }
    json_finish(&json);
    if (json.fault != NULL) {
        return cli_fail(CLI_FAILED, "'%s' is no trace, line %d: %s", path, json_fault_line(&json), json.fault);
    }
    if (!origin.has_events || !origin.is_rill) {
        return cli_fail(CLI_FAILED,
                        "'%s' is %s, not a trace that Rill wrote (RILL_TRACE=FILE or rill run --trace FILE)", path,
                        origin.has_events ? "another program's trace" : "some other JSON");
    }
    if (!has_memory || (out->count > 0 && !put_in_order(out))) {
        return cli_fail(CLI_FAILED, "'%s': out of memory", path);
    }
    return CLI_OK;
}

static const size_t max_trace_size = (size_t)1 << 30; // a device that never ends is no trace

int timeline_read(const char *path, struct timeline *out)
{
    *out = (struct timeline){0};
    size_t size;
    char *text = cli_read_file(path, max_trace_size, &size);
    if (text == NULL) {
        return CLI_FILE;
    }
    int code = parse(path, text, size, out);
    free(text);
    return code;
}

void timeline_finish(struct timeline *timeline)
{
    free(timeline->tasks);
    free(timeline->rows);
    for (size_t i = 0; i < timeline->remark_count; i++) {
        free(timeline->remarks[i]);
    }
    free(timeline->remarks);
    *timeline = (struct timeline){0};
}

void timeline_row_name(const struct timeline_row *row, char *out, size_t size)
{
    if (row->group == 0) {
        snprintf(out, size, "stream %d", row->stream);
    } else {
        snprintf(out, size, "stream %d block %d", row->stream, row->group);
    }
}

double timeline_step(double span, int most)
{
    if (!(span > 0) || most < 1) {
        return 1;
    }
    double power = pow(10, floor(log10(span / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++) {
        if (span / (factors[i] * power) <= most) {
            return factors[i] * power;
        }
    }
    return 10 * power;
}

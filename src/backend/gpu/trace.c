// The trace of a GPU: see trace.h.
//
// The driver gives times between two events, as a float of milliseconds: over a second that is finer than its clock,
// over an hour it is not. So tasks are placed by a base event that is at most a second older than their launch, and
// bases by the one before. The first base was waited for, between two looks at the host's clock.
#include "backend/gpu/trace.h"

#include "backend/gpu/run.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_WAITS = 8,        // events that a stream waits for in a row and that are told apart
    COLLECT_COUNT = 256,  // tasks that have not been read before somebody looks which have run
    FIRST_BASE_TRIES = 4, // the one that took least is kept
    MAX_HELD = 16,        // streams whose tasks wait for an earlier one, told apart
};

#define BASE_PERIOD UINT64_C(1000000000) // nanoseconds

struct trace_base {
    struct trace_base *previous; // owned
    void *event;                 // owned
    uint64_t queued;             // on the host's clock
    uint64_t at;                 // the same for what the device did; set by who collects
    bool is_known;               //
};

struct waited_mark {
    struct gpu_mark *mark; // one reference
    uint64_t stream;
    bool has_stood;
};

struct gpu_trace_wait {
    struct gpu_trace_wait *next; // in the free list
    int reference_count;         // guarded by the trace's lock
    void *arrival;               // owned event: the stream came to the first of the waits
    bool has_arrived;            // it was recorded
    int count;
    struct waited_mark marks[MAX_WAITS];
};

struct gpu_trace_task {
    struct gpu_trace_task *next; // in the free list, or queued later
    void *begin;                 // owned events
    void *end;                   //
    bool is_timed;               // |begin| was recorded
    bool is_captured;
    const struct trace_base *base;
    struct gpu_trace_wait *wait; // one reference; NULL: none
    char task[64];
    char kernel[64];
    char file[96];
    char way_text[160];
    const char *way;
    uint32_t line;
    uint32_t piece_count;
    int group;
    uint64_t stream;
    struct trace_cause cause;
};

struct gpu_trace {
    struct trace *file; // owned
    void *stream;       // owned: of the base events
    struct thread_mutex lock;
    struct trace_base *base;      // owned, and those before it: the newest; guarded by lock, and so is what follows
    struct gpu_trace_task *first; // owned: launched and not read yet, in the order of their launches
    struct gpu_trace_task *last;  //
    size_t count;                 //
    size_t collect_at;            // |count| from which on somebody looks
    struct gpu_trace_task *free_tasks;
    struct gpu_trace_wait *free_waits;
    atomic_bool is_rebasing;   // somebody makes a base
    atomic_bool is_collecting; // somebody reads tasks; the times of bases are his
};

// ---- what is used again -------------------------------------------------------------------------------------------

static void free_task(struct backend_device *device, struct gpu_trace_task *task)
{
    driver_event_destroy(device->driver, task->begin);
    driver_event_destroy(device->driver, task->end);
    gpu_free(device, task, sizeof *task);
}

static struct gpu_trace_task *take_task(struct backend_device *device)
{
    struct gpu_trace *trace = device->trace;
    const struct gpu_driver *driver = device->driver;
    thread_lock(&trace->lock);
    struct gpu_trace_task *task = trace->free_tasks;
    trace->free_tasks = task != NULL ? task->next : NULL;
    thread_unlock(&trace->lock);
    if (task != NULL) {
        return task;
    }
    task = gpu_alloc(device, sizeof *task);
    if (task != NULL && (driver_event_create(driver, true, &task->begin) != RILL_OK ||
                         driver_event_create(driver, true, &task->end) != RILL_OK)) {
        free_task(device, task);
        return NULL;
    }
    return task;
}

static void release_wait(struct backend_device *device, struct gpu_trace_wait *wait)
{
    struct gpu_trace *trace = device->trace;
    if (wait == NULL) {
        return;
    }
    thread_lock(&trace->lock);
    bool is_last = --wait->reference_count == 0;
    thread_unlock(&trace->lock);
    if (!is_last) {
        return;
    }
    for (int i = 0; i < wait->count; i++) {
        gpu_mark_drop(device, wait->marks[i].mark);
    }
    thread_lock(&trace->lock);
    wait->next = trace->free_waits;
    trace->free_waits = wait;
    thread_unlock(&trace->lock);
}

static struct gpu_trace_wait *share_wait(struct backend_device *device, struct gpu_trace_wait *wait)
{
    if (wait != NULL) {
        thread_lock(&device->trace->lock);
        wait->reference_count++;
        thread_unlock(&device->trace->lock);
    }
    return wait;
}

// Without an event for the arrival all the same: which of the waits was one is not known then.
static struct gpu_trace_wait *make_wait(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    struct gpu_trace *trace = device->trace;
    thread_lock(&trace->lock);
    struct gpu_trace_wait *wait = trace->free_waits;
    trace->free_waits = wait != NULL ? wait->next : NULL;
    thread_unlock(&trace->lock);
    wait = wait != NULL ? wait : gpu_alloc(device, sizeof *wait);
    if (wait == NULL) {
        return NULL;
    }
    wait->reference_count = 1;
    wait->count = 0;
    if (wait->arrival == NULL && driver_event_create(device->driver, true, &wait->arrival) != RILL_OK) {
        wait->arrival = NULL;
    }
    wait->has_arrived =
        wait->arrival != NULL && driver_event_record(device->driver, wait->arrival, stream->lane.handle) == RILL_OK;
    return wait;
}

static void give_task(struct backend_device *device, struct gpu_trace_task *task)
{
    struct gpu_trace *trace = device->trace;
    release_wait(device, task->wait);
    task->wait = NULL;
    thread_lock(&trace->lock);
    task->next = trace->free_tasks;
    trace->free_tasks = task;
    thread_unlock(&trace->lock);
}

// ---- time ---------------------------------------------------------------------------------------------------------

static bool make_base(struct backend_device *device, struct gpu_trace *trace, struct trace_base *base)
{
    *base = (struct trace_base){.queued = clock_now()};
    return driver_event_create(device->driver, true, &base->event) == RILL_OK &&
           driver_event_record(device->driver, base->event, trace->stream) == RILL_OK;
}

// Between two looks at the host's clock, as close as they come.
static bool make_first_base(struct backend_device *device, struct gpu_trace *trace, struct trace_base *best)
{
    const struct gpu_driver *driver = device->driver;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < FIRST_BASE_TRIES; i++) {
        struct trace_base base;
        bool is_made = make_base(device, trace, &base) && driver_event_synchronize(driver, base.event) == RILL_OK;
        uint64_t took = clock_now() - base.queued;
        base.at = base.queued + took / 2;
        base.is_known = true;
        bool is_better = is_made && took < least;
        driver_event_destroy(driver, is_better ? best->event : base.event);
        if (is_better) {
            least = took;
            *best = base;
        }
    }
    return least != UINT64_MAX;
}

// The base for what is launched now. Where no new one can be made the old one does.
static const struct trace_base *current_base(struct backend_device *device)
{
    struct gpu_trace *trace = device->trace;
    thread_lock(&trace->lock);
    struct trace_base *newest = trace->base;
    thread_unlock(&trace->lock);
    if (clock_now() - newest->queued < BASE_PERIOD || atomic_exchange(&trace->is_rebasing, true)) {
        return newest;
    }
    struct trace_base *base = gpu_alloc(device, sizeof *base);
    if (base != NULL && make_base(device, trace, base)) {
        thread_lock(&trace->lock);
        base->previous = trace->base;
        trace->base = base;
        thread_unlock(&trace->lock);
        newest = base;
    } else if (base != NULL) {
        driver_event_destroy(device->driver, base->event);
        gpu_free(device, base, sizeof *base);
    }
    atomic_store(&trace->is_rebasing, false);
    return newest;
}

// Whole nanoseconds from |begin| to |end|, which may be the earlier one.
static rill_status between(const struct gpu_driver *driver, void *begin, void *end, int64_t *out)
{
    double milliseconds = 0;
    rill_status status = driver_event_elapsed(driver, begin, end, &milliseconds);
    if (status != RILL_OK && status != RILL_ERR_NOT_READY) {
        status = driver_event_elapsed(driver, end, begin, &milliseconds);
        milliseconds = -milliseconds;
    }
    *out = (int64_t)(milliseconds * 1e6);
    return status;
}

// When the device came to |base|; RILL_ERR_NOT_READY: it has not. One that cannot be placed is as old as its record.
static rill_status find_base(const struct gpu_driver *driver, struct trace_base *base)
{
    if (base->is_known) {
        return RILL_OK;
    }
    int64_t apart = 0;
    rill_status status = find_base(driver, base->previous);
    status = status == RILL_OK ? between(driver, base->previous->event, base->event, &apart) : status;
    if (status == RILL_ERR_NOT_READY) {
        return status;
    }
    base->at = status == RILL_OK ? base->previous->at + (uint64_t)apart : base->queued;
    base->is_known = true;
    return RILL_OK;
}

static rill_status find_time(const struct gpu_driver *driver, const struct trace_base *base, void *event, uint64_t *out)
{
    int64_t apart;
    rill_status status = find_base(driver, (struct trace_base *)(uintptr_t)base);
    status = status == RILL_OK ? between(driver, base->event, event, &apart) : status;
    *out = status == RILL_OK ? base->at + (uint64_t)apart : 0;
    return status;
}

// ---- reading ------------------------------------------------------------------------------------------------------

// Which of the waits held the stream: the last event that was reached after the stream had come there.
static void find_cause(const struct gpu_driver *driver, const struct gpu_trace_wait *wait, struct trace_cause *cause)
{
    int64_t latest = 0;
    for (int i = 0; wait != NULL && i < wait->count; i++) {
        const struct waited_mark *waited = &wait->marks[i];
        int64_t late = 0;
        bool is_known = wait->has_arrived && between(driver, wait->arrival, waited->mark->event, &late) == RILL_OK;
        late = !is_known || (waited->has_stood && late <= 0) ? 1 : late;
        if (late > 0 && late >= latest && (is_known || waited->has_stood || !wait->has_arrived)) {
            latest = late;
            trace_cause_set(cause, TRACE_EVENT, "", waited->stream);
        }
    }
}

static void write_task(struct gpu_trace *trace, const struct gpu_trace_task *task, uint64_t begin, uint64_t end)
{
    struct trace_event event = {.task = task->task,
                                .kernel = task->kernel,
                                .file = task->file,
                                .line = task->line,
                                .group = task->group,
                                .stream = task->stream,
                                .begin = begin,
                                .end = end > begin ? end : begin,
                                .chunk_count = task->piece_count,
                                .worker = -1,
                                .way = task->way,
                                .way_text = task->way_text,
                                .cause = &task->cause};
    trace_add(trace->file, &event);
}

// False: it has not run yet. |is_end|: it has, or never will.
static bool read_task(struct backend_device *device, struct gpu_trace_task *task, bool is_end)
{
    struct gpu_trace *trace = device->trace;
    const struct gpu_driver *driver = device->driver;
    uint64_t begin = 0;
    uint64_t end = 0;
    rill_status status = driver_event_query(driver, task->end);
    status = status == RILL_OK ? find_time(driver, task->base, task->begin, &begin) : status;
    status = status == RILL_OK ? find_time(driver, task->base, task->end, &end) : status;
    if (status == RILL_ERR_NOT_READY && !is_end) {
        return false;
    }
    if (status == RILL_OK) {
        find_cause(driver, task->wait, &task->cause);
        write_task(trace, task, begin, end);
    } else {
        trace_lose(trace->file, 1);
    }
    give_task(device, task);
    return true;
}

static void append(struct gpu_trace *trace, struct gpu_trace_task *task)
{
    task->next = NULL;
    if (trace->first == NULL) {
        trace->first = task;
    } else {
        trace->last->next = task;
    }
    trace->last = task;
    trace->count++;
}

// Streams of which a task has not run yet: their later ones are not read before it, so that each keeps its order.
struct held_streams {
    uint64_t streams[MAX_HELD];
    int count;
};

static bool is_held(const struct held_streams *held, uint64_t stream)
{
    bool is = held->count == MAX_HELD;
    for (int i = 0; i < held->count; i++) {
        is |= held->streams[i] == stream;
    }
    return is;
}

static void hold(struct held_streams *held, uint64_t stream)
{
    if (!is_held(held, stream)) {
        held->streams[held->count++] = stream;
    }
}

// Reads what has run; what has not stays in its place before what was launched meanwhile.
static void collect(struct backend_device *device, bool is_end)
{
    struct gpu_trace *trace = device->trace;
    if (atomic_exchange(&trace->is_collecting, true)) {
        return;
    }
    thread_lock(&trace->lock);
    struct gpu_trace_task *task = trace->first;
    trace->first = NULL;
    trace->last = NULL;
    trace->count = 0;
    thread_unlock(&trace->lock);
    struct gpu_trace_task *left = NULL;
    struct gpu_trace_task **link = &left;
    struct held_streams held = {.count = 0};
    while (task != NULL) {
        struct gpu_trace_task *next = task->next;
        uint64_t stream = task->stream;
        if (is_held(&held, stream) || !read_task(device, task, is_end)) {
            hold(&held, stream);
            *link = task;
            link = &task->next;
        }
        task = next;
    }
    *link = NULL;
    thread_lock(&trace->lock);
    struct gpu_trace_task *newer = trace->first;
    trace->first = NULL;
    trace->last = NULL;
    trace->count = 0;
    struct gpu_trace_task *lists[] = {left, newer};
    for (int i = 0; i < 2; i++) {
        while (lists[i] != NULL) {
            struct gpu_trace_task *next = lists[i]->next;
            append(trace, lists[i]);
            lists[i] = next;
        }
    }
    trace->collect_at = trace->count + COLLECT_COUNT;
    thread_unlock(&trace->lock);
    atomic_store(&trace->is_collecting, false);
}

static void collect_sometimes(struct backend_device *device)
{
    struct gpu_trace *trace = device->trace;
    thread_lock(&trace->lock);
    bool is_time = trace->count >= trace->collect_at;
    thread_unlock(&trace->lock);
    if (is_time) {
        collect(device, false);
    }
}

// ---- the device ---------------------------------------------------------------------------------------------------

static void free_trace(struct backend_device *device, struct gpu_trace *trace)
{
    const struct gpu_driver *driver = device->driver;
    while (trace->free_tasks != NULL) {
        struct gpu_trace_task *task = trace->free_tasks;
        trace->free_tasks = task->next;
        free_task(device, task);
    }
    while (trace->free_waits != NULL) {
        struct gpu_trace_wait *wait = trace->free_waits;
        trace->free_waits = wait->next;
        driver_event_destroy(driver, wait->arrival);
        gpu_free(device, wait, sizeof *wait);
    }
    while (trace->base != NULL) {
        struct trace_base *base = trace->base;
        trace->base = base->previous;
        driver_event_destroy(driver, base->event);
        gpu_free(device, base, sizeof *base);
    }
    if (trace->stream != NULL) {
        (void)(driver_stream_synchronize(driver, trace->stream) == RILL_OK);
        driver_stream_destroy(driver, trace->stream);
    }
    thread_mutex_finish(&trace->lock);
    gpu_free(device, trace, sizeof *trace);
}

static struct gpu_trace *make_trace(struct backend_device *device)
{
    struct gpu_trace *trace = gpu_alloc(device, sizeof *trace);
    if (trace == NULL) {
        return NULL;
    }
    thread_mutex_init(&trace->lock);
    trace->collect_at = COLLECT_COUNT;
    trace->base = gpu_alloc(device, sizeof *trace->base);
    if (trace->base == NULL ||
        driver_stream_create(device->driver, device->properties.priority_greatest, &trace->stream) != RILL_OK ||
        !make_first_base(device, trace, trace->base)) {
        free_trace(device, trace);
        return NULL;
    }
    return trace;
}

struct gpu_trace *gpu_trace_create(struct backend_device *device)
{
    const char *path = getenv("RILL_TRACE");
    if (path == NULL || *path == '\0') {
        return NULL;
    }
    struct gpu_trace *trace = make_trace(device);
    struct trace_origin origin = {
        .device = device->properties.name,
        .note = "times from the device's events, good to about 0.5 us; a task begins when its stream has come to it; "
                "launches went to the driver task by task, not as graphs"};
    struct trace *file = trace != NULL ? trace_create(&device->host, &origin) : NULL;
    if (file == NULL) {
        backend_log(&device->host, BACKEND_LOG_WARNING, "RILL_TRACE: nothing is traced on the device: %s",
                    trace == NULL ? rill_message() : "no memory");
        if (trace != NULL) {
            free_trace(device, trace);
        }
        return NULL;
    }
    trace->file = file;
    return trace;
}

void gpu_trace_remark(struct backend_device *device, const char *text)
{
    trace_remark(device->trace->file, text);
}

void gpu_trace_flush(struct backend_device *device)
{
    if (device->trace != NULL) {
        collect(device, false);
        trace_flush(device->trace->file);
    }
}

void gpu_trace_destroy(struct backend_device *device)
{
    struct gpu_trace *trace = device->trace;
    if (trace == NULL) {
        return;
    }
    collect(device, true);
    trace_destroy(trace->file);
    device->trace = NULL;
    free_trace(device, trace);
}

// ---- places -------------------------------------------------------------------------------------------------------

static void set_follow(struct backend_device *device, struct gpu_follow *follow, enum trace_cause_kind kind,
                       const char *name, uint64_t number)
{
    release_wait(device, follow->wait);
    follow->wait = NULL;
    trace_cause_set(&follow->cause, kind, name, number);
}

void gpu_trace_other(struct backend_stream *stream, const char *name)
{
    if (stream->follow != NULL && !stream->is_capturing) {
        set_follow(stream->device, stream->follow, TRACE_OTHER, name, 0);
    }
}

void gpu_trace_kernel(struct backend_stream *stream, const char *name)
{
    if (stream->follow != NULL && !stream->is_capturing) {
        set_follow(stream->device, stream->follow, TRACE_KERNEL, name, 0);
        stream->follow->group = 0;
    }
}

void gpu_trace_waits(struct backend_stream *stream, struct gpu_mark *mark, bool has_stood)
{
    struct backend_device *device = stream->device;
    struct gpu_follow *follow = stream->follow;
    if (follow == NULL || mark->is_captured || stream->is_capturing) {
        return;
    }
    follow->wait = follow->wait != NULL ? follow->wait : make_wait(stream);
    struct gpu_trace_wait *wait = follow->wait;
    if (wait == NULL || wait->count == MAX_WAITS) {
        return;
    }
    gpu_mark_hold(device, mark);
    wait->marks[wait->count++] = (struct waited_mark){mark, mark->stream_id, has_stood};
}

void gpu_trace_forget(struct backend_stream *stream)
{
    if (stream->follow != NULL) {
        release_wait(stream->device, stream->follow->wait);
        gpu_free(stream->device, stream->follow, sizeof *stream->follow);
        stream->follow = NULL;
    }
}

struct gpu_follow gpu_follow_fork(struct gpu_walk *outer, const struct trace_cause *cause)
{
    struct gpu_follow follow = *outer->follow;
    if (cause != NULL) {
        follow.cause = *cause;
        follow.wait = NULL;
    }
    share_wait(outer->run->device, follow.wait);
    return follow;
}

void gpu_follow_join(struct gpu_walk *walk)
{
    release_wait(walk->run->device, walk->follow->wait);
    walk->follow->wait = NULL;
}

void gpu_follow_set(struct gpu_walk *walk, enum trace_cause_kind kind, const char *name, uint64_t number)
{
    if (walk->follow != NULL) {
        set_follow(walk->run->device, walk->follow, kind, name, number);
    }
}

// ---- tasks --------------------------------------------------------------------------------------------------------

struct gpu_trace_task *gpu_trace_begin(struct gpu_walk *walk, const struct plan_task *plan)
{
    struct gpu_run *run = walk->run;
    struct backend_device *device = run->device;
    collect_sometimes(device);
    struct gpu_trace_task *task = take_task(device);
    if (task == NULL) {
        return NULL;
    }
    snprintf(task->task, sizeof task->task, "%s", plan->name);
    snprintf(task->kernel, sizeof task->kernel, "%s", run->kernel->plan->name);
    snprintf(task->file, sizeof task->file, "%s", plan_file(run->image->plan, plan->loc.file));
    task->line = plan->loc.line;
    task->group = plan->group;
    task->stream = run->stream->id;
    task->cause = walk->follow != NULL ? walk->follow->cause : (struct trace_cause){.kind = TRACE_NOTHING};
    task->wait = walk->follow != NULL ? share_wait(device, walk->follow->wait) : NULL;
    task->is_captured = run->stream->is_capturing;
    task->base = current_base(device);
    task->is_timed =
        !task->is_captured && driver_event_record(device->driver, task->begin, walk->lane->handle) == RILL_OK;
    return task;
}

// What is captured runs when the graph does, and events in it would have no times.
static void write_captured(struct backend_device *device, struct gpu_trace_task *task)
{
    uint64_t now = clock_now();
    task->way = "captured";
    trace_cause_set(&task->cause, TRACE_CAPTURED, "", 0);
    write_task(device->trace, task, now, now);
    give_task(device, task);
}

void gpu_trace_end(struct gpu_walk *walk, struct gpu_trace_task *task, const struct gpu_trace_how *how)
{
    struct backend_device *device = walk->run->device;
    struct gpu_trace *trace = device->trace;
    if (how == NULL) {
        if (task != NULL) {
            give_task(device, task);
        }
        return;
    }
    if (task == NULL) {
        trace_lose(trace->file, 1);
        return;
    }
    if (!task->is_captured && walk->follow != NULL) {
        set_follow(device, walk->follow, TRACE_TASK, task->task, 0);
        walk->follow->group = task->group;
    }
    task->way = how->way;
    task->piece_count = how->piece_count;
    snprintf(task->way_text, sizeof task->way_text, "%s", how->way_text);
    if (task->is_captured) {
        write_captured(device, task);
    } else if (task->is_timed && driver_event_record(device->driver, task->end, walk->lane->handle) == RILL_OK) {
        thread_lock(&trace->lock);
        append(trace, task);
        thread_unlock(&trace->lock);
    } else {
        trace_lose(trace->file, 1);
        give_task(device, task);
    }
}

void gpu_trace_read(struct gpu_walk *walk, const struct gpu_why *why, uint64_t begin)
{
    struct gpu_run *run = walk->run;
    struct trace_cause cause;
    trace_cause_set(&cause, TRACE_READS, why->what, 0);
    char name[64];
    snprintf(name, sizeof name, "%.40s reads back", run->kernel->plan->name);
    struct trace_event event = {.task = name,
                                .kernel = run->kernel->plan->name,
                                .file = plan_file(run->image->plan, why->loc.file),
                                .line = why->loc.line,
                                .group = walk->follow != NULL ? walk->follow->group : 0,
                                .stream = run->stream->id,
                                .begin = begin,
                                .end = clock_now(),
                                .chunk_count = 1,
                                .worker = -1,
                                .way = "read back",
                                .way_text = "",
                                .cause = &cause};
    trace_add(run->device->trace->file, &event);
    gpu_follow_set(walk, TRACE_READ, why->what, why->loc.line);
}

// A run is queued: as a batch where the back end takes it, else each task on its lane, behind what it waits for. Lane 0
// is the launch's own stream; the others are the run's, begin behind the place of the launch, and are joined at the
// end, also after a failure.
#include "base/status.h"
#include "runtime/launch.h"
#include "runtime/step.h"

#include <assert.h>
#include <string.h>

struct play {
    const char *who;
    struct step_run *run;
    const struct pinned_stream *on;
    bool is_ordered;
    bool is_alone;   // all on the launch's own stream
    bool has_forked; // the place of the launch is marked
};

static const struct backend *backend_of(const struct play *play)
{
    return play->run->context->backend;
}

// ---- lanes --------------------------------------------------------------------------------------------------------

static rill_status mark_fork(struct play *play)
{
    if (play->has_forked) {
        return RILL_OK;
    }
    play->has_forked = true;
    return backend_of(play)->event_record(play->run->fork, play->on->queue);
}

static rill_status begin_lane(struct play *play, struct step_lane *lane, bool waits)
{
    const struct backend *backend = backend_of(play);
    lane->has_begun = true;
    // An error there was another launch's, whose stream has it.
    if (!backend->stream_is_quiet(lane->stream.queue) && backend->stream_is_idle(lane->stream.queue)) {
        backend->stream_clear_error(lane->stream.queue);
    }
    return waits ? RILL_OK : backend->event_wait(play->run->fork, lane->stream.queue);
}

// Where the task is queued.
static rill_status open_lane(struct play *play, const struct step_task *task, struct pinned_stream *out)
{
    struct step_lane *lane = &play->run->lanes[task->lane];
    *out = *play->on;
    if (play->is_alone || task->lane == 0) {
        return RILL_OK;
    }
    if (!lane->has_begun) {
        RILL_TRY(begin_lane(play, lane, task->wait_count > 0));
    }
    out->stream = &lane->stream;
    out->queue = lane->stream.queue;
    return RILL_OK;
}

// The launch's stream follows the lane.
static rill_status join_lane(struct play *play, struct step_lane *lane, bool has_failed)
{
    const struct backend *backend = backend_of(play);
    if (lane->is_joined && !has_failed) {
        return RILL_OK;
    }
    RILL_TRY(backend->event_record(lane->end, lane->stream.queue));
    return backend->event_wait(lane->end, play->on->queue);
}

// Where a join fails the lane is waited for: nothing of it may outlive the step.
static rill_status join(struct play *play, rill_status status)
{
    struct step_run *run = play->run;
    bool has_failed = status != RILL_OK;
    for (int i = 1; i < run->lane_count; i++) {
        struct step_lane *lane = &run->lanes[i];
        if (!lane->has_begun) {
            continue;
        }
        rill_status joined = join_lane(play, lane, has_failed);
        if (joined != RILL_OK) {
            backend_of(play)->stream_synchronize(lane->stream.queue);
        }
        lane->has_begun = false;
        status = status != RILL_OK ? status : joined;
    }
    return status;
}

// ---- tasks --------------------------------------------------------------------------------------------------------

static rill_status launch(struct play *play, struct step_task *task, const struct pinned_stream *on)
{
    struct packed_args *packed = &task->packed;
    const struct kernel *kernel = packed->kernel;
    struct launch_result result = {.address = task->result,
                                   .size = task->result != NULL ? kernel->returns->size : 0,
                                   .is_ordered = play->is_ordered};
    packed->who = play->who;
    for (int i = 0; packed->host_count > 0 && i < packed->count; i++) { // the launch before has put its copies there
        if (packed->hosts[i] != NULL) {
            memcpy(packed->buffer + kernel->plan->params[i].offset, &packed->hosts[i], sizeof packed->hosts[i]);
        }
    }
    return launch_queue(packed, on, &result);
}

static rill_status queue(struct play *play, int index, const struct pinned_stream *on)
{
    struct step_task *task = &play->run->tasks[index];
    const struct step_bytes *bytes = &task->bytes;
    const struct backend *backend = backend_of(play);
    switch (play->run->step->operations[index].kind) {
    case STEP_LAUNCH: return launch(play, task, on);
    case STEP_COPY:
        return context_fail_as(play->who,
                               backend->copy(on->queue, bytes->target, bytes->source, bytes->size, BACKEND_READ_LATER));
    case STEP_FILL:
        return context_fail_as(
            play->who, backend->fill(on->queue, bytes->target, bytes->size, bytes->source, bytes->element_size));
    case STEP_MARK: break;
    }
    return RILL_OK;
}

static rill_status play_task(struct play *play, int index)
{
    struct step_run *run = play->run;
    struct step_task *task = &run->tasks[index];
    const struct backend *backend = backend_of(play);
    struct pinned_stream on;
    RILL_TRY(open_lane(play, task, &on));
    for (int i = 0; i < task->wait_count && !play->is_alone; i++) {
        const struct step_task *other = &run->tasks[run->waits[task->first_wait + (size_t)i]];
        assert(other->is_awaited && other->lane != task->lane);
        RILL_TRY(backend->event_wait(other->event, on.queue));
    }
    RILL_TRY(queue(play, index, &on));
    return task->is_awaited && !play->is_alone ? backend->event_record(task->event, on.queue) : RILL_OK;
}

// A stream that is captured into a graph of others takes the tasks one after the other: streams of Rill's own would
// become part of the capture.
static rill_status find_capture(struct play *play)
{
    void *memory;
    play->is_alone = play->run->is_serial;
    return play->on->stream->is_wrapped && !play->is_alone
               ? backend_of(play)->stream_capture_memory(play->on->queue, 0, &play->is_alone, &memory)
               : RILL_OK;
}

rill_status step_run_play(const char *who, struct step_run *run, const struct pinned_stream *on, bool is_ordered)
{
    struct play play = {.who = who, .run = run, .on = on, .is_ordered = is_ordered};
    assert(!run->is_stale);
    bool is_done;
    RILL_TRY(step_run_batch(who, run, on, is_ordered, &(struct step_rounds){1, NULL}, &is_done));
    if (is_done) {
        return RILL_OK;
    }
    RILL_TRY(find_capture(&play));
    // The place that lanes begin behind: where a task of lane 0 comes before the first of another lane, too.
    rill_status status = run->lane_count > 1 && !play.is_alone ? mark_fork(&play) : RILL_OK;
    for (int i = 0; i < run->task_count && status == RILL_OK; i++) {
        status = play_task(&play, i);
    }
    return play.is_alone ? status : join(&play, status);
}

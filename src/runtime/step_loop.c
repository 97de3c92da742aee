// How often a launch of a step runs it: so many times, and until a flag in the device's memory says stop. Where the
// back end loops by itself that is one operation; elsewhere each round is queued, and the flag is looked at behind it.
#include "base/status.h"
#include "runtime/callback.h"
#include "runtime/footprint.h"
#include "runtime/record.h"
#include "runtime/step.h"

#include <assert.h>
#include <string.h>

// Below that queueing the rounds costs less than a loop on the device; and how often a run is offered that is not
// taken.
enum { LOOP_ROUNDS = 64, LOOP_OFFERS = 3 };

struct loop {
    const char *who;
    const char *place;
    struct step_run *run;
    const struct pinned_stream *on;
    struct array *flag; // NULL: there is none
    size_t times;       // at the most
};

static rill_status order_work(const struct loop *loop, const struct hazard_access *accesses, int count,
                              struct order_use *out_use)
{
    struct order_work work = {.call = loop->who, .accesses = accesses, .count = count, .place = loop->place};
    return context_fail_as(loop->who, order_begin(out_use, &work, loop->on->stream));
}

// The step reads the flag, which need not be what its parts touch.
static rill_status order_flag(const struct loop *loop)
{
    struct hazard_access access;
    struct order_use use;
    if (loop->flag == NULL || loop->run->context->order == NULL) {
        return RILL_OK;
    }
    int count = footprint_of_bytes(&access, HAZARD_READ, loop->flag->address, sizeof(int32_t));
    RILL_TRY(order_work(loop, &access, count, &use));
    order_end(&use);
    return RILL_OK;
}

// Once, or as often as |rounds| says, if the back end does that: else |out_is_done| is false and nothing was queued.
static rill_status play(const struct loop *loop, const struct step_rounds *rounds, bool *out_is_done)
{
    struct step_run *run = loop->run;
    struct order_use use = {.stream = NULL};
    bool is_ordered = run->context->order != NULL;
    if (is_ordered) { // behind what other streams have unfinished
        RILL_TRY(order_work(loop, run->all, run->all_count, &use));
    }
    *out_is_done = true;
    rill_status status = rounds != NULL
                             ? step_run_batch(loop->who, run, loop->on, use.stream != NULL, rounds, out_is_done)
                             : step_run_play(loop->who, run, loop->on, use.stream != NULL);
    if (is_ordered) {
        order_end(&use);
        order_wait_for_room(loop->on->stream);
    }
    return status;
}

static rill_status play_by_device(const struct loop *loop, bool *out_is_done)
{
    struct step_run *run = loop->run;
    bool is_wanted = loop->flag != NULL || loop->times > LOOP_ROUNDS;
    *out_is_done = false;
    if (!is_wanted || run->parts == NULL || run->offer_count >= LOOP_OFFERS) {
        return RILL_OK;
    }
    struct step_rounds rounds = {.count = loop->times < UINT32_MAX ? (uint32_t)loop->times : UINT32_MAX,
                                 .flag = loop->flag != NULL ? loop->flag->address : NULL};
    rill_status status = play(loop, &rounds, out_is_done);
    run->offer_count += status == RILL_OK && !*out_is_done;
    return status;
}

// Whether there is another round. Waits.
static rill_status look(const struct loop *loop, bool *out_goes_on)
{
    const struct backend *backend = loop->run->context->backend;
    struct backend_error error;
    int32_t value = 0;
    rill_status status = backend->copy(loop->on->queue, &value, loop->flag->address, sizeof value, BACKEND_READ_LATER);
    backend->stream_synchronize(loop->on->queue);
    *out_goes_on = value == 0 && !backend->stream_error(loop->on->queue, &error);
    return context_fail_as(loop->who, status);
}

static rill_status play_by_host(const struct loop *loop)
{
    bool goes_on = true, is_done;
    if (loop->flag != NULL) {
        RILL_TRY(callback_refuse(loop->who));
        RILL_TRY(context_fail_as(loop->who, loop->run->context->backend->stream_may_wait(loop->on->queue, false)));
    }
    for (size_t i = 0; i < loop->times && goes_on; i++) {
        RILL_TRY(play(loop, NULL, &is_done));
        if (loop->flag != NULL) {
            RILL_TRY(look(loop, &goes_on));
        }
    }
    return RILL_OK;
}

rill_status step_run_loop(const char *who, const char *place, struct step_run *run, const struct pinned_stream *on)
{
    struct step *step = run->step;
    size_t times = atomic_load_explicit(&step->repeat_count, memory_order_relaxed);
    struct loop loop = {.who = who,
                        .place = place,
                        .run = run,
                        .on = on,
                        .flag = atomic_load_explicit(&step->flag, memory_order_acquire)};
    loop.times = loop.flag != NULL && times == 1 ? SIZE_MAX : times;
    bool is_done;
    if (loop.flag != NULL) {
        array_note_use(loop.flag, on->id);
    }
    RILL_TRY(order_flag(&loop));
    rill_status status = play_by_device(&loop, &is_done);
    status = status == RILL_OK && !is_done ? play_by_host(&loop) : status;
    return status == RILL_OK ? order_flag(&loop) : status;
}

// ---- what a step is told ------------------------------------------------------------------------------------------

static rill_status begin(const char *who, rill_step handle, struct context **out_context, struct step **out_step)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_STEP, out_context, &object));
    *out_step = object;
    return RILL_OK;
}

rill_status rill_step_repeat(rill_step handle, size_t count)
{
    static const char who[] = "rill_step_repeat";
    struct context *context;
    struct step *step;
    RILL_TRY(begin(who, handle, &context, &step));
    if (count == 0) {
        return context_end(context, handle.id, status_fail(RILL_ERR_INVALID, "%s: a step runs at least once", who));
    }
    atomic_store(&step->repeat_count, count);
    return context_end(context, handle.id, RILL_OK);
}

// A flag stays pinned as long as the step is there: a launch may be using it.
static rill_status keep_flag(const char *who, struct step *step, struct array *flag)
{
    struct context *context = step->context;
    rill_status status = RILL_OK;
    thread_lock(&step->lock);
    if (step->flag_count == step->flag_capacity) {
        size_t capacity = step->flag_capacity > 0 ? 2 * step->flag_capacity : 4;
        struct array **flags = context_alloc(context, capacity * sizeof *flags);
        if (flags == NULL) {
            status = status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory", who);
        } else {
            if (step->flag_count > 0) {
                memcpy(flags, step->flags, step->flag_count * sizeof *flags);
            }
            context_free(context, step->flags, step->flag_capacity * sizeof *flags);
            step->flags = flags;
            step->flag_capacity = capacity;
        }
    }
    if (status == RILL_OK) {
        step->flags[step->flag_count++] = flag;
        atomic_store_explicit(&step->flag, flag, memory_order_release);
    }
    thread_unlock(&step->lock);
    return status;
}

static rill_status set_flag(const char *who, struct step *step, uint64_t id)
{
    void *object;
    RILL_TRY(context_pin(step->context, who, id, KIND_ARRAY, &object));
    struct array *flag = object;
    rill_status status = RILL_OK;
    if ((flag->type != RILL_I32 && flag->type != RILL_U32) || flag->count == 0) {
        status = status_fail(RILL_ERR_INVALID, "%s: a flag is an array of RILL_I32 or RILL_U32 with an element", who);
    }
    status = status == RILL_OK ? keep_flag(who, step, flag) : status;
    if (status != RILL_OK) {
        context_unpin(step->context, id);
    }
    return status;
}

rill_status rill_step_until(rill_step handle, rill_array flag)
{
    static const char who[] = "rill_step_until";
    struct context *context;
    struct step *step;
    RILL_TRY(begin(who, handle, &context, &step));
    if (flag.id == 0) {
        atomic_store_explicit(&step->flag, NULL, memory_order_release);
        return context_end(context, handle.id, RILL_OK);
    }
    return context_end(context, handle.id, set_flag(who, step, flag.id));
}

void step_loop_finish(struct step *step)
{
    for (size_t i = 0; i < step->flag_count; i++) {
        context_unpin(step->context, step->flags[i]->id);
    }
    context_free(step->context, step->flags, step->flag_capacity * sizeof *step->flags);
}

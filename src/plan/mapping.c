#include "plan/mapping.h"

#include <assert.h>

enum {
    SHORT_CHUNKS = 3,      // for each worker: where there would be fewer, one each is enough
    CHUNKS_PER_WORKER = 8, // enough to even out iterations of different length
    ALIGN_CHUNK = 64,      // pieces of long loops begin at multiples of this: whole vectors and whole cache lines
};

bool plan_loop_runs_whole(const struct plan_node *loop, const struct plan_values *values, bool *out_runs_whole)
{
    union ir_value value = {.i = 1};
    assert(loop->kind == PLAN_FOR || loop->kind == PLAN_LOOP);
    *out_runs_whole = false;
    if (loop->whole_task >= 0 && loop->whole_if != NULL && !plan_eval(loop->whole_if, values, &value)) {
        return false;
    }
    *out_runs_whole = loop->whole_task >= 0 && value.i != 0;
    return true;
}

bool plan_task_cost(const struct plan_task *task, const struct plan_values *values, int64_t *out_cost)
{
    union ir_value cost;
    bool is_known = task->cost != NULL && plan_eval(task->cost, values, &cost);
    *out_cost = !is_known ? PLAN_COST_UNKNOWN : cost.i > 1 ? cost.i : 1;
    return is_known;
}

bool plan_task_trip(const struct plan_task *task, const struct plan_values *values, int64_t *out_trip)
{
    union ir_value trip = {.i = 1};
    bool is_known = task->kind != PLAN_TASK_PARALLEL || plan_eval(task->trip, values, &trip);
    *out_trip = is_known ? trip.i : 0;
    return is_known;
}

int64_t plan_work(int64_t trip, int64_t cost)
{
    int64_t work;
    assert(cost >= 1);
    return trip <= 0 ? 0 : __builtin_mul_overflow(trip, cost, &work) ? INT64_MAX : work;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

void plan_cut_task(const struct plan_task *task, int64_t trip, int64_t work, int workers, bool may_share,
                   struct plan_cut *out)
{
    assert(trip > 0 && workers > 0);
    bool is_shared = workers > 1 && work >= PLAN_WORK_ALONE && may_share;
    int64_t pieces = 1;
    if (task->partial_size != 0) {
        pieces = clamp(work / PLAN_WORK_PARTIAL, 1, PLAN_MAX_PARTIALS);
    } else if (is_shared) {
        pieces = clamp(work / PLAN_WORK_CHUNK, 1, (int64_t)workers * CHUNKS_PER_WORKER);
        // Each begins with as many as the others. In a short loop that is one: see backend/cpu/loop.c.
        pieces -= pieces > workers ? (pieces < SHORT_CHUNKS * workers ? pieces - workers : pieces % workers) : 0;
    }
    pieces = pieces < trip ? pieces : trip;
    int64_t size = trip / pieces + (trip % pieces != 0);
    if (size > 4 * ALIGN_CHUNK && size <= INT64_MAX - ALIGN_CHUNK) {
        size = (size + ALIGN_CHUNK - 1) / ALIGN_CHUNK * ALIGN_CHUNK;
    }
    out->size = size;
    out->pieces = trip / size + (trip % size != 0);
    out->is_shared = is_shared && out->pieces > 1;
    assert(task->partial_size == 0 || out->pieces <= PLAN_MAX_PARTIALS);
}

// Tasks: the version, the grid, and the launch itself.
#include "backend/gpu/sink.h"

#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    UNKNOWN_TRIP = -1, // the device computes it
    UNKNOWN_PART = 8,  // of the largest grid, for loops whose trip count the host does not know
};

static rill_status call(struct gpu_walk *walk, void *function, uint32_t grid, uint32_t block, int64_t count,
                        int64_t chunk)
{
    struct gpu_task_call wanted = {.function = function, .grid = grid, .block = block, .count = count, .chunk = chunk};
    return walk->run->sink->task(walk, &wanted);
}

// After a task that prints, notes how far the buffer is filled: where one task's text ends and the next one's begins.
static rill_status note_print(struct gpu_walk *walk)
{
    struct gpu_run *run = walk->run;
    const struct gpu_driver *driver = run->device->driver;
    if (run->print_ends == 0) {
        RILL_TRY(gpu_ring_take(run->stream, GPU_RING_PLAIN, PRINT_ENDS * sizeof(uint64_t), run->launch->must_not_wait,
                               &run->print_ends));
    }
    size_t index = run->print_end_count < PRINT_ENDS ? run->print_end_count++ : PRINT_ENDS - 1;
    uint64_t used = run->frame + offsetof(struct abi_gpu_frame, print_used);
    return driver->copy(walk->lane->handle, run->print_ends + 8 * index, used, sizeof(uint64_t));
}

// ---- parallel tasks -----------------------------------------------------------------------------------------------

rill_status gpu_make_partials(struct gpu_walk *walk, size_t size)
{
    if (walk->partials_size >= size) {
        return RILL_OK;
    }
    struct gpu_run *run = walk->run;
    gpu_run_note(run);
    RILL_TRY(run->batch != NULL
                 ? gpu_batch_take(run, size, &walk->partials)
                 : gpu_ring_take(run->stream, GPU_RING_PLAIN, size, run->launch->must_not_wait, &walk->partials));
    walk->partials_size = size;
    return RILL_OK;
}

static bool region_missing(const struct gpu_run *run, const struct plan_effect *effect)
{
    return gpu_slots_missing(run, effect->region.low) || gpu_slots_missing(run, effect->region.high) ||
           gpu_slots_missing(run, effect->region.step);
}

// Whether where the first private copy lies is known: not of a local, since the launch block's address on the device is
// none of the values.
static bool knows_copy(const struct gpu_run *run, const struct plan_task *plan)
{
    bool knows = plan->copy_count > 0;
    for (int i = 0; i < plan->effect_count; i++) {
        const struct plan_effect *effect = &plan->effects[i];
        knows &= effect->copy != 1 || (effect->base != PLAN_BASE_BLOCK && !region_missing(run, effect));
    }
    return knows;
}

static bool find_length(const struct gpu_run *run, const struct plan_expr *expr, int64_t *out)
{
    union ir_value value;
    bool knows = expr != NULL && !gpu_slots_missing(run, expr) && plan_eval(expr, &run->values, &value);
    *out = knows ? value.i : 0;
    return *out > 0;
}

// The version in tiles that the task runs in, and its grid; NULL: none.
static const struct gpu_task *choose_tiles(const struct gpu_run *run, const struct plan_task *plan,
                                           const struct gpu_task *task, int64_t trip, struct gpu_shape *out_shape)
{
    struct gpu_nest nest = {.trip = trip};
    if (plan->tile_count == 0 || trip == UNKNOWN_TRIP || !find_length(run, plan->row_length, &nest.length)) {
        return NULL;
    }
    nest.rows = trip / nest.length;
    if (nest.rows == 0 || (plan->collapse > 2 && !find_length(run, plan->row_count, &nest.rows))) {
        return NULL;
    }
    return gpu_shape_in_tiles(plan, task, &nest, out_shape);
}

static rill_status spread(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task,
                          int64_t trip)
{
    gpu_run_count(walk->run, &walk->run->device->counters.parallel_count);
    assert(trip > 0 || trip == UNKNOWN_TRIP);
    struct gpu_shape shape = gpu_shape_of(plan, task, trip == UNKNOWN_TRIP ? INT64_MAX : trip);
    const struct gpu_task *tiles = choose_tiles(walk->run, plan, task, trip, &shape);
    if (tiles != NULL) {
        return call(walk, tiles->entry, shape.grid, shape.block, trip, 0);
    }
    if (shape.records > 0) {
        RILL_TRY(gpu_make_partials(walk, (size_t)shape.records * plan->partial_size));
    }
    if (trip == UNKNOWN_TRIP && shape.records == 0) {
        shape.grid = (shape.grid + UNKNOWN_PART - 1) / UNKNOWN_PART;
    }
    if (trip != UNKNOWN_TRIP) {
        gpu_shape_teams(plan, task, &walk->run->values, trip, &shape);
    }
    if (trip != UNKNOWN_TRIP && knows_copy(walk->run, plan)) {
        gpu_shape_gather(plan, task, &walk->run->values, trip, &shape);
    }
    struct gpu_task_call wanted = {.function = task->entry,
                                   .grid = shape.grid,
                                   .block = shape.block,
                                   .count = trip,
                                   .chunk = shape.chunk,
                                   .partials = shape.first};
    RILL_TRY(walk->run->sink->task(walk, &wanted));
    int64_t records = trip == UNKNOWN_TRIP ? UNKNOWN_TRIP : shape.records;
    return task->finish != NULL ? call(walk, task->finish, 1, shape.finish_block, records, 1) : RILL_OK;
}

// Why the fast version may not run.
static void say_in_order(struct gpu_run *run, const struct plan_task *task, char *out, size_t size)
{
    struct arena arena;
    jmp_buf escape;
    *out = '\0';
    arena_init(&arena);
    arena.escape = &escape;
    if (setjmp(escape) == 0) {
        struct str why;
        str_init(&why, &arena);
        plan_task_is_fast(run->kernel->plan, task, &run->values, &why);
        snprintf(out, size, "%s", str_text(&why));
    }
    arena_finish(&arena);
}

static void count_in_order(struct gpu_run *run)
{
    gpu_count(&run->device->counters.in_order_count);
    if (run->recording != NULL) {
        run->recording->tally.in_order_count++;
    }
}

static void log_in_order(struct gpu_run *run, const struct plan_task *task)
{
    char why[512];
    count_in_order(run);
    say_in_order(run, task, why, sizeof why);
    backend_log(&run->device->host, BACKEND_LOG_NOTE, "kernel '%s', %s:%u: the loop runs in order: %s",
                run->kernel->plan->name, plan_file(run->image->plan, task->loc.file), task->loc.line, why);
}

static rill_status run_in_order(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task)
{
    void *entry = task->in_order;
    if (entry == NULL && walk->run->image->late != NULL) {
        RILL_TRY(gpu_late_entry(walk->run->image, walk->run->kernel, plan, &entry));
    }
    if (entry == NULL) { // the plan promised that the fast version always may run
        return status_fail(RILL_ERR_INTERNAL, "kernel '%s': a loop has no version in order",
                           walk->run->kernel->plan->name);
    }
    gpu_run_note(walk->run);
    if (!walk->run->is_second && plan->loop >= 0) { // others are part of a loop's plan, whose own task says so
        log_in_order(walk->run, plan);
    }
    return call(walk, entry, 1, 1, 1, 1);
}

// ---- any task -----------------------------------------------------------------------------------------------------

static bool condition_missing(const struct gpu_run *run, const struct plan_task *task)
{
    for (int i = 0; i < task->condition_count; i++) {
        if (gpu_slots_missing(run, task->conditions[i].expr)) {
            return true;
        }
    }
    return false;
}

static bool pair_missing(const struct gpu_run *run, const struct plan_task *task)
{
    for (int i = 0; i < task->pair_count; i++) {
        if (region_missing(run, &task->effects[task->pairs[i].a]) ||
            region_missing(run, &task->effects[task->pairs[i].b])) {
            return true;
        }
    }
    return false;
}

// Whether the fast version may run whatever the regions are that the host does not know: the whole arrays are apart.
static bool is_fast_anyway(const struct gpu_run *run, const struct plan_task *task)
{
    struct plan_effect effects[GPU_MAX_EFFECTS];
    if (task->effect_count > GPU_MAX_EFFECTS) {
        return false;
    }
    for (int i = 0; i < task->effect_count; i++) {
        effects[i] = task->effects[i];
        if (region_missing(run, &effects[i])) {
            effects[i].region = (struct plan_region){.width = effects[i].region.width};
        }
    }
    struct plan_task wide = *task;
    wide.effects = effects;
    return plan_task_is_fast(run->kernel->plan, &wide, &run->values, NULL) &&
           plan_task_broken_restrict(&wide, &run->values) == NULL;
}

// Chooses the version. What only the device has is read back where nothing else decides.
static rill_status choose(struct gpu_walk *walk, const struct plan_task *task, bool *out_is_fast)
{
    struct gpu_run *run = walk->run;
    bool is_unknown = condition_missing(run, task);
    if (!is_unknown && pair_missing(run, task)) {
        *out_is_fast = is_fast_anyway(run, task);
        is_unknown = !*out_is_fast;
        if (!is_unknown) {
            return RILL_OK;
        }
    }
    if (is_unknown) {
        RILL_TRY(gpu_slots_read(walk, &(struct gpu_why){task->loc, "the choice of a loop's version"}));
    }
    *out_is_fast = !run->has_failed && plan_task_is_fast(run->kernel->plan, task, &run->values, NULL);
    return RILL_OK;
}

static rill_status upload_slots(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task)
{
    for (int i = 0; i < plan->slot_use_count; i++) {
        RILL_TRY(gpu_slot_upload(walk, task->slot_indices[i]));
    }
    return RILL_OK;
}

static void note_writes(struct gpu_run *run, const struct plan_task *plan, const struct gpu_task *task)
{
    for (int i = 0; i < plan->slot_use_count; i++) {
        if (plan->slot_uses[i].writes && task->slot_indices[i] >= 0) {
            run->slots[task->slot_indices[i]] = GPU_SLOT_DEVICE;
        }
    }
}

// As far as the host can tell.
static bool is_for_size(struct gpu_run *run, const struct plan_task *plan)
{
    return plan->is_few != NULL && !gpu_slots_missing(run, plan->is_few) && plan_task_is_few(plan, &run->values);
}

// A serial task that has a loop is a nest that the launch does not let run in another order than the source's.
static rill_status run_serial(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task)
{
    struct gpu_run *run = walk->run;
    void *entry = task->entry;
    if (entry == NULL) {
        RILL_TRY(gpu_late_entry(run->image, run->kernel, plan, &entry));
        gpu_run_note(run);
    }
    if (plan->loop >= 0) {
        gpu_run_note(run);
    }
    if (plan->loop >= 0 && !run->is_second && !is_for_size(run, plan)) {
        count_in_order(run);
        backend_log(&run->device->host, BACKEND_LOG_NOTE,
                    "kernel '%s', %s:%u: the nest runs as in the source: arguments overlap, or indices wrap",
                    run->kernel->plan->name, plan_file(run->image->plan, plan->loc.file), plan->loc.line);
    }
    return call(walk, entry, 1, 1, 1, 1);
}

static rill_status run_version(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task,
                               int64_t trip, bool is_fast)
{
    return plan->kind != PLAN_TASK_PARALLEL ? run_serial(walk, plan, task)
           : is_fast                        ? spread(walk, plan, task, trip)
                                            : run_in_order(walk, plan, task);
}

static rill_status run_traced(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task,
                              int64_t trip, bool is_fast)
{
    char why[512] = "";
    struct gpu_trace_how how = {.way = "alone", .way_text = why, .piece_count = 1};
    if (plan->kind == PLAN_TASK_PARALLEL && is_fast) {
        struct gpu_shape shape = gpu_shape_of(plan, task, trip == UNKNOWN_TRIP ? INT64_MAX : trip);
        if (trip != UNKNOWN_TRIP) {
            gpu_shape_teams(plan, task, &walk->run->values, trip, &shape);
        }
        (void)choose_tiles(walk->run, plan, task, trip, &shape);
        how.way = shape.grid * shape.block > 1 ? "shared" : "alone";
        how.piece_count = shape.grid;
    } else if (plan->kind == PLAN_TASK_PARALLEL) {
        how.way = "in order";
        say_in_order(walk->run, plan, why, sizeof why);
    }
    struct gpu_trace_task *traced = gpu_trace_begin(walk, plan);
    rill_status status = run_version(walk, plan, task, trip, is_fast);
    gpu_trace_end(walk, traced, status == RILL_OK ? &how : NULL);
    return status;
}

static rill_status start(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task, int64_t trip,
                         bool is_fast)
{
    RILL_TRY(upload_slots(walk, plan, task));
    if (trip == UNKNOWN_TRIP) {
        RILL_TRY(gpu_slots_upload(walk, plan->trip));
    }
    rill_status status = walk->run->device->trace == NULL ? run_version(walk, plan, task, trip, is_fast)
                                                          : run_traced(walk, plan, task, trip, is_fast);
    note_writes(walk->run, plan, task);
    if (status == RILL_OK && plan->may_print) {
        status = note_print(walk);
    }
    return status;
}

// The trip count; |out_trip| is UNKNOWN_TRIP where the device has it. False: the walk must end.
static bool find_trip(struct gpu_walk *walk, const struct plan_task *plan, const struct gpu_task *task,
                      int64_t *out_trip)
{
    union ir_value trip;
    if (task->computes_trip && gpu_slots_missing(walk->run, plan->trip)) {
        *out_trip = UNKNOWN_TRIP;
        return true;
    }
    bool is_known = gpu_eval(walk, plan->trip, &(struct gpu_why){plan->loc, "a loop's bound"}, &trip);
    *out_trip = is_known ? trip.i : 0;
    return is_known;
}

enum gpu_step gpu_task_start(struct gpu_walk *walk, int index)
{
    struct gpu_run *run = walk->run;
    assert(0 <= index && index < run->kernel->plan->task_count);
    const struct plan_task *plan = &run->kernel->plan->tasks[index];
    const struct gpu_task *task = &run->kernel->tasks[index];
    task = run->is_remote && task->remote != NULL ? task->remote : task;
    gpu_run_count(run, &run->device->counters.task_count);
    int64_t trip = 1;
    bool is_fast = true;
    if (plan->kind == PLAN_TASK_PARALLEL) {
        if (!find_trip(walk, plan, task, &trip)) {
            return GPU_FAIL;
        }
        if (trip <= 0 && trip != UNKNOWN_TRIP) {
            return GPU_ON;
        }
        rill_status status = choose(walk, plan, &is_fast);
        if (status != RILL_OK || run->has_failed) {
            return gpu_run_fail(run, status);
        }
    }
    const struct plan_pair *broken = pair_missing(run, plan) ? NULL : plan_task_broken_restrict(plan, &run->values);
    if (broken != NULL) {
        return gpu_run_refuse(run, &plan->effects[broken->a], &plan->effects[broken->b]);
    }
    rill_status status = start(walk, plan, task, trip, is_fast);
    return status == RILL_OK ? GPU_ON : gpu_run_fail(run, status);
}

enum gpu_step gpu_task_assign(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    rill_status status = gpu_slots_upload(walk, node->expr);
    status = status == RILL_OK ? call(walk, run->kernel->node_entries[node->id], 1, 1, 1, 1) : status;
    int slot = gpu_slot_at(run->kernel->plan, node->slot);
    if (slot >= 0) {
        run->slots[slot] = GPU_SLOT_DEVICE;
    }
    return status == RILL_OK ? GPU_ON : gpu_run_fail(run, status);
}

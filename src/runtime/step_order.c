// What follows what in a run, by what its tasks touch and by marks; and lanes for them, each of which is queued on a
// stream: a task goes behind one that it follows if nothing else has, else on a lane of its own as long as there are
// some. What a lane knows of the others is a vector clock, so that nothing is waited for twice.
#include "base/status.h"
#include "runtime/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct task_point {
    struct hazard_point base; // first
    int index;
};

struct ordering {
    struct step_run *run;
    struct task_point *points; // one for each task
    int *clocks;               // of each task: of each lane the last task that it follows; -1: none
    int *depths;               // of each task: of the longest chain that ends with it
    int *seen;                 // of each task: 1 + the last one that was found to follow it
    int *found;                // those that the task at hand follows
    int found_count;
    struct step_edges edges;
    bool has_failed; // no memory
};

static rill_status no_memory(const char *who)
{
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the order of a step", who);
}

// ---- what follows what --------------------------------------------------------------------------------------------

static void follow(struct ordering *ordering, int index, int other)
{
    assert(other < index);
    if (ordering->seen[other] != index + 1) {
        ordering->seen[other] = index + 1;
        ordering->found[ordering->found_count++] = other;
    }
}

struct looking {
    struct ordering *ordering;
    int index;
};

static void visit(void *arg, const struct hazard_entry *entry)
{
    struct looking *looking = arg;
    follow(looking->ordering, looking->index, ((const struct task_point *)entry->point)->index);
}

static void forget_point(void *user, struct hazard_point *point)
{
    (void)user;
    (void)point;
}

// What task |index| follows, in found[].
static void find(struct ordering *ordering, struct hazard_table *table, int index)
{
    const struct step_operation *operation = &ordering->run->step->operations[index];
    const struct step_task *task = &ordering->run->tasks[index];
    struct hazard_point *point = &ordering->points[index].base;
    struct looking looking = {ordering, index};
    ordering->found_count = 0;
    for (int i = 0; i < task->access_count; i++) {
        hazard_find(table, &task->accesses[i], point, visit, &looking);
    }
    if (operation->barrier >= 0) {
        follow(ordering, index, operation->barrier);
    }
    for (int i = 0; i < operation->before_count; i++) {
        follow(ordering, index, operation->before[i]);
    }
    point->reference_count = 1;
    for (int i = 0; i < task->access_count; i++) {
        ordering->has_failed |= !hazard_add(table, &task->accesses[i], point);
    }
    hazard_release(table, point);
}

// ---- lanes --------------------------------------------------------------------------------------------------------

static int *clock_of(struct ordering *ordering, int index)
{
    return ordering->clocks + (size_t)index * STEP_MAX_LANES;
}

static void join_clock(int *clock, const int *other)
{
    for (int i = 0; i < STEP_MAX_LANES; i++) {
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
    }
}

static int later_first(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x < y) - (x > y);
}

// The lane whose last task is followed anyway, the latest; else a new one; else the one that was given nothing for the
// longest time.
static int choose_lane(struct step_run *run, const int *clock)
{
    int best = -1;
    for (int i = 0; i < run->lane_count; i++) {
        bool is_followed = run->lanes[i].last >= 0 && clock[i] == run->lanes[i].last;
        if (is_followed && (best < 0 || run->lanes[i].last > run->lanes[best].last)) {
            best = i;
        }
    }
    if (best >= 0) {
        return best;
    }
    if (run->lane_count < STEP_MAX_LANES) {
        return run->lane_count++;
    }
    best = 0;
    for (int i = 1; i < run->lane_count; i++) {
        best = run->lanes[i].last < run->lanes[best].last ? i : best;
    }
    return best;
}

static bool add_wait(struct step_run *run, int other)
{
    if (run->wait_count == run->wait_capacity) {
        size_t capacity = run->wait_capacity > 0 ? 2 * run->wait_capacity : 64;
        int *waits = context_alloc(run->context, capacity * sizeof *waits);
        if (waits == NULL) {
            return false;
        }
        if (run->wait_count > 0) {
            memcpy(waits, run->waits, run->wait_count * sizeof *waits);
        }
        context_free(run->context, run->waits, run->wait_capacity * sizeof *waits);
        run->waits = waits;
        run->wait_capacity = capacity;
    }
    run->waits[run->wait_count++] = other;
    return true;
}

// On which lane, and what it waits for there.
static void place(struct ordering *ordering, int index)
{
    struct step_run *run = ordering->run;
    struct step_task *task = &run->tasks[index];
    int all[STEP_MAX_LANES];
    int *clock = clock_of(ordering, index);
    memset(all, 0xff, sizeof all);
    qsort(ordering->found, (size_t)ordering->found_count, sizeof *ordering->found, later_first);
    for (int i = 0; i < ordering->found_count; i++) {
        join_clock(all, clock_of(ordering, ordering->found[i]));
    }
    task->lane = choose_lane(run, all);
    struct step_lane *lane = &run->lanes[task->lane];
    if (lane->last >= 0) {
        memcpy(clock, clock_of(ordering, lane->last), sizeof all);
    } else {
        memset(clock, 0xff, sizeof all);
    }
    task->first_wait = run->wait_count;
    for (int i = 0; i < ordering->found_count; i++) {
        int other = ordering->found[i];
        if (clock[run->tasks[other].lane] < other) {
            ordering->has_failed |= !add_wait(run, other);
            run->tasks[other].is_awaited = true;
            join_clock(clock, clock_of(ordering, other));
        }
    }
    task->wait_count = (int)(run->wait_count - task->first_wait);
    clock[task->lane] = index;
    lane->last = index;
}

// ---- what others see ----------------------------------------------------------------------------------------------

static int by_place(const void *a, const void *b)
{
    const struct hazard_access *x = a;
    const struct hazard_access *y = b;
    int order = (x->span.low > y->span.low) - (x->span.low < y->span.low);
    order = order != 0 ? order : (x->span.high > y->span.high) - (x->span.high < y->span.high);
    order = order != 0 ? order : (int)x->kind - (int)y->kind;
    order = order != 0 ? order : (x->span.step > y->span.step) - (x->span.step < y->span.step);
    return order != 0 ? order : (int)x->type - (int)y->type;
}

static bool is_repeated(const struct hazard_access *a, const struct hazard_access *b)
{
    return by_place(a, b) == 0 && a->span.width == b->span.width && a->update == b->update;
}

// All that the run touches, each once.
static bool gather(struct step_run *run)
{
    int count = 0;
    for (int i = 0; i < run->task_count; i++) {
        count += run->tasks[i].access_count;
    }
    if (count > run->all_capacity) {
        struct hazard_access *all = context_alloc(run->context, (size_t)count * sizeof *all);
        if (all == NULL) {
            return false;
        }
        context_free(run->context, run->all, (size_t)run->all_capacity * sizeof *all);
        run->all = all;
        run->all_capacity = count;
    }
    count = 0;
    for (int i = 0; i < run->task_count; i++) {
        for (int k = 0; k < run->tasks[i].access_count; k++) {
            run->all[count] = run->tasks[i].accesses[k];
            run->all[count++].what = -2; // it names no parameter of one kernel
        }
    }
    if (count > 1) {
        qsort(run->all, (size_t)count, sizeof *run->all, by_place);
    }
    run->all_count = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || !is_repeated(&run->all[i], &run->all[run->all_count - 1])) {
            run->all[run->all_count++] = run->all[i];
        }
    }
    return true;
}

// ---- all ----------------------------------------------------------------------------------------------------------

// Marks are no operations: a chain through one is as long as that of the tasks.
static void measure(struct ordering *ordering, int index)
{
    struct step_run *run = ordering->run;
    bool is_mark = run->step->operations[index].kind == STEP_MARK;
    int depth = 0;
    for (int i = 0; i < ordering->found_count; i++) {
        int other = ordering->depths[ordering->found[i]];
        depth = other > depth ? other : depth;
    }
    ordering->depths[index] = depth + (is_mark ? 0 : 1);
    run->dependency_count += (size_t)ordering->found_count;
    run->depth = (size_t)ordering->depths[index] > run->depth ? (size_t)ordering->depths[index] : run->depth;
}

static void order_all(struct ordering *ordering)
{
    struct step_run *run = ordering->run;
    struct hazard_table table;
    hazard_init(&table, run->context);
    table.release = forget_point;
    for (int i = 0; i < run->task_count; i++) {
        ordering->points[i] = (struct task_point){.base = {.stream = &ordering->points[i]}, .index = i};
        run->tasks[i].is_awaited = false;
    }
    for (int i = 0; i < run->task_count && !ordering->has_failed; i++) {
        find(ordering, &table, i);
        measure(ordering, i);
        place(ordering, i);
        ordering->has_failed |= !step_edges_add(&ordering->edges, i, ordering->found, ordering->found_count);
    }
    hazard_finish(&table);
}

static rill_status make_events(const char *who, struct step_run *run)
{
    const struct backend *backend = run->context->backend;
    struct backend_device *device = run->context->device;
    for (int i = 0; i < run->task_count; i++) {
        struct step_task *task = &run->tasks[i];
        if (task->is_awaited && task->event == NULL) {
            RILL_TRY(context_fail_as(who, backend->event_create(device, false, &task->event)));
        }
    }
    return RILL_OK;
}

// The lane's stream, with an id of its own for traces.
static rill_status open_lane(struct step_run *run, struct step_lane *lane)
{
    struct context *context = run->context;
    const struct backend *backend = context->backend;
    if (lane->end == NULL) {
        RILL_TRY(backend->event_create(context->device, false, &lane->end));
    }
    uint64_t id = UINT64_C(1) << 63 | (atomic_fetch_add(&context->lane_number, 1) + 1);
    return lane->stream.queue == NULL ? backend->stream_create(context->device, run->priority, id, &lane->stream.queue)
                                      : RILL_OK;
}

// Where the device has no more streams the tasks run one after the other.
static rill_status open_lanes(const char *who, struct step_run *run)
{
    run->is_serial = false;
    for (int i = 1; i < run->lane_count && !run->is_serial; i++) {
        rill_status status = open_lane(run, &run->lanes[i]);
        run->is_serial = status == RILL_ERR_LIMIT;
        RILL_TRY(run->is_serial ? RILL_OK : context_fail_as(who, status));
    }
    return RILL_OK;
}

// The lanes whose end no task of lane 0 follows.
static void find_joins(struct ordering *ordering)
{
    struct step_run *run = ordering->run;
    for (int i = 1; i < run->lane_count; i++) {
        int first = run->lanes[0].last;
        run->lanes[i].is_joined = first >= 0 && clock_of(ordering, first)[i] == run->lanes[i].last;
    }
}

rill_status step_run_order(const char *who, struct step_run *run)
{
    struct context *context = run->context;
    size_t count = (size_t)run->task_count;
    size_t size = count * (sizeof(struct task_point) + (STEP_MAX_LANES + 3) * sizeof(int));
    run->lane_count = 0;
    run->wait_count = 0;
    run->dependency_count = 0;
    run->depth = 0;
    for (int i = 0; i < STEP_MAX_LANES; i++) {
        run->lanes[i].last = -1;
        run->lanes[i].stream.context = context;
    }
    if (count == 0) {
        run->is_stale = false;
        return RILL_OK;
    }
    char *room = context_alloc(context, size);
    if (room == NULL) {
        return no_memory(who);
    }
    struct ordering ordering = {.run = run, .points = (struct task_point *)(void *)room};
    ordering.clocks = (int *)(void *)(room + count * sizeof(struct task_point));
    ordering.depths = ordering.clocks + count * STEP_MAX_LANES;
    ordering.seen = ordering.depths + count;
    ordering.found = ordering.seen + count;
    rill_status status = step_edges_begin(who, &ordering.edges, run);
    if (status == RILL_OK) {
        order_all(&ordering);
        find_joins(&ordering);
        status = ordering.has_failed ? no_memory(who) : step_edges_end(who, &ordering.edges);
    }
    step_edges_drop(&ordering.edges);
    context_free(context, room, size);
    RILL_TRY(status);
    if (context->order != NULL && !gather(run)) {
        return no_memory(who);
    }
    RILL_TRY(make_events(who, run));
    RILL_TRY(open_lanes(who, run));
    run->is_stale = false;
    return RILL_OK;
}

// Starts tasks: chooses the version, cuts the iterations into pieces, and ends the reductions.
#include "backend/cpu/exec.h"

#include "base/clock.h"
#include "base/hot.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What work is, and what of it is worth sharing, is in plan/mapping.h.
enum {
    ALONE_TIME = 8 * 1000,        // nanoseconds of a loop by itself below which it is over before others have begun
    ALONE_TIME_OF_TWO = 4 * 1000, // the same where there is only one other
    SHORT_TIME = 60 * 1000,       // nanoseconds of a loop by itself below which it is over before a sleeper has come
    PACE_MAX_TIME = 1000 * 1000,  // nanoseconds: the thread may not have run all the time
    MERGE_WORK = 32,              // of an element of private copies: it is cleared, added up and added to its place
    ATOMIC_TIMES = 6,             // what an atomic update takes more than a plain one, over what the plan's costs say
    PRINT_KEPT = 64 * 1024,       // text of a serial task that is kept before it goes out
};

// A call of an entry: what its services need to know.
struct task_call {
    struct abi_frame frame; // first: the services get its address
    struct cpu_exec *exec;
    bool is_serial;
};

// ---- failures -----------------------------------------------------------------------------------------------------

bool run_has_failed(struct cpu_run *run)
{
    return atomic_load_explicit(&run->failure_state, memory_order_relaxed) != 0;
}

static bool claim_failure(struct cpu_run *run)
{
    int none = 0;
    return atomic_compare_exchange_strong(&run->failure_state, &none, 1);
}

void run_fail(struct cpu_run *run, rill_status status)
{
    if (claim_failure(run)) {
        run->failure_status = status;
        run->failure = NULL;
        atomic_store_explicit(&run->failure_state, 2, memory_order_release);
    }
}

void run_fail_restrict(struct cpu_run *run, const struct plan_effect *a, const struct plan_effect *b)
{
    if (claim_failure(run)) {
        run->failure_status = RILL_ERR_CONFLICT;
        run->failure = NULL;
        run->failure_effects[0] = a;
        run->failure_effects[1] = b;
        atomic_store_explicit(&run->failure_state, 2, memory_order_release);
    }
}

static void note_failure(struct abi_frame *frame, const struct abi_failure *failure, int64_t iteration, int64_t index,
                         int64_t extent)
{
    struct cpu_run *run = ((struct task_call *)frame)->exec->run;
    if (claim_failure(run)) {
        run->failure_status = backend_failure_status(failure->kind);
        run->failure = failure;
        run->failure_iteration = iteration;
        run->failure_index = index;
        run->failure_extent = extent;
        atomic_store_explicit(&run->failure_state, 2, memory_order_release);
    }
}

void run_describe_failure(struct cpu_run *run, uint64_t stream, struct backend_error *out_error)
{
    // The claim is published by the time the run is over: the service that filled it has returned.
    int state = atomic_load_explicit(&run->failure_state, memory_order_acquire);
    assert(state == 2);
    (void)state;
    const struct abi_failure *failure = run->failure;
    const struct plan_kernel *kernel = run->kernel->plan;
    if (run->failure_status == RILL_ERR_CONFLICT && failure == NULL) {
        backend_describe_restrict(run->image->plan, kernel, run->failure_effects[0], run->failure_effects[1],
                                  out_error);
        out_error->stream = stream;
        return;
    }
    if (failure == NULL) {
        *out_error = (struct backend_error){.status = run->failure_status, .stream = stream};
        snprintf(out_error->kernel, sizeof out_error->kernel, "%s", kernel->name);
        snprintf(out_error->text, sizeof out_error->text, "kernel '%s': its plan could not be evaluated",
                 out_error->kernel);
        return;
    }
    struct backend_failure words = {.module = run->image->plan,
                                    .kernel = kernel,
                                    .values = &run->values,
                                    .kind = failure->kind,
                                    .file = failure->file,
                                    .line = failure->line,
                                    .column = failure->column,
                                    .text = failure->text,
                                    .iteration = run->failure_iteration,
                                    .index = run->failure_index,
                                    .extent = run->failure_extent,
                                    .stream = stream};
    backend_describe_failure(&words, out_error);
}

// ---- printing -----------------------------------------------------------------------------------------------------

static void note_print(struct abi_frame *frame, int64_t iteration, const char *format, const uint64_t *args,
                       int32_t count)
{
    struct task_call *call = (struct task_call *)frame;
    struct cpu_exec *exec = call->exec;
    print_add(exec->run->device, exec->print, call->is_serial ? 0 : iteration, format, args, count);
    if (call->is_serial && exec->block == NULL && exec->print->text_size >= PRINT_KEPT) {
        print_flush(exec->run->device, exec->print);
    }
}

const struct abi_services task_services = {.print = note_print, .fail = note_failure};

// ---- calling ------------------------------------------------------------------------------------------------------

static void call_entry(struct cpu_exec *exec, abi_entry *entry, int64_t lo, int64_t hi, struct task_call call,
                       void *partial)
{
    struct cpu_run *run = exec->run;
    call.frame.services = &task_services;
    call.exec = exec;
    entry(run->values.args, run->block, lo, hi, partial, &call.frame);
}

static void run_chunk(struct cpu_pool_loop *loop, int64_t chunk, struct cpu_worker *worker)
{
    struct cpu_exec *exec = (struct cpu_exec *)((char *)loop - offsetof(struct cpu_exec, loop));
    assert(chunk >= 0 && chunk < exec->chunk_count);
    thread_observe(exec);
    int64_t lo = chunk * exec->chunk_size;
    int64_t hi = exec->chunk_size < exec->trip - lo ? lo + exec->chunk_size : exec->trip;
    void *partial = exec->task->partial_size != 0 ? exec->partials + (uint64_t)chunk * exec->task->partial_size : NULL;
    struct task_call call = {.frame.iter_count = exec->trip, .frame.copies = copies_of(exec, worker)};
    call_entry(exec, exec->entries->entry, lo, hi, call, partial);
    thread_publish(&exec->loop);
}

// What a block prints waits for the region's end: see region.c.
static __attribute__((noinline)) void put_in_order(struct cpu_exec *exec)
{
    print_order(exec->print);
    if (exec->block == NULL) {
        print_flush(exec->run->device, exec->print);
    }
}

static inline void end_print(struct cpu_exec *exec)
{
    if (UNLIKELY(exec->print->record_count != 0 ||
                 atomic_load_explicit(&exec->print->lost_count, memory_order_relaxed) != 0)) {
        put_in_order(exec);
    }
}

static __attribute__((noinline)) void trace_task(struct cpu_exec *exec, const char *way, const char *way_text,
                                                 uint32_t chunk_count)
{
    struct cpu_run *run = exec->run;
    const struct plan_task *task = exec->task;
    struct trace_event event = {.task = task->name,
                                .kernel = run->kernel->plan->name,
                                .file = plan_file(run->image->plan, task->loc.file),
                                .line = task->loc.line,
                                .group = task->group,
                                .stream = run->stream,
                                .begin = exec->begin_time,
                                .end = clock_now(),
                                .chunk_count = chunk_count,
                                .worker = exec->begin_worker,
                                .way = way,
                                .way_text = way_text,
                                .cause = &exec->cause};
    trace_add(run->device->trace, &event);
    trace_cause_set(&exec->cause, TRACE_TASK, task->name, 0);
}

// What was measured says how long such a loop will take the next time. Loops are believed to be faster only by and by,
// as their chunks may differ, and no more than twice as slow at once where sharing gains little: a thread may have lost
// its processor, or found the memory in the caches of others. What took long is believed: else a loop that is long only
// now and then would never be shared.
static void note_pace(struct cpu_exec *exec, uint64_t time, int64_t work)
{
    if (time == 0) {
        return;
    }
    time = time < PACE_MAX_TIME ? time : PACE_MAX_TIME;
    uint64_t pace = time * 1000 / (uint64_t)(work > 0 ? work : 1) + 1;
    uint64_t before = atomic_load_explicit(&exec->entries->pace, memory_order_relaxed);
    if (before > 0) {
        bool is_believed = pace < 2 * before || time >= SHORT_TIME;
        pace = pace < before ? before - (before - pace + 3) / 4 : is_believed ? pace : 2 * before;
    }
    atomic_store_explicit(&exec->entries->pace, pace, memory_order_relaxed);
}

static void end_task(struct cpu_exec *exec)
{
    struct cpu_run *run = exec->run;
    thread_observe(&exec->loop);
    if (exec->is_shared) {
        note_pace(exec, exec->loop.chunk_time, exec->work / exec->chunk_count);
    }
    copies_end(exec); // also of a task that has failed: its updates happened
    if (exec->entries->finish != NULL && !run_has_failed(run)) {
        call_entry(exec, exec->entries->finish, 0, 1, (struct task_call){.frame.iter_count = exec->chunk_count},
                   exec->partials);
    }
    end_print(exec);
    if (run->device->trace != NULL) {
        trace_task(exec, exec->is_shared ? "shared" : "alone", "", exec->chunk_count);
    }
}

static void loop_over(struct cpu_pool_loop *loop, struct cpu_worker *worker)
{
    struct cpu_exec *exec = (struct cpu_exec *)((char *)loop - offsetof(struct cpu_exec, loop));
    end_task(exec);
    exec_resume(exec, worker);
}

// |why_in_order|: "" if it is no loop that could have been parallel.
static inline void run_alone(struct cpu_exec *exec, abi_entry *entry, const char *why_in_order)
{
    call_entry(exec, entry, 0, 1, (struct task_call){.frame.iter_count = 1, .is_serial = true}, NULL);
    end_print(exec);
    if (UNLIKELY(exec->run->device->trace != NULL)) {
        trace_task(exec, why_in_order[0] != '\0' ? "in order" : "alone", why_in_order, 1);
    }
}

// ---- cutting ------------------------------------------------------------------------------------------------------

int64_t task_work(const struct cpu_run *run, int index)
{
    const struct plan_task *task = &run->kernel->plan->tasks[index];
    int64_t trip;
    int64_t cost;
    bool is_known = plan_task_cost(task, &run->values, &cost) && plan_task_trip(task, &run->values, &trip);
    return is_known ? plan_work(trip, cost) : INT64_MAX;
}

static int64_t cost_of(struct cpu_exec *exec)
{
    int64_t cost;
    (void)plan_task_cost(exec->task, &exec->run->values, &cost); // or the guess
    return cost;
}

// What a task took when it ran last says more than the number of its operations. Not where what is measured would be
// seen: in a trace, in a chosen schedule, and in whether counters are copied.
static bool is_known_to_be_short(const struct cpu_exec *exec, int64_t work)
{
    const struct backend_device *device = exec->run->device;
    int64_t pace = (int64_t)atomic_load_explicit(&exec->entries->pace, memory_order_relaxed);
    int64_t least = device->pool.worker_count > 2 ? ALONE_TIME : ALONE_TIME_OF_TWO;
    return pace > 0 && work < least * 1000 / pace && device->trace == NULL && !device->pool.is_fuzzed &&
           exec->task->copy_count == 0;
}

// How many iterations a piece has, and whether the pieces are worth sharing.
static bool cut(struct cpu_exec *exec)
{
    struct plan_cut found;
    int64_t work = plan_work(exec->trip, cost_of(exec));
    plan_cut_task(exec->task, exec->trip, work, exec->run->device->pool.worker_count, !is_known_to_be_short(exec, work),
                  &found);
    exec->chunk_size = found.size;
    exec->chunk_count = (uint32_t)found.pieces;
    exec->work = work;
    return found.is_shared;
}

// Says so, and gives the reason.
static void log_in_order(struct cpu_exec *exec, char *out_why, size_t size)
{
    snprintf(out_why, size, "its conditions do not hold");
    struct cpu_run *run = exec->run;
    if (exec->task->loop < 0) { // a part of a loop's plan, which the loop's own task speaks for
        return;
    }
    device_count(&run->device->counters.in_order_count);
    struct arena arena;
    jmp_buf escape;
    arena_init(&arena);
    arena.escape = &escape;
    if (setjmp(escape) == 0) {
        struct str why;
        str_init(&why, &arena);
        plan_task_is_fast(run->kernel->plan, exec->task, &run->values, &why);
        snprintf(out_why, size, "%s", str_text(&why));
        backend_log(&run->device->host, BACKEND_LOG_NOTE, "kernel '%s', %s:%u: the loop runs in order: %s",
                    run->kernel->plan->name, plan_file(run->image->plan, exec->task->loc.file), exec->task->loc.line,
                    str_text(&why));
    }
    arena_finish(&arena);
}

static void run_in_order(struct cpu_exec *exec)
{
    if (exec->entries->in_order == NULL) { // the plan promised that the fast version always may run
        run_fail(exec->run, RILL_ERR_INTERNAL);
        return;
    }
    char why[160];
    log_in_order(exec, why, sizeof why);
    run_alone(exec, exec->entries->in_order, why);
}

// Whether threads that sleep should come is seen from what the task took before.
static void expect_time(struct cpu_exec *exec)
{
    uint64_t pace = atomic_load_explicit(&exec->entries->pace, memory_order_relaxed);
    exec->loop.is_short = pace > 0 && exec->work < SHORT_TIME * 1000 / (int64_t)pace;
    exec->loop.is_timed = true; // also where it is known: what is thought to be long is found out only so
}

static void run_by_itself(struct cpu_exec *exec, struct cpu_worker *worker)
{
    bool is_timed = exec->work >= TASK_WORK_ALONE && exec->run->device->pool.worker_count > 1;
    uint64_t begin = is_timed ? clock_now() : 0;
    for (uint32_t i = 0; i < exec->chunk_count; i++) {
        run_chunk(&exec->loop, i, worker);
    }
    if (is_timed) {
        note_pace(exec, clock_now() - begin, exec->work);
    }
}

// The language makes updates atomic for other iterations and blocks; but those of unordered launches on two streams all
// arrive too, if the task does not give it away.
bool task_is_only_one(const struct backend_device *device)
{
    return device->pool.worker_count == 1 || atomic_load_explicit(&device->stream_count, memory_order_relaxed) == 1;
}

// Whether one thread without atomic updates takes less time than all with them, or is all there is. In private copies
// the updates are plain too, but one by one.
static bool is_faster_in_order(const struct cpu_exec *exec)
{
    union ir_value cost;
    if (exec->task->order_cost == NULL || !task_is_only_one(exec->run->device)) {
        return false;
    }
    assert(exec->entries->in_order != NULL && exec->task->partial_size == 0);
    if (!exec->is_shared || !plan_eval(exec->task->order_cost, &exec->run->values, &cost)) {
        return !exec->is_shared;
    }
    int64_t in_order = plan_work(exec->trip, cost.i > 1 ? cost.i : 1);
    int64_t more = exec->work > in_order ? exec->work - in_order : 0;
    int64_t shared = plan_work(more, ATOMIC_TIMES);
    shared = shared < INT64_MAX - in_order ? in_order + shared : INT64_MAX;
    int64_t merge = 0;
    if (exec->copies.count > 0) { // plain updates, one by one and a bit dearer, and one thread that adds them up
        shared = exec->work / 2 > in_order ? exec->work / 2 : in_order;
        shared += shared / 4;
        for (int i = 0; i < exec->copies.count; i++) {
            merge += (int64_t)(exec->copies.items[i].size / (uint64_t)ir_type_size(exec->copies.items[i].type));
        }
    }
    return in_order <= shared / exec->run->device->pool.worker_count + MERGE_WORK * merge;
}

static __attribute__((noinline)) bool start_parallel(struct cpu_exec *exec, struct cpu_worker *worker)
{
    struct cpu_run *run = exec->run;
    union ir_value trip;
    if (!plan_eval(exec->task->trip, &run->values, &trip)) {
        run_fail(run, RILL_ERR_INTERNAL);
        return true;
    }
    if (trip.i <= 0) {
        return true;
    }
    if (!plan_task_is_fast(run->kernel->plan, exec->task, &run->values, NULL)) {
        run_in_order(exec);
        return true;
    }
    exec->trip = trip.i;
    exec->is_shared = cut(exec);
    exec->copies.count = 0;
    if (exec->task->copy_count > 0) {
        copies_begin(exec, exec->work, exec->is_shared ? run->device->pool.worker_count : 1);
    }
    if (is_faster_in_order(exec)) {
        run_alone(exec, exec->entries->in_order, "");
        return true;
    }
    if (exec->copies.count > 0) {
        device_count(&run->device->counters.copied_count);
    }
    if (!exec->is_shared) {
        run_by_itself(exec, worker);
    } else {
        device_count(&run->device->counters.parallel_count);
        exec->loop.body = run_chunk;
        exec->loop.over = loop_over;
        exec->loop.owner = run->queue;
        expect_time(exec);
        thread_publish(exec);
        if (!cpu_pool_run_loop(&run->device->pool, &exec->loop, exec->chunk_count, worker)) {
            return false;
        }
    }
    end_task(exec);
    return true;
}

// Whether what the task touches overlaps in spite of `restrict`: the run has failed then.
static __attribute__((noinline)) bool breaks_restrict(struct cpu_exec *exec)
{
    const struct plan_pair *broken = plan_task_broken_restrict(exec->task, &exec->run->values);
    if (broken != NULL) {
        run_fail_restrict(exec->run, &exec->task->effects[broken->a], &exec->task->effects[broken->b]);
    }
    return broken != NULL;
}

// A nest that the launch does not let run in another order than the source's.
static __attribute__((noinline)) void run_as_in_source(struct cpu_exec *exec)
{
    static const char why[] = "arguments overlap, or indices wrap";
    struct cpu_run *run = exec->run;
    if (plan_task_is_few(exec->task, &run->values)) {
        run_alone(exec, exec->entries->entry, "");
        return;
    }
    device_count(&run->device->counters.in_order_count);
    backend_log(&run->device->host, BACKEND_LOG_NOTE, "kernel '%s', %s:%u: the nest runs as in the source: %s",
                run->kernel->plan->name, plan_file(run->image->plan, exec->task->loc.file), exec->task->loc.line, why);
    run_alone(exec, exec->entries->entry, why);
}

HOT bool task_start(struct cpu_exec *exec, int index, struct cpu_worker *worker)
{
    const struct cpu_kernel *kernel = exec->run->kernel;
    assert(index >= 0 && index < kernel->plan->task_count);
    exec->task = &kernel->plan->tasks[index];
    exec->entries = &kernel->tasks[index];
    cpu_pool_count_task(worker);
    if (UNLIKELY(exec->run->device->trace != NULL)) {
        exec->begin_time = clock_now();
        exec->begin_worker = worker->index;
    }
    if (exec->task->pair_count > 0 && breaks_restrict(exec)) {
        return true;
    }
    if (exec->task->kind == PLAN_TASK_PARALLEL) {
        return start_parallel(exec, worker);
    }
    if (UNLIKELY(exec->task->loop >= 0)) {
        run_as_in_source(exec);
    } else if (exec->entries->in_order != NULL &&
               !plan_task_is_fast(kernel->plan, exec->task, &exec->run->values, NULL)) {
        run_alone(exec, exec->entries->in_order, "arguments overlap");
    } else {
        run_alone(exec, exec->entries->entry, "");
    }
    return true;
}

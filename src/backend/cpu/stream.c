#include "backend/cpu/stream.h"

#include "base/hot.h"
#include "base/status.h"

#include <assert.h>
#include <string.h>

enum { MANY_WORDS = 16 }; // of arguments

// ---- queueing -----------------------------------------------------------------------------------------------------

static __attribute__((noinline, cold)) rill_status start_threads_now(struct backend_device *device)
{
    RILL_TRY(cpu_pool_start(&device->pool));
    atomic_store_explicit(&device->is_started, true, memory_order_release);
    return RILL_OK;
}

static rill_status start_threads(struct backend_device *device)
{
    return LIKELY(atomic_load_explicit(&device->is_started, memory_order_acquire)) ? RILL_OK
                                                                                   : start_threads_now(device);
}

// Puts an operation into the inbox, and says what was there: &rest if no worker has the stream, and its job must be
// pushed. Else the operation may have run by the time this returns.
//
// |guess| is what may be there. One that is wrong costs little: the exchange that fails brings the cache line and says
// what is there, and looking first would bring the line twice.
static struct cpu_op *post(struct backend_stream *stream, struct cpu_op *op, struct cpu_op *guess)
{
    struct cpu_op *before = guess;
    op->next = before != &stream->rest ? before : NULL;
    while (!atomic_compare_exchange_weak_explicit(&stream->inbox, &before, op, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
        op->next = before != &stream->rest ? before : NULL;
    }
    return before;
}

// Appends an operation, made by segment_take() or with memory of its own. The stream's lock is held; true if its job
// must be pushed.
HOT bool cpu_stream_append(struct backend_stream *stream, struct cpu_op *op, enum cpu_op_kind kind)
{
    assert(thread_latch_is_held(&stream->lock));
    op->kind = kind;
    stream->current_count += op->segment != NULL;
    uint64_t queued = atomic_load_explicit(&stream->queued_count, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->queued_count, queued, memory_order_relaxed);
    if (UNLIKELY(stream->is_checked)) {
        thread_publish(stream);
        thread_publish(&stream->current);
    }
    // A worker that keeps up has taken the operation before, and the inbox is empty. Who waits for what it queues runs
    // it itself: the cache line is here then, and looking costs nothing. The lock keeps the stream there, whatever the
    // operation does.
    struct cpu_op *guess = stream->is_at_hand ? atomic_load_explicit(&stream->inbox, memory_order_relaxed) : NULL;
    struct cpu_op *before = post(stream, op, guess);
    stream->is_at_hand = before == &stream->rest || (before != NULL && stream->is_at_hand);
    return before == &stream->rest;
}

static HOT void unlock_and_push(struct backend_stream *stream, bool push)
{
    thread_latch_unlock(&stream->lock);
    if (push) {
        cpu_pool_reserve(&stream->device->pool, &stream->job);
    }
}

static rill_status no_memory(struct backend_stream *stream)
{
    thread_latch_unlock(&stream->lock);
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
}

// Takes the lock. Fails, without the lock, if the stream has an error.
static HOT rill_status lock_for_work(struct backend_stream *stream)
{
    RILL_TRY(start_threads(stream->device));
    thread_latch_lock(&stream->lock);
    if (LIKELY(stream->error == NULL)) {
        return RILL_OK;
    }
    rill_status status = status_fail(stream->error->error.status, BACKEND_STREAM_REFUSES, stream->error->error.text);
    thread_latch_unlock(&stream->lock);
    return status;
}

static bool has_room(struct backend_stream *stream)
{
    uint64_t count = atomic_load_explicit(&stream->launch_count, memory_order_relaxed);
    assert(thread_latch_is_held(&stream->lock) && count >= stream->launch_ended_seen);
    if (count - stream->launch_ended_seen >= STREAM_MAX_LAUNCHES) {
        stream->launch_ended_seen = atomic_load_explicit(&stream->launch_ended_count, memory_order_acquire);
    }
    return count - stream->launch_ended_seen < STREAM_MAX_LAUNCHES;
}

// The same without the lock, for who waits: another may be faster.
static bool may_have_room(void *arg)
{
    struct backend_stream *stream = arg;
    (void)atomic_load(&stream->ended_count); // changed after |launch_ended_count|: who sees the one sees the other
    uint64_t ended = atomic_load_explicit(&stream->launch_ended_count, memory_order_relaxed);
    return atomic_load_explicit(&stream->launch_count, memory_order_relaxed) - ended < STREAM_MAX_LAUNCHES;
}

// The stream's lock is held.
static __attribute__((noinline, cold)) void wait_for_room(struct backend_stream *stream)
{
    device_count(&stream->device->counters.ring_wait_count);
    while (!has_room(stream)) {
        thread_latch_unlock(&stream->lock);
        eventcount_wait(&stream->progress, may_have_room, stream);
        thread_latch_lock(&stream->lock);
    }
}

// With what is between the arguments and the sizes behind them.
static size_t args_size(uint64_t size)
{
    return (size + 7) & ~(size_t)7;
}

// Of the arguments and what follows them.
static size_t known_size(uint64_t size, int param_count)
{
    return args_size(size) + (size_t)param_count * sizeof(uint64_t);
}

// Arguments are a few words as a rule: to call for them takes longer than to copy them.
static inline __attribute__((always_inline)) void copy_words(unsigned char *target, const unsigned char *source,
                                                             size_t size)
{
    if (UNLIKELY(size > MANY_WORDS * sizeof(uint64_t))) {
        memcpy(target, source, size);
        return;
    }
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t)) {
        memcpy(target, source, sizeof(uint64_t));
        target += sizeof(uint64_t);
        source += sizeof(uint64_t);
    }
    for (size_t i = 0; i < size; i++) {
        target[i] = source[i];
    }
}

static void fill_launch(struct cpu_launch *op, const struct backend_launch *launch, const struct backend_kernel *kernel)
{
    op->op.keeps_lanes = kernel->block_count > 0;
    op->image = launch->image;
    op->kernel = kernel->own;
    op->result = launch->result;
    op->result_size = launch->result_size;
    op->result_source = launch->result_source;
    op->caller = launch->caller;
    copy_words(op->args, launch->args, kernel->args_size);
    copy_words(op->args + args_size(kernel->args_size), (const unsigned char *)launch->array_sizes,
               (size_t)kernel->param_count * sizeof *launch->array_sizes);
}

// A workspace for a launch that the stream's will not do for, which |*need| is then what the stream has. NULL: no
// memory.
static __attribute__((noinline)) struct cpu_workspace *make_workspace(struct backend_stream *stream,
                                                                      struct cpu_need *need)
{
    *need = need_join(need, &stream->newest_need);
    return workspace_create(stream->device, need);
}

// Memory for a launch, with a workspace if the stream's will not do. NULL: there is none. The lock is held.
static HOT struct cpu_launch *take_launch(struct backend_stream *stream, const struct backend_kernel *kernel,
                                          size_t size)
{
    struct cpu_need need = {.depth = kernel->depth,
                            .block_count = kernel->block_count,
                            .partial_size = kernel->partial_size,
                            .local_size = kernel->block_size,
                            .memo_count = kernel->memo_count,
                            .known_size = known_size(kernel->args_size, kernel->param_count)};
    struct cpu_workspace *workspace = NULL;
    bool has_workspace = LIKELY(need_fits(&stream->newest_need, &need));
    if (UNLIKELY(!has_workspace)) {
        workspace = make_workspace(stream, &need);
        if (workspace == NULL) {
            return NULL;
        }
    }
    struct cpu_launch *op = segment_take(stream, size);
    if (UNLIKELY(op == NULL)) {
        workspace_destroy(stream->device, workspace);
        return NULL;
    }
    op->new_workspace = workspace;
    if (UNLIKELY(!has_workspace)) {
        stream->newest_need = need;
    }
    return op;
}

// Its caller waits at once, and runs the launch here and now if nobody has the stream. Else, and where its loop is not
// at its end yet: see cpu_stream_synchronize(). The lock is held.
static __attribute__((noinline)) void unlock_and_run(struct backend_stream *stream, bool push)
{
    uint64_t target = atomic_load_explicit(&stream->queued_count, memory_order_relaxed);
    thread_latch_unlock(&stream->lock);
    if (push && !guest_run_at_once(stream, target)) {
        cpu_pool_push_small(&stream->device->pool, &stream->job);
    }
}

// There is no memory for a launch of |kernel|. The lock is held.
static __attribute__((noinline, cold)) rill_status refuse_launch(struct backend_stream *stream,
                                                                 const struct backend_kernel *kernel)
{
    if (kernel->block_count > 0) {
        lanes_leave(stream);
    }
    return no_memory(stream);
}

// What a launch may have to wait for or take before it can be queued. Fails without the lock.
static __attribute__((noinline)) rill_status prepare(struct backend_stream *stream, const struct backend_launch *launch,
                                                     const struct backend_kernel *kernel)
{
    if (!has_room(stream) && backend_may_wait(launch->must_not_wait)) {
        wait_for_room(stream);
    }
    rill_status status = kernel->block_count > 0 ? lanes_take(stream, kernel) : RILL_OK;
    if (status != RILL_OK) {
        thread_latch_unlock(&stream->lock);
    }
    return status;
}

static HOT rill_status launch_known(struct backend_stream *stream, const struct backend_launch *launch,
                                    const struct backend_kernel *kernel)
{
    size_t size = sizeof(struct cpu_launch) + known_size(kernel->args_size, kernel->param_count);
    RILL_TRY(lock_for_work(stream));
    // A workspace for a larger kernel travels with the launch, and its blocks have their streams, so that nothing can
    // fail once it is queued.
    if (UNLIKELY(!has_room(stream) || kernel->block_count > 0)) {
        RILL_TRY(prepare(stream, launch, kernel));
    }
    struct cpu_launch *op = take_launch(stream, kernel, size);
    if (UNLIKELY(op == NULL)) {
        return refuse_launch(stream, kernel);
    }
    fill_launch(op, launch, kernel);
    uint64_t count = atomic_load_explicit(&stream->launch_count, memory_order_relaxed) + 1;
    atomic_store_explicit(&stream->launch_count, count, memory_order_relaxed);
    bool push = cpu_stream_append(stream, &op->op, CPU_OP_LAUNCH);
    if (LIKELY(launch->caller == NULL) || launch->only_queues) {
        unlock_and_push(stream, push);
    } else {
        unlock_and_run(stream, push);
    }
    return RILL_OK;
}

static __attribute__((noinline, cold)) rill_status launch_unknown(struct backend_stream *stream,
                                                                  const struct backend_launch *launch)
{
    struct backend_kernel kernel = backend_kernel_of(launch->image->kernels[launch->kernel].plan);
    image_describe(launch->image, launch->kernel, &kernel);
    return launch_known(stream, launch, &kernel);
}

LAUNCH_PART rill_status cpu_stream_launch(struct backend_stream *stream, const struct backend_launch *launch)
{
    return LIKELY(launch->known != NULL) ? launch_known(stream, launch, launch->known) : launch_unknown(stream, launch);
}

rill_status cpu_stream_copy(struct backend_stream *stream, void *target, const void *source, size_t size,
                            enum backend_read read)
{
    bool stage = read != BACKEND_READ_LATER;
    RILL_TRY(lock_for_work(stream));
    struct cpu_copy *op = segment_take(stream, sizeof *op + (stage ? size : 0));
    if (op == NULL) {
        return no_memory(stream);
    }
    op->target = target;
    op->source = source;
    op->size = size;
    if (stage && size > 0) {
        op->source = memcpy(op + 1, source, size);
    }
    unlock_and_push(stream, cpu_stream_append(stream, &op->op, CPU_OP_COPY));
    return RILL_OK;
}

rill_status cpu_stream_fill(struct backend_stream *stream, void *target, size_t count, const void *element, size_t size)
{
    RILL_TRY(lock_for_work(stream));
    struct cpu_fill *op = segment_take(stream, sizeof *op + size);
    if (op == NULL) {
        return no_memory(stream);
    }
    op->target = target;
    op->count = count;
    op->size = size;
    memcpy(op->element, element, size);
    unlock_and_push(stream, cpu_stream_append(stream, &op->op, CPU_OP_FILL));
    return RILL_OK;
}

rill_status cpu_stream_notify(struct backend_stream *stream, backend_notice *notice, void *arg, bool hold)
{
    RILL_TRY(start_threads(stream->device));
    thread_latch_lock(&stream->lock);
    struct cpu_notify *op = segment_take(stream, sizeof *op);
    if (op == NULL) {
        return no_memory(stream);
    }
    op->notice = notice;
    op->arg = arg;
    op->hold = hold;
    op->was_called = false;
    unlock_and_push(stream, cpu_stream_append(stream, &op->op, CPU_OP_NOTIFY));
    return RILL_OK;
}

void cpu_stream_proceed(struct backend_stream *stream)
{
    thread_publish(&stream->ended_count); // what the callback did comes before what follows it
    cpu_pool_push(&stream->device->pool, &stream->job);
}

rill_status cpu_stream_queue_mark(struct backend_stream *stream, enum cpu_op_kind kind, struct cpu_mark *mark)
{
    RILL_TRY(start_threads(stream->device));
    thread_latch_lock(&stream->lock);
    struct cpu_mark_op *op = segment_take(stream, sizeof *op);
    if (op == NULL) {
        return no_memory(stream);
    }
    op->mark = mark;
    bool push = cpu_stream_append(stream, &op->op, kind);
    thread_latch_unlock(&stream->lock);
    // A stream that had nothing to do need not be taken up only to find out that it must wait. Nobody else has it, and
    // so the operation keeps its mark.
    bool may_stand = push && kind == CPU_OP_WAIT && !stream->device->pool.is_fuzzed;
    if (push && !(may_stand && mark_stand(stream, mark))) {
        cpu_pool_reserve(&stream->device->pool, &stream->job);
    }
    return RILL_OK;
}

// ---- running ------------------------------------------------------------------------------------------------------

static void advance(struct backend_stream *stream, bool has_ended, struct cpu_worker *worker);

static void remark_failure(const struct backend_stream *stream, const struct backend_error *error)
{
    if (stream->device->trace != NULL) {
        trace_remark(stream->device->trace, error->text);
    }
}

// Puts a run's failure where it belongs.
static __attribute__((noinline, cold)) void report_failure(struct backend_stream *stream, struct cpu_launch *launch,
                                                           struct cpu_run *run)
{
    device_count(&stream->device->counters.launch_failed_count);
    if (launch->caller != NULL) {
        run_describe_failure(run, stream->id, launch->caller);
        remark_failure(stream, launch->caller);
        return;
    }
    thread_latch_lock(&stream->lock);
    struct backend_error *error = cpu_stream_fail(stream);
    if (error != NULL) {
        uint64_t serial = error->serial;
        run_describe_failure(run, stream->id, error);
        error->serial = serial;
        remark_failure(stream, error);
    }
    thread_latch_unlock(&stream->lock);
}

static inline void end_launch(struct backend_stream *stream, struct cpu_launch *launch)
{
    struct cpu_run *run = &stream->workspace->run;
    if (UNLIKELY(stream->device->trace != NULL)) {
        trace_cause_set(&stream->cause, TRACE_KERNEL, run->kernel->plan->name, 0);
    }
    if (UNLIKELY(run_has_failed(run))) {
        report_failure(stream, launch, run);
    } else if (launch->result != NULL) {
        const void *source = launch->result_source != NULL ? launch->result_source : run->block;
        memcpy(launch->result, source, launch->result_size);
    }
}

// A worker that ended a launch which others had left goes on with the stream.
static void launch_over(struct cpu_run *run, struct cpu_worker *worker)
{
    struct backend_stream *stream = run->queue;
    assert(stream->first->kind == CPU_OP_LAUNCH);
    end_launch(stream, (struct cpu_launch *)stream->first);
    advance(stream, true, worker);
}

void cpu_stream_take_workspace(struct backend_stream *stream, struct cpu_workspace *workspace)
{
    workspace_destroy(stream->device, stream->workspace);
    stream->workspace = workspace;
    workspace->run = (struct cpu_run){.device = stream->device,
                                      .queue = stream,
                                      .block = workspace->locals,
                                      .lanes = stream->lanes,
                                      .stream = stream->id,
                                      .cause = &stream->cause,
                                      .over = launch_over};
    workspace->run.values.block = workspace->locals;
    workspace->run.values.width = PLAN_WIDTH_PER_WORKER * stream->device->pool.worker_count;
}

// Without what is between the arguments and the sizes, which nobody fills.
static bool is_known(const struct cpu_known *known, const struct cpu_launch *launch)
{
    const struct plan_kernel *plan = launch->kernel->plan;
    size_t sizes = args_size(plan->args_size);
    return known->image_number == launch->image->number && known->kernel == launch->kernel &&
           memcmp(known->args, launch->args, plan->args_size) == 0 &&
           memcmp(known->args + sizes, launch->args + sizes, (size_t)plan->param_count * sizeof(uint64_t)) == 0;
}

// What expressions over the arguments are is found out again only if the arguments are others. Slots, addresses of
// fields and the like are no part of the memo.
static struct plan_memo find_memo(struct cpu_workspace *workspace, const struct cpu_launch *launch)
{
    const struct plan_kernel *plan = launch->kernel->plan;
    if (plan->memo_count == 0) {
        return (struct plan_memo){0};
    }
    for (int i = 0; i < EXEC_KNOWN_COUNT; i++) {
        if (is_known(&workspace->known[i], launch)) {
            return workspace->known[i].memo;
        }
    }
    struct cpu_known *known = &workspace->known[workspace->known_next];
    size_t size = known_size(plan->args_size, plan->param_count);
    assert(plan->memo_count <= workspace->need.memo_count && size <= workspace->need.known_size);
    memset((void *)known->memo.known, 0, (size_t)plan->memo_count);
    memcpy(known->args, launch->args, size);
    known->image_number = launch->image->number;
    known->kernel = launch->kernel;
    workspace->known_next = (workspace->known_next + 1) % EXEC_KNOWN_COUNT;
    return known->memo;
}

static void fill_run(struct backend_stream *stream, const struct cpu_launch *launch)
{
    struct cpu_workspace *workspace = stream->workspace;
    const struct plan_kernel *plan = launch->kernel->plan;
    struct cpu_run *run = &workspace->run;
    run->image = launch->image;
    run->kernel = launch->kernel;
    run->values.kernel = plan;
    run->values.args = launch->args;
    run->values.array_sizes = (const uint64_t *)(launch->args + args_size(plan->args_size));
    run->values.field_addresses = launch->image->field_addresses;
    run->values.field_sizes = launch->image->field_sizes;
    run->values.memo = find_memo(workspace, launch);
    atomic_store_explicit(&run->failure_state, 0, memory_order_relaxed);
    if (plan->block_size > 0) {
        memset(workspace->locals, 0, plan->block_size);
    }
}

static bool run_launch(struct backend_stream *stream, struct cpu_launch *launch, struct cpu_worker *worker)
{
    if (UNLIKELY(launch->new_workspace != NULL)) {
        cpu_stream_take_workspace(stream, launch->new_workspace);
        launch->new_workspace = NULL;
    }
    if (cpu_stream_error(stream, launch->caller)) {
        device_count(&stream->device->counters.launch_skipped_count);
        return true;
    }
    fill_run(stream, launch);
    if (!exec_start(stream->workspace, worker)) {
        return false;
    }
    end_launch(stream, launch);
    return true;
}

static void run_fill(const struct cpu_fill *fill)
{
    unsigned char *target = fill->target;
    size_t whole = fill->count * fill->size;
    if (whole == 0) {
        return;
    }
    // The filled part doubles until it is everything.
    memcpy(target, fill->element, fill->size);
    for (size_t done = fill->size; done < whole;) {
        size_t more = done < whole - done ? done : whole - done;
        memcpy(target + done, target, more);
        done += more;
    }
}

// Launches and waits say more of themselves.
static void trace_op(struct backend_stream *stream, enum cpu_op_kind kind)
{
    static const char *const names[] = {
        [CPU_OP_COPY] = "a copy", [CPU_OP_FILL] = "a fill", [CPU_OP_NOTIFY] = "a callback"};
    if (stream->device->trace != NULL) {
        trace_cause_set(&stream->cause, TRACE_OTHER, names[kind], 0);
    }
}

static bool run_notify(struct backend_stream *stream, struct cpu_notify *notify)
{
    if (notify->was_called) {
        trace_op(stream, CPU_OP_NOTIFY);
        return true;
    }
    notify->was_called = true;
    struct backend_error error;
    bool has_error = cpu_stream_error(stream, &error);
    bool hold = notify->hold; // after the call the stream may be elsewhere already
    notify->notice(notify->arg, has_error ? &error : NULL);
    return !hold;
}

// The device has the stream's launches from here on, and looks for them there no more.
static void hand_in_launches(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->drain_lock);
    device->launch_count += atomic_load_explicit(&stream->launch_count, memory_order_relaxed);
    *stream->link = stream->next;
    if (stream->next != NULL) {
        stream->next->link = stream->link;
    }
    thread_unlock(&device->drain_lock);
}

static void free_stream(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    // Who queued what led here may not have let go of the lock yet.
    thread_latch_lock(&stream->lock);
    thread_latch_unlock(&stream->lock);
    assert(stream->blocked_count == 0 && stream->lane_count == 0);
    assert(atomic_load_explicit(&stream->guest_count, memory_order_relaxed) == 0);
    hand_in_launches(stream);
    workspace_destroy(device, stream->workspace);
    workspace_destroy(device, stream->next_workspace);
    segment_free_all(device, stream->free);
    segment_free_all(device, stream->used);
    segment_free_all(device, stream->current);
    error_release(device, stream->error);
    error_release(device, stream->spare);
    device_free(device, stream, sizeof *stream);
    thread_lock(&device->drain_lock);
    if (--device->stream_count == 0) {
        thread_broadcast(&device->drain_cond);
    }
    thread_unlock(&device->drain_lock);
}

// An operation that is neither a launch nor an event's. True: see run_op().
static __attribute__((noinline)) bool run_other(struct backend_stream *stream, struct cpu_op *op,
                                                struct cpu_worker *worker)
{
    switch (op->kind) {
    case CPU_OP_COPY: {
        struct cpu_copy *copy = (struct cpu_copy *)op;
        if (copy->size > 0 && !cpu_stream_error(stream, NULL)) {
            memmove(copy->target, copy->source, copy->size);
        }
        trace_op(stream, op->kind);
        return true;
    }
    case CPU_OP_FILL:
        if (!cpu_stream_error(stream, NULL)) {
            run_fill((struct cpu_fill *)op);
        }
        trace_op(stream, op->kind);
        return true;
    case CPU_OP_NOTIFY: return run_notify(stream, (struct cpu_notify *)op);
    case CPU_OP_BLOCK: cpu_stream_run_block(stream, (struct cpu_block *)op, worker); return false;
    case CPU_OP_END: free_stream(stream); return false;
    default: return true;
    }
}

// True if it has ended; else whoever ends it goes on with the stream, which must not be touched here any more.
static bool run_op(struct backend_stream *stream, struct cpu_op *op, struct cpu_worker *worker)
{
    if (LIKELY(op->kind == CPU_OP_LAUNCH)) { // what is frequent first: a jump by a table is seldom foreseen
        return run_launch(stream, (struct cpu_launch *)op, worker);
    }
    if (LIKELY(op->kind == CPU_OP_RECORD || op->kind == CPU_OP_WAIT)) {
        return mark_run(stream, (struct cpu_mark_op *)op, worker);
    }
    return run_other(stream, op, worker);
}

static __attribute__((noinline)) void leave_lanes(struct backend_stream *stream)
{
    thread_latch_lock(&stream->lock);
    lanes_leave(stream);
    thread_latch_unlock(&stream->lock);
}

// Takes the first operation, which has ended, out of the queue.
static inline __attribute__((always_inline)) void remove_first(struct backend_stream *stream)
{
    struct cpu_op *op = stream->first;
    assert(op != NULL && op->kind != CPU_OP_END);
    struct cpu_segment *segment = op->segment;
    stream->first = op->next;
    if (op->kind == CPU_OP_LAUNCH) {
        if (UNLIKELY(op->keeps_lanes)) {
            leave_lanes(stream);
        }
        uint64_t launches = atomic_load_explicit(&stream->launch_ended_count, memory_order_relaxed) + 1;
        atomic_store_explicit(&stream->launch_ended_count, launches, memory_order_release);
    }
    if (segment != NULL) { // from here on the operation's memory may be another's
        thread_publish(segment);
        uint64_t ended = atomic_load_explicit(&segment->ended_count, memory_order_relaxed) + 1;
        atomic_store_explicit(&segment->ended_count, ended, memory_order_release);
    }
    thread_publish(&stream->ended_count);
    atomic_fetch_add(&stream->ended_count, 1);
    eventcount_notify_all(&stream->progress);
}

void cpu_stream_remove_first(struct backend_stream *stream)
{
    remove_first(stream);
}

static bool has_mail(void *arg)
{
    struct backend_stream *stream = arg;
    return atomic_load_explicit(&stream->inbox, memory_order_relaxed) != NULL;
}

// Takes what is in the inbox and puts it in order. Only who advances the stream comes here: what it saw there is there.
static struct cpu_op *take_mail(struct backend_stream *stream)
{
    struct cpu_op *taken = atomic_exchange_explicit(&stream->inbox, NULL, memory_order_acq_rel);
    assert(stream->first == NULL && taken != &stream->rest);
    thread_observe(stream);
    thread_publish(&stream->ended_count); // who goes on with the stream need not be who took what was queued
    struct cpu_op *first = NULL;
    while (taken != NULL) { // the last queued came first
        struct cpu_op *next = taken->next;
        if (next != first) { // one that is alone stays as it is: its cache line goes back to who queues
            taken->next = first;
        }
        first = taken;
        taken = next;
    }
    stream->first = first;
    return first;
}

// The operation to go on with; NULL if there is none, and then the stream rests and must not be touched any more.
HOT struct cpu_op *cpu_stream_first_op(struct backend_stream *stream)
{
    if (stream->first != NULL) {
        return stream->first;
    }
    struct cpu_op *none = NULL;
    if (!has_mail(stream) && atomic_compare_exchange_strong_explicit(&stream->inbox, &none, &stream->rest,
                                                                     memory_order_acq_rel, memory_order_acquire)) {
        return NULL;
    }
    return take_mail(stream);
}

// The same for who has just taken the stream up, which happens because something is queued: nothing is looked at first,
// as looking would bring the inbox's cache line twice.
static struct cpu_op *take_up(struct backend_stream *stream)
{
    struct cpu_op *op = stream->first != NULL ? stream->first : take_mail(stream);
    return op != NULL ? op : cpu_stream_first_op(stream);
}

// Whether more is likely to be queued in the next moment: who queues often finds the stream still taken. But a host
// that waits for what it has queued would run the next thing itself, which a worker that stays would not let it do.
static bool is_worth_staying(struct backend_stream *stream, enum cpu_op_kind last, const struct cpu_worker *worker)
{
    return stream->first == NULL && !has_mail(stream) && worker->guest == NULL && last != CPU_OP_RECORD &&
           !atomic_load_explicit(&stream->was_waited_for, memory_order_relaxed);
}

// The first operation has ended: the next one.
static HOT struct cpu_op *next_op(struct backend_stream *stream, struct cpu_worker *worker)
{
    enum cpu_op_kind last = stream->first->kind;
    remove_first(stream);
    if (is_worth_staying(stream, last, worker)) {
        cpu_pool_linger(worker, STREAM_LINGER, has_mail, stream);
    }
    return cpu_stream_first_op(stream);
}

// Goes on with the queue. |has_ended|: its first operation has.
static HOT void advance(struct backend_stream *stream, bool has_ended, struct cpu_worker *worker)
{
    struct cpu_op *op = has_ended ? next_op(stream, worker) : take_up(stream);
    for (int turn = 1; op != NULL; turn++) {
        if (guest_must_stop(worker, stream) || (turn > STREAM_TURN && cpu_pool_has_work(&stream->device->pool))) {
            cpu_pool_push(&stream->device->pool, &stream->job);
            return;
        }
        if (!run_op(stream, op, worker)) {
            return;
        }
        op = next_op(stream, worker);
    }
}

static void run_taken(struct backend_stream *stream, struct cpu_worker *worker)
{
    struct cpu_pool_job *job = &stream->job;
    if (stream->device->trace != NULL) {
        stream->cause.ready = job->push_time;
    }
    if (!guest_wants(worker, stream)) {
        cpu_pool_push(&stream->device->pool, &stream->job);
        return;
    }
    // What a stream ran comes before what it runs, whoever ran it. Blocks have an order of their own.
    if (job->owner == stream) {
        thread_observe(&stream->ended_count);
    }
    if (worker->guest == NULL && atomic_load_explicit(&stream->was_waited_for, memory_order_relaxed)) {
        atomic_store_explicit(&stream->was_waited_for, false, memory_order_relaxed);
    }
    advance(stream, false, worker);
}

static HOT void run_stream(struct cpu_pool_job *job, struct cpu_worker *worker)
{
    struct backend_stream *stream = (struct backend_stream *)((char *)job - offsetof(struct backend_stream, job));
    while (stream != NULL) {
        run_taken(stream, worker);
        stream = guest_take_next(worker);
    }
}

// ---- making, waiting ----------------------------------------------------------------------------------------------

rill_status cpu_stream_create(struct backend_device *device, int priority, uint64_t id,
                              struct backend_stream **out_stream)
{
    *out_stream = NULL;
    struct backend_stream *stream = device_alloc(device, sizeof *stream, BACKEND_STREAM_FRONT);
    struct cpu_error *spare = error_create(device);
    if (stream == NULL || spare == NULL) {
        device_free(device, stream, sizeof *stream);
        error_release(device, spare);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a stream");
    }
    stream->device = device;
    stream->id = id;
    stream->priority = priority;
    stream->is_checked = thread_is_checked();
    stream->spare = spare;
    atomic_store_explicit(&stream->inbox, &stream->rest, memory_order_relaxed);
    stream->job.run = run_stream;
    stream->job.owner = stream;
    stream->job.level = priority > 0 ? 0 : priority == 0 ? 1 : 2;
    thread_lock(&device->drain_lock);
    device->stream_count++;
    stream->next = device->streams;
    stream->link = &device->streams;
    if (stream->next != NULL) {
        stream->next->link = &stream->next;
    }
    device->streams = stream;
    thread_unlock(&device->drain_lock);
    *out_stream = stream;
    return RILL_OK;
}

uint64_t cpu_stream_count_launches(struct backend_device *device)
{
    thread_lock(&device->drain_lock);
    uint64_t count = device->launch_count;
    for (struct backend_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        count += atomic_load_explicit(&stream->launch_count, memory_order_relaxed);
    }
    thread_unlock(&device->drain_lock);
    return count;
}

void cpu_stream_destroy(struct backend_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    // Nobody else queues any more: if it rests, it is nobody's. Else a last operation frees it.
    stream->end = (struct cpu_op){.kind = CPU_OP_END};
    if (atomic_load_explicit(&stream->inbox, memory_order_acquire) == &stream->rest ||
        post(stream, &stream->end, NULL) == &stream->rest) {
        free_stream(stream);
    }
}

static bool has_reached(struct cpu_guest *guest)
{
    return atomic_load_explicit(&guest->stream->ended_count, memory_order_acquire) >= guest->target;
}

static bool has_reached_now(void *arg)
{
    const struct cpu_guest *guest = arg;
    return atomic_load(&guest->stream->ended_count) >= guest->target;
}

// Helps while it can, then looks for a while before it sleeps: work that is short has ended before a thread could be
// woken.
HOT void cpu_stream_synchronize(struct backend_stream *stream)
{
    struct cpu_guest guest;
    guest.stream = stream;
    guest.target = atomic_load_explicit(&stream->queued_count, memory_order_relaxed);
    if (!has_reached(&guest)) {
        guest.mark = NULL;
        guest_init(&guest, stream->device);
        atomic_store_explicit(&stream->was_waited_for, true, memory_order_relaxed);
        if (!guest.is_able) {
            cpu_pool_promote_small(&stream->device->pool); // nobody was woken for a launch that its caller waits for
        }
        while (!has_reached(&guest)) {
            if (!guest_help(&guest) && !guest_looks(&guest, has_reached)) {
                guest_finish(&guest);
                eventcount_wait(&stream->progress, has_reached_now, &guest);
            }
        }
        guest_finish(&guest);
    }
    thread_observe(&stream->ended_count);
    if (UNLIKELY(stream->device->trace != NULL)) {
        trace_flush(stream->device->trace);
    }
}

void cpu_stream_help(struct backend_stream *stream)
{
    struct cpu_guest guest;
    guest.stream = stream;
    guest.target = atomic_load_explicit(&stream->queued_count, memory_order_relaxed);
    if (!has_reached(&guest)) {
        guest.mark = NULL;
        guest_init(&guest, stream->device);
        while (!has_reached(&guest) && guest_help(&guest)) {
        }
    }
}

bool cpu_stream_is_idle(struct backend_stream *stream)
{
    uint64_t queued = atomic_load_explicit(&stream->queued_count, memory_order_relaxed);
    bool is_idle = atomic_load_explicit(&stream->ended_count, memory_order_acquire) >= queued;
    if (is_idle) {
        thread_observe(&stream->ended_count);
    }
    return is_idle;
}

bool cpu_stream_is_quiet(struct backend_stream *stream)
{
    return cpu_stream_is_idle(stream) && !atomic_load_explicit(&stream->has_error, memory_order_acquire);
}

// Runs: made, found for a stream, and given the values of a launch. What a run has of the launch before it keeps: only
// what the values change is packed again, and what follows what is found anew only where that touches other bytes.
#include "base/status.h"
#include "runtime/footprint.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/step.h"

#include <assert.h>
#include <string.h>

enum { RUNS_A_STREAM = 3 };

static rill_status no_memory(const char *who)
{
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a step", who);
}

// ---- made, gone ---------------------------------------------------------------------------------------------------

static void task_finish(struct context *context, struct step_task *task)
{
    context->backend->event_destroy(task->event);
    context_free(context, task->accesses, task->room_size);
}

static void run_free(struct retirement *retirement)
{
    struct step_run *run = (struct step_run *)retirement;
    struct context *context = run->context;
    for (int i = 0; run->tasks != NULL && i < run->task_count; i++) {
        task_finish(context, &run->tasks[i]);
    }
    for (int i = 0; run->lanes != NULL && i < STEP_MAX_LANES; i++) {
        context->backend->event_destroy(run->lanes[i].end);
        if (run->lanes[i].stream.queue != NULL) {
            context->backend->stream_destroy(run->lanes[i].stream.queue);
        }
        scratch_destroy(run->lanes[i].stream.scratch);
    }
    context->backend->event_destroy(run->fork);
    context->backend->batch_destroy(run->batch);
    context_free(context, run->parts, (size_t)run->task_count * sizeof *run->parts);
    context_free(context, run->afters, (size_t)run->after_capacity * sizeof *run->afters);
    context_free(context, run->tasks, (size_t)run->task_count * sizeof *run->tasks);
    context_free(context, run->pins, run->arg_count * sizeof *run->pins);
    context_free(context, run->now, run->arg_count * sizeof *run->now);
    context_free(context, run->waits, run->wait_capacity * sizeof *run->waits);
    context_free(context, run->all, (size_t)run->all_capacity * sizeof *run->all);
    context_free(context, run->lanes, STEP_MAX_LANES * sizeof *run->lanes);
    context_free(context, run, sizeof *run);
}

// What was queued goes on: the memory that it was lent goes when the stream has come past.
void step_run_destroy(struct step_run *run)
{
    if (run == NULL) {
        return;
    }
    struct context *context = run->context;
    struct stream_set users = {0};
    if (run->stream != 0) {
        thread_lock(&context->lock);
        bool is_there = stream_is_listed(context, run->stream);
        thread_unlock(&context->lock);
        if (is_there) {
            stream_set_add(context, &users, run->stream);
        }
    }
    retire(context, &run->retirement, &users);
    stream_set_finish(context, &users);
}

static size_t round_up(size_t size)
{
    return (size + 15) / 16 * 16;
}

// Room for an operation's arguments and for what it touches, in one piece.
static rill_status task_init(const char *who, struct context *context, const struct step_operation *operation,
                             struct step_task *task)
{
    const struct kernel *kernel = operation->kernel;
    size_t access_count = kernel != NULL ? (size_t)(kernel->footprint_count + operation->arg_count + 1) : 2;
    size_t param_count = kernel != NULL ? (size_t)kernel->known.param_count : 0;
    size_t args_size = kernel != NULL ? round_up((size_t)kernel->known.args_size) + 16 : 0;
    size_t element_size = operation->kind == STEP_FILL ? operation->args[1].size : 0;
    size_t heads = round_up(access_count * sizeof *task->accesses);
    task->room_size = heads + args_size + 3 * round_up(param_count * sizeof(uint64_t)) + round_up(element_size);
    char *room = context_alloc(context, task->room_size);
    if (room == NULL) {
        return no_memory(who);
    }
    task->accesses = (struct hazard_access *)(void *)room;
    room += heads;
    task->packed.buffer = (unsigned char *)room;
    task->packed.buffer_size = args_size;
    room += args_size;
    task->packed.sizes = (uint64_t *)(void *)room;
    room += round_up(param_count * sizeof(uint64_t));
    task->packed.arrays = (struct array **)(void *)room;
    room += round_up(param_count * sizeof(uint64_t));
    task->packed.hosts = (void **)(void *)room;
    room += round_up(param_count * sizeof(uint64_t));
    task->element = (unsigned char *)room;
    return RILL_OK;
}

static rill_status run_init(const char *who, struct step_run *run)
{
    struct context *context = run->context;
    run->tasks = run->task_count > 0 ? context_alloc(context, (size_t)run->task_count * sizeof *run->tasks) : NULL;
    run->pins = run->arg_count > 0 ? context_alloc(context, run->arg_count * sizeof *run->pins) : NULL;
    run->now = run->arg_count > 0 ? context_alloc(context, run->arg_count * sizeof *run->now) : NULL;
    run->lanes = context_alloc(context, STEP_MAX_LANES * sizeof *run->lanes);
    if ((run->task_count > 0 && run->tasks == NULL) ||
        (run->arg_count > 0 && (run->pins == NULL || run->now == NULL)) || run->lanes == NULL) {
        return no_memory(who);
    }
    for (int i = 0; i < run->task_count; i++) {
        RILL_TRY(task_init(who, context, &run->step->operations[i], &run->tasks[i]));
    }
    return context->backend->event_create(context->device, false, &run->fork);
}

// ---- values -------------------------------------------------------------------------------------------------------

static bool same_access(const struct hazard_access *a, const struct hazard_access *b)
{
    return a->span.low == b->span.low && a->span.high == b->span.high && a->span.step == b->span.step &&
           a->span.width == b->span.width && a->kind == b->kind && a->update == b->update && a->type == b->type;
}

static void set_accesses(struct step_run *run, struct step_task *task, const struct hazard_access *accesses, int count)
{
    bool is_same = count == task->access_count;
    for (int i = 0; is_same && i < count; i++) {
        is_same = same_access(&accesses[i], &task->accesses[i]);
    }
    if (!is_same) {
        run->is_stale = true;
    }
    task->access_count = count;
    if (count > 0) {
        memcpy(task->accesses, accesses, (size_t)count * sizeof *accesses);
    }
}

// Pinned until the replay is queued.
static void keep_pin(struct step_run *run, struct array *array)
{
    assert(run->pin_count < run->arg_count);
    run->pins[run->pin_count++] = array;
}

static void take_packed(struct step_task *task, const struct packed_args *packed)
{
    size_t param_count = (size_t)packed->kernel->known.param_count;
    struct packed_args own = task->packed;
    task->packed = *packed;
    task->packed.buffer = own.buffer;
    task->packed.buffer_size = own.buffer_size;
    task->packed.sizes = own.sizes;
    task->packed.arrays = own.arrays;
    task->packed.hosts = own.hosts;
    memcpy(own.buffer, packed->buffer, packed->kernel->known.args_size);
    if (param_count > 0) {
        memcpy(own.sizes, packed->sizes, param_count * sizeof *own.sizes);
    }
    if (packed->count > 0) {
        memcpy(own.arrays, packed->arrays, (size_t)packed->count * sizeof(struct array *));
    }
    if (packed->host_count > 0) {
        memcpy(own.hosts, packed->hosts, (size_t)packed->count * sizeof(void *));
    }
}

// The array for what the kernel returns, if there is one.
static rill_status find_result(const char *who, struct step_run *run, const struct step_operation *operation,
                               const rill_arg *arg, struct array **out)
{
    void *object = (void *)(uintptr_t)arg->value.pointer;
    if (arg->kind == RILL_ARG_ARRAY) {
        RILL_TRY(context_pin(run->context, who, arg->value.id, KIND_ARRAY, &object));
        keep_pin(run, object);
    } else if (arg->kind != ARG_HELD) {
        return status_fail(RILL_ERR_ARGUMENTS, "%s: what kernel '%s' returns goes into an array", who,
                           operation->kernel->plan->name);
    }
    *out = object;
    return launch_check_result(who, operation->kernel, object);
}

static rill_status resolve_launch(const char *who, struct step_run *run, const struct step_operation *operation,
                                  struct step_task *task, const rill_arg *args)
{
    struct many_args room;
    struct footprint footprint;
    struct packed_args packed = ARGS_IN(&room);
    struct array *result = NULL;
    int count = operation->arg_count - (operation->has_result ? 1 : 0);
    packed.has_held = true;
    rill_status status = args_pack(&packed, who, operation->kernel, (rill_args){args, (size_t)count});
    for (int i = 0; i < packed.count; i++) {
        if (packed.arrays[i] != NULL && args[i].kind == RILL_ARG_ARRAY) {
            keep_pin(run, packed.arrays[i]);
        }
    }
    RILL_TRY(status);
    if (operation->has_result) {
        RILL_TRY(find_result(who, run, operation, &args[count], &result));
    }
    task->result = result != NULL ? result->address : NULL;
    footprint_of_launch(&footprint, &packed, task->result);
    set_accesses(run, task, footprint.items, footprint.count);
    take_packed(task, &packed);
    return RILL_OK;
}

static rill_status resolve_bytes(const char *who, struct step_run *run, const struct step_operation *operation,
                                 struct step_task *task, const rill_arg *args)
{
    struct array *pins[2] = {NULL, NULL};
    struct hazard_access accesses[2];
    for (int i = 0; i < operation->arg_count; i++) {
        if (args[i].kind == RILL_ARG_ARRAY) {
            void *object;
            RILL_TRY(context_pin(run->context, who, args[i].value.id, KIND_ARRAY, &object));
            pins[i] = object;
            keep_pin(run, object);
        }
    }
    RILL_TRY(step_find_bytes(who, operation, args, pins, &task->bytes));
    struct step_bytes *bytes = &task->bytes;
    bool is_fill = operation->kind == STEP_FILL;
    size_t size = is_fill ? bytes->size * bytes->element_size : bytes->size;
    int count = footprint_of_bytes(&accesses[0], HAZARD_WRITE, bytes->target, size);
    if (is_fill) {
        assert(bytes->element_size <= operation->args[1].size); // what there is room for
        memcpy(task->element, bytes->source, bytes->element_size);
        bytes->source = task->element;
    } else {
        count += footprint_of_bytes(&accesses[count], HAZARD_READ, bytes->source, size);
    }
    set_accesses(run, task, accesses, count);
    return RILL_OK;
}

// With the arguments as they are now. After a failure the next launch comes here again.
static rill_status resolve(const char *who, struct step_run *run, int index)
{
    const struct step_operation *operation = &run->step->operations[index];
    struct step_task *task = &run->tasks[index];
    const rill_arg **now = run->now + operation->first_arg;
    rill_arg args[RILL_MAX_ARGS + 1];
    for (int i = 0; i < operation->arg_count; i++) {
        args[i] = now[i] != NULL ? *now[i] : operation->args[i];
    }
    task->is_changed = true;
    task->is_new = true;
    run->has_changed = true;
    run->has_news = true;
    return operation->kind == STEP_LAUNCH ? resolve_launch(who, run, operation, task, args)
                                          : resolve_bytes(who, run, operation, task, args);
}

static void note_value(struct step_run *run, const rill_arg *value, const struct step_place *place)
{
    run->now[run->step->operations[place->operation].first_arg + (size_t)place->argument] = value;
    run->tasks[place->operation].is_given = true;
}

struct noting {
    struct step_run *run;
    const rill_arg *value;
};

static void note(void *arg, const struct step_place *place)
{
    struct noting *noting = arg;
    note_value(noting->run, noting->value, place);
}

// What differs from the recorded values now, or did in the launch before.
static rill_status resolve_all(const char *who, struct step_run *run)
{
    bool has_changed = false;
    for (int i = 0; i < run->task_count; i++) {
        struct step_task *task = &run->tasks[i];
        if (!task->is_given && !task->is_changed) {
            continue;
        }
        RILL_TRY(resolve(who, run, i));
        task->is_changed = task->is_given;
        has_changed |= task->is_given;
    }
    run->has_changed = has_changed;
    return RILL_OK;
}

static void forget_values(struct step_run *run)
{
    for (int i = 0; i < run->task_count; i++) {
        const struct step_operation *operation = &run->step->operations[i];
        if (run->tasks[i].is_given && operation->arg_count > 0) {
            memset(run->now + operation->first_arg, 0, (size_t)operation->arg_count * sizeof(rill_arg *));
        }
        run->tasks[i].is_given = false;
    }
}

static rill_status give(const char *who, struct step_run *run, rill_step_values values)
{
    rill_status status = RILL_OK;
    if (values.count == 0 && !run->has_changed) {
        return RILL_OK;
    }
    for (size_t i = 0; i < values.count && status == RILL_OK; i++) {
        struct noting noting = {run, &values.items[i].value};
        status = step_value_visit(who, run->step, &values.items[i], note, &noting);
    }
    status = status == RILL_OK ? resolve_all(who, run) : status;
    forget_values(run);
    return status;
}

rill_status step_run_create(const char *who, struct step *step, int priority, struct step_run **out_run)
{
    *out_run = NULL;
    struct step_run *run = context_alloc(step->context, sizeof *run);
    if (run == NULL) {
        return no_memory(who);
    }
    run->retirement.release = run_free;
    run->context = step->context;
    run->step = step;
    run->priority = priority;
    run->task_count = step->count;
    run->arg_count = step->arg_count;
    run->is_stale = true;
    rill_status status = run_init(who, run);
    for (int i = 0; i < run->task_count && status == RILL_OK; i++) {
        if (step->operations[i].kind != STEP_MARK) {
            status = resolve(who, run, i);
            run->tasks[i].is_changed = false;
        }
    }
    run->has_changed = false;
    status = status == RILL_OK ? step_run_order(who, run) : status;
    if (status != RILL_OK) {
        step_run_destroy(run);
        return status;
    }
    *out_run = run;
    return RILL_OK;
}

// ---- found --------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

// A launch with other arrays has another run, so that arrays which take turns need not be ordered anew each time.
static uint64_t key_of(rill_step_values values)
{
    uint64_t key = 0;
    for (size_t i = 0; i < values.count; i++) {
        const rill_step_value *value = &values.items[i];
        if (value->value.kind < RILL_ARG_ARRAY || value->value.kind == RILL_ARG_STRUCT) {
            continue;
        }
        for (const char *at = value->name; at != NULL && *at != '\0'; at++) {
            key = mix(key, (unsigned char)*at);
        }
        key = mix(mix(mix(key, value->array), value->operation), value->argument);
        key = mix(key, value->value.value.id);
    }
    return key;
}

// Whether nothing of the run is queued that has not run.
static bool is_over(const struct step_run *run)
{
    if (run->stream == 0) {
        return true;
    }
    struct stream *stream = stream_visit(run->context, run->stream);
    bool is = stream == NULL || run->context->backend->stream_is_idle(stream->queue);
    if (stream != NULL) {
        stream_leave(stream);
    }
    return is;
}

static struct step_run *take_out(struct step_run **link)
{
    struct step_run *run = *link;
    *link = run->next;
    run->next = NULL;
    return run;
}

// The one of the stream for these values; else the stream's longest unused if it has enough of them, or any that
// nothing uses. The lock is held. NULL: none.
static struct step_run *find_run(struct step *step, uint64_t stream, uint64_t key)
{
    struct step_run **last = NULL;
    int count = 0;
    for (struct step_run **link = &step->idle; *link != NULL; link = &(*link)->next) {
        bool is_own = (*link)->stream == stream;
        if (is_own && (*link)->key == key) {
            return take_out(link);
        }
        count += is_own;
        last = is_own ? link : last;
    }
    if (last != NULL && (count >= RUNS_A_STREAM || step->run_count >= STEP_MAX_RUNS)) {
        return take_out(last);
    }
    for (struct step_run **link = &step->idle; *link != NULL; link = &(*link)->next) {
        if ((*link)->stream != stream && is_over(*link)) {
            return take_out(link);
        }
    }
    return NULL;
}

rill_status step_run_take(const char *who, struct step *step, struct stream *stream, rill_step_values values,
                          struct step_run **out_run)
{
    uint64_t key = values.count > 0 ? key_of(values) : 0;
    thread_lock(&step->lock);
    struct step_run *run = find_run(step, stream->id, key);
    step->run_count += run == NULL;
    thread_unlock(&step->lock);
    *out_run = NULL;
    rill_status status = run == NULL ? step_run_create(who, step, stream->priority, &run) : RILL_OK;
    if (status != RILL_OK) {
        thread_lock(&step->lock);
        step->run_count--;
        thread_unlock(&step->lock);
        return status;
    }
    run->key = key;
    run->stream = stream->id;
    status = give(who, run, values);
    if (status == RILL_OK && run->is_stale) {
        status = step_run_order(who, run);
    }
    if (status != RILL_OK) {
        step_run_return(run, stream);
        return status;
    }
    *out_run = run;
    return RILL_OK;
}

// One beyond the limit, that threads wanted at the same time, goes.
static struct step_run *take_surplus(struct step *step)
{
    struct step_run **link = &step->idle;
    if (step->run_count <= STEP_MAX_RUNS) {
        return NULL;
    }
    while ((*link)->next != NULL) {
        link = &(*link)->next;
    }
    step->run_count--;
    return take_out(link);
}

void step_run_return(struct step_run *run, struct stream *stream)
{
    struct step *step = run->step;
    for (size_t i = 0; i < run->pin_count; i++) {
        array_note_use(run->pins[i], stream->id);
        context_unpin(run->context, run->pins[i]->id);
    }
    run->pin_count = 0;
    thread_lock(&step->lock);
    run->next = step->idle;
    step->idle = run;
    struct step_run *surplus = take_surplus(step);
    thread_unlock(&step->lock);
    step_run_destroy(surplus);
}

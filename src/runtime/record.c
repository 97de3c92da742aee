// The calls that a thread records. Each is checked as if it were queued, and pins what it uses for as long as the step
// lives; a call that fails leaves the recording as it was.
//
// Events are marks: operations that do nothing and follow what their stream had been given. Whoever waits for an event
// follows its mark. What was recorded on one stream is otherwise not in order for that: only what its parts touch says
// so, when the step is launched (step_order.c).
#include "runtime/record.h"

#include "base/status.h"
#include "runtime/event.h"
#include "runtime/footprint.h"
#include "runtime/step.h"

#include <assert.h>
#include <string.h>

static _Thread_local uint64_t recording; // the step that the thread records; 0: none

// ---- which --------------------------------------------------------------------------------------------------------

bool record_is_mine(const struct context *context)
{
    return recording != 0 && handle_table_of(recording) == context->serial;
}

rill_status record_refuse_now(const char *who)
{
    return status_fail(RILL_ERR_RECORDING,
                       "%s: this thread is recording a step, and the call gives data or waits, which cannot be "
                       "recorded: end the recording first",
                       who);
}

// The step under way, pinned.
static rill_status current(const char *who, struct context *context, struct step **out)
{
    void *object;
    assert(record_is_mine(context));
    RILL_TRY(context_pin(context, who, recording, KIND_STEP, &object));
    *out = object;
    return RILL_OK;
}

static rill_status no_memory(const char *who)
{
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory to record it", who);
}

// ---- lists --------------------------------------------------------------------------------------------------------

// Makes room for one more item of |size| bytes; false: no memory.
static bool make_room(struct context *context, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t more = *capacity > 0 ? 2 * *capacity : 16;
    void *grown = context_alloc(context, more * size);
    if (grown == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(grown, *items, count * size);
    }
    context_free(context, *items, *capacity * size);
    *items = grown;
    *capacity = more;
    return true;
}

static rill_status make_room_for_operation(const char *who, struct step *step)
{
    size_t capacity = (size_t)step->capacity;
    void *items = step->operations;
    if (step->count == STEP_MAX_OPERATIONS) {
        return status_fail(RILL_ERR_LIMIT, "%s: a step has at most %d operations, events and waits among them", who,
                           (int)STEP_MAX_OPERATIONS);
    }
    if (!make_room(step->context, &items, (size_t)step->count, &capacity, sizeof *step->operations)) {
        return no_memory(who);
    }
    step->operations = items;
    step->capacity = (int)capacity;
    return RILL_OK;
}

// What is recorded on a stream of that id; NULL: no memory.
static struct record_stream *stream_of(struct step *step, uint64_t id)
{
    for (size_t i = 0; i < step->stream_count; i++) {
        if (step->streams[i].id == id) {
            return &step->streams[i];
        }
    }
    void *items = step->streams;
    if (!make_room(step->context, &items, step->stream_count, &step->stream_capacity, sizeof *step->streams)) {
        return NULL;
    }
    step->streams = items;
    step->streams[step->stream_count] = (struct record_stream){.id = id, .mark = -1, .barrier = -1};
    return &step->streams[step->stream_count++];
}

// ---- operations ---------------------------------------------------------------------------------------------------

static void operation_finish(struct context *context, struct step_operation *operation)
{
    for (int i = 0; operation->pins != NULL && i < operation->arg_count; i++) {
        if (operation->pins[i] != NULL) {
            context_unpin(context, operation->pins[i]->id);
        }
    }
    if (operation->kernel != NULL) {
        context_unpin(context, operation->kernel->id);
    }
    context_free(context, operation->before, (size_t)operation->before_count * sizeof *operation->before);
    context_free(context, operation->args, operation->room_size);
}

static size_t struct_size(const rill_arg *arg)
{
    return arg->kind == RILL_ARG_STRUCT ? (arg->size + 15) / 16 * 16 : 0;
}

// Copies the arguments, which were checked, with the structs among them.
static rill_status keep_args(const char *who, struct context *context, struct step_operation *operation,
                             const rill_arg *args, int count)
{
    size_t heads = (size_t)count * (sizeof(rill_arg) + sizeof(struct array *));
    size_t size = (heads + 15) / 16 * 16 + 16;
    for (int i = 0; i < count; i++) {
        size += struct_size(&args[i]);
    }
    char *room = context_alloc(context, size);
    if (room == NULL) {
        return no_memory(who);
    }
    operation->args = (rill_arg *)(void *)room;
    operation->pins = (struct array **)(void *)(room + (size_t)count * sizeof(rill_arg));
    operation->room_size = size;
    operation->arg_count = count;
    char *at = room + (heads + 15) / 16 * 16;
    for (int i = 0; i < count; i++) {
        operation->args[i] = args[i];
        if (args[i].kind == RILL_ARG_STRUCT) {
            memcpy(at, args[i].value.pointer, args[i].size);
            operation->args[i].value.pointer = at;
            at += struct_size(&args[i]);
        }
    }
    return RILL_OK;
}

// The argument is the array from now on, whatever becomes of its handle. The operation has its pin.
static void hold(struct step_operation *operation, int index, struct array *array)
{
    operation->args[index].kind = ARG_HELD;
    operation->args[index].value.pointer = array;
    operation->pins[index] = array;
}

static rill_status pin_array(const char *who, struct context *context, const struct array *array)
{
    void *object;
    return context_pin(context, who, array->id, KIND_ARRAY, &object);
}

// Puts the operation behind the others. After a failure it is the caller's.
static rill_status add(const char *who, struct step *step, struct step_operation *operation, uint64_t stream)
{
    RILL_TRY(make_room_for_operation(who, step));
    const struct record_stream *on = stream_of(step, stream);
    if (on == NULL) {
        return no_memory(who);
    }
    operation->stream = stream;
    operation->barrier = on->barrier;
    operation->who = who;
    operation->number = operation->kind != STEP_MARK ? step->number_count++ : SIZE_MAX;
    operation->first_arg = step->arg_count;
    step->arg_count += (size_t)operation->arg_count;
    step->operations[step->count++] = *operation;
    return RILL_OK;
}

static rill_status add_or_finish(const char *who, struct step *step, struct step_operation *operation, uint64_t stream)
{
    rill_status status = add(who, step, operation, stream);
    if (status != RILL_OK) {
        operation_finish(step->context, operation);
    }
    return status;
}

// ---- launches -----------------------------------------------------------------------------------------------------

// What launches touch is known in contexts with an order; here it is wanted of this kernel.
static void describe_footprint(struct kernel *kernel)
{
    struct context *context = kernel->context;
    if (context->order != NULL) {
        return;
    }
    thread_lock(&context->load_lock);
    if (kernel->footprint == NULL) {
        footprint_describe(kernel);
    }
    thread_unlock(&context->load_lock);
}

static rill_status check_arguments(const char *who, struct kernel *kernel, rill_args args, bool has_held,
                                   struct array **out_arrays)
{
    struct many_args room;
    struct packed_args packed = ARGS_IN(&room);
    packed.has_held = has_held;
    rill_status status = args_pack(&packed, who, kernel, args);
    for (int i = 0; i < packed.count; i++) {
        bool is_pinned = packed.arrays[i] != NULL && args.items[i].kind == RILL_ARG_ARRAY;
        out_arrays[i] = status == RILL_OK && is_pinned ? packed.arrays[i] : NULL;
        if (status != RILL_OK && is_pinned) {
            context_unpin(packed.context, packed.arrays[i]->id);
        }
    }
    return status;
}

// |arrays|: those of the arguments that are pinned, which the operation takes over.
static rill_status fill_launch(const char *who, struct step_operation *operation, struct kernel *kernel, rill_args args,
                               struct array **arrays)
{
    struct context *context = kernel->context;
    void *object;
    rill_status status = keep_args(who, context, operation, args.items, (int)args.count);
    for (size_t i = 0; i < args.count; i++) {
        if (arrays[i] != NULL && status == RILL_OK) {
            hold(operation, (int)i, arrays[i]);
        } else if (arrays[i] != NULL) {
            context_unpin(context, arrays[i]->id);
        }
    }
    RILL_TRY(status);
    RILL_TRY(context_pin(context, who, kernel->id, KIND_KERNEL, &object));
    operation->kernel = kernel;
    describe_footprint(kernel);
    return RILL_OK;
}

static rill_status launch_into(struct step *step, const char *who, struct kernel *kernel, uint64_t stream,
                               rill_args args, bool has_held)
{
    struct array *arrays[RILL_MAX_ARGS + 1] = {NULL};
    rill_arg items[RILL_MAX_ARGS + 1] = {0}; // also read where there are none
    bool has_result = args.count == (size_t)(kernel->known.param_count - kernel->known.hidden_count) + 1;
    rill_args given = {args.items, args.count - (has_result ? 1 : 0)};
    RILL_TRY(check_arguments(who, kernel, given, has_held, arrays));
    struct step_operation operation = {.kind = STEP_LAUNCH, .has_result = has_result};
    if (args.count > 0) {
        memcpy(items, args.items, args.count * sizeof *items);
    }
    rill_status status = RILL_OK;
    if (has_result && items[args.count - 1].kind == RILL_ARG_ARRAY) { // the others are pinned already
        void *object;
        status = context_pin(step->context, who, items[args.count - 1].value.id, KIND_ARRAY, &object);
        arrays[args.count - 1] = status == RILL_OK ? object : NULL;
    }
    rill_status filled = fill_launch(who, &operation, kernel, (rill_args){items, args.count}, arrays);
    status = status == RILL_OK ? filled : status;
    if (status != RILL_OK) {
        operation_finish(step->context, &operation);
        return status;
    }
    return add_or_finish(who, step, &operation, stream);
}

rill_status record_launch(const char *who, struct kernel *kernel, uint64_t stream, rill_args args, struct array *result)
{
    struct step *step;
    rill_arg items[RILL_MAX_ARGS + 1] = {0}; // also read where there are none
    RILL_TRY(current(who, kernel->context, &step));
    if (result != NULL && args.count <= RILL_MAX_ARGS && (args.items != NULL || args.count == 0)) {
        if (args.count > 0) {
            memcpy(items, args.items, args.count * sizeof *items);
        }
        items[args.count] = rill_arg_array((rill_array){result->id});
        args = (rill_args){items, args.count + 1};
    }
    bool is_one_more =
        result == NULL && args.count == (size_t)(kernel->known.param_count - kernel->known.hidden_count) + 1;
    rill_status status = is_one_more
                             ? check_arguments(who, kernel, args, false, (struct array * [RILL_MAX_ARGS + 1]){0})
                             : launch_into(step, who, kernel, stream, args, false);
    context_unpin(kernel->context, step->id);
    return status;
}

// ---- copies, fills ------------------------------------------------------------------------------------------------

static rill_status add_copy(const char *who, struct step *step, uint64_t stream, const struct record_side *sides,
                            size_t offset, size_t size)
{
    struct context *context = step->context;
    bool has_host = sides[0].array == NULL || sides[1].array == NULL;
    struct step_operation operation = {.kind = STEP_COPY, .offset = offset, .size = size, .has_host = has_host};
    rill_arg args[2];
    for (int i = 0; i < 2; i++) {
        args[i] = rill_arg_memory(i == 0 ? RILL_ARG_HOST : RILL_ARG_CONST_HOST, RILL_U8, sides[i].host, size, 1);
    }
    rill_status status = keep_args(who, context, &operation, args, 2);
    for (int i = 0; i < 2 && status == RILL_OK; i++) {
        if (sides[i].array != NULL) {
            status = pin_array(who, context, sides[i].array);
            if (status == RILL_OK) {
                hold(&operation, i, sides[i].array);
            }
        }
    }
    if (status != RILL_OK) {
        operation_finish(context, &operation);
        return status;
    }
    return add_or_finish(who, step, &operation, stream);
}

rill_status record_copy(const char *who, struct context *context, rill_stream handle, const struct record_side *sides,
                        size_t offset, size_t size)
{
    struct step *step;
    struct stream *stream;
    RILL_TRY(stream_pin(context, who, handle, &stream));
    rill_status status = current(who, context, &step);
    if (status == RILL_OK) {
        status = add_copy(who, step, stream->id, sides, offset, size);
        context_unpin(context, step->id);
    }
    context_unpin(context, stream->id);
    return status;
}

rill_status record_fill(struct array *array, uint64_t stream, const void *element, size_t size)
{
    static const char who[] = "rill_array_fill";
    struct context *context = array->context;
    struct step *step;
    RILL_TRY(current(who, context, &step));
    struct step_operation operation = {.kind = STEP_FILL};
    rill_arg args[2] = {rill_arg_array((rill_array){array->id}), rill_arg_struct(element, size)};
    rill_status status = keep_args(who, context, &operation, args, 2);
    if (status == RILL_OK) {
        status = pin_array(who, context, array);
    }
    if (status == RILL_OK) {
        hold(&operation, 0, array);
        status = add_or_finish(who, step, &operation, stream);
    } else {
        operation_finish(context, &operation);
    }
    context_unpin(context, step->id);
    return status;
}

// ---- events -------------------------------------------------------------------------------------------------------

// How many operations a mark on the stream follows, which go to |out| unless that is NULL.
static int find_before(const struct step *step, const struct record_stream *on, int *out)
{
    int count = 0;
    int first[] = {on->mark, on->barrier};
    for (int i = 0; i < 2; i++) {
        if (first[i] >= 0) {
            if (out != NULL) {
                out[count] = first[i];
            }
            count++;
        }
    }
    for (int i = step->count - 1; i > on->mark; i--) {
        if (step->operations[i].stream == on->id && step->operations[i].kind != STEP_MARK) {
            if (out != NULL) {
                out[count] = i;
            }
            count++;
        }
    }
    return count;
}

// A mark that follows |count| others.
static rill_status add_mark(const char *who, struct step *step, uint64_t stream, int count, struct step_operation *out)
{
    *out = (struct step_operation){.kind = STEP_MARK, .before_count = count};
    if (count > 0) {
        out->before = context_alloc(step->context, (size_t)count * sizeof *out->before);
        if (out->before == NULL) {
            return no_memory(who);
        }
    }
    out->stream = stream;
    return RILL_OK;
}

// Behind everything that the stream has been given. |out_mark|: -1: nothing.
static rill_status mark_end(const char *who, struct step *step, uint64_t stream, int *out_mark)
{
    struct record_stream *on = stream_of(step, stream);
    struct step_operation mark;
    *out_mark = -1;
    if (on == NULL) {
        return no_memory(who);
    }
    int count = find_before(step, on, NULL);
    if (count == 0) {
        return RILL_OK;
    }
    RILL_TRY(add_mark(who, step, stream, count, &mark));
    find_before(step, on, mark.before);
    RILL_TRY(add_or_finish(who, step, &mark, stream));
    on->mark = step->count - 1; // add() makes no room for a stream that is known
    *out_mark = on->mark;
    return RILL_OK;
}

// What the stream is given from now on follows the mark.
static rill_status follow(const char *who, struct step *step, uint64_t stream, int mark)
{
    struct record_stream *on = stream_of(step, stream);
    struct step_operation both;
    if (on == NULL) {
        return no_memory(who);
    }
    if (mark < 0 || on->barrier == mark) {
        return RILL_OK;
    }
    if (on->barrier < 0) {
        on->barrier = mark;
        return RILL_OK;
    }
    RILL_TRY(add_mark(who, step, stream, 2, &both));
    both.before[0] = on->barrier;
    both.before[1] = mark;
    RILL_TRY(add_or_finish(who, step, &both, stream));
    on->barrier = step->count - 1;
    return RILL_OK;
}

static struct record_event *event_of(struct step *step, uint64_t id)
{
    for (size_t i = 0; i < step->event_count; i++) {
        if (step->events[i].id == id) {
            return &step->events[i];
        }
    }
    return NULL;
}

static rill_status record_place(const char *who, struct step *step, uint64_t event, uint64_t stream)
{
    struct record_event *known = event_of(step, event);
    void *items = step->events;
    if (known == NULL) {
        if (!make_room(step->context, &items, step->event_count, &step->event_capacity, sizeof *step->events)) {
            return no_memory(who);
        }
        step->events = items;
        known = &step->events[step->event_count];
    }
    int mark;
    RILL_TRY(mark_end(who, step, stream, &mark));
    step->event_count += known == &step->events[step->event_count];
    *known = (struct record_event){event, mark};
    return RILL_OK;
}

static rill_status wait_place(const char *who, struct step *step, uint64_t event, uint64_t stream)
{
    const struct record_event *known = event_of(step, event);
    if (known == NULL) {
        return status_fail(RILL_ERR_UNRECORDED,
                           "%s: the event was not recorded since rill_record_begin(); wait for it before the "
                           "recording, or on the stream of the step's launch",
                           who);
    }
    return follow(who, step, stream, known->mark);
}

rill_status record_event(const char *who, struct event *event, uint64_t stream, bool waits)
{
    struct step *step;
    RILL_TRY(current(who, event->context, &step));
    rill_status status = waits ? wait_place(who, step, event->id, stream) : record_place(who, step, event->id, stream);
    context_unpin(event->context, step->id);
    return status;
}

rill_status record_wait(struct context *context, uint64_t stream, uint64_t other)
{
    static const char who[] = "rill_stream_wait";
    struct step *step;
    int mark = -1;
    RILL_TRY(current(who, context, &step));
    rill_status status = stream != other ? mark_end(who, step, other, &mark) : RILL_OK;
    status = status == RILL_OK ? follow(who, step, stream, mark) : status;
    context_unpin(context, step->id);
    return status;
}

// ---- steps --------------------------------------------------------------------------------------------------------

// Keeps the inner step as long as this one lives: what it uses is used here.
static rill_status keep_step(const char *who, struct step *step, struct step *inner)
{
    void *object;
    void *items = step->steps;
    if (!make_room(step->context, &items, step->step_count, &step->step_capacity, sizeof *step->steps)) {
        return no_memory(who);
    }
    step->steps = items;
    RILL_TRY(context_pin(step->context, who, inner->id, KIND_STEP, &object));
    step->steps[step->step_count++] = inner->id;
    return RILL_OK;
}

struct given {
    rill_arg *args; // of the operation that is copied
    int operation;
    const rill_arg *value;
};

static void put_value(void *arg, const struct step_place *place)
{
    struct given *given = arg;
    if (place->operation == given->operation) {
        given->args[place->argument] = *given->value;
    }
}

// The operation's arguments as they are with the values.
static rill_status give_values(const char *who, const struct step *inner, int index, rill_step_values values,
                               rill_arg *args)
{
    const struct step_operation *operation = &inner->operations[index];
    if (operation->arg_count > 0) {
        memcpy(args, operation->args, (size_t)operation->arg_count * sizeof *args);
    }
    for (size_t i = 0; i < values.count; i++) {
        struct given given = {.args = args, .operation = index, .value = &values.items[i].value};
        RILL_TRY(step_value_visit(who, inner, &values.items[i], put_value, &given));
    }
    return RILL_OK;
}

// A copy or a fill with other arguments. The sides that were recorded stay the inner step's.
static rill_status copy_other(const char *who, struct step *step, const struct step_operation *operation,
                              const rill_arg *args, uint64_t stream)
{
    struct step_operation copy = {
        .kind = operation->kind, .offset = operation->offset, .size = operation->size, .has_host = operation->has_host};
    struct step_bytes bytes;
    rill_status status = keep_args(who, step->context, &copy, args, operation->arg_count);
    for (int i = 0; i < copy.arg_count && status == RILL_OK; i++) {
        if (args[i].kind == RILL_ARG_ARRAY) {
            void *object;
            status = context_pin(step->context, who, args[i].value.id, KIND_ARRAY, &object);
            if (status == RILL_OK) {
                hold(&copy, i, object);
            }
        }
    }
    status = status == RILL_OK ? step_find_bytes(who, operation, copy.args, copy.pins, &bytes) : status;
    if (status != RILL_OK) {
        operation_finish(step->context, &copy);
        return status;
    }
    return add_or_finish(operation->who, step, &copy, stream);
}

static rill_status copy_mark(const char *who, struct step *step, const struct step_operation *operation, int shift,
                             uint64_t stream)
{
    struct step_operation mark;
    RILL_TRY(add_mark(who, step, stream, operation->before_count, &mark));
    for (int i = 0; i < operation->before_count; i++) {
        mark.before[i] = operation->before[i] + shift;
    }
    return add_or_finish(who, step, &mark, stream);
}

static rill_status copy_operation(const char *who, struct step *step, const struct step *inner, int index, int shift,
                                  uint64_t stream, rill_step_values values)
{
    const struct step_operation *operation = &inner->operations[index];
    rill_arg args[RILL_MAX_ARGS + 1];
    if (operation->kind == STEP_MARK) {
        return copy_mark(who, step, operation, shift, stream);
    }
    RILL_TRY(give_values(who, inner, index, values, args));
    return operation->kind == STEP_LAUNCH ? launch_into(step, operation->who, operation->kernel, stream,
                                                        (rill_args){args, (size_t)operation->arg_count}, true)
                                          : copy_other(who, step, operation, args, stream);
}

// What was added behind |count| goes again.
static void cut_back(struct step *step, int count)
{
    while (step->count > count) {
        struct step_operation *last = &step->operations[--step->count];
        step->number_count -= last->kind != STEP_MARK;
        step->arg_count -= (size_t)last->arg_count;
        operation_finish(step->context, last);
    }
}

// Operations of the inner step that followed a mark of it do so here. Those that followed none follow what the stream
// has waited for.
static void shift_barriers(struct step *step, const struct step *inner, int shift)
{
    for (int i = 0; i < inner->count; i++) {
        if (inner->operations[i].barrier >= 0) {
            step->operations[shift + i].barrier = inner->operations[i].barrier + shift;
        }
    }
}

// The marks that nothing comes before follow what the stream has waited for, too, by their own barrier: see add().
static rill_status copy_all(const char *who, struct step *step, const struct step *inner, uint64_t stream,
                            rill_step_values values)
{
    int shift = step->count;
    for (int i = 0; i < inner->count; i++) {
        RILL_TRY(copy_operation(who, step, inner, i, shift, stream, values));
    }
    shift_barriers(step, inner, shift);
    return RILL_OK;
}

rill_status record_step(const char *who, struct context *context, struct step *inner, uint64_t stream,
                        rill_step_values values)
{
    struct step *step;
    RILL_TRY(current(who, context, &step));
    int count = step->count;
    size_t times = atomic_load(&inner->repeat_count);
    if (atomic_load(&inner->flag) != NULL) {
        context_unpin(context, step->id);
        return status_fail(RILL_ERR_RECORDING, "%s: a step that runs until a flag says stop cannot be part of another",
                           who);
    }
    rill_status status = keep_step(who, step, inner);
    for (size_t i = 0; i < times && status == RILL_OK; i++) {
        status = copy_all(who, step, inner, stream, values);
    }
    if (status != RILL_OK) {
        cut_back(step, count);
    }
    context_unpin(context, step->id);
    return status;
}

// ---- beginning, ending --------------------------------------------------------------------------------------------

void record_finish_operations(struct step *step)
{
    cut_back(step, 0);
    context_free(step->context, step->operations, (size_t)step->capacity * sizeof *step->operations);
    context_free(step->context, step->streams, step->stream_capacity * sizeof *step->streams);
    context_free(step->context, step->events, step->event_capacity * sizeof *step->events);
    for (size_t i = 0; i < step->step_count; i++) {
        context_unpin(step->context, step->steps[i]);
    }
    context_free(step->context, step->steps, step->step_capacity * sizeof *step->steps);
}

static rill_status begin(struct context *context)
{
    static const char who[] = "rill_record_begin";
    struct context *other;
    if (recording != 0 && context_enter(who, recording, KIND_STEP, &other) == RILL_OK) { // else its context is closed
        context_leave(other);
        return status_fail(RILL_ERR_RECORDING,
                           "%s: this thread is recording a step already: end that with rill_record_end() or "
                           "rill_record_drop()",
                           who);
    }
    struct step *step = context_alloc(context, sizeof *step);
    if (step == NULL) {
        return no_memory(who);
    }
    step->context = context;
    atomic_store(&step->repeat_count, 1);
    thread_mutex_init(&step->lock);
    step->id = context_add(context, who, step, KIND_STEP);
    if (step->id == 0) {
        thread_mutex_finish(&step->lock);
        context_free(context, step, sizeof *step);
        return RILL_ERR_OUT_OF_MEMORY;
    }
    recording = step->id;
    atomic_fetch_add(&context->recording_count, 1);
    return RILL_OK;
}

rill_status rill_record_begin(rill_context handle)
{
    struct context *context;
    RILL_TRY(context_enter("rill_record_begin", handle.id, KIND_CONTEXT, &context));
    rill_status status = begin(context);
    context_leave(context);
    return status;
}

// The thread records no more; |out_step| is what it has recorded, pinned.
static rill_status end(const char *who, struct context *context, struct step **out_step)
{
    if (!record_is_mine(context)) {
        return status_fail(RILL_ERR_INVALID,
                           "%s: this thread is not recording on the context: rill_record_begin() "
                           "comes first",
                           who);
    }
    RILL_TRY(current(who, context, out_step));
    recording = 0;
    atomic_fetch_sub(&context->recording_count, 1);
    return RILL_OK;
}

static void destroy(struct context *context, const char *who, struct step *step)
{
    void *object;
    RILL_IGNORE(context_retire(context, who, step->id, KIND_STEP, &object));
    context_unpin(context, step->id);
}

static rill_status end_and_make(struct context *context, uint64_t *out_id)
{
    static const char who[] = "rill_record_end";
    struct step *step;
    RILL_TRY(end(who, context, &step));
    uint64_t id = step->id;
    rill_status status = step_complete(who, step);
    if (status == RILL_OK) {
        *out_id = id;
    } else {
        destroy(context, who, step);
    }
    context_unpin(context, id);
    return status;
}

rill_status rill_record_end(rill_context handle, rill_step *out_step)
{
    RILL_TRY(context_check_out("rill_record_end", out_step, "out_step"));
    out_step->id = 0;
    struct context *context;
    RILL_TRY(context_enter("rill_record_end", handle.id, KIND_CONTEXT, &context));
    rill_status status = end_and_make(context, &out_step->id);
    context_leave(context);
    return status;
}

rill_status rill_record_drop(rill_context handle)
{
    static const char who[] = "rill_record_drop";
    struct context *context;
    struct step *step;
    RILL_TRY(context_enter(who, handle.id, KIND_CONTEXT, &context));
    rill_status status = end(who, context, &step);
    if (status == RILL_OK) {
        uint64_t id = step->id;
        destroy(context, who, step);
        context_unpin(context, id);
    }
    context_leave(context);
    return status;
}

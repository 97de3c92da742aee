#include "runtime/step.h"

#include "base/status.h"
#include "runtime/launch.h"
#include "runtime/record.h"

#include <assert.h>
#include <string.h>

// ---- made, gone ---------------------------------------------------------------------------------------------------

static rill_status no_memory(const char *who)
{
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for a step", who);
}

static void add_array(struct step *step, struct array *array)
{
    for (size_t i = 0; i < step->array_count; i++) {
        if (step->arrays[i] == array) {
            return;
        }
    }
    step->arrays[step->array_count++] = array;
}

// Each array that is used, once.
static rill_status list_arrays(const char *who, struct step *step)
{
    if (step->arg_count == 0) {
        return RILL_OK;
    }
    step->arrays = context_alloc(step->context, step->arg_count * sizeof *step->arrays);
    if (step->arrays == NULL) {
        return no_memory(who);
    }
    for (int i = 0; i < step->count; i++) {
        const struct step_operation *operation = &step->operations[i];
        for (int k = 0; k < operation->arg_count; k++) {
            if (operation->args[k].kind == ARG_HELD) {
                add_array(step, (struct array *)(uintptr_t)operation->args[k].value.pointer);
            }
        }
    }
    return RILL_OK;
}

// For each operation how many come before it that are no marks: sorted, to find one by the program's number.
static rill_status count_operations(const char *who, struct step *step)
{
    size_t number = 0;
    if (step->count == 0) {
        return RILL_OK;
    }
    step->numbers = context_alloc(step->context, (size_t)step->count * sizeof *step->numbers);
    if (step->numbers == NULL) {
        return no_memory(who);
    }
    for (int i = 0; i < step->count; i++) {
        step->numbers[i] = number;
        number += step->operations[i].kind != STEP_MARK;
    }
    assert(number == step->number_count);
    return RILL_OK;
}

rill_status step_complete(const char *who, struct step *step)
{
    RILL_TRY(list_arrays(who, step));
    RILL_TRY(count_operations(who, step));
    RILL_TRY(step_names_make(who, step));
    struct step_run *run;
    RILL_TRY(step_run_create(who, step, 0, &run));
    step->dependency_count = run->dependency_count;
    step->depth = run->depth;
    step->idle = run;
    step->run_count = 1;
    step->is_recorded = true;
    return RILL_OK;
}

void step_dispose(struct step *step)
{
    struct context *context = step->context;
    while (step->idle != NULL) {
        struct step_run *run = step->idle;
        step->idle = run->next;
        step_run_destroy(run);
    }
    context_free(context, step->names, step->arg_count * sizeof *step->names);
    context_free(context, step->numbers, (size_t)step->count * sizeof *step->numbers);
    context_free(context, step->arrays, step->arg_count * sizeof *step->arrays);
    record_finish_operations(step);
    step_loop_finish(step);
    thread_mutex_finish(&step->lock);
    context_free(context, step, sizeof *step);
}

// ---- launching ----------------------------------------------------------------------------------------------------

static rill_status refuse_failed(const char *who, struct stream *stream)
{
    struct backend_error error;
    return stream->context->backend->stream_error(stream->queue, &error)
               ? status_fail(error.status, "%s: " BACKEND_STREAM_REFUSES, who, error.text)
               : RILL_OK;
}

static rill_status launch(const char *who, const char *place, struct step *step, const struct pinned_stream *on,
                          rill_step_values values)
{
    struct step_run *run;
    RILL_TRY(refuse_failed(who, on->stream));
    RILL_TRY(step_run_take(who, step, on->stream, values, &run));
    for (size_t i = 0; i < step->array_count; i++) {
        array_note_use(step->arrays[i], on->id);
    }
    rill_status status = step_run_loop(who, place, run, on);
    step_run_return(run, on->stream);
    return status;
}

// Enters the context of a step and pins it.
static rill_status begin(const char *who, rill_step handle, struct context **out_context, struct step **out_step)
{
    void *object;
    RILL_TRY(context_begin(who, handle.id, KIND_STEP, out_context, &object));
    *out_step = object;
    return RILL_OK;
}

rill_status rill_step_launch_at(const char *place, rill_step handle, rill_stream stream_handle, rill_step_values values)
{
    static const char who[] = "rill_step_launch";
    struct context *context;
    struct step *step;
    struct pinned_stream on;
    RILL_TRY(begin(who, handle, &context, &step));
    if (values.items == NULL && values.count > 0) {
        return context_end(context, handle.id, status_fail(RILL_ERR_INVALID, "%s: the list of values is NULL", who));
    }
    rill_status status = stream_pin_queue(context, who, stream_handle, &on);
    if (status == RILL_OK) {
        status = record_is_on(context) ? record_step(who, context, step, on.id, values)
                                       : launch(who, place, step, &on, values);
        context_unpin(context, on.id);
    }
    return context_end(context, handle.id, status);
}

rill_status(rill_step_launch)(rill_step step, rill_stream stream, rill_step_values values)
{
    return rill_step_launch_at(NULL, step, stream, values);
}

// ---- the rest -----------------------------------------------------------------------------------------------------

rill_status rill_step_describe(rill_step handle, rill_step_info *out_info)
{
    static const char who[] = "rill_step_describe";
    RILL_TRY(context_check_out(who, out_info, "out_info"));
    *out_info = (rill_step_info){.operation_count = 0};
    struct context *context;
    struct step *step;
    RILL_TRY(begin(who, handle, &context, &step));
    *out_info = (rill_step_info){.operation_count = step->number_count,
                                 .dependency_count = step->dependency_count,
                                 .depth = step->depth,
                                 .repeat_count = atomic_load(&step->repeat_count)};
    return context_end(context, handle.id, RILL_OK);
}

rill_status rill_step_destroy(rill_step handle)
{
    static const char who[] = "rill_step_destroy";
    struct context *context;
    RILL_TRY(context_enter(who, handle.id, KIND_STEP, &context));
    void *object;
    rill_status status = context_retire(context, who, handle.id, KIND_STEP, &object);
    if (status == RILL_OK) {
        context_unpin(context, handle.id);
    }
    context_leave(context);
    return status;
}

void rill_auto_step(rill_step *handle)
{
    if (handle->id == 0) {
        return;
    }
    struct saved_message message;
    context_save_message(&message);
    if (rill_step_destroy(*handle) != RILL_OK) { // stale: its context was closed first
        context_restore_message(&message);
    }
    handle->id = 0;
}

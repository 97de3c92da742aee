// Contexts: the primary context of each device, and the calling thread's stack of current ones.
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_LIMIT = 16 };

static _Thread_local struct fake_context *stack[STACK_LIMIT];
static _Thread_local int depth = 1; // stack[depth - 1] is current

static _Thread_local bool set_failed; // told to: what follows fails too, and is no broken rule

void fake_note_set(bool has_failed)
{
    set_failed = has_failed;
}

struct fake_context *fake_current(void)
{
    return stack[depth - 1];
}

void fake_set_current(struct fake_context *context)
{
    stack[depth - 1] = context;
}

int fake_push_current(struct fake_context *context)
{
    if (depth == STACK_LIMIT) {
        return FAKE_INVALID_VALUE;
    }
    stack[depth++] = context;
    return FAKE_OK;
}

struct fake_context *fake_pop_current(void)
{
    struct fake_context *top = fake_current();
    if (depth > 1) {
        depth--;
    } else {
        stack[0] = NULL;
    }
    return top;
}

int fake_need_context_locked(const char *call, struct fake_context **out_context)
{
    *out_context = fake_current();
    if (*out_context == NULL && set_failed) {
        return FAKE_INVALID_CONTEXT;
    }
    if (*out_context == NULL) {
        fake_violation_locked("%s: no context is current", call);
        return FAKE_INVALID_CONTEXT;
    }
    if ((*out_context)->retain_count == 0) {
        fake_violation_locked("%s: the current context was released", call);
        return FAKE_INVALID_CONTEXT;
    }
    return FAKE_OK;
}

bool fake_same_context_locked(const char *call, const void *object)
{
    const struct fake_object *o = object;
    if (fake_current() == o->context) {
        return true;
    }
    if (set_failed) {
        return false;
    }
    fake_violation_locked("%s: the current context is not the object's", call);
    return false;
}

int fake_context_retain_locked(int device, struct fake_context **out_context)
{
    struct fake_context *context = &fake.contexts[device];
    while (context->is_ending) {
        pthread_cond_wait(&fake.done, &fake.lock);
    }
    if (context->retain_count++ == 0) {
        memset(context, 0, sizeof *context);
        context->retain_count = 1;
        context->device = device;
        fake_add_locked(context, FAKE_CONTEXT, context);
        context->legacy = fake_stream_create_locked(context, true, 0);
        context->legacy->is_legacy = true;
        context->legacy->object.is_internal = true;
        context->orphans = fake_stream_create_locked(context, false, 0);
        context->orphans->object.is_internal = true;
        context->pool = fake_alloc(sizeof *context->pool);
        context->pool->device = device;
        fake_add_locked(context->pool, FAKE_POOL, context);
        context->pool->object.is_internal = true;
        fake_start_threads_locked();
    }
    *out_context = context;
    return FAKE_OK;
}

static void count_left(const struct fake_context *context)
{
    static const char *const names[FAKE_KIND_COUNT] = {
        [FAKE_STREAM] = "streams", [FAKE_EVENT] = "events",           [FAKE_MODULE] = "modules",
        [FAKE_GRAPH] = "graphs",   [FAKE_EXEC] = "executable graphs", [FAKE_POOL] = "pools",
        [FAKE_LINK] = "links",     [FAKE_USER] = "user objects"};
    long left[FAKE_KIND_COUNT] = {0};
    long ranges = 0;
    for (uint32_t i = 0; i < fake.object_count; i++) {
        const struct fake_object *o = fake.objects[i];
        left[o->kind] += o->context == context && !o->is_destroyed && !o->is_internal;
    }
    for (int i = 0; i < fake.range_count; i++) {
        const struct fake_range *range = fake.ranges[i];
        ranges += range->context == context && !range->is_free_called && range->kind != FAKE_RANGE_MODULE &&
                  range->kind != FAKE_RANGE_REGISTERED;
    }
    for (int kind = 0; kind < FAKE_KIND_COUNT; kind++) {
        if (names[kind] != NULL && left[kind] > 0 && context->lost_code == 0) {
            fake_violation_locked("leak: the context of device %d ends with %ld %s", context->device, left[kind],
                                  names[kind]);
        }
    }
    if (ranges > 0 && context->lost_code == 0) {
        fake_violation_locked("leak: the context of device %d ends with %ld allocations", context->device, ranges);
    }
}

// The last release ends everything of the context.
int fake_context_release_locked(int device, bool is_reset)
{
    struct fake_context *context = &fake.contexts[device];
    if (context->retain_count == 0) {
        return FAKE_INVALID_CONTEXT;
    }
    context->retain_count = is_reset ? 0 : context->retain_count - 1;
    if (context->retain_count > 0) {
        return FAKE_OK;
    }
    context->is_ending = true; // nobody begins anew before all of it is gone
    fake_context_wait_locked(context);
    count_left(context);
    for (uint32_t i = 0; i < fake.object_count; i++) {
        struct fake_object *o = fake.objects[i];
        if (o->context == context && !o->is_destroyed && o->kind != FAKE_CONTEXT) {
            fake_remove_locked(o);
        }
    }
    for (int i = fake.range_count - 1; i >= 0; i--) { // from the end: freeing one may drop an older one from the list
        if (fake.ranges[i]->context == context && fake.ranges[i]->state != FAKE_RANGE_FREED) {
            fake.ranges[i]->is_free_called = true;
            fake_memory_free_locked(fake.ranges[i]);
        }
    }
    free(context->streams);
    context->streams = NULL;
    context->stream_count = 0;
    context->stream_capacity = 0;
    context->object.is_destroyed = true;
    context->is_ending = false;
    pthread_cond_broadcast(&fake.done);
    fake.alive[FAKE_CONTEXT]--;
    return FAKE_OK;
}

void fake_lose_locked(struct fake_context *context, int code)
{
    if (context->lost_code == 0) {
        context->lost_code = code;
        pthread_cond_broadcast(&fake.work);
        pthread_cond_broadcast(&fake.done);
    }
}

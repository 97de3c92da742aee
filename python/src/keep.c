// What queued work uses, kept until it is done: the buffers of a launch and an event behind it. A launch looks at two
// entries, one after the other around the list, so that a stream that takes long keeps nothing alive that others used;
// a wait looks at all.
#include "core.h"

#include "dlpack.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    rill_event event;
    size_t count;
    struct held held[]; // owned
};

struct keep {
    struct entry **entries; // owned
    size_t count;
    size_t capacity;
    size_t next;          // the entry that is looked at next
    rill_event spare[64]; // events that nothing waits for
    size_t spare_count;
};

struct keep *keep_create(void)
{
    return calloc(1, sizeof(struct keep));
}

void held_release(struct held *held, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (held[i].buffer.obj != NULL) {
            buffer_release(&held[i].buffer);
        }
        Py_CLEAR(held[i].object);
        struct dlpack_versioned *tensor = held[i].tensor;
        held[i].tensor = NULL;
        if (tensor != NULL && tensor->deleter != NULL) {
            tensor->deleter(tensor);
        }
    }
}

static void spare_event(struct keep *keep, rill_event event)
{
    if (keep->spare_count < sizeof keep->spare / sizeof keep->spare[0]) {
        keep->spare[keep->spare_count++] = event;
    } else {
        RILL_IGNORE(rill_event_destroy(event));
    }
}

static rill_status take_event(struct context_object *context, rill_event *out_event)
{
    struct keep *keep = context->keep;
    if (keep->spare_count > 0) {
        *out_event = keep->spare[--keep->spare_count];
        return RILL_OK;
    }
    rill_event_options options = {.without_time = true};
    return rill_event_create(context->handle, &options, out_event);
}

static bool make_room(struct keep *keep)
{
    if (keep->count < keep->capacity) {
        return true;
    }
    size_t capacity = keep->capacity == 0 ? 16 : keep->capacity * 2;
    struct entry **entries = realloc(keep->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    keep->entries = entries;
    keep->capacity = capacity;
    return true;
}

void keep_until(struct context_object *context, rill_stream stream, struct held *held, size_t count)
{
    struct keep *keep = context->keep;
    if (step_is_recording(context)) {
        step_keep(context, held, count); // nothing is queued now
        return;
    }
    struct entry *entry = malloc(sizeof *entry + count * sizeof *held);
    rill_event event = {0};
    if (entry != NULL && make_room(keep) && take_event(context, &event) == RILL_OK &&
        rill_event_record(event, stream) == RILL_OK) {
        entry->event = event;
        entry->count = count;
        memcpy(entry->held, held, count * sizeof *held);
        keep->entries[keep->count++] = entry;
        return;
    }
    // Without an event the only way to know is to wait.
    rill_status status;
    WITHOUT_GIL(status, rill_stream_synchronize(stream));
    (void)status; // the stream keeps its error
    if (event.id != 0) {
        RILL_IGNORE(rill_event_destroy(event));
    }
    free(entry);
    held_release(held, count);
}

void keep_poll(struct context_object *context, size_t limit)
{
    struct keep *keep = context->keep;
    size_t todo = keep->count;
    if (step_is_recording(context)) {
        return; // events are not asked then
    }
    if (limit != 0 && limit < todo) {
        todo = limit;
    }
    for (; todo > 0 && context->keep == keep && keep->count > 0; todo--) {
        if (keep->next >= keep->count) {
            keep->next = 0;
        }
        struct entry *entry = keep->entries[keep->next];
        if (rill_event_query(entry->event) == RILL_ERR_NOT_READY) {
            keep->next++;
            continue;
        }
        keep->entries[keep->next] = keep->entries[--keep->count]; // out of the list first: letting go runs Python
        spare_event(keep, entry->event);
        held_release(entry->held, entry->count);
        free(entry);
    }
}

size_t keep_count(const struct context_object *context)
{
    return context->keep == NULL ? 0 : context->keep->count;
}

void keep_destroy(struct context_object *context)
{
    struct keep *keep = context->keep;
    context->keep = NULL;
    if (keep == NULL) {
        return;
    }
    for (size_t i = 0; i < keep->count; i++) {
        held_release(keep->entries[i]->held, keep->entries[i]->count);
        free(keep->entries[i]);
    }
    free(keep->entries);
    free(keep);
}

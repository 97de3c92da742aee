// A run as a batch of the back end (backend.h: batch_queue()): its tasks as parts, with what each follows. Where the
// back end has none, or does not take this one, the tasks are queued on lanes.
#include "base/status.h"
#include "runtime/callback.h"
#include "runtime/launch.h"
#include "runtime/step.h"

#include <assert.h>
#include <string.h>

// Larger steps go by lanes: what follows what is found for all pairs.
enum { BATCH_MAX_TASKS = 1024, WORD_BITS = 64 };

bool step_may_batch(const struct step_run *run)
{
    return run->context->backend->batch_queue != backend_no_batch && run->task_count <= BATCH_MAX_TASKS;
}

// ---- what follows what --------------------------------------------------------------------------------------------

static size_t words_of(const struct step_run *run)
{
    return ((size_t)run->task_count + WORD_BITS - 1) / WORD_BITS;
}

rill_status step_edges_begin(const char *who, struct step_edges *edges, struct step_run *run)
{
    *edges = (struct step_edges){.run = run, .is_wanted = step_may_batch(run)};
    if (!edges->is_wanted) {
        return RILL_OK;
    }
    size_t count = (size_t)run->task_count;
    edges->size = count * (words_of(run) * sizeof(uint64_t) + 2 * sizeof(int));
    edges->before = context_alloc(run->context, edges->size);
    if (edges->before == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the order of a step", who);
    }
    edges->firsts = (int *)(void *)(edges->before + count * words_of(run));
    edges->counts = edges->firsts + count;
    return RILL_OK;
}

static bool add(struct step_edges *edges, int other)
{
    struct context *context = edges->run->context;
    if (edges->count == edges->capacity) {
        int capacity = edges->capacity > 0 ? 2 * edges->capacity : 64;
        int *items = context_alloc(context, (size_t)capacity * sizeof *items);
        if (items == NULL) {
            return false;
        }
        if (edges->count > 0) {
            memcpy(items, edges->items, (size_t)edges->count * sizeof *items);
        }
        context_free(context, edges->items, (size_t)edges->capacity * sizeof *items);
        edges->items = items;
        edges->capacity = capacity;
    }
    edges->items[edges->count++] = other;
    return true;
}

bool step_edges_add(struct step_edges *edges, int index, const int *found, int found_count)
{
    if (!edges->is_wanted) {
        return true;
    }
    size_t words = words_of(edges->run);
    uint64_t *before = edges->before + (size_t)index * words;
    edges->firsts[index] = edges->count;
    for (int i = 0; i < found_count; i++) {
        int other = found[i];
        assert(other < index && (i == 0 || found[i - 1] > other)); // the latest first: it may follow the others
        if ((before[other / WORD_BITS] >> other % WORD_BITS & 1) != 0) {
            continue;
        }
        if (!add(edges, other)) {
            return false;
        }
        before[other / WORD_BITS] |= UINT64_C(1) << other % WORD_BITS;
        for (size_t w = 0; w < words; w++) {
            before[w] |= edges->before[(size_t)other * words + w];
        }
    }
    edges->counts[index] = edges->count - edges->firsts[index];
    return true;
}

static bool is_same(const struct step_edges *edges, const struct step_run *run)
{
    bool same = run->after_count == edges->count && run->parts != NULL;
    for (int i = 0; i < run->task_count && same; i++) {
        same = run->parts[i].after_count == edges->counts[i];
    }
    return same &&
           (edges->count == 0 || memcmp(run->afters, edges->items, (size_t)edges->count * sizeof *edges->items) == 0);
}

rill_status step_edges_end(const char *who, struct step_edges *edges)
{
    struct step_run *run = edges->run;
    struct context *context = run->context;
    rill_status status = RILL_OK;
    if (edges->is_wanted && run->parts == NULL) {
        run->parts = context_alloc(context, (size_t)run->task_count * sizeof *run->parts);
        status = run->parts == NULL ? status_fail(RILL_ERR_OUT_OF_MEMORY, "%s: no memory for the order of a step", who)
                                    : RILL_OK;
        run->is_reordered = true;
    }
    if (edges->is_wanted && status == RILL_OK && (run->is_reordered || !is_same(edges, run))) {
        context_free(context, run->afters, (size_t)run->after_capacity * sizeof *run->afters);
        run->afters = edges->items;
        run->after_count = edges->count;
        run->after_capacity = edges->capacity;
        edges->items = NULL;
        edges->capacity = 0;
        for (int i = 0; i < run->task_count; i++) {
            run->parts[i].after = run->afters != NULL ? run->afters + edges->firsts[i] : NULL;
            run->parts[i].after_count = edges->counts[i];
        }
        run->is_reordered = true;
    }
    step_edges_drop(edges);
    return status;
}

void step_edges_drop(struct step_edges *edges)
{
    struct context *context = edges->run->context;
    context_free(context, edges->items, (size_t)edges->capacity * sizeof *edges->items);
    context_free(context, edges->before, edges->size);
    edges->items = NULL;
    edges->before = NULL;
}

// ---- queued -------------------------------------------------------------------------------------------------------

// Whether the back end can have it as a part: a launch that is lent memory, or uses the host's, gets that from its
// lane.
static bool can_be_part(const struct step_operation *operation, const struct step_task *task)
{
    return operation->kind != STEP_LAUNCH ||
           (operation->kernel->known.hidden_count == 0 && task->packed.host_count == 0);
}

static struct backend_launch launch_of(const struct step_task *task)
{
    const struct packed_args *packed = &task->packed;
    const struct kernel *kernel = packed->kernel;
    return (struct backend_launch){.image = kernel->image,
                                   .kernel = kernel->index,
                                   .known = &kernel->known,
                                   .args = packed->buffer,
                                   .array_sizes = packed->sizes,
                                   .result = task->result,
                                   .result_size = task->result != NULL ? kernel->returns->size : 0,
                                   .must_not_wait = backend_never_waits};
}

static void set_part(const struct step_operation *operation, const struct step_task *task, struct backend_part *part)
{
    const struct step_bytes *bytes = &task->bytes;
    part->is_changed = true;
    switch (operation->kind) {
    case STEP_LAUNCH:
        part->kind = BACKEND_PART_LAUNCH;
        part->launch = launch_of(task);
        break;
    case STEP_COPY:
        part->kind = BACKEND_PART_COPY;
        part->target = bytes->target;
        part->source = bytes->source;
        part->size = bytes->size;
        break;
    case STEP_FILL:
        part->kind = BACKEND_PART_FILL;
        part->target = bytes->target;
        part->source = bytes->source;
        part->size = bytes->element_size;
        part->count = bytes->size;
        break;
    case STEP_MARK: part->kind = BACKEND_PART_MARK; break;
    }
}

// False: some task can be no part.
static bool set_parts(struct step_run *run)
{
    bool can = true;
    for (int i = 0; i < run->task_count; i++) {
        struct step_task *task = &run->tasks[i];
        const struct step_operation *operation = &run->step->operations[i];
        can &= can_be_part(operation, task);
        if (task->is_new) {
            set_part(operation, task, &run->parts[i]);
        }
    }
    return can;
}

static void forget_news(struct step_run *run)
{
    for (int i = 0; i < run->task_count; i++) {
        run->tasks[i].is_new = false;
        run->parts[i].is_changed = false;
    }
    run->has_news = false;
    run->is_reordered = false;
}

rill_status step_run_batch(const char *who, struct step_run *run, const struct pinned_stream *on, bool is_ordered,
                           const struct step_rounds *rounds, bool *out_is_done)
{
    *out_is_done = false;
    if (run->parts == NULL) {
        return RILL_OK;
    }
    if (run->has_news) {
        run->is_batchable = set_parts(run);
    }
    if (!run->is_batchable) {
        return RILL_OK;
    }
    struct backend_parts parts = {.items = run->parts,
                                  .count = run->task_count,
                                  .has_changed = run->has_news,
                                  .is_reordered = run->is_reordered,
                                  .rounds = rounds->count,
                                  .flag = rounds->flag,
                                  .must_not_wait = is_ordered ? order_must_not_wait : callback_is_running};
    rill_status status = run->context->backend->batch_queue(on->queue, &run->batch, &parts, out_is_done);
    if (status == RILL_OK && (run->has_news || run->is_reordered)) {
        forget_news(run);
    }
    return context_fail_as(who, status);
}

#include "runtime/host_range.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

// ---- what the kernel does with a parameter ------------------------------------------------------------------------

static bool touches(const struct plan_effect *effect, int index)
{
    return effect->base == PLAN_BASE_UNKNOWN || (effect->base == PLAN_BASE_PARAM && effect->index == index);
}

static bool may_write(const struct plan_kernel *kernel, int index)
{
    for (int t = 0; t < kernel->task_count; t++) {
        for (int i = 0; i < kernel->tasks[t].effect_count; i++) {
            const struct plan_effect *effect = &kernel->tasks[t].effects[i];
            if (touches(effect, index) && effect->access != PLAN_READ) {
                return true;
            }
        }
    }
    return false;
}

// Whether the task writes every byte of the parameter, and reads none.
static bool writes_all(const struct packed_args *packed, const struct plan_task *task, int index)
{
    const struct plan_kernel *kernel = packed->kernel->plan;
    struct plan_values values = {.kernel = kernel, .args = packed->buffer, .array_sizes = packed->sizes};
    uint64_t base;
    memcpy(&base, packed->buffer + kernel->params[index].offset, sizeof base);
    bool is_whole = false;
    for (int i = 0; i < task->effect_count; i++) {
        const struct plan_effect *effect = &task->effects[i];
        if (!touches(effect, index)) {
            continue;
        }
        struct plan_span span;
        if (effect->access != PLAN_WRITE || effect->base != PLAN_BASE_PARAM) {
            return false;
        }
        is_whole |= effect->is_must && effect->region.low != NULL && plan_span_of(effect, &values, &span) &&
                    !span.unknown && span.low <= base && span.high >= base + packed->sizes[index] && span.step != 0 &&
                    span.step <= (uint64_t)span.width;
    }
    return is_whole;
}

static bool task_touches(const struct plan_task *task, int index)
{
    for (int i = 0; i < task->effect_count; i++) {
        if (touches(&task->effects[i], index)) {
            return true;
        }
    }
    return false;
}

// Whether bytes that the host had may matter: all of them are written first only where the first task that touches the
// parameter is sure to run.
static bool may_read(const struct packed_args *packed, int index)
{
    const struct plan_kernel *kernel = packed->kernel->plan;
    const struct plan_node *root = kernel->root;
    if (root == NULL || root->kind != PLAN_SEQUENCE) {
        return true;
    }
    for (int i = 0; i < root->child_count; i++) {
        const struct plan_node *node = root->children[i];
        if (node->kind == PLAN_ASSIGN) {
            continue;
        }
        assert(node->kind != PLAN_TASK || (node->task >= 0 && node->task < kernel->task_count));
        if (node->kind != PLAN_TASK && !(node->kind == PLAN_IF && node->task >= 0)) {
            return true;
        }
        if (task_touches(&kernel->tasks[node->task], index)) {
            return !writes_all(packed, &kernel->tasks[node->task], index);
        }
    }
    return false; // nothing touches it
}

// ---- ranges -------------------------------------------------------------------------------------------------------

enum { HOST_ALIGNMENT = 128 }; // more than any element has

// Adds a range; what it overlaps becomes one with it.
static void add_range(struct host_ranges *ranges, struct backend_host_range range)
{
    assert(range.low != NULL && range.size > 0);
    bool is_shared = false;
    for (int i = 0; i < ranges->count;) {
        struct backend_host_range *other = &ranges->items[i];
        if (other->low >= range.low + range.size || range.low >= other->low + other->size) {
            i++;
            continue;
        }
        char *low = other->low < range.low ? other->low : range.low;
        char *high =
            other->low + other->size > range.low + range.size ? other->low + other->size : range.low + range.size;
        range.low = low;
        range.size = (uint64_t)(high - low);
        range.is_written |= other->is_written;
        is_shared = true;
        *other = ranges->items[--ranges->count];
        i = 0;
    }
    if (is_shared) {
        // The first byte is aligned as one array wants it: others in the same copy are if it lies as on the host.
        range.shift = (uintptr_t)range.low % HOST_ALIGNMENT;
        range.is_read = true; // what one of them is sure to write is not all of it
    }
    ranges->items[ranges->count++] = range;
}

void host_ranges_find(struct host_ranges *ranges, const struct packed_args *packed)
{
    ranges->count = 0;
    for (int i = 0; i < packed->count; i++) {
        if (packed->hosts[i] != NULL && packed->sizes[i] > 0) {
            add_range(ranges, (struct backend_host_range){.low = packed->hosts[i],
                                                          .size = packed->sizes[i],
                                                          .is_read = may_read(packed, i),
                                                          .is_written = may_write(packed->kernel->plan, i)});
        }
    }
}

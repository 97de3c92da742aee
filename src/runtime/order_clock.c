#include "runtime/order_clock.h"

#include <assert.h>
#include <string.h>

enum { LEAST_TIMES = 8 };

// The first that is not before |stream|.
static size_t place_of(const struct order_clock *clock, uint64_t stream)
{
    size_t begin = 0;
    size_t end = clock->count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (clock->items[middle].stream < stream) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

uint64_t order_clock_get(const struct order_clock *clock, uint64_t stream)
{
    size_t at = place_of(clock, stream);
    return at < clock->count && clock->items[at].stream == stream ? clock->items[at].number : 0;
}

static bool grow(struct context *context, struct order_clock *clock)
{
    size_t capacity = clock->capacity > 0 ? 2 * clock->capacity : LEAST_TIMES;
    struct order_time *items = context_alloc(context, capacity * sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (clock->count > 0) {
        memcpy(items, clock->items, clock->count * sizeof *items);
    }
    context_free(context, clock->items, clock->capacity * sizeof *items);
    clock->items = items;
    clock->capacity = capacity;
    return true;
}

bool order_clock_raise(struct context *context, struct order_clock *clock, uint64_t stream, uint64_t number)
{
    assert(stream != 0);
    size_t at = place_of(clock, stream);
    if (at < clock->count && clock->items[at].stream == stream) {
        clock->items[at].number = number > clock->items[at].number ? number : clock->items[at].number;
        return true;
    }
    if (number == 0) {
        return true;
    }
    if (clock->count == clock->capacity && !grow(context, clock)) {
        return false;
    }
    memmove(clock->items + at + 1, clock->items + at, (clock->count - at) * sizeof *clock->items);
    clock->items[at] = (struct order_time){stream, number};
    clock->count++;
    return true;
}

bool order_clock_join(struct context *context, struct order_clock *clock, const struct order_clock *other)
{
    for (size_t i = 0; i < other->count; i++) {
        if (!order_clock_raise(context, clock, other->items[i].stream, other->items[i].number)) {
            return false;
        }
    }
    return true;
}

bool order_clock_covers(const struct order_clock *clock, const struct order_clock *other)
{
    for (size_t i = 0; i < other->count; i++) {
        if (order_clock_get(clock, other->items[i].stream) < other->items[i].number) {
            return false;
        }
    }
    return true;
}

void order_clock_remove(struct order_clock *clock, uint64_t stream)
{
    size_t at = place_of(clock, stream);
    if (at < clock->count && clock->items[at].stream == stream) {
        clock->count--;
        memmove(clock->items + at, clock->items + at + 1, (clock->count - at) * sizeof *clock->items);
    }
}

void order_clock_finish(struct context *context, struct order_clock *clock)
{
    context_free(context, clock->items, clock->capacity * sizeof *clock->items);
    *clock = (struct order_clock){.count = 0};
}

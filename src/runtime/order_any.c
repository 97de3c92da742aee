// Which stream a launch gets that names none.
//
// Nobody is asked how far the streams are: on a GPU each question costs as much as a launch. Instead each point has a
// depth, one more than that of all that comes before it, as if all work took equally long. A stream whose last work is
// no deeper than what a launch must follow will most likely have nothing to do when the launch could begin. Only a
// stream that was left alone for long is asked, as what it does may take longer than all that.
#include "runtime/order_parts.h"

#include "base/hot.h"
#include "base/status.h"

enum {
    MOST_APART = 32, // depths by which a stream may be behind the others without being asked
    MOST_WANTED = 16 // streams; those of more are not thought of
};

// The last point of a stream that is followed.
struct wanted {
    const struct order_stream *stream;
    uint64_t number;
    bool is_for_writing; // for what the launch writes
};

struct choice {
    struct order *order;
    bool writes;    // what is looked at now
    uint64_t depth; // of the work that is followed
    struct wanted wanted[MOST_WANTED];
    int count;
};

// A stream on which the launch could be queued.
struct candidate {
    struct stream *stream;
    uint64_t depth; // of its last work; 0: it has nothing to do
    bool is_tail;   // the last work is followed: nothing comes between
    bool is_owner;  // so, and for what is written: its neighbours will want the others
    int wait_count; // streams that it would have to wait for
    uint64_t used;  // the last launch that was given it
};

static void look(void *arg, const struct hazard_entry *entry)
{
    struct choice *choice = arg;
    const struct order_point *point = (const struct order_point *)entry->point;
    if (order_is_past(choice->order, entry->point)) {
        return;
    }
    choice->depth = point->depth > choice->depth ? point->depth : choice->depth;
    int i = 0;
    while (i < choice->count && choice->wanted[i].stream != entry->point->stream) {
        i++;
    }
    if (i == choice->count) {
        if (i == MOST_WANTED) {
            return;
        }
        choice->wanted[choice->count++] = (struct wanted){.stream = entry->point->stream};
    }
    struct wanted *wanted = &choice->wanted[i];
    if (point->base.number >= wanted->number) {
        wanted->is_for_writing = choice->writes || (wanted->is_for_writing && point->base.number == wanted->number);
        wanted->number = point->base.number;
    }
}

static struct candidate make_candidate(const struct choice *choice, struct stream *stream)
{
    struct order_stream *own = stream->order;
    struct candidate candidate = {.stream = stream, .wait_count = choice->count};
    if (own == NULL) {
        return candidate;
    }
    candidate.used = own->used;
    candidate.depth = choice->order->context->backend->stream_is_quiet(stream->queue) ? 0 : own->depth;
    candidate.wait_count = 0;
    for (int i = 0; i < choice->count; i++) {
        const struct wanted *wanted = &choice->wanted[i];
        bool is_tail = wanted->stream == own && wanted->number == own->number;
        candidate.is_tail |= is_tail;
        candidate.is_owner |= is_tail && wanted->is_for_writing;
        candidate.wait_count += wanted->stream != own && !order_knows(own, wanted->stream, wanted->number);
    }
    return candidate;
}

// Behind what is followed if nothing comes between, the deepest of it: the others will have run. Else, among those that
// are ready in time, where the fewest waits are needed; else where the work is the least deep.
static bool is_better(const struct choice *choice, const struct candidate *a, const struct candidate *b)
{
    if (a->is_tail != b->is_tail) {
        return a->is_tail;
    }
    bool is_in_time = a->depth <= choice->depth;
    if (is_in_time != (b->depth <= choice->depth)) {
        return is_in_time;
    }
    if (a->is_tail && a->depth != b->depth) {
        return a->depth > b->depth;
    }
    if (is_in_time && a->wait_count != b->wait_count) {
        return a->wait_count < b->wait_count;
    }
    if (a->is_owner != b->is_owner) {
        return a->is_owner;
    }
    if (a->depth != b->depth) {
        return a->depth < b->depth;
    }
    return a->used < b->used;
}

static struct candidate find_best(const struct choice *choice)
{
    const struct order *order = choice->order;
    struct candidate best = {.stream = NULL};
    for (int i = 0; i < order->any_count; i++) {
        struct candidate candidate = make_candidate(choice, order->any[i]);
        best = best.stream == NULL || is_better(choice, &candidate, &best) ? candidate : best;
    }
    return best;
}

// Whether the stream should have had nothing to do for long, and has. It may do what takes as long as all that the
// others have done, and counts as such.
static bool is_late(const struct order *order, const struct candidate *candidate)
{
    struct stream *stream = candidate->stream;
    if (candidate->is_tail || candidate->depth == 0 || candidate->depth + MOST_APART >= order->depth ||
        order->context->backend->stream_is_idle(stream->queue)) {
        return false;
    }
    stream->order->depth = order->depth;
    return true;
}

// One more stream. NULL: there are many, or there can be no more.
static rill_status add_stream(struct order *order, struct stream **out)
{
    *out = NULL;
    if (order->any_count == ORDER_ANY_STREAMS) {
        return RILL_OK;
    }
    rill_status status = stream_make(order->context, "rill_launch", &(struct stream_origin){.priority = 0}, out);
    if (status == RILL_OK) {
        order->any[order->any_count++] = *out;
    }
    return status == RILL_OK || order->any_count > 0 ? RILL_OK : status;
}

static rill_status pick(struct order *order, const struct hazard_access *accesses, int count, struct stream **out)
{
    struct choice choice = {.order = order};
    order->pick_count++;
    for (int i = 0; i < count; i++) {
        choice.writes = accesses[i].kind != HAZARD_READ;
        hazard_find(&order->table, &accesses[i], NULL, look, &choice);
    }
    struct candidate best = find_best(&choice);
    while (best.stream != NULL && is_late(order, &best)) {
        best = find_best(&choice);
    }
    *out = NULL;
    if (best.stream == NULL || (!best.is_tail && best.depth > 0)) {
        RILL_TRY(add_stream(order, out));
    }
    *out = *out != NULL ? *out : best.stream;
    return RILL_OK;
}

rill_status order_pick(struct context *context, const struct hazard_access *accesses, int count, rill_stream *out)
{
    struct order *order = context->order;
    if (order == NULL || order->is_check) {
        return status_fail(RILL_ERR_INVALID,
                           "rill_launch: RILL_ANY wants a context that orders its streams: open it with "
                           "rill_open_options.order = RILL_ORDER_AUTO, or name a stream");
    }
    struct stream *stream = NULL;
    thread_lock(&order->lock);
    rill_status status = pick(order, accesses, count, &stream);
    if (status == RILL_OK) {
        if (LIKELY(stream->order != NULL)) {
            stream->order->used = order->pick_count;
        }
        out->id = stream->id;
    }
    thread_unlock(&order->lock);
    return status;
}

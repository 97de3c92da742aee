#include "runtime/order_parts.h"

#include "base/hot.h"
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/footprint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WANTS = 8,
    LEAST_UNNEEDED = 8,   // events that nobody waits for, before they are left out
    MOST_UNNEEDED = 4096, //
    MOST_UNRECORDED = 64  // points in a row
};

static _Thread_local bool has_asked; // a launch of this thread would have waited for room

// ---- modes --------------------------------------------------------------------------------------------------------

rill_status order_find_mode(rill_order wanted, rill_order *out_mode)
{
    static const char *const words[] = {
        [RILL_ORDER_MANUAL] = "manual", [RILL_ORDER_AUTO] = "auto", [RILL_ORDER_CHECK] = "check"};
    const char *text = getenv("RILL_ORDER");
    *out_mode = wanted;
    if (text == NULL || *text == '\0') {
        return (int)wanted >= 0 && (int)wanted <= RILL_ORDER_CHECK
                   ? RILL_OK
                   : status_fail(RILL_ERR_INVALID, "there is no order %d", (int)wanted);
    }
    for (int i = 0; i <= RILL_ORDER_CHECK; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out_mode = (rill_order)i;
            return RILL_OK;
        }
    }
    return status_fail(RILL_ERR_INVALID, "RILL_ORDER is '%s'; it may be manual, auto or check", text);
}

// ---- streams ------------------------------------------------------------------------------------------------------

struct order_stream *order_add_stream(struct order *order, struct backend_stream *queue)
{
    struct order_stream *own = context_alloc(order->context, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->queue = queue;
    own->serial = ++order->serial;
    own->next = order->streams;
    if (own->next != NULL) {
        own->next->previous = own;
    }
    order->streams = own;
    return own;
}

static void set_blind(struct order *order, struct order_stream *own, uint64_t number)
{
    order->blind_count += (size_t)(number != 0) - (size_t)(own->blind != 0);
    own->blind = number;
}

static void free_stream(struct order *order, struct order_stream *own)
{
    if (own->previous != NULL) {
        own->previous->next = own->next;
    } else {
        order->streams = own->next;
    }
    if (own->next != NULL) {
        own->next->previous = own->previous;
    }
    set_blind(order, own, 0);
    order_check_stream_gone(order, own);
    order_clock_finish(order->context, &own->clock);
    order->context->backend->event_destroy(own->last);
    context_free(order->context, own, sizeof *own);
}

static void free_if_unused(struct order *order, struct order_stream *own)
{
    if (own->queue == NULL && own != order->program && own->point_count == 0 && own->blind == 0) {
        free_stream(order, own);
    }
}

// All of its work that was queued until now.
static bool is_over(const struct order *order, const struct order_stream *own)
{
    const struct backend *backend = order->context->backend;
    return own->queue != NULL ? backend->stream_is_idle(own->queue)
                              : own->last == NULL || backend->event_is_reached(own->last);
}

// Work that has run and failed still has to be followed: whoever does gets the error.
static bool has_failed(const struct order *order, const struct order_stream *own)
{
    struct backend_error error;
    return own->queue != NULL && order->context->backend->stream_error(own->queue, &error);
}

// Whether the point is known to have passed, without an error. Nobody is asked: on a GPU a question costs as much as
// the wait that it might save.
bool order_is_past(struct order *order, const struct hazard_point *base)
{
    const struct backend *backend = order->context->backend;
    const struct order_point *point = (const struct order_point *)base;
    struct order_stream *own = base->stream;
    if (own->passed >= base->number) {
        return true;
    }
    bool is_past = point->is_recorded   ? backend->event_is_past(point->event, own->queue)
                   : own->queue != NULL ? backend->stream_is_quiet(own->queue)
                                        : own->last == NULL || backend->event_is_past(own->last, NULL);
    if (is_past) {
        own->passed = point->is_recorded ? base->number : own->number;
    }
    return is_past;
}

// The same for a sweep, which asks: of each stream only as often as it takes to find how far it is.
static bool has_passed(void *arg, const struct hazard_point *base)
{
    struct order *order = arg;
    const struct order_point *point = (const struct order_point *)base;
    struct order_stream *own = base->stream;
    if (order->is_check) {
        return order_check_has_passed(order, base);
    }
    if (own->swept != order->sweep_count) {
        own->swept = order->sweep_count;
        own->unreached = UINT64_MAX;
        own->is_busy = false;
    }
    if (order_is_past(order, base)) {
        return true;
    }
    if (point->is_recorded ? base->number >= own->unreached : own->is_busy) {
        return false;
    }
    bool is_behind = point->is_recorded ? order->context->backend->event_is_reached(point->event) : is_over(order, own);
    if (!is_behind || has_failed(order, own)) {
        own->unreached = point->is_recorded ? base->number : own->unreached;
        own->is_busy = own->is_busy || !point->is_recorded;
        return false;
    }
    own->passed = point->is_recorded ? base->number : own->number;
    return true;
}

static void forget_locked(struct order *order);

struct order_stream *order_stream_of(struct stream *stream)
{
    if (stream->order == NULL) {
        stream->order = order_add_stream(stream->context->order, stream->queue);
    }
    return stream->order;
}

// ---- points -------------------------------------------------------------------------------------------------------

static void release_point(void *user, struct hazard_point *base)
{
    struct order *order = user;
    struct order_point *point = (struct order_point *)base;
    struct order_stream *own = base->stream;
    assert(own->point_count > 0);
    own->point_count--;
    own->tail = own->tail != point ? own->tail : NULL;
    order_origin_free(order, point->origin);
    point->origin = NULL;
    point->next = order->free_points;
    order->free_points = point;
    free_if_unused(order, own);
}

// A point for work that is about to be queued, with one reference. NULL: no memory.
struct order_point *order_take_point(struct order *order, struct order_stream *own)
{
    struct order_point *point = order->free_points;
    if (point != NULL) {
        order->free_points = point->next;
    } else {
        point = context_alloc(order->context, sizeof *point);
        if (point == NULL) {
            return NULL;
        }
    }
    point->base = (struct hazard_point){.stream = own, .reference_count = 1};
    point->habit = NULL;
    point->is_recorded = false;
    own->point_count++;
    return point;
}

static bool record_point(struct order *order, struct order_stream *own, struct order_point *point)
{
    const struct backend *backend = order->context->backend;
    if (point->event == NULL && backend->event_create(order->context->device, false, &point->event) != RILL_OK) {
        point->event = NULL;
        return false;
    }
    point->is_recorded = backend->event_record(point->event, own->queue) == RILL_OK;
    return point->is_recorded;
}

static struct order_habit *habit_of(struct order_stream *own, const void *kind)
{
    struct order_habit *habit = &own->habits[((uintptr_t)kind >> 4) * 0x9e3779b97f4a7c15u >> 60];
    if (habit->of != kind) {
        *habit = (struct order_habit){.of = kind, .limit = LEAST_UNNEEDED};
    }
    return habit;
}

// Whether the place is to be recorded although nobody has asked for it. Once in a while it is, so that what has run is
// seen to have run on a stream that is never idle.
static bool wants_record(const struct order_stream *own, struct order_habit *habit)
{
    if (habit->unneeded < habit->limit) {
        habit->unneeded++;
        return true;
    }
    return own->number - own->recorded >= MOST_UNRECORDED;
}

// Marks the place behind what was just queued. As long as there is but one stream nobody can ask for it.
static void mark_point(struct order *order, const struct order_use *use, struct order_stream *own)
{
    struct order_point *point = use->point;
    point->base.number = ++own->number;
    own->depth = (use->depth > own->depth ? use->depth : own->depth) + 1;
    point->depth = own->depth;
    order->depth = own->depth > order->depth ? own->depth : order->depth;
    own->tail = point;
    if (order->is_check || atomic_load_explicit(&order->context->stream_count, memory_order_relaxed) < 2) {
        return;
    }
    memcpy(point->known, own->known, sizeof point->known); // else it is never recorded, and nobody asks
    // A stream of others may be captured by the time that somebody asks.
    point->habit = use->stream->is_wrapped ? NULL : habit_of(own, use->kind);
    if ((point->habit == NULL || wants_record(own, point->habit)) && record_point(order, own, point)) {
        own->recorded = own->number;
    }
}

void order_keep_place(struct stream *stream)
{
    struct order *order = stream->context->order;
    if (order->is_check || stream->is_wrapped) {
        return;
    }
    thread_lock(&order->lock);
    struct order_stream *own = stream->order;
    if (own != NULL && own->tail != NULL && own->tail->habit != NULL && !own->tail->is_recorded) {
        record_point(order, own, own->tail);
    }
    thread_unlock(&order->lock);
}

// ---- waiting ------------------------------------------------------------------------------------------------------

struct wants {
    struct order *order;
    struct order_stream *own;
    struct order_use *use;
    const struct hazard_access *access;     // that is looked at now
    struct order_point *points[MOST_WANTS]; // of each stream the last that is wanted
    int count;
    rill_status status; // the first failure
};

static struct order_time *place_of(struct order_stream *own, const struct order_stream *other)
{
    return &own->known[other->serial % ORDER_KNOWN_STREAMS];
}

bool order_knows(struct order_stream *own, const struct order_stream *other, uint64_t number)
{
    const struct order_time *known = place_of(own, other);
    return known->stream == other->serial && known->number >= number;
}

// What comes behind something on |other| also comes behind all that this had to follow.
static void learn(struct order_stream *own, const struct order_time *known)
{
    for (int i = 0; i < ORDER_KNOWN_STREAMS; i++) {
        struct order_time *place = &own->known[i];
        bool is_news = place->stream == known[i].stream ? place->number < known[i].number : place->stream == 0;
        if (is_news && known[i].stream != own->serial) {
            *place = known[i];
        }
    }
}

static rill_status wait_for_all(struct order *order, struct order_stream *own, struct order_stream *other)
{
    const struct backend *backend = order->context->backend;
    if (other->queue != NULL) {
        return backend->stream_wait(own->queue, other->queue);
    }
    return other->last != NULL ? backend->event_wait(other->last, own->queue) : RILL_OK;
}

// Sees to it that the wait is for the point and not for what comes behind it. Where it was not recorded and is not the
// last of its stream that is too late, and the next of its kind are recorded at once.
static void find_place(struct order *order, struct order_stream *other, struct order_point *point)
{
    bool is_last = point->base.number == other->number;
    if (point->habit == NULL) {
        return;
    }
    if (!point->is_recorded && is_last && other->queue != NULL) {
        record_point(order, other, point);
    }
    if (!is_last) {
        point->habit->unneeded = 0;
        point->habit->limit *= point->is_recorded || point->habit->limit >= MOST_UNNEEDED ? 1 : 2;
    }
}

static void wait_for(struct wants *wants, struct order_point *point)
{
    struct order *order = wants->order;
    struct order_stream *other = point->base.stream;
    if (wants->status != RILL_OK || order_knows(wants->own, other, point->base.number)) {
        return;
    }
    find_place(order, other, point);
    wants->status = point->is_recorded ? order->context->backend->event_wait(point->event, wants->own->queue)
                                       : wait_for_all(order, wants->own, other);
    if (wants->status == RILL_OK) {
        order->wait_count++;
        *place_of(wants->own, other) =
            (struct order_time){other->serial, point->is_recorded ? point->base.number : other->number};
        learn(wants->own, point->is_recorded ? point->known : other->known);
    }
}

static void want(void *arg, const struct hazard_entry *entry)
{
    struct wants *wants = arg;
    struct order_point *point = (struct order_point *)entry->point;
    struct order_stream *other = point->base.stream;
    if (order_is_past(wants->order, &point->base)) {
        return;
    }
    wants->use->depth = point->depth > wants->use->depth ? point->depth : wants->use->depth;
    if (order_knows(wants->own, other, point->base.number)) {
        return;
    }
    if (UNLIKELY(wants->order->is_explained)) {
        order_check_explain(wants->order, wants->use, wants->access, entry);
    }
    for (int i = 0; i < wants->count; i++) {
        if (wants->points[i]->base.stream == other) {
            bool is_later = point->base.number > wants->points[i]->base.number;
            wants->points[i] = is_later ? point : wants->points[i];
            return;
        }
    }
    if (wants->count == MOST_WANTS) {
        wait_for(wants, wants->points[--wants->count]);
    }
    wants->points[wants->count++] = point;
}

// Streams of which not everything is known, for want of memory.
static __attribute__((noinline, cold)) void wait_for_blind(struct wants *wants)
{
    struct order *order = wants->order;
    for (struct order_stream *other = order->streams; other != NULL;) {
        struct order_stream *next = other->next;
        if (other->blind != 0 && is_over(order, other) && !has_failed(order, other)) {
            set_blind(order, other, 0);
            free_if_unused(order, other);
        } else if (other->blind != 0 && other != wants->own && !order_knows(wants->own, other, other->blind)) {
            struct order_point all = {.base = {.stream = other, .number = other->blind}};
            wait_for(wants, &all);
        }
        other = next;
    }
}

// What comes before another of them is not as deep, and is known once that is waited for.
static struct order_point *take_deepest(struct wants *wants)
{
    int deepest = 0;
    for (int i = 1; i < wants->count; i++) {
        deepest = wants->points[i]->depth > wants->points[deepest]->depth ? i : deepest;
    }
    struct order_point *point = wants->points[deepest];
    wants->points[deepest] = wants->points[--wants->count];
    return point;
}

static rill_status make_wait(struct order *order, struct order_stream *own, struct order_use *use)
{
    struct wants wants = {.order = order, .own = own, .use = use, .status = RILL_OK};
    for (int i = 0; i < use->count; i++) {
        wants.access = &use->accesses[i];
        hazard_find(&order->table, &use->accesses[i], own, want, &wants);
    }
    if (UNLIKELY(order->blind_count > 0)) {
        wait_for_blind(&wants);
    }
    while (wants.count > 0) {
        wait_for(&wants, take_deepest(&wants));
    }
    return wants.status;
}

// ---- queueing -----------------------------------------------------------------------------------------------------

// What is captured into a graph of others does not run now. How others order their streams nobody can check.
static bool takes_part(const struct stream *stream)
{
    if (stream->is_unordered || (stream->is_wrapped && stream->context->order->is_check)) {
        return false;
    }
    return !stream->is_wrapped || stream->context->backend->stream_may_wait(stream->queue, false) == RILL_OK;
}

static rill_status begin_locked(struct order *order, struct order_use *use)
{
    struct order_stream *own = order_stream_of(use->stream);
    if (own == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the order of a stream");
    }
    if (order->is_check) {
        order_check_begin(order, own, use);
    } else {
        RILL_TRY(make_wait(order, own, use));
    }
    use->point = order_take_point(order, own);
    if (use->point == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the order of a launch");
    }
    use->point->origin = use->origin;
    return RILL_OK;
}

rill_status order_begin(struct order_use *use, const struct order_work *work, struct stream *stream)
{
    struct order *order = stream->context->order;
    *use = (struct order_use){.order = order, .accesses = work->accesses, .count = work->count};
    use->kind = work->packed != NULL ? (const void *)work->packed->kernel : work->call;
    if (work->count == 0 || !takes_part(stream)) {
        return RILL_OK;
    }
    use->stream = stream;
    use->origin = order->is_check || order->is_explained ? order_origin_make(order, work, stream) : NULL;
    thread_lock(&order->lock);
    use->before = order->context->backend->device_enter(order->context->device);
    forget_locked(order);
    rill_status status = begin_locked(order, use);
    if (UNLIKELY(status != RILL_OK)) {
        order->context->backend->device_leave(order->context->device, use->before);
        thread_unlock(&order->lock);
        order_origin_free(order, use->origin);
    }
    return status;
}

void order_end(struct order_use *use)
{
    if (use->stream == NULL) {
        return;
    }
    struct order *order = use->order;
    struct order_stream *own = use->stream->order;
    mark_point(order, use, own);
    for (int i = 0; i < use->count; i++) {
        struct hazard_access access = use->accesses[i];
        access.number = i;
        if (UNLIKELY(!hazard_add(&order->table, &access, &use->point->base))) {
            set_blind(order, own, own->number);
        }
    }
    hazard_release(&order->table, &use->point->base);
    if (UNLIKELY(hazard_wants_sweep(&order->table))) {
        order->sweep_count++;
        hazard_sweep(&order->table, has_passed, order);
    }
    order->context->backend->device_leave(order->context->device, use->before);
    thread_unlock(&order->lock);
}

// ---- limits, copies -----------------------------------------------------------------------------------------------

bool order_must_not_wait(void)
{
    has_asked = true;
    return true;
}

void order_wait_for_room(struct stream *stream)
{
    if (UNLIKELY(has_asked)) {
        has_asked = false;
        if (!callback_is_running()) {
            stream->context->backend->stream_synchronize(stream->queue);
        }
    }
}

rill_status order_copy_slowly(const char *who, struct stream *stream, void *target, const void *source, size_t size,
                              enum backend_read read)
{
    struct hazard_access accesses[2];
    struct order_use use;
    struct order_work work = {.call = who, .accesses = accesses};
    work.count = footprint_of_bytes(&accesses[0], HAZARD_WRITE, target, size);
    if (read == BACKEND_READ_LATER) {
        work.count += footprint_of_bytes(&accesses[work.count], HAZARD_READ, source, size);
    }
    RILL_TRY(order_begin(&use, &work, stream));
    enum backend_read how = read == BACKEND_READ_NOW ? BACKEND_READ_AT_ONCE : read;
    rill_status status = stream->context->backend->copy(stream->queue, target, source, size, how);
    order_end(&use);
    return status;
}

rill_status order_fill_slowly(const char *who, struct stream *stream, void *target, size_t count, const void *element,
                              size_t size)
{
    struct hazard_access access;
    struct order_use use;
    struct order_work work = {.call = who, .accesses = &access};
    work.count = footprint_of_bytes(&access, HAZARD_WRITE, target, count * size);
    RILL_TRY(order_begin(&use, &work, stream));
    rill_status status = stream->context->backend->fill(stream->queue, target, count, element, size);
    order_end(&use);
    return status;
}

// ---- going --------------------------------------------------------------------------------------------------------

// A mark behind all of the stream's work, for those that would wait for its end.
static void keep_end(struct order *order, struct order_stream *own)
{
    const struct backend *backend = order->context->backend;
    if (order->is_check || (own->point_count == 0 && own->blind == 0) || backend->stream_is_idle(own->queue)) {
        return;
    }
    if (backend->event_create(order->context->device, false, &own->last) == RILL_OK &&
        backend->event_record(own->last, own->queue) == RILL_OK) {
        return;
    }
    // There is no memory for a mark. Waiting is the one safe way that needs none.
    backend->event_destroy(own->last);
    own->last = NULL;
    backend->stream_synchronize(own->queue);
}

void order_leave(struct stream *stream)
{
    struct order *order = stream->context->order;
    thread_lock(&order->lock);
    keep_end(order, stream->order);
    stream->order->queue = NULL;
    free_if_unused(order, stream->order);
    stream->order = NULL;
    thread_unlock(&order->lock);
}

void order_forget(struct order *order, struct memory *memory)
{
    memory->next_forgotten = atomic_load_explicit(&order->forgotten, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&order->forgotten, &memory->next_forgotten, memory,
                                                  memory_order_release, memory_order_relaxed)) {
    }
}

// Others may wrap the same memory: what wraps it says nothing of those. Where order is only checked that is put up
// with, as the program may have used the memory for something else meanwhile.
static void forget_all(struct order *order, struct memory *memory)
{
    while (memory != NULL) {
        struct memory *next = memory->next_forgotten;
        uint64_t low = (uint64_t)(uintptr_t)memory->address;
        if (!memory->is_wrapped || order->is_check) {
            hazard_forget(&order->table, low, low + memory->size);
            order_check_forget(order, low, low + memory->size);
        }
        context_free(order->context, memory, sizeof *memory);
        memory = next;
    }
}

static void forget_locked(struct order *order)
{
    if (UNLIKELY(atomic_load_explicit(&order->forgotten, memory_order_relaxed) != NULL)) {
        forget_all(order, atomic_exchange_explicit(&order->forgotten, NULL, memory_order_acquire));
    }
}

void order_forget_now(struct order *order)
{
    if (atomic_load_explicit(&order->forgotten, memory_order_relaxed) != NULL) {
        thread_lock(&order->lock);
        forget_locked(order);
        thread_unlock(&order->lock);
    }
}

uint64_t order_wait_count(struct order *order)
{
    thread_lock(&order->lock);
    uint64_t count = order->wait_count;
    thread_unlock(&order->lock);
    return count;
}

// ---- opening, closing ---------------------------------------------------------------------------------------------

rill_status order_create(struct context *context, rill_order mode, const rill_open_options *options)
{
    struct order *order = context_alloc(context, sizeof *order);
    if (order == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the order of streams");
    }
    order->context = context;
    order->is_check = mode == RILL_ORDER_CHECK;
    order->is_explained = !order->is_check && (context->has_notes || context->is_traced);
    order->report = options->conflict;
    order->report_user = options->conflict_user;
    order->fails = options->conflict_fails;
    order->only_certain = options->only_certain_conflicts;
    thread_mutex_init(&order->lock);
    hazard_init(&order->table, context);
    order->table.release = release_point;
    order->table.user = order;
    context->order = order;
    return RILL_OK;
}

void order_destroy(struct order *order)
{
    if (order == NULL) {
        return;
    }
    struct context *context = order->context;
    forget_locked(order);
    hazard_finish(&order->table);
    order_check_finish(order);
    while (order->streams != NULL) {
        free_stream(order, order->streams);
    }
    while (order->free_points != NULL) {
        struct order_point *point = order->free_points;
        order->free_points = point->next;
        context->backend->event_destroy(point->event);
        context_free(context, point, sizeof *point);
    }
    thread_mutex_finish(&order->lock);
    context->order = NULL;
    context_free(context, order, sizeof *order);
}

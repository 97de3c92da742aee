// Checks the order that a program gives its streams: each has a vector clock, which its events carry to others, and so
// has the program itself, by what it has waited for. Two pieces of work that conflict, of which the later one's stream
// does not know the earlier one, are reported: whatever the two did this time.
#include "runtime/order_parts.h"

#include "base/hash.h"
#include "base/hot.h"
#include "base/status.h"
#include "runtime/array.h"
#include "runtime/event.h"
#include "runtime/footprint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_SEEN = 64, LEAST_LABELS = 16 };

// What an access is one of.
struct order_name {
    char text[ORDER_NAME];
    uint64_t base;   // from which its bytes are counted
    char bound[160]; // why the range is only a bound of what is touched; "": it is none, or that is not known
};

// Where work comes from. Copies, as what they come from may be gone.
struct order_origin {
    const char *call;
    char kernel[64];
    char place[128];
    char stream[ORDER_NAME];
    int count;
    struct order_name names[]; // of the accesses; hazard_access.what says which
};

// ---- origins ------------------------------------------------------------------------------------------------------

static size_t origin_size(int count)
{
    return sizeof(struct order_origin) + (size_t)count * sizeof(struct order_name);
}

void order_origin_free(struct order *order, struct order_origin *origin)
{
    if (origin != NULL) {
        context_free(order->context, origin, origin_size(origin->count));
    }
}

static const char *field_name(const struct packed_args *packed, int what)
{
    return packed->kernel->module->plan->fields[what - FOOTPRINT_FIELD].name;
}

// Of one of the effects that the access stands for.
static void name_bound(const struct packed_args *packed, const struct hazard_access *access, char *out, size_t size)
{
    const struct kernel *kernel = packed->kernel;
    for (int i = 0; i < kernel->footprint_count; i++) {
        const struct footprint_rule *rule = &kernel->footprint[i];
        const struct plan_effect *effect = rule->effect;
        if (rule->access.what == access->what && rule->access.kind == access->kind && effect->bound != NULL) {
            snprintf(out, size, "%s:%u: %s", plan_file(kernel->module->plan, effect->bound_loc.file),
                     effect->bound_loc.line, effect->bound);
            return;
        }
    }
}

static void name_access(const struct order_work *work, int index, struct order_name *out)
{
    const struct hazard_access *access = &work->accesses[index];
    const struct packed_args *packed = work->packed;
    bool is_param = packed != NULL && access->what >= 0 && access->what < packed->count;
    out->base = access->span.low;
    if (is_param) {
        memcpy(&out->base, packed->buffer + packed->kernel->plan->params[access->what].offset, sizeof out->base);
    } else if (packed != NULL && access->what >= FOOTPRINT_FIELD) {
        const struct module *module = packed->kernel->module;
        int field = access->what - FOOTPRINT_FIELD;
        out->base = (uint64_t)(uintptr_t)module->context->backend->image_field(module->image, field);
    }
    const char *text = is_param                           ? packed->kernel->plan->params[access->what].name
                       : packed == NULL                   ? "memory"
                       : access->what >= FOOTPRINT_FIELD  ? field_name(packed, access->what)
                       : access->what == FOOTPRINT_RESULT ? "the result"
                       : access->span.high == UINT64_MAX  ? "memory by a pointer"
                                                          : "memory of the host";
    snprintf(out->text, sizeof out->text, "%s", text);
    out->bound[0] = '\0';
    if (packed != NULL && !access->is_certain) {
        name_bound(packed, access, out->bound, sizeof out->bound);
    }
}

static void name_stream(struct stream *stream, char *out, size_t size)
{
    struct context *context = stream->context;
    thread_lock(&context->lock);
    if (stream->label[0] != '\0') {
        snprintf(out, size, "%s", stream->label);
    } else if (stream->id == context->default_stream) {
        snprintf(out, size, "the default stream");
    } else {
        snprintf(out, size, "stream %" PRIu64, stream->number);
    }
    thread_unlock(&context->lock);
}

struct order_origin *order_origin_make(struct order *order, const struct order_work *work, struct stream *stream)
{
    struct order_origin *origin = context_alloc(order->context, origin_size(work->count));
    if (origin == NULL) {
        return NULL; // the report has fewer words
    }
    origin->call = work->call;
    origin->count = work->count;
    snprintf(origin->kernel, sizeof origin->kernel, "%s", work->packed != NULL ? work->packed->kernel->plan->name : "");
    snprintf(origin->place, sizeof origin->place, "%s", work->place != NULL ? work->place : "");
    if (stream != NULL) {
        name_stream(stream, origin->stream, sizeof origin->stream);
    } else {
        snprintf(origin->stream, sizeof origin->stream, "the program");
    }
    for (int i = 0; i < work->count; i++) {
        name_access(work, i, &origin->names[i]);
    }
    return origin;
}

// ---- labels -------------------------------------------------------------------------------------------------------

// The smallest labelled array that the bytes lie in.
static const struct order_label *find_label(const struct order *order, const struct plan_span *span)
{
    const struct order_label *best = NULL;
    for (size_t i = 0; i < order->label_count; i++) {
        const struct order_label *label = &order->labels[i];
        bool is_inside = label->low <= span->low && span->high <= label->high;
        if (is_inside && (best == NULL || label->high - label->low < best->high - best->low)) {
            best = label;
        }
    }
    return best;
}

static struct order_label *take_label(struct order *order, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < order->label_count; i++) {
        if (order->labels[i].low == low && order->labels[i].high == high) {
            return &order->labels[i];
        }
    }
    if (order->label_count == order->label_capacity) {
        size_t capacity = order->label_capacity > 0 ? 2 * order->label_capacity : LEAST_LABELS;
        struct order_label *labels = context_alloc(order->context, capacity * sizeof *labels);
        if (labels == NULL) {
            return NULL;
        }
        if (order->label_count > 0) {
            memcpy(labels, order->labels, order->label_count * sizeof *labels);
        }
        context_free(order->context, order->labels, order->label_capacity * sizeof *labels);
        order->labels = labels;
        order->label_capacity = capacity;
    }
    return &order->labels[order->label_count++];
}

void order_label_array(struct order *order, const void *address, size_t size, const char *text)
{
    if (!order->is_check || size == 0) {
        return;
    }
    uint64_t low = (uint64_t)(uintptr_t)address;
    thread_lock(&order->lock);
    struct order_label *label = take_label(order, low, low + size);
    if (label != NULL) { // else the report has the parameter's name
        *label = (struct order_label){.low = low, .high = low + size};
        snprintf(label->text, sizeof label->text, "%s", text);
    }
    thread_unlock(&order->lock);
}

void order_check_forget(struct order *order, uint64_t low, uint64_t high)
{
    for (size_t i = order->label_count; i > 0; i--) {
        if (order->labels[i - 1].low >= low && order->labels[i - 1].high <= high) {
            order->labels[i - 1] = order->labels[--order->label_count];
        }
    }
}

// ---- reports ------------------------------------------------------------------------------------------------------

// One of the two accesses of a conflict, in words.
struct side {
    const struct order_origin *origin; // NULL: there was no memory for one
    const struct hazard_access *access;
    char array[ORDER_NAME];
    const char *bound; // why its range is only a bound; "": it is none, or that is not known
    uint64_t low;      // bytes of the array
    uint64_t high;
};

static struct side side_of(const struct order *order, const struct order_origin *origin,
                           const struct hazard_access *access, int index)
{
    struct side side = {.origin = origin, .access = access, .bound = ""};
    uint64_t base = access->span.low;
    snprintf(side.array, sizeof side.array, "memory");
    if (origin != NULL && index < origin->count) {
        base = origin->names[index].base;
        side.bound = origin->names[index].bound;
        snprintf(side.array, sizeof side.array, "%s", origin->names[index].text);
    }
    const struct order_label *label = find_label(order, &access->span);
    if (label != NULL) {
        base = label->low;
        snprintf(side.array, sizeof side.array, "%s", label->text);
    }
    bool is_behind = base <= access->span.low;
    side.low = access->span.low - (is_behind ? base : 0);
    side.high = access->span.high == UINT64_MAX ? UINT64_MAX : access->span.high - (is_behind ? base : 0);
    return side;
}

static const char *verb_of(const struct side *side, bool is_certain)
{
    static const char *const does[] = {"reads", "writes", "updates"};
    static const char *const may[] = {"may read", "may write", "may update"};
    return (is_certain ? does : may)[side->access->kind];
}

static bool is_dense(const struct hazard_access *access)
{
    return access->span.step == 0 || access->span.step <= (uint64_t)access->span.width;
}

// Both touch every byte of their regions, and these have bytes in common.
static bool is_certain(const struct hazard_access *a, const struct hazard_access *b)
{
    bool is_one = a->span.low == b->span.low && a->span.high == b->span.high && a->span.step == b->span.step;
    return a->is_certain && b->is_certain && (is_one || (is_dense(a) && is_dense(b)));
}

static const char *place_of(const struct side *side)
{
    return side->origin != NULL ? side->origin->place : "";
}

static const char *stream_of(const struct side *side)
{
    return side->origin != NULL ? side->origin->stream : "a stream";
}

static void describe_side(const struct side *side, bool certain, char *out, size_t size)
{
    const char *kernel = side->origin != NULL ? side->origin->kernel : "";
    const char *call = side->origin != NULL ? side->origin->call : "work";
    char range[64] = "all of", bound[176] = "";
    if (!certain && side->bound[0] != '\0') {
        snprintf(bound, sizeof bound, " (%s)", side->bound);
    }
    if (side->high != UINT64_MAX) {
        snprintf(range, sizeof range, "bytes [%" PRIu64 ", %" PRIu64 ") of", side->low, side->high);
    }
    snprintf(out, size, "%s%s%s%s%s%s (%s) %s %s '%s'%s", kernel[0] != '\0' ? "kernel '" : call, kernel,
             kernel[0] != '\0' ? "'" : "", place_of(side)[0] != '\0' ? ", " : "", place_of(side),
             place_of(side)[0] != '\0' ? "," : "", stream_of(side), verb_of(side, certain), range, side->array, bound);
}

static rill_conflict_side public_side(const struct side *side)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    return (rill_conflict_side){.call = side->origin != NULL ? side->origin->call : "",
                                .kernel_name = side->origin != NULL ? side->origin->kernel : "",
                                .place = place_of(side),
                                .stream = stream_of(side),
                                .access = verbs[side->access->kind],
                                .array = side->array,
                                .low = side->low,
                                .high = side->high};
}

static void describe(const struct side *first, const struct side *second, bool certain, char *out, size_t size)
{
    char one[560];
    char other[560];
    describe_side(first, certain, one, sizeof one);
    describe_side(second, certain, other, sizeof other);
    if (first->origin != NULL && second->origin != NULL && strcmp(second->origin->stream, "the program") == 0) {
        snprintf(out, size, "%s, and %s: nothing orders the two; wait for %s before", one, other, stream_of(first));
        return;
    }
    if (first->origin != NULL && strcmp(first->origin->stream, "the program") == 0) {
        snprintf(out, size, "%s, and %s: nothing orders the two; queue the second after rill_host_access_end()", one,
                 other);
        return;
    }
    snprintf(out, size,
             "%s, and %s: nothing orders the two; write rill_event_record(event, %s) behind %s and "
             "rill_event_wait(event, %s) before %s",
             one, other, stream_of(first), place_of(first)[0] != '\0' ? place_of(first) : "the first",
             stream_of(second), place_of(second)[0] != '\0' ? place_of(second) : "the second");
}

static uint64_t hash_side(uint64_t hash, const struct side *side)
{
    if (side->origin == NULL) {
        return hash;
    }
    const struct order_origin *origin = side->origin;
    hash = hash_bytes(hash, origin->call, strlen(origin->call) + 1);
    hash = hash_bytes(hash, origin->kernel, strlen(origin->kernel) + 1);
    hash = hash_bytes(hash, origin->place, strlen(origin->place) + 1);
    // Without a place, the streams and the array have to tell one from the other.
    if (origin->place[0] == '\0') {
        hash = hash_bytes(hash, origin->stream, strlen(origin->stream) + 1);
        hash = hash_bytes(hash, side->array, strlen(side->array) + 1);
    }
    return hash;
}

static bool grow_seen(struct order *order)
{
    size_t capacity = order->seen_capacity > 0 ? 2 * order->seen_capacity : LEAST_SEEN;
    uint64_t *seen = context_alloc(order->context, capacity * sizeof *seen);
    if (seen == NULL) {
        return false;
    }
    for (size_t i = 0; i < order->seen_capacity; i++) {
        if (order->seen[i] != 0) {
            size_t at = order->seen[i] & (capacity - 1);
            while (seen[at] != 0) {
                at = (at + 1) & (capacity - 1);
            }
            seen[at] = order->seen[i];
        }
    }
    context_free(order->context, order->seen, order->seen_capacity * sizeof *seen);
    order->seen = seen;
    order->seen_capacity = capacity;
    return true;
}

// True: the pair was not there. Without memory it is reported again rather than not at all.
static bool is_new(struct order *order, uint64_t pair)
{
    pair = pair != 0 ? pair : 1;
    if (2 * order->seen_count >= order->seen_capacity && !grow_seen(order)) {
        return true;
    }
    size_t at = pair & (order->seen_capacity - 1);
    while (order->seen[at] != 0) {
        if (order->seen[at] == pair) {
            return false;
        }
        at = (at + 1) & (order->seen_capacity - 1);
    }
    order->seen[at] = pair;
    order->seen_count++;
    return true;
}

static void report(struct order *order, const struct side *first, const struct side *second)
{
    bool certain = is_certain(first->access, second->access);
    if ((order->only_certain && !certain) || !is_new(order, hash_side(hash_side(HASH_SEED, first), second))) {
        return;
    }
    char text[sizeof order->unreported];
    describe(first, second, certain, text, sizeof text);
    order->conflict_count++;
    context_log(order->context, RILL_LOG_WARNING, "%s", text);
    if (order->report != NULL) {
        rill_conflict conflict = {
            .first = public_side(first), .second = public_side(second), .is_certain = certain, .text = text};
        order->report(order->report_user, &conflict);
    }
    if (order->fails && !atomic_load_explicit(&order->has_unreported, memory_order_relaxed)) {
        memcpy(order->unreported, text, sizeof text);
        atomic_store_explicit(&order->has_unreported, true, memory_order_relaxed);
    }
}

rill_status order_take_conflict(struct order *order, const char *who)
{
    if (LIKELY(!atomic_load_explicit(&order->has_unreported, memory_order_relaxed))) {
        return RILL_OK;
    }
    thread_lock(&order->lock);
    rill_status status = RILL_OK;
    if (atomic_exchange(&order->has_unreported, false)) {
        status = status_fail(RILL_ERR_CONFLICT, "%s: %s", who, order->unreported);
    }
    thread_unlock(&order->lock);
    return status;
}

// ---- clocks -------------------------------------------------------------------------------------------------------

static void lose(struct order *order)
{
    if (!order->has_lost) {
        order->has_lost = true;
        context_log(order->context, RILL_LOG_WARNING,
                    "there was no memory for the order of streams: it is checked no longer");
    }
}

static void join(struct order *order, struct order_clock *clock, const struct order_clock *other)
{
    if (!order_clock_join(order->context, clock, other)) {
        lose(order);
    }
}

static void raise(struct order *order, struct order_clock *clock, const struct order_stream *stream)
{
    if (!order_clock_raise(order->context, clock, stream->serial, stream->number)) {
        lose(order);
    }
}

// Whatever the program does now comes after what it has waited for.
static void join_host(struct order *order, struct order_stream *own)
{
    if (own->host_version != order->host_version) {
        own->host_version = order->host_version;
        join(order, &own->clock, &order->host);
    }
}

bool order_check_has_passed(struct order *order, const struct hazard_point *point)
{
    const struct order_stream *own = point->stream;
    return order_clock_get(&order->host, own->serial) >= point->number;
}

void order_check_stream_gone(struct order *order, const struct order_stream *own)
{
    if (!order->is_check) {
        return;
    }
    order_clock_remove(&order->host, own->serial);
    for (struct order_stream *other = order->streams; other != NULL; other = other->next) {
        order_clock_remove(&other->clock, own->serial);
    }
}

struct look {
    struct order *order;
    const struct order_clock *clock; // of who asks
    const struct order_origin *origin;
    const struct hazard_access *access;
    int index;
};

static void look_at(void *arg, const struct hazard_entry *entry)
{
    const struct look *look = arg;
    const struct order_point *point = (const struct order_point *)entry->point;
    const struct order_stream *other = point->base.stream;
    if (look->order->has_lost || order_clock_get(look->clock, other->serial) >= point->base.number ||
        order_clock_get(&look->order->host, other->serial) >= point->base.number) {
        return;
    }
    struct side first = side_of(look->order, point->origin, &entry->access, entry->access.number);
    struct side second = side_of(look->order, look->origin, look->access, look->index);
    report(look->order, &first, &second);
}

void order_check_explain(struct order *order, const struct order_use *use, const struct hazard_access *access,
                         const struct hazard_entry *entry)
{
    const struct order_point *point = (const struct order_point *)entry->point;
    struct side first = side_of(order, point->origin, &entry->access, entry->access.number);
    struct side second = side_of(order, use->origin, access, (int)(access - use->accesses));
    if (!is_new(order, hash_side(hash_side(HASH_SEED, &first), &second))) {
        return;
    }
    char one[560];
    char other[560];
    describe_side(&first, first.access->is_certain, one, sizeof one);
    describe_side(&second, second.access->is_certain, other, sizeof other);
    context_log(order->context, RILL_LOG_NOTE, "%s: it waits, as %s", other, one);
}

void order_check_begin(struct order *order, struct order_stream *own, const struct order_use *use)
{
    join_host(order, own);
    for (int i = 0; i < use->count; i++) {
        struct look look = {order, &own->clock, use->origin, &use->accesses[i], i};
        hazard_find(&order->table, &use->accesses[i], own, look_at, &look);
    }
}

// ---- events, waits ------------------------------------------------------------------------------------------------

static void note_record(struct order *order, struct stream *stream, struct order_clock *clock)
{
    struct order_stream *own = order_stream_of(stream);
    clock->count = 0;
    if (own == NULL) {
        lose(order);
        return;
    }
    join(order, clock, &own->clock);
    raise(order, clock, own);
}

// A wait for what comes before anyway is no fault, but perhaps not what was meant.
static void note_vain_wait(struct order *order, struct stream *stream)
{
    char name[ORDER_NAME];
    name_stream(stream, name, sizeof name);
    uint64_t pair = hash_bytes(HASH_SEED, name, strlen(name));
    if (is_new(order, pair)) {
        context_log(order->context, RILL_LOG_NOTE,
                    "rill_event_wait: %s comes after the event's place in any case; the wait orders nothing", name);
    }
}

static void note_wait(struct order *order, struct stream *stream, const struct order_clock *clock)
{
    struct order_stream *own = order_stream_of(stream);
    if (own == NULL) {
        lose(order);
        return;
    }
    join_host(order, own);
    bool is_vain = true;
    for (size_t i = 0; i < clock->count && is_vain; i++) {
        uint64_t known =
            clock->items[i].stream == own->serial ? own->number : order_clock_get(&own->clock, clock->items[i].stream);
        is_vain = known >= clock->items[i].number;
    }
    if (is_vain) {
        note_vain_wait(order, stream);
    }
    join(order, &own->clock, clock);
}

rill_status order_queue_event(struct stream *stream, struct event *event, bool waits)
{
    const struct backend *backend = stream->context->backend;
    struct order *order = stream->context->order;
    if (!order->is_check) {
        if (waits) {
            order_keep_place(stream);
        }
        return waits ? backend->event_wait(event->place, stream->queue)
                     : backend->event_record(event->place, stream->queue);
    }
    thread_lock(&order->lock);
    rill_status status =
        waits ? backend->event_wait(event->place, stream->queue) : backend->event_record(event->place, stream->queue);
    if (status == RILL_OK && waits) {
        note_wait(order, stream, &event->clock);
    } else if (status == RILL_OK) {
        note_record(order, stream, &event->clock);
    }
    thread_unlock(&order->lock);
    return status;
}

rill_status order_queue_wait(struct stream *stream, struct stream *other)
{
    const struct backend *backend = stream->context->backend;
    struct order *order = stream->context->order;
    if (order == NULL || !order->is_check) {
        if (order != NULL) {
            order_keep_place(stream);
        }
        return backend->stream_wait(stream->queue, other->queue);
    }
    struct order_clock clock = {.count = 0};
    thread_lock(&order->lock);
    rill_status status = backend->stream_wait(stream->queue, other->queue);
    if (status == RILL_OK) {
        note_record(order, other, &clock);
        struct order_stream *own = order_stream_of(stream);
        if (own != NULL) {
            join(order, &own->clock, &clock);
        } else {
            lose(order);
        }
    }
    thread_unlock(&order->lock);
    order_clock_finish(order->context, &clock);
    return status;
}

// ---- the program --------------------------------------------------------------------------------------------------

static void host_joins(struct order *order, const struct order_clock *clock)
{
    join(order, &order->host, clock);
    order->host_version++;
}

void order_host_saw(struct stream *stream)
{
    struct order *order = stream->context->order;
    if (order->is_check) {
        thread_lock(&order->lock);
        if (stream->order != NULL) {
            raise(order, &order->host, stream->order);
            host_joins(order, &stream->order->clock);
        }
        thread_unlock(&order->lock);
    }
}

void order_host_saw_event(struct event *event)
{
    struct order *order = event->context->order;
    if (order->is_check) {
        thread_lock(&order->lock);
        host_joins(order, &event->clock);
        thread_unlock(&order->lock);
    }
}

void order_host_saw_all(struct order *order)
{
    if (order->is_check) {
        thread_lock(&order->lock);
        for (struct order_stream *own = order->streams; own != NULL; own = own->next) {
            if (own != order->program) {
                raise(order, &order->host, own);
            }
        }
        order->host_version++;
        thread_unlock(&order->lock);
    }
}

void order_note_place(struct stream *stream, struct order_clock *clock)
{
    struct order *order = stream->context->order;
    if (order->is_check) {
        thread_lock(&order->lock);
        note_record(order, stream, clock);
        thread_unlock(&order->lock);
    }
}

void order_host_saw_place(struct context *context, struct order_clock *clock)
{
    struct order *order = context->order;
    if (order->is_check) {
        thread_lock(&order->lock);
        host_joins(order, clock);
        thread_unlock(&order->lock);
    }
    order_clock_finish(context, clock);
}

static void add_host_access(struct order *order, const struct order_work *work)
{
    if (order->program == NULL) {
        order->program = order_add_stream(order, NULL);
    }
    struct order_point *point = order->program != NULL ? order_take_point(order, order->program) : NULL;
    if (point == NULL) {
        lose(order);
        return;
    }
    point->origin = order_origin_make(order, work, NULL);
    point->base.number = ++order->program->number;
    struct look look = {order, &order->host, point->origin, work->accesses, 0};
    hazard_find(&order->table, work->accesses, order->program, look_at, &look);
    if (!hazard_add(&order->table, work->accesses, &point->base)) {
        lose(order);
    }
    hazard_release(&order->table, &point->base);
}

void order_host_access(struct context *context, const void *memory, size_t size, bool writes)
{
    struct order *order = context->order;
    struct hazard_access access;
    struct order_work work = {.call = "rill_host_access_begin", .accesses = &access, .count = 1};
    if (order->is_check && footprint_of_bytes(&access, writes ? HAZARD_WRITE : HAZARD_READ, memory, size)) {
        thread_lock(&order->lock);
        add_host_access(order, &work);
        thread_unlock(&order->lock);
    }
}

void order_host_access_over(struct context *context, const void *memory)
{
    struct order *order = context->order;
    if (order->is_check) {
        thread_lock(&order->lock);
        if (order->program != NULL) {
            hazard_forget_first(&order->table, (uint64_t)(uintptr_t)memory, order->program);
        }
        thread_unlock(&order->lock);
    }
}

void order_check_finish(struct order *order)
{
    context_free(order->context, order->seen, order->seen_capacity * sizeof *order->seen);
    context_free(order->context, order->labels, order->label_capacity * sizeof *order->labels);
    order_clock_finish(order->context, &order->host);
}

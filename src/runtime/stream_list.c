// The streams of a context whose work may not have run yet, in the order of their age and by id. Whoever waits for all
// of them, or for those that used an array, visits them here: also one whose handle is stale and whose work still runs.
//
// Those that may be busy are in a second list, so that waiting for all takes no time for streams that only exist. A
// stream in it has the mark of base/handle.h: whoever pins it to queue something sees the mark with the pin, and puts
// the stream into the list if there is none. A walk takes out what has no work: unless it is pinned, which is known by
// the word that holds the mark, nobody can be about to queue anything without seeing that the mark is gone.
#include "runtime/scratch.h"
#include "runtime/stream.h"

#include <assert.h>

enum { LEAST_BUCKETS = 16 };

// So many streams may stay in the list of used ones without work: a program that waits after each launch has few, and
// they would come and go each time.
enum { IDLE_USED = 16 };

// ---- by id --------------------------------------------------------------------------------------------------------

static struct stream **bucket_of(struct context *context, uint64_t id)
{
    assert((context->bucket_count & (context->bucket_count - 1)) == 0 && context->bucket_count > 0);
    return &context->stream_buckets[(id * 0x9e3779b97f4a7c15u) >> 32 & (context->bucket_count - 1)];
}

static void index_add(struct stream *stream)
{
    struct stream **bucket = bucket_of(stream->context, stream->id);
    stream->bucket_next = *bucket;
    *bucket = stream;
}

static void index_remove(struct stream *stream)
{
    struct stream **link = bucket_of(stream->context, stream->id);
    while (*link != stream) {
        assert(*link != NULL); // it was added
        link = &(*link)->bucket_next;
    }
    *link = stream->bucket_next;
}

static struct stream *index_find(struct context *context, uint64_t id)
{
    struct stream *stream = context->bucket_count > 0 ? *bucket_of(context, id) : NULL;
    while (stream != NULL && stream->id != id) {
        stream = stream->bucket_next;
    }
    return stream;
}

// Makes the index as large as the list. The first one must be there; a larger one only makes it fast.
static bool index_grow(struct context *context)
{
    if (context->listed_count < context->bucket_count) {
        return true;
    }
    size_t count = context->bucket_count > 0 ? 2 * context->bucket_count : LEAST_BUCKETS;
    struct stream **buckets = context_alloc(context, count * sizeof *buckets);
    if (buckets == NULL) {
        return context->bucket_count > 0;
    }
    context_free(context, context->stream_buckets, context->bucket_count * sizeof *buckets);
    context->stream_buckets = buckets;
    context->bucket_count = count;
    for (struct stream *stream = context->streams; stream != NULL; stream = stream->next) {
        index_add(stream);
    }
    return true;
}

bool stream_is_listed(struct context *context, uint64_t id)
{
    return index_find(context, id) != NULL;
}

// ---- coming --------------------------------------------------------------------------------------------------------

bool stream_list_add(struct stream *stream)
{
    struct context *context = stream->context;
    thread_lock(&context->lock);
    bool has_room = index_grow(context);
    if (has_room) {
        stream->number = ++context->stream_number;
        stream->previous = context->last_stream;
        if (stream->previous != NULL) {
            stream->previous->next = stream;
        } else {
            context->streams = stream;
        }
        context->last_stream = stream;
        context->listed_count++;
        index_add(stream);
    }
    thread_unlock(&context->lock);
    return has_room;
}

void stream_list_finish(struct context *context)
{
    assert(context->streams == NULL && context->listed_count == 0);
    context_free(context, context->stream_buckets, context->bucket_count * sizeof *context->stream_buckets);
    context->stream_buckets = NULL;
    context->bucket_count = 0;
}

// ---- used ---------------------------------------------------------------------------------------------------------

// The context's lock is held here and below.
static void used_add(struct stream *stream)
{
    struct context *context = stream->context;
    assert(stream->use_number == 0);
    stream->use_number = ++context->use_number;
    stream->next_used = NULL;
    stream->previous_used = context->last_used;
    if (stream->previous_used != NULL) {
        stream->previous_used->next_used = stream;
    } else {
        context->used_streams = stream;
    }
    context->last_used = stream;
    context->used_count++;
}

static void used_remove(struct stream *stream)
{
    struct context *context = stream->context;
    assert(stream->use_number > 0 && context->used_count > 0);
    if (stream->previous_used != NULL) {
        stream->previous_used->next_used = stream->next_used;
    } else {
        context->used_streams = stream->next_used;
    }
    if (stream->next_used != NULL) {
        stream->next_used->previous_used = stream->previous_used;
    } else {
        context->last_used = stream->previous_used;
    }
    stream->use_number = 0;
    context->used_count--;
}

static __attribute__((noinline)) void note_first_use(struct stream *stream)
{
    struct context *context = stream->context;
    thread_lock(&context->lock);
    if (stream->use_number == 0) {
        used_add(stream);
    }
    handle_mark(&context->handles, handle_in_table(stream->id));
    thread_unlock(&context->lock);
}

void stream_note_use(struct stream *stream)
{
    if (!handle_is_marked(&stream->context->handles, handle_in_table(stream->id))) {
        note_first_use(stream);
    }
}

static bool is_quiet(const struct stream *stream)
{
    return stream->context->backend->stream_is_quiet(stream->queue);
}

// Takes a stream without work out of the list, if there are many. Where it is pinned, or had work queued between the
// first look and the mark's going, it stays.
static void used_settle(struct stream *stream)
{
    struct context *context = stream->context;
    uint64_t id = handle_in_table(stream->id);
    if (context->used_count <= IDLE_USED || stream->visitor_count > 0 || !handle_unmark(&context->handles, id)) {
        return;
    }
    if (is_quiet(stream)) {
        used_remove(stream);
    } else {
        handle_mark(&context->handles, id);
    }
}

// ---- going --------------------------------------------------------------------------------------------------------

// The context's lock is held. True if the caller must free the stream once it has let go of the lock.
static bool unlink_if_free(struct stream *stream)
{
    if (!stream->is_over || stream->visitor_count > 0) {
        return false;
    }
    struct context *context = stream->context;
    if (stream->previous != NULL) {
        stream->previous->next = stream->next;
        assert(context->listed_count > 1);
    } else {
        context->streams = stream->next;
    }
    if (stream->next != NULL) {
        stream->next->previous = stream->previous;
    } else {
        context->last_stream = stream->previous;
    }
    context->listed_count--;
    index_remove(stream);
    if (stream->use_number > 0) {
        used_remove(stream);
    }
    return true;
}

static void free_stream(struct stream *stream)
{
    struct context *context = stream->context;
    context->backend->stream_destroy(stream->queue);
    scratch_destroy(stream->scratch);
    context_free(context, stream, sizeof *stream);
}

static void last_notice(void *arg, const struct backend_error *error);

// False: no memory.
static bool queue_last_notice(struct stream *stream)
{
    atomic_store(&stream->has_mark, false); // a mark that is queued already comes before the notice
    return stream->context->backend->notify(stream->queue, last_notice, stream, false) == RILL_OK;
}

// Its work has run and nothing names it any more. But what a visitor has queued behind the last notice must run while
// the stream is in the list, where whoever waits for all streams finds it. Without memory for another notice it stays
// there until the next visit, at the latest that of who closes the context.
static void stream_over(struct stream *stream)
{
    struct context *context = stream->context;
    struct backend_error error;
    if (stream->wants_log && stream_has_news(stream, &error)) {
        stream->wants_log = false; // once
        context_note_failure(context, error.status, error.text);
    }
    thread_lock(&context->lock);
    bool has_more = atomic_load(&stream->has_mark);
    stream->is_over = !has_more;
    bool is_free = unlink_if_free(stream);
    thread_unlock(&context->lock);
    if (is_free) {
        free_stream(stream);
    } else if (has_more && !queue_last_notice(stream)) {
        thread_lock(&context->lock);
        stream->is_over = true;
        thread_unlock(&context->lock);
    }
}

static void last_notice(void *arg, const struct backend_error *error)
{
    (void)error;
    stream_over(arg);
}

void stream_end(struct stream *stream)
{
    const struct backend *backend = stream->context->backend;
    if (!backend->stream_is_idle(stream->queue)) {
        if (queue_last_notice(stream)) {
            return;
        }
        backend->stream_synchronize(stream->queue);
    }
    atomic_store(&stream->has_mark, false); // every mark has run
    stream_over(stream);
}

// ---- visiting -----------------------------------------------------------------------------------------------------

// Ends a visit; the context's lock is held. True if stream_end() must follow: a visitor may have queued a mark on a
// stream that came to its end meanwhile. It stays in the list, where whoever waits for all streams finds it, until that
// has run too.
static bool end_visit(struct stream *stream)
{
    assert(stream->visitor_count > 0);
    bool was_last = --stream->visitor_count == 0 && stream->is_over;
    if (was_last) {
        stream->is_over = false;
    }
    return was_last;
}

struct stream *stream_visit(struct context *context, uint64_t id)
{
    thread_lock(&context->lock);
    struct stream *stream = index_find(context, id);
    if (stream != NULL) {
        stream->visitor_count++;
    }
    thread_unlock(&context->lock);
    return stream;
}

void stream_leave(struct stream *stream)
{
    struct context *context = stream->context;
    thread_lock(&context->lock);
    bool was_last = end_visit(stream);
    thread_unlock(&context->lock);
    if (was_last) {
        stream_end(stream);
    }
}

// Goes on to |next| and ends the visit of |stream|, if there was one. The context's lock is held, and let go of.
static struct stream *move_on(struct context *context, struct stream *stream, struct stream *next)
{
    if (next != NULL) {
        next->visitor_count++;
    }
    bool was_last = stream != NULL && end_visit(stream);
    thread_unlock(&context->lock);
    if (was_last) {
        stream_end(stream);
    }
    return next;
}

struct stream *stream_next(struct context *context, struct stream *stream, uint64_t *end)
{
    thread_lock(&context->lock);
    *end = stream == NULL ? context->stream_number : *end;
    struct stream *next = stream == NULL ? context->streams : stream->next;
    return move_on(context, stream, next != NULL && next->number <= *end ? next : NULL);
}

struct stream *stream_next_busy(struct context *context, struct stream *stream, uint64_t *end)
{
    thread_lock(&context->lock);
    *end = stream == NULL ? context->use_number : *end;
    struct stream *next = stream == NULL ? context->used_streams : stream->next_used;
    while (next != NULL && next->use_number <= *end && is_quiet(next)) {
        struct stream *quiet = next;
        next = next->next_used;
        used_settle(quiet);
    }
    return move_on(context, stream, next != NULL && next->use_number <= *end ? next : NULL);
}

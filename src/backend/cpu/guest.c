// Guests: threads of the host that wait, and meanwhile run what they wait for.
//
// What a wait depends on is a chain: the stream waited for; if that stands at an event, the stream which must reach the
// event; and so on. A guest takes up a stream of its chain that no worker has, works on a loop of one, and looks at the
// chain again after that. It does nothing else: a wait must not last longer because others have work to do.
#include "backend/cpu/stream.h"

#include <assert.h>

HOT void guest_init(struct cpu_guest *guest, struct backend_device *device)
{
    guest->device = device;
    guest->worker = (struct cpu_worker){.pool = &device->pool, .guest = guest};
    guest->is_looking = false;
    guest->next = NULL;
    guest->is_able = thread_stack_left() >= GUEST_STACK;
    // What one thread does is in order for ThreadSanitizer, even where the program forgot to ask for it. So that such
    // mistakes are found, every second wait leaves the work to the pool.
    if (thread_is_checked() && atomic_fetch_add_explicit(&device->wait_count, 1, memory_order_relaxed) % 2 != 0) {
        guest->is_able = false;
    }
}

// Follows the chain from its last stream, as far as |count|. mark_lock is held.
static void extend_chain(struct cpu_guest *guest, struct backend_stream *last)
{
    while (guest->chain_count < GUEST_CHAIN) {
        struct cpu_mark *mark = atomic_load_explicit(&last->waits_for, memory_order_relaxed);
        if (mark == NULL) {
            return;
        }
        last = mark->source; // not reached, as somebody stands there: its stream lives
        atomic_store_explicit(&last->was_waited_for, true, memory_order_relaxed);
        guest->marks[guest->chain_count] = mark;
        guest->chain[guest->chain_count++] = last;
        assert(last != NULL && !mark->is_reached);
    }
}

static void find_chain(struct cpu_guest *guest)
{
    struct backend_device *device = guest->device;
    struct backend_stream *first = guest->stream;
    guest->chain_count = 0;
    for (int i = 0; i < GUEST_CHAIN; i++) {
        guest->is_served[i] = false;
    }
    if (first != NULL) {
        guest->marks[0] = NULL;
        guest->chain[guest->chain_count++] = first;
        if (atomic_load_explicit(&first->waits_for, memory_order_relaxed) == NULL) {
            return; // as nearly always; and a lock saved
        }
    }
    thread_latch_lock(&device->mark_lock);
    if (first == NULL && !guest->mark->is_reached) {
        first = guest->mark->source;
        guest->marks[0] = guest->mark;
        guest->chain[guest->chain_count++] = first;
    }
    if (first != NULL) {
        extend_chain(guest, first);
    }
    thread_latch_unlock(&device->mark_lock);
}

// What it has in its hands came at the end of a loop, not of a stream.
static void push_next(struct cpu_guest *guest)
{
    struct backend_stream *next = guest_take_next(&guest->worker);
    if (next != NULL) {
        cpu_pool_push_small(&guest->device->pool, &next->job);
    }
}

// Runs the stream's job, which only the guest has. False: it has no seat.
static HOT bool run_job(struct cpu_guest *guest, struct cpu_pool_job *job)
{
    assert(guest->is_able && guest->next == NULL);
    struct cpu_pool *pool = &guest->device->pool;
    if (!cpu_pool_sit_down(pool, &guest->worker)) {
        return false;
    }
    struct thread_fenv host;
    thread_fenv_enter(&host);
    job->run(job, &guest->worker);
    thread_fenv_leave(&host);
    cpu_pool_get_up(pool, &guest->worker);
    push_next(guest);
    return true;
}

// A stream of the chain that is still in hand.
static struct cpu_pool_job *take_back(struct cpu_guest *guest)
{
    for (int i = 0; i < guest->chain_count; i++) {
        // Only the first is sure to be there: no more than the address is needed.
        uintptr_t stream = (uintptr_t)guest->chain[i];
        struct cpu_pool_job *job = (struct cpu_pool_job *)(stream + offsetof(struct backend_stream, job));
        if (cpu_pool_unreserve(&guest->device->pool, job)) {
            return job;
        }
    }
    return NULL;
}

HOT bool guest_help(struct cpu_guest *guest)
{
    if (!guest->is_able) {
        return false;
    }
    struct cpu_pool *pool = &guest->device->pool;
    guest->seen = atomic_load_explicit(&pool->change_count, memory_order_relaxed);
    find_chain(guest);
    struct cpu_pool_job *job = take_back(guest);
    if (job != NULL) {
        if (run_job(guest, job)) {
            return true;
        }
        cpu_pool_push(pool, job);
    }
    struct thread_fenv host;
    thread_fenv_enter(&host);
    bool has_helped = cpu_pool_help(pool, &guest->worker, guest->chain, guest->chain_count);
    thread_fenv_leave(&host);
    push_next(guest);
    return has_helped;
}

bool guest_run_at_once(struct backend_stream *stream, uint64_t target)
{
    struct backend_device *device = stream->device;
    if (thread_is_checked() && atomic_fetch_add_explicit(&device->call_count, 1, memory_order_relaxed) % 2 != 0) {
        return false; // see guest_init()
    }
    struct cpu_guest guest = {.stream = stream, .target = target, .chain_count = 1, .chain = {stream}};
    guest_init(&guest, device);
    return guest.is_able && device->trace == NULL && run_job(&guest, &stream->job);
}

bool guest_has_news(const struct cpu_guest *guest)
{
    return guest->is_able &&
           atomic_load_explicit(&guest->device->pool.change_count, memory_order_relaxed) != guest->seen;
}

// The stream's place in the chain; -1: it has none.
static int place_of(const struct cpu_guest *guest, const struct backend_stream *stream)
{
    for (int i = 0; i < guest->chain_count; i++) {
        if (guest->chain[i] == stream) {
            return i;
        }
    }
    return -1;
}

// The chain was found some time ago. Each step shows that the next stream is still there.
static bool is_chain_sound(const struct cpu_guest *guest, int place)
{
    if (guest->stream != NULL && place == 1) { // as nearly always: its own stream is there, and needs no lock
        return atomic_load_explicit(&guest->stream->waits_for, memory_order_relaxed) == guest->marks[1];
    }
    thread_latch_lock(&guest->device->mark_lock);
    bool is_sound = guest->marks[0] == NULL || !guest->marks[0]->is_reached;
    for (int i = 1; is_sound && i <= place; i++) {
        const struct backend_stream *before = guest->chain[i - 1];
        is_sound = atomic_load_explicit(&before->waits_for, memory_order_relaxed) == guest->marks[i];
    }
    thread_latch_unlock(&guest->device->mark_lock);
    return is_sound;
}

bool guest_wants(const struct cpu_worker *worker, struct backend_stream *stream)
{
    const struct cpu_guest *guest = worker->guest;
    if (guest == NULL || stream == guest->stream) {
        return true;
    }
    int place = place_of(guest, stream);
    return place < 0 || is_chain_sound(guest, place); // a lane has no place: what it runs belongs to one that has
}

bool guest_must_stop(const struct cpu_worker *worker, struct backend_stream *stream)
{
    const struct cpu_guest *guest = worker->guest;
    if (guest == NULL) {
        return false;
    }
    if (stream == guest->stream) {
        return atomic_load_explicit(&stream->ended_count, memory_order_relaxed) >= guest->target;
    }
    int place = place_of(guest, stream);
    return place >= 0 && guest->is_served[place]; // a lane stops by itself after each block
}

void guest_push(const struct cpu_worker *worker, struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    struct cpu_guest *guest = worker->guest;
    if (guest != NULL && place_of(guest, stream) >= 0) { // its wait cannot end before it has come back for it
        if (guest->next == NULL && device->trace == NULL && !device->pool.is_fuzzed) {
            guest->next = stream;
        } else {
            cpu_pool_push_small(&device->pool, &stream->job);
        }
    } else if (atomic_load(&stream->guest_count) == 0) {
        cpu_pool_push(&device->pool, &stream->job);
    } else {
        // A guest that looks will find it: a poller as in base/eventcount.h. Once the job is pushed the stream may be
        // gone, so that the device's guests are looked for.
        cpu_pool_push_small(&device->pool, &stream->job);
        if (!pollers_are_present(&device->guests)) {
            cpu_pool_promote_small(&device->pool);
        }
    }
}

struct backend_stream *guest_take_next(const struct cpu_worker *worker)
{
    struct cpu_guest *guest = worker->guest;
    struct backend_stream *next = guest != NULL ? guest->next : NULL;
    if (next != NULL) {
        guest->next = NULL;
    }
    return next;
}

void guest_note_reached(const struct cpu_worker *worker, const struct cpu_mark *mark)
{
    struct cpu_guest *guest = worker->guest;
    for (int i = 0; guest != NULL && i < guest->chain_count; i++) {
        if (guest->marks[i] == mark) {
            guest->is_served[i] = true;
        }
    }
}

static void begin_looking(struct cpu_guest *guest)
{
    if (!guest->is_looking && guest->is_able) {
        guest->is_looking = true;
        pollers_enter(&guest->device->guests);
        if (guest->stream != NULL) {
            atomic_fetch_add(&guest->stream->guest_count, 1);
        }
    }
}

void guest_finish(struct cpu_guest *guest)
{
    if (guest->is_looking) {
        guest->is_looking = false;
        if (guest->stream != NULL) {
            atomic_fetch_sub(&guest->stream->guest_count, 1);
        }
        pollers_leave(&guest->device->guests);
        cpu_pool_promote_small(&guest->device->pool); // what guest_push() left to it
    }
}

bool guest_looks(struct cpu_guest *guest, bool (*has_ended)(struct cpu_guest *guest))
{
    begin_looking(guest);
    int looks = guest->device->pool.is_alone ? 1 : STREAM_SPIN;
    for (int i = 1; i <= looks; i++) {
        if (has_ended(guest) || guest_has_news(guest)) {
            return true;
        }
        thread_relax();
        if (i % STREAM_SPIN_TURN == 0) {
            thread_yield();
        }
    }
    return false;
}

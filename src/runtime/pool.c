// Invariant: every stream the pool made is in idle, in draining, or in lent with at least one borrower. It is created
// and destroyed outside the lock, because a driver may take its time, and counted only once it exists.
#include "runtime/pool.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

// ---- what is lent -------------------------------------------------------------------------------------------------

// Destroys the entries of a list.
static void destroy_entries(struct stream_pool *pool, struct pool_entry *entry)
{
    while (entry != NULL) {
        struct pool_entry *next = entry->next;
        pool->ops->stream_destroy(entry->stream);
        pool->allocator.release(pool->allocator.user, entry, sizeof *entry);
        entry = next;
    }
}

static rill_status create_entry(struct stream_pool *pool, int priority, struct pool_entry **out_entry)
{
    *out_entry = NULL;
    struct pool_entry *entry = pool->allocator.allocate(pool->allocator.user, sizeof *entry, 16);
    if (entry == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a pooled stream");
    }
    memset(entry, 0, sizeof *entry);
    entry->priority = priority;
    rill_status status = pool->ops->stream_create(pool->device, priority, 0, &entry->stream);
    if (status != RILL_OK) {
        pool->allocator.release(pool->allocator.user, entry, sizeof *entry);
        return status;
    }
    *out_entry = entry;
    return RILL_OK;
}

// ---- the lists; the lock is held ----------------------------------------------------------------------------------

static void put_idle(struct stream_pool *pool, struct pool_entry *entry)
{
    assert(entry->borrower_count == 0);
    entry->next = pool->idle;
    pool->idle = entry;
    pool->idle_count++;
}

static void put_draining(struct stream_pool *pool, struct pool_entry *entry)
{
    assert(entry->borrower_count == 0);
    entry->next = NULL;
    *pool->draining_end = entry;
    pool->draining_end = &entry->next;
    pool->draining_count++;
}

static struct pool_entry *take_drained(struct stream_pool *pool, struct pool_entry **at)
{
    assert(*at != NULL && pool->draining_count > 0);
    struct pool_entry *entry = *at;
    *at = entry->next;
    if (*at == NULL) {
        pool->draining_end = at;
    }
    pool->draining_count--;
    return entry;
}

// In the order in which they came back, so that the last one back is the first one lent.
static void collect_drained(struct stream_pool *pool)
{
    struct pool_entry **at = &pool->draining;
    while (*at != NULL) {
        struct pool_entry *entry = *at;
        if (pool->ops->stream_is_idle(entry->stream)) {
            take_drained(pool, at);
            put_idle(pool, entry);
        } else {
            at = &entry->next;
        }
    }
}

// Takes what is idle beyond |keep|, the longest idle, out of the pool: a list for destroy_entries().
static struct pool_entry *take_surplus(struct stream_pool *pool, size_t keep)
{
    if (pool->idle_count <= keep) {
        return NULL;
    }
    struct pool_entry **at = &pool->idle;
    for (size_t i = 0; i < keep; i++) {
        at = &(*at)->next;
    }
    struct pool_entry *surplus = *at;
    *at = NULL;
    pool->stats.trimmed_count += pool->idle_count - keep;
    pool->idle_count = keep;
    return surplus;
}

static void lend(struct stream_pool *pool, struct pool_entry *entry)
{
    entry->borrower_count++;
    if (entry->borrower_count > 1) {
        return;
    }
    entry->previous = NULL;
    entry->next = pool->lent;
    if (entry->next != NULL) {
        entry->next->previous = entry;
    }
    pool->lent = entry;
    pool->stats.in_use_count++;
}

static void unlink_lent(struct stream_pool *pool, struct pool_entry *entry)
{
    assert(pool->stats.in_use_count > 0);
    if (entry->previous != NULL) {
        entry->previous->next = entry->next;
    } else {
        pool->lent = entry->next;
    }
    if (entry->next != NULL) {
        entry->next->previous = entry->previous;
    }
    entry->next = NULL;
    entry->previous = NULL;
    pool->stats.in_use_count--;
}

// The last one that became idle is the warmest.
static struct pool_entry *lend_idle(struct stream_pool *pool, int priority, bool any_priority)
{
    struct pool_entry **at = &pool->idle;
    while (*at != NULL && !any_priority && (*at)->priority != priority) {
        at = &(*at)->next;
    }
    struct pool_entry *entry = *at;
    if (entry != NULL) {
        *at = entry->next;
        pool->idle_count--;
        pool->stats.reused_count++;
        lend(pool, entry);
    }
    return entry;
}

// Something that is busy, for want of anything better: what drains, else what has the fewest borrowers.
static struct pool_entry *lend_busy(struct stream_pool *pool)
{
    struct pool_entry *chosen = NULL;
    if (pool->draining != NULL) {
        chosen = take_drained(pool, &pool->draining);
    } else {
        for (struct pool_entry *entry = pool->lent; entry != NULL; entry = entry->next) {
            bool is_better = chosen == NULL || entry->borrower_count < chosen->borrower_count;
            chosen = is_better && !entry->is_doubtful ? entry : chosen;
        }
    }
    if (chosen != NULL) {
        pool->stats.shared_count++;
        lend(pool, chosen);
    }
    return chosen;
}

// ---- calls --------------------------------------------------------------------------------------------------------

void pool_init_streams(struct stream_pool *pool, const struct backend *ops, struct backend_device *device,
                       const rill_allocator *allocator)
{
    memset(pool, 0, sizeof *pool);
    pool->ops = ops;
    pool->device = device;
    pool->allocator = *allocator;
    pool->cap = POOL_DEFAULT_CAP;
    pool->draining_end = &pool->draining;
    thread_mutex_init(&pool->lock);
}

void pool_finish_streams(struct stream_pool *pool)
{
    if (pool->ops == NULL) {
        return;
    }
    destroy_entries(pool, pool->idle);
    destroy_entries(pool, pool->draining);
    destroy_entries(pool, pool->lent);
    thread_mutex_finish(&pool->lock);
    pool->ops = NULL;
}

// What may be done without |status|, which creating one has given.
static struct pool_entry *do_without(struct stream_pool *pool, int priority, rill_status status)
{
    if (status != RILL_ERR_LIMIT && status != RILL_ERR_OUT_OF_MEMORY) {
        return NULL;
    }
    thread_lock(&pool->lock);
    collect_drained(pool);
    struct pool_entry *entry = lend_idle(pool, priority, true);
    entry = entry != NULL ? entry : lend_busy(pool);
    thread_unlock(&pool->lock);
    return entry;
}

// What the back end keeps of what it was lent comes back, as far as it is idle. The lock is not held.
static void release_kept(struct stream_pool *pool)
{
    pool->ops->device_release_idle(pool->device);
}

static struct pool_entry *acquire_idle(struct stream_pool *pool, int priority)
{
    thread_lock(&pool->lock);
    collect_drained(pool);
    struct pool_entry *entry = lend_idle(pool, priority, false);
    struct pool_entry *surplus = take_surplus(pool, pool->cap);
    thread_unlock(&pool->lock);
    destroy_entries(pool, surplus);
    return entry;
}

rill_status pool_acquire(struct stream_pool *pool, int priority, struct pool_entry **out_entry)
{
    *out_entry = acquire_idle(pool, priority);
    if (*out_entry == NULL) { // before one is made, what the device keeps for others and nobody uses
        release_kept(pool);
        *out_entry = acquire_idle(pool, priority);
    }
    if (*out_entry != NULL) {
        return RILL_OK;
    }
    rill_status status = create_entry(pool, priority, out_entry);
    if (status != RILL_OK) {
        *out_entry = do_without(pool, priority, status);
        return *out_entry != NULL ? RILL_OK : status;
    }
    thread_lock(&pool->lock);
    pool->stats.created_count++;
    lend(pool, *out_entry);
    thread_unlock(&pool->lock);
    return RILL_OK;
}

void pool_release(struct stream_pool *pool, struct pool_entry *entry, bool is_sound)
{
    thread_lock(&pool->lock);
    entry->is_doubtful = entry->is_doubtful || !is_sound;
    bool is_doubtful = entry->is_doubtful;
    struct pool_entry *surplus = NULL;
    if (--entry->borrower_count == 0) {
        unlink_lent(pool, entry);
        if (is_doubtful) {
            surplus = entry;
            pool->stats.trimmed_count++;
        } else {
            put_draining(pool, entry);
        }
    }
    if (surplus == NULL && pool->draining_count > pool->cap) {
        collect_drained(pool);
        surplus = take_surplus(pool, pool->cap);
    }
    thread_unlock(&pool->lock);
    destroy_entries(pool, surplus);
}

void pool_trim(struct stream_pool *pool)
{
    release_kept(pool);
    thread_lock(&pool->lock);
    collect_drained(pool);
    struct pool_entry *surplus = take_surplus(pool, 0);
    thread_unlock(&pool->lock);
    destroy_entries(pool, surplus);
}

void pool_read_stats(struct stream_pool *pool, rill_pool_stats *out_stats)
{
    release_kept(pool);
    thread_lock(&pool->lock);
    collect_drained(pool);
    struct pool_entry *surplus = take_surplus(pool, pool->cap);
    *out_stats = pool->stats;
    out_stats->idle_count = pool->idle_count;
    thread_unlock(&pool->lock);
    destroy_entries(pool, surplus);
}

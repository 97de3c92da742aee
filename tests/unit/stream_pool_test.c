// The pool that lends streams, over a fake back end: nothing here runs.
#include "runtime/pool.h"

#include "base/status.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

// ---- a back end whose streams are numbers -------------------------------------------------------------------------

struct backend_stream {
    atomic_bool is_busy;
    atomic_int borrower_count; // as the test counts it
    int priority;
};

struct backend_device {
    atomic_int live_count;
    atomic_int created_count;
    atomic_int allocation_count; // that were not released
    int stream_limit;            // 0: none
    int fail_at;                 // the n-th creation fails; 0: never
    rill_status failure;
};

static rill_status fake_count(struct backend_device *device)
{
    int number = atomic_fetch_add(&device->created_count, 1) + 1;
    if (device->fail_at == number) {
        return status_fail(device->failure, "creation number %d fails", number);
    }
    if (device->stream_limit > 0 && atomic_load(&device->live_count) >= device->stream_limit) {
        return status_fail(RILL_ERR_LIMIT, "the device has no more streams");
    }
    atomic_fetch_add(&device->live_count, 1);
    return RILL_OK;
}

static struct backend_device *owner; // destroying is not told the device

static rill_status fake_stream_create(struct backend_device *device, int priority, uint64_t id,
                                      struct backend_stream **out_stream)
{
    *out_stream = NULL;
    CHECK_UINT(id, 0);
    RILL_TRY(fake_count(device));
    *out_stream = calloc(1, sizeof **out_stream);
    (*out_stream)->priority = priority;
    return RILL_OK;
}

static void fake_stream_destroy(struct backend_stream *stream)
{
    CHECK(!atomic_load(&stream->is_busy));
    atomic_fetch_sub(&owner->live_count, 1);
    free(stream);
}

static bool fake_stream_is_idle(struct backend_stream *stream)
{
    return !atomic_load(&stream->is_busy);
}

static const struct backend fake = {.device_release_idle = backend_no_release_idle,
                                    .stream_create = fake_stream_create,
                                    .stream_destroy = fake_stream_destroy,
                                    .stream_is_idle = fake_stream_is_idle};

static void *allocate(void *user, size_t size, size_t alignment)
{
    struct backend_device *device = user;
    (void)alignment;
    atomic_fetch_add(&device->allocation_count, 1);
    return malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    struct backend_device *device = user;
    (void)size;
    atomic_fetch_sub(&device->allocation_count, 1);
    free(memory);
}

static void open_pool(struct stream_pool *pool, struct backend_device *device)
{
    memset(device, 0, sizeof *device);
    owner = device;
    pool_init_streams(pool, &fake, device, &(rill_allocator){device, allocate, release});
}

static void close_pool(struct stream_pool *pool, struct backend_device *device)
{
    pool_finish_streams(pool);
    CHECK_INT(atomic_load(&device->live_count), 0);
    CHECK_INT(atomic_load(&device->allocation_count), 0);
    pool_finish_streams(pool); // a finished one is skipped
}

static struct pool_entry *acquire(struct stream_pool *pool, int priority)
{
    struct pool_entry *entry = NULL;
    CHECK_INT(pool_acquire(pool, priority, &entry), RILL_OK);
    REQUIRE(entry != NULL);
    return entry;
}

static struct backend_stream *stream_of(struct pool_entry *entry)
{
    return entry->stream;
}

static rill_pool_stats stats_of(struct stream_pool *pool)
{
    rill_pool_stats stats;
    pool_read_stats(pool, &stats);
    return stats;
}

// ---- claims -------------------------------------------------------------------------------------------------------

TEST(pool_lends_the_last_idle_stream_first)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    struct pool_entry *first = acquire(&pool, 0);
    struct pool_entry *second = acquire(&pool, 0);
    struct pool_entry *third = acquire(&pool, 0);
    CHECK(first != second && second != third && first != third);
    pool_release(&pool, second, true);
    pool_release(&pool, first, true);
    pool_release(&pool, third, true);
    CHECK(acquire(&pool, 0) == third);
    CHECK(acquire(&pool, 0) == first);
    CHECK(acquire(&pool, 0) == second);
    rill_pool_stats stats = stats_of(&pool);
    CHECK_INT(stats.created_count, 3);
    CHECK_INT(stats.reused_count, 3);
    CHECK_INT(stats.in_use_count, 3);
    CHECK_INT(stats.idle_count, 0);
    close_pool(&pool, &device);
}

TEST(pool_lends_by_priority)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    struct pool_entry *low = acquire(&pool, -1);
    struct pool_entry *high = acquire(&pool, 2);
    CHECK_INT(stream_of(low)->priority, -1);
    CHECK_INT(stream_of(high)->priority, 2);
    pool_release(&pool, high, true);
    pool_release(&pool, low, true);
    CHECK(acquire(&pool, 2) == high);
    struct pool_entry *middle = acquire(&pool, 0);
    CHECK(middle != low);
    CHECK_INT(stream_of(middle)->priority, 0);
    CHECK(acquire(&pool, -1) == low);
    close_pool(&pool, &device);
}

TEST(stream_that_comes_back_busy_is_lent_again_only_once_idle)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    struct pool_entry *busy = acquire(&pool, 0);
    atomic_store(&stream_of(busy)->is_busy, true);
    pool_release(&pool, busy, true);
    struct pool_entry *other = acquire(&pool, 0);
    CHECK(other != busy);
    CHECK_INT(stats_of(&pool).idle_count, 0);
    pool_trim(&pool); // what is busy stays
    CHECK_INT(stats_of(&pool).trimmed_count, 0);
    atomic_store(&stream_of(busy)->is_busy, false);
    CHECK_INT(stats_of(&pool).idle_count, 1);
    CHECK(acquire(&pool, 0) == busy);
    close_pool(&pool, &device);
}

TEST(cap_limits_what_lies_idle_and_not_what_is_lent)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    pool.cap = 4;
    struct pool_entry *entries[100];
    for (int i = 0; i < 100; i++) {
        entries[i] = acquire(&pool, 0);
    }
    CHECK_INT(stats_of(&pool).in_use_count, 100);
    for (int i = 0; i < 100; i++) {
        pool_release(&pool, entries[i], true);
    }
    CHECK(atomic_load(&device.live_count) <= 9); // without another call: what is idle, and what may still drain
    rill_pool_stats stats = stats_of(&pool);
    CHECK_INT(stats.idle_count, 4);
    CHECK_INT(stats.trimmed_count, 96);
    CHECK_INT(stats.created_count, 100);
    CHECK_INT(stats.in_use_count, 0);
    CHECK(acquire(&pool, 0) == entries[99]); // the last back is kept
    pool_trim(&pool);
    CHECK_INT(stats_of(&pool).trimmed_count, 99);
    CHECK_INT(stats_of(&pool).idle_count, 0);
    pool.cap = 0;
    pool_release(&pool, entries[99], true);
    CHECK_INT(stats_of(&pool).trimmed_count, 100);
    CHECK_INT(atomic_load(&device.live_count), 0);
    close_pool(&pool, &device);
}

TEST(streams_are_shared_when_the_device_has_no_more)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    device.stream_limit = 3;
    struct pool_entry *entries[8];
    int loans[3] = {0};
    for (int i = 0; i < 8; i++) {
        entries[i] = acquire(&pool, 0);
        for (int k = 0; k < 3; k++) {
            loans[k] += entries[i] == entries[k];
        }
    }
    CHECK(loans[0] + loans[1] + loans[2] == 8 && loans[0] <= 3 && loans[1] <= 3 && loans[2] <= 3);
    rill_pool_stats stats = stats_of(&pool);
    CHECK_INT(stats.created_count, 3);
    CHECK_INT(stats.shared_count, 5);
    CHECK_INT(stats.in_use_count, 3);
    for (int i = 0; i < 8; i++) {
        CHECK_INT(stats_of(&pool).idle_count + stats_of(&pool).in_use_count, 3);
        pool_release(&pool, entries[i], true);
    }
    CHECK_INT(stats_of(&pool).idle_count, 3);
    CHECK_INT(stats_of(&pool).in_use_count, 0);
    // What is idle is better than what is busy, whatever its priority; what drains is better than what is lent.
    struct pool_entry *own = acquire(&pool, 0);
    struct pool_entry *other = acquire(&pool, 5);
    CHECK(other != own);
    struct pool_entry *draining = acquire(&pool, 0);
    atomic_store(&stream_of(draining)->is_busy, true);
    pool_release(&pool, draining, true);
    CHECK(acquire(&pool, 0) == draining);
    atomic_store(&stream_of(draining)->is_busy, false);
    close_pool(&pool, &device);
}

TEST(failed_creation_is_a_status_only_if_nothing_can_be_shared)
{
    for (int n = 1; n <= 6; n++) {
        struct backend_device device;
        struct stream_pool pool;
        open_pool(&pool, &device);
        device.fail_at = n;
        device.failure = RILL_ERR_OUT_OF_MEMORY;
        struct pool_entry *entries[5] = {0};
        for (int i = 0; i < 5; i++) {
            rill_status status = pool_acquire(&pool, 0, &entries[i]);
            CHECK_INT(status, n == 1 && i == 0 ? RILL_ERR_OUT_OF_MEMORY : RILL_OK);
            CHECK((entries[i] != NULL) == (status == RILL_OK));
        }
        rill_pool_stats stats = stats_of(&pool);
        CHECK_INT(stats.shared_count, n > 1 && n <= 5);
        CHECK_INT(stats.created_count, n <= 5 ? 4 : 5);
        for (int i = 0; i < 5; i++) {
            if (entries[i] != NULL) {
                pool_release(&pool, entries[i], true);
            }
        }
        stats = stats_of(&pool);
        CHECK_INT(stats.in_use_count, 0);
        CHECK_INT(stats.idle_count, stats.created_count);
        close_pool(&pool, &device);
    }
}

TEST(lost_device_is_not_covered_by_sharing)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    device.fail_at = 2;
    device.failure = RILL_ERR_INTERNAL;
    struct pool_entry *entry = acquire(&pool, 0);
    struct pool_entry *none = entry;
    CHECK_INT(pool_acquire(&pool, 0, &none), RILL_ERR_INTERNAL);
    CHECK(none == NULL);
    pool_release(&pool, entry, true);
    CHECK_INT(stats_of(&pool).in_use_count, 0);
    close_pool(&pool, &device);
}

TEST(stream_whose_join_failed_is_destroyed_once_every_borrower_has_given_it_back)
{
    struct backend_device device;
    struct stream_pool pool;
    open_pool(&pool, &device);
    device.stream_limit = 1;
    struct pool_entry *entry = acquire(&pool, 0);
    CHECK(acquire(&pool, 0) == entry);
    pool_release(&pool, entry, false);
    CHECK_INT(atomic_load(&device.live_count), 1);
    struct pool_entry *none = NULL;
    CHECK_INT(pool_acquire(&pool, 0, &none), RILL_ERR_LIMIT); // doubtful: not lent again
    pool_release(&pool, entry, true);
    CHECK_INT(atomic_load(&device.live_count), 0);
    CHECK_INT(stats_of(&pool).trimmed_count, 1);
    pool_release(&pool, acquire(&pool, 0), true);
    CHECK_INT(stats_of(&pool).idle_count, 1);
    close_pool(&pool, &device);
}

// ---- threads ------------------------------------------------------------------------------------------------------

enum { THREADS = 8, ROUNDS = 5000, HELD = 4 };

struct borrower {
    struct stream_pool *pool;
    unsigned seed;
    bool may_share;
    long failed_count;
};

static void *borrow(void *arg)
{
    struct borrower *self = arg;
    struct pool_entry *held[HELD] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        self->seed = self->seed * 1664525 + 1013904223;
        int k = (int)(self->seed >> 24) % HELD;
        if (held[k] == NULL) {
            if (pool_acquire(self->pool, k % 2, &held[k]) != RILL_OK) {
                self->failed_count++;
                continue;
            }
            int others = atomic_fetch_add(&stream_of(held[k])->borrower_count, 1);
            CHECK(others == 0 || self->may_share);
        } else {
            atomic_fetch_sub(&stream_of(held[k])->borrower_count, 1);
            // Every second one comes back busy and is made idle by nobody but this thread, a moment later.
            struct backend_stream *stream = stream_of(held[k]);
            bool is_busy = !self->may_share && (self->seed >> 16 & 1) != 0;
            atomic_store(&stream->is_busy, is_busy);
            pool_release(self->pool, held[k], true);
            if (is_busy) {
                CHECK_INT(atomic_load(&stream->borrower_count), 0); // not lent while it is busy
                atomic_store(&stream->is_busy, false);
            }
            held[k] = NULL;
        }
        if (i % 500 == 0) {
            pool_trim(self->pool);
        }
    }
    for (int k = 0; k < HELD; k++) {
        if (held[k] != NULL) {
            atomic_fetch_sub(&stream_of(held[k])->borrower_count, 1);
            pool_release(self->pool, held[k], true);
        }
    }
    return NULL;
}

static void borrow_from_threads(struct stream_pool *pool, bool may_share, long *out_failed)
{
    pthread_t threads[THREADS];
    struct borrower borrowers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        borrowers[i] = (struct borrower){.pool = pool, .seed = (unsigned)i * 7919 + 1, .may_share = may_share};
        REQUIRE(pthread_create(&threads[i], NULL, borrow, &borrowers[i]) == 0);
    }
    *out_failed = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        *out_failed += borrowers[i].failed_count;
    }
}

TEST(eight_threads_take_and_give_back)
{
    struct backend_device device;
    struct stream_pool pool;
    long failed;
    open_pool(&pool, &device);
    pool.cap = 6;
    borrow_from_threads(&pool, false, &failed);
    rill_pool_stats stats = stats_of(&pool);
    CHECK_INT(failed, 0);
    CHECK_INT(stats.in_use_count, 0);
    CHECK_INT(stats.shared_count, 0);
    CHECK(stats.reused_count > 0 && stats.trimmed_count > 0);
    CHECK_INT(stats.created_count - stats.trimmed_count, stats.idle_count);
    CHECK_INT(stats.created_count, atomic_load(&device.created_count));
    CHECK(stats.idle_count <= 6);
    close_pool(&pool, &device);
}

TEST(eight_threads_share_what_a_small_device_has)
{
    struct backend_device device;
    struct stream_pool pool;
    long failed;
    open_pool(&pool, &device);
    device.stream_limit = 2;
    borrow_from_threads(&pool, true, &failed);
    rill_pool_stats stats = stats_of(&pool);
    CHECK(stats.shared_count > 0);
    CHECK_INT(stats.in_use_count, 0);
    CHECK_INT(stats.created_count - stats.trimmed_count, stats.idle_count);
    close_pool(&pool, &device);
}

TEST(creation_that_fails_at_the_nth_time_loses_nothing_from_eight_threads)
{
    for (int n = 1; n <= 40; n += 3) {
        struct backend_device device;
        struct stream_pool pool;
        long failed;
        open_pool(&pool, &device);
        device.fail_at = n;
        device.failure = n % 2 != 0 ? RILL_ERR_OUT_OF_MEMORY : RILL_ERR_INTERNAL;
        borrow_from_threads(&pool, true, &failed);
        rill_pool_stats stats = stats_of(&pool);
        CHECK(failed <= 1);
        CHECK_INT(stats.in_use_count, 0);
        CHECK_INT(stats.created_count - stats.trimmed_count, stats.idle_count);
        close_pool(&pool, &device);
    }
}

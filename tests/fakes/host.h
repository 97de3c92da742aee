// Memory of the host in the order of a stream: no call waits for what is queued before, shown by a gate of the driver
// that stays shut until the calls have returned; and what it costs once it is warm.
#ifndef RILL_TESTS_FAKES_HOST_H
#define RILL_TESTS_FAKES_HOST_H

#include "ok.h"
#include "scene.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MEGA = 1 << 20 };

// ---- a gate --------------------------------------------------------------------------------------------------------

static uint32_t *gate;

static void *find(struct scene *s, const char *symbol)
{
    void *found = dlsym(s->library, symbol);
    REQUIRE(found != NULL);
    return found;
}

// CUDA wants a context to be current where the test itself calls: Rill's own, which it leaves as it is.
static void use_context(struct scene *s)
{
    int (*retain)(void **, int);
    int (*release)(int);
    int (*set)(void *);
    void *context = NULL;
    *(void **)&retain = dlsym(s->library, "cuDevicePrimaryCtxRetain");
    if (retain != NULL) {
        *(void **)&release = find(s, "cuDevicePrimaryCtxRelease_v2");
        *(void **)&set = find(s, "cuCtxSetCurrent");
        REQUIRE(retain(&context, 0) == 0 && set(context) == 0 && release(0) == 0);
    }
}

static void open_host_scene(struct scene *s)
{
    open_fake();
    OK(open_wide_scene(s));
    use_context(s);
    int (*host_alloc)(void **, size_t, unsigned);
    *(void **)&host_alloc = find(s, vendor.host_alloc);
    REQUIRE(host_alloc((void **)&gate, 64, 0) == 0);
}

static void close_host_scene(struct scene *s)
{
    int (*host_free)(void *);
    *(void **)&host_free = find(s, vendor.host_free);
    CHECK_INT(host_free(gate), 0);
    OK(rill_close(s->far));
    OK(rill_close(s->context));
    if (stand_in_violations_at() != 0) {
        FAIL("%s", stand_in_violation_at(0));
        stand_in_forgive_at();
    }
}

// What is queued on |native| from now on stands there until open_gate().
static void shut_gate(struct scene *s, void *native)
{
    int (*wait_value)(void *, uint64_t, uint32_t, unsigned, uint32_t); // HIP has a mask, and CUDA does not look at it
    *(void **)&wait_value = find(s, vendor.wait_value);
    __atomic_store_n(gate, 0, __ATOMIC_RELEASE);
    REQUIRE(wait_value(native, (uint64_t)(uintptr_t)gate, 1, 0, UINT32_MAX) == 0);
}

static void open_gate(void)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
}

static int *make_ints(size_t count, int first)
{
    int *ints = malloc(count * sizeof *ints);
    REQUIRE(ints != NULL);
    for (size_t i = 0; i < count; i++) {
        ints[i] = first + (int)i;
    }
    return ints;
}

static void check_ints(const int *ints, size_t count, int first)
{
    for (size_t i = 0; i < count; i++) {
        if (ints[i] != first + (int)i) {
            FAIL("element %zu of %zu is %d, expected %d", i, count, ints[i], first + (int)i);
            return;
        }
    }
}

// ---- nobody waits --------------------------------------------------------------------------------------------------

// Sizes below, at and above those of the memory that they go through.
TEST(asynchronous_copies_of_pageable_memory_wait_for_nothing)
{
    struct scene s;
    open_host_scene(&s);
    static const size_t counts[] = {1, 1000, 16384, 16385, MEGA, MEGA + 1, 6 * MEGA + 17};
    enum { COUNT = sizeof counts / sizeof *counts };
    rill_array arrays[COUNT];
    int *from[COUNT];
    int *to[COUNT];
    shut_gate(&s, s.native);
    for (int i = 0; i < COUNT; i++) {
        from[i] = make_ints(counts[i], i);
        to[i] = make_ints(counts[i], -1);
        OK(rill_array_create(s.context, RILL_I32, RILL_SHAPE((int64_t)counts[i]), &arrays[i]));
        OK(rill_array_write_async(arrays[i], s.known, from[i], counts[i] * sizeof(int)));
        OK(rill_launch(kernel_of(&s, "add"), s.known, RILL_ARGS((int)counts[i], 5, arrays[i])));
        OK(rill_array_read_async(arrays[i], s.known, to[i], counts[i] * sizeof(int)));
    }
    CHECK_INT(rill_stream_query(s.known), RILL_ERR_NOT_READY);
    from[COUNT - 1][0] = 100; // until the stream comes to it, it may change
    open_gate();
    OK(rill_stream_synchronize(s.known));
    CHECK_INT(to[COUNT - 1][0], 105);
    to[COUNT - 1][0] = COUNT - 1 + 5;
    for (int i = 0; i < COUNT; i++) {
        check_ints(to[i], counts[i], i + 5);
        free(from[i]);
        free(to[i]);
    }
    close_host_scene(&s);
}

TEST(launches_with_pageable_memory_wait_for_nothing)
{
    struct scene s;
    open_host_scene(&s);
    enum { LAUNCHES = 40, LENGTH = 2 * MEGA }; // 8 MB each
    int *host = make_ints(LENGTH, 0);
    shut_gate(&s, s.native);
    for (int i = 0; i < LAUNCHES; i++) {
        OK(rill_launch(kernel_of(&s, "add"), s.known, RILL_ARGS(LENGTH, 1, RILL_HOST(host, LENGTH))));
    }
    CHECK_INT(rill_stream_query(s.known), RILL_ERR_NOT_READY);
    check_ints(host, LENGTH, 0);
    open_gate();
    OK(rill_stream_synchronize(s.known));
    check_ints(host, LENGTH, LAUNCHES);
    free(host);
    close_host_scene(&s);
}

struct caller {
    struct scene *scene;
    int *host;
    size_t count;
    rill_status status;
    atomic_bool has_returned;
};

static void launch_in_callback(void *user, rill_status status)
{
    struct caller *caller = user;
    struct scene *s = caller->scene;
    caller->status =
        first_of(status, rill_launch(kernel_of(s, "add"), s->known,
                                     RILL_ARGS((int)caller->count, 1, RILL_HOST(caller->host, caller->count))));
    atomic_store(&caller->has_returned, true);
}

TEST(a_launch_in_a_callback_waits_for_nothing)
{
    struct scene s;
    open_host_scene(&s);
    struct caller caller = {.scene = &s, .host = make_ints(6 * MEGA, 0), .count = 6 * MEGA};
    shut_gate(&s, s.native);
    OK(rill_stream_callback(s.other, launch_in_callback, &caller));
    OK(rill_stream_synchronize(s.other)); // waits for the callback
    CHECK(atomic_load(&caller.has_returned));
    CHECK_INT(caller.status, RILL_OK);
    CHECK_INT(rill_stream_query(s.known), RILL_ERR_NOT_READY);
    open_gate();
    OK(rill_stream_synchronize(s.known));
    check_ints(caller.host, caller.count, 1);
    free(caller.host);
    close_host_scene(&s);
}

struct writer {
    struct scene *scene;
    rill_array array;
    int *host;
    rill_status status;
};

enum { WRITES = 80 }; // of 1 MB each: more than a stream keeps for writes before one waits

static void write_in_callback(void *user, rill_status status)
{
    struct writer *writer = user;
    writer->status = status;
    for (int i = 0; i < WRITES; i++) {
        writer->host[0] = i;
        writer->status =
            first_of(writer->status, rill_array_write(writer->array, writer->scene->known, writer->host, MEGA));
    }
}

TEST(a_write_in_a_callback_waits_for_nothing)
{
    struct scene s;
    open_host_scene(&s);
    struct writer writer = {.scene = &s, .host = make_ints(MEGA / 4, 0)};
    int first = -1;
    OK(rill_array_create(s.context, RILL_I32, RILL_SHAPE(MEGA / 4), &writer.array));
    shut_gate(&s, s.native);
    OK(rill_stream_callback(s.other, write_in_callback, &writer));
    OK(rill_stream_synchronize(s.other));
    CHECK_INT(writer.status, RILL_OK);
    CHECK_INT(rill_stream_query(s.known), RILL_ERR_NOT_READY);
    open_gate();
    OK(rill_array_read(writer.array, s.known, &first, sizeof first));
    CHECK_INT(first, WRITES - 1);
    free(writer.host);
    close_host_scene(&s);
}

// ---- few of them ---------------------------------------------------------------------------------------------------

// More streams than there are chunks of pinned memory, and all of them have work before the copies.
TEST(streams_share_a_bounded_number_of_pinned_chunks)
{
    struct scene s;
    open_host_scene(&s);
    enum { STREAMS = 40, COUNT = 3 * MEGA / 2 }; // two pieces each
    rill_stream streams[STREAMS];
    int *hosts[STREAMS];
    shut_gate(&s, s.native);
    long before = stand_in_alive_at("host");
    for (int i = 0; i < STREAMS; i++) {
        OK(rill_stream_create(s.context, NULL, &streams[i]));
        hosts[i] = make_ints(COUNT, i);
        if (i % 2 == 0) { // behind the gate
            OK(rill_stream_wait(streams[i], s.known));
        }
    }
    for (int i = 0; i < 3 * STREAMS; i++) {
        int *host = hosts[i % STREAMS];
        OK(rill_launch(kernel_of(&s, "add"), streams[i % STREAMS], RILL_ARGS(COUNT, 1, RILL_HOST(host, COUNT))));
    }
    CHECK(stand_in_alive_at("host") - before <= 16 + STREAMS); // each stream has memory of launches
    open_gate();
    for (int i = 0; i < STREAMS; i++) {
        OK(rill_stream_destroy(streams[i]));
        check_ints(hosts[i], COUNT, i + 3);
        free(hosts[i]);
    }
    close_host_scene(&s);
}

enum { THREADS = 8, THREAD_STREAMS = 3, ROUNDS = 4, PART = 100000 };

struct worker {
    struct scene *scene;
    int number;
    rill_status status;
};

// Each has its own streams and memory, and shares the chunks with the others.
static void *stage_often(void *arg)
{
    struct worker *worker = arg;
    struct scene *s = worker->scene;
    rill_stream streams[THREAD_STREAMS] = {{0}};
    int *hosts[THREAD_STREAMS];
    for (int i = 0; i < THREAD_STREAMS; i++) {
        hosts[i] = make_ints(PART, worker->number);
        worker->status = first_of(worker->status, rill_stream_create(s->context, NULL, &streams[i]));
    }
    for (int i = 0; i < ROUNDS * THREAD_STREAMS; i++) {
        int *host = hosts[i % THREAD_STREAMS];
        worker->status = first_of(worker->status, rill_launch(kernel_of(s, "add"), streams[i % THREAD_STREAMS],
                                                              RILL_ARGS(PART, 1, RILL_HOST(host, PART))));
    }
    for (int i = 0; i < THREAD_STREAMS; i++) {
        worker->status = first_of(worker->status, rill_stream_destroy(streams[i]));
        check_ints(hosts[i], PART, worker->number + ROUNDS);
        free(hosts[i]);
    }
    return NULL;
}

TEST(threads_that_share_the_chunks_keep_their_bytes_apart)
{
    struct scene s;
    open_host_scene(&s);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.scene = &s, .number = 1000 * i};
        REQUIRE(pthread_create(&threads[i], NULL, stage_often, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(workers[i].status, RILL_OK);
    }
    close_host_scene(&s);
}

// Pinned memory of the program goes to the driver as it is.
TEST(pinned_memory_takes_no_detour)
{
    struct scene s;
    open_host_scene(&s);
    int (*host_alloc)(void **, size_t, unsigned);
    int (*host_free)(void *);
    *(void **)&host_alloc = find(&s, vendor.host_alloc);
    *(void **)&host_free = find(&s, vendor.host_free);
    void *pinned = NULL;
    REQUIRE(host_alloc(&pinned, MEGA * sizeof(int), 0) == 0);
    int *host = pinned;
    for (int i = 0; i < MEGA; i++) {
        host[i] = i;
    }
    long before = stand_in_alive_at("host");
    long functions = stand_in_calls_at(vendor.host_function);
    shut_gate(&s, s.native);
    OK(rill_launch(kernel_of(&s, "add"), s.known, RILL_ARGS(MEGA, 1, RILL_HOST(host, MEGA))));
    OK(rill_array_read_async(s.x, s.known, host, N * sizeof(int)));
    CHECK_INT(rill_stream_query(s.known), RILL_ERR_NOT_READY);
    open_gate();
    OK(rill_stream_synchronize(s.known));
    check_ints(host + N, MEGA - N, N + 1);
    CHECK_INT(stand_in_calls_at(vendor.host_function) - functions, 0);
    CHECK(stand_in_alive_at("host") - before <= 1);
    CHECK_INT(host_free(pinned), 0);
    close_host_scene(&s);
}

// ---- what it costs -------------------------------------------------------------------------------------------------

static long costly_calls(void)
{
    return stand_in_calls_at(vendor.host_alloc) + stand_in_calls_at(vendor.memory_alloc) +
           stand_in_calls_at(vendor.set) + stand_in_calls_at(vendor.stream_synchronize) +
           stand_in_calls_at(vendor.event_synchronize);
}

TEST(a_warm_launch_with_host_memory_allocates_and_waits_for_nothing)
{
    struct scene s;
    open_host_scene(&s);
    int *large = make_ints(MEGA, 0);
    int *small = make_ints(100, 0);
    long before = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 30) {
            OK(rill_stream_synchronize(s.stream));
            before = costly_calls();
        }
        OK(rill_launch(kernel_of(&s, "add"), s.stream, RILL_ARGS(MEGA, 1, RILL_HOST(large, MEGA))));
        OK(rill_launch(kernel_of(&s, "add"), s.stream, RILL_ARGS(100, 1, RILL_HOST(small, 100))));
        OK(rill_array_read_async(s.x, s.stream, small, 25 * sizeof *small));
    }
    CHECK_INT(costly_calls() - before, 0);
    OK(rill_stream_synchronize(s.stream));
    check_ints(large, MEGA, 60);
    free(large);
    free(small);
    close_host_scene(&s);
}

#endif

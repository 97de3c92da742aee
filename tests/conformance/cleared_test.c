// An error of a stream that one thread clears while others use the stream. Once rill_stream_clear_error() has returned,
// no call returns that error; what fails later is another one.
#include "world.h"

#include <semaphore.h>

enum { N = 100 };

struct scene {
    struct world world;
    rill_stream stream;
    rill_stream other;
    rill_event event;
    rill_array good;   // zeros, which `checked` takes
    rill_array bad[2]; // one element that it does not take: that at 1, that at 2
    rill_array copy;
    rill_array result; // of `answer`
    rill_kernel checked;
    rill_kernel answer;
    sem_t called_back;
    rill_status callback_status;
};

static void scene_open(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    world_open(&scene->world, 2);
    rill_context context = scene->world.context;
    OK(rill_stream_create(context, NULL, &scene->stream));
    OK(rill_stream_create(context, NULL, &scene->other));
    OK(rill_event_create(context, NULL, &scene->event));
    scene->good = world_array(&scene->world, RILL_I32, N);
    scene->copy = world_array(&scene->world, RILL_I32, N);
    scene->result = world_array(&scene->world, RILL_I32, 1);
    for (int k = 0; k < 2; k++) {
        int x[N] = {0};
        x[k + 1] = 50;
        scene->bad[k] = world_array(&scene->world, RILL_I32, N);
        OK(rill_array_write(scene->bad[k], RILL_CURRENT, x, sizeof x));
    }
    scene->checked = world_kernel(&scene->world, "checked");
    scene->answer = world_kernel(&scene->world, "answer");
    REQUIRE(sem_init(&scene->called_back, 0, 0) == 0);
    OK(rill_sync(context));
}

static void scene_close(struct scene *scene)
{
    world_close(&scene->world);
    sem_destroy(&scene->called_back);
}

static rill_status launch_bad(struct scene *scene, int which)
{
    return rill_launch(scene->checked, scene->stream, RILL_ARGS(N, 10, scene->bad[which]));
}

static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
    }
}

// ---- every call ---------------------------------------------------------------------------------------------------

static rill_status call_launch(struct scene *scene)
{
    return rill_launch(scene->checked, scene->stream, RILL_ARGS(N, 10, scene->good));
}

static rill_status call_launch_host(struct scene *scene)
{
    int x[N] = {0};
    rill_status status = rill_launch(scene->checked, scene->stream, RILL_ARGS(N, 10, RILL_HOST(x, N)));
    rill_status synced = rill_stream_synchronize(scene->stream);
    return status != RILL_OK ? status : synced;
}

static rill_status call_call(struct scene *scene)
{
    return rill_call(scene->checked, scene->stream, RILL_ARGS(N, 10, scene->good), NULL, 0);
}

static rill_status call_launch_result(struct scene *scene)
{
    return rill_launch_result(scene->answer, scene->stream, RILL_ARGS(), scene->result);
}

static rill_status call_synchronize(struct scene *scene)
{
    return rill_stream_synchronize(scene->stream);
}

static rill_status call_query(struct scene *scene)
{
    rill_status status = rill_stream_query(scene->stream);
    return status == RILL_ERR_NOT_READY ? RILL_OK : status;
}

static rill_status call_error(struct scene *scene)
{
    rill_error_info info;
    rill_status status = rill_stream_error(scene->stream, &info);
    return status != RILL_OK ? status : info.status;
}

static rill_status call_write(struct scene *scene)
{
    int x[N] = {0};
    return rill_array_write(scene->good, scene->stream, x, sizeof x);
}

static rill_status call_read(struct scene *scene)
{
    int x[N];
    return rill_array_read(scene->good, scene->stream, x, sizeof x);
}

static rill_status call_fill(struct scene *scene)
{
    return rill_array_fill(scene->good, scene->stream, &(int){0}, sizeof(int));
}

static rill_status call_copy(struct scene *scene)
{
    return rill_array_copy(scene->copy, scene->good, scene->stream);
}

static rill_status call_record(struct scene *scene)
{
    rill_status status = rill_event_record(scene->event, scene->stream);
    return status != RILL_OK ? status : rill_event_synchronize(scene->event);
}

static rill_status call_wait(struct scene *scene)
{
    rill_status status = rill_stream_wait(scene->other, scene->stream);
    status = status != RILL_OK ? status : rill_stream_synchronize(scene->other);
    rill_status cleared = rill_stream_clear_error(scene->other); // which has what it was given while there was one
    return status != RILL_OK ? status : cleared;
}

static void note_status(void *user, rill_status status)
{
    struct scene *scene = user;
    scene->callback_status = status;
    sem_post(&scene->called_back);
}

static rill_status call_callback(struct scene *scene)
{
    rill_status status = rill_stream_callback(scene->stream, note_status, scene);
    if (status == RILL_OK) {
        await(&scene->called_back);
        status = scene->callback_status;
    }
    return status;
}

static rill_status call_sync(struct scene *scene)
{
    return rill_sync(scene->world.context);
}

#define CALLS(X)                                                                                                       \
    X(launch)                                                                                                          \
    X(launch_host)                                                                                                     \
    X(call)                                                                                                            \
    X(launch_result)                                                                                                   \
    X(synchronize)                                                                                                     \
    X(query)                                                                                                           \
    X(error)                                                                                                           \
    X(write)                                                                                                           \
    X(read)                                                                                                            \
    X(fill)                                                                                                            \
    X(copy)                                                                                                            \
    X(record)                                                                                                          \
    X(wait)                                                                                                            \
    X(callback)                                                                                                        \
    X(sync)

static const struct {
    const char *name;
    rill_status (*make)(struct scene *scene);
} calls[] = {
#define X(name) {#name, call_##name},
    CALLS(X)
#undef X
};

// ---- one thread clears --------------------------------------------------------------------------------------------

struct user {
    struct scene *scene;
    int call;
    sem_t begin;       // there is an error, which may be cleared while the user calls
    sem_t was_cleared; // the clear has returned
    sem_t is_done;
    long refused_count; // before that
    bool is_over;
};

static void *use(void *arg)
{
    struct user *user = arg;
    for (long round = 0;; round++) {
        await(&user->begin);
        if (user->is_over) {
            return NULL;
        }
        user->refused_count += calls[user->call].make(user->scene) != RILL_OK;
        await(&user->was_cleared);
        if (calls[user->call].make(user->scene) != RILL_OK) {
            FAIL("round %ld: %s gives what was cleared: %s", round, calls[user->call].name, rill_message());
        }
        sem_post(&user->is_done);
    }
}

static void clear_beside(struct user *user, int rounds)
{
    struct scene *scene = user->scene;
    for (int round = 0; round < rounds; round++) {
        OK(launch_bad(scene, 0));
        STATUS(rill_stream_synchronize(scene->stream), RILL_ERR_ASSERT);
        sem_post(&user->begin);
        if (round % 2 == 1) {
            sched_yield(); // the user's call may come before the clear, in it, or behind it
        }
        OK(rill_stream_clear_error(scene->stream));
        sem_post(&user->was_cleared);
        await(&user->is_done);
        OK(rill_stream_synchronize(scene->stream)); // what was queued behind the clear runs
    }
}

TEST(no_call_returns_an_error_that_another_thread_has_cleared)
{
    struct scene scene;
    scene_open(&scene);
    struct user user = {.scene = &scene};
    REQUIRE(sem_init(&user.begin, 0, 0) == 0 && sem_init(&user.was_cleared, 0, 0) == 0 &&
            sem_init(&user.is_done, 0, 0) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, use, &user) == 0);
    for (user.call = 0; user.call < (int)(sizeof calls / sizeof *calls); user.call++) {
        clear_beside(&user, 40);
    }
    user.is_over = true;
    sem_post(&user.begin);
    pthread_join(thread, NULL);
    sem_destroy(&user.begin);
    sem_destroy(&user.was_cleared);
    sem_destroy(&user.is_done);
    scene_close(&scene);
}

// ---- work that was queued before the clear --------------------------------------------------------------------------

// The stream stands at |gate| with an error that was cleared; behind the gate is a launch that fails in iteration 2.
static void clear_at_gate(struct scene *scene, struct world_gate *gate)
{
    struct world_gate first = WORLD_GATE_INIT;
    rill_error_info info = {.status = RILL_OK};
    OK(rill_stream_callback(scene->stream, world_stand_at_gate, &first));
    OK(launch_bad(scene, 0));
    OK(rill_stream_callback(scene->stream, world_stand_at_gate, gate));
    OK(launch_bad(scene, 1));
    world_open_gate(&first);
    while (info.status == RILL_OK) {
        OK(rill_stream_error(scene->stream, &info));
    }
    CHECK_INT(info.iteration, 1);
    OK(rill_stream_clear_error(scene->stream));
    OK(rill_stream_error(scene->stream, &info));
    CHECK_INT(info.status, RILL_OK);
    CHECK_INT(rill_stream_query(scene->stream), RILL_ERR_NOT_READY);
}

TEST(what_was_queued_before_the_clear_and_fails_later_is_a_new_error)
{
    struct scene scene;
    scene_open(&scene);
    for (int round = 0; round < 20; round++) {
        struct world_gate gate = WORLD_GATE_INIT;
        clear_at_gate(&scene, &gate);
        OK(call_launch(&scene)); // not refused
        world_open_gate(&gate);
        STATUS(rill_stream_synchronize(scene.stream), RILL_ERR_ASSERT);
        rill_error_info info;
        OK(rill_stream_error(scene.stream, &info));
        CHECK_INT(info.iteration, 2);
        OK(rill_stream_clear_error(scene.stream));
        OK(rill_stream_synchronize(scene.stream));
    }
    scene_close(&scene);
}

TEST(new_error_behind_a_cleared_one_is_returned_when_the_stream_is_destroyed)
{
    struct scene scene;
    scene_open(&scene);
    struct world_gate gate = WORLD_GATE_INIT;
    clear_at_gate(&scene, &gate);
    world_open_gate(&gate);
    STATUS(rill_stream_destroy(scene.stream), RILL_ERR_ASSERT);
    CHECK_CONTAINS(rill_message(), "in iteration 2");
    scene_close(&scene);
}

TEST(error_that_a_wait_brings_again_after_the_clear_is_returned_when_the_stream_is_destroyed)
{
    struct scene scene;
    scene_open(&scene);
    OK(launch_bad(&scene, 0));
    OK(rill_event_record(scene.event, scene.stream));
    OK(rill_event_wait(scene.event, scene.other));
    STATUS(rill_stream_synchronize(scene.other), RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(scene.other));
    OK(rill_stream_synchronize(scene.other));
    OK(rill_event_wait(scene.event, scene.other)); // the event's place is still behind the failure
    STATUS(rill_stream_destroy(scene.other), RILL_ERR_ASSERT);
    STATUS(rill_stream_synchronize(scene.stream), RILL_ERR_ASSERT);
    scene_close(&scene);
}

static void clear_in_callback(void *user, rill_status status)
{
    struct scene *scene = user;
    scene->callback_status = status;
    OK(rill_stream_clear_error(scene->stream));
    sem_post(&scene->called_back);
}

TEST(error_that_a_callback_clears_is_gone_for_what_is_behind_it)
{
    struct scene scene;
    scene_open(&scene);
    for (int round = 0; round < 20; round++) {
        OK(launch_bad(&scene, 0));
        OK(rill_stream_callback(scene.stream, clear_in_callback, &scene));
        OK(rill_event_record(scene.event, scene.stream));
        await(&scene.called_back);
        CHECK_INT(scene.callback_status, RILL_ERR_ASSERT);
        OK(call_launch(&scene));
        OK(rill_event_synchronize(scene.event));
        OK(rill_stream_synchronize(scene.stream));
    }
    scene_close(&scene);
}

// ---- what is known ------------------------------------------------------------------------------------------------

struct looker {
    rill_stream stream;
    sem_t begin;
    sem_t is_done;
    bool is_over;
};

static void *look_once(void *arg)
{
    struct looker *looker = arg;
    for (;;) {
        await(&looker->begin);
        if (looker->is_over) {
            return NULL;
        }
        rill_error_info info;
        OK(rill_stream_error(looker->stream, &info));
        sem_post(&looker->is_done);
    }
}

// A thread that looks at the first error while another clears it and is told of the second does not make that one news.
TEST(error_that_was_returned_is_not_returned_again_by_destroying_whoever_looks_meanwhile)
{
    struct scene scene;
    scene_open(&scene);
    struct looker looker = {.is_over = false};
    REQUIRE(sem_init(&looker.begin, 0, 0) == 0 && sem_init(&looker.is_done, 0, 0) == 0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, look_once, &looker) == 0);
    for (int round = 0; round < 300; round++) {
        OK(rill_stream_create(scene.world.context, NULL, &scene.stream));
        looker.stream = scene.stream;
        OK(launch_bad(&scene, 0));
        STATUS(rill_stream_synchronize(scene.stream), RILL_ERR_ASSERT);
        sem_post(&looker.begin);
        OK(rill_stream_clear_error(scene.stream));
        OK(launch_bad(&scene, 1));
        STATUS(rill_stream_synchronize(scene.stream), RILL_ERR_ASSERT);
        await(&looker.is_done);
        OK(rill_stream_destroy(scene.stream));
    }
    looker.is_over = true;
    sem_post(&looker.begin);
    pthread_join(thread, NULL);
    sem_destroy(&looker.begin);
    sem_destroy(&looker.is_done);
    scene_close(&scene);
}

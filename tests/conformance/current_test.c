// RILL_CURRENT in calls that name nothing but a stream: what it is there, and where it is refused.
#include "world.h"

#include <sys/wait.h>
#include <unistd.h>

// Queues what takes a while, so that a wait for the wrong stream would be seen.
static void append(struct world *world, rill_stream stream, rill_array digits, int digit)
{
    OK(rill_launch(world_kernel(world, "slow"), stream, RILL_ARGS(200000)));
    OK(rill_launch(world_kernel(world, "append"), stream, RILL_ARGS(digit, digits)));
}

static void note(void *user, rill_status status)
{
    atomic_fetch_add((atomic_int *)user, status == RILL_OK ? 1 : 100);
}

TEST(current_stream_of_the_only_context_is_its_default_stream)
{
    struct world world;
    world_open(&world, 2);
    rill_array digits = world_array(&world, RILL_I64, 1);
    append(&world, RILL_CURRENT, digits, 7);
    OK(rill_stream_synchronize(RILL_CURRENT));
    OK(rill_stream_query(RILL_CURRENT)); // all has run
    OK(rill_stream_query(rill_default_stream(world.context)));
    rill_error_info info;
    OK(rill_stream_error(RILL_CURRENT, &info));
    CHECK_INT(info.status, RILL_OK);
    OK(rill_stream_clear_error(RILL_CURRENT));
    OK(rill_stream_wait(RILL_CURRENT, RILL_CURRENT));
    atomic_int calls = 0;
    OK(rill_stream_callback(RILL_CURRENT, note, &calls));
    OK(rill_stream_synchronize(RILL_CURRENT));
    CHECK_INT(atomic_load(&calls), 1);
    void *native = NULL;
    if (world_is_cpu()) {
        STATUS(rill_stream_native(RILL_CURRENT, &native), RILL_ERR_UNSUPPORTED);
    } else {
        void *same = NULL;
        OK(rill_stream_native(RILL_CURRENT, &native));
        OK(rill_stream_native(rill_default_stream(world.context), &same));
        CHECK(native == same);
    }
    world_close(&world);
    STATUS(rill_stream_synchronize(RILL_CURRENT), RILL_ERR_INVALID);
    CHECK_STR(rill_message(), "rill_stream_synchronize: RILL_CURRENT says nothing, because no context is open");
}

TEST(current_stream_of_a_scope_is_taken_also_beside_other_contexts)
{
    struct world world;
    world_open(&world, 2);
    rill_context other = {0};
    OK(rill_open(world_device(), NULL, &other));
    rill_stream stream = {0}, foreign = {0};
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_stream_create(other, NULL, &foreign));
    STATUS(rill_stream_query(RILL_CURRENT), RILL_ERR_INVALID); // of two contexts
    rill_scope outer = {0}, same = {0}, inner = {0};
    OK(rill_scope_enter(&outer, stream));
    atomic_int calls = 0;
    OK(rill_stream_callback(RILL_CURRENT, note, &calls));
    OK(rill_stream_synchronize(stream));
    CHECK_INT(atomic_load(&calls), 1);
    OK(rill_scope_enter(&same, RILL_CURRENT));
    CHECK_UINT(rill_current_stream(world.context).id, stream.id);
    OK(rill_stream_synchronize(RILL_CURRENT));

    OK(rill_scope_enter(&inner, foreign));
    STATUS(rill_stream_synchronize(RILL_CURRENT), RILL_ERR_INVALID);
    CHECK_STR(rill_message(), "rill_stream_synchronize: RILL_CURRENT does not say of which context: this thread is in "
                              "scopes of several; write rill_current_stream(context)");
    OK(rill_stream_synchronize(rill_current_stream(other)));
    OK(rill_scope_leave(&inner));

    // Neither another stream nor the default one takes the place of one that is gone.
    OK(rill_stream_destroy(stream));
    STATUS(rill_stream_synchronize(RILL_CURRENT), RILL_ERR_STALE);
    OK(rill_close(other));
    STATUS(rill_stream_synchronize(RILL_CURRENT), RILL_ERR_STALE);
    OK(rill_scope_leave(&same));
    OK(rill_scope_leave(&outer));
    OK(rill_stream_synchronize(RILL_CURRENT)); // one context again, and no scope
    world_close(&world);
}

static void *ask_without_a_scope(void *arg)
{
    rill_status *status = arg;
    status[0] = rill_stream_synchronize(RILL_CURRENT);
    status[1] = rill_stream_error(RILL_CURRENT, &(rill_error_info){.status = RILL_OK});
    return NULL;
}

TEST(current_stream_is_asked_of_the_calling_thread)
{
    struct world world;
    world_open(&world, 2);
    rill_stream stream = {0};
    rill_scope scope = {0};
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_scope_enter(&scope, stream));
    rill_array x = world_array(&world, RILL_I32, 1);
    OK(rill_array_write(x, RILL_CURRENT, &(int){5}, sizeof(int)));
    OK(rill_launch(world_kernel(&world, "checked"), RILL_CURRENT, RILL_ARGS(1, 3, x)));
    STATUS(rill_stream_synchronize(RILL_CURRENT), RILL_ERR_ASSERT);
    rill_status status[2] = {RILL_ERR_INTERNAL, RILL_ERR_INTERNAL};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, ask_without_a_scope, status) == 0);
    pthread_join(thread, NULL);
    STATUS(status[0], RILL_OK); // the default stream, which has not failed
    STATUS(status[1], RILL_OK);
    OK(rill_stream_clear_error(RILL_CURRENT));
    OK(rill_scope_leave(&scope));
    world_close(&world);
}

TEST(current_stream_after_a_fork_is_the_childs_own)
{
    if (!world_is_cpu()) {
        SKIP("a driver does not survive a fork");
    }
    struct world world;
    world_open(&world, 2);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        bool is_right = rill_stream_synchronize(RILL_CURRENT) == RILL_ERR_FORKED;
        rill_context own = {0};
        is_right = is_right && rill_open("cpu", NULL, &own) == RILL_OK;
        is_right = is_right && rill_stream_synchronize(RILL_CURRENT) == RILL_OK;
        is_right = is_right && rill_close(own) == RILL_OK;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(rill_stream_synchronize(RILL_CURRENT));
    world_close(&world);
}

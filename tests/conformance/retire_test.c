// A destroyed array goes when the streams that used it have come past, whatever others do.
#include "world.h"

#include <unistd.h>

enum { N = 1000 };

struct scene {
    struct world world;
    rill_stream held; // stands at the gate
    rill_stream other;
    struct world_gate gate;
    uint64_t base_size;
};

static uint64_t size_in_use(struct scene *scene)
{
    rill_stats stats;
    OK(rill_context_stats(scene->world.context, &stats));
    return stats.array_size;
}

static void begin(struct scene *scene)
{
    *scene = (struct scene){.gate = WORLD_GATE_INIT};
    world_open(&scene->world, 2);
    OK(rill_stream_create(scene->world.context, NULL, &scene->held));
    OK(rill_stream_create(scene->world.context, NULL, &scene->other));
    OK(rill_stream_callback(scene->held, world_stand_at_gate, &scene->gate));
    scene->base_size = size_in_use(scene);
}

static void finish(struct scene *scene)
{
    world_open_gate(&scene->gate);
    OK(rill_sync(scene->world.context));
    CHECK_INT(size_in_use(scene), scene->base_size);
    world_close(&scene->world);
}

TEST(array_that_no_stream_used_goes_at_once_beside_a_held_stream)
{
    struct scene scene;
    begin(&scene);
    for (int i = 0; i < 64; i++) {
        rill_array array = world_array(&scene.world, RILL_F32, N);
        OK(rill_array_destroy(array));
        CHECK_INT(size_in_use(&scene), scene.base_size);
    }
    finish(&scene);
}

TEST(array_goes_with_the_stream_that_used_it_beside_a_held_stream)
{
    struct scene scene;
    begin(&scene);
    rill_kernel scale = world_kernel(&scene.world, "scale");
    for (int i = 0; i < 64; i++) {
        rill_array array = world_array(&scene.world, RILL_F32, N);
        OK(rill_launch(scale, scene.other, RILL_ARGS(N, array)));
        OK(rill_array_destroy(array));
        OK(rill_stream_synchronize(scene.other));
        CHECK_INT(size_in_use(&scene), scene.base_size);
    }
    finish(&scene);
}

// ---- every way to use an array ------------------------------------------------------------------------------------

typedef void use_function(struct scene *scene, rill_array array);

static float host_memory[N];

static void use_launch(struct scene *scene, rill_array array)
{
    OK(rill_launch(world_kernel(&scene->world, "scale"), scene->held, RILL_ARGS(N, array)));
}

static void use_current_launch(struct scene *scene, rill_array array)
{
    rill_scope scope;
    OK(rill_scope_enter(&scope, scene->held));
    OK(rill_launch(world_kernel(&scene->world, "scale"), RILL_CURRENT, RILL_ARGS(N, array)));
    OK(rill_scope_leave(&scope));
}

static void use_current_fill(struct scene *scene, rill_array array)
{
    float one = 1;
    rill_scope scope;
    OK(rill_scope_enter(&scope, scene->held));
    OK(rill_array_fill(array, RILL_CURRENT, &one, sizeof one));
    OK(rill_scope_leave(&scope));
}

static void use_current_read(struct scene *scene, rill_array array)
{
    rill_scope scope;
    OK(rill_scope_enter(&scope, scene->held));
    OK(rill_array_read_async(array, RILL_CURRENT, host_memory, sizeof host_memory));
    OK(rill_scope_leave(&scope));
}

static void use_result(struct scene *scene, rill_array array)
{
    rill_array x = world_array(&scene->world, RILL_F32, 1);
    OK(rill_launch_result(world_kernel(&scene->world, "sum"), scene->held, RILL_ARGS(1, x), array));
    OK(rill_array_destroy(x));
}

static void use_read(struct scene *scene, rill_array array)
{
    OK(rill_array_read_async(array, scene->held, host_memory, sizeof host_memory));
}

static void use_write(struct scene *scene, rill_array array)
{
    OK(rill_array_write_async(array, scene->held, host_memory, sizeof host_memory));
}

static void use_staged_write(struct scene *scene, rill_array array)
{
    float values[N] = {0};
    OK(rill_array_write(array, scene->held, values, sizeof values));
}

static void use_read_at(struct scene *scene, rill_array array)
{
    OK(rill_array_read_at_async(array, scene->held, 1, host_memory, N - 1));
}

static void use_write_at(struct scene *scene, rill_array array)
{
    OK(rill_array_write_at_async(array, scene->held, 1, host_memory, N - 1));
}

static void use_staged_write_at(struct scene *scene, rill_array array)
{
    float value = 1;
    OK(rill_array_write_at(array, scene->held, 1, &value, 1));
}

static void use_fill(struct scene *scene, rill_array array)
{
    float one = 1;
    OK(rill_array_fill(array, scene->held, &one, sizeof one));
}

static void use_as_source(struct scene *scene, rill_array array)
{
    rill_array target = world_array(&scene->world, RILL_F32, N);
    OK(rill_array_copy(target, array, scene->held));
    OK(rill_array_destroy(target));
}

static void use_as_target(struct scene *scene, rill_array array)
{
    rill_array source = world_array(&scene->world, RILL_F32, N);
    OK(rill_array_copy(array, source, scene->held));
    OK(rill_array_destroy(source));
}

static void use_transfer_source(struct scene *scene, rill_array array)
{
    rill_array target = world_array(&scene->world, RILL_F32, N);
    OK(rill_array_transfer(target, scene->held, array, scene->other));
    OK(rill_array_destroy(target));
}

static void use_transfer_target(struct scene *scene, rill_array array)
{
    rill_array source = world_array(&scene->world, RILL_F32, N);
    OK(rill_array_transfer(array, scene->held, source, scene->other));
    OK(rill_array_destroy(source));
}

static void use_view(struct scene *scene, rill_array array)
{
    rill_array view;
    OK(rill_array_view(array, 10, RILL_SHAPE(N / 2), &view));
    OK(rill_launch(world_kernel(&scene->world, "scale"), scene->held, RILL_ARGS(N / 2, view)));
    OK(rill_array_destroy(view));
}

static void use_by_address(struct scene *scene, rill_array array)
{
    void *address;
    OK(rill_array_address(array, &address));
    OK(rill_launch(world_kernel(&scene->world, "scale"), scene->held, RILL_ARGS(N, RILL_PTR((float *)address, N))));
}

static void use_after_others(struct scene *scene, rill_array array)
{
    float one = 1;
    rill_stream streams[20];
    for (int i = 0; i < 20; i++) {
        OK(rill_stream_create(scene->world.context, NULL, &streams[i]));
        OK(rill_array_fill(array, streams[i], &one, sizeof one));
        OK(rill_stream_synchronize(streams[i]));
    }
    OK(rill_array_fill(array, scene->held, &one, sizeof one));
    for (int i = 0; i < 20; i++) {
        OK(rill_stream_destroy(streams[i]));
    }
}

TEST(array_stays_for_work_that_was_queued_in_any_way)
{
    static const struct {
        const char *name;
        use_function *use;
    } ways[] = {
        {"launch", use_launch},
        {"launch on the current stream", use_current_launch},
        {"fill on the current stream", use_current_fill},
        {"read on the current stream", use_current_read},
        {"result", use_result},
        {"read", use_read},
        {"write", use_write},
        {"staged write", use_staged_write},
        {"read of some elements", use_read_at},
        {"write of some elements", use_write_at},
        {"staged write of some elements", use_staged_write_at},
        {"fill", use_fill},
        {"source of a copy", use_as_source},
        {"target of a copy", use_as_target},
        {"source of a transfer", use_transfer_source},
        {"target of a transfer", use_transfer_target},
        {"view", use_view},
        {"address", use_by_address},
        {"one stream of many", use_after_others},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct scene scene;
        begin(&scene);
        rill_array array = world_array(&scene.world, RILL_F32, N);
        ways[i].use(&scene, array);
        OK(rill_array_destroy(array));
        if (size_in_use(&scene) < scene.base_size + N * sizeof(float)) {
            FAIL("%s: the memory is gone while it is in use", ways[i].name);
        }
        finish(&scene);
    }
}

static void note_release(void *user, void *memory)
{
    (void)memory;
    atomic_store((atomic_bool *)user, true);
}

TEST(wrapped_memory_stays_for_a_kernel_that_was_given_its_address)
{
    if (!world_is_cpu()) {
        SKIP("the memory of the host is the device's there alone");
    }
    static float memory[N];
    atomic_bool is_released = false;
    struct scene scene;
    begin(&scene);
    rill_array array;
    rill_wrap wrap = {
        .memory = memory, .type = RILL_F32, .shape = RILL_SHAPE(N), .release = note_release, .user = &is_released};
    OK(rill_array_wrap(scene.world.context, &wrap, &array));
    OK(rill_launch(world_kernel(&scene.world, "scale"), scene.held, RILL_ARGS(N, RILL_PTR(memory, N))));
    OK(rill_array_destroy(array));
    OK(rill_stream_synchronize(scene.other));
    CHECK(!atomic_load(&is_released));
    finish(&scene);
    CHECK(atomic_load(&is_released));
}

// The mark of the array lies behind the end of its stream.
TEST(wrapped_memory_of_a_destroyed_stream_is_released_before_its_context_is_closed)
{
    if (!world_is_cpu()) {
        SKIP("the memory of the host is the device's there alone");
    }
    static float memory[N];
    for (int round = 0; round < 100; round++) {
        atomic_bool is_released = false;
        float one = 1;
        rill_context context;
        rill_stream stream;
        rill_array array;
        struct world_gate gate = WORLD_GATE_INIT;
        rill_wrap wrap = {
            .memory = memory, .type = RILL_F32, .shape = RILL_SHAPE(N), .release = note_release, .user = &is_released};
        OK(rill_open("cpu", &(rill_open_options){.thread_count = 2}, &context));
        OK(rill_stream_create(context, NULL, &stream));
        OK(rill_array_wrap(context, &wrap, &array));
        OK(rill_stream_callback(stream, world_stand_at_gate, &gate));
        OK(rill_array_fill(array, stream, &one, sizeof one));
        OK(rill_stream_destroy_later(stream));
        OK(rill_array_destroy(array));
        world_open_gate(&gate);
        usleep((useconds_t)(round % 20) * 10);
        OK(rill_close(context));
        CHECK(atomic_load(&is_released));
    }
}

// ---- many streams -------------------------------------------------------------------------------------------------

TEST(array_of_many_streams_goes_beside_a_held_one_that_is_none_of_them)
{
    enum { STREAMS = 100 };
    struct scene scene;
    begin(&scene);
    float read[STREAMS]; // reads need no order among each other
    rill_stream streams[STREAMS];
    rill_array array = world_array(&scene.world, RILL_F32, N);
    for (int i = 0; i < STREAMS; i++) {
        OK(rill_stream_create(scene.world.context, NULL, &streams[i]));
        OK(rill_array_read_async(array, streams[i], &read[i], sizeof read[i]));
    }
    for (int i = 0; i < STREAMS; i++) {
        OK(rill_stream_synchronize(streams[i]));
    }
    OK(rill_array_destroy(array));
    CHECK_INT(size_in_use(&scene), scene.base_size);
    finish(&scene);
}

TEST(array_stays_for_a_stream_that_was_destroyed_before_it)
{
    struct scene scene;
    begin(&scene);
    rill_array array = world_array(&scene.world, RILL_F32, N);
    use_fill(&scene, array);
    OK(rill_stream_destroy_later(scene.held));
    OK(rill_array_destroy(array));
    CHECK_INT(size_in_use(&scene), scene.base_size + N * sizeof(float));
    finish(&scene);
}

// ---- memory -------------------------------------------------------------------------------------------------------

struct meter {
    atomic_long count;
    atomic_long fail_at; // 0: none
    atomic_long live;    // bytes
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    void *memory;
    if (atomic_fetch_add(&meter->count, 1) + 1 == atomic_load(&meter->fail_at) ||
        posix_memalign(&memory, alignment < 8 ? 8 : alignment, size) != 0) {
        return NULL;
    }
    atomic_fetch_add(&meter->live, (long)size);
    return memory;
}

static void meter_release(void *user, void *memory, size_t size)
{
    atomic_fetch_sub(&((struct meter *)user)->live, (long)size);
    free(memory);
}

static rill_context open_metered(struct meter *meter)
{
    rill_context context = {0};
    rill_allocator allocator = {meter, meter_allocate, meter_release};
    rill_open_options options = {.allocator = &allocator, .thread_count = 2};
    OK(rill_open(world_device(), &options, &context));
    return context;
}

TEST(streams_that_are_gone_leave_nothing_with_an_array_that_they_used)
{
    enum { ROUNDS = 4000, SETTLED = 200, TOGETHER = 8, SLACK = 128 << 10 }; // their ids alone are twice as much
    struct meter meter = {0};
    rill_context context = open_metered(&meter);
    rill_array array;
    OK(rill_array_create(context, RILL_F32, RILL_SHAPE(4), &array));
    float read[TOGETHER];
    long settled = 0;
    for (int round = 0; round < ROUNDS; round++) {
        rill_stream streams[TOGETHER];
        for (int i = 0; i < TOGETHER; i++) {
            OK(rill_stream_create(context, NULL, &streams[i]));
            OK(rill_array_read_async(array, streams[i], &read[i], sizeof read[i]));
        }
        for (int i = 0; i < TOGETHER; i++) {
            OK(rill_stream_destroy(streams[i]));
        }
        settled = round == SETTLED ? atomic_load(&meter.live) : settled;
    }
    for (int i = 0; i < 5000 && atomic_load(&meter.live) > settled + SLACK; i++) { // a stream goes a little later
        usleep(1000);
    }
    CHECK(atomic_load(&meter.live) <= settled + SLACK);
    OK(rill_close(context));
    CHECK_INT(atomic_load(&meter.live), 0);
}

struct readers {
    rill_stream streams[40];
    float read[40];
};

static rill_status read_on_many(rill_context context, rill_array array, struct readers *readers, int count)
{
    for (int i = 0; i < count; i++) {
        RILL_TRY(rill_stream_create(context, NULL, &readers->streams[i]));
        RILL_TRY(rill_array_read_async(array, readers->streams[i], &readers->read[i], sizeof readers->read[i]));
    }
    return RILL_OK;
}

// Where there is no memory to note a stream, the array waits for all of them.
TEST(nth_allocation_fails_where_many_streams_use_an_array)
{
    enum { STREAMS = 40 };
    long total = 0;
    for (long n = 0; n <= total; n++) {
        struct meter meter = {0};
        rill_context context = open_metered(&meter);
        struct readers readers;
        rill_array array;
        OK(rill_array_create(context, RILL_F32, RILL_SHAPE(N), &array));
        long before = atomic_load(&meter.count);
        atomic_store(&meter.fail_at, n > 0 ? before + n : 0);
        rill_status status = read_on_many(context, array, &readers, STREAMS);
        CHECK(status == RILL_OK || (n > 0 && status == RILL_ERR_OUT_OF_MEMORY));
        total = n == 0 ? atomic_load(&meter.count) - before : total;
        atomic_store(&meter.fail_at, 0);
        OK(rill_array_destroy(array));
        OK(rill_sync(context));
        rill_stats stats;
        OK(rill_context_stats(context, &stats));
        CHECK_INT(stats.array_size, 0);
        OK(rill_close(context));
        CHECK_INT(atomic_load(&meter.live), 0);
    }
    CHECK(total > STREAMS);
}

// ---- threads ------------------------------------------------------------------------------------------------------

struct user {
    struct world *world;
    rill_array shared;
    rill_kernel kernel;
};

static void *use_arrays(void *arg)
{
    struct user *user = arg;
    for (int round = 0; round < 20; round++) {
        rill_stream stream;
        OK(rill_stream_create(user->world->context, NULL, &stream));
        rill_array own = world_array(user->world, RILL_F32, N);
        for (int i = 0; i < 10; i++) {
            OK(rill_launch(user->kernel, stream, RILL_ARGS(N, 2.0f, user->shared, own)));
        }
        OK(rill_array_destroy(own));
        OK(rill_stream_destroy_later(stream));
    }
    return NULL;
}

TEST(threads_use_one_array_on_streams_of_their_own)
{
    enum { THREADS = 6 };
    struct world world;
    world_open(&world, 2);
    struct user user = {&world, world_array(&world, RILL_F32, N), world_kernel(&world, "saxpy")};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_create(&threads[i], NULL, use_arrays, &user), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    }
    OK(rill_array_destroy(user.shared));
    OK(rill_sync(world.context));
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.array_size, 0);
    world_close(&world);
}

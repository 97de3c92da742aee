// rill_host_alloc() and rill_host_free(): memory of the host that copies and launches use, freed at any time.
#include "world.h"

#include <stdint.h>

enum { N = 5000 };

static float *floats(struct world *world, size_t count)
{
    void *memory = NULL;
    OK(rill_host_alloc(world->context, count * sizeof(float), &memory));
    CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
    return memory;
}

TEST(host_memory_is_copied_both_ways)
{
    struct world world;
    world_open(&world, 2);
    float *in = floats(&world, N), *out = floats(&world, N);
    rill_array array = world_array(&world, RILL_F32, N);
    for (int i = 0; i < N; i++) {
        in[i] = (float)i;
        out[i] = -1.0f;
    }
    OK(rill_array_write_async(array, RILL_CURRENT, in, N * sizeof *in));
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(N, array)));
    OK(rill_array_read_async(array, RILL_CURRENT, out, N * sizeof *out));
    OK(rill_sync(world.context));
    for (int i = 0; i < N; i++) {
        CHECK(out[i] == 2.0f * (float)i);
    }
    OK(rill_host_free(world.context, in));
    OK(rill_host_free(world.context, out));
    world_close(&world);
}

TEST(host_memory_is_an_argument)
{
    struct world world;
    world_open(&world, 2);
    float *x = floats(&world, N);
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
    }
    OK(rill_launch(world_kernel(&world, "scale"), RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))));
    OK(rill_sync(world.context));
    for (int i = 0; i < N; i++) {
        CHECK(x[i] == 2.0f * (float)i);
    }
    OK(rill_host_free(world.context, x));
    world_close(&world);
}

// A stream stands at a gate; what is queued behind it reads the memory after it was freed and others were allocated.
TEST(freed_host_memory_stays_until_queued_copies_have_read_it)
{
    struct world world;
    world_open(&world, 2);
    struct world_gate gate = WORLD_GATE_INIT;
    rill_stream held;
    OK(rill_stream_create(world.context, NULL, &held));
    rill_array array = world_array(&world, RILL_F32, N);
    float *in = floats(&world, N);
    for (int i = 0; i < N; i++) {
        in[i] = (float)i;
    }
    OK(rill_stream_callback(held, world_stand_at_gate, &gate));
    OK(rill_array_write_async(array, held, in, N * sizeof *in));
    OK(rill_host_free(world.context, in));
    CHECK_INT(rill_host_free(world.context, in), RILL_ERR_INVALID); // at once, also while it is still used
    for (int k = 0; k < 8; k++) {
        float *other = floats(&world, N);
        CHECK(other != in);
        memset(other, 0xff, N * sizeof *other);
    }
    world_open_gate(&gate);
    static float out[N];
    OK(rill_array_read(array, held, out, sizeof out));
    for (int i = 0; i < N; i++) {
        CHECK(out[i] == (float)i);
    }
    world_close(&world); // with eight that nobody has freed
}

static void free_in_callback(void *user, rill_status status)
{
    OK(status);
    void **what = user;
    rill_context context = *(rill_context *)what[0];
    OK(rill_host_free(context, what[1]));
    void *more = NULL;
    OK(rill_host_alloc(context, 100, &more));
    OK(rill_host_free(context, more));
}

TEST(callbacks_may_allocate_and_free_host_memory)
{
    struct world world;
    world_open(&world, 2);
    void *what[2] = {&world.context, floats(&world, N)};
    OK(rill_stream_callback(rill_default_stream(world.context), free_in_callback, what));
    OK(rill_sync(world.context));
    OK(rill_context_trim(world.context));
    world_close(&world);
}

TEST(host_memory_is_refused_with_words)
{
    struct world world;
    world_open(&world, 1);
    void *memory = &world;
    CHECK_INT(rill_host_alloc(world.context, SIZE_MAX, &memory), RILL_ERR_INVALID);
    CHECK(memory == NULL && strstr(rill_message(), "more than can be addressed") != NULL);
    memory = &world;
    CHECK_INT(rill_host_alloc(world.context, (size_t)1 << 60, &memory), RILL_ERR_OUT_OF_MEMORY);
    CHECK(memory == NULL);
    CHECK_INT(rill_host_alloc(world.context, 1, NULL), RILL_ERR_INVALID);
    CHECK_INT(rill_host_alloc((rill_context){0}, 1, &memory), RILL_ERR_NULL_HANDLE);
    float *x = floats(&world, 10);
    CHECK_INT(rill_host_free(world.context, x + 1), RILL_ERR_INVALID);
    CHECK(strstr(rill_message(), "no address that rill_host_alloc() gave") != NULL);
    OK(rill_host_free(world.context, NULL));
    OK(rill_host_free(world.context, x));
    float *none = floats(&world, 0);
    OK(rill_host_free(world.context, none));
    world_close(&world);
}

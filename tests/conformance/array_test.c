// Arrays: what they begin with, their elements one by one and in ranges, what calls take of the host's memory.
#include "world.h"

enum { COUNT = 12 };

static void counting(int values[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        values[i] = 100 + i;
    }
}

TEST(one_element_is_read_and_written_where_it_is)
{
    struct world world;
    world_open(&world, 2);
    rill_array array = world_array(&world, RILL_I32, COUNT);
    int values[COUNT];
    counting(values);
    OK(rill_array_write(array, RILL_CURRENT, values, sizeof values));
    for (int i = 0; i < COUNT; i++) {
        int got = 0;
        OK(rill_array_read_at(array, RILL_CURRENT, (size_t)i, &got, 1));
        CHECK_INT(got, 100 + i);
    }
    OK(rill_array_write_at(array, RILL_CURRENT, COUNT - 1, &(int){-7}, 1));
    OK(rill_array_read(array, RILL_CURRENT, values, sizeof values));
    CHECK_INT(values[COUNT - 2], 100 + COUNT - 2);
    CHECK_INT(values[COUNT - 1], -7);
    OK(rill_array_read_at(array, RILL_CURRENT, COUNT, NULL, 0)); // nothing, from the end on
    world_close(&world);
}

TEST(elements_of_a_view_a_matrix_and_structs_count_in_flat_order)
{
    struct world world;
    world_open(&world, 2);
    rill_array matrix = {0};
    rill_array view = {0};
    rill_array pairs = {0};
    int values[COUNT];
    counting(values);
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(3, 4), &matrix));
    OK(rill_array_write(matrix, RILL_CURRENT, values, sizeof values));
    OK(rill_array_view(matrix, 4, RILL_SHAPE(2, 4), &view));
    int got[2] = {0};
    OK(rill_array_read_at(matrix, RILL_CURRENT, 1 * 4 + 2, got, 2));
    CHECK_INT(got[0], 106);
    CHECK_INT(got[1], 107);
    OK(rill_array_read_at(view, RILL_CURRENT, 7, got, 1));
    CHECK_INT(got[0], 111);
    STATUS(rill_array_read_at(view, RILL_CURRENT, 7, got, 2), RILL_ERR_INVALID); // the matrix ends there too
    struct {
        int a, b;
    } one = {5, 6}, two = {0, 0};
    OK(rill_array_create_struct(world.context, sizeof one, RILL_SHAPE(5), &pairs));
    OK(rill_array_write_at(pairs, RILL_CURRENT, 3, &one, 1));
    OK(rill_array_read_at(pairs, RILL_CURRENT, 3, &two, 1));
    CHECK_INT(two.a, 5);
    CHECK_INT(two.b, 6);
    OK(rill_array_read_at(pairs, RILL_CURRENT, 2, &two, 1));
    CHECK_INT(two.b, 0);
    world_close(&world);
}

TEST(elements_are_read_and_written_in_stream_order)
{
    struct world world;
    world_open(&world, 2);
    rill_kernel append = world_kernel(&world, "append");
    rill_array digits = world_array(&world, RILL_I64, 3);
    rill_array middle = {0};
    OK(rill_array_view(digits, 1, RILL_SHAPE(1), &middle));
    int64_t start = 9, early = 0, late = 0;
    rill_stream stream = {0};
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_array_write_at_async(digits, stream, 1, &start, 1));
    OK(rill_launch(append, stream, RILL_ARGS(1, middle)));
    OK(rill_array_read_at_async(digits, stream, 1, &early, 1));
    OK(rill_launch(append, stream, RILL_ARGS(2, middle)));
    OK(rill_array_read_at(digits, stream, 1, &late, 1)); // waits
    CHECK_INT(early, 91);
    CHECK_INT(late, 912);
    OK(rill_array_write_at(digits, stream, 1, &(int64_t){4}, 1));
    OK(rill_launch(append, stream, RILL_ARGS(5, middle)));
    OK(rill_array_read_at(digits, stream, 1, &late, 1));
    CHECK_INT(late, 45);
    OK(rill_stream_destroy(stream));
    world_close(&world);
}

TEST(elements_that_are_not_there_change_nothing)
{
    struct world world;
    world_open(&world, 2);
    rill_array array = world_array(&world, RILL_I32, COUNT);
    int values[COUNT];
    int bad[COUNT] = {0};
    counting(values);
    OK(rill_array_write(array, RILL_CURRENT, values, sizeof values));
    STATUS(rill_array_write_at(array, RILL_CURRENT, 1, bad, COUNT), RILL_ERR_INVALID);
    CHECK_STR(rill_message(), "rill_array_write_at: 12 elements from element 1 on are more than the array's 12");
    STATUS(rill_array_write_at_async(array, RILL_CURRENT, COUNT, bad, 1), RILL_ERR_INVALID);
    int got[COUNT] = {0};
    STATUS(rill_array_read_at(array, RILL_CURRENT, 1, bad, COUNT), RILL_ERR_INVALID);
    CHECK_INT(bad[0], 0);
    OK(rill_array_read(array, RILL_CURRENT, got, sizeof got));
    CHECK(memcmp(got, values, sizeof got) == 0);
    world_close(&world);
}

TEST(arrays_begin_with_zeros_also_in_memory_that_was_used)
{
    struct world world;
    world_open(&world, 2);
    enum { SIZE = 4096 };
    static char bytes[SIZE];
    for (int round = 0; round < 8; round++) {
        rill_array scalars = {0};
        rill_array structs = {0};
        OK(rill_array_create(world.context, RILL_U8, RILL_SHAPE(SIZE), &scalars));
        OK(rill_array_create_struct(world.context, 12, RILL_SHAPE(SIZE / 12), &structs));
        rill_array all[] = {scalars, structs};
        for (int k = 0; k < 2; k++) {
            rill_array_info info;
            OK(rill_array_describe(all[k], &info));
            memset(bytes, 1, sizeof bytes);
            OK(rill_array_read(all[k], RILL_CURRENT, bytes, info.size));
            size_t wrong = 0;
            for (size_t i = 0; i < info.size; i++) {
                wrong += bytes[i] != 0;
            }
            CHECK_UINT(wrong, 0);
            OK(rill_array_fill(all[k], RILL_CURRENT, "xxxxxxxxxxxx", info.element_size));
            OK(rill_array_destroy(all[k]));
        }
    }
    world_close(&world);
}

// What a call is given may change when it has returned, although its stream stands at a gate.
TEST(values_given_to_a_call_may_change_when_it_has_returned)
{
    struct world world;
    world_open(&world, 2);
    struct point {
        float x, y;
        int id;
    } by = {1, 2, 0}, moved[2] = {{0, 0, 0}, {0, 0, 0}};
    rill_array points = {0};
    rill_array ints = world_array(&world, RILL_I32, 3);
    rill_array written = world_array(&world, RILL_I32, 3);
    OK(rill_array_create_struct(world.context, sizeof by, RILL_SHAPE(2), &points));
    rill_kernel move = world_kernel(&world, "move");
    struct world_gate gate = WORLD_GATE_INIT;
    OK(rill_stream_callback(RILL_CURRENT, world_stand_at_gate, &gate));
    int element = 7, values[3] = {4, 5, 6};
    OK(rill_array_fill(ints, RILL_CURRENT, &element, sizeof element));
    OK(rill_array_write(written, RILL_CURRENT, values, sizeof values)); // small: does not wait for the gate
    rill_arg args[] = {rill_arg_int(2), rill_arg_array(points), rill_arg_struct(&by, sizeof by)};
    OK(rill_launch(move, RILL_CURRENT, (rill_args){args, 3}));
    element = -1;
    memset(values, 0, sizeof values);
    memset(&by, 0, sizeof by);
    memset(args, 0, sizeof args);
    world_open_gate(&gate);
    OK(rill_array_read(points, RILL_CURRENT, moved, sizeof moved));
    CHECK_NEAR(moved[1].y, 2, 0);
    int got[3];
    OK(rill_array_read(ints, RILL_CURRENT, got, sizeof got));
    CHECK_INT(got[2], 7);
    OK(rill_array_read(written, RILL_CURRENT, got, sizeof got));
    CHECK_INT(got[0], 4);
    world_close(&world);
}

static void count_release(void *user, void *memory)
{
    (void)memory;
    atomic_fetch_add((atomic_int *)user, 1);
}

TEST(wrapped_memory_is_released_before_close_returns_and_not_if_wrapping_fails)
{
    struct world world;
    world_open(&world, 2);
    static int memory[4];
    atomic_int released = 0;
    rill_array array = {0};
    rill_wrap wrap = {
        .memory = memory, .type = RILL_I32, .shape = RILL_SHAPE(4), .release = count_release, .user = &released};
    wrap.element_size = 8;
    STATUS(rill_array_wrap(world.context, &wrap, &array), RILL_ERR_INVALID);
    wrap.element_size = 4;
    OK(rill_array_wrap(world.context, &wrap, &array));
    CHECK_INT(atomic_load(&released), 0);
    world_close(&world);
    CHECK_INT(atomic_load(&released), 1);
}

TEST(memory_of_an_array_on_the_cpu_is_the_programs_to_read_and_write)
{
    if (!world_is_cpu()) {
        SKIP("the host does not see it");
    }
    struct world world;
    world_open(&world, 2);
    rill_array digits = world_array(&world, RILL_I64, 1);
    void *address = NULL;
    OK(rill_array_address(digits, &address));
    long *number = address;
    *number = 3;
    OK(rill_launch(world_kernel(&world, "append"), RILL_CURRENT, RILL_ARGS(4, digits)));
    OK(rill_stream_synchronize(RILL_CURRENT));
    CHECK_INT(*number, 34);
    world_close(&world);
}

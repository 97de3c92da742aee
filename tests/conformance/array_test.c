// Arrays: their elements, one by one and in ranges.
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

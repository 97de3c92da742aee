// Lists by a counter, where arguments overlap: the arrays are views of one, moved against each other by every distance
// of a few, so that a list may be written over what is still to be read, or another list.
#include "world.h"

static const char lists_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void lists(int n, const int c[n], const int x[n], int a[n], int b[n], int counts[2])\n"
    "{\n"
    "    int k = 0, l = 0;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        int v = x[i];\n"
    "        if (c[i] % 3 == 0) a[k++] = v;\n"
    "        else b[l++] = i;\n"
    "    }\n"
    "    counts[0] = k;\n"
    "    counts[1] = l;\n"
    "}\n";

enum { COUNT = 40000, MOST = 3 * COUNT };

static void lists(int n, const int *c, const int *x, int *a, int *b, int *counts)
{
    int k = 0, l = 0;
    for (int i = 0; i < n; i++) {
        int v = x[i];
        if (c[i] % 3 == 0) {
            a[k++] = v;
        } else {
            b[l++] = i;
        }
    }
    counts[0] = k;
    counts[1] = l;
}

static void fill(int *values)
{
    for (int i = 0; i < MOST; i++) {
        values[i] = (int)((long)i * 48271 % 30011);
    }
}

// Views that begin at |x|, |a| and |b| of one array.
static void check_views(struct world *world, rill_kernel kernel, int x, int a, int b)
{
    static int expected[MOST], actual[MOST], chosen[MOST];
    int expected_counts[2] = {0}, counts[2] = {0};
    rill_array all, view_x, view_a, view_b, out;
    rill_stream stream = rill_default_stream(world->context);
    fill(expected);
    fill(chosen);
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(MOST), &all));
    OK(rill_array_create(world->context, RILL_I32, RILL_SHAPE(2), &out));
    OK(rill_array_view(all, (size_t)x, RILL_SHAPE(COUNT), &view_x));
    OK(rill_array_view(all, (size_t)a, RILL_SHAPE(COUNT), &view_a));
    OK(rill_array_view(all, (size_t)b, RILL_SHAPE(COUNT), &view_b));
    OK(rill_array_write(all, stream, expected, sizeof expected));
    OK(rill_launch(kernel, stream, RILL_ARGS(COUNT, RILL_HOST(chosen, COUNT), view_x, view_a, view_b, out)));
    OK(rill_array_read(all, stream, actual, sizeof actual));
    OK(rill_array_read(out, stream, counts, sizeof counts));
    lists(COUNT, chosen, expected + x, expected + a, expected + b, expected_counts);
    CHECK(memcmp(actual, expected, sizeof actual) == 0);
    CHECK(counts[0] == expected_counts[0] && counts[1] == expected_counts[1]);
    OK(rill_array_destroy(view_x));
    OK(rill_array_destroy(view_a));
    OK(rill_array_destroy(view_b));
    OK(rill_array_destroy(out));
    OK(rill_array_destroy(all));
}

TEST(lists_over_what_is_read_or_over_each_other_are_as_in_c)
{
    struct world world;
    world_open(&world, 4);
    rill_module module;
    rill_kernel kernel;
    OK(rill_module_create(world.context, lists_source, NULL, &module));
    OK(rill_module_kernel(module, "lists", &kernel));
    check_views(&world, kernel, 0, COUNT, 2 * COUNT); // apart
    check_views(&world, kernel, 0, 0, COUNT);         // in place
    check_views(&world, kernel, 1, 0, COUNT);
    check_views(&world, kernel, 0, 1, 2 * COUNT);
    check_views(&world, kernel, 0, COUNT, COUNT); // one list over the other
    check_views(&world, kernel, 0, COUNT + 5, COUNT);
    check_views(&world, kernel, 0, COUNT, COUNT + 7000);
    for (int i = 0; i < 10; i++) { // where the list ends is now and then what is read next
        check_views(&world, kernel, 0, COUNT / 2 + i, 2 * COUNT);
    }
    check_views(&world, kernel, COUNT - 1, 0, 2 * COUNT);
    OK(rill_close(world.context));
}

static const char field_source[] = "#include <rill/kernel.h>\n"
                                   "int list[60000];\n"
                                   "int count;\n"
                                   "kernel void gather(int n, const int x[n])\n"
                                   "{\n"
                                   "    int k = count;\n"
                                   "    for (int i = 0; i < n; i++) {\n"
                                   "        if (x[i] & 1) { list[k] = x[i]; k += 1; }\n"
                                   "    }\n"
                                   "    count = k;\n"
                                   "}\n";

// A list in a field that launches add to: what lies behind its end stays as it is.
TEST(a_list_in_a_field_goes_on_where_the_last_launch_ended)
{
    enum { PART = 35000 };
    struct world world;
    static int values[MOST], list[60000], expected[60000];
    world_open(&world, 4);
    rill_module module;
    rill_kernel kernel;
    OK(rill_module_create(world.context, field_source, NULL, &module));
    OK(rill_module_kernel(module, "gather", &kernel));
    fill(values);
    memset(list, 7, sizeof list);
    memset(expected, 7, sizeof expected);
    rill_stream stream = rill_default_stream(world.context);
    OK(rill_field_write(module, "list", stream, list, sizeof list));
    int count = 0, actual = 0;
    for (int round = 0; round < 3; round++) {
        OK(rill_launch(kernel, stream, RILL_ARGS(PART, RILL_HOST(values + round * 100, PART))));
        OK(rill_sync(world.context));
        for (int i = 0; i < PART; i++) {
            if (values[round * 100 + i] & 1) {
                expected[count++] = values[round * 100 + i];
            }
        }
    }
    OK(rill_field_read(module, "list", stream, list, sizeof list));
    OK(rill_field_read(module, "count", stream, &actual, sizeof actual));
    CHECK(actual == count && count > 50000 && memcmp(list, expected, sizeof list) == 0);
    OK(rill_close(world.context));
}

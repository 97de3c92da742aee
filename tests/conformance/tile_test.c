// Products of matrices whose arguments overlap, or are not larger than a tile: the results are those of the loops in
// order, whichever version a device takes. Numbers are small and whole, so that sums are exact in any order.
#include "world.h"

static const char products[] =
    "#include <rill/kernel.h>\n"
    "kernel void kept(int n, int m, int l, const float *a, const float *b, float *c)\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++)\n"
    "  c[i * m + j] += a[i * l + k] * b[k * m + j]; }\n"
    "kernel void summed(int n, int m, int l, const float *a, const float *b, float *c)\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { float s = 0;\n"
    "  for (int k = 0; k < l; k++) s += a[i * l + k] * b[k * m + j]; c[i * m + j] = s; } }\n";

enum { SIZE = 1 << 16 };

struct product {
    int n, m, l;
    int a, b, c; // where they begin in the one array
};

static void multiply(const struct product *p, bool is_kept, float *x)
{
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->m; j++) {
            float sum = 0;
            for (int k = 0; k < p->l; k++) {
                float *to = is_kept ? &x[p->c + i * p->m + j] : &sum;
                *to += x[p->a + i * p->l + k] * x[p->b + k * p->m + j];
            }
            if (!is_kept) {
                x[p->c + i * p->m + j] = sum;
            }
        }
    }
}

// Elements from a small range; what a product of them feeds back is cut to it by the caller's sizes.
static void fill(float *x)
{
    for (int i = 0; i < SIZE; i++) {
        x[i] = (float)((i * 7 + i / 5) % 3 - 1);
    }
}

static void check_product(struct world *world, rill_module module, const struct product *p, bool is_kept)
{
    static float expected[SIZE], actual[SIZE];
    rill_kernel kernel;
    rill_array all, a, b, c;
    OK(rill_module_kernel(module, is_kept ? "kept" : "summed", &kernel));
    OK(rill_array_create(world->context, RILL_F32, RILL_SHAPE(SIZE), &all));
    OK(rill_array_view(all, (size_t)p->a, RILL_SHAPE(p->n * p->l), &a));
    OK(rill_array_view(all, (size_t)p->b, RILL_SHAPE(p->l * p->m), &b));
    OK(rill_array_view(all, (size_t)p->c, RILL_SHAPE(p->n * p->m), &c));
    fill(expected);
    OK(rill_array_write(all, RILL_CURRENT, expected, sizeof expected));
    OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(p->n, p->m, p->l, a, b, c)));
    OK(rill_array_read(all, RILL_CURRENT, actual, sizeof actual));
    multiply(p, is_kept, expected);
    for (int i = 0; i < SIZE; i++) {
        if (memcmp(&actual[i], &expected[i], sizeof *actual) != 0) {
            FAIL("%d x %d x %d, a %d, b %d, c %d: element %d is %g, not %g", p->n, p->m, p->l, p->a, p->b, p->c, i,
                 (double)actual[i], (double)expected[i]);
            break;
        }
    }
    OK(rill_array_destroy(a));
    OK(rill_array_destroy(b));
    OK(rill_array_destroy(c));
    OK(rill_array_destroy(all));
}

static void check_all(const struct product *products_of, int count)
{
    struct world world;
    rill_module module;
    world_open(&world, 2);
    OK(rill_module_create(world.context, products, NULL, &module));
    for (int i = 0; i < count; i++) {
        check_product(&world, module, &products_of[i], true);
        check_product(&world, module, &products_of[i], false);
    }
    world_close(&world);
}

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

TEST(products_of_any_size_are_those_of_the_loops)
{
    static const struct product sizes[] = {
        {8, 256, 3, 0, 1000, 9000},  {9, 257, 4, 0, 1000, 9000},  {7, 256, 3, 0, 1000, 9000},
        {8, 255, 3, 0, 1000, 9000},  {40, 290, 5, 0, 1000, 9000}, {16, 512, 1, 0, 1000, 9000},
        {16, 512, 0, 0, 1000, 9000}, {1, 300, 9, 0, 1000, 9000},  {33, 600, 2, 0, 1000, 9000},
    };
    check_all(sizes, COUNT(sizes));
}

TEST(products_whose_arguments_overlap_run_in_order)
{
    // One round each, or two, keeps what feeds back on itself within what a float holds exactly.
    static const struct product overlaps[] = {
        {10, 300, 2, 9000, 1000, 9005}, // c over a
        {10, 300, 2, 9005, 1000, 9000}, //
        {10, 300, 2, 0, 9000, 9000},    // c is b
        {10, 300, 2, 0, 9300, 9000},    // c's second row is b's first
        {10, 300, 2, 0, 8700, 9000},    //
        {10, 300, 2, 11999, 0, 9000},   // one element
    };
    check_all(overlaps, COUNT(overlaps));
}

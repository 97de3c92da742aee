// Nests that run in another order, or in pieces, with arguments that overlap: what they give is what serial C gives.
#include "world.h"

// The value of |v| is used behind a store to |a|. It may be computed anew there only if the two are apart.
static void twice(int n, unsigned *a, unsigned *b, const unsigned *v)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                unsigned q = v[j];
                a[i * n + j] ^= (a[i * n + k] & a[k * n + j]) + q;
                b[i * n + j] += q;
            }
        }
    }
}

static const char text[] =
    "#include <rill/kernel.h>\nkernel void pieces(int n, unsigned a[n][n], unsigned b[n][n], const unsigned v[n])\n"
    "{ for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {\n"
    "unsigned q = v[j]; a[i][j] ^= (a[i][k] & a[k][j]) + q; b[i][j] += q; } }\n";

TEST(pieces_of_a_nest_whose_arguments_overlap_give_what_serial_c_gives)
{
    enum { N = 40, CELLS = N * N, ALL = 3 * CELLS };
    static const int places[][3] = {// where the arguments begin in one array
                                    {0, CELLS, 2 * CELLS},    {0, CELLS, 7 * N}, {0, CELLS, CELLS - 3 * N + 5},
                                    {0, CELLS, CELLS + 9},    {5, CELLS + 5, 0}, {0, CELLS - 7, 2 * CELLS},
                                    {CELLS, 0, CELLS - N / 2}};
    static unsigned host[ALL], expected[ALL];
    for (int threads = 1; threads <= 7; threads += 3) {
        struct world world;
        world_open(&world, threads);
        rill_module module = {0};
        rill_kernel kernel = {0};
        OK(rill_module_create(world.context, text, NULL, &module));
        OK(rill_module_kernel(module, "pieces", &kernel));
        rill_array all = world_array(&world, RILL_U32, ALL);
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            for (int i = 0; i < ALL; i++) {
                host[i] = expected[i] = (unsigned)i * 2654435761u;
            }
            const int *at = places[k];
            rill_array a, b, v;
            OK(rill_array_view(all, at[0], RILL_SHAPE(N, N), &a));
            OK(rill_array_view(all, at[1], RILL_SHAPE(N, N), &b));
            OK(rill_array_view(all, at[2], RILL_SHAPE(N), &v));
            OK(rill_array_write(all, RILL_CURRENT, host, sizeof host));
            OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(N, a, b, v)));
            twice(N, expected + at[0], expected + at[1], expected + at[2]);
            OK(rill_array_read(all, RILL_CURRENT, host, sizeof host));
            CHECK(memcmp(host, expected, sizeof host) == 0);
            OK(rill_array_destroy(a));
            OK(rill_array_destroy(b));
            OK(rill_array_destroy(v));
        }
        world_close(&world);
    }
}

// The rows: every kernel with its sizes and arrays.
#include "nests.h"

#define D FILL_UNIT
#define PRODUCTS "nest_products"
#define SOLVERS "nest_solvers"
#define STENCILS "nest_stencils"
#define TABLES "nest_tables"
#define AB .doubles = {1.5, 1.2}, .double_count = 2

// clang-format off
const struct row nest_rows[] = {
    {"scaled_product", PRODUCTS, "NML", {1000, 1100, 1200}, {1000, 1100, 1200}, AB,
     {{"NL", D}, {"LM", D}, {"NM", D}}, .has_openmp = true},
    {"product_ijk", PRODUCTS, "NML", {1000, 1100, 1200}, {500, 550, 600}, .arrays = {{"NL", D}, {"LM", D}, {"NM", D}},
     .has_openmp = true},
    {"product_jki", PRODUCTS, "NML", {1000, 1100, 1200}, {500, 550, 600}, .arrays = {{"NL", D}, {"LM", D}, {"NM", D}},
     .has_openmp = true},
    {"product_flat", PRODUCTS, "NML", {1000, 1100, 1200}, {500, 550, 600}, .arrays = {{"NL", D}, {"LM", D}, {"NM", D}},
     .has_openmp = true},
    {"product_kij", PRODUCTS, "NML", {1000, 1100, 1200}, {500, 550, 600}, .arrays = {{"NL", D}, {"LM", D}, {"NM", D}},
     .has_openmp = true},
    {"three_factors", PRODUCTS, "NMLK", {800, 900, 1100, 1200}, {400, 450, 550, 600}, AB,
     {{"NL", D}, {"LM", D}, {"MK", D}, {"NM", D}, {"NK", D}}, .has_openmp = true},
    {"four_factors", PRODUCTS, "NMLKO", {800, 900, 1000, 1100, 1200}, {400, 450, 500, 550, 600},
     .arrays = {{"NL", D}, {"LM", D}, {"MO", D}, {"OK", D}, {"NM", D}, {"MK", D}, {"NK", D}}, .has_openmp = true},
    {"rank_k", PRODUCTS, "NM", {1200, 1000}, {1200, 1000}, AB, {{"NM", D}, {"NN", D}}, .has_openmp = true},
    {"rank_2k", PRODUCTS, "NM", {1200, 1000}, {600, 500}, AB, {{"NM", D}, {"NM", D}, {"NN", D}}, .has_openmp = true},
    {"symmetric_product", PRODUCTS, "NM", {1000, 1200}, {500, 600}, AB, {{"NN", D}, {"NM", D}, {"NM", D}},
     .has_openmp = true},
    {"triangular_product", PRODUCTS, "NM", {1000, 1200}, {500, 600}, .doubles = {1.5}, .double_count = 1,
     .arrays = {{"NN", D}, {"NM", D}}, .has_openmp = true},
    {"contraction", PRODUCTS, "RQP", {150, 140, 160}, {150, 140, 160}, .arrays = {{"RQP", D}, {"PP", D}, {"P", D}}},
    {"normal_product", PRODUCTS, "NM", {1900, 2100}, {1900, 2100}, .arrays = {{"NM", D}, {"M", D}, {"M", D}, {"N", D}},
     .has_openmp = true},
    {"two_ways", PRODUCTS, "NM", {2100, 1900}, {2100, 1900},
     .arrays = {{"NM", D}, {"M", D}, {"N", D}, {"N", D}, {"M", D}}, .has_openmp = true},
    {"transposed_pair", PRODUCTS, "N", {2000}, {2000}, .arrays = {{"NN", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}},
     .has_openmp = true},
    {"rank_2_and_vectors", PRODUCTS, "N", {2000}, {2000}, AB,
     {{"NN", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}, {"N", D}}, .has_openmp = true},
    {"two_sums", PRODUCTS, "N", {2000}, {2000}, AB, {{"NN", D}, {"NN", D}, {"N", D}, {"N", D}, {"N", D}},
     .has_openmp = true},

    {"forward", SOLVERS, "N", {2000}, {2000}, .arrays = {{"NN", FILL_DOMINANT}, {"N", D}, {"N", D}}},
    {"gram_schmidt", SOLVERS, "MN", {1200, 1000}, {400, 350},
     .arrays = {{"MN", FILL_DOMINANT}, {"NN", D}, {"MN", D}}, .has_openmp = true},
    {"lu", SOLVERS, "N", {2000}, {1000}, .arrays = {{"NN", FILL_DOMINANT}}},
    {"lu_kij", SOLVERS, "N", {2000}, {1000}, .arrays = {{"NN", FILL_DOMINANT}}, .has_openmp = true},
    {"cholesky", SOLVERS, "N", {2000}, {1000}, .arrays = {{"NN", FILL_DOMINANT}}},
    {"lu_solve", SOLVERS, "N", {2000}, {1000}, .arrays = {{"NN", FILL_DOMINANT}, {"N", D}, {"N", D}, {"N", D}}},
    {"levinson", SOLVERS, "N", {2000}, {2000}, .arrays = {{"N", FILL_FALLING}, {"N", D}, {"N", D}}},
    {"small_systems", SOLVERS, "Sn", {100000, 8}, {50000, 8}, .arrays = {{"Snn", FILL_DOMINANT}, {"Sn", D}},
     .has_openmp = true},
    {"correlation", SOLVERS, "NM", {1400, 1200}, {700, 600}, .arrays = {{"NM", D}, {"MM", D}, {"M", D}, {"M", D}},
     .has_openmp = true},
    {"covariance", SOLVERS, "NM", {1400, 1200}, {700, 600}, .arrays = {{"NM", D}, {"MM", D}, {"M", D}},
     .has_openmp = true},
    {"means", SOLVERS, "Nkd", {1000000, 16, 4}, {300000, 16, 4},
     .arrays = {{"Nd", D}, {"kd", D}, {"k", FILL_ZERO}, {"kd", D}, {"N", FILL_ZERO}}, .has_openmp = true},

    {"jacobi_1d", STENCILS, "Nt", {2000, 500}, {2000, 500}, .arrays = {{"N", D}, {"N", D}}, .has_openmp = true},
    {"jacobi_2d", STENCILS, "Nt", {1300, 500}, {1300, 50}, .arrays = {{"NN", D}, {"NN", D}}, .has_openmp = true},
    {"gauss_seidel", STENCILS, "Nt", {2000, 500}, {1000, 20}, .arrays = {{"NN", D}}},
    {"over_relaxation", STENCILS, "Nt", {2000, 100}, {1000, 20}, .doubles = {1.25}, .double_count = 1, .arrays = {{"NN", D}}},
    {"red_black", STENCILS, "Nt", {2000, 100}, {1000, 50}, .arrays = {{"NN", D}, {"NN", D}}, .has_openmp = true},
    {"heat_3d", STENCILS, "Nt", {120, 500}, {120, 30}, .arrays = {{"NNN", D}, {"NNN", D}}, .has_openmp = true},
    {"fdtd_2d", STENCILS, "NMt", {1000, 1200, 500}, {1000, 1200, 50},
     .arrays = {{"NM", D}, {"NM", D}, {"NM", D}, {"t", D}}, .has_openmp = true},
    {"adi", STENCILS, "Nt", {1000, 500}, {1000, 5}, .arrays = {{"NN", D}, {"NN", D}, {"NN", D}, {"NN", D}},
     .has_openmp = true},
    {"deriche", STENCILS, "WH", {4096, 2160}, {2048, 1080}, .arrays = {{"WH", D}, {"WH", D}, {"WH", D}, {"WH", D}},
     .has_openmp = true},
    {"convolution", STENCILS, "NMk", {4000, 4000, 5}, {2000, 2000, 5}, .arrays = {{"NM", D}, {"kk", D}, {"NM", D}},
     .has_openmp = true},

    {"floyd_warshall", TABLES, "N", {2800}, {700}, .arrays = {{"NN", D}}, .has_openmp = true},
    {"matrix_chain", TABLES, "N", {2000}, {800}, .arrays = {{"N+", D}, {"NN", D}}, .has_openmp = true},
    {"folding", TABLES, "N", {2500}, {1000}, .arrays = {{"N", FILL_BASES}, {"NN", FILL_ZERO}}},
    {"common_subsequence", TABLES, "NM", {8000, 6000}, {4000, 3000},
     .arrays = {{"N", FILL_BASES}, {"M", FILL_BASES}, {"N+M+", FILL_ZERO}}},
    {"edit_distance", TABLES, "NM", {8000, 6000}, {4000, 3000},
     .arrays = {{"N", FILL_BASES}, {"M", FILL_BASES}, {"N+M+", FILL_ZERO}}},
    {"smith_waterman", TABLES, "NM", {8000, 6000}, {4000, 3000},
     .arrays = {{"N", FILL_BASES}, {"M", FILL_BASES}, {"N+M+", FILL_ZERO}, {"1", FILL_ZERO}}},
    {"distances", TABLES, "NM", {6000, 8000}, {3000, 4000}, .arrays = {{"NM", FILL_BYTES}, {"NM", FILL_ZERO}}},
    {"dithering", TABLES, "NM", {6000, 8000}, {3000, 4000}, .arrays = {{"NM", FILL_BYTES}}},
    {"knapsack", TABLES, "NW", {1000, 100000}, {300, 50000},
     .arrays = {{"N", FILL_BYTES}, {"N", FILL_BYTES}, {"N+W+", FILL_ZERO}}, .has_openmp = true},
    {"viterbi", TABLES, "tN", {1000, 512}, {200, 512},
     .arrays = {{"NN", D}, {"tN", D}, {"tN", D}, {"tN", FILL_ZERO}}, .has_openmp = true},
    {"prefix_rows", TABLES, "NM", {4000, 4000}, {2000, 2000}, .arrays = {{"NM", D}}, .has_openmp = true},
    {"transpose", TABLES, "N", {4000}, {2000}, .arrays = {{"NN", D}}, .has_openmp = true},
    {"sparse", TABLES, "NE", {1000000, 20000000}, {200000, 4000000},
     .arrays = {{"N+", FILL_RAMP}, {"E", FILL_PLACES}, {"E", D}, {"N", D}, {"N", D}}, .has_openmp = true},
    {"histogram", TABLES, "NMb", {8000, 8000, 256}, {4000, 4000, 256},
     .arrays = {{"NM", FILL_BYTES}, {"b", FILL_ZERO}}, .has_openmp = true},
    {"bodies", TABLES, "N", {16384}, {6000}, .doubles = {0.01}, .double_count = 1,
     .arrays = {{"N3", D}, {"N3", D}, {"N", D}}, .has_openmp = true},
    {"material_points", TABLES, "PG", {4000000, 512}, {1000000, 256},
     .arrays = {{"P2", D}, {"P2", D}, {"GG", D}, {"GG2", D}}, .has_openmp = true},
    {"cells", TABLES, "PG", {8000000, 1024}, {2000000, 512}, .arrays = {{"P", D}, {"P", D}, {"P", D}, {"GG", D}},
     .has_openmp = true},
};
// clang-format on

const int nest_row_count = sizeof nest_rows / sizeof nest_rows[0];

int row_array_count(const struct row *row)
{
    int count = 0;
    while (count < MAX_ARRAYS && row->arrays[count].fill != FILL_END) {
        count++;
    }
    return count;
}

// Parts of bench/nests: the rows of its table, their data, and the builds by gcc.
#ifndef RILL_BENCH_NESTS_H
#define RILL_BENCH_NESTS_H

#include "rill/rill.h"

enum { MAX_INTS = 5, MAX_DOUBLES = 2, MAX_ARRAYS = 9, MAX_RANK = 3 };

enum fill {
    FILL_END,      // no more arrays
    FILL_UNIT,     // doubles between 0 and 1
    FILL_DOMINANT, // the same, and the diagonal of the last two extents is larger than the sum of its row
    FILL_FALLING,  // doubles that fall like 1 / k
    FILL_ZERO,     // ints, all 0
    FILL_BASES,    // ints from 0 to 3
    FILL_BYTES,    // ints from 0 to 250
    FILL_RAMP,     // ints that rise evenly from 0 to the second size
    FILL_PLACES,   // ints below the first size
};

struct array {
    const char *shape; // letters of the row's sizes, digits; `+` after one is one more
    enum fill fill;
};

// A kernel whose parameters are its sizes, then doubles, then arrays. A size with a capital letter is an extent: the
// small run has a tenth of it. The others are steps and constants.
struct row {
    const char *name;
    const char *file; // bench/kernels/<file>.c
    const char *sizes;
    int full[MAX_INTS];
    int large[MAX_INTS]; // what the default run takes, so that it ends in minutes
    double doubles[MAX_DOUBLES];
    int double_count;
    struct array arrays[MAX_ARRAYS];
    bool has_openmp; // the file has `omp:` comments in this kernel
};

extern const struct row nest_rows[];
extern const int nest_row_count;

int row_array_count(const struct row *row);

// ---- data ---------------------------------------------------------------------------------------------------------

struct data {
    const struct row *row; // borrowed
    int sizes[MAX_INTS];
    int array_count;
    rill_shape shapes[MAX_ARRAYS];
    rill_type types[MAX_ARRAYS];
    size_t counts[MAX_ARRAYS]; // elements
    size_t bytes[MAX_ARRAYS];
    void *first[MAX_ARRAYS];    // owned: as each run begins
    void *arrays[MAX_ARRAYS];   // owned: what a run on the host works on
    void *expected[MAX_ARRAYS]; // owned: serial C's result
};

bool data_init(struct data *data, const struct row *row, const int sizes[MAX_INTS]);
void data_finish(struct data *data);

// Puts the arrays back to how a run begins.
void data_reset(struct data *data);

// Keeps the arrays as what is expected.
void data_expect(struct data *data);

// The largest difference between the arrays and what is expected, relative to the largest magnitude of its array.
double data_error(const struct data *data);

// ---- by gcc -------------------------------------------------------------------------------------------------------

typedef void native_function(const int *sizes, const double *doubles, void *const *arrays);

// The kernel of |row| as gcc -O3 -march=native builds it, serial or with the `omp:` comments as pragmas; NULL: there is
// none. |dir| is a folder for what is built.
native_function *native_build(const struct row *row, bool with_openmp, const char *dir);

#endif // RILL_BENCH_NESTS_H

// Arrays wherever they lie: views that begin at any element, of any length. Devices that access several elements at
// once must see where they may; and a reduction has the same bits whatever it saw.
#include "world.h"

static const char source[] =
    "#include <rill/kernel.h>\n"
    "kernel void add(int n, const float a[n], const float b[n], float c[n])\n"
    "{ for (int i = 0; i < n; i++) { c[i] = a[i] + 2 * b[i]; } }\n"
    "kernel void inner(int n, const float a[n], float c[n])\n"
    "{ for (int i = 1; i < n - 1; i++) { c[i] = a[i - 1] + 4 * a[i] + 16 * a[i + 1]; } }\n"
    "kernel void scale(int n, float a[n]) { for (int i = 0; i < n; i++) { a[i] = 3 * a[i] + 1; } }\n"
    "kernel void mixed(int n, const unsigned char a[n], double c[n]) { for (int i = 0; i < n; i++) { c[i] = a[i] * "
    "0.5; } }\n"
    "kernel void bytes(int n, const unsigned char a[n], unsigned char c[n])\n"
    "{ for (int i = 0; i < n; i++) { c[i] = a[i] + 7; } }\n"
    "kernel void grid(int n, int m, const float a[n][m], float c[n][m])\n"
    "{ for (int i = 1; i < n - 1; i++) { for (int j = 1; j < m - 1; j++) {\n"
    "    c[i][j] = a[i - 1][j] + 2 * a[i + 1][j] + 3 * a[i][j - 1] + 5 * a[i][j + 1]; } } }\n"
    "kernel void part(int n, int m, int i0, int j0, const float a[n][m], float c[n][m])\n"
    "{ for (int i = i0; i < n; i++) { for (int j = j0; j < m; j++) { c[i][j] = a[i][j] + 1; } } }\n"
    "kernel void block(int n, int m, int k, const float a[n][m][k], float c[n][m][k])\n"
    "{ for (int h = 0; h < n; h++) { for (int i = 0; i < m; i++) { for (int j = 0; j < k; j++) {\n"
    "    c[h][i][j] = a[h][i][j] + 100 * h + 10 * i; } } } }\n"
    "kernel double sum(int n, const float a[n])\n"
    "{ double s = -0.0; for (int i = 0; i < n; i++) { s += a[i] * 0.1; } return s; }\n"
    "kernel int least(int n, const float a[n])\n"
    "{ float x = 1e30f; int at = -1; for (int i = 0; i < n; i++) { if (a[i] < x) { x = a[i]; at = i; } } return at; }\n"
    "kernel int last_least(int n, const float a[n])\n"
    "{ float x = 1e30f; int at = -1; for (int i = 0; i < n; i++) { if (a[i] <= x) { x = a[i]; at = i; } } return at; "
    "}\n"
    "kernel int last(int n, const float a[n])\n"
    "{ int t = -1; for (int i = 0; i < n; i++) { if (a[i] > 0) { t = i; } } return t; }\n"
    "kernel void several(int n, const int a[n], int c[8])\n"
    "{ int s = 0, p = 1, m = 2147483647, x = 0, o = 0, y = -1; _Bool any = 0, all = 1;\n"
    "  for (int i = 0; i < n; i++) { s += a[i]; p *= a[i] | 1; m = a[i] < m ? a[i] : m; x ^= a[i]; o |= a[i] & 6;\n"
    "    y &= a[i] | 1; any = any || a[i] == 12345; all = all && a[i] < 100000; }\n"
    "  c[0] = s; c[1] = p; c[2] = m; c[3] = x; c[4] = o; c[5] = y; c[6] = any; c[7] = all; }\n"
    "kernel void count(int n, int bins, const int a[n], int c[bins]) { for (int i = 0; i < n; i++) { c[a[i]]++; } }\n"
    "kernel void extremes(int n, int bins, const int a[n], long c[bins])\n"
    "{ for (int i = 0; i < n; i++) { if (i > c[a[i]]) { c[a[i]] = i; } } }\n";

enum { ROOM = 70000, SHIFTS = 5 };

static const int lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 17, 100, 1023, 4099};
enum { LENGTH_COUNT = sizeof lengths / sizeof lengths[0] };

struct access_world {
    struct world world;
    rill_module module;
    rill_array a;
    rill_array b;
    rill_array c;
    float *x; // host copies
    float *y;
    float *z;
};

static float value_at(int i)
{
    return (float)((i * 2654435761u >> 20) % 1000) - 400;
}

static void open_access(struct access_world *w)
{
    world_open(&w->world, 2);
    OK(rill_module_create(w->world.context, source, NULL, &w->module));
    OK(rill_array_create(w->world.context, RILL_F32, RILL_SHAPE(ROOM), &w->a));
    OK(rill_array_create(w->world.context, RILL_F32, RILL_SHAPE(ROOM), &w->b));
    OK(rill_array_create(w->world.context, RILL_F32, RILL_SHAPE(ROOM), &w->c));
    w->x = malloc(ROOM * sizeof *w->x);
    w->y = malloc(ROOM * sizeof *w->y);
    w->z = malloc(ROOM * sizeof *w->z);
    for (int i = 0; i < ROOM; i++) {
        w->x[i] = value_at(i);
        w->y[i] = value_at(i + ROOM);
    }
    OK(rill_array_write(w->a, RILL_CURRENT, w->x, ROOM * sizeof(float)));
    OK(rill_array_write(w->b, RILL_CURRENT, w->y, ROOM * sizeof(float)));
}

static void close_access(struct access_world *w)
{
    free(w->x);
    free(w->y);
    free(w->z);
    world_close(&w->world);
}

static rill_array view(rill_array array, int from, int count)
{
    rill_array out = {0};
    OK(rill_array_view(array, (size_t)from, RILL_SHAPE(count > 0 ? count : 1), &out));
    return out;
}

static rill_kernel kernel_of(struct access_world *w, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(w->module, name, &kernel));
    return kernel;
}

// What the kernel was to write, and the elements around it, which it was not to touch.
static void check_floats(struct access_world *w, int from, int count,
                         float (*expected)(const struct access_world *, int))
{
    OK(rill_array_read(w->c, RILL_CURRENT, w->z, ROOM * sizeof(float)));
    int wrong = 0;
    for (int i = 0; i < from + count + 40; i++) {
        bool is_inside = i >= from && i < from + count;
        float wanted = is_inside ? expected(w, i - from) : 0;
        wrong += w->z[i] != wanted;
    }
    if (wrong > 0) {
        FAIL("%d elements are wrong, %d from %d on", wrong, count, from);
    }
}

static int shift_a;
static int shift_b;

static float sum_of_both(const struct access_world *w, int i)
{
    return w->x[i + shift_a] + 2 * w->y[i + shift_b];
}

static float sum_of_three(const struct access_world *w, int i)
{
    const float *x = w->x + shift_a + i; // the first one is not written
    return x[0] + 4 * x[1] + 16 * x[2];
}

TEST(views_that_begin_anywhere_are_read_and_written_whole)
{
    struct access_world w;
    open_access(&w);
    rill_kernel add = kernel_of(&w, "add");
    for (int s = 0; s < SHIFTS * SHIFTS; s++) {
        int n = lengths[s * 7 % LENGTH_COUNT];
        int to = s % SHIFTS;
        shift_a = s / SHIFTS;
        shift_b = (s + shift_a) % SHIFTS;
        OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
        OK(rill_launch(add, RILL_CURRENT,
                       RILL_ARGS(n, view(w.a, shift_a, n), view(w.b, shift_b, n), view(w.c, to, n))));
        check_floats(&w, to, n, sum_of_both);
    }
    for (int i = 0; i < LENGTH_COUNT; i++) { // all aligned
        shift_a = shift_b = 0;
        OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
        OK(rill_launch(add, RILL_CURRENT, RILL_ARGS(lengths[i], w.a, w.b, w.c)));
        check_floats(&w, 0, lengths[i], sum_of_both);
    }
    close_access(&w);
}

TEST(loops_that_begin_at_the_second_element_and_read_around_it)
{
    struct access_world w;
    open_access(&w);
    rill_kernel inner = kernel_of(&w, "inner");
    for (int s = 0; s < SHIFTS * LENGTH_COUNT; s++) {
        int n = lengths[s / SHIFTS];
        shift_a = s % SHIFTS;
        for (int to = shift_a; to < SHIFTS + shift_a; to += SHIFTS - 1) {
            OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
            OK(rill_launch(inner, RILL_CURRENT, RILL_ARGS(n, view(w.a, shift_a, n), view(w.c, to, n))));
            check_floats(&w, to + 1, n > 2 ? n - 2 : 0, sum_of_three);
        }
    }
    close_access(&w);
}

static int columns;
static int rows;

static float grid_at(const struct access_world *w, int i)
{
    int row = i / columns;
    int column = i % columns;
    const float *a = w->x + shift_a + i;
    bool is_inner = row > 0 && row < rows - 1 && column > 0 && column < columns - 1;
    return is_inner ? a[-columns] + 2 * a[columns] + 3 * a[-1] + 5 * a[1] : 0;
}

static float block_at(const struct access_world *w, int i)
{
    int row = i / columns;
    return w->x[shift_a + i] + (float)(100 * (row / rows)) + (float)(10 * (row % rows));
}

static int first_row;
static int first_column;

static float part_at(const struct access_world *w, int i)
{
    return i / columns >= first_row && i % columns >= first_column ? w->x[i] + 1 : 0;
}

TEST(a_part_of_the_rows_that_arguments_name)
{
    struct access_world w;
    open_access(&w);
    shift_a = 0;
    rows = 6;
    for (int s = 0; s < 24; s++) {
        columns = s < 12 ? 64 : 20 + s;
        first_row = s % 3;
        first_column = s % 12;
        rill_array a;
        rill_array c;
        OK(rill_array_view(w.a, 0, RILL_SHAPE(rows, columns), &a));
        OK(rill_array_view(w.c, 0, RILL_SHAPE(rows, columns), &c));
        OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
        OK(rill_launch(kernel_of(&w, "part"), RILL_CURRENT, RILL_ARGS(rows, columns, first_row, first_column, a, c)));
        check_floats(&w, 0, rows * columns, part_at);
    }
    close_access(&w);
}

TEST(rows_of_any_length_that_begin_anywhere)
{
    struct access_world w;
    open_access(&w);
    static const int widths[] = {1, 2, 3, 4, 5, 6, 8, 12, 17, 33, 64, 100, 129};
    for (int s = 0; s < 13 * SHIFTS; s++) {
        columns = widths[s % 13];
        shift_a = s / 13;
        for (int to = shift_a; to < SHIFTS + shift_a; to += SHIFTS - 1) {
            rows = 7;
            rill_array a;
            rill_array c;
            OK(rill_array_view(w.a, (size_t)shift_a, RILL_SHAPE(rows, columns), &a));
            OK(rill_array_view(w.c, (size_t)to, RILL_SHAPE(rows, columns), &c));
            OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
            OK(rill_launch(kernel_of(&w, "grid"), RILL_CURRENT, RILL_ARGS(rows, columns, a, c)));
            check_floats(&w, to, rows * columns, grid_at);
            rows = 3;
            OK(rill_array_view(w.a, (size_t)shift_a, RILL_SHAPE(4, rows, columns), &a));
            OK(rill_array_view(w.c, (size_t)to, RILL_SHAPE(4, rows, columns), &c));
            OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
            OK(rill_launch(kernel_of(&w, "block"), RILL_CURRENT, RILL_ARGS(4, rows, columns, a, c)));
            check_floats(&w, to, 4 * rows * columns, block_at);
        }
    }
    close_access(&w);
}

static float scaled(const struct access_world *w, int i)
{
    return 3 * w->x[i] + 1;
}

TEST(an_array_is_changed_in_place)
{
    struct access_world w;
    open_access(&w);
    rill_kernel scale = kernel_of(&w, "scale");
    for (int s = 0; s < SHIFTS; s++) {
        OK(rill_array_fill(w.c, RILL_CURRENT, &(float){0}, sizeof(float)));
        rill_array part = view(w.c, s, 1023);
        OK(rill_array_write(part, RILL_CURRENT, w.x, 1023 * sizeof(float)));
        OK(rill_launch(scale, RILL_CURRENT, RILL_ARGS(1023, part)));
        check_floats(&w, s, 1023, scaled);
    }
    close_access(&w);
}

TEST(elements_of_several_sizes_in_one_loop)
{
    struct access_world w;
    open_access(&w);
    rill_array a;
    rill_array c;
    rill_array d;
    OK(rill_array_create(w.world.context, RILL_U8, RILL_SHAPE(5000), &a));
    OK(rill_array_create(w.world.context, RILL_F64, RILL_SHAPE(5000), &c));
    OK(rill_array_create(w.world.context, RILL_U8, RILL_SHAPE(5000), &d));
    static unsigned char bytes[5000];
    static unsigned char more[5000];
    static double wide[5000];
    for (int i = 0; i < 5000; i++) {
        bytes[i] = (unsigned char)(i * 7);
    }
    OK(rill_array_write(a, RILL_CURRENT, bytes, sizeof bytes));
    int wrong = 0;
    for (int s = 0; s < 9; s++) {
        int n = 4097 + s;
        OK(rill_launch(kernel_of(&w, "mixed"), RILL_CURRENT, RILL_ARGS(n, view(a, s, n), view(c, s % 3, n))));
        OK(rill_launch(kernel_of(&w, "bytes"), RILL_CURRENT, RILL_ARGS(n, view(a, s, n), view(d, s * 2, n))));
        OK(rill_array_read(c, RILL_CURRENT, wide, sizeof wide));
        OK(rill_array_read(d, RILL_CURRENT, more, sizeof more));
        for (int i = 0; i < n; i++) {
            wrong += wide[i + s % 3] != bytes[i + s] * 0.5;
            wrong += more[i + s * 2] != (unsigned char)(bytes[i + s] + 7);
        }
    }
    CHECK_INT(wrong, 0);
    close_access(&w);
}

TEST(a_sum_has_the_same_bits_wherever_the_array_lies)
{
    struct access_world w;
    open_access(&w);
    rill_kernel sum = kernel_of(&w, "sum");
    static const int counts[] = {1, 5, 2047, 2049, 65000};
    for (int k = 0; k < 5; k++) {
        double first = 0;
        double serial = 0;
        for (int i = 0; i < counts[k]; i++) {
            serial += w.x[i] * 0.1;
        }
        for (int s = 0; s < SHIFTS; s++) {
            rill_array part = view(w.c, s, counts[k]);
            OK(rill_array_write(part, RILL_CURRENT, w.x, (size_t)counts[k] * sizeof(float)));
            double result;
            OK(rill_call(sum, RILL_CURRENT, RILL_ARGS(counts[k], part), &result, sizeof result));
            first = s == 0 ? result : first;
            CHECK(memcmp(&result, &first, sizeof result) == 0);
            CHECK(result - serial < 1e-6 && serial - result < 1e-6);
        }
    }
    close_access(&w);
}

// Several equal ones, far apart: the first, or the last, as serial C has it.
TEST(the_least_of_many_is_the_one_that_serial_code_keeps)
{
    struct access_world w;
    open_access(&w);
    static const int places[][2] = {{0, 1}, {17, 65001}, {2047, 2048}, {31, 32}, {4095, 60000}, {3, 258}};
    for (int p = 0; p < 6; p++) {
        for (int i = 0; i < ROOM; i++) {
            w.x[i] = (float)(i % 100 + 1);
        }
        w.x[places[p][0]] = w.x[places[p][1]] = -5;
        OK(rill_array_write(w.a, RILL_CURRENT, w.x, ROOM * sizeof(float)));
        int n = 66000;
        int at;
        OK(rill_call(kernel_of(&w, "least"), RILL_CURRENT, RILL_ARGS(n, w.a), &at, sizeof at));
        CHECK_INT(at, places[p][0]);
        OK(rill_call(kernel_of(&w, "last_least"), RILL_CURRENT, RILL_ARGS(n, w.a), &at, sizeof at));
        CHECK_INT(at, places[p][1]);
    }
    for (int i = 0; i < ROOM; i++) {
        w.x[i] = i == 40000 || i == 3 ? 1.0f : -1.0f;
    }
    OK(rill_array_write(w.a, RILL_CURRENT, w.x, ROOM * sizeof(float)));
    int n = ROOM;
    int at;
    OK(rill_call(kernel_of(&w, "last"), RILL_CURRENT, RILL_ARGS(n, w.a), &at, sizeof at));
    CHECK_INT(at, 40000);
    n = 1000;
    OK(rill_call(kernel_of(&w, "last"), RILL_CURRENT, RILL_ARGS(n, w.a), &at, sizeof at));
    CHECK_INT(at, 3);
    n = 2;
    OK(rill_call(kernel_of(&w, "last"), RILL_CURRENT, RILL_ARGS(n, w.a), &at, sizeof at));
    CHECK_INT(at, -1);
    close_access(&w);
}

TEST(reductions_of_every_operator_in_one_loop)
{
    struct access_world w;
    open_access(&w);
    static int a[ROOM];
    rill_array in;
    rill_array out;
    OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(ROOM), &in));
    OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(8), &out));
    for (int i = 0; i < ROOM; i++) {
        a[i] = (int)((unsigned)i * 2654435761u >> 12) - 500000;
    }
    OK(rill_array_write(in, RILL_CURRENT, a, sizeof a));
    for (int k = 0; k < 4; k++) {
        static const int counts[] = {1, 2000, 2049, ROOM};
        unsigned s = 0, p = 1, x = 0, o = 0, y = ~0u;
        int m = INT32_MAX, any = 0, all = 1;
        for (int i = 0; i < counts[k]; i++) {
            s += (unsigned)a[i];
            p *= (unsigned)a[i] | 1;
            m = a[i] < m ? a[i] : m;
            x ^= (unsigned)a[i];
            o |= (unsigned)a[i] & 6;
            y &= (unsigned)a[i] | 1;
            any |= a[i] == 12345;
            all &= a[i] < 100000;
        }
        int wanted[8] = {(int)s, (int)p, m, (int)x, (int)o, (int)y, any, all};
        int got[8];
        int n = counts[k];
        OK(rill_launch(kernel_of(&w, "several"), RILL_CURRENT, RILL_ARGS(n, in, out)));
        OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
        for (int i = 0; i < 8; i++) {
            CHECK_INT(got[i], wanted[i]);
        }
    }
    close_access(&w);
}

TEST(histograms_small_and_large)
{
    struct access_world w;
    open_access(&w);
    static int a[ROOM];
    static int wanted[8192];
    static int got[8192];
    rill_array in;
    OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(ROOM), &in));
    static const int sizes[] = {1, 3, 256, 2048, 2049, 8192};
    for (int k = 0; k < 6; k++) {
        int bins = sizes[k];
        memset(wanted, 0, sizeof wanted);
        for (int i = 0; i < ROOM; i++) {
            a[i] = (int)(((unsigned)i * 2654435761u >> 8) % (unsigned)bins);
            wanted[a[i]]++;
        }
        rill_array counts;
        OK(rill_array_create(w.world.context, RILL_I32, RILL_SHAPE(bins), &counts));
        OK(rill_array_write(in, RILL_CURRENT, a, sizeof a));
        int n = ROOM;
        OK(rill_launch(kernel_of(&w, "count"), RILL_CURRENT, RILL_ARGS(n, bins, in, counts)));
        OK(rill_launch(kernel_of(&w, "count"), RILL_CURRENT, RILL_ARGS(n, bins, in, counts)));
        OK(rill_array_read(counts, RILL_CURRENT, got, (size_t)bins * sizeof(int)));
        int wrong = 0;
        for (int i = 0; i < bins; i++) {
            wrong += got[i] != 2 * wanted[i];
        }
        CHECK_INT(wrong, 0);
        OK(rill_array_destroy(counts));
    }
    rill_array greatest;
    long most[3] = {0};
    int n = ROOM;
    int bins = 3;
    OK(rill_array_create(w.world.context, RILL_I64, RILL_SHAPE(bins), &greatest));
    for (int i = 0; i < ROOM; i++) {
        a[i] = i % 7 % 3;
    }
    OK(rill_array_write(in, RILL_CURRENT, a, sizeof a));
    OK(rill_launch(kernel_of(&w, "extremes"), RILL_CURRENT, RILL_ARGS(n, bins, in, greatest)));
    OK(rill_array_read(greatest, RILL_CURRENT, most, sizeof most));
    for (int i = 0; i < 3; i++) {
        long last = ROOM - 1;
        while (last % 7 % 3 != i) {
            last--;
        }
        CHECK_INT(most[i], last);
    }
    close_access(&w);
}

// ---- columns ------------------------------------------------------------------------------------------------------

static const char column_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void up(int n, int m, int f, const int b[m][n], int c[n])\n"
    "{ for (int i = 0; i < n; i++) { int s = 0; for (int k = f; k < m; k++) { s += b[k][i] * (k + 1); } c[i] = s; } }\n"
    "kernel void beside(int n, int m, int f, const int b[m][n], int c[n])\n"
    "{ for (int i = 0; i < n; i++) { int s = 0; for (int k = f + 1; k < m - 1; k++) {\n"
    "    s = s * 3 + b[k - 1][i] - 2 * b[k][i] + 7 * b[k + 1][n - 1 - i]; } c[i] = s; } }\n"
    "kernel void down(int n, int m, int f, const int b[m][n], int c[n])\n"
    "{ for (int i = 0; i < n; i++) { int s = 0; for (int k = m - 1; k >= f; k--) { s = s * 3 + b[k][i]; } c[i] = s; } "
    "}\n"
    "kernel void steps(int n, int m, int f, const int b[m][n], int c[n])\n"
    "{ for (int i = 0; i < n; i++) { int s = 0; for (int k = f; k < m; k += 3) { s = s * 5 + b[k][i]; } c[i] = s; } }\n"
    "kernel void through(int n, int m, int f, int b[m][n], int c[n])\n"
    "{ for (int i = 0; i < n; i++) { for (int k = f + 1; k < m; k++) { b[k][i] += b[k - 1][i] * 5; }\n"
    "    c[i] = m > 0 ? b[m - 1][i] : 0; } }\n";

enum { COLUMN_KINDS = 5, MOST_COLUMNS = 33, MOST_ROWS = 70 };

// As the kernels above, for column |i|, with what wraps in unsigned numbers.
static unsigned column_by_hand(int kind, int n, int m, int f, unsigned *b, int i)
{
    unsigned s = 0;
    for (int k = f; kind == 0 && k < m; k++) {
        s += b[k * n + i] * (unsigned)(k + 1);
    }
    for (int k = f + 1; kind == 1 && k < m - 1; k++) {
        s = s * 3 + b[(k - 1) * n + i] - 2 * b[k * n + i] + 7 * b[(k + 1) * n + n - 1 - i];
    }
    for (int k = m - 1; kind == 2 && k >= f; k--) {
        s = s * 3 + b[k * n + i];
    }
    for (int k = f; kind == 3 && k < m; k += 3) {
        s = s * 5 + b[k * n + i];
    }
    for (int k = f + 1; kind == 4 && k < m; k++) {
        b[k * n + i] += b[(k - 1) * n + i] * 5;
    }
    return kind == 4 && m > 0 ? b[(m - 1) * n + i] : s;
}

TEST(columns_are_walked_up_down_and_in_steps)
{
    static const char *const names[COLUMN_KINDS] = {"up", "beside", "down", "steps", "through"};
    static const int heights[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, MOST_ROWS};
    static unsigned b[MOST_ROWS * MOST_COLUMNS];
    struct world world;
    world_open(&world, 0);
    rill_module module;
    OK(rill_module_create(world.context, column_source, NULL, &module));
    int wrong = 0;
    for (int kind = 0; kind < COLUMN_KINDS; kind++) {
        rill_kernel kernel;
        OK(rill_module_kernel(module, names[kind], &kernel));
        for (size_t r = 0; r < sizeof heights / sizeof heights[0] * 4; r++) {
            int m = heights[r / 4];
            int n = r % 2 == 0 ? 7 : MOST_COLUMNS;
            int f = r / 2 % 2 == 0 ? 0 : 2;
            rill_array in;
            rill_array out;
            OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(m, n), &in));
            OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(n), &out));
            for (int i = 0; i < m * n; i++) {
                b[i] = (unsigned)i * 2654435761u >> 7;
            }
            if (m > 0) {
                OK(rill_array_write(in, RILL_CURRENT, b, (size_t)(m * n) * sizeof *b));
            }
            OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, m, f, in, out)));
            unsigned got[MOST_COLUMNS];
            OK(rill_array_read(out, RILL_CURRENT, got, (size_t)n * sizeof *got));
            for (int i = 0; i < n; i++) {
                wrong += got[i] != column_by_hand(kind, n, m, f, b, i);
            }
            OK(rill_array_destroy(in));
            OK(rill_array_destroy(out));
        }
    }
    CHECK_INT(wrong, 0);
    OK(rill_module_destroy(module));
    world_close(&world);
}

// ---- conditions ---------------------------------------------------------------------------------------------------

static const char condition_source[] =
    "#include <rill/kernel.h>\n"
    "kernel void least(int n, int f, const int a[n], const int b[n], int c[8])\n"
    "{ int s = 1 << 30, k = -1; for (int i = f; i < n; i++) { if (a[i] < s) { s = a[i]; k = i; } } c[0] = s; c[1] = k; "
    "}\n"
    "kernel void chosen(int n, int f, const int a[n], const int b[n], int c[8])\n"
    "{ int s = 0, m = 0; for (int i = f; i < n; i++) {\n"
    "    if (a[i] > b[i]) { s += a[i]; m++; } else { s -= b[i] * 3; } } c[0] = s; c[1] = m; }\n"
    "kernel void beside(int n, int f, const int a[n], const int b[n], int c[8])\n"
    "{ for (int i = f; i < n; i++) { if (a[i] & 1) { c[b[i] & 7] += a[i]; } } }\n"
    "kernel void always(int n, int f, const int a[n], const int b[n], int c[8])\n"
    "{ for (int i = f; i < n; i++) { c[a[i] & 7] += b[i]; } }\n";

enum { CONDITION_KINDS = 4, CONDITION_ROOM = 700 };

static void conditions_by_hand(int kind, int n, int f, const int *a, const int *b, int *c)
{
    c[0] = kind == 0 ? 1 << 30 : 0;
    c[1] = kind == 0 ? -1 : 0;
    for (int i = f; i < n; i++) {
        if (kind == 0 && a[i] < c[0]) {
            c[0] = a[i];
            c[1] = i;
        } else if (kind == 1) {
            c[0] += a[i] > b[i] ? a[i] : -b[i] * 3;
            c[1] += a[i] > b[i];
        } else if (kind == 2 && (a[i] & 1) != 0) {
            c[b[i] & 7] += a[i];
        } else if (kind == 3) {
            c[a[i] & 7] += b[i];
        }
    }
}

// Wherever the arrays begin, and however many elements there are: wide loads are for some of them only.
TEST(what_is_loaded_before_conditions_and_shared_updates)
{
    static const char *const names[CONDITION_KINDS] = {"least", "chosen", "beside", "always"};
    static const int counts[] = {0, 1, 3, 4, 5, 8, 11, 64, 257, CONDITION_ROOM - 8};
    static int a[CONDITION_ROOM];
    static int b[CONDITION_ROOM];
    struct world world;
    world_open(&world, 0);
    rill_module module;
    rill_array all_a;
    rill_array all_b;
    OK(rill_module_create(world.context, condition_source, NULL, &module));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(CONDITION_ROOM), &all_a));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(CONDITION_ROOM), &all_b));
    for (int i = 0; i < CONDITION_ROOM; i++) {
        a[i] = (int)(((unsigned)i * 2654435761u >> 9) % 1000);
        b[i] = (int)(((unsigned)i * 2246822519u >> 9) % 1000);
    }
    OK(rill_array_write(all_a, RILL_CURRENT, a, sizeof a));
    OK(rill_array_write(all_b, RILL_CURRENT, b, sizeof b));
    int wrong = 0;
    for (int r = 0; r < CONDITION_KINDS * 10 * 6; r++) {
        int kind = r % CONDITION_KINDS;
        int n = counts[r / CONDITION_KINDS % 10];
        int from_a = r / CONDITION_KINDS / 10; // the first is aligned, the others are not
        int from_b = from_a == 5 ? 4 : from_a == 4 ? 4 : 0;
        int f = r % 3 == 0 || n < 2 ? 0 : r % 3;
        rill_kernel kernel;
        rill_array in_a;
        rill_array in_b;
        rill_array out;
        OK(rill_module_kernel(module, names[kind], &kernel));
        OK(rill_array_view(all_a, (size_t)from_a, RILL_SHAPE(n), &in_a));
        OK(rill_array_view(all_b, (size_t)from_b, RILL_SHAPE(n), &in_b));
        OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(8), &out));
        OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, f, in_a, in_b, out)));
        int got[8];
        int wanted[8] = {0};
        OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
        conditions_by_hand(kind, n, f, a + from_a, b + from_b, wanted);
        wrong += memcmp(got, wanted, sizeof got) != 0;
        OK(rill_array_destroy(in_a));
        OK(rill_array_destroy(in_b));
        OK(rill_array_destroy(out));
    }
    CHECK_INT(wrong, 0);
    OK(rill_module_destroy(module));
    world_close(&world);
}

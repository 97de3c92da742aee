// rill/algorithms.h against reference code of the test's own: partitions, runs, merges, histograms, transposes and
// permutations. Lengths around those at which arrays are cut into parts, and one of 10^6.
#include "world.h"

#include <math.h>

static const char source[] =
    "#include <rill/algorithms.h>\n"
    "kernel long partition(int n, const long a[n], const unsigned char is_first[n], long out[n])\n"
    "{ return rill_partition_i64(n, a, is_first, out); }\n"
    "kernel long unique(int n, const float a[n], float out[n]) { return rill_unique_f32(n, a, out); }\n"
    "kernel long sums(int n, const float keys[n], const long v[n], float out[n], long sums[n])\n"
    "{ return rill_sum_i64_by_f32(n, keys, v, out, sums); }\n"
    "kernel void merge(int n, const float a[n], int m, const float b[m], float out[n + m])\n"
    "{ rill_merge_f32(n, a, m, b, out); }\n"
    "kernel void histogram(int n, const double x[n], double low, double high, int bins, int counts[bins])\n"
    "{ rill_histogram_f64(n, x, low, high, bins, counts); }\n"
    "kernel void transpose(int n, int m, const int a[n][m], int out[m][n]) { rill_transpose_i32(n, m, a, out); }\n"
    "kernel void permutation(int n, unsigned long key, int order[n]) { rill_permutation(n, key, order); }\n"
    "kernel void orders(int n, int rounds, int places[n][n])\n"
    "{ for (int r = 0; r < rounds; r++) for (int i = 0; i < n; i++) places[i][rill_permuted(n, r, i)]++; }\n";

enum { MOST = 1000000 };
static const int lengths[] = {0, 1, 2, 4095, 4096, 4097, 10007, MOST};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

struct scene {
    struct world world;
    rill_stream stream;
    void *memory[5]; // owned, MOST elements of 8 bytes each
};

static void scene_init(struct scene *s)
{
    world_open(&s->world, 3);
    rill_module module;
    OK(rill_module_create(s->world.context, source, NULL, &module));
    s->world.module = module;
    s->stream = rill_default_stream(s->world.context);
    for (int i = 0; i < 5; i++) {
        s->memory[i] = calloc(MOST, 8);
        REQUIRE(s->memory[i] != NULL);
    }
}

static void scene_finish(struct scene *s)
{
    for (int i = 0; i < 5; i++) {
        free(s->memory[i]);
    }
    OK(rill_close(s->world.context));
}

static rill_kernel kernel_of(struct scene *s, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->world.module, name, &kernel));
    return kernel;
}

static rill_array array_of(struct scene *s, rill_type type, int n, const void *values, size_t size)
{
    rill_array array = {0};
    OK(rill_array_create(s->world.context, type, RILL_SHAPE(n), &array));
    if (values != NULL) {
        OK(rill_array_write(array, s->stream, values, (size_t)n * size));
    }
    return array;
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

TEST(partition_keeps_the_order_of_both_parts)
{
    struct scene s = {0};
    scene_init(&s);
    for (int l = 0; l < LENGTHS; l++) {
        int n = lengths[l];
        uint64_t state = 1;
        int64_t *in = s.memory[0];
        unsigned char *is_first = s.memory[1];
        int64_t *expected = s.memory[2];
        int64_t *found = s.memory[3];
        int kept = 0;
        for (int i = 0; i < n; i++) {
            in[i] = i;
            is_first[i] = draw(&state) % 3 == 0 ? 2 : 0;
            kept += is_first[i] != 0;
        }
        for (int i = 0, first = 0, other = kept; i < n; i++) {
            expected[is_first[i] != 0 ? first++ : other++] = i;
        }
        rill_array a = array_of(&s, RILL_I64, n, in, sizeof *in);
        rill_array flags = array_of(&s, RILL_U8, n, is_first, 1);
        rill_array out = array_of(&s, RILL_I64, n, NULL, 0);
        int64_t count;
        OK(rill_call(kernel_of(&s, "partition"), s.stream, RILL_ARGS(n, a, flags, out), &count, sizeof count));
        OK(rill_array_read(out, s.stream, found, (size_t)n * sizeof *found));
        CHECK(count == kept && memcmp(found, expected, (size_t)n * sizeof *found) == 0);
        OK(rill_array_destroy(a));
        OK(rill_array_destroy(flags));
        OK(rill_array_destroy(out));
    }
    scene_finish(&s);
}

// Runs of about |width| keys, of which some are zeros of either sign, and NaNs.
static void make_keys(int n, int width, float *keys)
{
    uint64_t state = 2;
    for (int i = 0; i < n; i++) {
        int run = i / width;
        keys[i] = run % 5 == 0 ? (draw(&state) % 2 != 0 ? 0.0f : -0.0f) : run % 5 == 1 ? NAN : (float)run;
    }
}

static bool is_equal(float a, float b)
{
    return a == b || (a != a && b != b);
}

static void check_runs(struct scene *s, int n, int width)
{
    float *keys = s->memory[0];
    int64_t *values = s->memory[1];
    float *expected = s->memory[2];
    int64_t *sums = s->memory[3];
    uint64_t state = 3;
    int runs = 0;
    make_keys(n, width, keys);
    for (int i = 0; i < n; i++) {
        values[i] = draw(&state);
        if (i == 0 || !is_equal(keys[i], keys[i - 1])) {
            expected[runs] = keys[i];
            sums[runs++] = 0;
        }
        sums[runs - 1] += values[i];
    }
    rill_array a = array_of(s, RILL_F32, n, keys, sizeof *keys);
    rill_array v = array_of(s, RILL_I64, n, values, sizeof *values);
    rill_array out = array_of(s, RILL_F32, n, NULL, 0);
    rill_array out_sums = array_of(s, RILL_I64, n, NULL, 0);
    for (int way = 0; way < 2; way++) {
        int64_t count;
        if (way == 0) {
            OK(rill_call(kernel_of(s, "unique"), s->stream, RILL_ARGS(n, a, out), &count, sizeof count));
        } else {
            OK(rill_call(kernel_of(s, "sums"), s->stream, RILL_ARGS(n, a, v, out, out_sums), &count, sizeof count));
        }
        OK(rill_array_read(out, s->stream, s->memory[4], (size_t)n * sizeof *keys));
        CHECK(count == runs && memcmp(s->memory[4], expected, (size_t)runs * sizeof *keys) == 0);
    }
    OK(rill_array_read(out_sums, s->stream, s->memory[4], (size_t)n * sizeof *sums));
    CHECK(memcmp(s->memory[4], sums, (size_t)runs * sizeof *sums) == 0);
    OK(rill_array_destroy(a));
    OK(rill_array_destroy(v));
    OK(rill_array_destroy(out));
    OK(rill_array_destroy(out_sums));
}

TEST(runs_are_found_and_summed_also_over_many_parts)
{
    static const int widths[] = {1, 3, 1000, 30000, MOST};
    struct scene s = {0};
    scene_init(&s);
    for (int l = 0; l < LENGTHS; l++) {
        for (int w = 0; w < 5; w++) {
            check_runs(&s, lengths[l], widths[w]);
        }
    }
    scene_finish(&s);
}

TEST(merge_takes_equal_elements_from_the_first_array_first)
{
    static const int sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 20000}, {20000, 1}, {4096, 4096}, {12345, 54321}};
    struct scene s = {0};
    scene_init(&s);
    for (int c = 0; c < 7; c++) {
        int n = sizes[c][0];
        int m = sizes[c][1];
        float *a = s.memory[0];
        float *b = s.memory[1];
        float *expected = s.memory[2];
        for (int i = 0; i < n; i++) {
            a[i] = i < n / 2 ? 0.0f : i < n - 3 ? (float)(i / 3) : NAN; // zeros tell a from b, by their sign
        }
        for (int j = 0; j < m; j++) {
            b[j] = j < m / 3 ? -0.0f : j < m - 2 ? (float)(j / 2) : -NAN;
        }
        for (int i = 0, j = 0, k = 0; k < n + m; k++) {
            bool is_of_a = j >= m || (i < n && (a[i] <= b[j] || b[j] != b[j]));
            expected[k] = is_of_a ? a[i++] : b[j++];
        }
        rill_array in_a = array_of(&s, RILL_F32, n, a, sizeof *a);
        rill_array in_b = array_of(&s, RILL_F32, m, b, sizeof *b);
        rill_array out = array_of(&s, RILL_F32, n + m, NULL, 0);
        OK(rill_launch(kernel_of(&s, "merge"), s.stream, RILL_ARGS(n, in_a, m, in_b, out)));
        OK(rill_array_read(out, s.stream, s.memory[3], (size_t)(n + m) * sizeof *a));
        CHECK(memcmp(s.memory[3], expected, (size_t)(n + m) * sizeof *a) == 0);
        OK(rill_array_destroy(in_a));
        OK(rill_array_destroy(in_b));
        OK(rill_array_destroy(out));
    }
    scene_finish(&s);
}

TEST(histogram_of_numbers_counts_each_in_its_bin)
{
    enum { N = 50000, BINS = 64 };
    struct scene s = {0};
    scene_init(&s);
    double *x = s.memory[0];
    int expected[BINS] = {0};
    uint64_t state = 4;
    for (int i = 0; i < N; i++) {
        x[i] = i % 100 == 0 ? (double)NAN : i % 100 == 1 ? (double)INFINITY : (double)(draw(&state) % 1000) / 8 - 40;
        if (x[i] >= -16 && x[i] < 48) {
            expected[(int)floor(x[i] + 16)]++; // bins as wide as 1: no rounding
        }
    }
    rill_array in = array_of(&s, RILL_F64, N, x, sizeof *x);
    rill_array counts = array_of(&s, RILL_I32, BINS, NULL, 0);
    OK(rill_launch(kernel_of(&s, "histogram"), s.stream, RILL_ARGS(N, in, -16.0, 48.0, BINS, counts)));
    int found[BINS];
    OK(rill_array_read(counts, s.stream, found, sizeof found));
    CHECK(memcmp(found, expected, sizeof found) == 0);
    OK(rill_array_destroy(in));
    OK(rill_array_destroy(counts));
    scene_finish(&s);
}

TEST(transpose_exchanges_rows_and_columns)
{
    struct scene s = {0};
    scene_init(&s);
    for (int n = 1; n < 300; n = n * 3 + 1) {
        for (int m = 1; m < 500; m = m * 5 + 2) {
            int *in = s.memory[0];
            int *out = s.memory[1];
            for (int i = 0; i < n * m; i++) {
                in[i] = i;
            }
            rill_array a, b;
            OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(n, m), &a));
            OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(m, n), &b));
            OK(rill_array_write(a, s.stream, in, (size_t)(n * m) * sizeof *in));
            OK(rill_launch(kernel_of(&s, "transpose"), s.stream, RILL_ARGS(n, m, a, b)));
            OK(rill_array_read(b, s.stream, out, (size_t)(n * m) * sizeof *out));
            bool is_right = true;
            for (int i = 0; i < n * m; i++) {
                is_right &= out[i % m * n + i / m] == i;
            }
            CHECK(is_right);
            OK(rill_array_destroy(a));
            OK(rill_array_destroy(b));
        }
    }
    scene_finish(&s);
}

TEST(permutations_have_every_place_once_and_keys_differ)
{
    static const int sizes[] = {1, 2, 3, 255, 256, 257, 4097, MOST};
    struct scene s = {0};
    scene_init(&s);
    for (int c = 0; c < 8; c++) {
        int n = sizes[c];
        int *order = s.memory[0];
        unsigned char *seen = s.memory[1];
        long same = 0;
        rill_array out = array_of(&s, RILL_I32, n, NULL, 0);
        for (uint64_t key = 0; key < 2; key++) {
            OK(rill_launch(kernel_of(&s, "permutation"), s.stream, RILL_ARGS(n, key, out)));
            OK(rill_array_read(out, s.stream, key == 0 ? order : s.memory[2], (size_t)n * sizeof *order));
        }
        memset(seen, 0, (size_t)n);
        bool is_right = true;
        for (int i = 0; i < n; i++) {
            int place = order[i];
            is_right &= place >= 0 && place < n && seen[place < 0 || place >= n ? 0 : place]++ == 0;
            same += place == ((int *)s.memory[2])[i];
        }
        CHECK(is_right);
        CHECK(n < 100 || same < 12); // one on average
        OK(rill_array_destroy(out));
    }
    scene_finish(&s);
}

// Each of 10 things is at each of 10 places in a tenth of the orders: chi squared with 81 degrees of freedom.
TEST(permutations_put_everything_everywhere_equally_often)
{
    enum { N = 10, ROUNDS = 20000 };
    struct scene s = {0};
    scene_init(&s);
    rill_array places;
    int found[N][N];
    OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(N, N), &places));
    OK(rill_launch(kernel_of(&s, "orders"), s.stream, RILL_ARGS(N, ROUNDS, places)));
    OK(rill_array_read(places, s.stream, found, sizeof found));
    double sum = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double off = found[i][j] - ROUNDS / N;
            sum += off * off / (ROUNDS / N);
        }
    }
    CHECK(sum > 35 && sum < 140); // 81 expected, with a deviation of 13
    OK(rill_array_destroy(places));
    scene_finish(&s);
}

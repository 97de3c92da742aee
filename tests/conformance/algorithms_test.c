// rill/algorithms.h against reference code of the test's own: qsort by value and place, sums and searches one by one.
// Lengths around those at which arrays are cut into parts, and one of 10^6; orders that sorts are known to fail at; of
// floats NaNs of both signs, both zeros and infinities.
#include "world.h"

#include <math.h>

static const char sorts[] =
    "#include <rill/algorithms.h>\n"
    "#define KERNELS(T, S) \\\n"
    "kernel void order_##S(int n, const T a[n], int order[n], T sorted[n], T other[n], int from[n], \\\n"
    "                      rill_counts counts) \\\n"
    "{ for (int i = 0; i < n; i++) { sorted[i] = a[i]; order[i] = i; } \\\n"
    "  rill_sort_pairs_with_##S(n, sorted, order, other, from, counts); } \\\n"
    "kernel void order_down_##S(int n, const T a[n], int order[n], T sorted[n], T other[n], int from[n], \\\n"
    "                           rill_counts counts) \\\n"
    "{ for (int i = 0; i < n; i++) sorted[i] = a[i]; rill_order_down_##S(n, a, order); rill_sort_down_##S(n, sorted); "
    "} \\\n"
    "kernel void sort_##S(int n, const T a[n], T sorted[n], T other[n], rill_counts counts) \\\n"
    "{ for (int i = 0; i < n; i++) sorted[i] = a[i]; rill_sort_##S(n, sorted); } \\\n"
    "kernel void sort_down_##S(int n, const T a[n], T sorted[n], T other[n], rill_counts counts) \\\n"
    "{ for (int i = 0; i < n; i++) sorted[i] = a[i]; rill_sort_down_with_##S(n, sorted, other, counts); }\n"
    "KERNELS(int, i32) KERNELS(unsigned, u32) KERNELS(long, i64) KERNELS(unsigned long, u64)\n"
    "KERNELS(float, f32) KERNELS(double, f64)\n";

static const char others[] =
    "#include <rill/algorithms.h>\n"
    "#define KERNELS(T, S) \\\n"
    "kernel void bounds_##S(int n, const T a[n], int m, const T values[m], int lower[m], int upper[m]) \\\n"
    "{ rill_lower_bounds_##S(n, a, m, values, lower); rill_upper_bounds_##S(n, a, m, values, upper); }\n"
    "KERNELS(int, i32) KERNELS(unsigned, u32) KERNELS(long, i64) KERNELS(unsigned long, u64)\n"
    "KERNELS(float, f32) KERNELS(double, f64)\n"
    "kernel long scan(int n, const long a[n], long in[n], long ex[n])\n"
    "{ rill_inclusive_scan_i64(n, a, in); return rill_exclusive_scan_i64(n, a, ex); }\n"
    "kernel void histogram(int n, const int bin[n], int bins, int counts[bins])\n"
    "{ rill_histogram(n, bin, bins, counts); }\n";

enum { I32, U32, I64, U64, F32, F64, TYPES };
enum { RANDOM, EQUAL, SORTED, REVERSED, FEW, EXTREME, SHAPES };
enum { PARTS = 2048, DIGITS = 256, MOST = 1000000 };

static const struct {
    const char *name;
    rill_type type;
    size_t size;
} types[TYPES] = {
    [I32] = {"i32", RILL_I32, 4}, [U32] = {"u32", RILL_U32, 4}, [I64] = {"i64", RILL_I64, 8},
    [U64] = {"u64", RILL_U64, 8}, [F32] = {"f32", RILL_F32, 4}, [F64] = {"f64", RILL_F64, 8},
};

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state ^ *state >> 29) * 0xbf58476d1ce4e5b9u;
}

// ---- keys ---------------------------------------------------------------------------------------------------------

static int64_t whole_of(int shape, int n, int i, uint64_t random)
{
    switch (shape) {
    case EQUAL: return 77;
    case SORTED: return i - n / 2;
    case REVERSED: return n / 2 - i;
    case FEW: return (int64_t)(random >> 40) % 5 * 1000003 - 2000000;
    default: return (int64_t)random;
    }
}

static double float_of(int shape, int n, int i, uint64_t random)
{
    static const double extremes[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-42, -1e-42, 3e38, -3e38};
    size_t count = sizeof extremes / sizeof extremes[0];
    if (shape == EXTREME) {
        double value = extremes[(random >> 33) % count];
        return (random >> 62 & 1) != 0 ? -value : value; // a NaN gets a sign, too
    }
    return shape == RANDOM ? ldexp((double)(int64_t)random, (int)(random % 80) - 90)
                           : (double)whole_of(shape, n, i, random) * 0.25;
}

static void fill(int type, int shape, int n, void *keys)
{
    static const int64_t extremes[] = {0, -1, 1, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 255, 256, 65535, 65536};
    uint64_t state = (uint64_t)(type * SHAPES + shape + 1);
    for (int i = 0; i < n; i++) {
        uint64_t random = draw(&state);
        int64_t whole = shape == EXTREME ? extremes[(random >> 33) % 11] : whole_of(shape, n, i, random);
        double number = float_of(shape, n, i, random);
        switch (type) {
        case I32:
        case U32: ((uint32_t *)keys)[i] = (uint32_t)whole; break;
        case I64:
        case U64: ((uint64_t *)keys)[i] = (uint64_t)whole; break;
        case F32: ((float *)keys)[i] = (float)number; break;
        default: ((double *)keys)[i] = number; break;
        }
    }
}

// NaNs come last, in both directions.
static int compare_floats(double a, double b, bool is_down)
{
    if (isnan(a) || isnan(b)) {
        return (isnan(a) != 0) - (isnan(b) != 0);
    }
    int sign = (a > b) - (a < b);
    return is_down ? -sign : sign;
}

#define COMPARE(T) ((((const T *)keys)[i] > ((const T *)keys)[j]) - (((const T *)keys)[i] < ((const T *)keys)[j]))

static int compare_keys(int type, bool is_down, const void *keys, int i, int j)
{
    int sign = 0;
    switch (type) {
    case I32: sign = COMPARE(int32_t); break;
    case U32: sign = COMPARE(uint32_t); break;
    case I64: sign = COMPARE(int64_t); break;
    case U64: sign = COMPARE(uint64_t); break;
    case F32: return compare_floats(((const float *)keys)[i], ((const float *)keys)[j], is_down);
    default: return compare_floats(((const double *)keys)[i], ((const double *)keys)[j], is_down);
    }
    return is_down ? -sign : sign;
}

// What qsort's comparison looks at.
static struct {
    int type;
    bool is_down;
    const void *keys;
} sorted_by;

static int by_key_and_place(const void *a, const void *b)
{
    int i = *(const int *)a;
    int j = *(const int *)b;
    int sign = compare_keys(sorted_by.type, sorted_by.is_down, sorted_by.keys, i, j);
    return sign != 0 ? sign : (i > j) - (i < j);
}

// ---- one case -----------------------------------------------------------------------------------------------------

struct scene {
    struct world world;
    rill_stream stream;
    rill_array counts;
    void *keys; // owned, and so are those that follow
    void *sorted;
    int *order;
    int *expected;
};

static void scene_init(struct scene *s, const char *source)
{
    world_open(&s->world, 3);
    rill_module module;
    OK(rill_module_create(s->world.context, source, NULL, &module));
    s->world.module = module;
    s->stream = rill_default_stream(s->world.context);
    OK(rill_array_create(s->world.context, RILL_I64, RILL_SHAPE(PARTS, DIGITS), &s->counts));
    s->keys = calloc(MOST, 8);
    s->sorted = calloc(MOST, 8);
    s->order = calloc(MOST, sizeof *s->order);
    s->expected = calloc(MOST, sizeof *s->expected);
    REQUIRE(s->keys != NULL && s->sorted != NULL && s->order != NULL && s->expected != NULL);
}

static void scene_finish(struct scene *s)
{
    free(s->keys);
    free(s->sorted);
    free(s->order);
    free(s->expected);
    OK(rill_close(s->world.context));
}

static rill_kernel kernel_of(struct scene *s, const char *what, const char *type)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", what, type);
    rill_kernel kernel = {0};
    OK(rill_module_kernel(s->world.module, name, &kernel));
    return kernel;
}

static bool has_order(struct scene *s, int type, int n)
{
    size_t size = types[type].size;
    bool is_right = true;
    for (int i = 0; i < n && is_right; i++) {
        const char *key = (const char *)s->keys + (size_t)s->expected[i] * size;
        is_right = memcmp((const char *)s->sorted + (size_t)i * size, key, size) == 0;
    }
    return is_right;
}

static void check_sorts(struct scene *s, int type, int shape, int n)
{
    size_t size = types[type].size;
    size_t bytes = (size_t)n * size;
    fill(type, shape, n, s->keys);
    rill_array a, sorted, other, order, from;
    OK(rill_array_create(s->world.context, types[type].type, RILL_SHAPE(n), &a));
    OK(rill_array_create(s->world.context, types[type].type, RILL_SHAPE(n), &sorted));
    OK(rill_array_create(s->world.context, types[type].type, RILL_SHAPE(n), &other));
    OK(rill_array_create(s->world.context, RILL_I32, RILL_SHAPE(n), &order));
    OK(rill_array_create(s->world.context, RILL_I32, RILL_SHAPE(n), &from));
    OK(rill_array_write(a, s->stream, s->keys, bytes));
    for (int down = 0; down < 2; down++) {
        for (int i = 0; i < n; i++) {
            s->expected[i] = i;
        }
        sorted_by.type = type;
        sorted_by.is_down = down != 0;
        sorted_by.keys = s->keys;
        qsort(s->expected, (size_t)n, sizeof *s->expected, by_key_and_place);

        rill_kernel kernel = kernel_of(s, down ? "order_down" : "order", types[type].name);
        OK(rill_launch(kernel, s->stream, RILL_ARGS(n, a, order, sorted, other, from, s->counts)));
        OK(rill_array_read(order, s->stream, s->order, (size_t)n * sizeof *s->order));
        OK(rill_array_read(sorted, s->stream, s->sorted, bytes));
        CHECK(memcmp(s->order, s->expected, (size_t)n * sizeof *s->order) == 0);
        CHECK(has_order(s, type, n));

        kernel = kernel_of(s, down ? "sort_down" : "sort", types[type].name);
        OK(rill_launch(kernel, s->stream, RILL_ARGS(n, a, sorted, other, s->counts)));
        OK(rill_array_read(sorted, s->stream, s->sorted, bytes));
        CHECK(has_order(s, type, n));
    }
    OK(rill_array_destroy(a));
    OK(rill_array_destroy(sorted));
    OK(rill_array_destroy(other));
    OK(rill_array_destroy(order));
    OK(rill_array_destroy(from));
}

TEST(sorts_are_stable_for_every_type_and_order_of_keys)
{
    static const int lengths[] = {0, 1, 2, 3, 255, 4096, 4097, 10007};
    struct scene s = {0};
    scene_init(&s, sorts);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        for (int type = 0; type < TYPES; type++) {
            for (int shape = 0; shape < SHAPES; shape++) {
                check_sorts(&s, type, shape, lengths[l]);
            }
        }
    }
    scene_finish(&s);
}

TEST(sorts_of_a_million_keys_are_stable)
{
    struct scene s = {0};
    scene_init(&s, sorts);
    check_sorts(&s, F32, EXTREME, MOST);
    check_sorts(&s, I64, FEW, MOST);
    check_sorts(&s, U32, RANDOM, MOST - 1);
    scene_finish(&s);
}

// ---- bounds, sums, histograms -------------------------------------------------------------------------------------

TEST(bounds_are_those_of_a_linear_search_in_the_same_order)
{
    enum { N = 300, M = 200 };
    struct scene s = {0};
    scene_init(&s, others);
    for (int type = 0; type < TYPES; type++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            size_t size = types[type].size;
            fill(type, shape, N + M, s.keys); // N that are sorted, and M to look for
            for (int i = 0; i < N; i++) {
                s.expected[i] = i;
            }
            sorted_by.type = type;
            sorted_by.is_down = false;
            sorted_by.keys = s.keys;
            qsort(s.expected, N, sizeof *s.expected, by_key_and_place);
            for (int i = 0; i < N; i++) {
                memcpy((char *)s.sorted + (size_t)i * size, (char *)s.keys + (size_t)s.expected[i] * size, size);
            }
            rill_array a, values, lower, upper;
            OK(rill_array_create(s.world.context, types[type].type, RILL_SHAPE(N), &a));
            OK(rill_array_create(s.world.context, types[type].type, RILL_SHAPE(M), &values));
            OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(M), &lower));
            OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(M), &upper));
            OK(rill_array_write(a, s.stream, s.sorted, N * size));
            OK(rill_array_write(values, s.stream, (char *)s.keys + N * size, M * size));
            rill_kernel kernel = kernel_of(&s, "bounds", types[type].name);
            OK(rill_launch(kernel, s.stream, RILL_ARGS(N, a, M, values, lower, upper)));
            int found[2][M];
            OK(rill_array_read(lower, s.stream, found[0], sizeof found[0]));
            OK(rill_array_read(upper, s.stream, found[1], sizeof found[1]));
            bool is_right = true;
            for (int j = 0; j < M; j++) {
                int before = 0;
                int not_behind = 0;
                for (int i = 0; i < N; i++) {
                    int sign = compare_keys(type, false, s.keys, s.expected[i], N + j);
                    before += sign < 0;
                    not_behind += sign <= 0;
                }
                is_right &= found[0][j] == before && found[1][j] == not_behind;
            }
            CHECK(is_right);
            OK(rill_array_destroy(a));
            OK(rill_array_destroy(values));
            OK(rill_array_destroy(lower));
            OK(rill_array_destroy(upper));
        }
    }
    scene_finish(&s);
}

TEST(running_sums_have_every_prefix)
{
    static const int lengths[] = {0, 1, 2, 4095, 4096, 4097, 50021, MOST};
    struct scene s = {0};
    scene_init(&s, others);
    rill_kernel kernel;
    OK(rill_module_kernel(s.world.module, "scan", &kernel));
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        int n = lengths[l];
        int64_t *keys = s.keys;
        fill(I64, RANDOM, n, keys);
        rill_array a, in, ex;
        OK(rill_array_create(s.world.context, RILL_I64, RILL_SHAPE(n), &a));
        OK(rill_array_create(s.world.context, RILL_I64, RILL_SHAPE(n), &in));
        OK(rill_array_create(s.world.context, RILL_I64, RILL_SHAPE(n), &ex));
        OK(rill_array_write(a, s.stream, keys, (size_t)n * sizeof *keys));
        int64_t total;
        OK(rill_call(kernel, s.stream, RILL_ARGS(n, a, in, ex), &total, sizeof total));
        int64_t *sums = s.sorted;
        for (int way = 0; way < 2; way++) {
            OK(rill_array_read(way == 0 ? in : ex, s.stream, sums, (size_t)n * sizeof *sums));
            uint64_t sum = 0;
            bool is_right = true;
            for (int i = 0; i < n; i++) {
                uint64_t before = sum;
                sum += (uint64_t)keys[i];
                is_right &= (uint64_t)sums[i] == (way == 0 ? sum : before);
            }
            CHECK(is_right && (uint64_t)total == sum);
        }
        OK(rill_array_destroy(a));
        OK(rill_array_destroy(in));
        OK(rill_array_destroy(ex));
    }
    scene_finish(&s);
}

TEST(histogram_counts_what_lies_in_its_bins)
{
    enum { N = 100003, BINS = 57 };
    struct scene s = {0};
    scene_init(&s, others);
    rill_kernel kernel;
    OK(rill_module_kernel(s.world.module, "histogram", &kernel));
    int *bin = s.keys;
    int expected[BINS] = {0};
    uint64_t state = 3;
    for (int i = 0; i < N; i++) {
        bin[i] = (int)(draw(&state) >> 40) % (BINS + 20) - 10;
        if (bin[i] >= 0 && bin[i] < BINS) {
            expected[bin[i]]++;
        }
    }
    rill_array a, counts;
    OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(N), &a));
    OK(rill_array_create(s.world.context, RILL_I32, RILL_SHAPE(BINS), &counts));
    OK(rill_array_write(a, s.stream, bin, N * sizeof *bin));
    OK(rill_launch(kernel, s.stream, RILL_ARGS(N, a, BINS, counts)));
    int found[BINS];
    OK(rill_array_read(counts, s.stream, found, sizeof found));
    CHECK(memcmp(found, expected, sizeof found) == 0);
    OK(rill_array_destroy(a));
    OK(rill_array_destroy(counts));
    scene_finish(&s);
}

TEST(static_kernels_are_not_for_the_host)
{
    struct world world;
    world_open(&world, 1);
    rill_module module;
    OK(rill_module_create(world.context,
                          "#include <rill/kernel.h>\n"
                          "static kernel void one(int x[1]) { x[0] = 1; }\n"
                          "kernel void two(int x[1]) { one(x); x[0]++; }\n",
                          NULL, &module));
    rill_kernel kernel;
    CHECK(rill_module_kernel(module, "one", &kernel) == RILL_ERR_NOT_FOUND);
    OK(rill_module_kernel(module, "two", &kernel));
    rill_array x;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(1), &x));
    OK(rill_launch(kernel, rill_default_stream(world.context), RILL_ARGS(x)));
    int value;
    OK(rill_array_read(x, rill_default_stream(world.context), &value, sizeof value));
    CHECK(value == 2);
    OK(rill_array_destroy(x));
    OK(rill_close(world.context));
}

// Updates of memory that all iterations share: whatever way they are done, each arrives once. On the CPU each thread
// gathers them in a copy of its own where that pays; stats.copied_count says when.
#include "world.h"

static const char copies_source[] =
    "#include <rill/kernel.h>\n#include <assert.h>\n#include <stdint.h>\n"
    "#define PLAIN(name, type, op) \\\n"
    "    kernel void name(int n, int bins, const int key[n], const type w[n], type out[bins]) \\\n"
    "    { for (int i = 0; i < n; i++) out[key[i]] op w[i]; }\n"
    "#define LEAST(name, type, than) \\\n"
    "    kernel void name(int n, int bins, const int key[n], const type w[n], type out[bins]) \\\n"
    "    { for (int i = 0; i < n; i++) if (w[i] than out[key[i]]) out[key[i]] = w[i]; }\n"
    "#define INTEGERS(s, u, suffix) \\\n"
    "    PLAIN(add_##suffix, u, +=) PLAIN(sub_##suffix, u, -=) PLAIN(and_##suffix, u, &=) PLAIN(or_##suffix, u, |=) "
    "\\\n"
    "    PLAIN(xor_##suffix, u, ^=) LEAST(smin_##suffix, s, <) LEAST(smax_##suffix, s, >) LEAST(umin_##suffix, u, <) "
    "\\\n"
    "    LEAST(umax_##suffix, u, >)\n"
    "INTEGERS(int8_t, uint8_t, 8)\nINTEGERS(int16_t, uint16_t, 16)\nINTEGERS(int32_t, uint32_t, 32)\n"
    "INTEGERS(int64_t, uint64_t, 64)\n"
    "PLAIN(add_f32, float, +=)\nPLAIN(sub_f64, double, -=)\n"
    "kernel void count(int n, int bins, const int key[n], int out[bins])\n"
    "{ for (int i = 0; i < n; i++) out[key[i]]++; }\n"
    "int table[64];\n"
    "kernel void fields(int n, const int key[n]) { for (int i = 0; i < n; i++) { table[key[i]]++; table[0] -= 2; } }\n"
    "kernel void three(int n, int bins, const int key[n], int a[bins], int64_t b[bins], uint8_t c[bins])\n"
    "{ for (int i = 0; i < n; i++) { a[key[i]]++; b[key[n - 1 - i]] += i; c[key[i]] ^= i; a[key[n - 1 - i]] -= 3; } }\n"
    "kernel void locals(int n, const int key[n], int out[64], int sums[64])\n"
    "{ int h[64] = {0}, far[64]; for (int i = 0; i < 64; i++) far[i] = i;\n"
    "  for (int i = 0; i < n; i++) { h[key[i]]++; far[key[n - 1 - i]] += i; }\n"
    "  for (int i = 0; i < 64; i++) { out[i] = h[i]; sums[i] = far[i]; } }\n"
    "kernel void ticket(int n, int bins, const int key[n], int a[bins], int got[n])\n"
    "{ for (int i = 0; i < n; i++) { got[i] = rill_atomic_add(&a[0], 1); a[key[i]] += 0; } }\n"
    "kernel void blocks(int n, int bins, const int key[n], int out[bins])\n"
    "{ stream_parallel { for (int i = 0; i < n; i++) out[key[i]]++; }\n"
    "  stream_parallel { for (int i = 0; i < n; i++) out[key[n - 1 - i]] += 2; } }\n"
    "kernel void failing(int n, int bins, const int key[n], int out[bins])\n"
    "{ for (int i = 0; i < n; i++) { assert(i != n / 2); out[key[i]]++; } }\n";

static rill_module open_module(struct world *world, int thread_count)
{
    rill_module module = {0};
    world_open(world, thread_count);
    OK(rill_module_create(world->context, copies_source, NULL, &module));
    return module;
}

static rill_kernel find(rill_module module, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

static uint64_t copied_count(const struct world *world)
{
    rill_stats stats;
    OK(rill_context_stats(world->context, &stats));
    return stats.copied_count;
}

static int *make_keys(int n, int bins, unsigned seed)
{
    int *keys = malloc((size_t)n * sizeof *keys);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        keys[i] = (int)((seed >> 8) % (unsigned)bins);
    }
    return keys;
}

static rill_array key_array(struct world *world, int n, int bins)
{
    int *keys = make_keys(n, bins, 1);
    rill_array array = world_array(world, RILL_I32, n);
    OK(rill_array_write(array, RILL_CURRENT, keys, (uint64_t)n * sizeof *keys));
    free(keys);
    return array;
}

// ---- every operation and type ---------------------------------------------------------------------------------------

static uint64_t apply(const char *op, int bits, uint64_t old, uint64_t operand)
{
    int shift = 64 - bits;
    int64_t a = (int64_t)(old << shift) >> shift, b = (int64_t)(operand << shift) >> shift;
    uint64_t x = old << shift >> shift, y = operand << shift >> shift;
    if (strncmp(op, "add", 3) == 0) {
        return x + y;
    }
    if (strncmp(op, "sub", 3) == 0) {
        return x - y;
    }
    if (strncmp(op, "and", 3) == 0) {
        return x & y;
    }
    if (strncmp(op, "or", 2) == 0) {
        return x | y;
    }
    if (strncmp(op, "xor", 3) == 0) {
        return x ^ y;
    }
    if (op[0] == 's') {
        return (uint64_t)((strncmp(op, "smin", 4) == 0) == (b < a) ? b : a);
    }
    return (strncmp(op, "umin", 4) == 0) == (y < x) ? y : x;
}

static uint64_t element(const void *array, int bits, int i)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)array + (size_t)i * (size_t)(bits / 8), (size_t)(bits / 8)); // little-endian
    return value;
}

static void check_integers(struct world *world, rill_module module, const char *op, int bits, int n, int bins)
{
    static const rill_type types[2][4] = {{RILL_U8, RILL_U16, RILL_U32, RILL_U64},
                                          {RILL_I8, RILL_I16, RILL_I32, RILL_I64}};
    char name[32];
    snprintf(name, sizeof name, "%s_%d", op, bits);
    bool is_signed = strcmp(op, "smin") == 0 || strcmp(op, "smax") == 0;
    rill_type type = types[is_signed][bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
    size_t width = (size_t)(bits / 8);
    int *keys = make_keys(n, bins, 7);
    unsigned char *w = malloc((size_t)n * width), *expected = malloc((size_t)bins * width);
    unsigned char *got = malloc((size_t)bins * width);
    for (size_t i = 0; i < (size_t)n * width; i++) {
        w[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    for (size_t i = 0; i < (size_t)bins * width; i++) {
        expected[i] = (unsigned char)(i * 40503u >> 4);
    }
    rill_array k = world_array(world, RILL_I32, n), a = world_array(world, type, n),
               out = world_array(world, type, bins);
    OK(rill_array_write(k, RILL_CURRENT, keys, (uint64_t)n * sizeof *keys));
    OK(rill_array_write(a, RILL_CURRENT, w, (uint64_t)n * width));
    OK(rill_array_write(out, RILL_CURRENT, expected, (uint64_t)bins * width));
    OK(rill_launch(find(module, name), RILL_CURRENT, RILL_ARGS(n, bins, k, a, out)));
    OK(rill_array_read(out, RILL_CURRENT, got, (uint64_t)bins * width));
    for (int i = 0; i < n; i++) {
        uint64_t value = apply(op, bits, element(expected, bits, keys[i]), element(w, bits, i));
        memcpy(expected + (size_t)keys[i] * width, &value, width);
    }
    if (memcmp(got, expected, (size_t)bins * width) != 0) {
        FAIL("%s into %d differs", name, bins);
    }
    OK(rill_array_destroy(k));
    OK(rill_array_destroy(a));
    OK(rill_array_destroy(out));
    free(keys);
    free(w);
    free(expected);
    free(got);
}

static void check_all_integers(int thread_count)
{
    static const char *const ops[] = {"add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax"};
    struct world world;
    rill_module module = open_module(&world, thread_count);
    int launches = 0;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        for (int bits = 8; bits <= 64; bits *= 2) {
            check_integers(&world, module, ops[i], bits, 60000, 1 + (int)i * 37);
            launches++;
        }
    }
    if (world_is_cpu()) {
        CHECK_INT(copied_count(&world), thread_count > 1 ? launches : 0); // one thread needs neither copies nor atomics
    }
    world_close(&world);
}

TEST(integer_updates_are_exact_with_one_thread)
{
    check_all_integers(1);
}

TEST(integer_updates_are_exact_with_two_threads)
{
    check_all_integers(2);
}

TEST(integer_updates_are_exact_with_seven_threads)
{
    check_all_integers(7);
}

TEST(float_updates_add_up_in_any_order)
{
    for (int threads = 1; threads <= 7; threads += 3) {
        struct world world;
        rill_module module = open_module(&world, threads);
        int n = 100000, bins = 100;
        int *keys = make_keys(n, bins, 1);
        rill_array k = key_array(&world, n, bins);
        rill_array w = world_array(&world, RILL_F32, n), out = world_array(&world, RILL_F32, bins);
        rill_array v = world_array(&world, RILL_F64, n), down = world_array(&world, RILL_F64, bins);
        float quarter = 0.25f;
        double eighth = 0.125;
        OK(rill_array_fill(w, RILL_CURRENT, &quarter, sizeof quarter));
        OK(rill_array_fill(v, RILL_CURRENT, &eighth, sizeof eighth));
        OK(rill_launch(find(module, "add_f32"), RILL_CURRENT, RILL_ARGS(n, bins, k, w, out)));
        OK(rill_launch(find(module, "sub_f64"), RILL_CURRENT, RILL_ARGS(n, bins, k, v, down)));
        float sums[100];
        double differences[100];
        OK(rill_array_read(out, RILL_CURRENT, sums, sizeof sums));
        OK(rill_array_read(down, RILL_CURRENT, differences, sizeof differences));
        double counts[100] = {0};
        for (int i = 0; i < n; i++) {
            counts[keys[i]]++;
        }
        for (int i = 0; i < bins; i++) { // each sum is exact, whatever the order
            CHECK_NEAR(sums[i], 0.25 * counts[i], 0);
            CHECK_NEAR(differences[i], -0.125 * counts[i], 0);
        }
        if (world_is_cpu()) {
            CHECK_INT(copied_count(&world), threads > 1 ? 2 : 0);
        }
        free(keys);
        world_close(&world);
    }
}

// ---- which arrays ---------------------------------------------------------------------------------------------------

static int64_t count_into(struct world *world, rill_module module, int n, int bins)
{
    rill_array keys = key_array(world, n, bins);
    rill_array out = world_array(world, RILL_I32, bins);
    OK(rill_launch(find(module, "count"), RILL_CURRENT, RILL_ARGS(n, bins, keys, out)));
    int *got = malloc((size_t)bins * sizeof *got), *expected = make_keys(n, bins, 1);
    OK(rill_array_read(out, RILL_CURRENT, got, (uint64_t)bins * sizeof *got));
    int64_t sum = 0;
    for (int i = 0; i < n; i++) {
        got[expected[i]]--;
    }
    for (int i = 0; i < bins; i++) {
        sum += got[i] != 0;
    }
    free(got);
    free(expected);
    OK(rill_array_destroy(keys));
    OK(rill_array_destroy(out));
    return sum; // counters that are wrong
}

TEST(large_arrays_and_short_loops_have_no_copies)
{
    struct world world;
    rill_module module = open_module(&world, 2);
    CHECK_INT(count_into(&world, module, 200000, 1 << 21), 0); // more than is kept for a worker
    CHECK_INT(count_into(&world, module, 300, 2000), 0);       // more to set up than to update
    CHECK_INT(copied_count(&world), 0);
    CHECK_INT(count_into(&world, module, 300000, 2000), 0);
    CHECK_INT(copied_count(&world), world_is_cpu() ? 1 : 0);
    world_close(&world);
}

TEST(fields_and_several_arrays_have_copies)
{
    struct world world;
    rill_module module = open_module(&world, 2);
    int n = 100000, bins = 64;
    int *keys = make_keys(n, bins, 1);
    rill_array k = key_array(&world, n, bins);
    int table[64] = {0}, got[64];
    OK(rill_launch(find(module, "fields"), RILL_CURRENT, RILL_ARGS(n, k)));
    OK(rill_field_read(module, "table", RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < n; i++) {
        table[keys[i]]++;
        table[0] -= 2;
    }
    CHECK(memcmp(got, table, sizeof table) == 0);
    rill_array a = world_array(&world, RILL_I32, bins), b = world_array(&world, RILL_I64, bins);
    rill_array c = world_array(&world, RILL_U8, bins);
    OK(rill_launch(find(module, "three"), RILL_CURRENT, RILL_ARGS(n, bins, k, a, b, c)));
    int64_t sums[64] = {0}, got_sums[64];
    uint8_t parity[64] = {0}, got_parity[64];
    memset(table, 0, sizeof table);
    for (int i = 0; i < n; i++) {
        table[keys[i]]++;
        sums[keys[n - 1 - i]] += i;
        parity[keys[i]] ^= (uint8_t)i;
        table[keys[n - 1 - i]] -= 3;
    }
    OK(rill_array_read(a, RILL_CURRENT, got, sizeof got));
    OK(rill_array_read(b, RILL_CURRENT, got_sums, sizeof got_sums));
    OK(rill_array_read(c, RILL_CURRENT, got_parity, sizeof got_parity));
    CHECK(memcmp(got, table, sizeof table) == 0);
    CHECK(memcmp(got_sums, sums, sizeof sums) == 0);
    CHECK(memcmp(got_parity, parity, sizeof parity) == 0);
    CHECK_INT(copied_count(&world), world_is_cpu() ? 2 : 0);
    free(keys);
    world_close(&world);
}

// A ticket is drawn from the array itself: nobody may hold some back.
TEST(locals_have_copies)
{
    struct world world;
    rill_module module = open_module(&world, 2);
    int n = 100000, bins = 64;
    int *keys = make_keys(n, bins, 1);
    rill_array k = key_array(&world, n, bins);
    rill_array out = world_array(&world, RILL_I32, bins), sums = world_array(&world, RILL_I32, bins);
    OK(rill_launch(find(module, "locals"), RILL_CURRENT, RILL_ARGS(n, k, out, sums)));
    int counts[64] = {0}, got[64];
    unsigned far[64], got_far[64];
    for (unsigned i = 0; i < 64; i++) {
        far[i] = i;
    }
    for (int i = 0; i < n; i++) {
        counts[keys[i]]++;
        far[keys[n - 1 - i]] += (unsigned)i;
    }
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    OK(rill_array_read(sums, RILL_CURRENT, got_far, sizeof got_far));
    CHECK(memcmp(got, counts, sizeof counts) == 0);
    CHECK(memcmp(got_far, far, sizeof far) == 0);
    if (world_is_cpu()) {
        CHECK_INT(copied_count(&world), 1);
    }
    free(keys);
    world_close(&world);
}

TEST(an_array_with_explicit_atomics_has_no_copy)
{
    struct world world;
    rill_module module = open_module(&world, 7);
    int n = 50000, bins = 16;
    rill_array k = key_array(&world, n, bins), a = world_array(&world, RILL_I32, bins);
    rill_array tickets = world_array(&world, RILL_I32, n);
    OK(rill_launch(find(module, "ticket"), RILL_CURRENT, RILL_ARGS(n, bins, k, a, tickets)));
    int *got = malloc((size_t)n * sizeof *got);
    char *seen = calloc((size_t)n, 1);
    OK(rill_array_read(tickets, RILL_CURRENT, got, (uint64_t)n * sizeof *got));
    for (int i = 0; i < n; i++) {
        CHECK(got[i] >= 0 && got[i] < n && !seen[got[i]]);
        seen[got[i] >= 0 && got[i] < n ? got[i] : 0] = 1;
    }
    CHECK_INT(copied_count(&world), 0);
    free(got);
    free(seen);
    world_close(&world);
}

// The language leaves it open; all the same it must not lead into memory that is not the caller's.
TEST(an_index_beyond_the_shape_touches_the_place_that_it_names)
{
    if (!world_is_cpu()) {
        SKIP("what is out of range is left open");
    }
    struct world world;
    rill_module module = open_module(&world, 2);
    int n = 100000, bins = 64;
    rill_array keys = key_array(&world, n, 2 * bins), whole = world_array(&world, RILL_I32, 2 * bins), half;
    OK(rill_array_view(whole, 0, RILL_SHAPE(bins), &half));
    OK(rill_launch(find(module, "count"), RILL_CURRENT, RILL_ARGS(n, bins, keys, half)));
    int got[128], expected[128] = {0}, *host = make_keys(n, 2 * bins, 1);
    OK(rill_array_read(whole, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < n; i++) {
        expected[host[i]]++;
    }
    CHECK(memcmp(got, expected, sizeof got) == 0);
    CHECK_INT(copied_count(&world), 1);
    free(host);
    world_close(&world);
}

TEST(bounds_are_checked_as_ever)
{
    struct world world;
    world_open(&world, 2);
    rill_module module = {0};
    OK(rill_module_create(world.context, copies_source, &(rill_module_options){.check_bounds = true}, &module));
    rill_array keys = key_array(&world, 100000, 65), out = world_array(&world, RILL_I32, 64);
    OK(rill_launch(find(module, "count"), RILL_CURRENT, RILL_ARGS(100000, 64, keys, out)));
    STATUS(rill_stream_synchronize(rill_default_stream(world.context)), RILL_ERR_BOUNDS);
    OK(rill_stream_clear_error(rill_default_stream(world.context)));
    world_close(&world);
}

// ---- others at the same time ----------------------------------------------------------------------------------------

TEST(updates_of_two_streams_all_arrive)
{
    struct world world;
    rill_module module = open_module(&world, 4);
    enum { ROUNDS = 100, BINS = 8 };
    int n = 20000;
    rill_array keys = key_array(&world, n, BINS), out = world_array(&world, RILL_I32, BINS);
    rill_stream streams[2];
    OK(rill_sync(world.context));
    for (int s = 0; s < 2; s++) {
        OK(rill_stream_create(world.context, NULL, &streams[s]));
    }
    for (int i = 0; i < ROUNDS; i++) {
        OK(rill_launch(find(module, "count"), streams[0], RILL_ARGS(n, BINS, keys, out)));
        OK(rill_launch(find(module, "count"), streams[1], RILL_ARGS(n, BINS, keys, out)));
    }
    OK(rill_sync(world.context));
    int got[BINS], *host = make_keys(n, BINS, 1);
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < n; i++) {
        got[host[i]] -= 2 * ROUNDS;
    }
    for (int i = 0; i < BINS; i++) {
        CHECK_INT(got[i], 0);
    }
    CHECK_INT(copied_count(&world), world_is_cpu() ? 2 * ROUNDS : 0);
    free(host);
    world_close(&world);
}

TEST(updates_of_two_blocks_all_arrive)
{
    struct world world;
    rill_module module = open_module(&world, 3);
    int n = 50000, bins = 16;
    rill_array keys = key_array(&world, n, bins), out = world_array(&world, RILL_I32, bins);
    for (int i = 0; i < 20; i++) {
        OK(rill_launch(find(module, "blocks"), RILL_CURRENT, RILL_ARGS(n, bins, keys, out)));
    }
    int got[16], *host = make_keys(n, bins, 1);
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < n; i++) {
        got[host[i]] -= 3 * 20;
    }
    for (int i = 0; i < bins; i++) {
        CHECK_INT(got[i], 0);
    }
    CHECK_INT(copied_count(&world), world_is_cpu() ? 40 : 0);
    free(host);
    world_close(&world);
}

TEST(what_ran_before_a_failure_has_arrived)
{
    struct world world;
    rill_module module = open_module(&world, 2);
    int n = 100000, bins = 16;
    rill_array keys = key_array(&world, n, bins), out = world_array(&world, RILL_I32, bins);
    OK(rill_launch(find(module, "failing"), RILL_CURRENT, RILL_ARGS(n, bins, keys, out)));
    STATUS(rill_stream_synchronize(rill_default_stream(world.context)), RILL_ERR_ASSERT);
    OK(rill_stream_clear_error(rill_default_stream(world.context)));
    int got[16];
    long sum = 0;
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < bins; i++) {
        sum += got[i];
    }
    CHECK(sum > 0 && sum < n);
    world_close(&world);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

struct meter {
    atomic_long count;
    atomic_long blocks;
    atomic_bool is_empty;
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    void *memory = NULL;
    atomic_fetch_add(&meter->count, 1);
    if (atomic_load(&meter->is_empty) || posix_memalign(&memory, alignment < 8 ? 8 : alignment, size) != 0) {
        return NULL;
    }
    memset(memory, 0xa5, size);
    atomic_fetch_add(&meter->blocks, 1);
    return memory;
}

static void meter_release(void *user, void *memory, size_t size)
{
    (void)size;
    atomic_fetch_sub(&((struct meter *)user)->blocks, 1);
    free(memory);
}

TEST(without_memory_for_copies_updates_are_atomic)
{
    if (!world_is_cpu()) {
        SKIP("only the CPU has copies in memory of their own");
    }
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    struct world world = {0};
    rill_module module = {0};
    OK(rill_open("cpu", &(rill_open_options){.allocator = &allocator, .thread_count = 2}, &world.context));
    OK(rill_module_create(world.context, copies_source, NULL, &module));
    int n = 200000, bins = 500, count = 0;
    rill_array keys = key_array(&world, n, bins), out = world_array(&world, RILL_I32, bins);
    rill_kernel kernel = find(module, "count");
    OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, 1, keys, out))); // what is too large for this shape is atomic
    OK(rill_array_fill(out, RILL_CURRENT, &count, sizeof count));
    OK(rill_sync(world.context));
    uint64_t before = copied_count(&world);
    for (int i = 0; i < 3; i++) {
        atomic_store(&meter.is_empty, i < 2);
        long allocated = atomic_load(&meter.count);
        OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, bins, keys, out)));
        OK(rill_sync(world.context));
        CHECK_INT(atomic_load(&meter.count), allocated + 1); // asked for, and got the third time
        CHECK_UINT(copied_count(&world), before + (i == 2));
    }
    int got[500], *host = make_keys(n, bins, 1);
    OK(rill_array_read(out, RILL_CURRENT, got, sizeof got));
    for (int i = 0; i < n; i++) {
        got[host[i]] -= 3;
    }
    for (int i = 0; i < bins; i++) {
        CHECK_INT(got[i], 0);
    }
    free(host);
    long allocated = atomic_load(&meter.count);
    for (int i = 0; i < 200; i++) {
        OK(rill_launch(kernel, RILL_CURRENT, RILL_ARGS(n, bins, keys, out)));
    }
    OK(rill_sync(world.context));
    CHECK_INT(atomic_load(&meter.count), allocated); // once warm, nothing
    CHECK_UINT(copied_count(&world), before + 201);
    OK(rill_close(world.context));
    CHECK_INT(atomic_load(&meter.blocks), 0);
}

// ---- words ----------------------------------------------------------------------------------------------------------

TEST(explain_says_what_may_have_copies)
{
    char *text = NULL;
    OK(rill_source_explain(
        "#include <rill/kernel.h>\n"
        "kernel void one(int n, const int key[n], int a[10], int b[10], int c[10])\n"
        "{ for (int i = 0; i < n; i++) { a[key[i]]++; b[key[i]] *= 3; rill_atomic_add(&c[key[i]], 1); "
        "} }\n",
        NULL, &text));
    const char *a = strstr(text, "updates (add, atomic) a");
    const char *b = strstr(text, "updates (mul, atomic) b");
    const char *c = strstr(text, "updates (add, atomic) c");
    if (CHECK(a != NULL && b != NULL && c != NULL)) {
        const char *words = strstr(text, "private copies when small");
        CHECK(words != NULL && words > a && words < b && strchr(a, '\n') > words);
        CHECK(words != NULL && strstr(words + 1, "private copies when small") == NULL);
    }
    rill_free(text);
}

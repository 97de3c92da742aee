// RILL_CHECK=races: a race that was planted is found on every run, with the array, the element and two iterations that
// both touch it; and nothing is said of the same kernel without it. Loops that were proven are not watched; what
// `restrict` promises is tested. So it is on any number of threads, and on every device.
#include "tree.h"
#include "world.h"

enum { N = 256 };

struct body {
    float x, y;
    int v[4];
};

static int idx[N], perm[N], row[N];

struct arrays {
    float a[N], b[N];
    int h[N];
    unsigned char c[N];
    short w[N];
    long l[N];
    double d[N];
    struct body s[N];
    float g[N];
};

static struct arrays *fresh_arrays(void)
{
    for (int i = 0; i < N; i++) {
        idx[i] = i * 5 % 64;
        perm[i] = (i * 77 + 13) % N;
        row[i] = i * 8 % N;
    }
    return calloc(1, sizeof(struct arrays));
}

static bool is_above(long e, long i)
{
    while (i > e) {
        i /= 2;
    }
    return i == e;
}

// The kernels of tests/racing/planted.c: the array, and what holds for iterations i and j that race in element e.
#define PLANTED_LIST(X)                                                                                                \
    X(scatter, a, e == idx[i] && e == idx[j])                                                                          \
    X(gather_in_place, a, (e == i && e == perm[j]) || (e == j && e == perm[i]))                                        \
    X(jump_pointers, h, (e == i && e == idx[j]) || (e == j && e == idx[i]))                                            \
    X(histogram, h, e == idx[i] && e == idx[j])                                                                        \
    X(added_and_doubled, h, e == idx[i] && e == idx[j])                                                                \
    X(decay, a, e == idx[i] && e == idx[j])                                                                            \
    X(last_one, h, e == 3)                                                                                             \
    X(flag_and_read, h, e == 3 && (idx[i] == 5 || idx[j] == 5))                                                        \
    X(two_sums, b, e == idx[i] % 2 && e == idx[j] % 2)                                                                 \
    X(shared_temporary, b, e == idx[i] % 8 && e == idx[j] % 8)                                                         \
    X(tiles, a, (i == j + 1 && e == row[i]) || (j == i + 1 && e == row[j]))                                            \
    X(tiles_read, a, (i == j + 1 && e == row[i]) || (j == i + 1 && e == row[j]))                                       \
    X(member, s, e == idx[i] && e == idx[j])                                                                           \
    X(other_member, s, (e == i && e == perm[j]) || (e == j && e == perm[i]))                                           \
    X(array_in_struct, s, e == idx[i] && e == idx[j])                                                                  \
    X(whole_struct, s, e == idx[i] && e == idx[j])                                                                     \
    X(bytes, c, e == idx[i] && e == idx[j])                                                                            \
    X(neighbour_bytes, c, e == (perm[i] & ~1) && e == (perm[j] & ~1))                                                  \
    X(shorts, w, e == idx[i] && e == idx[j])                                                                           \
    X(longs, l, e == idx[i] && e == idx[j])                                                                            \
    X(doubles, d, e == idx[i] && e == idx[j])                                                                          \
    X(two_levels, g, i / 32 == j / 32 && e == i / 32 * 32 + idx[i % 32] / 2 && e == j / 32 * 32 + idx[j % 32] / 2)     \
    X(inner_level, g, e % 32 == idx[i] / 2 && e % 32 == idx[j] / 2)                                                    \
    X(outer_level, g, e / 32 == perm[i] % 8 && e / 32 == perm[j] % 8)                                                  \
    X(transpose, g, e / 32 == i || e / 32 == j)                                                                        \
    X(fields, field, e == idx[i] && e == idx[j])                                                                       \
    X(fields_of_rows, plane, e == idx[i] && e == idx[j])                                                               \
    X(locals, t, e == idx[i] && e == idx[j])                                                                           \
    X(swap, a, (e == perm[i] && i == (j + 1) % 256) || (e == perm[j] && j == (i + 1) % 256))                           \
    X(odd_and_even, a, (i == j + 1 && e == perm[j]) || (j == i + 1 && e == perm[i]))                                   \
    X(relax, a, e == idx[i] && e == idx[j])                                                                            \
    X(atomic_and_plain, h, e == 3 && (idx[i] == 9 || idx[j] == 9))                                                     \
    X(half_a_counter, h, e < 128)                                                                                      \
    X(copies, a, (i == j + 1 && e == row[i]) || (j == i + 1 && e == row[j]))                                           \
    X(copied_from, a, (i == j + 1 && e == row[i]) || (j == i + 1 && e == row[j]))                                      \
    X(fills, c, (i == j + 1 && e == row[i]) || (j == i + 1 && e == row[j]))                                            \
    X(running_sum, a,                                                                                                  \
      (e == perm[i] && perm[j] == e + 1) || (e == perm[j] && perm[i] == e + 1) || (e == 0 && perm[i] + perm[j] == 1))  \
    X(list, h, e == idx[i] % 4 && e == idx[j] % 4)                                                                     \
    X(reverse, a, (e == 255 - perm[i] && e == perm[j]) || (e == perm[i] && e == 255 - perm[j]))                        \
    X(by_helper, a, e == idx[i] && e == idx[j])                                                                        \
    X(by_pointer, a, e == idx[i] && e == idx[j])                                                                       \
    X(one_of_two, a, e == idx[i] && e == idx[j])                                                                       \
    X(heap, a, e > 0 && is_above(e, i) && is_above(e, j))                                                              \
    X(rounds, a, e == idx[i] && e == idx[j])                                                                           \
    X(under_a_condition, a, e == idx[i] && e == idx[j])                                                                \
    X(blocks, b, e == idx[i] && e == idx[j])                                                                           \
    X(backwards, a, e == idx[254 - 2 * i] && e == idx[254 - 2 * j])                                                    \
    X(long_variable, a, e == idx[i] && e == idx[j])                                                                    \
    X(second_loop, a, e == idx[i] && e == idx[j])                                                                      \
    X(boundary, a, e == perm[0] && (idx[i] == 60 || idx[j] == 60))                                                     \
    X(two_constants, h, e == idx[i] && e == idx[j] && (i < 128) != (j < 128))                                          \
    X(constant_and_read, h, e == idx[i] && e == idx[j])                                                                \
    X(remainder_of, a, e == i % 100 && e == j % 100)                                                                   \
    X(half_index, a, e == i / 2 && e == j / 2)                                                                         \
    X(masked, a, e == (i * 7 & 63) && e == (j * 7 & 63))                                                               \
    X(old_value, h, e == idx[i] && e == idx[j])                                                                        \
    X(reads_of_many, a, e == 3 && (idx[i] == 3 || idx[j] == 3))

#define DEFINE(name, array, expression)                                                                                \
    static bool holds_##name(long i, long j, long e)                                                                   \
    {                                                                                                                  \
        (void)i, (void)j, (void)e;                                                                                     \
        return i != j && (expression);                                                                                 \
    }
PLANTED_LIST(DEFINE)
#undef DEFINE

static const struct planted {
    const char *name;
    const char *array;
    bool (*holds)(long i, long j, long e);
} planted[] = {
#define ROW(name, array, expression) {#name, #array, holds_##name},
    PLANTED_LIST(ROW)
#undef ROW
};

enum { PLANTED_COUNT = sizeof planted / sizeof planted[0] };

static rill_module load(struct world *world, bool is_racy, bool checks_bounds)
{
    rill_module_options options = {.path = "races.c", .check_races = true, .check_bounds = checks_bounds};
    static char text[64 * 1024];
    int used = snprintf(text, sizeof text, "#define P(racy, right) %s\n", is_racy ? "racy" : "right");
    FILE *file = fopen(tree_file("tests/racing/planted.c"), "r");
    CHECK(file != NULL);
    size_t length = file != NULL ? fread(text + used, 1, sizeof text - (size_t)used - 1, file) : 0;
    text[(size_t)used + length] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    rill_module module = {0};
    OK(rill_module_create(world->context, text, &options, &module));
    return module;
}

static rill_status launch(struct world *world, rill_module module, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(module, name, &kernel));
    struct arrays *m = fresh_arrays();
    rill_args args = RILL_ARGS(N, 3, RILL_HOST(idx, N), RILL_HOST(perm, N), RILL_HOST(row, N), RILL_HOST(m->a, N),
                               RILL_HOST(m->b, N), RILL_HOST(m->h, N), RILL_HOST(m->c, N), RILL_HOST(m->w, N),
                               RILL_HOST(m->l, N), RILL_HOST(m->d, N), RILL_HOST(m->s, N), RILL_HOST(m->g, N));
    OK(rill_launch(kernel, RILL_CURRENT, args));
    rill_status status = rill_sync(world->context);
    free(m);
    return status;
}

static void look_for_planted(struct world *world, rill_module module, const struct planted *one)
{
    rill_stream stream = rill_default_stream(world->context);
    rill_status status = launch(world, module, one->name);
    rill_error_info info = {0};
    if (status != RILL_ERR_RACE || rill_stream_error(stream, &info) != RILL_OK) {
        FAIL("%s: a race was planted and not found", one->name);
        return;
    }
    bool is_right = strcmp(info.array, one->array) == 0 && strcmp(info.kernel, one->name) == 0 &&
                    one->holds(info.iteration, info.other_iteration, info.index) && info.line > 0 &&
                    info.other_line > 0;
    if (!is_right) {
        FAIL("%s: found is another race than the one planted: %s", one->name, info.text);
    }
    OK(rill_stream_clear_error(stream));
}

// A sanitizer for threads would see the races too.
static int with_threads(int threads)
{
    return world_finds_races() ? 1 : threads;
}

static void find_all(int threads, bool checks_bounds)
{
    struct world world;
    world_open(&world, with_threads(threads));
    rill_module module = load(&world, true, checks_bounds);
    for (int i = 0; i < PLANTED_COUNT; i++) {
        look_for_planted(&world, module, &planted[i]);
    }
    world_close(&world);
}

TEST(every_planted_race_is_found_by_one_thread)
{
    find_all(1, false);
}

TEST(every_planted_race_is_found_by_three_threads)
{
    if (world_is_cpu()) { // of which a device has none
        find_all(3, false);
    }
}

TEST(every_planted_race_is_found_with_bounds_checked_too)
{
    find_all(2, true);
}

TEST(nothing_is_said_where_there_is_no_race)
{
    for (int threads = world_is_cpu() ? 1 : 3; threads <= 3; threads += 2) {
        struct world world;
        world_open(&world, threads);
        rill_module module = load(&world, false, threads > 1);
        for (int i = 0; i < PLANTED_COUNT; i++) {
            if (launch(&world, module, planted[i].name) != RILL_OK) {
                FAIL("%s, which has no race: %s", planted[i].name, rill_message());
                OK(rill_stream_clear_error(rill_default_stream(world.context)));
            }
        }
        world_close(&world);
    }
}

static rill_kernel kernel_of(struct world *world, const char *source, const char *name)
{
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(world->context, source, &(rill_module_options){.path = "races.c", .check_races = true},
                          &module));
    OK(rill_module_kernel(module, name, &kernel));
    return kernel;
}

TEST(the_message_names_both_accesses)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void both(int n, const int at[n], float a[4][8])\n"
                                 "{\n"
                                 "#pragma rill parallel\n"
                                 "    for (int i = 0; i < n; i++) {\n"
                                 "        if (i == 5)\n"
                                 "            a[2][at[i]] = 1;\n"
                                 "        if (i == 9)\n"
                                 "            a[2][at[i]] += a[at[0]][at[i]] * 2;\n"
                                 "    }\n"
                                 "}\n";
    struct world world;
    world_open(&world, 1);
    rill_kernel both = kernel_of(&world, source, "both");
    int at[10] = {2, 0, 0, 0, 0, 3, 0, 0, 0, 3};
    float a[32] = {0};
    rill_args args = RILL_ARGS(10, RILL_HOST(at, 10), RILL_HOST(a, 32));
    STATUS(rill_call(both, RILL_CURRENT, args, NULL, 0), RILL_ERR_RACE);
    if (world_is_cpu()) {
        CHECK_CONTAINS(
            rill_message(),
            "kernel 'both', races.c:9: a race: iteration 9 reads a[2][3], which iteration 5 writes in line 7");
    }
    world_close(&world);
}

TEST(arguments_that_overlap_have_their_races_found)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void move(int n, const int at[n], float to[n], const float from[n])\n"
                                 "{\n"
                                 "#pragma rill parallel\n"
                                 "    for (int i = 0; i < n; i++) to[i] = from[at[i]];\n"
                                 "}\n";
    struct world world;
    world_open(&world, with_threads(2));
    rill_kernel move = kernel_of(&world, source, "move");
    int at[64];
    float x[128] = {0};
    for (int i = 0; i < 64; i++) {
        at[i] = 63 - i;
    }
    rill_args apart = RILL_ARGS(64, RILL_HOST(at, 64), RILL_HOST(x, 64), RILL_HOST(x + 64, 64));
    rill_args same = RILL_ARGS(64, RILL_HOST(at, 64), RILL_HOST(x, 64), RILL_HOST(x, 64));
    OK(rill_call(move, RILL_CURRENT, apart, NULL, 0));
    STATUS(rill_call(move, RILL_CURRENT, same, NULL, 0), RILL_ERR_RACE);
    CHECK_CONTAINS(rill_message(), "a race: iteration");
    world_close(&world);
}

TEST(without_memory_for_the_check_there_is_no_launch)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void put(int n, const int at[n], float a[n])\n"
                                 "{ _Pragma(\"rill parallel\") for (int i = 0; i < n; i++) a[at[i]] = i; }\n";
    for (int k = 1; k <= 4; k++) { // the arrays take the first two
        char fault[32];
        snprintf(fault, sizeof fault, "memory:%d", k);
        setenv("RILL_FAULT", fault, 1);
        struct world world;
        world_open(&world, 2);
        rill_kernel put = kernel_of(&world, source, "put");
        rill_array at = {0}, a = {0};
        rill_status status = rill_array_create(world.context, RILL_I32, RILL_SHAPE(1), &at);
        status = status == RILL_OK ? rill_array_create(world.context, RILL_F32, RILL_SHAPE(1), &a) : status;
        bool has_arrays = status == RILL_OK;
        status = has_arrays ? rill_launch(put, RILL_CURRENT, RILL_ARGS(1, at, a)) : status;
        if (has_arrays && status != RILL_OK) {
            CHECK_CONTAINS(rill_message(), "the check of races");
        }
        CHECK(status == RILL_OK || status == RILL_ERR_OUT_OF_MEMORY);
        OK(rill_sync(world.context));
        if (has_arrays) { // the next one has it
            OK(rill_launch(put, RILL_CURRENT, RILL_ARGS(1, at, a)));
        }
        world_close(&world);
    }
    unsetenv("RILL_FAULT");
}

TEST(what_restrict_promises_is_tested)
{
    static const char source[] = "#include <rill/kernel.h>\n"
                                 "kernel void shift(int n, int *restrict to, const int *from)\n"
                                 "{ for (int i = 0; i < n; i++) to[i] = from[i] + 1; }\n";
    struct world world;
    world_open(&world, 2);
    rill_kernel shift = kernel_of(&world, source, "shift");
    int x[64] = {0};
    rill_args args = RILL_ARGS(8, RILL_HOST(x, 8), RILL_HOST(x + 7, 8));
    STATUS(rill_call(shift, RILL_CURRENT, args, NULL, 0), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "overlap, but 'to' is restrict");
    world_close(&world);
}

static bool is_watched(const char *source)
{
    char *text = NULL;
    OK(rill_source_emit(source, &(rill_module_options){.check_races = true}, RILL_EMIT_IR, &text));
    bool is = text != NULL && strstr(text, ".shadow") != NULL;
    rill_free(text);
    return is;
}

TEST(loops_that_were_proven_are_not_watched)
{
    CHECK(!is_watched("#include <rill/kernel.h>\n"
                      "kernel void proven(int n, float a[n]) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"));
    CHECK(!is_watched("#include <rill/kernel.h>\n"
                      "kernel void last(int n, const int at[n], int a[n]) { for (int i = 0; i < n; i++) a[at[i]] = i; }"
                      "\n"));
    CHECK(is_watched("#include <rill/kernel.h>\n"
                     "kernel void trusted(int n, const int at[n], float a[n])\n"
                     "{ _Pragma(\"rill parallel\") for (int i = 0; i < n; i++) a[at[i]] = i; }\n"));
}

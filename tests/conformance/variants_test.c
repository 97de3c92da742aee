// Variants: kernels that agree are timed and the fastest is launched, each once for a shape class; one that does not
// agree is named; the arguments are touched by the launch alone; what was chosen is found by the next process.
#include "world.h"

#include <math.h>
#include <unistd.h>

static const char source[] =
    "#include <rill/kernel.h>\n"
    "#include <assert.h>\n#include <stdio.h>\n"
    "struct point { float x; int id; };\n"
    "int counter;\n"
    "kernel void quick(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] += 7; }\n"
    // The same, many thousand times slower where there is something to do.
    "kernel void slow(int n, int x[n])\n"
    "{\n"
    "#pragma rill single\n"
    "  for (int i = 0; i < n; i++) { unsigned t = x[i]; for (int k = 0; k < 50000; k++) t = t * 5 + k;\n"
    "    x[i] += 7 + (t == 3735928559u); } }\n"
    "kernel void wrong(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] += i == 5 ? 8 : 7; }\n"
    "kernel void fails(int n, int x[n]) { for (int i = 0; i < n; i++) { x[i] += 7; assert(i < 3); } }\n"
    "kernel void halves(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] / 3; }\n"
    "kernel void thirds(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] * (1.0f / 3); }\n"
    "kernel double sum(int n, const float x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    "kernel double back(int n, const float x[n]) { double s = 0; for (int i = n - 1; i >= 0; i--) s += x[i]; return s; "
    "}\n"
    "kernel double off(int n, const float x[n]) { double s = 0; for (int i = 1; i < n; i++) s += x[i]; return s; }\n"
    "kernel void points(int n, struct point p[n]) { for (int i = 0; i < n; i++) { p[i].x *= 2; p[i].id = i; } }\n"
    "kernel void pointless(int n, struct point p[n]) { for (int i = 0; i < n; i++) { p[i].x *= 2; p[i].id = i / 2; } "
    "}\n"
    "kernel void prints(int n, int x[n]) { for (int i = 0; i < n; i++) { x[i] += 7; printf(\"%d\", i); } }\n"
    "kernel void counts(int n, int x[n]) { for (int i = 0; i < n; i++) x[i] += 7; counter += 1; }\n"
    "kernel void copy(int n, const int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i]; }\n"
    "kernel void copy_back(int n, const int a[n], int b[n]) { for (int i = n - 1; i >= 0; i--) b[i] = a[i]; }\n"
    "kernel void whole_numbers(int n, int x[n]) { for (int i = n - 1; i >= 0; i--) x[i] = x[i] + 7; }\n"
    "kernel void whole(int n, int *x) { for (int i = 0; i < n; i++) x[i] += 7; }\n";
enum { N = 64 };

static struct world world;
static rill_module module;

static void open_world(const char *cache)
{
    memset(&world, 0, sizeof world);
    rill_open_options options = {
        .log = world_log, .log_user = &world, .print = world_print, .print_user = &world, .cache = cache};
    OK(rill_open(world_device(), &options, &world.context));
    OK(rill_module_create(world.context, source, NULL, &module));
}

static int rounds = 1;

static rill_variants variants_of(const char *first, const char *second, double tolerance)
{
    rill_kernel kernels[2];
    rill_variants variants = {0};
    OK(rill_module_kernel(module, first, &kernels[0]));
    OK(rill_module_kernel(module, second, &kernels[1]));
    OK(rill_variants_create(kernels, 2, &(rill_variants_options){.tolerance = tolerance, .rounds = rounds}, &variants));
    return variants;
}

static rill_variants_choice choice_of(rill_variants variants, rill_args args)
{
    rill_variants_choice choice;
    OK(rill_variants_describe(variants, args, &choice));
    return choice;
}

TEST(the_fastest_is_launched_once_on_the_arguments)
{
    open_world("off");
    rounds = 10;
    rill_variants variants = variants_of("slow", "quick", 0);
    int x[N] = {0};
    CHECK(!choice_of(variants, RILL_ARGS(N, RILL_HOST(x, N))).is_known);
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))));
    OK(rill_sync(world.context));
    for (int i = 0; i < N; i++) {
        CHECK_INT(x[i], 7); // the trials were elsewhere
    }
    rill_variants_choice choice = choice_of(variants, RILL_ARGS(N, RILL_HOST(x, N)));
    CHECK(choice.is_known && !choice.is_remembered);
    CHECK_INT(choice.index, choice.milliseconds[1] < choice.milliseconds[0]);
    CHECK(choice.milliseconds[0] > 0 && choice.milliseconds[1] > 0);
    if (getenv("RILL_STAND_IN") == NULL) { // a thousand times as much to do, and the best of many times
        CHECK_INT(choice.index, 1);
    }
    // The same class, half as much: of another.
    CHECK(choice_of(variants, RILL_ARGS(N + 5, RILL_HOST(x, N))).is_known);
    CHECK(!choice_of(variants, RILL_ARGS(N / 2, RILL_HOST(x, N))).is_known);
    rill_array array;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &array));
    uint64_t before, after;
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    before = stats.launch_count;
    OK(rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, array), NULL, 0));
    OK(rill_context_stats(world.context, &stats));
    after = stats.launch_count;
    CHECK_INT(after - before, 1); // nothing was tried again
    OK(rill_array_read(array, RILL_CURRENT, x, sizeof x));
    CHECK_INT(x[N - 1], 7);
    OK(rill_variants_destroy(variants));
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, array)), RILL_ERR_STALE);
    OK(rill_close(world.context));
}

TEST(arrays_views_and_device_memory_are_tried_on_copies)
{
    open_world("off");
    rill_variants variants = variants_of("quick", "quick", 0);
    rill_array array, view;
    void *address;
    int x[2 * N], zero = 0;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(2 * N), &array));
    OK(rill_array_view(array, N, RILL_SHAPE(N), &view));
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, view)));
    OK(rill_array_address(array, &address));
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(2 * N, RILL_PTR((int *)address, 2 * N))));
    OK(rill_array_read(array, RILL_CURRENT, x, sizeof x));
    CHECK_INT(x[0], 7);
    CHECK_INT(x[2 * N - 1], 14);
    OK(rill_array_fill(array, RILL_CURRENT, &zero, sizeof zero));
    rill_variants whole = variants_of("whole", "whole", 0);
    OK(rill_variants_launch(whole, RILL_CURRENT, RILL_ARGS(N, RILL_PTR((int *)address, 2 * N))));
    OK(rill_variants_launch(whole, RILL_CURRENT, RILL_ARGS(N, array)));
    OK(rill_array_read(array, RILL_CURRENT, x, sizeof x));
    CHECK_INT(x[N - 1], 14);
    CHECK_INT(x[N], 0);
    CHECK(choice_of(whole, RILL_ARGS(N, array)).is_known);
    CHECK(!choice_of(whole, RILL_ARGS(N, view)).is_known); // as long as another class
    OK(rill_close(world.context));
}

TEST(memory_that_overlaps_shares_a_copy_or_is_not_tried)
{
    open_world("off");
    rill_variants variants = variants_of("copy", "copy_back", 0);
    rill_array array, low, high;
    int x[2 * N];
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(2 * N), &array));
    OK(rill_array_view(array, 0, RILL_SHAPE(N), &low));
    OK(rill_array_view(array, 1, RILL_SHAPE(N), &high));
    for (int i = 0; i < 2 * N; i++) {
        x[i] = i;
    }
    OK(rill_array_write(array, RILL_CURRENT, x, sizeof x));
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, high, low))); // right in the first one's order alone
    CHECK(!choice_of(variants, RILL_ARGS(N, high, low)).is_known);
    OK(rill_array_read(array, RILL_CURRENT, x, sizeof x));
    CHECK_INT(x[0], 1);
    CHECK_INT(x[N - 1], N);
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, low, low)));
    CHECK(choice_of(variants, RILL_ARGS(N, low, low)).is_known);
    OK(rill_close(world.context));
}

TEST(a_kernel_that_computes_something_else_is_named_and_nothing_is_launched)
{
    open_world("off");
    int x[N] = {0};
    float y[N];
    struct {
        float x;
        int id;
    } p[N] = {{1, 0}};
    double sum;
    for (int i = 0; i < N; i++) {
        y[i] = (float)(i * i);
    }
    rill_variants variants = variants_of("quick", "wrong", 0);
    for (int turn = 0; turn < 2; turn++) { // each time: nothing was decided
        STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))), RILL_ERR_CONFLICT);
        CHECK_CONTAINS(rill_message(), "kernel 'wrong' computes something else than 'quick': of 'x' element 5 differs");
    }
    OK(rill_sync(world.context));
    CHECK_INT(x[0], 0);
    variants = variants_of("quick", "fails", 0);
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "kernel 'fails' fails where 'quick' does not");
    OK(rill_sync(world.context)); // it has left nothing on the stream
    variants = variants_of("fails", "quick", 0);
    STATUS(rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N)), NULL, 0), RILL_ERR_ASSERT);
    variants = variants_of("sum", "off", 1e-9);
    OK(rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(y, N)), &sum,
                          sizeof sum)); // 0 * 0 is left out
    y[0] = 1;
    variants = variants_of("sum", "off", 1e-9);
    STATUS(rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(y, N)), &sum, sizeof sum),
           RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "kernel 'off' returns something else than 'sum'");
    variants = variants_of("points", "pointless", 0.1);
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(p, N))), RILL_ERR_CONFLICT);
    CHECK_CONTAINS(rill_message(), "of 'p' element 1 differs");
    variants = variants_of("points", "points", 0);
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(p, N))));
    OK(rill_close(world.context));
}

TEST(floats_may_differ_by_the_tolerance)
{
    open_world("off");
    float x[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i + 1);
    }
    rill_variants variants = variants_of("halves", "thirds", 0);
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))), RILL_ERR_CONFLICT);
    variants = variants_of("halves", "thirds", 1e-6);
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))));
    OK(rill_sync(world.context));
    CHECK_NEAR(x[2], 1, 1e-6);
    double sum = 0;
    variants = variants_of("sum", "back", 1e-12);
    OK(rill_variants_call(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N)), &sum, sizeof sum));
    CHECK_NEAR(sum, N * (N + 1) / 6.0, 1e-3);
    OK(rill_close(world.context));
}

TEST(what_cannot_be_variants_is_refused_with_words)
{
    open_world("off");
    rill_kernel kernels[20];
    rill_variants variants = {77};
    static const char *const pairs[][3] = {{"quick", "sum", "does not return"},
                                           {"quick", "copy", "has 3 parameters"},
                                           {"quick", "halves", "parameter 'x' of kernel 'halves' is not"},
                                           {"quick", "whole", "parameter 'x' of kernel 'whole' is not"},
                                           {"quick", "prints", "kernel 'prints' prints"},
                                           {"quick", "counts", "writes the field counter"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        OK(rill_module_kernel(module, pairs[i][0], &kernels[0]));
        OK(rill_module_kernel(module, pairs[i][1], &kernels[1]));
        CHECK(rill_variants_create(kernels, 2, NULL, &variants) != RILL_OK);
        CHECK(strstr(rill_message(), pairs[i][2]) != NULL || strstr(rill_message(), "is not what") != NULL);
        CHECK_INT(variants.id, 0);
    }
    for (int i = 0; i < 20; i++) {
        kernels[i] = kernels[0];
    }
    STATUS(rill_variants_create(kernels, 17, NULL, &variants), RILL_ERR_INVALID);
    STATUS(rill_variants_create(kernels, 0, NULL, &variants), RILL_ERR_INVALID);
    STATUS(rill_variants_create(NULL, 1, NULL, &variants), RILL_ERR_INVALID);
    STATUS(rill_variants_create(kernels, 1, &(rill_variants_options){.tolerance = -1}, &variants), RILL_ERR_INVALID);
    OK(rill_variants_create(kernels, 16, NULL, &variants));
    int x[1] = {0};
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(1)), RILL_ERR_ARGUMENTS);
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(2, RILL_HOST(x, 1))), RILL_ERR_ARGUMENTS);
    OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(x, 1))));
    rill_variants_choice choice;
    STATUS(rill_variants_describe(variants, RILL_ARGS(1), &choice), RILL_ERR_ARGUMENTS);
    OK(rill_module_destroy(module));
    STATUS(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(1, RILL_HOST(x, 1))), RILL_ERR_STALE);
    OK(rill_close(world.context));
    STATUS(rill_variants_destroy(variants), RILL_ERR_STALE);
}

TEST(what_was_chosen_is_found_by_the_next_context)
{
    char folder[] = "/tmp/rill-variants-XXXXXX", cache[64], command[128];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    int x[N] = {0};
    size_t first = 0;
    for (int turn = 0; turn < 3; turn++) {
        open_world(cache);
        rill_variants variants = variants_of("slow", turn < 2 ? "quick" : "slow", 0);
        OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))));
        OK(rill_sync(world.context));
        rill_variants_choice choice = choice_of(variants, RILL_ARGS(N, RILL_HOST(x, N)));
        CHECK(choice.is_known);
        CHECK_INT(choice.is_remembered, turn == 1); // the third has other kernels
        first = turn == 0 ? choice.index : first;
        CHECK(turn != 1 || choice.index == first);
        rill_stats stats;
        OK(rill_context_stats(world.context, &stats));
        CHECK_INT(stats.cache.choice_kept_count, turn != 1);
        OK(rill_close(world.context));
    }
    CHECK_INT(x[0], 21);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}

// With other threads, and where less may differ, they are tried anew.
TEST(what_was_chosen_on_one_device_and_tolerance_is_not_taken_on_another)
{
    if (!world_is_cpu()) {
        SKIP("the same device with other threads is a processor");
    }
    char folder[] = "/tmp/rill-variants-XXXXXX", cache[64], command[128];
    static const int threads[] = {1, 2, 1, 3, 2, 2};
    static const double tolerances[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0};
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    for (int turn = 0; turn < 6; turn++) {
        int x[N] = {0};
        rill_context context;
        rill_kernel kernels[2];
        rill_variants variants;
        OK(rill_open("cpu", &(rill_open_options){.cache = cache, .thread_count = threads[turn]}, &context));
        OK(rill_module_create(context, source, &(rill_module_options){.sanitize = "off"}, &module));
        OK(rill_module_kernel(module, "quick", &kernels[0]));
        OK(rill_module_kernel(module, "whole_numbers", &kernels[1]));
        OK(rill_variants_create(kernels, 2, &(rill_variants_options){.tolerance = tolerances[turn], .rounds = 1},
                                &variants));
        OK(rill_variants_launch(variants, RILL_CURRENT, RILL_ARGS(N, RILL_HOST(x, N))));
        OK(rill_sync(context));
        CHECK_INT(x[N - 1], 7);
        CHECK_INT(choice_of(variants, RILL_ARGS(N, RILL_HOST(x, N))).is_remembered, turn == 2 || turn == 4);
        OK(rill_close(context));
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}

struct callback_use {
    rill_variants variants;
    rill_stream stream;
    rill_array array;
};

static void launch_in_callback(void *user, rill_status status)
{
    struct callback_use *use = user;
    (void)status;
    OK(rill_variants_launch(use->variants, use->stream, RILL_ARGS(N, use->array)));
}

TEST(in_a_callback_the_first_is_launched_and_nothing_is_tried)
{
    open_world("off");
    struct callback_use use = {.variants = variants_of("quick", "slow", 0)};
    OK(rill_stream_create(world.context, NULL, &use.stream));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(N), &use.array));
    OK(rill_stream_callback(use.stream, launch_in_callback, &use));
    OK(rill_sync(world.context));
    OK(rill_sync(world.context));
    CHECK(!choice_of(use.variants, RILL_ARGS(N, use.array)).is_known);
    int x[N];
    OK(rill_array_read(use.array, use.stream, x, sizeof x));
    CHECK_INT(x[0], 7);
    OK(rill_close(world.context));
}

struct racer {
    rill_variants variants;
    int x[N];
};

static void *race(void *user)
{
    struct racer *racer = user;
    rill_stream stream;
    OK(rill_stream_create(world.context, NULL, &stream));
    for (int n = N / 4; n <= N; n *= 2) {
        for (int i = 0; i < 5; i++) {
            OK(rill_variants_launch(racer->variants, stream, RILL_ARGS(n, RILL_HOST(racer->x, N))));
        }
    }
    OK(rill_stream_destroy(stream));
    return NULL;
}

TEST(threads_try_each_class_once_and_all_are_right)
{
    enum { THREADS = 6 };
    open_world("off");
    struct racer racers[THREADS];
    pthread_t threads[THREADS];
    rill_variants variants = variants_of("quick", "quick", 0);
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer){.variants = variants};
        REQUIRE(pthread_create(&threads[i], NULL, race, &racers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(racers[i].x[0], 7 * 15);
        CHECK_INT(racers[i].x[N - 1], 7 * 5);
    }
    OK(rill_close(world.context));
}

// Memory that a launch lends to itself: the marks of a scatter. Launches of one stream share a buffer that grows; a
// launch that gets none runs in order, with the same result.
#include "world.h"

static const char scatter_source[] = "#include <rill/kernel.h>\n"
                                     "kernel void scatter(int n, int m, int shift, const int at[n], int out[m])\n"
                                     "{ for (int i = 0; i < n; i++) out[(at[i] + shift) % m] = i + shift; }\n";

enum { MOST = 60000, LEAST = 500 };

struct scene {
    rill_context context;
    rill_kernel kernel;
    int *at;       // n of them
    int *expected; // what serial C leaves
    int *actual;
};

static void fill(struct scene *s, int n)
{
    s->at = calloc(MOST, sizeof *s->at);
    s->expected = calloc(MOST, sizeof *s->expected);
    s->actual = calloc(MOST, sizeof *s->actual);
    for (int i = 0; i < n; i++) {
        s->at[i] = (int)((long)i * 48271 % 30011);
    }
}

static void expect(struct scene *s, int n, int m, int shift)
{
    for (int i = 0; i < n; i++) {
        s->expected[(s->at[i] + shift) % m] = i + shift;
    }
}

static void finish(struct scene *s)
{
    free(s->at);
    free(s->expected);
    free(s->actual);
}

TEST(launches_of_one_stream_share_marks_that_grow)
{
    struct world world;
    struct scene s = {0};
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s.kernel));
    fill(&s, MOST);
    rill_array at, out;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &out));
    rill_stream stream = rill_default_stream(world.context);
    OK(rill_array_write(at, stream, s.at, MOST * sizeof *s.at));
    int round = 0;
    for (int m = LEAST; m <= MOST; m = m * 3 / 2, round++) { // nothing waits in between
        rill_array view;
        OK(rill_array_view(out, 0, RILL_SHAPE(m), &view));
        OK(rill_launch(s.kernel, stream, RILL_ARGS(MOST, m, round, at, view)));
        OK(rill_array_destroy(view));
        expect(&s, MOST, m, round);
    }
    OK(rill_array_read(out, stream, s.actual, MOST * sizeof *s.actual));
    CHECK(round > 8 && memcmp(s.actual, s.expected, MOST * sizeof *s.actual) == 0);
    finish(&s);
    OK(rill_close(world.context));
}

struct launcher {
    struct scene *scene;
    rill_stream stream;
    rill_array at;
    rill_array out;
    int first; // its own part of |out|
    rill_status status;
};

enum { THREADS = 4, ROUNDS = 30, PART = MOST / THREADS };

static void *launch_many(void *arg)
{
    struct launcher *l = arg;
    for (int r = 0; r < ROUNDS && l->status == RILL_OK; r++) {
        int m = LEAST + r * (PART - LEAST) / ROUNDS;
        rill_array view;
        l->status = rill_array_view(l->out, (size_t)l->first, RILL_SHAPE(m), &view);
        if (l->status == RILL_OK) {
            l->status = rill_launch(l->scene->kernel, l->stream, RILL_ARGS(20000, m, r, l->at, view));
            OK(rill_array_destroy(view));
        }
    }
    return NULL;
}

TEST(threads_that_launch_on_one_stream_share_its_marks)
{
    struct world world;
    struct scene s = {0};
    world_open(&world, 4);
    rill_module module;
    OK(rill_module_create(world.context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s.kernel));
    fill(&s, MOST);
    rill_array at, out;
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(world.context, RILL_I32, RILL_SHAPE(MOST), &out));
    rill_stream stream;
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_array_write(at, stream, s.at, MOST * sizeof *s.at));
    pthread_t threads[THREADS];
    struct launcher launchers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        launchers[t] = (struct launcher){.scene = &s, .stream = stream, .at = at, .out = out, .first = t * PART};
        REQUIRE(pthread_create(&threads[t], NULL, launch_many, &launchers[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        OK(launchers[t].status);
        for (int r = 0; r < ROUNDS; r++) {
            int m = LEAST + r * (PART - LEAST) / ROUNDS;
            for (int i = 0; i < 20000; i++) {
                s.expected[t * PART + (s.at[i] + r) % m] = i + r;
            }
        }
    }
    OK(rill_array_read(out, stream, s.actual, MOST * sizeof *s.actual));
    CHECK(memcmp(s.actual, s.expected, MOST * sizeof *s.actual) == 0);
    finish(&s);
    OK(rill_stream_destroy(stream));
    OK(rill_close(world.context));
}

// ---- no memory -----------------------------------------------------------------------------------------------------

struct meter {
    atomic_long count;
    atomic_long fail_at; // the allocation that fails; 0: none
};

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    struct meter *meter = user;
    long number = atomic_fetch_add(&meter->count, 1) + 1;
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    return number == atomic_load(&meter->fail_at) ? NULL : aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
}

static void meter_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void count_warnings(void *user, rill_log_level level, const char *text)
{
    int *count = user;
    *count += level == RILL_LOG_WARNING && strstr(text, "no memory for its marks") != NULL;
}

// True: the launch made fewer than |n| allocations.
static bool launch_with_failure(struct scene *s, const rill_allocator *allocator, struct meter *meter, long n,
                                int *warning_count)
{
    rill_open_options options = {
        .allocator = allocator, .thread_count = 2, .log = count_warnings, .log_user = warning_count};
    OK(rill_open(world_device(), &options, &s->context));
    rill_module module;
    OK(rill_module_create(s->context, scatter_source, NULL, &module));
    OK(rill_module_kernel(module, "scatter", &s->kernel));
    rill_array at, out;
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(MOST), &at));
    OK(rill_array_create(s->context, RILL_I32, RILL_SHAPE(LEAST), &out));
    rill_stream stream = rill_default_stream(s->context);
    OK(rill_array_write(at, stream, s->at, MOST * sizeof *s->at));
    atomic_store(&meter->count, 0);
    atomic_store(&meter->fail_at, n);
    rill_status status = rill_launch(s->kernel, stream, RILL_ARGS(MOST, LEAST, 0, at, out));
    bool is_over = atomic_load(&meter->count) < n;
    atomic_store(&meter->fail_at, 0);
    if (status == RILL_OK) {
        OK(rill_array_read(out, stream, s->actual, LEAST * sizeof *s->actual));
        CHECK(memcmp(s->actual, s->expected, LEAST * sizeof *s->actual) == 0);
    }
    OK(rill_launch(s->kernel, stream, RILL_ARGS(MOST, LEAST, 0, at, out))); // the context still works
    OK(rill_array_read(out, stream, s->actual, LEAST * sizeof *s->actual));
    CHECK(memcmp(s->actual, s->expected, LEAST * sizeof *s->actual) == 0);
    OK(rill_close(s->context));
    return is_over;
}

TEST(a_launch_without_memory_for_marks_gives_the_same_result)
{
    struct meter meter = {0};
    rill_allocator allocator = {&meter, meter_allocate, meter_release};
    struct scene s = {0};
    fill(&s, MOST);
    expect(&s, MOST, LEAST, 0);
    long n = 1;
    int warning_count = 0;
    while (n < 100 && !launch_with_failure(&s, &allocator, &meter, n, &warning_count)) {
        n++;
    }
    CHECK(n > 1 && n < 100);
    CHECK(warning_count > 0);
    finish(&s);
}

// The streams that stream_parallel blocks run on: lent by the context's pool, given back when their join has passed.
#include "world.h"

// ---- what malloc is asked for -------------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_HOOK 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_HOOK 0
#endif
#endif
#ifndef HAS_HOOK
#define HAS_HOOK 1
#endif

static atomic_long malloc_count;

#if HAS_HOOK
// The C library's own, under the names it keeps for those who stand in its way.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    atomic_fetch_add(&malloc_count, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&malloc_count, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    atomic_fetch_add(&malloc_count, 1);
    return __libc_realloc(memory, size);
}

int posix_memalign(void **out_memory, size_t alignment, size_t size)
{
    atomic_fetch_add(&malloc_count, 1);
    *out_memory = __libc_memalign(alignment, size);
    return *out_memory != NULL ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&malloc_count, 1);
    return __libc_memalign(alignment, size);
}
#endif

// ---- an allocator that counts, and can fail -----------------------------------------------------------------------

struct counter {
    atomic_long allocated_count;
    atomic_long live_count;
    atomic_bool fails;
};

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    struct counter *counter = user;
    void *memory = NULL;
    if (atomic_load(&counter->fails) || posix_memalign(&memory, alignment < 16 ? 16 : alignment, size) != 0) {
        return NULL;
    }
    atomic_fetch_add(&counter->allocated_count, 1);
    atomic_fetch_add(&counter->live_count, 1);
    return memory;
}

static void counted_release(void *user, void *memory, size_t size)
{
    struct counter *counter = user;
    (void)size;
    atomic_fetch_sub(&counter->live_count, 1);
    free(memory);
}

// ---- the kernels --------------------------------------------------------------------------------------------------

static const char source[] = "#include <rill/kernel.h>\n"
                             "kernel void two(int n, int a[n], int b[n])\n"
                             "{\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) a[i] += 1; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) b[i] += 2; }\n"
                             "}\n"
                             "kernel long four(int n, int a[n], int b[n])\n"
                             "{\n"
                             "    long s = 0, t = 0, u = 0, v = 0;\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) s += a[i]; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) t += b[i]; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) u += a[i] * b[i]; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) v += a[i] - b[i]; }\n"
                             "    return s + t + u + v;\n"
                             "}\n";

struct stage {
    struct counter counter;
    rill_context context;
    rill_kernel two;
    rill_kernel four;
    rill_array a;
    rill_array b;
    rill_array c; // for another stream: nothing orders the two
    rill_array d;
};

enum { N = 50 };

static void open_stage(struct stage *stage, int pool_cap)
{
    memset(stage, 0, sizeof *stage);
    setenv("RILL_GRAPH", "off", 1); // a launch that is replayed as a graph needs no streams for its blocks
    rill_allocator allocator = {&stage->counter, counted_allocate, counted_release};
    rill_open_options options = {.allocator = &allocator, .thread_count = 3, .pool_cap = pool_cap};
    OK(rill_open(world_device(), &options, &stage->context));
    rill_module module = {0};
    OK(rill_module_create(stage->context, source, NULL, &module));
    OK(rill_module_kernel(module, "two", &stage->two));
    OK(rill_module_kernel(module, "four", &stage->four));
    OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(N), &stage->a));
    OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(N), &stage->b));
    OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(N), &stage->c));
    OK(rill_array_create(stage->context, RILL_I32, RILL_SHAPE(N), &stage->d));
}

static void close_stage(struct stage *stage)
{
    OK(rill_close(stage->context));
    CHECK_INT(atomic_load(&stage->counter.live_count), 0);
}

static rill_stats stats_of(struct stage *stage)
{
    rill_stats stats;
    OK(rill_context_stats(stage->context, &stats));
    return stats;
}

static void expect(struct stage *stage, int a, int b)
{
    int host[N];
    OK(rill_array_read(stage->a, RILL_CURRENT, host, sizeof host));
    CHECK_INT(host[0], a);
    CHECK_INT(host[N - 1], a);
    OK(rill_array_read(stage->b, RILL_CURRENT, host, sizeof host));
    CHECK_INT(host[0], b);
    CHECK_INT(host[N - 1], b);
}

TEST(blocks_run_on_pooled_streams_that_go_back_when_the_join_has_passed)
{
    struct stage stage;
    open_stage(&stage, 0);
    CHECK_INT(stats_of(&stage).stream_pool.created_count, 0);
    for (int i = 0; i < 10; i++) {
        OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
        OK(rill_sync(stage.context));
        rill_pool_stats pool = stats_of(&stage).stream_pool;
        CHECK_INT(pool.in_use_count, 0);
        CHECK_INT(pool.idle_count, 2);
        CHECK_INT(pool.created_count, 2);
        CHECK(pool.reused_count <= 2 * (uint64_t)i); // a graph that is replayed needs none
        CHECK(!world_is_cpu() || pool.reused_count == 2 * (uint64_t)i);
        CHECK_INT(pool.shared_count, 0);
    }
    long result = 0;
    OK(rill_call(stage.four, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b), &result, sizeof result));
    CHECK_INT(result, N * (10 + 20 + 200 - 10));
    rill_pool_stats pool = stats_of(&stage).stream_pool;
    CHECK_INT(pool.created_count, 4);
    CHECK_INT(pool.idle_count, 4);
    expect(&stage, 10, 20);
    CHECK_INT(stats_of(&stage).stream_count, 1); // pooled ones are nobody's handles
    close_stage(&stage);
}

TEST(streams_are_lent_while_a_blocked_launch_is_queued)
{
    struct stage stage;
    open_stage(&stage, 0);
    rill_stream other = {0};
    OK(rill_stream_create(stage.context, &(rill_stream_options){.priority = 1}, &other));
    struct world_gate gate = WORLD_GATE_INIT; // the launches cannot have run: their stream is held
    OK(rill_stream_callback(rill_default_stream(stage.context), world_stand_at_gate, &gate));
    OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
    OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
    rill_pool_stats pool = stats_of(&stage).stream_pool;
    // Elsewhere they are back as soon as the join is queued, and lent again once they are idle.
    CHECK(!world_is_cpu() || pool.in_use_count == 2);
    uint64_t created = pool.created_count;
    OK(rill_context_trim(stage.context));                                      // what is lent stays
    OK(rill_call(stage.four, other, RILL_ARGS(N, stage.c, stage.d), NULL, 0)); // by priority: streams of its own
    CHECK_INT(stats_of(&stage).stream_pool.created_count - created, 4);
    world_open_gate(&gate);
    OK(rill_sync(stage.context));
    CHECK_INT(stats_of(&stage).stream_pool.in_use_count, 0);
    expect(&stage, 2, 4);
    close_stage(&stage);
}

TEST(cap_and_trim_limit_what_lies_idle)
{
    struct stage stage;
    open_stage(&stage, 3);
    OK(rill_call(stage.four, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b), NULL, 0));
    rill_pool_stats pool = stats_of(&stage).stream_pool;
    CHECK_INT(pool.created_count, 4);
    CHECK_INT(pool.idle_count, 3);
    CHECK_INT(pool.trimmed_count, 1);
    OK(rill_context_trim(stage.context));
    pool = stats_of(&stage).stream_pool;
    CHECK_INT(pool.idle_count, 0);
    CHECK_INT(pool.trimmed_count, 4);
    OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
    OK(rill_sync(stage.context));
    expect(&stage, 1, 2);
    close_stage(&stage);
    open_stage(&stage, -1);
    OK(rill_call(stage.four, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b), NULL, 0));
    pool = stats_of(&stage).stream_pool;
    CHECK_INT(pool.idle_count, 0);
    CHECK_INT(pool.trimmed_count, 4);
    close_stage(&stage);
}

// There is memory for the streams of the first launch and for no other: what is lent already is lent once more.
TEST(launch_without_memory_for_streams_shares_those_of_another)
{
    struct stage stage;
    open_stage(&stage, 0);
    rill_stream other = {0};
    OK(rill_stream_create(stage.context, NULL, &other));
    // Both streams have room for the launch itself.
    OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
    OK(rill_launch(stage.two, other, RILL_ARGS(N, stage.c, stage.d)));
    OK(rill_sync(stage.context));
    OK(rill_context_trim(stage.context));
    OK(rill_launch(stage.two, RILL_CURRENT, RILL_ARGS(N, stage.a, stage.b)));
    atomic_store(&stage.counter.fails, true);
    int queued = 1;
    for (int i = 0; i < 20; i++) {
        rill_status status = rill_launch(stage.two, other, RILL_ARGS(N, stage.c, stage.d));
        CHECK(status == RILL_OK || status == RILL_ERR_OUT_OF_MEMORY); // the second only if nothing is lent any more
        queued += status == RILL_OK;
    }
    atomic_store(&stage.counter.fails, false);
    OK(rill_sync(stage.context));
    CHECK_INT(stats_of(&stage).stream_pool.in_use_count, 0);
    OK(rill_launch(stage.two, other, RILL_ARGS(N, stage.c, stage.d)));
    OK(rill_sync(stage.context));
    CHECK_INT(stats_of(&stage).launch_count, 2 + queued + 1);
    close_stage(&stage);
}

// One stream writes the arrays, the other reads them after it; both may be outstanding.
static void blocked_round(struct stage *stage, const rill_stream streams[2], rill_array result)
{
    OK(rill_launch(stage->two, streams[0], RILL_ARGS(N, stage->a, stage->b)));
    OK(rill_stream_wait(streams[1], streams[0]));
    OK(rill_launch_result(stage->four, streams[1], RILL_ARGS(N, stage->a, stage->b), result));
    OK(rill_stream_wait(streams[0], streams[1]));
}

enum { OUTSTANDING = 50 };

// As many rounds as can ever be outstanding are: afterwards no schedule needs more.
static void fill_queues(struct stage *stage, const rill_stream streams[2], rill_array result)
{
    struct world_gate gate = WORLD_GATE_INIT;
    OK(rill_stream_callback(streams[0], world_stand_at_gate, &gate));
    for (int i = 0; i <= OUTSTANDING; i++) {
        blocked_round(stage, streams, result);
    }
    world_open_gate(&gate);
    OK(rill_sync(stage->context));
}

TEST(blocked_launches_create_and_allocate_nothing_once_warm)
{
    struct stage stage;
    open_stage(&stage, 0);
    long rounds = getenv("RILL_TEST_LONG") != NULL ? 100000 : 2000;
    rill_stream streams[2];
    for (int i = 0; i < 2; i++) {
        OK(rill_stream_create(stage.context, NULL, &streams[i]));
    }
    rill_array result = {0};
    OK(rill_array_create(stage.context, RILL_I64, RILL_SHAPE(1), &result));
    rill_stats before = {0};
    long allocated = 0;
    long asked = 0;
    long warm = 300;
    for (long i = -warm; i < rounds / 2; i++) {
        if (i == 0) {
            OK(rill_sync(stage.context));
            fill_queues(&stage, streams, result);
            before = stats_of(&stage);
            allocated = atomic_load(&stage.counter.allocated_count);
            asked = atomic_load(&malloc_count);
        }
        blocked_round(&stage, streams, result);
        if (i % OUTSTANDING == 0) {
            OK(rill_sync(stage.context));
        }
    }
    OK(rill_sync(stage.context));
    long asked_after = atomic_load(&malloc_count);
    rill_stats after = stats_of(&stage);
    CHECK_INT(after.launch_count - before.launch_count, rounds);
    CHECK_INT(after.stream_pool.created_count, before.stream_pool.created_count);
    CHECK_INT(after.stream_pool.shared_count, 0);
    CHECK_INT(after.stream_pool.trimmed_count, 0);
    CHECK(after.stream_pool.reused_count > before.stream_pool.reused_count);
    CHECK_INT(after.stream_pool.in_use_count, 0);
    CHECK_INT(atomic_load(&stage.counter.allocated_count), allocated);
    CHECK_INT(asked_after, asked);
    CHECK(!HAS_HOOK || asked > 0); // the hook is in the way
    long total = rounds / 2 + warm + OUTSTANDING + 1;
    expect(&stage, (int)total, (int)(2 * total));
    int64_t got = 0;
    OK(rill_array_read(result, RILL_CURRENT, &got, sizeof got));
    CHECK_INT(got, N * (total + 2 * total + (int64_t)(int32_t)(uint32_t)(2 * total * total) - total));
    close_stage(&stage);
}

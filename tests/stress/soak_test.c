// One kernel from eight threads on eight streams, with different bounds and arrays, while a ninth thread does all that
// could take something away from under them; modules that come and go meanwhile. RILL_TEST_LONG does fifty times more.
#include "../conformance/world.h"

#include "amount.h"

enum { LAUNCHERS = 8 };

static long scaled(long whole)
{
    return whole * amount_times() / AMOUNT_LONG;
}

// It has all that a launch owns: a local that crosses tasks, blocks on pooled streams, a result.
static const char source[] = "#include <rill/kernel.h>\n"
                             "#include <stdint.h>\n"
                             "kernel uint32_t step(int n, uint32_t k, uint32_t a[n], uint32_t b[n])\n"
                             "{\n"
                             "    uint32_t s = 0;\n"
                             "    for (int i = 0; i < n; i++) s += a[i];\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) a[i] = a[i] * 3u + k + s; }\n"
                             "    stream_parallel { for (int i = 0; i < n; i++) b[i] += (uint32_t)i * k + s; }\n"
                             "    return s;\n"
                             "}\n";

static uint32_t step(int n, uint32_t k, uint32_t *a, uint32_t *b)
{
    uint32_t s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 3u + k + s;
        b[i] += (uint32_t)i * k + s;
    }
    return s;
}

// ---- eight and a ninth --------------------------------------------------------------------------------------------

struct launcher {
    rill_context context;
    rill_kernel kernel;
    int number;
    int n;
    long count;
    long wrong_count;
};

struct pair {
    uint32_t *a, *b;         // as Rill has them, once read
    uint32_t *a_own, *b_own; // as they must be
    rill_array a_array, b_array, result;
};

static void make_pair(struct launcher *self, struct pair *pair)
{
    size_t n = (size_t)self->n;
    pair->a = calloc(4 * n, sizeof *pair->a);
    pair->b = pair->a + n;
    pair->a_own = pair->b + n;
    pair->b_own = pair->a_own + n;
    OK(rill_array_create(self->context, RILL_U32, RILL_SHAPE(self->n), &pair->a_array));
    OK(rill_array_create(self->context, RILL_U32, RILL_SHAPE(self->n), &pair->b_array));
    OK(rill_array_create(self->context, RILL_U32, RILL_SHAPE(1), &pair->result));
}

static void drop_pair(struct pair *pair)
{
    OK(rill_array_destroy(pair->a_array));
    OK(rill_array_destroy(pair->b_array));
    OK(rill_array_destroy(pair->result));
    free(pair->a);
}

static void compare(struct launcher *self, struct pair *pair, rill_stream stream, uint32_t sum)
{
    size_t size = (size_t)self->n * sizeof *pair->a;
    uint32_t got = 0;
    OK(rill_array_read_async(pair->a_array, stream, pair->a, size));
    OK(rill_array_read_async(pair->b_array, stream, pair->b, size));
    OK(rill_array_read(pair->result, stream, &got, sizeof got));
    self->wrong_count += memcmp(pair->a, pair->a_own, size) != 0;
    self->wrong_count += memcmp(pair->b, pair->b_own, size) != 0;
    self->wrong_count += got != sum;
}

static void *launch_often(void *arg)
{
    struct launcher *self = arg;
    rill_stream stream = {0};
    OK(rill_stream_create(self->context, &(rill_stream_options){.priority = self->number % 3 - 1}, &stream));
    struct pair pair;
    make_pair(self, &pair);
    for (long i = 1; i <= self->count; i++) {
        uint32_t k = (uint32_t)(i * 7 + self->number);
        rill_args args = RILL_ARGS(self->n, k, pair.a_array, pair.b_array);
        uint32_t sum = step(self->n, k, pair.a_own, pair.b_own);
        if (i % 5 == 0) {
            uint32_t got = 0;
            OK(rill_call(self->kernel, stream, args, &got, sizeof got));
            self->wrong_count += got != sum;
        } else {
            OK(rill_launch_result(self->kernel, stream, args, pair.result));
        }
        if (i % 23 == 0 && i % 5 != 0) {
            compare(self, &pair, stream, sum);
        }
        if (i % 100 == 0) { // others, while the old ones may still be in use
            drop_pair(&pair);
            make_pair(self, &pair);
        }
    }
    drop_pair(&pair);
    OK(rill_stream_destroy(stream));
    return NULL;
}

struct disturber {
    rill_context context;
    atomic_bool stop;
    long round_count;
    long wrong_count;
};

// Compiles a kernel that gives |number|, uses it and drops it while its launch may be queued.
static void use_module(rill_context context, long number, long *wrong_count)
{
    char text[256];
    snprintf(text, sizeof text, "#include <rill/kernel.h>\nkernel long give(int n) { return %ld + n; }\n", number);
    rill_module module = {0};
    rill_kernel give = {0};
    OK(rill_module_create(context, text, NULL, &module));
    OK(rill_module_kernel(module, "give", &give));
    long got = 0;
    OK(rill_call(give, RILL_CURRENT, RILL_ARGS(3), &got, sizeof got));
    *wrong_count += got != number + 3;
    OK(rill_launch(give, RILL_CURRENT, RILL_ARGS(4)));
    OK(rill_module_destroy(module));
    *wrong_count += rill_launch(give, RILL_CURRENT, RILL_ARGS(4)) != RILL_ERR_STALE;
}

static void *disturb(void *arg)
{
    struct disturber *self = arg;
    do { // once at least: the others may be quick
        rill_array array = {0};
        uint32_t one = 1;
        OK(rill_array_create(self->context, RILL_U32, RILL_SHAPE(1000), &array));
        OK(rill_array_fill(array, RILL_CURRENT, &one, sizeof one));
        OK(rill_sync(self->context));
        OK(rill_context_trim(self->context));
        if (self->round_count % 4 == 0) {
            use_module(self->context, self->round_count, &self->wrong_count);
        }
        OK(rill_array_destroy(array));
        self->round_count++;
    } while (!atomic_load(&self->stop));
    return NULL;
}

TEST(one_kernel_from_eight_threads_while_a_ninth_takes_things_away)
{
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_open(world_device(), &(rill_open_options){.thread_count = 3, .pool_cap = 5}, &context));
    OK(rill_module_create(context, source, NULL, &module));
    OK(rill_module_kernel(module, "step", &kernel));
    pthread_t threads[LAUNCHERS + 1];
    struct launcher launchers[LAUNCHERS];
    struct disturber disturber = {.context = context};
    for (int i = 0; i < LAUNCHERS; i++) {
        launchers[i] = (struct launcher){.context = context,
                                         .kernel = kernel,
                                         .number = i,
                                         .n = i == 7 ? 30000 : 1 + 97 * i, // one that is shared by the workers
                                         .count = scaled(100000) / LAUNCHERS};
        REQUIRE(pthread_create(&threads[i], NULL, launch_often, &launchers[i]) == 0);
    }
    REQUIRE(pthread_create(&threads[LAUNCHERS], NULL, disturb, &disturber) == 0);
    for (int i = 0; i < LAUNCHERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(launchers[i].wrong_count, 0);
    }
    atomic_store(&disturber.stop, true);
    pthread_join(threads[LAUNCHERS], NULL);
    CHECK_INT(disturber.wrong_count, 0);
    CHECK(disturber.round_count > 0);
    OK(rill_sync(context));
    rill_stats stats;
    OK(rill_context_stats(context, &stats));
    CHECK_INT(stats.stream_pool.in_use_count, 0);
    CHECK_INT(stats.array_count, 0);
    CHECK_INT(stats.array_size, 0);
    CHECK_INT(stats.module_count, 1);
    OK(rill_close(context));
}

// ---- modules ------------------------------------------------------------------------------------------------------

struct registrar {
    rill_context context;
    long first;
    long count;
    long done_count;
    long wrong_count;
    rill_stream stream; // of the callbacks
    rill_array results; // of the callbacks: one element each
};

static void *register_modules(void *arg)
{
    struct registrar *self = arg;
    for (long i = 0; i < self->count; i++) {
        use_module(self->context, self->first + i, &self->wrong_count);
        self->done_count++;
    }
    return NULL;
}

// Compiles, queues what puts a number into its element, drops the module, and asks to be called again.
static void register_in_callback(void *user, rill_status status)
{
    struct registrar *self = user;
    CHECK_INT(status, RILL_OK);
    long number = self->done_count;
    char text[256];
    snprintf(text, sizeof text, "#include <rill/kernel.h>\nkernel void put(long *out) { out[%ld] = %ld; }\n", number,
             self->first + number);
    rill_module module = {0};
    rill_kernel put = {0};
    OK(rill_module_create(self->context, text, NULL, &module));
    OK(rill_module_kernel(module, "put", &put));
    OK(rill_launch(put, self->stream, RILL_ARGS(self->results)));
    OK(rill_module_destroy(module));
    if (++self->done_count < self->count) {
        OK(rill_stream_callback(self->stream, register_in_callback, self));
    }
}

TEST(modules_are_registered_from_a_callback_and_from_threads_while_launches_run)
{
    enum { REGISTRARS = 3 };
    rill_context context = {0};
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_open(world_device(), &(rill_open_options){.thread_count = 2}, &context));
    OK(rill_module_create(context, source, NULL, &module));
    OK(rill_module_kernel(module, "step", &kernel));
    long each = scaled(1000) / (REGISTRARS + 1);
    struct registrar registrars[REGISTRARS + 1];
    pthread_t threads[REGISTRARS];
    struct launcher launcher = {.context = context, .kernel = kernel, .number = 1, .n = 500, .count = scaled(50000)};
    pthread_t launching;
    for (int i = 0; i <= REGISTRARS; i++) {
        registrars[i] = (struct registrar){.context = context, .first = 1000 * i, .count = each};
    }
    struct registrar *called = &registrars[REGISTRARS];
    OK(rill_stream_create(context, NULL, &called->stream));
    OK(rill_array_create(context, RILL_I64, RILL_SHAPE(each), &called->results));
    REQUIRE(pthread_create(&launching, NULL, launch_often, &launcher) == 0);
    OK(rill_stream_callback(called->stream, register_in_callback, called));
    for (int i = 0; i < REGISTRARS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, register_modules, &registrars[i]) == 0);
    }
    for (int i = 0; i < REGISTRARS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(registrars[i].wrong_count, 0);
        CHECK_INT(registrars[i].done_count, each);
    }
    pthread_join(launching, NULL);
    CHECK_INT(launcher.wrong_count, 0);
    rill_status status = RILL_ERR_NOT_READY;
    while (status == RILL_ERR_NOT_READY) { // a callback queues the next before its stream goes on
        OK(rill_stream_synchronize(called->stream));
        status = rill_stream_query(called->stream);
    }
    OK(status);
    CHECK_INT(called->done_count, each);
    int64_t *results = calloc((size_t)each, sizeof *results);
    OK(rill_array_read(called->results, called->stream, results, (size_t)each * sizeof *results));
    for (long i = 0; i < each; i++) {
        CHECK_INT(results[i], called->first + i);
    }
    free(results);
    rill_stats stats;
    OK(rill_context_stats(context, &stats));
    CHECK_INT(stats.module_count, 1);
    OK(rill_close(context));
}

// ---- a gate -------------------------------------------------------------------------------------------------------

// Nothing can run until the gate opens, so that a call which waited for a launch would never return.
TEST(module_and_arrays_are_destroyed_behind_a_closed_gate_without_waiting)
{
    struct world_gate gate = WORLD_GATE_INIT;
    struct world world;
    world_open(&world, 2);
    rill_stream stream = {0};
    OK(rill_stream_create(world.context, NULL, &stream));
    OK(rill_stream_callback(stream, world_stand_at_gate, &gate));
    static uint32_t a[100], b[100], a_own[100], b_own[100];
    rill_module module = {0};
    rill_kernel kernel = {0};
    OK(rill_module_create(world.context, source, NULL, &module));
    OK(rill_module_kernel(module, "step", &kernel));
    rill_array array_a = world_array(&world, RILL_U32, 100);
    rill_array array_b = world_array(&world, RILL_U32, 100);
    for (uint32_t i = 0; i < 100; i++) {
        OK(rill_launch(kernel, stream, RILL_ARGS(100, i, array_a, array_b)));
        step(100, i, a_own, b_own);
    }
    OK(rill_array_read_async(array_a, stream, a, sizeof a));
    OK(rill_array_read_async(array_b, stream, b, sizeof b));
    OK(rill_module_destroy(module));
    OK(rill_array_destroy(array_a));
    OK(rill_array_destroy(array_b));
    STATUS(rill_launch(kernel, stream, RILL_ARGS(100, 0, array_a, array_b)), RILL_ERR_STALE);
    CHECK_CONTAINS(rill_message(), "the kernel was destroyed");
    STATUS(rill_module_kernel(module, "step", &kernel), RILL_ERR_STALE);
    STATUS(rill_array_read_async(array_a, stream, a, sizeof a), RILL_ERR_STALE);
    STATUS(rill_stream_query(stream), RILL_ERR_NOT_READY);
    OK(rill_stream_destroy_later(stream));
    STATUS(rill_stream_query(stream), RILL_ERR_STALE);
    world_open_gate(&gate);
    OK(rill_sync(world.context));
    CHECK_MEM(a, a_own, sizeof a);
    CHECK_MEM(b, b_own, sizeof b);
    rill_stats stats;
    OK(rill_context_stats(world.context, &stats));
    CHECK_INT(stats.array_size, 0);
    world_close(&world);
}

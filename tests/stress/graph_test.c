// Random programs of launches, copies, fills, writes, events, callbacks and blocked kernels over several streams and
// threads, with arrays, streams and events destroyed and made again while they are in use. Every array is compared with
// what the same program gives serially. The order between streams is made by events, put in where two operations touch
// one array; so a result is wrong if an event does not hold.
//
// Here each thread has a program of its own; graph_threads_test has programs that several threads share.
// RILL_TEST_SEED=n runs the programs of seed n alone, with the schedule of RILL_SCHEDULE and RILL_THREADS threads;
// RILL_TEST_LONG runs many.
#include "rill/rill.h"

#include "amount.h"
#include "program.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ARRAYS = 6, STREAMS = 3, STEPS = 120, MAX_N = 3000, THREADS = 3 };

static const char source[] = PROGRAM_KERNELS;

struct kernels {
    rill_context context;
    rill_kernel mix, both, total, steps;
};

// One array, and where it was last written and read.
struct slot {
    rill_array array;
    rill_event written;
    int writer; // stream; -1: nobody yet
    rill_event read[STREAMS];
    bool is_read[STREAMS];
    uint32_t model[MAX_N];
};

struct program {
    struct drawn drawn;
    const struct kernels *k;
    int n;
    struct slot slots[ARRAYS];
    rill_stream streams[STREAMS];
    atomic_int callbacks;
    int callbacks_expected;
    rill_array result;
    rill_event result_read;
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (drawn_is_failing(&p->drawn, call, #call)) {                                                                \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

static uint32_t pick(struct program *p, uint32_t count)
{
    return drawn_pick(&p->drawn.random, count);
}

// ---- order --------------------------------------------------------------------------------------------------------

// What stream |s| must wait for before it reads, or writes, a slot.
static void before(struct program *p, struct slot *slot, int s, bool writes)
{
    if (slot->writer >= 0 && slot->writer != s) {
        TRY(rill_event_wait(slot->written, p->streams[s]));
    }
    for (int i = 0; writes && i < STREAMS; i++) {
        if (slot->is_read[i] && i != s) {
            TRY(rill_event_wait(slot->read[i], p->streams[s]));
        }
    }
}

static void after(struct program *p, struct slot *slot, int s, bool writes)
{
    if (writes) {
        TRY(rill_event_record(slot->written, p->streams[s]));
        slot->writer = s;
        memset(slot->is_read, 0, sizeof slot->is_read);
    } else {
        TRY(rill_event_record(slot->read[s], p->streams[s]));
        slot->is_read[s] = true;
    }
}

// ---- operations ---------------------------------------------------------------------------------------------------

static void do_mix(struct program *p, int s, struct slot *a, struct slot *b, uint32_t k)
{
    before(p, a, s, false);
    before(p, b, s, true);
    TRY(rill_launch(p->k->mix, p->streams[s], RILL_ARGS(p->n, a->array, b->array, k)));
    after(p, a, s, false);
    after(p, b, s, true);
    model_mix(p->n, a->model, b->model, k);
}

static void do_both(struct program *p, int s, struct slot *a, struct slot *b, uint32_t k)
{
    before(p, a, s, true);
    before(p, b, s, true);
    TRY(rill_launch(p->k->both, p->streams[s], RILL_ARGS(p->n, a->array, b->array, k)));
    after(p, a, s, true);
    after(p, b, s, true);
    model_both(p->n, a->model, b->model, k);
}

static void do_steps(struct program *p, int s, struct slot *a, int rounds)
{
    before(p, a, s, true);
    TRY(rill_launch(p->k->steps, p->streams[s], RILL_ARGS(p->n, rounds, a->array)));
    after(p, a, s, true);
    model_steps(p->n, rounds, a->model);
}

static void do_fill(struct program *p, int s, struct slot *a, uint32_t k)
{
    before(p, a, s, true);
    TRY(rill_array_fill(a->array, p->streams[s], &k, sizeof k));
    after(p, a, s, true);
    model_fill(p->n, a->model, k);
}

static void do_copy(struct program *p, int s, struct slot *a, struct slot *b)
{
    before(p, a, s, false);
    before(p, b, s, true);
    TRY(rill_array_copy(b->array, a->array, p->streams[s]));
    after(p, a, s, false);
    after(p, b, s, true);
    memcpy(b->model, a->model, sizeof a->model);
}

static void do_write(struct program *p, int s, struct slot *a, uint32_t k)
{
    uint32_t values[64];
    int count = model_write(p->n, a->model, values, k);
    before(p, a, s, true);
    TRY(rill_array_write(a->array, p->streams[s], values, (size_t)count * sizeof *values));
    memset(values, 0xff, sizeof values); // the call may not look at it any more
    after(p, a, s, true);
}

static void do_total(struct program *p, int s, struct slot *a)
{
    before(p, a, s, false);
    uint32_t got = 0;
    if (pick(p, 2) == 0) {
        TRY(rill_call(p->k->total, p->streams[s], RILL_ARGS(p->n, a->array), &got, sizeof got));
    } else {
        TRY(rill_launch_result(p->k->total, p->streams[s], RILL_ARGS(p->n, a->array), p->result));
        TRY(rill_array_read(p->result, p->streams[s], &got, sizeof got));
    }
    after(p, a, s, false);
    drawn_expect(&p->drawn, got == model_total(p->n, a->model), "total is wrong");
}

static void count_callback(void *user, rill_status status)
{
    struct program *p = user;
    if (status == RILL_OK) {
        atomic_fetch_add(&p->callbacks, 1);
    }
}

static void make_events(struct program *p, struct slot *slot)
{
    TRY(rill_event_create(p->k->context, NULL, &slot->written));
    for (int i = 0; i < STREAMS; i++) {
        TRY(rill_event_create(p->k->context, NULL, &slot->read[i]));
    }
}

static void drop_events(struct program *p, struct slot *slot)
{
    TRY(rill_event_destroy(slot->written));
    for (int i = 0; i < STREAMS; i++) {
        TRY(rill_event_destroy(slot->read[i]));
    }
}

// Destroys an array that is in use and makes another one, which is zero and knows no order.
static void renew_array(struct program *p, struct slot *slot)
{
    TRY(rill_array_destroy(slot->array));
    TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(p->n), &slot->array));
    drop_events(p, slot); // what waits for them goes on waiting
    make_events(p, slot);
    slot->writer = -1;
    memset(slot->is_read, 0, sizeof slot->is_read);
    memset(slot->model, 0, sizeof slot->model);
}

// A stream that still has work goes; whoever depends on that work has an event of it.
static void renew_stream(struct program *p, int s)
{
    rill_stream old = p->streams[s];
    TRY(rill_stream_create(p->k->context, &(rill_stream_options){.priority = (int)pick(p, 3) - 1}, &p->streams[s]));
    TRY(rill_stream_wait(p->streams[s], old));
    TRY(rill_stream_destroy_later(old));
}

static void do_one(struct program *p)
{
    int s = (int)pick(p, STREAMS);
    struct slot *a = &p->slots[pick(p, ARRAYS)];
    struct slot *b = &p->slots[pick(p, ARRAYS)];
    uint32_t k = pick(p, 1000);
    b = a == b ? &p->slots[(a - p->slots + 1) % ARRAYS] : b;
    switch (pick(p, 16)) {
    case 0:
    case 1:
    case 2:
    case 3: do_mix(p, s, a, b, k); break;
    case 4:
    case 5: do_both(p, s, a, b, k); break;
    case 6:
    case 7: do_steps(p, s, a, (int)(k % 20)); break;
    case 8: do_fill(p, s, a, k); break;
    case 9: do_copy(p, s, a, b); break;
    case 10:
    case 11: do_write(p, s, a, k); break;
    case 12: do_total(p, s, a); break;
    case 13:
        TRY(rill_stream_callback(p->streams[s], count_callback, p));
        p->callbacks_expected++;
        break;
    case 14: renew_array(p, a); break;
    default: renew_stream(p, s); break;
    }
}

static void compare(struct program *p)
{
    for (int i = 0; i < STREAMS; i++) {
        TRY(rill_stream_synchronize(p->streams[i]));
    }
    static _Thread_local uint32_t got[MAX_N];
    for (int i = 0; i < ARRAYS; i++) {
        TRY(rill_array_read(p->slots[i].array, p->streams[0], got, (size_t)p->n * sizeof *got));
        drawn_expect(&p->drawn, memcmp(got, p->slots[i].model, (size_t)p->n * sizeof *got) == 0,
                     "an array differs from serial execution");
    }
    drawn_expect(&p->drawn, atomic_load(&p->callbacks) == p->callbacks_expected, "callbacks were lost");
}

static void run_program(struct program *p)
{
    static const int sizes[] = {1, 7, 100, 1000, MAX_N};
    p->n = sizes[pick(p, 5)];
    TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(1), &p->result));
    for (int i = 0; i < STREAMS; i++) {
        TRY(rill_stream_create(p->k->context, NULL, &p->streams[i]));
    }
    for (int i = 0; i < ARRAYS; i++) {
        p->slots[i].writer = -1;
        TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(p->n), &p->slots[i].array));
        make_events(p, &p->slots[i]);
    }
    for (int i = 0; i < STEPS && p->drawn.failed == NULL; i++) {
        do_one(p);
    }
    compare(p);
    for (int i = 0; i < ARRAYS && p->drawn.failed == NULL; i++) {
        TRY(rill_array_destroy(p->slots[i].array));
        drop_events(p, &p->slots[i]);
    }
    for (int i = 0; i < STREAMS && p->drawn.failed == NULL; i++) {
        TRY(rill_stream_destroy(p->streams[i]));
    }
    TRY(rill_array_destroy(p->result));
}

static void *run_thread(void *arg)
{
    run_program(arg);
    return NULL;
}

static rill_status open_kernels(struct kernels *k, int threads)
{
    rill_module module;
    const char *device = getenv("RILL_TEST_DEVICE");
    rill_open_options options = {.thread_count = threads};
    RILL_TRY(rill_open(device != NULL ? device : "cpu", &options, &k->context));
    RILL_TRY(rill_module_create(k->context, source, NULL, &module));
    RILL_TRY(rill_module_kernel(module, "mix", &k->mix));
    RILL_TRY(rill_module_kernel(module, "both", &k->both));
    RILL_TRY(rill_module_kernel(module, "total", &k->total));
    return rill_module_kernel(module, "steps", &k->steps);
}

// |schedule| 0: as it comes.
static void run_seeds(uint64_t first, uint64_t count, int threads, uint64_t schedule)
{
    char seed_text[32];
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)schedule);
    if (schedule != 0) {
        setenv("RILL_SCHEDULE", seed_text, 1);
    }
    struct kernels kernels = {0};
    rill_status status = open_kernels(&kernels, threads);
    unsetenv("RILL_SCHEDULE");
    if (status != RILL_OK) {
        FAIL("%s", rill_message());
        return;
    }
    static struct program programs[THREADS];
    for (uint64_t seed = first; seed < first + count; seed += THREADS) {
        pthread_t runners[THREADS];
        for (int i = 0; i < THREADS; i++) {
            programs[i] = (struct program){.k = &kernels, .drawn = {.random = (seed + (uint64_t)i) * 2 + 1}};
            REQUIRE(pthread_create(&runners[i], NULL, run_thread, &programs[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(runners[i], NULL);
            if (programs[i].drawn.failed != NULL) {
                FAIL("%s: %s; again with RILL_TEST_SEED=%llu RILL_THREADS=%d RILL_SCHEDULE=%llu",
                     programs[i].drawn.failed, programs[i].drawn.message, (unsigned long long)seed, threads,
                     (unsigned long long)schedule);
            }
        }
    }
    CHECK_INT(rill_sync(kernels.context), RILL_OK); // memory goes back when every stream has come past
    rill_stats stats;
    CHECK_INT(rill_context_stats(kernels.context, &stats), RILL_OK);
    CHECK_INT(stats.array_count, 0);
    CHECK_INT(stats.array_size, 0);
    CHECK_INT(stats.stream_count, 1);
    CHECK_INT(rill_close(kernels.context), RILL_OK);
}

static uint64_t seed_count(void)
{
    return (uint64_t)(3334 * amount_times() / AMOUNT_LONG);
}

TEST(one_seed_again)
{
    const char *seed = getenv("RILL_TEST_SEED");
    const char *schedule = getenv("RILL_SCHEDULE");
    const char *threads = getenv("RILL_THREADS");
    if (seed == NULL) {
        SKIP("RILL_TEST_SEED names none");
    }
    run_seeds(strtoull(seed, NULL, 10), 1, threads != NULL ? atoi(threads) : 3,
              schedule != NULL ? strtoull(schedule, NULL, 10) : 0);
}

TEST(random_programs_equal_serial_execution_with_one_thread)
{
    run_seeds(0, seed_count(), 1, 0);
}

TEST(random_programs_equal_serial_execution_with_several_threads)
{
    run_seeds(10000, seed_count(), 3, 0);
}

TEST(random_programs_equal_serial_execution_in_any_schedule)
{
    for (uint64_t i = 0; i < 4; i++) {
        run_seeds(20000 + i * 1000, seed_count() / 4, i % 2 == 0 ? 1 : 4, i + 1);
    }
}

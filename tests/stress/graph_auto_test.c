// Random programs without an event, in automatic order: launches, copies, fills, reads, writes, views, addresses,
// memory of the host, fields, callbacks and steps over several streams and threads, with arrays and streams destroyed
// and made again while they are in use. Every array is compared with what the same program gives serially, bit for bit.
//
// Each thread has arrays of its own; others belong to all threads, which use them under a lock.
// RILL_TEST_SEED=n runs the programs of seed n alone, with the schedule of RILL_SCHEDULE and RILL_THREADS threads;
// RILL_TEST_PROGRAMS=100000 says how many there are, instead of 66 in each of the three tests; RILL_TEST_LONG runs
// many.
#include "rill/rill.h"

#include "amount.h"
#include "program.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ARRAYS = 5, COMMON = 2, STREAMS = 3, STEPS = 80, MAX_N = 600, THREADS = 3, PROGRAMS = 66 };

static const char source[] = PROGRAM_KERNELS
    "uint32_t box[64];\n"
    "kernel void part(int n, int from, int to, uint32_t k, uint32_t a[n])\n"
    "{ for (int i = from; i < to; i++) a[i] = a[i] * 11u + k; }\n"
    "kernel void comb(int n, int m, int first, uint32_t k, uint32_t a[n])\n"
    "{ for (int i = 0; i < m; i++) a[2 * i + first] = a[2 * i + first] * 13u + k; }\n"
    "kernel void hit(int n, uint32_t k, const uint32_t a[n], uint32_t b[n])\n"
    "{ for (int i = 0; i < n; i++) b[(a[i] + k) % (uint32_t)n] += 1u; }\n"
    "kernel void from_box(int n, uint32_t a[n]) { for (int i = 0; i < n; i++) a[i] += box[i % 64]; }\n"
    "kernel void to_box(uint32_t k) { for (int i = 0; i < 64; i++) box[i] = box[i] * 3u + k + (uint32_t)i; }\n"
    "kernel void through(int n, uint32_t k, uint32_t *p) { for (int i = 0; i < n; i++) p[i] ^= k; }\n";

#define KERNELS(X)                                                                                                     \
    X(mix)                                                                                                             \
    X(both)                                                                                                            \
    X(total)                                                                                                           \
    X(steps)                                                                                                           \
    X(part)                                                                                                            \
    X(comb)                                                                                                            \
    X(hit)                                                                                                             \
    X(from_box)                                                                                                        \
    X(to_box)                                                                                                          \
    X(through)

struct slot {
    rill_array array;
    uint32_t model[MAX_N];
};

// What all programs that run at the same time share. The lock is held from before a call until its effect is in the
// model: that is the sequence of the calls.
struct common {
    pthread_mutex_t lock;
    rill_context context;
    rill_module module;
    int n;
    struct slot slots[COMMON];
    uint32_t box[64];
#define KERNEL(name) rill_kernel name;
    KERNELS(KERNEL)
#undef KERNEL
};

struct program {
    struct drawn drawn;
    struct common *k;
    int n;
    bool has_any; // some launches name no stream
    struct slot slots[ARRAYS];
    rill_stream streams[STREAMS];
    rill_array result;
    uint32_t host[MAX_N]; // for calls that do not wait
    uint32_t host_model[MAX_N];
    atomic_int callbacks;
    int callbacks_expected;
    rill_step step;     // id 0: there is none
    uint64_t step_seed; // what it was recorded of
    bool step_has_k;    // some part of it takes k
    bool is_model;      // only the models: what a step that is launched does
    uint32_t total;     // of the last total that a step made; its result lies in |result|
    bool has_total;
    const uint32_t *k_given; // the value that the launch of the step gives; NULL: what was recorded
    const char *failed;      // the call that failed
    char message[512];
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (!p->is_model && drawn_is_failing(&p->drawn, call, #call)) {                                                \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

static uint32_t pick(struct program *p, uint32_t count)
{
    return drawn_pick(&p->drawn.random, count);
}

static void expect(struct program *p, bool holds, const char *text)
{
    drawn_expect(&p->drawn, holds, text);
}

// ---- operations on arrays of |n| elements -------------------------------------------------------------------------

static void do_mix(struct program *p, rill_stream s, int n, struct slot *a, struct slot *b, uint32_t k)
{
    s = p->has_any && pick(p, 2) == 0 ? RILL_ANY : s;
    TRY(rill_launch(p->k->mix, s, RILL_ARGS(n, a->array, b->array, k)));
    model_mix(n, a->model, b->model, k);
}

static void do_both(struct program *p, rill_stream s, int n, struct slot *a, struct slot *b, uint32_t k)
{
    TRY(rill_launch(p->k->both, s, RILL_ARGS(n, a->array, b->array, k)));
    model_both(n, a->model, b->model, k);
}

static void do_steps(struct program *p, rill_stream s, int n, struct slot *a, int rounds)
{
    s = p->has_any && pick(p, 2) == 0 ? RILL_ANY : s;
    TRY(rill_launch(p->k->steps, s, RILL_ARGS(n, rounds, a->array)));
    model_steps(n, rounds, a->model);
}

static void do_part(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    int from = (int)pick(p, (uint32_t)n);
    int to = from + (int)pick(p, (uint32_t)(n - from + 1));
    TRY(rill_launch(p->k->part, s, RILL_ARGS(n, from, to, k, a->array)));
    for (int i = from; i < to; i++) {
        a->model[i] = a->model[i] * 11u + k;
    }
}

static void do_comb(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    int first = (int)pick(p, 2);
    TRY(rill_launch(p->k->comb, s, RILL_ARGS(n, n / 2, first, k, a->array)));
    for (int i = 0; i < n / 2; i++) {
        a->model[2 * i + first] = a->model[2 * i + first] * 13u + k;
    }
}

static void do_hit(struct program *p, rill_stream s, int n, struct slot *a, struct slot *b, uint32_t k)
{
    TRY(rill_launch(p->k->hit, s, RILL_ARGS(n, k, a->array, b->array)));
    for (int i = 0; i < n; i++) {
        b->model[(a->model[i] + k) % (uint32_t)n] += 1u;
    }
}

static void do_fill(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    TRY(rill_array_fill(a->array, s, &k, sizeof k));
    model_fill(n, a->model, k);
}

static void do_copy(struct program *p, rill_stream s, struct slot *a, struct slot *b)
{
    TRY(rill_array_copy(b->array, a->array, s));
    memcpy(b->model, a->model, sizeof a->model);
}

// A view of a part, which is gone while it is used.
static void do_view(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    int from = (int)pick(p, (uint32_t)n);
    int count = (int)pick(p, (uint32_t)(n - from + 1));
    rill_array view;
    TRY(rill_array_view(a->array, (size_t)from, RILL_SHAPE(count), &view));
    TRY(rill_launch(p->k->part, s, RILL_ARGS(count, 0, count, k, view)));
    TRY(rill_array_destroy(view));
    for (int i = from; i < from + count; i++) {
        a->model[i] = a->model[i] * 11u + k;
    }
}

static void do_pointer(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    int from = (int)pick(p, (uint32_t)n);
    int count = (int)pick(p, (uint32_t)(n - from + 1));
    void *address;
    TRY(rill_array_address(a->array, &address));
    TRY(rill_launch(p->k->through, s, RILL_ARGS(count, k, RILL_PTR((uint32_t *)address + from, count))));
    for (int i = from; i < from + count; i++) {
        a->model[i] ^= k;
    }
}

static void do_write(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    uint32_t values[64];
    int count = model_write(n, a->model, values, k);
    TRY(rill_array_write(a->array, s, values, (size_t)count * sizeof *values));
    memset(values, 0xff, sizeof values); // the call may not look at it any more
}

static void do_write_some(struct program *p, rill_stream s, int n, struct slot *a, uint32_t k)
{
    uint32_t at = pick(p, (uint32_t)n);
    a->model[at] = k;
    TRY(rill_array_write_at(a->array, s, at, &k, 1));
}

static void do_read(struct program *p, rill_stream s, int n, struct slot *a)
{
    uint32_t got[MAX_N] = {0};
    TRY(rill_array_read(a->array, s, got, (size_t)n * sizeof *got));
    expect(p, memcmp(got, a->model, (size_t)n * sizeof *got) == 0, "a read gives something else");
}

static void do_total(struct program *p, rill_stream s, int n, struct slot *a)
{
    uint32_t sum = model_total(n, a->model);
    uint32_t got = 0;
    if (pick(p, 2) == 0) {
        TRY(rill_call(p->k->total, s, RILL_ARGS(n, a->array), &got, sizeof got));
    } else {
        TRY(rill_launch_result(p->k->total, s, RILL_ARGS(n, a->array), p->result));
        TRY(rill_array_read(p->result, p->streams[pick(p, STREAMS)], &got, sizeof got));
    }
    expect(p, got == sum, "total is wrong");
}

// ---- operations on what is the program's own ----------------------------------------------------------------------

// Memory of the host goes into a kernel, out of an array, into one.
static void do_host(struct program *p, rill_stream s, struct slot *a, uint32_t k)
{
    size_t size = (size_t)p->n * sizeof *p->host;
    switch (pick(p, 3)) {
    case 0:
        TRY(rill_launch(p->k->mix, s, RILL_ARGS(p->n, a->array, RILL_HOST(p->host, p->n), k)));
        model_mix(p->n, a->model, p->host_model, k);
        break;
    case 1:
        TRY(rill_array_read_async(a->array, s, p->host, size));
        memcpy(p->host_model, a->model, size);
        break;
    default:
        TRY(rill_array_write_async(a->array, s, p->host, size));
        memcpy(a->model, p->host_model, size);
        break;
    }
}

static void drop_step(struct program *p);

// What was recorded goes on to mean the array before.
static void renew_array(struct program *p, struct slot *slot)
{
    drop_step(p);
    TRY(rill_array_destroy(slot->array));
    TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(p->n), &slot->array));
    memset(slot->model, 0, sizeof slot->model);
}

static void renew_stream(struct program *p, int s)
{
    TRY(rill_stream_destroy_later(p->streams[s]));
    TRY(rill_stream_create(p->k->context, &(rill_stream_options){.priority = (int)pick(p, 3) - 1}, &p->streams[s]));
}

static void count_callback(void *user, rill_status status)
{
    struct program *p = user;
    if (status == RILL_OK) {
        atomic_fetch_add(&p->callbacks, 1);
    }
}

static void do_callback(struct program *p, rill_stream s)
{
    TRY(rill_stream_callback(s, count_callback, p));
    p->callbacks_expected++;
}

// ---- steps --------------------------------------------------------------------------------------------------------

static void record_total(struct program *p, rill_stream s, struct slot *a)
{
    TRY(rill_launch_result(p->k->total, s, RILL_ARGS(p->n, a->array), p->result));
    p->total = model_total(p->n, a->model);
    p->has_total = true;
}

// What the seed says: recorded, or done to the models. Nothing in it gives data or waits.
static void do_parts(struct program *p, uint64_t seed)
{
    uint64_t random = p->drawn.random;
    p->drawn.random = seed;
    for (int count = 1 + (int)pick(p, 8); count > 0 && p->drawn.failed == NULL; count--) {
        rill_stream s = p->streams[pick(p, STREAMS)];
        uint32_t at = pick(p, ARRAYS);
        struct slot *a = &p->slots[at];
        struct slot *b = &p->slots[(at + 1 + pick(p, ARRAYS - 1)) % ARRAYS];
        uint32_t recorded = pick(p, 1000);
        uint32_t k = p->k_given != NULL ? *p->k_given : recorded;
        uint32_t kind = pick(p, 12);
        p->step_has_k |= kind < 8;
        switch (kind) {
        case 0:
        case 1:
        case 2: do_mix(p, s, p->n, a, b, k); break;
        case 3: do_both(p, s, p->n, a, b, k); break;
        case 4: do_part(p, s, p->n, a, k); break;
        case 5: do_comb(p, s, p->n, a, k); break;
        case 6: do_hit(p, s, p->n, a, b, k); break;
        case 7: do_view(p, s, p->n, a, k); break;
        case 8: do_steps(p, s, p->n, a, (int)(recorded % 20)); break;
        case 9: do_fill(p, s, p->n, a, recorded); break;
        case 10: do_copy(p, s, a, b); break;
        default: record_total(p, s, a); break;
        }
    }
    p->drawn.random = random;
}

static void drop_step(struct program *p)
{
    if (p->step.id != 0) {
        TRY(rill_step_destroy(p->step)); // also while it runs
        p->step.id = 0;
    }
}

static void record_step(struct program *p)
{
    static _Thread_local uint32_t saved[ARRAYS][MAX_N];
    bool has_any = p->has_any;
    drop_step(p);
    for (int i = 0; i < ARRAYS; i++) {
        memcpy(saved[i], p->slots[i].model, sizeof saved[i]);
    }
    p->step_seed = p->drawn.random;
    p->step_has_k = false;
    p->has_any = false; // a launch that is recorded names its stream
    TRY(rill_record_begin(p->k->context));
    do_parts(p, p->step_seed);
    TRY(rill_record_end(p->k->context, &p->step));
    TRY(rill_step_repeat(p->step, 1 + pick(p, 2)));
    p->has_any = has_any;
    p->has_total = false;
    for (int i = 0; i < ARRAYS; i++) {
        memcpy(p->slots[i].model, saved[i], sizeof saved[i]);
    }
}

static void launch_step(struct program *p, rill_stream s)
{
    uint32_t k = pick(p, 1000);
    bool gives = p->step_has_k && pick(p, 2) == 0;
    rill_step_info info = {0};
    bool has_any = p->has_any;
    if (gives) {
        TRY(rill_step_launch(p->step, s, RILL_VALUES(RILL_SET("k", k))));
    } else {
        TRY(rill_step_launch(p->step, s, RILL_NO_VALUES));
    }
    TRY(rill_step_describe(p->step, &info));
    p->k_given = gives ? &k : NULL;
    p->is_model = true;
    p->has_any = false;
    for (size_t i = 0; i < info.repeat_count; i++) {
        do_parts(p, p->step_seed);
    }
    p->is_model = false;
    p->has_any = has_any;
    p->k_given = NULL;
    if (p->has_total) {
        uint32_t got = 0;
        TRY(rill_array_read(p->result, p->streams[pick(p, STREAMS)], &got, sizeof got));
        expect(p, got == p->total, "the total of a step is wrong");
        p->has_total = false;
    }
}

static void do_recorded(struct program *p, rill_stream s)
{
    if (p->step.id == 0 || pick(p, 3) == 0) {
        record_step(p);
    }
    for (uint32_t i = pick(p, 3); i > 0 && p->drawn.failed == NULL; i--) {
        launch_step(p, s);
    }
}

// ---- programs -----------------------------------------------------------------------------------------------------

static void on_arrays(struct program *p, rill_stream s, int n, struct slot *a, struct slot *b)
{
    uint32_t k = pick(p, 1000);
    switch (pick(p, 16)) {
    case 0:
    case 1:
    case 2: do_mix(p, s, n, a, b, k); break;
    case 3: do_both(p, s, n, a, b, k); break;
    case 4:
    case 5: do_steps(p, s, n, a, (int)(k % 20)); break;
    case 6: do_part(p, s, n, a, k); break;
    case 7: do_comb(p, s, n, a, k); break;
    case 8: do_hit(p, s, n, a, b, k); break;
    case 9: do_fill(p, s, n, a, k); break;
    case 10: do_copy(p, s, a, b); break;
    case 11: do_view(p, s, n, a, k); break;
    case 12: do_pointer(p, s, n, a, k); break;
    case 13: do_write(p, s, n, a, k); break;
    case 14: do_write_some(p, s, n, a, k); break;
    default: pick(p, 2) == 0 ? do_read(p, s, n, a) : do_total(p, s, n, a); break;
    }
}

static void on_field(struct program *p, rill_stream s, struct slot *a)
{
    uint32_t k = pick(p, 1000);
    struct common *common = p->k;
    if (pick(p, 2) == 0) {
        TRY(rill_launch(common->to_box, s, RILL_ARGS(k)));
        for (int i = 0; i < 64; i++) {
            common->box[i] = common->box[i] * 3u + k + (uint32_t)i;
        }
    } else {
        TRY(rill_launch(common->from_box, s, RILL_ARGS(common->n, a->array)));
        for (int i = 0; i < common->n; i++) {
            a->model[i] += common->box[i % 64];
        }
    }
}

static void on_common(struct program *p, rill_stream s)
{
    struct common *common = p->k;
    int a = (int)pick(p, COMMON);
    pthread_mutex_lock(&common->lock);
    if (pick(p, 4) == 0) {
        on_field(p, s, &common->slots[a]);
    } else {
        on_arrays(p, s, common->n, &common->slots[a], &common->slots[(a + 1) % COMMON]);
    }
    pthread_mutex_unlock(&common->lock);
}

static void do_one(struct program *p)
{
    int s = (int)pick(p, STREAMS);
    uint32_t a = pick(p, ARRAYS);
    uint32_t b = (a + 1 + pick(p, ARRAYS - 1)) % ARRAYS;
    switch (pick(p, 14)) {
    case 0:
    case 1: on_common(p, p->streams[s]); break;
    case 5:
    case 6: do_recorded(p, p->streams[s]); break;
    case 2: do_host(p, p->streams[s], &p->slots[a], pick(p, 1000)); break;
    case 3: renew_array(p, &p->slots[a]); break;
    case 4: pick(p, 2) == 0 ? renew_stream(p, s) : do_callback(p, p->streams[s]); break;
    default: on_arrays(p, p->streams[s], p->n, &p->slots[a], &p->slots[b]); break;
    }
}

static void compare(struct program *p)
{
    for (int i = 0; i < ARRAYS; i++) {
        do_read(p, p->streams[i % STREAMS], p->n, &p->slots[i]);
    }
    TRY(rill_sync(p->k->context));
    expect(p, memcmp(p->host, p->host_model, (size_t)p->n * sizeof *p->host) == 0, "memory of the host differs");
    expect(p, atomic_load(&p->callbacks) == p->callbacks_expected, "callbacks were lost");
}

static void run_program(struct program *p)
{
    static const int sizes[] = {1, 2, 7, 100, MAX_N};
    p->n = sizes[pick(p, 5)];
    TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(1), &p->result));
    for (int i = 0; i < STREAMS; i++) {
        TRY(rill_stream_create(p->k->context, NULL, &p->streams[i]));
    }
    for (int i = 0; i < ARRAYS; i++) {
        TRY(rill_array_create(p->k->context, RILL_U32, RILL_SHAPE(p->n), &p->slots[i].array));
    }
    for (int i = 0; i < STEPS && p->drawn.failed == NULL; i++) {
        do_one(p);
    }
    compare(p);
    drop_step(p);
    for (int i = 0; i < ARRAYS && p->drawn.failed == NULL; i++) {
        TRY(rill_array_destroy(p->slots[i].array));
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

static rill_status open_common(struct common *k, int threads, rill_order order)
{
    const char *device = getenv("RILL_TEST_DEVICE");
    rill_open_options options = {.thread_count = threads, .order = order};
    *k = (struct common){.n = 50, .lock = PTHREAD_MUTEX_INITIALIZER};
    RILL_TRY(rill_open(device != NULL ? device : "cpu", &options, &k->context));
    RILL_TRY(rill_module_create(k->context, source, NULL, &k->module));
#define FIND(name) RILL_TRY(rill_module_kernel(k->module, #name, &k->name));
    KERNELS(FIND)
#undef FIND
    for (int i = 0; i < COMMON; i++) {
        RILL_TRY(rill_array_create(k->context, RILL_U32, RILL_SHAPE(k->n), &k->slots[i].array));
    }
    return RILL_OK;
}

// False: an array that all programs use, or the field, is not what serial execution gives.
static bool common_is_right(struct common *k)
{
    uint32_t got[64];
    rill_stream stream = rill_default_stream(k->context);
    for (int i = 0; i < COMMON; i++) {
        if (rill_array_read(k->slots[i].array, stream, got, (size_t)k->n * sizeof *got) != RILL_OK ||
            memcmp(got, k->slots[i].model, (size_t)k->n * sizeof *got) != 0) {
            return false;
        }
    }
    return rill_field_read(k->module, "box", stream, got, sizeof got) == RILL_OK &&
           memcmp(got, k->box, sizeof got) == 0;
}

// How many programs went wrong.
static int run_group(struct common *common, uint64_t seed, bool must_be_right, const char *how)
{
    bool has_any = must_be_right && seed % 2 == 0;
    static struct program programs[THREADS];
    pthread_t runners[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        programs[i] =
            (struct program){.k = common, .has_any = has_any, .drawn = {.random = (seed + (uint64_t)i) * 2 + 1}};
        REQUIRE(pthread_create(&runners[i], NULL, run_thread, &programs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(runners[i], NULL);
        wrong += programs[i].drawn.failed != NULL;
        if (programs[i].drawn.failed != NULL && must_be_right) {
            FAIL("%s: %s; again with RILL_TEST_SEED=%llu %s", programs[i].drawn.failed, programs[i].drawn.message,
                 (unsigned long long)seed, how);
        }
    }
    bool is_right = common_is_right(common);
    if (!is_right && must_be_right) {
        FAIL("what all programs use differs; again with RILL_TEST_SEED=%llu %s", (unsigned long long)seed, how);
    }
    return wrong + !is_right;
}

// |schedule| 0: as it comes.
static int run_seeds(uint64_t first, uint64_t count, int threads, uint64_t schedule, rill_order order)
{
    char how[96];
    snprintf(how, sizeof how, "%llu", (unsigned long long)schedule);
    if (schedule != 0) {
        setenv("RILL_SCHEDULE", how, 1);
    }
    struct common common;
    rill_status status = open_common(&common, threads, order);
    unsetenv("RILL_SCHEDULE");
    if (status != RILL_OK) {
        FAIL("%s", rill_message());
        return 0;
    }
    snprintf(how, sizeof how, "RILL_THREADS=%d RILL_SCHEDULE=%llu", threads, (unsigned long long)schedule);
    int wrong = 0;
    bool must_be_right = order == RILL_ORDER_AUTO;
    for (uint64_t seed = first; seed < first + count && wrong == 0; seed += THREADS) {
        wrong += run_group(&common, seed, must_be_right, how);
    }
    for (int i = 0; i < COMMON; i++) {
        CHECK_INT(rill_array_destroy(common.slots[i].array), RILL_OK);
    }
    CHECK_INT(rill_sync(common.context), RILL_OK); // memory goes back when every stream has come past
    rill_stats stats;
    CHECK_INT(rill_context_stats(common.context, &stats), RILL_OK);
    if (wrong == 0) {
        CHECK_INT(stats.array_count, 0);
        CHECK_INT(stats.array_size, 0);
        CHECK(stats.stream_count <= 1 + 8); // those for RILL_ANY stay
    }
    CHECK_INT(rill_close(common.context), RILL_OK);
    return wrong;
}

static uint64_t seed_count(void)
{
    const char *programs = getenv("RILL_TEST_PROGRAMS");
    return programs != NULL ? strtoull(programs, NULL, 10) / 3 : (uint64_t)(PROGRAMS * amount_times());
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
              schedule != NULL ? strtoull(schedule, NULL, 10) : 0, RILL_ORDER_AUTO);
}

TEST(programs_without_events_equal_serial_execution_with_one_thread)
{
    run_seeds(0, seed_count(), 1, 0, RILL_ORDER_AUTO);
}

TEST(programs_without_events_equal_serial_execution_with_several_threads)
{
    run_seeds(1000000, seed_count(), 3, 0, RILL_ORDER_AUTO);
}

TEST(programs_without_events_equal_serial_execution_in_any_schedule)
{
    uint64_t each = (seed_count() + 3) / 4;
    for (uint64_t i = 0; i < 4; i++) {
        run_seeds(2000000 + i * each, each, i % 2 == 0 ? 1 : 4, i + 1, RILL_ORDER_AUTO);
    }
}

// The programs are such that they find a missing order.
TEST(in_manual_order_they_go_wrong)
{
    if (form_is_sanitized()) {
        SKIP("the sanitizer finds the races first");
    }
    int wrong = 0;
    for (uint64_t i = 1; i <= 10 && wrong == 0; i++) {
        wrong = run_seeds(3000000 + 100 * i, 30, 2, i, RILL_ORDER_MANUAL);
    }
    CHECK(wrong > 0);
}

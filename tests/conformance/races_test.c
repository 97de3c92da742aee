// The races that launch layers are known for, each on two streams: what one launch needs and another must not see
// (bounds, random numbers, returned values, arguments), and what goes while others still use it (an array, a context, a
// device, an event). With the stand-ins a handle that outlived its object must not reach the driver at all.
#include "world.h"

#include <dlfcn.h>

static const char races_source[] =
    "#include <rill/kernel.h>\n"
    "#include <stdint.h>\n"
    "struct step { int by; float scale; };\n"
    "kernel void set(int value, int x[1]) { x[0] = value; }\n"
    "kernel void up_to(int n, const int count[1], int x[n]) { for (int i = 0; i < count[0]; i++) x[i] += 1; }\n"
    "kernel long sum_to(int n, const int count[1], const int x[n])\n"
    "{ long s = 0; for (int i = 0; i < count[0]; i++) s += x[i]; return s; }\n"
    "kernel void dice(int n, uint64_t key, uint32_t x[n])\n"
    "{ for (int i = 0; i < n; i++) x[i] += rill_random_u32(key, (uint64_t)i); }\n"
    "kernel long work(int n, long start) { long s = start; for (int i = 0; i < n; i++) s += i; return s; }\n"
    "kernel void walk(int n, struct step step, long from, double x[n])\n"
    "{ for (int i = 0; i < n; i++) x[i] += step.by + (double)step.scale * i + (double)from; }\n"
    "kernel void fill(int n, int value, int x[n]) { for (int i = 0; i < n; i++) x[i] = value; }\n"
    "kernel void add(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] += x[i]; }\n"
    "kernel void halves(int n, int x[n], int y[n])\n"
    "{\n"
    "    stream_parallel { for (int i = 0; i < n; i++) x[i] += 1; }\n"
    "    stream_parallel { for (int i = 0; i < n; i++) y[i] += 2; }\n"
    "}\n"
    "kernel void put(int digit, long out[1]) { out[0] = out[0] * 10 + digit; }\n"
    "kernel void spin(int rounds, long out[1])\n"
    "{\n"
    "    long s = out[0];\n"
    "#pragma rill single\n"
    "    for (int i = 0; i < rounds; i++) s = s * 6364136223846793005 + 1442695040888963407;\n"
    "    out[0] = s;\n"
    "}\n";

enum { N = 2000, ROUNDS = 30, SPIN = 100000 };

struct pair {
    struct world world;
    rill_module module;
    rill_stream s[2];
};

static void pair_make(struct pair *p)
{
    OK(rill_module_create(p->world.context, races_source, NULL, &p->module));
    for (int i = 0; i < 2; i++) {
        OK(rill_stream_create(p->world.context, NULL, &p->s[i]));
    }
}

static void pair_open(struct pair *p)
{
    world_open(&p->world, 3);
    pair_make(p);
}

static rill_kernel kernel_of(struct pair *p, const char *name)
{
    rill_kernel kernel = {0};
    OK(rill_module_kernel(p->module, name, &kernel));
    return kernel;
}

// Work for a while on both streams, so that what is queued behind it is in flight when the call returns.
static void keep_busy(struct pair *p)
{
    for (int i = 0; i < 2; i++) {
        rill_array out = world_array(&p->world, RILL_I64, 1);
        OK(rill_launch(kernel_of(p, "spin"), p->s[i], RILL_ARGS(SPIN, out)));
        OK(rill_array_destroy(out));
    }
}

// Or until the gate is opened: one stream stands there, and the other waits for it.
static void hold_both(struct pair *p, struct world_gate *gate)
{
    *gate = (struct world_gate)WORLD_GATE_INIT;
    OK(rill_stream_callback(p->s[0], world_stand_at_gate, gate));
    OK(rill_stream_wait(p->s[1], p->s[0]));
}

// ---- what belongs to one launch -----------------------------------------------------------------------------------

TEST(bounds_read_from_memory_belong_to_their_launch)
{
    static int expected[2][N], got[2][N];
    struct pair p;
    rill_array count[2], x[2], sums[2];
    long last[2] = {0}, sum[2];
    pair_open(&p);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < 2; i++) {
        count[i] = world_array(&p.world, RILL_I32, 1);
        x[i] = world_array(&p.world, RILL_I32, N);
        sums[i] = world_array(&p.world, RILL_I64, 1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            int bound = (round * (i == 0 ? 37 : 101) + 5) % N; // written by a kernel of the same stream
            OK(rill_launch(kernel_of(&p, "set"), p.s[i], RILL_ARGS(bound, count[i])));
            OK(rill_launch(kernel_of(&p, "up_to"), p.s[i], RILL_ARGS(N, count[i], x[i])));
            OK(rill_launch_result(kernel_of(&p, "sum_to"), p.s[i], RILL_ARGS(N, count[i], x[i]), sums[i]));
            last[i] = 0;
            for (int k = 0; k < bound; k++) {
                last[i] += ++expected[i][k];
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        OK(rill_array_read(x[i], p.s[i], got[i], sizeof got[i]));
        OK(rill_array_read(sums[i], p.s[i], &sum[i], sizeof sum[i]));
        CHECK_MEM(got[i], expected[i], sizeof got[i]);
        CHECK_INT(sum[i], last[i]);
    }
    world_close(&p.world);
}

TEST(random_numbers_belong_to_key_and_iteration)
{
    static uint32_t got[3][N];
    struct pair p;
    rill_array x[3];
    pair_open(&p);
    for (int i = 0; i < 3; i++) {
        x[i] = world_array(&p.world, RILL_U32, N);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            OK(rill_launch(kernel_of(&p, "dice"), p.s[i], RILL_ARGS(N, (uint64_t)(round + 1000 * i), x[i])));
        }
    }
    for (int i = 0; i < 2; i++) { // the same, alone
        uint32_t zero = 0;
        OK(rill_array_read(x[i], p.s[i], got[i], sizeof got[i]));
        OK(rill_array_fill(x[2], RILL_CURRENT, &zero, sizeof zero));
        for (int round = 0; round < ROUNDS; round++) {
            OK(rill_launch(kernel_of(&p, "dice"), RILL_CURRENT, RILL_ARGS(N, (uint64_t)(round + 1000 * i), x[2])));
        }
        OK(rill_array_read(x[2], RILL_CURRENT, got[2], sizeof got[2]));
        CHECK_MEM(got[i], got[2], sizeof got[i]);
    }
    CHECK(memcmp(got[0], got[1], sizeof got[0]) != 0);
    world_close(&p.world);
}

struct caller {
    struct pair *pair;
    int number;
    int wrong;
};

static void *call_often(void *arg)
{
    struct caller *c = arg;
    rill_kernel work = kernel_of(c->pair, "work");
    rill_stream stream = c->pair->s[c->number];
    rill_array later = world_array(&c->pair->world, RILL_I64, 1);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        long got = 0, kept = 0, start = 1000000L * c->number + i, n = 100 + (i * 7 + 13 * c->number) % 3000;
        long expected = start + n * (n - 1) / 2;
        OK(rill_launch_result(work, stream, RILL_ARGS((int)n, start), later));
        OK(rill_call(work, stream, RILL_ARGS((int)n, start + 1), &got, sizeof got));
        OK(rill_array_read(later, stream, &kept, sizeof kept));
        c->wrong += got != expected + 1 || kept != expected;
    }
    return NULL;
}

static void *walk_often(void *arg)
{
    struct caller *c = arg;
    static const int sizes[2] = {N, 777};
    struct step {
        int by;
        float scale;
    };
    int n = sizes[c->number];
    rill_kernel walk = kernel_of(c->pair, "walk");
    rill_stream stream = c->pair->s[c->number];
    rill_array x = world_array(&c->pair->world, RILL_F64, n);
    double *expected = calloc((size_t)n, sizeof *expected), *got = calloc((size_t)n, sizeof *got);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        struct step step = {.by = 3 * i + c->number, .scale = (float)(i % 4) * (c->number ? -0.5f : 0.25f)};
        long from = 100000L * c->number + i;
        OK(rill_launch(walk, stream, RILL_ARGS(n, RILL_STRUCT(step), from, x)));
        for (int k = 0; k < n; k++) {
            expected[k] += step.by + (double)step.scale * k + (double)from;
        }
    }
    OK(rill_array_read(x, stream, got, (size_t)n * sizeof *got));
    c->wrong = memcmp(got, expected, (size_t)n * sizeof *got) != 0;
    free(expected);
    free(got);
    return NULL;
}

static void run_two(void *(*function)(void *))
{
    struct pair p;
    pair_open(&p);
    struct caller callers[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        callers[i] = (struct caller){.pair = &p, .number = i};
        REQUIRE(pthread_create(&threads[i], NULL, function, &callers[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(callers[i].wrong, 0);
    }
    world_close(&p.world);
}

TEST(returned_values_of_two_threads_are_their_own)
{
    run_two(call_often);
}

TEST(arguments_of_one_kernel_belong_to_their_launch)
{
    run_two(walk_often);
}

// ---- what goes while others use it --------------------------------------------------------------------------------

TEST(arrays_freed_in_flight_serve_what_was_queued_before)
{
    static int got[N];
    struct pair p;
    struct world_gate gates[ROUNDS]; // one each: who stood at the last may not have come past it
    rill_array y[2];
    pair_open(&p);
    y[0] = world_array(&p.world, RILL_I32, N);
    y[1] = world_array(&p.world, RILL_I32, N);
    for (int round = 0; round < ROUNDS; round++) {
        bool is_held = round % 5 == 0;
        if (is_held) {
            hold_both(&p, &gates[round]);
        } else {
            keep_busy(&p);
        }
        for (int i = 0; i < 2; i++) {
            rill_array x = world_array(&p.world, RILL_I32, N), next = {0};
            OK(rill_launch(kernel_of(&p, "fill"), p.s[i], RILL_ARGS(N, round + i, x)));
            OK(rill_launch(kernel_of(&p, "add"), p.s[i], RILL_ARGS(N, x, y[i])));
            OK(rill_array_destroy(x));
            next = world_array(&p.world, RILL_I32, N); // must not be the memory that is in use
            OK(rill_launch(kernel_of(&p, "fill"), RILL_CURRENT, RILL_ARGS(N, -1000000, next)));
            OK(rill_array_destroy(next));
        }
        if (is_held) {
            world_open_gate(&gates[round]);
        }
    }
    for (int i = 0; i < 2; i++) {
        int wrong = 0, expected = ROUNDS * (ROUNDS - 1) / 2 + ROUNDS * i;
        OK(rill_array_read(y[i], p.s[i], got, sizeof got));
        for (int k = 0; k < N; k++) {
            wrong += got[k] != expected;
        }
        CHECK_INT(wrong, 0);
    }
    world_close(&p.world);
}

static void count_good(void *user, rill_status status)
{
    atomic_fetch_add((atomic_int *)user, status == RILL_OK);
}

TEST(contexts_closed_with_live_streams_finish_their_work)
{
    for (int round = 0; round < 6; round++) {
        struct pair p;
        atomic_int done = 0;
        pair_open(&p);
        rill_array x = world_array(&p.world, RILL_I32, N), y = world_array(&p.world, RILL_I32, N);
        rill_event e = {0};
        OK(rill_event_create(p.world.context, NULL, &e));
        keep_busy(&p);
        for (int i = 0; i < 2; i++) {
            OK(rill_launch(kernel_of(&p, "halves"), p.s[i], RILL_ARGS(N, i == 0 ? x : y, i == 0 ? y : x)));
            OK(rill_event_record(e, p.s[i]));
            OK(rill_event_wait(e, p.s[1 - i]));
            OK(rill_stream_callback(p.s[i], count_good, &done));
        }
        world_close(&p.world);
        CHECK_INT(atomic_load(&done), 2);
        STATUS(rill_stream_query(p.s[0]), RILL_ERR_STALE);
        STATUS(rill_stream_synchronize(p.s[1]), RILL_ERR_STALE);
    }
}

// How often the driver was called, where it is a stand-in that counts; else 0.
static long driver_calls(void)
{
    const char *device = world_device();
    const char *path = getenv(strncmp(device, "amdgpu", 6) == 0 ? "RILL_HIP_LIBRARY" : "RILL_CUDA_LIBRARY");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    long (*calls)(const char *) = NULL;
    if (library == NULL) {
        return 0;
    }
    *(void **)&calls = dlsym(library, "stand_in_calls");
    long count = calls != NULL ? calls("*") : 0;
    dlclose(library);
    return count;
}

// Another device of the same kind where there is one; else the same again.
static const char *other_device(void)
{
    static char name[64];
    const char *device = world_device();
    snprintf(name, sizeof name, "%s", device);
    for (size_t i = 0; i < rill_device_count(); i++) {
        rill_device_info info;
        if (rill_device_get(i, &info) == RILL_OK && strncmp(info.name, device, strcspn(device, ":")) == 0 &&
            strcmp(info.name, device) != 0) {
            snprintf(name, sizeof name, "%s", info.name);
            break;
        }
    }
    return name;
}

struct old {
    struct pair pair;
    rill_array array;
    rill_event event;
    rill_kernel kernel;
};

static int stale_count(rill_status status)
{
    return status == RILL_ERR_STALE;
}

// Calls with handles of the context that is gone, one of each kind, also mixed with those of the new one.
static void use_old(struct old *old, struct pair *new_pair, rill_array new_array, rill_event new_event)
{
    int host[4] = {0};
    long result;
    void *native;
    rill_stream s = old->pair.s[0], now = new_pair->s[0];
    rill_array a = old->array, made;
    rill_event e = old->event;
    rill_kernel k = old->kernel, k_now = kernel_of(new_pair, "fill");
    long before = driver_calls();
    int refused = 0, count = 0;
#define REFUSED(call) (count++, refused += stale_count(call))
    REFUSED(rill_launch(k, now, RILL_ARGS(N, 1, new_array)));
    REFUSED(rill_launch(k_now, s, RILL_ARGS(N, 1, new_array)));
    REFUSED(rill_launch(k_now, now, RILL_ARGS(N, 1, a)));
    REFUSED(rill_call(k, now, RILL_ARGS(N, 1L), &result, sizeof result));
    REFUSED(rill_array_read(a, now, host, sizeof host));
    REFUSED(rill_array_write(a, now, host, sizeof host));
    REFUSED(rill_array_read(new_array, s, host, sizeof host));
    REFUSED(rill_array_fill(a, now, host, sizeof host[0]));
    REFUSED(rill_array_copy(new_array, a, now));
    REFUSED(rill_array_copy(a, new_array, now));
    REFUSED(rill_array_transfer(new_array, now, a, s));
    REFUSED(rill_array_address(a, &native));
    REFUSED(rill_array_destroy(a));
    REFUSED(rill_array_create(old->pair.world.context, RILL_I32, RILL_SHAPE(4), &made));
    REFUSED(rill_event_record(e, now));
    REFUSED(rill_event_record(new_event, s));
    REFUSED(rill_event_wait(e, now));
    REFUSED(rill_event_wait(new_event, s));
    REFUSED(rill_event_query(e));
    REFUSED(rill_event_synchronize(e));
    REFUSED(rill_event_destroy(e));
    REFUSED(rill_stream_wait(now, s));
    REFUSED(rill_stream_wait(s, now));
    REFUSED(rill_stream_query(s));
    REFUSED(rill_stream_synchronize(s));
    REFUSED(rill_stream_native(s, &native));
    REFUSED(rill_stream_destroy(s));
    REFUSED(rill_stream_destroy_later(old->pair.s[1]));
    REFUSED(rill_field_read(old->pair.module, "gain", now, host, sizeof host[0]));
    REFUSED(rill_module_destroy(old->pair.module));
    REFUSED(rill_sync(old->pair.world.context));
    REFUSED(rill_close(old->pair.world.context));
#undef REFUSED
    CHECK_INT(refused, count);
    CHECK_INT(driver_calls(), before);
}

TEST(handles_of_a_closed_device_never_reach_the_driver)
{
    for (int round = 0; round < 4; round++) {
        struct old old;
        static int got[N];
        pair_open(&old.pair);
        old.array = world_array(&old.pair.world, RILL_I32, N);
        old.kernel = kernel_of(&old.pair, "fill");
        OK(rill_event_create(old.pair.world.context, NULL, &old.event));
        OK(rill_launch(old.kernel, old.pair.s[0], RILL_ARGS(N, 7, old.array)));
        OK(rill_event_record(old.event, old.pair.s[0]));
        OK(rill_event_wait(old.event, old.pair.s[1]));
        world_close(&old.pair.world);

        struct pair p = {.s = {{0}}};
        OK(rill_open(round % 2 == 0 ? other_device() : world_device(), NULL, &p.world.context));
        pair_make(&p);
        rill_array x = world_array(&p.world, RILL_I32, N);
        rill_event e = {0};
        OK(rill_event_create(p.world.context, NULL, &e));
        keep_busy(&p);
        OK(rill_launch(kernel_of(&p, "fill"), p.s[0], RILL_ARGS(N, 5, x)));
        OK(rill_event_record(e, p.s[0]));
        OK(rill_sync(p.world.context)); // what Rill's own threads do in the driver is over
        use_old(&old, &p, x, e);
        OK(rill_event_wait(e, p.s[1]));
        OK(rill_array_read(x, p.s[1], got, sizeof got));
        CHECK_INT(got[0], 5);
        CHECK_INT(got[N - 1], 5);
        OK(rill_close(p.world.context));
    }
}

struct waiter {
    rill_event event;
    rill_status status;
};

static void *wait_for_it(void *arg)
{
    struct waiter *waiter = arg;
    waiter->status = rill_event_synchronize(waiter->event);
    return NULL;
}

TEST(events_destroyed_while_waited_on_still_order)
{
    struct pair p;
    struct world_gate gate = WORLD_GATE_INIT;
    pair_open(&p);
    rill_array out = world_array(&p.world, RILL_I64, 1);
    rill_kernel put = kernel_of(&p, "put");
    for (int round = 0; round < ROUNDS; round++) {
        long digits = 0, zero = 0;
        struct waiter waiter = {{0}, RILL_OK};
        pthread_t thread;
        OK(rill_array_write(out, p.s[0], &zero, sizeof zero));
        OK(rill_event_create(p.world.context, NULL, &waiter.event));
        gate.is_open = false;
        if (round % 3 == 0) {
            OK(rill_stream_callback(p.s[0], world_stand_at_gate, &gate));
        } else {
            keep_busy(&p);
        }
        OK(rill_launch(put, p.s[0], RILL_ARGS(1, out)));
        OK(rill_event_record(waiter.event, p.s[0]));
        OK(rill_event_wait(waiter.event, p.s[1]));
        REQUIRE(pthread_create(&thread, NULL, wait_for_it, &waiter) == 0);
        OK(rill_launch(put, p.s[1], RILL_ARGS(2, out)));
        OK(rill_event_destroy(waiter.event));
        STATUS(rill_event_query(waiter.event), RILL_ERR_STALE);
        world_open_gate(&gate);
        pthread_join(thread, NULL);
        CHECK(waiter.status == RILL_OK || waiter.status == RILL_ERR_STALE); // it may not have begun in time
        OK(rill_array_read(out, p.s[1], &digits, sizeof digits));
        CHECK_INT(digits, 12);
    }
    world_close(&p.world);
}

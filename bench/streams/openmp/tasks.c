// The same shapes as OpenMP tasks. Built while bench/streams runs, by gcc and by clang, so that both runtimes are
// measured; not part of the build.
#include "peer.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

static float cells[MAX_K * 16];
static uint32_t words[MAX_K * 16];

// Who ran a task. One that ran before the call which made it returned was not put off: nothing was queued. Counted in
// samples of their own, because counting takes time.
static _Thread_local bool is_making; // the thread is in the calls that make tasks
static _Thread_local bool is_maker;
static bool is_counting;
static atomic_long counts[KIND_COUNT];

static void note_task(void)
{
    if (is_counting) {
        enum kind kind = is_making ? KIND_INSIDE : is_maker ? KIND_IN_WAIT : KIND_ELSEWHERE;
        atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed);
    }
}

static void tiny(int i)
{
    cells[i * 16] = cells[i * 16] * 0.5f + 1;
    note_task();
}

static void make(bool is_begun)
{
    is_making = is_begun;
    is_maker = true;
}

static double enqueue(void)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        make(true);
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
#pragma omp task
            tiny(0);
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        make(false);
#pragma omp taskwait
    }
    return bench_median(times, BATCHES);
}

static double enqueue_idle(void)
{
    usleep(IDLE_PAUSE_US);
    make(true);
    double start = bench_now();
#pragma omp task
    tiny(0);
    double spent = bench_now() - start;
    make(false);
#pragma omp taskwait
    return spent;
}

static double fork_join(int k)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            make(true);
            for (int p = 0; p < k; p++) {
#pragma omp task
                tiny(p);
            }
            make(false);
#pragma omp taskwait
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

// The nearest thing to an event: a task that another depends on.
static double depend(void)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        make(true);
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
#pragma omp task depend(out : cells[0])
            note_task();
#pragma omp task depend(in : cells[0]) depend(inout : cells[16])
            note_task();
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        make(false);
#pragma omp taskwait
    }
    return bench_median(times, BATCHES);
}

static double chain(void)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            make(true);
#pragma omp task depend(out : cells[0])
            tiny(0);
#pragma omp task depend(in : cells[0])
            tiny(1);
            make(false);
#pragma omp taskwait
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
    }
    return bench_median(times, BATCHES);
}

// The other threads of the region look for tasks for a while, then they sleep.
static double spins(int k, bool overlap, int pause_us)
{
    usleep((unsigned)pause_us);
    double start = bench_now();
    make(true);
    for (int i = 0; i < k; i++) {
#pragma omp task firstprivate(i) if (overlap)
        {
            words[i * 16] = bench_spin(words[i * 16], SPINS);
            note_task();
        }
    }
    make(false);
#pragma omp taskwait
    return bench_now() - start;
}

static double make_many(int k)
{
    double start = bench_now();
#pragma omp parallel num_threads(k)
    {
        int me = omp_get_thread_num();
        make(true);
        for (int i = 0; i < PER_THREAD; i++) {
#pragma omp task firstprivate(me)
            tiny(me);
        }
        make(false);
#pragma omp taskwait
    }
    return (bench_now() - start) / (k * PER_THREAD);
}

double openmp_sample(enum shape shape, int k);
double openmp_sample(enum shape shape, int k)
{
    double value = (double)NAN;
    if (shape == SHAPE_THREADS) {
        return make_many(k);
    }
#pragma omp parallel
#pragma omp master
    {
        switch (shape) {
        case SHAPE_ENQUEUE: value = enqueue(); break;
        case SHAPE_IDLE: value = enqueue_idle(); break;
        case SHAPE_COMPLETE: value = fork_join(1); break;
        case SHAPE_EVENT: value = depend(); break;
        case SHAPE_CHAIN: value = chain(); break;
        case SHAPE_FORK: value = fork_join(k); break;
        case SHAPE_SERIAL: value = spins(k, false, 0); break;
        case SHAPE_OVERLAP: value = spins(k, true, 0); break;
        case SHAPE_OVERLAP_IDLE: value = spins(k, true, IDLE_PAUSE_US); break;
        default: break;
        }
    }
    return value;
}

void openmp_kinds(enum shape shape, int k, double out_shares[KIND_COUNT]);
void openmp_kinds(enum shape shape, int k, double out_shares[KIND_COUNT])
{
    for (int i = 0; i < KIND_COUNT; i++) {
        atomic_store(&counts[i], 0);
    }
    is_counting = true;
    openmp_sample(shape, k);
    is_counting = false;
    double whole = (double)counts[KIND_INSIDE] + (double)counts[KIND_IN_WAIT] + (double)counts[KIND_ELSEWHERE];
    for (int i = 0; i < KIND_COUNT; i++) {
        out_shares[i] = whole > 0 ? (double)counts[i] / whole : (double)NAN;
    }
}

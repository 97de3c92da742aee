// The same shapes as OpenMP tasks. Built while bench/streams runs, by gcc and by clang, so that both runtimes are
// measured; not part of the build.
#include "peer.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

static float cells[MAX_K * 16];
static uint32_t words[MAX_K * 16];

// Whether a task ran before the call that made it returned: then it was not put off, and nothing was queued.
static _Thread_local bool is_making;
static atomic_long inline_count[SHAPE_COUNT][MAX_K + 1];
static atomic_long task_count[SHAPE_COUNT][MAX_K + 1];
static enum shape shape_now;
static int k_now;

static void tiny(int i)
{
    cells[i * 16] = cells[i * 16] * 0.5f + 1;
    if (is_making) {
        atomic_fetch_add_explicit(&inline_count[shape_now][k_now], 1, memory_order_relaxed);
    }
}

static void count_tasks(int count)
{
    atomic_fetch_add_explicit(&task_count[shape_now][k_now], count, memory_order_relaxed);
}

static double enqueue(void)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        is_making = true;
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
#pragma omp task
            tiny(0);
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        is_making = false;
        count_tasks(BATCH);
#pragma omp taskwait
    }
    return bench_median(times, BATCHES);
}

static double enqueue_idle(void)
{
    usleep(IDLE_PAUSE_US);
    is_making = true;
    double start = bench_now();
#pragma omp task
    tiny(0);
    double spent = bench_now() - start;
    is_making = false;
#pragma omp taskwait
    return spent;
}

static double fork_join(int k)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            is_making = true;
            for (int p = 0; p < k; p++) {
#pragma omp task
                tiny(p);
            }
            is_making = false;
#pragma omp taskwait
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        count_tasks(k * BATCH);
    }
    return bench_median(times, BATCHES);
}

// The nearest thing to an event: a task that another depends on.
static double depend(void)
{
    double times[BATCHES];
    for (int b = -1; b < BATCHES; b++) {
        double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
#pragma omp task depend(out : cells[0])
            {
            }
#pragma omp task depend(in : cells[0]) depend(inout : cells[16])
            {
            }
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
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
            is_making = true;
#pragma omp task depend(out : cells[0])
            tiny(0);
#pragma omp task depend(in : cells[0])
            tiny(1);
            is_making = false;
#pragma omp taskwait
        }
        times[b < 0 ? 0 : b] = (bench_now() - start) / BATCH;
        count_tasks(2 * BATCH);
    }
    return bench_median(times, BATCHES);
}

static double spins(int k, bool overlap)
{
    double start = bench_now();
    for (int i = 0; i < k; i++) {
#pragma omp task firstprivate(i) if (overlap)
        words[i * 16] = bench_spin(words[i * 16], SPINS);
    }
#pragma omp taskwait
    return bench_now() - start;
}

static double make_many(int k)
{
    double start = bench_now();
#pragma omp parallel num_threads(k)
    {
        int me = omp_get_thread_num();
        is_making = true;
        for (int i = 0; i < PER_THREAD; i++) {
#pragma omp task firstprivate(me)
            tiny(me);
        }
        is_making = false;
        count_tasks(PER_THREAD);
#pragma omp taskwait
    }
    return (bench_now() - start) / (k * PER_THREAD);
}

double openmp_sample(enum shape shape, int k);
double openmp_sample(enum shape shape, int k)
{
    double value = (double)NAN;
    shape_now = shape;
    k_now = k;
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
        case SHAPE_SERIAL: value = spins(k, false); break;
        case SHAPE_OVERLAP: value = spins(k, true); break;
        default: break;
        }
    }
    return value;
}

double openmp_inline_share(enum shape shape, int k);
double openmp_inline_share(enum shape shape, int k)
{
    long count = task_count[shape][k];
    return count > 0 ? (double)inline_count[shape][k] / (double)count : (double)NAN;
}

// What the machine itself takes: one futex call that wakes a sleeping thread, and spins on threads of the C library.
#include "peer.h"

#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sleeper {
    atomic_int word; // 0: sleep; 1: woken; 2: end
    pthread_t thread;
};

static long futex(atomic_int *word, int operation, int value)
{
    return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void *sleep_often(void *arg)
{
    struct sleeper *sleeper = arg;
    while (atomic_load(&sleeper->word) != 2) {
        futex(&sleeper->word, FUTEX_WAIT, 0);
        int woken = 1;
        atomic_compare_exchange_strong(&sleeper->word, &woken, 0);
    }
    return NULL;
}

static const char *open_bare(struct peer *peer)
{
    struct sleeper *sleeper = calloc(1, sizeof *sleeper);
    peer->state = sleeper;
    return sleeper != NULL && pthread_create(&sleeper->thread, NULL, sleep_often, sleeper) == 0 ? NULL : "no thread";
}

static void close_bare(struct peer *peer)
{
    struct sleeper *sleeper = peer->state;
    atomic_store(&sleeper->word, 2);
    futex(&sleeper->word, FUTEX_WAKE, 1);
    pthread_join(sleeper->thread, NULL);
    free(sleeper);
}

static double wake(struct sleeper *sleeper)
{
    usleep(IDLE_PAUSE_US);
    double start = bench_now();
    atomic_store(&sleeper->word, 1);
    futex(&sleeper->word, FUTEX_WAKE, 1);
    return bench_now() - start;
}

static uint32_t sinks[MAX_K * 16]; // a cache line each

static void spin(int index, void *user)
{
    (void)user;
    sinks[index * 16] = bench_spin(sinks[index * 16], SPINS);
}

static double sample_bare(struct peer *peer, enum shape shape, int k)
{
    double start;
    switch (shape) {
    case SHAPE_IDLE: return wake(peer->state);
    case SHAPE_SERIAL:
        start = bench_now();
        for (int i = 0; i < k; i++) {
            spin(i, NULL);
        }
        return bench_now() - start;
    case SHAPE_OVERLAP: return bench_threads_awake(k, spin, NULL);
    case SHAPE_OVERLAP_IDLE: return bench_threads(k, spin, NULL);
    default: return (double)NAN;
    }
}

struct peer peer_bare = {.name = "bare", .open = open_bare, .sample = sample_bare, .close = close_bare};

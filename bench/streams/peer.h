// What bench/streams compares: each peer does the same things in its own words.
#ifndef RILL_BENCH_STREAMS_PEER_H
#define RILL_BENCH_STREAMS_PEER_H

#include <stdbool.h>
#include <stdint.h>

enum shape {
    SHAPE_ENQUEUE,  // the call that queues a small kernel, while threads are awake: mean of a batch
    SHAPE_IDLE,     // the same call when every thread sleeps
    SHAPE_COMPLETE, // queue a small kernel and wait for it
    SHAPE_EVENT,    // record an event on one stream, wait for it on another: the calls
    SHAPE_CHAIN,  // a small kernel on one stream, an event, a small kernel on another that waits for it: queue and wait
    SHAPE_FORK,   // fork into k small pieces and join them: queue and wait
    SHAPE_SERIAL, // k spins one after the other
    SHAPE_OVERLAP,      // k spins at the same time, on threads that are awake
    SHAPE_OVERLAP_IDLE, // the same when every thread sleeps
    SHAPE_THREADS,      // k threads that each queue many small kernels on a stream of their own, the last wait included
    SHAPE_COUNT
};

enum {
    BATCH = 32,            // small enough that libgomp puts every task off: it runs tasks inline beyond 64 a thread
    BATCHES = 15,          // of one sample, whose median counts
    PER_THREAD = 2000,     // launches of SHAPE_THREADS
    SPINS = 20000000,      // rounds of a spin: about 33 ms
    MAX_K = 16,            //
    IDLE_PAUSE_US = 250000 // after which every thread sleeps: clang's OpenMP looks for work 200 ms
};

// Who ran an OpenMP task.
enum kind {
    KIND_INSIDE,    // the call that made it, before it returned: the task was not deferred
    KIND_IN_WAIT,   // the thread that made it, when it waited
    KIND_ELSEWHERE, // another thread
    KIND_COUNT
};

struct peer {
    const char *name;
    // NULL: ready; else why it is left out.
    const char *(*open)(struct peer *peer);
    // Microseconds for one operation; a NAN where there is no such thing.
    double (*sample)(struct peer *peer, enum shape shape, int k);
    void (*close)(struct peer *peer);
    // OpenMP: which part of the tasks of one sample was run by whom. NULL elsewhere.
    void (*kinds)(struct peer *peer, enum shape shape, int k, double out_shares[KIND_COUNT]);
    const char *command; // OpenMP: how it is built
    void *state;
};

extern struct peer peer_rill;
extern struct peer peer_bare; // a futex, and threads of the C library
extern struct peer peer_gcc;  // OpenMP tasks
extern struct peer peer_clang;
extern struct peer peer_opencl;

double bench_now(void); // microseconds
double bench_median(double *values, int count);
// Runs body(0 … k - 1, user) on k threads that begin together; the time from there until the last has ended. Before
// that they sleep; those of the second look for the word to begin.
double bench_threads(int k, void (*body)(int index, void *user), void *user);
double bench_threads_awake(int k, void (*body)(int index, void *user), void *user);

// The work of a spin. The same text in every peer, and nothing that one compiler does better than another.
static inline uint32_t bench_spin(uint32_t x, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

#endif

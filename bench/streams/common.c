#include "peer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

struct team {
    pthread_barrier_t begin; // unless they look
    pthread_barrier_t end;
    bool looks;
    atomic_int come;
    atomic_bool may_begin;
    void (*body)(int index, void *user);
    void *user;
};

struct member {
    struct team *team;
    int index;
};

static void wait_to_begin(struct team *team)
{
    if (!team->looks) {
        pthread_barrier_wait(&team->begin);
        return;
    }
    atomic_fetch_add(&team->come, 1);
    while (!atomic_load(&team->may_begin)) {
        sched_yield(); // where there are fewer processors than threads
    }
}

static void *run_member(void *arg)
{
    struct member *member = arg;
    wait_to_begin(member->team);
    member->team->body(member->index, member->team->user);
    pthread_barrier_wait(&member->team->end);
    return NULL;
}

static double begin_team(struct team *team, int k)
{
    if (!team->looks) {
        double start = bench_now();
        pthread_barrier_wait(&team->begin);
        return start;
    }
    while (atomic_load(&team->come) < k) {
        usleep(50);
    }
    double start = bench_now();
    atomic_store(&team->may_begin, true);
    return start;
}

static double run_team(int k, void (*body)(int index, void *user), void *user, bool looks)
{
    struct team team = {.body = body, .user = user, .looks = looks};
    struct member members[MAX_K];
    pthread_t threads[MAX_K];
    pthread_barrier_init(&team.begin, NULL, (unsigned)k + 1);
    pthread_barrier_init(&team.end, NULL, (unsigned)k + 1);
    for (int i = 0; i < k; i++) {
        members[i] = (struct member){&team, i};
        if (pthread_create(&threads[i], NULL, run_member, &members[i]) != 0) {
            abort();
        }
    }
    double start = begin_team(&team, k);
    pthread_barrier_wait(&team.end);
    double spent = bench_now() - start;
    for (int i = 0; i < k; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&team.begin);
    pthread_barrier_destroy(&team.end);
    return spent;
}

double bench_threads(int k, void (*body)(int index, void *user), void *user)
{
    return run_team(k, body, user, false);
}

double bench_threads_awake(int k, void (*body)(int index, void *user), void *user)
{
    return run_team(k, body, user, true);
}

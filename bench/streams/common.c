#include "peer.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

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
    pthread_barrier_t begin;
    pthread_barrier_t end;
    void (*body)(int index, void *user);
    void *user;
};

struct member {
    struct team *team;
    int index;
};

static void *run_member(void *arg)
{
    struct member *member = arg;
    pthread_barrier_wait(&member->team->begin);
    member->team->body(member->index, member->team->user);
    pthread_barrier_wait(&member->team->end);
    return NULL;
}

double bench_threads(int k, void (*body)(int index, void *user), void *user)
{
    struct team team = {.body = body, .user = user};
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
    double start = bench_now();
    pthread_barrier_wait(&team.begin);
    pthread_barrier_wait(&team.end);
    double spent = bench_now() - start;
    for (int i = 0; i < k; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&team.begin);
    pthread_barrier_destroy(&team.end);
    return spent;
}

// OpenMP tasks, through a library that gcc or clang builds now.
#include "peer.h"
#include "tree.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef double sample_function(enum shape shape, int k);
typedef double share_function(enum shape shape, int k);

struct openmp {
    sample_function *sample;
    share_function *inline_share;
};

static const char *open_openmp(struct peer *peer)
{
    char path[] = "/tmp/rill-bench-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        return "no file in /tmp";
    }
    close(file);
    char command[2048];
    snprintf(command, sizeof command,
             "%s -O2 -std=gnu11 -fopenmp -shared -fPIC -I%s/bench/streams -o %s %s/bench/streams/openmp/tasks.c "
             "%s/bench/streams/common.c 2>/dev/null",
             peer->command, tree_root(), path, tree_root(), tree_root());
    void *library = system(command) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    if (library == NULL) {
        return "the compiler or its OpenMP library is not here";
    }
    struct openmp *openmp = calloc(1, sizeof *openmp);
    void *sample = dlsym(library, "openmp_sample");
    void *share = dlsym(library, "openmp_inline_share");
    if (openmp == NULL || sample == NULL || share == NULL) {
        free(openmp);
        return "its library does not have what it should";
    }
    memcpy(&openmp->sample, &sample, sizeof sample);
    memcpy(&openmp->inline_share, &share, sizeof share);
    peer->state = openmp; // the library stays: its threads do
    return NULL;
}

static void close_openmp(struct peer *peer)
{
    free(peer->state);
}

static double sample_openmp(struct peer *peer, enum shape shape, int k)
{
    struct openmp *openmp = peer->state;
    return openmp->sample(shape, k);
}

static void print_share(const struct openmp *openmp, const char *name, enum shape shape, int k)
{
    double share = openmp->inline_share(shape, k);
    if (share >= 0.005) {
        printf(", %s %.0f%%", name, 100 * share);
    }
}

// A task that the call which makes it runs itself is not put off: nothing is queued, and no launch compares with it.
static void print_note(struct peer *peer)
{
    struct openmp *openmp = peer->state;
    printf("%s: tasks that ran inside the call which made them, so were not put off: enqueue, threads awake %.0f%%",
           peer->name, 100 * openmp->inline_share(SHAPE_ENQUEUE, 1));
    print_share(openmp, "enqueue and wait", SHAPE_COMPLETE, 1);
    print_share(openmp, "kernel, event, kernel", SHAPE_CHAIN, 1);
    print_share(openmp, "fork/join of 2", SHAPE_FORK, 2);
    print_share(openmp, "of 4", SHAPE_FORK, 4);
    print_share(openmp, "of 8", SHAPE_FORK, 8);
    print_share(openmp, "1 thread", SHAPE_THREADS, 1);
    print_share(openmp, "2 threads", SHAPE_THREADS, 2);
    print_share(openmp, "4 threads", SHAPE_THREADS, 4);
    putchar('\n');
}

#define OPENMP(text, compiler)                                                                                         \
    {.name = text,                                                                                                     \
     .open = open_openmp,                                                                                              \
     .sample = sample_openmp,                                                                                          \
     .close = close_openmp,                                                                                            \
     .note = print_note,                                                                                               \
     .command = compiler}
struct peer peer_gcc = OPENMP("gcc omp", "gcc");
struct peer peer_clang = OPENMP("clang omp", "clang-22");

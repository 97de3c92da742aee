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
typedef void kinds_function(enum shape shape, int k, double out_shares[KIND_COUNT]);

struct openmp {
    sample_function *sample;
    kinds_function *kinds;
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
    void *kinds = dlsym(library, "openmp_kinds");
    if (openmp == NULL || sample == NULL || kinds == NULL) {
        free(openmp);
        return "its library does not have what it should";
    }
    memcpy(&openmp->sample, &sample, sizeof sample);
    memcpy(&openmp->kinds, &kinds, sizeof kinds);
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

static void find_kinds(struct peer *peer, enum shape shape, int k, double out_shares[KIND_COUNT])
{
    struct openmp *openmp = peer->state;
    openmp->kinds(shape, k, out_shares);
}

#define OPENMP(text, compiler)                                                                                         \
    {.name = text,                                                                                                     \
     .open = open_openmp,                                                                                              \
     .sample = sample_openmp,                                                                                          \
     .close = close_openmp,                                                                                            \
     .kinds = find_kinds,                                                                                              \
     .command = compiler}
struct peer peer_gcc = OPENMP("gcc omp", "gcc");
struct peer peer_clang = OPENMP("clang omp", "clang-22");

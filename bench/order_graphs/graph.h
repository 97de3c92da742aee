// Task graphs as lists: each task updates one tile from up to three others, which it reads. What follows what is what
// these say, in the sequence of the list.
#ifndef RILL_BENCH_ORDER_GRAPHS_GRAPH_H
#define RILL_BENCH_ORDER_GRAPHS_GRAPH_H

#include <stdint.h>

enum { GRAPH_COUNT = 10, GRAPH_STREAMS = 8, GRAPH_MAX_TILES = 512, GRAPH_MAX_TASKS = 4096 };

struct task {
    int reads[3]; // tiles; -1: none
    int write;    // the tile that it updates
    int stream;   // on which whoever orders by hand puts it
    int rounds;   // of work
};

struct graph {
    const char *name;
    struct task tasks[GRAPH_MAX_TASKS];
    int task_count;
    int tile_count;
};

// graphs.c: number 0 to GRAPH_COUNT - 1, with tasks of about so many rounds.
void graph_make(struct graph *graph, int number, int rounds);

// The work of a task, on one thread. The same text in every peer.
static inline void graph_work(int rounds, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *w)
{
    uint32_t x = (w[0] * 3 + a[0] + 5 * b[0] + 7 * c[0]) | 1;
    for (int i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    w[0] = x;
}

// What a task reads of a tile that it does not have.
static inline const uint32_t *graph_read(const uint32_t *const *tiles, const uint32_t *none, int tile)
{
    return tile >= 0 ? tiles[tile] : none;
}

// A peer is a library with one function: runs the graph and returns its makespan in microseconds, less than 0 if it
// cannot. |tiles| are one number each, in lines of their own.
typedef double graph_run(const struct graph *graph, uint32_t *const *tiles);

#endif

// The ten graphs, as their authors would write them down.
#include "graph.h"

#include <string.h>

static void add(struct graph *graph, int write, int a, int b, int c, int stream, int rounds)
{
    if (graph->task_count < GRAPH_MAX_TASKS) {
        graph->tasks[graph->task_count++] =
            (struct task){.reads = {a, b, c}, .write = write, .stream = stream % GRAPH_STREAMS, .rounds = rounds};
    }
}

// Tiles of the lower triangle of a matrix of 16 by 16.
static void cholesky(struct graph *graph, int rounds)
{
    enum { N = 16 };
    graph->name = "Cholesky, 16x16 tiles";
    graph->tile_count = N * N;
    for (int k = 0; k < N; k++) {
        add(graph, k * N + k, -1, -1, -1, k, rounds / 2);
        for (int i = k + 1; i < N; i++) {
            add(graph, i * N + k, k * N + k, -1, -1, i, rounds);
        }
        for (int i = k + 1; i < N; i++) {
            add(graph, i * N + i, i * N + k, -1, -1, i, rounds);
            for (int j = k + 1; j < i; j++) {
                add(graph, i * N + j, i * N + k, j * N + k, -1, i, 2 * rounds);
            }
        }
    }
}

// V cycles over four levels, the finest in eight parts: a part is smoothed from its neighbours of the sweep before.
static void multigrid(struct graph *graph, int rounds)
{
    enum { LEVELS = 4, PARTS = 8, CYCLES = 4 };
    graph->name = "multigrid";
    graph->tile_count = 2 * LEVELS * PARTS;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        for (int leg = 0; leg < 2 * LEVELS - 1; leg++) {
            int level = leg < LEVELS ? leg : 2 * LEVELS - 2 - leg;
            int parts = PARTS >> level;
            int grid = 2 * level * PARTS, other = grid + PARTS;
            for (int p = 0; p < parts; p++) {
                add(graph, other + p, grid + p, grid + (p + 1) % parts, grid + (p + parts - 1) % parts, p, rounds);
            }
            for (int p = 0; p < parts; p++) {
                add(graph, grid + p, other + p, other + (p + 1) % parts, other + (p + parts - 1) % parts, p, rounds);
            }
            if (leg < LEVELS - 1) { // to the coarser level: two parts become one
                for (int p = 0; p < parts / 2; p++) {
                    add(graph, grid + 2 * PARTS + p, grid + 2 * p, grid + 2 * p + 1, -1, p, rounds / 2);
                }
            } else if (level > 0) { // and back
                for (int p = 0; p < parts; p++) {
                    add(graph, grid - 2 * PARTS + 2 * p, grid + p, -1, -1, 2 * p, rounds / 2);
                    add(graph, grid - 2 * PARTS + 2 * p + 1, grid + p, -1, -1, 2 * p + 1, rounds / 2);
                }
            }
        }
    }
}

// Pictures that go through three stages, each on a stream; a stage has two buffers.
static void pipeline(struct graph *graph, int rounds)
{
    enum { PICTURES = 48 };
    graph->name = "image pipeline, 3 stages";
    graph->tile_count = 8;
    for (int i = 0; i < PICTURES; i++) {
        for (int stage = 0; stage < 3; stage++) {
            add(graph, 2 * stage + 2 + i % 2, 2 * stage + i % 2, -1, -1, stage, rounds + stage * rounds / 4);
        }
    }
}

static void wavefront(struct graph *graph, int rounds)
{
    enum { N = 16 };
    graph->name = "wavefront, 16x16";
    graph->tile_count = N * N;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            add(graph, i * N + j, i > 0 ? (i - 1) * N + j : -1, j > 0 ? i * N + j - 1 : -1, -1, i, rounds);
        }
    }
}

static void reduction(struct graph *graph, int rounds)
{
    enum { LEAVES = 128 };
    graph->name = "reduction tree, 128 leaves";
    graph->tile_count = LEAVES;
    for (int i = 0; i < LEAVES; i++) {
        add(graph, i, -1, -1, -1, i / (LEAVES / GRAPH_STREAMS), rounds);
    }
    for (int apart = 1; apart < LEAVES; apart *= 2) {
        for (int i = 0; i + apart < LEAVES; i += 2 * apart) {
            add(graph, i, i + apart, -1, -1, i / (LEAVES / GRAPH_STREAMS), rounds);
        }
    }
}

static void fork_and_join(struct graph *graph, int rounds)
{
    enum { PARTS = 8, TIMES = 12 };
    graph->name = "fork and join";
    graph->tile_count = PARTS + 1;
    for (int t = 0; t < TIMES; t++) {
        add(graph, PARTS, -1, -1, -1, 0, rounds / 4);
        for (int p = 0; p < PARTS; p++) {
            add(graph, p, PARTS, -1, -1, p, rounds);
        }
        for (int p = 0; p < PARTS; p += 2) {
            add(graph, PARTS, p, p + 1, -1, 0, rounds / 4);
        }
    }
}

// Domains whose borders are copied to their neighbours before each step.
static void halo(struct graph *graph, int rounds)
{
    enum { DOMAINS = 8, TIMES = 16 };
    graph->name = "halo exchange";
    graph->tile_count = 3 * DOMAINS;
    for (int t = 0; t < TIMES; t++) {
        for (int d = 0; d < DOMAINS; d++) {
            add(graph, DOMAINS + d, (d + 1) % DOMAINS, -1, -1, d, rounds / 8);
            add(graph, 2 * DOMAINS + d, (d + DOMAINS - 1) % DOMAINS, -1, -1, d, rounds / 8);
        }
        for (int d = 0; d < DOMAINS; d++) {
            add(graph, d, DOMAINS + d, 2 * DOMAINS + d, -1, d, rounds);
        }
    }
}

// Forces from neighbouring cells, then moves; every fourth step all are sorted, which needs every cell.
static void particles(struct graph *graph, int rounds)
{
    enum { CELLS = 8, TIMES = 12 };
    graph->name = "particles";
    graph->tile_count = 2 * CELLS + 1;
    for (int t = 0; t < TIMES; t++) {
        for (int c = 0; c < CELLS; c++) {
            add(graph, CELLS + c, c, (c + 1) % CELLS, (c + CELLS - 1) % CELLS, c, 2 * rounds);
        }
        for (int c = 0; c < CELLS; c++) {
            add(graph, c, CELLS + c, -1, -1, c, rounds / 2);
        }
        for (int c = 0; c < CELLS && t % 4 == 3; c++) {
            add(graph, 2 * CELLS, c, -1, -1, 0, rounds / 8);
        }
        for (int c = 0; c < CELLS && t % 4 == 3; c++) {
            add(graph, c, 2 * CELLS, -1, -1, c, rounds / 8);
        }
    }
}

// Four layers over time: a layer needs itself a step before, and the layer below it now.
static void rnn(struct graph *graph, int rounds)
{
    enum { LAYERS = 4, TIMES = 32 };
    graph->name = "RNN, 4 layers";
    graph->tile_count = 3 * LAYERS + 2;
    for (int t = 0; t < TIMES; t++) {
        for (int l = 0; l < LAYERS; l++) {
            int out = 2 * (l + 1) + t % 2, below = 2 * l + t % 2, before = 2 * (l + 1) + (t + 1) % 2;
            add(graph, out, below, before, -1, l, rounds);
        }
    }
}

static void random_tasks(struct graph *graph, int rounds)
{
    enum { TILES = 24, TASKS = 300 };
    uint64_t state = 12345;
    graph->name = "random";
    graph->tile_count = TILES;
    for (int i = 0; i < TASKS; i++) {
        int numbers[5];
        for (int k = 0; k < 5; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[k] = (int)(state >> 40);
        }
        int write = numbers[0] % TILES;
        int a = (write + 1 + numbers[1] % (TILES - 1)) % TILES, b = (write + 1 + numbers[2] % (TILES - 1)) % TILES;
        add(graph, write, a, numbers[3] % 2 == 0 ? b : -1, -1, write, rounds / 2 + numbers[4] % rounds);
    }
}

void graph_make(struct graph *graph, int number, int rounds)
{
    static void (*const makers[GRAPH_COUNT])(struct graph *, int) = {
        cholesky, multigrid, pipeline, wavefront, reduction, fork_and_join, halo, particles, rnn, random_tasks};
    memset(graph, 0, sizeof *graph);
    makers[number](graph, rounds);
}

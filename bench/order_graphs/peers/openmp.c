// A graph as OpenMP tasks with depend. Built while the benchmark runs; not part of the build.
#include "graph.h"

#include <omp.h>

__attribute__((visibility("default"))) graph_run openmp_run;

double openmp_run(const struct graph *graph, uint32_t *const *tiles)
{
    static const uint32_t none = 0;
    static uint32_t dummy[3]; // what a task depends on that reads less than three tiles
    double begin = 0, end = 0;
#pragma omp parallel
#pragma omp single
    {
        begin = omp_get_wtime();
        for (int i = 0; i < graph->task_count; i++) {
            const struct task *task = &graph->tasks[i];
            const uint32_t *r[3];
            for (int k = 0; k < 3; k++) {
                r[k] = task->reads[k] >= 0 ? tiles[task->reads[k]] : &none;
            }
            const uint32_t *da = task->reads[0] >= 0 ? r[0] : &dummy[0];
            const uint32_t *db = task->reads[1] >= 0 ? r[1] : &dummy[1];
            const uint32_t *dc = task->reads[2] >= 0 ? r[2] : &dummy[2];
            const uint32_t *a = r[0], *b = r[1], *c = r[2];
            uint32_t *w = tiles[task->write];
            int rounds = task->rounds;
#pragma omp task depend(in : da[0], db[0], dc[0]) depend(inout : w[0]) firstprivate(a, b, c, w, rounds)
            graph_work(rounds, a, b, c, w);
        }
#pragma omp taskwait
        end = omp_get_wtime();
    }
    return (end - begin) * 1e6;
}

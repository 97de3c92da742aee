// A graph as StarPU's tasks, whose order follows from the access modes of their data. Built while the benchmark runs,
// if StarPU is installed; not part of the build.
#include "graph.h"

#include <starpu.h>

__attribute__((visibility("default"))) graph_run starpu_run;

static const uint32_t none = 0;

struct given {
    int rounds;
    int count;
};

static void work(void *buffers[], void *arg)
{
    struct given given;
    starpu_codelet_unpack_args(arg, &given);
    const uint32_t *r[3] = {&none, &none, &none};
    for (int i = 0; i < given.count; i++) {
        r[i] = (const uint32_t *)STARPU_VARIABLE_GET_PTR(buffers[1 + i]);
    }
    graph_work(given.rounds, r[0], r[1], r[2], (uint32_t *)STARPU_VARIABLE_GET_PTR(buffers[0]));
}

static struct starpu_codelet codelet = {.cpu_funcs = {work}, .nbuffers = STARPU_VARIABLE_NBUFFERS};

// Where a task reads a tile beside one that is missing, the place of what it reads stays the same.
static int submit(const struct task *task, starpu_data_handle_t *handles, starpu_data_handle_t zero)
{
    struct starpu_data_descr data[4] = {{handles[task->write], STARPU_RW}};
    struct given given = {.rounds = task->rounds, .count = 0};
    for (int i = 0; i < 3; i++) {
        if (task->reads[i] >= 0) {
            while (given.count < i) {
                data[1 + given.count++] = (struct starpu_data_descr){zero, STARPU_R};
            }
            data[1 + given.count++] = (struct starpu_data_descr){handles[task->reads[i]], STARPU_R};
        }
    }
    return starpu_task_insert(&codelet, STARPU_DATA_MODE_ARRAY, data, 1 + given.count, STARPU_VALUE, &given,
                              sizeof given, 0);
}

double starpu_run(const struct graph *graph, uint32_t *const *tiles)
{
    static int is_open;
    static starpu_data_handle_t handles[GRAPH_MAX_TILES], zero;
    if (is_open == 0) {
        struct starpu_conf conf;
        starpu_conf_init(&conf);
        conf.ncuda = 0;
        conf.nopencl = 0;
        conf.sched_policy_name = "lws";
        is_open = starpu_init(&conf) == 0 ? 1 : -1;
    }
    if (is_open < 0) {
        return -1;
    }
    starpu_variable_data_register(&zero, STARPU_MAIN_RAM, (uintptr_t)&none, sizeof none);
    for (int i = 0; i < graph->tile_count; i++) {
        starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)tiles[i], sizeof(uint32_t));
    }
    double begin = starpu_timing_now();
    int failed = 0;
    for (int i = 0; i < graph->task_count; i++) {
        failed |= submit(&graph->tasks[i], handles, zero);
    }
    starpu_task_wait_for_all();
    double end = starpu_timing_now();
    for (int i = 0; i < graph->tile_count; i++) {
        starpu_data_unregister(handles[i]);
    }
    starpu_data_unregister(zero);
    return failed == 0 ? end - begin : -1;
}

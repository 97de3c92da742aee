#include "backend/gpu/graph.h"

#include "backend/gpu/instance.h"
#include "base/clock.h"
#include "base/status.h"

#include <assert.h>

// In the automatic mode the first launches of every so many are timed, first task by task, then as a graph; the cheaper
// way is then taken for the rest. Where several threads launch at once, that says little of one task: see choice.h.
enum {
    TASK_TRIES = 3, // also what is launched before a graph is made
    GRAPH_TRIES = 8,
    TRY_PERIOD = 4096,
};

// ---- choosing -----------------------------------------------------------------------------------------------------

static bool is_timed(const struct gpu_instance *instance)
{
    return instance->launch_count % TRY_PERIOD < TASK_TRIES + GRAPH_TRIES;
}

// Whether the device is told how long this launch took. Seldom while nobody else launches: then it is told only so that
// it finds out who does, and two looks at the clock are a part of what a launch costs.
static bool is_told(const struct backend_device *device, const struct gpu_instance *instance)
{
    bool is_alone = atomic_load_explicit(&device->choice.way, memory_order_relaxed) == CHOICE_OWN;
    return instance->node_count == 1 && instance->launch_count % (is_alone ? CHOICE_ALONE_EVERY : CHOICE_EVERY) == 0 &&
           device->graph_mode == BACKEND_GRAPH_AUTO && instance->exec != NULL;
}

// When a launch began; 0: nobody wants to know.
static uint64_t begin_time(const struct backend_stream *stream, const struct gpu_instance *instance)
{
    return is_timed(instance) || is_told(stream->device, instance) ? clock_now() : 0;
}

// After a launch, which began then.
static void end_time(struct backend_stream *stream, struct gpu_instance *instance, bool is_graph, uint64_t begin)
{
    if (begin != 0) {
        uint64_t now = clock_now();
        uint64_t *best = is_graph ? &instance->best_graph : &instance->best_tasks;
        if (is_timed(instance)) {
            *best = now - begin < *best ? now - begin : *best;
        }
        if (is_told(stream->device, instance)) {
            choice_tell(&stream->device->choice, (uintptr_t)pthread_self(), is_graph, now - begin, now);
        }
    }
    if (++instance->launch_count % TRY_PERIOD == 0) {
        gpu_instance_forget_times(instance);
    }
}

// By the mode, and in the automatic one by what the ways have cost the host.
static bool wants_graph(const struct backend_device *device, struct gpu_instance *instance)
{
    if (instance->is_refused || instance->has_conditions || device->graph_mode == BACKEND_GRAPH_ON) {
        return !instance->is_refused;
    }
    int way = atomic_load_explicit(&device->choice.way, memory_order_relaxed);
    if (way != CHOICE_OWN && instance->node_count == 1 && instance->exec != NULL) {
        return way == CHOICE_GRAPH;
    }
    unsigned own_count = atomic_load_explicit(&device->choice.own_count, memory_order_relaxed);
    if (way == CHOICE_OWN && instance->own_count != own_count) { // what was measured among many is forgotten
        instance->own_count = own_count;
        instance->launch_count = 0;
        gpu_instance_forget_times(instance);
    }
    uint64_t phase = instance->launch_count % TRY_PERIOD;
    return phase >= TASK_TRIES && (phase < TASK_TRIES + GRAPH_TRIES || instance->best_graph <= instance->best_tasks);
}

void gpu_graph_tell(struct backend_stream *stream, uint64_t nanoseconds)
{
    struct gpu_instance *instance = stream->told;
    assert(instance != NULL); // its launch was begun task by task
    instance->best_tasks = nanoseconds < instance->best_tasks ? nanoseconds : instance->best_tasks;
}

// Task by task: what has no branches needs no second walk.
static rill_status launch_tasks(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_recording *recording, const struct gpu_common *common,
                                bool *out_is_done)
{
    *out_is_done = instance != NULL ? instance->is_linear : gpu_recording_is_linear(recording);
    if (!*out_is_done) {
        stream->told = instance != NULL && is_timed(instance) ? instance : NULL;
        if (instance != NULL) {
            end_time(stream, instance, false, 0);
        }
        return RILL_OK;
    }
    uint64_t begin = instance != NULL ? begin_time(stream, instance) : 0;
    rill_status status = gpu_nodes_launch(stream, recording->nodes, recording->node_count, common);
    if (instance != NULL) {
        end_time(stream, instance, false, status == RILL_OK ? begin : 0);
    }
    return status;
}

// Sets the parameters and launches. Timed only until the cheaper way is known.
static rill_status set_and_launch(struct backend_stream *stream, struct gpu_instance *instance,
                                  const struct gpu_node *nodes, const struct gpu_common *common, bool is_same)
{
    uint64_t begin = begin_time(stream, instance);
    rill_status status = gpu_instance_update(stream, instance, nodes, common, is_same);
    status =
        status == RILL_OK ? driver_exec_launch(stream->device->driver, instance->exec, stream->lane.handle) : status;
    if (status != RILL_OK) { // and nothing is queued
        gpu_instance_refuse(stream, instance, common);
        return status;
    }
    stream->has_begun = true;
    end_time(stream, instance, true, begin);
    return RILL_OK;
}

static rill_status launch_graph(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_recording *recording, const struct gpu_common *common,
                                bool *out_is_done)
{
    bool is_same = gpu_instance_is_same(instance, common);
    if (set_and_launch(stream, instance, recording->nodes, common, is_same) != RILL_OK) {
        return launch_tasks(stream, instance, recording, common, out_is_done);
    }
    gpu_instance_remember(instance, recording, common);
    *out_is_done = true;
    return RILL_OK;
}

// ---- again --------------------------------------------------------------------------------------------------------

// Whether the sizes of all arrays are those of the last launch.
static bool sizes_alike(const struct gpu_instance *instance, const struct gpu_common *common)
{
    uint64_t change = 0;
    for (int i = 0; i < instance->param_count; i++) {
        change |= instance->array_sizes[i] ^ common->array_sizes[i];
    }
    return change == 0;
}

void gpu_tally_add(struct backend_stream *stream, const struct gpu_tally *tally)
{
    gpu_total(&stream->totals.task_count, tally->task_count);
    gpu_total(&stream->totals.parallel_count, tally->parallel_count);
    gpu_total(&stream->totals.whole_count, tally->whole_count);
    gpu_count_more(&stream->device->counters.in_order_count, tally->in_order_count);
    for (int i = 0; tally->region_count > 0 && i < BACKEND_REGION_WAY_COUNT; i++) {
        gpu_count_more(&stream->device->counters.region_counts[i], tally->region_counts[i]);
    }
}

// What the graph has set stays as it is.
static rill_status replay_tasks(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_common *common, bool *out_is_done)
{
    *out_is_done = instance->is_linear;
    if (!*out_is_done) {
        return RILL_OK;
    }
    uint64_t begin = begin_time(stream, instance);
    RILL_TRY(gpu_nodes_launch(stream, instance->nodes, instance->node_count, common));
    gpu_tally_add(stream, &instance->tally);
    end_time(stream, instance, false, begin);
    return RILL_OK;
}

static rill_status replay(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_common *common,
                          bool is_same, bool *out_is_done)
{
    if (!wants_graph(stream->device, instance)) {
        return replay_tasks(stream, instance, common, out_is_done);
    }
    *out_is_done = set_and_launch(stream, instance, instance->nodes, common, is_same) == RILL_OK;
    if (*out_is_done) {
        if (!is_same) {
            gpu_instance_remember_common(instance, common);
        }
        gpu_tally_add(stream, &instance->tally);
    }
    return RILL_OK;
}

rill_status gpu_graph_again(struct backend_stream *stream, const struct gpu_common *common, bool *out_is_done)
{
    assert(thread_latch_is_taken(&stream->order));
    for (struct gpu_instance **link = &stream->instances; *link != NULL; link = &(*link)->next) {
        struct gpu_instance *instance = *link;
        if (instance->image != common->image->number || instance->kernel != common->kernel || instance->exec == NULL ||
            !instance->is_recallable || !sizes_alike(instance, common)) {
            continue;
        }
        struct gpu_difference difference = gpu_instance_compare(instance, common);
        if (difference.deciding != 0) {
            continue;
        }
        if (link != &stream->instances) {
            *link = instance->next;
            instance->next = stream->instances;
            stream->instances = instance;
        }
        bool is_same = difference.any == 0 && instance->block == common->block && instance->frame == common->frame;
        return replay(stream, instance, common, is_same, out_is_done);
    }
    return RILL_OK;
}

// ---- any ----------------------------------------------------------------------------------------------------------

rill_status gpu_graph_replay(struct backend_stream *stream, const struct gpu_recording *recording,
                             const struct gpu_common *common, bool *out_is_done)
{
    *out_is_done = recording->node_count == 0;
    assert(thread_latch_is_taken(&stream->order) && !recording->is_over);
    if (*out_is_done) {
        return RILL_OK;
    }
    uint64_t shape = gpu_recording_shape(recording);
    struct gpu_instance *instance = gpu_instance_find(stream, recording, common, shape);
    instance = instance != NULL ? instance : gpu_instance_add(stream, recording, common, shape);
    if (instance == NULL || !wants_graph(stream->device, instance) ||
        !gpu_instance_make(stream, instance, recording, common)) {
        return launch_tasks(stream, instance, recording, common, out_is_done);
    }
    return launch_graph(stream, instance, recording, common, out_is_done);
}

void gpu_graph_finish(struct backend_stream *stream)
{
    while (stream->instances != NULL) {
        struct gpu_instance *instance = stream->instances;
        stream->instances = instance->next;
        gpu_instance_destroy(stream, instance);
    }
    gpu_free(stream->device, stream->recording, sizeof(struct gpu_recording));
    stream->recording = NULL;
}

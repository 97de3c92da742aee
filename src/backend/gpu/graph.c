#include "backend/gpu/graph.h"

#include "base/clock.h"
#include "base/status.h"

#include <string.h>

// In the automatic mode the first launches of every so many are timed, first task by task, then as a graph; the cheaper
// way is then taken for the rest. Where several threads launch at once, that says little of one task: see choice.h.
enum {
    TASK_TRIES = 3, // also what is launched before a graph is made
    GRAPH_TRIES = 8,
    TRY_PERIOD = 4096,
};

struct gpu_instance {
    // What each launch looks at, side by side.
    struct gpu_instance *next;
    uint64_t image;
    int kernel;
    int node_count;
    void *exec;          // owned; NULL: not made yet
    bool is_recallable;  // the nodes follow from the arguments that decide, and from nothing else
    bool is_refused;     // the driver made no graph of it
    bool has_conditions; //
    bool is_linear;      // one node behind the other: without the graph they are as many launches
    unsigned own_count;  // of the device's choice when |best_graph| and |best_tasks| were begun
    int param_count;
    size_t args_size;
    unsigned char *args;     // of the last launch, as it is set
    const uint64_t *decides; // for each word of |args|: the bits that decide what the plan does
    uint64_t *array_sizes;   // of the last launch
    struct gpu_node *nodes;  // with the parameters that are set
    void **handles;          // the driver's nodes
    uint64_t block;          //
    uint64_t frame;          //
    uint64_t launch_count;   //
    uint64_t best_graph;     // nanoseconds
    uint64_t best_tasks;     //
    struct gpu_tally tally;  //
    uint64_t *conditions;    // of conditional nodes: what kernels set
    void **bodies;           // of conditional nodes: the driver's graphs, parts of |graph|
    void *graph;             // owned: the nodes live in it
    uint64_t shape;          // a hash of functions and edges
    size_t size;             // of this memory
};

// ---- recording ----------------------------------------------------------------------------------------------------

void gpu_record(struct gpu_recording *recording, struct gpu_front *front, const struct gpu_node *node)
{
    if (recording->node_count == GRAPH_MAX_NODES || recording->edge_count + front->count > GRAPH_MAX_EDGES) {
        recording->is_over = true;
        return;
    }
    struct gpu_node *added = &recording->nodes[recording->node_count];
    *added = *node;
    added->first_edge = recording->edge_count;
    added->edge_count = front->count;
    memcpy(recording->edges + recording->edge_count, front->nodes, (size_t)front->count * sizeof *front->nodes);
    recording->edge_count += front->count;
    front->nodes[0] = recording->node_count++;
    front->count = 1;
}

void gpu_front_join(struct gpu_recording *recording, struct gpu_front *front, const struct gpu_front *more)
{
    for (int i = 0; i < more->count; i++) {
        bool has_it = false;
        for (int k = 0; k < front->count; k++) {
            has_it |= front->nodes[k] == more->nodes[i];
        }
        if (has_it) {
            continue;
        }
        if (front->count == GRAPH_MAX_FRONT) {
            recording->is_over = true;
            return;
        }
        front->nodes[front->count++] = more->nodes[i];
    }
}

// ---- instances ----------------------------------------------------------------------------------------------------

// A word at a time: a launch asks for it, and a hash by bytes would cost more than what it looks up.
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t shape_of(const struct gpu_recording *recording)
{
    uint64_t hash = (uint64_t)recording->node_count;
    for (int i = 0; i < recording->node_count; i++) {
        const struct gpu_node *node = &recording->nodes[i];
        hash = mix(hash, (uint64_t)(uintptr_t)node->function);
        hash = mix(hash, (uint64_t)node->kind << 32 | (uint64_t)(uint32_t)node->parent);
        hash = mix(hash, (uint64_t)(uint32_t)node->sets[0] << 32 | (uint64_t)(uint32_t)node->sets[1]);
        for (int k = 0; k < node->edge_count; k++) {
            hash = mix(hash, (uint64_t)recording->edges[node->first_edge + k]);
        }
        hash = mix(hash, (uint64_t)node->edge_count);
    }
    return hash;
}

static void instance_destroy(struct backend_stream *stream, struct gpu_instance *instance)
{
    struct backend_device *device = stream->device;
    if (instance->exec != NULL) {
        device->driver->exec_destroy(instance->exec);
    }
    if (instance->graph != NULL) {
        device->driver->graph_destroy(instance->graph);
    }
    gpu_free(device, instance, instance->size);
}

static bool is_linear(const struct gpu_recording *recording)
{
    if (recording->has_conditions) {
        return false;
    }
    for (int i = 1; i < recording->node_count; i++) {
        const struct gpu_node *node = &recording->nodes[i];
        if (node->edge_count != 1 || recording->edges[node->first_edge] != i - 1) {
            return false;
        }
    }
    return true;
}

// Takes the instance to the front of the list; the last of too many goes.
static struct gpu_instance *find(struct backend_stream *stream, const struct gpu_recording *recording,
                                 const struct gpu_common *common, uint64_t shape)
{
    int count = 0;
    for (struct gpu_instance **link = &stream->instances; *link != NULL; link = &(*link)->next) {
        struct gpu_instance *instance = *link;
        if (instance->image == common->image->number && instance->kernel == common->kernel &&
            instance->shape == shape && instance->node_count == recording->node_count) {
            *link = instance->next;
            instance->next = stream->instances;
            stream->instances = instance;
            return instance;
        }
        if (++count >= GRAPH_MAX_INSTANCES && instance->next == NULL) {
            *link = NULL;
            instance_destroy(stream, instance);
            return NULL;
        }
    }
    return NULL;
}

static void forget_times(struct gpu_instance *instance)
{
    instance->best_graph = UINT64_MAX;
    instance->best_tasks = UINT64_MAX;
}

static struct gpu_instance *add(struct backend_stream *stream, const struct gpu_recording *recording,
                                const struct gpu_common *common, uint64_t shape)
{
    size_t count = (size_t)recording->node_count;
    size_t param_count = (size_t)common->image->plan->kernels[common->kernel]->param_count;
    size_t word_count = (common->args_size + 7) / 8;
    size_t size = sizeof(struct gpu_instance) +
                  count * (2 * sizeof(void *) + sizeof(uint64_t) + sizeof(struct gpu_node)) +
                  (param_count + 2 * word_count) * sizeof(uint64_t);
    struct gpu_instance *instance = gpu_alloc(stream->device, size);
    if (instance == NULL) {
        return NULL;
    }
    instance->size = size;
    instance->image = common->image->number;
    instance->kernel = common->kernel;
    instance->shape = shape;
    instance->node_count = recording->node_count;
    instance->is_linear = is_linear(recording);
    instance->own_count = atomic_load_explicit(&stream->device->choice.own_count, memory_order_relaxed);
    forget_times(instance);
    instance->nodes = (struct gpu_node *)(instance + 1);
    instance->handles = (void **)(instance->nodes + count);
    instance->bodies = instance->handles + count;
    instance->conditions = (uint64_t *)(instance->bodies + count);
    instance->has_conditions = recording->has_conditions;
    instance->array_sizes = instance->conditions + count;
    instance->param_count = (int)param_count;
    uint64_t *decides = instance->array_sizes + param_count;
    instance->args = (unsigned char *)(decides + word_count);
    instance->args_size = common->args_size;
    const struct gpu_kernel *kernel = &common->image->kernels[common->kernel];
    for (int i = 0; i < kernel->deciding_count; i++) {
        memset((char *)decides + kernel->deciding[i].offset, 0xff, kernel->deciding[i].size);
    }
    instance->decides = decides;
    instance->next = stream->instances;
    stream->instances = instance;
    return instance;
}

// ---- the driver's graph -------------------------------------------------------------------------------------------

struct call_params {
    uint64_t none; // in place of arguments
    void *params[6];
    struct gpu_kernel_call call;
};

// |conditions| are the instance's; NULL where there are none.
static void fill_call(struct call_params *out, const struct gpu_node *node, const struct gpu_common *common,
                      const uint64_t *conditions)
{
    out->none = 0;
    out->params[0] = (void *)(uintptr_t)(common->args_size > 0 ? common->args : &out->none);
    out->params[1] = (void *)(uintptr_t)&common->block;
    out->params[2] = (void *)(uintptr_t)&node->count;
    out->params[3] = (void *)(uintptr_t)&node->chunk;
    out->params[4] = (void *)(uintptr_t)&node->partials;
    out->params[5] = (void *)(uintptr_t)&common->frame;
    if (node->sets[0] > 0) {
        out->params[2] = (void *)(uintptr_t)&conditions[node->sets[0] - 1];
        out->params[4] = (void *)(uintptr_t)(node->sets[1] > 0 ? &conditions[node->sets[1] - 1] : &out->none);
    }
    out->call = (struct gpu_kernel_call){
        .function = node->function, .grid = node->grid, .block = node->block, .params = out->params};
}

// Handles for the conditional nodes of one graph: kernels in it are told them before the nodes are there.
static rill_status make_handles(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_recording *recording, int parent)
{
    const struct backend_device *device = stream->device;
    void *graph = parent > 0 ? instance->bodies[parent - 1] : instance->graph;
    for (int i = 0; recording->has_conditions && i < recording->node_count; i++) {
        const struct gpu_node *node = &recording->nodes[i];
        if (node->kind != GPU_NODE_KERNEL && node->parent == parent) {
            bool is_loop = node->kind == GPU_NODE_LOOP; // which begins with its body
            RILL_TRY(device->driver->graph_handle(device->context, graph, is_loop, &instance->conditions[i]));
        }
    }
    return RILL_OK;
}

static rill_status build_node(struct backend_stream *stream, struct gpu_instance *instance,
                              const struct gpu_recording *recording, const struct gpu_common *common, int index)
{
    const struct backend_device *device = stream->device;
    const struct gpu_node *node = &recording->nodes[index];
    void *graph = node->parent > 0 ? instance->bodies[node->parent - 1] : instance->graph;
    void *after[GRAPH_MAX_FRONT];
    for (int k = 0; k < node->edge_count; k++) {
        after[k] = instance->handles[recording->edges[node->first_edge + k]];
    }
    if (node->kind == GPU_NODE_KERNEL) {
        struct call_params params;
        fill_call(&params, node, common, instance->conditions);
        return device->driver->graph_add(graph, &params.call, after, (size_t)node->edge_count,
                                         &instance->handles[index]);
    }
    struct gpu_condition condition = {.context = device->context,
                                      .graph = graph,
                                      .handle = instance->conditions[index],
                                      .is_loop = node->kind == GPU_NODE_LOOP,
                                      .after = after,
                                      .after_count = (size_t)node->edge_count};
    RILL_TRY(device->driver->graph_condition(&condition, &instance->handles[index], &instance->bodies[index]));
    return make_handles(stream, instance, recording, index + 1);
}

static rill_status build(struct backend_stream *stream, struct gpu_instance *instance,
                         const struct gpu_recording *recording, const struct gpu_common *common)
{
    const struct gpu_driver *driver = stream->device->driver;
    RILL_TRY(driver->graph_create(&instance->graph));
    RILL_TRY(make_handles(stream, instance, recording, 0));
    for (int i = 0; i < recording->node_count; i++) {
        RILL_TRY(build_node(stream, instance, recording, common, i));
    }
    return driver->graph_instantiate(instance->graph, &instance->exec);
}

static bool is_node_same(const struct gpu_node *a, const struct gpu_node *b)
{
    return a->grid == b->grid && a->block == b->block && a->count == b->count && a->chunk == b->chunk &&
           a->partials == b->partials;
}

static void remember_common(struct gpu_instance *instance, const struct gpu_common *common)
{
    if (common->args_size > 0) {
        memcpy(instance->args, common->args, common->args_size);
    }
    instance->block = common->block;
    instance->frame = common->frame;
}

static void remember(struct gpu_instance *instance, const struct gpu_recording *recording,
                     const struct gpu_common *common)
{
    const struct plan_kernel *plan = common->image->plan->kernels[common->kernel];
    memcpy(instance->nodes, recording->nodes, (size_t)recording->node_count * sizeof *recording->nodes);
    if (plan->param_count > 0) {
        memcpy(instance->array_sizes, common->array_sizes, (size_t)plan->param_count * sizeof(uint64_t));
    }
    remember_common(instance, common);
    instance->tally = recording->tally;
    instance->is_recallable = !recording->is_noted && plan->return_ctype == NULL;
}

// How the arguments differ from those of the last launch.
struct gpu_difference {
    uint64_t any;      // bits that differ somewhere
    uint64_t deciding; // of those the ones that decide
};

// Word by word: there are few, and one look does for both questions.
static struct gpu_difference compare_args(const struct gpu_instance *instance, const struct gpu_common *common)
{
    struct gpu_difference found = {0, 0};
    const unsigned char *new_args = common->args;
    size_t whole = common->args_size / 8;
    for (size_t i = 0; i < whole; i++) {
        uint64_t a;
        uint64_t b;
        memcpy(&a, instance->args + 8 * i, sizeof a);
        memcpy(&b, new_args + 8 * i, sizeof b);
        found.any |= a ^ b;
        found.deciding |= (a ^ b) & instance->decides[i];
    }
    for (size_t i = 8 * whole; i < common->args_size; i++) {
        uint64_t change = instance->args[i] ^ new_args[i];
        found.any |= change;
        found.deciding |= change & ((const unsigned char *)instance->decides)[i];
    }
    return found;
}

static bool is_common_same(const struct gpu_instance *instance, const struct gpu_common *common)
{
    return instance->block == common->block && instance->frame == common->frame &&
           compare_args(instance, common).any == 0;
}

// Sets what differs from the last launch; |is_same|: not what all nodes share. After a failure nothing is known of what
// is set.
static rill_status update(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_node *nodes,
                          const struct gpu_common *common, bool is_same)
{
    for (int i = 0; i < instance->node_count; i++) {
        const struct gpu_node *node = &nodes[i];
        if (node->kind != GPU_NODE_KERNEL) {
            continue;
        }
        if (is_same && (node == &instance->nodes[i] || is_node_same(node, &instance->nodes[i]))) {
            continue;
        }
        struct call_params params;
        fill_call(&params, node, common, instance->conditions);
        RILL_TRY(stream->device->driver->exec_set(instance->exec, instance->handles[i], &params.call));
    }
    return RILL_OK;
}

// The driver does not do it; task by task it may.
static void refuse(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_common *common)
{
    instance->is_refused = true;
    backend_log(&stream->device->host, BACKEND_LOG_NOTE, "kernel '%s' is launched task by task: %s",
                common->image->plan->kernels[common->kernel]->name, rill_message());
}

// Makes the graph if there is none. False: there is none and will be none.
static bool make(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_recording *recording,
                 const struct gpu_common *common)
{
    if (instance->exec != NULL) {
        return true;
    }
    if (build(stream, instance, recording, common) != RILL_OK) {
        refuse(stream, instance, common);
        return false;
    }
    remember(instance, recording, common);
    return true;
}

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
           device->graph_mode == GPU_GRAPH_AUTO && instance->exec != NULL;
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
        forget_times(instance);
    }
}

// By the mode, and in the automatic one by what the ways have cost the host.
static bool wants_graph(const struct backend_device *device, struct gpu_instance *instance)
{
    if (instance->is_refused || instance->has_conditions || device->graph_mode == GPU_GRAPH_ON) {
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
        forget_times(instance);
    }
    uint64_t phase = instance->launch_count % TRY_PERIOD;
    return phase >= TASK_TRIES && (phase < TASK_TRIES + GRAPH_TRIES || instance->best_graph <= instance->best_tasks);
}

void gpu_graph_tell(struct backend_stream *stream, uint64_t nanoseconds)
{
    struct gpu_instance *instance = stream->told;
    instance->best_tasks = nanoseconds < instance->best_tasks ? nanoseconds : instance->best_tasks;
}

static rill_status launch_linear(struct backend_stream *stream, const struct gpu_node *nodes, int count,
                                 const struct gpu_common *common)
{
    for (int i = 0; i < count; i++) {
        struct call_params params;
        fill_call(&params, &nodes[i], common, NULL);
        RILL_TRY(stream->device->driver->launch(stream->lane.handle, &params.call));
    }
    return RILL_OK;
}

// Task by task: what has no branches needs no second walk.
static rill_status launch_tasks(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_recording *recording, const struct gpu_common *common,
                                bool *out_is_done)
{
    *out_is_done = instance != NULL ? instance->is_linear : is_linear(recording);
    if (!*out_is_done) {
        stream->told = instance != NULL && is_timed(instance) ? instance : NULL;
        if (instance != NULL) {
            end_time(stream, instance, false, 0);
        }
        return RILL_OK;
    }
    uint64_t begin = instance != NULL ? begin_time(stream, instance) : 0;
    rill_status status = launch_linear(stream, recording->nodes, recording->node_count, common);
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
    rill_status status = update(stream, instance, nodes, common, is_same);
    status = status == RILL_OK ? stream->device->driver->exec_launch(instance->exec, stream->lane.handle) : status;
    if (status != RILL_OK) { // and nothing is queued
        refuse(stream, instance, common);
        return status;
    }
    end_time(stream, instance, true, begin);
    return RILL_OK;
}

static rill_status launch_graph(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_recording *recording, const struct gpu_common *common,
                                bool *out_is_done)
{
    bool is_same = is_common_same(instance, common);
    if (set_and_launch(stream, instance, recording->nodes, common, is_same) != RILL_OK) {
        return launch_tasks(stream, instance, recording, common, out_is_done);
    }
    remember(instance, recording, common);
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

static void add_tally(struct backend_stream *stream, const struct gpu_tally *tally)
{
    gpu_total(&stream->totals.task_count, tally->task_count);
    gpu_total(&stream->totals.parallel_count, tally->parallel_count);
    gpu_total(&stream->totals.whole_count, tally->whole_count);
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
    RILL_TRY(launch_linear(stream, instance->nodes, instance->node_count, common));
    add_tally(stream, &instance->tally);
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
            remember_common(instance, common);
        }
        add_tally(stream, &instance->tally);
    }
    return RILL_OK;
}

rill_status gpu_graph_again(struct backend_stream *stream, const struct gpu_common *common, bool *out_is_done)
{
    for (struct gpu_instance **link = &stream->instances; *link != NULL; link = &(*link)->next) {
        struct gpu_instance *instance = *link;
        if (instance->image != common->image->number || instance->kernel != common->kernel || instance->exec == NULL ||
            !instance->is_recallable || !sizes_alike(instance, common)) {
            continue;
        }
        struct gpu_difference difference = compare_args(instance, common);
        if (difference.deciding != 0) {
            continue;
        }
        *link = instance->next;
        instance->next = stream->instances;
        stream->instances = instance;
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
    if (*out_is_done) {
        return RILL_OK;
    }
    uint64_t shape = shape_of(recording);
    struct gpu_instance *instance = find(stream, recording, common, shape);
    instance = instance != NULL ? instance : add(stream, recording, common, shape);
    if (instance == NULL || !wants_graph(stream->device, instance) || !make(stream, instance, recording, common)) {
        return launch_tasks(stream, instance, recording, common, out_is_done);
    }
    return launch_graph(stream, instance, recording, common, out_is_done);
}

void gpu_graph_finish(struct backend_stream *stream)
{
    while (stream->instances != NULL) {
        struct gpu_instance *instance = stream->instances;
        stream->instances = instance->next;
        instance_destroy(stream, instance);
    }
    gpu_free(stream->device, stream->recording, sizeof(struct gpu_recording));
    stream->recording = NULL;
}

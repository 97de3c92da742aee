// Instances: found and made, and what is set in the driver's graph.
#include "backend/gpu/instance.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

// ---- instances ----------------------------------------------------------------------------------------------------

// A word at a time: a launch asks for it, and a hash by bytes would cost more than what it looks up.
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t gpu_recording_shape(const struct gpu_recording *recording)
{
    uint64_t hash = (uint64_t)recording->node_count;
    for (int i = 0; i < recording->node_count; i++) {
        const struct gpu_node *node = &recording->nodes[i];
        hash = mix(hash, (uint64_t)(uintptr_t)node->function);
        hash = mix(hash, (uint64_t)node->kind << 32 | (uint64_t)(uint32_t)node->parent);
        hash = mix(hash, (uint64_t)node->meets);
        hash = mix(hash, (uint64_t)(uint32_t)node->sets[0] << 32 | (uint64_t)(uint32_t)node->sets[1]);
        for (int k = 0; k < node->edge_count; k++) {
            hash = mix(hash, (uint64_t)recording->edges[node->first_edge + k]);
        }
        hash = mix(hash, (uint64_t)node->edge_count);
    }
    return hash;
}

void gpu_instance_destroy(struct backend_stream *stream, struct gpu_instance *instance)
{
    struct backend_device *device = stream->device;
    if (instance->exec != NULL) {
        driver_exec_destroy(device->driver, instance->exec);
    }
    if (instance->graph != NULL) {
        driver_graph_destroy(device->driver, instance->graph);
    }
    gpu_free(device, instance, instance->size);
}

bool gpu_recording_is_linear(const struct gpu_recording *recording)
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

struct gpu_instance *gpu_instance_find(struct backend_stream *stream, const struct gpu_recording *recording,
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
            gpu_instance_destroy(stream, instance);
            return NULL;
        }
    }
    return NULL;
}

void gpu_instance_forget_times(struct gpu_instance *instance)
{
    instance->best_graph = UINT64_MAX;
    instance->best_tasks = UINT64_MAX;
}

struct gpu_instance *gpu_instance_add(struct backend_stream *stream, const struct gpu_recording *recording,
                                      const struct gpu_common *common, uint64_t shape)
{
    size_t count = (size_t)recording->node_count;
    assert(count > 0 && !recording->is_over);
    size_t param_count = (size_t)common->image->plan->kernels[common->kernel]->param_count;
    size_t word_count = (common->args_size + 7) / 8;
    size_t size = sizeof(struct gpu_instance) +
                  count * (2 * sizeof(void *) + sizeof(uint64_t) + sizeof(struct gpu_node)) +
                  (param_count + 2 * word_count) * sizeof(uint64_t) +
                  GRAPH_CACHE_LINE; // what lies behind it in memory may be another stream's
    struct gpu_instance *instance = gpu_alloc(stream->device, size);
    if (instance == NULL) {
        return NULL;
    }
    instance->size = size;
    instance->image = common->image->number;
    instance->kernel = common->kernel;
    instance->shape = shape;
    instance->node_count = recording->node_count;
    instance->is_linear = gpu_recording_is_linear(recording);
    instance->own_count = atomic_load_explicit(&stream->device->choice.own_count, memory_order_relaxed);
    gpu_instance_forget_times(instance);
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

void gpu_call_fill(struct gpu_call_params *out, const struct gpu_node *node, const struct gpu_common *common,
                   const uint64_t *conditions)
{
    assert(node->kind == GPU_NODE_KERNEL && (node->sets[0] == 0 || conditions != NULL));
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
    out->call = (struct gpu_kernel_call){.function = node->function,
                                         .grid = node->grid,
                                         .block = node->block,
                                         .params = out->params,
                                         .meets = node->meets};
}

// The same in a row. The code takes its arguments in whole words, and one word where there are none.
static void fill_row(struct gpu_call_params *out, const struct gpu_node *node, const struct gpu_common *common)
{
    size_t words = common->args_size > 0 ? (common->args_size + 7) / 8 : 1;
    assert(words + 5 <= GPU_ROW_WORDS);
    out->row[words - 1] = 0;
    if (common->args_size > 0) {
        memcpy(out->row, common->args, common->args_size);
    }
    out->row[words] = common->block;
    out->row[words + 1] = (uint64_t)node->count;
    out->row[words + 2] = (uint64_t)node->chunk;
    out->row[words + 3] = node->partials;
    out->row[words + 4] = common->frame;
    out->call = (struct gpu_kernel_call){.function = node->function,
                                         .grid = node->grid,
                                         .block = node->block,
                                         .row = out->row,
                                         .row_size = (words + 5) * sizeof(uint64_t)};
}

void gpu_call_fill_short(struct gpu_call_params *out, const struct backend_device *device, const struct gpu_node *node,
                         const struct gpu_common *common, const uint64_t *conditions)
{
    if (device->properties.takes_rows && common->args_size <= GPU_ROW_ARGS_SIZE && node->has_args) {
        fill_row(out, node, common);
    } else {
        gpu_call_fill(out, node, common, conditions);
    }
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
    assert(node->edge_count <= GRAPH_MAX_FRONT && node->parent <= index); // a body comes behind its node
    for (int k = 0; k < node->edge_count; k++) {
        after[k] = instance->handles[recording->edges[node->first_edge + k]];
    }
    if (node->kind == GPU_NODE_KERNEL) {
        struct gpu_call_params params;
        gpu_call_fill(&params, node, common, instance->conditions);
        return driver_graph_add(device->driver, graph, &params.call, after, (size_t)node->edge_count,
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
    RILL_TRY(driver_graph_create(driver, &instance->graph));
    RILL_TRY(make_handles(stream, instance, recording, 0));
    for (int i = 0; i < recording->node_count; i++) {
        RILL_TRY(build_node(stream, instance, recording, common, i));
    }
    return driver_graph_instantiate(driver, instance->graph, &instance->exec);
}

static bool is_node_same(const struct gpu_node *a, const struct gpu_node *b)
{
    return a->grid == b->grid && a->block == b->block && a->count == b->count && a->chunk == b->chunk &&
           a->partials == b->partials;
}

void gpu_instance_remember_common(struct gpu_instance *instance, const struct gpu_common *common)
{
    if (common->args_size > 0) {
        memcpy(instance->args, common->args, common->args_size);
    }
    instance->block = common->block;
    instance->frame = common->frame;
}

void gpu_instance_remember(struct gpu_instance *instance, const struct gpu_recording *recording,
                           const struct gpu_common *common)
{
    const struct plan_kernel *plan = common->image->plan->kernels[common->kernel];
    memcpy(instance->nodes, recording->nodes, (size_t)recording->node_count * sizeof *recording->nodes);
    if (plan->param_count > 0) {
        memcpy(instance->array_sizes, common->array_sizes, (size_t)plan->param_count * sizeof(uint64_t));
    }
    gpu_instance_remember_common(instance, common);
    instance->tally = recording->tally;
    instance->is_recallable = !recording->is_noted && plan->return_ctype == NULL;
}

// Word by word: there are few, and one look does for both questions.
struct gpu_difference gpu_instance_compare(const struct gpu_instance *instance, const struct gpu_common *common)
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

bool gpu_instance_is_same(const struct gpu_instance *instance, const struct gpu_common *common)
{
    return instance->block == common->block && instance->frame == common->frame &&
           gpu_instance_compare(instance, common).any == 0;
}

rill_status gpu_instance_update(struct backend_stream *stream, struct gpu_instance *instance,
                                const struct gpu_node *nodes, const struct gpu_common *common, bool is_same)
{
    for (int i = 0; i < instance->node_count; i++) {
        const struct gpu_node *node = &nodes[i];
        if (node->kind != GPU_NODE_KERNEL) {
            continue;
        }
        if (is_same && (node == &instance->nodes[i] || is_node_same(node, &instance->nodes[i]))) {
            continue;
        }
        struct gpu_call_params params;
        gpu_call_fill_short(&params, stream->device, node, common, instance->conditions);
        RILL_TRY(driver_exec_set(stream->device->driver, instance->exec, instance->handles[i], &params.call));
    }
    return RILL_OK;
}

void gpu_instance_refuse(struct backend_stream *stream, struct gpu_instance *instance, const struct gpu_common *common)
{
    instance->is_refused = true;
    backend_log(&stream->device->host, BACKEND_LOG_NOTE, "kernel '%s' is launched task by task: %s",
                common->image->plan->kernels[common->kernel]->name, rill_message());
}

bool gpu_instance_make(struct backend_stream *stream, struct gpu_instance *instance,
                       const struct gpu_recording *recording, const struct gpu_common *common)
{
    if (instance->exec != NULL) {
        return true;
    }
    if (build(stream, instance, recording, common) != RILL_OK) {
        gpu_instance_refuse(stream, instance, common);
        return false;
    }
    gpu_instance_remember(instance, recording, common);
    return true;
}

rill_status gpu_nodes_launch(struct backend_stream *stream, const struct gpu_node *nodes, int count,
                             const struct gpu_common *common)
{
    for (int i = 0; i < count; i++) {
        struct gpu_call_params params;
        gpu_call_fill(&params, &nodes[i], common, NULL);
        RILL_TRY(driver_launch(stream->device->driver, stream->lane.handle, &params.call));
        stream->has_begun = true;
    }
    return RILL_OK;
}

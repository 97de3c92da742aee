// Batches: the parts of a step as one executable graph. Each part is recorded as a launch of its own would be, its
// nodes follow the last ones of the parts that it follows, and the graph is launched again with the parameters of those
// parts set that have changed. Parts that would have to come back to the host (a failure record, printed text, memory
// of the host that is not pinned) make the whole batch one that is queued part by part.
//
// Launch blocks and partial records lie in memory of the batch. It is used again by each launch, which follow each
// other on one stream; the blocks are cleared by the graph's first node.
#include "backend/gpu/batch.h"

#include "backend/gpu/defer.h"
#include "backend/gpu/memory.h"
#include "base/status.h"

#include <assert.h>
#include <string.h>

enum { BLOCK_ALIGN = 64, CHUNK_SIZE = 64 << 10, MAX_COPY = 1 << 30 };

// ---- memory -------------------------------------------------------------------------------------------------------

static uint64_t round_up(uint64_t size)
{
    return (size + BLOCK_ALIGN - 1) / BLOCK_ALIGN * BLOCK_ALIGN;
}

static rill_status no_memory(void)
{
    return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
}

static rill_status chunk_create(struct backend_batch *batch, uint64_t size)
{
    struct backend_device *device = batch->device;
    struct batch_chunk *chunk = gpu_alloc(device, sizeof *chunk);
    if (chunk == NULL) {
        return no_memory();
    }
    chunk->size = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    rill_status status = gpu_memory_take(device, device->service, chunk->size, &chunk->address);
    if (status == RILL_OK) { // it must be there at once
        status = driver_stream_synchronize(device->driver, device->service);
        if (status != RILL_OK) {
            gpu_memory_give(device, device->service, chunk->address, chunk->size);
        }
    }
    if (status != RILL_OK) {
        gpu_free(device, chunk, sizeof *chunk);
        return status;
    }
    chunk->next = batch->chunks;
    batch->chunks = chunk;
    return RILL_OK;
}

static rill_status take(struct backend_batch *batch, uint64_t wanted, uint64_t *out_address)
{
    uint64_t size = round_up(wanted);
    struct batch_chunk *chunk = batch->chunks;
    while (chunk != NULL && chunk->size - chunk->used < size) {
        chunk = chunk->next;
    }
    if (chunk == NULL) {
        RILL_TRY(chunk_create(batch, size));
        chunk = batch->chunks;
    }
    *out_address = chunk->address + chunk->used;
    chunk->used += size;
    return RILL_OK;
}

// A part that is recorded again asks for the same pieces once more, or for larger ones.
rill_status gpu_batch_take(struct gpu_run *run, size_t size, uint64_t *out_address)
{
    struct gpu_batch_item *item = run->batch;
    if (item->piece_used == GPU_BATCH_PIECES) {
        run->recording->is_over = true;
        return RILL_OK;
    }
    struct gpu_batch_piece *piece = &item->pieces[item->piece_used++];
    if (piece->size < size) {
        RILL_TRY(take(item->batch, size, &piece->address));
        piece->size = size;
    }
    *out_address = piece->address;
    return RILL_OK;
}

// ---- made, gone ---------------------------------------------------------------------------------------------------

// The graph goes; memory stays for the next one.
static void drop_graph(struct backend_batch *batch)
{
    const struct gpu_driver *driver = batch->device->driver;
    driver_exec_destroy(driver, batch->exec);
    driver_graph_destroy(driver, batch->graph);
    batch->exec = NULL;
    batch->graph = NULL;
    for (int i = 0; i < batch->item_count; i++) {
        gpu_free(batch->device, batch->items[i].args, batch->items[i].args_room);
    }
    gpu_free(batch->device, batch->items, (size_t)batch->item_count * sizeof *batch->items);
    gpu_free(batch->device, batch->conditions, (size_t)batch->node_count * sizeof *batch->conditions);
    batch->items = NULL;
    batch->conditions = NULL;
    batch->item_count = 0;
    batch->node_count = 0;
    batch->edge_count = 0;
    batch->end_count = 0;
    for (struct batch_chunk *chunk = batch->chunks; chunk != NULL; chunk = chunk->next) {
        chunk->used = 0;
    }
}

void gpu_batch_destroy(struct backend_batch *batch)
{
    if (batch == NULL) {
        return;
    }
    struct backend_device *device = batch->device;
    void *before = device->driver->enter(device->context);
    drop_graph(batch);
    while (batch->chunks != NULL) {
        struct batch_chunk *chunk = batch->chunks;
        batch->chunks = chunk->next;
        gpu_memory_give(device, device->service, chunk->address, chunk->size);
        gpu_free(device, chunk, sizeof *chunk);
    }
    device->driver->leave(device->context, before);
    gpu_free(device, batch->nodes, (size_t)batch->node_capacity * sizeof *batch->nodes);
    gpu_free(device, batch->edges, (size_t)batch->edge_capacity * sizeof *batch->edges);
    gpu_free(device, batch->ends, (size_t)batch->end_capacity * sizeof *batch->ends);
    gpu_free(device, batch, sizeof *batch);
}

// |*array| with room for |wanted| items of |size| bytes.
static bool grow(struct backend_device *device, void **array, int *capacity, int wanted, size_t size)
{
    if (wanted <= *capacity) {
        return true;
    }
    int larger = 2 * wanted;
    void *room = gpu_alloc(device, (size_t)larger * size);
    if (room == NULL) {
        return false;
    }
    if (*capacity > 0) {
        memcpy(room, *array, (size_t)*capacity * size);
    }
    gpu_free(device, *array, (size_t)*capacity * size);
    *array = room;
    *capacity = larger;
    return true;
}

static bool add_number(struct backend_device *device, int **array, int *count, int *capacity, int number)
{
    void *room = *array;
    bool is_there = grow(device, &room, capacity, *count + 1, sizeof number);
    *array = room;
    if (is_there) {
        (*array)[(*count)++] = number;
    }
    return is_there;
}

static bool has_room_for_node(struct backend_batch *batch)
{
    void *nodes = batch->nodes;
    bool is_there = grow(batch->device, &nodes, &batch->node_capacity, batch->node_count + 1, sizeof *batch->nodes);
    batch->nodes = nodes;
    return is_there;
}

// ---- what a part becomes ------------------------------------------------------------------------------------------

static bool overlaps(uint64_t a, uint64_t b, uint64_t size)
{
    return a < b ? b - a < size : a - b < size;
}

static bool can_copy(const struct gpu_driver *driver, const struct backend_part *part)
{
    uint64_t to = (uint64_t)(uintptr_t)part->target;
    uint64_t from = (uint64_t)(uintptr_t)part->source;
    return part->size <= MAX_COPY && !overlaps(to, from, part->size) &&
           driver->place_of(part->target) != GPU_PAGEABLE && driver->place_of(part->source) != GPU_PAGEABLE;
}

static bool can_launch(const struct backend_device *device, const struct backend_launch *launch)
{
    const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
    const struct gpu_properties *properties = &device->properties;
    bool fits = kernel->is_graphable || (kernel->is_conditional && properties->has_conditions);
    bool gives = launch->result != NULL && launch->result_size > 0;
    assert(launch->host == NULL && !launch->result_is_host && launch->caller == NULL);
    return fits && !kernel->may_fail && !kernel->may_print &&
           ((!kernel->needs_block && !gives) || properties->has_memory_nodes) && !gpu_launch_is_remote(device, launch);
}

// Whether the part has no nodes at all.
static bool is_empty(const struct backend_part *part)
{
    return part->kind == BACKEND_PART_MARK || (part->kind == BACKEND_PART_COPY && part->size == 0) ||
           (part->kind == BACKEND_PART_COPY && part->target == part->source) ||
           (part->kind == BACKEND_PART_FILL && (part->size == 0 || part->count == 0));
}

static bool make_fill(const struct backend_part *part, struct gpu_memory_node *out)
{
    *out = (struct gpu_memory_node){.target = (uint64_t)(uintptr_t)part->target};
    out->width = gpu_fill_width(part->source, part->size, &out->value);
    if (out->width == 0 || out->target % (uint64_t)out->width != 0) {
        return false;
    }
    out->count = part->count * part->size / (size_t)out->width;
    return true;
}

static bool can_be_part(const struct backend_device *device, const struct backend_part *part)
{
    struct gpu_memory_node fill;
    if (is_empty(part)) {
        return true;
    }
    switch (part->kind) {
    case BACKEND_PART_LAUNCH: return can_launch(device, &part->launch);
    case BACKEND_PART_COPY: return device->properties.has_memory_nodes && can_copy(device->driver, part);
    case BACKEND_PART_FILL: return device->properties.has_memory_nodes && make_fill(part, &fill);
    case BACKEND_PART_MARK: break;
    }
    return true;
}

// ---- recorded -----------------------------------------------------------------------------------------------------

// The nodes of one part, as they were just recorded. Numbers of nodes count from the part's first.
struct fresh {
    struct gpu_recording *recording; // of a launch; NULL: there is none
    struct gpu_front ends;           // the last nodes; none: the part has no nodes
    bool has_memory;                 // one more node
    struct gpu_memory_node memory;
    struct gpu_front before; // what that follows, of the part's own
};

static int count_of(const struct fresh *fresh)
{
    return (fresh->recording != NULL ? fresh->recording->node_count : 0) + (fresh->has_memory ? 1 : 0);
}

// The value that the kernel returns goes from where it is to where it was wanted.
static rill_status record_result(struct gpu_walk *walk, struct fresh *fresh)
{
    const struct gpu_run *run = walk->run;
    const struct backend_launch *launch = run->launch;
    if (launch->result == NULL || launch->result_size == 0) {
        return RILL_OK;
    }
    if (launch->result_source == NULL) {
        RILL_TRY(gpu_slot_upload(walk, gpu_slot_at(run->kernel->plan, 0)));
    }
    fresh->has_memory = true;
    fresh->memory = (struct gpu_memory_node){
        .target = (uint64_t)(uintptr_t)launch->result,
        .source = launch->result_source != NULL ? (uint64_t)(uintptr_t)launch->result_source : run->block,
        .count = launch->result_size};
    fresh->before = walk->front;
    return RILL_OK;
}

// False, with RILL_OK: it does not fit.
static rill_status walk_plan(struct gpu_run *run, struct fresh *fresh, bool *out_fits)
{
    struct gpu_walk walk = {.run = run, .lane = &run->stream->lane};
    RILL_TRY(gpu_run_make_shadow(run));
    gpu_recording_begin(run->recording);
    if (run->kernel->plan->root != NULL) {
        gpu_walk_node(&walk, run->kernel->plan->root);
    }
    if (run->status == RILL_OK && !run->has_failed) {
        run->status = record_result(&walk, fresh);
    }
    *out_fits = run->status == RILL_OK && !run->has_failed && !run->recording->is_over;
    fresh->recording = run->recording;
    fresh->ends = walk.front;
    return run->status;
}

static rill_status record_launch(struct backend_stream *stream, struct gpu_batch_item *item,
                                 const struct backend_launch *launch, struct fresh *fresh, bool *out_fits)
{
    struct backend_device *device = stream->device;
    if (stream->recording == NULL) {
        stream->recording = gpu_alloc(device, sizeof *stream->recording);
        if (stream->recording == NULL) {
            return no_memory();
        }
    }
    const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
    struct gpu_run run = {.device = device,
                          .stream = stream,
                          .image = launch->image,
                          .kernel = kernel,
                          .launch = launch,
                          .sink = &gpu_sink_recorded,
                          .recording = stream->recording,
                          .batch = item,
                          .block = item->block,
                          .values = {.kernel = kernel->plan,
                                     .args = launch->args,
                                     .array_sizes = launch->array_sizes,
                                     .field_addresses = launch->image->field_addresses,
                                     .field_sizes = launch->image->field_sizes}};
    item->piece_used = 0;
    RILL_TRY(walk_plan(&run, fresh, out_fits));
    item->tally = stream->recording->tally;
    item->is_counted = true;
    return RILL_OK;
}

static rill_status record(struct backend_stream *stream, struct gpu_batch_item *item, const struct backend_part *part,
                          struct fresh *fresh, bool *out_fits)
{
    *fresh = (struct fresh){.has_memory = false};
    *out_fits = true;
    item->is_counted = true;
    if (is_empty(part)) {
        return RILL_OK;
    }
    if (part->kind == BACKEND_PART_LAUNCH) {
        return record_launch(stream, item, &part->launch, fresh, out_fits);
    }
    fresh->has_memory = true;
    if (part->kind == BACKEND_PART_FILL) {
        *out_fits = make_fill(part, &fresh->memory);
    } else {
        fresh->memory = (struct gpu_memory_node){.target = (uint64_t)(uintptr_t)part->target,
                                                 .source = (uint64_t)(uintptr_t)part->source,
                                                 .count = part->size};
    }
    return RILL_OK;
}

// The node of that number; its edges are |*out_edges|.
static void node_of(const struct fresh *fresh, int index, struct batch_node *out, const int **out_edges)
{
    const struct gpu_recording *recording = fresh->recording;
    if (recording != NULL && index < recording->node_count) {
        *out = (struct batch_node){.node = recording->nodes[index]};
        *out_edges = recording->edges + out->node.first_edge;
        return;
    }
    *out = (struct batch_node){.is_memory = true, .memory = fresh->memory};
    out->node.edge_count = fresh->before.count;
    *out_edges = fresh->before.nodes;
}

// ---- built --------------------------------------------------------------------------------------------------------

static bool add_edge(struct backend_batch *batch, int first, int node)
{
    for (int i = first; i < batch->edge_count; i++) {
        if (batch->edges[i] == node) {
            return true;
        }
    }
    return add_number(batch->device, &batch->edges, &batch->edge_count, &batch->edge_capacity, node);
}

// What the first nodes of a part follow: the last ones of the parts before it, and the one that clears its block.
static bool add_roots(struct backend_batch *batch, const struct gpu_batch_item *item, const struct backend_part *part)
{
    int first = batch->edge_count;
    bool is_there = item->block == 0 || add_edge(batch, first, batch->clear);
    for (int i = 0; i < part->after_count && is_there; i++) {
        const struct gpu_batch_item *other = &batch->items[part->after[i]];
        for (int k = 0; k < other->end_count && is_there; k++) {
            is_there = add_edge(batch, first, batch->ends[other->first_end + k]);
        }
    }
    return is_there;
}

static bool append_node(struct backend_batch *batch, int index, const struct backend_part *part,
                        const struct fresh *fresh, int number)
{
    struct gpu_batch_item *item = &batch->items[index];
    struct batch_node made;
    const int *edges;
    if (!has_room_for_node(batch)) {
        return false;
    }
    node_of(fresh, number, &made, &edges);
    int count = made.node.edge_count;
    made.item = index;
    made.is_root = count == 0 && made.node.parent == 0;
    made.node.first_edge = batch->edge_count;
    made.node.parent = made.node.parent > 0 ? made.node.parent + item->first_node : batch->body;
    for (int i = 0; i < 2; i++) {
        made.node.sets[i] += made.node.sets[i] > 0 ? item->first_node : 0;
    }
    bool is_there = !made.is_root || add_roots(batch, item, part);
    for (int i = 0; i < count && is_there; i++) {
        is_there = add_edge(batch, made.node.first_edge, item->first_node + edges[i]);
    }
    made.node.edge_count = batch->edge_count - made.node.first_edge;
    batch->nodes[batch->node_count++] = made;
    return is_there;
}

static bool append_end(struct backend_batch *batch, struct gpu_batch_item *item, int node)
{
    item->end_count++;
    return add_number(batch->device, &batch->ends, &batch->end_count, &batch->end_capacity, node);
}

// What follows a part without nodes follows what the part does.
static bool append_ends(struct backend_batch *batch, struct gpu_batch_item *item, const struct backend_part *part,
                        const struct fresh *fresh)
{
    bool is_there = true;
    item->first_end = batch->end_count;
    if (fresh->has_memory) {
        return append_end(batch, item, item->first_node + item->node_count - 1);
    }
    for (int i = 0; i < fresh->ends.count && is_there; i++) {
        is_there = append_end(batch, item, item->first_node + fresh->ends.nodes[i]);
    }
    if (item->node_count > 0) {
        return is_there;
    }
    int first = batch->edge_count;
    is_there = add_roots(batch, item, part);
    for (int i = first; i < batch->edge_count && is_there; i++) {
        is_there = append_end(batch, item, batch->edges[i]);
    }
    batch->edge_count = first;
    return is_there;
}

static bool append(struct backend_batch *batch, int index, const struct backend_part *part, const struct fresh *fresh)
{
    struct gpu_batch_item *item = &batch->items[index];
    bool is_there = true;
    item->first_node = batch->node_count;
    item->node_count = count_of(fresh);
    for (int i = 0; i < item->node_count && is_there; i++) {
        is_there = append_node(batch, index, part, fresh, i);
    }
    return is_there && append_ends(batch, item, part, fresh);
}

static rill_status make_items(struct backend_batch *batch, const struct backend_parts *parts)
{
    batch->items = gpu_alloc(batch->device, (size_t)parts->count * sizeof *batch->items);
    if (batch->items == NULL) {
        return no_memory();
    }
    batch->item_count = parts->count;
    uint64_t blocks = 0;
    for (int i = 0; i < parts->count; i++) {
        const struct backend_launch *launch = &parts->items[i].launch;
        struct gpu_batch_item *item = &batch->items[i];
        item->batch = batch;
        if (parts->items[i].kind == BACKEND_PART_LAUNCH) {
            const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
            item->args_room = (size_t)round_up(kernel->plan->args_size + 8);
            item->args = gpu_alloc(batch->device, item->args_room);
            item->block = kernel->needs_block ? blocks + 1 : 0; // for now
            blocks += kernel->needs_block ? round_up(kernel->block_size) : 0;
            if (item->args == NULL) {
                return no_memory();
            }
        }
    }
    uint64_t address = 0;
    if (blocks > 0) {
        RILL_TRY(take(batch, blocks, &address));
    }
    for (int i = 0; i < parts->count; i++) {
        batch->items[i].block = batch->items[i].block > 0 ? address + batch->items[i].block - 1 : 0;
    }
    if (blocks > 0) {
        if (!has_room_for_node(batch)) {
            return no_memory();
        }
        batch->clear = batch->node_count;
        batch->nodes[batch->node_count++] =
            (struct batch_node){.item = -1,
                                .node = {.parent = batch->body},
                                .is_memory = true,
                                .memory = {.target = address, .count = (size_t)blocks / 4, .width = 4}};
    }
    return RILL_OK;
}

static void remember(struct gpu_batch_item *item, const struct backend_launch *launch)
{
    const struct plan_kernel *plan = launch->image->kernels[launch->kernel].plan;
    if (plan->args_size > 0) {
        memcpy(item->args, launch->args, plan->args_size);
    }
    item->common = (struct gpu_common){.image = launch->image,
                                       .kernel = launch->kernel,
                                       .args = item->args,
                                       .args_size = plan->args_size,
                                       .block = item->block};
}

static rill_status make_handles(struct backend_batch *batch, int parent)
{
    const struct backend_device *device = batch->device;
    void *graph = parent > 0 ? batch->nodes[parent - 1].body : batch->graph;
    for (int i = 0; i < batch->node_count; i++) {
        const struct batch_node *node = &batch->nodes[i];
        if (!node->is_memory && node->node.kind != GPU_NODE_KERNEL && node->node.parent == parent) {
            bool is_loop = node->node.kind == GPU_NODE_LOOP; // which begins with its body
            RILL_TRY(device->driver->graph_handle(device->context, graph, is_loop, &batch->conditions[i]));
        }
    }
    return RILL_OK;
}

static rill_status make_node(struct backend_batch *batch, int index, void **after)
{
    struct backend_device *device = batch->device;
    struct batch_node *made = &batch->nodes[index];
    const struct gpu_node *node = &made->node;
    void *graph = node->parent > 0 ? batch->nodes[node->parent - 1].body : batch->graph;
    size_t count = (size_t)node->edge_count;
    for (size_t i = 0; i < count; i++) {
        after[i] = batch->nodes[batch->edges[(size_t)node->first_edge + i]].handle;
    }
    if (made->is_memory) {
        return device->driver->graph_memory(device->context, graph, &made->memory, after, count, &made->handle);
    }
    if (node->kind == GPU_NODE_KERNEL) {
        struct gpu_call_params params;
        const struct gpu_common *common = made->item >= 0 ? &batch->items[made->item].common : &batch->loop;
        gpu_call_fill(&params, node, common, batch->conditions);
        return driver_graph_add(device->driver, graph, &params.call, after, count, &made->handle);
    }
    struct gpu_condition condition = {.context = device->context,
                                      .graph = graph,
                                      .handle = batch->conditions[index],
                                      .is_loop = node->kind == GPU_NODE_LOOP,
                                      .after = after,
                                      .after_count = count};
    RILL_TRY(device->driver->graph_condition(&condition, &made->handle, &made->body));
    return make_handles(batch, index + 1);
}

static rill_status make_graph(struct backend_batch *batch)
{
    const struct gpu_driver *driver = batch->device->driver;
    size_t room_size = (size_t)(batch->edge_count + 1) * sizeof(void *);
    void **after = gpu_alloc(batch->device, room_size);
    batch->conditions = gpu_alloc(batch->device, (size_t)batch->node_count * sizeof *batch->conditions);
    if (after == NULL || batch->conditions == NULL) {
        gpu_free(batch->device, after, room_size);
        return no_memory();
    }
    rill_status status = driver_graph_create(driver, &batch->graph);
    status = status == RILL_OK ? make_handles(batch, 0) : status;
    for (int i = 0; i < batch->node_count && status == RILL_OK; i++) {
        status = make_node(batch, i, after);
    }
    gpu_free(batch->device, after, room_size);
    return status == RILL_OK ? driver_graph_instantiate(driver, batch->graph, &batch->exec) : status;
}

// ---- rounds -------------------------------------------------------------------------------------------------------

static bool has_rounds(const struct backend_parts *parts)
{
    return parts->rounds > 1;
}

// A store of how many rounds are left, and the node whose body they are.
static rill_status begin_rounds(struct backend_batch *batch, const struct backend_parts *parts)
{
    uint64_t left;
    RILL_TRY(take(batch, sizeof(uint32_t), &left));
    batch->loop = (struct gpu_common){.block = left};
    for (int i = 0; i < 2; i++) {
        if (!has_room_for_node(batch)) {
            return no_memory();
        }
        batch->nodes[batch->node_count++] = (struct batch_node){.item = -1, .node = {.kind = GPU_NODE_LOOP}};
    }
    batch->nodes[0].is_memory = true;
    batch->nodes[0].memory = (struct gpu_memory_node){.target = left, .value = parts->rounds, .width = 4, .count = 1};
    if (!add_edge(batch, 0, 0)) {
        return no_memory();
    }
    batch->nodes[1].node.edge_count = 1;
    batch->body = 2;
    return RILL_OK;
}

// The kernel that decides whether there is another one. It follows every node of the body that nothing else does.
// |out_fits| false: a loop in the body would have to be set up again for each round.
static rill_status end_rounds(struct backend_batch *batch, bool *out_fits)
{
    struct batch_node last = {.item = -1};
    last.node = (struct gpu_node){.function = batch->device->again,
                                  .grid = 1,
                                  .block = 1,
                                  .parent = batch->body,
                                  .sets = {batch->body, 0},
                                  .chunk = (int64_t)(uintptr_t)batch->flag,
                                  .first_edge = batch->edge_count};
    for (int i = batch->body; i < batch->node_count; i++) {
        *out_fits &= batch->nodes[i].is_memory || batch->nodes[i].node.kind == GPU_NODE_KERNEL;
        bool is_followed = false;
        for (int k = 0; k < last.node.first_edge && !is_followed; k++) {
            is_followed = batch->edges[k] == i;
        }
        if (!is_followed && !add_edge(batch, last.node.first_edge, i)) {
            return no_memory();
        }
    }
    last.node.edge_count = batch->edge_count - last.node.first_edge;
    if (!has_room_for_node(batch)) {
        return no_memory();
    }
    batch->nodes[batch->node_count++] = last;
    return RILL_OK;
}

// The driver or the memory does not do it: part by part it may.
static void refuse(struct backend_batch *batch, bool is_for_good)
{
    batch->is_refused = is_for_good;
    backend_log(&batch->device->host, BACKEND_LOG_NOTE, "a step is launched part by part: %s", rill_message());
    drop_graph(batch);
}

// |out_fits| false: the batch is queued part by part.
static rill_status lay_out(struct backend_stream *stream, struct backend_batch *batch,
                           const struct backend_parts *parts, bool *out_fits)
{
    *out_fits = true;
    for (int i = 0; i < parts->count && *out_fits; i++) {
        *out_fits = can_be_part(stream->device, &parts->items[i]);
    }
    if (!*out_fits) {
        return RILL_OK;
    }
    if (has_rounds(parts)) {
        RILL_TRY(begin_rounds(batch, parts));
    }
    RILL_TRY(make_items(batch, parts));
    for (int i = 0; i < parts->count && *out_fits; i++) {
        struct fresh fresh;
        const struct backend_part *part = &parts->items[i];
        RILL_TRY(record(stream, &batch->items[i], part, &fresh, out_fits));
        if (*out_fits && !append(batch, i, part, &fresh)) {
            return no_memory();
        }
        if (part->kind == BACKEND_PART_LAUNCH) {
            remember(&batch->items[i], &part->launch);
        }
    }
    return *out_fits && has_rounds(parts) ? end_rounds(batch, out_fits) : RILL_OK;
}

static void build(struct backend_stream *stream, struct backend_batch *batch, const struct backend_parts *parts)
{
    bool fits;
    drop_graph(batch);
    batch->rounds = parts->rounds;
    batch->flag = parts->flag;
    batch->body = 0;
    rill_status status = lay_out(stream, batch, parts, &fits);
    if (status != RILL_OK) {
        refuse(batch, false);
        return;
    }
    bool pays = batch->node_count > 1 || stream->device->graph_mode == BACKEND_GRAPH_ON;
    if (!fits || !pays || batch->node_count == 0) {
        drop_graph(batch);
    } else if (make_graph(batch) != RILL_OK) {
        refuse(batch, true);
    }
}

// ---- set again ----------------------------------------------------------------------------------------------------

static bool is_memory_alike(const struct gpu_memory_node *a, const struct gpu_memory_node *b)
{
    return (a->source != 0) == (b->source != 0);
}

// Whether the node is as the one just recorded but for its parameters.
static bool is_node_alike(const struct backend_batch *batch, const struct gpu_batch_item *item,
                          const struct batch_node *old, const struct batch_node *made, const int *edges)
{
    const struct gpu_node *a = &old->node;
    const struct gpu_node *b = &made->node;
    int first = item->first_node;
    bool is_root = b->edge_count == 0 && b->parent == 0;
    bool alike = old->is_memory == made->is_memory && old->is_root == is_root &&
                 (!old->is_memory || is_memory_alike(&old->memory, &made->memory)) && a->kind == b->kind &&
                 a->function == b->function && a->meets == b->meets && a->has_args == b->has_args &&
                 a->parent == (b->parent > 0 ? b->parent + first : batch->body);
    for (int i = 0; i < 2; i++) {
        alike &= a->sets[i] == (b->sets[i] > 0 ? b->sets[i] + first : 0);
    }
    alike &= is_root || a->edge_count == b->edge_count;
    for (int i = 0; i < b->edge_count && alike; i++) {
        alike = batch->edges[a->first_edge + i] == edges[i] + first;
    }
    return alike;
}

static bool is_alike(const struct backend_batch *batch, const struct gpu_batch_item *item, const struct fresh *fresh)
{
    bool alike = item->node_count == count_of(fresh);
    for (int i = 0; i < item->node_count && alike; i++) {
        struct batch_node made;
        const int *edges;
        node_of(fresh, i, &made, &edges);
        alike = is_node_alike(batch, item, &batch->nodes[item->first_node + i], &made, edges);
    }
    int count = fresh->has_memory ? 1 : fresh->ends.count;
    alike &= item->node_count == 0 || item->end_count == count;
    for (int i = 0; i < fresh->ends.count && alike && item->node_count > 0 && !fresh->has_memory; i++) {
        alike = batch->ends[item->first_end + i] == item->first_node + fresh->ends.nodes[i];
    }
    return alike;
}

static bool is_kernel_same(const struct gpu_node *a, const struct gpu_node *b)
{
    return a->grid == b->grid && a->block == b->block && a->count == b->count && a->chunk == b->chunk &&
           a->partials == b->partials;
}

static bool is_memory_same(const struct gpu_memory_node *a, const struct gpu_memory_node *b)
{
    return a->target == b->target && a->source == b->source && a->count == b->count && a->value == b->value &&
           a->width == b->width;
}

static rill_status set_node(struct backend_batch *batch, const struct gpu_batch_item *item, int index,
                            const struct batch_node *made, bool is_same)
{
    const struct backend_device *device = batch->device;
    struct batch_node *old = &batch->nodes[index];
    if (old->is_memory) {
        bool must = !is_memory_same(&old->memory, &made->memory);
        old->memory = made->memory;
        return must ? device->driver->exec_set_memory(device->context, batch->exec, old->handle, &old->memory)
                    : RILL_OK;
    }
    if (old->node.kind != GPU_NODE_KERNEL || (is_same && is_kernel_same(&old->node, &made->node))) {
        return RILL_OK;
    }
    old->node.grid = made->node.grid;
    old->node.block = made->node.block;
    old->node.count = made->node.count;
    old->node.chunk = made->node.chunk;
    old->node.partials = made->node.partials;
    struct gpu_call_params params;
    gpu_call_fill_short(&params, device, &old->node, &item->common, batch->conditions);
    return driver_exec_set(device->driver, batch->exec, old->handle, &params.call);
}

// |out_is_alike| false: the graph is not of that form.
static rill_status set_part(struct backend_stream *stream, struct backend_batch *batch, int index,
                            const struct backend_part *part, bool *out_is_alike)
{
    struct gpu_batch_item *item = &batch->items[index];
    struct fresh fresh;
    bool fits;
    *out_is_alike = can_be_part(stream->device, part);
    if (!*out_is_alike) {
        return RILL_OK;
    }
    RILL_TRY(record(stream, item, part, &fresh, &fits));
    *out_is_alike = fits && is_alike(batch, item, &fresh);
    if (!*out_is_alike) {
        return RILL_OK;
    }
    bool is_same = true;
    if (part->kind == BACKEND_PART_LAUNCH) {
        size_t size = item->common.args_size;
        is_same = size == 0 || memcmp(item->args, part->launch.args, size) == 0;
        remember(item, &part->launch);
    }
    for (int i = 0; i < item->node_count; i++) {
        struct batch_node made;
        const int *edges;
        node_of(&fresh, i, &made, &edges);
        RILL_TRY(set_node(batch, item, item->first_node + i, &made, is_same));
    }
    return RILL_OK;
}

// Whether memory that was the device's own still is; where the driver minds, it is asked each time.
static bool is_own_still(const struct backend_device *device, const struct backend_parts *parts)
{
    bool is_own = true;
    for (int i = 0; device->driver->is_own != NULL && i < parts->count && is_own; i++) {
        const struct backend_part *part = &parts->items[i];
        is_own = part->kind != BACKEND_PART_LAUNCH || !gpu_launch_is_remote(device, &part->launch);
    }
    return is_own;
}

// Leaves batch->exec as the parts want it, or NULL.
static void prepare(struct backend_stream *stream, struct backend_batch *batch, const struct backend_parts *parts)
{
    bool is_other = batch->rounds != parts->rounds || batch->flag != parts->flag;
    bool has_news = parts->has_changed || parts->is_reordered || batch->is_behind || is_other;
    bool is_alike = batch->exec != NULL && !parts->is_reordered && !batch->is_behind && !is_other;
    batch->is_behind = false;
    for (int i = 0; i < parts->count && is_alike && parts->has_changed; i++) {
        if (!parts->items[i].is_changed) {
            continue;
        }
        if (set_part(stream, batch, i, &parts->items[i], &is_alike) != RILL_OK) {
            refuse(batch, true); // nothing is known of what is set
            return;
        }
    }
    if (!is_alike && has_news) {
        build(stream, batch, parts);
    }
}

// ---- queued -------------------------------------------------------------------------------------------------------

// What was walked for this launch has counted itself.
static void count(struct backend_stream *stream, struct backend_batch *batch, const struct backend_parts *parts)
{
    for (int i = 0; i < batch->item_count; i++) {
        struct gpu_batch_item *item = &batch->items[i];
        if (!item->is_counted && parts->items[i].kind == BACKEND_PART_LAUNCH) {
            gpu_tally_add(stream, &item->tally);
        }
        item->is_counted = false;
        batch->launch_count += parts->items[i].kind == BACKEND_PART_LAUNCH;
    }
    // How many rounds there are until a flag says stop the host does not know.
    gpu_total(&stream->totals.launch_count,
              batch->launch_count * (parts->rounds > 1 && parts->flag == NULL ? parts->rounds : 1));
    batch->launch_count = 0;
}

static rill_status queue(struct backend_stream *stream, struct backend_batch *batch, const struct backend_parts *parts,
                         bool *out_is_done)
{
    stream->has_begun = false;
    const struct gpu_properties *properties = &stream->device->properties;
    bool can = !has_rounds(parts) || (properties->has_conditions && properties->has_memory_nodes);
    if (batch->is_refused || !can || !is_own_still(stream->device, parts)) {
        batch->is_behind |= parts->has_changed || parts->is_reordered;
        return RILL_OK;
    }
    prepare(stream, batch, parts);
    if (batch->exec == NULL) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_make_room(stream, parts->must_not_wait));
    if (driver_exec_launch(stream->device->driver, batch->exec, stream->lane.handle) != RILL_OK) {
        refuse(batch, true); // and nothing is queued
        return RILL_OK;
    }
    stream->has_begun = true;
    *out_is_done = true;
    gpu_stream_number(stream);
    count(stream, batch, parts);
    return gpu_note_loss(stream->device, gpu_ring_seal(stream));
}

static rill_status make_batch(struct backend_device *device, struct backend_batch **batch)
{
    if (*batch == NULL) {
        *batch = gpu_alloc(device, sizeof **batch);
        if (*batch == NULL) {
            return no_memory();
        }
        (*batch)->device = device;
    }
    return RILL_OK;
}

rill_status gpu_batch_queue(struct backend_stream *stream, struct backend_batch **batch,
                            const struct backend_parts *parts, bool *out_is_done)
{
    struct backend_device *device = stream->device;
    *out_is_done = false;
    if (!device->properties.has_graphs || device->graph_mode == BACKEND_GRAPH_OFF || device->trace != NULL ||
        parts->count == 0) {
        return RILL_OK;
    }
    RILL_TRY(gpu_stream_refuse(stream));
    RILL_TRY(gpu_stream_check_thread(stream));
    RILL_TRY(make_batch(device, batch));
    void *before = gpu_stream_begin(stream);
    rill_status status = gpu_capture_begin(stream);
    if (status == RILL_OK && !stream->is_capturing && !gpu_defers(stream)) {
        status = queue(stream, *batch, parts, out_is_done);
    } else {
        (*batch)->is_behind |= parts->has_changed || parts->is_reordered;
    }
    gpu_stream_end(stream, before);
    return status;
}

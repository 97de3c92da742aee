// Tasks become nodes of the stream's recording. A block is what depends on the nodes before the region and on the last
// nodes of the blocks that it follows.
#include "backend/gpu/sink.h"

#include <assert.h>
#include <string.h>

// ---- nodes and edges ----------------------------------------------------------------------------------------------

void gpu_record(struct gpu_recording *recording, struct gpu_front *front, const struct gpu_node *node)
{
    assert(front->count <= GRAPH_MAX_FRONT && node->parent <= recording->node_count);
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

void gpu_recording_begin(struct gpu_recording *recording)
{
    recording->node_count = 0;
    recording->edge_count = 0;
    recording->is_over = false;
    recording->has_conditions = false;
    recording->is_noted = false;
    recording->tally = (struct gpu_tally){.task_count = 0};
}

// ---- the sink -----------------------------------------------------------------------------------------------------

static rill_status add(struct gpu_walk *walk, struct gpu_node node)
{
    node.parent = walk->parent;
    node.partials = node.partials != 0 ? node.partials : walk->partials;
    gpu_record(walk->run->recording, &walk->front, &node);
    return RILL_OK;
}

static rill_status record_task(struct gpu_walk *walk, const struct gpu_task_call *call)
{
    return add(walk, (struct gpu_node){.function = call->function,
                                       .has_args = true,
                                       .grid = call->grid,
                                       .block = call->block,
                                       .count = call->count,
                                       .chunk = call->chunk,
                                       .partials = call->partials,
                                       .meets = call->meets});
}

// By a small kernel of the image, which takes the value as its count.
static rill_status record_store(struct gpu_walk *walk, int64_t offset, uint64_t value, int width)
{
    assert(width == 1 || width == 2 || width == 4 || width == 8);
    return add(walk, (struct gpu_node){.function = walk->run->kernel->store,
                                       .grid = 1,
                                       .block = 1,
                                       .count = (int64_t)value,
                                       .chunk = offset * 16 + width});
}

static rill_status fork_blocks(struct gpu_region *region)
{
    region->fork.recorded.after.count = 0;
    return RILL_OK;
}

static rill_status begin_block(struct gpu_region *region, int index, struct gpu_walk *walk)
{
    walk->front = region->outer->front;
    for (int i = 0; i < index; i++) {
        if (plan_order_follows(&region->order, index, i)) {
            gpu_front_join(walk->run->recording, &walk->front, &region->fork.recorded.ends[i]);
        }
    }
    return RILL_OK;
}

static rill_status end_block(struct gpu_region *region, int index, struct gpu_walk *walk, enum gpu_step step)
{
    struct gpu_recorded_fork *fork = &region->fork.recorded;
    (void)step; // a recording that failed is not replayed
    fork->ends[index] = walk->front;
    gpu_front_join(walk->run->recording, &fork->after, &walk->front);
    return RILL_OK;
}

static rill_status join_blocks(struct gpu_region *region, enum gpu_step step)
{
    (void)step;
    region->outer->front = region->fork.recorded.after;
    return RILL_OK;
}

const struct gpu_sink gpu_sink_recorded = {
    .decides_on_device = true,
    .store_width = 8,
    .task = record_task,
    .store = record_store,
    .fork = fork_blocks,
    .begin = begin_block,
    .end = end_block,
    .join = join_blocks,
};

// Regions of blocks: which of them follow which, and the walk of each. How they part and meet again is the sink's.
#include "backend/gpu/sink.h"

#include "base/status.h"

#include <assert.h>

static bool conflict_missing(const struct gpu_run *run, const struct plan_conflict *conflict)
{
    const struct plan_effect *effects[] = {conflict->effect_a, conflict->effect_b};
    bool missing = false;
    for (int i = 0; i < 2; i++) {
        missing |= effects[i] != NULL &&
                   (gpu_slots_missing(run, effects[i]->region.low) || gpu_slots_missing(run, effects[i]->region.high) ||
                    gpu_slots_missing(run, effects[i]->region.step));
    }
    return missing;
}

static void count_region(struct gpu_run *run, const struct plan_node *node, enum backend_region_way way)
{
    if (node->child_count < 2) {
        return;
    }
    if (!run->is_second) {
        gpu_count(&run->device->counters.region_counts[way]);
    }
    if (run->recording != NULL) {
        run->recording->tally.region_count++;
        run->recording->tally.region_counts[way]++;
    }
}

// Settles one conflict whose order this launch's arguments decide.
static rill_status settle(struct gpu_region *region, const struct plan_conflict *conflict)
{
    struct gpu_run *run = region->outer->run;
    const struct plan_node *node = region->node;
    if (!plan_conflict_is_possible(conflict, &run->values)) {
        return RILL_OK;
    }
    if (conflict_missing(run, conflict)) {
        RILL_TRY(gpu_slots_read(region->outer, &(struct gpu_why){node->loc, "the order of blocks"}));
    }
    switch (plan_order_test(&region->order, conflict, &run->values)) {
    case PLAN_APART: break;
    case PLAN_BREAKS: gpu_run_refuse(run, conflict->effect_a, conflict->effect_b); break;
    case PLAN_OVERLAPS:
        gpu_run_note(run);
        if (!run->is_second) {
            gpu_count(&run->device->counters.block_in_order_count);
            backend_log_overlap(&run->device->host, run->kernel->plan, node, conflict);
        }
        break;
    }
    return RILL_OK;
}

// Ends with has_failed where the launch must not go on.
static rill_status order_blocks(struct gpu_region *region)
{
    const struct plan_node *node = region->node;
    plan_order_begin(&region->order, node);
    for (int i = 0; i < node->conflict_count && !region->outer->run->has_failed; i++) {
        if (plan_order_asks(&region->order, &node->conflicts[i])) {
            RILL_TRY(settle(region, &node->conflicts[i]));
        }
    }
    return RILL_OK;
}

// What several blocks read must be on the device before they part.
static rill_status upload_all(struct gpu_walk *walk, const struct plan_node *node)
{
    const struct gpu_kernel *kernel = walk->run->kernel;
    int task = plan_node_task(node);
    for (int i = 0; task >= 0 && i < kernel->plan->tasks[task].slot_use_count; i++) {
        RILL_TRY(gpu_slot_upload(walk, kernel->tasks[task].slot_indices[i]));
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            RILL_TRY(upload_all(walk, node->children[i]));
        }
    }
    return RILL_OK;
}

// A return or a break out of a block ends the block.
static enum gpu_step walk_block(struct gpu_walk *walk, const struct plan_node *block)
{
    return gpu_walk_node(walk, block) == GPU_FAIL ? GPU_FAIL : GPU_ON;
}

static enum gpu_step walk_in_order(struct gpu_walk *walk, const struct plan_node *node)
{
    for (int i = 0; i < node->child_count; i++) {
        if (walk_block(walk, node->children[i]) == GPU_FAIL) {
            return GPU_FAIL;
        }
    }
    return GPU_ON;
}

// ---- the walk -------------------------------------------------------------------------------------------------------

static enum gpu_step walk_one(struct gpu_region *region, int index)
{
    struct gpu_walk *outer = region->outer;
    struct gpu_run *run = outer->run;
    const struct plan_node *block = region->node->children[index];
    struct gpu_walk walk = {.run = run,
                            .lane = outer->lane,
                            .parent = outer->parent,
                            .region = region->node,
                            .block = block,
                            .follow = outer->follow};
    rill_status status = run->sink->begin(region, index, &walk);
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    enum gpu_step step = walk_block(&walk, block);
    status = run->sink->end(region, index, &walk, step);
    return status == RILL_OK ? step : gpu_run_fail(run, status);
}

static enum gpu_step walk_blocks(struct gpu_region *region)
{
    struct gpu_run *run = region->outer->run;
    rill_status status = run->sink->fork(region);
    enum gpu_step step = status == RILL_OK ? GPU_ON : gpu_run_fail(run, status);
    for (int i = 0; i < region->node->child_count && step != GPU_FAIL; i++) {
        step = walk_one(region, i);
    }
    status = run->sink->join(region, step);
    return status == RILL_OK ? step : gpu_run_fail(run, status);
}

// The blocks beside each other, as far as their order allows.
static enum gpu_step walk_beside(struct gpu_region *region)
{
    struct gpu_walk *walk = region->outer;
    struct gpu_run *run = walk->run;
    rill_status status = order_blocks(region);
    assert(region->node->child_count <= RUN_MAX_BLOCKS);
    if (run->has_failed) {
        return GPU_FAIL;
    }
    count_region(run, region->node, backend_region_way(&region->order));
    if (status == RILL_OK) { // a block that decides counts on more than what tasks read
        bool may_decide = run->sink->decides_on_device && run->kernel->reads_results;
        status = may_decide ? gpu_slots_settle(walk) : upload_all(walk, region->node);
    }
    return status == RILL_OK ? walk_blocks(region) : gpu_run_fail(run, status);
}

enum gpu_step gpu_walk_region(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    enum gpu_step step;
    // Text that blocks print comes in program order, and there is one buffer.
    if (node->child_count < 2 || run->kernel->may_print) {
        count_region(run, node, BACKEND_REGION_LIMITED);
        step = walk_in_order(walk, node);
    } else {
        struct gpu_region region; // most of it is the sink's, which sets what it uses
        region.outer = walk;
        region.node = node;
        step = walk_beside(&region);
    }
    gpu_follow_set(walk, TRACE_REGION, "", node->loc.line);
    return step;
}

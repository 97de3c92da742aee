// Regions of blocks: which of them follow which, and the walk of each. How they part and meet again is the sink's.
#include "backend/gpu/sink.h"

#include "base/status.h"

#include <string.h>

static bool effects_meet(const struct gpu_run *run, const struct plan_effect *effect_a,
                         const struct plan_effect *effect_b)
{
    struct plan_span a;
    struct plan_span b;
    return plan_span_of(effect_a, &run->values, &a) && plan_span_of(effect_b, &run->values, &b) &&
           plan_spans_overlap(&a, &b);
}

// Whether they do if each touches the whole of its array.
static bool arrays_meet(const struct gpu_run *run, const struct plan_conflict *conflict)
{
    struct plan_effect a = *conflict->effect_a;
    struct plan_effect b = *conflict->effect_b;
    a.region = (struct plan_region){.width = a.region.width};
    b.region = (struct plan_region){.width = b.region.width};
    return effects_meet(run, &a, &b);
}

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

static void follow(struct gpu_region *region, int earlier, int later, enum trace_cause_kind kind)
{
    region->earlier[later] |= UINT64_C(1) << earlier;
    if (region->causes != NULL) {
        trace_cause_set(&region->causes[later], kind, "", (uint64_t)earlier + 1);
    }
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

// Whether each block follows the one before it.
static bool is_chain(const struct gpu_region *region)
{
    for (int i = 1; i < region->node->child_count; i++) {
        if (!gpu_region_follows(region, i, i - 1)) {
            return false;
        }
    }
    return true;
}

static rill_status order_blocks(struct gpu_region *region)
{
    struct gpu_run *run = region->outer->run;
    const struct plan_node *node = region->node;
    for (int i = 1; i < node->child_count; i++) {
        for (int k = 0; node->children[i]->in_order && k < i; k++) {
            follow(region, k, i, TRACE_BLOCK_MARKED);
        }
    }
    for (int i = 0; i < node->conflict_count; i++) {
        const struct plan_conflict *conflict = &node->conflicts[i];
        if (conflict->kind == PLAN_CONFLICT_IN_ORDER) {
            follow(region, conflict->block_a, conflict->block_b, TRACE_BLOCK_MARKED);
            continue;
        }
        // Two blocks may share several things: one of them is enough to order them, to be counted and to be logged.
        bool is_known = !conflict->is_restrict && gpu_region_follows(region, conflict->block_b, conflict->block_a);
        if (is_known || !arrays_meet(run, conflict)) { // which needs no expression
            continue;
        }
        if (conflict_missing(run, conflict)) {
            RILL_TRY(gpu_slots_read(region->outer, &(struct gpu_why){node->loc, "the order of blocks"}));
        }
        bool meets = effects_meet(run, conflict->effect_a, conflict->effect_b);
        if (meets && conflict->is_restrict) {
            gpu_run_refuse(run, conflict->effect_a, conflict->effect_b);
            return RILL_OK;
        }
        if (meets) {
            gpu_run_note(run);
            follow(region, conflict->block_a, conflict->block_b, TRACE_BLOCK_SHARED);
            region->is_marked &= conflict->block_b != conflict->block_a + 1;
            if (run->is_second) {
                continue;
            }
            gpu_count(&run->device->counters.block_in_order_count);
            backend_log(&run->device->host, BACKEND_LOG_NOTE,
                        "kernel '%s': block %d of the region at line %u runs after block %d: their regions overlap",
                        run->kernel->plan->name, conflict->block_b + 1, node->loc.line, conflict->block_a + 1);
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

static enum gpu_step walk_region(struct gpu_walk *walk, const struct plan_node *node, struct trace_cause *causes)
{
    struct gpu_run *run = walk->run;
    // Text that blocks print comes in program order, and there is one buffer.
    if (node->child_count < 2 || run->kernel->may_print) {
        count_region(run, node, BACKEND_REGION_LIMITED);
        return walk_in_order(walk, node);
    }
    struct gpu_region region; // most of it is the sink's, which sets what it uses
    region.outer = walk;
    region.node = node;
    region.causes = causes;
    region.is_marked = true;
    memset(region.earlier, 0, (size_t)node->child_count * sizeof *region.earlier);
    rill_status status = order_blocks(&region);
    if (run->has_failed) {
        return GPU_FAIL;
    }
    count_region(run, node,
                 !is_chain(&region) ? BACKEND_REGION_CONCURRENT
                 : region.is_marked ? BACKEND_REGION_MARKED
                                    : BACKEND_REGION_OVERLAP);
    if (status == RILL_OK) { // a block that decides counts on more than what tasks read
        bool may_decide = run->sink->decides_on_device && run->kernel->reads_results;
        status = may_decide ? gpu_slots_settle(walk) : upload_all(walk, node);
    }
    return status == RILL_OK ? walk_blocks(&region) : gpu_run_fail(run, status);
}

enum gpu_step gpu_walk_region(struct gpu_walk *walk, const struct plan_node *node)
{
    if (walk->follow == NULL) {
        return walk_region(walk, node, NULL);
    }
    struct trace_cause causes[RUN_MAX_BLOCKS] = {{.kind = TRACE_NOTHING}};
    enum gpu_step step = walk_region(walk, node, causes);
    gpu_follow_set(walk, TRACE_REGION, "", node->loc.line);
    return step;
}

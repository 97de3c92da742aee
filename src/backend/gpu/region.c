// Regions of blocks: fork from the stream that meets the region, one lent stream for each block, join back. The host
// queues and never waits for the join.
#include "backend/gpu/run.h"

#include "base/status.h"

#include <string.h>

enum { CAPTURE_MAX_FRONT = 2 * RUN_MAX_BLOCKS }; // nodes; two for the end of each block

struct gpu_region {
    struct gpu_walk *outer;
    const struct plan_node *node;
    struct backend_lease leases[RUN_MAX_BLOCKS]; // streams lent to blocks
    struct gpu_lane *lanes[RUN_MAX_BLOCKS];      // of each block; where the device has few queues blocks share them
    uint64_t earlier[RUN_MAX_BLOCKS];            // blocks that a block follows, as bits
    struct trace_cause *causes;                  // of each block, the last of these; NULL: there is no trace
    int lease_count;
    bool is_marked;        // nothing is in order that the source does not say
    uint64_t open;         // leases that have work behind their last recorded end, as bits
    struct gpu_kept *kept; // taken from the stream; NULL: none
};

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
        if ((region->earlier[i] >> (i - 1) & 1) == 0) {
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
        bool is_known = !conflict->is_restrict && (region->earlier[conflict->block_b] >> conflict->block_a & 1) != 0;
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

// ---- streams --------------------------------------------------------------------------------------------------------

// A stream's launches follow each other, and so do their blocks: the streams that one launch was lent the next can use
// without asking the driver whether they are idle. They go back to the pool when somebody finds the stream idle, or
// when the pool has no other and finds them idle themselves.
struct gpu_kept {
    int count;
    struct backend_lease leases[RUN_MAX_BLOCKS];
};

static void give_back(struct backend_stream *stream, struct gpu_kept *kept)
{
    const struct backend_host *host = &stream->device->host;
    for (int i = 0; i < kept->count; i++) {
        host->release_stream(host->user, &kept->leases[i], true);
    }
    kept->count = 0;
}

// Another launch may have put its own there meanwhile.
static void put_kept(struct backend_stream *stream, struct gpu_kept *kept)
{
    struct gpu_kept *other = NULL;
    if (kept != NULL && !atomic_compare_exchange_strong(&stream->kept, &other, kept)) {
        give_back(stream, kept);
        gpu_free(stream->device, kept, sizeof *kept);
    }
}

void gpu_kept_release(struct backend_stream *stream)
{
    if (atomic_load_explicit(&stream->kept, memory_order_relaxed) == NULL) {
        return;
    }
    struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL);
    if (kept != NULL) {
        give_back(stream, kept);
    }
    put_kept(stream, kept);
}

static bool keeps_some(const struct backend_stream *stream)
{
    return atomic_load_explicit(&stream->kept, memory_order_relaxed) != NULL;
}

// One that is busy is enough to keep them all: the launch that they were lent to has not joined its blocks.
static bool are_idle(const struct gpu_kept *kept)
{
    bool are = true;
    for (int i = 0; i < kept->count && are; i++) {
        are = gpu_stream_is_idle(kept->leases[i].stream);
    }
    return are;
}

void gpu_device_release_idle(struct backend_device *device)
{
    for (struct backend_stream *stream = gpu_stream_next(device, NULL, keeps_some); stream != NULL;
         stream = gpu_stream_next(device, stream, keeps_some)) {
        struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL); // a launch meanwhile does without
        if (kept != NULL && are_idle(kept)) {
            give_back(stream, kept);
        }
        put_kept(stream, kept);
    }
}

void gpu_kept_finish(struct backend_stream *stream)
{
    struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL);
    if (kept != NULL) {
        give_back(stream, kept);
        gpu_free(stream->device, kept, sizeof *kept);
    }
}

// The stream of block |index|: one that was kept, or one from the pool.
static rill_status lend(struct gpu_region *region, int index)
{
    struct gpu_walk *outer = region->outer;
    const struct backend_host *host = &outer->run->device->host;
    struct backend_lease *lease = &region->leases[index];
    if (region->kept != NULL && region->kept->count > 0) {
        *lease = region->kept->leases[--region->kept->count];
        return RILL_OK;
    }
    return host->acquire_stream(host->user, 1 - outer->lane->level, lease);
}

// Gives every block a stream and lets that wait for the fork. More streams than the device has queues would wait for
// each other in the hardware, and each costs two edges.
static rill_status fork_all(struct gpu_region *region)
{
    struct gpu_walk *outer = region->outer;
    struct backend_device *device = outer->run->device;
    struct backend_stream *stream = outer->run->stream;
    int queue_count = device->properties.queue_count;
    int block_count = region->node->child_count;
    int lane_count = queue_count > 0 && queue_count < block_count ? queue_count : block_count;
    region->kept = atomic_exchange(&stream->kept, NULL);
    if (region->kept == NULL) {
        region->kept = gpu_alloc(device, sizeof *region->kept); // without it, from the pool each time
    }
    RILL_TRY(device->driver->event_record(outer->lane->fork, outer->lane->handle));
    for (int i = 0; i < block_count; i++) {
        if (i >= lane_count) {
            region->lanes[i] = region->lanes[i - lane_count];
            continue;
        }
        RILL_TRY(lend(region, i));
        region->lanes[i] = &region->leases[i].stream->lane;
        region->lease_count = i + 1;
        region->open |= UINT64_C(1) << i;
        RILL_TRY(device->driver->stream_wait_event(region->lanes[i]->handle, outer->lane->fork));
    }
    return RILL_OK;
}

// Lets a block wait for those that it follows. What runs on its own lane went before it anyway; an end that a later
// block has marked again comes behind the one that is meant.
static rill_status begin_block(struct gpu_region *region, int index)
{
    const struct gpu_driver *driver = region->outer->run->device->driver;
    for (int i = 0; i < index; i++) {
        if ((region->earlier[index] & UINT64_C(1) << i) != 0 && region->lanes[i] != region->lanes[index]) {
            RILL_TRY(driver->stream_wait_event(region->lanes[index]->handle, region->lanes[i]->end));
        }
    }
    return RILL_OK;
}

static enum gpu_step run_block(struct gpu_region *region, int index)
{
    struct gpu_run *run = region->outer->run;
    uint64_t lease = UINT64_C(1) << index % region->lease_count;
    region->open |= lease;
    rill_status status = begin_block(region, index);
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    struct gpu_walk walk = {
        .run = run, .lane = region->lanes[index], .region = region->node, .block = region->node->children[index]};
    struct gpu_follow own;
    if (region->outer->follow != NULL) {
        own = gpu_follow_fork(region->outer, region->earlier[index] != 0 ? &region->causes[index] : NULL);
        own.group = index + 1;
        walk.follow = &own;
    }
    enum gpu_step step = walk_block(&walk, region->node->children[index]);
    if (walk.follow != NULL) {
        gpu_follow_join(&walk);
    }
    status = run->device->driver->event_record(region->lanes[index]->end, region->lanes[index]->handle);
    region->open &= status == RILL_OK ? ~lease : UINT64_MAX;
    return status == RILL_OK ? step : gpu_run_fail(run, status);
}

// The outer stream waits for every block that has begun, also after a failure. A stream whose join cannot be queued is
// not lent again.
static void join(struct gpu_region *region)
{
    struct gpu_run *run = region->outer->run;
    const struct gpu_driver *driver = run->device->driver;
    for (int i = region->lease_count - 1; i >= 0; i--) { // the first is lent first the next time
        struct gpu_lane *lane = region->lanes[i];
        bool is_open = (region->open & UINT64_C(1) << i) != 0;
        rill_status status = is_open ? driver->event_record(lane->end, lane->handle) : RILL_OK;
        status = status == RILL_OK ? driver->stream_wait_event(region->outer->lane->handle, lane->end) : status;
        if (status != RILL_OK) { // nothing else waits for the block, which uses the launch's memory
            gpu_run_fail(run, status);
            (void)(driver->stream_synchronize(lane->handle) == RILL_OK);
        }
        gpu_stream_number(region->leases[i].stream); // it may be busy: the pool asks before it lends it again
        if (status == RILL_OK && region->kept != NULL && region->kept->count < RUN_MAX_BLOCKS) {
            region->kept->leases[region->kept->count++] = region->leases[i];
        } else {
            run->device->host.release_stream(run->device->host.user, &region->leases[i], status == RILL_OK);
        }
    }
    put_kept(run->stream, region->kept);
}

// In a recording a block is what follows where it began and where the blocks ended that it follows.
static enum gpu_step record_blocks(struct gpu_region *region)
{
    struct gpu_walk *outer = region->outer;
    struct gpu_recording *recording = outer->run->recording;
    struct gpu_front ends[RUN_MAX_BLOCKS];
    struct gpu_front after = {.count = 0};
    for (int i = 0; i < region->node->child_count; i++) {
        struct gpu_walk walk = {.run = outer->run,
                                .front = outer->front,
                                .parent = outer->parent,
                                .region = region->node,
                                .block = region->node->children[i]};
        for (int k = 0; k < i; k++) {
            if ((region->earlier[i] & UINT64_C(1) << k) != 0) {
                gpu_front_join(recording, &walk.front, &ends[k]);
            }
        }
        if (walk_block(&walk, region->node->children[i]) == GPU_FAIL) {
            return GPU_FAIL;
        }
        ends[i] = walk.front;
        gpu_front_join(recording, &after, &ends[i]);
    }
    outer->front = after;
    return GPU_ON;
}

// In a capture a block follows, on the one stream, what was captured before the region and the blocks that it follows.
struct captured_front {
    void *nodes[CAPTURE_MAX_FRONT];
    size_t count;
};

static bool front_add(struct captured_front *front, const struct captured_front *more)
{
    for (size_t i = 0; i < more->count; i++) {
        bool has_it = false;
        for (size_t k = 0; k < front->count; k++) {
            has_it |= front->nodes[k] == more->nodes[i];
        }
        if (!has_it && front->count == CAPTURE_MAX_FRONT) {
            return false;
        }
        if (!has_it) {
            front->nodes[front->count++] = more->nodes[i];
        }
    }
    return true;
}

// What is captured next follows |front|.
static rill_status set_front(struct gpu_walk *outer, struct captured_front *front)
{
    return outer->run->device->driver->capture_set_front(outer->lane->handle, front->nodes, front->count);
}

static rill_status get_front(struct gpu_walk *outer, struct captured_front *out_front)
{
    return outer->run->device->driver->capture_front(outer->lane->handle, out_front->nodes, CAPTURE_MAX_FRONT,
                                                     &out_front->count);
}

static rill_status capture_block(struct gpu_region *region, int index, const struct captured_front *before,
                                 struct captured_front *ends)
{
    struct gpu_walk *outer = region->outer;
    struct captured_front front = *before;
    bool fits = true;
    for (int k = 0; k < index; k++) {
        if ((region->earlier[index] & UINT64_C(1) << k) != 0) {
            fits &= front_add(&front, &ends[k]);
        }
    }
    if (fits) { // else it follows the block before it, and so all that were captured
        RILL_TRY(set_front(outer, &front));
    }
    struct gpu_walk walk = {.run = outer->run, .lane = outer->lane, .follow = outer->follow};
    if (walk_block(&walk, region->node->children[index]) == GPU_FAIL) {
        return outer->run->status != RILL_OK ? outer->run->status : RILL_ERR_INTERNAL;
    }
    return get_front(outer, &ends[index]);
}

static enum gpu_step capture_blocks(struct gpu_region *region)
{
    struct gpu_walk *outer = region->outer;
    struct captured_front before;
    struct captured_front after = {.count = 0};
    struct backend_device *device = outer->run->device;
    size_t size = sizeof(struct captured_front) * (size_t)region->node->child_count;
    struct captured_front *ends = gpu_alloc(device, size); // 64 KB: too much for the stack of a small thread
    rill_status status =
        ends != NULL ? get_front(outer, &before)
                     : status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to capture %d blocks", region->node->child_count);
    for (int i = 0; i < region->node->child_count && status == RILL_OK; i++) {
        status = capture_block(region, i, &before, ends);
        if (status == RILL_OK && !front_add(&after, &ends[i])) {
            status = status_fail(RILL_ERR_LIMIT, "too many blocks to capture");
        }
    }
    status = status == RILL_OK ? set_front(outer, &after) : status;
    if (ends != NULL) {
        gpu_free(device, ends, size);
    }
    return status == RILL_OK ? GPU_ON : gpu_run_fail(outer->run, status);
}

static enum gpu_step walk_region(struct gpu_walk *walk, const struct plan_node *node, struct trace_cause *causes)
{
    struct gpu_run *run = walk->run;
    struct gpu_region region = {.outer = walk, .node = node, .causes = causes, .is_marked = true};
    // Text that blocks print comes in program order, and there is one buffer.
    if (node->child_count < 2 || run->kernel->may_print) {
        count_region(run, node, BACKEND_REGION_LIMITED);
        return walk_in_order(walk, node);
    }
    rill_status status = order_blocks(&region);
    if (run->has_failed) {
        return GPU_FAIL;
    }
    count_region(run, node,
                 !is_chain(&region) ? BACKEND_REGION_CONCURRENT
                 : region.is_marked ? BACKEND_REGION_MARKED
                                    : BACKEND_REGION_OVERLAP);
    if (status == RILL_OK) { // a block that decides counts on more than what tasks read
        bool may_decide = run->recording != NULL && run->kernel->reads_results;
        status = may_decide ? gpu_slots_settle(walk) : upload_all(walk, node);
    }
    if (status == RILL_OK && run->recording != NULL) {
        return record_blocks(&region);
    }
    if (status == RILL_OK && run->stream->is_capturing) {
        return capture_blocks(&region);
    }
    status = status == RILL_OK ? fork_all(&region) : status;
    enum gpu_step step = status == RILL_OK ? GPU_ON : gpu_run_fail(run, status);
    for (int i = 0; i < node->child_count && step != GPU_FAIL; i++) {
        step = run_block(&region, i);
    }
    join(&region);
    return run->status != RILL_OK ? GPU_FAIL : step;
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

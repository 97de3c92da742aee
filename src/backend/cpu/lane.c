// Lanes: streams of the context's pool that run the blocks of another stream's launches. A lane is a stream like any
// other, with an executor of its own; what is queued on it are blocks that may run at once, so that a lane which
// several launches share only makes them wait for each other.
#include "backend/cpu/stream.h"

#include "base/status.h"

#include <assert.h>

// Makes sure that a lane's executor has room for the blocks of |kernel|. A workspace that is in use is replaced before
// the next block.
static rill_status reserve(struct backend_stream *lane, const struct backend_kernel *kernel)
{
    struct cpu_need need = {.depth = kernel->depth, .partial_size = kernel->partial_size};
    rill_status status = RILL_OK;
    thread_latch_lock(&lane->lock);
    if (!need_fits(&lane->newest_need, &need)) {
        need = need_join(&need, &lane->newest_need);
        struct cpu_workspace *workspace = workspace_create(lane->device, &need);
        if (workspace == NULL) {
            status = status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for a block of kernel '%s'",
                                 ((const struct cpu_kernel *)kernel->own)->plan->name);
        } else {
            workspace_destroy(lane->device, lane->next_workspace);
            lane->next_workspace = workspace;
            lane->newest_need = need;
        }
    }
    thread_latch_unlock(&lane->lock);
    return status;
}

rill_status lanes_take(struct backend_stream *stream, const struct backend_kernel *kernel)
{
    assert(thread_latch_is_held(&stream->lock) && kernel->block_count <= EXEC_MAX_BLOCKS);
    struct backend_host *host = &stream->device->host;
    rill_status status = RILL_OK;
    stream->blocked_count++;
    while (status == RILL_OK && stream->lane_count < kernel->block_count) {
        status = host->acquire_stream(host->user, stream->priority, &stream->lanes[stream->lane_count]);
        stream->lane_count += status == RILL_OK;
    }
    for (int i = 0; status == RILL_OK && i < kernel->block_count; i++) {
        status = reserve(stream->lanes[i].stream, kernel);
    }
    if (status != RILL_OK) {
        lanes_leave(stream);
    }
    return status;
}

void lanes_leave(struct backend_stream *stream)
{
    assert(thread_latch_is_held(&stream->lock) && stream->blocked_count > 0);
    if (--stream->blocked_count > 0) {
        return;
    }
    struct backend_host *host = &stream->device->host;
    while (stream->lane_count > 0) {
        host->release_stream(host->user, &stream->lanes[--stream->lane_count], true);
    }
}

void cpu_stream_queue_block(struct backend_stream *lane, struct cpu_block *block, bool is_small)
{
    thread_latch_lock(&lane->lock);
    bool push = cpu_stream_append(lane, &block->op, CPU_OP_BLOCK);
    thread_latch_unlock(&lane->lock);
    if (push) { // nobody else has the lane now
        lane->job.owner = block->parent->run->queue;
    }
    if (push && is_small) {
        cpu_pool_push_small(&lane->device->pool, &lane->job);
    } else if (push) {
        cpu_pool_offer(&lane->device->pool, &lane->job); // the worker that opens the region takes one itself
    }
}

void cpu_stream_run_block(struct backend_stream *lane, struct cpu_block *block, struct cpu_worker *worker)
{
    thread_latch_lock(&lane->lock);
    struct cpu_workspace *next = lane->next_workspace;
    lane->next_workspace = NULL;
    thread_latch_unlock(&lane->lock);
    if (next != NULL) {
        cpu_stream_take_workspace(lane, next);
    }
    if (lane->device->trace != NULL) {
        block->cause.ready = lane->job.push_time;
    }
    lane->workspace->exec.lane = lane;
    region_run_block(&lane->workspace->exec, block, worker);
}

void cpu_stream_end_block(struct backend_stream *lane)
{
    cpu_stream_remove_first(lane);
    struct cpu_op *next = cpu_stream_first_op(lane);
    if (next != NULL) {
        lane->job.owner = next->kind == CPU_OP_BLOCK ? ((struct cpu_block *)next)->parent->run->queue : lane;
        cpu_pool_push(&lane->device->pool, &lane->job);
    }
}

#include "backend/gpu/defer.h"

#include "backend/gpu/image.h"
#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- putting off --------------------------------------------------------------------------------------------------

static void append(struct backend_stream *stream, struct gpu_op *op)
{
    struct backend_device *device = stream->device;
    assert(thread_latch_is_taken(&stream->order));
    op->next = NULL;
    if (stream->first_op == NULL) {
        stream->first_op = op;
    } else {
        stream->last_op->next = op;
    }
    stream->last_op = op;
    thread_lock(&device->lock);
    stream->ops_queued++;
    stream->launches_put_off += op->kind == GPU_OP_LAUNCH;
    device->deferring_count++;
    thread_unlock(&device->lock);
    gpu_wake_pump(device); // the callback may have returned meanwhile
}

static struct gpu_op *make(struct backend_stream *stream, const struct gpu_op *like, size_t data_size)
{
    struct gpu_op *op = gpu_alloc(stream->device, sizeof *op + data_size);
    if (op == NULL) {
        status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
        return NULL;
    }
    memcpy(op, like, sizeof *op);
    op->size = sizeof *op + data_size;
    return op;
}

rill_status gpu_defer(struct backend_stream *stream, const struct gpu_op *like, const void *data, size_t data_size)
{
    struct gpu_op *op = make(stream, like, data_size);
    if (op == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    if (data_size > 0) {
        memcpy(op->data, data, data_size);
    }
    append(stream, op);
    return RILL_OK;
}

static size_t host_size(const struct backend_host_memory *host)
{
    return host == NULL ? 0
                        : sizeof *host + (size_t)host->range_count * sizeof *host->ranges +
                              (size_t)host->param_count * sizeof *host->params;
}

// At |place|, which is aligned for pointers; |args| are those of the operation.
static struct backend_host_memory *keep_host(const struct backend_host_memory *host, void *place, void *args)
{
    struct backend_host_memory *kept = place;
    struct backend_host_range *ranges = (struct backend_host_range *)(kept + 1);
    void **params = (void **)(ranges + host->range_count);
    memcpy(ranges, host->ranges, (size_t)host->range_count * sizeof *ranges);
    memcpy(params, host->params, (size_t)host->param_count * sizeof *params);
    *kept = *host;
    kept->ranges = ranges;
    kept->params = params;
    kept->args = args;
    return kept;
}

rill_status gpu_defer_launch(struct backend_stream *stream, const struct backend_launch *launch)
{
    const struct plan_kernel *plan = launch->image->kernels[launch->kernel].plan;
    size_t args_size = (plan->args_size + 15) / 16 * 16;
    size_t sizes_size = (size_t)plan->param_count * sizeof(uint64_t);
    struct gpu_op like = {.kind = GPU_OP_LAUNCH, .u.launch = *launch};
    struct gpu_op *op = make(stream, &like, args_size + sizes_size + host_size(launch->host));
    if (op == NULL) {
        return RILL_ERR_OUT_OF_MEMORY;
    }
    memset(op->data, 0, args_size); // what the driver takes beyond the last argument too
    if (plan->args_size > 0) {
        memcpy(op->data, launch->args, plan->args_size);
    }
    if (sizes_size > 0) {
        memcpy(op->data + args_size, launch->array_sizes, sizes_size);
    }
    op->u.launch.args = op->data;
    op->u.launch.array_sizes = (const uint64_t *)(op->data + args_size);
    if (launch->host != NULL) {
        op->u.launch.host = keep_host(launch->host, op->data + args_size + sizes_size, op->data);
    }
    op->u.launch.must_not_wait = NULL; // nobody's call: the thread that issues it may wait for the device
    append(stream, op);
    return RILL_OK;
}

bool gpu_defer_is_full(struct backend_stream *stream)
{
    thread_lock(&stream->device->lock);
    bool is_full = stream->launches_put_off >= GPU_MAX_LAUNCHES;
    thread_unlock(&stream->device->lock);
    return is_full;
}

void gpu_defer_wait_for_room(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    gpu_count(&device->counters.ring_wait_count);
    thread_lock(&device->lock);
    while (stream->launches_put_off >= GPU_MAX_LAUNCHES) {
        thread_wait(&device->changed, &device->lock);
    }
    thread_unlock(&device->lock);
}

// ---- how far --------------------------------------------------------------------------------------------------

struct gpu_progress gpu_progress_wanted(struct backend_stream *stream)
{
    thread_lock(&stream->device->lock);
    struct gpu_progress wanted = {stream->ops_queued, stream->holds_queued};
    thread_unlock(&stream->device->lock);
    return wanted;
}

static bool is_made(const struct backend_stream *stream, struct gpu_progress wanted)
{
    return stream->ops_issued >= wanted.op_count && stream->holds_passed >= wanted.hold_count;
}

bool gpu_progress_is_made(struct backend_stream *stream, struct gpu_progress wanted)
{
    thread_lock(&stream->device->lock);
    bool made = is_made(stream, wanted);
    thread_unlock(&stream->device->lock);
    return made;
}

void gpu_progress_wait(struct backend_stream *stream, struct gpu_progress wanted)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    while (!is_made(stream, wanted)) {
        thread_wait(&device->changed, &device->lock);
    }
    thread_unlock(&device->lock);
}

// ---- issuing ------------------------------------------------------------------------------------------------------

static bool can_issue(const struct gpu_op *op)
{
    return op->kind != GPU_OP_WAIT || atomic_load(&op->u.mark->is_recorded);
}

static void issue_launch(struct backend_stream *stream, struct gpu_op *op)
{
    struct backend_launch *launch = &op->u.launch;
    if (gpu_stream_error(stream, launch->caller)) {
        gpu_count(&stream->device->counters.launch_skipped_count);
        return;
    }
    rill_status status = gpu_launch_now(stream, launch);
    if (status != RILL_OK) {
        gpu_launch_fail(stream, launch, status, false);
    }
}

static rill_status issue_copy(struct backend_stream *stream, struct gpu_op *op)
{
    if (gpu_stream_error(stream, NULL)) {
        return RILL_OK;
    }
    op->u.copy.source = op->u.copy.read != BACKEND_READ_LATER ? op->data : op->u.copy.source;
    return gpu_copy_now(stream, &op->u.copy);
}

static rill_status issue_fill(struct backend_stream *stream, struct gpu_op *op)
{
    if (gpu_stream_error(stream, NULL)) {
        return RILL_OK;
    }
    return gpu_fill_now(stream, op->u.fill.target, op->u.fill.count, op->data, op->u.fill.size);
}

static void release_mark(struct backend_stream *stream, struct gpu_mark *mark)
{
    thread_latch_lock(&stream->device->reap_lock);
    gpu_mark_release(stream->device, mark);
    thread_latch_unlock(&stream->device->reap_lock);
}

static void issue(struct backend_stream *stream, struct gpu_op *op)
{
    rill_status status = RILL_OK;
    switch (op->kind) {
    case GPU_OP_LAUNCH: issue_launch(stream, op); break;
    case GPU_OP_COPY: status = issue_copy(stream, op); break;
    case GPU_OP_FILL: status = issue_fill(stream, op); break;
    case GPU_OP_RECORD:
        status = gpu_record_now(stream, op->u.mark);
        release_mark(stream, op->u.mark);
        break;
    case GPU_OP_WAIT:
        status = gpu_wait_now(stream, op->u.mark, op->has_stood);
        release_mark(stream, op->u.mark);
        break;
    case GPU_OP_NOTIFY: status = gpu_notify_now(stream, op->u.notify.notice, op->u.notify.hold); break;
    }
    if (status != RILL_OK) { // no call is left that could return the failure
        gpu_stream_fail_as(stream, status, false);
    }
}

// True if something was issued.
static bool pump_stream(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    bool has_issued = false;
    void *before = gpu_stream_begin(stream);
    while (stream->first_op != NULL && !atomic_load(&stream->is_held) && can_issue(stream->first_op)) {
        struct gpu_op *op = stream->first_op;
        issue(stream, op);
        bool is_launch = op->kind == GPU_OP_LAUNCH;
        stream->first_op = op->next;
        gpu_free(device, op, op->size);
        thread_lock(&device->lock);
        stream->ops_issued++;
        assert(device->deferring_count > 0 && stream->ops_issued <= stream->ops_queued);
        stream->launches_put_off -= is_launch;
        device->deferring_count--;
        thread_broadcast(&device->changed);
        thread_unlock(&device->lock);
        has_issued = true;
    }
    if (stream->first_op != NULL && !atomic_load(&stream->is_held)) {
        stream->first_op->has_stood = true;
    }
    gpu_stream_end(stream, before);
    return has_issued;
}

static bool has_deferred(const struct backend_stream *stream)
{
    return stream->ops_queued != stream->ops_issued && !atomic_load(&stream->is_held);
}

void gpu_pump(struct backend_device *device)
{
    gpu_capture_collect(device, false);
    bool has_issued = true;
    while (has_issued) {
        has_issued = false;
        for (struct backend_stream *stream = gpu_stream_next(device, NULL, has_deferred); stream != NULL;
             stream = gpu_stream_next(device, stream, has_deferred)) {
            has_issued |= pump_stream(stream);
        }
    }
}

void gpu_wake_pump(struct backend_device *device)
{
    thread_lock(&device->lock);
    device->wants_pump = true;
    thread_broadcast(&device->changed);
    thread_unlock(&device->lock);
}

// A launch from its arguments to what the host wants to see of it afterwards.
#include "backend/gpu/defer.h"
#include "backend/gpu/sink.h"

#include "base/clock.h"
#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

rill_status gpu_run_make_shadow(struct gpu_run *run)
{
    struct backend_stream *stream = run->stream;
    const struct plan_kernel *plan = run->kernel->plan;
    size_t block_size = (plan->block_size + 15) / 16 * 16;
    size_t size = block_size + (size_t)plan->slot_count + 16;
    if (stream->scratch_size < size) {
        void *bigger = gpu_alloc(stream->device, 2 * size);
        if (bigger == NULL) {
            return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
        }
        gpu_free(stream->device, stream->scratch, stream->scratch_size);
        stream->scratch = bigger;
        stream->scratch_size = 2 * size;
    }
    memset(stream->scratch, 0, size);
    run->shadow = stream->scratch;
    run->slots = (unsigned char *)stream->scratch + block_size;
    run->values.block = run->shadow;
    return RILL_OK;
}

// The frame of a kernel that prints has its buffer behind it, which nobody needs cleared.
static rill_status make_print_frame(struct gpu_run *run)
{
    const struct gpu_driver *driver = run->device->driver;
    void *handle = run->stream->lane.handle;
    size_t size = sizeof(struct abi_gpu_frame) + PRINT_BUFFER_SIZE;
    RILL_TRY(gpu_ring_take(run->stream, GPU_RING_PLAIN, size, run->launch->must_not_wait, &run->frame));
    RILL_TRY(driver_set(driver, handle, run->frame, 0, 4, sizeof(struct abi_gpu_frame) / 4));
    return driver_set(driver, handle, run->frame + offsetof(struct abi_gpu_frame, print_size), PRINT_BUFFER_SIZE, 4, 1);
}

static rill_status make_frame(struct gpu_run *run)
{
    const struct gpu_kernel *kernel = run->kernel;
    backend_must_not_wait must_not_wait = run->launch->must_not_wait;
    if (kernel->needs_block) {
        RILL_TRY(gpu_ring_take(run->stream, GPU_RING_ZEROED, kernel->block_size, must_not_wait, &run->block));
    }
    if (kernel->may_print) {
        return make_print_frame(run);
    }
    if (kernel->may_fail) {
        return gpu_ring_take_frame(run->stream, must_not_wait, &run->frame, &run->record);
    }
    return RILL_OK;
}

// What lies in the pinned memory that a frame is watched with, one part behind the other.
struct watch_layout {
    size_t frame_size; // 0: the record is elsewhere
    size_t ends_size;
    size_t args_size;
    size_t sizes_size;
};

static struct watch_layout layout_of(const struct gpu_run *run)
{
    const struct plan_kernel *plan = run->kernel->plan;
    bool may_print = run->kernel->may_print;
    size_t frame_size = sizeof(struct abi_gpu_frame) + (may_print ? PRINT_BUFFER_SIZE : 0);
    return (struct watch_layout){.frame_size = run->record == NULL ? (frame_size + 15) / 16 * 16 : 0,
                                 .ends_size = may_print ? PRINT_ENDS * sizeof(uint64_t) : 0,
                                 .args_size = (plan->args_size + 15) / 16 * 16,
                                 .sizes_size = (size_t)plan->param_count * sizeof(uint64_t)};
}

// All that the host needs after the launch it takes before the first task: so that want of memory does not end a launch
// that has begun.
static rill_status prepare(struct gpu_run *run)
{
    RILL_TRY(make_frame(run));
    int watch_count = 0;
    if (run->frame != 0) {
        struct watch_layout layout = layout_of(run);
        size_t size = layout.frame_size + layout.ends_size + layout.args_size + layout.sizes_size;
        RILL_TRY(gpu_ring_take(run->stream, GPU_RING_PINNED, size, run->launch->must_not_wait, &run->watched));
        watch_count++;
    }
    if (run->launch->result_is_host && run->launch->result_size > 0) {
        RILL_TRY(gpu_ring_take(run->stream, GPU_RING_PINNED, run->launch->result_size, run->launch->must_not_wait,
                               &run->result));
        watch_count++;
    }
    return watch_count > 0 ? gpu_watch_reserve(run->stream, watch_count) : RILL_OK;
}

// ---- afterwards ---------------------------------------------------------------------------------------------------

// From where the device has it.
static rill_status copy_result(struct gpu_run *run, uint64_t source)
{
    const struct backend_launch *launch = run->launch;
    const struct gpu_driver *driver = run->device->driver;
    void *handle = run->stream->lane.handle;
    if (!launch->result_is_host) {
        return driver->copy(handle, (uint64_t)(uintptr_t)launch->result, source, launch->result_size);
    }
    RILL_TRY(driver->copy(handle, run->result, source, launch->result_size));
    struct gpu_watch watch = {.kind = GPU_WATCH_COPY,
                              .target = launch->result,
                              .source = (const void *)(uintptr_t)run->result,
                              .size = launch->result_size};
    return gpu_watch_add(run->stream, &watch);
}

static rill_status give_result(struct gpu_run *run)
{
    const struct backend_launch *launch = run->launch;
    if (launch->result == NULL || launch->result_size == 0) {
        return RILL_OK;
    }
    if (launch->result_source != NULL) {
        return copy_result(run, (uint64_t)(uintptr_t)launch->result_source);
    }
    int slot = gpu_slot_at(run->kernel->plan, 0);
    bool is_known = slot < 0 || run->slots[slot] != GPU_SLOT_DEVICE;
    if (launch->result_is_host && is_known) {
        memcpy(launch->result, run->shadow, launch->result_size); // the caller waits: nobody looks before
        return RILL_OK;
    }
    struct gpu_walk walk = {.run = run, .lane = &run->stream->lane};
    RILL_TRY(gpu_slot_upload(&walk, slot));
    return copy_result(run, run->block);
}

// Brings the failure record, and what was printed, to the host, with what its words need.
static rill_status watch_frame(struct gpu_run *run)
{
    const struct plan_kernel *plan = run->kernel->plan;
    const struct gpu_driver *driver = run->device->driver;
    void *handle = run->stream->lane.handle;
    if (run->frame == 0) {
        return RILL_OK;
    }
    struct watch_layout layout = layout_of(run);
    size_t ends_size = run->print_end_count * sizeof(uint64_t);
    uint64_t pinned = run->watched;
    char *ends = (char *)(uintptr_t)pinned + layout.frame_size;
    char *args = ends + layout.ends_size;
    char *sizes = args + layout.args_size;
    if (layout.frame_size > 0) {
        size_t size = sizeof(struct abi_gpu_frame) + (run->kernel->may_print ? PRINT_BUFFER_SIZE : 0);
        RILL_TRY(driver->copy(handle, pinned, run->frame, size));
    }
    if (ends_size > 0) {
        RILL_TRY(driver->copy(handle, (uint64_t)(uintptr_t)ends, run->print_ends, ends_size));
    }
    if (plan->args_size > 0) {
        memcpy(args, run->launch->args, plan->args_size);
    }
    if (layout.sizes_size > 0) {
        memcpy(sizes, run->launch->array_sizes, layout.sizes_size);
    }
    struct gpu_watch watch = {
        .kind = GPU_WATCH_FRAME,
        .frame = {.image = run->image,
                  .kernel = run->launch->kernel,
                  .frame = layout.frame_size > 0 ? (const struct abi_gpu_frame *)(uintptr_t)pinned : run->record,
                  .print_ends = (const uint64_t *)ends,
                  .print_end_count = run->print_end_count,
                  .args = args,
                  .array_sizes = (const uint64_t *)sizes,
                  .caller = run->launch->caller}};
    return gpu_watch_add(run->stream, &watch);
}

// ---- room --------------------------------------------------------------------------------------------------------

static rill_status make_ticks(struct backend_stream *stream)
{
    for (int i = 0; i < GPU_TICKS; i++) {
        if (stream->ticks[i] == NULL) {
            RILL_TRY(driver_event_create(stream->device->driver, false, &stream->ticks[i]));
        }
    }
    return RILL_OK;
}

rill_status gpu_stream_make_room(struct backend_stream *stream, backend_must_not_wait must_not_wait)
{
    uint64_t number = stream->launch_count++;
    bool has_tick = number % GPU_LAUNCHES_A_TICK == 0 && number > 0;
    if (!has_tick && number != GPU_TICKS_BEGIN) {
        return RILL_OK;
    }
    RILL_TRY(make_ticks(stream));
    if (!has_tick) {
        return RILL_OK;
    }
    const struct gpu_driver *driver = stream->device->driver;
    void *tick = stream->ticks[number / GPU_LAUNCHES_A_TICK % GPU_TICKS];
    bool is_used = number > GPU_MAX_LAUNCHES;
    if (is_used && driver_event_query(driver, tick) == RILL_ERR_NOT_READY && backend_may_wait(must_not_wait)) {
        gpu_count(&stream->device->counters.ring_wait_count);
        RILL_TRY(driver_event_synchronize(driver, tick));
    }
    return driver_event_record(driver, tick, stream->lane.handle);
}

// ---- the launch ---------------------------------------------------------------------------------------------------

static void walk_plan(struct gpu_run *run)
{
    struct gpu_walk walk = {.run = run, .lane = &run->stream->lane, .follow = run->stream->follow};
    if (run->kernel->plan->root != NULL) {
        gpu_walk_node(&walk, run->kernel->plan->root);
    }
}

static struct gpu_common common_of(const struct gpu_run *run)
{
    return (struct gpu_common){.image = run->image,
                               .kernel = run->launch->kernel,
                               .args = run->launch->args,
                               .args_size = run->kernel->plan->args_size,
                               .array_sizes = run->launch->array_sizes,
                               .block = run->block,
                               .frame = run->frame};
}

static rill_status record_and_replay(struct gpu_run *run, bool *out_is_done)
{
    struct backend_stream *stream = run->stream;
    assert(!stream->is_capturing);
    if (stream->recording == NULL) {
        stream->recording = gpu_alloc(stream->device, sizeof *stream->recording);
        if (stream->recording == NULL) {
            return RILL_OK; // without it, the other way
        }
    }
    run->recording = stream->recording;
    run->sink = &gpu_sink_recorded;
    gpu_recording_begin(run->recording);
    RILL_TRY(gpu_run_make_shadow(run));
    walk_plan(run);
    struct gpu_recording *recording = run->recording;
    run->recording = NULL;
    run->sink = &gpu_sink_direct;
    if (run->status != RILL_OK || run->has_failed) {
        *out_is_done = true;
        return RILL_OK;
    }
    struct gpu_common common = common_of(run);
    return recording->is_over ? RILL_OK : gpu_graph_replay(stream, recording, &common, out_is_done);
}

// What was recorded before, if the arguments that decide are the same.
static rill_status recall(struct gpu_run *run, bool *out_is_done)
{
    struct gpu_common common = common_of(run);
    return gpu_graph_again(run->stream, &common, out_is_done);
}

// Task by task, perhaps after a recording that is not replayed this time.
static rill_status walk_again(struct gpu_run *run, bool was_recorded)
{
    assert(run->recording == NULL && !run->sink->decides_on_device);
    RILL_TRY(gpu_run_make_shadow(run));
    run->is_second = was_recorded;
    uint64_t begin = run->stream->told != NULL ? clock_now() : 0;
    walk_plan(run);
    if (run->stream->told != NULL) {
        gpu_graph_tell(run->stream, clock_now() - begin);
    }
    return RILL_OK;
}

static rill_status run_plan(struct gpu_run *run)
{
    bool is_captured = run->stream->is_capturing;
    if (!is_captured) {
        RILL_TRY(gpu_stream_make_room(run->stream, run->launch->must_not_wait));
    }
    RILL_TRY(prepare(run));
    struct backend_device *device = run->device;
    bool fits = run->kernel->is_graphable || (run->kernel->is_conditional && device->properties.has_conditions);
    // Where an array lies is asked each time: the same address may be another memory's the next time.
    bool is_recorded = !is_captured && fits && !run->is_remote && device->properties.has_graphs &&
                       device->graph_mode != BACKEND_GRAPH_OFF;
    bool is_done = false;
    run->stream->told = NULL;
    if (is_recorded) {
        RILL_TRY(recall(run, &is_done));
    }
    if (is_recorded && !is_done) {
        RILL_TRY(record_and_replay(run, &is_done));
    }
    if (!is_done) {
        RILL_TRY(walk_again(run, is_recorded));
    }
    // Also after a failure: what was launched may have failed and printed.
    rill_status status = watch_frame(run);
    status = run->status != RILL_OK ? run->status : status;
    return status == RILL_OK && !run->has_failed ? give_result(run) : status;
}

// What the driver or Rill itself says of a launch that failed names no kernel; what a stream cannot take at all does.
static rill_status name_failure(const struct backend_stream *stream, const struct plan_kernel *kernel,
                                rill_status status)
{
    if (!stream->has_begun && (status == RILL_ERR_IN_CALLBACK || status == RILL_ERR_CAPTURING)) {
        return status;
    }
    char text[512];
    snprintf(text, sizeof text, "%s", rill_message());
    return status_fail(status, "kernel '%s' was %s: %s", kernel->name,
                       stream->has_begun ? "launched only in part" : "not launched", text);
}

static rill_status launch_plan(struct backend_stream *stream, const struct backend_launch *launch)
{
    assert(0 <= launch->kernel && launch->kernel < launch->image->plan->kernel_count);
    struct backend_device *device = stream->device;
    const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
    struct gpu_run run = {.device = device,
                          .stream = stream,
                          .image = launch->image,
                          .kernel = kernel,
                          .launch = launch,
                          .sink = stream->is_capturing ? &gpu_sink_captured : &gpu_sink_direct,
                          .is_remote = gpu_launch_is_remote(device, launch),
                          .values = {.kernel = kernel->plan,
                                     .args = launch->args,
                                     .array_sizes = launch->array_sizes,
                                     .field_addresses = launch->image->field_addresses,
                                     .field_sizes = launch->image->field_sizes}};
    run.status = run_plan(&run);
    return launch->host != NULL ? gpu_host_end(&run) : run.status;
}

rill_status gpu_launch_now(struct backend_stream *stream, const struct backend_launch *launch)
{
    assert(thread_latch_is_taken(&stream->order));
    const struct plan_kernel *kernel = launch->image->kernels[launch->kernel].plan;
    stream->has_begun = false;
    rill_status status = launch->host != NULL ? gpu_host_begin(stream, launch) : RILL_OK;
    status = status == RILL_OK ? launch_plan(stream, launch) : status;
    gpu_trace_kernel(stream, kernel->name);
    if (!stream->is_capturing) {
        gpu_stream_number(stream);
        rill_status sealed = gpu_ring_seal(stream);
        status = gpu_note_loss(stream->device, status != RILL_OK ? status : sealed);
    }
    return status == RILL_OK ? RILL_OK : name_failure(stream, kernel, status);
}

void gpu_launch_fail(struct backend_stream *stream, const struct backend_launch *launch, rill_status status,
                     bool was_returned)
{
    struct backend_error error = {.status = status, .stream = stream->id, .was_returned = was_returned};
    snprintf(error.text, sizeof error.text, "%s", rill_message());
    snprintf(error.kernel, sizeof error.kernel, "%s", launch->image->kernels[launch->kernel].plan->name);
    if (launch->caller != NULL) {
        *launch->caller = error;
        return;
    }
    thread_latch_lock(&stream->device->reap_lock);
    gpu_stream_fail(stream, &error);
    thread_latch_unlock(&stream->device->reap_lock);
}

// Nothing of a launch that the driver took in part can be taken back: its stream has the error, or the caller who waits
// for it, whose memory it must not touch any more when the call has returned.
static void settle_failed(struct backend_stream *stream, const struct backend_launch *launch, rill_status status)
{
    if (!stream->has_begun) {
        return;
    }
    gpu_launch_fail(stream, launch, status, true);
    if (launch->caller != NULL && !stream->is_capturing) {
        uint64_t number;
        gpu_stream_note_last(stream);
        (void)(gpu_note_loss(stream->device, gpu_stream_await(stream, &number)) == RILL_OK);
        gpu_reap(stream, number);
        status_fail(status, "%s", launch->caller->text);
    }
}

static rill_status launch_captured(struct backend_stream *stream, const struct backend_launch *launch)
{
    const struct gpu_kernel *kernel = &launch->image->kernels[launch->kernel];
    if (kernel->may_print) {
        return gpu_capture_refuse("a kernel that prints cannot be launched there");
    }
    if (kernel->reads_control) {
        return gpu_capture_refuse("a kernel that waits for what its tasks compute cannot be launched there");
    }
    return gpu_launch_now(stream, launch);
}

// |out_is_full|: nothing was queued, and the call has to wait until fewer launches are put off.
static rill_status try_launch(struct backend_stream *stream, const struct backend_launch *launch, bool *out_is_full)
{
    *out_is_full = false;
    RILL_TRY(gpu_stream_refuse(stream));
    // A callback must not wait for what tasks compute; the back end's own thread may.
    bool is_for_others =
        launch->image->kernels[launch->kernel].reads_control && !backend_may_wait(launch->must_not_wait);
    if (is_for_others) {
        RILL_TRY(gpu_notify_start(stream->device));
    }
    RILL_TRY(gpu_stream_check_thread(stream));
    void *before = gpu_stream_begin(stream);
    stream->has_begun = false;
    rill_status status = gpu_capture_begin(stream);
    if (status == RILL_OK && stream->is_capturing) {
        status = launch_captured(stream, launch);
    } else if (status == RILL_OK && (is_for_others || gpu_defers(stream))) {
        *out_is_full = gpu_defer_is_full(stream) && backend_may_wait(launch->must_not_wait);
        status = *out_is_full ? RILL_OK : gpu_defer_launch(stream, launch);
    } else if (status == RILL_OK) {
        status = gpu_launch_now(stream, launch);
    }
    if (status != RILL_OK) {
        settle_failed(stream, launch, status);
    } else if (!*out_is_full) {
        gpu_total(&stream->totals.launch_count, 1);
    }
    gpu_stream_end(stream, before);
    return status;
}

static rill_status launch_any(struct backend_stream *stream, const struct backend_launch *launch)
{
    bool is_full;
    rill_status status = try_launch(stream, launch, &is_full);
    while (is_full) {
        gpu_defer_wait_for_room(stream);
        status = try_launch(stream, launch, &is_full);
    }
    return status;
}

rill_status gpu_launch(struct backend_stream *stream, const struct backend_launch *launch)
{
    const struct backend_device *device = stream->device;
    if (!device->properties.has_ranges) {
        return launch_any(stream, launch);
    }
    device->driver->range_push(launch->image->kernels[launch->kernel].plan->name);
    rill_status status = launch_any(stream, launch);
    device->driver->range_pop();
    return status;
}

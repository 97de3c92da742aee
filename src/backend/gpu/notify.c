// Notices: a host function of the driver only says that the stream has come to the place; a thread of the back end then
// does what is to be done, because inside a host function nothing of the driver may be called.
#include "backend/gpu/defer.h"

#include "base/status.h"

#include <assert.h>

// Moves a notice to the list of those to be called. The lock is held.
static void make_ready(struct backend_device *device, struct gpu_notice *notice)
{
    if (notice->is_signalled) {
        return;
    }
    notice->is_signalled = true;
    notice->next = NULL;
    if (device->first_ready == NULL) {
        device->first_ready = notice;
    } else {
        device->last_ready->next = notice;
    }
    device->last_ready = notice;
    thread_broadcast(&device->changed);
}

// Runs on a thread of the driver.
static void signal_notice(void *user)
{
    struct gpu_notice *notice = user;
    struct backend_device *device = notice->stream->device;
    thread_lock(&device->lock);
    thread_publish(notice);
    make_ready(device, notice);
    thread_unlock(&device->lock);
}

void gpu_notify_all(struct backend_device *device)
{
    thread_lock(&device->lock);
    for (struct gpu_notice *notice = device->all_notices; notice != NULL; notice = notice->all_next) {
        make_ready(device, notice);
    }
    thread_unlock(&device->lock);
}

static void call(struct backend_device *device, struct gpu_notice *notice)
{
    struct backend_stream *stream = notice->stream;
    thread_observe(notice);
    gpu_reap(stream, notice->sequence);
    struct backend_error error;
    bool has_error = gpu_stream_error(stream, &error);
    notice->function(notice->arg, has_error ? &error : NULL);
    thread_lock(&device->lock);
    *notice->all_link = notice->all_next;
    if (notice->all_next != NULL) {
        notice->all_next->all_link = notice->all_link;
    }
    stream->notices_called++;
    assert(stream->notices_called <= stream->notices_queued);
    thread_broadcast(&device->changed);
    thread_unlock(&device->lock);
    gpu_free(device, notice, sizeof *notice);
    gpu_stream_unreference(stream);
}

static void *run_notifier(void *arg)
{
    struct backend_device *device = arg;
    void *before = device->driver->enter(device->context);
    thread_lock(&device->lock);
    device->notifier_self = pthread_self();
    device->has_notifier = true;
    for (;;) {
        while (device->first_ready == NULL && !device->wants_pump && !device->is_closing) {
            thread_wait(&device->changed, &device->lock);
        }
        struct gpu_notice *notice = device->first_ready;
        bool wants_pump = device->wants_pump;
        if (notice == NULL && !wants_pump) {
            break;
        }
        device->wants_pump = false;
        if (notice != NULL) {
            device->first_ready = notice->next;
        }
        thread_unlock(&device->lock);
        if (wants_pump) {
            gpu_pump(device);
        }
        if (notice != NULL) {
            call(device, notice);
        }
        thread_lock(&device->lock);
    }
    thread_unlock(&device->lock);
    device->driver->leave(device->context, before);
    return NULL;
}

rill_status gpu_notify_start(struct backend_device *device)
{
    thread_lock(&device->notifier_lock);
    rill_status status = RILL_OK;
    if (!device->notifier.is_started) {
        status = thread_start(&device->notifier, "rill-gpu", run_notifier, device);
    }
    thread_unlock(&device->notifier_lock);
    return status;
}

void gpu_notify_finish(struct backend_device *device)
{
    thread_lock(&device->lock);
    device->is_closing = true;
    thread_broadcast(&device->changed);
    thread_unlock(&device->lock);
    thread_join(&device->notifier);
}

static void add(struct backend_stream *stream, struct gpu_notice *notice)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    notice->all_next = device->all_notices;
    notice->all_link = &device->all_notices;
    if (notice->all_next != NULL) {
        notice->all_next->all_link = &notice->all_next;
    }
    device->all_notices = notice;
    thread_unlock(&device->lock);
}

// In another thread's default stream nothing can be put: a stream that has waited for it does as well.
static rill_status put_function(struct backend_stream *stream, struct gpu_notice *notice)
{
    const struct gpu_driver *driver = stream->device->driver;
    void *handle = stream->lane.handle;
    if (gpu_stream_check_thread(stream) != RILL_OK) {
        handle = stream->device->service;
        RILL_TRY(driver_stream_wait_event(driver, handle, stream->last));
    }
    return driver->host_function(handle, signal_notice, notice);
}

// The notice will be called whatever happens, and behind one that holds somebody will proceed.
rill_status gpu_notify_now(struct backend_stream *stream, struct gpu_notice *notice, bool hold)
{
    struct backend_device *device = stream->device;
    assert(thread_latch_is_taken(&stream->order));
    notice->sequence = gpu_stream_number(stream);
    add(stream, notice);
    if (hold) {
        gpu_trace_other(stream, "a callback");
        atomic_store(&stream->is_held, true);
    }
    rill_status status = put_function(stream, notice);
    if (status == RILL_OK) {
        return RILL_OK;
    }
    status = gpu_note_loss(device, status);
    if (!atomic_load(&device->is_lost)) { // what the notice lets go is in use until the stream has come here
        uint64_t number;
        gpu_stream_note_last(stream);
        (void)(gpu_stream_await(stream, &number) == RILL_OK);
    }
    thread_lock(&device->lock);
    make_ready(device, notice);
    thread_unlock(&device->lock);
    return status;
}

rill_status gpu_notify(struct backend_stream *stream, backend_notice *function, void *arg, bool hold)
{
    struct backend_device *device = stream->device;
    RILL_TRY(gpu_notify_start(device));
    struct gpu_notice *notice = gpu_alloc(device, sizeof *notice);
    if (notice == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
    }
    notice->stream = stream;
    notice->function = function;
    notice->arg = arg;
    // One for the notice, one for this call: the notice may be called, and let the stream go, before the call ends.
    atomic_fetch_add(&stream->reference_count, 2);
    void *before = gpu_stream_begin(stream);
    thread_lock(&device->lock);
    stream->notices_queued++;
    stream->holds_queued += hold;
    thread_unlock(&device->lock);
    rill_status status = gpu_capture_begin(stream);
    if (status == RILL_OK && stream->is_capturing) {
        status = gpu_capture_refuse("it takes no callback");
    } else if (status == RILL_OK && hold && stream->is_per_thread) {
        status = status_fail(RILL_ERR_UNSUPPORTED, "a per-thread default stream takes no callback");
    } else if (status != RILL_OK) {
        // nothing is queued
    } else if (gpu_defers(stream)) {
        struct gpu_op op = {.kind = GPU_OP_NOTIFY, .u.notify = {.notice = notice, .hold = hold}};
        status = gpu_defer(stream, &op, NULL, 0);
    } else if (gpu_notify_now(stream, notice, hold) != RILL_OK) {
        backend_log(&device->host, BACKEND_LOG_ERROR, "the call waited for the place of a callback: %s",
                    rill_message());
    }
    if (status != RILL_OK) {
        thread_lock(&device->lock);
        stream->notices_queued--;
        stream->holds_queued -= hold;
        thread_unlock(&device->lock);
        gpu_free(device, notice, sizeof *notice);
        atomic_fetch_sub(&stream->reference_count, 1); // the caller has one
    }
    gpu_stream_end(stream, before);
    gpu_stream_unreference(stream);
    return status;
}

// From the moment that the stream goes on it may be gone.
void gpu_proceed(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    stream->holds_passed++;
    atomic_store(&stream->is_held, false);
    device->wants_pump = true;
    thread_broadcast(&device->changed);
    thread_unlock(&device->lock);
}

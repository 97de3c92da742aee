// Notices: a host function of the driver only says that the stream has come to the place; a thread of the back end then
// does what is to be done, because inside a host function nothing of the driver may be called.
#include "backend/gpu/device.h"

#include "base/status.h"

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

// Where a stream cannot wait for a word, a host function waits in its place.
static void hold_here(void *user)
{
    struct backend_stream *stream = user;
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    uint32_t target = stream->held_count + 1;
    while (__atomic_load_n(stream->hold_word, __ATOMIC_ACQUIRE) < target) {
        thread_wait(&device->changed, &device->lock);
    }
    stream->held_count = target;
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
        while (device->first_ready == NULL && !device->is_closing) {
            thread_wait(&device->changed, &device->lock);
        }
        struct gpu_notice *notice = device->first_ready;
        if (notice == NULL) {
            break;
        }
        device->first_ready = notice->next;
        thread_unlock(&device->lock);
        call(device, notice);
        thread_lock(&device->lock);
    }
    thread_unlock(&device->lock);
    device->driver->leave(device->context, before);
    return NULL;
}

static rill_status start_notifier(struct backend_device *device)
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
    stream->notices_queued++;
    thread_unlock(&device->lock);
}

static void take_back(struct backend_stream *stream, struct gpu_notice *notice)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    *notice->all_link = notice->all_next;
    if (notice->all_next != NULL) {
        notice->all_next->all_link = notice->all_link;
    }
    stream->notices_queued--;
    thread_unlock(&device->lock);
    gpu_free(device, notice, sizeof *notice);
    atomic_fetch_sub(&stream->reference_count, 1); // the caller has one
}

// The stream's |order| is held. Most streams never need one, and pinned memory is dear.
static rill_status make_hold_word(struct backend_stream *stream)
{
    if (stream->hold_word != NULL) {
        return RILL_OK;
    }
    void *word;
    RILL_TRY(stream->device->driver->pinned_alloc(stream->device->context, sizeof *stream->hold_word, &word));
    stream->hold_word = word;
    *stream->hold_word = 0;
    return RILL_OK;
}

// The stream's |order| is held.
static rill_status queue(struct backend_stream *stream, struct gpu_notice *notice, bool hold)
{
    struct backend_device *device = stream->device;
    const struct gpu_driver *driver = device->driver;
    notice->sequence = gpu_stream_number(stream);
    add(stream, notice);
    rill_status status = driver->host_function(stream->lane.handle, signal_notice, notice);
    if (status != RILL_OK) {
        take_back(stream, notice);
        return gpu_note_loss(device, status);
    }
    if (!hold) {
        return RILL_OK;
    }
    // From here on the notice will be called whatever happens, and somebody will proceed.
    uint32_t target = ++stream->hold_count;
    status = device->properties.has_wait_value
                 ? driver->stream_wait_value(stream->lane.handle, stream->hold_word, target)
                 : driver->host_function(stream->lane.handle, hold_here, stream);
    if (status != RILL_OK) {
        gpu_log(device, BACKEND_LOG_ERROR, "a stream does not wait for its callback: %s", rill_message());
    }
    gpu_stream_number(stream);
    return RILL_OK;
}

rill_status gpu_notify(struct backend_stream *stream, backend_notice *function, void *arg, bool hold)
{
    struct backend_device *device = stream->device;
    RILL_TRY(start_notifier(device));
    struct gpu_notice *notice = gpu_alloc(device, sizeof *notice);
    if (notice == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to queue work on a stream");
    }
    notice->stream = stream;
    notice->function = function;
    notice->arg = arg;
    atomic_fetch_add(&stream->reference_count, 1);
    void *before = gpu_stream_begin(stream);
    rill_status status = hold ? make_hold_word(stream) : RILL_OK;
    if (status == RILL_OK) {
        status = queue(stream, notice, hold);
    } else {
        gpu_free(device, notice, sizeof *notice);
        atomic_fetch_sub(&stream->reference_count, 1); // the caller has one
    }
    gpu_stream_end(stream, before);
    return status;
}

void gpu_proceed(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    // The word is what the stream waits for: from the store on the stream may be gone.
    bool has_wait_value = device->properties.has_wait_value;
    thread_lock(&device->lock);
    __atomic_add_fetch(stream->hold_word, 1, __ATOMIC_RELEASE);
    if (!has_wait_value) {
        thread_broadcast(&device->changed);
    }
    thread_unlock(&device->lock);
}

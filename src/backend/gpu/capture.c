// Launches on a stream that is being captured into a graph. They go to the driver task by task, and the memory that
// such a launch needs (its block, its failure record, partial records) is made for the graph and goes with it. The
// graph may outlive the stream, the module and the device; the driver says when it is gone on a thread of its own, from
// which nothing may be called, so that the memory is freed by the back end's own thread.
#include "backend/gpu/defer.h"
#include "backend/gpu/image.h"
#include "backend/gpu/memory.h"

#include "base/status.h"

#include <assert.h>
#include <stdlib.h>

// Outlives the device while graphs are left.
struct gpu_home {
    struct thread_mutex lock;
    struct backend_device *device; // guarded by lock; NULL: closed
    atomic_int reference_count;
};

struct gpu_piece {
    struct gpu_piece *next;
    uint64_t address;
    size_t size;
    bool is_pinned;
};

struct gpu_captured {
    struct gpu_captured *next; // among the device's; guarded by reap_lock, and so is what follows
    struct gpu_home *home;     // one reference
    atomic_int reference_count;
    struct backend_stream *stream; // that was captured; NULL: gone
    bool is_gone;                  // the graph is
    bool has_frame;
    struct gpu_frame_watch frame;
    struct gpu_piece *pieces; // owned
};

rill_status gpu_capture_refuse(const char *what)
{
    return status_fail(RILL_ERR_CAPTURING, "the stream is being captured into a graph: %s", what);
}

// ---- lifetime -----------------------------------------------------------------------------------------------------

static void release_home(struct gpu_home *home)
{
    if (home != NULL && atomic_fetch_sub(&home->reference_count, 1) == 1) {
        thread_mutex_finish(&home->lock);
        free(home);
    }
}

static void release(struct gpu_captured *captured)
{
    assert(atomic_load(&captured->reference_count) > 0);
    if (atomic_fetch_sub(&captured->reference_count, 1) == 1) {
        release_home(captured->home);
        free(captured);
    }
}

// Runs on a thread of the driver.
static void graph_is_gone(void *user)
{
    struct gpu_captured *captured = user;
    thread_lock(&captured->home->lock);
    struct backend_device *device = captured->home->device;
    if (device != NULL) {
        thread_latch_lock(&device->reap_lock);
        captured->is_gone = true;
        thread_latch_unlock(&device->reap_lock);
        gpu_wake_pump(device);
    }
    thread_unlock(&captured->home->lock);
    release(captured);
}

static struct gpu_home *home_of(struct backend_device *device)
{
    thread_latch_lock(&device->reap_lock);
    if (device->home == NULL) {
        device->home = calloc(1, sizeof *device->home);
        if (device->home != NULL) {
            thread_mutex_init(&device->home->lock);
            device->home->device = device;
            atomic_store(&device->home->reference_count, 1);
        }
    }
    struct gpu_home *home = device->home;
    if (home != NULL) {
        atomic_fetch_add(&home->reference_count, 1);
    }
    thread_latch_unlock(&device->reap_lock);
    return home;
}

static void free_pieces(struct backend_device *device, struct gpu_captured *captured)
{
    const struct gpu_driver *driver = device->driver;
    while (captured->pieces != NULL) {
        struct gpu_piece *piece = captured->pieces;
        captured->pieces = piece->next;
        if (piece->is_pinned) {
            driver_pinned_free(driver, (void *)(uintptr_t)piece->address);
        } else {
            gpu_memory_give(device, device->service, piece->address, piece->size);
        }
        gpu_free(device, piece, sizeof *piece);
    }
}

// Takes one that is gone, or any, out of the list. NULL: none.
static struct gpu_captured *take_gone(struct backend_device *device, bool all)
{
    thread_latch_lock(&device->reap_lock);
    struct gpu_captured **link = &device->captured;
    while (*link != NULL && !all && !(*link)->is_gone) {
        link = &(*link)->next;
    }
    struct gpu_captured *captured = *link;
    if (captured != NULL) {
        *link = captured->next;
    }
    thread_latch_unlock(&device->reap_lock);
    return captured;
}

void gpu_capture_collect(struct backend_device *device, bool all)
{
    for (;;) {
        struct gpu_captured *captured = take_gone(device, all);
        if (captured == NULL) {
            break;
        }
        free_pieces(device, captured);
        release(captured);
    }
    if (all && device->home != NULL) {
        thread_lock(&device->home->lock);
        device->home->device = NULL;
        thread_unlock(&device->home->lock);
        release_home(device->home);
        device->home = NULL;
    }
}

// What belongs to the graph of the operation under way.
static rill_status make_captured(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    RILL_TRY(gpu_notify_start(device)); // frees it one day
    struct gpu_captured *captured = calloc(1, sizeof *captured);
    struct gpu_home *home = captured != NULL ? home_of(device) : NULL;
    if (home == NULL) {
        free(captured);
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to capture a launch");
    }
    captured->home = home;
    captured->stream = stream;
    atomic_store(&captured->reference_count, 2); // the device's and the graph's
    thread_latch_lock(&device->reap_lock);
    captured->next = device->captured;
    device->captured = captured;
    thread_latch_unlock(&device->reap_lock);
    RILL_TRY(driver_capture_keep(device->driver, stream->lane.handle, graph_is_gone, captured));
    stream->captured = captured;
    return RILL_OK;
}

// ---- an operation -------------------------------------------------------------------------------------------------

rill_status gpu_capture_ask(struct backend_stream *stream)
{
    const struct gpu_driver *driver = stream->device->driver;
    return driver_stream_is_capturing(driver, stream->lane.handle, &stream->is_capturing);
}

void gpu_capture_end(struct backend_stream *stream)
{
    stream->is_capturing = false;
    stream->captured = NULL;
}

static rill_status alloc_piece(struct backend_device *device, size_t size, struct gpu_piece *piece)
{
    const struct gpu_driver *driver = device->driver;
    if (piece->is_pinned) {
        void *memory = NULL;
        RILL_TRY(driver_pinned_alloc(driver, size, &memory));
        piece->address = (uint64_t)(uintptr_t)memory;
        return RILL_OK;
    }
    RILL_TRY(gpu_memory_take(device, device->service, size, &piece->address));
    rill_status status = driver_stream_synchronize(driver, device->service);
    if (status != RILL_OK) {
        gpu_memory_give(device, device->service, piece->address, size);
    }
    return status;
}

rill_status gpu_capture_take(struct backend_stream *stream, enum gpu_ring_kind kind, size_t size, uint64_t *out_address)
{
    assert(stream->is_capturing && thread_latch_is_taken(&stream->order));
    struct backend_device *device = stream->device;
    if (stream->captured == NULL) {
        RILL_TRY(make_captured(stream));
    }
    struct gpu_piece *piece = gpu_alloc(device, sizeof *piece);
    if (piece == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory to capture a launch");
    }
    piece->is_pinned = kind == GPU_RING_PINNED;
    piece->size = size;
    rill_status status = alloc_piece(device, size, piece);
    if (status != RILL_OK) {
        gpu_free(device, piece, sizeof *piece);
        return status;
    }
    thread_latch_lock(&device->reap_lock);
    piece->next = stream->captured->pieces;
    stream->captured->pieces = piece;
    thread_latch_unlock(&device->reap_lock);
    *out_address = piece->address;
    // Cleared by the graph itself, each time that it runs.
    return kind == GPU_RING_ZEROED ? driver_set(device->driver, stream->lane.handle, piece->address, 0, 4, size / 4)
                                   : RILL_OK;
}

// ---- failures -----------------------------------------------------------------------------------------------------

void gpu_capture_watch(struct backend_stream *stream, const struct gpu_frame_watch *watch)
{
    thread_latch_lock(&stream->device->reap_lock);
    stream->captured->frame = *watch;
    stream->captured->has_frame = true;
    thread_latch_unlock(&stream->device->reap_lock);
}

// Whether a graph that was captured here has failed since. Nobody knows when it runs: who asks looks.
void gpu_capture_look(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    thread_latch_lock(&device->reap_lock);
    for (struct gpu_captured *captured = device->captured; captured != NULL; captured = captured->next) {
        bool is_seen = captured->stream == stream && captured->has_frame && !captured->is_gone;
        if (is_seen && captured->frame.image != NULL && captured->frame.frame->published != 0) {
            gpu_frame_look(stream, &captured->frame);
            struct abi_gpu_frame *frame = (struct abi_gpu_frame *)(uintptr_t)captured->frame.frame;
            frame->published = 0; // until it fails again
        }
    }
    thread_latch_unlock(&device->reap_lock);
}

void gpu_capture_forget_stream(struct backend_stream *stream)
{
    thread_latch_lock(&stream->device->reap_lock);
    for (struct gpu_captured *captured = stream->device->captured; captured != NULL; captured = captured->next) {
        captured->stream = captured->stream == stream ? NULL : captured->stream;
    }
    thread_latch_unlock(&stream->device->reap_lock);
}

void gpu_capture_forget_image(const struct backend_image *image)
{
    thread_latch_lock(&image->device->reap_lock);
    for (struct gpu_captured *captured = image->device->captured; captured != NULL; captured = captured->next) {
        captured->frame.image = captured->frame.image == image ? NULL : captured->frame.image;
    }
    thread_latch_unlock(&image->device->reap_lock);
}

// Pageable memory of the host on its way to the device and back. Given such memory the driver copies it while the call
// waits for all that is queued before. So it goes through pinned memory, and the host's half of each piece is a host
// function at its place in the stream: nobody waits. The order of the stream keeps the pieces apart, so that one chunk
// of pinned memory serves them all, however much is queued.
//
// A stream has a small chunk of its own. Whatever is larger goes through chunks of the device, of which there are few:
// a stream keeps to the one that it used last. Where all are others', it takes over the one that was used longest ago,
// behind what is queued for that.
#include "backend/gpu/stage.h"

#include "base/status.h"

#include <assert.h>
#include <string.h>

enum { SMALL_SIZE = 64 << 10, CHUNK_SIZE = 4 << 20 };

// What is left of a copy, in pinned memory of the stream's ring: read and changed by its host functions, one after
// another, once they are queued.
struct stage_job {
    char *host;
    char *chunk;
    size_t left;
    size_t piece;
    bool is_upload;
};

// Runs on a thread of the driver.
static void move_piece(void *user)
{
    struct stage_job *job = user;
    size_t part = job->left < job->piece ? job->left : job->piece;
    memcpy(job->is_upload ? job->chunk : job->host, job->is_upload ? job->host : job->chunk, part);
    job->host += part;
    job->left -= part;
}

// ---- chunks -------------------------------------------------------------------------------------------------------

// The device's lock is held. NULL: others are queueing with all of them.
static struct gpu_chunk *choose(struct backend_device *device, const struct backend_stream *stream)
{
    struct gpu_chunk *best = NULL;
    int best_rank = -1;
    for (int i = 0; i < GPU_CHUNKS; i++) {
        struct gpu_chunk *chunk = &device->chunks[i];
        if (chunk->is_taken) { // and changed by who has it
            continue;
        }
        int rank = chunk->user == stream ? 3 : chunk->memory == NULL ? 1 : chunk->user == NULL ? 2 : 0;
        if (rank > best_rank || (rank == best_rank && chunk->turn < best->turn)) {
            best = chunk;
            best_rank = rank;
        }
    }
    return best;
}

static void put_back(struct backend_device *device, struct gpu_chunk *chunk, const struct backend_stream *user)
{
    thread_lock(&device->lock);
    assert(chunk->is_taken);
    chunk->is_taken = false;
    chunk->user = user;
    chunk->turn = ++device->chunk_turn;
    thread_broadcast(&device->changed);
    thread_unlock(&device->lock);
}

static rill_status prepare(struct backend_stream *stream, struct gpu_chunk *chunk, bool was_own)
{
    const struct gpu_driver *driver = stream->device->driver;
    void *memory = NULL;
    if (chunk->memory != NULL) {
        return was_own || !chunk->is_recorded ? RILL_OK
                                              : driver_stream_wait_event(driver, stream->lane.handle, chunk->event);
    }
    if (chunk->event == NULL) {
        RILL_TRY(driver_event_create(driver, false, &chunk->event));
    }
    RILL_TRY(driver_pinned_alloc(driver, CHUNK_SIZE, &memory));
    chunk->memory = memory;
    return RILL_OK;
}

// Whoever has a chunk only queues, and so nobody waits here for the device.
static rill_status take(struct backend_stream *stream, struct gpu_chunk **out_chunk)
{
    struct backend_device *device = stream->device;
    thread_lock(&device->lock);
    struct gpu_chunk *chunk = choose(device, stream);
    while (chunk == NULL) {
        thread_wait(&device->changed, &device->lock);
        chunk = choose(device, stream);
    }
    chunk->is_taken = true;
    assert(chunk >= device->chunks && chunk < device->chunks + GPU_CHUNKS);
    bool was_own = chunk->user == stream;
    thread_unlock(&device->lock);
    rill_status status = prepare(stream, chunk, was_own);
    if (status != RILL_OK) {
        put_back(device, chunk, NULL); // whoever is next waits for the event
        chunk = NULL;
    }
    *out_chunk = chunk;
    return status;
}

static void give(struct backend_stream *stream, struct gpu_chunk *chunk)
{
    const struct gpu_driver *driver = stream->device->driver;
    if (chunk != NULL) {
        chunk->is_recorded = driver_event_record(driver, chunk->event, stream->lane.handle) == RILL_OK;
        if (!chunk->is_recorded) { // without the event, the wait itself
            (void)(driver_stream_synchronize(driver, stream->lane.handle) == RILL_OK);
        }
        put_back(stream->device, chunk, stream);
    }
}

void gpu_stage_forget(struct backend_stream *stream)
{
    struct backend_device *device = stream->device;
    driver_pinned_free(device->driver, stream->small_chunk);
    stream->small_chunk = NULL;
    thread_lock(&device->lock);
    for (int i = 0; i < GPU_CHUNKS; i++) {
        if (device->chunks[i].user == stream) {
            device->chunks[i].user = NULL;
        }
    }
    thread_unlock(&device->lock);
}

void gpu_stage_finish(struct backend_device *device)
{
    for (int i = 0; i < GPU_CHUNKS; i++) {
        driver_pinned_free(device->driver, device->chunks[i].memory);
        driver_event_destroy(device->driver, device->chunks[i].event);
    }
}

// ---- copies -------------------------------------------------------------------------------------------------------

static rill_status queue_piece(struct backend_stream *stream, struct stage_job *job, uint64_t address, size_t part)
{
    const struct gpu_driver *driver = stream->device->driver;
    void *handle = stream->lane.handle;
    uint64_t chunk = (uint64_t)(uintptr_t)job->chunk;
    if (job->is_upload) {
        RILL_TRY(driver->host_function(handle, move_piece, job));
        return driver->copy(handle, address, chunk, part);
    }
    RILL_TRY(driver->copy(handle, chunk, address, part));
    return driver->host_function(handle, move_piece, job);
}

void gpu_stage_drain(struct backend_stream *stream)
{
    (void)(driver_stream_synchronize(stream->device->driver, stream->lane.handle) == RILL_OK);
}

static rill_status queue_pieces(struct backend_stream *stream, const struct gpu_stage *stage, char *chunk, size_t piece)
{
    uint64_t place;
    assert(stage->size > 0 && piece > 0);
    RILL_TRY(gpu_ring_take(stream, GPU_RING_PINNED, sizeof(struct stage_job), backend_never_waits, &place));
    struct stage_job *job = (struct stage_job *)(uintptr_t)place;
    *job = (struct stage_job){stage->host, chunk, stage->size, piece, stage->is_upload};
    for (size_t done = 0; done < stage->size;) {
        size_t part = stage->size - done < piece ? stage->size - done : piece;
        rill_status status = queue_piece(stream, job, stage->address + done, part);
        if (status != RILL_OK) {
            gpu_stage_drain(stream);
            return status;
        }
        done += part;
        *stage->out_has_begun = true;
    }
    return RILL_OK;
}

rill_status gpu_stage_copy(struct backend_stream *stream, const struct gpu_stage *stage)
{
    struct backend_device *device = stream->device;
    struct gpu_chunk *chunk = NULL;
    if (stage->size > SMALL_SIZE) {
        RILL_TRY(take(stream, &chunk));
    } else if (stream->small_chunk == NULL) {
        RILL_TRY(driver_pinned_alloc(device->driver, SMALL_SIZE, &stream->small_chunk));
    }
    rill_status status = queue_pieces(stream, stage, chunk != NULL ? chunk->memory : stream->small_chunk,
                                      chunk != NULL ? CHUNK_SIZE : SMALL_SIZE);
    give(stream, chunk);
    return status;
}

// Runs on a thread of the driver.
static void move_all(void *user)
{
    const struct stage_job *job = user;
    memmove(job->chunk, job->host, job->left);
}

rill_status gpu_stage_move(struct backend_stream *stream, void *target, const void *source, size_t size)
{
    uint64_t place;
    RILL_TRY(gpu_ring_take(stream, GPU_RING_PINNED, sizeof(struct stage_job), backend_never_waits, &place));
    struct stage_job *job = (struct stage_job *)(uintptr_t)place;
    *job = (struct stage_job){.host = (char *)(uintptr_t)source, .chunk = target, .left = size};
    return stream->device->driver->host_function(stream->lane.handle, move_all, job);
}

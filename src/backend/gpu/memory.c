#include "backend/gpu/memory.h"

#include "backend/gpu/device.h"
#include "backend/gpu/store.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>

enum { GRAIN = 512 };

static uint64_t rounded(uint64_t size)
{
    return size > UINT64_MAX - GRAIN ? size : (size + GRAIN - 1) / GRAIN * GRAIN;
}

static bool is_idle(struct backend_device *device, const struct gpu_block *kept)
{
    return kept->is_reached || (!kept->is_unknown && driver_event_query(device->driver, kept->event) == RILL_OK);
}

// Whether |stream| may use the block: nothing else does any more, or it was the stream's own, and so the stream comes
// to it after the free. That it does is said to the driver too, for which the handle may mean another stream by now.
static bool is_free_for(struct backend_device *device, const struct gpu_block *kept, void *stream)
{
    bool is_own = kept->stream == stream && !kept->is_reached && !kept->is_unknown;
    return is_own ? driver_stream_wait_event(device->driver, stream, kept->event) == RILL_OK : is_idle(device, kept);
}

// The address of a kept block that fits and that |stream| may use; 0: none. The blocks that are still in use cost a
// question each, and only those of a fitting size are asked.
static uint64_t take_kept(struct backend_device *device, void *stream, uint64_t size)
{
    uint64_t address = 0;
    thread_lock(&device->kept_lock);
    for (struct gpu_block **link = &device->kept_blocks; *link != NULL && address == 0; link = &(*link)->next) {
        struct gpu_block *kept = *link;
        if (gpu_block_serves(kept, size) && is_free_for(device, kept, stream)) {
            address = kept->address;
            *link = kept->next;
            kept->next = device->spare_blocks;
            device->spare_blocks = kept;
            break;
        }
    }
    thread_unlock(&device->kept_lock);
    return address;
}

static void destroy_event(struct backend_device *device, struct gpu_block *block)
{
    if (block->event != NULL) {
        driver_event_destroy(device->driver, block->event);
        block->event = NULL;
    }
}

static void dispose(struct backend_device *device, struct gpu_block *block)
{
    destroy_event(device, block);
    free(block);
}

static struct gpu_block *take_all_kept(struct backend_device *device)
{
    thread_lock(&device->kept_lock);
    struct gpu_block *kept = device->kept_blocks;
    device->kept_blocks = NULL;
    thread_unlock(&device->kept_lock);
    return kept;
}

static void wait_for(struct backend_device *device, struct gpu_block *kept)
{
    if (!kept->is_reached && !kept->is_unknown) {
        kept->is_reached = driver_event_synchronize(device->driver, kept->event) == RILL_OK;
        kept->is_unknown = !kept->is_reached;
    }
}

// Gives everything that is kept back to the driver, which may wait for the whole device.
static bool give_back_all(struct backend_device *device)
{
    struct gpu_block *kept = take_all_kept(device);
    bool has_some = kept != NULL;
    while (kept != NULL) {
        struct gpu_block *next = kept->next;
        wait_for(device, kept);
        driver_memory_free(device->driver, device->context, device->service, kept->address);
        dispose(device, kept);
        kept = next;
    }
    return gpu_store_free(device) || has_some;
}

// Memory of the store's, or else of the driver's.
static rill_status allocate(struct backend_device *device, void *stream, uint64_t size, uint64_t *out_address)
{
    struct gpu_block *stored = gpu_store_take(device, size);
    if (stored == NULL) {
        return driver_memory_alloc(device->driver, device->context, stream, size, out_address);
    }
    *out_address = stored->address;
    free(stored);
    return RILL_OK;
}

// Memory, and the record that will keep it.
static rill_status take_new(struct backend_device *device, void *stream, uint64_t size, uint64_t *out_address)
{
    struct gpu_block *spare = calloc(1, sizeof *spare);
    if (spare == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an array");
    }
    rill_status status = driver_event_create(device->driver, false, &spare->event);
    status = status == RILL_OK ? allocate(device, stream, size, out_address) : status;
    if (status != RILL_OK) {
        dispose(device, spare);
        return status;
    }
    thread_lock(&device->kept_lock);
    spare->next = device->spare_blocks;
    device->spare_blocks = spare;
    thread_unlock(&device->kept_lock);
    return RILL_OK;
}

rill_status gpu_memory_take(struct backend_device *device, void *stream, uint64_t size, uint64_t *out_address)
{
    const struct gpu_driver *driver = device->driver;
    *out_address = 0;
    if (device->properties.has_pools) {
        return driver_memory_alloc(driver, device->context, stream, size, out_address);
    }
    size = rounded(size);
    *out_address = take_kept(device, stream, size);
    if (*out_address != 0) {
        return RILL_OK;
    }
    rill_status status = take_new(device, stream, size, out_address);
    if (status == RILL_ERR_OUT_OF_MEMORY && give_back_all(device)) {
        status = take_new(device, stream, size, out_address);
    }
    return status;
}

// A free by the driver would wait for the whole device, so that without an event the stream alone is waited for.
void gpu_memory_give(struct backend_device *device, void *stream, uint64_t address, uint64_t size)
{
    const struct gpu_driver *driver = device->driver;
    if (address == 0) {
        return;
    }
    if (device->properties.has_pools) {
        driver_memory_free(driver, device->context, stream, address);
        return;
    }
    thread_lock(&device->kept_lock);
    struct gpu_block *kept = device->spare_blocks;
    assert(kept != NULL); // made with the memory
    device->spare_blocks = kept->next;
    thread_unlock(&device->kept_lock);
    bool is_recorded = driver_event_record(driver, kept->event, stream) == RILL_OK;
    kept->stream = stream;
    kept->address = address;
    kept->size = rounded(size);
    kept->is_reached = !is_recorded && driver_stream_synchronize(driver, stream) == RILL_OK;
    kept->is_unknown = !is_recorded && !kept->is_reached;
    thread_lock(&device->kept_lock);
    kept->next = device->kept_blocks;
    device->kept_blocks = kept;
    thread_unlock(&device->kept_lock);
}

// What is unknown is unknown still: a wait that failed says nothing.
void gpu_memory_finish(struct backend_device *device)
{
    struct gpu_block *kept = take_all_kept(device);
    while (kept != NULL) {
        struct gpu_block *next = kept->next;
        wait_for(device, kept);
        destroy_event(device, kept);
        gpu_store_keep(device, kept);
        kept = next;
    }
    while (device->spare_blocks != NULL) { // of memory that nobody gave back
        struct gpu_block *spare = device->spare_blocks;
        device->spare_blocks = spare->next;
        dispose(device, spare);
    }
}

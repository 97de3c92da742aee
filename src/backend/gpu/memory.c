#include "backend/gpu/memory.h"

#include "backend/gpu/device.h"

// A kept block serves requests of at least this part of its size, in eighths: what is lost is bounded.
enum { LEAST_PART = 6, GRAIN = 512 };

struct gpu_kept {
    struct gpu_kept *next;
    uint64_t address;
    uint64_t size;
    void *event; // owned: reached when its stream has come past the free
};

static uint64_t rounded(uint64_t size)
{
    return size > UINT64_MAX - GRAIN ? size : (size + GRAIN - 1) / GRAIN * GRAIN;
}

// Takes a kept block that fits and that nothing uses any more; NULL: none. The blocks that are still in use cost a
// question each, and only those of a fitting size are asked.
static struct gpu_kept *find(struct backend_device *device, uint64_t size)
{
    for (struct gpu_kept **link = &device->kept; *link != NULL; link = &(*link)->next) {
        struct gpu_kept *kept = *link;
        bool fits = kept->size >= size && size >= kept->size / 8 * LEAST_PART;
        if (fits && device->driver->event_query(kept->event) == RILL_OK) {
            *link = kept->next;
            return kept;
        }
    }
    return NULL;
}

static void dispose(struct backend_device *device, struct gpu_kept *kept)
{
    device->driver->event_destroy(kept->event);
    gpu_free(device, kept, sizeof *kept);
}

// Gives everything back to the driver, which may wait for the whole device.
static bool give_back_all(struct backend_device *device)
{
    thread_lock(&device->kept_lock);
    struct gpu_kept *kept = device->kept;
    device->kept = NULL;
    thread_unlock(&device->kept_lock);
    bool has_some = kept != NULL;
    while (kept != NULL) {
        struct gpu_kept *next = kept->next;
        (void)(device->driver->event_synchronize(kept->event) == RILL_OK);
        device->driver->memory_free(device->context, device->service, kept->address);
        dispose(device, kept);
        kept = next;
    }
    return has_some;
}

rill_status gpu_memory_take(struct backend_device *device, void *stream, uint64_t size, uint64_t *out_address)
{
    const struct gpu_driver *driver = device->driver;
    *out_address = 0;
    if (device->properties.has_pools) {
        return driver->memory_alloc(device->context, stream, size, out_address);
    }
    size = rounded(size);
    thread_lock(&device->kept_lock);
    struct gpu_kept *kept = find(device, size);
    thread_unlock(&device->kept_lock);
    if (kept != NULL) {
        *out_address = kept->address;
        dispose(device, kept);
        return RILL_OK;
    }
    rill_status status = driver->memory_alloc(device->context, stream, size, out_address);
    if (status == RILL_ERR_OUT_OF_MEMORY && give_back_all(device)) {
        status = driver->memory_alloc(device->context, stream, size, out_address);
    }
    return status;
}

void gpu_memory_give(struct backend_device *device, void *stream, uint64_t address, uint64_t size)
{
    const struct gpu_driver *driver = device->driver;
    if (address == 0) {
        return;
    }
    struct gpu_kept *kept = device->properties.has_pools ? NULL : gpu_alloc(device, sizeof *kept);
    rill_status status = kept != NULL ? driver->event_create(false, &kept->event) : RILL_ERR_OUT_OF_MEMORY;
    status = status == RILL_OK ? driver->event_record(kept->event, stream) : status;
    if (status != RILL_OK) { // by the driver: in stream order where it can, else after everything
        if (kept != NULL) {
            (void)(driver->stream_synchronize(stream) == RILL_OK);
            dispose(device, kept);
        }
        driver->memory_free(device->context, stream, address);
        return;
    }
    kept->address = address;
    kept->size = rounded(size);
    thread_lock(&device->kept_lock);
    kept->next = device->kept;
    device->kept = kept;
    thread_unlock(&device->kept_lock);
}

void gpu_memory_finish(struct backend_device *device)
{
    give_back_all(device);
}

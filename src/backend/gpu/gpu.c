// A GPU as a device: opening, closing, memory, and the streams that it lends to blocks.
#include "backend/gpu/device.h"
#include "backend/gpu/memory.h"
#include "backend/gpu/stage.h"
#include "backend/gpu/store.h"

#include "base/status.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *gpu_alloc(struct backend_device *device, size_t size)
{
    return backend_alloc(&device->host, size, 64);
}

void gpu_free(struct backend_device *device, void *memory, size_t size)
{
    backend_free(&device->host, memory, size);
}

rill_status gpu_note_loss(struct backend_device *device, rill_status status)
{
    if (status != RILL_ERR_DEVICE) {
        return status;
    }
    char text[sizeof device->lost_text];
    snprintf(text, sizeof text, "%s", rill_message());
    // After a fault of a kernel the driver refuses everything; a call that failed for itself leaves the rest as it was.
    bool is_lost = driver_stream_query(device->driver, device->service) == RILL_ERR_DEVICE;
    if (is_lost && !atomic_exchange(&device->lost_claimed, true)) {
        memcpy(device->lost_text, text, sizeof text);
        device->is_gone = driver_is_gone(device->driver);
        atomic_store(&device->is_lost, true);
        gpu_notify_all(device);
    }
    return status_fail(status, "%s", text);
}

// ---- lanes --------------------------------------------------------------------------------------------------------

static bool take_spare(struct backend_device *device, int level, struct gpu_lane *lane)
{
    struct gpu_spare_lanes *spare = &device->spare_lanes[level];
    thread_lock(&device->lock);
    bool has_one = spare->count > 0;
    if (has_one) {
        *lane = spare->lanes[--spare->count];
    }
    thread_unlock(&device->lock);
    return has_one;
}

rill_status gpu_lane_init(struct backend_device *device, int level, struct gpu_lane *lane)
{
    assert(0 <= level && level < GPU_LEVELS);
    // Of a device that was lost nothing is used again: the driver says what became of it.
    if (!atomic_load_explicit(&device->is_lost, memory_order_relaxed) && take_spare(device, level, lane)) {
        return RILL_OK;
    }
    const struct gpu_driver *driver = device->driver;
    int least = device->properties.priority_least;
    int greatest = device->properties.priority_greatest;
    int priority = level == 0 ? greatest : level == 2 ? least : (least + greatest) / 2;
    *lane = (struct gpu_lane){.level = level};
    rill_status status = driver_stream_create(driver, priority, &lane->handle);
    status = status == RILL_OK ? driver_event_create(driver, false, &lane->end) : status;
    status = status == RILL_OK ? driver_event_create(driver, false, &lane->fork) : status;
    if (status != RILL_OK) {
        gpu_lane_finish(device, lane);
    }
    return status;
}

void gpu_lane_finish(struct backend_device *device, struct gpu_lane *lane)
{
    driver_event_destroy(device->driver, lane->fork);
    driver_event_destroy(device->driver, lane->end);
    driver_stream_destroy(device->driver, lane->handle);
    lane->handle = NULL;
}

void gpu_lane_keep(struct backend_device *device, struct gpu_lane *lane)
{
    struct gpu_spare_lanes *spare = &device->spare_lanes[lane->level];
    assert(0 <= lane->level && lane->level < GPU_LEVELS);
    thread_lock(&device->lock);
    bool has_room = spare->count < GPU_SPARE_LANES;
    if (has_room) {
        spare->lanes[spare->count++] = *lane;
    }
    thread_unlock(&device->lock);
    if (!has_room) {
        gpu_lane_finish(device, lane);
    }
    lane->handle = NULL;
}

static void finish_spare_lanes(struct backend_device *device)
{
    for (int level = 0; level < GPU_LEVELS; level++) {
        struct gpu_lane lane;
        while (take_spare(device, level, &lane)) {
            gpu_lane_finish(device, &lane);
        }
    }
}

void gpu_device_trim(struct backend_device *device)
{
    void *before = device->driver->enter(device->context);
    finish_spare_lanes(device);
    device->driver->leave(device->context, before);
}

// ---- devices ------------------------------------------------------------------------------------------------------

static void free_device(struct backend_device *device)
{
    assert(device->stream_count == 0 && device->all_notices == NULL);
    if (device->context != NULL) {
        void *before = device->driver->enter(device->context);
        finish_spare_lanes(device);
        gpu_trace_destroy(device);
        gpu_capture_collect(device, true);
        gpu_mark_finish_all(device);
        gpu_stage_finish(device);
        if (device->service != NULL) {
            (void)(driver_stream_synchronize(device->driver, device->service) == RILL_OK);
            gpu_memory_finish(device);
        }
        gpu_store_leave(device);
        driver_stream_destroy(device->driver, device->service);
        device->driver->leave(device->context, before);
        device->driver->close(device->context);
    }
    thread_mutex_finish(&device->print_lock);
    thread_mutex_finish(&device->notifier_lock);
    thread_cond_finish(&device->changed);
    thread_mutex_finish(&device->lock);
    thread_mutex_finish(&device->kept_lock);
    struct backend_host host = device->host;
    host.release(host.user, device, sizeof *device);
}

// The environment decides where it says something that is known, else the program.
static enum backend_graph_mode graph_mode(enum backend_graph_mode wanted)
{
    static const char *const names[BACKEND_GRAPH_MODE_COUNT] = {
        [BACKEND_GRAPH_AUTO] = "auto", [BACKEND_GRAPH_ON] = "on", [BACKEND_GRAPH_OFF] = "off"};
    const char *said = getenv("RILL_GRAPH");
    for (int i = 0; said != NULL && i < BACKEND_GRAPH_MODE_COUNT; i++) {
        if (strcmp(said, names[i]) == 0) {
            return (enum backend_graph_mode)i;
        }
    }
    return wanted;
}

rill_status gpu_device_open(const struct gpu_driver *driver, size_t index, const struct backend_host *host,
                            struct backend_device **out_device)
{
    *out_device = NULL;
    struct backend_device *device = host->allocate(host->user, sizeof *device, 64);
    if (device == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the device");
    }
    memset(device, 0, sizeof *device);
    device->driver = driver;
    device->host = *host;
    device->no_words = (struct gpu_error){.reference_count = 1, .error = BACKEND_NO_WORDS};
    thread_mutex_init(&device->kept_lock);
    thread_mutex_init(&device->lock);
    thread_cond_init(&device->changed);
    thread_mutex_init(&device->notifier_lock);
    thread_mutex_init(&device->print_lock);
    device->graph_mode = graph_mode(host->graph_mode);
    device->resident_mode = gpu_resident_mode();
    rill_status status = driver->open(index, &device->host, &device->properties, &device->context);
    if (status == RILL_OK) {
        void *before = driver->enter(device->context);
        status = gpu_store_join(device, index);
        status = status == RILL_OK
                     ? driver_stream_create(driver, device->properties.priority_greatest, &device->service)
                     : status;
        if (status == RILL_OK && device->properties.has_conditions &&
            driver->condition_functions(device->context, &device->condition, &device->again) != RILL_OK) {
            device->properties.has_conditions = false; // everything works without
        }
        device->trace = status == RILL_OK ? gpu_trace_create(device) : NULL;
        if (device->trace != NULL) {
            device->graph_mode = BACKEND_GRAPH_OFF; // tasks of a graph cannot be told apart
        }
        driver->leave(device->context, before);
    }
    if (status != RILL_OK) {
        free_device(device);
        return status;
    }
    *out_device = device;
    return RILL_OK;
}

void gpu_device_close(struct backend_device *device)
{
    if (device == NULL) {
        return;
    }
    thread_lock(&device->lock);
    while (device->stream_count > 0) {
        thread_wait(&device->changed, &device->lock);
    }
    thread_unlock(&device->lock);
    gpu_notify_finish(device);
    free_device(device);
}

void gpu_device_stats(struct backend_device *device, struct backend_stats *out_stats)
{
    struct gpu_counters *c = &device->counters;
    // Under the lock, so that a stream that goes is counted once.
    thread_lock(&device->lock);
    *out_stats = (struct backend_stats){
        .launch_count = atomic_load(&c->launch_count),
        .launch_failed_count = atomic_load(&c->launch_failed_count),
        .launch_skipped_count = atomic_load(&c->launch_skipped_count),
        .task_count = atomic_load(&c->task_count),
        .parallel_count = atomic_load(&c->parallel_count),
        .in_order_count = atomic_load(&c->in_order_count),
        .whole_count = atomic_load(&c->whole_count),
        .block_in_order_count = atomic_load(&c->block_in_order_count),
        .ring_wait_count = atomic_load(&c->ring_wait_count),
        .readback_count = atomic_load(&c->readback_count),
        .print_lost_count = atomic_load(&c->print_lost_count),
    };
    for (int i = 0; i < BACKEND_REGION_WAY_COUNT; i++) {
        out_stats->region_counts[i] = atomic_load(&c->region_counts[i]);
    }
    for (struct backend_stream *stream = device->streams; stream != NULL; stream = stream->next) {
        out_stats->launch_count += atomic_load(&stream->totals.launch_count);
        out_stats->task_count += atomic_load(&stream->totals.task_count);
        out_stats->parallel_count += atomic_load(&stream->totals.parallel_count);
        out_stats->whole_count += atomic_load(&stream->totals.whole_count);
    }
    thread_unlock(&device->lock);
}

const char *gpu_device_target(const struct backend_device *device)
{
    return device->properties.target;
}

bool gpu_device_has(const struct backend_device *device, enum backend_capability capability)
{
    const struct gpu_properties *properties = &device->properties;
    switch (capability) {
    case BACKEND_HAS_GRAPHS: return properties->has_graphs;
    case BACKEND_HAS_CONDITIONS: return properties->has_conditions;
    case BACKEND_HAS_POOLS: return properties->has_pools;
    case BACKEND_HAS_BINARIES: return properties->has_binaries;
    case BACKEND_HAS_PEERS: return properties->has_peers;
    case BACKEND_CAPABILITY_COUNT: break;
    }
    return false;
}

// ---- memory -------------------------------------------------------------------------------------------------------

// The call waits for the zeros: whatever stream the memory is used on next must find them.
rill_status gpu_memory_create(struct backend_device *device, uint64_t size, void **out_address)
{
    *out_address = NULL;
    const struct gpu_driver *driver = device->driver;
    uint64_t wanted = size > 0 ? size : 1; // so that an empty array has an address too
    uint64_t address = 0;
    void *before = driver->enter(device->context);
    rill_status status = gpu_memory_take(device, device->service, wanted, &address);
    if (status == RILL_OK) {
        status = driver_set(driver, device->service, address, 0, 1, wanted);
        status = status == RILL_OK ? driver_stream_synchronize(driver, device->service) : status;
        if (status != RILL_OK) {
            gpu_memory_give(device, device->service, address, wanted);
        }
    }
    driver->leave(device->context, before);
    *out_address = status == RILL_OK ? (void *)(uintptr_t)address : NULL;
    return status;
}

rill_status gpu_host_memory_create(struct backend_device *device, uint64_t size, void **out_memory)
{
    const struct gpu_driver *driver = device->driver;
    void *before = driver->enter(device->context);
    rill_status status = driver_pinned_alloc(driver, size > 0 ? size : 1, out_memory);
    status = gpu_note_loss(device, status);
    driver->leave(device->context, before);
    return status;
}

void gpu_host_memory_destroy(struct backend_device *device, void *memory, uint64_t size)
{
    (void)size;
    void *before = device->driver->enter(device->context);
    driver_pinned_free(device->driver, memory);
    device->driver->leave(device->context, before);
}

void gpu_memory_destroy(struct backend_device *device, void *address, uint64_t size)
{
    if (address != NULL) {
        void *before = device->driver->enter(device->context);
        gpu_memory_give(device, device->service, (uint64_t)(uintptr_t)address, size > 0 ? size : 1);
        device->driver->leave(device->context, before);
    }
}

// The CPU back end's table, its devices and its memory.
#include "backend/cpu/device.h"
#include "backend/cpu/image.h"
#include "backend/cpu/stream.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_MEMORY = 1 << 20 }; // from here on memory comes straight from the system, zeroed where it is first touched

void *device_alloc(struct backend_device *device, size_t size, size_t alignment)
{
    return backend_alloc(&device->host, size, alignment);
}

void device_free(struct backend_device *device, void *memory, size_t size)
{
    backend_free(&device->host, memory, size);
}

static size_t device_count_all(void)
{
    return 1;
}

static void device_describe(size_t index, struct backend_device_info *out_info)
{
    (void)index;
    *out_info = (struct backend_device_info){.name = "cpu", .thread_count = topology_thread_count()};
    char model[96];
    topology_describe(model, sizeof model);
    snprintf(out_info->description, sizeof out_info->description, "%s, %d thread%s", model, out_info->thread_count,
             out_info->thread_count == 1 ? "" : "s");
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    out_info->memory_size = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

static rill_status device_open(size_t index, const struct backend_host *host, struct backend_device **out_device)
{
    (void)index;
    *out_device = NULL;
    int thread_count = host->thread_count > 0 ? host->thread_count : topology_thread_count();
    thread_count = thread_count < POOL_MAX_WORKERS ? thread_count : POOL_MAX_WORKERS;
    size_t size = sizeof(struct backend_device) + (size_t)thread_count * sizeof(struct cpu_worker);
    struct backend_device *device = host->allocate(host->user, size, BACKEND_DEVICE_FRONT);
    if (device == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the device");
    }
    memset(device, 0, size);
    device->host = *host;
    device->no_words = (struct cpu_error){.reference_count = 1, .error = BACKEND_NO_WORDS};
    cpu_pool_init(&device->pool, (struct cpu_worker *)(device + 1), thread_count);
    const char *schedule = getenv("RILL_SCHEDULE");
    cpu_pool_fuzz_schedule(&device->pool, schedule != NULL ? strtoull(schedule, NULL, 0) : 0);
    thread_mutex_init(&device->print_lock);
    thread_mutex_init(&device->drain_lock);
    thread_cond_init(&device->drain_cond);
    device->trace = trace_create(&device->host, &(struct trace_origin){.thread_count = device->pool.worker_count});
    device->pool.is_timed = device->trace != NULL;
    device->pool.sleeps = host->sleeps;
    int processor_count = topology_processor_count();
    device->pool.processor_count = processor_count;
    device->pool.is_alone = processor_count == 1;
    device->pool.is_frugal = thread_count > processor_count || topology_is_limited();
    *out_device = device;
    return RILL_OK;
}

static void device_flush(struct backend_device *device)
{
    if (device->trace != NULL) {
        trace_flush(device->trace);
    }
}

static void device_remark(struct backend_device *device, const char *text)
{
    if (device->trace != NULL) {
        trace_remark(device->trace, text);
    }
}

static void device_close(struct backend_device *device)
{
    if (device == NULL) {
        return;
    }
    thread_lock(&device->drain_lock);
    while (device->stream_count > 0) {
        thread_wait(&device->drain_cond, &device->drain_lock);
    }
    thread_unlock(&device->drain_lock);
    cpu_pool_finish(&device->pool);
    trace_destroy(device->trace);
    while (device->free_marks != NULL) {
        struct cpu_mark *mark = device->free_marks;
        device->free_marks = mark->next;
        device_free(device, mark, sizeof *mark);
    }
    thread_cond_finish(&device->drain_cond);
    thread_mutex_finish(&device->drain_lock);
    thread_mutex_finish(&device->print_lock);
    size_t size = sizeof *device + (size_t)device->pool.worker_count * sizeof(struct cpu_worker);
    struct backend_host host = device->host;
    host.release(host.user, device, size);
}

static void device_stats(struct backend_device *device, struct backend_stats *out_stats)
{
    struct cpu_counters *c = &device->counters;
    *out_stats = (struct backend_stats){
        .launch_count = cpu_stream_count_launches(device),
        .launch_failed_count = atomic_load(&c->launch_failed_count),
        .launch_skipped_count = atomic_load(&c->launch_skipped_count),
        .task_count = cpu_pool_task_count(&device->pool),
        .parallel_count = atomic_load(&c->parallel_count),
        .in_order_count = atomic_load(&c->in_order_count),
        .whole_count = atomic_load(&c->whole_count),
        .copied_count = atomic_load(&c->copied_count),
        .block_in_order_count = atomic_load(&c->block_in_order_count),
        .ring_wait_count = atomic_load(&c->ring_wait_count),
        .print_lost_count = atomic_load(&c->print_lost_count),
        .thread_count = atomic_load(&device->is_started) ? device->pool.worker_count : 0,
        .worker_count = device->pool.worker_count,
    };
    for (int i = 0; i < BACKEND_REGION_WAY_COUNT; i++) {
        out_stats->region_counts[i] = atomic_load(&c->region_counts[i]);
    }
}

static void *allocate(struct backend_device *device, uint64_t size)
{
    size_t wanted = size > 0 ? size : 1; // so that an empty array has an address too
    void *memory = NULL;
    if (device->host.has_allocator || wanted < LARGE_MEMORY) {
        memory = device_alloc(device, wanted, 64);
    } else {
        memory = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memory = memory != MAP_FAILED ? memory : NULL;
        if (memory != NULL) {
            madvise(memory, wanted, MADV_HUGEPAGE); // a wish: fewer misses when large arrays are walked
        }
    }
    return memory;
}

static rill_status memory_create(struct backend_device *device, uint64_t size, void **out_address)
{
    *out_address = allocate(device, size);
    return *out_address != NULL
               ? RILL_OK
               : status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an array of %llu bytes", (unsigned long long)size);
}

// The device is the host: any memory will do.
static rill_status host_memory_create(struct backend_device *device, uint64_t size, void **out_memory)
{
    *out_memory = allocate(device, size);
    return *out_memory != NULL
               ? RILL_OK
               : status_fail(RILL_ERR_OUT_OF_MEMORY, "no host memory of %llu bytes", (unsigned long long)size);
}

static void memory_destroy(struct backend_device *device, void *address, uint64_t size)
{
    size_t given = size > 0 ? size : 1;
    if (address == NULL) {
        return;
    }
    if (device->host.has_allocator || given < LARGE_MEMORY) {
        device_free(device, address, given);
    } else {
        munmap(address, given);
    }
}

const struct backend backend_cpu = {
    .name = "cpu",
    .device_count = device_count_all,
    .device_absence = backend_no_absence,
    .device_named = backend_no_named,
    .device_describe = device_describe,
    .device_open = device_open,
    .device_close = device_close,
    .device_stats = device_stats,
    .device_target = backend_no_target,
    .device_has = backend_no_capability,
    .device_trim = backend_no_trim,
    .device_release_idle = backend_no_release_idle,
    .device_enter = backend_no_enter,
    .device_leave = backend_no_leave,
    .device_flush = device_flush,
    .device_remark = device_remark,
    .memory_create = memory_create,
    .memory_destroy = memory_destroy,
    .host_memory_create = host_memory_create,
    .host_memory_destroy = memory_destroy,
    .image_load = image_load,
    .image_unload = image_unload,
    .image_field = image_field,
    .image_describe = image_describe,
    .stream_create = cpu_stream_create,
    .stream_wrap = backend_no_wrap,
    .stream_native = backend_no_native,
    .stream_may_wait = backend_always_may_wait,
    .stream_capture_memory = backend_never_captures,
    .stream_destroy = cpu_stream_destroy,
    .stream_synchronize = cpu_stream_synchronize,
    .stream_help = cpu_stream_help,
    .stream_is_idle = cpu_stream_is_idle,
    .stream_is_quiet = cpu_stream_is_quiet,
    .stream_error = cpu_stream_error,
    .stream_clear_error = cpu_stream_clear_error,
    .stream_wait = cpu_stream_wait,
    .launch = cpu_stream_launch,
    .copy = cpu_stream_copy,
    .copy_from = backend_no_copy_from,
    .batch_queue = backend_no_batch,
    .batch_destroy = backend_no_batch_destroy,
    .fill = cpu_stream_fill,
    .notify = cpu_stream_notify,
    .proceed = cpu_stream_proceed,
    .event_create = cpu_event_create,
    .event_destroy = cpu_event_destroy,
    .event_record = cpu_event_record,
    .event_is_recorded = cpu_event_is_recorded,
    .event_wait = cpu_event_wait,
    .event_synchronize = cpu_event_synchronize,
    .event_is_reached = cpu_event_is_reached,
    .event_is_past = cpu_event_is_past,
    .event_elapsed = cpu_event_elapsed,
};

// The devices of this machine, and what a context tells about its own.
#include "base/status.h"
#include "runtime/cache.h"
#include "runtime/context.h"
#include "runtime/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What stands behind "cuda:" in a name of the family; NULL if it is of another one. "" means the first device.
static const char *name_in_family(const struct backend *backend, const char *device)
{
    const char *families[2] = {backend->name, backend->alias};
    for (int i = 0; i < 2 && families[i] != NULL; i++) {
        size_t length = strlen(families[i]);
        if (strncmp(device, families[i], length) == 0 && (device[length] == '\0' || device[length] == ':')) {
            return device[length] == ':' ? device + length + 1 : device + length;
        }
    }
    return NULL;
}

static bool find_in_family(const struct backend *backend, const char *device, const char *name, size_t *out_index)
{
    size_t count = backend->device_count();
    *out_index = 0;
    if (*name == '\0') {
        return count > 0 && device[strlen(device) - 1] != ':';
    }
    for (size_t i = 0; i < count; i++) {
        struct backend_device_info info;
        backend->device_describe(i, &info);
        const char *colon = strchr(info.name, ':');
        if (strcmp(colon != NULL ? colon + 1 : info.name, name) == 0) {
            *out_index = i;
            return true;
        }
    }
    return backend->device_named(name, out_index);
}

// "cpu, cuda:0, cuda:1": what this machine has, the plainest first.
static void list_devices(char *out, size_t size)
{
    size_t used = 0;
    int i = 0;
    *out = '\0';
    while (backend_registry[i] != NULL) {
        i++;
    }
    while (i-- > 0) {
        for (size_t k = 0; k < backend_registry[i]->device_count() && used < size; k++) {
            struct backend_device_info info;
            backend_registry[i]->device_describe(k, &info);
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", info.name);
        }
    }
}

// Only the family that the name belongs to is asked: looking for the devices of another one can take a while.
rill_status device_find(const char *device, const struct backend **out_backend, size_t *out_index)
{
    bool is_auto = strcmp(device, "auto") == 0;
    for (int i = 0; backend_registry[i] != NULL; i++) {
        const struct backend *backend = backend_registry[i];
        const char *name = name_in_family(backend, device);
        bool is_found =
            is_auto ? backend->device_count() > 0 : name != NULL && find_in_family(backend, device, name, out_index);
        if (is_found) {
            *out_backend = backend;
            *out_index = is_auto ? 0 : *out_index;
            return RILL_OK;
        }
        const char *why = name != NULL ? backend->device_absence() : NULL;
        if (why != NULL) {
            return status_fail(RILL_ERR_NO_DEVICE, "rill_open: there is no device '%s': %s", device, why);
        }
    }
    char names[256];
    list_devices(names, sizeof names);
    return status_fail(RILL_ERR_NO_DEVICE, "rill_open: there is no device '%s'; this machine has: %s", device, names);
}

size_t rill_device_count(void)
{
    size_t count = 0;
    for (int i = 0; backend_registry[i] != NULL; i++) {
        count += backend_registry[i]->device_count();
    }
    return count;
}

rill_status rill_device_get(size_t index, rill_device_info *out_info)
{
    RILL_TRY(context_check_out("rill_device_get", out_info, "out_info"));
    *out_info = (rill_device_info){{0}, {0}, 0, 0};
    size_t left = index;
    for (int i = 0; backend_registry[i] != NULL; i++) {
        size_t count = backend_registry[i]->device_count();
        if (left < count) {
            struct backend_device_info info;
            backend_registry[i]->device_describe(left, &info);
            memcpy(out_info->name, info.name, sizeof out_info->name);
            memcpy(out_info->description, info.description, sizeof out_info->description);
            out_info->thread_count = info.thread_count;
            out_info->memory_size = info.memory_size;
            return RILL_OK;
        }
        left -= count;
    }
    return status_fail(RILL_ERR_NO_DEVICE, "rill_device_get: index %zu of %zu devices", index, rill_device_count());
}

rill_status rill_context_device(rill_context handle, const char **out_name)
{
    RILL_TRY(context_check_out("rill_context_device", out_name, "out_name"));
    *out_name = NULL;
    struct context *context;
    RILL_TRY(context_enter("rill_context_device", handle.id, KIND_CONTEXT, &context));
    *out_name = context->device_name;
    context_leave(context);
    return RILL_OK;
}

_Static_assert((int)RILL_CAPABILITY_GRAPHS == (int)BACKEND_HAS_GRAPHS &&
                   (int)RILL_CAPABILITY_PEERS == (int)BACKEND_HAS_PEERS,
               "the two lists are one");

rill_status rill_context_has(rill_context handle, rill_capability capability, bool *out_has)
{
    RILL_TRY(context_check_out("rill_context_has", out_has, "out_has"));
    *out_has = false;
    struct context *context;
    RILL_TRY(context_enter("rill_context_has", handle.id, KIND_CONTEXT, &context));
    rill_status status = RILL_OK;
    if ((int)capability < 0 || (int)capability >= BACKEND_CAPABILITY_COUNT) {
        status = status_fail(RILL_ERR_INVALID, "rill_context_has: there is no capability %d", (int)capability);
    } else {
        *out_has = context->backend->device_has(context->device, (enum backend_capability)capability);
    }
    context_leave(context);
    return status;
}

rill_status rill_context_stats(rill_context handle, rill_stats *out_stats)
{
    RILL_TRY(context_check_out("rill_context_stats", out_stats, "out_stats"));
    *out_stats = (rill_stats){.launch_count = 0};
    struct context *context;
    RILL_TRY(context_enter("rill_context_stats", handle.id, KIND_CONTEXT, &context));
    struct backend_stats stats;
    context->backend->device_stats(context->device, &stats);
    *out_stats = (rill_stats){.launch_count = stats.launch_count,
                              .launch_failed_count = stats.launch_failed_count,
                              .launch_skipped_count = stats.launch_skipped_count,
                              .task_count = stats.task_count,
                              .parallel_count = stats.parallel_count,
                              .in_order_count = stats.in_order_count,
                              .whole_count = stats.whole_count,
                              .copied_count = stats.copied_count,
                              .block_in_order_count = stats.block_in_order_count,
                              .ring_wait_count = stats.ring_wait_count,
                              .print_lost_count = stats.print_lost_count,
                              .readback_count = stats.readback_count,
                              .order_wait_count = context->order != NULL ? order_wait_count(context->order) : 0,
                              .stream_count = atomic_load(&context->stream_count),
                              .array_count = atomic_load(&context->array_count),
                              .ahead_count = atomic_load(&context->ahead_count),
                              .ahead_compiled_count = atomic_load(&context->ahead_compiled_count),
                              .array_size = atomic_load(&context->array_size),
                              .module_count = atomic_load(&context->module_count),
                              .thread_count = stats.thread_count,
                              .regions = {.concurrent_count = stats.region_counts[BACKEND_REGION_CONCURRENT],
                                          .overlap_count = stats.region_counts[BACKEND_REGION_OVERLAP],
                                          .marked_count = stats.region_counts[BACKEND_REGION_MARKED],
                                          .small_count = stats.region_counts[BACKEND_REGION_SMALL],
                                          .limited_count = stats.region_counts[BACKEND_REGION_LIMITED]}};
    pool_read_stats(&context->stream_pool, &out_stats->stream_pool);
    cache_read_stats(context->cache, &out_stats->cache);
    context_leave(context);
    return RILL_OK;
}

void rill_free(void *text)
{
    free(text);
}

const char *rill_version(void)
{
    return RILL_VERSION;
}

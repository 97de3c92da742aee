#include "backend/gpu/lease.h"

#include "plan/plan.h"

#include <assert.h>

enum { MAX_KEPT = PLAN_MAX_BLOCKS };

struct gpu_kept {
    int count;
    struct backend_lease leases[MAX_KEPT];
};

static void give_back(struct backend_stream *stream, struct gpu_kept *kept)
{
    const struct backend_host *host = &stream->device->host;
    assert(kept->count >= 0 && kept->count <= MAX_KEPT);
    for (int i = 0; i < kept->count; i++) {
        host->release_stream(host->user, &kept->leases[i], true);
    }
    kept->count = 0;
}

struct gpu_kept *gpu_kept_take(struct backend_stream *stream)
{
    struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL);
    return kept != NULL ? kept : gpu_alloc(stream->device, sizeof *kept);
}

// Another launch may have put its own there meanwhile.
void gpu_kept_put(struct backend_stream *stream, struct gpu_kept *kept)
{
    struct gpu_kept *other = NULL;
    if (kept != NULL && !atomic_compare_exchange_strong(&stream->kept, &other, kept)) {
        give_back(stream, kept);
        gpu_free(stream->device, kept, sizeof *kept);
    }
}

void gpu_kept_release(struct backend_stream *stream)
{
    if (atomic_load_explicit(&stream->kept, memory_order_relaxed) == NULL) {
        return;
    }
    struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL);
    if (kept != NULL) {
        give_back(stream, kept);
    }
    gpu_kept_put(stream, kept);
}

static bool keeps_some(const struct backend_stream *stream)
{
    return atomic_load_explicit(&stream->kept, memory_order_relaxed) != NULL;
}

// One that is busy is enough to keep them all: the launch that they were lent to has not joined its blocks.
static bool are_idle(const struct gpu_kept *kept)
{
    bool are = true;
    for (int i = 0; i < kept->count && are; i++) {
        are = gpu_stream_is_idle(kept->leases[i].stream);
    }
    return are;
}

void gpu_device_release_idle(struct backend_device *device)
{
    for (struct backend_stream *stream = gpu_stream_next(device, NULL, keeps_some); stream != NULL;
         stream = gpu_stream_next(device, stream, keeps_some)) {
        struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL); // a launch meanwhile does without
        if (kept != NULL && are_idle(kept)) {
            give_back(stream, kept);
        }
        gpu_kept_put(stream, kept);
    }
}

void gpu_kept_finish(struct backend_stream *stream)
{
    struct gpu_kept *kept = atomic_exchange(&stream->kept, NULL);
    if (kept != NULL) {
        give_back(stream, kept);
        gpu_free(stream->device, kept, sizeof *kept);
    }
}

rill_status gpu_lease_take(struct backend_device *device, struct gpu_kept *kept, int priority,
                           struct backend_lease *out_lease)
{
    if (kept != NULL && kept->count > 0) {
        *out_lease = kept->leases[--kept->count];
        return RILL_OK;
    }
    return device->host.acquire_stream(device->host.user, priority, out_lease);
}

void gpu_lease_keep(struct backend_device *device, struct gpu_kept *kept, const struct backend_lease *lease,
                    bool is_sound)
{
    if (is_sound && kept != NULL && kept->count < MAX_KEPT) {
        kept->leases[kept->count++] = *lease;
    } else {
        device->host.release_stream(device->host.user, lease, is_sound);
    }
}

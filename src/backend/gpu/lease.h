// Streams that the context's pool lends for the blocks of regions. A stream's launches follow each other, and so do
// their blocks: the streams that one launch was lent the next can use without asking the driver whether they are idle.
// They go back to the pool when somebody finds the stream idle, or when the pool has no other and finds them idle
// themselves.
#ifndef RILL_BACKEND_GPU_LEASE_H
#define RILL_BACKEND_GPU_LEASE_H

#include "backend/gpu/device.h"

// What is kept of the streams lent to the launches of one stream.
struct gpu_kept;

// Takes what |stream| keeps, for one region; empty if another region has it. NULL: no memory, and so nothing is kept.
struct gpu_kept *gpu_kept_take(struct backend_stream *stream);
// And back, with what gpu_lease_keep() has added. NULL is fine.
void gpu_kept_put(struct backend_stream *stream, struct gpu_kept *kept);

// A stream for a block: one that was kept, or one from the pool. |kept| may be NULL.
rill_status gpu_lease_take(struct backend_device *device, struct gpu_kept *kept, int priority,
                           struct backend_lease *out_lease);
// After the join, for the next launch or, where there is no room or |is_sound| is false, back to the pool.
void gpu_lease_keep(struct backend_device *device, struct gpu_kept *kept, const struct backend_lease *lease,
                    bool is_sound);

#endif

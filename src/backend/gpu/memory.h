// Device memory in stream order. Where the driver has memory pools it is theirs. Elsewhere freeing would stop the whole
// device, so that what is freed is kept with an event, used again once the stream has come past it, and given back to
// the driver only when there is no other memory. When the context closes it is left to the store: store.h.
#ifndef RILL_BACKEND_GPU_MEMORY_H
#define RILL_BACKEND_GPU_MEMORY_H

#include "rill/status.h"

#include <stddef.h>
#include <stdint.h>

struct backend_device;

// Memory that |stream| (the driver's) may use at once and others when it has come past the call. The device is current.
rill_status gpu_memory_take(struct backend_device *device, void *stream, uint64_t size, uint64_t *out_address);
// The memory goes when |stream| comes past the call; |size| is as it was taken. An address of 0 is fine.
void gpu_memory_give(struct backend_device *device, void *stream, uint64_t address, uint64_t size);
// Nothing of the context runs any more. What it has kept goes to the store, which it then leaves.
void gpu_memory_finish(struct backend_device *device);

#endif

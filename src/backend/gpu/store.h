// Device memory without pools that outlives the context it was made for. The driver's free waits for everything that
// runs on the device, also for what other contexts of the process have queued. So a context that closes while others
// are open leaves its memory to the store of the device, from which they take it. It goes back to the driver when the
// last of them closes, or when there is no other memory.
#ifndef RILL_BACKEND_GPU_STORE_H
#define RILL_BACKEND_GPU_STORE_H

#include "backend/gpu/driver.h"

struct gpu_store;

// A piece of memory of the driver's; |event| and |stream| are memory.c's. On the heap of the process, not of a context.
struct gpu_block {
    struct gpu_block *next;
    uint64_t address;
    uint64_t size;
    void *event;     // owned: reached when its stream has come past the free
    void *stream;    // the driver's, which it was given back on
    bool is_reached; // without asking: the stream was waited for, as the event could not be recorded
    bool is_unknown; // neither could be done: not used again
};

// Enters the context's |device| into the store of the driver's device |index|, and leaves it again: nothing of the
// context runs any more. RILL_ERR_OUT_OF_MEMORY with words. The device is current when it leaves.
rill_status gpu_store_join(struct backend_device *device, size_t index);
void gpu_store_leave(struct backend_device *device); // one that has not joined is fine

// Takes over |block|, which has no event any more; and gives out one that serves |size| bytes, as it was taken over;
// NULL: there is none.
void gpu_store_keep(struct backend_device *device, struct gpu_block *block);
struct gpu_block *gpu_store_take(struct backend_device *device, uint64_t size);

// Frees what the store has, which may wait for the whole device. True: there was something.
bool gpu_store_free(struct backend_device *device);

// A block serves requests of at least this part of its size, in eighths: what is lost is bounded.
enum { GPU_LEAST_PART = 6 };
static inline bool gpu_block_serves(const struct gpu_block *block, uint64_t size)
{
    return block->size >= size && size >= block->size / 8 * GPU_LEAST_PART;
}

#endif

#include "backend/gpu/store.h"

#include "backend/gpu/device.h"
#include "base/status.h"

#include <assert.h>
#include <stdlib.h>

struct gpu_store {
    struct gpu_store *next;          // among all; guarded by the registry's lock
    int reference_count;             // contexts; guarded by the registry's lock
    const struct gpu_driver *driver; // borrowed, and with |index| what it is the store of
    size_t index;
    struct thread_mutex lock;
    struct backend_device *devices; // of contexts; guarded by lock
    struct gpu_block *blocks;       // owned; guarded by lock
};

// Part of the registry of back ends: memory of a device is a property of the process.
static struct {
    pthread_mutex_t lock;
    struct gpu_store *stores; // guarded by lock: owned by the contexts that have joined
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- contexts -----------------------------------------------------------------------------------------------------

// The registry's lock is held. NULL: no memory.
static struct gpu_store *find_or_make(const struct gpu_driver *driver, size_t index)
{
    struct gpu_store *store = registry.stores;
    while (store != NULL && (store->driver != driver || store->index != index)) {
        store = store->next;
    }
    if (store == NULL) {
        store = calloc(1, sizeof *store);
        if (store == NULL) {
            return NULL;
        }
        store->driver = driver;
        store->index = index;
        thread_mutex_init(&store->lock);
        store->next = registry.stores;
        registry.stores = store;
    }
    store->reference_count++;
    return store;
}

static void release(struct gpu_store *store)
{
    pthread_mutex_lock(&registry.lock);
    assert(store->reference_count > 0);
    bool is_last = --store->reference_count == 0;
    for (struct gpu_store **link = &registry.stores; is_last && *link != NULL;) {
        if (*link == store) {
            *link = store->next;
        } else {
            link = &(*link)->next;
        }
    }
    pthread_mutex_unlock(&registry.lock);
    if (is_last) {
        assert(store->devices == NULL && store->blocks == NULL);
        thread_mutex_finish(&store->lock);
        free(store);
    }
}

rill_status gpu_store_join(struct backend_device *device, size_t index)
{
    pthread_mutex_lock(&registry.lock);
    device->store = find_or_make(device->driver, index);
    pthread_mutex_unlock(&registry.lock);
    if (device->store == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for the device");
    }
    thread_lock(&device->store->lock);
    device->store_next = device->store->devices;
    device->store->devices = device;
    thread_unlock(&device->store->lock);
    return RILL_OK;
}

// ---- memory -------------------------------------------------------------------------------------------------------

static bool free_blocks(struct backend_device *device, struct gpu_block *blocks)
{
    bool has_some = blocks != NULL;
    while (blocks != NULL) {
        struct gpu_block *next = blocks->next;
        driver_memory_free_now(device->driver, blocks->address);
        free(blocks);
        blocks = next;
    }
    return has_some;
}

void gpu_store_leave(struct backend_device *device)
{
    struct gpu_store *store = device->store;
    if (store == NULL) {
        return;
    }
    thread_lock(&store->lock);
    struct backend_device **link = &store->devices;
    while (*link != device) {
        assert(*link != NULL); // it has joined
        link = &(*link)->store_next;
    }
    *link = device->store_next;
    if (store->devices == NULL) { // with the lock held, so that no other opens and queues work meanwhile
        (void)free_blocks(device, store->blocks);
        store->blocks = NULL;
    }
    thread_unlock(&store->lock);
    device->store = NULL;
    release(store);
}

void gpu_store_keep(struct backend_device *device, struct gpu_block *block)
{
    struct gpu_store *store = device->store;
    assert(block->event == NULL && !device->properties.has_pools);
    thread_lock(&store->lock);
    block->next = store->blocks;
    store->blocks = block;
    thread_unlock(&store->lock);
}

struct gpu_block *gpu_store_take(struct backend_device *device, uint64_t size)
{
    struct gpu_store *store = device->store;
    thread_lock(&store->lock);
    struct gpu_block **link = &store->blocks;
    while (*link != NULL && ((*link)->is_unknown || !gpu_block_serves(*link, size))) {
        link = &(*link)->next;
    }
    struct gpu_block *block = *link;
    if (block != NULL) {
        *link = block->next;
    }
    thread_unlock(&store->lock);
    return block;
}

bool gpu_store_free(struct backend_device *device)
{
    struct gpu_store *store = device->store;
    thread_lock(&store->lock);
    struct gpu_block *blocks = store->blocks;
    store->blocks = NULL;
    thread_unlock(&store->lock);
    return free_blocks(device, blocks);
}

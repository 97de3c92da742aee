// Memory: the kinds of memory have numbers that depend on the version.
#include "hip.h"

#include <string.h>

static cu_address address_of(const void *pointer)
{
    return (cu_address)(uintptr_t)pointer;
}

static void *as_pointer(cu_address address)
{
    return (void *)(uintptr_t)address;
}

int fake_hip_memory_alloc(uint64_t *out, size_t size)
{
    return fake_cu_memory_alloc(out, size);
}

static int alloc(void **out, size_t size)
{
    uint64_t address = 0;
    int code = fake_hip_memory_alloc(&address, size);
    if (code == FAKE_OK) {
        *out = as_pointer(address);
    }
    return code;
}

// For applications: Rill does not use it.
int fake_hip_managed_alloc(void **out, size_t size, unsigned flags)
{
    (void)flags;
    int code = alloc(out, size);
    if (code == FAKE_OK) {
        fake_lock();
        fake_memory_find_locked(address_of(*out))->is_managed = true;
        fake_unlock();
    }
    return code;
}

// For applications too: 0 is ordinary memory, 1 fine-grained.
int fake_hip_flagged_alloc(void **out, size_t size, unsigned flags)
{
    int code = alloc(out, size);
    if (code == FAKE_OK) {
        fake_lock();
        fake_memory_find_locked(address_of(*out))->flags = flags;
        fake_unlock();
    }
    return code;
}

int fake_hip_memory_free(uint64_t address)
{
    return fake_cu_memory_free(address);
}

int fake_hip_host_alloc(void **out, size_t size, unsigned flags)
{
    return fake_cu_host_alloc(out, size, flags);
}

int fake_hip_host_free(void *memory)
{
    return fake_cu_host_free(memory);
}

int fake_hip_pool_create(hip_pool *out, const struct driver_pool_options *options)
{
    return fake_cu_pool_create(out, options);
}

int fake_hip_pool_destroy(hip_pool pool)
{
    return fake_cu_pool_destroy(pool);
}

int fake_hip_pool_set(hip_pool pool, int attribute, void *value)
{
    return fake_cu_pool_set(pool, attribute, value);
}

int fake_hip_pool_alloc(uint64_t *out, size_t size, hip_pool pool, hip_stream stream)
{
    return fake_cu_pool_alloc(out, size, pool, stream);
}

int fake_hip_memory_free_async(uint64_t address, hip_stream stream)
{
    return fake_cu_memory_free_async(address, stream);
}

// 1 host and 2 device since ROCm 6, one less before.
int fake_hip_pointer_get(void *out, int attribute, uint64_t address)
{
    if (attribute == HIP_POINTER_IS_MANAGED) {
        ENTER("hipPointerGetAttribute", DEVICE);
        fake_lock();
        const struct fake_range *range = fake_memory_find_locked(address);
        bool is_known = range != NULL && !range->is_free_called;
        *(bool *)out = is_known && range->is_managed;
        fake_unlock();
        return is_known ? FAKE_OK : FAKE_INVALID_VALUE;
    }
    int code = fake_cu_pointer_get(out, attribute, address);
    if (code == FAKE_OK && attribute == HIP_POINTER_MEMORY_TYPE && fake.version < 60000000) {
        *(int *)out -= 1;
    }
    return code;
}

// The flags since ROCm 6.
int fake_hip_pointer_describe(struct hip_pointer *out, const void *address)
{
    ENTER("hipPointerGetAttributes", DEVICE);
    fake_lock();
    const struct fake_range *range = fake_memory_find_locked(address_of(address));
    bool is_known = range != NULL && !range->is_free_called;
    memset(out, 0, offsetof(struct hip_pointer, later));
    if (is_known) {
        bool is_new = fake.version >= 60000000;
        bool is_host = range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED;
        out->kind = (is_host ? 0 : 1) + is_new;
        out->device = range->context->device;
        out->device_address = (void *)(uintptr_t)address;
        out->is_managed = range->is_managed;
        out->flags = is_new ? range->flags : 0;
    }
    fake_unlock();
    return is_known ? FAKE_OK : FAKE_INVALID_VALUE;
}

int fake_hip_copy_async(void *target, const void *source, size_t size, int kind, hip_stream stream)
{
    if (kind != HIP_COPY_DEFAULT) {
        fake_violation("hipMemcpyAsync: of kind %d", kind);
    }
    return fake_cu_copy_async(address_of(target), address_of(source), size, stream);
}

int fake_hip_copy_peer(void *target, int target_device, const void *source, int source_device, size_t size,
                       hip_stream stream)
{
    if (target_device < 0 || target_device >= fake.device_count || source_device < 0 ||
        source_device >= fake.device_count) {
        return FAKE_INVALID_DEVICE;
    }
    return fake_cu_copy_peer(address_of(target), fake_handle(&fake.contexts[target_device]), address_of(source),
                             fake_handle(&fake.contexts[source_device]), size, stream);
}

int fake_hip_set8_async(uint64_t target, unsigned char value, size_t count, hip_stream stream)
{
    return fake_cu_set8_async(target, value, count, stream);
}

int fake_hip_set16_async(uint64_t target, unsigned short value, size_t count, hip_stream stream)
{
    return fake_cu_set16_async(target, value, count, stream);
}

int fake_hip_set32_async(uint64_t target, unsigned value, size_t count, hip_stream stream)
{
    return fake_cu_set32_async(target, value, count, stream);
}

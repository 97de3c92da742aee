// What operations do when their time has come, and what is looked at before: the memory they touch.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what work touches ----------------------------------------------------------------------------------------------

static bool overlaps(uint64_t address, uint64_t size, const struct fake_range *range)
{
    return address < range->address + range->size && range->address < address + size;
}

// A kernel touches what its parameters point at, as far as anybody can tell.
static bool kernel_touches(const struct fake_kernel *kernel, const struct fake_range *range)
{
    for (size_t at = 0; at + 8 <= kernel->params_size; at += 8) {
        uint64_t word;
        memcpy(&word, kernel->params + at, 8);
        if (overlaps(word, 1, range)) {
            return true;
        }
    }
    return false;
}

bool fake_work_touches(const struct fake_work *work, const struct fake_range *range)
{
    switch (work->kind) {
    case FAKE_OP_KERNEL: return kernel_touches(&work->u.kernel, range);
    case FAKE_OP_COPY:
        return overlaps(work->u.copy.target, work->u.copy.size, range) ||
               (!work->u.copy.is_staged && overlaps(work->u.copy.source, work->u.copy.size, range));
    case FAKE_OP_FILL: return overlaps(work->u.fill.target, work->u.fill.count * work->u.fill.element_size, range);
    case FAKE_OP_WAIT_VALUE:
    case FAKE_OP_WRITE_VALUE: return overlaps(work->u.value.address, work->u.value.is_64 ? 8 : 4, range);
    default: return false;
    }
}

static void check_given_back(uint64_t address, const char *call, const char *what)
{
    const struct fake_range *range = fake_memory_find_locked(address);
    if (range != NULL && range->is_free_called) {
        fake_violation_locked("%s: use after free: %s, %lu bytes into an allocation of %lu", call, what,
                              (unsigned long)(address - range->address), (unsigned long)range->size);
    }
}

void fake_check_work_locked(const struct fake_work *work, const char *call)
{
    if (work->kind == FAKE_OP_KERNEL) {
        const struct fake_kernel *kernel = &work->u.kernel;
        for (size_t at = 0; at + 8 <= kernel->params_size; at += 8) {
            uint64_t word;
            memcpy(&word, kernel->params + at, 8);
            check_given_back(word, call, "a kernel's argument");
        }
    } else if (work->kind == FAKE_OP_COPY) {
        check_given_back(work->u.copy.target, call, "the target of a copy");
        check_given_back(work->u.copy.source, call, "the source of a copy");
    } else if (work->kind == FAKE_OP_FILL) {
        check_given_back(work->u.fill.target, call, "the target of a fill");
    } else if (work->kind == FAKE_OP_WAIT_VALUE || work->kind == FAKE_OP_WRITE_VALUE) {
        check_given_back(work->u.value.address, call, "a value's address");
    }
}

const char *fake_work_name(const struct fake_work *work)
{
    static const char *const names[] = {"mark",
                                        "kernel",
                                        "copy",
                                        "fill",
                                        "host function",
                                        "allocation",
                                        "free",
                                        "wait for a value",
                                        "write of a value",
                                        "conditional node",
                                        "initial values"};
    return names[work->kind];
}

// ---- running --------------------------------------------------------------------------------------------------------

// Pages in which the running kernel was seen to do atomics; what it uses is not freed meanwhile.
enum { SEEN_PAGES = 64, PAGE_BITS = 12 };
static _Thread_local uint64_t seen_pages[SEEN_PAGES];

void fake_check_atomic(const void *address)
{
    uint64_t page = (uint64_t)(uintptr_t)address >> PAGE_BITS;
    if (seen_pages[page % SEEN_PAGES] == page) {
        return;
    }
    seen_pages[page % SEEN_PAGES] = page;
    fake_count_call("rill_stand_in_atomic");
    fake_lock();
    const struct fake_range *range = fake_memory_find_locked((uint64_t)(uintptr_t)address);
    bool is_host = range != NULL && (range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED);
    if (range != NULL && (is_host || range->is_managed || range->flags != 0)) {
        fake_violation_locked("an atomic of the hardware in %s memory, where it would be lost", is_host ? "the host's"
                                                                                                : range->is_managed
                                                                                                    ? "managed"
                                                                                                    : "fine-grained");
    }
    fake_unlock();
}

static void run_kernel(struct fake_op *op)
{
    memset(seen_pages, 0, sizeof seen_pages);
    const struct fake_kernel *kernel = &op->work.u.kernel;
    uint32_t first = 0;
    fake_lock();
    bool is_lost = fake.lost_after > 0 && ++fake.kernel_count >= fake.lost_after;
    if (is_lost) {
        fake_lose_locked(op->context, FAKE_ILLEGAL_ADDRESS);
    }
    if (fake.is_seeded) {
        first = (uint32_t)fake_random_locked(kernel->grid);
    }
    fake_unlock();
    for (uint32_t i = 0; i < kernel->grid && !is_lost; i++) {
        uint32_t block = (uint32_t)(((uint64_t)first + i) % kernel->grid);
        kernel->function->entry(kernel->addresses, kernel->grid, block);
    }
}

static bool is_host(uint64_t address)
{
    const struct fake_range *range = fake_memory_find_locked(address);
    return range == NULL || range->kind == FAKE_RANGE_HOST || range->kind == FAKE_RANGE_REGISTERED;
}

// A flag that the host polls is written whole, and one that kernels claim by an atomic is read so.
static void move_bytes(void *target, const void *source, size_t size)
{
    uintptr_t both = (uintptr_t)target | (uintptr_t)source;
    if (size == 4 && both % 4 == 0) {
        __atomic_store_n((uint32_t *)target, __atomic_load_n((const uint32_t *)source, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
    } else if (size == 8 && both % 8 == 0) {
        __atomic_store_n((uint64_t *)target, __atomic_load_n((const uint64_t *)source, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
    } else {
        memmove(target, source, size);
    }
}

static void run_copy(struct fake_op *op)
{
    struct fake_copy *copy = &op->work.u.copy;
    const void *source = copy->is_staged ? copy->snapshot : (const void *)(uintptr_t)copy->source;
    fake_lock();
    bool good = fake_memory_check_locked(copy->target, copy->size, true, "the target of a copy") &&
                (copy->is_staged || fake_memory_check_locked(copy->source, copy->size, true, "the source of a copy"));
    bool may_compare = copy->snapshot != NULL && !copy->is_staged && fake.host_write_count == copy->writes_before;
    bool writes_host = is_host(copy->target);
    fake_unlock();
    if (!good) {
        return;
    }
    if (may_compare && memcmp(copy->snapshot, source, copy->size) != 0) {
        fake_violation("the host changed %lu bytes before the copy that reads them ran", (unsigned long)copy->size);
    }
    move_bytes((void *)(uintptr_t)copy->target, source, copy->size);
    if (writes_host) {
        fake_lock();
        fake.host_write_count++;
        fake_unlock();
    }
}

static void run_fill(const struct fake_fill *fill)
{
    fake_lock();
    bool good = fake_memory_check_locked(fill->target, fill->count * fill->element_size, false, "the target of a fill");
    fake_unlock();
    if (!good) {
        return;
    }
    unsigned char *target = (void *)(uintptr_t)fill->target;
    if (fill->element_size == 1) {
        memset(target, (int)fill->value, fill->count);
        return;
    }
    for (size_t i = 0; i < fill->count; i++) {
        memcpy(target + i * fill->element_size, &fill->value, fill->element_size);
    }
}

static void run_host(const struct fake_host *host)
{
    fake_set_in_host_function(true);
    if (host->function != NULL) {
        host->function(host->user);
    } else {
        host->stream_function(host->stream, 0, host->user);
    }
    fake_set_in_host_function(false);
    fake_lock();
    fake.host_write_count++;
    fake_unlock();
}

bool fake_value_holds(const struct fake_value *value)
{
    if (!fake_memory_check_locked(value->address, value->is_64 ? 8 : 4, false, "a wait for a value")) {
        return true; // said, and nothing hangs
    }
    uint64_t is = value->is_64 ? __atomic_load_n((uint64_t *)(uintptr_t)value->address, __ATOMIC_ACQUIRE)
                               : __atomic_load_n((uint32_t *)(uintptr_t)value->address, __ATOMIC_ACQUIRE);
    switch (value->flags & 3) {
    case 0: return value->is_64 ? (int64_t)(is - value->value) >= 0 : (int32_t)(uint32_t)(is - value->value) >= 0;
    case 1: return is == value->value;
    case 2: return (is & value->value) != 0;
    default: return (~(is | value->value)) != 0;
    }
}

static void run_write_value(const struct fake_value *value)
{
    fake_lock();
    bool good = fake_memory_check_locked(value->address, value->is_64 ? 8 : 4, false, "a write of a value");
    fake.host_write_count++;
    fake_unlock();
    if (good && value->is_64) {
        __atomic_store_n((uint64_t *)(uintptr_t)value->address, value->value, __ATOMIC_RELEASE);
    } else if (good) {
        __atomic_store_n((uint32_t *)(uintptr_t)value->address, (uint32_t)value->value, __ATOMIC_RELEASE);
    }
}

void fake_op_run(struct fake_op *op)
{
    struct fake_work *work = &op->work;
    switch (work->kind) {
    case FAKE_OP_NOTHING:
    case FAKE_OP_WAIT_VALUE: break;
    case FAKE_OP_KERNEL: run_kernel(op); break;
    case FAKE_OP_COPY: run_copy(op); break;
    case FAKE_OP_FILL: run_fill(&work->u.fill); break;
    case FAKE_OP_HOST: run_host(&work->u.host); break;
    case FAKE_OP_WRITE_VALUE: run_write_value(&work->u.value); break;
    case FAKE_OP_CONDITION: fake_condition_run(op); break;
    case FAKE_OP_DEFAULTS:
        fake_lock();
        fake_condition_defaults_locked(work->u.condition.graph);
        fake_unlock();
        break;
    case FAKE_OP_ALLOC:
        fake_lock();
        fake_memory_live_locked(work->u.range);
        fake_unlock();
        break;
    case FAKE_OP_FREE:
        fake_lock();
        fake_memory_in_flight_locked(work->u.range, op, "a free in stream order");
        fake_memory_free_locked(work->u.range);
        fake_unlock();
        break;
    }
}

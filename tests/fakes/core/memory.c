// Memory as ranges. Each allocation is a mapping of its own behind which lies a page that nobody may touch; what is not
// yet allocated in stream order, or is freed, may not be touched either, so that a kernel that does ends the process
// with words. Addresses of freed ranges are not used again for a long time.
#include "fake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, FREED_LIMIT = 2000, DIRT_LIMIT = 4 << 20 };

// ---- the list -------------------------------------------------------------------------------------------------------

// The first range that ends above the address.
static int find_place(uint64_t address)
{
    int low = 0, high = fake.range_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (fake.ranges[middle]->address + fake.ranges[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct fake_range *fake_memory_find_locked(uint64_t address)
{
    int place = find_place(address);
    return place < fake.range_count && fake.ranges[place]->address <= address ? fake.ranges[place] : NULL;
}

static void drop(int place)
{
    struct fake_range *range = fake.ranges[place];
    if (range->mapped_size != 0) {
        munmap((void *)(uintptr_t)range->address, range->mapped_size);
    }
    memmove(&fake.ranges[place], &fake.ranges[place + 1], sizeof *fake.ranges * (size_t)(fake.range_count - place - 1));
    fake.range_count--;
    free(range);
}

static void drop_oldest_freed(void)
{
    int oldest = -1;
    for (int i = 0; i < fake.range_count; i++) {
        if (fake.ranges[i]->state == FAKE_RANGE_FREED && fake.ranges[i]->mapped_size != 0 &&
            (oldest < 0 || fake.ranges[i]->number < fake.ranges[oldest]->number)) {
            oldest = i;
        }
    }
    if (oldest >= 0) {
        drop(oldest);
        fake.freed_count--;
    }
}

// What lay there before and is gone (a module's memory, registered memory) makes room.
static void insert(struct fake_range *range)
{
    int place = find_place(range->address);
    while (place < fake.range_count && fake.ranges[place]->address < range->address + range->size) {
        if (fake.ranges[place]->state != FAKE_RANGE_FREED) {
            place++;
            continue;
        }
        fake.ranges[place]->mapped_size = 0;
        drop(place);
    }
    FAKE_GROW(fake.ranges, fake.range_count, fake.range_capacity);
    memmove(&fake.ranges[place + 1], &fake.ranges[place], sizeof *fake.ranges * (size_t)(fake.range_count - place));
    fake.ranges[place] = range;
    fake.range_count++;
    range->number = ++fake.range_number;
}

// ---- allocations ----------------------------------------------------------------------------------------------------

int fake_memory_create_locked(struct fake_context *context, uint64_t size, enum fake_range_kind kind,
                              enum fake_range_state state, struct fake_range **out_range)
{
    *out_range = NULL;
    if (size == 0) {
        return FAKE_INVALID_VALUE;
    }
    if (size > fake.memory_size || context->used_size + size > fake.memory_size) {
        return FAKE_OUT_OF_MEMORY;
    }
    size_t mapped = (size + PAGE - 1) / PAGE * PAGE + PAGE;
    void *memory = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return FAKE_OUT_OF_MEMORY;
    }
    struct fake_range *range = fake_alloc(sizeof *range);
    *range = (struct fake_range){.address = (uint64_t)(uintptr_t)memory,
                                 .size = size,
                                 .mapped_size = mapped,
                                 .kind = kind,
                                 .state = FAKE_RANGE_RESERVED,
                                 .context = context};
    insert(range);
    context->used_size += kind == FAKE_RANGE_DEVICE ? size : 0;
    if (state == FAKE_RANGE_LIVE) {
        fake_memory_live_locked(range);
    }
    *out_range = range;
    return FAKE_OK;
}

// New memory holds dirt, as a device's does.
void fake_memory_live_locked(struct fake_range *range)
{
    void *memory = (void *)(uintptr_t)range->address;
    if (range->state != FAKE_RANGE_RESERVED) {
        return;
    }
    mprotect(memory, range->mapped_size - PAGE, PROT_READ | PROT_WRITE);
    if (range->kind == FAKE_RANGE_DEVICE) {
        memset(memory, 0xd1, range->size < DIRT_LIMIT ? range->size : DIRT_LIMIT);
    }
    range->state = FAKE_RANGE_LIVE;
}

void fake_memory_free_locked(struct fake_range *range)
{
    if (range->state == FAKE_RANGE_FREED) {
        return;
    }
    if (range->mapped_size != 0) {
        void *memory = (void *)(uintptr_t)range->address;
        madvise(memory, range->mapped_size, MADV_DONTNEED);
        mprotect(memory, range->mapped_size, PROT_NONE);
        fake.freed_count++;
    }
    range->context->used_size -= range->kind == FAKE_RANGE_DEVICE ? range->size : 0;
    range->state = FAKE_RANGE_FREED;
    range->is_free_called = true;
    if (fake.freed_count > FREED_LIMIT) {
        drop_oldest_freed();
    }
}

struct fake_range *fake_memory_add_locked(struct fake_context *context, const void *address, uint64_t size,
                                          enum fake_range_kind kind)
{
    struct fake_range *range = fake_alloc(sizeof *range);
    *range = (struct fake_range){.address = (uint64_t)(uintptr_t)address,
                                 .size = size,
                                 .kind = kind,
                                 .state = FAKE_RANGE_LIVE,
                                 .context = context};
    insert(range);
    return range;
}

void fake_memory_forget_locked(struct fake_range *range)
{
    for (int i = 0; i < fake.range_count; i++) {
        if (fake.ranges[i] == range) {
            drop(i);
            return;
        }
    }
}

// ---- checks ---------------------------------------------------------------------------------------------------------

bool fake_memory_check_locked(uint64_t address, uint64_t size, bool host_allowed, const char *what)
{
    struct fake_range *range = fake_memory_find_locked(address);
    if (range == NULL) {
        if (!host_allowed) {
            fake_violation_locked("%s: %#lx is no memory of the device", what, (unsigned long)address);
        }
        return host_allowed;
    }
    if (range->state == FAKE_RANGE_FREED) {
        fake_violation_locked("%s: use after free of %#lx, %lu bytes into an allocation of %lu", what,
                              (unsigned long)address, (unsigned long)(address - range->address),
                              (unsigned long)range->size);
        return false;
    }
    if (range->state == FAKE_RANGE_RESERVED) {
        fake_violation_locked("%s: %#lx is used before its allocation's place in the stream", what,
                              (unsigned long)address);
        return false;
    }
    if (address - range->address + size > range->size) {
        fake_violation_locked("%s: %lu bytes at %lu of an allocation of %lu", what, (unsigned long)size,
                              (unsigned long)(address - range->address), (unsigned long)range->size);
        return false;
    }
    return true;
}

// What was queued before the memory was given back and is not done is not ordered before that.
void fake_memory_in_flight_locked(const struct fake_range *range, const struct fake_op *ender, const char *what)
{
    for (const struct fake_op *op = fake.pending; op != NULL; op = op->next_pending) {
        if (op != ender && (ender == NULL || op->number < ender->number) && fake_work_touches(&op->work, range)) {
            fake_violation_locked(
                "%s: freed while in flight: an allocation of %lu bytes that work (%s) of stream %lu uses", what,
                (unsigned long)range->size, fake_work_name(&op->work),
                op->stream != NULL ? (unsigned long)op->stream->id : 0);
            return;
        }
    }
}

// ---- kernels that go astray
// ------------------------------------------------------------------------------------------

static struct sigaction before_us;

// Other threads may hold the lock: what is read here is only for the words.
static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    for (int i = 0; i < fake.range_count; i++) {
        const struct fake_range *range = fake.ranges[i];
        if (address < range->address || address >= range->address + range->mapped_size) {
            continue;
        }
        const char *why = range->state == FAKE_RANGE_FREED      ? "use after free"
                          : range->state == FAKE_RANGE_RESERVED ? "used before its allocation's place in the stream"
                                                                : "out of bounds";
        char text[160];
        int size = snprintf(
            text, sizeof text, "fake driver: %s: an access at %lu of an allocation of %lu bytes (number %lu)\n", why,
            (unsigned long)(address - range->address), (unsigned long)range->size, (unsigned long)range->number);
        (void)!write(2, text, (size_t)size);
        break;
    }
    sigaction(signal, &before_us, NULL); // and again, to whom it was before
}

void fake_memory_describe_fault(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, &before_us);
}

// The launch block, half of which the host knows.
#include "backend/gpu/sink.h"

#include "base/clock.h"
#include "base/half.h"
#include "base/status.h"

#include <assert.h>
#include <string.h>

static const int type_sizes[] = {
#define TYPE_SIZE(name, text, size) [IR_##name] = size,
    IR_TYPE_LIST(TYPE_SIZE)
#undef TYPE_SIZE
};

rill_status gpu_slot_assign(struct gpu_walk *walk, const struct plan_node *node, union ir_value value)
{
    struct gpu_run *run = walk->run;
    char *at = run->shadow + node->slot;
    assert(node->slot >= 0 && (uint64_t)node->slot < run->kernel->plan->block_size);
    if (node->type == IR_F32) {
        float narrow = (float)value.f;
        memcpy(at, &narrow, sizeof narrow);
    } else if (node->type == IR_F16 || node->type == IR_BF16) {
        uint16_t half = half_bits(value.f, node->type == IR_BF16);
        memcpy(at, &half, sizeof half);
    } else {
        // Little-endian: the low bytes of the word are the value, of a double all of it.
        memcpy(at, &value, (size_t)type_sizes[node->type]);
    }
    int slot = gpu_slot_at(run->kernel->plan, node->slot);
    if (slot >= 0) {
        run->slots[slot] = GPU_SLOT_HOST;
    }
    return walk->parent > 0 ? gpu_slot_upload(walk, slot) : RILL_OK;
}

static rill_status upload_part(struct gpu_walk *walk, uint64_t offset, int width)
{
    uint64_t value = 0;
    memcpy(&value, walk->run->shadow + offset, (size_t)width);
    return walk->run->sink->store(walk, (int64_t)offset, value, width);
}

rill_status gpu_slot_upload(struct gpu_walk *walk, int index)
{
    struct gpu_run *run = walk->run;
    if (index < 0 || run->slots[index] != GPU_SLOT_HOST) {
        return RILL_OK;
    }
    const struct plan_slot *slot = &run->kernel->plan->slots[index];
    assert(index < run->kernel->plan->slot_count);
    bool takes_words = slot->offset % 8 == 0 && run->sink->store_width >= 8;
    for (uint64_t done = 0; done < slot->size;) {
        uint64_t left = slot->size - done;
        int width = left >= 8 && takes_words ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        RILL_TRY(upload_part(walk, (uint64_t)slot->offset + done, width));
        done += (uint64_t)width;
    }
    run->slots[index] = GPU_SLOT_BOTH;
    return RILL_OK;
}

rill_status gpu_slots_upload(struct gpu_walk *walk, const struct plan_expr *expr)
{
    if (expr == NULL) {
        return RILL_OK;
    }
    if (expr->kind == PLAN_EXPR_SLOT) {
        return gpu_slot_upload(walk, gpu_slot_at(walk->run->kernel->plan, expr->imm));
    }
    for (int i = 0; i < expr->arg_count; i++) {
        RILL_TRY(gpu_slots_upload(walk, expr->args[i]));
    }
    return RILL_OK;
}

static bool is_assigned_in(const struct plan_kernel *plan, const struct plan_node *node, int slot)
{
    bool is_assigned = plan_slot_assigned(plan, node) == slot;
    for (int i = 0; i < node->child_count && !is_assigned; i++) {
        is_assigned = node->children[i] != NULL && is_assigned_in(plan, node->children[i], slot);
    }
    return is_assigned;
}

rill_status gpu_slots_settle(struct gpu_walk *walk)
{
    const struct plan_kernel *plan = walk->run->kernel->plan;
    for (int i = 0; i < plan->slot_count; i++) {
        if (walk->block == NULL || is_assigned_in(plan, walk->block, i)) {
            RILL_TRY(gpu_slot_upload(walk, i));
        }
    }
    return RILL_OK;
}

static bool is_missing(const struct gpu_run *run, const struct plan_expr *expr)
{
    if (expr == NULL) {
        return false;
    }
    if (expr->kind == PLAN_EXPR_SLOT) {
        int slot = gpu_slot_at(run->kernel->plan, expr->imm);
        return slot >= 0 && run->slots[slot] == GPU_SLOT_DEVICE;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (is_missing(run, expr->args[i])) {
            return true;
        }
    }
    return false;
}

// Where no expression of the plan reads what tasks write there is nothing to look for.
bool gpu_slots_missing(const struct gpu_run *run, const struct plan_expr *expr)
{
    return run->kernel->reads_results && is_missing(run, expr);
}

static bool is_written_by(const struct gpu_kernel *kernel, int task, int slot)
{
    const struct plan_task *plan = task >= 0 ? &kernel->plan->tasks[task] : NULL;
    bool is_written = false;
    for (int i = 0; plan != NULL && i < plan->slot_use_count && !is_written; i++) {
        is_written = plan->slot_uses[i].writes && kernel->tasks[task].slot_indices[i] == slot;
    }
    return is_written;
}

static bool is_written_in(const struct gpu_kernel *kernel, const struct plan_node *node, int slot)
{
    bool is_written =
        plan_slot_assigned(kernel->plan, node) == slot || is_written_by(kernel, plan_node_task(node), slot);
    for (int i = 0; i < node->child_count && !is_written; i++) {
        is_written = node->children[i] != NULL && is_written_in(kernel, node->children[i], slot);
    }
    return is_written;
}

// Blocks of a region share no slot that one of them writes: nothing asks here for what another block may be writing.
static bool is_anothers(const struct gpu_walk *walk, int slot)
{
    bool is = false;
    for (int i = 0; walk->region != NULL && i < walk->region->child_count && !is; i++) {
        const struct plan_node *block = walk->region->children[i];
        is = block != walk->block && is_written_in(walk->run->kernel, block, slot);
    }
    return is;
}

// The host knows the slot until a task writes it again; nobody keeps count of that, so it stays the device's.
static bool is_read(const struct gpu_walk *walk, int slot)
{
    return walk->run->slots[slot] == GPU_SLOT_DEVICE && !is_anothers(walk, slot);
}

// To |pinned|, as the launch block has it: all of that, or where other blocks run beside this one its slots alone.
static rill_status copy_slots(struct gpu_walk *walk, uint64_t pinned)
{
    struct gpu_run *run = walk->run;
    const struct gpu_driver *driver = run->device->driver;
    const struct plan_kernel *plan = run->kernel->plan;
    if (walk->region == NULL) {
        return driver->copy(walk->lane->handle, pinned, run->block, plan->block_size);
    }
    for (int i = 0; i < plan->slot_count; i++) {
        uint64_t offset = (uint64_t)plan->slots[i].offset;
        if (is_read(walk, i)) {
            RILL_TRY(driver->copy(walk->lane->handle, pinned + offset, run->block + offset, plan->slots[i].size));
        }
    }
    return RILL_OK;
}

static void take_over(struct gpu_walk *walk, const char *block)
{
    struct gpu_run *run = walk->run;
    const struct plan_kernel *plan = run->kernel->plan;
    for (int i = 0; i < plan->slot_count; i++) {
        if (is_read(walk, i)) {
            memcpy(run->shadow + plan->slots[i].offset, block + plan->slots[i].offset, plan->slots[i].size);
        }
    }
}

static void note_wait(const struct gpu_run *run, const struct gpu_why *why)
{
    gpu_count(&run->device->counters.readback_count);
    backend_log(&run->device->host, BACKEND_LOG_NOTE, "kernel '%s', %s:%u: the launch waits for %s that tasks compute",
                run->kernel->plan->name, plan_file(run->image->plan, why->loc.file), why->loc.line, why->what);
}

rill_status gpu_slots_read(struct gpu_walk *walk, const struct gpu_why *why)
{
    struct gpu_run *run = walk->run;
    assert(!run->sink->decides_on_device); // a recording has no values to read
    const struct gpu_driver *driver = run->device->driver;
    if (!backend_may_wait(run->launch->must_not_wait)) {
        return status_fail(RILL_ERR_IN_CALLBACK,
                           "kernel '%s' would wait for what its tasks compute, which a callback must not",
                           run->kernel->plan->name);
    }
    if (run->stream->is_capturing) {
        return gpu_capture_refuse("a kernel that waits for what its tasks compute cannot be launched there");
    }
    note_wait(run, why);
    uint64_t pinned;
    size_t size = run->kernel->plan->block_size;
    uint64_t begin = run->device->trace != NULL ? clock_now() : 0;
    RILL_TRY(gpu_ring_take(run->stream, GPU_RING_PINNED, size + sizeof(struct abi_gpu_frame), NULL, &pinned));
    RILL_TRY(copy_slots(walk, pinned));
    struct abi_gpu_frame *frame = (struct abi_gpu_frame *)(uintptr_t)(pinned + (size + 7) / 8 * 8);
    if (run->frame != 0) {
        RILL_TRY(driver->copy(walk->lane->handle, (uint64_t)(uintptr_t)frame, run->frame, 8));
    }
    RILL_TRY(driver_stream_synchronize(driver, walk->lane->handle));
    if (run->device->trace != NULL) {
        gpu_trace_read(walk, why, begin);
    }
    run->has_failed = run->frame != 0 && frame->claimed != 0;
    take_over(walk, (const char *)(uintptr_t)pinned);
    return RILL_OK;
}

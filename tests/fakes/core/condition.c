// Conditional nodes: a body that runs if, or as long as, its handle is not 0. The device would run the nodes of a body
// in any order that their edges allow; here they run in the order in which they were added, which is one of these.
#include "fake.h"

#include <string.h>

bool fake_graph_has_conditions(const struct fake_graph *graph)
{
    for (int i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->handle != 0) {
            return true;
        }
    }
    return false;
}

void fake_condition_defaults_locked(const struct fake_graph *graph)
{
    for (int i = 0; i < graph->node_count; i++) {
        const struct fake_node *node = graph->nodes[i];
        struct fake_handle_value *handle = &fake.handles[node->handle];
        if (node->handle != 0) {
            handle->value = handle->has_default ? handle->initial : handle->value;
            fake_condition_defaults_locked(node->child);
        }
    }
}

static void run_body(struct fake_op *op, const struct fake_graph *graph)
{
    for (int i = 0; i < graph->node_count; i++) {
        const struct fake_node *node = graph->nodes[i];
        struct fake_op inner = {.work = node->work, .context = op->context, .stream = op->stream};
        if (node->handle != 0) {
            inner.work = (struct fake_work){
                .kind = FAKE_OP_CONDITION,
                .u.condition = {.graph = node->child, .handle = node->handle, .is_loop = node->is_loop}};
        }
        fake_op_run(&inner);
    }
}

static bool holds(const struct fake_op *op, uint64_t handle)
{
    fake_lock();
    bool is_true = fake.handles[handle].value != 0 && op->context->lost_code == FAKE_OK && !fake.is_gone;
    fake_unlock();
    return is_true;
}

void fake_condition_run(struct fake_op *op)
{
    const struct fake_condition *condition = &op->work.u.condition;
    while (holds(op, condition->handle)) {
        run_body(op, condition->graph);
        if (!condition->is_loop) {
            break;
        }
    }
}

static uint64_t read_param(void *const *params, int index)
{
    uint64_t value;
    memcpy(&value, params[index], sizeof value);
    return value;
}

static void set_locked(uint64_t handle, bool value)
{
    if (handle == 0 || handle > (uint64_t)fake.handle_count) {
        fake_violation_locked("cudaGraphSetConditional: %llu is no handle", (unsigned long long)handle);
        return;
    }
    fake.handles[handle].value = value;
}

void fake_condition_entry(void *const *params, uint32_t grid_size, uint32_t block_index)
{
    (void)grid_size;
    (void)block_index;
    uint64_t place = read_param(params, 3);
    uint64_t frame = read_param(params, 5);
    uint32_t claimed = frame != 0 ? __atomic_load_n((uint32_t *)(uintptr_t)frame, __ATOMIC_ACQUIRE) : 0;
    unsigned char flag = *(unsigned char *)(uintptr_t)(read_param(params, 1) + (place & 0xffffffff)) & 1;
    fake_lock();
    set_locked(read_param(params, 2), claimed == 0 && (flag ^ (place >> 32 & 1)) != 0);
    if ((place >> 34 & 1) != 0) {
        set_locked(read_param(params, 4), claimed == 0 && (flag ^ (place >> 33 & 1)) != 0);
    }
    fake_unlock();
}

void fake_again_entry(void *const *params, uint32_t grid_size, uint32_t block_index)
{
    (void)grid_size;
    (void)block_index;
    uint32_t *left = (uint32_t *)(uintptr_t)read_param(params, 1);
    const uint32_t *flag = (const uint32_t *)(uintptr_t)read_param(params, 3);
    *left -= 1;
    fake_lock();
    set_locked(read_param(params, 2), *left != 0 && (flag == NULL || *flag == 0));
    fake_unlock();
}

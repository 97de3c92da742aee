#include "backend/cpu/exec.h"

#include "base/half.h"
#include "base/hot.h"

#include <assert.h>
#include <string.h>

// ---- workspaces ---------------------------------------------------------------------------------------------------

static size_t round_up(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

bool need_fits(const struct cpu_need *has, const struct cpu_need *wanted)
{
    return has->depth >= wanted->depth && has->block_count >= wanted->block_count &&
           has->partial_size >= wanted->partial_size && has->local_size >= wanted->local_size &&
           has->memo_count >= wanted->memo_count && has->known_size >= wanted->known_size;
}

struct cpu_need need_join(const struct cpu_need *a, const struct cpu_need *b)
{
    return (struct cpu_need){.depth = a->depth > b->depth ? a->depth : b->depth,
                             .block_count = a->block_count > b->block_count ? a->block_count : b->block_count,
                             .partial_size = a->partial_size > b->partial_size ? a->partial_size : b->partial_size,
                             .local_size = a->local_size > b->local_size ? a->local_size : b->local_size,
                             .memo_count = a->memo_count > b->memo_count ? a->memo_count : b->memo_count,
                             .known_size = a->known_size > b->known_size ? a->known_size : b->known_size};
}

struct cpu_workspace *workspace_create(struct backend_device *device, const struct cpu_need *need)
{
    assert(need->depth > 0 && need->block_count >= 0 && need->block_count <= EXEC_MAX_BLOCKS);
    size_t head = round_up(sizeof(struct cpu_workspace) + (size_t)need->block_count * sizeof(struct cpu_block));
    size_t frames = round_up((size_t)need->depth * sizeof(struct cpu_frame));
    size_t shares = (size_t)device->pool.worker_count * sizeof(struct cpu_pool_share);
    size_t partials = round_up(EXEC_MAX_PARTIALS * need->partial_size);
    size_t locals = round_up(need->local_size);
    size_t values = round_up((size_t)need->memo_count * sizeof(uint64_t));
    size_t flags = round_up((size_t)need->memo_count);
    size_t known = values + flags + round_up(need->known_size);
    size_t size = head + frames + shares + partials + locals + EXEC_KNOWN_COUNT * known;
    struct cpu_workspace *workspace = device_alloc(device, size, 64);
    if (workspace == NULL) {
        return NULL;
    }
    workspace->size = size;
    workspace->need = *need;
    char *at = (char *)workspace + head;
    workspace->exec.frames = (struct cpu_frame *)at;
    workspace->exec.loop.shares = (struct cpu_pool_share *)(at + frames);
    workspace->exec.partials = at + frames + shares;
    workspace->locals = at + frames + shares + partials;
    at = (char *)workspace->locals + locals;
    for (int i = 0; i < EXEC_KNOWN_COUNT; i++, at += known) {
        workspace->known[i] = (struct cpu_known){.memo.values = (_Atomic uint64_t *)at,
                                                 .memo.known = (_Atomic uint8_t *)(at + values),
                                                 .args = (unsigned char *)at + values + flags};
    }
    workspace->exec.blocks = workspace->blocks;
    print_init(&workspace->print);
    for (int i = 0; i < need->block_count; i++) {
        workspace->blocks[i].index = i;
        print_init(&workspace->blocks[i].print);
    }
    return workspace;
}

void workspace_destroy(struct backend_device *device, struct cpu_workspace *workspace)
{
    if (workspace == NULL) {
        return;
    }
    print_finish(device, &workspace->print);
    copies_finish(device, &workspace->exec.copies);
    for (int i = 0; i < workspace->need.block_count; i++) {
        print_finish(device, &workspace->blocks[i].print);
    }
    device_free(device, workspace, workspace->size);
}

// ---- walking ------------------------------------------------------------------------------------------------------

static void push(struct cpu_exec *exec, const struct plan_node *node)
{
    const char *workspace = (const char *)exec - offsetof(struct cpu_workspace, exec);
    assert(exec->depth < ((const struct cpu_workspace *)workspace)->need.depth);
    (void)workspace;
    exec->frames[exec->depth++] = (struct cpu_frame){.node = node};
}

static bool eval(struct cpu_exec *exec, const struct plan_expr *expr, union ir_value *out)
{
    if (plan_eval(expr, &exec->run->values, out)) {
        return true;
    }
    run_fail(exec->run, RILL_ERR_INTERNAL);
    return false;
}

static void write_slot(struct cpu_exec *exec, const struct plan_node *node, union ir_value value)
{
    assert(node->slot >= 0);
    char *at = (char *)exec->run->block + node->slot;
    if (node->type == IR_F32) {
        float narrow = (float)value.f;
        memcpy(at, &narrow, sizeof narrow);
    } else if (node->type == IR_F16 || node->type == IR_BF16) {
        uint16_t half = half_bits(value.f, node->type == IR_BF16);
        memcpy(at, &half, sizeof half);
    } else {
        // Little-endian: the low bytes of the word are the value, of a double all of it.
        static const int sizes[] = {
#define SLOT_SIZE(name, text, size) [IR_##name] = size,
            IR_TYPE_LIST(SLOT_SIZE)
#undef SLOT_SIZE
        };
        memcpy(at, &value, (size_t)sizes[node->type]);
    }
}

static void step_assign(struct cpu_exec *exec, const struct plan_node *node)
{
    union ir_value value;
    exec->depth--;
    if (eval(exec, node->expr, &value)) {
        write_slot(exec, node, value);
    }
}

static void step_if(struct cpu_exec *exec, const struct plan_node *node)
{
    union ir_value value;
    exec->depth--;
    if (!eval(exec, node->expr, &value)) {
        return;
    }
    int chosen = value.i != 0 ? 0 : 1;
    if (chosen < node->child_count && node->children[chosen] != NULL) {
        push(exec, node->children[chosen]);
    }
}

static void step_sequence(struct cpu_exec *exec, struct cpu_frame *frame)
{
    if (frame->next < frame->node->child_count) {
        push(exec, frame->node->children[frame->next++]);
    } else {
        exec->depth--;
    }
}

// Whether a loop that is met should run whole, as one serial task.
static bool runs_whole(struct cpu_exec *exec, const struct plan_node *node)
{
    bool runs_whole;
    if (!plan_loop_runs_whole(node, &exec->run->values, &runs_whole)) {
        run_fail(exec->run, RILL_ERR_INTERNAL);
    } else if (runs_whole) {
        device_count(&exec->run->device->counters.whole_count);
    }
    return runs_whole;
}

static void write_loop_variable(struct cpu_exec *exec, const struct cpu_frame *frame)
{
    if (frame->node->slot >= 0) {
        uint64_t value = (uint64_t)frame->init + (uint64_t)frame->next * (uint64_t)frame->node->step;
        write_slot(exec, frame->node, (union ir_value){.i = (int64_t)value}); // the slot's width wraps it
    }
}

// True if it suspended.
static bool step_for(struct cpu_exec *exec, struct cpu_frame *frame, struct cpu_worker *worker)
{
    const struct plan_node *node = frame->node;
    if (frame->next == 0) {
        if (runs_whole(exec, node)) {
            exec->depth--;
            return !task_start(exec, node->whole_task, worker);
        }
        union ir_value init;
        union ir_value trip;
        if (!eval(exec, node->expr, &init) || !eval(exec, node->trip, &trip)) {
            return false;
        }
        frame->init = init.i;
        frame->trip = trip.i;
    }
    write_loop_variable(exec, frame); // after the last round: C's value
    if (frame->next >= frame->trip) {
        exec->depth--;
        return false;
    }
    frame->next++;
    push(exec, node->children[0]);
    return false;
}

// True if it suspended.
static bool step_loop(struct cpu_exec *exec, struct cpu_frame *frame, struct cpu_worker *worker)
{
    const struct plan_node *node = frame->node;
    if (frame->next == 0) {
        frame->next = 1;
        if (runs_whole(exec, node)) {
            exec->depth--;
            return !task_start(exec, node->whole_task, worker);
        }
    }
    push(exec, node->children[0]);
    return false;
}

static void step_break(struct cpu_exec *exec, const struct plan_node *node)
{
    while (exec->depth > 0 && exec->frames[--exec->depth].node->id != node->target) {
    }
}

// One step. True if it suspended: the executor belongs to others then and must not be touched.
static bool step(struct cpu_exec *exec, struct cpu_worker *worker)
{
    assert(exec->depth > 0);
    struct cpu_frame *frame = &exec->frames[exec->depth - 1];
    const struct plan_node *node = frame->node;
    switch (node->kind) {
    case PLAN_SEQUENCE: step_sequence(exec, frame); return false;
    case PLAN_IF: step_if(exec, node); return false;
    case PLAN_FOR: return step_for(exec, frame, worker);
    case PLAN_LOOP: return step_loop(exec, frame, worker);
    case PLAN_BLOCK:
        if (frame->next++ == 0) {
            push(exec, node->children[0]);
        } else {
            exec->depth--;
        }
        return false;
    case PLAN_BREAK: step_break(exec, node); return false;
    case PLAN_RETURN: exec->depth = 0; return false;
    case PLAN_ASSIGN: step_assign(exec, node); return false;
    case PLAN_TASK: exec->depth--; return !task_start(exec, node->task, worker);
    case PLAN_REGION:
        if (frame->next > 0 || region_runs_here(exec, node)) {
            step_sequence(exec, frame);
            return false;
        }
        exec->depth--;
        return !region_start(exec, node, worker);
    }
    run_fail(exec->run, RILL_ERR_INTERNAL);
    return false;
}

// True if there is nothing left to run.
static bool go_on(struct cpu_exec *exec, struct cpu_worker *worker)
{
    while (exec->depth > 0 && !run_has_failed(exec->run)) {
        if (step(exec, worker)) {
            return false;
        }
    }
    return true;
}

bool exec_start(struct cpu_workspace *workspace, struct cpu_worker *worker)
{
    struct cpu_exec *exec = &workspace->exec;
    struct cpu_run *run = &workspace->run;
    exec->run = run;
    exec->block = NULL;
    exec->print = &workspace->print;
    exec->depth = 0;
    if (run->device->trace != NULL) {
        exec->cause = *run->cause;
    }
    if (LIKELY(run->kernel->only_task >= 0)) { // nothing to walk
        return task_start(exec, run->kernel->only_task, worker);
    }
    push(exec, run->kernel->plan->root);
    return go_on(exec, worker);
}

void exec_resume(struct cpu_exec *exec, struct cpu_worker *worker)
{
    if (!go_on(exec, worker)) {
        return;
    }
    assert(exec->depth == 0 || run_has_failed(exec->run));
    if (exec->block != NULL) {
        region_block_over(exec, worker);
    } else {
        exec->run->over(exec->run, worker);
    }
}

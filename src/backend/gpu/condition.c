// Control over what tasks compute, decided on the device: the recording of a launch gets conditional nodes, whose
// bodies are recordings in it. A condition is a byte of the launch block; a small kernel of the driver's table sets the
// nodes that hang on it, and sets them to end once the launch has failed.
//
// A loop runs its body at least once, and its breaks stand in the body: what follows a break is the body of a
// conditional node. So that what the host knows of slots holds in every round, all slots that the loop changes are the
// device's before it begins; the same for both branches of an `if`.
#include "backend/gpu/run.h"

#include "base/status.h"

// How the kernel of the driver's table takes its condition: where it lies, and what is set to the contrary.
#define NOT_FIRST (INT64_C(1) << 32)
#define NOT_SECOND (INT64_C(1) << 33)
#define HAS_SECOND (INT64_C(1) << 34)

// ---- which control fits -------------------------------------------------------------------------------------------

static bool reads(const struct gpu_kernel *kernel, const struct plan_expr *expr)
{
    return plan_expr_reads(kernel->plan, expr, kernel->task_writes);
}

static bool leaves(const struct plan_node *node) // holds a break or return
{
    if (node == NULL || node->kind == PLAN_BREAK || node->kind == PLAN_RETURN) {
        return node != NULL;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (leaves(node->children[i])) {
            return true;
        }
    }
    return false;
}

static bool is_nothing(const struct plan_node *node)
{
    if (node == NULL) {
        return true;
    }
    bool is = node->kind == PLAN_SEQUENCE;
    for (int i = 0; i < node->child_count && is; i++) {
        is = is_nothing(node->children[i]);
    }
    return is;
}

static bool is_break_of(const struct plan_node *node, const struct plan_node *loop)
{
    while (node != NULL && node->kind == PLAN_SEQUENCE && node->child_count == 1) {
        node = node->children[0];
    }
    return node != NULL && node->kind == PLAN_BREAK && node->target == loop->id;
}

static const struct plan_node *branch(const struct plan_node *node, int index)
{
    return index < node->child_count ? node->children[index] : NULL;
}

// Which branch of an `if` over device data ends |loop|; -1: neither.
static int breaking_branch(const struct gpu_kernel *kernel, const struct plan_node *node, const struct plan_node *loop)
{
    if (node->kind != PLAN_IF || !reads(kernel, node->expr)) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        if (is_break_of(branch(node, i), loop) && !leaves(branch(node, 1 - i))) {
            return i;
        }
    }
    return -1;
}

static bool has_condition(const struct gpu_kernel *kernel, const struct plan_node *node)
{
    return kernel->node_entries[node->id] != NULL || (node->expr->kind == PLAN_EXPR_SLOT && node->expr->type == IR_I1);
}

bool gpu_condition_is_loop(const struct gpu_kernel *kernel, const struct plan_node *node)
{
    return node->kind == PLAN_LOOP && plan_decides_on_device(kernel->plan, node, kernel->task_writes);
}

static bool fits(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside);

static bool loop_fits(const struct gpu_kernel *kernel, const struct plan_node *loop)
{
    const struct plan_node *body = loop->children[0];
    if (body->kind != PLAN_SEQUENCE) {
        return false;
    }
    for (int i = 0; i < body->child_count; i++) {
        const struct plan_node *node = body->children[i];
        int breaking = node != NULL ? breaking_branch(kernel, node, loop) : -1;
        const struct plan_node *rest = breaking >= 0 ? branch(node, 1 - breaking) : node;
        if ((breaking >= 0 && !has_condition(kernel, node)) || (rest != NULL && !fits(kernel, rest, true))) {
            return false;
        }
    }
    return true;
}

static bool children_fit(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside)
{
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL && !fits(kernel, node->children[i], is_inside)) {
            return false;
        }
    }
    return true;
}

// |is_inside|: the device decides whether, or how often, the node runs.
static bool fits(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside)
{
    switch (node->kind) {
    case PLAN_TASK: return !gpu_task_reads(kernel, &kernel->plan->tasks[node->task]);
    case PLAN_ASSIGN: return !reads(kernel, node->expr) || kernel->node_entries[node->id] != NULL;
    case PLAN_IF:
        if (reads(kernel, node->expr)) {
            return has_condition(kernel, node) && !leaves(node) && children_fit(kernel, node, true);
        }
        break;
    case PLAN_LOOP:
        if (gpu_condition_is_loop(kernel, node)) {
            return loop_fits(kernel, node);
        }
        break;
    case PLAN_FOR:
        if (reads(kernel, node->expr) || reads(kernel, node->trip)) {
            return false;
        }
        break;
    case PLAN_BREAK:
    case PLAN_RETURN: return !is_inside;
    case PLAN_REGION:
        if (gpu_region_reads(kernel, node)) {
            return false;
        }
        break;
    case PLAN_SEQUENCE:
    case PLAN_BLOCK: break;
    }
    return (!is_inside || !leaves(node)) && children_fit(kernel, node, is_inside);
}

bool gpu_condition_fits(const struct gpu_kernel *kernel)
{
    return fits(kernel, kernel->plan->root, false);
}

// ---- slots --------------------------------------------------------------------------------------------------------

static void take_from_host(struct gpu_run *run, int slot)
{
    if (slot >= 0) {
        run->slots[slot] = GPU_SLOT_DEVICE;
    }
}

// What |node| may change is the device's.
static void take_slots(struct gpu_run *run, const struct plan_node *node)
{
    const struct gpu_kernel *kernel = run->kernel;
    if (node->kind == PLAN_ASSIGN || (node->kind == PLAN_FOR && node->slot >= 0)) {
        take_from_host(run, gpu_slot_at(kernel->plan, node->slot));
    }
    int tasks[2] = {node->kind == PLAN_TASK ? node->task : -1,
                    node->kind == PLAN_FOR || node->kind == PLAN_LOOP ? node->whole_task : -1};
    for (int t = 0; t < 2; t++) {
        for (int i = 0; tasks[t] >= 0 && i < kernel->plan->tasks[tasks[t]].slot_use_count; i++) {
            if (kernel->plan->tasks[tasks[t]].slot_uses[i].writes) {
                take_from_host(run, kernel->tasks[tasks[t]].slot_indices[i]);
            }
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            take_slots(run, node->children[i]);
        }
    }
}

// What the host has assigned goes to the device before branches part.
static rill_status settle(struct gpu_walk *walk)
{
    for (int i = 0; i < walk->run->kernel->plan->slot_count; i++) {
        RILL_TRY(gpu_slot_upload(walk, i));
    }
    return RILL_OK;
}

// ---- recording ----------------------------------------------------------------------------------------------------

// Records a node and says which it is; -1: the recording is over.
static int record(struct gpu_walk *walk, struct gpu_node node)
{
    struct gpu_recording *recording = walk->run->recording;
    int index = recording->node_count;
    node.parent = walk->parent;
    gpu_record(recording, &walk->front, &node);
    return recording->is_over ? -1 : index;
}

static int record_condition(struct gpu_walk *walk, enum gpu_node_kind kind)
{
    walk->run->recording->has_conditions = true;
    return record(walk, (struct gpu_node){.kind = kind});
}

// The kernel that sets conditional nodes from the condition of |node|. |flags| says how.
static int record_setting(struct gpu_walk *walk, const struct plan_node *node, int64_t flags)
{
    const struct gpu_kernel *kernel = walk->run->kernel;
    int64_t offset = node->expr->imm;
    if (kernel->node_entries[node->id] != NULL) {
        offset = kernel->condition_offsets[node->id];
        struct gpu_node look = {
            .function = kernel->node_entries[node->id], .grid = 1, .block = 1, .count = 1, .chunk = offset};
        if (record(walk, look) < 0) {
            return -1;
        }
    }
    struct gpu_node set = {.function = walk->run->device->condition, .grid = 1, .block = 1, .chunk = offset | flags};
    return record(walk, set);
}

// Walks |node| into the body of the conditional node |index|.
static struct gpu_walk body_of(const struct gpu_walk *walk, int index)
{
    struct gpu_walk body = *walk;
    body.front.count = 0;
    body.parent = index + 1;
    return body;
}

static void end_body(struct gpu_walk *walk, const struct gpu_walk *body)
{
    walk->partials = body->partials;
    walk->partials_size = body->partials_size;
}

static enum gpu_step walk_inside(struct gpu_walk *body, const struct plan_node *node)
{
    enum gpu_step step = node != NULL ? gpu_walk_node(body, node) : GPU_ON;
    if (step == GPU_BREAK || step == GPU_RETURN) { // gpu_condition_fits() has said that there is none
        body->run->recording->is_over = true;
        return GPU_ON;
    }
    return step;
}

static enum gpu_step record_branch(struct gpu_walk *walk, const struct plan_node *node, int index)
{
    struct gpu_walk body = body_of(walk, index);
    enum gpu_step step = walk_inside(&body, node);
    end_body(walk, &body);
    return step;
}

enum gpu_step gpu_condition_if(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    struct gpu_recording *recording = run->recording;
    bool has[2] = {!is_nothing(branch(node, 0)), !is_nothing(branch(node, 1))};
    rill_status status = settle(walk);
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    if (!has[0] && !has[1]) {
        return GPU_ON;
    }
    int64_t flags = has[0] && has[1] ? HAS_SECOND | NOT_SECOND : has[0] ? 0 : NOT_FIRST;
    int setting = record_setting(walk, node, flags);
    struct gpu_front start = walk->front;
    struct gpu_front ends = {.count = 0};
    int count = 0;
    for (int i = 0; i < 2 && setting >= 0; i++) {
        if (!has[i]) {
            continue;
        }
        walk->front = start;
        int index = record_condition(walk, GPU_NODE_IF);
        if (index < 0) {
            break;
        }
        recording->nodes[setting].sets[count++] = index + 1;
        gpu_front_join(recording, &ends, &walk->front);
        take_slots(run, node);
        if (record_branch(walk, branch(node, i), index) == GPU_FAIL) {
            return GPU_FAIL;
        }
    }
    walk->front = ends;
    take_slots(run, node);
    return GPU_ON;
}

struct loop_recording {
    const struct plan_node *node;
    int index; // of the conditional node
};

// The body from child |first| on; what follows a break is recorded into a conditional node.
static enum gpu_step record_rounds(struct gpu_walk *walk, const struct loop_recording *loop, int first)
{
    struct gpu_run *run = walk->run;
    const struct plan_node *body = loop->node->children[0];
    for (int i = first; i < body->child_count && !run->recording->is_over; i++) {
        const struct plan_node *node = body->children[i];
        int breaking = breaking_branch(run->kernel, node, loop->node);
        if (breaking < 0) {
            if (walk_inside(walk, node) == GPU_FAIL) {
                return GPU_FAIL;
            }
            continue;
        }
        const struct plan_node *other = branch(node, 1 - breaking);
        bool has_rest = !is_nothing(other) || i + 1 < body->child_count;
        int64_t flags = (breaking == 0 ? NOT_FIRST | NOT_SECOND : 0) | (has_rest ? HAS_SECOND : 0);
        int setting = record_setting(walk, node, flags);
        int index = setting >= 0 && has_rest ? record_condition(walk, GPU_NODE_IF) : -1;
        if (setting >= 0) {
            run->recording->nodes[setting].sets[0] = loop->index + 1;
            run->recording->nodes[setting].sets[1] = index + 1;
        }
        if (index < 0) {
            return GPU_ON;
        }
        struct gpu_walk rest = body_of(walk, index);
        enum gpu_step step = walk_inside(&rest, other);
        step = step == GPU_ON ? record_rounds(&rest, loop, i + 1) : step;
        end_body(walk, &rest);
        return step;
    }
    return GPU_ON;
}

enum gpu_step gpu_condition_loop(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    rill_status status = settle(walk);
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    take_slots(run, node);
    struct loop_recording loop = {.node = node, .index = record_condition(walk, GPU_NODE_LOOP)};
    if (loop.index < 0) {
        return GPU_ON;
    }
    struct gpu_walk body = body_of(walk, loop.index);
    enum gpu_step step = record_rounds(&body, &loop, 0);
    end_body(walk, &body);
    take_slots(run, node);
    return step;
}

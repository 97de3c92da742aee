// Control over what tasks compute, decided on the device: the recording of a launch gets conditional nodes, whose
// bodies are recordings in it. A condition is a byte of the launch block; a small kernel of the driver's table sets the
// nodes that depend on it, and sets them to end once the launch has failed.
//
// A loop runs its body at least once, and its breaks stand in the body: what follows a break is the body of a
// conditional node. So that what the host knows of slots holds in every round, all slots that the loop changes are the
// device's before it begins; the same for both branches of an `if`.
//
// A break or return that leaves more than the sequence it stands in notes that in a byte of the launch block, one for
// each target. Every sequence on the way out looks at it behind the statement that may leave: what follows there is the
// body of a conditional node too, and a loop on the way ends.
#include "backend/gpu/sink.h"

#include "base/status.h"

#include <assert.h>

// How the kernel of the driver's table takes its condition: where it lies, and which handles get the opposite of it.
#define NOT_FIRST (INT64_C(1) << 32)
#define NOT_SECOND (INT64_C(1) << 33)
#define HAS_SECOND (INT64_C(1) << 34)

// ---- which control fits -------------------------------------------------------------------------------------------

static bool reads(const struct gpu_kernel *kernel, const struct plan_expr *expr)
{
    return plan_expr_reads(kernel->plan, expr, kernel->task_writes);
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
    node = plan_node_alone(node);
    return node != NULL && node->kind == PLAN_BREAK && node->target == loop->id;
}

static const struct plan_node *branch(const struct plan_node *node, int index)
{
    return index < node->child_count ? node->children[index] : NULL;
}

static bool is_return(const struct plan_node *node)
{
    node = plan_node_alone(node);
    return node != NULL && node->kind == PLAN_RETURN;
}

// Which branch of an `if` over device data, in the sequence |in|, does nothing but end |loop| whose body that is, or
// the kernel whose root it is; -1: neither. Nobody further out needs to know of it.
static int breaking_branch(const struct gpu_kernel *kernel, const struct plan_node *node, const struct plan_node *in,
                           const struct plan_node *loop)
{
    if (node->kind != PLAN_IF || !reads(kernel, node->expr)) {
        return -1;
    }
    bool is_body = loop != NULL && loop->children[0] == in;
    for (int i = 0; i < 2; i++) {
        const struct plan_node *other = branch(node, 1 - i);
        bool ends =
            is_body ? is_break_of(branch(node, i), loop) : in == kernel->plan->root && is_return(branch(node, i));
        if (ends && (other == NULL || !kernel->is_left[other->id])) {
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

// ---- what leaves --------------------------------------------------------------------------------------------------

enum { MAX_TARGETS = 8, RETURNS = -1 };

// Where breaks and returns lead that leave a node: ids of loops and blocks, or RETURNS.
struct targets {
    int ids[MAX_TARGETS];
    int count;
    bool is_over; // there are more
};

static void add_target(struct targets *targets, int id)
{
    for (int i = 0; i < targets->count; i++) {
        if (targets->ids[i] == id) {
            return;
        }
    }
    targets->is_over |= targets->count == MAX_TARGETS;
    if (!targets->is_over) {
        targets->ids[targets->count++] = id;
    }
}

static bool is_target(const struct plan_node *node)
{
    return node->kind == PLAN_LOOP || node->kind == PLAN_FOR || node->kind == PLAN_BLOCK;
}

// Those of |node| that only the device can decide about, into |out|, and which of its nodes hold such. |is_inside|: the
// device decides whether, or how often, the node runs.
static void find_targets(struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside, struct targets *out)
{
    struct targets own = {.count = 0};
    if (node->kind == PLAN_BREAK || node->kind == PLAN_RETURN) {
        if (is_inside) {
            add_target(&own, node->kind == PLAN_BREAK ? node->target : RETURNS);
        }
    }
    bool decides = node->kind == PLAN_IF ? reads(kernel, node->expr) : gpu_condition_is_loop(kernel, node);
    for (int i = 0; i < node->child_count; i++) {
        const struct plan_node *child = node->children[i];
        if (child != NULL) {
            find_targets(kernel, child, is_inside || decides, &own);
            is_inside |= node->kind == PLAN_SEQUENCE && kernel->is_left[child->id]; // what follows may not run
        }
    }
    int count = 0;
    for (int i = 0; i < own.count; i++) {
        if (!is_target(node) || own.ids[i] != node->id) {
            add_target(out, own.ids[i]);
            count++;
        }
    }
    out->is_over |= own.is_over;
    kernel->is_left[node->id] = count > 0;
}

// The targets of a node of which is_left is known.
static void targets_of(const struct gpu_kernel *kernel, const struct plan_node *node, struct targets *out)
{
    if (!kernel->is_left[node->id]) {
        return;
    }
    if (node->kind == PLAN_BREAK || node->kind == PLAN_RETURN) {
        add_target(out, node->kind == PLAN_BREAK ? node->target : RETURNS);
    }
    struct targets own = {.count = 0};
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            targets_of(kernel, node->children[i], &own);
        }
    }
    for (int i = 0; i < own.count; i++) {
        if (!is_target(node) || own.ids[i] != node->id) {
            add_target(out, own.ids[i]);
        }
    }
    out->is_over |= own.is_over;
}

static bool is_within(const struct plan_node *node, int id)
{
    bool is = false;
    for (int i = 0; i < node->child_count && !is; i++) {
        is = node->children[i] != NULL && (node->children[i]->id == id || is_within(node->children[i], id));
    }
    return is;
}

// ---- which control fits, again ------------------------------------------------------------------------------------

// Behind a block that the device may leave early nobody knows which of its assignments were made: the device has them.
static bool assigns_on_device(const struct gpu_kernel *kernel, const struct plan_node *node)
{
    int slot = plan_slot_assigned(kernel->plan, node);
    bool has_all = slot < 0 || kernel->task_writes[slot];
    for (int i = 0; i < node->child_count && has_all; i++) {
        has_all = node->children[i] == NULL || assigns_on_device(kernel, node->children[i]);
    }
    return has_all;
}

static bool is_block_left(const struct gpu_kernel *kernel, const struct plan_node *block)
{
    struct targets targets = {.count = 0};
    targets_of(kernel, block->children[0], &targets);
    bool is = false;
    for (int i = 0; i < targets.count; i++) {
        is |= targets.ids[i] == block->id;
    }
    return is;
}

static bool fits(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside);

static bool children_fit(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside)
{
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL && !fits(kernel, node->children[i], is_inside)) {
            return false;
        }
        is_inside |= node->kind == PLAN_SEQUENCE && node->children[i] != NULL && kernel->is_left[node->children[i]->id];
    }
    return true;
}

static bool fits(const struct gpu_kernel *kernel, const struct plan_node *node, bool is_inside)
{
    switch (node->kind) {
    case PLAN_TASK: return !gpu_task_reads(kernel, &kernel->plan->tasks[node->task]);
    case PLAN_ASSIGN: return !reads(kernel, node->expr) || kernel->node_entries[node->id] != NULL;
    case PLAN_IF:
        if (reads(kernel, node->expr)) {
            return has_condition(kernel, node) && children_fit(kernel, node, true);
        }
        break;
    case PLAN_LOOP:
        if (gpu_condition_is_loop(kernel, node)) {
            return node->children[0]->kind == PLAN_SEQUENCE && fits(kernel, node->children[0], true);
        }
        return !is_inside && !kernel->is_left[node->id] && children_fit(kernel, node, false);
    case PLAN_FOR:
        if (reads(kernel, node->expr) || reads(kernel, node->trip) || kernel->is_left[node->id]) {
            return false;
        }
        break;
    case PLAN_BREAK:
    case PLAN_RETURN: return true;
    case PLAN_REGION:
        if (gpu_region_reads(kernel, node) || kernel->is_left[node->id]) {
            return false;
        }
        break;
    case PLAN_BLOCK:
        if (is_block_left(kernel, node) && !assigns_on_device(kernel, node)) {
            return false;
        }
        break;
    case PLAN_SEQUENCE: break;
    }
    return children_fit(kernel, node, is_inside);
}

// Whether every way out is a breaking branch, so that no byte has to say which was taken.
static bool is_plainly_left(const struct gpu_kernel *kernel, const struct plan_node *node, const struct plan_node *loop)
{
    bool is_block = node->kind == PLAN_BLOCK && kernel->is_left[node->children[0]->id];
    if (!kernel->is_left[node->id] && node->kind != PLAN_LOOP && !is_block) {
        bool plainly = true;
        for (int i = 0; i < node->child_count && plainly; i++) {
            plainly = node->children[i] == NULL || is_plainly_left(kernel, node->children[i], loop);
        }
        return plainly;
    }
    if (node->kind == PLAN_LOOP) {
        return is_plainly_left(kernel, node->children[0], node);
    }
    bool plainly = node->kind == PLAN_SEQUENCE;
    for (int i = 0; i < node->child_count && plainly; i++) {
        const struct plan_node *child = node->children[i];
        int breaking = child != NULL ? breaking_branch(kernel, child, node, loop) : -1;
        const struct plan_node *rest = breaking >= 0 ? branch(child, 1 - breaking) : child;
        plainly = rest == NULL || is_plainly_left(kernel, rest, loop);
    }
    return plainly;
}

static void place_bytes(struct gpu_kernel *kernel, const struct plan_node *node)
{
    if (kernel->is_left[node->id] && node->kind == PLAN_BREAK && kernel->left_offsets[node->target] == 0) {
        kernel->left_offsets[node->target] = (int64_t)kernel->block_size++;
    } else if (kernel->is_left[node->id] && node->kind == PLAN_RETURN && kernel->return_offset == 0) {
        kernel->return_offset = (int64_t)kernel->block_size++;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            place_bytes(kernel, node->children[i]);
        }
    }
}

// A byte at 0 would be none: kernels whose control reads slots have some.
bool gpu_condition_prepare(struct gpu_kernel *kernel)
{
    const struct plan_node *root = kernel->plan->root;
    struct targets targets = {.count = 0};
    find_targets(kernel, root, false, &targets);
    bool returns = targets.count > 0;
    if (targets.is_over || kernel->block_size == 0 || (returns && root->kind != PLAN_SEQUENCE) ||
        !fits(kernel, root, false)) {
        return false;
    }
    kernel->zero_offset = (int64_t)kernel->block_size++;
    kernel->leaves_by_bytes = !is_plainly_left(kernel, root, NULL);
    if (kernel->leaves_by_bytes) {
        place_bytes(kernel, root);
    }
    return !kernel->leaves_by_bytes || kernel->store != NULL;
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
    take_from_host(run, plan_slot_assigned(kernel->plan, node));
    int task = plan_node_task(node);
    for (int i = 0; task >= 0 && i < kernel->plan->tasks[task].slot_use_count; i++) {
        if (kernel->plan->tasks[task].slot_uses[i].writes) {
            take_from_host(run, kernel->tasks[task].slot_indices[i]);
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            take_slots(run, node->children[i]);
        }
    }
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
    assert(kind == GPU_NODE_IF || kind == GPU_NODE_LOOP);
    walk->run->recording->has_conditions = true;
    return record(walk, (struct gpu_node){.kind = kind});
}

// The kernel that sets conditional nodes from the byte at |offset|. |flags| says how.
static int record_set(struct gpu_walk *walk, int64_t offset, int64_t flags)
{
    struct gpu_node set = {.function = walk->run->device->condition, .grid = 1, .block = 1, .chunk = offset | flags};
    return record(walk, set);
}

// The same from the condition of |node|.
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
    return record_set(walk, offset, flags);
}

// Walks |node| into the body of the conditional node |index|.
static struct gpu_walk body_of(const struct gpu_walk *walk, int index)
{
    assert(walk->run->recording->nodes[index].kind != GPU_NODE_KERNEL);
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
    return step == GPU_FAIL ? GPU_FAIL : GPU_ON; // what leaves has been recorded
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
    rill_status status = gpu_slots_settle(walk);
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

// ---- leaving ------------------------------------------------------------------------------------------------------

static int64_t left_offset(const struct gpu_kernel *kernel, int target)
{
    return target == RETURNS ? kernel->return_offset : kernel->left_offsets[target];
}

// Before what may be left is entered, perhaps not for the first time.
static rill_status forget_leaving(struct gpu_walk *walk, const struct plan_node *node)
{
    int64_t offset = walk->run->kernel->left_offsets[node->id];
    return offset != 0 ? walk->run->sink->store(walk, offset, 0, 1) : RILL_OK;
}

enum gpu_step gpu_condition_leave(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    int target = node->kind == PLAN_BREAK ? node->target : RETURNS;
    assert(left_offset(run->kernel, target) != 0); // place_bytes() has given it one
    rill_status status = walk->run->sink->store(walk, left_offset(run->kernel, target), 1, 1);
    return status == RILL_OK ? GPU_ON : gpu_run_fail(run, status); // the sequences around it look there
}

static enum gpu_step record_from(struct gpu_walk *walk, const struct plan_node *sequence, int first);

// A question whether to go on, for the innermost loop and for what is left of a sequence.
struct way_out {
    const struct plan_node *node; // whose condition is asked; NULL: the byte at |offset|
    int64_t offset;
    bool is_negated; // it goes on where the condition does not hold
    bool ends_loop;
    bool has_rest;
};

// Records the question. |out_rest| is the walk of what follows in the body of a conditional node; false: nothing does.
static bool record_way_out(struct gpu_walk *walk, const struct way_out *way, struct gpu_walk *out_rest)
{
    struct gpu_recording *recording = walk->run->recording;
    int64_t flags = way->is_negated ? NOT_FIRST | NOT_SECOND : 0;
    flags |= way->ends_loop && way->has_rest ? HAS_SECOND : 0;
    int setting = way->node != NULL ? record_setting(walk, way->node, flags) : record_set(walk, way->offset, flags);
    int index = setting >= 0 && way->has_rest ? record_condition(walk, GPU_NODE_IF) : -1;
    if (setting >= 0) {
        recording->nodes[setting].sets[0] = way->ends_loop ? walk->loop_index + 1 : index + 1;
        recording->nodes[setting].sets[1] = way->ends_loop ? index + 1 : 0;
    }
    if (index >= 0) {
        *out_rest = body_of(walk, index);
    }
    return index >= 0;
}

static bool has_more(const struct plan_node *sequence, int first)
{
    bool has = false;
    for (int i = first; i < sequence->child_count; i++) {
        has |= !is_nothing(sequence->children[i]);
    }
    return has;
}

// Behind a child that may leave: asks for one target after the other, and goes on where none was meant.
static enum gpu_step record_checks(struct gpu_walk *walk, const struct plan_node *sequence, int next,
                                   const struct targets *targets, int first)
{
    const struct gpu_kernel *kernel = walk->run->kernel;
    bool is_body = walk->loop != NULL && walk->loop->children[0] == sequence;
    for (int i = first; i < targets->count; i++) {
        bool ends_loop = walk->loop != NULL && !is_within(walk->loop, targets->ids[i]);
        bool has_rest = has_more(sequence, next) || (is_body && i + 1 < targets->count);
        if (!has_rest && !(is_body && ends_loop)) {
            continue; // a sequence around this one asks
        }
        struct way_out way = {.offset = left_offset(kernel, targets->ids[i]),
                              .is_negated = true,
                              .ends_loop = ends_loop,
                              .has_rest = has_rest};
        struct gpu_walk rest;
        if (!record_way_out(walk, &way, &rest)) {
            return GPU_ON;
        }
        enum gpu_step step = record_checks(&rest, sequence, next, targets, i + 1);
        end_body(walk, &rest);
        return step;
    }
    return record_from(walk, sequence, next);
}

static enum gpu_step record_leaving(struct gpu_walk *walk, const struct plan_node *sequence, int index)
{
    struct gpu_run *run = walk->run;
    struct targets targets = {.count = 0};
    targets_of(run->kernel, sequence->children[index], &targets);
    rill_status status = gpu_slots_settle(walk);
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    enum gpu_step step = gpu_walk_node(walk, sequence->children[index]);
    if (step != GPU_ON) { // the host has decided that nothing follows
        return step;
    }
    return record_checks(walk, sequence, index + 1, &targets, 0);
}

// An `if` that does nothing but leave needs no byte: its condition says so.
static enum gpu_step record_break(struct gpu_walk *walk, const struct plan_node *sequence, int index, int breaking)
{
    const struct plan_node *node = sequence->children[index];
    const struct plan_node *other = branch(node, 1 - breaking);
    rill_status status = gpu_slots_settle(walk);
    if (status != RILL_OK) {
        return gpu_run_fail(walk->run, status);
    }
    struct way_out way = {.node = node,
                          .is_negated = breaking == 0,
                          .ends_loop = walk->loop != NULL,
                          .has_rest = !is_nothing(other) || has_more(sequence, index + 1)};
    struct gpu_walk rest;
    if ((!way.ends_loop && !way.has_rest) || !record_way_out(walk, &way, &rest)) {
        return GPU_ON;
    }
    enum gpu_step step = walk_inside(&rest, other);
    step = step == GPU_ON ? record_from(&rest, sequence, index + 1) : step;
    end_body(walk, &rest);
    return step;
}

// The children from |first| on; what follows one that may leave is recorded into a conditional node.
static enum gpu_step record_from(struct gpu_walk *walk, const struct plan_node *sequence, int first)
{
    struct gpu_run *run = walk->run;
    for (int i = first; i < sequence->child_count && !run->recording->is_over; i++) {
        const struct plan_node *child = sequence->children[i];
        int breaking = child != NULL ? breaking_branch(run->kernel, child, sequence, walk->loop) : -1;
        if (breaking >= 0) {
            return record_break(walk, sequence, i, breaking);
        }
        if (child != NULL && run->kernel->is_left[child->id]) {
            return record_leaving(walk, sequence, i);
        }
        enum gpu_step step = child != NULL ? gpu_walk_node(walk, child) : GPU_ON;
        if (step != GPU_ON) {
            return step;
        }
    }
    return GPU_ON;
}

enum gpu_step gpu_condition_sequence(struct gpu_walk *walk, const struct plan_node *node)
{
    enum gpu_step step = record_from(walk, node, 0);
    if (node == walk->run->kernel->plan->root) { // what is returned, for one, is what the device has assigned
        take_slots(walk->run, node);
    }
    return step;
}

enum gpu_step gpu_condition_block(struct gpu_walk *walk, const struct plan_node *node)
{
    rill_status status = forget_leaving(walk, node);
    if (status != RILL_OK) {
        return gpu_run_fail(walk->run, status);
    }
    enum gpu_step step = gpu_walk_node(walk, node->children[0]);
    step = step == GPU_BREAK && walk->run->target == node->id ? GPU_ON : step;
    if (is_block_left(walk->run->kernel, node)) {
        take_slots(walk->run, node);
    }
    return step;
}

enum gpu_step gpu_condition_loop(struct gpu_walk *walk, const struct plan_node *node)
{
    struct gpu_run *run = walk->run;
    assert(run->sink->decides_on_device && node->kind == PLAN_LOOP);
    rill_status status = gpu_slots_settle(walk);
    status = status == RILL_OK ? forget_leaving(walk, node) : status;
    if (status != RILL_OK) {
        return gpu_run_fail(run, status);
    }
    take_slots(run, node);
    // A handle has its initial value when the graph is launched, not when the body around it runs again.
    int setting = walk->parent > 0 ? record_set(walk, run->kernel->zero_offset, NOT_FIRST) : -1;
    int index = record_condition(walk, GPU_NODE_LOOP);
    if (index < 0) {
        return GPU_ON;
    }
    if (setting >= 0) {
        run->recording->nodes[setting].sets[0] = index + 1;
    }
    struct gpu_walk body = body_of(walk, index);
    body.loop = node;
    body.loop_index = index;
    enum gpu_step step = record_from(&body, node->children[0], 0);
    end_body(walk, &body);
    take_slots(run, node);
    return step;
}

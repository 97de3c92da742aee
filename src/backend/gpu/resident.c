// Loops in order that stay on the device (plan/resident.c): one launch runs all rounds. A loop whose rounds are small
// has one block, whose threads meet by the hardware's barrier; larger ones have a grid of which all blocks run at the
// same time, which meet in memory. Where tasks are so large that a launch for each costs little beside them, and the
// host can decide what runs, the loop is walked as ever.
#include "backend/gpu/sink.h"

#include "base/status.h"
#include "plan/resident.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_WORK = 96 * 1024, // operations of a task that one block does while a grid's blocks would still be meeting
    THREAD_WORK = 32,       // operations worth another thread
    MUCH_WORK = 1000 * 1000 * 1000, // operations of a task beside which a launch of its own does not count
};

// ---- when the image is loaded
// -----------------------------------------------------------------------------------------

static void look_at(const struct plan_kernel *plan, const struct plan_node *node, struct gpu_resident *resident)
{
    if (node->kind == PLAN_TASK) {
        size_t size = (size_t)plan->tasks[node->task].partial_size * ABI_GPU_MAX_PARTIALS;
        resident->partials_size = size > resident->partials_size ? size : resident->partials_size;
    }
    for (int i = 0; i < node->child_count; i++) {
        const struct plan_node *child = node->children[i];
        if (child != NULL) {
            resident->has_loops |= child->kind == PLAN_FOR || child->kind == PLAN_LOOP;
            look_at(plan, child, resident);
        }
    }
}

static rill_status make(struct backend_image *image, struct gpu_kernel *kernel, const struct plan_node *node,
                        const struct plan_resident *slots)
{
    struct backend_device *device = image->device;
    struct gpu_resident *resident = ARENA_NEW(&image->arena, struct gpu_resident);
    const char *name = arena_printf(&image->arena, "%s.r%d", kernel->plan->name, node->id);
    const char *symbol = gpu_symbol(device->driver, &image->arena, name);
    RILL_TRY(driver_module_function(device->driver, image->module, symbol, &resident->entry));
    RILL_TRY(device->driver->occupancy(resident->entry, &resident->grid, &resident->block));
    uint32_t warp = (uint32_t)(device->properties.warp_size > 0 ? device->properties.warp_size : 1);
    resident->block = resident->block / warp * warp;
    resident->written = slots->written;
    resident->changes = slots->changes;
    resident->variable = plan_resident_variable(kernel->plan, node);
    look_at(kernel->plan, node, resident);
    bool *reads = ARENA_ARRAY(&image->arena, bool, kernel->plan->param_count + 1);
    bool *writes = ARENA_ARRAY(&image->arena, bool, kernel->plan->param_count + 1);
    (void)plan_resident_params(kernel->plan, node, reads, writes);
    resident->reads = reads;
    resident->writes = writes;
    bool is_wide = resident->block >= ABI_GPU_MERGED_BLOCK || warp == 1; // the stand-in has one thread
    kernel->residents[node->id] = is_wide ? resident : NULL;
    return RILL_OK;
}

static rill_status find(struct backend_image *image, struct gpu_kernel *kernel, const struct plan_node *node)
{
    int count = kernel->plan->slot_count + 1;
    struct plan_resident slots = {.assigned = ARENA_ARRAY(&image->arena, bool, count),
                                  .written = ARENA_ARRAY(&image->arena, bool, count),
                                  .changes = ARENA_ARRAY(&image->arena, bool, count)};
    if (plan_loop_is_resident(kernel->plan, node, &slots)) {
        return make(image, kernel, node, &slots);
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            RILL_TRY(find(image, kernel, node->children[i]));
        }
    }
    return RILL_OK;
}

rill_status gpu_residents_find(struct backend_image *image, struct gpu_kernel *kernel)
{
    const struct plan_kernel *plan = kernel->plan;
    kernel->residents = ARENA_ARRAY(&image->arena, struct gpu_resident *, plan->node_count + 1);
    if (plan->root != NULL) {
        RILL_TRY(find(image, kernel, plan->root));
    }
    bool has_some = false;
    for (int i = 0; i < plan->node_count; i++) {
        has_some |= kernel->residents[i] != NULL;
    }
    if (has_some) { // what control assigns there the host does not know afterwards
        kernel->reads_results = true;
        kernel->needs_block = true;
        kernel->meet_offset = ((int64_t)kernel->block_size + 3) / 4 * 4;
        kernel->block_size = (uint64_t)kernel->meet_offset + sizeof(uint32_t);
    }
    return RILL_OK;
}

// ---- at launch
// --------------------------------------------------------------------------------------------------------

// Whether the value of |expr| is the same in every round, and known.
static bool is_fixed(const struct gpu_run *run, const struct gpu_resident *resident, const struct plan_expr *expr)
{
    return !gpu_slots_missing(run, expr) && !plan_expr_reads(run->kernel->plan, expr, resident->changes);
}

static bool is_region_fixed(const struct gpu_run *run, const struct gpu_resident *resident,
                            const struct plan_region *region)
{
    return is_fixed(run, resident, region->low) && is_fixed(run, resident, region->high) &&
           is_fixed(run, resident, region->step);
}

// Whether the task's fast version may run in every round. What it touches in one round alone counts as the whole array.
static bool is_fast(const struct gpu_run *run, const struct gpu_resident *resident, const struct plan_task *task)
{
    struct plan_effect effects[GPU_MAX_EFFECTS];
    if (task->effect_count > GPU_MAX_EFFECTS) {
        return false;
    }
    for (int i = 0; i < task->condition_count; i++) {
        if (!is_fixed(run, resident, task->conditions[i].expr)) {
            return false;
        }
    }
    for (int i = 0; i < task->effect_count; i++) {
        effects[i] = task->effects[i];
        if (!is_region_fixed(run, resident, &effects[i].region)) {
            effects[i].region = (struct plan_region){.width = effects[i].region.width};
        }
    }
    struct plan_task wide = *task;
    wide.effects = effects;
    return plan_task_is_fast(run->kernel->plan, &wide, &run->values, NULL) &&
           plan_task_broken_restrict(&wide, &run->values) == NULL;
}

static bool are_fast(const struct gpu_run *run, const struct gpu_resident *resident, const struct plan_node *node)
{
    bool fast = node->kind != PLAN_TASK || run->kernel->plan->tasks[node->task].kind != PLAN_TASK_PARALLEL ||
                is_fast(run, resident, &run->kernel->plan->tasks[node->task]);
    for (int i = 0; i < node->child_count && fast; i++) {
        fast = node->children[i] == NULL || are_fast(run, resident, node->children[i]);
    }
    return fast;
}

static bool span_of_param(const struct gpu_run *run, int param, struct plan_span *out)
{
    struct plan_effect whole = {.base = PLAN_BASE_PARAM, .index = param};
    return plan_span_of(&whole, &run->values, out) && !out->unknown;
}

// Whether what the loop only reads is apart from all that it writes: its code relies on that.
static bool reads_are_apart(const struct gpu_run *run, const struct gpu_resident *resident)
{
    const struct plan_kernel *plan = run->kernel->plan;
    for (int i = 0; i < plan->param_count; i++) {
        for (int k = 0; resident->reads[i] && k < plan->param_count; k++) {
            struct plan_span read, written;
            bool is_restrict = plan->params[i].is_restrict || plan->params[k].is_restrict;
            if (resident->writes[k] && !is_restrict &&
                (!span_of_param(run, i, &read) || !span_of_param(run, k, &written) ||
                 plan_spans_overlap(&read, &written))) {
                return false;
            }
        }
    }
    return true;
}

// Operations of the largest task of a round; -1: not known.
static int64_t work_of(const struct gpu_run *run, const struct plan_node *node)
{
    union ir_value value;
    bool is_known =
        node->work != NULL && !gpu_slots_missing(run, node->work) && plan_eval(node->work, &run->values, &value);
    return is_known ? value.i : -1;
}

// Blocks of the grid; 0: the loop is walked.
static uint32_t blocks_for(const struct gpu_run *run, const struct gpu_resident *resident, const struct plan_node *node)
{
    const struct backend_device *device = run->device;
    int64_t work = work_of(run, node);
    bool is_walkable = !run->kernel->reads_device[node->id] && !resident->has_loops;
    if (device->resident_mode == GPU_RESIDENT_BLOCK || (work >= 0 && work < BLOCK_WORK)) {
        return 1;
    }
    if (is_walkable && work > MUCH_WORK && device->resident_mode != GPU_RESIDENT_GRID) {
        return 0;
    }
    if (!device->properties.has_meeting) {
        return is_walkable ? 0 : 1;
    }
    int64_t most = resident->grid;
    int64_t wanted = work < 0 ? device->properties.processor_count : work / (resident->block * THREAD_WORK) + 1;
    return (uint32_t)(wanted < most ? wanted : most);
}

static rill_status start(struct gpu_walk *walk, const struct plan_node *node, const struct gpu_resident *resident,
                         uint32_t blocks)
{
    struct gpu_run *run = walk->run;
    struct gpu_task_call call = {.function = resident->entry,
                                 .grid = blocks,
                                 .block = resident->block,
                                 .count = 1,
                                 .chunk = run->kernel->meet_offset,
                                 .meets = blocks > 1};
    if (run->device->trace == NULL) {
        return run->sink->task(walk, &call);
    }
    char name[96];
    snprintf(name, sizeof name, "%s.r%d", run->kernel->plan->name, node->id);
    struct plan_task told = {.name = name, .loc = node->loc, .group = node->group};
    struct gpu_trace_how how = {.way = "shared", .way_text = "", .piece_count = blocks};
    struct gpu_trace_task *traced = gpu_trace_begin(walk, &told);
    rill_status status = run->sink->task(walk, &call);
    gpu_trace_end(walk, traced, status == RILL_OK ? &how : NULL);
    return status;
}

// What the host knows of the slots afterwards.
static rill_status settle(struct gpu_walk *walk, const struct plan_node *node, const struct gpu_resident *resident,
                          const union ir_value *last)
{
    struct gpu_run *run = walk->run;
    for (int i = 0; i < run->kernel->plan->slot_count; i++) {
        if (resident->changes[i]) {
            run->slots[i] = GPU_SLOT_DEVICE;
        }
    }
    return last != NULL ? gpu_slot_assign(walk, node, *last) : RILL_OK;
}

bool gpu_resident_run(struct gpu_walk *walk, const struct plan_node *node, enum gpu_step *out_step)
{
    struct gpu_run *run = walk->run;
    const struct gpu_resident *resident = run->kernel->residents[node->id];
    if (resident == NULL || run->is_remote || run->device->resident_mode == GPU_RESIDENT_OFF) {
        return false;
    }
    uint32_t blocks = blocks_for(run, resident, node);
    if (blocks == 0 || !are_fast(run, resident, node) || !reads_are_apart(run, resident)) {
        return false;
    }
    union ir_value init, trip, last;
    bool knows_last = resident->variable >= 0 && !resident->written[resident->variable] &&
                      !gpu_slots_missing(run, node->expr) && !gpu_slots_missing(run, node->trip) &&
                      plan_eval(node->expr, &run->values, &init) && plan_eval(node->trip, &run->values, &trip);
    if (knows_last) {
        last.i = (int64_t)((uint64_t)init.i + (uint64_t)trip.i * (uint64_t)node->step);
    }
    rill_status status = RILL_OK;
    if (!knows_last || trip.i > 0) {
        gpu_run_count(run, &run->device->counters.task_count);
        gpu_run_count(run, &run->device->counters.whole_count);
        status = gpu_slots_settle(walk);
        status = status == RILL_OK ? gpu_make_partials(walk, resident->partials_size) : status;
        status = status == RILL_OK ? start(walk, node, resident, blocks) : status;
        status = status == RILL_OK ? settle(walk, node, resident, knows_last ? &last : NULL) : status;
    } else {
        status = gpu_slot_assign(walk, node, init);
    }
    *out_step = status == RILL_OK ? GPU_ON : gpu_run_fail(run, status);
    return true;
}

// ---- which
// -------------------------------------------------------------------------------------------------------------

enum gpu_resident_mode gpu_resident_mode(void)
{
    static const char *const names[GPU_RESIDENT_MODE_COUNT] = {[GPU_RESIDENT_AUTO] = "auto",
                                                               [GPU_RESIDENT_OFF] = "off",
                                                               [GPU_RESIDENT_BLOCK] = "block",
                                                               [GPU_RESIDENT_GRID] = "grid"};
    const char *said = getenv("RILL_RESIDENT");
    for (int i = 0; said != NULL && i < GPU_RESIDENT_MODE_COUNT; i++) {
        if (strcmp(said, names[i]) == 0) {
            return (enum gpu_resident_mode)i;
        }
    }
    return GPU_RESIDENT_AUTO;
}

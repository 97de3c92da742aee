#include "backend/gpu/run.h"

#include "base/status.h"
#include "base/symbol.h"
#include "plan/resident.h"

#include <stdio.h>
#include <string.h>

int gpu_slot_at(const struct plan_kernel *kernel, int64_t offset)
{
    return plan_slot_at(kernel, offset);
}

// ---- entries ------------------------------------------------------------------------------------------------------

bool gpu_spell(const struct gpu_driver *driver, const char *name, char *out, size_t size)
{
    return symbol_spell(name, driver->has_plain_symbols ? '$' : '.', out, size);
}

const char *gpu_symbol(const struct gpu_driver *driver, struct arena *arena, const char *name)
{
    size_t size = symbol_size(strlen(name));
    char *symbol = ARENA_ARRAY(arena, char, size);
    (void)gpu_spell(driver, name, symbol, size); // there is room
    return symbol;
}

static rill_status find_entry(struct backend_image *image, const char *name, void **out_function)
{
    *out_function = NULL;
    if (name == NULL || *name == '\0') {
        return RILL_OK;
    }
    const char *symbol = gpu_symbol(image->device->driver, &image->arena, name);
    return driver_module_function(image->device->driver, image->module, symbol, out_function);
}

static rill_status find_version(struct backend_image *image, const char *name, const char *version, void **out_function)
{
    bool has_name = name != NULL && *name != '\0';
    return find_entry(image, has_name ? arena_printf(&image->arena, "%s%s", name, version) : NULL, out_function);
}

static rill_status find_tiles(struct backend_image *image, const struct plan_task *plan, struct gpu_task *task)
{
    task->tiles = ARENA_ARRAY(&image->arena, struct gpu_task, plan->tile_count + 1);
    for (int i = 0; i < plan->tile_count; i++) {
        RILL_TRY(find_entry(image, plan->tiles[i].entry, &task->tiles[i].entry));
        if (task->tiles[i].entry == NULL) {
            return status_fail(RILL_ERR_INVALID, "the image lacks the tiles of task '%s'", plan->name);
        }
        RILL_TRY(gpu_shape_find(image->device, plan, &task->tiles[i]));
    }
    return RILL_OK;
}

static rill_status find_task(struct backend_image *image, const struct gpu_kernel *gpu_kernel,
                             const struct plan_task *plan, const char *version, struct gpu_task *task)
{
    const struct plan_kernel *kernel = gpu_kernel->plan;
    bool is_late = image->late != NULL && gpu_kernel->spare_tasks[plan - kernel->tasks];
    RILL_TRY(find_version(image, is_late ? NULL : plan->entry, version, &task->entry));
    RILL_TRY(find_version(image, image->late == NULL ? plan->in_order : NULL, version, &task->in_order));
    RILL_TRY(find_version(image, plan->finish, version, &task->finish));
    if (task->entry == NULL && !is_late) {
        return status_fail(RILL_ERR_INVALID, "the image lacks the entry of task '%s'", plan->name);
    }
    RILL_TRY(gpu_shape_find(image->device, plan, task));
    RILL_TRY(find_tiles(image, plan, task));
    task->slot_indices = ARENA_ARRAY(&image->arena, int, plan->slot_use_count + 1);
    for (int i = 0; i < plan->slot_use_count; i++) {
        task->slot_indices[i] = gpu_slot_at(kernel, plan->slot_uses[i].offset);
    }
    return RILL_OK;
}

// ---- what control depends on --------------------------------------------------------------------------------------

static bool expr_reads(const struct gpu_kernel *kernel, const struct plan_expr *expr)
{
    return plan_expr_reads(kernel->plan, expr, kernel->task_writes);
}

static bool effect_reads(const struct gpu_kernel *kernel, const struct plan_effect *effect)
{
    return effect != NULL && (expr_reads(kernel, effect->region.low) || expr_reads(kernel, effect->region.high) ||
                              expr_reads(kernel, effect->region.step));
}

// Whether the task's range or the choice of its version does. A range that the device computes itself does not.
bool gpu_task_reads(const struct gpu_kernel *kernel, const struct plan_task *task)
{
    bool reads = expr_reads(kernel, task->trip) && !plan_trip_has_code(kernel->plan, task, kernel->task_writes);
    for (int i = 0; i < task->condition_count; i++) {
        reads |= expr_reads(kernel, task->conditions[i].expr);
    }
    for (int i = 0; i < task->pair_count; i++) {
        reads |= effect_reads(kernel, &task->effects[task->pairs[i].a]);
        reads |= effect_reads(kernel, &task->effects[task->pairs[i].b]);
    }
    return reads;
}

bool gpu_region_reads(const struct gpu_kernel *kernel, const struct plan_node *node)
{
    bool reads = false;
    for (int i = 0; i < node->conflict_count; i++) {
        reads |= effect_reads(kernel, node->conflicts[i].effect_a) || effect_reads(kernel, node->conflicts[i].effect_b);
    }
    return reads;
}

static bool mark_reading(struct gpu_kernel *kernel, const struct plan_node *node)
{
    kernel->reads_results |= expr_reads(kernel, node->expr) || expr_reads(kernel, node->trip);
    bool is_on_device = node->kind == PLAN_ASSIGN && kernel->node_entries[node->id] != NULL;
    bool reads = !is_on_device && (expr_reads(kernel, node->expr) || expr_reads(kernel, node->trip));
    if (node->kind == PLAN_TASK) {
        kernel->reads_results |= expr_reads(kernel, kernel->plan->tasks[node->task].trip);
        reads |= gpu_task_reads(kernel, &kernel->plan->tasks[node->task]);
    }
    reads |= gpu_region_reads(kernel, node);
    for (int i = 0; i < node->child_count; i++) {
        reads |= node->children[i] != NULL && mark_reading(kernel, node->children[i]);
    }
    if (node->id >= 0 && node->id < kernel->plan->node_count) {
        kernel->reads_device[node->id] = reads;
    }
    return reads;
}

// Finds the entries of the assignments and conditions that the device evaluates.
static rill_status find_nodes(struct backend_image *image, struct gpu_kernel *kernel, const struct plan_node *node)
{
    if (plan_node_has_code(kernel->plan, node, kernel->task_writes)) {
        const char *name = arena_printf(&image->arena, "%s.n%d", kernel->plan->name, node->id);
        RILL_TRY(find_entry(image, name, &kernel->node_entries[node->id]));
        if (node->kind == PLAN_IF) { // the condition has a byte behind the slots
            kernel->condition_offsets[node->id] = (int64_t)kernel->block_size++;
        }
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            RILL_TRY(find_nodes(image, kernel, node->children[i]));
        }
    }
    return RILL_OK;
}

// Whether the host assigns slots: what it knows goes to the device where that uses it.
static bool has_assignments(const struct plan_node *node)
{
    bool has_some = node->kind == PLAN_ASSIGN || (node->kind == PLAN_FOR && node->slot >= 0);
    for (int i = 0; i < node->child_count && !has_some; i++) {
        has_some = node->children[i] != NULL && has_assignments(node->children[i]);
    }
    return has_some;
}

// ---- what decides -------------------------------------------------------------------------------------------------

static bool expr_names(const struct plan_expr *expr, int param)
{
    if (expr == NULL) {
        return false;
    }
    bool names = (expr->kind == PLAN_EXPR_PARAM || expr->kind == PLAN_EXPR_EXTENT) && expr->index == param;
    for (int i = 0; i < expr->arg_count; i++) {
        names |= expr_names(expr->args[i], param);
    }
    return names;
}

static bool region_names(const struct plan_effect *effect, int param)
{
    return effect != NULL && (expr_names(effect->region.low, param) || expr_names(effect->region.high, param) ||
                              expr_names(effect->region.step, param));
}

static bool task_names(const struct plan_task *task, int param)
{
    bool names = expr_names(task->trip, param) || expr_names(task->cost, param) || expr_names(task->order_cost, param);
    names |= expr_names(task->is_few, param);
    for (int i = 0; i < task->condition_count; i++) {
        names |= expr_names(task->conditions[i].expr, param);
    }
    for (int i = 0; i < task->effect_count; i++) {
        names |= region_names(&task->effects[i], param);
    }
    return names;
}

static bool node_names(const struct plan_node *node, int param)
{
    bool names = expr_names(node->expr, param) || expr_names(node->trip, param) || expr_names(node->whole_if, param);
    for (int i = 0; i < node->conflict_count; i++) {
        names |= region_names(node->conflicts[i].effect_a, param) || region_names(node->conflicts[i].effect_b, param);
    }
    for (int i = 0; i < node->child_count; i++) {
        names |= node->children[i] != NULL && node_names(node->children[i], param);
    }
    return names;
}

// A floating number decides only where an expression of the plan names it. Addresses decide what overlaps and what is
// aligned, and integers are taken to decide.
static bool decides(const struct plan_kernel *plan, int index)
{
    const struct plan_param *param = &plan->params[index];
    if (param->is_array || param->is_struct || param->type < IR_F16 || param->type > IR_F64) {
        return true;
    }
    bool names = plan->root != NULL && node_names(plan->root, index);
    for (int i = 0; i < plan->task_count; i++) {
        names |= task_names(&plan->tasks[i], index);
    }
    return names;
}

// Neighbours make one part: what lies between them is zero.
static void find_deciding(struct backend_image *image, struct gpu_kernel *kernel)
{
    const struct plan_kernel *plan = kernel->plan;
    kernel->deciding = ARENA_ARRAY(&image->arena, struct gpu_part, plan->param_count + 1);
    bool continues = false;
    for (int i = 0; i < plan->param_count; i++) {
        const struct plan_param *param = &plan->params[i];
        size_t end = param->offset + (param->is_array ? sizeof(uint64_t) : param->ctype->size);
        struct gpu_part *last = &kernel->deciding[kernel->deciding_count > 0 ? kernel->deciding_count - 1 : 0];
        bool is_wanted = decides(plan, i);
        if (is_wanted && continues && param->offset >= last->offset) {
            last->size = end - last->offset;
        } else if (is_wanted) {
            kernel->deciding[kernel->deciding_count++] = (struct gpu_part){param->offset, end - param->offset};
        }
        continues = is_wanted;
    }
}

static void find_spare(struct backend_image *image, struct gpu_kernel *kernel)
{
    int count = kernel->plan->slot_count + 1;
    struct plan_resident slots = {.assigned = ARENA_ARRAY(&image->arena, bool, count),
                                  .written = ARENA_ARRAY(&image->arena, bool, count),
                                  .changes = ARENA_ARRAY(&image->arena, bool, count)};
    kernel->spare_tasks = ARENA_ARRAY(&image->arena, bool, kernel->plan->task_count + 1);
    plan_spare_tasks(kernel->plan, &slots, kernel->spare_tasks);
}

static rill_status find_kernel(struct backend_image *image, const struct plan_kernel *plan, struct gpu_kernel *kernel)
{
    kernel->plan = plan;
    kernel->tasks = ARENA_ARRAY(&image->arena, struct gpu_task, plan->task_count + 1);
    kernel->task_writes = ARENA_ARRAY(&image->arena, bool, plan->slot_count + 1);
    kernel->reads_device = ARENA_ARRAY(&image->arena, bool, plan->node_count + 1);
    kernel->node_entries = ARENA_ARRAY(&image->arena, void *, plan->node_count + 1);
    kernel->condition_offsets = ARENA_ARRAY(&image->arena, int64_t, plan->node_count + 1);
    kernel->left_offsets = ARENA_ARRAY(&image->arena, int64_t, plan->node_count + 1);
    kernel->is_left = ARENA_ARRAY(&image->arena, bool, plan->node_count + 1);
    kernel->block_size = plan->block_size;
    kernel->needs_block = plan->return_ctype != NULL;
    plan_device_slots(plan, kernel->task_writes);
    find_spare(image, kernel);
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        RILL_TRY(find_task(image, kernel, task, "", &kernel->tasks[i]));
        kernel->may_fail |= task->may_fail;
        kernel->may_print |= task->may_print;
        kernel->needs_block |= task->slot_use_count > 0;
        kernel->tasks[i].computes_trip = plan_trip_has_code(plan, task, kernel->task_writes);
        if (image->device->driver->is_own != NULL && plan_task_has_remote(task)) {
            struct gpu_task *remote = ARENA_NEW(&image->arena, struct gpu_task);
            RILL_TRY(find_task(image, kernel, task, ABI_REMOTE, remote));
            remote->computes_trip = kernel->tasks[i].computes_trip;
            kernel->tasks[i].remote = remote;
        }
    }
    find_deciding(image, kernel);
    if (plan->root != NULL) {
        RILL_TRY(find_nodes(image, kernel, plan->root));
        bool reads = mark_reading(kernel, plan->root);
        kernel->reads_control = reads;
        kernel->reads_results |= reads;
        kernel->is_graphable = !reads && !kernel->may_print;
        if (has_assignments(plan->root)) {
            RILL_TRY(find_entry(image, "rill.store", &kernel->store));
        }
        kernel->is_conditional = reads && !kernel->may_print && gpu_condition_prepare(kernel);
    }
    return gpu_residents_find(image, kernel);
}

// On a stream of its own, which is passed before the image is used.
static rill_status put_pieces(struct backend_image *image)
{
    const struct plan_module *plan = image->plan;
    const struct gpu_driver *driver = image->device->driver;
    if (plan->piece_count == 0) {
        return RILL_OK;
    }
    void *stream = NULL;
    RILL_TRY(driver_stream_create(driver, 0, &stream));
    rill_status status = RILL_OK;
    for (int i = 0; i < plan->piece_count && status == RILL_OK; i++) {
        const struct plan_piece *piece = &plan->pieces[i];
        uint64_t address = 0;
        const char *symbol = gpu_symbol(driver, &image->arena, piece->symbol);
        status = driver_module_global(driver, image->module, symbol, &address);
        if (status == RILL_OK) {
            status = driver->copy(stream, address + piece->offset, (uint64_t)(uintptr_t)piece->bytes, piece->size);
        }
    }
    if (status == RILL_OK) {
        status = driver_stream_synchronize(driver, stream);
    }
    driver_stream_destroy(driver, stream);
    return status;
}

static rill_status find_all(struct backend_image *image)
{
    const struct plan_module *plan = image->plan;
    image->kernels = ARENA_ARRAY(&image->arena, struct gpu_kernel, plan->kernel_count + 1);
    for (int i = 0; i < plan->kernel_count; i++) {
        image->kernels[i].first_task = image->task_count;
        image->task_count += plan->kernels[i]->task_count;
        RILL_TRY(find_kernel(image, plan->kernels[i], &image->kernels[i]));
    }
    image->field_addresses = ARENA_ARRAY(&image->arena, uint64_t, plan->field_count + 1);
    image->field_sizes = ARENA_ARRAY(&image->arena, uint64_t, plan->field_count + 1);
    for (int i = 0; i < plan->field_count; i++) {
        const char *symbol = gpu_symbol(image->device->driver, &image->arena, plan->fields[i].name);
        RILL_TRY(driver_module_global(image->device->driver, image->module, symbol, &image->field_addresses[i]));
        image->field_sizes[i] = plan->fields[i].size;
    }
    return put_pieces(image);
}

rill_status gpu_image_load(struct backend_device *device, const struct plan_module *plan, const void *code,
                           size_t code_size, struct backend_image **out_image)
{
    *out_image = NULL;
    struct backend_image *image = gpu_alloc(device, sizeof *image);
    if (image == NULL) {
        return status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an image");
    }
    image->device = device;
    image->plan = plan;
    image->number = atomic_fetch_add(&device->image_count, 1) + 1;
    arena_init(&image->arena);
    void *before = device->driver->enter(device->context);
    struct abi_gpu_late late;
    size_t size = gpu_late_find(code, code_size, &late);
    volatile rill_status status = size < code_size ? gpu_late_make(image, code, &late) : RILL_OK;
    if (status == RILL_OK) {
        status = device->driver->module_load(device->context, code, size, &image->module);
    }
    jmp_buf escape;
    image->arena.escape = &escape;
    if (status == RILL_OK && setjmp(escape) == 0) {
        status = find_all(image);
    } else if (status == RILL_OK) {
        status = status_fail(RILL_ERR_OUT_OF_MEMORY, "no memory for an image");
    }
    image->arena.escape = NULL;
    device->driver->leave(device->context, before);
    if (status != RILL_OK) {
        gpu_image_unload(image);
        return status;
    }
    *out_image = image;
    return RILL_OK;
}

void gpu_image_unload(struct backend_image *image)
{
    if (image == NULL) {
        return;
    }
    struct backend_device *device = image->device;
    gpu_capture_forget_image(image);
    void *before = device->driver->enter(device->context);
    gpu_late_destroy(image);
    driver_module_unload(device->driver, image->module);
    device->driver->leave(device->context, before);
    arena_finish(&image->arena);
    gpu_free(device, image, sizeof *image);
}

void *gpu_image_field(const struct backend_image *image, int field)
{
    return (void *)(uintptr_t)image->field_addresses[field];
}

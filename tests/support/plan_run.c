#include "plan_run.h"

#include "plan/abi.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WRONG = 20 };

// What iterations did to one byte.
struct touch {
    const char *address; // NULL: free
    int64_t reader;      // an iteration that read it, -1: none; -2: several
    int64_t writer;
    int64_t updater;
    enum ir_update update;
    const struct ir_inst *write_inst;
    const struct ir_inst *plain_update;
    bool is_again; // the same store was about to write it again, in another iteration, when it held |before|
    char before;
};

struct state {
    const struct ir_module *module;
    const struct plan_module *plan;
    const struct plan_kernel *kernel;
    struct interp_arg *args; // hidden ones too
    uint64_t *sizes;
    const struct plan_run_options *options;
    struct plan_run_result *result;
    struct str *wrong;
    int wrong_count;
    struct interp *interp;
    unsigned char *arg_bytes;
    unsigned char *block;
    uint64_t *field_addresses;
    uint64_t *field_sizes;
    struct plan_values values;
    uint64_t seed;
    // The task that runs now.
    const struct plan_task *task;
    struct plan_span *spans;
    bool **touched; // by effect that must happen: which bytes of its span were touched
    bool is_fast;
    bool is_claimed; // independence is claimed, not the author's word
    struct touch *touches;
    size_t touch_capacity;
    size_t touch_count;
    bool left;       // a return was reached
    int break_to;    // the node that a break leaves, -1: none
    bool is_stopped; // a task failed
};

static void complain(struct state *s, const struct ir_inst *inst, const char *what, const char *address)
{
    if (s->wrong_count++ < MAX_WRONG) {
        str_printf(s->wrong, "task %s, line %u, %s: %s (address %p)\n", s->task->name,
                   inst != NULL ? inst->loc.line : 0, inst != NULL ? ir_op_name(inst->op) : "?", what,
                   (const void *)address);
    }
}

// ---- effects
// ---------------------------------------------------------------------------------------------------------

// Whether an address is the business of effects: in an array parameter or a field. Locals and the block are not.
static bool is_shared(const struct state *s, const char *address)
{
    for (int i = 0; i < s->kernel->param_count; i++) {
        const char *array = s->args[i].p;
        if (s->kernel->params[i].is_array && address >= array && address < array + s->sizes[i]) {
            return true;
        }
    }
    for (int i = 0; i < s->plan->field_count; i++) {
        const char *field = (const char *)(uintptr_t)s->field_addresses[i];
        if (address >= field && address < field + s->field_sizes[i]) {
            return true;
        }
    }
    return false;
}

static bool span_holds(const struct plan_span *span, const struct interp_access *access)
{
    uint64_t at = (uint64_t)(uintptr_t)access->address;
    if (span->unknown) {
        return true;
    }
    if (at < span->low || at + access->size > span->high) {
        return false;
    }
    return span->step == 0 || span->width == 0 || (at - span->low) % span->step + access->size <= (uint64_t)span->width;
}

static enum plan_access access_of(const struct interp_access *access)
{
    return access->kind == INTERP_READ ? PLAN_READ : access->kind == INTERP_WRITE ? PLAN_WRITE : PLAN_UPDATE;
}

// ---- effects that must happen
// -----------------------------------------------------------------------------------------------------------------

enum { MAX_MUST_SIZE = 1 << 20 };

static void begin_musts(struct state *s)
{
    s->touched = calloc((size_t)s->task->effect_count + 1, sizeof *s->touched);
    for (int i = 0; i < s->task->effect_count; i++) {
        const struct plan_span *span = &s->spans[i];
        enum plan_base base = s->task->effects[i].base;
        bool is_array = base == PLAN_BASE_PARAM || base == PLAN_BASE_FIELD;
        if (is_array && s->task->effects[i].is_must && !span->unknown && span->high > span->low &&
            span->high - span->low <= MAX_MUST_SIZE) {
            s->touched[i] = calloc(span->high - span->low, sizeof **s->touched);
        }
    }
}

static void note_musts(struct state *s, const struct interp_access *access)
{
    uint64_t at = (uint64_t)(uintptr_t)access->address;
    for (int i = 0; i < s->task->effect_count; i++) {
        const struct plan_span *span = &s->spans[i];
        if (s->touched[i] == NULL || s->task->effects[i].access != access_of(access)) {
            continue;
        }
        for (uint64_t k = at > span->low ? at : span->low; k < at + access->size && k < span->high; k++) {
            s->touched[i][k - span->low] = true;
        }
    }
}

static void end_musts(struct state *s, bool has_run)
{
    for (int i = 0; i < s->task->effect_count; i++) {
        const struct plan_span *span = &s->spans[i];
        for (uint64_t k = 0; s->touched[i] != NULL && has_run && k < span->high - span->low; k++) {
            bool is_between = span->step != 0 && span->width != 0 && k % span->step >= (uint64_t)span->width;
            if (!s->touched[i][k] && !is_between) {
                complain(s, NULL, "an effect that must happen left this byte alone", (const char *)(span->low + k));
                break;
            }
        }
        free(s->touched[i]);
    }
    free(s->touched);
    s->touched = NULL;
}

static bool is_covered(const struct state *s, const struct interp_access *access, enum plan_access kind)
{
    for (int i = 0; i < s->task->effect_count; i++) {
        const struct plan_effect *effect = &s->task->effects[i];
        if (effect->access != kind || !span_holds(&s->spans[i], access)) {
            continue;
        }
        if (kind != PLAN_UPDATE || access->kind == INTERP_ATOMIC ||
            (effect->type == access->type && ir_updates_combine(effect->update, access->update))) {
            return true;
        }
    }
    return false;
}

// A loop inside a parallel task keeps what it updates in a register: the task loads the memory before the loop and
// stores to it behind it.
static bool is_kept(const struct state *s, const struct interp_access *access)
{
    for (int i = 0; s->is_fast && i < s->task->effect_count; i++) {
        const struct plan_effect *effect = &s->task->effects[i];
        if (effect->access == PLAN_UPDATE && !effect->is_atomic && effect->type == access->type &&
            span_holds(&s->spans[i], access)) {
            return true;
        }
    }
    return false;
}

static void check_effect(struct state *s, const struct interp_access *access)
{
    bool reads_and_writes = is_covered(s, access, PLAN_READ) && is_covered(s, access, PLAN_WRITE);
    bool ok = true;
    switch (access->kind) {
    case INTERP_READ: ok = is_covered(s, access, PLAN_READ) || is_kept(s, access); break;
    case INTERP_WRITE: ok = is_covered(s, access, PLAN_WRITE) || is_kept(s, access); break;
    case INTERP_UPDATE:
    case INTERP_ATOMIC: ok = reads_and_writes || is_covered(s, access, PLAN_UPDATE); break;
    }
    if (!ok) {
        static const char *const what[] = {
            "a read lies outside the claimed effects", "a write lies outside the claimed effects",
            "an update lies outside the claimed effects", "an atomic lies outside the claimed effects"};
        complain(s, access->inst, what[access->kind], access->address);
    }
}

// ---- independence
// --------------------------------------------------------------------------------------------------------

static struct touch *find_touch(struct state *s, const char *address)
{
    size_t mask = s->touch_capacity - 1;
    size_t at = ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
    while (s->touches[at].address != NULL && s->touches[at].address != address) {
        at = (at + 1) & mask;
    }
    return &s->touches[at];
}

static void grow_touches(struct state *s)
{
    struct touch *old = s->touches;
    size_t old_capacity = s->touch_capacity;
    s->touch_capacity = old_capacity == 0 ? 1024 : 2 * old_capacity;
    s->touches = calloc(s->touch_capacity, sizeof *s->touches);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].address != NULL) {
            *find_touch(s, old[i].address) = old[i];
        }
    }
    free(old);
}

static bool is_other(int64_t seen, int64_t iteration)
{
    return seen == -2 || (seen >= 0 && seen != iteration);
}

static void note(int64_t *seen, int64_t iteration)
{
    *seen = *seen == -1 || *seen == iteration ? iteration : -2;
}

// Iterations may store to the same place only what the analysis took to be one constant. That other values happen to be
// equal is luck.
static bool store_one_constant(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->is_constant && b->is_constant && a->op == b->op && a->type == b->type;
}

// What a store writes is known once it has: whether it is the same constant is seen then.
static void check_again(struct state *s, struct touch *touch)
{
    if (touch->is_again && *touch->address != touch->before) {
        complain(s, touch->write_inst, "two iterations write different values to the same byte", touch->address);
    }
    touch->is_again = false;
}

static void check_byte(struct state *s, const struct interp_access *access, const char *address)
{
    if (4 * (s->touch_count + 1) > 3 * s->touch_capacity) {
        grow_touches(s);
    }
    struct touch *touch = find_touch(s, address);
    if (touch->address == NULL) {
        *touch = (struct touch){.address = address, .reader = -1, .writer = -1, .updater = -1};
        s->touch_count++;
    }
    check_again(s, touch);
    int64_t iteration = access->iteration;
    const char *wrong = NULL;
    switch (access->kind) {
    case INTERP_READ:
        wrong = is_other(touch->writer, iteration) || is_other(touch->updater, iteration)
                    ? "an iteration reads what another writes"
                    : NULL;
        note(&touch->reader, iteration);
        break;
    case INTERP_WRITE:
        if (is_other(touch->reader, iteration) || is_other(touch->updater, iteration)) {
            wrong = "an iteration writes what another touches";
        } else if (is_other(touch->writer, iteration) && store_one_constant(touch->write_inst, access->inst)) {
            touch->is_again = true;
            touch->before = *address;
        } else if (is_other(touch->writer, iteration)) {
            wrong = "two iterations write the same byte";
        }
        note(&touch->writer, iteration);
        touch->write_inst = access->inst;
        break;
    case INTERP_UPDATE: {
        bool is_plain = !access->inst->atomic;
        if (is_other(touch->reader, iteration) || is_other(touch->writer, iteration)) {
            wrong = "an iteration updates what another touches";
        } else if (is_other(touch->updater, iteration) && !ir_updates_commute(touch->update, access->update)) {
            wrong = "two iterations update the same byte in different ways";
        } else if (is_other(touch->updater, iteration) && (is_plain || touch->plain_update != NULL)) {
            wrong = "two iterations update the same byte and the update is plain";
        }
        note(&touch->updater, iteration);
        touch->update = access->update;
        touch->plain_update = is_plain ? access->inst : touch->plain_update;
        break;
    }
    case INTERP_ATOMIC: break; // the author's word
    }
    if (wrong != NULL) {
        complain(s, access->inst, wrong, address);
    }
}

static void record(void *user, const struct interp_access *access)
{
    struct state *s = user;
    s->result->access_count++;
    if (s->task == NULL || !is_shared(s, access->address)) {
        return;
    }
    check_effect(s, access);
    note_musts(s, access);
    for (uint64_t i = 0; s->is_fast && s->is_claimed && access->iteration >= 0 && i < access->size; i++) {
        check_byte(s, access, (const char *)access->address + i);
    }
}

// ---- tasks
// ---------------------------------------------------------------------------------------------------------------

static const struct ir_function *find_function(const struct state *s, const char *name)
{
    for (int i = 0; i < s->module->function_count; i++) {
        if (strcmp(s->module->functions[i]->name, name) == 0) {
            return s->module->functions[i];
        }
    }
    return NULL;
}

static void call(struct state *s, const char *name, struct interp_launch *launch)
{
    const struct ir_function *function = find_function(s, name);
    if (function == NULL) {
        complain(s, NULL, "its entry does not exist", name);
        s->is_stopped = true;
        return;
    }
    launch->args = s->args;
    launch->block = s->block;
    enum interp_outcome outcome = interp_task(s->interp, function, launch);
    if (outcome != INTERP_DONE) {
        s->is_stopped = true;
        s->result->outcome = outcome;
        if (outcome == INTERP_FAILED && interp_failure(s->interp) != NULL) {
            s->result->failure = *interp_failure(s->interp);
        }
    }
}

static uint64_t next_random(struct state *s)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return s->seed;
}

// The chunks of a task in the order asked for. With partial records the iterations inside a chunk keep theirs.
static void run_parallel(struct state *s, const struct plan_task *task, int64_t trip)
{
    int64_t chunk = s->options->chunk > 0 ? s->options->chunk : 7;
    int64_t count = (trip + chunk - 1) / chunk;
    unsigned char *partials = calloc((size_t)count + 1, task->partial_size + 1);
    int64_t *order = calloc((size_t)count + 1, sizeof *order);
    for (int64_t i = 0; i < count; i++) {
        order[i] = s->options->order == INTERP_BACKWARD ? count - 1 - i : i;
    }
    for (int64_t i = count - 1; s->options->order == INTERP_SEEDED && i > 0; i--) {
        int64_t k = (int64_t)(next_random(s) % (uint64_t)(i + 1));
        int64_t swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (int64_t i = 0; i < count && !s->is_stopped; i++) {
        int64_t lo = order[i] * chunk;
        struct interp_launch launch = {.partials = partials + (uint64_t)order[i] * task->partial_size,
                                       .iter_count = trip,
                                       .lo = lo,
                                       .hi = lo + chunk < trip ? lo + chunk : trip,
                                       .order = task->partial_size != 0 ? INTERP_FORWARD : s->options->order,
                                       .seed = next_random(s)};
        call(s, task->entry, &launch);
    }
    if (task->partial_size != 0 && !s->is_stopped) {
        s->is_fast = false; // the end of the reductions is no iteration
        struct interp_launch launch = {.partials = partials, .iter_count = count, .lo = 0, .hi = 1};
        call(s, task->finish, &launch);
    }
    free(order);
    free(partials);
}

static enum ir_verdict verdict_of(const struct state *s, const struct plan_task *task)
{
    return task->loop >= 0 ? s->kernel->loops[task->loop].verdict : IR_VERDICT_NONE;
}

static void run_task(struct state *s, const struct plan_task *task)
{
    s->result->task_count++;
    s->task = task;
    s->spans = calloc((size_t)task->effect_count + 1, sizeof *s->spans);
    for (int i = 0; i < task->effect_count; i++) {
        if (!plan_span_of(&task->effects[i], &s->values, &s->spans[i])) {
            s->spans[i] = (struct plan_span){0};
        }
    }
    begin_musts(s);
    union ir_value trip = {.i = 1};
    if (task->kind == PLAN_TASK_PARALLEL && !plan_eval(task->trip, &s->values, &trip)) {
        complain(s, NULL, "its trip count cannot be evaluated", NULL);
        s->is_stopped = true;
    }
    bool has_ways = task->kind == PLAN_TASK_PARALLEL || task->in_order != NULL;
    bool is_fast = has_ways && plan_task_is_fast(s->kernel, task, &s->values, NULL);
    if (is_fast && s->options->force_in_order && task->in_order != NULL) {
        is_fast = false;
    } else if (task->kind == PLAN_TASK_PARALLEL && !is_fast) {
        s->result->in_order_count++;
    }
    s->is_fast = is_fast;
    s->is_claimed = task->loop < 0 || verdict_of(s, task) <= IR_VERDICT_SCATTER;
    if (trip.i > 0 && is_fast && task->kind == PLAN_TASK_PARALLEL && !s->is_stopped) {
        run_parallel(s, task, trip.i);
    } else if (trip.i > 0 && !s->is_stopped) {
        struct interp_launch launch = {.iter_count = 1, .lo = 0, .hi = 1};
        call(s, is_fast || task->in_order == NULL ? task->entry : task->in_order, &launch);
    }
    end_musts(s, trip.i > 0 && !s->is_stopped);
    for (size_t i = 0; i < s->touch_capacity; i++) {
        check_again(s, &s->touches[i]);
    }
    free(s->touches);
    s->touches = NULL;
    s->touch_capacity = 0;
    s->touch_count = 0;
    free(s->spans);
    s->task = NULL;
}

// ---- control
// -------------------------------------------------------------------------------------------------------------

static void store(struct state *s, int64_t slot, enum ir_type type, union ir_value value)
{
    float f32 = (float)value.f;
    unsigned char *to = s->block + slot;
    switch (type) {
    case IR_F32: memcpy(to, &f32, sizeof f32); break;
    case IR_F64: memcpy(to, &value.f, sizeof value.f); break;
    default: memcpy(to, &value.i, (size_t)ir_type_size(type)); break; // little-endian
    }
}

static union ir_value evaluate(struct state *s, const struct plan_expr *expr)
{
    union ir_value value = {0};
    if (!plan_eval(expr, &s->values, &value)) {
        str_add(s->wrong, "an expression of the plan cannot be evaluated\n");
        s->wrong_count++;
        s->is_stopped = true;
    }
    return value;
}

static bool is_leaving(const struct state *s)
{
    return s->left || s->is_stopped || s->break_to >= 0;
}

static void run_node(struct state *s, const struct plan_node *node);

static void run_children(struct state *s, const struct plan_node *node)
{
    for (int i = 0; i < node->child_count && !is_leaving(s); i++) {
        run_node(s, node->children[i]);
    }
}

// One round of a loop or block; false if it was left.
static bool run_round(struct state *s, const struct plan_node *node)
{
    run_children(s, node);
    if (s->break_to == node->id) {
        s->break_to = -1;
        return false;
    }
    return !is_leaving(s);
}

static void run_for(struct state *s, const struct plan_node *node)
{
    union ir_value init = evaluate(s, node->expr);
    union ir_value trip = evaluate(s, node->trip);
    for (int64_t i = 0; i <= trip.i && !is_leaving(s); i++) {
        union ir_value value = {.i = (int64_t)((uint64_t)init.i + (uint64_t)i * (uint64_t)node->step)};
        store(s, node->slot, node->type, value);
        if (i < trip.i && !run_round(s, node)) {
            return;
        }
    }
}

// The loop as one serial task, where the plan would take it.
static bool run_whole(struct state *s, const struct plan_node *node)
{
    bool has_whole = (node->kind == PLAN_FOR || node->kind == PLAN_LOOP) && node->whole_task >= 0;
    if (!has_whole || !s->options->take_whole || evaluate(s, node->whole_if).i == 0) {
        return false;
    }
    run_task(s, &s->kernel->tasks[node->whole_task]);
    return true;
}

static void run_node(struct state *s, const struct plan_node *node)
{
    if (run_whole(s, node)) {
        return;
    }
    switch (node->kind) {
    case PLAN_SEQUENCE:
    case PLAN_REGION: run_children(s, node); break;
    case PLAN_IF: {
        int taken = evaluate(s, node->expr).i != 0 ? 0 : 1;
        if (taken < node->child_count && !is_leaving(s)) {
            run_node(s, node->children[taken]);
        }
        break;
    }
    case PLAN_FOR: run_for(s, node); break;
    case PLAN_LOOP:
        while (run_round(s, node)) {
        }
        break;
    case PLAN_BLOCK: run_round(s, node); break;
    case PLAN_BREAK: s->break_to = node->target; break;
    case PLAN_RETURN: s->left = true; break;
    case PLAN_ASSIGN: store(s, node->slot, node->type, evaluate(s, node->expr)); break;
    case PLAN_TASK: run_task(s, &s->kernel->tasks[node->task]); break;
    }
}

static void lay_out_args(struct state *s)
{
    for (int i = 0; i < s->kernel->param_count; i++) {
        const struct plan_param *param = &s->kernel->params[i];
        unsigned char *to = s->arg_bytes + param->offset;
        float f32 = (float)s->args[i].f;
        if (param->is_struct) {
            memcpy(to, s->args[i].p, param->ctype->size);
        } else if (param->type == IR_F32) {
            memcpy(to, &f32, sizeof f32);
        } else {
            memcpy(to, &s->args[i].i, (size_t)ir_type_size(param->type));
        }
    }
}

static uint64_t own_size(struct state *s, const struct plan_param *param)
{
    uint64_t size = param->ctype->size;
    for (int k = 0; k < param->rank; k++) {
        union ir_value extent = {0};
        bool is_known = plan_eval(param->extents[k], &s->values, &extent);
        size *= is_known && extent.i > 0 ? (uint64_t)extent.i : 0;
    }
    return size;
}

// Memory that the launch lends, full of what others left there; sometimes it has none.
static void lend_scratch(struct state *s, bool has_some)
{
    for (int i = s->kernel->param_count - s->kernel->hidden_count; i < s->kernel->param_count; i++) {
        const struct plan_param *param = &s->kernel->params[i];
        union ir_value size = {0};
        if (param->scratch != NULL && has_some && plan_eval(param->scratch, &s->values, &size) && size.i > 0) {
            s->args[i].p = malloc((size_t)size.i);
            memset(s->args[i].p, 0x5a, (size_t)size.i);
            s->sizes[i] = (uint64_t)size.i;
        } else if (param->is_scratch) {
            uint64_t bytes = own_size(s, param);
            s->args[i].p = malloc(bytes + 1);
            memset(s->args[i].p, 0x5a, bytes);
            s->sizes[i] = bytes;
        } else if (param->counts > 0) {
            const struct ir_ctype *element = s->kernel->params[param->counts - 1].ctype;
            s->args[i].i = (int64_t)(s->sizes[param->counts - 1] / (element->size > 0 ? element->size : 1));
        }
    }
    lay_out_args(s);
}

static void find_fields(struct state *s)
{
    int at = 0;
    for (int i = 0; i < s->module->global_count; i++) {
        const struct ir_global *global = s->module->globals[i];
        if (!global->is_const) {
            s->field_addresses[at] = (uint64_t)(uintptr_t)interp_global_address(s->interp, global);
            s->field_sizes[at++] = global->size;
        }
    }
}

void plan_run(const struct ir_module *module, const struct plan_module *plan, const struct plan_kernel *kernel,
              const struct interp_arg *args, const uint64_t *sizes, const struct plan_run_options *options,
              struct plan_run_result *out_result, struct str *out_wrong)
{
    *out_result = (struct plan_run_result){.outcome = INTERP_DONE};
    struct state s = {.module = module,
                      .plan = plan,
                      .kernel = kernel,
                      .args = calloc((size_t)kernel->param_count + 1, sizeof *args),
                      .sizes = calloc((size_t)kernel->param_count + 1, sizeof *sizes),
                      .options = options,
                      .result = out_result,
                      .wrong = out_wrong,
                      .seed = options->seed * 2 + 1,
                      .break_to = -1};
    struct interp_options interp = {
        .record = record, .user = &s, .poison = options->poison, .step_limit = options->step_limit};
    s.interp = interp_create(module, &interp);
    for (int i = 0; i < kernel->param_count - kernel->hidden_count; i++) {
        s.args[i] = args[i];
        s.sizes[i] = sizes[i];
    }
    s.arg_bytes = calloc(1, kernel->args_size + 64);
    s.block = aligned_alloc(ABI_BLOCK_ALIGN, (kernel->block_size + 127) / 64 * 64);
    memset(s.block, 0, (kernel->block_size + 127) / 64 * 64);
    s.field_addresses = calloc((size_t)plan->field_count + 1, sizeof *s.field_addresses);
    s.field_sizes = calloc((size_t)plan->field_count + 1, sizeof *s.field_sizes);
    lay_out_args(&s);
    find_fields(&s);
    s.values = (struct plan_values){.kernel = kernel,
                                    .args = s.arg_bytes,
                                    .block = s.block,
                                    .array_sizes = s.sizes,
                                    .field_addresses = s.field_addresses,
                                    .field_sizes = s.field_sizes,
                                    .width = options->seed % 3 == 2 ? 1000 : 0};
    lend_scratch(&s, options->seed % 4 != 3);
    run_node(&s, kernel->root);
    if (kernel->return_ctype != NULL && kernel->return_ctype->kind == IR_CTYPE_SCALAR) {
        const struct plan_expr result = {.kind = PLAN_EXPR_SLOT, .type = kernel->return_ctype->scalar};
        plan_eval(&result, &s.values, &out_result->returned);
    }
    unsigned char *fields = options->out_fields;
    for (int i = 0; fields != NULL && i < plan->field_count; i++) {
        memcpy(fields, (const void *)(uintptr_t)s.field_addresses[i], s.field_sizes[i]);
        fields += s.field_sizes[i];
    }
    interp_destroy(s.interp);
    for (int i = 0; i < kernel->param_count; i++) {
        if (kernel->params[i].scratch != NULL || kernel->params[i].is_scratch) {
            free(s.args[i].p);
        }
    }
    free(s.args);
    free(s.sizes);
    free(s.arg_bytes);
    free(s.block);
    free(s.field_addresses);
    free(s.field_sizes);
}

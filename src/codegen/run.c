// Runs: what a GPU's thread may take at once. Where a task's accesses walk through memory element by element, a thread
// that takes a few consecutive iterations can load and store 16 bytes in one instruction instead of four times four.
//
// Only code with few operations gains: there the accesses are all there is. What is known here about an access is what
// the code that is made relies on, so both ask the same functions. Where there are conditions or atomic updates, only
// loads gain, which the code generator puts before them.
#include "codegen/run.h"

#include "ir/assignment.h"
#include "ir/invariant.h"

#include <assert.h>
#include <string.h>

enum { RUN_BYTES = 16, RUN_LIMIT = 8, RUN_INST_LIMIT = 64 };

// ---- accesses -----------------------------------------------------------------------------------------------------

const struct ir_inst *run_nest(const struct ir_function *task)
{
    const struct ir_inst *inst = task->body.first;
    while (inst != NULL && !(inst->op == IR_OP_NEST_ITER && inst->imm == inst->arg_count)) {
        inst = inst->next;
    }
    return inst;
}

// The one assignment of |var| in the body, a SET at its top; NULL if there are more.
static const struct ir_inst *only_set(const struct ir_function *task, const struct ir_var *var)
{
    struct assignments found = assignments_of(&task->body, var);
    const struct ir_inst *set = assignments_only_set(&found);
    return set != NULL && set->parent == &task->body ? set : NULL;
}

// Whether |a|, at the body's top, stands before |b| or what |b| is part of.
static bool is_before(const struct ir_inst *a, const struct ir_inst *b)
{
    assert(a->parent->owner == NULL);
    while (b->parent != a->parent && b->parent->owner != NULL) {
        b = b->parent->owner;
    }
    while (a != NULL && a != b) {
        a = a->next;
    }
    return a != NULL;
}

// Whether |inst| is the same for all iterations of the innermost loop of a nest.
static bool is_of_row(const struct ir_function *task, const struct ir_inst *nest, const struct ir_inst *inst, int depth)
{
    if (invariant_in_task(inst, task)) {
        return true;
    }
    int count = inst->op == IR_OP_INDEX ? 3 : inst->arg_count;
    switch (inst->op) {
    case IR_OP_GET: {
        const struct ir_inst *set = only_set(task, inst->var);
        return depth > 0 && set != NULL && is_before(set, inst) && is_of_row(task, nest, set->args[0], depth - 1);
    }
    case IR_OP_NEST_ITER: return inst->imm != inst->arg_count;
    case IR_OP_UDIV:
    case IR_OP_UREM:
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_SEXT:
    case IR_OP_TRUNC:
    case IR_OP_INDEX: break;
    default: return false;
    }
    for (int i = 0; i < count; i++) {
        if (depth == 0 || !is_of_row(task, nest, inst->args[i], depth - 1)) {
            return false;
        }
    }
    return true;
}

// Whether every row of an array of several dimensions can be told from the first by sizes that do not vary.
static bool is_row(const struct ir_function *task, const struct ir_inst *nest, const struct ir_inst *base)
{
    enum { DEPTH = 12 };
    if (nest == NULL || !is_of_row(task, nest, base, DEPTH)) {
        return false;
    }
    while (base->op == IR_OP_INDEX && invariant_in_task(base->args[2], task)) {
        base = base->args[0];
    }
    return base->op == IR_OP_PARAM || base->op == IR_OP_ADDR_GLOBAL;
}

// Whether |value| is |*out_init| + the iteration number, or the innermost loop's own of a nest, without wrapping.
static bool counts_iterations(const struct ir_function *task, const struct ir_inst *nest, const struct ir_inst *value,
                              const struct ir_inst **out_init)
{
    if (value->op == IR_OP_GET) {
        const struct ir_inst *set = only_set(task, value->var);
        if (set == NULL || !is_before(set, value)) {
            return false;
        }
        value = set->args[0];
    }
    if (value->op == IR_OP_TRUNC && value->no_wrap) {
        value = value->args[0];
    }
    if (value->op != IR_OP_ADD || !value->no_wrap || !invariant_in_task(value->args[0], task)) {
        return false;
    }
    const struct ir_inst *iter = value->args[1]->op == IR_OP_TRUNC ? value->args[1]->args[0] : value->args[1];
    const struct ir_inst *init = value->args[0];
    *out_init = init->op == IR_OP_SEXT ? init->args[0] : init;
    return nest != NULL ? iter == nest : iter->op == IR_OP_ITER;
}

bool run_access(const struct ir_function *task, const struct ir_inst *pointer, struct run_access *out)
{
    assert(pointer->type == IR_PTR);
    if (pointer->op != IR_OP_INDEX || pointer->args[2]->op != IR_OP_CONST) {
        return false;
    }
    const struct ir_inst *nest = run_nest(task);
    if (!invariant_in_task(pointer->args[0], task) && !is_row(task, nest, pointer->args[0])) {
        return false;
    }
    const struct ir_inst *index = pointer->args[1];
    if (index->op == IR_OP_SEXT) {
        index = index->args[0];
    }
    *out = (struct run_access){.base = pointer->args[0], .size = pointer->args[2]->imm};
    bool is_sum =
        (index->op == IR_OP_ADD || index->op == IR_OP_SUB) && index->no_wrap && index->args[1]->op == IR_OP_CONST;
    if (is_sum && counts_iterations(task, nest, index->args[0], &out->init)) {
        out->distance = index->op == IR_OP_ADD ? index->args[1]->imm : -index->args[1]->imm;
    } else if (!counts_iterations(task, nest, index, &out->init)) {
        return false;
    }
    bool is_power = out->size > 0 && out->size <= RUN_BYTES && (out->size & (out->size - 1)) == 0;
    return is_power && out->distance > -RUN_LIMIT && out->distance < RUN_LIMIT;
}

// ---- tasks --------------------------------------------------------------------------------------------------------

static bool is_cheap_math(int64_t math, enum ir_type type)
{
    bool is_short = type == IR_F32 && (math == IR_MATH_EXP || math == IR_MATH_EXP2); // a dozen operations, no branch
    return is_short || math == IR_MATH_FABS || math == IR_MATH_FMIN || math == IR_MATH_FMAX ||
           math == IR_MATH_COPYSIGN || math == IR_MATH_SQRT || math == IR_MATH_FLOOR || math == IR_MATH_CEIL ||
           math == IR_MATH_TRUNC;
}

static bool is_light(const struct ir_inst *inst)
{
    if (ir_op_is_division(inst->op)) {
        return inst->args[1]->op == IR_OP_CONST;
    }
    switch (inst->op) {
    case IR_OP_MATH: return is_cheap_math(inst->imm, inst->type);
    case IR_OP_LOAD:
    case IR_OP_STORE: return !inst->is_volatile;
    case IR_OP_UPDATE: return !inst->atomic;
    case IR_OP_SET:
    case IR_OP_VUPDATE: return true;
    default: return ir_op_is_value(inst->op); // the divisions of a nest are done for many iterations at once
    }
}

// The operations that it is counted as: taking a loop's number off the nest's is two.
static int weight_of(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_NEST_ITER) {
        return inst->imm > 0 ? 2 : 1;
    }
    return inst->op != IR_OP_CONST && inst->op != IR_OP_PARAM && inst->op != IR_OP_GET;
}

struct tally {
    int count; // operations
    int contiguous;
    int other;
    int64_t least;
    bool has_stores;  // or updates that are not atomic, at the body's top
    bool has_control; // or atomic updates
};

static bool tally_access(const struct ir_function *task, const struct ir_inst *inst, struct tally *tally)
{
    assert(ir_op_is_element(inst->op));
    struct run_access access;
    const struct ir_inst *pointer = inst->args[0];
    if (run_access(task, pointer, &access) && access.size == ir_type_size(inst->type)) {
        tally->contiguous++;
        tally->least = access.size < tally->least ? access.size : tally->least;
        return true;
    }
    tally->other += !invariant_in_task(pointer, task);
    return inst->op == IR_OP_LOAD; // what is scattered stays as it is
}

static bool is_same_base(const struct ir_inst *a, const struct ir_inst *b)
{
    return a == b || (a->op == IR_OP_PARAM && b->op == IR_OP_PARAM && a->imm == b->imm) ||
           (a->op == IR_OP_ADDR_GLOBAL && b->op == IR_OP_ADDR_GLOBAL && a->global == b->global);
}

bool run_same(const struct ir_function *task, const struct ir_inst *load, const struct ir_inst *other)
{
    struct run_access a;
    struct run_access b;
    return load == other ||
           (load->type == other->type && run_access(task, load->args[0], &a) && run_access(task, other->args[0], &b) &&
            a.size == b.size && a.distance == b.distance && a.init == b.init && is_same_base(a.base, b.base));
}

static bool is_loaded_at_top(const struct ir_function *task, const struct ir_inst *load)
{
    for (const struct ir_inst *inst = task->body.first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_LOAD && run_same(task, inst, load)) {
            return true;
        }
    }
    return false;
}

// Under a condition nothing else is contiguous: only what every iteration accesses has its alignment looked at.
static bool is_light_region(const struct ir_function *task, const struct ir_region *region, struct tally *tally)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        struct run_access access;
        bool accesses = inst->op == IR_OP_LOAD || inst->op == IR_OP_UPDATE;
        bool is_atomic = inst->op == IR_OP_UPDATE && inst->atomic;
        tally->count += weight_of(inst);
        if (inst->region_count > 0 || inst->op == IR_OP_STORE || (inst->op == IR_OP_UPDATE && !is_atomic) ||
            (!is_atomic && !is_light(inst)) ||
            (accesses && run_access(task, inst->args[0], &access) && (is_atomic || !is_loaded_at_top(task, inst)))) {
            return false;
        }
    }
    return true;
}

static bool tally_control(const struct ir_function *task, const struct ir_inst *nest, const struct ir_inst *inst,
                          struct tally *tally)
{
    struct run_access access;
    tally->has_control = true;
    if (nest != NULL) {
        return false;
    }
    if (inst->op == IR_OP_UPDATE) {
        return !run_access(task, inst->args[0], &access);
    }
    return inst->op == IR_OP_IF && is_light_region(task, &inst->regions[0], tally) &&
           is_light_region(task, &inst->regions[1], tally);
}

static bool tally_body(const struct ir_function *task, struct tally *tally)
{
    const struct ir_inst *nest = run_nest(task);
    for (const struct ir_inst *inst = task->body.first; inst != NULL; inst = inst->next) {
        bool writes = inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
        tally->count += weight_of(inst);
        if (tally->count > RUN_INST_LIMIT) {
            return false; // each access looks through the body: a large one would take long to be refused
        }
        if (inst->region_count > 0 || (inst->op == IR_OP_UPDATE && inst->atomic)) {
            if (!tally_control(task, nest, inst, tally)) {
                return false;
            }
            continue;
        }
        tally->has_stores |= writes;
        bool uses_number = nest != NULL && inst->op == IR_OP_ITER; // nobody computes it where runs are taken
        if (uses_number || !is_light(inst) ||
            ((writes || inst->op == IR_OP_LOAD) && !tally_access(task, inst, tally))) {
            return false;
        }
    }
    return !(tally->has_control && tally->has_stores) && tally->count <= RUN_INST_LIMIT; // branches count, too
}

int run_length(const struct ir_function *task)
{
    struct tally tally = {.least = RUN_BYTES};
    bool is_ordered = task->accumulator_count > 0 && (run_nest(task) != NULL || !ir_merges(task));
    if (task->kind != IR_FUNCTION_TASK || task->is_serial || !task->assume_independent || is_ordered) {
        return 1;
    }
    for (int i = 0; i < task->var_count; i++) {
        if (task->vars[i]->is_memory) {
            return 1;
        }
    }
    if (!tally_body(task, &tally) || tally.contiguous == 0 || tally.other > tally.contiguous / 2) {
        return 1;
    }
    int64_t length = RUN_BYTES / tally.least;
    return (int)(length < RUN_LIMIT ? length : RUN_LIMIT);
}

static const struct ir_function *find_task(const struct ir_module *module, const char *name)
{
    for (int i = 0; i < module->function_count; i++) {
        if (strcmp(module->functions[i]->name, name) == 0) {
            return module->functions[i];
        }
    }
    return NULL;
}

void run_fill_plan(const struct ir_module *module, struct plan_module *plan)
{
    for (int i = 0; module->is_gpu && i < plan->kernel_count; i++) {
        struct plan_kernel *kernel = plan->kernels[i];
        for (int k = 0; k < kernel->task_count; k++) {
            struct plan_task *task = &kernel->tasks[k];
            const struct ir_function *ir = task->kind == PLAN_TASK_PARALLEL ? find_task(module, task->entry) : NULL;
            task->run = ir != NULL ? run_length(ir) : task->run;
        }
    }
}

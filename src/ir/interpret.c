#include "ir/interpret.h"

#include "ir/interpret_code.h"

#include <stdlib.h>
#include <string.h>

// ---- calls from outside --------------------------------------------------------------------------------------------

static void start_call(struct interp *interp)
{
    interp->has_failed = false;
    interp->iteration = -1;
    interp->steps_left = interp->options.step_limit != 0 ? interp->options.step_limit : UINT64_MAX;
    interp->poison_state = interp->options.poison;
}

static enum interp_outcome end_call(struct interp *interp, enum interp_outcome outcome)
{
    uint64_t limit = interp->options.step_limit != 0 ? interp->options.step_limit : UINT64_MAX;
    interp->step_count = limit - interp->steps_left;
    return outcome == INTERP_DONE && interp->has_failed ? INTERP_FAILED : outcome;
}

// What an instruction of a kernel's entry comes to, for these arguments.
static bool entry_value(const struct ir_function *kernel, const struct ir_inst *inst, const struct interp_arg *args,
                        union ir_value *out)
{
    union ir_value values[3] = {{0}};
    if (inst->op == IR_OP_CONST) {
        out->i = inst->imm;
        return true;
    }
    if (inst->op == IR_OP_PARAM && ir_type_is_int(kernel->params[inst->imm].type)) {
        out->i = ir_normalize(kernel->params[inst->imm].type, args[inst->imm].i);
        return true;
    }
    for (int i = 0; i < inst->arg_count && i < 3; i++) {
        if (!entry_value(kernel, inst->args[i], args, &values[i])) {
            return false;
        }
    }
    if (inst->op == IR_OP_SELECT) {
        *out = values[values[0].i != 0 ? 1 : 2];
        return true;
    }
    enum ir_type type = inst->arg_count > 0 ? inst->args[0]->type : inst->type;
    return inst->arg_count <= 3 && ir_op_is_foldable(inst->op) && ir_fold(inst->op, inst->type, type, values, out);
}

// The kernel's own arrays, where the caller gives no memory for them. False: there is none.
static bool make_scratch(struct interp *interp, struct interp_function *fn, const struct interp_arg *args)
{
    const struct ir_function *kernel = fn->function;
    for (int i = 0; i < kernel->param_count; i++) {
        const struct ir_param *param = &kernel->params[i];
        if (!param->is_scratch || args[i].p != NULL) {
            continue;
        }
        uint64_t size = param->ctype->size;
        for (int k = 0; k < param->rank; k++) {
            union ir_value extent = {0};
            if (!entry_value(kernel, param->extents[k], args, &extent) || extent.i < 0 ||
                __builtin_mul_overflow(size, (uint64_t)extent.i, &size) || size > INTERP_MAX_SCRATCH) {
                return false;
            }
        }
        unsigned char *memory = calloc(1, size + 1);
        struct interp_scratch *scratch = calloc(1, sizeof *scratch);
        if (memory == NULL || scratch == NULL) {
            free(memory);
            free(scratch);
            return false;
        }
        *scratch = (struct interp_scratch){interp->scratch, memory};
        interp->scratch = scratch;
        if (interp->options.poison != 0) {
            interp_fill(interp, memory, size);
        }
        fn->regs[fn->param_reg + i] = (uint64_t)(uintptr_t)memory;
    }
    return true;
}

static void drop_scratch(struct interp *interp)
{
    while (interp->scratch != NULL) {
        struct interp_scratch *next = interp->scratch->next;
        free(interp->scratch->memory);
        free(interp->scratch);
        interp->scratch = next;
    }
}

static void set_params(struct interp_function *fn, const struct interp_arg *args)
{
    const struct ir_function *owner = fn->function->kernel != NULL ? fn->function->kernel : fn->function;
    for (int i = 0; i < owner->param_count; i++) {
        enum ir_type type = owner->params[i].type;
        uint64_t value;
        if (type == IR_PTR) {
            value = (uint64_t)(uintptr_t)args[i].p;
        } else if (ir_type_is_float(type)) {
            value = interp_reg_of(type, (union ir_value){.f = args[i].f});
        } else {
            value = (uint64_t)ir_normalize(type, args[i].i);
        }
        fn->regs[fn->param_reg + i] = value;
    }
}

enum interp_outcome interp_kernel(struct interp *interp, const struct ir_function *kernel,
                                  const struct interp_arg *args, union ir_value *out_result)
{
    struct interp_function *fn = &interp->functions[interp_function_index(interp, kernel)];
    start_call(interp);
    interp_start_locals(interp, fn);
    set_params(fn, args);
    uint64_t result = 0;
    bool has_memory = make_scratch(interp, fn, args);
    enum interp_outcome outcome =
        end_call(interp, has_memory ? interp_run(interp, fn, fn->body_cell, &result) : INTERP_NO_MEMORY);
    drop_scratch(interp);
    if (out_result != NULL) {
        *out_result = interp_value_of(kernel->return_type, result);
    }
    return outcome;
}

// ---- tasks ---------------------------------------------------------------------------------------------------------

static void start_accumulators(struct interp_function *fn)
{
    const struct ir_function *function = fn->function;
    for (int i = 0; i < function->accumulator_count; i++) {
        const struct ir_inst *init = function->accumulators[i].init;
        union ir_value value = {.i = init->imm};
        if (init->op == IR_OP_FCONST) {
            value.f = init->fimm;
        }
        fn->regs[fn->var_reg + function->accumulators[i].var->index] = interp_reg_of(init->type, value);
    }
}

static void write_partial(const struct interp_function *fn, unsigned char *partial)
{
    const struct ir_function *function = fn->function;
    for (int i = 0; i < function->accumulator_count && partial != NULL; i++) {
        const struct ir_var *var = function->accumulators[i].var;
        memcpy(partial + function->accumulators[i].offset, &fn->regs[fn->var_reg + var->index],
               (size_t)ir_type_size(var->type));
    }
}

static enum interp_outcome run_iteration(struct interp *interp, struct interp_function *fn, int64_t iteration)
{
    interp->iteration = iteration;
    fn->regs[fn->iter_reg] = (uint64_t)iteration;
    if (interp->options.poison != 0) {
        for (int i = 0; i < fn->fresh.count; i++) {
            int reg = fn->fresh.items[i];
            fn->regs[reg] = interp_fresh_value(interp, fn->function->vars[reg - fn->var_reg]->type);
        }
        for (int i = 0; i < fn->fresh_memory.count; i++) {
            interp_fill(interp, fn->memory + fn->fresh_memory.items[i].offset, fn->fresh_memory.items[i].size);
        }
    }
    uint64_t unused = 0;
    return interp_run(interp, fn, fn->body_cell, &unused);
}

// The numbers 0 … count - 1 in an order that only the seed decides. NULL if memory runs out.
static int64_t *shuffled(int64_t count, uint64_t seed)
{
    int64_t *order = malloc(sizeof *order * (size_t)(count + 1));
    uint64_t state = seed;
    for (int64_t i = 0; order != NULL && i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t other = (int64_t)((state >> 11) % (uint64_t)(i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

static enum interp_outcome run_range(struct interp *interp, struct interp_function *fn,
                                     const struct interp_launch *launch)
{
    int64_t count = launch->hi > launch->lo ? launch->hi - launch->lo : 0;
    int64_t *order = NULL;
    if (launch->order == INTERP_SEEDED) {
        order = shuffled(count, launch->seed);
        if (order == NULL) {
            return INTERP_NO_MEMORY;
        }
    }
    enum interp_outcome outcome = INTERP_DONE;
    for (int64_t k = 0; k < count && (outcome == INTERP_DONE || outcome == INTERP_FAILED); k++) {
        int64_t place = order != NULL ? order[k] : launch->order == INTERP_BACKWARD ? count - 1 - k : k;
        outcome = run_iteration(interp, fn, launch->lo + place);
    }
    free(order);
    return outcome == INTERP_FAILED ? INTERP_DONE : outcome; // end_call knows of the failure
}

enum interp_outcome interp_task(struct interp *interp, const struct ir_function *task,
                                const struct interp_launch *launch)
{
    struct interp_function *fn = &interp->functions[interp_function_index(interp, task)];
    start_call(interp);
    interp_start_locals(interp, fn);
    set_params(fn, launch->args);
    fn->regs[fn->iter_count_reg] = (uint64_t)launch->iter_count;
    fn->regs[fn->partials_reg] = (uint64_t)(uintptr_t)launch->partials;
    for (int i = 0; i < fn->slots.count; i++) {
        fn->regs[fn->slots.items[i].reg] = (uint64_t)(uintptr_t)launch->block + (uint64_t)fn->slots.items[i].offset;
    }
    start_accumulators(fn);
    uint64_t unused = 0;
    enum interp_outcome outcome = interp_run(interp, fn, fn->prologue_cell, &unused);
    if (outcome != INTERP_DONE) {
        return end_call(interp, outcome);
    }
    if (task->kind == IR_FUNCTION_FINISH) {
        return end_call(interp, interp_run(interp, fn, fn->body_cell, &unused));
    }
    outcome = run_range(interp, fn, launch);
    write_partial(fn, launch->partials);
    interp_fill(interp, fn->memory, fn->memory_size); // a pointer to it is dead: what a later task reads there is wrong
    return end_call(interp, outcome);
}

const struct interp_failure *interp_failure(const struct interp *interp)
{
    return interp->has_failed ? &interp->failure : NULL;
}

uint64_t interp_step_count(const struct interp *interp)
{
    return interp->step_count;
}

// ---- life ----------------------------------------------------------------------------------------------------------

void interp_reset_globals(struct interp *interp)
{
    const struct ir_module *module = interp->module;
    for (int i = 0; i < module->global_count; i++) {
        const struct ir_global *global = module->globals[i];
        if (global->bytes != NULL) {
            memcpy(interp->globals[i], global->bytes, global->size);
        } else {
            memset(interp->globals[i], 0, global->size);
        }
        for (int k = 0; k < global->piece_count; k++) {
            memcpy(interp->globals[i] + global->pieces[k].offset, global->pieces[k].bytes, global->pieces[k].size);
        }
        for (int k = 0; k < global->reloc_count; k++) {
            const struct ir_reloc *reloc = &global->relocs[k];
            uint64_t address = (uint64_t)(uintptr_t)interp->globals[reloc->target->index] + (uint64_t)reloc->addend;
            memcpy(interp->globals[i] + reloc->offset, &address, sizeof address);
        }
    }
}

static bool create_globals(struct interp *interp)
{
    const struct ir_module *module = interp->module;
    interp->globals = ARENA_ARRAY(&interp->arena, unsigned char *, module->global_count + 1);
    for (int i = 0; i < module->global_count; i++) {
        const struct ir_global *global = module->globals[i];
        void *memory = NULL;
        size_t align = global->align < 16 ? 16 : global->align;
        if (global->size > (UINT64_C(1) << 40) || posix_memalign(&memory, align, global->size + 1) != 0) {
            return false;
        }
        interp->globals[i] = memory;
    }
    interp_reset_globals(interp);
    return true;
}

static bool create_functions(struct interp *interp)
{
    const struct ir_module *module = interp->module;
    interp->functions = ARENA_ARRAY(&interp->arena, struct interp_function, module->function_count + 1);
    for (int i = 0; i < module->function_count; i++) {
        interp->functions[i].function = module->functions[i];
    }
    for (int i = 0; i < module->function_count; i++) {
        interp_compile(interp, &interp->functions[i]);
    }
    return true;
}

// Everything that may run out of memory; nothing is taken from the arena later.
static bool fill(struct interp *interp)
{
    jmp_buf escape;
    if (setjmp(escape) != 0) {
        return false;
    }
    interp->arena.escape = &escape;
    bool is_complete = create_globals(interp) && create_functions(interp);
    interp->arena.escape = NULL;
    return is_complete;
}

struct interp *interp_create(const struct ir_module *module, const struct interp_options *options)
{
    struct interp *interp = calloc(1, sizeof *interp);
    if (interp == NULL) {
        return NULL;
    }
    arena_init(&interp->arena);
    interp->module = module;
    if (options != NULL) {
        interp->options = *options;
    }
    if (!fill(interp)) {
        interp_destroy(interp);
        return NULL;
    }
    return interp;
}

void interp_destroy(struct interp *interp)
{
    if (interp == NULL) {
        return;
    }
    for (int i = 0; interp->functions != NULL && i < interp->module->function_count; i++) {
        free(interp->functions[i].memory);
    }
    for (int i = 0; interp->globals != NULL && i < interp->module->global_count; i++) {
        free(interp->globals[i]);
    }
    arena_finish(&interp->arena);
    free(interp);
}

void *interp_global_address(const struct interp *interp, const struct ir_global *global)
{
    return interp->globals[global->index];
}

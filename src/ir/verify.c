#include "ir/verify.h"

#include "base/hash.h"
#include "ir/assignment.h"
#include "ir/walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { ERROR_LIMIT = 50, DEPTH_LIMIT = VERIFY_DEPTH_LIMIT };

void ir_verify_error(struct verifier *v, const struct ir_inst *inst, const char *format, ...)
{
    if (v->error_count++ >= ERROR_LIMIT) {
        return;
    }
    if (v->function != NULL) {
        str_printf(v->out, "function '%s': ", v->function->name != NULL ? v->function->name : "?");
    }
    if (inst != NULL && inst->id >= 0) {
        str_printf(v->out, "%%%d (%s): ", inst->id, ir_op_name(inst->op));
    } else if (inst != NULL) {
        str_printf(v->out, "%s at line %" PRIu32 ": ", ir_op_name(inst->op), inst->loc.line);
    }
    va_list args;
    va_start(args, format);
    str_add(v->out, arena_vprintf(v->out->arena, format, args));
    va_end(args);
    str_add_char(v->out, '\n');
}

bool ir_verify_owns_var(const struct verifier *v, const struct ir_var *var)
{
    return var != NULL && var->index >= 0 && var->index < v->function->var_count &&
           v->function->vars[var->index] == var;
}

bool ir_verify_owns_function(const struct verifier *v, const struct ir_function *function)
{
    for (int i = 0; i < v->module->function_count; i++) {
        if (v->module->functions[i] == function) {
            return true;
        }
    }
    return false;
}

// ---- instructions and regions --------------------------------------------------------------------------------------

// A variable that belongs to an iteration is not touched outside its loop, and nobody but the loop writes its counter.
static void verify_var_use(struct verifier *v, const struct ir_inst *inst)
{
    const struct ir_var *var = inst->op == IR_OP_FOR ? (inst->loop != NULL ? inst->loop->var : NULL) : inst->var;
    if (var == NULL) {
        return;
    }
    if (var->scope != NULL && !ir_verify_encloses(var->scope, inst)) {
        ir_verify_error(v, inst, "variable '%s' is used outside the loop it belongs to", var->name);
    }
    if (assignment_target(inst) == NULL) {
        return;
    }
    int depth = 0;
    for (const struct ir_region *r = inst->parent; r != NULL && r->owner != NULL && depth < DEPTH_LIMIT; depth++) {
        if (r->owner->op == IR_OP_FOR && r->owner->loop != NULL && r->owner->loop->var == var) {
            ir_verify_error(v, inst, "writes the counter '%s' of an enclosing for", var->name);
        }
        r = r->owner->parent;
    }
}

static bool verify_args(struct verifier *v, const struct ir_inst *inst)
{
    int wanted = inst->op == IR_OP_FOR ? 2 : ir_op_arg_count(inst->op);
    if (wanted >= 0 && inst->arg_count != wanted) {
        ir_verify_error(v, inst, "has %d operands, must have %d", inst->arg_count, wanted);
        return false;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        const struct ir_inst *arg = inst->args[i];
        if (arg == NULL) {
            ir_verify_error(v, inst, "operand %d is missing", i);
            return false;
        }
        if (arg->id < 0 || arg->id >= v->function->value_count) {
            ir_verify_error(v, inst, "operand %d (%s) has no value", i, ir_op_name(arg->op));
            return false;
        }
        if (v->defined[arg->id] != arg) {
            ir_verify_error(v, inst, "operand %d, %%%d, is not in scope", i, arg->id);
            return false;
        }
    }
    return true;
}

static void verify_result(struct verifier *v, const struct ir_inst *inst)
{
    bool has_result = ir_has_result(inst);
    if (has_result != (inst->id >= 0)) {
        ir_verify_error(v, inst, has_result ? "its value has no number" : "has a number but no value");
    } else if (has_result && inst->id >= v->function->value_count) {
        ir_verify_error(v, inst, "its number is beyond the function's %d", v->function->value_count);
    } else if (has_result && v->seen[inst->id]) {
        ir_verify_error(v, inst, "another value has the same number");
    } else if (has_result && inst->type == IR_VOID) {
        ir_verify_error(v, inst, "its value has no type");
    } else if (has_result) {
        v->defined[inst->id] = inst;
        v->seen[inst->id] = true;
    }
}

static void verify_region(struct verifier *v, const struct ir_region *region, const struct ir_inst *owner, int depth);

static void verify_inst(struct verifier *v, const struct ir_inst *inst, int depth)
{
    if ((unsigned)inst->op >= IR_OP_COUNT || (unsigned)inst->type > IR_PTR) {
        ir_verify_error(v, inst, "there is no such operation or type");
        return;
    }
    if (ir_op_is_terminator(inst->op) && inst->next != NULL) {
        ir_verify_error(v, inst, "must be the last of its region");
    }
    if (verify_args(v, inst)) {
        ir_verify_op(v, inst);
        ir_verify_control(v, inst);
        verify_var_use(v, inst);
    }
    const struct ir_inst *outer_blocks = v->blocks;
    v->blocks = inst->op == IR_OP_BLOCKS ? inst : outer_blocks;
    for (int i = 0; i < inst->region_count; i++) {
        verify_region(v, &inst->regions[i], inst, depth + 1);
    }
    v->blocks = outer_blocks;
    verify_result(v, inst);
}

// Forgets the region's values: nothing outside it may use them.
static void leave_scope(struct verifier *v, const struct ir_region *region)
{
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->id >= 0 && inst->id < v->function->value_count && v->defined[inst->id] == inst) {
            v->defined[inst->id] = NULL;
        }
    }
}

static void verify_insts(struct verifier *v, const struct ir_region *region, const struct ir_inst *owner, int depth)
{
    if (depth > DEPTH_LIMIT) {
        ir_verify_error(v, owner, "regions are nested too deeply");
        return;
    }
    if (region->owner != owner) {
        ir_verify_error(v, owner, "a region does not name its owner");
        return;
    }
    const struct ir_inst *prev = NULL;
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->parent != region || inst->prev != prev) {
            ir_verify_error(v, inst, "is not linked into its region");
            return;
        }
        verify_inst(v, inst, depth);
        prev = inst;
    }
    if (region->last != prev) {
        ir_verify_error(v, owner, "a region's last instruction is not its last");
    }
}

static void verify_region(struct verifier *v, const struct ir_region *region, const struct ir_inst *owner, int depth)
{
    verify_insts(v, region, owner, depth);
    leave_scope(v, region);
}

// ---- functions -----------------------------------------------------------------------------------------------------

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool is_loop_of(const struct ir_function *function, const struct ir_inst *inst)
{
    if (inst->op != IR_OP_FOR && inst->op != IR_OP_LOOP && inst->op != IR_OP_BLOCKS) {
        return false;
    }
    for (int depth = 0; depth < DEPTH_LIMIT && inst->parent != NULL; depth++) {
        if (inst->parent->owner == NULL) {
            return inst->parent == &function->body || inst->parent == &function->prologue;
        }
        inst = inst->parent->owner;
    }
    return false;
}

static void verify_vars(struct verifier *v)
{
    for (int i = 0; i < v->function->var_count; i++) {
        const struct ir_var *var = v->function->vars[i];
        if (var == NULL || var->name == NULL) {
            ir_verify_error(v, NULL, "variable %d has no name", i);
            continue;
        }
        if (var->index != i) {
            ir_verify_error(v, NULL, "variable '%s' is number %d, says %d", var->name, i, var->index);
        }
        if (var->is_memory ? var->type != IR_VOID || !is_power_of_two(var->align)
                           : var->type == IR_VOID || var->type > IR_PTR) {
            ir_verify_error(v, NULL, "variable '%s' is neither a scalar with a type nor memory with an alignment",
                            var->name);
        }
        if (var->slot < -1) {
            ir_verify_error(v, NULL, "variable '%s' has slot %" PRId64, var->name, var->slot);
        }
        if (var->scope != NULL && !is_loop_of(v->function, var->scope)) {
            ir_verify_error(v, NULL, "the scope of variable '%s' is no loop of this function", var->name);
        }
    }
}

static void verify_extents(struct verifier *v, const struct ir_param *param)
{
    for (int i = 0; i < param->rank; i++) {
        const struct ir_inst *extent = param->extents[i];
        if (extent == NULL || extent->type != IR_I64 || extent->parent != &v->function->body) {
            ir_verify_error(v, NULL, "extent %d of parameter '%s' is no i64 of the kernel's entry", i, param->name);
        }
    }
    if (param->rank > 0 && (!param->is_array || v->function->kind != IR_FUNCTION_KERNEL)) {
        ir_verify_error(v, NULL, "parameter '%s' has extents and is no array of a kernel", param->name);
    }
    if (param->is_result && (!param->is_scratch || v->function->return_ctype == NULL)) {
        ir_verify_error(v, NULL, "parameter '%s' takes what the kernel returns, which returns nothing", param->name);
    }
    if (param->is_scratch && param->rank == 0) {
        ir_verify_error(v, NULL, "parameter '%s' is lent by the launch and has no extents", param->name);
    }
}

static void verify_counts(struct verifier *v, const struct ir_param *param)
{
    const struct ir_function *function = v->function;
    if (param->counts == 0) {
        return;
    }
    bool is_known = param->counts > 0 && param->counts <= param - function->params;
    const struct ir_param *pointer = is_known ? &function->params[param->counts - 1] : NULL;
    if (param->type != IR_I64 || function->kind != IR_FUNCTION_KERNEL || pointer == NULL || !pointer->is_array) {
        ir_verify_error(v, NULL, "parameter '%s' counts the elements of no pointer of a kernel", param->name);
    }
}

static void verify_params(struct verifier *v)
{
    for (int i = 0; i < v->function->param_count; i++) {
        const struct ir_param *param = &v->function->params[i];
        if (param->name == NULL) {
            ir_verify_error(v, NULL, "parameter %d has no name", i);
            continue;
        }
        if (param->type == IR_VOID || param->type > IR_PTR) {
            ir_verify_error(v, NULL, "parameter '%s' has no type", param->name);
        }
        if ((param->is_struct || param->is_array) && (param->type != IR_PTR || (param->is_struct && param->is_array))) {
            ir_verify_error(v, NULL, "parameter '%s' must be a ptr, to one struct or to an array", param->name);
        }
        verify_extents(v, param);
        verify_counts(v, param);
    }
}

// What says how two accumulators are made one.
static void verify_merge(struct verifier *v, const struct ir_accumulator *a)
{
    const struct ir_function *function = v->function;
    if (a->merge != IR_UPDATE_NONE && !ir_update_fits(a->merge, a->var->type)) {
        ir_verify_error(v, NULL, "accumulator '%s' cannot be merged by %s", a->var->name, ir_update_name(a->merge));
    }
    bool is_there = a->chosen >= 0 && a->chosen <= function->accumulator_count && a->leader >= 0 &&
                    a->leader < function->accumulator_count;
    bool is_good = is_there && (a->chosen == 0 || function->accumulators[a->chosen - 1].choice != IR_CHOICE_NONE) &&
                   (a->choice == IR_CHOICE_NONE || a->var->type == IR_I64) &&
                   (a->choice != IR_CHOICE_BETTER || ir_op_is_compare(a->better));
    if (!is_good) {
        ir_verify_error(v, NULL, "accumulator '%s' is not chosen by an iteration", a->var->name);
    }
}

static void verify_accumulators(struct verifier *v)
{
    const struct ir_function *function = v->function;
    if (function->accumulator_count > 0 && function->kind != IR_FUNCTION_TASK) {
        ir_verify_error(v, NULL, "has accumulators and is no task");
    }
    for (int i = 0; i < function->accumulator_count; i++) {
        const struct ir_accumulator *a = &function->accumulators[i];
        if (!ir_verify_owns_var(v, a->var) || a->var->is_memory) {
            ir_verify_error(v, NULL, "accumulator %d is no scalar of this function", i);
            continue;
        }
        const struct ir_inst *init = a->init;
        if (init == NULL || init->type != a->var->type || (init->op != IR_OP_CONST && init->op != IR_OP_FCONST)) {
            ir_verify_error(v, NULL, "accumulator '%s' does not start with a constant of its type", a->var->name);
        }
        uint64_t size = (uint64_t)ir_type_size(a->var->type);
        if (size == 0 || a->offset % size != 0 || function->partial_size < size ||
            a->offset > function->partial_size - size) {
            ir_verify_error(v, NULL, "accumulator '%s' does not fit the partial record", a->var->name);
        }
        verify_merge(v, a);
    }
}

static void verify_kind(struct verifier *v)
{
    const struct ir_function *function = v->function;
    bool is_piece = function->kind == IR_FUNCTION_TASK || function->kind == IR_FUNCTION_FINISH;
    if (!is_piece) {
        if (function->prologue.first != NULL) {
            ir_verify_error(v, NULL, "has a prologue and is no task or finish");
        }
        return;
    }
    if (function->kernel == NULL || !ir_verify_owns_function(v, function->kernel) ||
        function->kernel->kind != IR_FUNCTION_KERNEL) {
        ir_verify_error(v, NULL, "is a piece of no kernel of this module");
    }
    if (function->return_type != IR_VOID || function->param_count != 0) {
        ir_verify_error(v, NULL, "a task or finish has neither parameters nor a result");
    }
    const struct ir_inst *count = function->count;
    if (count != NULL && (function->is_serial || count->type != IR_I64 || count->parent != &function->prologue)) {
        ir_verify_error(v, NULL, "its number of iterations is no i64 of its prologue");
    }
    if (function->is_serial && function->assume_independent) {
        ir_verify_error(v, NULL, "is serial and assumes independent iterations");
    }
}

static void verify_function(struct verifier *v, const struct ir_function *function)
{
    v->function = function;
    v->blocks = NULL;
    v->defined = ARENA_ARRAY(v->out->arena, const struct ir_inst *, function->value_count + 1);
    v->seen = ARENA_ARRAY(v->out->arena, bool, function->value_count + 1);
    int errors = v->error_count;
    verify_vars(v);
    verify_params(v);
    verify_kind(v);
    verify_accumulators(v);
    if (v->error_count != errors) {
        return; // the body's checks take the tables as good
    }
    v->in_prologue = true;
    verify_insts(v, &function->prologue, NULL, 0); // its values stay in scope in the body
    v->in_prologue = false;
    verify_region(v, &function->body, NULL, 0);
}

// ---- the module ----------------------------------------------------------------------------------------------------

static void verify_global(struct verifier *v, int index)
{
    const struct ir_global *global = v->module->globals[index];
    if (global->name == NULL || global->index != index || !is_power_of_two(global->align)) {
        ir_verify_error(v, NULL, "global %d has no name, another index or no alignment", index);
        return;
    }
    for (int i = 0; i < global->reloc_count; i++) {
        const struct ir_reloc *reloc = &global->relocs[i];
        if (global->size < 8 || reloc->offset > global->size - 8) {
            ir_verify_error(v, NULL, "global '%s': pointer %d lies outside it", global->name, i);
        }
        const struct ir_global *target = reloc->target;
        if (target == NULL || target->index < 0 || target->index >= v->module->global_count ||
            v->module->globals[target->index] != target) {
            ir_verify_error(v, NULL, "global '%s': pointer %d points to no global of this module", global->name, i);
        }
    }
    if (global->reloc_count > 0 && global->bytes == NULL) {
        ir_verify_error(v, NULL, "global '%s' holds pointers and has no bytes", global->name);
    }
    if (global->piece_count > 0 && global->bytes != NULL) {
        ir_verify_error(v, NULL, "global '%s' has bytes and pieces", global->name);
    }
    uint64_t end = 0;
    for (int i = 0; i < global->piece_count; i++) {
        const struct ir_piece *piece = &global->pieces[i];
        if (piece->size == 0 || piece->offset < end || piece->offset > global->size ||
            piece->size > global->size - piece->offset) {
            ir_verify_error(v, NULL, "global '%s': piece %d is empty, out of order or outside it", global->name, i);
            return;
        }
        end = piece->offset + piece->size;
    }
}

static void verify_names(struct verifier *v)
{
    struct hash_map names;
    hash_map_init(&names, v->out->arena);
    for (int i = 0; i < v->module->function_count; i++) {
        const char *name = v->module->functions[i]->name;
        if (name == NULL) {
            ir_verify_error(v, NULL, "function %d has no name", i);
        } else if (hash_map_get(&names, name, strlen(name)) != NULL) {
            ir_verify_error(v, NULL, "two functions are named '%s'", name);
        } else {
            hash_map_set(&names, name, strlen(name), v->module->functions[i]);
        }
    }
}

enum { UNSEEN, OPEN, DONE };

static bool calls_itself(struct verifier *v, int index, uint8_t *states);

static bool region_calls(struct verifier *v, const struct ir_region *region, uint8_t *states)
{
    WALK (inst, region) {
        for (int i = 0; i < v->module->function_count && inst->op == IR_OP_CALL; i++) {
            if (v->module->functions[i] == inst->function && calls_itself(v, i, states)) {
                return true;
            }
        }
    }
    return false;
}

static bool calls_itself(struct verifier *v, int index, uint8_t *states)
{
    if (states[index] != UNSEEN) {
        return states[index] == OPEN;
    }
    states[index] = OPEN;
    const struct ir_function *function = v->module->functions[index];
    bool found = region_calls(v, &function->prologue, states) || region_calls(v, &function->body, states);
    states[index] = DONE;
    return found;
}

bool ir_verify(const struct ir_module *module, struct str *out)
{
    struct verifier v = {.module = module, .out = out};
    for (int i = 0; i < module->global_count; i++) {
        verify_global(&v, i);
    }
    verify_names(&v);
    for (int i = 0; i < module->function_count; i++) {
        verify_function(&v, module->functions[i]);
    }
    v.function = NULL;
    if (v.error_count == 0) {
        uint8_t *states = ARENA_ARRAY(out->arena, uint8_t, module->function_count + 1);
        for (int i = 0; i < module->function_count; i++) {
            if (calls_itself(&v, i, states)) {
                ir_verify_error(&v, NULL, "function '%s' calls itself", module->functions[i]->name);
                break;
            }
        }
    }
    if (v.error_count > ERROR_LIMIT) {
        str_printf(out, "and %d more\n", v.error_count - ERROR_LIMIT);
    }
    return v.error_count == 0;
}

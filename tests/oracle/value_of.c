// What an instruction gives, or an expression of the plan.
#include "value.h"

#include "ir/assignment.h"
#include "ir/points_to.h"
#include "ir/walk.h"

#include <assert.h>

enum { FAR_APART = 44 };    // bits: arrays of the launch lie this far from each other
enum { ONE_MEMORY = 1000 }; // the number of a parameter that no kernel has
enum { SYMBOL_RANGE = 40 }; // what a number may be that nobody knows

static struct value integer(const struct walk *walk, enum ir_type type, int64_t number)
{
    if (type == IR_I1) {
        isl_space *space = walk_space(walk);
        return value_truth(number != 0 ? isl_set_universe(space) : isl_set_empty(space));
    }
    return ir_type_is_int(type) ? value_constant(walk, number) : (struct value){0};
}

// A number that nobody knows but that stays the same in the nest.
static struct value symbol(struct walk *walk, enum ir_type type, const char *kind, int number)
{
    if (!ir_type_is_int(type) || type == IR_I1) {
        return (struct value){0};
    }
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, number);
    isl_id *id = isl_id_alloc(walk->ctx, name, NULL);
    isl_set *anywhere = isl_set_universe(walk_space(walk));
    isl_pw_aff *value = isl_pw_aff_param_on_domain_id(anywhere, id);
    struct walk outside = {.ctx = walk->ctx};
    isl_pw_aff *alone =
        isl_pw_aff_param_on_domain_id(isl_set_universe(walk_space(&outside)), isl_id_alloc(walk->ctx, name, NULL));
    isl_set *low = isl_pw_aff_ge_set(isl_pw_aff_copy(alone), value_number_at(&outside, -SYMBOL_RANGE));
    isl_set *high = isl_pw_aff_le_set(alone, value_number_at(&outside, SYMBOL_RANGE));
    walk->context = isl_set_intersect(walk->context, isl_set_params(isl_set_intersect(low, high)));
    return value_number(value, -SYMBOL_RANGE, SYMBOL_RANGE, 1);
}

static bool is_in_nest(const struct ir_inst *inst)
{
    for (const struct ir_inst *owner = inst->parent->owner; owner != NULL; owner = owner->parent->owner) {
        if (owner->op == IR_OP_FOR) {
            return true;
        }
    }
    return false;
}

// The only assignment of a variable, if it has surely been made where |at| stands; NULL: there is no such one.
static const struct ir_inst *only_set(const struct walk *walk, const struct ir_var *var, const struct ir_inst *at)
{
    const struct ir_inst *set = NULL;
    WALK (inst, &walk->kernel->body) {
        bool assigns = (ir_op_sets(inst->op) && inst->var == var) || (inst->op == IR_OP_FOR && inst->loop->var == var);
        if (assigns && (set != NULL || inst->op != IR_OP_SET)) {
            return NULL;
        }
        set = assigns ? inst : set;
    }
    while (set != NULL && at != NULL && at->parent != set->parent) {
        at = at->parent->owner;
    }
    for (; set != NULL && at != NULL; at = at->prev) {
        if (at == set) {
            return set;
        }
    }
    return NULL;
}

static struct value variable(struct walk *walk, const struct ir_var *var, const struct ir_inst *at)
{
    for (int i = walk->depth - 1; i >= 0; i--) {
        if (walk->loops[i]->loop->var == var) {
            return value_number(walk_variable(walk, i), walk->lows[i], walk->highs[i], walk->multiples[i]);
        }
    }
    const struct ir_inst *set = only_set(walk, var, at);
    if (set != NULL) {
        return value_of(walk, set->args[0]);
    }
    bool is_kept = !var->is_memory && (walk->depth == 0 || !assignment_is_in(walk->loops[0], var));
    return is_kept ? symbol(walk, var->type, "v", var->index) : (struct value){0};
}

static struct value address(int base, isl_pw_aff *offset)
{
    struct value value = value_number(offset, 0, 0, 0);
    value.kind = VALUE_ADDRESS;
    value.base = base;
    return value;
}

// An index outside of its extent leaves everything open: such iterations do not count.
static void stay_inside(struct walk *walk, const struct value *index, const struct ir_inst *extent)
{
    struct value limit = value_of(walk, extent);
    if (walk->inside != NULL && limit.kind == VALUE_NUMBER && limit.low >= 0) {
        isl_set *above = isl_pw_aff_ge_set(isl_pw_aff_copy(index->number), value_number_at(walk, 0));
        isl_set *below = isl_pw_aff_lt_set(isl_pw_aff_copy(index->number), isl_pw_aff_copy(limit.number));
        walk->inside = isl_set_intersect(walk->inside, isl_set_intersect(above, below));
    }
    value_finish(&limit);
}

static struct value moved(struct walk *walk, const struct ir_inst *inst)
{
    struct value base = value_of(walk, inst->args[0]);
    struct value by = inst->op == IR_OP_OFFSET ? value_constant(walk, inst->imm) : (struct value){0};
    if (inst->op == IR_OP_INDEX) {
        struct value index = value_of(walk, inst->args[1]), size = value_of(walk, inst->args[2]);
        if (index.kind == VALUE_NUMBER && size.kind == VALUE_NUMBER) {
            by = value_product(walk, &index, &size);
            stay_inside(walk, &index, inst->args[3]);
        }
        value_finish(&index);
        value_finish(&size);
    }
    struct value result = {.kind = base.kind == VALUE_ADDRESS ? VALUE_ADDRESS : VALUE_UNKNOWN, .base = base.base};
    if (base.kind == VALUE_ADDRESS && base.number != NULL && by.kind == VALUE_NUMBER) {
        result = value_sum(&base, &by, false);
        result.kind = VALUE_ADDRESS;
        result.base = base.base;
    }
    value_finish(&base);
    value_finish(&by);
    return result;
}

static struct value parameter(struct walk *walk, int index, enum ir_type type)
{
    const struct ir_param *param = &walk->kernel->params[index];
    if (param->is_array && !param->is_restrict && walk->places != NULL) { // in a memory that stands for all of them
        struct value value = address(base_make(BASE_PARAM, ONE_MEMORY), value_number_at(walk, walk->places[index]));
        value.low = value.high = value.multiple = walk->places[index];
        return value;
    }
    if (param->is_array || param->is_struct) {
        return address(base_make(BASE_PARAM, index), value_number_at(walk, 0));
    }
    return integer(walk, type, walk->arguments[index]);
}

static struct value as_integer(struct walk *walk, const struct value *pointer)
{
    if (pointer->kind != VALUE_ADDRESS || pointer->number == NULL || base_kind(pointer->base) != BASE_PARAM) {
        return (struct value){0};
    }
    int64_t place = ((int64_t)base_index(pointer->base) + 1) << FAR_APART;
    return value_number(isl_pw_aff_add(isl_pw_aff_copy(pointer->number), value_number_at(walk, place)),
                        value_add_limits(pointer->low, place), value_add_limits(pointer->high, place), 1);
}

static struct value computed(struct walk *walk, const struct ir_inst *inst)
{
    struct value args[3] = {{0}}, result = {0};
    int count = ir_op_arg_count(inst->op);
    if (count < 1 || count > 3) {
        return result;
    }
    for (int i = 0; i < count; i++) {
        args[i] = value_of(walk, inst->args[i]);
    }
    enum ir_type from = inst->args[count == 3 ? 1 : 0]->type;
    result = inst->op == IR_OP_PTRTOINT ? as_integer(walk, &args[0])
                                        : value_operation(walk, inst->op, inst->type, from, args);
    for (int i = 0; i < count; i++) {
        value_finish(&args[i]);
    }
    return result;
}

struct value value_of(struct walk *walk, const struct ir_inst *inst)
{
    struct value result = {0};
    if (walk->budget-- <= 0) {
        return result;
    }
    switch (inst->op) {
    case IR_OP_CONST: return integer(walk, inst->type, inst->imm);
    case IR_OP_FCONST: return value_real(walk, inst->fimm);
    case IR_OP_PARAM: return parameter(walk, (int)inst->imm, inst->type);
    case IR_OP_GET: return variable(walk, inst->var, inst);
    case IR_OP_ADDR_VAR:
    case IR_OP_ADDR_GLOBAL: return address(base_beginning_at(inst), value_number_at(walk, 0));
    case IR_OP_INDEX:
    case IR_OP_OFFSET: return moved(walk, inst);
    default: break;
    }
    if (ir_op_is_pure(inst->op)) {
        result = computed(walk, inst);
    }
    // What was given up may depend on addresses, of which the launch's tests know more than that they stay the same.
    bool is_given_up = walk->budget <= 0;
    if (result.kind == VALUE_UNKNOWN && !is_given_up && inst->id >= 0 && !is_in_nest(inst)) {
        return symbol(walk, inst->type, "s", inst->id);
    }
    return result;
}

int64_t value_size_of(struct walk *walk, const struct ir_param *param)
{
    int64_t size = param->ctype != NULL && param->ctype->size > 0 ? (int64_t)param->ctype->size : 4;
    for (int i = 0; i < param->rank; i++) {
        walk->budget = 1000;
        struct value extent = value_of(walk, param->extents[i]);
        size *= extent.kind == VALUE_NUMBER && extent.low > 0 && extent.low < 10000 ? extent.low : 1;
        value_finish(&extent);
    }
    return param->rank > 0 ? size : 64 * size;
}

struct value value_of_expr(struct walk *walk, const struct plan_expr *expr, const struct ir_inst *at)
{
    struct value args[3] = {{0}}, result = {0};
    switch (expr->kind) {
    case PLAN_EXPR_CONST:
        return ir_type_is_float(expr->type) ? value_real(walk, expr->fimm) : integer(walk, expr->type, expr->imm);
    case PLAN_EXPR_PARAM:
        result = parameter(walk, expr->index, expr->type);
        if (result.kind == VALUE_ADDRESS) {
            struct value place = walk->kernel->params[expr->index].is_array ? as_integer(walk, &result) : args[0];
            value_finish(&result);
            return place;
        }
        return result;
    case PLAN_EXPR_VAR: return variable(walk, walk->kernel->vars[expr->index], at);
    case PLAN_EXPR_OP: break;
    default: return result;
    }
    assert(expr->arg_count <= 3);
    for (int i = 0; i < expr->arg_count; i++) {
        args[i] = value_of_expr(walk, expr->args[i], at);
    }
    result = value_operation(walk, expr->op, expr->type, expr->arg_type, args);
    for (int i = 0; i < 3; i++) {
        value_finish(&args[i]);
    }
    return result;
}

// What the body of a loop assigns, and which variables it moves by the same amount each time.
#include "analysis/values/evaluate.h"

#include <assert.h>

static struct assignments *none_assigned(struct frame *frame)
{
    size_t size = sizeof(struct assignments) * (size_t)(frame->function->var_count + 1);
    return memset(poly_alloc(&frame->an->scratch, size), 0, size);
}

struct assignments *access_find_assigned(struct frame *frame, const struct ir_inst *inst)
{
    struct assignments *vars = none_assigned(frame);
    for (int i = 0; i < inst->region_count; i++) {
        assignments_add(&inst->regions[i], vars);
    }
    return vars;
}

struct assignments *access_find_assigned_in(struct frame *frame, const struct ir_region *region)
{
    struct assignments *vars = none_assigned(frame);
    assignments_add(region, vars);
    return vars;
}

// ---- variables that move by the same amount ------------------------------------------------------------------------

// p = p + c with a constant c: the pointer, moved by c elements for each iteration before this one.
static const struct sym *moved_pointer(struct analysis *an, const struct loop_info *info, const struct ir_inst *set,
                                       const struct sym *before)
{
    const struct ir_inst *index = set->args[0];
    if (index->op != IR_OP_INDEX || index->args[0]->op != IR_OP_GET || index->args[0]->var != set->var ||
        index->args[1]->op != IR_OP_CONST || index->args[2]->op != IR_OP_CONST) {
        return NULL;
    }
    struct sym *moved = sym_create(an, 1);
    struct sym_alt *alt = &moved->alts[0];
    *alt = before->alts[0];
    alt->dims = ARENA_ARRAY(an->arena, struct sym_dim, alt->dim_count + 1);
    for (int i = 0; i < alt->dim_count; i++) {
        alt->dims[i] = before->alts[0].dims[i];
    }
    const struct poly *way = poly_scale(&an->pool, poly_atom(&an->pool, info->count), index->args[1]->imm);
    struct sym_dim *last = alt->dim_count > 0 ? &alt->dims[alt->dim_count - 1] : NULL;
    int64_t stride;
    if (last != NULL && poly_is_const(last->stride, &stride) && stride == index->args[2]->imm) {
        last->index = poly_add(&an->pool, last->index, way);
        last->extent = NULL;
    } else {
        alt->dims[alt->dim_count++] = (struct sym_dim){way, poly_const(&an->pool, index->args[2]->imm), NULL};
    }
    return moved;
}

// What the instruction adds to its variable (or takes from it); NULL if it does something else.
static const struct ir_inst *amount_of(const struct ir_inst *inst, bool *out_minus)
{
    if (inst->op == IR_OP_VUPDATE) {
        *out_minus = inst->update == IR_UPDATE_SUB;
        return ir_update_kind(inst->update) == IR_UPDATE_KIND_SUM ? inst->args[0] : NULL;
    }
    if (inst->op != IR_OP_SET) {
        return NULL;
    }
    const struct ir_inst *sum = inst->args[0];
    *out_minus = sum->op == IR_OP_SUB;
    bool is_sum = (sum->op == IR_OP_ADD || *out_minus) && sum->args[0]->op == IR_OP_GET;
    return is_sum && sum->args[0]->var == inst->var ? sum->args[1] : NULL;
}

// An amount that is the same in each iteration: a constant, a parameter, or a variable that the loop does not assign.
static const struct poly *fixed_value(struct frame *frame, const struct assignments *vars, const struct ir_inst *amount)
{
    const struct sym *sym = NULL;
    if (amount->op == IR_OP_CONST) {
        return poly_const(&frame->an->pool, amount->imm);
    }
    if (amount->op == IR_OP_GET && vars[amount->var->index].first == NULL) {
        sym = var_values_get(&frame_env(frame)->values, amount->var->index);
    } else if (amount->op == IR_OP_PARAM && frame->params == NULL) {
        sym = access_evaluate(frame, (struct ir_inst *)amount); // which only reads it
    }
    return sym != NULL && sym->alt_count == 1 && sym->alts[0].needs == NULL ? sym->alts[0].value : NULL;
}

const struct sym *access_induction(struct frame *frame, struct loop_info *info, const struct assignments *assigned,
                                   const struct assignments *vars, const struct sym *before)
{
    assert(assigned->first != NULL && assigned->count > 0);
    struct analysis *an = frame->an;
    const struct ir_inst *inst = assigned->first;
    if (assigned->count != 1 || inst->parent != &info->inst->regions[0] || before == NULL || before->alt_count != 1) {
        return NULL;
    }
    if (inst->op == IR_OP_SET && inst->var->type == IR_PTR) {
        return moved_pointer(an, info, inst, before);
    }
    bool is_minus;
    const struct ir_inst *amount = amount_of(inst, &is_minus);
    if (amount == NULL || !ir_type_is_int(inst->var->type) || amount->type != inst->var->type) {
        return NULL;
    }
    const struct poly *by = fixed_value(frame, vars, amount);
    const struct poly *way = poly_mul(&an->pool, by, poly_atom(&an->pool, info->count));
    const struct poly *value =
        is_minus ? poly_sub(&an->pool, before->alts[0].value, way) : poly_add(&an->pool, before->alts[0].value, way);
    return value == NULL ? NULL : sym_int(an, value, before->alts[0].needs);
}

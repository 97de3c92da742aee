// Recognises `if (e < x) { x = e; y = …; }`: a selection with its companions.
#include "analysis/scalars/scalars.h"

#include "ir/walk.h"

#include <assert.h>
#include <stddef.h>

static bool same_tree(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == b) {
        return true;
    }
    bool is_read = a->op == IR_OP_LOAD || a->op == IR_OP_GET;
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->fimm != b->fimm || a->var != b->var ||
        a->global != b->global || a->arg_count != b->arg_count || a->is_volatile || b->is_volatile ||
        (!is_read && !ir_op_is_pure(a->op))) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!same_tree(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

static bool reads(const struct ir_inst *tree, const struct ir_var *var)
{
    if (tree->op == IR_OP_GET && tree->var == var) {
        return true;
    }
    for (int i = 0; i < tree->arg_count; i++) {
        if (reads(tree->args[i], var)) {
            return true;
        }
    }
    return false;
}

static bool loads(const struct ir_inst *tree)
{
    for (int i = 0; i < tree->arg_count; i++) {
        if (loads(tree->args[i])) {
            return true;
        }
    }
    return tree->op == IR_OP_LOAD;
}

// Whether |inst| may change what |tree| evaluates to.
static bool disturbs(const struct ir_inst *inst, const struct ir_inst *tree)
{
    if (ir_op_sets(inst->op)) {
        return reads(tree, inst->var);
    }
    return ir_op_writes(inst->op) ? loads(tree) : inst->region_count > 0;
}

// The first of the tree's instructions that stands in the region: what comes before it cannot disturb.
static bool is_before(const struct ir_inst *a, const struct ir_inst *b)
{
    for (; a != NULL; a = a->next) {
        if (a == b) {
            return true;
        }
    }
    return false;
}

static const struct ir_inst *first_of(const struct ir_inst *tree, const struct ir_region *region)
{
    const struct ir_inst *first = NULL;
    bool is_leaf = tree->op == IR_OP_GET || tree->op == IR_OP_LOAD;
    if (is_leaf && tree->parent == region) {
        first = tree;
    }
    for (int i = 0; i < tree->arg_count; i++) {
        const struct ir_inst *other = first_of(tree->args[i], region);
        if (other != NULL && (first == NULL || is_before(other, first))) {
            first = other;
        }
    }
    return first;
}

static bool all_leaves_in(const struct ir_inst *tree, const struct ir_region *region)
{
    bool is_leaf = tree->op == IR_OP_GET || tree->op == IR_OP_LOAD;
    for (int i = 0; i < tree->arg_count; i++) {
        if (!all_leaves_in(tree->args[i], region)) {
            return false;
        }
    }
    return !is_leaf || tree->parent == region;
}

// Whether the variable holds the candidate when |set| reads it: nothing comes between that assigns it again.
static bool is_held(const struct ir_inst *inst, const struct ir_inst *set, const struct ir_var *var,
                    const struct ir_inst *candidate)
{
    for (const struct ir_inst *i = set->prev; i != NULL; i = i->prev) {
        if (i->op == IR_OP_SET && i->var == var) {
            return i->args[0] == candidate;
        }
    }
    for (const struct ir_inst *i = inst->prev; i != NULL; i = i->prev) {
        if (i->op == IR_OP_SET && i->var == var) {
            return i->args[0] == candidate;
        }
        if (i->region_count > 0 || ((i->op == IR_OP_VUPDATE) && i->var == var)) {
            return false;
        }
    }
    return false;
}

// |value|, computed in the branch, is the |candidate| that was compared.
static bool is_candidate(const struct ir_inst *inst, const struct ir_inst *set, const struct ir_inst *candidate)
{
    const struct ir_inst *value = set->args[0];
    if (value == candidate || (value->op == IR_OP_GET && is_held(inst, set, value->var, candidate))) {
        return true;
    }
    if (!same_tree(value, candidate) || !all_leaves_in(candidate, inst->parent)) {
        return false;
    }
    for (const struct ir_inst *i = first_of(candidate, inst->parent); i != NULL && i != inst; i = i->next) {
        if (disturbs(i, candidate)) {
            return false;
        }
    }
    for (const struct ir_inst *i = set->parent->first; i != NULL && i != set; i = i->next) {
        if (i->op == IR_OP_SET && reads(candidate, i->var)) {
            return false;
        }
    }
    return true;
}

static int uses_of(const struct ir_region *region, const struct ir_inst *value)
{
    int count = 0;
    WALK (inst, region) {
        for (int i = 0; i < inst->arg_count; i++) {
            count += inst->args[i] == value;
        }
    }
    return count;
}

static int gets_of(const struct ir_region *region, const struct ir_var *var)
{
    int count = 0;
    WALK (inst, region) {
        count += inst->op == IR_OP_GET && inst->var == var;
    }
    return count;
}

// The branch only assigns: |var| the candidate, and companions that nothing else in the loop reads or assigns.
static bool branch_selects(const struct selection *selection, const struct ir_inst *loop, const struct scalar_use *uses,
                           const struct ir_inst *candidate)
{
    const struct ir_inst *inst = selection->inst;
    const struct ir_var *var = selection->var;
    int found = 0;
    for (const struct ir_inst *i = selection->branch->first; i != NULL; i = i->next) {
        if (i->op == IR_OP_SET && i->var == var) {
            found += is_candidate(inst, i, candidate) ? 1 : 2;
        } else if (i->op == IR_OP_SET) {
            const struct scalar_use *use = &uses[i->var->index];
            bool is_local = scalars_is_declared_in(i->var, loop);
            int inside = gets_of(selection->branch, i->var);
            if (use->update_count > 0 || use->get_count != (is_local ? inside : 0)) {
                return false;
            }
        } else if (!ir_op_is_value(i->op) && i->op != IR_OP_LOAD && i->op != IR_OP_CHECK) {
            return false;
        }
    }
    return found == 1;
}

static bool all_sets_in(const struct ir_region *branch, const struct scalar_use *uses)
{
    for (const struct ir_inst *i = branch->first; i != NULL; i = i->next) {
        int here = 0;
        for (const struct ir_inst *k = branch->first; k != NULL; k = k->next) {
            here += i->op == IR_OP_SET && k->op == IR_OP_SET && k->var == i->var;
        }
        if (i->op == IR_OP_SET && here != uses[i->var->index].set_count) {
            return false;
        }
    }
    return true;
}

static enum ir_update update_of(enum ir_op op, bool var_first, bool *out_inclusive)
{
    // var_first: x > e is e < x
    switch (op) {
    case IR_OP_SLT:
    case IR_OP_SLE: *out_inclusive = op == IR_OP_SLE; return var_first ? IR_UPDATE_SMAX : IR_UPDATE_SMIN;
    case IR_OP_SGT:
    case IR_OP_SGE: *out_inclusive = op == IR_OP_SGE; return var_first ? IR_UPDATE_SMIN : IR_UPDATE_SMAX;
    case IR_OP_ULT:
    case IR_OP_ULE: *out_inclusive = op == IR_OP_ULE; return var_first ? IR_UPDATE_UMAX : IR_UPDATE_UMIN;
    case IR_OP_UGT:
    case IR_OP_UGE: *out_inclusive = op == IR_OP_UGE; return var_first ? IR_UPDATE_UMIN : IR_UPDATE_UMAX;
    case IR_OP_FLT:
    case IR_OP_FLE:
        *out_inclusive = op == IR_OP_FLE;
        return var_first ? (*out_inclusive ? IR_UPDATE_FMAX_IF_EQ : IR_UPDATE_FMAX_IF)
                         : (*out_inclusive ? IR_UPDATE_FMIN_IF_EQ : IR_UPDATE_FMIN_IF);
    case IR_OP_FGT:
    case IR_OP_FGE:
        *out_inclusive = op == IR_OP_FGE;
        return var_first ? (*out_inclusive ? IR_UPDATE_FMIN_IF_EQ : IR_UPDATE_FMIN_IF)
                         : (*out_inclusive ? IR_UPDATE_FMAX_IF_EQ : IR_UPDATE_FMAX_IF);
    default: return IR_UPDATE_NONE;
    }
}

static bool is_selection(struct ir_inst *inst, const struct ir_inst *loop, const struct scalar_use *uses,
                         struct ir_var *var, struct selection *out)
{
    const struct ir_inst *condition = inst->args[0];
    bool is_else = inst->region_count > 1 && inst->regions[1].first != NULL;
    if (!ir_op_is_compare(condition->op) || (is_else && inst->regions[0].first != NULL)) {
        return false;
    }
    enum ir_op op = is_else ? ir_op_opposite(condition->op) : condition->op;
    for (int side = 0; side < 2; side++) {
        const struct ir_inst *mine = condition->args[side], *candidate = condition->args[1 - side];
        if (mine->op != IR_OP_GET || mine->var != var || reads(candidate, var)) {
            continue;
        }
        *out = (struct selection){.inst = inst, .var = var, .branch = &inst->regions[is_else ? 1 : 0]};
        out->update = update_of(op, side == 0, &out->inclusive);
        out->unordered = is_else && ir_type_is_float(var->type);
        return out->update != IR_UPDATE_NONE && uses_of(&loop->regions[0], mine) == 1 &&
               uses_of(&loop->regions[0], condition) == 1 && branch_selects(out, loop, uses, candidate) &&
               all_sets_in(out->branch, uses);
    }
    return false;
}

static bool search(struct ir_region *region, const struct ir_inst *loop, const struct scalar_use *uses,
                   struct ir_var *var, struct selection *out)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = walk_next(inst, region)) {
        if (inst->op == IR_OP_IF && is_selection(inst, loop, uses, var, out)) {
            return true;
        }
    }
    return false;
}

bool scalars_find_selection(struct ir_inst *loop, const struct scalar_use *uses, struct ir_var *var,
                            struct selection *out)
{
    assert(loop->op == IR_OP_FOR);
    const struct scalar_use *use = &uses[var->index];
    return use->get_count == 1 && use->set_count == 1 && use->update_count == 0 &&
           search(&loop->regions[0], loop, uses, var, out);
}

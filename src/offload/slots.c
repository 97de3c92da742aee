// Which variables live in the launch block: those that more than one fragment uses, and those that control reads or
// writes, and the memory that pointers in the block point to. A variable that a parallel loop keeps to each iteration
// counts for nothing there.
#include "base/vec.h"
#include "ir/walk.h"
#include "offload/fuse.h"
#include "offload/offload.h"
#include "plan/abi.h"

#include <assert.h>

struct use {
    struct offload *o;
    const struct fragment *fragment;
    int unit;
    int *last_unit;   // by variable: the last unit that used it, plus one
    bool *needs_slot; // by variable
};

static bool is_private(const struct fragment *fragment, const struct ir_var *var)
{
    if (fragment->kind == FRAGMENT_SERIAL) {
        return false;
    }
    const struct ir_for *loop = fragment->first->loop;
    for (int i = 0; i < loop->role_count; i++) {
        if (loop->roles[i].var == var) {
            return loop->roles[i].role == IR_ROLE_PRIVATE;
        }
    }
    return var == loop->var || (var->scope != NULL && walk_is_inside(var->scope, fragment->first));
}

static void use_var(struct use *use, const struct ir_var *var)
{
    if (is_private(use->fragment, var)) {
        return;
    }
    int *last = &use->last_unit[var->index];
    if (*last != 0 && *last != use->unit + 1) {
        use->needs_slot[var->index] = true;
    }
    *last = use->unit + 1;
}

static bool visit(struct ir_inst *inst, void *user)
{
    struct use *use = user;
    if (inst->var != NULL) {
        use_var(use, inst->var);
    }
    if (inst->op == IR_OP_FOR) {
        use_var(use, inst->loop->var);
    }
    if (inst->op == IR_OP_RETURN && use->o->result != NULL) {
        use_var(use, use->o->result);
    }
    // Addresses of memory and first values from outside the fragment are imported: they are uses too.
    for (int i = 0; i < inst->arg_count; i++) {
        if (inst->args[i]->var != NULL) {
            use_var(use, inst->args[i]->var);
        }
    }
    return true;
}

static bool import(struct use *use, const struct ir_inst *value)
{
    if (value->var != NULL) {
        use_var(use, value->var);
    }
    for (int i = 0; i < value->arg_count; i++) {
        import(use, value->args[i]);
    }
    return true;
}

static bool visit_imports(struct ir_inst *inst, void *user)
{
    for (int i = 0; i < inst->arg_count; i++) {
        if (ir_op_is_pure(inst->args[i]->op) && inst->args[i]->parent != inst->parent) {
            import(user, inst->args[i]);
        }
    }
    return true;
}

static void mark_expr(const struct plan_expr *expr, bool *needs_slot)
{
    if (expr == NULL) {
        return;
    }
    if (expr->kind == PLAN_EXPR_VAR) {
        needs_slot[expr->index] = true;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        mark_expr(expr->args[i], needs_slot);
    }
}

static void mark_node(const struct plan_node *node, bool *needs_slot)
{
    if (node->kind == PLAN_FOR || node->kind == PLAN_ASSIGN) {
        needs_slot[node->slot] = true; // a variable's number until slots are given out
    }
    for (int i = 0; i < node->child_count; i++) {
        mark_node(node->children[i], needs_slot);
    }
}

// A copy with slots for variables; NULL if it names what no launch knows.
static struct plan_expr *with_slots(struct offload *o, const struct plan_expr *expr)
{
    if (expr == NULL || expr->kind == PLAN_EXPR_LOOPVAR) {
        return NULL;
    }
    struct plan_expr *copy = ARENA_NEW(o->arena, struct plan_expr);
    *copy = *expr;
    if (expr->kind == PLAN_EXPR_VAR) {
        copy->kind = PLAN_EXPR_SLOT;
        copy->imm = o->kernel->vars[expr->index]->slot;
        copy->index = 0;
        return copy->imm >= 0 ? copy : NULL;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        copy->args[i] = with_slots(o, expr->args[i]);
        if (copy->args[i] == NULL) {
            return NULL;
        }
    }
    return copy;
}

static void place_nodes(struct offload *o, struct plan_node *node)
{
    if (node->kind == PLAN_FOR || node->kind == PLAN_ASSIGN) {
        assert(node->slot >= 0 && node->slot < o->kernel->var_count);
        const struct ir_var *var = o->kernel->vars[node->slot];
        node->slot = var->slot;
        node->type = var->type;
    }
    for (int i = 0; i < node->child_count; i++) {
        place_nodes(o, node->children[i]);
    }
}

static void place_var(struct offload *o, struct ir_var *var)
{
    assert(var->slot < 0); // placed once
    uint64_t size = var->is_memory ? var->size : (uint64_t)ir_type_size(var->type);
    uint64_t align = var->is_memory ? var->align : size;
    align = align == 0 ? 1 : align;
    uint64_t offset = (o->out->block_size + align - 1) & ~(align - 1);
    if (offset + size > ABI_MAX_BLOCK_SIZE) {
        diag_error(
            o->diags, var->loc,
            "local '%s' crosses tasks and does not fit: such locals share %d bytes a launch; pass it as an array",
            var->name, ABI_MAX_BLOCK_SIZE);
        var->slot = 0;
        return;
    }
    var->slot = (int64_t)offset;
    o->out->block_size = offset + size;
    struct {
        struct plan_slot *items;
        int count;
        int capacity;
    } slots = {o->out->slots, o->out->slot_count, o->out->slot_count};
    struct plan_slot slot = {.name = var->name, .offset = var->slot, .size = size};
    VEC_PUSH(o->arena, &slots, slot);
    o->out->slots = slots.items;
    o->out->slot_count = slots.count;
}

static void visit_fragment(struct use *use, const struct fragment *fragment)
{
    struct ir_inst *inst = fragment->first;
    use->fragment = fragment;
    for (int k = 0; k < fragment->count; k++, inst = inst->next) {
        walk_inst(inst, visit, use);
        walk_inst(inst, visit_imports, use);
    }
    // The version in order is the loops as they were, with bounds of their own.
    for (int k = 0; fragment->fusion != NULL && k < fragment->fusion->count; k++) {
        struct fragment part = {.kind = fragment->kind, .first = fragment->fusion->parts[k], .count = 1};
        visit_fragment(use, &part);
    }
}

static void add_effect_exprs(struct offload *o, struct plan_effect *effects, int count)
{
    for (int i = 0; i < count; i++) {
        offload_add_expr(o, &effects[i].region.low);
        offload_add_expr(o, &effects[i].region.high);
        offload_add_expr(o, &effects[i].region.step);
    }
}

// The expressions of the tasks name variables, as those of the nodes do, which partition has noted.
static void add_task_exprs(struct offload *o)
{
    for (int i = 0; i < o->tasks.count; i++) {
        struct plan_task *task = &o->tasks.items[i];
        add_effect_exprs(o, task->effects, task->effect_count);
        if (task->trip != NULL) {
            offload_add_expr(o, &task->trip);
        }
        offload_add_expr(o, &task->is_few);
        offload_add_expr(o, &task->cost);
        offload_add_expr(o, &task->order_cost);
        offload_add_expr(o, &task->row_length);
        offload_add_expr(o, &task->row_count);
        for (int k = 0; k < task->condition_count; k++) {
            offload_add_expr(o, &task->conditions[k].expr);
        }
    }
}

void slots_assign(struct offload *o)
{
    assert(o->out->root != NULL && !o->has_slots);
    add_task_exprs(o);
    int var_count = o->kernel->var_count;
    struct use use = {.o = o};
    use.last_unit = ARENA_ARRAY(o->arena, int, var_count + 1);
    use.needs_slot = ARENA_ARRAY(o->arena, bool, var_count + 1);
    for (int i = 0; i < o->fragments.count; i++) {
        const struct fragment *fragment = &o->fragments.items[i];
        use.unit = i;
        visit_fragment(&use, fragment);
        if (fragment->escape != NULL) {
            use.needs_slot[fragment->escape->index] = true;
        }
    }
    for (int i = 0; i < o->exprs.count; i++) {
        mark_expr(*o->exprs.items[i], use.needs_slot);
    }
    mark_node(o->out->root, use.needs_slot);
    slots_follow_pointers(o, use.needs_slot);
    if (o->result != NULL) {
        place_var(o, o->result); // at offset 0, where the runtime looks for it
    }
    for (int i = 0; i < var_count; i++) {
        struct ir_var *var = o->kernel->vars[i];
        if (use.needs_slot[i] && var != o->result) {
            place_var(o, var);
        }
    }
    for (int i = 0; i < o->exprs.count; i++) {
        *o->exprs.items[i] = with_slots(o, *o->exprs.items[i]);
    }
    place_nodes(o, o->out->root);
    fuse_place_variables(o);
    o->has_slots = true;
}

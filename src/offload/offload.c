// What the passes of a kernel share, from the first to the last of them.
#include "offload/offload.h"

#include "base/vec.h"

#include <assert.h>

struct offload *offload_create(struct ir_module *module, struct ir_function *kernel, struct plan_module *plan,
                               struct diags *diags)
{
    assert(kernel->kind == IR_FUNCTION_KERNEL);
    struct offload *o = ARENA_NEW(module->arena, struct offload);
    *o = (struct offload){.module = module, .arena = module->arena, .kernel = kernel, .plan = plan, .diags = diags};
    o->out = ARENA_NEW(o->arena, struct plan_kernel);
    o->out->name = kernel->name;
    o->out->loc = kernel->loc;
    o->out->return_ctype = kernel->return_ctype;
    return o;
}

void offload_finish(struct offload *o)
{
    assert(o->has_slots);
    assert(o->out->root != NULL); // partition has run
    struct plan_module *plan = o->plan;
    offload_show(o);
    struct {
        struct plan_kernel **items;
        int count;
        int capacity;
    } kernels = {plan->kernels, plan->kernel_count, plan->kernel_count};
    VEC_PUSH(o->arena, &kernels, o->out);
    plan->kernels = kernels.items;
    plan->kernel_count = kernels.count;
}

void offload_show(struct offload *o)
{
    o->out->tasks = o->tasks.items;
    o->out->task_count = o->tasks.count;
    o->out->loops = o->loops.items;
    o->out->loop_count = o->loops.count;
}

struct offload_note *offload_note(struct offload *o, struct ir_inst *inst)
{
    assert(inst->region_count > 0);
    if (inst->note == NULL) {
        struct offload_note *note = ARENA_NEW(o->arena, struct offload_note);
        note->node_id = -1;
        note->loop_index = -1;
        inst->note = note;
    }
    return inst->note;
}

void offload_add_expr(struct offload *o, struct plan_expr **place)
{
    VEC_PUSH(o->arena, &o->exprs, place);
}

struct plan_expr *offload_trip(struct offload *o, const struct ir_inst *loop)
{
    assert(loop->op == IR_OP_FOR && loop->arg_count >= 2);
    return plan_trip(o->arena, loop->loop, expr_of_value(o->arena, loop->args[0]),
                     expr_of_value(o->arena, loop->args[1]));
}

struct plan_condition offload_condition(const struct offload *o, const struct plan_condition *found)
{
    struct plan_condition condition = *found;
    if (found->throughout != NULL && !o->module->is_gpu) { // whose resident loops work out both sides of a choice
        struct plan_expr *yes = plan_const(o->arena, IR_I1, 1);
        condition.expr = plan_select(o->arena, found->throughout, yes, found->expr);
    }
    return condition;
}

void offload_assign(struct offload *o, struct plan_node *parent, const struct ir_var *var, struct plan_expr *value,
                    struct loc loc)
{
    assert(!var->is_memory && var->index < o->kernel->var_count);
    assert(!o->has_slots); // |slot| is a variable's number until then
    struct plan_node *node = fragment_add_node(o, parent, PLAN_ASSIGN, loc);
    node->slot = var->index;
    node->type = var->type;
    node->expr = value;
    offload_add_expr(o, &node->expr);
}

struct plan_expr *offload_var(struct offload *o, const struct ir_var *var)
{
    assert(!var->is_memory && var->index < o->kernel->var_count);
    struct plan_expr *expr = ARENA_NEW(o->arena, struct plan_expr);
    *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = var->type, .index = var->index};
    return expr;
}

struct plan_module *offload_module(struct ir_module *module)
{
    struct plan_module *plan = ARENA_NEW(module->arena, struct plan_module);
    plan->arena = module->arena;
    plan->files = module->files;
    plan->file_count = module->file_count;
    plan->check_bounds = module->check_bounds;
    plan->check_races = module->check_races;
    plan->fields = ARENA_ARRAY(module->arena, struct plan_field, module->global_count);
    VEC(struct plan_piece) pieces = {0};
    for (int i = 0; i < module->global_count; i++) {
        const struct ir_global *global = module->globals[i];
        for (int k = 0; k < global->piece_count; k++) {
            struct plan_piece piece = {.symbol = global->name,
                                       .offset = global->pieces[k].offset,
                                       .size = global->pieces[k].size,
                                       .bytes = global->pieces[k].bytes};
            VEC_PUSH(module->arena, &pieces, piece);
        }
        if (!global->is_const) {
            plan->fields[plan->field_count++] = (struct plan_field){
                .name = global->name, .size = global->size, .align = global->align, .ctype = global->ctype};
        }
    }
    plan->pieces = pieces.items;
    plan->piece_count = pieces.count;
    return plan;
}

bool offload_sums_no_float(struct ir_inst *inst, void *user)
{
    (void)user;
    const struct loop_facts *facts = inst->op == IR_OP_FOR ? inst->loop->analysis : NULL;
    for (int i = 0; inst->op == IR_OP_FOR && i < inst->loop->role_count; i++) {
        const struct ir_scalar_role *role = &inst->loop->roles[i];
        if (role->role == IR_ROLE_REDUCTION && ir_type_is_float(role->var->type)) {
            return false;
        }
    }
    for (int i = 0; facts != NULL && i < facts->reduction_count; i++) {
        if (ir_type_is_float(facts->reductions[i].type)) {
            return false;
        }
    }
    return true;
}

struct plan_expr *offload_width(struct offload *o)
{
    struct plan_expr *expr = ARENA_NEW(o->arena, struct plan_expr);
    *expr = (struct plan_expr){.kind = PLAN_EXPR_WIDTH, .type = IR_I64};
    return expr;
}

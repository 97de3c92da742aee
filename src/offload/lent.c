// Memory that a launch lends to its tasks: the marks of a scatter, the shadows of the check of races. Each is a hidden
// array parameter, with another one behind it that counts its elements; a task sets it to zero where it is wanted so.
#include "offload/outline.h"

#include "base/vec.h"
#include "ir/points_to.h"

#include <assert.h>

struct plan_expr *lent_bytes_of_base(struct offload *o, int base)
{
    if (base_kind(base) == BASE_GLOBAL) {
        return plan_const(o->arena, IR_I64, (int64_t)o->module->globals[base_index(base)]->size);
    }
    if (base_kind(base) == BASE_LOCAL) {
        return plan_const(o->arena, IR_I64, (int64_t)o->kernel->vars[base_index(base)]->size);
    }
    struct plan_expr *extent = ARENA_NEW(o->arena, struct plan_expr);
    *extent = (struct plan_expr){.kind = PLAN_EXPR_EXTENT, .type = IR_I64, .index = base_index(base)};
    return extent;
}

static struct ir_ctype *integer_type(struct offload *o, enum ir_type type)
{
    struct ir_ctype *ctype = ARENA_NEW(o->arena, struct ir_ctype);
    *ctype = (struct ir_ctype){.kind = IR_CTYPE_SCALAR,
                               .name = type == IR_I64 ? "long" : "int",
                               .scalar = type,
                               .size = (uint64_t)ir_type_size(type),
                               .align = (uint32_t)ir_type_size(type)};
    return ctype;
}

static int add_param(struct offload *o, struct ir_param param, const struct lent *lent)
{
    struct ir_function *kernel = o->kernel;
    struct plan_kernel *out = o->out;
    struct ir_param *params = ARENA_ARRAY(o->arena, struct ir_param, kernel->param_count + 1);
    struct plan_param *plans = ARENA_ARRAY(o->arena, struct plan_param, kernel->param_count + 1);
    for (int i = 0; i < kernel->param_count; i++) {
        params[i] = kernel->params[i];
        plans[i] = out->params[i];
    }
    params[kernel->param_count] = param;
    plans[kernel->param_count] = (struct plan_param){.name = param.name,
                                                     .type = param.type,
                                                     .is_array = param.is_array,
                                                     .ctype = param.ctype,
                                                     .counts = param.counts,
                                                     .scratch = lent != NULL ? lent->size : NULL,
                                                     .is_needed = lent != NULL && lent->is_needed,
                                                     .offset = (out->args_size + 7) & ~(uint64_t)7,
                                                     .loc = param.loc};
    out->args_size = plans[kernel->param_count].offset + sizeof(uint64_t);
    kernel->params = params;
    out->params = plans;
    out->hidden_count++;
    out->param_count++;
    return kernel->param_count++;
}

int lent_add(struct offload *o, const struct lent *lent)
{
    struct ir_param memory = {
        .name = lent->name, .loc = lent->loc, .type = IR_PTR, .ctype = integer_type(o, lent->type), .is_array = true};
    int param = add_param(o, memory, lent);
    struct ir_param counts = {.name = arena_printf(o->arena, "%s.count", lent->name),
                              .loc = lent->loc,
                              .type = IR_I64,
                              .ctype = integer_type(o, IR_I64),
                              .counts = param + 1};
    add_param(o, counts, NULL);
    return param;
}

void lent_add_clear(struct offload *o, struct ir_inst *loop, int param, struct plan_node *parent)
{
    struct fragment fragment = {
        .kind = FRAGMENT_CLEAR, .first = loop, .group = parent->group, .cleared = param, .is_alternative = true};
    struct plan_task *task = fragment_add_task(o, PLAN_TASK_PARALLEL, loop->loc, parent->group, &fragment.task);
    task->trip = plan_param(o->arena, IR_I64, param + 1);
    task->cost = plan_const(o->arena, IR_I64, 1);
    task->collapse = 1;
    task->effects = ARENA_NEW(o->arena, struct plan_effect);
    task->effects[0] = (struct plan_effect){.base = PLAN_BASE_PARAM,
                                            .index = param,
                                            .access = PLAN_WRITE,
                                            .type = o->kernel->params[param].ctype->scalar,
                                            .loc = loop->loc};
    task->effect_count = 1;
    VEC_PUSH(o->arena, &o->fragments, fragment);
    fragment_add_node(o, parent, PLAN_TASK, loop->loc)->task = fragment.task;
}

struct ir_inst *lent_param(struct outline *out, int index)
{
    struct ir_inst *inst = ir_emit0(&out->prologue, IR_OP_PARAM, out->o->kernel->params[index].type);
    inst->imm = index;
    return inst;
}

struct ir_inst *lent_element(struct outline *out, int param, struct ir_inst *index, struct ir_builder *to)
{
    const struct ir_param *lent = &out->o->kernel->params[param];
    struct ir_inst *args[4] = {lent_param(out, param), index,
                               ir_const(&out->prologue, IR_I64, (int64_t)lent->ctype->size),
                               ir_const(&out->prologue, IR_I64, -1)};
    struct ir_inst *address = ir_emit(to, IR_OP_INDEX, IR_PTR, 4, args);
    address->text = lent->name;
    address->in_bounds = true;
    return address;
}

void lent_outline_clear(struct offload *o, const struct fragment *fragment)
{
    assert(fragment->kind == FRAGMENT_CLEAR);
    struct outline out;
    outline_init(&out, o, fragment, IR_FUNCTION_TASK, o->tasks.items[fragment->task].entry);
    out.is_parallel = true;
    out.function->assume_independent = true;
    out.body.loc = fragment->first->loc;
    enum ir_type type = o->kernel->params[fragment->cleared].ctype->scalar;
    struct ir_inst *index = ir_emit0(&out.body, IR_OP_ITER, IR_I64);
    struct ir_inst *args[2] = {lent_element(&out, fragment->cleared, index, &out.body),
                               ir_const(&out.prologue, type, 0)};
    struct ir_inst *store = ir_emit(&out.body, IR_OP_STORE, type, 2, args);
    store->base = base_make(BASE_PARAM, fragment->cleared);
}

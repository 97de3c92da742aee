// The functions of a scatter. Each element of the scattered array has a mark: the number of the last iteration that
// stores to it, counted from 1, or 0. One function clears the marks (lent.c), one runs the slice of the loop that makes
// the places of the stores and raises their marks, and the loop itself stores only where the mark is its own. A place
// outside of the array has no mark, and is stored to as C would.
#include "offload/outline.h"

#include "analysis/values/slice.h"
#include "ir/points_to.h"

#include <assert.h>

static const struct scatter *scatter_of(const struct outline *out, const struct ir_inst *inst)
{
    const struct ir_for *loop =
        out->is_parallel && out->fragment->first->op == IR_OP_FOR ? out->fragment->first->loop : NULL;
    const struct loop_facts *facts = loop != NULL && loop->verdict == IR_VERDICT_SCATTER ? loop->analysis : NULL;
    for (int i = 0; facts != NULL && i < facts->scatter_count; i++) {
        if ((inst->op == IR_OP_STORE || inst->op == IR_OP_COPY) && inst->base == facts->scatters[i].base) {
            return &facts->scatters[i];
        }
    }
    return NULL;
}

bool outline_is_scattered(const struct outline *out, const struct ir_inst *inst)
{
    return scatter_of(out, inst) != NULL;
}

static struct ir_inst *base_address(struct outline *out, int base)
{
    if (base_kind(base) == BASE_PARAM) {
        return lent_param(out, base_index(base));
    }
    struct ir_inst *inst = ir_emit0(&out->prologue, IR_OP_ADDR_GLOBAL, IR_PTR);
    inst->global = out->o->module->globals[base_index(base)];
    return inst;
}

// The mark that an iteration gives to the places that it stores to.
static struct ir_inst *own_mark(struct outline *out, struct ir_builder *to)
{
    struct ir_inst *number = ir_emit1(to, IR_OP_TRUNC, IR_I32, ir_emit0(to, IR_OP_ITER, IR_I64));
    return ir_emit2(to, IR_OP_ADD, IR_I32, number, ir_const(&out->prologue, IR_I32, 1));
}

struct mark_place {
    struct ir_inst *index;
    struct ir_inst *exists; // i1
};

static struct mark_place place_of(struct outline *out, const struct scatter *scatter, struct ir_inst *address,
                                  struct ir_builder *to)
{
    struct ir_inst *from = ir_emit1(&out->prologue, IR_OP_PTRTOINT, IR_I64, base_address(out, scatter->base));
    struct ir_inst *way = ir_emit2(to, IR_OP_SUB, IR_I64, ir_emit1(to, IR_OP_PTRTOINT, IR_I64, address), from);
    struct ir_inst *granule = ir_const(&out->prologue, IR_I64, scatter->granule);
    struct mark_place place = {.index = ir_emit2(to, IR_OP_UDIV, IR_I64, way, granule)};
    struct ir_inst *count = lent_param(out, scatter->param + 1);
    place.exists = ir_emit2(to, IR_OP_ULT, IR_I1, place.index, count);
    return place;
}

static struct ir_builder under(struct ir_builder *to, struct ir_inst *condition)
{
    struct ir_inst *choice = ir_control(to, IR_OP_IF, condition, 2);
    struct ir_builder inner = *to;
    inner.region = &choice->regions[0];
    inner.before = NULL;
    return inner;
}

static void raise_mark(struct outline *out, const struct scatter *scatter, const struct mark_place *place,
                       struct ir_builder *to)
{
    struct ir_builder inner = under(to, place->exists);
    struct ir_inst *args[2] = {lent_element(out, scatter->param, place->index, &inner), own_mark(out, &inner)};
    // Many iterations may store to one place, and most of them are not the last: these only look.
    struct ir_inst *mark = ir_emit1(&inner, IR_OP_LOAD, IR_I32, args[0]);
    mark->base = base_make(BASE_PARAM, scatter->param);
    mark->atomic = true;
    inner = under(&inner, ir_emit2(&inner, IR_OP_SLT, IR_I1, mark, args[1]));
    struct ir_inst *update = ir_emit(&inner, IR_OP_UPDATE, IR_I32, 2, args);
    update->update = IR_UPDATE_SMAX;
    update->atomic = true;
    update->base = base_make(BASE_PARAM, scatter->param);
}

static void store_if_last(struct outline *out, const struct ir_inst *inst, const struct scatter *scatter,
                          const struct mark_place *place, struct ir_builder *to)
{
    struct ir_inst *zero = ir_const(&out->prologue, IR_I64, 0);
    struct ir_inst *index = ir_emit3(to, IR_OP_SELECT, IR_I64, place->exists, place->index, zero);
    struct ir_inst *mark = ir_emit1(to, IR_OP_LOAD, IR_I32, lent_element(out, scatter->param, index, to));
    mark->base = base_make(BASE_PARAM, scatter->param);
    struct ir_inst *is_own = ir_emit2(to, IR_OP_EQ, IR_I1, mark, own_mark(out, to));
    struct ir_inst *is_outside = ir_emit2(to, IR_OP_EQ, IR_I1, place->exists, ir_const(&out->prologue, IR_I1, 0));
    struct ir_builder inner = under(to, ir_emit2(to, IR_OP_OR, IR_I1, is_own, is_outside));
    outline_clone(out, inst, &inner);
}

void outline_scattered(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    const struct scatter *scatter = scatter_of(out, inst);
    to->loc = inst->loc;
    struct mark_place place = place_of(out, scatter, outline_value(out, inst->args[0]), to);
    if (out->slice != NULL) {
        raise_mark(out, scatter, &place, to);
    } else {
        store_if_last(out, inst, scatter, &place, to);
    }
}

void outline_marks(struct offload *o, const struct fragment *fragment)
{
    assert(fragment->kind == FRAGMENT_MARK);
    struct outline out;
    struct ir_inst *loop = fragment->first;
    const struct loop_facts *facts = loop->loop->analysis;
    outline_init(&out, o, fragment, IR_FUNCTION_TASK, o->tasks.items[fragment->task].entry);
    out.is_parallel = true;
    out.slice = facts->slice;
    out.function->assume_independent = true;
    out.body.loc = loop->loc;
    outline_loop_variable(&out, loop, ir_emit0(&out.body, IR_OP_ITER, IR_I64), &out.body);
    outline_region(&out, &loop->regions[0], &out.body);
    struct plan_task *task = &o->tasks.items[fragment->task];
    if (task->pair_count > 0 || task->condition_count > 0) { // the loop itself runs in order then, and asks for no mark
        task->in_order = arena_printf(o->arena, "%s.in_order", task->name);
        outline_init(&out, o, fragment, IR_FUNCTION_TASK, task->in_order);
        out.function->is_serial = true;
    }
}

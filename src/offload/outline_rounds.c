// The function of a task that runs some rounds of a loop in order, from where its variables stand now: see rounds.c.
#include "offload/outline.h"

#include <assert.h>

// A FOR's rounds are counted by another one.
static void outline_counted(struct outline *out, const struct ir_inst *loop, struct ir_builder *b)
{
    struct ir_var *round = ir_var_create(out->o->module, out->function, ".round", IR_I64);
    struct ir_inst *count = ir_get(b, outline_var(out, out->fragment->rounds));
    struct ir_inst *rounds = ir_emit_for(b, round, ir_const(b, IR_I64, 0), count, IR_OP_SLT, 1);
    struct ir_builder inner = *b;
    inner.region = &rounds->regions[0];
    outline_region(out, &loop->regions[0], &inner);
    struct ir_var *var = outline_var(out, loop->loop->var);
    struct ir_inst *step = ir_const(&inner, var->type, loop->loop->step);
    ir_set(&inner, var, ir_emit2(&inner, IR_OP_ADD, var->type, ir_get(&inner, var), step));
}

// A LOOP's as it goes: nothing may leave a FOR.
static void outline_uncounted(struct outline *out, const struct ir_inst *loop, struct ir_builder *b)
{
    struct ir_var *round = ir_var_create(out->o->module, out->function, ".round", IR_I64);
    struct ir_var *goes_on = outline_var(out, out->fragment->goes_on);
    ir_set(b, goes_on, ir_const(b, IR_I64, 0));
    ir_set(b, round, ir_const(b, IR_I64, 0));
    struct ir_inst *rounds = ir_control(b, IR_OP_LOOP, NULL, 1);
    struct ir_builder inner = *b;
    inner.region = &rounds->regions[0];
    struct ir_inst *count = ir_get(&inner, outline_var(out, out->fragment->rounds));
    struct ir_inst *is_over = ir_emit2(&inner, IR_OP_SGE, IR_I1, ir_get(&inner, round), count);
    struct ir_inst *over = ir_control(&inner, IR_OP_IF, is_over, 2);
    struct ir_builder then = inner;
    then.region = &over->regions[0];
    ir_set(&then, goes_on, ir_const(&then, IR_I64, 1));
    ir_emit0(&then, IR_OP_BREAK, IR_VOID)->target = out->exit;
    struct ir_inst *number = ir_get(&inner, round);
    ir_set(&inner, round, ir_emit2(&inner, IR_OP_ADD, IR_I64, number, ir_const(&inner, IR_I64, 1)));
    outline_region(out, &loop->regions[0], &inner);
}

void outline_rounds(struct offload *o, const struct fragment *fragment)
{
    struct ir_inst *loop = fragment->first;
    assert(fragment->rounds != NULL && (loop->op == IR_OP_FOR) == (fragment->goes_on == NULL));
    struct outline out;
    outline_init(&out, o, fragment, IR_FUNCTION_TASK, o->tasks.items[fragment->task].entry);
    out.function->is_serial = true;
    out.exit = ir_control(&out.body, IR_OP_BLOCK, NULL, 1);
    offload_note(o, loop)->clone = out.exit; // what leaves the loop leaves the block
    struct ir_builder b = out.body;
    b.region = &out.exit->regions[0];
    if (loop->op == IR_OP_FOR) {
        outline_counted(&out, loop, &b);
    } else {
        outline_uncounted(&out, loop, &b);
    }
    outline_store_slots(&out, &out.body);
}

// Inductions of a task's loop. Offload writes the loop variable as init + iter * step in the variable's own type. LLVM
// cannot see that this does not wrap, so it becomes an induction of its own, beside the iteration number, whose step is
// marked: then a[i] is seen to lie next to a[i + 1]. A variable of 32 bits is one of 64, cut with a mark that nothing
// is lost: most uses are indices, and widening it for them is then no work, neither for LLVM nor for the loop.
#include "codegen/emit.h"

#include "ir/assignment.h"

#include <assert.h>

// Whether the value is there before the loop over the iterations. Other invariant ones are emitted where they stand.
static bool is_there_before(const struct emitter *e, const struct ir_inst *inst)
{
    return inst->parent == &e->function->ir->prologue || inst->op == IR_OP_CONST;
}

// The factor of the iteration number in |inst|: ITER, its truncation, or either times a constant.
static bool iter_factor(const struct ir_inst *inst, int64_t *out_factor)
{
    *out_factor = 1;
    if (inst->op == IR_OP_MUL && inst->args[1]->op == IR_OP_CONST) {
        *out_factor = inst->args[1]->imm;
        inst = inst->args[0];
    }
    if (inst->op == IR_OP_TRUNC) {
        inst = inst->args[0];
    }
    return inst->op == IR_OP_ITER;
}

static LLVMValueRef initial_value(struct emitter *e, const struct ir_inst *inst)
{
    return inst->op == IR_OP_CONST ? emit_const(e, inst->type, inst->imm) : emit_value(e, inst);
}

// On a GPU a thread's iterations are far apart and nothing is vectorised. Where the variable is seen never to be
// negative, its sum is taken in 64 bits and cut, and LLVM is told that nothing is lost: widening it again for an
// address then costs nothing.
static LLVMValueRef wide_value(struct emitter *e, const struct ir_inst *inst, int64_t factor)
{
    LLVMBuilderRef b = e->builder;
    const struct ir_inst *init = inst->args[0];
    if (inst->type == IR_I64 || init->op != IR_OP_CONST || init->imm < 0 || factor < 0) {
        return NULL;
    }
    LLVMValueRef distance = LLVMBuildNSWMul(b, e->function->iter, emit_i64(e, factor), "");
    LLVMValueRef sum = LLVMBuildNSWAdd(b, distance, emit_i64(e, init->imm), "");
    int64_t limit = INT64_C(1) << (8 * ir_type_size(inst->type) - 1);
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntULT, sum, emit_i64(e, limit), "");
    emit_intrinsic(e, "llvm.assume", NULL, 0, &fits, 1);
    return LLVMBuildTrunc(b, sum, e->types[inst->type], "");
}

LLVMValueRef emit_induction_value(struct emitter *e, const struct ir_inst *inst)
{
    assert(ir_op_is_pure(inst->op));
    struct emit_function *f = e->function;
    int64_t factor;
    if (f->ir->kind != IR_FUNCTION_TASK || f->ir->is_serial || !inst->no_wrap || inst->op != IR_OP_ADD ||
        !is_there_before(e, inst->args[0]) || !iter_factor(inst->args[1], &factor)) {
        return NULL;
    }
    if (f->before == NULL) {
        // The distance alone may wrap, where the variable begins below zero; then the sum of both as they are does too.
        LLVMValueRef wide = wide_value(e, inst, factor);
        return wide != NULL
                   ? wide
                   : emit_binary(e, inst->op, inst->type, emit_value(e, inst->args[0]), emit_value(e, inst->args[1]));
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderBefore(e->builder, f->before);
    struct emit_induction *induction = ARENA_NEW(e->arena, struct emit_induction);
    induction->step = emit_i64(e, factor);
    LLVMValueRef init = initial_value(e, inst->args[0]);
    if (inst->type != IR_I64) {
        init = LLVMBuildSExt(e->builder, init, e->types[IR_I64], "");
    }
    LLVMValueRef distance = LLVMBuildMul(e->builder, f->first, induction->step, "");
    induction->start = LLVMBuildAdd(e->builder, init, distance, "");
    LLVMBasicBlockRef loop = LLVMGetInstructionParent(f->iter);
    LLVMPositionBuilder(e->builder, loop, LLVMGetFirstInstruction(loop));
    induction->phi = LLVMBuildPhi(e->builder, e->types[IR_I64], "");
    induction->next = f->inductions;
    f->inductions = induction;
    emit_at(e, here);
    induction->value =
        inst->type == IR_I64 ? induction->phi : LLVMBuildTrunc(e->builder, induction->phi, e->types[inst->type], "");
    return induction->value;
}

void emit_induction_close(struct emitter *e, LLVMBasicBlockRef before, LLVMBasicBlockRef latch)
{
    for (struct emit_induction *i = e->function->inductions; i != NULL; i = i->next) {
        LLVMValueRef next = LLVMBuildNSWAdd(e->builder, i->phi, i->step, "");
        LLVMAddIncoming(i->phi, (LLVMValueRef[]){i->start, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    }
}

// ---- variables that their loop alone sets
// --------------------------------------------------------------------------------------------

void emit_counter_open(struct emitter *e, const struct ir_var *var, const struct emit_counter *counter)
{
    assert(var->index < e->function->ir->var_count);
    struct emit_function *f = e->function;
    if (f->counters == NULL) {
        f->counters = ARENA_ARRAY(e->arena, struct emit_counter, f->ir->var_count + 1);
        f->assigned = ARENA_ARRAY(e->arena, struct assignments, f->ir->var_count + 1);
        f->sources = ARENA_ARRAY(e->arena, const struct ir_inst *, f->ir->value_count + 1);
        assignments_add(&f->ir->prologue, f->assigned);
        assignments_add(&f->ir->body, f->assigned);
    }
    if (f->assigned[var->index].count == 1) {
        f->counters[var->index] = *counter;
    }
}

void emit_counter_close(struct emitter *e, const struct ir_inst *loop)
{
    struct emit_counter *counters = e->function->counters;
    if (counters == NULL) {
        return;
    }
    counters[loop->loop->var->index] = (struct emit_counter){0};
    for (const struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_SET) {
            counters[inst->var->index] = (struct emit_counter){0};
        }
    }
}

static bool is_body_of_loop(const struct ir_region *region)
{
    return region->owner != NULL && region->owner->op == IR_OP_FOR && region == &region->owner->regions[0];
}

static bool is_fixed(const struct emitter *e, const struct ir_inst *inst)
{
    return is_there_before(e, inst) || inst->op == IR_OP_PARAM;
}

// A variable that is cut from one of 64 bits without loss, as the loops of a nest that is shared out in strips have it:
// x = (int)(init + at). LLVM forgets the mark on its way to an index.
static void open_cut(struct emitter *e, const struct ir_inst *set)
{
    const struct ir_inst *cut = set->args[0];
    bool is_cut = cut->op == IR_OP_TRUNC && cut->no_wrap && cut->type == IR_I32 && cut->args[0]->type == IR_I64;
    if (!is_cut) {
        emit_counter_open(e, set->var, &(struct emit_counter){.source = cut});
        return;
    }
    const struct ir_inst *sum = cut->args[0];
    struct emit_counter counter = {.wide = emit_value(e, sum), .value = emit_value(e, cut)};
    const struct ir_inst *init = sum->op == IR_OP_ADD && sum->no_wrap ? sum->args[0] : NULL;
    const struct emit_counter *at = emit_counter_of(e, init != NULL ? sum->args[1] : sum);
    bool is_same = init == NULL || is_fixed(e, init) || (init->op == IR_OP_SEXT && is_fixed(e, init->args[0]));
    if (at != NULL && at->first != NULL && at->body == set->parent && is_same) {
        counter.first = init != NULL ? LLVMBuildNSWAdd(e->builder, emit_value(e, init), at->first, "") : at->first;
        counter.step = at->step;
        counter.body = at->body;
    }
    emit_counter_open(e, set->var, &counter);
}

void emit_counter_set(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_SET);
    const struct ir_region *body = &e->function->ir->body;
    if (inst->parent != body && !is_body_of_loop(inst->parent)) { // set on every path or not at all
        return;
    }
    LLVMValueRef value = emit_value(e, inst->args[0]);
    for (struct emit_induction *i = e->function->inductions; i != NULL && inst->parent == body; i = i->next) {
        if (i->value == value) {
            int64_t step = LLVMConstIntGetSExtValue(i->step);
            struct emit_counter counter = {i->phi, value, i->start, step, body, NULL};
            emit_counter_open(e, inst->var, &counter);
            return;
        }
    }
    if (!target_is_gpu(e->target)) {
        open_cut(e, inst);
    }
}

void emit_counter_get(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_GET);
    struct emit_function *f = e->function;
    if (f->counters != NULL) {
        f->sources[inst->id] = f->counters[inst->var->index].source;
    }
}

const struct emit_counter *emit_counter_of(struct emitter *e, const struct ir_inst *inst)
{
    const struct emit_counter *counters = e->function->counters;
    bool is_counter = inst->op == IR_OP_GET && counters != NULL && counters[inst->var->index].wide != NULL;
    return is_counter ? &counters[inst->var->index] : NULL;
}

// Indices of 32 bits that move by a constant from one iteration of a loop to the next, like 3 * i + 1 or y * w + x,
// taken in 64 bits.
//
// Arithmetic wraps in the language, so that LLVM has to test before a vector loop that none of these does, and may not
// see that they are strided at all. But such an index cannot wrap unnoticed: on its way from the greatest number to the
// least it is negative in some iteration, and what is accessed there lies before the array, which the language leaves
// open. So, of an access that every iteration makes, the index is what it is in the first iteration, reckoned in 32
// bits as it was written, and the distance from there, in 64.
#include "codegen/emit.h"

#include "ir/assignment.h"
#include "ir/walk.h"

#include <assert.h>

// A step of this many elements could lead over all of the negative numbers, or nearly so.
static const int64_t STEP_LIMIT = INT64_C(1) << 30;

enum { DEPTH_LIMIT = 8 }; // of an expression

// counter * factor + constant + something that the loop does not change.
struct linear {
    const struct emit_counter *counter; // NULL: none
    int64_t factor;
    int64_t constant;
};

// ---- what each iteration does
// ------------------------------------------------------------------------------------------------

// Marks the indices that an access in the same region goes through.
static void note_accessed(const struct ir_region *region, bool *accessed)
{
    WALK (inst, region) {
        if (inst->op != IR_OP_LOAD && inst->op != IR_OP_STORE && inst->op != IR_OP_UPDATE) {
            continue;
        }
        const struct ir_inst *at = inst->args[0];
        for (; at->op == IR_OP_INDEX || at->op == IR_OP_OFFSET; at = at->args[0]) {
            accessed[at->id] |= at->parent == inst->parent;
        }
    }
}

static bool is_accessed(struct emitter *e, const struct ir_inst *index)
{
    struct emit_function *f = e->function;
    if (f->accessed == NULL) {
        f->accessed = ARENA_ARRAY(e->arena, bool, f->ir->value_count + 1);
        note_accessed(&f->ir->prologue, f->accessed);
        note_accessed(&f->ir->body, f->accessed);
    }
    return f->accessed[index->id];
}

static bool is_in(const struct ir_inst *inst, const struct ir_region *body)
{
    const struct ir_region *region = inst->parent;
    while (region != NULL && region != body && region->owner != NULL) {
        region = region->owner->parent;
    }
    return region == body;
}

// Whether an iteration comes to its end: nothing in |body| leaves it or fails.
static bool is_complete(struct emitter *e, const struct ir_region *body)
{
    struct emit_function *f = e->function;
    if (f->looked_at == body) {
        return f->is_complete;
    }
    f->looked_at = body;
    f->is_complete = true;
    WALK (inst, body) {
        bool leaves = inst->op == IR_OP_JUMP || inst->op == IR_OP_RETURN ||
                      (inst->op == IR_OP_BREAK && !is_in(inst->target, body));
        bool fails = inst->op == IR_OP_CALL ? emit_helper_of(e, inst->function)->may_fail : ir_op_may_fail(inst->op);
        f->is_complete = f->is_complete && !leaves && !fails;
    }
    return f->is_complete;
}

// Whether a negative index lies outside of what |inst| indexes: the pointer is where an array begins, or the number of
// elements is known.
static bool has_begin(struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_inst *base = inst->args[0], *extent = inst->args[3];
    bool is_param = base->op == IR_OP_PARAM && e->function->ir->kind != IR_FUNCTION_HELPER;
    bool is_array = is_param || base->op == IR_OP_ADDR_GLOBAL || base->op == IR_OP_ADDR_VAR;
    return is_array || extent->op != IR_OP_CONST || extent->imm >= 0;
}

// ---- what an index is made of
// ------------------------------------------------------------------------------------------------

static bool is_invariant(struct emitter *e, const struct ir_inst *value, const struct ir_region *body, int depth)
{
    if (!is_in(value, body) || value->op == IR_OP_CONST || value->op == IR_OP_PARAM) {
        return true;
    }
    if (value->op == IR_OP_GET) {
        const struct assignments *assigned = &e->function->assigned[value->var->index];
        return assigned->count == 0 ||
               (assigned->count == 1 && assigned->first != body->owner && !is_in(assigned->first, body));
    }
    if (!ir_op_is_pure(value->op) || value->op == IR_OP_ITER || value->op == IR_OP_NEST_ITER || depth == DEPTH_LIMIT) {
        return false;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (!is_invariant(e, value->args[i], body, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool scale(struct linear *x, int64_t by)
{
    if (by <= -STEP_LIMIT || by >= STEP_LIMIT) {
        return false;
    }
    x->factor *= by;
    x->constant *= by;
    return x->factor > -STEP_LIMIT && x->factor < STEP_LIMIT && x->constant > -STEP_LIMIT && x->constant < STEP_LIMIT;
}

static bool add(struct linear *x, const struct linear *y)
{
    if (x->counter != NULL && y->counter != NULL && x->counter != y->counter) {
        return false;
    }
    x->counter = x->counter != NULL ? x->counter : y->counter;
    x->factor += y->factor;
    x->constant += y->constant;
    return scale(x, 1);
}

// What a variable has been set to in the same iteration; NULL: not known.
static const struct ir_inst *source_of(struct emitter *e, const struct ir_inst *value)
{
    return value->op == IR_OP_GET ? e->function->sources[value->id] : NULL;
}

static bool find(struct emitter *e, const struct ir_inst *value, const struct ir_region *body, int depth,
                 struct linear *out)
{
    *out = (struct linear){0};
    const struct emit_counter *counter = emit_counter_of(e, value);
    if (counter != NULL && counter->body == body) {
        *out = (struct linear){.counter = counter, .factor = 1};
        return true;
    }
    if (value->op == IR_OP_CONST) {
        out->constant = value->imm;
        return scale(out, 1);
    }
    if (is_invariant(e, value, body, 0)) {
        return true;
    }
    if (depth == DEPTH_LIMIT || value->type != IR_I32) {
        return false;
    }
    if (source_of(e, value) != NULL) {
        return find(e, source_of(e, value), body, depth + 1, out);
    }
    struct linear right;
    bool is_known = (value->op == IR_OP_ADD || value->op == IR_OP_SUB || value->op == IR_OP_MUL) &&
                    find(e, value->args[0], body, depth + 1, out) && find(e, value->args[1], body, depth + 1, &right);
    if (!is_known) {
        return false;
    }
    if (value->op == IR_OP_MUL) {
        const struct ir_inst *x = value->args[0], *y = value->args[1];
        if (x->op == IR_OP_CONST) {
            *out = right;
            return scale(out, x->imm);
        }
        return y->op == IR_OP_CONST && scale(out, y->imm);
    }
    return (value->op == IR_OP_ADD || scale(&right, -1)) && add(out, &right);
}

// ---- the index
// ---------------------------------------------------------------------------------------------------------------

// |value| in the first iteration, without its constant, which is left to the caller.
static LLVMValueRef emit_first(struct emitter *e, const struct ir_inst *value, const struct linear *linear)
{
    const struct emit_counter *counter = emit_counter_of(e, value);
    if (counter != NULL && counter == linear->counter) {
        return LLVMBuildTrunc(e->builder, counter->first, e->types[IR_I32], "");
    }
    if (value->op == IR_OP_CONST) {
        return emit_const(e, IR_I32, 0);
    }
    if (is_invariant(e, value, linear->counter->body, 0)) {
        return emit_value(e, value);
    }
    if (source_of(e, value) != NULL) {
        return emit_first(e, source_of(e, value), linear);
    }
    const struct ir_inst *x = value->args[0], *y = value->args[1];
    bool is_scaled = value->op == IR_OP_MUL;
    LLVMValueRef left = is_scaled && x->op == IR_OP_CONST ? emit_value(e, x) : emit_first(e, x, linear);
    LLVMValueRef right = is_scaled && y->op == IR_OP_CONST ? emit_value(e, y) : emit_first(e, y, linear);
    return emit_binary(e, value->op, IR_I32, left, right);
}

// A constant below zero is added in 32 bits, with the rest: the sum may come back from below the least number, and is
// then an index like others. One above zero leads out of the array if it does not fit.
static LLVMValueRef emit_sum(struct emitter *e, const struct ir_inst *value, const struct linear *linear)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef first = emit_first(e, value, linear);
    if (linear->constant < 0) {
        first = LLVMBuildAdd(b, first, emit_const(e, IR_I32, linear->constant), "");
    }
    LLVMValueRef distance = LLVMBuildNSWSub(b, linear->counter->wide, linear->counter->first, "");
    distance = LLVMBuildNSWMul(b, distance, emit_i64(e, linear->factor), "");
    LLVMValueRef sum = LLVMBuildNSWAdd(b, LLVMBuildSExt(b, first, e->types[IR_I64], ""), distance, "");
    return linear->constant > 0 ? LLVMBuildNSWAdd(b, sum, emit_i64(e, linear->constant), "") : sum;
}

LLVMValueRef emit_linear_index(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_INDEX);
    const struct ir_inst *index = inst->args[1];
    struct linear linear;
    bool is_plain = target_is_gpu(e->target) && e->function->ir->count == NULL; // of one iteration: little to gain
    if (is_plain || e->options->unoptimised || e->check_bounds || e->function->counters == NULL ||
        index->op != IR_OP_SEXT || index->args[0]->type != IR_I32 || emit_counter_of(e, index->args[0]) != NULL ||
        !find(e, index->args[0], inst->parent, 0, &linear) || linear.counter == NULL || linear.factor == 0) {
        return NULL;
    }
    int64_t step = linear.counter->step;
    bool is_short = step > -STEP_LIMIT && step < STEP_LIMIT && step * linear.factor > -STEP_LIMIT &&
                    step * linear.factor < STEP_LIMIT;
    if (!is_short || linear.counter->first == NULL || !has_begin(e, inst) || !is_accessed(e, inst) ||
        !is_complete(e, inst->parent)) {
        return NULL;
    }
    return emit_sum(e, index->args[0], &linear);
}

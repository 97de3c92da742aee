// A run of a scan that a team of a GPU's threads shares out: see passes/scan_build.c for the loop. Iterations are taken
// in rows of as many as the team has threads, neighbours by neighbours. What stands ahead of the place where values are
// handed on is done for several rows at once, so that their loads are under way together; then each row in turn finds,
// by steps over distances 1, 2, 4, …, what comes before each of its iterations; then the rest is done. The order in
// which values are combined follows from the iterations' numbers alone.
//
// What remains behind the last whole set of rows is done row by row, where a thread without an iteration does the first
// part of the last one, which another has, and adds nothing.
//
// The stand-in, whose one thread is all of a team, runs such loops as they stand (emit_loop.c).
#include "codegen/emit.h"

#include "ir/assignment.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

enum { ROWS = 8, ROWS_LARGE = 2, LARGE_BODY = 64, HANDED_MOST = 16 };

struct row {              // what one row has for itself while others are emitted in between
    LLVMValueRef *values; // by ir_inst.id
    LLVMValueRef *vars;   // by ir_var.index
    LLVMValueRef k;       // this thread's iteration, i64
    LLVMValueRef before[HANDED_MOST];
};

struct scan {
    const struct ir_inst *loop;
    const struct ir_inst *handed[HANDED_MOST]; // VUPDATE; before it stands the GET
    int handed_count;
    const struct ir_inst *rest; // what follows; NULL: nothing
    LLVMValueRef init;          // of the loop's variable
    LLVMValueRef trip;
};

// ---- the loop's parts ---------------------------------------------------------------------------------------------

// The iteration's own variables are set in it before all else.
static bool is_set_in(const struct ir_inst *loop, const struct ir_var *var)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_SET && inst->var == var) {
            return true;
        }
    }
    return false;
}

static bool hands_on(const struct scan *s, const struct ir_inst *inst)
{
    return inst->op == IR_OP_VUPDATE && !is_set_in(s->loop, inst->var);
}

static bool is_own(const struct scan *s, const struct ir_var *var)
{
    bool is_handed = false;
    for (int i = 0; i < s->handed_count; i++) {
        is_handed |= s->handed[i]->var == var;
    }
    return !is_handed && !var->is_memory && (var == s->loop->loop->var || assignment_is_in(s->loop, var));
}

static void find_parts(struct scan *s)
{
    for (const struct ir_inst *inst = s->loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (hands_on(s, inst)) {
            assert(s->handed_count < HANDED_MOST && inst->prev->op == IR_OP_GET && inst->prev->var == inst->var);
            s->handed[s->handed_count++] = inst;
            s->rest = inst->next;
        }
    }
    assert(s->handed_count > 0);
}

static int count_insts(const struct ir_region *region)
{
    int count = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        count += ir_op_repeats(inst->op) ? LARGE_BODY : inst->op != IR_OP_CONST;
        for (int i = 0; i < inst->region_count; i++) {
            count += count_insts(&inst->regions[i]);
        }
    }
    return count;
}

// The iteration's own variables are there once for each row.
static struct row make_row(struct emitter *e, const struct scan *s)
{
    struct emit_function *f = e->function;
    struct row row = {.values = ARENA_ARRAY(e->arena, LLVMValueRef, f->ir->value_count + 1),
                      .vars = ARENA_ARRAY(e->arena, LLVMValueRef, f->ir->var_count + 1)};
    for (int i = 0; i < f->ir->var_count; i++) {
        const struct ir_var *var = f->ir->vars[i];
        uint32_t size = (uint32_t)ir_type_size(var->type);
        row.vars[i] = is_own(s, var) ? emit_alloca(e, e->types[var->type], size, var->name) : f->vars[i];
    }
    return row;
}

static void emit_piece(struct emitter *e, const struct scan *s, const struct ir_inst *first,
                       const struct ir_inst *behind)
{
    emit_insts(e, first, behind);
    emit_counter_close(e, s->loop); // of this row
}

static void emit_ahead(struct emitter *e, const struct scan *s, struct row *row)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    const struct ir_for *loop = s->loop->loop;
    LLVMValueRef *values = f->values, *vars = f->vars;
    f->values = row->values;
    f->vars = row->vars;
    for (int i = 0; i < f->ir->value_count; i++) {
        row->values[i] = values[i];
    }
    for (int i = 0; i < f->ir->var_count; i++) {
        const struct ir_var *var = f->ir->vars[i];
        if (is_own(s, var)) {
            LLVMBuildStore(b, LLVMConstNull(e->types[var->type]), row->vars[i]);
        }
    }
    LLVMValueRef way = LLVMBuildNSWMul(b, row->k, emit_i64(e, loop->step), "");
    LLVMBuildStore(b, LLVMBuildNSWAdd(b, s->init, way, ""), row->vars[loop->var->index]);
    emit_piece(e, s, s->loop->regions[0].first, s->handed[0]->prev);
    f->values = values;
    f->vars = vars;
}

static void emit_rest(struct emitter *e, const struct scan *s, struct row *row)
{
    struct emit_function *f = e->function;
    LLVMValueRef *values = f->values, *vars = f->vars;
    f->values = row->values;
    f->vars = row->vars;
    for (int i = 0; i < s->handed_count; i++) {
        emit_set_value(e, s->handed[i]->prev, row->before[i]);
    }
    if (s->rest != NULL) {
        emit_piece(e, s, s->rest, NULL);
    }
    f->values = values;
    f->vars = vars;
}

// ---- what is handed on --------------------------------------------------------------------------------------------

static LLVMValueRef merge(struct emitter *e, const struct ir_inst *update, LLVMValueRef x, LLVMValueRef y)
{
    return emit_update_value(e, ir_update_merge(update->update), update->var->type, x, y, LLVMFastMathNone);
}

static LLVMValueRef identity_of(struct emitter *e, const struct ir_inst *update)
{
    union ir_value identity;
    enum ir_type type = update->var->type;
    bool has_one = ir_update_identity(update->update, type, &identity);
    assert(has_one);
    (void)has_one;
    return ir_type_is_float(type) ? emit_real(e, type, identity.f) : emit_const(e, type, identity.i);
}

// What the threads before this one come to: where |own| can be taken out again, |sum|, which includes it, says so.
static LLVMValueRef without_own(struct emitter *e, const struct ir_inst *update, LLVMValueRef sum, LLVMValueRef own)
{
    LLVMBuilderRef b = e->builder;
    enum ir_type type = update->var->type;
    enum ir_update by = ir_update_merge(update->update);
    if (!ir_type_is_float(type) && by == IR_UPDATE_ADD) {
        return LLVMBuildSub(b, sum, own, "");
    }
    if (!ir_type_is_float(type) && by == IR_UPDATE_XOR) {
        return LLVMBuildXor(b, sum, own, "");
    }
    const struct emit_team *team = e->function->team;
    LLVMValueRef before = LLVMBuildSub(b, team->warp_lane, emit_const(e, IR_I32, 1), "");
    LLVMValueRef left = emit_from_lane(e, type, sum, before);
    LLVMValueRef place = LLVMBuildAnd(b, team->warp_lane, emit_const(e, IR_I32, ABI_GPU_TEAM - 1), "");
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, place, emit_const(e, IR_I32, 0), "");
    return LLVMBuildSelect(b, is_first, identity_of(e, update), left, "");
}

// What the iterations of the row before this thread's come to, with what comes before the row; and the latter for the
// next one.
static LLVMValueRef hand_on(struct emitter *e, const struct ir_inst *update, LLVMValueRef own)
{
    LLVMBuilderRef b = e->builder;
    const struct emit_team *team = e->function->team;
    enum ir_type type = update->var->type;
    LLVMValueRef slot = e->function->vars[update->var->index];
    LLVMValueRef place = LLVMBuildAnd(b, team->warp_lane, emit_const(e, IR_I32, ABI_GPU_TEAM - 1), "");
    LLVMValueRef sum = own;
    for (int distance = 1; distance < ABI_GPU_TEAM; distance *= 2) {
        LLVMValueRef from = LLVMBuildSub(b, team->warp_lane, emit_const(e, IR_I32, distance), "");
        LLVMValueRef other = emit_from_lane(e, type, sum, from);
        LLVMValueRef has_other = LLVMBuildICmp(b, LLVMIntUGE, place, emit_const(e, IR_I32, distance), "");
        sum = LLVMBuildSelect(b, has_other, merge(e, update, other, sum), sum, "");
    }
    LLVMValueRef carried = LLVMBuildLoad2(b, e->types[type], slot, update->var->name);
    LLVMValueRef last = LLVMBuildOr(b, team->warp_lane, emit_const(e, IR_I32, ABI_GPU_TEAM - 1), "");
    LLVMBuildStore(b, merge(e, update, carried, emit_from_lane(e, type, sum, last)), slot);
    return merge(e, update, carried, without_own(e, update, sum, own));
}

// |is_active| NULL: all threads have an iteration.
static void hand_on_all(struct emitter *e, const struct scan *s, struct row *row, LLVMValueRef is_active)
{
    for (int i = 0; i < s->handed_count; i++) {
        const struct ir_inst *update = s->handed[i];
        LLVMValueRef own = row->values[update->args[0]->id];
        own = is_active != NULL ? LLVMBuildSelect(e->builder, is_active, own, identity_of(e, update), "") : own;
        row->before[i] = hand_on(e, update, own);
    }
}

// ---- rows ---------------------------------------------------------------------------------------------------------

struct round_loop {
    LLVMBasicBlockRef before;
    LLVMBasicBlockRef body;
    LLVMBasicBlockRef after;
    LLVMValueRef first;
    LLVMValueRef limit;
    LLVMValueRef step;
    LLVMValueRef at;
};

static void open_rounds(struct emitter *e, struct round_loop *loop)
{
    LLVMBuilderRef b = e->builder;
    loop->before = LLVMGetInsertBlock(b);
    loop->body = emit_block(e, "rows");
    loop->after = emit_block(e, "done");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, loop->first, loop->limit, ""), loop->body, loop->after);
    emit_at(e, loop->body);
    loop->at = LLVMBuildPhi(b, e->types[IR_I64], "row");
}

static void close_rounds(struct emitter *e, struct round_loop *loop, struct loc loc)
{
    LLVMBuilderRef b = e->builder;
    debug_at(e, b, loc);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMValueRef next = LLVMBuildNUWAdd(b, loop->at, loop->step, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, loop->limit, ""), loop->body, loop->after);
    LLVMAddIncoming(loop->at, (LLVMValueRef[]){loop->first, next}, (LLVMBasicBlockRef[]){loop->before, latch}, 2);
    emit_at(e, loop->after);
}

static void emit_whole_rows(struct emitter *e, const struct scan *s, int rows, LLVMValueRef limit)
{
    struct row set[ROWS];
    assert(rows <= ROWS);
    struct round_loop loop = {
        .first = emit_i64(e, 0), .limit = limit, .step = emit_i64(e, (int64_t)rows * ABI_GPU_TEAM)};
    open_rounds(e, &loop);
    for (int i = 0; i < rows; i++) {
        set[i] = make_row(e, s);
        LLVMValueRef row = LLVMBuildAdd(e->builder, loop.at, emit_i64(e, (int64_t)i * ABI_GPU_TEAM), "");
        set[i].k = LLVMBuildAdd(e->builder, row, e->function->team->lane, "");
        emit_ahead(e, s, &set[i]);
    }
    for (int i = 0; i < rows; i++) {
        hand_on_all(e, s, &set[i], NULL);
    }
    for (int i = 0; i < rows; i++) {
        emit_rest(e, s, &set[i]);
    }
    close_rounds(e, &loop, s->loop->loc);
}

static void emit_last_rows(struct emitter *e, const struct scan *s, LLVMValueRef first)
{
    LLVMBuilderRef b = e->builder;
    struct round_loop loop = {.first = first, .limit = s->trip, .step = emit_i64(e, ABI_GPU_TEAM)};
    open_rounds(e, &loop);
    struct row row = make_row(e, s);
    LLVMValueRef k = LLVMBuildAdd(b, loop.at, e->function->team->lane, "");
    LLVMValueRef is_active = LLVMBuildICmp(b, LLVMIntULT, k, s->trip, "active");
    row.k = LLVMBuildSelect(b, is_active, k, LLVMBuildSub(b, s->trip, emit_i64(e, 1), ""), "");
    emit_ahead(e, s, &row);
    hand_on_all(e, s, &row, is_active);
    LLVMBasicBlockRef active = emit_block(e, "active");
    LLVMBasicBlockRef next = emit_block(e, "next");
    LLVMBuildCondBr(b, is_active, active, next);
    emit_at(e, active);
    emit_rest(e, s, &row);
    emit_go(e, next);
    emit_at(e, next);
    close_rounds(e, &loop, s->loop->loc);
}

bool emit_scan_is_one(const struct emitter *e, const struct ir_inst *loop)
{
    return loop->loop->scan == IR_SCAN_HANDS_ON && emit_team_spreads(e, loop) && !e->target->is_stand_in;
}

void emit_scan(struct emitter *e, const struct ir_inst *loop, LLVMValueRef init, LLVMValueRef trip)
{
    assert(emit_scan_is_one(e, loop) && loop->loop->var->type == IR_I64 && e->function->team->column == NULL);
    LLVMBuilderRef b = e->builder;
    struct scan s = {.loop = loop, .init = init, .trip = trip};
    find_parts(&s);
    int rows = count_insts(&loop->regions[0]) >= LARGE_BODY ? ROWS_LARGE : ROWS;
    emit_team_open(e, loop);
    LLVMValueRef size = emit_i64(e, (int64_t)rows * ABI_GPU_TEAM);
    LLVMValueRef whole = LLVMBuildMul(b, LLVMBuildUDiv(b, trip, size, ""), size, "whole");
    emit_whole_rows(e, &s, rows, whole);
    emit_last_rows(e, &s, whole);
    emit_team_close(e, loop, trip);
}

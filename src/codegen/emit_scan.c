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
#include "ir/lists.h"
#include "ir/points_to.h"
#include "ir/running.h"
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
    const struct ir_inst *handed[HANDED_MOST]; // VUPDATE; before it stands the GET, but of running values
    int handed_count;
    bool is_running;            // values are read and updated as in the source: ir/running.h
    const struct lists *lists;  // not NULL: nothing is handed on but by these
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

static bool is_handed(const struct scan *s, const struct ir_var *var)
{
    for (int i = 0; i < s->handed_count; i++) {
        if (s->handed[i]->var == var) {
            return true;
        }
    }
    return false;
}

static bool is_own(const struct scan *s, const struct ir_var *var)
{
    return !is_handed(s, var) && !var->is_memory && (var == s->loop->loop->var || assignment_is_in(s->loop, var));
}

static bool writes_memory(const struct ir_inst *inst)
{
    bool writes = ir_op_writes(inst->op);
    for (int i = 0; i < inst->region_count; i++) {
        WALK (inner, &inst->regions[i]) {
            writes |= ir_op_writes(inner->op);
        }
    }
    return writes;
}

// The first of the loop's own instructions that writes memory; NULL: none does.
static const struct ir_inst *first_write(const struct ir_inst *loop)
{
    const struct ir_inst *inst = loop->regions[0].first;
    while (inst != NULL && !writes_memory(inst)) {
        inst = inst->next;
    }
    return inst;
}

// What ends the part that is done ahead.
static const struct ir_inst *end_of_ahead(const struct scan *s)
{
    bool hands_on = s->handed_count > 0 && !s->is_running;
    return s->lists != NULL ? s->lists->old : hands_on ? s->handed[0]->prev : s->rest;
}

static void find_parts(struct scan *s)
{
    if (s->lists != NULL) {
        s->rest = s->lists->old->next;
        return;
    }
    struct running running;
    if (s->loop->loop->scan == IR_SCAN_RUNNING && running_find(s->loop, &running)) {
        s->is_running = true;
        s->rest = running.behind;
        for (int i = 0; i < running.count; i++) {
            s->handed[s->handed_count++] = running.updates[i];
        }
        return;
    }
    if (s->loop->loop->scan != IR_SCAN_HANDS_ON) {
        s->rest = first_write(s->loop);
        return;
    }
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
        bool is_copied = is_own(s, var) || (s->is_running && is_handed(s, var));
        row.vars[i] = is_copied ? emit_alloca(e, e->types[var->type], size, var->name) : f->vars[i];
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
    way = loop->var->type == IR_I64 ? way : LLVMBuildTrunc(b, way, e->types[loop->var->type], "");
    LLVMBuildStore(b, LLVMBuildAdd(b, s->init, way, ""), row->vars[loop->var->index]);
    emit_piece(e, s, s->loop->regions[0].first, end_of_ahead(s));
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
        if (s->is_running) {
            LLVMBuildStore(e->builder, row->before[i], row->vars[s->handed[i]->var->index]);
        } else {
            emit_set_value(e, s->handed[i]->prev, row->before[i]);
        }
    }
    if (s->lists != NULL) {
        emit_set_value(e, s->lists->old, row->before[0]);
        emit_insts(e, s->rest, s->lists->new);
        emit_piece(e, s, s->lists->new->next, NULL);
    } else if (s->rest != NULL) {
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

// The operations that make a value of what is there ahead, wherever they stand.
static void make_value(struct emitter *e, const struct ir_inst *inst)
{
    if (e->function->values[inst->id] == NULL && ir_op_is_pure(inst->op)) {
        for (int i = 0; i < inst->arg_count; i++) {
            make_value(e, inst->args[i]);
        }
        emit_insts(e, inst, inst->next);
    }
}

static LLVMValueRef value_of_row(struct emitter *e, struct row *row, const struct ir_inst *inst)
{
    LLVMValueRef *values = e->function->values;
    e->function->values = row->values;
    make_value(e, inst);
    LLVMValueRef value = emit_value(e, inst);
    e->function->values = values;
    return value;
}

// |is_active| NULL: all threads have an iteration.
static void hand_on_all(struct emitter *e, const struct scan *s, struct row *row, LLVMValueRef is_active)
{
    if (s->lists != NULL) {
        LLVMValueRef at = value_of_row(e, row, s->lists->at);
        row->before[0] = emit_lists_take(e, s->lists, at, is_active);
    }
    for (int i = 0; i < s->handed_count; i++) {
        const struct ir_inst *update = s->handed[i];
        LLVMValueRef own = value_of_row(e, row, update->args[0]);
        if (s->is_running) {
            enum ir_type type = update->var->type;
            own = emit_update_value(e, update->update, type, identity_of(e, update), own, LLVMFastMathNone);
        }
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

// Memory of the iteration is there once for a thread, and so for all of its rows.
static bool has_memory(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (inst->op == IR_OP_ADDR_VAR && !inst->var->is_team) {
            return true;
        }
    }
    return false;
}

// Iterations that update what the team shares, a histogram for instance: the compiler after us would not move the loads
// of one over the updates of another.
static bool is_gathering(const struct ir_inst *loop)
{
    bool is_one = false;
    WALK (inst, &loop->regions[0]) {
        bool is_update = inst->op == IR_OP_UPDATE && address_root(inst->args[0])->op == IR_OP_ADDR_VAR;
        is_one |= is_update && address_root(inst->args[0])->var->is_team;
        if (ir_op_repeats(inst->op)) {
            return false;
        }
    }
    return is_one && loop->loop->role_count == 0 && !has_memory(loop);
}

bool emit_scan_is_one(const struct emitter *e, const struct ir_inst *loop)
{
    bool is_scan = loop->loop->scan > IR_SCAN_AHEAD || is_gathering(loop);
    bool is_warp = e->function->team != NULL && e->function->team->column == NULL;
    return is_scan && is_warp && emit_team_spreads(e, loop) && !e->target->is_stand_in;
}

static int count_rows(const struct ir_inst *loop)
{
    bool is_large = count_insts(&loop->regions[0]) >= LARGE_BODY;
    return loop->loop->scan >= IR_SCAN_LISTS && has_memory(loop) ? 1 : is_large ? ROWS_LARGE : ROWS;
}

LLVMValueRef emit_scan(struct emitter *e, const struct ir_inst *loop, LLVMValueRef init, LLVMValueRef trip)
{
    assert(emit_scan_is_one(e, loop) && e->function->team->column == NULL);
    LLVMBuilderRef b = e->builder;
    struct lists lists;
    struct scan s = {.loop = loop, .init = init, .trip = trip};
    if (loop->loop->scan == IR_SCAN_LISTS) {
        if (!lists_find(loop, &lists)) {
            emit_fail(e, loop->loc, "internal: the lists of a loop are gone");
            return NULL;
        }
        s.lists = &lists;
    }
    find_parts(&s);
    if (loop->loop->scan == IR_SCAN_RUNNING && !s.is_running) {
        emit_fail(e, loop->loc, "internal: the running values of a loop are gone");
        return NULL;
    }
    int rows = count_rows(loop);
    emit_team_open(e, loop);
    if (s.lists != NULL) {
        emit_lists_keep(e, s.lists);
    }
    LLVMValueRef size = emit_i64(e, (int64_t)rows * ABI_GPU_TEAM);
    LLVMValueRef whole = LLVMBuildMul(b, LLVMBuildUDiv(b, trip, size, ""), size, "whole");
    emit_whole_rows(e, &s, rows, whole);
    emit_last_rows(e, &s, whole);
    emit_team_close(e, loop, trip);
    return s.lists != NULL ? emit_lists_meet(e, s.lists) : NULL;
}

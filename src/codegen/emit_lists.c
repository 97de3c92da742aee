// Lists that the threads of a GPU's team append to together (ir/lists.h): `out[count[e]++] = x`. The counters lie in
// memory that the team shares (emit_team.c). Iterations are taken in rows (emit_scan.c); in each of them a thread finds
// out, bit by bit of the list's number, which others append to the same list, and so how many come before it; the first
// of these moves the counter on for all. So each list gets what it gets in the order of the iterations.
//
// In C two lists may come to one place, where what was stored last stays. Threads do not store in that order. So the
// counters are looked at behind the loop: where a list has not ended before the next one began, its first thread does
// the loop again, in order, from what the counters were before.
#include "codegen/emit.h"

#include "ir/lists.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

// ---- what a team shares -------------------------------------------------------------------------------------------

static uint64_t size_of(const struct ir_var *var)
{
    return (var->size + 7) / 8 * 8;
}

bool emit_lists_share_locals(const struct ir_function *ir)
{
    for (int i = 0; i < ir->var_count; i++) {
        if (ir->vars[i]->is_team) {
            return true;
        }
    }
    return false;
}

bool emit_lists_has_locals(const struct emitter *e)
{
    return emit_lists_share_locals(e->function->ir) && !e->target->is_stand_in;
}

static LLVMValueRef place_at(struct emitter *e, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef bytes = emit_i64(e, (int64_t)offset);
    return LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], base, &bytes, 1, "");
}

// Of the largest array of counters, of a loop that appends to lists.
static uint64_t size_of_counters(const struct ir_function *ir)
{
    uint64_t most = 0;
    struct lists lists;
    WALK (inst, &ir->body) {
        bool has_lists = inst->op == IR_OP_FOR && inst->loop->scan == IR_SCAN_LISTS && lists_find(inst, &lists);
        most = has_lists && lists.counters->is_team && size_of(lists.counters) > most ? size_of(lists.counters) : most;
    }
    return most;
}

// The tasks of a resident loop, which run one after the other in one grid, use the same memory.
static LLVMValueRef room_for(struct emitter *e, uint64_t bytes)
{
    static const char name[] = "rill_resident_locals";
    bool is_resident = e->function->resident != NULL;
    LLVMValueRef made = is_resident ? LLVMGetNamedGlobal(e->llvm, name) : NULL;
    if (made != NULL) {
        return made;
    }
    bytes = is_resident ? ABI_GPU_TEAM_LOCALS : bytes;
    LLVMTypeRef type = LLVMArrayType2(e->types[IR_I8], bytes * ABI_GPU_TEAMS_MOST);
    return emit_shared(e, type, is_resident ? name : "rill_locals");
}

// The locals that the team shares get their places; behind them there is room for one of them as it was.
void emit_lists_begin_locals(struct emitter *e, struct emit_team *team, const struct emit_thread *thread)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    team->own_vars = f->vars;
    team->kept = NULL;
    if (!emit_lists_has_locals(e)) {
        return;
    }
    uint64_t size = 0, kept = size_of_counters(f->ir);
    for (int i = 0; i < f->ir->var_count; i++) {
        size += f->ir->vars[i]->is_team ? size_of(f->ir->vars[i]) : 0;
    }
    uint64_t bytes = size + kept;
    assert(bytes <= ABI_GPU_TEAM_LOCALS);
    LLVMValueRef shared = emit_generic(e, room_for(e, bytes));
    LLVMValueRef number = LLVMBuildUDiv(b, thread->lane, emit_i64(e, ABI_GPU_TEAM), "");
    LLVMValueRef offset = LLVMBuildMul(b, number, emit_i64(e, (int64_t)bytes), "");
    LLVMValueRef own = LLVMBuildInBoundsGEP2(b, e->types[IR_I8], shared, &offset, 1, "locals");
    f->vars = ARENA_ARRAY(e->arena, LLVMValueRef, f->ir->var_count + 1);
    uint64_t at = 0;
    for (int i = 0; i < f->ir->var_count; i++) {
        f->vars[i] = team->own_vars[i];
        if (f->ir->vars[i]->is_team) {
            f->vars[i] = place_at(e, own, at);
            at += size_of(f->ir->vars[i]);
        }
    }
    team->kept = place_at(e, own, at);
}

void emit_lists_end_locals(struct emitter *e)
{
    e->function->vars = e->function->team->own_vars;
}

// ---- the counters before and behind ---------------------------------------------------------------------------------

struct counters {
    struct lists lists;
    LLVMValueRef base;
    LLVMValueRef kept;
    enum ir_type type;
    uint32_t size;
};

static struct counters counters_of(struct emitter *e, const struct lists *lists)
{
    assert(e->function->team->kept != NULL && lists->counters->is_team);
    return (struct counters){.lists = *lists,
                             .base = e->function->vars[lists->counters->index],
                             .kept = e->function->team->kept,
                             .type = lists->old->type,
                             .size = (uint32_t)ir_type_size(lists->old->type)};
}

static LLVMValueRef counter_at(struct emitter *e, const struct counters *c, LLVMValueRef base, LLVMValueRef number)
{
    return LLVMBuildInBoundsGEP2(e->builder, e->types[c->type], base, &number, 1, "");
}

// Counters lane, lane + 32, …, each handed to |body| as an i64, in code that all threads of the team run.
static void each_counter(struct emitter *e, const struct counters *c, int64_t count,
                         void (*body)(struct emitter *e, const struct counters *c, LLVMValueRef number, void *user),
                         void *user)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef loop = emit_block(e, "counter");
    LLVMBasicBlockRef after = emit_block(e, "counters");
    LLVMValueRef limit = emit_i64(e, count), first = e->function->team->lane;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, first, limit, ""), loop, after);
    emit_at(e, loop);
    LLVMValueRef number = LLVMBuildPhi(b, e->types[IR_I64], "");
    body(e, c, number, user);
    LLVMValueRef next = LLVMBuildNUWAdd(b, number, emit_i64(e, ABI_GPU_TEAM), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, limit, ""), loop, after);
    LLVMAddIncoming(number, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    emit_at(e, after);
}

static void keep(struct emitter *e, const struct counters *c, LLVMValueRef number, void *user)
{
    (void)user;
    LLVMValueRef value = emit_load_raw(e, c->type, counter_at(e, c, c->base, number), c->size);
    emit_store_raw(e, c->type, value, counter_at(e, c, c->kept, number), c->size);
}

static void restore(struct emitter *e, const struct counters *c, LLVMValueRef number, void *user)
{
    (void)user;
    LLVMValueRef value = emit_load_raw(e, c->type, counter_at(e, c, c->kept, number), c->size);
    emit_store_raw(e, c->type, value, counter_at(e, c, c->base, number), c->size);
}

// Whether the list has come to where the next one began, or around; |user| is the address of an i1.
static void look(struct emitter *e, const struct counters *c, LLVMValueRef number, void *user)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef slot = user;
    LLVMValueRef last = emit_i64(e, c->lists.count - 1);
    LLVMValueRef next = LLVMBuildAdd(b, number, emit_i64(e, 1), "");
    next = emit_intrinsic2(e, "llvm.umin", next, last);
    LLVMValueRef is_last = LLVMBuildICmp(b, LLVMIntEQ, number, last, "");
    LLVMValueRef begin = emit_load_raw(e, c->type, counter_at(e, c, c->kept, number), c->size);
    LLVMValueRef end = emit_load_raw(e, c->type, counter_at(e, c, c->base, number), c->size);
    LLVMValueRef other = emit_load_raw(e, c->type, counter_at(e, c, c->kept, next), c->size);
    LLVMValueRef is_around = LLVMBuildICmp(b, LLVMIntSGT, begin, end, "");
    LLVMValueRef is_over = LLVMBuildICmp(b, LLVMIntSGT, end, LLVMBuildSelect(b, is_last, end, other, ""), "");
    LLVMValueRef was = LLVMBuildLoad2(b, e->types[IR_I1], slot, "");
    LLVMBuildStore(b, LLVMBuildOr(b, was, LLVMBuildOr(b, is_around, is_over, ""), ""), slot);
}

void emit_lists_keep(struct emitter *e, const struct lists *lists)
{
    struct counters c = counters_of(e, lists);
    each_counter(e, &c, lists->count, keep, NULL);
    emit_team_meet(e);
}

// ---- threads that append to one list
// ----------------------------------------------------------------------------------

// i32: which threads of the team have it.
static LLVMValueRef ballot(struct emitter *e, LLVMValueRef truth)
{
    LLVMBuilderRef b = e->builder;
    if (e->target->kind == TARGET_NVPTX) {
        LLVMValueRef args[2] = {emit_const(e, IR_I32, -1), truth};
        return emit_intrinsic(e, "llvm.nvvm.vote.ballot.sync", NULL, 0, args, 2);
    }
    LLVMTypeRef type = e->types[emit_warp_size(e) == 64 ? IR_I64 : IR_I32];
    LLVMValueRef all = emit_intrinsic(e, "llvm.amdgcn.ballot", &type, 1, &truth, 1);
    if (emit_warp_size(e) == 64) { // a wave is two teams
        LLVMValueRef half = LLVMBuildAnd(b, e->function->team->warp_lane, emit_const(e, IR_I32, ABI_GPU_TEAM), "");
        all = LLVMBuildTrunc(b, LLVMBuildLShr(b, all, LLVMBuildZExt(b, half, type, ""), ""), e->types[IR_I32], "");
    }
    return all;
}

static LLVMValueRef any(struct emitter *e, LLVMValueRef truth)
{
    return LLVMBuildICmp(e->builder, LLVMIntNE, ballot(e, truth), emit_const(e, IR_I32, 0), "");
}

// Which threads of the team have the same number |at|, i64 and below |count|, and are active (NULL: all are).
static LLVMValueRef same_list(struct emitter *e, LLVMValueRef at, int64_t count, LLVMValueRef is_active)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef number = LLVMBuildTrunc(b, at, e->types[IR_I32], "");
    LLVMValueRef same = is_active != NULL ? ballot(e, is_active) : emit_const(e, IR_I32, -1);
    for (int bit = 0; (INT64_C(1) << bit) < count; bit++) {
        LLVMValueRef own = LLVMBuildAnd(b, number, emit_const(e, IR_I32, INT64_C(1) << bit), "");
        LLVMValueRef has = LLVMBuildICmp(b, LLVMIntNE, own, emit_const(e, IR_I32, 0), "");
        LLVMValueRef with = ballot(e, has);
        same = LLVMBuildAnd(b, same, LLVMBuildSelect(b, has, with, LLVMBuildNot(b, with, ""), ""), "");
    }
    return same;
}

LLVMValueRef emit_lists_take(struct emitter *e, const struct lists *lists, LLVMValueRef at, LLVMValueRef is_active)
{
    LLVMBuilderRef b = e->builder;
    struct counters c = counters_of(e, lists);
    LLVMValueRef zero = emit_const(e, IR_I32, 0);
    LLVMValueRef same = same_list(e, at, lists->count, is_active);
    LLVMValueRef place = LLVMBuildAnd(b, e->function->team->warp_lane, emit_const(e, IR_I32, ABI_GPU_TEAM - 1), "");
    LLVMValueRef below = LLVMBuildShl(b, emit_const(e, IR_I32, 1), place, "");
    below = LLVMBuildAnd(b, same, LLVMBuildSub(b, below, emit_const(e, IR_I32, 1), ""), "");
    LLVMValueRef before = emit_intrinsic1(e, "llvm.ctpop", below);
    LLVMValueRef all = emit_intrinsic1(e, "llvm.ctpop", same);
    LLVMValueRef counter = counter_at(e, &c, c.base, at);
    LLVMValueRef old = emit_load_raw(e, c.type, counter, c.size);
    emit_team_meet(e); // all have read
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, before, zero, "");
    is_first = is_active != NULL ? LLVMBuildAnd(b, is_first, is_active, "") : is_first;
    LLVMBasicBlockRef move = emit_block(e, "move");
    LLVMBasicBlockRef moved = emit_block(e, "moved");
    LLVMBuildCondBr(b, is_first, move, moved);
    emit_at(e, move);
    LLVMValueRef more = LLVMBuildZExt(b, all, e->types[c.type], "");
    emit_store_raw(e, c.type, LLVMBuildAdd(b, old, more, ""), counter, c.size);
    LLVMBuildBr(b, moved);
    emit_at(e, moved);
    emit_team_meet(e);
    return LLVMBuildAdd(b, old, LLVMBuildZExt(b, before, e->types[c.type], ""), "");
}

LLVMValueRef emit_lists_meet(struct emitter *e, const struct lists *lists)
{
    LLVMBuilderRef b = e->builder;
    struct counters c = counters_of(e, lists);
    LLVMValueRef slot = emit_alloca(e, e->types[IR_I1], 1, "over");
    LLVMBuildStore(b, emit_const(e, IR_I1, 0), slot);
    each_counter(e, &c, lists->count, look, slot);
    LLVMValueRef has_met = any(e, LLVMBuildLoad2(b, e->types[IR_I1], slot, ""));
    LLVMBasicBlockRef again = emit_block(e, "again");
    LLVMBasicBlockRef good = emit_block(e, "apart");
    LLVMBuildCondBr(b, has_met, again, good);
    emit_at(e, again);
    each_counter(e, &c, lists->count, restore, NULL);
    emit_team_meet(e);
    LLVMBuildBr(b, good);
    emit_at(e, good);
    return has_met;
}

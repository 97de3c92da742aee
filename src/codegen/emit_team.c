// Two-level tasks: a team of threads takes an iteration of the task (offload/team.c says which tasks). What stands
// outside of the loops that are shared out is done by all of its threads alike, and gives them the same values; where
// it writes memory, the first does it alone, and the team meets before, so that nobody reads what is not to be seen
// yet, and afterwards. Of a loop that is shared out thread t has the iterations t, t + ABI_GPU_TEAM, …; what these
// accumulate is merged in a tree over the threads' numbers and handed to all.
//
// A team is a warp, or half of a wave of 64: its threads run together but may take turns where they branch. Or it lies
// across the warps of a block, where neighbouring iterations of the task, rather than of its loops, touch neighbouring
// places: a block has ABI_GPU_TEAM_COLUMNS of them, one for each column, and its threads meet as a block does. So they
// must all come to the same places: such loops stand in no condition or other loop. Both merge in the same order.
//
// The stand-in has one thread for all of a team, with what each would have accumulated side by side, and the same tree.
#include "codegen/emit.h"

#include "ir/points_to.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

void emit_team_init(struct emitter *e, struct emit_team *team, const struct emit_thread *thread)
{
    *team = (struct emit_team){0};
    if (e->target->is_stand_in) {
        return;
    }
    LLVMBuilderRef b = e->builder;
    team->lane = LLVMBuildAnd(b, thread->lane, emit_i64(e, ABI_GPU_TEAM - 1), "lane");
    team->warp_lane = emit_warp_lane(e, thread);
    team->is_first = LLVMBuildICmp(b, LLVMIntEQ, team->lane, emit_i64(e, 0), "first");
}

// ---- teams across warps -------------------------------------------------------------------------------------------

enum { LEVEL_LANE = 2, WORD = 8, COLUMN_SUMS = 8 }; // COLUMN_SUMS: of one loop

static bool writes_memory(const struct ir_inst *inst)
{
    return ir_op_accesses(inst->op) && ir_op_writes(inst->op);
}

static int count_sums(const struct ir_for *loop)
{
    int count = 0;
    for (int i = 0; i < loop->role_count; i++) {
        count += loop->roles[i].role == IR_ROLE_REDUCTION;
    }
    return count;
}

static bool fits_loop(const struct ir_for *loop)
{
    for (int i = 0; i < loop->role_count; i++) {
        if (loop->roles[i].role == IR_ROLE_LAST_VALUE) {
            return false;
        }
    }
    return loop->level == LEVEL_LANE && count_sums(loop) <= COLUMN_SUMS;
}

// A condition under which something is written is the first thread's alone, so that nobody else may need what it sets.
static bool fits_condition(const struct ir_inst *condition)
{
    bool has_writes = false, has_sets = false;
    for (int i = 0; i < condition->region_count; i++) {
        WALK (inst, &condition->regions[i]) {
            has_writes |= writes_memory(inst);
            has_sets |=
                ir_op_sets(inst->op) || (writes_memory(inst) && address_root(inst->args[0])->op == IR_OP_ADDR_VAR);
            if (inst->op != IR_OP_IF && (inst->region_count > 0 || ir_op_is_terminator(inst->op))) {
                return false;
            }
        }
    }
    return !(has_writes && has_sets);
}

bool emit_team_fits_columns(const struct emitter *e, const struct ir_function *ir)
{
    int columns;
    if (!emit_plan_has_team(e, ir, &columns) || columns == 0 || e->target->is_stand_in || emit_lists_has_locals(e) ||
        e->function->resident != NULL || e->function->failed != NULL) {
        return false;
    }
    for (const struct ir_inst *inst = ir->body.first; inst != NULL; inst = inst->next) {
        bool is_good = inst->op == IR_OP_FOR  ? fits_loop(inst->loop)
                       : inst->op == IR_OP_IF ? fits_condition(inst)
                                              : inst->region_count == 0 && !ir_op_is_terminator(inst->op);
        if (!is_good) {
            return false;
        }
    }
    return true;
}

static uint64_t most_sums(const struct ir_function *ir)
{
    int most = 0;
    for (const struct ir_inst *inst = ir->body.first; inst != NULL; inst = inst->next) {
        int count = inst->op == IR_OP_FOR ? count_sums(inst->loop) : 0;
        most = count > most ? count : most;
    }
    return (uint64_t)most;
}

// Threads x and x + 16 of warp w are w and w + 16 of team x: the first step of the tree is inside the warp.
void emit_team_init_columns(struct emitter *e, struct emit_team *team, const struct emit_thread *thread)
{
    assert(ABI_GPU_TEAM == 2 * ABI_GPU_TEAM_COLUMNS && !e->target->is_stand_in);
    LLVMBuilderRef b = e->builder;
    *team = (struct emit_team){.warp_lane = emit_warp_lane(e, thread)};
    team->column = LLVMBuildAnd(b, thread->lane, emit_i64(e, ABI_GPU_TEAM_COLUMNS - 1), "");
    LLVMValueRef half = LLVMBuildAnd(b, thread->lane, emit_i64(e, ABI_GPU_TEAM_COLUMNS), "");
    team->lane = LLVMBuildAdd(b, LLVMBuildUDiv(b, thread->lane, emit_i64(e, ABI_GPU_TEAM), ""), half, "lane");
    uint64_t size = most_sums(e->function->ir) * ABI_GPU_TEAM_COLUMNS * ABI_GPU_TEAM_COLUMNS * WORD;
    team->shared = emit_shared(e, LLVMArrayType2(e->types[IR_I8], size), "rill_team");
}

LLVMValueRef emit_team_trip(struct emitter *e, LLVMValueRef trip)
{
    const struct emit_team *team = e->function->team;
    return team->column != NULL ? LLVMBuildSelect(e->builder, team->is_active, trip, emit_i64(e, 0), "") : trip;
}

// All threads of the team come here before any goes on, and see what the others have written.
void emit_team_meet(struct emitter *e)
{
    if (e->target->is_stand_in) {
        return;
    }
    if (e->function->team->column != NULL) {
        emit_meet(e);
        return;
    }
    if (e->target->kind == TARGET_NVPTX) {
        LLVMValueRef all = emit_const(e, IR_I32, -1);
        emit_intrinsic(e, "llvm.nvvm.bar.warp.sync", NULL, 0, &all, 1);
        return;
    }
    unsigned scope = LLVMGetSyncScopeID(e->context, "wavefront", strlen("wavefront"));
    LLVMBuildFenceSyncScope(e->builder, LLVMAtomicOrderingRelease, scope, "");
    emit_intrinsic(e, "llvm.amdgcn.wave.barrier", NULL, 0, NULL, 0);
    LLVMBuildFenceSyncScope(e->builder, LLVMAtomicOrderingAcquire, scope, "");
}

// ---- what the first thread does alone -----------------------------------------------------------------------------

static bool is_shared_write(const struct ir_inst *inst)
{
    if (!writes_memory(inst)) {
        return false;
    }
    const struct ir_inst *root = address_root(inst->args[0]);
    return root->op != IR_OP_ADDR_VAR || root->var->is_team;
}

bool emit_team_is_alone(const struct emitter *e, const struct ir_inst *inst)
{
    const struct emit_team *team = e->function->team;
    if (team == NULL || team->is_inside || team->is_alone || e->target->is_stand_in) {
        return false;
    }
    bool is_alone = is_shared_write(inst);
    for (int i = 0; team->column != NULL && inst->op == IR_OP_IF && i < inst->region_count && !is_alone; i++) {
        WALK (inner, &inst->regions[i]) {
            is_alone |= is_shared_write(inner);
        }
    }
    return is_alone;
}

// What one store has behind it the next one need not have before it.
void emit_team_note(struct emitter *e, const struct ir_inst *inst)
{
    struct emit_team *team = e->function->team;
    bool is_quiet = ir_op_is_value(inst->op) || ir_op_sets(inst->op) || inst->op == IR_OP_STORE;
    if (team != NULL && !is_quiet) {
        team->has_met = false;
    }
}

LLVMBasicBlockRef emit_team_begin_alone(struct emitter *e)
{
    LLVMBasicBlockRef alone = emit_block(e, "alone");
    LLVMBasicBlockRef after = emit_block(e, "together");
    if (!e->function->team->has_met) {
        emit_team_meet(e);
    }
    LLVMBuildCondBr(e->builder, e->function->team->is_first, alone, after);
    emit_at(e, alone);
    e->function->team->is_alone = true;
    return after;
}

void emit_team_end_alone(struct emitter *e, LLVMBasicBlockRef after)
{
    e->function->team->is_alone = false;
    emit_go(e, after);
    emit_at(e, after);
    emit_team_meet(e);
    e->function->team->has_met = true;
}

// ---- loops that are shared out -------------------------------------------------------------------------------------

bool emit_team_spreads(const struct emitter *e, const struct ir_inst *loop)
{
    const struct emit_team *team = e->function->team;
    return team != NULL && !team->is_inside && !team->is_alone && loop->loop->level == LEVEL_LANE;
}

// Or touches what the team shares, which others may have written, or write next.
static bool writes(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        bool is_shared = inst->op == IR_OP_ADDR_VAR && inst->var->is_team;
        if (ir_op_writes(inst->op) || is_shared) { // a call may do anything
            return true;
        }
    }
    return false;
}

static LLVMValueRef slot_of(struct emitter *e, const struct ir_scalar_role *role)
{
    return e->function->vars[role->var->index];
}

static LLVMValueRef load_slot(struct emitter *e, const struct ir_scalar_role *role)
{
    return LLVMBuildLoad2(e->builder, e->types[role->var->type], slot_of(e, role), role->var->name);
}

static LLVMValueRef identity_of(struct emitter *e, const struct ir_scalar_role *role)
{
    union ir_value identity;
    enum ir_type type = role->var->type;
    (void)ir_update_identity(role->update, type, &identity);
    return ir_type_is_float(type) ? emit_real(e, type, identity.f) : emit_const(e, type, identity.i);
}

static LLVMValueRef merge(struct emitter *e, const struct ir_scalar_role *role, LLVMValueRef x, LLVMValueRef y)
{
    return emit_update_value(e, ir_update_merge(role->update), role->var->type, x, y, LLVMFastMathNone);
}

// The stand-in: where thread |lane| (i64) of the team has what it accumulated.
static LLVMValueRef place_of(struct emitter *e, const struct ir_inst *loop, int role, LLVMValueRef lane)
{
    enum ir_type type = loop->loop->roles[role].var->type;
    return LLVMBuildInBoundsGEP2(e->builder, e->types[type], e->function->team->rows[role], &lane, 1, "");
}

void emit_team_open(struct emitter *e, const struct ir_inst *loop)
{
    struct emit_team *team = e->function->team;
    int count = loop->loop->role_count;
    team->olds = ARENA_ARRAY(e->arena, LLVMValueRef, count + 1);
    team->rows = ARENA_ARRAY(e->arena, LLVMValueRef, count + 1);
    for (int i = 0; i < count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        if (role->role != IR_ROLE_REDUCTION) {
            continue;
        }
        LLVMTypeRef type = e->types[role->var->type];
        team->olds[i] = load_slot(e, role);
        LLVMBuildStore(e->builder, identity_of(e, role), slot_of(e, role));
        if (e->target->is_stand_in) {
            team->rows[i] = emit_alloca(e, LLVMArrayType2(type, ABI_GPU_TEAM), 8, "lanes");
            for (int lane = 0; lane < ABI_GPU_TEAM; lane++) {
                LLVMBuildStore(e->builder, identity_of(e, role), place_of(e, loop, i, emit_i64(e, lane)));
            }
        }
    }
    if (writes(loop)) {
        emit_team_meet(e);
    }
    team->is_inside = true;
}

// The stand-in takes up what the thread whose iteration it is has accumulated so far, and puts it back.
void emit_team_enter(struct emitter *e, const struct ir_inst *loop, LLVMValueRef k)
{
    for (int i = 0; e->target->is_stand_in && i < loop->loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        if (role->role == IR_ROLE_REDUCTION) {
            LLVMValueRef lane = LLVMBuildAnd(e->builder, k, emit_i64(e, ABI_GPU_TEAM - 1), "");
            LLVMValueRef value = LLVMBuildLoad2(e->builder, e->types[role->var->type], place_of(e, loop, i, lane), "");
            LLVMBuildStore(e->builder, value, slot_of(e, role));
        }
    }
}

void emit_team_leave(struct emitter *e, const struct ir_inst *loop, LLVMValueRef k)
{
    for (int i = 0; e->target->is_stand_in && i < loop->loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        if (role->role == IR_ROLE_REDUCTION) {
            LLVMValueRef lane = LLVMBuildAnd(e->builder, k, emit_i64(e, ABI_GPU_TEAM - 1), "");
            LLVMBuildStore(e->builder, load_slot(e, role), place_of(e, loop, i, lane));
        }
    }
}

// A block's teams: the first halves of the warps put down what they and the second halves have …
static LLVMValueRef place_in_block(struct emitter *e, int sum, LLVMValueRef row)
{
    LLVMBuilderRef b = e->builder;
    const struct emit_team *team = e->function->team;
    LLVMValueRef number = LLVMBuildAdd(b, row, emit_i64(e, (int64_t)sum * ABI_GPU_TEAM_COLUMNS), "");
    number = LLVMBuildAdd(b, LLVMBuildMul(b, number, emit_i64(e, ABI_GPU_TEAM_COLUMNS), ""), team->column, "");
    LLVMValueRef offset = LLVMBuildMul(b, number, emit_i64(e, WORD), "");
    return LLVMBuildGEP2(b, e->types[IR_I8], team->shared, &offset, 1, "");
}

static void put_down(struct emitter *e, const struct ir_inst *loop)
{
    LLVMBuilderRef b = e->builder;
    const struct emit_team *team = e->function->team;
    LLVMValueRef *values = ARENA_ARRAY(e->arena, LLVMValueRef, loop->loop->role_count + 1);
    for (int i = 0; i < loop->loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        if (role->role == IR_ROLE_REDUCTION) {
            LLVMValueRef value = load_slot(e, role);
            LLVMValueRef other = emit_neighbour(e, role->var->type, value, team->warp_lane, ABI_GPU_TEAM_COLUMNS);
            values[i] = merge(e, role, value, other);
        }
    }
    LLVMBasicBlockRef put = emit_block(e, "put");
    LLVMBasicBlockRef after = emit_block(e, "down");
    emit_team_meet(e); // what was put down before has been read
    LLVMValueRef is_half = LLVMBuildICmp(b, LLVMIntULT, team->lane, emit_i64(e, ABI_GPU_TEAM_COLUMNS), "");
    LLVMBuildCondBr(b, is_half, put, after);
    emit_at(e, put);
    int sum = 0;
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (values[i] != NULL) {
            enum ir_type type = loop->loop->roles[i].var->type;
            emit_store_raw(e, type, values[i], place_in_block(e, sum++, team->lane), (uint32_t)ir_type_size(type));
        }
    }
    LLVMBuildBr(b, after);
    emit_at(e, after);
    emit_team_meet(e);
}

// … and all read all.
static LLVMValueRef take_up(struct emitter *e, const struct ir_scalar_role *role, int sum)
{
    LLVMValueRef values[ABI_GPU_TEAM_COLUMNS];
    enum ir_type type = role->var->type;
    for (int row = 0; row < ABI_GPU_TEAM_COLUMNS; row++) {
        LLVMValueRef place = place_in_block(e, sum, emit_i64(e, row));
        values[row] = emit_load_raw(e, type, place, (uint32_t)ir_type_size(type));
        values[row] = type == IR_I1 ? LLVMBuildTrunc(e->builder, values[row], e->types[IR_I1], "") : values[row];
    }
    for (int distance = ABI_GPU_TEAM_COLUMNS / 2; distance > 0; distance /= 2) {
        for (int row = 0; row < distance; row++) {
            values[row] = merge(e, role, values[row], values[row + distance]);
        }
    }
    return values[0];
}

// What all threads of the team have accumulated.
static LLVMValueRef merge_lanes(struct emitter *e, const struct ir_inst *loop, int index)
{
    const struct ir_scalar_role *role = &loop->loop->roles[index];
    const struct emit_team *team = e->function->team;
    enum ir_type type = role->var->type;
    if (!e->target->is_stand_in) {
        LLVMValueRef value = load_slot(e, role);
        for (int distance = ABI_GPU_TEAM / 2; distance > 0; distance /= 2) {
            value = merge(e, role, value, emit_neighbour(e, type, value, team->warp_lane, distance));
        }
        LLVMValueRef first =
            LLVMBuildAnd(e->builder, team->warp_lane, emit_const(e, IR_I32, -(int64_t)ABI_GPU_TEAM), "");
        return emit_from_lane(e, type, value, first);
    }
    LLVMValueRef values[ABI_GPU_TEAM];
    for (int lane = 0; lane < ABI_GPU_TEAM; lane++) {
        values[lane] = LLVMBuildLoad2(e->builder, e->types[type], place_of(e, loop, index, emit_i64(e, lane)), "");
    }
    for (int distance = ABI_GPU_TEAM / 2; distance > 0; distance /= 2) {
        for (int lane = 0; lane < distance; lane++) {
            values[lane] = merge(e, role, values[lane], values[lane + distance]);
        }
    }
    return values[0];
}

// What the last iteration left in a variable that each of them writes; without iterations all have the old value.
static LLVMValueRef last_value(struct emitter *e, const struct ir_scalar_role *role, LLVMValueRef trip)
{
    LLVMBuilderRef b = e->builder;
    const struct emit_team *team = e->function->team;
    LLVMValueRef last = LLVMBuildTrunc(b, LLVMBuildSub(b, trip, emit_i64(e, 1), ""), e->types[IR_I32], "");
    last = LLVMBuildAnd(b, last, emit_const(e, IR_I32, ABI_GPU_TEAM - 1), "");
    LLVMValueRef first = LLVMBuildAnd(b, team->warp_lane, emit_const(e, IR_I32, -(int64_t)ABI_GPU_TEAM), "");
    return emit_from_lane(e, role->var->type, load_slot(e, role), LLVMBuildOr(b, first, last, ""));
}

void emit_team_close(struct emitter *e, const struct ir_inst *loop, LLVMValueRef trip)
{
    struct emit_team *team = e->function->team;
    team->is_inside = false;
    if (writes(loop)) {
        emit_team_meet(e);
    }
    bool is_block = team->column != NULL && count_sums(loop->loop) > 0;
    int sum = 0;
    if (is_block) {
        put_down(e, loop);
    }
    for (int i = 0; i < loop->loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        LLVMValueRef value = NULL;
        if (role->role == IR_ROLE_REDUCTION) {
            LLVMValueRef all = is_block ? take_up(e, role, sum++) : merge_lanes(e, loop, i);
            value = merge(e, role, team->olds[i], all);
        } else if (role->role == IR_ROLE_LAST_VALUE && !e->target->is_stand_in) {
            value = last_value(e, role, trip);
        }
        if (value != NULL) {
            LLVMBuildStore(e->builder, value, slot_of(e, role));
        }
    }
}

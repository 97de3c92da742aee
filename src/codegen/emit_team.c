// Two-level tasks: a team of threads takes an iteration of the task (offload/team.c says which tasks). What stands
// outside of the loops that are shared out is done by all of its threads alike, and gives them the same values; where
// it writes memory, the first does it alone, and the team meets before, so that nobody reads what is not to be seen
// yet, and afterwards. Of a loop that is shared out thread t has the iterations t, t + ABI_GPU_TEAM, …; what these
// accumulate is merged in a tree over the threads' numbers and handed to all.
//
// A team is a warp, or half of a wave of 64: its threads run together but may take turns where they branch. The
// stand-in has one thread for all of a team, with what each would have accumulated side by side, and the same tree.
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

// All threads of the team come here before any goes on, and see what the others have written.
static void meet(struct emitter *e)
{
    if (e->target->is_stand_in) {
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

bool emit_team_is_alone(const struct emitter *e, const struct ir_inst *inst)
{
    const struct emit_team *team = e->function->team;
    return team != NULL && !team->is_inside && !e->target->is_stand_in && ir_op_accesses(inst->op) &&
           ir_op_writes(inst->op) && address_root(inst->args[0])->op != IR_OP_ADDR_VAR;
}

LLVMBasicBlockRef emit_team_begin_alone(struct emitter *e)
{
    LLVMBasicBlockRef alone = emit_block(e, "alone");
    LLVMBasicBlockRef after = emit_block(e, "together");
    meet(e);
    LLVMBuildCondBr(e->builder, e->function->team->is_first, alone, after);
    emit_at(e, alone);
    return after;
}

void emit_team_end_alone(struct emitter *e, LLVMBasicBlockRef after)
{
    emit_go(e, after);
    emit_at(e, after);
    meet(e);
}

// ---- loops that are shared out -------------------------------------------------------------------------------------

enum { LEVEL_LANE = 2 };

bool emit_team_spreads(const struct emitter *e, const struct ir_inst *loop)
{
    const struct emit_team *team = e->function->team;
    return team != NULL && !team->is_inside && loop->loop->level == LEVEL_LANE;
}

static bool writes(const struct ir_inst *loop)
{
    WALK (inst, &loop->regions[0]) {
        if (ir_op_writes(inst->op)) { // a call may do anything
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
    return ir_type_is_float(type) ? LLVMConstReal(e->types[type], identity.f) : emit_const(e, type, identity.i);
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
        meet(e);
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
        meet(e);
    }
    for (int i = 0; i < loop->loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->loop->roles[i];
        LLVMValueRef value = NULL;
        if (role->role == IR_ROLE_REDUCTION) {
            value = merge(e, role, team->olds[i], merge_lanes(e, loop, i));
        } else if (role->role == IR_ROLE_LAST_VALUE && !e->target->is_stand_in) {
            value = last_value(e, role, trip);
        }
        if (value != NULL) {
            LLVMBuildStore(e->builder, value, slot_of(e, role));
        }
    }
}

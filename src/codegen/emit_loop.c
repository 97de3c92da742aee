// Canonical loops: counted, with the trip count computed at entry in arithmetic that cannot overflow, so that LLVM sees
// how often they run and the loop variable as an induction that does not wrap.
#include "codegen/emit.h"

#include "codegen/lanes.h"
#include "ir/trip.h"
#include "plan/abi.h"

#include <assert.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <string.h>

// ---- independent loops
// ---------------------------------------------------------------------------------------------------

enum { GROUP_BATCH = 16 };

// Access groups are distinct nodes without operands, which the C interface cannot make; the reader of LLVM's text can.
static void make_groups(struct emitter *e)
{
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "!g = !{!0");
    for (int i = 1; i < GROUP_BATCH; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", !%d", i);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
    for (int i = 0; i < GROUP_BATCH; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "!%d = distinct !{}\n", i);
    }
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, used, "groups");
    LLVMModuleRef module = NULL;
    char *message = NULL;
    if (LLVMParseIRInContext(e->context, buffer, &module, &message) != 0) {
        LLVMDisposeMessage(message);
        return; // without groups loops are only not known to be independent
    }
    LLVMValueRef nodes[GROUP_BATCH];
    LLVMGetNamedMetadataOperands(module, "g", nodes);
    e->group_pool = ARENA_ARRAY(e->arena, LLVMMetadataRef, GROUP_BATCH);
    for (int i = 0; i < GROUP_BATCH; i++) {
        e->group_pool[i] = LLVMValueAsMetadata(nodes[i]);
    }
    LLVMDisposeModule(module); // the nodes belong to the context
    e->group_count = GROUP_BATCH;
    e->group_used = 0;
}

void emit_group_push(struct emitter *e, struct emit_group *group)
{
    if (e->group_used == e->group_count) {
        make_groups(e);
    }
    group->group = e->group_used < e->group_count ? e->group_pool[e->group_used++] : NULL;
    group->outer = e->function->groups;
    e->function->groups = group;
}

void emit_group_pop(struct emitter *e)
{
    e->function->groups = e->function->groups->outer;
}

// No vector unit divides whole numbers: a vector loop does it element by element, and under a condition each element
// has branches of its own, a hundred instructions for one division. A few are nothing; with more, the code takes long
// to make and is no faster.
enum { DIVISION_LIMIT = 16, DIVISION_IF_WEIGHT = 4 };

static int count_divisions(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_NEST_ITER) {
        return inst->imm > 0 ? 2 : 0; // a remainder and a quotient
    }
    return ir_op_is_division(inst->op) && inst->args[1]->op != IR_OP_CONST;
}

// Up to a little more than the limit; 0 if there is a loop inside, since only innermost loops become vector code.
static int weigh_divisions(const struct ir_region *region, int weight)
{
    int sum = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL && sum <= DIVISION_LIMIT; inst = inst->next) {
        if (ir_op_repeats(inst->op)) {
            return 0;
        }
        sum += count_divisions(inst) * weight;
        for (int i = 0; i < inst->region_count; i++) {
            sum += weigh_divisions(&inst->regions[i], DIVISION_IF_WEIGHT);
        }
    }
    return sum;
}

// On a GPU an innermost loop of a few operations is unrolled, so that loads are under way while the last ones are used.
// Very few are left to LLVM and to the driver, which do more of it than can be said here, but for those that only load
// and reckon: there as many loads go together as registers take (group_loads.c).
//
// The functions of angles are twenty instructions each and a branch to what is rare, across which nothing moves: a body
// full of them gains nothing from standing there four times. The tangent has its rare way in place (math_library.c).
enum { TILE_LOADS = 48, UNROLL_COUNT = 4, UNROLL_LEAST = 24, UNROLL_LIMIT = 96, ANGLE_COST = 6, TANGENT_COST = 12 };

static int cost_of(const struct ir_inst *inst)
{
    if (inst->op != IR_OP_MATH) {
        return 1;
    }
    switch ((enum ir_math)inst->imm) {
    case IR_MATH_COS:
    case IR_MATH_SIN: return ANGLE_COST;
    case IR_MATH_TAN: return TANGENT_COST;
    default: return 1;
    }
}

// Operations of the body, or what they cost; more than the limit if there is a loop inside.
static int count_operations(const struct ir_region *region, bool by_cost)
{
    int count = 0;
    for (const struct ir_inst *inst = region->first; inst != NULL && count <= UNROLL_LIMIT; inst = inst->next) {
        bool is_loop = ir_op_repeats(inst->op);
        if (is_loop || inst->op == IR_OP_CALL) {
            count += UNROLL_LIMIT + 1;
        } else if (inst->op != IR_OP_CONST && inst->op != IR_OP_GET) {
            count += by_cost ? cost_of(inst) : 1;
        }
        for (int i = 0; i < inst->region_count; i++) {
            count += count_operations(&inst->regions[i], by_cost);
        }
    }
    return count;
}

// One operation of many instructions.
static bool is_long(const struct ir_inst *inst)
{
    return inst->op == IR_OP_MATH || inst->op == IR_OP_FDIV || ir_op_is_division(inst->op);
}

// Bytes that a round of the loop loads.
static int loaded_size(const struct ir_region *body)
{
    int size = 0;
    for (const struct ir_inst *inst = body->first; inst != NULL; inst = inst->next) {
        size += inst->op == IR_OP_LOAD ? ir_type_size(inst->type) : 0;
    }
    return size;
}

// How often an innermost loop with this body is unrolled; 0: nothing is said.
static int unroll_count(struct emitter *e, const struct ir_region *body)
{
    if (e->function->ir->count != NULL) { // a tile: the loads of one round are under way in the round before
        return emit_has_loops(body) ? 0 : loaded_size(body) > TILE_LOADS ? UNROLL_COUNT / 2 : UNROLL_COUNT;
    }
    int operations = target_is_gpu(e->target) ? count_operations(body, false) : 0;
    if (operations > UNROLL_LEAST) {
        return count_operations(body, true) <= UNROLL_LIMIT ? UNROLL_COUNT : 0;
    }
    int load_count = 0;
    for (const struct ir_inst *inst = body->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE || inst->region_count > 0 || is_long(inst)) {
            return 0;
        }
        load_count += inst->op == IR_OP_LOAD;
    }
    bool is_grouped = e->target->kind == TARGET_NVPTX || e->target->is_stand_in;
    return is_grouped && (load_count == 1 || load_count == 2) ? 2 * UNROLL_COUNT : 0;
}

// What the branch back of a loop says to the vectoriser: that the accesses of |group| (NULL: none) are independent,
// where vector routines are called not to interleave, since every value alive across a call goes through memory, and to
// leave alone what |body| divides in too many places.
void emit_loop_notes(struct emitter *e, LLVMValueRef branch, const struct ir_region *body, LLVMMetadataRef group,
                     bool calls_math)
{
    LLVMMetadataRef parts[4];
    int count = 0;
    int unrolled = unroll_count(e, body);
    if (unrolled > 0) {
        LLVMMetadataRef times = LLVMValueAsMetadata(emit_const(e, IR_I32, unrolled));
        parts[count++] = emit_note(e, "llvm.loop.unroll.count", times);
    }
    if (weigh_divisions(body, 1) > DIVISION_LIMIT) {
        LLVMMetadataRef no = LLVMValueAsMetadata(emit_const(e, IR_I1, 0));
        parts[count++] = emit_note(e, "llvm.loop.vectorize.enable", no);
    }
    if (group != NULL) {
        parts[count++] = emit_note(e, "llvm.loop.parallel_accesses", group);
    }
    if (calls_math) {
        LLVMMetadataRef one = LLVMValueAsMetadata(emit_const(e, IR_I32, 1));
        parts[count++] = emit_note(e, "llvm.loop.interleave.count", one);
    }
    if (count > 0) {
        emit_metadata(e, branch, "llvm.loop", emit_loop_id(e, parts, count));
    }
}

// A loop inside a task keeps the verdict `proven` only if it depends on nothing that a launch tests; other verdicts
// count where the pass that made the task says that its launch tests them too.
bool emit_is_independent(const struct ir_for *loop)
{
    return loop->verdict == IR_VERDICT_PROVEN || (loop->tested && loop->verdict > IR_VERDICT_PROVEN);
}

static bool is_reduction(const struct ir_for *loop, const struct ir_var *var)
{
    for (int i = 0; i < loop->role_count; i++) {
        if (loop->roles[i].role == IR_ROLE_REDUCTION && loop->roles[i].var == var) {
            return true;
        }
    }
    return false;
}

bool emit_may_reassociate(struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_function *ir = e->function->ir;
    for (int i = 0; i < ir->accumulator_count; i++) {
        if (ir->accumulators[i].var == inst->var) {
            return true;
        }
    }
    for (const struct ir_region *region = inst->parent; region != NULL && region->owner != NULL;) {
        const struct ir_inst *owner = region->owner;
        if (owner->op == IR_OP_FOR && owner->loop->verdict >= IR_VERDICT_PROVEN &&
            is_reduction(owner->loop, inst->var)) {
            return true;
        }
        region = owner->parent;
    }
    return false;
}

// ---- trip counts
// -----------------------------------------------------------------------------------------------------------

static LLVMValueRef widen(struct emitter *e, LLVMValueRef value, enum ir_type type, bool is_signed)
{
    if (type == IR_I64) {
        return value;
    }
    return is_signed && type != IR_I1 ? LLVMBuildSExt(e->builder, value, e->types[IR_I64], "")
                                      : LLVMBuildZExt(e->builder, value, e->types[IR_I64], "");
}

static LLVMValueRef divide(struct emitter *e, LLVMValueRef value, uint64_t by)
{
    assert(by != 0);
    return by == 1 ? value : LLVMBuildUDiv(e->builder, value, LLVMConstInt(e->types[IR_I64], by, false), "");
}

static LLVMValueRef remainder_is_not_zero(struct emitter *e, LLVMValueRef value, uint64_t by)
{
    assert(by != 0);
    if (by == 1) {
        return emit_const(e, IR_I1, 0);
    }
    LLVMValueRef rest = LLVMBuildURem(e->builder, value, LLVMConstInt(e->types[IR_I64], by, false), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, rest, emit_i64(e, 0), "");
}

static LLVMValueRef count_steps(struct emitter *e, LLVMValueRef distance, uint64_t step, bool inclusive, bool narrow)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef one = emit_i64(e, 1);
    LLVMValueRef count = divide(e, distance, step);
    if (!inclusive) {
        LLVMValueRef rest = remainder_is_not_zero(e, distance, step);
        return LLVMBuildAdd(b, count, LLVMBuildZExt(b, rest, e->types[IR_I64], ""), "");
    }
    LLVMValueRef more = LLVMBuildAdd(b, count, one, "");
    if (narrow || step > 1) {
        return more;
    }
    LLVMValueRef full = LLVMBuildICmp(b, LLVMIntEQ, count, emit_i64(e, -1), "");
    return LLVMBuildSelect(b, full, count, more, "");
}

// As struct ir_trip says.
LLVMValueRef emit_loop_trip(struct emitter *e, const struct ir_for *loop, LLVMValueRef init, LLVMValueRef bound)
{
    LLVMBuilderRef b = e->builder;
    struct ir_trip trip = trip_of(loop);
    if (trip.is_around) {
        assert(trip.stride == 1); // the verifier has looked
        LLVMValueRef distance = trip.rises ? LLVMBuildSub(b, bound, init, "") : LLVMBuildSub(b, init, bound, "");
        return widen(e, distance, trip.type, false);
    }
    LLVMValueRef runs = emit_binary(e, trip.compare, trip.type, init, bound);
    LLVMValueRef count = emit_i64(e, -1);
    if (!trip.is_endless) {
        LLVMValueRef from = widen(e, init, trip.type, !trip.is_unsigned);
        LLVMValueRef to = widen(e, bound, trip.type, !trip.is_unsigned);
        LLVMValueRef distance = trip.rises ? LLVMBuildSub(b, to, from, "") : LLVMBuildSub(b, from, to, "");
        count = count_steps(e, distance, trip.stride, trip.is_inclusive, trip.type != IR_I64);
    }
    return LLVMBuildSelect(b, runs, count, emit_i64(e, 0), "trip");
}

// ---- the loop
// ----------------------------------------------------------------------------------------------------------------

// A variable of the body has no value when an iteration begins. Saying so keeps it from being carried around the loop.
static void forget_body_vars(struct emitter *e, const struct ir_inst *inst)
{
    const struct ir_function *ir = e->function->ir;
    for (int i = 0; i < ir->var_count; i++) {
        const struct ir_var *var = ir->vars[i];
        if (var->scope == inst && !var->is_memory) {
            LLVMBuildStore(e->builder, LLVMConstNull(e->types[var->type]), e->function->vars[i]);
        }
    }
}

// Whether the variable is counted in 64 bits and cut: see emit_induction.c.
static bool is_wide(const struct ir_for *loop)
{
    return trip_is_signed(loop) && loop->var->type == IR_I32;
}

// Iteration k has init + k * step, which by the trip count stays on the near side of the bound; only `!=` may wrap.
static LLVMValueRef add_step(struct emitter *e, const struct ir_for *loop, LLVMValueRef value, bool is_spread)
{
    enum ir_type type = is_wide(loop) ? IR_I64 : loop->var->type;
    if (is_spread) { // which may lead far behind the bound
        uint64_t steps = (uint64_t)loop->step * ABI_GPU_TEAM;
        return LLVMBuildAdd(e->builder, value, emit_const(e, type, ir_normalize(type, (int64_t)steps)), "");
    }
    LLVMValueRef step = emit_const(e, type, loop->step);
    if (trip_is_signed(loop)) {
        return LLVMBuildNSWAdd(e->builder, value, step, "");
    }
    if (loop->compare != IR_OP_NE && loop->step > 0) {
        return LLVMBuildNUWAdd(e->builder, value, step, "");
    }
    return LLVMBuildAdd(e->builder, value, step, "");
}

static void open_counter(struct emitter *e, const struct ir_inst *inst, LLVMValueRef wide, LLVMValueRef value,
                         LLVMValueRef first)
{
    struct emit_counter counter = {wide, value, first, inst->loop->step, &inst->regions[0], NULL};
    emit_counter_open(e, inst->loop->var, &counter);
}

// What the loop's variable has in iteration |lane|, the first of this thread of a team.
static LLVMValueRef first_of_lane(struct emitter *e, const struct ir_for *loop, LLVMValueRef first, LLVMValueRef lane)
{
    enum ir_type type = is_wide(loop) ? IR_I64 : loop->var->type;
    LLVMValueRef number = type == IR_I64 ? lane : LLVMBuildTrunc(e->builder, lane, e->types[type], "");
    LLVMValueRef distance = LLVMBuildMul(e->builder, number, emit_const(e, type, loop->step), "");
    return LLVMBuildAdd(e->builder, first, distance, "");
}

// The loop's variable as C leaves it.
static void set_last(struct emitter *e, const struct ir_for *loop, LLVMValueRef init, LLVMValueRef trip)
{
    LLVMBuilderRef b = e->builder;
    enum ir_type type = loop->var->type;
    LLVMValueRef count = type == IR_I64 ? trip : LLVMBuildTrunc(b, trip, e->types[type], "");
    LLVMValueRef moved = LLVMBuildMul(b, count, emit_const(e, type, loop->step), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, init, moved, ""), e->function->vars[loop->var->index]);
}

// Iterations that are taken as the lanes of vectors: so many; NULL: none.
static LLVMValueRef emit_in_lanes(struct emitter *e, const struct ir_inst *inst, LLVMValueRef init, LLVMValueRef trip)
{
    struct lanes *lanes = emit_is_independent(inst->loop) ? lanes_find(e, inst) : NULL;
    return lanes != NULL ? lanes_emit_loop(lanes, init, trip) : NULL;
}

static void emit_counted(struct emitter *e, const struct ir_inst *inst, LLVMValueRef init, LLVMValueRef trip)
{
    const struct ir_for *loop = inst->loop;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef slot = e->function->vars[loop->var->index];
    bool is_team = emit_team_spreads(e, inst);
    LLVMValueRef lane = is_team ? e->function->team->lane : NULL;
    if (is_team) {
        emit_team_open(e, inst);
    }
    LLVMValueRef whole_trip = trip;
    trip = is_team ? emit_team_trip(e, trip) : trip;
    LLVMValueRef done = emit_in_lanes(e, inst, init, trip);
    if (done == trip) {
        set_last(e, loop, init, trip);
        return;
    }
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef body = emit_block(e, "for");
    LLVMBasicBlockRef after = emit_block(e, "done");
    lane = done != NULL ? done : lane;
    LLVMValueRef zero = lane != NULL ? lane : emit_i64(e, 0);
    LLVMValueRef first = is_wide(loop) ? LLVMBuildSExt(b, init, e->types[IR_I64], "") : init;
    first = lane != NULL ? first_of_lane(e, loop, first, lane) : first;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, is_team ? LLVMIntULT : LLVMIntNE, zero, trip, ""), body, after);

    emit_at(e, body);
    LLVMValueRef k = LLVMBuildPhi(b, e->types[IR_I64], "k");
    LLVMValueRef value = LLVMBuildPhi(b, e->types[is_wide(loop) ? IR_I64 : loop->var->type], loop->var->name);
    if (is_wide(loop)) {
        LLVMValueRef narrow = LLVMBuildTrunc(b, value, e->types[loop->var->type], "");
        LLVMBuildStore(b, narrow, slot);
        open_counter(e, inst, value, narrow, first);
    } else {
        LLVMBuildStore(b, value, slot);
        if (trip_is_signed(loop) && loop->var->type == IR_I64) {
            open_counter(e, inst, value, value, first);
        }
    }
    forget_body_vars(e, inst);
    if (is_team) {
        emit_team_enter(e, inst, k);
    }
    struct emit_group group = {0};
    bool independent = !target_is_gpu(e->target) && emit_is_independent(loop) && emit_order_is_free(e, inst);
    int math_calls = e->math_call_count;
    if (independent) {
        emit_group_push(e, &group);
    }
    emit_region(e, &inst->regions[0]);
    if (independent) {
        emit_group_pop(e);
    }
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b)) != NULL) { // never comes around: a fail, for instance
        LLVMBasicBlockRef dead = emit_block(e, "dead");
        emit_at(e, dead);
    }
    emit_counter_close(e, inst);
    debug_at(e, b, inst->loc);
    if (is_team) {
        emit_team_leave(e, inst, k);
    }
    bool is_spread = is_team && lane != NULL;
    LLVMValueRef next_k = LLVMBuildNUWAdd(b, k, emit_i64(e, is_spread ? ABI_GPU_TEAM : 1), "");
    LLVMValueRef next = add_step(e, loop, value, is_spread);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMIntPredicate goes_on = is_spread ? LLVMIntULT : LLVMIntNE;
    LLVMValueRef branch = LLVMBuildCondBr(b, LLVMBuildICmp(b, goes_on, next_k, trip, ""), body, after);
    emit_loop_notes(e, branch, &inst->regions[0], group.group, e->math_call_count > math_calls);
    LLVMAddIncoming(k, (LLVMValueRef[]){zero, next_k}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMAddIncoming(value, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, latch}, 2);

    emit_at(e, after);
    if (is_team) {
        emit_team_close(e, inst, whole_trip);
    }
    set_last(e, loop, init, whole_trip);
}

static const struct ir_inst *yield_of(const struct ir_region *region)
{
    assert(region->last != NULL && region->last->op == IR_OP_YIELD);
    return region->last != NULL && region->last->op == IR_OP_YIELD ? region->last : NULL;
}

// The condition is evaluated before each iteration, as C does, since the body may change what it reads.
static void emit_rechecked(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->loop->recheck && inst->region_count == 2);
    const struct ir_for *loop = inst->loop;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef slot = e->function->vars[loop->var->index];
    LLVMTypeRef type = e->types[loop->var->type];
    LLVMBasicBlockRef test = emit_block(e, "test");
    LLVMBasicBlockRef body = emit_block(e, "for");
    LLVMBasicBlockRef after = emit_block(e, "done");
    emit_go(e, test);
    emit_at(e, test);
    emit_region(e, &inst->regions[1]);
    const struct ir_inst *yield = yield_of(&inst->regions[1]);
    if (yield == NULL) {
        emit_fail(e, inst->loc, "internal: a loop's condition yields nothing");
        return;
    }
    LLVMBuildCondBr(b, emit_value(e, yield->args[0]), body, after);
    emit_at(e, body);
    forget_body_vars(e, inst);
    emit_region(e, &inst->regions[0]);
    emit_counter_close(e, inst);
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(b)) == NULL) {
        LLVMValueRef value = LLVMBuildLoad2(b, type, slot, "");
        LLVMBuildStore(b, LLVMBuildAdd(b, value, emit_const(e, loop->var->type, loop->step), ""), slot);
        emit_go(e, test);
    }
    emit_at(e, after);
}

// The first thread of a team does the loop, if the others have not.
static void emit_left_alone(struct emitter *e, const struct ir_inst *inst, LLVMValueRef init, LLVMValueRef trip,
                            LLVMValueRef is_left)
{
    LLVMBasicBlockRef left = emit_block(e, "left");
    LLVMBasicBlockRef done = emit_block(e, "done");
    LLVMBuildCondBr(e->builder, is_left, left, done);
    emit_at(e, left);
    LLVMBasicBlockRef after = emit_team_begin_alone(e);
    emit_counted(e, inst, init, trip);
    emit_team_end_alone(e, after);
    LLVMBuildBr(e->builder, done);
    emit_at(e, done);
}

void emit_for(struct emitter *e, const struct ir_inst *inst)
{
    assert(inst->op == IR_OP_FOR && inst->loop != NULL);
    LLVMValueRef init = emit_value(e, inst->args[0]);
    LLVMBuildStore(e->builder, init, e->function->vars[inst->loop->var->index]);
    if (inst->loop->recheck) {
        emit_rechecked(e, inst);
        return;
    }
    LLVMValueRef trip = emit_loop_trip(e, inst->loop, init, emit_value(e, inst->args[1]));
    if (emit_scan_is_one(e, inst)) {
        LLVMValueRef is_left = emit_scan(e, inst, init, trip);
        if (is_left != NULL) {
            emit_left_alone(e, inst, init, trip, is_left);
        }
        set_last(e, inst->loop, init, trip);
        return;
    }
    emit_counted(e, inst, init, trip);
}

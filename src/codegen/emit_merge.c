// Merging what the threads of a block have accumulated: first inside each warp (AMD's word is wave), where a thread can
// read its neighbour's registers, then across the warps through memory that the block shares. The order is fixed by the
// threads' numbers, so that a sum has the same bits every time.
//
// The stand-in for a GPU has one thread a block and nothing to merge.
#include "codegen/emit.h"

#include <string.h>

enum { MAX_WARPS = 32, SHARED_SPACE = 3 };

int emit_warp_size(const struct emitter *e)
{
    // AMD's processors up to gfx9 have waves of 64 threads, the later ones of 32.
    bool is_wide = e->target->kind == TARGET_AMDGPU && strncmp(e->target->cpu, "gfx9", 4) == 0;
    return is_wide ? 64 : 32;
}

// ---- a neighbour's registers ---------------------------------------------------------------------------------------

// 32 bits of the thread |distance| further on in the warp.
static LLVMValueRef read_word(struct emitter *e, LLVMValueRef word, LLVMValueRef lane, int distance)
{
    LLVMBuilderRef b = e->builder;
    if (e->target->kind == TARGET_NVPTX) {
        LLVMValueRef args[4] = {emit_const(e, IR_I32, -1), word, emit_const(e, IR_I32, distance),
                                emit_const(e, IR_I32, 31)};
        return emit_intrinsic(e, "llvm.nvvm.shfl.sync.down.i32", NULL, 0, args, 4);
    }
    LLVMValueRef from = LLVMBuildAdd(b, lane, emit_const(e, IR_I32, distance), "");
    LLVMValueRef args[2] = {LLVMBuildShl(b, from, emit_const(e, IR_I32, 2), ""), word};
    return emit_intrinsic(e, "llvm.amdgcn.ds.bpermute", NULL, 0, args, 2);
}

// 32 bits of the thread number |from| of the warp.
static LLVMValueRef read_word_of(struct emitter *e, LLVMValueRef word, LLVMValueRef from)
{
    if (e->target->kind == TARGET_NVPTX) {
        LLVMValueRef args[4] = {emit_const(e, IR_I32, -1), word, from, emit_const(e, IR_I32, 31)};
        return emit_intrinsic(e, "llvm.nvvm.shfl.sync.idx.i32", NULL, 0, args, 4);
    }
    LLVMValueRef args[2] = {LLVMBuildShl(e->builder, from, emit_const(e, IR_I32, 2), ""), word};
    return emit_intrinsic(e, "llvm.amdgcn.ds.bpermute", NULL, 0, args, 2);
}

// Which thread's registers are read: that |distance| further on than |lane|, or number |lane| itself.
struct source {
    LLVMValueRef lane;
    int distance;
    bool is_number;
};

static LLVMValueRef read_word_from(struct emitter *e, LLVMValueRef word, struct source from)
{
    return from.is_number ? read_word_of(e, word, from.lane) : read_word(e, word, from.lane, from.distance);
}

static LLVMValueRef read_wide(struct emitter *e, LLVMValueRef bits, struct source from)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef half = emit_i64(e, 32);
    LLVMValueRef low = LLVMBuildTrunc(b, bits, e->types[IR_I32], "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, bits, half, ""), e->types[IR_I32], "");
    low = LLVMBuildZExt(b, read_word_from(e, low, from), e->types[IR_I64], "");
    high = LLVMBuildZExt(b, read_word_from(e, high, from), e->types[IR_I64], "");
    return LLVMBuildOr(b, LLVMBuildShl(b, high, half, ""), low, "");
}

static LLVMValueRef read_value(struct emitter *e, enum ir_type type, LLVMValueRef value, struct source from)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef word = e->types[IR_I32];
    switch (type) {
    case IR_F32:
        return LLVMBuildBitCast(b, read_word_from(e, LLVMBuildBitCast(b, value, word, ""), from), e->types[type], "");
    case IR_F64: {
        LLVMValueRef bits = LLVMBuildBitCast(b, value, e->types[IR_I64], "");
        return LLVMBuildBitCast(b, read_wide(e, bits, from), e->types[type], "");
    }
    case IR_PTR: {
        LLVMValueRef bits = LLVMBuildPtrToInt(b, value, e->types[IR_I64], "");
        return LLVMBuildIntToPtr(b, read_wide(e, bits, from), e->types[type], "");
    }
    case IR_I64: return read_wide(e, value, from);
    case IR_I32: return read_word_from(e, value, from);
    default: return LLVMBuildTrunc(b, read_word_from(e, LLVMBuildZExt(b, value, word, ""), from), e->types[type], "");
    }
}

LLVMValueRef emit_neighbour(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef lane, int distance)
{
    return read_value(e, type, value, (struct source){.lane = lane, .distance = distance});
}

LLVMValueRef emit_from_lane(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef from)
{
    return read_value(e, type, value, (struct source){.lane = from, .is_number = true});
}

LLVMValueRef emit_warp_lane(struct emitter *e, const struct emit_thread *thread)
{
    LLVMValueRef number = LLVMBuildTrunc(e->builder, thread->lane, e->types[IR_I32], "");
    return LLVMBuildURem(e->builder, number, emit_const(e, IR_I32, emit_warp_size(e)), "lane");
}

// ---- accumulators --------------------------------------------------------------------------------------------------

// The running values: the task's own variables, or those that the finishing function has for the purpose.
struct merge {
    const struct ir_function *task;
    LLVMValueRef *slots; // by accumulator
};

static LLVMValueRef load_value(struct emitter *e, const struct merge *merge, int index)
{
    const struct ir_var *var = merge->task->accumulators[index].var;
    return LLVMBuildLoad2(e->builder, e->types[var->type], merge->slots[index], var->name);
}

static LLVMValueRef identity_of(struct emitter *e, const struct ir_accumulator *accumulator)
{
    const struct ir_inst *init = accumulator->init;
    enum ir_type type = accumulator->var->type;
    return init->op == IR_OP_FCONST ? emit_real(e, type, init->fimm) : emit_const(e, type, init->imm);
}

static LLVMValueRef merge_value(struct emitter *e, const struct ir_accumulator *accumulator, LLVMValueRef old,
                                LLVMValueRef other)
{
    enum ir_type type = accumulator->var->type;
    if (ir_update_takes_truth(accumulator->merge)) {
        other = emit_truth(e, type, other);
    }
    return emit_update_value(e, accumulator->merge, type, old, other, LLVMFastMathNone);
}

// Whether the other's value is the one that serial C would keep. |at| has the iteration each is from, -1 if none.
static LLVMValueRef is_other_chosen(struct emitter *e, const struct ir_function *task, const struct ir_accumulator *at,
                                    LLVMValueRef *olds, LLVMValueRef *others)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef old = olds[at - task->accumulators];
    LLVMValueRef other = others[at - task->accumulators];
    LLVMValueRef is_later = LLVMBuildICmp(b, LLVMIntSGT, other, old, "");
    if (at->choice == IR_CHOICE_LATER) {
        return is_later;
    }
    enum ir_type type = task->accumulators[at->leader].var->type;
    LLVMValueRef x = others[at->leader];
    LLVMValueRef y = olds[at->leader];
    LLVMValueRef is_better = emit_binary(e, at->better, type, x, y);
    LLVMValueRef is_worse = emit_binary(e, at->better, type, y, x);
    LLVMValueRef is_first = at->is_inclusive ? is_later : LLVMBuildICmp(b, LLVMIntSLT, other, old, "");
    LLVMValueRef wins = LLVMBuildSelect(b, is_worse, is_better, LLVMBuildOr(b, is_better, is_first, ""), "");
    LLVMValueRef none = emit_i64(e, 0);
    LLVMValueRef has_other = LLVMBuildICmp(b, LLVMIntSGE, other, none, "");
    LLVMValueRef has_none = LLVMBuildICmp(b, LLVMIntSLT, old, none, "");
    return LLVMBuildAnd(b, has_other, LLVMBuildOr(b, has_none, wins, ""), "");
}

// What another thread or record has into the running values.
static void merge_values(struct emitter *e, const struct merge *merge, LLVMValueRef *others)
{
    const struct ir_function *task = merge->task;
    LLVMValueRef *olds = ARENA_ARRAY(e->arena, LLVMValueRef, task->accumulator_count);
    for (int i = 0; i < task->accumulator_count; i++) {
        olds[i] = load_value(e, merge, i);
    }
    for (int i = 0; i < task->accumulator_count; i++) {
        const struct ir_accumulator *accumulator = &task->accumulators[i];
        LLVMValueRef value;
        if (accumulator->merge != IR_UPDATE_NONE) {
            value = merge_value(e, accumulator, olds[i], others[i]);
        } else {
            const struct ir_accumulator *at = &task->accumulators[accumulator->chosen - 1];
            LLVMValueRef is_chosen = is_other_chosen(e, task, at, olds, others);
            value = LLVMBuildSelect(e->builder, is_chosen, others[i], olds[i], "");
        }
        LLVMBuildStore(e->builder, value, merge->slots[i]);
    }
}

static LLVMValueRef field_of(struct emitter *e, LLVMValueRef record, const struct ir_accumulator *accumulator)
{
    LLVMValueRef offset = emit_i64(e, (int64_t)accumulator->offset);
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], record, &offset, 1, "");
}

static LLVMValueRef load_field(struct emitter *e, LLVMValueRef record, const struct ir_accumulator *accumulator)
{
    enum ir_type type = accumulator->var->type;
    LLVMValueRef value = emit_load_raw(e, type, field_of(e, record, accumulator), (uint32_t)ir_type_size(type));
    return type == IR_I1 ? LLVMBuildTrunc(e->builder, value, e->types[IR_I1], "") : value;
}

static void store_record(struct emitter *e, const struct merge *merge, LLVMValueRef record)
{
    for (int i = 0; i < merge->task->accumulator_count; i++) {
        const struct ir_accumulator *accumulator = &merge->task->accumulators[i];
        enum ir_type type = accumulator->var->type;
        emit_store_raw(e, type, load_value(e, merge, i), field_of(e, record, accumulator),
                       (uint32_t)ir_type_size(type));
    }
}

// ---- a block -------------------------------------------------------------------------------------------------------

// Afterwards the first thread of each warp has what its warp accumulated.
static void merge_warp(struct emitter *e, const struct merge *merge, LLVMValueRef lane)
{
    int count = merge->task->accumulator_count;
    LLVMValueRef *others = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    for (int distance = emit_warp_size(e) / 2; distance > 0; distance /= 2) {
        for (int i = 0; i < count; i++) {
            enum ir_type type = merge->task->accumulators[i].var->type;
            others[i] = emit_neighbour(e, type, load_value(e, merge, i), lane, distance);
        }
        merge_values(e, merge, others);
    }
}

// All threads of the block come here before any goes on, and what they stored in shared memory is then seen.
void emit_meet(struct emitter *e)
{
    if (e->target->is_stand_in) {
        return;
    }
    if (e->target->kind == TARGET_NVPTX) {
        LLVMValueRef barrier = emit_const(e, IR_I32, 0);
        emit_intrinsic(e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 0, &barrier, 1);
        return;
    }
    unsigned scope = LLVMGetSyncScopeID(e->context, "workgroup", strlen("workgroup"));
    LLVMBuildFenceSyncScope(e->builder, LLVMAtomicOrderingRelease, scope, "");
    emit_intrinsic(e, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
    LLVMBuildFenceSyncScope(e->builder, LLVMAtomicOrderingAcquire, scope, "");
}

LLVMValueRef emit_shared(struct emitter *e, LLVMTypeRef type, const char *name)
{
    LLVMValueRef shared = LLVMAddGlobalInAddressSpace(e->llvm, type, name, SHARED_SPACE);
    LLVMSetLinkage(shared, LLVMInternalLinkage);
    LLVMSetInitializer(shared, LLVMGetPoison(type));
    LLVMSetAlignment(shared, 8);
    return shared;
}

static LLVMValueRef shared_record(struct emitter *e, LLVMValueRef shared, const struct ir_function *task,
                                  LLVMValueRef number)
{
    LLVMValueRef offset = LLVMBuildMul(e->builder, number, emit_const(e, IR_I32, (int64_t)task->partial_size), "");
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], shared, &offset, 1, "");
}

// The first warp merges what the first threads of all have left in |shared|.
static void merge_warps(struct emitter *e, const struct merge *merge, LLVMValueRef shared, LLVMValueRef lane,
                        LLVMValueRef warps)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef load = emit_block(e, "load");
    LLVMBasicBlockRef loaded = emit_block(e, "loaded");
    int count = merge->task->accumulator_count;
    LLVMValueRef *values = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, lane, warps, ""), load, loaded);
    emit_at(e, load);
    LLVMValueRef record = shared_record(e, shared, merge->task, lane);
    for (int i = 0; i < count; i++) {
        values[i] = load_field(e, record, &merge->task->accumulators[i]);
    }
    LLVMBuildBr(b, loaded);
    emit_at(e, loaded);
    for (int i = 0; i < count; i++) {
        const struct ir_accumulator *accumulator = &merge->task->accumulators[i];
        LLVMValueRef phi = LLVMBuildPhi(b, e->types[accumulator->var->type], "");
        LLVMValueRef identity = identity_of(e, accumulator);
        LLVMAddIncoming(phi, (LLVMValueRef[]){values[i], identity}, (LLVMBasicBlockRef[]){load, before}, 2);
        values[i] = phi;
    }
    for (int i = 0; i < count; i++) {
        LLVMBuildStore(b, values[i], merge->slots[i]);
    }
    merge_warp(e, merge, lane);
}

// Goes on in the block's first thread alone, which then has everything; the others go to |leave|. Blocks are whole
// warps.
static void merge_block(struct emitter *e, const struct merge *merge, const struct emit_thread *thread,
                        LLVMBasicBlockRef leave)
{
    LLVMBuilderRef b = e->builder;
    if (e->target->is_stand_in) {
        return;
    }
    LLVMValueRef size = emit_const(e, IR_I32, emit_warp_size(e));
    LLVMValueRef zero = emit_const(e, IR_I32, 0);
    LLVMValueRef number = LLVMBuildTrunc(b, thread->lane, e->types[IR_I32], "");
    LLVMValueRef lane = LLVMBuildURem(b, number, size, "lane");
    LLVMValueRef warp = LLVMBuildUDiv(b, number, size, "warp");
    LLVMValueRef warps = LLVMBuildUDiv(b, LLVMBuildTrunc(b, thread->merging, e->types[IR_I32], ""), size, "warps");
    LLVMTypeRef type = LLVMArrayType2(e->types[IR_I8], MAX_WARPS * merge->task->partial_size);
    LLVMValueRef shared = emit_shared(e, type, "rill_warps");
    LLVMBasicBlockRef leads = emit_block(e, "leads");
    LLVMBasicBlockRef all = emit_block(e, "all");
    LLVMBasicBlockRef first = emit_block(e, "first");
    LLVMBasicBlockRef alone = emit_block(e, "alone");
    merge_warp(e, merge, lane);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, lane, zero, ""), leads, all);
    emit_at(e, leads);
    store_record(e, merge, shared_record(e, shared, merge->task, warp));
    LLVMBuildBr(b, all);
    emit_at(e, all);
    emit_meet(e);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, warp, zero, ""), first, leave);
    emit_at(e, first);
    merge_warps(e, merge, shared, lane, warps);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, lane, zero, ""), alone, leave);
    emit_at(e, alone);
}

void emit_merge_threads(struct emitter *e, const struct emit_thread *thread, LLVMBasicBlockRef leave)
{
    const struct ir_function *task = e->function->ir;
    struct merge merge = {.task = task, .slots = ARENA_ARRAY(e->arena, LLVMValueRef, task->accumulator_count)};
    for (int i = 0; i < task->accumulator_count; i++) {
        merge.slots[i] = e->function->vars[task->accumulators[i].var->index];
    }
    merge_block(e, &merge, thread, leave);
}

// ---- the finishing function ----------------------------------------------------------------------------------------

// The task whose records |finish| merges, if they merge in any order; else NULL.
const struct ir_function *emit_merge_task(const struct emitter *e, const struct ir_function *finish)
{
    static const char suffix[] = ".finish";
    size_t length = strlen(finish->name);
    size_t suffix_length = sizeof suffix - 1;
    if (finish->kind != IR_FUNCTION_FINISH || length < suffix_length ||
        strcmp(finish->name + length - suffix_length, suffix) != 0) {
        return NULL;
    }
    for (int i = 0; i < e->module->function_count; i++) {
        const struct ir_function *task = e->module->functions[i];
        bool is_it = task->kind == IR_FUNCTION_TASK && strlen(task->name) == length - suffix_length &&
                     memcmp(task->name, finish->name, length - suffix_length) == 0;
        if (is_it) {
            return ir_merges(task) ? task : NULL;
        }
    }
    return NULL;
}

// The records place, place + threads, … of all.
static void merge_records(struct emitter *e, const struct merge *merge, const struct emit_thread *thread)
{
    LLVMBuilderRef b = e->builder;
    struct emit_function *f = e->function;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef body = emit_block(e, "record");
    LLVMBasicBlockRef after = emit_block(e, "records");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, thread->place, f->count, ""), body, after);
    emit_at(e, body);
    LLVMValueRef at = LLVMBuildPhi(b, e->types[IR_I64], "");
    LLVMValueRef offset = LLVMBuildMul(b, at, emit_i64(e, (int64_t)merge->task->partial_size), "");
    LLVMValueRef record = LLVMBuildGEP2(b, e->types[IR_I8], f->partial, &offset, 1, "");
    LLVMValueRef *others = ARENA_ARRAY(e->arena, LLVMValueRef, merge->task->accumulator_count);
    for (int i = 0; i < merge->task->accumulator_count; i++) {
        others[i] = load_field(e, record, &merge->task->accumulators[i]);
    }
    merge_values(e, merge, others);
    LLVMValueRef next = LLVMBuildNSWAdd(b, at, thread->merging, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, next, f->count, ""), body, after);
    LLVMAddIncoming(at, (LLVMValueRef[]){thread->place, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    emit_at(e, after);
}

void emit_merge_records(struct emitter *e, const struct ir_function *task, LLVMBasicBlockRef leave)
{
    struct emit_function *f = e->function;
    struct merge merge = {.task = task, .slots = ARENA_ARRAY(e->arena, LLVMValueRef, task->accumulator_count)};
    for (int i = 0; i < task->accumulator_count; i++) {
        const struct ir_var *var = task->accumulators[i].var;
        merge.slots[i] = emit_alloca(e, e->types[var->type], (uint32_t)ir_type_size(var->type), var->name);
        LLVMBuildStore(e->builder, identity_of(e, &task->accumulators[i]), merge.slots[i]);
    }
    struct emit_thread thread = emit_thread(e);
    merge_records(e, &merge, &thread);
    merge_block(e, &merge, &thread, leave);
    store_record(e, &merge, f->partial); // the others have read theirs: this one was this thread's
    f->count = emit_i64(e, 1);
}

// How the threads of a GPU's grid share the iterations of a task. Four ways, as plan/abi.h says:
//   one by one   every thread takes every n-th iteration, or every n-th run of a few consecutive ones (below);
//   merged       a block has |chunk| consecutive iterations, its threads share them in the first way, and what they
//                accumulated is merged into one record (emit_merge.c);
//   by teams     a few threads together take an iteration and share out the loops inside it (emit_team.c);
//   in pieces    every thread has |chunk| consecutive iterations and a record of its own: where the order counts.
//
// Runs. Memory gives its full speed only to accesses of 16 bytes. Where a task walks through arrays element by element,
// a thread takes so many consecutive iterations as fill 16 bytes: the body stands there once for each, addresses are
// one address and constants, and LLVM makes wide accesses of what it then knows to be adjacent and aligned. Whether the
// arrays are aligned so is looked at when the kernel begins; a few iterations before the first aligned element and
// after the last whole run are done one by one, and so is everything if the arrays do not lie right.
#include "codegen/emit.h"

#include "codegen/run.h"
#include "plan/abi.h"

#include <string.h>

// ---- threads ------------------------------------------------------------------------------------------------------

static LLVMValueRef read_register(struct emitter *e, const char *name)
{
    LLVMValueRef value = emit_intrinsic(e, name, NULL, 0, NULL, 0);
    return LLVMBuildZExt(e->builder, value, e->types[IR_I64], "");
}

static LLVMValueRef read_constant(struct emitter *e, const char *pointer, int64_t at, enum ir_type type)
{
    LLVMValueRef base = emit_intrinsic(e, pointer, NULL, 0, NULL, 0);
    LLVMValueRef offset = emit_i64(e, at);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], base, &offset, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(e->builder, e->types[type], address, "");
    LLVMSetAlignment(value, (unsigned)ir_type_size(type));
    emit_metadata(e, value, "invariant.load", LLVMMDNodeInContext2(e->context, NULL, 0));
    return LLVMBuildZExt(e->builder, value, e->types[IR_I64], "");
}

// The implicit arguments of code object v5: block counts from byte 0 (i32 each), group sizes from byte 12 (i16 each).
// Version 4 has neither; there the packet that launched the kernel has the group sizes from byte 4 (i16 each), and the
// threads of the grid from byte 12 (i32 each).
static void read_grid(struct emitter *e, struct emit_thread *thread)
{
    static const char implicit[] = "llvm.amdgcn.implicitarg.ptr", packet[] = "llvm.amdgcn.dispatch.ptr";
    if (e->target->code_object > 4) {
        thread->size = read_constant(e, implicit, 12, IR_I16);
        thread->groups = read_constant(e, implicit, 0, IR_I32);
        return;
    }
    thread->size = read_constant(e, packet, 4, IR_I16);
    LLVMValueRef threads = LLVMBuildTrunc(e->builder, read_constant(e, packet, 12, IR_I32), e->types[IR_I32], "");
    LLVMValueRef size = LLVMBuildTrunc(e->builder, thread->size, e->types[IR_I32], "");
    LLVMValueRef groups = LLVMBuildExactUDiv(e->builder, threads, size, "");
    thread->groups = LLVMBuildZExt(e->builder, groups, e->types[IR_I64], "");
}

// The number of a thread in a resident loop: consecutive warps are of different blocks, so that a loop of few
// iterations, which may be long, keeps many processors busy.
static LLVMValueRef spread_warps(struct emitter *e, const struct emit_thread *thread)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = emit_i64(e, emit_warp_size(e));
    LLVMValueRef rest = LLVMBuildURem(b, thread->lane, size, "");
    LLVMValueRef warp = LLVMBuildUDiv(b, thread->lane, size, "");
    warp = LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, warp, thread->groups, ""), thread->group, "");
    return LLVMBuildNUWAdd(b, LLVMBuildNUWMul(b, warp, size, ""), rest, "thread");
}

struct emit_thread emit_thread(struct emitter *e)
{
    struct emit_thread thread;
    if (e->target->is_stand_in) {
        thread.group = stand_in_thread(e, &thread.groups);
        thread.size = emit_i64(e, 1);
        thread.lane = emit_i64(e, 0);
    } else if (e->target->kind == TARGET_NVPTX) {
        thread.group = read_register(e, "llvm.nvvm.read.ptx.sreg.ctaid.x");
        thread.size = read_register(e, "llvm.nvvm.read.ptx.sreg.ntid.x");
        thread.lane = read_register(e, "llvm.nvvm.read.ptx.sreg.tid.x");
        thread.groups = read_register(e, "llvm.nvvm.read.ptx.sreg.nctaid.x");
    } else {
        thread.group = read_register(e, "llvm.amdgcn.workgroup.id.x");
        thread.lane = read_register(e, "llvm.amdgcn.workitem.id.x");
        read_grid(e, &thread);
    }
    LLVMValueRef first = LLVMBuildNUWMul(e->builder, thread.group, thread.size, "");
    thread.number = LLVMBuildNUWAdd(e->builder, first, thread.lane, "thread");
    thread.place = thread.lane;
    thread.merging = thread.size;
    if (e->function->resident != NULL && !e->target->is_stand_in) {
        thread.number = spread_warps(e, &thread);
        thread.merging = emit_i64(e, ABI_GPU_MERGED_BLOCK); // the bits of a sum are the same everywhere
        LLVMValueRef is_one = LLVMBuildICmp(e->builder, LLVMIntULT, thread.lane, thread.merging, "");
        thread.place = LLVMBuildSelect(e->builder, is_one, thread.lane, emit_i64(e, INT64_C(1) << 60), "place");
    }
    return thread;
}

// ---- which iterations ---------------------------------------------------------------------------------------------

// The iterations [lo, hi) belong to a set of |stride| threads, of which this one is number |first|.
struct share {
    LLVMValueRef lo;
    LLVMValueRef hi;
    LLVMValueRef first;
    LLVMValueRef stride;
};

static LLVMValueRef record_at(struct emitter *e, LLVMValueRef number)
{
    LLVMValueRef size = emit_i64(e, (int64_t)e->function->ir->partial_size);
    LLVMValueRef offset = LLVMBuildMul(e->builder, number, size, "");
    return LLVMBuildGEP2(e->builder, e->types[IR_I8], e->function->partial, &offset, 1, "partial");
}

// The |number|-th piece of so many iterations as have one record.
static struct share share_of_piece(struct emitter *e, LLVMValueRef number)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef lo = LLVMBuildNUWMul(b, number, f->chunk, "lo");
    LLVMValueRef end = LLVMBuildNUWAdd(b, lo, f->chunk, "");
    f->partial = record_at(e, number);
    return (struct share){lo, emit_intrinsic2(e, "llvm.smin", end, f->count), emit_i64(e, 0), emit_i64(e, 1)};
}

static struct share share_of_thread(struct emitter *e, const struct emit_thread *thread)
{
    struct emit_function *f = e->function;
    if (f->ir->accumulator_count == 0) {
        LLVMValueRef threads = LLVMBuildNUWMul(e->builder, thread->size, thread->groups, "threads");
        return (struct share){emit_i64(e, 0), f->count, thread->number, threads};
    }
    if (!ir_merges(f->ir)) {
        return share_of_piece(e, thread->number);
    }
    struct share share = share_of_piece(e, thread->group);
    share.first = thread->place;
    share.stride = thread->merging;
    return share;
}

// ---- loops --------------------------------------------------------------------------------------------------------

// One iteration. |end| of the function is where it goes on afterwards, also if it fails.
static void emit_iteration(struct emitter *e, LLVMValueRef iter)
{
    struct emit_function *f = e->function;
    LLVMBasicBlockRef end = emit_block(e, "next");
    f->iter = iter;
    f->end = end;
    emit_forget_vars(e);
    emit_region(e, &f->ir->body);
    emit_go(e, end);
    emit_at(e, end);
}

struct thread_loop {
    LLVMValueRef first;
    LLVMValueRef limit;
    LLVMValueRef stride;
    LLVMBasicBlockRef before;
    LLVMBasicBlockRef body;
    LLVMBasicBlockRef after;
    LLVMValueRef k;
};

// for (k = first; k < limit; k += stride)
static void open_loop(struct emitter *e, struct thread_loop *loop)
{
    LLVMBuilderRef b = e->builder;
    loop->before = LLVMGetInsertBlock(b);
    loop->body = emit_block(e, "loop");
    loop->after = emit_block(e, "done");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, loop->first, loop->limit, ""), loop->body, loop->after);
    emit_at(e, loop->body);
    loop->k = LLVMBuildPhi(b, e->types[IR_I64], "k");
}

static void close_loop(struct emitter *e, struct thread_loop *loop)
{
    LLVMBuilderRef b = e->builder;
    debug_at(e, b, e->function->ir->loc);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMValueRef next = LLVMBuildNSWAdd(b, loop->k, loop->stride, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, next, loop->limit, ""), loop->body, loop->after);
    LLVMAddIncoming(loop->k, (LLVMValueRef[]){loop->first, next}, (LLVMBasicBlockRef[]){loop->before, latch}, 2);
    emit_at(e, loop->after);
}

static void emit_singles(struct emitter *e, const struct share *share)
{
    struct thread_loop loop = {
        .first = LLVMBuildNSWAdd(e->builder, share->lo, share->first, ""), .limit = share->hi, .stride = share->stride};
    struct emit_digits digits;
    emit_digits_begin(e, &digits, loop.first, loop.stride, loop.limit, NULL);
    open_loop(e, &loop);
    emit_digits_open(e, &digits);
    emit_iteration(e, loop.k);
    emit_digits_close(e, &digits, loop.before);
    close_loop(e, &loop);
}

// ---- runs ---------------------------------------------------------------------------------------------------------

// What distinguishes the iterations of a run for LLVM: accesses of two of them never conflict. Whatever the task's
// independence says of any two iterations it says of these.
static void make_scopes(struct emitter *e, struct emit_run *run)
{
    LLVMMetadataRef name = LLVMMDStringInContext2(e->context, e->function->ir->name, strlen(e->function->ir->name));
    LLVMMetadataRef domain = LLVMMDNodeInContext2(e->context, &name, 1);
    LLVMMetadataRef scopes[EMIT_MAX_RUN];
    for (int i = 0; i < run->length; i++) {
        char *text = arena_printf(e->arena, "%s+%d", e->function->ir->name, i);
        LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(e->context, text, strlen(text)), domain};
        scopes[i] = LLVMMDNodeInContext2(e->context, parts, 2);
    }
    for (int i = 0; i < run->length; i++) {
        LLVMMetadataRef others[EMIT_MAX_RUN];
        size_t count = 0;
        for (int k = 0; k < run->length; k++) {
            if (k != i) {
                others[count++] = scopes[k];
            }
        }
        run->scopes[i] = LLVMMDNodeInContext2(e->context, &scopes[i], 1);
        run->others[i] = LLVMMDNodeInContext2(e->context, others, count);
    }
}

// What does not vary, also where the body that holds it has not been emitted yet.
static LLVMValueRef invariant_value(struct emitter *e, const struct ir_inst *inst)
{
    if (inst->parent == &e->function->ir->prologue) {
        return emit_value(e, inst);
    }
    switch (inst->op) {
    case IR_OP_CONST: return emit_const(e, inst->type, inst->imm);
    case IR_OP_PARAM: return emit_param(e, inst);
    case IR_OP_ADDR_GLOBAL: return emit_address(e, inst);
    case IR_OP_SEXT: return LLVMBuildSExt(e->builder, invariant_value(e, inst->args[0]), e->types[inst->type], "");
    default: return emit_value(e, inst); // of the row, in the body
    }
}

static LLVMValueRef wide_init(struct emitter *e, const struct run_access *access)
{
    LLVMValueRef init = invariant_value(e, access->init);
    return access->init->type == IR_I64 ? init : LLVMBuildSExt(e->builder, init, e->types[IR_I64], "");
}

static LLVMValueRef base_of(struct emitter *e, const struct run_access *access)
{
    return invariant_value(e, access->base);
}

static int64_t run_alignment(const struct emit_run *run, int64_t size)
{
    int64_t bytes = run->length * size;
    return bytes < EMIT_RUN_BYTES ? bytes : EMIT_RUN_BYTES;
}

LLVMValueRef emit_run_address(struct emitter *e, const struct ir_inst *pointer)
{
    const struct emit_run *run = e->function->run;
    struct run_access access;
    if (run == NULL || !run_access(e->function->ir, pointer, &access)) {
        return NULL;
    }
    LLVMBuilderRef b = e->builder;
    LLVMValueRef index = LLVMBuildNSWAdd(b, wide_init(e, &access), run->first, "");
    LLVMValueRef offset = LLVMBuildNSWMul(b, index, emit_i64(e, access.size), "");
    LLVMValueRef start = LLVMBuildGEP2(b, e->types[IR_I8], base_of(e, &access), &offset, 1, "");
    LLVMValueRef distance = emit_i64(e, (run->at + access.distance) * access.size);
    return LLVMBuildGEP2(b, e->types[IR_I8], start, &distance, 1, "");
}

uint64_t emit_run_alignment(struct emitter *e, const struct ir_inst *pointer, enum ir_type type)
{
    const struct emit_run *run = e->function->run;
    struct run_access access;
    if (run == NULL || !run->is_aligned || !run_access(e->function->ir, pointer, &access) ||
        access.size != ir_type_size(type)) {
        return 0;
    }
    uint64_t bits = (uint64_t)((run->at + access.distance) * access.size) | (uint64_t)run_alignment(run, access.size);
    return bits & (0 - bits);
}

static bool touches_run(struct emitter *e, const struct ir_inst *inst, struct run_access *access)
{
    bool accesses = inst->op == IR_OP_LOAD || inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE;
    return accesses && run_access(e->function->ir, inst->args[0], access) && access->size == ir_type_size(inst->type);
}

// What a load gave at the beginning of the run; NULL: it was not done then.
LLVMValueRef emit_run_early(struct emitter *e, const struct ir_inst *load)
{
    const struct emit_run *run = e->function->run;
    for (int i = 0; run != NULL && i < run->early_count; i++) {
        if (run_same(e->function->ir, run->early[i], load)) {
            return run->early_values[i][run->at];
        }
    }
    return NULL;
}

// LLVM makes a wide load of loads that stand together. Where conditions or atomic updates stand between those of two
// iterations, what nobody writes is loaded before.
static void load_early(struct emitter *e, struct emit_run *run)
{
    const struct ir_region *body = &e->function->ir->body;
    bool is_straight = true;
    for (const struct ir_inst *inst = body->first; inst != NULL; inst = inst->next) {
        is_straight &= inst->region_count == 0 && !(inst->op == IR_OP_UPDATE && inst->atomic);
    }
    run->early_count = 0;
    for (const struct ir_inst *inst = body->first; !is_straight && inst != NULL; inst = inst->next) {
        struct run_access access;
        if (run->early_count == EMIT_MAX_EARLY || inst->op != IR_OP_LOAD || !touches_run(e, inst, &access) ||
            !emit_is_only_read(e, inst)) {
            continue;
        }
        for (run->at = 0; run->at < run->length; run->at++) {
            LLVMValueRef address = emit_run_address(e, inst->args[0]);
            run->early_values[run->early_count][run->at] = emit_load_from(e, inst, address);
        }
        run->early[run->early_count++] = inst;
    }
}

static void emit_run_once(struct emitter *e, struct emit_run *run, LLVMValueRef first)
{
    e->function->run = run;
    run->first = first;
    load_early(e, run);
    for (run->at = 0; run->at < run->length; run->at++) {
        LLVMValueRef iter = LLVMBuildNSWAdd(e->builder, first, emit_i64(e, run->at), "");
        if (e->function->digits != NULL) {
            e->function->digits->values[0] = iter;
        }
        emit_iteration(e, iter);
    }
    e->function->run = NULL;
}

// The runs [0, count) from iteration |start| on.
static void emit_runs(struct emitter *e, struct emit_run *run, const struct share *share, LLVMValueRef start,
                      LLVMValueRef count)
{
    struct thread_loop loop = {.first = share->first, .limit = count, .stride = share->stride};
    open_loop(e, &loop);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, loop.k, emit_i64(e, run->length), "");
    emit_run_once(e, run, LLVMBuildNSWAdd(e->builder, start, at, ""));
    close_loop(e, &loop);
}

// The address that the access has in iteration |iter|, but for its distance.
static LLVMValueRef address_at(struct emitter *e, const struct run_access *access, LLVMValueRef iter)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef index = LLVMBuildAdd(b, wide_init(e, access), iter, "");
    LLVMValueRef offset = LLVMBuildMul(b, index, emit_i64(e, access->size), "");
    struct run_access first = *access; // of the first row
    while (first.base->op == IR_OP_INDEX && first.base->parent != &e->function->ir->prologue) {
        first.base = first.base->args[0];
    }
    return LLVMBuildAdd(b, LLVMBuildPtrToInt(b, base_of(e, &first), e->types[IR_I64], ""), offset, "");
}

// What keeps rows from being aligned as the first one is: the low bits of their distances.
static LLVMValueRef row_distances(struct emitter *e, const struct ir_inst *base)
{
    LLVMValueRef all = emit_i64(e, 0);
    for (; base->op == IR_OP_INDEX && base->parent != &e->function->ir->prologue; base = base->args[0]) {
        all = LLVMBuildOr(e->builder, all, invariant_value(e, base->args[2]), "");
    }
    return all;
}

// Whether a run that begins with iteration |start| is aligned in every array.
static LLVMValueRef is_aligned(struct emitter *e, const struct emit_run *run, LLVMValueRef start)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef wrong = emit_i64(e, 0);
    struct run_access access;
    for (const struct ir_inst *inst = e->function->ir->body.first; inst != NULL; inst = inst->next) {
        if (touches_run(e, inst, &access)) {
            LLVMValueRef mask = emit_i64(e, run_alignment(run, access.size) - 1);
            LLVMValueRef bits = LLVMBuildOr(b, address_at(e, &access, start), row_distances(e, access.base), "");
            wrong = LLVMBuildOr(b, wrong, LLVMBuildAnd(b, bits, mask, ""), "");
        }
    }
    return LLVMBuildICmp(b, LLVMIntEQ, wrong, emit_i64(e, 0), "");
}

// So many iterations from |lo| on until what is stored (or else loaded) first is aligned.
static LLVMValueRef lead_of(struct emitter *e, const struct emit_run *run, LLVMValueRef lo)
{
    struct run_access access;
    struct run_access found = {0};
    bool has_store = false;
    for (const struct ir_inst *inst = e->function->ir->body.first; inst != NULL; inst = inst->next) {
        if (touches_run(e, inst, &access) && (found.base == NULL || (!has_store && inst->op != IR_OP_LOAD))) {
            found = access;
            has_store = inst->op != IR_OP_LOAD;
        }
    }
    LLVMBuilderRef b = e->builder;
    LLVMValueRef missing = LLVMBuildNeg(b, address_at(e, &found, lo), "");
    missing = LLVMBuildAnd(b, missing, emit_i64(e, run_alignment(run, found.size) - 1), "");
    return LLVMBuildUDiv(b, missing, emit_i64(e, found.size), "");
}

// What is stored does not depend on who stores it, so that where the runs begin is chosen by the arrays.
static void emit_stored_runs(struct emitter *e, struct emit_run *run, const struct share *share)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = emit_i64(e, 0);
    LLVMValueRef length = emit_i64(e, run->length);
    LLVMValueRef lead = lead_of(e, run, share->lo);
    LLVMValueRef start = LLVMBuildAdd(b, share->lo, lead, "");
    LLVMValueRef room = LLVMBuildSub(b, share->hi, start, "");
    LLVMValueRef has_runs = LLVMBuildICmp(b, LLVMIntSGE, room, length, "");
    LLVMValueRef good = LLVMBuildAnd(b, is_aligned(e, run, start), has_runs, "");
    LLVMValueRef count = LLVMBuildSelect(b, good, LLVMBuildUDiv(b, room, length, ""), zero, "runs");
    run->is_aligned = true;
    emit_runs(e, run, share, start, count);

    // What is left: the lead, and what comes after the runs.
    LLVMValueRef covered = LLVMBuildMul(b, count, length, "");
    struct thread_loop loop = {.first = share->first,
                               .limit = LLVMBuildSub(b, LLVMBuildSub(b, share->hi, share->lo, ""), covered, ""),
                               .stride = share->stride};
    open_loop(e, &loop);
    LLVMValueRef is_lead = LLVMBuildICmp(b, LLVMIntSLT, loop.k, lead, "");
    LLVMValueRef skipped = LLVMBuildSelect(b, is_lead, zero, covered, "");
    LLVMValueRef iter = LLVMBuildNSWAdd(b, share->lo, LLVMBuildNSWAdd(b, loop.k, skipped, ""), "");
    emit_iteration(e, iter);
    close_loop(e, &loop);
}

// The same in each row of a nest: |row| is the number of its elements. The runs of all rows are one space, and so is
// what is left of all rows.
static void emit_nest_runs(struct emitter *e, struct emit_run *run, const struct share *share, LLVMValueRef row)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = emit_i64(e, 0);
    LLVMValueRef length = emit_i64(e, run->length);
    LLVMValueRef lead = lead_of(e, run, zero);
    LLVMValueRef room = LLVMBuildSub(b, row, lead, "");
    LLVMValueRef has_runs = LLVMBuildICmp(b, LLVMIntSGE, room, length, "");
    LLVMValueRef good = LLVMBuildAnd(b, is_aligned(e, run, lead), has_runs, "");
    LLVMValueRef runs = LLVMBuildSelect(b, good, LLVMBuildUDiv(b, room, length, ""), zero, "runs");
    LLVMValueRef covered = LLVMBuildMul(b, runs, length, "");
    LLVMValueRef left = LLVMBuildSub(b, row, covered, "left");
    LLVMValueRef rows = emit_divide(e, share->hi, emit_intrinsic2(e, "llvm.umax", row, emit_i64(e, 1)), NULL);
    struct emit_digits digits;
    struct thread_loop loop = {
        .first = share->first, .limit = LLVMBuildMul(b, rows, runs, ""), .stride = share->stride};
    run->is_aligned = true;
    emit_digits_begin(e, &digits, loop.first, loop.stride, loop.limit, runs);
    open_loop(e, &loop);
    emit_digits_open(e, &digits);
    LLVMValueRef number = digits.values[0];
    emit_run_once(e, run, LLVMBuildNSWAdd(b, lead, LLVMBuildNSWMul(b, number, length, ""), ""));
    digits.values[0] = number;
    emit_digits_close(e, &digits, loop.before);
    close_loop(e, &loop);

    loop =
        (struct thread_loop){.first = share->first, .limit = LLVMBuildMul(b, rows, left, ""), .stride = share->stride};
    emit_digits_begin(e, &digits, loop.first, loop.stride, loop.limit, left);
    open_loop(e, &loop);
    emit_digits_open(e, &digits);
    number = digits.values[0];
    LLVMValueRef is_lead = LLVMBuildICmp(b, LLVMIntSLT, number, lead, "");
    digits.values[0] = LLVMBuildNSWAdd(b, number, LLVMBuildSelect(b, is_lead, zero, covered, ""), "");
    emit_iteration(e, digits.values[0]);
    digits.values[0] = number;
    emit_digits_close(e, &digits, loop.before);
    close_loop(e, &loop);
}

// What is accumulated does depend on which thread has which iterations: runs begin with the first iteration, wherever
// the arrays lie, and only their accesses differ.
static void emit_merged_runs(struct emitter *e, struct emit_run *run, const struct share *share)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef length = emit_i64(e, run->length);
    LLVMValueRef all = emit_intrinsic2(e, "llvm.smax", LLVMBuildSub(b, share->hi, share->lo, ""), emit_i64(e, 0));
    LLVMValueRef count = LLVMBuildUDiv(b, all, length, "runs");
    LLVMBasicBlockRef aligned = emit_block(e, "aligned");
    LLVMBasicBlockRef plain = emit_block(e, "plain");
    LLVMBasicBlockRef rest = emit_block(e, "rest");
    LLVMBuildCondBr(b, is_aligned(e, run, share->lo), aligned, plain);
    emit_at(e, aligned);
    run->is_aligned = true;
    emit_runs(e, run, share, share->lo, count);
    LLVMBuildBr(b, rest);
    emit_at(e, plain);
    run->is_aligned = false;
    emit_runs(e, run, share, share->lo, count);
    LLVMBuildBr(b, rest);
    emit_at(e, rest);
    struct share left = *share;
    left.lo = LLVMBuildNSWAdd(b, share->lo, LLVMBuildMul(b, count, length, ""), "");
    emit_singles(e, &left);
}

// ---- tiles --------------------------------------------------------------------------------------------------------

// Where an iteration of a nest is long, neighbours that share what they read are worth more than consecutive ones: a
// block takes a tile of as many columns as a warp has threads, and of so many rows as it has warps. The product of two
// matrices reads each element a few times instead of as often as there are rows.
enum { TILE_COLUMNS = 32 };

static LLVMValueRef divide_up(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef more = LLVMBuildAdd(b, x, LLVMBuildSub(b, y, emit_i64(e, 1), ""), "");
    return emit_divide(e, more, y, NULL);
}

static void emit_tiles(struct emitter *e, const struct share *share, const struct emit_thread *thread, LLVMValueRef row)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef width = emit_intrinsic2(e, "llvm.umin", thread->size, emit_i64(e, TILE_COLUMNS));
    LLVMValueRef height = LLVMBuildUDiv(b, thread->size, width, "height");
    LLVMValueRef columns = emit_intrinsic2(e, "llvm.umax", row, emit_i64(e, 1));
    LLVMValueRef rows = emit_divide(e, share->hi, columns, NULL);
    LLVMValueRef across = divide_up(e, columns, width);
    LLVMValueRef x = LLVMBuildURem(b, thread->lane, width, "x");
    LLVMValueRef y = LLVMBuildUDiv(b, thread->lane, width, "y");
    struct thread_loop loop = {.first = thread->group,
                               .limit = LLVMBuildMul(b, across, divide_up(e, rows, height), "tiles"),
                               .stride = thread->groups};
    open_loop(e, &loop);
    LLVMValueRef place; // in its row of tiles
    LLVMValueRef number = emit_divide(e, loop.k, across, &place);
    LLVMValueRef left = LLVMBuildMul(b, place, width, "");
    LLVMValueRef top = LLVMBuildMul(b, number, height, "");
    LLVMValueRef column = LLVMBuildAdd(b, left, x, "column");
    LLVMValueRef line = LLVMBuildAdd(b, top, y, "line");
    LLVMValueRef is_inside = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntULT, column, columns, ""),
                                          LLVMBuildICmp(b, LLVMIntULT, line, rows, ""), "");
    is_inside = LLVMBuildAnd(b, is_inside, LLVMBuildICmp(b, LLVMIntULT, y, height, ""), "");
    LLVMBasicBlockRef inside = emit_block(e, "inside");
    LLVMBasicBlockRef next = emit_block(e, "tile");
    LLVMBuildCondBr(b, is_inside, inside, next);
    emit_at(e, inside);
    struct emit_digits digits;
    emit_digits_set(e, &digits, column, line);
    emit_iteration(e, LLVMBuildAdd(b, LLVMBuildMul(b, line, columns, ""), column, ""));
    e->function->digits = NULL;
    LLVMBuildBr(b, next);
    emit_at(e, next);
    close_loop(e, &loop);
}

// ---- teams --------------------------------------------------------------------------------------------------------

static LLVMValueRef count_teams(struct emitter *e, LLVMValueRef threads)
{
    return e->target->is_stand_in ? threads : LLVMBuildUDiv(e->builder, threads, emit_i64(e, ABI_GPU_TEAM), "");
}

static void emit_teams(struct emitter *e, const struct share *share, const struct emit_thread *thread)
{
    struct emit_team team;
    emit_team_init(e, &team, thread);
    struct share own = *share;
    own.first = count_teams(e, share->first);
    own.stride = count_teams(e, share->stride);
    if (e->function->failed != NULL && !e->target->is_stand_in) { // one answer for all of the team
        LLVMValueRef first = LLVMBuildAnd(e->builder, team.warp_lane, emit_const(e, IR_I32, -ABI_GPU_TEAM), "");
        own.hi = emit_from_lane(e, IR_I64, share->hi, first);
    }
    emit_lists_begin_locals(e, &team, thread);
    e->function->team = &team;
    emit_singles(e, &own);
    emit_lists_end_locals(e);
    e->function->team = NULL;
}

// A block takes as many neighbouring iterations as there are columns. Threads beyond the last one stay with the others.
static void emit_columns(struct emitter *e, const struct share *share, const struct emit_thread *thread)
{
    LLVMBuilderRef b = e->builder;
    struct emit_team team;
    emit_team_init_columns(e, &team, thread);
    LLVMValueRef columns = emit_i64(e, ABI_GPU_TEAM_COLUMNS);
    LLVMValueRef more = LLVMBuildAdd(b, share->hi, emit_i64(e, ABI_GPU_TEAM_COLUMNS - 1), "");
    struct thread_loop loop = {
        .first = thread->group, .limit = LLVMBuildUDiv(b, more, columns, ""), .stride = thread->groups};
    open_loop(e, &loop);
    LLVMValueRef column = LLVMBuildAdd(b, LLVMBuildMul(b, loop.k, columns, ""), team.column, "column");
    LLVMValueRef last = LLVMBuildSub(b, share->hi, emit_i64(e, 1), "");
    team.is_active = LLVMBuildICmp(b, LLVMIntSLE, column, last, "active");
    LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, team.lane, emit_i64(e, 0), "");
    team.is_first = LLVMBuildAnd(b, is_zero, team.is_active, "first");
    e->function->team = &team;
    emit_iteration(e, emit_intrinsic2(e, "llvm.smin", column, last));
    e->function->team = NULL;
    close_loop(e, &loop);
}

// ---- the task -----------------------------------------------------------------------------------------------------

static void emit_alone(struct emitter *e, const struct share *share, const struct emit_thread *thread)
{
    struct emit_function *f = e->function;
    struct emit_run run = {.length = e->check_bounds ? 1 : run_length(f->ir)};
    const struct ir_inst *nest = run_nest(f->ir);
    if (run.length < 2 && nest != NULL && f->ir->accumulator_count == 0 && emit_has_loops(&f->ir->body)) {
        emit_tiles(e, share, thread, emit_value(e, nest->args[nest->arg_count - 1]));
        return;
    }
    if (run.length < 2) {
        emit_singles(e, share);
        return;
    }
    make_scopes(e, &run);
    if (nest != NULL) {
        emit_nest_runs(e, &run, share, emit_value(e, nest->args[nest->arg_count - 1]));
    } else if (f->ir->accumulator_count > 0) {
        emit_merged_runs(e, &run, share);
    } else {
        emit_stored_runs(e, &run, share);
    }
}

static void emit_share(struct emitter *e, const struct share *share, const struct emit_thread *thread)
{
    LLVMValueRef is_team = emit_plan_team(e);
    if (is_team == NULL) {
        emit_alone(e, share, thread);
        return;
    }
    if (emit_lists_has_locals(e)) { // for which there is no more room
        LLVMValueRef most = emit_i64(e, (int64_t)ABI_GPU_TEAMS_MOST * ABI_GPU_TEAM);
        LLVMValueRef has_room = LLVMBuildICmp(e->builder, LLVMIntULE, thread->size, most, "");
        is_team = LLVMBuildAnd(e->builder, is_team, has_room, "");
    }
    LLVMBasicBlockRef teams = emit_block(e, "teams");
    LLVMBasicBlockRef alone = emit_block(e, "threads");
    LLVMBasicBlockRef after = emit_block(e, "shared");
    LLVMBuildCondBr(e->builder, is_team, teams, alone);
    emit_at(e, teams);
    if (emit_team_fits_columns(e, e->function->ir)) {
        emit_columns(e, share, thread);
    } else {
        emit_teams(e, share, thread);
    }
    LLVMBuildBr(e->builder, after);
    emit_at(e, alone);
    emit_alone(e, share, thread);
    LLVMBuildBr(e->builder, after);
    emit_at(e, after);
}

// In a resident loop the grid is what it is: a thread, or a block where its threads merge, takes every n-th record.
static void emit_pieces(struct emitter *e, const struct emit_thread *thread)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    bool merges = ir_merges(f->ir);
    LLVMValueRef threads = LLVMBuildNUWMul(b, thread->size, thread->groups, "threads");
    LLVMValueRef partials = f->partial;
    struct thread_loop loop = {.first = merges ? thread->group : thread->number,
                               .limit = divide_up(e, f->count, f->chunk),
                               .stride = merges ? thread->groups : threads};
    open_loop(e, &loop);
    struct share share = share_of_piece(e, loop.k);
    if (merges) {
        share.first = thread->place;
        share.stride = thread->merging;
    }
    LLVMBasicBlockRef next = emit_block(e, "piece");
    f->iter = share.lo;
    f->end = next;
    emit_region(e, &f->ir->prologue);
    emit_set_accumulators(e);
    emit_share(e, &share, thread);
    if (merges) {
        emit_merge_threads(e, thread, next);
    }
    emit_store_accumulators(e);
    LLVMBuildBr(b, next);
    emit_at(e, next);
    if (merges) { // what the threads merge by is used again
        emit_meet(e);
    }
    f->partial = partials;
    close_loop(e, &loop);
}

void emit_grid(struct emitter *e, LLVMBasicBlockRef leave)
{
    struct emit_function *f = e->function;
    LLVMBuilderRef b = e->builder;
    struct emit_thread thread = emit_thread(e);
    if (f->resident != NULL && f->ir->accumulator_count > 0) {
        emit_pieces(e, &thread);
        return;
    }
    struct share share = share_of_thread(e, &thread);
    if (f->ir->accumulator_count > 0) { // what has no iterations has no record
        LLVMBasicBlockRef run = emit_block(e, "run");
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, share.lo, share.hi, ""), run, leave);
        emit_at(e, run);
    }
    if (f->failed != NULL) { // the threads of a block stay together
        share.hi = LLVMBuildSelect(b, f->failed, share.lo, share.hi, "");
    }
    f->iter = share.lo;
    f->end = leave;
    emit_region(e, &f->ir->prologue);
    if (f->ir->count != NULL) {
        LLVMValueRef count = emit_value(e, f->ir->count);
        share.hi = f->failed != NULL ? LLVMBuildSelect(b, f->failed, share.lo, count, "") : count;
    }
    emit_set_accumulators(e);
    emit_copies_begin(e, &thread);
    emit_share(e, &share, &thread);
    emit_copies_end(e, &thread);
    if (ir_merges(f->ir)) {
        emit_merge_threads(e, &thread, leave);
    }
    if (f->ir->accumulator_count > 0) {
        emit_store_accumulators(e);
    }
}

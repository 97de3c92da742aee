// Resident loops: a loop in order of the plan as one GPU entry (plan/resident.c says which). All threads of the grid
// walk the loop's control alike; a task is a function that all of them call, as its own entry would run it, and behind
// each task they meet. What control assigns is in registers of every thread.
//
// Slots that tasks write too are in the launch block. There one thread stores for all, and the rule is that nobody goes
// on while another may still have to read or see such a slot:
//   - |has_read|: control has read one since the threads met. Before a slot is written they meet.
//   - |has_stored|: one thread has stored one since. Before control or a parallel task reads one they meet.
// Branches join, and a loop's body ends and is left, with neither.
//
// The stand-in has one thread. It runs each parallel task as a few threads would, one after the other, the last one
// first, so that what depends on their order shows.
#include "codegen/emit.h"

#include "plan/abi.h"
#include "plan/resident.h"

#include <assert.h>
#include <string.h>

enum { STAND_IN_THREADS = 3 };

struct part {
    LLVMValueRef entry;
    LLVMValueRef finish; // NULL: there is none
};

// A loop or block that a break may leave.
struct place {
    int id;
    LLVMBasicBlockRef exit;
    struct place *outer;
};

struct resident {
    struct emitter *e;
    const struct plan_kernel *kernel;
    struct emit_resident slots;
    struct part *parts; // by task
    struct emit_thread thread;
    struct place *places;
    bool has_read;
    bool has_stored;
    LLVMValueRef has_met; // address of an i1: the threads have met, so all have their copies of the slots
    bool has_loops;       // inside the iterations of tasks
    bool has_locals;      // that teams share
};

LLVMValueRef emit_slot(struct emitter *e, int64_t offset)
{
    const struct emit_function *f = e->function;
    int slot = f->resident != NULL ? plan_slot_at(f->resident->kernel, offset) : -1;
    LLVMValueRef base = slot >= 0 && f->resident->own[slot] ? f->control : emit_generic(e, f->block);
    LLVMValueRef bytes = emit_i64(e, offset);
    return offset == 0 ? base : LLVMBuildGEP2(e->builder, e->types[IR_I8], base, &bytes, 1, "");
}

// ---- meeting --------------------------------------------------------------------------------------------------------

static unsigned device_scope(struct emitter *e)
{
    return LLVMGetSyncScopeID(e->context, "device", strlen("device"));
}

// The first thread of each block: what its block wrote is seen by the blocks that come after it, and what others wrote
// by its own. The highest bit of the word changes when all have come: the first block adds what then is missing to it.
static void meet_blocks(struct resident *r, LLVMBasicBlockRef after)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i32 = e->types[IR_I32];
    LLVMValueRef offset = e->function->chunk;
    LLVMValueRef word = LLVMBuildInBoundsGEP2(b, e->types[IR_I8], e->function->block, &offset, 1, "word");
    LLVMValueRef top = emit_const(e, IR_I32, INT32_MIN);
    LLVMValueRef groups = LLVMBuildTrunc(b, r->thread.groups, i32, "");
    LLVMValueRef missing = LLVMBuildSub(b, top, LLVMBuildSub(b, groups, emit_const(e, IR_I32, 1), ""), "");
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, r->thread.group, emit_i64(e, 0), "");
    LLVMValueRef add = LLVMBuildSelect(b, is_first, missing, emit_const(e, IR_I32, 1), "");
    LLVMBuildFenceSyncScope(b, LLVMAtomicOrderingAcquireRelease, device_scope(e), "");
    LLVMValueRef old =
        LLVMBuildAtomicRMWSyncScope(b, LLVMAtomicRMWBinOpAdd, word, add, LLVMAtomicOrderingMonotonic, device_scope(e));
    LLVMBasicBlockRef look = emit_block(e, "look");
    LLVMBasicBlockRef seen = emit_block(e, "seen");
    LLVMBuildBr(b, look);
    emit_at(e, look);
    LLVMValueRef now = LLVMBuildLoad2(b, i32, word, "");
    LLVMSetAlignment(now, 4);
    LLVMSetOrdering(now, LLVMAtomicOrderingAcquire);
    LLVMSetAtomicSyncScopeID(now, device_scope(e));
    LLVMValueRef changed = LLVMBuildAnd(b, LLVMBuildXor(b, old, now, ""), top, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, changed, emit_const(e, IR_I32, 0), ""), seen, look);
    emit_at(e, seen);
    LLVMBuildFenceSyncScope(b, LLVMAtomicOrderingAcquireRelease, device_scope(e), "");
    LLVMBuildBr(b, after);
}

// All threads of the grid come here before any goes on, and what they wrote is seen by all.
static void meet(struct resident *r)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    r->has_read = false;
    r->has_stored = false;
    emit_meet(e);
    LLVMBuildStore(b, emit_const(e, IR_I1, 1), r->has_met);
    if (e->target->kind != TARGET_NVPTX || e->target->is_stand_in) { // a grid has one block
        return;
    }
    LLVMBasicBlockRef many = emit_block(e, "many");
    LLVMBasicBlockRef first = emit_block(e, "first");
    LLVMBasicBlockRef waited = emit_block(e, "waited");
    LLVMBasicBlockRef met = emit_block(e, "met");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, r->thread.groups, emit_i64(e, 1), ""), many, met);
    emit_at(e, many);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, r->thread.lane, emit_i64(e, 0), ""), first, waited);
    emit_at(e, first);
    meet_blocks(r, waited);
    emit_at(e, waited);
    emit_meet(e);
    LLVMBuildBr(b, met);
    emit_at(e, met);
}

static void settle(struct resident *r)
{
    if (r->has_read || r->has_stored) {
        meet(r);
    }
}

// ---- slots and expressions ------------------------------------------------------------------------------------------

// An expression that control needs.
static LLVMValueRef evaluate(struct resident *r, const struct plan_expr *expr)
{
    bool reads = plan_expr_reads(r->kernel, expr, r->slots.written);
    if (reads && r->has_stored) {
        meet(r);
    }
    r->has_read |= reads;
    return emit_plan_expr(r->e, r->kernel, expr);
}

static void store_slot(struct resident *r, int64_t offset, enum ir_type type, LLVMValueRef value)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    uint32_t size = (uint32_t)ir_type_size(type);
    int slot = plan_slot_at(r->kernel, offset);
    assert(slot >= 0);
    if (r->slots.own[slot]) {
        emit_store_raw(e, type, value, emit_slot(e, offset), size);
        return;
    }
    if (r->has_read) {
        meet(r);
    }
    LLVMBasicBlockRef store = emit_block(e, "store");
    LLVMBasicBlockRef stored = emit_block(e, "stored");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, r->thread.number, emit_i64(e, 0), ""), store, stored);
    emit_at(e, store);
    emit_store_raw(e, type, value, emit_slot(e, offset), size);
    LLVMBuildBr(b, stored);
    emit_at(e, stored);
    r->has_stored = true;
}

// The thread's copies begin with what the launch block has, and in the end one thread stores what control assigned.
static void copy_slots(struct resident *r, bool is_end)
{
    struct emitter *e = r->e;
    for (int i = 0; i < r->kernel->slot_count; i++) {
        const struct plan_slot *slot = &r->kernel->slots[i];
        if (!r->slots.own[i] || (is_end && !r->slots.assigned[i])) {
            continue;
        }
        LLVMValueRef at = emit_i64(e, slot->offset);
        LLVMValueRef block = LLVMBuildInBoundsGEP2(e->builder, e->types[IR_I8], e->function->block, &at, 1, "");
        LLVMValueRef own = emit_slot(e, slot->offset);
        enum ir_type type = slot->size == 8 ? IR_I64 : slot->size == 4 ? IR_I32 : slot->size == 2 ? IR_I16 : IR_I8;
        uint32_t align = (uint32_t)slot->size;
        LLVMValueRef value = emit_load_raw(e, type, is_end ? own : block, align);
        emit_store_raw(e, type, value, is_end ? block : own, align);
    }
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

static bool uses_written(const struct resident *r, const struct plan_task *task, bool is_write)
{
    for (int i = 0; i < task->slot_use_count; i++) {
        const struct plan_slot_use *use = &task->slot_uses[i];
        int slot = plan_slot_at(r->kernel, use->offset);
        if (slot >= 0 && r->slots.written[slot] && (is_write ? use->writes : use->reads)) {
            return true;
        }
    }
    return false;
}

static void call_part(struct resident *r, LLVMValueRef part, LLVMValueRef count, LLVMValueRef chunk, int threads)
{
    struct emitter *e = r->e;
    const struct emit_function *f = e->function;
    for (int i = threads - 1; i >= 0; i--) {
        LLVMValueRef args[] = {f->args,
                               f->block,
                               count,
                               chunk,
                               f->partial,
                               f->frame,
                               f->control,
                               emit_const(e, IR_I32, threads),
                               emit_const(e, IR_I32, i)};
        LLVMBuildCall2(e->builder, emit_part_type(e), part, args, e->target->is_stand_in ? 9 : 7, "");
    }
}

// The end of the reductions: the first block's threads together, or the first thread.
static void emit_finish(struct resident *r, LLVMValueRef finish, LLVMValueRef records)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    if (r->has_read) {
        meet(r);
    }
    LLVMBasicBlockRef first = emit_block(e, "finish");
    LLVMBasicBlockRef after = emit_block(e, "finished");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, r->thread.group, emit_i64(e, 0), ""), first, after);
    emit_at(e, first);
    call_part(r, finish, records, emit_i64(e, 1), 1);
    LLVMBuildBr(b, after);
    emit_at(e, after);
    meet(r);
}

static void emit_parallel(struct resident *r, const struct plan_task *task, const struct part *part)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef trip = evaluate(r, task->trip);
    bool team_reads = plan_expr_reads(r->kernel, task->team, r->slots.written); // when the task begins
    if ((r->has_stored && (team_reads || uses_written(r, task, false))) ||
        (r->has_read && uses_written(r, task, true))) {
        meet(r);
    }
    LLVMBasicBlockRef some = emit_block(e, "some");
    LLVMBasicBlockRef none = emit_block(e, "none");
    LLVMBasicBlockRef after = emit_block(e, "after");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, trip, emit_i64(e, 0), ""), some, none);
    emit_at(e, none);
    settle(r);
    LLVMBuildBr(b, after);
    emit_at(e, some);
    LLVMValueRef chunk = emit_i64(e, 0);
    LLVMValueRef records = NULL;
    if (task->partial_size != 0) {
        records = emit_plan_records(e, trip, task->is_merged, &chunk);
    }
    call_part(r, part->entry, trip, chunk, e->target->is_stand_in ? STAND_IN_THREADS : 1);
    meet(r);
    if (part->finish != NULL) {
        emit_finish(r, part->finish, records);
    }
    LLVMBuildBr(b, after);
    emit_at(e, after);
}

static void emit_task(struct resident *r, int index)
{
    const struct plan_task *task = &r->kernel->tasks[index];
    const struct part *part = &r->parts[index];
    if (task->kind == PLAN_TASK_PARALLEL) {
        emit_parallel(r, task, part);
        return;
    }
    if (r->has_read && uses_written(r, task, true)) {
        meet(r);
    }
    call_part(r, part->entry, emit_i64(r->e, 1), emit_i64(r->e, 1), 1); // its first thread runs it
    meet(r);
}

// ---- control --------------------------------------------------------------------------------------------------------

static void emit_node(struct resident *r, const struct plan_node *node);

static void emit_if(struct resident *r, const struct plan_node *node)
{
    struct emitter *e = r->e;
    LLVMValueRef condition = evaluate(r, node->expr);
    LLVMBasicBlockRef yes = emit_block(e, "then");
    LLVMBasicBlockRef no = emit_block(e, "else");
    LLVMBasicBlockRef after = emit_block(e, "joined");
    LLVMBuildCondBr(e->builder, condition, yes, no);
    bool has_read = r->has_read, has_stored = r->has_stored;
    emit_at(e, yes);
    emit_node(r, node->children[0]);
    settle(r);
    emit_go(e, after);
    r->has_read = has_read;
    r->has_stored = has_stored;
    emit_at(e, no);
    if (node->child_count > 1 && node->children[1] != NULL) {
        emit_node(r, node->children[1]);
    }
    settle(r);
    emit_go(e, after);
    emit_at(e, after);
}

// As long as |trip|, or for ever.
static void emit_rounds(struct resident *r, const struct plan_node *node, LLVMValueRef init, LLVMValueRef trip)
{
    struct emitter *e = r->e;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i64 = e->types[IR_I64];
    LLVMBasicBlockRef round = emit_block(e, "round");
    LLVMBasicBlockRef body = emit_block(e, "body");
    LLVMBasicBlockRef exit = emit_block(e, "exit");
    LLVMValueRef counter = emit_alloca(e, i64, 8, "round");
    settle(r);
    LLVMBuildStore(b, emit_i64(e, 0), counter);
    LLVMBuildBr(b, round);
    emit_at(e, round);
    LLVMValueRef k = LLVMBuildLoad2(b, i64, counter, "k");
    if (trip != NULL) { // after the last round: C's value; the slot's width wraps it
        LLVMValueRef distance = LLVMBuildMul(b, k, emit_i64(e, node->step), "");
        LLVMValueRef narrow = node->type == IR_I64 ? distance : LLVMBuildTrunc(b, distance, e->types[node->type], "");
        store_slot(r, node->slot, node->type, LLVMBuildAdd(b, init, narrow, ""));
        settle(r);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, k, trip, ""), body, exit);
    } else {
        LLVMBuildBr(b, body);
    }
    struct place place = {.id = node->id, .exit = exit, .outer = r->places};
    r->places = &place;
    emit_at(e, body);
    emit_node(r, node->children[0]);
    r->places = place.outer;
    settle(r);
    LLVMBuildStore(b, LLVMBuildAdd(b, k, emit_i64(e, 1), ""), counter);
    LLVMBuildBr(b, round);
    emit_at(e, exit);
}

static void emit_block_node(struct resident *r, const struct plan_node *node)
{
    LLVMBasicBlockRef exit = emit_block(r->e, "left");
    struct place place = {.id = node->id, .exit = exit, .outer = r->places};
    r->places = &place;
    emit_node(r, node->children[0]);
    r->places = place.outer;
    settle(r);
    LLVMBuildBr(r->e->builder, exit);
    emit_at(r->e, exit);
}

static void emit_break(struct resident *r, int target)
{
    const struct place *place = r->places;
    while (place->id != target) {
        place = place->outer;
    }
    settle(r);
    LLVMBuildBr(r->e->builder, place->exit);
    emit_at(r->e, emit_block(r->e, "unreached"));
}

static void emit_node(struct resident *r, const struct plan_node *node)
{
    switch (node->kind) {
    case PLAN_SEQUENCE:
        for (int i = 0; i < node->child_count; i++) {
            emit_node(r, node->children[i]);
        }
        return;
    case PLAN_IF: emit_if(r, node); return;
    case PLAN_FOR: {
        LLVMValueRef init = evaluate(r, node->expr);
        emit_rounds(r, node, init, evaluate(r, node->trip));
        return;
    }
    case PLAN_LOOP: emit_rounds(r, node, NULL, NULL); return;
    case PLAN_BLOCK: emit_block_node(r, node); return;
    case PLAN_BREAK: emit_break(r, node->target); return;
    case PLAN_ASSIGN: store_slot(r, node->slot, node->type, evaluate(r, node->expr)); return;
    case PLAN_TASK: emit_task(r, node->task); return;
    default: assert(!"a resident loop has no such node"); return;
    }
}

// ---- the entry ------------------------------------------------------------------------------------------------------

static const struct ir_function *function_of(const struct emitter *e, const char *name)
{
    for (int i = 0; name != NULL && name[0] != '\0' && i < e->module->function_count; i++) {
        if (strcmp(e->module->functions[i]->name, name) == 0) {
            return e->module->functions[i];
        }
    }
    return NULL;
}

static void emit_parts(struct resident *r, const struct plan_node *node)
{
    if (node->kind == PLAN_TASK && r->parts[node->task].entry == NULL) {
        const struct plan_task *task = &r->kernel->tasks[node->task];
        const struct ir_function *entry = function_of(r->e, task->entry);
        const struct ir_function *finish = function_of(r->e, task->finish);
        assert(entry != NULL);
        r->has_loops |= emit_has_loops(&entry->body);
        r->has_locals |= emit_lists_share_locals(entry);
        r->parts[node->task].entry = emit_part(r->e, &r->slots, entry);
        r->parts[node->task].finish = finish != NULL ? emit_part(r->e, &r->slots, finish) : NULL;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            emit_parts(r, node->children[i]);
        }
    }
}

// Another block of the stand-in's grid has nothing to do.
static void leave_to_first(struct resident *r)
{
    struct emitter *e = r->e;
    LLVMBasicBlockRef leave = emit_block(e, "leave");
    LLVMBasicBlockRef run = emit_block(e, "run");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, r->thread.group, emit_i64(e, 0), ""), run, leave);
    emit_at(e, leave);
    LLVMBuildRetVoid(e->builder);
    emit_at(e, run);
}

// Where no round had a task, the first thread may be here before others have begun: they would begin with what it
// stores.
static void meet_once(struct resident *r)
{
    struct emitter *e = r->e;
    LLVMBasicBlockRef never = emit_block(e, "never");
    LLVMBasicBlockRef met = emit_block(e, "once");
    LLVMBuildCondBr(e->builder, LLVMBuildLoad2(e->builder, e->types[IR_I1], r->has_met, ""), met, never);
    emit_at(e, never);
    meet(r);
    emit_go(e, met);
    emit_at(e, met);
}

static void emit_end(struct resident *r)
{
    struct emitter *e = r->e;
    meet_once(r);
    LLVMBasicBlockRef last = emit_block(e, "last");
    LLVMBasicBlockRef leave = emit_block(e, "end");
    LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntEQ, r->thread.number, emit_i64(e, 0), "");
    LLVMBuildCondBr(e->builder, is_first, last, leave);
    emit_at(e, last);
    copy_slots(r, true);
    LLVMBuildBr(e->builder, leave);
    emit_at(e, leave);
    LLVMBuildRetVoid(e->builder);
}

static void limit_block(struct resident *r, LLVMValueRef entry, int threads)
{
    struct emitter *e = r->e;
    if (e->target->kind == TARGET_NVPTX) {
        emit_attribute_text(e, entry, "nvvm.maxntid", arena_printf(e->arena, "%d", threads));
    } else if (e->target->kind == TARGET_AMDGPU) {
        emit_attribute_text(e, entry, "amdgpu-flat-work-group-size", arena_printf(e->arena, "1,%d", threads));
    }
}

static void emit_resident(struct resident *r, const struct plan_node *loop)
{
    struct emitter *e = r->e;
    emit_parts(r, loop);
    struct ir_function *ir = ARENA_NEW(e->arena, struct ir_function);
    *ir = (struct ir_function){.name = arena_printf(e->arena, "%s.r%d", r->kernel->name, loop->id),
                               .kind = IR_FUNCTION_TASK,
                               .loc = loop->loc,
                               .kernel = (struct ir_function *)(uintptr_t)r->slots.function,
                               .is_serial = true};
    struct emit_function f;
    emit_entry_begin(e, &f, ir);
    if (r->has_loops) {
        emit_mark_loops(e, f.llvm);
    }
    if (r->has_locals && !e->target->is_stand_in) { // larger blocks would run without teams
        limit_block(r, f.llvm, ABI_GPU_TEAMS_MOST * ABI_GPU_TEAM);
    }
    f.resident = &r->slots;
    LLVMTypeRef bytes = LLVMArrayType2(e->types[IR_I8], r->kernel->block_size + 8);
    f.control = emit_alloca(e, bytes, ABI_BLOCK_ALIGN, "control");
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(f.control)) != TARGET_SPACE_GENERIC) {
        f.control = LLVMBuildAddrSpaceCast(f.entry, f.control, e->types[IR_PTR], "");
    }
    r->thread = emit_thread(e);
    if (e->target->is_stand_in) {
        leave_to_first(r);
    }
    copy_slots(r, false);
    r->has_met = emit_alloca(e, e->types[IR_I1], 1, "met");
    LLVMBuildStore(e->builder, emit_const(e, IR_I1, 0), r->has_met);
    emit_node(r, loop);
    settle(r);
    emit_end(r);
    emit_function_end(e);
    e->helper_count++; // there is something to inline
}

static void find_loops(struct emitter *e, const struct ir_function *function, const struct plan_kernel *kernel,
                       const struct plan_node *node)
{
    int count = kernel->slot_count + 1;
    struct plan_resident found = {.assigned = ARENA_ARRAY(e->arena, bool, count),
                                  .written = ARENA_ARRAY(e->arena, bool, count),
                                  .changes = ARENA_ARRAY(e->arena, bool, count)};
    if (plan_loop_is_resident(kernel, node, &found)) {
        bool *own = ARENA_ARRAY(e->arena, bool, count);
        for (int i = 0; i < kernel->slot_count; i++) {
            uint64_t size = kernel->slots[i].size;
            own[i] = !found.written[i] && (size == 1 || size == 2 || size == 4 || size == 8);
        }
        bool *only_read = ARENA_ARRAY(e->arena, bool, kernel->param_count + 1);
        bool *written = ARENA_ARRAY(e->arena, bool, kernel->param_count + 1);
        (void)plan_resident_params(kernel, node, only_read, written);
        struct resident r = {.e = e,
                             .kernel = kernel,
                             .slots = {.kernel = kernel,
                                       .function = function,
                                       .own = own,
                                       .written = found.written,
                                       .assigned = found.assigned,
                                       .only_read = only_read},
                             .parts = ARENA_ARRAY(e->arena, struct part, kernel->task_count + 1)};
        emit_resident(&r, node);
        return;
    }
    for (int i = 0; i < node->child_count; i++) {
        if (node->children[i] != NULL) {
            find_loops(e, function, kernel, node->children[i]);
        }
    }
}

bool emit_is_spare(struct emitter *e, const struct ir_function *function)
{
    const struct plan_module *plan = e->options->plan;
    for (int i = 0; plan != NULL && function->kernel != NULL && i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        if (strcmp(kernel->name, function->kernel->name) != 0) {
            continue;
        }
        int count = kernel->slot_count + 1;
        struct plan_resident slots = {.assigned = ARENA_ARRAY(e->arena, bool, count),
                                      .written = ARENA_ARRAY(e->arena, bool, count),
                                      .changes = ARENA_ARRAY(e->arena, bool, count)};
        bool *spare = ARENA_ARRAY(e->arena, bool, kernel->task_count + 1);
        plan_spare_tasks(kernel, &slots, spare);
        for (int k = 0; k < kernel->task_count; k++) {
            if (spare[k] && kernel->tasks[k].entry != NULL && strcmp(kernel->tasks[k].entry, function->name) == 0) {
                return true;
            }
        }
    }
    return false;
}

void emit_residents(struct emitter *e)
{
    const struct plan_module *plan = e->options->plan;
    for (int i = 0; plan != NULL && i < plan->kernel_count; i++) {
        const struct plan_kernel *kernel = plan->kernels[i];
        const struct ir_function *function = function_of(e, kernel->name);
        if (function != NULL && kernel->root != NULL) {
            find_loops(e, function, kernel, kernel->root);
        }
    }
}

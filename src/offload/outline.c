// A parallel task reads the slots of outer variables once, in its prologue, and keeps every variable that the loop
// assigns to itself. A serial task takes the slots it uses into variables of its own and writes back what it assigned
// when it ends, so that its loops run on registers. Either way a slot is touched only at a task's edges.
#include "offload/outline.h"

#include "analysis/values/slice.h"
#include "base/vec.h"
#include "ir/assignment.h"
#include "ir/clone.h"
#include "ir/memory_use.h"
#include "ir/trip.h"
#include "ir/walk.h"
#include "offload/fuse.h"
#include "offload/team.h"
#include "passes/demote.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

void outline_init(struct outline *out, struct offload *o, const struct fragment *fragment, enum ir_function_kind kind,
                  const char *name)
{
    assert(fragment->task >= 0 && fragment->task < o->tasks.count);
    *out = (struct outline){.o = o, .fragment = fragment};
    struct ir_function *function = ir_function_create(o->module, kind, name);
    function->kernel = o->kernel;
    function->loc = fragment->first->loc;
    function->return_type = IR_VOID;
    out->function = function;
    out->prologue = (struct ir_builder){
        .module = o->module, .function = function, .region = &function->prologue, .loc = fragment->first->loc};
    out->body = out->prologue;
    out->body.region = &function->body;
}

static struct ir_var *copy_var(struct outline *out, const struct ir_var *var)
{
    struct ir_var *copy = ir_var_create(out->o->module, out->function, var->name, var->type);
    int index = copy->index;
    *copy = *var;
    copy->index = index;
    copy->scope = NULL;
    copy->slot = -1;
    copy->is_team = team_has_local(out->team, var);
    return copy;
}

// The maps go by numbers: copies of the kernel's code that loops were fused in have the numbers, not the addresses.
static const void *key_of(int number)
{
    return (const void *)(uintptr_t)(number + 1);
}

// The function's own copy of the variable.
static struct outline_var *own_var(struct outline *out, const struct ir_var *var)
{
    struct outline_var *own = pointer_map_get(&out->vars, key_of(var->index));
    if (own == NULL) {
        own = ARENA_NEW(out->o->arena, struct outline_var);
        own->own = copy_var(out, var);
        pointer_map_set(out->o->arena, &out->vars, key_of(var->index), own);
    }
    return own;
}

static struct ir_inst *set_value(struct outline *out, const struct ir_inst *inst, struct ir_inst *clone)
{
    pointer_map_set(out->o->arena, &out->values, key_of(inst->id), clone);
    return clone;
}

static void note_slot(struct outline *out, const struct ir_var *var, bool reads, bool writes)
{
    struct plan_task *task = &out->o->tasks.items[out->fragment->task];
    for (int i = 0; i < task->slot_use_count; i++) {
        if (task->slot_uses[i].offset == var->slot) {
            task->slot_uses[i].reads |= reads;
            task->slot_uses[i].writes |= writes;
            return;
        }
    }
    struct {
        struct plan_slot_use *items;
        int count;
        int capacity;
    } uses = {task->slot_uses, task->slot_use_count, task->slot_use_count};
    struct plan_slot_use use = {.offset = var->slot, .reads = reads, .writes = writes};
    VEC_PUSH(out->o->arena, &uses, use);
    task->slot_uses = uses.items;
    task->slot_use_count = uses.count;
}

static struct ir_inst *slot_address(struct outline *out, const struct ir_var *var)
{
    struct ir_inst *address = ir_emit0(&out->prologue, IR_OP_ADDR_SLOT, IR_PTR);
    address->imm = var->slot;
    return address;
}

static bool is_in_fragment(const struct fragment *fragment, const struct ir_inst *inst)
{
    while (inst->parent != fragment->first->parent) {
        inst = inst->parent->owner;
        if (inst == NULL) {
            return false;
        }
    }
    const struct ir_inst *part = fragment->first;
    for (int i = 0; i < fragment->count; i++, part = part->next) {
        if (part == inst) {
            return true;
        }
    }
    return false;
}

// Whether this function keeps the variable to itself, so that its slot is neither read nor written here.
static bool is_own(const struct outline *out, const struct ir_var *var)
{
    if (var->slot < 0) {
        return true;
    }
    if (!out->is_parallel) { // nobody else sees what is declared in the fragment, but for where some rounds begin
        bool is_loop = out->fragment->rounds != NULL && out->fragment->first->op == IR_OP_FOR;
        if (is_loop && var == out->fragment->first->loop->var) {
            return false;
        }
        return var->scope != NULL && is_in_fragment(out->fragment, var->scope);
    }
    const struct ir_inst *loop = out->fragment->first;
    if (var == loop->loop->var) {
        return true;
    }
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (loop->loop->roles[i].var == var) {
            return true;
        }
    }
    return var->scope != NULL && walk_is_inside(var->scope, loop);
}

struct ir_var *outline_var(struct outline *out, struct ir_var *var)
{
    struct outline_var *own = own_var(out, var);
    if (!is_own(out, var) && !own->is_loaded) {
        own->is_loaded = true;
        note_slot(out, var, true, false);
        struct ir_inst *address = slot_address(out, var);
        ir_set(&out->prologue, own->own, ir_emit1(&out->prologue, IR_OP_LOAD, var->type, address));
    }
    return own->own;
}

// The address of a memory variable: its own, or in the launch block.
struct ir_inst *outline_memory_address(struct outline *out, struct ir_var *var, struct ir_builder *to)
{
    if (!is_own(out, var)) {
        note_slot(out, var, true, memory_is_written(out->fragment->first, out->fragment->count, var));
        return slot_address(out, var);
    }
    struct outline_var *own = own_var(out, var);
    struct ir_inst *address = ir_emit0(to, IR_OP_ADDR_VAR, IR_PTR);
    address->var = own->own;
    return address;
}

struct ir_inst *outline_clone(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    struct ir_inst *args[8];
    struct ir_inst **operands = args;
    if (inst->arg_count > 8) {
        operands = ARENA_ARRAY(out->o->arena, struct ir_inst *, inst->arg_count);
    }
    for (int i = 0; i < inst->arg_count; i++) {
        operands[i] = outline_value(out, inst->args[i]);
    }
    struct ir_inst *clone = clone_inst(to, inst, operands);
    clone->var = NULL; // of the kernel: whoever clones what has one gives it the task's
    clone->target = NULL;
    if (inst->id >= 0) {
        set_value(out, inst, clone);
    }
    return clone;
}

struct ir_inst *outline_value(struct outline *out, struct ir_inst *value)
{
    struct ir_inst *known = pointer_map_get(&out->values, key_of(value->id));
    if (known != NULL) {
        return known;
    }
    // From outside the fragment. The demote pass left only what can be recomputed here.
    if (value->op == IR_OP_ADDR_VAR) {
        return set_value(out, value, outline_memory_address(out, value->var, &out->prologue));
    }
    if (value->op == IR_OP_GET) { // the first value of the fragment's own loop
        return set_value(out, value, ir_get(&out->prologue, outline_var(out, value->var)));
    }
    return outline_clone(out, value, &out->prologue);
}

// The fragment is left for good: notes by which way, then leaves the block around the body.
static void leave(struct outline *out, struct ir_inst *target, struct ir_builder *to)
{
    const struct fragment *fragment = out->fragment;
    for (int i = 0; fragment->escape != NULL && i < fragment->escape_count; i++) {
        if (fragment->escapes[i] == target) {
            ir_set(to, outline_var(out, fragment->escape), ir_const(to, IR_I32, i + 1));
        }
    }
    ir_emit0(to, IR_OP_BREAK, IR_VOID)->target = out->exit;
}

void outline_clone_loop(struct outline *out, const struct ir_inst *inst, struct ir_inst *clone)
{
    *clone->loop = *inst->loop;
    clone->loop->var = outline_var(out, inst->loop->var);
    // The roles stay with an inner loop: they say which sums may be regrouped.
    clone->loop->roles = ARENA_ARRAY(out->o->arena, struct ir_scalar_role, inst->loop->role_count + 1);
    clone->loop->role_count = 0;
    bool has_memory = false;
    for (int i = 0; i < inst->loop->role_count; i++) {
        if (inst->loop->roles[i].var->is_memory) {
            has_memory = true;
            continue;
        }
        struct ir_scalar_role *role = &clone->loop->roles[clone->loop->role_count++];
        *role = inst->loop->roles[i];
        role->var = outline_var(out, role->var);
        role->leader = role->leader != NULL ? outline_var(out, role->leader) : NULL;
    }
    clone->loop->analysis = NULL;
    // Independence that depends on a test may be used only where the test was made: for the task's own loop.
    const struct loop_facts *facts = inst->loop->analysis;
    // Memory that is private to each iteration is shared by all of them once the loop is inside a task. Iterations that
    // update the same memory are independent only if the updates are atomic, and inside a task they are plain.
    bool needs_test = inst->loop->verdict != IR_VERDICT_PROVEN || facts == NULL || facts->pair_count > 0 ||
                      facts->condition_count > 0;
    if (has_memory || (needs_test && !outline_is_tested(out, inst)) || facts->shared_count > 0 ||
        inst == out->fragment->first) {
        clone->loop->verdict = IR_VERDICT_NONE;
    } else {
        clone->loop->verdict = IR_VERDICT_PROVEN;
    }
    clone->loop->reason = NULL;
}

static void clone_control(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    if (team_spreads(out->team, inst)) {
        outline_team_loop(out, inst, to);
        return;
    }
    if (inst->op == IR_OP_FOR && outline_sums(out, inst)) {
        outline_summing_loop(out, inst, inst->loop->level, to);
        reduce_note_write(out, inst->loop->var, outline_value(out, inst->args[0]), to);
        return;
    }
    struct ir_inst *clone = outline_clone(out, inst, to);
    if (inst->op == IR_OP_FOR) {
        outline_clone_loop(out, inst, clone);
        reduce_note_write(out, inst->loop->var, clone->args[0], to); // also a loop of no iterations sets its variable
    }
    offload_note(out->o, (struct ir_inst *)inst)->clone = clone;
    for (int i = 0; i < inst->region_count; i++) {
        struct ir_builder inner = *to;
        inner.region = &clone->regions[i];
        inner.before = NULL;
        outline_region(out, &inst->regions[i], &inner);
    }
}

// Whether an update that was found atomic is so in this task: not in one that runs in order, and not in the task of an
// inner loop where the loop around it, for which that was found, runs in order.
bool outline_is_shared(const struct outline *out, const struct ir_inst *update)
{
    const struct fragment *fragment = out->fragment;
    bool is_inner = fragment->is_alternative && fragment->kind == FRAGMENT_PARALLEL;
    bool is_plain = is_inner && !facts_is_shared(fragment->first, update);
    return fragment->group != 0 || (out->is_parallel && !is_plain);
}

static void clone_update(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    if (outline_sum_update(out, inst, to)) {
        return;
    }
    struct reduce_entry *entry = out->is_parallel ? reduce_of_update(out, inst) : NULL;
    if (entry == NULL) {
        struct ir_inst *clone = outline_clone(out, inst, to);
        clone->atomic = inst->atomic && outline_is_shared(out, inst);
        clone->copy = clone->atomic && out->is_parallel ? privatise_copy_of(out, inst) : 0;
        return;
    }
    struct ir_inst *operand = outline_value(out, inst->args[1]);
    to->loc = inst->loc;
    struct ir_inst *update = ir_emit1(to, IR_OP_VUPDATE, inst->type, operand);
    update->var = entry->local;
    update->update = inst->update;
    update->fused = inst->fused;
    if (entry->ran != NULL) {
        ir_set(to, entry->ran, ir_const(to, IR_I32, 1));
    }
}

void outline_inst(struct outline *out, const struct ir_inst *inst, struct ir_builder *to)
{
    switch (inst->op) {
    case IR_OP_GET: {
        struct ir_var *var = outline_var(out, inst->var);
        to->loc = inst->loc;
        set_value(out, inst, ir_get(to, var));
        break;
    }
    case IR_OP_SET:
    case IR_OP_VUPDATE: {
        struct ir_var *var = outline_var(out, inst->var);
        struct ir_inst *clone = outline_clone(out, inst, to);
        clone->var = var;
        reduce_note_write(out, inst->var, clone->args[0], to);
        break;
    }
    case IR_OP_ADDR_VAR: set_value(out, inst, outline_memory_address(out, inst->var, to)); break;
    case IR_OP_UPDATE: clone_update(out, inst, to); break;
    case IR_OP_BREAK:
    case IR_OP_JUMP:
        to->loc = inst->loc;
        if (!is_in_fragment(out->fragment, inst->target)) {
            leave(out, inst->target, to);
        } else {
            outline_clone(out, inst, to)->target = offload_note(out->o, inst->target)->clone;
        }
        break;
    case IR_OP_RETURN:
        to->loc = inst->loc;
        if (inst->arg_count > 0 && out->o->result != NULL) {
            ir_set(to, outline_var(out, out->o->result), outline_value(out, inst->args[0]));
        }
        leave(out, NULL, to);
        break;
    case IR_OP_CALL: {
        struct ir_inst *clone = outline_clone(out, inst, to);
        if (out->is_parallel && reduce_is_in_call(out, inst)) {
            reduce_call(out, inst, clone, to);
        }
        break;
    }
    case IR_OP_BLOCKS: // inside a serial fragment blocks run one after the other: each is a plain block
        for (int i = 0; i < inst->region_count; i++) {
            outline_region(out, &inst->regions[i], to);
        }
        break;
    default:
        if (inst->region_count > 0) {
            clone_control(out, inst, to);
        } else {
            outline_clone(out, inst, to);
        }
    }
}

void outline_region(struct outline *out, const struct ir_region *from, struct ir_builder *to)
{
    for (const struct ir_inst *inst = from->first; inst != NULL; inst = inst->next) {
        if (outline_is_scattered(out, inst)) {
            outline_scattered(out, inst, to);
        } else if (out->slice == NULL || slice_has(out->slice, inst)) {
            outline_inst(out, inst, to);
        }
    }
}

void outline_store_slots(struct outline *out, struct ir_builder *to)
{
    for (int i = 0; i < out->o->kernel->var_count; i++) {
        struct ir_var *var = out->o->kernel->vars[i];
        const struct outline_var *entry = pointer_map_get(&out->vars, key_of(i));
        if (entry == NULL || var->is_memory || !entry->is_loaded ||
            !assignment_is_in_region(&out->function->body, entry->own)) {
            continue;
        }
        note_slot(out, var, false, true);
        struct ir_inst *address = slot_address(out, var);
        struct ir_inst *args[2] = {address, ir_get(to, entry->own)};
        ir_emit(to, IR_OP_STORE, var->type, 2, args);
    }
}

// The fragment as straight code: a serial task, or a loop's version that runs in order. |is_tested|: for launches whose
// arguments do not overlap.
static void outline_serial(struct offload *o, const struct fragment *fragment, const char *name, bool is_tested)
{
    struct outline out;
    outline_init(&out, o, fragment, IR_FUNCTION_TASK, name);
    out.is_tested = is_tested;
    out.function->is_serial = true;
    out.exit = ir_control(&out.body, IR_OP_BLOCK, NULL, 1);
    struct ir_builder inner = out.body;
    inner.region = &out.exit->regions[0];
    if (fragment->escape !=
        NULL) { // in a loop the fragment runs again, and what it noted the last time no longer holds
        ir_set(&inner, outline_var(&out, fragment->escape), ir_const(&inner, IR_I32, 0));
    }
    struct ir_inst *inst = fragment->first;
    for (int i = 0; i < fragment->count; i++, inst = inst->next) {
        outline_inst(&out, inst, &inner);
    }
    outline_store_slots(&out, &out.body);
}

// init + iter * step of a loop that stays on the near side of its bound: taken in 64 bits, where nothing wraps, and
// cut, which loses nothing. Addresses are then sums of 64 bits with one step.
static struct ir_inst *cut_variable(struct outline *out, const struct ir_inst *loop, struct ir_inst *iter,
                                    struct ir_builder *b)
{
    struct ir_inst *init = ir_emit1(b, IR_OP_SEXT, IR_I64, outline_value(out, loop->args[0]));
    if (loop->loop->step != 1) {
        iter = ir_emit2(b, IR_OP_MUL, IR_I64, iter, ir_const(&out->prologue, IR_I64, loop->loop->step));
        iter->no_wrap = true;
    }
    struct ir_inst *sum = ir_emit2(b, IR_OP_ADD, IR_I64, init, iter);
    struct ir_inst *value = ir_emit1(b, IR_OP_TRUNC, loop->loop->var->type, sum);
    sum->no_wrap = true;
    value->no_wrap = true;
    return value;
}

// var = init + iter * step, in the variable's own type.
void outline_loop_variable(struct outline *out, const struct ir_inst *loop, struct ir_inst *iter, struct ir_builder *b)
{
    enum ir_type type = loop->loop->var->type;
    bool is_signed = trip_is_signed(loop->loop);
    bool is_iter = iter->op == IR_OP_ITER;
    if (is_signed && !is_iter && type != IR_I64) {
        ir_set(b, outline_var(out, loop->loop->var), cut_variable(out, loop, iter, b));
        return;
    }
    struct ir_inst *init = outline_value(out, loop->args[0]);
    if (type != IR_I64) {
        iter = ir_emit1(b, IR_OP_TRUNC, type, iter);
    }
    struct ir_inst *distance = iter;
    if (loop->loop->step != 1) {
        distance = ir_emit2(b, IR_OP_MUL, type, iter, ir_const(&out->prologue, type, loop->loop->step));
    }
    struct ir_inst *value = ir_emit2(b, IR_OP_ADD, type, init, distance);
    // By the trip count the variable stays on the near side of its bound; only `!=` may go around. The distance alone
    // may wrap if it spans more than half of the type: the claim is of the sum in the integers, and the code generator
    // counts in 64 bits. Of 64 bits it would take 2^63 iterations.
    value->no_wrap = is_signed;
    ir_set(b, outline_var(out, loop->loop->var), value);
}

// Whether the loop in order gives what the task gives. Sums of floats may be regrouped in another way there, and what
// fails would not name its iteration.
static bool may_choose_order(struct offload *o, const struct fragment *fragment)
{
    const struct plan_task *task = &o->tasks.items[fragment->task];
    return task->group == 0 && task->partial_size == 0 && !task->may_fail &&
           walk_inst(fragment->first, offload_sums_no_float, NULL);
}

static void outline_parallel(struct offload *o, const struct fragment *fragment)
{
    struct plan_task *task = &o->tasks.items[fragment->task];
    struct ir_inst *loop = fragment->first;
    assert(loop->op == IR_OP_FOR && fragment->count == 1);
    struct outline out;
    outline_init(&out, o, fragment, IR_FUNCTION_TASK, task->entry);
    out.is_parallel = true;
    out.is_tested = true;
    out.function->assume_independent = fragment->races == NULL;
    reduce_prepare(&out);
    if (fragment->team != NULL && out.reduction_count == 0 && task->copy_count == 0) {
        out.team = fragment->team;
        task->team = fragment->team->limit;
        task->team_columns = fragment->team->is_column ? ABI_GPU_TEAM_COLUMNS : 0;
    }
    out.body.loc = loop->loc;
    if (fragment->nest != NULL) {
        outline_nest(&out, fragment->nest);
    } else {
        outline_loop_variable(&out, loop, ir_emit0(&out.body, IR_OP_ITER, IR_I64), &out.body);
        outline_region(&out, &loop->regions[0], &out.body);
    }
    races_note_accesses(&out);
    out.function->accumulators = out.accumulators.items;
    out.function->accumulator_count = out.accumulators.count;
    task->partial_size = out.function->partial_size;
    task->is_merged = ir_merges(out.function);
    if (out.reduction_count > 0) {
        task->finish = reduce_finish(&out, arena_printf(o->arena, "%s.finish", task->name));
    }
    if (!may_choose_order(o, fragment)) {
        task->order_cost = NULL;
    }
    if (task->pair_count > 0 || task->condition_count > 0 || task->order_cost != NULL) {
        // By its name the code generator knows what is only for arguments that overlap.
        bool is_fast = task->order_cost != NULL;
        task->in_order = arena_printf(o->arena, "%s.%s", task->name, is_fast ? "one_thread" : "in_order");
        struct fragment serial = *fragment;
        serial.kind = FRAGMENT_SERIAL;
        serial.count = 1;
        if (fragment->fusion != NULL) { // one loop after the other, as the kernel has them
            serial.first = fragment->fusion->parts[0];
            serial.count = fragment->fusion->count;
        }
        outline_serial(o, &serial, task->in_order, false);
    }
}

void outline_tasks(struct offload *o)
{
    assert(o->has_slots);
    o->first_function = o->module->function_count;
    for (int i = 0; i < o->fragments.count; i++) {
        const struct fragment *fragment = &o->fragments.items[i];
        switch (fragment->kind) {
        case FRAGMENT_PARALLEL: outline_parallel(o, fragment); break;
        case FRAGMENT_CLEAR: lent_outline_clear(o, fragment); break;
        case FRAGMENT_MARK: outline_marks(o, fragment); break;
        case FRAGMENT_SERIAL:
            if (fragment->rounds != NULL) {
                outline_rounds(o, fragment);
            } else {
                const struct plan_task *task = &o->tasks.items[fragment->task];
                outline_serial(o, fragment, task->entry, task->in_order != NULL);
                if (task->in_order != NULL) {
                    outline_serial(o, fragment, task->in_order, false);
                }
            }
            break;
        }
    }
}

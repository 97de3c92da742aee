// The notes of a loop that is watched for races. Each piece of a watched array has a record of four words (plan/abi.h):
// the first two iterations that wrote there, other than by an explicit atomic, and the first two that did anything
// else. Two of each
// are enough: an iteration that is not among them differs from one of them. Whoever comes to a piece puts itself into
// the record first, and then looks at those with whom it would race, so that of two one finds the other, whichever
// thread does what first; which of them depends on the order, that it is found does not.
//
// An access is looked for by its address, in the watched arrays one after the other: so arguments that overlap have one
// record for what they share. An address in none of them is not written to by others, or is the iteration's own.
#include "offload/races_note.h"
#include "offload/outline.h"

#include "base/vec.h"
#include "ir/clone.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>
#include <string.h>

static struct ir_inst *param(struct ir_builder *b, int index)
{
    struct ir_inst *inst = ir_emit0(b, IR_OP_PARAM, IR_I64);
    inst->imm = index;
    return inst;
}

static struct ir_inst *number(struct ir_builder *b, int64_t value)
{
    return ir_const(b, IR_I64, value);
}

static struct ir_inst *op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, IR_I64, x, y);
}

static struct ir_inst *is(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y)
{
    return ir_emit2(b, op, IR_I1, x, y);
}

// ---- the task -------------------------------------------------------------------------------------------------------

struct array { // a watched one, as values of the task's prologue
    int base;
    const char *name;
    int64_t element;
    struct ir_inst *begin;
    struct ir_inst *bytes;
    struct ir_inst *granule;
    struct ir_inst *shadow;
};

struct constant { // that a store writes
    enum ir_type type;
    int64_t integer;
    double real;
};

enum { UPDATES_MOST = 32 }; // classes of updates, from the explicit atomics' one down

struct copy { // of a helper that the task calls: with the notes
    const struct ir_function *from;
    struct ir_function *function;
};

// Of one task; its helpers share the lists.
struct task {
    struct outline *out;
    VEC(struct constant) constants;
    VEC(struct ir_update_use) updates; // one of each class
    VEC(struct copy) copies;
};

// Of one function: the task, or a copy of a helper.
struct watch {
    struct task *task;
    struct outline *out;
    struct ir_function *function;
    struct array arrays[RACES_MOST];
    int count;
    struct ir_inst *iteration; // shifted to its place in a word
    VEC(struct ir_inst *) accesses;
    VEC(struct ir_inst *) calls;
};

static const struct ir_ctype *scalar_of(const struct ir_ctype *type)
{
    while (type != NULL && type->kind == IR_CTYPE_ARRAY) {
        type = type->element;
    }
    return type;
}

static int64_t element_of(const struct watch *w, int base)
{
    const struct ir_function *kernel = w->out->o->kernel;
    const struct ir_ctype *type = base_kind(base) == BASE_PARAM    ? kernel->params[base_index(base)].ctype
                                  : base_kind(base) == BASE_GLOBAL ? w->out->o->module->globals[base_index(base)]->ctype
                                                                   : kernel->vars[base_index(base)]->ctype;
    type = scalar_of(type);
    return type != NULL && type->size > 0 ? (int64_t)type->size : 1;
}

static struct ir_inst *begin_of(struct watch *w, int base)
{
    struct outline *out = w->out;
    if (base_kind(base) == BASE_PARAM) {
        return lent_param(out, base_index(base));
    }
    if (base_kind(base) == BASE_LOCAL) {
        return outline_memory_address(out, out->o->kernel->vars[base_index(base)], &out->prologue);
    }
    struct ir_inst *inst = ir_emit0(&out->prologue, IR_OP_ADDR_GLOBAL, IR_PTR);
    inst->global = out->o->module->globals[base_index(base)];
    return inst;
}

static void add_array(struct watch *w, const struct shadow *shadow)
{
    struct outline *out = w->out;
    struct ir_builder *b = &out->prologue;
    struct ir_inst *begin = begin_of(w, shadow->base);
    if (begin->op == IR_OP_ADDR_VAR) {
        return; // this function's own
    }
    struct array *array = &w->arrays[w->count++];
    array->base = shadow->base;
    array->name = base_name(out->o->module, out->o->kernel, shadow->base);
    array->element = element_of(w, shadow->base);
    array->begin = ir_emit1(b, IR_OP_PTRTOINT, IR_I64, begin);
    array->granule = number(b, shadow->granule);
    struct ir_inst *records =
        op(b, IR_OP_SDIV, lent_param(out, shadow->param + 1), number(b, ABI_RACE_RECORD_SIZE / 8));
    array->bytes = op(b, IR_OP_MUL, records, array->granule);
    array->shadow = ir_emit1(b, IR_OP_PTRTOINT, IR_I64, lent_param(out, shadow->param));
}

// Of an update: one class for each kind that commutes. Any order will do for explicit atomics, and for what commutes
// with them.
static int update_class(struct watch *w, const struct ir_inst *inst)
{
    struct ir_update_use use = {.update = inst->update, .type = inst->type};
    for (int i = 0; i < w->accesses.count; i++) {
        const struct ir_inst *other = w->accesses.items[i];
        struct ir_update_use word = {.update = other->update, .type = other->type, .is_explicit = true};
        if (other->op == IR_OP_ATOMIC && ir_updates_may_meet(use, word)) {
            return ABI_RACE_CLASS_UPDATE;
        }
    }
    for (int i = 0; i < w->task->updates.count; i++) {
        if (ir_updates_may_meet(use, w->task->updates.items[i])) {
            return ABI_RACE_CLASS_UPDATE - 1 - i;
        }
    }
    if (w->task->updates.count == UPDATES_MOST) {
        return 0;
    }
    VEC_PUSH(w->out->o->arena, &w->task->updates, use);
    return ABI_RACE_CLASS_UPDATE - w->task->updates.count;
}

static int class_of(struct watch *w, const struct ir_inst *inst)
{
    if (ir_is_atomic(inst) && inst->op != IR_OP_LOAD) {
        return inst->op == IR_OP_UPDATE ? update_class(w, inst) : ABI_RACE_CLASS_UPDATE;
    }
    const struct ir_inst *value = inst->op == IR_OP_STORE || inst->op == IR_OP_FILL ? inst->args[1] : NULL;
    if (value == NULL || (value->op != IR_OP_CONST && value->op != IR_OP_FCONST)) {
        return 0;
    }
    struct constant constant = {.type = inst->op == IR_OP_FILL ? IR_VOID : inst->type};
    if (value->op == IR_OP_CONST) {
        constant.integer = value->imm;
    } else {
        constant.real = value->fimm;
    }
    for (int i = 0; i < w->task->constants.count; i++) {
        const struct constant *known = &w->task->constants.items[i];
        if (known->type == constant.type && known->integer == constant.integer &&
            memcmp(&known->real, &constant.real, sizeof constant.real) == 0) {
            return i + 1;
        }
    }
    if (w->task->constants.count >= ABI_RACE_CLASS_UPDATE - UPDATES_MOST - 1) {
        return 0; // then two that write the same are taken for a race: nobody writes so many in one loop
    }
    VEC_PUSH(w->out->o->arena, &w->task->constants, constant);
    return w->task->constants.count;
}

static int64_t low_bits(struct watch *w, const struct ir_inst *inst, bool is_write)
{
    // Of another file than the loop's a line would say nothing.
    bool is_here = inst->loc.file == w->out->fragment->first->loc.file && inst->loc.line <= ABI_RACE_LINE_MASK;
    int64_t line = is_here ? (int64_t)inst->loc.line : 0;
    return line << ABI_RACE_LINE_SHIFT | class_of(w, inst) << ABI_RACE_CLASS_SHIFT | (is_write ? ABI_RACE_WRITE : 0);
}

static const struct array *array_of(const struct watch *w, int base)
{
    for (int i = 0; i < w->count; i++) {
        if (w->arrays[i].base == base) {
            return &w->arrays[i];
        }
    }
    return NULL;
}

static void emit_race(struct ir_builder *b, const struct array *array, struct ir_inst *place, struct ir_inst *word,
                      bool is_write)
{
    struct ir_inst *way = op(b, IR_OP_SUB, place, array->begin);
    struct ir_inst *element = op(b, IR_OP_SDIV, way, number(b, array->element));
    struct ir_inst *race = ir_emit2(b, IR_OP_RACE, IR_VOID, element, word);
    race->text = array->name;
    race->imm = is_write;
}

static struct ir_builder builder_at(const struct watch *w, struct ir_inst *inst)
{
    return (struct ir_builder){
        .module = w->out->o->module, .function = w->function, .region = inst->parent, .before = inst, .loc = inst->loc};
}

struct touch {
    struct ir_inst *inst;
    struct ir_inst *address;
    int base;
    bool is_write;
};

// The arguments that say which arrays are watched.
static int add_arrays(const struct watch *w, struct ir_inst **args, int count)
{
    for (int i = 0; i < w->count; i++) {
        const struct array *array = &w->arrays[i];
        args[count++] = array->begin;
        args[count++] = array->bytes;
        args[count++] = array->granule;
        args[count++] = array->shadow;
    }
    return count;
}

// Of the kernel; what a helper was given may point anywhere.
static int base_of(const struct watch *w, const struct touch *touch, const struct ir_inst *root)
{
    bool is_task = w->function->kind == IR_FUNCTION_TASK;
    if (is_task && touch->base != 0) {
        return touch->base;
    }
    return is_task || root->op == IR_OP_ADDR_GLOBAL ? base_beginning_at(root) : base_make(BASE_UNKNOWN, 0);
}

static void note_touch(struct watch *w, struct touch touch)
{
    const struct ir_inst *root = address_root(touch.address);
    int base = base_of(w, &touch, root);
    bool is_own = root->op == IR_OP_ADDR_VAR || (root->op == IR_OP_ADDR_GLOBAL && root->global->is_const);
    if (is_own || base_kind(base) == BASE_NULL) {
        return;
    }
    struct ir_builder b = builder_at(w, touch.inst);
    bool is_element = ir_op_is_element(touch.inst->op);
    struct ir_inst *size = is_element ? number(&b, ir_type_size(touch.inst->type)) : touch.inst->args[2];
    struct ir_inst *place = ir_emit1(&b, IR_OP_PTRTOINT, IR_I64, touch.address);
    struct ir_inst *low = number(&b, low_bits(w, touch.inst, touch.is_write));
    struct ir_inst *args[RACES_BEFORE_ARRAYS + RACES_PER_ARRAY * RACES_MOST] = {place, size,
                                                                                op(&b, IR_OP_OR, w->iteration, low)};
    struct ir_inst *word = ir_emit(&b, IR_OP_CALL, IR_I64, add_arrays(w, args, RACES_BEFORE_ARRAYS), args);
    word->function = races_find_helper(w->out->o->module, w->count);
    const struct array *array = array_of(w, base);
    if (array != NULL) {
        emit_race(&b, array, place, word, touch.is_write);
        return;
    }
    for (int i = 0; i < w->count; i++) { // whichever it is that the address lies in
        struct ir_inst *way = op(&b, IR_OP_SUB, place, w->arrays[i].begin);
        struct ir_inst *is_in = is(&b, IR_OP_ULT, way, w->arrays[i].bytes);
        struct ir_inst *found = ir_emit3(&b, IR_OP_SELECT, IR_I64, is_in, word, number(&b, 0));
        emit_race(&b, &w->arrays[i], place, found, touch.is_write);
    }
}

static void note_access(struct watch *w, struct ir_inst *inst)
{
    bool is_element = ir_op_is_element(inst->op);
    bool is_write = races_writes(inst);
    if (!is_element && ir_op_reads(inst->op)) {
        note_touch(w, (struct touch){.inst = inst, .address = inst->args[1]});
    }
    note_touch(w,
               (struct touch){
                   .inst = inst, .address = inst->args[0], .base = is_element ? inst->base : 0, .is_write = is_write});
}

static bool find_access(struct ir_inst *inst, void *user)
{
    struct watch *w = user;
    if (ir_op_accesses(inst->op)) {
        VEC_PUSH(w->out->o->arena, &w->accesses, inst);
    } else if (inst->op == IR_OP_CALL) {
        VEC_PUSH(w->out->o->arena, &w->calls, inst);
    }
    return true;
}

static void note_function(struct watch *w);

static void add_params(struct watch *w, const struct watch *caller)
{
    struct arena *arena = w->out->o->arena;
    struct ir_function *function = w->function;
    int first = function->param_count;
    struct ir_ctype *type = races_integer_type(w->out->o->module);
    struct ir_param *params = ARENA_ARRAY(arena, struct ir_param, first + 1 + RACES_PER_ARRAY * caller->count);
    for (int i = 0; i < first; i++) {
        params[i] = function->params[i];
    }
    function->params = params;
    function->param_count += 1 + RACES_PER_ARRAY * caller->count;
    struct ir_builder b = {.module = w->out->o->module, .function = function, .region = &function->body};
    b.before = function->body.first;
    struct ir_inst **values = ARENA_ARRAY(arena, struct ir_inst *, function->param_count);
    for (int i = first; i < function->param_count; i++) {
        params[i] = (struct ir_param){.name = arena_printf(arena, ".race%d", i), .type = IR_I64, .ctype = type};
        values[i] = param(&b, i);
    }
    w->iteration = values[first];
    w->count = caller->count;
    for (int i = 0; i < caller->count; i++) {
        struct ir_inst **of = &values[first + 1 + RACES_PER_ARRAY * i];
        w->arrays[i] = caller->arrays[i];
        w->arrays[i].begin = of[0];
        w->arrays[i].bytes = of[1];
        w->arrays[i].granule = of[2];
        w->arrays[i].shadow = of[3];
    }
}

// The helper with notes, for this task: the iteration and the arrays come as arguments behind its own.
static struct ir_function *watched_copy(const struct watch *caller, struct ir_function *from)
{
    struct task *task = caller->task;
    for (int i = 0; i < task->copies.count; i++) {
        if (task->copies.items[i].from == from) {
            return task->copies.items[i].function;
        }
    }
    struct outline *out = caller->out;
    const char *name = arena_printf(out->o->arena, "%s.race.%d", out->function->name, task->copies.count);
    struct watch *w = ARENA_NEW(out->o->arena, struct watch);
    *w = (struct watch){.task = task, .out = out, .function = clone_helper(out->o->module, from, name)};
    clone_forget(from);
    VEC_PUSH(out->o->arena, &task->copies, ((struct copy){from, w->function}));
    w->function->may_fail = true;
    walk_region(&w->function->body, find_access, w);
    add_params(w, caller);
    note_function(w);
    return w->function;
}

static void note_call(struct watch *w, struct ir_inst *call)
{
    struct ir_inst **args =
        ARENA_ARRAY(w->out->o->arena, struct ir_inst *, call->arg_count + 1 + RACES_PER_ARRAY * w->count);
    for (int i = 0; i < call->arg_count; i++) {
        args[i] = call->args[i];
    }
    args[call->arg_count] = w->iteration;
    call->function = watched_copy(w, call->function);
    call->arg_count = add_arrays(w, args, call->arg_count + 1);
    call->args = args;
}

static void note_function(struct watch *w)
{
    for (int i = 0; i < w->accesses.count; i++) {
        note_access(w, w->accesses.items[i]);
    }
    for (int i = 0; i < w->calls.count; i++) {
        note_call(w, w->calls.items[i]);
    }
}

void races_note_accesses(struct outline *out)
{
    const struct races *races = out->fragment->races;
    if (races == NULL) {
        return;
    }
    struct task task = {.out = out};
    struct watch watch = {.task = &task, .out = out, .function = out->function};
    walk_region(&out->function->body, find_access, &watch);
    for (int i = 0; i < races->count; i++) {
        add_array(&watch, &races->shadows[i]);
    }
    if (watch.count == 0) {
        return;
    }
    struct ir_builder b = out->body;
    b.before = out->function->body.first;
    struct ir_inst *iter = op(&b, IR_OP_ADD, ir_emit0(&b, IR_OP_ITER, IR_I64), number(&b, 1));
    watch.iteration = op(&b, IR_OP_SHL, iter, number(&b, ABI_RACE_ITERATION_SHIFT));
    note_function(&watch);
}

// Reductions. Each call of a task accumulates its iterations, in their order, in variables that start at the
// operation's identity, and hands them over in its partial record. The finishing function merges the records in the
// order of the iterations, so that the result depends on how the iterations were split and on nothing else; and they
// are split by number alone. What has no identity that leaves every value untouched carries a flag "something was
// accumulated".
#include "offload/outline.h"

#include "base/vec.h"
#include "ir/walk.h"

#include <assert.h>
#include <math.h>

struct ir_inst *reduce_identity(struct ir_builder *b, enum ir_update update, enum ir_type type)
{
    union ir_value value;
    (void)ir_update_identity(update, type, &value);
    return ir_type_is_float(type) ? ir_fconst(b, type, value.f) : ir_const(b, type, value.i);
}

static uint64_t add_accumulator(struct outline *out, struct ir_var *var, struct ir_inst *init)
{
    uint64_t size = (uint64_t)ir_type_size(var->type);
    uint64_t offset = (out->function->partial_size + size - 1) & ~(size - 1);
    struct ir_accumulator accumulator = {.var = var, .init = init, .offset = offset};
    VEC_PUSH(out->o->arena, &out->accumulators, accumulator);
    out->function->partial_size = offset + size;
    return offset;
}

static struct ir_var *add_flag(struct outline *out, const char *name, uint64_t *out_offset)
{
    struct ir_var *flag = ir_var_create(out->o->module, out->function, name, IR_I32);
    *out_offset = add_accumulator(out, flag, ir_const(&out->prologue, IR_I32, 0));
    return flag;
}

// Whether an iteration that ends has updated the memory. Else nobody may touch it at the end: its place may be one that
// the loop asks about before it goes there (`if (k < n) x[k] += e`). In a nest an iteration may have no inner ones.
static bool is_certain(const struct outline *out, const struct memory_reduction *memory)
{
    const struct ir_inst *loop = out->fragment->first;
    bool is_certain = false;
    for (int i = 0; i < memory->update_count; i++) {
        const struct reduced_update *update = &memory->updates[i];
        is_certain |= update->context == NULL && update->inst->parent == &loop->regions[0];
    }
    return is_certain && out->fragment->nest == NULL && !out->o->tasks.items[out->fragment->task].may_fail;
}

static bool is_chosen(const struct reduce_entry *entry)
{
    return entry->kind == REDUCE_SELECTION || entry->kind == REDUCE_LAST;
}

static void add_value(struct outline *out, struct reduce_entry *entry)
{
    struct ir_inst *init;
    if (entry->kind == REDUCE_LAST) {
        init = ir_type_is_float(entry->type) ? ir_fconst(&out->prologue, entry->type, 0)
                                             : ir_const(&out->prologue, entry->type, 0);
    } else if (entry->unordered) {
        init = ir_fconst(&out->prologue, entry->type, (double)NAN); // the first is selected, whatever it is
    } else {
        init = reduce_identity(&out->prologue, entry->update, entry->type);
    }
    entry->offset = add_accumulator(out, entry->local, init);
    union ir_value identity;
    bool is_unsure = entry->kind == REDUCE_MEMORY && !is_certain(out, entry->memory);
    if (is_chosen(entry) || is_unsure || !ir_update_identity(entry->update, entry->type, &identity)) {
        entry->ran = add_flag(out, arena_printf(out->o->arena, ".ran.%s", entry->local->name), &entry->ran_offset);
    }
    if (entry->unordered || (ir_update_is_ordered(entry->update) && entry->kind == REDUCE_SCALAR)) {
        entry->reset =
            add_flag(out, arena_printf(out->o->arena, ".reset.%s", entry->local->name), &entry->reset_offset);
    }
}

static void add_companions(struct outline *out, struct reduce_entry *entry, const struct ir_for *loop)
{
    entry->companions = ARENA_ARRAY(out->o->arena, struct reduce_entry, loop->role_count);
    for (int i = 0; i < loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->roles[i];
        if (role->role == IR_ROLE_COMPANION && role->leader == entry->source) {
            struct reduce_entry *companion = &entry->companions[entry->companion_count++];
            *companion = (struct reduce_entry){.kind = REDUCE_LAST, .type = role->var->type, .source = role->var};
            companion->local = outline_var(out, role->var);
            struct ir_inst *zero = ir_type_is_float(companion->type) ? ir_fconst(&out->prologue, companion->type, 0)
                                                                     : ir_const(&out->prologue, companion->type, 0);
            companion->offset = add_accumulator(out, companion->local, zero);
        }
    }
}

static void prepare_scalar(struct outline *out, const struct ir_scalar_role *role, const struct ir_for *loop)
{
    enum reduce_kind kind = role->role == IR_ROLE_REDUCTION    ? REDUCE_SCALAR
                            : role->role == IR_ROLE_LAST_VALUE ? REDUCE_LAST
                                                               : REDUCE_SELECTION;
    struct reduce_entry *entry = &out->reductions[out->reduction_count++];
    *entry = (struct reduce_entry){.kind = kind,
                                   .update = role->update,
                                   .type = role->var->type,
                                   .inclusive = role->inclusive,
                                   .unordered = role->unordered,
                                   .source = role->var};
    entry->local = outline_var(out, role->var);
    add_value(out, entry);
    if (kind == REDUCE_SELECTION) {
        add_companions(out, entry, loop);
    }
}

// A GPU's threads take every n-th iteration, so that neighbours touch neighbouring elements. That is right only where
// the order in which partial results are merged does not count, and worth it while a record fits into registers.
enum { MERGED_RECORD_LIMIT = 128 };

static bool may_merge(const struct outline *out)
{
    for (int i = 0; i < out->reduction_count; i++) {
        const struct reduce_entry *entry = &out->reductions[i];
        if (entry->unordered || (!is_chosen(entry) && ir_update_is_ordered(entry->update))) {
            return false;
        }
    }
    return out->reduction_count > 0 && out->function->partial_size <= MERGED_RECORD_LIMIT;
}

static int accumulator_of(const struct outline *out, const struct ir_var *var)
{
    for (int i = 0; i < out->accumulators.count; i++) {
        if (out->accumulators.items[i].var == var) {
            return i;
        }
    }
    return -1;
}

static void set_merge(struct outline *out, const struct ir_var *var, enum ir_update merge)
{
    out->accumulators.items[accumulator_of(out, var)].merge = merge;
}

// What serial C keeps of several is decided by the iteration it is from: that is accumulated, too.
static void set_choice(struct outline *out, struct reduce_entry *entry)
{
    char *name = arena_printf(out->o->arena, ".at.%s", entry->local->name);
    entry->at = ir_var_create(out->o->module, out->function, name, IR_I64);
    add_accumulator(out, entry->at, ir_const(&out->prologue, IR_I64, -1));
    int at = out->accumulators.count - 1;
    struct ir_accumulator *items = out->accumulators.items;
    items[at].chosen = at + 1;
    items[at].choice = entry->kind == REDUCE_LAST ? IR_CHOICE_LATER : IR_CHOICE_BETTER;
    items[accumulator_of(out, entry->local)].chosen = at + 1;
    items[accumulator_of(out, entry->ran)].chosen = at + 1;
    for (int i = 0; i < entry->companion_count; i++) {
        items[accumulator_of(out, entry->companions[i].local)].chosen = at + 1;
    }
    if (entry->kind == REDUCE_SELECTION) {
        items[at].leader = accumulator_of(out, entry->local);
        items[at].better = ir_update_compare(entry->update, false);
        items[at].is_inclusive = entry->inclusive;
    }
}

static void set_merges(struct outline *out)
{
    for (int i = 0; i < out->reduction_count; i++) {
        struct reduce_entry *entry = &out->reductions[i];
        if (is_chosen(entry)) {
            set_choice(out, entry);
            continue;
        }
        set_merge(out, entry->local, ir_update_merge(entry->update));
        if (entry->ran != NULL) {
            set_merge(out, entry->ran, IR_UPDATE_OR);
        }
    }
}

void reduce_prepare(struct outline *out)
{
    assert(out->is_parallel && out->reduction_count == 0);
    const struct ir_for *loop = out->fragment->first->loop;
    const struct loop_facts *facts = loop->analysis;
    out->reductions = ARENA_ARRAY(out->o->arena, struct reduce_entry, loop->role_count + facts->reduction_count);
    for (int i = 0; i < loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->roles[i];
        // A last value that is not read afterwards needs no end.
        bool is_kept = role->var->slot >= 0;
        if (role->role != IR_ROLE_PRIVATE && role->role != IR_ROLE_COMPANION &&
            (is_kept || role->role != IR_ROLE_LAST_VALUE)) {
            prepare_scalar(out, role, loop);
        }
    }
    for (int i = 0; i < facts->reduction_count; i++) {
        const struct memory_reduction *memory = &facts->reductions[i];
        struct reduce_entry *entry = &out->reductions[out->reduction_count++];
        *entry = (struct reduce_entry){
            .kind = REDUCE_MEMORY, .update = memory->update, .type = memory->type, .memory = memory};
        char *name = arena_printf(out->o->arena, ".sum%d", i);
        entry->local = ir_var_create(out->o->module, out->function, name, memory->type);
        add_value(out, entry);
    }
    assert(out->reduction_count <= loop->role_count + facts->reduction_count);
    if (out->o->module->is_gpu && may_merge(out)) {
        set_merges(out);
    }
    uint64_t align = 8;
    out->function->partial_size = (out->function->partial_size + align - 1) & ~(align - 1);
}

struct reduce_entry *reduce_of_update(struct outline *out, const struct ir_inst *inst)
{
    for (int i = 0; i < out->reduction_count; i++) {
        const struct memory_reduction *memory = out->reductions[i].memory;
        for (int k = 0; memory != NULL && k < memory->update_count; k++) {
            if (memory->updates[k].inst == inst && memory->updates[k].context == NULL) {
                return &out->reductions[i];
            }
        }
    }
    return NULL;
}

void reduce_note_write(struct outline *out, const struct ir_var *var, struct ir_inst *operand, struct ir_builder *to)
{
    for (int i = 0; i < out->reduction_count; i++) {
        struct reduce_entry *entry = &out->reductions[i];
        if (entry->source != var) {
            continue;
        }
        if (entry->ran != NULL) {
            ir_set(to, entry->ran, ir_const(to, IR_I32, 1));
        }
        if (entry->at != NULL) {
            ir_set(to, entry->at, ir_emit0(to, IR_OP_ITER, IR_I64));
        }
        if (entry->reset != NULL) {
            struct ir_inst *is_nan = ir_emit1(to, IR_OP_ZEXT, IR_I32, ir_emit2(to, IR_OP_FNE, IR_I1, operand, operand));
            ir_set(to, entry->reset, ir_emit2(to, IR_OP_OR, IR_I32, ir_get(to, entry->reset), is_nan));
        }
    }
}

// ---- the finishing function
// ------------------------------------------------------------------------------------------

static struct ir_inst *load_partial(struct ir_builder *b, struct ir_inst *record, uint64_t offset, enum ir_type type)
{
    struct ir_inst *address = ir_emit1(b, IR_OP_OFFSET, IR_PTR, record);
    address->imm = (int64_t)offset;
    return ir_emit1(b, IR_OP_LOAD, type, address);
}

static struct ir_builder inside(const struct ir_builder *b, struct ir_inst *control, int region)
{
    struct ir_builder inner = *b;
    inner.region = &control->regions[region];
    inner.before = NULL;
    return inner;
}

static struct ir_inst *is_set(struct ir_builder *b, struct ir_inst *record, uint64_t offset)
{
    struct ir_inst *flag = load_partial(b, record, offset, IR_I32);
    return ir_emit2(b, IR_OP_NE, IR_I1, flag, ir_const(b, IR_I32, 0));
}

void reduce_merge_value(struct ir_builder *b, const struct reduce_entry *entry, struct ir_var *var,
                        struct ir_inst *value)
{
    if (ir_update_takes_truth(entry->update)) {
        value = ir_type_is_float(entry->type) ? ir_emit2(b, IR_OP_FNE, IR_I1, value, ir_fconst(b, entry->type, 0))
                                              : ir_emit2(b, IR_OP_NE, IR_I1, value, ir_const(b, entry->type, 0));
    }
    struct ir_inst *update = ir_emit1(b, IR_OP_VUPDATE, entry->type, value);
    update->var = var;
    update->update = ir_update_merge(entry->update);
}

static void merge_selection(struct outline *fin, const struct reduce_entry *entry, struct ir_inst *record,
                            struct ir_builder *b)
{
    struct ir_var *var = outline_var(fin, entry->source);
    struct ir_inst *value = load_partial(b, record, entry->offset, entry->type);
    struct ir_inst *old = ir_get(b, var);
    struct ir_builder then;
    if (entry->unordered) { // one that has met a NaN knows nothing of what came before
        struct ir_inst *keeps = ir_emit2(b, ir_update_compare(entry->update, !entry->inclusive), IR_I1, old, value);
        struct ir_inst *is_whole =
            ir_emit2(b, IR_OP_EQ, IR_I1, load_partial(b, record, entry->reset_offset, IR_I32), ir_const(b, IR_I32, 0));
        struct ir_inst *stays = ir_emit2(b, IR_OP_AND, IR_I1, keeps, is_whole);
        then = inside(b, ir_control(b, IR_OP_IF, stays, 2), 1);
    } else {
        enum ir_op op = ir_update_compare(entry->update, entry->inclusive);
        then = inside(b, ir_control(b, IR_OP_IF, ir_emit2(b, op, IR_I1, value, old), 2), 0);
    }
    ir_set(&then, var, load_partial(&then, record, entry->offset, entry->type));
    for (int i = 0; i < entry->companion_count; i++) {
        const struct reduce_entry *companion = &entry->companions[i];
        ir_set(&then, outline_var(fin, companion->source),
               load_partial(&then, record, companion->offset, companion->type));
    }
}

// One record into the result.
static void merge(struct outline *fin, const struct reduce_entry *entry, struct ir_var *total, struct ir_inst *record,
                  struct ir_builder *b)
{
    struct ir_var *any = total != NULL && entry->ran != NULL ? fin->function->vars[total->index + 1] : NULL;
    struct ir_builder here = *b;
    if (entry->ran != NULL) {
        here = inside(b, ir_control(b, IR_OP_IF, is_set(b, record, entry->ran_offset), 2), 0);
    }
    if (any != NULL) {
        ir_set(&here, any, ir_const(&here, IR_I1, 1));
    }
    if (entry->kind == REDUCE_SELECTION) {
        merge_selection(fin, entry, record, &here);
        return;
    }
    struct ir_var *var = entry->kind == REDUCE_MEMORY ? total : outline_var(fin, entry->source);
    struct ir_inst *value = load_partial(&here, record, entry->offset, entry->type);
    if (entry->kind == REDUCE_LAST) {
        ir_set(&here, var, value);
        return;
    }
    if (entry->reset != NULL) {
        struct ir_inst *choice = ir_control(&here, IR_OP_IF, is_set(&here, record, entry->reset_offset), 2);
        struct ir_builder then = inside(&here, choice, 0);
        ir_set(&then, var, load_partial(&then, record, entry->offset, entry->type));
        here = inside(&here, choice, 1);
        value = load_partial(&here, record, entry->offset, entry->type);
    }
    reduce_merge_value(&here, entry, var, value);
}

// Memory gets one update with the sum of all, if anything ran.
static void store_total(struct outline *fin, const struct reduce_entry *entry, struct ir_var *total,
                        struct ir_builder *b)
{
    struct ir_builder then;
    if (entry->ran != NULL) {
        struct ir_inst *any = ir_get(b, fin->function->vars[total->index + 1]);
        then = inside(b, ir_control(b, IR_OP_IF, any, 2), 0);
        b = &then;
    }
    struct ir_inst *value = ir_get(b, total);
    if (ir_update_takes_truth(entry->update)) {
        value = ir_emit2(b, IR_OP_NE, IR_I1, value, ir_const(b, entry->type, 0));
    }
    struct ir_inst *args[2] = {reduce_address(fin, entry->memory), value};
    struct ir_inst *update = ir_emit(b, IR_OP_UPDATE, entry->type, 2, args);
    update->update = ir_update_merge(entry->update);
    update->atomic = entry->memory->is_atomic && fin->fragment->group != 0;
    update->is_packed = true; // perhaps: done once, so that asking is not worth it
}

const char *reduce_finish(struct outline *task, const char *name)
{
    struct outline fin;
    outline_init(&fin, task->o, task->fragment, IR_FUNCTION_FINISH, name);
    fin.function->is_serial = true;
    fin.function->partial_size = task->function->partial_size;
    struct ir_var **totals = ARENA_ARRAY(task->o->arena, struct ir_var *, task->reduction_count);
    for (int i = 0; i < task->reduction_count; i++) {
        const struct reduce_entry *entry = &task->reductions[i];
        if (entry->kind == REDUCE_MEMORY) {
            totals[i] = ir_var_create(fin.o->module, fin.function, entry->local->name, entry->type);
            ir_set(&fin.prologue, totals[i], reduce_identity(&fin.prologue, entry->update, entry->type));
            // The flag "any of them ran" stands right behind its total.
            struct ir_var *any = ir_var_create(fin.o->module, fin.function, ".any", IR_I1);
            ir_set(&fin.prologue, any, ir_const(&fin.prologue, IR_I1, 0));
        }
    }
    struct ir_var *at = ir_var_create(fin.o->module, fin.function, ".record", IR_I64);
    ir_set(&fin.prologue, at, ir_const(&fin.prologue, IR_I64, 0));
    struct ir_inst *loop = ir_control(&fin.body, IR_OP_LOOP, NULL, 1);
    struct ir_builder b = inside(&fin.body, loop, 0);
    struct ir_inst *number = ir_get(&b, at); // before the count: the order of arguments is the compiler's
    struct ir_inst *is_done = ir_emit2(&b, IR_OP_SGE, IR_I1, number, ir_emit0(&b, IR_OP_ITER_COUNT, IR_I64));
    struct ir_builder done = inside(&b, ir_control(&b, IR_OP_IF, is_done, 2), 0);
    ir_emit0(&done, IR_OP_BREAK, IR_VOID)->target = loop;
    struct ir_inst *index[4] = {ir_emit0(&b, IR_OP_PARTIALS, IR_PTR), ir_get(&b, at),
                                ir_const(&b, IR_I64, (int64_t)fin.function->partial_size), ir_const(&b, IR_I64, -1)};
    struct ir_inst *record = ir_emit(&b, IR_OP_INDEX, IR_PTR, 4, index);
    for (int i = 0; i < task->reduction_count; i++) {
        merge(&fin, &task->reductions[i], totals[i], record, &b);
    }
    number = ir_get(&b, at);
    ir_set(&b, at, ir_emit2(&b, IR_OP_ADD, IR_I64, number, ir_const(&b, IR_I64, 1)));
    for (int i = 0; i < task->reduction_count; i++) {
        if (task->reductions[i].kind == REDUCE_MEMORY) {
            store_total(&fin, &task->reductions[i], totals[i], &fin.body);
        }
    }
    for (struct ir_inst *inst = fin.function->prologue.first; inst != NULL; inst = inst->next) {
        inst->in_bounds |= inst->op == IR_OP_INDEX; // the loop has looked
    }
    outline_store_slots(&fin, &fin.body);
    return name;
}

// The check of races (RILL_CHECK=races): which loops are watched, and the memory for it. A loop that is parallel only
// because the author said so, by a pragma or by explicit atomics whose order shows, has for each array that it writes a
// shadow: a record for each piece of the array, in memory that the launch lends and a task before the loop's own
// clears. What a record holds and who finds what in it is said in races_note.c.
//
// What was proven needs no shadow. What was proven because a parameter is `restrict` is tested by regions at launch
// (restrict.c), and a scatter finds out by itself which iteration is the last.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

bool races_is_trusted(const struct offload *o, const struct ir_inst *loop)
{
    return o->module->check_races && facts_is_trusted(loop);
}

static bool is_not_trusted(struct ir_inst *inst, void *user)
{
    return inst->op != IR_OP_FOR || !races_is_trusted(user, inst);
}

bool races_has_trusted(const struct offload *o, struct ir_inst *inst)
{
    return o->module->check_races && !walk_inst(inst, is_not_trusted, (void *)o);
}

// ---- what the loop writes -------------------------------------------------------------------------------------------

struct search {
    struct offload *o;
    struct ir_inst *loop;
    struct races *races;
    int64_t unknown_granule; // of accesses of which it is not known where they go; 0: there is none
    bool writes_unknown;
    bool is_full;
};

static int64_t lowest_bit(int64_t number)
{
    return number & -number;
}

static void lower_to(int64_t *granule, int64_t number)
{
    *granule = number != 0 && lowest_bit(number) < *granule ? lowest_bit(number) : *granule;
}

// The largest power of two that divides the place and the size of everything that is accessed so, as far as it is told
// here: elements whose address is computed otherwise are taken to be aligned.
static int64_t granule_of(const struct ir_inst *address, int64_t size)
{
    int64_t granule = 16;
    lower_to(&granule, size);
    for (; address->op == IR_OP_INDEX || address->op == IR_OP_OFFSET; address = address->args[0]) {
        bool is_fixed = address->op == IR_OP_INDEX && address->args[2]->op == IR_OP_CONST;
        lower_to(&granule, address->op == IR_OP_OFFSET ? address->imm : is_fixed ? address->args[2]->imm : 0);
    }
    return granule;
}

// Whether iterations share it. Of what is private each has its own.
static bool is_shared(const struct search *s, int base)
{
    const struct ir_function *kernel = s->o->kernel;
    switch (base_kind(base)) {
    case BASE_PARAM: return kernel->params[base_index(base)].is_array;
    case BASE_GLOBAL: return !s->o->module->globals[base_index(base)]->is_const;
    case BASE_LOCAL: {
        const struct ir_var *var = kernel->vars[base_index(base)];
        bool is_inside = var->scope != NULL && walk_is_inside(var->scope, s->loop);
        return !is_inside && !ir_has_role(s->loop->loop, var);
    }
    default: return false;
    }
}

static struct shadow *shadow_of(struct races *races, int base)
{
    for (int i = 0; i < races->count; i++) {
        if (races->shadows[i].base == base) {
            return &races->shadows[i];
        }
    }
    return NULL;
}

static void add_written(struct search *s, int base)
{
    if (!is_shared(s, base) || shadow_of(s->races, base) != NULL) {
        return;
    }
    if (s->races->count == RACES_MOST) {
        s->is_full = true;
        return;
    }
    s->races->shadows[s->races->count++] = (struct shadow){.base = base, .granule = 16};
}

bool races_writes(const struct ir_inst *inst)
{
    return ir_op_writes(inst->op) && ir_op_accesses(inst->op) && inst->op != IR_OP_ATOMIC && inst->op != IR_OP_CAS;
}

// What a helper does goes to its own locals, to fields, or through pointers that it was given.
static bool is_helpers_own(const struct ir_inst *address)
{
    return address_root(address)->op == IR_OP_ADDR_VAR;
}

static bool note_written_in_helper(struct ir_inst *inst, void *user)
{
    struct search *s = user;
    if (inst->op == IR_OP_CALL) {
        return walk_region(&inst->function->body, note_written_in_helper, s);
    }
    s->writes_unknown |= races_writes(inst) && !is_helpers_own(inst->args[0]);
    return true;
}

static bool note_written(struct ir_inst *inst, void *user)
{
    struct search *s = user;
    if (inst->op == IR_OP_CALL) {
        walk_region(&inst->function->body, note_written_in_helper, s);
    } else if (races_writes(inst)) {
        int base = inst->op == IR_OP_STORE || inst->op == IR_OP_UPDATE ? inst->base : 0;
        base = base != 0 ? base : base_beginning_at(address_root(inst->args[0]));
        s->writes_unknown |= base_kind(base) == BASE_UNKNOWN;
        add_written(s, base);
    }
    return true;
}

static int64_t size_of(const struct ir_inst *inst)
{
    if (ir_op_is_element(inst->op)) {
        return ir_type_size(inst->type);
    }
    return inst->args[2]->op == IR_OP_CONST ? inst->args[2]->imm : 1;
}

static void note_size(struct search *s, const struct ir_inst *address, int base, int64_t size)
{
    base = base != 0 ? base : base_beginning_at(address_root(address));
    int64_t granule = granule_of(address, size);
    struct shadow *shadow = shadow_of(s->races, base);
    if (shadow != NULL) {
        lower_to(&shadow->granule, granule);
    } else if (base_kind(base) == BASE_UNKNOWN) {
        lower_to(&s->unknown_granule, granule);
    }
}

static bool note_sizes_in_helper(struct ir_inst *inst, void *user)
{
    struct search *s = user;
    if (inst->op == IR_OP_CALL) {
        return walk_region(&inst->function->body, note_sizes_in_helper, s);
    }
    for (int i = 0; i < 2 && ir_op_accesses(inst->op); i++) {
        bool is_used = i == 0 || (ir_op_is_bytes(inst->op) && ir_op_reads(inst->op));
        if (is_used && !is_helpers_own(inst->args[i])) {
            lower_to(&s->unknown_granule, granule_of(inst->args[i], size_of(inst)));
        }
    }
    return true;
}

static bool note_sizes(struct ir_inst *inst, void *user)
{
    struct search *s = user;
    if (inst->op == IR_OP_CALL) {
        walk_region(&inst->function->body, note_sizes_in_helper, s);
    } else if (ir_op_accesses(inst->op)) {
        bool is_element = ir_op_is_element(inst->op);
        note_size(s, inst->args[0], is_element ? inst->base : 0, size_of(inst));
        if (!is_element && ir_op_reads(inst->op)) {
            note_size(s, inst->args[1], 0, size_of(inst));
        }
    }
    return true;
}

static void find_written(struct search *s)
{
    walk_inst(s->loop, note_written, s);
    for (int i = 0; i < s->o->kernel->param_count && s->writes_unknown; i++) {
        const struct ir_param *param = &s->o->kernel->params[i];
        if (param->is_array && !param->is_const && s->o->out->params[i].scratch == NULL) {
            add_written(s, base_make(BASE_PARAM, i));
        }
    }
    for (int i = 0; i < s->o->module->global_count && s->writes_unknown; i++) {
        add_written(s, base_make(BASE_GLOBAL, i));
    }
    walk_inst(s->loop, note_sizes, s);
    for (int i = 0; i < s->races->count; i++) {
        lower_to(&s->races->shadows[i].granule, s->unknown_granule);
    }
}

// ---- the memory -----------------------------------------------------------------------------------------------------

static struct plan_expr *op(struct offload *o, enum ir_op op, struct plan_expr *a, int64_t b)
{
    return plan_op(o->arena, op, IR_I64, IR_I64, a, plan_const(o->arena, IR_I64, b));
}

static bool has_room(const struct offload *o)
{
    uint64_t more = 2 * sizeof(uint64_t) + sizeof(uint64_t);
    return o->shadows.count < PLAN_MAX_SHADOWS && o->out->args_size + more <= ABI_MAX_ARGS_SIZE;
}

// Loops that follow each other share a shadow. -1: there is no room for another one.
static int shadow_param(struct offload *o, const struct shadow *shadow, struct loc loc, int group)
{
    for (int i = 0; i < o->shadows.count; i++) {
        const struct shadow_param *known = &o->shadows.items[i];
        if (known->base == shadow->base && known->granule == shadow->granule && known->group == group) {
            return known->param;
        }
    }
    if (!has_room(o)) {
        return -1;
    }
    struct plan_expr *bytes = op(o, IR_OP_ADD, lent_bytes_of_base(o, shadow->base), shadow->granule - 1);
    struct plan_expr *records = op(o, IR_OP_SDIV, bytes, shadow->granule);
    struct lent lent = {.name = arena_printf(o->arena, ".shadow%d", o->shadows.count),
                        .type = IR_I64,
                        .size = op(o, IR_OP_MUL, records, ABI_RACE_RECORD_SIZE),
                        .is_needed = true,
                        .loc = loc};
    struct shadow_param made = {
        .base = shadow->base, .granule = shadow->granule, .group = group, .param = lent_add(o, &lent)};
    VEC_PUSH(o->arena, &o->shadows, made);
    return made.param;
}

static void warn(struct offload *o, const struct ir_inst *loop)
{
    diag_warning(o->diags, loop->loc,
                 "this loop is not checked for races: it writes more than %d arrays, or too many "
                 "loops of its kernel write different ones",
                 RACES_MOST);
}

const struct races *races_build(struct offload *o, struct ir_inst *loop, struct plan_node *parent)
{
    if (!races_is_trusted(o, loop)) {
        return NULL;
    }
    struct races *races = ARENA_NEW(o->arena, struct races);
    struct search search = {.o = o, .loop = loop, .races = races, .unknown_granule = 16};
    find_written(&search);
    for (int i = 0; i < races->count && !search.is_full; i++) {
        races->shadows[i].param = shadow_param(o, &races->shadows[i], loop->loc, parent->group);
        search.is_full = races->shadows[i].param < 0;
    }
    if (search.is_full) {
        warn(o, loop);
        return NULL;
    }
    for (int i = 0; i < races->count; i++) {
        lent_add_clear(o, loop, races->shadows[i].param, parent);
    }
    return races->count > 0 ? races : NULL;
}

// Which loops are taken in lanes: independent ones around loops that run in order, or that add up what lies along the
// lanes. A product of matrices whose sum is in a local variable, sums of columns, a polynomial for each element: the
// loop inside walks down columns, or needs the number that it has just made, and has no vectors; its neighbours in the
// loop around it lie beside each other.
//
// All that is needed is that the iterations are independent, which the loop's verdict says, and that they do the same:
// conditions and the bounds of inner loops do not vary. Each does what it did, in its order, with the same roundings.
#include "codegen/lanes.h"

#include "ir/assignment.h"
#include "ir/memory_use.h"
#include "ir/points_to.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

enum {
    CODE_LIMIT = 200,     // instructions of an iteration
    STEP_LIMIT = 1 << 28, // elements or bytes from lane to lane
    CHAINS_MOST = 4,      // vectors of each variable
    REGISTERS_FOR_VARIABLES = 16,
    REGISTERS_FOR_ROWS = 8, // the same where there are sixteen registers in all
};

// ---- what varies --------------------------------------------------------------------------------------------------

static bool is_in(const struct ir_inst *inst, const struct ir_region *region)
{
    const struct ir_region *at = inst->parent;
    while (at != NULL && at != region) {
        at = at->owner != NULL ? at->owner->parent : NULL;
    }
    return at != NULL;
}

static bool varies(const struct lanes *lanes, const struct ir_inst *inst)
{
    return inst->id >= 0 && lanes->values[inst->id].kind != LANES_SAME;
}

// True: something was found to vary that did not before.
static bool note_varying(struct lanes *lanes)
{
    bool is_new = false;
    WALK (inst, lanes->body) {
        bool does = (inst->op == IR_OP_GET && lanes->varies[inst->var->index]) || inst->op == IR_OP_ITER;
        for (int i = 0; i < inst->arg_count; i++) {
            does |= varies(lanes, inst->args[i]);
        }
        if (does && inst->id >= 0 && !varies(lanes, inst)) {
            lanes->values[inst->id].kind = LANES_VECTOR;
            is_new = true;
        }
        if (does && ir_op_sets(inst->op) && !lanes->varies[inst->var->index]) {
            lanes->varies[inst->var->index] = true;
            is_new = true;
        }
    }
    return is_new;
}

// ---- what a value is ----------------------------------------------------------------------------------------------

static struct lanes_value linear(int64_t step, bool is_sure)
{
    return (struct lanes_value){.kind = LANES_LINEAR, .step = step, .is_sure = is_sure};
}

static struct lanes_value *value_of(const struct lanes *lanes, const struct ir_inst *inst)
{
    return &lanes->values[inst->id];
}

static bool is_vector(const struct lanes *lanes, const struct ir_inst *inst)
{
    return value_of(lanes, inst)->kind == LANES_VECTOR;
}

// The SET whose value a GET has; NULL: not known.
static const struct ir_inst *source_of(const struct lanes *lanes, const struct ir_inst *get)
{
    const struct ir_inst *set = assignments_only_set(&lanes->assigned[get->var->index]);
    if (set == NULL || !is_in(set, lanes->body) || !is_in(get, set->parent)) {
        return NULL;
    }
    const struct ir_inst *at = get; // what stands in the SET's region and holds the GET
    while (at->parent != set->parent) {
        at = at->parent->owner;
    }
    for (const struct ir_inst *inst = set; inst != NULL; inst = inst->next) {
        if (inst == at) {
            return set->args[0];
        }
    }
    return NULL;
}

// Of a sum that does not wrap. That of a task's loop variable, with the number of its iteration cut to the variable's
// type, does not even if that does.
static bool is_sure_part(const struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *value = value_of(lanes, inst);
    if (inst->op == IR_OP_MUL && inst->args[1]->op == IR_OP_CONST) {
        inst = inst->args[0];
    }
    return value->kind == LANES_SAME || value->is_sure || (inst->op == IR_OP_TRUNC && inst->args[0]->op == IR_OP_ITER);
}

static struct lanes_value of_sum(const struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *x = value_of(lanes, inst->args[0]), *y = value_of(lanes, inst->args[1]);
    bool is_sure = inst->type == IR_I64 ||
                   (inst->no_wrap && is_sure_part(lanes, inst->args[0]) && is_sure_part(lanes, inst->args[1]));
    int64_t step;
    if (inst->op == IR_OP_MUL) {
        const struct ir_inst *by = x->kind == LANES_SAME ? inst->args[0] : inst->args[1];
        if (by->op != IR_OP_CONST || by->imm > STEP_LIMIT || by->imm < -STEP_LIMIT) {
            return (struct lanes_value){.kind = LANES_VECTOR};
        }
        step = by->imm * (x->kind == LANES_SAME ? y->step : x->step);
    } else {
        step = inst->op == IR_OP_ADD ? x->step + y->step : x->step - y->step;
    }
    bool is_short = step <= STEP_LIMIT && step >= -STEP_LIMIT;
    return is_short ? linear(step, is_sure) : (struct lanes_value){.kind = LANES_VECTOR};
}

// Nothing of the value is used behind another region than its own, as index_is_accessed() has it.
static bool is_used_beyond(const struct lanes *lanes, const struct ir_inst *value)
{
    bool has_left = false;
    WALK (inst, lanes->body) {
        for (int i = 0; i < inst->arg_count; i++) {
            has_left |= inst->args[i] == value && inst->parent != value->parent;
        }
    }
    return has_left;
}

static struct lanes_value of_conversion(const struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *x = value_of(lanes, inst->args[0]);
    struct lanes_value vector = {.kind = LANES_VECTOR};
    if (x->kind != LANES_LINEAR) {
        return vector;
    }
    if (inst->op == IR_OP_TRUNC && inst->type == IR_I32) {
        return linear(x->step, inst->no_wrap);
    }
    if (inst->op == IR_OP_SEXT && inst->type == IR_I64 &&
        (x->is_sure || (index_is_accessed(inst) && !is_used_beyond(lanes, inst)))) {
        return linear(x->step, true);
    }
    return vector;
}

static struct lanes_value of_index(const struct lanes *lanes, const struct ir_inst *inst)
{
    const struct lanes_value *base = value_of(lanes, inst->args[0]), *at = value_of(lanes, inst->args[1]);
    const struct ir_inst *size = inst->args[2];
    bool is_plain = base->kind != LANES_VECTOR && at->kind != LANES_VECTOR &&
                    (at->kind == LANES_SAME || (size->op == IR_OP_CONST && size->imm <= STEP_LIMIT));
    int64_t step = is_plain ? base->step + (at->kind == LANES_SAME ? 0 : at->step * size->imm) : 0;
    return is_plain && step <= STEP_LIMIT && step >= -STEP_LIMIT ? linear(step, true)
                                                                 : (struct lanes_value){.kind = LANES_VECTOR};
}

static struct lanes_value find_value(const struct lanes *lanes, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_ITER: return linear(1, true);
    case IR_OP_GET: {
        if (inst->var == lanes->counter) {
            return linear(lanes->step, true);
        }
        const struct ir_inst *source = source_of(lanes, inst);
        struct lanes_value value = {.kind = LANES_VECTOR};
        if (source != NULL) {
            value = *value_of(lanes, source);
            value.source = source;
        }
        return value;
    }
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
        return is_vector(lanes, inst->args[0]) || is_vector(lanes, inst->args[1]) ||
                       (inst->type != IR_I32 && inst->type != IR_I64)
                   ? (struct lanes_value){.kind = LANES_VECTOR}
                   : of_sum(lanes, inst);
    case IR_OP_INDEX: return of_index(lanes, inst);
    case IR_OP_OFFSET: return *value_of(lanes, inst->args[0]);
    default:
        return ir_op_group(inst->op) == IR_GROUP_CONVERT ? of_conversion(lanes, inst)
                                                         : (struct lanes_value){.kind = LANES_VECTOR};
    }
}

// ---- what lanes can do --------------------------------------------------------------------------------------------

static bool is_number(enum ir_type type)
{
    return type == IR_F32 || type == IR_F64 || type == IR_I32 || type == IR_I64 || type == IR_I16 || type == IR_I8;
}

static const struct ir_inst *loop_around(const struct lanes *lanes, const struct ir_inst *inst)
{
    for (const struct ir_region *region = inst->parent; region != lanes->body; region = region->owner->parent) {
        if (region->owner->op == IR_OP_FOR) {
            return region->owner;
        }
    }
    return NULL;
}

bool lanes_is_unit(const struct lanes *lanes, const struct ir_inst *access)
{
    const struct lanes_value *at = value_of(lanes, access->args[0]);
    return at->kind == LANES_LINEAR && at->step == ir_type_size(access->type);
}

// A store down a column, behind the loop that makes what it stores: the other half of a symmetric matrix, a transposed
// result. It costs once for all that the loop has done. The iterations are independent, so that each lane has a place
// of its own.
static bool may_scatter(const struct lanes *lanes, const struct ir_inst *store)
{
    return lanes->rows == 1 && is_vector(lanes, store->args[0]) && loop_around(lanes, store) == NULL;
}

static bool may_access(const struct lanes *lanes, const struct ir_inst *inst)
{
    const struct ir_inst *root = address_root(inst->args[0]);
    bool is_plain = !inst->is_volatile && !inst->atomic && !inst->is_around && !inst->is_packed && inst->copy == 0 &&
                    is_number(inst->type) && (root->op == IR_OP_PARAM || root->op == IR_OP_ADDR_GLOBAL);
    if (!is_plain) {
        return false;
    }
    if (inst->op != IR_OP_LOAD) {
        return lanes_is_unit(lanes, inst) || (inst->op == IR_OP_STORE && may_scatter(lanes, inst));
    }
    return !varies(lanes, inst) || lanes_is_unit(lanes, inst) || is_vector(lanes, inst->args[0]) ||
           loop_around(lanes, inst) == NULL;
}

// Addresses in each lane, as those of a column are: in a loop inside, where each of its iterations would need them,
// only of elements of one array, which a gather takes from there.
static bool may_index(const struct lanes *lanes, const struct ir_inst *index)
{
    return value_of(lanes, index->args[0])->kind == LANES_SAME ||
           (lanes->rows == 1 && loop_around(lanes, index) == NULL && !varies(lanes, index->args[2]));
}

static bool may_math(enum ir_math math)
{
    return math == IR_MATH_SQRT || math == IR_MATH_FABS;
}

static bool may_compute(const struct lanes *lanes, const struct ir_inst *inst)
{
    if (!varies(lanes, inst)) {
        return inst->op != IR_OP_ADDR_VAR;
    }
    if (value_of(lanes, inst)->kind == LANES_LINEAR) {
        return true;
    }
    bool is_shift = inst->op == IR_OP_SHL || inst->op == IR_OP_LSHR || inst->op == IR_OP_ASHR;
    switch (ir_op_group(inst->op)) {
    case IR_GROUP_INTEGER:
        return is_number(inst->type) && !ir_op_is_division(inst->op) && inst->op != IR_OP_UMULH &&
               (!is_shift || inst->args[1]->op == IR_OP_CONST);
    case IR_GROUP_FLOAT: return is_number(inst->type);
    case IR_GROUP_COMPARE:
    case IR_GROUP_FLOAT_COMPARE: return is_number(inst->args[0]->type);
    case IR_GROUP_CONVERT:
        return is_number(inst->type) && (is_number(inst->args[0]->type) || inst->args[0]->type == IR_I1) &&
               inst->op != IR_OP_FPTOSI && inst->op != IR_OP_FPTOUI;
    case IR_GROUP_SELECT: return is_number(inst->type);
    case IR_GROUP_MATH: return may_math((enum ir_math)inst->imm) && is_number(inst->type);
    case IR_GROUP_ADDRESS: return inst->op == IR_OP_INDEX && may_index(lanes, inst);
    case IR_GROUP_LEAF:
        return inst->op == IR_OP_GET && (is_number(inst->type) || value_of(lanes, inst)->source != NULL);
    default: return false;
    }
}

static bool may_be_in_lanes(const struct lanes *lanes, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_SET: return is_number(inst->var->type) || !lanes->varies[inst->var->index];
    case IR_OP_VUPDATE:
        return !lanes->varies[inst->var->index] ||
               (is_number(inst->var->type) && ir_update_op(inst->update, inst->var->type) != IR_OP_COUNT);
    case IR_OP_LOAD:
    case IR_OP_STORE: return may_access(lanes, inst);
    case IR_OP_UPDATE: return may_access(lanes, inst) && ir_update_op(inst->update, inst->type) != IR_OP_COUNT;
    case IR_OP_IF: return !varies(lanes, inst->args[0]);
    case IR_OP_FOR:
        return !inst->loop->recheck && inst->loop->level == 0 && !varies(lanes, inst->args[0]) &&
               !varies(lanes, inst->args[1]) && !lanes->varies[inst->loop->var->index];
    default: return ir_op_is_value(inst->op) && may_compute(lanes, inst);
    }
}

// Nobody outside reads what lanes have, nor what each of them changes by the same: that would be done once for all.
static bool is_used_outside(const struct lanes *lanes)
{
    const struct ir_function *function = lanes->e->function->ir;
    bool *is_own = ARENA_ARRAY(lanes->e->arena, bool, function->var_count + 1);
    memcpy(is_own, lanes->varies, (size_t)function->var_count * sizeof *is_own);
    WALK (inst, lanes->body) {
        is_own[inst->op == IR_OP_VUPDATE ? inst->var->index : function->var_count] = true;
    }
    WALK (inst, &function->body) {
        bool is_var = inst->op == IR_OP_GET || inst->op == IR_OP_VUPDATE;
        if (is_var && is_own[inst->var->index] && inst->var != lanes->counter && !is_in(inst, lanes->body)) {
            return true;
        }
    }
    for (int i = 0; i < function->accumulator_count; i++) {
        if (is_own[function->accumulators[i].var->index]) {
            return true;
        }
    }
    return false;
}

static bool has_good_code(struct lanes *lanes)
{
    int count = 0;
    WALK (inst, lanes->body) {
        if (varies(lanes, inst)) {
            *value_of(lanes, inst) = find_value(lanes, inst);
        }
        if (++count > CODE_LIMIT || !may_be_in_lanes(lanes, inst)) {
            return false;
        }
    }
    return !is_used_outside(lanes);
}

// ---- whether it pays ----------------------------------------------------------------------------------------------

// Loops inside that are no vectors themselves, or load along the lanes.
static bool pays(const struct lanes *lanes)
{
    bool has_loop = false, is_in_order = false, has_rows = false, gathers = false;
    WALK (inst, lanes->body) {
        if (inst->op == IR_OP_FOR) {
            has_loop = true;
            is_in_order |= inst->loop->verdict < IR_VERDICT_PROVEN;
        } else if (inst->op == IR_OP_LOAD && loop_around(lanes, inst) != NULL) {
            has_rows |= lanes_is_unit(lanes, inst);
            gathers |= is_vector(lanes, inst->args[0]);
        }
    }
    return has_loop && (has_rows || (is_in_order && !gathers));
}

static int vector_bytes(const struct emitter *e)
{
    switch (e->target->isa) {
    case TARGET_ISA_AVX512: return 64;
    case TARGET_ISA_AVX2: return 32;
    default: return 16;
    }
}

// No wider than a loop whose trip count is written down: what has four iterations is a vector of four. The others would
// be masked, and a masked load waits until what was stored there before has left for the cache.
static void narrow(struct lanes *lanes, const struct ir_inst *loop)
{
    uint64_t count;
    bool is_known = lanes->rows == 1 && trip_is_known(loop, &count);
    while (is_known && lanes->width > 2 && (uint64_t)lanes->width / 2 >= count) {
        lanes->width /= 2;
    }
}

// The vectors of the widest type that fill the registers, and the latency of what is made one after the other.
static void choose_width(struct lanes *lanes)
{
    int size = 1, least = 8, variables = 0;
    WALK (inst, lanes->body) {
        if (varies(lanes, inst) && is_vector(lanes, inst) && is_number(inst->type)) {
            size = ir_type_size(inst->type) > size ? ir_type_size(inst->type) : size;
        }
        if (ir_op_accesses(inst->op) && ir_type_size(inst->type) < least) {
            least = ir_type_size(inst->type);
        }
        variables += lanes->rows > 1 && inst->op == IR_OP_UPDATE; // which is kept in a register, too
    }
    const struct ir_function *function = lanes->e->function->ir;
    for (int i = 0; i < function->var_count; i++) {
        variables += lanes->varies[i] && lanes->assigned[i].count > 1;
    }
    bool has_few = lanes->rows > 1 && lanes->e->target->isa != TARGET_ISA_AVX512;
    int most = has_few ? REGISTERS_FOR_ROWS : REGISTERS_FOR_VARIABLES;
    int chains = CHAINS_MOST;
    while (chains > 1 && chains * variables * lanes->rows > most) {
        chains /= 2;
    }
    lanes->width = chains * vector_bytes(lanes->e) / size;
    lanes->may_mask = least >= 4 && lanes->width < 128 && lanes->e->target->isa >= TARGET_ISA_AVX2;
}

// Whether its numbers are such that lanes differ by a step.
bool lanes_may_count(const struct lanes *lanes, const struct ir_inst *loop)
{
    enum ir_type type = loop->loop->var->type;
    return !loop->loop->recheck && trip_is_signed(loop->loop) && (type == IR_I32 || type == IR_I64) &&
           loop->loop->step <= STEP_LIMIT && loop->loop->step >= -STEP_LIMIT &&
           lanes->assigned[loop->loop->var->index].count == 1;
}

struct lanes *lanes_find_rows(struct emitter *e, const struct ir_inst *loop, int rows)
{
    const struct ir_function *function = e->function->ir;
    const struct ir_region *body = loop != NULL ? &loop->regions[0] : &function->body;
    if (target_is_gpu(e->target) || e->check_bounds || e->options->unoptimised || e->function->lanes != NULL ||
        e->target->isa == TARGET_ISA_NONE || (rows == 1 && !emit_has_loops(body))) {
        return NULL;
    }
    struct lanes *lanes = ARENA_NEW(e->arena, struct lanes);
    *lanes = (struct lanes){.e = e, .body = body, .step = 1, .rows = rows};
    lanes->values = ARENA_ARRAY(e->arena, struct lanes_value, function->value_count + 1);
    lanes->varies = ARENA_ARRAY(e->arena, bool, function->var_count + 1);
    lanes->assigned = ARENA_ARRAY(e->arena, struct assignments, function->var_count + 1);
    assignments_add(&function->prologue, lanes->assigned);
    assignments_add(&function->body, lanes->assigned);
    if (loop != NULL && !lanes_may_count(lanes, loop)) {
        return NULL;
    }
    if (loop != NULL) {
        lanes->counter = loop->loop->var;
        lanes->step = loop->loop->step;
        lanes->varies[lanes->counter->index] = true;
    }
    while (note_varying(lanes)) {
    }
    if (!has_good_code(lanes) || (rows == 1 && !pays(lanes))) {
        return NULL;
    }
    choose_width(lanes);
    if (loop != NULL) {
        narrow(lanes, loop);
    }
    return lanes;
}

struct lanes *lanes_find(struct emitter *e, const struct ir_inst *loop)
{
    return lanes_find_rows(e, loop, 1);
}

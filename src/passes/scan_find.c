// Which loops are scans: each scalar that iterations hand on is only updated, by one operator, with what does not
// depend on such scalars. What the updates are made of, and whether they happen, can then be computed ahead of all
// else.
#include "passes/scan_loop.h"

#include "analysis/analyse.h"
#include "analysis/scalars/scalars.h"
#include "ir/assignment.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>

struct scan_carry *scan_carry_of(struct scan *s, const struct ir_var *var)
{
    for (int i = 0; i < s->carry_count; i++) {
        if (s->carries[i].var == var) {
            return &s->carries[i];
        }
    }
    return NULL;
}

// ---- updates -------------------------------------------------------------------------------------------------------

bool scan_is_assigned_between(const struct ir_inst *get, const struct ir_inst *set)
{
    const struct ir_inst *at = get;
    while (at != NULL && at != set && !assignment_is_in(at, set->var)) {
        at = at->next;
    }
    return at != set;
}

// k++ whose value is used is: get, add, set.
static bool is_update_by_set(const struct ir_inst *set, struct scan_update *out)
{
    static const enum ir_update updates[] = {IR_UPDATE_ADD,  IR_UPDATE_SUB, IR_UPDATE_MUL,  IR_UPDATE_AND,
                                             IR_UPDATE_OR,   IR_UPDATE_XOR, IR_UPDATE_SMIN, IR_UPDATE_UMIN,
                                             IR_UPDATE_SMAX, IR_UPDATE_UMAX};
    const struct ir_inst *value = set->args[0];
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        if (value->op != ir_update_op(updates[i], value->type)) {
            continue;
        }
        for (int side = 0; side < (updates[i] == IR_UPDATE_SUB ? 1 : 2); side++) {
            struct ir_inst *get = value->args[side];
            if (get->op == IR_OP_GET && get->var == set->var && get->parent == set->parent &&
                !scan_is_assigned_between(get, set)) {
                *out = (struct scan_update){updates[i], value->args[1 - side], get};
                return true;
            }
        }
    }
    return false;
}

bool scan_is_update(const struct ir_inst *inst, struct scan_update *out)
{
    assert(ir_op_sets(inst->op));
    if (inst->op == IR_OP_SET) {
        return is_update_by_set(inst, out);
    }
    *out = (struct scan_update){inst->update, inst->args[0], NULL};
    return true;
}

static bool add_update(struct scan *s, struct scan_carry *carry, const struct ir_inst *inst)
{
    struct scan_update update;
    union ir_value identity;
    enum ir_type type = carry->var->type;
    if (type == IR_I1 || type == IR_PTR || ir_type_is_half(type)) {
        return false;
    }
    if (!scan_is_update(inst, &update)) {
        carry->is_counter = false;
        bool is_affine = scan_is_affine(s, inst);
        carry->is_affine |= is_affine;
        carry->has_reset |= !is_affine;
        return true;
    }
    enum ir_update merge = ir_update_merge(update.update);
    if (merge == IR_UPDATE_NONE || ir_update_is_ordered(update.update) || !ir_update_keeps_range(merge, type) ||
        !ir_update_identity(update.update, type, &identity) ||
        (carry->merge != IR_UPDATE_NONE && carry->merge != merge)) {
        return false;
    }
    carry->merge = merge;
    const struct ir_inst *added = update.operand;
    carry->is_counter &= update.update == IR_UPDATE_ADD && added->op == IR_OP_CONST && added->imm > 0 &&
                         added->imm < (1 << 20) && (inst->type == IR_I32 || inst->type == IR_I64);
    carry->most += carry->is_counter && carry->most < INT32_MAX ? added->imm : 0;
    for (const struct ir_inst *at = inst->parent->owner; at != s->loop; at = at->parent->owner) {
        carry->is_repeated |= at->op == IR_OP_FOR;
    }
    return true;
}

// The scalars that the body reads before it has written them. Those that it only updates are reductions, if nothing
// else is handed on.
bool scan_hands_on(struct scan *s)
{
    struct scalar_use *uses = scalars_use_region(s->module->arena, s->kernel, &s->loop->regions[0]);
    s->carry_count = 0;
    for (int i = 0; i < s->kernel->var_count; i++) {
        struct ir_var *var = s->kernel->vars[i];
        const struct scalar_use *use = &uses[i];
        bool is_assigned = use->set_count + use->update_count > 0;
        bool is_reduction = use->set_count == 0 && use->get_count == 0 && !use->is_mixed;
        if (!is_assigned || use->exposed == NULL || is_reduction || scalars_is_declared_in(var, s->loop)) {
            continue;
        }
        if (s->carry_count == SCAN_CARRIES || var == s->loop->loop->var) {
            return false;
        }
        s->carries[s->carry_count++] = (struct scan_carry){.var = var, .is_counter = true};
    }
    WALK (inst, &s->loop->regions[0]) {
        struct scan_carry *carry = ir_op_sets(inst->op) ? scan_carry_of(s, inst->var) : NULL;
        if (carry != NULL && !add_update(s, carry, inst)) {
            return false;
        }
        if (inst->op == IR_OP_FOR && scan_carry_of(s, inst->loop->var) != NULL) {
            return false;
        }
    }
    for (int i = 0; i < s->carry_count; i++) {
        const struct scan_carry *carry = &s->carries[i];
        bool is_sum = carry->merge == IR_UPDATE_NONE || carry->merge == IR_UPDATE_ADD;
        if (carry->is_affine && (carry->has_reset || !is_sum)) {
            return false;
        }
    }
    return s->carry_count > 0;
}

// ---- what is computed ahead ----------------------------------------------------------------------------------------

static bool need(struct scan *s, struct ir_inst *inst);

// What the assignment s = a * s + b is made of, but for s.
static bool need_affine(struct scan *s, struct ir_inst *value, const struct ir_var *var)
{
    if (!scan_reads(s, value, var)) {
        return need(s, value);
    }
    pointer_map_set(s->module->arena, &s->needed, value, value);
    for (int i = 0; i < value->arg_count; i++) {
        if (!need_affine(s, value->args[i], var)) {
            return false;
        }
    }
    return true;
}

static bool need_assignments(struct scan *s, const struct ir_var *var)
{
    WALK (inst, &s->loop->regions[0]) {
        if (assignment_target(inst) == var && !need(s, (struct ir_inst *)inst)) {
            return false;
        }
    }
    return true;
}

// Whether and how often an instruction runs depends on what it stands in, and on what leaves that.
static bool need_place(struct scan *s, const struct ir_inst *inst)
{
    struct ir_inst *owner = inst->parent->owner;
    if (owner == s->loop || pointer_map_get(&s->needed, owner) != NULL) {
        return true;
    }
    if (!need(s, owner)) {
        return false;
    }
    if (owner->op != IR_OP_BLOCK) {
        return true;
    }
    WALK (in, &owner->regions[0]) {
        if (in->op == IR_OP_BREAK && in->target == owner && !need(s, (struct ir_inst *)in)) {
            return false;
        }
    }
    return true;
}

// Marks the instruction and all that it depends on. False: a scalar that is handed on is part of it.
static bool need(struct scan *s, struct ir_inst *inst)
{
    if (!walk_is_inside(inst, s->loop) || inst == s->loop || pointer_map_get(&s->needed, inst) != NULL) {
        return true;
    }
    pointer_map_set(s->module->arena, &s->needed, inst, inst);
    struct scan_carry *carry = inst->var != NULL ? scan_carry_of(s, inst->var) : NULL;
    struct scan_update update;
    if (carry != NULL) { // of an update no more than what it adds
        if (!ir_op_sets(inst->op)) {
            return false;
        }
        if (scan_is_affine(s, inst) && !scan_is_update(inst, &update)) {
            return need_affine(s, inst->args[0], inst->var) && need_place(s, inst);
        }
        struct ir_inst *operand = scan_is_update(inst, &update) ? update.operand : inst->args[0];
        return need(s, operand) && need_place(s, inst);
    }
    if ((inst->op == IR_OP_GET || inst->op == IR_OP_VUPDATE) && inst->var != s->loop->loop->var &&
        !need_assignments(s, inst->var)) {
        return false;
    }
    for (int i = 0; i < inst->arg_count; i++) {
        if (!need(s, inst->args[i])) {
            return false;
        }
    }
    return need_place(s, inst);
}

static bool takes_inst(const struct scan *s, const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_GET:
    case IR_OP_SET:
    case IR_OP_VUPDATE:
    case IR_OP_IF:
    case IR_OP_BLOCK: return true;
    case IR_OP_BREAK: return walk_is_inside(inst->target, s->loop) && inst->target != s->loop;
    case IR_OP_YIELD: return inst->parent->owner->op == IR_OP_FOR; // of a bound that is read again
    case IR_OP_FOR: return !inst->loop->pragma_single && !inst->loop->pragma_parallel;
    case IR_OP_LOAD:
    case IR_OP_STORE: return !inst->is_volatile && !inst->is_around && !inst->atomic;
    case IR_OP_COPY:
    case IR_OP_UPDATE: return !inst->is_volatile;
    default: return ir_op_is_pure(inst->op);
    }
}

static bool find_needed(struct scan *s)
{
    s->needed = (struct pointer_map){0};
    s->is_deep = s->has_rest = false;
    WALK (inst, &s->loop->regions[0]) {
        const struct ir_var *var = assignment_target(inst);
        s->is_deep |= inst->op == IR_OP_FOR;
        s->has_rest |= ir_op_writes(inst->op) ||
                       (var != NULL && scan_carry_of(s, var) == NULL && !scalars_is_declared_in(var, s->loop));
    }
    for (int i = 0; i < s->carry_count; i++) {
        if (!need_assignments(s, s->carries[i].var)) {
            return false;
        }
    }
    return true;
}

// ---- what the launch tests -----------------------------------------------------------------------------------------

static void add_pair(struct loop_nest *nest, int a, int b)
{
    for (int i = 0; i < nest->pair_count; i++) {
        if (nest->pairs[i].a == a && nest->pairs[i].b == b) {
            return;
        }
    }
    nest->is_refused |= nest->pair_count == NEST_PAIRS;
    if (!nest->is_refused) {
        nest->pairs[nest->pair_count++] = (struct base_pair){a, b};
    }
}

// Whether the base is a local of the iteration.
static bool is_own_memory(const struct scan *s, int base)
{
    return base_kind(base) == BASE_LOCAL && scalars_is_declared_in(s->kernel->vars[base_index(base)], s->loop);
}

// No argument is a constant, and nothing is stored to one.
static enum relation relation_of(const struct scan *s, const struct access *a, const struct access *b)
{
    bool is_constant = false;
    for (int i = 0; i < 2; i++) {
        int base = i == 0 ? a->base : b->base;
        is_constant |= base_kind(base) == BASE_GLOBAL && s->module->globals[base_index(base)]->is_const;
    }
    return is_constant && a->base != b->base ? RELATION_NONE : access_relation(s->an, a, b);
}

// The bound of a loop inside that is read again before each of its iterations is that of the first, if nothing in the
// loop is written that it is read from. Where it comes from another array, the launch tests that.
static bool settle_bounds(struct scan *s, struct loop_nest *nest)
{
    const struct loop_info *info = nest->root;
    for (int i = info->access_begin; i < info->access_end; i++) {
        const struct access *read = &s->an->accesses.items[i];
        for (int k = info->access_begin; k < info->access_end && read->recheck != NULL; k++) {
            const struct access *write = &s->an->accesses.items[k];
            if (write->kind == ACCESS_READ || !walk_is_inside(write->inst, read->recheck->inst)) {
                continue;
            }
            enum relation relation = relation_of(s, read, write);
            if (relation == RELATION_TWO_BASES) {
                add_pair(nest, read->base, write->base);
            } else if (relation != RELATION_NONE) {
                return false;
            }
        }
    }
    return true;
}

static bool is_needed_read(const struct scan *s, const struct access *access)
{
    return access->kind == ACCESS_READ && pointer_map_get(&s->needed, access->inst) != NULL;
}

// Whether one iteration may write there before it reads: |read| is computed ahead.
static bool is_behind(const struct scan *s, const struct access *read, const struct access *write)
{
    for (const struct ir_inst *at = read->inst->parent->owner; at != s->loop; at = at->parent->owner) {
        if (at->op == IR_OP_FOR && walk_is_inside(write->inst, at)) {
            return true;
        }
    }
    WALK (inst, &s->loop->regions[0]) {
        if (inst == read->inst || inst == write->inst) {
            return inst == write->inst;
        }
    }
    return true;
}

static bool is_in_loop_inside(const struct scan *s, const struct ir_inst *inst)
{
    const struct ir_inst *at = inst->parent->owner;
    while (at != s->loop && at->op != IR_OP_FOR) {
        at = at->parent->owner;
    }
    return at != s->loop;
}

// Iterations may only meet in the scalars. What is read ahead is written by no earlier iteration, nor before it is
// read.
static bool compare(struct scan *s, struct loop_nest *nest, const struct access *a, const struct access *b)
{
    bool is_ahead = is_needed_read(s, a) || is_needed_read(s, b);
    const struct scan_carry *own_a = a->kind == ACCESS_WRITE ? pointer_map_get(&s->own, a->inst) : NULL;
    const struct scan_carry *own_b = b->kind == ACCESS_WRITE ? pointer_map_get(&s->own, b->inst) : NULL;
    // What is not kept may lie for a while where a list goes on.
    bool is_read = (own_a != NULL && b->kind == ACCESS_READ) || (own_b != NULL && a->kind == ACCESS_READ);
    switch (relation_of(s, a, b)) {
    case RELATION_NONE: return true;
    case RELATION_UNKNOWN: return false;
    case RELATION_TWO_BASES:
        if (is_ahead || is_read || s->has_lanes) {
            add_pair(nest, a->kind == ACCESS_READ ? a->base : b->base, a->kind == ACCESS_READ ? b->base : a->base);
        }
        return true;
    case RELATION_SAME: break;
    }
    // Loops inside that update what other iterations update are better tasks than this loop with atomics.
    bool are_updates = a->kind == ACCESS_UPDATE && b->kind == ACCESS_UPDATE;
    bool is_shared = are_updates && is_in_loop_inside(s, a->inst);
    if (is_own_memory(s, a->base) || (are_updates && !is_shared) || (own_a != NULL && own_a == own_b)) {
        return true;
    }
    bool is_mixed = (is_needed_read(s, a) && is_behind(s, a, b)) || (is_needed_read(s, b) && is_behind(s, b, a));
    struct access apart_a = *a, apart_b = *b;
    apart_a.kind = is_shared ? ACCESS_WRITE : a->kind;
    apart_b.kind = is_shared ? ACCESS_WRITE : b->kind;
    enum pair_answer answer = pair_test(s->an, nest->root, &apart_a, &apart_b, is_mixed).answer;
    return answer == PAIR_APART || (answer == PAIR_IF && !is_ahead && !is_shared);
}

static bool compare_all(struct scan *s, struct loop_nest *nest)
{
    const struct loop_info *info = nest->root;
    for (int i = info->access_begin; i < info->access_end; i++) {
        for (int k = i; k < info->access_end; k++) {
            const struct access *a = &s->an->accesses.items[i], *b = &s->an->accesses.items[k];
            if ((a->kind != ACCESS_READ || b->kind != ACCESS_READ) && !compare(s, nest, a, b)) {
                return false;
            }
        }
    }
    return !nest->is_refused;
}

struct loop_info *scan_info(struct scan *s)
{
    if (s->an == NULL) {
        struct diags *diags = ARENA_NEW(s->module->arena, struct diags); // what it finds is said by the analysis proper
        diags_init(diags, s->module->arena);
        s->an = analysis_create(s->module, s->kernel, diags);
    }
    for (int i = 0; i < s->an->loops.count; i++) {
        if (s->an->loops.items[i]->inst == s->loop) {
            return s->an->loops.items[i];
        }
    }
    return NULL;
}

// A local array of the iteration's own that something computed ahead is read from: so is what fills it. False: a scalar
// that is handed on is part of that.
static bool need_own_memory(struct scan *s, const struct loop_info *info)
{
    bool is_done = false;
    while (!is_done) {
        is_done = true;
        for (int i = info->access_begin; i < info->access_end; i++) {
            const struct access *read = &s->an->accesses.items[i];
            bool is_needed = read->kind != ACCESS_WRITE && is_own_memory(s, read->base) &&
                             pointer_map_get(&s->needed, read->inst) != NULL;
            for (int k = info->access_begin; k < info->access_end && is_needed; k++) {
                const struct access *write = &s->an->accesses.items[k];
                if (write->base != read->base || write->kind == ACCESS_READ ||
                    pointer_map_get(&s->needed, write->inst) != NULL) {
                    continue;
                }
                if (!need(s, write->inst)) {
                    return false;
                }
                is_done = false;
            }
        }
    }
    return true;
}

static struct loop_nest *make_nest(struct scan *s)
{
    enum { MOST_ACCESSES = 256 };
    struct loop_info *info = scan_info(s);
    if (info == NULL || info->access_end - info->access_begin > MOST_ACCESSES) {
        return NULL;
    }
    struct loop_nest *nest = ARENA_NEW(s->module->arena, struct loop_nest);
    *nest = (struct loop_nest){
        .module = s->module, .kernel = s->kernel, .an = s->an, .root = info, .bounds_by_extents = true};
    for (int i = 0; i < s->apart_count; i++) {
        add_pair(nest, s->apart[i].a, s->apart[i].b);
    }
    return nest;
}

// ---- the loop ------------------------------------------------------------------------------------------------------

// The launch knows how many iterations there are, before it runs anything.
static bool has_known_count(const struct scan *s)
{
    const struct ir_trip trip = trip_of(s->loop->loop);
    enum ir_type type = s->loop->loop->var->type;
    return !trip.is_endless && trip.stride < (1 << 20) && (type == IR_I32 || type == IR_I64) &&
           expr_of_value(s->module->arena, s->loop->args[0]) != NULL &&
           expr_of_value(s->module->arena, s->loop->args[1]) != NULL;
}

// Whether the condition of a loop inside depends on scalars that the loop assigns, or on more than can be tested.
static bool has_open_bound(const struct ir_inst *loop)
{
    if (loop->op != IR_OP_FOR || !loop->loop->recheck) {
        return false;
    }
    for (const struct ir_inst *inst = loop->regions[1].first; inst != NULL; inst = inst->next) {
        bool is_read = inst->op == IR_OP_LOAD && !inst->is_volatile;
        if (inst->op == IR_OP_GET && inst->var != loop->loop->var &&
            assignment_is_in_region(&loop->regions[0], inst->var)) {
            return true;
        }
        if (inst->op != IR_OP_YIELD && !is_read && !ir_op_is_value(inst->op)) {
            return true;
        }
    }
    return false;
}

bool scan_may_be(const struct scan *s)
{
    const struct ir_for *loop = s->loop->loop;
    if (loop->recheck || loop->pragma_single || loop->pragma_serial || loop->pragma_parallel ||
        loop->map != IR_MAP_ANY || loop->carries || loop->is_fallback || loop->is_search || loop->runs != 0 ||
        !has_known_count(s)) {
        return false;
    }
    WALK (inst, &s->loop->regions[0]) {
        if (!takes_inst(s, inst) || has_open_bound(inst)) {
            return false;
        }
    }
    return true;
}

// A counter of 32 bits that might go all the way round would come to one place twice.
static bool counters_fit(const struct scan *s)
{
    for (int i = 0; i < s->carry_count; i++) {
        const struct scan_carry *carry = &s->carries[i];
        if (carry->is_counter && carry->is_repeated && carry->var->type != IR_I64 && carry->var->is_unsigned) {
            return false;
        }
    }
    return true;
}

// ---- what pays on a CPU --------------------------------------------------------------------------------------------

// An iteration has to wait for what the last one came to for longer than it takes to read and store.
static bool is_slow(const struct scan_carry *carry)
{
    bool is_rounded = carry->merge == IR_UPDATE_ADD || carry->merge == IR_UPDATE_MUL || carry->is_affine;
    return is_rounded && ir_type_is_float(carry->var->type) && !carry->has_reset;
}

// Several runs at a time, which is several iterations that do not wait for each other. They end in another order, so
// that nothing but what they hand on may matter afterwards.
static void find_lanes(struct scan *s)
{
    enum { MOST_CODE = 100 };
    int code = 0;
    bool has_slow = false, is_plain = true;
    for (int i = 0; i < s->carry_count; i++) {
        has_slow |= is_slow(&s->carries[i]);
    }
    WALK (inst, &s->loop->regions[0]) {
        struct ir_var *var = assignment_target(inst);
        is_plain &= var == NULL || scan_carry_of(s, var) != NULL || scalars_is_declared_in(var, s->loop);
        is_plain &= inst->op != IR_OP_UPDATE;
        code++;
    }
    s->has_lanes = has_slow && is_plain && code <= MOST_CODE && !s->is_deep && !s->has_own && !s->module->is_gpu;
}

// Costly iterations are worth a second thread, even where the half of their work is done twice.
static bool is_costly(const struct scan *s)
{
    enum { COSTLY = 24 };
    int64_t cost = 0;
    WALK (inst, &s->loop->regions[0]) {
        cost += cost_of_inst(inst);
    }
    return s->is_deep || cost >= COSTLY || s->module->has_short_strips;
}

// Whether a GPU's team of threads can take a run: iterations combine what they hand on in any grouping, and have
// nothing else in common.
static bool suits_teams(const struct scan *s)
{
    for (int i = 0; i < s->carry_count; i++) {
        const struct scan_carry *carry = &s->carries[i];
        if (carry->merge == IR_UPDATE_NONE || carry->has_reset || carry->is_affine) {
            return false;
        }
    }
    WALK (inst, &s->loop->regions[0]) {
        const struct ir_var *var = assignment_target(inst);
        bool is_own =
            var == NULL || scan_carry_of((struct scan *)s, var) != NULL || scalars_is_declared_in(var, s->loop);
        // What fills an array and is read ahead would be filled a second time behind it.
        bool fills = ir_op_writes(inst->op) && pointer_map_get(&((struct scan *)s)->needed, inst) != NULL;
        if (!is_own || inst->op == IR_OP_UPDATE || fills) {
            return false;
        }
    }
    return s->module->is_gpu && s->has_rest;
}

// Whether the text says that there are too few iterations: the three columns around a cell are not cut into runs.
static bool is_short(const struct scan *s, const struct loop_info *info)
{
    if (info->first == NULL || info->last == NULL) {
        return false;
    }
    struct poly_range way = value_range(s->an, poly_sub(&s->an->pool, info->last, info->first));
    return way.hi / (int64_t)trip_of(s->loop->loop).stride < scan_fewest(s) - 1;
}

bool scan_find(struct scan *s, struct loop_nest **out_nest)
{
    *out_nest = NULL;
    if (!scan_hands_on(s) || !find_needed(s)) {
        return false;
    }
    struct loop_nest *nest = make_nest(s);
    if (nest == NULL || !need_own_memory(s, nest->root)) {
        return false;
    }
    s->own = (struct pointer_map){0};
    s->has_own = false;
    scan_find_own(s, nest->root);
    find_lanes(s);
    if ((s->has_own && !counters_fit(s)) || !settle_bounds(s, nest) || !compare_all(s, nest)) {
        return false;
    }
    s->has_teams = suits_teams(s);
    s->flat = (struct pointer_map){0};
    if (!s->has_teams) {
        scan_find_flat(s);
    }
    if (!s->module->is_gpu && s->has_rest && !s->has_own && !s->has_lanes && !is_costly(s)) {
        return false; // to read everything twice costs a thread or two of a CPU as much as they gain
    }
    if (is_short(s, nest->root)) {
        return false;
    }
    *out_nest = nest;
    return true;
}

// Nests of independent loops taken as one space. A loop that is too short to fill the device leaves most of it idle;
// where the loop inside it is independent too and nothing but values stands between them, an iteration of the task is a
// strip of the inner loop. On a CPU the launch settles how long the strips are, by the trip counts and the device: the
// whole inner loop where the outer one is long enough. So there is one version of the code, and its innermost loop
// still is a loop, and vectorised.
//
// `#pragma rill collapse(k)` takes k loops as one space always; so does a GPU with all it finds, since there
// neighbouring threads should touch neighbouring elements. There the task computes the inner trip counts itself: what
// the host assigns between tasks would keep a launch from being replayed as a graph.
#include "offload/offload.h"

#include "base/vec.h"
#include "ir/assignment.h"
#include "ir/trip.h"
#include "ir/walk.h"

#include <assert.h>

enum {
    STRIP_WORK = 8 * 1024, // operations of a strip
    STRIP_MOST = 1024,     // iterations of a strip
    UNASKED_MOST = 3,      // loops of a nest that a GPU takes without a pragma
    INNER_LEAST = 64,      // an inner loop that is known to be shorter is better left as it is
};

// The marks of a scatter are by iterations of its own loop.
static bool is_independent(const struct ir_for *loop)
{
    return ir_verdict_is_parallel(loop->verdict) && loop->verdict != IR_VERDICT_SCATTER;
}

// Where the device settles how the iterations are cut (|is_flexible|), sums of floats would depend on the device.
static bool sums_floats(const struct loop_facts *facts)
{
    for (int i = 0; i < facts->reduction_count; i++) {
        if (ir_type_is_float(facts->reductions[i].type)) {
            return true;
        }
    }
    return false;
}

static const char *why_not_independent(const struct ir_inst *inst)
{
    const struct loop_facts *facts = inst->loop->analysis;
    if (!is_independent(inst->loop) || facts == NULL) {
        return "its iterations are not independent";
    }
    return inst->loop->recheck ? "its bound is read from memory" : NULL;
}

// Sums and choices are made of the iterations in their order, however they are cut; last values are looked at below.
static const char *why_not_cut(const struct ir_inst *inst, bool is_flexible)
{
    const struct loop_facts *facts = inst->loop->analysis;
    if (is_flexible && sums_floats(facts)) {
        return "it sums floats";
    }
    for (int i = 0; i < inst->loop->role_count; i++) {
        const struct ir_scalar_role *role = &inst->loop->roles[i];
        if (role->var->is_memory) {
            return "memory is private to its iterations";
        }
        if (role->role == IR_ROLE_REDUCTION && is_flexible && ir_type_is_float(role->var->type)) {
            return "it sums floats";
        }
    }
    return NULL;
}

struct assignment {
    const struct ir_var *var;
    const struct ir_inst *innermost;
};

// False at an assignment of the variable that is not in the innermost loop's body.
static bool is_not_outside(struct ir_inst *inst, void *user)
{
    const struct assignment *a = user;
    return assignment_target(inst) != a->var || (inst != a->innermost && walk_is_inside(inst, a->innermost));
}

// The last value is that of the last iteration that wrote one, and the iterations of the nest are numbered as they come
// in the program. That is so only of what the innermost loop's body writes: what stands between the loops is done also
// where the inner one has no iterations, and a loop's variable has another value when the loop has ended.
static bool last_values_are_kept(struct ir_inst *outer, const struct ir_inst *innermost)
{
    for (int i = 0; i < outer->loop->role_count; i++) {
        const struct ir_scalar_role *role = &outer->loop->roles[i];
        struct assignment a = {role->var, innermost};
        if (role->role == IR_ROLE_LAST_VALUE && !walk_inst(outer, is_not_outside, &a)) {
            return false;
        }
    }
    return true;
}

// An update that two iterations of an inner loop share is atomic, or a reduction, only if two of the outermost loop
// share it too: that is the loop by which it was decided.
static bool shares_as_outer(const struct ir_inst *outer, const struct ir_inst *inner)
{
    const struct loop_facts *facts = inner->loop->analysis;
    for (int i = 0; i < facts->shared_count; i++) {
        if (facts->shared[i]->op == IR_OP_CALL || !facts_is_shared(outer, facts->shared[i])) {
            return false;
        }
    }
    return true;
}

// The loop inside |outer| that, with values before it, is all of its body.
static struct ir_inst *inner_of(const struct ir_inst *outer)
{
    struct ir_inst *inner = NULL;
    for (struct ir_inst *inst = outer->regions[0].first; inst != NULL; inst = inst->next) {
        bool is_value = ir_op_is_value(inst->op);
        if (inst->op == IR_OP_FOR && inner == NULL) {
            inner = inst;
        } else if (!is_value && !(inst->op == IR_OP_SET && inner == NULL)) {
            return NULL;
        }
    }
    return inner;
}

// The trip count of a loop inside |outer| as it is known where |outer| begins; NULL: it is not.
static struct plan_expr *trip_at(struct offload *o, const struct ir_inst *loop, struct ir_inst *outer)
{
    struct plan_expr *trip = offload_trip(o, loop);
    if (trip->args[0] == NULL || trip->args[1] == NULL) {
        return NULL;
    }
    trip = substitute_variables(o, trip, outer);
    return trip != NULL && walk_inst(outer, substitute_is_unassigned, trip) ? trip : NULL;
}

// Whether code of the task can compute it: see outline_nest.c.
static bool is_computable(const struct offload *o, const struct plan_expr *expr)
{
    bool is_leaf = expr->kind == PLAN_EXPR_CONST || expr->kind == PLAN_EXPR_VAR ||
                   (expr->kind == PLAN_EXPR_PARAM && !o->out->params[expr->index].is_struct);
    if (!is_leaf && expr->kind != PLAN_EXPR_OP && expr->kind != PLAN_EXPR_TRIP) {
        return false;
    }
    for (int i = 0; i < expr->arg_count; i++) {
        if (!is_computable(o, expr->args[i])) {
            return false;
        }
    }
    return true;
}

// How many iterations of the innermost loop are a strip.
static int64_t strip_of(const struct offload *o, const struct ir_inst *innermost)
{
    const struct loop_facts *facts = innermost->loop->analysis;
    int64_t cost;
    if (o->module->is_gpu || !plan_expr_is_const(facts->cost, &cost) || cost > STRIP_WORK) {
        return 1;
    }
    int64_t strip = o->module->has_short_strips ? 4 : STRIP_MOST;
    while (strip > 1 && strip * cost > STRIP_WORK) {
        strip /= 2;
    }
    return strip;
}

// What may fail says in which iteration, and that must not depend on the device.
static bool may_cut(struct offload *o, struct ir_inst *outer, const struct nest *nest, const char **out_why)
{
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(outer, fragment_note_flags, &flags);
    uint64_t trips;
    bool is_short = trip_is_known(nest->loops[1], &trips) && trips < INNER_LEAST;
    *out_why = flags.may_fail ? "an assertion or a check in it may fail" : is_short ? "it has few iterations" : NULL;
    return *out_why == NULL;
}

static bool is_no_loop(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_FOR && inst->op != IR_OP_LOOP && inst->op != IR_OP_CFG;
}

static const char *why_no_inner(const struct ir_inst *outer)
{
    return walk_region(&outer->regions[0], is_no_loop, NULL) ? "there is no loop in the body"
                                                             : "something else stands in it beside the inner loop";
}

// ---- loops
// ---------------------------------------------------------------------------------------------------------

static int count_rows(const struct nest *nest)
{
    int count = 0;
    for (int i = 1; i < nest->count; i++) {
        count += nest->has_rows[i];
    }
    return count;
}

struct inner_trip {
    struct plan_expr *expr; // NULL: not known
    bool has_rows;          // it is that of the longest row, if all of these hold
    struct plan_condition *conditions;
    int condition_count;
};

static struct inner_trip trip_in(struct offload *o, const struct nest *nest, const struct ir_inst *inner)
{
    struct ir_inst *outer = nest->loops[0];
    struct inner_trip trip = {.expr = trip_at(o, inner, outer)};
    if (trip.expr != NULL && (nest->is_flexible || is_computable(o, trip.expr))) {
        return trip;
    }
    // A triangle is half of the square that is taken as one space. On a CPU threads take rows as they come. A pyramid
    // is a sixth of its cube: there the loop inside the triangle is left to the threads.
    trip.expr = NULL;
    if (o->module->is_gpu && (outer->loop->collapse > 0 || count_rows(nest) == 0)) {
        trip.has_rows = true;
        trip.expr = facts_most_trips_at(inner, outer, &trip.conditions, &trip.condition_count);
    }
    trip.expr = trip.expr != NULL && is_computable(o, trip.expr) ? trip.expr : NULL;
    return trip;
}

// Takes one more loop in; else says why not.
static const char *add_inner(struct offload *o, struct nest *nest)
{
    struct ir_inst *outer = nest->loops[0];
    struct ir_inst *inner = inner_of(nest->loops[nest->count - 1]);
    if (inner == NULL) {
        return why_no_inner(nest->loops[nest->count - 1]);
    }
    const char *why = why_not_independent(inner);
    why = why != NULL ? why : why_not_cut(inner, nest->is_flexible);
    if (why != NULL) {
        return why;
    }
    if (!shares_as_outer(outer, inner)) {
        return "the inner loop's iterations update the same memory";
    }
    struct inner_trip trip = trip_in(o, nest, inner);
    if (trip.expr == NULL) {
        return "the inner loop's trip count changes in it";
    }
    if (!last_values_are_kept(outer, inner)) {
        return "a scalar keeps a value that is not the innermost loop's";
    }
    why = nest_take_tests(o, nest, inner, trip.conditions, trip.condition_count);
    if (why != NULL) {
        return why;
    }
    nest->has_rows[nest->count] = trip.has_rows;
    nest->trips[nest->count] = trip.expr;
    nest->order[nest->count] = nest->count;
    nest->loops[nest->count++] = inner;
    return NULL;
}

// ---- neighbours
// ----------------------------------------------------------------------------------------------------

// Whether it does not matter in which order the iterations are numbered: nothing is kept or told by number.
static bool may_reorder(struct offload *o, struct ir_inst *outer)
{
    const struct loop_facts *facts = outer->loop->analysis;
    struct fragment_flags flags = {.check_bounds = o->module->check_bounds};
    walk_inst(outer, fragment_note_flags, &flags);
    for (int i = 0; i < outer->loop->role_count; i++) {
        enum ir_role role = outer->loop->roles[i].role;
        flags.may_fail |= role != IR_ROLE_PRIVATE;
    }
    return !flags.may_fail && !flags.may_print && facts->reduction_count == 0;
}

// Neighbouring threads should touch neighbouring elements: the loop of which the fewest accesses are far apart gets the
// number that changes with each thread.
static void choose_order(struct offload *o, struct nest *nest)
{
    int last = nest->count - 1, best = last;
    int64_t least = facts_far_accesses(nest->loops[0], nest->loops[last], nest->loops[last]);
    for (int i = last - 1; i >= 0 && least > 0; i--) {
        int64_t trips;
        struct plan_expr *trip = i > 0 ? nest->trips[i] : trip_at(o, nest->loops[0], nest->loops[0]);
        bool is_short =
            trip == NULL || !is_computable(o, trip) || (plan_expr_is_const(trip, &trips) && trips < INNER_LEAST);
        int64_t far = is_short ? least : facts_far_accesses(nest->loops[0], nest->loops[last], nest->loops[i]);
        if (far < least && may_reorder(o, nest->loops[0])) {
            nest->trips[i] = trip;
            best = i;
            least = far;
        }
    }
    for (int k = best; k < last; k++) {
        nest->order[k] = k + 1;
    }
    nest->order[last] = best;
}

static bool find(struct offload *o, struct ir_inst *outer, struct nest *out, const char **out_why)
{
    bool is_one = outer->loop->map == IR_MAP_OUTER || outer->loop->map == IR_MAP_TWO_LEVEL;
    int asked = is_one ? 1 : outer->loop->collapse;
    bool is_watched = races_has_trusted(o, outer); // iterations have the numbers of the loops that are watched
    int wanted = asked > 0 ? asked : o->module->is_gpu ? UNASKED_MOST : 2;
    *out = (struct nest){.count = 1, .strip = 1, .is_flexible = asked == 0 && !o->module->is_gpu && !is_watched};
    out->loops[0] = outer;
    const struct loop_facts *facts = outer->loop->analysis;
    out->conditions = facts->conditions;
    out->condition_count = facts->condition_count;
    out->pairs = facts->pairs;
    out->pair_count = facts->pair_count;
    const char *why = why_not_independent(outer);
    why = why != NULL ? why : why_not_cut(outer, out->is_flexible);
    while (why == NULL && out->count < wanted && out->count < NEST_MOST) {
        const struct ir_inst *inner = inner_of(out->loops[out->count - 1]);
        bool is_proven = is_watched && asked == 0 && inner != NULL && !races_is_trusted(o, inner);
        why = is_proven ? "it needs no watching" : add_inner(o, out);
    }
    *out_why = why;
    if (out->count < 2 || (asked > 0 && out->count < wanted)) {
        return false;
    }
    out->strip = is_watched ? 1 : strip_of(o, out->loops[out->count - 1]);
    if (o->module->is_gpu) {
        choose_order(o, out);
    }
    return !out->is_flexible || may_cut(o, outer, out, out_why);
}

struct nest *nest_of(struct offload *o, struct ir_inst *outer)
{
    assert(outer->op == IR_OP_FOR && outer->loop->analysis != NULL);
    struct offload_note *note = offload_note(o, outer);
    if (note->nest == NULL) {
        note->nest = ARENA_NEW(o->arena, struct nest);
        note->nest->is_found = find(o, outer, note->nest, &note->nest->why_not);
    }
    return note->nest;
}

static bool find_of_chosen(struct ir_inst *inst, void *user)
{
    struct offload *o = user;
    if (inst->op == IR_OP_FOR && offload_note(o, inst)->is_chosen) {
        nest_of(o, inst);
    }
    return true;
}

void nests_find(struct offload *o)
{
    walk_region(&o->kernel->body, find_of_chosen, o);
}

// ---- the plan
// ------------------------------------------------------------------------------------------------------

static struct plan_expr *op(struct offload *o, enum ir_op op, struct plan_expr *a, struct plan_expr *b)
{
    bool is_compare = op == IR_OP_SLT || op == IR_OP_SGE || op == IR_OP_EQ;
    return plan_op(o->arena, op, is_compare ? IR_I1 : IR_I64, IR_I64, a, b);
}

static struct plan_expr *number(struct offload *o, int64_t value)
{
    return plan_const(o->arena, IR_I64, value);
}

static struct plan_expr *strips_of(struct offload *o, const struct nest *nest)
{
    struct plan_expr *trip = nest->trips[nest->count - 1];
    if (nest->strip == 1) {
        return trip;
    }
    return op(o, IR_OP_SDIV, op(o, IR_OP_ADD, trip, number(o, nest->strip - 1)), number(o, nest->strip));
}

// More iterations than 63 bits count. Floats are near enough, and do not overflow themselves.
static struct plan_expr *is_too_long(struct offload *o, const struct nest *nest)
{
    struct plan_expr *product = NULL;
    for (int i = 0; i < nest->count; i++) {
        struct plan_expr *trip = i == 0 ? offload_trip(o, nest->loops[0]) : nest->trips[i];
        trip = plan_op(o->arena, IR_OP_SITOFP, IR_F64, IR_I64, trip, NULL);
        product = product == NULL ? trip : plan_op(o->arena, IR_OP_FMUL, IR_F64, IR_F64, product, trip);
    }
    struct plan_expr *most = plan_op(o->arena, IR_OP_SITOFP, IR_F64, IR_I64, number(o, INT64_C(1) << 62), NULL);
    return plan_op(o->arena, IR_OP_FGT, IR_I1, IR_F64, product, most);
}

// Whether the outer loop alone is the task: it fills the device, or there are too many iterations to count.
static struct plan_expr *outer_will_do(struct offload *o, const struct nest *nest)
{
    struct plan_expr *fills = op(o, IR_OP_SGE, offload_trip(o, nest->loops[0]), offload_width(o));
    return plan_op(o->arena, IR_OP_OR, IR_I1, IR_I1, fills, is_too_long(o, nest));
}

static struct ir_var *add_var(struct offload *o, const char *name)
{
    return ir_var_create(o->module, o->kernel, arena_printf(o->arena, ".%s%d", name, o->tasks.count), IR_I64);
}

void nest_settle(struct offload *o, struct nest *nest, struct plan_node *parent)
{
    assert(nest->is_found && nest->count >= 2 && nest->count <= NEST_MOST);
    assert(nest->strip_count == NULL); // settled once
    struct loc loc = nest->loops[0]->loc;
    if (!nest->is_flexible) {
        return;
    }
    struct plan_expr *one = number(o, 1);
    nest->trip_count = add_var(o, "trips");
    nest->strip_count = add_var(o, "strips");
    nest->strip_size = add_var(o, "strip");
    offload_assign(o, parent, nest->trip_count, nest->trips[1], loc);
    offload_assign(o, parent, nest->strip_count, plan_select(o->arena, outer_will_do(o, nest), one, strips_of(o, nest)),
                   loc);
    struct plan_expr *is_whole = op(o, IR_OP_EQ, offload_var(o, nest->strip_count), one);
    offload_assign(o, parent, nest->strip_size,
                   plan_select(o->arena, is_whole, offload_var(o, nest->trip_count), number(o, nest->strip)), loc);
}

// The product of the trip counts, the last in strips. More iterations than 63 bits count never end anyway.
struct plan_expr *nest_trip(struct offload *o, const struct nest *nest)
{
    assert(nest->is_found && nest->is_flexible == (nest->strip_count != NULL));
    struct plan_expr *trip = offload_trip(o, nest->loops[0]);
    if (nest->is_flexible) {
        return op(o, IR_OP_MUL, trip, offload_var(o, nest->strip_count));
    }
    for (int i = 1; i < nest->count - 1; i++) {
        trip = op(o, IR_OP_MUL, trip, nest->trips[i]);
    }
    return plan_select(o->arena, is_too_long(o, nest), number(o, INT64_MAX),
                       op(o, IR_OP_MUL, trip, strips_of(o, nest)));
}

// Of one strip.
struct plan_expr *nest_digit_trip(struct offload *o, const struct nest *nest, int digit)
{
    assert(0 <= digit && digit < nest->count);
    int loop = nest->order[digit];
    if (nest->is_flexible || nest->strip > 1) {
        return NULL;
    }
    return loop == 0 ? offload_trip(o, nest->loops[0]) : nest->trips[loop];
}

struct plan_expr *nest_cost(struct offload *o, const struct nest *nest)
{
    const struct loop_facts *outer = nest->loops[0]->loop->analysis;
    struct plan_expr *cost = outer->cost;
    if (nest->is_flexible) {
        return op(o, IR_OP_SDIV, cost, offload_var(o, nest->strip_count));
    }
    for (int i = 1; i < nest->count - 1; i++) {
        cost = op(o, IR_OP_SDIV, cost, nest->trips[i]); // what divides by 0 never runs
    }
    return op(o, IR_OP_SDIV, cost, strips_of(o, nest));
}

const char *nest_words(struct offload *o, const struct nest *nest)
{
    struct str text;
    str_init(&text, o->arena);
    for (int i = 1; i < nest->count; i++) {
        if (nest->has_rows[i]) {
            str_printf(&text, "%sthe loop in line %u counts for its longest row", text.length > 0 ? ", " : "",
                       nest->loops[i]->loc.line);
        }
    }
    if (nest->order[0] != 0 || nest->order[nest->count - 1] != nest->count - 1) {
        str_printf(&text, "%sneighbouring threads differ in the loop in line %u", text.length > 0 ? ", " : "",
                   nest->loops[nest->order[nest->count - 1]]->loc.line);
    }
    return text.length > 0 ? str_text(&text) : NULL;
}

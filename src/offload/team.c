// Two-level tasks on a GPU. A task whose iterations hold loops (the rows of a matrix, of a table, of a batch) has few
// iterations for a device of a hundred thousand threads, and threads that walk through rows of their own touch places
// far apart. So a team of threads, a warp, takes each iteration: what stands outside of the inner loops is done by all
// of them alike, or by the first where it writes; the inner loops are dealt out, iteration by iteration, which is
// lawful where they are independent or accumulate; and what they accumulated is merged in an order that the trip counts
// alone decide.
//
// Here it is found out which loops these are and what the launch must test for it; outline_team.c writes them as the
// code generator wants them (codegen/emit_team.c).
#include "offload/team.h"

#include "base/vec.h"
#include "ir/lists.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "plan/abi.h"

#include <assert.h>

enum {
    FILLS_GPU = 1 << 16,     // iterations that fill a device with one thread each
    WORK_LEAST = 1000,       // operations of an iteration that are worth a team
    TRIPS_LEAST = 32,        // iterations of the longest of its loops
    WORK_LEAST_TESTED = 300, // in tests, which have small ones
    TRIPS_LEAST_TESTED = 8,
    REDUCTIONS_MOST = 16, // of one loop
};

static const int64_t ANY_NUMBER = INT64_C(1) << 40;

struct search {
    struct offload *o;
    struct ir_inst *outer;
    struct team *team;
    VEC(struct ir_inst *) loops;
    VEC(struct ir_var *) locals;
    uint64_t local_size;         // of one team's copies
    const struct ir_inst *lists; // the loop that appends to lists
    bool by_word;                // the task is one by the author's word
};

// ---- loops that can be spread -------------------------------------------------------------------------------------

// Whether values of the update may be accumulated apart from x, in any order.
static bool accumulates(enum ir_update update, enum ir_type type)
{
    union ir_value identity;
    return !ir_update_is_ordered(update) && ir_update_merge(update) != IR_UPDATE_NONE &&
           ir_update_identity(update, type, &identity);
}

static bool has_good_roles(const struct ir_for *loop)
{
    int count = 0;
    for (int i = 0; i < loop->role_count; i++) {
        const struct ir_scalar_role *role = &loop->roles[i];
        bool is_sum = role->role == IR_ROLE_REDUCTION && accumulates(role->update, role->var->type);
        bool is_good =
            role->role == IR_ROLE_PRIVATE || is_sum || (role->role == IR_ROLE_LAST_VALUE && role->always_written);
        count += is_sum;
        if (role->var->is_memory || !is_good) {
            return false;
        }
    }
    return count <= REDUCTIONS_MOST;
}

static bool is_reduced(const struct loop_facts *facts, const struct ir_inst *update)
{
    for (int i = 0; i < facts->reduction_count; i++) {
        for (int k = 0; k < facts->reductions[i].update_count; k++) {
            if (facts->reductions[i].updates[k].inst == update) {
                return true;
            }
        }
    }
    return false;
}

// The local that an access touches, of which each thread has one for itself. False: it is not known whether it is one.
static bool find_local(const struct ir_inst *access, const struct ir_var **out_local)
{
    const struct ir_inst *root = address_root(access->args[0]);
    enum base_kind kind = base_kind(access->base);
    *out_local = root->op == IR_OP_ADDR_VAR ? root->var : NULL;
    return *out_local != NULL || root->op == IR_OP_PARAM || root->op == IR_OP_ADDR_GLOBAL || kind == BASE_PARAM ||
           kind == BASE_GLOBAL;
}

// Whether updates that iterations of |inner| share are accumulated, or atomic since those of the task share them too.
static bool has_good_updates(const struct ir_inst *outer, const struct ir_inst *inner)
{
    const struct loop_facts *facts = inner->loop->analysis;
    for (int i = 0; i < facts->reduction_count; i++) {
        const struct memory_reduction *reduction = &facts->reductions[i];
        bool is_good = accumulates(reduction->update, reduction->type);
        bool is_certain = false;
        for (int k = 0; k < reduction->update_count; k++) {
            is_good &= reduction->updates[k].context == NULL;
            is_certain |= reduction->updates[k].inst->parent == &inner->regions[0];
        }
        // Where one thread runs the task it sums as the source does, which it can where it may load the sum before.
        is_good &= is_certain || !ir_type_is_float(reduction->type) || reduction->is_atomic;
        if (!is_good) {
            return false;
        }
    }
    for (int i = 0; i < facts->shared_count; i++) {
        const struct ir_inst *update = facts->shared[i];
        const struct ir_var *local;
        bool is_local = update->op == IR_OP_UPDATE && find_local(update, &local) && local != NULL;
        if (!is_reduced(facts, update) &&
            (update->op == IR_OP_CALL || (!is_local && !facts_is_shared(outer, update)))) {
            return false;
        }
    }
    return facts->reduction_count <= REDUCTIONS_MOST;
}

static bool prints(const struct ir_function *helper)
{
    WALK (inst, &helper->body) {
        if (inst->op == IR_OP_PRINT || inst->op == IR_OP_CALL) {
            return true;
        }
    }
    return false;
}

// A helper that is given no local, and so touches what all threads see.
static bool may_call(const struct ir_inst *call)
{
    for (int i = 0; i < call->arg_count; i++) {
        const struct ir_inst *root = address_root(call->args[i]);
        if (call->args[i]->type == IR_PTR && root->op != IR_OP_PARAM && root->op != IR_OP_ADDR_GLOBAL) {
            return false;
        }
    }
    return !call->function->may_fail && !prints(call->function);
}

// ---- locals that a team shares --------------------------------------------------------------------------------------

bool team_has_local(const struct team *team, const struct ir_var *var)
{
    for (int i = 0; team != NULL && i < team->local_count; i++) {
        if (team->locals[i]->index == var->index) {
            return true;
        }
    }
    return false;
}

// The local becomes one that all threads of a team see; false: there is no room for it, or nobody can tell what is
// done with it.
static bool share_local(struct search *search, struct ir_var *local, const struct ir_inst *inner)
{
    bool is_of_task = local->is_memory && local->scope != NULL && walk_is_inside(local->scope, search->outer) &&
                      !walk_is_inside(local->scope, inner);
    for (int i = 0; i < search->locals.count; i++) {
        if (search->locals.items[i] == local) {
            return true;
        }
    }
    uint64_t size = (local->size + 7) / 8 * 8;
    if (!is_of_task || local->size > ABI_GPU_TEAM_LOCALS || search->local_size + size > ABI_GPU_TEAM_LOCALS) {
        return false;
    }
    search->local_size += size;
    VEC_PUSH(search->o->arena, &search->locals, local);
    return true;
}

// Updates of it by several threads are atomic in the memory of a block.
static bool may_update_local(const struct ir_inst *inst)
{
    bool is_wide = inst->type == IR_I32 || inst->type == IR_I64;
    return inst->op == IR_OP_STORE ||
           (inst->op == IR_OP_UPDATE && is_wide && ir_update_gathers(inst->update, inst->type));
}

// Whether |inst|, in the loop |inner|, may be done by one thread of a team alone. What is local to the task is there
// once for each thread, unless one of these loops writes it for the others.
static bool may_be_spread(struct search *search, const struct ir_inst *inst, const struct ir_inst *inner)
{
    if (inst->op == IR_OP_CALL) {
        return may_call(inst);
    }
    if (inst->op == IR_OP_PRINT || inst->op == IR_OP_RETURN || inst->op == IR_OP_BLOCKS || inst->is_volatile ||
        ir_may_fail(inst, false)) {
        return false;
    }
    if (ir_op_accesses(inst->op) && ir_op_writes(inst->op) && !is_reduced(inner->loop->analysis, inst)) {
        const struct ir_var *local;
        if (!find_local(inst, &local)) {
            return false;
        }
        bool is_own = local == NULL || (local->scope != NULL && walk_is_inside(local->scope, inner));
        return is_own || (may_update_local(inst) && share_local(search, (struct ir_var *)local, inner));
    }
    return true;
}

static bool has_good_body(struct search *search, const struct ir_inst *inner)
{
    WALK (inst, &inner->regions[0]) {
        if (!may_be_spread(search, inst, inner)) {
            return false;
        }
    }
    return true;
}

// What the author says runs in any order is not put in order by a test, but for lists and running values.
static bool take_tests(struct search *search, const struct ir_inst *inner)
{
    struct nest tests = search->team->tests;
    if (nest_take_tests(search->o, &tests, inner, NULL, 0) != NULL) {
        return false;
    }
    bool has_pairs = tests.pair_count > search->team->tests.pair_count;
    if (search->by_word && has_pairs && inner->loop->scan < IR_SCAN_LISTS) {
        return false;
    }
    search->team->tests = tests;
    return true;
}

// A loop that appends to lists, all of whose counters a team has room for twice: see codegen/emit_lists.c.
static bool suits_lists(struct search *search, const struct ir_inst *inner)
{
    struct lists lists;
    uint64_t size = lists_find(inner, &lists) ? lists.counters->size : 0;
    if (search->lists == inner) {
        return true;
    }
    if (size == 0 || search->lists != NULL || search->local_size + size > ABI_GPU_TEAM_LOCALS ||
        !share_local(search, lists.counters, inner)) {
        return false;
    }
    search->local_size += (size + 7) / 8 * 8;
    search->lists = inner;
    return true;
}

static bool can_spread(struct search *search, const struct ir_inst *inner)
{
    const struct ir_for *loop = inner->loop;
    const struct loop_facts *facts = loop->analysis, *around = search->outer->loop->analysis;
    if (loop->scan == IR_SCAN_HANDS_ON) {
        return facts != NULL && facts->analysis == around->analysis && has_good_roles(loop) &&
               has_good_body(search, inner);
    }
    if (loop->scan == IR_SCAN_RUNNING) {
        return facts != NULL && facts->analysis == around->analysis && has_good_body(search, inner);
    }
    if (loop->scan == IR_SCAN_LISTS) {
        return facts != NULL && facts->analysis == around->analysis && loop->role_count == 0 &&
               has_good_body(search, inner) && suits_lists(search, inner);
    }
    bool is_independent = loop->verdict == IR_VERDICT_PROVEN || loop->verdict == IR_VERDICT_IF ||
                          (loop->verdict == IR_VERDICT_PRAGMA && !search->o->module->check_races);
    return is_independent && facts != NULL && facts->analysis == around->analysis && !loop->pragma_single &&
           !facts_has_few_iterations(inner) && has_good_roles(loop) && has_good_updates(search->outer, inner) &&
           has_good_body(search, inner);
}

// Of two loops inside each other, both of which can be spread, the one whose neighbours touch neighbouring places.
static bool is_nearer(const struct search *search, const struct ir_inst *a, const struct ir_inst *b)
{
    return facts_far_accesses(search->outer, search->outer, a) < facts_far_accesses(search->outer, search->outer, b);
}

// The loop that is the body of |loop|, but for values.
static struct ir_inst *only_loop(const struct ir_inst *loop)
{
    struct ir_inst *found = NULL;
    for (struct ir_inst *inst = loop->regions[0].first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && found == NULL) {
            found = inst;
        } else if (!ir_op_is_value(inst->op)) {
            return NULL;
        }
    }
    return found;
}

static bool spread(struct search *search, struct ir_inst *inner)
{
    if (!can_spread(search, inner)) {
        return false;
    }
    const struct ir_inst *below = only_loop(inner);
    if (below != NULL && can_spread(search, below) && is_nearer(search, below, inner)) {
        return false; // it is met next
    }
    if (inner->loop->scan != IR_SCAN_HANDS_ON && !take_tests(search, inner)) {
        return false; // the launch has tested what a scan needs
    }
    VEC_PUSH(search->o->arena, &search->loops, inner);
    return true;
}

// ---- the rest of the iteration --------------------------------------------------------------------------------------

static bool is_written(const struct ir_inst *outer, int base)
{
    WALK (inst, &outer->regions[0]) {
        bool is_write = ir_op_writes(inst->op);
        if (is_write && (!ir_op_accesses(inst->op) || inst->base == base || base_kind(inst->base) == BASE_UNKNOWN)) {
            return true;
        }
    }
    return false;
}

// By the author's word iterations may read what others write meanwhile, and threads of a team would see different
// values, and go different ways.
static bool sees_the_same(const struct search *search, const struct ir_inst *inst)
{
    const struct ir_var *local;
    if (!search->by_word || !ir_op_reads(inst->op) || !ir_op_accesses(inst->op)) {
        return true;
    }
    return find_local(inst, &local) && (local != NULL || (inst->base != 0 && !is_written(search->outer, inst->base)));
}

// Whether all threads of a team may do |inst| alike, or the first for all. What others update meanwhile they would not
// see alike.
static bool may_be_alike(const struct ir_inst *inst)
{
    if (inst->op == IR_OP_CALL || inst->op == IR_OP_PRINT || inst->op == IR_OP_RETURN || inst->op == IR_OP_BLOCKS ||
        inst->is_volatile || ir_may_fail(inst, false) || (inst->op == IR_OP_LOAD && inst->atomic)) {
        return false;
    }
    if (ir_op_accesses(inst->op) && ir_op_writes(inst->op)) {
        const struct ir_var *local;
        return !ir_has_result(inst) && find_local(inst, &local);
    }
    return true;
}

static bool look_at_region(struct search *search, const struct ir_region *region);

// A loop that cannot be spread runs in every thread: that is lost work unless most of it is a loop inside that can.
static bool look_at_loop(struct search *search, struct ir_inst *loop)
{
    int before = search->loops.count;
    for (int i = 0; i < loop->region_count; i++) {
        if (!look_at_region(search, &loop->regions[i])) {
            return false;
        }
    }
    return search->loops.count > before || (loop->op == IR_OP_FOR && facts_has_few_iterations(loop));
}

static bool look_at_region(struct search *search, const struct ir_region *region)
{
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && spread(search, inst)) {
            continue;
        }
        if (!may_be_alike(inst) || !sees_the_same(search, inst)) {
            return false;
        }
        if (ir_op_repeats(inst->op)) {
            if (!look_at_loop(search, inst)) {
                return false;
            }
            continue;
        }
        for (int i = 0; i < inst->region_count; i++) {
            if (!look_at_region(search, &inst->regions[i])) {
                return false;
            }
        }
    }
    return true;
}

// ---- when it pays -------------------------------------------------------------------------------------------------

static bool is_of_arguments(const struct plan_expr *expr)
{
    for (int i = 0; i < expr->arg_count; i++) {
        if (!is_of_arguments(expr->args[i])) {
            return false;
        }
    }
    return expr->arg_count > 0 || expr->kind == PLAN_EXPR_CONST || expr->kind == PLAN_EXPR_PARAM;
}

// Whether the value is so much; NULL: the arguments do not tell.
static struct plan_expr *at_least(struct search *search, struct plan_expr *value, int64_t least)
{
    struct offload *o = search->o;
    value = value != NULL ? substitute_variables(o, value, search->outer) : NULL;
    if (value == NULL || !is_of_arguments(value) || !plan_expr_has_code(value)) {
        return NULL;
    }
    return plan_op(o->arena, IR_OP_SGE, IR_I1, IR_I64, value, plan_const(o->arena, IR_I64, least));
}

// Iterations of the task up to which teams are better than a thread for each: by what is known of the arguments alone,
// since the sums' bits follow from it. Rows whose elements neighbours of one iteration share, and those of neighbouring
// iterations do not, are read faster by teams however many there are.
static struct plan_expr *limit_of(struct search *search)
{
    struct offload *o = search->o;
    int64_t far_inside = 0;
    struct plan_expr *work = plan_const(o->arena, IR_I64, 0);
    struct plan_expr *trips = work;
    bool is_scan = false;
    for (int i = 0; i < search->loops.count; i++) {
        const struct ir_inst *loop = search->loops.items[i];
        is_scan |= loop->loop->scan == IR_SCAN_AHEAD || loop->loop->scan == IR_SCAN_HANDS_ON;
        far_inside += facts_far_accesses(search->outer, search->outer, loop);
        work = plan_op(o->arena, IR_OP_ADD, IR_I64, IR_I64, work, facts_work_inside(o->kernel, search->outer, loop));
        trips =
            plan_op(o->arena, IR_OP_SMAX, IR_I64, IR_I64, trips, facts_trips_inside(o->kernel, search->outer, loop));
    }
    int64_t far_outside = facts_far_accesses(search->outer, search->outer, search->outer);
    bool is_row = far_inside < far_outside;
    search->team->is_column = far_inside > far_outside && !is_scan && search->locals.count == 0;
    if (is_scan) { // its runs are cut for teams
        return plan_const(o->arena, IR_I64, ANY_NUMBER);
    }
    struct plan_expr *fills = plan_const(o->arena, IR_I64, FILLS_GPU);
    bool is_tested = o->module->has_short_strips;
    struct plan_expr *pays =
        plan_op(o->arena, IR_OP_AND, IR_I1, IR_I1, at_least(search, work, is_tested ? WORK_LEAST_TESTED : WORK_LEAST),
                at_least(search, trips, is_tested ? TRIPS_LEAST_TESTED : TRIPS_LEAST));
    if (pays == NULL) {
        return fills;
    }
    struct plan_expr *most = is_row ? plan_const(o->arena, IR_I64, ANY_NUMBER) : fills;
    return plan_select(o->arena, pays, most, plan_const(o->arena, IR_I64, 0));
}

// Whether the task has nothing that is merged over all its iterations, as far as that is known before slots are given
// out: see outline_team.c.
static bool accumulates_nothing(const struct ir_inst *outer)
{
    const struct loop_facts *facts = outer->loop->analysis;
    bool has_none = facts->reduction_count == 0;
    for (int i = 0; i < outer->loop->role_count; i++) {
        enum ir_role role = outer->loop->roles[i].role;
        has_none &= role == IR_ROLE_PRIVATE || role == IR_ROLE_LAST_VALUE;
    }
    return has_none;
}

static void find(struct offload *o, struct ir_inst *outer, struct team *team)
{
    const struct loop_facts *facts = outer->loop->analysis;
    enum ir_verdict verdict = outer->loop->verdict;
    bool by_word = verdict == IR_VERDICT_PRAGMA && !o->module->check_races;
    bool is_independent = verdict == IR_VERDICT_PROVEN || verdict == IR_VERDICT_IF || by_word;
    if (!o->module->is_gpu || o->module->check_bounds || facts == NULL || !is_independent ||
        nest_of(o, outer)->is_found || outer->loop->block_dim > 0 || outer->loop->map == IR_MAP_OUTER ||
        !accumulates_nothing(outer)) {
        return;
    }
    struct search search = {.o = o, .outer = outer, .team = team, .by_word = by_word};
    team->tests = (struct nest){.count = 1,
                                .strip = 1,
                                .conditions = facts->conditions,
                                .condition_count = facts->condition_count,
                                .pairs = facts->pairs,
                                .pair_count = facts->pair_count};
    team->tests.loops[0] = outer;
    if (!look_at_region(&search, &outer->regions[0]) || search.loops.count == 0) {
        return;
    }
    team->loops = search.loops.items;
    team->loop_count = search.loops.count;
    team->locals = search.locals.items;
    team->local_count = search.locals.count;
    team->limit = limit_of(&search);
    if (outer->loop->map == IR_MAP_TWO_LEVEL) {
        team->limit = plan_const(o->arena, IR_I64, ANY_NUMBER);
    }
    team->is_found = true;
}

const struct team *team_of(struct offload *o, struct ir_inst *outer)
{
    assert(outer->op == IR_OP_FOR && outer->loop->analysis != NULL);
    struct offload_note *note = offload_note(o, outer);
    if (note->team == NULL) {
        note->team = ARENA_NEW(o->arena, struct team);
        find(o, outer, note->team);
    }
    return note->team;
}

bool team_spreads(const struct team *team, const struct ir_inst *loop)
{
    for (int i = 0; team != NULL && i < team->loop_count; i++) {
        if (team->loops[i] == loop) {
            return true;
        }
    }
    return false;
}

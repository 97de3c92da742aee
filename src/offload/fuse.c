// Fusion: consecutive loops of one group over the same space become one task, if no iteration of a later one conflicts
// with another iteration of an earlier one. Then each iteration does what all of them do to it, one after the other:
// what is written by one loop and read by the next stays in registers and cache, and a GPU has one launch where it had
// many.
//
// The analysis itself decides whether that is correct: in a copy of the kernel the loops are put together, and if
// the analysis proves the iterations of that one loop independent, nothing that it does in two of them has an order.
// What it may not rely on is checked here before: scalars that go from one loop to the next, what the loops say to the
// outside (asserts, checks, printf), atomics of the author's, and arguments that would have to be disjoint although
// none of the loops needs that by itself.
//
// The kernel keeps its loops: they are what runs in order if arguments overlap, or whole if the loop around is small.
#include "offload/fuse.h"

#include "base/vec.h"
#include "ir/assignment.h"
#include "ir/points_to.h"
#include "ir/walk.h"
#include "passes/atomics.h"

#include <assert.h>
#include <string.h>

// Beyond these a fused loop gains little: LLVM spills, and a core follows no more streams of memory than about these.
enum {
    FUSE_MAX_INSTRUCTIONS = 800,
    FUSE_MAX_ARRAYS = 10,
    FUSE_MAX_LOOPS = 64,
    FUSE_MAX_ROUNDS = 5,      // copies of the kernel that are analysed
    FUSE_MAX_KERNEL = 100000, // instructions of a kernel that is copied
};

struct fuser {
    struct offload *o;
    VEC(struct fusion) runs;
    bool has_calls;
    bool is_too_large;
};

// ---- what a loop does
// ------------------------------------------------------------------------------------------------

struct summary {
    bool has_volatile;
    bool has_inner;
    int count;
};

static bool sum_up(struct ir_inst *inst, void *user)
{
    struct summary *summary = user;
    summary->count++;
    summary->has_volatile |= inst->is_volatile;
    summary->has_inner |= inst->op == IR_OP_LOOP || inst->op == IR_OP_FOR;
    return true;
}

static struct summary summary_of(struct ir_inst *loop)
{
    struct summary summary = {.count = 0};
    walk_region(&loop->regions[0], sum_up, &summary);
    return summary;
}

static bool is_not_call(struct ir_inst *inst, void *user)
{
    (void)user;
    return inst->op != IR_OP_CALL;
}

static bool does_not_mention(struct ir_inst *inst, void *user)
{
    return inst->var != user && !(inst->loop != NULL && inst->loop->var == user);
}

static bool mentions(struct ir_inst *loop, const struct ir_var *var)
{
    return !walk_inst(loop, does_not_mention, (void *)var);
}

static const struct ir_scalar_role *role_of(const struct ir_inst *loop, const struct ir_var *var)
{
    for (int i = 0; i < loop->loop->role_count; i++) {
        if (loop->loop->roles[i].var->index == var->index) {
            return &loop->loop->roles[i];
        }
    }
    return NULL;
}

// Roles of which LLVM makes no vectors.
static bool keeps_values(const struct ir_inst *loop)
{
    for (int i = 0; i < loop->loop->role_count; i++) {
        enum ir_role role = loop->loop->roles[i].role;
        if (role != IR_ROLE_PRIVATE && role != IR_ROLE_REDUCTION) {
            return true;
        }
    }
    return false;
}

// ---- one loop alone
// ------------------------------------------------------------------------------------------------

static const char *why_not_at_all(const struct fuser *f, struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    if (f->has_calls) {
        return "the kernel calls a helper that is too large to be put in its place";
    }
    if (f->is_too_large) {
        return "the kernel is too large";
    }
    if (loop->loop->verdict == IR_VERDICT_SCATTER) {
        return "it is a scatter";
    }
    if (loop->loop->verdict > IR_VERDICT_IF) {
        return "that its iterations are independent is the author's word";
    }
    if (loop->loop->recheck || loop->loop->collapse > 0 || loop->loop->block_dim > 0 || loop->loop->map != IR_MAP_ANY) {
        return loop->loop->recheck ? "its bound is read from memory" : "a pragma says how it is to run";
    }
    if (facts->shared_count > 0 || facts->independent_by_updates) {
        return "its iterations update the same memory";
    }
    for (int i = 0; i < facts->effect_count; i++) {
        if (facts->effects[i].is_explicit || facts->effects[i].base == PLAN_BASE_UNKNOWN) {
            return facts->effects[i].is_explicit ? "it has atomics" : "a pointer in it may point to anything";
        }
    }
    struct fragment_flags flags = {.check_bounds = f->o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    if (flags.may_print) {
        return "it prints";
    }
    // A GPU's entry does nothing once something has failed, not even what comes before.
    if (flags.may_fail && f->o->module->is_gpu) {
        return "it may fail";
    }
    return summary_of(loop).has_volatile ? "it has volatile accesses" : NULL;
}

static bool may_fail(const struct fuser *f, struct ir_inst *loop)
{
    struct fragment_flags flags = {.check_bounds = f->o->module->check_bounds};
    walk_inst(loop, fragment_note_flags, &flags);
    return flags.may_fail;
}

// ---- two loops
// -----------------------------------------------------------------------------------------------------

struct set_search {
    const struct ir_var *var;
    const struct ir_inst *set;
};

static bool is_not_set_of(struct ir_inst *inst, void *user)
{
    struct set_search *search = user;
    search->set = inst->op == IR_OP_SET && inst->var == search->var ? inst : NULL;
    return search->set == NULL;
}

// What the demote pass copied (".v…", assigned once) in place of the copy.
static const struct ir_inst *without_copy(const struct fuser *f, const struct ir_inst *value)
{
    struct set_search search = {.var = value->op == IR_OP_GET ? value->var : NULL};
    if (search.var == NULL || strncmp(search.var->name, ".v", 2) != 0 ||
        walk_region(&f->o->kernel->body, is_not_set_of, &search)) {
        return value;
    }
    return search.set->args[0];
}

// Whether the variable has one value in both places: nothing between them assigns it.
static bool is_same_get(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a->var != b->var || a->parent != b->parent) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        struct ir_inst *inst = (k == 0 ? a : b)->next;
        const struct ir_inst *end = k == 0 ? b : a;
        while (inst != NULL && inst != end && !assignment_is_in(inst, a->var)) {
            inst = inst->next;
        }
        if (inst == end) {
            return true;
        }
    }
    return false;
}

static bool is_same_value(const struct fuser *f, const struct ir_inst *a, const struct ir_inst *b)
{
    if (a == b || (a->op == IR_OP_GET && b->op == IR_OP_GET && is_same_get(a, b))) {
        return true;
    }
    const struct ir_inst *x = without_copy(f, a), *y = without_copy(f, b);
    if (x != a || y != b) {
        return is_same_value(f, x, y);
    }
    bool is_value = a->op == IR_OP_CONST || a->op == IR_OP_PARAM || ir_op_is_foldable(a->op);
    if (!is_value || a->op != b->op || a->type != b->type || a->imm != b->imm || a->arg_count != b->arg_count) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!is_same_value(f, a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

static bool is_same_space(const struct fuser *f, const struct ir_inst *a, const struct ir_inst *b)
{
    const struct ir_for *x = a->loop, *y = b->loop;
    return x->compare == y->compare && x->step == y->step && x->var->type == y->var->type &&
           x->var->is_unsigned == y->var->is_unsigned && is_same_value(f, a->args[0], b->args[0]) &&
           is_same_value(f, a->args[1], b->args[1]);
}

// The variables of the loops that are put together: the later one's is renamed, so that neither may be anything else in
// the other loop.
static bool are_variables_free(struct ir_inst *a, struct ir_inst *b, const struct ir_inst *at_a,
                               const struct ir_inst *at_b)
{
    const struct ir_var *x = at_a->loop->var, *y = at_b->loop->var;
    return x == y || (!mentions(b, x) && !mentions(a, y));
}

static const char *why_other_space(struct fuser *f, const struct fusion *run, struct ir_inst *loop)
{
    for (int k = 0; k < run->count; k++) {
        struct ir_inst *a = run->parts[k], *b = loop;
        for (int level = 0; level < run->levels; level++) {
            if (a == NULL || b == NULL) {
                return "something stands between the loops of the nest";
            }
            if (k == run->count - 1 && !is_same_space(f, a, b)) { // those before have the last one's
                return level == 0 ? "it has other bounds" : "the loop inside has other bounds";
            }
            if (!are_variables_free(run->parts[k], loop, a, b)) {
                return "one uses the other's loop variable";
            }
            a = fuse_inner(a);
            b = fuse_inner(b);
        }
    }
    return NULL;
}

// A scalar that both use must be private to the iteration in both: no value goes from one loop to the other.
static const char *why_scalars(struct offload *o, struct ir_inst *a, struct ir_inst *b)
{
    for (int k = 0; k < 2; k++) {
        struct ir_inst *one = k == 0 ? a : b, *other = k == 0 ? b : a;
        for (int i = 0; i < one->loop->role_count; i++) {
            const struct ir_scalar_role *role = &one->loop->roles[i];
            const struct ir_scalar_role *there = role_of(other, role->var);
            if (!mentions(other, role->var) ||
                (there != NULL && role->role == IR_ROLE_PRIVATE && there->role == IR_ROLE_PRIVATE)) {
                continue;
            }
            return arena_printf(o->arena, "'%s' goes from one to the other", role->var->name);
        }
    }
    return NULL;
}

// Guesses, so that the analysis is not asked in vain: what both touch, they touch at the same index.
static const char *why_places(struct fuser *f, const struct fusion *run, int part, const struct places *places)
{
    int base;
    if (run->places[part] == NULL) {
        run->places[part] = fuse_places(f->o->arena, run->parts[part], run->levels);
    }
    if (fuse_places_agree(run->places[part], places, &base)) {
        return NULL;
    }
    return arena_printf(f->o->arena, "it touches other elements of '%s' than the loop in line %u does",
                        base_name(f->o->module, f->o->kernel, base), run->parts[part]->loc.line);
}

static int count_arrays(const struct fusion *run, const struct ir_inst *more)
{
    const struct plan_effect *seen[FUSE_MAX_ARRAYS + 1];
    int count = 0;
    for (int k = 0; k <= run->count; k++) {
        const struct ir_inst *loop = k < run->count ? run->parts[k] : more;
        const struct loop_facts *facts = loop->loop->analysis;
        for (int i = 0; i < facts->effect_count && count <= FUSE_MAX_ARRAYS; i++) {
            const struct plan_effect *effect = &facts->effects[i];
            bool is_new = true;
            for (int n = 0; n < count; n++) {
                is_new &= seen[n]->base != effect->base || seen[n]->index != effect->index;
            }
            if (is_new) {
                seen[count++] = effect;
            }
        }
    }
    return count;
}

static const char *why_too_large(const struct fusion *run, struct ir_inst *loop)
{
    int count = summary_of(loop).count;
    for (int k = 0; k < run->count; k++) {
        count += summary_of(run->parts[k]).count;
    }
    if (run->count >= FUSE_MAX_LOOPS || count > FUSE_MAX_INSTRUCTIONS) {
        return "one task of all would be too large";
    }
    return count_arrays(run, loop) > FUSE_MAX_ARRAYS ? "one task of all would touch too many arrays" : NULL;
}

static int levels_of(struct offload *o, struct ir_inst *loop)
{
    const struct nest *nest = nest_of(o, loop);
    return nest->is_found ? nest->count : 1;
}

// Why the loop does not go with the run; NULL: it may, as far as one can see from here.
static const char *why_not(struct fuser *f, const struct fusion *run, struct ir_inst *loop)
{
    struct ir_inst *last = run->parts[run->count - 1];
    const char *why = why_not_at_all(f, last);
    if (why != NULL) {
        return arena_printf(f->o->arena, "of the loop in line %u: %s", last->loc.line, why);
    }
    if (may_fail(f, last)) {
        return arena_printf(f->o->arena, "the loop in line %u may fail, and then this one must not run",
                            last->loc.line);
    }
    if ((why = why_not_at_all(f, loop)) != NULL) {
        return why;
    }
    if (levels_of(f->o, loop) != run->levels) {
        return "one is a nest taken as one space, the other is not, or of other depth";
    }
    if ((why = why_other_space(f, run, loop)) != NULL || (why = why_too_large(run, loop)) != NULL) {
        return why;
    }
    if (summary_of(last).has_inner != summary_of(loop).has_inner || keeps_values(last) != keeps_values(loop)) {
        return "only one of them can be vectorised";
    }
    const struct places *places = fuse_places(f->o->arena, loop, run->levels);
    for (int k = 0; k < run->count && why == NULL; k++) {
        why = why_scalars(f->o, run->parts[k], loop);
        why = why != NULL ? why : why_places(f, run, k, places);
    }
    const struct loop_facts *facts = loop->loop->analysis;
    for (int k = 0; k < run->count && why == NULL && facts->reduction_count > 0; k++) {
        const struct loop_facts *before = run->parts[k]->loop->analysis;
        why = before->reduction_count > 0 ? "both reduce into memory" : NULL;
    }
    return why;
}

// ---- runs
// ----------------------------------------------------------------------------------------------------------

static bool value_reads(const struct ir_inst *value, const struct ir_var *var)
{
    if (value->var == var) {
        return true;
    }
    for (int i = 0; i < value->arg_count; i++) {
        if (value_reads(value->args[i], var)) {
            return true;
        }
    }
    return false;
}

// Whether what stands between a run and the next loop may as well stand before the run. Bounds are evaluated where the
// task starts: an assignment must not come before one that it would change.
static bool may_move(const struct fusion *run, struct ir_inst *inst)
{
    for (int k = 0; k < run->count; k++) {
        struct ir_inst *loop = run->parts[k];
        if (inst->op == IR_OP_GET && assignment_is_in(loop, inst->var)) {
            return false;
        }
        if (inst->op == IR_OP_SET && (mentions(loop, inst->var) || value_reads(loop->args[0], inst->var) ||
                                      value_reads(loop->args[1], inst->var))) {
            return false;
        }
    }
    return ir_op_is_value(inst->op) || inst->op == IR_OP_SET;
}

// In the kernel, as in the copy that was analysed.
static void move_before(const struct fusion *run)
{
    for (int k = 1; k < run->count; k++) {
        for (struct ir_inst *inst = run->parts[k - 1]->next; inst != run->parts[k];) {
            struct ir_inst *next = inst->next;
            ir_move_before(inst, run->parts[0]);
            inst = next;
        }
    }
}

static void note(struct fuser *f, struct ir_inst *loop, const struct ir_inst *before, const char *why)
{
    int index = offload_note(f->o, loop)->loop_index;
    if (index < 0) {
        return; // in a version of a loop that is not described
    }
    struct plan_loop *described = &f->o->loops.items[index];
    described->fusion =
        why == NULL ? arena_printf(f->o->arena, "fused with the loop in line %u", before->loc.line)
                    : arena_printf(f->o->arena, "not fused with the loop in line %u: %s", before->loc.line, why);
}

static void begin_run(struct fuser *f, struct ir_inst *loop)
{
    assert(offload_note(f->o, loop)->is_chosen);
    struct fusion run = {.count = 1, .levels = levels_of(f->o, loop)};
    run.parts = ARENA_ARRAY(f->o->arena, struct ir_inst *, FUSE_MAX_LOOPS);
    run.parts[0] = loop;
    run.places = ARENA_ARRAY(f->o->arena, struct places *, FUSE_MAX_LOOPS);
    VEC_PUSH(f->o->arena, &f->runs, run);
}

static void find_runs(struct fuser *f, struct ir_region *region)
{
    bool is_open = false; // the last run ends right before here, but for what may be moved
    for (struct ir_inst *inst = region->first; inst != NULL; inst = inst->next) {
        if (inst->op == IR_OP_FOR && offload_note(f->o, inst)->is_chosen) {
            struct fusion *run = is_open ? &VEC_LAST(&f->runs) : NULL;
            const char *why = run != NULL ? why_not(f, run, inst) : NULL;
            if (run != NULL) {
                note(f, inst, run->parts[run->count - 1], why);
            }
            if (run != NULL && why == NULL) {
                run->parts[run->count++] = inst;
            } else {
                begin_run(f, inst);
            }
            is_open = true;
            continue;
        }
        is_open = is_open && may_move(&VEC_LAST(&f->runs), inst);
        if (inst->region_count > 0 && offload_note(f->o, inst)->has_task) {
            is_open = false;
            for (int i = 0; i < inst->region_count; i++) {
                find_runs(f, &inst->regions[i]);
            }
        }
    }
}

// ---- what the analysis says
// ----------------------------------------------------------------------------------------

static bool is_same_base(const struct plan_effect *a, const struct plan_effect *b)
{
    return a->base == b->base && a->index == b->index;
}

// Whether a part by itself needs the two to be disjoint, and as strictly.
static bool is_pair_known(const struct fusion *run, const struct plan_effect *a, const struct plan_effect *b,
                          bool equal_will_do)
{
    for (int k = 0; k < run->count; k++) {
        const struct loop_facts *facts = run->parts[k]->loop->analysis;
        for (int i = 0; i < facts->pair_count; i++) {
            const struct plan_pair *pair = &facts->pairs[i];
            const struct plan_effect *x = &facts->effects[pair->a], *y = &facts->effects[pair->b];
            if (((is_same_base(a, x) && is_same_base(b, y)) || (is_same_base(a, y) && is_same_base(b, x))) &&
                (equal_will_do || !pair->equal_will_do)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_condition_known(const struct fusion *run, const struct plan_condition *condition)
{
    for (int k = 0; k < run->count; k++) {
        const struct loop_facts *facts = run->parts[k]->loop->analysis;
        for (int i = 0; i < facts->condition_count; i++) {
            if (plan_expr_equal(facts->conditions[i].expr, condition->expr)) {
                return true;
            }
        }
    }
    return false;
}

// Every scalar has the role in the one loop that it has in the part that assigns it.
static bool has_same_roles(const struct fusion *run)
{
    int count = 0;
    for (int k = 0; k < run->count; k++) {
        for (int i = 0; i < run->parts[k]->loop->role_count; i++) {
            const struct ir_scalar_role *role = &run->parts[k]->loop->roles[i];
            const struct ir_scalar_role *found = role_of(run->loop, role->var);
            if (found == NULL || found->role != role->role || found->update != role->update ||
                found->inclusive != role->inclusive || found->unordered != role->unordered) {
                return false;
            }
            bool is_first = true;
            for (int n = 0; n < k; n++) {
                is_first &= role_of(run->parts[n], role->var) == NULL;
            }
            count += is_first;
        }
    }
    return count == run->loop->loop->role_count;
}

// Identical arguments have the same index in every iteration. That others are disjoint may be asked for only if a part
// does: else the task would run in order where the loops by themselves would not.
static const char *why_needs_more(const struct fusion *run)
{
    const struct loop_facts *facts = run->loop->loop->analysis;
    for (int i = 0; i < facts->pair_count; i++) {
        const struct plan_pair *pair = &facts->pairs[i];
        if (!pair->equal_will_do &&
            !is_pair_known(run, &facts->effects[pair->a], &facts->effects[pair->b], pair->equal_will_do)) {
            return "more arguments would have to be apart";
        }
    }
    for (int i = 0; i < facts->condition_count; i++) {
        if (!is_condition_known(run, &facts->conditions[i])) {
            return "it would depend on one more condition";
        }
    }
    return NULL;
}

static const char *why_refused(struct fuser *f, const struct fusion *run)
{
    const struct ir_for *loop = run->loop->loop;
    const struct loop_facts *facts = loop->analysis;
    if (loop->verdict != IR_VERDICT_PROVEN && loop->verdict != IR_VERDICT_IF) {
        return arena_printf(f->o->arena, "in one loop %s", loop->reason != NULL ? loop->reason : "they conflict");
    }
    if (facts == NULL || facts->shared_count > 0 || facts->independent_by_updates || !facts_choose(run->loop)) {
        return "in one loop iterations would update the same memory";
    }
    if (!has_same_roles(run)) {
        return "a scalar goes from one to the other";
    }
    const char *why = why_needs_more(run);
    if (why == NULL && levels_of(f->o, run->loop) != run->levels) {
        why = "the loops inside conflict";
    }
    return why;
}

// The part whose code the place is in; -1: none, or it cannot be told.
static int part_at(const struct fusion *run, struct loc loc)
{
    int found = -1;
    for (int k = 0; k < run->count; k++) {
        struct loc begin = run->parts[k]->loc;
        if (k > 0 && begin.file == run->parts[k - 1]->loc.file && begin.line == run->parts[k - 1]->loc.line) {
            return -1;
        }
        if (begin.file == loc.file && begin.line <= loc.line) {
            found = k;
        }
    }
    return found;
}

// Two runs of one that cannot be: before the part that the analysis names, or in the middle.
static void split(struct fuser *f, int index, const char *why)
{
    struct fusion *run = &f->runs.items[index];
    const struct ir_for *loop = run->loop->loop;
    int a = part_at(run, loop->reason_loc_a), b = part_at(run, loop->reason_loc_b);
    int at = a > b ? a : b;
    at = at > 0 && a != b ? at : run->count / 2;
    assert(at > 0 && at < run->count); // each part gets smaller, so that this ends
    struct fusion tail = {.count = run->count - at, .levels = run->levels, .parts = run->parts + at};
    tail.places = run->places + at;
    note(f, run->parts[at], run->parts[at - 1], why);
    run->count = at;
    run->loop = NULL;
    VEC_PUSH(f->o->arena, &f->runs, tail);
}

// Asks the analysis about all runs. True: each can be.
static bool try_runs(struct fuser *f)
{
    struct diags *diags = ARENA_NEW(f->o->arena, struct diags); // what it finds was said before
    diags_init(diags, f->o->arena);
    fuse_copy_kernel(f->o, f->runs.items, f->runs.count);
    struct ir_function *copy = NULL;
    for (int i = 0; i < f->runs.count; i++) {
        copy = f->runs.items[i].count > 1 ? f->runs.items[i].copy : copy;
    }
    if (copy == NULL) {
        return true;
    }
    analyse_loops(f->o->module, copy, diags);
    atomics_set(f->o->module, copy, diags);
    analyse_effects(f->o->module, copy, diags);
    bool all = true;
    int count = f->runs.count;
    for (int i = 0; i < count; i++) {
        if (f->runs.items[i].count > 1) {
            const char *why = why_refused(f, &f->runs.items[i]);
            if (why != NULL) {
                split(f, i, why);
                all = false;
            }
        }
    }
    return all;
}

static bool has_run(const struct fuser *f)
{
    for (int i = 0; i < f->runs.count; i++) {
        if (f->runs.items[i].count > 1) {
            return true;
        }
    }
    return false;
}

// Runs that were not settled within the rounds are not fused: each loop by itself.
static void give_up(struct fuser *f)
{
    for (int i = 0; i < f->runs.count; i++) {
        struct fusion *run = &f->runs.items[i];
        for (int k = 1; run->loop == NULL && k < run->count; k++) {
            note(f, run->parts[k], run->parts[k - 1], "the loops around it conflict in too many ways");
        }
        run->count = run->loop == NULL ? 1 : run->count;
    }
}

static void accept(struct offload *o, const struct fusion *found)
{
    assert(found->count > 1 && found->loop != NULL && found->copy != NULL);
    struct fusion *run = ARENA_NEW(o->arena, struct fusion);
    *run = *found;
    for (int k = 1; k < run->count; k++) {
        offload_note(o, run->parts[k])->is_absorbed = true;
    }
    offload_note(o, run->parts[0])->fusion = run;
    offload_note(o, run->loop)->is_chosen = true;
    offload_note(o, run->loop)->loop_index = offload_note(o, run->parts[0])->loop_index;
    move_before(run);
    VEC_PUSH(o->arena, &o->fusions, run);
}

void fuse_loops(struct offload *o)
{
    struct fuser f = {.o = o};
    struct summary summary = {.count = 0};
    walk_region(&o->kernel->body, sum_up, &summary);
    f.has_calls = !walk_region(&o->kernel->body, is_not_call, NULL);
    f.is_too_large = summary.count > FUSE_MAX_KERNEL;
    find_runs(&f, &o->kernel->body);
    bool is_settled = false;
    for (int round = 0; round < FUSE_MAX_ROUNDS && !is_settled && has_run(&f); round++) {
        if (round == FUSE_MAX_ROUNDS - 1) {
            give_up(&f);
        }
        is_settled = try_runs(&f);
    }
    if (!is_settled) {
        give_up(&f);
    }
    for (int i = 0; i < f.runs.count && is_settled; i++) {
        if (f.runs.items[i].count > 1) {
            accept(o, &f.runs.items[i]);
        }
    }
}

void fuse_place_variables(struct offload *o)
{
    for (int i = 0; i < o->fusions.count; i++) {
        struct ir_function *copy = o->fusions.items[i]->copy;
        assert(copy->var_count <= o->kernel->var_count); // the kernel got more since
        for (int v = 0; v < copy->var_count; v++) {
            copy->vars[v]->slot = o->kernel->vars[v]->slot;
        }
    }
}

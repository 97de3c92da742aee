// What is said of the loops, against the dependences between their iterations.
#include "oracle.h"

#include "ir/walk.h"

// Pairs of iterations of |a| and |b| in different iterations of the loop at |depth|, the first one's earlier by its
// variable, and in the same one of the loops around it.
static isl_map *apart(const struct access *a, const struct access *b, int depth)
{
    isl_ctx *ctx = isl_set_get_ctx(a->domain);
    isl_map *map = isl_map_universe(isl_space_alloc(ctx, 0, (unsigned)a->depth, (unsigned)b->depth));
    for (int i = 0; i < depth; i++) {
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
    }
    isl_map *less = isl_map_order_lt(isl_map_copy(map), isl_dim_in, depth, isl_dim_out, depth);
    return isl_map_union(less, isl_map_order_gt(map, isl_dim_in, depth, isl_dim_out, depth));
}

static bool is_around(const struct nest_loop *loop, const struct access *access)
{
    return access->depth > loop->depth && access->loops[loop->depth] == loop->inst;
}

// Each iteration has its own: it is declared in the loop.
static bool is_declared_in(const struct storage *storage, const struct nest_loop *loop)
{
    return storage->var != NULL && storage->var->scope != NULL && walk_is_inside(storage->var->scope, loop->inst);
}

// What |read| touches and |write| has written before, in the same iteration of the first loops.
static isl_map *written_before(const struct access *write, const struct access *read, int depth)
{
    isl_map *before = order_before(write, read);
    for (int i = 0; i < depth; i++) {
        before = isl_map_equate(before, isl_dim_in, i, isl_dim_out, i);
    }
    before = isl_map_intersect_domain(before, isl_set_copy(write->domain));
    return isl_map_apply_range(isl_map_reverse(before), isl_map_copy(write->touches));
}

// The part of what |read| touches that its own iteration of the loop has not surely written before.
static isl_map *exposed(const struct model *model, const struct nest_loop *loop, const struct access *read)
{
    struct halves halves = {0};
    isl_map *rest = isl_map_copy(read->touches);
    for (int i = 0; i < model->access_count; i++) {
        const struct access *write = &model->accesses[i];
        int depth = loop->depth + 1;
        const struct guess *guess;
        if (!write->is_write || write->is_read || !write->is_sure || write->storage != read->storage ||
            !is_around(loop, write) || write->touches == NULL || !flow_guess(write, read, &depth, &guess)) {
            continue;
        }
        isl_map *known = written_before(write, read, depth);
        if (guess != NULL) {
            flow_note(&halves, guess, known);
        } else {
            rest = isl_map_subtract(rest, known);
        }
    }
    return flow_subtract(rest, &halves);
}

struct conflict {
    const struct access *a;
    const struct access *b;
    char sample[320];
};

static bool meets_apart(const struct nest_loop *loop, const struct access *a, isl_map *touches, const struct access *b,
                        struct conflict *out)
{
    isl_map *meet = isl_map_apply_range(isl_map_copy(touches), isl_map_reverse(isl_map_copy(b->touches)));
    meet = isl_map_intersect(meet, apart(a, b, loop->depth));
    if (loop->holds != NULL) {
        isl_set *holds = isl_set_add_dims(isl_set_copy(loop->holds), isl_dim_set, (unsigned)(a->depth - loop->depth));
        meet = isl_map_intersect_domain(meet, holds);
    }
    bool is_empty = isl_map_is_empty(meet) != isl_bool_false;
    if (!is_empty) {
        out->a = a;
        out->b = b;
        order_describe(meet, out->sample, sizeof out->sample);
    }
    isl_map_free(meet);
    return !is_empty;
}

// What each iteration may have a copy of: only what it reads before it has written it comes from elsewhere.
static bool own_conflict(const struct model *model, const struct nest_loop *loop, const struct access *read,
                         struct conflict *out)
{
    isl_map *open = exposed(model, loop, read);
    bool found = false;
    for (int i = 0; i < model->access_count && !found && isl_map_is_empty(open) == isl_bool_false; i++) {
        const struct access *write = &model->accesses[i];
        found = write->is_write && write->storage == read->storage && is_around(loop, write) &&
                write->touches != NULL && !order_is_free(read, write) && meets_apart(loop, read, open, write, out);
    }
    isl_map_free(open);
    return found;
}

static bool finds_conflict(const struct storages *storages, const struct model *model, const struct nest_loop *loop,
                           int storage, struct conflict *out)
{
    const struct storage *s = &storages->items[storage];
    for (int i = 0; i < model->access_count; i++) {
        const struct access *a = &model->accesses[i];
        if (a->storage != storage || a->touches == NULL || !is_around(loop, a)) {
            continue;
        }
        if (s->var != NULL) {
            if (a->is_read && own_conflict(model, loop, a, out)) {
                return true;
            }
            continue;
        }
        for (int k = i; k < model->access_count; k++) {
            const struct access *b = &model->accesses[k];
            if (order_counts(a, b) && is_around(loop, b) && !order_is_free(a, b) &&
                meets_apart(loop, a, a->touches, b, out)) {
                return true;
            }
        }
    }
    return false;
}

// Its role lets iterations have a part of it each.
static bool has_role(const struct nest_loop *loop, const struct storage *storage)
{
    const struct ir_for *of = loop->inst->loop;
    for (int i = 0; i < of->role_count; i++) {
        if (of->roles[i].var == storage->var && of->roles[i].role != IR_ROLE_PRIVATE &&
            of->roles[i].role != IR_ROLE_LAST_VALUE) {
            return true;
        }
    }
    return false;
}

static bool is_pragma(const struct ir_for *loop)
{
    return loop->pragma_parallel || loop->pragma_serial || loop->pragma_single;
}

static const char *name_of(const struct access *access)
{
    const struct ir_inst *inst = access->inst;
    const struct ir_inst *address = ir_op_is_element(inst->op) ? inst->args[0] : NULL;
    if (inst->var != NULL) {
        return inst->var->name;
    }
    return address != NULL && address->source != NULL ? address->source : "memory";
}

static void check_claim(const struct storages *storages, const struct model *after, const struct nest_loop *loop,
                        struct findings *findings)
{
    struct conflict conflict;
    findings->claimed_count++;
    for (int s = 0; s < storages->count; s++) {
        const struct storage *storage = &storages->items[s];
        if (storage->is_followed && storage->is_written && !is_declared_in(storage, loop) && !has_role(loop, storage) &&
            finds_conflict(storages, after, loop, s, &conflict)) {
            complain(findings, loop->inst->loc,
                     "a loop is called parallel, but '%s' (line %u) and '%s' (line %u) meet in two of its "
                     "iterations: %s",
                     name_of(conflict.a), conflict.a->inst->loc.line, name_of(conflict.b), conflict.b->inst->loc.line,
                     conflict.sample);
            return;
        }
    }
}

// Memory that is used outside of the loop as well cannot be a copy for each iteration.
static bool is_used_outside(const struct ir_function *kernel, const struct nest_loop *loop, const struct ir_var *var)
{
    WALK (inst, &kernel->body) {
        if (inst->op == IR_OP_ADDR_VAR && inst->var == var && !walk_is_inside(inst, loop->inst)) {
            return true;
        }
    }
    return false;
}

static bool carries(const struct storages *storages, const struct model *after, const struct nest_loop *loop)
{
    struct conflict conflict;
    for (int s = 0; s < storages->count; s++) {
        const struct storage *storage = &storages->items[s];
        if (!storage->is_written || is_declared_in(storage, loop)) {
            continue;
        }
        bool is_memory = storage->base != 0 && storage->var != NULL;
        if (!storage->is_followed || finds_conflict(storages, after, loop, s, &conflict) ||
            (is_memory && is_used_outside(after->kernel, loop, storage->var))) {
            return true;
        }
    }
    return false;
}

// Some access of it is in two of its iterations.
static bool repeats(const struct model *after, const struct nest_loop *loop)
{
    for (int i = 0; i < after->access_count; i++) {
        const struct access *access = &after->accesses[i];
        if (!is_around(loop, access)) {
            continue;
        }
        isl_map *pairs = isl_map_intersect_domain(apart(access, access, loop->depth), isl_set_copy(access->domain));
        pairs = isl_map_intersect_range(pairs, isl_set_copy(access->domain));
        bool is_empty = isl_map_is_empty(pairs) != isl_bool_false;
        isl_map_free(pairs);
        if (!is_empty) {
            return true;
        }
    }
    return false;
}

static void look_for_missed(const struct storages *storages, const struct model *after, const struct nest_loop *loop,
                            struct findings *findings)
{
    int at = 0;
    while (at < findings->loop_count && findings->loops[at].inst != loop->inst) {
        at++;
    }
    if (at == ORACLE_FREE) {
        return;
    }
    struct free_loop *free_loop = &findings->loops[at];
    if (at == findings->loop_count) {
        findings->loop_count++;
        *free_loop = (struct free_loop){.inst = loop->inst};
    }
    free_loop->is_carrier = free_loop->is_carrier || carries(storages, after, loop);
    free_loop->runs = free_loop->runs || (!free_loop->is_carrier && repeats(after, loop));
    for (int i = 0; i < after->loop_count; i++) {
        const struct ir_inst *outer = after->loops[i].inst;
        free_loop->is_inside |=
            outer != loop->inst && walk_is_inside(loop->inst, outer) && ir_verdict_is_parallel(outer->loop->verdict);
    }
}

void list_missed(struct findings *findings)
{
    for (int i = 0; i < findings->loop_count; i++) {
        const struct free_loop *loop = &findings->loops[i];
        if (!loop->is_carrier && loop->runs) {
            const char *reason = loop->inst->loop->reason;
            findings->missed_count++;
            str_printf(findings->missed, "%s:%u: in order, and carries no dependence%s: %s\n", findings->file,
                       loop->inst->loc.line, loop->is_inside ? " (inside a parallel loop)" : "",
                       reason != NULL ? reason : "");
        }
    }
    findings->loop_count = 0;
}

void check_verdicts(const struct storages *storages, const struct model *after, struct findings *findings)
{
    for (int i = 0; i < after->loop_count; i++) {
        const struct nest_loop *loop = &after->loops[i];
        enum ir_verdict verdict = loop->inst->loop->verdict;
        if (verdict == IR_VERDICT_PROVEN || verdict == IR_VERDICT_IF) {
            if (loop->holds == NULL) {
                findings->unclaimed_count++;
            } else {
                check_claim(storages, after, loop, findings);
            }
        } else if (verdict == IR_VERDICT_IN_ORDER && !is_pragma(loop->inst->loop)) {
            look_for_missed(storages, after, loop, findings);
        }
    }
}

// Orders the pieces of split statements for a GPU: in each iteration of the loops around all of them, first those that
// depend on no other, then those that depend on these alone, and so on. What is in one level may run in any order, so
// that pieces of like shape become one space of iterations, each guarded by what it covers of it: a launch for each
// level counts for more than threads that find nothing to do.
#include "passes/reorder_nest.h"

#include <assert.h>

struct levels {
    struct loop_nest *nest;
    int outer;                            // loops in order around all pieces
    statement_set after[NEST_STATEMENTS]; // by piece: those that depend on it
    int level[NEST_STATEMENTS];
};

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

// ---- dependences ---------------------------------------------------------------------------------------------------

static int common_depth(const struct statement *x, const struct statement *y)
{
    int depth = 0;
    while (depth < x->depth && depth < y->depth && x->loops[depth] == y->loops[depth]) {
        depth++;
    }
    return depth;
}

// Whether by their sides alone an execution of |x| may come before one of |y|, in the same iteration of the first
// |level| loops and in an earlier one of the next.
static bool may_come_before(const struct statement *x, const struct statement *y, int level, int common)
{
    for (int d = 0; d < level; d++) {
        if (x->sides[d] != y->sides[d]) {
            return false;
        }
    }
    if (level == common) {
        return true;
    }
    int way = (int)y->sides[level] - (int)x->sides[level];
    way = x->loops[level]->inst->loop->step > 0 ? way : -way;
    return way > 0 || (way == 0 && x->sides[level] != SIDE_AT);
}

static bool may_depend(struct loop_nest *nest, const struct statement *x, const struct statement *y, int level)
{
    struct poly_pool *pool = &nest->an->scratch;
    struct pair_relation relations[3 * NEST_DEPTH + 1];
    bool may_meet = false;
    for (int i = 0; i < x->access_count; i++) {
        for (int k = 0; k < y->access_count && !may_meet; k++) {
            if (!nest_are_ordered(nest, x, i, y, k) || nest_are_beside(nest, x, i, y, k, level)) {
                continue;
            }
            struct poly_mark mark = poly_mark(pool);
            int count = 0;
            for (int d = 0; d < level; d++) {
                relations[count++] = (struct pair_relation){nest_way(nest, x->loops[d], y->loops[d]), true};
            }
            if (level < common_depth(x, y)) {
                const struct poly *later = poly_plus(pool, nest_way(nest, x->loops[level], y->loops[level]), -1);
                relations[count++] = (struct pair_relation){later, false};
            }
            count += nest_side_relations(nest, x, false, &relations[count]);
            count += nest_side_relations(nest, y, true, &relations[count]);
            may_meet = nest_may_meet(nest, x->accesses[i], y->accesses[k], relations, count);
            poly_release(pool, mark);
        }
    }
    return may_meet;
}

// Whether an execution of piece |to| depends on one of |from| in the same iteration of the outer loops.
static bool depends(const struct levels *l, int from, int to)
{
    const struct statement *x = &l->nest->statements[from], *y = &l->nest->statements[to];
    int common = common_depth(x, y);
    int last = x->first == y->first ? common - 1 : common; // pieces of one statement have no execution in common
    for (int level = l->outer; level <= last; level++) {
        bool is_in_order = level < common || from < to;
        if (is_in_order && may_come_before(x, y, level, common) && may_depend(l->nest, x, y, level)) {
            return true;
        }
    }
    return false;
}

// False: some depend on themselves or in a circle.
static bool find_levels(struct levels *l)
{
    int count = l->nest->statement_count;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            if (depends(l, i, k)) {
                l->after[i] |= (statement_set)1 << k;
            }
        }
        if (has(l->after[i], i)) {
            return false;
        }
    }
    bool is_done = false;
    for (int round = 0; round <= count && !is_done; round++) {
        is_done = true;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < count; k++) {
                if (has(l->after[i], k) && l->level[k] <= l->level[i]) {
                    l->level[k] = l->level[i] + 1;
                    is_done = false;
                }
            }
        }
    }
    return is_done;
}

// ---- the order -----------------------------------------------------------------------------------------------------

// The loops inside the outer ones that are not pinned.
static int free_loops(const struct levels *l, int piece, int *out)
{
    const struct statement *s = &l->nest->statements[piece];
    int count = 0;
    for (int d = l->outer; d < s->depth; d++) {
        if (!s->is_pinned[d]) {
            out[count++] = d;
        }
    }
    return count;
}

// Whether two pieces become one space: of one loop each, or of the same loops.
static bool are_alike(const struct levels *l, int a, int b)
{
    int x[NEST_DEPTH], y[NEST_DEPTH];
    int count = free_loops(l, a, x);
    if (count == 0 || free_loops(l, b, y) != count) {
        return false;
    }
    for (int i = 0; i < count && count > 1; i++) {
        if (l->nest->statements[a].loops[x[i]] != l->nest->statements[b].loops[y[i]]) {
            return false;
        }
    }
    return true;
}

// A single iteration needs no launch of its own where others of its statement run: it becomes a guarded part of their
// space.
static void join_single(struct levels *l, int piece)
{
    struct statement *s = &l->nest->statements[piece];
    int open[NEST_DEPTH];
    if (free_loops(l, piece, open) > 0) {
        return;
    }
    for (int i = 0; i < l->nest->statement_count; i++) {
        const struct statement *other = &l->nest->statements[i];
        if (i != piece && l->level[i] == l->level[piece] && other->first == s->first &&
            free_loops(l, i, open) == s->depth - l->outer) {
            memset(s->is_pinned, 0, sizeof s->is_pinned);
            return;
        }
    }
}

static struct order *new_order(const struct levels *l, enum order_kind kind, statement_set set)
{
    struct order *order = ARENA_NEW(l->nest->an->arena, struct order);
    order->kind = kind;
    order->statements = set;
    return order;
}

static struct order *space_order(const struct levels *l, statement_set set)
{
    struct order *outer = NULL, **place = &outer;
    int open[NEST_STATEMENTS][NEST_DEPTH], count = 0;
    for (int i = 0; i < l->nest->statement_count; i++) {
        count = has(set, i) ? free_loops(l, i, open[i]) : count;
    }
    for (int d = 0; d < count; d++) {
        struct order *loop = new_order(l, ORDER_LOOP, set);
        loop->is_parallel = true;
        for (int i = 0; i < l->nest->statement_count; i++) {
            loop->loops[i] = has(set, i) ? open[i][d] : 0;
        }
        *place = loop;
        place = &loop->first;
    }
    *place = new_order(l, ORDER_REST, set);
    return outer;
}

static struct order *level_order(const struct levels *l, int level)
{
    struct order *first = NULL, **end = &first;
    statement_set done = 0;
    for (int i = 0; i < l->nest->statement_count; i++) {
        if (l->level[i] != level || has(done, i)) {
            continue;
        }
        statement_set set = (statement_set)1 << i;
        for (int k = i + 1; k < l->nest->statement_count; k++) {
            set |= l->level[k] == level && are_alike(l, i, k) ? (statement_set)1 << k : 0;
        }
        done |= set;
        *end = space_order(l, set);
        end = &(*end)->next;
    }
    return first;
}

struct order *nest_levels(struct loop_nest *nest, int outer)
{
    struct levels *l = ARENA_NEW(nest->an->arena, struct levels);
    l->nest = nest;
    l->outer = outer;
    if (!find_levels(l)) {
        return NULL;
    }
    int last = 0;
    for (int i = 0; i < nest->statement_count; i++) {
        join_single(l, i);
        last = l->level[i] > last ? l->level[i] : last;
    }
    struct order *first = NULL, **end = &first;
    for (int level = 0; level <= last; level++) {
        *end = level_order(l, level);
        while (*end != NULL) {
            end = &(*end)->next;
        }
    }
    statement_set all = (statement_set)(((uint64_t)1 << nest->statement_count) - 1);
    for (int d = outer - 1; d >= 0; d--) {
        struct order *loop = new_order(l, ORDER_LOOP, all);
        for (int i = 0; i < NEST_STATEMENTS; i++) {
            loop->loops[i] = d;
        }
        loop->first = first;
        first = loop;
    }
    return first;
}

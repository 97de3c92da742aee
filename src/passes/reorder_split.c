// Splits loops at a pivot. Where iterations depend on each other only through one of them, whose number loops further
// out determine (row k in step k of Floyd's or Gauss's and Jordan's algorithm), those before it are independent of each
// other, and so are those behind it. Each statement becomes up to three pieces for each such loop around it: below the
// pivot, at it, above it.
//
// In the source's order the pieces need no test, for nothing moves: that is what a CPU gets. A GPU wants the pieces
// distributed: reorder_levels.c.
#include "ir/trip.h"
#include "passes/reorder_nest.h"

#include <assert.h>

enum { MAX_SPLIT_LOOPS = 4 };

struct split_loop {
    struct loop_info *loop;
    const struct poly *pivot;
    int depth; // of the loop in its statements
};

struct splitting {
    struct loop_nest *nest;
    struct split_loop items[MAX_SPLIT_LOOPS];
    int count;
};

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

// ---- pivots --------------------------------------------------------------------------------------------------------

static bool is_known(struct loop_nest *nest, const struct poly *value)
{
    return value_is_nonnegative(nest->an, value, nest->root->guards);
}

// Whether no iteration of the loop is on that side of the pivot, whatever the arguments.
static bool is_empty_side(struct loop_nest *nest, const struct loop_info *loop, const struct poly *pivot,
                          enum side side)
{
    struct poly_pool *pool = &nest->an->pool;
    switch (side) {
    case SIDE_BELOW: return is_known(nest, poly_sub(pool, loop->first, pivot));
    case SIDE_ABOVE: return is_known(nest, poly_sub(pool, pivot, loop->last));
    case SIDE_AT:
        return is_known(nest, poly_plus(pool, poly_sub(pool, loop->first, pivot), -1)) ||
               is_known(nest, poly_plus(pool, poly_sub(pool, pivot, loop->last), -1));
    default: return false;
    }
}

// The iteration of loop |depth| in which |write| of the statement writes what |other| touches in each of them; NULL:
// there is no such one.
static const struct poly *pivot_of(struct loop_nest *nest, const struct statement *statement, int depth,
                                   const struct access *write, const struct access *other)
{
    struct poly_pool *pool = &nest->an->pool;
    for (int i = 0; i < write->dim_count && i < other->dim_count; i++) {
        const struct poly *rest;
        int64_t factor;
        const struct poly *found =
            poly_coefficient(pool, write->dims[i].index, statement->loops[depth]->variable, &rest);
        if (found == NULL || !poly_is_const(found, &factor) || factor != 1) {
            continue;
        }
        const struct poly *pivot = poly_sub(pool, other->dims[i].index, rest);
        if (pivot != NULL && nest_is_followed(nest, pivot, statement->loops, depth) &&
            !is_empty_side(nest, statement->loops[depth], pivot, SIDE_AT)) {
            return pivot;
        }
    }
    return NULL;
}

static struct split_loop *find_split(struct splitting *s, const struct loop_info *loop)
{
    for (int i = 0; i < s->count; i++) {
        if (s->items[i].loop == loop) {
            return &s->items[i];
        }
    }
    return NULL;
}

static void find_pivots_of(struct splitting *s, const struct statement *x, const struct statement *y)
{
    const struct analysis *an = s->nest->an;
    for (int i = 0; i < x->access_count; i++) {
        const struct access *write = &an->accesses.items[x->accesses[i]];
        for (int k = 0; k < y->access_count && write->kind != ACCESS_READ; k++) {
            const struct access *other = &an->accesses.items[y->accesses[k]];
            for (int d = 0; d < x->depth && d < y->depth && x->loops[d] == y->loops[d] && other->base == write->base;
                 d++) {
                const struct poly *pivot = find_split(s, x->loops[d]) == NULL && s->count < MAX_SPLIT_LOOPS &&
                                                   trip_of(x->loops[d]->inst->loop).stride == 1
                                               ? pivot_of(s->nest, x, d, write, other)
                                               : NULL;
                if (pivot != NULL) {
                    s->items[s->count++] = (struct split_loop){x->loops[d], pivot, d};
                }
            }
        }
    }
}

// ---- whether it helps ----------------------------------------------------------------------------------------------

// The value in the second of two iterations.
static const struct poly *in_second(struct loop_nest *nest, const struct statement *statement, const struct poly *value)
{
    struct poly_pool *pool = &nest->an->scratch;
    for (int d = 0; d < statement->depth; d++) {
        value = poly_replace(pool, value, statement->loops[d]->variable,
                             poly_atom(pool, statement->loops[d]->variable | 1));
    }
    return value;
}

int nest_side_relations(struct loop_nest *nest, const struct statement *piece, bool is_second,
                        struct pair_relation *out)
{
    struct poly_pool *pool = &nest->an->scratch;
    int count = 0;
    for (int d = 0; d < piece->depth; d++) {
        if (piece->sides[d] == SIDE_ALL) {
            continue;
        }
        const struct poly *above = poly_sub(pool, poly_atom(pool, piece->loops[d]->variable), piece->pivots[d]);
        above = is_second ? in_second(nest, piece, above) : above;
        const struct poly *value = piece->sides[d] == SIDE_AT      ? above
                                   : piece->sides[d] == SIDE_ABOVE ? poly_plus(pool, above, -1)
                                                                   : poly_plus(pool, poly_scale(pool, above, -1), -1);
        if (value != NULL) {
            out[count++] = (struct pair_relation){value, piece->sides[d] == SIDE_AT};
        }
    }
    return count;
}

// The index is the variable of loop |loop| and something that loops outside |level| determine, which |out_rest| gets.
static bool is_index_of(struct loop_nest *nest, const struct statement *s, const struct poly *index, int loop,
                        int level, const struct poly **out_rest)
{
    int64_t factor;
    const struct poly *found = poly_coefficient(&nest->an->scratch, index, s->loops[loop]->variable, out_rest);
    return found != NULL && poly_is_const(found, &factor) && factor == 1 &&
           nest_is_followed(nest, *out_rest, s->loops, level);
}

// Of one index of both: that of |x| is a loop's variable, which has another value in |y|, or never that of the pivot.
static bool is_index_beside(struct loop_nest *nest, const struct statement *x, const struct poly *own,
                            const struct statement *y, const struct poly *other, int level)
{
    struct poly_pool *pool = &nest->an->scratch;
    for (int d = level; d < x->depth; d++) {
        const struct poly *rest, *other_rest;
        if (!is_index_of(nest, x, own, d, level, &rest)) {
            continue;
        }
        bool is_off = x->sides[d] == SIDE_BELOW || x->sides[d] == SIDE_ABOVE;
        const struct poly *pivot =
            is_off && nest_is_followed(nest, x->pivots[d], x->loops, level) ? poly_add(pool, x->pivots[d], rest) : NULL;
        if (pivot != NULL && poly_equal(pivot, other)) {
            return true;
        }
        bool is_shared = d < y->depth && x->loops[d] == y->loops[d];
        bool is_split = is_shared && x->sides[d] != SIDE_ALL && y->sides[d] != SIDE_ALL;
        bool is_other = is_shared && (d == level || (is_split && x->sides[d] != y->sides[d]));
        if (is_other && is_index_of(nest, y, other, d, level, &other_rest) && poly_equal(rest, other_rest)) {
            return true;
        }
    }
    return false;
}

bool nest_are_beside(struct loop_nest *nest, const struct statement *x, int i, const struct statement *y, int k,
                     int level)
{
    const struct access *a = &nest->an->accesses.items[x->accesses[i]], *b = &nest->an->accesses.items[y->accesses[k]];
    bool is_beside = false;
    struct poly_mark mark = poly_mark(&nest->an->scratch);
    if (a->needs == NULL && b->needs == NULL && pair_has_same_dims(nest->an, a, b)) {
        for (int d = 0; d < a->dim_count && d < b->dim_count && !is_beside; d++) {
            is_beside = is_index_beside(nest, x, a->dims[d].index, y, b->dims[d].index, level) ||
                        is_index_beside(nest, y, b->dims[d].index, x, a->dims[d].index, level);
        }
    }
    poly_release(&nest->an->scratch, mark);
    return is_beside;
}

// Whether in one iteration of the loops outside |depth| two of that loop, on these sides, may touch one place.
static bool may_two_meet(struct loop_nest *nest, const struct statement *x, const struct statement *y, int depth)
{
    struct poly_pool *pool = &nest->an->scratch;
    struct pair_relation relations[3 * NEST_DEPTH + 1];
    bool may_meet = false;
    for (int i = 0; i < x->access_count; i++) {
        for (int k = 0; k < y->access_count && !may_meet; k++) {
            if (!nest_are_ordered(nest, x, i, y, k) || nest_are_beside(nest, x, i, y, k, depth)) {
                continue;
            }
            struct poly_mark mark = poly_mark(pool);
            int count = 0;
            for (int d = 0; d < depth; d++) {
                relations[count++] = (struct pair_relation){nest_way(nest, x->loops[d], y->loops[d]), true};
            }
            const struct poly *later = poly_plus(pool, nest_way(nest, x->loops[depth], y->loops[depth]), -1);
            relations[count++] = (struct pair_relation){later, false};
            count += nest_side_relations(nest, x, false, &relations[count]);
            count += nest_side_relations(nest, y, true, &relations[count]);
            may_meet = nest_may_meet(nest, x->accesses[i], y->accesses[k], relations, count);
            poly_release(pool, mark);
        }
    }
    return may_meet;
}

// Whether the iterations of the loop on each side of its pivot are independent.
static bool is_free(struct loop_nest *nest, const struct split_loop *split)
{
    static const enum side sides[] = {SIDE_BELOW, SIDE_ABOVE};
    for (int side = 0; side < 2; side++) {
        if (is_empty_side(nest, split->loop, split->pivot, sides[side])) {
            continue;
        }
        for (int s = 0; s < nest->statement_count; s++) {
            for (int t = 0; t < nest->statement_count; t++) {
                struct statement x = nest->statements[s], y = nest->statements[t];
                if (x.depth <= split->depth || y.depth <= split->depth || x.loops[split->depth] != split->loop ||
                    y.loops[split->depth] != split->loop) {
                    continue;
                }
                x.sides[split->depth] = y.sides[split->depth] = sides[side];
                x.pivots[split->depth] = y.pivots[split->depth] = split->pivot;
                if (may_two_meet(nest, &x, &y, split->depth)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// Whether each of the deepest statements is in one of the loops.
static bool covers_deepest(struct splitting *s)
{
    int deepest = 0;
    for (int i = 0; i < s->nest->statement_count; i++) {
        deepest = s->nest->statements[i].depth > deepest ? s->nest->statements[i].depth : deepest;
    }
    for (int i = 0; i < s->nest->statement_count; i++) {
        const struct statement *statement = &s->nest->statements[i];
        bool is_covered = statement->depth < deepest;
        for (int d = 0; d < statement->depth; d++) {
            is_covered |= find_split(s, statement->loops[d]) != NULL;
        }
        if (!is_covered) {
            return false;
        }
    }
    return true;
}

// ---- pieces --------------------------------------------------------------------------------------------------------

static const struct ir_inst *without_widening(const struct ir_inst *value)
{
    return value->op == IR_OP_SEXT || value->op == IR_OP_ZEXT ? value->args[0] : value;
}

// The statement is `if (i != k) …`, and the piece that in which i is k.
static bool does_nothing(const struct loop_nest *nest, const struct statement *piece)
{
    const struct ir_inst *branch = piece->first;
    if (branch != piece->last || branch->op != IR_OP_IF || branch->regions[1].first != NULL ||
        branch->args[0]->op != IR_OP_NE) {
        return false;
    }
    int ids[2] = {-1, -1};
    for (int i = 0; i < 2; i++) {
        const struct ir_inst *value = without_widening(branch->args[0]->args[i]);
        const struct ir_inst *loop = value->op == IR_OP_GET ? nest_counting_loop(nest, value) : NULL;
        for (int d = 0; d < piece->depth && loop != NULL; d++) {
            ids[i] = piece->loops[d]->inst == loop ? piece->loops[d]->variable : ids[i];
        }
    }
    for (int d = 0; d < piece->depth; d++) {
        int pivot, own = piece->loops[d]->variable;
        if (piece->sides[d] == SIDE_AT && poly_is_atom(piece->pivots[d], &pivot) &&
            ((ids[0] == own && ids[1] == pivot) || (ids[1] == own && ids[0] == pivot))) {
            return true;
        }
    }
    return false;
}

// |out| gets the pieces of the statement, in the order of the source's iterations. False: there are too many.
static bool add_pieces(struct splitting *s, const struct statement *statement, int depth, struct statement *out,
                       int *count)
{
    while (depth < statement->depth && find_split(s, statement->loops[depth]) == NULL) {
        depth++;
    }
    if (depth == statement->depth) {
        if (does_nothing(s->nest, statement)) {
            return true;
        }
        if (*count == NEST_STATEMENTS) {
            return false;
        }
        out[(*count)++] = *statement;
        return true;
    }
    const struct split_loop *split = find_split(s, statement->loops[depth]);
    bool rises = split->loop->inst->loop->step > 0;
    for (int i = 0; i < 3; i++) {
        struct statement piece = *statement;
        piece.sides[depth] = rises ? SIDE_BELOW + i : SIDE_ABOVE - i;
        piece.pivots[depth] = split->pivot;
        piece.is_pinned[depth] = piece.sides[depth] == SIDE_AT;
        if (!is_empty_side(s->nest, split->loop, split->pivot, piece.sides[depth]) &&
            !add_pieces(s, &piece, depth + 1, out, count)) {
            return false;
        }
    }
    return true;
}

static bool make_pieces(struct splitting *s)
{
    struct loop_nest *nest = s->nest;
    struct statement *pieces = ARENA_ARRAY(nest->an->arena, struct statement, NEST_STATEMENTS);
    int count = 0;
    for (int i = 0; i < nest->statement_count; i++) {
        if (!add_pieces(s, &nest->statements[i], 0, pieces, &count)) {
            return false;
        }
    }
    memcpy(nest->statements, pieces, sizeof *pieces * (size_t)count);
    nest->statement_count = count;
    return true;
}

// ---- the source's order --------------------------------------------------------------------------------------------

static struct order *source_order(struct splitting *s, statement_set set, int depth);

static struct order *source_loop(struct splitting *s, statement_set set, int depth)
{
    struct order *order = ARENA_NEW(s->nest->an->arena, struct order);
    order->kind = ORDER_LOOP;
    order->statements = set;
    order->is_parallel = true; // as far as the analysis finds it to be
    for (int i = 0; i < NEST_STATEMENTS; i++) {
        order->loops[i] = depth;
    }
    order->first = source_order(s, set, depth + 1);
    return order;
}

// The statements that are in one loop with |first|, on one side of its pivot.
static statement_set take_together(const struct splitting *s, statement_set set, int first, int depth)
{
    const struct statement *x = &s->nest->statements[first];
    statement_set together = 0;
    for (int i = first; i < s->nest->statement_count; i++) {
        const struct statement *y = &s->nest->statements[i];
        if (has(set, i) && depth < y->depth && y->loops[depth] == x->loops[depth]) {
            together |= (statement_set)1 << i;
        }
    }
    return together;
}

static statement_set on_side(const struct splitting *s, statement_set set, int depth, enum side side)
{
    statement_set found = 0;
    for (int i = 0; i < s->nest->statement_count; i++) {
        found |= has(set, i) && s->nest->statements[i].sides[depth] == side ? (statement_set)1 << i : 0;
    }
    return found;
}

static struct order *source_order(struct splitting *s, statement_set set, int depth)
{
    struct order *head = NULL, **end = &head;
    while (set != 0) {
        int first = __builtin_ctz(set);
        const struct statement *statement = &s->nest->statements[first];
        if (statement->depth == depth) {
            struct order *rest = ARENA_NEW(s->nest->an->arena, struct order);
            rest->kind = ORDER_REST;
            rest->statements = (statement_set)1 << first;
            *end = rest;
            end = &rest->next;
            set &= ~rest->statements;
            continue;
        }
        statement_set together = take_together(s, set, first, depth);
        set &= ~together;
        bool is_split = statement->sides[depth] != SIDE_ALL;
        bool rises = statement->loops[depth]->inst->loop->step > 0;
        for (int i = 0; i < (is_split ? 3 : 1); i++) {
            enum side side = !is_split ? SIDE_ALL : rises ? SIDE_BELOW + i : SIDE_ABOVE - i;
            statement_set own = on_side(s, together, depth, side);
            if (own != 0) { // sides may be empty, or do nothing
                *end = side == SIDE_AT ? source_order(s, own, depth + 1) : source_loop(s, own, depth);
            }
            while (*end != NULL) {
                end = &(*end)->next;
            }
        }
    }
    return head;
}

// ---- the pass ------------------------------------------------------------------------------------------------------

// Loops around all of the statements that are outside of every loop that is split.
static int outer_depth(const struct splitting *s)
{
    const struct statement *first = &s->nest->statements[0];
    int depth = 0;
    for (; depth < first->depth; depth++) {
        bool is_common = first->sides[depth] == SIDE_ALL;
        for (int i = 1; i < s->nest->statement_count && is_common; i++) {
            const struct statement *other = &s->nest->statements[i];
            is_common = depth < other->depth && other->loops[depth] == first->loops[depth];
        }
        if (!is_common) {
            break;
        }
    }
    return depth;
}

static bool find_splits(struct splitting *s)
{
    struct loop_nest *nest = s->nest;
    for (int i = 0; i < nest->statement_count; i++) {
        for (int k = 0; k < nest->statement_count; k++) {
            find_pivots_of(s, &nest->statements[i], &nest->statements[k]);
        }
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (is_free(nest, &s->items[i])) {
            s->items[kept++] = s->items[i];
        }
    }
    s->count = kept;
    return kept > 0 && covers_deepest(s);
}

struct order *nest_split(struct loop_nest *nest)
{
    struct splitting s = {.nest = nest};
    int tested = nest->conditions.count;
    if (!find_splits(&s) || !make_pieces(&s)) {
        nest->conditions.count = tested;
        return NULL;
    }
    // Tests that another order would have needed are none of this one's.
    nest->conditions.count = 0;
    if (nest->module->is_gpu) {
        struct order *levels = nest_levels(nest, outer_depth(&s));
        if (levels != NULL) {
            return levels;
        }
        nest->conditions.count = 0;
    }
    nest_keep_pairs_of_values(nest);
    statement_set all = (statement_set)(((uint64_t)1 << nest->statement_count) - 1);
    return source_order(&s, all, 0);
}

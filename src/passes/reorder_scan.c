// Loops with bounds made anew. The iterations of a statement are the integers that the bounds of its loops allow; the
// bounds of one loop, given those that have been placed, are what is left after the other variables have been
// eliminated (Fourier-Motzkin). In a wavefront that may be too wide, for some variables then have factors beyond 1; but
// every row bounds the last of its variables to be placed, so that what is too much outside is empty inside.
#include "passes/reorder_build.h"

#include "analysis/effects/effects.h"
#include "ir/trip.h"

#include <assert.h>

enum { ROWS = 48 };

struct rows { // each >= 0
    const struct poly *items[ROWS];
    int count;
    bool is_refused;
};

static void add_row(struct rows *rows, const struct poly *row)
{
    if (row == NULL || rows->count == ROWS) {
        rows->is_refused = true;
        return;
    }
    for (int i = 0; i < rows->count; i++) {
        if (poly_equal(rows->items[i], row)) {
            return;
        }
    }
    rows->items[rows->count++] = row;
}

// The factor of the variable; |out_rest| gets the rest.
static int64_t factor_of(struct build *b, struct rows *rows, const struct poly *row, int id,
                         const struct poly **out_rest)
{
    enum { MOST = 64 };
    int64_t factor;
    const struct poly *found = poly_coefficient(&b->nest->an->pool, row, id, out_rest);
    if (found == NULL || !poly_is_const(found, &factor) || factor < -MOST || factor > MOST) {
        rows->is_refused = true;
        return 0;
    }
    return factor;
}

static void eliminate(struct build *b, struct rows *rows, int id)
{
    struct poly_pool *pool = &b->nest->an->pool;
    struct rows out = {.is_refused = rows->is_refused};
    for (int i = 0; i < rows->count; i++) {
        const struct poly *low;
        int64_t factor = factor_of(b, &out, rows->items[i], id, &low);
        if (factor == 0) {
            add_row(&out, rows->items[i]);
        }
        for (int k = 0; k < rows->count && factor > 0; k++) {
            const struct poly *high;
            int64_t other = factor_of(b, &out, rows->items[k], id, &high);
            if (other < 0) {
                add_row(&out, poly_add(pool, poly_scale(pool, low, -other), poly_scale(pool, high, factor)));
            }
        }
    }
    *rows = out;
}

static void find_rows(struct build *b, int statement, struct rows *out)
{
    struct poly_pool *pool = &b->nest->an->pool;
    const struct statement *s = &b->nest->statements[statement];
    *out = (struct rows){0};
    for (int d = 0; d < s->depth; d++) {
        const struct loop_info *loop = s->loops[d];
        out->is_refused |= trip_of(loop->inst->loop).stride != 1;
        const struct poly *variable = poly_atom(pool, loop->variable);
        add_row(out, poly_sub(pool, variable, loop->first));
        add_row(out, poly_sub(pool, loop->last, variable));
        if (s->sides[d] == SIDE_BELOW || (s->sides[d] == SIDE_AT && !s->is_pinned[d])) {
            add_row(out, poly_plus(pool, poly_sub(pool, s->pivots[d], variable), s->sides[d] == SIDE_BELOW ? -1 : 0));
        }
        if (s->sides[d] == SIDE_ABOVE || (s->sides[d] == SIDE_AT && !s->is_pinned[d])) {
            add_row(out, poly_plus(pool, poly_sub(pool, variable, s->pivots[d]), s->sides[d] == SIDE_ABOVE ? -1 : 0));
        }
    }
    for (int d = s->depth - 1; d >= 0; d--) { // a pivot may depend on loops further out
        for (int i = 0; i < out->count && s->is_pinned[d]; i++) {
            out->items[i] = poly_replace(pool, out->items[i], s->loops[d]->variable, s->pivots[d]);
            out->is_refused |= out->items[i] == NULL;
        }
    }
    const struct wave *wave = b->waves[statement];
    for (int i = 0; wave != NULL && i < out->count; i++) {
        out->items[i] = poly_replace(pool, out->items[i], s->loops[wave->order->solved]->variable, wave->value);
        out->is_refused |= out->items[i] == NULL;
    }
}

// ---- bounds --------------------------------------------------------------------------------------------------------

struct edges { // values[i] / divisors[i], rounded up of lows and down of highs
    const struct poly *values[ROWS];
    int64_t divisors[ROWS];
    int count;
};

struct bounds { // the variable is at least each of the lows, at most each of the highs
    struct edges lows;
    struct edges highs;
};

// Drops a bound where another one is always at least as strict.
static void prune(struct build *b, struct edges *edges, bool is_low)
{
    struct analysis *an = b->nest->an;
    for (int i = 0; i < edges->count; i++) {
        for (int k = 0; k < edges->count; k++) {
            const struct poly *more = poly_sub(&an->pool, edges->values[is_low ? k : i], edges->values[is_low ? i : k]);
            if (k != i && edges->divisors[i] == edges->divisors[k] &&
                value_is_nonnegative(an, more, b->nest->root->guards)) {
                edges->count--;
                edges->values[i] = edges->values[edges->count];
                edges->divisors[i--] = edges->divisors[edges->count];
                break;
            }
        }
    }
}

static void add_edge(struct edges *edges, const struct poly *value, int64_t divisor)
{
    edges->values[edges->count] = value;
    edges->divisors[edges->count++] = divisor;
}

// Of the variable |id|: that of loop |loop|, or the number of a wavefront (|loop| < 0).
static bool find_bounds(struct build *b, int statement, int loop, int id, struct bounds *out)
{
    struct poly_pool *pool = &b->nest->an->pool;
    const struct statement *s = &b->nest->statements[statement];
    struct rows rows;
    find_rows(b, statement, &rows);
    for (int d = 0; d < s->depth && !rows.is_refused; d++) {
        if (d != loop && !build_is_placed(b, statement, d)) {
            eliminate(b, &rows, s->loops[d]->variable);
        }
    }
    *out = (struct bounds){0};
    for (int i = 0; i < rows.count && !rows.is_refused; i++) {
        const struct poly *rest;
        int64_t factor = factor_of(b, &rows, rows.items[i], id, &rest);
        if (factor > 0) {
            add_edge(&out->lows, poly_scale(pool, rest, -1), factor);
        } else if (factor < 0) {
            add_edge(&out->highs, rest, -factor);
        }
    }
    prune(b, &out->lows, true);
    prune(b, &out->highs, false);
    return !rows.is_refused && out->lows.count > 0 && out->highs.count > 0;
}

// ---- code ----------------------------------------------------------------------------------------------------------

static struct ir_inst *add_term(struct build *b, struct ir_inst *sum, struct ir_inst *value, int64_t factor)
{
    struct ir_inst *term =
        factor == 1 ? value : ir_emit2(&b->to, IR_OP_MUL, IR_I64, value, ir_const(&b->to, IR_I64, factor));
    return sum == NULL ? term : ir_emit2(&b->to, IR_OP_ADD, IR_I64, sum, term);
}

static bool is_small(const struct analysis *an, const struct poly *value)
{
    const poly_wide limit = (poly_wide)1 << 58;
    struct poly_range range = value_range(an, value);
    return range.lo > -limit && range.hi < limit;
}

// What does not change in the nest, computed in 64 bits: that it fits is tested by the launch if it has to be.
static struct ir_inst *emit_known(struct build *b, const struct poly *value)
{
    struct loop_nest *nest = b->nest;
    const struct var_values *entry = &nest->root->entry;
    if (!is_small(nest->an, value)) {
        struct plan_expr *fits = value_terms_within(nest->an, value, (int64_t)1 << 56, entry);
        if (fits == NULL) {
            return NULL;
        }
        VEC_PUSH(nest->an->arena, &nest->conditions,
                 (struct plan_condition){.expr = fits, .text = "", .loc = nest->root->inst->loc});
    }
    return nest_emit_expr(&b->to, nest->kernel, value_expr(nest->an, value, entry));
}

struct ir_inst *scan_value(struct build *b, int statement, const struct poly *value)
{
    struct poly_pool *pool = &b->nest->an->pool;
    const struct statement *s = &b->nest->statements[statement];
    const struct wave *wave = b->waves[statement];
    struct ir_inst *sum = NULL;
    for (int d = -1; d < s->depth; d++) {
        const struct poly *rest;
        int64_t factor;
        int id = d >= 0 ? s->loops[d]->variable : wave != NULL ? wave->atom : -1;
        if (id < 0 || !poly_mentions(value, id)) {
            continue;
        }
        const struct poly *found = poly_coefficient(pool, value, id, &rest);
        if (found == NULL || !poly_is_const(found, &factor) ||
            (d >= 0 && (b->vars[statement][d] == NULL || !is_small(b->nest->an, poly_atom(pool, id))))) {
            return NULL;
        }
        struct ir_inst *one = d >= 0 ? build_wide_value(b, &b->to, statement, d) : ir_get(&b->to, wave->var);
        sum = add_term(b, sum, one, factor);
        value = rest;
    }
    int64_t constant;
    if (sum != NULL && poly_is_const(value, &constant) && constant == 0) {
        return sum;
    }
    struct ir_inst *known = emit_known(b, value);
    return known == NULL || sum == NULL ? known : ir_emit2(&b->to, IR_OP_ADD, IR_I64, sum, known);
}

// Divisors are powers of two: a shift rounds down.
static struct ir_inst *emit_edge(struct build *b, int statement, const struct edges *edges, int index, bool is_low)
{
    int64_t divisor = edges->divisors[index];
    const struct poly *value = edges->values[index];
    if ((divisor & (divisor - 1)) != 0) {
        return NULL;
    }
    value = is_low ? poly_plus(&b->nest->an->pool, value, divisor - 1) : value;
    struct ir_inst *made = value == NULL ? NULL : scan_value(b, statement, value);
    if (made == NULL || divisor == 1) {
        return made;
    }
    return ir_emit2(&b->to, IR_OP_ASHR, IR_I64, made, ir_const(&b->to, IR_I64, __builtin_ctzll((uint64_t)divisor)));
}

static struct ir_inst *emit_extreme(struct build *b, int statement, const struct edges *edges, bool is_low)
{
    struct ir_inst *found = NULL;
    for (int i = 0; i < edges->count; i++) {
        struct ir_inst *one = emit_edge(b, statement, edges, i, is_low);
        if (one == NULL) {
            return NULL;
        }
        found = found == NULL ? one : ir_emit2(&b->to, is_low ? IR_OP_SMAX : IR_OP_SMIN, IR_I64, found, one);
    }
    return found;
}

static bool is_plain(const struct edges *edges)
{
    return edges->count == 1 && edges->divisors[0] == 1;
}

// Two bounds of one expression each whose difference is known: which is the wider one.
static int wider_of(struct build *b, const struct edges *x, const struct edges *y, bool is_low)
{
    struct analysis *an = b->nest->an;
    if (!is_plain(x) || !is_plain(y)) {
        return 0;
    }
    const struct poly *more = poly_sub(&an->pool, x->values[0], y->values[0]);
    if (value_is_nonnegative(an, more, b->nest->root->guards)) {
        return is_low ? 2 : 1;
    }
    if (value_is_nonnegative(an, poly_scale(&an->pool, more, -1), b->nest->root->guards)) {
        return is_low ? 1 : 2;
    }
    return 0;
}

static bool is_same_bound(const struct edges *x, const struct edges *y)
{
    return is_plain(x) && is_plain(y) && poly_equal(x->values[0], y->values[0]);
}

struct scan {
    struct bounds *bounds[NEST_STATEMENTS];
    struct ir_inst *lows[NEST_STATEMENTS];
    struct ir_inst *highs[NEST_STATEMENTS];
};

// The bound that all statements are within.
static struct ir_inst *emit_union(struct build *b, statement_set set, const struct scan *scan, bool is_low)
{
    struct ir_inst *found = NULL;
    int widest = -1;
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((set >> i & 1) == 0) {
            continue;
        }
        struct ir_inst *own = is_low ? scan->lows[i] : scan->highs[i];
        int wider = widest < 0 ? 0
                               : wider_of(b, is_low ? &scan->bounds[widest]->lows : &scan->bounds[widest]->highs,
                                          is_low ? &scan->bounds[i]->lows : &scan->bounds[i]->highs, is_low);
        if (found == NULL || wider == 2) {
            found = own;
            widest = i;
        } else if (wider != 1) {
            found = ir_emit2(&b->to, is_low ? IR_OP_SMIN : IR_OP_SMAX, IR_I64, found, own);
            widest = -1;
        }
    }
    return found;
}

// What must hold for the statement beside the loop that it shares.
static void add_guard(struct build *b, int statement, struct ir_var *var, enum ir_op op, struct ir_inst *bound)
{
    struct build_guard *guard = ARENA_NEW(b->nest->an->arena, struct build_guard);
    *guard = (struct build_guard){op, var, bound, b->guards[statement]};
    b->guards[statement] = guard;
}

static void add_guards(struct build *b, statement_set set, const struct scan *scan, struct ir_inst *loop)
{
    int first = __builtin_ctz(set);
    bool rises = loop->loop->step > 0;
    const struct ir_inst *low = loop->args[rises ? 0 : 1], *high = loop->args[rises ? 1 : 0];
    bool is_same_low = true, is_same_high = true;
    for (int i = first; i < b->nest->statement_count; i++) {
        if ((set >> i & 1) != 0) {
            is_same_low &= i == first || is_same_bound(&scan->bounds[i]->lows, &scan->bounds[first]->lows);
            is_same_high &= i == first || is_same_bound(&scan->bounds[i]->highs, &scan->bounds[first]->highs);
        }
    }
    for (int i = first; i < b->nest->statement_count; i++) {
        if ((set >> i & 1) == 0) {
            continue;
        }
        if (!is_same_low && scan->lows[i] != low) {
            add_guard(b, i, loop->loop->var, IR_OP_SGE, scan->lows[i]);
        }
        if (!is_same_high && scan->highs[i] != high) {
            add_guard(b, i, loop->loop->var, IR_OP_SLE, scan->highs[i]);
        }
    }
}

static bool emit_bounds(struct build *b, const struct order *order, struct scan *scan)
{
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((order->statements >> i & 1) == 0) {
            continue;
        }
        bool is_wave = scan_is_wave(order);
        int loop = is_wave ? -1 : order->loops[i];
        int id = is_wave ? b->waves[i]->atom : b->nest->statements[i].loops[loop]->variable;
        scan->bounds[i] = ARENA_NEW(b->nest->an->arena, struct bounds);
        if (!find_bounds(b, i, loop, id, scan->bounds[i])) {
            return false;
        }
        scan->lows[i] = emit_extreme(b, i, &scan->bounds[i]->lows, true);
        scan->highs[i] = emit_extreme(b, i, &scan->bounds[i]->highs, false);
        if (scan->lows[i] == NULL || scan->highs[i] == NULL) {
            return false;
        }
    }
    return true;
}

// All statements count in one direction.
static bool has_one_direction(const struct build *b, const struct order *order, bool *out_rises)
{
    int seen = 0;
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((order->statements >> i & 1) != 0) {
            bool rises = b->nest->statements[i].loops[order->loops[i]]->inst->loop->step > 0;
            seen |= rises ? 1 : 2;
        }
    }
    *out_rises = seen == 1;
    return seen != 3;
}

// ---- wavefronts ----------------------------------------------------------------------------------------------------

bool scan_is_wave(const struct order *order)
{
    for (int k = 0; k < NEST_DEPTH; k++) {
        if (order->weights[k] != 0) {
            return true;
        }
    }
    return false;
}

// The value of the loop that follows: the wavefront's number less the other loops.
static const struct poly *solve(struct build *b, const struct order *order, int atom)
{
    struct poly_pool *pool = &b->nest->an->pool;
    const struct statement *s = &b->nest->statements[__builtin_ctz(order->statements)];
    const struct poly *value = poly_atom(pool, atom);
    for (int k = 0; k < NEST_DEPTH; k++) {
        if (order->weights[k] != 0 && k != order->solved) {
            int64_t factor = s->loops[k]->inst->loop->step > 0 ? order->weights[k] : -order->weights[k];
            value = poly_sub(pool, value, poly_scale(pool, poly_atom(pool, s->loops[k]->variable), factor));
        }
    }
    return poly_scale(pool, value, s->loops[order->solved]->inst->loop->step > 0 ? 1 : -1);
}

static void add_wave(struct build *b, const struct order *order, struct ir_var *var)
{
    struct analysis *an = b->nest->an;
    struct wave *wave = ARENA_NEW(an->arena, struct wave);
    struct atom atom = {
        .kind = ATOM_UNKNOWN, .type = IR_I64, .home = b->nest->root, .range = {-POLY_INFINITY, POLY_INFINITY}};
    wave->order = order;
    wave->var = var;
    wave->atom = atom_create(an, atom);
    wave->value = solve(b, order, wave->atom);
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((order->statements >> i & 1) != 0) {
            b->waves[i] = wave;
        }
    }
}

// ---- pivots --------------------------------------------------------------------------------------------------------

// Whether the loops outside it have been placed: they may determine which values it has.
static bool are_outer_placed(const struct build *b, int statement, int loop)
{
    for (int d = 0; d < loop; d++) {
        if (!build_is_placed(b, statement, d)) {
            return false;
        }
    }
    return true;
}

// That the pivot is one of the loop's values.
static bool guard_pin(struct build *b, int statement, int loop)
{
    struct analysis *an = b->nest->an;
    const struct statement *s = &b->nest->statements[statement];
    const struct poly *rows[2] = {poly_sub(&an->pool, s->pivots[loop], s->loops[loop]->first),
                                  poly_sub(&an->pool, s->loops[loop]->last, s->pivots[loop])};
    for (int i = 0; i < 2; i++) {
        for (int d = loop - 1; d >= 0; d--) {
            rows[i] = s->is_pinned[d] ? poly_replace(&an->pool, rows[i], s->loops[d]->variable, s->pivots[d]) : rows[i];
        }
        if (rows[i] == NULL) {
            return false;
        }
        if (value_is_nonnegative(an, rows[i], b->nest->root->guards)) {
            continue;
        }
        struct ir_inst *row = scan_value(b, statement, rows[i]);
        if (row == NULL) {
            return false;
        }
        add_guard(b, statement, NULL, IR_OP_SLE, row);
    }
    return true;
}

bool scan_pins(struct build *b, statement_set set)
{
    for (int i = 0; i < b->nest->statement_count; i++) {
        const struct statement *s = &b->nest->statements[i];
        for (int d = 0; d < s->depth && (set >> i & 1) != 0; d++) {
            if (!s->is_pinned[d] || b->pins[i][d] != NULL || !are_outer_placed(b, i, d)) {
                continue;
            }
            const struct poly *pivot = s->pivots[d];
            for (int outer = d - 1; outer >= 0 && pivot != NULL; outer--) {
                pivot = s->is_pinned[outer]
                            ? poly_replace(&b->nest->an->pool, pivot, s->loops[outer]->variable, s->pivots[outer])
                            : pivot;
            }
            b->pins[i][d] = pivot == NULL ? NULL : scan_value(b, i, pivot);
            if (b->pins[i][d] == NULL || !guard_pin(b, i, d)) {
                return false;
            }
        }
    }
    return true;
}

// ---- spaces of a wavefront -----------------------------------------------------------------------------------------

// Whether the last loop of a wavefront is made with its own bounds, which do not depend on the loop around it, and what
// is not in the wavefront is guarded. On a GPU the two are then one space of threads; many find nothing to do, but each
// of the others would have a row of points to itself.
static bool is_space(const struct build *b, const struct order *order)
{
    int first = __builtin_ctz(order->statements);
    const struct loop_info *loop = b->nest->statements[first].loops[order->loops[first]];
    bool is_one = b->nest->module->is_gpu && order->is_parallel && b->is_parallel_outside;
    for (int i = 0; i < b->nest->statement_count && is_one; i++) {
        const struct statement *s = &b->nest->statements[i];
        if ((order->statements >> i & 1) == 0) {
            continue;
        }
        is_one = b->waves[i] != NULL && b->waves[i] == b->waves[first] && s->loops[order->loops[i]] == loop;
        for (int d = 0; d < s->depth && is_one; d++) {
            is_one = (d == order->loops[i] || build_is_placed(b, i, d)) &&
                     !poly_mentions(loop->first, s->loops[d]->variable) &&
                     !poly_mentions(loop->last, s->loops[d]->variable);
        }
    }
    return is_one;
}

// That the point is one of the statement's: the loop that follows from the wavefront is within its bounds.
static bool guard_solved(struct build *b, int statement)
{
    struct poly_pool *pool = &b->nest->an->pool;
    const struct statement *s = &b->nest->statements[statement];
    const struct wave *wave = b->waves[statement];
    const struct loop_info *solved = s->loops[wave->order->solved];
    const struct poly *rows[2] = {poly_sub(pool, wave->value, solved->first),
                                  poly_sub(pool, solved->last, wave->value)};
    for (int i = 0; i < 2; i++) {
        struct ir_inst *row = rows[i] == NULL ? NULL : scan_value(b, statement, rows[i]);
        if (row == NULL) {
            return false;
        }
        add_guard(b, statement, NULL, IR_OP_SLE, row);
    }
    return true;
}

static bool scan_space(struct build *b, const struct order *order)
{
    int first = __builtin_ctz(order->statements);
    struct loop_info *loop = b->nest->statements[first].loops[order->loops[first]];
    b->to.loc = loop->inst->loc;
    struct ir_inst *low = scan_value(b, first, loop->first), *high = scan_value(b, first, loop->last);
    if (low == NULL || high == NULL) {
        return false;
    }
    struct ir_var *var = build_new_var(b, loop->inst, IR_I64);
    struct ir_inst *made = ir_emit_for(&b->to, var, low, high, IR_OP_SLE, 1);
    b->to.region = &made->regions[0];
    b->to.before = NULL;
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((order->statements >> i & 1) != 0) {
            b->vars[i][order->loops[i]] = var;
            if (!guard_solved(b, i)) {
                return false;
            }
        }
    }
    return true;
}

bool scan_loop(struct build *b, const struct order *order)
{
    if (is_space(b, order)) {
        return scan_space(b, order);
    }
    b->is_parallel_outside = order->is_parallel;
    assert(order->kind == ORDER_LOOP);
    int first = __builtin_ctz(order->statements);
    struct ir_inst *from = b->nest->statements[first].loops[order->loops[first]]->inst;
    struct scan *scan = ARENA_NEW(b->nest->an->arena, struct scan);
    bool is_wave = scan_is_wave(order), rises = true;
    struct ir_var *var = build_new_var(b, from, IR_I64);
    b->to.loc = from->loc;
    if (is_wave) {
        add_wave(b, order, var);
    } else if (order->is_strip || (!has_one_direction(b, order, &rises) && !order->is_parallel)) {
        return false;
    }
    if (!emit_bounds(b, order, scan)) {
        return false;
    }
    struct ir_inst *low = emit_union(b, order->statements, scan, true);
    struct ir_inst *high = emit_union(b, order->statements, scan, false);
    struct ir_inst *made =
        rises ? ir_emit_for(&b->to, var, low, high, IR_OP_SLE, 1) : ir_emit_for(&b->to, var, high, low, IR_OP_SGE, -1);
    made->loop->carries = !order->is_parallel && order->first != NULL; // of the rest it is for the analysis to say
    b->to.region = &made->regions[0];
    b->to.before = NULL;
    for (int i = 0; i < b->nest->statement_count; i++) {
        if ((order->statements >> i & 1) != 0) {
            if (!is_wave) {
                b->vars[i][order->loops[i]] = var;
            }
            b->has_new_bounds[i] = true;
        }
    }
    add_guards(b, order->statements, scan, made);
    return true;
}

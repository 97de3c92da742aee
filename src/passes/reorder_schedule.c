// Chooses the order of a nest. Statements that depend on each other in a circle stay together; the others may be
// distributed. A loop with which all dependences among some statements have the distance zero is parallel wherever it
// stands, and goes outside. Where there is none, one loop runs in order, and what it does not carry is looked at again;
// it may be a different loop for each statement, so that they are aligned on the loop that carries their dependences.
//
// A GPU wants as many parallel loops outside as it can get. A CPU wants one, and else the source's order, which has
// been written with caches in mind.
#include "ir/trip.h"
#include "ir/walk.h"
#include "passes/reorder_nest.h"

#include <assert.h>

enum {
    PARALLEL_GPU = 3, // loops that a GPU takes as one space
    PARALLEL_CPU = 1,
    MAX_CHOICES = 64, // ways to align statements that are tried
};

struct scheduler {
    struct loop_nest *nest;
    uint8_t used[NEST_STATEMENTS]; // by statement: a bit for each loop that has been placed
    int most_parallel;             // loops that are wanted around a statement
    bool is_aligned;               // loops outside have bounds made anew: those inside are no statements' own any more
};

struct group {
    statement_set statements;
    int parallel[NEST_DEPTH]; // loops that all of them are in and that are parallel
    int parallel_count;
};

struct groups {
    struct group items[NEST_STATEMENTS];
    int count;
};

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

static int first_of(statement_set set)
{
    return __builtin_ctz(set);
}

// ---- parallel loops ------------------------------------------------------------------------------------------------

// Whether all of the statements are in the loop number |loop| of the first one, and it has not been placed.
static bool is_common(const struct scheduler *s, statement_set set, int loop)
{
    const struct statement *first = &s->nest->statements[first_of(set)];
    for (int i = 0; i < s->nest->statement_count; i++) {
        const struct statement *statement = &s->nest->statements[i];
        if (has(set, i) && (loop >= statement->depth || statement->loops[loop] != first->loops[loop] ||
                            (s->used[i] >> loop & 1) != 0)) {
            return false;
        }
    }
    return true;
}

static bool is_active(const struct scheduler *s, const bool *active, statement_set set, int d)
{
    const struct dependence *dependence = &s->nest->dependences.items[d];
    return active[d] && has(set, dependence->from) && has(set, dependence->to);
}

static bool is_parallel(const struct scheduler *s, const bool *active, statement_set set, int loop)
{
    for (int d = 0; d < s->nest->dependences.count; d++) {
        if (is_active(s, active, set, d)) {
            struct distance distance = nest_distance(s->nest, d, loop, loop);
            if (distance.may_be_negative || distance.may_be_positive) {
                return false;
            }
        }
    }
    return true;
}

// Loops of which a device can use no more are not looked for.
static struct group group_of(const struct scheduler *s, const bool *active, statement_set set)
{
    struct group group = {.statements = set};
    for (int loop = 0; loop < NEST_DEPTH && group.parallel_count < s->most_parallel; loop++) {
        if (is_common(s, set, loop) && is_parallel(s, active, set, loop)) {
            group.parallel[group.parallel_count++] = loop;
        }
    }
    return group;
}

// Whether a GPU has one loop to share out, while each of its threads would run two loops or more inside each other: a
// launch for each iteration of one of them, with two loops to share out, takes less time than threads that wait for
// their memory.
static bool is_poor(const struct scheduler *s, const struct group *group)
{
    int deepest = 0;
    for (int i = 0; i < s->nest->statement_count; i++) {
        int open = s->nest->statements[i].depth - __builtin_popcount(s->used[i]);
        deepest = has(group->statements, i) && open > deepest ? open : deepest;
    }
    return s->nest->module->is_gpu && group->parallel_count == 1 && deepest > 2;
}

// Whether another order would run along memory: such statements are best alone.
static bool has_rows(const struct scheduler *s, const bool *active, statement_set set)
{
    int loops[NEST_DEPTH];
    return !s->is_aligned && nest_rows(s->nest, active, set, s->used, loops) > 0;
}

// ---- distribution --------------------------------------------------------------------------------------------------

// Statements that depend on each other in a circle, as sets; which depend on which, directly or not, in |reaches|.
static void find_reach(const struct scheduler *s, const bool *active, statement_set set, statement_set *reaches)
{
    int count = s->nest->statement_count;
    for (int i = 0; i < count; i++) {
        reaches[i] = has(set, i) ? (statement_set)1 << i : 0;
    }
    for (int d = 0; d < s->nest->dependences.count; d++) {
        if (is_active(s, active, set, d)) {
            const struct dependence *dependence = &s->nest->dependences.items[d];
            reaches[dependence->from] |= (statement_set)1 << dependence->to;
        }
    }
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < count; i++) {
            reaches[i] |= has(reaches[i], k) ? reaches[k] : 0;
        }
    }
}

// The circle of the first statement in the source of which everything it depends on has been taken.
static statement_set next_circle(const statement_set *reaches, statement_set left, int count)
{
    for (int i = 0; i < count; i++) {
        statement_set circle = 0, before = 0;
        for (int k = 0; has(left, i) && k < count; k++) {
            bool is_circle = has(reaches[i], k) && has(reaches[k], i);
            circle |= is_circle ? (statement_set)1 << k : 0;
            before |= has(left, k) && has(reaches[k], i) && !is_circle ? (statement_set)1 << k : 0;
        }
        if (has(left, i) && before == 0) {
            return circle;
        }
    }
    assert(false);
    return left;
}

// Neighbours that lose no parallel loop by it stay in one group.
static void distribute(const struct scheduler *s, const bool *active, statement_set set, struct groups *out)
{
    statement_set reaches[NEST_STATEMENTS];
    find_reach(s, active, set, reaches);
    out->count = 0;
    for (statement_set left = set; left != 0;) {
        statement_set circle = next_circle(reaches, left, s->nest->statement_count);
        left &= ~circle;
        struct group group = group_of(s, active, circle);
        if (out->count > 0 && !s->is_aligned) {
            struct group *last = &out->items[out->count - 1];
            struct group both = group_of(s, active, last->statements | circle);
            bool is_as_good = both.parallel_count >= last->parallel_count &&
                              both.parallel_count >= group.parallel_count && !has_rows(s, active, last->statements) &&
                              !has_rows(s, active, circle);
            if (is_as_good && !is_poor(s, last) && !is_poor(s, &group)) {
                *last = both;
                continue;
            }
        }
        out->items[out->count++] = group;
    }
}

// ---- loops in order ------------------------------------------------------------------------------------------------

static int deepest_of(const struct scheduler *s, statement_set set)
{
    int deepest = 0;
    for (int i = 0; i < s->nest->statement_count; i++) {
        int depth = s->nest->statements[i].depth;
        deepest = has(set, i) && depth > deepest ? depth : deepest;
    }
    return deepest;
}

// Parallel loops of a group, without those that are known to have a few iterations.
static int long_count(const struct scheduler *s, const struct group *group)
{
    enum { FEW = 8 };
    int count = 0;
    for (int p = 0; p < group->parallel_count; p++) {
        const struct loop_info *loop = s->nest->statements[first_of(group->statements)].loops[group->parallel[p]];
        uint64_t trips;
        count += !trip_is_known(loop->inst, &trips) || trips > FEW;
    }
    return count;
}

// How much of the work would be parallel: statements in deeper loops do more of it. |out_most|: all in the deepest are.
static int score_of(const struct scheduler *s, const bool *active, statement_set set, bool *out_most)
{
    struct groups groups;
    distribute(s, active, set, &groups);
    int score = 0, deepest = deepest_of(s, set);
    *out_most = true;
    for (int g = 0; g < groups.count; g++) {
        for (int i = 0; i < s->nest->statement_count; i++) {
            int depth = s->nest->statements[i].depth;
            if (has(groups.items[g].statements, i)) {
                score += depth * depth * long_count(s, &groups.items[g]);
                *out_most &= depth < deepest || groups.items[g].parallel_count > 0;
            }
        }
    }
    return score;
}

static bool is_wave(const struct order *order)
{
    for (int k = 0; k < NEST_DEPTH; k++) {
        if (order->weights[k] != 0) {
            return true;
        }
    }
    return false;
}

// Whether the loop |level| may run in order around its statements. |out| gets the dependences that it does not carry.
static bool may_run_in_order(const struct scheduler *s, const bool *active, const struct order *level, bool *out)
{
    for (int d = 0; d < s->nest->dependences.count; d++) {
        out[d] = false;
        if (is_active(s, active, level->statements, d)) {
            const struct dependence *dependence = &s->nest->dependences.items[d];
            struct distance distance = is_wave(level) ? nest_wave_distance(s->nest, d, level->weights)
                                                      : nest_distance(s->nest, d, level->loops[dependence->from],
                                                                      level->loops[dependence->to]);
            if (distance.may_be_negative) {
                return false;
            }
            out[d] = distance.may_be_zero;
        }
    }
    return true;
}

static bool *new_flags(const struct scheduler *s)
{
    return ARENA_ARRAY(s->nest->an->arena, bool, s->nest->dependences.count + 1);
}

static void place(struct scheduler *s, statement_set set, const int *loops, bool is_placed)
{
    for (int i = 0; i < s->nest->statement_count; i++) {
        if (has(set, i)) {
            s->used[i] = (uint8_t)(is_placed ? s->used[i] | 1 << loops[i] : s->used[i] & ~(1 << loops[i]));
        }
    }
}

// An order that is not the source's has to make most of the work parallel.
static int score_in_order(struct scheduler *s, const bool *active, const struct order *level, bool is_source)
{
    bool *left = new_flags(s);
    if (!may_run_in_order(s, active, level, left)) {
        return -1;
    }
    int most = s->most_parallel;
    s->most_parallel = PARALLEL_GPU; // also on a CPU: what is parallel twice has the better loops inside
    place(s, level->statements, level->loops, true);
    bool is_most;
    int score = score_of(s, left, level->statements, &is_most);
    place(s, level->statements, level->loops, false);
    s->most_parallel = most;
    return is_most || is_source ? score : 0;
}

// The outermost loop that all of them are in, as the source has it.
static bool take_common(const struct scheduler *s, statement_set set, int *loops)
{
    for (int loop = 0; loop < NEST_DEPTH; loop++) {
        if (is_common(s, set, loop)) {
            for (int i = 0; i < NEST_STATEMENTS; i++) {
                loops[i] = loop;
            }
            return true;
        }
    }
    return false;
}

// The score of the source's loops in order, one inside the other until loops further in are parallel. |level| gets the
// outermost one; -1: there is none.
static int score_source(struct scheduler *s, const bool *active, struct order *level)
{
    if (!take_common(s, level->statements, level->loops)) {
        return -1;
    }
    int score = score_in_order(s, active, level, true);
    if (score == 0) {
        bool *left = new_flags(s);
        struct order next = {.statements = level->statements};
        may_run_in_order(s, active, level, left);
        place(s, level->statements, level->loops, true);
        score = score_source(s, left, &next);
        place(s, level->statements, level->loops, false);
        score = score > 0 ? score : 0;
    }
    return score;
}

// A loop of each statement's own: choice number |number| of all. False: there are no more.
static bool take_choice(const struct scheduler *s, statement_set set, int number, int *loops)
{
    for (int i = 0; i < s->nest->statement_count; i++) {
        if (!has(set, i)) {
            continue;
        }
        int open[NEST_DEPTH], count = 0;
        for (int loop = 0; loop < s->nest->statements[i].depth; loop++) {
            open[count] = loop;
            count += (s->used[i] >> loop & 1) == 0;
        }
        if (count == 0) {
            return false;
        }
        loops[i] = open[number % count];
        number /= count;
    }
    return number == 0;
}

static bool holds_loop(const struct statement *statement)
{
    for (const struct ir_inst *inst = statement->first; inst != statement->last->next;
         inst = walk_next(inst, statement->first->parent)) {
        if (inst->op == IR_OP_FOR) {
            return true;
        }
    }
    return false;
}

// On a CPU an order that is not the source's needs work to pay for it: two loops inside the one that runs in order, of
// which one may be in the statement. With one alone a wavefront gains nothing, and an aligned statement runs down a
// column.
static bool has_deep_loops(const struct scheduler *s, statement_set set)
{
    bool has_deep = s->nest->module->is_gpu;
    for (int i = 0; i < s->nest->statement_count; i++) {
        const struct statement *statement = &s->nest->statements[i];
        int open = statement->depth - __builtin_popcount(s->used[i]);
        has_deep |= has(set, i) && open + (open == 2 && holds_loop(statement)) > 2;
    }
    return has_deep;
}

// Sums of the loops that all of the statements are in, the innermost of these by weight 1. Wavefront number |number|;
// false: there are no more.
static bool take_wave(const struct scheduler *s, statement_set set, int number, struct order *out)
{
    static const int weights[] = {0, 1, 2, 4};
    int common[NEST_DEPTH], count = 0;
    for (int loop = 0; loop < NEST_DEPTH; loop++) {
        common[count] = loop;
        count += is_common(s, set, loop);
    }
    if (count < 2) {
        return false;
    }
    memset(out->weights, 0, sizeof out->weights);
    out->solved = common[count - 1];
    out->weights[out->solved] = 1;
    for (int k = count - 2; k >= 0; k--) {
        out->weights[common[k]] = weights[number % 4];
        number /= 4;
    }
    for (int i = 0; i < NEST_STATEMENTS; i++) {
        out->loops[i] = out->solved;
    }
    return number == 0;
}

// The loop that runs in order around the statements; the score of what is parallel inside, 0 if nothing is.
static int choose_in_order(struct scheduler *s, const bool *active, struct order *level)
{
    statement_set set = level->statements;
    int best = score_source(s, active, level);
    struct order tried = {.statements = set}, wave = tried;
    bool may_change = has_deep_loops(s, set);
    for (int number = 0; number < MAX_CHOICES && may_change && take_choice(s, set, number, tried.loops); number++) {
        int score = score_in_order(s, active, &tried, false);
        if (score > best) {
            best = score;
            *level = tried;
        }
    }
    may_change &= !s->is_aligned;
    for (int number = 1; number < MAX_CHOICES && may_change && take_wave(s, set, number, &wave); number++) {
        int score = score_in_order(s, active, &wave, false);
        if (score > best) {
            best = score;
            *level = wave;
        }
    }
    return best > 0 ? best : 0;
}

// ---- the order -----------------------------------------------------------------------------------------------------

static struct order *schedule(struct scheduler *s, const bool *active, statement_set set);

static struct order *new_order(const struct scheduler *s, enum order_kind kind, statement_set set)
{
    struct order *order = ARENA_NEW(s->nest->an->arena, struct order);
    order->kind = kind;
    order->statements = set;
    return order;
}

// Whether a loop outside it, that all of them are in, is still to be placed.
static bool is_moved(const struct scheduler *s, statement_set set, int loop)
{
    for (int i = 0; i < loop; i++) {
        if ((s->used[first_of(set)] >> i & 1) == 0) {
            return true;
        }
    }
    return false;
}

// All of the statements' loops, in the order of |loops|.
static struct order *rows_order(const struct scheduler *s, statement_set set, const int *loops, int count)
{
    struct order *inner = new_order(s, ORDER_REST, set);
    for (int k = count - 1; k >= 0; k--) {
        struct order *order = new_order(s, ORDER_LOOP, set);
        for (int i = 0; i < NEST_STATEMENTS; i++) {
            order->loops[i] = loops[k];
        }
        order->is_parallel = k == 0;
        order->first = inner;
        inner = order;
    }
    return inner;
}

static struct order *parallel_order(struct scheduler *s, const bool *active, const struct group *group)
{
    int rows[NEST_DEPTH];
    int row_count = s->is_aligned ? 0 : nest_rows(s->nest, active, group->statements, s->used, rows);
    if (row_count > 0) {
        return rows_order(s, group->statements, rows, row_count);
    }
    struct order *outer = NULL, **place_of = &outer;
    uint8_t used[NEST_STATEMENTS];
    memcpy(used, s->used, sizeof used);
    for (int p = 0; p < group->parallel_count; p++) {
        struct order *order = new_order(s, ORDER_LOOP, group->statements);
        for (int i = 0; i < NEST_STATEMENTS; i++) {
            order->loops[i] = group->parallel[p];
        }
        order->is_parallel = true;
        order->is_strip = !s->nest->module->is_gpu && is_moved(s, group->statements, group->parallel[p]);
        place(s, group->statements, order->loops, true);
        *place_of = order;
        place_of = &order->first;
    }
    *place_of = s->is_aligned ? schedule(s, active, group->statements) : new_order(s, ORDER_REST, group->statements);
    memcpy(s->used, used, sizeof used);
    return outer;
}

// Whether the loops chosen are one loop of the source, with nothing left outside it.
static bool are_one_loop(const struct scheduler *s, statement_set set, const int *loops)
{
    int loop = loops[first_of(set)];
    for (int i = 0; i < s->nest->statement_count; i++) {
        if (has(set, i) && loops[i] != loop) {
            return false;
        }
    }
    return is_common(s, set, loop) && !is_moved(s, set, loop);
}

static struct order *order_of_group(struct scheduler *s, const bool *active, const struct group *group)
{
    if (group->parallel_count > 0 && !is_poor(s, group)) {
        return parallel_order(s, active, group);
    }
    struct order *order = new_order(s, ORDER_LOOP, group->statements);
    bool is_most;
    int least = group->parallel_count > 0 ? score_of(s, active, group->statements, &is_most) : 0;
    if (choose_in_order(s, active, order) <= least) {
        return group->parallel_count > 0 ? parallel_order(s, active, group)
                                         : new_order(s, ORDER_REST, group->statements);
    }
    bool *left = new_flags(s);
    may_run_in_order(s, active, order, left);
    bool was_aligned = s->is_aligned;
    s->is_aligned |= is_wave(order) || !are_one_loop(s, group->statements, order->loops);
    place(s, group->statements, order->loops, true);
    order->first = schedule(s, left, group->statements);
    place(s, group->statements, order->loops, false);
    s->is_aligned = was_aligned;
    return order;
}

// Whether the deepest of the statements are in parallel loops and in no wavefront.
static bool is_parallel_inside(const struct scheduler *s, const struct order *order, int deepest)
{
    for (; order != NULL; order = order->next) {
        if (order->kind == ORDER_LOOP && order->is_parallel) {
            continue;
        }
        bool is_deepest = deepest_of(s, order->statements) == deepest;
        if (is_deepest &&
            (order->kind == ORDER_REST || is_wave(order) || !is_parallel_inside(s, order->first, deepest))) {
            return false;
        }
    }
    return true;
}

// For a CPU: tiles of the two loops inside those that run in order, the fewest of which are left outside; NULL: there
// are none.
static struct order *tiled_order(struct scheduler *s, const bool *active, statement_set set)
{
    struct order *order = new_order(s, ORDER_LOOP, set);
    int first = first_of(set);
    int open = s->nest->statements[first].depth - __builtin_popcount(s->used[first]);
    bool *left = new_flags(s);
    if (open > 2 && take_common(s, set, order->loops) && may_run_in_order(s, active, order, left)) {
        place(s, set, order->loops, true);
        order->first = schedule(s, left, set);
        place(s, set, order->loops, false);
        if (is_parallel_inside(s, order->first, deepest_of(s, set))) {
            return order;
        }
    }
    if (!nest_tiles(s->nest, active, set, s->used, order)) {
        return NULL;
    }
    order->first = new_order(s, ORDER_REST, set);
    return order;
}

// Whether a wavefront has a loop's work at each of its points.
static bool has_heavy_points(const struct scheduler *s, statement_set set)
{
    for (int i = 0; i < s->nest->statement_count; i++) {
        if (has(set, i) && holds_loop(&s->nest->statements[i])) {
            return true;
        }
    }
    return false;
}

static bool has_leaning_tiles(const struct order *order)
{
    for (; order != NULL; order = order->next) {
        if ((order->is_tiled && order->lean > 0) || has_leaning_tiles(order->first)) {
            return true;
        }
    }
    return false;
}

// Tiles run along memory, and a step of a wavefront does not; but where each point waits for many before it, a
// wavefront's points wait for none in their step.
static struct order *group_order(struct scheduler *s, const bool *active, const struct group *group)
{
    statement_set set = group->statements;
    struct order *order = order_of_group(s, active, group), *tiled = NULL;
    bool may_have_tiles = !s->nest->module->is_gpu && !s->is_aligned && group->parallel_count == 0;
    if (may_have_tiles && !is_parallel_inside(s, order, deepest_of(s, set)) &&
        !(is_wave(order) && has_heavy_points(s, set))) {
        tiled = tiled_order(s, active, set);
    }
    return tiled != NULL && !(is_wave(order) && has_leaning_tiles(tiled)) ? tiled : order;
}

static struct order *schedule(struct scheduler *s, const bool *active, statement_set set)
{
    struct groups groups;
    distribute(s, active, set, &groups);
    struct order *first = NULL, **end = &first;
    for (int g = 0; g < groups.count; g++) {
        *end = group_order(s, active, &groups.items[g]);
        end = &(*end)->next;
    }
    return first;
}

// ---- whether it is the source's ------------------------------------------------------------------------------------

static bool share_loop(const struct scheduler *s, statement_set a, statement_set b)
{
    for (int loop = 0; loop < NEST_DEPTH; loop++) {
        for (int i = 0; i < s->nest->statement_count; i++) {
            statement_set two = has(a, i) ? (statement_set)1 << i : 0;
            for (int k = 0; two != 0 && k < s->nest->statement_count; k++) {
                if (has(b, k) && is_common(s, two | (statement_set)1 << k, loop)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool is_source_order(struct scheduler *s, const struct order *order)
{
    for (; order != NULL; order = order->next) {
        for (const struct order *other = order->next; other != NULL; other = other->next) {
            if (first_of(other->statements) < first_of(order->statements) ||
                share_loop(s, order->statements, other->statements)) {
                return false;
            }
        }
        if (order->kind == ORDER_REST) {
            continue;
        }
        int loop = order->loops[first_of(order->statements)];
        if (is_wave(order) || order->is_tiled || !is_common(s, order->statements, loop) ||
            is_moved(s, order->statements, loop)) {
            return false;
        }
        for (int i = 0; i < s->nest->statement_count; i++) {
            if (has(order->statements, i) && order->loops[i] != loop) {
                return false;
            }
        }
        place(s, order->statements, order->loops, true);
        bool is_same = is_source_order(s, order->first);
        place(s, order->statements, order->loops, false);
        if (!is_same) {
            return false;
        }
    }
    return true;
}

static bool has_tiles(const struct order *order)
{
    for (; order != NULL; order = order->next) {
        if (order->is_tiled || has_tiles(order->first)) {
            return true;
        }
    }
    return false;
}

struct order *nest_schedule(struct loop_nest *nest, bool *out_is_parallel)
{
    struct scheduler s = {.nest = nest, .most_parallel = nest->module->is_gpu ? PARALLEL_GPU : PARALLEL_CPU};
    bool *active = new_flags(&s);
    for (int d = 0; d < nest->dependences.count; d++) {
        active[d] = true;
    }
    statement_set all = (statement_set)(((uint64_t)1 << nest->statement_count) - 1);
    struct order *order = schedule(&s, active, all);
    *out_is_parallel = is_parallel_inside(&s, order, deepest_of(&s, all)) && !has_tiles(order);
    return is_source_order(&s, order) ? NULL : order;
}

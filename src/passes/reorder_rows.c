// Which loop goes innermost on a CPU: the one in which accesses follow each other in memory. A product of matrices
// whose text runs down a column loads a cache line for each element, and no vector.
//
// Only loops that may stand in any order are moved, as a whole: none carries a dependence against its own direction,
// and no bound depends on another of them.
#include "passes/reorder_nest.h"

#include <assert.h>

enum { NEAR_BYTES = 16 }; // from one iteration to the next

// The loops of one statement that are not placed, by their numbers.
struct band {
    int loops[NEST_DEPTH];
    int count;
};

static bool has(statement_set set, int statement)
{
    return (set >> statement & 1) != 0;
}

// False: the statements have not all the same loops.
static bool find_band(const struct loop_nest *nest, statement_set set, const uint8_t *used, struct band *out)
{
    int lead = __builtin_ctz(set);
    const struct statement *first = &nest->statements[lead];
    out->count = 0;
    for (int loop = 0; loop < first->depth; loop++) {
        if ((used[lead] >> loop & 1) == 0) {
            out->loops[out->count++] = loop;
        }
    }
    for (int i = 0; i < nest->statement_count; i++) {
        const struct statement *statement = &nest->statements[i];
        bool is_same = !has(set, i) || (statement->depth == first->depth && used[i] == used[lead]);
        for (int loop = 0; is_same && has(set, i) && loop < first->depth; loop++) {
            is_same = statement->loops[loop] == first->loops[loop];
        }
        if (!is_same) {
            return false;
        }
    }
    return true;
}

static bool depends_on(const struct loop_info *loop, const struct loop_info *other)
{
    return loop->first == NULL || loop->last == NULL || poly_mentions(loop->first, other->variable) ||
           poly_mentions(loop->last, other->variable);
}

static bool has_even_bounds(const struct statement *statement, const struct band *band)
{
    for (int i = 0; i < band->count; i++) {
        for (int k = 0; k < band->count; k++) {
            if (i != k && depends_on(statement->loops[band->loops[i]], statement->loops[band->loops[k]])) {
                return false;
            }
        }
        if (statement->sides[band->loops[i]] != SIDE_ALL) {
            return false;
        }
    }
    return true;
}

// |out_is_parallel|: no dependence of the statements is carried by the loop. False: one may be, backwards.
static bool may_be_moved(struct loop_nest *nest, const bool *active, statement_set set, int loop, bool *out_is_parallel)
{
    *out_is_parallel = true;
    for (int d = 0; d < nest->dependences.count; d++) {
        const struct dependence *dependence = &nest->dependences.items[d];
        if (!active[d] || !has(set, dependence->from) || !has(set, dependence->to)) {
            continue;
        }
        struct distance distance = nest_distance(nest, d, loop, loop);
        if (distance.may_be_negative) {
            return false;
        }
        *out_is_parallel &= !distance.may_be_positive;
    }
    return true;
}

static bool is_far(struct loop_nest *nest, const struct access *access, const struct loop_info *loop)
{
    struct poly_pool *pool = &nest->an->scratch;
    const struct poly *rest;
    const struct poly *step = poly_coefficient(pool, access->flat, loop->variable, &rest);
    int64_t bytes;
    return step == NULL || !poly_is_const(step, &bytes) ||
           __builtin_mul_overflow(bytes, loop->inst->loop->step, &bytes) || bytes > NEAR_BYTES || bytes < -NEAR_BYTES;
}

// Accesses that go to another cache line with each iteration of the loop: of the statements and of what they use.
static int count_far(struct loop_nest *nest, const struct statement *statement, int loop)
{
    int count = 0;
    struct poly_mark mark = poly_mark(&nest->an->scratch);
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        const struct access *access = &nest->an->accesses.items[i];
        bool is_inside = access->loop == statement->loops[statement->depth - 1];
        count += is_inside && is_far(nest, access, statement->loops[loop]);
    }
    poly_release(&nest->an->scratch, mark);
    return count;
}

int nest_rows(struct loop_nest *nest, const bool *active, statement_set set, const uint8_t *used, int *out_loops)
{
    struct band band;
    if (nest->module->is_gpu || set == 0 || !find_band(nest, set, used, &band) || band.count < 2 ||
        !has_even_bounds(&nest->statements[__builtin_ctz(set)], &band)) {
        return 0;
    }
    const struct statement *lead = &nest->statements[__builtin_ctz(set)];
    int far[NEST_DEPTH], outer = -1, inner = -1;
    bool is_parallel[NEST_DEPTH];
    for (int i = 0; i < band.count; i++) {
        if (!may_be_moved(nest, active, set, band.loops[i], &is_parallel[i])) {
            return 0;
        }
        far[i] = count_far(nest, lead, band.loops[i]);
        inner = inner < 0 || far[i] <= far[inner] ? i : inner; // of equals the source's
    }
    for (int i = 0; i < band.count; i++) {
        bool is_farther = is_parallel[i] && i != inner && (outer < 0 || far[i] > far[outer]);
        outer = is_farther ? i : outer;
    }
    // Rows as they are stay so, unless rounds in order stand around them: sums k, i, j become tasks of rows.
    bool is_good = far[inner] >= far[band.count - 1];
    bool has_rounds = band.count > 2 && !is_parallel[0] && outer > 0 && inner == band.count - 1 &&
                      !facts_has_few_iterations(lead->loops[band.loops[outer]]->inst);
    // Of a few iterations that follow each other no vector is made: an array of small matrices stays as it is.
    if (outer < 0 || (is_good && !has_rounds) || facts_has_few_iterations(lead->loops[band.loops[inner]]->inst)) {
        return 0;
    }
    int count = 0;
    out_loops[count++] = band.loops[outer];
    for (int most = nest->root->access_end - nest->root->access_begin; most >= 0; most--) {
        for (int i = 0; i < band.count; i++) {
            if (far[i] == most && i != outer && i != inner) {
                out_loops[count++] = band.loops[i];
            }
        }
    }
    out_loops[count++] = band.loops[inner];
    assert(count == band.count);
    return count;
}

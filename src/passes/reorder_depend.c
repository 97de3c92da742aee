// What the executions of the statements of a nest depend on. Each pair of accesses of which one writes is tested for
// each loop that may carry the dependence. Where arguments might overlap, it is the launch that tests that they do not.
#include "passes/reorder_nest.h"

#include <assert.h>

static int common_depth(const struct statement *a, const struct statement *b)
{
    int depth = 0;
    while (depth < a->depth && depth < b->depth && a->loops[depth] == b->loops[depth]) {
        depth++;
    }
    return depth;
}

const struct poly *nest_way(struct loop_nest *nest, const struct loop_info *x, const struct loop_info *y)
{
    struct poly_pool *pool = &nest->an->scratch;
    const struct poly *first = poly_scale(pool, poly_atom(pool, x->variable), x->inst->loop->step > 0 ? 1 : -1);
    const struct poly *second = poly_scale(pool, poly_atom(pool, y->variable | 1), y->inst->loop->step > 0 ? 1 : -1);
    return poly_sub(pool, second, first);
}

static bool has_condition(const struct loop_nest *nest, const struct plan_condition *condition)
{
    for (int i = 0; i < nest->conditions.count; i++) {
        if (plan_expr_equal(nest->conditions.items[i].expr, condition->expr)) {
            return true;
        }
    }
    return false;
}

bool nest_may_meet(struct loop_nest *nest, int a, int b, const struct pair_relation *relations, int count)
{
    struct analysis *an = nest->an;
    struct pair_result result =
        pair_meet(an, nest->root, &an->accesses.items[a], &an->accesses.items[b], relations, count);
    for (int i = 0; result.answer == PAIR_IF && i < result.condition_count; i++) {
        if (!has_condition(nest, &result.conditions[i])) {
            VEC_PUSH(an->arena, &nest->conditions, result.conditions[i]);
        }
    }
    return result.answer == PAIR_CONFLICT;
}

// The relations by which a dependence is one: the same iteration of the first loops, an earlier one of the next.
static int relations_of(struct loop_nest *nest, const struct dependence *d, struct pair_relation *out)
{
    struct poly_pool *pool = &nest->an->scratch;
    const struct statement *from = &nest->statements[d->from], *to = &nest->statements[d->to];
    int common = common_depth(from, to), count = 0;
    for (int k = 0; k < d->level; k++) {
        out[count++] = (struct pair_relation){nest_way(nest, from->loops[k], to->loops[k]), true};
    }
    if (d->level < common) {
        out[count++] = (struct pair_relation){
            poly_plus(pool, nest_way(nest, from->loops[d->level], to->loops[d->level]), -1), false};
    }
    return count;
}

static void add_dependence(struct loop_nest *nest, struct dependence d)
{
    struct pair_relation relations[NEST_DEPTH + 1];
    struct poly_mark mark = poly_mark(&nest->an->scratch);
    int count = relations_of(nest, &d, relations);
    if (nest_may_meet(nest, d.a, d.b, relations, count)) {
        nest->is_refused |= nest->dependences.count == NEST_DEPENDENCES;
        VEC_PUSH(nest->an->arena, &nest->dependences, d);
    }
    poly_release(&nest->an->scratch, mark);
}

// Statement |s| is |t| or before it.
static void compare_accesses(struct loop_nest *nest, int s, int t, int a, int b)
{
    if (!nest_may_meet(nest, a, b, NULL, 0)) {
        return;
    }
    int common = common_depth(&nest->statements[s], &nest->statements[t]);
    for (int level = 0; level < common && !nest->is_refused; level++) {
        add_dependence(nest, (struct dependence){s, t, a, b, level});
        if (a != b) {
            add_dependence(nest, (struct dependence){t, s, b, a, level});
        }
    }
    if (s != t) {
        add_dependence(nest, (struct dependence){s, t, a, b, common});
    }
}

static void note_pair(struct loop_nest *nest, int a, int b)
{
    for (int i = 0; i < nest->pair_count; i++) {
        const struct base_pair *pair = &nest->pairs[i];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return;
        }
    }
    if (nest->pair_count == NEST_PAIRS) {
        nest->is_refused = true;
        return;
    }
    nest->pairs[nest->pair_count++] = (struct base_pair){a, b};
}

// Also of what is read only to find a bound, or of what may be computed anywhere.
static void find_pairs(struct loop_nest *nest)
{
    const struct analysis *an = nest->an;
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        for (int k = i + 1; k < nest->root->access_end; k++) {
            const struct access *a = &an->accesses.items[i], *b = &an->accesses.items[k];
            if (a->kind == ACCESS_READ && b->kind == ACCESS_READ) {
                continue;
            }
            enum relation relation = access_relation(an, a, b);
            nest->is_refused |= relation == RELATION_UNKNOWN;
            if (relation == RELATION_TWO_BASES) {
                note_pair(nest, a->base, b->base);
            }
        }
    }
}

void nest_keep_pairs_of_values(struct loop_nest *nest)
{
    const struct analysis *an = nest->an;
    nest->pair_count = 0;
    for (int i = nest->root->access_begin; i < nest->root->access_end; i++) {
        const struct access *a = &an->accesses.items[i];
        for (int k = nest->root->access_begin; k < nest->root->access_end && nest_is_movable(nest, a->inst); k++) {
            const struct access *b = &an->accesses.items[k];
            if (b->kind != ACCESS_READ && access_relation(an, a, b) == RELATION_TWO_BASES) {
                note_pair(nest, a->base, b->base);
            }
        }
    }
}

// Reads of one place by one statement depend on the same.
static bool is_repeated(const struct loop_nest *nest, const struct statement *statement, int index)
{
    const struct access *access = &nest->an->accesses.items[statement->accesses[index]];
    for (int i = 0; i < index; i++) {
        const struct access *other = &nest->an->accesses.items[statement->accesses[i]];
        if (other->base == access->base && other->kind == access->kind && other->guards == access->guards &&
            other->type == access->type && other->needs == access->needs && other->loop == access->loop &&
            poly_equal(other->flat, access->flat)) {
            return true;
        }
    }
    return false;
}

// Whether both update one element that does not vary in the nest, in ways that commute: it is gathered, like a scalar
// that the nest does nothing to but update.
static bool are_gathered(const struct loop_nest *nest, const struct access *a, const struct access *b)
{
    return a->kind == ACCESS_UPDATE && b->kind == ACCESS_UPDATE && a->type == b->type &&
           ir_updates_commute(a->update, b->update) && ir_update_keeps_range(a->update, a->type) && a->flat != NULL &&
           b->flat != NULL && poly_equal(a->flat, b->flat) && nest_is_followed(nest, a->flat, NULL, 0);
}

bool nest_are_ordered(const struct loop_nest *nest, const struct statement *x, int i, const struct statement *y, int k)
{
    const struct access *a = &nest->an->accesses.items[x->accesses[i]];
    const struct access *b = &nest->an->accesses.items[y->accesses[k]];
    return (a->kind != ACCESS_READ || b->kind != ACCESS_READ) && access_relation(nest->an, a, b) == RELATION_SAME &&
           !are_gathered(nest, a, b) && !is_repeated(nest, x, i) && !is_repeated(nest, y, k);
}

static void compare_statements(struct loop_nest *nest, int s, int t)
{
    const struct statement *x = &nest->statements[s], *y = &nest->statements[t];
    for (int i = 0; i < x->access_count; i++) {
        for (int k = s == t ? i : 0; k < y->access_count && !nest->is_refused; k++) {
            if (nest_are_ordered(nest, x, i, y, k)) {
                compare_accesses(nest, s, t, x->accesses[i], y->accesses[k]);
            }
        }
    }
}

bool nest_find_dependences(struct loop_nest *nest)
{
    find_pairs(nest);
    for (int s = 0; s < nest->statement_count; s++) {
        for (int t = s; t < nest->statement_count && !nest->is_refused; t++) {
            compare_statements(nest, s, t);
        }
    }
    nest->distances = ARENA_ARRAY(nest->an->arena, uint8_t, nest->dependences.count *NEST_DEPTH *NEST_DEPTH + 1);
    return !nest->is_refused && nest->an->budget > 0;
}

enum { DISTANCE_KNOWN = 1, DISTANCE_NEGATIVE = 2, DISTANCE_ZERO = 4, DISTANCE_POSITIVE = 8 };

static uint8_t test_distance(struct loop_nest *nest, const struct dependence *d, const struct poly *distance)
{
    struct poly_pool *pool = &nest->an->scratch;
    struct pair_relation relations[NEST_DEPTH + 2];
    int count = relations_of(nest, d, relations);
    uint8_t found = DISTANCE_KNOWN;
    if (distance == NULL) {
        return DISTANCE_KNOWN | DISTANCE_NEGATIVE | DISTANCE_ZERO | DISTANCE_POSITIVE;
    }
    relations[count] = (struct pair_relation){poly_plus(pool, poly_scale(pool, distance, -1), -1), false};
    found |= nest_may_meet(nest, d->a, d->b, relations, count + 1) ? DISTANCE_NEGATIVE : 0;
    relations[count] = (struct pair_relation){distance, true};
    found |= nest_may_meet(nest, d->a, d->b, relations, count + 1) ? DISTANCE_ZERO : 0;
    relations[count] = (struct pair_relation){poly_plus(pool, distance, -1), false};
    found |= nest_may_meet(nest, d->a, d->b, relations, count + 1) ? DISTANCE_POSITIVE : 0;
    return found;
}

static struct distance distance_of(uint8_t found)
{
    return (struct distance){(found & DISTANCE_NEGATIVE) != 0, (found & DISTANCE_ZERO) != 0,
                             (found & DISTANCE_POSITIVE) != 0};
}

static uint8_t find_distance(struct loop_nest *nest, const struct dependence *d, int x, int y)
{
    const struct statement *from = &nest->statements[d->from], *to = &nest->statements[d->to];
    if (from->loops[x] == to->loops[y] && x <= d->level && x < common_depth(from, to)) {
        return DISTANCE_KNOWN | (x < d->level ? DISTANCE_ZERO : DISTANCE_POSITIVE);
    }
    struct poly_mark mark = poly_mark(&nest->an->scratch);
    uint8_t found = test_distance(nest, d, nest_way(nest, from->loops[x], to->loops[y]));
    poly_release(&nest->an->scratch, mark);
    return found;
}

struct distance nest_wave_distance(struct loop_nest *nest, int dependence, const int *weights)
{
    const struct dependence *d = &nest->dependences.items[dependence];
    const struct statement *from = &nest->statements[d->from], *to = &nest->statements[d->to];
    struct poly_pool *pool = &nest->an->scratch;
    struct poly_mark mark = poly_mark(pool);
    const struct poly *sum = poly_const(pool, 0);
    for (int k = 0; k < NEST_DEPTH; k++) {
        if (weights[k] != 0) {
            assert(k < common_depth(from, to));
            sum = poly_add(pool, sum, poly_scale(pool, nest_way(nest, from->loops[k], to->loops[k]), weights[k]));
        }
    }
    struct distance found = distance_of(test_distance(nest, d, sum));
    poly_release(pool, mark);
    return found;
}
struct distance nest_distance(struct loop_nest *nest, int dependence, int x, int y)
{
    assert(dependence < nest->dependences.count && x < NEST_DEPTH && y < NEST_DEPTH);
    uint8_t *known = &nest->distances[(dependence * NEST_DEPTH + x) * NEST_DEPTH + y];
    if (*known == 0) {
        *known = find_distance(nest, &nest->dependences.items[dependence], x, y);
    }
    return distance_of(*known);
}

// A loop inside another one, seen where the outer one begins: what nests that become one space are made of. Whatever
// is said here holds in every iteration of the outer loop.
#include "analysis/dependence/dependence.h"
#include "analysis/effects/effects.h"
#include "analysis/facts.h"
#include "ir/trip.h"

#include <assert.h>

static const struct loop_facts *facts_of(const struct ir_inst *loop)
{
    const struct loop_facts *facts = loop->loop->analysis;
    assert(loop->op == IR_OP_FOR && facts != NULL);
    return facts;
}

struct plan_expr *facts_condition_at(const struct ir_inst *inner, int number, const struct ir_inst *outer)
{
    const struct loop_facts *facts = facts_of(inner), *around = facts_of(outer);
    assert(facts->analysis == around->analysis && loop_contains(around->info, facts->info));
    assert(number >= 0 && number < facts->condition_count);
    const struct need *need = facts->needs[number];
    return need != NULL ? need_condition(facts->analysis, around->info, need) : NULL;
}

bool facts_pairs_at(const struct ir_inst *inner, const struct ir_inst *outer, struct plan_pair **out_pairs,
                    int *out_count)
{
    const struct loop_facts *facts = facts_of(inner), *around = facts_of(outer);
    const struct loop_info *info = facts->info, *whole = around->info;
    const struct analysis *an = facts->analysis;
    assert(an == around->analysis && loop_contains(whole, info));
    *out_pairs = ARENA_ARRAY(an->arena, struct plan_pair, info->pairs.count + 1);
    *out_count = 0;
    for (int i = 0; i < info->pairs.count; i++) {
        const struct access_pair *from = &info->pairs.items[i];
        if (info->effect_of_access[from->a - info->access_begin] < 0 ||
            info->effect_of_access[from->b - info->access_begin] < 0) {
            continue; // nobody else has that memory
        }
        struct plan_pair pair = {.a = whole->effect_of_access[from->a - whole->access_begin],
                                 .b = whole->effect_of_access[from->b - whole->access_begin],
                                 .equal_will_do = from->equal_will_do,
                                 .loc_a = an->accesses.items[from->a].inst->loc,
                                 .loc_b = an->accesses.items[from->b].inst->loc};
        if (pair.a < 0 || pair.b < 0) {
            return false;
        }
        (*out_pairs)[(*out_count)++] = pair;
    }
    return true;
}

// ---- trip counts ---------------------------------------------------------------------------------------------------

struct trips {
    struct analysis *an;
    const struct loop_info *outer;
    VEC(struct plan_condition) conditions;
};

static bool add_condition(struct trips *t, struct plan_expr *expr, const char *text, struct loc loc)
{
    int64_t value;
    if (expr == NULL) {
        return false;
    }
    if (plan_expr_is_const(expr, &value)) {
        return value != 0;
    }
    VEC_PUSH(t->an->arena, &t->conditions, ((struct plan_condition){.expr = expr, .text = text, .loc = loc}));
    return true;
}

// That the value, in all iterations of the outer loop, fits the type.
static bool add_need(struct trips *t, const struct poly *value, enum ir_type type, bool is_signed, struct loc loc)
{
    struct need need = {value, type, is_signed, loc, NULL};
    struct str text;
    str_init(&text, t->an->arena);
    t->an->names = &t->outer->entry;
    value_print(t->an, value, &text);
    t->an->names = NULL;
    str_printf(&text, " fits in %d bits", 8 * ir_type_size(type) - (type == IR_I64));
    return add_condition(t, need_condition(t->an, t->outer, &need), str_text(&text), loc);
}

static bool varies(const struct trips *t, int id)
{
    return atom_varies_since(t->an, id, t->outer->variable >> 1);
}

// A bound that may wrap is taken as it is written, which the launch tests: n - i is one.
static const struct poly *unwrapped(struct trips *t, const struct poly *value, struct loc loc)
{
    for (int i = 0; value != NULL && i < value->count; i++) {
        for (int k = 0; k < value->terms[i].degree; k++) {
            int id = value->terms[i].ids[k];
            const struct atom *atom = atom_of(t->an, id);
            bool may_wrap = atom->kind == ATOM_OP && (atom->op == IR_OP_SEXT || atom->op == IR_OP_ZEXT);
            if (may_wrap && varies(t, id)) {
                bool is_tested = add_need(t, atom->a, atom->type, atom->op == IR_OP_SEXT, loc);
                return is_tested ? unwrapped(t, poly_replace(&t->an->pool, value, id, atom->a), loc) : NULL;
            }
        }
    }
    return value;
}

// Whether all that varies is variables of loops, each once and with the factor 1 or -1. With larger ones, or the least
// of two values, the longest row may be far longer than most.
static bool is_trapezoid(const struct trips *t, const struct poly *way)
{
    for (int i = 0; i < way->count; i++) {
        const struct poly_term *term = &way->terms[i];
        for (int k = 0; k < term->degree; k++) {
            bool is_plain = term->degree == 1 && (term->coef == 1 || term->coef == -1) &&
                            atom_of(t->an, term->ids[k])->kind == ATOM_LOOP;
            if (varies(t, term->ids[k]) && !is_plain) {
                return false;
            }
        }
    }
    return true;
}

// Values of 64 bits without a sign are read as if they had one, in the loop and in those around it.
static bool add_sign_needs(struct trips *t, const struct loop_info *info)
{
    for (; info != NULL; info = info != t->outer ? info->parent : NULL) {
        const struct ir_inst *inst = info->inst;
        bool is_other = inst->loop->var->type == IR_I64 && trip_of(inst->loop).is_unsigned;
        if (is_other && !(add_need(t, info->init, IR_I64, false, inst->loc) &&
                          add_need(t, info->bound, IR_I64, false, inst->loc))) {
            return false;
        }
    }
    return true;
}

// At most the value, and often more: a remainder by a few, as in the first point of a colour, has its extreme value.
static const struct poly *without_remainders(struct trips *t, const struct poly *way)
{
    enum { FEW = 16 };
    const struct poly *found = way;
    for (int i = 0; way != NULL && i < way->count; i++) {
        const struct poly_term *term = &way->terms[i];
        const struct atom *atom = term->degree == 1 ? atom_of(t->an, term->ids[0]) : NULL;
        if (atom != NULL && atom->kind == ATOM_OP && varies(t, term->ids[0]) && atom->range.lo > -FEW &&
            atom->range.hi < FEW) {
            int64_t extreme = (int64_t)(term->coef > 0 ? atom->range.hi : atom->range.lo);
            found = poly_replace(&t->an->pool, found, term->ids[0], poly_const(&t->an->pool, extreme));
        }
    }
    return found;
}

// The most that lies between the variable's first value and its last, of which no term is so large that 64 bits wrap.
static struct plan_expr *longest_way(struct trips *t, const struct loop_info *info)
{
    const int64_t limit = (int64_t)1 << 56;
    struct analysis *an = t->an;
    const struct poly *way = unwrapped(t, poly_sub(&an->pool, info->last, info->first), info->inst->loc);
    way = without_remainders(t, way);
    const struct poly *low, *high;
    if (way == NULL || !is_trapezoid(t, way) || !value_extremes(an, way, t->outer, &low, &high)) {
        return NULL;
    }
    struct poly_range range = value_range(an, high);
    bool is_small = range.lo > -limit && range.hi < limit;
    if (!is_small && !add_condition(t, value_terms_within(an, high, limit, &t->outer->entry),
                                    "the longest of the inner loop's rows can be counted", info->inst->loc)) {
        return NULL;
    }
    return value_expr(an, high, &t->outer->entry);
}

struct plan_expr *facts_most_trips_at(const struct ir_inst *inner, const struct ir_inst *outer,
                                      struct plan_condition **out_conditions, int *out_count)
{
    const struct loop_info *info = facts_of(inner)->info;
    struct trips t = {.an = facts_of(inner)->analysis, .outer = facts_of(outer)->info};
    assert(loop_contains(t.outer, info));
    struct arena *arena = t.an->arena;
    int64_t step = inner->loop->step;
    *out_conditions = NULL;
    *out_count = 0;
    if (info->first == NULL || info->last == NULL || info->bound_may_change || inner->loop->recheck ||
        inner->loop->compare == IR_OP_NE || step == INT64_MIN || !add_sign_needs(&t, info)) {
        return NULL;
    }
    struct plan_expr *way = longest_way(&t, info);
    struct plan_expr *stride = plan_const(arena, IR_I64, step < 0 ? -step : step);
    struct plan_expr *rounds = plan_op(arena, IR_OP_SDIV, IR_I64, IR_I64, way, stride);
    rounds = plan_op(arena, IR_OP_ADD, IR_I64, IR_I64, rounds, plan_const(arena, IR_I64, 1));
    *out_conditions = t.conditions.items;
    *out_count = t.conditions.count;
    return plan_op(arena, IR_OP_SMAX, IR_I64, IR_I64, rounds, plan_const(arena, IR_I64, 0));
}

// ---- neighbours ----------------------------------------------------------------------------------------------------

// The access's offset by the numbers of iterations, not by the values of loop variables: an inner loop may begin where
// an outer one has got to.
static const struct poly *by_counts(struct analysis *an, const struct access *access, const struct loop_info *outer)
{
    struct poly_pool *pool = &an->scratch;
    const struct poly *flat = access->flat;
    for (const struct loop_info *loop = access->loop; loop != NULL; loop = loop != outer ? loop->parent : NULL) {
        const struct poly *count = poly_scale(pool, poly_atom(pool, loop->count), loop->inst->loop->step);
        flat = poly_replace(pool, flat, loop->variable, poly_add(pool, loop->init, count));
    }
    return flat;
}

// Whether neighbours touch places that no transaction has in common.
static bool is_far(struct analysis *an, const struct access *access, const struct loop_info *outer,
                   const struct loop_info *loop)
{
    enum { NEAR = 32 }; // bytes
    const struct poly *stride = poly_coefficient(&an->scratch, by_counts(an, access, outer), loop->count, NULL);
    int64_t bytes;
    return stride != NULL && (!poly_is_const(stride, &bytes) || bytes > NEAR || bytes < -NEAR);
}

int64_t facts_far_accesses(const struct ir_inst *outer, const struct ir_inst *innermost, const struct ir_inst *loop)
{
    enum { DEPTH_LIMIT = 4 };
    struct analysis *an = facts_of(outer)->analysis;
    const struct loop_info *whole = facts_of(outer)->info, *last = facts_of(innermost)->info;
    int64_t sum = 0;
    for (int i = whole->access_begin; i < whole->access_end; i++) {
        const struct access *access = &an->accesses.items[i];
        enum base_kind kind = base_kind(access->base);
        struct poly_mark mark = poly_mark(&an->scratch);
        if (access->flat != NULL && (kind == BASE_PARAM || kind == BASE_GLOBAL) &&
            is_far(an, access, whole, facts_of(loop)->info)) {
            int64_t weight = 1;
            int depth = 0;
            for (const struct loop_info *l = access->loop; l != NULL && l != last && depth < DEPTH_LIMIT;
                 l = l->parent) {
                weight *= FACTS_TRIPS_INSIDE;
                depth++;
            }
            sum += weight;
        }
        poly_release(&an->scratch, mark);
    }
    return sum;
}

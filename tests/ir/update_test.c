// The table of updates: every ordered pair of updates in every element type, with values that tell the two orders
// apart. What the table says to commute leaves the same in all interleavings; for what it says does not, a value shows
// why, or the pair is in the list of those that language.md §3 keeps apart by its rule that one location has one form.
#include "support.h"

#include <math.h>
#include <string.h>

static const enum ir_type types[] = {IR_I1, IR_I8, IR_I16, IR_I32, IR_I64, IR_F32, IR_F64};
enum { TYPE_COUNT = sizeof types / sizeof types[0], MAX_VALUES = 16 };

struct values {
    union ir_value items[MAX_VALUES];
    int count;
};

// Integers: signs, extremes, single bits. Floats: zeros of both signs, infinities, a NaN, and numbers whose sums and
// products are exact, so that only what is no rounding tells two orders apart.
static struct values values_of(enum ir_type type)
{
    static const double floats[] = {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -5.0, INFINITY, -INFINITY, NAN};
    struct values values = {.count = 0};
    if (type == IR_I1) {
        values.count = 2;
        values.items[1].i = 1;
        return values;
    }
    if (ir_type_is_float(type)) {
        values.count = sizeof floats / sizeof floats[0];
        for (int i = 0; i < values.count; i++) {
            values.items[i].f = floats[i];
        }
        return values;
    }
    int64_t most = (int64_t)(((uint64_t)1 << (8 * ir_type_size(type) - 1)) - 1);
    const int64_t integers[] = {0, 1, -1, 2, 3, -5, 6, most, -most - 1, -most};
    values.count = sizeof integers / sizeof integers[0];
    for (int i = 0; i < values.count; i++) {
        values.items[i].i = integers[i];
    }
    return values;
}

static struct values operands_of(enum ir_update update, enum ir_type type)
{
    return values_of(ir_update_takes_truth(update) ? IR_I1 : type);
}

static union ir_value apply(enum ir_update update, enum ir_type type, union ir_value x, union ir_value e)
{
    union ir_value out = {.i = 0x5555};
    CHECK(ir_fold_update(update, type, x, e, &out));
    return out;
}

// NaNs are all one. |zeros_differ|: their signs count.
static bool is_same(enum ir_type type, union ir_value a, union ir_value b, bool zeros_differ)
{
    if (!ir_type_is_float(type)) {
        return a.i == b.i;
    }
    if (isnan(a.f) || isnan(b.f)) {
        return isnan(a.f) && isnan(b.f);
    }
    return a.f == b.f && (!zeros_differ || signbit(a.f) == signbit(b.f));
}

struct step {
    enum ir_update update;
    union ir_value operand;
};

// The value after |count| of the steps, in the order in which |order| names them.
static union ir_value run(enum ir_type type, union ir_value x, const struct step *steps, const int *order, int count)
{
    for (int i = 0; i < count; i++) {
        x = apply(steps[order[i]].update, type, x, steps[order[i]].operand);
    }
    return x;
}

// Whether all orders of the steps leave the same value.
static bool all_orders_agree(enum ir_type type, union ir_value x, const struct step *steps, int count)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int swaps[][3] = {{0, 1}, {1, 0}};
    union ir_value first = run(type, x, steps, count == 2 ? swaps[0] : orders[0], count);
    for (int i = 1; i < (count == 2 ? 2 : 6); i++) {
        union ir_value other = run(type, x, steps, count == 2 ? swaps[i] : orders[i], count);
        if (!is_same(type, first, other, false)) {
            return false;
        }
    }
    return true;
}

// Calls |look| for all values and operands of a, b, and a again.
static bool for_all(enum ir_update a, enum ir_update b, enum ir_type type,
                    bool (*look)(enum ir_type type, union ir_value x, const struct step *steps))
{
    struct values starts = values_of(type), of_a = operands_of(a, type), of_b = operands_of(b, type);
    for (int x = 0; x < starts.count; x++) {
        for (int i = 0; i < of_a.count; i++) {
            for (int j = 0; j < of_b.count; j++) {
                for (int k = 0; k < of_a.count; k++) {
                    struct step steps[3] = {{a, of_a.items[i]}, {b, of_b.items[j]}, {a, of_a.items[k]}};
                    if (!look(type, starts.items[x], steps)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static bool agree(enum ir_type type, union ir_value x, const struct step *steps)
{
    return all_orders_agree(type, x, steps, 2) && all_orders_agree(type, x, steps, 3);
}

// Bit by bit, but for NaNs.
static bool agree_in_zeros(enum ir_type type, union ir_value x, const struct step *steps)
{
    union ir_value ab = run(type, x, steps, (int[]){0, 1}, 2);
    union ir_value ba = run(type, x, steps, (int[]){1, 0}, 2);
    return is_same(type, ab, ba, true);
}

// Pairs that any order would do for, and that the table keeps apart all the same: language.md §3 wants one form for one
// location, so that a merge is one update and a reader need not prove more than "the same operator".
static bool is_kept_apart_by_rule(enum ir_update a, enum ir_update b, enum ir_type type)
{
    static const struct {
        enum ir_update a, b;
        bool only_bool;
    } pairs[] = {
        {IR_UPDATE_AND, IR_UPDATE_LAND, true}, // one operation there; the language makes no & or | update of a _Bool
        {IR_UPDATE_OR, IR_UPDATE_LOR, true},
        {IR_UPDATE_LAND, IR_UPDATE_UMIN, false},          // the minimum is 0 where one of them is 0
        {IR_UPDATE_FMIN_IF, IR_UPDATE_FMIN_IF_EQ, false}, // they differ in the sign of a zero, as two of one form do
        {IR_UPDATE_FMAX_IF, IR_UPDATE_FMAX_IF_EQ, false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bool is_pair = (a == pairs[i].a && b == pairs[i].b) || (a == pairs[i].b && b == pairs[i].a);
        if (is_pair && pairs[i].only_bool == (type == IR_I1)) {
            return true;
        }
    }
    return false;
}

static void check_pair(enum ir_update a, enum ir_update b, enum ir_type type)
{
    bool commutes = ir_updates_commute(a, b);
    bool agrees = for_all(a, b, type, agree);
    if (commutes && !agrees) {
        FAIL("%s and %s of %s are said to commute, and an order shows", ir_update_name(a), ir_update_name(b),
             ir_type_name(type));
    }
    bool is_shown = !agrees || !for_all(a, b, type, agree_in_zeros) || is_kept_apart_by_rule(a, b, type);
    if (!commutes && !is_shown) {
        FAIL("%s and %s of %s are said not to commute, and nothing shows it", ir_update_name(a), ir_update_name(b),
             ir_type_name(type));
    }
}

TEST(every_ordered_pair_of_updates_commutes_exactly_where_the_table_says_so)
{
    int pair_count = 0;
    for (int t = 0; t < TYPE_COUNT; t++) {
        for (int a = 0; a < IR_UPDATE_COUNT; a++) {
            for (int b = 0; b < IR_UPDATE_COUNT; b++) {
                if (ir_update_fits((enum ir_update)a, types[t]) && ir_update_fits((enum ir_update)b, types[t])) {
                    check_pair((enum ir_update)a, (enum ir_update)b, types[t]);
                    pair_count++;
                }
            }
        }
    }
    CHECK_INT(pair_count, 6 * 6 + 4 * 13 * 13 + 2 * 16 * 16);
}

TEST(commuting_is_symmetric_and_implies_one_merge)
{
    for (int a = 0; a < IR_UPDATE_COUNT; a++) {
        for (int b = 0; b < IR_UPDATE_COUNT; b++) {
            enum ir_update x = (enum ir_update)a, y = (enum ir_update)b;
            CHECK(ir_updates_commute(x, y) == ir_updates_commute(y, x));
            CHECK(ir_updates_combine(x, y) == ir_updates_combine(y, x));
            CHECK(!ir_updates_commute(x, y) || ir_updates_combine(x, y));
            CHECK(!ir_updates_combine(x, y) || ir_update_kind(x) == ir_update_kind(y));
        }
    }
}

// What two updates accumulated, merged into x, is what the updates do to x, one after the other.
TEST(merging_what_was_accumulated_is_the_updates_in_their_order)
{
    for (int t = 0; t < TYPE_COUNT; t++) {
        for (int u = 0; u < IR_UPDATE_COUNT; u++) {
            enum ir_update update = (enum ir_update)u;
            union ir_value identity;
            if (!ir_update_fits(update, types[t]) || ir_update_merge(update) == IR_UPDATE_NONE) {
                continue;
            }
            bool is_exact = ir_update_identity(update, types[t], &identity);
            CHECK(ir_update_fits(ir_update_merge(update), types[t]));
            struct values starts = values_of(types[t]), operands = operands_of(update, types[t]);
            for (int x = 0; x < starts.count; x++) {
                union ir_value start = starts.items[x];
                if (is_exact) {
                    union ir_value same = apply(ir_update_merge(update), types[t], start, identity);
                    CHECK(is_same(types[t], same, start, true));
                }
                for (int i = 0; i < operands.count && !ir_update_is_ordered(update); i++) {
                    struct step steps[2] = {{update, operands.items[i]}, {update, operands.items[operands.count - 1]}};
                    union ir_value serial = run(types[t], start, steps, (int[]){0, 1}, 2);
                    union ir_value sum = run(types[t], identity, steps, (int[]){0, 1}, 2);
                    if (ir_update_takes_truth(update)) {
                        sum.i = ir_type_is_float(types[t]) ? sum.f != 0 : sum.i != 0;
                    }
                    CHECK(is_same(types[t], serial, apply(ir_update_merge(update), types[t], start, sum), false));
                }
            }
        }
    }
}

TEST(updates_meet_only_in_one_type_unless_the_author_says_that_any_order_will_do)
{
    for (int s = 0; s < TYPE_COUNT; s++) {
        for (int t = 0; t < TYPE_COUNT; t++) {
            struct ir_update_use a = {IR_UPDATE_ADD, types[s], false}, b = {IR_UPDATE_ADD, types[t], false};
            CHECK(ir_updates_may_meet(a, b) == (s == t));
            a.is_explicit = b.is_explicit = true;
            b.update = IR_UPDATE_MUL;
            CHECK(ir_updates_may_meet(a, b) == (ir_type_size(types[s]) == ir_type_size(types[t])));
        }
    }
    struct ir_update_use cas = {IR_UPDATE_NONE, IR_I32, true}, add = {IR_UPDATE_ADD, IR_I32, false};
    CHECK(!ir_updates_may_meet(cas, add));
    add.is_explicit = true;
    CHECK(ir_updates_may_meet(cas, add));
}

TEST(every_update_has_a_name_and_an_operator)
{
    CHECK_STR(ir_update_operator(IR_UPDATE_SUB), "+");
    CHECK_STR(ir_update_operator(IR_UPDATE_FMAX_IF_EQ), "max");
    CHECK_STR(ir_update_name(IR_UPDATE_FMAX_IF_EQ), "fmax_if_eq");
    CHECK_STR(ir_update_name(IR_UPDATE_COUNT), "?");
    CHECK(ir_update_has_assignment(IR_UPDATE_XOR) && !ir_update_has_assignment(IR_UPDATE_LAND));
    CHECK(ir_update_compare(IR_UPDATE_UMAX, true) == IR_OP_UGE &&
          ir_update_compare(IR_UPDATE_FMIN, false) == IR_OP_FLT);
    CHECK(ir_update_min_max(true, IR_F32, false, IR_FORM_COND) == IR_UPDATE_FMAX_COND);
    CHECK(ir_update_min_max(false, IR_I16, true, IR_FORM_IF_EQ) == IR_UPDATE_UMIN);
}

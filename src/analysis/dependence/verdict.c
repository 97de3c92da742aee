// The verdict on a loop: every pair of accesses that two iterations might make to one place must be harmless.
#include "analysis/dependence/dependence.h"
#include "analysis/dependence/distinct.h"
#include "analysis/dependence/pair.h"
#include "analysis/dependence/scatter.h"
#include "analysis/scalars/scalars.h"
#include "ir/lists.h"
#include "ir/running.h"
#include "ir/walk.h"

#include <assert.h>
#include <string.h>

// ---- what may meet without harm ------------------------------------------------------------------------------------

static struct ir_update_use update_use(const struct access *access)
{
    return (struct ir_update_use){access->update, access->type, access->kind == ACCESS_ATOMIC};
}

static bool commute(const struct ir_for *loop, const struct access *a, const struct access *b)
{
    bool both = (a->kind == ACCESS_UPDATE || a->kind == ACCESS_ATOMIC) &&
                (b->kind == ACCESS_UPDATE || b->kind == ACCESS_ATOMIC);
    bool by_word = loop->pragma_parallel || a->kind == ACCESS_ATOMIC || b->kind == ACCESS_ATOMIC;
    return both && ir_updates_may_meet(update_use(a), update_use(b)) &&
           (by_word || ir_update_keeps_range(a->update, a->type));
}

// Stores of one constant, each byte of which lands on the same byte of the other's.
static bool store_the_same(struct analysis *an, const struct access *a, const struct access *b)
{
    if (a->kind != ACCESS_WRITE || b->kind != ACCESS_WRITE || !a->has_constant || !b->has_constant ||
        a->type != b->type || a->constant != b->constant) {
        return false;
    }
    if (a->type == IR_VOID || a->base != b->base) {
        return a->type == IR_VOID || a->constant == 0;
    }
    int64_t width = ir_type_size(a->type);
    bool is_zero = a->constant == 0;
    struct poly_mark mark = poly_mark(&an->scratch);
    const struct poly *flats[2] = {a->flat, b->flat};
    bool fits = true;
    for (int k = 0; k < 2 && !is_zero; k++) {
        for (int i = 0; i < flats[k]->count; i++) {
            const struct poly_term *term = &flats[k]->terms[i];
            fits &= term->degree == 0 || term->coef % width == 0;
        }
    }
    fits &= is_zero || (poly_constant_of(a->flat) % width - poly_constant_of(b->flat) % width) % width == 0;
    poly_release(&an->scratch, mark);
    return fits;
}

// ---- words ---------------------------------------------------------------------------------------------------------

static const char *verb(const struct access *access)
{
    switch (access->kind) {
    case ACCESS_READ: return "read";
    case ACCESS_WRITE: return "written";
    default: return "updated";
    }
}

// The element as it is written in the source; NULL: there is no such text.
static const char *source_text(const struct access *access)
{
    const struct ir_inst *inst = access->inst;
    if (inst->op != IR_OP_LOAD && inst->op != IR_OP_STORE && inst->op != IR_OP_UPDATE) {
        return NULL;
    }
    return inst->args[0]->source;
}

// The access as one would write it: a[i + 1][j], s[i] (bytes 4 to 7 of the element) and so on.
static const char *describe(struct analysis *an, const struct access *access)
{
    struct str text;
    str_init(&text, an->arena);
    const char *source = source_text(access);
    if (source != NULL) {
        str_printf(&text, "'%s'", source);
        return str_text(&text);
    }
    const char *name = base_name(an->module, an->kernel, access->base);
    str_printf(&text, "'%s", name);
    for (int d = 0; d < access->dim_count; d++) {
        str_add_char(&text, '[');
        if (value_is_followed(an, access->dims[d].index, NULL)) {
            value_print(an, access->dims[d].index, &text);
        } else {
            str_add(&text, "…");
        }
        str_add_char(&text, ']');
    }
    str_add_char(&text, '\'');
    return str_text(&text);
}

struct judgement {
    struct analysis *an;
    struct loop_info *info;
    struct ir_for *loop;
    struct loop_facts *facts;
    struct distinct distinct;
    VEC(struct plan_condition) conditions;
    VEC(const struct need *) needs; // as loop_facts.needs
    const char *conflict;
    bool is_perhaps; // the conflict is one only because an index or a pointer is not followed
    struct loc conflict_a;
    struct loc conflict_b;
    const char *atomics; // explicit ones whose order shows
    struct loc atomics_a;
    struct loc atomics_b;
    VEC(int) scattered; // bases whose stores collide at places that are not followed
    const struct access *scatter;
    bool is_packed;    // iterations share updates that cannot be atomic
    const char *doubt; // under the pragma: two iterations are certain to write one place, whatever the arguments
    struct loc doubt_a;
    struct loc doubt_b;
    const struct lists *lists; // not NULL: what its iterations do by them is left aside
    bool is_again;             // the question is whether a team may share it out; tests that may fail are no answer
    bool is_false;             // |conflict| is certain: an iteration reads what another writes, whatever the arguments
};

// Whether no more than a suspicion can be told of the place.
static bool is_vague(struct judgement *j, const struct access *access)
{
    return !pair_is_followed(j->an, j->info, access);
}

static void note_conflict(struct judgement *j, const struct access *a, const struct access *b)
{
    if (j->conflict != NULL) {
        return;
    }
    struct analysis *an = j->an;
    const char *text;
    bool a_writes = a->kind != ACCESS_READ;
    const struct access *first = a_writes ? a : b, *other = a_writes ? b : a;
    if (base_kind(a->base) == BASE_UNKNOWN || base_kind(b->base) == BASE_UNKNOWN) {
        const struct access *pointer = base_kind(a->base) == BASE_UNKNOWN ? a : b;
        text = arena_printf(an->arena, "a pointer loaded from memory, %s here, may point to what is %s here",
                            verb(pointer), verb(pointer == a ? b : a));
        first = pointer;
        other = pointer == a ? b : a;
    } else if (a->kind == ACCESS_UPDATE && b->kind == ACCESS_UPDATE && !ir_update_keeps_range(a->update, a->type)) {
        text = arena_printf(an->arena,
                            "%s is a product of floats that more than one iteration updates%s: those of parts of it "
                            "might be 0 or infinite where none of the source's is",
                            describe(an, first), is_vague(j, first) ? ", perhaps" : "");
    } else if (first == other || (poly_equal(first->flat, other->flat) && first->kind == other->kind)) {
        const char *words = is_vague(j, first) ? "%s is %s here, perhaps by more than one iteration: its index is "
                                                 "not followed"
                                               : "%s is %s here by more than one iteration";
        text = arena_printf(an->arena, words, describe(an, first), verb(first));
    } else if (is_vague(j, first) || is_vague(j, other)) {
        text = arena_printf(an->arena,
                            "%s, %s here, is perhaps %s as %s by another iteration here: an index is not followed",
                            describe(an, first), verb(first), verb(other), describe(an, other));
    } else {
        text = arena_printf(an->arena, "%s, %s here, is %s as %s by another iteration here", describe(an, first),
                            verb(first), verb(other), describe(an, other));
    }
    j->conflict = text;
    j->is_perhaps = is_vague(j, first) || is_vague(j, other) || base_kind(a->base) == BASE_UNKNOWN ||
                    base_kind(b->base) == BASE_UNKNOWN;
    j->conflict_a = first->inst->loc;
    j->conflict_b = other->inst->loc;
}

// Which of two writes stays is left to chance, if the pragma says so; nobody is likely to mean it.
static void note_doubt(struct judgement *j, const struct access *a, const struct access *b)
{
    if (!j->loop->pragma_parallel || j->doubt != NULL || a->kind != ACCESS_WRITE || b->kind != ACCESS_WRITE ||
        is_vague(j, a) || is_vague(j, b) || !pair_has_witness(j->an, j->info, a, b)) {
        return;
    }
    j->doubt = a == b || poly_equal(a->flat, b->flat)
                   ? arena_printf(j->an->arena, "%s is written by more than one iteration", describe(j->an, a))
                   : arena_printf(j->an->arena, "%s is written as %s by another iteration", describe(j->an, a),
                                  describe(j->an, b));
    j->doubt_a = a->inst->loc;
    j->doubt_b = b->inst->loc;
}

// An order that `#pragma rill parallel` says does not matter, and that is certain to: sample iterations show it.
static void note_order(struct judgement *j, const struct access *a, const struct access *b)
{
    note_doubt(j, a, b);
    bool is_read = a->kind == ACCESS_READ || b->kind == ACCESS_READ;
    if (j->loop->pragma_parallel && is_read && !j->is_false && !is_vague(j, a) && !is_vague(j, b) &&
        pair_has_witness(j->an, j->info, a, b)) {
        j->conflict = NULL;
        j->is_false = true;
    }
    note_conflict(j, a, b);
}

// An atomic operation is one of a whole scalar.
static void note_bits(struct judgement *j, const struct access *a, const struct access *b)
{
    const struct access *written = a->kind == ACCESS_WRITE ? a : b;
    j->is_packed = true;
    if (j->conflict == NULL || j->loop->pragma_parallel) {
        j->conflict = arena_printf(j->an->arena,
                                   "%s is a bit-field, changed here perhaps by more than one iteration, and no update "
                                   "of bits is atomic",
                                   describe(j->an, written));
        j->conflict_a = written->inst->loc;
        j->conflict_b = (written == a ? b : a)->inst->loc;
    }
}

// An atomic operation needs an address that is aligned.
static void note_packed(struct judgement *j, const struct access *a, const struct access *b)
{
    const struct access *packed = a->inst->is_packed ? a : b;
    j->is_packed = true;
    if (j->conflict == NULL || j->loop->pragma_parallel) { // the pragma is an answer to all others
        j->conflict =
            arena_printf(j->an->arena,
                         "%s, updated here by more than one iteration, lies in a packed struct, where no update "
                         "is atomic",
                         describe(j->an, packed));
        j->conflict_a = packed->inst->loc;
        j->conflict_b = (packed == a ? b : a)->inst->loc;
    }
}

static void note_atomics(struct judgement *j, const struct access *a, const struct access *b)
{
    const struct access *first = a->kind == ACCESS_ATOMIC ? a : b, *other = first == a ? b : a;
    if (j->atomics == NULL) {
        j->atomics =
            arena_printf(j->an->arena, "%s is updated by an explicit atomic here and read here: any order will do",
                         describe(j->an, first));
        j->atomics_a = first->inst->loc;
        j->atomics_b = other->inst->loc;
    }
}

// Stores that collide where at least one index is not followed. Whether the loop is a scatter is asked at the end.
static bool note_scattered(struct judgement *j, const struct access *a, const struct access *b)
{
    if (a->kind != ACCESS_WRITE || b->kind != ACCESS_WRITE || (!is_vague(j, a) && !is_vague(j, b))) {
        return false;
    }
    for (int i = 0; i < j->scattered.count; i++) {
        if (j->scattered.items[i] == a->base) {
            return true;
        }
    }
    j->scatter = j->scatter == NULL ? (is_vague(j, a) ? a : b) : j->scatter;
    VEC_PUSH(j->an->arena, &j->scattered, a->base);
    return true;
}

// Each launch tests all of them, and each is compared with all others here.
static void note_conditions(struct judgement *j, const struct pair_result *result)
{
    enum { MAX_CONDITIONS = 256 };
    for (int c = 0; c < result->condition_count && !analysis_has_bug(j->an, BUG_CONDITIONS_DROPPED); c++) {
        bool is_new = true;
        for (int i = 0; i < j->conditions.count; i++) {
            is_new &= !plan_expr_equal(j->conditions.items[i].expr, result->conditions[c].expr);
        }
        if (is_new) {
            VEC_PUSH(j->an->arena, &j->conditions, result->conditions[c]);
            VEC_PUSH(j->an->arena, &j->needs, result->needs[c]);
        }
    }
    if (j->conditions.count > MAX_CONDITIONS && j->conflict == NULL) {
        j->conflict = "that its iterations do not meet depends on more conditions than a launch tests";
        j->conflict_a = j->info->inst->loc;
        j->conflict_b = (struct loc){0};
    }
}

static bool has_conditions(const struct judgement *j, const struct pair_result *result)
{
    for (int c = 0; c < result->condition_count; c++) {
        bool is_there = false;
        for (int i = 0; i < j->conditions.count; i++) {
            is_there |= plan_expr_equal(j->conditions.items[i].expr, result->conditions[c].expr);
        }
        if (!is_there) {
            return false;
        }
    }
    return true;
}

static bool is_shared(const struct judgement *j, const struct access *access)
{
    return access->kind == ACCESS_ATOMIC || shared_has(j->an, j->info, access);
}

// With all that are like it.
static void note_shared(struct judgement *j, const struct access *access)
{
    int index = (int)(access - j->an->accesses.items);
    for (; access->kind == ACCESS_UPDATE && index >= 0; index = j->distinct.next_alike[index - j->info->access_begin]) {
        shared_note(j->an, j->info, &j->an->accesses.items[index]);
    }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// Whether anything uses what the instruction gives: it is in scope in its own region and in those inside it.
static bool is_result_used(const struct ir_inst *inst)
{
    WALK (user, inst->parent) {
        for (int i = 0; i < user->arg_count; i++) {
            if (user->args[i] == inst) {
                return true;
            }
        }
    }
    return false;
}

// The same of an explicit atomic, or of one of those that are like it.
static bool is_old_value_used(const struct judgement *j, const struct access *access)
{
    int index = (int)(access - j->an->accesses.items);
    for (; access->kind == ACCESS_ATOMIC && index >= 0; index = j->distinct.next_alike[index - j->info->access_begin]) {
        if (is_result_used(j->an->accesses.items[index].inst)) {
            return true;
        }
    }
    return false;
}

// Explicit atomics that give another result in another order, if they meet: by what they return or by what they leave
// in memory. That any order will do is then the author's word, and nothing that was proven.
static void note_order_of_atomics(struct judgement *j, const struct access *a, const struct access *b)
{
    const struct access *first = a->kind == ACCESS_ATOMIC ? a : b, *other = first == a ? b : a;
    if (first->kind != ACCESS_ATOMIC || j->atomics != NULL) {
        return;
    }
    bool commutes = a->type == b->type && ir_updates_commute(a->update, b->update);
    bool is_used = is_old_value_used(j, a) || is_old_value_used(j, b);
    if ((commutes && !is_used) || pair_test(j->an, j->info, a, b, false).answer == PAIR_APART) {
        return;
    }
    j->atomics = arena_printf(j->an->arena, "%s %s: any order will do", describe(j->an, first),
                              commutes ? "is updated by an explicit atomic here whose result is used"
                                       : "is updated here by explicit atomics that do not commute");
    j->atomics_a = first->inst->loc;
    j->atomics_b = first == other ? (struct loc){0} : other->inst->loc;
}

// Two updates that commute, or explicit atomics: if they may meet they must be atomic.
static void judge_updates(struct judgement *j, const struct access *a, const struct access *b)
{
    note_order_of_atomics(j, a, b);
    if (is_shared(j, a) && is_shared(j, b)) {
        return; // known to be atomic, whatever comes out
    }
    struct pair_result result = pair_test(j->an, j->info, a, b, false);
    if (result.answer == PAIR_APART || analysis_has_bug(j->an, BUG_UPDATES_ALONE)) {
        return;
    }
    // Conditions that indices do not wrap, or that the loop depends on anyway, keep the update plain. For others alone
    // it is better to be atomic than in order.
    if (result.answer == PAIR_IF && (result.is_fit || has_conditions(j, &result))) {
        note_conditions(j, &result);
        return;
    }
    if (a->inst->is_packed || b->inst->is_packed) {
        note_packed(j, a, b);
        return;
    }
    note_shared(j, a);
    note_shared(j, b);
}

// A bit-field that is read and written, perhaps at one place: an update, or not to be told from one. Nobody gives his
// word that the places of an update differ, and none of bits is atomic.
static bool is_update_of_bits(const struct access *read, const struct access *written)
{
    return read->kind == ACCESS_READ && written->kind == ACCESS_WRITE && written->inst->is_around &&
           !read->inst->is_around;
}

// The address that a pointer variable holds at the loop's entry, or that of a parameter.
static struct plan_expr *pointer_expr(struct judgement *j, const struct access *access, const char **out_name)
{
    struct analysis *an = j->an;
    for (int v = 0; access->source != NULL && v < an->kernel->var_count; v++) {
        if (var_values_get(&j->info->entry, v) == access->source) {
            struct plan_expr *expr = ARENA_NEW(an->arena, struct plan_expr);
            *expr = (struct plan_expr){.kind = PLAN_EXPR_VAR, .type = IR_PTR, .index = v};
            *out_name = an->kernel->vars[v]->name;
            return expr;
        }
    }
    if (access->source == NULL && base_kind(access->base) == BASE_PARAM) {
        *out_name = an->kernel->params[base_index(access->base)].name;
        return plan_param(an->arena, IR_PTR, base_index(access->base));
    }
    return NULL;
}

// Two pointer variables that hold whole arrays (swapped after each step, say) point into one only if they are equal,
// which the launch can see.
static bool are_two_pointers(struct judgement *j, const struct access *a, const struct access *b)
{
    if (a->source == b->source || a->recheck == j->info || b->recheck == j->info) {
        return false;
    }
    const char *name_a, *name_b;
    struct plan_expr *x = pointer_expr(j, a, &name_a), *y = pointer_expr(j, b, &name_b);
    struct plan_expr *differ = plan_op(j->an->arena, IR_OP_NE, IR_I1, IR_PTR, x, y);
    if (differ == NULL) {
        return false;
    }
    struct pair_result result = {.answer = PAIR_IF, .condition_count = 1};
    const char *text = arena_printf(j->an->arena, "%s != %s", name_a, name_b);
    result.conditions[0] = (struct plan_condition){.expr = differ, .text = text, .loc = a->inst->loc};
    note_conditions(j, &result);
    return true;
}

// Stores of which a condition would have to say that they do not collide, where one of the indices is not followed:
// such conditions seldom hold, and a scatter needs none.
static bool is_scatter(struct judgement *j, const struct access *a, const struct access *b)
{
    int64_t granule;
    const struct access *access;
    return a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE && !j->loop->pragma_parallel && !j->info->holds_blocks &&
           (is_vague(j, a) || is_vague(j, b)) && scatter_refuse(j->an, j->info, a->base, &granule, &access) == NULL &&
           scatter_slice(j->an, j->info, &a->base, 1)->refused == NULL;
}

// Stores of a compaction: see passes/scan_store.c.
static bool are_own(const struct judgement *j, const struct access *a, const struct access *b)
{
    return j->loop->runs != 0 && a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE && a->base == b->base &&
           a->inst->own == j->loop->runs && b->inst->own == j->loop->runs;
}

// Stores of a loop that appends to lists, all to elements of one size, as its counters themselves: apart if no two
// lists come to one number, which whoever takes the loop as one must see to.
static bool are_of_lists(const struct judgement *j, const struct access *a, const struct access *b)
{
    struct lists_place place_a, place_b;
    if (j->lists == NULL || a->base != b->base || a->context != NULL || b->context != NULL) {
        return false;
    }
    if (base_kind(a->base) == BASE_LOCAL && base_index(a->base) == j->lists->counters->index) {
        return true;
    }
    return a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE && a->inst->base == a->base && b->inst->base == b->base &&
           lists_is_store(j->lists, j->info->inst, a->inst, &place_a) &&
           lists_is_store(j->lists, j->info->inst, b->inst, &place_b) && place_a.size == place_b.size &&
           place_a.of == place_b.of;
}

static void judge_same_base(struct judgement *j, const struct access *a, const struct access *b)
{
    if (are_own(j, a, b) || are_of_lists(j, a, b)) {
        return;
    }
    if (commute(j->loop, a, b)) {
        judge_updates(j, a, b);
        return;
    }
    if (store_the_same(j->an, a, b)) {
        return;
    }
    bool is_recheck = a->recheck == j->info || b->recheck == j->info;
    struct pair_result result = pair_test(j->an, j->info, a, b, is_recheck);
    switch (result.answer) {
    case PAIR_APART: return;
    case PAIR_IF:
        if (j->is_again && !result.is_fit) {
            break;
        }
        if (!is_scatter(j, a, b)) {
            note_conditions(j, &result);
            return;
        }
        break;
    case PAIR_CONFLICT: break;
    }
    bool is_authors =
        (a->kind == ACCESS_ATOMIC && b->kind == ACCESS_READ) || (b->kind == ACCESS_ATOMIC && a->kind == ACCESS_READ);
    if (are_two_pointers(j, a, b)) {
        return;
    }
    if (is_authors && !is_recheck) {
        note_atomics(j, a, b); // an explicit atomic is the author's word that any order will do
    } else if ((is_update_of_bits(a, b) || is_update_of_bits(b, a)) && (is_vague(j, a) || is_vague(j, b))) {
        note_bits(j, a, b);
    } else if (!note_scattered(j, a, b)) {
        note_order(j, a, b);
    }
}

static void judge_two_bases(struct judgement *j, int a, int b)
{
    const struct access *x = &j->an->accesses.items[a], *y = &j->an->accesses.items[b];
    if (analysis_has_bug(j->an, BUG_PAIRS_DROPPED) || store_the_same(j->an, x, y) ||
        (commute(j->loop, x, y) && is_shared(j, x) && is_shared(j, y))) {
        return;
    }
    bool is_recheck = x->recheck == j->info || y->recheck == j->info;
    // The same index in every iteration; other forms that would do as well are rare, and looking for them costs time.
    bool equal_will_do =
        poly_equal(x->flat, y->flat) && pair_test(j->an, j->info, x, y, is_recheck).answer == PAIR_APART;
    struct access_pair pair = {a, b, equal_will_do};
    VEC_PUSH(j->an->arena, &j->info->pairs, pair);
}

// What must keep an order comes first, then updates, then pairs of bases, which ask whether updates are atomic.
enum round { ROUND_ORDER, ROUND_UPDATES, ROUND_BASES };

static void judge_pairs(struct judgement *j, enum round round)
{
    const struct distinct_access *items = j->distinct.items.items;
    for (int i = 0; i < j->distinct.items.count; i++) {
        const struct access *a = &j->an->accesses.items[items[i].access];
        for (int k = i; k < j->distinct.items.count; k++) {
            const struct access *b = &j->an->accesses.items[items[k].access];
            if (distinct_never_meet(&items[i], &items[k]) || (a->kind == ACCESS_READ && b->kind == ACCESS_READ)) {
                continue;
            }
            enum relation relation = access_relation(j->an, a, b);
            bool is_harmless = commute(j->loop, a, b);
            if (relation == RELATION_UNKNOWN && round == ROUND_ORDER && !is_harmless) {
                note_conflict(j, a, b);
            } else if (relation == RELATION_SAME && round == (is_harmless ? ROUND_UPDATES : ROUND_ORDER)) {
                judge_same_base(j, a, b);
            } else if (relation == RELATION_TWO_BASES && round == ROUND_BASES) {
                judge_two_bases(j, items[i].access, items[k].access);
            }
            if (j->conflict != NULL && !j->loop->pragma_parallel) { // the pragma: which updates meet is still asked
                return;
            }
        }
    }
}

// ---- the verdict ---------------------------------------------------------------------------------------------------

static bool leaves_loop(const struct ir_region *region, const struct ir_inst *loop)
{
    WALK (inst, region) {
        bool is_jump = inst->op == IR_OP_BREAK || inst->op == IR_OP_JUMP;
        if (inst->op == IR_OP_RETURN || (is_jump && !walk_is_inside(inst->target, loop))) {
            return true;
        }
    }
    return false;
}

static void settle(struct judgement *j, enum ir_verdict verdict, const char *reason, struct loc a, struct loc b)
{
    assert(verdict != IR_VERDICT_NONE && (verdict == IR_VERDICT_PROVEN || reason != NULL));
    j->loop->verdict = verdict;
    j->loop->reason = reason;
    j->loop->reason_loc_a = a;
    j->loop->reason_loc_b = b;
}

// Reasons that need no look at the memory. True: settled.
static bool settle_early(struct judgement *j)
{
    struct loc here = j->info->inst->loc, none = {0};
    if (j->info->holds_blocks && (j->loop->pragma_single || j->loop->pragma_parallel)) {
        diag_error(j->an->diags, here,
                   "a loop under '#pragma rill %s' is one task and may not hold stream_parallel blocks",
                   j->loop->pragma_single ? "single" : "parallel");
    }
    if (j->loop->is_fallback) {
        settle(j, IR_VERDICT_IN_ORDER, "it runs only where arguments overlap or indices wrap", here, none);
    } else if (j->loop->carries) {
        settle(j, IR_VERDICT_IN_ORDER, "it carries what the loops inside it depend on", here, none);
    } else if (j->loop->pragma_single) {
        settle(j, IR_VERDICT_IN_ORDER, "'#pragma rill single' stands before it", here, none);
    } else if (j->loop->pragma_serial) {
        settle(j, IR_VERDICT_IN_ORDER, "'#pragma rill serial' stands before it", here, none);
    } else if (leaves_loop(&j->info->inst->regions[0], j->info->inst)) {
        settle(j, IR_VERDICT_IN_ORDER, "its body may leave it", here, none);
    } else {
        return false;
    }
    return true;
}

static const char *condition_text(struct judgement *j)
{
    struct str text;
    str_init(&text, j->an->arena);
    for (int i = 0; i < j->conditions.count; i++) {
        const char *one = j->conditions.items[i].text;
        bool has_or = j->conditions.count > 1 && strstr(one, " or ") != NULL;
        str_printf(&text, has_or ? "%s(%s)" : "%s%s", i > 0 ? " and " : "", one);
    }
    return str_text(&text);
}

// ---- scatter -------------------------------------------------------------------------------------------------------

static void refuse_scatter(struct judgement *j, const char *why, const struct access *access)
{
    const struct access *store = j->scatter;
    j->conflict =
        arena_printf(j->an->arena,
                     "the index of %s, stored to here, is not followed, and %s: say '#pragma rill parallel' if "
                     "any order will do",
                     describe(j->an, store), why);
    j->conflict_a = store->inst->loc;
    j->conflict_b = access != NULL ? access->inst->loc : (struct loc){0};
}

// An index made of what an explicit atomic returned is the author's word that any order will do.
static bool is_by_atomics(struct judgement *j, int base)
{
    const struct slice *slice = scatter_slice(j->an, j->info, &base, 1);
    if (slice->atomic == NULL || slice->refused != NULL) {
        return false;
    }
    if (j->atomics == NULL) {
        j->atomics =
            arena_printf(j->an->arena, "where '%s' is stored to depends on an explicit atomic here: any order will do",
                         base_name(j->an->module, j->an->kernel, base));
        j->atomics_a = slice->atomic->loc;
        j->atomics_b = (struct loc){0};
    }
    return true;
}

// The loop only stores to the array, by whole elements.
static bool add_scatter(struct judgement *j, int base)
{
    const struct access *access;
    struct scatter *scatter = &j->facts->scatters[j->facts->scatter_count];
    scatter->base = base;
    const char *why = scatter_refuse(j->an, j->info, base, &scatter->granule, &access);
    if (why != NULL) {
        why = arena_printf(j->an->arena, "'%s' %s", base_name(j->an->module, j->an->kernel, base), why);
        refuse_scatter(j, why, access);
        return false;
    }
    j->facts->scatter_count++;
    return true;
}

// It is a scatter if where to can be computed ahead; else it runs in order.
static void judge_scatter(struct judgement *j)
{
    struct analysis *an = j->an;
    int *bases = ARENA_ARRAY(an->arena, int, j->scattered.count);
    int count = 0;
    j->facts->scatters = ARENA_ARRAY(an->arena, struct scatter, j->scattered.count);
    for (int i = 0; i < j->scattered.count; i++) {
        int base = j->scattered.items[i];
        if (is_by_atomics(j, base)) {
            continue;
        }
        if (!add_scatter(j, base)) {
            return;
        }
        bases[count++] = base;
    }
    const struct slice *slice = scatter_slice(an, j->info, bases, count);
    if (slice->refused != NULL) {
        struct access at = {.inst = (struct ir_inst *)slice->refused};
        refuse_scatter(j, slice->why, &at);
    }
    scatter_part_pairs(an, j->info, slice);
    j->facts->slice = slice;
}

static void settle_pragma(struct judgement *j, const char *why, struct loc at)
{
    diag_error(j->an->diags, j->info->inst->loc, "'#pragma rill parallel' cannot hold here: %s", why);
    if (at.line != 0) {
        diag_note(j->an->diags, at, "here");
    }
}

static void warn_of_doubt(struct judgement *j)
{
    for (int i = 0; i < j->an->diags->count; i++) { // kernels that others call are looked at again in each of those
        const struct diag *diag = &j->an->diags->items[i];
        if (diag->severity == DIAG_WARNING && diag->loc.file == j->info->inst->loc.file &&
            diag->loc.line == j->info->inst->loc.line && strncmp(diag->text, "under '#pragma", 14) == 0) {
            return;
        }
    }
    diag_warning(j->an->diags, j->info->inst->loc, "under '#pragma rill parallel' it is left to chance what stays: %s",
                 j->doubt);
    diag_note(j->an->diags, j->doubt_a, "here");
    if (j->doubt_b.line != j->doubt_a.line) {
        diag_note(j->an->diags, j->doubt_b, "and here");
    }
}

static void settle_by_pairs(struct judgement *j, const struct scalar_result *scalars)
{
    struct loc here = j->info->inst->loc, none = {0};
    if (!scalars->is_ok) {
        settle(j, IR_VERDICT_IN_ORDER, scalars->reason, scalars->loc_a, scalars->loc_b);
        if (j->loop->pragma_parallel) {
            settle_pragma(j, scalars->reason, scalars->loc_b);
        }
    } else if (j->is_false) {
        settle(j, IR_VERDICT_IN_ORDER, j->conflict, j->conflict_a, j->conflict_b);
        settle_pragma(j, j->conflict, j->conflict_b);
    } else if (j->loop->pragma_parallel && !j->is_packed) {
        settle(j, IR_VERDICT_PRAGMA, "'#pragma rill parallel' stands before it", here, none);
        if (j->doubt != NULL) {
            warn_of_doubt(j);
        }
        j->conditions.count = 0;
        j->info->pairs.count = 0;
    } else if (j->conflict != NULL) {
        settle(j, IR_VERDICT_IN_ORDER, j->conflict, j->conflict_a, j->conflict_b);
        if (j->is_perhaps) {
            j->facts->advice = advise(j->an, j->info, &j->facts->advice_place);
        }
        if (j->loop->pragma_parallel) { // no order will do without atomics
            diag_warning(j->an->diags, here, "the loop runs in order in spite of '#pragma rill parallel': %s",
                         j->conflict);
        }
    } else if (j->facts->scatter_count == 0 && j->atomics != NULL) {
        settle(j, IR_VERDICT_ATOMICS, j->atomics, j->atomics_a, j->atomics_b);
    } else if (j->facts->scatter_count > 0) {
        const char *text = arena_printf(j->an->arena, "each element of %s keeps the store of its last iteration",
                                        describe(j->an, j->scatter));
        settle(j, IR_VERDICT_SCATTER, text, j->scatter->inst->loc, none);
    } else if (j->conditions.count > 0) {
        settle(j, IR_VERDICT_IF, condition_text(j), j->conditions.items[0].loc, none);
    } else {
        settle(j, IR_VERDICT_PROVEN, NULL, none, none);
    }
}

static void note_too_many(struct judgement *j)
{
    struct loc here = j->info->inst->loc, none = {0};
    settle(j, IR_VERDICT_IN_ORDER, "it touches memory in more places than are compared with each other", here, none);
    if (j->loop->pragma_parallel) {
        diag_warning(j->an->diags, here, "the loop runs in order in spite of '#pragma rill parallel': %s",
                     j->loop->reason);
    }
}

// Blocks are no part of a task. That they are all that keeps the loop from being one is worth a warning.
static void settle_blocks(struct judgement *j)
{
    struct loc here = j->info->inst->loc, none = {0};
    j->facts->parallel_but_for_blocks = j->loop->verdict != IR_VERDICT_IN_ORDER;
    for (int i = 0; i < j->scattered.count; i++) { // by what is stored: the places cannot be computed ahead of a block
        int64_t granule;
        const struct access *access;
        j->facts->parallel_but_for_blocks &=
            scatter_refuse(j->an, j->info, j->scattered.items[i], &granule, &access) == NULL;
    }
    settle(j, IR_VERDICT_IN_ORDER,
           j->facts->parallel_but_for_blocks
               ? "it holds stream_parallel blocks, without which its iterations would run in parallel"
               : "it holds stream_parallel blocks",
           here, none);
}

static void judge_all_pairs(struct judgement *j)
{
    judge_pairs(j, ROUND_ORDER);
    judge_pairs(j, ROUND_UPDATES);
    judge_pairs(j, ROUND_BASES);
}

// What the loop assigns is its iteration's own, but for the running values.
static bool has_own_scalars(const struct ir_inst *loop, const struct running *running)
{
    WALK (inst, &loop->regions[0]) {
        bool is_own =
            !ir_op_sets(inst->op) || running_has(running, inst->var) || scalars_is_declared_in(inst->var, loop);
        if (!is_own || inst->op == IR_OP_CALL) {
            return false;
        }
    }
    return true;
}

// A GPU: whether a loop that runs in order would be independent but for the lists that it appends to, or the running
// values that it hands on, so that a team can share it out.
static void judge_again(struct analysis *an, struct loop_info *info, const struct scalar_result *scalars,
                        const struct distinct *distinct)
{
    struct lists lists;
    struct running running;
    struct ir_inst *inst = info->inst;
    struct ir_for *loop = inst->loop;
    if (!an->module->is_gpu || info->holds_blocks || loop->pragma_single || loop->pragma_serial) {
        return;
    }
    bool has_lists = scalars->is_ok && lists_find(inst, &lists) && lists_may_repeat(inst, &lists);
    bool is_running = !scalars->is_ok && loop->scan == IR_SCAN_NONE && !loop->pragma_parallel &&
                      running_find(inst, &running) && has_own_scalars(inst, &running);
    if (!has_lists && !is_running) {
        return;
    }
    struct judgement j = {.an = an,
                          .info = info,
                          .loop = loop,
                          .facts = loop->analysis,
                          .lists = has_lists ? &lists : NULL,
                          .is_again = true};
    j.distinct = *distinct;
    judge_all_pairs(&j);
    if (j.conflict != NULL || j.atomics != NULL || j.scattered.count > 0 || j.is_packed || info->shared.count > 0) {
        info->pairs.count = 0;
        shared_forget(info);
        return;
    }
    loop->scan = has_lists ? IR_SCAN_LISTS : IR_SCAN_RUNNING;
    loop->role_count = is_running ? 0 : loop->role_count;
    j.facts->conditions = j.conditions.items;
    j.facts->needs = j.needs.items;
    j.facts->condition_count = j.conditions.count;
}

void independence_judge(struct analysis *an, struct loop_info *info)
{
    assert(info->inst->op == IR_OP_FOR && info->is_kernel_loop);
    struct judgement j = {.an = an, .info = info, .loop = info->inst->loop};
    struct loop_facts *facts = ARENA_NEW(an->arena, struct loop_facts);
    j.loop->scan = j.loop->scan >= IR_SCAN_LISTS ? IR_SCAN_NONE : j.loop->scan; // of another analysis
    j.facts = facts;
    j.loop->analysis = facts;
    facts->analysis = an;
    facts->info = info;
    facts->may_fail = info->may_fail;
    facts->may_print = info->may_print;
    struct scalar_result scalars = scalars_find_roles(an, info);
    if (settle_early(&j)) {
        return;
    }
    int budget = an->budget;
    bool is_comparable = distinct_find(an, info, &j.distinct);
    if (!is_comparable) {
        note_too_many(&j);
    } else if (scalars.is_ok) {
        judge_all_pairs(&j);
        if (j.scattered.count > 0 && j.conflict == NULL && !j.loop->pragma_parallel && !info->holds_blocks) {
            judge_scatter(&j);
        }
    }
    if (is_comparable) {
        settle_by_pairs(&j, &scalars);
    }
    if (info->holds_blocks) {
        settle_blocks(&j);
        an->budget = budget; // what other loops are is not for this question to decide
    }
    if (j.loop->verdict == IR_VERDICT_IN_ORDER) {
        info->pairs.count = 0;
        shared_forget(info);
        if (is_comparable) {
            judge_again(an, info, &scalars, &j.distinct);
        }
        return;
    }
    facts->conditions = j.conditions.items;
    facts->needs = j.needs.items;
    facts->condition_count = j.conditions.count;
    independence_find_reductions(an, info, facts);
}

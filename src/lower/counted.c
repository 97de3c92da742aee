// Loops that are canonical but for how they count. `while (i-- > 0)` steps in its condition, and with `i += h` the step
// is known at the loop's entry only. Both become a loop over 64 bits of its own, in whose body the source's variable is
// a value: no scalar that one iteration hands on to the next.
#include "lower/loop.h"

#include <assert.h>

static const int64_t far = INT64_C(1) << 62; // sums of two numbers up to it fit

struct counted {
    struct lower *l;
    const struct stmt *stmt;
    struct canonical *c;
};

static bool is_wide_unsigned(const struct type *type)
{
    return type->size == 8 && !type_is_signed(type);
}

// ---- emitting ------------------------------------------------------------------------------------------------------

// The source's variable after the loop. What the loop itself declares is gone by then.
static void set_after(const struct counted *loop, struct ir_inst *value)
{
    struct lower *l = loop->l;
    const struct stmt *init = loop->stmt->init;
    if (init == NULL || init->kind != STMT_DECL) {
        enum ir_type type = lower_type(loop->c->var->type);
        value = type == IR_I64 ? value : lower_unary(l, IR_OP_TRUNC, type, value);
        ir_set(&l->b, lower_bind(l, loop->c->var)->var, value);
    }
}

struct counting {
    struct ir_inst *first;
    struct ir_inst *bound;
    enum ir_op compare;
    int step;
    struct ir_inst *init;   // of the source's variable, which is init + amount * counter; NULL: it is the counter
    struct ir_inst *amount; //
};

static struct ir_inst *source_value(struct lower *l, const struct counting *how, struct ir_inst *counter)
{
    if (how->init == NULL) {
        return counter;
    }
    struct ir_inst *way = lower_binary(l, IR_OP_MUL, IR_I64, counter, how->amount);
    return lower_binary(l, IR_OP_ADD, IR_I64, how->init, way);
}

static void emit(const struct counted *loop, const struct counting *how)
{
    struct lower *l = loop->l;
    const struct object *object = loop->c->var;
    enum ir_type type = lower_type(object->type);
    lower_at(l, loop->stmt->loc);
    struct ir_var *counter = object->name != NULL ? lower_var(l, object->name, IR_I64) : lower_temp(l, IR_I64);
    counter->loc = object->loc;
    struct ir_inst *inst = ir_emit_for(&l->b, counter, how->first, how->bound, how->compare, how->step);
    lower_loop_pragmas(l, inst->loop, &loop->stmt->pragmas);
    struct pointer_map bindings = l->frame->bindings;
    struct pointer_map extents = l->frame->extents;
    l->frame->bindings = pointer_map_copy(l->arena, &bindings);
    l->frame->extents = pointer_map_copy(l->arena, &extents);
    struct lower_saved_scope saved = lower_enter_scope(l, inst);
    l->parallel_depth += loop->stmt->pragmas.parallel;
    struct ir_region *outer = l->b.region;
    l->b.region = &inst->regions[0];
    struct ir_inst *value = source_value(l, how, ir_get(&l->b, counter));
    struct lower_binding *binding = ARENA_NEW(l->arena, struct lower_binding);
    binding->kind = BIND_VALUE;
    binding->value = type == IR_I64 ? value : lower_unary(l, IR_OP_TRUNC, type, value);
    pointer_map_set(l->arena, &l->frame->bindings, object, binding);
    l->b.region = outer;
    lower_loop_body(l, inst, loop->stmt);
    l->parallel_depth -= loop->stmt->pragmas.parallel;
    lower_leave_scope(l, saved);
    l->frame->bindings = bindings;
    l->frame->extents = extents;
    set_after(loop, source_value(l, how, ir_get(&l->b, counter)));
}

// Where the variable begins, as i64.
static struct ir_inst *init_value(const struct counted *loop)
{
    struct lower *l = loop->l;
    const struct canonical *c = loop->c;
    const struct stmt *init = loop->stmt->init;
    if (c->init == NULL && init != NULL) {
        lower_stmt(l, init);
    } else if (init != NULL && init->kind == STMT_DECL) {
        lower_bind_new(l, c->var);
    }
    struct lower_binding *binding = lower_bind(l, c->var);
    struct ir_inst *value = c->init != NULL ? lower_value(l, c->init) : ir_get(&l->b, binding->var);
    return lower_widen(l, value, c->var->type);
}

static bool has_jumps(const struct counted *loop)
{
    return loop->l->frame->info->has_jumps; // the body would need its labels in a scope of its own
}

// ---- steps in the condition ----------------------------------------------------------------------------------------

struct rotated {
    const struct expr *step;  // i-- or --i
    const struct expr *bound; // NULL: 0
    int64_t shift;            // the last value of an iteration is the bound and this
};

// The loop's variable, counted down by the expression; NULL: it is none.
static const struct object *counted_down(const struct lower *l, const struct expr *e)
{
    int64_t amount;
    bool is_step = e->kind == EXPR_UPDATE && e->op == EXPR_SUB && e->a->kind == EXPR_OBJECT &&
                   const_eval_int(lower_strip(e->b), &amount) && amount == 1;
    return is_step && lower_is_loop_variable(l, e->a->object) ? e->a->object : NULL;
}

// i-- > b: as long as i > b before, or i >= b in the body.
static bool find_rotated(struct counted *loop, struct rotated *out)
{
    const struct expr *condition = loop->stmt->expr != NULL ? lower_truth(lower_strip(loop->stmt->expr)) : NULL;
    if (condition == NULL) {
        return false;
    }
    enum expr_kind compare = EXPR_NE;
    const struct expr *common = condition;
    *out = (struct rotated){.step = condition};
    if (condition->kind >= EXPR_LT && condition->kind <= EXPR_NE) {
        const struct expr *a = lower_without_widening(condition->a), *b = lower_without_widening(condition->b);
        bool is_first = counted_down(loop->l, a) != NULL;
        compare = is_first ? condition->kind : expr_mirrored(condition->kind);
        *out = (struct rotated){.step = is_first ? a : b, .bound = is_first ? condition->b : condition->a};
        common = condition->a;
    }
    loop->c->var = counted_down(loop->l, out->step);
    if (loop->c->var == NULL || !type_is_integer(common->type)) {
        return false;
    }
    const struct type *type = loop->c->var->type;
    int64_t bound = 0;
    bool is_known = out->bound == NULL || const_eval_int(out->bound, &bound);
    if (compare == EXPR_NE) { // a negative number would be counted down all around
        out->bound = NULL;
        return !type_is_signed(type) && out->step->is_postfix && is_known && bound == 0;
    }
    out->shift = (compare == EXPR_GT ? 0 : -1) + (out->step->is_postfix ? 0 : 1);
    bool is_order = compare == EXPR_GT || compare == EXPR_GE;
    bool is_same_order = type_is_signed(type) == type_is_signed(common->type) ||
                         (type_is_signed(common->type) && type->size < common->type->size);
    bool is_in_range = !is_wide_unsigned(common->type) || (is_known && bound >= 0);
    // An unsigned 0 that is counted down is the largest number.
    bool is_plain = type_is_signed(type) || (out->step->is_postfix && (compare == EXPR_GT || (is_known && bound > 0)));
    return is_order && is_same_order && is_in_range && is_plain;
}

static bool lower_rotated(struct counted *loop)
{
    struct rotated how;
    struct lower *l = loop->l;
    struct canonical *c = loop->c;
    if (loop->stmt->step != NULL || has_jumps(loop) || !find_rotated(loop, &how)) {
        return false;
    }
    lower_find_init(loop->stmt, c);
    if ((how.bound != NULL && (!lower_check_bound(l, c, how.bound) || lower_reads_memory(l, how.bound)))) {
        return false;
    }
    c->bound = how.bound;
    if (!lower_check_body(l, loop->stmt, c)) {
        return false;
    }
    struct ir_inst *init = init_value(loop);
    struct ir_inst *bound = lower_int(l, IR_I64, how.shift);
    if (how.bound != NULL) {
        struct ir_inst *value = lower_widen(l, lower_value(l, how.bound), how.bound->type);
        bound = lower_binary(l, IR_OP_ADD, IR_I64, value, bound);
    }
    struct ir_inst *first = lower_binary(l, IR_OP_ADD, IR_I64, init, lower_int(l, IR_I64, -1));
    emit(loop, &(struct counting){first, bound, IR_OP_SGE, -1, NULL, NULL});
    return true;
}

// ---- steps that are known at entry ---------------------------------------------------------------------------------

static bool is_known_step(const struct lower *l, const struct expr *amount)
{
    for (int i = 0; i < l->steps.count; i++) {
        if (lower_same(lower_strip(l->steps.items[i]), lower_strip(amount))) {
            return true;
        }
    }
    return false;
}

static struct ir_inst *both(struct lower *l, struct ir_inst *a, struct ir_inst *b)
{
    return lower_binary(l, IR_OP_AND, IR_I1, a, b);
}

// Whether the loop ends where its counter does: the step leads to the bound, and what the variable holds then fits it.
// |amount| is positive upwards and negative downwards, |end| the first number beyond the last iteration's.
static struct ir_inst *is_countable(struct lower *l, const struct canonical *c, struct ir_inst *init,
                                    struct ir_inst *end, struct ir_inst *amount)
{
    const struct type *type = c->var->type;
    int bits = (int)type->size * 8;
    bool is_up = c->step > 0, is_signed = type_is_signed(type);
    int64_t high = bits == 64 ? far : is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    int64_t low = bits == 64 ? (is_signed ? -far : 0) : is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    struct ir_inst *holds = lower_binary(l, is_up ? IR_OP_SGT : IR_OP_SLT, IR_I1, amount, lower_int(l, IR_I64, 0));
    holds = both(l, holds,
                 lower_binary(l, is_up ? IR_OP_SLT : IR_OP_SGT, IR_I1, amount,
                              lower_int(l, IR_I64, is_up ? far / 2 : -(far / 2))));
    struct ir_inst *ends[] = {init, end};
    for (int i = 0; i < 2 && bits == 64; i++) {
        holds = both(l, holds, lower_binary(l, IR_OP_SGE, IR_I1, ends[i], lower_int(l, IR_I64, low / 2)));
        holds = both(l, holds, lower_binary(l, IR_OP_SLE, IR_I1, ends[i], lower_int(l, IR_I64, high / 2)));
    }
    struct ir_inst *last = lower_binary(l, IR_OP_ADD, IR_I64, end, amount);
    struct ir_inst *fits =
        is_up ? lower_binary(l, IR_OP_SLE, IR_I1, last, lower_int(l, IR_I64, high == INT64_MAX ? high : high + 1))
              : lower_binary(l, IR_OP_SGE, IR_I1, last, lower_int(l, IR_I64, low - 1));
    return both(l, holds, fits);
}

static bool find_stepped(struct counted *loop)
{
    struct lower *l = loop->l;
    struct canonical *c = loop->c;
    struct canonical step = {0};
    if (loop->stmt->kind != STMT_FOR || has_jumps(loop) || lower_canonical_find(l, loop->stmt, &step) ||
        step.amount == NULL) {
        return false;
    }
    *c = (struct canonical){.var = step.var, .step = step.step, .amount = step.amount};
    if (!type_is_integer(c->amount->type) || !lower_find_condition(l, loop->stmt, loop->stmt->expr, c)) {
        return false;
    }
    lower_find_init(loop->stmt, c);
    for (struct canonical *bound = c; bound != NULL; bound = bound->also) {
        const struct type *type = c->var->type, *common = bound->common;
        bool is_same_order =
            type_is_signed(type) == type_is_signed(common) || (type_is_signed(common) && type->size < common->size);
        if (!is_same_order || bound->compare == EXPR_NE || !lower_check_bound(l, c, bound->bound) ||
            lower_reads_memory(l, bound->bound)) {
            return false;
        }
    }
    return lower_check_bound(l, c, c->amount) && !lower_reads_memory(l, c->amount) &&
           lower_check_body(l, loop->stmt, c);
}

// The first number that ends the loop, where the variable comes by it.
static struct ir_inst *end_value(struct lower *l, const struct canonical *c)
{
    struct ir_inst *end = NULL;
    for (; c != NULL; c = c->also) {
        struct ir_inst *value = lower_widen(l, lower_value(l, c->bound), c->bound->type);
        int shift = c->compare == EXPR_LE ? 1 : c->compare == EXPR_GE ? -1 : 0;
        value = lower_binary(l, IR_OP_ADD, IR_I64, value, lower_int(l, IR_I64, shift));
        end = end == NULL ? value : lower_binary(l, c->step > 0 ? IR_OP_SMIN : IR_OP_SMAX, IR_I64, end, value);
    }
    return end;
}

// The loop as C has it. Its body is lowered once more, with bindings of its own.
static void emit_plain(const struct counted *loop, struct ir_inst *init)
{
    struct lower *l = loop->l;
    struct pointer_map bindings = l->frame->bindings;
    struct pointer_map extents = l->frame->extents;
    l->frame->bindings = pointer_map_copy(l->arena, &bindings);
    l->frame->extents = pointer_map_copy(l->arena, &extents);
    l->plain_depth++;
    enum ir_type type = lower_type(loop->c->var->type);
    ir_set(&l->b, lower_bind(l, loop->c->var)->var, type == IR_I64 ? init : lower_unary(l, IR_OP_TRUNC, type, init));
    lower_plain_loop(l, loop->stmt, IR_REASON_STEP);
    l->plain_depth--;
    l->frame->bindings = bindings;
    l->frame->extents = extents;
}

// Loops of so many bits end before their variable wraps around, like those of a constant step (bound.c), if the step
// leads to the bound at all.
static bool is_never_around(const struct canonical *c)
{
    return c->var->type->size >= 4 && (c->step > 0 || type_is_signed(c->var->type));
}

static void emit_stepped(struct counted *loop, struct ir_inst *init, struct ir_inst *end, struct ir_inst *size)
{
    struct lower *l = loop->l;
    bool is_up = loop->c->step > 0;
    struct ir_inst *zero = lower_int(l, IR_I64, 0), *one = lower_int(l, IR_I64, 1);
    // The step is at least 1 here: as a value that shows it.
    struct ir_inst *shown = lower_binary(l, IR_OP_SMAX, IR_I64, size, one);
    struct ir_inst *way =
        is_up ? lower_binary(l, IR_OP_SUB, IR_I64, end, init) : lower_binary(l, IR_OP_SUB, IR_I64, init, end);
    way = lower_binary(l, IR_OP_ADD, IR_I64, way, lower_binary(l, IR_OP_SUB, IR_I64, shown, one));
    way = lower_binary(l, IR_OP_SMAX, IR_I64, way, zero);
    struct ir_inst *trips = lower_binary(l, IR_OP_SDIV, IR_I64, way, shown);
    struct ir_inst *amount = is_up ? shown : lower_binary(l, IR_OP_SUB, IR_I64, zero, shown);
    emit(loop, &(struct counting){zero, trips, IR_OP_SLT, 1, init, amount});
}

static bool lower_stepped(struct counted *loop)
{
    if (!find_stepped(loop)) {
        return false;
    }
    struct lower *l = loop->l;
    const struct canonical *c = loop->c;
    struct ir_inst *init = init_value(loop), *end = end_value(l, c);
    struct ir_inst *size = lower_widen(l, lower_value(l, c->amount), c->amount->type);
    lower_at(l, loop->stmt->loc);
    if (is_known_step(l, c->amount) && is_never_around(c)) {
        emit_stepped(loop, init, end, size);
        return true;
    }
    struct ir_inst *amount = c->step > 0 ? size : lower_binary(l, IR_OP_SUB, IR_I64, lower_int(l, IR_I64, 0), size);
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, is_countable(l, c, init, end, amount), 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &branch->regions[0];
    emit_stepped(loop, init, end, size);
    l->b.region = &branch->regions[1];
    emit_plain(loop, init);
    l->b.region = outer;
    return true;
}

bool lower_counted(struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    struct counted loop = {l, stmt, c};
    if (lower_rotated(&loop)) {
        return true;
    }
    *c = (struct canonical){0};
    return lower_stepped(&loop);
}

// ---- a nest whose steps are tested where it begins -----------------------------------------------------------------

// Adds the steps of |stmt| and of the loops in it that nothing in |nest| changes.
static void collect_steps(struct lower *l, const struct stmt *nest, const struct stmt *stmt)
{
    if (stmt == NULL) {
        return;
    }
    struct canonical c = {0};
    if (stmt->kind == STMT_FOR && !lower_find_step(l, stmt, &c) && c.amount != NULL &&
        type_is_integer(c.amount->type) && !lower_has_effect(l, c.amount) && !lower_reads_memory(l, c.amount) &&
        !is_known_step(l, c.amount) && !lower_is_changed(l, nest, c.amount)) {
        VEC_PUSH(l->arena, &l->steps, c.amount);
    }
    for (int i = 0; i < stmt->item_count; i++) {
        collect_steps(l, nest, stmt->items[i]);
    }
    collect_steps(l, nest, stmt->body);
    collect_steps(l, nest, stmt->else_body);
}

// A second version of a loop alone would be in the way of what is found out about those around it: it has places that
// are not followed. So there are two versions of the whole nest.
bool lower_steps_split(struct lower *l, const struct stmt *stmt,
                       void (*lower_nest)(struct lower *, const struct stmt *))
{
    int known = l->steps.count;
    if (l->plain_depth > 0 || l->frame->info->has_jumps) {
        return false;
    }
    collect_steps(l, stmt, stmt);
    if (l->steps.count == known) {
        return false;
    }
    struct ir_inst *holds = NULL;
    lower_at(l, stmt->loc);
    for (int i = known; i < l->steps.count; i++) {
        const struct expr *amount = l->steps.items[i];
        struct ir_inst *size = lower_widen(l, lower_value(l, amount), amount->type);
        struct ir_inst *leads = lower_binary(l, IR_OP_SGT, IR_I1, size, lower_int(l, IR_I64, 0));
        leads = amount->type->size < 8
                    ? leads
                    : both(l, leads, lower_binary(l, IR_OP_SLT, IR_I1, size, lower_int(l, IR_I64, far / 2)));
        holds = holds == NULL ? leads : both(l, holds, leads);
    }
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, holds, 2);
    struct ir_region *outer = l->b.region;
    struct pointer_map bindings = l->frame->bindings;
    struct pointer_map extents = l->frame->extents;
    for (int version = 0; version < 2; version++) {
        l->b.region = &branch->regions[version];
        l->frame->bindings = pointer_map_copy(l->arena, &bindings);
        l->frame->extents = pointer_map_copy(l->arena, &extents);
        l->plain_depth += version;
        lower_nest(l, stmt);
        l->plain_depth -= version;
    }
    l->frame->bindings = bindings;
    l->frame->extents = extents;
    l->b.region = outer;
    l->steps.count = known;
    return true;
}

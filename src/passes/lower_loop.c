// Canonical loops (language.md §1): for (i = init; i < bound; i += step) with a constant step, whose body writes
// neither i nor what the bound is made of and does not leave the loop. Whatever is not one gets a reason, for messages,
// and becomes a plain loop.
//
// C compares in the common type of i and the bound, which may be wider than i. The loop counts in i's own type, so the
// bound is brought there: as it is where its value surely fits; clamped where only an overflow of a signed i, which C
// leaves undefined, could tell the difference; else the loop is not canonical (an unsigned char never reaches 1000).
#include "passes/lower_internal.h"

struct canonical {
    const struct object *var;
    const struct expr *init;      // NULL: the variable keeps its value
    enum expr_kind compare;       // var compare bound
    const struct expr *bound;     // as compared, converted to the common type
    const struct type *common;    // in which C compares
    const struct expr *condition; // the whole
    int64_t step;
    const char *why; // not canonical: the reason
    struct loc where;
};

static bool fail(struct canonical *c, struct loc where, const char *why)
{
    c->why = why;
    c->where = where;
    return false;
}

// ---- the three parts -----------------------------------------------------------------------------------------------

static bool is_loop_variable(const struct lower *l, const struct object *object)
{
    return (object->kind == OBJECT_LOCAL || object->kind == OBJECT_PARAM) && type_is_integer(object->type) &&
           object->type->kind != TYPE_BOOL && !lower_is_memory_object(l, object);
}

static const struct expr *without_widening(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->is_implicit && type_is_integer(e->type) && type_is_integer(e->a->type) &&
           e->type->size >= e->a->type->size) {
        e = e->a;
    }
    return e;
}

static enum expr_kind mirrored(enum expr_kind compare)
{
    switch (compare) {
    case EXPR_LT: return EXPR_GT;
    case EXPR_LE: return EXPR_GE;
    case EXPR_GT: return EXPR_LT;
    case EXPR_GE: return EXPR_LE;
    default: return compare;
    }
}

// The variable that the step changes is the loop's.
static bool find_step(const struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    const struct expr *step = stmt->step != NULL ? lower_strip(stmt->step) : NULL;
    if (step != NULL && step->kind == EXPR_CAST && step->type->kind == TYPE_VOID) {
        step = step->a;
    }
    const struct expr *amount = NULL;
    bool is_down = false;
    if (step == NULL || (step->kind != EXPR_UPDATE && step->kind != EXPR_ASSIGN) || step->a->kind != EXPR_OBJECT) {
        return fail(c, stmt->loc, "it has no step of the form i += constant");
    }
    c->var = step->a->object;
    if (step->kind == EXPR_UPDATE) {
        amount = step->op == EXPR_ADD || step->op == EXPR_SUB ? step->b : NULL;
        is_down = step->op == EXPR_SUB;
    } else {
        const struct expr *sum = lower_strip(step->b);
        bool is_sum = sum->kind == EXPR_ADD || sum->kind == EXPR_SUB;
        is_down = sum->kind == EXPR_SUB;
        if (is_sum && lower_same(lower_strip(sum->a), step->a)) {
            amount = sum->b;
        } else if (sum->kind == EXPR_ADD && lower_same(lower_strip(sum->b), step->a)) {
            amount = sum->a;
        }
    }
    int64_t value;
    if (!is_loop_variable(l, c->var)) {
        return fail(c, step->loc, "its variable is no local integer whose address is not taken");
    }
    if (amount == NULL || !const_eval_int(lower_strip(amount), &value)) {
        return fail(c, step->loc,
                    amount != NULL ? "its step is not a constant" : "it has no step of the form i += constant");
    }
    int bits = (int)c->var->type->size * 8;
    int64_t limit = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
    if (value == 0 || value > limit || value < -limit) {
        return fail(c, step->loc, "its step is 0 or larger than its variable can hold");
    }
    c->step = is_down ? -value : value;
    return true;
}

static bool find_condition(const struct stmt *stmt, struct canonical *c)
{
    const struct expr *condition = stmt->expr != NULL ? lower_strip(stmt->expr) : NULL;
    if (condition == NULL || condition->kind < EXPR_LT || condition->kind > EXPR_NE || condition->kind == EXPR_EQ ||
        !type_is_integer(condition->a->type)) {
        return fail(c, stmt->loc, "its condition is no comparison of its variable with a bound");
    }
    const struct expr *a = without_widening(condition->a);
    const struct expr *b = without_widening(condition->b);
    c->condition = condition;
    c->common = condition->a->type;
    if (a->kind == EXPR_OBJECT && a->object == c->var) {
        c->compare = condition->kind;
        c->bound = condition->b;
    } else if (b->kind == EXPR_OBJECT && b->object == c->var) {
        c->compare = mirrored(condition->kind);
        c->bound = condition->a;
    } else {
        return fail(c, condition->loc, "its condition is no comparison of its variable with a bound");
    }
    bool goes_up = c->compare == EXPR_LT || c->compare == EXPR_LE;
    if (c->compare == EXPR_NE ? c->step != 1 && c->step != -1 : (c->step > 0) != goes_up) {
        return fail(c, condition->loc,
                    c->compare == EXPR_NE ? "with '!=' its step must be 1 or -1"
                                          : "its step leads away from its bound");
    }
    return true;
}

static void find_init(const struct stmt *stmt, struct canonical *c)
{
    const struct stmt *init = stmt->init;
    if (init == NULL) {
        return;
    }
    if (init->kind == STMT_DECL && init->object == c->var && c->var->init_count == 1) {
        c->init = c->var->inits[0].value;
    } else if (init->kind == STMT_EXPR && init->expr->kind == EXPR_ASSIGN && init->expr->a->kind == EXPR_OBJECT &&
               init->expr->a->object == c->var) {
        c->init = init->expr->b;
    }
}

// ---- what the body must not do -------------------------------------------------------------------------------------

struct body_check {
    const struct lower *l;
    struct canonical *c;
    struct lower_map labels; // that stand in the body
    int breakable;           // loops and switches between here and the loop
};

static bool mentions_object(const struct expr *e, const struct object *object)
{
    if (e == NULL) {
        return false;
    }
    if (e->object == object) {
        return true;
    }
    for (int i = 0; i < e->arg_count; i++) {
        if (mentions_object(e->args[i], object)) {
            return true;
        }
    }
    return mentions_object(e->a, object) || mentions_object(e->b, object) || mentions_object(e->c, object);
}

static const struct object *written_object(const struct expr *e)
{
    const struct expr *target = e->a;
    while (target->kind == EXPR_MEMBER ||
           (target->kind == EXPR_DEREF && target->a->kind == EXPR_PTR_ADD && target->a->a->kind == EXPR_DECAY)) {
        target = target->kind == EXPR_MEMBER ? target->a : target->a->a->a;
    }
    return target->kind == EXPR_OBJECT ? target->object : NULL;
}

static bool check_expr(struct body_check *check, const struct expr *e)
{
    if (e == NULL) {
        return true;
    }
    if (e->kind == EXPR_ASSIGN || e->kind == EXPR_UPDATE) {
        const struct object *object = written_object(e);
        if (object != NULL && object == check->c->var) {
            return fail(check->c, e->loc, "its body writes its variable");
        }
        // What is memory may change too, but then the bound is evaluated again before each iteration.
        bool is_watched = object != NULL && (object->kind == OBJECT_LOCAL || object->kind == OBJECT_PARAM) &&
                          !object->address_taken && object->type->kind != TYPE_ARRAY;
        if (is_watched && mentions_object(check->c->bound, object)) {
            return fail(check->c, e->loc, "its body writes a variable that its bound reads");
        }
    }
    for (int i = 0; i < e->arg_count; i++) {
        if (!check_expr(check, e->args[i])) {
            return false;
        }
    }
    if (e->kind == EXPR_COMPOUND_LITERAL) {
        for (int i = 0; i < e->object->init_count; i++) {
            if (!check_expr(check, e->object->inits[i].value)) {
                return false;
            }
        }
    }
    return check_expr(check, e->a) && check_expr(check, e->b) && check_expr(check, e->c);
}

static bool check_stmt(struct body_check *check, const struct stmt *stmt);

static bool check_jump(struct body_check *check, const struct stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_BREAK: return check->breakable > 0 || fail(check->c, stmt->loc, "a 'break' leaves it");
    case STMT_RETURN: return fail(check->c, stmt->loc, "a 'return' leaves it");
    case STMT_GOTO:
        return lower_map_get(&check->labels, stmt->label) != NULL || fail(check->c, stmt->loc, "a 'goto' leaves it");
    default: return true;
    }
}

static bool check_stmt(struct body_check *check, const struct stmt *stmt)
{
    if (stmt == NULL) {
        return true;
    }
    if (!check_jump(check, stmt) || !check_expr(check, stmt->expr) || !check_expr(check, stmt->step)) {
        return false;
    }
    if (stmt->kind == STMT_DECL) {
        for (int i = 0; i < stmt->object->init_count; i++) {
            if (!check_expr(check, stmt->object->inits[i].value)) {
                return false;
            }
        }
    }
    for (int i = 0; i < stmt->item_count; i++) {
        if (!check_stmt(check, stmt->items[i])) {
            return false;
        }
    }
    bool catches =
        stmt->kind == STMT_WHILE || stmt->kind == STMT_DO || stmt->kind == STMT_FOR || stmt->kind == STMT_SWITCH;
    check->breakable += catches;
    bool holds = check_stmt(check, stmt->init) && check_stmt(check, stmt->body) && check_stmt(check, stmt->else_body);
    check->breakable -= catches;
    return holds;
}

static void collect_labels(struct lower *l, const struct stmt *stmt, struct lower_map *labels)
{
    if (stmt == NULL) {
        return;
    }
    if (stmt->kind == STMT_LABEL) {
        lower_map_set(l->arena, labels, stmt->label, stmt->label);
    }
    for (int i = 0; i < stmt->item_count; i++) {
        collect_labels(l, stmt->items[i], labels);
    }
    collect_labels(l, stmt->body, labels);
    collect_labels(l, stmt->else_body, labels);
}

static bool check_body(struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    struct body_check check = {.l = l, .c = c};
    if (l->frame->info->has_jumps) {
        collect_labels(l, stmt->body, &check.labels);
    }
    return check_stmt(&check, stmt->body);
}

// ---- the bound in the variable's type ------------------------------------------------------------------------------

// How the bound gets there.
enum bound_way {
    BOUND_SAME,   // the common type is as wide as the variable
    BOUND_FITS,   // its value surely fits
    BOUND_CLAMP,  // signed i, signed common type
    BOUND_UCLAMP, // signed i that starts at 0 or above, unsigned common type
    BOUND_NONE,
};

static bool fits_range(const struct type *type, int64_t value, bool value_is_unsigned)
{
    int bits = (int)type->size * 8;
    if (value_is_unsigned && value < 0) {
        return bits == 64 && !type_is_signed(type);
    }
    if (type_is_signed(type)) {
        return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
    }
    return value >= 0 && (bits == 64 || (uint64_t)value < UINT64_C(1) << bits);
}

static bool surely_fits(const struct canonical *c)
{
    int64_t value;
    const struct type *var = c->var->type;
    if (const_eval_int(c->bound, &value)) {
        return fits_range(var, value, lower_is_unsigned(c->common));
    }
    const struct type *from = without_widening(c->bound)->type;
    if (from == c->bound->type) {
        return false;
    }
    if (type_is_signed(from) && !type_is_signed(c->common)) {
        return false; // a negative one has become large
    }
    bool same_sign = type_is_signed(from) == type_is_signed(var);
    return same_sign ? from->size <= var->size : !type_is_signed(from) && from->size < var->size;
}

static bool starts_at_zero_or_above(const struct canonical *c)
{
    int64_t value;
    if (c->init == NULL) {
        return false;
    }
    if (const_eval_int(c->init, &value)) {
        return value >= 0;
    }
    const struct type *from = without_widening(c->init)->type;
    return !type_is_signed(from) && from->size < c->var->type->size;
}

static enum bound_way bound_way(const struct canonical *c)
{
    const struct type *var = c->var->type;
    if (var->size == c->common->size) {
        return BOUND_SAME;
    }
    bool is_signed = type_is_signed(var);
    // A signed variable compared unsigned: the order is that of i only while i is not negative.
    bool order_holds = !is_signed || type_is_signed(c->common);
    if (surely_fits(c) && (order_holds || starts_at_zero_or_above(c))) {
        int64_t value;
        bool is_positive = const_eval_int(c->bound, &value) && value > 0;
        if (order_holds || (c->compare != EXPR_GE && c->compare != EXPR_NE) || (is_positive && c->compare == EXPR_GE)) {
            return BOUND_FITS;
        }
    }
    if (!is_signed || var->size < 4 || c->compare == EXPR_NE) {
        return BOUND_NONE;
    }
    if (type_is_signed(c->common)) {
        return BOUND_CLAMP;
    }
    return starts_at_zero_or_above(c) && c->compare != EXPR_GE ? BOUND_UCLAMP : BOUND_NONE;
}

// Clamping i <= n to the type's range is wrong for an i at its very end; there the comparison is made strict instead.
static struct ir_inst *clamped(struct lower *l, struct canonical *c, struct ir_inst *bound)
{
    enum ir_type type = lower_type(c->var->type);
    int bits = 8 * ir_type_size(type);
    int64_t low = -(INT64_C(1) << (bits - 1));
    int64_t high = (INT64_C(1) << (bits - 1)) - 1;
    int64_t init;
    bool init_known = c->init != NULL && const_eval_int(c->init, &init);
    int64_t shift = 0;
    if (c->compare == EXPR_LE && (!init_known || init == low)) {
        c->compare = EXPR_LT;
        shift = 1;
    } else if (c->compare == EXPR_GE && (!init_known || init == high)) {
        c->compare = EXPR_GT;
        shift = -1;
    }
    bound = lower_binary(l, IR_OP_SMAX, IR_I64, bound, lower_int(l, IR_I64, low - (shift > 0 ? 1 : 0)));
    bound = lower_binary(l, IR_OP_SMIN, IR_I64, bound, lower_int(l, IR_I64, high - (shift > 0 ? 1 : 0)));
    if (shift < 0) {
        bound = lower_binary(l, IR_OP_SMAX, IR_I64, bound, lower_int(l, IR_I64, low + 1));
    }
    if (shift != 0) {
        bound = lower_binary(l, IR_OP_ADD, IR_I64, bound, lower_int(l, IR_I64, shift));
    }
    return lower_unary(l, IR_OP_TRUNC, type, bound);
}

static struct ir_inst *bound_value(struct lower *l, struct canonical *c, enum bound_way way)
{
    enum ir_type type = lower_type(c->var->type);
    const struct expr *narrow = without_widening(c->bound);
    struct ir_inst *value;
    if (way == BOUND_FITS && !const_eval_int(c->bound, &(int64_t){0})) {
        return lower_convert(l, lower_value(l, narrow), narrow->type, c->var->type);
    }
    value = lower_value(l, c->bound);
    lower_at(l, c->condition->loc);
    if (way == BOUND_SAME) {
        return value;
    }
    if (way == BOUND_FITS) {
        return lower_unary(l, IR_OP_TRUNC, type, value);
    }
    if (way == BOUND_CLAMP) {
        return clamped(l, c, lower_widen(l, value, c->common));
    }
    int64_t high = (INT64_C(1) << (8 * ir_type_size(type) - 1)) - 1;
    value = lower_binary(l, IR_OP_UMIN, IR_I64, value, lower_int(l, IR_I64, high));
    return lower_unary(l, IR_OP_TRUNC, type, value);
}

static enum ir_op compare_op(const struct canonical *c, enum bound_way way)
{
    static const enum ir_op signed_ops[] = {IR_OP_SLT, IR_OP_SLE, IR_OP_SGT, IR_OP_SGE, IR_OP_EQ, IR_OP_NE};
    static const enum ir_op unsigned_ops[] = {IR_OP_ULT, IR_OP_ULE, IR_OP_UGT, IR_OP_UGE, IR_OP_EQ, IR_OP_NE};
    bool is_unsigned = lower_is_unsigned(way == BOUND_SAME ? c->common : c->var->type);
    return (is_unsigned ? unsigned_ops : signed_ops)[c->compare - EXPR_LT];
}

// ---- emitting ------------------------------------------------------------------------------------------------------

static bool classify(struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    if (!find_step(l, stmt, c) || !find_condition(stmt, c)) {
        return false;
    }
    find_init(stmt, c);
    if (mentions_object(c->bound, c->var)) {
        return fail(c, c->bound->loc, "its bound reads its variable");
    }
    if (lower_has_effect(l, c->bound)) {
        return fail(c, c->bound->loc, "its bound has a side effect");
    }
    if (bound_way(c) == BOUND_NONE) {
        return fail(c, c->condition->loc, "its variable may be too narrow to reach the bound");
    }
    return check_body(l, stmt, c);
}

static void fill_recheck(struct lower *l, struct ir_inst *inst, const struct canonical *c)
{
    struct ir_region *outer = l->b.region;
    l->b.region = &inst->regions[1];
    ir_emit1(&l->b, IR_OP_YIELD, IR_VOID, lower_condition(l, c->condition));
    l->b.region = outer;
}

static void fill_body(struct lower *l, struct ir_inst *inst, const struct stmt *stmt)
{
    struct lower_target outer_break = l->frame->break_target;
    struct lower_target outer_continue = l->frame->continue_target;
    struct ir_region *region = &inst->regions[0];
    if (lower_has_continue(stmt->body)) {
        struct ir_region *outer = l->b.region;
        l->b.region = region;
        struct ir_inst *block = ir_control(&l->b, IR_OP_BLOCK, NULL, 1);
        l->b.region = outer;
        l->frame->continue_target = (struct lower_target){block, -1};
        region = &block->regions[0];
    }
    lower_body(l, stmt->body, region);
    l->frame->break_target = outer_break;
    l->frame->continue_target = outer_continue;
}

static void copy_pragmas(const struct lower *l, struct ir_for *loop, const struct pragmas *pragmas)
{
    loop->pragma_parallel = pragmas->parallel;
    loop->pragma_serial = pragmas->serial;
    loop->pragma_single = pragmas->single || l->single_depth > 0;
    loop->collapse = pragmas->collapse;
    loop->block_dim = pragmas->block_dim;
}

bool lower_for(struct lower *l, const struct stmt *stmt, const char **out_why, struct loc *out_where)
{
    struct canonical c = {0};
    if (!classify(l, stmt, &c)) {
        *out_why = c.why;
        *out_where = c.where;
        return false;
    }
    if (c.init == NULL && stmt->init != NULL) {
        lower_stmt(l, stmt->init);
    } else if (stmt->init != NULL && stmt->init->kind == STMT_DECL) {
        lower_bind_new(l, c.var);
    }
    struct lower_binding *binding = lower_bind(l, c.var);
    struct ir_inst *init = c.init != NULL ? lower_value(l, c.init) : ir_get(&l->b, binding->var);
    enum bound_way way = bound_way(&c);
    struct ir_inst *bound = bound_value(l, &c, way);
    lower_at(l, stmt->loc);
    struct ir_inst *inst = ir_emit_for(&l->b, binding->var, init, bound, compare_op(&c, way), c.step);
    inst->loop->recheck = lower_reads_memory(l, c.bound);
    copy_pragmas(l, inst->loop, &stmt->pragmas);
    if (inst->loop->recheck) {
        ir_make_regions(l->module, inst, 2);
    }
    struct lower_saved_scope saved = lower_enter_scope(l, inst);
    fill_body(l, inst, stmt);
    if (inst->loop->recheck) {
        fill_recheck(l, inst, &c);
    }
    lower_leave_scope(l, saved);
    return true;
}

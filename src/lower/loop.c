// Canonical loops (language.md §1): for (i = init; i < bound; i += step) with a constant step, whose body writes
// neither i nor what the bound is made of and does not leave the loop. Whatever is not one gets a reason, for messages,
// and becomes a plain loop.
#include "lower/loop.h"

#include <assert.h>

static bool fail(struct canonical *c, struct loc where, const char *why)
{
    c->why = why;
    c->where = where;
    return false;
}

// ---- the three parts -----------------------------------------------------------------------------------------------

bool lower_is_loop_variable(const struct lower *l, const struct object *object)
{
    return (object->kind == OBJECT_LOCAL || object->kind == OBJECT_PARAM) && type_is_integer(object->type) &&
           object->type->kind != TYPE_BOOL && !lower_is_memory_object(l, object);
}

// The variable that the step changes is the loop's.
bool lower_find_step(const struct lower *l, const struct stmt *stmt, struct canonical *c)
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
    if (!lower_is_loop_variable(l, c->var)) {
        return fail(c, step->loc, "its variable is no local integer whose address is not taken");
    }
    if (amount == NULL || !const_eval_int(lower_strip(amount), &value)) {
        c->step = is_down ? -1 : 1; // its direction, if the amount is known at the loop's entry
        c->amount = amount;
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

static struct expr *as_long(struct lower *l, const struct expr *e, struct type *type)
{
    struct expr *cast = ARENA_NEW(l->arena, struct expr);
    *cast = (struct expr){.kind = EXPR_CAST,
                          .type = type,
                          .loc = e->loc,
                          .is_implicit = true,
                          .a = (struct expr *)(uintptr_t)e,
                          .depth = e->depth + 1};
    return cast;
}

// i + a compared with a bound is i compared with bound - a: in 64 bits, where an int's difference cannot overflow. Only
// a sum that overflows, which C leaves undefined, could tell. False: |sum| is no such sum of the loop's variable.
static bool take_sum(struct lower *l, struct canonical *c, const struct expr *sum, const struct expr *bound)
{
    const struct type *var = c->var->type;
    if ((sum->kind != EXPR_ADD && sum->kind != EXPR_SUB) || !type_is_signed(var) || var->size > 4 ||
        !type_is_signed(c->common) || c->common->size != 4) {
        return false;
    }
    const struct expr *a = lower_without_widening(sum->a);
    const struct expr *b = lower_without_widening(sum->b);
    const struct expr *other = a->kind == EXPR_OBJECT && a->object == c->var ? sum->b : NULL;
    if (other == NULL && sum->kind == EXPR_ADD && b->kind == EXPR_OBJECT && b->object == c->var) {
        other = sum->a;
    }
    if (other == NULL) {
        return false;
    }
    struct type *wide = ARENA_NEW(l->arena, struct type);
    *wide = (struct type){.kind = TYPE_LONG, .size = 8, .align = 8};
    struct expr *difference = ARENA_NEW(l->arena, struct expr);
    *difference = (struct expr){.kind = sum->kind == EXPR_ADD ? EXPR_SUB : EXPR_ADD,
                                .type = wide,
                                .loc = bound->loc,
                                .a = as_long(l, bound, wide),
                                .b = as_long(l, other, wide),
                                .depth = sum->depth + bound->depth + 2};
    c->bound = difference;
    c->common = wide;
    return true;
}

static bool find_comparison(struct lower *l, const struct stmt *stmt, const struct expr *expr, struct canonical *c)
{
    const struct expr *condition = expr != NULL ? lower_strip(expr) : NULL;
    if (condition == NULL || condition->kind < EXPR_LT || condition->kind > EXPR_NE || condition->kind == EXPR_EQ ||
        !type_is_integer(condition->a->type)) {
        return fail(c, stmt->loc, "its condition is no comparison of its variable with a bound");
    }
    const struct expr *a = lower_without_widening(condition->a);
    const struct expr *b = lower_without_widening(condition->b);
    c->condition = condition;
    c->common = condition->a->type;
    if (a->kind == EXPR_OBJECT && a->object == c->var) {
        c->compare = condition->kind;
        c->bound = condition->b;
    } else if (b->kind == EXPR_OBJECT && b->object == c->var) {
        c->compare = expr_mirrored(condition->kind);
        c->bound = condition->a;
    } else if (take_sum(l, c, a, condition->b)) {
        c->compare = condition->kind;
    } else if (take_sum(l, c, b, condition->a)) {
        c->compare = expr_mirrored(condition->kind);
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

// `i < n && i < m`: the lower of two bounds. C evaluates the second only where the first comparison holds, which does
// not show if it does nothing but compute.
bool lower_find_condition(struct lower *l, const struct stmt *stmt, const struct expr *expr, struct canonical *c)
{
    const struct expr *condition = expr != NULL ? lower_truth(lower_strip(expr)) : NULL;
    if (condition == NULL || condition->kind != EXPR_LOGAND) {
        return find_comparison(l, stmt, expr, c);
    }
    struct canonical *also = ARENA_NEW(l->arena, struct canonical);
    *also = (struct canonical){.var = c->var, .step = c->step};
    if (!lower_find_condition(l, stmt, condition->a, c) || !lower_find_condition(l, stmt, condition->b, also)) {
        return c->why != NULL ? false : fail(c, also->where, also->why);
    }
    for (struct canonical *last = c;; last = last->also) {
        if (lower_is_unsigned(last->common) != lower_is_unsigned(also->common) || last->compare == EXPR_NE ||
            also->compare == EXPR_NE) {
            return fail(c, condition->loc, "its conditions do not compare in the same way");
        }
        if (last->also == NULL) {
            last->also = also;
            return true;
        }
    }
}

void lower_find_init(const struct stmt *stmt, struct canonical *c)
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
    struct pointer_map labels; // that stand in the body
    int breakable;             // loops and switches between here and the loop
    bool may_leave;            // jumps do not matter, nor what is declared anew
};

static bool mentions_object(const struct expr *e, const struct object *object)
{
    if (e == NULL) {
        return false;
    }
    if (e->object == object || e->kind == EXPR_STATEMENTS) {
        return true; // statements may
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

static bool check_stmt(struct body_check *check, const struct stmt *stmt);

static bool check_expr(struct body_check *check, const struct expr *e)
{
    if (e == NULL) {
        return true;
    }
    if (e->kind == EXPR_STATEMENTS && !check_stmt(check, e->body)) {
        return false;
    }
    if (e->kind == EXPR_ASSIGN || e->kind == EXPR_UPDATE) {
        const struct object *object = written_object(e);
        if (object != NULL && object == check->c->var) {
            return fail(check->c, e->loc, "its body writes its variable");
        }
        // What is memory may change too, but then the bound is evaluated again before each iteration.
        bool is_watched = object != NULL && (object->kind == OBJECT_LOCAL || object->kind == OBJECT_PARAM) &&
                          !object->address_taken && object->type->kind != TYPE_ARRAY;
        for (const struct canonical *c = check->c; is_watched && c != NULL; c = c->also) {
            if (mentions_object(c->bound, object)) {
                return fail(check->c, e->loc, "its body writes a variable that its bound reads");
            }
        }
        if (is_watched && mentions_object(check->c->amount, object)) {
            return fail(check->c, e->loc, "its body writes a variable that its step reads");
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

static bool check_jump(struct body_check *check, const struct stmt *stmt)
{
    if (check->may_leave) {
        return stmt->kind != STMT_DECL || !mentions_object(check->c->amount, stmt->object);
    }
    switch (stmt->kind) {
    case STMT_BREAK: return check->breakable > 0 || fail(check->c, stmt->loc, "a 'break' leaves it");
    case STMT_RETURN: return fail(check->c, stmt->loc, "a 'return' leaves it");
    case STMT_GOTO:
        return pointer_map_get(&check->labels, stmt->label) != NULL || fail(check->c, stmt->loc, "a 'goto' leaves it");
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

bool lower_is_changed(struct lower *l, const struct stmt *stmt, const struct expr *e)
{
    struct canonical c = {.amount = e};
    struct body_check check = {.l = l, .c = &c, .may_leave = true};
    return !check_stmt(&check, stmt);
}

static void collect_labels(struct lower *l, const struct stmt *stmt, struct pointer_map *labels)
{
    if (stmt == NULL) {
        return;
    }
    if (stmt->kind == STMT_LABEL) {
        pointer_map_set(l->arena, labels, stmt->label, stmt->label);
    }
    for (int i = 0; i < stmt->item_count; i++) {
        collect_labels(l, stmt->items[i], labels);
    }
    collect_labels(l, stmt->body, labels);
    collect_labels(l, stmt->else_body, labels);
}

bool lower_check_body(struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    struct body_check check = {.l = l, .c = c};
    if (l->frame->info->has_jumps) {
        collect_labels(l, stmt->body, &check.labels);
    }
    return check_stmt(&check, stmt->body);
}

// ---- emitting ------------------------------------------------------------------------------------------------------

bool lower_check_bound(const struct lower *l, struct canonical *c, const struct expr *bound)
{
    if (mentions_object(bound, c->var)) {
        return fail(c, bound->loc, "its bound reads its variable");
    }
    return !lower_has_effect(l, bound) || fail(c, bound->loc, "its bound has a side effect");
}

// The bounds beyond the first.
static bool check_also(struct lower *l, struct canonical *c)
{
    assert(c->also == NULL || c->condition != NULL);
    for (struct canonical *also = c->also; also != NULL; also = also->also) {
        also->init = c->init;
        also->way = lower_bound_way(also);
        if (!lower_check_bound(l, c, also->bound)) {
            return false;
        }
        if (c->recheck || lower_reads_memory(l, also->bound)) {
            return fail(c, also->condition->loc, "it has two bounds, of which one reads memory");
        }
        if (c->way == BOUND_GUARD || also->way == BOUND_GUARD || also->way == BOUND_NONE || lower_bound_may_wrap(c) ||
            lower_bound_may_wrap(also)) {
            return fail(c, also->condition->loc, "its variable may wrap around before it reaches the bound");
        }
    }
    return true;
}

bool lower_canonical_find(struct lower *l, const struct stmt *stmt, struct canonical *c)
{
    if (!lower_find_step(l, stmt, c) || !lower_find_condition(l, stmt, stmt->expr, c)) {
        return false;
    }
    lower_find_init(stmt, c);
    if (!lower_check_bound(l, c, c->bound)) {
        return false;
    }
    c->recheck = lower_reads_memory(l, c->bound);
    c->way = lower_bound_way(c);
    // A second version would need its labels in two places.
    if (c->way == BOUND_NONE || (l->frame->info->has_jumps && lower_bound_may_wrap(c))) {
        return fail(c, c->condition->loc, "its variable may wrap around before it reaches the bound");
    }
    return check_also(l, c) && lower_check_body(l, stmt, c);
}

static void fill_recheck(struct lower *l, struct ir_inst *inst, const struct canonical *c)
{
    assert(inst->op == IR_OP_FOR && inst->region_count == 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &inst->regions[1];
    ir_emit1(&l->b, IR_OP_YIELD, IR_VOID, lower_condition(l, c->condition));
    l->b.region = outer;
}

void lower_loop_body(struct lower *l, struct ir_inst *inst, const struct stmt *stmt)
{
    assert(inst->op == IR_OP_FOR && inst->region_count >= 1);
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

void lower_loop_pragmas(const struct lower *l, struct ir_for *loop, const struct pragmas *pragmas)
{
    loop->pragma_parallel = pragmas->parallel;
    loop->pragma_serial = pragmas->serial;
    loop->pragma_single = pragmas->single || l->single_depth > 0;
    loop->collapse = pragmas->collapse;
    loop->block_dim = pragmas->block_dim;
    loop->map = pragmas->map == PRAGMA_MAP_OUTER       ? IR_MAP_OUTER
                : pragmas->map == PRAGMA_MAP_TWO_LEVEL ? IR_MAP_TWO_LEVEL
                : pragmas->map == PRAGMA_MAP_TILE      ? IR_MAP_TILE
                                                       : IR_MAP_ANY;
    loop->tile_rows = pragmas->tile_rows;
    loop->tile_columns = pragmas->tile_columns;
}

// The loop as C has it, for when its variable wraps around. Its body is lowered once more, with bindings of its own.
static void lower_wrapping(struct lower *l, const struct stmt *stmt, const struct canonical *c, struct ir_inst *init,
                           struct ir_inst *bound)
{
    struct pointer_map bindings = l->frame->bindings;
    struct pointer_map extents = l->frame->extents;
    l->frame->bindings = pointer_map_copy(l->arena, &bindings);
    l->frame->extents = pointer_map_copy(l->arena, &extents);
    l->plain_depth++;
    lower_bound_check(l, c, init, bound);
    if (c->init != NULL) {
        ir_set(&l->b, lower_bind(l, c->var)->var, init);
    }
    lower_plain_loop(l, stmt, IR_REASON_WRAPS);
    l->plain_depth--;
    l->frame->bindings = bindings;
    l->frame->extents = extents;
}

static void lower_canonical(struct lower *l, const struct stmt *stmt, const struct canonical *c, struct ir_inst *init,
                            struct ir_inst *bound)
{
    lower_at(l, stmt->loc);
    struct ir_var *var = lower_bind(l, c->var)->var;
    struct ir_inst *inst = ir_emit_for(&l->b, var, init, bound, lower_bound_compare(c), c->step);
    inst->loop->recheck = c->recheck;
    lower_loop_pragmas(l, inst->loop, &stmt->pragmas);
    if (inst->loop->recheck) {
        ir_make_regions(l->module, inst, 2);
    }
    struct lower_saved_scope saved = lower_enter_scope(l, inst);
    l->parallel_depth += stmt->pragmas.parallel;
    lower_loop_body(l, inst, stmt);
    l->parallel_depth -= stmt->pragmas.parallel;
    if (inst->loop->recheck) {
        fill_recheck(l, inst, c);
    }
    lower_leave_scope(l, saved);
}

// Both versions: which one runs is settled at the loop's entry.
static void lower_either(struct lower *l, const struct stmt *stmt, const struct canonical *c, struct ir_inst *init,
                         struct ir_inst *bound, struct ir_inst *wraps)
{
    struct ir_inst *branch = ir_control(&l->b, IR_OP_IF, wraps, 2);
    struct ir_region *outer = l->b.region;
    l->b.region = &branch->regions[0];
    lower_wrapping(l, stmt, c, init, bound);
    l->b.region = &branch->regions[1];
    lower_canonical(l, stmt, c, init, bound);
    l->b.region = outer;
}

bool lower_for(struct lower *l, const struct stmt *stmt, const char **out_why, struct loc *out_where)
{
    struct canonical c = {0};
    if (stmt->kind != STMT_FOR || !lower_canonical_find(l, stmt, &c)) {
        struct canonical counted = {0};
        if (lower_counted(l, stmt, &counted)) {
            return true;
        }
        c = counted.why != NULL ? counted : c;
        *out_why = c.why != NULL ? c.why : *out_why;
        *out_where = c.why != NULL ? c.where : *out_where;
        return false;
    }
    if (c.init == NULL && stmt->init != NULL) {
        lower_stmt(l, stmt->init);
    } else if (stmt->init != NULL && stmt->init->kind == STMT_DECL) {
        lower_bind_new(l, c.var);
    }
    struct lower_binding *binding = lower_bind(l, c.var);
    struct ir_inst *init = c.init != NULL ? lower_value(l, c.init) : ir_get(&l->b, binding->var);
    struct ir_inst *bound = lower_bound_value(l, &c);
    struct ir_inst *wraps = lower_bound_wraps(l, &c, init, bound);
    if (wraps == NULL) {
        lower_canonical(l, stmt, &c, init, bound);
    } else {
        lower_either(l, stmt, &c, init, bound, wraps);
    }
    return true;
}

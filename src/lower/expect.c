// What an expression does and reads, found on the tree before anything is emitted.
#include "lower/internal.h"

const struct expr *lower_strip(const struct expr *e)
{
    while (e->kind == EXPR_CAST && e->is_implicit) {
        e = e->a;
    }
    return e;
}

static bool is_truth(const struct expr *e)
{
    return e->kind == EXPR_LOGNOT || (e->kind >= EXPR_LT && e->kind <= EXPR_LOGOR);
}

const struct expr *lower_truth(const struct expr *e)
{
    for (;;) {
        bool is_widened = e->kind == EXPR_CAST && type_is_integer(e->type) && is_truth(lower_strip(e->a));
        bool is_twice = e->kind == EXPR_LOGNOT && e->a->kind == EXPR_LOGNOT;
        if (!is_widened && !is_twice) {
            return e;
        }
        e = is_widened ? lower_strip(e->a) : e->a->a;
    }
}

static bool is_volatile(const struct expr *e)
{
    return e->is_lvalue && (e->type->quals & QUAL_VOLATILE) != 0;
}

static bool call_has_effect(const struct lower *l, const struct expr *e)
{
    const struct function *function = e->function;
    if (function->body == NULL) {
        return !lower_builtin_is_pure(function);
    }
    const struct lower_info *info = lower_info(l, function);
    return info == NULL || info->has_effect || info->written_params != 0;
}

static bool has_effect(const struct lower *l, const struct expr *e, bool counts_literals)
{
    if (e == NULL) {
        return false;
    }
    if (is_volatile(e) || e->kind == EXPR_ASSIGN || e->kind == EXPR_UPDATE || e->kind == EXPR_REFUSED ||
        e->kind == EXPR_STATEMENTS) {
        return true;
    }
    if (e->kind == EXPR_CALL && call_has_effect(l, e)) {
        return true;
    }
    if (e->kind == EXPR_COMPOUND_LITERAL) {
        for (int i = 0; i < e->object->init_count && !counts_literals; i++) {
            if (has_effect(l, e->object->inits[i].value, false)) {
                return true;
            }
        }
        return counts_literals;
    }
    for (int i = 0; i < e->arg_count; i++) {
        if (has_effect(l, e->args[i], counts_literals)) {
            return true;
        }
    }
    return has_effect(l, e->a, counts_literals) || has_effect(l, e->b, counts_literals) ||
           has_effect(l, e->c, counts_literals);
}

bool lower_has_effect(const struct lower *l, const struct expr *e)
{
    return has_effect(l, e, true);
}

// A literal is made anew where it stands, and no other expression can name it.
bool lower_is_operand(const struct lower *l, const struct expr *e)
{
    return !has_effect(l, e, false);
}

// The object that a.b.c is a part of; NULL where a pointer stands between.
static const struct object *root_object(const struct expr *e)
{
    while (e->kind == EXPR_MEMBER) {
        e = e->a;
    }
    return e->kind == EXPR_OBJECT ? e->object : NULL;
}

static bool is_shared_place(const struct lower *l, const struct expr *e)
{
    const struct object *object = root_object(e);
    if (object == NULL) {
        return true;
    }
    if (object->kind == OBJECT_CONSTANT) {
        return false;
    }
    const struct lower_object *use = lower_object(l, object);
    return object->kind == OBJECT_FIELD || object->type->kind == TYPE_ARRAY || (use != NULL && use->is_addressed);
}

// An lvalue here is read, unless it is only looked at for its address.
static bool reads(const struct lower *l, const struct expr *e, bool as_address)
{
    if (e == NULL) {
        return false;
    }
    switch (e->kind) {
    case EXPR_OBJECT: return !as_address && is_shared_place(l, e);
    case EXPR_STRING:
    case EXPR_FUNCTION: return false;
    case EXPR_STATEMENTS: return true;
    case EXPR_MEMBER:
        if (root_object(e) != NULL) {
            return !as_address && is_shared_place(l, e);
        }
        return !as_address || reads(l, e->a, true);
    case EXPR_DEREF: return !as_address || reads(l, e->a, false);
    case EXPR_DECAY:
    case EXPR_ADDR: return reads(l, e->a, true);
    case EXPR_CALL: {
        const struct lower_info *info = e->function->body != NULL ? lower_info(l, e->function) : NULL;
        if (info != NULL ? info->reads_memory : lower_builtin_reads_memory(e->function)) {
            return true;
        }
        for (int i = 0; i < e->arg_count; i++) {
            if (reads(l, e->args[i], false)) {
                return true;
            }
        }
        return false;
    }
    default: return reads(l, e->a, false) || reads(l, e->b, false) || reads(l, e->c, false);
    }
}

bool lower_reads_memory(const struct lower *l, const struct expr *e)
{
    return reads(l, e, false);
}

bool lower_same(const struct expr *a, const struct expr *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    if (a->kind != b->kind || a->kind == EXPR_STATEMENTS || a->object != b->object || a->function != b->function ||
        a->member != b->member || a->arg_count != b->arg_count || a->op != b->op || a->is_postfix != b->is_postfix) {
        return false;
    }
    bool same_type = a->type->kind == b->type->kind && a->type->size == b->type->size;
    if (!same_type || (a->kind == EXPR_INT && a->u != b->u) || (a->kind == EXPR_STRING && a->bytes != b->bytes) ||
        (a->kind == EXPR_FLOAT && memcmp(&a->f, &b->f, sizeof a->f) != 0)) {
        return false;
    }
    for (int i = 0; i < a->arg_count; i++) {
        if (!lower_same(a->args[i], b->args[i])) {
            return false;
        }
    }
    return lower_same(a->a, b->a) && lower_same(a->b, b->b) && lower_same(a->c, b->c);
}

bool lower_mentions(const struct expr *e, const struct expr *lvalue)
{
    if (e == NULL) {
        return false;
    }
    if (e->kind == EXPR_STATEMENTS || lower_same(e, lvalue)) {
        return true; // it may
    }
    for (int i = 0; i < e->arg_count; i++) {
        if (lower_mentions(e->args[i], lvalue)) {
            return true;
        }
    }
    for (int i = 0; e->kind == EXPR_COMPOUND_LITERAL && i < e->object->init_count; i++) {
        if (lower_mentions(e->object->inits[i].value, lvalue)) {
            return true;
        }
    }
    return lower_mentions(e->a, lvalue) || lower_mentions(e->b, lvalue) || lower_mentions(e->c, lvalue);
}

// What may be evaluated though C would skip it: no effect, no load, and little work.
static bool is_cheap(const struct lower *l, const struct expr *e, int *budget)
{
    if (--*budget < 0) {
        return false;
    }
    switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT: return true;
    case EXPR_OBJECT:
        if (e->object->kind == OBJECT_CONSTANT) {
            return type_is_scalar(e->type) && e->object->init_count == 1;
        }
        return e->object->kind != OBJECT_FIELD && !lower_is_memory_object(l, e->object);
    case EXPR_DECAY:
    case EXPR_ADDR: return e->a->kind == EXPR_OBJECT;
    case EXPR_NEG:
    case EXPR_BITNOT:
    case EXPR_LOGNOT:
    case EXPR_CAST: return type_is_scalar(e->type) && is_cheap(l, e->a, budget);
    case EXPR_DIV:
    case EXPR_MOD: *budget -= 4; return is_cheap(l, e->a, budget) && is_cheap(l, e->b, budget);
    case EXPR_COND:
        return type_is_scalar(e->type) && is_cheap(l, e->a, budget) && is_cheap(l, e->b, budget) &&
               is_cheap(l, e->c, budget);
    case EXPR_CALL:
        if (e->function->body != NULL) {
            const struct stmt *body = e->function->body;
            bool is_formula =
                body->item_count == 1 && body->items[0]->kind == STMT_RETURN && body->items[0]->expr != NULL;
            if (!is_formula || !is_cheap(l, body->items[0]->expr, budget)) {
                return false;
            }
        } else if (!lower_builtin_is_cheap(e->function)) {
            return false;
        }
        for (int i = 0; i < e->arg_count; i++) {
            if (!is_cheap(l, e->args[i], budget)) {
                return false;
            }
        }
        return true;
    default:
        return e->kind >= EXPR_ADD && e->kind <= EXPR_LOGOR && is_cheap(l, e->a, budget) && is_cheap(l, e->b, budget);
    }
}

bool lower_is_cheap(const struct lower *l, const struct expr *e)
{
    int budget = 12;
    return is_cheap(l, e, &budget);
}

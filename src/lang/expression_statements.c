// GNU C's statement expressions, ({ … }), and what is made with them. One that only names values, as macros for minimum
// and maximum do, becomes the expression that it stands for: nobody who looks for reductions has to see through it.
#include "lang/parse.h"

#include <assert.h>

// What a statement expression may grow to when its names are replaced; a larger one keeps them.
enum { MOST_NODES = 200 };

// ---- types that the statements declare ------------------------------------------------------------------------------

static bool mentions_local(const struct expr *e, int first)
{
    if (e == NULL) {
        return false;
    }
    bool found = e->kind == EXPR_OBJECT && e->object->kind == OBJECT_LOCAL && e->object->index >= first;
    for (int i = 0; i < e->arg_count && !found; i++) {
        found = mentions_local(e->args[i], first);
    }
    return found || mentions_local(e->a, first) || mentions_local(e->b, first) || mentions_local(e->c, first);
}

// Whether a type has an extent that one of the function's locals from |first| on decides.
static bool has_local_extent(const struct type *type, int first)
{
    for (; type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION; type = type->base) {
        if (type->kind == TYPE_ARRAY && type->length == TYPE_LENGTH_VARIABLE && mentions_local(type->extent, first)) {
            return true;
        }
    }
    return false;
}

// ---- names replaced by what they are initialised with --------------------------------------------------------------

// Of numbers only: a function of the library, and no atomic.
static bool is_pure_call(const struct expr *e)
{
    bool is_pure = e->function->is_builtin && type_is_arithmetic(e->type);
    for (int i = 0; i < e->arg_count; i++) {
        is_pure = is_pure && type_is_arithmetic(e->args[i]->type);
    }
    return is_pure;
}

// No effect, and the same value however often it is evaluated.
static bool is_pure(const struct expr *e)
{
    if (e == NULL) {
        return true;
    }
    switch (e->kind) {
    case EXPR_ASSIGN:
    case EXPR_UPDATE:
    case EXPR_COMPOUND_LITERAL:
    case EXPR_STATEMENTS:
    case EXPR_REFUSED: return false;
    case EXPR_CALL:
        if (!is_pure_call(e)) {
            return false;
        }
        break;
    default: break;
    }
    for (int i = 0; i < e->arg_count; i++) {
        if (!is_pure(e->args[i])) {
            return false;
        }
    }
    bool is_volatile = e->is_lvalue && (e->type->quals & QUAL_VOLATILE) != 0;
    return !is_volatile && is_pure(e->a) && is_pure(e->b) && is_pure(e->c);
}

struct replacement {
    struct stmt **declarations;
    struct expr **values; // by declaration
    int count;
    int nodes;
    bool is_in_type; // a name of them is the extent of a type
};

static struct expr *replaced(struct parser *p, struct replacement *r, struct expr *e)
{
    if (e == NULL || ++r->nodes > MOST_NODES) {
        return e;
    }
    r->is_in_type |= r->count > 0 && has_local_extent(e->type, r->declarations[0]->object->index);
    for (int i = 0; e->kind == EXPR_OBJECT && i < r->count; i++) {
        if (r->declarations[i]->object == e->object) {
            return r->values[i];
        }
    }
    struct expr *copy = ARENA_NEW(p->arena, struct expr);
    *copy = *e;
    copy->a = replaced(p, r, e->a);
    copy->b = replaced(p, r, e->b);
    copy->c = replaced(p, r, e->c);
    copy->args = e->arg_count > 0 ? ARENA_ARRAY(p->arena, struct expr *, e->arg_count) : NULL;
    for (int i = 0; i < e->arg_count; i++) {
        copy->args[i] = replaced(p, r, e->args[i]);
    }
    return expr_finish(p, copy);
}

// A value of its own: no place that could be assigned to, and no part of a sum that is contracted.
static struct expr *as_value(struct parser *p, struct expr *e, struct type *type)
{
    struct expr *cast = expr_unary(p, EXPR_CAST, type_unqualified(p->arena, type), e->loc, e);
    cast->is_implicit = true;
    return cast;
}

static bool is_name_of_value(const struct stmt *stmt)
{
    const struct object *object = stmt->object;
    return stmt->kind == STMT_DECL && object->kind == OBJECT_LOCAL && type_is_scalar(object->type) &&
           (object->type->quals & QUAL_VOLATILE) == 0 && !object->address_taken && object->init_count == 1 &&
           object->inits[0].bitfield == NULL && is_pure(object->inits[0].value);
}

static int nodes_of(const struct expr *e)
{
    int count = e == NULL ? 0 : 1 + nodes_of(e->a) + nodes_of(e->b) + nodes_of(e->c);
    for (int i = 0; e != NULL && i < e->arg_count; i++) {
        count += nodes_of(e->args[i]);
    }
    return count;
}

// NULL: the statements do more than to name values, or their names stand for too much.
static struct expr *without_names(struct parser *p, const struct stmt *block, struct expr *value)
{
    struct replacement r = {.declarations = block->items,
                            .values = ARENA_ARRAY(p->arena, struct expr *, block->item_count + 1)};
    if (!is_pure(value) || !type_is_scalar(value->type)) {
        return NULL;
    }
    for (int i = 0; i < block->item_count; i++) {
        if (!is_name_of_value(block->items[i])) {
            return NULL;
        }
        const struct object *object = block->items[i]->object;
        r.nodes = 0;
        struct expr *init = replaced(p, &r, object->inits[0].value);
        if (r.is_in_type || r.nodes > MOST_NODES || nodes_of(init) > MOST_NODES) {
            return NULL;
        }
        r.values[r.count++] = as_value(p, init, object->type);
    }
    r.nodes = 0;
    struct expr *result = replaced(p, &r, value);
    bool is_too_much = r.nodes > MOST_NODES || nodes_of(result) > MOST_NODES;
    return r.is_in_type || is_too_much ? NULL : as_value(p, result, value->type);
}

// ---- ({ … }) -------------------------------------------------------------------------------------------------------

static struct expr *statements(struct parser *p, struct stmt *block, struct expr *value, struct loc loc)
{
    struct expr *simple = value != NULL && !expr_is_error(value) ? without_names(p, block, value) : NULL;
    if (simple != NULL) {
        return simple;
    }
    struct type *type = value != NULL ? type_unqualified(p->arena, value->type) : &p->basic[TYPE_VOID];
    struct expr *e = expr_new(p, EXPR_STATEMENTS, type, loc);
    e->body = block;
    e->a = value;
    return expr_finish(p, e);
}

// The value of the block, decayed; NULL: it has none. An extent that was declared in the block is gone where the
// value's type is used.
static struct expr *value_of(struct parser *p, struct stmt *block, int first_local)
{
    if (block->item_count == 0 || block->items[block->item_count - 1]->kind != STMT_EXPR) {
        return NULL;
    }
    struct expr *value = convert_decay(p, block->items[--block->item_count]->expr);
    if (!has_local_extent(value->type, first_local)) {
        return value;
    }
    parse_error(p, value->loc,
                "not supported: a statement expression whose value, of type '%s', has an extent declared in it",
                parse_describe(p, value->type));
    return expr_error(p, value->loc);
}

struct expr *parse_statement_expression(struct parser *p)
{
    assert(parse_at(p, TOKEN_LPAREN) && parse_peek(p, 1)->kind == TOKEN_LBRACE);
    struct loc loc = parse_loc(p);
    if (p->body == NULL) {
        parse_error(p, loc, "a statement expression '({ … })' stands in no function");
        parse_skip_parens(p);
        return expr_error(p, loc);
    }
    // Nothing jumps across its edge: it has no loop, no switch and no block around it.
    struct body_state outer = *p->body;
    struct stmt_list *hoisted = p->hoisted;
    p->body->can_break = p->body->can_continue = false;
    p->body->breaks_outside |= outer.can_break;
    p->body->continues_outside |= outer.can_continue;
    p->body->innermost_switch = NULL;
    p->body->expression_depth++;
    int first_local = p->body->function->local_count;
    p->hoisted = NULL;
    parse_advance(p);
    struct stmt *block = parse_compound_statement(p, true);
    parse_expect(p, TOKEN_RPAREN, "after the statement expression");
    p->hoisted = hoisted;
    p->body->can_break = outer.can_break;
    p->body->can_continue = outer.can_continue;
    p->body->breaks_outside = outer.breaks_outside;
    p->body->continues_outside = outer.continues_outside;
    p->body->innermost_switch = outer.innermost_switch;
    p->body->expression_depth--;
    struct expr *value = value_of(p, block, first_local);
    return value != NULL && expr_is_error(value) ? value : statements(p, block, value, loc);
}

// A number that is known is one node, however it was written.
static struct expr *folded(struct parser *p, struct expr *e)
{
    int64_t integer;
    double number;
    if (type_is_integer(e->type) && const_eval_int(e, &integer)) {
        struct expr *constant = expr_new(p, EXPR_INT, type_unqualified(p->arena, e->type), e->loc);
        constant->u = (uint64_t)integer;
        return constant;
    }
    if (type_is_float(e->type) && const_eval_float(e, &number)) {
        struct expr *constant = expr_new(p, EXPR_FLOAT, type_unqualified(p->arena, e->type), e->loc);
        constant->f = number;
        return constant;
    }
    return e;
}

// a ?: b: |a| is evaluated once, and is the value unless it is 0.
struct expr *parse_omitted_operand(struct parser *p, struct expr *a, struct expr *c, struct loc loc)
{
    a = folded(p, convert_decay(p, a));
    bool is_small = is_pure(a) && nodes_of(a) <= MOST_NODES / 4; // one in another doubles
    if (expr_is_error(a) || !type_is_scalar(a->type) || is_small) {
        return operate_condition(p, a, a, c, loc);
    }
    if (p->body == NULL) {
        parse_error(p, loc, "'?:' without a middle operand needs a constant here");
        return expr_error(p, loc);
    }
    struct object *object = declare_local_object(p, NULL, type_unqualified(p->arena, a->type), loc);
    object->inits = ARENA_NEW(p->arena, struct init_store);
    *object->inits = (struct init_store){.type = object->type, .value = a, .loc = loc};
    object->init_count = 1;
    object->has_init = true;
    struct stmt *declaration = stmt_new(p, STMT_DECL, loc);
    declaration->object = object;
    struct stmt *block = stmt_new(p, STMT_BLOCK, loc);
    block->items = ARENA_NEW(p->arena, struct stmt *);
    block->items[0] = declaration;
    block->item_count = 1;
    block->end = loc;
    struct expr *first = expr_object(p, object, loc);
    struct expr *second = expr_object(p, object, loc);
    return statements(p, block, operate_condition(p, first, second, c, loc), loc);
}

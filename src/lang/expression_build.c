// Nodes. Every node is made here, so that its depth is known and bounded: later stages walk the tree recursively.
#include "lang/parse.h"

#include <assert.h>

struct expr *expr_new(struct parser *p, enum expr_kind kind, struct type *type, struct loc loc)
{
    assert(type != NULL);
    struct expr *e = ARENA_NEW(p->arena, struct expr);
    e->kind = kind;
    e->type = type;
    e->loc = loc;
    e->depth = 1;
    e->is_uncontracted = p->is_uncontracted;
    return e;
}

struct expr *expr_error(struct parser *p, struct loc loc)
{
    return expr_new(p, EXPR_INT, &p->basic[TYPE_ERROR], loc);
}

bool expr_is_error(const struct expr *expr)
{
    return expr->type->kind == TYPE_ERROR;
}

static void deepen(struct expr *e, const struct expr *below)
{
    if (below != NULL && below->depth >= e->depth) {
        e->depth = below->depth + 1;
    }
}

struct expr *expr_finish(struct parser *p, struct expr *e)
{
    deepen(e, e->a);
    deepen(e, e->b);
    deepen(e, e->c);
    for (int i = 0; i < e->arg_count; i++) {
        deepen(e, e->args[i]);
    }
    if (e->depth <= LANG_MAX_EXPR_DEPTH) {
        return e;
    }
    parse_error(p, e->loc, "expression too deep: more than %d operators one inside the other", LANG_MAX_EXPR_DEPTH);
    parse_give_up(p);
    // Emptied rather than replaced: callers may go on to set its flags.
    struct loc loc = e->loc;
    *e = (struct expr){.kind = EXPR_INT, .type = &p->basic[TYPE_ERROR], .loc = loc, .depth = 1};
    return e;
}

struct expr *expr_int(struct parser *p, enum type_kind kind, uint64_t value, struct loc loc)
{
    assert(type_is_integer(&p->basic[kind]));
    struct expr *e = expr_new(p, EXPR_INT, &p->basic[kind], loc);
    e->u = value;
    return e;
}

struct expr *expr_unary(struct parser *p, enum expr_kind kind, struct type *type, struct loc loc, struct expr *a)
{
    assert(a != NULL);
    struct expr *e = expr_new(p, kind, type, loc);
    e->a = a;
    return expr_finish(p, e);
}

struct expr *expr_binary(struct parser *p, enum expr_kind kind, struct type *type, struct expr *a, struct expr *b)
{
    assert(a != NULL && b != NULL);
    struct expr *e = expr_new(p, kind, type, a->loc);
    e->a = a;
    e->b = b;
    return expr_finish(p, e);
}

struct expr *expr_object(struct parser *p, struct object *object, struct loc loc)
{
    struct expr *e = expr_new(p, EXPR_OBJECT, object->type, loc);
    e->object = object;
    e->is_lvalue = true;
    return e;
}

struct expr *expr_string(struct parser *p, const char *bytes, uint64_t count, struct loc loc)
{
    struct type *type = type_array_of(p->arena, &p->basic[TYPE_CHAR], (int64_t)count);
    struct expr *e = expr_new(p, EXPR_STRING, type, loc);
    e->bytes = bytes;
    e->u = count;
    e->is_lvalue = true;
    return e;
}

struct expr *expr_refused(struct parser *p, struct type *type, struct loc loc, const char *text)
{
    struct expr *e = expr_new(p, EXPR_REFUSED, type, loc);
    e->text = text;
    return e;
}

bool expr_has_effect(const struct expr *e)
{
    if (e == NULL) {
        return false;
    }
    switch (e->kind) {
    case EXPR_ASSIGN:
    case EXPR_UPDATE:
    case EXPR_CALL:
    case EXPR_STATEMENTS:
    case EXPR_REFUSED: return true;
    case EXPR_OBJECT: return (e->type->quals & QUAL_VOLATILE) != 0;
    case EXPR_COMPOUND_LITERAL: return true;
    case EXPR_DEREF:
    case EXPR_MEMBER: return (e->type->quals & QUAL_VOLATILE) != 0 || expr_has_effect(e->a);
    default: return expr_has_effect(e->a) || expr_has_effect(e->b) || expr_has_effect(e->c);
    }
}

#include "lang/naming.h"

enum { MOST_SHARED_NODES = 12 };

struct expr *naming_name(struct parser *p, struct naming *n, struct expr *e, struct loc loc)
{
    struct object *object = declare_local_object(p, NULL, type_unqualified(p->arena, e->type), loc);
    object->inits = ARENA_NEW(p->arena, struct init_store);
    *object->inits = (struct init_store){.type = object->type, .value = e, .loc = loc};
    object->init_count = 1;
    object->has_init = true;
    struct stmt *declaration = stmt_new(p, STMT_DECL, loc);
    declaration->object = object;
    VEC_PUSH(p->arena, &n->items, declaration);
    return expr_object(p, object, loc);
}

struct expr *naming_around(struct parser *p, const struct naming *n, struct expr *value, struct loc loc)
{
    if (n->items.count == 0) {
        return value;
    }
    struct stmt *block = stmt_new(p, STMT_BLOCK, loc);
    block->items = n->items.items;
    block->item_count = n->items.count;
    block->end = loc;
    struct expr *e = expr_new(p, EXPR_STATEMENTS, type_unqualified(p->arena, value->type), loc);
    e->body = block;
    e->a = value;
    e->is_naming = true;
    return expr_finish(p, e);
}

struct expr *naming_inside(struct parser *p, struct naming *n, struct expr *e)
{
    if (e->kind != EXPR_STATEMENTS || !e->is_naming) {
        return e;
    }
    for (int i = 0; i < e->body->item_count; i++) {
        VEC_PUSH(p->arena, &n->items, e->body->items[i]);
    }
    return e->a;
}

static int node_count(const struct expr *e)
{
    int count = e == NULL ? 0 : 1 + node_count(e->a) + node_count(e->b) + node_count(e->c);
    return count;
}

bool naming_may_repeat(const struct expr *e)
{
    return !expr_has_effect(e) && e->depth <= MOST_SHARED_NODES && node_count(e) <= MOST_SHARED_NODES;
}

struct expr *naming_literal(struct parser *p, struct type *type, struct expr **values, int count, uint64_t step,
                            struct loc loc)
{
    struct object *object = declare_local_object(p, NULL, type_unqualified(p->arena, type), loc);
    object->inits = ARENA_ARRAY(p->arena, struct init_store, count);
    for (int i = 0; i < count; i++) {
        object->inits[i] =
            (struct init_store){.offset = (uint64_t)i * step, .type = values[i]->type, .value = values[i], .loc = loc};
    }
    object->init_count = count;
    object->has_init = true;
    struct expr *literal = expr_object(p, object, loc);
    literal->kind = EXPR_COMPOUND_LITERAL;
    literal->is_lvalue = false;
    for (int i = 0; i < count; i++) { // the tree below it counts, as it does for operators
        int depth = object->inits[i].value->depth;
        literal->depth = depth >= literal->depth ? depth + 1 : literal->depth;
    }
    return expr_finish(p, literal);
}

bool naming_is_literal(const struct expr *e, int count)
{
    const struct object *object = e->object;
    if (e->kind != EXPR_COMPOUND_LITERAL || object->init_count != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const struct init_store *store = &object->inits[i];
        if (store->offset != (uint64_t)i * store->type->size || expr_has_effect(store->value)) {
            return false;
        }
    }
    return true;
}

// Where a function's writes through pointers go: into locals of its own, which nobody else sees, through which of its
// parameters, or elsewhere. A helper that fills a table of its own by a pointer, or hands its address on to another,
// has no effect, so that what it returns may be the operand of an update.
//
// Pointer variables are followed without regard to order: one may point wherever any value goes that it is ever given.
#include "lower/internal.h"

#include "lang/ast.h"

enum { PARAMS = 31, ROUNDS = 8 };

struct follow {
    const struct function *function;
    struct pointer_map origins; // pointer variable → struct origin
    struct arena *arena;
};

struct origin {
    uint32_t mask;
};

static uint32_t origin_of(struct follow *f, const struct expr *e);

// What memory a place is in; 0: a local's.
static uint32_t origin_of_place(struct follow *f, const struct expr *e)
{
    while (e->kind == EXPR_MEMBER) {
        e = e->a;
    }
    if (e->kind == EXPR_DEREF) {
        return origin_of(f, e->a);
    }
    if (e->kind == EXPR_COMPOUND_LITERAL) {
        return 0;
    }
    bool is_own = e->kind == EXPR_OBJECT && (e->object->kind == OBJECT_LOCAL || e->object->kind == OBJECT_PARAM);
    return is_own ? 0 : LOWER_ELSEWHERE;
}

static struct origin *origin_of_variable(struct follow *f, const struct object *object)
{
    struct origin *origin = pointer_map_get(&f->origins, object);
    if (origin != NULL) {
        return origin;
    }
    origin = ARENA_NEW(f->arena, struct origin);
    bool is_param = object->kind == OBJECT_PARAM;
    origin->mask = object->address_taken || (!is_param && object->kind != OBJECT_LOCAL) ? LOWER_ELSEWHERE : 0;
    for (int i = 0; is_param && i < f->function->param_count; i++) {
        if (f->function->params[i] == object) {
            origin->mask |= i < PARAMS ? UINT32_C(1) << i : LOWER_ELSEWHERE;
            is_param = false;
        }
    }
    origin->mask |= is_param ? LOWER_ELSEWHERE : 0; // not one of this function's: never met
    pointer_map_set(f->arena, &f->origins, object, origin);
    return origin;
}

// Where a pointer points to. One that comes out of memory, or from a call, may point anywhere.
static uint32_t origin_of(struct follow *f, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_DECAY:
    case EXPR_ADDR: return origin_of_place(f, e->a);
    case EXPR_CAST: return e->a->type->kind == TYPE_POINTER ? origin_of(f, e->a) : 0; // of integers only null
    case EXPR_PTR_ADD:
    case EXPR_UPDATE: return origin_of(f, e->a);
    case EXPR_ASSIGN:
    case EXPR_COMMA: return origin_of(f, e->b);
    case EXPR_COND: return origin_of(f, e->b) | origin_of(f, e->c);
    case EXPR_OBJECT: return e->type->kind == TYPE_POINTER ? origin_of_variable(f, e->object)->mask : LOWER_ELSEWHERE;
    default: return LOWER_ELSEWHERE;
    }
}

// Follows the variables until nothing changes; false if that takes too long.
static bool settle(struct follow *f, const struct lower_pointers *pointers)
{
    for (int round = 0; round < ROUNDS; round++) {
        bool has_changed = false;
        for (int i = 0; i < pointers->given.count; i++) {
            const struct lower_given *given = &pointers->given.items[i];
            struct origin *origin = origin_of_variable(f, given->object);
            uint32_t mask = origin->mask | origin_of(f, given->value);
            has_changed |= mask != origin->mask;
            origin->mask = mask;
        }
        if (!has_changed) {
            return true;
        }
    }
    return false;
}

uint32_t lower_written_through(const struct lower *l, const struct function *function,
                               const struct lower_pointers *pointers)
{
    struct follow f = {.function = function, .arena = l->arena};
    if (pointers->written.count == 0) {
        return 0;
    }
    if (!settle(&f, pointers)) {
        return LOWER_ELSEWHERE;
    }
    uint32_t mask = 0;
    for (int i = 0; i < pointers->written.count; i++) {
        mask |= origin_of(&f, pointers->written.items[i]);
    }
    return mask;
}

// Operands of operations that the parser takes apart, on vectors and on complex numbers. What stands in the result more
// than once, and must not be evaluated more than once, gets a name first, in a statement expression around the result.
#ifndef RILL_LANG_NAMING_H
#define RILL_LANG_NAMING_H

#include "lang/parse.h"

struct naming {
    VEC(struct stmt *) items;
};

// The name that now stands for |e|.
struct expr *naming_name(struct parser *p, struct naming *n, struct expr *e, struct loc loc);
// |value| behind what was named.
struct expr *naming_around(struct parser *p, const struct naming *n, struct expr *value, struct loc loc);
// |e| without the names around it, if it is the result of such an operation: they go to |n|.
struct expr *naming_inside(struct parser *p, struct naming *n, struct expr *e);
// Small, and the same each time.
bool naming_may_repeat(const struct expr *e);

// An unnamed value of the type, from |count| values, each for a place at |step| bytes from the one before.
struct expr *naming_literal(struct parser *p, struct type *type, struct expr **values, int count, uint64_t step,
                            struct loc loc);
// Such a value, of which no part does anything. Its parts are e->object->inits[i].value.
bool naming_is_literal(const struct expr *e, int count);

#endif

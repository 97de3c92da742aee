// A canonical loop as it is found on the tree: shared by loop.c, which finds it, and bound.c.
#ifndef RILL_LOWER_LOOP_H
#define RILL_LOWER_LOOP_H

#include "lower/internal.h"

// How the bound gets into the variable's type.
enum bound_way {
    BOUND_SAME,   // the common type is as wide as the variable
    BOUND_FITS,   // its value surely fits
    BOUND_CLAMP,  // signed i, signed common type: only an overflow could tell
    BOUND_UCLAMP, // signed i that starts at 0 or above, unsigned common type: likewise
    BOUND_GUARD,  // i would wrap and never get there: that is a failure
    BOUND_NONE,
};

struct canonical {
    const struct object *var;
    const struct expr *init;      // NULL: the variable keeps its value
    enum expr_kind compare;       // var compare bound
    const struct expr *bound;     // as compared, converted to the common type
    const struct type *common;    // in which C compares
    const struct expr *condition; // the whole
    int64_t step;
    bool recheck; // the bound reads memory: C evaluates it before each iteration
    enum bound_way way;
    const char *why; // not canonical: the reason
    struct loc where;
};

// False: |out->why| says why it is none.
bool lower_canonical_find(struct lower *l, const struct stmt *stmt, struct canonical *out);
const struct expr *lower_without_widening(const struct expr *e);
enum bound_way lower_bound_way(const struct canonical *c);
struct ir_inst *lower_bound_value(struct lower *l, struct canonical *c); // may make the comparison strict
bool lower_bound_may_wrap(const struct canonical *c);                    // as far as the tree tells
// Whether the variable wraps around on its way to the bound (i1); NULL: surely not.
struct ir_inst *lower_bound_wraps(struct lower *l, const struct canonical *c, struct ir_inst *init,
                                  struct ir_inst *bound);
// Fails where the variable, wrapping around, never meets a value that ends the loop.
void lower_bound_check(struct lower *l, const struct canonical *c, struct ir_inst *init, struct ir_inst *bound);
enum ir_op lower_bound_compare(const struct canonical *c);

#endif

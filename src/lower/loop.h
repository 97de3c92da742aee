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
    const struct expr *amount; // of a step that is no constant, without its direction; NULL: it is one
    bool recheck;              // the bound reads memory: C evaluates it before each iteration
    struct canonical *also;    // `i < n && i < m`: the same loop with the next bound; NULL: there is no more
    enum bound_way way;
    const char *why; // not canonical: the reason
    struct loc where;
};

// False: |out->why| says why it is none.
bool lower_canonical_find(struct lower *l, const struct stmt *stmt, struct canonical *out);
// The same in parts, for loops that count in another way (counted.c).
bool lower_is_loop_variable(const struct lower *l, const struct object *object);
bool lower_find_step(const struct lower *l, const struct stmt *stmt, struct canonical *c);
bool lower_find_condition(struct lower *l, const struct stmt *stmt, const struct expr *expr, struct canonical *c);
void lower_find_init(const struct stmt *stmt, struct canonical *c);
// Whether |bound| is one: it has no effect and does not read the variable.
bool lower_check_bound(const struct lower *l, struct canonical *c, const struct expr *bound);
// Whether |stmt| assigns or declares what |e| is made of.
bool lower_is_changed(struct lower *l, const struct stmt *stmt, const struct expr *e);
bool lower_check_body(struct lower *l, const struct stmt *stmt, struct canonical *c);
void lower_loop_pragmas(const struct lower *l, struct ir_for *loop, const struct pragmas *pragmas);
void lower_loop_body(struct lower *l, struct ir_inst *inst, const struct stmt *stmt);

// counted.c: `while (i-- > 0)`, and steps that are known at the loop's entry. False: it is no such loop; |c| says why
// if there is something to say.
bool lower_counted(struct lower *l, const struct stmt *stmt, struct canonical *c);
// A nest with steps that the launch knows, twice: by |lower_nest| with all of them known to lead to their bounds, and
// as plain loops. False: there are none that are not known yet.
bool lower_steps_split(struct lower *l, const struct stmt *stmt,
                       void (*lower_nest)(struct lower *, const struct stmt *));

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

// The values of a function's variables at one place. A function of thousands of loops has as many such places, and from
// one to the next few variables change: places share what they have in common.
#ifndef RILL_ANALYSIS_VALUES_VAR_VALUES_H
#define RILL_ANALYSIS_VALUES_VAR_VALUES_H

#include "base/arena.h"

struct sym;
struct var_chunk;

struct var_values { // all zero: no place
    struct var_chunk **chunks;
    int count; // of the variables
};

struct var_values var_values_create(struct arena *arena, int count); // none is set
// Setting variables of either afterwards does not change the other.
struct var_values var_values_copy(struct arena *arena, const struct var_values *from);
const struct sym *var_values_get(const struct var_values *values, int var); // NULL: not set
void var_values_set(struct arena *arena, struct var_values *values, int var, const struct sym *value);
// The first variable from |var| on whose values differ; the number of variables if there is none.
int var_values_next_difference(const struct var_values *a, const struct var_values *b, int var);

#endif

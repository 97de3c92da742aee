// Whether a value that the analysis follows may vary, in one loop or over all that was made since some point of the
// walk. What is computed in a loop need not vary with it: an index into an outer loop's row does not, nor what is
// loaded from where nobody writes.
#ifndef RILL_ANALYSIS_VALUES_VARIES_H
#define RILL_ANALYSIS_VALUES_VARIES_H

#include "ir/ir.h"

struct analysis;
struct loop_info;
struct poly;

// Whether it may have different values inside the loop. |loop| NULL: anywhere in the kernel.
bool atom_varies(const struct analysis *an, int id, const struct loop_info *loop);
bool value_varies(const struct analysis *an, const struct poly *value, const struct loop_info *loop);

// Whether it may have different values in code whose walk began when there were |first_atom| atoms: what is made since
// then varies, parameters and what is made of older atoms do not.
bool atom_varies_since(const struct analysis *an, int id, int first_atom);
bool value_varies_since(const struct analysis *an, const struct poly *value, int first_atom);

// Whether all that varies of it in |loop| is followed: made of loop variables and of what stays the same, without a
// product of two values that vary.
bool value_is_followed(const struct analysis *an, const struct poly *value, const struct loop_info *loop);

#endif

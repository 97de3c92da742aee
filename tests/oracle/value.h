// What value.c, the arithmetic, has for value_of.c, which looks at instructions.
#ifndef RILL_TESTS_ORACLE_VALUE_H
#define RILL_TESTS_ORACLE_VALUE_H

#include "oracle.h"

isl_pw_aff *value_number_at(const struct walk *walk, int64_t number); // the same everywhere
struct value value_number(isl_pw_aff *number, int64_t low, int64_t high, int64_t multiple);
struct value value_constant(const struct walk *walk, int64_t number);
struct value value_real(const struct walk *walk, double number); // of a double: unknown if it is not whole
struct value value_truth(isl_set *truth);
int64_t value_add_limits(int64_t a, int64_t b); // stops at the ends of the type
struct value value_sum(const struct value *a, const struct value *b, bool is_difference);
struct value value_product(struct walk *walk, const struct value *a, const struct value *b);
// As ir_fold(): operands are |args|, of type |from|.
struct value value_operation(struct walk *walk, enum ir_op op, enum ir_type type, enum ir_type from,
                             const struct value *args);

#endif

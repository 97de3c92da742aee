// Atoms, which polynomials are made of, and what is known of the values of such polynomials.
#ifndef RILL_ANALYSIS_VALUES_ATOMS_H
#define RILL_ANALYSIS_VALUES_ATOMS_H

#include "analysis/values/analysis.h"
#include "analysis/values/varies.h"
#include "plan/plan.h"

int atom_create(struct analysis *an, struct atom atom); // its identifier, for the first iteration
int atom_intern_op(struct analysis *an, enum ir_op op, enum ir_type type, const struct poly *a, const struct poly *b,
                   struct poly_range range);
void atom_add_fact(struct analysis *an, int id, const struct poly *value, bool is_equal, const struct poly *guard);
struct poly_range value_range(const struct analysis *an, const struct poly *value);
uint64_t value_hash(uint64_t hash, const struct poly *value);
int value_weight(const struct analysis *an, const struct poly *value); // the atoms it is made of
// Whether |value| >= 0 follows from what is known of its atoms and from the guards.
bool value_is_nonnegative(struct analysis *an, const struct poly *value, const struct guard *guards);
// Adds what is known of the atoms in |value|, and of those these facts mention.
void system_add_facts(struct analysis *an, struct system *system, const struct poly *const *values, int count);
// As an i64 expression over parameters and over variables as they are at the entry of |loop| (NULL: of nothing, so
// parameters only); NULL if it cannot be written so.
struct plan_expr *value_expr(struct analysis *an, const struct poly *value, const struct var_values *entry);
struct plan_expr *value_expr_float(struct analysis *an, const struct poly *value, const struct var_values *entry);
// A test that every term of the value, and of what it takes the least or the greatest of, is at most |limit| in
// magnitude. In f64, where a sum of terms says nothing by itself: two that are far too large cancel.
struct plan_expr *value_terms_within(struct analysis *an, const struct poly *value, int64_t limit,
                                     const struct var_values *entry);
struct plan_expr *value_operands_within(struct analysis *an, const struct poly *value, int64_t limit,
                                        const struct var_values *entry); // of least and greatest only
void value_print(struct analysis *an, const struct poly *value, struct str *out);

#endif

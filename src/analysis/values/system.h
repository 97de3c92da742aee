// Systems of linear inequalities over integers whose columns are products of atoms. Eliminating columns by
// Fourier-Motzkin, with equalities substituted and constants tightened to integers, shows that a system has no
// solution, or what must hold of the columns that are left for it to have one.
//
// Every shortcut errs on one side: a row that does not fit is dropped, which can only add solutions. So "has no
// solution" is always true, "may have one" is not.
#ifndef RILL_ANALYSIS_VALUES_SYSTEM_H
#define RILL_ANALYSIS_VALUES_SYSTEM_H

#include "analysis/values/polynomial.h"

enum { SYSTEM_MAX_COLUMNS = 40, SYSTEM_MAX_ROWS = 192 };

struct system_row { // the sum of coef[c] * columns[c], plus the constant, is >= 0 or == 0
    int64_t coef[SYSTEM_MAX_COLUMNS];
    int64_t constant;
    uint64_t hash; // of |coef|
    bool is_equal;
};

struct system {
    struct poly_term columns[SYSTEM_MAX_COLUMNS]; // coef 1
    int column_count;
    struct system_row rows[SYSTEM_MAX_ROWS];
    int row_count;
    bool is_infeasible;
};

void system_clear(struct system *system);
void system_copy(struct system *to, const struct system *from);
// |value| >= 0, or == 0. NULL is no constraint.
void system_add(struct system *system, const struct poly *value, bool is_equal);

// Eliminates the columns for which |is_wanted| is false (all of them if it is NULL).
typedef bool system_wanted(const struct poly_term *column, void *data);
void system_project(struct system *system, system_wanted *is_wanted, void *data);

// True if no integers satisfy it. Destroys the rows.
bool system_is_infeasible(struct system *system);

const struct poly *system_row_value(struct poly_pool *pool, const struct system *system, int row);

#endif

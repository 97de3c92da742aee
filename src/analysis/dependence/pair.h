// One test of a pair of accesses, between the files that make it up: facts.c sets the system up,
// solve.c splits it into cases and solves them, cases.c puts what is left into the shortest
// form, condition.c makes the launch's test of it, pair.c answers.
#ifndef RILL_ANALYSIS_DEPENDENCE_PAIR_H
#define RILL_ANALYSIS_DEPENDENCE_PAIR_H

#include "analysis/dependence/dependence.h"

enum {
    MAX_CONSTRAINTS = 96,
    MAX_SPLITS = 8,
    MAX_FACTORS = 4,
    MAX_CASES = 6,
    MAX_CASE_ROWS = 10,
    MAX_IDS = 64,
    MAX_GUARDED = 24,
    MAX_FITS = 8,
    MAX_NODES = 80,   // more is not worth the compile time: a conflict
    USEFUL_TRIP = 64, // a condition that only shorter loops fulfil is not worth a test
};

struct constraint {
    const struct poly *value;
    bool is_equal;
};

struct split { // one of the options holds
    struct constraint options[3];
    int count;
    int zero_id;              // options[1] says that this atom is 0; -1: no
    const struct poly *guard; // options[0] says that this is at least 1: facts that depend on it hold
};

struct guarded {
    struct constraint fact;
    const struct poly *guard;
};

struct conflict_case { // they can meet where all of these hold
    struct constraint rows[MAX_CASE_ROWS];
    int count;
};

struct pair {
    struct analysis *an;
    struct loop_info *info;
    const struct access *a;
    const struct access *b;
    bool assumes_fits; // what might wrap does not: tested by the launch
    struct constraint constraints[MAX_CONSTRAINTS];
    int constraint_count;
    struct guarded guarded[MAX_GUARDED];
    int guarded_count;
    struct split splits[MAX_SPLITS];
    int split_count;
    int ids[MAX_IDS]; // atoms whose facts are in
    int id_count;
    int fits[MAX_FITS]; // atoms that are taken not to wrap
    int fit_count;
    struct poly_term factors[MAX_FACTORS]; // launch-known factors of varying atoms
    int factor_count;
    struct conflict_case cases[MAX_CASES];
    int case_count;
    int node_count; // systems looked at
    bool is_too_much;
};

// facts.c
void pair_add_constraint(struct pair *pair, const struct poly *value, bool is_equal);
void pair_add_split(struct pair *pair, struct split split);
void pair_add_atom(struct pair *pair, int id); // what is known of it
void pair_add_known(struct pair *pair, const struct poly *value);
void pair_add_bounds(struct pair *pair, const struct access *access, bool is_second);
// The accesses touch a common byte. False: they never do, whatever the iterations.
bool pair_add_equations(struct pair *pair);

// solve.c
// Sets the system up and solves it; cases are left in the pair. False: they cannot meet.
bool pair_run(struct pair *pair, bool same_iteration);
// The same for two iterations of the nest of which the relations hold.
bool pair_run_related(struct pair *pair, const struct pair_relation *relations, int count);
bool pair_varies(const struct pair *pair, int id);
int pair_sign_of(struct pair *pair, const struct poly_term *factor, const int *choice, int depth);
const struct poly *pair_term_value(struct poly_pool *pool, const struct poly_term *term);

// cases.c
// What makes a parallel loop worth it: trip counts that are not tiny, divisors that divide; and what holds at its
// entry.
const struct guard *pair_worthwhile(struct pair *pair);
// Notes what is left of a system that has solutions: one case in which the two can meet.
void pair_note_case(struct pair *pair, struct system *system);
void pair_simplify_cases(struct pair *pair);

// condition.c
struct pair_result pair_make_condition(struct pair *pair);
struct pair_result pair_with_fits(struct pair *pair, struct pair_result result);
struct pair_result pair_with_needs(struct analysis *an, struct loop_info *info, const struct access *a,
                                   const struct access *b, struct pair_result result);

// Whether the place that it touches is followed from one iteration of the loop to another.
bool pair_is_followed(const struct analysis *an, const struct loop_info *info, const struct access *access);

#endif

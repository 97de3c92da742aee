// The analysis of one kernel, as the walk over it leaves it (evaluate.c): scalars are polynomials over atoms, and every
// access to memory is noted with the base it points into and its offset from there. The other folders of the analysis
// read this, and add what they find out to it.
#ifndef RILL_ANALYSIS_VALUES_ANALYSIS_H
#define RILL_ANALYSIS_VALUES_ANALYSIS_H

#include "analysis/values/polynomial.h"
#include "analysis/values/system.h"
#include "analysis/values/var_values.h"
#include "base/diag.h"
#include "base/pointer_map.h"
#include "base/vec.h"
#include "ir/points_to.h"

// Bugs that tests plant to show that their checks find them. Only a build with tests (RILL_PLANTED_BUGS) can have one.
enum planted_bug {
    BUG_NONE,
    BUG_REGION_SHORT,       // a region ends one access early
    BUG_REGION_LATE,        // a region begins one access late
    BUG_DOWNWARD_LOOPS,     // loops that count down are taken to begin at their bound
    BUG_BRANCH_STORES,      // what is stored in a branch is no effect
    BUG_ONE_ORDER,          // only the earlier iteration's write is compared with the later one's read
    BUG_CONDITIONS_DROPPED, // proven, where it depends on a condition
    BUG_PAIRS_DROPPED,      // arrays never overlap
    BUG_UPDATES_ALONE,      // iterations never update the same memory
    BUG_MEMBERS_APART,      // members at different offsets never overlap
    BUG_REMAINDER_DIFFERS,  // i % m is as good as i
    BUG_PRIVATE_ARRAYS,     // arrays are private if the iteration writes them at all
    BUG_STEP_DOUBLED,       // regions have twice the step
    BUG_MUST_IN_BRANCH,     // a write under a condition is certain
    BUG_CALLS_PLAIN,        // updates in helpers that are called are not atomic
    BUG_CALLS_CERTAIN,      // a helper that is called never returns early
    BUG_COUNT
};

// |value| >= 0 (or == 0), provided that |guard| >= 1.
struct fact {
    const struct poly *value;
    bool is_equal;
    const struct poly *guard; // NULL: always
    struct fact *next;
};

enum atom_kind {
    ATOM_PARAM,   // the scalar parameter |index|, read as signed
    ATOM_MEMBER,  // the scalar at byte |offset| of the struct parameter |index|
    ATOM_UNKNOWN, // the value of |inst|, or one that |var| had
    ATOM_LOOP,    // the loop variable of |loop| in one iteration
    ATOM_COUNT,   // the number of that iteration, from 0
    ATOM_OP,      // |op| of a and b in |type|; SEXT and ZEXT: a wrapped to |type| and read as signed or unsigned
};

struct atom {
    enum atom_kind kind;
    enum ir_op op;
    enum ir_type type;
    int index;
    int64_t offset;
    bool is_opaque; // of ATOM_OP: nothing but its range is known of what |op| makes of the two
    struct poly_range range;
    struct ir_inst *inst;
    struct ir_var *var;
    struct loop_info *loop;
    struct loop_info *home; // of ATOM_UNKNOWN: the innermost loop in which it may change; NULL: it never does
    const struct poly *a;
    const struct poly *b;
    int quotient; // of a remainder: the quotient's identifier, if a is always divisor * quotient + it; 0: no
    const struct poly *divisor; //
    struct fact *facts;
    uint64_t hash; // of ATOM_OP: of what it is made
    int weight;    // of ATOM_OP: the atoms that it is made of, each as often as it stands there; others: 0
    int next_op;   // of ATOM_OP: 1 + the number of the next one in the same bucket of op_buckets; 0: none
};

// An expression is exact only if |value| fits the type: a condition for the launch.
struct need {
    const struct poly *value;
    enum ir_type type;
    bool is_signed;
    struct loc loc;
    const struct need *next;
};

struct sym_dim { // index * stride bytes; 0 <= index < extent unless the extent is NULL
    const struct poly *index;
    const struct poly *stride;
    const struct poly *extent;
};

struct guard {                // what holds on the way to an instruction
    const struct poly *value; // >= 0
    bool is_equal;
    const struct guard *next;
};

// One call of a helper, on one way through the kernel: the helper's code is looked at anew for each.
struct call_context {
    struct call_context *caller; // NULL: the kernel
    struct ir_inst *call;        // in the caller's code
    struct ir_function *callee;  // the helper, as it was before it was specialised
    bool is_walked;              // false: it was not looked into, and may touch everything
    struct ir_function *variant; // the helper's code for this call: see passes/specialise.c
    struct call_context *first_child;
    struct call_context *last_child;
    struct call_context *next; // of the same caller, in program order
    int first_access;          // the accesses of the helper's own code, chained by access.next_in_context; -1: none
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_UPDATE, ACCESS_ATOMIC };

struct access {
    struct ir_inst *inst;
    enum access_kind kind;
    enum ir_update update;
    enum ir_type type;
    int base;
    struct sym_dim *dims;
    int dim_count;
    const struct poly *offset; // bytes, besides the dims
    const struct poly *flat;   // the whole offset from the base; NULL: not followed
    const struct poly *size;   // bytes; NULL: not known
    const struct need *needs;
    const struct guard *guards;
    const struct sym *source;        // of the address: see sym_alt
    struct loop_info *loop;          // innermost
    struct ir_inst *site;            // the instruction in the kernel: a call, if the access is in a helper
    struct call_context *context;    // of the helper whose code it is in; NULL: the kernel's
    int next_in_context;             // the next access of that code; -1: none
    const struct loop_info *recheck; // the loop whose bound it reads, again before each iteration; NULL: none
    bool is_alternative;             // one of several places that the instruction may touch
    bool is_atomic;                  // an update that must be
    bool has_constant;               // a store of |constant|
    int64_t constant;                // floats by their bits
};

struct access_pair { // indices into analysis->accesses
    int a;
    int b;
    bool equal_will_do;
};

struct loop_info {
    struct ir_inst *inst;
    struct call_context *context; // of the helper whose loop it is; NULL: the kernel's
    struct ir_function *function;
    struct loop_info *parent;
    struct loop_info *first_child;
    struct loop_info *last_child;
    struct loop_info *next;
    int variable;               // identifier of the ATOM_LOOP
    int count;                  // of the ATOM_COUNT
    const struct poly *init;    // exact
    const struct poly *bound;   // exact
    const struct poly *first;   // lowest value of the variable, if an iteration runs
    const struct poly *last;    // highest
    struct var_values entry;    // at the loop's entry
    const struct guard *guards; // at the entry
    int access_begin;           // accesses of the loop are a run of analysis->accesses
    int access_end;
    bool bound_may_change; // memory that its bound reads may be written by its body
    bool is_chosen;        // to become a task
    bool holds_blocks;
    bool may_fail;
    bool may_print;
    bool is_kernel_loop;           // not in a helper that is called
    struct base_set *stores;       // the bases that its code may write; made on demand, also while it is walked
    VEC(struct access_pair) pairs; // through different bases: must be apart
    const int *effect_of_access;   // by access, from the loop's first: the number of its effect, -1: none
    VEC(struct ir_inst *)
    shared;                   // the kernel's updates of memory that another iteration may touch, and its calls of
                              // helpers that do so
    VEC(int) shared_in_calls; // the accesses of these helpers
    struct pointer_map shared_sites; // the instructions in |shared|
    bool *is_shared_in_calls;        // by access, from the loop's first; NULL: none is
};

struct atomic_reason { // why an update is atomic
    const struct ir_inst *inst;
    const char *why;
};

struct blocks_entry { // the state before a region of stream_parallel blocks
    struct ir_inst *inst;
    int first_atom;
    struct var_values entry;
    struct var_values kept; // of variables that no block assigns: still the same wherever a block has got to
};

struct loaded;        // load.c
struct sym;           // evaluate.h
struct block_effect;  // facts.h
struct conflict_room; // facts.h

struct analysis {
    struct ir_module *module;
    struct ir_function *kernel;
    int var_count; // of the kernel when it was analysed: later passes add variables of their own
    struct arena *arena;
    struct diags *diags;
    struct poly_pool pool;    // lives as long as the analysis
    struct poly_pool scratch; // for one test
    VEC(struct atom *) atoms;
    int *op_buckets;           // of ATOM_OP: 1 + the number of an atom, 0: none
    int bucket_count;          // a power of two; 0: not made yet
    int op_count;              // of ATOM_OP
    const struct sym **params; // by number, made when first met
    VEC(int) members;          // identifiers of ATOM_MEMBER
    VEC(struct access) accesses;
    VEC(struct loop_info *) loops; // in program order, outer before inner
    VEC(struct blocks_entry) blocks;
    VEC(struct loaded) loaded;           // by load.c
    VEC(struct call_context *) contexts; // callers before what they call
    VEC(struct atomic_reason) atomics;
    struct block_effect **block_effects; // by access; made on demand
    struct conflict_room *room;          // made on demand
    struct fact *facts;                  // hold everywhere: extents are not negative
    struct system *systems;              // SYSTEM_COUNT of them
    struct points_to *bases;
    VEC(struct points_to *) helper_bases; // of helpers, made on demand
    struct pointer_map callees;           // function → what it may do: see values/callee.c
    VEC(const struct poly *) assumed;     // taken to be at least 1 by value_extremes, if it may
    bool may_assume;
    bool pointers_are_known;        // keeps_pointers was found out
    bool keeps_pointers;            // the kernel's code, or a helper's that it calls, stores pointers
    const struct var_values *names; // values of variables whose names are printed for them; NULL: none
    int call_budget;                // calls that may still be walked into: those after touch everything
    int budget;                     // tests that may still be made: afterwards everything is a conflict
#ifdef RILL_PLANTED_BUGS
    enum planted_bug bug;
#endif
};

static inline bool analysis_has_bug(const struct analysis *an, enum planted_bug bug)
{
#ifdef RILL_PLANTED_BUGS
    return an->bug == bug;
#else
    (void)an;
    (void)bug;
    return false;
#endif
}

enum { SYSTEM_COUNT = 3 }; // two for a pair, one for single facts

bool loop_contains(const struct loop_info *outer, const struct loop_info *inner);

static inline struct atom *atom_of(const struct analysis *an, int id)
{
    return an->atoms.items[id >> 1];
}

void access_walk(struct analysis *an); // evaluate.c

// memory.c
enum relation { RELATION_NONE, RELATION_SAME, RELATION_TWO_BASES, RELATION_UNKNOWN };
// Whether two accesses may touch one place at all, by their bases.
enum relation access_relation(const struct analysis *an, const struct access *a, const struct access *b);

#endif

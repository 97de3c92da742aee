// What the files of the scan pass share: one loop that is looked at.
#ifndef RILL_PASSES_SCAN_LOOP_H
#define RILL_PASSES_SCAN_LOOP_H

#include "base/pointer_map.h"
#include "passes/reorder_nest.h"

enum { SCAN_CARRIES = 8, SCAN_MEMORIES = 4, SCAN_LOADS = 4, SCAN_APART = 16 };

struct scan_carry { // a scalar that iterations hand on
    struct ir_var *var;
    enum ir_update merge; // NONE: it is only set
    bool is_affine;       // some of the assignments are s = a * s + b; no other but s += b
    bool has_reset;       // it is also set to what does not depend on such scalars: nothing before that counts
    bool is_counter;      // all that is ever added to it are constants above 0
    bool is_repeated;     // an update of it stands in a loop inside
    bool is_flat;         // a counter of a branch that becomes plain code
    int64_t most;         // of a counter that is not repeated: what an iteration adds at most
};

struct scan_memory { // a running value that the source keeps in memory: see scan_memory.c
    struct ir_var *var;
    struct ir_inst *loads[SCAN_LOADS]; // now GETs of it …
    struct ir_inst saved[SCAN_LOADS];  // … and what they were
    int load_count;
    struct ir_inst *address; // of these loads
    struct ir_inst *set;
    struct ir_inst *update;  // that was taken apart; NULL: none
    struct ir_inst *made[3]; // its parts
};

struct scan {
    struct ir_module *module;
    struct ir_function *kernel;
    struct analysis *an; // made when the first loop is met that might be one
    int made;            // scans of the kernel so far
    struct ir_inst *loop;
    struct scan_carry carries[SCAN_CARRIES];
    int carry_count;
    struct pointer_map needed; // instructions that the updates are made of, and the updates
    struct pointer_map own;    // STORE, COPY: the carry by which each iteration has places of its own there
    bool has_own;
    bool is_deep;            // there are loops in it
    bool has_rest;           // it does more than to update what it hands on
    struct pointer_map flat; // IF: becomes plain code
    bool has_teams;          // a GPU's teams of threads take the runs
    bool has_lanes;          // several runs at a time keep a thread of a CPU busier than one
    struct scan_memory memories[SCAN_MEMORIES];
    int memory_count;
    struct base_pair apart[SCAN_APART]; // bases that are taken not to overlap
    int apart_count;
    // While it is copied:
    struct ir_inst **values; // by value number: the copy; NULL: none yet
    int value_count;
    struct ir_var **vars; // by variable number: the copy; NULL: the source's
    int var_count;
};

struct scan_update { // carry = carry |update| operand
    enum ir_update update;
    struct ir_inst *operand;
    struct ir_inst *get; // of a SET: where it reads the carry
};

// scan_memory.c
// Running values that are kept in memory become scalars, until they are given back.
void scan_take_memory(struct scan *s);
// A cheap look: whether something is read at another place of an array that is stored to.
bool scan_may_have_memory(const struct scan *s);
void scan_give_memory_back(struct scan *s);
// What these scalars are before the first iteration.
void scan_read_memory(struct scan *s, struct ir_builder *to);

// scan_find.c
struct loop_info *scan_info(struct scan *s); // of the loop, in an analysis of the code as it is; NULL: there is none
// Whether the loop is of a kind that may be one, without a look at what it hands on.
bool scan_may_be(const struct scan *s);
// Whether iterations hand on scalars in a way that a scan can.
bool scan_hands_on(struct scan *s);
// Whether the loop is one; fills all but the copies, and in |nest| what the launch must test.
bool scan_find(struct scan *s, struct loop_nest **out_nest);
struct scan_carry *scan_carry_of(struct scan *s, const struct ir_var *var); // NULL: it is none
// Whether the instruction, which assigns a scalar, is an update of it.
bool scan_is_update(const struct ir_inst *inst, struct scan_update *out);

// Whether the variable is assigned after |get|, which stands in the region of |set|, and before |set|.
bool scan_is_assigned_between(const struct ir_inst *get, const struct ir_inst *set);

// scan_affine.c
// Whether the assignment is linear in the scalar that it sets.
bool scan_is_affine(const struct scan *s, const struct ir_inst *set);
bool scan_reads(const struct scan *s, const struct ir_inst *value, const struct ir_var *var);
// What the scalar is multiplied by there, made of the copies of values.
struct ir_inst *scan_emit_factor(struct scan *s, struct ir_builder *to, const struct ir_inst *set);

// scan_store.c
// Finds the stores to places that a counter makes each iteration's own: fills |own|.
void scan_find_own(struct scan *s, const struct loop_info *info);

// scan_flat.c
// Whether two values of one iteration are the same, by how they are made.
bool scan_is_same(const struct scan *s, const struct ir_inst *a, const struct ir_inst *b);
// Finds the branches that become plain code: adds to |flat|.
void scan_find_flat(struct scan *s);

// scan_build.c
// The largest number of iterations in a run, and the most runs, matter to nobody else: see there.
int scan_fewest(const struct scan *s); // iterations that are cut into runs
void scan_build(struct scan *s, struct loop_nest *nest);

#endif

// What the files of the scan pass share: one loop that is looked at.
#ifndef RILL_PASSES_SCAN_LOOP_H
#define RILL_PASSES_SCAN_LOOP_H

#include "base/pointer_map.h"
#include "passes/reorder_nest.h"

enum { SCAN_CARRIES = 8 };

struct scan_carry { // a scalar that iterations hand on
    struct ir_var *var;
    enum ir_update merge;
    bool is_counter;  // all that is ever added to it are constants above 0
    bool is_repeated; // an update of it stands in a loop inside
    bool is_flat;     // a counter of a branch that becomes plain code
    int64_t most;     // of a counter that is not repeated: what an iteration adds at most
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
    struct pointer_map flat; // IF: becomes plain code
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

// scan_find.c
// Whether the loop is one; fills all but the copies, and in |nest| what the launch must test.
bool scan_find(struct scan *s, struct loop_nest **out_nest);
struct scan_carry *scan_carry_of(struct scan *s, const struct ir_var *var); // NULL: it is none
// Whether the instruction, which assigns a scalar, is an update of it.
bool scan_is_update(const struct ir_inst *inst, struct scan_update *out);

// scan_store.c
// Finds the stores to places that a counter makes each iteration's own: fills |own|.
void scan_find_own(struct scan *s, const struct loop_info *info);

// scan_flat.c
// Finds the branches that become plain code: fills |flat|.
void scan_find_flat(struct scan *s);

// scan_build.c
// The largest number of iterations in a run, and the most runs, matter to nobody else: see there.
void scan_build(struct scan *s, struct loop_nest *nest);

#endif

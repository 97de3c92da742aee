// What the files that write a scan share: scan_build.c, which cuts the loop into runs, scan_steps.c, the three steps,
// and scan_copy.c, the source's body in them.
#ifndef RILL_PASSES_SCAN_BUILD_H
#define RILL_PASSES_SCAN_BUILD_H

#include "passes/scan_loop.h"

struct scan_parts { // values and variables of the three steps
    struct ir_var *memory[SCAN_CARRIES];
    struct ir_var *ends[SCAN_CARRIES];    // where each run ends; NULL: nobody asks
    struct ir_var *resets[SCAN_CARRIES];  // whether a run has set it; NULL: none does
    struct ir_var *factors[SCAN_CARRIES]; // what a run multiplies it by; NULL: none does
    struct ir_inst *init;                 // of the loop, i64
    struct ir_inst *count;
    struct ir_inst *begin; // the first iteration of the runs
    struct ir_inst *runs;  // how many
    struct ir_inst *size;  // of a run
    struct ir_inst *scope; // the loop around the runs, for variables; NULL: none
};

struct scan_body {
    struct scan *s;
    struct ir_inst *wide; // the loop's variable in this iteration, i64
    struct ir_inst *counter;
    bool is_ahead;                        // no more than the updates need
    bool is_behind;                       // what they need stands before it
    int number;                           // of the runs, for what they store
    struct ir_inst *ends[SCAN_CARRIES];   // of the third step: where the run ends; NULL: nobody asks
    struct ir_var *resets[SCAN_CARRIES];  // of the first: whether the run has set it …
    struct ir_var *factors[SCAN_CARRIES]; // … and what it has multiplied it by
};

// scan_build.c
struct ir_inst *scan_emit_op(struct ir_builder *b, enum ir_op op, struct ir_inst *x, struct ir_inst *y);
struct ir_inst *scan_emit_op_const(struct ir_builder *b, enum ir_op which, struct ir_inst *x, int64_t y);
struct ir_var *scan_make_var(struct scan *s, const char *name, enum ir_type type, struct ir_inst *scope);
int scan_runs_of(const struct scan *s); // the most
// The innermost loop, or region of blocks, that |owner| is or stands in: whose the variables made there are.
struct ir_inst *scan_loop_around(struct ir_inst *owner);

// scan_copy.c
// The instructions of a region of the source's loop, as |body| wants them.
void scan_copy_region(const struct scan_body *body, const struct ir_region *from, struct ir_builder to);
// Scalars that iterations assign are new in each run, but for those that matter after the loop, of which the third step
// makes the reductions and last values that they are.
void scan_copy_vars(struct scan *s, struct ir_inst *run, struct ir_inst *iteration, bool is_ahead);

// scan_steps.c
void scan_build_steps(struct scan *s, struct ir_builder *to, const struct scan_parts *p);
// An i64 in the type of the loop's variable.
struct ir_inst *scan_emit_narrow(struct scan *s, struct ir_builder *to, struct ir_inst *wide);

#endif

// Between reorder_build.c, which copies loops and statements, and reorder_scan.c and reorder_tiles.c, which make loops
// with new bounds.
#ifndef RILL_PASSES_REORDER_BUILD_H
#define RILL_PASSES_REORDER_BUILD_H

#include "passes/reorder_nest.h"

struct wave { // a wavefront that some statements are in
    const struct order *order;
    int atom;                 // of its number
    struct ir_var *var;       // that has it
    const struct poly *value; // of the loop that follows from it and the others
};

// |var| |op| |bound|, all i64; NULL: 0 in the place of the variable. The comparison is made where it is tested: a value
// that crosses loops would hide what it says.
struct build_guard {
    enum ir_op op;
    struct ir_var *var;
    struct ir_inst *bound;
    const struct build_guard *next;
};

struct build {
    struct loop_nest *nest;
    struct ir_builder to;
    // By statement and loop: the variable that has the loop's value now; NULL: it has not been placed.
    struct ir_var *vars[NEST_STATEMENTS][NEST_DEPTH];
    // By statement and loop: the beginning of the strip, and the end of the loop behind it; NULL: it has no strips.
    struct ir_var *strips[NEST_STATEMENTS][NEST_DEPTH];
    struct ir_inst *strip_ends[NEST_STATEMENTS][NEST_DEPTH];
    struct ir_inst *pins[NEST_STATEMENTS][NEST_DEPTH]; // the pivot as an i64, of pinned loops; NULL: not known yet
    const struct wave *waves[NEST_STATEMENTS];         // NULL: it is in none
    const struct tiles *tiles[NEST_STATEMENTS];        // NULL: it is in none
    bool is_parallel_outside;                          // the loop around is a parallel one that scan_loop() made
    bool has_new_bounds[NEST_STATEMENTS];              // from now on its loops are made by scan_loop()
    const struct build_guard *guards[NEST_STATEMENTS]; // what must hold for it, not tested yet; NULL: nothing
};

// Whether the value of the loop is known here: it has been placed, or follows from a wavefront.
static inline bool build_is_placed(const struct build *b, int statement, int loop)
{
    const struct wave *wave = b->waves[statement];
    return b->vars[statement][loop] != NULL || b->pins[statement][loop] != NULL ||
           (wave != NULL && wave->order->solved == loop);
}

// A variable like that of the loop |inst|, of type |type|.
struct ir_var *build_new_var(struct build *b, const struct ir_inst *inst, enum ir_type type);
// The value of loop number |loop| of the statement as an i64.
struct ir_inst *build_wide_value(struct build *b, struct ir_builder *to, int statement, int loop);

// reorder_scan.c: a loop over what the statements of the order have left to do, with bounds made anew. The builder then
// stands in it. False: they cannot be written.
bool scan_loop(struct build *b, const struct order *order);
// Of the statements' pinned loops those whose outer loops have been placed: their values, and as guards that they are
// among the loop's. False: they cannot be written.
bool scan_pins(struct build *b, statement_set set);
bool scan_is_wave(const struct order *order);
// The value as an i64, with the variables of the statement's loops as they are here. NULL: it cannot be written.
struct ir_inst *scan_value(struct build *b, int statement, const struct poly *value);

// reorder_tiles.c: the loops over diagonals and over the tiles of one. The builder then stands in a tile. False: they
// cannot be written.
bool tiles_open(struct build *b, const struct order *order);
// Whether the loop is one of those that are cut into tiles; and its iterations in the tile, as a loop.
bool tiles_have(const struct build *b, int statement, int loop);
void tiles_loop(struct build *b, statement_set set, int loop);

#endif

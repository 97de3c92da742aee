// Tasks whose iterations are taken several at a time, as rows, over panels of the columns that their inner loop counts:
// the tiles of caches and registers on CPUs.
#ifndef RILL_CODEGEN_PANELS_H
#define RILL_CODEGEN_PANELS_H

#include "codegen/lanes.h"

enum {
    PANEL_ROWS = 4,      // iterations of the task that run at a time
    PANEL_BLOCK = 96,    // of those that go through one panel before the next is begun: a multiple of the rows
    PANEL_DEPTH = 256,   // iterations of the innermost loop for which a panel is copied
    PANEL_COPIES = 2,    // loads that are copied, at most
    PANEL_VARIABLES = 4, // that the innermost loop hands on, at most
};

// What one row of a tile has while its code is emitted.
struct panel_row {
    LLVMValueRef iter;
    LLVMValueRef *values; // as of emit_function
    LLVMValueRef *vars;
    LLVMValueRef *items; // as of lanes
    LLVMValueRef *slots;
};

struct panels {
    struct emitter *e;
    struct lanes *lanes;                        // of the columns
    const struct ir_inst *columns;              // FOR
    const struct ir_inst *depth;                // the FOR inside that one; |update|: around it
    bool has_heads;                             // other loops stand before them, which go through a block of rows first
    const struct ir_inst *update;               // of memory, by which the depth adds up; NULL: it does so in variables
    bool *row_value;                            // by ir_inst.id: rows have different values
    bool *row_var;                              // by ir_var.index
    const struct ir_inst *copied[PANEL_COPIES]; // loads that rows share
    int copied_count;
    const struct ir_var *kept[PANEL_VARIABLES]; // variables that the innermost loop hands on
    int kept_count;

    // While code is emitted.
    struct panel_row rows[PANEL_ROWS];
    int row_count;
    LLVMValueRef copies[PANEL_COPIES];   // where the panel is
    LLVMValueRef saved[PANEL_VARIABLES]; // what a block of rows has between two depths
};

// Of the task that is emitted now; NULL: it is not worth it, or no code that can be taken so.
struct panels *panels_find(struct emitter *e);
// Runs the iterations from |lo| to |hi|. The task's prologue has been emitted.
void panels_emit(struct panels *panels, LLVMValueRef lo, LLVMValueRef hi);

// What panels.c and emit_panels.c share.
// An IF of the task's body that is for launches which cut rows into strips.
bool panels_is_strips(const struct panels *panels, const struct ir_inst *inst);
// The code of an iteration of the innermost loop, straight; NULL behind the last.
const struct ir_inst *panels_first(const struct panels *panels);
const struct ir_inst *panels_next(const struct panels *panels, const struct ir_inst *inst);

#endif

// Tiles: versions of a nest's task in which a thread takes several iterations of the two loops at once. See tile.c.
#ifndef RILL_OFFLOAD_TILE_H
#define RILL_OFFLOAD_TILE_H

#include "ir/ir.h"
#include "plan/plan.h"

enum { TILE_ROW = 1, TILE_COLUMN = 2, TILE_BOTH = TILE_ROW | TILE_COLUMN }; // in which of the two loops a thing varies

enum { TILE_COPIES = 64 }; // iterations of one tile, at most

// A task and what is known about its code.
struct tile {
    struct ir_module *module;
    struct arena *arena;
    const struct plan_kernel *kernel;
    const struct plan_task *plan;
    const struct ir_function *task;
    struct assignments *assigned; // by ir_var.index, in prologue and body
    unsigned char *of_value;      // by ir_inst.id: where it varies, of the loops that are tiled
    unsigned char *of_var;        // by ir_var.index: the same of its value at any time
    unsigned tiled;
    int rows;
    int columns;
};

// Which of the two loops a digit of the nest is the number of; 0: of one around both.
static inline unsigned tile_digit(const struct ir_inst *nest_iter)
{
    int64_t from_last = nest_iter->arg_count - nest_iter->imm;
    return from_last == 0 ? TILE_COLUMN : from_last == 1 ? TILE_ROW : 0;
}

static inline int tile_count(const struct tile *tile, unsigned varies)
{
    return ((varies & TILE_ROW) != 0 ? tile->rows : 1) * ((varies & TILE_COLUMN) != 0 ? tile->columns : 1);
}

// Which of so many copies is the one of row |r| and column |c|.
static inline int tile_index(const struct tile *tile, unsigned varies, int r, int c)
{
    int width = (varies & TILE_COLUMN) != 0 ? tile->columns : 1;
    return ((varies & TILE_ROW) != 0 ? r : 0) * width + ((varies & TILE_COLUMN) != 0 ? c : 0);
}

// Whether |inst| stands in |region|, or in something that does.
bool tile_is_in(const struct ir_inst *inst, const struct ir_region *region);
// Whether code outside |region| reads or assigns the variable.
bool tile_is_used_outside(const struct tile *tile, const struct ir_var *var, const struct ir_region *region);
// Whether a region is free of memory and loops: what it assigns may be chosen without a branch.
bool tile_is_simple(const struct ir_region *region);
// The loop around an update of memory in which its place stays the same and nothing else touches it: its value can be a
// variable meanwhile. NULL: there is none.
const struct ir_inst *tile_keeps(const struct tile *tile, const struct ir_inst *update);

// tile_jam.c: the function, named |name|.
struct ir_function *tile_jam(const struct tile *tile, const char *name);

#endif

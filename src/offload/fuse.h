// Loops one after the other that become one task: what fuse.c finds and fuse_copy.c makes.
#ifndef RILL_OFFLOAD_FUSE_H
#define RILL_OFFLOAD_FUSE_H

#include "offload/offload.h"

struct places;

// A run of consecutive loops of the kernel.
struct fusion {
    struct places **places; // of each part: where it touches memory; NULL: not looked at yet
    struct ir_inst **parts; // the kernel's own loops, in program order; what stands between goes before them
    int count;
    int levels; // so many loops inside each other are one space in every part: 1, or the loops of a nest
    struct ir_inst
        *loop; // all parts in one loop, in a copy of the kernel; its facts are the task's. NULL: not made yet
    struct ir_function *copy; // whose variables have the numbers of the kernel's
};

// A copy of the kernel in which each run of two loops or more is one loop; it is no function of the module. Sets
// |loop| and |copy| of the runs.
void fuse_copy_kernel(struct offload *o, struct fusion *runs, int count);
// The loop inside |outer| if all else in its body are values; NULL: none.
struct ir_inst *fuse_inner(const struct ir_inst *outer);

// fuse_place.c: where a loop touches memory, with |levels| loops put together.
struct places *fuse_places(struct arena *arena, struct ir_inst *loop, int levels);
// Whether both touch the arrays that one of them writes at the same indices, by their text; else one such array.
bool fuse_places_agree(const struct places *a, const struct places *b, int *out_base);

#endif

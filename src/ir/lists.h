// Loops that append to many lists: `out[count[e]++] = x`. Each iteration takes the next number of one of several
// counters, and stores by it; a counting sort, a distribution into buckets.
#ifndef RILL_IR_LISTS_H
#define RILL_IR_LISTS_H

#include "ir/ir.h"

struct lists {
    struct ir_var *counters;   // memory, from outside of the loop, which touches it nowhere else
    const struct ir_inst *old; // LOAD: the counter that the iteration takes, of the loop's own region …
    const struct ir_inst *new; // … STORE: one more
    const struct ir_inst *at;  // i64: which of the counters it is
    int64_t count;             // of the counters
};

// Whether |loop| is one, by the form of its code alone.
bool lists_find(const struct ir_inst *loop, struct lists *out);
// Whether what stands ahead of |old| may be done more than once. Asked of a kernel: in a task, variables have no
// scopes.
bool lists_may_repeat(const struct ir_inst *loop, const struct lists *lists);
// Where a list's elements lie.
struct lists_place {
    int64_t size;             // bytes of an element
    const struct ir_inst *of; // the only access that is known to go there: to a row, say; NULL: to a whole array
};

// Whether the store or copy |inst| in the loop goes to no more than the element that the iteration's number is, of an
// array, or part of one, that is the same in all iterations.
bool lists_is_store(const struct lists *lists, const struct ir_inst *loop, const struct ir_inst *inst,
                    struct lists_place *out);

#endif

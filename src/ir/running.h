// Loops whose iterations hand on running values: `s += a[i]; out[i] = s;`, seen from inside a task, where a GPU's team
// shares such a loop out. Loops that are tasks themselves are the business of passes/scan.c.
#ifndef RILL_IR_RUNNING_H
#define RILL_IR_RUNNING_H

#include "ir/ir.h"

enum { RUNNING_MOST = 4 };

struct running {
    const struct ir_inst *updates[RUNNING_MOST]; // VUPDATE, of the loop's own region: one of each value
    int count;
    // The loop's own instruction from which on such values are read, or memory written; what stands before it says what
    // they are updated by.
    const struct ir_inst *behind;
};

// Whether |loop| is one, by the form of its code alone.
bool running_find(const struct ir_inst *loop, struct running *out);
bool running_has(const struct running *running, const struct ir_var *var);

#endif

// Loops in order that stay on the device: see resident.c.
#ifndef RILL_PLAN_RESIDENT_H
#define RILL_PLAN_RESIDENT_H

#include "plan/plan.h"

// What a loop does to the slots of its kernel. Arrays of the caller's, one entry for each slot.
struct plan_resident {
    bool *assigned; // by control
    bool *written;  // by tasks: these stay in the launch block
    bool *changes;  // one of both
};

void plan_resident_slots(const struct plan_kernel *kernel, const struct plan_node *loop, struct plan_resident *out);
// Whether a GPU's code has an entry for the loop, "k.r4" for node 4, unless a loop around it has one. Fills |out| in
// where it does.
bool plan_loop_is_resident(const struct plan_kernel *kernel, const struct plan_node *loop, struct plan_resident *out);
// The slot of the loop's variable, if nothing leaves the loop before its end: then the host knows what it ends with.
// -1: there is none.
int plan_resident_variable(const struct plan_kernel *kernel, const struct plan_node *loop);

// For each array parameter, whether the loop's tasks read it and write it not (|out_read|), or write it
// (|out_written|). False: they may write what cannot be followed. The code takes what is only read as constant: the
// launch sees to it that no such array overlaps one that is written.
bool plan_resident_params(const struct plan_kernel *kernel, const struct plan_node *loop, bool *out_read,
                          bool *out_written);

// For each task, whether it only stands for a loop that stays on the device, or for one inside such a loop: one thread
// runs all of it (plan_node.whole_task), where arguments overlap. |slots| is the caller's, for the function's own use.
void plan_spare_tasks(const struct plan_kernel *kernel, struct plan_resident *slots, bool *out_tasks);

#endif

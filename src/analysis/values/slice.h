// The part of a loop's body that says where its scattered stores go: their addresses, the conditions under which they
// run, and all that these are made of. What runs it alone finds the places that an iteration will store to.
#ifndef RILL_ANALYSIS_VALUES_SLICE_H
#define RILL_ANALYSIS_VALUES_SLICE_H

#include "base/pointer_map.h"

struct slice {
    struct arena *arena;
    struct ir_inst *loop;
    struct pointer_map members;    // the instructions
    const struct ir_inst *refused; // the first one that cannot be run by itself; NULL: none
    const char *why;
    const struct ir_inst *atomic; // an explicit atomic whose result is in it; NULL: none
    struct pointer_map stores;    // whose places it makes
    struct {
        struct ir_inst **items; // members whose operands have not been looked at
        int count;
        int capacity;
    } open;
    bool (*may_read)(const struct ir_inst *inst, int base, void *user); // whether nothing in the loop writes there
    bool (*is_private)(int base, void *user);                           // whether each iteration has its own
    bool (*may_call)(const struct ir_inst *call, void *user);           // whether it only reads such places
    void *user;
};

// Adds what the address of |store|, and whether it runs, is made of. An assertion or a check that ends an iteration
// before something of the slice would run is part of it.
void slice_add_store(struct slice *slice, struct ir_inst *store);
// Looks at all members. False: something in it cannot be run by itself, |refused| and |why| say what.
bool slice_close(struct slice *slice);
bool slice_has(const struct slice *slice, const struct ir_inst *inst);

#endif

// What the files of the search pass share: one loop that is looked at.
#ifndef RILL_PASSES_SEARCH_LOOP_H
#define RILL_PASSES_SEARCH_LOOP_H

#include "ir/ir.h"

struct search {
    struct ir_module *module;
    struct ir_function *kernel;
    struct ir_inst *loop;   // LOOP
    struct ir_var *var;     // the variable that it counts with …
    struct ir_inst *step;   // … by this VUPDATE, the last of its region
    int64_t stride;         // never 0; negative: downwards
    struct ir_inst *limit;  // the comparison of the variable that limits how far is searched at once
    int limit_side;         // its operand that is the variable
    bool is_unsigned;       // the variable counts in unsigned numbers
    bool needs_previous;    // a scalar keeps what the iteration before the hit has left in it
    struct ir_inst **value; // by value number: its copy in the code that is built; NULL: none
    int value_count;
    struct ir_var **copy; // by variable number: of those that an iteration assigns
    int var_count;
};

// search_find.c
// Whether the loop is a search whose iterations may be tried ahead; fills all but the copies.
bool search_find(struct search *s);
// Whether all ways through the region lead out of the loop.
bool search_leaves(const struct search *s, const struct ir_region *region);
// Whether |inst| leaves the loop.
bool search_is_exit(const struct search *s, const struct ir_inst *inst);
// Whether |inst| stands in such a region: no iteration that is tried comes to it.
bool search_is_on_way_out(const struct search *s, const struct ir_inst *inst);
// The constant that is added to the loop's variable in an index; false: the index is something else.
bool search_index_offset(const struct search *s, const struct ir_inst *index, int64_t *out_offset);

// search_build.c
// Puts the code that searches ahead before the loop.
void search_build(struct search *s);

#endif

// What addresses point into. ir_inst.base of a memory access is one of these numbers.
#ifndef RILL_ANALYSIS_VALUES_POINTS_TO_H
#define RILL_ANALYSIS_VALUES_POINTS_TO_H

#include "ir/ir.h"

enum base_kind {
    BASE_UNKNOWN, // a pointer loaded from memory: everything
    BASE_PARAM,   // an array parameter, or a struct by value
    BASE_GLOBAL,  // a field or a constant
    BASE_LOCAL,   // a memory variable
    BASE_NULL,    // nothing
};

static inline int base_make(enum base_kind kind, int index)
{
    return (int)kind | index << 3;
}

static inline enum base_kind base_kind(int base)
{
    return (enum base_kind)(base & 7);
}

static inline int base_index(int base)
{
    return base >> 3;
}

// The bases that the pointer variables of a function may hold, at any time.
struct base_set {
    int *bases;
    int count;
    bool is_unknown;
    bool has_offset; // some point elsewhere than to the beginning
};

struct base_sets {
    struct ir_function *function;
    struct base_set *of_var; // by var index; only pointers have any
};

struct base_sets *bases_find(struct arena *arena, struct ir_function *function);
// Adds what |address| may point into; |sets| may be NULL (then variables are unknown).
void bases_of(struct arena *arena, const struct base_sets *sets, const struct ir_inst *address, struct base_set *out);
bool bases_add(struct arena *arena, struct base_set *set, int base); // false: it was there
const char *base_name(const struct ir_module *module, const struct ir_function *kernel, int base);

#endif

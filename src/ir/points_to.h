// What addresses point into: the array, field or local that an address was made of, its base. ir_inst.base of a memory
// access is one of these numbers.
//
// Two parts of the compiler follow addresses by other rules, because they ask something else. lower/written.c asks of
// the C tree which parameters a helper writes through, before there is IR. The promote passes ask for the exact byte of
// a local, and whether every use of its address can be rewritten (promote_memory.c, promote_call.c, promote_split.c).
#ifndef RILL_IR_POINTS_TO_H
#define RILL_IR_POINTS_TO_H

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

// What |address| was made of by INDEX and OFFSET.
static inline const struct ir_inst *address_root(const struct ir_inst *address)
{
    while (address->op == IR_OP_INDEX || address->op == IR_OP_OFFSET) {
        address = address->args[0];
    }
    return address;
}

// The base that |root| is the beginning of; 0: it is a pointer variable, a choice of two, loaded from memory, null, …
static inline int base_beginning_at(const struct ir_inst *root)
{
    switch (root->op) {
    case IR_OP_PARAM: return base_make(BASE_PARAM, (int)root->imm);
    case IR_OP_ADDR_GLOBAL: return base_make(BASE_GLOBAL, root->global->index);
    case IR_OP_ADDR_VAR: return base_make(BASE_LOCAL, root->var->index);
    default: return base_make(BASE_UNKNOWN, 0);
    }
}

struct base_set {
    int *bases;
    int count;
    bool is_unknown; // or anything else
    bool has_offset; // some point elsewhere than to the beginning
};

// Whether the pointers of the set may point into the base.
bool base_set_may_hold(const struct base_set *set, int base);

// The bases that the pointer variables of a function may hold, at any time.
struct points_to {
    struct ir_function *function;
    struct base_set *of_var; // by var index; only pointers have any
};

struct points_to *points_to_find(struct arena *arena, struct ir_function *function);
// Adds what |address| may point into; |sets| may be NULL (then variables are unknown).
void points_to_of(struct arena *arena, const struct points_to *sets, const struct ir_inst *address,
                  struct base_set *out);
bool base_set_add(struct arena *arena, struct base_set *set, int base); // false: it was there
const char *base_name(const struct ir_module *module, const struct ir_function *kernel, int base);

#endif

// Between the files of the walk: access.c walks, access_loop.c and access_assigned.c look at loops, access_value.c and
// access_arithmetic.c say what instructions compute, access_sym.c makes the values, access_memory.c notes what is
// touched.
#ifndef RILL_PASSES_ACCESS_WALK_H
#define RILL_PASSES_ACCESS_WALK_H

#include "passes/analyse.h"

// access_sym.c
struct sym *sym_create(struct analysis *an, int alt_count);
const struct sym *sym_changing_in(struct analysis *an, struct loop_info *home); // floats, truth values
const struct sym *sym_pointer_to(struct analysis *an, int base);
// The innermost loop around the walk's place in which the value may change; NULL: none.
struct loop_info *sym_home(struct frame *frame, const struct sym *sym);
struct loop_info *sym_home_of_operands(struct frame *frame, const struct ir_inst *inst);
bool sym_is_same(const struct sym_alt *a, const struct sym_alt *b);
// Unsigned values of up to 32 bits are read as what they are. Of 64 bits both readings serve, since addresses are
// computed modulo 2^64, and the signed one is what the launch computes with.
bool sym_is_read_unsigned(enum ir_type type, bool is_unsigned);
// The value wrapped to the type, as an atom of its own.
const struct affine *sym_wrapped(struct analysis *an, const struct affine *value, enum ir_type type, bool is_signed);
const struct need *sym_both_needs(struct analysis *an, const struct need *a, const struct need *b);

// access_load.c
const struct sym *access_loaded(struct frame *frame, struct ir_inst *load);

// access_arithmetic.c
struct operand {
    const struct affine *a;
    const struct affine *b;
    const struct need *needs;
    enum ir_type type;
    struct ir_inst *inst;
};

const struct affine *access_operation(struct frame *frame, enum ir_op op, struct operand *o);
const struct sym *access_arithmetic(struct frame *frame, struct ir_inst *inst);

// access_assigned.c
struct assigned {
    struct ir_inst *first; // the only assignment so far
    int count;
};

// By variable: how often it is assigned in the instruction's regions. In the analysis's scratch memory.
struct assigned *access_find_assigned(struct frame *frame, const struct ir_inst *inst);
struct assigned *access_find_assigned_in(struct frame *frame, const struct ir_region *region); // of one region
// A variable that each iteration adds the same amount to, once, has a value that the iteration's number gives. NULL:
// not so.
const struct sym *access_induction(struct frame *frame, struct loop_info *info, const struct assigned *assigned,
                                   const struct assigned *vars, const struct sym *before);

// access_callee.c
enum { CALLEE_TOUCHES = 1, CALLEE_PRINTS = 2, CALLEE_FAILS = 4 }; // memory; perhaps
// What looking into a call of it takes of the budget for calls.
int access_call_charge(const struct ir_function *callee);
unsigned access_callee_does(struct analysis *an, const struct ir_function *function);

// access_loop.c
struct loop_info *access_new_loop(struct frame *frame, struct ir_inst *inst);
void access_open_loop(struct frame *frame, struct loop_info *info);
bool access_may_change_bound(const struct analysis *an, const struct loop_info *info);

#endif

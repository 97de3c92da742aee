// Between the files of the walk: evaluate.c walks, loop.c and assigned.c look at loops, value.c and arithmetic.c say
// what instructions compute, sym.c makes the values, memory.c notes what is touched.
#ifndef RILL_ANALYSIS_VALUES_EVALUATE_H
#define RILL_ANALYSIS_VALUES_EVALUATE_H

#include "analysis/values/atoms.h"
#include "ir/assignment.h"
#include "ir/flow.h"

// One of the values that an instruction may have. Integers: equal to |value| modulo 2^width. Pointers: |base|, plus the
// dims, plus |value| bytes.
struct sym_alt {
    int base;
    const struct poly *value;
    struct sym_dim *dims;
    int dim_count;
    const struct need *needs;
    const struct sym *source; // a pointer variable's value, one of whose bases this is; NULL: none
};

enum { SYM_MAX_ALTS = 4 };

struct sym {                // floats and truth values have no alternatives
    struct loop_info *home; // of what has no alternatives: the innermost loop in which it may change
    enum ir_type cut;       // VOID; or the narrower type that holds it, as whoever made the instruction knows
    int alt_count;
    struct sym_alt alts[];
};

struct env { // the variables' values at one place
    struct var_values values;
    const struct guard *guards;
};

struct frame { // one walk over one function's body
    struct analysis *an;
    struct ir_function *function;
    struct frame *caller;
    const struct sym **values; // by instruction id
    const struct sym **params; // helpers: of the call
    struct flow flow;          // its state is a struct env
    struct loop_info *loop;
    struct ir_inst *site; // helpers: the call in the kernel
    struct call_context *context;
    const struct sym *result;
    const struct loop_info *recheck; // whose bound is being walked
    int depth;
};

static inline struct env *frame_env(const struct frame *frame)
{
    return frame->flow.state;
}

// value.c: what instructions compute. memory.c: what they touch. guard.c: what branches say.
const struct sym *access_evaluate(struct frame *frame, struct ir_inst *inst);
void access_note(struct frame *frame, struct ir_inst *inst);
void access_note_everything(struct frame *frame, struct ir_inst *inst);
const struct poly *access_flat(struct analysis *an, const struct sym_alt *alt);
const struct guard *access_guard(struct frame *frame, const struct ir_inst *condition, bool is_true,
                                 const struct guard *next);

// sym.c
const struct sym *sym_of(struct frame *frame, const struct ir_inst *inst);
const struct sym *sym_unknown(struct frame *frame, struct ir_inst *inst, struct ir_var *var, enum ir_type type,
                              struct loop_info *home);
const struct sym *sym_join(struct frame *frame, const struct sym *a, const struct sym *b, enum ir_type type);
const struct sym *sym_int(struct analysis *an, const struct poly *value, const struct need *needs);
// The alternative's value in the integers, read as signed or unsigned; needs may be added.
const struct poly *sym_exact(struct frame *frame, const struct sym_alt *alt, enum ir_type type, bool is_signed,
                             const struct need **needs, struct loc loc);
const struct poly *sym_exact_or_wrapped(struct frame *frame, const struct sym *sym, enum ir_type type, bool is_signed);
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
const struct poly *sym_wrapped(struct analysis *an, const struct poly *value, enum ir_type type, bool is_signed);
const struct need *sym_both_needs(struct analysis *an, const struct need *a, const struct need *b);

// load.c
const struct sym *access_loaded(struct frame *frame, struct ir_inst *load);

// arithmetic.c
struct operand {
    const struct poly *a;
    const struct poly *b;
    const struct need *needs;
    enum ir_type type;
    struct ir_inst *inst;
};

const struct poly *access_operation(struct frame *frame, enum ir_op op, struct operand *o);
const struct sym *access_arithmetic(struct frame *frame, struct ir_inst *inst);

// assigned.c
// By variable: how often it is assigned in the instruction's regions. In the analysis's scratch memory.
struct assignments *access_find_assigned(struct frame *frame, const struct ir_inst *inst);
struct assignments *access_find_assigned_in(struct frame *frame, const struct ir_region *region); // of one region
// A variable that each iteration adds the same amount to, once, has a value that the iteration's number gives. NULL:
// not so.
const struct sym *access_induction(struct frame *frame, struct loop_info *info, const struct assignments *assigned,
                                   const struct assignments *vars, const struct sym *before);

// callee.c
enum { CALLEE_TOUCHES = 1, CALLEE_PRINTS = 2, CALLEE_FAILS = 4 }; // memory; perhaps
// What looking into a call of it takes of the budget for calls.
int access_call_charge(const struct ir_function *callee);
unsigned access_callee_does(struct analysis *an, const struct ir_function *function);

// loop.c
struct loop_info *access_new_loop(struct frame *frame, struct ir_inst *inst);
void access_open_loop(struct frame *frame, struct loop_info *info);
bool access_may_change_bound(const struct analysis *an, const struct loop_info *info);

#endif

// What is made of loaded data. An index that is is the author's word that iterations do not meet (language.md §2), so
// that this must not be claimed of a value that the analysis merely does not follow: a local whose address a helper
// got, a variable that a loop carries around. DATA is said only of a value that is made of loaded data on every way to
// it; a local's memory holds what was stored there, and a call gives what its helper returns.
#ifndef RILL_PASSES_ACCESS_DATA_H
#define RILL_PASSES_ACCESS_DATA_H

#include "passes/analyse.h"
#include "passes/pointer_map.h"

enum {                 // of the bits of a value, besides TAINT_DATA and TAINT_HIDDEN
    DATA_CHOSEN = 8,   // which of several values it has hangs on data; around a loop that makes as many as there are
    DATA_UNSET = 16,   // memory that nothing was stored to
    DATA_MAYBE = 32,   // made of data on some way: a condition such as `k < n && a[k] < x`
    DATA_CARRIED = 64, // hangs on how often the innermost loop around has gone round
    DATA_SURE = TAINT_DATA | DATA_MAYBE,
    DATA_BITS = 127,
    DATA_SHIFT = 7,
};

// The bits of a variable or of four bytes of a local's memory, and above them a number that each assignment makes anew:
// where two ways meet, what differs was assigned on one of them.
typedef uint32_t data_cell;

struct data_function { // the same for every call of it
    struct ir_function *function;
    struct base_sets *bases;
    int *first_cell; // by variable
    int cell_count;
};

struct data_loop { // FOR, LOOP or CFG, in one call of its function
    const struct ir_inst *inst;
    int cell_count;        // of the state at its entry
    uint8_t *back;         // by cell: what an iteration leaves to the next
    bool *is_assigned;     // by cell: in the body
    const uint8_t *header; // by cell of the function: in the body, before its first instruction
    const uint8_t *after;  // the same after a FOR
    bool is_seen;
};

struct data_exit { // BREAK or RETURN out of a loop that it hangs on data to be left here
    const struct ir_inst *inst;
    uint8_t *bits; // by cell of the function
    bool is_data;
    bool returns_data; // RETURN: and what is returned was carried by the loop
};

struct data_node { // one call of a function, on one way through the kernel
    struct data_node *caller;
    const struct ir_inst *call;
    struct data_function *function;
    int first_cell;           // of its variables
    uint8_t *values;          // by instruction id
    uint32_t *made;           // the number that was given out last when the value was computed
    struct pointer_map loops; // instruction → data_loop
    struct pointer_map exits; // instruction → data_exit
    struct pointer_map calls; // instruction → data_node
};

// Finds it out for the whole kernel; an->data is the kernel's node.
void data_find(struct analysis *an);

// What the walk asks. |node| may be NULL: not known, so nothing is made of data.
struct data_node *data_of_call(const struct data_node *node, const struct ir_inst *call);
unsigned data_of_value(const struct data_node *node, const struct ir_inst *inst); // TAINT_DATA and TAINT_HIDDEN
const struct data_loop *data_of_loop(const struct data_node *node, const struct ir_inst *loop); // NULL: not known
// Of the variable where the loop's body begins, and behind a FOR or a CFG.
unsigned data_in_loop(const struct data_node *node, const struct data_loop *loop, const struct ir_var *var);
unsigned data_after_loop(const struct data_node *node, const struct data_loop *loop, const struct ir_var *var);
// Whether BREAK leaves a loop where data says so: what the loop carried is then made of data. The same of what a RETURN
// gives.
bool data_is_exit(const struct data_node *node, const struct ir_inst *inst);
bool data_is_returned(const struct data_node *node, const struct ir_inst *inst);
unsigned data_at_exit(const struct data_node *node, const struct ir_inst *inst, const struct ir_var *var);

// access_data_memory.c, between the two files.
struct data_target { // where an address may point
    enum { TARGET_SHARED, TARGET_STRUCT, TARGET_LOCAL, TARGET_UNKNOWN } kind;
    const struct data_node *node; // TARGET_LOCAL: whose variable
    const struct ir_var *var;
    bool is_vague; // anywhere in it
    int64_t offset;
};

enum { DATA_MAX_TARGETS = 8 };

struct data_targets {
    struct data_target items[DATA_MAX_TARGETS];
    int count;
};

struct data_function *data_function_of(struct analysis *an, struct ir_function *function);
void data_targets_of(struct analysis *an, const struct data_node *node, const struct ir_inst *address,
                     struct data_targets *out);
uint8_t data_load(const struct data_targets *targets, const data_cell *state, int64_t size); // size < 0: not known
struct data_store {
    int64_t size; // < 0: not known
    uint8_t bits;
    bool is_update; // what was there goes into it
    const struct data_node *node;
    uint32_t *version; // the last number given out
};
void data_store_to(const struct data_targets *targets, data_cell *state, const struct data_store *store);
uint8_t data_meet(uint8_t a, uint8_t b); // of two ways

#endif

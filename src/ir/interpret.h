// The interpreter: runs IR with the language's exact arithmetic and can record every access to memory. It is the
// reference that compiled kernels, effects and proofs are held to. The module must be one that ir_verify accepts.
//
// All memory is the host's, so that an address in a record is the address of the byte: arrays are the caller's, globals
// and locals belong to the interpreter. Uninitialised locals are zero, or garbage if |poison| is set.
//
// Threads: an interpreter is used by one thread at a time; several may run side by side over one module, each with its
// own copy of the globals.
#ifndef RILL_IR_INTERPRET_H
#define RILL_IR_INTERPRET_H

#include "ir/ir.h"

struct interp;

enum interp_access_kind { INTERP_READ, INTERP_WRITE, INTERP_UPDATE, INTERP_ATOMIC };

struct interp_access {
    const void *address;
    uint64_t size;
    enum interp_access_kind kind;
    enum ir_update update; // INTERP_UPDATE, INTERP_ATOMIC (NONE for cas)
    enum ir_type type;     // IR_VOID: bytes (copy, fill, compare, %s)
    const struct ir_inst *inst;
    int64_t iteration; // of the task; -1 in a kernel, a prologue or a finish
};

struct interp_options {
    void (*record)(void *user, const struct interp_access *access); // may be NULL
    // One call for each printf of the program. NULL: what is printed is dropped.
    void (*print)(void *user, int64_t iteration, const char *text, size_t length);
    // Each `for` of a kernel, helper or task: |iteration| counts from 0 at the start of each, and is -1 when the loop
    // is left. NULL: not told.
    void (*loop)(void *user, const struct ir_inst *inst, int64_t iteration);
    void *user;
    uint64_t step_limit; // operations of one call of interp_kernel or interp_task; 0: none
    bool check_bounds;   // fail on an index outside its extent, also where |in_bounds| claims that it cannot be
    uint64_t poison;     // not 0: locals start as garbage made from it, in each iteration of a task anew
};

enum interp_outcome { INTERP_DONE, INTERP_FAILED, INTERP_STEP_LIMIT, INTERP_NO_MEMORY };

// INTERP_CLAIM: what the IR claims of an instruction does not hold (a no_wrap result wrapped): a fault of the compiler.
enum interp_failure_kind { INTERP_ASSERT, INTERP_BOUNDS, INTERP_NULL, INTERP_CLAIM };

// The first failure of a call.
struct interp_failure {
    enum interp_failure_kind kind;
    const char *text;           // the assertion; else a sentence
    struct loc loc;             //
    const struct ir_inst *inst; //
    int64_t iteration;          // -1: none
    const char *array;          // INTERP_BOUNDS: its name, or NULL
    int64_t index;              //
    int64_t extent;             //
};

// The value of one parameter of a kernel.
struct interp_arg {
    union {
        int64_t i; // integers; wrapped to the parameter's type
        double f;  // floats; f32: rounded
        void *p;   // arrays, and the bytes of a struct by value. Of a kernel's own array (is_scratch) NULL will do: the
                   // interpreter then has memory for it while the kernel runs
    };
};

// NULL if memory runs out.
struct interp *interp_create(const struct ir_module *module, const struct interp_options *options);
void interp_destroy(struct interp *interp);

void *interp_global_address(const struct interp *interp, const struct ir_global *global);
void interp_reset_globals(struct interp *interp); // to their initial bytes

// Runs a kernel serially: the meaning of the program. |out_result| may be NULL.
enum interp_outcome interp_kernel(struct interp *interp, const struct ir_function *kernel,
                                  const struct interp_arg *args, union ir_value *out_result);

enum interp_order { INTERP_FORWARD, INTERP_BACKWARD, INTERP_SEEDED };

struct interp_launch {
    const struct interp_arg *args; // of the kernel
    void *block;                   // the launch block
    void *partials;                // task: the record of this call, written at its end; finish: the first record
    int64_t iter_count;            // task: the trip count; finish: the number of partial records
    int64_t lo;                    // task: the iterations of this call, [lo, hi)
    int64_t hi;                    //
    enum interp_order order;
    uint64_t seed; // INTERP_SEEDED
};

// Runs a task or a finish. A failing iteration ends; the others run all the same, and the call then gives
// INTERP_FAILED.
enum interp_outcome interp_task(struct interp *interp, const struct ir_function *task,
                                const struct interp_launch *launch);

// Of the last call, if that gave INTERP_FAILED.
const struct interp_failure *interp_failure(const struct interp *interp);
uint64_t interp_step_count(const struct interp *interp); // operations of the last call

#endif

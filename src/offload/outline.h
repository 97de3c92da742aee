// Making an IR function of a fragment: cloning instructions, finding their operands anew, reaching variables through
// slots.
#ifndef RILL_OFFLOAD_OUTLINE_H
#define RILL_OFFLOAD_OUTLINE_H

#include "base/pointer_map.h"
#include "offload/offload.h"

struct outline_var { // a variable of the kernel in one function
    struct ir_var *own;
    bool is_loaded; // the prologue has read its slot
};

struct outline {
    struct offload *o;
    const struct fragment *fragment;
    struct ir_function *function;
    struct ir_builder prologue;
    struct ir_builder body;
    struct pointer_map values; // the kernel's value number → the clone; of a kernel of many tasks each holds few
    struct pointer_map vars;   // the kernel's variable number → outline_var
    const struct slice *slice; // only what is in it is cloned; NULL: everything
    bool is_parallel;          // the fast version: assigned variables are the iteration's own
    bool is_tested;       // the launch has tested what loops depend on: the fast version, or of a loop that runs whole
    struct ir_inst *exit; // serial: the block that a return or escape leaves
    // Parallel: what lives across the iterations of a call.
    struct {
        struct ir_accumulator *items;
        int count;
        int capacity;
    } accumulators;
    struct reduce_entry *reductions;
    int reduction_count;
    int call_count; // helpers that were specialised for this task
    // Parallel: the team that takes an iteration, NULL: a thread does.
    const struct team *team;
    struct loop_sums *sums; // of the loops whose bodies are cloned now, the innermost first
};

struct loop_sums {
    const struct ir_inst *loop;
    struct loop_sum *items;
    int count;
    struct loop_sums *outer;
};

void outline_init(struct outline *out, struct offload *o, const struct fragment *fragment, enum ir_function_kind kind,
                  const char *name);
struct ir_var *outline_var(struct outline *out, struct ir_var *var);
struct ir_inst *outline_value(struct outline *out,
                              struct ir_inst *value); // the clone, imported into the prologue if it lies outside
struct ir_inst *outline_memory_address(struct outline *out, struct ir_var *var, struct ir_builder *to);
void outline_region(struct outline *out, const struct ir_region *from, struct ir_builder *to);
void outline_inst(struct outline *out, const struct ir_inst *inst, struct ir_builder *to);
void outline_store_slots(struct outline *out, struct ir_builder *to); // writes back what the function assigned

bool outline_is_shared(const struct outline *out, const struct ir_inst *update); // an update is atomic in this task
void outline_clone_loop(struct outline *out, const struct ir_inst *inst, struct ir_inst *clone); // the facts about it
// The loop's variable for the iteration number |iter|, i64.
void outline_loop_variable(struct outline *out, const struct ir_inst *loop, struct ir_inst *iter, struct ir_builder *b);
void outline_nest(struct outline *out, const struct nest *nest); // outline_nest.c: the body of a task for a nest

void outline_rounds(struct offload *o, const struct fragment *fragment); // outline_rounds.c

// outline_team.c: a loop that is spread over a team.
void outline_team_loop(struct outline *out, const struct ir_inst *inst, struct ir_builder *to);

// outline_sum.c: whether the launch of a CPU's task has tested all that the independence of |loop|, inside it, depends
// on; whether the loop's updates of memory may be gathered in variables, each thread running it whole; such a loop, and
// an update in it; false: it is none that is gathered.
bool outline_is_tested(const struct outline *out, const struct ir_inst *loop);
bool outline_sums(const struct outline *out, const struct ir_inst *loop);
void outline_summing_loop(struct outline *out, const struct ir_inst *inst, int level, struct ir_builder *to);
bool outline_sum_update(struct outline *out, const struct ir_inst *inst, struct ir_builder *to);

// lent.c: a parameter, an element of an array that the launch lends, and the function that sets all of it to zero.
struct ir_inst *lent_param(struct outline *out, int index);
struct ir_inst *lent_element(struct outline *out, int param, struct ir_inst *index, struct ir_builder *to);
void lent_outline_clear(struct offload *o, const struct fragment *fragment);

// races_note.c: in the function of a loop that is checked for races, notes each access and looks for another's.
void races_note_accesses(struct outline *out);

// outline_scatter.c: the function that sets the marks of a scatter, and a store to a scattered array in either of the
// two that run the loop.
void outline_marks(struct offload *o, const struct fragment *fragment);
bool outline_is_scattered(const struct outline *out, const struct ir_inst *inst);
void outline_scattered(struct outline *out, const struct ir_inst *inst, struct ir_builder *to);
struct ir_inst *outline_clone(struct outline *out, const struct ir_inst *inst,
                              struct ir_builder *to); // one instruction

int privatise_copy_of(const struct outline *out, const struct ir_inst *inst); // what ir_inst.copy is to be

// reduce.c
enum reduce_kind { REDUCE_SCALAR, REDUCE_LAST, REDUCE_SELECTION, REDUCE_MEMORY };

// One thing that the iterations accumulate.
struct reduce_entry {
    enum reduce_kind kind;
    enum ir_update update;
    enum ir_type type;
    bool inclusive;
    bool unordered;
    struct ir_var *source; // the kernel's variable; NULL for memory
    struct ir_var *local;  // the task's accumulator
    uint64_t offset;       // in the partial record
    struct ir_var *ran;    // NULL, or the flag that something was accumulated
    uint64_t ran_offset;
    struct ir_var *reset; // NULL, or the flag that a NaN started it anew (the conditional forms on floats)
    uint64_t reset_offset;
    struct ir_var *at; // NULL, or the iteration that it is from, -1 if none
    struct reduce_entry *companions;
    int companion_count;
    const struct memory_reduction *memory;
};

// Parallel tasks: sets up the accumulators of |out| before the body is cloned.
void reduce_prepare(struct outline *out);
// Called for each cloned SET, VUPDATE: sets the flags that go with the variable.
void reduce_note_write(struct outline *out, const struct ir_var *var, struct ir_inst *operand, struct ir_builder *to);
// The entry whose memory the UPDATE |inst| accumulates; NULL: none.
struct reduce_entry *reduce_of_update(struct outline *out, const struct ir_inst *inst);
// reduce_call.c: the cloned call of a helper some of whose updates are accumulated. |clone| is at the end of |to|.
bool reduce_is_in_call(const struct outline *out, const struct ir_inst *inst);
void reduce_call(struct outline *out, const struct ir_inst *inst, struct ir_inst *clone, struct ir_builder *to);
// The address of the entry's memory, in the finishing function.
struct ir_inst *reduce_address(struct outline *fin, const struct memory_reduction *memory);
struct ir_inst *reduce_identity(struct ir_builder *b, enum ir_update update, enum ir_type type);
// var = var op value, both of them results of the entry's updates.
void reduce_merge_value(struct ir_builder *b, const struct reduce_entry *entry, struct ir_var *var,
                        struct ir_inst *value);
// The function that ends the reductions; its name, or NULL if there are none.
const char *reduce_finish(struct outline *task, const char *name);

#endif

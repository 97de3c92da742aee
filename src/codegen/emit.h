// The emitter: what the files of this folder share while a module is turned into LLVM's form. Each emit_*.c file
// handles one family of operations; nothing outside this folder includes this header.
//
// The IR is taken as verified. What a target cannot express is noted by emit_fail and the emission goes on with poison,
// so that no file needs a way out of its own; codegen_emit looks at |status| in the end.
#ifndef RILL_CODEGEN_EMIT_H
#define RILL_CODEGEN_EMIT_H

#include "base/arena.h"
#include "codegen/codegen.h"
#include "codegen/target.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

struct emit_helper;
struct lists;
struct math_use;
struct plan_expr;
struct plan_kernel;

// Debug information of the module.
struct emit_debug {
    LLVMDIBuilderRef builder; // owned
    LLVMMetadataRef unit;
    LLVMMetadataRef *files; // by loc.file
    LLVMMetadataRef subroutine;
};

// Where `break` and `jump` of an enclosing instruction go.
struct emit_target {
    const struct ir_inst *inst;
    LLVMBasicBlockRef exit;
    LLVMBasicBlockRef *regions; // CFG
    struct emit_target *outer;
};

// The independent loops around the code that is emitted now, innermost first: each access belongs to their groups.
struct emit_group {
    LLVMMetadataRef group;
    struct emit_group *outer;
};

// A value of a task's body that is start + iteration * step without wrapping: an induction of its own beside the
// iteration number, since LLVM cannot see that the narrower sum does not wrap.
struct emit_induction {
    LLVMValueRef value; // in the variable's own type; the others have 64 bits
    LLVMValueRef phi;
    LLVMValueRef start;
    LLVMValueRef step;
    struct emit_induction *next;
};

// A variable that its loop alone sets, while the loop's body is emitted: it need not be loaded.
struct emit_counter {
    LLVMValueRef wide; // i64; NULL: none
    LLVMValueRef value;
    LLVMValueRef first;           // |wide| in the first iteration; NULL: not known
    int64_t step;                 // and from one iteration to the next
    const struct ir_region *body; // of the loop, where |first| is known
    const struct ir_inst *source; // without |wide|: what it was set to in this iteration
};

// GPUs: the consecutive iterations that a thread takes at once, while their code is emitted. See emit_grid.c.
enum { EMIT_MAX_RUN = 16, EMIT_RUN_BYTES = 16, EMIT_MAX_EARLY = 4 };

#define EMIT_INNER_LOOPS "rill-inner-loops" // attribute of a GPU's entry whose iterations hold loops

struct emit_run {
    int length;
    int at;             // which of them is emitted now
    bool is_aligned;    // the first one's elements lie at multiples of what the whole run touches, or of 16 bytes
    LLVMValueRef first; // iteration, i64
    LLVMMetadataRef scopes[EMIT_MAX_RUN];
    LLVMMetadataRef others[EMIT_MAX_RUN];
    const struct ir_inst *early[EMIT_MAX_EARLY]; // loads that are done for all iterations at once
    LLVMValueRef early_values[EMIT_MAX_EARLY][EMIT_MAX_RUN];
    int early_count;
};

// GPUs: the numbers of a nest's loops, the innermost one's first. See emit_digits.c.
enum { EMIT_MAX_DIGITS = 4 };

struct emit_digits {
    LLVMValueRef sizes[EMIT_MAX_DIGITS];
    int count;
    LLVMValueRef firsts[EMIT_MAX_DIGITS + 1]; // with what is left behind the digits
    LLVMValueRef steps[EMIT_MAX_DIGITS + 1];
    LLVMValueRef values[EMIT_MAX_DIGITS + 1];
};

// GPUs: which thread this is. 64 bits each.
struct emit_thread {
    LLVMValueRef number;  // in the grid
    LLVMValueRef lane;    // in its block
    LLVMValueRef size;    // threads of a block
    LLVMValueRef group;   // block
    LLVMValueRef groups;  // of the grid
    LLVMValueRef place;   // among the threads of the block that merge what they have; beyond them: more than any count
    LLVMValueRef merging; // how many these are
};

// GPUs: a loop in order that stays on the device, while the functions of its tasks and its entry are emitted. See
// emit_resident.c.
struct emit_resident {
    const struct plan_kernel *kernel;
    const struct ir_function *function; // the kernel
    const bool *own;                    // by slot: each thread has its own copy; the others are in the launch block
    const bool *written;                // by slot: a task writes it
    const bool *assigned;               // by slot: control assigns it
    bool *only_read;                    // by parameter: nobody writes it while the loop runs
};

// GPUs: the team whose code is emitted now. See emit_team.c.
struct emit_team {
    LLVMValueRef lane;      // of this thread in its team, i64; the stand-in, whose one thread is all of it: NULL
    LLVMValueRef warp_lane; // the same in its warp, i32
    LLVMValueRef is_first;  // i1
    // Teams that lie across the warps of a block: thread |column| of each half of a warp is of the same one.
    LLVMValueRef column;    // i64; NULL: the team is a warp
    LLVMValueRef is_active; // i1: the column is one of the task's iterations
    LLVMValueRef shared;    // where the threads of a block merge what they have
    bool is_alone;          // the first thread does all of it
    bool has_met;           // and nothing has touched memory since
    bool is_inside;         // a loop is shared out: each thread has its own iterations of it
    LLVMValueRef *own_vars; // of this thread; emit_function.vars has places of what the team shares instead
    LLVMValueRef kept;      // where the team keeps one of these as it was; NULL: nowhere
    LLVMValueRef *olds;     // what the variables that the loop accumulates had before, by role
    LLVMValueRef *rows;     // stand-in: what each thread of the team has accumulated, by role
};

// The function that is emitted now.
struct emit_function {
    const struct ir_function *ir;
    LLVMValueRef llvm;
    LLVMBuilderRef entry; // the emitter's: adds to the entry block, before the code proper
    LLVMValueRef *values; // by ir_inst.id
    LLVMValueRef *vars;   // by ir_var.index: allocas
    LLVMValueRef *params; // by parameter: loaded at entry, NULL until asked for
    uint64_t *param_offsets;
    LLVMValueRef args;    // tasks: the argument buffer
    LLVMValueRef block;   // tasks: the launch block
    LLVMValueRef iter;    // the iteration number, i64
    LLVMValueRef count;   // what ITER_COUNT gives
    LLVMValueRef chunk;   // GPU: iterations of one partial record
    LLVMValueRef partial; //
    LLVMValueRef frame;
    LLVMValueRef failed;                  // GPU: whether something has, where the entry goes on all the same; else NULL
    const struct emit_resident *resident; // GPU: the loop that this is part of; NULL: none
    LLVMValueRef control;                 // the thread's own copies of slots, laid out as the launch block is
    struct emit_run *run;                 // NULL: iterations are emitted one by one
    struct emit_team *team;               // NULL: a thread takes an iteration
    struct lanes *lanes;                  // CPUs: whose body is emitted now; NULL: iterations are taken one by one
    LLVMValueRef shared;                  // GPU: where the block gathers updates; NULL: it does not
    struct emit_digits *digits;
    const struct ir_inst *nest_at; // the NEST_ITER that was emitted last by a division …
    LLVMValueRef nest_rest;        // … and the quotient, of which the next loop's number is taken
    bool *only_read;               // GPU: by parameter: nobody writes it while the task runs; NULL: not known
    LLVMBasicBlockRef end;         // where the iteration ends
    LLVMValueRef before;           // CPU tasks: the branch into the loop over the iterations, while its body is emitted
    LLVMValueRef first;            // the first iteration of the call
    struct emit_induction *inductions;
    struct emit_counter *counters;     // by ir_var.index; NULL until there is one
    struct assignments *assigned;      // by ir_var.index, with |counters|
    const struct ir_inst **sources;    // by ir_inst.id, with |counters|: GET, what the variable was set to
    bool *accessed;                    // by ir_inst.id: INDEX; see emit_linear.c. NULL until it is asked for
    const struct ir_region *looked_at; // the body that |is_complete| is about
    bool is_complete;
    LLVMMetadataRef scope; // of debug locations
    struct emit_target *targets;
    struct emit_group *groups;
    bool has_memory_vars;
};

struct emitter {
    const struct ir_module *module;
    const struct codegen_options *options;
    struct target *target;
    struct arena *arena; // borrowed: scratch of this emission
    LLVMContextRef context;
    LLVMModuleRef llvm;
    LLVMBuilderRef builder;
    LLVMTypeRef types[IR_PTR + 1];
    LLVMTypeRef global_ptr;      // pointer to device memory: ptr addrspace(1) on a GPU
    LLVMValueRef *globals;       // by ir_global.index
    struct emit_helper *helpers; // by position in module->functions
    struct emit_function *function;
    struct emit_debug debug;
    struct math_use *math_uses;  // vector routines to be put in after vectorisation
    LLVMMetadataRef *group_pool; // distinct nodes for access groups
    int group_count;
    int group_used;
    int helper_count;
    int math_call_count; // of vector routines, so far
    bool check_bounds;
    bool needs_math_library; // GPU: link the library in
    bool has_remote;         // some entry has a version for memory outside of the device
    bool is_remote;          // such a version is emitted now
    bool can_fail;           // GPU: something in a launch of |failure_kernel| can
    const struct ir_function *failure_kernel;
    LLVMBuilderRef entry; // that of |function|, which is gone when memory has run out in it; NULL: none
    rill_status status;   // of the first thing that could not be emitted
};

// A helper as it is called: the IR's parameters, then frame and iteration number if it can fail or print.
struct emit_helper {
    LLVMValueRef llvm;
    LLVMTypeRef type;
    bool known;       // what follows has been computed
    bool may_fail;    // returns {value, i1} or i1: whether it failed
    bool needs_frame; // may fail or print
    bool has_atomics;
    LLVMValueRef remote; // the version that such entries call; NULL: the same
};

// emit.c
void emit_fail(struct emitter *e, struct loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void emit_module(struct emitter *e);
LLVMValueRef emit_const(struct emitter *e, enum ir_type type, int64_t value);
LLVMValueRef emit_i64(struct emitter *e, int64_t value);
LLVMValueRef emit_value(struct emitter *e, const struct ir_inst *inst);
void emit_set_value(struct emitter *e, const struct ir_inst *inst, LLVMValueRef value);
LLVMValueRef emit_alloca(struct emitter *e, LLVMTypeRef type, uint32_t align, const char *name);
LLVMBasicBlockRef emit_block(struct emitter *e, const char *name); // appended to the function
void emit_go(struct emitter *e, LLVMBasicBlockRef block);          // branches there, unless the block has ended
void emit_at(struct emitter *e, LLVMBasicBlockRef block);          // goes on there
LLVMValueRef emit_intrinsic(struct emitter *e, const char *name, LLVMTypeRef *types, int type_count, LLVMValueRef *args,
                            int arg_count);
LLVMValueRef emit_intrinsic1(struct emitter *e, const char *name, LLVMValueRef x);
LLVMValueRef emit_intrinsic2(struct emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y);
void emit_attribute(struct emitter *e, LLVMValueRef function, int index, const char *name, uint64_t value);
void emit_attribute_text(struct emitter *e, LLVMValueRef function, const char *name, const char *value);
LLVMValueRef emit_string(struct emitter *e, const char *text, const char *name);
// What |name| is called in the target's code: PTX, and what stands in for it, have plain names alone.
const char *emit_symbol(struct emitter *e, const char *name);
LLVMValueRef emit_generic(struct emitter *e, LLVMValueRef pointer); // cast to the generic address space
LLVMMetadataRef emit_loop_id(struct emitter *e, LLVMMetadataRef *parts, int count);
LLVMMetadataRef emit_note(struct emitter *e, const char *name, LLVMMetadataRef value); // !{!"name", value}
void emit_metadata(struct emitter *e, LLVMValueRef inst, const char *kind, LLVMMetadataRef node);

// emit_entry.c
bool emit_is_fallback(const struct ir_function *ir); // a task's version that runs in order
void emit_entry(struct emitter *e, const struct ir_function *function);
void emit_entry_begin(struct emitter *e, struct emit_function *f, const struct ir_function *ir);
// The function of a task, or of the end of its reductions, that the entry of a resident loop calls: in all threads,
// with the parameters of an entry and the thread's copies of slots. It is inlined.
LLVMValueRef emit_part(struct emitter *e, const struct emit_resident *resident, const struct ir_function *ir);
LLVMTypeRef emit_part_type(struct emitter *e);
void emit_function_begin(struct emitter *e, struct emit_function *f, const struct ir_function *ir, LLVMValueRef llvm);
void emit_function_end(struct emitter *e);
LLVMValueRef emit_param(struct emitter *e, const struct ir_inst *inst);
void emit_set_accumulators(struct emitter *e);
void emit_store_accumulators(struct emitter *e);
void emit_forget_vars(struct emitter *e); // when an iteration begins
bool emit_has_loops(const struct ir_region *region);
void emit_mark_loops(struct emitter *e, LLVMValueRef entry); // that its iterations hold loops

// emit_grid.c: how the threads of a GPU share the iterations
struct emit_thread emit_thread(struct emitter *e);
void emit_grid(struct emitter *e, LLVMBasicBlockRef leave); // the task's iterations; threads without any go to |leave|
// i64, unsigned; |out_rest| may be NULL
LLVMValueRef emit_divide(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef *out_rest);
LLVMValueRef emit_run_address(struct emitter *e, const struct ir_inst *pointer);                  // NULL: as everywhere
LLVMValueRef emit_run_early(struct emitter *e, const struct ir_inst *load);                       // NULL: not yet
uint64_t emit_run_alignment(struct emitter *e, const struct ir_inst *pointer, enum ir_type type); // 0: not known

// emit_digits.c
void emit_digits_begin(struct emitter *e, struct emit_digits *digits, LLVMValueRef first, LLVMValueRef stride,
                       LLVMValueRef limit, LLVMValueRef innermost); // before the loop over every |stride|-th iteration
                                                                    // from |first| on; |innermost| (may be NULL) is
                                                                    // the size of the first digit, if not its own
void emit_digits_set(struct emitter *e, struct emit_digits *digits, LLVMValueRef inner, LLVMValueRef outer);
void emit_digits_open(struct emitter *e, struct emit_digits *digits);
void emit_digits_close(struct emitter *e, struct emit_digits *digits, LLVMBasicBlockRef before);
LLVMValueRef emit_nest_iter(struct emitter *e, const struct ir_inst *inst); // on CPUs, too: by divisions

// emit_merge.c: partial results of a block's threads made one. Goes on in its first thread; the others go to |leave|
void emit_merge_threads(struct emitter *e, const struct emit_thread *thread, LLVMBasicBlockRef leave);
void emit_merge_records(struct emitter *e, const struct ir_function *task, LLVMBasicBlockRef leave);
const struct ir_function *emit_merge_task(const struct emitter *e, const struct ir_function *finish);
LLVMValueRef emit_shared(struct emitter *e, LLVMTypeRef type, const char *name); // memory that a block's threads share
int emit_warp_size(const struct emitter *e);
void emit_meet(struct emitter *e); // all threads of the block come here before any goes on

LLVMValueRef emit_neighbour(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef lane, int distance);
LLVMValueRef emit_from_lane(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef from);
LLVMValueRef emit_warp_lane(struct emitter *e, const struct emit_thread *thread); // i32

// emit_team.c: two-level tasks
void emit_team_init(struct emitter *e, struct emit_team *team, const struct emit_thread *thread);
bool emit_team_fits_columns(const struct emitter *e, const struct ir_function *ir);
void emit_team_init_columns(struct emitter *e, struct emit_team *team, const struct emit_thread *thread);
bool emit_team_spreads(const struct emitter *e, const struct ir_inst *loop);         // it is shared out here
void emit_team_open(struct emitter *e, const struct ir_inst *loop);                  // before the loop …
void emit_team_enter(struct emitter *e, const struct ir_inst *loop, LLVMValueRef k); // … of an iteration …
void emit_team_leave(struct emitter *e, const struct ir_inst *loop, LLVMValueRef k);
void emit_team_close(struct emitter *e, const struct ir_inst *loop, LLVMValueRef trip); // … and behind it
bool emit_team_is_alone(const struct emitter *e, const struct ir_inst *inst); // the first thread does it for all
LLVMValueRef emit_team_trip(struct emitter *e, LLVMValueRef trip);  // of a loop that is shared out, for this thread
void emit_team_note(struct emitter *e, const struct ir_inst *inst); // before any instruction, and behind regions
void emit_team_meet(struct emitter *e); // all threads of the team come here, and see what the others have written
LLVMBasicBlockRef emit_team_begin_alone(struct emitter *e);
void emit_team_end_alone(struct emitter *e, LLVMBasicBlockRef after);

// emit_scan.c: runs of scans that a team shares out
bool emit_scan_is_one(const struct emitter *e, const struct ir_inst *loop);
// But for its end. i1: whether the first thread has to do it, in order; NULL: it need not.
LLVMValueRef emit_scan(struct emitter *e, const struct ir_inst *loop, LLVMValueRef init, LLVMValueRef trip);

// emit_lists.c: memory that a team's threads share, and lists that they append to together
bool emit_lists_share_locals(const struct ir_function *ir);
bool emit_lists_has_locals(const struct emitter *e); // the function that is emitted, where threads are real
void emit_lists_begin_locals(struct emitter *e, struct emit_team *team, const struct emit_thread *thread);
void emit_lists_end_locals(struct emitter *e);
void emit_lists_keep(struct emitter *e, const struct lists *lists); // before the loop
// The number that this thread takes of the list |at| (i64), in a row of which |is_active| threads (NULL: all) take one.
LLVMValueRef emit_lists_take(struct emitter *e, const struct lists *lists, LLVMValueRef at, LLVMValueRef is_active);
// Behind the loop. i1: whether lists have met, and the counters are what they were before it.
LLVMValueRef emit_lists_meet(struct emitter *e, const struct lists *lists);

// emit_append.c: additions at one address by all threads of a warp at once
bool emit_append_is_one(const struct emitter *e, const struct ir_inst *inst);
LLVMValueRef emit_append(struct emitter *e, const struct ir_inst *inst, const LLVMValueRef *args); // the old value

// emit_copies.c: shared updates that a block gathers
bool emit_copies_has(const struct emitter *e, const struct ir_function *ir);
void emit_copies_begin(struct emitter *e, const struct emit_thread *thread);
void emit_copies_end(struct emitter *e, const struct emit_thread *thread);
bool emit_copies_update(struct emitter *e, const struct ir_inst *inst); // false: it is none of them

// emit_induction.c
LLVMValueRef emit_induction_value(struct emitter *e, const struct ir_inst *inst); // NULL: it is none
void emit_induction_close(struct emitter *e, LLVMBasicBlockRef before, LLVMBasicBlockRef latch);
void emit_counter_open(struct emitter *e, const struct ir_var *var, const struct emit_counter *counter);
void emit_counter_close(struct emitter *e, const struct ir_inst *loop); // with those that its body sets
void emit_counter_set(struct emitter *e, const struct ir_inst *inst);   // a SET that was just emitted
void emit_counter_get(struct emitter *e, const struct ir_inst *inst);   // a GET that is emitted
const struct emit_counter *emit_counter_of(struct emitter *e, const struct ir_inst *inst); // NULL: it is none

// emit_linear.c
LLVMValueRef emit_linear_index(struct emitter *e, const struct ir_inst *inst); // of an INDEX, i64; NULL: as everywhere

// emit_control.c
void emit_region(struct emitter *e, const struct ir_region *region);
void emit_insts(struct emitter *e, const struct ir_inst *first, const struct ir_inst *behind); // up to |behind|
void emit_control_inst(struct emitter *e, const struct ir_inst *inst);

// emit_loop.c: canonical loops
void emit_for(struct emitter *e, const struct ir_inst *inst);
bool emit_is_independent(const struct ir_for *loop);
LLVMValueRef emit_loop_trip(struct emitter *e, const struct ir_for *loop, LLVMValueRef init, LLVMValueRef bound); // i64
void emit_group_push(struct emitter *e, struct emit_group *group);
void emit_group_pop(struct emitter *e);
void emit_loop_notes(struct emitter *e, LLVMValueRef branch, const struct ir_region *body, LLVMMetadataRef group,
                     bool calls_math);
bool emit_may_reassociate(struct emitter *e, const struct ir_inst *inst); // VUPDATE of a reduction

// emit_order.c
bool emit_order_is_free(struct emitter *e, const struct ir_inst *loop); // NULL: the task's own loop

// emit_value.c: arithmetic, comparisons, conversions
LLVMValueRef emit_pure(struct emitter *e, const struct ir_inst *inst);
LLVMValueRef emit_binary(struct emitter *e, enum ir_op op, enum ir_type type, LLVMValueRef x, LLVMValueRef y);
void emit_float_flags(struct emitter *e, LLVMValueRef value, LLVMFastMathFlags more);

// emit_memory.c: addresses, loads, stores, block operations
LLVMValueRef emit_address(struct emitter *e, const struct ir_inst *inst);
LLVMValueRef emit_memory(struct emitter *e, const struct ir_inst *inst);  // NULL if there is no result
uint32_t emit_alignment(struct emitter *e, const struct ir_inst *access); // of a load, store or update
void emit_tag_access(struct emitter *e, LLVMValueRef access, const struct ir_inst *pointer);
bool emit_is_only_read(struct emitter *e, const struct ir_inst *load);
LLVMValueRef emit_load_from(struct emitter *e, const struct ir_inst *inst, LLVMValueRef address);
void emit_insist_on_alignment(struct emitter *e, LLVMValueRef pointer, uint32_t align);
LLVMValueRef emit_load_raw(struct emitter *e, enum ir_type type, LLVMValueRef pointer, uint32_t align);
LLVMValueRef emit_store_raw(struct emitter *e, enum ir_type type, LLVMValueRef value, LLVMValueRef pointer,
                            uint32_t align);

// emit_update.c: updates and atomics
LLVMValueRef emit_truth(struct emitter *e, enum ir_type type, LLVMValueRef x); // x != 0
LLVMValueRef emit_update_value(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef old,
                               LLVMValueRef operand, LLVMFastMathFlags flags);
LLVMValueRef emit_update(struct emitter *e, const struct ir_inst *inst); // update, vupdate, atomic, cas
LLVMValueRef emit_atomic_at(struct emitter *e, enum ir_update update, enum ir_type type, LLVMValueRef pointer,
                            LLVMValueRef operand, bool is_shared);

// emit_call.c: helpers, print, failures
void emit_helpers(struct emitter *e);
LLVMValueRef emit_call(struct emitter *e, const struct ir_inst *inst);
void emit_print(struct emitter *e, const struct ir_inst *inst);
void emit_failure(struct emitter *e, const struct ir_inst *inst); // an assertion
void emit_race(struct emitter *e, const struct ir_inst *inst, LLVMValueRef element, LLVMValueRef word);
void emit_bounds_check(struct emitter *e, const struct ir_inst *inst, LLVMValueRef index, LLVMValueRef extent);
const struct emit_helper *emit_helper_of(struct emitter *e, const struct ir_function *function);

// emit_gpu.c: what the CPU's services do, written into the launch's frame
void emit_gpu_failure(struct emitter *e, const struct ir_inst *inst, int kind, LLVMValueRef index, LLVMValueRef extent);
// |conversions| has the letter of each value's conversion.
void emit_gpu_print(struct emitter *e, const struct ir_inst *inst, LLVMValueRef *values, const char *conversions);

// emit_plan.c: what the plan leaves to the device
void emit_plan_count(struct emitter *e);        // of the entry that has just begun: where the host does not know it
void emit_plan_reads(struct emitter *e);        // of the same: which arrays nobody writes meanwhile
LLVMValueRef emit_plan_team(struct emitter *e); // i1: whether teams take the iterations; NULL: there are none
bool emit_plan_has_team(const struct emitter *e, const struct ir_function *ir, int *out_columns);
bool emit_plan_is_remote(const struct emitter *e, const struct ir_function *ir); // the entry has such a version
void emit_plan_nodes(struct emitter *e); // entries for assignments and conditions over what tasks compute
LLVMValueRef emit_plan_expr(struct emitter *e, const struct plan_kernel *kernel, const struct plan_expr *expr);
// Records of a loop with |trip| iterations, and the iterations of one: by the trip count alone, as the host does it.
LLVMValueRef emit_plan_records(struct emitter *e, LLVMValueRef trip, bool is_merged, LLVMValueRef *out_chunk);

// emit_resident.c: entries for loops in order that stay on the device
void emit_residents(struct emitter *e);
bool emit_is_spare(struct emitter *e, const struct ir_function *function); // only where such a loop cannot run so
LLVMValueRef emit_slot(struct emitter *e, int64_t offset); // the address of a byte of the launch block, or of its copy

// stand_in.c: the GPU's entries as functions for the CPU
LLVMValueRef stand_in_declare(struct emitter *e, const char *name, LLVMTypeRef *params, int count);
void stand_in_mark(struct emitter *e, LLVMValueRef lane, const char *attribute);
LLVMValueRef stand_in_thread(struct emitter *e, LLVMValueRef *out_count);
void stand_in_note_atomic(struct emitter *e, LLVMValueRef pointer); // before an atomic for a device's own memory
void stand_in_saturate(struct emitter *e);                          // after the math library is linked in
rill_status stand_in_join(struct codegen_output *ptx, const struct codegen_output *object);
rill_status stand_in_append(struct codegen_output *elf, const struct codegen_output *object);

// emit_half.c: floats of 16 bits, which are integers for LLVM
LLVMValueRef emit_half_widen(struct emitter *e, enum ir_type type, LLVMValueRef x);  // to float
LLVMValueRef emit_half_narrow(struct emitter *e, enum ir_type type, LLVMValueRef x); // from float, rounded
LLVMValueRef emit_half_conversion(struct emitter *e, const struct ir_inst *inst, LLVMValueRef x);
LLVMValueRef emit_real(struct emitter *e, enum ir_type type, double value);      // a constant of any float type
LLVMValueRef emit_negated(struct emitter *e, enum ir_type type, LLVMValueRef x); // -x

// emit_bits.c
LLVMValueRef emit_bits(struct emitter *e, enum ir_op op, LLVMValueRef x);
LLVMValueRef emit_upper_product(struct emitter *e, LLVMValueRef x, LLVMValueRef y);

// emit_math.c
LLVMValueRef emit_math(struct emitter *e, const struct ir_inst *inst);
LLVMValueRef emit_minimum(struct emitter *e, LLVMValueRef x, LLVMValueRef y, bool least); // C's fmin and fmax

// sanitize.c
void sanitize_access(struct emitter *e, const struct ir_inst *inst, const struct ir_inst *pointer, uint64_t size,
                     bool is_write); // before a load or store of |inst|
void sanitize_range(struct emitter *e, const struct ir_inst *inst, const struct ir_inst *pointer, LLVMValueRef size,
                    bool is_write);
rill_status sanitize_finish(struct emitter *e); // after the optimiser's passes
bool sanitize_is(const struct emitter *e, const char *name);

// debug.c
void debug_begin(struct emitter *e);
void debug_end(struct emitter *e);
LLVMMetadataRef debug_function(struct emitter *e, const struct ir_function *ir, LLVMValueRef llvm);
void debug_at(struct emitter *e, LLVMBuilderRef builder, struct loc loc);

#endif

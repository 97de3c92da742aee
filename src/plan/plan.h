// The plan: what the rest of the system runs. For each kernel a tree of control over tasks, with every task's iteration
// space, group and effects. Made by the offload pass, printed by `rill explain` and `rill emit --plan`, serialised into
// the image, evaluated at launch. Bounds, conditions and regions are small expressions over arguments and slots.
//
// A plan lives in one arena. The serialised form is untrusted input: plan_read checks everything.
#ifndef RILL_PLAN_PLAN_H
#define RILL_PLAN_PLAN_H

#include "base/arena.h"
#include "base/loc.h"
#include "base/str.h"
#include "ir/ir.h"
#include "ir/trip.h"
#include "rill/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// ---- expressions
// -----------------------------------------------------------------------------------------------------

enum plan_expr_kind {
    PLAN_EXPR_CONST,  // |imm|, or |fimm| if the type is a float
    PLAN_EXPR_PARAM,  // scalar parameter |index|; of an array parameter: its address (ptr, as i64); of a struct by
                      // value: the scalar at its byte |imm|
    PLAN_EXPR_EXTENT, // the whole size in bytes (i64) of what was passed for the array parameter |index|; -1 if unknown
    PLAN_EXPR_SLOT,   // the value of |type| at byte |imm| of the launch block
    PLAN_EXPR_VAR,    // passes only: the ir_var |index| of the kernel, before slots are given out
    PLAN_EXPR_OP,     // ir_fold of |op| on args; |arg_type| for comparisons and conversions
    PLAN_EXPR_TRIP,   // trip_make(|op|, |arg_type|, is_unsigned = |index|, step = |imm|), init args[0], bound args[1]
    PLAN_EXPR_WIDTH,  // how many iterations fill the device (i64): |width| of the values
    PLAN_EXPR_LOOPVAR, // passes only: the current iteration's value of a loop variable, to be eliminated by range
};

struct plan_expr {
    enum plan_expr_kind kind;
    enum ir_type type;
    enum ir_op op;
    enum ir_type arg_type;
    int index;
    int64_t imm;
    double fimm;
    struct plan_expr *args[3];
    int arg_count;
    bool is_fixed; // of a plan that was read: it has the same value all through a launch, and for equal arguments
    int memo;      // the same: 1 + where struct plan_memo keeps that value; 0: it does not
};

// ---- effects
// ---------------------------------------------------------------------------------------------------------

enum plan_base { PLAN_BASE_UNKNOWN, PLAN_BASE_PARAM, PLAN_BASE_FIELD, PLAN_BASE_BLOCK };
enum plan_access { PLAN_READ, PLAN_WRITE, PLAN_UPDATE };

// All bytes touched lie in [low, high) relative to the base, each access beginning at low + k * step and |width| bytes
// wide. low NULL: the whole array. step NULL or 0: any byte between.
struct plan_region {
    struct plan_expr *low;  // i64 bytes
    struct plan_expr *high; // i64 bytes, one past the last byte
    struct plan_expr *step; // i64 bytes
    int width;
};

struct plan_effect {
    enum plan_base base;
    int index; // parameter or field number; UNKNOWN: everything
    enum plan_access access;
    enum ir_update update; // PLAN_UPDATE
    enum ir_type type;     // element type; IR_VOID for copies and mixtures
    bool is_must;          // every byte of the region is touched whenever the task runs (used to skip uploads)
    bool is_sure;          // the same of reads and updates too, where the region is not bounded only
    bool is_atomic;        // updates
    bool is_explicit;      // by rill_atomic_*
    // Atomic updates: 1 + the number of the private copy that may take them; 0: none. A base that has one is touched by
    // the task only through updates of this class and type, so that each worker (or block of threads) may gather them
    // in memory of its own that begins with the operation's identity, and add that to the base, atomically, in the end.
    // Which UPDATE instructions these are is ir_inst.copy. Whether it pays is for the launch to say:
    // plan_span_of_copy().
    int copy;
    struct plan_region region;
    struct loc loc;
    const char *why;      // atomics: why they must be; may be NULL
    const char *bound;    // the region is a bound only: why, for people; NULL: all of it is touched, or nobody knows
    struct loc bound_loc; // of the access that made it one
};

enum { PLAN_MAX_COPIES = 4 }; // of one task

// Two effects of one task that its reasoning needs apart.
struct plan_pair {
    int a; // indices into the task's effects
    int b;
    bool equal_will_do; // the same base address will also do
    bool is_restrict;   // checked mode: `restrict` says that they are apart; that they are not is an error
    struct loc loc_a;
    struct loc loc_b;
};

struct plan_condition {
    struct plan_expr *expr; // i1; must be true for the fast version
    const char *text;       // "stride != 0": for explain and the log
    struct loc loc;
    struct plan_expr *throughout; // passes only: of arguments alone, and where it holds, |expr| does in every round of
                                  // the loops around; NULL: not known
};

// ---- tasks
// -------------------------------------------------------------------------------------------------------------

enum { PLAN_MAX_TILES = 2 };

enum plan_task_kind { PLAN_TASK_SERIAL, PLAN_TASK_PARALLEL };

struct plan_task {
    const char *name; // "simulate.3"
    enum plan_task_kind kind;
    struct loc loc; // the loop, or the first statement
    int group;      // 0: none; else the block (1 …, unique in the kernel) it belongs to
    // Index into kernel->loops of the loop it was made for; -1: serial statements. A SERIAL one with a loop is a nest
    // as the source has it, for launches whose arguments do not allow the order that it runs in as a rule.
    int loop;
    struct plan_expr *is_few; // i1, of such a SERIAL one: it runs for want of iterations; NULL: only for its arguments
    struct plan_expr *trip;   // i64; PARALLEL
    struct plan_expr *cost;   // i64: estimated simple operations for one iteration, or of all of it; NULL: unknown
    // i64: the same of an iteration of |in_order|, which gives what |entry| gives and has no atomic updates: it is
    // taken where one thread is to run all of it, and where that is faster. NULL: only where it must be
    struct plan_expr *order_cost;
    // Entry points by the name of their IR function; "" or NULL where there is none. Serial tasks have only |entry|.
    const char *entry;     // the fast version
    const char *in_order;  // runs the whole loop as C would: called once with the range [0, 1)
    const char *finish;    // end of the reductions
    int collapse;          // PARALLEL: so many loops of a nest are its iterations; 1: one loop
    int block_dim;         // `#pragma rill block_dim`: threads a block on a GPU; 0: not said
    uint64_t partial_size; // bytes of a partial record; 0: none. Then the range is split by iteration number alone
    int copy_count;        // private copies of memory that all iterations update: see plan_effect.copy
    bool is_merged;        // GPUs: the threads of a block merge what they have into one partial record: see plan/abi.h
    // GPUs, i64: with so many iterations or fewer a team of ABI_GPU_TEAM threads takes each of them and shares out the
    // loops inside it; with more, one thread does. Made of constants and arguments; NULL: there is no such version
    struct plan_expr *team;
    // GPUs: neighbouring iterations that a block takes at once, with that many teams across its warps: where these
    // touch neighbouring places and those of the loops inside do not. 0: a team is a warp
    int team_columns;
    int run; // GPUs: consecutive iterations that a thread takes at once; 0 and 1: one by one
    // GPUs: entries whose threads take |rows| iterations of the outer loop by |columns| of the inner one at once,
    // the two innermost loops of a nest, with so many iterations at least: see plan/abi.h. The largest first.
    struct plan_tile {
        const char *entry;
        int rows;
        int columns;
    } tiles[PLAN_MAX_TILES];
    int tile_count;
    struct plan_expr *row_length; // i64: iterations of the innermost loop of a nest; NULL: not said
    struct plan_expr *row_count;  // i64: of the loop around it, in a nest of more than two; NULL: not said
    struct plan_effect *effects;
    int effect_count;
    struct plan_pair *pairs;
    int pair_count;
    struct plan_condition *conditions;
    int condition_count;
    bool may_fail;
    bool may_print;
    struct plan_slot_use { // which slots its entries touch
        int64_t offset;
        bool reads;
        bool writes;
    } *slot_uses;
    int slot_use_count;
};

// What to write where a loop runs in order only because an index is not followed, so that the pragma would be taken.
enum plan_advice {
    PLAN_ADVICE_NONE,
    PLAN_ADVICE_ANY_ORDER, // the pragma, if any order will do
    PLAN_ADVICE_APART,     // the pragma, if no two iterations share an element, which each reads and stores to
    PLAN_ADVICE_EXCHANGE,  // an atomic exchange: each iteration reads an element and then stores to it
};

// What was found out about each `for`, `while` and `do` of the kernel, for explain.
struct plan_loop {
    struct loc loc;
    enum ir_verdict verdict;
    const char *reason; // a sentence, may be NULL
    struct loc loc_a;   // the two places that conflict; line 0: none
    struct loc loc_b;
    int depth;                // nesting depth in the kernel, 0 outermost
    int task;                 // the task it became; -1: control, or inside a task
    bool inside_task;         // runs inside one iteration or serial task; with a task: the launch takes one of both
    const char *notes;        // "i private, s reduction +, last value t": may be NULL
    const char *fusion;       // "fused with the loop in line 7", or why not; NULL: there is none before it
    const char *clauses;      // the same as OpenMP clauses, " private(t) reduction(+:s)"; may be NULL
    bool is_told;             // it runs in order, on one thread, and nobody asked for that: the first launch says so
    enum plan_advice advice;  // |is_told|
    const char *advice_place; // the element that it is about; NULL: none
    struct plan_expr *work;   // |is_told|, i64: simple operations of it, by the arguments alone; NULL: not known
};

// ---- control
// -----------------------------------------------------------------------------------------------------------

enum plan_node_kind {
    PLAN_SEQUENCE, // |children|
    PLAN_IF,       // |expr| (i1): children[0], else children[1] (may be missing)
    PLAN_FOR,  // in order: slot |slot| of |type| = |expr| (init) + k * |step|, |trip| times children[0]; afterwards C's
               // value
    PLAN_LOOP, // children[0] again and again until a break or return
    PLAN_BLOCK,  // children[0]; break leaves it
    PLAN_BREAK,  // leaves the enclosing FOR, LOOP or BLOCK node |target|
    PLAN_RETURN, // ends the kernel
    PLAN_ASSIGN, // slot |slot| of |type| = |expr|; host arithmetic
    PLAN_TASK,   // tasks[|task|]
    PLAN_REGION, // stream_parallel: |children| are the blocks, PLAN_SEQUENCE each with its |group|
};

// Blocks that can run at the same time. A larger region is several REGION nodes, one after the other.
enum { PLAN_MAX_BLOCKS = 64 };

enum plan_conflict_kind { PLAN_CONFLICT_TEST, PLAN_CONFLICT_IN_ORDER };

// Two blocks of a region that are not independent for all arguments.
struct plan_conflict {
    enum plan_conflict_kind kind; // tested at launch, or `#pragma rill in_order`
    int block_a;                  // children indices, a < b
    int block_b;
    struct plan_effect *effect_a; // TEST: the regions that must not overlap; may be bases of two arguments
    struct plan_effect *effect_b;
    bool is_restrict; // TEST, checked mode: `restrict` says that they are apart; that they are not is an error
};

struct plan_node {
    enum plan_node_kind kind;
    int id; // unique in the kernel
    struct loc loc;
    int group;
    struct plan_node **children;
    int child_count;
    int child_capacity; // while it is built
    struct plan_expr *expr;
    struct plan_expr *trip;
    int64_t step;
    int64_t slot;
    enum ir_type type;
    int task; // IF: of two ways to run one loop, the task that is all of it and has the effects of both; -1: none
    int target;
    bool in_order; // block of a region
    bool goes_on;  // REGION: its blocks are the next ones of the region before it, which has PLAN_MAX_BLOCKS
    // REGION: two explicit atomics that may meet, which only the author's word makes independent; line 0: none
    struct loc atomic_a;
    struct loc atomic_b;
    struct plan_conflict *conflicts;
    int conflict_count;
    int whole_task;             // FOR and LOOP: a serial task that runs all of it; -1: none
    struct plan_expr *whole_if; // taken when this (i1) holds: the inner loops are too small to pay for tasks
    // FOR and LOOP, for GPUs (i64): operations of the largest task of a round, on average, as far as it is known where
    // the loop begins. NULL: it is not
    struct plan_expr *work;
};

// The task that the node may start itself; -1: none.
static inline int plan_node_task(const struct plan_node *node)
{
    bool is_loop = node->kind == PLAN_FOR || node->kind == PLAN_LOOP;
    return node->kind == PLAN_TASK ? node->task : is_loop ? node->whole_task : -1;
}

// What |node|, which may be NULL, is without the sequences that have nothing else in them.
static inline const struct plan_node *plan_node_alone(const struct plan_node *node)
{
    while (node != NULL && node->kind == PLAN_SEQUENCE && node->child_count == 1) {
        node = node->children[0];
    }
    return node;
}

// ---- kernels and modules
// -----------------------------------------------------------------------------------------------

struct plan_param {
    const char *name;
    enum ir_type type; // ptr for arrays and structs by value
    bool is_array;
    bool is_struct;
    bool is_const;
    bool is_restrict;
    struct ir_ctype *ctype;     // scalar, struct, or element
    struct plan_expr **extents; // arrays: i64 each, outermost first
    int rank;                   // 0: takes a whole array
    int counts;                 // 1 + the number of the array whose elements the launch counts here; 0: given
    struct plan_expr *scratch;  // i64 bytes of memory that the launch lends for as long as it runs, or gives none
                                // (null); NULL: the array is given
    bool is_needed;             // |scratch|: without that memory there is no launch
    bool is_scratch;            // an array of the kernel's own: the launch lends as much as its extents say
    bool is_result;             // and what the kernel returns, a struct, is left there
    uint64_t offset;            // in the argument buffer
    struct loc loc;
};

struct plan_slot {
    const char *name; // the local's
    int64_t offset;
    uint64_t size;
};

// Arrays that are lent to one launch: for the marks of scatters, the shadows of the check of races, and of the kernel's
// own.
enum { PLAN_MAX_SCRATCH = 16, PLAN_MAX_SHADOWS = 48, PLAN_MAX_OWN = 33 };

struct plan_kernel {
    const char *name;
    struct loc loc;
    struct ir_ctype *return_ctype; // NULL: void
    struct plan_param *params;
    int param_count;
    int hidden_count; // of the last parameters: the launch fills them in, nobody gives them
    uint64_t args_size;
    uint64_t block_size;
    struct plan_slot *slots;
    int slot_count;
    struct plan_node *root;
    struct plan_task *tasks;
    int task_count;
    struct plan_loop *loops;
    int loop_count;
    int node_count;
    int memo_count; // of a plan that was read: what its expressions are numbered with
};

#define PLAN_MAX_OBJECT_SIZE (UINT64_C(1) << 47) // what the language allows: larger types are compile errors

enum { PLAN_MAX_DEPTH = 500 }; // of the nodes of a kernel: whoever runs a plan goes down by calling itself

struct plan_field {
    const char *name; // also the symbol in the image
    uint64_t size;
    uint32_t align;
    struct ir_ctype *ctype;
};

// What the loaded image is given before it is used: a piece of a field or constant that is otherwise zero and too large
// for the code to hold its bytes.
struct plan_piece {
    const char *symbol; // in the image
    uint64_t offset;
    uint64_t size;
    const uint8_t *bytes;
};

struct plan_module {
    struct arena *arena; // borrowed
    const char **files;
    int file_count;
    struct plan_kernel **kernels;
    int kernel_count;
    struct plan_field *fields;
    int field_count;
    struct plan_piece *pieces;
    int piece_count;
    bool check_bounds;
    bool check_races;
};

// expr.c: building (folds constants and identities; NULL operands give NULL, "not known") and evaluating
struct plan_expr *plan_const(struct arena *arena, enum ir_type type, int64_t value);
struct plan_expr *plan_param(struct arena *arena, enum ir_type type, int index);
// The trip count of a loop, at most INT64_MAX; and what it says of the loop.
struct plan_expr *plan_trip(struct arena *arena, const struct ir_for *loop, struct plan_expr *init,
                            struct plan_expr *bound);
struct ir_trip plan_trip_of(const struct plan_expr *expr);
struct plan_expr *plan_op(struct arena *arena, enum ir_op op, enum ir_type type, enum ir_type arg_type,
                          struct plan_expr *a, struct plan_expr *b);
struct plan_expr *plan_select(struct arena *arena, struct plan_expr *c, struct plan_expr *a, struct plan_expr *b);
bool plan_expr_is_const(const struct plan_expr *expr, int64_t *out_value);
// Whether it has the same value all through a launch.
bool plan_expr_is_of_arguments(const struct plan_expr *expr);
bool plan_expr_equal(const struct plan_expr *a, const struct plan_expr *b);
void plan_effect_print(const struct plan_module *module, const struct plan_kernel *kernel,
                       const struct plan_effect *effect, struct str *out); // "writes f[0, 4*n) step 4"
void plan_expr_print(const struct plan_kernel *kernel, const struct plan_expr *expr, struct str *out); // C-like

enum {
    PLAN_WIDTH_UNKNOWN = 16,
    PLAN_WIDTH_PER_WORKER = 4, // on a CPU: iterations for each worker that keep all of them busy to the end
};

// What was evaluated already for one set of arguments. Threads that run blocks of one launch may share it: two that
// find the same value out write the same.
struct plan_memo {
    _Atomic uint8_t *known;   // |memo_count| of the kernel; 0: not yet
    _Atomic uint64_t *values; // the bits
};

struct plan_values {
    const struct plan_kernel *kernel;
    const void *args;                // the argument buffer
    const void *block;               // the launch block; NULL: slots are not known
    const uint64_t *array_sizes;     // bytes of what was passed for each parameter; NULL: not known
    const uint64_t *field_addresses; // of the module's fields as loaded; NULL: not known
    const uint64_t *field_sizes;     //
    int64_t width; // iterations that fill the device: a shorter loop leaves some of it idle; 0: PLAN_WIDTH_UNKNOWN
    struct plan_memo memo; // for what |args|, |array_sizes| and |width| decide; zero: none
};
// False if it needs what |values| does not have.
bool plan_eval(const struct plan_expr *expr, const struct plan_values *values, union ir_value *out);

// print.c, serialise.c, verify.c, launch.c
const char *plan_file(const struct plan_module *module, uint32_t index); // its name; "?" if there is none
int plan_depth(const struct plan_node *node);                            // levels of nodes; NULL has none
void plan_print(const struct plan_module *module, struct str *out);
// One kernel. Without |has_slots| what will be slots are still variables of the kernel, by number.
void plan_print_kernel(const struct plan_module *module, const struct plan_kernel *kernel, bool has_slots,
                       struct str *out);
void plan_explain(const struct plan_module *module, bool color, struct str *out); // for people
bool plan_verify(const struct plan_module *module, struct str *out);
void plan_write(const struct plan_module *module, struct str *out); // bytes; str may hold zeros
rill_status plan_read(struct arena *arena, const void *bytes, size_t size, struct plan_module **out_module);

// share.c: equal expressions of a kernel become one, and those that do not change in a launch are numbered
struct plan_share {
    struct arena *arena; // borrowed
    struct plan_expr **table;
    int capacity; // a power of two
    int count;
    int memo_count;
};
// The one that stands for |expr|, whose operands stand for themselves.
struct plan_expr *plan_share_expr(struct plan_share *share, struct plan_expr *expr);

// device.c: what the host cannot know when it launches, because tasks compute it, and which of that has code for a GPU
int plan_slot_at(const struct plan_kernel *kernel, int64_t offset); // the slot that holds the byte; -1: none
int plan_slot_assigned(const struct plan_kernel *kernel, const struct plan_node *node); // at the node itself; -1: none
// For each slot, whether a task writes it, or it is assigned from such a one or where such a one decides.
void plan_device_slots(const struct plan_kernel *kernel, bool *out_slots);
bool plan_expr_reads(const struct plan_kernel *kernel, const struct plan_expr *expr, const bool *slots);
// Whether control in |node|, which may be NULL, depends on such slots.
bool plan_decides_on_device(const struct plan_kernel *kernel, const struct plan_node *node, const bool *slots);
bool plan_expr_has_code(const struct plan_expr *expr);
bool plan_trip_has_code(const struct plan_kernel *kernel, const struct plan_task *task, const bool *slots);
bool plan_node_has_code(const struct plan_kernel *kernel, const struct plan_node *node, const bool *slots);
// Whether the effect is an atomic update of memory that the caller brings, and the task has one: where atomics of the
// hardware do not hold in all memory, it has entries for such memory too (abi.h).
bool plan_effect_is_remote(const struct plan_effect *effect);
bool plan_task_has_remote(const struct plan_task *task);
// Whether a task writes to array parameter |param|, as far as its address is known.
bool plan_writes_param(const struct plan_kernel *kernel, int param);
// Whether nobody writes what array parameter |param| leads to while the fast version of the task runs.
bool plan_task_only_reads(const struct plan_kernel *kernel, const struct plan_task *task, int param);
// Whether the launch compares effects |a| and |b| of the task, and runs another version if they overlap at all.
bool plan_task_keeps_apart(const struct plan_task *task, int a, int b);

// Evaluated regions, and whether two of them overlap given the addresses of their bases.
struct plan_span {
    uint64_t low; // address
    uint64_t high;
    uint64_t step; // 0: any
    int width;
    bool unknown; // touches everything
};
bool plan_span_of(const struct plan_effect *effect, const struct plan_values *values, struct plan_span *out);
bool plan_spans_overlap(const struct plan_span *a, const struct plan_span *b);
// What the updates of the effect come to if they leave the same bits behind in any order with others that have the same
// merge and type, whoever does them; else IR_UPDATE_NONE. Sums of floats depend on the order, and who does an explicit
// atomic may look at what it gives.
enum ir_update plan_effect_merge(const struct plan_effect *effect);
// What the updates that private copy |copy| (from 0) of the task takes may touch, and an effect that has their type and
// update. False: it is not known, or nothing.
bool plan_span_of_copy(const struct plan_task *task, int copy, const struct plan_values *values, struct plan_span *out,
                       const struct plan_effect **out_effect);
// Whether the fast version may run now: conditions hold and pairs are apart. |out_why| (may be NULL) gets a sentence if
// not.
bool plan_task_is_fast(const struct plan_kernel *kernel, const struct plan_task *task, const struct plan_values *values,
                       struct str *out_why);
// Whether a nest runs in the source's order because it has few iterations, and not because of its arguments.
bool plan_task_is_few(const struct plan_task *task, const struct plan_values *values);
// The first pair of the task that overlaps now although a parameter in it is `restrict`; NULL: none.
const struct plan_pair *plan_task_broken_restrict(const struct plan_task *task, const struct plan_values *values);

#endif

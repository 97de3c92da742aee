// From an analysed kernel to its plan: which loops become tasks, what stays control, what crosses from one task to
// another and lives in the launch block. The task functions are added to the module.
//
// choose.c settles which loops become tasks. Then come three steps: offload.c, with pieces.c, straight.c and whole.c,
// (with fuse.c for loops that become one) cuts the kernel into pieces under a tree of control, slots.c gives out room
// in the launch block for the variables that more than one piece uses, outline.c (with reduce.c for reductions) makes
// an IR function of each piece. blocks.c checks the regions of stream_parallel blocks.
#ifndef RILL_OFFLOAD_OFFLOAD_H
#define RILL_OFFLOAD_OFFLOAD_H

#include "analysis/facts.h"
#include "ir/ir.h"
#include "plan/plan.h"

// Adds the kernel to |plan|. Errors in the program (blocks that conflict, too many locals) go to |diags|.
void offload_kernel(struct ir_module *module, struct ir_function *kernel, struct plan_module *plan,
                    struct diags *diags);

// Fields and files of the module, once for all kernels.
struct plan_module *offload_module(struct ir_module *module);

// ---- between the files of the pass
// ------------------------------------------------------------------------------------

// Bytes of locals on the stack of one task. Threads have twice as much (thread.h), for what the code generator
// adds, and the sanitizers.
enum { OFFLOAD_MAX_LOCALS = 4 << 20 };

enum { NEST_MOST = 16 };

// Loops inside each other that become one task: see nest.c.
struct nest {
    struct ir_inst *loops[NEST_MOST];   // outermost first
    struct plan_expr *trips[NEST_MOST]; // of the inner ones, at the entry of the outermost
    int count;
    bool is_flexible;           // two loops; the launch cuts the inner one into as many strips as the device wants
    int64_t strip;              // iterations of the innermost loop that are one of the task, at least
    struct ir_var *trip_count;  // flexible: of the inner loop, as the launch has found it
    struct ir_var *strip_size;  // flexible: what the launch has settled
    struct ir_var *strip_count; // flexible: 1 if the outer loop alone will do
};

enum piece_kind {
    PIECE_SERIAL,
    PIECE_PARALLEL,
    PIECE_CLEAR, // of a scatter: no mark is set
    PIECE_MARK,  // of a scatter: sets the marks of the places that the loop will store to
};

// Code that becomes one task.
struct piece {
    enum piece_kind kind;
    struct ir_inst *first; // serial: |count| consecutive instructions; parallel: the FOR
    int count;
    int task;
    int group;
    struct ir_var *escape;    // serial: 0, or k + 1 after the code left by escapes[k]; NULL: it never does
    struct ir_inst **escapes; // BREAK targets outside the piece; NULL in it: return
    int escape_count;
    const struct scatter *scatter; // clear: whose marks
    const struct nest *nest;       // parallel: the loops that are one space; NULL: only |first|
    bool is_alternative;           // of a loop that is also a task: that one stands for it
    const struct fusion *fusion;   // parallel: the loops that |first| was made of; NULL: it is the kernel's own
};

// What the pass notes at an instruction that has regions: ir_inst.note.
struct mark {
    bool is_chosen;              // FOR: becomes a task
    bool has_task;               // something in it becomes a task or is a block
    int node_id;                 // of its plan node when it is control
    struct ir_inst *clone;       // in the function being outlined
    int loop_index;              // FOR and LOOP: in kernel->loops
    const struct fusion *fusion; // FOR: the first of a run that becomes one task; NULL: it is not
    bool is_absorbed;            // FOR: a later one of such a run
};

struct offload {
    struct ir_module *module;
    struct arena *arena;
    struct ir_function *kernel;
    struct plan_module *plan;
    struct plan_kernel *out;
    struct diags *diags;
    struct ir_var *result;      // NULL: the kernel returns nothing
    struct conflict_room *room; // made with the first region of blocks
    struct {
        struct piece *items;
        int count;
        int capacity;
    } pieces;
    struct {
        struct plan_task *items;
        int count;
        int capacity;
    } tasks;
    struct {
        struct plan_loop *items;
        int count;
        int capacity;
    } loops;
    struct {
        struct plan_expr ***items; // places that hold expressions over variables
        int count;
        int capacity;
    } exprs;
    struct {
        const struct fusion **items;
        int count;
        int capacity;
    } fusions;
    int group_count;
    int scratch_count;            // hidden parameters that hold memory of the launch
    int loop_depth;               // control loops around what is built now
    struct assignments *assigned; // by variable, in the whole kernel; whole.c, made on demand
    int assigned_count;           // variables there were then
    bool *is_read_outside;        // by variable: outside of every loop over it; made on demand, no pass adds such reads
};

struct mark *offload_mark(struct offload *o, struct ir_inst *inst);
void offload_add_expr(struct offload *o, struct plan_expr **place);
struct plan_expr *offload_trip(struct offload *o, const struct ir_inst *loop);
void offload_assign(struct offload *o, struct plan_node *parent, const struct ir_var *var, struct plan_expr *value,
                    struct loc loc);
struct plan_expr *offload_var(struct offload *o, const struct ir_var *var);
// Whether `restrict` says that the two, of which one writes, do not touch the same memory.
bool offload_restrict_parts(const struct offload *o, const struct plan_effect *a, const struct plan_effect *b);

// choose.c: notes at every instruction with regions what becomes of it; whether anything in the region becomes a task.
bool choose_mark_region(struct offload *o, struct ir_region *region, bool may_choose);
bool choose_has_no_escape(struct ir_inst *inst, void *outer); // false at what leaves |outer|

// The task of a parallel loop, or of a nest of them (may be NULL).
void offload_build_task(struct offload *o, struct ir_inst *loop, struct plan_node *parent, struct nest *nest);
// Assigns C's value of the loop variable after all its iterations, if anybody reads it.
void offload_build_final_value(struct offload *o, const struct ir_inst *loop, struct plan_node *parent);

// scatter.c: the tasks of a loop that is a scatter.
void scatter_build(struct offload *o, struct ir_inst *loop, struct plan_node *parent);

// pieces.c
struct piece_flags {
    bool may_fail;
    bool may_print;
    bool check_bounds;
};
struct plan_node *piece_add_node(struct offload *o, struct plan_node *parent, enum plan_node_kind kind, struct loc loc);
struct plan_task *piece_add_task(struct offload *o, enum plan_task_kind kind, struct loc loc, int group,
                                 int *out_index);
bool piece_look_at(struct ir_inst *inst, void *flags); // for walks: adds to the piece_flags
// |is_all|: nothing comes after the piece, so that nobody asks by which way it was left.
void piece_add_serial(struct offload *o, struct plan_node *parent, struct ir_inst *first, int count, bool is_all);

// straight.c
struct pending { // consecutive instructions that no node covers yet
    struct ir_inst *first;
    int count;
};
void straight_flush(struct offload *o, struct plan_node *parent, struct pending *pending);
// The value that control needs, after everything pending has run; |control| is the instruction that needs it.
struct plan_expr *straight_value(struct offload *o, struct plan_node *parent, struct pending *pending,
                                 struct ir_inst *value, struct ir_inst *control);

// whole.c: |first_task| is the first of the tasks made inside the loop.
void whole_add(struct offload *o, struct ir_inst *loop, struct plan_node *node, int first_task);

// The expression with what variables were assigned in place of the variables, where that has the same value:
// everywhere, or inside |loop| (may be NULL) if the loop assigns nothing that the result names.
struct plan_expr *whole_by_value(struct offload *o, struct plan_expr *expr, struct ir_inst *loop);
bool whole_does_not_assign(struct ir_inst *inst, void *expr); // for walks: false where a variable of |expr| is assigned

// nest.c: the nest that |outer| is the outside of, if it is one; else the reason, if there is an inner loop at all.
bool nest_find(struct offload *o, struct ir_inst *outer, struct nest *out, const char **out_why);
// Nodes that settle how the nest is cut go to |parent|, before its task.
void nest_settle(struct offload *o, struct nest *nest, struct plan_node *parent);
struct plan_expr *nest_trip(struct offload *o, const struct nest *nest);
struct plan_expr *nest_cost(struct offload *o, const struct nest *nest);

// fuse.c: which loops become one task; notes it at them. Then, once slots are given out, the variables of the copies
// get theirs.
void fuse_find(struct offload *o);
void fuse_place_variables(struct offload *o);

// short_loops.c: whether the chosen loop |outer| is better run as control, as a test for the launch; NULL: never. Marks
// the loops inside it that are tasks then.
struct plan_expr *short_test(struct offload *o, struct ir_inst *outer);

// describe.c
void describe_params(struct offload *o);
void describe_loops(struct offload *o, struct ir_region *region, int depth, bool inside_task);

void slots_assign(struct offload *o); // slots.c
// slots_pointers.c: marks the memory that pointers in the launch block may point to.
void slots_follow_pointers(struct offload *o, bool *needs_slot);
void outline_pieces(struct offload *o); // outline.c
// stack.c: refuses tasks whose locals do not fit on a stack; they are the module's functions from |first_task| on.
void stack_check(struct offload *o, int first_task);
// blocks.c: tests the blocks of |inst| against each other; conflicts go to |node|, errors to diags.
void blocks_check(struct offload *o, struct ir_inst *inst, struct plan_node **nodes);

#endif

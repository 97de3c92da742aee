// From an analysed kernel to its plan: which loops become tasks, what stays control, what crosses from one task to
// another and lives in the launch block. The task functions are added to the module.
//
// Each step is a pass over one kernel, a row of the compiler's list (compiler/pass_list.c), and has a file here. What
// they share is one object, |struct offload|: made before the first of them, filled by each, published after the last.
#ifndef RILL_OFFLOAD_OFFLOAD_H
#define RILL_OFFLOAD_OFFLOAD_H

#include "analysis/facts.h"
#include "ir/ir.h"
#include "plan/plan.h"

struct offload;

// What the passes below share about |kernel|. Errors in the program (blocks that conflict, too many locals) go to
// |diags|; the passes go on after them, so that a user sees all of them at once.
struct offload *offload_create(struct ir_module *module, struct ir_function *kernel, struct plan_module *plan,
                               struct diags *diags);
// Adds the kernel to the plan, once all passes have run.
void offload_finish(struct offload *o);

// Fields and files of the module, once for all kernels.
struct plan_module *offload_module(struct ir_module *module);

// ---- the passes, in their order ------------------------------------------------------------------------------------

void describe_params(struct offload *o);   // describe.c: the signature, and where the arguments lie
void choose_loops(struct offload *o);      // choose.c: which loops become tasks
void describe_loops(struct offload *o);    // describe.c: the list of loops; warns of those on one thread
void nests_find(struct offload *o);        // nest.c: of each chosen loop the loops inside that are one space with it
void fuse_loops(struct offload *o);        // fuse.c: which consecutive loops become one task
void short_loops_find(struct offload *o);  // short_loops.c: which chosen loops may be better run as control
void partition_kernel(struct offload *o);  // partition.c: the plan's tree and the code of each task
void blocks_check(struct offload *o);      // blocks.c: compares the blocks of each region
void slots_assign(struct offload *o);      // slots.c: room in the launch block for what more than one task uses
void privatise_updates(struct offload *o); // privatise.c: arrays whose atomic updates may go to private copies
void outline_tasks(struct offload *o);     // outline.c: a function of each task
void tiles_make(struct offload *o);        // tile.c: tasks whose threads take several iterations of a nest at once
void stack_check(struct offload *o);       // stack.c: refuses tasks whose locals do not fit on a stack
void restrict_check(struct offload *o);    // restrict.c: in checked mode, the tests of what `restrict` promises
void depth_check(struct offload *o);       // depth.c: refuses control that is nested too deep

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
    bool has_rows[NEST_MOST];           // |trips| is that of the longest row: each row ends where it does in the source
    int order[NEST_MOST];               // loops by their digits of the iteration's number, the first counts most
    int count;
    struct plan_condition *conditions; // of the task: the outermost loop's, and what the inner ones need
    int condition_count;
    struct plan_pair *pairs; // the same, of the outermost loop's effects
    int pair_count;
    bool is_flexible;           // two loops; the launch cuts the inner one into as many strips as the device wants
    int64_t strip;              // iterations of the innermost loop that are one of the task, at least
    struct ir_var *trip_count;  // flexible: of the inner loop, as the launch has found it
    struct ir_var *strip_size;  // flexible: what the launch has settled
    struct ir_var *strip_count; // flexible: 1 if the outer loop alone has iterations enough
    bool is_found;              // there are two loops at least
    const char *why_not;        // why the loop inside the last one is not taken in, if there is one at all
};

enum fragment_kind {
    FRAGMENT_SERIAL,
    FRAGMENT_PARALLEL,
    FRAGMENT_CLEAR, // memory that the launch lends is set to zero
    FRAGMENT_MARK,  // of a scatter: sets the marks of the places that the loop will store to
};

// Code that becomes one task.
struct fragment {
    enum fragment_kind kind;
    struct ir_inst *first; // serial: |count| consecutive instructions; parallel: the FOR
    int count;
    int task;
    int group;
    struct ir_var *rounds;    // serial: so many iterations of the loop |first| from here on; NULL: all there is
    struct ir_var *goes_on;   // of these, where it is a LOOP: 0 if it was left, else 1; NULL: it is a FOR
    struct ir_var *escape;    // serial: 0, or k + 1 after the code left by escapes[k]; NULL: it never does
    struct ir_inst **escapes; // BREAK targets outside the fragment; NULL in it: return
    int escape_count;
    int cleared;                 // clear: the parameter that holds the memory
    const struct nest *nest;     // parallel: the loops that are one space; NULL: only |first|
    const struct team *team;     // parallel: of a GPU's threads, for each iteration; NULL: one thread
    const struct races *races;   // parallel: what it is watched by for races; NULL: it is not
    bool is_alternative;         // of a loop that is also a task: that one stands for it
    const struct fusion *fusion; // parallel: the loops that |first| was made of; NULL: it is the kernel's own
};

// What the passes note at an instruction that has regions: ir_inst.note.
struct offload_note {
    bool is_chosen;              // FOR: becomes a task
    bool has_task;               // something in it becomes a task or is a block
    int node_id;                 // of its plan node when it is control
    struct ir_inst *clone;       // in the function being outlined
    int loop_index;              // FOR and LOOP: in kernel->loops
    const struct fusion *fusion; // FOR: the first of a run that becomes one task; NULL: it is not
    bool is_absorbed;            // FOR: a later one of such a run
    struct nest *nest;           // FOR: see nest_of(); NULL: not asked yet
    struct team *team;           // FOR: see team_of(); NULL: not asked yet
    struct plan_expr *is_short;  // FOR: chosen, but better run as control where this holds; NULL: never
    struct plan_node **nodes;    // BLOCKS: its plan nodes, of PLAN_MAX_BLOCKS blocks each
};

struct offload {
    struct ir_module *module;
    struct arena *arena;
    struct ir_function *kernel;
    struct plan_module *plan;
    struct plan_kernel *out;
    struct diags *diags;
    struct ir_var *result;      // NULL: the kernel returns nothing
    bool is_chosen;             // choose has run
    bool has_task;              // a loop of it becomes a task, or there are blocks: not all of it is one serial task
    bool has_slots;             // variables in the plan have become slots
    int first_function;         // of the tasks, in the module
    struct conflict_room *room; // made with the first region of blocks
    struct {
        struct fragment *items;
        int count;
        int capacity;
    } fragments;
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
    struct {
        struct control_loop *items; // of the outermost loop that is built now, inside out
        int count;
        int capacity;
    } control_loops;
    int group_count;
    int scratch_count; // hidden parameters that hold marks of scatters
    struct {
        struct shadow_param {
            int base;
            int64_t granule;
            int group; // blocks that run at the same time have shadows of their own
            int param;
        } *items;
        int count;
        int capacity;
    } shadows;
    int loop_depth;               // control loops around what is built now
    struct assignments *assigned; // by variable, in the whole kernel; substitute.c, made on demand
    int assigned_count;           // variables there were then
    bool *is_read_outside;        // by variable: outside of every loop over it; made on demand, no pass adds such reads
};

struct offload_note *offload_note(struct offload *o, struct ir_inst *inst);
void offload_add_expr(struct offload *o, struct plan_expr **place);
struct plan_expr *offload_trip(struct offload *o, const struct ir_inst *loop);
// A condition of a loop as its task has it.
struct plan_condition offload_condition(const struct offload *o, const struct plan_condition *found);
void offload_assign(struct offload *o, struct plan_node *parent, const struct ir_var *var, struct plan_expr *value,
                    struct loc loc);
struct plan_expr *offload_var(struct offload *o, const struct ir_var *var);
struct plan_expr *offload_width(struct offload *o);           // PLAN_EXPR_WIDTH
bool offload_sums_no_float(struct ir_inst *inst, void *user); // for walks: false at a loop that sums floats
// For printing: makes |out| show what there is of the plan so far.
void offload_show(struct offload *o);
// restrict.c: whether `restrict` says that the two, of which one writes, do not touch the same memory.
bool restrict_separates(const struct offload *o, const struct plan_effect *a, const struct plan_effect *b);

// choose.c: notes at every instruction with regions what becomes of it; whether anything in the region becomes a task.
bool choose_in_region(struct offload *o, struct ir_region *region, bool may_choose);
bool choose_has_no_escape(struct ir_inst *inst, void *outer); // false at what leaves |outer|

// partition.c: the task of a parallel loop, or of a nest of them (may be NULL); returns its number.
int partition_add_task(struct offload *o, struct ir_inst *loop, struct plan_node *parent, struct nest *nest);
// Assigns C's value of the loop variable after all its iterations, if anybody reads it.
void partition_add_final_value(struct offload *o, const struct ir_inst *loop, struct plan_node *parent);

// scatter.c: the tasks of a loop that is a scatter.
void scatter_build(struct offload *o, struct ir_inst *loop, struct plan_node *parent);

// lent.c: hidden parameters that hold memory of the launch.
struct lent {
    const char *name;
    enum ir_type type;      // of an element, an integer
    struct plan_expr *size; // in bytes
    bool is_needed;         // without it there is no launch
    struct loc loc;
};
struct plan_expr *lent_bytes_of_base(struct offload *o, int base);
int lent_add(struct offload *o, const struct lent *lent); // the parameter; the next one counts its elements
// A task before that of |loop| sets it to zero.
void lent_add_clear(struct offload *o, struct ir_inst *loop, int param, struct plan_node *parent);

// races.c: the check of loops that are parallel by the author's word alone.
enum { RACES_MOST = 12 }; // arrays of one loop
struct races {
    struct shadow {
        int base;        // whose elements it watches: the loop writes there
        int param;       // that holds the shadow
        int64_t granule; // bytes that have one record
    } shadows[RACES_MOST];
    int count;
};
bool races_has_trusted(const struct offload *o,
                       struct ir_inst *inst); // in checked mode: it is such a loop or holds one
bool races_is_trusted(const struct offload *o, const struct ir_inst *loop); // in checked mode: it is one
bool races_writes(const struct ir_inst *inst); // an access that writes and is no explicit atomic
// What watches the task of |loop|, made with the tasks that prepare it; NULL: it need not be watched.
const struct races *races_build(struct offload *o, struct ir_inst *loop, struct plan_node *parent);

// fragment.c
struct fragment_flags {
    bool may_fail;
    bool may_print;
    bool check_bounds;
};
struct plan_node *fragment_add_node(struct offload *o, struct plan_node *parent, enum plan_node_kind kind,
                                    struct loc loc);
struct plan_task *fragment_add_task(struct offload *o, enum plan_task_kind kind, struct loc loc, int group,
                                    int *out_index);
bool fragment_note_flags(struct ir_inst *inst, void *flags); // for walks: adds to the fragment_flags
// |is_all|: nothing follows the fragment, so that it does not matter by which exit it was left.
void fragment_add_serial(struct offload *o, struct plan_node *parent, struct ir_inst *first, int count, bool is_all);

// straight_line.c
struct pending { // consecutive instructions that no node covers yet
    struct ir_inst *first;
    int count;
};
void straight_line_flush(struct offload *o, struct plan_node *parent, struct pending *pending);
// The value that control needs, after everything pending has run; |control| is the instruction that needs it.
struct plan_expr *straight_line_value(struct offload *o, struct plan_node *parent, struct pending *pending,
                                      struct ir_inst *value, struct ir_inst *control);

// Operations of a task that are not worth one of their own. On a CPU these are what would run on one thread in any case
// (PLAN_WORK_ALONE); on a GPU one thread does a good deal less while a kernel is launched.
int64_t offload_work_too_small(const struct offload *o);

// A loop in order around tasks, as it was built.
struct control_loop {
    struct ir_inst *loop;
    struct plan_node *node;
    struct plan_node *parent; // |node| is one of its children
    int first_task;           // of those made inside it
    int last_task;            // one past the last
    bool is_innermost;        // there is no such loop in it
};

// whole_loops.c: notes a loop; settles, once the outermost one is built, which of them may run whole.
void whole_loops_note(struct offload *o, const struct control_loop *control);
void whole_loops_settle(struct offload *o);
bool whole_loops_may_be_task(struct offload *o, struct ir_inst *loop);
int whole_loops_add_task(struct offload *o, struct fragment fragment, int group); // of the loop |fragment.first|
// rounds.c: lets a loop run some rounds at once where these are small.
void rounds_add(struct offload *o, const struct control_loop *control);

// substitute.c: the expression with what variables were assigned in place of the variables, where that has the same
// value: everywhere, or inside |loop| (may be NULL) if the loop assigns nothing that the result names.
struct plan_expr *substitute_variables(struct offload *o, struct plan_expr *expr, struct ir_inst *loop);
bool substitute_is_unassigned(struct ir_inst *inst,
                              void *expr); // for walks: false where a variable of |expr| is assigned

// nest.c: the nest that |outer| is the outside of, if it is one; found out when it is first asked for.
struct nest *nest_of(struct offload *o, struct ir_inst *outer);
// nest_tests.c: makes the tests of |inner|, and |more|, the nest's own; else says why not.
const char *nest_take_tests(struct offload *o, struct nest *nest, const struct ir_inst *inner,
                            const struct plan_condition *more, int more_count);
// Nodes that settle how the nest is cut go to |parent|, before its task.
void nest_settle(struct offload *o, struct nest *nest, struct plan_node *parent);
struct plan_expr *nest_trip(struct offload *o, const struct nest *nest);
struct plan_expr *nest_digit_trip(struct offload *o, const struct nest *nest, int digit); // NULL: there are strips
struct plan_expr *nest_cost(struct offload *o, const struct nest *nest);
const char *nest_words(struct offload *o, const struct nest *nest); // what explain says of it; NULL: nothing

void describe_signature(struct offload *o);   // describe.c: parameters and how they lie; changes nothing of the kernel
void fuse_place_variables(struct offload *o); // fuse.c: the variables of the copies get the slots of the kernel's
// slots_pointers.c: marks the memory that pointers in the launch block may point to.
void slots_follow_pointers(struct offload *o, bool *needs_slot);

#endif

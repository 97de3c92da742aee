// What the analysis finds out about a kernel: for each canonical loop whether its iterations are independent and on
// what that depends, the role of every scalar it assigns, and what it touches. The offload pass turns it into tasks.
//
// Expressions are over parameters (PLAN_EXPR_PARAM) and over kernel variables (PLAN_EXPR_VAR) with the value they have
// at the entry of the loop or statement; the offload pass replaces variables by slots.
#ifndef RILL_ANALYSIS_FACTS_H
#define RILL_ANALYSIS_FACTS_H

#include "ir/ir.h"
#include "plan/plan.h"

struct analysis;     // values/analysis.h
struct loop_info;    // there, too
struct need;         // there, too
struct call_context; // one call of a helper that is not inlined: see values/analysis.h

struct reduced_update {
    struct ir_inst *inst;               // UPDATE
    const struct call_context *context; // the call whose helper's code it is in; NULL: it is in the kernel's
    int access;                         // its number in the analysis
    int effect;                         // that it is in, if that is reductions alone; -1: it is not
};

// An update at an address that does not vary with the loop: done in an accumulator, one update of the memory at the
// end.
struct memory_reduction {
    struct reduced_update *updates; // of this one location; same type and update class
    int update_count;
    enum ir_update update;
    enum ir_type type;
    bool is_atomic; // one of the updates would have to be
    // The address is args[0] of the first: every value it depends on is invariant in the loop (params, variables not
    // assigned in it); in a helper, made of its parameters alone.
};

struct slice;

// An array that the loop only stores to, at places that are not followed: see offload/scatter.c.
struct scatter {
    int base;
    int64_t granule; // bytes that one mark stands for
    int param;       // the kernel's hidden parameter that holds the marks, the next one counts them; set by offload
};

struct loop_facts { // ir_for.analysis of every FOR in a kernel after analyse_loops(); from |effects| to |cost| after
                    // analyse_effects()
    struct plan_expr
        *trip; // i64, at the loop's entry; NULL: not expressible (init or bound reads memory): offload makes a slot
    struct plan_expr *cost;       // i64: simple operations an iteration, inner trip counts multiplied in; NULL: unknown
    struct plan_expr *plain_cost; // the same of the loop in order: the updates that iterations share are not atomic
    struct plan_effect *effects;
    int effect_count;
    struct plan_pair *pairs;
    int pair_count;
    struct plan_condition *conditions;
    const struct need *const *needs; // by condition: the value that must fit its type; NULL: it says something else
    int condition_count;
    struct memory_reduction *reductions;
    int reduction_count;
    struct scatter *scatters; // IR_VERDICT_SCATTER
    int scatter_count;
    const struct slice *slice;    // of the places of their stores
    struct plan_expr *mark_cost;  // i64, as |cost|: what an iteration takes to mark its places and to look at the marks
    bool parallel_but_for_blocks; // in order, because stream_parallel blocks are in it, and only for that
    enum plan_advice advice;      // in order, only because an index is not followed
    const char *advice_place;     // the element that the advice is about; NULL: none
    bool independent_by_updates;  // independent only because iterations update the same memory
    bool may_fail;
    bool may_print;
    struct ir_inst **shared; // UPDATEs of memory that another iteration may touch
    int shared_count;
    struct analysis *analysis; // that the facts are from, and the loop there: for at_outer.c
    const struct loop_info *info;
};

// Fills ir_for.verdict, roles, reason, reason_loc_a/b and analysis of every FOR of the kernel, and ir_inst.base of
// every access. Errors and warnings about the program itself go to |diags|.
void analyse_loops(struct ir_module *module, struct ir_function *kernel, struct diags *diags);
// Fills the effects and costs of every FOR, once it is known which updates are atomic: see passes/atomics.h.
void analyse_effects(struct ir_module *module, struct ir_function *kernel, struct diags *diags);

// Whether another iteration of |loop| may touch what the UPDATE |update| in it updates. UPDATE.atomic says it for the
// loop that becomes the task; this for any loop, if another one is taken.
bool facts_is_shared(const struct ir_inst *loop, const struct ir_inst *update);

// cost.c: operations of one run of the loop |inner| inside |outer|, at the entry of |outer|, with the variables of
// loops in the middle of their ranges: what an average run takes. NULL: a trip count in it is not known there.
struct plan_expr *facts_work_inside(const struct ir_function *kernel, const struct ir_inst *outer,
                                    const struct ir_inst *inner);
// The same of its iterations.
struct plan_expr *facts_trips_inside(const struct ir_function *kernel, const struct ir_inst *outer,
                                     const struct ir_inst *inner);

// choose.c: whether the independent loop |loop| is taken as a task rather than a loop inside it. The task is the
// outermost independent loop, passing over one that has few iterations where a loop inside it is independent, without
// updates that iterations share, and may have many. What depends on trip counts that only the launch knows is settled
// there: see offload/short_loops.c.
bool facts_choose(const struct ir_inst *loop);
// Whether the loop is parallel only because the author said so: by a pragma, or by explicit atomics whose order shows.
bool facts_is_trusted(const struct ir_inst *loop);
bool facts_has_few_iterations(const struct ir_inst *loop);  // whether the source itself says so
bool facts_is_not_blocks(struct ir_inst *inst, void *user); // for walks: false at a BLOCKS instruction

// at_outer.c: of a loop inside another one what is known where the outer one begins, for all of that one's iterations.
// The condition |number| of |inner|; NULL: it cannot be told there by the analysis.
struct plan_expr *facts_condition_at(const struct ir_inst *inner, int number, const struct ir_inst *outer);
// What |inner| needs apart, as pairs of |outer|'s effects; false: an array of it is none of |outer|'s.
bool facts_pairs_at(const struct ir_inst *inner, const struct ir_inst *outer, struct plan_pair **out_pairs,
                    int *out_count);
// The most iterations that |inner| has in one of |outer|'s (i64), where its bounds are sums of variables of the loops
// around it and of what does not vary; it holds if all of |out_conditions| do. NULL: the bounds are others.
struct plan_expr *facts_most_trips_at(const struct ir_inst *inner, const struct ir_inst *outer,
                                      struct plan_condition **out_conditions, int *out_count);
// How many of the accesses in |outer| would be far apart if neighbours differed by one iteration of |loop|, each as
// often as the loops inside |innermost| around it suggest: each counts for so many iterations.
enum { FACTS_TRIPS_INSIDE = 16 };
int64_t facts_far_accesses(const struct ir_inst *outer, const struct ir_inst *innermost, const struct ir_inst *loop);

// The effects of straight-line code: of |count| consecutive instructions from |first| on (with all that is nested in
// them).
void effects_of_code(struct ir_module *module, struct ir_function *kernel, struct ir_inst *first, int count,
                     struct plan_effect **out_effects, int *out_count);

// The value as an expression over parameters and variables; NULL if it reads memory or is not pure. A `get` stands for
// the variable's value at the instruction's own place.
struct plan_expr *expr_of_value(struct arena *arena, const struct ir_inst *value);

// An effect of a block. Its region is what the indices say; where one of them might wrap, the launch tests whether it
// does, and takes the whole array then.
struct block_effect {
    struct plan_effect effect;
    struct plan_expr *only_if; // i1; NULL: always
};

void effects_of_block(struct ir_module *module, struct ir_function *kernel, struct ir_region *block,
                      struct block_effect **out_effects, int *out_count);

struct conflict_room;

// Blocks of one BLOCKS instruction: whether two effects conflict for any arguments, never, or by a test at launch.
enum conflict_answer { CONFLICT_NEVER, CONFLICT_TEST, CONFLICT_ALWAYS };
// The room in which effects are compared: many blocks are many pairs, which all use the same one.
struct conflict_room *conflict_room_create(struct arena *arena);
// Whether both are updates that may meet in one place, by the table of updates.
bool updates_may_meet(const struct plan_effect *a, const struct plan_effect *b);
enum conflict_answer effects_conflict(struct conflict_room *room, const struct block_effect *a,
                                      const struct block_effect *b);
// Whether the regions of one base are apart, but for indices that wrap.
bool effects_are_apart(struct conflict_room *room, const struct block_effect *a, const struct block_effect *b);

#endif

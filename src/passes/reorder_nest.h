// A nest of loops as the files of the reorder pass see it. reorder_statements.c cuts it into statements,
// reorder_depend.c finds what they depend on, reorder_schedule.c chooses an order, reorder_build.c and reorder_scan.c
// make the code of it, reorder_condition.c what the launch tests. reorder_split.c cuts loops in two at an iteration
// that the others depend on, reorder_levels.c orders the pieces for a GPU. reorder_tiles.c cuts loops into tiles.
// reorder_extents.c keeps the source's order where another one would leave too few iterations to share out.
// reorder_scalars.c gives loops scalars of their own.
//
// A statement is a run of instructions in the body of a loop of the nest, with all that is nested in it. It is executed
// once for each iteration of the loops around it, and each such execution stays as it is: only their order changes.
#ifndef RILL_PASSES_REORDER_NEST_H
#define RILL_PASSES_REORDER_NEST_H

#include "analysis/dependence/dependence.h"
#include "base/vec.h"
#include "passes/reorder.h"

enum {
    NEST_STATEMENTS = 32,
    NEST_SOURCE_STATEMENTS = 16, // before any is split
    NEST_DEPTH = 6,
    NEST_ACCESSES = 64,
    NEST_DEPENDENCES = 400,
    NEST_INSTRUCTIONS = 3000,
    NEST_PAIRS = 32,
};

typedef uint32_t statement_set; // a bit for each statement

// The iterations of a loop that a piece of a statement has, where the loop is split at a pivot.
enum side {
    SIDE_ALL, // the loop is not split
    SIDE_BELOW,
    SIDE_AT,
    SIDE_ABOVE,
};

enum { NEST_LEFT_OUT = 4 };

struct run { // instructions of one region
    struct ir_inst *first;
    struct ir_inst *last;
};

struct statement {
    struct ir_inst *first; // both in one region
    struct ir_inst *last;
    struct loop_info *loops[NEST_DEPTH]; // of the nest around it, outermost first
    int depth;
    int accesses[NEST_ACCESSES]; // numbers in the analysis
    int access_count;
    enum side sides[NEST_DEPTH];
    const struct poly *pivots[NEST_DEPTH]; // of loops that are split: a value that loops further out determine
    struct run left_out[NEST_LEFT_OUT];    // parts of it that are statements of their own
    int left_out_count;
    bool is_pinned[NEST_DEPTH]; // SIDE_AT: no loop is made for it, its variable is the pivot
};

// An execution of statement |from| comes before one of |to|, and access |a| of the one may touch what |b| of the other
// does. They are in the same iteration of the first |level| loops that both are in; of the next one, if there is one,
// |from| is in an earlier iteration.
struct dependence {
    int from;
    int to;
    int a;
    int b;
    int level;
};

struct base_pair { // two arguments that must not overlap
    int a;
    int b;
};

struct loop_nest {
    struct ir_module *module;
    struct ir_function *kernel;
    struct analysis *an;
    struct loop_info *root;
    struct statement statements[NEST_STATEMENTS]; // in program order
    int statement_count;
    bool *is_assigned; // by variable: in the nest, other than by a loop that counts with it, or as below
    bool *is_reduced;  // by variable: the nest only updates it, in a way that commutes: the order does not matter
    VEC(struct dependence) dependences;
    uint8_t *distances; // what is known of each dependence by the loops it is looked at with: see reorder_depend.c
    struct base_pair pairs[NEST_PAIRS];
    int pair_count;
    VEC(struct plan_condition) conditions;
    bool bounds_by_extents; // where no test can narrow what an index reaches: its footprint is all of the array
    bool is_refused;        // while it is looked at: too large, or something in it must stay as it is
};

// What becomes of some of the statements.
enum order_kind {
    ORDER_LOOP, // a loop around |first|, and so on: of each statement the loop |loops[s]| of its own
    ORDER_REST, // the statements in the source's order, in those of their loops that have none yet
};
struct order {
    enum order_kind kind;
    statement_set statements;
    int loops[NEST_STATEMENTS]; // ORDER_LOOP: of each statement, the number of the loop; they run side by side
    bool is_parallel;           // ORDER_LOOP
    // ORDER_LOOP: a wavefront, if any weight is not 0. It counts the sum of the loops that all of the statements are
    // in, each by its weight and in the direction in which it counts; the loop |solved|, of weight 1, follows from that
    // sum and the others.
    int weights[NEST_DEPTH];
    int solved;
    bool is_strip; // ORDER_LOOP: runs in strips, the iterations of each in the loop's own place in the source
    // ORDER_LOOP: the loops |tiled| are cut into tiles. Diagonals of tiles run in order, the tiles of each are
    // parallel, and their iterations are in the loops' own places. |lean|: by how many iterations of the second loop a
    // tile begins earlier with each iteration of the first.
    bool is_tiled;
    int tiled[2];
    int lean;
    struct order *first; // ORDER_LOOP: what is in it
    struct order *next;  // what comes after it
};

// reorder_scalars.c: before the nest is analysed, which has loops inside.
void nest_rename_scalars(struct ir_module *module, struct ir_function *kernel, struct ir_inst *root);

// reorder_statements.c: false if the nest must stay as it is.
bool nest_find_statements(struct loop_nest *nest);
bool nest_is_inside(const struct ir_inst *inst, const struct statement *statement);
bool nest_is_in_run(const struct ir_inst *inst, const struct run *run);
// The runs of a region that stay together, in |out|, of at most |room|. -1: there are more.
int nest_find_runs(struct loop_nest *nest, struct ir_region *region, struct run *out, int room);
// Whether the loop, in |loops|, may be one of the nest: its bounds are followed.
bool nest_is_member(const struct loop_nest *nest, const struct ir_inst *inst, struct loop_info *const *loops,
                    int depth);
struct loop_info *nest_info_of(const struct loop_nest *nest, const struct ir_inst *inst);
// Whether |inst| mentions a scalar that has another value elsewhere in the nest.
bool nest_mentions_carried(const struct loop_nest *nest, const struct ir_inst *inst, const struct ir_var **out_var);

// reorder_peel.c: parts of loops in the run that may be statements of their own, executed before the rest of it. They
// are left out of |rest|. |loops| are the |depth| loops around it.
int nest_peel(struct loop_nest *nest, struct statement *rest, struct run *out_parts, struct ir_inst **out_loops);
// The loop around the `get` that counts with its variable, up to the root; NULL: none.
const struct ir_inst *nest_counting_loop(const struct loop_nest *nest, const struct ir_inst *get);
// Whether the value may be computed wherever its operands are known: it does not read what the nest writes.
bool nest_is_movable(const struct loop_nest *nest, const struct ir_inst *value);

// The value is made of what does not change in the nest and of the variables of the first |depth| loops.
bool nest_is_followed(const struct loop_nest *nest, const struct poly *value, struct loop_info *const *loops,
                      int depth);

// reorder_depend.c: false if there are too many.
bool nest_find_dependences(struct loop_nest *nest);
// An order that is the source's needs two arguments apart only where values loaded from the one are computed anew in
// each statement that uses them, behind what is written to the other. Other pairs are dropped.
void nest_keep_pairs_of_values(struct loop_nest *nest);
// Of two accesses of the nest whether they may meet in iterations of which the relations hold. What must hold for them
// not to is noted for the launch.
bool nest_may_meet(struct loop_nest *nest, int a, int b, const struct pair_relation *relations, int count);
// By how much the variable of |y| in the second iteration is larger than that of |x| in the first, in the order in
// which they count.
const struct poly *nest_way(struct loop_nest *nest, const struct loop_info *x, const struct loop_info *y);
// Whether the statement's accesses of these numbers have to be compared: one writes, and no others stand for them.
bool nest_are_ordered(const struct loop_nest *nest, const struct statement *x, int i, const struct statement *y, int k);
// How far |to| is behind |from| in a common loop made of loop |x| of the one and |y| of the other.
struct distance {
    bool may_be_negative;
    bool may_be_zero;
    bool may_be_positive;
};
struct distance nest_distance(struct loop_nest *nest, int dependence, int x, int y);
// The same in a wavefront over loops that both are in.
struct distance nest_wave_distance(struct loop_nest *nest, int dependence, const int *weights);

// reorder_schedule.c: NULL if the source's order is as good. |out_is_parallel|: in it, too, what is deepest in the nest
// is in parallel loops, and in no wavefront or tiles: a split at a pivot is better than these.
struct order *nest_schedule(struct loop_nest *nest, bool *out_is_parallel);

// reorder_rows.c: for a CPU, the loops of the statements that are not |used|, the outermost first, in an order whose
// innermost loop runs along memory as the source's does not; the first one is parallel. How many there are; 0: the
// source's order is as good, or must stay.
int nest_rows(struct loop_nest *nest, const bool *active, statement_set set, const uint8_t *used, int *out_loops);

// reorder_tiles.c: for a CPU, two loops of statements of which no loop is parallel, cut into tiles. False: there are
// none.
bool nest_tiles(struct loop_nest *nest, const bool *active, statement_set set, const uint8_t *used, struct order *out);

// reorder_split.c: an order of pieces of the statements, which then take their place; NULL: none makes a loop parallel.
struct order *nest_split(struct loop_nest *nest);
// Of an iteration of the piece: it lies on its sides of the pivots. |is_second|: of a pair, the second one.
int nest_side_relations(struct loop_nest *nest, const struct statement *piece, bool is_second,
                        struct pair_relation *out);

// Whether by their sides alone accesses number |i| of the one piece and |k| of the other do not meet, in the same
// iteration of the first |level| loops and, if there is one, different ones of the next: most do not, and need no other
// test.
bool nest_are_beside(struct loop_nest *nest, const struct statement *x, int i, const struct statement *y, int k,
                     int level);

// reorder_levels.c: an order of the pieces in which those that do not depend on each other run together. The first
// |outer| loops are all of theirs and run in order. NULL: pieces depend on each other in a circle, or on themselves.
struct order *nest_levels(struct loop_nest *nest, int outer);

// reorder_extents.c: false if the source's order, in parallel by shared updates, is better than this one, which avoids
// them. |out_test|: what the launch must find for the new order to be the better one; NULL: nothing.
bool nest_is_long_enough(struct loop_nest *nest, const struct order *order, struct plan_expr **out_test);

// reorder_build.c: the code of the order, at |to|. False: it cannot be written; what was emitted is to be dropped.
bool nest_build(struct loop_nest *nest, const struct order *order, struct ir_builder *to);

// reorder_condition.c: what the launch tests before it takes the new order. False: it cannot be tested. |out| is NULL
// if there is nothing to test.
bool nest_build_test(struct loop_nest *nest, struct ir_builder *to, struct ir_inst **out);
struct ir_inst *nest_emit_expr(struct ir_builder *to, struct ir_function *kernel, const struct plan_expr *expr);

#endif

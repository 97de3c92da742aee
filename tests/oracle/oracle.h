// What isl says of a kernel's nests, held against what the passes made of them. A nest is extracted from the IR twice:
// as it stands before the pass `reorder`, and behind the passes that order and judge loops. Integers become isl's
// quasi-affine expressions over the loops' variables, with the kernel's scalar arguments as numbers, so that the byte
// offset of an element is one too. Nothing of src/analysis is asked for any of it.
//
// How an access of the new code is known to be one of the old code, in which iteration of the old loops: before the
// passes run, each access of a nest gets further operands, the variables of the loops around it. Nobody looks at
// operands that an operation does not have, and who copies an instruction copies all of them.
//
// Three questions are asked:
//   order     does each access of the source run exactly once, at the same place, and each that depends on another
//             still after it (compare.c)?
//   verdicts  does a loop that is called parallel carry no dependence (verdict.c)?
//   missed    which loops in order carry none, and where does isl's scheduler find more parallel loops (verdict.c,
//             schedule.c)? That is no fault, and is counted.
#ifndef RILL_TESTS_ORACLE_ORACLE_H
#define RILL_TESTS_ORACLE_ORACLE_H

#include "base/str.h"
#include "ir/ir.h"
#include "plan/plan.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_DEPTH = 10, ORACLE_ACCESSES = 160, ORACLE_STORAGES = 64, ORACLE_LOOPS = 64, ORACLE_GUESSES = 6 };

// ---- value.c -------------------------------------------------------------------------------------------------------

enum value_kind { VALUE_UNKNOWN, VALUE_NUMBER, VALUE_TRUTH, VALUE_ADDRESS };

struct value { // over the variables of the loops that the walk stands in
    enum value_kind kind;
    isl_pw_aff *number; // owned; ADDRESS: bytes behind the base
    isl_set *truth;     // owned; where it holds
    int base;           // as in ir/points_to.h
    int64_t low, high;  // of the number
    int64_t multiple;   // of which every value is one; 0: it is always 0
};

struct walk { // through one nest of a kernel
    isl_ctx *ctx;
    const struct ir_function *kernel;
    const int64_t *arguments;                  // of scalar parameters
    const int64_t *places;                     // of array parameters in one memory; NULL: each has its own
    const struct ir_inst *loops[ORACLE_DEPTH]; // around where it stands
    int64_t lows[ORACLE_DEPTH];                // of their variables
    int64_t highs[ORACLE_DEPTH];
    int64_t multiples[ORACLE_DEPTH];
    int depth;
    isl_set *domain;  // owned: the iterations that come here
    isl_set *context; // owned: of values that are known nowhere, but do not change in the nest
    isl_set *inside;  // owned: where the indices of an address lie in their extents; NULL: nobody asks
    int budget;       // operations of one value
};

struct value value_of(struct walk *walk, const struct ir_inst *inst);
int64_t value_size_of(struct walk *walk, const struct ir_param *param); // bytes of an array
struct value value_of_expr(struct walk *walk, const struct plan_expr *expr, const struct ir_inst *at); // before |at|
void value_finish(struct value *value);
struct value value_copy(const struct value *value);
isl_space *walk_space(const struct walk *walk);
isl_pw_aff *walk_variable(const struct walk *walk, int loop);
// Whether the number is never negative where the walk stands.
bool value_is_natural(struct walk *walk, const struct value *value);

// ---- what is extracted ---------------------------------------------------------------------------------------------

struct storage {              // what two accesses must share to depend on each other
    int base;                 // 0: a scalar
    const struct ir_var *var; // scalars and locals; NULL: others
    bool is_followed;         // each access of it
    bool is_written;
    int64_t unit; // bytes
};

struct guess {                  // a condition that is not known, and is taken to hold or not
    const struct ir_inst *inst; // IF
    int branch;
    int depth; // loops around it
};

struct access {
    const struct ir_inst *inst;
    int number; // in the source: an access of the new code has the number of that of which it is a copy; -1: none
    int storage;
    bool is_read;
    bool is_write;
    const struct ir_inst *conditions[ORACLE_GUESSES]; // of the IFs around it, the outermost ones
    int condition_count;
    struct guess guesses[ORACLE_GUESSES]; // of these, those that are not known
    int guess_count;
    bool is_sure;       // where the guesses hold, it runs in every iteration of its domain
    isl_pw_aff *offset; // owned; NULL: not followed
    int64_t size;
    isl_set *domain; // owned
    const struct ir_inst *loops[ORACLE_DEPTH];
    bool falls[ORACLE_DEPTH]; // as they stood when the model was made
    int depth;
    int own_depth; // of a scalar: so many loops from the outside on have one of their own in each iteration
    int order[ORACLE_DEPTH + 1]; // in each loop's body, by the text: of the next loop, or of itself
    isl_map *source; // owned: from the iterations of the loops around it to those of the source's; NULL: not known
    int source_depth;
    isl_map *touches; // owned: from its iterations to units of the storage
};

struct nest_loop {
    const struct ir_inst *inst;
    int depth;
    isl_set *holds; // owned: where the conditions of its verdict hold; NULL: not followed
};

struct model { // a nest
    const struct ir_function *kernel;
    struct access accesses[ORACLE_ACCESSES];
    int access_count;
    struct nest_loop loops[ORACLE_LOOPS];
    int loop_count;
    const char *refused; // why it could not be extracted; NULL: it was
    struct loc refused_at;
};

struct storages { // of a nest, before and after
    struct storage items[ORACLE_STORAGES];
    int count;
};

struct extraction {
    isl_ctx *ctx;
    struct ir_function *kernel;
    const int64_t *arguments;
    const int64_t *places; // of arrays that overlap; NULL: none do
    int nest;              // its number in the kernel
    struct storages *storages;
};

// ---- tags.c --------------------------------------------------------------------------------------------------------

struct tag {
    int number; // of the access in the kernel
    int nest;
    int depth; // loops around it
};

bool tag_is_memory(enum ir_op op);                     // it touches memory, and nothing else
const struct tag *tag_of(const struct ir_inst *inst);  // NULL: none
int tag_number(const struct ir_inst *inst, int which); // of the access that operand |which| is the address of; -1: none
int tag_nest(const struct ir_inst *inst);              // -1: none
// Numbers the accesses of a kernel's nests and gives them the operands by which they are known again. Returns the
// number of nests: of its outermost canonical loops.
int tags_add(struct ir_module *module, struct ir_function *kernel);

// ---- extract.c, model.c --------------------------------------------------------------------------------------------

// |with_conditions|: behind the analysis.
void model_extract(const struct extraction *from, bool with_conditions, struct model *out);
// Once both are extracted.
void model_settle(const struct extraction *from, struct model *model);
void model_finish(struct model *model);

// ---- order.c -------------------------------------------------------------------------------------------------------

int order_common(const struct access *a, const struct access *b); // loops around both
// From iterations of |a| to those of |b| that run later; or: that do not.
isl_map *order_before(const struct access *a, const struct access *b);
isl_map *order_not_before(const struct access *a, const struct access *b);
// From iterations of |a| to those of |b| that touch what it touches.
isl_map *order_meets(const struct access *a, const struct access *b);
bool order_counts(const struct access *a, const struct access *b); // one of them writes
// The order of two that touch one place shows in neither of them: updates that commute, or stores of one constant.
bool order_is_free(const struct access *a, const struct access *b);
void order_describe(isl_map *pairs, char *out, size_t size); // one of the pairs, in words

// ---- flow.c --------------------------------------------------------------------------------------------------------

// The guess of |write| that |read| does not share; NULL: it shares all. False: there are more of them. |*depth| becomes
// at least that of the loops in whose same iteration the shared ones are the same.
bool flow_guess(const struct access *write, const struct access *read, int *depth, const struct guess **out);

enum { ORACLE_HALVES = 16 };

struct halves { // what holds behind either branch of a condition that is not known: what both have holds behind both
    const struct ir_inst *inst[ORACLE_HALVES];
    isl_map *known[ORACLE_HALVES][2]; // owned
};

void flow_note(struct halves *halves, const struct guess *guess, isl_map *known); // takes |known|
isl_map *flow_subtract(isl_map *from, struct halves *halves);                     // takes both

// From assignments of a scalar to the reads of it that may see what they assign.
isl_map *flow_of(const struct model *model, const struct access *write, const struct access *read);

// ---- compare.c, verdict.c, schedule.c -------------------------------------------------------------------------------

enum { ORACLE_FREE = 128 };

struct free_loop { // in order, as the passes say
    const struct ir_inst *inst;
    bool runs;       // twice or more, for some arguments
    bool is_carrier; // it carries a dependence, for some arguments
    bool is_inside;  // a parallel loop is around it
};

struct findings {
    struct str *complaints; // a line for each
    struct str *missed;     // a line for each
    const char *file;
    int complaint_count;
    int dependence_count; // pairs of accesses of which some depend
    int claimed_count;    // loops that are called parallel and were looked at
    int unclaimed_count;  // loops whose conditions are not followed
    int missed_count;
    int scheduled_count;                 // nests of which isl's scheduler was asked, and answered
    int deeper_count;                    // nests in which isl's scheduler finds more parallel loops
    int late_count;                      // nests of which it finds no schedule in time
    struct free_loop loops[ORACLE_FREE]; // of the file
    int loop_count;
    bool wants_schedule;
};

__attribute__((format(printf, 3, 4))) void complain(struct findings *findings, struct loc loc, const char *format, ...);
void compare_order(const struct storages *storages, const struct model *before, const struct model *after,
                   struct findings *findings);
void check_verdicts(const struct storages *storages, const struct model *after, struct findings *findings);
void list_missed(struct findings *findings); // of a file, once all arguments have been tried
void compare_schedule(isl_ctx *ctx, const struct storages *storages, const struct model *before,
                      const struct model *after, struct findings *findings);

// Lets isl work, for so long; after that all its answers are errors. NULL: no more limit.
void oracle_limit(isl_ctx *ctx, int milliseconds);

// ---- check.c -------------------------------------------------------------------------------------------------------

enum { ORACLE_REASONS = 24, ORACLE_SETS = 3, ORACLE_OVERLAPS = 2 };

struct oracle_counts {
    int kernel_count;
    int nest_count;
    int checked_count;   // nests, each with several sets of arguments
    int reordered_count; // of these: they run in another order than in the source
    int partly_count;    // of these: some arrays in them have accesses that are not affine
    struct {
        const char *why;
        int count;
    } skipped[ORACLE_REASONS];
};

struct oracle {
    struct findings findings;
    struct oracle_counts counts;
    bool is_gpu;
    const struct ir_function *late; // the kernel of which isl took too long with some arguments
    bool says_skipped;              // a line for each in |findings.missed|
    // Spoils what the passes made of a kernel; NULL: nobody does.
    bool (*spoil)(struct ir_module *module, struct ir_function *kernel);
    bool is_spoilt; // it did
};

// Checks every nest of every kernel of a file. False: it does not compile.
bool oracle_check(struct oracle *oracle, const char *path, const char *text);
// The loops behind the passes, and what is said of them: with the operands that mark accesses, or without.
void oracle_list_loops(const char *path, const char *text, bool with_marks, struct str *out);

#endif

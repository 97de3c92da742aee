// Scalars of a loop: how its body uses them, and whether anything reads them afterwards.
#ifndef RILL_ANALYSIS_SCALARS_SCALARS_H
#define RILL_ANALYSIS_SCALARS_SCALARS_H

#include "analysis/values/analysis.h"

struct scalar_use {          // of one variable in one loop
    struct ir_inst *exposed; // a read that may see the value of another iteration
    struct ir_inst *write;   // some assignment
    struct ir_inst *get;     // some read that is no update
    struct ir_inst *update;  // some update
    int get_count;
    int set_count;
    int update_count;
    bool is_mixed;       // updates of different forms
    bool always_written; // on every way through an iteration
};

// By variable index, in |scratch|. |loop| is a FOR.
struct scalar_use *scalars_use(struct poly_pool *scratch, const struct ir_function *function, struct ir_inst *loop);
// The same for code that runs once.
struct scalar_use *scalars_use_region(struct arena *arena, const struct ir_function *function,
                                      struct ir_region *region);
// Whether the variable's value after |inst| may be read.
bool scalars_live_after(const struct ir_inst *inst, const struct ir_var *var);
bool scalars_is_declared_in(const struct ir_var *var, const struct ir_inst *loop);

struct selection { // if (e < x) { x = e; y = …; }
    struct ir_inst *inst;
    struct ir_var *var;
    enum ir_update update;
    const struct ir_region *branch; // that selects
    bool inclusive;
    bool unordered; // if (x <= e) {} else { x = e; … } of floats
};
// The selection whose variable is |var|, if that is all the loop does with it.
bool scalars_find_selection(struct ir_inst *loop, const struct scalar_use *uses, struct ir_var *var,
                            struct selection *out);

struct scalar_result {
    bool is_ok; // every scalar has a role
    const char *reason;
    struct loc loc_a;
    struct loc loc_b;
};
struct scalar_result scalars_find_roles(struct analysis *an, struct loop_info *info);
// Whether each iteration writes what it reads of the memory variable, and nothing reads it afterwards.
bool scalars_memory_is_private(struct analysis *an, struct loop_info *info, const struct ir_var *var);

#endif

// Two-level tasks on a GPU: a team of threads takes each iteration, and loops inside it are spread over the team.
#ifndef RILL_OFFLOAD_TEAM_H
#define RILL_OFFLOAD_TEAM_H

#include "offload/offload.h"

struct team {
    bool is_found;
    struct ir_inst **loops; // that are spread, none inside another
    int loop_count;
    struct ir_var **locals; // memory of the iteration that these loops write: one copy, which the team's threads share
    int local_count;
    struct nest tests;       // of the task: the outer loop's conditions and pairs, and what those inside need
    struct plan_expr *limit; // i64: iterations of the task up to which it is run by teams
    bool is_column;          // neighbouring iterations touch neighbouring places, rather than those of the loops inside
};

// The team of a chosen loop; found out when it is first asked for.
const struct team *team_of(struct offload *o, struct ir_inst *outer);
bool team_spreads(const struct team *team, const struct ir_inst *loop);
bool team_has_local(const struct team *team, const struct ir_var *var);

#endif

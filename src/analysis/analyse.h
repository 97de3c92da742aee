// The analysis of one kernel, from the walk to the facts that the offload pass reads (facts.h). The walk gives scalars
// their values and notes the accesses to memory (values/); what code touches is summed up (effects/), scalars get their
// roles (scalars/), and each loop is judged by the pairs of accesses made in two of its iterations (dependence/). Each
// folder uses only those before it.
#ifndef RILL_ANALYSIS_ANALYSE_H
#define RILL_ANALYSIS_ANALYSE_H

#include "analysis/facts.h"
#include "analysis/values/analysis.h"

struct analysis *analysis_create(struct ir_module *module, struct ir_function *kernel, struct diags *diags);
#ifdef RILL_PLANTED_BUGS
// analyse_loops(), with a bug for tests to find.
void analyse_with_bug(struct ir_module *module, struct ir_function *kernel, struct diags *diags, enum planted_bug bug);
#endif

// cost.c
// Of the instruction itself, without what is inside it.
int64_t cost_of_inst(const struct ir_inst *inst);
void cost_fill(struct analysis *an, struct loop_info *info, struct loop_facts *facts);

#endif

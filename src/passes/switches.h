// A switch that holds loops or stream_parallel blocks becomes branches, which are control: its loops are tasks then,
// and the launch decides which of them run.
#ifndef RILL_PASSES_SWITCHES_H
#define RILL_PASSES_SWITCHES_H

#include "ir/ir.h"

void switches_to_branches(struct ir_module *module, struct ir_function *kernel);

#endif

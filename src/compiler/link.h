// The last step for AMD GPUs: what the code generator emits is relocatable, what the runtime loads is linked.
#ifndef RILL_COMPILER_LINK_H
#define RILL_COMPILER_LINK_H

#include "codegen/codegen.h"

// Links the code in place. Stand-in code behind it stays behind it.
RILL_NODISCARD rill_status compiler_link(struct codegen_output *code);

#endif

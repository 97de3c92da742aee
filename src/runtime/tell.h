// What the library says by itself of a module that nobody asked the diagnostics of (rill_module_options.diagnostics):
// the compiler's warnings when it is made, and of each kernel, at its first launch, which of its loops run in order
// although nobody asked for that.
#ifndef RILL_RUNTIME_TELL_H
#define RILL_RUNTIME_TELL_H

#include "runtime/args.h"

// All warnings but those of loops.
void tell_warnings(struct context *context, const struct compiler_result *result);
bool tell_has_loops(const struct plan_kernel *plan);
// Once, whichever launch comes first: a warning where the arguments make the loop a long one, else a note.
void tell_loops(const struct packed_args *packed, struct kernel *kernel);

#endif

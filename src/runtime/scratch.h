// Memory that a stream lends to its launches, for hidden parameters that want some (plan_param.scratch). Work of one
// stream runs in order, so that one buffer serves every launch on it; nothing is ever read there that the launch itself
// has not written. A launch for which there is none runs without: its plan has a way that needs no scratch.
#ifndef RILL_RUNTIME_SCRATCH_H
#define RILL_RUNTIME_SCRATCH_H

#include "runtime/args.h"
#include "runtime/stream.h"

struct scratch;

// Fills in the hidden parameters of |packed| for a launch on |stream|. What is returned goes to scratch_return() once
// the launch is queued, or has failed; NULL: nothing was lent.
struct scratch *scratch_lend(struct packed_args *packed, struct stream *stream);
void scratch_return(struct scratch *scratch, struct stream *stream);
// All work of the stream has run.
void scratch_destroy(struct scratch *scratch);

#endif

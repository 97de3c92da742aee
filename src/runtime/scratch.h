// Memory that a stream lends to its launches, for hidden parameters: arrays of the kernel's own
// (plan_param.is_scratch), and marks of scatters (plan_param.scratch). Work of one stream runs in order, so that one
// buffer serves every launch on it; nothing is ever read there that the launch itself has not written. Without memory
// for its own arrays a launch fails; without any for marks it runs another way.
//
// A launch that is captured into a graph of the driver runs again, whenever and wherever the graph does: its memory
// belongs to the graph.
#ifndef RILL_RUNTIME_SCRATCH_H
#define RILL_RUNTIME_SCRATCH_H

#include "runtime/args.h"
#include "runtime/stream.h"

struct scratch;

// Fills in the hidden parameters of |packed| for a launch on |stream|. What |out_scratch| gets goes to scratch_return()
// once the launch is queued, or has failed; NULL: nothing was lent.
rill_status scratch_lend(struct packed_args *packed, struct stream *stream, struct scratch **out_scratch);
void scratch_return(struct scratch *scratch, struct stream *stream);
// All work of the stream has run.
void scratch_destroy(struct scratch *scratch);

#endif

// An operation in a stream's queue. It lies at the head of what it needs to know.
#ifndef RILL_BACKEND_CPU_OP_H
#define RILL_BACKEND_CPU_OP_H

#include <stdbool.h>

struct cpu_segment;

enum cpu_op_kind {
    CPU_OP_LAUNCH,
    CPU_OP_COPY,
    CPU_OP_FILL,
    CPU_OP_NOTIFY,
    CPU_OP_RECORD,
    CPU_OP_WAIT,
    CPU_OP_BLOCK, // a block of another stream's launch
    CPU_OP_END,   // the stream was destroyed
};

struct cpu_op {
    enum cpu_op_kind kind;
    bool keeps_lanes; // a launch with blocks
    struct cpu_op *next;
    struct cpu_segment *segment; // whose memory it is; NULL: the block's own
};

#endif

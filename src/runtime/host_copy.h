// Host memory passed to a launch on a device that does not see it: copied there before and back afterwards, in stream
// order. Ranges that overlap share one copy, as they share their bytes.
#ifndef RILL_RUNTIME_HOST_COPY_H
#define RILL_RUNTIME_HOST_COPY_H

#include "runtime/args.h"
#include "runtime/stream.h"

struct host_copy {
    char *low; // of the host
    char *high;
    char *memory; // of the device; owned until the stream is past the launch
    size_t size;
    char *address; // in it: where |low| is
    int param_count;
    bool is_read;    // its bytes matter to the kernel
    bool is_written; // the kernel may change them
};

struct host_copies {
    struct host_copy items[RILL_MAX_ARGS];
    int count;
};

// Makes the copies, queues what the kernel reads, and puts their addresses into the arguments. host_copies_end() must
// follow also after a failure.
rill_status host_copies_begin(struct host_copies *copies, struct packed_args *packed, struct stream *stream);
// Queues the way back if |status|, that of the launch, is RILL_OK, and lets the copies go behind it.
rill_status host_copies_end(struct host_copies *copies, struct packed_args *packed, struct stream *stream,
                            rill_status status);

#endif

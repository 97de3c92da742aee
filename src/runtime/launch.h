// A launch whose arguments are packed, as whoever queues it has it.
#ifndef RILL_RUNTIME_LAUNCH_H
#define RILL_RUNTIME_LAUNCH_H

#include "runtime/args.h"
#include "runtime/stream.h"

// Where a launch puts what its kernel returns.
struct launch_result {
    void *address;                // NULL: nowhere
    size_t size;                  // of the returned value, if |address| is set
    bool is_host;                 // |address| is the host's
    struct backend_error *caller; // set: the caller waits for the launch and takes its failure
    bool is_ordered;              // the order's lock is held
    const char *place;            // where the call stands in the program; NULL: not known
};

// Queues it, in no order but the stream's.
rill_status launch_queue(struct packed_args *packed, const struct pinned_stream *on,
                         const struct launch_result *result);

// Whether the array takes what the kernel returns.
rill_status launch_check_result(const char *who, const struct kernel *kernel, const struct array *array);

#endif

// Host memory passed to a launch on a device that does not see it: what of it the kernel reads and writes. Arguments
// that overlap are one range, as they share their bytes.
#ifndef RILL_RUNTIME_HOST_RANGE_H
#define RILL_RUNTIME_HOST_RANGE_H

#include "runtime/args.h"

struct host_ranges {
    struct backend_host_range items[RILL_MAX_ARGS];
    int count;
};

void host_ranges_find(struct host_ranges *ranges, const struct packed_args *packed);

#endif

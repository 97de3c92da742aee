// Time that only goes forward, in nanoseconds since some fixed moment.
#ifndef RILL_BASE_CLOCK_H
#define RILL_BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_now(void);

#endif

// What a kernel file includes. The same text serves Rill, for which it is built in, and a plain C compiler, which
// builds the kernels as ordinary functions that run serially.
//
//   kernel, RILL_KERNEL                     marks a function that the host can launch
//   stream_parallel, RILL_STREAM_PARALLEL   before a block: the block may overlap with its neighbours
//   rill_atomic_add …                          updates of one place, in any order, that return the old value
//   rill_random_u32 …                         numbers that depend on a key and a counter alone
//
// With RILL_NO_SHORT_NAMES defined before it is included, `kernel` and `stream_parallel` stay ordinary names. Under a
// plain C compiler they are macros, so a file that uses them for something else must define it.
#ifndef RILL_KERNEL_H
#define RILL_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __RILL__

#define RILL_KERNEL __rill_kernel__
#define RILL_STREAM_PARALLEL __rill_stream_parallel__
#ifndef RILL_NO_SHORT_NAMES
#define kernel __rill_kernel__
#pragma rill short_names
#endif

#else

#define RILL_KERNEL
#define RILL_STREAM_PARALLEL
#ifndef RILL_NO_SHORT_NAMES
#define kernel
#define stream_parallel
#endif

#endif

#endif

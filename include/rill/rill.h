// Rill compiles data-parallel kernels written in plain C and runs them on CPU threads and GPUs.
//
//     RILL_AUTO_CONTEXT ctx = {0};
//     RILL_TRY(rill_open("auto", NULL, &ctx));
//     rill_kernel solve;
//     RILL_TRY(rill_kernel_load(ctx, "solve.c", "solve", &solve));
//     rill_array x;
//     RILL_TRY(rill_array_create(ctx, RILL_F32, RILL_SHAPE(n), &x));
//     RILL_TRY(rill_launch(solve, RILL_CURRENT, RILL_ARGS(n, x)));
//     RILL_TRY(rill_array_read(x, RILL_CURRENT, host, n * sizeof *host));
//
// OWNERSHIP. Everything is a handle: a struct with one 64-bit id, passed by value, owned by its context. Who creates an
// object may destroy it; what is left dies with the context (rill_close). Zero is no object and every call refuses it
// (RILL_ERR_NULL_HANDLE). A handle of something destroyed is RILL_ERR_STALE for ever: ids are never used again.
// Destroying is safe at any time: the handle is stale at once, the object itself goes when the last call and the last
// queued work that uses it are done. Text given through a `char **out_text` belongs to the caller: rill_free(). Other
// text belongs to the object that gave it. What a call takes by pointer it copies, unless it says otherwise.
//
// THREADS. Every call may be made from every thread, at any time, with any handle. Nothing about a launch is shared
// with another launch of the same kernel. Three things are per thread: the message, the current stream, and whether the
// thread runs a callback. Callbacks run on a thread of Rill's own, may call everything that does not wait, and get
// RILL_ERR_IN_CALLBACK from what does. After fork() the child's calls are RILL_ERR_FORKED. Rill starts its threads at
// the first launch, blocks signals in them and installs no handlers; a program may exit without closing anything. (One
// whose main thread ends by pthread_exit() closes its contexts, or Rill's threads keep the process for ever.) On the
// CPU a thread that waits may run what it waits for itself, in the place of one of Rill's; how it rounds, its errno
// and its current stream are not touched by that.
//
// ERRORS. Calls that can fail return a rill_status that must be looked at: RILL_OK, or a negative code (RILL_TRY
// returns it to the caller, RILL_IGNORE drops it in cleanup). rill_message() is the sentence that belongs to the
// calling thread's last failure. A create that fails leaves the zero handle. A call that fails has changed nothing, but
// for a launch of which a GPU's driver took only a part: see launch.h. Work that fails after its call returned leaves
// its error on its stream: see stream.h. Nothing is sticky but that. A kernel that fails an assertion or a check never
// ends the process: the launch ends, the context stays usable. What C leaves undefined and nothing checks is another
// matter: a store outside of every array is a SIGSEGV on the CPU, as in the plain build, or overwrites what lies there;
// on a GPU the driver refuses everything from then on (RILL_ERR_DEVICE). RILL_CHECK=bounds, or
// rill_module_options.check_bounds, makes it RILL_ERR_BOUNDS, before it is done. RILL_CHECK=races, or
// rill_module_options.check_races, makes two iterations that race RILL_ERR_RACE.
//
// WAITING. These calls wait, all others return at once: rill_close, rill_sync, rill_stream_destroy,
// rill_stream_synchronize, rill_event_synchronize, rill_array_read and _read_at, rill_array_write and _write_at (for
// the copy only), rill_array_transfer between two contexts, rill_field_read, rill_field_write, rill_call, the
// RILL_AUTO_ forms of contexts and streams at the end of their scope, and rill_launch when 4,096 launches are
// outstanding on its stream, or where a condition over device data decides what comes next and the device cannot decide
// that itself (readback_count).
#ifndef RILL_RILL_H
#define RILL_RILL_H

#include "rill/args.h"
#include "rill/array.h"
#include "rill/cache.h"
#include "rill/context.h"
#include "rill/event.h"
#include "rill/half.h"
#include "rill/host.h"
#include "rill/launch.h"
#include "rill/module.h"
#include "rill/package.h"
#include "rill/status.h"
#include "rill/step.h"
#include "rill/stream.h"
#include "rill/types.h"
#include "rill/variants.h"

#endif

// Launching kernels. Arguments are checked against the kernel's parameters before anything is queued: a launch that is
// refused leaves nothing behind. Arguments travel by value: what RILL_ARGS and RILL_STRUCT took may be changed as soon
// as the call returns.
//
// A launch that fails otherwise has not run either, with one exception. On a GPU a launch may be several calls of the
// driver, and where one fails behind others the rest of the launch cannot be taken back: what was queued runs. The call
// returns the failure ("kernel 'k' was launched only in part"), and its stream carries it like that of a kernel, with
// the kernel's name, until rill_stream_clear_error(). rill_call() waits for what was queued and leaves nothing on the
// stream. On the CPU a launch is queued whole or not at all.
#ifndef RILL_LAUNCH_H
#define RILL_LAUNCH_H

#include "rill/args.h"
#include "rill/module.h"
#include "rill/status.h"
#include "rill/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// Queues the kernel on |stream| and returns at once. A value that the kernel returns is dropped. If 4,096 launches are
// outstanding on the stream the call waits for the oldest, which is counted (ring_wait_count); in a callback it does
// not. On a GPU every 1,024th launch asks, so that there may be 1,023 more, and launches behind a callback that has not
// returned are counted for themselves: 4,096 of them, beside those that the driver has. Where the kernel's control
// depends on what its tasks compute, and the device lacks RILL_CAPABILITY_CONDITIONS, the call waits for that too
// (readback_count); in a callback it returns at once, and a thread of Rill's own waits. The CPU never waits so.
// |stream| may be RILL_ANY.
RILL_API RILL_NODISCARD rill_status rill_launch(rill_kernel kernel, rill_stream stream, rill_args args);

// The same, with the place in the program where the call stands, "main.c:41", for the reports of RILL_ORDER_CHECK; NULL
// is none. |place| lives as long as the call. In C and C++ a call of rill_launch() has its place by this macro.
RILL_API RILL_NODISCARD rill_status rill_launch_at(const char *place, rill_kernel kernel, rill_stream stream,
                                                   rill_args args);
#define RILL_LINE_NOW_(line) #line
#define RILL_LINE_(line) RILL_LINE_NOW_(line)
#define RILL_PLACE_ __FILE__ ":" RILL_LINE_(__LINE__)
#define rill_launch(...) rill_launch_at(RILL_PLACE_, __VA_ARGS__)

// Queues the kernel, waits for it and puts what it returned, a number or a struct, into |out_result|, which has |size|
// bytes: exactly those of the returned type. For a kernel that returns nothing, and to drop what it returns, pass NULL
// and 0. A failure of this kernel is returned and leaves no error on the stream; after any failure |out_result| is as
// it was.
RILL_API RILL_NODISCARD rill_status rill_call(rill_kernel kernel, rill_stream stream, rill_args args, void *out_result,
                                              size_t size);

// Queues the kernel; what it returns goes into the first element of |result| in stream order. The element type must be
// the returned type; for a struct RILL_RECORD of its size.
RILL_API RILL_NODISCARD rill_status rill_launch_result(rill_kernel kernel, rill_stream stream, rill_args args,
                                                       rill_array result);

#ifdef __cplusplus
}
#endif
#endif

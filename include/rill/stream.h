// A stream is a queue of device work that runs in the order it was given. Work on two streams may overlap unless an
// event orders it. Every call here returns before the work has run, except the ones that say they wait.
//
// Threads: any stream may be used from any thread.
// Lifetime: a stream dies with its context at the latest. A handle that outlives its stream is refused, never reused.
// Errors: a kernel that fails, or is launched only in part (launch.h), leaves its error on its stream. Until it is
// cleared, calls that queue work there return it and queue nothing, and streams that wait for an event behind it get it
// too. What was queued before that does not run on the CPU, and may run on a GPU: its stream reports the error in both
// cases. Records, waits and callbacks are queued all the same: that is how the error gets to those who wait for it.
#ifndef RILL_STREAM_H
#define RILL_STREAM_H

#include "rill/context.h"
#include "rill/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_stream {
    uint64_t id; // 0 is no stream: every call refuses it
} rill_stream;

static inline rill_stream rill_stream_current_(void)
{
    rill_stream stream;
    stream.id = UINT64_MAX;
    return stream;
}

// The calling thread's current stream of the context that the call names by another argument: the default stream until
// a scope sets another. A call that names nothing but a stream, such as rill_stream_synchronize(), takes what the
// thread's innermost scope has set, and without a scope the default stream of the only context that is open. Where that
// is ambiguous (scopes of several contexts; no scope and several contexts) it is RILL_ERR_INVALID: write
// rill_current_stream(context). Only destroying wants the stream's own handle.
#define RILL_CURRENT rill_stream_current_()

static inline rill_stream rill_stream_any_(void)
{
    rill_stream stream;
    stream.id = UINT64_MAX - 1;
    return stream;
}

// For rill_launch(), in a context with RILL_ORDER_AUTO: a stream of Rill's choice. What the launch follows is in the
// order of the calls in any case; what it does not need to follow it may overlap. The context makes up to 8 such
// streams, when they are first wanted, and keeps them; rill_stats.stream_count counts them.
#define RILL_ANY rill_stream_any_()

// All zero is the default.
typedef struct rill_stream_options {
    int priority; // above 0: its work is taken before that of other streams; below 0: after
    // In a context with RILL_ORDER_AUTO: what is queued here is ordered by events alone, and nobody follows it by
    // itself.
    bool is_unordered;
} rill_stream_options;

// Names the stream in reports, in 31 bytes at most; NULL or "" takes the name away.
RILL_API RILL_NODISCARD rill_status rill_stream_label(rill_stream stream, const char *label);

// Creates a stream on |context|. |options| may be NULL.
RILL_API RILL_NODISCARD rill_status rill_stream_create(rill_context context, const rill_stream_options *options,
                                                       rill_stream *out_stream);

// A stream that somebody else made, by the driver's own handle: on an NVIDIA GPU a CUstream, which is also what CUDA's
// runtime and PyTorch call a stream (torch.cuda.current_stream().cuda_stream); 0 is the legacy default stream, and
// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are themselves. Wrapping a stream that is wrapped, or that
// rill_stream_native() gave out, gives the same handle.
// What Rill queues there keeps its place among what others queue there. Rill never destroys such a stream; destroying
// the handle waits for what Rill has queued, synchronising waits for everything. The native stream must live longer
// than the handle. A per-thread default stream is used from the thread that wrapped it, and takes no callbacks.
//
// While a stream is being captured into a graph of the driver (cuStreamBeginCapture, torch.cuda.graph), launches,
// fills, copies of device or pinned memory and events on it are captured. What a launch needs beside its arguments then
// belongs to the graph; its module and its arrays must live as long as the graph is replayed. A kernel that fails when
// the graph runs leaves its error on the stream that was captured. What cannot be captured (waiting, callbacks, memory
// of the host, kernels that print or that wait for what their tasks compute) is RILL_ERR_CAPTURING and the capture goes
// on. rill_sync() waits for what was queued before the capture.
RILL_API RILL_NODISCARD rill_status rill_stream_wrap(rill_context context, void *native, rill_stream *out_stream);

// The driver's own handle of a stream, for others to queue on; it lives as long as the stream. Of a wrapped 0 it is
// CU_STREAM_LEGACY, the same stream's other name. On the CPU, as for rill_stream_wrap(), RILL_ERR_UNSUPPORTED.
RILL_API RILL_NODISCARD rill_status rill_stream_native(rill_stream stream, void **out_native);

// Waits for the stream's work, then destroys it. Returns the first failure of that work that no call has returned yet.
// The default stream is refused.
RILL_API RILL_NODISCARD rill_status rill_stream_destroy(rill_stream stream);

// Makes the handle stale at once and destroys the stream when its work has run. Does not wait; a failure goes to the
// log and is returned by the context's next rill_sync() or rill_close().
RILL_API RILL_NODISCARD rill_status rill_stream_destroy_later(rill_stream stream);

// Waits for everything queued so far. Returns the stream's error if it has one; it stays until it is cleared.
RILL_API RILL_NODISCARD rill_status rill_stream_synchronize(rill_stream stream);

// RILL_OK if everything queued so far has run, RILL_ERR_NOT_READY if not, or the stream's error. Does not wait.
RILL_API RILL_NODISCARD rill_status rill_stream_query(rill_stream stream);

// Work queued on |stream| from now on starts after what is queued on |other| so far. The host does not wait.
RILL_API RILL_NODISCARD rill_status rill_stream_wait(rill_stream stream, rill_stream other);

// Calls |callback| when everything queued so far has run; what is queued later waits for it to return. It runs on a
// thread of Rill's own. It may queue, look up and compile; a call that waits there is RILL_ERR_IN_CALLBACK. |status| is
// the stream's error at that point, or RILL_OK.
// A context has one such thread: its callbacks run one at a time, on whatever streams they are, and need no lock
// against each other. One that lasts holds up the callbacks of other streams and what is queued behind those, but no
// kernel else.
typedef void (*rill_stream_callback_function)(void *user, rill_status status);
RILL_API RILL_NODISCARD rill_status rill_stream_callback(rill_stream stream, rill_stream_callback_function callback,
                                                         void *user);

// The default stream of a context: a queue like the others. Zero, with a message, if the context is none.
RILL_API rill_stream rill_default_stream(rill_context context);
// What RILL_CURRENT means for |context| in the calling thread.
RILL_API rill_stream rill_current_stream(rill_context context);

// Makes |stream| the calling thread's current stream of its context until rill_scope_leave(), which restores what was
// current before. |scope| is owned by the caller, must stay where it is until then, and scopes are left in the opposite
// order of entering, by the same thread.
typedef struct rill_scope {
    uint64_t stream;          // private
    struct rill_scope *outer; // private
    uint64_t is_entered;      // private
} rill_scope;
RILL_API RILL_NODISCARD rill_status rill_scope_enter(rill_scope *scope, rill_stream stream);
RILL_API RILL_NODISCARD rill_status rill_scope_leave(rill_scope *scope);

// A host file that includes kernel files, to compare with them run serially, has `kernel` as a macro that kernel.h
// made: nothing. The member needs the word.
#pragma push_macro("kernel")
#undef kernel

// What a kernel's failure was. Texts are "" and numbers 0 where they do not apply.
typedef struct rill_error_info {
    rill_status status;
    char text[512];   // one sentence that says it all
    char kernel[128]; // the kernel that failed
    char file[256];   // where in its source
    uint32_t line;
    uint32_t column;
    int64_t iteration; // of the parallel loop, from 0; 0 too where the task ran in order, and |text| names none then
    char array[64];    // RILL_ERR_BOUNDS, RILL_ERR_RACE: the array's name in the source
    int64_t index;     // the index that is out of range; of a race the element, counted through all rows ...
    int64_t extent;    // ... and the extent it must stay below
    char shape[64];    // the extents of the array parameter or field, "[100][20]", where they are known
    uint64_t stream;   // the id of the stream the kernel ran on
    int64_t other_iteration; // RILL_ERR_RACE: the one that touches the element, too, ...
    uint32_t other_line;     // ... and where; 0: in another file
} rill_error_info;

#pragma pop_macro("kernel")

// The stream's error, RILL_OK in |out_info->status| if it has none. Looking costs no synchronisation.
RILL_API RILL_NODISCARD rill_status rill_stream_error(rill_stream stream, rill_error_info *out_info);
// Forgets the stream's error; the stream can be used again. Once it has returned, no call of any thread returns that
// error for the stream, unless a wait for an event behind the failure brings it again. What was queued before and fails
// later is another error. Cannot fail for a stream: only a handle that is none, or of one that was destroyed, is
// refused.
RILL_API RILL_NODISCARD rill_status rill_stream_clear_error(rill_stream stream);

// RILL_AUTO_STREAM s = {0}; destroys the stream at the end of the scope, waiting for its work. A handle still zero is
// skipped. A failure found there goes to the log and is returned by the context's next rill_sync() or rill_close().
RILL_API void rill_auto_stream(rill_stream *stream);
RILL_API void rill_auto_scope(rill_scope *scope);
#if defined(__GNUC__)
#define RILL_AUTO_STREAM __attribute__((cleanup(rill_auto_stream))) rill_stream
#define RILL_AUTO_SCOPE __attribute__((cleanup(rill_auto_scope))) rill_scope
#endif

#ifdef __cplusplus
}
#endif
#endif

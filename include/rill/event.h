// An event marks a place in a stream. Another stream, or the host, can wait until that place is reached.
//
// A wait means the last record made before the wait was queued, whatever happens to the event later: it may be recorded
// again or destroyed.
//
// Threads: any event may be used from any thread.
#ifndef RILL_EVENT_H
#define RILL_EVENT_H

#include "rill/context.h"
#include "rill/status.h"
#include "rill/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_event {
    uint64_t id; // 0 is no event: every call refuses it
} rill_event;

// All zero is the default.
typedef struct rill_event_options {
    bool without_time; // rill_event_elapsed() refuses it; it costs less, most of all on a GPU
} rill_event_options;

RILL_API RILL_NODISCARD rill_status rill_event_create(rill_context context, const rill_event_options *options,
                                                      rill_event *out_event);
// Does not wait. What already waits for the event goes on waiting for the place it marked.
RILL_API RILL_NODISCARD rill_status rill_event_destroy(rill_event event);

// Marks the place after everything queued on |stream| so far.
RILL_API RILL_NODISCARD rill_status rill_event_record(rill_event event, rill_stream stream);
// Work queued on |stream| from now on starts after the marked place. The host does not wait. RILL_ERR_UNRECORDED if the
// event was never recorded; so do the calls below.
RILL_API RILL_NODISCARD rill_status rill_event_wait(rill_event event, rill_stream stream);
// The host waits for the marked place. Returns the error that the stream it was recorded on had there, if it had one.
RILL_API RILL_NODISCARD rill_status rill_event_synchronize(rill_event event);
// RILL_OK if the marked place has been reached, else RILL_ERR_NOT_READY. Does not wait.
RILL_API RILL_NODISCARD rill_status rill_event_query(rill_event event);
// The time between the two places, in milliseconds. RILL_ERR_NOT_READY if one has not been reached, RILL_ERR_INVALID if
// one was created |without_time|.
RILL_API RILL_NODISCARD rill_status rill_event_elapsed(rill_event begin, rill_event end, double *out_milliseconds);

// RILL_AUTO_EVENT e = {0}; destroys the event at the end of the scope. A handle still zero is skipped.
RILL_API void rill_auto_event(rill_event *event);
#if defined(__GNUC__)
#define RILL_AUTO_EVENT __attribute__((cleanup(rill_auto_event))) rill_event
#endif

#ifdef __cplusplus
}
#endif
#endif

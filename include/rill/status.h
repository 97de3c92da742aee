// Status codes. Every call that can fail returns a rill_status: RILL_OK, or a negative code. The sentence that says who
// failed, at what and with which values is rill_message(), kept for each thread.
#ifndef RILL_STATUS_H
#define RILL_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RILL_API __attribute__((visibility("default")))
#define RILL_NODISCARD __attribute__((warn_unused_result))
#define RILL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define RILL_API
#define RILL_NODISCARD
#define RILL_PRINTF(fmt, args)
#endif

// The codes, their values and their short texts, written once: X(name, value, text).
#define RILL_STATUS_LIST(X)                                                                                            \
    X(OK, 0, "no error")                                                                                               \
    X(ERR_INVALID, -1, "an argument is not valid")                                                                     \
    X(ERR_NULL_HANDLE, -2, "the handle was never set")                                                                 \
    X(ERR_STALE, -3, "the handle names something destroyed")                                                           \
    X(ERR_WRONG_KIND, -4, "the handle names an object of another kind")                                                \
    X(ERR_FOREIGN, -5, "the handle belongs to another context")                                                        \
    X(ERR_OUT_OF_MEMORY, -6, "out of memory")                                                                          \
    X(ERR_IO, -7, "a file could not be read or written")                                                               \
    X(ERR_COMPILE, -8, "the source did not compile")                                                                   \
    X(ERR_NO_COMPILER, -9, "the compiler library is not installed")                                                    \
    X(ERR_NOT_FOUND, -10, "no such name")                                                                              \
    X(ERR_ARGUMENTS, -11, "the arguments do not fit the kernel's parameters")                                          \
    X(ERR_DEVICE, -12, "the device failed")                                                                            \
    X(ERR_NO_DEVICE, -13, "no such device")                                                                            \
    X(ERR_ASSERT, -14, "an assertion in a kernel failed")                                                              \
    X(ERR_BOUNDS, -15, "an index in a kernel is out of range")                                                         \
    X(ERR_UNRECORDED, -16, "the event was never recorded")                                                             \
    X(ERR_IN_CALLBACK, -17, "the call would wait inside a callback")                                                   \
    X(ERR_FORKED, -18, "the context does not survive fork")                                                            \
    X(ERR_LIMIT, -19, "a stated limit was exceeded")                                                                   \
    X(ERR_UNSUPPORTED, -20, "this device or build cannot do it")                                                       \
    X(ERR_NOT_READY, -21, "the work has not finished")                                                                 \
    X(ERR_CONFLICT, -22, "two blocks or arguments conflict")                                                           \
    X(ERR_INTERNAL, -23, "a fault of Rill's own: please report it")                                                    \
    X(ERR_CAPTURING, -24, "the stream is being captured into a graph")                                                 \
    X(ERR_RACE, -25, "two iterations of a kernel's loop race")                                                         \
    X(ERR_RECORDING, -26, "the thread is recording a step")

typedef enum rill_status {
#define RILL_STATUS_ENUM(name, value, text) RILL_##name = value,
    RILL_STATUS_LIST(RILL_STATUS_ENUM)
#undef RILL_STATUS_ENUM
} rill_status;

// The code's name ("RILL_ERR_STALE") and its short text. Never NULL.
RILL_API const char *rill_status_name(rill_status status);
RILL_API const char *rill_status_text(rill_status status);

// The text of the calling thread's last failure, valid until its next failing call; "" if there was none.
RILL_API const char *rill_message(void);

// Returns early with the status of a failing call.
#define RILL_TRY(call)                                                                                                 \
    do {                                                                                                               \
        rill_status rill_try_status_ = (call);                                                                         \
        if (__builtin_expect(rill_try_status_ != RILL_OK, 0)) {                                                        \
            return rill_try_status_;                                                                                   \
        }                                                                                                              \
    } while (0)

// Makes a call whose status nobody needs, and says so: gcc warns of a dropped status also behind a cast to void. Right
// in cleanup that follows a failure which is returned already, and where a failure changes nothing for the caller; what
// fails in RILL_IGNORE(rill_stream_destroy(s)) is lost. A call that fails here replaces the thread's message: copy that
// before, or use the RILL_AUTO_ forms, which keep it.
#define RILL_IGNORE(call) ((void)((call) == RILL_OK))

#ifdef __cplusplus
}
#endif
#endif

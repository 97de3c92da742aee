// The thread's message. Who finds a failure writes it: status_fail(RILL_ERR_INVALID, "rill_launch: …").
#ifndef RILL_BASE_STATUS_H
#define RILL_BASE_STATUS_H

#include "rill/status.h"

#include <stdarg.h>

// Formats the calling thread's message and returns |status|, so that a failing check is one line. Cold: what leads here
// lies apart from the code of calls that succeed.
rill_status status_fail(rill_status status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
rill_status status_vfail(rill_status status, const char *format, va_list args) __attribute__((cold));

#endif

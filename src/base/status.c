#include "base/status.h"

#include <assert.h>
#include <stdio.h>

// Fixed, so that reporting a failure cannot fail. A longer text ends in "…".
static _Thread_local char message[4096];

#define STATUS_CASE_NAME(name, value, text)                                                                            \
    case RILL_##name: return "RILL_" #name;
#define STATUS_CASE_TEXT(name, value, text)                                                                            \
    case RILL_##name: return text;

const char *rill_status_name(rill_status status)
{
    switch (status) {
        RILL_STATUS_LIST(STATUS_CASE_NAME)
    }
    return "RILL_ERR_?";
}

const char *rill_status_text(rill_status status)
{
    switch (status) {
        RILL_STATUS_LIST(STATUS_CASE_TEXT)
    }
    return "an unknown status";
}

const char *rill_message(void)
{
    return message;
}

rill_status status_vfail(rill_status status, const char *format, va_list args)
{
    static const char ellipsis[] = "…";
    assert(status <= 0); // RILL_OK brings back the message of an earlier call
    int length = vsnprintf(message, sizeof message, format, args);
    if (length >= (int)sizeof message) {
        snprintf(message + sizeof message - sizeof ellipsis, sizeof ellipsis, "%s", ellipsis);
    }
    return status;
}

rill_status status_fail(rill_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    status_vfail(status, format, args);
    va_end(args);
    return status;
}

#include "backend/gpu/driver.h"

#include "base/status.h"

#include <stddef.h>

// Both drivers have the same numbers for these.
enum { SUCCESS = 0, OUT_OF_MEMORY = 2, NO_DEVICE = 100, NOT_FOUND = 500, NOT_READY = 600 };

static rill_status status_of(int result)
{
    switch (result) {
    case SUCCESS: return RILL_OK;
    case NOT_READY: return RILL_ERR_NOT_READY;
    case OUT_OF_MEMORY: return RILL_ERR_OUT_OF_MEMORY;
    case NO_DEVICE: return RILL_ERR_NO_DEVICE;
    case NOT_FOUND: return RILL_ERR_NOT_FOUND;
    default: return RILL_ERR_DEVICE;
    }
}

bool gpu_result_needs_words(int result)
{
    return result != SUCCESS && result != NOT_READY;
}

rill_status gpu_result_convert(const struct gpu_result *result, const char *what)
{
    rill_status status = status_of(result->code);
    if (!gpu_result_needs_words(result->code)) {
        return status;
    }
    return status_fail(status, "%s: %s (%d): %s%s", what, result->name != NULL ? result->name : "an unknown error",
                       result->code, result->text != NULL ? result->text : "the driver has no words for it",
                       result->is_lost ? "; the device is lost to this process" : "");
}

// Finds and loads the HIP runtime's library and fills the table of symbols.
#ifndef RILL_BACKEND_HIP_LOADER_H
#define RILL_BACKEND_HIP_LOADER_H

#include "backend/hip/symbols.h"
#include "base/dylib.h"
#include "rill/status.h"

#include <stdbool.h>

// Versions as the runtime gives them: 5.4.0 is 50400000 and something for the build.
enum {
    HIP_OLDEST_VERSION = 50000000,
    HIP_POOL_VERSION = 50400000,
    HIP_NEW_KINDS_VERSION = 60000000,
    HIP_NEW_CODE_VERSION = 60000000
};

struct hip_library {
    struct dylib dylib; // stays open: other parts of the process may use the runtime too
    struct hip_symbols symbols;
    int version;
    char path[256]; // what was opened
};

// Opens |path|, or where it is NULL what RILL_HIP_LIBRARY names, or a runtime that is in the process already, or the
// newest that the system, $ROCM_PATH or the usual folders have; finds the symbols, starts the runtime and looks at its
// version. RILL_ERR_NO_DEVICE with words if that does not work out.
rill_status hip_load(const char *path, struct hip_library *out_library);

// The one place where the runtime's results become Rill's. |what| is the runtime's function. RILL_ERR_NOT_READY comes
// without a message.
rill_status hip_convert(const struct hip_symbols *symbols, int result, const char *what);

// Whether |result| says that the device is lost to the process.
bool hip_is_lost(int result);

// Finds "gfx90a" in what hipGetDeviceProperties wrote, whatever the struct's layout: the one string that begins like
// this, up to a colon or its end. False if there is none that fits.
bool hip_find_architecture(const void *properties, size_t size, char *out, size_t out_size);

// Whether stream-ordered memory is there and trusted: not before ROCm 5.4, nor on devices that it is known to hang.
bool hip_trusts_pools(int version, const char *architecture);

#endif

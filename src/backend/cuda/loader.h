// Loads the NVIDIA driver's library and fills the table of symbols.
#ifndef RILL_BACKEND_CUDA_LOADER_H
#define RILL_BACKEND_CUDA_LOADER_H

#include "backend/cuda/symbols.h"
#include "base/dylib.h"
#include "base/identity.h"
#include "rill/status.h"

enum { CUDA_OLDEST_VERSION = 11080, CUDA_CONDITIONS_VERSION = 12030 };

struct cuda_library {
    struct dylib dylib; // stays open: other parts of the process may use the driver too
    struct cuda_symbols symbols;
    int version;              // 12040 is CUDA 12.4
    char path[256];           // what was opened
    struct identity identity; // of its file; |has_identity|: it is known
    bool has_identity;
};

// Opens |path|, or where it is NULL what RILL_CUDA_LIBRARY names, or libcuda.so.1; finds the symbols; initialises the
// driver and looks at its version. RILL_ERR_NO_DEVICE with words if that does not work out.
rill_status cuda_load(const char *path, struct cuda_library *out_library);

// The one place where the driver's results become Rill's. |what| is the driver's function. RILL_ERR_NOT_READY comes
// without a message.
rill_status cuda_convert(const struct cuda_symbols *symbols, int result, const char *what);
// Writes the version of PTX that a driver of |version| takes over a later one that |ptx| asks for. The code generator
// writes for the version that knows the newest targets it was built for, and uses nothing that the earlier ones lack.
void cuda_lower_ptx(char *ptx, int version);

// Whether |result| says that the device is lost to the process.
int cuda_is_lost(int result);

#endif

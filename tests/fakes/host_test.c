// Memory of the host in the order of a stream, on the stand-in for the CUDA driver.
#include "host.h"

static const struct vendor vendor = VENDOR_CUDA;

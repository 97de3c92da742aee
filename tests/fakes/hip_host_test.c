// Memory of the host in the order of a stream, on the stand-in for the HIP runtime.
#include "host.h"

static const struct vendor vendor = VENDOR_HIP;

// The sweep of faults on the stand-in for the HIP runtime.
#include "faults.h"

static const struct vendor vendor = VENDOR_HIP;

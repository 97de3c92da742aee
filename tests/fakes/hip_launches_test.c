// What launches and streams promise, on the stand-in for the HIP runtime.
#include "launches.h"

static const struct vendor vendor = VENDOR_HIP;

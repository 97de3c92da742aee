// What launches and streams promise, on the stand-in for the CUDA driver.
#include "launches.h"

static const struct vendor vendor = VENDOR_CUDA;

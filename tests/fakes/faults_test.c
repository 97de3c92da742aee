// The sweep of faults on the stand-in for the CUDA driver.
#include "faults.h"

static const struct vendor vendor = VENDOR_CUDA;

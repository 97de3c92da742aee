// Faults while work is in flight, on the stand-in for the CUDA driver.
#include "flight.h"

static const struct vendor vendor = VENDOR_CUDA;

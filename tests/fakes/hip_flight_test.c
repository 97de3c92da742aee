// Faults while work is in flight, on the stand-in for the HIP runtime.
#include "flight.h"

static const struct vendor vendor = VENDOR_HIP;

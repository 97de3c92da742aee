// Contexts without pools that close while others have work, on the stand-in for the HIP runtime.
#include "closing.h"

static const struct vendor vendor = VENDOR_HIP;

// Contexts without pools that close while others have work, on the stand-in for the CUDA driver.
#include "closing.h"

static const struct vendor vendor = VENDOR_CUDA;

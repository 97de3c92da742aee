// The sweep of faults on the stand-in for the HIP runtime.
#include "faults.h"

static const struct vendor vendor = {.library = RILL_BUILD_DIR "/tests/fakes/libfake_hip.so",
                                     .variable = "RILL_HIP_LIBRARY",
                                     .device = "amdgpu:0",
                                     .illegal = "hipErrorIllegalAddress",
                                     .recovers = false};

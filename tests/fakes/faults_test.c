// The sweep of faults on the stand-in for the CUDA driver.
#include "faults.h"

static const struct vendor vendor = {.library = RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so",
                                     .variable = "RILL_CUDA_LIBRARY",
                                     .device = "cuda:0",
                                     .illegal = "CUDA_ERROR_ILLEGAL_ADDRESS",
                                     .recovers = true};

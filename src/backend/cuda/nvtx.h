// Ranges for profilers, with RILL_NVTX=1: each launch has one with the kernel's name. No library of the toolkit is
// needed: a profiler names its own in NVTX_INJECTION64_PATH, and that library puts its functions into a table of ours.
#ifndef RILL_BACKEND_CUDA_NVTX_H
#define RILL_BACKEND_CUDA_NVTX_H

#include <stdbool.h>

// Called once, before anything else here. Whether a profiler listens.
bool cuda_nvtx_open(void);
void cuda_nvtx_push(const char *name); // on the calling thread
void cuda_nvtx_pop(void);

#endif

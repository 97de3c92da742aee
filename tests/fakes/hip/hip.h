// The functions of the HIP runtime, declared from the back end's own list of symbols: a definition whose parameters
// differ does not compile, and one that is missing does not link (table.c). The bodies are those of tests/fakes/cuda,
// which this library has under names that it does not export.
#ifndef RILL_TESTS_FAKES_HIP_HIP_H
#define RILL_TESTS_FAKES_HIP_HIP_H

#include "../cuda/cuda.h"

#include "backend/hip/symbols.h"

#define HIP_DECLARE(member, symbol, need, result, parameters)                                                          \
    EXPORT result fake_hip_##member parameters __asm__(symbol);
HIP_SYMBOL_LIST(HIP_DECLARE)
#undef HIP_DECLARE

EXPORT int fake_hip_managed_alloc(void **out, size_t size, unsigned flags) __asm__("hipMallocManaged");
EXPORT int fake_hip_flagged_alloc(void **out, size_t size, unsigned flags) __asm__("hipExtMallocWithFlags");

// device.c: what the setting ATTRIBUTE says instead.
int hip_attribute_given(int attribute, int otherwise);

// device.c: every thread has a current device, the first one until it sets another.
void hip_need_device_locked(void);

#endif

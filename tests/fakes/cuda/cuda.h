// The functions of the CUDA driver, declared from the back end's own list of symbols: a definition whose parameters
// differ does not compile, and one that is missing does not link (table.c).
#ifndef RILL_TESTS_FAKES_CUDA_CUDA_H
#define RILL_TESTS_FAKES_CUDA_CUDA_H

#include "../core/fake.h"

#include "backend/cuda/symbols.h"

#define EXPORT __attribute__((visibility("default")))

#define CUDA_DECLARE(member, symbol, need, parameters) EXPORT int fake_cu_##member parameters __asm__(symbol);
CUDA_SYMBOL_LIST(CUDA_DECLARE)
#undef CUDA_DECLARE

#define ENTER(name, need)                                                                                              \
    __attribute__((cleanup(fake_leave))) int enter_code = fake_enter(name, need);                                      \
    do {                                                                                                               \
        if (enter_code != FAKE_OK) {                                                                                   \
            return enter_code;                                                                                         \
        }                                                                                                              \
    } while (0)

// For what ends an object: told to fail, it does its work all the same, as a driver that reports the failure of earlier
// work does.
#define ENTER_END(name, need)                                                                                          \
    __attribute__((cleanup(fake_leave))) int enter_code = fake_enter(name, need);                                      \
    do {                                                                                                               \
        if (enter_code != FAKE_OK && !fake_was_told_to_fail()) {                                                       \
            return enter_code;                                                                                         \
        }                                                                                                              \
    } while (0)
#define LEAVE_END(code) return enter_code != FAKE_OK ? enter_code : (code)

#define ANYTIME FAKE_NEEDS_NOTHING
#define INIT FAKE_NEEDS_INIT
#define DEVICE FAKE_NEEDS_DEVICE

// launch.c
int cuda_make_kernel_locked(const char *call, const struct cu_kernel_node *node, struct fake_kernel *out_kernel);
// memory.c
int cuda_copy(const char *call, cu_address target, cu_address source, size_t size, cu_stream handle);

#endif

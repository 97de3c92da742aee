// CUDA's stand-in driver, for a test that also calls it itself.
#ifndef TESTS_FAKES_STAND_IN_H
#define TESTS_FAKES_STAND_IN_H

#include "test.h"

#include <dlfcn.h>

#define STAND_IN_LIBRARY RILL_BUILD_DIR "/tests/fakes/libfake_cuda.so"

static inline void *stand_in_library(void)
{
    void *library = dlopen(STAND_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        FAIL("%s", dlerror());
        REQUIRE(false);
    }
    return library;
}

// What is opened from now on has the stand-in for its driver. Returns its library.
static inline void *use_stand_in(void)
{
    setenv("RILL_CUDA_LIBRARY", STAND_IN_LIBRARY, 1);
    setenv("RILL_STAND_IN", "1", 1);
    return stand_in_library();
}

#endif

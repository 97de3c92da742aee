// How much a stress test does: in short what takes seconds; with RILL_TEST_LONG fifty times that. Under the sanitizers
// a tenth of it: they make each program twenty times slower, and look at every access and lock of those that they see.
#ifndef RILL_TESTS_STRESS_AMOUNT_H
#define RILL_TESTS_STRESS_AMOUNT_H

#include "form.h"

enum { AMOUNT_LONG = 50, AMOUNT_LONG_SANITIZED = 5 };

// So many times what is done in short.
static inline int amount_times(void)
{
    return !form_is_long() ? 1 : form_is_sanitized() ? AMOUNT_LONG_SANITIZED : AMOUNT_LONG;
}

#endif

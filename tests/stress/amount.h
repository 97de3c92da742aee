// How much a stress test does: in short what takes seconds; with RILL_TEST_LONG fifty times that. Under the sanitizers
// a tenth of it: they make each program twenty times slower, and look at every access and lock of those that they see.
#ifndef RILL_TESTS_STRESS_AMOUNT_H
#define RILL_TESTS_STRESS_AMOUNT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { AMOUNT_LONG = 50, AMOUNT_LONG_SANITIZED = 5 };

// So many times what is done in short.
static inline int amount_times(void)
{
    const char *part = getenv("RILL_TEST_PART");
    bool is_sanitized = part != NULL && (strcmp(part, "asan") == 0 || strcmp(part, "tsan") == 0);
    return getenv("RILL_TEST_LONG") == NULL ? 1 : is_sanitized ? AMOUNT_LONG_SANITIZED : AMOUNT_LONG;
}

#endif

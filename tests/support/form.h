// Which form of the suite runs, and in which part, as tools/run-tests says it in the environment. In the short form
// tests take samples; each is a part of what the long form does.
#ifndef RILL_TESTS_SUPPORT_FORM_H
#define RILL_TESTS_SUPPORT_FORM_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Everything runs.
static inline bool form_is_long(void)
{
    return getenv("RILL_TEST_LONG") != NULL;
}

// In a build with AddressSanitizer or ThreadSanitizer, which is many times slower.
static inline bool form_is_sanitized(void)
{
    const char *part = getenv("RILL_TEST_PART");
    return part != NULL && (strcmp(part, "asan") == 0 || strcmp(part, "tsan") == 0);
}

// A number that is another one in each commit. It says which sample a test takes.
static inline unsigned long form_turn(void)
{
    const char *turn = getenv("RILL_TEST_TURN");
    return turn != NULL ? strtoul(turn, NULL, 10) : 0;
}

// Whether number |index| is in the sample of one in |step|.
static inline bool form_takes(unsigned long index, unsigned long step)
{
    return (index + form_turn()) % step == 0;
}

#endif

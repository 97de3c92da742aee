// What the random programs of these tests have in common: how they are drawn, how a call that fails ends one, and
// kernels with what each does to an array when it runs alone.
#ifndef RILL_TESTS_STRESS_PROGRAM_H
#define RILL_TESTS_STRESS_PROGRAM_H

#include "rill/rill.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// First in every struct program.
struct drawn {
    uint64_t random;
    const char *failed; // the call that failed; NULL: none
    char message[512];
};

static inline uint32_t drawn_pick(uint64_t *random, uint32_t count)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33) % count;
}

// The first failure stays.
static inline bool drawn_is_failing(struct drawn *drawn, rill_status status, const char *call)
{
    if (status != RILL_OK && drawn->failed == NULL) {
        drawn->failed = call;
        snprintf(drawn->message, sizeof drawn->message, "%s", rill_message());
    }
    return drawn->failed != NULL;
}

static inline void drawn_expect(struct drawn *drawn, bool holds, const char *text)
{
    if (!holds && drawn->failed == NULL) {
        drawn->failed = text;
    }
}

// ---- kernels ------------------------------------------------------------------------------------------------------

#define PROGRAM_KERNELS                                                                                                \
    "#include <rill/kernel.h>\n"                                                                                       \
    "#include <stdint.h>\n"                                                                                            \
    "kernel void mix(int n, const uint32_t a[n], uint32_t b[n], uint32_t k)\n"                                         \
    "{ for (int i = 0; i < n; i++) b[i] = b[i] * 3u + a[i] + k; }\n"                                                   \
    "kernel void both(int n, uint32_t a[n], uint32_t b[n], uint32_t k)\n"                                              \
    "{\n"                                                                                                              \
    "    stream_parallel { for (int i = 0; i < n; i++) a[i] = a[i] * 5u + k; }\n"                                      \
    "    stream_parallel { for (int i = 0; i < n; i++) b[i] = b[i] * 7u + k; }\n"                                      \
    "    for (int i = 0; i < n; i++) a[i] += b[i];\n"                                                                  \
    "}\n"                                                                                                              \
    "kernel uint32_t total(int n, const uint32_t a[n])\n"                                                              \
    "{ uint32_t s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"                                           \
    "kernel void steps(int n, int rounds, uint32_t a[n])\n"                                                            \
    "{ for (int t = 0; t < rounds; t++) for (int i = 0; i < n; i++) a[i] = a[i] * 9u + (uint32_t)t; }\n"

static inline void model_mix(int n, const uint32_t *a, uint32_t *b, uint32_t k)
{
    for (int i = 0; i < n; i++) {
        b[i] = b[i] * 3u + a[i] + k;
    }
}

static inline void model_both(int n, uint32_t *a, uint32_t *b, uint32_t k)
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i] * 5u + k;
        b[i] = b[i] * 7u + k;
        a[i] += b[i];
    }
}

static inline uint32_t model_total(int n, const uint32_t *a)
{
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
    }
    return sum;
}

static inline void model_steps(int n, int rounds, uint32_t *a)
{
    for (int t = 0; t < rounds; t++) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * 9u + (uint32_t)t;
        }
    }
}

static inline void model_fill(int n, uint32_t *a, uint32_t k)
{
    for (int i = 0; i < n; i++) {
        a[i] = k;
    }
}

// The first elements, 64 at the most, with numbers from |k|: in |values| too. Returns how many.
static inline int model_write(int n, uint32_t *a, uint32_t values[64], uint32_t k)
{
    int count = n < 64 ? n : 64;
    for (int i = 0; i < count; i++) {
        values[i] = a[i] = k + (uint32_t)i;
    }
    return count;
}

#endif

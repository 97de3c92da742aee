// Several kernels that compute the same in different ways, of which the fastest is launched. Which one that is depends
// on the device and on how much there is to do: it is found out by trying, once for each shape class, and kept in the
// cache of compiles for the next process (docs/ahead.md).
//
//     rill_kernel ways[] = {by_rows, by_tiles};
//     rill_variants product;
//     RILL_TRY(rill_variants_create(ways, 2, &(rill_variants_options){.tolerance = 1e-6}, &product));
//     RILL_TRY(rill_variants_launch(product, stream, RILL_ARGS(n, a, b, c)));
//
// The kernels belong to one context and have one signature: as many parameters, of the same types, in the same order,
// and the same type of result. They do nothing but compute: one that prints, or that writes a field or memory which is
// no argument, is refused.
//
// The first launch of a shape class runs every kernel on copies of the arguments: what they write is compared with what
// the first kernel writes, and then they are timed. The arguments themselves are untouched until the chosen kernel is
// launched on them. That launch waits, for the stream and for the trials; the others do not. Where it must not wait (in
// a callback, on a stream that is captured, in a recording), where the arguments overlap in part, and while another
// thread tries, the first kernel is launched, and nothing is decided.
//
// A shape class is made of the integer arguments and of the lengths of arrays without extents: values between one power
// of two and the next are of one class.
//
// Threads: every call may be made from any thread. A kernel whose module is destroyed is stale here too.
#ifndef RILL_VARIANTS_H
#define RILL_VARIANTS_H

#include "rill/args.h"
#include "rill/module.h"
#include "rill/status.h"
#include "rill/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rill_variants {
    uint64_t id; // 0 is none: every call refuses it
} rill_variants;

enum { RILL_MAX_VARIANTS = 16 };

// All zero is the default.
typedef struct rill_variants_options {
    // By how much floating numbers may differ from those of the first kernel: so many times the largest magnitude in
    // the array. 0: not at all. Integers never do.
    double tolerance;
    int rounds;    // each kernel is timed so often, and the best time counts; 0: 5
    bool no_cache; // what is chosen is neither looked for on disk nor kept there
} rill_variants_options;

RILL_API RILL_NODISCARD rill_status rill_variants_create(const rill_kernel *kernels, size_t count,
                                                         const rill_variants_options *options,
                                                         rill_variants *out_variants);
// The handle is stale at once. The kernels stay.
RILL_API RILL_NODISCARD rill_status rill_variants_destroy(rill_variants variants);

// rill_launch() and rill_call() of the kernel that is fastest for such arguments. RILL_ERR_CONFLICT: a kernel computes
// something else than the first one, or fails where that does not; the message says which, and where. Nothing was
// launched then.
RILL_API RILL_NODISCARD rill_status rill_variants_launch(rill_variants variants, rill_stream stream, rill_args args);
RILL_API RILL_NODISCARD rill_status rill_variants_call(rill_variants variants, rill_stream stream, rill_args args,
                                                       void *out_result, size_t size);

typedef struct rill_variants_choice {
    bool is_known;                          // it was tried, or found in the cache: else the rest is 0
    bool is_remembered;                     // found in the cache
    size_t index;                           // of the kernel
    double milliseconds[RILL_MAX_VARIANTS]; // best times of all of them, launch and wait together
} rill_variants_choice;

// What is known for the shape class of these arguments.
RILL_API RILL_NODISCARD rill_status rill_variants_describe(rill_variants variants, rill_args args,
                                                           rill_variants_choice *out_choice);

// RILL_AUTO_VARIANTS v = {0}; destroys them at the end of the scope. A handle still zero is skipped.
RILL_API void rill_auto_variants(rill_variants *variants);
#if defined(__GNUC__)
#define RILL_AUTO_VARIANTS __attribute__((cleanup(rill_auto_variants))) rill_variants
#endif

#ifdef __cplusplus
}
#endif
#endif

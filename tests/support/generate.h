// Kernel files made from a seed, for differ: well-defined C under the language's rules, every index in its bounds. The
// values of the scalar arguments are chosen here, so that ranges are known while the text is written.
//
// No kernel needs its author's word but those with `#pragma rill parallel` or exchanges of one constant, of which any
// order gives the same: for all others a line at the end says so. Floats that are summed are small whole numbers, so
// that every order of summing gives the same bits.
#ifndef RILL_TESTS_SUPPORT_GENERATE_H
#define RILL_TESTS_SUPPORT_GENERATE_H

#include "base/str.h"

#include <stdint.h>

// Seeds with this bit are kernels whose loops are mostly those of helpers that get addresses of locals.
#define GENERATE_HELPERS (UINT64_C(1) << 40)
// ... are mostly those of generate_pointer.c and the files named beside it in generate_internal.h.
#define GENERATE_SHAPES (UINT64_C(1) << 41)
// ... are mostly those of generate_local.c, with arrays and structs declared at every level.
#define GENERATE_LOCALS (UINT64_C(1) << 42)
// ... are those of generate_overlap.c: arrays that overlap, in nests.
#define GENERATE_OVERLAPS (UINT64_C(1) << 43)
// ... are those of a grammar of tests/generate/grammar: ways out of loops; sums that wrap and values that do not change
// in the loop; stores through indices that depend on data; textbook loops that read so what they write;
// nests whose rows differ; nests whose loops may run in another order.
#define GENERATE_EXITS (UINT64_C(1) << 44)
#define GENERATE_WRAPS (UINT64_C(1) << 45)
#define GENERATE_SCATTERS (UINT64_C(1) << 46)
#define GENERATE_FOLLOWS (UINT64_C(1) << 47)
#define GENERATE_NESTS (UINT64_C(1) << 48)
#define GENERATE_ORDERS (UINT64_C(1) << 49)

// ... are mostly those of generate_scan.c and generate_list.c: what carries something from one iteration to the next.
#define GENERATE_PATTERNS (UINT64_C(1) << 50)
// One in eight of them has loops so long that a CPU takes them apart by itself, not only where tests ask for it.
#define GENERATE_IS_HUGE(seed) ((seed) % 8 == 5)

void generate_kernel(uint64_t seed, struct str *out);

#endif

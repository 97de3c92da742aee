// Slips of the preprocessor: each is found, and none hides the next.
#include <rill/kernel.h>

#if 1
#error stop here
#endif
kernel void error_reached(int v[4]) { v[0] = 1; }

#define TWO(a, b) a + b
kernel void missing_args(int v[4]) { v[0] = TWO(1); }

#if 1 / 0
#endif
kernel void div_zero_if(int v[4]) { v[0] = 1; }

#define P(a, b) a ## b
kernel void bad_paste(int v[4]) { v[0] = P(+, 3)P(1, .)P(=, *); }

kernel void unterminated_if(int v[4]) { v[0] = 1; }
#if 1

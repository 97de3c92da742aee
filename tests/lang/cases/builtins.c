// What GNU C's built-in functions are not given.
#include <rill/kernel.h>

kernel void k(int n, int x[n], const int y[n])
{
    float f;
    _Bool b;
    x[0] = __builtin_popcount();
    x[1] = __builtin_popcount(1, 2);
    x[2] = __builtin_clz("text");
    x[3] = __builtin_add_overflow(x[0], x[1]);
    x[4] = __builtin_add_overflow(x[0], x[1], x[2]);
    x[5] = __builtin_mul_overflow(x[0], 1.5, &x[2]);
    x[6] = __builtin_sub_overflow(x[0], 1, &f);
    x[7] = __builtin_sub_overflow(x[0], 1, &b);
    x[8] = __builtin_sub_overflow(x[0], 1, &y[0]);
    x[9] = __builtin_expect(x[0]);
    x[10] = *(int *)__builtin_assume_aligned(x[0], 4);
    x[11] = __builtin_choose_expr(n, 1, 2);
    x[12] = __builtin_types_compatible_p(int, 3);
    x[13] = __builtin_alloca(3);
    x[14] = __builtin_saddl_overflow(1, 2, &x[0]);
}
struct narrow { unsigned bits : 2; } narrow;
int fits(int a) { return __builtin_add_overflow_p(a, 1, narrow.bits); }

//@ buffer b0 i32 40 range 8 20
//@ array b0 0 30
//@ array b0 13 1
#include <rill/kernel.h>
// The arguments overlap, so the loops run in order and move their own bounds: what the variable is afterwards, too.
kernel int run(int x[30], int *limit)
{
    int i = x[3] & 3;
    int sum = 0;
    for (; i < *limit; i++) {
        x[i] = 14 + (i & 1);
        sum += i;
    }
    int first = i;
    for (i++; i < 20 + (*limit & 7); i += 2) {
        x[i - 10] = i;
    }
    return first + 100 * i + 10000 * sum;
}

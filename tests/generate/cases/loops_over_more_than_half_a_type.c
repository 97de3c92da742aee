//@ buffer b0 i32 256 range -100 60
//@ buffer b1 i32 600 range -9 9
//@ int -100
//@ int 100
//@ array b0 0 256
//@ array b1 0 600
#include <rill/kernel.h>
// Variables of 8 bits whose distance from the first value does not fit their type; alone, by twos, down, and in a nest.
kernel int run(int lo, int hi, int a[256], int b[600])
{
    int last = 0;
    for (signed char i = (signed char)lo; i < (signed char)hi; i++) {
        a[i + 128] += i;
    }
    for (signed char i = -120; i < 120; i += 3) {
        a[i + 128] -= i;
        last = i;
    }
    for (signed char i = 110; i > -110; i--) {
        a[i + 128] ^= i;
    }
    for (int r = 0; r < 2; r++) {
        for (signed char i = (signed char)lo; i < 127; i++) {
            b[300 * r + i + 128] += i;
        }
    }
    return last;
}

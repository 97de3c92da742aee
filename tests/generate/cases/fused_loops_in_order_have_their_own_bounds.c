//@ buffer b0 bytes 64 range 0 255
//@ int 9
//@ array b0 0 16
//@ array b0 16 40
#include <rill/kernel.h>
// Two loops become one task. Where its arguments overlap they run one after the other, each with its own copy of the
// bound, which is computed before.
unsigned short f[16] = {1, 2};
kernel int run(int m, const signed char a[16], unsigned char b[40])
{
    int h = 8, s = 0;
    while (s < 3 && b[s] < 250) {
        s++;
    }
    h -= s > 2;
    for (int i = 1; i < h; i++) {
        for (int q = 0; q < 3; q++) {
            f[i] = (f[i] + q) * 3;
        }
    }
    for (int i = 1; i < h; i++) {
        for (int q = 0; q < 3; q++) {
            f[i] = f[i] + a[i] + q;
        }
    }
    return h * m;
}

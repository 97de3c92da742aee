#include <rill/kernel.h>

kernel void assigned(int n, int x[n])
{
    int k = n;
    if (k = 3) {
        x[0] = 1;
    }
    while (x[1] = 0) {
        x[2] = 1;
    }
    do {
        k--;
    } while (k = 0);
    for (int i = 0; k = 0; i++) {
        x[3] = i;
    }
    if ((k = x[0])) {
        x[4] = k;
    }
    while ((k = x[5]) != 0 && k == 3) {
        x[5] = 0;
    }
    if (k == 3 || (k -= 1)) {
        x[6] = k += 1;
    }
}

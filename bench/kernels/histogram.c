#include <rill/kernel.h>

// run: histogram n=10001 bins=256
kernel void histogram(int n, int bins, const int x[n], int count[bins])
{
    for (int i = 0; i < n; i++) {
        count[x[i]]++;
    }
}

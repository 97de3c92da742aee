#include <rill/kernel.h>

kernel void histogram(int n, int bins, const int x[n], int count[bins])
{
    for (int i = 0; i < n; i++) {
        count[x[i]]++;
    }
}

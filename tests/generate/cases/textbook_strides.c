// Strides, divisors and shifts that do not change in the loop but are loaded or computed in its body; 0 or 1 here. And
// sums that wrap before they come back into the array.
//@ buffer b0 i32 256 range 0 9
//@ buffer b1 i32 256 range 0 9
//@ buffer b2 i32 256 range 0 9
//@ buffer b3 i32 4 range 0 0
//@ int 40
//@ int 1
//@ int 3
//@ float 0.5
//@ int 9223372036854775800
//@ int 2147483640
//@ array b0 0 256
//@ array b1 0 256
//@ array b2 0 256
//@ array b3 0 4
#include <rill/kernel.h>
static int width = 3;
static const int strides[2] = {0, 1};
static struct { int stride, shift; } config = {0, 2};

kernel void run(int n, int k, int l, float f, long big, int edge, int x[256], int y[256], int z[256], const int w[4])
{
    for (int i = 1; i < n; i++) x[i * (k >> l)] = x[(i - 1) * (k >> l)] + 1;
    for (int i = 1; i < n; i++) x[100 + i * (k > l)] = x[100 + (i - 1) * (k > l)] + 1;
    for (int i = 1; i < n; i++) x[200 + i * (int)f] = x[200 + (i - 1) * (int)f] + 1;
    for (int i = 0; i < n; i++) y[i / width] = i;
    for (int i = 0; i < n; i++) y[100 + i * strides[k & 1]] = i;
    for (int i = 0; i < n; i++) y[150 + (i >> config.shift)] = i;
    for (int i = 1; i < n; i++) y[200 + i * config.stride] = y[200 + (i - 1) * config.stride] + i;
    for (int i = 1; i < n; i++) y[250 + i * w[1]] += y[250 + (i - 1) * w[1]] + i;
    for (long i = 0; i < n; i++) z[((i + big) % 10 + 10) % 10] = i;
    for (long i = 0; i < n; i++) z[20 + ((i << 60) >> 60)] = i;
    for (int i = 0; i < n; i++) z[60 + ((i + edge) & 7)] = z[60 + (i & 7)] + i;
    for (long i = 0; i < n; i++) z[100 + (unsigned char)(i * big) / 4] = i;
    for (int i = 0; i < n; i++) z[200 + (unsigned)(i * edge) % 13] = i;
}
// nobody gives his word

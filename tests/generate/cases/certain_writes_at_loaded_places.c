// What a loop writes for certain is exactly what it says: a row, a stride or a count that is loaded in the loop and never
// changes in it is known to nobody before the launch, and bounds of it are no certainty.
//@ buffer b0 i32 256 range 0 20
//@ buffer b1 i32 256 range 0 9
//@ buffer b2 i32 256 range 0 20
//@ buffer b3 i32 8 range 2 3
//@ int 16
//@ array b0 0 256
//@ array b1 0 256
//@ array b2 0 256
//@ array b3 0 8
#include <rill/kernel.h>
static int width = 3;
kernel void run(int n, int g[16][16], const int dup[256], int x[256], const int w[8])
{
    #pragma rill serial
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 16; j++) g[dup[i] & 15][j] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (w[0] & 3); j++) x[i * (w[0] & 3) + j] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < width; j++) x[64 + i * width + j] = i + j;
    }
    for (int i = 0; i < n; i++) x[128 + i + (w[1] & 7)] = i;
    for (int i = 0; i < n; i++) x[160 + 2 * i + (w[2] & 1)] = i;
    for (int i = 0; i < n; i++) {
        int t[8];
        for (int j = 0; j < 8; j++) t[j] = i;
        for (int j = 0; j < (w[3] & 7); j++) t[j + (w[4] & 1)] = j;
        x[200 + i] = t[0] + 10 * t[3] + 100 * t[7];
    }
}
// nobody gives his word

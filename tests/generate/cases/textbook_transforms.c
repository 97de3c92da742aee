// Levels of transforms, in the spellings of textbooks: each level depends on the one before, and the indices of a level
// are products of values that vary, or made by ^ and |.
//@ buffer b0 i64 64 range -9 9
//@ buffer b1 i64 64 range -9 9
//@ buffer b2 i64 64 range -9 9
//@ buffer b3 i32 64 range -9 99
//@ buffer b4 i32 64 range -9 9
//@ buffer b5 i32 64 range -9 9
//@ int 64
//@ int 6
//@ array b0 0 64
//@ array b1 0 64
//@ array b2 0 64
//@ array b3 0 64
//@ array b4 0 64
//@ array b5 0 64
#include <rill/kernel.h>

kernel void butterflies(int n, int levels, long x[n])
{
    for (int s = 0; s < levels; s++) {
        int half = 1 << s;
        for (int k = 0; k < n / 2; k++) {
            int j = (k >> s) * (2 * half) + (k & (half - 1));
            long a = x[j], b = x[j + half];
            x[j] = a + b;
            x[j + half] = a - b;
        }
    }
}

kernel void walsh_hadamard(int n, long x[n])
{
    for (int half = 1; half < n; half *= 2) {
        for (int i = 0; i < n; i += 2 * half) {
            for (int j = i; j < i + half; j++) {
                long a = x[j], b = x[j + half];
                x[j] = a + b;
                x[j + half] = a - b;
            }
        }
    }
}

kernel void walsh_by_pairs(int n, long x[n])
{
    for (int half = 1; half < n; half <<= 1) {
        for (int i = 0; i < n; i++) {
            int o = i ^ half;
            if (o > i) {
                long a = x[i], b = x[o];
                x[i] = a + b;
                x[o] = a - b;
            }
        }
    }
}

kernel void bitonic_sort(int n, int x[n])
{
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = 0; i < n; i++) {
                int o = i ^ j;
                if (o > i && ((i & k) == 0 ? x[i] > x[o] : x[i] < x[o])) {
                    int t = x[i];
                    x[i] = x[o];
                    x[o] = t;
                }
            }
        }
    }
}

kernel void prefix_doubling(int n, int x[n], int y[n])
{
    for (int d = 1; d < n; d *= 2) {
        for (int i = 0; i < n; i++) y[i] = i >= d ? x[i] + x[i - d] : x[i];
        for (int i = 0; i < n; i++) x[i] = y[i];
    }
    for (int d = 1; d < n; d *= 2) {
        for (int i = n - 1; i >= d; i--) y[i] += y[i - d];
    }
}

kernel void run(int n, int levels, long x[n], long y[n], long z[n], int a[n], int b[n], int c[n])
{
    butterflies(n, levels, x);
    walsh_hadamard(n, y);
    walsh_by_pairs(n, z);
    bitonic_sort(n, a);
    prefix_doubling(n, b, c);
}
// nobody gives his word

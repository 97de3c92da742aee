// Loops whose condition compares a sum of the variable.
#include <rill/kernel.h>

// run: pairs n=100
// run: pairs n=1
// run: pairs n=0
kernel int pairs(int n, const int x[n], int y[n])
{
    int i;
    for (i = 0; i + 1 < n; i++) {
        y[i] = x[i + 1] - x[i];
    }
    return i;
}

// run: halves n=64
// run: halves n=100
// run: halves n=1
kernel int halves(int n, int x[n])
{
    int rounds = 0;
    for (int left = n; left > 1; left = (left + 1) / 2) {
        int half = (left + 1) / 2;
        for (int i = 0; i + half < left; i++) {
            x[i] += x[i + half];
        }
        rounds++;
    }
    return rounds;
}

// run: shifted n=50 k=7
// run: shifted n=50 k=0
// run: shifted n=50 k=60
// run: shifted n=50 k=2147483647
kernel int shifted(int n, int k, int x[n], int y[2 * n])
{
    int i, j;
    for (i = 0; k + i <= n - 1; i += 3) {
        x[i] = y[i + k] + 1;
    }
    for (j = n - 1; j - k >= 0; j--) {
        y[j] = x[j - k] * 2;
    }
    return i * 1000 + j;
}

// run: behind n=30 k=5
kernel int behind(int n, int k, int x[n])
{
    short s;
    int last = 0;
    for (s = 5; n > s - k; s++) {
        last += s;
        if (s >= 5 && s < n) {
            x[s] = s;
        }
    }
    return last * 100 + s;
}

// The body writes what the sum is made of: not canonical.
// run: moved n=40
kernel int moved(int n, int x[n])
{
    int k = 1, i;
    for (i = 0; i + k < n; i++) {
        x[i] = k;
        k += i % 2;
    }
    return i;
}

// The bound is in memory, and the loop changes it.
// run: shrinking n=40
kernel int shrinking(int n, int x[n])
{
    int i;
    x[0] = n;
    for (i = 1; i + 2 < x[0]; i++) {
        x[i] = 3;
        x[0] = x[0] - 1;
    }
    return i;
}

// Unsigned sums wrap around, and C says how: as they stand.
// run: around n=20
kernel unsigned around(unsigned n, unsigned x[n])
{
    unsigned i;
    for (i = 0; i - 1 < n - 2 || i == 0; i++) {
        x[i] = i;
    }
    for (i = 3; i + 4294967295u < n; i++) {
        x[i - 1] += 2;
    }
    return i;
}

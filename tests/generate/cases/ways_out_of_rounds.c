// Loops that run in order, hold parallel loops and are left, or go on early, by way of a switch, an inner loop or a called
// kernel. Each round decides anew.
//@ buffer b0 i32 128 range 0 7
//@ buffer b1 i32 128 range 0 9
//@ int 100
//@ array b0 0 128
//@ array b1 0 128
#include <rill/kernel.h>

kernel void until(int n, int a[n], int b[n], int stop)
{
    for (int s = 0; s < 6; s++) {
        if (a[s] == stop) return;
        for (int i = 0; i < n; i++) b[i] += s;
        a[s] = (a[s] + 1) & 7;
    }
}

kernel int run(int n, int a[128], int b[128])
{
    int steps = 0;
    for (int s = 0; s < 20; s++) {
        switch (a[s]) {
        case 1: continue;
        case 2: a[s + 70]++; break;
        }
        for (int i = 0; i < n; i++) b[i] += a[i] + s;
        steps++;
    }
    for (int s = 0; s < 20; s++) {
        for (int j = 0; j < 3; j++) {
            if (a[s + j] == 5) goto next;
            a[s + j] ^= 2;
        }
        for (int i = 0; i < n; i++) b[i] ^= s;
        steps += 3;
    next:
        a[s + 30]++;
    }
    for (int s = 0; s < 8; s++) {
        until(n, a, b, s);
        for (int i = 0; i < n; i++) b[i] += a[s];
        steps += 5;
    }
    int s = 0;
    do {
        if (a[s] & 1) continue;
        for (int i = 0; i < n; i++) b[i] -= s;
        if (a[s + 1] == 6) break;
        steps += 7;
    } while (++s < 20);
    for (int t = 0; t < 20; t++) {
        for (int i = 0; i < n; i++) b[i] = b[i] * 3 + t;
        switch (a[t] & 3) {
        case 0: break;
        case 3: if (a[t + 1] == 7) return steps + t;
        default: continue;
        }
        steps += 11;
    }
    return steps;
}
// nobody gives his word

// Many accesses of one loop: those that are alike are compared once, and families of them in one step.
#include <rill/kernel.h>

kernel void wraps_beside_what_does_not(unsigned n, int x[2 * n])
{
    for (unsigned i = 0; i < n; i++) { // expect: if
        x[(long)i * 2] = (int)n;
        x[i * 2] = 3 * (int)n;
    }
}

kernel void alike_updates(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        int at = b[i];
        h[at] += 1;
        h[at] += 2;
        h[at] += 3;
    }
}

static void bump(int *h, int at, int by)
{
    for (int k = 0; k < 2; k++) {
        h[at] += by;
    }
}

kernel void alike_updates_called(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        int at = b[i];
        bump(h, at, 1);
        bump(h, at, 2);
    }
}

kernel void within_a_step(long n, int *x)
{
    for (long i = 0; i < n; i++) { // expect: proven
        x[4 * i] = 1;
        x[4 * i + 1] += x[4 * i + 2];
        x[4 * i + 3] = x[4 * i] - 2;
    }
}

kernel void beyond_a_step(long n, int *x)
{
    for (long i = 0; i < n; i++) { // expect: in order
        x[4 * i] = 1;
        x[4 * i + 1] += x[4 * i + 2];
        x[4 * i + 3] = 2;
        x[4 * i + 4] += 5;
    }
}

kernel void wide_at_the_end(long n, char *x)
{
    for (long i = 0; i < n; i++) { // expect: in order
        x[8 * i] = 1;
        *(int *)(x + 8 * i + 6) = 2;
    }
}

kernel void columns(int n, int x[n][4])
{
    for (int i = 0; i < n; i++) { // expect: proven
        x[i][0] = i;
        x[i][1] += x[i][0];
        x[i][3] = x[i][2] + x[i][1];
    }
}

kernel void columns_and_one_below(int n, int x[n + 1][4])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i][0] = i;
        x[i][1] += x[i][0];
        x[i + 1][1] += 3;
        x[i + 1][0] = 4;
    }
}

kernel void under_conditions(int n, const int b[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (b[i] > 1) {
            x[i] = 1;
        }
        if (b[i] > 2) {
            x[i] += 2;
        }
        if (b[i] > 3) {
            x[i] = x[i] * 3;
        }
    }
}

kernel void backwards(int n, int x[2 * n])
{
    for (int i = n - 1; i >= 0; i -= 2) { // expect: any
        x[2 * i] = i;
        x[2 * i + 1] = x[2 * i] + 1;
    }
}

kernel void scattered(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        h[b[i]] = 1;
        h[b[i] + 1] = i;
        h[b[i] + 2] = 3;
    }
}

kernel void scattered_beside_fixed(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] = 1;
        h[b[i] + 1] = i;
        h[7] = i;
    }
}

kernel void scattered_and_followed(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] = 1;
        h[b[i] + 1] = i;
        h[b[0]] = i;
    }
}

kernel void scattered_by_its_own(int n, int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] = 1;
        h[b[i] + 1] = i;
        h[h[i & 7] & 15] = 2;
    }
}

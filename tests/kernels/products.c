// Products of floats: those of parts of them would be 0 or infinite where none of the source's is, so the bits are
// gcc's.
#include <rill/kernel.h>

// run: zero_first n=70000
// All parts but the first overflow; the source's product is 0 from the fourth number on.
kernel double zero_first(int n, const double a[n])
{
    double p = 1;
    for (int i = 0; i < n; i++) {
        p *= i == 3 ? 0 : a[i] * 1e90;
    }
    return p;
}

// run: zero_at_the_end n=70000
kernel float zero_at_the_end(int n, const float a[n])
{
    float p = 1;
    for (int i = 0; i < n; i++) {
        p *= i == n - 1 ? 0 : a[i] > 16 ? 0.5f : 1.9f;
    }
    return p;
}

// run: up_and_down n=70000
kernel void up_and_down(int n, const float a[n], float out[2])
{
    out[0] = out[1] = 1;
    for (int i = 0; i < n; i++) {
        out[1] *= i % 64 < 32 ? 16.0f : 1 / 16.0f;
        out[0] *= i < n / 2 ? 1 + a[i] / 1024 / n : 1 - a[i] / 1024 / n;
    }
}

// run: by_rows n=300 m=40
kernel void by_rows(int n, int m, const float a[n][m], float out[n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            out[i] *= a[i][j] / 16;
        }
    }
}

// run: by_keys n=5000
kernel void by_keys(int n, const int key[n], const float a[n], float out[100])
{
    for (int i = 0; i < n; i++) {
        out[key[i]] *= a[i] > 16 ? 2 : 0.25f;
    }
}

#include <math.h>
__rill_kernel__ void updates(int n, float e, float x[n], int k[n], unsigned char c[n])
{
    float lo = 1, s = 0;
    int ok = 1;
    x[0] += e;
    x[0] = e + x[0] - 2;
    x[0] = e * x[0];
    x[0] = e - x[0];
    k[0]++;
    k[1] = n + k[1] - 3;
    k[2] = k[2] ^ n;
    c[0] += n;
    c[1] = c[1] > c[0] ? c[1] : c[0];
    if (e < lo) lo = e;
    lo = lo < e ? lo : e;
    x[1] = fminf(x[1], e);
    if (x[2] <= e) { x[2] = e; }
    x[3] = x[3] < e ? x[3] : e;
    if (n < k[3]) k[3] = n;
    if (n < k[4]) k[4] = n; else k[5] = n;
    ok = ok && n > 3;
    s -= e;
    x[4] = s + lo + ok;
    k[0] /= 2;
    x[k[0]] += x[k[1]];
    x[k[0]] += x[k[0]];
}

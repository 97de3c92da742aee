__rill_kernel__ void forms(int n, long m, unsigned u, float a[n])
{
    for (int i = 0; i < n; i++) a[i] = 1;
    for (int i = n; i >= 0; i -= 2) a[i] = 2;
    for (int i = 0; i < m; i++) a[i] = 3;
    for (long i = 0; i < n; i++) a[i] = 4;
    for (int i = 0; i <= m; i = 3 + i) a[i] = 5;
    for (unsigned i = 0; u > i; ++i) a[i] = 6;
    for (unsigned char i = 0; i < 200; i++) a[i] = 7;
    for (unsigned char i = 0; i < n; i++) a[i] = 8;
    for (int i = 0; i != n; i++) { if (i == 3) continue; a[i] = 9; }
}

__rill_kernel__ void others(int n, int count[1], float a[n])
{
    for (int i = 0; i < count[0]; i++) a[i] = 1;
    for (int i = 0; i < n; i++) { if (a[i] > 2) break; a[i] = 2; }
    for (int i = 0; i < n; i *= 2) a[i] = 3;
    for (int i = 0; i < n; i++) { a[i] = 4; n--; }
#pragma rill serial
    for (int i = 0; i < n; i++) a[i] = 5;
    while (n > 0) n--;
}

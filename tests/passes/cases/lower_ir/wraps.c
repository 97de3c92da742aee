__rill_kernel__ void wraps(unsigned n, unsigned long m, float a[n])
{
    for (unsigned i = 0; i < n; i += 2) a[i] = 1;
    for (unsigned i = n; i > 0; i -= 2) a[i] = 1;
    for (unsigned long i = m; i >= 4; i -= 4) a[i] = 1;
    for (unsigned i = 0; i < m; i++) a[i] = 1;
    for (unsigned i = 64; i >= 2; i -= 2) a[i] = 1;
}

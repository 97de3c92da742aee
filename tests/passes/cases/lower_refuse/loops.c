__rill_kernel__ void loops(int n, float a[n])
{
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        if (a[i] > 3) break;
    }
#pragma rill parallel
    for (unsigned char i = 0; i < n; i++) a[i] = 1;
#pragma rill parallel
    for (int i = 0; i < n; i++) { a[i] = 2; i++; }
#pragma rill block_dim(64)
    for (int i = 1; i < n; i *= 2) a[i] = 3;
}

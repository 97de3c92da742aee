union bits { float f; unsigned u; };
__rill_kernel__ void kept(int n, int a[n])
{
    int list[4] = {1, 2, 3, 4}, x = 3, y = 4;
    int *p = n > 3 ? &x : &y;
    *p = 7;
    a[0] = list[n] + x;
    union bits b;
    b.f = (float)n;
    a[1] = (int)b.u;
    int small[2];
    small[0] = n;
    small[1] = small[0] + 1;
    a[2] = small[1];
    int *q = &small[1];
    *q += 5;
    a[3] = small[1];
}

__rill_kernel__ int jumps(int n, int a[n])
{
    int i = 0;
again:
    if (a[i] == 0) goto end;
    if (a[i] == 1) { i++; goto again; }
    switch (n) {
    case 1:
    case 2: a[0] = 1;
    case 3: a[1] = 2; break;
    default: return 5;
    }
end:
    return i;
}
__rill_kernel__ void irregular(int n, int a[n])
{
    if (n > 3) goto inside;
    while (n > 0) {
        a[n] = 1;
inside:
        n--;
    }
}

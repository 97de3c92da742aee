static float square(float x) { return x * x; }
static float clamp(float x, float hi)
{
    if (x > hi) return hi;
    return x;
}
static void both(float x, float *a, float *b) { *a = x; *b = -x; }
__rill_kernel__ void scale(int n, float f, float x[n])
{
    for (int i = 0; i < n; i++) x[i] *= f;
}
__rill_kernel__ void inlining(int n, float x[n])
{
    float p, q;
    both(square(x[0]), &p, &q);
    x[1] = clamp(p, q);
    scale(n, x[1], x);
    __rill_stream_parallel__ { scale(n - 1, 2, x + 1); }
#pragma rill in_order
    __rill_stream_parallel__ { scale(n, 3, x); }
    x[0] = 1;
    __rill_stream_parallel__ { scale(n, 4, x); }
}

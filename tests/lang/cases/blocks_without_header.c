__rill_kernel__ void f(int n, float x[n])
{
    stream_parallel { x[0] = 1; }
    stream_parallel { x[1] = 1; }
}

kernel void f(int n, float x[n])
{
    for (int i = 0; i < n; i++) x[i] = sqrtf(x[i]);
}

kernal void g(int n) { n = 1; }

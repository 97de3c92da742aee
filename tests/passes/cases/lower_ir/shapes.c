struct point { float x, y; };
__rill_kernel__ int shapes(int n, int m, const float a[n + 1][m][3], float *restrict p, struct point s, struct point q[n])
{
    float local[4] = {0, 1};
    p[2] = a[1][m - 1][2] + local[n];
    n = 5;
    q[n].y = s.x;
    p++;
    *p = local[1];
    return a[0][0][0] > 0;
}

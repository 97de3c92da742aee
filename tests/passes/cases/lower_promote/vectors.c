struct vec { float x, y; };
static struct vec add(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y}; }
static void split(float v, float *whole, float *rest) { *whole = (int)v; *rest = v - *whole; }
__rill_kernel__ void vectors(int n, struct vec p[n], float f[n])
{
    for (int i = 0; i < n; i++) {
        struct vec v = p[i], w = {0};
        w.x = 2;
        v = add(v, w);
        p[i] = v;
        float whole, rest;
        split(f[i], &whole, &rest);
        f[i] = rest;
    }
}

struct grid { int n, m; };
static void clear(const struct grid *g, float *a)
{
    for (int i = 0; i < g->n; i++) a[i] = 0;
}
static void shrink(struct grid *g, float *a)
{
    for (int i = 0; i < g->m; i++) { a[i] = 1; g->m--; }
}
__rill_kernel__ void bounds(int n, float a[n])
{
    struct grid g = {n, n / 2};
    clear(&g, a);
    shrink(&g, a);
}

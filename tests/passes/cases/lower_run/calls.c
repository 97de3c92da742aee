#include <rill/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

long counter = 5;
static int table[4] = {1, 2, [3] = 4};
const float weights[] = {0.5f, 1.5f, 2.5f};
static const int size = 3;
struct item { const char *name; int *where; double d; short s[3]; };
static struct item items[2] = {{"one", &table[2], 1.5, {1, 2, 3}}, {"two", table + 3, -2, {4}}};
static long *pointer = &counter;
static const char *const names[] = {"red", "green", "blue"};
_Bool flag = 3;
unsigned char bytes[3] = "abc";

static int bump(int by) { counter += by; return (int)counter; }
static double poly(double x) { return 1 + x * (2 + x * 3); }
static long sum(int n, const long a[n]) { long s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
static void fill(int n, int m, long a[n][m], long v) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = v + i * 10 + j; }
static long corner(int n, int m, long (*a)[m]) { return a[n - 1][m - 1]; }
static int twice(int n) { n *= 2; return n; }
static int count_static(int x) { static const int steps[] = {1, 10, 100}; return steps[x % 3 < 0 ? 0 : x % 3]; }

kernel long helpers(long seed, long out[64], double real[64])
{
    int k = (int)(seed & 7);
    out[0] = twice(k) + twice(twice(k));
    real[0] = poly(poly((double)k));
    long grid[3][4];
    fill(3, 4, grid, seed);
    out[1] = sum(12, &grid[0][0]);
    out[2] = corner(3, 4, grid);
    out[3] = sum(size, out);
    out[4] = count_static(k);
    out[5] = abs(-k) + labs(seed) + llabs(-5);
    memset(grid, 0, sizeof grid);
    out[6] = sum(12, grid[0]);
    memmove(out + 8, out, 4 * sizeof *out);
    assert(k < 100);
    out[20] = twice(k) > 3 && twice(k) < 9 ? twice(1) : twice(2);
    return k;
}

kernel long globals(long seed, long out[64], double real[64])
{
    counter = 5;
    table[2] = 0;
    out[0] = bump(1) + bump(2) * 10;
    out[1] = counter;
    out[2] = table[0] + table[3];
    table[seed & 3] = (int)seed;
    *items[0].where += 4;
    out[3] = table[2];
    real[0] = weights[seed & 1] + items[1].d;
    out[4] = items[0].name[0] + items[1].s[0] + items[1].s[2];
    *pointer += 10;
    out[5] = counter;
    out[6] = names[seed & 1][1];
    out[7] = flag + bytes[2];
    table[0] = 1; table[1] = 2; table[2] = 0; table[3] = 4;
    int order = bump(0) - bump(1);
    out[8] = order;
    return sizeof items;
}

kernel void inner(int n, long a[n], long v)
{
    if (v == 3) return;
    for (int i = 0; i < n; i++) a[i] += v * i;
    n = 4;
    a += 2;
    a[0] = n;
}

kernel long kernels(long seed, long out[64], double real[64])
{
    inner(10, out, seed);
    for (int i = 0; i < 3; i++) inner(i + 4, out + 10 * i, i + 2);
    stream_parallel { inner(5, out + 40, 1); }
    stream_parallel { inner(5, out + 50, 2); }
    return out[2];
}

kernel long shapes(long seed, long out[64], double real[64])
{
    int n = 4, m = (int)(seed & 3) + 2;
    long (*a)[m] = (long (*)[m])out;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 100 + j;
    m = 77;
    out[40] = a[1][1];
    out[41] = sizeof *a;
    out[42] = sizeof(char[n + 1]);
    out[43] = a[3] - a[1];
    return 0;
}

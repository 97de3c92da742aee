// Kernels that call kernels, helpers of every shape, order of arguments.
#include <rill/kernel.h>
#include <stdbool.h>
#include <stdint.h>

kernel void scale(int n, float s, float a[n])
{
    for (int i = 0; i < n; i++) {
        a[i] *= s;
    }
}

kernel int largest(int n, const int a[n])
{
    int m = a[0];
    for (int i = 1; i < n; i++) {
        m = a[i] > m ? a[i] : m;
    }
    return m;
}

kernel void step(int n, const float a[n], float b[n])
{
    for (int i = 1; i < n - 1; i++) {
        b[i] = (a[i - 1] + a[i + 1]) * 0.5f;
    }
}

// run: compose n=100 rounds=6
kernel void compose(int n, int rounds, float a[n], float b[n])
{
    for (int t = 0; t < rounds; t++) {
        step(n, a, b);
        step(n, b, a);
        scale(n / 2, 0.75f, a);
    }
}

// run: results n=300
kernel int results(int n, const int a[n], int b[n])
{
    int m = largest(n, a);
    for (int i = 0; i < n; i++) {
        b[i] = m - a[i];
    }
    return largest(n, b) * 1000 + largest(n / 2, a);
}

kernel void row_sum(int n, const int a[n], int out[1])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    out[0] = s;
}

// Inside a parallel loop a kernel is a helper.
// run: as_helper n=30 m=40
kernel void as_helper(int n, int m, const int a[n][m], int out[n])
{
    for (int i = 0; i < n; i++) {
        row_sum(m, a[i], &out[i]);
        out[i] += largest(m, a[i]);
    }
}

kernel int early(int n, int a[n], int k)
{
    if (k == 0) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] == k) {
            return i;
        }
    }
    for (int i = 0; i < n; i++) {
        a[i] = k;
    }
    return n;
}

// run: returns_early n=50
kernel int returns_early(int n, int a[n])
{
    int x = early(n, a, 0);
    int y = early(n, a, a[20]);
    int z = early(n, a, 5000);
    int w = early(n, a, 5000);
    return x + y * 10 + z * 1000 + w * 100000;
}

static int square(int x)
{
    return x * x;
}

static int twice(int x)
{
    return square(x) + square(x + 1);
}

static int chain(int x)
{
    return twice(x) - square(twice(x) & 15);
}

// run: graph n=200
kernel void graph(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = chain(a[i]) + twice(i);
    }
}

static bool divide(int a, int b, int *quotient, int *rest)
{
    if (b == 0) {
        return false;
    }
    *quotient = a / b;
    if (rest) {
        *rest = a % b;
    }
    return true;
}

// run: outputs n=200
kernel int outputs(int n, const int a[n], int q[n], int r[n])
{
    int failures = 0;
    for (int i = 0; i < n; i++) {
        int t = 0;
        if (!divide(a[i] * 100, a[i] % 5, &q[i], &r[i])) {
            failures++;
            q[i] = -1;
        }
        divide(i, 7, &t, 0);
        q[i] += t;
    }
    return failures;
}

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static void sort(int n, int a[])
{
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            swap(&a[j - 1], &a[j]);
        }
    }
}

// run: sorted_rows n=30
kernel void sorted_rows(int n, int a[n][9])
{
    for (int i = 0; i < n; i++) {
        sort(9, a[i]);
    }
}

// run: median n=100
kernel void median(int n, const int a[n], int b[n])
{
    for (int i = 2; i < n - 2; i++) {
        int w[5];
        for (int k = 0; k < 5; k++) {
            w[k] = a[i - 2 + k];
        }
        sort(5, w);
        b[i] = w[2];
    }
}

static int8_t narrow(int8_t a, uint8_t b, bool c, short d)
{
    return a + b * c - d; // converted on the way in and out
}

static float to_float(double x)
{
    return x;
}

static double to_double(int x)
{
    return x;
}

static unsigned char wrapped(int x)
{
    return x;
}

// run: conversions n=200 wild
kernel void conversions(int n, const int a[n], int b[n], double c[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = narrow(a[i], a[i], a[i] & 6, a[i]) + wrapped(a[i] >> 3);
        c[i] = to_float(a[i] / 3.0) + to_double(a[i] & 0xffff) + to_float(0.1);
    }
}

static int depth1(int *p)
{
    return (*p)++;
}

static int depth2(int **p)
{
    int x = depth1(*p);
    *p += 1;
    return x;
}

// run: pointers_down n=40
kernel int pointers_down(int n, int a[n])
{
    int sum = 0;
    int *p = a;
    for (int i = 0; i < n; i++) {
        sum += depth2(&p);
    }
    return sum + (int)(p - a);
}

static const int *find(const int *from, const int *to, int what)
{
    for (; from < to; from++) {
        if (*from == what) {
            return from;
        }
    }
    return 0;
}

// run: returned_pointers n=60
kernel int returned_pointers(int n, const int a[n])
{
    int found = 0;
    for (int i = 0; i < 100; i++) {
        const int *p = find(a, a + n, i);
        if (p) {
            found += (int)(p - a);
        }
    }
    return found;
}

static int *slot_of(int a[], int key)
{
    return &a[key & 7];
}

// run: through_returned n=100
kernel void through_returned(int n, const int key[n], int a[8])
{
    for (int i = 0; i < n; i++) {
        *slot_of(a, key[i]) += i;
    }
}

static inline int clampi(int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static int sample(int n, int m, const int a[n][m], int i, int j)
{
    return a[clampi(i, 0, n - 1)][clampi(j, 0, m - 1)];
}

// run: blur n=30 m=40
kernel void blur(int n, int m, const int a[n][m], int b[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int s = 0;
            for (int di = -1; di <= 1; di++) {
                for (int dj = -1; dj <= 1; dj++) {
                    s += sample(n, m, a, i + di, j + dj);
                }
            }
            b[i][j] = s / 9;
        }
    }
}

static int many(int a, long b, float c, double d, char e, short f, unsigned g, int64_t h, int8_t i, uint16_t j)
{
    return a + (int)b * 2 + (int)c * 3 + (int)d * 4 + e * 5 + f * 6 + (int)g * 7 + (int)h * 8 + i * 9 + j * 10;
}

// run: many_arguments n=50
kernel void many_arguments(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = many(a[i], a[i] + 1, a[i] * 0.5f, a[i] * 0.25, a[i], -a[i], i, 3 - i, i, 65535 + i);
    }
}

static int used_later(int x);

// run: declared_before n=10
kernel int declared_before(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += used_later(i);
    }
    return s;
}

static int used_later(int x)
{
    return x * 3 + 1;
}

static void nothing(void)
{
}

static void maybe(int *p, int k)
{
    nothing();
    if (k < 0) {
        return;
    }
    *p = k;
}

// run: voids n=40
kernel void voids(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++) {
        maybe(&b[i], a[i] - 50);
        (void)a[i];
    }
}

// Parameters declared before the body, calls before it, and library functions declared by hand.
void *memset(void *, int, unsigned long);
double sqrt(double);
int later();

static int weigh(a, b, c)
short a;
int b;
char c;
{
    return a * 3 + b - c;
}

static int old_sum(n, a)
int n;
const int a[n];
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i];
    }
    return s;
}

// run: old_style n=40
kernel int old_style(int n, int a[n][9])
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int z[4];
        memset(z, 0, sizeof z);
        a[i][0] = weigh(a[i][1], i, a[i][2]) + later(i, 2.5f) + z[i % 4];
        total += old_sum(9, a[i]) + (int)sqrt(i);
    }
    return total;
}

int later(c, x)
char c;
float x;
{
    return c * 10 + (int)(x * 2);
}

// Loops as engineers write them, and the traps in them. Each is compared with its gcc build bit by bit.
#include <rill/kernel.h>

typedef struct {
    float x, y, z;
} vec3;
// struct vec3: fff

static vec3 add(vec3 a, vec3 b)
{
    vec3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static void split(float v, float *whole, float *rest)
{
    *whole = floorf(v);
    *rest = v - *whole;
}

// run: structs n=1001
kernel void structs(int n, const vec3 a[n], const vec3 b[n], vec3 c[n])
{
    for (int i = 0; i < n; i++) {
        c[i] = add(a[i], b[i]);
    }
}

// run: out_params n=1001
kernel void out_params(int n, const float a[n], float b[n], float c[n])
{
    for (int i = 0; i < n; i++) {
        float x, y;
        split(a[i] * 0.3f, &x, &y);
        b[i] = x;
        c[i] = y;
    }
}

// run: argmin n=5000
// run: argmin n=0
kernel int argmin(int n, const float a[n])
{
    float best = 1e30f;
    int k = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] * ((i * 7) % 13 + 1) < best) {
            best = a[i] * ((i * 7) % 13 + 1);
            k = i;
        }
    }
    return k;
}

// run: argmax_last n=5000
kernel int argmax_last(int n, const int a[n])
{
    int best = -1, k = -1;
    for (int i = 0; i < n; i++) {
        if (best <= a[i]) {
            best = a[i];
            k = i;
        }
    }
    return k * 1000 + best;
}

// run: last n=5000
kernel int last(int n, const int a[n])
{
    int k = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] % 7 == 3) {
            k = i;
        }
    }
    return k;
}

// run: prefix n=3000
kernel void prefix(int n, int a[n])
{
    for (int i = 1; i < n; i++) {
        a[i] += a[i - 1];
    }
}

// run: triangle n=90
kernel void triangle(int n, float a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = i * 1.0f + j;
        }
    }
}

// run: linear n=50 m=70
kernel void linear(int n, int m, float a[n * m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i * m + j] += i + j;
        }
    }
}

// run: flat n=50 m=70
kernel void flat(int n, int m, float a[n][m])
{
    for (int k = 0; k < n * m; k++) {
        a[k / m][k % m] = k;
    }
}

// run: reverse n=2001
kernel void reverse(int n, int a[n])
{
    for (int i = 0; i < n / 2; i++) {
        int t = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = t;
    }
}

// run: even_odd n=2000
kernel void even_odd(int n, int a[n])
{
    stream_parallel
    {
        for (int i = 0; i < n / 2; i++) {
            a[2 * i] = i;
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n / 2; i++) {
            a[2 * i + 1] = -i;
        }
    }
}

// run: transpose n=120
kernel void transpose(int n, const float a[n][n], float b[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            b[j][i] = a[i][j];
        }
    }
}

// run: gauss_seidel n=3000
kernel void gauss_seidel(int n, float a[n])
{
    for (int i = 1; i < n - 1; i++) {
        a[i] = 0.5f * (a[i - 1] + a[i + 1]);
    }
}

// run: column_sums n=300 m=50 ~ 1e-6
kernel void column_sums(int n, int m, const float a[n][m], float s[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            s[j] += a[i][j];
        }
    }
}

// run: c89 n=1000
kernel void c89(int n, const float a[n], float b[n])
{
    int i;
    float t;
    for (i = 0; i < n; i++) {
        t = a[i] * 2;
        b[i] = t * t;
    }
}

// run: fnv n=1000
kernel unsigned fnv(int n, const unsigned char a[n])
{
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) {
        h ^= a[i];
        h *= 16777619u;
    }
    return h;
}

// run: after n=1000
kernel int after(int n, int a[n])
{
    int i;
    for (i = 0; i < n; i += 7) {
        a[i] = i;
    }
    return i;
}

// run: down n=1000
kernel unsigned down(unsigned n, unsigned a[n])
{
    unsigned i;
    for (i = n; i > 3; i -= 3) {
        a[i - 1] = i;
    }
    return i;
}

// run: integers n=4000
kernel long integers(int n, const int a[n], const short b[n], unsigned char c[n])
{
    long s = 7;
    unsigned x = 0, o = 0, m = ~0u;
    int lo = 1000, hi = -1000, p = 1;
    for (int i = 0; i < n; i++) {
        s += a[i] * b[i];
        x ^= a[i] * 2654435761u;
        o |= b[i];
        m &= a[i] | 64;
        lo = a[i] < lo ? a[i] : lo;
        if (b[i] > hi) {
            hi = b[i];
        }
        p *= a[i] | 1;
        c[i] = a[i] + b[i];
    }
    return s + x + o + m + lo + hi + p;
}

// run: histogram n=20000 bins=100
kernel void histogram(int n, int bins, const int x[n], int count[bins])
{
    for (int i = 0; i < n; i++) {
        count[x[i]]++;
    }
}

// run: total n=5000
kernel void total(int n, const int a[n], int out[4])
{
    for (int i = 0; i < n; i++) {
        out[0] += a[i];
        out[1] -= a[i] / 2;
        if (a[i] > out[2]) {
            out[2] = a[i];
        }
        out[3] ^= i;
    }
}

// run: shift n=1000 k=3
// run: shift n=1000 k=2000
// run: shift n=1000 k=0
kernel void shift(int n, int k, int a[n + k])
{
    for (int i = 0; i < n; i++) {
        a[i] = a[i + k] + 1;
    }
}

// run: stride n=100 s=3
// run: stride n=100 s=0
kernel void stride(int n, int s, int a[n * 3 + 1])
{
    for (int i = 0; i < n; i++) {
        a[i * s] = i;
    }
}

// run: time n=500 steps=20
kernel float time(int n, int steps, float a[n], float b[n])
{
    float last = 0;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            b[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
        }
        for (int i = 1; i < n - 1; i++) {
            a[i] = b[i];
        }
        if (a[1] > 1e6f) {
            return -1;
        }
        last = a[n / 2];
    }
    return last;
}

// run: search n=3000 what=77
// run: search n=3000 what=7777
kernel int search(int n, int what, const int a[n])
{
    for (int i = 0; i < n; i++) {
        if (a[i] == what) {
            return i;
        }
    }
    return -1;
}

// run: rows n=60 m=40
kernel void rows(int n, int m, const int a[n][m], int out[n])
{
    for (int i = 0; i < n; i++) {
        int tmp[8] = {0};
        for (int j = 0; j < m; j++) {
            if (a[i][j] == 13) {
                continue;
            }
            tmp[j % 8] += a[i][j];
        }
        int s = 0;
        for (int k = 0; k < 8; k++) {
            s = s * 3 + tmp[k];
        }
        out[i] = s;
    }
}

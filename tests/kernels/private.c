// Scalars, arrays and structs that belong to an iteration, and what they hold afterwards.
#include <rill/kernel.h>

// run: temporaries n=500
kernel int temporaries(int n, const int a[n], int b[n])
{
    int t, u = 3, v = 8;
    int i;
    for (i = 0; i < n; i++) {
        t = a[i] * 2;
        if (a[i] > 95) {
            v = t;
        }
        u = t + i;
        b[i] = u * t;
    }
    return t + u * 3 + v * 5 + i * 7;
}

// run: maybe_last n=500
// run: maybe_last n=0
kernel int maybe_last(int n, const int a[n])
{
    int where = -1, value = 17;
    for (int i = 0; i < n; i++) {
        if (a[i] == 33) {
            where = i;
            value = a[(i + 1) % n];
        }
    }
    return where * 1000 + value;
}

// run: conditional_read n=300
kernel int conditional_read(int n, const int a[n], int b[n])
{
    int last = 0;
    for (int i = 0; i < n; i++) { // carries: read before written on some paths
        if (a[i] > 50) {
            last = a[i];
        }
        b[i] = last;
    }
    return last;
}

// run: inner_counters n=40 m=30
kernel int inner_counters(int n, int m, const int a[n][m], int b[n])
{
    int i, j, s;
    for (i = 0; i < n; i++) {
        s = 0;
        for (j = 0; j < m; j++) {
            s += a[i][j] * j;
        }
        b[i] = s;
    }
    return i * 100 + j + s;
}

// run: work_array n=200
kernel void work_array(int n, const int a[n], int b[n])
{
    int w[8];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 8; k++) {
            w[k] = a[i] * k;
        }
        w[a[i] % 8] = 100;
        int s = 0;
        for (int k = 0; k < 8; k++) {
            s = s * 3 + w[7 - k];
        }
        b[i] = s;
    }
}

struct pair {
    int lo, hi;
};

// run: work_struct n=300
kernel void work_struct(int n, const int a[n], int b[n])
{
    struct pair p;
    for (int i = 0; i < n; i++) {
        p.lo = a[i] < 50 ? a[i] : 50;
        p.hi = a[i] > 50 ? a[i] : 50;
        b[i] = p.hi * 100 + p.lo;
    }
}

static void minmax(int x, int y, struct pair *out)
{
    out->lo = x < y ? x : y;
    out->hi = x < y ? y : x;
}

// run: through_helper n=300
kernel void through_helper(int n, const int a[n], int b[n])
{
    struct pair p;
    int rest;
    for (int i = 0; i < n; i++) {
        minmax(a[i], 42, &p);
        rest = p.hi - p.lo;
        b[i] = p.lo + rest * 1000;
    }
}

// run: carried n=300
kernel int carried(int n, const int a[n], int b[n])
{
    int prev = 7, sum = 0;
    for (int i = 0; i < n; i++) {
        b[i] = a[i] - prev;
        prev = a[i];
        sum = (sum + a[i]) % 101;
    }
    return prev * 1000 + sum;
}

// run: kept_array n=100
kernel int kept_array(int n, const int a[n])
{
    int hist[10] = {0};
    for (int i = 0; i < n; i++) {
        hist[a[i] % 10]++;
    }
    int h = 0;
    for (int k = 0; k < 10; k++) {
        h = h * 7 + hist[k];
    }
    return h;
}

// run: parameter_written n=100 k=5
kernel int parameter_written(int n, int k, int a[n])
{
    for (int i = 0; i < n; i++) {
        k = a[i] * 3;
        a[i] = k + 1;
    }
    n = n / 2;
    for (int i = 0; i < n; i++) {
        a[i] += k;
    }
    return n + k;
}

// run: across_tasks n=200
kernel int across_tasks(int n, const int a[n], int b[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
    }
    int mean = sum / n;
    float weight[4] = {1, mean, 0.5f};
    for (int i = 0; i < n; i++) {
        b[i] = a[i] - mean + (int)weight[i % 4];
    }
    struct pair p = {mean, sum};
    weight[3] = b[3];
    for (int i = 0; i < n; i++) {
        b[i] += p.lo * 2 + p.hi + (int)weight[3];
    }
    return mean;
}

// run: stack n=100
kernel void stack(int n, const int a[n], int b[n])
{
    int st[32], top;
    for (int i = 0; i < n; i++) {
        top = 0;
        st[top++] = a[i];
        int s = 0;
        while (top > 0) {
            int x = st[--top];
            s += x;
            if (x > 10 && top < 30) {
                st[top++] = x / 2;
                st[top++] = x / 3;
            }
        }
        b[i] = s;
    }
}

// run: address_taken n=100
kernel int address_taken(int n, const int a[n])
{
    int total = 0;
    int *p = &total;
    for (int i = 0; i < n; i++) {
        *p += a[i];
    }
    return total;
}

// run: two_writers n=200
kernel int two_writers(int n, const int a[n], int b[n])
{
    int x;
    for (int i = 0; i < n; i++) {
        if (a[i] % 2) {
            x = 1;
        } else {
            x = a[i];
        }
        b[i] = x;
    }
    return x;
}

// run: unused_after n=64 m=16
kernel void unused_after(int n, int m, const float a[n][m], float b[n])
{
    float row[16];
    int i, j, best;
    for (i = 0; i < n; i++) {
        best = 0;
        for (j = 0; j < m; j++) {
            row[j] = a[i][j] * (j + 1);
            if (row[j] > row[best]) {
                best = j;
            }
        }
        b[i] = row[best] + best;
    }
}

// run: matrices n=50
kernel void matrices(int n, const float a[n][3][3], float b[n][3][3])
{
    for (int i = 0; i < n; i++) {
        float t[3][3], u[3][3] = {{1}, {0, 1}, {0, 0, 1}};
        for (int round = 0; round < 3; round++) {
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c < 3; c++) {
                    t[r][c] = 0;
                    for (int k = 0; k < 3; k++) {
                        t[r][c] += u[r][k] * a[i][k][c];
                    }
                }
            }
            for (int r = 0; r < 9; r++) {
                u[r / 3][r % 3] = t[r / 3][r % 3] * 0.015625f;
            }
        }
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                b[i][r][c] = u[r][c];
            }
        }
    }
}

struct cell {
    int key;
    float weight[2];
    short tag;
};

// Of each element the members that are read were written by the same iteration; the others nobody reads.
// run: members_of_elements n=2000 m=9
kernel void members_of_elements(int n, int m, const int x[n][m], int y[n])
{
    struct cell t[9];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 9; j++) {
            t[j].key = x[i][j] + i;
            t[j].tag = (short)(i - j);
        }
        int s = 0;
        for (int j = 8; j >= 0; j--) {
            s = s * 3 + t[j].key * t[j].tag;
        }
        y[i] = s + t[4].key;
    }
}

union word {
    int i;
    short half[2];
};

// One half comes from the iteration, the other from the one before.
// run: halves_of_elements n=2000
kernel void halves_of_elements(int n, const int x[n], int y[n])
{
    union word t[5];
    for (int j = 0; j < 5; j++) {
        t[j].i = j;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 5; j++) {
            t[j].half[1] = (short)(x[i] + j);
        }
        int s = 0;
        for (int j = 0; j < 5; j++) {
            s ^= t[j].i;
            t[j].half[0] = (short)(s + i);
        }
        y[i] = s;
    }
}

// run: half_elements n=2000
kernel void half_elements(int n, const int x[n], int y[n])
{
    union word t[5];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 5; j++) {
            t[j].half[1] = (short)(x[i] + j * i);
        }
        int s = 0;
        for (int j = 0; j < 5; j++) {
            s = s * 5 + t[j].half[1];
        }
        y[i] = s;
    }
}

// Whole algorithms as engineers write them.
#include <rill/kernel.h>

struct config {
    int stride;
    int n;
    float weight[3];
};

kernel void struct_stride(struct config c, float *a)
{
    for (int i = 0; i < c.n; i++) { // expect: if
        a[(long)i * c.stride] = 1.5f * i;
    }
}

kernel void struct_pitch(struct config c, int n, float *a)
{
    for (int i = 0; i < n; i++) {       // expect: proven
        for (int j = 0; j < c.n; j++) { // expect: proven
            a[(long)i * c.n + j] = 1.5f * i * c.weight[0];
        }
    }
}

kernel void swapped_buffers(int n, int steps, float *a, float *b)
{
    float *now = a, *next = b;
    for (int t = 0; t < steps; t++) {     // expect: in order
        for (int i = 1; i < n - 1; i++) { // expect: if
            next[i] = now[i - 1] + now[i + 1];
        }
        float *other = now;
        now = next;
        next = other;
    }
}

kernel void swapped_buffers_while(int n, int steps, float *a, float *b)
{
    float *now = a, *next = b;
    while (steps-- > 0) {
        for (int i = 1; i < n - 1; i++) { // expect: if
            next[i] = now[i - 1] + now[i + 1];
        }
        float *other = now;
        now = next;
        next = other;
    }
}

kernel void butterflies(int n, int stages, float *x)
{
    for (int s = 0; s < stages; s++) { // expect: in order
        int h = 1 << s;
        for (int k = 0; k < n / 2; k++) { // expect: if
            int g = k / h, j = k % h;
            int p = g * 2 * h + j, q = p + h;
            float t = x[q];
            x[q] = x[p] - t;
            x[p] = x[p] + t;
        }
    }
}

kernel void flat_transpose_in_place(int n, float *a)
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < i; j++) { // expect: proven
            float t = a[(long)i * n + j];
            a[(long)i * n + j] = a[(long)j * n + i];
            a[(long)j * n + i] = t;
        }
    }
}

kernel void image(int n, int m, const float *in, float *out)
{
    for (int i = 0; i < n; i++) {         // expect: proven
        for (int j = 0; j < m; j++) {     // expect: proven
            for (int c = 0; c < 3; c++) { // expect: proven
                out[((long)i * m + j) * 3 + c] = in[((long)i * m + j) * 3 + c] * 2;
            }
        }
    }
}

kernel void convolution(int n, int m, int r, const float in[n][m], const float w[2 * r + 1][2 * r + 1], float out[n][m])
{
    for (int i = r; i < n - r; i++) {     // expect: proven
        for (int j = r; j < m - r; j++) { // expect: proven
            float s = 0;
            for (int di = -r; di <= r; di++) {     // expect: proven
                for (int dj = -r; dj <= r; dj++) { // expect: proven
                    s += in[i + di][j + dj] * w[di + r][dj + r];
                }
            }
            out[i][j] = s;
        }
    }
}

kernel void heat(int n, const float a[n][n][n], float b[n][n][n])
{
    for (int i = 1; i < n - 1; i++) {         // expect: proven
        for (int j = 1; j < n - 1; j++) {     // expect: proven
            for (int k = 1; k < n - 1; k++) { // expect: proven
                b[i][j][k] = a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] + a[i][j][k - 1] +
                             a[i][j][k + 1];
            }
        }
    }
}

kernel void odd_even_sort(int n, float x[n])
{
    for (int p = 0; p < n; p++) { // expect: in order
        int start = p % 2;
        for (int i = start; i < n - 1; i += 2) { // expect: proven
            if (x[i] > x[i + 1]) {
                float t = x[i];
                x[i] = x[i + 1];
                x[i + 1] = t;
            }
        }
    }
}

kernel void merge_runs(int n, const float x[n], float y[n])
{
    for (int low = 0; low < n; low += 64) { // expect: proven
        int middle = low + 32, high = low + 64, i = low, j = middle;
        for (int k = low; k < high; k++) { // expect: in order
            if (i < middle && (j >= high || x[i] <= x[j])) {
                y[k] = x[i];
                i++;
            } else {
                y[k] = x[j];
                j++;
            }
        }
    }
}

kernel void prefix_by_doubling(int n, int stages, const float *in, float *a, float *b)
{
    for (int s = 0; s < stages; s++) { // expect: in order
        int h = 1 << s;
        for (int i = 0; i < n; i++) { // expect: proven
            b[i] = i >= h ? a[i] + a[i - h] : a[i];
        }
        for (int i = 0; i < n; i++) { // expect: proven
            a[i] = b[i];
        }
    }
}

kernel void particles(int n, int cells, const float x[n], int count[cells], int start[cells + 1], int order[n])
{
    for (int c = 0; c < cells; c++) { // expect: proven
        count[c] = 0;
    }
    for (int i = 0; i < n; i++) { // expect: proven
        count[(int)x[i]]++;
    }
    int sum = 0;
    for (int c = 0; c < cells; c++) { // expect: in order
        start[c] = sum;
        sum += count[c];
    }
    start[cells] = sum;
    for (int i = 0; i < n; i++) { // expect: atomics
        int at = rill_atomic_sub(&count[(int)x[i]], 1) - 1;
        order[start[(int)x[i]] + at] = i;
    }
}

kernel void conjugate_gradient(int n, int rounds, const int row[n + 1], const int column[], const float value[],
                               float x[n], float r[n], float p[n], float q[n])
{
    float rr = 0;
    for (int i = 0; i < n; i++) { // expect: proven
        rr += r[i] * r[i];
    }
    for (int k = 0; k < rounds; k++) { // expect: in order
        float pq = 0;
        for (int i = 0; i < n; i++) { // expect: proven
            float s = 0;
            for (int e = row[i]; e < row[i + 1]; e++) { // expect: proven
                s += value[e] * p[column[e]];
            }
            q[i] = s;
            pq += s * p[i];
        }
        float alpha = rr / pq, next = 0;
        for (int i = 0; i < n; i++) { // expect: proven
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        float beta = next / rr;
        rr = next;
        for (int i = 0; i < n; i++) { // expect: proven
            p[i] = r[i] + beta * p[i];
        }
    }
}

kernel void k_means(int n, int k, const float x[n], float centre[k], float sum[k], int count[k], int label[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float best = 1e30f;
        int at = 0;
        for (int c = 0; c < k; c++) { // expect: proven
            float d = (x[i] - centre[c]) * (x[i] - centre[c]);
            if (d < best) {
                best = d;
                at = c;
            }
        }
        label[i] = at;
        sum[at] += x[i];
        count[at]++;
    }
    for (int c = 0; c < k; c++) { // expect: proven
        if (count[c] > 0) {
            centre[c] = sum[c] / count[c];
        }
    }
}

kernel void dynamic_programming(int n, int m, const char a[n], const char b[m], int d[n + 1][m + 1])
{
    for (int i = 1; i <= n; i++) {     // expect: in order
        for (int j = 1; j <= m; j++) { // expect: in order
            int best = d[i - 1][j] > d[i][j - 1] ? d[i - 1][j] : d[i][j - 1];
            d[i][j] = a[i - 1] == b[j - 1] ? d[i - 1][j - 1] + 1 : best;
        }
    }
}

kernel void knapsack(int items, int capacity, const int weight[items], const int worth[items], int best[capacity + 1])
{
    for (int i = 0; i < items; i++) {                     // expect: any
        for (int c = capacity; c >= weight[i]; c--) { // expect: any
            int with = best[c - weight[i]] + worth[i];
            if (with > best[c]) {
                best[c] = with;
            }
        }
    }
}

kernel void blur(int h, int w, const unsigned char *in, unsigned char *out)
{
    for (int y = 1; y < h - 1; y++) {     // expect: if
        for (int x = 1; x < w - 1; x++) { // expect: if
            int s = 0;
            for (int dy = -1; dy <= 1; dy++) {     // expect: proven
                for (int dx = -1; dx <= 1; dx++) { // expect: proven
                    s += in[(y + dy) * w + (x + dx)];
                }
            }
            out[y * w + x] = s / 9;
        }
    }
}

kernel void upsample(int n, int m, const float in[n][m], float out[2 * n][2 * m])
{
    for (int i = 0; i < 2 * n; i++) {     // expect: proven
        for (int j = 0; j < 2 * m; j++) { // expect: proven
            out[i][j] = in[i / 2][j / 2];
        }
    }
}

kernel void tiled_product(int n, const float a[n][n], const float b[n][n], float c[n][n])
{
    for (int ii = 0; ii < n; ii += 32) {         // expect: proven
        for (int jj = 0; jj < n; jj += 32) {     // expect: proven
            for (int kk = 0; kk < n; kk += 32) { // expect: in order
                for (int i = ii; i < ii + 32; i++) {     // expect: proven
                    for (int j = jj; j < jj + 32; j++) { // expect: proven
                        float s = c[i][j];
                        for (int k = kk; k < kk + 32; k++) { // expect: proven
                            s += a[i][k] * b[k][j];
                        }
                        c[i][j] = s;
                    }
                }
            }
        }
    }
}

kernel void rotated(int n, int k, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: if
        y[(i + k) % n] = x[i];
    }
}

kernel void rotated_in_place(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[(i + 1) % n] = x[i];
    }
}

kernel void three_parts(int n, float *p)
{
    float *x = p, *y = p + n, *z = p + 2 * n;
    for (int i = 0; i < n; i++) { // expect: if
        x[i] += 1;
        y[i] += x[i];
        z[i] = x[i] * y[i];
    }
}

static void turn(float *x, float *y, float c, float s)
{
    float t = *x;
    *x = c * t - s * *y;
    *y = s * t + c * *y;
}

kernel void turn_rows(int n, int k, float a[n][n], float c, float s)
{
    for (int j = 0; j < n; j++) { // expect: proven
        turn(&a[k][j], &a[k + 1][j], c, s);
    }
}

kernel void turn_pairs(int n, float *x)
{
    for (int i = 0; i < n / 2; i++) { // expect: proven
        turn(&x[2 * i], &x[2 * i + 1], 0.6f, 0.8f);
    }
}

kernel void reflect(int n, int k, float a[n][n], const float v[n])
{
    for (int j = k; j < n; j++) { // expect: proven
        float s = 0;
        for (int i = k; i < n; i++) { // expect: proven
            s += v[i] * a[i][j];
        }
        for (int i = k; i < n; i++) { // expect: proven
            a[i][j] -= 2 * s * v[i];
        }
    }
}

kernel void many_tridiagonal_systems(int m, int n, const float a[m][n], float b[m][n], float d[m][n])
{
    for (int s = 0; s < m; s++) {     // expect: proven
        for (int i = 1; i < n; i++) { // expect: in order
            float w = a[s][i] / b[s][i - 1];
            b[s][i] -= w;
            d[s][i] -= w * d[s][i - 1];
        }
        for (int i = n - 2; i >= 0; i--) { // expect: in order
            d[s][i] = (d[s][i] - d[s][i + 1]) / b[s][i];
        }
    }
}

kernel void prefix_of_strips(int n, float a[n])
{
    for (int b = 0; b < n / 16; b++) { // expect: proven
        float *p = a + b * 16;
        for (int i = 1; i < 16; i++) { // expect: in order
            p[i] += p[i - 1];
        }
    }
}

kernel void diagonals(int n, float a[n][n])
{
    for (int d = 2; d < 2 * n - 1; d++) { // expect: in order
        int low = d - (n - 1) > 1 ? d - (n - 1) : 1;
        int high = d - 1 < n - 1 ? d - 1 : n - 1;
        for (int i = low; i <= high; i++) { // expect: proven
            a[i][d - i] = a[i - 1][d - i] + a[i][d - i - 1];
        }
    }
}

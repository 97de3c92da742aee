// Nests: which level is independent, and on what it hangs.
#include <rill/kernel.h>

kernel void matmul(int n, int m, int k, const float a[n][k], const float b[k][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            float s = 0;
            for (int l = 0; l < k; l++) { // expect: proven
                s += a[i][l] * b[l][j];
            }
            c[i][j] = s;
        }
    }
}

kernel void matmul_in_memory(int n, int m, int k, const float a[n][k], const float b[k][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {         // expect: proven
        for (int l = 0; l < k; l++) {     // expect: proven
            for (int j = 0; j < m; j++) { // expect: proven
                c[i][j] += a[i][l] * b[l][j];
            }
        }
    }
}

kernel void matmul_flat(int n, int m, int k, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++) {     // expect: if
        for (int j = 0; j < m; j++) { // expect: if
            float s = 0;
            for (int l = 0; l < k; l++) { // expect: proven
                s += a[i * k + l] * b[l * m + j];
            }
            c[i * m + j] = s;
        }
    }
}

kernel void flat_long(int n, int m, float *c)
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            c[(long)i * m + j] = i + j;
        }
    }
}

kernel void flat_other_pitch(int n, int m, int pitch, float *c)
{
    for (int i = 0; i < n; i++) {     // expect: if
        for (int j = 0; j < m; j++) { // expect: proven
            c[(long)i * pitch + j] = i + j;
        }
    }
}

kernel void flat_cube(int n, int m, int k, float *c)
{
    for (int i = 0; i < n; i++) {         // expect: if
        for (int j = 0; j < m; j++) {     // expect: if
            for (int l = 0; l < k; l++) { // expect: if
                c[((long)i * m + j) * k + l] = i + j + l;
            }
        }
    }
}

kernel void flat_cube_swapped(int n, int m, int k, float *c)
{
    for (int l = 0; l < k; l++) {         // expect: if
        for (int j = 0; j < m; j++) {     // expect: if
            for (int i = 0; i < n; i++) { // expect: if
                c[((long)i * m + j) * k + l] = i + j + l;
            }
        }
    }
}

kernel void jacobi(int n, int m, const float a[n][m], float b[n][m])
{
    for (int i = 1; i < n - 1; i++) {     // expect: proven
        for (int j = 1; j < m - 1; j++) { // expect: proven
            b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
    }
}

kernel void gauss_seidel(int n, int m, float a[n][m])
{
    for (int i = 1; i < n - 1; i++) {     // expect: in order
        for (int j = 1; j < m - 1; j++) { // expect: in order
            a[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
    }
}

kernel void sweep_rows(int n, int m, float a[n][m])
{
    for (int i = 1; i < n; i++) {     // expect: in order
        for (int j = 0; j < m; j++) { // expect: proven
            a[i][j] += a[i - 1][j];
        }
    }
}

kernel void sweep_columns(int n, int m, float a[n][m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 1; j < m; j++) { // expect: in order
            a[i][j] += a[i][j - 1];
        }
    }
}

kernel void wavefront(int n, int m, float a[n][m])
{
    for (int i = 1; i < n; i++) {     // expect: in order
        for (int j = 1; j < m; j++) { // expect: in order
            a[i][j] = a[i - 1][j] + a[i][j - 1];
        }
    }
}

kernel void diagonal_dependence(int n, int m, float a[n][m])
{
    for (int i = 1; i < n; i++) {     // expect: in order
        for (int j = 1; j < m; j++) { // expect: proven
            a[i][j] = a[i - 1][j - 1];
        }
    }
}

kernel void transpose(int n, int m, const float a[n][m], float b[m][n])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            b[j][i] = a[i][j];
        }
    }
}

kernel void transpose_in_place(int n, float a[n][n])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < i; j++) { // expect: proven
            float t = a[i][j];
            a[i][j] = a[j][i];
            a[j][i] = t;
        }
    }
}

kernel void transpose_wrong(int n, float a[n][n])
{
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < n; j++) { // expect: proven
            a[i][j] = a[j][i];
        }
    }
}

kernel void triangular(int n, const float a[n][n], float b[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float s = 0;
        for (int j = 0; j <= i; j++) { // expect: proven
            s += a[i][j];
        }
        b[i] = s;
    }
}

kernel void back_substitution(int n, const float a[n][n], float x[n])
{
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < i; j++) { // expect: proven
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

kernel void lu(int n, float a[n][n])
{
    for (int k = 0; k < n; k++) {         // expect: in order
        for (int i = k + 1; i < n; i++) { // expect: proven
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++) { // expect: proven
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
}

kernel void cholesky_column(int n, float a[n][n])
{
    for (int j = 0; j < n; j++) {         // expect: in order
        for (int i = j; i < n; i++) {     // expect: proven
            for (int k = 0; k < j; k++) { // expect: proven
                a[i][j] -= a[i][k] * a[j][k];
            }
        }
    }
}

kernel void floyd(int n, float d[n][n])
{
    for (int k = 0; k < n; k++) {         // expect: in order
        for (int i = 0; i < n; i++) {     // expect: in order
            for (int j = 0; j < n; j++) { // expect: in order
                float t = d[i][k] + d[k][j];
                if (t < d[i][j]) {
                    d[i][j] = t;
                }
            }
        }
    }
}

kernel void tiles(int n, int m, float a[n][m])
{
    for (int ii = 0; ii < n; ii += 32) { // expect: proven
        int end = ii + 32 < n ? ii + 32 : n;
        for (int i = ii; i < end; i++) {  // expect: proven
            for (int j = 0; j < m; j++) { // expect: proven
                a[i][j] = i * j;
            }
        }
    }
}

kernel void blocks_of_four(int n, float *x)
{
    for (int b = 0; b < n; b++) {     // expect: proven
        for (int j = 0; j < 4; j++) { // expect: proven
            x[4L * b + j] = b + j;
        }
    }
}

kernel void blocks_of_w(int n, int w, float *x)
{
    for (int b = 0; b < n; b++) {     // expect: if
        for (int j = 0; j < w; j++) { // expect: proven
            x[4L * b + j] = b + j;
        }
    }
}

kernel void overlapping_windows(int n, float *x)
{
    for (int b = 0; b < n; b++) {     // expect: in order
        for (int j = 0; j < 5; j++) { // expect: proven
            x[4L * b + j] = b + j;
        }
    }
}

kernel void sliding_sum(int n, float *x)
{
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < 3; j++) { // expect: if
            x[i + j] = i * j;
        }
    }
}

kernel void inner_only(int n, int m, float x[m])
{
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < m; j++) { // expect: proven
            x[j] = i + j;
        }
    }
}

kernel void flattened(int n, int m, float a[n][m])
{
    for (int k = 0; k < n * m; k++) { // expect: proven
        int i = k / m, j = k % m;
        a[i][j] = i + j;
    }
}

kernel void flattened_again(int n, int m, float *a)
{
    for (long k = 0; k < (long)n * m; k++) { // expect: any
        long i = k / m, j = k % m;
        a[i * m + j] = i + j;
    }
}

kernel void flattened_transpose(int n, int m, const float *a, float *b)
{
    for (long k = 0; k < (long)n * m; k++) { // expect: if
        long i = k / m, j = k % m;
        b[j * n + i] = a[k];
    }
}

kernel void flattened_row(int n, int m, float a[n][m], float r[n])
{
    for (int k = 0; k < n * m; k++) { // expect: in order
        r[k / m] = k;
    }
}

kernel void modulo(int n, int m, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i % m] = i;
    }
}

kernel void modulo_constant(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i % 16] = i;
    }
}

kernel void modulo_short(float *x)
{
    for (int i = 0; i < 16; i++) { // expect: proven
        x[i % 16] = i;
    }
}

kernel void halved(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i / 2] = i;
    }
}

kernel void halved_stepped(int n, float *x)
{
    for (int i = 0; i < n; i += 2) { // expect: proven
        x[i / 2] = i;
    }
}

kernel void time_loop(int n, int steps, float x[n], float y[n])
{
    for (int t = 0; t < steps; t++) { // expect: in order
        for (int i = 1; i < n - 1; i++) { // expect: proven
            y[i] = 0.5f * (x[i - 1] + x[i + 1]);
        }
        for (int i = 1; i < n - 1; i++) { // expect: proven
            x[i] = y[i];
        }
    }
}

kernel void time_loop_gather(int n, int steps, const int idx[n], float x[n], float y[n])
{
    for (int t = 0; t < steps; t++) { // expect: scatter
        for (int i = 0; i < n; i++) { // expect: scatter
            y[idx[i]] = x[i] + t;
        }
    }
}

kernel void double_buffer(int n, int steps, float x[2][n])
{
    for (int t = 0; t < steps; t++) {     // expect: in order
        for (int i = 1; i < n - 1; i++) { // expect: proven
            x[(t + 1) % 2][i] = x[t % 2][i - 1] + x[t % 2][i + 1];
        }
    }
}

kernel void planes(int t, int n, int m, float u[t][n][m])
{
    for (int s = 1; s < t; s++) {             // expect: in order
        for (int i = 1; i < n - 1; i++) {     // expect: proven
            for (int j = 1; j < m - 1; j++) { // expect: proven
                u[s][i][j] = u[s - 1][i + 1][j] + u[s - 1][i][j - 1];
            }
        }
    }
}

kernel void inside_while(int n, float x[n], int rounds)
{
    while (rounds-- > 0) {
        for (int i = 0; i < n; i++) { // expect: proven
            x[i] = x[i] * 0.5f;
        }
    }
}

kernel void inside_if(int n, int which, float x[n])
{
    if (which > 0) {
        for (int i = 0; i < n; i++) { // expect: proven
            x[i] = 1;
        }
    } else {
        switch (which) {
        case 0:
            for (int i = 0; i < n; i++) { // expect: proven
                x[i] = 2;
            }
            break;
        default:
            for (int i = 1; i < n; i++) { // expect: in order
                x[i] = x[i - 1];
            }
        }
    }
}

kernel void product_of_two(int n, int m, float *x)
{
    for (int i = 0; i < n; i++) {     // expect: scatter
        for (int j = 0; j < m; j++) { // expect: if
            x[i * j] = i;
        }
    }
}

kernel void packed_triangle(int n, float *p)
{
    for (int i = 0; i < n; i++) {      // expect: scatter
        for (int j = 0; j <= i; j++) { // expect: any
            p[i * (i + 1) / 2 + j] = i - j;
        }
    }
}

kernel void walking_index(int n, int m, float *x)
{
    for (int i = 0; i < n; i++) { // expect: any
        long k = (long)i * m;
        for (int j = 0; j < m; j++) { // expect: in order
            x[k] = i + j;
            k++;
        }
    }
}

kernel void walking_pointer(int n, int m, float *x)
{
    for (int i = 0; i < n; i++) { // expect: proven
        float *p = x + (long)i * m;
        for (int j = 0; j < m; j++) { // expect: in order
            *p++ = i + j;
        }
    }
}

kernel void row_pointer(int n, int m, float *x)
{
    for (int i = 0; i < n; i++) { // expect: proven
        float *row = x + (long)i * m;
        for (int j = 0; j < m; j++) { // expect: proven
            row[j] = i + j;
        }
    }
}

kernel void row_address(int n, int m, float x[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float *row = &x[i][0];
        for (int j = 0; j < m; j++) { // expect: proven
            row[j] = i + j;
        }
    }
}

kernel void row_of_pointer_to_array(int n, int m, float x[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float *row = x[i];
        for (int j = 1; j < m; j++) { // expect: in order
            row[j] = row[j - 1];
        }
    }
}

kernel void one_row_too_far(int n, int m, float x[n][m])
{
    for (int i = 0; i < n - 1; i++) { // expect: in order
        float *row = x[i + 1], *before = x[i];
        for (int j = 0; j < m; j++) { // expect: proven
            row[j] = before[j];
        }
    }
}

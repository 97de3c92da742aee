// Shared updates, atomics, indices from data, pragmas.
#include <math.h>
#include <rill/kernel.h>
#include <stdio.h>

kernel void histogram(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]]++;
    }
}

kernel void histogram_value_used(int n, const int b[n], int h[256], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        y[i] = h[b[i]]++;
    }
}

kernel void histogram_two_operators(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] += 1;
        h[b[i] + 1] *= 2;
    }
}

kernel void fixed_two_operators(int n, int h[2])
{
    for (int i = 0; i < n; i++) { // expect: in order
        h[0] += i;
        h[0] *= 2;
    }
}

kernel void plus_and_minus(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += 2;
        h[255 - b[i]] -= 1;
    }
}

kernel void scatter(int n, const int b[n], const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        y[b[i]] = x[i];
    }
}

kernel void gather(int n, const int b[n], const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = x[b[i]];
    }
}

kernel void gather_in_place(int n, const int b[n], float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i] = x[b[i]];
    }
}

kernel void scatter_and_conflict(int n, const int b[n], float x[n], float y[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        x[b[i]] = 1.5f * i;
        y[i] = y[i - 1];
    }
}

kernel void scatter_same_every_time(int n, int m, const int b[m], float y[n])
{
    for (int i = 0; i < n; i++) {     // expect: scatter
        for (int j = 0; j < m; j++) { // expect: scatter
            y[b[j]] = i;
        }
    }
}

kernel void fixed_from_data(int n, const int b[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        y[b[0]] = i;
    }
}

kernel void row_scatter(int n, int m, const int b[m], float a[n][m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: scatter
            a[i][b[j]] = j;
        }
    }
}

kernel void masked_scatter(int n, const int b[n], float *y)
{
    for (int i = 0; i < n; i++) { // expect: any
        y[4L * i + (b[i] & 3)] = i;
    }
}

kernel void indirect_chain(int n, const int b[n], const int c[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        y[b[c[i]]] = i;
    }
}

kernel void sparse(int n, const int start[n + 1], const int column[], const float value[], const float x[], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float s = 0;
        for (int k = start[i]; k < start[i + 1]; k++) { // expect: proven
            s += value[k] * x[column[k]];
        }
        y[i] = s;
    }
}

kernel void sparse_write(int n, const int start[n + 1], float value[])
{
    for (int i = 0; i < n; i++) {                       // expect: scatter
        for (int k = start[i]; k < start[i + 1]; k++) { // expect: proven
            value[k] = i + k;
        }
    }
}

kernel void sparse_transpose(int n, const int start[n + 1], const int column[], const float value[], const float x[n],
                             float y[])
{
    for (int i = 0; i < n; i++) {                       // expect: proven
        for (int k = start[i]; k < start[i + 1]; k++) { // expect: proven
            y[column[k]] += value[k] * x[i];
        }
    }
}

kernel void length_of_rows(int n, int m, const int b[n], int length[n], float a[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        length[i] = b[i] & 3;
        for (int j = 0; j < length[i]; j++) { // expect: proven
            a[i][j] = j;
        }
    }
}

kernel void length_of_all(int n, int m, int length[1], float a[n][m])
{
    for (int i = 0; i < n; i++) {             // expect: in order
        for (int j = 0; j < length[0]; j++) { // expect: proven
            a[i][j] = j;
        }
        length[0] = i & 3;
    }
}

kernel void columns(int n, int m, const float a[n][m], float s[m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            s[j] += a[i][j];
        }
    }
}

kernel void total(int n, const float x[n], float out[1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        out[0] += x[i];
    }
}

kernel void total_and_read(int n, const float x[n], float out[1], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        out[0] += x[i];
        y[i] = out[0];
    }
}

kernel void neighbours(int n, const float f[n], float g[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        g[i] += f[i];
        g[i + 1] -= f[i];
    }
}

kernel void neighbours_read(int n, float g[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        g[i + 1] += 0.5f * g[i];
    }
}

kernel void shared_minimum(int n, const int b[n], const int x[n], int low[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        if (x[i] < low[b[i]]) {
            low[b[i]] = x[i];
        }
    }
}

kernel void shared_minimum_float(int n, const int b[n], const float x[n], float low[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        low[b[i]] = fminf(low[b[i]], x[i]);
    }
}

// The call converts the integer to the parameter's type before it compares: nothing is lost after that.
kernel void shared_maximum_of_integers(int n, const int b[n], const int x[n], float high[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        high[b[i]] = fmaxf(x[i], high[b[i]]);
    }
}

kernel void shared_conditional_float(int n, const float x[n], float low[1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        low[0] = low[0] < x[i] ? low[0] : x[i];
    }
}

kernel void atomic_compaction(int n, const float x[n], float y[n], int count[1])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        if (x[i] > 0) {
            int k = rill_atomic_add(&count[0], 1);
            y[k] = x[i];
        }
    }
}

kernel void atomic_and_plain_write(int n, int count[1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        rill_atomic_add(&count[0], 1);
        count[0] = i;
    }
}

kernel void atomic_mixed(int n, int count[1])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        rill_atomic_add(&count[0], 1);
        rill_atomic_max(&count[0], i);
    }
}

kernel void atomic_value_used(int n, int y[n], int count[1])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        y[i] = rill_atomic_add(&count[0], 1);
    }
}

kernel void atomic_value_used_of_one(int n, int y[n], int count[1])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        rill_atomic_add(&count[0], 1);
        y[i] = rill_atomic_add(&count[0], 1);
    }
}

kernel void atomic_exchange(int n, const int b[n], int last[16])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        rill_atomic_exchange(&last[b[i] & 15], i);
    }
}

kernel void atomic_compare(int n, int state[1])
{
    for (int i = 0; i < n; i++) { // expect: atomics
        rill_atomic_cas(&state[0], i, i + 1);
    }
}

kernel void atomic_sum(int n, const int b[n], int sum[1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        rill_atomic_add(&sum[0], b[i]);
        rill_atomic_sub(&sum[0], 1);
    }
}

kernel void atomic_of_its_own(int n, int x[n], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: if
        y[i] = rill_atomic_exchange(&x[i], i);
    }
}

kernel void author_insists(int n, float x[n])
{
#pragma rill parallel
    for (int i = 1; i < n; i++) { // expect: pragma
        x[i] = x[i - 1];
    }
}

kernel void author_declines(int n, int m, float x[n][m])
{
#pragma rill serial
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int j = 0; j < m; j++) { // expect: proven
            x[i][j] = i + j;
        }
    }
#pragma rill single
    for (int i = 0; i < n; i++) { // expect: in order
        x[i][0] = i;
    }
}

kernel void printing(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = x[i];
        if (x[i] < 0) {
            printf("negative: %d\n", i);
        }
    }
}

kernel void binary_search(int n, int m, const float key[m], const float x[n], int h[m + 1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        int low = 0, high = m;
        while (low < high) {
            int middle = (low + high) / 2;
            if (key[middle] < x[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        h[low]++;
    }
}

kernel void binary_search_store(int n, int m, const float key[m], const float x[n], int h[m + 1])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int low = 0, high = m;
        while (low < high) {
            int middle = (low + high) / 2;
            if (key[middle] < x[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        h[low] = i;
    }
}

kernel void nbody(int n, const float x[n], float f[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float s = 0;
        for (int j = 0; j < n; j++) { // expect: proven
            float d = x[j] - x[i];
            if (j != i) {
                s += d / (fabsf(d) * d * d);
            }
        }
        f[i] = s;
    }
}

kernel void nbody_pairs(int n, const float x[n], float f[n])
{
    for (int i = 0; i < n; i++) {         // expect: proven
        for (int j = i + 1; j < n; j++) { // expect: proven
            float d = x[j] - x[i];
            f[i] += d;
            f[j] -= d;
        }
    }
}

kernel void game_of_life(int n, int m, const unsigned char a[n][m], unsigned char b[n][m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            int count = 0;
            for (int di = -1; di <= 1; di++) {     // expect: proven
                for (int dj = -1; dj <= 1; dj++) { // expect: proven
                    if (di != 0 || dj != 0) {
                        count += a[(i + di + n) % n][(j + dj + m) % m];
                    }
                }
            }
            b[i][j] = count == 3 || (count == 2 && a[i][j]);
        }
    }
}

kernel void mandelbrot(int n, int m, int out[n][m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            float cr = 3.0f * j / m - 2, ci = 2.0f * i / n - 1, zr = 0, zi = 0;
            int k = 0;
            while (k < 50 && zr * zr + zi * zi < 4) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                k++;
            }
            out[i][j] = k;
        }
    }
}

kernel void random_scatter(int n, unsigned seed, float y[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        y[rill_random_u32(seed, i) % 16] = i;
    }
}

kernel void unsigned_wraps(unsigned n, unsigned k, float *x)
{
    for (unsigned i = 0; i < n; i++) { // expect: if
        x[i + k] = x[i];
    }
}

kernel void wraps_around(int n, float *x)
{
    for (int i = 0; i < n; i++) { // expect: if
        x[i * 65536] = i;
    }
}

kernel void byte_index_wraps(int n, float x[256])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[(unsigned char)i] = i;
    }
}

struct counts {
    unsigned few : 5;
    unsigned many : 11;
    int other;
};

kernel void bits_updated(int n, const int k[n], struct counts *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[k[i]].many += 1;
    }
    for (int i = 0; i < n; i++) { // expect: in order
        if (x[k[i]].many > i) {
            x[k[i]].many = i;
        }
    }
#pragma rill parallel
    for (int i = 0; i < n; i++) { // expect: in order
        x[k[i]].few++;
    }
}

kernel void bits_stored(int n, const int k[n], struct counts *x)
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[k[i]].many = i;
    }
    for (int i = 0; i < n; i++) { // expect: proven
        x[i].many += i;
        x[i].few ^= 3;
    }
    for (int i = 0; i < n; i++) { // expect: proven
        x[k[i]].other += 1;
    }
}

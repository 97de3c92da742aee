// Nests whose loops share scalars that are declared outside, as C89 has it: those that each loop has for itself, and
// those that carry a value from one loop to another, or out of the nest.
#include <math.h>
#include <rill/kernel.h>

// run: lu_rows n=1 ~ 1e-9
// run: lu_rows n=2 ~ 1e-9
// run: lu_rows n=17 ~ 1e-9
// run: lu_rows n=60 ~ 1e-9
kernel void lu_rows(int n, double a[n][n])
{
    int i, j, k;
    double w;
    for (i = 0; i < n; i++) {
        a[i][i] += 300 * n;
    }
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            w = a[i][j];
            for (k = 0; k < j; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w / a[j][j];
        }
        for (j = i; j < n; j++) {
            w = a[i][j];
            for (k = 0; k < i; k++) {
                w -= a[i][k] * a[k][j];
            }
            a[i][j] = w;
        }
    }
}

// run: square_root n=1 ~ 1e-9
// run: square_root n=16 ~ 1e-9
// run: square_root n=65 ~ 1e-9
kernel void square_root(int n, double l[n][n], const double a[n][n])
{
    double sum;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            sum = 0;
            for (int k = 0; k < j; k++) {
                sum += l[i][k] * l[j][k];
            }
            l[i][j] = (a[i][j] - sum) / l[j][j];
        }
        sum = 0;
        for (int k = 0; k < i; k++) {
            sum += l[i][k] * l[i][k];
        }
        l[i][i] = sqrt(300 * n * n + a[i][i] + sum);
    }
}

// The diagonal by a condition in the inner loop.
// run: square_root_if n=1 ~ 1e-9
// run: square_root_if n=19 ~ 1e-9
// run: square_root_if n=64 ~ 1e-9
kernel void square_root_if(int n, double l[n][n], const double a[n][n])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < j; k++) {
                sum += l[i][k] * l[j][k];
            }
            if (i == j) {
                l[i][j] = sqrt(300 * n * n + a[i][i] + sum);
            } else {
                l[i][j] = 1.0 / l[j][j] * (a[i][j] - sum);
            }
        }
    }
}

// What a loop leaves in the scalar is read by the next one, by the next round, and at last by the kernel.
// run: handed_on n=9 m=13
// run: handed_on n=40 m=0
// run: handed_on n=33 m=50 wild
kernel unsigned handed_on(int n, int m, unsigned a[n][m], unsigned b[n][m])
{
    unsigned w = 1, last = 2, once = 3;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            w = a[i][j] + 1;
            a[i][j] ^= w;
            once = w;
        }
        for (int j = 0; j < m; j++) {
            b[i][j] += w;
            last = b[i][j];
            b[i][j] ^= last >> 3;
        }
        for (int j = 1; j < m; j++) {
            last = a[i][j - 1];
            a[i][j] += last;
        }
        for (int j = 0; j < m; j++) {
            once = a[i][j];
            b[i][j] += once;
        }
    }
    return w + 3 * last + 7 * once;
}

// Assigned behind a condition, in a loop that may not run, or by the loop that counts with it.
// run: perhaps n=9 m=13
// run: perhaps n=33 m=50 wild
kernel void perhaps(int n, int m, int a[n][m], int b[n][m])
{
    int w = 5, j;
    for (int i = 0; i < n; i++) {
        for (j = 0; j < m; j++) {
            if (a[i][j] > 0) {
                w = a[i][j] & 255;
            }
            b[i][j] += w;
        }
        for (int k = 0; k < m; k++) {
            j = (k + i) % m;
            w = b[i][j] & 15;
            for (int l = 0; l < w; l++) {
                w = w - 1;
            }
            a[i][k] += w + j;
        }
        b[i][m - 1] += w;
    }
}

// Sums, extremes and bits that a nest gathers do not keep it in the source's order.
// run: local_alignment n=1 m=1
// run: local_alignment n=40 m=70
// run: local_alignment n=130 m=9 wild
kernel int local_alignment(int n, int m, const char a[n], const char b[m], int h[n + 1][m + 1])
{
    int best = 0;
    for (int i = 0; i <= n; i++) {
        h[i][0] = 0;
    }
    for (int j = 0; j <= m; j++) {
        h[0][j] = 0;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int s = h[i - 1][j - 1] + ((a[i - 1] & 3) == (b[j - 1] & 3) ? 2 : -1);
            s = h[i - 1][j] - 1 > s ? h[i - 1][j] - 1 : s;
            s = h[i][j - 1] - 1 > s ? h[i][j - 1] - 1 : s;
            h[i][j] = s < 0 ? 0 : s;
            if (s > best) {
                best = s;
            }
        }
    }
    return best;
}

// run: relaxation steps=3 n=12 ~ 1e-9
// run: relaxation steps=5 n=50 ~ 1e-9
// run: relaxation steps=0 n=5 ~ 1e-9
kernel double relaxation(int steps, int n, double u[n][n], const double f[n][n])
{
    double change = 0;
    for (int t = 0; t < steps; t++) {
        change = 0;
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                double r = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]) / 4 - u[i][j];
                u[i][j] += 1.5 * r;
                change += r * r;
            }
        }
    }
    return change;
}

// Over all steps: three loops, also on a CPU. Two of the values are read again in the nest, and keep their order.
// run: gathered steps=3 n=12
// run: gathered steps=4 n=60 wild
kernel unsigned gathered(int steps, int n, unsigned u[n][n])
{
    unsigned sum = 1, bits = 0, product = 3;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                u[i][j] = u[i - 1][j] + u[i][j - 1] * 3 + u[i + 1][j] + (u[i][j + 1] >> 1);
                sum += u[i][j];
                bits ^= u[i][j] * (unsigned)(i + t);
                if (u[i][j] & 1) {
                    product *= u[i][j];
                }
            }
        }
    }
    return sum + 3 * bits + 5 * product;
}

// run: not_gathered steps=3 n=12
// run: not_gathered steps=4 n=40 wild
kernel unsigned not_gathered(int steps, int n, unsigned u[n][n])
{
    unsigned sum = 1, mixed = 7;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) {
            for (int j = 1; j < n - 1; j++) {
                u[i][j] += u[i - 1][j] + u[i][j - 1] + u[i + 1][j] + sum;
                sum += u[i][j];
                mixed += u[i][j];
                mixed ^= u[i][j - 1];
            }
        }
    }
    return sum + 3 * mixed;
}

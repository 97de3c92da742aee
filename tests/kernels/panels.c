// Nests whose rows share what they load in columns: a CPU takes four rows and some vectors of columns at a time, blocks
// of 96 rows, and 256 iterations of the loop inside between which the sums are put aside. Sums are in the order
// of the text, but where bounds are checked or a GPU's threads share out the innermost loop.
#include <rill/kernel.h>

// run: product_in_a_sum n=8 m=64 l=1 ~ 1e-5
// run: product_in_a_sum n=9 m=70 l=256 ~ 1e-5
// run: product_in_a_sum n=101 m=37 l=257 ~ 1e-5
// run: product_in_a_sum n=199 m=131 l=513 ~ 1e-5
// run: product_in_a_sum n=12 m=129 l=0 ~ 1e-5
// run: product_in_a_sum n=12 m=0 l=9 ~ 1e-5
// run: product_in_a_sum n=40 m=40 l=40 wild ~ 1e-5
kernel void product_in_a_sum(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: product_in_memory n=8 m=64 l=1 ~ 1e-5
// run: product_in_memory n=103 m=67 l=300 ~ 1e-5
// run: product_in_memory n=200 m=5 l=260 ~ 1e-5
// run: product_in_memory n=16 m=130 l=0 ~ 1e-5
// run: product_in_memory n=33 m=40 l=44 wild ~ 1e-5
kernel void product_in_memory(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: doubles n=100 m=33 l=300
// run: doubles n=9 m=300 l=20 wild
kernel void doubles(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] -= a[i][k] * b[k][j];
            }
        }
    }
}

// run: scaled n=50 m=70 l=290 alpha=1.5 beta=0.75 ~ 1e-5
// run: scaled n=50 m=70 l=29 alpha=1.5 beta=0.75 wild ~ 1e-5
kernel void scaled(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m], float alpha,
                   float beta)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 1;
            for (int k = 0; k < l; k++) {
                s += alpha * a[i][k] * b[k][j];
            }
            c[i][j] = s + beta * c[i][j];
        }
    }
}

// Numbers that are scaled before the innermost loop.
// run: factors n=50 m=70 l=290 alpha=1.5
kernel void factors(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m], float alpha)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l; k++) {
            float t = alpha * a[i][k];
            for (int j = 0; j < m; j++) {
                c[i][j] += t * b[k][j];
            }
        }
    }
}

// run: flat n=70 m=75 l=280 ~ 1e-5
// run: flat n=11 m=9 l=4 wild ~ 1e-5
kernel void flat(int n, int m, int l, const float a[n * l], const float b[l * m], float c[n * m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i * l + k] * b[k * m + j];
            }
            c[i * m + j] = s;
        }
    }
}

// run: flat_in_memory n=70 m=75 l=280
// run: flat_in_memory n=11 m=9 l=4 wild
kernel void flat_in_memory(int n, int m, int l, const double a[n * l], const double b[l * m], double c[n * m])
{
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < l; k++) {
            for (int i = 0; i < n; i++) {
                c[i * m + j] += a[i * l + k] * b[k * m + j];
            }
        }
    }
}

// run: left_transposed n=100 m=66 l=260 ~ 1e-5
kernel void left_transposed(int n, int m, int l, const float a[l][n], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[k][i] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: right_transposed n=100 m=66 l=260
kernel void right_transposed(int n, int m, int l, const int a[n][l], const int b[m][l], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[j][k];
            }
            c[i][j] = s;
        }
    }
}

// run: integers n=97 m=65 l=257 wild
kernel void integers(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int s = c[i][j];
            for (int k = 0; k < l; k++) {
                s ^= a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// run: long_integers n=20 m=65 l=40 wild
kernel void long_integers(int n, int m, int l, const long a[n][l], const long b[l][m], long c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < l; k++) {
                c[i][j] -= a[i][k] * b[k][j];
            }
        }
    }
}

// run: short_factors n=20 m=65 l=40 wild
kernel void short_factors(int n, int m, int l, const short a[n][l], const signed char b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// The least of sums, in order, and which it was.
// run: shortest n=101 m=67 l=270
kernel void shortest(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m], int which[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int best = 2147483647, at = -1;
            for (int k = 0; k < l; k++) {
                int sum = a[i][k] + b[k][j];
                at = sum < best ? k : at;
                best = sum < best ? sum : best;
            }
            c[i][j] = best;
            which[i][j] = at;
        }
    }
}

// Two sums at a time, of two arrays, one of which hands on a number.
// run: two_sums n=99 m=35 l=258 ~ 1e-5
// run: two_sums n=30 m=20 l=8 wild ~ 1e-5
kernel void two_sums(int n, int m, int l, const float a[n][l], const float b[l][m], const float d[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0, t = 1;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[k][j];
                t = t * 0.5f + d[k][j] * a[i][k];
            }
            c[i][j] = s - t;
        }
    }
}

// Rows and the innermost loop count backwards, columns in steps.
// run: backwards n=90 m=140 l=261 ~ 1e-5
kernel void backwards(int n, int m, int l, const float a[n][l], const float b[l][m], float c[n][m])
{
    for (int i = n - 1; i >= 0; i--) {
        for (int j = 1; j < m; j += 1) {
            float s = 0;
            for (int k = l - 1; k > 0; k -= 2) {
                s = s * 0.25f + a[i][k] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// What is shared is chosen by an index.
// run: by_index n=60 m=70 l=50 ~ 1e-5
kernel void by_index(int n, int m, int l, const float a[n][l], const int at[l], const float b[100][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k] * b[at[k]][j];
            }
            c[i][j] = s;
        }
    }
}

// Each row has its own numbers along the columns, too.
// run: weighted n=60 m=70 l=50 ~ 1e-5
kernel void weighted(int n, int m, int l, const float a[n][l][m], const float b[l][m], float c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int k = 0; k < l; k++) {
                s += a[i][k][j] * b[k][j];
            }
            c[i][j] = s;
        }
    }
}

// What is loaded depends on what was: nothing that rows share.
// run: chased n=60 m=70 l=9
kernel void chased(int n, int m, int l, const int next[100][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int at = i % 100;
            for (int k = 0; k < l; k++) {
                at = next[at][j] % 100;
            }
            c[i][j] = at;
        }
    }
}

// Each number of the sum's is an earlier result: a row after the other.
// run: substitution n=130 m=70 ~ 1e-5
kernel void substitution(int n, int m, const float a[n][n], float x[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            for (int j = 0; j < m; j++) {
                x[i][j] -= a[i][k] * x[k][j];
            }
        }
    }
}

// The number that scales is in the row that is written.
// run: own_factor n=70 m=70 l=70
kernel void own_factor(int n, int m, int l, const int b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 1; k < l; k++) {
            for (int j = k; j < m; j++) {
                c[i][j] += c[i][k - 1] * b[k][j];
            }
        }
    }
}

// run: own_first n=70 m=70 l=70
kernel void own_first(int n, int m, int l, const int b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < l; k++) {
            for (int j = 1; j < m; j++) {
                c[i][j] += c[i][0] * b[k][j];
            }
        }
    }
}

// Loops before the sums go through a block of rows first.
// run: after_zeros n=101 m=67 l=257
// run: after_zeros n=3 m=300 l=20
// run: after_zeros n=20 m=30 l=0
// run: after_zeros n=33 m=40 l=44 wild
kernel void after_zeros(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            c[i][j] = 0;
        }
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: after_two_loops n=101 m=67 l=40
kernel void after_two_loops(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m], int d[n][m])
{
    for (int i = 0; i < n; i++) {
        int t = 3 * i + 1;
        for (int j = 0; j < m; j++) {
            c[i][j] *= t;
        }
        for (int j = 1; j < m; j++) {
            d[i][j] = d[i][j - 1] + c[i][j];
        }
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += t * a[i][k] * b[k][j];
            }
        }
    }
}

// The loop before hands on a number: no loop of its own.
// run: after_a_norm n=70 m=67 l=40
kernel void after_a_norm(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    for (int i = 0; i < n; i++) {
        int norm = 0;
        for (int k = 0; k < l; k++) {
            norm += a[i][k];
        }
        for (int k = 0; k < l; k++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += norm * a[i][k] * b[k][j];
            }
        }
    }
}

// Rounds in order become tasks of rows.
// run: in_rounds n=101 m=67 l=40 wild
// run: in_rounds n=2 m=67 l=40
// run: in_rounds n=70 m=1 l=300
kernel void in_rounds(int n, int m, int l, const int a[n][l], const int b[l][m], int c[n][m])
{
    for (int k = 0; k < l; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// run: doubles_in_rounds n=101 m=67 l=40 ~ 1e-12
kernel void doubles_in_rounds(int n, int m, int l, const double a[n * l], const double b[l * m], double c[n * m])
{
    for (int k = 0; k < l; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                c[i * m + j] -= a[i * l + k] * b[k * m + j];
            }
        }
    }
}

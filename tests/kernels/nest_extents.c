// Nests whose outermost loop runs in parallel by shared updates, and by another order without them: which is taken
// depends on how many iterations the loops have.
#include <rill/kernel.h>

// run: channels n=40 m=50
// run: channels n=1500 m=3
kernel void channels(int n, int m, const unsigned char image[n][m][3], int count[3][256])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int c = 0; c < 3; c++) {
                count[c][image[i][j][c]]++;
            }
        }
    }
}

// run: clusters n=2000 m=5 ~ 1e-10
// run: clusters n=2000 m=1 ~ 1e-10
// run: clusters n=2000 m=0 ~ 1e-10
// run: clusters n=1200 m=70 ~ 1e-10
// run: clusters n=20 m=5 ~ 1e-10
kernel void clusters(int n, int m, const int label[n], const double x[n][m], double sum[8][m], int members[8])
{
    for (int i = 0; i < n; i++) {
        members[label[i] & 7]++;
        for (int j = 0; j < m; j++) {
            sum[label[i] & 7][j] += x[i][j];
        }
    }
}

// run: gram n=1500 m=6 ~ 1e-10
// run: gram n=100 m=20 ~ 1e-10
// run: gram n=1100 m=33 ~ 1e-10
kernel void gram(int n, int m, const double a[n][m], double c[m][m])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j <= i; j++) {
                c[i][j] += a[k][i] * a[k][j];
            }
        }
    }
}

// What is added to may be what is read: in order then.
// run: overlap_rows n=1500 m=4 a=6000 b=6000
kernel void overlap_rows(int n, int m, int *a, const int *b)
{
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[j] += b[i * m + j];
        }
    }
}

// run: overlap_self n=1500 m=4 a=6000
kernel void overlap_self(int n, int m, int *a)
{
    overlap_rows(n, m, a, a);
}

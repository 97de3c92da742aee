// Extents are what they were when the array was declared, whatever is assigned to their names afterwards.
#include <rill/kernel.h>

// run: size_of_row n=5 m=7
kernel long size_of_row(int n, int m, int a[n][m])
{
    m += 3;
    n++;
    return (long)(sizeof a[0] + 1000 * sizeof *a + 1000000 * sizeof a[0][0]);
}

// run: size_of_rows n=5 m=7 k=3
kernel long size_of_rows(int n, int m, int k, int a[n][m][k + 1])
{
    m = 1;
    k = 1;
    a[1][1][1] = 9;
    a[2][3][0] = (int)sizeof a[0][0];
    return (long)(sizeof a[0] + 1000 * sizeof a[0][0]);
}

// run: in_a_loop n=5 m=7
kernel long in_a_loop(int n, int m, int a[n][m])
{
    long sum = 0;
    for (int t = 0; t < 3; t++) {
        m--;
        sum = sum * 1000 + (long)(sizeof a[0] / sizeof a[0][0]);
    }
    return sum;
}

// run: index_after n=50 m=7
kernel void index_after(int n, int m, int a[n][m])
{
    m -= 2;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            a[i][j] = i * 100 + j;
        }
    }
}

// run: as_stride n=50 m=7
kernel void as_stride(int n, int m, int a[n][m])
{
    int *flat = &a[0][0];
    m = 2;
    for (int i = 0; i < n; i++) {
        flat[(long)i * (long)(sizeof a[0] / sizeof(int))] = i;
    }
}

// run: of_pointer n=5 m=7
kernel long of_pointer(int n, int m, int a[n][m])
{
    int(*p)[m] = a;
    m = 1;
    p[1][0] = 77;
    p++;
    p[1][1] = 78;
    return (long)(sizeof *p + 1000 * sizeof p[0][0] + 1000000 * sizeof(__typeof__(*p)));
}

// run: of_type_name n=5 m=7
kernel long of_type_name(int n, int m, int a[n][m])
{
    typedef int row[m];
    m = 2;
    row *p = (row *)a;
    p[1][0] = 77;
    return (long)(sizeof(row) + 1000 * sizeof *p + 1000000 * sizeof(int[m]));
}

// run: of_type_of n=5 m=7
kernel long of_type_of(int n, int m, int a[n][m])
{
    m = 2;
    __typeof__(a[0]) *p = a;
    p[1][0] = 77;
    return (long)(sizeof *p + 1000 * sizeof(__typeof__(a[0])));
}

// run: with_effect n=5 m=7
kernel long with_effect(int n, int m, int a[n][m])
{
    int k = m - 1;
    int(*p)[++k] = a;
    p[1][0] = k;
    k = 3;
    p[2][0] = k;
    long size = (long)sizeof(int[k++]);
    return size * 10000 + (long)sizeof *p * 100 + k;
}

// run: cast_to n=5 m=7
kernel void cast_to(int n, int m, int a[n][m])
{
    int *flat = &a[0][0];
    for (int k = 2; k < 5; k++) {
        ((int(*)[k])flat)[2][1] = k;
    }
}

// Each iteration declares it anew.
// run: in_the_body n=5 m=40
kernel long in_the_body(int n, int m, int a[n][m])
{
    long sum = 0;
    for (int k = 1; k < 6; k++) {
        int e = k;
        int(*p)[e] = (int(*)[e]) & a[0][0];
        e = 100;
        p[3][0] += k;
        sum = sum * 31 + (long)sizeof *p;
    }
    return sum;
}

static long helper(int n, int m, int a[n][m])
{
    m = 3;
    a[1][1] = 5;
    return (long)sizeof a[0];
}

kernel long called(int n, int m, int a[n][m])
{
    m = m - 3;
    a[1][2] = 6;
    return (long)sizeof a[0];
}

// run: of_called n=5 m=7
kernel long of_called(int n, int m, int a[n][m])
{
    long size = helper(n, m, a);
    m = 4;
    size = size * 1000 + called(n, 7, a);
    return size * 1000 + (long)sizeof a[0];
}

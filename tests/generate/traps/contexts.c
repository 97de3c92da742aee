// What holds of a loop where it is a task of its own, and not where it stands in something else: in a loop in order
// that runs whole, in a version that runs in order, in a nest taken as one space, in one task with other loops, in a
// short loop that is control around it.

//== private_memory_outside_in_a_whole_loop
//@ buffer a i32 64 range -9 9
//@ int 16
//@ int 4
//@ array a 0 64
// or
//@ buffer a i32 20000 range -9 9
//@ int 5000
//@ int 4
//@ array a 0 20000
#include <rill/kernel.h>
kernel int run(int n, int steps, int a[4 * n])
{
    int t[4], s = 0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 4; j++) {
                t[j] = a[4 * i + j] + step;
            }
            for (int j = 0; j < 4; j++) {
                a[4 * i + j] = t[3 - j] - t[j & 2];
            }
        }
        s += a[step];
    }
    return s;
}

//== pointer_to_one_of_two_locals
//@ buffer a i32 40 range -9 9
//@ int 40
//@ int 3
//@ array a 0 40
// or
//@ buffer a i32 9000 range -9 9
//@ int 9000
//@ int 3
//@ array a 0 9000
#include <rill/kernel.h>
kernel void run(int n, int steps, int a[n])
{
    int step = 0;
    while (step++ < steps) {
        int t[8], u[8];
        for (int i = 0; i < 8; i++) {
            t[i] = a[i % n] * step;
            u[i] = t[i] ^ i;
        }
        int *p = a[0] & 1 ? t : u;
        for (int i = 0; i < n; i++) {
            int *q = i & 1 ? t : u;
            a[i] += q[i & 7] - p[(i / 2) & 7];
        }
        for (int i = 0; i < 8; i++) {
            p[i] = a[i % n];
        }
        for (int i = 0; i < n; i++) {
            a[i] -= t[i & 7] + 2 * u[7 - (i & 7)];
        }
    }
}

//== loops_inside_a_version_in_order
//@ buffer a i32 400 range -9 9
//@ int 70
//@ array a 0 300
//@ array a 1 300
// or
//@ buffer a i32 700 range -9 9
//@ int 70
//@ array a 0 300
//@ array a 350 300
#include <rill/kernel.h>
kernel void run(int n, int x[4 * n], const int y[4 * n])
{
    for (int i = 0; i < n; i++) {
        int t[4], s = 0;
        for (int j = 0; j < 4; j++) {
            t[j] = y[4 * i + j];
        }
        for (int j = 0; j < 4; j++) {
            x[4 * i + j] = t[j] + 1;
            s += y[4 * i + j];
        }
        x[4 * i] += s;
    }
}

//== fused_loops_with_locals_of_their_own
//@ buffer a i32 300 range -9 9
//@ int 100
//@ array a 0 100
//@ array a 100 100
//@ array a 200 100
// or
//@ buffer a i32 300 range -9 9
//@ int 100
//@ array a 0 100
//@ array a 1 100
//@ array a 3 100
#include <rill/kernel.h>
kernel int run(int n, int x[n], int y[n], const int z[n])
{
    int t[2], i, j;
    for (i = 0; i < n; i++) {
        t[0] = z[i];
        t[1] = -z[i];
        x[i] = t[i & 1];
    }
    for (j = 0; j < n; j++) {
        t[1] = x[j];
        t[0] = z[j] * 2;
        y[j] = t[j & 1] + t[0];
    }
    for (int k = 0; k < n; k++) {
        int u[3] = {x[k], y[k], k};
        x[k] = u[k % 3];
    }
    return i + 3 * j;
}

//== nest_with_a_constant_that_the_inner_loop_reads
//@ buffer b i32 20 range -9 9
//@ buffer z i32 900 range 0 0
//@ int 3
//@ int 70
//@ int 1
//@ array b 0 10
//@ array b 0 10
//@ array z 0 900
// or
//@ buffer b i32 20 range -9 9
//@ buffer z i32 900 range 0 0
//@ int 3
//@ int 70
//@ int 6
//@ array b 0 10
//@ array b 3 10
//@ array z 0 900
#include <rill/kernel.h>
kernel void run(int n, int m, int k, int x[10], const int y[10], int z[n][m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            x[i] = 4;
            z[i][j] = y[k] - y[i] * j;
        }
    }
}

//== short_loop_whose_tasks_meet_in_its_locals
//@ buffer a i32 3000 range -9 9
//@ buffer x i32 3000 range 0 0
//@ int 2
//@ int 1200
//@ array a 0 3000
//@ array x 0 3000
// or
//@ buffer a i32 300000 range -9 9
//@ buffer x i32 300000 range 0 0
//@ int 3
//@ int 90000
//@ array a 0 300000
//@ array x 0 300000
#include <rill/kernel.h>
struct both {
    int least, most;
    short seen[4];
};
kernel long run(int n, int m, const int a[n][m], int x[n][m])
{
    long all = 0;
    for (int i = 0; i < n; i++) {
        struct both b = {100, -100, {0}};
        int t[8], *p = t, sum = 0;
        for (int j = 0; j < m; j++) {
            sum += a[i][j];
            b.least = a[i][j] < b.least ? a[i][j] : b.least;
        }
        t[0] = sum;
        t[1] = b.least;
        if (sum & 1) {
            p = t + 1;
        }
        b.seen[i & 3] = (short)sum;
        for (int j = 0; j < m; j++) {
            x[i][j] = a[i][j] * p[0] + b.seen[j & 3];
        }
        all = all * 3 + sum;
    }
    return all;
}

//== helper_with_memory_of_its_own_in_loops_of_all_kinds
//@ buffer a i32 200 range -9 9
//@ int 50
//@ int 3
//@ array a 0 200
// or
//@ buffer a i32 60000 range -9 9
//@ int 15000
//@ int 3
//@ array a 0 60000
#include <rill/kernel.h>
static int turned(int *p, int k)
{
    int t[4], s = 0;
    for (int i = 0; i < 4; i++) {
        t[(i + k) & 3] = p[i];
    }
    for (int i = 0; i < 4; i++) {
        p[i] = t[i];
        s = s * 3 + t[i & k];
    }
    return s;
}
kernel int run(int n, int steps, int a[4 * n])
{
    int r = 0;
    for (int step = 0; step < steps; step++) {
        int own[4] = {step, 1, 2, 3};
        for (int i = 0; i < n; i++) {
            int t[4];
            for (int j = 0; j < 4; j++) {
                t[j] = a[4 * i + j];
            }
            a[4 * i] = turned(t, i);
            a[4 * i + 1] += t[1] - own[i & 3];
        }
        r += turned(own, step) + turned(&a[4 * step], 1);
    }
    return r;
}

//== sums_that_may_never_run
//@ buffer a i32 60 range 0 9
//@ buffer x i32 4 range 1 3
//@ int 60
//@ int 1000000000
//@ array a 0 60
//@ array x 0 4
// or
//@ buffer a i32 60 range 0 9
//@ buffer x i32 4 range 1 3
//@ int 60
//@ int 2
//@ array a 0 60
//@ array x 0 4
#include <rill/kernel.h>
kernel int run(int n, int k, const int a[n], int x[4])
{
    int least = 100;
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < n; i++) {
            if (k < 4) {
                x[k] += a[i];
                least = a[i] < least ? a[i] : least;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = k; j < 4; j++) {
                x[k] ^= a[i] + j;
                if (a[i] > x[k - 1]) {
                    x[k - 1] = a[i];
                }
            }
        }
    }
    return least;
}

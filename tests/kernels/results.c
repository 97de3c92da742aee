// Kernels that return structs, and several values through pointers.
#include <rill/kernel.h>

// struct stats: iif least most mean
struct stats {
    int least;
    int most;
    float mean;
};

// run: survey n=1000
// run: survey n=1
kernel struct stats survey(int n, const int a[n])
{
    struct stats s = {a[0], a[0], 0};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        s.least = a[i] < s.least ? a[i] : s.least;
        s.most = a[i] > s.most ? a[i] : s.most;
        sum += a[i];
    }
    s.mean = (float)sum / (float)n;
    return s;
}

// Several ways out.
// run: first n=900 wanted=33
// run: first n=900 wanted=1000000
// run: first n=0 wanted=3
kernel struct stats first(int n, int wanted, const int a[n])
{
    if (n == 0) {
        return (struct stats){-1, -1, 0.5f};
    }
    for (int i = 0; i < n; i++) {
        if (a[i] == wanted) {
            struct stats s = {i, a[i], 1};
            return s;
        }
    }
    struct stats none = {.most = n};
    return none;
}

// What another kernel returned, also in a loop, and in the end of a time loop.
// struct pair: dq x count
struct pair {
    double x;
    long count;
};

kernel struct pair step(int n, double by, double x[n])
{
    struct pair p = {0, 0};
    for (int i = 0; i < n; i++) {
        x[i] += by;
        p.count += x[i] > 10;
    }
    p.x = x[n / 2];
    return p;
}

// run: relax n=500 most=40
kernel struct pair relax(int n, int most, double x[n])
{
    struct pair p = {0, 0};
    for (int t = 0; t < most; t++) {
        struct pair now = step(n, 0.25 * t, x);
        p.x += now.x;
        p.count = p.count * 3 + now.count;
    }
    return p;
}

// struct wide: iiiiiiiiii a b c d e f g h i j
struct wide {
    int a, b, c, d, e, f, g, h, i, j;
};

// run: wide n=77
kernel struct wide wide(int n, const int a[n])
{
    struct wide w = {0};
    int *at = &w.e;
    for (int i = 0; i < n; i++) {
        w.a += a[i];
        w.j ^= a[i];
    }
    *at = n;
    return w;
}

// Values that go out by pointers to one element each.
// run: converge n=300 limit=25 out_iterations=1 out_error=1
kernel float converge(int n, int limit, float x[n], int *out_iterations, double *out_error)
{
    int rounds = 0;
    int least = 0;
    while (rounds < limit && least < 50) {
        least = 1000000;
        for (int i = 0; i < n; i++) {
            x[i] += 4;
            least = (int)x[i] < least ? (int)x[i] : least;
        }
        rounds++;
    }
    *out_iterations = rounds;
    *out_error = least - 0.5;
    return x[0];
}

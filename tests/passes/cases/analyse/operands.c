// What the operand of an update may do: whatever stays in the helper that computes it.
#include <rill/kernel.h>
#include <math.h>
#include <string.h>

struct pair {
    int a, b;
};

static int counter;

static void set(int *p, int k)
{
    *p = k;
}

static void set_pair(struct pair *p, int k)
{
    set(&p->a, k);
    p->b = 1;
}

static int by_address(int k)
{
    int t;
    set(&t, k);
    return t;
}

static int by_pointer(int k)
{
    int t[4];
    for (int *p = t; p < t + 4; p++) {
        *p = k;
    }
    return t[k & 3];
}

static int by_members(int k)
{
    struct pair x;
    set_pair(&x, k);
    return x.a + x.b;
}

static int by_library(int k)
{
    int t[4];
    memset(t, 0, sizeof t);
    t[1] = k;
    return t[k & 3];
}

static float by_parts(float x)
{
    int e;
    return frexpf(x, &e) + (float)e;
}

static int through(int *p, int k)
{
    int *q = p;
    *q = k;
    return k;
}

static int elsewhere(int k)
{
    counter = k;
    return k;
}

kernel void operands(int n, const int b[n], const float x[n], int h[256], float g[256])
{
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += by_address(i);
    }
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += by_pointer(i);
    }
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += by_members(i) - by_library(i);
    }
    for (int i = 0; i < n; i++) { // expect: proven
        g[b[i]] += by_parts(x[i]);
    }
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += ((int[3]){i, 2, b[i]})[i % 3];
    }
    for (int i = 0; i < n; i++) { // expect: proven
        h[b[i]] += (struct pair){.b = i}.b;
    }
    for (int i = 0; i < n; i++) { // expect: proven
        h[((int[2]){b[i], i & 255})[b[i] & 1]] += i;
    }
}

kernel void operands_with_effects(int n, const int b[n], int h[256])
{
    for (int i = 0; i < n; i++) { // proven where the helper is inlined, which makes t a scalar; in order where it is called
        int t;
        h[b[i]] += through(&t, i);
    }
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] += elsewhere(i);
    }
    for (int i = 0; i < n; i++) { // expect: in order
        h[b[i]] += ((int[2]){h[b[i]], 1})[i & 1];
    }
}

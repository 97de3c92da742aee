// Locals whose address goes to helpers that only read them: what they hold keeps its meaning on the way in.
#include <rill/kernel.h>

struct place {
    long row;
    long column;
    int weight;
};

static void put(int *x, const long *k, int v)
{
    x[*k] = v;
}

static void put_deep(int *x, const long *k, int v)
{
    if (v > 3) {
        put(x, k, v);
    } else {
        x[*k] = -v;
    }
}

static void put_place(int *x, const struct place *p, long m)
{
    x[p->row * m + p->column] = p->weight;
}

static void put_moved(int *x, long *k, int v)
{
    x[*k] = v;
    *k = 0;
}

static void put_twice(int *x, const long *k, long *l, int v)
{
    *l = 0;
    x[*k] = v;
}

kernel void own_element(int n, int x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        long k = i;
        put(x, &k, i);
        put_deep(x, &k, 2 * i);
    }
}

kernel void shifted_element(int n, int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        long k = i;
        put(x, &k, i);
        k++;
        put_deep(x, &k, 2 * i);
    }
}

kernel void even_elements(int n, int x[2 * n])
{
    long k;
    for (int i = 0; i < n; i++) { // expect: proven
        k = 2l * i;
        put_deep(x, &k, i);
    }
}

kernel void places(int n, int x[8 * n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        struct place p = {.row = i, .weight = i};
        for (long j = 0; j < 8; j++) { // expect: proven
            p.column = j;
            put_place(x, &p, 8);
        }
    }
}

kernel void carried_place(int n, int x[n + 1])
{
    struct place p = {0};
    for (int i = 0; i < n; i++) { // expect: in order
        p.column++;
        put_place(x, &p, 0);
        p.column = i > 3 ? 0 : p.column;
    }
}

// The helper writes what it is given: the value after the call is not the one before.
kernel void moved_by_helper(int n, int x[n])
{
    for (int i = 0; i < n; i++) { // expect: any
        long k = i;
        put_moved(x, &k, i);
        put(x, &k, 1);
    }
}

// Two ways to one local, and one of them writes before the other reads.
kernel void two_ways(int n, int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: any
        long k = i + 1;
        put_twice(x, &k, &k, i);
    }
}

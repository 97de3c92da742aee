// The place of a scattered store is what a helper writes through the address of a local.
//@ buffer b0 i32 1000 range -100 60
//@ buffer b1 i32 1000 range 0 99
//@ int 1000
//@ array b0 0 1000
//@ array b1 0 1000
#include <rill/kernel.h>
struct place { int a, b; };
static int steps(int at) { while (at > 900) at /= 3; return at; }
static void set(int *p, int at) { for (int q = 0; q < 2; q++) *p = steps(at); }
static void set_both(struct place *p, int at) { set(&p->a, at / 2); p->b = steps(at + 1); }
kernel void run(int n, int x[restrict n], const int at[n])
{
    for (int i = 0; i < n; i++) {
        int v = 0;
        set(&v, i);
        x[v] = i;
    }
    for (int i = 0; i < n; i++) {
        struct place p = {0, 0};
        set_both(&p, at[i]);
        x[p.a + p.b] = i;
    }
    for (int i = 0; i < n; i++) {
        int v[2] = {0, 1};
        set(&v[i & 1], at[i]);
        if (v[0] > v[1]) x[v[0] - v[1]] = -i;
    }
}
// nobody gives his word
// helpers are called

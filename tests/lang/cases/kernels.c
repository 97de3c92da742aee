#include <rill/kernel.h>

struct node { struct node *next; int value; };
struct open;

kernel int *returns_pointer(int n) { return 0; }
kernel struct node returns_struct(struct node x) { return x; }
kernel void pointers(int **p, void *v, int *rows[4], int (*f)(int)) {}
kernel void holds(struct node a[4], struct open *o, struct node b) {}
kernel void wide(long double x, long double _Complex z, long double a[3]) {}
kernel void many(int n, ...) {}
kernel void fine(int n, int m, float a[n][m], const double *b, struct { int x; } s, _Bool flag) {}
kernel int not_a_function = 3;
kernel long double precise(void) { return 1; }

kernel void parameters(int a0, int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9, int b0, int b1,
                       int b2, int b3, int b4, int b5, int b6, int b7, int b8, int b9, int c0, int c1, int c2, int c3,
                       int c4, int c5, int c6, int c7, int c8, int c9, int d0, int d1, int d2, int d3, int d4, int d5,
                       int d6, int d7, int d8, int d9, int e0, int e1, int e2, int e3, int e4, int e5, int e6, int e7,
                       int e8, int e9, int f0, int f1, int f2, int f3, int f4, int f5, int f6, int f7, int f8, int f9,
                       int g0, int g1, int g2, int g3, int g4)
{
}
kernel void unnamed(int, float x) { }

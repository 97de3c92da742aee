kernal void f(int n) { int x = ; y = 3; for (int i = 0 i < n; i++ { } if (x x; return 1 }
struct s { int a; int a; struct s t; float b[]; int c; }; enum { A, A }; int a[-1], b[0], v[n]; void x;
int f(int a, int a) { break; continue; goto nowhere; case 3: default: ; foo(3); return; } void g(void) { return 1; } int g(int); 
#pragma rill paralel
int q; stream_parallel { } 
__rill_kernel__ int *k(int **p, void *v, long double d, ...) { stream_parallel { return; stream_parallel { } } stream_parallel() {} stream_parallel for (;;) ; }
void h(void) { 1 = 2; int a[3]; a = 3; const int c = 1; c = 2; c++; &3; *3; a.x; a->x; a(1); "s" + 1.0; int *p = 3; float *q = p; p = q; p + q; (struct s)3; sizeof(void); sizeof f; ({ 1; }); _Generic(1, float: 2); }
static int i = h; int j = i; _Static_assert(0, "no"); _Static_assert(i); typedef int T; T T; T *T2 T3; int (; ) ] [ struct; union { enum

int f(a, b) int a; { return a; }
int g(a) int b; { return 1; }
int h(floot);
int i(x, x) int x; { return x; }
int k(x) int x, x; { return 1; }
int l(x) static int x; { return x; }
int later();
int m(void) { return later(1) + later(&l, 2); }
int later(a, b) int a, b; { return a + b; }
int n(int a, int b[a++]) { return b[0]; }

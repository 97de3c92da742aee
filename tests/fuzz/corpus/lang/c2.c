#define N 10
#pragma pack(push, 1)
struct a { char c; int i; short s : 3; long l : 40; } __attribute__((packed, aligned(4)));
#pragma pack(pop)
typedef int T; typedef T A[3]; typedef void F(int, ...);
extern int e[]; int e[4]; static T t; A aa = {1,2,3}; F *f;
union u { int i; float f; struct { char x, y; } s; } uu = { .f = 1.f }, vv = { .s = {1, 2} };
long double ld = 1.0L; double _Complex z; _Bool b = 3; volatile const unsigned long long x = 0xffffffffffffffffULL;
char s1[3] = "abc", s2[] = {"xyz"}, *s3 = "q" "r"; int ws[] = L"wide"; const char *names[2][2] = {{"a"},{"b","c"}};
int g(), h(void), k(int a[*], int n, double (*m)[n]);
int *ptrs[] = { &e[1], e + 2, 0, (int *)0, &aa[2] };
int old(a, b) int a; int b; { return a; }
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int vla(int n) { int a[n], (*q)[n] = &a; static int cnt = 3; static const int tab[] = {1,2}; extern int e[]; register int r = sizeof a; auto int w = sizeof *q; lbl: for (;;) { if (r) break; goto lbl; } return a[0] + tab[1] + cnt + w; }
int cmp(char *p, unsigned char *q, void *v, const int *c) { if (!p || (p == 0)) return p - (char *)v > 3; return c != 0 ? *c : (int)(long)q; }
int misc(struct a *s, struct a r) { s->i = r.c; (*s).s++; ++s->l; r = *s; s = &r; return s[0].i, r.s = 3, -s->s; }
int sw(unsigned long v) { switch (v) { case 1: { int x; case 2: x = 1; return x; } default: ; } while (v) { v--; continue; } return 'a' + '\n' + L'x' + 0x1p3 + 1e10f + 017; }
int cond(int c) { return c ? 1 : c ? 2.0 : 'c'; }

#include <stddef.h>
typedef int T;
struct open;
struct s { int a : 3; int b[4]; struct open *o; void *v; };
_Noreturn void stop(void);

int f(struct s *p, struct open *o, void *v, int n, int (*fp)(int), int m[n][n])
{
    n %= 3, n >>= 1, n &= 2, n ^= 3, n |= 4;
    v++;
    v + 1;
    o[1];
    *o;
    o->a;
    *v = 1;
    fp + 1;
    fp++;
    p->a++;
    &p->a;
    sizeof p->a;
    sizeof *p->o;
    (*p)++;
    *p << 1;
    *p && 1;
    n = T;
    n = T + 1;
    p->;
    p.;
    p->missing.x;
    n = (int[n]){1};
    n = (void){1};
    ++(int)n;
    n = sizeof (int)n;
    n = ++(int){3};
    n = _Alignof n + _Alignof(p->b);
    n = __extension__ 3;
    n = missing ? 1 : 2;
    n = n ? missing : 2;
    n = _Generic(missing, int: 1);
    int bad[missing_size + 1];
    switch (missing) { case 1.0f: break; }
    const char *name = __func__;
    n = offsetof(struct s, a) + offsetof(struct s, q) + offsetof(struct s, b.x) + offsetof(struct s, o[1]);
    n = offsetof(int, a) + offsetof(struct s, 3) + offsetof(struct s, b[2]);
    n = sizeof(struct open) + _Alignof(missing);
    n = name[0] + m[1][2];
    T;
    if (n) stop();
    return;
}
int *address = 1 ? &(int){3} : 0;
int (*function)(struct s *, struct open *, void *, int, int (*)(int), int (*)[*]) = f;
int *bad_address = 1 + 1 ? (int *)f(0, 0, 0, 0, 0, 0) : 0;
unsigned folded = 7u / 2u + 7u % 4u;
_Static_assert(1.5, "no integer");
_Static_assert(1, 2);
__typeof__ 3 x;
_Alignas 3 int y;

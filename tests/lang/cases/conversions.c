struct s { int a; };
struct t { int a; };
int take(int *p, const float *q);

int f(int *p, const int *c, float *q, struct s s, struct t t, void *v, unsigned *u)
{
    p = q;
    p = c;
    p = u;
    p = 3;
    p = 0;
    p = v;
    int i = p;
    s = t;
    s = 1;
    i = s;
    q = s;
    take(q, q);
    take(c);
    take(p, 1.5);
    if (s) i = 1;
    while (t) { }
    i = p + q;
    i = p * 2;
    i = s + 1;
    i = !s;
    i = ~1.5f;
    i = -p;
    i = 1.5 % 2;
    i = p < q;
    i = p == 3;
    i = p ? s : 1;
    i = (struct s)3;
    p = (int *)1.5;
    i <<= 1.5;
    p += p;
    p[q] = 1;
    i[i] = 1;
    *i = 1;
    i.a = 1;
    p->a = 1;
    s->a = 1;
    i(1);
    return p;
}

void nothing(void) { return 1; }
int something(void) { return; }

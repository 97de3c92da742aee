#include <rill/kernel.h>
#include <string.h>

struct vec { float x, y, z; };
struct pair { char c; long l; short s; };
struct nest { struct vec v[2]; struct pair p; union { int i; float f; unsigned char b[4]; } u; };
struct bits { unsigned a : 3; int b : 5; unsigned long c : 33; _Bool d : 1; int : 0; signed char e : 4; unsigned short f : 9; };
#pragma pack(push, 1)
struct tight { char c; int i; unsigned b : 12; unsigned d : 20; unsigned long e : 50; short s; };
#pragma pack(pop)

static struct vec add(struct vec a, struct vec b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

static struct vec scale(struct vec a, float f)
{
    if (f == 0) return (struct vec){0};
    return (struct vec){a.x * f, a.y * f, .z = a.z * f};
}

static void normal(const struct vec *a, struct vec *out, float *length)
{
    float l = a->x * a->x + a->y * a->y + a->z * a->z;
    *out = l > 0 ? scale(*a, 1 / l) : *a;
    *length = l;
}

kernel long vectors(long seed, long out[64], double real[64])
{
    struct vec a = {(float)seed, 2, 3}, b = a, c;
    c = add(a, scale(b, 0.5f));
    real[0] = c.x; real[1] = c.y; real[2] = c.z;
    real[3] = a.x;
    float length;
    normal(&c, &c, &length);
    real[4] = c.x; real[5] = c.y; real[6] = c.z; real[7] = length;
    struct vec list[3] = {a, [2] = {1, 2, 3}};
    list[1] = list[2];
    list[0] = add(list[0], list[1]);
    for (int i = 0; i < 3; i++) real[8 + i] = list[i].x + list[i].y * list[i].z;
    real[12] = add(a, b).y;
    real[13] = (seed & 1 ? a : c).z;
    struct vec d = (b.x = 7, b);
    real[14] = d.x;
    real[15] = (a = b).x;
    struct vec *p = &list[2];
    p->x = 9;
    (p - 1)->y = p->x;
    real[16] = list[1].y + list[2].x;
    return 0;
}

kernel long nested(long seed, long out[64], double real[64])
{
    struct nest n = {.v[1].y = 2, .p = {'a', seed, 3}, .u.i = 0x3f800000}, m;
    real[0] = n.v[1].y + n.v[0].x;
    real[1] = n.u.f;
    out[0] = n.u.b[3];
    out[1] = n.p.c + n.p.l + n.p.s;
    m = n;
    m.u.b[0] = (unsigned char)seed;
    out[2] = m.u.i;
    n.v[seed & 1].x = 4;
    real[2] = n.v[0].x; real[3] = n.v[1].x;
    struct nest *p = &m;
    p->v[0] = n.v[1];
    real[4] = m.v[0].y;
    struct pair q = p->p, r;
    memset(&r, 0, sizeof r);
    memcpy(&r, &q, sizeof r.c);
    out[3] = r.c + r.l;
    out[4] = sizeof(struct nest) + sizeof n.u;
    struct { int a; struct { int b, c; }; } an = {1, {2, 3}};
    an.c += an.b;
    out[5] = an.a + an.c;
    char text[10] = "hello", *t = text;
    while (*t) t++;
    out[6] = t - text;
    out[7] = text[1];
    int matrix[3][4] = {{1, 2}, {3, 4, 5, 6}, [2][3] = 9};
    for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) out[8 + i * 4 + j] = matrix[i][j];
    int (*row)[4] = matrix + 1;
    out[20] = (*row)[2] + row[1][3];
    out[21] = sizeof *row;
    float f = 1.5f;
    out[22] = *(int *)&f;
    *(unsigned char *)&f = 7;
    real[5] = f;
    out[23] = memcmp(&matrix[0], &matrix[1], sizeof matrix[0]) < 0;
    const char *s = "abc" "def";
    out[24] = s[seed & 3];
    out[25] = "xyz"[1];
    return (long)sizeof(struct pair);
}

kernel long fields_of_bits(long seed, long out[64], double real[64])
{
    struct bits b = {5, -3, 0x1ffffffffUL, 1, -8, 300};
    out[0] = b.a; out[1] = b.b; out[2] = b.c; out[3] = b.d; out[4] = b.e; out[5] = b.f;
    b.a = (unsigned)seed;
    b.b = (int)seed;
    b.c = (unsigned long)seed;
    b.d = seed;
    b.e = (signed char)seed;
    b.f = (unsigned short)seed;
    out[6] = b.a; out[7] = b.b; out[8] = b.c; out[9] = b.d; out[10] = b.e; out[11] = b.f;
    out[12] = b.a++;
    out[13] = ++b.b;
    out[14] = (b.f += 5);
    out[15] = (b.e = 12);
    b.c *= 3;
    out[16] = b.c;
    out[17] = b.a + b.b < 0;
    b.a--;
    b.b ^= 21;
    out[18] = b.a; out[19] = b.b;
    struct tight t = {1, 0x12345678, 0xabc, 0x12345, 0x3ffffffffffffUL, -2};
    out[20] = t.c; out[21] = t.i; out[22] = t.b; out[23] = t.d; out[24] = t.e; out[25] = t.s;
    t.b += (unsigned)seed;
    t.e -= (unsigned long)seed;
    t.i = t.i * 3;
    out[26] = t.c; out[27] = t.i; out[28] = t.b; out[29] = t.d; out[30] = t.e; out[31] = t.s;
    out[32] = sizeof t;
    out[33] = sizeof b;
    struct bits copy = b, array[2] = {{1, 2}, {3, 4}};
    array[seed & 1] = copy;
    out[34] = array[0].b + array[1].a;
    unsigned char raw[sizeof b];
    struct bits z = {0};
    z.a = 5; z.c = 77; z.f = 255;
    memcpy(raw, &z, sizeof z);
    for (int i = 0; i < 8; i++) out[40 + i] = raw[i];
    return 0;
}

union pun { double d; long l; struct { unsigned lo, hi; } w; };

static long bits_of(double d)
{
    union pun p;
    p.d = d;
    return p.l;
}

kernel long unions(long seed, long out[64], double real[64])
{
    union pun p = {.l = seed};
    out[0] = p.w.lo; out[1] = p.w.hi;
    p.w.hi = 0x3ff00000; p.w.lo = 0;
    real[0] = p.d;
    out[2] = bits_of((double)seed);
    union pun q = p;
    q.d += 1;
    out[3] = q.l;
    return bits_of(-0.0);
}

static void swap(long *a, long *b) { long t = *a; *a = *b; *b = t; }
static void set(struct pair *p, long v) { p->l = v; p->s = (short)(v * 2); }

kernel long through_pointers(long seed, long out[64], double real[64])
{
    long a = seed, b = 5, *p = &a, **pp = &p;
    swap(&a, &b);
    out[0] = a; out[1] = b;
    **pp = 8;
    out[2] = a;
    *pp = &b;
    *p += 3;
    out[3] = b;
    p = seed > 0 ? &a : &b;
    *p = 77;
    out[4] = a; out[5] = b;
    struct pair r = {0};
    set(&r, seed);
    out[6] = r.l + r.s;
    struct { long *to; int n; } holder = {&a, 1};
    *holder.to = 13;
    holder.to = &b;
    ++*holder.to;
    out[7] = a; out[8] = b;
    long list[4] = {1, 2, 3, 4}, *end = list + 4;
    long sum = 0;
    for (long *q = list; q < end; q++) sum += *q;
    for (long *q = end; q-- != list;) sum = sum * 3 + *q;
    out[9] = sum;
    swap(list, &list[3]);
    swap(&list[1], list + 2);
    for (int i = 0; i < 4; i++) out[10 + i] = list[i];
    out[14] = p != 0;
    out[15] = !p;
    p = 0;
    out[16] = p == NULL;
    return *(&list[1] + 1);
}

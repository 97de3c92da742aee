#include <rill/kernel.h>
#include <stdio.h>
#include <assert.h>
#include <tgmath.h>
#include <stddef.h>
typedef struct { float x, y, z; } vec;
struct particle { vec p, v; union { int id; unsigned char raw[4]; }; unsigned a : 3, : 2, b : 7, : 0, c : 1; };
enum color { RED, GREEN = 5, BLUE, NEG = -1 };
static const int table[3][2] = { {1, 2}, 3, 4, [2] = { [1] = 9 } };
const char msg[] = "hello" " world";
static float field[16] = { [3 ... 5] = 1.5f, 2 };
struct flex { int n; int tail[]; } fx = { 3, { 1, 2, 3 } };
static struct particle pp = { .p.x = 1, .v = { 1, 2, 3 }, .id = 7, .a = 3 };
_Static_assert(sizeof(vec) == 12 && offsetof(struct particle, v) == 12, "layout");
static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static int (*fp)(int, int[3]);
int (*(*fpp[3])(void))[4];
kernel float run(int n, int m, float a[n][m], const struct particle ps[static n], unsigned hist[restrict 256], vec g)
{
    float sum = 0;
#pragma rill parallel
    for (int i = 0; i < n; i++) {
        for (int j = m; j-- > 0;) { a[i][j] += i ? sin(a[i][j]) : (float)j / 3; }
        rill_atomic_add(&hist[(unsigned)ps[i].b & 255], 1u);
        sum += dot(ps[i].p, (vec){ .x = 1, .z = g.y });
        switch (ps[i].id) { case RED: case 3 ... 4: sum++; break; default: continue; }
        if (sum > 3) goto out; else sum = sum * 2, sum--;
out:    ;
    }
    stream_parallel { for (int i = 0; i < n; i++) hist[i] = sizeof a[0] + _Alignof(double); }
#pragma rill in_order
    stream_parallel { hist[0] = _Generic(sum, float: 1, default: 2); }
    assert(n > 0);
    printf("%d %5.2f %s %c %lu %%\n", n, sum, msg, 'c', sizeof sum);
    do { n >>= 1; if (n == 3) break; } while (n > 1 && m != 0 || !n);
    __typeof__(sum) q = -+sum; int *p = &(int){3}; p += 2; p -= n; *p++ = ~n ^ 3 | 4 & n;
    return q + (p - &n) + *p;
}

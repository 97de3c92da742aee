// Structs that are taken apart although one instruction has the addresses of two of them.
#include <rill/kernel.h>

struct part { int at[3]; long sum; };
struct twice { struct part a; int between; struct part b; };

static long total(struct part *p, struct part *q, int k)
{
    long t = 0;
    for (int j = 0; j < 40; j++) {
        p->at[(j + k) % 3] += q->at[j % 3] ^ j;
        q->sum += p->at[j % 3];
        t = t * 3 + q->sum - p->sum;
    }
    return t;
}

kernel long chain(long seed, long out[64], double real[64])
{
    int k = (int)(seed & 1);
    struct part a = {{1, 2, (int)seed}, seed}, b = {{0}}, c, d;
    b = a;
    b.at[k] = 7;
    c = b;
    c.at[k + 1] += 5;
    d = c;
    a = d;
    d.at[2 - k] = 11;
    b = d;
    for (int i = 0; i < 3; i++) {
        out[i] = a.at[(i + k) % 3];
        out[3 + i] = b.at[(i + k) % 3];
        out[6 + i] = c.at[(i + k) % 3];
        out[9 + i] = d.at[(i + k) % 3];
    }
    out[12] = a.sum + b.sum * 3 + c.sum * 5 + d.sum * 7;
    return 0;
}

kernel long hub(long seed, long out[64], double real[64])
{
    int k = (int)(seed % 3 + 3) % 3;
    struct part hub = {{(int)seed, 2, 3}, 4}, v0, v1, v2, v3;
    v0 = hub;
    v0.at[k]++;
    hub = v0;
    v1 = hub;
    v1.at[k] *= 2;
    hub = v1;
    v2 = hub;
    v3 = v2;
    v3.at[2] = v2.at[k];
    v2 = v3;
    out[0] = v0.at[k] + v1.at[k] * 3 + v2.at[k] * 5 + v3.at[k] * 7 + hub.at[k] * 11;
    out[1] = v0.sum + v3.sum;
    return out[0];
}

kernel long called(long seed, long out[64], double real[64])
{
    int k = (int)(seed & 1);
    struct part a = {{1, 2, (int)seed}, 3}, b = {{4, 5, 6}, seed}, c = {{7, 8, 9}, 1};
    out[0] = total(&a, &b, k);
    out[1] = total(&b, &c, k + 1);
    out[2] = total(&c, &a, k);
    c = a;
    out[3] = total(&c, &c, 1) + c.at[k];
    for (int i = 0; i < 3; i++) {
        out[4 + i] = a.at[(i + k) % 3] + b.at[i] * 3 + c.at[(i + k) % 3] * 5;
    }
    return a.sum + b.sum + c.sum;
}

kernel long inner(long seed, long out[64], double real[64])
{
    int k = (int)(seed & 1);
    struct twice t = {.between = (int)seed}, u;
    struct part p = {{1, 2, 3}, 4};
    t.a = p;
    t.b = p;
    t.b.at[k] = 9;
    u = t;
    u.a = t.b;
    p = u.a;
    out[0] = p.at[k] + u.b.at[k + 1] * 3 + t.a.at[k] * 5 + u.between;
    t.a = t.b;
    out[1] = t.a.at[k] - t.b.at[k];
    return out[0];
}

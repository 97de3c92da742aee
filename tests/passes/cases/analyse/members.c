// Structs declared outside a loop, decided member by member.
#include <rill/kernel.h>

struct work {
    float sum;
    int count;
    float tmp[4];
    float scale;
};

struct inner {
    int key[4];
    int best;
};

struct outer {
    struct inner a;
    struct inner b;
    int last;
};

kernel void every_role(int n, const float x[n], float y[n], float out[2])
{
    struct work w = {0, 0, {0}, 2.0f};
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int k = 0; k < 4; k++) { // expect: proven
            w.tmp[k] = x[i] * k;
        }
        float t = 0;
        for (int k = 0; k < 4; k++) { // expect: proven
            t += w.tmp[3 - k];
        }
        y[i] = t * w.scale;
        w.count++;
        w.sum += t;
    }
    out[0] = w.sum;
    out[1] = w.count;
}

kernel void one_member_stays(int n, const float x[n], float y[n])
{
    struct work w = {0, 0, {0}, 2.0f};
    for (int i = 0; i < n; i++) { // expect: in order
        w.tmp[i & 3] = x[i];
        y[i] = w.tmp[0] * w.scale;
    }
}

kernel void read_after(int n, const float x[n], float y[n], float out[4])
{
    struct work w = {0, 0, {0}, 2.0f};
    for (int i = 0; i < n; i++) { // expect: in order
        for (int k = 0; k < 4; k++) {
            w.tmp[k] = x[i] * k;
        }
        y[i] = w.tmp[1] + w.tmp[n & 3];
    }
    for (int k = 0; k < 4; k++) { // expect: proven
        out[k] = w.tmp[k];
    }
}

kernel void another_read_after(int n, const float x[n], float y[n], float out[4])
{
    struct work w = {0, 0, {0}, 2.0f};
    for (int i = 0; i < n; i++) { // expect: proven
        for (int k = 0; k < 4; k++) {
            w.tmp[k] = x[i] * k;
        }
        y[i] = w.tmp[1] + w.tmp[n & 3];
        w.count += i;
    }
    out[0] = w.count;
}

kernel void nested(int n, const int x[n], int y[n], int out[2])
{
    struct outer o = {{{1, 2, 3, 4}, 0}, {{0}, 1000}, 0};
    for (int i = 0; i < n; i++) { // expect: proven
        for (int k = 0; k < 4; k++) {
            o.b.key[k] = x[i] + o.a.key[k];
        }
        y[i] = o.b.key[x[i] & 3] + o.a.key[i & 3];
        o.b.best = x[i] < o.b.best ? x[i] : o.b.best;
        o.last = i;
    }
    out[0] = o.b.best;
    out[1] = o.last;
}

kernel void copied(int n, const int x[n], int y[n])
{
    struct inner first = {{1, 2, 3, 4}, 5}, second;
    for (int i = 0; i < n; i++) { // expect: proven
        second = first;
        second.key[x[i] & 3] = i;
        y[i] = second.key[i & 3] + second.best;
    }
}

// A pointer to the whole keeps it whole.
kernel void addressed(int n, const int x[n], int y[n])
{
    struct inner p = {{0}, 7};
    int *q = (int *)&p;
    for (int i = 0; i < n; i++) { // expect: in order
        for (int k = 0; k < 4; k++) {
            p.key[k] = x[i];
        }
        y[i] = q[i % 5] + p.key[n & 3];
    }
}

kernel void reduced(int n, const int x[n], int out[4])
{
    struct inner p = {{0}, 0};
    for (int i = 0; i < n; i++) { // expect: proven
        p.key[x[i] & 3]++;
        p.best += x[i];
    }
    for (int k = 0; k < 4; k++) { // expect: proven
        out[k] = p.key[k] + p.best;
    }
}

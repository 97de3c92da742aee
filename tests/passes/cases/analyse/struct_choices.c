// The best of all by helpers that take and return structs.
#include <rill/kernel.h>

struct best {
    float value;
    int at;
};

struct range {
    int low, high;
};

static struct best less(struct best a, struct best b)
{
    return b.value < a.value ? b : a;
}

static struct best kept_if_less(struct best a, struct best b)
{
    return a.value < b.value ? a : b;
}

static struct best in_two_places(struct best a, struct best b)
{
    if (b.value < a.value) {
        return b;
    }
    return a;
}

static struct best own(struct best a, float value, int at)
{
    if (value < a.value) {
        a.value = value;
        a.at = at;
    }
    return a;
}

static struct best counted(struct best a, float value)
{
    if (value < a.value) {
        a.value = value;
        a.at++;
    }
    return a;
}

static struct range grown(struct range a, struct range b)
{
    struct range r;
    r.low = a.low < b.low ? a.low : b.low;
    r.high = a.high > b.high ? a.high : b.high;
    return r;
}

kernel int choices(int n, const float x[n], const int k[n])
{
    struct best a = {x[0], 0}, b = a, c = a, d = a, e = a, f = a;
    struct range g = {k[0], k[0]};
    for (int i = 0; i < n; i++) { // expect: proven, if inlined
        a = less(a, (struct best){x[i], i});
    }
    for (int i = 0; i < n; i++) { // expect: proven, if inlined
        struct best this = {x[i], i};
        b = kept_if_less(b, this);
        c = in_two_places(c, this);
    }
    for (int i = 0; i < n; i++) { // expect: proven, if inlined
        d = own(d, x[i], i);
        g = grown(g, (struct range){k[i], k[i]});
    }
    for (int i = 0; i < n; i++) { // expect: in order
        e = counted(e, x[i]);
    }
    int sum = 0;
    for (int i = 0; i < n; i++) { // expect: in order
        f = less(f, (struct best){x[i], i});
        sum += f.at;
    }
    return a.at + b.at + c.at + d.at + e.at + f.at + g.low + g.high + sum;
}

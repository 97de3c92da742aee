// Helpers that are called rather than inlined: one body serves elements of the iteration's own and shared ones,
// pointers come back from calls, move, and point into locals and members.
#include <math.h>
#include <rill/kernel.h>

struct body {
    float at[3];
    int hits;
};

struct range {
    int low;
    int high;
};

static void add(int *p, int at, int v)
{
    p[at] += v;
}

static void add_both(int *own, int *all, int at, int bin)
{
    add(own, at, bin + 1);
    add(all, bin, 1);
    add(&all[bin], 1, -1);
}

static void lower_to(float *p, float v)
{
    if (v < *p) {
        *p = v;
    }
}

static const int *first_above(const int *p, const int *end, int limit)
{
    while (p < end && *p <= limit) {
        p++;
    }
    return p;
}

static int *slot_of(int *table, int size, int key)
{
    return table + (unsigned)key % (unsigned)size;
}

static void sort_three(float *p)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (p[j] > p[j + 1]) {
                float t = p[j];
                p[j] = p[j + 1];
                p[j + 1] = t;
            }
        }
    }
}

static void extend(struct range *r, int v)
{
    r->low = v < r->low ? v : r->low;
    r->high = v > r->high ? v : r->high;
}

static struct range around(int v, int width)
{
    struct range r = {v - width, v + width};
    extend(&r, v * 2);
    return r;
}

static int at(const int *p, int i)
{
    return p[i];
}

static int gap(const struct range *r)
{
    return r->high - r->low;
}

static void set_row(int *row, int m, int v)
{
    for (int j = 0; j < m; j++) {
        row[j] = v + j;
    }
}

static int sum_row(const int *row, int m)
{
    int s = 0;
    while (m-- > 0) {
        s += *row++;
    }
    return s;
}

static void swap_if(int **p, int **q, int condition)
{
    if (condition) {
        int *t = *p;
        *p = *q;
        *q = t;
    }
}

// run: own_and_shared n=5000
kernel void own_and_shared(int n, const int key[n], int own[n], int bins[66])
{
    for (int i = 0; i < n; i++) {
        add(own, i, key[i]);
        add(bins, key[i] & 63, 1);
        add_both(own, bins, i, (key[i] * 7) & 63);
    }
}

// run: own_or_shared n=3000
kernel void own_or_shared(int n, const int key[n], int own[n], int other[n])
{
    for (int i = 0; i < n; i++) {
        add(own, i, 3);
    }
    for (int i = 0; i < n; i++) {
        add(own, key[i] % n, 3);
    }
    for (int i = 0; i < n; i++) {
        int *p = key[i] & 1 ? own : other;
        add(p, i, 5);
    }
}

// run: smallest n=4000
kernel void smallest(int n, const float x[n], float out[4], float rows[n])
{
    for (int i = 0; i < n; i++) {
        lower_to(&out[i & 3], x[i] - i);
        lower_to(&rows[i], 100.0f - x[i]);
    }
}

// run: total n=4000
kernel void total(int n, const int x[n], int out[1])
{
    for (int i = 0; i < n; i++) {
        add(out, 0, x[i]);
    }
}

// run: columns n=37 m=53
kernel void columns(int n, int m, const int a[n][m], int s[m])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            add(s, j, a[i][j]);
        }
    }
}

// run: searches n=500 m=40
kernel void searches(int n, int m, const int a[n][m], int y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] = (int)(first_above(a[i], a[i] + m, 10 * i) - a[i]);
    }
}

// run: slots n=2000 size=97
kernel void slots(int n, int size, const int key[n], int table[size])
{
    for (int i = 0; i < n; i++) {
        *slot_of(table, size, key[i] * 31) += key[i];
    }
}

// struct body: fffi
// run: bodies n=1000
kernel void bodies(int n, const float x[n], struct body b[n])
{
    struct body one;
    for (int i = 0; i < n; i++) {
        one.at[0] = x[i];
        one.at[1] = 60.0f - x[i];
        one.at[2] = 30.0f;
        sort_three(one.at);
        sort_three(b[i].at);
        b[i].hits += one.at[1] > b[i].at[1];
        b[i].at[0] += one.at[0];
    }
}

// run: ranges n=1000
kernel int ranges(int n, const int x[n], int y[n])
{
    struct range all = {0, 0};
    for (int i = 0; i < n; i++) {
        struct range r = around(x[i], i & 7);
        y[i] = gap(&r);
        extend(&all, r.high);
    }
    return gap(&all);
}

// The place depends on what the helper reads from a local.
// run: moved n=300
kernel void moved(int n, int x[n + 8])
{
    int back[2];
    for (int i = 0; i < n; i++) {
        back[0] = 7 - i;
        back[1] = 0;
        x[2 * i + at(back, 0)] = i;
    }
}

// run: rows_in_one n=200 m=24
kernel void rows_in_one(int n, int m, const int a[n][m], int y[n])
{
    int row[24];
    for (int i = 0; i < n; i++) {
        set_row(row, 24, a[i][0]);
        y[i] = sum_row(row, 24) - sum_row(a[i], m);
    }
}

// run: row_that_stays n=200
kernel void row_that_stays(int n, const int a[n], int y[n])
{
    int row[8] = {0};
    for (int i = 0; i < n; i++) {
        set_row(row, a[i] & 7, i);
        y[i] = sum_row(row, 8);
    }
}

// run: swapped n=500
kernel void swapped(int n, const int a[n], int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        int *p = &x[i], *q = &y[i];
        swap_if(&p, &q, a[i] & 1);
        *p = a[i];
        *q -= a[i];
    }
}

// run: two_blocks n=3000
kernel void two_blocks(int n, const int key[n], int own[n], int bins[64])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            add(bins, key[i] & 63, 1);
            add(own, i, 1);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < 64; i++) {
            add(bins, i, -key[i]);
        }
    }
}

static void add_some(int *p, const int *a, int count)
{
    for (int i = 0; i < count; i++) {
        if (a[i] == 77) {
            return;
        }
        *p += a[i];
    }
}

static void add_pair(int *p, int v)
{
    add(p, 0, v);
    add(p + 1, 2, v & 3);
    add(&p[5], -5, 1);
}

static void all_small(_Bool *all, unsigned char *mask, int v)
{
    if (v > 3) {
        *all = *all && v < 240;
    }
    *mask |= v;
}

static int counted(long *count, int v)
{
    ++*count;
    return v + 1;
}

// Each place that does not move is a reduction, in whatever helper it is updated.
// run: fixed_places n=5000 k=2
kernel void fixed_places(int n, int k, const int a[n + 8], int sums[16], int y[n], float low[2], _Bool all[2],
                         unsigned char mask[1], long count[2])
{
    for (int i = 0; i < n; i++) {
        add_pair(sums, a[i]);
        sums[k * 3] -= i;
        add_some(&sums[k * 3], &a[i], i & 7);
        lower_to(&low[1], (float)a[i] - 20);
        all_small(&all[1], mask, a[i]);
        y[i] = counted(&count[0], a[i]);
        add(y, i, 1);
    }
}

// The row is another one in each iteration of the outer loop, so that one address is fixed in the inner loop alone.
// run: row_sums n=60 m=700
kernel void row_sums(int n, int m, const int a[n][m], int sums[n], int all[4])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            add(&sums[i], 0, a[i][j]);
            add(all, 3, a[i][j] & 1);
        }
    }
}

// run: fixed_in_blocks n=4000
kernel void fixed_in_blocks(int n, const int a[n], int sums[4])
{
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            add(sums, 1, a[i]);
        }
    }
    stream_parallel
    {
        for (int i = 0; i < n; i++) {
            add_pair(sums, a[i]);
        }
    }
}

// What is read as well is no reduction.
// run: fixed_and_read n=400
kernel void fixed_and_read(int n, const int a[n], int sums[8], int y[n])
{
    for (int i = 0; i < n; i++) {
        add_pair(sums, a[i]);
        y[i] = sums[3];
    }
}

struct place {
    int row;
    int column;
    float weight;
};

static void put(int *x, const int *k, int v)
{
    x[*k] = v;
}

static void put_either(int *x, const int *k, int v)
{
    if (v & 1) {
        put(x, k, v);
        return;
    }
    x[*k] += v;
}

static float weighed(const struct place *p, int m, const float *x)
{
    return p->weight * x[p->row * m + p->column];
}

static void put_and_clear(int *x, const int *k, int *l)
{
    *l = 0;
    x[*k] += 1;
}

// What a helper reads of a local is known where it is called.
// run: by_value n=500 m=7
kernel void by_value(int n, int m, const int a[n], int x[2 * n + 2], const float z[n][m], float y[n][m])
{
    for (int i = 0; i < n; i++) {
        int k = 2 * i;
        put(x, &k, a[i]);
        k++;
        put_either(x, &k, a[i]);
    }
    struct place p;
    for (int i = 0; i < n; i++) {
        p.row = n - 1 - i;
        p.weight = 0.5f;
        for (int j = 0; j < m; j++) {
            p.column = j;
            y[i][j] = weighed(&p, m, &z[0][0]) - weighed(&(struct place){i, j, 2}, m, &z[0][0]);
        }
    }
}

// Whoever reads it, another one writes it first.
// run: both_ways n=300
kernel void both_ways(int n, const int a[n], int x[n + 1])
{
    for (int i = 0; i < n; i++) {
        int k = i + 1, l = 3;
        put_and_clear(x, &k, &k);
        put(x, &k, a[i]);
        put_and_clear(x, &l, &k);
    }
}

struct crate {
    int count;
    int sum;
    short v[4];
    float scale;
    struct range range;
};

static void fill_crate(struct crate *c, int x)
{
    for (int k = 0; k < 4; k++) {
        c->v[k] = (short)(x * (int)c->scale + k);
    }
    c->count = x & 7;
    c->range = (struct range){x, 2 * x};
}

static void turn_crate(struct crate *c, int by)
{
    struct crate old = *c;
    for (int k = 0; k < 4; k++) {
        c->v[k] = old.v[(k + by) & 3];
    }
}

static int total_of(const struct crate *c)
{
    int s = c->count + c->range.high - c->range.low;
    for (int k = 0; k < 4; k++) {
        s += c->v[k] * (k + 1);
    }
    return s;
}

static void note_crate(struct crate *c, struct crate *other, int x)
{
    c->sum += x;
    other->sum -= 2 * x;
}

static struct crate doubled(struct crate c)
{
    c.count *= 2;
    c.v[3] = 7;
    return c;
}

// Each member by itself: two are the iteration's own, one is a sum, one is read.
// run: crates n=700
kernel int crates(int n, const int a[n], int y[n])
{
    struct crate c = {.scale = 3}, other = {.sum = 5, .scale = 1};
    for (int i = 0; i < n; i++) {
        fill_crate(&c, a[i]);
        turn_crate(&c, i);
        y[i] = total_of(&c) + c.v[1];
        note_crate(&c, &other, a[i]);
    }
    return c.sum * 100 + other.sum;
}

// run: crates_by_value n=300
kernel void crates_by_value(int n, const int a[n], int y[n], int out[2])
{
    struct crate c = {.scale = 2, .sum = 9};
    for (int i = 0; i < n; i++) {
        fill_crate(&c, a[i]);
        struct crate d = doubled(c);
        y[i] = total_of(&d) - total_of(&c);
    }
    out[1] = c.sum;
}

// The same struct by two names.
// run: crate_twice n=300
kernel int crate_twice(int n, const int a[n], int y[n])
{
    struct crate c = {.scale = 2};
    for (int i = 0; i < n; i++) {
        fill_crate(&c, a[i]);
        note_crate(&c, &c, a[i]);
        y[i] = total_of(&c);
    }
    return c.sum;
}

// What one iteration leaves the next one sees.
// run: crate_that_stays n=300
kernel void crate_that_stays(int n, const int a[n], int y[n])
{
    struct crate c = {.scale = 2};
    for (int i = 0; i < n; i++) {
        turn_crate(&c, i);
        c.v[a[i] & 3] = (short)a[i];
        y[i] = total_of(&c);
    }
}

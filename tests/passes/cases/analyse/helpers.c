// Helpers that are called: every verdict is the same as if they stood where they are called.
#include <rill/kernel.h>

static void add_to(float *p, float v)
{
    *p += v;
}

static void add_at(int *p, int at, int v)
{
    p[at] += v;
}

static float sum_of(const float *p, int count)
{
    float s = 0;
    for (int k = 0; k < count; k++) {
        s += p[k];
    }
    return s;
}

// Its pointer moves: what it points to is still known.
static float sum_by_pointer(const float *p, int count)
{
    float s = 0;
    for (int k = 0; k < count; k++) {
        s += *p++;
    }
    return s;
}

static void fill_by_pointer(float *p, int count, float v)
{
    const float *end = p + count;
    while (p != end) {
        *p++ = v;
    }
}

static float sum_while(const float *p, int count)
{
    float s = 0;
    while (count-- > 0) {
        s += *p++;
    }
    return s;
}

static void move_to(const int **p, const int *to)
{
    *p = to;
}

static int past_last(const int *p, int stop)
{
    const int *q = p;
    while (*q != stop && q < p + 8) {
        q++;
    }
    return (int)(q - p);
}

static const float *larger(const float *p, const float *q)
{
    return *p < *q ? q : p;
}

static float *next_of(float *p)
{
    return p + 1;
}

struct pair {
    int low;
    int high;
};

static void order(struct pair *p)
{
    if (p->low > p->high) {
        int t = p->low;
        p->low = p->high;
        p->high = t;
    }
}

static int low_of(const struct pair *p)
{
    return p->low;
}

static int first_of(const int *p)
{
    return p[0];
}

static int twice(const int *p)
{
    return first_of(p) + first_of(p);
}

static void through(int *p, int at, int v)
{
    add_at(p, at, v);
    add_at(p + 1, at, 1);
}

static void both(float *p, float *q, float v)
{
    add_to(p, v);
    add_to(q, -v);
}

static void set_row(float *row, int m, float v)
{
    for (int j = 0; j < m; j++) {
        row[j] = v;
    }
}

kernel void own_element(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        add_to(&x[i], 2);
    }
}

kernel void shared_element(int n, const int b[n], int h[64])
{
    for (int i = 0; i < n; i++) { // expect: proven
        add_at(h, b[i], 1);
    }
}

kernel void own_then_shared(int n, const int b[n], int x[n], int h[64])
{
    for (int i = 0; i < n; i++) { // expect: proven
        add_at(x, i, 3);
        add_at(h, b[i], 1);
    }
}

kernel void one_place(int n, const float x[n], float out[1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        add_to(out, x[i]);
    }
}

kernel void columns(int n, int m, const int a[n][m], int s[m])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int j = 0; j < m; j++) { // expect: proven
            add_at(s, j, a[i][j]);
        }
    }
}

kernel void updated_and_read(int n, const int b[n], int h[64], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        add_at(h, b[i], 1);
        y[i] = first_of(h + b[i]);
    }
}

kernel void nested(int n, int x[2 * n + 2])
{
    for (int i = 0; i < n; i++) { // expect: if
        through(x, 2 * i, i);
    }
    for (int i = 0; i < n; i++) { // expect: proven
        through(x, i, i);
    }
}

kernel void rows(int n, int m, const float a[n][m], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = sum_of(a[i], m);
    }
}

kernel void rows_by_pointer(int n, int m, const float a[n][m], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = sum_by_pointer(a[i], m);
    }
}

kernel void rows_by_while(int n, int m, const float a[n][m], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = sum_while(a[i], m);
    }
}

kernel void pointers_to_pointers(int n, const int a[n], const int b[n], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: any
        const int *p = a;
        move_to(&p, b);
        y[i] = p[i];
    }
}

kernel void place_found(int n, const int a[16], int y[n + 8])
{
    for (int i = 0; i < n; i++) { // expect: any
        y[i + past_last(a, 3)] = i;
    }
}

kernel void fill_rows(int n, int m, float a[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        set_row(a[i], m, i);
    }
}

kernel void fill_rows_by_pointer(int n, int m, float a[n][m])
{
    for (int i = 0; i < n; i++) { // expect: in order
        fill_by_pointer(a[i], m, i);
    }
}

kernel void running(int n, float x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i + 1] = sum_of(x, i) + 1;
    }
}

kernel void pointer_back(int n, const float x[n], const float y[n], float z[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        z[i] = *larger(&x[i], &y[i]);
    }
}

kernel void store_through(int n, float x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: proven
        *next_of(&x[i]) = i;
    }
}

kernel void own_struct(int n, const int a[n], const int b[n], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        struct pair p = {a[i], b[i]};
        order(&p);
        y[i] = p.high - low_of(&p);
    }
}

kernel void outer_struct(int n, const int a[n], const int b[n], int y[n])
{
    struct pair p;
    for (int i = 0; i < n; i++) { // expect: proven
        p.low = a[i];
        p.high = b[i];
        order(&p);
        y[i] = p.high - low_of(&p);
    }
}

kernel void kept_struct(int n, const int a[n], int y[n])
{
    struct pair p = {0, 0};
    for (int i = 0; i < n; i++) { // expect: in order
        p.low = a[i];
        order(&p);
        y[i] = p.high;
    }
}

// What the helper reads depends on the iteration: the place is not i plus something fixed.
kernel void opposite(int n, int x[n + 8])
{
    for (int i = 0; i < n; i++) { // expect: any
        int back[1];
        back[0] = 7 - i;
        x[i + first_of(back)] = i;
    }
}

kernel void opposite_twice(int n, int x[2 * n + 8])
{
    int back[1];
    for (int i = 0; i < n; i++) { // expect: any
        back[0] = 7 - i;
        x[2 * i + twice(back)] = i;
    }
}

kernel void fixed_place(int n, const int *at, int x[n])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[i + first_of(at)] = i;
    }
}

kernel void two_arrays(int n, const int b[n], float x[n], float y[n], float h[8])
{
    for (int i = 0; i < n; i++) { // expect: proven
        both(&x[i], &y[i], i);
        both(&h[b[i] & 3], &h[4 + (b[i] & 3)], 1);
    }
}

kernel void private_row(int n, int m, const float a[n][m], float y[n])
{
    float row[16];
    for (int i = 0; i < n; i++) { // expect: proven
        set_row(row, 16, i);
        y[i] = sum_of(row, 16) + a[i][0];
    }
}

static void set_if(float *p, float v)
{
    if (v < 0) {
        return;
    }
    *p = v;
}

kernel void maybe_set(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        set_if(&y[i], x[i]);
    }
}

// Structs whose address goes to helpers: each member is private, shared or a sum by what happens to it alone.
#include <rill/kernel.h>

struct box {
    int count;
    int sum;
    int v[4];
    int scale;
};

struct pair {
    struct box first;
    struct box second;
    int end;
};

static void fill(struct box *b, int x)
{
    for (int k = 0; k < 4; k++) {
        b->v[k] = x * b->scale + k;
    }
    b->count = x;
}

static void set_first(struct box *b, int x)
{
    b->v[0] = x;
}

static int total(const struct box *b)
{
    int s = b->count;
    for (int k = 0; k < 4; k++) {
        s += b->v[k];
    }
    return s;
}

static void add_sum(struct box *b, int x)
{
    b->sum += x;
}

static void fill_both(struct pair *p, int x)
{
    fill(&p->first, x);
    fill(&p->second, -x);
}

static int *keep(struct box *b)
{
    return b->v;
}

kernel int member_by_member(int n, const int x[n], int y[n])
{
    struct box b = {.scale = 3};
    for (int i = 0; i < n; i++) { // expect: proven
        fill(&b, x[i]);
        y[i] = total(&b) + b.v[1];
        add_sum(&b, x[i]);
    }
    return b.sum;
}

kernel void one_element_only(int n, const int x[n], int y[n])
{
    struct box b = {.scale = 3};
    for (int i = 0; i < n; i++) { // expect: in order
        set_first(&b, x[i]);
        y[i] = total(&b);
        b.v[1] = x[i];
    }
}

kernel void sum_that_is_read(int n, const int x[n], int y[n])
{
    struct box b = {.scale = 3};
    for (int i = 0; i < n; i++) { // expect: in order
        fill(&b, x[i]);
        add_sum(&b, x[i]);
        y[i] = total(&b) + b.sum;
    }
}

kernel int structs_in_a_struct(int n, const int x[n], int y[n])
{
    struct pair p = {.first = {.scale = 2}, .second = {.scale = 5}};
    for (int i = 0; i < n; i++) { // expect: proven
        fill_both(&p, x[i]);
        y[i] = total(&p.first) - total(&p.second);
        add_sum(&p.second, 1);
    }
    return p.second.sum + p.end;
}

// A pointer into it is kept, so that it stays in one piece.
kernel void kept_pointer(int n, const int x[n], int y[n])
{
    struct box b = {.scale = 3};
    for (int i = 0; i < n; i++) { // expect: any
        fill(&b, x[i]);
        int *p = keep(&b);
        p[1] = 3;
        y[i] = total(&b);
    }
}

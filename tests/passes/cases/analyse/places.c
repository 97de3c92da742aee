// Places that depend on what is not followed, inlined or called: only what is made of loaded data is the author's word.
#include <rill/kernel.h>

static void choose(int *k, int i)
{
    *k = i / 2;
    if (i % 7 == 3) {
        *k += 1;
    }
}

kernel void through_local(int n, int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int k = 0;
        choose(&k, i);
        x[k] = i;
    }
}

static void set_stride(int *s, int n)
{
    *s = n < 0 ? n : 0;
}

kernel void hidden_stride(int n, int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int s;
        set_stride(&s, n);
        x[i * s] = i;
    }
}

static void look_up(const int *order, int i, int *at)
{
    *at = order[i];
}

kernel void data_through_local(int n, const int order[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int at;
        look_up(order, i, &at);
        x[at] = i;
    }
}

struct pin {
    int at;
    int weight;
};

static void set_pin(struct pin *p, int at, int weight)
{
    p->at = at;
    p->weight = weight;
}

static void put_pin(const struct pin *p, int *x)
{
    x[p->at] = p->weight;
}

kernel void data_beside_the_place(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        struct pin p;
        set_pin(&p, i / 2, a[i]);
        put_pin(&p, x);
    }
}

kernel void data_as_the_place(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        struct pin p;
        set_pin(&p, a[i], i / 2);
        put_pin(&p, x);
    }
}

kernel void data_overwritten(int n, const int a[n], int x[n], int y[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        struct pin p;
        set_pin(&p, a[i], i);
        y[i] = p.at;
        set_pin(&p, i / 2, i);
        put_pin(&p, x);
    }
}

kernel void data_on_one_way(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        struct pin p;
        set_pin(&p, i / 2, i);
        if (i > 100) {
            set_pin(&p, a[i], i);
        }
        put_pin(&p, x);
    }
}

kernel void overwritten_in_a_loop(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int k = 0;
        for (int j = 0; j < 3; j++) { // expect: any
            k = a[j];
            x[k] += 0;
            k = i / 2;
        }
        x[k] = i;
    }
}

// Which of a few values it has is data's choice; each of them can be followed.
kernel void chosen_by_data(int n, const int a[n], int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[a[i] > 0 ? i : i + 1] = i;
    }
}

static void choose_by(int *k, int i, int way)
{
    *k = way > 0 ? i : i + 1;
}

kernel void chosen_by_data_in_a_helper(int n, const int a[n], int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int k;
        choose_by(&k, i, a[i]);
        x[k] = i;
    }
}

// Counted or searched by data: as many as there are.
kernel void counted(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int rank = 0;
        for (int k = 0; k < n; k++) { // expect: any
            if (a[k] < a[i] || (a[k] == a[i] && k < i)) {
                rank++;
            }
        }
        x[rank] = i;
    }
}

kernel void searched(int n, const int a[n], int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: any
        int k = 0;
        while (k < n && a[k] != i) {
            k++;
        }
        x[k] = i;
    }
}

static int search(int n, const int *a, int v)
{
    for (int k = 0; k < n; k++) {
        if (a[k] == v) {
            return k;
        }
    }
    return n;
}

kernel void searched_in_a_helper(int n, const int a[n], int x[n + 1])
{
    for (int i = 0; i < n; i++) { // expect: any
        x[search(n, a, i)] = i;
    }
}

// Data says how long it runs, not where it writes.
kernel void as_long_as(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int k = 0;
        while (k < n && a[k] > i) {
            x[k] = i;
            k++;
        }
    }
}

kernel void filled_array(int n, const int links[n][4], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int places[4];
        for (int k = 0; k < 4; k++) { // expect: any
            places[k] = links[i][k];
        }
        for (int k = 0; k < 4; k++) { // expect: any
            x[places[k]] = i;
        }
    }
}

kernel void filled_array_without_data(int n, int x[n + 4])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        int places[4];
        for (int k = 0; k < 4; k++) { // expect: any
            places[k] = i + k * k;
        }
        for (int k = 0; k < 4; k++) { // expect: any
            x[places[k]] = i;
        }
    }
}

kernel void by_address(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        const int *p = &a[i / 2];
        x[p - a] = i;
    }
}

static int root_of(const int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i];
    }
    return i;
}

kernel void what_others_write(int n, const int a[n], int parent[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        parent[root_of(parent, i)] = root_of(parent, a[i]);
    }
}

kernel void what_nobody_writes(int n, const int parent[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        x[root_of(parent, i)] = i;
    }
}

static void free_place(const int *table, int *h)
{
    while (table[*h] != 0) {
        *h = (*h + 1) % 64;
    }
}

kernel void what_others_write_through_a_local(int n, const int a[n], int table[64])
{
    for (int i = 0; i < n; i++) { // expect: in order
        int h = a[i] & 63;
        free_place(table, &h);
        table[h] = a[i];
    }
}

// Data ends the loops, and what they leave is not made of it: the same in every round.
kernel void left_by_data(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        struct pin p;
        int k = 0;
        while (1) {
            set_pin(&p, i / 2, k);
            if (k >= n - 1 || a[k] > i) {
                break;
            }
            k++;
        }
        put_pin(&p, x);
    }
}

kernel void counted_by_data(int n, const int a[n], int x[n])
{
    for (int i = 1; i < n; i++) { // expect: scatter
        struct pin p;
        set_pin(&p, i / 3, 0);
        for (int j = a[i - 1]; j < a[i]; j++) { // expect: any
            set_pin(&p, i / 2, j);
        }
        put_pin(&p, x);
    }
}

static int where(int n, const int *a, int i)
{
    int at = i / 2;
    for (int k = 0; k < n; k++) {
        at = i / 3;
        if (a[k] > i) {
            return at;
        }
    }
    return at;
}

kernel void returned_by_data(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[where(n, a, i)] = i;
    }
}

static int walked(const int *next, int k)
{
    while (next[k] > k) {
        k = next[k];
    }
    return k;
}

kernel void returned_data(int n, const int next[n], int x[n])
{
    for (int i = 0; i < n; i++) { // expect: scatter
        x[walked(next, next[i])] = i;
    }
}

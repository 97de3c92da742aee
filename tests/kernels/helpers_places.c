// Places that depend on what is not easily seen, and not on loaded data: nobody has given his word that they differ
// from one iteration to another, so that the last iteration wins. Each gives what gcc's build gives, inlined or called.
#include <rill/kernel.h>

static void choose(int *k, int i)
{
    *k = i / 2;
    if (i % 7 == 3) {
        *k += 1;
    }
}

// run: through_local n=4000
// run: through_local n=3001
kernel void through_local(int n, int x[n])
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        choose(&k, i);
        x[k] = i;
    }
}

static void set_stride(int *s, int n)
{
    *s = n < 0 ? n : 0;
}

// run: stride_of_zero n=4000
// run: stride_of_zero n=3001
kernel void stride_of_zero(int n, int x[n])
{
    int s = 1;
    set_stride(&s, n);
    for (int i = 0; i < n; i++) {
        x[i * s] = i;
    }
}

// run: own_stride_of_zero n=4000
// run: own_stride_of_zero n=3001
kernel void own_stride_of_zero(int n, int x[n])
{
    for (int i = 0; i < n; i++) {
        int s;
        set_stride(&s, n);
        x[i * s + 1] = i;
    }
}

struct pin {
    int at;
    int weight;
    short more[3];
};

static void drop(struct pin *p, int at, int weight)
{
    p->at = at;
    p->weight = weight;
    p->more[at & 1] = (short)weight;
}

static void press(const struct pin *p, int *x)
{
    x[p->at] = p->weight + p->at;
}

// One member is data, and another is the place.
// run: members_apart n=4000
// run: members_apart n=3001
kernel void members_apart(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) {
        struct pin p = {0, 0, {0}};
        drop(&p, i / 3, a[i]);
        press(&p, x);
    }
}

// What was data before is none any more.
// run: overwritten n=4000
// run: overwritten n=3001
kernel void overwritten(int n, const int a[n], int x[n], int y[n])
{
    for (int i = 0; i < n; i++) {
        int k = 0, s = 0;
        for (int j = 0; j < 3; j++) {
            k = a[(i + j) % n];
            s += k;
            k = i / 2;
        }
        x[k] = i;
        y[i] = s;
    }
}

// run: overwritten_in_memory n=4000
// run: overwritten_in_memory n=3001
kernel void overwritten_in_memory(int n, const int a[n], int x[n], int y[n])
{
    struct pin p;
    for (int i = 0; i < n; i++) {
        drop(&p, a[i], i);
        y[i] = p.at;
        drop(&p, i / 2, a[i]);
        press(&p, x);
    }
}

// run: ways_out n=4000
// run: ways_out n=3001
kernel void ways_out(int n, int x[8])
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        do {
            if (i % 11 == 5) {
                k = 6;
                break;
            }
            if (i % 11 == 3) {
                k = 1;
                break;
            }
            if (i % 11 == 7) {
                k = 2;
                break;
            }
            if (i % 11 == 8) {
                k = 3;
                break;
            }
            k = 4 + (i & 1);
        } while (0);
        x[k] = i;
    }
}

static int which(int i)
{
    if (i % 11 == 5) {
        return 6;
    }
    if (i % 11 == 3) {
        return 1;
    }
    if (i % 11 == 7) {
        return 2;
    }
    if (i % 11 == 8) {
        return 3;
    }
    return 4 + (i & 1);
}

// run: ways_back n=4000
// run: ways_back n=3001
kernel void ways_back(int n, int x[8])
{
    for (int i = 0; i < n; i++) {
        x[which(i)] = i;
    }
}

// run: called_round_a_loop n=2000
// run: called_round_a_loop n=1501
kernel void called_round_a_loop(int n, int x[n + 8])
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        for (int j = 0; j < 3; j++) {
            k = which(i + j + k);
        }
        x[k] = i;
    }
}

// Data says how long the loop runs, not where it writes.
// run: as_long_as n=500
// run: as_long_as n=376
kernel void as_long_as(int n, const int a[n], int x[64])
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < 60 && a[(i + k) % n] > 20) {
            x[k] = i * 64 + k;
            k++;
        }
    }
}

// run: by_address n=4000
// run: by_address n=3001
kernel void by_address(int n, const int a[n], int x[n])
{
    for (int i = 0; i < n; i++) {
        const int *p = &a[i / 2];
        x[p - a] = i + *p;
    }
}

static int root_of(const int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i];
    }
    return i;
}

// What the helper reads is what the iterations before have written.
// run: joined_sets n=3000
// run: joined_sets n=2251
kernel void joined_sets(int n, const int a[n], int parent[n])
{
    for (int i = 0; i < n; i++) {
        parent[i] = i;
    }
    for (int i = 0; i < n; i++) {
        int p = root_of(parent, i), q = root_of(parent, (a[i] * 31 + i / 2) % n);
        parent[p > q ? p : q] = p > q ? q : p;
    }
}

static void free_place(const int *table, unsigned *h)
{
    while (table[*h] != 0) {
        *h = (*h + 1) % 4096;
    }
}

// run: table_through_pointer n=3000
// run: table_through_pointer n=2251
kernel void table_through_pointer(int n, const int a[n], int table[4096])
{
    for (int i = 0; i < 4096; i++) {
        table[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        int key = a[i] * 10000 + i;
        unsigned h = (unsigned)key * 2654435761u % 4096;
        free_place(table, &h);
        table[h] = key;
    }
}

static void take(int *next, int *at)
{
    *at = *next;
    *next += 2;
}

// run: handed_on n=4000
// run: handed_on n=3001
kernel int handed_on(int n, int x[2 * n])
{
    int next = 0;
    for (int i = 0; i < n; i++) {
        int at;
        take(&next, &at);
        x[at] = i;
    }
    return next;
}

// The author's word, through a helper: each takes another place.
static void look_up(const int *order, int i, int *at)
{
    *at = order[i];
}

// run: given_order n=4000
// run: given_order n=3001
kernel void given_order(int n, int order[n], int x[n])
{
    for (int i = 0; i < n; i++) {
        order[i] = n - 1 - i;
    }
    for (int i = 0; i < n; i++) {
        int at;
        look_up(order, i, &at);
        x[at] = i;
    }
}

// run: neighbours_in_local n=1000
// run: neighbours_in_local n=751
kernel void neighbours_in_local(int n, int links[n][4], int x[4 * n])
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            links[i][k] = (4 * i + 5 * k) % (4 * n) / 4 * 4 + k;
        }
    }
    for (int i = 0; i < n; i++) {
        int places[4];
        for (int k = 0; k < 4; k++) {
            places[k] = links[i][k];
        }
        for (int k = 0; k < 4; k++) {
            x[places[k]] = i + k;
        }
    }
}

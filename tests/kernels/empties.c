// What has no bytes, as GNU C has it: structs and unions without members, arrays of them, arrays of no elements. And
// initialisers that say more than there is room for, which a designator may follow.
#include <rill/kernel.h>

struct empty {
};
union nothing {
};
struct padding {
    int : 3;
};
struct aligned_empty {
} __attribute__((aligned(8)));
struct around {
    struct empty before;
    int x;
    struct empty several[3];
    int none[0];
    char at_y[0];
    int y;
};
struct tail {
    int n;
    short values[];
};

static struct empty field, fields[4];
static const struct empty constant = {};
static struct around some = {{}, 1, {}, {}, {}, 2};
static const struct tail table = {3, {10, 20, 30}};
static const int excess[2] = {[1] = 1, 2, [0] = 3};

static struct empty pass(struct empty e, int *count)
{
    *count += 1;
    return e;
}

static struct empty choose(int i, struct empty a, struct empty b)
{
    return i ? a : b;
}

// run: empties n=500 wild
kernel int empties(int n, int out[n])
{
    int again[3] = {1, 2, 3, 4, 5, [1] = 7, 8, 9, [0] = 10};
    struct empty e = {}, other;
    other = e;
    struct empty local[5];
    local[2] = other;
    fields[n & 3] = other;
    for (int i = 0; i < n; i++) {
        struct empty t = field;
        int count = 0;
        t = pass(t, &count);
        struct around q = {{}, 5, {{}, {}}, {}, {}, 6}, r = {t, out[i], {t}, {}, {}, 8};
        local[i & 3] = choose(i & 1, t, e);
        struct empty *p = &local[i & 3];
        *p = t;
        union nothing u = {}, v = u;
        *p = constant;
        out[i] = count + (int)(sizeof t + sizeof v * 2 + sizeof(struct padding) * 16 + sizeof(struct aligned_empty));
        out[i] += some.x + 2 * some.y + 100 * q.x + 1000 * q.y + 10000 * r.x + r.y;
        out[i] += excess[i & 1] + again[i % 3] + table.values[i % 3] + r.at_y[0];
        out[i] += (int)(sizeof(struct around) + sizeof(struct tail));
    }
    return sizeof e;
}

// Initialisers: designators, nested braces, partial ones, strings, compound literals, tables, fields.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

struct point {
    int x, y;
};

struct shape {
    const char name[6];
    struct point corner[3];
    float weight;
    union {
        int code;
        float rate;
    } tag;
};

static const int squares[] = {0, 1, 4, 9, [6] = 36, [4] = 16, 25};
static const float table[2][3] = {{1, 2}, {[1] = 5}};
static const struct shape shapes[] = {
    {"tri", {{1, 2}, {3, 4}, {5}}, 1.5f, {7}},
    [2] = {.name = "quad", .corner[1] = {.y = 9}, .tag.rate = 2.5f},
    {.corner = {[2].x = 11, 12}, .weight = -1},
};
static const uint8_t text[] = "a\tbc"
                              "de";
static const char exact[3] = "xyz";
static const int cube[2][2][2] = {1, 2, 3, 4, {{5, 6}, 7}};
enum colour { RED, GREEN = 5, BLUE, LAST = BLUE * 2 };
static const int by_colour[LAST + 1] = {[RED] = 10, [GREEN] = 20, [BLUE] = 30};

static int counter = 41;
static int grid[3][4] = {{1}, {0, 2}, {0, 0, 3, 4}};
static struct point points[4] = {[1] = {3, 4}, {5}};
static float scale = 0.1f, zeroed[5];
static double computed = 1.0 / 3 + 2e-3 * 7;
static int64_t wide = -(1LL << 40) + sizeof(int);
static struct point *second = &points[1];
static int *inside = &grid[2][1];

// run: tables n=40
kernel void tables(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = squares[i % 7] + (int)(table[i % 2][i % 3] * 10) + text[i % 7] + exact[i % 3] +
                 ((const int *)cube)[i % 8] + by_colour[i % (LAST + 1)];
    }
}

// run: sizes
kernel void sizes(int out[8])
{
    out[0] = sizeof squares / sizeof squares[0];
    out[1] = sizeof shapes / sizeof *shapes;
    out[2] = sizeof text;
    out[3] = sizeof exact;
    out[4] = sizeof cube;
    out[5] = LAST;
    out[6] = sizeof(enum colour);
    out[7] = sizeof(struct shape);
}

// run: nested n=12
kernel void nested(int n, float out[n])
{
    for (int i = 0; i < n; i++) {
        const struct shape *s = &shapes[i % 4];
        out[i] = s->name[0] + s->corner[i % 3].x * 2 + s->corner[i % 3].y * 3 + s->weight;
        if (i % 4 == 2) {
            out[i] += s->tag.rate;
        } else {
            out[i] += s->tag.code;
        }
    }
}

// run: globals out=24
kernel double globals(float *out)
{
    counter++;
    grid[1][2] += counter;
    *inside -= 5;
    inside[1] *= 2;
    second->y++;
    second++;
    second->x = 77;
    out[0] = counter;
    for (int i = 0; i < 12; i++) {
        out[1 + i] = grid[i / 4][i % 4];
    }
    for (int i = 0; i < 4; i++) {
        out[13 + i] = points[i].x * 100 + points[i].y;
    }
    out[17] = scale;
    out[18] = zeroed[3];
    out[19] = (float)wide;
    return computed;
}

// run: locals n=30
kernel void locals(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        int a[5] = {i, [3] = i * i};
        struct point p[3] = {{.y = i}, [2] = {i, -i}};
        struct shape s = {.corner[1] = {i, 2}, .weight = 3};
        struct shape t = {"abc", {p[2], {1, 1}, p[0]}, 4, {i}};
        char word[8] = "hey", letters[] = {'a', 'b'};
        int m[2][3] = {{i, 1}, {2}};
        int sum = sizeof letters;
        for (int k = 0; k < 5; k++) {
            sum = sum * 3 + a[k];
        }
        for (int k = 0; k < 8; k++) {
            sum += word[k] * k;
        }
        out[i] = sum + p[0].x + p[0].y + p[1].x + p[2].y + s.corner[1].x + s.corner[2].y + s.name[0] + (int)s.weight +
                 t.corner[0].y + t.corner[2].y * 5 + t.tag.code + t.name[1] + m[0][0] + m[1][0] + m[1][2];
    }
}

static int sum_point(struct point p)
{
    return p.x * 10 + p.y;
}

static int sum_many(const struct point *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += sum_point(p[i]);
    }
    return sum;
}

// run: literals n=30
kernel void literals(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = sum_point((struct point){i, 2}) + sum_many((struct point[]){{1, i}, {.y = 3}, {i}}, 3) +
                 (int[]){4, 5, 6}[i % 3] + *(int[3]){[0] = i} + ((const struct point){.y = i}).y;
        int *p = (int[4]){1, 2, i};
        p[3] = p[2] + 1;
        out[i] += p[3] * p[0];
    }
}

// run: scalars_in_braces n=10
kernel void scalars_in_braces(int n, int out[n])
{
    int a = {3}, b = {4};
    const int *const p = {&a};
    for (int i = 0; i < n; i++) {
        out[i] = *p * i + b;
    }
}

// The order of initialisers with side effects inside one list is C's only for arguments left to right; these do not
// mix. run: computed_lists n=20
kernel void computed_lists(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        int k = a[i];
        int v[4] = {k * 2, [2] = k ? k - 1 : 0, k > 50};
        struct {
            int head;
            int rest[3];
        } w = {v[0], {v[1], v[2]}}, x = w;
        x.rest[2] = 9;
        memcpy(w.rest, x.rest, sizeof w.rest);
        out[i] = w.head + w.rest[0] + w.rest[1] * 3 + w.rest[2] * 5 + v[3] * 7;
    }
}

// run: late_declarations n=20
kernel int late_declarations(int n, const int a[n])
{
    extern const int later[4];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += later[i % 4] * a[i];
    }
    return sum;
}
const int later[4] = {3, 1, 4, 1};

// run: overridden
kernel int overridden(int out[4])
{
    int a[4] = {1, 2, 3, [1] = 7, 8, [0] = 9};
    struct point p = {.x = 1, .y = 2, .x = 3};
    for (int i = 0; i < 4; i++) {
        out[i] = a[i];
    }
    return p.x * 10 + p.y;
}

// run: strings_of_arrays n=12
kernel int strings_of_arrays(int n, char out[n])
{
    static const char names[3][5] = {"ab", "cdefg", {'h', 'i'}};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        out[i] = names[i % 3][i / 3];
        sum += out[i];
    }
    const char *p = "wide"
                    "\x31"
                    "2";
    while (*p) {
        sum = sum * 3 + *p++;
    }
    return sum + sizeof "a\0b";
}

struct triple {
    int x, y, z;
};
struct deep {
    struct triple a[3];
    int q;
};

// Ranges: the value is repeated, what follows goes behind the place in the last element.
// run: ranges n=60
kernel void ranges(int n, int out[n])
{
    struct triple v[6] = {[1 ... 3].x = 5, 6, 7, 8, 9};
    struct triple w[6] = {[0 ... 2].y = 5, 6, [4 ... 5] = {1, 2}};
    struct deep u[3] = {[0 ... 1].a[0 ... 1].y = 5, 6, 7, 8};
    int m[4][3] = {[0 ... 2][1] = 4, 5, 6};
    int r[8] = {[1 ... 3] = 2, 3, [6] = 1, 9};
    struct triple o[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, [0 ... 1] = {.y = 10}, [1 ... 2] = {11, 12}};
    for (int i = 0; i < 6; i++) {
        out[i] = v[i].x * 100 + v[i].y * 10 + v[i].z;
        out[6 + i] = w[i].x * 100 + w[i].y * 10 + w[i].z;
        out[12 + i] = m[i % 4][i / 4] * 100 + r[i] * 10 + r[i + 2];
    }
    for (int i = 0; i < 9; i++) {
        out[20 + i] = u[i / 3].a[i % 3].x * 100 + u[i / 3].a[i % 3].y * 10 + u[i / 3].a[i % 3].z;
        out[30 + i] = u[i / 3].q * 10 + (i % 3 == 0 ? o[i / 3].x : i % 3 == 1 ? o[i / 3].y : o[i / 3].z);
    }
}

// Structs by value, in arrays, nested, in fields, as arguments.
#include <rill/kernel.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float x, y, z;
} vec3;
// struct vec3: fff x y z

typedef struct {
    vec3 position, velocity;
    float mass;
    int id;
} particle;
// struct particle: fffffffi

struct options {
    int steps;
    float dt;
    uint8_t flags;
    int64_t seed;
};
// struct options: ifB7xq steps dt flags seed

static vec3 add(vec3 a, vec3 b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

static vec3 scale(vec3 a, float s)
{
    return (vec3){a.x * s, a.y * s, a.z * s};
}

static float dot(const vec3 *a, const vec3 *b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

// run: by_value n=300 g.x=0 g.y=-9.5 g.z=0.25
kernel float by_value(int n, vec3 g, particle p[n])
{
    for (int i = 0; i < n; i++) {
        p[i].velocity = add(p[i].velocity, scale(g, 0.125f));
        p[i].position = add(p[i].position, scale(p[i].velocity, 0.125f));
        p[i].id = -p[i].id;
    }
    return g.x + g.y * g.z;
}

// run: settings o.steps=7 o.dt=0.5 o.flags=200 o.seed=-5000000000 n=40
kernel int64_t settings(struct options o, int n, float a[n])
{
    for (int t = 0; t < o.steps; t++) {
        for (int i = 0; i < n; i++) {
            a[i] += o.dt * (o.flags & 8 ? 1 : 2);
        }
    }
    o.steps++;
    return o.seed + o.steps;
}

// run: copies n=200
kernel void copies(int n, const particle a[n], particle b[n])
{
    for (int i = 0; i < n; i++) {
        particle t = a[n - 1 - i];
        t.mass *= 2;
        vec3 swap = t.position;
        t.position = t.velocity;
        t.velocity = swap;
        b[i] = t;
    }
}

// run: energies n=200
kernel void energies(int n, const particle a[n], float e[n])
{
    for (int i = 0; i < n; i++) {
        const particle *p = &a[i];
        e[i] = 0.5f * p->mass * dot(&p->velocity, &p->velocity) + (&p->position)->y;
    }
}

// run: by_member n=100
kernel void by_member(int n, vec3 a[n], float out[3][n])
{
    for (int i = 0; i < n; i++) {
        out[0][i] = a[i].x;
    }
    for (int i = 0; i < n; i++) {
        a[i].y = a[i].x; // other members of the same element
        out[1][i] = a[i].z;
    }
    for (int i = 1; i < n; i++) {
        a[i].z = a[i - 1].x; // one member read, another written: no conflict
    }
    for (int i = 1; i < n; i++) {
        a[i].x = a[i - 1].x + 1; // a conflict: in order
    }
}

typedef struct node {
    int value;
    int next;
} node;
// struct node: ii

// run: linked n=99
kernel int linked(int n, node a[n])
{
    int sum = 0, at = 0;
    for (int hops = 0; hops < n; hops++) {
        sum = sum * 3 + a[at].value;
        at = (a[at].next + hops) % n;
    }
    return sum;
}

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree nodes[8];

// Fields may hold pointers to fields.
// run: tree_of_fields n=7
kernel int tree_of_fields(int n, const int keys[n])
{
    struct tree *root = 0;
    int depth = 0;
#pragma rill single
    for (int i = 0; i < n; i++) {
        nodes[i].key = keys[i] * 37 % 101;
        nodes[i].left = nodes[i].right = 0;
        struct tree **at = &root;
        int d = 0;
        while (*at) {
            at = nodes[i].key < (*at)->key ? &(*at)->left : &(*at)->right;
            d++;
        }
        *at = &nodes[i];
        depth = d > depth ? d : depth;
    }
    return depth * 1000 + root->key;
}

struct matrix {
    float m[2][2];
};
// struct matrix: ffff

static struct matrix product(struct matrix a, struct matrix b)
{
    struct matrix r;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j];
        }
    }
    return r;
}

// run: matrices n=100
kernel void matrices(int n, const struct matrix a[n], struct matrix b[n])
{
    for (int i = 0; i < n; i++) {
        b[i] = product(product(a[i], b[i]), a[n - 1 - i]);
    }
}

// run: element_of_result n=50
kernel void element_of_result(int n, const struct matrix a[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = product(a[i], a[i]).m[i & 1][1] + (i & 1 ? a[0] : a[i]).m[0][1];
    }
}

struct variant {
    int kind;
    union {
        int i;
        float f;
        struct {
            int16_t a, b;
        };
    };
};
// struct variant: ii

// run: variants n=200
kernel int variants(int n, struct variant v[n])
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        switch (v[i].kind % 3) {
        case 0: v[i].i *= 3; break;
        case 1: v[i].f = i * 0.5f; break;
        default: v[i].a = v[i].i; v[i].b = i;
        }
        sum += v[i].i >> 4;
    }
    return sum;
}

// run: compares n=100
kernel int compares(int n, const node a[n], const node b[n])
{
    int same = 0, order = 0;
    for (int i = 0; i < n; i++) {
        node x = a[i], y = i % 3 ? b[i] : a[i];
        same += memcmp(&x, &y, sizeof x) == 0;
        int r = memcmp(&x, &y, 1);
        order += r > 0 ? 1 : r < 0 ? -1 : 0;
    }
    return same * 1000 + order;
}

struct big {
    int data[64];
    struct big *self;
};

static int sum_big(struct big b)
{
    int s = 0;
    for (int i = 0; i < 64; i++) {
        s += b.data[i] * i;
        b.data[i] = 0; // of the copy
    }
    return s;
}

// run: large n=20
kernel void large(int n, const int a[n], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct big b = {{a[i]}, 0};
        b.self = &b;
        for (int k = 1; k < 64; k++) {
            b.self->data[k] = b.data[k - 1] * 3 + 1;
        }
        out[i] = sum_big(b) + b.data[5];
    }
}

// run: sum_vectors n=500 ~ 1e-5
kernel void sum_vectors(int n, const vec3 a[n], vec3 out[1])
{
    float x = 0, y = 0, z = 0;
    for (int i = 0; i < n; i++) {
        x += a[i].x;
        y += a[i].y;
        z += a[i].z;
    }
    out[0] = (vec3){x, y, z};
}

// run: sum_members n=500
kernel int sum_members(int n, const node a[n], node out[1])
{
    node s = {0, 1};
    for (int i = 0; i < n; i++) {
        s.value += a[i].value;
        s.next ^= a[i].next;
    }
    out[0] = s;
    return s.value;
}

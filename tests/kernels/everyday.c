// What C programs bring along: tables in functions, hashes, generators, small images, geometry, filters, tricks with
// bits, unions, enums, rows of arrays as parameters, literals, flexible members.
#include <rill/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int days_before(int month)
{
    static const short table[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    return table[month % 13];
}

// run: tables_in_functions n=500
kernel void tables_in_functions(int n, int out[n])
{
    static const struct {
        int weight;
        char name[4];
    } grades[] = {{3, "abc"}, {5, "de"}, {7, .name = {'x', 'y', 'z', 'w'}}};
    for (int i = 0; i < n; i++) {
        static const unsigned char steps[2][3] = {{1, 2}, {[2] = 9}};
        out[i] += days_before(i) + grades[i % 3].weight * grades[i % 3].name[i & 3] + steps[i & 1][i % 3];
    }
}

static uint32_t fnv1a(const unsigned char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    while (length--) {
        hash = (hash ^ *text++) * 16777619u;
    }
    return hash;
}

static uint32_t rotl(uint32_t x, int r)
{
    return x << r | x >> (32 - r);
}

static uint32_t murmur(const uint8_t *data, int length, uint32_t seed)
{
    uint32_t h = seed;
    int blocks = length / 4;
    for (int i = 0; i < blocks; i++) {
        uint32_t k;
        memcpy(&k, data + 4 * i, sizeof k);
        k *= 0xcc9e2d51u;
        k = rotl(k, 15);
        h = rotl(h ^ k * 0x1b873593u, 13) * 5 + 0xe6546b64u;
    }
    const uint8_t *tail = data + 4 * blocks;
    uint32_t k = 0;
    switch (length & 3) {
    case 3: k ^= (uint32_t)tail[2] << 16; /* fall through */
    case 2: k ^= (uint32_t)tail[1] << 8;  /* fall through */
    case 1: h ^= rotl((k ^ tail[0]) * 0xcc9e2d51u, 15) * 0x1b873593u;
    }
    h ^= (uint32_t)length;
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

// run: hashes n=300
kernel void hashes(int n, const uint8_t text[n + 8], uint32_t a[n], uint32_t b[n])
{
    for (int i = 0; i < n; i++) {
        a[i] = fnv1a(text + i, 8);
        b[i] = murmur(&text[i], i % 8, 42u + (unsigned)i);
    }
}

static uint32_t crc_table_entry(uint32_t byte)
{
    int k = 8;
    do {
        byte = byte & 1 ? 0xedb88320u ^ byte >> 1 : byte >> 1;
    } while (--k);
    return byte;
}

// run: crc n=200
kernel void crc(int n, const unsigned char text[n][16], unsigned out[n])
{
    unsigned table[256];
    for (unsigned i = 0; i < 256; i++) {
        table[i] = crc_table_entry(i);
    }
    for (int i = 0; i < n; i++) {
        unsigned c = ~0u;
        for (const unsigned char *p = text[i], *end = p + sizeof text[i]; p != end; ++p) {
            c = table[(c ^ *p) & 0xff] ^ c >> 8;
        }
        out[i] = ~c;
    }
}

typedef struct {
    uint64_t s[2];
} generator;

static inline uint64_t next_random(generator *g)
{
    uint64_t a = g->s[0], b = g->s[1];
    g->s[0] = b;
    a ^= a << 23;
    g->s[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return g->s[1] + b;
}

// run: generators n=200
kernel void generators(int n, uint64_t out[n], double unit[n])
{
    for (int i = 0; i < n; i++) {
        generator g = {.s = {(uint64_t)i * 0x9e3779b97f4a7c15ull + 1, 0xdeadbeefull}};
        for (int k = 0; k < 5; k++) {
            next_random(&g);
        }
        out[i] = next_random(&g);
        unit[i] = (double)(next_random(&g) >> 11) * 0x1p-53;
    }
}

typedef union {
    uint32_t rgba;
    struct {
        uint8_t r, g, b, a;
    };
    uint8_t channel[4];
} pixel;

enum channel { RED, GREEN, BLUE, ALPHA, CHANNELS };

static pixel blend(pixel under, pixel over)
{
    pixel out;
    for (enum channel c = RED; c < CHANNELS; c++) {
        int mixed = over.channel[c] * over.a + under.channel[c] * (255 - over.a);
        out.channel[c] = (uint8_t)((mixed + 127) / 255);
    }
    return out;
}

// run: blending n=300
kernel void blending(int n, uint32_t under[n], const uint32_t over[n])
{
    for (int i = 0; i < n; i++) {
        pixel a = {.rgba = under[i]}, b = {over[i]};
        under[i] = blend(a, b).rgba;
    }
}

static int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

// run: sharpen h=20 w=31
kernel void sharpen(int h, int w, const uint8_t in[h][w], uint8_t out[h][w])
{
    static const signed char mask[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    sum += mask[dy + 1][dx + 1] * in[clamp(y + dy, 0, h - 1)][clamp(x + dx, 0, w - 1)];
                }
            }
            out[y][x] = (uint8_t)clamp(sum, 0, 255);
        }
    }
}

static uint8_t median9(const uint8_t (*window)[3])
{
    uint8_t v[9], t;
    memcpy(v, window, sizeof v);
    for (int i = 1; i < 9; i++) {
        int j = i;
        for (t = v[i]; j > 0 && v[j - 1] > t; j--) {
            v[j] = v[j - 1];
        }
        v[j] = t;
    }
    return v[4];
}

// run: median h=12 w=17
kernel void median(int h, int w, const uint8_t in[h][w], uint8_t out[h][w])
{
    for (int y = 1; y < h - 1; y++) {
        for (int x = 1; x < w - 1; x++) {
            uint8_t window[3][3];
            for (int k = 0; k < 9; k++) {
                window[k / 3][k % 3] = in[y + k / 3 - 1][x + k % 3 - 1];
            }
            out[y][x] = median9(window);
        }
    }
}

struct vec {
    float x, y, z;
};

struct ray {
    struct vec origin, direction;
};

static inline struct vec add(struct vec a, struct vec b)
{
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct vec scale(struct vec a, float s)
{
    return (struct vec){.x = a.x * s, .z = a.z * s, .y = a.y * s};
}

static inline float dot(const struct vec *a, const struct vec *b)
{
    return a->x * b->x + a->y * b->y + a->z * b->z;
}

static inline struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static bool hits(const struct ray *ray, const struct vec triangle[3], float *where)
{
    struct vec e1 = add(triangle[1], scale(triangle[0], -1)), e2 = add(triangle[2], scale(triangle[0], -1));
    struct vec p = cross(ray->direction, e2);
    float det = dot(&e1, &p);
    if (det > -1e-7f && det < 1e-7f) {
        return false;
    }
    struct vec t = add(ray->origin, scale(triangle[0], -1));
    float u = dot(&t, &p) / det;
    struct vec q = cross(t, e1);
    float v = dot(&ray->direction, &q) / det;
    if (u < 0 || v < 0 || u + v > 1) {
        return false;
    }
    *where = dot(&e2, &q) / det;
    return true;
}

// run: triangle n=300
kernel void triangle(int n, const float o[n][3], const float d[n][3], const float corners[n][9], float t[n],
                     bool hit[n])
{
    for (int i = 0; i < n; i++) {
        struct ray ray = {{o[i][0], o[i][1], o[i][2]}, {d[i][0] - 4, d[i][1], d[i][2] - 2}};
        struct vec c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = (struct vec){corners[i][3 * k], corners[i][3 * k + 1], corners[i][3 * k + 2]};
        }
        hit[i] = hits(&ray, c, &t[i]);
    }
}

// run: biquads n=40 m=64
kernel void biquads(int n, int m, float x[n][m])
{
    static const struct filter {
        float b[3], a[2];
    } bank[2] = {{{0.2f, 0.4f, 0.2f}, {-0.3f, 0.1f}}, {.b = {1, [2] = -1}, .a = {0.5f}}};
    for (int i = 0; i < n; i++) {
        const struct filter *f = &bank[i & 1];
        float z[2] = {0};
        for (int k = 0; k < m; k++) {
            float in = x[i][k], out = f->b[0] * in + z[0];
            z[0] = f->b[1] * in - f->a[0] * out + z[1];
            z[1] = f->b[2] * in - f->a[1] * out;
            x[i][k] = out;
        }
    }
}

// run: morton n=400
kernel void morton(int n, const uint16_t x[n], const uint16_t y[n], uint32_t out[n])
{
    for (int i = 0; i < n; i++) {
        uint32_t xy[2] = {x[i], y[i]};
        for (uint32_t *p = xy; p < xy + 2; p++) {
            *p = (*p | *p << 8) & 0x00ff00ff;
            *p = (*p | *p << 4) & 0x0f0f0f0f;
            *p = (*p | *p << 2) & 0x33333333;
            *p = (*p | *p << 1) & 0x55555555;
        }
        out[i] = xy[0] | xy[1] << 1;
    }
}

// run: roots n=300
kernel void roots(int n, const float x[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        union {
            float f;
            int32_t i;
        } u = {x[i]};
        u.i = 0x5f3759df - (u.i >> 1);
        out[i] = u.f * (1.5f - 0.5f * x[i] * u.f * u.f);
    }
}

struct flags {
    bool on : 1;
    unsigned mode : 3;
    signed level : 5;
    unsigned : 0;
    uint8_t tail;
    enum { OFF, DIM = 4, FULL } light : 3;
};

// run: flags n=200
kernel void flags(int n, const int x[n], int out[n], uint8_t raw[n][8])
{
    for (int i = 0; i < n; i++) {
        struct flags f;
        memset(&f, 0, sizeof f);
        f.on = x[i] & 6;
        f.mode = (unsigned)x[i];
        f.level = x[i] * 3;
        f.light = x[i] & 1 ? DIM : FULL;
        f.on ^= 1;
        f.mode++;
        out[i] = f.on + 2 * f.mode + 100 * f.level + 10000 * f.light;
        memcpy(raw[i], &f, sizeof f);
    }
}

struct message {
    uint16_t length;
    uint8_t body[];
};

// run: messages n=100
kernel void messages(int n, uint8_t buffer[n][32], int out[n])
{
    for (int i = 0; i < n; i++) {
        struct message *m = (struct message *)buffer[i];
        m->length = (uint16_t)(i % 30);
        int sum = (int)sizeof(struct message) + (int)offsetof(struct message, body) * 100;
        for (int k = 0; k < m->length; k++) {
            m->body[k] ^= (uint8_t)k;
            sum += m->body[k];
        }
        out[i] = sum;
    }
}

static const struct message greeting = {3, {'h', 'i', '!'}};

// run: flexible_constants n=10
kernel void flexible_constants(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = greeting.length + greeting.body[i % 3];
    }
}

static int trace(int (*m)[4])
{
    return m[0][0] + (*(m + 1))[1] + *(*(m + 2) + 2) + 3 [3 [m]];
}

static void transpose(int n, int m[n][n])
{
    for (int i = 0, t; i < n; i++) {
        for (int j = 0; j < i; j++) {
            t = m[i][j], m[i][j] = m[j][i], m[j][i] = t;
        }
    }
}

// run: matrices n=60
kernel void matrices(int n, int in[n][4][4], int out[n])
{
    for (int i = 0; i < n; i++) {
        int m[4][4];
        memcpy(m, in[i], sizeof m);
        transpose(4, m);
        int(*rows)[4] = &m[1];
        out[i] = trace(m) + rows[-1][2] + (int)(&rows[1] - m) + (int)(&m[3][1] - m[0]);
        memcpy(in[i], m, sizeof m);
    }
}

static const char *const words[] = {"zero", "one", "two", [4] = "four"};

// run: strings n=64
kernel void strings(int n, char out[n][8])
{
    for (int i = 0; i < n; i++) {
        const char *s = words[i % 5] ? words[i % 5] : "none" + 1;
        char *d = out[i];
        while ((*d++ = *s++) != '\0') {
        }
        d[0] = "abc"[i % 3];
        d[1] = sizeof "abc";
    }
}

// run: copies n=100
kernel void copies(int n, const short in[n + 16], short out[n + 16])
{
    int count = (n + 7) / 8;
    const short *from = in;
    short *to = out;
    switch (n % 8) {
    case 0: do { *to++ = *from++;
        case 7: *to++ = *from++;
        case 6: *to++ = *from++;
        case 5: *to++ = *from++;
        case 4: *to++ = *from++;
        case 3: *to++ = *from++;
        case 2: *to++ = *from++;
        case 1: *to++ = *from++;
        } while (--count > 0);
    }
}

// run: collatz n=200
kernel void collatz(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        unsigned long x = (unsigned long)i + 1;
        int steps = 0;
        do {
            x = x & 1 ? 3 * x + 1 : x >> 1;
        } while (steps++, x != 1 && steps < 1000);
        out[i] = steps;
    }
}

static int sum_of(const int *p, int count)
{
    return count-- ? *p + (count ? p[1] : 0) + (count > 1 ? p[2] : 0) : 0;
}

// run: literals n=100
kernel void literals(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        out[i] = sum_of((int[]){i, [2] = i * i}, 3) + sum_of((const int[3]){[1 ... 2] = i}, 2) +
                 (int)(&(struct vec){1, 2, (float)i})->z + *&(int){i} + (int[2][2]){{1, 2}, {i}}[1][0];
    }
}

// run: gcds n=100
kernel void gcds(int n, const unsigned a[n], const unsigned b[n], unsigned out[n])
{
    for (int i = 0; i < n; i++) {
        unsigned x = a[i], y = b[i], t;
        while (y) {
            t = x % y, x = y, y = t;
        }
        out[i] = x;
    }
}

struct tree {
    struct node {
        int key;
        short left, right;
    } nodes[7];
    int root;
};

static const struct tree searched = {
    .nodes = {[3] = {50, 1, 5},
              [1] = {20, 0, 2},
              [4] = {60, -1, -1},
              {80, 4, 6},
              {90, -1, -1},
              [0] = {5, -1, -1},
              [2] = {30, -1, -1}},
    .root = 3,
};

// run: searches n=120
kernel void searches(int n, int out[n])
{
    for (int i = 0; i < n; i++) {
        int at = searched.root, depth = 0;
        for (; at >= 0 && searched.nodes[at].key != i; depth++) {
            at = i < searched.nodes[at].key ? searched.nodes[at].left : searched.nodes[at].right;
        }
        out[i] = at * 16 + depth;
    }
}

// run: bits n=200
kernel void bits(int n, const uint64_t x[n], int out[n], uint64_t swapped[n])
{
    for (int i = 0; i < n; i++) {
        uint64_t v = x[i] * 0x0123456789abcdefull;
        int count = 0;
        for (uint64_t w = v; w; w &= w - 1) {
            count++;
        }
        uint8_t bytes[8];
        for (int k = 0; k < 8; k++) {
            bytes[7 - k] = (uint8_t)(v >> 8 * k);
        }
        memcpy(&swapped[i], bytes, 8);
        out[i] = count + (int)(v & -v) % 7 + !!(v & (v - 1)) + (v >> 63 ? -1 : 1) * __builtin_ctzll(v | 1u << 31);
    }
}

// GNU C's vectors.
#include <rill/kernel.h>

typedef float float4 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(2 * sizeof(double))));
typedef unsigned char __attribute__((__vector_size__(8))) bytes8;
typedef long long2 __attribute__((vector_size(16)));
typedef short short4 __attribute__((vector_size(8)));

// struct float4: ffff x y z w
// struct int4: iiii x y z w
// struct double2: dd x y
// struct bytes8: BBBBBBBB a b c d e f g h
// struct long2: qq x y
// struct short4: hhhh x y z w

// run: saxpy n=1000 k=3
kernel void saxpy(int n, float k, const float4 x[n], float4 y[n])
{
    for (int i = 0; i < n; i++) {
        y[i] += k * x[i];
    }
}

// run: operators n=500 wild
kernel void operators(int n, const int4 a[n], const int4 b[n], int4 out[n])
{
    for (int i = 0; i < n; i++) {
        int4 x = a[i] + b[i] * 3 - (a[i] & b[i]);
        x ^= ~a[i] | (b[i] >> 3);
        x -= -(a[i] << (b[i] & 7));
        x += (a[i] < b[i]) * 100 + (a[i] == b[i]) - (a[i] >= 7);
        int4 d = (b[i] & 1023) + 1;
        x += (a[i] & 0xffff) / d + (a[i] & 0xffff) % d;
        out[i] = x;
    }
}

static float dot(float4 a, float4 b)
{
    float4 p = a * b;
    return p[0] + p[1] + p[2] + p[3];
}

static float4 cross(float4 a, float4 b)
{
    return (float4){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0};
}

// run: lanes n=300
kernel void lanes(int n, const float4 a[n], float out[n])
{
    for (int i = 0; i < n; i++) {
        float4 v = cross(a[i], (float4){1, 2, 3, 4});
        v[i & 3] += 10;
        for (int k = 0; k < 4; k++) {
            v[k] = v[k] * (float)(k + 1);
        }
        out[i] = dot(v, a[(i + 1) % n]) + a[i][3];
    }
}

// A sum of vectors is a sum of each lane.
// run: total n=3000 ~ 1e-6
kernel void total(int n, const double2 x[n], double2 out[1])
{
    double2 sum = {0, 1};
    for (int i = 0; i < n; i++) {
        sum += x[i] * 0.5;
    }
    out[0] = sum;
}

// run: largest n=777
kernel int largest(int n, const int4 a[n])
{
    int4 most = a[0];
    for (int i = 1; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            most[k] = a[i][k] > most[k] ? a[i][k] : most[k];
        }
    }
    return most[0] + most[1] * 3 + most[2] * 5 + most[3] * 7;
}

// Small lanes wrap in their own type.
// run: bytes n=400 wild
kernel void bytes(int n, const bytes8 a[n], bytes8 out[n])
{
    for (int i = 0; i < n; i++) {
        bytes8 x = a[i] + a[i] * 7;
        x = x - (bytes8){1, 2, 3, 4, 5, 6, 7, 8};
        out[i] = x ^ (a[i] >> 2) ^ (bytes8)(a[i] > x);
    }
}

// run: casts n=200 wild
kernel void casts(int n, const float4 a[n], int4 bits[n], long2 wide[n], short4 narrow[n])
{
    for (int i = 0; i < n; i++) {
        int4 b = (int4)a[i];
        bits[i] = b & 0x7fffffff;
        wide[i] = (long2)(b ^ 5);
        narrow[i] = __builtin_convertvector(b, short4);
    }
}

// run: shuffles n=100
kernel void shuffles(int n, const int4 a[n], const int4 b[n], int4 out[n])
{
    for (int i = 0; i < n; i++) {
        int4 x = __builtin_shuffle(a[i], (int4){3, 2, 1, 0});
        int4 y = __builtin_shuffle(a[i], b[i], (int4){0, 5, 2, 7} + (i & 1));
        int4 z = __builtin_shufflevector(a[i], b[i], 7, 0, 1, 4);
        out[i] = x + y * 10 + z * 100 + __builtin_shuffle(b[i], a[i] & 3);
    }
}

static int4 counted(int4 v)
{
    return v + 1;
}

struct body {
    float4 at;
    float4 speed;
    float mass;
};

// In structs, behind pointers, as arguments and results, with what is evaluated once.
// run: bodies n=256 steps=3
kernel void bodies(int n, int steps, const float4 start[n], float4 out[n])
{
    for (int i = 0; i < n; i++) {
        struct body b = {start[i], {0.5f, 0.25f}, 2};
        struct body *p = &b;
        int k = 0;
        for (int s = 0; s < steps; s++) {
            p->speed -= p->at * (1 / p->mass);
            p->at += p->speed * 0.125f;
        }
        float4 rows[3] = {b.at, b.speed, -b.at};
        rows[k++] *= 2.0f;
        rows[k++] += rows[0];
        out[i] = rows[0] + rows[1] * rows[2] + (float)k;
        out[i] = i % 5 == 0 ? out[i] : out[i] + b.speed;
    }
}

// run: once n=50
kernel void once(int n, int4 a[n])
{
    for (int i = 0; i < n; i++) {
        int4 v = counted(a[i]) * counted(counted(a[i]));
        ++v;
        int4 *p = &v;
        *p++ += 3;
        a[i] = (v > 40) & (v < 4000);
        a[i] += v;
    }
}

static const float4 weights[2] = {{0.25f, 0.5f, 0.75f, 1}, {2, 4}};

// run: tables n=90
kernel void tables(int n, const float4 a[n], float4 out[n])
{
    static const int4 order = {1, 3, 0, 2};
    for (int i = 0; i < n; i++) {
        out[i] = a[i] * weights[i & 1] + (float)order[i & 3];
    }
}

#ifdef __RILL__
typedef float vec3 __attribute__((ext_vector_type(3)));
typedef float vec2 __attribute__((ext_vector_type(2)));
#define X(v) (v).x
#define SWAP(v) (v).zyx
#define HIGH(v) (v).yz.yx
#define PICK(c, a, b) ((c) ? (a) : (b))
#define SPREAD(s) ((vec3)(s))
#else
typedef float vec3 __attribute__((vector_size(16)));
typedef float vec2 __attribute__((vector_size(8)));
#define X(v) (v)[0]
#define SWAP(v) ((vec3){(v)[2], (v)[1], (v)[0]})
#define HIGH(v) ((vec2){(v)[2], (v)[1]})
#define PICK(c, a, b) ((vec3){(c)[0] ? (a)[0] : (b)[0], (c)[1] ? (a)[1] : (b)[1], (c)[2] ? (a)[2] : (b)[2]})
#define SPREAD(s) ((vec3){(s), (s), (s)})
#endif

// run: swizzles n=120
kernel void swizzles(int n, const float a[3 * n], float out[4 * n])
{
    for (int i = 0; i < n; i++) {
        vec3 v = {a[3 * i], a[3 * i + 1], a[3 * i + 2]};
        X(v)
        += 4;
        vec3 w = SWAP(v) + v * 2.0f;
        vec2 h = HIGH(w);
        vec3 least = PICK(v < w * 0.5f, v, w) + SPREAD(h[0]);
        out[4 * i] = w[0];
        out[4 * i + 1] = w[1] + w[2];
        out[4 * i + 2] = h[0] - h[1];
        out[4 * i + 3] = least[0] + least[1] * least[2];
    }
}

typedef short bits4 __attribute__((vector_size(8)));
typedef short bits2 __attribute__((vector_size(4)));
typedef unsigned char bits8 __attribute__((vector_size(8)));

// An integer of a vector's size gives its bytes.
// run: vectors_of_bits n=50 wild
kernel void vectors_of_bits(int n, const long a[n], long out[n])
{
    for (int i = 0; i < n; i++) {
        bits4 v = (bits4)a[i];
        bits2 w = (bits2)(int)a[i];
        bits8 b = (bits8)(long)(int)(w + v[2]);
        out[i] = (long)(v + v[1]) ^ (long)b;
    }
}

#include <rill/kernel.h>

typedef float float4 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));
typedef float odd __attribute__((vector_size(12)));
typedef float many __attribute__((vector_size(1024)));
typedef struct { int a; } bad __attribute__((vector_size(16)));
typedef int none __attribute__((vector_size(0)));
typedef int empty __attribute__((ext_vector_type));
typedef float vec3 __attribute__((ext_vector_type(3)));
float f(float x __attribute__((vector_size(16))));

static const float4 one = {1, 2, 3, 4};
static const float4 two = one + one;

kernel void mistakes(int n, float4 a[n], int4 b[n], vec3 c)
{
    _Static_assert(sizeof(vec3) == 16 && _Alignof(float4) == 16, "as gcc has them");
    __attribute__((vector_size(8))) float pair = {1, 2};
    float other __attribute__((vector_size(8))) = pair;
    a[0] = a[0] + b[0];
    a[0] = a[0] % a[0];
    a[0] %= 2;
    a[0] = 1.0f;
    a[0] = a[0] && a[0];
    a[0] = a[0] + &n;
    (a[0] + a[0])[1] = 2;
    a[0] = !a[0];
    c.xy = other;
    c.w = 1;
    c.foo = 1;
    c.xyzxy;
    a[0]++;
    a[0] = b[0] ? a[0] : c;
    if (a[0]) n = 1;
    a[0] = __builtin_shuffle(a[0], a[0]);
    a[0] = __builtin_shufflevector(a[0], a[0], 0, 1, 2, 8);
    b[0] = __builtin_convertvector(c, int4);
    n = (int)a[0];
    &(a[0] * 2);
}

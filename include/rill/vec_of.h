// The text of rill/vec.h for one element type: included by it, with RILL_T the type, RILL_NAME(x) the name of x for it
// and, of floats, RILL_MATH(f) the math function. By itself it declares nothing.
#ifdef RILL_T

// ---- vectors -------------------------------------------------------------------------------------------------------

typedef struct RILL_NAME(vec2) {
    RILL_T x, y;
} RILL_NAME(vec2);

static inline RILL_NAME(vec2) RILL_NAME(vec2_of)(RILL_T x, RILL_T y)
{
    RILL_NAME(vec2) r = {x, y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_all)(RILL_T s)
{
    RILL_NAME(vec2) r = {s, s};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_add)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {a.x + b.x, a.y + b.y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_sub)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {a.x - b.x, a.y - b.y};
    return r;
}

// Element by element.
static inline RILL_NAME(vec2) RILL_NAME(vec2_mul)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {a.x * b.x, a.y * b.y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_neg)(RILL_NAME(vec2) a)
{
    RILL_NAME(vec2) r = {-a.x, -a.y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_scale)(RILL_NAME(vec2) a, RILL_T s)
{
    RILL_NAME(vec2) r = {a.x * s, a.y * s};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_min)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_max)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y};
    return r;
}

static inline RILL_T RILL_NAME(vec2_dot)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    return a.x * b.x + a.y * b.y;
}

typedef struct RILL_NAME(vec3) {
    RILL_T x, y, z;
} RILL_NAME(vec3);

static inline RILL_NAME(vec3) RILL_NAME(vec3_of)(RILL_T x, RILL_T y, RILL_T z)
{
    RILL_NAME(vec3) r = {x, y, z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_all)(RILL_T s)
{
    RILL_NAME(vec3) r = {s, s, s};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_add)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_sub)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

// Element by element.
static inline RILL_NAME(vec3) RILL_NAME(vec3_mul)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.x * b.x, a.y * b.y, a.z * b.z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_neg)(RILL_NAME(vec3) a)
{
    RILL_NAME(vec3) r = {-a.x, -a.y, -a.z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_scale)(RILL_NAME(vec3) a, RILL_T s)
{
    RILL_NAME(vec3) r = {a.x * s, a.y * s, a.z * s};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_min)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_max)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z};
    return r;
}

static inline RILL_T RILL_NAME(vec3_dot)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct RILL_NAME(vec4) {
    RILL_T x, y, z, w;
} RILL_NAME(vec4);

static inline RILL_NAME(vec4) RILL_NAME(vec4_of)(RILL_T x, RILL_T y, RILL_T z, RILL_T w)
{
    RILL_NAME(vec4) r = {x, y, z, w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_all)(RILL_T s)
{
    RILL_NAME(vec4) r = {s, s, s, s};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_add)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_sub)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
    return r;
}

// Element by element.
static inline RILL_NAME(vec4) RILL_NAME(vec4_mul)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_neg)(RILL_NAME(vec4) a)
{
    RILL_NAME(vec4) r = {-a.x, -a.y, -a.z, -a.w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_scale)(RILL_NAME(vec4) a, RILL_T s)
{
    RILL_NAME(vec4) r = {a.x * s, a.y * s, a.z * s, a.w * s};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_min)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z, b.w < a.w ? b.w : a.w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_max)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z, b.w > a.w ? b.w : a.w};
    return r;
}

static inline RILL_T RILL_NAME(vec4_dot)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_cross)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

// The area that a and b span, positive if b is to the left of a.
static inline RILL_T RILL_NAME(vec2_cross)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    return a.x * b.y - a.y * b.x;
}

#ifdef RILL_MATH

// a + s * b: a step along b.
static inline RILL_NAME(vec2) RILL_NAME(vec2_step)(RILL_NAME(vec2) a, RILL_T s, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {a.x + s * b.x, a.y + s * b.y};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_div)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(vec2) r = {a.x / b.x, a.y / b.y};
    return r;
}

static inline RILL_T RILL_NAME(vec2_length)(RILL_NAME(vec2) a)
{
    return RILL_MATH(sqrt)(RILL_NAME(vec2_dot)(a, a));
}

static inline RILL_T RILL_NAME(vec2_distance)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    return RILL_NAME(vec2_length)(RILL_NAME(vec2_sub)(a, b));
}

// Of length 1; a zero vector stays zero.
static inline RILL_NAME(vec2) RILL_NAME(vec2_normalize)(RILL_NAME(vec2) a)
{
    RILL_T length = RILL_NAME(vec2_length)(a);
    return RILL_NAME(vec2_scale)(a, length > 0 ? 1 / length : 0);
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_abs)(RILL_NAME(vec2) a)
{
    RILL_NAME(vec2) r = {RILL_MATH(fabs)(a.x), RILL_MATH(fabs)(a.y)};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_floor)(RILL_NAME(vec2) a)
{
    RILL_NAME(vec2) r = {RILL_MATH(floor)(a.x), RILL_MATH(floor)(a.y)};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(vec2_clamp)(RILL_NAME(vec2) a, RILL_NAME(vec2) low, RILL_NAME(vec2) high)
{
    return RILL_NAME(vec2_min)(RILL_NAME(vec2_max)(a, low), high);
}

// a at t = 0, b at t = 1.
static inline RILL_NAME(vec2) RILL_NAME(vec2_lerp)(RILL_NAME(vec2) a, RILL_NAME(vec2) b, RILL_T t)
{
    RILL_NAME(vec2) r = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    return r;
}

// |a| comes in, |n| has length 1.
static inline RILL_NAME(vec2) RILL_NAME(vec2_reflect)(RILL_NAME(vec2) a, RILL_NAME(vec2) n)
{
    return RILL_NAME(vec2_step)(a, -2 * RILL_NAME(vec2_dot)(n, a), n);
}

// As reflect, with the ratio of the indices of refraction; zero where all is reflected.
static inline RILL_NAME(vec2) RILL_NAME(vec2_refract)(RILL_NAME(vec2) a, RILL_NAME(vec2) n, RILL_T ratio)
{
    RILL_T cosine = RILL_NAME(vec2_dot)(n, a);
    RILL_T rest = 1 - ratio * ratio * (1 - cosine * cosine);
    RILL_T along = rest < 0 ? 0 : -(ratio * cosine + RILL_MATH(sqrt)(rest));
    return RILL_NAME(vec2_step)(RILL_NAME(vec2_scale)(a, rest < 0 ? 0 : ratio), along, n);
}

// a + s * b: a step along b.
static inline RILL_NAME(vec3) RILL_NAME(vec3_step)(RILL_NAME(vec3) a, RILL_T s, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_div)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(vec3) r = {a.x / b.x, a.y / b.y, a.z / b.z};
    return r;
}

static inline RILL_T RILL_NAME(vec3_length)(RILL_NAME(vec3) a)
{
    return RILL_MATH(sqrt)(RILL_NAME(vec3_dot)(a, a));
}

static inline RILL_T RILL_NAME(vec3_distance)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    return RILL_NAME(vec3_length)(RILL_NAME(vec3_sub)(a, b));
}

// Of length 1; a zero vector stays zero.
static inline RILL_NAME(vec3) RILL_NAME(vec3_normalize)(RILL_NAME(vec3) a)
{
    RILL_T length = RILL_NAME(vec3_length)(a);
    return RILL_NAME(vec3_scale)(a, length > 0 ? 1 / length : 0);
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_abs)(RILL_NAME(vec3) a)
{
    RILL_NAME(vec3) r = {RILL_MATH(fabs)(a.x), RILL_MATH(fabs)(a.y), RILL_MATH(fabs)(a.z)};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_floor)(RILL_NAME(vec3) a)
{
    RILL_NAME(vec3) r = {RILL_MATH(floor)(a.x), RILL_MATH(floor)(a.y), RILL_MATH(floor)(a.z)};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(vec3_clamp)(RILL_NAME(vec3) a, RILL_NAME(vec3) low, RILL_NAME(vec3) high)
{
    return RILL_NAME(vec3_min)(RILL_NAME(vec3_max)(a, low), high);
}

// a at t = 0, b at t = 1.
static inline RILL_NAME(vec3) RILL_NAME(vec3_lerp)(RILL_NAME(vec3) a, RILL_NAME(vec3) b, RILL_T t)
{
    RILL_NAME(vec3) r = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
    return r;
}

// |a| comes in, |n| has length 1.
static inline RILL_NAME(vec3) RILL_NAME(vec3_reflect)(RILL_NAME(vec3) a, RILL_NAME(vec3) n)
{
    return RILL_NAME(vec3_step)(a, -2 * RILL_NAME(vec3_dot)(n, a), n);
}

// As reflect, with the ratio of the indices of refraction; zero where all is reflected.
static inline RILL_NAME(vec3) RILL_NAME(vec3_refract)(RILL_NAME(vec3) a, RILL_NAME(vec3) n, RILL_T ratio)
{
    RILL_T cosine = RILL_NAME(vec3_dot)(n, a);
    RILL_T rest = 1 - ratio * ratio * (1 - cosine * cosine);
    RILL_T along = rest < 0 ? 0 : -(ratio * cosine + RILL_MATH(sqrt)(rest));
    return RILL_NAME(vec3_step)(RILL_NAME(vec3_scale)(a, rest < 0 ? 0 : ratio), along, n);
}

// a + s * b: a step along b.
static inline RILL_NAME(vec4) RILL_NAME(vec4_step)(RILL_NAME(vec4) a, RILL_T s, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_div)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(vec4) r = {a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w};
    return r;
}

static inline RILL_T RILL_NAME(vec4_length)(RILL_NAME(vec4) a)
{
    return RILL_MATH(sqrt)(RILL_NAME(vec4_dot)(a, a));
}

static inline RILL_T RILL_NAME(vec4_distance)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    return RILL_NAME(vec4_length)(RILL_NAME(vec4_sub)(a, b));
}

// Of length 1; a zero vector stays zero.
static inline RILL_NAME(vec4) RILL_NAME(vec4_normalize)(RILL_NAME(vec4) a)
{
    RILL_T length = RILL_NAME(vec4_length)(a);
    return RILL_NAME(vec4_scale)(a, length > 0 ? 1 / length : 0);
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_abs)(RILL_NAME(vec4) a)
{
    RILL_NAME(vec4) r = {RILL_MATH(fabs)(a.x), RILL_MATH(fabs)(a.y), RILL_MATH(fabs)(a.z), RILL_MATH(fabs)(a.w)};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_floor)(RILL_NAME(vec4) a)
{
    RILL_NAME(vec4) r = {RILL_MATH(floor)(a.x), RILL_MATH(floor)(a.y), RILL_MATH(floor)(a.z), RILL_MATH(floor)(a.w)};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(vec4_clamp)(RILL_NAME(vec4) a, RILL_NAME(vec4) low, RILL_NAME(vec4) high)
{
    return RILL_NAME(vec4_min)(RILL_NAME(vec4_max)(a, low), high);
}

// a at t = 0, b at t = 1.
static inline RILL_NAME(vec4) RILL_NAME(vec4_lerp)(RILL_NAME(vec4) a, RILL_NAME(vec4) b, RILL_T t)
{
    RILL_NAME(vec4) r = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), a.w + t * (b.w - a.w)};
    return r;
}

#include "rill/mat_of.h"

#endif
#endif

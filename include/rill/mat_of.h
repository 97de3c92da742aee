// The matrices, transformations and quaternions of rill/vec.h for one element type: vec_of.h includes it.
#ifdef RILL_T

// ---- matrices ------------------------------------------------------------------------------------------------------

typedef struct RILL_NAME(mat2) {
    RILL_T m[2][2]; // row, column
} RILL_NAME(mat2);

static inline RILL_NAME(mat2) RILL_NAME(mat2_identity)(void)
{
    RILL_NAME(mat2) r = {{{1, 0}, {0, 1}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_of_rows)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(mat2) r = {{{a.x, a.y}, {b.x, b.y}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_of_columns)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(mat2) r = {{{a.x, b.x}, {a.y, b.y}}};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(mat2_column)(RILL_NAME(mat2) a, int j)
{
    RILL_NAME(vec2) r = {a.m[0][j], a.m[1][j]};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(mat2_row)(RILL_NAME(mat2) a, int i)
{
    RILL_NAME(vec2) r = {a.m[i][0], a.m[i][1]};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_diagonal)(RILL_NAME(vec2) a)
{
    RILL_NAME(mat2) r = {{{a.x, 0}, {0, a.y}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_add)(RILL_NAME(mat2) a, RILL_NAME(mat2) b)
{
    RILL_NAME(mat2)
    r = {{{a.m[0][0] + b.m[0][0], a.m[0][1] + b.m[0][1]}, {a.m[1][0] + b.m[1][0], a.m[1][1] + b.m[1][1]}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_sub)(RILL_NAME(mat2) a, RILL_NAME(mat2) b)
{
    RILL_NAME(mat2)
    r = {{{a.m[0][0] - b.m[0][0], a.m[0][1] - b.m[0][1]}, {a.m[1][0] - b.m[1][0], a.m[1][1] - b.m[1][1]}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_scale)(RILL_NAME(mat2) a, RILL_T s)
{
    RILL_NAME(mat2) r = {{{a.m[0][0] * s, a.m[0][1] * s}, {a.m[1][0] * s, a.m[1][1] * s}}};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_transpose)(RILL_NAME(mat2) a)
{
    RILL_NAME(mat2) r = {{{a.m[0][0], a.m[1][0]}, {a.m[0][1], a.m[1][1]}}};
    return r;
}

static inline RILL_NAME(vec2) RILL_NAME(mat2_apply)(RILL_NAME(mat2) a, RILL_NAME(vec2) v)
{
    RILL_NAME(vec2) r = {a.m[0][0] * v.x + a.m[0][1] * v.y, a.m[1][0] * v.x + a.m[1][1] * v.y};
    return r;
}

static inline RILL_NAME(mat2) RILL_NAME(mat2_mul)(RILL_NAME(mat2) a, RILL_NAME(mat2) b)
{
    RILL_NAME(mat2)
    r = {{{a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[1][0], a.m[0][0] * b.m[0][1] + a.m[0][1] * b.m[1][1]},
          {a.m[1][0] * b.m[0][0] + a.m[1][1] * b.m[1][0], a.m[1][0] * b.m[0][1] + a.m[1][1] * b.m[1][1]}}};
    return r;
}

static inline RILL_T RILL_NAME(mat2_trace)(RILL_NAME(mat2) a)
{
    return a.m[0][0] + a.m[1][1];
}

// a times b transposed.
static inline RILL_NAME(mat2) RILL_NAME(vec2_outer)(RILL_NAME(vec2) a, RILL_NAME(vec2) b)
{
    RILL_NAME(mat2) r = {{{a.x * b.x, a.x * b.y}, {a.y * b.x, a.y * b.y}}};
    return r;
}

typedef struct RILL_NAME(mat3) {
    RILL_T m[3][3]; // row, column
} RILL_NAME(mat3);

static inline RILL_NAME(mat3) RILL_NAME(mat3_identity)(void)
{
    RILL_NAME(mat3) r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_of_rows)(RILL_NAME(vec3) a, RILL_NAME(vec3) b, RILL_NAME(vec3) c)
{
    RILL_NAME(mat3) r = {{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_of_columns)(RILL_NAME(vec3) a, RILL_NAME(vec3) b, RILL_NAME(vec3) c)
{
    RILL_NAME(mat3) r = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(mat3_column)(RILL_NAME(mat3) a, int j)
{
    RILL_NAME(vec3) r = {a.m[0][j], a.m[1][j], a.m[2][j]};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(mat3_row)(RILL_NAME(mat3) a, int i)
{
    RILL_NAME(vec3) r = {a.m[i][0], a.m[i][1], a.m[i][2]};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_diagonal)(RILL_NAME(vec3) a)
{
    RILL_NAME(mat3) r = {{{a.x, 0, 0}, {0, a.y, 0}, {0, 0, a.z}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_add)(RILL_NAME(mat3) a, RILL_NAME(mat3) b)
{
    RILL_NAME(mat3)
    r = {{{a.m[0][0] + b.m[0][0], a.m[0][1] + b.m[0][1], a.m[0][2] + b.m[0][2]},
          {a.m[1][0] + b.m[1][0], a.m[1][1] + b.m[1][1], a.m[1][2] + b.m[1][2]},
          {a.m[2][0] + b.m[2][0], a.m[2][1] + b.m[2][1], a.m[2][2] + b.m[2][2]}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_sub)(RILL_NAME(mat3) a, RILL_NAME(mat3) b)
{
    RILL_NAME(mat3)
    r = {{{a.m[0][0] - b.m[0][0], a.m[0][1] - b.m[0][1], a.m[0][2] - b.m[0][2]},
          {a.m[1][0] - b.m[1][0], a.m[1][1] - b.m[1][1], a.m[1][2] - b.m[1][2]},
          {a.m[2][0] - b.m[2][0], a.m[2][1] - b.m[2][1], a.m[2][2] - b.m[2][2]}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_scale)(RILL_NAME(mat3) a, RILL_T s)
{
    RILL_NAME(mat3)
    r = {{{a.m[0][0] * s, a.m[0][1] * s, a.m[0][2] * s},
          {a.m[1][0] * s, a.m[1][1] * s, a.m[1][2] * s},
          {a.m[2][0] * s, a.m[2][1] * s, a.m[2][2] * s}}};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_transpose)(RILL_NAME(mat3) a)
{
    RILL_NAME(mat3)
    r = {{{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(mat3_apply)(RILL_NAME(mat3) a, RILL_NAME(vec3) v)
{
    RILL_NAME(vec3)
    r = {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z, a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
         a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
    return r;
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_mul)(RILL_NAME(mat3) a, RILL_NAME(mat3) b)
{
    RILL_NAME(mat3)
    r = {{{a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[1][0] + a.m[0][2] * b.m[2][0],
           a.m[0][0] * b.m[0][1] + a.m[0][1] * b.m[1][1] + a.m[0][2] * b.m[2][1],
           a.m[0][0] * b.m[0][2] + a.m[0][1] * b.m[1][2] + a.m[0][2] * b.m[2][2]},
          {a.m[1][0] * b.m[0][0] + a.m[1][1] * b.m[1][0] + a.m[1][2] * b.m[2][0],
           a.m[1][0] * b.m[0][1] + a.m[1][1] * b.m[1][1] + a.m[1][2] * b.m[2][1],
           a.m[1][0] * b.m[0][2] + a.m[1][1] * b.m[1][2] + a.m[1][2] * b.m[2][2]},
          {a.m[2][0] * b.m[0][0] + a.m[2][1] * b.m[1][0] + a.m[2][2] * b.m[2][0],
           a.m[2][0] * b.m[0][1] + a.m[2][1] * b.m[1][1] + a.m[2][2] * b.m[2][1],
           a.m[2][0] * b.m[0][2] + a.m[2][1] * b.m[1][2] + a.m[2][2] * b.m[2][2]}}};
    return r;
}

static inline RILL_T RILL_NAME(mat3_trace)(RILL_NAME(mat3) a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2];
}

// a times b transposed.
static inline RILL_NAME(mat3) RILL_NAME(vec3_outer)(RILL_NAME(vec3) a, RILL_NAME(vec3) b)
{
    RILL_NAME(mat3)
    r = {{{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return r;
}

typedef struct RILL_NAME(mat4) {
    RILL_T m[4][4]; // row, column
} RILL_NAME(mat4);

static inline RILL_NAME(mat4) RILL_NAME(mat4_identity)(void)
{
    RILL_NAME(mat4) r = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    return r;
}

static inline RILL_NAME(mat4)
    RILL_NAME(mat4_of_rows)(RILL_NAME(vec4) a, RILL_NAME(vec4) b, RILL_NAME(vec4) c, RILL_NAME(vec4) d)
{
    RILL_NAME(mat4) r = {{{a.x, a.y, a.z, a.w}, {b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w}, {d.x, d.y, d.z, d.w}}};
    return r;
}

static inline RILL_NAME(mat4)
    RILL_NAME(mat4_of_columns)(RILL_NAME(vec4) a, RILL_NAME(vec4) b, RILL_NAME(vec4) c, RILL_NAME(vec4) d)
{
    RILL_NAME(mat4) r = {{{a.x, b.x, c.x, d.x}, {a.y, b.y, c.y, d.y}, {a.z, b.z, c.z, d.z}, {a.w, b.w, c.w, d.w}}};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(mat4_column)(RILL_NAME(mat4) a, int j)
{
    RILL_NAME(vec4) r = {a.m[0][j], a.m[1][j], a.m[2][j], a.m[3][j]};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(mat4_row)(RILL_NAME(mat4) a, int i)
{
    RILL_NAME(vec4) r = {a.m[i][0], a.m[i][1], a.m[i][2], a.m[i][3]};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_diagonal)(RILL_NAME(vec4) a)
{
    RILL_NAME(mat4) r = {{{a.x, 0, 0, 0}, {0, a.y, 0, 0}, {0, 0, a.z, 0}, {0, 0, 0, a.w}}};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_add)(RILL_NAME(mat4) a, RILL_NAME(mat4) b)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0] + b.m[0][0], a.m[0][1] + b.m[0][1], a.m[0][2] + b.m[0][2], a.m[0][3] + b.m[0][3]},
          {a.m[1][0] + b.m[1][0], a.m[1][1] + b.m[1][1], a.m[1][2] + b.m[1][2], a.m[1][3] + b.m[1][3]},
          {a.m[2][0] + b.m[2][0], a.m[2][1] + b.m[2][1], a.m[2][2] + b.m[2][2], a.m[2][3] + b.m[2][3]},
          {a.m[3][0] + b.m[3][0], a.m[3][1] + b.m[3][1], a.m[3][2] + b.m[3][2], a.m[3][3] + b.m[3][3]}}};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_sub)(RILL_NAME(mat4) a, RILL_NAME(mat4) b)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0] - b.m[0][0], a.m[0][1] - b.m[0][1], a.m[0][2] - b.m[0][2], a.m[0][3] - b.m[0][3]},
          {a.m[1][0] - b.m[1][0], a.m[1][1] - b.m[1][1], a.m[1][2] - b.m[1][2], a.m[1][3] - b.m[1][3]},
          {a.m[2][0] - b.m[2][0], a.m[2][1] - b.m[2][1], a.m[2][2] - b.m[2][2], a.m[2][3] - b.m[2][3]},
          {a.m[3][0] - b.m[3][0], a.m[3][1] - b.m[3][1], a.m[3][2] - b.m[3][2], a.m[3][3] - b.m[3][3]}}};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_scale)(RILL_NAME(mat4) a, RILL_T s)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0] * s, a.m[0][1] * s, a.m[0][2] * s, a.m[0][3] * s},
          {a.m[1][0] * s, a.m[1][1] * s, a.m[1][2] * s, a.m[1][3] * s},
          {a.m[2][0] * s, a.m[2][1] * s, a.m[2][2] * s, a.m[2][3] * s},
          {a.m[3][0] * s, a.m[3][1] * s, a.m[3][2] * s, a.m[3][3] * s}}};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_transpose)(RILL_NAME(mat4) a)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0], a.m[1][0], a.m[2][0], a.m[3][0]},
          {a.m[0][1], a.m[1][1], a.m[2][1], a.m[3][1]},
          {a.m[0][2], a.m[1][2], a.m[2][2], a.m[3][2]},
          {a.m[0][3], a.m[1][3], a.m[2][3], a.m[3][3]}}};
    return r;
}

static inline RILL_NAME(vec4) RILL_NAME(mat4_apply)(RILL_NAME(mat4) a, RILL_NAME(vec4) v)
{
    RILL_NAME(vec4)
    r = {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z + a.m[0][3] * v.w,
         a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z + a.m[1][3] * v.w,
         a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z + a.m[2][3] * v.w,
         a.m[3][0] * v.x + a.m[3][1] * v.y + a.m[3][2] * v.z + a.m[3][3] * v.w};
    return r;
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_mul)(RILL_NAME(mat4) a, RILL_NAME(mat4) b)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[1][0] + a.m[0][2] * b.m[2][0] + a.m[0][3] * b.m[3][0],
           a.m[0][0] * b.m[0][1] + a.m[0][1] * b.m[1][1] + a.m[0][2] * b.m[2][1] + a.m[0][3] * b.m[3][1],
           a.m[0][0] * b.m[0][2] + a.m[0][1] * b.m[1][2] + a.m[0][2] * b.m[2][2] + a.m[0][3] * b.m[3][2],
           a.m[0][0] * b.m[0][3] + a.m[0][1] * b.m[1][3] + a.m[0][2] * b.m[2][3] + a.m[0][3] * b.m[3][3]},
          {a.m[1][0] * b.m[0][0] + a.m[1][1] * b.m[1][0] + a.m[1][2] * b.m[2][0] + a.m[1][3] * b.m[3][0],
           a.m[1][0] * b.m[0][1] + a.m[1][1] * b.m[1][1] + a.m[1][2] * b.m[2][1] + a.m[1][3] * b.m[3][1],
           a.m[1][0] * b.m[0][2] + a.m[1][1] * b.m[1][2] + a.m[1][2] * b.m[2][2] + a.m[1][3] * b.m[3][2],
           a.m[1][0] * b.m[0][3] + a.m[1][1] * b.m[1][3] + a.m[1][2] * b.m[2][3] + a.m[1][3] * b.m[3][3]},
          {a.m[2][0] * b.m[0][0] + a.m[2][1] * b.m[1][0] + a.m[2][2] * b.m[2][0] + a.m[2][3] * b.m[3][0],
           a.m[2][0] * b.m[0][1] + a.m[2][1] * b.m[1][1] + a.m[2][2] * b.m[2][1] + a.m[2][3] * b.m[3][1],
           a.m[2][0] * b.m[0][2] + a.m[2][1] * b.m[1][2] + a.m[2][2] * b.m[2][2] + a.m[2][3] * b.m[3][2],
           a.m[2][0] * b.m[0][3] + a.m[2][1] * b.m[1][3] + a.m[2][2] * b.m[2][3] + a.m[2][3] * b.m[3][3]},
          {a.m[3][0] * b.m[0][0] + a.m[3][1] * b.m[1][0] + a.m[3][2] * b.m[2][0] + a.m[3][3] * b.m[3][0],
           a.m[3][0] * b.m[0][1] + a.m[3][1] * b.m[1][1] + a.m[3][2] * b.m[2][1] + a.m[3][3] * b.m[3][1],
           a.m[3][0] * b.m[0][2] + a.m[3][1] * b.m[1][2] + a.m[3][2] * b.m[2][2] + a.m[3][3] * b.m[3][2],
           a.m[3][0] * b.m[0][3] + a.m[3][1] * b.m[1][3] + a.m[3][2] * b.m[2][3] + a.m[3][3] * b.m[3][3]}}};
    return r;
}

static inline RILL_T RILL_NAME(mat4_trace)(RILL_NAME(mat4) a)
{
    return a.m[0][0] + a.m[1][1] + a.m[2][2] + a.m[3][3];
}

// a times b transposed.
static inline RILL_NAME(mat4) RILL_NAME(vec4_outer)(RILL_NAME(vec4) a, RILL_NAME(vec4) b)
{
    RILL_NAME(mat4)
    r = {{{a.x * b.x, a.x * b.y, a.x * b.z, a.x * b.w},
          {a.y * b.x, a.y * b.y, a.y * b.z, a.y * b.w},
          {a.z * b.x, a.z * b.y, a.z * b.z, a.z * b.w},
          {a.w * b.x, a.w * b.y, a.w * b.z, a.w * b.w}}};
    return r;
}

static inline RILL_T RILL_NAME(mat2_determinant)(RILL_NAME(mat2) a)
{
    return a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0];
}

// Of a matrix that has none, infinities and NaNs: see the determinant.
static inline RILL_NAME(mat2) RILL_NAME(mat2_inverse)(RILL_NAME(mat2) a)
{
    RILL_T s = 1 / RILL_NAME(mat2_determinant)(a);
    RILL_NAME(mat2) r = {{{a.m[1][1] * s, -a.m[0][1] * s}, {-a.m[1][0] * s, a.m[0][0] * s}}};
    return r;
}

static inline RILL_T RILL_NAME(mat3_determinant)(RILL_NAME(mat3) a)
{
    return RILL_NAME(vec3_dot)(RILL_NAME(mat3_row)(a, 0),
                               RILL_NAME(vec3_cross)(RILL_NAME(mat3_row)(a, 1), RILL_NAME(mat3_row)(a, 2)));
}

static inline RILL_NAME(mat3) RILL_NAME(mat3_inverse)(RILL_NAME(mat3) a)
{
    RILL_NAME(vec3) p = RILL_NAME(mat3_row)(a, 0), q = RILL_NAME(mat3_row)(a, 1), r = RILL_NAME(mat3_row)(a, 2);
    RILL_NAME(vec3)
    qr = RILL_NAME(vec3_cross)(q, r), rp = RILL_NAME(vec3_cross)(r, p), pq = RILL_NAME(vec3_cross)(p, q);
    return RILL_NAME(mat3_scale)(RILL_NAME(mat3_of_columns)(qr, rp, pq), 1 / RILL_NAME(vec3_dot)(p, qr));
}

// The determinants of the rows 0, 1 and 2, 3 of columns i, j.
static inline RILL_T RILL_NAME(mat4_minor_)(const RILL_NAME(mat4) * a, int row, int i, int j)
{
    return a->m[row][i] * a->m[row + 1][j] - a->m[row][j] * a->m[row + 1][i];
}

static inline RILL_NAME(mat4) RILL_NAME(mat4_inverse)(RILL_NAME(mat4) a)
{
    RILL_T s0 = RILL_NAME(mat4_minor_)(&a, 0, 0, 1), s1 = RILL_NAME(mat4_minor_)(&a, 0, 0, 2);
    RILL_T s2 = RILL_NAME(mat4_minor_)(&a, 0, 0, 3), s3 = RILL_NAME(mat4_minor_)(&a, 0, 1, 2);
    RILL_T s4 = RILL_NAME(mat4_minor_)(&a, 0, 1, 3), s5 = RILL_NAME(mat4_minor_)(&a, 0, 2, 3);
    RILL_T c0 = RILL_NAME(mat4_minor_)(&a, 2, 0, 1), c1 = RILL_NAME(mat4_minor_)(&a, 2, 0, 2);
    RILL_T c2 = RILL_NAME(mat4_minor_)(&a, 2, 0, 3), c3 = RILL_NAME(mat4_minor_)(&a, 2, 1, 2);
    RILL_T c4 = RILL_NAME(mat4_minor_)(&a, 2, 1, 3), c5 = RILL_NAME(mat4_minor_)(&a, 2, 2, 3);
    RILL_T d = 1 / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
    RILL_NAME(mat4)
    r = {{{(a.m[1][1] * c5 - a.m[1][2] * c4 + a.m[1][3] * c3) * d,
           (-a.m[0][1] * c5 + a.m[0][2] * c4 - a.m[0][3] * c3) * d,
           (a.m[3][1] * s5 - a.m[3][2] * s4 + a.m[3][3] * s3) * d,
           (-a.m[2][1] * s5 + a.m[2][2] * s4 - a.m[2][3] * s3) * d},
          {(-a.m[1][0] * c5 + a.m[1][2] * c2 - a.m[1][3] * c1) * d,
           (a.m[0][0] * c5 - a.m[0][2] * c2 + a.m[0][3] * c1) * d,
           (-a.m[3][0] * s5 + a.m[3][2] * s2 - a.m[3][3] * s1) * d,
           (a.m[2][0] * s5 - a.m[2][2] * s2 + a.m[2][3] * s1) * d},
          {(a.m[1][0] * c4 - a.m[1][1] * c2 + a.m[1][3] * c0) * d,
           (-a.m[0][0] * c4 + a.m[0][1] * c2 - a.m[0][3] * c0) * d,
           (a.m[3][0] * s4 - a.m[3][1] * s2 + a.m[3][3] * s0) * d,
           (-a.m[2][0] * s4 + a.m[2][1] * s2 - a.m[2][3] * s0) * d},
          {(-a.m[1][0] * c3 + a.m[1][1] * c1 - a.m[1][2] * c0) * d,
           (a.m[0][0] * c3 - a.m[0][1] * c1 + a.m[0][2] * c0) * d,
           (-a.m[3][0] * s3 + a.m[3][1] * s1 - a.m[3][2] * s0) * d,
           (a.m[2][0] * s3 - a.m[2][1] * s1 + a.m[2][2] * s0) * d}}};
    return r;
}

static inline RILL_T RILL_NAME(mat4_determinant)(RILL_NAME(mat4) a)
{
    RILL_T s0 = RILL_NAME(mat4_minor_)(&a, 0, 0, 1), s1 = RILL_NAME(mat4_minor_)(&a, 0, 0, 2);
    RILL_T s2 = RILL_NAME(mat4_minor_)(&a, 0, 0, 3), s3 = RILL_NAME(mat4_minor_)(&a, 0, 1, 2);
    RILL_T s4 = RILL_NAME(mat4_minor_)(&a, 0, 1, 3), s5 = RILL_NAME(mat4_minor_)(&a, 0, 2, 3);
    RILL_T c0 = RILL_NAME(mat4_minor_)(&a, 2, 0, 1), c1 = RILL_NAME(mat4_minor_)(&a, 2, 0, 2);
    RILL_T c2 = RILL_NAME(mat4_minor_)(&a, 2, 0, 3), c3 = RILL_NAME(mat4_minor_)(&a, 2, 1, 2);
    RILL_T c4 = RILL_NAME(mat4_minor_)(&a, 2, 1, 3), c5 = RILL_NAME(mat4_minor_)(&a, 2, 2, 3);
    return s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
}

// ---- transformations of space --------------------------------------------------------------------------------------

static inline RILL_NAME(mat4) RILL_NAME(mat4_translation)(RILL_NAME(vec3) by)
{
    RILL_NAME(mat4) r = {{{1, 0, 0, by.x}, {0, 1, 0, by.y}, {0, 0, 1, by.z}, {0, 0, 0, 1}}};
    return r;
}

// The linear part |a|, then the translation.
static inline RILL_NAME(mat4) RILL_NAME(mat4_of_mat3)(RILL_NAME(mat3) a, RILL_NAME(vec3) by)
{
    RILL_NAME(mat4)
    r = {{{a.m[0][0], a.m[0][1], a.m[0][2], by.x},
          {a.m[1][0], a.m[1][1], a.m[1][2], by.y},
          {a.m[2][0], a.m[2][1], a.m[2][2], by.z},
          {0, 0, 0, 1}}};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(mat4_apply_point)(RILL_NAME(mat4) a, RILL_NAME(vec3) p)
{
    RILL_NAME(vec4) v = {p.x, p.y, p.z, 1};
    RILL_NAME(vec4) q = RILL_NAME(mat4_apply)(a, v);
    RILL_NAME(vec3) r = {q.x / q.w, q.y / q.w, q.z / q.w};
    return r;
}

static inline RILL_NAME(vec3) RILL_NAME(mat4_apply_direction)(RILL_NAME(mat4) a, RILL_NAME(vec3) d)
{
    RILL_NAME(vec4) v = {d.x, d.y, d.z, 0};
    RILL_NAME(vec4) q = RILL_NAME(mat4_apply)(a, v);
    RILL_NAME(vec3) r = {q.x, q.y, q.z};
    return r;
}

// The view from |eye| to |at|, right-handed: the camera looks along -z.
static inline RILL_NAME(mat4) RILL_NAME(mat4_look_at)(RILL_NAME(vec3) eye, RILL_NAME(vec3) at, RILL_NAME(vec3) up)
{
    RILL_NAME(vec3) f = RILL_NAME(vec3_normalize)(RILL_NAME(vec3_sub)(at, eye));
    RILL_NAME(vec3) s = RILL_NAME(vec3_normalize)(RILL_NAME(vec3_cross)(f, up));
    RILL_NAME(vec3) u = RILL_NAME(vec3_cross)(s, f);
    RILL_NAME(mat4)
    r = {{{s.x, s.y, s.z, -RILL_NAME(vec3_dot)(s, eye)},
          {u.x, u.y, u.z, -RILL_NAME(vec3_dot)(u, eye)},
          {-f.x, -f.y, -f.z, RILL_NAME(vec3_dot)(f, eye)},
          {0, 0, 0, 1}}};
    return r;
}

// A field of view of |angle| radians from bottom to top; depths from |from| to |to| become -1 to 1.
static inline RILL_NAME(mat4) RILL_NAME(mat4_perspective)(RILL_T angle, RILL_T aspect, RILL_T from, RILL_T to)
{
    RILL_T s = 1 / RILL_MATH(tan)(angle / 2);
    RILL_NAME(mat4)
    r = {{{s / aspect, 0, 0, 0},
          {0, s, 0, 0},
          {0, 0, (to + from) / (from - to), 2 * to * from / (from - to)},
          {0, 0, -1, 0}}};
    return r;
}

// ---- quaternions ---------------------------------------------------------------------------------------------------

typedef struct RILL_NAME(quat) {
    RILL_T x, y, z, w; // w is the real part
} RILL_NAME(quat);

static inline RILL_NAME(quat) RILL_NAME(quat_identity)(void)
{
    RILL_NAME(quat) r = {0, 0, 0, 1};
    return r;
}

// A rotation by |angle| radians about |axis|, which has length 1.
static inline RILL_NAME(quat) RILL_NAME(quat_of_axis)(RILL_NAME(vec3) axis, RILL_T angle)
{
    RILL_T s = RILL_MATH(sin)(angle / 2);
    RILL_NAME(quat) r = {axis.x * s, axis.y * s, axis.z * s, RILL_MATH(cos)(angle / 2)};
    return r;
}

// b first, then a.
static inline RILL_NAME(quat) RILL_NAME(quat_mul)(RILL_NAME(quat) a, RILL_NAME(quat) b)
{
    RILL_NAME(quat)
    r = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return r;
}

static inline RILL_NAME(quat) RILL_NAME(quat_add)(RILL_NAME(quat) a, RILL_NAME(quat) b)
{
    RILL_NAME(quat) r = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    return r;
}

static inline RILL_NAME(quat) RILL_NAME(quat_scale)(RILL_NAME(quat) a, RILL_T s)
{
    RILL_NAME(quat) r = {a.x * s, a.y * s, a.z * s, a.w * s};
    return r;
}

// The inverse of a rotation.
static inline RILL_NAME(quat) RILL_NAME(quat_conjugate)(RILL_NAME(quat) a)
{
    RILL_NAME(quat) r = {-a.x, -a.y, -a.z, a.w};
    return r;
}

static inline RILL_T RILL_NAME(quat_dot)(RILL_NAME(quat) a, RILL_NAME(quat) b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// Of length 1; zero becomes the identity.
static inline RILL_NAME(quat) RILL_NAME(quat_normalize)(RILL_NAME(quat) a)
{
    RILL_T length = RILL_MATH(sqrt)(RILL_NAME(quat_dot)(a, a));
    return length > 0 ? RILL_NAME(quat_scale)(a, 1 / length) : RILL_NAME(quat_identity)();
}

// |q| has length 1.
static inline RILL_NAME(vec3) RILL_NAME(quat_rotate)(RILL_NAME(quat) q, RILL_NAME(vec3) v)
{
    RILL_NAME(vec3) u = {q.x, q.y, q.z};
    RILL_NAME(vec3) t = RILL_NAME(vec3_scale)(RILL_NAME(vec3_cross)(u, v), 2);
    return RILL_NAME(vec3_add)(RILL_NAME(vec3_step)(v, q.w, t), RILL_NAME(vec3_cross)(u, t));
}

static inline RILL_NAME(mat3) RILL_NAME(quat_matrix)(RILL_NAME(quat) q)
{
    RILL_NAME(mat3)
    r = {{{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
          {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
          {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
    return r;
}

// Of a rotation's matrix: by the largest of the four parts, so that nothing cancels.
static inline RILL_NAME(quat) RILL_NAME(quat_of_mat3)(RILL_NAME(mat3) a)
{
    RILL_NAME(quat) r;
    if (a.m[0][0] + a.m[1][1] + a.m[2][2] > 0) {
        RILL_T s = RILL_MATH(sqrt)(1 + a.m[0][0] + a.m[1][1] + a.m[2][2]) * 2;
        r.x = (a.m[2][1] - a.m[1][2]) / s;
        r.y = (a.m[0][2] - a.m[2][0]) / s;
        r.z = (a.m[1][0] - a.m[0][1]) / s;
        r.w = s / 4;
    } else if (a.m[0][0] > a.m[1][1] && a.m[0][0] > a.m[2][2]) {
        RILL_T s = RILL_MATH(sqrt)(1 + a.m[0][0] - a.m[1][1] - a.m[2][2]) * 2;
        r.x = s / 4;
        r.y = (a.m[0][1] + a.m[1][0]) / s;
        r.z = (a.m[0][2] + a.m[2][0]) / s;
        r.w = (a.m[2][1] - a.m[1][2]) / s;
    } else if (a.m[1][1] > a.m[2][2]) {
        RILL_T s = RILL_MATH(sqrt)(1 + a.m[1][1] - a.m[0][0] - a.m[2][2]) * 2;
        r.x = (a.m[0][1] + a.m[1][0]) / s;
        r.y = s / 4;
        r.z = (a.m[1][2] + a.m[2][1]) / s;
        r.w = (a.m[0][2] - a.m[2][0]) / s;
    } else {
        RILL_T s = RILL_MATH(sqrt)(1 + a.m[2][2] - a.m[0][0] - a.m[1][1]) * 2;
        r.x = (a.m[0][2] + a.m[2][0]) / s;
        r.y = (a.m[1][2] + a.m[2][1]) / s;
        r.z = s / 4;
        r.w = (a.m[1][0] - a.m[0][1]) / s;
    }
    return r;
}

// The shorter way round, at constant speed; close to each other along the straight line.
static inline RILL_NAME(quat) RILL_NAME(quat_slerp)(RILL_NAME(quat) a, RILL_NAME(quat) b, RILL_T t)
{
    RILL_T cosine = RILL_NAME(quat_dot)(a, b);
    RILL_T sign = cosine < 0 ? -1 : 1;
    RILL_T first = 1 - t, second = t * sign;
    cosine = cosine * sign;
    if (cosine < (RILL_T)0.9995) {
        RILL_T angle = RILL_MATH(acos)(cosine);
        RILL_T sine = RILL_MATH(sin)(angle);
        first = RILL_MATH(sin)((1 - t) * angle) / sine;
        second = RILL_MATH(sin)(t * angle) / sine * sign;
    }
    return RILL_NAME(quat_normalize)(
        RILL_NAME(quat_add)(RILL_NAME(quat_scale)(a, first), RILL_NAME(quat_scale)(b, second)));
}

#include "rill/eigen_of.h"

#endif

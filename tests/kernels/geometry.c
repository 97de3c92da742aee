// rill/vec.h: every operation, bit by bit what the plain build computes; decompositions also put together again.
#include <rill/kernel.h>
#include <rill/vec.h>

// struct vec3: fff x y z
// struct dvec3: ddd x y z
// struct ivec3: iii x y z
// struct vec4: ffff x y z w
// struct quat: ffff x y z w

// run: floats n=200 wild
kernel void floats(int n, const struct vec3 a[n], const struct vec3 b[n], struct vec3 out[n][12], float f[n][6])
{
    for (int i = 0; i < n; i++) {
        vec3 x = a[i], y = b[i];
        out[i][0] = vec3_add(x, y);
        out[i][1] = vec3_sub(x, vec3_scale(y, 2));
        out[i][2] = vec3_mul(x, vec3_neg(y));
        out[i][3] = vec3_div(x, y);
        out[i][4] = vec3_cross(x, y);
        out[i][5] = vec3_normalize(x);
        out[i][6] = vec3_lerp(x, y, 0.25f);
        out[i][7] = vec3_clamp(x, vec3_all(-1), vec3_of(1, 2, 3));
        out[i][8] = vec3_reflect(x, vec3_normalize(y));
        out[i][9] = vec3_refract(vec3_normalize(x), vec3_normalize(y), 1.3f);
        out[i][10] = vec3_floor(vec3_abs(x));
        out[i][11] = vec3_step(x, 0.5f, y);
        f[i][0] = vec3_dot(x, y);
        f[i][1] = vec3_length(x);
        f[i][2] = vec3_distance(x, y);
        f[i][3] = vec2_cross(vec2_of(x.x, x.y), vec2_of(y.x, y.y)) + vec2_length(vec2_of(y.z, x.z));
        f[i][4] = vec4_dot(vec4_of(x.x, x.y, x.z, y.x), vec4_all(y.y));
        f[i][5] = vec4_length(vec4_normalize(vec4_of(x.x, x.y, x.z, y.x)));
    }
}

// run: others n=100
kernel void others(int n, const struct dvec3 a[n], struct dvec3 out[n][3], const struct ivec3 b[n],
                   struct ivec3 whole[n][4])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = dvec3_cross(a[i], dvec3_add(a[i], dvec3_of(1, 2, 3)));
        out[i][1] = dvec3_normalize(a[i]);
        out[i][2] = dvec3_reflect(a[i], dvec3_of(0, 1, 0));
        whole[i][0] = ivec3_cross(b[i], ivec3_of(1, 2, 3));
        whole[i][1] = ivec3_min(b[i], ivec3_all(50));
        whole[i][2] = ivec3_scale(ivec3_max(b[i], ivec3_all(50)), 3);
        whole[i][3] = ivec3_all(ivec3_dot(b[i], b[i]));
    }
}

static mat3 matrix_of(const float a[9])
{
    mat3 r = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
    return r;
}

// run: matrices n=100
kernel void matrices(int n, const float a[n][16], float out[n][60])
{
    for (int i = 0; i < n; i++) {
        mat3 m = matrix_of(a[i]), t = mat3_transpose(m);
        mat3 product = mat3_mul(m, mat3_add(t, mat3_scale(m, 0.5f)));
        mat3 inverse = mat3_mul(mat3_inverse(m), m);
        mat2 two = mat2_of_rows(vec2_of(a[i][0], a[i][1]), vec2_of(a[i][2], a[i][3] + 9));
        two = mat2_mul(two, mat2_inverse(two));
        mat4 four;
        for (int k = 0; k < 16; k++) {
            four.m[k / 4][k % 4] = a[i][k];
        }
        mat4 back = mat4_mul(four, mat4_inverse(four));
        mat4 view = mat4_look_at(vec3_of(a[i][0], 2, 3), vec3_of(1, a[i][1], 0), vec3_of(0, 1, 0));
        vec3 p = mat4_apply_point(view, vec3_of(1, 2, a[i][2]));
        vec3 d = mat4_apply_direction(mat4_mul(view, mat4_translation(p)), p);
        for (int k = 0; k < 9; k++) {
            out[i][k] = product.m[k / 3][k % 3];
            out[i][9 + k] = inverse.m[k / 3][k % 3];
        }
        for (int k = 0; k < 16; k++) {
            out[i][18 + k] = back.m[k / 4][k % 4];
            out[i][34 + k] = view.m[k / 4][k % 4];
        }
        out[i][50] = mat3_determinant(m) + mat2_determinant(two);
        out[i][51] = mat4_determinant(four) + mat3_trace(m);
        out[i][52] = p.x + p.y + p.z;
        out[i][53] = d.x + d.y + d.z;
        out[i][54] = two.m[0][0] + two.m[0][1] + two.m[1][0] + two.m[1][1];
        out[i][55] = vec3_length(mat3_apply(m, mat3_column(t, 1)));
        out[i][56] = mat3_determinant(vec3_outer(p, d));
        out[i][57] = out[i][58] = out[i][59] = 0;
    }
}

// run: rotations n=100
kernel void rotations(int n, const struct quat a[n], const struct vec3 v[n], struct vec3 out[n][4], struct quat q[n][3])
{
    for (int i = 0; i < n; i++) {
        quat x = quat_normalize(a[i]), y = quat_normalize(a[n - 1 - i]);
        out[i][0] = quat_rotate(x, v[i]);
        out[i][1] = mat3_apply(quat_matrix(x), v[i]);
        out[i][2] = quat_rotate(quat_mul(x, y), v[i]);
        out[i][3] = quat_rotate(quat_conjugate(x), out[i][0]);
        q[i][0] = quat_mul(x, y);
        q[i][1] = quat_of_mat3(quat_matrix(x));
        q[i][2] = quat_of_mat3(quat_matrix(vec3_length(v[i]) > 20 ? y : quat_mul(y, y)));
    }
}

// run: angles n=100 ~ 1e-5
kernel void angles(int n, const struct vec3 axis[n], const float angle[n], struct quat out[n][2])
{
    for (int i = 0; i < n; i++) {
        out[i][0] = quat_of_axis(vec3_normalize(axis[i]), angle[i]);
        out[i][1] = quat_slerp(out[i][0], quat_of_axis(vec3_of(0, 0, 1), 1.0f), 0.3f);
    }
}

// How far u * s * transpose(v) is from the matrix, and u and v from orthogonal.
static float svd_error(mat3 m, svd3 r)
{
    mat3 again = mat3_mul(r.u, mat3_mul(mat3_diagonal(r.s), mat3_transpose(r.v)));
    mat3 u = mat3_sub(mat3_mul(r.u, mat3_transpose(r.u)), mat3_identity());
    mat3 v = mat3_sub(mat3_mul(r.v, mat3_transpose(r.v)), mat3_identity());
    mat3 d = mat3_sub(again, m);
    float error = 0;
    for (int k = 0; k < 9; k++) {
        error += fabsf(d.m[k / 3][k % 3]) / (1 + r.s.x) + fabsf(u.m[k / 3][k % 3]) + fabsf(v.m[k / 3][k % 3]);
    }
    return error;
}

// Regular matrices, and those of rank 2, 1 and 0, with equal rows, and long in one direction.
static mat3 hard_case(const float a[9], int kind)
{
    mat3 m = matrix_of(a);
    switch (kind) {
    case 1: return mat3_of_rows(mat3_row(m, 0), mat3_row(m, 1), mat3_row(m, 0));
    case 2: return vec3_outer(mat3_row(m, 0), mat3_row(m, 1));
    case 3: return mat3_scale(m, 0);
    case 4: return mat3_identity();
    case 5: return mat3_mul(m, mat3_diagonal(vec3_of(1e4f, 1, 1e-4f)));
    case 6: return mat3_diagonal(vec3_of(-2, a[0], 2));
    default: return m;
    }
}

// run: decompositions n=280 returns=0
kernel int decompositions(int n, const float a[n][9], float out[n][8])
{
    int bad = 0;
    for (int i = 0; i < n; i++) {
        mat3 m = hard_case(a[i], i % 7);
        svd3 r = mat3_svd(m);
        float error = svd_error(m, r);
        bad += !(error < 4e-5f) || r.s.x < r.s.y || r.s.y < r.s.z || r.s.z < 0;
        mat3 symmetric = mat3_add(m, mat3_transpose(m));
        eigen3 e = mat3_eigen(symmetric);
        mat3 again = mat3_mul(e.vectors, mat3_mul(mat3_diagonal(e.values), mat3_transpose(e.vectors)));
        float size = 1 + vec3_length(e.values), distance = 0;
        for (int k = 0; k < 9; k++) {
            distance += fabsf(again.m[k / 3][k % 3] - symmetric.m[k / 3][k % 3]);
        }
        bad += !(distance < 1e-5f * size) || e.values.x < e.values.y || e.values.y < e.values.z;
        out[i][0] = r.s.x;
        out[i][1] = r.s.y;
        out[i][2] = r.s.z;
        out[i][3] = e.values.x;
        out[i][4] = e.values.y;
        out[i][5] = e.values.z;
        mat2 two = mat2_of_rows(vec2_of(m.m[0][0], m.m[0][1]), vec2_of(m.m[1][0], m.m[1][1]));
        svd2 t = mat2_svd(two);
        mat2 put = mat2_sub(mat2_mul(t.u, mat2_mul(mat2_diagonal(t.s), mat2_transpose(t.v))), two);
        out[i][6] = t.s.x + t.s.y;
        bad +=
            !(fabsf(put.m[0][0]) + fabsf(put.m[1][0]) + fabsf(put.m[0][1]) + fabsf(put.m[1][1]) < 1e-5f * (1 + t.s.x));
        eigen2 f = mat2_eigen(mat2_add(two, mat2_transpose(two)));
        out[i][7] = f.values.x * f.values.y;
    }
    return bad;
}

// run: doubled n=70 returns=0
kernel int doubled(int n, const double a[n][9], double out[n][3])
{
    int bad = 0;
    for (int i = 0; i < n; i++) {
        dmat3 m = {{{a[i][0], a[i][1], a[i][2]}, {a[i][3], a[i][4], a[i][5]}, {a[i][6], a[i][7], a[i][8]}}};
        dsvd3 r = dmat3_svd(m);
        dmat3 d = dmat3_sub(dmat3_mul(r.u, dmat3_mul(dmat3_diagonal(r.s), dmat3_transpose(r.v))), m);
        double error = 0;
        for (int k = 0; k < 9; k++) {
            error += fabs(d.m[k / 3][k % 3]);
        }
        bad += !(error < 1e-14 * (1 + r.s.x));
        out[i][0] = r.s.x;
        out[i][1] = r.s.y;
        out[i][2] = r.s.z;
    }
    return bad;
}

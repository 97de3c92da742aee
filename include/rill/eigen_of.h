// The decompositions of rill/vec.h for one element type: mat_of.h includes it.
#ifdef RILL_T

// ---- decompositions ------------------------------------------------------------------------------------------------

// Eigenvalues of a symmetric matrix, the largest first, and the eigenvectors of length 1: the columns of |vectors|.
typedef struct RILL_NAME(eigen2) {
    RILL_NAME(vec2) values;
    RILL_NAME(mat2) vectors;
} RILL_NAME(eigen2);

// a = u * diagonal(s) * transpose(v), with u and v orthogonal (either may reflect) and s >= 0, the largest first.
typedef struct RILL_NAME(svd2) {
    RILL_NAME(mat2) u;
    RILL_NAME(vec2) s;
    RILL_NAME(mat2) v;
} RILL_NAME(svd2);

// Turns columns p and q.
static inline void RILL_NAME(mat2_turn_)(RILL_NAME(mat2) * a, int p, int q, RILL_T c, RILL_T s)
{
    for (int k = 0; k < 2; k++) {
        RILL_T x = a->m[k][p], y = a->m[k][q];
        a->m[k][p] = c * x - s * y;
        a->m[k][q] = s * x + c * y;
    }
}

// Exchanges columns p and q, and their values, if they stand in the wrong order.
static inline void RILL_NAME(mat2_order_)(RILL_NAME(mat2) * a, RILL_NAME(mat2) * b, RILL_T *values, int p, int q)
{
    if (values[p] < values[q]) {
        RILL_T value = values[p];
        values[p] = values[q];
        values[q] = value;
        for (int k = 0; k < 2; k++) {
            RILL_T x = a->m[k][p], y = b->m[k][p];
            a->m[k][p] = a->m[k][q];
            a->m[k][q] = x;
            b->m[k][p] = b->m[k][q];
            b->m[k][q] = y;
        }
    }
}

// One rotation of Jacobi's method: a->m[p][q] becomes 0. Whether it had to.
static inline int RILL_NAME(mat2_clear_)(RILL_NAME(mat2) * a, RILL_NAME(mat2) * v, int p, int q)
{
    RILL_T off = a->m[p][q];
    RILL_T size = RILL_MATH(fabs)(a->m[p][p]) + RILL_MATH(fabs)(a->m[q][q]);
    if (off == 0 || RILL_MATH(fabs)(off) < RILL_EPSILON * (RILL_T)0.01 * size) {
        return 0;
    }
    RILL_T theta = (a->m[q][q] - a->m[p][p]) / (2 * off);
    RILL_T t = RILL_MATH(copysign)(1, theta) / (RILL_MATH(fabs)(theta) + RILL_MATH(sqrt)(1 + theta * theta));
    RILL_T c = 1 / RILL_MATH(sqrt)(1 + t * t), s = c * t;
    RILL_NAME(mat2_turn_)(a, p, q, c, s);
    for (int k = 0; k < 2; k++) {
        RILL_T x = a->m[p][k], y = a->m[q][k];
        a->m[p][k] = c * x - s * y;
        a->m[q][k] = s * x + c * y;
    }
    a->m[p][q] = a->m[q][p] = 0;
    RILL_NAME(mat2_turn_)(v, p, q, c, s);
    return 1;
}

// Only the upper half of |a| counts, mirrored. Jacobi's method, to the last bits.
static inline RILL_NAME(eigen2) RILL_NAME(mat2_eigen)(RILL_NAME(mat2) a)
{
    RILL_NAME(mat2) v = RILL_NAME(mat2_identity)();
    a.m[1][0] = a.m[0][1];
    for (int sweep = 0; sweep < 16; sweep++) {
        int turned = RILL_NAME(mat2_clear_)(&a, &v, 0, 1);
        if (turned == 0) {
            break;
        }
    }
    RILL_T values[2] = {a.m[0][0], a.m[1][1]};
    RILL_NAME(mat2_order_)(&v, &a, values, 0, 1);
    RILL_NAME(eigen2) r = {{values[0], values[1]}, v};
    return r;
}

// One rotation of the one-sided method: columns p and q become orthogonal. Whether they had to.
static inline int RILL_NAME(mat2_part_)(RILL_NAME(mat2) * a, RILL_NAME(mat2) * v, int p, int q)
{
    RILL_T pp = 0, qq = 0, pq = 0;
    for (int k = 0; k < 2; k++) {
        pp += a->m[k][p] * a->m[k][p];
        qq += a->m[k][q] * a->m[k][q];
        pq += a->m[k][p] * a->m[k][q];
    }
    if (pq == 0 || RILL_MATH(fabs)(pq) <= RILL_EPSILON * RILL_MATH(sqrt)(pp) * RILL_MATH(sqrt)(qq)) {
        return 0;
    }
    RILL_T theta = (qq - pp) / (2 * pq);
    RILL_T t = RILL_MATH(copysign)(1, theta) / (RILL_MATH(fabs)(theta) + RILL_MATH(sqrt)(1 + theta * theta));
    RILL_T c = 1 / RILL_MATH(sqrt)(1 + t * t);
    RILL_NAME(mat2_turn_)(a, p, q, c, c * t);
    RILL_NAME(mat2_turn_)(v, p, q, c, c * t);
    return 1;
}

static inline RILL_NAME(svd2) RILL_NAME(mat2_svd)(RILL_NAME(mat2) a)
{
    RILL_NAME(mat2) v = RILL_NAME(mat2_identity)();
    for (int sweep = 0; sweep < 16; sweep++) {
        int turned = RILL_NAME(mat2_part_)(&a, &v, 0, 1);
        if (turned == 0) {
            break;
        }
    }
    RILL_T values[2] = {RILL_NAME(vec2_length)(RILL_NAME(mat2_column)(a, 0)),
                        RILL_NAME(vec2_length)(RILL_NAME(mat2_column)(a, 1))};
    RILL_NAME(mat2_order_)(&v, &a, values, 0, 1);
    RILL_NAME(vec2) first = RILL_NAME(vec2_of)(1, 0);
    if (values[0] > 0) {
        first = RILL_NAME(vec2_scale)(RILL_NAME(mat2_column)(a, 0), 1 / values[0]);
    }
    RILL_NAME(vec2) second = RILL_NAME(vec2_of)(-first.y, first.x);
    if (values[1] > RILL_EPSILON * values[0]) {
        second = RILL_NAME(vec2_scale)(RILL_NAME(mat2_column)(a, 1), 1 / values[1]);
    }
    RILL_NAME(svd2) r = {RILL_NAME(mat2_of_columns)(first, second), {values[0], values[1]}, v};
    return r;
}

// Eigenvalues of a symmetric matrix, the largest first, and the eigenvectors of length 1: the columns of |vectors|.
typedef struct RILL_NAME(eigen3) {
    RILL_NAME(vec3) values;
    RILL_NAME(mat3) vectors;
} RILL_NAME(eigen3);

// a = u * diagonal(s) * transpose(v), with u and v orthogonal (either may reflect) and s >= 0, the largest first.
typedef struct RILL_NAME(svd3) {
    RILL_NAME(mat3) u;
    RILL_NAME(vec3) s;
    RILL_NAME(mat3) v;
} RILL_NAME(svd3);

// Turns columns p and q.
static inline void RILL_NAME(mat3_turn_)(RILL_NAME(mat3) * a, int p, int q, RILL_T c, RILL_T s)
{
    for (int k = 0; k < 3; k++) {
        RILL_T x = a->m[k][p], y = a->m[k][q];
        a->m[k][p] = c * x - s * y;
        a->m[k][q] = s * x + c * y;
    }
}

// Exchanges columns p and q, and their values, if they stand in the wrong order.
static inline void RILL_NAME(mat3_order_)(RILL_NAME(mat3) * a, RILL_NAME(mat3) * b, RILL_T *values, int p, int q)
{
    if (values[p] < values[q]) {
        RILL_T value = values[p];
        values[p] = values[q];
        values[q] = value;
        for (int k = 0; k < 3; k++) {
            RILL_T x = a->m[k][p], y = b->m[k][p];
            a->m[k][p] = a->m[k][q];
            a->m[k][q] = x;
            b->m[k][p] = b->m[k][q];
            b->m[k][q] = y;
        }
    }
}

// One rotation of Jacobi's method: a->m[p][q] becomes 0. Whether it had to.
static inline int RILL_NAME(mat3_clear_)(RILL_NAME(mat3) * a, RILL_NAME(mat3) * v, int p, int q)
{
    RILL_T off = a->m[p][q];
    RILL_T size = RILL_MATH(fabs)(a->m[p][p]) + RILL_MATH(fabs)(a->m[q][q]);
    if (off == 0 || RILL_MATH(fabs)(off) < RILL_EPSILON * (RILL_T)0.01 * size) {
        return 0;
    }
    RILL_T theta = (a->m[q][q] - a->m[p][p]) / (2 * off);
    RILL_T t = RILL_MATH(copysign)(1, theta) / (RILL_MATH(fabs)(theta) + RILL_MATH(sqrt)(1 + theta * theta));
    RILL_T c = 1 / RILL_MATH(sqrt)(1 + t * t), s = c * t;
    RILL_NAME(mat3_turn_)(a, p, q, c, s);
    for (int k = 0; k < 3; k++) {
        RILL_T x = a->m[p][k], y = a->m[q][k];
        a->m[p][k] = c * x - s * y;
        a->m[q][k] = s * x + c * y;
    }
    a->m[p][q] = a->m[q][p] = 0;
    RILL_NAME(mat3_turn_)(v, p, q, c, s);
    return 1;
}

// Only the upper half of |a| counts, mirrored. Jacobi's method, to the last bits.
static inline RILL_NAME(eigen3) RILL_NAME(mat3_eigen)(RILL_NAME(mat3) a)
{
    RILL_NAME(mat3) v = RILL_NAME(mat3_identity)();
    a.m[1][0] = a.m[0][1];
    a.m[2][0] = a.m[0][2];
    a.m[2][1] = a.m[1][2];
    for (int sweep = 0; sweep < 16; sweep++) {
        int turned = RILL_NAME(mat3_clear_)(&a, &v, 0, 1);
        turned += RILL_NAME(mat3_clear_)(&a, &v, 0, 2);
        turned += RILL_NAME(mat3_clear_)(&a, &v, 1, 2);
        if (turned == 0) {
            break;
        }
    }
    RILL_T values[3] = {a.m[0][0], a.m[1][1], a.m[2][2]};
    RILL_NAME(mat3_order_)(&v, &a, values, 0, 1);
    RILL_NAME(mat3_order_)(&v, &a, values, 0, 2);
    RILL_NAME(mat3_order_)(&v, &a, values, 1, 2);
    RILL_NAME(eigen3) r = {{values[0], values[1], values[2]}, v};
    return r;
}

// One rotation of the one-sided method: columns p and q become orthogonal. Whether they had to.
static inline int RILL_NAME(mat3_part_)(RILL_NAME(mat3) * a, RILL_NAME(mat3) * v, int p, int q)
{
    RILL_T pp = 0, qq = 0, pq = 0;
    for (int k = 0; k < 3; k++) {
        pp += a->m[k][p] * a->m[k][p];
        qq += a->m[k][q] * a->m[k][q];
        pq += a->m[k][p] * a->m[k][q];
    }
    if (pq == 0 || RILL_MATH(fabs)(pq) <= RILL_EPSILON * RILL_MATH(sqrt)(pp) * RILL_MATH(sqrt)(qq)) {
        return 0;
    }
    RILL_T theta = (qq - pp) / (2 * pq);
    RILL_T t = RILL_MATH(copysign)(1, theta) / (RILL_MATH(fabs)(theta) + RILL_MATH(sqrt)(1 + theta * theta));
    RILL_T c = 1 / RILL_MATH(sqrt)(1 + t * t);
    RILL_NAME(mat3_turn_)(a, p, q, c, c * t);
    RILL_NAME(mat3_turn_)(v, p, q, c, c * t);
    return 1;
}

// Of length 1, as |a| has: the axis that is furthest from it, made perpendicular.
static inline RILL_NAME(vec3) RILL_NAME(vec3_perpendicular)(RILL_NAME(vec3) a)
{
    RILL_NAME(vec3) size = RILL_NAME(vec3_abs)(a);
    RILL_NAME(vec3) x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    RILL_NAME(vec3) axis = size.x <= size.y && size.x <= size.z ? x : size.y <= size.z ? y : z;
    return RILL_NAME(vec3_normalize)(RILL_NAME(vec3_cross)(a, axis));
}

static inline RILL_NAME(svd3) RILL_NAME(mat3_svd)(RILL_NAME(mat3) a)
{
    RILL_NAME(mat3) v = RILL_NAME(mat3_identity)();
    for (int sweep = 0; sweep < 16; sweep++) {
        int turned = RILL_NAME(mat3_part_)(&a, &v, 0, 1);
        turned += RILL_NAME(mat3_part_)(&a, &v, 0, 2);
        turned += RILL_NAME(mat3_part_)(&a, &v, 1, 2);
        if (turned == 0) {
            break;
        }
    }
    RILL_T values[3] = {RILL_NAME(vec3_length)(RILL_NAME(mat3_column)(a, 0)),
                        RILL_NAME(vec3_length)(RILL_NAME(mat3_column)(a, 1)),
                        RILL_NAME(vec3_length)(RILL_NAME(mat3_column)(a, 2))};
    RILL_NAME(mat3_order_)(&v, &a, values, 0, 1);
    RILL_NAME(mat3_order_)(&v, &a, values, 0, 2);
    RILL_NAME(mat3_order_)(&v, &a, values, 1, 2);
    RILL_NAME(vec3) first = RILL_NAME(vec3_of)(1, 0, 0);
    if (values[0] > 0) {
        first = RILL_NAME(vec3_scale)(RILL_NAME(mat3_column)(a, 0), 1 / values[0]);
    }
    RILL_NAME(vec3) second = RILL_NAME(vec3_perpendicular)(first);
    if (values[1] > RILL_EPSILON * values[0]) {
        second = RILL_NAME(vec3_scale)(RILL_NAME(mat3_column)(a, 1), 1 / values[1]);
    }
    RILL_NAME(vec3) third = RILL_NAME(vec3_cross)(first, second);
    if (values[2] > 0 && RILL_NAME(vec3_dot)(third, RILL_NAME(mat3_column)(a, 2)) < 0) {
        third = RILL_NAME(vec3_neg)(third);
    }
    RILL_NAME(svd3) r = {RILL_NAME(mat3_of_columns)(first, second, third), {values[0], values[1], values[2]}, v};
    return r;
}

#endif

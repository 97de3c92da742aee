"""Decompositions of small matrices, as functions that kernels call, and the host too: svd, sym_eig, polar_decompose, solve."""
from rill.quadrants.lang import kernel as names
from rill.quadrants.lang.kernel import func, static
from rill.quadrants.lang.matrix import Matrix, Vector

sqrt, abs, cast, max = names.sqrt, names.abs, names.cast, names.max
_SWEEPS = 8  # of rotations: they converge quadratically, and three or four are enough
_PAIRS = {n: tuple((p, q) for p in range(n) for q in range(p + 1, n)) for n in range(2, 7)}


@func
def _as(A, dt):
    """A as real numbers, of type dt if one is given."""
    if static(dt is None):
        return A * 1.0
    else:
        return cast(A, dt)


@func
def _unit(A):
    """The identity, of elements as those of A."""
    E = A * 0
    for i in static(range(A.n)):
        E[i, i] += 1
    return E


@func
def _rotation(alpha, beta, gamma):
    """Cosine and sine of the angle that makes [[alpha, gamma], [gamma, beta]] diagonal."""
    c = gamma * 0 + 1
    s = gamma * 0
    if gamma != 0:
        zeta = (beta - alpha) / (2 * gamma)
        t = 1 / (abs(zeta) + sqrt(1 + zeta * zeta))
        if zeta < 0:
            t = -t
        c = 1 / sqrt(1 + t * t)
        s = c * t
    return c, s


@func
def _turn(A, p, q, c, s):
    """A with its columns p and q turned."""
    T = A
    for i in static(range(A.n)):
        T[i, p] = c * A[i, p] - s * A[i, q]
        T[i, q] = s * A[i, p] + c * A[i, q]
    return T


@func
def _eigen(A):
    D = A
    V = _unit(A)
    for _ in range(_SWEEPS):
        for p, q in static(_PAIRS[A.n]):
            c, s = _rotation(D[p, p], D[q, q], D[p, q])
            D = _turn(_turn(D, p, q, c, s).transpose(), p, q, c, s)
            V = _turn(V, p, q, c, s)
    for p, q in static(_PAIRS[A.n]):
        if D[p, p] > D[q, q]:
            larger = D[p, p]
            D[p, p] = D[q, q]
            D[q, q] = larger
            V = _turn(V, p, q, 0, 1)
    return Vector([D[i, i] for i in static(range(A.n))]), V


@func
def sym_eig(A, dt=None):
    """Eigenvalues, the smallest first, and as columns eigenvectors of a symmetric matrix of two to six rows."""
    return _eigen(_as(A, dt))


@func
def _columns(A):
    """A @ V with columns at right angles, the longest first, and the rotation V."""
    B = A
    V = _unit(A)
    for _ in range(_SWEEPS):
        for p, q in static(_PAIRS[A.n]):
            alpha = B[0, p] * 0
            beta, gamma = alpha, alpha
            for i in static(range(A.n)):
                alpha += B[i, p] * B[i, p]
                beta += B[i, q] * B[i, q]
                gamma += B[i, p] * B[i, q]
            c, s = _rotation(alpha, beta, gamma)
            B = _turn(B, p, q, c, s)
            V = _turn(V, p, q, c, s)
    for p, q in static(_PAIRS[A.n]):
        alpha = B[0, p] * 0
        for i in static(range(A.n)):
            alpha += B[i, q] * B[i, q] - B[i, p] * B[i, p]
        if alpha > 0:
            B = _turn(B, p, q, 0, 1)
            V = _turn(V, p, q, 0, 1)
    return B, V


@func
def _svd2(A):
    B, V = _columns(A)
    x, y = B[0, 0], B[1, 0]
    first = sqrt(x * x + y * y)
    if first > 0:
        x /= first
        y /= first
    else:
        x += 1
    second = x * B[1, 1] - y * B[0, 1]
    sign = x * 0 + 1
    if second < 0:
        sign = -sign
    return Matrix([[x, -y * sign], [y, x * sign]]), Matrix([[first, x * 0], [x * 0, second * sign]]), V


@func
def _perpendicular(u):
    """A vector of length 1 at a right angle to u."""
    v = Vector([-u[1], u[0], u[0] * 0])
    if abs(u[2]) > 0.7:
        v = Vector([u[0] * 0, -u[2], u[1]])
    return v.normalized()


@func
def _svd3(A):
    B, V = _columns(A)
    u = Vector([B[0, 0], B[1, 0], B[2, 0]])
    first = u.norm()
    if first > 0:
        u = u / first
    else:
        u[0] += 1
    v = Vector([B[0, 1], B[1, 1], B[2, 1]])
    v = v - u * u.dot(v)
    second = v.norm()
    if second > first * 1e-7:
        v = v / second
    else:
        v = _perpendicular(u)
    w = u.cross(v)
    third = w.dot(Vector([B[0, 2], B[1, 2], B[2, 2]]))
    zero = first * 0
    U = Matrix([[u[0], v[0], w[0]], [u[1], v[1], w[1]], [u[2], v[2], w[2]]])
    return U, Matrix([[first, zero, zero], [zero, second, zero], [zero, zero, third]]), V


@func
def svd(A, dt=None):
    """U, S and V of A == U @ S @ V.transpose(), of two or three rows, the largest singular value first. Of three rows U and V are
    rotations, and the last singular value has the sign of the determinant."""
    if static(A.n == 2):
        return _svd2(_as(A, dt))
    else:
        return _svd3(_as(A, dt))


@func
def polar_decompose(A, dt=None):
    """U, orthogonal, and P, symmetric, of A == U @ P, of two or three rows."""
    U, S, V = svd(A, dt)
    return U @ V.transpose(), V @ S @ V.transpose()


@func
def make_spd(A, dt=None):
    """The positive semi-definite matrix that is closest to a symmetric one."""
    values, Q = sym_eig(A, dt)
    S = A * 0.0 * values[0]
    for i in static(range(A.n)):
        S[i, i] = max(values[i], 0)
    return Q @ S @ Q.transpose()


@func
def solve(A, b, dt=None):
    """x of A @ x == b, of two or three rows. A singular matrix fails the kernel."""
    M = _as(A, dt)
    assert M.determinant() != 0, "Matrix is singular in linear solve."
    return M.inverse() @ _as(b, dt)

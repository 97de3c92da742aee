"""Functions and statements that programs for Quadrants and Taichi have beside the arithmetic of numbers and vectors."""
import os

import pytest

import rill
import rill.quadrants as qd

np = pytest.importorskip("numpy")
ARCH = getattr(qd, os.environ.get("RILL_TEST_DEVICE", "cpu").partition(":")[0])


@pytest.fixture(autouse=True)
def session():
    qd.init(arch=ARCH)
    yield
    qd.reset()


def matrices(n):
    """Random ones, 0, of rank 1, the identity, one with two equal columns."""
    a = np.random.default_rng(7).normal(size=(12, n, n))
    a[1], a[2], a[3] = 0, np.outer(range(1, n + 1), np.ones(n)), np.eye(n)
    a[4][:, -1] = a[4][:, 0]
    return a


@pytest.mark.parametrize("n, dtype, near", [(2, "f32", 2e-6), (2, "f64", 1e-13), (3, "f32", 5e-6), (3, "f64", 1e-13)])
def test_decompositions(n, dtype, near):
    kind = getattr(qd, dtype)
    A, R, P, S, U, G = (qd.Matrix.field(n, n, kind, 12) for _ in range(6))
    E = qd.Vector.field(n, kind, 12)
    a = matrices(n)
    A.from_numpy(a)

    @qd.kernel
    def decompose():
        for i in A:
            u, s, v = qd.svd(A[i])
            R[i], S[i], U[i] = u @ s @ v.transpose(), s, u.transpose() @ u
            q, p = qd.polar_decompose(A[i])
            P[i] = q @ p
            b = A[i] + A[i].transpose()
            e, w = qd.sym_eig(b, kind)
            d = qd.zero(b)
            for k in qd.static(range(A.n)):
                d[k, k] = e[k]
            G[i], E[i] = w @ d @ w.transpose(), e

    decompose()
    a = A.to_numpy()
    assert abs(R.to_numpy() - a).max() < near and abs(P.to_numpy() - a).max() < near
    assert abs(U.to_numpy() - np.eye(n)).max() < near
    s = np.einsum("ijj->ij", S.to_numpy())
    assert abs(abs(s) - np.linalg.svd(a)[1]).max() < near
    b = a + a.transpose(0, 2, 1)
    assert abs(G.to_numpy() - b).max() < 2 * near and abs(E.to_numpy() - np.linalg.eigvalsh(b)).max() < 2 * near


def test_systems_are_solved():
    x = qd.Vector.field(3, qd.f64, 2)

    @qd.kernel
    def solve():
        A = qd.Matrix([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]], qd.f64)
        x[0] = qd.solve(A, qd.Vector([1.0, 2, 3], qd.f64), qd.f64)
        x[1] = qd.make_spd(A) @ x[0]

    solve()
    assert np.allclose(x.to_numpy(), [np.linalg.solve([[2, 1, 0], [1, 3, 1], [0, 1, 4]], [1, 2, 3]), [1, 2, 3]])


def test_complex_numbers_and_angles():
    out = qd.Vector.field(2, qd.f32, 9)
    m = qd.Matrix.field(4, 4, qd.f32, 3)
    z, w = 1.5 - 2j, -0.5 + 1j

    @qd.kernel
    def compute():
        a, b = qd.math.vec2(1.5, -2), qd.math.vec2(-0.5, 1)
        out[0] = qd.math.cmul(a, b)
        out[1] = qd.math.cdiv(a, b)
        out[2] = qd.math.cinv(a)
        out[3] = qd.math.csqrt(a)
        out[4] = qd.math.cpow(a, 3)
        out[5] = qd.math.cexp(a)
        out[6] = qd.math.clog(a)
        out[7] = qd.math.cconj(a)
        out[8] = qd.math.rotation2d(0.5) @ qd.math.vdir(0.25)
        m[0] = qd.math.rotation3d(0.52, -0.785, 1.046)
        m[1] = qd.math.translate(1, 2, 3) @ qd.math.scale(2, 3, 4)
        m[2] = qd.math.rot_by_axis(qd.math.vec3(0, 0, 2), 0.5)

    compute()
    wanted = [z * w, z / w, 1 / z, z ** 0.5, z ** 3, np.exp(z), np.log(z), np.conj(z), np.exp(0.75j)]
    assert np.allclose(out.to_numpy(), [[c.real, c.imag] for c in wanted], atol=1e-5)
    turned = m.to_numpy()
    assert np.allclose(turned[0, :3, :3] @ turned[0, :3, :3].T, np.eye(3), atol=1e-6)
    assert np.allclose(turned[0, 0, :3], [0.05048351, -0.61339645, -0.78816002], atol=1e-6)
    assert np.allclose(turned[1] @ [1, 1, 1, 1], [3, 5, 7, 1]) and turned[2, 2, 2] == pytest.approx(1)


def test_functions_of_numbers():
    out, whole = qd.field(qd.f32, 12), qd.field(qd.i32, 10)

    @qd.kernel
    def compute(x: qd.f32, n: qd.i32):
        out[0] = qd.math.clamp(x, 0.0, 1.0)
        out[1] = qd.math.mix(1.0, 3.0, x)
        out[2] = qd.math.fract(x)
        out[3] = qd.math.smoothstep(0.0, 5.0, x)
        out[4] = qd.math.step(2.0, x)
        out[5] = qd.math.mod(-x, 2.0)
        out[6] = qd.floor(x) / 2
        out[7] = qd.round(x) / 2
        out[8] = qd.zero(x) + qd.one(x)
        out[9] = qd.math.clamp(qd.math.vec2(x, -x), 0.0, 1.0).y + qd.math.degrees(qd.math.vec2(x, x)).x
        out[10] = qd.math.isnan(x)
        out[11] = qd.ceil(x)
        whole[0] = qd.raw_div(n, 2)
        whole[1] = n // 2
        whole[2] = qd.raw_mod(n, 4)
        whole[3] = n % 4
        whole[4] = qd.bit_shr(n, 28)
        whole[5] = qd.math.popcnt(n)
        whole[6] = qd.math.clz(n + 8)
        whole[7] = qd.round(x, dtype=qd.i32)
        whole[8] = qd.floor(-x, qd.i32)
        whole[9] = qd.math.clz(n * 0)

    compute(2.75, -7)
    assert np.allclose(out.to_numpy(), [1, 6.5, 0.75, 0.57475, 1, 1.25, 1, 1.5, 1, np.degrees(2.75), 0, 3])
    assert whole.to_numpy().tolist() == [-3, -4, -3, 1, 15, 30, 31, 3, -3, 32]


def test_statements():
    x, y, n = qd.field(qd.f32, (3, 4)), qd.Vector.field(2, qd.f32, 5), qd.field(qd.i32, 4)

    @qd.kernel
    def run():
        x.fill(2.5)
        y.fill(1)
        for I in qd.grouped(qd.ndrange(3, 4)):
            x[I] += I[0] * 10 + I.y
        for i, j in qd.ndrange(*[[1, 3]] * 2):
            x[i, j] = -1
        for d in range(3):  # another d than the one of the loop that is unrolled
            e = d + 1
            y[d] += e
        for d in qd.static(range(2)):
            y[4][d] = d + 10
        n[0] = (k := 3 * n[1] + 5)
        n[2] = k + 1
        qd.static_assert(x.shape[0] == 3, "the shape")

    run()
    wanted = 2.5 + 10 * np.arange(3)[:, None] + np.arange(4)
    wanted[1:3, 1:3] = -1
    assert (x.to_numpy() == wanted).all()
    assert y.to_numpy().tolist() == [[2, 2], [3, 3], [4, 4], [1, 1], [10, 11]] and n.to_numpy().tolist() == [5, 0, 6, 0]


def test_blocks_have_names_of_their_own():
    x, y, z = qd.Vector.field(2, qd.f32, 4), qd.Vector.field(3, qd.f32, 4), qd.field(qd.i32, 4)

    @qd.kernel
    def run():
        for i in x:
            v = qd.Vector([i, i + 0.5])
            x[i] = v
        for i in y:
            v = qd.Vector([i, 1.0, 2.0])
            v[1] += 1
            y[i] = v
        for i in z:
            v = i + 1
            z[i] = v

    run()
    assert y[3].tolist() == [3, 2, 2] and x[3].tolist() == [3, 3.5] and z.to_numpy().tolist() == [1, 2, 3, 4]


def test_atomics_of_locals():
    x, first = qd.field(qd.i32, 100), qd.field(qd.i32, 100)

    @qd.kernel
    def run() -> qd.i32:
        total, most = 0, 0
        for i in x:
            x[i] = i
        for i in x:
            qd.atomic_add(total, x[i])
            qd.atomic_max(most, x[i])
        for i in x:
            n = 0
            for k in range(i):
                old = qd.atomic_add(n, 2)
                if k == 3:
                    first[i] = old
        return total + most

    assert run() == 4950 + 99
    assert first.to_numpy().tolist() == [0] * 4 + [6] * 96


def test_lists_of_vectors_take_any_index():
    x = qd.field(qd.f32, (3, 2))

    @qd.kernel
    def run():
        w = [qd.Vector([1.0, 2.0]), qd.Vector([3.0, 4.0]), qd.Vector([5.0, 6.0])]
        for i, j in x:
            x[i, j] = w[i][j]

    run()
    assert x.to_numpy().tolist() == [[1, 2], [3, 4], [5, 6]]


def test_functions_as_arguments():
    x = qd.field(qd.f32, 3)

    @qd.func
    def twice(v):
        return 2 * v

    @qd.func
    def apply(f: qd.template(), v, dt=None):
        if qd.static(dt is None):
            return f(v)
        else:
            return qd.cast(f(v), dt)

    @qd.kernel
    def run():
        for i in x:
            x[i] = apply(twice, i + 0.5) + apply(twice, 0.75, qd.i32)

    run()
    assert x.to_numpy().tolist() == [2, 4, 6]


def test_what_is_said_of_others():
    for name, words in {"GUI": "windows", "svd_": "docs/python.md", "simt": "warps", "activate": "sparse", "linalg": "SciPy"}.items():
        with pytest.raises(AttributeError, match=f"no '{name}': .*{words}"):
            getattr(qd, name)
    with pytest.raises(rill.Error, match="no back end for 'vulkan'"):
        qd.init(arch=qd.vulkan)

    @qd.kernel
    def late(n: qd.i32) -> qd.i32:
        k = 0
        if n > 2 and (k := n) > 1:
            k += 1
        return k

    with pytest.raises(rill.ScriptError, match="in a statement of its own"):
        late(3)

    @qd.kernel
    def asserted():
        qd.static_assert(1 + 1 == 3, "no such sum")

    with pytest.raises(rill.ScriptError, match="no such sum"):
        asserted()

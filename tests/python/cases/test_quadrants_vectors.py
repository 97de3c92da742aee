"""rill.quadrants: vectors, matrices and random numbers, in kernels, in fields and on the host."""
import os

import pytest

import rill
import rill.quadrants as qd
from rill.quadrants.math import mat3, vec2, vec3

numpy = pytest.importorskip("numpy")
ARCH = os.environ.get("RILL_TEST_DEVICE", "cpu")
N = 40


@pytest.fixture(autouse=True)
def program():
    qd.init(arch=ARCH, random_seed=3)
    yield
    qd.reset()


def field_of(values, shape=None, dtype=qd.f32):
    """A field of vectors, or of matrices, of these values."""
    values = numpy.asarray(values)
    inner = values.shape[1:]
    made = (qd.Vector if len(inner) == 1 else qd.Matrix).field(*inner, dtype, values.shape[0])
    made.from_numpy(values)
    return made


def draw(*shape):
    return numpy.random.default_rng(5).random(shape) + 0.5


def test_arithmetic_is_by_elements():
    a, b = draw(N, 3), draw(N, 3) - 0.7
    x, y, out = field_of(a), field_of(b), qd.Vector.field(3, float, (N, 8))
    low = qd.Vector([0.9, 1.0, 1.1])

    @qd.kernel
    def run(k: float):
        for i in x:
            p, q = x[i], y[i]
            out[i, 0] = 2 * p - q / k + 1
            out[i, 1] = -p * q
            out[i, 2] = p ** 2 + q % 1
            out[i, 3] = qd.max(p, low) + qd.min(q, 0)
            out[i, 4] = qd.sqrt(p) * qd.sin(q) + abs(q)
            out[i, 5] = int(p * 10) + qd.floor(q)
            out[i, 6] = [p.x, q[1], p.z + q[0]]
            r = p
            r += q
            r *= 2
            r.y = 7
            r[2] -= 1
            out[i, 7] = r

    run(3.0)
    got = out.to_numpy()
    last = (a + b) * 2
    last[:, 1], last[:, 2] = 7, last[:, 2] - 1
    want = [2 * a - b / 3 + 1, -a * b, a ** 2 + b % 1, numpy.maximum(a, [0.9, 1, 1.1]) + numpy.minimum(b, 0),
            numpy.sqrt(a) * numpy.sin(b) + abs(b), (a * 10).astype(int) + numpy.floor(b),
            numpy.stack([a[:, 0], b[:, 1], a[:, 2] + b[:, 0]], 1), last]
    for k, values in enumerate(want):
        numpy.testing.assert_allclose(got[:, k], values, rtol=2e-5, atol=1e-5, err_msg=str(k))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_matrices(n):
    a, b, v = draw(N, n, n) + 2 * numpy.eye(n), draw(N, n, n), draw(N, n)
    x, y, u = field_of(a, dtype=qd.f64), field_of(b, dtype=qd.f64), field_of(v, dtype=qd.f64)
    product, inverse, outer = (qd.Matrix.field(n, n, qd.f64, N) for _ in range(3))
    image, numbers = qd.Vector.field(n, qd.f64, N), qd.field(qd.f64, (N, 4))

    @qd.kernel
    def run():
        for i in x:
            product[i] = x[i] @ y[i].transpose() + qd.Matrix.identity(qd.f64, n)
            inverse[i] = x[i].inverse()
            outer[i] = u[i].outer_product(x[i] @ u[i])
            image[i] = x[i] @ u[i]
            numbers[i, 0] = x[i].determinant()
            numbers[i, 1] = x[i].trace() + x[i][0, n - 1]
            numbers[i, 2] = x[i].sum()
            numbers[i, 3] = y[i].max() - y[i].min()

    run()
    close = {"rtol": 1e-9}
    numpy.testing.assert_allclose(product.to_numpy(), a @ b.transpose(0, 2, 1) + numpy.eye(n), **close)
    numpy.testing.assert_allclose(inverse.to_numpy(), numpy.linalg.inv(a), rtol=1e-8, atol=1e-12)
    numpy.testing.assert_allclose(image.to_numpy(), numpy.einsum("ijk,ik->ij", a, v), **close)
    numpy.testing.assert_allclose(outer.to_numpy(), v[:, :, None] * numpy.einsum("ijk,ik->ij", a, v)[:, None, :], **close)
    want = numpy.stack([numpy.linalg.det(a), numpy.trace(a, axis1=1, axis2=2) + a[:, 0, n - 1], a.sum((1, 2)),
                        b.max((1, 2)) - b.min((1, 2))], 1)
    numpy.testing.assert_allclose(numbers.to_numpy(), want, **close)


def test_lengths_products_and_parts():
    a, b = draw(N, 3), draw(N, 3)
    x, y, out = field_of(a), field_of(b), qd.field(float, (N, 6))

    @qd.func
    def closer(p, q: vec3):
        return (p - q).norm(), p.dot(q)

    @qd.kernel
    def run():
        for i in x:
            distance, dot = closer(x[i], y[i])
            out[i, 0] = distance
            out[i, 1] = dot - x[i].norm_sqr()
            out[i, 2] = x[i].cross(y[i]).sum()
            out[i, 3] = x[i].normalized().dot(y[i].xy.normalized()[0] * vec3(1, 0, 0))
            out[i, 4] = vec3(x[i].zx, 2).max()
            s = 0.0
            for k in range(3):
                s += x[i][k] * k
            out[i, 5] = s

    run()
    got = out.to_numpy()
    unit = a / numpy.linalg.norm(a, axis=1)[:, None]
    want = [numpy.linalg.norm(a - b, axis=1), (a * b).sum(1) - (a * a).sum(1), numpy.cross(a, b).sum(1),
            unit[:, 0] * b[:, 0] / numpy.linalg.norm(b[:, :2], axis=1),
            numpy.maximum(numpy.maximum(a[:, 2], a[:, 0]), 2), a @ [0, 1, 2]]
    numpy.testing.assert_allclose(got, numpy.stack(want, 1), rtol=1e-4, atol=1e-5)


def test_updates_of_one_place_by_several_iterations():
    """A vector is updated element by element, each by an atomic where it must be; an index may be a vector."""
    points = numpy.random.default_rng(1).random((500, 2)) * 6
    x, grid, count = field_of(points), qd.Vector.field(2, float, (8, 8)), qd.field(int, (8, 8))

    @qd.kernel
    def spread():
        for p in x:
            base = int(x[p])
            for i, j in qd.static(qd.ndrange(2, 2)):
                offset = qd.Vector([i, j])
                grid[base + offset] += 0.5 * x[p]
                count[base + offset] += 1

    spread()
    want, number = numpy.zeros((8, 8, 2)), numpy.zeros((8, 8), int)
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        at = tuple((points.astype("f4").astype(int) + [i, j]).T)
        numpy.add.at(want, at, 0.5 * points)
        numpy.add.at(number, at, 1)
    numpy.testing.assert_allclose(grid.to_numpy(), want, rtol=1e-4)
    numpy.testing.assert_array_equal(count.to_numpy(), number)
    assert "loop: parallel" in spread.explain() and "loop: in order" not in spread.explain()


def test_lists_tuples_and_other_names():
    x, y = qd.Vector.field(3, float, 4), qd.field(float, 4)
    scales = (1.0, 10.0, 100.0)

    @qd.kernel
    def run():
        a, b = qd.static(x, y)
        for i in a:
            a[i] = [scales[k] * i for k in qd.static(range(3))]
            u, v, w = a[i]
            rows = [a[i], 2 * a[i]]
            a[i] = (u + 1, v, w)
            b[i] = rows[1].y + u

    run()
    assert x.to_numpy().tolist() == [[i + 1, 10 * i, 100 * i] for i in range(4)]
    assert y.to_numpy().tolist() == [20 * i + i for i in range(4)]


def test_loops_whose_index_is_a_vector():
    x = qd.field(float, (4, 5))

    @qd.kernel
    def run():
        for I in qd.grouped(x):  # noqa: E741
            J = I + 1
            x[I] = J[0] * 10 + J.y

    run()
    assert x.to_numpy().tolist() == [[(i + 1) * 10 + j + 1 for j in range(5)] for i in range(4)]


def test_vectors_as_arguments_and_results():
    @qd.kernel
    def turn(m: mat3, v: vec3) -> vec3:
        return m @ v

    @qd.kernel
    def total(x: qd.types.ndarray(dtype=vec2, ndim=1)) -> vec2:
        s = vec2(0)
        for i in range(4):
            s += x[i]
        return s

    got = turn(mat3([[0, -1, 0], [1, 0, 0], [0, 0, 2]]), vec3(1, 2, 3))
    assert got == [-2, 1, 6] and got.x == -2 and got.yz.tolist() == [1, 6]
    x = qd.Vector.ndarray(2, qd.f32, 4)
    x.from_numpy(numpy.arange(8, dtype="f4").reshape(4, 2))
    assert total(x) == [12, 16]


def test_vectors_on_the_host():
    v, m = qd.Vector([3.0, 4.0]), qd.Matrix([[1, 2], [3, 4]])
    assert v.norm() == 5 and (2 * v - [1, 1]) == [5, 7] and (m @ v) == [11, 25] and m.transpose()[0, 1] == 3 and v.dot(v) == 25
    x = qd.Vector.field(2, qd.i32, 3)
    x[1] = [5, 6]
    assert x[1] == [5, 6] and x[0].tolist() == [0, 0] and x.shape == (3,) and x.to_numpy().shape == (3, 2)
    v.x += 1
    assert v == [4, 4] and repr(v) == "Vector([4.0, 4.0])" and numpy.asarray(m).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(rill.InvalidError, match="shape"):
        x.from_numpy(numpy.zeros((3, 3)))
    with pytest.raises(ValueError):
        x[0] = [1, 2, 3]


def test_random_numbers():
    n = 4000
    x, v, w = qd.field(float, n), qd.Vector.field(2, float, n), qd.field(float, (50, 60))

    @qd.func
    def shifted(a):
        return a + qd.random()

    @qd.kernel
    def fill():
        for i in x:
            x[i] = qd.random()
        for i in v:
            v[i] = [qd.randn(), shifted(1)]
        for i, j in w:
            w[i, j] = qd.random()

    @qd.kernel
    def tries() -> int:
        count = 0
        while qd.random() < 0.95 and count < 10000:
            count += 1
        return count

    fill()
    a, b, c = x.to_numpy(), v.to_numpy(), w.to_numpy()
    assert abs(a.mean() - 0.5) < 0.03 and abs(b[:, 0].mean()) < 0.1 and abs(b[:, 0].std() - 1) < 0.1 and abs(b[:, 1].mean() - 1.5) < 0.03
    assert len(numpy.unique(a)) > n - 10 and len(numpy.unique(c)) > 2990
    assert abs(numpy.corrcoef(a, b[:, 1])[0, 1]) < 0.06 and abs(numpy.corrcoef(a[1:], a[:-1])[0, 1]) < 0.06
    assert fill.explain().count("parallel, proven") >= 3
    fill()
    assert (x.to_numpy() == a).mean() < 0.01
    assert len({tries() for _ in range(12)}) > 4
    qd.init(arch=ARCH, random_seed=3)
    y = qd.field(float, n)

    @qd.kernel
    def again():
        for i in y:
            y[i] = qd.random()

    again()
    first = y.to_numpy()
    again()
    assert (y.to_numpy() != first).mean() > 0.99


def test_what_cannot_be_is_said():
    x, y = qd.Vector.field(3, float, 4), qd.Vector.field(2, int, 4)

    def refused(function, words):
        with pytest.raises(rill.ScriptError, match=words):
            qd.kernel(function)()

    def shapes():
        for i in x:
            x[i] = x[i] + y[i]

    def member():
        for i in x:
            x[i].w = 1

    def truth():
        for i in y:
            y[i] = x[i].xy

    def index():
        for i in x:
            x[i][3] = 1

    def product():
        for i in x:
            x[i] = x[i] @ x[i]

    refused(shapes, "do not meet element by element")
    refused(member, "has no 'w'")
    refused(truth, "is stored where")
    refused(index, "no index of a vector")
    refused(product, "matrices that fit")


def test_structs_from_outside_that_are_only_copied():
    """The text has the definition of an element that no other line names."""
    x, y = qd.Vector.field(2, float, 3), qd.Vector.field(2, float, 3)
    x.from_numpy(numpy.arange(6.0).reshape(3, 2))

    @qd.kernel
    def copy():
        for i in x:
            y[i] = x[i]

    copy()
    assert y.to_numpy().tolist() == x.to_numpy().tolist()


def test_calls_in_calls_are_looked_at_once():
    """Forty levels: to ask at each level whether the one below is a vector, and again for its value, would never end."""
    x = qd.field(float, 3)

    @qd.kernel
    def deep():
        for i in x:
            x[i] = qd.max(1, qd.max(2, qd.max(3, qd.max(4, qd.max(5, qd.max(6, qd.max(7, qd.max(8, qd.max(9, qd.max(
                10, qd.max(11, qd.max(12, qd.max(13, qd.max(14, qd.max(15, qd.max(16, qd.max(17, qd.max(18, qd.max(
                    19, qd.max(20, qd.max(21, qd.max(22, qd.max(23, qd.max(24, qd.max(25, qd.max(26, qd.max(27, qd.max(
                        28, qd.max(29, qd.max(30, qd.max(31, qd.max(32, qd.max(33, qd.max(34, qd.max(35, qd.max(
                            36, qd.max(37, qd.max(38, qd.max(39, x[i])))))))))))))))))))))))))))))))))))))))

    deep()
    assert x.to_numpy().tolist() == [39, 39, 39]

"""Kernels in Python: what is known when they are compiled. Tables, texts, functions, types and None; what Python prints."""
import math

import pytest

import rill

numpy = pytest.importorskip("numpy")

WEIGHTS = (1, 4, 6, 4, 1)
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
RATES = (rill.f32(0.5), 0.25)
UNEVEN = ((1, 2), (3,))


@pytest.fixture(autouse=True)
def default(ctx):
    rill.set_default(ctx)
    yield
    rill.set_default(None)


@rill.func
def square(x):
    return x * x


@rill.func
def cube(x):
    return x * x * x


def test_a_tuple_of_numbers_is_a_table(ctx):
    @rill.kernel
    def blur(x: rill.f32[:], y: rill.f32[:]):
        for i in range(2, len(x) - 2):
            total = 0.0
            for k in range(len(WEIGHTS)):
                total += x[i + k - 2] * WEIGHTS[k]
            y[i] = total / 16

    x = numpy.random.default_rng(1).random(50).astype("f4")
    y, want = numpy.zeros(50, "f4"), numpy.zeros(50, "f4")
    blur(x, y)
    ctx.sync()
    blur.function(x, want)
    numpy.testing.assert_allclose(y, want, rtol=1e-6)
    assert "static const int64_t" in blur.source


def test_a_table_of_rows(ctx):
    @rill.kernel
    def laplace(a: rill.f64[:, :], b: rill.f64[:, :]):
        for i, j in rill.grid((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
            total = -4 * a[i, j]
            for k in range(4):
                total += a[i + STEPS[k][0], j + STEPS[k][1]]
            b[i, j] = total

    a = numpy.random.default_rng(2).random((7, 9))
    b, want = numpy.zeros((7, 9)), numpy.zeros((7, 9))
    laplace(a, b)
    ctx.sync()
    laplace.function(a, want)
    numpy.testing.assert_allclose(b, want, rtol=1e-12)


def test_what_a_table_meets_keeps_its_type(ctx):
    """Python's own numbers take the type of what they meet, also from a table."""
    @rill.kernel
    def scale(x: rill.f32[:]):
        for i in range(len(x)):
            x[i] = x[i] * WEIGHTS[i % 5] + RATES[i % 2]

    x = numpy.arange(10, dtype="f4")
    scale(x)
    ctx.sync()
    assert x.tolist() == [i * WEIGHTS[i % 5] + float(RATES[i % 2]) for i in range(10)]


def test_tables_that_are_none(ctx):
    @rill.kernel
    def uneven(n: int) -> int:
        return UNEVEN[n][0]

    @rill.kernel
    def writes(n: int):
        WEIGHTS[n] = 3

    with pytest.raises(rill.ScriptError, match="all its parts are alike"):
        uneven(1)
    with pytest.raises(rill.ScriptError, match="can be set"):
        writes(1)


def test_a_template_is_a_text_a_function_a_type_a_tuple():
    @rill.kernel
    def total(n: int, f: rill.template, mode: rill.template, dtype: rill.template, factors: rill.template) -> float:
        s = dtype(0)
        for i in range(n):
            if mode == "half":
                s += f(i) * 0.5 * factors[i % 2]
            elif mode in ("none", "nothing"):
                s += 0 * i
            else:
                s += f(i) * factors[i % 2] + this_is_looked_at_only_then  # noqa: F821
        return s

    assert total(10, square, "half", rill.f64, (1, 2)) == sum(i * i * 0.5 * (1, 2)[i % 2] for i in range(10))
    assert total(10, cube, "half", rill.f32, (1, 3)) == sum(i ** 3 * 0.5 * (1, 3)[i % 2] for i in range(10))
    assert total(10, cube, "nothing", rill.f32, (1, 3)) == 0
    with pytest.raises(rill.ScriptError, match="this_is_looked_at_only_then"):
        total(10, cube, "other", rill.f32, (1, 3))
    with pytest.raises(rill.ArgumentError, match="may change"):
        total(10, cube, [1], rill.f32, (1, 3))
    with pytest.raises(rill.ArgumentError, match="an array is no constant"):
        total(10, cube, "half", rill.f32, numpy.zeros(3))


def test_a_parameter_that_is_none(ctx):
    @rill.kernel
    def add(x: rill.f32[:], y: rill.f32[:], mask: rill.u8[:] = None):
        for i in range(len(x)):
            if mask is None:
                y[i] += x[i]
            elif mask[i]:
                y[i] -= x[i]

    x, y, mask = numpy.ones(4, "f4"), numpy.zeros(4, "f4"), numpy.array([0, 1, 0, 1], "u1")
    add(x, y)
    add(x, y, mask)
    add(x, y, mask=None)
    ctx.sync()
    assert y.tolist() == [2, 1, 2, 1]


def test_static_loops_over_pairs_and_functions(ctx):
    coefficients = (1.0, -0.5, 0.25)

    @rill.kernel
    def poly(x: rill.f64[:], y: rill.f64[:]):
        for i in range(len(x)):
            s = 0.0
            for k, c in rill.static(enumerate(coefficients)):
                s += c * x[i] ** k
            for name, f in rill.static((("square", square), ("cube", cube))):
                if name == "cube":
                    s += f(x[i])
                else:
                    s -= f(x[i])
            y[i] = s

    x = numpy.linspace(0, 2, 9)
    y, want = numpy.zeros(9), numpy.zeros(9)
    poly(x, y)
    ctx.sync()
    poly.function(x, want)
    numpy.testing.assert_allclose(y, want, rtol=1e-12)


def test_letters_and_signs(ctx):
    @rill.kernel
    def caesar(text: rill.u8[:], shift: int):
        for i in range(len(text)):
            if ord("a") <= text[i] <= ord("z"):
                text[i] = (text[i] - ord("a") + shift) % 26 + ord("a")

    @rill.kernel
    def signs(x: rill.f64[:], y: rill.f64[:], n: rill.i32[:]):
        for i in range(len(x)):
            y[i] = numpy.sign(x[i]) + numpy.remainder(x[i], 3) + numpy.mod(x[i], -3) + numpy.square(x[i])
            n[i] = numpy.sign(n[i]) + numpy.floor_divide(n[i], 2) + math.remainder(n[i], 3) < 0

    text = bytearray(b"hello, world")
    caesar(text, -3)
    x, n = numpy.array([-2.5, -0.0, 0.5, 4, math.inf]), numpy.array([-5, -1, 0, 1, 8], "i4")
    y, want, other = numpy.zeros(5), numpy.zeros(5), n.copy()
    signs(x[:4].copy(), y, n)
    ctx.sync()
    signs.function(x[:4], want, other)
    assert text == b"ebiil, tloia"
    numpy.testing.assert_array_equal(y, want)
    assert n.tolist() == other.tolist()


def test_bools_are_printed_as_python_does(ctx, capsys):
    @rill.kernel
    def say(x: rill.f32[:]):
        for i in range(len(x)):
            print(i, x[i] > 1, f"{x[i] < 1} {x[i] == 1:d}")

    say(numpy.array([0, 1, 2], "f4"))
    ctx.sync()
    assert capsys.readouterr().out == "0 False True 0\n1 False False 1\n2 True False 0\n"

"""Structs of dataclasses, tuples, kernels that are methods, and loops beyond a plain range, in kernels in Python."""
import dataclasses
import gc
import math
import pickle
import weakref

import pytest

import rill

np = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def default(ctx):
    rill.set_default(ctx)
    yield
    rill.set_default(None)


@rill.struct
class Point:
    x: rill.f32
    id: rill.i32


@dataclasses.dataclass
class Mixed:
    flag: bool
    wide: float
    small: rill.i8
    inner: Point = dataclasses.field(default_factory=lambda: Point(0.5, 7))
    double: int = 3  # a word of C


MIXED = rill.struct(Mixed)


def test_layout_is_that_of_c(ctx):
    assert (Point.size, MIXED.size) == (8, 40)
    assert [m.offset for m in MIXED.members] == [0, 8, 16, 20, 32]
    assert MIXED.numpy.itemsize == MIXED.size and list(MIXED.numpy.names) == ["flag", "wide", "small", "inner", "double"]
    value = Mixed(True, 2.5, -3, Point(1.25, -9), 1 << 40)
    assert MIXED.unpack(MIXED.pack(value)) == value
    assert np.frombuffer(MIXED.pack(value), MIXED.numpy)[0]["inner"]["id"] == -9
    assert rill.struct(Mixed) is MIXED and rill.struct(MIXED) is MIXED
    assert pickle.loads(pickle.dumps(MIXED)) == MIXED

    @rill.kernel
    def sizes(x: MIXED[:]) -> int:
        return x[0].double

    array = ctx.zeros(3, Mixed)
    array[1] = value
    assert array[1] == value and array.dtype == MIXED
    assert ctx.module(sizes.source).explain()
    assert sizes(array[1:]) == 1 << 40


def test_structs_are_arguments_elements_and_results(ctx):
    @rill.func
    def moved(p, by: float):
        q = p
        q.x += by
        return q

    @rill.kernel
    def run(first: Mixed, out: MIXED[:], points: Point[:]) -> Point:
        for i in range(len(out)):
            m = first
            m.inner = moved(m.inner, float(i))
            m.inner.id += i
            m.double *= 2
            out[i] = m
            out[i].wide = m.wide + points[i].x
            points[i].id = i
        best = Point(0, -1)
        for i in range(len(points)):
            if points[i].x > best.x:
                best = points[i]
        return best

    points = np.zeros(4, Point.numpy)
    points["x"] = [1, 5, 2, 3]
    out = np.zeros(4, MIXED.numpy)
    best = run(Mixed(True, 0.5, 4), out, points)
    assert best == Point(5.0, 1) and isinstance(best.id, int)
    ctx.sync()
    assert out["inner"]["x"].tolist() == [0.5, 1.5, 2.5, 3.5] and out["inner"]["id"].tolist() == [7, 8, 9, 10]
    assert out["wide"].tolist() == [1.5, 5.5, 2.5, 3.5] and (out["double"] == 6).all() and out["flag"].all()
    assert points["id"].tolist() == [0, 1, 2, 3]
    array = ctx.array(points)
    assert run.launch(first=Mixed(False, 1, 1), out=ctx.zeros(4, Mixed), points=array) is None
    c = ctx.kernel("#include <rill/kernel.h>\nstruct point { float x; int id; };\n"
                   "kernel float weight(struct point p, float w) { return p.x * w + p.id; }")
    assert c(Point(2, 1), 3) == 7


def test_constants_and_untyped_parameters_may_be_structs(ctx):
    origin, weights = Point(1.5, 2), (0.25, 0.5)

    @rill.func
    def dot(a, b):
        return a[0] * b[0] + a[1] * b[1]

    @rill.kernel
    def run(p):
        q = origin
        return q.x + p.x + origin.id + dot(weights, (4, 8)) + weights[1]

    assert run(Point(10, 0)) == 1.5 + 10 + 2 + 5 + 0.5


def test_tuples(ctx):
    @rill.func
    def sorted2(a, b):
        return (a, b) if a < b else (b, a)

    @rill.kernel
    def run(x: rill.f32[:], n: int):
        low, high = x[0], x[0]
        for i in range(1, len(x)):
            low, _ = sorted2(low, x[i])
            _, high = sorted2(high, x[i])
        t = (low, high, n)
        if n > 2:
            t = (high, low, 1.5)  # the types meet
        return t

    x = np.array([3, -1, 7, 2], np.float32)
    assert run(x, 1) == (-1.0, 7.0, 1.0) and run(x, 5) == (7.0, -1.0, 1.5)
    assert isinstance(run(x, 1), tuple)


@pytest.mark.parametrize("words, text", [
    ("a Point stands where a number must", "out[0] = p + 1"),
    ("has no field 'y': x, id", "out[0] = p.y"),
    ("'p' is a parameter, and its members would change", "p.x = 1"),
    ("a tuple of 2 values is indexed by a constant", "t = (1, 2)\n    out[0] = t[int(out[0])]"),
    ("a tuple does not change", "t = (1, 2)\n    t[0] = 3"),
    ("two types that do not meet", "q = p\n    q = (1, 2)"),
    ("has no field 'z' that is not given", "q = Point(1, z=2)"),
    ("is made without a value for its field 'id'", "q = Point(1)"),
    ("a float is stored where a rill.i32 is", "q = Point(1, 2.5)"),
    ("several names are set by as many values, or by a tuple", "a, b = p"),
    ("3 names, and 2 values", "a, b, c = (1, 2)"),
    ("takes 1 arguments, v, and got 2", "out[0] = once(1, 2)"),
    ("has no parameter 'w'", "out[0] = once(w=2)"),
    ("for i in range(len(x))` has the elements", "for v in out:\n        pass"),
    ("an array cannot be made in a kernel", "out[0] = np.zeros(3)[0]"),
    ("raise (assert can) cannot be", "raise ValueError"),
    ("'in' is for a tuple of numbers", "out[0] = 1 if out[0] in out else 0"),
])
def test_what_cannot_be_said(ctx, tmp_path, words, text):
    file = tmp_path / "bad.py"
    file.write_text(f"import rill, numpy as np\n@rill.struct\nclass Point:\n    x: rill.f32\n    id: rill.i32\n"
                    f"@rill.func\ndef once(v):\n    return v\n"
                    f"@rill.kernel\ndef bad(p: Point, out: rill.f32[:]):\n    {text}\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(rill.ScriptError) as caught:
        names["bad"].source
    assert words in str(caught.value) and "bad.py:" in str(caught.value)


def test_an_object_of_another_class_is_refused(ctx):
    @rill.struct
    class Twin:
        x: rill.f32
        n: rill.i32

    @rill.kernel
    def run(p: Point) -> float:
        return p.x

    assert run(Point(2, 1)) == 2
    with pytest.raises(TypeError, match="an object of Twin was passed where struct Point"):
        run(Twin(2, 1))
    with pytest.raises(rill.ArgumentError, match="an object of a dataclass"):
        run(3)
    with pytest.raises(TypeError, match="is <class 'str'>"):
        @rill.struct
        class Bad:
            name: str


def test_two_classes_of_one_name(ctx):
    def make(kind):
        @rill.struct
        class Pair:
            a: kind
            b: kind
        return Pair

    first, second = make(rill.f32), make(rill.f64)

    @rill.kernel
    def run(p: first, q: second) -> float:
        return p.a * q.b

    assert first.c_name != second.c_name and run(first(2, 0), second(0, 4)) == 8
    assert make(rill.f32).c_name == first.c_name


class Walker:
    def __init__(self, ctx, n, speed):
        self.x, self.n, self.speed = ctx.zeros(n), n, speed

    @rill.func
    def ahead(self, i):
        return self.speed * (i + 1)

    @rill.kernel
    def step(self, times: int = 1):
        for i in range(self.n):
            self.x[i] += times * self.ahead(i)

    @rill.kernel
    def total(self) -> float:
        s = 0.0
        for i in range(self.n):
            s += self.x[i]
        return s


def test_kernels_are_methods(ctx):
    a, b = Walker(ctx, 3, 2.0), Walker(ctx, 4, 1.0)
    a.step()
    b.step(times=10)
    a.step(2)
    assert a.total() == 3 * 2.0 * 6 and b.total() == 100
    assert a.step is a.step and a.step is not b.step and Walker.step.function.__name__ == "step"
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None  # what was compiled for an object does not keep it

    class Slots:
        __slots__ = ()

        @rill.kernel
        def nothing(self):
            pass

    with pytest.raises(rill.ScriptError, match="__slots__"):
        Slots().nothing()


@rill.func
def linear(v, a=2.0, b=1.0):
    return a * v + b


def test_loops_and_calls_as_python_has_them(ctx):
    @rill.kernel
    def run(x: rill.f64[:], n: int, step: int):
        for i in reversed(range(n)):
            x[i] = linear(x[n - 1 - i]) if i in (0, 2) else linear(float(i), b=0.5)
        for i in range(n, -1, step):
            x[5] += i
        for i in range(step, n, -step):
            x[6] += 10 * i
        last = -1
        for last in reversed(range(2, n)):
            if last not in (n - 1, n - 2):
                break
        x[7] = last
        for i, j in rill.grid(*x.shape, (1, 3)):
            x[8] += i * j

    for n, step in ((4, -1), (5, -2), (0, -3), (6, -1)):
        x, expected = np.arange(12.0), np.arange(12.0)
        run(x, n, step)
        ctx.sync()
        run.function(expected, n, step) if n else None
        if n:
            assert x.tolist() == expected.tolist()
    stream = ctx.stream()
    with pytest.raises(rill.AssertError, match="step of a range"):
        run(np.zeros(12), 4, 0, stream=stream)
        stream.destroy()


def test_functions_of_numbers(ctx):
    @rill.kernel
    def run(x: rill.f64[:], y: rill.f64[:]):
        for i in range(len(x)):
            y[i] = (math.degrees(x[i]) + math.log(x[i] + 2, 2) + np.where(x[i] > 1, 1.0, -1.0) + np.clip(x[i], 0.5, 1.5)
                    + min(float("inf"), 3.0) + (1 if math.isfinite(x[i]) and not math.isinf(x[i]) else 0) + np.float32(0.5))

    x, y, expected = np.linspace(0, 3, 7), np.zeros(7), np.zeros(7)
    run(x, y)
    ctx.sync()
    run.function(x, expected)
    assert np.allclose(y, expected)

"""rill.quadrants: programs with Quadrants' names for kernels, fields, streams, events and blocks."""
import os

import pytest

import rill
import rill.quadrants as qd
from rill.quadrants.lang.exception import QuadrantsSyntaxError
from rill.quadrants.lang.stream import Event, Stream

numpy = pytest.importorskip("numpy")

N = 512
ARCH = os.environ.get("RILL_TEST_DEVICE", "cpu").partition(":")[0]


@pytest.fixture(autouse=True)
def session():
    qd.init(arch=ARCH, default_fp=qd.f32, offline_cache=False)
    yield
    qd.reset()


def test_fields_are_used_without_being_passed():
    x, y = qd.field(qd.f32, shape=(N,)), qd.field(dtype=qd.f32, shape=N)

    @qd.func
    def scaled(i, k):
        return x[i] * k

    @qd.kernel
    def fill(value: qd.f32):
        for i in range(N):
            x[i] = value + i

    @qd.kernel
    def derive():
        for i in x:
            y[i] = scaled(i, 2) + qd.sqrt(4.0)

    fill(3)
    derive()
    qd.sync()
    assert (y.to_numpy() == 2 * (3 + numpy.arange(N)) + 2).all() and y[5] == 18 and x.shape == (N,)
    x.from_numpy(numpy.ones(N))
    x[2] = 7
    derive()
    assert y.to_numpy()[:4].tolist() == [4, 4, 16, 4]
    assert "const float captured_" in derive.source and derive.explain().count("parallel, proven") == 1


def test_loops_of_every_kind():
    grid, count = qd.field(qd.i32, shape=(4, 6)), qd.field(qd.i32, shape=())

    @qd.kernel
    def run(grown: qd.template()):
        for i, j in grid:
            grid[i, j] = i * 10 + j
        for cell in qd.grouped(grid):
            grid[cell] += 1
        for i, j in qd.ndrange(4, (2, 5)):
            grid[i, j] = qd.max(grid[i, j], 15)
        qd.loop_config(serialize=True)
        for i in range(4):
            for k in qd.static(range(2)):
                grown[i] += qd.cast(grid[i, k], qd.f32)
        for i in range(100):
            qd.atomic_add(count[None], 1)
        for i in range(100):
            count[None] += 1

    grown = qd.field(qd.f32, shape=(4,))
    run(grown)
    want = numpy.add.outer(10 * numpy.arange(4), numpy.arange(6)) + 1
    want[:, 2:5] = numpy.maximum(want[:, 2:5], 15)
    assert (grid.to_numpy() == want).all()
    assert grown.to_numpy().tolist() == want[:, :2].sum(1).tolist()
    assert count[None] == 200 and count.shape == () and count.to_numpy() == 200
    count[None] = 3
    assert count[None] == 3


def test_ndarrays_are_arguments():
    @qd.kernel
    def fill(a: qd.types.ndarray(dtype=qd.f32, ndim=1), b: qd.types.NDArray[qd.f32, 2], c: qd.types.ndarray()) -> qd.f32:
        for i in range(a.shape[0]):
            a[i] = 9
        for i, j in b:
            b[i, j] = a[0] + j
        for i in range(c.shape[0]):
            c[i] = i
        return a[0]

    a, b, c = qd.ndarray(qd.f32, shape=(N,)), qd.ndarray(qd.f32, (2, 3)), numpy.zeros(5, numpy.int64)
    assert fill(a, b, c) == 9 and b.to_numpy().tolist() == [[9, 10, 11]] * 2 and c.tolist() == [0, 1, 2, 3, 4]


def test_streams_and_events():
    x, y = qd.field(qd.f32, shape=(N,)), qd.field(qd.f32, shape=(N,))

    @qd.kernel
    def produce(value: float):
        for i in range(N):
            x[i] = value

    @qd.kernel
    def consume():
        for i in range(N):
            y[i] += x[i]

    with qd.create_stream() as a, qd.create_stream() as b, qd.create_event() as made, qd.create_event() as used:
        assert isinstance(a, Stream) and isinstance(made, Event)
        assert (a.handle != 0) == (made.handle != 0) == (ARCH != "cpu")
        for value in range(10):
            produce(value, qd_stream=a)
            made.record(a)
            made.wait(qd_stream=b)
            consume(qd_stream=b)
            used.record(b)
            used.wait(qd_stream=a)
        used.wait()
        consume()
        qd.sync()
        used.synchronize()
    assert a.handle == b.handle == made.handle == 0
    assert y[N - 1] == 45 + 9
    with pytest.raises(rill.StaleError):
        consume(qd_stream=a)


def test_blocks_overlap_or_are_refused():
    x, y = qd.field(qd.f32, shape=(N,)), qd.field(qd.f32, shape=(N,))

    @qd.kernel
    def both():
        with qd.stream_parallel():
            for i in range(N):
                x[i] = 1
            for i in range(N):
                x[i] = x[i] + 1
        with qd.stream_parallel():
            for i in range(N):
                y[i] = 10

    @qd.kernel
    def race():
        with qd.stream_parallel():
            for i in range(N):
                x[i] = 1
        with qd.stream_parallel():
            for i in range(N):
                y[i] = x[i]

    @qd.kernel
    def mixed():
        with qd.stream_parallel():
            for i in range(N):
                x[i] = 1
        for i in range(N):
            x[i] = 2

    both()
    qd.sync()
    assert x[3] == 2 and y[3] == 10
    with pytest.raises(rill.CompileError):
        race()
    with pytest.raises(QuadrantsSyntaxError, match="all top-level statements"):
        mixed()


def test_what_is_not_there_is_said():
    with pytest.raises(AttributeError, match="rill.quadrants has no 'simt': there are no warps"):
        qd.simt
    with pytest.raises(NotImplementedError, match="derivatives"):
        qd.field(qd.f32, shape=(3,), needs_grad=True).grad
    qd.reset()
    with pytest.raises(rill.Error, match="qd.init"):
        qd.field(qd.f32, shape=(3,))


def test_debug_checks_indices():
    qd.init(arch=ARCH, debug=True)
    x = qd.field(qd.f32, shape=(4,))

    @qd.kernel
    def beyond(k: int):
        for i in range(4):
            x[i + k] = 1

    beyond(0)
    with pytest.raises(rill.BoundsError):
        beyond.call(1)


def test_arrays_from_outside_serve_rills_kernels_too():
    ctx = rill.open("cpu")
    table = ctx.array([1.5, 2.5, 3.5], rill.f32)

    @rill.kernel
    def look(x: rill.f32[:]):
        for i in range(len(x)):
            x[i] = table[i % 3]

    x = ctx.zeros(4)
    look(x)
    assert x.tolist() == [1.5, 2.5, 3.5, 1.5]
    with pytest.raises(TypeError, match="takes 1 arguments, and got 2"):
        look(x, x)
    ctx.close()

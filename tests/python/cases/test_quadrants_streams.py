"""The scenarios of Quadrants' own tests of streams, events and stream_parallel, by the names that they have there. Where those
measure a speedup, these look at what came out: no test judges by the clock."""
import os

import pytest

import rill.quadrants as qd
from rill.quadrants.lang.stream import Event, Stream

np = pytest.importorskip("numpy")

N = 1024
ARCH = os.environ.get("RILL_TEST_DEVICE", "cpu").partition(":")[0]
SPIN = 40_000 if ARCH == "cpu" else 2_000
on_gpu = pytest.mark.skipif(ARCH == "cpu", reason="Quadrants tests this on GPUs alone")
on_cpu = pytest.mark.skipif(ARCH != "cpu", reason="Quadrants tests this on the CPU alone")


@pytest.fixture(autouse=True)
def session():
    qd.init(arch=getattr(qd, ARCH))
    yield
    qd.reset()


def filled(field, value):
    """A kernel that sets a field."""
    @qd.kernel
    def fill():
        for i in range(N):
            field[i] = value
    return fill


def copied(source, target):
    @qd.kernel
    def copy():
        for i in range(N):
            target[i] = source[i]
    return copy


def fields(count, dtype=qd.f32, size=N):
    return [qd.field(dtype, shape=(size,)) for _ in range(count)]


@on_gpu
def test_create_and_destroy_stream():
    s = qd.create_stream()
    assert isinstance(s, Stream) and s.handle != 0
    s.destroy()
    assert s.handle == 0


@on_gpu
def test_create_and_destroy_event():
    e = qd.create_event()
    assert isinstance(e, Event) and e.handle != 0
    e.destroy()
    assert e.handle == 0


def test_kernel_on_stream():
    x, = fields(1)
    s = qd.create_stream()
    filled(x, 42.0)(qd_stream=s)
    s.synchronize()
    assert np.allclose(x.to_numpy(), 42.0)
    s.destroy()


def test_two_streams():
    a, b = fields(2)
    s1, s2 = qd.create_stream(), qd.create_stream()
    filled(a, 1.0)(qd_stream=s1)
    filled(b, 2.0)(qd_stream=s2)
    s1.synchronize()
    s2.synchronize()
    assert np.allclose(a.to_numpy(), 1.0) and np.allclose(b.to_numpy(), 2.0)
    s1.destroy()
    s2.destroy()


def test_event_synchronization():
    x, y = fields(2)
    s1 = qd.create_stream()
    filled(x, 10.0)(qd_stream=s1)
    e = qd.create_event()
    e.record(s1)
    e.wait()
    copied(x, y)()
    qd.sync()
    assert np.allclose(y.to_numpy(), 10.0)
    e.destroy()
    s1.destroy()


def test_event_wait_on_stream():
    x, y = fields(2)
    s1, s2 = qd.create_stream(), qd.create_stream()
    filled(x, 5.0)(qd_stream=s1)
    e = qd.create_event()
    e.record(s1)
    e.wait(qd_stream=s2)
    copied(x, y)(qd_stream=s2)
    s2.synchronize()
    assert np.allclose(y.to_numpy(), 5.0)
    for each in (e, s1, s2):
        each.destroy()


def test_default_stream_kernel():
    x, = fields(1)
    filled(x, 7.0)()
    qd.sync()
    assert np.allclose(x.to_numpy(), 7.0)


@on_cpu
def test_stream_noop_on_cpu():
    x, = fields(1)
    s = qd.create_stream()
    assert s.handle == 0
    filled(x, 3.0)(qd_stream=s)
    qd.sync()
    assert np.allclose(x.to_numpy(), 3.0)
    e = qd.create_event()
    assert e.handle == 0
    e.record(s)
    e.wait()
    s.destroy()
    e.destroy()


def spun(x):
    for _ in range(SPIN):
        x = (np.int32(1664525) * x + np.int32(1013904223)) % np.int32(2147483647)
    return x


def test_concurrent_streams_with_events():
    @qd.kernel
    def slow_fill(
        a: qd.types.ndarray(dtype=qd.f32, ndim=1),
        lcg_state: qd.types.ndarray(dtype=qd.i32, ndim=1),
        index: qd.i32,
        value: qd.f32,
    ):
        qd.loop_config(block_dim=1)
        for _ in range(1):
            x = lcg_state[index]
            for _j in range(SPIN):
                x = (1664525 * x + 1013904223) % 2147483647
            lcg_state[index] = x
            a[index] = value

    @qd.kernel
    def add_first_two(a: qd.types.ndarray(dtype=qd.f32, ndim=1)):
        qd.loop_config(block_dim=1)
        for _ in range(1):
            a[2] = a[0] + a[1]

    a, lcg = qd.ndarray(qd.f32, shape=(3,)), qd.ndarray(qd.i32, shape=(3,))
    slow_fill(a, lcg, 0, 5.0)
    slow_fill(a, lcg, 1, 7.0)
    add_first_two(a)
    qd.sync()
    assert np.isclose(a.to_numpy()[2], 12.0)
    serial = lcg.to_numpy()

    a, lcg = qd.ndarray(qd.f32, shape=(3,)), qd.ndarray(qd.i32, shape=(3,))
    s1, s2, e1, e2 = qd.create_stream(), qd.create_stream(), qd.create_event(), qd.create_event()
    qd.sync()
    slow_fill(a, lcg, 0, 5.0, qd_stream=s1)
    slow_fill(a, lcg, 1, 7.0, qd_stream=s2)
    e1.record(s1)
    e2.record(s2)
    e1.wait()
    e2.wait()
    add_first_two(a)
    qd.sync()
    assert np.isclose(a.to_numpy()[2], 12.0)
    with np.errstate(over="ignore"):
        assert (lcg.to_numpy() == serial).all() and serial[:2].tolist() == [spun(np.int32(0))] * 2
    assert qd.lang.impl.current_cfg().arch in (qd.cpu, qd.cuda, qd.amdgpu)
    for each in (s1, s2, e1, e2):
        each.destroy()


def test_stream_parallel_basic():
    a, b = fields(2)

    @qd.kernel
    def fill_parallel():
        with qd.stream_parallel():
            for i in range(N):
                a[i] = 1.0
        with qd.stream_parallel():
            for j in range(N):
                b[j] = 2.0

    fill_parallel()
    qd.sync()
    assert np.allclose(a.to_numpy(), 1.0) and np.allclose(b.to_numpy(), 2.0)


def test_stream_parallel_multiple_loops_per_stream():
    a, b, c = fields(3)

    @qd.kernel
    def parallel_phase():
        with qd.stream_parallel():
            for i in range(N):
                a[i] = 1.0
            for i in range(N):
                a[i] = a[i] + 1.0
        with qd.stream_parallel():
            for j in range(N):
                b[j] = 10.0

    @qd.kernel
    def combine():
        for i in range(N):
            c[i] = a[i] + b[i]

    parallel_phase()
    combine()
    qd.sync()
    assert np.allclose(a.to_numpy(), 2.0) and np.allclose(b.to_numpy(), 10.0) and np.allclose(c.to_numpy(), 12.0)


def test_stream_parallel_timing():
    a, b = fields(2, qd.i32, 2)

    @qd.kernel
    def serial_spin():
        for _ in range(1):
            x = a[0]
            for _j in range(SPIN):
                x = (1664525 * x + 1013904223) % 2147483647
            a[0] = x
        for _ in range(1):
            x = a[1]
            for _j in range(SPIN):
                x = (1664525 * x + 1013904223) % 2147483647
            a[1] = x

    @qd.kernel
    def parallel_spin():
        with qd.stream_parallel():
            for _ in range(1):
                x = b[0]
                for _j in range(SPIN):
                    x = (1664525 * x + 1013904223) % 2147483647
                b[0] = x
        with qd.stream_parallel():
            for _ in range(1):
                x = b[1]
                for _j in range(SPIN):
                    x = (1664525 * x + 1013904223) % 2147483647
                b[1] = x

    serial_spin()
    parallel_spin()
    qd.sync()
    with np.errstate(over="ignore"):
        assert a.to_numpy().tolist() == b.to_numpy().tolist() == [spun(np.int32(0))] * 2


def test_stream_parallel_rejects_mixed_top_level():
    from rill.quadrants.lang.exception import QuadrantsSyntaxError
    a, = fields(1)
    with pytest.raises(QuadrantsSyntaxError, match="all top-level statements"):

        @qd.kernel
        def bad_kernel():
            with qd.stream_parallel():
                for i in range(N):
                    a[i] = 1.0
            for i in range(N):
                a[i] = 2.0

        bad_kernel()


def test_stream_with_ndarray():
    @qd.kernel
    def fill(arr: qd.types.ndarray(dtype=qd.f32, ndim=1)):
        for i in range(N):
            arr[i] = 99.0

    arr = qd.ndarray(qd.f32, shape=(N,))
    s = qd.create_stream()
    fill(arr, qd_stream=s)
    s.synchronize()
    assert np.allclose(arr.to_numpy(), 99.0)
    s.destroy()


def test_stream_context_manager():
    x, = fields(1)
    with qd.create_stream() as s:
        filled(x, 11.0)(qd_stream=s)
        s.synchronize()
    assert s.handle == 0 and np.allclose(x.to_numpy(), 11.0)


def test_event_context_manager():
    with qd.create_event() as e:
        assert isinstance(e, Event)
    assert e.handle == 0


def test_event_synchronize():
    x, = fields(1)
    s = qd.create_stream()
    filled(x, 13.0)(qd_stream=s)
    e = qd.create_event()
    e.record(s)
    e.synchronize()
    assert np.allclose(x.to_numpy(), 13.0)
    e.destroy()
    s.destroy()


def test_stream_with_graph_raises():
    x, = fields(1)

    @qd.kernel(graph=True)
    def fill():
        for i in range(N):
            x[i] = 1.0

    s = qd.create_stream()
    with pytest.raises(RuntimeError, match="not compatible with graph=True"):
        fill(qd_stream=s)
    s.destroy()


def test_stream_with_tape_raises():
    """A field may say that it needs a gradient; what would compute one is refused."""
    x, loss = (qd.field(qd.f32, shape=(), needs_grad=True) for _ in range(2))

    @qd.kernel
    def compute():
        loss[None] = x[None] ** 2

    with qd.create_stream() as s:
        with pytest.raises(RuntimeError, match="not compatible with autograd Tape"):
            with qd.ad.Tape(loss):
                compute(qd_stream=s)
    with pytest.raises(NotImplementedError, match="no derivatives"):
        with qd.ad.Tape(loss):
            compute()
    x[None] = 3
    compute()  # outside of a tape
    assert loss[None] == 9


def test_use_graph_may_be_set_later():
    x, = fields(1)

    @qd.kernel
    def fill():
        for i in range(N):
            x[i] = 1.0

    fill.use_graph = True
    with qd.create_stream() as s, pytest.raises(RuntimeError, match="not compatible with graph=True"):
        fill(qd_stream=s)

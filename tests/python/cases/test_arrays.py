"""Arrays: made, sliced, copied, and given to others."""
import gc

import pytest

import rill

numpy = pytest.importorskip("numpy")


def test_array_has_what_it_was_given(ctx):
    a = ctx.array(numpy.arange(12, dtype=numpy.int32).reshape(3, 4))
    assert a.shape == (3, 4) and a.strides == (16, 4) and a.dtype == rill.i32 and a.nbytes == 48 and len(a) == 3
    assert a.numpy().tolist() == a.tolist() == a.read().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert ctx.array([[1, 2], [3, 4]]).dtype == rill.i64 and ctx.array([1, 2.5]).tolist() == [1, 2.5]
    assert ctx.array([1, 2], "f32").tolist() == [1, 2] and ctx.array([True, False]).dtype == rill.bool_
    assert ctx.zeros((2, 2), numpy.float64).numpy().dtype == numpy.float64
    assert ctx.array(numpy.arange(6)[::2]).tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match="not of one shape"):
        ctx.array([[1, 2], [3]])


@pytest.mark.parametrize("name", ["bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"])
def test_every_type_goes_and_comes(ctx, name):
    values = numpy.array([0, 1, 1, 0, 1]).astype(rill.dtype(name).numpy)
    a = ctx.array(values)
    assert a.dtype == rill.dtype(name) and (a.numpy() == values).all() and a[1] == values[1]
    a[0] = 1
    a[2:4] = 0
    assert a.tolist() == [1, 1, 0, 0, 1]


def test_bf16_rounds_to_nearest(ctx):
    a = ctx.zeros(3, "bf16")
    a[0], a[1], a[2] = 1.0, 3.14159, -1e30
    assert (a[0], a[1]) == (1.0, 3.140625) and abs(a[2] / -1e30 - 1) < 0.004


def test_slices_are_views(ctx):
    a = ctx.array(numpy.arange(24, dtype=numpy.float32).reshape(4, 6))
    row, part = a[1], a[1:3]
    row[2] = 100
    part[1, 5] = 200
    assert a[1, 2] == 100 and a[2, 5] == 200 and part.shape == (2, 6) and a[-1].shape == (6,) and a[...].shape == (4, 6)
    assert a[2, 1:4].tolist() == [13, 14, 15] and a[1:2, 1:3].tolist() == [[7, 100]] and a[3:3].shape == (0, 6)
    a[0] = 5
    a[3] = numpy.arange(6, dtype=numpy.float32)
    a[2] = a[3]
    assert a[0].tolist() == [5] * 6 and a[2].tolist() == [0, 1, 2, 3, 4, 5]
    assert a.reshape(3, -1).shape == (3, 8) and a.reshape(24)[23] == 5
    for key in ((slice(None), slice(1, 3)), slice(None, None, 2), (slice(0, 2), 1)):
        with pytest.raises(rill.InvalidError, match="in pieces"):
            a[key]
    for key in (4, -5, (0, 6)):
        with pytest.raises(IndexError):
            a[key]
    with pytest.raises(IndexError):
        a[0, 0, 0]


def test_view_keeps_the_memory(ctx):
    a = ctx.array([1.5, 2.5], "f32")
    view = a[1:]
    a.destroy()
    assert view[0] == 2.5
    with pytest.raises(rill.StaleError):
        a.numpy()


def test_write_wants_the_shape_and_the_type(ctx):
    a = ctx.zeros((2, 3))
    with pytest.raises(rill.InvalidError, match=r"values of shape \(3, 2\)"):
        a.write(numpy.zeros((3, 2), numpy.float32))
    with pytest.raises(TypeError, match="f64"):
        a.write(numpy.zeros((2, 3)))
    with pytest.raises(ValueError, match="does not fit into i8"):
        ctx.zeros(1, "i8")[0] = 300
    a.write([[1, 2, 3], [4, 5, 6]])
    assert a[1, 2] == 6


def test_copies_are_copies(ctx):
    a = ctx.array([1, 2, 3])
    b = a.copy()
    a.fill(7)
    assert b.tolist() == [1, 2, 3] and a.tolist() == [7, 7, 7]
    b.copy_from(a)
    assert b.tolist() == [7, 7, 7]
    with pytest.raises(rill.InvalidError, match=r"a i64\[2\] was given"):
        b.copy_from(ctx.array([1, 2]))
    with rill.open("cpu") as other:
        c = other.zeros(3, "i64")
        c.copy_from(a)
        assert c.tolist() == [7, 7, 7]


def test_structs(ctx, module):
    kind = numpy.dtype([("x", "f4"), ("id", "i4")])
    points = ctx.array(numpy.array([(1, 5), (2, 6)], kind))
    module.move(2, points)
    assert points.numpy().tolist() == [(2.0, 0), (3.0, 1)] and points[1]["x"] == 3
    with pytest.raises(rill.UnsupportedError):
        points.__dlpack__()


def test_numpy_sees_the_memory_itself(ctx, module):
    a = ctx.zeros((2, 3))
    seen = numpy.asarray(a)
    a.fill(4)
    ctx.sync()
    assert seen.shape == (2, 3)
    if ctx.device == "cpu":
        assert (seen == 4).all()
        seen[1, 2] = 9
        assert a[1, 2] == 9
    else:
        assert (seen == 0).all()
    assert numpy.array(a, dtype=numpy.float64).dtype == numpy.float64


def test_dlpack_gives_the_memory_itself(ctx):
    a = ctx.array([[1, 2], [3, 4]], "f32")
    if ctx.device != "cpu":
        assert a.__dlpack_device__() == (2, 0)
        return
    seen = numpy.from_dlpack(a)
    a[0, 1] = 20
    ctx.sync()
    assert seen.tolist() == [[1, 20], [3, 4]]
    capsule = a.__dlpack__()  # nobody takes it over
    del a, capsule
    gc.collect()
    assert seen.tolist() == [[1, 20], [3, 4]]


def test_memory_in_other_hands_outlives_array_and_context():
    context = rill.open("cpu")
    a = context.array(numpy.arange(100000))
    seen, taken = numpy.asarray(a), numpy.from_dlpack(a[10:])
    a.destroy()
    assert seen[99999] == 99999
    context.close()
    assert seen.sum() == taken.sum() + 45
    with pytest.raises(rill.StaleError, match="the context was closed"):
        context.zeros(1)
    del a, seen, taken, context
    gc.collect()


def test_wrapped_memory_is_used_in_place(ctx, module):
    values = numpy.ones(8, numpy.float32)
    if ctx.device != "cpu":
        with pytest.raises(rill.InvalidError):
            ctx.wrap(values)
        return
    a = ctx.wrap(values)
    module.fill(8, 3, a)
    ctx.sync()
    assert (values == 3).all()
    with pytest.raises(ValueError):
        values.resize(16)  # held
    with pytest.raises(rill.InvalidError, match="in one piece"):
        ctx.wrap(values[::2])
    with pytest.raises(rill.InvalidError, match="read-only"):
        ctx.wrap(b"1234")


def test_reads_go_in_the_order_of_a_stream(ctx, module, stream):
    a = ctx.zeros(1000)
    for value in range(20):
        module.fill(1000, value, a, stream=stream)
    assert a.numpy(stream)[999] == 19
    a.fill(1, stream)
    a.write(numpy.full(1000, 2, numpy.float32), stream)
    out = numpy.empty(1000, numpy.float32)
    assert a.read(out, stream) is out and out[0] == 2


def test_arrays_give_their_memory_back(ctx):
    before = ctx.stats.array_count
    arrays = [ctx.zeros(1000) for _ in range(10)]
    assert ctx.stats.array_count == before + 10
    del arrays
    gc.collect()
    assert ctx.stats.array_count == before

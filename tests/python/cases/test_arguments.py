"""What a call takes, and what it refuses before anything is queued."""
import array
import ctypes
import inspect
import struct

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("id", ctypes.c_int)]


def refused(call, *args, **kwargs):
    with pytest.raises(rill.ArgumentError) as info:
        call(*args, **kwargs)
    assert info.value.name == "RILL_ERR_ARGUMENTS"
    return str(info.value)


def test_numpy_arrays_are_used_in_place(ctx, module):
    x, y = numpy.arange(N, dtype=numpy.float32), numpy.ones(N, numpy.float32)
    module.add(numpy.int64(N), x, y)
    ctx.sync()
    assert (y == 1 + x).all()


def test_memory_of_pythons_own_is_used_in_place(ctx, module):
    x, y = array.array("f", range(N)), array.array("f", [1] * N)
    module.add(N, memoryview(bytes(x)).cast("f"), y)  # const: memory that may only be read will do
    ctx.sync()
    assert all(y[i] == 1 + i for i in range(N))
    points = (Point * 3)()
    module.move(3, points)
    ctx.sync()
    assert [(p.x, p.id) for p in points] == [(1, 0), (1, 1), (1, 2)]


def test_dlpack_is_used_in_place(ctx, module):
    class Tensor:
        """As torch's on the CPU: DLPack, and no buffer."""

        def __init__(self, values):
            self.values = values

        def __dlpack__(self, **kwargs):
            return self.values.__dlpack__(**kwargs)

    x, y = numpy.arange(N, dtype=numpy.float32), numpy.ones(N, numpy.float32)
    module.add(N, Tensor(x), Tensor(y))
    ctx.sync()
    assert (y == 1 + x).all()
    assert "takes an array of 2 extents" in refused(module.grid, 3, 4, Tensor(numpy.zeros(12, numpy.int16)))
    assert "not in one piece" in refused(module.add, 5, Tensor(x[:10:2]), Tensor(y))
    assert "double" in refused(module.add, N, Tensor(x), Tensor(y.astype(float)))


def test_memory_of_a_gpu_is_refused_on_the_cpu(ctx, module):
    if ctx.device != "cpu":
        pytest.skip("the device is a GPU")

    class Tensor:
        __cuda_array_interface__ = {"version": 3, "shape": (N,), "typestr": "<f4", "data": (4096, False), "strides": None}

    assert "the memory is a GPU's" in refused(module.sum, N, Tensor())


def test_shapes_are_compared(ctx, module):
    g = numpy.zeros((5, 4), numpy.int16)
    text = refused(module.grid, 4, 5, g)
    assert "has the shape (4, 5)" in text and "what was passed has (5, 4)" in text
    assert "takes an array of 2 extents, and what was passed has the shape (20,)" in refused(module.grid, 4, 5, g.ravel())
    assert "shape (5, 4)" in refused(module.sum, 20, numpy.zeros((5, 4), numpy.float32))
    module.grid(4, 4, g)  # the outermost extent may be larger
    ctx.sync()
    assert g[3, 3] == 33 and g[4, 3] == 0
    with pytest.raises(rill.ArgumentError):
        module.grid(4, 5, ctx.zeros((5, 4), "i16"))
    refused(module.fill, N + 1, 1, numpy.zeros(N, numpy.float32))


def test_types_are_compared(module):
    x, y = numpy.zeros(N, numpy.float32), numpy.zeros(N, numpy.float64)
    assert "its elements are float (4 bytes), and those of what was passed are double (8 bytes)" in refused(
        module.add, N, x, y)
    assert "has elements 'Zd'" in refused(module.add, N, x, numpy.zeros(N, complex))
    assert "has elements '>f'" in refused(module.add, N, x, numpy.zeros(N, ">f4"))
    assert "parameter 'x': takes an array of float" in refused(module.sum, 1, "text")
    assert "parameter 'x': takes an array of float" in refused(module.sum, 1, None)
    assert "parameter 'x'" in refused(module.sum, 1, 1.0)


def test_memory_in_pieces_is_refused(module):
    x = numpy.zeros((4, 4), numpy.int16)
    assert "(shape (4, 4), strides (2, 8))" in refused(module.grid, 4, 4, x.T)
    assert "numpy.ascontiguousarray()" in refused(module.grid, 4, 2, x[:, :2])


def test_memory_to_read_only_is_not_written(ctx, module):
    x = numpy.ones(N, numpy.float32)
    x.flags.writeable = False
    assert "parameter 'y': the kernel writes it, and the memory that was passed is read-only" in refused(module.add, N, x, x)
    assert module.sum(N, x) == N


def test_numbers_convert_as_in_c(module):
    assert module.half_of(3) == 1.5 and module.half_of(numpy.float32(3)) == 1.5 and module.half_of(numpy.int8(3)) == 1.5
    assert module.half_of(True) == 0.5 and module.both(numpy.bool_(True), 1) is True and module.both(True, False) is False
    assert module.wide(-5, 2**63 + 7) == 2**31 - 5 and module.wide(numpy.int64(-5), numpy.uint64(2**63)) == 2**31 - 5
    x = numpy.zeros(N, numpy.float32)
    for wrong in (2**70, 2**40, 0.5, "1", None, [1], float("nan")):
        assert "'n'" in refused(module.fill, wrong, 0, x)
    assert module.half_of(2**70) == 2.0**69
    refused(module.half_of, 1e300)
    refused(module.half_of, 10**400)


def test_struct_goes_by_value(module):
    packed = struct.pack("fi", 2.5, 7)
    record = numpy.array((2.5, 7), dtype=[("x", "f4"), ("id", "i4")])
    assert module.weight(Point(2.5, 7), 2) == module.weight(packed, 2) == module.weight(record, 2) == 12
    assert module.weight(record[()], 2) == 12
    assert "a value of 9 bytes was passed, and a struct point has 8" in refused(module.weight, packed + b"x", 2)
    assert "takes a struct point by value" in refused(module.weight, 1.0, 2)


def test_struct_comes_back_as_its_bytes(module):
    values = struct.unpack("40di", module.many(3)[:324])
    assert values[1] == 3 and values[39] == 117 and values[40] == 3 and len(module.many(1)) == 328


def test_arguments_have_names_and_defaults(ctx, module):
    x = numpy.zeros(N, numpy.float32)
    module.fill(N, x=x, value=3)
    filled = module.fill.with_defaults(value=7, n=10)
    filled(x=x)
    ctx.sync()
    assert x[9] == 7 and x[10] == 3
    for wrong in (dict(n=N, value=1), dict(n=N, value=1, x=x, y=x), dict(n=N, value=1, x=x, nn=2)):
        with pytest.raises(TypeError) as info:
            module.fill(**wrong)
        assert "kernel 'fill'" in str(info.value)
    with pytest.raises(TypeError, match="two values for parameter 'n'"):
        module.fill(N, 1, x, n=2)
    with pytest.raises(TypeError, match="takes 3 arguments, and got 4"):
        module.fill(N, 1, x, 2)
    with pytest.raises(TypeError, match="no parameter 'no'"):
        module.fill.with_defaults(no=1)


def test_kernel_shows_its_signature(module):
    assert repr(module.add) == "<rill.Kernel void add(int n, const float x[], float y[])>"
    signature = inspect.signature(module.grid)
    assert str(signature) == "(n: rill.i32, m: rill.i32, g: rill.i16[:, :], *, stream=None) -> None"
    assert inspect.signature(module.sum).return_annotation == rill.f64 and module.sum.returns == rill.f64
    assert "fill" in module.kernels and "fill" in dir(module) and module["fill"] is module.fill
    assert inspect.signature(module.fill.with_defaults(n=3)).parameters["n"].default == 3


def test_array_of_another_context_is_refused(module):
    with rill.open("cpu") as other:
        with pytest.raises(rill.InvalidError) as info:
            module.sum(3, other.zeros(3))
        assert info.value.name == "RILL_ERR_FOREIGN"


def test_what_was_refused_holds_nothing(ctx, module):
    x = array.array("f", [1] * 4)
    refused(module.add, 4, x, array.array("d", [1] * 4))
    refused(module.add, 5, x, array.array("f", [1] * 4))
    x.append(1)  # a buffer that somebody holds cannot grow
    ctx.sync()

"""Tensors by the table that DLPack offers to C (__dlpack_c_exchange_api__), as torch has it. A stand-in plays the library: its
table is made with ctypes, over memory of Rill's arrays."""
import ctypes
import threading

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000
KINDS = {"cpu": 1, "cuda": 2, "amdgpu": 10}
CODES = {"f32": (2, 32), "f64": (2, 64), "i32": (0, 32), "i16": (0, 16)}


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class Plain(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    """DLManagedTensorVersioned."""


DELETER = ctypes.PYFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                    ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Plain)]
GIVE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Managed)))
VIEW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Plain))
STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("give", GIVE), ("take", ctypes.c_void_p), ("view", VIEW),
                ("current_stream", STREAM)]


class Library:
    """A library of tensors with a table of its own; `given` counts what it has given and not got back."""

    def __init__(self, major=1, is_torch=False):
        self.given, self.alive, self.stream = 0, {}, 0
        self.deleter = DELETER(self._delete)
        self.table = Table(major=major, minor=3, give=GIVE(self._give), current_stream=STREAM(self._stream))
        self.viewed = 0
        if is_torch:
            self.table.view = VIEW(self._view)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = new(ctypes.addressof(self.table), b"dlpack_exchange_api", None)

        class Tensor:
            """A tensor over an array of Rill's, or over one of NumPy's."""
            __dlpack_c_exchange_api__ = capsule
            requires_grad = False

            def __init__(self, array, flags=0, strides=None, device=None):
                self.array, self.flags, self.strides = array, flags, strides
                name, _, number = (device or "cpu").partition(":")
                self.device = KINDS[name], int(number or 0)

        if is_torch:
            Tensor.__module__ = "torch"
        self.Tensor = Tensor

    def _give(self, tensor, out):
        if tensor.array is None:
            return -1
        managed = Managed(1, 3, None, self.deleter, tensor.flags)
        self._fill(managed.tensor, tensor)
        self.alive[ctypes.addressof(managed)] = managed, tensor.array, tensor
        out[0] = ctypes.pointer(managed)
        self.given += 1
        return 0

    def _view(self, tensor, out):
        if tensor.array is None:
            return -1
        self.viewed += 1
        self._fill(out.contents, tensor)
        return 0

    @staticmethod
    def _fill(plain, tensor):
        array = tensor.array
        plain.data = array.address if isinstance(array, rill.Array) else array.ctypes.data
        plain.device = Device(*tensor.device)
        plain.rank, plain.lanes = array.ndim, 1
        plain.code, plain.bits = CODES[rill.dtype(array.dtype).name]
        tensor.numbers = [(ctypes.c_int64 * array.ndim)(*part) for part in (array.shape, tensor.strides or ())]
        plain.shape = tensor.numbers[0]  # which belong to the tensor
        if tensor.strides is not None:
            plain.strides = tensor.numbers[1]

    def _delete(self, managed):
        self.given -= 1
        self.alive.pop(ctypes.addressof(managed.contents))

    def _stream(self, kind, number, out):
        out[0] = self.stream
        return 0


@pytest.fixture
def library():
    return Library()


def test_memory_of_the_host_is_used_in_place(ctx, module, library):
    x, y = numpy.arange(N, dtype=numpy.float32), numpy.ones(N, numpy.float32)
    module.add(N, library.Tensor(x), library.Tensor(y))
    ctx.sync()
    assert (y == 1 + numpy.arange(N)).all()
    assert library.given == 0 and not library.alive  # given back when the work is done


def test_what_does_not_fit_is_refused_and_given_back(ctx, module, library):
    tensor, y = library.Tensor, numpy.ones(N, numpy.float32)
    for bad, words in ((tensor(y, flags=1), "read-only"), (tensor(y, strides=(2,)), "not in one piece"),
                       (tensor(numpy.ones(N)), "its elements are float"), (tensor(y.reshape(10, -1)), "1 extents"),
                       (tensor(None), "gives no access to its memory"), (tensor(y, device="cuda:7"), "GPU")):
        with pytest.raises(rill.ArgumentError, match=words):
            module.add(N, y, bad)
        assert library.given == 0
    wanting = tensor(y)
    wanting.requires_grad = True
    with pytest.raises(rill.ArgumentError, match="wants a gradient"):
        module.add(N, y, wanting)
    module.add(N, tensor(y, flags=1), y)  # read-only is enough for what is only read
    ctx.sync()
    assert (y == 2).all()


def test_a_table_of_a_version_to_come_is_left_alone(ctx, module):
    later = Library(major=2)
    with pytest.raises(rill.ArgumentError, match="takes an array of float"):
        module.fill(N, 1, later.Tensor(numpy.ones(N, numpy.float32)))


def test_many_types_with_tables(ctx, module):
    """More types than are remembered; each keeps its own table."""
    libraries = [Library() for _ in range(20)]
    x = numpy.zeros(N, numpy.float32)
    for turn in range(3):
        for library in libraries:
            module.add(N, library.Tensor(numpy.ones(N, numpy.float32)), library.Tensor(x))
    ctx.sync()
    assert (x == 60).all() and all(library.given == 0 for library in libraries)


def test_work_on_a_gpu_goes_to_the_librarys_stream(ctx, module, library):
    if not ctx.device.startswith("cuda"):
        pytest.skip("the device is no NVIDIA GPU")
    gate, x = threading.Event(), ctx.zeros(N)
    tensor = library.Tensor(x, device=ctx.device)
    with ctx.stream() as theirs, ctx.stream() as ours:
        library.stream = theirs.native
        theirs.callback(lambda status: gate.wait(60))
        module.fill(N, 1, tensor)                     # nobody names a stream: theirs, behind the callback
        assert library.given == 0                     # their allocator keeps its memory in order
        ctx.default_stream.synchronize()
        assert not theirs.query()
        module.fill(N, 2, tensor, stream=ours)        # somebody does: kept until that stream has come past
        with rill.stream(ours):
            module.fill(N, 2, tensor)
        ours.synchronize()
        assert library.given == 0
        gate.set()
        theirs.synchronize()
        assert x[0] == 1


def test_torchs_tensors_on_its_stream_are_only_looked_at(ctx, module):
    torch = Library(is_torch=True)
    if not ctx.device.startswith("cuda"):
        y = numpy.ones(N, numpy.float32)
        module.add(N, torch.Tensor(y), torch.Tensor(y))
        ctx.sync()
        assert (y == 2).all() and torch.viewed == 0  # on the CPU they are kept until the work is done
        return
    x = ctx.zeros(N)
    tensor = torch.Tensor(x, device=ctx.device)
    with ctx.stream() as theirs, ctx.stream() as ours:
        torch.stream = theirs.native
        module.fill(N, 1, tensor)
        assert (torch.viewed, torch.given) == (1, 0)
        theirs.synchronize()
        assert x[0] == 1
        module.fill(N, 2, tensor, stream=ours)
        ours.synchronize()
        assert torch.viewed == 1 and torch.given == 0 and x[0] == 2
        with pytest.raises(rill.ArgumentError, match="gives no access"):
            module.fill(N, 1, torch.Tensor(None, device=ctx.device))
        with pytest.raises(rill.ArgumentError, match="not in one piece"):
            module.fill(N, 1, torch.Tensor(x, strides=(2,), device=ctx.device))
        with pytest.raises(rill.ArgumentError, match="that of GPU 7"):
            module.fill(N, 1, torch.Tensor(x, device="cuda:7"))


def test_an_array_that_refuses_its_buffer_is_asked_otherwise(ctx, module):
    """CuPy's have the buffer protocol, which raises."""
    import sys
    if sys.version_info < (3, 12):
        pytest.skip("classes of Python have the buffer protocol from 3.12 on")
    library = Library()

    class Tensor(library.Tensor):
        def __buffer__(self, flags):
            raise TypeError("no")

    x = numpy.zeros(N, numpy.float32)
    module.fill(N, 3, Tensor(x))
    ctx.sync()
    assert (x == 3).all()

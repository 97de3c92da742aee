"""Memory of a GPU that another library allocated, on that library's current stream. A stand-in plays torch: what is taken of
it is __cuda_array_interface__ and torch._C._cuda_getCurrentRawStream()."""
import sys
import threading
import types

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000


class Tensor:
    """As a tensor of torch on a GPU."""

    def __init__(self, array, readonly=False, strides=None):
        self.array = array
        self.__cuda_array_interface__ = {"version": 3, "shape": array.shape, "typestr": array.dtype.numpy.str,
                                         "data": (array.address, readonly), "strides": strides}


@pytest.fixture
def gpu(ctx):
    if not ctx.device.startswith("cuda"):
        pytest.skip("the device is no NVIDIA GPU")
    return ctx


def test_memory_of_the_device_is_used_in_place(gpu, module):
    x, y = gpu.array(numpy.arange(N, dtype=numpy.float32)), gpu.array(numpy.ones(N, numpy.float32))
    module.add(N, Tensor(x, readonly=True), Tensor(y))
    assert (y.numpy() == 1 + numpy.arange(N)).all()
    with pytest.raises(rill.ArgumentError, match="read-only"):
        module.add(N, Tensor(x), Tensor(y, readonly=True))
    with pytest.raises(rill.ArgumentError, match="not in one piece"):
        module.add(N, Tensor(x, strides=(8,)), Tensor(y))
    with pytest.raises(rill.ArgumentError, match="its elements are float"):
        module.add(N, Tensor(gpu.zeros(N, "f64")), Tensor(y))
    wrapped = gpu.wrap(Tensor(y))
    module.fill(N, 3, wrapped)
    assert (y.numpy() == 3).all()
    assert Tensor(y).__cuda_array_interface__["data"] == y.__cuda_array_interface__["data"]


def test_work_goes_to_torchs_current_stream(gpu, module, monkeypatch):
    gate, x = threading.Event(), gpu.zeros(N)
    with gpu.stream() as theirs, gpu.stream() as ours:
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(is_initialized=lambda: True)
        torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: theirs.native)
        monkeypatch.setitem(sys.modules, "torch", torch)
        theirs.callback(lambda status: gate.wait(60))
        module.fill(N, 1, Tensor(x))                  # nobody names a stream: torch's, behind the callback
        gpu.default_stream.synchronize()
        assert not theirs.query()
        module.fill(N, 2, Tensor(x), stream=ours)     # somebody does
        with rill.stream(ours):
            module.fill(N, 2, Tensor(x))
        ours.synchronize()
        assert x.numpy(ours)[0] == 2
        gate.set()
        theirs.synchronize()
        assert x.numpy(ours)[0] == 1


def test_tensors_are_kept_until_their_work_is_done(gpu, module, stream):
    gate, seen = threading.Event(), []
    stream.callback(lambda status: gate.wait(60))
    tensor = Tensor(gpu.zeros(N))
    import weakref
    weakref.finalize(tensor, seen.append, 1)
    module.fill(N, 1, tensor, stream=stream)
    del tensor
    assert not seen
    gate.set()
    stream.synchronize()
    assert seen == [1]

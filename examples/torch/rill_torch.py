"""Rill kernels on PyTorch's tensors and streams, without a copy and without waiting.

    import rill_torch
    saxpy = rill_torch.Module('''
        #include <rill/kernel.h>
        kernel void saxpy(long n, float a, const float x[n], float y[n])
        { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
    ''').saxpy
    saxpy(y.numel(), 2.0, x, y)      # on torch.cuda.current_stream(), also inside torch.cuda.graph

A tensor argument is its memory as it lies on the device: it must be contiguous. The launch returns at once; it keeps its
place among what PyTorch queues on the same stream. PyTorch must not give the memory to somebody else before the launch
has run: for a tensor that was made on another stream call tensor.record_stream(), as for any work of PyTorch's own.

librill.so is looked for where RILL_LIBRARY says, beside this file's installation (../../lib), then by the loader.
"""
import ctypes
import os
import pathlib

import torch

INT, UINT, FLOAT, PTR = 1, 2, 3, 5
TYPES = {torch.bool: 1, torch.int8: 2, torch.uint8: 3, torch.int16: 4, torch.int32: 6, torch.int64: 8,
         torch.float32: 10, torch.float64: 11}


class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("u", ctypes.c_uint64), ("f", ctypes.c_double), ("pointer", ctypes.c_void_p)]


class Arg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("type", ctypes.c_int32), ("value", Value), ("count", ctypes.c_uint64),
                ("size", ctypes.c_uint64)]


class Args(ctypes.Structure):
    _fields_ = [("items", ctypes.POINTER(Arg)), ("count", ctypes.c_size_t)]


class Error(RuntimeError):
    pass


def _load():
    beside = pathlib.Path(__file__).resolve().parents[2] / "lib" / "librill.so"
    name = os.environ.get("RILL_LIBRARY") or (str(beside) if beside.exists() else "librill.so")
    library = ctypes.CDLL(name)
    handle, text, out = ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64)
    for call, types in {"rill_open": [text, ctypes.c_void_p, out],
                        "rill_module_create": [handle, text, ctypes.c_void_p, out],
                        "rill_module_kernel": [handle, text, out],
                        "rill_stream_wrap": [handle, ctypes.c_void_p, out],
                        "rill_stream_synchronize": [handle],
                        "rill_launch": [handle, handle, Args]}.items():
        getattr(library, call).argtypes = types
    library.rill_message.restype = text
    return library


_rill = _load()
_contexts = {}  # by the device's index
_streams = {}   # by index and native handle


def _check(status):
    if status != 0:
        raise Error(_rill.rill_message().decode())


def _made(call, *args):
    handle = ctypes.c_uint64()
    _check(call(*args, ctypes.byref(handle)))
    return handle.value


def _context(index):
    if index not in _contexts:
        torch.cuda.init()
        _contexts[index] = _made(_rill.rill_open, f"cuda:{index}".encode(), None)
    return _contexts[index]


def stream(index=None):
    """The Rill stream that is PyTorch's current one."""
    index = torch.cuda.current_device() if index is None else index
    native = torch.cuda.current_stream(index).cuda_stream
    if (index, native) not in _streams:
        _streams[index, native] = _made(_rill.rill_stream_wrap, _context(index), native)
    return _streams[index, native]


def _argument(out, value):
    if isinstance(value, torch.Tensor):
        if not value.is_cuda or not value.is_contiguous():
            raise Error("a tensor must be contiguous and on the GPU")
        out.kind, out.type = PTR, TYPES[value.dtype]
        out.value.pointer, out.count, out.size = value.data_ptr(), value.numel(), value.element_size()
    elif isinstance(value, float):
        out.kind, out.value.f = FLOAT, value
    elif value < 0:
        out.kind, out.value.i = INT, value
    else:
        out.kind, out.value.u = UINT, value


class Kernel:
    def __init__(self, handle, index):
        self._handle, self._index = handle, index

    def __call__(self, *values):
        items = (Arg * len(values))()
        for item, value in zip(items, values):
            _argument(item, value)
        _check(_rill.rill_launch(self._handle, stream(self._index), Args(items, len(values))))


class Module:
    """Compiles C text for the current device; its kernels are its attributes."""

    def __init__(self, text, index=None):
        self._index = torch.cuda.current_device() if index is None else index
        self._handle = _made(_rill.rill_module_create, _context(self._index), text.encode(), None)

    def __getattr__(self, name):
        kernel = Kernel(_made(_rill.rill_module_kernel, self._handle, name.encode()), self._index)
        setattr(self, name, kernel)
        return kernel


def synchronize():
    """Waits for the current stream; a kernel that failed, also in a graph's replay, raises its error here."""
    _check(_rill.rill_stream_synchronize(stream()))

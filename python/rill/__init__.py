"""Rill: data-parallel kernels on CPU threads and GPUs.

    import numpy, rill
    with rill.open("cpu") as ctx:
        saxpy = ctx.kernel('''
            #include <rill/kernel.h>
            kernel void saxpy(long n, float a, const float x[n], float y[n])
            { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
        ''')
        x, y = numpy.arange(1000, dtype="f4"), numpy.ones(1000, "f4")
        saxpy(len(y), 2, x, y)      # returns at once
        ctx.sync()                  # now y has the result

docs/python.md is the manual.
"""
from rill import _core
from rill.array import Array
from rill.context import Context, Device, default, devices, open, set_default
from rill.errors import (ArgumentError, AssertError, BoundsError, CallbackError, CapturingError, CompileError,
                         ConflictError, DeviceError, Diagnostic, Error, FileError, ForkError, InternalError,
                         InvalidError, KernelError, NotFoundError, NotReadyError, OutOfMemoryError, RaceError,
                         RecordingError, StaleError, UnrecordedError, UnsupportedError)
from rill.module import Kernel, Module
from rill.step import Step, record
from rill.stream import Event, Stream, stream
from rill.types import BY_NAME as _types, ArrayType, DType, dtype

bool_, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16, bf16 = (
    _types[name] for name in ("bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16"))
__version__ = _core.version()


# Kernels in Python, and what stands in them: loaded when one of the names is first asked for.
_SCRIPT = frozenset((
    "ScriptError", "ScriptKernel", "func", "kernel", "static", "grid", "local", "parallel", "serial", "single", "collapse",
    "block_dim", "stream_parallel", "rsqrt", "template", "atomic_add", "atomic_sub", "atomic_mul", "atomic_min", "atomic_max",
    "atomic_and", "atomic_or", "atomic_xor", "atomic_exchange", "atomic_cas", "random_u32", "random_f32", "random_f64",
    "random_normal_f32"))


def __getattr__(name):
    if name == "struct":
        from rill.structs import struct
        globals()["struct"] = struct
        return struct
    if name == "torch":
        import importlib
        try:
            return importlib.import_module("rill.torch")
        except ModuleNotFoundError as error:
            raise AttributeError(f"rill.torch needs PyTorch: {error}") from None
    if name not in _SCRIPT:
        raise AttributeError(f"module 'rill' has no attribute '{name}'")
    from rill import script
    globals().update({each: getattr(script, each) for each in _SCRIPT})
    return globals()[name]


def __dir__():
    import importlib.util
    return sorted({*globals(), *_SCRIPT, "struct", *(["torch"] if importlib.util.find_spec("torch") else [])})


def array(values, dtype=None):
    """Context.array() of the default context."""
    return default().array(values, dtype)


def zeros(shape, dtype="f32"):
    """Context.zeros() of the default context."""
    return default().zeros(shape, dtype)


def sync():
    """Waits for every stream of the default context."""
    default().sync()


def _stream_of_torch(context):
    """Where work on device memory of others goes, if nobody says: torch's current stream, if torch is there."""
    import sys
    torch = sys.modules.get("torch")
    if torch is None or not context.device.startswith("cuda") or not torch.cuda.is_initialized():
        return None
    return context.wrap_stream(torch._C._cuda_getCurrentRawStream(int(context.device.partition(":")[2])))


def _pack_struct(value, c_name):
    """The bytes of an object of a dataclass that is passed by value; None if it is none."""
    from rill.structs import pack_argument
    return pack_argument(value, c_name)


_core.set_stream_chooser(_stream_of_torch)
_core.set_struct_packer(_pack_struct)

"""Rill: data-parallel kernels on CPU threads and GPUs."""
from typing import Any

from rill.array import Array as Array
from rill.context import (Context as Context, Device as Device, default as default, devices as devices, open as open,
                          set_default as set_default)
from rill.errors import (ArgumentError as ArgumentError, AssertError as AssertError, BoundsError as BoundsError,
                         CallbackError as CallbackError, CapturingError as CapturingError, CompileError as CompileError,
                         ConflictError as ConflictError, DeviceError as DeviceError, Diagnostic as Diagnostic, Error as Error,
                         FileError as FileError, ForkError as ForkError, InternalError as InternalError,
                         InvalidError as InvalidError, KernelError as KernelError, NotFoundError as NotFoundError,
                         NotReadyError as NotReadyError, OutOfMemoryError as OutOfMemoryError, StaleError as StaleError,
                         RaceError as RaceError, RecordingError as RecordingError, UnrecordedError as UnrecordedError, UnsupportedError as UnsupportedError)
from rill.module import Kernel as Kernel, Module as Module
from rill.script import (ScriptError as ScriptError, ScriptKernel as ScriptKernel, atomic_add as atomic_add,
                         atomic_and as atomic_and, atomic_cas as atomic_cas, atomic_exchange as atomic_exchange,
                         atomic_max as atomic_max, atomic_min as atomic_min, atomic_mul as atomic_mul, atomic_or as atomic_or,
                         atomic_sub as atomic_sub, atomic_xor as atomic_xor, block_dim as block_dim, collapse as collapse,
                         func as func, grid as grid, kernel as kernel, local as local, parallel as parallel,
                         random_f32 as random_f32, random_f64 as random_f64, random_normal_f32 as random_normal_f32,
                         random_u32 as random_u32, rsqrt as rsqrt, serial as serial, single as single, static as static,
                         stream_parallel as stream_parallel, template as template)
from rill.step import Step as Step, record as record
from rill.stream import Event as Event, Stream as Stream, stream as stream
from rill.structs import struct as struct
from rill.types import ArrayType as ArrayType, DType as DType, dtype as dtype

# Element types: rill.DType. To type checkers they are Any, so that `x: rill.f32[:, :]` is an annotation.
bool_: Any
i8: Any
u8: Any
i16: Any
u16: Any
i32: Any
u32: Any
i64: Any
u64: Any
f32: Any
f64: Any
f16: Any
bf16: Any
__version__: str

def array(values: Any, dtype: Any = None) -> Array: ...
def zeros(shape: Any, dtype: Any = "f32") -> Array: ...
def sync() -> None: ...
def __dir__() -> list[str]: ...

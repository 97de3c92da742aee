"""Annotations of arguments: qd.types.ndarray(dtype=qd.f32, ndim=1), qd.types.NDArray[qd.f32, 1]; element types by their
names; vector, matrix, struct."""
from rill import bf16, bool_ as u1, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from rill.quadrants.lang.kernel import template
from rill.quadrants.lang.matrix import matrix, vector
from rill.quadrants.lang.struct import struct
from rill.types import ArrayType, dtype as _dtype

__all__ = ["NDArray", "bf16", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "matrix", "ndarray", "struct", "template", "u1", "u8", "u16",
           "u32", "u64", "vector"]
float16, float32, float64, int8, int16, int32, int64, uint1, uint8, uint16, uint32, uint64 = (
    f16, f32, f64, i8, i16, i32, i64, u1, u8, u16, u32, u64)


def ndarray(dtype=None, ndim=None, **_):
    """An array of elements and extents that are said, or of those of the argument."""
    if dtype is None or ndim is None:
        return None
    return ArrayType(_dtype(dtype), ndim or 1)  # an array without extents is one element: x[()], x[None]


class NDArray:
    """qd.types.NDArray[qd.f32, 2]."""

    def __class_getitem__(cls, key):
        return ndarray(*key) if isinstance(key, tuple) else None

"""Annotations of arguments: qd.types.ndarray(dtype=qd.f32, ndim=1), qd.types.NDArray[qd.f32, 1]."""
from rill.quadrants.lang.matrix import matrix, vector
from rill.types import ArrayType, dtype as _dtype

__all__ = ["NDArray", "matrix", "ndarray", "vector"]


def ndarray(dtype=None, ndim=None, **_):
    """An array of elements and extents that are said, or of those of the argument."""
    if dtype is None or ndim is None:
        return None
    return ArrayType(_dtype(dtype), ndim or 1)  # an array without extents is one element: x[()], x[None]


class NDArray:
    """qd.types.NDArray[qd.f32, 2]."""

    def __class_getitem__(cls, key):
        return ndarray(*key) if isinstance(key, tuple) else None

"""Vectors and matrices by the names of Quadrants: qd.Vector([x, y]), qd.Vector.field(2, qd.f32, n), qd.types.vector(3, qd.f32)."""
from typing import Any

from rill import types
from rill.quadrants.lang import field as fields, impl
from rill.vectors import Vector as _Vector, VectorType, flat


class Type(VectorType):
    """The type of a vector or a matrix that a program names: vec3.field(shape=n)."""

    __slots__ = ()

    def field(self, shape=None, **options):
        """A field of such vectors."""
        return fields.field(self, shape, **options)

    def ndarray(self, shape=(), **options):
        """An array of such vectors."""
        return fields.ndarray(self, shape, **options)


def vector(n, dtype):
    """The type of a vector of n numbers."""
    return Type(impl.number_type(dtype), (n,))


def matrix(n, m, dtype):
    """The type of a matrix of n rows."""
    return Type(impl.number_type(dtype), (n, m))


def _static(function: Any) -> Any:
    function._rill_static = True  # in kernels it is evaluated when they are compiled
    return function


def _kind(numbers, dtype):
    found, shape = flat(numbers)
    return _Vector(found if dtype is None else [types.dtype(dtype)(number) for number in found], shape)


def _filled(number, dt, n, m=None):
    number = types.dtype(impl.number_type(dt))(number)
    return _Vector([number] * (n * (m or 1)), (n,) if m is None else (n, m))


@_static
def zero(dt, n, m=None):
    """All 0."""
    return _filled(0, dt, n, m)


@_static
def one(dt, n, m=None):
    """All 1."""
    return _filled(1, dt, n, m)


@_static
def unit(n, i, dt=None):
    """1 at place i, else 0."""
    return _Vector([types.dtype(dt or types.BY_NAME["i32"])(int(k == i)) for k in range(n)])


@_static
def identity(dt, n):
    """1 in the diagonal, else 0."""
    one_ = types.dtype(impl.number_type(dt))
    return _Vector([one_(int(i == j)) for i in range(n) for j in range(n)], (n, n))


def _vector_field(n, dtype, shape=None, **others):
    return fields.field(vector(n, dtype), shape, **others)


def _matrix_field(n, m, dtype, shape=None, **others):
    return fields.field(matrix(n, m, dtype), shape, **others)


def _vector_ndarray(n, dtype, shape=(), **others):
    return fields.ndarray(vector(n, dtype), shape, **others)


def _matrix_ndarray(n, m, dtype, shape=(), **others):
    return fields.ndarray(matrix(n, m, dtype), shape, **others)


def _of_vectors(name, text):
    def call(vectors):
        rows = _Vector([list(v) for v in vectors])
        return rows if name == "rows" else rows.transpose()
    call._rill_builtin, call.__doc__ = name, text
    return call


class _Vectors:
    """qd.Vector([x, y]): of numbers on the host, of any values in kernels."""

    _rill_builtin = "Vector"
    field, ndarray = staticmethod(_vector_field), staticmethod(_vector_ndarray)
    zero, one, unit = staticmethod(zero), staticmethod(one), staticmethod(unit)

    def __call__(self, values, dt=None):
        return _kind(values, dt)


class _Matrices:
    """qd.Matrix([[a, b], [c, d]]), by its rows."""

    _rill_builtin = "Matrix"
    field, ndarray = staticmethod(_matrix_field), staticmethod(_matrix_ndarray)
    zero, one, identity = staticmethod(zero), staticmethod(one), staticmethod(identity)
    rows = staticmethod(_of_vectors("rows", "A matrix of its rows."))
    cols = staticmethod(_of_vectors("cols", "A matrix of its columns."))

    def __call__(self, values, dt=None):
        return _kind(values, dt)


Vector, Matrix = _Vectors(), _Matrices()

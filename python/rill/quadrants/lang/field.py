"""Fields and ndarrays: arrays of Rill that know the names of Quadrants. A field may be used by a kernel without being passed."""
from rill import types
from rill.array import Array
from rill.errors import InvalidError
from rill.quadrants.lang import impl
from rill.vectors import VectorType


class Ndarray(Array):
    """qd.ndarray(): passed to kernels as an argument. x[i, j] is one element; x[None] that of an array without extents."""

    _is_scalar = False
    _needs_grad = False

    def _place(self, key):
        return (0, ()) if self._is_scalar and key in (None, ()) else super()._place(key)

    @property
    def arr(self):
        """Where programs look for the address."""
        return self

    def device_allocation_ptr(self):
        """The address of the first element."""
        return self.address

    @property
    def shape(self):
        return () if self._is_scalar else super().shape

    @property
    def grad(self):
        """None; of a field that needs one, an error: there are no derivatives."""
        if self._needs_grad:
            raise NotImplementedError("rill.quadrants has no derivatives: the field has no gradient")
        return None

    def to_numpy(self, dtype=None):
        """A copy. Waits for the current stream."""
        values = self.numpy()
        if isinstance(self.dtype, VectorType):
            values = values.view(self.dtype.element.numpy).reshape(*self.shape, *self.dtype.shape)
        return values if dtype is None else values.astype(dtype)

    def from_numpy(self, values):
        """Copies an array of this shape; its elements are converted."""
        import numpy
        if isinstance(self.dtype, VectorType):
            values = numpy.ascontiguousarray(values, self.dtype.element.numpy)
            if values.shape != (*self.shape, *self.dtype.shape):
                raise InvalidError(f"values of shape {values.shape} were given for {self.shape} of {self.dtype!r}")
            self._write(memoryview(values).cast("B"), 0, self.size, None)
            return
        self.write(numpy.ascontiguousarray(values, self.dtype.numpy).reshape(self.shape))

    def fill(self, value):
        super().fill(value)


class Field(Ndarray):
    """qd.field()."""


def _make(kind, dtype, shape, needs_grad):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    made = kind._make(impl.context(), shape or (1,), types.dtype(impl.number_type(dtype)))
    if not shape:
        made._is_scalar = True
    made._needs_grad = needs_grad
    return made


def field(dtype, shape=(), *, needs_grad=False, **_):
    """A field of numbers, all zero."""
    return _make(Field, dtype, shape, needs_grad)


def ndarray(dtype, shape=(), *, needs_grad=False, **_):
    """An array of numbers, all zero."""
    return _make(Ndarray, dtype, shape, needs_grad)

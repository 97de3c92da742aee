"""Fields and ndarrays: arrays of Rill that know the names of Quadrants. A field may be used by a kernel without being passed."""
from rill import types
from rill.array import Array
from rill.errors import InvalidError
from rill.quadrants.lang import impl
from rill.quadrants.lang.element import placed
from rill.quadrants.lang.exception import QuadrantsRuntimeError
from rill.structs import StructType
from rill.vectors import Vector, VectorType


def numbers(values, dtype, shape):
    """An array of NumPy's of elements that are structs or vectors, as programs know it: extents of vectors behind those of
    the field, a dictionary of a struct's members."""
    import numpy
    if isinstance(dtype, VectorType):
        return numpy.ascontiguousarray(values).reshape(-1).view(dtype.element.numpy).reshape(*shape, *dtype.shape)
    if dtype.members is not None:
        return {m.name: numbers(values[m.name], m.dtype, shape) for m in dtype.members}
    return values.reshape(shape)


def put(values, given, dtype, shape):
    """Sets an array of NumPy's from what numbers() made of it."""
    import numpy
    if isinstance(dtype, VectorType):
        given = numpy.ascontiguousarray(given, dtype.element.numpy)
        if given.shape != (*shape, *dtype.shape):
            raise InvalidError(f"values of shape {given.shape} were given for {shape} of {dtype!r}")
        values[...] = given.reshape(-1).view(dtype.numpy).reshape(values.shape)
    elif dtype.members is not None:
        for member in dtype.members:
            put(values[member.name], given[member.name], member.dtype, shape)
    else:
        given = numpy.asarray(given)
        if given.shape != tuple(shape):
            raise InvalidError(f"values of shape {given.shape} were given for an array of shape {tuple(shape)}")
        values[...] = given.reshape(values.shape)


class Exchange:
    """What a field and a member of a field of structs have in common: values to NumPy and torch and back."""

    def to_numpy(self, dtype=None):
        """A copy. Waits for the current stream."""
        values = numbers(self.numpy(), self.dtype, self.shape)
        return values if dtype is None else values.astype(dtype)

    def from_numpy(self, values):
        """Copies an array of this shape; its elements are converted."""
        here = self.numpy()
        put(here, values, self.dtype, self.shape)
        self._set(here)

    def to_torch(self, device=None):
        """A tensor with a copy; a dictionary of tensors for structs."""
        import torch
        values = self.to_numpy()
        if isinstance(values, dict):
            return {name: torch.from_numpy(part).to(device) for name, part in values.items()}
        return torch.from_numpy(values).to(device)

    def from_torch(self, values):
        """Copies a tensor of this shape; its elements are converted."""
        self.from_numpy(values.detach().cpu().numpy())


class Ndarray(Exchange, Array):
    """qd.ndarray(): passed to kernels as an argument. x[i, j] is one element; x[None] that of an array without extents."""

    _is_scalar = False
    _is_placed = True
    _needs_grad = False

    def _place(self, key):
        if self._is_scalar and key in (None, ()):
            return 0, ()
        return super()._place(tuple(key) if isinstance(key, (list, Vector)) else key)

    def __getitem__(self, key):
        value = super().__getitem__(key)
        return placed(value, lambda changed: self.__setitem__(key, changed))

    def __getattr__(self, name):
        dtype = self.dtype
        if isinstance(dtype, StructType) and not isinstance(dtype, VectorType) and dtype.member(name) is not None:
            return Member(self, name)
        raise AttributeError(f"a {type(self).__name__} has no '{name}'")

    def _set(self, values):
        import numpy
        self._write(memoryview(values.view(numpy.uint8) if values.dtype.fields else values).cast("B"), 0, self.size, None)

    def __str__(self):
        return str(self.to_numpy())

    @property
    def arr(self):
        """Where programs look for the address."""
        return self

    def device_allocation_ptr(self):
        """The address of the first element."""
        return self.address

    @property
    def shape(self):
        if not self._is_placed:
            raise QuadrantsRuntimeError("the field has no place: give it a shape, or a place, qd.root.dense(qd.i, n).place(x)")
        return () if self._is_scalar else super().shape

    @property
    def element_shape(self):
        """Extents of an element: of a vector, of a matrix."""
        return self.dtype.shape if isinstance(self.dtype, VectorType) else ()

    @property
    def n(self):
        """Rows of an element that is a vector or a matrix."""
        return self._extent_of_elements(0)

    @property
    def m(self):
        """Columns of an element that is a vector or a matrix."""
        return self._extent_of_elements(1)

    def _extent_of_elements(self, axis):
        if not isinstance(self.dtype, VectorType):
            return self.__getattr__("nm"[axis])
        return (*self.dtype.shape, 1)[axis]

    @property
    def grad(self):
        """None; of a field that needs one, an error: there are no derivatives."""
        if self._needs_grad:
            raise NotImplementedError("rill.quadrants has no derivatives: the field has no gradient")
        return None

    def fill(self, value):
        super().fill(value)

    def copy_from(self, source, stream=None, source_stream=None):
        """Copies another one of the same shape; the elements are converted."""
        if isinstance(source, Array) and source.dtype == self.dtype:
            super().copy_from(source, stream, source_stream)
        else:
            self.from_numpy(source.to_numpy())


class Field(Ndarray):
    """qd.field()."""


class Member(Exchange):
    """x.pos of a field of structs: x.pos[i] is x[i].pos. Its memory lies in pieces: kernels take the whole field."""

    def __init__(self, home, name):
        self._home, self._name, self.dtype = home, name, home.dtype.member(name).dtype

    @property
    def shape(self):
        """Extents of the field."""
        return self._home.shape

    def __repr__(self):
        return f"<member '{self._name}' of {self._home!r}>"

    def __getitem__(self, key):
        return getattr(self._home[key], self._name)

    def __setitem__(self, key, value):
        setattr(self._home[key], self._name, value)

    def __getattr__(self, name):
        if name != "dtype" and self.dtype.members is not None and self.dtype.member(name) is not None:
            return Member(self, name)
        raise AttributeError(f"a member of a field has no '{name}'")

    def numpy(self):
        """A NumPy array with a copy, of structs where the member is one."""
        return self._home.numpy()[self._name]

    def _set(self, values):
        here = self._home.numpy()
        here[self._name] = values
        self._home._set(here)

    def copy_from(self, source):
        """Copies a field or a member of the same shape; the elements are converted."""
        self.from_numpy(source.to_numpy())

    def fill(self, value):
        """Sets it in every element."""
        import numpy
        self._set(numpy.broadcast_to(numpy.frombuffer(self.dtype.pack(value), self.dtype.numpy)[0], self._home.numpy().shape))


def _make(kind, dtype, shape, needs_grad, offset=None):
    if offset is not None and any((offset,) if isinstance(offset, int) else offset):
        raise NotImplementedError("rill.quadrants has no offsets: indices of a field begin at 0")
    dtype = types.dtype(impl.number_type(dtype))
    extents = (0,) if shape is None else (shape,) if isinstance(shape, int) else tuple(map(int, shape))
    made = kind._make(impl.context(), extents or (1,), dtype)
    made._is_scalar, made._is_placed, made._needs_grad = not extents, shape is not None, needs_grad
    return made


def place(field, shape):
    """Gives a field that has none its memory."""
    if not isinstance(field, Field):
        raise QuadrantsRuntimeError(f"what has a place is a field, and this is {field!r}")
    if field._is_placed:
        raise QuadrantsRuntimeError("the field has a place already, or a shape of its own")
    field._exchange(_make(Field, field.dtype, shape, False))
    field._is_scalar, field._is_placed = not shape, True


def field(dtype, shape=None, *, needs_grad=False, offset=None, **_):
    """A field of numbers, all zero. Without a shape it gets its place later: qd.root.dense(qd.i, n).place(x)."""
    return _make(Field, dtype, shape, needs_grad, offset)


def ndarray(dtype, shape=(), *, needs_grad=False, **_):
    """An array of numbers, all zero."""
    return _make(Ndarray, dtype, shape, needs_grad)

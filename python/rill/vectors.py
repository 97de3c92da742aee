"""Vectors and matrices of a few numbers: element types of arrays, values in kernels, and objects on the host."""
import math

from rill.structs import StructType
from rill.types import BY_NAME, DType

_LETTERS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}


def places(name, shape):
    """The elements that v.x, v.xy, v.rgb name; None for what names none."""
    if len(shape) != 1 or not name or any(letter not in _LETTERS for letter in name):
        return None
    found = [_LETTERS[letter] for letter in name]
    return found if max(found) < shape[0] else None


def flat(values):
    """The numbers of nested sequences, and the shape."""
    if isinstance(values, Vector):
        return list(values.values), values.shape
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        return [values], ()
    parts = [flat(value) for value in values]
    if any(shape != parts[0][1] for _, shape in parts):
        raise ValueError(f"the rows of {values!r} are not of one length")
    return [number for numbers, _ in parts for number in numbers], (len(parts), *(parts[0][1] if parts else ()))


class Vector:
    """A vector or a matrix on the host: v[i], m[i, j], v.x, arithmetic by elements, @, dot, cross, norm, transpose."""

    __slots__ = ("values", "shape")

    def __init__(self, values, shape=None):
        numbers, found = flat(values)
        self.values, self.shape = numbers, tuple(found if shape is None else shape)
        if math.prod(self.shape) != len(numbers):
            raise ValueError(f"{len(numbers)} numbers were given for a matrix of {self.shape}")

    def _place(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) != len(self.shape) or not all(-n <= k < n for k, n in zip(keys, self.shape)):
            raise IndexError(f"{key} is no index of a matrix of {self.shape}")
        place = 0
        for k, n in zip(keys, self.shape):
            place = place * n + k % n
        return place

    def __getitem__(self, key):
        if isinstance(key, int) and len(self.shape) == 2:
            return Vector([self[key, j] for j in range(self.shape[1])])
        return self.values[self._place(key)]

    def __setitem__(self, key, value):
        self.values[self._place(key)] = value

    def __getattr__(self, name):
        found = places(name, self.shape)
        if found is None:
            raise AttributeError(f"a vector of {self.shape} has no '{name}'")
        return self.values[found[0]] if len(found) == 1 else Vector([self.values[i] for i in found])

    def __setattr__(self, name, value):
        if name in ("values", "shape"):
            object.__setattr__(self, name, value)
            return
        found = places(name, self.shape)
        if found is None:
            raise AttributeError(f"a vector of {self.shape} has no '{name}'")
        for place, number in zip(found, [value] if len(found) == 1 else flat(value)[0]):
            self.values[place] = number

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(self.shape[0])])

    def tolist(self):
        """Nested lists of numbers."""
        return [part.tolist() if isinstance(part, Vector) else part for part in self]

    to_list = tolist

    def to_numpy(self):
        """A NumPy array."""
        import numpy
        return numpy.array(self.tolist())

    def __array__(self, dtype=None, copy=None):
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype)

    def __repr__(self):
        return f"Vector({self.tolist()})"

    def __eq__(self, other):
        return isinstance(other, (Vector, list, tuple)) and flat(other) == (self.values, self.shape)

    __hash__ = None  # type: ignore[assignment]  # it may change

    def _with(self, other, operation):
        numbers, shape = flat(other)
        if shape not in ((), self.shape):
            return NotImplemented
        return Vector([operation(a, numbers[i if shape else 0]) for i, a in enumerate(self.values)], self.shape)

    def __matmul__(self, other):
        if self.shape[-1] != other.shape[0]:
            raise ValueError(f"matrices of {self.shape} and {other.shape} have no product")
        columns = 1 if len(other.shape) == 1 else other.shape[1]
        inner = other.shape[0]
        out = [sum(self.values[i * inner + k] * other.values[k * columns + j] for k in range(inner))
               for i in range(self.shape[0]) for j in range(columns)]
        return Vector(out, (self.shape[0], *other.shape[1:]))

    def __neg__(self):
        return self * -1

    def dot(self, other):
        """The sum of the products."""
        return sum(a * b for a, b in zip(self.values, flat(other)[0]))

    def norm_sqr(self):
        """The sum of the squares."""
        return self.dot(self)

    def norm(self, eps=0):
        """The length."""
        return math.sqrt(self.norm_sqr() + eps)

    def normalized(self, eps=0):
        """The same direction with length 1."""
        return self / (self.norm() + eps)

    def cross(self, other):
        """The cross product."""
        (a, b, c), (x, y, z) = self.values, flat(other)[0]
        return Vector([b * z - c * y, c * x - a * z, a * y - b * x])

    def sum(self):
        """The sum of the elements."""
        return sum(self.values)

    def max(self):
        """The largest element."""
        return max(self.values)

    def min(self):
        """The smallest element."""
        return min(self.values)

    def transpose(self):
        """Rows as columns."""
        n, m = self.shape
        return Vector([self.values[i * m + j] for j in range(m) for i in range(n)], (m, n))


def _operators():
    import operator
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        operation = getattr(operator, name)
        setattr(Vector, f"__{name}__", lambda self, other, o=operation: self._with(other, o))
        setattr(Vector, f"__r{name}__", lambda self, other, o=operation: self._with(other, lambda a, b: o(b, a)))


_operators()


class VectorType(StructType):
    """The type of a vector, shape (n,), or of a matrix, shape (n, m), of numbers. Called, it makes one."""

    __slots__ = ("element", "shape", "weak")

    def __init__(self, element, shape, weak=False):
        count = math.prod(shape)
        super().__init__(Vector, f"{'x'.join(map(str, shape))} {element.name}", [(f"f{i}", element, weak) for i in range(count)],
                         f"rill_vector_{'x'.join(map(str, shape))}_{element.name}")
        for i, member in enumerate(self.members):
            member.c_name = f"f[{i}]"
        self.element, self.shape, self.weak = element, tuple(shape), weak

    def __repr__(self):
        return f"vector of {self.name}"

    def __reduce__(self):
        return (VectorType, (self.element, self.shape, self.weak))

    @property
    def definition(self):
        """The struct in C."""
        return f"{self.c_name} {{ {self.element.c_name} f[{len(self.members)}]; }};"

    def __call__(self, *values):
        numbers = [number for value in values for number in flat(value)[0]]
        numbers = numbers * len(self.members) if len(numbers) == 1 else numbers
        return Vector([self.element(number) for number in numbers], self.shape)

    def pack(self, value):
        """The bytes of one."""
        if isinstance(value, (bytes, bytearray)):
            return DType.pack(self, value)
        numbers, shape = flat(value)
        if shape == ():
            numbers = numbers * len(self.members)
        elif shape != self.shape:
            raise ValueError(f"{value!r} is no {self!r}")
        return b"".join(self.element.pack(number) for number in numbers)

    def unpack(self, raw):
        """A Vector of its bytes."""
        size = self.element.size
        return Vector([self.element.unpack(raw[i * size:(i + 1) * size]) for i in range(len(self.members))], self.shape)


def of_tag(c_name):
    """The type that "struct rill_vector_3x3_f32" names."""
    extents, element = c_name.rpartition("rill_vector_")[2].split("_")
    return VectorType(BY_NAME[element], tuple(map(int, extents.split("x"))))

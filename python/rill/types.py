"""Element types, by the names that annotations of kernels use: rill.f32, rill.i64; rill.f32[:, :] is an array of two
extents."""
import struct

from rill import _core

_LETTERS = {"BOOL": "?", "I8": "b", "U8": "B", "I16": "h", "U16": "H", "I32": "i", "U32": "I", "I64": "q", "U64": "Q",
            "F32": "f", "F64": "d", "F16": "e", "BF16": ""}
_NUMPY = {"bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
          "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64"}


class ArrayType:
    """The annotation of an array parameter: `x: rill.f32[:, :]`."""

    __slots__ = ("dtype", "rank")

    def __init__(self, dtype, rank):
        self.dtype, self.rank = dtype, rank

    def __repr__(self):
        return f"rill.{self.dtype.name}[{', '.join(':' * self.rank)}]"

    def __eq__(self, other):
        return isinstance(other, ArrayType) and (self.dtype, self.rank) == (other.dtype, other.rank)

    def __hash__(self):
        return hash((self.dtype, self.rank))


class DType:
    """An element type. `numpy` is NumPy's name for it; called, it converts a number: rill.f32(0.1)."""

    __slots__ = ("name", "number", "size", "letter", "c_name", "_numpy", "members")

    def __init__(self, name, number, size, letter, c_name, numpy=None):
        self.name, self.number, self.size, self.letter, self.c_name = name, number, size, letter, c_name
        self._numpy, self.members = numpy, None  # members: of a struct

    def __repr__(self):
        return f"rill.{self.name}"

    def __eq__(self, other):
        return isinstance(other, DType) and (self.number, self.size) == (other.number, other.size) and (
            self.number != 0 or self._numpy == other._numpy)

    def __hash__(self):
        return hash((self.number, self.size))

    def __reduce__(self):
        return (dtype, (self._numpy if self.number == 0 else self.name,))

    def __getitem__(self, key):
        slices = key if isinstance(key, tuple) else (key,)
        if any(s != slice(None) for s in slices):
            raise TypeError(f"write {self!r}[:] for one extent, {self!r}[:, :] for two")
        return ArrayType(self, len(slices))

    def __call__(self, value=0):
        return self.unpack(self.pack(value))

    @property
    def is_float(self):
        """Whether it is a floating-point type."""
        return self.name in ("f16", "bf16", "f32", "f64")

    @property
    def is_plain(self):
        """Whether a memoryview can have such elements."""
        return self.letter not in ("", "e")

    @property
    def is_signed(self):
        """Whether it has numbers below 0."""
        return self.name.startswith("i") or self.is_float

    @property
    def numpy(self):
        """The dtype of NumPy."""
        import numpy
        if self._numpy is not None:
            return self._numpy
        if self.name == "bf16":
            try:
                import ml_dtypes
            except ImportError:
                raise TypeError("NumPy has no bf16: install ml_dtypes, or convert to f32 in a kernel") from None
            return numpy.dtype(ml_dtypes.bfloat16)
        return numpy.dtype(_NUMPY[self.name])

    def pack(self, value):
        """The bytes of one element."""
        if self.number == 0:
            raw = bytes(memoryview(value).cast("B")) if not isinstance(value, (bytes, bytearray)) else bytes(value)
            if len(raw) != self.size:
                raise ValueError(f"{len(raw)} bytes were given for an element of {self.size}")
            return raw
        if self.name == "bf16":
            bits = struct.unpack("=I", struct.pack("=f", float(value)))[0]
            nearest = bits + 0x7FFF + (bits >> 16 & 1) if value == value else bits | 0x400000
            return struct.pack("=H", nearest >> 16)
        if self.is_float:
            return struct.pack("=" + self.letter, float(value))
        if self.name == "bool":
            return struct.pack("=?", bool(value))
        try:
            return struct.pack("=" + self.letter, int(value) if value == int(value) else value)
        except struct.error:
            raise ValueError(f"{value!r} does not fit into {self.name}") from None

    def unpack(self, raw):
        """One element of its bytes."""
        if self.number == 0:
            import numpy
            return numpy.frombuffer(raw, self._numpy)[0] if self._numpy is not None else bytes(raw)
        if self.name == "bf16":
            return struct.unpack("=f", b"\0\0" + bytes(raw) if struct.pack("=H", 1)[0] else bytes(raw) + b"\0\0")[0]
        return struct.unpack("=" + self.letter, raw)[0]


BY_NAME = {name.lower(): DType(name.lower(), number, size, _LETTERS[name], c_name)
           for name, number, size, c_name in _core.types()}
BY_NUMBER = {dtype.number: dtype for dtype in BY_NAME.values()}
_BY_LETTER = {"?": "bool", "c": "i8", "e": "f16", "f": "f32", "d": "f64"}


def of_format(letters, size):
    """The type of a buffer's format; None if Rill has none."""
    letter = (letters or "B").lstrip("@=<|")
    if letter in _BY_LETTER:
        return BY_NAME[_BY_LETTER[letter]]
    if letter in ("b", "h", "i", "l", "q", "n"):
        return BY_NAME[f"i{8 * size}"]
    if letter in ("B", "H", "I", "L", "Q", "N"):
        return BY_NAME[f"u{8 * size}"]
    return None


def dtype(what):
    """The element type of a rill.DType, a name ("f32"), a type or dtype of NumPy or torch, int (i64), float (f64), bool."""
    if isinstance(what, DType):
        return what
    if isinstance(what, str) and what in BY_NAME:
        return BY_NAME[what]
    if what is bool or what is int or what is float:
        return BY_NAME[{bool: "bool", int: "i64", float: "f64"}[what]]
    if isinstance(what, type) and hasattr(what, "__dataclass_fields__"):
        from rill.structs import struct as struct_of
        return struct_of(what)
    text = str(what)
    if text.startswith("torch."):
        name = {"bfloat16": "bf16"}.get(text[6:]) or {v: k for k, v in _NUMPY.items()}.get(text[6:])
        if name:
            return BY_NAME[name]
    try:
        import numpy
        found = numpy.dtype(what)
    except (ImportError, TypeError):
        raise TypeError(f"{what!r} names no element type: rill.f32, 'f32' and numpy.float32 do") from None
    names = {v: k for k, v in _NUMPY.items()}
    if found.name in names and found.isnative:
        return BY_NAME[names[found.name]]
    if found.name == "bfloat16":
        return BY_NAME["bf16"]
    if found.fields is not None:
        return DType(f"struct[{found.itemsize}]", 0, found.itemsize, "", "struct", found)
    raise TypeError(f"Rill has no elements of {found}")

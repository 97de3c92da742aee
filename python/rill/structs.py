"""Structs: element types made of dataclasses, and the tuples of kernels in Python."""
import struct as _struct
import sys

from rill import types
from rill.types import BY_NAME, DType

# Words that C has: a struct or a member of that name gets another in C.
_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false".split())
_by_class = {}   # of structs in C: name → StructType
_layouts = {}    # name in C → what it stands for; a name never means two layouts


def _c_word(name):
    clean = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return clean if clean == name and name not in _WORDS else f"v_{clean}"


class Member:
    """A member of a struct: its type, and whether it was said by int or float (which take the type of what they meet)."""

    __slots__ = ("name", "c_name", "dtype", "weak", "offset")

    def __init__(self, name, dtype, weak, offset):
        self.name, self.c_name, self.dtype, self.weak, self.offset = name, _c_word(name), dtype, weak, offset


def _alignment(dtype):
    return max((_alignment(m.dtype) for m in dtype.members), default=1) if dtype.members is not None else dtype.size


class StructType(DType):
    """The element type of a dataclass: rill.struct(Body), rill.struct(Body)[:]. Called, it makes an object of the class."""

    __slots__ = ("cls", "_format", "__weakref__")

    def __init__(self, cls, name, fields, c_tag):
        offset, align, members, letters = 0, 1, [], "="
        for field, dtype, weak in fields:
            step = _alignment(dtype)
            align = max(align, step)
            place = -(-offset // step) * step
            letters += f"{place - offset}x" if place > offset else ""
            letters += f"{dtype.size}s"
            members.append(Member(field, dtype, weak, place))
            offset = place + dtype.size
        size = -(-offset // align) * align
        super().__init__(name, 0, size, "", f"struct {c_tag}")
        self.cls, self.members = cls, tuple(members)
        self._format = _struct.Struct(letters + (f"{size - offset}x" if size > offset else ""))

    def __repr__(self):
        return f"rill.struct({self.name})"

    @property
    def layout(self):
        """What two types must agree in to be one in C."""
        return tuple((m.name, m.dtype.layout if m.dtype.members is not None else m.dtype.name) for m in self.members)

    def __eq__(self, other):
        return self is other or isinstance(other, StructType) and (self.c_name, self.layout, [m.weak for m in self.members]) == (
            other.c_name, other.layout, [m.weak for m in other.members])

    def __hash__(self):
        return hash(self.c_name)

    def __reduce__(self):
        return (struct, (self.cls,))

    def __call__(self, *arguments, **named):
        return self.cls(*arguments, **named)

    def member(self, name):
        """The Member of that name, or None."""
        return next((m for m in self.members if m.name == name), None)

    @property
    def definition(self):
        """The struct in C."""
        return f"{self.c_name} {{ {' '.join(f'{m.dtype.c_name} {m.c_name};' for m in self.members)} }};"

    @property
    def numpy(self):
        """The structured dtype of NumPy, of the same layout."""
        import numpy
        if self._numpy is None:
            self._numpy = numpy.dtype([(m.name, m.dtype.numpy) for m in self.members], align=True)
        return self._numpy

    def pack(self, value):
        """The bytes of one struct, of an object of the class, or of bytes of its layout."""
        if not isinstance(value, self.cls):
            return super().pack(value)
        return self._format.pack(*(m.dtype.pack(part) for m, part in zip(self.members, self._parts(value))))

    def _parts(self, value):
        return [getattr(value, m.name) for m in self.members]

    def unpack(self, raw):
        """An object of the class, of its bytes."""
        return self._make([m.dtype.unpack(part) for m, part in zip(self.members, self._format.unpack(raw))])

    def _make(self, parts):
        made = self.cls.__new__(self.cls)  # as it was, whatever its __init__ would do
        for member, part in zip(self.members, parts):
            object.__setattr__(made, member.name, part)
        return made


class TupleType(StructType):
    """A tuple in a kernel: a struct without a name of its own."""

    __slots__ = ()

    def __init__(self, kinds):
        tag = "_".join(["rill_tuple", *(_c_word(dtype.c_name.rpartition(" ")[2] if dtype.members is not None else dtype.name)
                                        for dtype, _ in kinds)])
        super().__init__(tuple, "tuple", [(f"f{i}", dtype, weak) for i, (dtype, weak) in enumerate(kinds)], tag)

    def __repr__(self):
        return f"({', '.join(m.dtype.name for m in self.members)})"

    def __reduce__(self):
        return (TupleType, ([(m.dtype, m.weak) for m in self.members],))

    def _parts(self, value):
        return value

    def _make(self, parts):
        return tuple(parts)


def _kind_of(cls, field, hint, names):
    if isinstance(hint, str):
        try:
            hint = eval(hint, names)
        except Exception as error:
            raise TypeError(f"field '{field}' of {cls.__name__}: the annotation {hint!r} means nothing here: {error}") from None
    if hint is int or hint is float or hint is bool:
        return BY_NAME[{int: "i64", float: "f64", bool: "bool"}[hint]], hint is not bool
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return struct(hint), False
    if isinstance(hint, DType) and (hint.number != 0 or hint.members is not None):
        return hint, False
    raise TypeError(f"field '{field}' of {cls.__name__} is {hint!r}: a struct has numbers (rill.f32 and its kin, int, float, "
                    "bool) and structs")


def _tag(name, layout):
    """The name in C: the class's, with a number if another layout has it."""
    tag, number = _c_word(name), 1
    while _layouts.setdefault(tag, layout) != layout:
        number += 1
        tag = f"{_c_word(name)}_{number}"
    return tag


def struct(cls):
    """The element type of a dataclass: its fields are numbers and other such classes, its layout is C's. As a decorator it makes
    a class with annotations a dataclass first:

        @rill.struct
        class Body:
            x: rill.f32
            y: rill.f32
            mass: float

    Body(1, 2, 3) is an object then, Body an annotation, Body[:] an array of such, ctx.zeros(100, Body) makes one. In kernels
    and in C a struct is a value: what is assigned is a copy."""
    if isinstance(cls, StructType):
        return cls
    found = _by_class.get(cls) if isinstance(cls, type) else None
    if found is not None:
        return found
    if not isinstance(cls, type):
        raise TypeError(f"rill.struct() takes a dataclass, and got {cls!r}")
    if "__dataclass_fields__" not in cls.__dict__:
        import dataclasses
        cls = dataclasses.dataclass(cls)
    return define(cls)


def define(cls, make=StructType):
    """The element type of a dataclass that has none yet, an object of |make|."""
    names = dict(vars(sys.modules.get(cls.__module__, types)))
    fields = [(name, *_kind_of(cls, name, field.type, names)) for name, field in cls.__dataclass_fields__.items()
              if getattr(field, "_field_type", None) is None or field._field_type.name == "_FIELD"]
    if not fields:
        raise TypeError(f"{cls.__name__} has no fields: a struct has one at least")
    layout = tuple((name, dtype.layout if dtype.members is not None else dtype.name) for name, dtype, _ in fields)
    found = _by_class[cls] = make(cls, cls.__name__, fields, _tag(cls.__name__, layout))
    return found


def pack_argument(value, c_name):
    """The bytes of an object that is passed where a struct |c_name| is; None if it is of no dataclass."""
    if c_name.startswith("struct rill_vector_"):
        from rill.vectors import of_tag
        return of_tag(c_name).pack(value)
    if not hasattr(type(value), "__dataclass_fields__"):
        return None
    kind = struct(type(value))
    known = c_name.partition(" ")[2]
    if known in _layouts and kind.c_name != c_name:
        raise TypeError(f"an object of {type(value).__name__} was passed where {c_name} is taken")
    return kind.pack(value)

"""What an expression of a kernel is: its text in C, its type, and what is known of it.

A type is an element type of Rill and whether it is weak. The numbers of Python are weak, as in NumPy 2 and JAX: 2.0 * x[i]
is what x[i] is, and so is a * x[i] for a parameter `a: float`. By themselves they are i64 and f64.
"""
import math

from rill.structs import TupleType
from rill.types import BY_NAME
from rill.vectors import VectorType


class Type:
    __slots__ = ("dtype", "weak")

    def __init__(self, dtype, weak=False):
        self.dtype, self.weak = dtype, weak

    def __eq__(self, other):
        return isinstance(other, Type) and (self.dtype, self.weak) == (other.dtype, other.weak)

    def __hash__(self):
        return hash((self.dtype, self.weak))

    def __repr__(self):
        if self.is_struct:
            return repr(self.dtype) if self.is_tuple else self.dtype.name
        return {"i64": "int", "f64": "float"}.get(self.dtype.name, self.dtype.name) if self.weak else f"rill.{self.dtype.name}"

    @property
    def c(self):
        return self.dtype.c_name

    @property
    def is_float(self):
        return self.dtype.is_float

    @property
    def is_bool(self):
        return self.dtype.name == "bool"

    @property
    def is_struct(self):
        return self.dtype.members is not None

    @property
    def is_tuple(self):
        return self.dtype.members is not None and self.dtype.cls is tuple

    @property
    def is_int(self):
        return not self.is_float and not self.is_bool and not self.is_struct


BOOL = Type(BY_NAME["bool"])
INT = Type(BY_NAME["i64"], True)
FLOAT = Type(BY_NAME["f64"], True)
I32, I64, U64, F32, F64 = (Type(BY_NAME[name]) for name in ("i32", "i64", "u64", "f32", "f64"))


class ArrayValue:
    """An array: a parameter, a local, or a table of constants. `extents` are Values; `kind` is the type of an element if that
    is not said by its dtype: Python's own numbers in a table."""

    def __init__(self, name, dtype, extents, is_local=False, kind=None):
        self.name, self.dtype, self.extents, self.is_local, self.kind = name, dtype, extents, is_local, kind

    @property
    def rank(self):
        return len(self.extents)


class Value:
    """An expression. `constant` is its number if it is known; `is_natural`: an integer that is not below 0; `is_pure`: it may
    be written twice."""

    __slots__ = ("text", "type", "constant", "is_natural", "is_pure")

    def __init__(self, text, type, constant=None, is_natural=False, is_pure=True):
        self.text, self.type, self.constant, self.is_natural, self.is_pure = text, type, constant, is_natural, is_pure


class Known:
    """An object of Python's that a parameter stands for: the `self` of a method, what a template is. Texts and tuples are equal
    if their parts are; everything else only to itself."""

    __slots__ = ("object",)

    def __init__(self, object):
        self.object = object

    def __eq__(self, other):
        return isinstance(other, Known) and (self.object is other.object or isinstance(self.object, (str, tuple)) and (
            type(self.object) is type(other.object) and repr(self.object) == repr(other.object)))

    def __hash__(self):
        return hash(repr(self.object)) if isinstance(self.object, (str, tuple)) else id(self.object)


def literal(number, type):
    """The text of a number of a type."""
    if type.is_bool:
        return "1" if number else "0"
    if type.is_float:
        number = float(number)
        if math.isnan(number):
            return "NAN"
        if math.isinf(number):
            return "INFINITY" if number > 0 else "(-INFINITY)"
        text = repr(number) + ("f" if type.dtype.name in ("f32", "f16", "bf16") else "")
    else:
        bits = 8 * type.dtype.size
        number = int(number) & (1 << bits) - 1
        if type.dtype.is_signed and number >> (bits - 1):
            number -= 1 << bits
        if number == -1 << 63:
            return "(-9223372036854775807LL - 1)"
        text = str(number)
        if type.dtype.name == "u64":
            text += "ULL"
        elif type.dtype.name == "u32":
            text += "u"
        elif not -1 << 31 < number < 1 << 31:
            text += "LL"
    return f"({text})" if text.startswith("-") else text


def constant(number):
    """The value of a number of Python or NumPy; None if Rill has no such number."""
    if isinstance(number, bool) or type(number).__name__ in ("bool_", "bool"):
        return Value(literal(number, BOOL), BOOL, bool(number))
    if type(number).__module__ == "numpy" and hasattr(number, "dtype") and getattr(number, "shape", None) == ():
        name = {"int": "i", "uint": "u", "float": "f"}.get(number.dtype.name.rstrip("0123456789"))
        name = f"{name}{8 * number.dtype.itemsize}"
        if name not in BY_NAME:
            return None
        kind, number = Type(BY_NAME[name]), number.item()
    elif isinstance(number, int):
        if not -1 << 63 <= number < 1 << 64:
            return None
        kind = INT if number < 1 << 63 else U64
    elif isinstance(number, float):
        kind = FLOAT
    else:
        return None
    return Value(literal(number, kind), kind, number, kind.is_int and number >= 0)


class NoMeeting(TypeError):
    """Two types of which none holds both."""


def tuple_of(kinds):
    """The type of a tuple of values of these types."""
    return Type(TupleType([(kind.dtype, kind.weak) for kind in kinds]))


def member_type(member):
    return Type(member.dtype, member.weak)


def _join_structs(a, b):
    if isinstance(a.dtype, VectorType) and isinstance(b.dtype, VectorType) and a.dtype.shape == b.dtype.shape:
        kind = join(Type(a.dtype.element, a.dtype.weak), Type(b.dtype.element, b.dtype.weak))
        return Type(VectorType(kind.dtype, a.dtype.shape, kind.weak))
    if a.is_tuple and b.is_tuple and len(a.dtype.members) == len(b.dtype.members):
        return tuple_of([join(member_type(x), member_type(y)) for x, y in zip(a.dtype.members, b.dtype.members)])
    if BOOL in (a, b):  # what no round has seen set yet
        return b if a == BOOL else a
    raise NoMeeting(f"{a!r} and {b!r}")


def join(a, b):
    """The type in which two values meet."""
    if a == b or b is None:
        return a
    if a is None:
        return b
    if a.is_struct or b.is_struct:
        return _join_structs(a, b)
    if a.is_bool or b.is_bool:
        return b if a.is_bool else a
    if a.is_float != b.is_float:
        real, whole = (a, b) if a.is_float else (b, a)
        return real if not real.weak or whole.weak else FLOAT
    if a.weak or b.weak:
        return a if b.weak else b
    if a.is_float:
        if a.dtype.size == b.dtype.size:
            return F32  # f16 and bf16
        return a if a.dtype.size > b.dtype.size else b
    if a.dtype.size != b.dtype.size:
        return a if a.dtype.size > b.dtype.size else b
    return I64 if a.dtype.size >= 4 else I32  # one is signed, one is not


def arithmetic(a, b):
    """The type of a + b: what is narrower than 32 bits is widened, as in C; a bool is a number."""
    joined = join(a, b)
    if joined.is_bool:
        return INT
    if joined.is_int and joined.dtype.size < 4:
        return I32
    return joined


def convert(value, type):
    """The value as a type."""
    if value.type.dtype == type.dtype:
        return Value(value.text, type, value.constant, value.is_natural, value.is_pure)
    if type.is_struct and value.type.dtype.c_name == type.c:
        return Value(value.text, type, is_pure=value.is_pure)  # what is weak in one, and not in the other
    if value.constant is not None and not (value.type.is_float and not type.is_float):
        return Value(literal(value.constant, type), type, value.constant,
                     type.is_int and value.constant >= 0, value.is_pure)
    if type.is_struct:  # of tuples alone: member by member
        parts = [convert(Value(f"{value.text}.{m.c_name}", member_type(m), is_pure=value.is_pure), member_type(n))
                 for m, n in zip(value.type.dtype.members, type.dtype.members)]
        return Value(f"({type.c}){{{', '.join(part.text for part in parts)}}}", type, is_pure=value.is_pure)
    if type.is_bool:
        return Value(f"({value.text} != 0)", type, None, False, value.is_pure)
    is_natural = type.is_int and value.is_natural and type.dtype.size >= value.type.dtype.size
    return Value(f"({type.c})({value.text})" if not value.text.startswith("(") else f"({type.c}){value.text}", type, None,
                 is_natural, value.is_pure)

"""Structs by the names of Quadrants: qd.types.struct(pos=vec3, mass=float), @qd.dataclass, S.field(shape=n)."""
import dataclasses
import sys
import types as python_types

from rill import types
from rill.quadrants.lang import field as fields, impl
from rill.quadrants.lang.exception import QuadrantsRuntimeError
from rill.structs import StructType, define
from rill.vectors import VectorType


class Struct(StructType):
    """A struct type; called, it makes a struct, whose members are 0 where nothing is given."""

    __slots__ = ()

    def field(self, shape=None, **options):
        """A field of such structs."""
        return fields.field(self, shape, **options)

    def ndarray(self, shape=(), **options):
        """An array of such structs."""
        return fields.ndarray(self, shape, **options)


def _zero(dtype):
    """A field of a dataclass that is 0 unless it is given."""
    if dtype.members is None:
        return dataclasses.field(default=0)
    if isinstance(dtype, VectorType):
        return dataclasses.field(default_factory=lambda: dtype(0))
    return dataclasses.field(default_factory=dtype)


def _dtype(cls, name, hint, names):
    if isinstance(hint, str):
        hint = eval(hint, names)
    hint = impl.number_type(hint)
    if hint is bool:
        return types.BY_NAME["bool"]
    if not isinstance(hint, types.DType):
        raise TypeError(f"field '{name}' of {cls}: {hint!r} is no type of a number, a vector, a matrix or a struct")
    return hint


def _convert(self):
    """Members as their types have them: Vector([1, 2, 3]) of [1, 2, 3]."""
    for name, hint in type(self).__annotations__.items():
        value = getattr(self, name)
        if isinstance(hint, VectorType):
            object.__setattr__(self, name, hint.unpack(hint.pack(value)))


def _made(name, hints, methods):
    """The type of a class that is made of annotations and methods."""
    methods = dict(methods)
    methods.setdefault("__post_init__", _convert)
    hints = {field: _dtype(name, field, hint, {}) for field, hint in hints.items()}
    made = dataclasses.make_dataclass(name, [(field, hint, _zero(hint)) for field, hint in hints.items()], namespace=methods)
    made.to_dict = lambda self: {field: getattr(self, field) for field in hints}
    return define(made, Struct)


def struct(**members):
    """The type of a struct of these members. __struct_methods={"area": f}: functions of the struct, marked by qd.func."""
    methods = members.pop("__struct_methods", {})
    return _made(f"struct_{'_'.join(members)}"[:60], members, methods)


def dataclass(cls):
    """Makes a struct type of a class with annotations; its methods that are marked by qd.func are called in kernels."""
    names = dict(vars(sys.modules.get(cls.__module__, python_types)))
    hints = {name: _dtype(cls.__name__, name, hint, names) for name, hint in cls.__dict__.get("__annotations__", {}).items()}
    methods = {name: part for name, part in vars(cls).items()
               if not name.startswith("__") and name not in hints or name in ("__doc__", "__module__", "__post_init__")}
    return _made(cls.__name__, hints, methods)


class _Structs:
    """qd.Struct.field({"pos": vec3, "mass": float}, shape=n); qd.Struct(pos=v, mass=1) in kernels and on the host."""

    _rill_builtin = "Struct"

    def __call__(self, entries=None, **named):
        values = dict(entries or {}, **named)
        kinds = {name: _type_of(value) for name, value in values.items()}
        return struct(**kinds)(**values)

    @staticmethod
    def field(members, methods=None, shape=None, **options):
        """A field of structs of these members."""
        return struct(**members, __struct_methods=methods or {}).field(shape, **options)


def _type_of(value):
    if hasattr(type(value), "__dataclass_fields__"):
        return define(type(value))
    if isinstance(value, (bool, int, float)):
        return type(value)
    if hasattr(value, "shape"):
        kind = float if any(isinstance(number, float) for number in value.values) else int
        return VectorType(impl.number_type(kind), value.shape)
    raise QuadrantsRuntimeError(f"{value!r} is no member of a struct: a number, a vector, a struct is")


Structs = _Structs()

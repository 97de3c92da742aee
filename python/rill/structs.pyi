"""Structs: element types made of dataclasses."""
from typing import Any

from rill.types import DType

class Member:
    __slots__ = ("name", "c_name", "dtype", "weak", "offset")
    name: str
    c_name: str
    dtype: DType
    weak: bool
    offset: int
    def __init__(self, name: str, dtype: DType, weak: bool, offset: int) -> None: ...

class StructType(DType):
    __slots__ = ("cls", "_format", "__weakref__")
    cls: type
    members: tuple[Member, ...]
    def __init__(self, cls: type, name: str, fields: Any, c_tag: str) -> None: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    @property
    def layout(self) -> tuple[Any, ...]: ...
    def member(self, name: str) -> Member | None: ...
    @property
    def definition(self) -> str: ...

class TupleType(StructType):
    __slots__ = ()
    def __init__(self, kinds: Any) -> None: ...

def struct(cls: Any) -> Any: ...
def pack_argument(value: Any, c_name: str) -> bytes | None: ...

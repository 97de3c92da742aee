"""The Python text of a function, and errors that show its lines."""
from collections.abc import Callable
from typing import Any, NoReturn

from rill.errors import CompileError

class ScriptError(CompileError): ...

class Source:
    function: Callable[..., Any]
    name: str
    file: str
    def __init__(self, function: Callable[..., Any]) -> None: ...
    def fail(self, node: Any, text: str) -> NoReturn: ...
    def look_up(self, name: str) -> Any: ...

def annotations(function: Callable[..., Any]) -> dict[str, Any]: ...

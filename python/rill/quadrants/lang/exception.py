"""Exceptions by the names of Quadrants; they are Rill's."""
from rill.errors import CompileError, Error
from rill.script import ScriptError


class QuadrantsSyntaxError(ScriptError):
    """What a kernel says and Quadrants has not."""


QuadrantsCompilationError = CompileError
QuadrantsRuntimeError = Error

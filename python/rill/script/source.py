"""The Python text of a function, its names, and errors that show its lines."""
import ast
import builtins
import inspect
import textwrap
import tokenize

from rill.errors import CompileError


class ScriptError(CompileError):
    """What a kernel in Python says and Rill cannot: with file, line and reason."""


class Source:
    """A function's tree; line and column numbers are the file's."""

    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        self.file = function.__code__.co_filename
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError, SyntaxError, tokenize.TokenError):
            raise ScriptError(f"the text of '{self.name}' cannot be read: a kernel stands in a file, or in a notebook's "
                              "cell") from None
        self.lines = lines
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.parse(text)
        self.first = first
        ast.increment_lineno(tree, first - 1)
        self.tree = tree.body[0]
        if not isinstance(self.tree, ast.FunctionDef):
            raise ScriptError(f"'{self.name}' is no function that begins with def")
        self.closure = dict(inspect.getclosurevars(function).nonlocals)

    def fail(self, node, text):
        """Raises with the place and the line of |node|."""
        line, column = getattr(node, "lineno", self.first), getattr(node, "col_offset", 0) + self.indent
        shown = ""
        if 0 <= line - self.first < len(self.lines):
            row = self.lines[line - self.first].rstrip("\n")
            shown = f"\n{line:5} | {row}\n      | {' ' * column}^"
        raise ScriptError(f"{self.file}:{line}:{column + 1}: error: {text}{shown}")

    def look_up(self, name):
        """What a name is outside of the function. Raises KeyError."""
        for names in (self.closure, self.function.__globals__, vars(builtins)):
            if name in names:
                return names[name]
        raise KeyError(name)


def annotations(function):
    """The annotations as objects, also where they were written as text."""
    found = dict(getattr(function, "__annotations__", {}))
    if any(isinstance(hint, str) for hint in found.values()):
        names = dict(function.__globals__)
        names.update(inspect.getclosurevars(function).nonlocals)
        for name, hint in found.items():
            if isinstance(hint, str):
                found[name] = eval(hint, names)  # the function's own text, as typing.get_type_hints does
    return found

"""A kernel and the functions it calls, as one text of C."""
from rill.script import library
from rill.script.function import Function
from rill.script.source import ScriptError, Source, annotations
from rill.script.value import BOOL, FLOAT, INT, ArrayValue, Known, Type, Value, constant
from rill.structs import struct
from rill.types import ArrayType, DType
from rill.vectors import VectorType

HEAD = "#define RILL_NO_SHORT_NAMES\n#include <rill/kernel.h>\n#include <assert.h>\n#include <stdio.h>\n"


class Template:
    """The annotation of a parameter that is a constant of the kernel: `n: rill.template`."""


def type_of_hint(hint):
    """The type of an annotation: Type, (dtype, rank), Template; None if it says nothing."""
    if isinstance(hint, DType):
        return Type(hint)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return Type(struct(hint))
    if isinstance(hint, ArrayType):
        return hint.dtype, hint.rank
    if hint is int or hint is float or hint is bool:
        return {int: INT, float: FLOAT, bool: BOOL}[hint]
    if hint is Template or isinstance(hint, Template):
        return Template
    if type(hint).__name__ == "Array" or hint is None or getattr(hint, "__name__", "") == "Array":
        return None
    raise ScriptError(f"{hint!r} is no type of a parameter: rill.f32 and its kin, int, float, bool, rill.f32[:, :], "
                      "rill.template, a dataclass")


class Unit:
    """One translation: the kernel |source| for the types of its |parameters|."""

    def __init__(self, source, parameters, loops_over_arrays=False):
        self.loops_over_arrays = loops_over_arrays
        self.captured, self.captured_names = {}, {}  # id of an Array → its name, and the other way
        self.has_vectors, self.helpers = loops_over_arrays, {}
        self.tables = {}     # tuple of constants and its type → (name, definition)
        self.structs = {}    # StructType → nothing, members first
        self.operators = {}  # text of C, in the order in which it was needed
        self.functions = {}  # key → Function
        self.order = []      # functions, those that are called first
        self.stack = []      # of functions that are being translated
        self.names = set()
        self.kernel = Function(self, source, self.clean(source.name), parameters, True)

    def clean(self, name):
        taken = self.names | library.RESERVED | {"kernel"}
        while name in taken:
            name += "_"
        self.names.add(name)
        return name

    def capture(self, array):
        """The name in C of an array from outside."""
        if id(array) not in self.captured:
            name = self.clean(f"captured_{len(self.captured)}")
            self.captured[id(array)], self.captured_names[name] = name, array
        return self.captured[id(array)]

    def use(self, dtype):
        """A struct that the text needs the definition of."""
        self.has_vectors = self.has_vectors or isinstance(dtype, VectorType)
        for member in dtype.members:
            if member.dtype.members is not None:
                self.use(member.dtype)
        self.structs.setdefault(dtype.c_name, dtype)

    def table(self, kind, extents, texts):
        """The array of constants that a tuple from outside is."""
        key = tuple(texts), kind, tuple(extents)
        if key not in self.tables:
            name = self.clean(f"table_{len(self.tables)}")
            size = "".join(f"[{extent}]" for extent in extents)
            rows = texts
            for extent in reversed(extents):
                rows = [f"{{{', '.join(rows[at:at + extent])}}}" for at in range(0, len(rows), extent)]
            self.tables[key] = name, f"static const {kind.c} {name}{size} = {rows[0]};"
        return ArrayValue(self.tables[key][0], kind.dtype, [constant(extent) for extent in extents], kind=kind)

    def helper(self, head, tail):
        """The name of a function of C between a result and parameters with a body; made once."""
        if (head, tail) not in self.helpers:
            name = self.helpers[head, tail] = self.clean(f"rill_by_{len(self.helpers)}")
            self.operators[f"static inline {head}{name}{tail}"] = None
        return self.helpers[head, tail]

    def words(self):
        """What is printed for False and True."""
        name, _ = self.tables.setdefault("words", ("rill_words", 'static const char rill_words[2][6] = {"False", "True"};'))
        return name

    def need(self, name, kind):
        text = library.OPERATORS[name].format(T=kind.c, N=kind.dtype.name, F=library.suffix(kind.dtype))
        self.operators[text] = None

    @staticmethod
    def return_annotation(source):
        hint = annotations(source.function).get("return")
        return None if hint is None else type_of_hint(hint)

    def call(self, caller, node, called, arguments):
        """A call of a @rill.func function, translated for the types of the arguments."""
        source = called._rill_func()
        function = source.function
        names = function.__code__.co_varnames[:function.__code__.co_argcount]
        if len(arguments) != len(names):
            caller.fail(node, f"'{source.name}' takes {len(names)} arguments, {', '.join(names)}, and got {len(arguments)}")
        hints = annotations(function)
        parameters, values = {}, []
        for name, argument in zip(names, arguments):
            hint = type_of_hint(hints[name]) if name in hints else None
            if isinstance(argument, Known):
                parameters[name] = argument
            elif isinstance(argument, ArrayValue):
                if hint not in (None, Template, (argument.dtype, argument.rank)):
                    caller.fail(node, f"parameter '{name}' of '{source.name}' is {hints[name]!r}, and '{argument.name}' is "
                                      f"{ArrayType(argument.dtype, argument.rank)!r}")
                parameters[name] = (argument.dtype, argument.rank)
            elif hint is Template:
                if argument.constant is None:
                    caller.fail(node, f"parameter '{name}' of '{source.name}' is a constant, and this is none")
                parameters[name] = argument
            else:
                if isinstance(hint, tuple):
                    caller.fail(node, f"parameter '{name}' of '{source.name}' is an array, and got a number")
                kind = hint or argument.type
                parameters[name] = kind
                caller.check_store(node, kind, argument)
                values.append((name, caller.converted(node, argument, kind)))
        callee = self.function(caller, node, source, parameters)
        texts, given = [], dict(values)
        for name, argument in zip(names, arguments):
            if isinstance(argument, ArrayValue):
                texts += [extent.text for extent in argument.extents]
                texts.append(argument.name)
                if name in callee.writes:
                    caller.writes.add(self.root(caller, argument))
            elif name in given:
                texts.append(caller.bare(given[name].text))
        for name in callee.captured:
            array = caller.capture(self.captured_names[name])
            texts.append(array.name)
            if name in callee.writes:
                caller.writes.add(name)
        if callee.draws:
            caller.draws = True
            texts += ["rill_key", "&rill_drawn" if caller.is_kernel else "rill_count"]
        kind = callee.return_type
        if kind is not None:
            caller.use(kind)
        text = f"{callee.c_function}({', '.join(texts)})"
        return Value(text, kind if kind is not None else INT, is_pure=not callee.writes and not callee.draws and kind is not None)

    @staticmethod
    def root(caller, array):
        c = array.name.partition("[")[0]
        return next((name for name in caller.arrays if caller.arrays[name].name == c), c)

    def function(self, caller, node, source, parameters):
        key = source.function, tuple((name, kind.constant if isinstance(kind, Value) else kind)
                                     for name, kind in parameters.items())
        if source.function in self.stack or source.function is self._kernel_function():
            caller.fail(node, f"'{source.name}' calls itself: kernels have no recursion")
        if key not in self.functions:
            self.stack.append(source.function)
            try:
                self.functions[key] = Function(self, source, self.clean(source.name), parameters, False)
            finally:
                self.stack.pop()
            self.order.append(self.functions[key])
        return self.functions[key]

    def _kernel_function(self):
        kernel = getattr(self, "kernel", None)
        return kernel.source.function if kernel is not None else None

    def text(self):
        """All of it, each line at the number that it has in its Python file."""
        out = [HEAD.rstrip("\n")]
        out += [dtype.definition for dtype in self.structs.values()]
        out += [definition for _, definition in self.tables.values()]
        out += list(self.operators)
        for function in (*self.order, self.kernel):
            file = function.source.file.replace("\\", "\\\\").replace('"', '\\"')
            at, is_first = None, True
            for number, text in function.text():
                if number != at:
                    out.append(f'#line {number} "{file}"' if is_first else f"#line {number}")
                out.append(text)
                at, is_first = number + 1, False
        return "\n".join(out) + "\n"


def source_of(function):
    found = getattr(function, "_rill_source", None)
    if found is None:
        found = Source(function)
        function._rill_source = found
    return found

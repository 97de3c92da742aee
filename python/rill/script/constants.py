"""What is known when a kernel is compiled: objects of Python's that names mean, tables, comparisons of texts and types."""
import ast
import copy

from rill.array import Array
from rill.script.value import ArrayValue, constant, join, literal
from rill.vectors import Vector


class _Settled(ast.NodeTransformer):
    """Puts numbers in the place of what has one although it lives in the kernel: A.n of a matrix, x.shape[0] of a field, len(v)."""

    def __init__(self, function):
        self.function = function

    def _replace(self, node):
        root = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if isinstance(root, ast.Call) and getattr(root.func, "id", None) == "len" and len(root.args) == 1:
            root = root.args[0]
        if not isinstance(root, ast.Name) or not self.function.is_inside(root.id) or root.id in self.function.objects:
            return self.generic_visit(node)
        found = self.function.expression(node)
        number = getattr(found, "constant", None)
        return self.generic_visit(node) if number is None else ast.copy_location(ast.Constant(number), node)

    visit_Attribute = visit_Subscript = visit_Call = _replace


class Constants:
    """Mixed into the translation of a function (function.py)."""

    def known(self, node):
        """The Python object that a name or an attribute means; KeyError for what lives in the kernel."""
        if isinstance(node, ast.Name):
            if node.id in self.module.captured_names:
                raise KeyError(node.id)
            if node.id in self.objects:
                return self.objects[node.id]
            if node.id in self.params or node.id in self.arrays or node.id in self.scope.locals or node.id in self.bound:
                raise KeyError(node.id)
            return self.source.look_up(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.known(node.value)
            try:
                return getattr(owner, node.attr)
            except AttributeError:
                self.fail(node, f"'{ast.unparse(node.value)}' has no attribute '{node.attr}'")
        if isinstance(node, ast.Subscript):  # TABLE[2], self.fields[k] of a constant k
            owner = self.known(node.value)
            if isinstance(owner, (list, tuple, dict, Vector)) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
                key = node.slice.value if isinstance(node.slice, ast.Constant) else self.value(node.slice).constant
                if key is None and isinstance(owner, (tuple, Vector)):
                    raise KeyError  # an element of a table: known when the kernel runs
                if key is None:
                    self.fail(node, f"'{ast.unparse(node.value)}' is a {type(owner).__name__} of Python's, whose index in a "
                                    "kernel is a constant: a tuple of numbers and a rill.Array take any")
                try:
                    return owner[key]
                except (IndexError, KeyError):
                    self.fail(node, f"'{ast.unparse(node.value)}' has no element {key!r}")
        raise KeyError

    def object_value(self, node):
        try:
            found = self.known(node)
        except KeyError:
            self.fail(node, f"the name '{ast.unparse(node)}' is not known")
        if isinstance(found, Array):
            return self.capture(found)
        number = self.known_struct(node, found) or constant(found)
        if number is None:
            self.fail(node, f"'{ast.unparse(node)}' is {found!r}: numbers from outside are constants in a kernel, a rill.Array "
                            "is used as it is, and everything else is passed as a parameter")
        return number

    def capture(self, array):
        """An array from outside: a parameter that nobody passes. Its extents are constants."""
        name = self.module.capture(array)
        if name not in self.arrays:
            self.arrays[name] = ArrayValue(name, array.dtype, [constant(extent) for extent in array.shape or (1,)])
            self.captured.append(name)
            if array.dtype.members is not None:
                self.module.use(array.dtype)
        return self.arrays[name]

    def array_of(self, node):
        """The array that a name means, or None."""
        if isinstance(node, ast.Name) and node.id in self.arrays:
            return self.arrays[node.id]
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return None
        try:
            found = self.known(node)
        except KeyError:
            return None
        return self.capture(found) if isinstance(found, Array) else None

    def table_of(self, node):
        """A tuple of numbers from outside, or of tuples of as many, where an index that is no constant is taken: an array of
        constants. None for everything else."""
        try:
            found = self.known(node)
        except KeyError:
            return None
        if not isinstance(found, tuple) or not found:
            return None
        extents, numbers = [], [found]
        while isinstance(numbers[0], tuple):
            if any(not isinstance(row, tuple) or len(row) != len(numbers[0]) for row in numbers) or not numbers[0]:
                self.fail(node, f"'{ast.unparse(node)}' takes an index that is no constant only if all its parts are alike: "
                                "numbers, or tuples of as many numbers")
            extents.append(len(numbers[0]))
            numbers = [part for row in numbers for part in row]
        values = [constant(number) for number in numbers]
        if None in values:
            self.fail(node, f"'{ast.unparse(node)}' has {numbers[values.index(None)]!r}, which is no number that a kernel can have")
        kind = values[0].type
        for value in values:
            kind = join(kind, value.type)
        return self.module.table(kind, extents, [literal(value.constant, kind) for value in values])

    def compared_objects(self, node):
        """The truth of a comparison of texts, types, functions or None, `mode == "fast"`, which is known when the kernel is
        compiled; None for a comparison of numbers."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            return None
        found = []
        for part in (node.left, node.comparators[0]):
            if isinstance(part, ast.Tuple) and part.elts and all(isinstance(p, ast.Constant) for p in part.elts):
                found.append(tuple(p.value for p in part.elts))
                continue
            try:
                found.append(part.value if isinstance(part, ast.Constant) else self.known(part))
            except KeyError:
                if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and isinstance(node.comparators[0], ast.Constant) and (
                        node.comparators[0].value is None):
                    return isinstance(node.ops[0], ast.IsNot)  # what lives in a kernel is never None
                return None
        a, b = found
        if constant(a) is not None and (constant(b) is not None or isinstance(b, tuple)):
            return None
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if not isinstance(b, (tuple, list, set, frozenset, dict, str)):
                return None
            return (a in b) == isinstance(node.ops[0], ast.In)
        is_same = a is b if isinstance(node.ops[0], (ast.Is, ast.IsNot)) else bool(a == b)
        return is_same == isinstance(node.ops[0], (ast.Eq, ast.Is))

    def call_static(self, node):
        """rill.static(expression): what Python makes of it when the kernel is compiled."""
        if len(node.args) != 1:
            self.fail(node, "rill.static() takes one expression")
        return self.expr_Constant(ast.copy_location(ast.Constant(self.static(node.args[0])), node))

    def static(self, node):
        names = dict(self.source.function.__globals__)
        names.update(self.source.closure)
        names.update(self.objects)
        names.update({name: value.constant for name, value in self.bound.items() if getattr(value, "constant", None) is not None})
        for name, value in self.params.items():
            if value.constant is not None:
                names[name] = value.constant
        node = _Settled(self).visit(copy.deepcopy(node))
        try:
            return eval(compile(ast.Expression(node), self.source.file, "eval"), names)
        except Exception as error:
            self.fail(node, f"rill.static() could not be evaluated: {type(error).__name__}: {error}")

"""Expressions of kernels in Python, as text of C."""
import ast
import math


from rill import types as rill_types
from rill.array import Array
from rill.script import library
from rill.script.constants import Constants
from rill.script.struct import Structs
from rill.vectors import Vector
from rill.script.vector import ELEMENTWISE, Vectors
from rill.script.value import (BOOL, F32, FLOAT, INT, ArrayValue, Known, Type, Value, arithmetic, constant, convert,
                               join, literal)

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
           ast.LShift: "<<", ast.RShift: ">>"}
_FOLDED = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
           ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b, ast.Div: lambda a, b: a / b,
           ast.Pow: lambda a, b: a ** b, ast.BitAnd: lambda a, b: a & b, ast.BitOr: lambda a, b: a | b,
           ast.BitXor: lambda a, b: a ^ b, ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b}
_COMPARED = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_ARRAYS = ("zeros", "ones", "empty", "full", "array", "asarray", "arange", "linspace", "zeros_like", "empty_like", "ones_like")
_REFUSED = {
    ast.List: "a list (a tuple can, and t = rill.local(3, rill.f32) is an array of the iteration's own)", ast.Dict: "a dictionary", ast.Set: "a set",
    ast.JoinedStr: "a formatted string outside of print", ast.Starred: "a starred expression",
}


class Shape:
    """x.shape, of which only the extents are values."""

    def __init__(self, array):
        self.array = array


class Expressions(Constants, Vectors, Structs):
    """Mixed into the translation of a function (function.py), which has: source, scope, arrays, types (of locals),
    module (with func(), need()), fail()."""

    # ---- names and constants ------------------------------------------------------------------------------------------

    def expression(self, node):
        """A Value, an ArrayValue, or a Shape."""
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            what = _REFUSED.get(type(node), type(node).__name__)
            self.fail(node, f"{what} cannot be in a kernel")
        return method(node)

    def value(self, node):
        found = self.expression(node)
        if isinstance(found, ArrayValue):
            self.fail(node, f"the array '{found.name}' stands where a number must: give it {found.rank} "
                            f"{'index' if found.rank == 1 else 'indices'}, {found.name}[{', '.join('ijkl'[:found.rank])}]")
        if not isinstance(found, Value):
            self.fail(node, "this is no number")
        return self.number(node, found)

    def number(self, node, found):
        """The value, if it is a number."""
        if found.type.is_struct:
            names = [m.name for m in found.type.dtype.members]
            self.fail(node, f"a {found.type!r} stands where a number must: take one of its values, "
                            + (f"[0] to [{len(names) - 1}]" if found.type.is_tuple else ", ".join(f".{n}" for n in names)))
        return found

    def thing(self, node):
        """A number, a struct or a tuple."""
        found = self.expression(node)
        return found if isinstance(found, Value) else self.value(node)

    def expr_Constant(self, node):
        found = constant(node.value)
        if found is None:
            self.fail(node, f"{node.value!r} is no number that a kernel can have")
        return found

    def expr_Name(self, node):
        name = node.id
        if name in self.arrays:
            return self.arrays[name]
        if name in self.objects:
            return self.object_value(node)
        if name in self.bound:
            found = self.bound[name]
            return found if isinstance(found, Value) else self.vector_literal(
                node, [self.expr_Name(ast.copy_location(ast.Name(part, ast.Load()), node)) for part in found], (len(found),))
        if name in self.scope.locals:
            kind = self.types.get(name)
            if kind is None:
                if self.is_last_round:
                    self.fail(node, f"'{name}' has no value here: nothing sets it before")
                return Value(self.c_name(name), self.waiting(), is_pure=True)
            return Value(self.c_name(name), kind, is_natural=name in self.natural)
        if name in self.params:
            return self.params[name]
        return self.object_value(node)

    def expr_Attribute(self, node):
        array = self.array_of(node.value)
        if array is not None:
            if node.attr == "shape":
                return Shape(array)
            if node.attr == "ndim":
                return constant(array.rank)
            if node.attr == "size":
                text = " * ".join(extent.text for extent in array.extents)
                return Value(f"({text})", INT, is_natural=True)
            self.fail(node, f"an array in a kernel has shape, size and ndim, and no '{node.attr}'")
        owner = self.struct_value(node.value)
        if owner is not None:
            return self.member(node, owner)
        return self.object_value(node)

    def expr_Subscript(self, node):
        node = self.element_first(node)
        if isinstance(node, ast.Attribute):
            return self.expr_Attribute(node)
        try:
            found, home = self.known(node), self.known(node.value)
        except KeyError:
            pass
        else:
            if isinstance(home, tuple) or isinstance(found, Array):  # a list may change: its numbers are no constants
                return self.object_value(node)
        owner = self.table_of(node.value) or self.expression(node.value)
        if isinstance(owner, Value) and owner.type.is_tuple:
            return self.tuple_element(node, owner)
        if self.vector_type(owner):
            return self.vector_part(node, owner)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(owner, Shape):
            index = self.value(parts[0]).constant if len(parts) == 1 else None
            if index is None or not -owner.array.rank <= index < owner.array.rank:
                self.fail(node, f"an extent is shape[0] to shape[{owner.array.rank - 1}]")
            return owner.array.extents[index]
        if not isinstance(owner, ArrayValue):
            self.fail(node, "only arrays have elements")
        if len(parts) == 1 and isinstance(parts[0], ast.Name) and isinstance(self.bound.get(parts[0].id), tuple):
            parts = [ast.copy_location(ast.Name(name, ast.Load()), parts[0]) for name in self.bound[parts[0].id]]
        if owner.rank == 1 and self.is_scalar(owner) and (
                not parts or isinstance(parts[0], ast.Constant) and parts[0].value is None):
            return Value(f"{owner.name}[0]", Type(owner.dtype))
        if any(isinstance(part, ast.Slice) for part in parts):
            self.fail(node, "a slice of an array cannot be in a kernel: write a loop over its elements")
        parts = self.spread_vectors(parts)
        if len(parts) > owner.rank:
            self.fail(node, f"{len(parts)} indices for '{owner.name}', which has {owner.rank} extents")
        text, is_pure = owner.name, True
        for part, extent in zip(parts, owner.extents):
            index = self.value(part)
            if not index.type.is_int:
                self.fail(part, f"an index is an integer, and this is {index.type}: "
                                + ("int() makes it 0 or 1" if index.type.is_bool else "int() rounds towards zero"))
            if index.constant is not None and index.constant < 0:
                text += f"[{extent.text} - {-index.constant}]"
            else:
                text += f"[{self.bare(index.text)}]"
            is_pure = is_pure and index.is_pure
        if len(parts) < owner.rank:
            return ArrayValue(text, owner.dtype, owner.extents[len(parts):], owner.is_local, owner.kind)
        return Value(text, owner.kind or Type(owner.dtype), is_pure=is_pure)

    def expr_NamedExpr(self, node):
        """x[0] = (p := y[0])"""
        value = self.thing(node.value)
        self.meet(node, self.types.get(node.target.id), value.type)
        kind = self.set_type(node.target.id, value)
        return Value(f"({self.c_name(node.target.id)} = {self.bare(self.converted(node, value, kind).text)})", kind, is_pure=False)

    def is_scalar(self, array):
        """Whether x[None] is its one element."""
        return self.module.loops_over_arrays or array.extents[0].constant == 1

    @staticmethod
    def bare(text):
        """Without parentheses that stand around all of it."""
        if not text.startswith("(") or not text.endswith(")"):
            return text
        depth = 0
        for place, letter in enumerate(text):
            depth += (letter == "(") - (letter == ")")
            if depth == 0 and place < len(text) - 1:
                return text
        return text[1:-1]

    # ---- operators ----------------------------------------------------------------------------------------------------

    def expr_BinOp(self, node):
        a, b = self.thing(node.left), self.thing(node.right)
        if self.vector_type(a) or self.vector_type(b):
            return self.vector_binary(node, type(node.op), a, b)
        return self.binary(node, type(node.op), self.number(node.left, a), self.number(node.right, b))

    def binary(self, node, op, a, b):
        if a.constant is not None and b.constant is not None and (a.type.weak or a.type.is_bool) and (
                b.type.weak or b.type.is_bool):
            try:
                folded = constant(_FOLDED[op](a.constant, b.constant))
            except (ArithmeticError, TypeError, ValueError, KeyError) as error:
                self.fail(node, f"this cannot be computed: {error}")
            if folded is None:
                self.fail(node, "the result is no number that a kernel can have")
            return folded
        if op is ast.Div:
            kind = join(a.type, b.type)
            kind = kind if kind.is_float else FLOAT
            a, b = convert(a, kind), convert(b, kind)
            return Value(f"({a.text} / {b.text})", kind, is_pure=a.is_pure and b.is_pure)
        if op is ast.Pow:
            return self.power(node, a, b)
        kind = arithmetic(a.type, b.type)
        if op in (ast.BitAnd, ast.BitOr, ast.BitXor) and a.type.is_bool and b.type.is_bool:
            kind = BOOL
        if op in (ast.FloorDiv, ast.Mod):
            return self.divide(node, op, convert(a, kind), convert(b, kind), kind)
        if op not in _BINARY:
            self.fail(node, "the operator @ is for matrices: write the loops")
        if kind.is_float and op in (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift):
            self.fail(node, f"'{_BINARY[op]}' is for integers, and this is {kind}")
        a, b = convert(a, kind), convert(b, kind)
        is_natural = kind.is_int and a.is_natural and b.is_natural and op is not ast.Sub
        return Value(f"({a.text} {_BINARY[op]} {b.text})", kind, None, is_natural, a.is_pure and b.is_pure)

    def operator(self, name, kind, *arguments):
        """A call of one of library.OPERATORS."""
        self.module.need(name, kind)
        head = name.rpartition("_")[0] or name
        return f"rill_{head}_{kind.dtype.name}({', '.join(arguments)})"

    def divide(self, node, op, a, b, kind):
        """a // b and a % b: rounded down, where C rounds towards zero. Of integers that are not negative that is one."""
        is_pure = a.is_pure and b.is_pure
        if kind.is_int:
            if b.constant == 0:
                self.fail(node, "a division by zero")
            if a.is_natural and b.is_natural or not kind.dtype.is_signed:
                return Value(f"({a.text} {'/' if op is ast.FloorDiv else '%'} {b.text})", kind, None, True, is_pure)
            name = "floordiv_int" if op is ast.FloorDiv else "mod_int"
            return Value(self.operator(name, kind, a.text, b.text), kind, None, op is ast.Mod and b.is_natural, is_pure)
        name = "floordiv_float" if op is ast.FloorDiv else "mod_float"
        return Value(self.operator(name, kind, a.text, b.text), kind, is_pure=is_pure)

    def power(self, node, a, b):
        kind = arithmetic(a.type, b.type)
        if b.constant is not None and b.constant == int(b.constant) and b.type.is_int:
            if kind.is_int and b.constant < 0:
                self.fail(node, "an integer to a negative power is a float: write float(x) ** -1")
            if b.constant in (0, 1):
                return convert(a, kind) if b.constant == 1 else convert(constant(1), kind)
            if b.constant in (2, 3):
                name = "square" if b.constant == 2 else "cube"
                return Value(self.operator(name, kind, convert(a, kind).text), kind, None, kind.is_int and (
                    a.is_natural or b.constant == 2), a.is_pure)
            if kind.is_int:
                return Value(self.operator("pow_int", kind, convert(a, kind).text, str(b.constant)), kind,
                             None, a.is_natural or b.constant % 2 == 0, a.is_pure)
        if kind.is_int and self.module.loops_over_arrays:  # Quadrants' integers stay integers
            return Value(self.operator("pow_int", kind, convert(a, kind).text, f"(int){b.text}"), kind, is_pure=a.is_pure and b.is_pure)
        if kind.is_int:
            self.fail(node, "an integer to a power that is not known is an integer or a float: write float(x) ** n")
        a, b = convert(a, kind), convert(b, kind)
        return Value(f"pow{library.suffix(kind.dtype)}({a.text}, {b.text})", kind, is_pure=a.is_pure and b.is_pure)

    def expr_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            operand = self.condition(node.operand)
            if operand.constant is not None:
                return constant(not operand.constant)
            return Value(f"!{operand.text}", BOOL, is_pure=operand.is_pure)
        operand = self.thing(node.operand)
        if self.vector_type(operand):
            return self.by_elements(node, [operand], lambda names: ast.UnaryOp(node.op, names[0]))
        operand = self.number(node.operand, operand)
        if operand.constant is not None and operand.type.weak:
            number = operand.constant
            return constant(-number if isinstance(node.op, ast.USub) else ~number if isinstance(node.op, ast.Invert) else
                            number)
        kind = arithmetic(operand.type, operand.type)
        operand = convert(operand, kind)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(node.op, ast.Invert) and kind.is_float:
            self.fail(node, f"'~' is for integers, and this is {kind}")
        return Value(f"({'~' if isinstance(node.op, ast.Invert) else '-'}{operand.text})", kind, is_pure=operand.is_pure)

    def condition(self, node):
        """The truth of an expression."""
        found = self.value(node)
        if found.constant is not None:
            return constant(bool(found.constant))
        return found if found.type.is_bool else Value(f"({found.text} != 0)", BOOL, is_pure=found.is_pure)

    def one_of(self, node):
        """x in (1, 3, 5): x == 1 or x == 3 or x == 5"""
        parts = node.comparators[0].elts if isinstance(node.comparators[0], (ast.Tuple, ast.List, ast.Set)) else None
        if parts is None:
            try:
                parts = [ast.copy_location(ast.Constant(number), node) for number in self.known(node.comparators[0])]
            except (KeyError, TypeError):
                self.fail(node, "'in' is for a tuple of numbers in a kernel: x in (1, 3, 5)")
        if not parts or not self.value(node.left).is_pure:
            self.fail(node, "put what is looked for into a local before" if parts else "nothing is in an empty tuple")
        is_in = isinstance(node.ops[0], ast.In)
        equal = [ast.copy_location(ast.Compare(node.left, [ast.Eq() if is_in else ast.NotEq()], [part]), node) for part in parts]
        return self.expression(ast.copy_location(ast.BoolOp(ast.Or() if is_in else ast.And(), equal), node)
                               if len(equal) > 1 else equal[0])

    def expr_Compare(self, node):
        decided = self.compared_objects(node)
        if decided is not None:
            return constant(decided)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self.one_of(node)
        if not all(type(op) in _COMPARED for op in node.ops):
            self.fail(node, "'is' cannot be in a kernel, nor 'in' within a chain: compare by ==")
        if len(node.ops) == 1 and (self.vector_of(node.left) or self.vector_of(node.comparators[0])):
            terms = [self.thing(node.left), self.thing(node.comparators[0])]
            return self.by_elements(node, terms, lambda names: ast.Compare(names[0], node.ops, [names[1]]))
        terms = [self.value(part) for part in (node.left, *node.comparators)]
        if len(terms) > 2 and not all(term.is_pure for term in terms[1:-1]):
            self.fail(node, "what stands in the middle of a chain is evaluated once in Python: put it into a local before")
        texts = []
        for op, a, b in zip(node.ops, terms, terms[1:]):
            kind = join(a.type, b.type)
            texts.append(f"{convert(a, kind).text} {_COMPARED[type(op)]} {convert(b, kind).text}")
        if all(term.constant is not None for term in terms):
            return constant(all(eval(f"a {_COMPARED[type(op)]} b", {"a": a.constant, "b": b.constant})
                                for op, a, b in zip(node.ops, terms, terms[1:])))
        text = f"({texts[0]})" if len(texts) == 1 else "(" + " && ".join(f"({part})" for part in texts) + ")"
        return Value(text, BOOL, is_pure=all(term.is_pure for term in terms))

    def expr_BoolOp(self, node):
        terms = [self.value(part) for part in node.values]
        if not all(term.type.is_bool or term.constant is not None for term in terms) and not self.in_condition:
            self.fail(node, "'and' and 'or' of numbers give one of the numbers in Python: compare them, x != 0 and y != 0")
        terms = [self.condition(part) for part in node.values]
        joint = " && " if isinstance(node.op, ast.And) else " || "
        return Value("(" + joint.join(term.text for term in terms) + ")", BOOL, is_pure=all(t.is_pure for t in terms))

    def expr_IfExp(self, node):
        test = self.test(node.test)
        a, b = self.thing(node.body), self.thing(node.orelse)
        kind = self.meet(node, a.type, b.type)
        a, b = convert(a, kind), convert(b, kind)
        return Value(f"({test.text} ? {a.text} : {b.text})", kind, None, a.is_natural and b.is_natural,
                     test.is_pure and a.is_pure and b.is_pure)

    def test(self, node):
        """A condition, where 'and' and 'or' of numbers mean their truth."""
        before, self.in_condition = self.in_condition, True
        try:
            return self.condition(node)
        finally:
            self.in_condition = before

    # ---- calls --------------------------------------------------------------------------------------------------------

    def expr_Call(self, node):
        try:
            called = self.known(node.func)
        except KeyError:
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and (
                    node.func.value.id in self.arrays):
                self.fail(node, f"arrays have no methods in a kernel: '{node.func.attr}' is a loop")
            owner = self.struct_value(node.func.value) if isinstance(node.func, ast.Attribute) else None
            if self.vector_type(owner) and node.func.attr == "cast" and len(node.args) == 1:
                return self.by_elements(node, [owner], lambda names: ast.Call(node.args[0], names, []))
            if self.vector_type(owner):
                return self.vector_method(node, node.func.attr, owner, [self.thing(part) for part in node.args])
            if isinstance(node.func, ast.Attribute) and owner is not None and owner.type == BOOL and not self.is_last_round:
                return owner  # of a local that no round has seen set yet
            method = self.method_of(owner, node.func.attr) if owner is not None else None
            if method is not None:
                return self.call_function(node, method, owner)
            self.fail(node, f"'{ast.unparse(node.func)}' is no function that is known here")
        if isinstance(getattr(called, "__self__", None), Vector):
            return self.vector_method(node, node.func.attr, self.object_value(node.func.value), [self.thing(p) for p in node.args])
        if getattr(called, "_rill_static", False):
            made = self.static(node)
            return self.known_struct(node, made) or self.expr_Constant(ast.copy_location(ast.Constant(made), node))
        struct = self.struct_of(called)
        if struct is not None:
            return self.construct(node, struct)
        if getattr(called, "_rill_builtin", None) in ("Vector", "Matrix", "rows", "cols"):
            return getattr(self, f"call_{called._rill_builtin}")(node)
        if self.module.has_vectors and (called in (int, float, bool) or isinstance(called, rill_types.DType) or (
                getattr(called, "_rill_builtin", None) or getattr(called, "__name__", "")) in ELEMENTWISE):
            found = self.vector_call(node, getattr(called, "_rill_builtin", None) or getattr(called, "__name__", ""))
            if found is not None:
                return found
        if isinstance(called, rill_types.DType):
            return self.cast(node, Type(called))
        if isinstance(called, type) and called.__module__ == "numpy":
            return self.cast(node, self.type_of_numpy(node, called))
        if called is int or called is float or called is bool:
            return self.cast(node, {int: INT, float: FLOAT, bool: BOOL}[called])
        if hasattr(called, "_rill_func"):
            return self.call_function(node, called)
        name = getattr(called, "_rill_builtin", None) or getattr(called, "__name__", "")
        home = getattr(called, "__module__", None)
        if name in _ARRAYS and str(home).startswith("numpy"):
            self.fail(node, "an array cannot be made in a kernel: pass one; t = rill.local((3, 3), rill.f32) is one of the "
                            "iteration's own")
        if node.keywords and not (self.module.loops_over_arrays and name in ("round", "floor", "ceil") and len(node.keywords) == 1 and (
                node.keywords[0].arg == "dtype")):
            self.fail(node, f"'{name}' takes no named arguments in a kernel")
        if home == "builtins" or hasattr(called, "_rill_builtin"):
            method = getattr(self, f"call_{name}", None)
            if method is not None:
                return method(node)
        is_numpy = type(called).__name__ == "ufunc" or str(home).startswith("numpy") or hasattr(called, "_rill_builtin")
        if called is ord:
            return self.call_ord(node)
        if home == "math" or is_numpy or hasattr(called, "_rill_builtin"):
            return self.call_math(node, name, is_numpy)
        self.fail(node, f"'{ast.unparse(node.func)}' cannot be called in a kernel: functions of a program's own are marked "
                        "with @rill.func")

    def arguments(self, node, count):
        if len(node.args) != count:
            self.fail(node, f"'{ast.unparse(node.func)}' takes {count} argument{'s' * (count != 1)}, and got {len(node.args)}")
        return [self.value(part) for part in node.args]

    def cast(self, node, kind):
        if not node.args:
            return convert(constant(0), kind)
        if kind.is_float and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(
                node.args[0].value, str):  # float("inf")
            try:
                return convert(constant(float(node.args[0].value)), kind)
            except ValueError as error:
                self.fail(node, str(error))
        value, = self.arguments(node, 1)
        if value.type.is_bool and kind.is_bool:
            return value
        if value.constant is not None and not kind.is_bool:
            number = value.constant if kind.is_float else int(value.constant)
            text = literal(number, kind)
            strong = text if kind.weak or kind.dtype.name in ("f32", "f64", "i32") else f"({kind.c}){text}"
            return Value(strong, kind, number if kind.weak else None, kind.is_int and number >= 0)
        converted = convert(value, kind)
        return Value(converted.text, kind, None, converted.is_natural, converted.is_pure)

    def call_function(self, node, called, first=None):
        """A call of a program's own function; |first|: the struct whose method it is."""
        owner = getattr(called, "__self__", None)
        arguments = [first] if first is not None else [] if owner is None else [Known(owner)]
        for part in self.placed(node, called, len(arguments)):
            found = self.known_argument(part) or self.expression(part)
            if not isinstance(found, (Value, ArrayValue, Known)):
                self.fail(part, "this is neither a number nor an array")
            arguments.append(found)
        return self.module.call(self, node, called, arguments)

    def known_argument(self, node):
        """None, a type, a text or a function, which the function that is called knows when it is compiled; else None."""
        try:
            found = node.value if isinstance(node, ast.Constant) else self.known(node)
        except KeyError:
            return None
        is_known = found is None or isinstance(found, (str, type, rill_types.DType)) or hasattr(found, "_rill_func")
        return Known(found) if is_known and not isinstance(found, Vector) else None

    def placed(self, node, called, taken):
        """The arguments of a call by their places: those that are named, and defaults."""
        code, function = called.__code__, getattr(called, "__func__", called)
        names = code.co_varnames[taken:code.co_argcount]
        given = dict(zip(names, node.args))
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                self.fail(node, f"'{called.__name__}' has no parameter '{keyword.arg}' that is not given yet: {', '.join(names)}")
            given[keyword.arg] = keyword.value
        defaults = function.__defaults__ or ()
        known = dict(zip(code.co_varnames[code.co_argcount - len(defaults):code.co_argcount], defaults))
        missing = [name for name in names if name not in given and name not in known]
        if missing or len(node.args) > len(names):
            self.fail(node, f"'{called.__name__}' takes {len(names)} arguments, {', '.join(names)}, and got {len(node.args)}")
        return [given[name] if name in given else ast.copy_location(ast.Constant(known[name]), node) for name in names]

    def call_math(self, node, name, is_numpy):
        if name == "cast":
            return self.call_cast(node)
        if name == "where" and is_numpy:
            return self.call_select(node)
        if name == "clip" and is_numpy and len(node.args) == 3:
            lower = ast.copy_location(ast.Call(node.func, node.args[:2], []), node)
            least = self.least(lower, "max")
            return self.least_of(node, "min", [least, self.value(node.args[2])])
        if name in ("degrees", "radians", "rad2deg", "deg2rad"):
            value, = self.arguments(node, 1)
            factor = 180 / math.pi if name in ("degrees", "rad2deg") else math.pi / 180
            return self.binary(node, ast.Mult, convert(value, value.type if value.type.is_float else FLOAT), constant(factor))
        if name == "log" and not is_numpy and len(node.args) == 2:
            parts = [ast.copy_location(ast.Call(node.func, [part], []), node) for part in node.args]
            return self.binary(node, ast.Div, *(self.value(part) for part in parts))
        if name in ("isinf", "isfinite"):
            value, = self.arguments(node, 1)
            if value.type.is_int or value.type.is_bool:
                return constant(name == "isfinite")
            text = f"fabs{library.suffix(value.type.dtype)}({self.bare(value.text)}) {'==' if name == 'isinf' else '<'} INFINITY"
            return Value(f"({text})", BOOL, is_pure=value.is_pure)
        if name in ("floor", "ceil") and self.module.loops_over_arrays:
            return self.rounded(node, name)
        if name in ("floor", "ceil"):
            value, = self.arguments(node, 1)
            if value.type.is_int:
                return value
            text = f"{name}{library.suffix(value.type.dtype)}({value.text})"
            if is_numpy:
                return Value(text, value.type, is_pure=value.is_pure)
            return Value(f"(int64_t){text}", INT, is_pure=value.is_pure)
        if name == "trunc" and not is_numpy:
            value, = self.arguments(node, 1)
            return convert(value, value.type if value.type.is_int else INT)
        if name == "isnan":
            value, = self.arguments(node, 1)
            return Value(f"({value.text} != {value.text})", BOOL, is_pure=value.is_pure)
        if name in ("maximum", "minimum"):
            return self.least(node, "max" if name == "maximum" else "min")
        if name in ("abs", "absolute"):
            return self.call_abs(node)
        if is_numpy and name == "sign":
            return self.call_sign(node)
        if is_numpy and name == "square":
            return self.power(node, *self.arguments(node, 1), constant(2))
        if is_numpy and name in ("mod", "remainder", "floor_divide"):
            a, b = self.arguments(node, 2)
            return self.binary(node, ast.FloorDiv if name == "floor_divide" else ast.Mod, a, b)
        table = library.MATH if name in library.MATH else library.MATH2
        if name not in table:
            self.fail(node, f"there is no '{name}' in kernels")
        values = self.arguments(node, 1 if table is library.MATH else 2)
        kind = values[0].type if len(values) == 1 else join(values[0].type, values[1].type)
        kind = kind if kind.is_float else FLOAT
        if all(v.constant is not None for v in values) and kind.weak and hasattr(math, table[name]):
            try:
                return constant(getattr(math, table[name])(*(v.constant for v in values)))
            except ArithmeticError as error:
                self.fail(node, f"this cannot be computed: {error}")
            except ValueError as error:
                self.fail(node, f"this cannot be computed: {error}")
        texts = [convert(value, kind).text for value in values]
        if kind.dtype.size == 2:
            kind = F32
        return Value(f"{table[name]}{library.suffix(kind.dtype)}({', '.join(self.bare(t) for t in texts)})", kind,
                     is_pure=all(value.is_pure for value in values))

    def call_ord(self, node):
        text = node.args[0].value if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) else None
        if not isinstance(text, str) or len(text) != 1:
            self.fail(node, "ord() takes one letter in a kernel, ord('a'): bytes are numbers")
        return constant(ord(text))

    def call_sign(self, node):
        value, = self.arguments(node, 1)
        if not value.is_pure:
            self.fail(node, "put the argument of sign() into a local before")
        kind = arithmetic(value.type, value.type)
        value = convert(value, kind)
        zero, one, minus = (literal(number, kind) for number in (0, 1, -1))
        least = f"{value.text} < {zero} ? {minus} : "
        return Value(f"({value.text} > {zero} ? {one} : {least if kind.dtype.is_signed else ''}"
                     f"{value.text if kind.is_float else zero})", kind, is_pure=True)

    def call_abs(self, node):
        value, = self.arguments(node, 1)
        kind = arithmetic(value.type, value.type)
        value = convert(value, kind)
        if kind.is_float:
            return Value(f"fabs{library.suffix(kind.dtype)}({self.bare(value.text)})", kind, is_pure=value.is_pure)
        if value.is_natural or not kind.dtype.is_signed:
            return value
        if not value.is_pure:
            self.fail(node, "put the argument of abs() into a local before")
        return Value(f"({value.text} < 0 ? -{value.text} : {value.text})", kind, is_natural=True)

    def call_cast(self, node):
        """cast(x, rill.f32)"""
        if len(node.args) != 2:
            self.fail(node, "cast() takes a number and a type")
        kind = self.type_of_annotation(node.args[1])
        return self.cast(ast.copy_location(ast.Call(node.func, node.args[:1], []), node), kind)

    def call_select(self, node):
        if len(node.args) != 3:
            self.fail(node, "select() takes a condition and two numbers")
        return self.expr_IfExp(ast.copy_location(ast.IfExp(*node.args), node))

    def call_min(self, node):
        return self.least(node, "min")

    def call_max(self, node):
        return self.least(node, "max")

    def least(self, node, which):
        values = [self.value(part) for part in node.args]
        if len(values) < 2:
            self.fail(node, f"{which}() takes two numbers or more in a kernel")
        return self.least_of(node, which, values)

    def least_of(self, node, which, values):
        kind = values[0].type
        for value in values[1:]:
            kind = join(kind, value.type)
        result = convert(values[0], kind)
        for value in values[1:]:
            value = convert(value, kind)
            is_pure = result.is_pure and value.is_pure
            if kind.is_float:
                text = f"f{which}{library.suffix(kind.dtype)}({self.bare(result.text)}, {self.bare(value.text)})"
            elif not is_pure:
                self.fail(node, f"put the arguments of {which}() into locals before")
            else:
                text = f"({value.text} {'<' if which == 'min' else '>'} {result.text} ? {value.text} : {result.text})"
            is_natural = (result.is_natural and value.is_natural) or (
                which == "max" and (result.is_natural or value.is_natural))
            result = Value(text, kind, None, kind.is_int and is_natural, is_pure)
        return result

    def call_round(self, node):
        if self.module.loops_over_arrays:
            return self.rounded(node, "rint")
        value, = self.arguments(node, 1)
        if not value.type.is_float:
            return value
        return Value(f"(int64_t)rint{library.suffix(value.type.dtype)}({value.text})", INT, is_pure=value.is_pure)

    def rounded(self, node, name):
        """floor(x), ceil(x, i32), round(x) of Quadrants: what x is, or a type that is said."""
        dtypes = [keyword.value for keyword in node.keywords] + node.args[1:]
        if len(dtypes) == 1:
            whole = ast.copy_location(ast.Call(node.func, node.args[:1], []), node)
            return self.cast(ast.copy_location(ast.Call(node.func, [whole], []), node), self.type_of_annotation(dtypes[0]))
        value, = self.arguments(node, 1)
        if not value.type.is_float:
            return value
        return Value(f"{name}{library.suffix(value.type.dtype)}({self.bare(value.text)})", value.type, is_pure=value.is_pure)

    def call_pow(self, node):
        a, b = self.arguments(node, 2)
        return self.power(node, a, b)

    def call_len(self, node):
        try:
            known = self.known(node.args[0]) if len(node.args) == 1 else None
        except KeyError:
            known = None
        if isinstance(known, tuple):
            return constant(len(known))
        found = self.expression(node.args[0]) if len(node.args) == 1 else None
        if isinstance(found, Value) and found.type.is_tuple:
            return constant(len(found.type.dtype.members))
        if isinstance(found, Shape):
            return constant(found.array.rank)
        if not isinstance(found, ArrayValue):
            self.fail(node, "len() is of an array or a tuple in a kernel")
        return found.extents[0]

    # ---- atomics, random numbers ----------------------------------------------------------------------------------------

    def call_atomic(self, node, name):
        if len(node.args) != (3 if name == "cas" else 2):
            self.fail(node, f"rill.atomic_{name}() takes a place, x[i], and {'two values' if name == 'cas' else 'a value'}")
        if self.module.loops_over_arrays and isinstance(node.args[0], ast.Name) and self.is_inside(node.args[0].id):
            return self.atomic_of_local(node, name)
        place = self.value(node.args[0])
        if not isinstance(node.args[0], (ast.Subscript, ast.Attribute)):
            self.fail(node, f"rill.atomic_{name}() updates an element of an array: x[i]")
        self.note_write(node.args[0])
        values = [self.value(part) for part in node.args[1:]]
        for part, value in zip(node.args[1:], values):
            self.check_store(part, place.type, value)
        texts = ", ".join(self.bare(convert(value, place.type).text) for value in values)
        return Value(f"rill_atomic_{name.rstrip('_')}(&{place.text}, {texts})", place.type, is_pure=False)

    def call_random(self, node, name, dtype):
        values = self.arguments(node, 2)
        for part, value in zip(node.args, values):
            if value.type.is_float:
                self.fail(part, "a key and a counter are integers")
        texts = ", ".join(self.bare(value.text) for value in values)
        return Value(f"rill_{name}({texts})", Type(rill_types.BY_NAME[dtype]), is_natural=dtype == "u32",
                     is_pure=all(value.is_pure for value in values))

    def check_store(self, node, kind, value):
        """Whether a value may be stored as a type, as NumPy's same_kind has it."""
        given = self.vector_type(value)
        if given is not None and self.is_vector_dtype(kind.dtype) and given.shape == kind.dtype.shape and (
                kind.dtype.element.is_float or not given.element.is_float):
            return
        if kind.is_struct or value.type.is_struct:
            is_same = value.type == kind or kind.is_tuple and value.type.is_tuple and (
                len(kind.dtype.members) == len(value.type.dtype.members))
            if not is_same and not (value.type == BOOL and not self.is_last_round):
                self.fail(node, f"a {value.type!r} is stored where a {kind!r} is")
            return
        if value.type.is_float and not kind.is_float:
            self.fail(node, f"a {value.type} is stored where a {kind} is: int() rounds towards zero")
        if kind.is_bool and not value.type.is_bool:
            self.fail(node, f"a {value.type} is stored where a bool is: compare it with 0")


def _atomic(name):
    def call(self, node):
        return self.call_atomic(node, name)
    return call


def _random(name, dtype):
    def call(self, node):
        return self.call_random(node, name, dtype)
    return call


for _name in (*library.ATOMICS, "cas"):
    setattr(Expressions, f"call_atomic_{_name.rstrip('_')}", _atomic(_name))
for _name, _dtype in library.RANDOM.items():
    setattr(Expressions, f"call_{_name}", _random(_name, _dtype))

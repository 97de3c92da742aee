"""Structs and tuples in kernels in Python. Both are structs of C, and values: what is assigned is a copy."""
import ast

from rill import types as rill_types
from rill.script.value import BOOL, NoMeeting, Type, Value, constant, convert, join, member_type, tuple_of
from rill.structs import StructType, struct
from rill.vectors import Vector, VectorType


class Structs:
    """Mixed into the translation of a function (function.py)."""

    def use(self, kind):
        """The same type, whose definition the text will have."""
        if kind is not None and kind.is_struct:
            self.module.use(kind.dtype)
        return kind

    def meet(self, node, a, b):
        """The type in which two values meet."""
        try:
            return join(a, b)
        except NoMeeting as error:
            return self.fail(node, f"two types that do not meet: {error}")

    @staticmethod
    def struct_of(called):
        """The type that a class of Python's stands for; None for what is no struct."""
        if isinstance(called, StructType):
            return called
        return struct(called) if isinstance(called, type) and hasattr(called, "__dataclass_fields__") else None

    def type_of_numpy(self, node, called):
        """numpy.float32(x)"""
        try:
            return Type(rill_types.dtype(called))
        except TypeError as error:
            return self.fail(node, str(error))

    # ---- making -----------------------------------------------------------------------------------------------------------

    def literal_struct(self, kind, values):
        self.use(kind)
        text = f"({kind.c}){{{', '.join(self.bare(v.text) for v in values)}}}"
        return Value(text, kind, is_pure=all(v.is_pure for v in values))

    def construct(self, node, dtype):
        """Body(x, y, mass=2)"""
        if isinstance(dtype, VectorType):
            return self.construct_vector(node, dtype)
        names = [m.name for m in dtype.members]
        given = dict(zip(names, node.args))
        if len(node.args) > len(names):
            self.fail(node, f"{dtype.name} has {len(names)} fields, {', '.join(names)}, and got {len(node.args)} values")
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                self.fail(node, f"{dtype.name} has no field '{keyword.arg}' that is not given yet: {', '.join(names)}")
            given[keyword.arg] = keyword.value
        values = []
        for member in dtype.members:
            value = self.thing(given[member.name]) if member.name in given else self.default_of(node, dtype, member)
            self.check_store(given.get(member.name, node), member_type(member), value)
            values.append(convert(value, member_type(member)))
        return self.literal_struct(Type(dtype), values)

    def default_of(self, node, dtype, member):
        field = dtype.cls.__dataclass_fields__[member.name]
        default = field.default_factory() if callable(field.default_factory) else field.default
        found = self.known_struct(node, default) or constant(default)
        if found is None:
            self.fail(node, f"{dtype.name} is made without a value for its field '{member.name}'")
        return found

    def known_struct(self, node, found):
        """An object of a dataclass, or a tuple of numbers, from outside: a constant. None for everything else."""
        if isinstance(found, Vector):
            return self.vector_literal(node, [constant(number) for number in found.values], found.shape)
        if isinstance(found, tuple) and found:
            values = [self.known_struct(node, part) or constant(part) for part in found]
            return None if None in values else self.literal_struct(tuple_of([v.type for v in values]), values)
        if isinstance(found, type) or not hasattr(type(found), "__dataclass_fields__"):
            return None
        dtype = struct(type(found))
        values = [self.known_struct(node, part) or constant(part) for part in dtype._parts(found)]
        if None in values:
            return None
        return self.literal_struct(Type(dtype), [convert(v, member_type(m)) for v, m in zip(values, dtype.members)])

    def expr_Tuple(self, node):
        if not node.elts:
            self.fail(node, "an empty tuple cannot be in a kernel")
        values = [self.thing(part) for part in node.elts]
        return self.literal_struct(tuple_of([v.type for v in values]), values)

    def method_of(self, owner, name):
        """The function of a struct's class that @rill.func marks; None if it has none of the name."""
        if owner is None or not owner.type.is_struct or owner.type.is_tuple or self.vector_type(owner):
            return None
        found = getattr(owner.type.dtype.cls, name, None)
        return found if hasattr(found, "_rill_func") else None

    # ---- parts ------------------------------------------------------------------------------------------------------------

    def is_inside(self, name):
        return name in self.arrays or name in self.params or name in self.bound or name in self.scope.locals

    def struct_value(self, node):
        """The struct that an expression is, or None."""
        if isinstance(node, ast.Name):
            if not self.is_inside(node.id) or node.id in self.arrays:
                return None
        elif isinstance(node, ast.Subscript):
            root = node
            while isinstance(root, (ast.Subscript, ast.Attribute)) and self.array_of(root) is None:
                root = root.value
            if self.array_of(root) is None and not (isinstance(root, ast.Call) or isinstance(root, ast.Name) and (
                    self.is_inside(root.id))):
                return None
        elif isinstance(node, ast.Attribute):
            if self.struct_value(node.value) is None:
                return None
        elif not isinstance(node, (ast.Call, ast.IfExp)) and not (
                self.module.has_vectors and isinstance(node, (ast.BinOp, ast.UnaryOp))):
            return None
        found = self.expression(node)
        if isinstance(found, Value) and (found.type.is_struct or found.type == BOOL and not self.is_last_round):
            return found
        return None

    def member(self, node, owner):
        if not owner.type.is_struct:
            return Value(owner.text, self.waiting(), is_pure=True)  # a local that no round has seen set yet
        if self.vector_type(owner):
            return self.vector_member(node, owner)
        member = None if owner.type.is_tuple else owner.type.dtype.member(node.attr)
        if member is None:
            names = ", ".join(m.name for m in owner.type.dtype.members)
            self.fail(node, "a tuple has no names: take [0]" if owner.type.is_tuple else
                      f"a {owner.type!r} has no field '{node.attr}': {names}")
        return Value(f"{owner.text}.{member.c_name}", member_type(member), is_pure=owner.is_pure)

    def tuple_element(self, node, owner):
        found = self.value(node.slice) if not isinstance(node.slice, (ast.Slice, ast.Tuple)) else None
        index = found.constant if found is not None else None
        members = owner.type.dtype.members
        if index is None and found is not None and found.type.is_int and isinstance(members[0].dtype, VectorType) and all(
                m.dtype == members[0].dtype for m in members):
            return self.chosen_vector(owner, found)
        if not isinstance(index, int) or not -len(members) <= index < len(members):
            self.fail(node, f"a tuple of {len(members)} values is indexed by a constant, [0] to [{len(members) - 1}]: "
                            "rill.local() makes an array that takes any index")
        member = members[index]
        return Value(f"{owner.text}.{member.c_name}", member_type(member), is_pure=owner.is_pure)

    def chosen_vector(self, owner, index):
        """w[i] of a list of vectors of one type, and an index that is not known: of one that is too large the last."""
        members, kind = owner.type.dtype.members, member_type(owner.type.dtype.members[0])
        text = f"t.{members[-1].c_name}"
        for i in reversed(range(len(members) - 1)):
            text = f"i == {i} ? t.{members[i].c_name} : {text}"
        name = self.module.helper(f"{kind.c} ", f"({owner.type.c} t, int64_t i) {{ return {text}; }}")
        return Value(f"{name}({owner.text}, {self.bare(index.text)})", kind, is_pure=owner.is_pure and index.is_pure)

    def place(self, target):
        """An element or a member that is set."""
        root, has_member = target, False
        while isinstance(root, (ast.Subscript, ast.Attribute)) and self.array_of(root) is None:
            if isinstance(root, ast.Subscript) and self.array_of(root.value) is None and (
                    self.struct_value(root.value) is not None) and not self.vector_type(self.struct_value(root.value)):
                self.fail(target, "a tuple does not change: make another")
            has_member = has_member or isinstance(root, ast.Attribute)
            root = root.value
        is_copied = self.module.loops_over_arrays and getattr(root, "id", None) != "self"  # Quadrants' parameters are copies
        if has_member and isinstance(root, ast.Name) and root.id in self.params and not is_copied:
            self.fail(target, f"'{root.id}' is a parameter, and its members would change for the caller in Python and not in "
                              f"a kernel: copy it into a local before")
        if self.array_of(root) is None and not (isinstance(root, ast.Name) and self.is_inside(root.id)):
            self.fail(target, "only locals, elements of arrays and their members can be set")
        return self.thing(target)

    def tuple_values(self, node, depth):
        """The values of a tuple that is taken apart: a, b = f(x)."""
        found = self.thing(node.value)
        if found.type == BOOL and not self.is_last_round:
            return [found] * len(node.targets[0].elts)
        if self.vector_type(found):
            name = self.fresh_once(node, "whole")
            self.emit(node, depth, f"{found.type.c} {name} = {self.bare(found.text)};")
            element = Type(found.type.dtype.element, found.type.dtype.weak)
            return [Value(f"{name}.f[{i}]", element) for i in range(len(found.type.dtype.members))]
        if not found.type.is_tuple:
            self.fail(node, "several names are set by as many values, or by a tuple: a, b = x, y")
        name = self.fresh_once(node, "whole")
        self.emit(node, depth, f"{found.type.c} {name} = {found.text};")
        return [Value(f"{name}.{m.c_name}", member_type(m)) for m in found.type.dtype.members]

"""Statements of kernels in Python, and a function of them as a function of C.

A function is translated again until the types of its locals stay what they are: a local has the type in which all that is
stored into it meets. Each statement is one line of C, with #line where its number in the Python file needs it.
"""
import ast

from rill import types as rill_types
from rill.script.expression import Expressions, Shape
from rill.script.library import RESERVED
from rill.script.loop import Loops
from rill.script.names import Names
from rill.script.output import Output
from rill.script.scope import Scope, blocks_of, names_in, rename_static_loops, split_locals
from rill.script.value import BOOL, FLOAT, INT, ArrayValue, Known, Type, Value, constant, convert, join

# What has names of its own, or leaves by a way of its own: looked for before names are.
_NEVER = {
    ast.Try: "try", ast.Raise: "raise (assert can)", ast.Delete: "del", ast.Import: "import", ast.ImportFrom: "import",
    ast.ClassDef: "a class", ast.FunctionDef: "a function inside a function (one outside, marked with @rill.func, can be called)",
    ast.AsyncFunctionDef: "async", ast.AsyncFor: "async", ast.AsyncWith: "async", ast.Global: "global (an array that is passed keeps what changes)",
    ast.Nonlocal: "nonlocal (an array that is passed keeps what changes)", ast.Lambda: "a lambda",
    ast.SetComp: "a set", ast.DictComp: "a dictionary", ast.GeneratorExp: "a generator", ast.Await: "await",
    ast.Yield: "yield", ast.YieldFrom: "yield",
}
_ROUNDS = 20


class Function(Expressions, Names, Loops, Output):
    """One translation of a function for given types. |parameters|: name → Type, or (dtype, rank) of an array, or a Value
    that is known, or a Known object of Python's (self)."""

    def __init__(self, module, source, c_function, parameters, is_kernel):
        self.module, self.source, self.c_function, self.is_kernel = module, source, c_function, is_kernel
        self.fail = source.fail
        self.params, self.arrays, self.array_params, self.objects = {}, {}, [], {}
        self.c_names, self.taken = {}, set(parameters) | names_in(source.tree)
        self.c_params, self.extents = [], []  # (declaration of C, name of an array or None); hidden: (index, param, axis)
        for name, kind in parameters.items():
            self._parameter(name, kind)
        body = source.tree.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and (
                isinstance(body[0].value.value, str)):
            body = body[1:]  # what it says about itself
        self.body = body
        for statement in body:
            for part in ast.walk(statement):
                if isinstance(part, ast.ListComp) and not module.loops_over_arrays:
                    self.fail(part, "a list comprehension cannot be in a kernel")
                if type(part) in _NEVER:
                    self.fail(part, f"{_NEVER[type(part)]} cannot be in a kernel")
                if isinstance(part, ast.NamedExpr):
                    self._check_named(statement, part)
        rename_static_loops(body, self._is_static_loop)
        if module.loops_over_arrays:
            split_locals(body, set(parameters), self.taken)
        self.scope = Scope(body, parameters)
        self.extent_names = {extent.text for array in self.arrays.values() for extent in array.extents}
        self._check_params()
        self.types, self.natural, self.bound = {}, set(self.scope.locals), {}
        self.return_type, self.returns_something, self.is_last_round = None, None, False
        self.in_condition = False
        self.writes = set()
        self.draws, self.open_loops = False, 0  # whether it has random numbers of Quadrants' kind
        self.captured = []  # names of arrays from outside, in the order of their parameters
        self.fixed = {}  # locals with an annotation
        self.translate()

    # ---- names ----------------------------------------------------------------------------------------------------------

    def fresh(self, wanted):
        """A name for C that no name of the function is."""
        while wanted in self.taken or wanted in RESERVED:
            wanted += "_"
        self.taken.add(wanted)
        return wanted

    def c_name(self, name):
        if name not in self.c_names:
            is_clean = name.isascii() and name not in RESERVED and not name.lower().startswith(("rill_", "m_", "__"))
            clean = name if is_clean else self.fresh("v_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in name))
            self.c_names[name] = clean
        return self.c_names[name]

    def _parameter(self, name, kind):
        if isinstance(kind, Known):
            self.objects[name] = kind.object
        elif isinstance(kind, Value):
            self.params[name] = kind
        elif isinstance(kind, tuple):
            dtype, rank = kind
            extents = []
            for axis in range(rank):
                extent = self.fresh(f"{name}_n{axis}")
                self.extents.append((len(self.c_params), name, axis))
                self.c_params.append((f"int64_t {extent}", None))
                extents.append(Value(extent, INT, is_natural=True))
            c = self.c_name(name)
            self.use(Type(dtype))
            self.arrays[name] = ArrayValue(c, dtype, extents)
            self.array_params.append(name)
            self.c_params.append((f"{dtype.c_name} {c}" + "".join(f"[{e.text}]" for e in extents), name))
        else:
            c = self.c_name(name)
            self.use(kind)
            self.params[name] = Value(c, kind)
            self.c_params.append((f"{kind.c} {c}", None))

    def _check_params(self):
        """A number that is a parameter may be set: it is a local that begins with what was passed."""
        for statement in self.body:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id in self.arrays:
                    self.fail(part, f"'{part.id}' is an array and cannot be set to something else; write its elements")
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id in self.params and (
                        self.params[part.id].constant is not None):
                    self.fail(part, f"'{part.id}' is a constant of the kernel and cannot be set")

    def _check_named(self, statement, node):
        """(p := x) where C and Python evaluate in one order: the name stands nowhere else in the statement."""
        holder = next(part for part in reversed(list(ast.walk(statement))) if isinstance(part, ast.stmt) and any(
            inner is node for inner in ast.walk(part)))
        headers = [inner for inner in ast.iter_child_nodes(holder) if not isinstance(inner, ast.stmt)]
        uses = [part for header in headers for part in ast.walk(header) if isinstance(part, ast.Name) and part.id == node.target.id]
        is_late = any(isinstance(part, (ast.BoolOp, ast.IfExp)) or isinstance(part, ast.Compare) and len(part.ops) > 1
                      for header in headers for part in ast.walk(header) if any(inner is node for inner in ast.walk(part)))
        if len(uses) > 1 or is_late:
            self.fail(node, f"'{node.target.id}' is set in an expression that may not get there, or that names it again: set it "
                            "in a statement of its own")

    def _is_static_loop(self, node):
        call = node.iter
        try:
            called = self.known_outside(call.func) if isinstance(call, ast.Call) else None
        except (KeyError, AttributeError):
            return False
        return getattr(called, "_rill_builtin", None) == "static"

    def known_outside(self, node):
        """What a name or an attribute means outside of the function."""
        if isinstance(node, ast.Name):
            return self.source.look_up(node.id)
        if isinstance(node, ast.Attribute):
            return getattr(self.known_outside(node.value), node.attr)
        raise KeyError

    # ---- rounds ---------------------------------------------------------------------------------------------------------

    def waiting(self):
        """The type of a local that no round has seen set yet: it meets every other."""
        return BOOL

    def translate(self):
        for _ in range(_ROUNDS):
            before = dict(self.types), set(self.natural), self.return_type
            self.lines, self.is_last_round = [], False
            self._whole()
            if before == (self.types, self.natural, self.return_type):
                break
        else:
            self.fail(self.source.tree, "the types of the locals do not settle: give them one, x: rill.f32 = 0")
        self.lines, self.is_last_round = [], True
        self._whole()
        if self.return_type is not None and not self.always_returns(self.body):
            self.fail(self.source.tree, f"'{self.source.name}' returns a value in one place, and ends without one in another")

    @staticmethod
    def always_returns(block):
        last = block[-1] if block else None
        if isinstance(last, ast.If):
            return Function.always_returns(last.body) and Function.always_returns(last.orelse)
        return isinstance(last, ast.Return) or isinstance(last, ast.While) and isinstance(
            last.test, ast.Constant) and bool(last.test.value)

    def _whole(self):
        self.bound = {}
        self.arrays = {name: array for name, array in self.arrays.items() if not array.is_local}
        self.looked_at = {}  # id of an expression → itself, and the vector that it is, until anything changes
        self.pending = []  # pragmas of rill.loop_config(), for the next loop
        if self.draws and self.is_kernel:
            self.emit(self.body[0], 1, "uint64_t rill_key = rill_launch, rill_drawn = 0;")
        self.block(self.body, 1)

    def emit(self, node, depth, text):
        self.looked_at = {}
        self.lines.append((node.lineno, depth, text))

    @property
    def returns(self):
        return "void" if self.return_type is None else self.return_type.c

    def head(self):
        parts = []
        captured = []
        for name in self.captured:
            array = self.arrays[name]
            captured.append((f"{array.dtype.c_name} {name}" + "".join(f"[{e.text}]" for e in array.extents), name))
        for text, name in self.c_params + captured:
            is_const = name is not None and name not in self.writes
            parts.append(("const " if is_const else "") + text)
        if self.draws:
            parts += ["uint64_t rill_launch"] if self.is_kernel else ["uint64_t rill_key", "uint64_t *rill_count"]
        word = "RILL_KERNEL " if self.is_kernel else "static "
        return f"{word}{self.returns} {self.c_function}({', '.join(parts) or 'void'})"

    def text(self):
        """The function's lines with their numbers: (number, text)."""
        first = self.source.tree.lineno
        lines = [(first, self.head()), (first, "{")]
        lines += [(number, "    " * depth + text) for number, depth, text in self.lines]
        last = max(number for number, _ in lines)
        return lines + [(last, "}")]

    # ---- blocks ---------------------------------------------------------------------------------------------------------

    def block(self, statements, depth):
        inline = set()
        for name in sorted(name for name, home in self.scope.homes.items() if home == id(statements)):
            first = next(statement for statement in statements if name in names_in(statement))
            if isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name) and (
                    name not in names_in(first.value)) or isinstance(first, ast.AnnAssign):
                inline.add((id(first), name))
            elif not blocks_of(first) and not Scope.sets(first, name):
                self.fail(first, f"'{name}' has no value here: nothing sets it before")
            elif name in self.types:
                self.emit(statements[0], depth, f"{self.types[name].c} {self.c_name(name)};")
        for statement in statements:
            self.inline = inline
            method = getattr(self, f"stmt_{type(statement).__name__}", None)
            if method is None:
                self.fail(statement, f"{type(statement).__name__.lower()} cannot be in a kernel")
            method(statement, depth)

    def stmt_Pass(self, node, depth):
        self.emit(node, depth, ";")

    def stmt_Break(self, node, depth):
        self.emit(node, depth, "break;")

    def stmt_Continue(self, node, depth):
        self.emit(node, depth, "continue;")

    # ---- assignments ----------------------------------------------------------------------------------------------------

    def set_type(self, name, value):
        """Notes what a local gets; returns its type as known now."""
        if name in self.params:
            return self.params[name].type
        if name in self.fixed:
            self.types[name] = self.fixed[name]
        else:
            self.types[name] = self.use(join(self.types.get(name), value.type))
        if not value.is_natural:
            self.natural.discard(name)
        return self.types[name]

    def store_name(self, node, name, value, depth, statement):
        if name in self.bound and name not in self.scope.locals:
            self.fail(node, f"'{name}' is the loop's variable")
        if name not in self.fixed and name not in self.params:
            self.meet(node, self.types.get(name), value.type)
        kind = self.set_type(name, value)
        if name in self.fixed or name in self.params:
            self.check_store(node, kind, value)
        prefix = f"{kind.c} " if (id(statement), name) in self.inline else ""
        self.emit(statement, depth, f"{prefix}{self.c_name(name)} = {self.bare(self.converted(node, value, kind).text)};")

    def note_write(self, node):
        while isinstance(node, (ast.Subscript, ast.Attribute)) and self.array_of(node) is None:
            node = node.value
        array = self.array_of(node)
        if array is not None:
            self.writes.update(name for name, found in self.arrays.items() if found is array)

    def store(self, target, value, depth, statement):
        if isinstance(target, ast.Name):
            self.store_name(target, target.id, value, depth, statement)
            return
        if not isinstance(target, (ast.Subscript, ast.Attribute)):
            self.fail(target, "only locals, elements of arrays and their members can be set")
        place = self.place(target)
        self.note_write(target)
        self.check_store(target, place.type, value)
        self.emit(statement, depth, f"{place.text} = {self.bare(self.converted(target, value, place.type).text)};")

    def stmt_Assign(self, node, depth):
        local = self.local_array(node)
        if local is not None:
            self.declare_array(node, depth, *local)
            return
        if self.is_alias(node):
            return
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            self.store_tuple(node, node.targets[0], depth)
            return
        value = self.thing(node.value)
        if self.vector_type_of(node.targets[0]) and value.type.is_tuple and isinstance(node.value, ast.Tuple):
            value = self.vector_literal(node, *self.vector_of_list(node.value))  # x[i] = (0.2, 0.7)
        if len(node.targets) > 1 and not value.is_pure:
            self.fail(node, "put the value into one local, and that into the others")
        for target in reversed(node.targets):
            if isinstance(target, (ast.Tuple, ast.List)):
                self.fail(target, "several names at once and a chain of = cannot be in one statement")
            self.store(target, value, depth, node)

    def is_alias(self, node):
        """a, b = static(self.x, self.y): other names for what is no number."""
        target = node.targets[0]
        if isinstance(target, ast.Name) and self.is_object(node.value):
            self.objects[target.id] = self.known(node.value)
            return True
        if not self.is_static(node.value) or len(node.targets) != 1:
            return False
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(names) != len(node.value.args) or not all(isinstance(name, ast.Name) for name in names):
            return False
        found = [self.static(part) for part in node.value.args]
        for name, thing in zip(names, found):
            self.objects[name.id] = thing
        return True

    def is_object(self, node):
        """Whether an expression is an object of Python's that is no value in a kernel, as the self of a method."""
        if not isinstance(node, ast.Name) or node.id not in self.objects:
            return False
        found = self.objects[node.id]
        return constant(found) is None and self.known_struct(node, found) is None

    def vector_type_of(self, target):
        """The type of an element that is set, if that is a vector."""
        return self.vector_type(self.place(target)) if self.module.has_vectors and isinstance(target, ast.Subscript) else None

    def store_tuple(self, node, target, depth):
        """a, b = b, a: the values first, then the names."""
        if isinstance(node.value, ast.Attribute) and isinstance(self.expression(node.value), Shape):
            shape = self.expression(node.value)
            values = list(shape.array.extents)
        elif isinstance(node.value, ast.Tuple):
            values = [self.thing(part) for part in node.value.elts]
        elif isinstance(node.value, ast.Call) and getattr(node.value.func, "id", None) == "divmod":
            a, b = self.arguments(node.value, 2)
            values = [self.binary(node, ast.FloorDiv, a, b), self.binary(node, ast.Mod, a, b)]
        else:
            values = self.tuple_values(node, depth)
        if len(values) != len(target.elts):
            self.fail(node, f"{len(target.elts)} names, and {len(values)} values")
        kept = []
        for value in values:
            if value.constant is not None or value.text in self.extent_names:
                kept.append(value)
                continue
            name = self.fresh_once(node, len(kept))
            self.emit(node, depth, f"{value.type.c} {name} = {self.bare(value.text)};")
            kept.append(Value(name, value.type, None, value.is_natural))
        for part, value in zip(target.elts, kept):
            self.store(part, value, depth, node)

    def fresh_once(self, node, number):
        """A name that is the same in every round."""
        key = (id(node), number)
        if key not in self.c_names:
            self.c_names[key] = self.fresh(f"v_{number}")
        return self.c_names[key]

    def stmt_AnnAssign(self, node, depth):
        if not isinstance(node.target, ast.Name) or node.value is None:
            self.fail(node, "a type is given to a local with its value: x: rill.f32 = 0")
        self.fixed[node.target.id] = self.type_of_annotation(node.annotation)
        self.store_name(node.target, node.target.id, self.thing(node.value), depth, node)

    def type_of_annotation(self, node):
        try:
            found = self.known(node)
        except KeyError:
            found = None
        if isinstance(found, rill_types.DType) or self.struct_of(found) is not None:
            return self.use(Type(rill_types.dtype(found)))
        if found is int or found is float or found is bool:
            return {int: INT, float: FLOAT, bool: BOOL}[found]
        return self.fail(node, "a local's type is rill.f32 and its kin, int, float or bool")

    def stmt_AugAssign(self, node, depth):
        op = type(node.op)
        loaded = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target) if isinstance(
            node.target, ast.Name) else node.target
        if isinstance(node.target, ast.Attribute):
            self.place(node.target)
        place, value = self.thing(loaded), self.thing(node.value)
        if not place.is_pure:
            self.fail(node, "the index changes something: put it into a local before")
        if self.vector_type(place) and not isinstance(node.target, ast.Name):
            self.note_write(node.target)
            self.vector_update(node, place, value, depth)
            return
        if self.vector_type(place) or self.vector_type(value) and place.type == BOOL:
            self.store_name(node, node.target.id, self.vector_binary(node, op, place, value), depth, node)
            return
        place, value = self.number(node.target, place), self.number(node.value, value)
        simple = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.BitAnd: "&=", ast.BitOr: "|=", ast.BitXor: "^="}
        if isinstance(node.target, ast.Name):
            name = node.target.id
            if name not in self.scope.locals and name not in self.params:
                self.fail(node, f"'{name}' is no local")
            result = self.binary(node, op, place, value)
            kind = self.set_type(name, result)
            if name in self.fixed or name in self.params:
                self.check_store(node, kind, result)
            if op in simple and kind.dtype == result.type.dtype and place.type.dtype == kind.dtype:
                self.emit(node, depth, f"{self.c_name(name)} {simple[op]} {self.bare(convert(value, kind).text)};")
            else:
                self.emit(node, depth, f"{self.c_name(name)} = {self.bare(convert(result, kind).text)};")
            return
        self.note_write(node.target)
        result = self.binary(node, op, place, value)
        self.check_store(node, place.type, result)
        if op in simple and join(place.type, value.type).dtype == place.type.dtype:
            self.emit(node, depth, f"{place.text} {simple[op]} {self.bare(convert(value, place.type).text)};")
        elif op in simple and place.type.is_float == value.type.is_float or op in (ast.Add, ast.Sub) and place.type.is_float:
            self.emit(node, depth, f"{place.text} {simple[op]} {self.bare(value.text)};")
        else:
            self.emit(node, depth, f"{place.text} = {self.bare(convert(result, place.type).text)};")

    # ---- local arrays ---------------------------------------------------------------------------------------------------

    def local_array(self, node):
        """Name, extents and type of `t = rill.local((3, 3), rill.f32)`; None for other assignments."""
        if not isinstance(node.value, ast.Call):
            return None
        try:
            called = self.known(node.value.func)
        except KeyError:
            return None
        if getattr(called, "_rill_builtin", None) != "local":
            return None
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or len(node.value.args) != 2:
            self.fail(node, "a local array is made by t = rill.local((3, 3), rill.f32)")
        extents = self.static(node.value.args[0])
        extents = (extents,) if isinstance(extents, int) else tuple(extents)
        return node.targets[0].id, extents, rill_types.dtype(self.static(node.value.args[1]))

    def declare_array(self, node, depth, name, extents, dtype):
        values = [constant(extent) for extent in extents]
        self.use(Type(dtype))
        self.arrays[name] = ArrayValue(self.c_name(name), dtype, values, True)
        self.emit(node, depth, f"{dtype.c_name} {self.c_name(name)}{''.join(f'[{e}]' for e in extents)} = {{0}};")

    # ---- returning, calling ----------------------------------------------------------------------------------------------

    def stmt_Return(self, node, depth):
        has_value = node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        if self.returns_something not in (None, has_value):
            self.fail(node, "some returns have a value and some have none")
        self.returns_something = has_value
        if not has_value:
            self.emit(node, depth, "return;")
            return
        value = self.thing(node.value)
        if self.declared_return is not None:
            self.return_type = self.use(self.declared_return)
            self.check_store(node, self.return_type, value)
        else:
            self.return_type = self.use(self.meet(node, self.return_type, value.type))
        self.emit(node, depth, f"return {self.bare(self.converted(node, value, self.return_type).text)};")

    @property
    def declared_return(self):
        found = self.module.return_annotation(self.source)
        return found

    def stmt_Expr(self, node, depth):
        call = node.value
        if isinstance(call, ast.Constant) and (isinstance(call.value, str) or call.value is Ellipsis):
            return
        if isinstance(call, ast.Call):
            try:
                is_print = self.known(call.func) is print
            except KeyError:
                is_print = False
            if is_print:
                self.print(node, call, depth)
                return
            if self.iteration_name(ast.copy_location(ast.Call(call.func, call.args, []), call)) == "loop_config":
                self.loop_config(call)
                return
            if self.fill(node, call, depth):
                return
            update = self.plain_update(node, call)
            if update is not None:
                self.objects.update({"#min": min, "#max": max})
                getattr(self, f"stmt_{type(update).__name__}")(update, depth)
                return
            found = self.expression(call)
            if isinstance(found, Value):
                self.emit(node, depth, f"{self.bare(found.text)};")
                return
        self.fail(node, "this statement does nothing")

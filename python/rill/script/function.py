"""Statements of kernels in Python, and a function of them as a function of C.

A function is translated again until the types of its locals stay what they are: a local has the type in which all that is
stored into it meets. Each statement is one line of C, with #line where its number in the Python file needs it.
"""
import ast

from rill import types as rill_types
from rill.script.expression import Expressions, Shape
from rill.script.library import RESERVED
from rill.script.scope import Scope, blocks_of, names_in, stores_in
from rill.script.value import BOOL, FLOAT, INT, ArrayValue, Type, Value, constant, convert, join

# What has names of its own, or leaves by a way of its own: looked for before names are.
_NEVER = {
    ast.Try: "try", ast.Raise: "raise: use assert", ast.Delete: "del", ast.Import: "import", ast.ImportFrom: "import",
    ast.ClassDef: "a class", ast.FunctionDef: "a function inside a function: mark it with @rill.func outside, and it",
    ast.AsyncFunctionDef: "async", ast.AsyncFor: "async", ast.AsyncWith: "async", ast.Global: "global: pass an array; it",
    ast.Nonlocal: "nonlocal: pass an array; it", ast.Lambda: "a lambda", ast.ListComp: "a list comprehension",
    ast.SetComp: "a set", ast.DictComp: "a dictionary", ast.GeneratorExp: "a generator", ast.Await: "await",
    ast.Yield: "yield", ast.YieldFrom: "yield", ast.NamedExpr: "an assignment inside an expression",
}
_ROUNDS = 20


class Function(Expressions):
    """One translation of a function for given types. |parameters|: name → Type, or (dtype, rank) of an array, or a Value
    that is known."""

    def __init__(self, module, source, c_function, parameters, is_kernel):
        self.module, self.source, self.c_function, self.is_kernel = module, source, c_function, is_kernel
        self.fail = source.fail
        self.params, self.arrays, self.array_params = {}, {}, []
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
                if type(part) in _NEVER:
                    self.fail(part, f"{_NEVER[type(part)]} cannot be in a kernel")
        self.scope = Scope(body, parameters)
        self.extent_names = {extent.text for array in self.arrays.values() for extent in array.extents}
        self._check_params()
        self.types, self.natural, self.bound = {}, set(self.scope.locals), {}
        self.return_type, self.returns_something, self.is_last_round = None, None, False
        self.in_condition = False
        self.writes = set()
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
        if isinstance(kind, Value):
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
            self.arrays[name] = ArrayValue(c, dtype, extents)
            self.array_params.append(name)
            self.c_params.append((f"{dtype.c_name} {c}" + "".join(f"[{e.text}]" for e in extents), name))
        else:
            c = self.c_name(name)
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
        self.pending = []  # pragmas of rill.loop_config(), for the next loop
        self.block(self.body, 1)

    def emit(self, node, depth, text):
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
            self.types[name] = join(self.types.get(name), value.type)
        if not value.is_natural:
            self.natural.discard(name)
        return self.types[name]

    def store_name(self, node, name, value, depth, statement):
        if name in self.bound and name not in self.scope.locals:
            self.fail(node, f"'{name}' is the loop's variable")
        kind = self.set_type(name, value)
        if name in self.fixed or name in self.params:
            self.check_store(node, kind, value)
        prefix = f"{kind.c} " if (id(statement), name) in self.inline else ""
        self.emit(statement, depth, f"{prefix}{self.c_name(name)} = {self.bare(convert(value, kind).text)};")

    def note_write(self, node):
        while isinstance(node, ast.Subscript):
            node = node.value
        array = self.array_of(node)
        if array is not None:
            self.writes.update(name for name, found in self.arrays.items() if found is array)

    def store(self, target, value, depth, statement):
        if isinstance(target, ast.Name):
            self.store_name(target, target.id, value, depth, statement)
            return
        if not isinstance(target, ast.Subscript):
            self.fail(target, "only locals and elements of arrays can be set")
        place = self.value(target)
        self.note_write(target)
        self.check_store(target, place.type, value)
        self.emit(statement, depth, f"{place.text} = {self.bare(convert(value, place.type).text)};")

    def stmt_Assign(self, node, depth):
        local = self.local_array(node)
        if local is not None:
            self.declare_array(node, depth, *local)
            return
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            self.store_tuple(node, node.targets[0], depth)
            return
        value = self.value(node.value)
        if len(node.targets) > 1 and not value.is_pure:
            self.fail(node, "put the value into one local, and that into the others")
        for target in reversed(node.targets):
            if isinstance(target, (ast.Tuple, ast.List)):
                self.fail(target, "several names at once and a chain of = cannot be in one statement")
            self.store(target, value, depth, node)

    def store_tuple(self, node, target, depth):
        """a, b = b, a: the values first, then the names."""
        if isinstance(node.value, ast.Attribute) and isinstance(self.expression(node.value), Shape):
            shape = self.expression(node.value)
            values = list(shape.array.extents)
        elif isinstance(node.value, ast.Tuple):
            values = [self.value(part) for part in node.value.elts]
        elif isinstance(node.value, ast.Call) and getattr(node.value.func, "id", None) == "divmod":
            a, b = self.arguments(node.value, 2)
            values = [self.binary(node, ast.FloorDiv, a, b), self.binary(node, ast.Mod, a, b)]
        else:
            self.fail(node, "several names are set by as many values: a, b = x, y")
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
        self.store_name(node.target, node.target.id, self.value(node.value), depth, node)

    def type_of_annotation(self, node):
        try:
            found = self.known(node)
        except KeyError:
            found = None
        if isinstance(found, rill_types.DType):
            return Type(found)
        if found is int or found is float or found is bool:
            return {int: INT, float: FLOAT, bool: BOOL}[found]
        return self.fail(node, "a local's type is rill.f32 and its kin, int, float or bool")

    def stmt_AugAssign(self, node, depth):
        op = type(node.op)
        loaded = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target) if isinstance(
            node.target, ast.Name) else ast.copy_location(
                ast.Subscript(node.target.value, node.target.slice, ast.Load()), node.target)
        place, value = self.value(loaded), self.value(node.value)
        if not place.is_pure:
            self.fail(node, "the index changes something: put it into a local before")
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
        self.arrays[name] = ArrayValue(self.c_name(name), dtype, values, True)
        self.emit(node, depth, f"{dtype.c_name} {self.c_name(name)}{''.join(f'[{e}]' for e in extents)} = {{0}};")

    # ---- control --------------------------------------------------------------------------------------------------------

    def stmt_If(self, node, depth):
        test = self.test(node.test)
        if test.constant is not None and self.is_static(node.test):
            self.block(node.body, depth) if test.constant else node.orelse and self.block(node.orelse, depth)
            return
        self.emit(node, depth, f"if ({self.bare(test.text)}) {{")
        self.block(node.body, depth + 1)
        if node.orelse:
            self.emit(node.orelse[0], depth, "} else {")
            self.block(node.orelse, depth + 1)
        self.emit(self.last_of(node), depth, "}")

    @staticmethod
    def last_of(node):
        last = node
        for block in blocks_of(node):
            last = block[-1]
        return last if not blocks_of(last) else Function.last_of(last)

    def is_static(self, node):
        if not isinstance(node, ast.Call):
            return False
        try:
            return getattr(self.known(node.func), "_rill_builtin", None) == "static"
        except KeyError:
            return False

    def stmt_While(self, node, depth):
        if node.orelse:
            self.fail(node.orelse[0], "else behind a loop cannot be in a kernel")
        self.emit(node, depth, f"while ({self.bare(self.test(node.test).text)}) {{")
        self.block(node.body, depth + 1)
        self.emit(self.last_of(node), depth, "}")

    def stmt_For(self, node, depth):
        if node.orelse:
            self.fail(node.orelse[0], "else behind a loop cannot be in a kernel")
        pragmas, iteration = self.pragmas(node.iter)
        pragmas, self.pending = self.pending + pragmas, []
        grouped = None
        over = self.loop_array(iteration)
        if over is not None:
            node, iteration, grouped = self.loop_over(node, *over)
        name = self.iteration_name(iteration)
        if name == "static":
            self.unroll(node, iteration, depth)
            return
        if name == "ndrange":
            name = "grid"
        if name not in ("range", "grid"):
            self.fail(node.iter, "a loop is over range(…), rill.grid(n, m) or rill.static(…)")
        targets = [node.target] if isinstance(node.target, ast.Name) else node.target.elts if isinstance(
            node.target, ast.Tuple) else []
        if name == "range" and len(targets) != 1 or not all(isinstance(t, ast.Name) for t in targets):
            self.fail(node.target, "a loop has one variable, or as many as rill.grid() has extents")
        if name == "grid" and len(targets) != len(iteration.args):
            self.fail(node.target, f"rill.grid() has {len(iteration.args)} extents, and the loop {len(targets)} variables")
        for text in pragmas:
            self.emit(node, depth, text)
        before, depth_now, opened = dict(self.bound), depth, []
        for place, target in enumerate(targets):
            ranges = iteration.args if name == "range" else [iteration.args[place]]
            if name == "grid" and isinstance(ranges[0], ast.Tuple):
                ranges = ranges[0].elts  # (start, end)
            opened += self.open_loop(node, target.id, ranges, iteration, depth_now, bool(pragmas))
            depth_now = depth + len(opened)
        if grouped is not None:
            self.bound[grouped] = tuple(target.id for target in targets)
        self.block(node.body, depth_now)
        for closing in reversed(opened):
            self.emit(self.last_of(node), depth_now - 1, closing)
            depth_now -= 1
        self.bound = before

    def loop_array(self, node):
        """The array of `for i, j in x` and `for I in grouped(x)`, and whether it is grouped; None for other loops."""
        is_grouped = self.iteration_name(node) == "grouped" and len(node.args) == 1
        array = self.array_of(node.args[0] if is_grouped else node) if is_grouped or isinstance(
            node, (ast.Name, ast.Attribute)) else None
        return None if array is None or not self.module.loops_over_arrays else (array, is_grouped)

    def loop_over(self, node, array, is_grouped):
        """The same loop over rill.grid(…), and the name that stands for all indices."""
        names = [node.target.id] if isinstance(node.target, ast.Name) else [t.id for t in node.target.elts]
        grouped = names[0] if is_grouped else None
        if is_grouped:
            names = [self.fresh_once(node, f"{names[0]}_{axis}") for axis in range(array.rank)]
        if len(names) != array.rank:
            self.fail(node.target, f"the loop has {len(names)} variables, and '{array.name}' {array.rank} extents")
        key = id(node), "over"
        if key not in self.c_names:  # one node for all rounds
            targets = [ast.copy_location(ast.Name(name, ast.Store()), node) for name in names]
            call = ast.copy_location(ast.Call(ast.copy_location(ast.Name("#grid", ast.Load()), node), [
                ast.copy_location(ast.Constant(extent.constant) if extent.constant is not None else
                                  ast.Name(extent.text, ast.Load()), node) for extent in array.extents], []), node)
            loop = ast.copy_location(ast.For(ast.copy_location(ast.Tuple(targets, ast.Store()), node), call, node.body, []),
                                     node)
            self.c_names[key] = loop
        for extent in array.extents:
            self.bound.setdefault(extent.text, extent)
        return self.c_names[key], self.c_names[key].iter, grouped

    def pragmas(self, node):
        """rill.parallel(range(n)) → the pragma, and range(n)."""
        found = []
        while isinstance(node, ast.Call) and len(node.args) >= 1:
            try:
                name = getattr(self.known(node.func), "_rill_builtin", None)
            except KeyError:
                break
            if name in ("parallel", "serial", "single"):
                found.append(f"#pragma rill {name}")
            elif name in ("collapse", "block_dim"):
                number = self.value(node.args[0]).constant
                if number is None or len(node.args) != 2:
                    self.fail(node, f"write rill.{name}(2, range(n))")
                found.append(f"#pragma rill {name}({number})")
                node = node.args[1]
                continue
            else:
                break
            node = node.args[0]
        return found, node

    def iteration_name(self, node):
        if not isinstance(node, ast.Call) or node.keywords:
            return None
        if getattr(node.func, "id", None) == "#grid":
            return "grid"
        try:
            called = self.known(node.func)
        except KeyError:
            return None
        return "range" if called is range else getattr(called, "_rill_builtin", None)

    def open_loop(self, node, name, arguments, iteration, depth, has_pragma):
        """Emits the loop's head; returns the lines that close what it opened."""
        if not 1 <= len(arguments) <= 3:
            self.fail(iteration, "range() takes one to three numbers")
        values = [self.value(part) for part in arguments]
        for part, value in zip(arguments, values):
            if not value.type.is_int and not value.type.is_bool:
                self.fail(part, f"range() is over integers, and this is {value.type}")
        start = values[0] if len(values) > 1 else constant(0)
        end = values[min(1, len(values) - 1)]
        step = values[2].constant if len(values) == 3 else 1
        if step is None or step == 0:
            self.fail(iteration, "a step is a constant other than 0: write a while loop")
        start, end = convert(start, INT), convert(end, INT)
        opened = []
        if end.constant is None and not self.is_settled(node, arguments[min(1, len(arguments) - 1)], end):
            if has_pragma:
                self.fail(arguments[-1], "put the loop's end into a local before: the pragma belongs to the loop")
            hoisted = self.fresh_once(node, f"{name}_end")
            self.emit(node, depth, "{")
            self.emit(node, depth + 1, f"int64_t {hoisted} = {self.bare(end.text)};")
            opened.append("}")
            depth += 1
            end = Value(hoisted, INT, None, end.is_natural)
        is_private = self.scope.is_private(name)
        counter = self.c_name(name) if is_private else self.fresh_once(node, f"{name}_at")
        is_natural = start.is_natural if step > 0 else end.is_natural or (
            end.constant is not None and end.constant >= -1)
        moved = "++" if step == 1 else "--" if step == -1 else f" += {step}" if step > 0 else f" -= {-step}"
        self.emit(node, depth, f"for (int64_t {counter} = {self.bare(start.text)}; {counter} {'<' if step > 0 else '>'} "
                               f"{end.text}; {counter}{moved}) {{")
        opened.append("}")
        value = Value(counter, INT, None, is_natural)
        if is_private:
            self.bound[name] = value
        else:
            kind = self.set_type(name, value)
            self.emit(node, depth + 1, f"{self.c_name(name)} = {convert(value, kind).text};")
        return opened

    def is_settled(self, loop, node, end):
        """Whether a loop's end cannot change while it runs: what its text names is not set in the body."""
        if not end.is_pure or any(isinstance(part, (ast.Call, ast.Subscript)) for part in ast.walk(node)):
            return self.is_extent(node)
        stored = set().union(set(), *(stores_in(statement) for statement in loop.body))
        return not names_in(node) & stored

    def is_extent(self, node):
        """len(x), x.shape[0]."""
        names = names_in(node)
        return all(isinstance(part, (ast.Name, ast.Load, ast.Constant, ast.Attribute, ast.Subscript, ast.Call, ast.BinOp,
                                     ast.operator, ast.UnaryOp, ast.USub)) for part in ast.walk(node)) and all(
            isinstance(part.value, ast.Attribute) and part.value.attr == "shape"
            for part in ast.walk(node) if isinstance(part, ast.Subscript)) and all(
            getattr(part.func, "id", None) == "len" for part in ast.walk(node) if isinstance(part, ast.Call)) and not (
            names & self.scope.assigned)

    def unroll(self, node, iteration, depth):
        """for i in rill.static(range(3)): the body once for each."""
        if len(iteration.args) != 1 or not isinstance(node.target, ast.Name):
            self.fail(node, "a loop over rill.static() has one variable")
        name = node.target.id
        if not self.scope.is_private(name):
            self.fail(node.target, f"'{name}' is constant in each round of rill.static(), and cannot be set or used behind it")
        for number in self.static(iteration.args[0]):
            known = constant(number)
            if known is None:
                self.fail(iteration, f"{number!r} is no number that a kernel can have")
            before = dict(self.bound)
            self.bound[name] = known
            self.emit(node, depth, "{")
            self.block(node.body, depth + 1)
            self.emit(self.last_of(node), depth, "}")
            self.bound = before

    def stmt_With(self, node, depth):
        call = node.items[0].context_expr
        try:
            name = getattr(self.known(call.func if isinstance(call, ast.Call) else call), "_rill_builtin", None)
        except KeyError:
            name = None
        if len(node.items) != 1 or name != "stream_parallel" or node.items[0].optional_vars is not None:
            self.fail(node, "`with` is for rill.stream_parallel() in a kernel")
        if not self.is_kernel:
            self.fail(node, "stream_parallel stands in a kernel, not in a function that it calls")
        self.emit(node, depth, "RILL_STREAM_PARALLEL {")
        self.block(node.body, depth + 1)
        self.emit(self.last_of(node), depth, "}")

    def stmt_Return(self, node, depth):
        has_value = node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None)
        if self.returns_something not in (None, has_value):
            self.fail(node, "some returns have a value and some have none")
        self.returns_something = has_value
        if not has_value:
            self.emit(node, depth, "return;")
            return
        value = self.value(node.value)
        if self.declared_return is not None:
            self.return_type = self.declared_return
            self.check_store(node, self.return_type, value)
        else:
            self.return_type = join(self.return_type, value.type)
        self.emit(node, depth, f"return {self.bare(convert(value, self.return_type).text)};")

    @property
    def declared_return(self):
        found = self.module.return_annotation(self.source)
        return found

    # ---- asserting, printing, calling -------------------------------------------------------------------------------------

    def stmt_Assert(self, node, depth):
        message = ""
        if node.msg is not None:
            if not isinstance(node.msg, ast.Constant) or not isinstance(node.msg.value, str):
                self.fail(node.msg, "the message of an assertion is a text without values")
            message = " && " + self.quote(node.msg.value)
        self.emit(node, depth, f"assert({self.bare(self.test(node.test).text)}{message});")

    @staticmethod
    def quote(text):
        out = ""
        for letter in text:
            if letter in '"\\':
                out += "\\" + letter
            elif letter == "\n":
                out += "\\n"
            elif letter == "\t":
                out += "\\t"
            elif letter.isascii() and letter.isprintable():
                out += letter
            else:
                out += "".join(f"\\{byte:03o}" for byte in letter.encode())
        return f'"{out}"'

    def stmt_Expr(self, node, depth):
        call = node.value
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
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
            found = self.expression(call)
            if isinstance(found, Value):
                self.emit(node, depth, f"{self.bare(found.text)};")
                return
        self.fail(node, "this statement does nothing")

    def loop_config(self, call):
        """loop_config(block_dim=128, serialize=True): pragmas of the next loop."""
        for keyword in call.keywords:
            value = self.static(keyword.value)
            if keyword.arg == "serialize" and value:
                self.pending.append("#pragma rill single")
            elif keyword.arg == "block_dim" and value and value > 1:
                self.pending.append(f"#pragma rill block_dim({value})")
            elif keyword.arg not in ("serialize", "block_dim", "parallelize", "bit_vectorize", "block_dim_adaptive", "name"):
                self.fail(call, f"loop_config() knows no '{keyword.arg}'")

    def print(self, node, call, depth):
        ends = {"sep": " ", "end": "\n"}
        for keyword in call.keywords:
            if keyword.arg not in ends or not isinstance(keyword.value, ast.Constant):
                self.fail(call, "print() in a kernel takes sep= and end=, texts without values")
            ends[keyword.arg] = keyword.value.value
        pieces, values = [], []
        for part in call.args:
            if isinstance(part, ast.JoinedStr):
                pieces.append("".join(self.formatted(piece, values) for piece in part.values))
            else:
                pieces.append(self.formatted(part, values))
        text = ends["sep"].replace("%", "%%").join(pieces) + ends["end"].replace("%", "%%")
        self.emit(node, depth, f"printf({', '.join([self.quote(text), *values])});")

    def formatted(self, node, values):
        """A piece of what is printed as printf has it."""
        spec = ""
        if isinstance(node, ast.FormattedValue):
            if node.conversion != -1:
                self.fail(node, "!r and !s cannot be in a kernel")
            if node.format_spec is not None:
                if not all(isinstance(p, ast.Constant) for p in node.format_spec.values):
                    self.fail(node, "a format is a text without values")
                spec = "".join(p.value for p in node.format_spec.values)
            node = node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value.replace("%", "%%")
        value = self.value(node)
        kind = value.type
        if kind.is_float:
            values.append(f"(double)({value.text})")
            letter, size = spec[-1:] if spec[-1:] in "eEfFgG" else "", ""
            letter = letter or "g"
        else:
            values.append(f"(long long)({value.text})" if kind.dtype.name != "u64" else f"(unsigned long long)({value.text})")
            letter = spec[-1:] if spec[-1:] in "dxXo" else ""
            letter, size = letter or ("u" if kind.dtype.name == "u64" else "d"), "ll"
        width = spec[:-1] if spec and not spec[-1].isdigit() else spec
        if width.strip("0123456789.+- #"):
            self.fail(node, f"the format {spec!r} cannot be in a kernel: width, precision and one of d x o e f g")
        return f"%{width}{size}{letter}"

"""Control of kernels in Python: branches, loops and blocks."""
import ast

from rill.script.scope import blocks_of, names_in, stores_in
from rill.script.value import INT, Value, constant, convert
from rill.vectors import Vector


# Odd numbers that keep the iterations of a nest, and the loops of a kernel, apart.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)


class Loops:
    """Mixed into the translation of a function (function.py)."""

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
        return last if not blocks_of(last) else Loops.last_of(last)

    def is_static(self, node):
        """Whether a condition is decided when the kernel is compiled: rill.static(…), and what compares texts, types, functions."""
        if isinstance(node, ast.Compare):
            return self.compared_objects(node) is not None
        if isinstance(node, ast.UnaryOp):
            return self.is_static(node.operand)
        if isinstance(node, ast.BoolOp):
            return all(self.is_static(part) for part in node.values)
        if not isinstance(node, ast.Call):
            return False
        try:
            return getattr(self.known(node.func), "_rill_builtin", None) == "static"
        except KeyError:
            return False

    def stmt_While(self, node, depth):
        if node.orelse:
            self.fail(node.orelse[0], "else behind a loop cannot be in a kernel")
        if self.iteration_name(node.test) == "graph_do_while":
            self.do_while(node, depth)
            return
        self.emit(node, depth, f"while ({self.bare(self.test(node.test).text)}) {{")
        self.block(node.body, depth + 1)
        self.emit(self.last_of(node), depth, "}")

    def do_while(self, node, depth):
        """while graph.do_while(counter): the body, again and again as long as the one element of counter is not 0."""
        counter = self.array_of(node.test.args[0]) if len(node.test.args) == 1 else None
        if counter is None or not self.is_scalar(counter):
            self.fail(node.test, "graph.do_while() takes a parameter that is an array of one element")
        self.emit(node, depth, "do {")
        self.block(node.body, depth + 1)
        self.emit(self.last_of(node), depth, f"}} while ({counter.name}[0] != 0);")

    def stmt_For(self, node, depth):
        if node.orelse:
            self.fail(node.orelse[0], "else behind a loop cannot be in a kernel")
        pragmas, iteration = self.pragmas(node.iter)
        pragmas, self.pending = self.pending + pragmas, []
        grouped = None
        over = self.loop_array(iteration)
        if over is not None:
            node, iteration, grouped = self.loop_over(node, *over)
        elif self.iteration_name(iteration) == "grouped" and len(iteration.args) == 1 and (
                self.iteration_name(iteration.args[0]) == "ndrange" and isinstance(node.target, ast.Name)):
            grouped = node.target.id
            node = self.grouped_ranges(node, grouped, iteration.args[0])
            iteration = node.iter
        name = self.iteration_name(iteration)
        is_reversed = name == "reversed" and len(iteration.args) == 1 and self.iteration_name(iteration.args[0]) == "range"
        if is_reversed:
            name, iteration = "range", self.backwards(iteration.args[0])
        if name == "static":
            self.unroll(node, iteration, depth)
            return
        if name == "ndrange":
            name = "grid"
        if name == "grid":
            iteration = self.spread(iteration)
        if name not in ("range", "grid"):
            self.fail(node.iter, "a loop is over range(…), reversed(range(…)), rill.grid(n, m) or rill.static(…)"
                      + (": `for i in range(len(x))` has the elements as x[i]" if self.array_of(node.iter) is not None or name in (
                          "enumerate", "zip") else ""))
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
        if self.draws and self.is_kernel and self.open_loops == 0:
            key = " + ".join(f"{factor}ULL * (uint64_t){self.value(target).text}" for factor, target in zip(_FACTORS, (
                ast.copy_location(ast.Name(target.id, ast.Load()), target) for target in targets)))
            self.emit(node, depth_now, f"uint64_t rill_key = rill_launch + {node.lineno}ULL * {_FACTORS[-1]}ULL + {key}, "
                                       "rill_drawn = 0;")
        self.open_loops += 1
        self.block(node.body, depth_now)
        self.open_loops -= 1
        for closing in reversed(opened):
            self.emit(self.last_of(node), depth_now - 1, closing)
            depth_now -= 1
        self.bound = before

    def spread(self, call):
        """grid(*x.shape): the extents one by one."""
        if not any(isinstance(part, ast.Starred) for part in call.args):
            return call
        parts = []
        for part in call.args:
            if not isinstance(part, ast.Starred):
                parts.append(part)
                continue
            array = self.array_of(part.value.value) if isinstance(part.value, ast.Attribute) and (
                part.value.attr == "shape") else None
            known = self.spread_known(part.value) if array is None else None
            if known is not None:
                parts += [self.extent_node(part, extent) for extent in known]
                continue
            if array is None:
                self.fail(part, "what is spread here is the shape of an array: rill.grid(*x.shape)")
            for axis in range(array.rank):
                extent = ast.Subscript(part.value, ast.copy_location(ast.Constant(axis), part), ast.Load())
                parts.append(ast.copy_location(extent, part))
        return ast.copy_location(ast.Call(call.func, parts, []), call)

    def spread_known(self, node):
        """The extents that a tuple, or an expression of such, has when the kernel is compiled; else None."""
        try:
            found = self.known(node) if isinstance(node, (ast.Name, ast.Attribute)) else self.static(node)
        except KeyError:
            return None
        is_known = isinstance(found, (list, tuple, Vector)) and all(isinstance(n, int) or isinstance(n, (list, tuple)) and (
            len(n) == 2 and all(isinstance(end, int) for end in n)) for n in found)
        return list(found) if is_known else None

    @staticmethod
    def extent_node(node, extent):
        """An extent, or a start and an end, as an expression."""
        made = ast.Constant(extent) if isinstance(extent, int) else ast.Tuple([ast.Constant(end) for end in extent], ast.Load())
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made

    def backwards(self, call):
        """reversed(range(a, b)) → range(b - 1, a - 1, -1)"""
        if not 1 <= len(call.args) <= 2:
            self.fail(call, "reversed() is of a range without a step: write range(b, a, -2)")
        one = ast.copy_location(ast.Constant(1), call)
        start = call.args[0] if len(call.args) == 2 else ast.copy_location(ast.Constant(0), call)
        ends = [ast.copy_location(ast.BinOp(part, ast.Sub(), one), call) for part in (call.args[-1], start)]
        return ast.copy_location(ast.Call(call.func, [*ends, ast.copy_location(ast.Constant(-1), call)], []), call)

    def loop_array(self, node):
        """The array of `for i, j in x` and `for I in grouped(x)`, and whether it is grouped; None for other loops."""
        is_grouped = self.iteration_name(node) == "grouped" and len(node.args) == 1
        over = node.args[0] if is_grouped else node
        array = self.array_of(over) or self.array_of_member(over) if is_grouped or isinstance(
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

    def grouped_ranges(self, node, grouped, call):
        """for I in grouped(ndrange(n, m)): the same loop with a name for each index."""
        key = id(node), "over"
        if key not in self.c_names:  # one node for all rounds
            call = self.spread(call)
            targets = [ast.copy_location(ast.Name(self.fresh_once(node, f"{grouped}_{axis}"), ast.Store()), node)
                       for axis in range(len(call.args))]
            target = ast.copy_location(ast.Tuple(targets, ast.Store()), node)
            self.c_names[key] = ast.copy_location(ast.For(target, call, node.body, []), node)
        return self.c_names[key]

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
        return called.__name__ if called in (range, reversed, enumerate, zip) else getattr(called, "_rill_builtin", None)

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
        if step == 0:
            self.fail(iteration, "a step is not 0")
        if step is None:
            return self.open_stepped(node, name, values, iteration, depth, has_pragma)
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

    def open_stepped(self, node, name, values, iteration, depth, has_pragma):
        """A loop whose step is not known: over the number of its rounds, which is taken once."""
        if has_pragma:
            self.fail(iteration, "a pragma belongs to a loop with a constant step: write range(count), and the step inside")
        texts = [self.bare(convert(value, INT).text) for value in values]
        names = [self.fresh_once(node, f"{name}_{part}") for part in ("start", "step", "rounds", "round")]
        start, step, rounds, counter = names
        count = self.operator("range_count", INT, start, texts[1], step)
        self.emit(node, depth, "{")
        self.emit(node, depth + 1, f"int64_t {start} = {texts[0]}, {step} = {texts[2]}, {rounds} = {count};")
        self.emit(node, depth + 1, f"assert({step} != 0 && \"the step of a range\");")
        self.emit(node, depth + 1, f"for (int64_t {counter} = 0; {counter} < {rounds}; {counter}++) {{")
        value = Value(f"({start} + {counter} * {step})", INT)
        if self.scope.is_private(name):
            self.emit(node, depth + 2, f"int64_t {self.c_name(name)} = {self.bare(value.text)};")
            self.bound[name] = Value(self.c_name(name), INT)
        else:
            kind = self.set_type(name, value)
            self.emit(node, depth + 2, f"{self.c_name(name)} = {convert(value, kind).text};")
        return ["}", "}"]

    def is_settled(self, loop, node, end):
        """Whether a loop's end cannot change while it runs: what its text names is not set in the body."""
        if not end.is_pure or any(isinstance(part, (ast.Call, ast.Subscript)) for part in ast.walk(node)):
            return self.is_extent(node)
        stored = set().union(set(), *(stores_in(statement) for statement in loop.body))
        stored |= {part.args[0].id for statement in loop.body for part in ast.walk(statement) if isinstance(part, ast.Call) and (
            part.args and isinstance(part.args[0], ast.Name) and "atomic" in ast.unparse(part.func))}
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
        if len(iteration.args) != 1:
            self.fail(node, "rill.static() takes one expression")
        for name in names_in(node.target):
            if not self.scope.is_private(name):
                self.fail(node.target, f"'{name}' is constant in each round of rill.static(), and cannot be set or used behind it")
        for item in self.items(iteration):
            before, objects = dict(self.bound), dict(self.objects)
            self.bind_item(node, node.target, item)
            if all(isinstance(statement, (ast.With, ast.For, ast.If)) for statement in node.body):
                self.block(node.body, depth)  # nothing to declare; blocks stay beside each other
            else:
                self.emit(node, depth, "{")
                self.block(node.body, depth + 1)
                self.emit(self.last_of(node), depth, "}")
            self.bound, self.objects = before, objects

    def items(self, iteration):
        """What rill.static(…) goes through."""
        found = self.static(iteration.args[0])
        try:
            return list(found)
        except TypeError:
            return self.fail(iteration, f"{found!r} has no parts that a loop could go through")

    def bind_item(self, node, target, item):
        """In one round of rill.static() a name stands for a number, or for an object of Python's."""
        self.looked_at = {}
        if isinstance(target, ast.Name):
            known = constant(item)
            if known is not None:
                self.bound[target.id] = known
            else:
                self.objects[target.id] = item
            return
        parts = tuple(item) if isinstance(item, (tuple, list)) else None
        if not isinstance(target, ast.Tuple) or parts is None or len(parts) != len(target.elts):
            self.fail(node, f"'{ast.unparse(target)}' is set to {item!r}, which has other parts")
        for name, part in zip(target.elts, parts):
            self.bind_item(node, name, part)

    def stmt_With(self, node, depth):
        call = node.items[0].context_expr
        try:
            name = getattr(self.known(call.func if isinstance(call, ast.Call) else call), "_rill_builtin", None)
        except KeyError:
            name = None
        if len(node.items) != 1 or node.items[0].optional_vars is not None or name not in (
                "stream_parallel", "graph_parallel", "graph_parallel_context"):
            self.fail(node, "`with` is for rill.stream_parallel() in a kernel")
        if not self.is_kernel:
            self.fail(node, f"{name} stands in a kernel, not in a function that it calls")
        if name == "graph_parallel_context":  # a region: two of them in a row are not one
            self.emit(node, depth, "{")
            self.block(node.body, depth + 1)
            self.emit(self.last_of(node), depth, "}")
            return
        self.emit(node, depth, "RILL_STREAM_PARALLEL {")
        self.block(node.body, depth + 1)
        self.emit(self.last_of(node), depth, "}")

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

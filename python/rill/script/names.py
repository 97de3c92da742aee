"""What only Quadrants has a name for, in kernels: zero(x), raw_div(a, b), popcnt(x), static_assert(…), x.fill(v)."""
import ast

from rill.script.value import I32, ArrayValue, Value, arithmetic, constant, convert


# What an update of a local makes of its old value o and the value v.
_PLAIN = {"add": "o + v", "sub": "o - v", "mul": "o * v", "min": "v < o ? v : o", "max": "v > o ? v : o", "and_": "o & v",
          "or_": "o | v", "xor": "o ^ v"}
_OPERATORS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor}


def _marked(text):
    """A tree whose names no program has."""
    tree = ast.parse(text, mode="eval").body
    for part in ast.walk(tree):
        if isinstance(part, ast.Name):
            part.id = "#" + part.id
    return tree


class Names:
    """Mixed into the translation of a function (function.py)."""

    def call_zero(self, node):
        return self.like(node, 0)

    def call_one(self, node):
        return self.like(node, 1)

    def like(self, node, number):
        """|number| as what the argument is, element by element."""
        if len(node.args) != 1:
            self.fail(node, "it takes one number, vector or matrix")
        found = self.thing(node.args[0])
        if self.vector_type(found):
            return self.by_elements(node, [found], lambda names: ast.BinOp(
                ast.BinOp(names[0], ast.Mult(), ast.Constant(0)), ast.Add(), ast.Constant(number)))
        return convert(constant(number), self.number(node, found).type)

    def by_text(self, node, count, text):
        """What a text says of numbers a, b, c."""
        operands = self.arguments(node, count)
        return self.combine(node, operands, None, [_marked(text)])

    def call_clamp(self, node):
        return self.by_text(node, 3, "max(min(a, c), b)")

    def call_mix(self, node):
        return self.by_text(node, 3, "a * (1 - c) + b * c")

    def call_fract(self, node):
        return self.by_text(node, 1, "a - floor(a)")

    def atomic_of_local(self, node, name):
        """atomic_add(n, 1) of a local, which is the iteration's own: its old value."""
        place, value = self.value(node.args[0]), self.value(node.args[1])
        if name not in _PLAIN or node.args[0].id not in self.scope.locals:
            self.fail(node, f"atomic_{name}() updates an element of an array, x[i]")
        self.check_store(node.args[1], place.type, value)
        if not isinstance(node.args[0].ctx, ast.Store):
            self.natural.discard(node.args[0].id)
        kind = place.type
        helper = self.module.helper(f"{kind.c} ", f"({kind.c} *p, {kind.c} v) {{ {kind.c} o = *p; *p = {_PLAIN[name]}; return o; }}")
        return Value(f"{helper}(&{place.text}, {self.bare(convert(value, kind).text)})", kind, is_pure=False)

    def plain_update(self, node, call):
        """The assignment that the statement atomic_add(n, 1) is for a local: it may be a reduction. None for everything else."""
        name = self.iteration_name(call) or ""
        is_local = len(call.args) == 2 and isinstance(call.args[0], ast.Name) and call.args[0].id in self.scope.locals
        if not self.module.loops_over_arrays or not is_local or name.rpartition("_")[0] != "atomic":
            return None
        key = id(node), "update"
        if key not in self.c_names:
            place = call.args[0]
            target = ast.copy_location(ast.Name(place.id, ast.Store()), place)
            name = name.rpartition("_")[2]
            if name in _OPERATORS:
                made = ast.AugAssign(target, _OPERATORS[name](), call.args[1])
            elif name in ("min", "max"):
                least = ast.copy_location(ast.Call(ast.copy_location(ast.Name(f"#{name}", ast.Load()), node), call.args, []), node)
                made = ast.Assign([target], least)
            else:
                return None
            self.c_names[key] = ast.copy_location(made, node)
        return self.c_names[key]

    def call_raw_div(self, node):
        return self.raw(node, "/")

    def call_raw_mod(self, node):
        return self.raw(node, "%")

    def raw(self, node, sign):
        """The division of C, which rounds towards zero."""
        a, b = self.arguments(node, 2)
        kind = arithmetic(a.type, b.type)
        if kind.is_float and sign == "%":
            self.fail(node, f"raw_mod() is of integers, and this is {kind}")
        a, b = convert(a, kind), convert(b, kind)
        return Value(f"({a.text} {sign} {b.text})", kind, None, kind.is_int and a.is_natural and b.is_natural, a.is_pure and b.is_pure)

    def call_bit_shr(self, node):
        """A shift to the right that fills with zeros."""
        a, b = self.arguments(node, 2)
        kind = arithmetic(a.type, a.type)
        if not kind.is_int or not b.type.is_int:
            self.fail(node, "bit_shr() is of integers")
        bits = 8 * kind.dtype.size
        return Value(f"({kind.c})((uint{bits}_t){a.text} >> {b.text})", kind, is_pure=a.is_pure and b.is_pure)

    def call_popcnt(self, node):
        return self.counted(node, "popcount")

    def call_clz(self, node):
        return self.counted(node, "clz")

    def counted(self, node, name):
        value, = self.arguments(node, 1)
        if not value.type.is_int or not value.is_pure:
            self.fail(node, "bits are counted of an integer, which is in a local")
        bits = 64 if value.type.dtype.size == 8 and not value.type.weak else 32
        text = f"__builtin_{name}{'ll' if bits == 64 else ''}((uint{bits}_t){value.text})"
        if name == "clz":  # of 0 C says nothing
            text = f"({value.text} == 0 ? {bits} : {text})"
        return Value(text, I32, is_natural=True)

    def call_static_assert(self, node):
        """static_assert(condition, "words"): looked at when the kernel is compiled."""
        if not node.args or not self.static(node.args[0]):
            self.fail(node, f"static_assert: {self.static(node.args[1]) if len(node.args) > 1 else 'it does not hold'}")
        return constant(True)

    def call_static_print(self, node):
        print(*(self.static(part) for part in node.args))
        return constant(True)

    def fill(self, node, call, depth):
        """x.fill(v): True where the statement is that."""
        array = self.array_of(call.func.value) if isinstance(call.func, ast.Attribute) and call.func.attr == "fill" else None
        if array is None or not self.module.loops_over_arrays or len(call.args) != 1 or call.keywords:
            return False
        value, kind = self.thing(call.args[0]), self.element_type(array)
        value = self.converted(node, self.spread_number(node, value, kind), kind)
        names = [self.fresh_once(node, f"at_{axis}") for axis in range(array.rank)]
        kept = self.fresh_once(node, "value")
        self.check_store(call.args[0], kind, value)
        self.note_write(call.func.value)
        self.emit(node, depth, "{")
        self.emit(node, depth + 1, f"{kind.c} {kept} = {self.bare(value.text)};")
        for axis, (name, extent) in enumerate(zip(names, array.extents)):
            self.emit(node, depth + 1 + axis, f"for (int64_t {name} = 0; {name} < {extent.text}; {name}++) {{")
        self.emit(node, depth + 1 + array.rank, f"{array.name}{''.join(f'[{name}]' for name in names)} = {kept};")
        for axis in reversed(range(-1, array.rank)):
            self.emit(node, depth + 1 + axis, "}")
        return True

    def spread_number(self, node, value, kind):
        """A number as the vector that a field's element is."""
        if not self.is_vector_dtype(kind.dtype) or self.vector_type(value):
            return value
        trees = [ast.Name("#a", ast.Load()) for _ in kind.dtype.members]
        return self.combine(node, [value], kind.dtype.shape, trees)

    # ---- members of fields of structs -------------------------------------------------------------------------------------

    def element_first(self, node):
        """x.pos[i] of an array of structs as x[i].pos; other expressions as they are."""
        names, root = [], node.value
        while isinstance(root, ast.Attribute) and self.module.loops_over_arrays and self.array_of(root) is None:
            names.append(root.attr)
            root = root.value
        array = self.array_of(root) if names else None
        if array is None or array.dtype.members is None or array.dtype.member(names[-1]) is None:
            return node
        key = id(node), "element"
        if key not in self.c_names:  # one node for all rounds
            found = ast.copy_location(ast.Subscript(root, node.slice, ast.Load()), node)
            for name in reversed(names):
                found = ast.copy_location(ast.Attribute(found, name, ast.Load()), node)
            self.c_names[key] = found
        return self.c_names[key]

    def array_of_member(self, node):
        """The array whose member x.pos is; None for everything else."""
        if not isinstance(node, ast.Attribute):
            return None
        array = self.array_of(node.value)
        is_member = isinstance(array, ArrayValue) and array.dtype.members is not None and array.dtype.member(node.attr) is not None
        return array if is_member else None

"""Vectors and matrices in kernels: structs of C, which small functions of C take and return, made as they are needed."""
import ast
import itertools
import math

from rill.script.value import FLOAT, INT, Type, Value, constant, convert
from rill.types import BY_NAME, DType
from rill.vectors import Vector, VectorType, places

# Functions of numbers that take vectors, element by element; the last lines are of vectors alone.
ELEMENTWISE = frozenset(
    "sqrt cbrt sin cos tan asin acos atan sinh cosh tanh exp exp2 log log2 log10 rsqrt floor ceil round abs sign fabs trunc rint "
    "degrees radians isnan isinf zero one atan2 pow max min fmin fmax hypot fmod mod maximum minimum select where cast clip "
    "dot cross normalize length norm distance outer_product reflect mix clamp fract smoothstep determinant inverse any "
    "all".split())
# Of a vector a (and a vector b): what stands for the result, by the elements' names.
_SUMS = {"sum": "a{0}", "norm_sqr": "a{0} * a{0}", "dot": "a{0} * b{0}"}


def _parse(text):
    return ast.parse(text, mode="eval").body


def _mark(text):
    """The names a0, b3, c of a text as names that no program has."""
    tree = _parse(text)
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and part.id[0] in "abcd" and (part.id[1:].isdigit() or len(part.id) == 1):
            part.id = "#" + part.id
    return tree


def _builtin(name):
    def call(*_):
        raise TypeError(f"{name} is for kernels")
    call._rill_builtin = name
    return call


_FUNCTIONS = {"rill__sqrt": math.sqrt, "rill__rsqrt": _builtin("rsqrt"), "rill__max": max, "rill__min": min, "#max": max,
              "#min": min, "#floor": _builtin("floor")}  # what trees name


class Vectors:
    """Mixed into the translation of a function (function.py)."""

    def vector_type(self, found):
        """The type of a vector; None for other values."""
        return found.type.dtype if isinstance(found, Value) and isinstance(found.type.dtype, VectorType) else None

    @staticmethod
    def is_vector_dtype(dtype):
        return isinstance(dtype, VectorType)

    @staticmethod
    def element_type(array):
        """The type of an array's elements."""
        return array.kind or Type(array.dtype)

    def vector_of(self, node):
        """The vector that an expression is; None for everything else, also for what cannot be known without an error."""
        if not self.module.has_vectors or not isinstance(
                node, (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.Call, ast.UnaryOp, ast.IfExp, ast.List)):
            return None
        if isinstance(node, (ast.Name, ast.Attribute)):
            try:
                known = self.known(node)
            except KeyError:
                pass
            else:
                return self.known_struct(node, known) if isinstance(known, Vector) else None
            if isinstance(node, ast.Name) and (node.id in self.arrays or not self.is_inside(node.id)):
                return None
        seen, found = self.looked_at.get(id(node), (None, None))
        if seen is not node:
            found = self.look_for_vector(node)
            self.looked_at[id(node)] = node, found  # nested calls would be looked at twice at every level
        return found

    def look_for_vector(self, node):
        if isinstance(node, ast.Attribute):
            owner = self.struct_value(node.value)
            found = self.member(node, owner) if owner is not None else None
        else:
            found = self.expression(node)
        return found if self.vector_type(found) else None

    # ---- making ---------------------------------------------------------------------------------------------------------

    def vector(self, element, shape, weak=False):
        """The type, whose definition the text has from now on."""
        kind = VectorType(element, tuple(shape), weak)
        self.module.has_vectors = True
        self.module.use(kind)
        return Type(kind)

    def vector_literal(self, node, values, shape):
        """A vector of values that meet in one type."""
        kind = values[0].type
        for value in values:
            kind = self.meet(node, kind, value.type)
        if kind.is_struct:
            self.fail(node, "a matrix is of numbers")
        found = self.vector(kind.dtype, shape, kind.weak)
        texts = ", ".join(self.bare(convert(value, kind).text) for value in values)
        return Value(f"({found.c}){{{{{texts}}}}}", found, is_pure=all(v.is_pure for v in values))

    def vector_of_list(self, node):
        """[a, b], [[a, b], [c, d]]: the values and the shape."""
        parts, shape = [node], []
        while isinstance(parts[0], (ast.List, ast.Tuple)):
            if any(not isinstance(p, (ast.List, ast.Tuple)) or len(p.elts) != len(parts[0].elts) for p in parts) or not parts[0].elts:
                self.fail(node, "the rows of a matrix are of one length")
            shape.append(len(parts[0].elts))
            parts = [element for part in parts for element in part.elts]
        values = [self.thing(part) for part in parts]
        kinds = [self.vector_type(value) for value in values]
        if any(kinds) and len(shape) == 1:  # rows that are vectors
            if any(kind is None or kind.shape != kinds[0].shape or len(kind.shape) != 1 for kind in kinds):
                return None
            shape.append(kinds[0].shape[0])
            values = [Value(f"{v.text}.f[{i}]", Type(v.type.dtype.element, v.type.dtype.weak), is_pure=v.is_pure)
                      for v in values for i in range(shape[1])]
        if any(value.type.is_struct for value in values):
            return None
        return values, shape

    def expr_ListComp(self, node):
        """[f(i) for i in range(3)] of a range that is known: a vector."""
        loop = node.generators[0]
        if len(node.generators) != 1 or loop.ifs or not self.module.loops_over_arrays:
            self.fail(node, "a list comprehension cannot be in a kernel")
        iteration = loop.iter.args[0] if self.is_static(loop.iter) else loop.iter
        before, objects, values = dict(self.bound), dict(self.objects), []
        for item in self.static(iteration):
            self.bind_item(node, loop.target, item)
            values.append(self.thing(node.elt))
            self.bound, self.objects = dict(before), dict(objects)
        if not values or any(value.type.is_struct for value in values):
            self.fail(node, "a list comprehension in a kernel is a vector: of numbers, over a range that is known")
        return self.vector_literal(node, values, (len(values),))

    def expr_List(self, node):
        if not self.module.loops_over_arrays or not node.elts:
            self.fail(node, "a list (a tuple can, and t = rill.local(3, rill.f32) is an array of the iteration's own) cannot be in "
                            "a kernel")
        if any(self.vector_of(part) for part in node.elts):  # a list of vectors: its index is a constant
            return self.expr_Tuple(ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        found = self.vector_of_list(node)
        if found is None:
            self.fail(node, "a list in a kernel is a vector, or a matrix by its rows")
        return self.vector_literal(node, *found)

    def call_Vector(self, node):
        """Vector([a, b]), Matrix([[a, b], [c, d]]), with dt="""
        dtype = None
        for keyword in node.keywords:
            dtype = self.known(keyword.value)
        if len(node.args) == 2:
            dtype = self.known(node.args[1])
        if not node.args or not isinstance(node.args[0], (ast.List, ast.Tuple)):
            found = self.given_vector(node.args[0]) if node.args else None
            if found is None:
                self.fail(node, "write Vector([x, y]), Matrix([[a, b], [c, d]])")
            return found
        parts = self.vector_of_list(node.args[0])
        if parts is None:
            self.fail(node, "a matrix is of numbers, or of rows that are vectors of one length")
        if dtype is not None:
            kind = {int: INT, float: FLOAT}.get(dtype) or Type(dtype)
            parts = [convert(value, kind) for value in parts[0]], parts[1]
        return self.vector_literal(node, *parts)

    call_Matrix = call_Vector

    def given_vector(self, node):
        """Vector(v), of a vector, or of numbers from outside."""
        if isinstance(node, ast.ListComp):
            return self.expr_ListComp(node)
        try:
            known = self.known(node)
        except KeyError:
            return self.vector_of(node)
        return self.known_struct(node, Vector(known)) if isinstance(known, (list, tuple, Vector)) else None

    def call_cols(self, node):
        """Matrix.cols([a, b]), of vectors."""
        rows = self.call_rows(node)
        return self.matrix_method(node, "transpose", rows, rows.type.dtype.shape)

    def call_rows(self, node):
        found = self.vector_of_list(node.args[0]) if len(node.args) == 1 and isinstance(node.args[0], (ast.List, ast.Tuple)) else None
        if found is None or len(found[1]) != 2:
            self.fail(node, "rows() and cols() take a list of vectors")
        return self.vector_literal(node, *found)

    def construct_vector(self, node, dtype):
        """vec3(x, y, z), vec3(xy, z), vec3(0)"""
        values = []
        for part in node.args:
            if isinstance(part, (ast.List, ast.Tuple)):
                values += self.vector_of_list(part)[0]
                continue
            try:
                is_known = isinstance(self.known(part), (tuple, list))
            except KeyError:
                is_known = False
            found = self.given_vector(part) if is_known else self.thing(part)
            kind = self.vector_type(found)
            values += [found] if kind is None else [
                Value(f"{found.text}.f[{i}]", Type(kind.element, kind.weak), is_pure=found.is_pure) for i in range(len(kind.members))]
        count = len(dtype.members)
        values = values * count if len(values) == 1 else values
        if len(values) != count:
            self.fail(node, f"{count} numbers make a {dtype!r}, and this are {len(values)}")
        kind = self.vector(dtype.element, dtype.shape, dtype.weak)
        element = Type(dtype.element, dtype.weak)
        for value in values:
            if value.type.is_struct:
                self.fail(node, "a vector is made of numbers and vectors")
        texts = ", ".join(self.bare(convert(value, element).text) for value in values)
        return Value(f"({kind.c}){{{{{texts}}}}}", kind, is_pure=all(v.is_pure for v in values))

    # ---- functions by elements ----------------------------------------------------------------------------------------------

    def converted(self, node, value, kind):
        """The value as a type, a vector element by element."""
        given, wanted = self.vector_type(value), kind.dtype
        if given is None or not isinstance(wanted, VectorType) or given.c_name == wanted.c_name or given.shape != wanted.shape:
            return convert(value, kind)
        trees = [ast.Name(f"#a{i}", ast.Load()) for i in range(len(given.members))]
        return self.combine(node, [value], given.shape, trees, Type(wanted.element, wanted.weak))

    def combine(self, node, operands, shape, trees, kind=None):
        """A function of C over the operands: element i of its result, or the one number if |shape| is None, is what trees[i]
        says by the names #a0, #a1, … of the first operand's elements (#a of one that is a number), #b0 of the second's. |kind| is the
        type of an element, if it is not that in which they meet."""
        before, objects, names = dict(self.bound), self.objects, []
        self.objects = {**objects, **_FUNCTIONS}
        for letter, operand in zip("abcd", operands):
            given = self.vector_type(operand)
            if given is None:
                self.bound[f"#{letter}"] = operand if operand.constant is not None else Value(letter, operand.type)
            else:
                for i in range(len(given.members)):
                    self.bound[f"#{letter}{i}"] = Value(f"{letter}.f[{i}]", Type(given.element, given.weak))
            names.append(f"{operand.type.c} {letter}")
        values = []
        for tree in trees:
            for part in ast.walk(tree):
                ast.copy_location(part, node)
            values.append(self.value(tree))
        self.bound, self.objects = before, objects
        for value in values if kind is None else []:
            kind = self.meet(node, kind, value.type)
        texts = [self.bare(convert(value, kind).text) for value in values]
        if shape is None:
            result, body = kind, f"return {texts[0]};"
        else:
            result = self.vector(kind.dtype, shape, kind.weak)
            body = f"{result.c} r = {{{{{', '.join(texts)}}}}}; return r;"
        name = self.module.helper(f"{result.c} ", f"({', '.join(names)}) {{ {body} }}")
        given = ", ".join(self.bare(operand.text) for operand in operands)
        return Value(f"{name}({given})", result, is_pure=all(operand.is_pure for operand in operands))

    def by_elements(self, node, operands, make):
        """The operation for each element; a number goes with every element. |make|: of the names, a tree."""
        kinds = [self.vector_type(operand) for operand in operands]
        shapes = {kind.shape for kind in kinds if kind is not None}
        if len(shapes) != 1:
            self.fail(node, f"vectors of {' and '.join(map(str, sorted(shapes)))} do not meet element by element")
        shape = shapes.pop()
        trees = []
        for i in range(len(next(kind for kind in kinds if kind is not None).members)):
            trees.append(make([ast.Name(f"#{letter}" if kind is None else f"#{letter}{i}", ast.Load())
                               for letter, kind in zip("abcd", kinds)]))
        return self.combine(node, operands, shape, trees)

    def vector_binary(self, node, op, a, b):
        if op is ast.MatMult:
            return self.product(node, a, b)
        return self.by_elements(node, [a, b], lambda names: ast.BinOp(names[0], op(), names[1]))

    def product(self, node, a, b):
        """a @ b"""
        x, y = self.vector_type(a), self.vector_type(b)
        if x is None or y is None or len(x.shape) != 2 or x.shape[1] != y.shape[0]:
            self.fail(node, "the operator @ is for matrices that fit: (n, m) @ (m, k), (n, m) @ (m)")
        n, m = x.shape
        columns = y.shape[1] if len(y.shape) == 2 else 1
        trees = [_mark(" + ".join(f"a{i * m + k} * b{k * columns + j}" for k in range(m))) for i in range(n) for j in range(columns)]
        return self.combine(node, [a, b], (n, *y.shape[1:]), trees)

    def vector_call(self, node, name):
        """A function of numbers over vectors: sqrt(v), max(v, 0), int(v). None if no argument is a vector."""
        values = [self.vector_of(part) for part in node.args]
        if not any(value is not None for value in values):
            return None
        if name in ("dot", "cross", "normalize", "length", "norm", "distance", "outer_product", "reflect", "mix", "clamp", "fract",
                    "smoothstep", "determinant", "inverse", "any", "all"):
            return self.vector_function(node, name)
        operands, places_of = [], []
        for part, value in zip(node.args, values):
            try:
                is_object = value is None and isinstance(self.known(part), (type, DType))
            except KeyError:
                is_object = False
            places_of.append(None if is_object else len(operands))
            if not is_object:
                operands.append(value if value is not None else self.value(part))
        return self.by_elements(node, operands, lambda names: ast.Call(node.func, [
            part if place is None else names[place] for part, place in zip(node.args, places_of)], []))

    def vector_function(self, node, name):
        """Functions of rill.quadrants.math and of Quadrants itself whose arguments are vectors."""
        args = [self.thing(part) for part in node.args]
        if name in ("dot", "cross", "outer_product", "determinant", "inverse", "any", "all"):
            return self.vector_method(node, name, args[0], args[1:])
        if name in ("normalize", "length", "norm"):
            return self.vector_method(node, "normalized" if name == "normalize" else "norm", args[0], args[1:])
        if name == "distance":
            return self.vector_method(node, "norm", self.vector_binary(node, ast.Sub, args[0], args[1]), [])
        if name == "reflect":
            twice = self.binary(node, ast.Mult, self.vector_method(node, "dot", args[0], [args[1]]), constant(2))
            return self.vector_binary(node, ast.Sub, args[0], self.vector_binary(node, ast.Mult, args[1], twice))
        letters = "abcd"[:len(args)]
        text = {"mix": "a * (1 - c) + b * c", "clamp": "min(max(a, b), c)", "fract": "a - floor(a)"}.get(name)
        if text is None:
            self.fail(node, f"there is no '{name}' of vectors in kernels")

        def make(names):
            tree = _mark(text)
            for part in ast.walk(tree):
                if isinstance(part, ast.Name) and part.id[0] == "#":
                    part.id = names[letters.index(part.id[1])].id
                elif isinstance(part, ast.Name):
                    part.id = "#" + part.id  # min, max, floor, whatever a program calls so
            return tree
        return self.by_elements(node, args, make)

    # ---- random numbers -------------------------------------------------------------------------------------------------------

    def draw(self, name, dtype):
        """A number of its own for each call: by the launch, the iteration of the outermost loop, and a count in that."""
        self.draws = True
        count = "rill_drawn++" if self.is_kernel else "(*rill_count)++"
        return Value(f"rill_{name}(rill_key, {count})", Type(BY_NAME[dtype]), is_pure=False)

    def call_draw(self, node):
        """random(), random(f64), random(i32)"""
        kind = self.type_of_annotation(node.args[0]) if node.args else Type(BY_NAME["f32"])
        if kind.is_float:
            found = self.draw("random_f64", "f64") if kind.dtype.size == 8 and not kind.weak else self.draw("random_f32", "f32")
            return convert(found, kind) if not kind.weak else found
        return convert(self.draw("random_u32", "u32"), kind)

    def call_draw_normal(self, node):
        return self.draw("random_normal_f32", "f32")

    # ---- methods ------------------------------------------------------------------------------------------------------------

    def vector_method(self, node, name, a, others):
        kind = self.vector_type(a)
        count, shape = len(kind.members), kind.shape
        n = shape[0]
        if name in _SUMS:
            trees = [_mark(" + ".join(_SUMS[name].format(i) for i in range(count)))]
            return self.combine(node, [a, *others], None, trees)
        if name in ("norm", "norm_inv"):
            squares = " + ".join(f"a{i} * a{i}" for i in range(count)) + (" + b" if others else "")
            return self.combine(node, [a, *others], None, [_mark(f"rill__{'sqrt' if name == 'norm' else 'rsqrt'}({squares})")])
        if name == "normalized":
            length = self.vector_method(node, "norm", a, [])
            length = self.binary(node, ast.Add, length, others[0]) if others else length
            return self.vector_binary(node, ast.Div, a, length)
        if name in ("max", "min") and not others:
            return self.combine(node, [a], None, [_mark(f"rill__{name}({', '.join(f'a{i}' for i in range(count))})")])
        if name in ("any", "all"):
            joint = " or " if name == "any" else " and "
            return self.combine(node, [a], None, [_mark(joint.join(f"a{i} != 0" for i in range(count)))])
        if name == "cross" and count == 3:
            return self.combine(node, [a, *others], shape, [_mark(t) for t in (
                "a1 * b2 - a2 * b1", "a2 * b0 - a0 * b2", "a0 * b1 - a1 * b0")])
        if name == "cross" and count == 2:
            return self.combine(node, [a, *others], None, [_mark("a0 * b1 - a1 * b0")])
        if name == "outer_product":
            m = self.vector_type(others[0]).shape[0]
            return self.combine(node, [a, *others], (n, m), [_mark(f"a{i} * b{j}") for i in range(n) for j in range(m)])
        if name == "fill" and len(others) == 1:
            return self.by_elements(node, [a, others[0]], lambda names: names[1])
        if len(shape) == 2:
            return self.matrix_method(node, name, a, shape)
        self.fail(node, f"a vector has no method '{name}' in a kernel")

    def matrix_method(self, node, name, a, shape):
        n, m = shape
        if name == "transpose":
            return self.combine(node, [a], (m, n), [_mark(f"a{i * m + j}") for j in range(m) for i in range(n)])
        if name == "trace":
            return self.combine(node, [a], None, [_mark(" + ".join(f"a{i * m + i}" for i in range(min(n, m))))])
        if name in ("determinant", "inverse") and n == m and n <= 4:
            if name == "determinant":
                return self.combine(node, [a], None, [_mark(self.minor(list(range(n)), list(range(n)), n))])
            whole = self.minor(list(range(n)), list(range(n)), n)
            trees = []
            for i, j in itertools.product(range(n), range(n)):
                rows, columns = [r for r in range(n) if r != j], [c for c in range(n) if c != i]
                part = self.minor(rows, columns, n) if n > 1 else "1"
                trees.append(_mark(f"{'-' if (i + j) % 2 else ''}({part}) / ({whole})"))
            return self.combine(node, [a], shape, trees)
        self.fail(node, f"a matrix of {shape} has no method '{name}' in a kernel")

    def minor(self, rows, columns, n):
        """The determinant of these rows and columns, as a text."""
        if len(rows) == 1:
            return f"a{rows[0] * n + columns[0]}"
        parts = []
        for k, column in enumerate(columns):
            rest = self.minor(rows[1:], [c for c in columns if c != column], n)
            parts.append(f"{'-' if k % 2 else '+'} a{rows[0] * n + column} * ({rest})")
        return " ".join(parts).lstrip("+ ")

    # ---- parts ----------------------------------------------------------------------------------------------------------------

    def vector_part(self, node, owner):
        """v[i], m[i, j], m[i]"""
        kind = owner.type.dtype
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        element = Type(kind.element, kind.weak)
        if len(parts) == 1 and len(kind.shape) == 2 and kind.shape[1] > 1:
            row = self.value(parts[0]).constant
            if row is None:
                self.fail(node, "a row of a matrix is taken by a constant: m[0]; one element by any, m[i, j]")
            texts = ", ".join(f"{owner.text}.f[{row * kind.shape[1] + j}]" for j in range(kind.shape[1]))
            found = self.vector(kind.element, kind.shape[1:], kind.weak)
            return Value(f"({found.c}){{{{{texts}}}}}", found, is_pure=owner.is_pure)
        if len(parts) != len(kind.shape) and not (len(parts) == 1 and len(kind.shape) == 2):
            self.fail(node, f"{len(parts)} indices for a matrix of {kind.shape}")
        values = [self.value(part) for part in parts]
        for part, value, extent in zip(parts, values, kind.shape):
            if not value.type.is_int:
                self.fail(part, f"an index is an integer, and this is {value.type}")
            if value.constant is not None and not -extent <= value.constant < extent:
                self.fail(part, f"{value.constant} is no index of a vector of {kind.shape}")
        texts = [str(v.constant % n) if v.constant is not None else self.bare(v.text) for v, n in zip(values, kind.shape)]
        place = texts[0] if len(texts) == 1 else (
            str(int(texts[0]) * kind.shape[1] + int(texts[1])) if texts[0].isdigit() and texts[1].isdigit()
            else f"({texts[0]}) * {kind.shape[1]} + {texts[1]}")
        return Value(f"{owner.text}.f[{place}]", element, is_pure=owner.is_pure and all(v.is_pure for v in values))

    def spread_vectors(self, parts):
        """The indices x[v], of a vector of integers, one by one."""
        if not self.module.has_vectors:
            return parts
        out = []
        for part in parts:
            found = None if isinstance(part, ast.Slice) else self.vector_of(part)
            if found is None:
                out.append(part)
                continue
            for i, _ in enumerate(found.type.dtype.members):
                name = f"#i{id(part)}_{i}"
                self.bound[name] = Value(f"{found.text}.f[{i}]", Type(found.type.dtype.element, found.type.dtype.weak),
                                         is_pure=found.is_pure)
                out.append(ast.copy_location(ast.Name(name, ast.Load()), part))
        return out

    def vector_member(self, node, owner):
        """v.x, v.xyz, m.n"""
        kind = owner.type.dtype
        if node.attr in ("n", "m"):
            return constant((*kind.shape, 1)["nm".index(node.attr)])
        found = places(node.attr, kind.shape)
        if found is None:
            self.fail(node, f"a vector of {kind.shape} has no '{node.attr}'")
        if len(found) == 1:
            return Value(f"{owner.text}.f[{found[0]}]", Type(kind.element, kind.weak), is_pure=owner.is_pure)
        return self.combine(node, [owner], (len(found),), [_mark(f"a{i}") for i in found])

    def vector_update(self, node, place, value, depth):
        """place += value, element by element: each is an update of its own."""
        kind = self.vector_type(place)
        element = Type(kind.element, kind.weak)
        signs = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*="}
        result = self.vector_binary(node, type(node.op), place, value)
        self.check_store(node, place.type, result)
        sign = signs.get(type(node.op))
        if sign is None or self.vector_type(value) is None and value.type.is_struct:
            self.emit(node, depth, f"{place.text} = {self.bare(convert(result, place.type).text)};")
            return
        kept = self.fresh_once(node, "update")
        given = self.vector_type(value)
        target = Type(VectorType(kind.element, kind.shape, kind.weak)) if given else element
        if given is None or given.element.is_float == kind.element.is_float:
            value = self.converted(node, value, target)
        self.emit(node, depth, "{")
        self.emit(node, depth + 1, f"{value.type.c} {kept} = {self.bare(value.text)};")
        for i in range(len(kind.members)):
            self.emit(node, depth + 1, f"{place.text}.f[{i}] {sign} {kept}{f'.f[{i}]' if self.vector_type(value) else ''};")
        self.emit(node, depth, "}")

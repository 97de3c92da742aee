"""Where the locals of a function are declared in C: in the innermost block that holds all of a name's uses, if the block's
first use sets it; Python has one scope for the whole function, and a local that is declared in a loop's body is each
iteration's own."""
import ast


def names_in(node):
    """Every name that stands in a statement or an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def stores_in(node):
    """Names that a statement sets, by whatever means."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}


def loop_names(target):
    return [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]


def blocks_of(statement):
    """The blocks inside a statement."""
    return [getattr(statement, field) for field in ("body", "orelse") if getattr(statement, field, None)]


def header_names(statement):
    """Names in a compound statement outside of its blocks, but for those that a loop binds."""
    found = set()
    for field in ("test", "iter"):
        if getattr(statement, field, None) is not None:
            found |= names_in(getattr(statement, field))
    for item in getattr(statement, "items", ()):
        found |= names_in(item)
    return found


def _is_set_before_use(statements, name, skipped, is_set=False):
    """Whether every use of a name outside of the loops |skipped| has an assignment before it in its block, or around it."""
    for statement in statements:
        if any(statement is loop for loop in skipped):
            continue
        blocks = blocks_of(statement)
        is_bound = isinstance(statement, ast.For) and name in loop_names(statement.target)
        if blocks:
            if name in header_names(statement) and not is_set or not all(
                    _is_set_before_use(block, name, skipped, is_set or is_bound) for block in blocks):
                return False
            continue
        is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign))
        used = names_in(statement.value) if is_plain and statement.value is not None else names_in(statement)
        if name in used and not is_set:
            return False
        is_set = is_set or is_plain and name in stores_in(statement)
    return True


class _Rename(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        if node.id == self.old:
            node.id = self.new
        return node


def rename_static_loops(body, is_static):
    """Gives the variables of unrolled loops names of their own where the function uses the names for something else too, which
    never sees what the loops leave in them."""
    loops = [part for statement in body for part in ast.walk(statement) if isinstance(part, ast.For) and is_static(part)]
    for name in {name for loop in loops for name in loop_names(loop.target) if not name.startswith("#")}:
        binding = [loop for loop in loops if name in loop_names(loop.target)]
        inside = {id(part) for loop in binding for part in ast.walk(loop)}
        is_elsewhere = any(isinstance(part, ast.Name) and part.id == name and id(part) not in inside
                           for statement in body for part in ast.walk(statement))
        is_changed = any(name in stores_in(statement) for loop in binding for statement in loop.body
                         if not (isinstance(statement, ast.For) and any(statement is other for other in binding)))
        if is_elsewhere and not is_changed and _is_set_before_use(body, name, binding):
            for loop in binding:
                for part in (loop.target, *loop.body):
                    _Rename(name, f"#{name}").visit(part)


def split_locals(block, kept, taken):
    """Gives a local that several statements of a block set and use, each for itself, a name in each of them: then it may be of
    another type there, as in languages whose blocks have names of their own. |kept|: names that stay; |taken|: all names."""
    for name in sorted(set().union(set(), *map(stores_in, block)) - kept):
        holders = [statement for statement in block if name in names_in(statement)]
        if len(holders) < 2 or not all(blocks_of(statement) and name not in header_names(statement) and not isinstance(
                statement, ast.While) and _is_set_before_use([statement], name, ()) for statement in holders):
            continue
        for number, statement in enumerate(holders[1:], 2):
            new = f"{name}_{number}"
            while new in taken:
                new += "_"
            taken.add(new)
            _Rename(name, new).visit(statement)
    for statement in block:
        for inner in blocks_of(statement):
            outside = set().union(set(), *(names_in(other) for other in block if other is not statement))
            split_locals(inner, kept | outside | header_names(statement), taken)


class Scope:
    """For a function's body: `private` are the loop variables that live in their loops alone, by the node of the loop;
    `homes` the block (by id of its list) in which each other local is declared."""

    def __init__(self, body, params):
        self.body, self.params = body, set(params)
        self.loops = [part for statement in body for part in ast.walk(statement) if isinstance(part, ast.For)]
        self.assigned = set().union(set(), *(self._assigned(statement) for statement in body))
        self.escaping = self._escaping()
        bound = {name for loop in self.loops for name in loop_names(loop.target)}
        self.locals = (self.assigned | (bound & self.escaping)) - self.params
        self.homes = {name: id(self._home(name)) for name in self.locals}

    @staticmethod
    def _assigned(statement):
        """Names that are set otherwise than by a loop's head."""
        heads = {id(part) for loop in ast.walk(statement) if isinstance(loop, (ast.For, ast.comprehension))
                 for part in ast.walk(loop.target)}
        return {part.id for part in ast.walk(statement)
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and id(part) not in heads}

    def _escaping(self):
        """Loop variables that are set in a body, or used outside of the loops that bind them."""
        found = set(self.assigned)

        def walk(statements, bound):
            for statement in statements:
                if isinstance(statement, ast.For):
                    found.update(names_in(statement.iter) - bound)
                    walk(statement.body, bound | set(loop_names(statement.target)))
                    walk(statement.orelse, bound)
                elif blocks_of(statement):
                    found.update(header_names(statement) - bound)
                    for block in blocks_of(statement):
                        walk(block, bound)
                else:
                    found.update(names_in(statement) - bound)

        walk(self.body, set())
        return found

    def is_private(self, name):
        return name not in self.locals

    def _home(self, name):
        """The block that declares the name."""
        best, block = self.body, self.body
        while block is not None:
            holders = [statement for statement in block if name in names_in(statement)]
            first = holders[0]
            if self.sets(first, name):
                best = block
            block = None
            if len(holders) == 1 and blocks_of(first) and name not in header_names(first) and not (
                    isinstance(first, ast.For) and name in loop_names(first.target)):
                inner = [b for b in blocks_of(first) if any(name in names_in(statement) for statement in b)]
                block = inner[0] if len(inner) == 1 else None
        return best

    @staticmethod
    def sets(statement, name):
        if any(isinstance(part, ast.NamedExpr) and part.target.id == name for part in ast.walk(statement)) and (
                not blocks_of(statement)):
            return True
        if isinstance(statement, ast.For):
            return False  # a loop without iterations sets nothing
        if isinstance(statement, ast.AnnAssign):
            return statement.value is not None and name not in names_in(statement.value)
        if not isinstance(statement, ast.Assign) or name in names_in(statement.value):
            return False
        return any(isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Load)
                   for target in statement.targets
                   for part in (target.elts if isinstance(target, ast.Tuple) else [target]))

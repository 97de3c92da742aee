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
        if isinstance(statement, ast.For):
            return False  # a loop without iterations sets nothing
        if isinstance(statement, ast.AnnAssign):
            return statement.value is not None and name not in names_in(statement.value)
        if not isinstance(statement, ast.Assign) or name in names_in(statement.value):
            return False
        return any(isinstance(part, ast.Name) and part.id == name and not isinstance(part.ctx, ast.Load)
                   for target in statement.targets
                   for part in (target.elts if isinstance(target, ast.Tuple) else [target]))

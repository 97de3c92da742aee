"""What Quadrants asks of a kernel's blocks and loops, said in its words: a program that it refuses is refused here too."""
import ast
import warnings

from rill.quadrants.lang.exception import QuadrantsSyntaxError
from rill.script.source import ScriptError

_NEW_NAMES = {"graph_do_while": "qd.graph.do_while(", "graph_parallel_context": "qd.graph.parallel_context(",
              "graph_parallel": "qd.graph.parallel("}


def _refuse(source, node, text):
    try:
        source.fail(node, text)
    except ScriptError as error:
        raise QuadrantsSyntaxError(str(error)) from None


def _object(source, node):
    """What a name or an attribute means outside of the kernel; None if that is nothing."""
    if isinstance(node, ast.Name):
        try:
            return source.look_up(node.id)
        except KeyError:
            return None
    if isinstance(node, ast.Attribute):
        return getattr(_object(source, node.value), node.attr, None)
    return None


def _construct(source, node):
    """The name of the construct that a call is, "graph_parallel"; None for other expressions."""
    return getattr(_object(source, node.func), "_rill_builtin", None) if isinstance(node, ast.Call) else None


def _block(source, statement):
    """The construct that a statement begins: of a `with`, or of a `while`."""
    if isinstance(statement, ast.With):
        return _construct(source, statement.items[0].context_expr)
    return _construct(source, statement.test) if isinstance(statement, ast.While) else None


def _statements(source):
    return [s for s in source.tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def _check_streams(source, is_graph):
    body = _statements(source)
    blocks = [s for s in body if _block(source, s) == "stream_parallel"]
    if blocks and is_graph:
        _refuse(source, blocks[0], "qd.stream_parallel() cannot be used in a graph=True kernel: qd.graph.parallel_context() and "
                                   "qd.graph.parallel() are for those")
    if blocks and len(blocks) != len(body):
        other = next(s for s in body if s not in blocks)
        _refuse(source, other, "where there is a stream_parallel block, all top-level statements must be such blocks (a kernel "
                               "of rill.kernel may mix them)")


def _check_region(source, statements):
    """A region holds parts, and what is known when it is compiled and holds parts."""
    for statement in statements:
        if _block(source, statement) == "graph_parallel":
            call = statement.items[0].context_expr
            if call.args or call.keywords:
                _refuse(source, call, "qd.graph_parallel() takes no arguments")
            for inner in ast.walk(ast.Module(statement.body, [])):
                if _block(source, inner) in ("graph_parallel", "graph_parallel_context"):
                    _refuse(source, inner, "regions of qd.graph_parallel_context() do not nest")
        elif isinstance(statement, ast.For) and _construct(source, statement.iter) == "static":
            _check_region(source, statement.body)
        elif isinstance(statement, ast.If) and _construct(source, statement.test) == "static":
            _check_region(source, statement.body + statement.orelse)
        elif not isinstance(statement, ast.Pass):
            _refuse(source, statement, "qd.graph_parallel_context() may contain only `with qd.graph_parallel():` blocks, and "
                                       "qd.static loops and conditions of them")


def _parts_of(source, statements):
    """The blocks of graph_parallel that stand in no region."""
    for statement in statements:
        name = _block(source, statement)
        if name == "graph_parallel":
            yield statement
        if name != "graph_parallel_context":
            for field in ("body", "orelse"):
                yield from _parts_of(source, getattr(statement, field, []))


def _check_loops(source, parameters):
    """A kernel with do_while loops has nothing else at its top level: Quadrants has run such statements in every round, and
    Rill would run them once."""
    body = _statements(source)
    loops = [s for s in body if _block(source, s) == "graph_do_while"]
    for node in ast.walk(source.tree):
        if _block(source, node) == "graph_do_while":
            found = node.test.args[0] if len(node.test.args) == 1 else None
            if not isinstance(found, ast.Name) or found.id not in parameters:
                _refuse(source, node, f"qd.graph_do_while({ast.unparse(found) if found else ''}) does not match any parameter of "
                                      "the kernel")
    if loops and len(loops) != len(body):
        other = next(s for s in body if s not in loops)
        _refuse(source, other, "beside a qd.graph_do_while loop there is nothing at the top level: what runs once belongs to a "
                               "kernel of its own, before or behind")


def check(source, is_graph):
    """Raises QuadrantsSyntaxError for what Quadrants refuses."""
    names = {name for name in map(lambda node: _construct(source, node), ast.walk(source.tree)) if name in _NEW_NAMES}
    for name in sorted(names):
        if not is_graph:
            _refuse(source, source.tree, f"qd.{name}() requires @qd.kernel(graph=True)")
    _check_streams(source, is_graph)
    for part in _parts_of(source, source.tree.body):
        _refuse(source, part, "qd.graph_parallel() can only be used directly inside a qd.graph_parallel_context() block")
    for node in ast.walk(source.tree):
        if _block(source, node) == "graph_parallel_context":
            _check_region(source, node.body)
    _check_loops(source, source.function.__code__.co_varnames[:source.function.__code__.co_argcount])
    for node in ast.walk(source.tree):  # said last: a kernel that is refused is not improved by another spelling
        if isinstance(node, ast.Attribute) and node.attr in _NEW_NAMES and node.attr in names:
            warnings.warn(f"qd.{node.attr}() is the old spelling of {_NEW_NAMES[node.attr]})", DeprecationWarning, stacklevel=4)

"""@qd.kernel, @qd.func, and what stands in kernels, by the names of Quadrants."""
import ast
import itertools
import math

from rill import script
from rill.array import Array
from rill.quadrants.lang import impl
from rill.quadrants.lang.exception import QuadrantsSyntaxError
from rill.script.kernel import ScriptKernel
from rill.script.source import ScriptError
from rill.script.unit import Template

func = script.func
pyfunc = script.func
static, rsqrt = script.static, script.rsqrt
atomic_add, atomic_sub, atomic_mul, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor = (
    getattr(script, f"atomic_{name}") for name in ("add", "sub", "mul", "min", "max", "and", "or", "xor"))


class Kernel(ScriptKernel):
    """A kernel of Quadrants' kind: qd_stream= says where it runs; it may use fields that are not passed."""

    loops_over_arrays = True

    def __init__(self, function, options):
        super().__init__(function, options)
        self._is_checked = False

    def _check(self):
        """As in Quadrants: a kernel is stream_parallel blocks alone, or has none at its top level."""
        body = [s for s in self._source.tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        blocks = [s for s in body if isinstance(s, ast.With)]
        if blocks and len(blocks) != len(body):
            other = next(s for s in body if s not in blocks)
            try:
                self._source.fail(other, "where there is a stream_parallel block, all top-level statements must be such "
                                         "blocks (a kernel of rill.kernel may mix them)")
            except ScriptError as error:
                raise QuadrantsSyntaxError(str(error)) from None
        self._is_checked = True

    def _prepare(self, arguments, named):
        if not self._is_checked:
            self._check()
        if "qd_stream" in named:
            named = dict(named)
            named["stream"] = named.pop("qd_stream")
        return super()._prepare(arguments, named)

    def _type_of(self, name, value):
        if isinstance(value, Array) and self._hints[name] is Template:
            return value.dtype, value.ndim or 1  # a field as a template is an array like others
        return super()._type_of(name, value)

    @staticmethod
    def _context_of(arguments, named):
        stream = named.get("stream")
        return stream.context if stream is not None else impl.context()

    def _compile(self, context, key, unit):
        self.options = {"check_bounds": impl.current_cfg().debug}
        return super()._compile(context, key, unit)


def kernel(function=None, **_):
    """Makes a kernel of a Python function. Quadrants' options (graph=, fastcache=) are accepted: Rill replays launches as
    graphs where that is cheaper, and keeps what it compiles, by itself."""
    if function is None:
        return lambda function: Kernel(function, {})
    return Kernel(function, {})


def template():
    """The annotation of a constant, or of a field."""
    return Template


def _one(name, on_host):
    return script._builtin(name, f"{name}(x), in kernels and on the host.", on_host)


sin, cos, tan, asin, acos, tanh, exp, log, sqrt, floor, ceil = (
    _one(name, getattr(math, name)) for name in ("sin", "cos", "tan", "asin", "acos", "tanh", "exp", "log", "sqrt", "floor",
                                                 "ceil"))
atan2, pow = _one("atan2", math.atan2), _one("pow", lambda a, b: a ** b)
_abs, _min, _max, _round = abs, min, max, round
abs, min, max, round = _one("abs", _abs), _one("min", _min), _one("max", _max), _one("round", _round)
cast = _one("cast", lambda value, dtype: dtype(value))
select = _one("select", lambda condition, a, b: a if condition else b)


def _ranges(*extents):
    return itertools.product(*(range(*e) if isinstance(e, tuple) else range(e) for e in extents))


ndrange = script._builtin("ndrange", "`for i, j in qd.ndrange(n, (1, m))` are nested loops.", _ranges)
grouped = script._builtin("grouped", "`for I in qd.grouped(x)`: I stands for all indices, x[I].", lambda x: itertools.product(
    *map(range, x.shape)))
loop_config = script._builtin("loop_config", "Settings of the next loop.", lambda **_: None)

"""@qd.kernel, @qd.func, and what stands in kernels, by the names of Quadrants."""
import itertools
import math

from rill import script
from rill.array import Array
from rill.quadrants.lang import impl, restrictions
from rill.quadrants.lang.exception import QuadrantsRuntimeError
from rill.script.kernel import ScriptKernel
from rill.script.unit import Template
from rill.vectors import Vector

func = script.func
pyfunc = script.func
static, rsqrt = script.static, script.rsqrt
atomic_add, atomic_sub, atomic_mul, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor = (
    getattr(script, f"atomic_{name}") for name in ("add", "sub", "mul", "min", "max", "and", "or", "xor"))


class Kernel(ScriptKernel):
    """A kernel of Quadrants' kind: qd_stream= says where it runs; it may use fields that are not passed. In a class that is
    marked by qd.data_oriented its first parameter is the object, whose numbers are constants and whose fields are used as
    they are."""

    loops_over_arrays = True

    def __init__(self, function, options, graph=False):
        super().__init__(function, options)
        self.graph = graph
        self._is_checked = False

    def _of(self, owner):
        bound = super()._of(owner)
        bound.graph = self.graph
        return bound

    @property
    def use_graph(self):
        """Whether it is a graph=True kernel."""
        return self.graph

    @use_graph.setter
    def use_graph(self, graph):
        self.graph, self._is_checked = bool(graph), False

    def _check(self):
        restrictions.check(self._source, self.graph)
        self._is_checked = True

    def _prepare(self, arguments, named):
        if not self._is_checked:
            self._check()
        if "qd_stream" in named:
            named = dict(named)
            named["stream"] = named.pop("qd_stream")
            if self.graph and named["stream"] is not None:
                raise QuadrantsRuntimeError("qd_stream is not compatible with graph=True kernels, as in Quadrants; without "
                                            "graph=True, Rill runs the kernel on the stream")
        if impl.tapes:
            if named.get("stream") is not None:
                raise QuadrantsRuntimeError("qd_stream is not compatible with autograd Tape, as in Quadrants")
            raise NotImplementedError("rill.quadrants has no derivatives: a kernel cannot be recorded by qd.ad.Tape")
        kernel, arguments, named = super()._prepare(arguments, named)
        impl.runtime.prog.last_kernel = kernel
        if kernel._draws:
            named = dict(named, rill_launch=impl.next_seed())
        return kernel, arguments, named

    def _type_of(self, name, value):
        if isinstance(value, Array) and self._hints[name] is Template:
            return value.dtype, value.ndim or 1  # a field as a template is an array like others
        return super()._type_of(name, value)

    @staticmethod
    def _context_of(arguments, named):
        stream = named.get("stream")
        return stream.context if stream is not None else impl.context()

    def explain(self, context=None):
        """What Rill found: control, tasks, each loop's verdict."""
        return super().explain(context or impl.context())

    def _compile(self, context, key, unit):
        self.options = {"check_bounds": impl.current_cfg().debug}
        return super()._compile(context, key, unit)


def kernel(function=None, *, graph=False, **_):
    """Makes a kernel of a Python function. |graph|: it may have qd.graph.do_while and qd.graph.parallel, and takes no stream.
    Other options (fastcache=) are accepted and do nothing: Rill keeps what it compiles, and replays launches as graphs where
    that is cheaper, by itself."""
    if function is None:
        return lambda function: Kernel(function, {}, graph)
    return Kernel(function, {}, graph)


def data_oriented(kind):
    """Marks a class whose methods are kernels and functions of kernels."""
    return kind


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
random = script._builtin("draw", "In a kernel: another number of [0, 1) at each call; random(qd.i32) is any integer.")
randn = script._builtin("draw_normal", "In a kernel: another number of the normal distribution at each call.")
zero = script._builtin("zero", "0 as what the argument is, number, vector or matrix.", lambda x: x * 0)
one = script._builtin("one", "1 as what the argument is, number, vector or matrix.", lambda x: x * 0 + 1)
raw_div = script._builtin("raw_div", "The quotient of C, rounded towards zero.", lambda a, b: int(a / b) if isinstance(a, int) else a / b)
raw_mod = script._builtin("raw_mod", "The remainder of C.", math.fmod)
bit_shr = script._builtin("bit_shr", "A shift to the right that fills with zeros.")
static_assert = script._builtin("static_assert", "In a kernel: what holds when the kernel is compiled, or the words say what does not.")
static_print = script._builtin("static_print", "In a kernel: printed when the kernel is compiled.", print)
atomic_exchange, atomic_cas = script.atomic_exchange, script.atomic_cas
sign = _one("sign", lambda x: (x > 0) - (x < 0))
select = _one("select", lambda condition, a, b: a if condition else b)


def _ranges(*extents):
    return itertools.product(*(range(*e) if isinstance(e, tuple) else range(e) for e in extents))


ndrange = script._builtin("ndrange", "`for i, j in qd.ndrange(n, (1, m))` are nested loops.", _ranges)
grouped = script._builtin("grouped", "`for I in qd.grouped(x)`: I stands for all indices, x[I].", lambda x: map(Vector, (
    itertools.product(*map(range, x.shape)) if hasattr(x, "shape") else x)))
loop_config = script._builtin("loop_config", "Settings of the next loop.", lambda **_: None)

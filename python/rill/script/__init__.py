"""Kernels that are Python functions: translated to C, line for line, and compiled by Rill."""
import contextlib
import itertools
import math

from rill import types
from rill.script import library
from rill.script.kernel import ScriptKernel, func, kernel
from rill.script.source import ScriptError
from rill.script.unit import Template


def _builtin(name, text, on_host=None):
    """What stands in a kernel as rill.|name|. Where Python can do the same, a kernel's function runs on the host as well."""
    def call(*arguments, **named):
        if on_host is None:
            raise ScriptError(f"rill.{name}() is for kernels: on the host there is no such call")
        return on_host(*arguments, **named)

    call._rill_builtin = call.__name__ = call.__qualname__ = name
    call.__doc__ = text
    return call


def _zeros(extents, dtype):
    import numpy
    return numpy.zeros(extents, types.dtype(dtype).numpy)


static = _builtin("static", "In a kernel: what Python makes of an expression when the kernel is compiled; a loop over it is "
                            "unrolled, an if over it decided.", lambda what: what)
grid = _builtin("grid", "`for i, j in rill.grid(n, (1, m))` are nested loops.",
                lambda *extents: itertools.product(*(range(*e) if isinstance(e, tuple) else range(e) for e in extents)))
local = _builtin("local", "t = rill.local((3, 3), rill.f32) is an array of the iteration's own, all zero.", _zeros)
parallel = _builtin("parallel", "`for i in rill.parallel(range(n))`: the author insists that any order will do.",
                    lambda numbers: numbers)
serial = _builtin("serial", "`for i in rill.serial(range(n))` runs in order; the loops inside are looked at.",
                  lambda numbers: numbers)
single = _builtin("single", "`for i in rill.single(range(n))` and all inside it runs on one thread.", lambda numbers: numbers)
collapse = _builtin("collapse", "`for i in rill.collapse(2, range(n))` and the loop inside are one space.",
                    lambda count, numbers: numbers)
block_dim = _builtin("block_dim", "`for i in rill.block_dim(128, range(n))`: threads of a block on a GPU.",
                     lambda count, numbers: numbers)
stream_parallel = _builtin("stream_parallel", "`with rill.stream_parallel():` blocks beside each other may overlap.",
                           contextlib.nullcontext)
rsqrt = _builtin("rsqrt", "1 / sqrt(x).", lambda x: 1 / math.sqrt(x))
globals().update({f"atomic_{name.rstrip('_')}": _builtin(
    f"atomic_{name.rstrip('_')}", "In a kernel: updates the element x[i] by a value, in any order; returns the old value.")
    for name in (*library.ATOMICS, "cas")})
globals().update({name: _builtin(name, "In a kernel: a number that depends on a key and a counter alone.")
                  for name in library.RANDOM})
template = Template

BUILTINS = ["static", "grid", "local", "parallel", "serial", "single", "collapse", "block_dim", "stream_parallel", "rsqrt",
            "template", *(f"atomic_{name.rstrip('_')}" for name in (*library.ATOMICS, "cas")), *library.RANDOM]
__all__ = ["ScriptError", "ScriptKernel", "func", "kernel", *BUILTINS]

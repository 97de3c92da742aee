"""qd.graph: do_while, parallel_context and parallel, for kernels that are marked graph=True."""
import contextlib

from rill import script

do_while = script._builtin("graph_do_while", "`while qd.graph.do_while(counter):` repeats its body until the one element of "
                                             "counter is 0; the body runs once at least.")
parallel_context = script._builtin("graph_parallel_context", "`with qd.graph.parallel_context():` is a region, whose parts are "
                                                             "`with qd.graph.parallel():`.", contextlib.nullcontext)
parallel = script._builtin("graph_parallel", "`with qd.graph.parallel():` is a part of a region; the parts may overlap.",
                           contextlib.nullcontext)

__all__ = ["do_while", "parallel", "parallel_context"]

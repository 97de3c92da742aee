"""The names that programs for Quadrants use for kernels, fields, ndarrays, streams, events and stream_parallel, over Rill:

    import rill.quadrants as qd

    qd.init(arch=qd.cpu)
    x = qd.field(qd.f32, shape=(1024,))

    @qd.kernel
    def fill(value: qd.f32):
        for i in x:
            x[i] = value

    with qd.create_stream() as s:
        fill(42.0, qd_stream=s)

Streams and blocks are real on the CPU too. docs/python.md says what is different, and what is not there.
"""
import rill as _rill
from rill import (bf16, f16, f32, f64, i8, i16, i32, i64, stream_parallel, u8, u16, u32, u64)
from rill.quadrants import ad, lang, math, types
from rill.quadrants.lang import graph, impl as _impl, snode as _snode
from rill.quadrants.lang.decompose import make_spd, polar_decompose, solve, svd, sym_eig
from rill.quadrants.lang.exception import (QuadrantsCompilationError, QuadrantsRuntimeError, QuadrantsSyntaxError)
from rill.quadrants.lang.field import Field, Ndarray, field, ndarray
from rill.quadrants.lang.kernel import (abs, acos, asin, atan2, atomic_add, atomic_and, atomic_cas, atomic_exchange, atomic_max,
                                        atomic_min, atomic_mul, atomic_or, atomic_sub, atomic_xor, bit_shr, cast, ceil, cos,
                                        data_oriented, exp, floor, func, grouped, kernel, log, loop_config, max, min, ndrange, one, pow,
                                        pyfunc, randn, random, raw_div, raw_mod, round, rsqrt, select, sign, sin, sqrt, static,
                                        static_assert, static_print, tan, tanh, template, zero)
from rill.quadrants.lang.matrix import Matrix, Vector
from rill.quadrants.lang.snode import FieldsBuilder, SNode, axes, root
from rill.quadrants.lang.stream import Event, Stream, create_event, create_stream
from rill.quadrants.lang.struct import Structs as Struct, dataclass

u1 = _rill.bool_
float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64 = (
    f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64)
uint1 = u1
i, j, k, l, ij, ik, il, jk, jl, kl, ijk, ijl, ikl, jkl, ijkl = _snode.axes_by_name.values()
cpu, x64, arm64, cuda, amdgpu, gpu, vulkan, metal, opengl = map(
    _impl.Arch, ("cpu", "cpu", "cpu", "cuda", "amdgpu", "auto", "vulkan", "metal", "opengl"))
Template = _rill.template
graph_do_while, graph_parallel_context, graph_parallel = graph.do_while, graph.parallel_context, graph.parallel
pi, e = 3.141592653589793, 2.718281828459045


def init(arch=None, *, default_fp=f32, default_ip=i32, debug=False, cpu_max_num_threads=0, random_seed=0, **others):
    """Opens the device: qd.cpu, qd.cuda, qd.amdgpu or qd.gpu. debug=True checks indices. Options that Rill has no use for
    (a cache, an advanced optimisation) are accepted and do nothing; a type of numbers other than i32 and i64, f32 and f64
    is refused."""
    if arch in (vulkan, metal, opengl):
        raise QuadrantsRuntimeError(f"Rill has no back end for '{arch}': qd.gpu is the best device that it serves here")
    if default_fp not in (f32, f64) or default_ip not in (i32, i64):
        raise QuadrantsRuntimeError("default_fp is qd.f32 or qd.f64, default_ip qd.i32 or qd.i64")
    _impl.start(arch or "auto", debug, cpu_max_num_threads, default_ip, default_fp, random_seed)


def reset():
    """Waits for all work and gives everything back: fields, kernels, streams."""
    _impl.stop()


def sync():
    """Waits for every stream; Quadrants waits for the default stream."""
    _impl.context().sync()


_MISSING = {"windows and textures are for other libraries: x.to_numpy() has the picture": (
    "GUI", "ui", "Texture", "tools"), "there are no sparse fields": ("activate", "deactivate", "is_active", "append", "sparse"),
    "there are no derivatives": ("stop_grad",), "there are no warps and no shared memory to program": ("simt", "block_local"),
    "sparse matrices and solvers are SciPy's and others'": ("linalg", "sparse_matrix_builder", "eig")}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    reason = next((words for words, names in _MISSING.items() if name in names), "docs/python.md lists what there is")
    raise AttributeError(f"rill.quadrants has no '{name}': {reason}")

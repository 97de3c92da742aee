"""The one context that a program for Quadrants has, from qd.init() to qd.reset()."""
import types

import rill
from rill.quadrants.lang.exception import QuadrantsRuntimeError

_context = None
tapes: list = []  # that were entered
_config = None


class Arch(str):
    """qd.cpu, qd.cuda: a string, with the name that an enumeration would have."""

    @property
    def name(self):
        return {"cpu": "x64"}.get(self, str(self))


class Program:
    """What Quadrants tells of its last launch. Rill decides by itself what becomes a graph, and does not count them so."""

    last_kernel = None

    def get_num_offloaded_tasks_on_last_call(self):
        """Tasks of the kernel: one that Rill made of several loops counts once."""
        return self.last_kernel.task_count if self.last_kernel is not None else 0

    def _of_graphs(self):
        if _config.arch != "cpu":
            raise NotImplementedError("rill.quadrants does not tell which launches were graphs, nor of how many nodes: "
                                      "`rill.open(graphs=…)` and the trace do")
        return 0

    def get_graph_cache_size(self):
        return self._of_graphs()

    def get_graph_num_nodes_on_last_call(self):
        return self._of_graphs()

    def get_graph_total_builds(self):
        return self._of_graphs()

    def get_graph_cache_used_on_last_call(self):
        return bool(self._of_graphs())


runtime = types.SimpleNamespace(prog=Program())


def get_runtime():
    context()
    return runtime


def number_type(dtype):
    """int and float as qd.init() has them, and before it i32 and f32."""
    if dtype is int:
        return _config.default_ip if _config is not None else rill.i32
    if dtype is float:
        return _config.default_fp if _config is not None else rill.f32
    return dtype


def next_seed():
    """What makes the random numbers of a launch others than those of the launch before."""
    _config.launch_count += 1
    return (_config.random_seed * 0x9E3779B97F4A7C15 + _config.launch_count * 0xD1342543DE82EF95) % 2 ** 64


def start(arch, debug, threads, default_ip, default_fp, seed):
    global _context, _config
    stop()
    _context = rill.open(arch if arch in ("cpu", "auto") or ":" in arch else f"{arch}:0", threads=threads)
    _config = types.SimpleNamespace(arch=Arch(_context.device.partition(":")[0]), debug=debug,
                                   default_ip=default_ip, default_fp=default_fp, random_seed=seed, launch_count=0)


def stop():
    global _context
    if _context is not None:
        context, _context = _context, None
        runtime.prog.last_kernel = None
        context.close()


def context():
    if _context is None or not _context.is_open:
        raise QuadrantsRuntimeError("qd.init() was not called")
    return _context


def current_cfg():
    """What qd.init() was given: arch, debug."""
    context()
    return _config

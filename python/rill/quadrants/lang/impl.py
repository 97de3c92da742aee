"""The one context that a program for Quadrants has, from qd.init() to qd.reset()."""
import types

import rill
from rill.quadrants.lang.exception import QuadrantsRuntimeError

_context = None
_config = None


def start(arch, debug, threads):
    global _context, _config
    stop()
    _context = rill.open(arch if arch in ("cpu", "auto") or ":" in arch else f"{arch}:0", threads=threads)
    _config = types.SimpleNamespace(arch=_context.device.partition(":")[0], debug=debug)


def stop():
    global _context
    if _context is not None:
        context, _context = _context, None
        context.close()


def context():
    if _context is None or not _context.is_open:
        raise QuadrantsRuntimeError("qd.init() was not called")
    return _context


def current_cfg():
    """What qd.init() was given: arch, debug."""
    context()
    return _config

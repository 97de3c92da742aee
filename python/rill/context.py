"""Contexts: a device that was opened, and what is made on it."""
import atexit
import os
import sys
import types as _types
import weakref

from rill import _core, array as _array, types
from rill.array import Array
from rill.errors import Error, InvalidError
from rill.module import Module
from rill.stream import Event, Stream

_open_contexts = weakref.WeakSet()
_default = None
_opened_for_memory = []  # contexts that nobody opened by name
_GRAPHS = {"auto": 0, "on": 1, "off": 2}
_ORDERS = {"manual": 0, "auto": 1}
_CAPABILITIES = {"graphs": 0, "conditions": 1, "pools": 2, "binaries": 3, "peers": 4}


def _to_stdout(text):
    if sys.stdout is not None:
        sys.stdout.write(text)


class Context(_core.Context):
    """A device that was opened, and everything made on it. rill.open() makes one; `with rill.open() as ctx:` closes it at
    the end, which waits for its work."""

    def __new__(cls, device="auto", *, threads=0, graphs="auto", order="manual", pool_cap=0, cache=None, log=None,
                print=_to_stdout):
        for name, value, known in (("graphs", graphs, _GRAPHS), ("order", order, _ORDERS)):
            if value not in known:
                raise InvalidError(f"{name} is {value!r}, and must be one of {', '.join(known)}")
        self = super().__new__(cls, device, threads=threads, graphs=_GRAPHS[graphs], order=_ORDERS[order],
                               pool_cap=pool_cap, cache=None if cache is None else os.fspath(cache), log=log, print=print)
        self._pid = os.getpid()
        kind, _, number = self.device.partition(":")
        self._gpu = int(number) if kind == "cuda" else -1
        _open_contexts.add(self)
        return self

    def __repr__(self):
        return f"<rill.Context {self.device}>" if self.is_open else "<rill.Context, closed>"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
            return
        try:  # what is on its way says more than what it led to
            self.close()
        except Error:
            pass

    def close(self):
        """Waits for the context's work and destroys all that was made on it. Raises a failure of that work that no call has
        raised yet. Closing twice does nothing."""
        self.__dict__.pop("_scripts", None)  # kernels in Python that were compiled for it, which hold it
        super().close()

    # ---- kernels ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _options(defines=None, include_dirs=(), headers=None, contract=True, check_bounds=False, check_races=False,
                 fast_math=False):
        return {"defines": {str(k): str(int(v) if isinstance(v, bool) else v) for k, v in (defines or {}).items()},
                "include_dirs": [os.fspath(d) for d in include_dirs], "headers": dict(headers or {}),
                "contract_off": not contract, "check_bounds": check_bounds, "check_races": check_races,
                "fast_math": fast_math}

    def module(self, text, *, path=None, **options):
        """Compiles C text. Options: path (shown in messages; its folder is searched for includes), defines, headers
        (dictionaries), include_dirs, contract=False, check_bounds=True, check_races=True,
        fast_math=True."""
        return Module(self, text, None if path is None else os.fspath(path), self._options(**options))

    def load(self, path, **options):
        """Compiles a file; the options of module()."""
        return Module(self, None, os.fspath(path), self._options(**options))

    def kernel(self, text, name=None, **options):
        """Compiles C text and looks up its kernel |name|, or the only one."""
        return self.module(text, **options).kernel(name)

    # ---- arrays -------------------------------------------------------------------------------------------------------

    def zeros(self, shape, dtype="f32"):
        """A new array, all zero."""
        return Array._make(self, shape, dtype)

    def array(self, values, dtype=None):
        """A new array with a copy of |values|: a buffer, nested lists, an array of another library."""
        view, dtype, shape = _array.take(values, None if dtype is None else types.dtype(dtype))
        made = Array(self, dtype.number, dtype.size, tuple(shape), dtype)
        if made.size > 0:
            with Stream(self) as filling:  # waits: a write on the current stream would be behind what is queued there
                made._write(view, 0, made.size, filling)
        return made

    def wrap(self, values):
        """An array over memory of others, without a copy: a writable buffer in one piece on the CPU, on a GPU what has
        __cuda_array_interface__. It is kept until Rill no longer uses it."""
        interface = getattr(values, "__cuda_array_interface__", None)
        if interface is not None and self.device != "cpu":
            import numpy
            dtype = types.dtype(numpy.dtype(interface["typestr"]))
            shape, strides = tuple(interface["shape"]), interface.get("strides")
            if strides is not None and tuple(strides) != _steps(shape, dtype.size):
                raise InvalidError("the array is not in one piece: pass a contiguous copy")
            return Array._wrap(self, values, interface["data"][0], dtype.number, dtype.size, shape, dtype)
        if self.device != "cpu":
            raise InvalidError("on a GPU wrap() wants memory of the device (__cuda_array_interface__): array() copies")
        view = memoryview(values)
        if not view.c_contiguous or view.readonly:
            raise InvalidError(f"the memory is {'read-only' if view.readonly else 'not in one piece'}: array() copies it")
        dtype = types.of_format(view.format, view.itemsize)
        dtype = types.dtype(values.dtype) if dtype is None else dtype
        return Array._wrap(self, values, None, dtype.number, dtype.size, view.shape, dtype)

    # ---- streams ------------------------------------------------------------------------------------------------------

    def stream(self, priority=0, unordered=False):
        """A new stream; |priority| above 0: its work is taken before that of others; |unordered|: in a context with
        order="auto" events alone order it."""
        return Stream(self, priority, unordered=unordered)

    def event(self, timed=True):
        """A new event; not |timed| costs less, most of all on a GPU."""
        return Event(self, timed)

    def wrap_stream(self, native):
        """A stream that somebody else made: the driver's handle as a number, or what has it as cuda_stream (torch) or ptr
        (CuPy). It must live longer than what is queued."""
        for name in ("cuda_stream", "ptr"):
            native = getattr(native, name, native)
        return Stream(self, native=native)

    @property
    def default_stream(self):
        """The stream of what names none: a queue like the others."""
        return Stream(self, place=1)

    @property
    def current_stream(self):
        """The calling thread's current stream: the default stream, unless a scope has set another."""
        return Stream(self, place=2)

    # ---- counters -----------------------------------------------------------------------------------------------------

    @property
    def stats(self):
        """The counters of rill_stats, and kept_count: launches whose memory is still held."""
        values, parts = {}, {}
        for name, value in self._stats().items():
            part, dot, member = name.partition(".")
            if dot:
                parts.setdefault(part, {})[member] = value
            else:
                values[name] = value
        return _types.SimpleNamespace(**values, **{k: _types.SimpleNamespace(**v) for k, v in parts.items()})

    def has(self, capability):
        """Whether the device can: "graphs", "conditions", "pools", "binaries", "peers"."""
        if capability not in _CAPABILITIES:
            raise InvalidError(f"{capability!r} is no capability: {', '.join(_CAPABILITIES)}")
        return self._has(_CAPABILITIES[capability])


def _steps(shape, size):
    steps = []
    for extent in reversed(shape):
        steps.insert(0, size)
        size *= extent
    return tuple(steps)


def open(device="auto", **options):
    """Opens a device: "cpu", "cuda:0", "amdgpu:1", or "auto", the best there is (RILL_DEVICE overrides "auto"). Options:
    threads (CPU), graphs ("auto", "on", "off"; GPUs), order ("manual": events order streams; "auto": Rill does, by what work
    touches), pool_cap, cache (a folder, or "off"), log(level, text), print(text): what kernels print, to
    sys.stdout if nothing is said, None: to C's."""
    return Context(device, **options)


def set_default(context):
    """What default() returns from now on; None: as it was."""
    global _default
    _default = context


def default():
    """The context that is used where none is named: what set_default() has set; else the only one that is open; else one
    that is opened now, by open()."""
    global _default
    if _default is not None and _default.is_open:
        return _default
    contexts = [c for c in _open_contexts if c.is_open and c._pid == os.getpid()]
    if len(contexts) > 1:
        raise InvalidError(f"{len(contexts)} contexts are open: name one, or rill.set_default() one")
    if contexts:
        return contexts[0]
    _default = open()
    return _default


def of_gpu(number):
    """A context of the NVIDIA GPU that memory lies on: the default one, another that is open, or one that is opened now."""
    if _default is not None and _default._gpu == number and _default.is_open:
        return _default
    contexts = [c for c in _open_contexts if c.is_open and c._pid == os.getpid() and c._gpu == number]
    if len(contexts) > 1:
        raise InvalidError(f"{len(contexts)} contexts of cuda:{number} are open: pass stream=, or rill.set_default() one")
    if not contexts:
        contexts = [open(f"cuda:{number}")]
        _opened_for_memory.append(contexts[0])
    return contexts[0]


class Device:
    """What rill.devices() lists: a name that open() takes, a description, CPU threads, bytes of memory."""

    def __init__(self, name, description, threads, memory):
        self.name, self.description, self.threads, self.memory = name, description, threads, memory

    def __repr__(self):
        return f"<{self.name}: {self.description}>"


def devices():
    """The devices of this machine that this build can use, best first."""
    return [Device(*item) for item in _core.devices()]


@atexit.register
def _close_all():
    """A program may end with work in flight: it is waited for here, as long as there is a Python for its callbacks."""
    for context in list(_open_contexts):
        if context.is_open and context._pid == os.getpid():
            try:
                context.close()
            except Error as error:
                print(f"rill: {error}", file=sys.stderr)

"""Rill from Python, by ctypes alone: kernels in C, on the memory of NumPy arrays, array.array, bytearray and the like.

    import rill
    with rill.Context("cpu") as ctx:
        saxpy = ctx.module('''
            #include <rill/kernel.h>
            kernel void saxpy(long n, float a, const float x[n], float y[n])
            { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
        ''').saxpy
        saxpy(len(y), 2, x, y)                      # returns at once
        ctx.synchronize()                           # now y has the result

Whatever has Python's buffer interface and lies in one piece may be an argument. On the CPU a kernel works on that memory
itself, without a copy; on a GPU it is uploaded and downloaded in stream order. A buffer that is read-only fits a `const`
parameter. It is kept alive, and must not be touched, until its stream has been synchronised. Memory that stays on the
device is an Array. A struct by value is a buffer of its size too: a ctypes.Structure, a NumPy record, bytes. A failing
call raises rill.Error, with the call's own words.

librill.so is looked for where RILL_LIBRARY says, in the archive or the build that this file lies in (../../lib,
../../build/release/lib), then by the loader.
"""
import contextlib
import ctypes
import os
import pathlib
import struct

INT, UINT, FLOAT, ARRAY, HOST, STRUCT = 1, 2, 3, 4, 6, 7
KIND_SCALAR, KIND_RECORD = 1, 2
# The element types by Rill's number: the letter of struct and memoryview, and the bytes.
TYPES = {1: "?", 2: "b", 3: "B", 4: "h", 5: "H", 6: "i", 7: "I", 8: "q", 9: "Q", 10: "f", 11: "d"}
NAMES = {"bool": 1, "i8": 2, "u8": 3, "i16": 4, "u16": 5, "i32": 6, "u32": 7, "i64": 8, "u64": 9, "f32": 10, "f64": 11}
NUMBERS = {letter: number for number, letter in TYPES.items()} | {"l": 8, "L": 9, "n": 8, "N": 9, "c": 2}
NOT_FOUND, NOT_READY = -10, -21


class _Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("u", ctypes.c_uint64), ("f", ctypes.c_double), ("pointer", ctypes.c_void_p)]


class _Arg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("type", ctypes.c_int32), ("value", _Value), ("count", ctypes.c_uint64),
                ("size", ctypes.c_uint64)]


class _Args(ctypes.Structure):
    _fields_ = [("items", ctypes.POINTER(_Arg)), ("count", ctypes.c_size_t)]


class _Shape(ctypes.Structure):
    _fields_ = [("extents", ctypes.c_int64 * 16), ("rank", ctypes.c_int32)]


class _Define(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _ModuleOptions(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("defines", ctypes.POINTER(_Define)), ("define_count", ctypes.c_size_t),
                ("include_dirs", ctypes.POINTER(ctypes.c_char_p)), ("include_dir_count", ctypes.c_size_t),
                ("headers", ctypes.POINTER(_Define)), ("header_count", ctypes.c_size_t), ("target", ctypes.c_char_p),
                ("sanitize", ctypes.c_char_p), ("contract_off", ctypes.c_bool), ("check_bounds", ctypes.c_bool),
                ("fast_math", ctypes.c_bool), ("color", ctypes.c_bool), ("diagnostics", ctypes.c_void_p),
                ("after", ctypes.c_char_p)]


class _StreamOptions(ctypes.Structure):
    _fields_ = [("priority", ctypes.c_int)]


class _TypeInfo(ctypes.Structure):  # its beginning
    _fields_ = [("kind", ctypes.c_int), ("type", ctypes.c_int), ("name", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _KernelInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_uint32),
                ("param_count", ctypes.c_size_t), ("task_count", ctypes.c_size_t),
                ("returns", ctypes.POINTER(_TypeInfo))]


class _ParamInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("is_array", ctypes.c_bool), ("is_const", ctypes.c_bool),
                ("rank", ctypes.c_int32), ("type", ctypes.POINTER(_TypeInfo))]


class _Buffer(ctypes.Structure):  # Py_buffer
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


class Error(RuntimeError):
    """A call that failed: its code, and its message as the text."""

    def __init__(self, status):
        super().__init__(_rill.rill_message().decode())
        self.status = status
        self.name = _rill.rill_status_name(status).decode()


class MissingError(Error, AttributeError):
    """A module has no kernel of that name: hasattr() is then False, as for every other attribute."""


def _load():
    root = pathlib.Path(__file__).resolve().parents[2]
    beside = [str(path) for path in (root / "lib/librill.so", root / "build/release/lib/librill.so") if path.exists()]
    library = ctypes.CDLL(os.environ.get("RILL_LIBRARY") or (beside + ["librill.so"])[0])
    handle, text, out, size, memory = (ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64),
                                       ctypes.c_size_t, ctypes.c_void_p)
    for call, types in {"rill_open": [text, memory, out], "rill_close": [handle], "rill_sync": [handle],
                        "rill_module_create": [handle, text, memory, out], "rill_module_kernel": [handle, text, out],
                        "rill_module_load": [handle, text, memory, out], "rill_module_destroy": [handle],
                        "rill_field_read": [handle, text, handle, memory, size],
                        "rill_field_write": [handle, text, handle, memory, size],
                        "rill_kernel_describe": [handle, ctypes.POINTER(_KernelInfo)],
                        "rill_kernel_param": [handle, size, ctypes.POINTER(_ParamInfo)],
                        "rill_stream_create": [handle, memory, out], "rill_stream_destroy": [handle],
                        "rill_stream_destroy_later": [handle],
                        "rill_stream_synchronize": [handle], "rill_stream_query": [handle],
                        "rill_stream_wait": [handle, handle],
                        "rill_stream_clear_error": [handle], "rill_event_create": [handle, memory, out],
                        "rill_event_destroy": [handle], "rill_event_record": [handle, handle],
                        "rill_event_wait": [handle, handle], "rill_event_synchronize": [handle],
                        "rill_event_query": [handle],
                        "rill_event_elapsed": [handle, handle, ctypes.POINTER(ctypes.c_double)],
                        "rill_array_create": [handle, ctypes.c_int, _Shape, out], "rill_array_destroy": [handle],
                        "rill_array_read": [handle, handle, memory, size],
                        "rill_array_write": [handle, handle, memory, size],
                        "rill_array_read_at": [handle, handle, size, memory, size],
                        "rill_array_write_at": [handle, handle, size, memory, size], "rill_launch": [handle, handle, _Args],
                        "rill_call": [handle, handle, _Args, memory, size], "rill_status_name": [ctypes.c_int]}.items():
        getattr(library, call).argtypes = types
    library.rill_message.restype = library.rill_status_name.restype = text
    library.rill_default_stream.argtypes, library.rill_default_stream.restype = [handle], handle
    return library


_rill = _load()


def _check(status):
    if status != 0:
        raise Error(status)


def _made(call, *args):
    handle = ctypes.c_uint64()
    _check(call(*args, ctypes.byref(handle)))
    return handle.value


def _ready(status):
    if status not in (0, NOT_READY):
        raise Error(status)
    return status == 0


class _Held:
    """The memory of an object with Python's buffer interface, held until this object goes. It lies in one piece."""

    def __init__(self, value, writable=False):
        self.buffer = _Buffer()
        flags = 0x0008 | 0x0004 | writable  # PyBUF_ND, which means in one piece, and PyBUF_FORMAT
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(value), ctypes.byref(self.buffer), flags)
        self.is_held = True

    def __del__(self):
        if getattr(self, "is_held", False):
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self.buffer))


def _shape(extents):
    extents = (extents,) if isinstance(extents, int) else tuple(extents)
    return _Shape((ctypes.c_int64 * 16)(*extents), len(extents))


class _Owned:
    """Something of a context: what nobody has destroyed goes when Python lets go of it, without waiting."""

    _drop = None  # the call that does that

    def __init__(self, context, handle):
        self.context, self.handle, self._is_owned = context, handle, True

    def _let_go(self, call):
        self._is_owned = False
        _check(call(self.handle))

    def __del__(self):
        if getattr(self, "_is_owned", False) and self.context._is_open and _rill is not None:
            getattr(_rill, self._drop)(self.handle)


class Array(_Owned):
    """Memory of the device: zeros, or what |values|, a buffer, has. Every stream may use it at once."""

    _drop = "rill_array_destroy"

    def __init__(self, context, type, shape, values=None):
        self.letter = TYPES[NAMES[type]]
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        super().__init__(context, _made(_rill.rill_array_create, context._handle, NAMES[type], _shape(shape)))
        if values is not None:
            with Stream(context) as filling:  # waits: a write on the default stream would be behind what is queued there
                self.write(values, stream=filling)

    def __len__(self):
        return self.shape[0]

    @property
    def nbytes(self):
        size = struct.calcsize(self.letter)
        for extent in self.shape:
            size *= extent
        return size

    def write(self, values, stream=None):
        held = _Held(values)
        _check(_rill.rill_array_write(self.handle, self.context._stream(stream), held.buffer.buf, held.buffer.len))

    def read(self, out=None, stream=None):
        """What the array holds when |stream| has come this far: in |out|, a buffer, or as a memoryview of its shape."""
        if out is None:
            if self.nbytes == 0:
                return memoryview(b"").cast(self.letter)
            out = memoryview(bytearray(self.nbytes)).cast("B").cast(self.letter, self.shape)
        held = _Held(out, writable=True)
        _check(_rill.rill_array_read(self.handle, self.context._stream(stream), held.buffer.buf, held.buffer.len))
        return out

    def read_at(self, offset, stream=None):
        """One element, counted in flat order. Waits, as read() does."""
        value = ctypes.create_string_buffer(struct.calcsize(self.letter))
        _check(_rill.rill_array_read_at(self.handle, self.context._stream(stream), offset, value, 1))
        return struct.unpack(self.letter, value.raw)[0]

    def write_at(self, offset, value, stream=None):
        _check(_rill.rill_array_write_at(self.handle, self.context._stream(stream), offset,
                                         struct.pack(self.letter, value), 1))

    def destroy(self):
        self._let_go(_rill.rill_array_destroy)


class Stream(_Owned):
    """A queue of its own; |priority| above 0: taken before others. `with` destroys it at the end, which waits for its
    work."""

    _drop = "rill_stream_destroy_later"

    def __init__(self, context, priority=0):
        options = ctypes.byref(_StreamOptions(priority))
        super().__init__(context, _made(_rill.rill_stream_create, context._handle, options))

    def wait(self, other=None):
        """What is queued here from now on starts after what |other|, or the default stream, has so far."""
        _check(_rill.rill_stream_wait(self.handle, self.context._stream(other)))

    def synchronize(self):
        with self.context._letting_go(self.handle):
            _check(_rill.rill_stream_synchronize(self.handle))

    def query(self):
        """Whether everything queued so far has run."""
        return _ready(_rill.rill_stream_query(self.handle))

    def clear_error(self):
        _check(_rill.rill_stream_clear_error(self.handle))

    def destroy(self):
        with self.context._letting_go(self.handle):
            self._let_go(_rill.rill_stream_destroy)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()


class Event(_Owned):
    """A mark in a stream, for other streams and the host to wait for."""

    _drop = "rill_event_destroy"

    def __init__(self, context):
        super().__init__(context, _made(_rill.rill_event_create, context._handle, None))

    def record(self, stream=None):
        _check(_rill.rill_event_record(self.handle, self.context._stream(stream)))

    def wait(self, stream=None):
        """|stream|, or the default stream, goes on when the mark is reached. The host does not wait."""
        _check(_rill.rill_event_wait(self.handle, self.context._stream(stream)))

    def synchronize(self):
        _check(_rill.rill_event_synchronize(self.handle))

    def query(self):
        return _ready(_rill.rill_event_query(self.handle))

    def elapsed(self, end):
        """Milliseconds from this mark to that of |end|."""
        out = ctypes.c_double()
        _check(_rill.rill_event_elapsed(self.handle, end.handle, ctypes.byref(out)))
        return out.value

    def destroy(self):
        self._let_go(_rill.rill_event_destroy)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()


class Kernel:
    """Called with the kernel's arguments. `stream=` is where it runs: the context's default stream without it."""

    def __init__(self, context, handle):
        self.context, self._handle = context, handle
        info = _KernelInfo()
        _check(_rill.rill_kernel_describe(handle, ctypes.byref(info)))
        self.name, returns = info.name.decode(), info.returns.contents
        self._returns = TYPES[returns.type] if returns.kind == KIND_SCALAR else None
        self._params = [self._param(i) for i in range(info.param_count)]

    def _param(self, index):
        """Name, whether the kernel only reads it, whether it is a struct by value. Copies: the module may go."""
        info = _ParamInfo()
        _check(_rill.rill_kernel_param(self._handle, index, ctypes.byref(info)))
        is_struct = not info.is_array and info.type.contents.kind == KIND_RECORD
        return info.name.decode(), info.is_const, is_struct

    def _arguments(self, values, kept):
        items = (_Arg * max(len(values), 1))()
        for i, (item, value) in enumerate(zip(items, values)):
            name, is_const, is_struct = self._params[i] if i < len(self._params) else ("one too many", True, False)
            if is_struct and not isinstance(value, (int, float, Array)):
                held = self._held(name, value, False)
                item.kind, item.value.pointer, item.size = STRUCT, held.buffer.buf, held.buffer.len
                kept.append(held)
            elif isinstance(value, Array):
                item.kind, item.value.u = ARRAY, value.handle
            elif isinstance(value, float):
                item.kind, item.value.f = FLOAT, value
            elif isinstance(value, int) or (hasattr(value, "__index__") and not getattr(value, "shape", ())):
                value = int(value)
                if not -2**63 <= value < 2**64:
                    raise OverflowError(f"{self.name}: {value} has more than 64 bits")
                item.kind, item.value.u = (INT if value < 0 else UINT), value % 2**64
            elif hasattr(value, "__float__") and not getattr(value, "shape", ()):
                item.kind, item.value.f = FLOAT, float(value)
            else:
                kept.append(self._memory(item, self._held(name, value, not is_const)))
        return items

    def _held(self, name, value, writable):
        try:
            return _Held(value, writable)
        except (BufferError, TypeError, ValueError) as error:
            raise type(error)(f"{self.name}, parameter '{name}': {error}") from None

    def _memory(self, item, held):
        letter = (held.buffer.format or b"B").decode().lstrip("@=<")
        if letter not in NUMBERS and not letter.startswith("T{"):
            raise TypeError(f"{self.name}: elements of the format '{letter}' are no type of C's")
        item.kind, item.type = HOST, NUMBERS.get(letter, 0)  # 0: a struct, of which the size is looked at
        item.value.pointer, item.size = held.buffer.buf, held.buffer.itemsize
        item.count = held.buffer.len // max(held.buffer.itemsize, 1)
        return held

    def __call__(self, *values, stream=None):
        """Queues the kernel, and waits for it only if it returns a value."""
        kept = []
        args = _Args(self._arguments(values, kept), len(values))
        where = self.context._stream(stream)
        if self._returns is None:
            _check(_rill.rill_launch(self._handle, where, args))
            self.context._kept.setdefault(where, []).extend(kept)
            return None
        out = ctypes.create_string_buffer(struct.calcsize(self._returns))
        _check(_rill.rill_call(self._handle, where, args, out, len(out)))
        return struct.unpack(self._returns, out.raw)[0]


def _pairs(values):
    """The address and the number of (name, value) pairs, as text. A value of None is left NULL."""
    items = [(str(name).encode(), None if value is None else str(value).encode()) for name, value in values.items()]
    return (_Define * max(len(items), 1))(*items), len(items)


class Module:
    """A compiled text or file; its kernels are its attributes. |defines| and |headers| are dicts: macros, and the texts
    that an #include "name" finds. |path| is shown in messages, and includes are looked for beside it."""

    def __init__(self, context, text=None, path=None, defines=(), headers=(), include_dirs=(), check_bounds=False,
                 contract=True, fast_math=False):
        self.context = context
        dirs = (ctypes.c_char_p * max(len(include_dirs), 1))(*[os.fsencode(folder) for folder in include_dirs])
        options = _ModuleOptions(None if path is None else os.fsencode(path), *_pairs(dict(defines)), dirs,
                                 len(include_dirs), *_pairs(dict(headers)), None, None, not contract, check_bounds,
                                 fast_math)
        call, what = (_rill.rill_module_create, text.encode()) if text is not None else \
            (_rill.rill_module_load, os.fsencode(path))
        self._handle = _made(call, context._handle, what, ctypes.byref(options))

    def read_field(self, name, out, stream=None):
        """Puts what the field |name| holds, when |stream| has come this far, into |out|, a buffer."""
        held = _Held(out, writable=True)
        _check(_rill.rill_field_read(self._handle, name.encode(), self.context._stream(stream), held.buffer.buf,
                                     held.buffer.len))
        return out

    def write_field(self, name, values, stream=None):
        held = _Held(values)
        _check(_rill.rill_field_write(self._handle, name.encode(), self.context._stream(stream), held.buffer.buf,
                                      held.buffer.len))

    def __getattr__(self, name):
        if name.startswith("__") or name in ("context", "_handle"):
            raise AttributeError(name)  # what copy, pickle and the like look for is no kernel
        handle = ctypes.c_uint64()
        status = _rill.rill_module_kernel(self._handle, name.encode(), ctypes.byref(handle))
        if status == NOT_FOUND:
            raise MissingError(status)
        _check(status)
        kernel = Kernel(self.context, handle.value)
        setattr(self, name, kernel)
        return kernel

    def destroy(self):
        _check(_rill.rill_module_destroy(self._handle))


class Context:
    """One opened device. `with` closes it at the end, which waits for its work."""

    def __init__(self, device="auto"):
        self._kept = {}  # buffers in use, by stream
        self._handle = _made(_rill.rill_open, device.encode(), None)
        self._is_open = True
        self._default = _rill.rill_default_stream(self._handle)

    def _stream(self, stream):
        return self._default if stream is None else stream.handle

    @contextlib.contextmanager
    def _letting_go(self, *streams):
        """Around a wait for |streams|: lets go of the buffers that they had in use before it. What another thread queues
        meanwhile stays kept, and so does everything if the wait fails."""
        kept = [(stream, self._kept.pop(stream, [])) for stream in streams]
        try:
            yield
        except BaseException:
            for stream, buffers in kept:
                self._kept.setdefault(stream, []).extend(buffers)
            raise

    def module(self, text, **options):
        return Module(self, text, **options)

    def load(self, path, **options):
        """The same for a file."""
        return Module(self, path=path, **options)

    def array(self, type, shape, values=None):
        return Array(self, type, shape, values)

    def stream(self, priority=0):
        return Stream(self, priority)

    def event(self):
        return Event(self)

    def synchronize(self):
        """Waits for every stream."""
        with self._letting_go(*list(self._kept)):
            _check(_rill.rill_sync(self._handle))

    def close(self):
        self._is_open = False
        _check(_rill.rill_close(self._handle))
        self._kept.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

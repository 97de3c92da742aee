"""Arrays: memory of a device, made, sliced, read and given to other libraries."""
from rill import _core, types
from rill.errors import InvalidError, UnsupportedError


def _extents(shape):
    try:
        return (shape.__index__(),)
    except AttributeError:
        return tuple(shape)


def _count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def _flatten(values, shape, dtype, out):
    """Packs nested lists into |out|; every level has the length that the first one at that depth had."""
    if not shape:
        out += dtype.pack(values)
        return
    if not hasattr(values, "__len__") or len(values) != shape[0]:
        raise ValueError(f"the lists are not of one shape: {values!r} was found where {shape[0]} values must stand")
    for value in values:
        _flatten(value, shape[1:], dtype, out)


def _shape_of_lists(values):
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        if not values:
            break
        values = values[0]
    return tuple(shape), values


def _is_buffer(values):
    try:
        memoryview(values).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def take(values, dtype=None):
    """A buffer in one piece, its element type and its shape, of whatever |values| are."""
    if isinstance(values, Array):
        values = values.numpy()
    if not _is_buffer(values) and (hasattr(values, "__dlpack__") or hasattr(values, "__array__")):
        import numpy
        values = numpy.ascontiguousarray(values if hasattr(values, "__array__") else numpy.from_dlpack(values))
    if _is_buffer(values):
        view = memoryview(values)
        found = types.of_format(view.format, view.itemsize)
        if found is None:
            found = types.dtype(values.dtype) if hasattr(values, "dtype") else dtype
        if found is None:
            raise TypeError(f"Rill has no elements of format {view.format!r}")
        if dtype is not None and found != dtype and not (dtype.number == 0 and found.size == dtype.size):
            raise TypeError(f"the values are {found.name}, and the array's elements {dtype.name}: convert them first")
        shape = view.shape
        if not view.c_contiguous:
            view = memoryview(view.tobytes())
        return view, dtype or found, shape
    shape, first = _shape_of_lists(values)
    if dtype is None:
        dtype = types.dtype(bool if isinstance(first, bool) else float if isinstance(first, float) else int)
        if dtype.name == "i64" and any(isinstance(v, float) for v in _leaves(values)):
            dtype = types.dtype(float)
    out = bytearray()
    _flatten(values, shape, dtype, out)
    return memoryview(out), dtype, shape


def _leaves(values):
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


class _Shared(_core.Export):
    """What other libraries hold of an array's memory."""


array_types = set()  # Array, and what is derived of it


class Array(_core.Array):
    """Memory of a device: a dtype and a shape. It may be used on any stream as soon as it exists, and let go of at any
    time: the memory goes back when the work that uses it is done.

    a[2:5], a[1] are views of the same memory, wherever that lies in one piece; a[i, j] with every index given is one
    element, which waits. numpy() and read() copy, in the order of a stream (the current one), and wait. On the CPU
    numpy.asarray(a) is the memory itself; DLPack and __cuda_array_interface__ give it to torch, JAX and CuPy.
    """

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        array_types.add(cls)

    @classmethod
    def _make(cls, context, shape, dtype):
        dtype = types.dtype(dtype)
        return cls(context, dtype.number, dtype.size, _extents(shape), dtype)

    def __repr__(self):
        if self.id == 0:
            return "<rill.Array, destroyed>"
        return f"<rill.Array {self.dtype.name}{list(self.shape)} on {self.context.device}>"

    @property
    def ndim(self):
        """How many extents there are."""
        return len(self.shape)

    @property
    def size(self):
        """How many elements there are."""
        return _count(self.shape)

    @property
    def strides(self):
        """Bytes from one element to the next along each extent, as NumPy has them."""
        strides, step = [], self.itemsize
        for extent in reversed(self.shape):
            strides.append(step)
            step *= extent
        return tuple(reversed(strides))

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without extents has no length")
        return self.shape[0]

    def __iter__(self):
        return iter(self.numpy()) if self.ndim > 1 else iter(self.tolist())

    # ---- views --------------------------------------------------------------------------------------------------------

    def _place(self, key):
        """Offset and shape of what |key| selects; None for the shape of one element."""
        keys = key if isinstance(key, tuple) else (key,)
        if any(k is Ellipsis for k in keys):
            at = next(i for i, k in enumerate(keys) if k is Ellipsis)
            keys = keys[:at] + (slice(None),) * (self.ndim - len(keys) + 1) + keys[at + 1:]
        if len(keys) > self.ndim:
            raise IndexError(f"{len(keys)} indices for an array of {self.ndim} extents")
        offset, shape, is_one = 0, [], True  # whether everything selected so far is one row
        keys += (slice(None),) * (self.ndim - len(keys))
        for axis, (k, extent) in enumerate(zip(keys, self.shape)):
            offset *= extent
            if isinstance(k, slice):
                start, stop, step = k.indices(extent)
                length = len(range(start, stop, step))
                if step != 1 and length > 1 or not is_one and length != extent:
                    raise InvalidError(f"index {k} of extent {axis} selects memory in pieces, and a view lies in one: "
                                       "copy by numpy(), or pass offsets to the kernel")
                offset += start if length else 0
                shape.append(length)
                is_one = is_one and length == 1
            else:
                try:
                    index = k.__index__()
                except AttributeError:
                    raise TypeError(f"an index of an array is an integer or a slice, and this is {k!r}") from None
                if not -extent <= index < extent:
                    raise IndexError(f"index {index} is out of range for extent {axis} of {extent}")
                if not is_one:
                    raise InvalidError(f"index {index} of extent {axis} behind a slice selects memory in pieces, and a "
                                       "view lies in one: copy by numpy(), or pass offsets to the kernel")
                offset += index % extent
        return offset, tuple(shape)

    def __getitem__(self, key):
        offset, shape = self._place(key)
        if shape:
            return self._view(offset, shape)
        raw = bytearray(self.itemsize)
        self._read(raw, offset, 1, None)
        return self.dtype.unpack(raw)

    def __setitem__(self, key, value):
        offset, shape = self._place(key)
        if not shape:
            self._write(self.dtype.pack(value), offset, 1, None)
            return
        view = self._view(offset, shape)
        if isinstance(value, Array):
            view.copy_from(value)
        elif isinstance(value, (list, tuple)) or (_is_buffer(value) and memoryview(value).ndim > 0):
            view.write(value)
        else:
            view.fill(value)

    def reshape(self, *shape):
        """A view of the same elements in another shape; one extent may be -1."""
        shape = _extents(shape[0]) if len(shape) == 1 else shape
        if shape.count(-1) == 1:
            rest = _count(s for s in shape if s != -1)
            shape = tuple(self.size // rest if s == -1 and rest else s for s in shape)
        if _count(shape) != self.size:
            raise InvalidError(f"an array of {self.size} elements has no shape {shape}")
        return self._view(0, shape)

    # ---- copies -------------------------------------------------------------------------------------------------------

    def read(self, out=None, stream=None):
        """What the array holds when |stream| has come this far: in |out|, a writable buffer in one piece, or as a
        memoryview of its shape (of bytes, for structs and floats of 16 bits). Waits."""
        if out is None:
            out = memoryview(bytearray(self.nbytes))
            if self.size > 0 and self.dtype.is_plain:
                self._read(out, 0, self.size, stream)
                return out.cast(self.dtype.letter, self.shape)
        if self.size > 0:
            self._read(out, 0, self.size, stream)
        return out

    def write(self, values, stream=None):
        """Copies |values|, a buffer or nested lists of this shape, in the order of |stream|."""
        view, _, shape = take(values, self.dtype)
        if tuple(shape) != self.shape:
            raise InvalidError(f"values of shape {tuple(shape)} were given for an array of shape {self.shape}")
        if self.size > 0:
            self._write(view, 0, self.size, stream)

    def numpy(self, stream=None):
        """A NumPy array with a copy. Waits."""
        import numpy
        out = numpy.empty(self.shape, self.dtype.numpy)
        if self.size > 0:
            self._read(out.view(numpy.uint8) if self.dtype.number == 0 or not self.dtype.letter else out, 0, self.size,
                       stream)
        return out

    def tolist(self, stream=None):
        """Nested lists of Python's numbers. Waits."""
        return self.read(stream=stream).tolist() if self.dtype.is_plain and self.size else self.numpy(stream).tolist()

    def fill(self, value, stream=None):
        """Sets every element. Does not wait."""
        self._fill(self.dtype.pack(value), stream)

    def copy(self, stream=None):
        """A new array with the same elements. Does not wait."""
        twin = type(self)(self.context, self.dtype.number, self.itemsize, self.shape, self.dtype)
        twin._copy(self, stream)
        return twin

    def copy_from(self, source, stream=None, source_stream=None):
        """Copies |source|, an array of the same shape and elements, of this context or another's: then it waits until
        the source has been read."""
        if source.shape != self.shape or source.dtype != self.dtype:
            raise InvalidError(f"a {source.dtype.name}{list(source.shape)} was given for a "
                               f"{self.dtype.name}{list(self.shape)}")
        self._copy(source, stream, source_stream)

    # ---- for others ---------------------------------------------------------------------------------------------------

    def _share(self):
        """What keeps the memory, also behind destroy() and close(), as long as this object or its holder lives."""
        if self.__dict__.get("_shared") is None:
            self._shared = self._export()
        return self._shared

    def _dlpack_device(self):
        name, _, number = self.context.device.partition(":")
        kind = {"cpu": 1, "cuda": 2, "amdgpu": 10, "hip": 10}.get(name, 1)
        return kind, int(number or 0) if kind != 1 else 0

    @property
    def __array_interface__(self):
        if self.context.device != "cpu":
            raise AttributeError("the memory is not the host's: use numpy()")
        shared = self._share()
        self.context.current_stream.synchronize()
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.numpy.str, "descr": self.dtype.numpy.descr,
                "data": (shared.address, False), "strides": None}

    def __array__(self, dtype=None, copy=None):
        if copy is False and self.context.device != "cpu":
            raise ValueError("the memory is not the host's: NumPy gets a copy")
        import numpy
        if self.context.device == "cpu" and copy is not True:
            values = numpy.asarray(self)
        else:
            values = self.numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    @property
    def __cuda_array_interface__(self):
        if not self.context.device.startswith("cuda"):
            raise AttributeError("the memory is not an NVIDIA GPU's")
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.numpy.str, "strides": None,
                "data": (self._share().address, False), "stream": self.context.current_stream.native or 1}

    def __dlpack_device__(self):
        return self._dlpack_device()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        kind, number = self._dlpack_device()
        if copy:
            return self.copy().__dlpack__(stream=stream, dl_device=dl_device)
        if dl_device is not None and tuple(dl_device) != (kind, number):
            raise BufferError("the memory lies on another device: use copy_from() or numpy()")
        if self.dtype.number == 0:
            raise UnsupportedError("DLPack has no structs: use numpy()")
        shared = self._share()
        current = self.context.current_stream
        if kind == 1:
            current.synchronize()
        elif stream != -1:
            theirs = self.context.wrap_stream(0 if stream in (None, 0, 1) else stream)
            if theirs.id != current.id:
                theirs.wait(current)
        return shared._dlpack(kind, number)


array_types.add(Array)

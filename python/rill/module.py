"""Modules and the kernels in them."""
from rill import _core, types
from rill.errors import Diagnostic, NotFoundError

_EMIT = {"ir": 0, "plan": 1, "llvm": 2, "asm": 3, "openmp": 4}


class _Doc:
    """What help() shows: of the class a text, of a kernel its signature in C."""

    def __init__(self, text):
        self.text = text

    def __get__(self, kernel, kind=None):
        return self.text if kernel is None else kernel.prototype


class Kernel(_core.Kernel):
    __doc__ = _Doc("""A kernel. Called with the values of its parameters, by place or by name, it queues the work on `stream=`, or the
    current stream, and returns at once; a kernel that returns a value is waited for. launch() never waits, call() always
    does.

    An array parameter takes a rill.Array, or memory of others in one piece: NumPy arrays and whatever has the buffer
    protocol, torch tensors, DLPack, __cuda_array_interface__. It is used in place where the device can, and kept alive
    until the work is done.
    """)

    def __repr__(self):
        return f"<rill.Kernel {self.prototype}>"

    @property
    def prototype(self):
        """The signature as C has it."""
        parts = []
        for name, is_array, is_const, rank, _, c_name, _, has_default in self._params:
            text = f"{'const ' if is_array and is_const else ''}{c_name} " + (
                f"*{name}" if is_array and rank == 0 else name + "[]" * rank)
            parts.append(text + (f" = {self._default(name)!r}" if has_default else ""))
        return f"{self._info[4]} {self.name}({', '.join(parts)})"

    @property
    def __signature__(self):
        import inspect
        kinds = inspect.Parameter
        params = []
        for name, is_array, _, rank, number, c_name, _, has_default in self._params:
            dtype = types.BY_NUMBER.get(number)
            hint = c_name if dtype is None else types.ArrayType(dtype, max(rank, 1)) if is_array else dtype
            params.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, annotation=hint,
                                default=self._default(name) if has_default else kinds.empty))
        if any(p.default is not kinds.empty and q.default is kinds.empty for p, q in zip(params, params[1:])):
            params = [p.replace(kind=kinds.KEYWORD_ONLY) if p.default is not kinds.empty else p for p in params]
            params.sort(key=lambda p: p.kind)
        names = {p.name for p in params}
        if "stream" not in names:
            params.append(kinds("stream", kinds.KEYWORD_ONLY, default=None))
        return inspect.Signature(params, return_annotation=self.returns)

    @property
    def __name__(self):
        return self.name

    @property
    def returns(self):
        """The type that it returns, or None."""
        kind, c_name = self._info[3:]
        if kind == 0:
            return None
        return next((t for t in types.BY_NUMBER.values() if t.c_name == c_name), c_name)

    @property
    def file(self):
        """The file that it stands in."""
        return self._info[0]

    @property
    def line(self):
        """The line of its head."""
        return self._info[1]

    @property
    def task_count(self):
        """The tasks that its loops became."""
        return self._info[2]

    @property
    def context(self):
        """The context that it was compiled for."""
        return self.module.context

    def with_defaults(self, **values):
        """The same kernel, with values for parameters that a call does not name."""
        twin = type(self)(self.module, self.name)
        for name, *_, has_default in self._params:
            if has_default:
                twin._set_default(name, self._default(name))
        for name, value in values.items():
            twin._set_default(name, value)
        return twin

    def explain(self):
        """What Rill found in its module: control, tasks, each loop's verdict."""
        return self.module.explain()


class Module(_core.Module):
    """A compiled kernel file: its kernels are its attributes, module.saxpy(n, 2.0, x, y), and items, module["saxpy"]."""

    def __repr__(self):
        return f"<rill.Module {', '.join(self.kernels)}>" if self.id else "<rill.Module, destroyed>"

    @property
    def kernels(self):
        """The names of its kernels, in the order of the source."""
        return tuple(self._kernel_names())

    @property
    def diagnostics(self):
        """What the compiler said: warnings and notes."""
        return [Diagnostic(*item) for item in self._diagnostics]

    def kernel(self, name=None, **defaults):
        """The kernel |name|, or the only one; |defaults| as in Kernel.with_defaults()."""
        found = Kernel(self, name)
        for key, value in defaults.items():
            found._set_default(key, value)
        return found

    def __getitem__(self, name):
        return self.__getattr__(name)

    def __getattr__(self, name):
        if name.startswith("__") or name == "_diagnostics":
            raise AttributeError(name)
        try:
            found = self.kernel(name)
        except NotFoundError as error:
            raise AttributeError(str(error)) from None
        self.__dict__[name] = found
        return found

    def __dir__(self):
        return [*super().__dir__(), *self.kernels]

    def emit(self, kind, target=None):
        """The code in another form, for |target| ("native", "sm_90", "gfx942"): "ir", "plan", "llvm", "asm", "openmp"."""
        if kind not in _EMIT:
            raise ValueError(f"{kind!r} is no form of the code: {', '.join(_EMIT)}")
        return self._emit(_EMIT[kind], target)

    # ---- fields -------------------------------------------------------------------------------------------------------

    @property
    def fields(self):
        """The file's variables by name: element type and shape."""
        return {name: (types.BY_NUMBER.get(number, c_name), tuple(lengths))
                for name, _, number, c_name, _, lengths in self._fields()}

    def _field(self, name):
        for item in self._fields():
            if item[0] == name:
                return item
        raise NotFoundError(f"there is no field '{name}'; the module has: {', '.join(self.fields) or 'none'}")

    def read_field(self, name, out=None, stream=None):
        """What a variable of the file holds when |stream| has come this far: in |out|, a writable buffer, else a number,
        or a memoryview of the field's shape (bytes, of structs). Waits."""
        _, _, number, _, size, lengths = self._field(name)
        count = 1
        for length in lengths:
            count *= length
        target = memoryview(bytearray(size * count)) if out is None else out
        self._read_field(name, target, stream)
        letter = types.BY_NUMBER[number].letter if number else ""
        if out is not None or letter in ("", "e"):
            return target
        view = target.cast(letter, lengths) if lengths else target.cast(letter)
        return view if lengths else view[0]

    def write_field(self, name, value, stream=None):
        """Writes the beginning of a variable of the file, in the order of |stream|: a number, or a buffer."""
        _, _, number, _, _, lengths = self._field(name)
        if not lengths and number and isinstance(value, (int, float)):
            value = types.BY_NUMBER[number].pack(value)
        self._write_field(name, value, stream)

"""@rill.kernel and @rill.func."""
import functools
import inspect
import sys
import weakref

from rill import context as contexts, types
from rill.array import Array, array_types
from rill.errors import ArgumentError
from rill.script.source import ScriptError, annotations
from rill.script.unit import Template, Unit, source_of, type_of_hint
from rill.structs import struct
from rill.script.value import BOOL, FLOAT, INT, Known, Type, Value, constant


class ScriptKernel:
    """A kernel that is a Python function. The first call compiles it, for its context and, where parameters have no types,
    for those of the arguments. `source` is the C that Rill gets; explain() says what Rill made of its loops.
    """

    loops_over_arrays = False  # `for i, j in x`

    def __init__(self, function, options):
        functools.update_wrapper(self, function)
        self.function, self.options = function, options
        self._signature = inspect.signature(function)
        for parameter in self._signature.parameters.values():
            if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
                raise ScriptError(f"kernel '{function.__name__}', parameter '{parameter.name}': a kernel has neither *args, "
                                  "**kwargs nor parameters that are positional or named only")
        self.names = list(self._signature.parameters)
        self._defaults = {p.name: p.default for p in self._signature.parameters.values() if p.default is not p.empty}
        self._source = source_of(function)
        self._hints_found = None
        self._units = {}  # types of the parameters → Unit
        self._known = {}  # parameters that stand for an object of Python's
        self._last = None, None  # context and kernel of the last call, if types do not matter; one store: threads race here

    def _bind(self, owner):
        """The first parameter is |owner|, and nobody passes it."""
        name = self.names.pop(0)
        self._known = {name: Known(owner)}
        parameters = list(self._signature.parameters.values())
        self._signature = self._signature.replace(parameters=parameters[1:])

    def __get__(self, owner, kind=None):
        """A kernel that is a method: its first parameter is the object, whose numbers are constants and whose arrays are used
        as they are. Made once for an object, and kept by it."""
        if owner is None:
            return self
        if not hasattr(owner, "__dict__"):
            raise ScriptError(f"objects of {type(owner).__name__} have no __dict__ (__slots__): a kernel that is a method is "
                              "kept there")
        bound = owner.__dict__[self.function.__name__] = self._of(owner)
        return bound

    def _of(self, owner):
        bound = type(self)(self.function, self.options)
        bound._bind(owner)
        return bound

    def __repr__(self):
        return f"<rill kernel {self.function.__name__}{self._signature}>"

    @property
    def _hints(self):
        """Types by parameter; found at the first use, when what the annotations name is there."""
        if self._hints_found is None:
            found = annotations(self.function)
            self._hints_found = {name: type_of_hint(found.get(name)) for name in self.names}
        return self._hints_found

    @property
    def is_generic(self):
        """Whether types come from the arguments."""
        return any(hint is None or hint is Template for hint in self._hints.values()) or None in self._defaults.values()

    # ---- types ----------------------------------------------------------------------------------------------------------

    def _type_of(self, name, value):
        hint = self._hints[name]
        if value is None:
            return Known(None)  # `if mask is not None:` asks for it
        if hint is Template:
            found = constant(value)
            if found is not None:
                return found
            if isinstance(value, (list, dict, set)):
                raise ArgumentError(f"kernel '{self.function.__name__}', parameter '{name}': a {type(value).__name__} may "
                                    "change, and is no constant: pass a tuple")
            if isinstance(value, Array) or hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"):
                raise ArgumentError(f"kernel '{self.function.__name__}', parameter '{name}': an array is no constant: annotate it "
                                    "by its type, rill.f32[:], or not at all")
            return Known(value)  # a function, a type, a text, a tuple
        if hint is not None:
            return hint
        if isinstance(value, Array):
            return value.dtype, value.ndim
        if hasattr(type(value), "__dataclass_fields__"):
            return Type(struct(type(value)))
        if isinstance(value, bool):
            return BOOL
        if isinstance(value, int):
            return INT
        if isinstance(value, float) and type(value) is float:
            return FLOAT
        shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
        if dtype is not None and shape is not None and getattr(dtype, "fields", None):
            raise ArgumentError(f"kernel '{self.function.__name__}', parameter '{name}': elements of NumPy's {dtype} have no names in "
                                "a kernel: annotate the parameter by a dataclass of the same layout, x: rill.struct(Body)[:]")
        if dtype is not None and shape is not None:
            return (types.dtype(dtype), len(shape)) if len(shape) else Type(types.dtype(dtype))
        try:
            view = memoryview(value)
        except TypeError:
            raise ArgumentError(f"kernel '{self.function.__name__}', parameter '{name}': a value of type "
                                f"{type(value).__name__} is neither a number nor an array") from None
        found = types.of_format(view.format, view.itemsize)
        if found is None or found.number == 0:
            raise ArgumentError(f"kernel '{self.function.__name__}', parameter '{name}': elements of format "
                                f"{view.format!r} cannot be in a kernel")
        return found, view.ndim

    def _unit(self, kinds):
        key = tuple((k.type, k.constant) if isinstance(k, Value) else k for k in kinds)
        found = self._units.get(key)
        if found is None:
            found = self._units[key] = Unit(self._source, {**self._known, **dict(zip(self.names, kinds))},
                                            self.loops_over_arrays)
        return key, found

    @property
    def source(self):
        """The C text: of the types that it was last called with, if those are the arguments'."""
        if not self.is_generic:
            return self._unit([self._hints[name] for name in self.names])[1].text()
        if not self._units:
            raise ScriptError(f"kernel '{self.function.__name__}' has parameters without types: call it, and source has the C "
                              "for those of the arguments")
        return list(self._units.values())[-1].text()

    def source_for(self, *arguments):
        """The C text for arguments of these types."""
        return self._unit([self._type_of(name, value) for name, value in zip(self.names, arguments)])[1].text()

    # ---- calling --------------------------------------------------------------------------------------------------------

    def _compile(self, context, key, unit):
        module = context.module(unit.text(), path=self._source.file, **self.options)
        kernel = module.kernel(unit.kernel.c_function)
        for index, name, axis in unit.kernel.extents:
            kernel._set_extent(index, unit.kernel.c_names.get(name, name), axis)
        count = len(unit.kernel.c_params)
        for index, name in enumerate(unit.kernel.captured):
            kernel._bind(count + index, unit.captured_names[name])
        kernel._draws = unit.kernel.draws
        returned = unit.kernel.return_type
        kernel._unpack = returned.dtype.unpack if returned is not None and returned.is_struct else None
        for name, value in self._defaults.items():
            if name in unit.kernel.params or name in unit.kernel.arrays:
                kernel._set_default(unit.kernel.c_names.get(name, name), value)
        scripts = context.__dict__.get("_scripts")
        if scripts is None:
            scripts = context.__dict__["_scripts"] = weakref.WeakKeyDictionary()
        scripts.setdefault(self, {})[key] = kernel
        return kernel

    @staticmethod
    def _context_of(arguments, named):
        stream = named.get("stream")
        if stream is not None:
            return stream.context
        values = (*arguments, *named.values()) if named else arguments
        for value in values:
            if type(value) in array_types:  # isinstance() also asks for __class__, which takes a tensor long
                return value.context
        torch = sys.modules.get("torch")
        if torch is not None and getattr(torch.cuda, "_initialized", True):  # no tensor is on a GPU before
            tensor = torch.Tensor
            for value in values:
                if issubclass(type(value), tensor) and value.is_cuda:
                    return contexts.of_gpu(value.get_device())
        default = contexts._default
        return default if default is not None and default.is_open else contexts.default()

    def _prepare(self, arguments, named):
        """The compiled kernel for a call, and its arguments."""
        context = self._context_of(arguments, named)
        last, found = self._last
        if last is context:
            return found, arguments, named
        named = dict(named)
        rest = {name: named.pop(name) for name in ("stream", "result") if name in named and name not in self.names}
        bound = self._signature.bind(*arguments, **named)
        bound.apply_defaults()
        values = list(bound.arguments.values())
        kinds = [self._type_of(name, value) for name, value in zip(self.names, values)]
        key, unit = self._unit(kinds)
        for array in unit.captured_names.values():
            context = array.context
            break
        found = context.__dict__.get("_scripts", {}).get(self, {}).get(key) or self._compile(context, key, unit)
        if not self.is_generic:
            self._last = context, found
        return found, [v for v, k in zip(values, kinds) if not isinstance(k, (Value, Known))], rest

    def __call__(self, *arguments, **named):
        kernel, arguments, named = self._prepare(arguments, named)
        result = kernel(*arguments, **named)
        return result if kernel._unpack is None or result is None else kernel._unpack(result)

    def launch(self, *arguments, **named):
        """Queues the kernel and returns at once, whatever it returns; result= is an Array of one element that gets that."""
        kernel, arguments, named = self._prepare(arguments, named)
        return kernel.launch(*arguments, **named)

    def call(self, *arguments, **named):
        """Queues the kernel, waits for it and returns what it returned."""
        kernel, arguments, named = self._prepare(arguments, named)
        result = kernel.call(*arguments, **named)
        return result if kernel._unpack is None or result is None else kernel._unpack(result)

    def explain(self, context=None):
        """What Rill found: control, tasks, each loop's verdict."""
        text = self.source  # says what is missing
        for array in list(self._units.values())[-1].captured_names.values():
            context = context or array.context
        return (context or contexts.default()).module(text, path=self._source.file, **self.options).explain()


def kernel(function=None, **options):
    """Makes a kernel of a Python function. |options|: check_bounds, check_races, contract, fast_math, as Context.module() has them."""
    if function is None:
        return lambda function: ScriptKernel(function, options)
    return ScriptKernel(function, options)


def func(function):
    """Marks a function that kernels may call. On the host it is what it was."""
    function._rill_func = lambda: source_of(function)
    return function

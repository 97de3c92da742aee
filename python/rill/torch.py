"""Kernels as operators of PyTorch: torch.compile, torch.export, autograd and CUDA graphs know them by their schema.

    import rill.torch

    @rill.torch.operator("mine::scale", outputs={"y": lambda x, factor: torch.empty_like(x)})
    @rill.kernel
    def scale(x: rill.f32[:], y: rill.f32[:], factor: float):
        for i in range(len(x)):
            y[i] = factor * x[i]

    y = scale(x, 2.0)
"""
import torch

from rill.errors import InvalidError
from rill.module import Kernel
from rill.script.kernel import ScriptKernel
from rill.types import BY_NUMBER, DType
from rill.script.unit import Template
from rill.script.value import Type

__all__ = ["operator"]


class _Parameter:
    """A parameter as a schema has it: kind is "Tensor", "SymInt", "float" or "bool"."""

    def __init__(self, name, kind, is_written=False, default=None):
        self.name, self.kind, self.is_written, self.default = name, kind, is_written, default


def _kind_of(name, dtype):
    if not isinstance(dtype, DType) or dtype.number == 0:
        raise InvalidError(f"parameter '{name}' is a struct, which an operator of torch cannot take")
    return "bool" if dtype.name == "bool" else "float" if dtype.is_float else "SymInt"


def _of_script(kernel):
    if any(hint is None for hint in kernel._hints.values()):
        raise InvalidError(f"kernel '{kernel.__name__}' has parameters without types: an operator's schema needs them all")
    constants = [name for name, hint in kernel._hints.items() if hint is Template]
    if constants:
        raise InvalidError(f"parameter '{constants[0]}' is a constant of the kernel: an operator takes n: int")
    unit = kernel._unit([kernel._hints[name] for name in kernel.names])[1]
    if unit.kernel.return_type is not None:
        raise InvalidError(f"kernel '{kernel.__name__}' returns a value: an operator's kernel writes it to an array of one "
                           "element")
    for name in kernel.names:
        hint = kernel._hints[name]
        kind = _kind_of(name, hint.dtype) if isinstance(hint, Type) else "Tensor"
        yield _Parameter(name, kind, name in unit.kernel.writes, kernel._defaults.get(name))


def _of_c(kernel):
    if kernel.returns is not None:
        raise InvalidError(f"kernel '{kernel.name}' returns a value: an operator's kernel writes it to an array of one element")
    for name, is_array, is_const, _, number, _, _, has_default in kernel._params:
        kind = "Tensor" if is_array else _kind_of(name, BY_NUMBER.get(number))
        yield _Parameter(name, kind, is_array and not is_const, kernel._default(name) if has_default else None)


def _schema(inputs, outputs):
    parts = []
    has_default = True  # of all that stand behind
    for place, parameter in reversed(list(enumerate(inputs))):
        text = f"Tensor(a{place}!)" if parameter.is_written else parameter.kind
        has_default = has_default and parameter.default is not None and parameter.kind != "Tensor"
        parts.insert(0, f"{text} {parameter.name}" + (f"={parameter.default}" if has_default else ""))
    returned = ", ".join(["Tensor"] * len(outputs))
    return f"({', '.join(parts)}) -> {returned if len(outputs) == 1 else f'({returned})'}"


def operator(name, kernel=None, *, outputs=None):
    """Makes a kernel, in C or in Python, an operator of torch: "library::name". It is called with tensors and numbers, in
    the order of the kernel's parameters.

    |outputs| names the arrays that the operator makes and returns: a dictionary of functions that make one for the
    operator's arguments, {"y": lambda x, factor: torch.empty_like(x)}. They are also what torch.compile asks for shapes.
    Every other array that the kernel writes is changed in place, and the schema says so.

    On a GPU the kernel is queued on torch's current stream. On the CPU the operator returns when the work is done, as
    torch's own do. A tensor that is only read and not in one piece is copied; one that is written is refused. The result is a torch.library.CustomOpDef: register_autograd() gives it a gradient. Without |kernel| it
    is a decorator."""
    if kernel is None:
        return lambda kernel: operator(name, kernel, outputs=outputs)
    if not isinstance(kernel, (Kernel, ScriptKernel)):
        raise InvalidError(f"{kernel!r} is no kernel: ctx.kernel(…) and @rill.kernel make some")
    outputs = dict(outputs or {})
    parameters = list((_of_script if isinstance(kernel, ScriptKernel) else _of_c)(kernel))
    for wanted in outputs:
        if not any(p.name == wanted and p.is_written for p in parameters):
            raise InvalidError(f"'{wanted}' is to be returned, and is no array that the kernel writes")
    inputs = [p for p in parameters if p.name not in outputs]
    written = {p.name for p in parameters if p.is_written}

    def made(arguments):
        return {key: make(*arguments) for key, make in outputs.items()}

    def given(new):
        return None if not new else next(iter(new.values())) if len(new) == 1 else tuple(new.values())

    def named_values(arguments, named):  # torch leaves out what has its default
        return {**{p.name: p.default for p in inputs}, **dict(zip((p.name for p in inputs), arguments)), **named}

    def run(*arguments, **named):
        values = named_values(arguments, named)
        new = made([values[p.name] for p in inputs])
        values.update(new)
        tensors = {key: value.detach() if key in written else value.detach().contiguous()
                   for key, value in values.items() if isinstance(value, torch.Tensor)}
        values.update(tensors)
        queue = kernel.launch if any(t.is_cuda for t in tensors.values()) else kernel.call
        queue(*(values[p.name] for p in parameters))
        return given(new)

    def fake(*arguments, **named):
        values = named_values(arguments, named)
        return given(made([values[p.name] for p in inputs]))

    made_operator = torch.library.custom_op(name, run, mutates_args=tuple(p.name for p in inputs if p.is_written), schema=_schema(inputs, outputs))
    made_operator.register_fake(fake)
    return made_operator

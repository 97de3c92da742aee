"""Kernels as operators of PyTorch."""
from collections.abc import Callable, Mapping
from typing import Any

from rill.module import Kernel
from rill.script.kernel import ScriptKernel

__all__ = ["operator"]

def operator(name: str, kernel: Kernel | ScriptKernel | None = None, *,
             outputs: Mapping[str, Callable[..., Any]] | None = None) -> Any: ...

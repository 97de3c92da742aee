"""docs/python.md: its programs run, and its claims hold."""
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_programs_of_the_manual_run(capsys, tmp_path, monkeypatch):
    page = ROOT / "docs/python.md"
    if not page.exists():
        return
    pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    import rill
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)
    assert len(blocks) >= 4
    try:
        for number, block in enumerate(blocks):
            if "import torch" in block and importlib.util.find_spec("torch") is None:
                continue
            file = tmp_path / f"part{number}.py"  # a kernel in Python is read from its file
            file.write_text(block)
            exec(compile(block, str(file), "exec"), names)
    finally:
        rill.set_default(None)
        names["ctx"].close()
    out = capsys.readouterr().out
    picture = (tmp_path / "julia.ppm").read_bytes()
    assert len(picture) == 16 + 720 * 1280 * 3 and len(set(picture)) > 50
    total = float(out.splitlines()[1])
    assert abs(total - 1000) < 1 and "loop: parallel, proven" in out and "the assertion 'n > 1' failed" in out


def test_one_program_in_every_library(tmp_path, monkeypatch):
    """docs/python-from-others.md: the programs of the libraries that are installed paint one picture; `rill.quadrants` runs
    that of Quadrants with its import changed."""
    import importlib
    import subprocess
    import sys

    numpy = pytest.importorskip("numpy")
    page = ROOT / "docs/python-from-others.md"
    if not page.exists():
        return
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)
    assert len(blocks) == 5
    blocks.append(blocks[1].replace("import quadrants as qd", "import rill.quadrants as qd"))
    pictures = {}
    for number, block in enumerate(blocks):
        library = re.search(r"^import ((?!math|numpy)\w+)", block, flags=re.M).group(1)
        if importlib.util.find_spec(library) is None:
            continue
        file = tmp_path / f"program{number}.py"
        file.write_text(block + f"\nnumpy_ = __import__('numpy')\nnumpy_.save({str(tmp_path / str(number))!r}, picture)\n")
        subprocess.run([sys.executable, file], check=True, capture_output=True, timeout=120)
        pictures[library, number] = numpy.load(tmp_path / f"{number}.npy")
    first = pictures["rill", 0]
    assert len(pictures) >= 2 and first.shape == (640, 320) and first.std() > 0.1
    for name, other in pictures.items():
        assert (abs(first - other) > 1e-3).mean() < 0.01, name


def test_everything_public_is_described():
    """Modules, classes, functions, methods and properties have a sentence about themselves."""
    import inspect

    import rill
    import rill.quadrants
    import rill.structs
    missing = []

    def look(where, thing):
        if not (inspect.getdoc(thing) or "").strip():
            missing.append(where)
        if inspect.isclass(thing):
            for name, part in vars(thing).items():
                is_own = callable(part) or isinstance(part, (property, classmethod, staticmethod))
                if not name.startswith("_") and is_own and not isinstance(part, rill.DType):
                    look(f"{where}.{name}", getattr(thing, name))

    for module in (rill, rill.quadrants, rill.structs):
        for name in dir(module):
            thing = getattr(module, name, None)
            if not name.startswith("_") and callable(thing) and not isinstance(thing, rill.DType):
                look(f"{module.__name__}.{name}", thing)
    assert not missing, missing


def test_kernels_say_what_they_are(ctx):
    """repr(), help() and inspect.signature()."""
    import inspect

    import rill
    kernel = ctx.kernel("#include <rill/kernel.h>\nkernel void step(int n, const float x[n], float *y, double rate) "
                        "{ for (int i = 0; i < n; i++) y[i] = rate * x[i]; }")
    assert repr(kernel) == "<rill.Kernel void step(int n, const float x[], float *y, double rate)>"
    assert str(inspect.signature(kernel.with_defaults(rate=2.0))) == (
        "(n: rill.i32, x: rill.f32[:], y: rill.f32[:], rate: rill.f64 = 2.0, *, stream=None) -> None")

    @rill.kernel
    def smooth(x: rill.f32[:], width: int = 3) -> float:
        """Smooths."""
        return x[0]

    assert smooth.__doc__ == "Smooths." and smooth.__name__ == "smooth"
    assert repr(smooth) == "<rill kernel smooth(x: rill.f32[:], width: int = 3) -> float>"
    assert str(inspect.signature(smooth)) == "(x: rill.f32[:], width: int = 3) -> float"

#!/usr/bin/env python3
"""The package's type stubs: mypy finds nothing in them, a program with types passes, wrong ones are found, and stubtest says that
the stubs are what the modules have. It needs an interpreter with mypy: RILL_TEST_PYTHON, the one that runs this; else it makes a
virtual environment in the build directory, if pip can reach mypy."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
sys.path.insert(0, str(ROOT / "tests/support"))
from report import Report  # noqa: E402

# Internal: made in a loop. Not installed: torch.
ALLOWED = r"""rill\.script\.expression\..*
rill\.vectors\.Vector\.__.*
rill\.quadrants\.lang\.matrix\._(Vectors|Matrices)\..*
rill\.quadrants\.lang\.element\.PlacedStruct\.__class__
rill\.torch
"""
GOOD = """import rill

def run(ctx: rill.Context) -> float:
    with ctx.stream() as s:
        x: rill.Array = ctx.zeros((2, 3), rill.f32)
        x.fill(1.0, stream=s)
        done: rill.Event = s.record()
        done.wait()
    kernel: rill.Kernel = ctx.module("").step
    kernel(3, x, stream=ctx.current_stream)
    return x.nbytes + rill.dtype("f32").size

@rill.func
def twice(v: float) -> float:
    return 2 * v

@rill.kernel
def step(x: rill.f32[:, :], n: int, a: float = 2.0) -> float:
    for i, j in rill.grid(n, n):
        x[i, j] = a * twice(x[i, j])
    return x[0, 0]

@rill.kernel(check_bounds=True)
def other(x: rill.f32[:]) -> None:
    x[0] = 1

@rill.struct
class Body:
    x: rill.f32

source: str = step.source
"""
BAD = {"a name that is not there": "import rill\nrill.opne()\n", "a wrong type": "import rill\nn: int = rill.open('cpu').device\n",
       "an argument that is not there": "import rill\nrill.open().stream(prio=1)\n"}


def can_test(python):
    try:
        return subprocess.run([python, "-c", "import mypy.stubtest"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def interpreter():
    python = str(BUILD / "python-types/bin/python")
    for found in (os.environ.get("RILL_TEST_PYTHON"), sys.executable, python):
        if found and can_test(found):
            return found
    for command in ([sys.executable, "-m", "venv", BUILD / "python-types"], [python, "-m", "pip", "-q", "install", "mypy"]):
        try:
            subprocess.run(command, capture_output=True, timeout=120, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
    return python if can_test(python) else None


def check(report, name, command, folder, expected=0):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          env=dict(os.environ, MYPYPATH=str(folder / "path"), PYTHONPATH=str(BUILD / "python")))
    report.check(name, done.returncode == expected, done.stdout[-4000:] + done.stderr[-2000:])


def main():
    report = Report()
    package = BUILD / "python/rill"
    if not (package / "_core.abi3.so").exists():
        report.skip("stubs", "this build has no Python extension: there were no headers (python3-dev)")
        return report.finish()
    python = interpreter()
    if python is None:
        report.skip("stubs", "no Python has mypy, and pip cannot get it")
        return report.finish()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(package, folder / "path/rill", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        (folder / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n")  # of NumPy
        (folder / "allowed").write_text(ALLOWED)
        (folder / "good.py").write_text(GOOD)
        mypy = [python, "-m", "mypy", "--cache-dir", str(folder / "cache"), "--follow-imports=silent"]
        check(report, "stubs_are_right_by_themselves", [*mypy, "--strict", *map(str, sorted(folder.glob("path/rill/*.pyi")))], folder)
        check(report, "a_program_with_types_passes", [*mypy, "--check-untyped-defs", "good.py"], folder)
        for words, text in BAD.items():
            (folder / "bad.py").write_text(text)
            check(report, f"found.{words.replace(' ', '_')}", [*mypy, "bad.py"], folder, expected=1)
        check(report, "stubs_are_what_the_modules_have",
              [python, "-m", "mypy.stubtest", "--ignore-disjoint-bases", "--ignore-unused-allowlist", "--allowlist",
               str(folder / "allowed"), "--mypy-config-file", str(folder / "mypy.ini"), "rill"], folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The Python package: runs the pytest files of tests/python/cases over the extension of this build, on the CPU and on the
stand-in for CUDA, and reports each of their tests. It needs an interpreter with pytest and NumPy: RILL_TEST_PYTHON, the one
that runs this, Debian's; else it makes a virtual environment in the build directory, if pip can reach the two."""
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
CASES = pathlib.Path(__file__).resolve().parent / "cases"
sys.path.insert(0, str(ROOT / "tests/support"))
from report import LIMIT, Report  # noqa: E402


def can_test(python):
    try:
        return subprocess.run([python, "-c", "import pytest, numpy"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def interpreter():
    for python in (os.environ.get("RILL_TEST_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and can_test(python):
            return python
    folder = BUILD / "python-venv"
    python = str(folder / "bin/python")
    if not can_test(python):
        for command in ([sys.executable, "-m", "venv", folder], [python, "-m", "pip", "-q", "install", "pytest", "numpy"]):
            try:
                subprocess.run(command, capture_output=True, timeout=300, check=True)
            except (OSError, subprocess.SubprocessError):
                return None
    return python if can_test(python) else None


def stand_in():
    """The variables that make contexts those of the stand-in for CUDA; None where it was not built."""
    library = BUILD / "tests/fakes/libfake_cuda.so"
    return {"RILL_TEST_DEVICE": "cuda:0", "RILL_CUDA_LIBRARY": str(library), "RILL_STAND_IN": "1"} if library.exists() else None


def run(python, package, name, words, env, report, limit=5 * LIMIT):
    """pytest over the cases, with the package of |package|; reports each test as name.test."""
    with tempfile.TemporaryDirectory() as folder:
        xml_file = pathlib.Path(folder) / "report.xml"
        command = [python, "-X", "faulthandler", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit2",
                   f"--junitxml={xml_file}", *words, str(CASES)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, check=False,
                              env=dict(os.environ, PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1", **env))
        if not report.check(f"{name}_pytest_ends", done.returncode in (0, 1) and xml_file.exists(), done.stdout[-6000:]):
            return
        for case in xml.etree.ElementTree.parse(xml_file).iter("testcase"):
            test = f"{name}.{case.get('classname').rpartition('.')[2]}.{case.get('name')}"
            wrong = [part.get("message", "") + "\n" + (part.text or "") for part in case if part.tag in ("failure", "error")]
            skipped = [part for part in case if part.tag == "skipped"]
            if skipped:
                report.skip(test, skipped[0].get("message"))
            else:
                report.check(test, not wrong, "\n".join(wrong))


def main():
    report = Report()
    package = BUILD / "python"
    if not (package / "rill/_core.abi3.so").exists():
        report.skip("python_package", "this build has no Python extension: there were no headers (python3-dev)")
        return report.finish()
    python = interpreter()
    if python is None:
        report.skip("python_package", "no Python has pytest and NumPy (python3-pytest, python3-numpy), and pip cannot get them")
        return report.finish()
    run(python, package, "cpu", sys.argv[1:], {}, report)
    on_gpu = stand_in()
    if on_gpu is not None:
        run(python, package, "stand_in", sys.argv[1:], on_gpu, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

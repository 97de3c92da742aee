#!/usr/bin/env python3
"""The Python package's extension where its faults show: built with AddressSanitizer and UndefinedBehaviorSanitizer, and under a
debug build of CPython (python3-dbg), which counts references and checks what the extension does with objects. The long form
runs all cases of tests/python/cases, the others those of arguments, arrays and references."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from package_test import BUILD, ROOT, can_test, interpreter, run  # noqa: E402
from report import IS_LONG, Report  # noqa: E402

DEBUG_PYTHON = "/usr/bin/python3-dbg"
SAMPLE = [] if IS_LONG else ["-k", "test_arguments.py or test_arrays.py"]
DEBUG_SAMPLE = [] if IS_LONG else ["-k", "test_arguments.py or test_references.py"]


def output(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def runtimes(compiler):
    """The sanitizers' libraries, which an interpreter that is built without them loads first."""
    found = [output(compiler, f"-print-file-name={name}") for name in ("libasan.so", "libubsan.so")]
    return found if all(os.path.isabs(path) for path in found) else None


def build(report, name, compiler, headers, *options):
    """A package whose extension is built another way, beside the one of the build; None if that failed."""
    package = BUILD / f"python-{name}"
    shutil.rmtree(package, ignore_errors=True)
    (package / "rill").mkdir(parents=True)
    for path in (ROOT / "python/rill").iterdir():
        (package / "rill" / path.name).symlink_to(path)
    done = subprocess.run(
        [compiler, "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-shared", *options, f"-I{ROOT / 'include'}", "-isystem", headers,
         *sorted((ROOT / "python/src").glob("*.c")), "-o", package / "rill/_core.abi3.so", f"-L{BUILD / 'lib'}", "-lrill",
         "-Wl,-rpath,$ORIGIN/../../lib"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return package if report.check(f"{name}_extension_is_built", done.returncode == 0, done.stdout) else None


def headers_of(python):
    folder = output(python, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    return folder if (pathlib.Path(folder) / "Python.h").exists() else "/usr/include/python3.11"


def check_sanitized(report, compiler):
    python, libraries = interpreter(), runtimes(compiler)
    if python is None or libraries is None:
        report.skip("sanitized", "no Python has pytest and NumPy" if python is None else "gcc has no shared libasan and libubsan")
        return
    package = build(report, "sanitized", compiler, headers_of(python), "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer")
    if package is not None:
        run(python, package, "sanitized", SAMPLE, {
            "LD_PRELOAD": " ".join(libraries), "PYTHONMALLOC": "malloc", "UBSAN_OPTIONS": "print_stacktrace=1",
            # The interpreter keeps memory to its end; what the extension loses is seen in the memory of the process.
            "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=1"}, report)


def check_debug(report, compiler):
    if not can_test(DEBUG_PYTHON):
        report.skip("debug_python", "there is no /usr/bin/python3-dbg with pytest and NumPy (python3-dbg)")
        return
    package = build(report, "debug", compiler, headers_of(DEBUG_PYTHON), "-DPy_DEBUG")  # counts references, too
    if package is not None:
        run(DEBUG_PYTHON, package, "debug_python", DEBUG_SAMPLE, {"PYTHONDEVMODE": "1", "RILL_TEST_REFERENCES": "1"}, report)


def main():
    report = Report()
    if not (BUILD / "python/rill/_core.abi3.so").exists():
        report.skip("sanitized", "this build has no Python extension: there were no headers (python3-dev)")
        return report.finish()
    compiler = shutil.which("gcc")
    if compiler is None:
        report.skip("sanitized", "there is no gcc")
        return report.finish()
    check_sanitized(report, compiler)
    check_debug(report, compiler)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

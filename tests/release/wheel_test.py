#!/usr/bin/env python3
"""The wheel of `make wheel`: its tags are true, also by auditwheel and abi3audit, pip installs it with nothing else, and the
package's tests pass over what was installed, also in a virtual environment that has nothing but the wheel and pytest. What pip
cannot reach is skipped."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/python")]
from package_test import interpreter, run  # noqa: E402
from report import Report  # noqa: E402


def output(*command, **more):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    return done.returncode, done.stdout


def check_programs(folder, report):
    """What manylinux_2_34 asks: no newer symbol of the C library, no library but those of every system."""
    wrong, count = [], 0
    for path in folder.rglob("*"):
        if not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
            continue
        count += 1
        symbols = output("objdump", "-T", path)[1]
        newest = max((tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", symbols)), default=(0,))
        needed = re.findall(r"NEEDED +(\S+)", output("objdump", "-p", path)[1])
        others = [n for n in needed if not re.match(r"(librill|libc|libm|libdl|libpthread|ld-linux-x86-64)\.so", n)]
        if newest > (2, 34) or others:
            wrong.append(f"{path.name}: glibc {newest}, {others}")
        if str(ROOT) in output("strings", "-a", path)[1]:
            wrong.append(f"{path.name} knows where it was built")
        if path.name == "_core.abi3.so":
            foreign = re.findall(r" (_Py\w+)", symbols)
            stable = ("_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct")
            private = [name for name in foreign if name not in stable and not name.endswith("_SizeT")]
            if private:
                wrong.append(f"not in the stable ABI: {private}")
    report.check("wheel_holds_what_its_tag_says", count == 4 and not wrong, f"{count} programs\n" + "\n".join(wrong))


def environment(folder, *packages):
    """The interpreter of a virtual environment with these packages alone, made at the first use; None if pip cannot reach them."""
    python = folder / "bin/python"
    modules = [re.split(r"[<>=]", package)[0] for package in packages]
    if not python.exists() or output(python, "-c", f"import {', '.join(modules)}")[0] != 0:
        for command in ([sys.executable, "-m", "venv", "--clear", folder], [python, "-m", "pip", "-q", "install", *packages]):
            try:
                subprocess.run(command, capture_output=True, timeout=120, check=True)
            except (OSError, subprocess.SubprocessError):
                return None
    return python


# Functions of buffers that every CPython since 3.9 has, and the stable ABI since 3.11: buffer.c declares them.
SINCE_3_11 = {"PyObject_CheckBuffer", "PyBuffer_IsContiguous", "PyBuffer_Release", "PyObject_GetBuffer"}


def check_audits(wheel, build, report):
    python = environment(build / "python-audit", "auditwheel", "abi3audit")
    if python is None:
        report.skip("wheel_passes_auditwheel", "pip cannot reach auditwheel and abi3audit")
        return
    status, text = output(python, "-m", "auditwheel", "show", wheel)
    wanted = re.search(r"manylinux_\d+_\d+_\w+(?=\.whl)", wheel.name).group(0)
    report.check("wheel_passes_auditwheel", status == 0 and f'constrains the platform tag to "{wanted}"' in " ".join(text.split()),
                 text)
    found = subprocess.run([python, "-m", "abi3audit", "--report", wheel], stdout=subprocess.PIPE, text=True, check=False).stdout
    try:
        extension = next(part["result"] for part in json.loads(found)["specs"][str(wheel)]["wheel"] if "_core" in part["name"])
    except (ValueError, KeyError, StopIteration):
        report.check("wheel_passes_abi3audit", False, found)
        return
    report.check("wheel_passes_abi3audit", extension["is_abi3"] and not extension["non_abi3_symbols"] and (
        set(extension["future_abi3_objects"]) <= SINCE_3_11), found)


def check_alone(wheel, build, report):
    """A virtual environment with the wheel, pytest, and nothing else: no NumPy."""
    python = environment(build / "python-alone", "pytest")
    if python is None:
        report.skip("wheel_alone", "pip cannot reach pytest")
        return
    status, text = output(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall", wheel)
    if report.check("wheel_is_installed_alone", status == 0, text):
        run(python, "", "wheel_alone", [], {}, report)


def installed(wheel, box, python):
    """The folder of the installed package; without pip, unpacked as pip would."""
    site = box / "site"
    status, text = output(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", site, wheel)
    if status != 0:
        if "No module named pip" not in text:
            return None, text
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                path = pathlib.Path(archive.extract(entry, site))
                path.chmod(entry.external_attr >> 16)
    return site, ""


def main():
    report = Report()
    build = pathlib.Path(os.environ["RILL_BUILD"])
    if not (build / "python/rill/_core.abi3.so").exists():
        report.skip("wheel", "this build has no Python extension: there were no headers (python3-dev)")
        return report.finish()
    with tempfile.TemporaryDirectory() as name:
        box = pathlib.Path(name)
        status, text = output(ROOT / "tools/make-wheel", build, box)
        wheels = list(box.glob("*.whl"))
        if not report.check("wheel_is_made", status == 0 and len(wheels) == 1, text):
            return report.finish()
        report.check("wheel_is_at_most_30_megabytes", wheels[0].stat().st_size <= 30_000_000, text)
        site, text = installed(wheels[0], box, sys.executable)
        if not report.check("wheel_is_installed", site is not None, text):
            return report.finish()
        check_programs(site, report)
        check_audits(wheels[0], build, report)
        check_alone(wheels[0], build, report)
        env = dict(os.environ, PYTHONPATH=str(site))
        status, text = output(sys.executable, "-c", "import rill; x = rill.open('cpu').array([1.5, 2]); print(x.tolist())",
                              env=env, cwd=box)
        report.check("package_runs_without_numpy", (status, text) == (0, "[1.5, 2.0]\n"), text)
        status, text = output(sys.executable, "-m", "rill", "devices", env=env, cwd=box)
        report.check("package_has_the_command_line", status == 0 and "cpu" in text, text)
        python = interpreter()
        if python is None:
            report.skip("wheel_passes_the_package_tests", "no Python has pytest and NumPy")
        else:
            run(python, site, "wheel", [], {}, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

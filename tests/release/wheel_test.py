#!/usr/bin/env python3
"""The wheel of `make wheel`: its tags are true, pip installs it with nothing else, and the package's tests pass over what
was installed."""
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

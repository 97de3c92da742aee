#!/usr/bin/env python3
"""`rill emit`: kernel files of the tree in every kind, accepted by whoever reads that kind; OpenMP that computes the same as
the serial build.

Front end and passes take 2 s for all files and all kinds; what takes long is the code for the machines. In the short form each
file becomes IR, plan and OpenMP, and some ten files each of the kinds that have code, in turns; under a sanitizer, which is
many times slower, four files each kind. RILL_TEST_LONG, or a run by hand, makes all files all kinds.

    emit_test.py ptx gfx942   only these kinds
    emit_test.py command      only what is about the command
    emit_test.py --pieces     the names
"""
import concurrent.futures
import ctypes
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import ROOT, Report, kernel_files, rill  # noqa: E402
from report import IS_QUICK, IS_SHORT, JOBS, PART, TURN  # noqa: E402

CODE = ["llvm", "asm", "ptx", "gfx90a", "gfx942", "gfx1100"]  # kinds that the code generator makes
KINDS = ["ir", "plan", "openmp"] + CODE


def find_tool(*names):
    places = os.environ.get("PATH", "") + ":/usr/local/cuda/bin:/usr/lib/llvm-22/bin"
    return next((path for name in names if (path := shutil.which(name, path=places))), None)


def accepts(command, text):
    """None, or what the tool says."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=False)
    return None if done.returncode == 0 else done.stderr[:600] or f"exit status {done.returncode}"


def emit_one(path, kind, tool):
    """None, or what is wrong with one file in one form. Files about helpers: with helpers that are called."""
    done = rill("emit", *kind, path, env={"RILL_VERIFY": "calls"} if path.name.startswith("helpers") else None)
    if done.rc != 0 or len(done.out) < 20:
        return str(done)
    if tool and "-fopenmp" in tool:
        tool = [*tool[:-1], f"-I{path.parent}", tool[-1]]
    return accepts(tool, done.out) if tool else None


def files_for(name, files):
    """Those that become this kind in this form and turn."""
    if not IS_SHORT or (PART == "plain" and name not in CODE):
        return files
    step = max(1, len(files) // (4 if IS_QUICK or PART != "plain" else 10))
    return files[(KINDS.index(name) * 5 + TURN) % step::step]


def check_kinds(report, files, wanted):
    ptxas, mc = find_tool("ptxas"), find_tool("llvm-mc-22", "llvm-mc")
    opt = find_tool("opt-22", "opt")
    compiler = find_tool("gcc")
    kinds = [("ir", ["--ir"], None), ("plan", ["--plan"], None), ("asm", ["--asm"], None),
             ("llvm", ["--llvm"], opt and [opt, "-passes=verify", "-disable-output", "-"]),
             ("openmp", ["--openmp"], [compiler, "-std=gnu11", "-fopenmp", "-fsyntax-only", "-w", f"-I{ROOT}/include",
                                       "-xc", "-"])]
    kinds.append(("ptx", ["--ptx"], ptxas and [ptxas, "-arch=sm_90", "-o", "/dev/null", "/dev/stdin"]))
    for target in ["gfx90a", "gfx942", "gfx1100"]:
        kinds.append((target, ["--asm", "--target", target], mc and [mc, "-triple=amdgcn-amd-amdhsa", f"-mcpu={target}",
                                                                     "-filetype=obj", "-o", "/dev/null", "-"]))
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for name, kind, tool in kinds:
            if name not in wanted:
                continue
            if tool is None and name not in ("ir", "plan", "asm"):
                report.skip(f"{name} is accepted", "there is no tool that reads it")
            some = files_for(name, files)
            wrong = [f"{path.name}: {text}" for path, text in
                     zip(some, pool.map(lambda path, k=kind, t=tool: emit_one(path, k, t), some)) if text]
            report.check(f"{'all' if some == files else 'some'}_kernel_files_become_{name}", some and not wrong, "\n".join(wrong))


def check_targets(report, path):
    report.check("amdgcn_is_short_for_gfx942",
                 rill("emit", "--amdgcn", path).out == rill("emit", "--asm", "--target=gfx942", path).out)
    report.check("ptx_is_short_for_sm_90", rill("emit", "--ptx", path).out == rill("emit", "--asm", "--target", "sm_90",
                                                                                   path).out)
    report.check("ptx_takes_another_target", ".target sm_80" in rill("emit", "--ptx", "--target", "sm_80", path).out)


def check_usage(report, path):
    for name, args, words in (
            ("no_kind", [path], "--openmp"), ("two_kinds", ["--ir", "--plan", path], "--ir or --plan"),
            ("an_unknown_target", ["--asm", "--target", "zork", path], "gfx942"),
            ("the_wrong_vendor", ["--ptx", "--target", "gfx942", path], "sm_90"),
            ("the_other_wrong_vendor", ["--amdgcn", "--target", "sm_90", path], "gfx942"),
            ("an_unknown_option", ["--ir", "--zork", path], "--zork"), ("two_files", ["--ir", path, path], "one file")):
        done = rill("emit", *args)
        report.check(f"emit_with_{name}_is_refused", done.rc == 2 and words in done.err and done.out == "", done)


OPENMP = """#include <rill/kernel.h>
#include <math.h>
kernel void stencil(int n, int m, const double a[n][m], double b[n][m])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i][j] = 0.25 * (a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]) - a[i][j];
}
kernel long sums(int n, const int x[n], int best[2], long counts[7])
{
    long s = 0; int low = x[0], where = 0; double unused = 0; int last = -1; int t;
    for (int i = 0; i < n; i++) { s += x[i]; counts[x[i] % 7] += 1; }
    for (int i = 0; i < n; i++) { if (x[i] < low) { low = x[i]; where = i; } }
    for (int i = 0; i < n; i++) { t = x[i] * 2; if (t > 100) last = t; unused += t; }
    best[0] = low; best[1] = where;
    return s * 1000 + last + (unused > 0);
}
kernel void scan(int n, int x[n])
{
    for (int i = 1; i < n; i++) x[i] += x[i - 1] % 1000;
    for (int t = 0; t < 3; t++) for (int i = 0; i < n; i++) x[i] = x[i] * 3 + t;
}
kernel void scatter(int n, const int at[n], int x[n])
{
    for (int i = 0; i < n; i++) x[at[i] % 16] = i;
}
kernel void shift(int n, int k, int x[n + k])
{
    for (int i = 0; i < n; i++) x[i + k] = x[i] + 1;
}
kernel void blocks(int n, float x[n], float y[n])
{
    stream_parallel { for (int i = 0; i < n; i++) x[i] = x[i] * 2 + 1; }
    stream_parallel { for (int i = n - 1; i >= 0; i--) y[i] = sqrtf(y[i]); }
    for (int i = 0; i < n; i++) x[i] += y[i];
}
"""


def check_openmp(report, work):
    """The emitted file with OpenMP on four threads, against the file itself built serially."""
    source = work / "kernels.c"
    source.write_text(OPENMP)
    done = rill("emit", "--openmp", source)
    if not report.check("openmp_has_pragmas", done.rc == 0 and done.out.count("omp parallel for") >= 5, done):
        return
    (work / "openmp.c").write_text(done.out)
    libraries = []
    for name, flags in (("kernels", []), ("openmp", ["-fopenmp"])):
        built = subprocess.run(["gcc", "-std=gnu11", "-O2", "-ffp-contract=off", "-Wall", "-Wno-unknown-pragmas", "-shared",
                                "-fPIC", *flags, f"-I{ROOT}/include", "-o", str(work / f"{name}.so"),
                                str(work / f"{name}.c"), "-lm"], capture_output=True, text=True, check=False)
        if not report.check(f"gcc_builds_the_{name}", built.returncode == 0, built.stderr):
            return
        libraries.append(ctypes.CDLL(str(work / f"{name}.so")))
    os.environ["OMP_NUM_THREADS"] = "4"
    doubles = struct.pack("<6000d", *((k * 37 % 1009) / 8 for k in range(6000)))
    ints = struct.pack("<20000i", *(k * 7919 % 10007 for k in range(20000)))
    floats = struct.pack("<20000f", *(k * 31 % 509 for k in range(20000)))
    for name, args in (("stencil", [60, 100, doubles, doubles]), ("sums", [20000, ints, b"\0" * 8, b"\0" * 56]),
                       ("scan", [20000, ints]), ("scatter", [20000, ints, ints]), ("shift", [19990, 10, ints]), ("blocks", [20000, floats, floats])):
        results = []
        for library in libraries:
            given = [ctypes.create_string_buffer(a, len(a)) if isinstance(a, bytes) else a for a in args]
            function = getattr(library, name)
            function.restype = ctypes.c_long
            returned = function(*given)
            results.append(([bytes(a) for a in given if not isinstance(a, int)], returned if name == "sums" else 0))
        report.check(f"openmp_computes_the_same_{name}", results[0] == results[1])


ROUNDED = """#include <rill/kernel.h>
kernel int rounded(int n, float a, float b, float c, float x[n])
{
    float s = c;
    s += a * b;
    int wrong = 0;
    for (int i = 0; i < n; i++) { x[i] = c; x[i] += a * b; }
    for (int i = 0; i < n; i++) wrong += x[i] != s;
    return wrong;
}
"""


def check_rounding(report, work):
    """A product that is added is rounded once or twice, but alike where the launch computes and where a task does."""
    source = work / "rounded.c"
    source.write_text(ROUNDED)
    # 1.1 * 1.1 - 1.21 is nothing but the rounding of the product.
    values = ["--set", "n=100", "--set", "a=1.1", "--set", "b=1.1", "--set", "c=-1.21"]
    for options in [], ["--contract=off"]:
        done = rill("run", source, "rounded", "--json", *values, *options)
        is_same = done.rc == 0 and '"returned": 0,' in done.out
        report.check(f"a_product_is_added_alike_in_control_and_loops{''.join(options)}", is_same, done)


def check_large_locals(report, folder):
    """What fits on no stack of an AMD GPU is an error of the kernel, with its place, and fits elsewhere."""
    names = "abcde"
    path = folder / "large.c"
    path.write_text("#include <rill/kernel.h>\nstruct part { float at[16000]; };\nkernel void large(int n, float x[n])\n{\n"
                    "    for (int i = 0; i < n; i++) {\n"
                    f"        struct part {', '.join(names)};\n"
                    "        for (int k = 0; k < 16000; k++) { "
                    + " ".join(f"{name}.at[(k * {3 + 2 * i} + i) % 16000] = x[i] + k;" for i, name in enumerate(names))
                    + " }\n        float s = 0;\n        for (int k = 0; k < 16000; k++) s += "
                    + " * ".join(f"{name}.at[(k + i) % 16000]" for name in names) + ";\n        x[i] = s;\n    }\n}\n")
    for target, limit in (("gfx90a", "131056"), ("gfx1030", "262112")):
        done = rill("emit", "--asm", "--target", target, path)
        words = "large.c:5:5: error: the locals of this task of kernel 'large' take 3200"
        report.check(f"locals_too_large_for_{target}_are_an_error_of_the_kernel",
                     done.rc == 1 and words in done.err and f"at most {limit} on {target}" in done.err
                     and "for (int i = 0; i < n; i++)" in done.err, str(done))
    for target in ("native", "sm_90"):
        report.check(f"the_same_locals_fit_on_{target}", rill("emit", "--asm", "--target", target, path).rc == 0)


def check_command(report, files):
    with tempfile.TemporaryDirectory() as folder:
        check_large_locals(report, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_openmp(report, pathlib.Path(folder))
        check_rounding(report, pathlib.Path(folder))
    smallest = min(files, key=lambda path: path.stat().st_size)
    check_usage(report, smallest)
    check_targets(report, smallest)


def main():
    report = Report()
    files = kernel_files()
    wanted = sys.argv[1:] or ["command"] + KINDS
    if wanted == ["--pieces"]:
        print("\n".join(["command", "ir plan openmp"] + CODE))
        return 0
    if "command" in wanted:
        check_command(report, files)
    check_kinds(report, files, wanted)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

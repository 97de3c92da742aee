#!/usr/bin/env python3
"""What Rill costs from Python: a launch with four arguments beside the same launch from C, in one process and in turns; what
an argument of each kind costs; importing the package.

    bench/python.py [--device cpu] [--rounds 21]
    bench/python.py --leaks 1000000      launches with arrays made and dropped; the memory of the process must stay flat

Each figure is what the host pays to queue one launch, in microseconds: the median over rounds of 200 launches, the wait
behind them left out. The C side is a few lines that cc compiles here; it calls the same librill.so with the same handles.
The package is looked for where PYTHONPATH says, then in build/release/python.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "build/release/python"))
import rill  # noqa: E402

LAUNCHES = 200
TEXT = """#include <rill/kernel.h>
kernel void saxpy(long n, float a, const float x[n], float y[n]) { for (long i = 0; i < n; i++) y[i] += a * x[i]; }
"""
C = """#include <rill/rill.h>
int launch(int count, uint64_t kernel, uint64_t stream, uint64_t x, uint64_t y, int64_t n, double a)
{
    rill_kernel k = {kernel};
    rill_stream s = {stream};
    rill_array ax = {x}, ay = {y};
    for (int i = 0; i < count; i++) {
        if (rill_launch(k, s, RILL_ARGS(n, a, ax, ay)) != RILL_OK) {
            return 1;
        }
    }
    return 0;
}
"""


@rill.kernel
def script(a: float, x: rill.f32[:], y: rill.f32[:]):
    for i in range(len(x)):
        y[i] += a * x[i]


def from_c(folder):
    """The loop in C; None without a compiler."""
    source, library = pathlib.Path(folder, "launch.c"), pathlib.Path(folder, "launch.so")
    source.write_text(C)
    loaded = next(line.split()[-1] for line in open("/proc/self/maps") if "librill.so" in line)
    try:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", source, loaded, "-o", library], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    call = ctypes.CDLL(str(library)).launch
    call.argtypes = [ctypes.c_int] + [ctypes.c_uint64] * 4 + [ctypes.c_int64, ctypes.c_double]
    return call


def measure(device, rounds):
    import numpy
    with rill.open(device) as ctx, tempfile.TemporaryDirectory() as folder:
        rill.set_default(ctx)
        saxpy, c = ctx.module(TEXT).saxpy, from_c(folder)
        n = 64
        hx, hy = numpy.ones(n, numpy.float32), numpy.ones(n, numpy.float32)
        x, y, stream = ctx.array(hx), ctx.array(hy), ctx.default_stream
        mx, my = memoryview(hx), memoryview(hy)

        def python(*arguments):
            def run():
                for _ in range(LAUNCHES):
                    saxpy(*arguments)
            return run

        def kernel_in_python():
            for _ in range(LAUNCHES):
                script(2.0, x, y)

        def on_a_stream():
            for _ in range(LAUNCHES):
                saxpy(n, 2.0, x, y, stream=stream)

        def nothing():
            for _ in range(LAUNCHES):
                numpy.add(hx, hy, hy)

        cases = {"numpy.add on the same arrays, for scale": nothing}
        if c is not None:
            cases["C, rill_launch with two arrays"] = lambda: c(LAUNCHES, saxpy.id, stream.id, x.id, y.id, n, 2.0)
        cases.update({
            "Python, two arrays of Rill": python(n, 2.0, x, y), "Python, two arrays of Rill, stream=": on_a_stream,
            "Python, two arrays of NumPy": python(n, 2.0, hx, hy), "Python, two memoryviews": python(n, 2.0, mx, my),
            "kernel in Python, two arrays of Rill": kernel_in_python})
        times = {name: [] for name in cases}
        for _ in range(rounds):
            for name, run in cases.items():
                ctx.sync()
                start = time.perf_counter()
                run()
                times[name].append((time.perf_counter() - start) / LAUNCHES * 1e6)
        ctx.sync()
        base = statistics.median(times["C, rill_launch with two arrays"]) if c is not None else None
        print(f"queueing one launch on {device}, microseconds, median of {rounds} rounds")
        for name, values in times.items():
            middle = statistics.median(values)
            beyond = f"   {middle - base:+.2f} beside C" if base is not None and name.startswith(("Python", "kernel")) else ""
            print(f"  {name:42} {middle:6.2f}{beyond}")
        rill.set_default(None)


def imports():
    """The package alone, in processes of its own."""
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(rill._core.__file__).parents[1]))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its byte code
    for name in ("rill", "numpy"):
        text = f"import time; t = time.process_time(); import {name}; print((time.process_time() - t) * 1e3)"
        taken = [float(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True,
                                      env=environment).stdout) for _ in range(9)]
        print(f"import {name}: {statistics.median(taken):.1f} ms of a processor")


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def leaks(device, count):
    import numpy
    with rill.open(device) as ctx:
        saxpy = ctx.module(TEXT).saxpy
        tenth = max(count // 10, 1)
        for done in range(0, count, tenth):
            for i in range(tenth):
                if i % 2:
                    saxpy(1000, 2.0, numpy.ones(1000, numpy.float32), numpy.zeros(1000, numpy.float32))
                else:
                    saxpy(900, 2.0, ctx.zeros(1000)[100:], ctx.zeros(1000)[:900])
                if i % 500 == 0:
                    ctx.sync()
            ctx.sync()
            stats = ctx.stats
            print(f"{done + tenth:9} launches: {rss() / 2**20:7.1f} MiB, {stats.array_count} arrays, {stats.kept_count} kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default=os.environ.get("RILL_TEST_DEVICE", "cpu"))
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--leaks", type=int, default=0)
    options = parser.parse_args()
    if options.leaks:
        leaks(options.device, options.leaks)
    else:
        measure(options.device, options.rounds)
        imports()


if __name__ == "__main__":
    main()

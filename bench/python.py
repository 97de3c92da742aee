#!/usr/bin/env python3
"""What Rill costs from Python: a launch with four arguments, or four arrays, beside the same launch from C, in one process and in
turns; what an argument of each kind costs, tensors of torch among them if it is installed; what the same launch costs in Taichi,
Warp, Numba, Quadrants and torch, in processes of their own, where they are installed; importing the package.

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
kernel void four(const float x[64], const float y[64], const float z[64], float w[64])
{ for (int i = 0; i < 64; i++) w[i] = x[i] + y[i] * z[i]; }
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
int launch_memory(int count, uint64_t kernel, uint64_t stream, float *const *memory, int is_device)
{
    rill_kernel k = {kernel};
    rill_stream s = {stream};
    const float *x = memory[0], *y = memory[1], *z = memory[2];
    float *w = memory[3];
    for (int i = 0; i < count; i++) {
        rill_status status = is_device ? rill_launch(k, s, RILL_ARGS(RILL_PTR(x, 64), RILL_PTR(y, 64), RILL_PTR(z, 64),
                                                                     RILL_PTR(w, 64)))
                                       : rill_launch(k, s, RILL_ARGS(RILL_HOST(x, 64), RILL_HOST(y, 64), RILL_HOST(z, 64),
                                                                     RILL_HOST(w, 64)));
        if (status != RILL_OK) {
            return 1;
        }
    }
    return 0;
}
int launch_four(int count, uint64_t kernel, uint64_t stream, const uint64_t *arrays)
{
    rill_kernel k = {kernel};
    rill_stream s = {stream};
    rill_array x = {arrays[0]}, y = {arrays[1]}, z = {arrays[2]}, w = {arrays[3]};
    for (int i = 0; i < count; i++) {
        if (rill_launch(k, s, RILL_ARGS(x, y, z, w)) != RILL_OK) {
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


@rill.kernel
def script_four(x: rill.f32[:], y: rill.f32[:], z: rill.f32[:], w: rill.f32[:]):
    for i in range(len(x)):
        w[i] = x[i] + y[i] * z[i]


def from_c(folder):
    """The loops in C; None without a compiler."""
    source, library = pathlib.Path(folder, "launch.c"), pathlib.Path(folder, "launch.so")
    source.write_text(C)
    loaded = next(line.split()[-1] for line in open("/proc/self/maps") if "librill.so" in line)
    try:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", source, loaded, "-o", library], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    loaded = ctypes.CDLL(str(library))
    loaded.launch.argtypes = [ctypes.c_int] + [ctypes.c_uint64] * 4 + [ctypes.c_int64, ctypes.c_double]
    loaded.launch_four.argtypes = [ctypes.c_int] + [ctypes.c_uint64] * 2 + [ctypes.c_void_p]
    loaded.launch_memory.argtypes = [*loaded.launch_four.argtypes, ctypes.c_int]
    return loaded


def tensors(device):
    """Four tensors of torch; None without torch."""
    try:
        import torch
    except ImportError:
        return None
    place = device if device.startswith("cuda") and torch.cuda.is_available() else "cpu"
    return [torch.ones(64, device=place) for _ in range(4)]


def four_arrays(ctx, kernel, c, loop):
    """The cases with four arrays and nothing else: name → function, and what keeps them."""
    import numpy
    arrays = [ctx.array(numpy.ones(64, numpy.float32)) for _ in range(4)]
    host = [numpy.ones(64, numpy.float32) for _ in range(4)]
    ids = (ctypes.c_uint64 * 4)(*(array.id for array in arrays))
    stream = ctx.default_stream.id
    cases = {}
    if c is not None:
        cases["C, rill_launch with four arrays"] = lambda: c.launch_four(LAUNCHES, kernel.id, stream, ids)
    cases.update({"Python, four arrays of Rill": loop(kernel, *arrays), "Python, four arrays of NumPy": loop(kernel, *host),
                  "kernel in Python, four arrays of Rill": loop(script_four, *arrays)})
    torch_tensors = tensors(ctx.device)
    if torch_tensors is not None:
        is_device = torch_tensors[0].is_cuda
        memory = (ctypes.c_void_p * 4)(*(tensor.data_ptr() for tensor in torch_tensors))
        if is_device:
            import torch
            stream = ctx.wrap_stream(torch.cuda.current_stream()).id
        if c is not None:
            cases["C, rill_launch on the memory of four tensors"] = lambda: c.launch_memory(LAUNCHES, kernel.id, stream, memory,
                                                                                            is_device)
        cases.update({"Python, four tensors of torch": loop(kernel, *torch_tensors),
                      "kernel in Python, four tensors of torch": loop(script_four, *torch_tensors)})
    return cases


def measure(device, rounds):
    import numpy
    with rill.open(device) as ctx, tempfile.TemporaryDirectory() as folder:
        rill.set_default(ctx)
        module, c = ctx.module(TEXT), from_c(folder)
        saxpy = module.saxpy
        n = 64
        hx, hy = numpy.ones(n, numpy.float32), numpy.ones(n, numpy.float32)
        x, y, stream = ctx.array(hx), ctx.array(hy), ctx.default_stream
        mx, my = memoryview(hx), memoryview(hy)

        def loop(kernel, *arguments):
            def run():
                for _ in range(LAUNCHES):
                    kernel(*arguments)
            return run

        def python(*arguments):
            return loop(saxpy, *arguments)

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
            cases["C, rill_launch with two arrays"] = lambda: c.launch(LAUNCHES, saxpy.id, stream.id, x.id, y.id, n, 2.0)
        cases.update({
            "Python, two arrays of Rill": python(n, 2.0, x, y), "Python, two arrays of Rill, stream=": on_a_stream,
            "Python, two arrays of NumPy": python(n, 2.0, hx, hy), "Python, two memoryviews": python(n, 2.0, mx, my),
            "kernel in Python, two arrays of Rill": kernel_in_python})
        cases.update(four_arrays(ctx, module.four, c, loop))
        times = {name: [] for name in cases}
        for _ in range(rounds):
            for name, run in cases.items():
                ctx.sync()
                start = time.perf_counter()
                run()
                times[name].append((time.perf_counter() - start) / LAUNCHES * 1e6)
        ctx.sync()
        base = None
        print(f"queueing one launch on {device}, microseconds, median of {rounds} rounds")
        for name, values in times.items():
            middle = statistics.median(values)
            base = middle if name.startswith("C,") else base
            beyond = f"   {middle - base:+.2f} beside C" if base is not None and name.startswith(("Python", "kernel")) else ""
            print(f"  {name:42} {middle:6.2f}{beyond}")
        rill.set_default(None)


# The same launch, a * x + y with arrays of 64 floats: what a call costs until it returns. On the CPU these calls also wait.
PEERS = {
    "numba": """
import numba, numpy
@numba.njit(parallel=False)
def f(n, a, x, y):
    for i in range(n):
        y[i] += a * x[i]
x, y = numpy.ones(64, numpy.float32), numpy.ones(64, numpy.float32)
call = lambda: f(64, 2.0, x, y)
""",
    "taichi": """
import taichi as ti, numpy
ti.init(arch=ti.cuda if gpu else ti.cpu, log_level=ti.ERROR)
@ti.kernel
def f(n: ti.i32, a: ti.f32, x: ti.types.ndarray(ti.f32, 1), y: ti.types.ndarray(ti.f32, 1)):
    for i in range(n):
        y[i] += a * x[i]
x, y = ti.ndarray(ti.f32, 64), ti.ndarray(ti.f32, 64)
call, wait = lambda: f(64, 2.0, x, y), ti.sync
""",
    "quadrants": """
import quadrants as qd
qd.init(arch=qd.cuda if gpu else qd.cpu, log_level=qd.ERROR)
@qd.kernel
def f(n: qd.i32, a: qd.f32, x: qd.types.ndarray(qd.f32, 1), y: qd.types.ndarray(qd.f32, 1)):
    for i in range(n):
        y[i] += a * x[i]
x, y = qd.ndarray(qd.f32, 64), qd.ndarray(qd.f32, 64)
call, wait = lambda: f(64, 2.0, x, y), qd.sync
""",
    "warp": """
import warp as wp
wp.config.quiet = True
@wp.kernel
def f(n: int, a: float, x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32)):
    i = wp.tid()
    y[i] += a * x[i]
device = "cuda:0" if gpu else "cpu"
x, y = wp.ones(64, dtype=wp.float32, device=device), wp.ones(64, dtype=wp.float32, device=device)
call, wait = lambda: wp.launch(f, dim=64, inputs=[64, 2.0, x, y], device=device), wp.synchronize
""",
    "torch": """
import torch
device = "cuda:0" if gpu else "cpu"
x, y = torch.ones(64, device=device), torch.ones(64, device=device)
call, wait = lambda: y.add_(x, alpha=2.0), torch.cuda.synchronize if gpu else lambda: None
""",
    "cupy": """
import cupy
f = cupy.RawKernel('extern "C" __global__ void f(int n, float a, const float *x, float *y) '
                   '{ int i = threadIdx.x; if (i < n) y[i] += a * x[i]; }', "f")
x, y = cupy.ones(64, "f4"), cupy.ones(64, "f4")
import numpy
a = numpy.float32(2)
call, wait = lambda: f((1,), (64,), (64, a, x, y)), cupy.cuda.Device().synchronize
""",
}
MEASURE = """
import statistics, time
for _ in range(300):
    call()
times = []
for _ in range(rounds):
    wait()
    start = time.perf_counter()
    for _ in range(200):
        call()
    times.append((time.perf_counter() - start) / 200 * 1e6)
print(statistics.median(times))
"""


def peers(device, rounds):
    """The others, in processes of their own."""
    print(f"a call with the same arguments elsewhere on {device}, microseconds, median of {rounds} rounds")
    for name, text in PEERS.items():
        if name == "numba" and device.startswith("cuda"):
            continue  # what stands above is Numba's CPU
        head = f"gpu, rounds = {device.startswith('cuda')}, {rounds}\nwait = lambda: None\n"
        with tempfile.TemporaryDirectory() as folder:  # kernels are read from files
            file = pathlib.Path(folder, "peer.py")
            file.write_text(head + text + MEASURE)
            done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
        last = done.stderr.strip().splitlines()[-1:] or [""]
        shown = f"{float(done.stdout.split()[-1]):6.2f}" if done.returncode == 0 else f"not measured: {last[0][:80]}"
        print(f"  {name:42} {shown}")


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
        peers(options.device, options.rounds)
        imports()


if __name__ == "__main__":
    main()

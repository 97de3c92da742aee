#!/usr/bin/env python3
"""How long programs with kernels in CuPy and Triton take to start on cuda:0, with their caches empty and filled: what
bench/start does with Rill and NVRTC. CuPy has the twenty kernels that NVRTC has there, Triton ten of them as its users
write them. Each start is a process of its own; "open" is until the device answers, imports included, "ready" from there
until all kernels are loaded, "all" the whole process.

    start_peers.py [path of bench/start]     the one beside it, or that of build/release, without it
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
STARTS = 5


def find_start():
    places = [pathlib.Path(word) for word in sys.argv[1:2]] or [HERE / "bin/start", HERE.parent / "build/release/bench/start"]
    for place in places:
        if place.exists():
            return place
    sys.exit("where is bench/start? start_peers.py PATH")


def cuda_kernels(start):
    """(name, source) of each."""
    text = subprocess.run([start, "--cuda"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return [(source[:source.index("(")], source) for source in text.split("\f") if source]


def be_cupy(start):
    kernels = cuda_kernels(start)  # before the clock starts
    begun = time.perf_counter()
    import cupy  # pylint: disable=import-outside-toplevel,import-error
    cupy.zeros(1)
    opened = time.perf_counter()
    for name, source in kernels:
        cupy.RawKernel('extern "C" __global__ void ' + source, name).compile()
    return len(kernels), begun, opened


def triton_kernels():
    """(kernel, arguments) of each; a type stands for an array of it."""
    import torch  # pylint: disable=import-outside-toplevel,import-error
    import start_triton as k  # pylint: disable=import-outside-toplevel
    f, d, i, b, n = torch.float32, torch.float64, torch.int32, torch.uint8, 1000
    torch.zeros(1, device="cuda")
    return [(k.scale, (f, n, 2.0)), (k.axpy, (f, f, n, 2.0)), (k.triad, (d, d, d, n, 2.0)), (k.gather, (i, f, f, n)),
            (k.threshold, (b, n, 100)), (k.gray, (b, b, n)), (k.heat, (f, f, n)), (k.jacobi, (d, d, n)), (k.matvec, (f, f, f, n, n)),
            (k.softmax, (f, n))]


def be_triton(_start):
    begun = time.perf_counter()
    kernels = triton_kernels()
    opened = time.perf_counter()
    for kernel, args in kernels:
        made = kernel.warmup(*args, BLOCK=1024, grid=(1,))
        made._init_handles()  # pylint: disable=protected-access  # loads what the driver runs
    return len(kernels), begun, opened


PEERS = {"cupy": be_cupy, "triton": be_triton}


def run(peer, start, folder):
    """(kernels, open, ready, all) in ms, or why there is none."""
    env = dict(os.environ, CUPY_CACHE_DIR=f"{folder}/cupy", TRITON_CACHE_DIR=f"{folder}/triton", CUDA_CACHE_PATH=f"{folder}/driver")
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, __file__, start, "--peer", peer], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    took = (time.perf_counter() - begun) * 1e3
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["it failed"])[-1]
    count, opened, ready = done.stdout.split()
    return int(count), float(opened), float(ready), took


def show(peer, state, starts):
    broken = [start for start in starts if isinstance(start, str)]
    if broken:
        print(f"{peer:10} {state:8} is not here: {broken[0]}")
        return False
    count = starts[0][0]
    opened, ready, took = (statistics.median(start[k] for start in starts) for k in (1, 2, 3))
    print(f"{peer:10} {state:8} {count:7} {opened:10.1f} {ready:10.2f} {ready / count:10.3f} {took:10.1f}")
    return True


def main():
    start = find_start()
    if sys.argv[2:3] == ["--peer"]:
        count, begun, opened = PEERS[sys.argv[3]](start)
        print(count, (opened - begun) * 1e3, (time.perf_counter() - opened) * 1e3)
        return 0
    print(f"ms, median of {STARTS} starts (2 with an empty cache)")
    print(f"{'':10} {'cache':8} {'kernels':>7} {'open':>10} {'ready':>10} {'a kernel':>10} {'all':>10}")
    for peer in PEERS:
        starts = []
        with tempfile.TemporaryDirectory() as folder:
            for number in range(2):
                starts.append(run(peer, start, f"{folder}/{number}"))
            if show(peer, "empty", starts):
                show(peer, "filled", [run(peer, start, f"{folder}/1") for _ in range(STARTS)])
    return 0


if __name__ == "__main__":
    sys.exit(main())

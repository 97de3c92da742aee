#!/usr/bin/env python3
"""Launches and kernels of Rill beside PyTorch, CuPy and Triton, from one Python program on one GPU, in one run.

    bench/peers.py [--rounds N] [--small]

Everybody is called from Python, Rill through ctypes: what a launch costs from C is bench/gpu. Whoever is not installed, or
fails, is named and left out. Two figures for what is bound by the host, in microseconds: what the host pays to queue one,
and what one takes with everything waited for at the end. Bandwidth, in TB/s, for what is bound by memory: the best of ten.

librill.so is looked for where RILL_LIBRARY says, beside this file's installation (../lib), then by the loader.
"""
import argparse
import ctypes
import os
import pathlib
import sys
import time

SMALL = 1024        # elements of a launch that costs the device nothing
CHAIN = 20
QUEUED = 500        # launches between two waits: the driver's own queue is longer
SOURCE = """
#include <rill/kernel.h>
#include <math.h>
kernel void launch(long n, float s, const float b[n], float a[n])
{ for (long i = 0; i < n; i++) a[i] = s * b[i] + a[i]; }
#define SWAP for (long i = 0; i < n; i++) a[i] = s * b[n - 1 - i] + 1; for (long i = 0; i < n; i++) b[i] = s * a[n - 1 - i] + 1;
kernel void chain(long n, float s, float a[n], float b[n])
{ SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP SWAP }
kernel void triad(long n, float s, const float b[n], const float c[n], float a[n])
{ for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i]; }
kernel void total(long n, const float x[n], float out[1])
{ float sum = 0; for (long i = 0; i < n; i++) sum += x[i]; out[0] = sum; }
kernel void elementwise(long n, const float b[n], const float c[n], float a[n])
{ for (long i = 0; i < n; i++) a[i] = expf(-b[i] * b[i]) * c[i] + b[i]; }
"""


# ---- Rill -----------------------------------------------------------------------------------------------------------

class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("f", ctypes.c_double), ("id", ctypes.c_uint64)]


class Arg(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("type", ctypes.c_int32), ("value", Value), ("count", ctypes.c_uint64),
                ("size", ctypes.c_uint64)]


class Args(ctypes.Structure):
    _fields_ = [("items", ctypes.POINTER(Arg)), ("count", ctypes.c_size_t)]


class Shape(ctypes.Structure):
    _fields_ = [("extents", ctypes.c_int64 * 16), ("rank", ctypes.c_int32)]


class Rill:
    name = "Rill"
    INT, FLOAT, ARRAY, F32 = 1, 3, 4, 10

    def __init__(self, big):
        beside = pathlib.Path(__file__).resolve().parents[1] / "lib" / "librill.so"
        self.lib = ctypes.CDLL(os.environ.get("RILL_LIBRARY") or (str(beside) if beside.exists() else "librill.so"))
        handle, text, out = ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64)
        for call, types in {"rill_open": [text, ctypes.c_void_p, out], "rill_close": [handle], "rill_sync": [handle],
                            "rill_module_create": [handle, text, ctypes.c_void_p, out],
                            "rill_module_kernel": [handle, text, out],
                            "rill_stream_create": [handle, ctypes.c_void_p, out],
                            "rill_stream_synchronize": [handle],
                            "rill_array_create": [handle, ctypes.c_int, Shape, out],
                            "rill_launch": [handle, handle, Args]}.items():
            getattr(self.lib, call).argtypes = types
        self.lib.rill_message.restype = text
        self.context = self.made("rill_open", os.environ.get("RILL_TEST_DEVICE", "cuda:0").encode(), None)
        self.module = self.made("rill_module_create", self.context, SOURCE.encode(), None)
        self.stream = self.made("rill_stream_create", self.context, None)
        small, large = [self.array(SMALL) for _ in range(2)], [self.array(big) for _ in range(3)]
        self.calls = {"launch": self.bind("launch", SMALL, 0.5, small[0], small[1]),
                      "chain": self.bind("chain", SMALL, 0.5, small[0], small[1]),
                      "triad": self.bind("triad", big, 0.5, large[0], large[1], large[2]),
                      "total": self.bind("total", big, large[0], self.array(1)),
                      "elementwise": self.bind("elementwise", big, large[0], large[1], large[2])}

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.rill_message().decode())

    def made(self, call, *args):
        handle = ctypes.c_uint64()
        self.check(getattr(self.lib, call)(*args, ctypes.byref(handle)))
        return handle.value

    def array(self, count):
        shape = Shape((ctypes.c_int64 * 16)(count), 1)
        return ("array", self.made("rill_array_create", self.context, self.F32, shape))

    def bind(self, kernel, *values):
        items = (Arg * len(values))()
        for item, value in zip(items, values):
            if isinstance(value, tuple):
                item.kind, item.value.id = self.ARRAY, value[1]
            elif isinstance(value, float):
                item.kind, item.value.f = self.FLOAT, value
            else:
                item.kind, item.value.i = self.INT, value
        args, handle = Args(items, len(values)), self.made("rill_module_kernel", self.module, kernel.encode())
        launch, stream = self.lib.rill_launch, self.stream

        def call():
            if launch(handle, stream, args) != 0:
                self.check(1)
        return call

    def sync(self):
        self.check(self.lib.rill_stream_synchronize(self.stream))


# ---- the others -----------------------------------------------------------------------------------------------------

class Torch:
    name = "PyTorch"

    def __init__(self, big):
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("it finds no GPU")
        self.torch = torch
        a, b = (torch.zeros(SMALL, device="cuda") for _ in range(2))
        x, y, z = (torch.zeros(big, device="cuda") for _ in range(3))
        out = torch.zeros((), device="cuda")

        def chain():
            for _ in range(CHAIN // 2):
                torch.add(b, 1, alpha=0.5, out=a)
                torch.add(a, 1, alpha=0.5, out=b)

        def elementwise():
            torch.exp(-x * x).mul_(y).add_(x)
        self.calls = {"launch": lambda: a.add_(b, alpha=0.5), "chain": chain,
                      "triad": lambda: torch.add(x, y, alpha=0.5, out=z), "total": lambda: torch.sum(x, dim=0, out=out),
                      "elementwise": elementwise}

    def sync(self):
        self.torch.cuda.synchronize()


class TorchGraph(Torch):
    name = "PyTorch, CUDAGraph"

    def __init__(self, big):
        super().__init__(big)
        for name in ("launch", "chain"):
            self.calls[name]()
            self.sync()
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(graph):
                self.calls[name]()
            self.calls[name] = graph.replay
        self.calls = {name: self.calls[name] for name in ("launch", "chain")}


class CuPy:
    name = "CuPy"

    def __init__(self, big):
        import cupy
        self.cupy = cupy
        code = """extern "C" __global__ void axpy(long long n, float s, const float *b, float *a)
        { long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; if (i < n) a[i] = s * b[i] + a[i]; }"""
        axpy = cupy.RawKernel(code, "axpy")
        triad = cupy.ElementwiseKernel("float32 b, float32 c", "float32 a", "a = b + 0.5f * c", "triad")
        curve = cupy.ElementwiseKernel("float32 b, float32 c", "float32 a", "a = expf(-b * b) * c + b", "curve")
        a, b = (cupy.zeros(SMALL, dtype=cupy.float32) for _ in range(2))
        x, y, z = (cupy.zeros(big, dtype=cupy.float32) for _ in range(3))
        n, s, out = cupy.int64(SMALL), cupy.float32(0.5), cupy.zeros((), dtype=cupy.float32)

        def launch():
            axpy((SMALL // 256,), (256,), (n, s, b, a))

        def chain():
            for _ in range(CHAIN // 2):
                axpy((SMALL // 256,), (256,), (n, s, b, a))
                axpy((SMALL // 256,), (256,), (n, s, a, b))
        self.calls = {"launch": launch, "chain": chain, "triad": lambda: triad(x, y, z),
                      "total": lambda: cupy.sum(x, out=out), "elementwise": lambda: curve(x, y, z)}

    def sync(self):
        self.cupy.cuda.Device().synchronize()


class Triton:
    name = "Triton"

    def __init__(self, big):
        import torch
        import triton
        import triton.language as tl
        globals()["tl"] = tl  # its compiler looks names up in the module
        self.torch = torch
        a, b = (torch.zeros(SMALL, device="cuda") for _ in range(2))
        x, y, z = (torch.zeros(big, device="cuda") for _ in range(3))
        axpy, triad, curve = (triton.jit(kernel) for kernel in (triton_axpy, triton_triad, triton_curve))
        block = 1024
        grid, wide = (triton.cdiv(SMALL, block),), (triton.cdiv(big, block),)

        def chain():
            for _ in range(CHAIN // 2):
                axpy[grid](b, a, SMALL, 0.5, BLOCK=block)
                axpy[grid](a, b, SMALL, 0.5, BLOCK=block)
        self.calls = {"launch": lambda: axpy[grid](b, a, SMALL, 0.5, BLOCK=block), "chain": chain,
                      "triad": lambda: triad[wide](x, y, z, big, 0.5, BLOCK=block),
                      "elementwise": lambda: curve[wide](x, y, z, big, BLOCK=block)}

    def sync(self):
        self.torch.cuda.synchronize()


# Triton reads these as text. They are only called by its compiler.
def triton_axpy(b, a, n, s, BLOCK: "tl.constexpr"):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(a + at, s * tl.load(b + at, mask=mask) + tl.load(a + at, mask=mask), mask=mask)


def triton_triad(b, c, a, n, s, BLOCK: "tl.constexpr"):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(a + at, tl.load(b + at, mask=mask) + s * tl.load(c + at, mask=mask), mask=mask)


def triton_curve(b, c, a, n, BLOCK: "tl.constexpr"):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(b + at, mask=mask)
    tl.store(a + at, tl.exp(-value * value) * tl.load(c + at, mask=mask) + value, mask=mask)


# ---- measuring ------------------------------------------------------------------------------------------------------

def host_cost(call, sync, rounds):
    """Microseconds to queue one, and for one with everything waited for at the end."""
    for _ in range(20):
        call()
    sync()
    queueing = 0.0
    begin = time.perf_counter()
    for _ in range(max(rounds // QUEUED, 1)):
        start = time.perf_counter()
        for _ in range(min(rounds, QUEUED)):
            call()
        queueing += time.perf_counter() - start
        sync()
    count = max(rounds // QUEUED, 1) * min(rounds, QUEUED)
    return queueing / count * 1e6, (time.perf_counter() - begin) / count * 1e6


def bandwidth(call, sync, size):
    """TB/s of one call and a wait, the best of ten."""
    best = float("inf")
    for _ in range(11):
        start = time.perf_counter()
        call()
        sync()
        best = min(best, time.perf_counter() - start)
    return size / best * 1e-12


def row(what, found):
    """One line a peer, relative to Rill where it has that line."""
    print(what)
    own = dict(found).get("Rill")
    for name, figures in found:
        if isinstance(figures, str):
            print(f"  {name:<20} {figures}")
            continue
        ratio = f"   {figures[0] / own[0]:6.2f}x of Rill's" if own and not isinstance(own, str) and name != "Rill" else ""
        print(f"  {name:<20} " + " ".join(f"{figure:9.2f}" for figure in figures) + ratio)


def main():
    parser = argparse.ArgumentParser(description="Rill beside PyTorch, CuPy and Triton")
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--small", action="store_true", help="small arrays: to see that everything runs")
    options = parser.parse_args()
    big = 1 << 16 if options.small else 1 << 28
    peers = []
    for kind in (Rill, Torch, TorchGraph, CuPy, Triton):
        try:
            peers.append(kind(big))
        except Exception as missing:  # whatever a package does when it is missing or does not fit
            print(f"{kind.name}: left out: {type(missing).__name__}: {str(missing).splitlines()[0] if str(missing) else ''}")
    if not peers or peers[0].name != "Rill":
        sys.exit("Rill itself does not run here: nothing to compare with")

    def each(name, measure):
        found = []
        for peer in peers:
            if name not in peer.calls:
                continue
            try:
                found.append((peer.name, measure(peer.calls[name], peer.sync)))
            except Exception as fault:
                found.append((peer.name, f"failed: {type(fault).__name__}: {fault}"))
        return found
    row("one launch, us: host, sustained", each("launch", lambda c, s: host_cost(c, s, options.rounds)))
    row(f"{CHAIN} small loops behind each other, us: host, sustained",
        each("chain", lambda c, s: host_cost(c, s, options.rounds // 10)))
    row("triad, TB/s", each("triad", lambda c, s: (bandwidth(c, s, 12 * big),)))
    row("sum of floats, TB/s", each("total", lambda c, s: (bandwidth(c, s, 4 * big),)))
    row("exp(-x * x) * y + x, TB/s of what must be moved", each("elementwise", lambda c, s: (bandwidth(c, s, 12 * big),)))


if __name__ == "__main__":
    main()

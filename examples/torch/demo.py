#!/usr/bin/env python3
"""A Rill kernel among PyTorch's own operations: on its stream, on its memory, in its graphs."""
import time

import torch

import rill_torch

SOURCE = """
#include <rill/kernel.h>
#include <assert.h>
kernel void saxpy(long n, float a, const float x[n], float y[n])
{ for (long i = 0; i < n; i++) y[i] += a * x[i]; }
kernel void both(long n, float a[n], float b[n])
{
    stream_parallel { for (long i = 0; i < n; i++) a[i] += 1; }
    stream_parallel { for (long i = 0; i < n; i++) b[i] += 2; }
    for (long i = 0; i < n; i++) b[i] += a[i];
}
kernel void below(long n, float limit, const float x[n])
{ for (long i = 0; i < n; i++) assert(x[i] < limit); }
"""


def among_torch(module, n):
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    expected = (y * 2 + 3 * (x + 1)) * 0.5
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # about 0.1 s: whoever waits is late
        begin = time.perf_counter()
        y.mul_(2)
        x.add_(1)
        module.saxpy(n, 3.0, x, y)
        y.mul_(0.5)
        queued = time.perf_counter() - begin
    was_busy = not side.query()
    side.synchronize()
    assert torch.allclose(y, expected), "wrong result"
    print(f"ok    between PyTorch's operations: queued in {queued * 1e6:.0f} us while the stream was "
          f"{'busy' if was_busy else 'IDLE'}")
    assert was_busy, "the launch waited"


def in_a_graph(module, n, replays):
    x, a, b = (torch.zeros(n, device="cuda") for _ in range(3))
    one = torch.ones(n, device="cuda")
    module.saxpy(n, 0.0, one, x)  # warm
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.add_(1)
        module.saxpy(n, 2.0, one, x)
        module.both(n, a, b)
        module.below(n, 1e9, x)
        try:
            rill_torch.synchronize()
            raise SystemExit("waiting for a stream that is captured must fail")
        except rill_torch.Error as error:
            words = str(error)
    for _ in range(replays):
        graph.replay()
    torch.cuda.synchronize()
    assert (x == 3 * replays).all() and (a == replays).all(), "wrong result"
    assert (b == 2 * replays + replays * (replays + 1) / 2).all(), "wrong result of blocks"
    print(f"ok    {replays} replays of torch.cuda.graph; waiting inside it: {words}")


def speed(module, n, rounds):
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    for name, call in (("PyTorch y.add_(x, alpha=3)", lambda: y.add_(x, alpha=3)),
                       ("Rill saxpy, through ctypes", lambda: module.saxpy(n, 3.0, x, y))):
        call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(rounds):
            call()
        torch.cuda.synchronize()
        print(f"      {name}: {(time.perf_counter() - begin) / rounds * 1e6:.1f} us")


def main():
    if not torch.cuda.is_available():
        print("there is no NVIDIA GPU here")
        return
    module = rill_torch.Module(SOURCE)
    among_torch(module, 1_000_000)
    in_a_graph(module, 1000, 1000)
    speed(module, 1000, 2000)


if __name__ == "__main__":
    main()

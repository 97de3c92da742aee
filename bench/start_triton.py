"""Kernels of bench/start as users of Triton write them: a program takes a block of elements. start_peers.py times them."""
import triton
import triton.language as tl


@triton.jit
def scale(x, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, a * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def axpy(x, y, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(y + i, mask=i < n) + a * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def triad(a, b, c, n, s, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(a + i, tl.load(b + i, mask=i < n) + s * tl.load(c + i, mask=i < n), mask=i < n)


@triton.jit
def gather(at, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.load(at + i, mask=i < n, other=0)
    tl.store(y + i, tl.load(x + k, mask=i < n), mask=i < n)


@triton.jit
def threshold(x, n, limit, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(x + i, tl.where(v > limit, 255, 0).to(tl.uint8), mask=i < n)


@triton.jit
def gray(rgb, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r = tl.load(rgb + 3 * i, mask=i < n).to(tl.int32)
    g = tl.load(rgb + 3 * i + 1, mask=i < n).to(tl.int32)
    b = tl.load(rgb + 3 * i + 2, mask=i < n).to(tl.int32)
    tl.store(out + i, ((r * 77 + g * 150 + b * 29) >> 8).to(tl.uint8), mask=i < n)


@triton.jit
def heat(a, b, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (i > 0) & (i < n - 1)
    left = tl.load(a + i - 1, mask=inside)
    right = tl.load(a + i + 1, mask=inside)
    tl.store(b + i, 0.5 * tl.load(a + i, mask=inside) + 0.25 * (left + right), mask=inside)


@triton.jit
def jacobi(a, b, n, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (row > 0) & (row < n - 1) & (j > 0) & (j < n - 1)
    at = a + row * n + j
    around = tl.load(at - n, mask=inside) + tl.load(at + n, mask=inside) + tl.load(at - 1, mask=inside) + tl.load(at + 1, mask=inside)
    tl.store(b + row * n + j, 0.25 * around, mask=inside)


@triton.jit
def matvec(a, x, y, n, m, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, m, BLOCK):
        k = first + tl.arange(0, BLOCK)
        total += tl.load(a + row * m + k, mask=k < m, other=0.0) * tl.load(x + k, mask=k < m, other=0.0)
    tl.store(y + row, tl.sum(total))


@triton.jit
def softmax(x, m, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    v = tl.load(x + row * m + j, mask=j < m, other=-float("inf"))
    e = tl.exp(v - tl.max(v))
    tl.store(x + row * m + j, e / tl.sum(e), mask=j < m)

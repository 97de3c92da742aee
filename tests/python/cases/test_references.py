"""No call takes or gives back a reference too many: shown by a debug build of CPython, which counts them all, over an extension
that is built for it (tests/python/sanitized_test.py). NumPy, whose own are not counted, stays outside."""
import array
import gc
import inspect
import os
import sys

import pytest

import rill

N = 100

pytestmark = pytest.mark.skipif("RILL_TEST_REFERENCES" not in os.environ, reason="references are counted by sanitized_test.py")


def refused(ctx, module, x, memory):
    for values in ((N, 1), (N, 1, array.array("d", [1])), (N, "1", memory), (1 << 40, 1, memory), (N, 1, b"abc"), (N, 1, None),
                   (N, 1, x, 3), (1.5, 1, x)):
        try:
            module.fill(*values)
        except (rill.Error, TypeError):
            continue
        raise AssertionError(values)
    for wrong in (lambda: ctx.module("kernel void f(int n) { n = ; }"), lambda: module.no_such_kernel, lambda: x[N], lambda: x[::2],
                  lambda: ctx.zeros(-1), lambda: rill.open("nothing:3")):
        try:
            wrong()
        except (rill.Error, AttributeError, IndexError, ValueError):
            continue
        raise AssertionError("was not refused")


def objects(ctx, module, x, memory):
    with ctx.stream() as s, ctx.event() as e:
        module.fill(N, 1, x, stream=s)
        e.record(s)
        e.wait(ctx.current_stream)
        s.callback(lambda status: None)
        with rill.stream(s):
            module.add(N, x, memory)
        e.synchronize()
        s.synchronize()
        assert s.query() and e.query() and s.error is None and repr(s) and repr(e)


def arrays(ctx, module, x, memory):
    y = ctx.array([[1, 2], [3, 4]], rill.f32)
    y[0], y[1, 1] = y[1], 5
    assert y.tolist() and y[1:].shape and repr(y) and y.copy().read() and y.dtype is rill.f32 and y.strides and y.nbytes
    y.fill(1)
    ctx.array(memory)


def kernels(ctx, module, x, memory):
    module.sum(N, x=x)
    module.kernel("fill", value=3)(N, x=x)
    twice(memory)
    twice.launch(x, a=1)
    assert repr(module.fill) and inspect.signature(module.fill) and module.explain() and ctx.stats and repr(ctx) and repr(module)


def steps(ctx, module, x, memory):
    with rill.record(ctx) as step:
        module.fill(N, 1, x)
        module.add(N, x, x)
    step(value=2)
    step()


def contexts(ctx, module, x, memory):
    with rill.open("cpu", threads=1) as other:
        one = other.kernel("#include <rill/kernel.h>\nkernel void one(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }")
        one(N, memory)
        one(N, other.zeros(N))
        other.sync()


@rill.kernel
def twice(x: rill.f32[:], a: float = 2.0) -> float:
    for i in range(len(x)):
        x[i] *= a
    return x[0]


@pytest.mark.parametrize("call", [refused, objects, arrays, kernels, steps, contexts])
def test_no_reference_is_lost(ctx, module, call):
    x, memory = ctx.zeros(N), array.array("f", [0] * N)
    rill.set_default(ctx)
    rounds = 10 if call is contexts else 50

    def references():
        for _ in range(rounds):
            call(ctx, module, x, memory)
        ctx.sync()
        gc.collect()
        return sys.gettotalrefcount()

    references()
    before = references()
    after = references()
    rill.set_default(None)
    assert abs(after - before) < rounds  # one a round would be as many

"""The package with nothing but Python: no NumPy, no other library. Memory is array.array's and bytearray's."""
import array
import subprocess
import sys

import pytest

import rill


@rill.struct
class Pair:
    a: rill.f32
    b: rill.i32


@rill.kernel
def scale(x: rill.f32[:], y: rill.f32[:], factor: float) -> float:
    total = 0.0
    for i in range(len(x)):
        y[i] = factor * x[i]
        total += y[i]
    return total


@rill.kernel
def pairs(p: Pair, out: Pair[:]):
    for i in range(len(out)):
        out[i] = Pair(p.a * i, p.b + i)


@pytest.fixture(autouse=True)
def default(ctx):
    rill.set_default(ctx)
    yield
    rill.set_default(None)


def test_buffers_of_python(ctx, module):
    x, y = array.array("f", range(100)), array.array("f", [1]) * 100
    module.add(100, x, y)
    ctx.sync()
    assert list(y) == [1 + i for i in range(100)]
    assert module.sum(100, x) == 4950 and scale(x, y, 2.0) == 9900
    ctx.sync()
    assert y[99] == 198
    with pytest.raises(rill.ArgumentError, match="read-only"):
        module.add(100, x, bytes(400))
    with pytest.raises(rill.ArgumentError, match="its elements are float"):
        module.add(100, x, array.array("d", [1]) * 100)


def test_arrays_without_numpy(ctx, module):
    x = ctx.array([[1, 2, 3], [4, 5, 6]], rill.f32)
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]] and x[1, 2] == 6 and x.strides == (12, 4)
    x[0] = x[1]
    x[1].fill(7)
    assert x.read().tolist() == [[4, 5, 6], [7, 7, 7]] and list(x.reshape(6)) == [4, 5, 6, 7, 7, 7]
    module.fill(6, 2, x.reshape(-1))
    y = x.copy()
    y.write([[1, 1, 1], [2, 2, 2]])
    x[1] = y[0]
    assert x.tolist() == [[2, 2, 2], [1, 1, 1]]
    if ctx.device == "cpu":
        memory = array.array("f", [1, 2, 3])
        ctx.wrap(memory).fill(9)
        ctx.sync()
        assert list(memory) == [9, 9, 9]


def test_structs_without_numpy(ctx):
    out = ctx.zeros(3, Pair)
    pairs(Pair(1.5, 10), out)
    assert [out[i] for i in range(3)] == [Pair(0, 10), Pair(1.5, 11), Pair(3, 12)]
    out[1] = Pair(-1, -2)
    assert out[1] == Pair(-1, -2)


def test_importing_brings_in_nothing_large():
    text = ("import sys, rill; large = {'numpy', 'torch', 'dataclasses', 'inspect', 'ast'} & set(sys.modules); "
            "maps = open('/proc/self/maps').read(); print(sorted(large), 'librill-compiler' in maps)")
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{text}"], capture_output=True,
                          text=True, check=True)
    assert done.stdout == "[] False\n", done.stdout

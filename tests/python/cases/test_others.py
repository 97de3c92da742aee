"""Arrays of JAX and CuPy, there and back. Skipped where they are not installed."""
import importlib.util
import os

import pytest

import rill

numpy = pytest.importorskip("numpy")
N = 1000


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")
def test_arrays_of_jax(ctx, module):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    place = jax.devices()[0].platform
    if place != "cpu" and ctx.device == "cpu":
        jax.config.update("jax_default_device", jax.devices("cpu")[0])
    x, y = jnp.arange(N, dtype=jnp.float32) + 1, ctx.zeros(N)
    module.add(N, x, y)
    assert (y.numpy() == 1 + numpy.arange(N)).all()
    if "cpu" in str(x.devices()):
        with pytest.raises(rill.ArgumentError, match="read-only"):  # JAX's arrays never change
            module.add(N, y, x)
    if ctx.device == "cpu":
        assert float(jax.dlpack.from_dlpack(y).sum()) == N * (N + 1) / 2


@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")
def test_arrays_of_cupy(ctx, module):
    import cupy
    if not ctx.device.startswith("cuda") or not cupy.cuda.is_available():
        pytest.skip("the device is no NVIDIA GPU that CuPy has")
    x, y = cupy.ones(N, "f4"), cupy.zeros(N, "f4")
    with cupy.cuda.Stream():
        x += 1
        module.add(N, x, y)  # behind what CuPy has queued
    ctx.sync()
    assert (y == 2).all()
    ours = ctx.array(numpy.arange(N, dtype=numpy.float32))
    assert float(cupy.asarray(ours).sum()) == float(cupy.from_dlpack(ours).sum()) == N * (N - 1) / 2
    with pytest.raises(rill.ArgumentError, match="not in one piece"):
        module.add(N // 2, x[::2], y)

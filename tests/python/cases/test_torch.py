"""Tensors of PyTorch, and kernels as its operators. Skipped where torch is not installed."""
import os

import pytest

import rill

torch = pytest.importorskip("torch")
DEVICE = os.environ.get("RILL_TEST_DEVICE", "cpu")
if DEVICE.startswith("cuda") and not torch.cuda.is_available():
    PLACES = ["cpu"]  # a stand-in for the driver: torch has no such device
else:
    PLACES = ["cpu", DEVICE] if DEVICE != "cpu" else ["cpu"]


@pytest.fixture(params=PLACES)
def place(request, ctx):
    rill.set_default(ctx)
    yield request.param
    rill.set_default(None)


@rill.kernel
def scale_kernel(x: rill.f32[:], y: rill.f32[:], factor: float):
    for i in range(len(x)):
        y[i] = factor * x[i]


@rill.kernel
def axpy_kernel(x: rill.f32[:], y: rill.f32[:], a: float = 2.0):
    for i in range(len(x)):
        y[i] += a * x[i]


@pytest.fixture(scope="module")
def scale():
    import rill.torch
    return rill.torch.operator("rill_test::scale", scale_kernel, outputs={"y": lambda x, factor: torch.empty_like(x)})


@pytest.fixture(scope="module")
def axpy():
    import rill.torch
    return rill.torch.operator("rill_test::axpy", axpy_kernel)


def test_tensors_are_used_in_place(ctx, module, place):
    x, y = torch.rand(1000, device=place), torch.ones(1000, device=place)
    module.add(1000, x, y)
    ctx.sync()
    assert torch.equal(y, 1 + x)
    with pytest.raises(rill.ArgumentError, match="not in one piece"):
        module.add(500, x[::2], y)
    with pytest.raises(rill.ArgumentError, match="wants a gradient"):
        module.add(1000, torch.nn.Parameter(x), y)
    module.add(torch.tensor(1000), x, torch.nn.Parameter(y, requires_grad=False))  # a tensor of one number is one
    ctx.sync()
    assert torch.allclose(y, 1 + 2 * x)
    if place == ctx.device:
        assert torch.equal(torch.from_dlpack(ctx.array([1.0, 2.0], rill.f32)).cpu(), torch.tensor([1.0, 2.0]))


def test_a_kernel_in_python_goes_where_its_tensors_are(ctx, place):
    x, y = torch.rand(1000, device=place), torch.zeros(1000, device=place)
    scale_kernel(x, y, 3.0)
    ctx.sync()
    assert torch.allclose(y, 3 * x)


def test_operators_follow_torchs_rules(scale, axpy, place):
    x, y = torch.rand(100, device=place), torch.rand(100, device=place)
    assert torch.allclose(scale(x, 2.0), 2 * x)
    wanted = y + 2 * x
    axpy(x, y)
    assert torch.allclose(y, wanted)
    torch.library.opcheck(scale, (x, 2.0))
    torch.library.opcheck(axpy, (x, y, 3.0))
    assert torch.allclose(scale(torch.ones((), device=place).expand(10), 2.0), torch.full((10,), 2.0, device=place))
    with pytest.raises(rill.ArgumentError, match="not in one piece"):
        axpy(x[:50], y[::2])


def test_torch_compile_goes_through_operators(scale, axpy, place):
    def program(x):
        z = scale(torch.sin(x), 3.0) + 1
        axpy(x, z)
        return z * 2

    compiled = torch.compile(program, fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (100, 37):
        x = torch.rand(count, device=place)
        assert torch.allclose(compiled(x), 2 * (3 * torch.sin(x) + 1 + 2 * x))


def test_an_operator_with_a_gradient(place):
    import rill.torch
    cube = rill.torch.operator("rill_test::scale_with_gradient", scale_kernel,
                               outputs={"y": lambda x, factor: torch.empty_like(x)})

    def keep(ctx, inputs, output):
        ctx.factor = inputs[1]

    cube.register_autograd(lambda ctx, grad: (cube(grad, ctx.factor), None), setup_context=keep)
    x = torch.rand(10, device=place, requires_grad=True)
    cube(x, 3.0).sum().backward()
    assert torch.equal(x.grad, torch.full((10,), 3.0, device=place))


def test_kernels_in_c_are_operators(ctx, place):
    import rill.torch
    if place != ctx.device:
        pytest.skip("a kernel in C is one device's")
    kernel = ctx.kernel("#include <rill/kernel.h>\nkernel void clamp(int n, const float x[n], float y[n], float least) "
                        "{ for (int i = 0; i < n; i++) y[i] = x[i] < least ? least : x[i]; }")
    clamp = rill.torch.operator("rill_test::clamp_c", kernel,
                                outputs={"y": lambda n, x, least: torch.empty_like(x)})
    x = torch.rand(100, device=place)
    assert torch.equal(clamp(100, x, 0.5), x.clamp(min=0.5))


def test_what_cannot_be_an_operator_is_said(ctx):
    import rill.torch

    @rill.kernel
    def total(x: rill.f32[:]) -> float:
        return x[0]

    @rill.kernel
    def untyped(x):
        x[0] = 1

    for kernel, words in ((total, "returns a value"), (untyped, "without types"), (print, "is no kernel")):
        with pytest.raises(rill.Error, match=words):
            rill.torch.operator("rill_test::bad", kernel)
    with pytest.raises(rill.Error, match="'x' is to be returned"):
        rill.torch.operator("rill_test::bad", axpy_kernel, outputs={"x": lambda: None})


def test_inside_a_cuda_graph(ctx, module, axpy):
    if "cpu" in ctx.device or not torch.cuda.is_available():
        pytest.skip("the device is no NVIDIA GPU that torch has")
    x, y = torch.rand(1000, device=ctx.device), torch.zeros(1000, device=ctx.device)
    module.add(1000, x, y)  # compiles
    axpy(x, y, 2.0)
    y.zero_()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        z = x * 2
        module.add(1000, z, y)
        axpy(x, y, 3.0)
    assert not y.any()  # nothing ran
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert torch.allclose(y, 15 * x)

"""What is kept, how long, and what remains."""
import array
import gc
import os
import subprocess
import sys
import threading
import weakref

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000
SMALL = "#include <rill/kernel.h>\nkernel void one(int n, float x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }\n"


def run(text, **env):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True, timeout=300, check=False,
                          env=dict(os.environ, **env))
    return done.returncode, done.stdout, done.stderr


def test_memory_is_kept_until_its_work_is_done(ctx, module, stream):
    gate = threading.Event()
    stream.callback(lambda status: gate.wait(60))
    x, seen = array.array("f", [0] * N), []
    module.fill(N, 5, x, stream=stream)
    y = numpy.zeros(N, numpy.float32)
    weakref.finalize(y, seen.append, "gone")
    module.fill(N, 6, y, stream=stream)
    with pytest.raises(BufferError):
        x.append(1)
    del y
    gc.collect()
    assert ctx.stats.kept_count >= 2 and not seen
    gate.set()
    stream.synchronize()
    assert seen == ["gone"] and x[N - 1] == 5
    x.append(1)


def test_launches_let_go_of_what_is_done(ctx, module, stream):
    """No wait is needed: later launches look."""
    other = ctx.zeros(N)
    for _ in range(200):
        module.fill(N, 1, array.array("f", [0] * N), stream=stream)
        stream.query()
    stream.synchronize()
    module.fill(N, 1, array.array("f", [0] * N), stream=stream)
    done = stream.record()
    done.synchronize()
    for _ in range(10):
        module.fill(N, 1, other)
    assert ctx.stats.kept_count == 0


def test_what_python_lets_go_of_is_destroyed(ctx, module):
    before = ctx.stats
    array_, stream, event = ctx.zeros(N), ctx.stream(), ctx.event()
    small = ctx.module(SMALL)
    small.one(N, array_, stream=stream)
    event.record(stream)
    del array_, stream, event, small
    gc.collect()
    ctx.sync()
    after = ctx.stats
    assert (after.array_count, after.stream_count, after.module_count) == (
        before.array_count, before.stream_count, before.module_count)


def test_kernel_keeps_its_module(ctx):
    kernel = ctx.module(SMALL).one
    gc.collect()
    x = numpy.zeros(3, numpy.float32)
    kernel(3, x)
    ctx.sync()
    assert x.tolist() == [1, 1, 1]
    kernel.module.destroy()
    with pytest.raises(rill.StaleError):
        kernel(3, x)


def test_closed_context_is_refused():
    context = rill.open("cpu")
    kernel, stream, x = context.module(SMALL).one, context.stream(), context.zeros(3)
    kernel(3, x)
    context.close()
    context.close()
    for call in (lambda: kernel(3, x), stream.synchronize, x.numpy, context.sync, lambda: context.stats):
        with pytest.raises(rill.StaleError):
            call()
    assert "closed" in repr(context)


def test_program_may_end_with_work_in_flight():
    text = f"""
import rill, numpy
ctx = rill.open("cpu", threads=1)
one = ctx.module({SMALL!r}).one
many = ctx.zeros(1 << 20)
streams = [ctx.stream() for _ in range(3)]
for _ in range(50):
    for s in streams:
        one(1 << 20, many, stream=s)
        one(1000, numpy.zeros(1000, numpy.float32), stream=s)
streams[0].callback(lambda status: print("called", flush=True))
seen = numpy.asarray(ctx.zeros(10))
"""
    status, out, errors = run(text)
    assert (status, out, errors) == (0, "called\n", "")


def test_failure_at_the_end_is_said():
    text = """
import rill
ctx = rill.open("cpu")
ctx.kernel("#include <rill/kernel.h>\\n#include <assert.h>\\nkernel void f(int n) { assert(n > 1); }")(1)
"""
    status, _, errors = run(text)
    assert status == 0 and "'n > 1' failed" in errors


def test_child_of_a_fork_is_told():
    text = f"""
import os, rill
ctx = rill.open("cpu")
x = ctx.zeros(10)
ctx.module({SMALL!r}).one(10, x)
ctx.sync()
child = os.fork()
if child == 0:
    try:
        ctx.sync()
    except rill.ForkError as error:
        del x
        with rill.open("cpu") as other:
            print(error.name, other.zeros(3).tolist(), flush=True)
    raise SystemExit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x[0])
"""
    status, out, errors = run(text)
    assert (status, out, errors) == (0, "RILL_ERR_FORKED [0.0, 0.0, 0.0]\n0 1.0\n", "")


def test_subinterpreter_is_refused_with_words():
    text = """
import sys
try:
    import _xxsubinterpreters as sub
except ImportError:
    print("none")
    raise SystemExit
try:
    made = sub.create(isolated=False)
except TypeError:
    made = sub.create()
sub.run_string(made, "try:\\n    import rill\\nexcept ImportError as error:\\n    print(error, flush=True)")
sub.destroy(made)
"""
    status, out, errors = run(text)
    assert out.startswith(("none", "rill runs in the main interpreter only")), out + errors


def rss():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("kind", ["buffers", "arrays", "failures"])
def test_nothing_leaks(ctx, module, kind):
    """A leak of one object a round would be some megabytes; the long form is bench/python's --leaks."""
    wrong = numpy.zeros(3, numpy.float64)

    def rounds(count):
        for i in range(count):
            if kind == "buffers":
                module.fill(N, 1, numpy.zeros(N, numpy.float32))
            elif kind == "arrays":
                module.fill(N - 10, 1, ctx.zeros(N)[10:])
            else:
                with pytest.raises(rill.ArgumentError):
                    module.fill(N, 1, x=wrong)
            if i % 200 == 0:
                ctx.sync()
        ctx.sync()

    rounds(3000)
    gc.collect()
    before = rss()
    rounds(10000)
    gc.collect()
    assert rss() - before < 4 << 20
    assert ctx.stats.kept_count == 0

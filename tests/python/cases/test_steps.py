"""Recorded steps: what a thread queues in `with rill.record()` is launched as one, with other values, from any thread."""
import gc
import threading
import weakref

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000


@rill.kernel
def scale(x: rill.f32[:], y: rill.f32[:], factor: float):
    for i in range(len(x)):
        y[i] = factor * x[i]


def test_what_is_recorded_runs_when_it_is_launched(ctx, module):
    x, y, z = ctx.array(numpy.ones(N, numpy.float32)), ctx.zeros(N), ctx.zeros(N)
    with rill.record(ctx) as step:
        module.fill(N, 2, y)
        module.add(N, x, y)
        z.copy_from(y)
        scale(x, x, factor=2.0)
    assert (y.numpy() == 0).all() and step.operation_count == 4 and 1 <= step.depth <= 4
    step()
    assert (z.numpy() == 3).all() and (x.numpy() == 2).all()
    step(value=5)                       # of every parameter of that name
    assert (z.numpy() == 7).all()
    step({"fill.value": 1, "factor": 0.5})
    assert (z.numpy() == 5).all() and (x.numpy() == 2).all()
    other = ctx.zeros(N)
    with ctx.stream() as s:
        step({z: other}, stream=s)      # another array wherever z was
    assert (other.numpy() == 4).all() and (z.numpy() == 5).all()
    step.repeat(3)
    step(factor=2)
    assert (x.numpy() == 32).all() and step.repeat_count == 3
    assert repr(step) == "<rill.Step of 4 operations>"
    step.destroy()
    with pytest.raises(rill.StaleError):
        step()


def test_memory_of_the_host_is_kept_as_long_as_the_step(ctx, module):
    class Owner(numpy.ndarray):
        pass

    x, y = numpy.ones(N, numpy.float32).view(Owner), numpy.zeros(N, numpy.float32)
    gone = weakref.ref(x)
    with rill.record(ctx) as step:
        module.add(N, x, y)
    del x
    gc.collect()
    assert gone() is not None
    for _ in range(3):
        step()
    step({(0, 1): numpy.full(N, 2, numpy.float32)})
    step.destroy()                      # what is queued runs
    ctx.sync()
    gc.collect()
    assert (y == 5).all() and gone() is None


def test_what_waits_is_refused_and_the_recording_goes_on(ctx, module):
    x = ctx.zeros(N)
    with rill.record(ctx) as step:
        module.fill(N, 1, x)
        for wait in (lambda: x.read(), ctx.sync, lambda: module.sum(N, x)):
            with pytest.raises(rill.RecordingError):
                wait()
        module.add(N, x, x)
    step()
    assert (x.numpy() == 2).all() and step.operation_count == 2


def test_an_exception_drops_the_recording(ctx, module):
    x = ctx.zeros(N)
    with pytest.raises(KeyError):
        with rill.record(ctx):
            module.fill(N, 1, x)
            raise KeyError
    module.fill(N, 2, x)
    assert (x.numpy() == 2).all()
    with pytest.raises(rill.InvalidError, match="not recorded"):
        rill.record(ctx)()
    with rill.record(ctx) as step:
        with pytest.raises(rill.Error):
            rill.record(ctx).__enter__()
        module.fill(N, 3, x)
    for wrong in ({"nothing": 1}, {1: 2}, {"value": "x"}, {x: 3}):
        with pytest.raises((rill.Error, TypeError)):
            step(wrong)
    step()
    assert (x.numpy() == 3).all()


def test_threads_record_and_launch_by_themselves(ctx, module):
    arrays, failures = [ctx.zeros(N) for _ in range(4)], []

    def work(index):
        try:
            host = numpy.full(N, index, numpy.float32)
            with rill.record(ctx) as step:
                module.fill(N, index, arrays[index])
                module.add(N, host, arrays[index])
            with ctx.stream() as s:
                for _ in range(20):
                    step(stream=s)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert all((array.numpy() == 2 * i).all() for i, array in enumerate(arrays))

"""Streams, events, scopes, failures."""
import threading

import pytest

import rill

numpy = pytest.importorskip("numpy")

N = 1000


def test_event_orders_two_streams(ctx, module):
    x, y = ctx.zeros(N), ctx.zeros(N)
    with ctx.stream() as a, ctx.stream() as b, ctx.event() as filled:
        with pytest.raises(rill.UnrecordedError):
            filled.wait(b)
        for value in range(20):
            module.fill(N, value, x, stream=a)
            filled.record(a)
            filled.wait(b)
            module.add(N, x, y, stream=b)
            a.wait(b.record())
        filled.synchronize()
        assert module.sum(N, y, stream=b) == N * 190 and filled.query()
        b.synchronize()
        assert b.query()
    assert "destroyed" in repr(a)
    with pytest.raises(rill.StaleError):
        a.synchronize()
    with pytest.raises(rill.StaleError):
        filled.record()


def test_stream_waits_for_another(ctx, module):
    x = ctx.zeros(N)
    with ctx.stream(priority=1) as a, ctx.stream(-1) as b:
        module.fill(N, 3, x, stream=a)
        b.wait(a)
        assert module.sum(N, x, stream=b) == 3 * N


def test_rill_orders_streams_by_what_they_touch(ctx):
    from conftest import DEVICE, TEXT
    with rill.open(DEVICE, order="auto") as context:
        module = context.module(TEXT)
        x, y = context.zeros(N), context.zeros(N)
        with context.stream() as a, context.stream() as b, context.stream(unordered=True) as free:
            gate = threading.Event()
            a.callback(lambda status: gate.wait(60))
            module.fill(N, 1, x, stream=a)
            module.add(N, x, y, stream=b)  # behind the fill, which is behind the callback
            waited = context.stats.order_wait_count
            module.fill(N, 1, context.zeros(N), stream=free)
            free.synchronize()
            assert not b.query()
            gate.set()
            for value in range(50):
                module.fill(N, value, x, stream=a)
                module.add(N, x, y, stream=b)
            assert module.sum(N, y, stream=a) == N * (1 + 49 * 25)
        assert waited == 1
    with pytest.raises(rill.InvalidError, match="order is 'some'"):
        rill.open("cpu", order="some")


def test_scope_sets_the_current_stream(ctx, module, stream):
    assert ctx.current_stream == ctx.default_stream != stream
    x = ctx.zeros(N)
    with rill.stream(stream) as s:
        assert s is stream and ctx.current_stream == stream
        with ctx.default_stream.use():
            assert ctx.current_stream == ctx.default_stream
        module.fill(N, 2, x)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ctx.current_stream))
        thread.start()
        thread.join()
        assert seen == [ctx.default_stream]  # a scope is the thread's
        stream.synchronize()
        assert x[5] == 2
    assert ctx.current_stream == ctx.default_stream
    with pytest.raises(KeyError):
        with rill.stream(stream):
            raise KeyError
    assert ctx.current_stream == ctx.default_stream
    with pytest.raises(TypeError):
        module.fill(N, 2, x, stream=1)


def test_failure_stays_on_its_stream(ctx, module):
    s = ctx.stream()
    module.check(3, numpy.array([1, 0, 2], numpy.int32), stream=s)
    with pytest.raises(rill.AssertError) as info:
        s.synchronize()
    assert "'x[i] > 0' failed in iteration 1" in str(info.value) and info.value.name == "RILL_ERR_ASSERT"
    assert isinstance(info.value, (rill.KernelError, AssertionError))
    assert s.error.kernel == "check" and s.error.line == 16 and s.error.iteration == 1
    with pytest.raises(rill.AssertError):
        module.check(1, numpy.array([1], numpy.int32), stream=s)
    s.clear_error()
    assert s.error is None
    module.check(1, numpy.array([1], numpy.int32), stream=s)
    s.destroy()


def test_failure_of_a_call_is_raised_there(ctx, module, stream):
    with pytest.raises(rill.AssertError):
        module.check.call(1, numpy.array([0], numpy.int32), stream=stream)
    assert stream.error is None
    stream.synchronize()


def test_with_does_not_hide_what_was_raised(ctx, module):
    with pytest.raises(KeyError):
        with ctx.stream() as s:
            module.check(1, numpy.array([0], numpy.int32), stream=s)
            raise KeyError
    with pytest.raises(rill.AssertError):
        with ctx.stream() as s:
            module.check(1, numpy.array([0], numpy.int32), stream=s)


def test_callback_is_called_in_order(ctx, module, stream):
    x, seen, done = ctx.zeros(N), [], threading.Event()
    module.fill(N, 5, x, stream=stream)

    def back(status):
        seen.append(status)
        try:
            stream.synchronize()
        except rill.CallbackError as error:
            seen.append(error.name)
        done.set()

    stream.callback(back)
    assert done.wait(60)
    assert seen == [0, "RILL_ERR_IN_CALLBACK"]
    with pytest.raises(TypeError):
        stream.callback(3)


def test_what_raises_in_a_callback_is_reported(ctx, stream, monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda info: seen.append(info.exc_type))
    stream.callback(lambda status: 1 // 0)
    stream.synchronize()
    assert seen == [ZeroDivisionError]


def test_launch_result_and_elapsed(ctx, module, stream):
    x, out = ctx.array([1, 2, 3.5], "f32"), ctx.zeros(1, "f64")
    begin = stream.record()
    assert module.sum.launch(3, x, stream=stream, result=out) is None
    end = stream.record()
    end.synchronize()
    assert out[0] == 6.5 and begin.elapsed(end) >= 0
    with pytest.raises(TypeError, match="result must be"):
        module.sum.launch(3, x, result=1)
    untimed = ctx.event(timed=False)
    untimed.record(stream)
    untimed.synchronize()
    with pytest.raises(rill.InvalidError):
        begin.elapsed(untimed)


def test_threads_launch_on_streams_of_their_own(ctx, module):
    wrong = []

    def work(number):
        mine = numpy.zeros(N, numpy.float32)
        with ctx.stream() as s, rill.stream(s):
            for value in range(50):
                module.fill(N, number + value, mine)
                wrong.extend([number] * (module.sum(N, mine) != N * (number + value)))

    each = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in each:
        thread.start()
    for thread in each:
        thread.join()
    assert not wrong


def test_waiting_lets_other_threads_run(ctx, module, stream):
    """A callback needs the interpreter, and the wait needs the callback: whoever kept the GIL would never return."""
    gate, seen = threading.Event(), []
    stream.callback(lambda status: gate.wait(60))
    threading.Timer(0.05, lambda: (seen.append(1), gate.set())).start()
    stream.synchronize()
    assert seen == [1]


def test_destroying_twice_is_an_error(ctx):
    s = ctx.stream()
    s.destroy()
    with pytest.raises(rill.StaleError):
        s.destroy()

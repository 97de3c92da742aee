#!/usr/bin/env python3
"""examples/python/rill.py: Rill from another language, through the C interface as it is documented. Also what users of
other systems with streams test: streams and events by `with`, kernels on streams, on memory of the caller's."""
import array
import copy
import ctypes
import gc
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import types

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
LIBRARY = pathlib.Path(os.environ["RILL_BUILD"]) / "lib" / "librill.so"
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "examples/python")]
from report import Report  # noqa: E402

TEXT = """#include <rill/kernel.h>
#include <assert.h>
#include <stdint.h>
struct point { float x; int id; };
kernel void fill(int n, float value, float x[n]) { for (int i = 0; i < n; i++) x[i] = value; }
kernel void add(int n, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += x[i]; }
kernel double sum(int n, const float x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
kernel void grid(int n, int m, int16_t g[n][m])
{ for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) g[i][j] = 10 * i + j; }
kernel int64_t wide(int64_t a, uint64_t b) { return a + (int64_t)(b >> 32); }
kernel _Bool both(_Bool a, _Bool b) { return a && b; }
kernel void check(int n, const int x[n]) { for (int i = 0; i < n; i++) assert(x[i] > 0); }
kernel void move(int n, struct point p[n]) { for (int i = 0; i < n; i++) { p[i].x += 1; p[i].id = i; } }
kernel float weight(struct point p, float w) { return p.x * w + p.id; }
int table[3] = {1, 2, 3};
kernel void triple(void) { for (int i = 0; i < 3; i++) table[i] *= 3; }
"""
N = 1000


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("id", ctypes.c_int)]


def raised(kind, call, *args, **named):
    try:
        call(*args, **named)
    except kind as error:
        return error
    return None


def memory_is_used_in_place(rill, ctx, module, report):
    x, y = array.array("f", range(N)), array.array("f", [1] * N)
    module.add(N, x, y)
    module.add(N, memoryview(bytes(x)).cast("f"), y)  # const: memory that may only be read will do
    ctx.synchronize()
    report.check("kernel_works_on_an_array_of_pythons", all(y[i] == 1 + 2 * i for i in range(N)), y[:5])
    error = raised(BufferError, module.add, N, x, memoryview(bytes(y)).cast("f"))
    report.check("memory_to_read_only_is_refused_where_the_kernel_writes", "parameter 'y'" in str(error), error)
    report.check("memory_in_pieces_is_refused", raised(BufferError, module.add, N // 2, memoryview(x)[::2], y))
    error = raised(rill.Error, module.add, N, x, array.array("d", y))
    report.check("wrong_elements_are_refused_with_words",
                 error and error.name == "RILL_ERR_ARGUMENTS" and "are double, not float" in str(error), error)
    points = (Point * 3)()
    module.move(3, points)
    ctx.synchronize()
    report.check("structs_are_used_in_place", [(p.x, p.id) for p in points] == [(1, 0), (1, 1), (1, 2)])
    packed = struct.pack("fi", 2.5, 7)
    report.check("struct_goes_by_value", module.weight(Point(2.5, 7), 2) == 12 and module.weight(packed, 2) == 12)
    error = raised(rill.Error, module.weight, packed + b"x", 2)
    report.check("struct_of_another_size_is_refused", error and "9 bytes was passed, struct point has 8" in str(error),
                 error)
    error = raised(TypeError, module.weight, "text", 2)
    report.check("what_is_no_memory_is_refused", "parameter 'p'" in str(error), error)
    report.check("numbers_that_do_not_fit_are_refused",
                 raised(OverflowError, module.fill, 2**70, 0, x) and raised(rill.Error, module.fill, 2**40, 0, x))


def numpy_arrays(rill, ctx, module, report):
    try:
        import numpy  # pylint: disable=import-outside-toplevel
    except ImportError:
        report.skip("numpy_arrays_are_used_in_place", "there is no NumPy")
        return
    x, y = numpy.arange(N, dtype=numpy.float32), numpy.ones(N, numpy.float32)
    module.add(numpy.int64(N), x, y)
    ctx.synchronize()
    grid = numpy.zeros((3, 4), numpy.int16)
    module.grid(3, 4, grid)
    ctx.synchronize()
    report.check("numpy_arrays_are_used_in_place", (y == 1 + x).all() and grid[2, 3] == 23)
    report.check("numpy_array_in_pieces_is_refused", raised((BufferError, ValueError), module.add, 10, x[::2], y))


def values_come_back(rill, ctx, module, report):
    report.check("returned_values_have_their_types",
                 module.sum(3, array.array("f", [1, 2, 3.5])) == 6.5 and module.both(True, 1) is True and
                 module.both(True, False) is False and module.wide(-5, 2**63 + 7) == 2**31 - 5)
    grid = ctx.array("i16", (3, 4))
    module.grid(3, 4, grid)
    report.check("array_of_the_device_is_read_with_its_shape", grid.read().tolist() ==
                 [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])
    grid.write_at(7, -3)
    error = raised(rill.Error, grid.read_at, 12)
    report.check("element_of_an_array_is_read_and_written", (grid.read_at(6), grid.read_at(7)) == (12, -3) and
                 error and "1 elements from element 12 on are more than the array's 12" in str(error), error)
    none = ctx.array("f32", 0)
    report.check("array_without_elements_will_do", len(none.read()) == 0 and module.sum(0, none) == 0)
    kept = ctx.array("f32", N, array.array("f", [2] * N))
    out = array.array("f", bytes(4 * N))
    kept.read(out)
    report.check("array_begins_with_what_it_is_given", out[0] == 2 and out[N - 1] == 2)


def options_and_fields(rill, ctx, module, report):
    module.triple()
    table = module.read_field("table", array.array("i", [0] * 3))
    report.check("field_is_read_in_stream_order", list(table) == [3, 6, 9], table)
    module.write_field("table", array.array("i", [5]))
    report.check("field_is_written", list(module.read_field("table", table)) == [5, 6, 9], table)
    error = raised(rill.Error, module.read_field, "nothing", table)
    report.check("field_that_is_not_there_is_named", "'nothing'" in str(error), error)
    text = '#include <rill/kernel.h>\n#include "unit.h"\nkernel int f(void) { return SCALE * UNIT + DISK; }\n'
    with tempfile.TemporaryDirectory() as folder:
        for name, part in {"f.c": text, "unit.h": "#define UNIT 2\n", "disk/disk.h": "#define DISK 100\n"}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(part.replace('"unit.h"', '"unit.h"\n#include "disk.h"') if name == "f.c" else part)
        options = {"defines": {"SCALE": 3}, "include_dirs": [path.parent]}
        report.check("module_is_loaded_from_a_file", ctx.load(pathlib.Path(folder) / "f.c", **options).f() == 106)
        report.check("header_of_the_caller_comes_first",
                     ctx.load(pathlib.Path(folder) / "f.c", headers={"unit.h": "#define UNIT 7"}, **options).f() == 121)
    error = raised(rill.Error, ctx.module, text, path="edit.c")
    report.check("path_is_shown", "edit.c:2:10" in str(error), error)
    look = ctx.module("#include <rill/kernel.h>\nkernel int look(int n, const int x[n], int i) { return x[i]; }",
                      check_bounds=True).look
    error = raised(rill.Error, look, 3, array.array("i", [1, 2, 3]), 3)
    report.check("index_out_of_range_is_raised", error and error.name == "RILL_ERR_BOUNDS", error)


def streams_and_events(rill, ctx, module, report):
    x, y = ctx.array("f32", N), ctx.array("f32", N)
    with ctx.stream() as a, ctx.stream() as b, ctx.event() as filled:
        error = raised(rill.Error, filled.wait, b)
        report.check("event_never_recorded_is_an_error", error and error.name == "RILL_ERR_UNRECORDED", error)
        for value in range(20):
            module.fill(N, value, x, stream=a)
            filled.record(a)
            filled.wait(b)
            module.add(N, x, y, stream=b)
            with ctx.event() as added:
                added.record(b)
                added.wait(a)
        filled.wait()  # the default stream
        filled.synchronize()
        report.check("event_orders_two_streams", module.sum(N, y, stream=b) == N * 190 and filled.query())
        report.check("stream_is_idle_when_it_was_synchronised", b.synchronize() is None and b.query())
    with ctx.stream(priority=1) as a, ctx.stream(-1) as b:
        module.fill(N, 3, x, stream=a)
        b.wait(a)
        report.check("stream_waits_for_another", module.sum(N, x, stream=b) == 3 * N)
    error = raised(rill.Error, a.synchronize)
    report.check("stream_is_gone_behind_with", error and error.name == "RILL_ERR_STALE", error)
    error = raised(rill.Error, filled.record, None)
    report.check("event_is_gone_behind_with", error and error.name == "RILL_ERR_STALE", error)


def failures_stay_on_their_stream(rill, ctx, module, report):
    with ctx.stream() as s:
        module.check(3, array.array("i", [1, 0, 2]), stream=s)
        error = raised(rill.Error, s.synchronize)
        report.check("failed_assertion_is_raised_with_its_place",
                     error and error.name == "RILL_ERR_ASSERT" and "'x[i] > 0' failed in iteration 1" in str(error), error)
        s.clear_error()
        module.check(1, array.array("i", [1]), stream=s)
        s.synchronize()
    report.check("source_with_an_error_is_raised_with_its_line",
                 "kernel.c:1:" in str(raised(rill.Error, ctx.module, "kernel void f(int n) { n + ; }")))
    report.check("kernel_that_is_not_there_is_named", "'nothing'" in str(raised(rill.Error, getattr, module, "nothing")))
    report.check("kernel_that_is_not_there_is_an_attribute_that_is_not",
                 not hasattr(module, "nothing") and hasattr(module, "fill") and copy.copy(module).sum(1, array.array("f", [4])) == 4)


def what_python_lets_go_of(rill, ctx, module, report):
    array_, stream, event = ctx.array("f32", N), ctx.stream(), ctx.event()
    module.fill(N, 1, array_, stream=stream)
    event.record(stream)
    handles = [array_.handle, stream.handle, event.handle]
    del array_, stream, event
    gc.collect()
    calls = (rill._rill.rill_array_destroy, rill._rill.rill_stream_query, rill._rill.rill_event_query)
    report.check("what_python_lets_go_of_is_destroyed", [c(h) for c, h in zip(calls, handles)] == [-3] * 3)


def array_of_values_waits_for_no_stream(rill, ctx, module, report):
    """What was queued on the default stream is in nobody's way, and no order is needed to use the array elsewhere."""
    many = ctx.array("f32", 1 << 20)
    with ctx.stream() as s:
        for _ in range(20):
            module.add(1 << 20, many, many)
        given = ctx.array("f32", N, array.array("f", [2] * N))
        report.check("array_of_values_is_ready_on_every_stream", module.sum(N, given, stream=s) == 2 * N)


def buffers_outlive_waits_that_began_before_their_launch(rill, ctx, module, report):
    """As if another thread launched just when a wait of this one ends."""
    x, held = array.array("f", [0] * N), []

    def wait_for(call, stream):
        def launch_when_waited(handle):
            status = call(handle)
            module.fill(N, 1, x, stream=stream)
            held.append(bool(ctx._kept.get(stream.handle)))
            return status
        return launch_when_waited

    real = rill._rill
    with ctx.stream() as s:
        for name, wait in {"rill_sync": ctx.synchronize, "rill_stream_synchronize": s.synchronize}.items():
            rill._rill = types.SimpleNamespace(**{**vars(real), "rill_launch": real.rill_launch,
                                                  name: wait_for(getattr(real, name), s)})
            try:
                wait()
            finally:
                rill._rill = real
            held.append(bool(ctx._kept.get(s.handle)))
        s.synchronize()
        report.check("buffers_are_kept_while_a_launch_may_use_them", held == [True] * 4, held)
        report.check("buffers_are_let_go_when_their_stream_was_waited_for", not ctx._kept.get(s.handle))
        module.check(1, array.array("i", [0]), stream=s)
        raised(rill.Error, s.synchronize)
        report.check("buffers_are_kept_when_a_wait_fails", bool(ctx._kept.get(s.handle)))
        s.clear_error()


def threads(rill, ctx, module, report):
    wrong = []

    def work(number):
        mine = array.array("f", [0] * N)
        with ctx.stream() as s:
            for value in range(20):
                module.fill(N, number + value, mine, stream=s)
                wrong.extend([number] * (module.sum(N, mine, stream=s) != N * (number + value)))

    each = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in each:
        thread.start()
    for thread in each:
        thread.join()
    report.check("threads_launch_one_kernel_on_streams_of_their_own", not wrong, wrong)


def main():
    report = Report()
    symbols = subprocess.run(["nm", "-D", LIBRARY], capture_output=True, text=True, check=False).stdout
    if "__asan_init" in symbols or "__tsan_init" in symbols:
        report.skip("python_runs_kernels", "the library is built with a sanitizer")
        return report.finish()
    os.environ["RILL_LIBRARY"] = str(LIBRARY)
    import rill  # pylint: disable=import-outside-toplevel
    with rill.Context(os.environ.get("RILL_TEST_DEVICE", "cpu")) as ctx:
        module = ctx.module(TEXT)
        for part in (memory_is_used_in_place, numpy_arrays, values_come_back, options_and_fields, streams_and_events,
                     failures_stay_on_their_stream, what_python_lets_go_of,
                     array_of_values_waits_for_no_stream, buffers_outlive_waits_that_began_before_their_launch, threads):
            part(rill, ctx, module, report)
    error = raised(rill.Error, module.fill, 1, 1, array.array("f", [0]))
    report.check("closed_context_is_refused", error and error.name == "RILL_ERR_STALE", error)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

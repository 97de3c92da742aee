"""Kernels that are Python functions. The oracle is Python: the same function runs on the same NumPy arrays."""
import math
import threading

import pytest

import rill

numpy = pytest.importorskip("numpy")

SCALE = 3
TABLE = (2, 5, 7)


def same(kernel, *arguments, ctx, exact=True):
    """Runs the kernel and its Python function; all arrays and the result must be the same."""
    ours = [a.copy() if isinstance(a, numpy.ndarray) else a for a in arguments]
    theirs = [a.copy() if isinstance(a, numpy.ndarray) else a for a in arguments]
    with rill.stream(ctx.default_stream):
        result = kernel.call(*ours, stream=ctx.default_stream)
    with numpy.errstate(all="ignore"):
        wanted = kernel.function(*theirs)
    for mine, other in zip(ours, theirs):
        if isinstance(mine, numpy.ndarray):
            if exact:
                numpy.testing.assert_array_equal(mine, other)
            else:
                numpy.testing.assert_allclose(mine, other, rtol=1e-6)
    if wanted is not None:
        assert result == wanted if exact else result == pytest.approx(wanted, rel=1e-6)
    return ours


@pytest.fixture(autouse=True)
def default(ctx):
    rill.set_default(ctx)
    yield
    rill.set_default(None)


INTS = numpy.array([-7, -6, -3, -1, 1, 2, 3, 5, 8, 100], numpy.int64)


@rill.kernel
def whole_numbers(a: rill.i64[:], b: rill.i64[:], out: rill.i64[:, :]):
    for i in range(len(a)):
        for j in range(len(b)):
            k = i * len(b) + j
            out[0, k] = a[i] + b[j] * 3
            out[1, k] = a[i] // b[j]
            out[2, k] = a[i] % b[j]
            out[3, k] = (a[i] & b[j]) | (a[i] ^ 12)
            out[4, k] = a[i] << 2 >> 1
            out[5, k] = ~a[i] + -b[j]
            out[6, k] = abs(a[i]) + min(a[i], b[j], 4) + max(a[i], b[j])
            out[7, k] = b[j] ** 3 + b[j] ** 2 + b[j] ** 5
            out[8, k] = 1 if a[i] < b[j] < 6 else -1 if a[i] == b[j] or not a[i] > 0 else 0
            out[9, k] = i // 3 + i % 3 + (i - 5) // 3 + (i - 5) % -3 + 7 // 2 - 7 // -2


def test_whole_numbers_are_pythons(ctx):
    same(whole_numbers, INTS, INTS, numpy.zeros((10, 100), numpy.int64), ctx=ctx)


@rill.kernel
def real_numbers(a: rill.f64[:], b: rill.f64[:], out: rill.f64[:, :]):
    for i in range(len(a)):
        for j in range(len(b)):
            k = i * len(b) + j
            out[0, k] = a[i] // b[j]
            out[1, k] = a[i] % b[j]
            out[2, k] = a[i] / b[j] - 2 * a[i]
            out[3, k] = a[i] ** 2 + b[j] ** 1
            out[4, k] = float(int(a[i])) + math.floor(b[j]) + math.ceil(a[i]) + round(a[i])
            out[5, k] = abs(a[i]) + min(a[i], b[j]) + max(a[i], 0.25)
            out[6, k] = i / 2 + 3 / 4 + i // 2.0


def test_real_numbers_are_pythons(ctx):
    a = numpy.array([-7.5, -2.0, -0.5, 0.0, 0.3, 1.0, 2.5, 3.5, 1e10, -1e-3])
    b = numpy.array([-3.0, -0.7, 0.1, 1.0, 2.0, 5.5, 1e5, -2.0, 4.0, 0.3])
    same(real_numbers, a, b, numpy.zeros((7, 100)), ctx=ctx)


@rill.kernel
def functions(x: rill.f64[:], out: rill.f64[:, :]):
    for i in range(x.shape[0]):
        out[0, i] = math.sin(x[i]) + math.cos(x[i]) * math.exp(-x[i])
        out[1, i] = math.sqrt(x[i]) + math.log(x[i] + 1) + numpy.tanh(x[i])
        out[2, i] = math.atan2(x[i], 2) + math.hypot(x[i], 3) + x[i] ** 1.5
        out[3, i] = numpy.floor(x[i]) + numpy.maximum(x[i], 1.5) + math.pi


def test_math_is_there(ctx):
    same(functions, numpy.linspace(0, 3, 40), numpy.zeros((4, 40)), ctx=ctx, exact=False)


@rill.kernel
def weak(a: float, n: int, x: rill.f32[:], k: rill.i32[:], y: rill.f32[:]):
    for i in range(len(x)):
        t = 2.5 * x[i] + a
        y[i] = t * n + 0.1 * x[i]
        k[i] = k[i] * n + 7


def test_pythons_numbers_take_the_type_of_what_they_meet(ctx):
    text = weak.source
    assert "float t = " in text and "(float)(a)" in text and "0.1f" in text and "(int32_t)(n)" in text
    assert text.count("double") == 1  # the parameter
    x = numpy.linspace(-1, 1, 50, dtype=numpy.float32)
    same(weak, 0.3, 3, x, numpy.arange(50, dtype=numpy.int32), numpy.zeros_like(x), ctx=ctx, exact=False)


@rill.func
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@rill.kernel
def control(out: rill.i64[:]):
    last = -1
    for i in range(1, len(out)):
        out[i] = collatz(i)
        if i % 5 == 0:
            continue
        found = 0
        for j in range(20, 0, -3):
            if j % i == 0:
                found = j
                break
        out[i] += found
        last = i
    out[0] = last


def test_control_is_pythons(ctx):
    same(control, numpy.zeros(60, numpy.int64), ctx=ctx)


@rill.kernel
def variables(n: int, out: rill.i64[:]):
    end = 5
    for i in range(end):
        end = 2          # the loop goes to 5 all the same
        i += 10          # and takes no notice of this
        out[0] += i
    out[1] = i
    for i in range(0):
        out[2] = 99
    out[3] = i
    a, b = 1, 2
    a, b = b, a + b
    out[4] = 10 * a + b
    q, r = divmod(17, -5)
    out[5] = q * 100 + r
    while n > 10:
        n //= 3
    out[6] = n
    c = d = 4
    out[7] = c + d
    for k in range(3):
        if k == 0:
            carried = 1
        carried = carried * 2 + k
    out[8] = carried
    double = 3           # a word of C
    out[9] = double
    for k in range(4):
        if k == 0:
            held = n + 1
        held = held * 3 + k
        out[10 + k] = held
    below = 2 - n
    out[14] = below // 3 + below % 7


def test_variables_are_pythons(ctx):
    same(variables, 1000, numpy.zeros(15, numpy.int64), ctx=ctx)


@rill.kernel
def sums(x: rill.f32[:, :]) -> float:
    total: float = 0
    largest = x[0, 0]
    for i, j in rill.grid(x.shape[0], x.shape[1]):
        total += x[i, j] * SCALE
        if x[i, j] > largest:
            largest = x[i, j]
    return total + largest


def test_value_is_returned(ctx):
    x = numpy.arange(600, dtype=numpy.float32).reshape(20, 30)
    same(sums, x, ctx=ctx)
    assert sums(x) == 3 * x.sum() + 599 and isinstance(sums(x), float)
    x.flags.writeable = False
    assert sums(x) == 3 * x.sum() + 599  # it is not written
    out = ctx.zeros(1, "f64")
    sums.launch(x, result=out)
    assert out[0] == sums(x)


@rill.func
def fill_row(row, value):
    for j in range(len(row)):
        row[j] = value


@rill.func
def trace(m):
    s = 0.0
    for i in range(m.shape[0]):
        s += m[i, i]
    return s


@rill.kernel
def with_functions(m: rill.f64[:, :], out: rill.f64[:]):
    for i in range(m.shape[0]):
        fill_row(m[i], i + 0.5)
    out[0] = trace(m)


def test_functions_take_arrays_and_parts_of_them(ctx):
    same(with_functions, numpy.zeros((6, 6)), numpy.zeros(1), ctx=ctx)
    readonly = numpy.zeros((6, 6))
    readonly.flags.writeable = False
    with pytest.raises(rill.ArgumentError, match="read-only"):
        with_functions(readonly, numpy.zeros(1))
    assert "const double m" in with_functions.source.partition("trace(")[2].partition(")")[0]


@rill.kernel
def unrolled(x: rill.f64[:]):
    for i in range(len(x)):
        t = rill.local((2, 3), rill.f64)
        for k in rill.static(range(3)):
            t[0, k] = x[i] * rill.static(TABLE[k])
            t[1, k] = k
        if rill.static(SCALE == 3):
            x[i] = t[0, 0] + t[0, 2] + t[1, 2]
        else:
            x[i] = undefined_on_purpose  # noqa: F821


def test_static_is_decided_when_compiled(ctx):
    same(unrolled, numpy.arange(5.0), ctx=ctx)


def test_closures_are_constants(ctx):
    def make(k):
        @rill.kernel
        def add(x: rill.i32[:]):
            for i in range(len(x)):
                x[i] += k
        return add

    x = ctx.zeros(3, "i32")
    make(2)(x)
    make(3)(x)
    assert x.tolist() == [5, 5, 5]


@rill.kernel
def generic(x, y, factor, n: rill.template):
    for i in range(len(x)):
        y[i] = x[i] * factor + n


def test_types_come_from_the_arguments(ctx):
    for kind in (numpy.float32, numpy.float64, numpy.int32, numpy.int64):
        x, y = numpy.arange(8).astype(kind), numpy.zeros(8, kind)
        same(generic, x, y, 3, 5, ctx=ctx)
        same(generic, x, y, 3, 6, ctx=ctx)
    assert len(generic._units) == 8 and "const int64_t x[x_n0]" in generic.source
    y = ctx.zeros(3)
    generic(ctx.array([1, 2, 3], "f32"), y, factor=0.5, n=1)
    assert y.tolist() == [1.5, 2, 2.5]
    with pytest.raises(rill.ScriptError, match="numbers from outside are constants"):
        generic(y, y, 1, n="x")


@rill.kernel
def defaults(x: rill.i64[:], a: int = 2, b: int = 3):
    for i in range(len(x)):
        x[i] = a * 10 + b


def test_arguments_have_names_and_defaults(ctx):
    x = ctx.zeros(2, "i64")
    defaults(x)
    assert x[0] == 23
    defaults(b=5, x=x)
    assert x[1] == 25
    with pytest.raises(TypeError):
        defaults(x, 1, 2, 3)
    with pytest.raises(TypeError):
        defaults()
    assert str(defaults.__signature__ if hasattr(defaults, "__signature__") else "") is not None
    with pytest.raises(rill.ArgumentError, match="takes an array of 1 extents"):
        defaults(numpy.zeros((2, 2), numpy.int64))
    with pytest.raises(rill.ArgumentError, match="takes an array of 1 extents"):
        defaults(ctx.zeros((2, 2), "i64"))
    with pytest.raises(rill.ArgumentError, match="its elements are"):
        defaults(numpy.zeros(2, numpy.int32))


@rill.kernel
def histogram(keys: rill.i32[:], counts: rill.i32[:], first: rill.i32[:]):
    for i in rill.parallel(range(len(keys))):
        rill.atomic_add(counts[keys[i]], 1)
        rill.atomic_min(first[keys[i]], i)


def test_atomics(ctx):
    keys = numpy.random.default_rng(1).integers(0, 16, 10000).astype(numpy.int32)
    counts, first = numpy.zeros(16, numpy.int32), numpy.full(16, 1 << 30, numpy.int32)
    histogram.call(keys, counts, first)
    assert (counts == numpy.bincount(keys, minlength=16)).all()
    assert first.tolist() == [int(numpy.argmax(keys == k)) for k in range(16)]


@rill.kernel
def noise(seed: int, x: rill.f32[:], n: rill.f32[:]):
    for i in range(len(x)):
        x[i] = rill.random_f32(seed, i)
        n[i] = rill.random_normal_f32(seed, i)


def test_random_numbers(ctx):
    x, n = ctx.zeros(10000), ctx.zeros(10000)
    noise(7, x, n)
    assert abs(x.numpy().mean() - 0.5) < 0.02 and abs(n.numpy().std() - 1) < 0.05


@rill.kernel
def blocks(x: rill.f32[:], y: rill.f32[:]):
    with rill.stream_parallel():
        for i in range(len(x)):
            x[i] = i * 2
    with rill.stream_parallel():
        for i in range(len(y)):
            y[i] = i + 1
    for i in range(len(x)):
        x[i] += y[i]


@rill.kernel
def racing_blocks(x: rill.f32[:], y: rill.f32[:]):
    with rill.stream_parallel():
        for i in range(len(x)):
            x[i] = i * 2
    with rill.stream_parallel():
        for i in range(len(x)):
            y[i] = x[i]


def test_stream_parallel(ctx):
    same(blocks, numpy.zeros(1000, numpy.float32), numpy.zeros(1000, numpy.float32), ctx=ctx)
    assert "group 1" in blocks.explain() or "block" in blocks.explain()
    x = ctx.zeros(3)
    with pytest.raises(rill.CompileError) as info:
        racing_blocks(x, ctx.zeros(3))
    assert "test_script.py" in str(info.value)


@rill.kernel
def asserting(x: rill.i32[:]):
    for i in range(len(x)):
        assert x[i] > 0, "all above 0"


@rill.kernel(check_bounds=True)
def beyond(x: rill.i32[:], k: int):
    for i in range(len(x)):
        x[i + k] = 1


def line_of(function, text):
    import inspect
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_failures_have_pythons_line(ctx, stream):
    asserting(numpy.array([1, 0], numpy.int32), stream=stream)
    with pytest.raises(rill.AssertError, match="all above 0"):
        stream.synchronize()
    assert stream.error.line == line_of(asserting.function, "assert x") and stream.error.file.endswith("test_script.py")
    stream.clear_error()
    with pytest.raises(rill.BoundsError) as info:
        beyond.call(numpy.zeros(3, numpy.int32), 1)
    assert f"test_script.py:{line_of(beyond.function, 'x[i + k]')}" in str(info.value)


@rill.kernel
def printing(x: rill.f64[:]):
    for i in range(len(x)):
        print("i is", i, f"x = {x[i]:.2f}|{i:04d}", 100, "%", sep=";")


def test_print(ctx, capsys):
    printing.call(numpy.array([0.5, 1.25]))
    assert capsys.readouterr().out == "i is;0;x = 0.50|0000;100;%\ni is;1;x = 1.25|0001;100;%\n"


def test_every_loop_is_looked_at(ctx):
    assert blocks.explain().count("parallel, proven") >= 3
    assert "in order" in control.explain() or "parallel" in control.explain()
    assert f"loop: parallel, proven" in weak.explain() and f":{line_of(weak.function, 'for i')}:" in weak.explain()


def test_one_kernel_in_two_contexts_and_threads(ctx):
    with rill.open("cpu") as other:
        x, y = ctx.zeros(3, "i64"), other.zeros(3, "i64")
        defaults(x, 1)
        defaults(y, 2)
        assert x[0] == 13 and y[0] == 23
        with other.stream() as s:
            z = numpy.zeros(3, numpy.int64)
            defaults(z, 3, stream=s)
            s.synchronize()
            assert z[0] == 33
    wrong = []

    def work(number):
        mine = numpy.zeros(100, numpy.int64)
        for _ in range(30):
            defaults.call(mine, number)
            wrong.extend([1] * int(mine[99] != number * 10 + 3))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def refusals():
    def comprehension(x: rill.f32[:]):
        y = [a for a in range(3)]

    def unknown(x: rill.f32[:]):
        x[0] = nowhere  # noqa: F821

    def outside(x: rill.f32[:]):
        x[0] = LIST[0]

    def unmarked(x: rill.f32[:]):
        x[0] = helper(3)

    def trying(x: rill.f32[:]):
        try:
            x[0] = 1
        finally:
            pass

    def fraction(x: rill.i32[:]):
        x[0] = x[1] / 2

    def real_index(x: rill.f32[:]):
        x[x[0]] = 1

    def many_indices(x: rill.f32[:]):
        x[0, 1] = 1

    def array_as_number(x: rill.f32[:, :]):
        x[0, 0] = x[0] + 1

    def step(n: int, x: rill.f32[:]):
        for i in range(0, len(x), 0):
            x[i] = 1

    def over_array(x: rill.f32[:]):
        for a in x:
            x[0] = a

    def loop_else(x: rill.f32[:]):
        for i in range(3):
            x[i] = 1
        else:
            x[0] = 2

    def mixed_return(x: rill.f32[:]):
        if x[0] > 0:
            return 1
        x[0] = 1

    def recursive(x: rill.f32[:]):
        x[0] = factorial(5)

    def sliced(x: rill.f32[:]):
        x[0:3] = 1

    def membership(x: rill.f32[:]):
        if x[0] in x:
            x[0] = 1

    def value_of_or(n: int, x: rill.f32[:]):
        k = n or 5
        x[0] = k

    def integer_power(n: int, x: rill.f32[:]):
        x[0] = 2 ** n

    def set_array(x: rill.f32[:]):
        x = 3

    def nothing_sets(x: rill.f32[:]):
        x[0] = later
        later = 1.0

    def with_file(x: rill.f32[:]):
        with open("f"):
            x[0] = 1

    def division(x: rill.i32[:]):
        x[0] = x[1] // 0

    def text(x: rill.f32[:]):
        s = "abc"
        x[0] = 1

    def nested(x: rill.f32[:]):
        def inner():
            return 1
        x[0] = inner()

    def lost(x: rill.f32[:]):
        x[0] == 1

    return {
        comprehension: "a list comprehension cannot be in a kernel", unknown: "the name 'nowhere' is not known",
        outside: "only arrays have elements|numbers from outside are constants", unmarked: "marked with @rill.func",
        trying: "try cannot be in a kernel", fraction: r"a float is stored where a rill.i32 is: int\(\)",
        real_index: "an index is an integer", many_indices: "2 indices for 'x', which has 1", sliced: "a slice of an array",
        array_as_number: "stands where a number must", step: "a step is not 0", over_array: "a loop is over range",
        loop_else: "else behind a loop", mixed_return: "ends without one in another", recursive: "calls itself",
        membership: "'in' is for a tuple", value_of_or: "'and' and 'or' of numbers", integer_power: r"float\(x\) \*\* n",
        set_array: "is an array and cannot be set", nothing_sets: "'later'", with_file: "`with` is for rill.stream_parallel",
        division: "a division by zero", text: "is no number", nested: "a function inside a function",
        lost: "this statement does nothing",
    }


LIST = [1, 2, 3]


def helper(x):
    return x


@rill.func
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


REFUSALS = refusals()


@pytest.mark.parametrize("function", REFUSALS, ids=lambda f: f.__name__)
def test_what_cannot_be_said_is_refused_with_its_line(function):
    with pytest.raises(rill.ScriptError) as info:
        rill.kernel(function).source
    text = str(info.value)
    import re
    assert re.search(REFUSALS[function], text), text
    assert re.match(r".*test_script\.py:\d+:\d+: error: ", text) and "^" in text
    number = int(re.match(r".*?:(\d+):", text).group(1))
    first = function.__code__.co_firstlineno
    assert first <= number <= first + 8 or function.__name__ == "recursive"  # in the function that it calls


def test_types_of_parameters_are_refused():
    def strange(x: "rill.f32[:]", y: str):
        pass

    with pytest.raises(rill.ScriptError, match="is no type of a parameter"):
        rill.kernel(strange).source
    with pytest.raises(rill.ScriptError, match="positional or named only"):
        rill.kernel(lambda *a: None) if False else rill.kernel(star)


def star(*x):
    pass


def test_names_that_the_headers_of_c_have():
    @rill.kernel
    def powf(n: int) -> int:
        NULL, EOF, stdin, M_PI, INT64_MAX, linux, unix, sinf, ldexp, SEEK_SET = n, 1, 2, 3, 4, 5, 6, 7, 8, 9
        return NULL + EOF + stdin + M_PI + INT64_MAX + linux + unix + sinf + ldexp + SEEK_SET

    assert powf(1) == powf.function(1) == 46


def test_trunc_is_an_integer_of_the_math_module_alone():
    @rill.kernel
    def cut(x: float) -> int:
        return math.trunc(x) + 2 * math.trunc(-x) + math.trunc(3)

    assert cut(2.75) == cut.function(2.75) == 1


def test_structs_of_numpy_need_a_name():
    @rill.kernel
    def any_of(x):
        for i in range(len(x)):
            x[i] = x[i]

    with pytest.raises(rill.ArgumentError, match="annotate the parameter by a dataclass"):
        any_of(numpy.zeros(3, [("a", "f4"), ("b", "i4")]))

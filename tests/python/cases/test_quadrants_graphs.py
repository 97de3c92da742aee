"""The scenarios of Quadrants' own tests of graph=True kernels: do_while loops, and regions of parts that may overlap. Numbers
of graph nodes are its implementation's and are not asked for; results, refusals and their words are."""
import os
import warnings

import pytest

import rill.quadrants as qd
from rill.quadrants.lang import impl

np = pytest.importorskip("numpy")

ARCH = os.environ.get("RILL_TEST_DEVICE", "cpu").partition(":")[0]
pytestmark = pytest.mark.filterwarnings("ignore:qd.graph")
F1, F2, I1, I0 = (qd.types.ndarray(qd.f32, ndim=1), qd.types.ndarray(qd.f32, ndim=2), qd.types.ndarray(qd.i32, ndim=1),
                  qd.types.ndarray(qd.i32, ndim=0))


@pytest.fixture(autouse=True)
def session():
    qd.init(arch=getattr(qd, ARCH))
    yield
    qd.reset()


def arrays(count, dtype=qd.f32, shape=(256,)):
    return [qd.ndarray(dtype, shape=shape) for _ in range(count)]


def zero(*which):
    for array in which:
        array.from_numpy(np.zeros(array.shape, array.dtype.numpy))


def counter_of(value):
    counter = qd.ndarray(qd.i32, shape=())
    counter.from_numpy(np.array(value, dtype=np.int32))
    return counter


# ---- kernels of several loops ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tensor_type", [qd.ndarray, qd.field])
def test_graph_loops_funcs_and_changed_arguments(tensor_type):
    annotation = qd.types.NDArray[qd.f32, 1] if tensor_type == qd.ndarray else qd.Template

    @qd.func
    def func_a(x: annotation, y: annotation):
        for i in range(x.shape[0]):
            x[i] = x[i] + 1.0
        for i in range(y.shape[0]):
            y[i] = y[i] + 2.0

    @qd.func
    def func_b(x: annotation, y: annotation, z: annotation):
        for i in range(x.shape[0]):
            x[i] = x[i] + 7.0
        for i in range(y.shape[0]):
            y[i] = y[i] + 8.0
        for i in range(z.shape[0]):
            z[i] = z[i] + 9.0

    @qd.kernel(graph=True)
    def multi_func(a: annotation, b: annotation, c: annotation):
        func_a(a, b)
        func_b(a, b, c)

    for size in (256, 1024):
        a, b, c = (tensor_type(qd.f32, (size,)) for _ in range(3))
        for count in (1, 2):
            multi_func(a, b, c)
            assert impl.get_runtime().prog.get_num_offloaded_tasks_on_last_call() >= 1
            if ARCH == "cpu":
                assert impl.get_runtime().prog.get_graph_cache_size() == 0
                assert not impl.get_runtime().prog.get_graph_cache_used_on_last_call()
            for array, step in ((a, 8), (b, 10), (c, 9)):
                assert np.allclose(array.to_numpy(), count * step)


@pytest.mark.parametrize("graph", [True, False])
def test_graph_after_reset(graph):
    @qd.kernel(graph=graph)
    def add_one(x: F1, y: F1):
        for i in range(x.shape[0]):
            x[i] = x[i] + 1.0
        for i in range(y.shape[0]):
            y[i] = y[i] + 2.0

    for _ in range(2):
        x, y = arrays(2)
        add_one(x, y)
        add_one(x, y)
        assert np.allclose(x.to_numpy(), 2.0) and np.allclose(y.to_numpy(), 4.0)
        arch = impl.current_cfg().arch
        qd.reset()
        qd.init(arch=arch)


# ---- do_while ------------------------------------------------------------------------------------------------------------------


def test_graph_do_while_counter_and_its_other_spelling():
    @qd.kernel(graph=True)
    def graph_loop(x: I1, counter: I0):
        while qd.graph.do_while(counter):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1
            for i in range(1):
                counter[()] = counter[()] - 1

    @qd.kernel(graph=True)
    def old(x: I1, counter: I0):
        while qd.graph_do_while(counter):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1
            for i in range(1):
                counter[()] = counter[()] - 1

    x, = arrays(1, qd.i32)
    for rounds in (5, 10):
        zero(x)
        counter = counter_of(rounds)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            graph_loop(x, counter)
        assert counter.to_numpy() == 0 and (x.to_numpy() == rounds).all()
    counter = counter_of(3)
    with pytest.warns(DeprecationWarning, match=r"qd\.graph\.do_while"):
        old(x, counter)
    assert counter.to_numpy() == 0 and (x.to_numpy() == 13).all()


def test_graph_do_while_runs_its_body_before_it_looks():
    @qd.kernel(graph=True)
    def once(x: I1, counter: I0):
        while qd.graph.do_while(counter):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1
            for i in range(1):
                counter[()] = 0

    x, = arrays(1, qd.i32)
    once(x, counter_of(0))
    assert (x.to_numpy() == 1).all()


def test_graph_do_while_boolean_done():
    @qd.kernel(graph=True)
    def increment_until_threshold(x: I1, threshold: qd.i32, keep_going: I0):
        while qd.graph_do_while(keep_going):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1
            for i in range(1):
                if x[0] >= threshold:
                    keep_going[()] = 0

    x, = arrays(1, qd.i32)
    for threshold in (7, 12):
        zero(x)
        keep_going = counter_of(1)
        increment_until_threshold(x, threshold, keep_going)
        assert keep_going.to_numpy() == 0 and (x.to_numpy() == threshold).all()


def test_graph_do_while_multiple_loops():
    @qd.kernel(graph=True)
    def multi_loop(x: F1, y: F1, counter: I0):
        while qd.graph_do_while(counter):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1.0
            for i in range(y.shape[0]):
                y[i] = y[i] + 2.0
            for i in range(1):
                counter[()] = counter[()] - 1

    x, y = arrays(2)
    for rounds in (10, 5):
        zero(x, y)
        counter = counter_of(rounds)
        multi_loop(x, y, counter)
        assert counter.to_numpy() == 0
        assert (x.to_numpy() == rounds).all() and (y.to_numpy() == 2 * rounds).all()


def test_graph_do_while_statements_outside_are_refused():
    """Quadrants once repeated what stands outside of the loop, and calls that a trap."""
    @qd.kernel(graph=True)
    def looks_innocent(x: I1, c: I0):
        for i in range(x.shape[0]):
            x[i] = 0
        while qd.graph_do_while(c):
            for i in range(1):
                c[()] = c[()] - 1

    with pytest.raises(qd.QuadrantsSyntaxError, match="a kernel of its own"):
        looks_innocent(arrays(1, qd.i32)[0], counter_of(5))


def test_graph_do_while_canonical_seed_writeback_idiom():
    @qd.kernel
    def seed(q_iter: I1, q: I1):
        for i in range(q.shape[0]):
            q_iter[i] = q[i]

    @qd.kernel(graph=True)
    def iterate(q_iter: I1, c: I0):
        while qd.graph_do_while(c):
            for i in range(q_iter.shape[0]):
                q_iter[i] = q_iter[i] + 1
            for i in range(1):
                c[()] = c[()] - 1

    q, q_iter = arrays(2, qd.i32, (8,))
    q.from_numpy(np.full(8, 100, dtype=np.int32))
    c = counter_of(4)
    seed(q_iter, q)
    iterate(q_iter, c)
    seed(q, q_iter)
    assert c.to_numpy() == 0 and (q.to_numpy() == 104).all()


def test_graph_do_while_swap_and_alternate_counter_ndarrays():
    @qd.kernel(graph=True)
    def k(x: I1, c: I0):
        while qd.graph_do_while(c):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1
            for i in range(1):
                c[()] = c[()] - 1

    x, = arrays(1, qd.i32)
    c1, c2 = counter_of(0), counter_of(0)
    assert c1.arr.device_allocation_ptr() != c2.arr.device_allocation_ptr()
    for count in range(2, 5):
        for c, rounds in ((c1, count), (c2, count + 10)):
            zero(x)
            c.from_numpy(np.array(rounds, dtype=np.int32))
            k(x, c)
            assert c.to_numpy() == 0 and (x.to_numpy() == rounds).all()


def test_graph_do_while_is_refused_without_graph_and_without_its_parameter():
    @qd.kernel
    def plain(x: I1, c: I0):
        while qd.graph_do_while(c):
            for i in range(x.shape[0]):
                x[i] = x[i] + 1

    @qd.kernel(graph=True)
    def unknown(x: I1, c: I0):
        while qd.graph_do_while(nonexistent):  # noqa: F821
            for i in range(x.shape[0]):
                x[i] = x[i] + 1

    x, = arrays(1, qd.i32)
    with pytest.raises(qd.QuadrantsSyntaxError, match=r"requires @qd.kernel\(graph=True\)"):
        plain(x, counter_of(1))
    with pytest.raises(qd.QuadrantsSyntaxError, match="does not match any parameter"):
        unknown(x, counter_of(1))


# ---- regions -------------------------------------------------------------------------------------------------------------------


def test_graph_parallel_is_no_op_outside_kernels():
    seen = []
    with qd.graph_parallel_context():
        with qd.graph_parallel():
            seen.append("a")
        with qd.graph.parallel():
            seen.append("b")
    assert seen == ["a", "b"]
    assert qd.graph.do_while is qd.graph_do_while and qd.graph.parallel is qd.graph_parallel
    assert qd.graph.parallel_context is qd.graph_parallel_context


def test_graph_parallel_sections_of_several_loops_and_what_is_behind():
    @qd.kernel(graph=True)
    def k(x: F1, y: F1, z: F1):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(x.shape[0]):
                    x[i] = x[i] + 1.0
                for i in range(x.shape[0]):
                    x[i] = x[i] * 2.0
            with qd.graph.parallel():
                for i in range(y.shape[0]):
                    y[i] = y[i] + 3.0
                for i in range(y.shape[0]):
                    y[i] = y[i] * 4.0
        for i in range(z.shape[0]):
            z[i] = x[i] + y[i]

    x, y, z = arrays(3)
    for _ in range(2):
        zero(x, y)
        k(x, y, z)
        assert np.allclose(x.to_numpy(), 2.0) and np.allclose(y.to_numpy(), 12.0) and np.allclose(z.to_numpy(), 14.0)
    assert "concurrent" in k.explain() or "overlap" in k.explain()


def test_graph_parallel_spelling_is_deprecated():
    @qd.kernel(graph=True)
    def k(x: F1, y: F1, z: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                for i in range(x.shape[0]):
                    x[i] = x[i] + 1.0
            with qd.graph_parallel():
                for i in range(y.shape[0]):
                    y[i] = y[i] + 2.0
            with qd.graph_parallel():
                for i in range(z.shape[0]):
                    z[i] = z[i] + 3.0

    x, y, z = arrays(3)
    with pytest.warns(DeprecationWarning) as record:
        k(x, y, z)
    messages = " ".join(str(w.message) for w in record)
    assert "qd.graph.parallel_context" in messages and "qd.graph.parallel(" in messages
    assert [float(a.to_numpy().min()) for a in (x, y, z)] == [float(a.to_numpy().max()) for a in (x, y, z)] == [1, 2, 3]


def test_graph_parallel_back_to_back_regions_keep_join():
    @qd.kernel(graph=True)
    def loops(x: F1, y: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                for i in range(x.shape[0]):
                    x[i] = 1.0
            with qd.graph_parallel():
                for i in range(y.shape[0]):
                    y[i] = 2.0
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                for i in range(x.shape[0]):
                    x[i] = x[i] * 10.0
            with qd.graph_parallel():
                for i in range(y.shape[0]):
                    y[i] = y[i] * 10.0

    @qd.kernel(graph=True)
    def stores(x: F1, y: F1, a: F1, b: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                x[0] = 1.0
            with qd.graph_parallel():
                y[0] = 2.0
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                a[0] = x[0] * 10.0
            with qd.graph_parallel():
                b[0] = y[0] * 10.0

    x, y, a, b = arrays(4)
    for _ in range(2):
        zero(x, y, a, b)
        loops(x, y)
        assert np.allclose(x.to_numpy(), 10.0) and np.allclose(y.to_numpy(), 20.0)
        stores(x, y, a, b)
        assert a.to_numpy()[0] == 10 and b.to_numpy()[0] == 20


def test_graph_parallel_optional_section_static_if():
    def make(flag):
        @qd.kernel(graph=True)
        def k(x: F1, y: F1):
            with qd.graph_parallel_context():
                with qd.graph_parallel():
                    for i in range(x.shape[0]):
                        x[i] = x[i] + 5.0
                if qd.static(flag):
                    with qd.graph_parallel():
                        for i in range(y.shape[0]):
                            y[i] = y[i] + 1.0
        return k

    x, y = arrays(2)
    make(False)(x, y)
    assert np.allclose(x.to_numpy(), 5.0) and np.allclose(y.to_numpy(), 0.0)
    make(True)(x, y)
    assert np.allclose(x.to_numpy(), 10.0) and np.allclose(y.to_numpy(), 1.0)


def test_graph_parallel_inside_graph_do_while():
    @qd.kernel(graph=True)
    def k(x: I1, y: I1, counter: I0):
        while qd.graph_do_while(counter):
            with qd.graph_parallel_context():
                with qd.graph_parallel():
                    for i in range(x.shape[0]):
                        x[i] = x[i] + 1
                with qd.graph_parallel():
                    for i in range(y.shape[0]):
                        y[i] = y[i] + 2
            for _ in range(1):
                counter[()] = counter[()] - 1

    x, y = arrays(2, qd.i32)
    counter = counter_of(5)
    k(x, y, counter)
    assert counter.to_numpy() == 0 and (x.to_numpy() == 5).all() and (y.to_numpy() == 10).all()


@pytest.mark.parametrize("count", [2, 1, 0])
def test_graph_parallel_static_loops_are_sections(count):
    @qd.kernel(graph=True)
    def k(x: F2, y: F1):
        with qd.graph_parallel_context():
            for b in qd.static(range(count)):
                with qd.graph_parallel():
                    for i in range(x.shape[1]):
                        x[b, i] = x[b, i] + (b + 1)
            if qd.static(count == 2):
                with qd.graph_parallel():
                    for i in range(y.shape[0]):
                        y[i] = y[i] + 7.0
        for i in range(y.shape[0]):
            y[i] = y[i] + 5.0

    @qd.kernel(graph=True)
    def nested(x: F2):
        with qd.graph_parallel_context():
            for i in qd.static(range(2)):
                for j in qd.static(range(2)):
                    with qd.graph_parallel():
                        for c in range(x.shape[1]):
                            x[i * 2 + j, c] = x[i * 2 + j, c] + (i * 2 + j + 1)

    x, = arrays(1, shape=(4, 64))
    y, = arrays(1)
    k(x, y)
    assert [row[0] for row in x.to_numpy()[:count]] == [1, 2][:count] and not x.to_numpy()[count:].any()
    assert np.allclose(y.to_numpy(), 12.0 if count == 2 else 5.0)
    zero(x)
    nested(x)
    assert (x.to_numpy() == np.arange(1, 5)[:, None]).all()


def test_graph_parallel_static_loop_inside_graph_do_while():
    @qd.kernel(graph=True)
    def k(x: qd.types.ndarray(qd.i32, ndim=2), counter: I0):
        while qd.graph_do_while(counter):
            with qd.graph_parallel_context():
                for b in qd.static(range(2)):
                    with qd.graph_parallel():
                        for i in range(x.shape[1]):
                            x[b, i] = x[b, i] + (b + 1)
            for _ in range(1):
                counter[()] = counter[()] - 1

    x, = arrays(1, qd.i32, (2, 64))
    counter = counter_of(4)
    k(x, counter)
    assert counter.to_numpy() == 0 and (x.to_numpy() == [[4], [8]]).all()


def test_graph_parallel_static_loop_over_funcs():
    n = 4

    @qd.data_oriented
    class Demo:
        def __init__(self, step):
            self.step_size = step
            self.a = qd.field(qd.i32, shape=(n,))
            self.b = qd.field(qd.i32, shape=(n,))
            self.funcs = [self._fill_a, self._fill_b]

        @qd.func
        def _fill_a(self):
            for i in range(n):
                self.a[i] += self.step_size

        @qd.func
        def _fill_b(self):
            for i in range(n):
                self.b[i] += 10 * self.step_size

        @qd.kernel(graph=True)
        def step(self):
            with qd.graph_parallel_context():
                for i in qd.static(range(len(self.funcs))):
                    with qd.graph_parallel():
                        self.funcs[i]()

        @qd.kernel
        def shift(self, by: qd.i32):
            for i in self.a:
                self.a[i] += by

    d, e = Demo(1), Demo(2)
    d.step()
    e.step()
    e.step()
    e.shift(3)
    assert d.a.to_numpy().tolist() == [1] * n and d.b.to_numpy().tolist() == [10] * n
    assert e.a.to_numpy().tolist() == [7] * n and e.b.to_numpy().tolist() == [40] * n


def refusals():
    @qd.kernel(graph=True)
    def outside_context(x: F1):
        with qd.graph_parallel():
            for i in range(x.shape[0]):
                x[i] = x[i] + 1.0

    @qd.kernel
    def no_graph(x: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                for i in range(x.shape[0]):
                    x[i] = x[i] + 1.0

    @qd.kernel(graph=True)
    def no_section(x: F1):
        with qd.graph_parallel_context():
            for i in range(x.shape[0]):
                x[i] = x[i] + 1.0

    @qd.kernel(graph=True)
    def nested_region(x: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                with qd.graph_parallel_context():
                    with qd.graph_parallel():
                        for i in range(x.shape[0]):
                            x[i] = x[i] + 1.0

    @qd.kernel(graph=True)
    def arguments(x: F1):
        with qd.graph_parallel_context():
            with qd.graph_parallel(name="bx"):
                for i in range(x.shape[0]):
                    x[i] = x[i] + 1.0

    @qd.kernel(graph=True)
    def streams(x: F1):
        with qd.stream_parallel():
            for i in range(x.shape[0]):
                x[i] = x[i] + 1.0

    return [(outside_context, "qd.graph_parallel.. can only be used .* inside a qd.graph_parallel_context"),
            (no_graph, "requires @qd.kernel.graph=True"), (no_section, "may contain only .with qd.graph_parallel"),
            (nested_region, "do not nest"), (arguments, "qd.graph_parallel.. takes no arguments"),
            (streams, "cannot be used in a graph=True kernel")]


def test_graph_parallel_refusals():
    for kernel, words in refusals():
        with pytest.raises(qd.QuadrantsSyntaxError, match=words):
            kernel(qd.ndarray(qd.f32, shape=(16,)))


def test_graph_parallel_loops_that_are_not_static_are_refused():
    @qd.kernel(graph=True)
    def runtime_loop(x: F2, nb: qd.i32):
        with qd.graph_parallel_context():
            for b in range(nb):
                with qd.graph_parallel():
                    for i in range(x.shape[1]):
                        x[b, i] = x[b, i] + 1.0

    @qd.kernel(graph=True)
    def body_non_section(x: F2, nb: qd.i32):
        with qd.graph_parallel_context():
            for b in qd.static(range(2)):
                x[b, 0] = 1.0
                with qd.graph_parallel():
                    for i in range(x.shape[1]):
                        x[b, i] = x[b, i] + 1.0

    @qd.kernel(graph=True)
    def runtime_inner_loop(x: F2, nb: qd.i32):
        with qd.graph_parallel_context():
            for b in qd.static(range(2)):
                for _j in range(nb):
                    with qd.graph_parallel():
                        for i in range(x.shape[1]):
                            x[b, i] = x[b, i] + 1.0

    for kernel in (runtime_loop, body_non_section, runtime_inner_loop):
        with pytest.raises(qd.QuadrantsSyntaxError, match="may contain only .with qd.graph_parallel"):
            kernel(qd.ndarray(qd.f32, shape=(2, 16)), 2)

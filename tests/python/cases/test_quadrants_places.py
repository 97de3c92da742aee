"""Fields that get their place later, fields of structs, and what is set in one element on the host."""
import os

import pytest

import rill
import rill.quadrants as qd

np = pytest.importorskip("numpy")
ARCH = getattr(qd, os.environ.get("RILL_TEST_DEVICE", "cpu").partition(":")[0])


@pytest.fixture(autouse=True)
def session():
    qd.init(arch=ARCH)
    yield
    qd.reset()


def test_dense_places():
    a, b, c, one = qd.field(qd.i32), qd.field(qd.f32), qd.Vector.field(2, float), qd.field(int)
    qd.root.dense(qd.ij, (4, 2)).place(a, b)
    qd.root.dense(qd.i, 4).dense(qd.i, 3).place(c)
    qd.root.place(one)
    swapped = qd.field(qd.i32)
    qd.root.dense(qd.j, 5).dense(qd.i, 2).place(swapped)
    assert a.shape == b.shape == (4, 2) and c.shape == (12,) and one.shape == () and swapped.shape == (2, 5)

    @qd.kernel
    def fill():
        for i, j in a:
            a[i, j] = 10 * i + j
            b[i, j] = a[i, j] + 0.5
        for i in c:
            c[i] = [i, -i]
        one[None] = 7

    fill()
    assert a.to_numpy().tolist() == [[0, 1], [10, 11], [20, 21], [30, 31]]
    assert (b.to_numpy() == a.to_numpy() + 0.5).all()
    assert c[5].tolist() == [5, -5] and one[None] == 7


def test_builders():
    x = qd.field(qd.f32)
    builder = qd.FieldsBuilder()
    builder.dense(qd.i, 3).place(x)
    tree = builder.finalize()
    x.fill(2)
    assert x.to_numpy().tolist() == [2, 2, 2]
    tree.destroy()


def test_what_has_no_place():
    x, y = qd.field(qd.f32), qd.field(qd.f32, shape=(2,))

    @qd.kernel
    def use():
        for i in x:
            x[i] = 1

    with pytest.raises(rill.Error, match="has no place"):
        use()
    with pytest.raises(rill.Error, match="has no place"):
        x.to_numpy()
    with pytest.raises(rill.Error, match="has a place already"):
        qd.root.dense(qd.i, 3).place(y)
    for kind in ("pointer", "bitmasked", "dynamic", "hash"):
        with pytest.raises(NotImplementedError, match=f"no sparse fields, and so no '{kind}'"):
            getattr(qd.root, kind)(qd.i, 4)
    with pytest.raises(NotImplementedError, match="offsets"):
        qd.field(qd.f32, shape=(3,), offset=(1,))
    with pytest.raises(NotImplementedError, match="offsets"):
        qd.root.dense(qd.i, 3).place(x, offset=(-1,))


def test_elements_are_set_on_the_host():
    x, m = qd.Vector.field(3, qd.f32, shape=4), qd.Matrix.field(2, 2, qd.i32, shape=(2, 2))
    x[1] = [1, 2, 3]
    x[1][2] = 5
    x[1].y += 1
    m[0, 1][1, 0] = 9
    assert x.to_numpy()[1].tolist() == [1, 3, 5] and m.to_numpy()[0, 1].tolist() == [[0, 0], [9, 0]]
    kept = x[1]
    kept.xz = [7, 8]
    assert x[1].tolist() == [7, 3, 8]
    vec3 = qd.types.vector(3, float)
    assert vec3.field(shape=2).shape == (2,) and vec3.ndarray(shape=2).n == 3


def particles():
    return qd.types.struct(pos=qd.math.vec3, vel=qd.math.vec3, mass=float, alive=qd.i32)


def test_structs_on_the_host():
    x = particles().field(shape=(5,))
    x[1].mass = 3
    x[1].pos = [1, 2, 3]
    x[1].pos[1] = 9
    x.alive[2] = 8
    x.vel.fill(0.5)
    assert x[1].mass == 3 and x.pos[1].tolist() == [1, 9, 3] and x.alive.to_numpy().tolist() == [0, 0, 8, 0, 0]
    assert x.to_numpy()["vel"].shape == (5, 3) and (x.to_numpy()["vel"] == 0.5).all()
    x.pos.from_numpy(np.arange(15).reshape(5, 3))
    assert x[4].pos.tolist() == [12, 13, 14] and x[1].mass == 3
    x[0] = x[1]
    assert x[0].pos.tolist() == [3, 4, 5]
    y = particles().field(shape=(5,))
    y.copy_from(x)
    assert y.mass.to_numpy().tolist() == x.mass.to_numpy().tolist() == [3, 3, 0, 0, 0]
    made = particles()(pos=[1, 2, 3])
    assert made.mass == 0 and made.pos.y == 2 and made.to_dict()["alive"] == 0


def test_structs_in_kernels():
    Particle = particles()
    x, total = Particle.field(shape=(6,)), qd.field(qd.f32, shape=())

    @qd.kernel
    def move(dt: float):
        for i in x:
            x[i] = Particle(pos=[i, 2 * i, 0.0], mass=i)
            x.vel[i] = [1.0, 0.0, 0.5]
            x[i].alive = i % 2
            x.pos[i] += dt * x.vel[i]
            x[i].pos.y -= 1
        for i in x.mass:
            total[None] += x.mass[i]
            qd.atomic_add(x[0].alive, 1)
            x.alive[0] += 1

    move(2.0)
    i = np.arange(6)
    assert (x.pos.to_numpy() == np.stack([i + 2, 2 * i - 1, 1 + 0 * i], 1)).all()
    assert total[None] == 15 and x.alive.to_numpy().tolist() == [12, 1, 0, 1, 0, 1]


def test_classes_with_methods():
    @qd.dataclass
    class Ball:
        centre: qd.math.vec3
        radius: float

        @qd.func
        def area(self):
            return 4 * qd.math.pi * self.radius ** 2

        @qd.func
        def at(self, k: float, axis: qd.template()):
            return self.centre[axis] + k * self.radius

    balls = Ball.field(shape=(3,))

    @qd.func
    def moved(ball, by):
        ball.centre += by  # a copy, as every parameter of a function
        return ball

    @qd.kernel
    def measure() -> float:
        total = 0.0
        for i in balls:
            balls[i] = moved(Ball(radius=i), [1.0, i, 0.0])
        for i in balls:
            b = balls[i]
            total += b.area() + balls[i].at(2.0, 1)
        return total

    assert measure() == pytest.approx(4 * np.pi * 5 + 9, 1e-6)
    assert balls[2].centre.tolist() == [1, 2, 0]

    @qd.dataclass
    class Counter:
        n: int

        @qd.func
        def more(self):
            self.n += 1
            return self.n

    counters = Counter.field(shape=(3,))

    @qd.kernel
    def count():
        for i in counters:
            c = counters[i]
            c.more()

    with pytest.raises(rill.ScriptError, match="'self' is a parameter"):
        count()


def test_struct_without_a_name():
    x = qd.Struct.field({"a": qd.f32, "b": qd.math.ivec2}, shape=(2,))
    x[1].b = [3, 4]
    assert x.b.to_numpy().tolist() == [[0, 0], [3, 4]]
    made = qd.Struct(a=1.5, n=3)
    assert (made.a, made.n) == (1.5, 3)

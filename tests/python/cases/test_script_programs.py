"""Programs as people write them who come from Taichi, Warp and Numba, checked against NumPy or the function itself."""
import dataclasses
import math
from math import cos, sin, sqrt

import pytest

import rill

np = pytest.importorskip("numpy")

RANDOM = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def default(ctx):
    rill.set_default(ctx)
    yield
    rill.set_default(None)


def test_mandelbrot(ctx):
    @rill.kernel
    def paint(img: rill.f32[:, :], xmin: float, xmax: float, ymin: float, ymax: float, iters: int):
        h, w = img.shape
        for y, x in rill.grid(h, w):
            cr = xmin + (xmax - xmin) * x / w
            ci = ymin + (ymax - ymin) * y / h
            zr = zi = 0.0
            n = 0
            while n < iters and zr * zr + zi * zi <= 4:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                n += 1
            img[y, x] = n / iters

    img = np.zeros((60, 80), np.float32)
    paint(img, -2, 1, -1, 1, 50)
    ctx.sync()
    ref = np.zeros_like(img)
    paint.function(ref, -2.0, 1.0, -1.0, 1.0, 50)
    assert np.allclose(img, ref)


def test_julia_taichi(ctx):
    n = 32
    pixels = ctx.zeros((n * 2, n))

    @rill.func
    def complex_sqr(x, y):
        return x ** 2 - y ** 2, x * y * 2

    @rill.kernel
    def paint(t: float):
        for i, j in rill.grid(2 * n, n):
            cx, cy = -0.8, cos(t) * 0.2
            zx, zy = i / n - 1, j / n - 0.5
            iterations = 0
            while sqrt(zx * zx + zy * zy) < 20 and iterations < 50:
                zx, zy = complex_sqr(zx, zy)
                zx += cx
                zy += cy
                iterations += 1
            pixels[i, j] = 1 - iterations * 0.02

    paint(0.3)
    out = pixels.numpy()
    def ref(i, j):
        z = complex(i / n - 1, j / n - 0.5)
        c = complex(-0.8, cos(0.3) * 0.2)
        it = 0
        while abs(z) < 20 and it < 50:
            z, it = z * z + c, it + 1
        return 1 - it * 0.02

    assert sum(abs(out[i, j] - ref(i, j)) > 0.05 for i in range(2 * n) for j in range(n)) < 5


def test_nbody_numba(ctx):
    @rill.kernel
    def forces(pos: rill.f64[:, :], mass: rill.f64[:], acc: rill.f64[:, :], eps: float):
        n = pos.shape[0]
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i != j:
                    dx = pos[j, 0] - pos[i, 0]
                    dy = pos[j, 1] - pos[i, 1]
                    dz = pos[j, 2] - pos[i, 2]
                    r2 = dx**2 + dy**2 + dz**2 + eps**2
                    inv = mass[j] / (r2 * math.sqrt(r2))
                    ax += dx * inv
                    ay += dy * inv
                    az += dz * inv
            acc[i, 0], acc[i, 1], acc[i, 2] = ax, ay, az

    p, m, a = RANDOM.random((50, 3)), RANDOM.random(50), np.zeros((50, 3))
    forces(p, m, a, 1e-3)
    ctx.sync()
    ref = np.zeros_like(a)
    forces.function(p, m, ref, 1e-3)
    assert np.allclose(a, ref)


def test_nbody_structs(ctx):
    @dataclasses.dataclass
    class Body:
        x: rill.f32
        y: rill.f32
        vx: rill.f32
        vy: rill.f32
        m: rill.f32

    B = rill.struct(Body)

    @rill.func
    def pull(a: Body, b: Body):
        dx, dy = b.x - a.x, b.y - a.y
        inv = b.m / (dx * dx + dy * dy + 1e-3) ** 1.5
        return dx * inv, dy * inv

    @rill.kernel
    def step(bodies: B[:], out: B[:], dt: float):
        for i in range(len(bodies)):
            b = bodies[i]
            fx = fy = 0.0
            for j in range(len(bodies)):
                gx, gy = pull(b, bodies[j])
                fx += gx
                fy += gy
            b.vx += fx * dt
            b.vy += fy * dt
            out[i] = Body(b.x + b.vx * dt, b.y + b.vy * dt, b.vx, b.vy, b.m)

    a = np.zeros(20, B.numpy)
    a["x"] = RANDOM.random(20)
    a["y"] = RANDOM.random(20)
    a["m"] = 1
    out = np.zeros_like(a)
    step(a, out, 0.01)
    ctx.sync()
    assert np.isfinite(out["x"]).all() and (out["vx"] != 0).all() and (out["m"] == 1).all()


def test_game_of_life(ctx):
    @rill.func
    def alive(grid, i, j):
        n, m = grid.shape
        return grid[i % n, j % m]

    @rill.kernel
    def life(grid: rill.i32[:, :], new: rill.i32[:, :]):
        for i, j in rill.grid(grid.shape[0], grid.shape[1]):
            s = 0
            for di in rill.static(range(-1, 2)):
                for dj in rill.static(range(-1, 2)):
                    if di != 0 or dj != 0:
                        s += alive(grid, i + di, j + dj)
            new[i, j] = 1 if s == 3 or (grid[i, j] == 1 and s == 2) else 0

    g = (RANDOM.random((30, 40)) < 0.3).astype(np.int32)
    new = np.zeros_like(g)
    life(g, new)
    ctx.sync()
    s = sum(np.roll(g, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
    assert (new == ((s == 3) | ((g == 1) & (s == 2)))).all()


def test_matmul(ctx):
    @rill.kernel
    def mm(a: rill.f32[:, :], b: rill.f32[:, :], c: rill.f32[:, :]):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                acc = 0.0
                for k in range(a.shape[1]):
                    acc += a[i, k] * b[k, j]
                c[i, j] = acc

    a, b = RANDOM.random((20, 30), np.float32), RANDOM.random((30, 25), np.float32)
    c = np.zeros((20, 25), np.float32)
    mm(a, b, c)
    ctx.sync()
    assert np.allclose(c, a @ b, rtol=1e-4)


def test_histogram(ctx):
    @rill.kernel
    def hist(data: rill.f32[:], bins: rill.i32[:]):
        for v in range(len(data)):
            k = int(data[v] * len(bins))
            bins[k] += 1

    d = RANDOM.random(10000).astype(np.float32)
    h = np.zeros(16, np.int32)
    hist(d, h)
    ctx.sync()
    assert (h == np.histogram(d, 16, (0, 1))[0]).all()


def test_histogram_atomic(ctx):
    @rill.kernel
    def hist(data: rill.u8[:], bins: rill.i32[:]):
        for i in range(data.size):
            rill.atomic_add(bins[data[i]], 1)

    d = RANDOM.integers(0, 256, 10000).astype(np.uint8)
    h = np.zeros(256, np.int32)
    hist(d, h)
    ctx.sync()
    assert (h == np.bincount(d, minlength=256)).all()


def test_prefix_sum(ctx):
    @rill.kernel
    def scan(x: rill.i64[:], out: rill.i64[:]):
        s = 0
        for i in range(len(x)):
            s += x[i]
            out[i] = s

    x = RANDOM.integers(0, 100, 1000)
    o = np.zeros_like(x)
    scan(x, o)
    ctx.sync()
    assert (o == np.cumsum(x)).all()


def test_prefix_sum_hillis(ctx):
    @rill.kernel
    def scan(x: rill.i32[:], tmp: rill.i32[:]):
        n = len(x)
        offset = 1
        while offset < n:
            for i in range(n):
                tmp[i] = x[i] + (x[i - offset] if i >= offset else 0)
            for i in range(n):
                x[i] = tmp[i]
            offset *= 2

    x = RANDOM.integers(0, 10, 1000).astype(np.int32)
    r = np.cumsum(x)
    scan(x, np.zeros_like(x))
    ctx.sync()
    assert (x == r).all()


def test_heat(ctx):
    @rill.kernel
    def diffuse(u: rill.f64[:, :], v: rill.f64[:, :], steps: int, k: float):
        n, m = u.shape
        for t in range(steps):
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    v[i, j] = u[i, j] + k * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4.0 * u[i, j])
            for i, j in rill.grid((1, n - 1), (1, m - 1)):
                u[i, j] = v[i, j]

    u = np.zeros((20, 20))
    u[10, 10] = 1
    v = u.copy()
    ref = u.copy()
    rv = v.copy()
    diffuse(u, v, 10, 0.1)
    ctx.sync()
    diffuse.function(ref, rv, 10, 0.1)
    assert np.allclose(u, ref)


def test_ray_tracer(ctx):
    @rill.struct
    class Vec:
        x: rill.f32
        y: rill.f32
        z: rill.f32

    @rill.struct
    class Ray:
        o: Vec
        d: Vec

    @rill.func
    def dot(a, b):
        return a.x * b.x + a.y * b.y + a.z * b.z

    @rill.func
    def sub(a, b):
        return Vec(a.x - b.x, a.y - b.y, a.z - b.z)

    @rill.func
    def scale(a, s):
        return Vec(a.x * s, a.y * s, a.z * s)

    @rill.func
    def normalize(a):
        return scale(a, 1.0 / math.sqrt(dot(a, a)))

    @rill.func
    def hit_sphere(ray: Ray, center: Vec, radius: float):
        oc = sub(ray.o, center)
        b = dot(oc, ray.d)
        c = dot(oc, oc) - radius * radius
        disc = b * b - c
        t = -1.0
        if disc > 0:
            t = -b - math.sqrt(disc)
        return t

    @rill.kernel
    def render(img: rill.f32[:, :], light: Vec):
        h, w = img.shape
        for y in range(h):
            for x in range(w):
                d = normalize(Vec((x - w / 2) / w, (y - h / 2) / h, 1))
                ray = Ray(Vec(0, 0, -3), d)
                t = hit_sphere(ray, Vec(0, 0, 0), 1.0)
                if t > 0:
                    n = Vec(ray.o.x + t * d.x, ray.o.y + t * d.y, ray.o.z + t * d.z)
                    img[y, x] = max(0.1, dot(n, light))
                else:
                    img[y, x] = 0

    img = np.zeros((40, 40), np.float32)
    render(img, Vec(0, 0, -1))
    ctx.sync()
    assert abs(img[20, 20] - 1) < 1e-3 and img[0, 0] == 0 and 0.05 < img.mean() < 0.8


def test_sph_density(ctx):
    H = 0.1
    H2 = H * H
    POLY6 = 315.0 / (64.0 * math.pi * H ** 9)

    @rill.kernel
    def density(pos: rill.f32[:, :], rho: rill.f32[:], mass: float):
        for i in range(len(rho)):
            s = 0.0
            for j in range(len(rho)):
                d2 = 0.0
                for k in range(3):
                    d = pos[i, k] - pos[j, k]
                    d2 += d * d
                if d2 < H2:
                    s += mass * POLY6 * (H2 - d2) ** 3
            rho[i] = s

    p = RANDOM.random((100, 3)).astype(np.float32)
    rho = np.zeros(100, np.float32)
    density(p, rho, 1.0)
    ctx.sync()
    d2 = ((p[:, None] - p[None]) ** 2).sum(-1)
    ref = np.where(d2 < H2, POLY6 * (H2 - d2) ** 3, 0).sum(1)
    assert np.allclose(rho, ref, rtol=1e-3)


def test_method_simulation(ctx):
    class Sim:
        def __init__(self, n, dt):
            self.n, self.dt = n, dt
            self.x = ctx.zeros(n)
            self.v = ctx.zeros(n)
            self.v.fill(1.0)
        @rill.func
        def damp(self, v):
            return v * (1 - self.dt)
        @rill.kernel
        def step(self, g: float):
            for i in range(self.n):
                self.v[i] = self.damp(self.v[i]) + g * self.dt
                self.x[i] += self.v[i] * self.dt
        @rill.kernel
        def energy(self) -> float:
            e = 0.0
            for i in range(self.n):
                e += 0.5 * self.v[i] ** 2
            return e

    s = Sim(100, 0.1)
    s.step(2.0)
    assert abs(s.energy() - 100 * 0.5 * 1.1 ** 2) < 1e-3
    t = Sim(10, 0.5)
    t.step(0.0)
    assert abs(t.energy() - 10 * 0.5 * 0.25) < 1e-3


def test_ndrange_and_templates(ctx):
    @rill.kernel
    def blur(img: rill.f32[:, :], out: rill.f32[:, :], r: rill.template):
        for i, j in rill.grid(img.shape[0], img.shape[1]):
            total, count = 0.0, 0
            for di in range(-r, r + 1):
                for dj in range(-r, r + 1):
                    if 0 <= i + di < img.shape[0] and 0 <= j + dj < img.shape[1]:
                        total += img[i + di, j + dj]
                        count += 1
            out[i, j] = total / count

    a = RANDOM.random((20, 30)).astype(np.float32)
    o = np.zeros_like(a)
    ref = np.zeros_like(a)
    for r in (1, 2):
        blur(a, o, r)
        ctx.sync()
        blur.function(a, ref, r)
        assert np.allclose(o, ref, atol=1e-5)


def test_monte_carlo_pi(ctx):
    @rill.kernel
    def estimate(n: int, seed: int) -> float:
        inside = 0
        for i in range(n):
            x = rill.random_f64(seed, 2 * i)
            y = rill.random_f64(seed, 2 * i + 1)
            if x * x + y * y < 1:
                inside += 1
        return 4 * inside / n

    assert abs(estimate(100000, 7) - math.pi) < 0.03


def test_warp_like_saxpy_struct_args(ctx):
    @rill.struct
    class Params:
        a: float
        b: rill.f32
        n: int
        on: bool

    @rill.kernel
    def run(p: Params, x: rill.f32[:]):
        for i in range(p.n):
            if p.on:
                x[i] = p.a * x[i] + p.b

    x = np.ones(10, np.float32)
    run(Params(2.0, 0.5, 8, True), x)
    ctx.sync()
    assert (x[:8] == 2.5).all() and (x[8:] == 1).all()
    run(p=Params(a=2.0, b=0.0, n=10, on=False), x=x)


def test_return_tuple(ctx):
    @rill.kernel
    def minmax(x: rill.f32[:]):
        lo = x[0]
        hi = x[0]
        for i in range(len(x)):
            lo = min(lo, x[i])
            hi = max(hi, x[i])
        return lo, hi

    x = RANDOM.random(1000).astype(np.float32)
    lo, hi = minmax(x)
    assert lo == x.min() and hi == x.max()


def test_return_struct(ctx):
    @rill.struct
    class Stats:
        mean: float
        count: int

    @rill.kernel
    def stats(x: rill.f64[:]) -> Stats:
        s = 0.0
        for i in range(len(x)):
            s += x[i]
        return Stats(s / len(x), len(x))

    r = stats(np.arange(10.0))
    assert r.mean == 4.5 and r.count == 10 and isinstance(r.count, int)


def test_bubble_local_array(ctx):
    @rill.kernel
    def median9(img: rill.u8[:, :], out: rill.u8[:, :]):
        for i in range(1, img.shape[0] - 1):
            for j in range(1, img.shape[1] - 1):
                w = rill.local(9, rill.u8)
                for k in range(9):
                    w[k] = img[i + k // 3 - 1, j + k % 3 - 1]
                for a in range(9):
                    for b in range(8 - a):
                        if w[b] > w[b + 1]:
                            w[b], w[b + 1] = w[b + 1], w[b]
                out[i, j] = w[4]

    im = RANDOM.integers(0, 256, (20, 20)).astype(np.uint8)
    o = np.zeros_like(im)
    median9(im, o)
    ctx.sync()
    assert all(o[i, j] == np.median(im[i-1:i+2, j-1:j+2]) for i in range(1, 19) for j in range(1, 19))


def test_marching_squares_count(ctx):
    @rill.kernel
    def count(f: rill.f32[:, :], level: float, cases: rill.i32[:]):
        for i, j in rill.grid(f.shape[0] - 1, f.shape[1] - 1):
            c = 0
            if f[i, j] > level:
                c |= 1
            if f[i, j + 1] > level:
                c |= 2
            if f[i + 1, j + 1] > level:
                c |= 4
            if f[i + 1, j] > level:
                c |= 8
            cases[c] += 1

    f = RANDOM.random((30, 30)).astype(np.float32)
    c = np.zeros(16, np.int32)
    count(f, 0.5, c)
    ctx.sync()
    b = f > np.float32(0.5)
    k = b[:-1, :-1] * 1 + b[:-1, 1:] * 2 + b[1:, 1:] * 4 + b[1:, :-1] * 8
    assert (c == np.bincount(k.ravel(), minlength=16)).all()


def test_sphere_march_sdf(ctx):
    @rill.func
    def sdf(x: float, y: float, z: float) -> float:
        return math.sqrt(x * x + y * y + z * z) - 1.0

    @rill.kernel
    def march(depth: rill.f32[:, :]):
        for i, j in rill.grid(*depth.shape):
            t = 0.0
            for _ in range(64):
                d = sdf((i - 16) / 16, (j - 16) / 16, -3 + t)
                if d < 1e-3:
                    break
                t += d
                if t > 10:
                    break
            depth[i, j] = t

    d = np.zeros((32, 32), np.float32)
    march(d)
    ctx.sync()
    assert abs(d[16, 16] - 2) < 1e-2 and d[0, 0] > 10


def test_collatz_while_true(ctx):
    @rill.kernel
    def collatz(n: rill.i64[:], steps: rill.i32[:]):
        for i in range(len(n)):
            x = n[i]
            c = 0
            while True:
                if x == 1:
                    break
                elif x % 2 == 0:
                    x //= 2
                else:
                    x = 3 * x + 1
                c += 1
            steps[i] = c

    n = np.arange(1, 100)
    s = np.zeros(99, np.int32)
    collatz(n, s)
    ctx.sync()
    ref = np.zeros(99, np.int32)
    collatz.function(n, ref)
    assert (s == ref).all()


def test_enumerate_zip_ternary(ctx):
    @rill.kernel
    def relu(x: rill.f32[:], y: rill.f32[:]):
        for i in range(x.shape[0]):
            y[i] = x[i] if x[i] > 0 else 0

    x = RANDOM.standard_normal(100).astype(np.float32)
    y = np.zeros_like(x)
    relu(x, y)
    ctx.sync()
    assert (y == np.maximum(x, 0)).all()


def test_poisson_jacobi_residual(ctx):
    @rill.kernel
    def jacobi(p: rill.f64[:, :], q: rill.f64[:, :], b: rill.f64[:, :]) -> float:
        res = 0.0
        for i in range(1, p.shape[0] - 1):
            for j in range(1, p.shape[1] - 1):
                q[i, j] = 0.25 * (p[i - 1, j] + p[i + 1, j] + p[i, j - 1] + p[i, j + 1] - b[i, j])
                res = max(res, abs(q[i, j] - p[i, j]))
        return res

    p = np.zeros((20, 20))
    q = p.copy()
    b = RANDOM.random((20, 20))
    r = jacobi(p, q, b)
    assert abs(r - np.abs(q - p).max()) < 1e-12


def test_softmax_rows(ctx):
    @rill.kernel
    def softmax(x: rill.f32[:, :], y: rill.f32[:, :]):
        for i in range(x.shape[0]):
            m = -math.inf
            for j in range(x.shape[1]):
                m = max(m, x[i, j])
            s = 0.0
            for j in range(x.shape[1]):
                y[i, j] = math.exp(x[i, j] - m)
                s += y[i, j]
            for j in range(x.shape[1]):
                y[i, j] /= s

    x = RANDOM.standard_normal((10, 20)).astype(np.float32)
    y = np.zeros_like(x)
    softmax(x, y)
    ctx.sync()
    e = np.exp(x - x.max(1, keepdims=True))
    assert np.allclose(y, e / e.sum(1, keepdims=True), atol=1e-6)


def test_black_scholes(ctx):
    @rill.func
    def cnd(d):
        return 0.5 * (1.0 + math.erf(d / math.sqrt(2.0)))

    @rill.kernel
    def bs(s: rill.f64[:], k: rill.f64[:], t: rill.f64[:], r: float, v: float, call: rill.f64[:], put: rill.f64[:]):
        for i in range(len(s)):
            sq = v * math.sqrt(t[i])
            d1 = (math.log(s[i] / k[i]) + (r + 0.5 * v * v) * t[i]) / sq
            d2 = d1 - sq
            disc = math.exp(-r * t[i])
            call[i] = s[i] * cnd(d1) - k[i] * disc * cnd(d2)
            put[i] = k[i] * disc * cnd(-d2) - s[i] * cnd(-d1)

    s, k, t = RANDOM.random(50) + 1, RANDOM.random(50) + 1, RANDOM.random(50) + 0.1
    c, p = np.zeros(50), np.zeros(50)
    bs(s, k, t, 0.02, 0.3, c, p)
    ctx.sync()
    assert np.allclose(c - p, s - k * np.exp(-0.02 * t))


def test_kmeans_assign(ctx):
    @rill.kernel
    def assign(x: rill.f32[:, :], c: rill.f32[:, :], label: rill.i32[:]):
        for i in range(len(x)):
            best, where = math.inf, 0
            for k in range(len(c)):
                d = 0.0
                for a in range(x.shape[1]):
                    d += (x[i, a] - c[k, a]) ** 2
                if d < best:
                    best, where = d, k
            label[i] = where

    x, c = RANDOM.random((100, 4)).astype(np.float32), RANDOM.random((5, 4)).astype(np.float32)
    l = np.zeros(100, np.int32)
    assign(x, c, l)
    ctx.sync()
    assert (l == ((x[:, None] - c[None]) ** 2).sum(-1).argmin(1)).all()


def test_print_and_assert(ctx):
    @rill.kernel
    def check(x: rill.i32[:]):
        for i in range(len(x)):
            assert x[i] >= 0, "negative"
        print(f"first {x[0]}", x[1])

    check(np.arange(3, dtype=np.int32))
    ctx.sync()


def test_bitonic_sort(ctx):
    @rill.kernel
    def sort(a: rill.i32[:]):
        n = len(a)
        k = 2
        while k <= n:
            j = k // 2
            while j > 0:
                for i in rill.parallel(range(n)):
                    l = i ^ j
                    if l > i:
                        if ((i & k) == 0 and a[i] > a[l]) or ((i & k) != 0 and a[i] < a[l]):
                            a[i], a[l] = a[l], a[i]
                j //= 2
            k *= 2

    a = RANDOM.integers(0, 1000, 64).astype(np.int32)
    r = np.sort(a)
    sort(a)
    ctx.sync()
    assert (a == r).all()


def test_sparse_csr(ctx):
    @rill.kernel
    def spmv(ptr: rill.i32[:], col: rill.i32[:], val: rill.f64[:], x: rill.f64[:], y: rill.f64[:]):
        for row in range(len(y)):
            acc = 0.0
            for k in range(ptr[row], ptr[row + 1]):
                acc += val[k] * x[col[k]]
            y[row] = acc

    d = RANDOM.random((20, 20)) * (RANDOM.random((20, 20)) < 0.2)
    ptr = np.concatenate([[0], (d != 0).sum(1).cumsum()]).astype(np.int32)
    col = np.nonzero(d)[1].astype(np.int32)
    val = d[d != 0]
    x, y = RANDOM.random(20), np.zeros(20)
    spmv(ptr, col, val, x, y)
    ctx.sync()
    assert np.allclose(y, d @ x)


def test_tuples_and_helpers(ctx):
    @rill.func
    def rot(p, a):
        c, s = math.cos(a), math.sin(a)
        return (p[0] * c - p[1] * s, p[0] * s + p[1] * c)

    @rill.kernel
    def turn(x: rill.f64[:, :], a: float):
        for i in range(len(x)):
            p = (x[i, 0], x[i, 1])
            q = rot(p, a)
            x[i, 0], x[i, 1] = q

    x = RANDOM.random((10, 2))
    r = x.copy()
    turn(x, 0.5)
    ctx.sync()
    assert np.allclose(x[:, 0], r[:, 0] * cos(0.5) - r[:, 1] * sin(0.5))


def test_static_weights_tuple(ctx):
    W = (0.25, 0.5, 0.25)

    @rill.kernel
    def smooth(x: rill.f32[:], y: rill.f32[:]):
        for i in range(1, len(x) - 1):
            s = 0.0
            for k in rill.static(range(len(W))):
                s += W[k] * x[i + k - 1]
            y[i] = s

    x = RANDOM.random(50).astype(np.float32)
    y = np.zeros_like(x)
    smooth(x, y)
    ctx.sync()
    assert np.allclose(y[1:-1], 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], atol=1e-6)


def test_numpy_functions(ctx):
    @rill.kernel
    def f(x: rill.f32[:], y: rill.f32[:]):
        for i in range(len(x)):
            y[i] = np.sin(x[i]) + np.float32(2) * np.maximum(x[i], 0.5) + np.pi

    x = RANDOM.random(50).astype(np.float32)
    y = np.zeros_like(x)
    f(x, y)
    ctx.sync()
    assert np.allclose(y, np.sin(x) + 2 * np.maximum(x, 0.5) + np.pi, atol=1e-5)

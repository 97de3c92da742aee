#!/usr/bin/env python3
"""The kernels of the programs in examples/ beside the same files built by gcc -O3 -march=native: serially, and with OpenMP's
pragmas before the loops that a programmer would mark. Everybody takes turns on the CPU; the least of several is compared, and
results with those of the serial build.

    bench/programs.py [name ...]

OMP_NUM_THREADS and RILL_THREADS say how many threads the two have. librill.so is the one that RILL_LIBRARY names.
"""
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples" / "python"))
import rill  # noqa: E402

ROUNDS = 7
F, I, B = ctypes.c_float, ctypes.c_int32, ctypes.c_uint8
FOR, ATOMIC = "#pragma omp parallel for", "#pragma omp atomic"


def fields(*names, **others):
    """A struct of floats, with other types where they are named."""
    members = [(name, others.get(name, F)) for name in names]
    return type("struct", (ctypes.Structure,), {"_fields_": members})


VEC2, MAT2 = fields("x", "y"), fields("a", "b", "c", "d")
SPHERE = fields("x", "y", "z", "radius", "r", "g", "b", "light", "surface", surface=I)
SPHERES = [(0, -1000, 0, 1000, .5, .5, .5, 0, 0), (-1.1, 1, -.5, 1, .9, .9, .9, 0, 1), (1.1, 1, -.2, 1, 1, 1, 1, 0, 2),
           (0, .4, .9, .4, .8, .25, .2, 0, 0), (-1.9, .35, 1, .35, .2, .45, .8, 0, 0), (2, .3, 1.2, .3, .9, .7, .2, 0, 1),
           (.2, 3.6, -1.5, .6, 1, .9, .7, 6, 0)]


def fluid(n, m, steps):
    return {"file": "fluid", "arrays": {"x": VEC2 * n, "v": VEC2 * n, "c": MAT2 * n, "volume": F * n, "grid_v": VEC2 * m**2,
                                        "grid_m": F * m**2},
            "start": ("drop", n, m, "x", "v", "c", "volume"),
            "run": ("advance", n, m, steps, 2e-4, "x", "v", "c", "volume", "grid_v", "grid_m"), "result": "grid_m",
            "marks": {"for (int p = 0;": FOR, "for (int i = 0; i < m;": FOR, "grid_v[bx + i][by + j].x +=": ATOMIC,
                      "grid_v[bx + i][by + j].y +=": ATOMIC, "grid_m[bx + i][by + j] +=": ATOMIC}}


def dam(n, m, steps):
    spacing = 0.5 / m
    return {"file": "sph", "arrays": {"x": VEC2 * n, "v": VEC2 * n, "density": F * n, "force": VEC2 * n, "cell": I * n,
                                      "first": I * (m**2 + 1), "filled": I * m**2, "list": I * n},
            "start": ("dam", n, spacing, "x", "v"),
            "run": ("advance", n, m, steps, 1e-4, 1000 * spacing**2, "x", "v", "density", "force", "cell", "first", "filled", "list"),
            "result": "density",
            "marks": {"for (int p = 0;": FOR, "first[cell[p] + 1]++": ATOMIC, "#pragma rill parallel": FOR}}


def paths(width, height, samples):
    return {"file": "paths", "arrays": {"spheres": SPHERE * len(SPHERES), "picture": B * (width * height * 3)},
            "values": {"spheres": SPHERES}, "run": ("render", len(SPHERES), width, height, samples, "spheres", "picture"), "result": "picture",
            "marks": {"for (int y = 0;": FOR + " schedule(dynamic)"}}


def solver(m, steps):
    return {"file": "solver", "arrays": {name: F * m**2 for name in "burpq"}, "start": ("charges", m, "b"),
            "run": ("solve", m, steps, 1e-4, *"burpq"), "result": "u",
            "marks": {"for (int i = 0;": [FOR, FOR + " reduction(+ : rr)", None, FOR],
                      "for (int i = 1;": [FOR + " reduction(+ : pq)", FOR + " reduction(+ : next)", FOR]}}


def blur(width, height, radius):
    return {"file": "image", "arrays": {"grey": B * (width * height), "rows": F * (width * height), "out": F * (width * height)},
            "start": ("scene", width, height, 1, "grey"), "run": ("blur", width, height, radius, "grey", "rows", "out"),
            "result": "out", "marks": {"for (int y = 0;": FOR}}


def edges(width, height):
    return {"file": "image", "arrays": {"grey": F * (width * height), "out": F * (width * height)},
            "run": ("edges", width, height, "grey", "out"), "result": "out", "marks": {"for (int y = ": FOR}}


def equalise(width, height):
    return {"file": "image", "arrays": {"grey": B * (width * height), "out": B * (width * height), "histogram": I * 256},
            "start": ("scene", width, height, 1, "grey"), "run": ("equalise", width, height, "grey", "out", "histogram"),
            "result": "out", "marks": {"for (int y = 0;": FOR, "histogram[in[y][x]]++": ATOMIC}}


PROGRAMS = {
    "fluid, 9,216 particles": fluid(9216, 128, 100),
    "fluid, 147,456 particles": fluid(147456, 512, 8),
    "dam, 4,000 particles": dam(4000, 64, 50),
    "dam, 64,000 particles": dam(64000, 256, 4),
    "paths, 480 x 320": paths(480, 320, 8),
    "conjugate gradients, 128 x 128": solver(128, 1000),
    "conjugate gradients, 1024 x 1024": solver(1024, 50),
    "blur, 1920 x 1080": blur(1920, 1080, 5),
    "edges, 1920 x 1080": edges(1920, 1080),
    "equalise, 1920 x 1080": equalise(1920, 1080),
}


def marked(text, marks):
    """The file with a pragma before each line that begins like a mark. A list has one for each such line, in order."""
    queues = {mark: list(pragmas) for mark, pragmas in marks.items() if not isinstance(pragmas, str)}
    out = []
    for line in text.split("\n"):
        mark = next((mark for mark in marks if line.strip().startswith(mark)), None)
        pragma = None if mark is None else queues[mark].pop(0) if mark in queues else marks[mark]
        out += [pragma, line] if pragma else [line]
    return "\n".join(out)


def build(folder, name, text, *flags):
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    subprocess.run(["gcc", "-O3", "-march=native", "-std=gnu11", "-shared", "-fPIC", "-w", *flags, f"-I{ROOT}/include", "-o",
                    str(library), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def memory(program):
    arrays = {name: kind() for name, kind in program["arrays"].items()}
    for name, rows in program.get("values", {}).items():
        for i, row in enumerate(rows):
            arrays[name][i] = type(arrays[name][0])(*row)
    return arrays


def native(library, call, arrays):
    name, *values = call
    getattr(library, name)(*(arrays[v] if isinstance(v, str) else F(v) if isinstance(v, float) else v for v in values))


def launch(context, module, call, arrays):
    name, *values = call
    getattr(module, name)(*(arrays[v] if isinstance(v, str) else v for v in values))
    context.synchronize()


def flat(array):
    return memoryview(array).cast("B").cast("B" if array._type_ is B else "f" if array._type_ is F else "i")


def difference(mine, serial):
    """The mean one, of the largest number there. A path may take another way for one bit: a pixel differs, the picture not."""
    mine, serial = flat(mine), flat(serial)
    return sum(abs(a - b) for a, b in zip(mine, serial)) / len(serial) / max(1e-30, max(abs(b) for b in serial))


def measure(context, program, folder):
    text = (ROOT / "examples" / "kernels" / f"{program['file']}.c").read_text()
    serial = build(folder, "serial", text)
    openmp = build(folder, "openmp", marked(text, program["marks"]), "-fopenmp")
    module = context.load(ROOT / "examples" / "kernels" / f"{program['file']}.c")
    ways = [lambda call, arrays, library=library: native(library, call, arrays) for library in (serial, openmp)]
    ways.append(lambda call, arrays: launch(context, module, call, arrays))
    least, results = [float("inf")] * 3, [None] * 3
    for turn in range(-1, ROUNDS):  # the first is to warm up
        for way, run in enumerate(ways):
            arrays = memory(program)
            if "start" in program:
                run(program["start"], arrays)
            time.sleep(0.005)  # OpenMP's threads spin for a while
            begin = time.perf_counter()
            run(program["run"], arrays)
            took = (time.perf_counter() - begin) * 1e3
            least[way] = min(least[way], took) if turn >= 0 else least[way]
            results[way] = arrays[program["result"]]
    return least, difference(results[2], results[0])


def main():
    words = sys.argv[1:]
    print(f"{'ms':34}{'gcc':>10}{'OpenMP':>10}{'Rill':>10}{'x gcc':>9}{'x OpenMP':>9}{'error':>9}")
    with rill.Context("cpu") as context:
        for name, program in PROGRAMS.items():
            if words and not any(word in name for word in words):
                continue
            with tempfile.TemporaryDirectory() as work:
                (serial, openmp, mine), error = measure(context, program, pathlib.Path(work))
            print(f"{name:34}{serial:10.2f}{openmp:10.2f}{mine:10.2f}{serial / mine:9.2f}{openmp / mine:9.2f}{error:9.0e}", flush=True)


if __name__ == "__main__":
    main()

"""Random kernels in Python, on which Rill and Python must agree: nested loops, breaks, locals that are set here and there,
arithmetic of negative numbers. A seed that fails is in the test's name; RILL_TEST_SEEDS=1000 runs so many, and
RILL_TEST_TURN picks others."""
import importlib.util
import os
import random

import pytest

import rill

numpy = pytest.importorskip("numpy")

COUNT = int(os.environ.get("RILL_TEST_SEEDS", "8" if "RILL_TEST_QUICK" in os.environ else "24"))
FIRST = int(os.environ.get("RILL_TEST_TURN", "0")) * 1000
SIZE = 24


class Writer:
    """One program: every number stays below a thousand, so that no integer is wider in Python than in C."""

    def __init__(self, seed):
        self.random, self.lines, self.names, self.loops = random.Random(seed), [], [], []
        self.count = 0

    def pick(self, *values):
        return self.random.choice(values)

    def atom(self):
        kinds = ["constant", "array", "n"] + ["name"] * 3 * bool(self.names) + ["loop"] * 3 * bool(self.loops)
        kind = self.random.choice(kinds)
        if kind == "constant":
            return str(self.random.randint(-9, 9))
        if kind == "n":
            return "n"
        if kind == "name":
            return self.random.choice(self.names)
        if kind == "loop":
            return self.random.choice(self.loops)
        return f"x[({self.random.choice(self.loops) if self.loops else 3}) % {SIZE}]"

    def integer(self, depth=2):
        if depth == 0 or self.random.random() < 0.2:
            return self.atom()
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        kind = self.random.randrange(10)
        if kind < 4:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        if kind < 6:
            divisor = self.pick("3", "-4", "7", f"(abs({b}) + 1)", f"(-abs({b}) - 2)")
            return f"({a} {self.pick('//', '%')} {divisor})"
        if kind == 6:
            return f"{self.pick('min', 'max')}({a}, {b})"
        if kind == 7:
            return f"({a} if {self.condition(depth - 1)} else {b})"
        if kind == 8:
            return f"abs({a})"
        return f"({a} {self.pick('&', '|', '^')} {b})"

    def condition(self, depth=1):
        a, b, c = (self.integer(min(depth, 1)) for _ in range(3))
        return self.pick(f"{a} < {b}", f"{a} <= {b} < {c}", f"{a} != {b}", f"not {a} > {b}",
                         f"({a} == {b} or {b} > {c})", f"({a} >= {b} and {c} > 0)")

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)

    def assign(self, depth):
        value = f"({self.integer()}) % 997 - 300"
        if self.names and self.random.random() < 0.5:
            name = self.random.choice(self.names)
            if self.random.random() < 0.4:
                self.emit(depth, f"{name} = ({name} {self.pick('+', '-')} {self.integer(1)}) % 1009 - 500")
                return
        else:
            name = f"v{self.count}"
            self.count += 1
            self.emit(depth, f"{name} = {value}")
            self.names.append(name)
            return
        self.emit(depth, f"{name} = {value}")

    def store(self, depth):
        index = f"({self.integer(1)}) % {SIZE}" if self.random.random() < 0.4 or not self.loops else (
            f"{self.random.choice(self.loops)} % {SIZE}")
        self.emit(depth, f"{self.pick('x', 'y')}[{index}] = ({self.integer()}) % 997 - 300")

    def block(self, depth, budget, in_loop=False):
        known = list(self.names)
        self.assign(depth)
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.randrange(10)
            if kind < 3 or budget == 0:
                self.assign(depth)
            elif kind < 5:
                self.store(depth)
            elif kind < 7:
                self.loop(depth, budget - 1)
            elif kind < 9:
                self.emit(depth, f"if {self.condition()}:")
                self.block(depth + 1, budget - 1, in_loop)
                if self.random.random() < 0.5:
                    self.emit(depth, "else:")
                    self.block(depth + 1, budget - 1, in_loop)
            elif len(self.names) > 1:
                a, b = self.random.sample(self.names, 2)
                self.emit(depth, f"{a}, {b} = {b}, {a}")
        if in_loop and self.random.random() < 0.3:
            self.emit(depth, f"if {self.condition()}:")
            self.emit(depth + 1, self.pick("break", "continue"))
            self.store(depth)
        self.names = known  # what only some ways set is not read elsewhere

    def loop(self, depth, budget):
        name = f"i{self.count}"
        self.count += 1
        if self.random.random() < 0.2:
            self.emit(depth, f"{name} = {self.random.randint(1, 6)}")
            self.emit(depth, f"while {name} > 0:")
            self.emit(depth + 1, f"{name} -= 1")
            self.loops.append(name)
            self.block(depth + 1, budget, False)
            self.loops.pop()
            return
        ends = self.pick(f"range({self.random.randint(0, 8)})", f"range({self.random.randint(-3, 3)}, {self.random.randint(2, 7)})",
                         f"range(7, {self.random.randint(-2, 3)}, {self.random.randint(-3, -1)})", "range(n % 7)",
                         f"range(0, {SIZE}, {self.random.randint(1, 5)})", "range(len(x))")
        self.emit(depth, f"for {name} in {ends}:")
        self.loops.append(name)
        self.block(depth + 1, budget, True)
        self.loops.pop()

    def text(self):
        for _ in range(self.random.randint(1, 3)):
            self.assign(1)
        for _ in range(2):
            self.loop(1, 2)
        self.block(1, 1)
        total = " + ".join(self.names)
        head = "import rill\n\n\n@rill.kernel\ndef program(n: int, x: rill.i64[:], y: rill.i64[:]) -> int:\n"
        return head + "\n".join(self.lines) + f"\n    return {total}\n"


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_kernel_is_python(ctx, tmp_path, seed):
    text = Writer(seed).text()
    file = tmp_path / f"program_{seed}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(f"program_{seed}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = numpy.random.default_rng(seed)
    x, y, n = rng.integers(-200, 200, SIZE), rng.integers(-200, 200, SIZE), int(rng.integers(1, 50))
    px, py = x.tolist(), y.tolist()
    wanted = module.program.function(n, px, py)
    rill.set_default(ctx)
    try:
        result = module.program(n, x, y)
    finally:
        rill.set_default(None)
    assert (result, x.tolist(), y.tolist()) == (wanted, px, py), text + "\n" + module.program.source

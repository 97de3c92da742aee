#!/usr/bin/env python3
"""Each row of the language's table of arithmetic, on the CPU, for every integer type: against a model of unbounded integers.

Each expression stands in a loop that is vectorised, in a loop that is not, and over literals, which the compiler folds.
"""
import itertools
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import LIMIT, Report  # noqa: E402

HEAD = "#include <rill/kernel.h>\n#include <stdint.h>\n#include <math.h>\n#include <stdlib.h>\n"


class Int:
    def __init__(self, name, bits, signed, letter, descr):
        self.name, self.bits, self.signed, self.letter, self.descr = name, bits, signed, letter, descr
        self.least = -(1 << (bits - 1)) if signed else 0
        self.most = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1

    def wrap(self, x):
        x &= (1 << self.bits) - 1
        return x - (1 << self.bits) if self.signed and x >> (self.bits - 1) else x

    def promoted(self):
        return self if self.bits >= 32 else INT

    def literal(self, x):
        suffix = "ull" if not self.signed and self.bits == 64 else "ll"
        text = f"(-{-(x + 1)}{suffix} - 1)" if x < 0 else f"{x}{suffix}"
        return f"(({self.name}){text})"


INT = Int("int", 32, True, "i", "<i4")
INTS = [Int("int8_t", 8, True, "b", "|i1"), Int("uint8_t", 8, False, "B", "|u1"), Int("short", 16, True, "h", "<i2"),
        Int("unsigned short", 16, False, "H", "<u2"), INT, Int("unsigned", 32, False, "I", "<u4"),
        Int("long", 64, True, "q", "<i8"), Int("unsigned long long", 64, False, "Q", "<u8")]


def divide(p, a, b):
    if b == 0:
        return 0
    return p.wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))  # MIN / -1 wraps to MIN


def remain(p, a, b):
    return a if b == 0 else p.wrap(abs(a) % abs(b) * (-1 if a < 0 else 1))


OPERATIONS = [  # expression, what it gives in the promoted type; the result is converted to the type
    ("a + b", lambda p, a, b, s: a + b),
    ("a - b", lambda p, a, b, s: a - b),
    ("a * b", lambda p, a, b, s: a * b),
    ("a / b", lambda p, a, b, s: divide(p, a, b)),
    ("a % b", lambda p, a, b, s: remain(p, a, b)),
    ("a << s", lambda p, a, b, s: a << (s % p.bits)),
    ("a >> s", lambda p, a, b, s: a >> (s % p.bits)),
    ("a << b", lambda p, a, b, s: a << (b % p.bits)),
    ("a >> b", lambda p, a, b, s: a >> (b % p.bits)),
    ("-a", lambda p, a, b, s: -a),
    ("~a", lambda p, a, b, s: ~a),
    ("(a + b) / 2", lambda p, a, b, s: divide(p, p.wrap(a + b), 2)),
    ("(a << 3) % 7", lambda p, a, b, s: remain(p, p.wrap(a << 3), 7)),
    ("a < b", lambda p, a, b, s: a < b),
    ("a / -1", lambda p, a, b, s: divide(p, a, p.wrap(-1))),
    ("a % -1", lambda p, a, b, s: remain(p, a, p.wrap(-1))),
    ("a / 0", lambda p, a, b, s: 0),
    ("a % 0", lambda p, a, b, s: a),
    ("a << 65", lambda p, a, b, s: a << (65 % p.bits)),
    ("a >> -1", lambda p, a, b, s: a >> (-1 % p.bits)),
]
STATEMENTS = [  # on x, which starts as a
    ("x += b", lambda p, a, b, s: a + b),
    ("x /= b", lambda p, a, b, s: divide(p, a, b)),
    ("x %= b", lambda p, a, b, s: remain(p, a, b)),
    ("x <<= s", lambda p, a, b, s: a << (s % p.bits)),
    ("x >>= s", lambda p, a, b, s: a >> (s % p.bits)),
    ("x++", lambda p, a, b, s: a + 1),
    ("x--", lambda p, a, b, s: a - 1),
]
ALL = OPERATIONS + STATEMENTS
SHIFTS = [0, 1, 7, 8, 15, 31, 32, 33, 63, 64, 65, -1, -31, 1000, -2147483648]


def edges(t):
    values = {0, 1, 2, 3, 7, t.most, t.most - 1, t.least, t.least + 1, t.most // 2, t.wrap(-1), t.wrap(-2), t.wrap(-7)}
    return sorted(values)


def code(index, store):
    """The statements that compute everything of one element."""
    lines = [f"{store(k)} = {text};" for k, (text, _) in enumerate(OPERATIONS)]
    lines += [f"{{ T x = a; {text}; {store(len(OPERATIONS) + k)} = x; }}" for k, (text, _) in enumerate(STATEMENTS)]
    return "\n        ".join(lines)


def write_npy(path, descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, "".join(f"{e}," for e in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(data))


def read_npy(path, letter):
    data = path.read_bytes()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)


def run(path, kernel, sets, ins, outs, *options, env=None):
    """None, or what went wrong."""
    command = [str(RILL), "run", str(path), kernel, *options]
    for option, pairs in (("--set", sets), ("--in", ins), ("--out", outs)):
        command += [w for k, v in pairs.items() for w in (option, f"{k}={v}")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=dict(os.environ, **(env or {})),
                          check=False)
    return None if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr[-2000:]}"


def check_integers(report, work, t, rng):
    triples = [(a, b, SHIFTS[(i * 7) % len(SHIFTS)]) for i, (a, b) in enumerate(itertools.product(edges(t), edges(t)))]
    triples += [(a, 1, s) for a in edges(t) for s in SHIFTS]
    while len(triples) < 3001:
        triples.append((rng.randint(t.least, t.most), rng.randint(t.least, t.most), rng.randint(-2**31, 2**31 - 1)))
    n, count = len(triples), len(ALL)
    literals = triples[::37][:24]
    folded = "".join(f"    {{ const T a = {t.literal(a)}, b = {t.literal(b)}; const int s = {INT.literal(s)};\n        "
                     + code(0, lambda k, i=i: f"r[{k}][{i}]") + " }\n" for i, (a, b, s) in enumerate(literals))
    text = HEAD + f"""typedef {t.name} T;
kernel void loops(int n, const T as[n], const T bs[n], const int ss[n], T r[{count}][n], T q[{count}][n])
{{
    for (int i = 0; i < n; i++) {{
        T a = as[i], b = bs[i]; int s = ss[i];
        {code(0, lambda k: f"r[{k}][i]")}
    }}
    int i = 0;
    while (i < n) {{
        T a = as[i], b = bs[i]; int s = ss[i];
        {code(0, lambda k: f"q[{k}][i]")}
        i += as[i] == as[i] ? 1 : 2;
    }}
}}
kernel void folded(T r[{count}][{len(literals)}])
{{
{folded}}}
"""
    path = work / "integers.c"
    path.write_text(text)
    for k, (name, letter, descr) in enumerate((("as", t.letter, t.descr), ("bs", t.letter, t.descr), ("ss", "i", "<i4"))):
        write_npy(work / f"{name}.npy", descr, (n,), struct.pack(f"<{n}{letter}", *(x[k] for x in triples)))
    failed = run(path, "loops", {"n": n}, {k: work / f"{k}.npy" for k in ("as", "bs", "ss")},
                 {"r": work / "r.npy", "q": work / "q.npy"})
    failed = failed or run(path, "folded", {}, {}, {"r": work / "f.npy"})
    if failed:
        report.check(f"integers_of_{t.name}", False, failed)
        return
    for name, file, given in (("in_a_parallel_loop", "r.npy", triples), ("in_a_serial_loop", "q.npy", triples),
                              ("over_literals", "f.npy", literals)):
        got = read_npy(work / file, t.letter)
        wrong = []
        for k, (text, model) in enumerate(ALL):
            for i, (a, b, s) in enumerate(given):
                p = t.promoted()
                expected = t.wrap(p.wrap(int(model(p, a, b, s))))
                if got[k * len(given) + i] != expected:
                    wrong.append(f"{text} with a = {a}, b = {b}, s = {s}: {got[k * len(given) + i]}, expected {expected}")
        report.check(f"arithmetic_of_{t.name.replace(' ', '_')}_{name}", not wrong, "\n".join(wrong[:10]))


# ---- conversions


def float_values(letter, rng):
    values = [0.0, -0.0, 0.5, -0.5, 0.999, -0.999, 1.0, -1.0, 1.5, -1.5, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 1e30,
              -1e30, 3e9, -3e9]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        for sign in (1, -1):
            values += [sign * math.ldexp(1, bits), sign * (math.ldexp(1, bits) - 1), sign * (math.ldexp(1, bits) + 1),
                       sign * (math.ldexp(1, bits) - 0.5), sign * math.ldexp(1 - 2.0**-24, bits)]
    while len(values) < 1501:
        values.append(rng.uniform(-1, 1) * 2.0 ** rng.randrange(-3, 70))
    return [struct.unpack(letter, struct.pack(letter, v))[0] for v in values]


def saturated(t, x):
    return 0 if x != x else t.most if x >= t.most else t.least if x <= t.least else int(x)


def check_float_to_int(report, work, name, letter, descr, rng):
    values = float_values(letter, rng)
    n = len(values)
    cells = [(f"i{k}", t) for k, t in enumerate(INTS)]
    params = ", ".join(f"{t.name} {c}[3][n]" for c, t in cells)
    some = values[:60]

    def body(row, index, x):
        return " ".join(f"{c}[{row}][{index}] = ({t.name}){x};" for c, t in cells) + f" truth[{row}][{index}] = (_Bool){x};"

    def literal(x):
        word = "NAN" if x != x else "INFINITY" if math.isinf(x) else abs(x).hex()
        return f"(({name}){'-' if math.copysign(1, x) < 0 else ''}{word})"
    lines = "\n    ".join(body(2, i, literal(x)) for i, x in enumerate(some))
    path = work / "conversions.c"
    path.write_text(HEAD + f"""kernel void convert(int n, const {name} x[n], {params}, _Bool truth[3][n])
{{
    for (int i = 0; i < n; i++) {{ {body(0, "i", "x[i]")} }}
    int i = 0;
    while (i < n) {{ {body(1, "i", "x[i]")} i += x[i] > 1e300 ? 1 : 2 - (n > 0); }}
    {lines}
}}
""")
    write_npy(work / "x.npy", descr, (n,), struct.pack(f"<{n}{letter}", *values))
    outs = {c: work / f"{c}.npy" for c, _ in cells} | {"truth": work / "truth.npy"}
    failed = run(path, "convert", {"n": n}, {"x": work / "x.npy"}, outs)
    if failed:
        report.check(f"{name}_to_integers", False, failed)
        return
    for c, t in cells:
        got = read_npy(work / f"{c}.npy", t.letter)
        wrong = [f"({t.name}){values[i]!r} is {got[row * n + i]}, expected {saturated(t, values[i])} (row {row})"
                 for row in range(3) for i in range(n if row < 2 else len(some))
                 if got[row * n + i] != saturated(t, values[i])]
        report.check(f"{name}_to_{t.name.replace(' ', '_')}_saturates_and_nan_gives_0", not wrong, "\n".join(wrong[:10]))
    got = read_npy(work / "truth.npy", "B")
    wrong = [f"(_Bool){values[i]!r} is {got[row * n + i]}" for row in range(3) for i in range(n if row < 2 else len(some))
             if got[row * n + i] != int(not values[i] == 0)]
    report.check(f"{name}_to_bool_is_not_equal_to_0", not wrong, "\n".join(wrong[:10]))


def rounded(x, digits):
    """The integer rounded to a float of so many digits: to nearest, ties to even."""
    size = abs(x)
    extra = max(size.bit_length() - digits, 0)
    low, half = size & ((1 << extra) - 1), (1 << extra) >> 1
    size >>= extra
    size += low > half or (low == half and extra > 0 and size & 1)
    return math.copysign(math.ldexp(size, extra), x) if x else 0.0


def check_int_conversions(report, work, t, rng):
    values = edges(t) + [t.wrap(v) for b in (7, 8, 15, 16, 24, 25, 31, 32, 53, 54, 63)
                         for v in ((1 << b) - 1, 1 << b, (1 << b) + 1, -(1 << b) - 1, (1 << b) + (1 << max(b - 24, 0)))]
    values += [rng.randint(t.least, t.most) for _ in range(1001 - len(values))]
    n = len(values)
    cells = [(f"i{k}", o.name, o.letter, o.wrap) for k, o in enumerate(INTS)]
    cells += [("f", "float", "f", lambda v: rounded(v, 24)), ("d", "double", "d", lambda v: rounded(v, 53)),
              ("t", "_Bool", "B", lambda v: int(v != 0))]
    params = ", ".join(f"{name} {c}[n]" for c, name, _, _ in cells)
    path = work / "narrow.c"
    path.write_text(HEAD + f"kernel void narrow(int n, const {t.name} x[n], {params})\n{{ for (int i = 0; i < n; i++) {{ "
                    + " ".join(f"{c}[i] = ({name})x[i];" for c, name, _, _ in cells) + " } }\n")
    write_npy(work / "x.npy", t.descr, (n,), struct.pack(f"<{n}{t.letter}", *values))
    failed = run(path, "narrow", {"n": n}, {"x": work / "x.npy"}, {c: work / f"{c}.npy" for c, _, _, _ in cells})
    wrong = [failed] if failed else []
    for c, name, letter, model in [] if failed else cells:
        got = read_npy(work / f"{c}.npy", letter)
        wrong += [f"({name}){v}: {g}, expected {model(v)}" for v, g in zip(values, got) if g != model(v)]
    report.check(f"conversions_from_{t.name.replace(' ', '_')}", not wrong, "\n".join(wrong[:10]))


# ---- the other rows

OTHERS = HEAD + """
static int note(int *order, int digit) { *order = *order * 10 + digit; return digit; }
static int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
union pun { float f; uint32_t u; uint8_t bytes[4]; double d; };
struct small { int s : 3; unsigned u : 3; };
kernel void others(int n, const float x[n], int ok[32], float scratch[4])
{
    char c = (char)200;
    ok[0] = c < 0 && c == -56 && (char)255 == -1;
    int order = 0;
    ok[1] = three(note(&order, 1), note(&order, 2), note(&order, 3)) == 123 && order == 123;
    union pun p; p.f = 1.0f;
    ok[2] = p.u == 0x3f800000u && p.bytes[3] == 0x3f && p.bytes[0] == 0;
    float one = 1.5f;
    ok[3] = *(uint32_t *)&one == 0x3fc00000u;
    scratch[0] = 2.0f; *(int *)&scratch[0] += 1 << 23;
    ok[4] = scratch[0] == 4.0f;
    struct small s; s.s = 5; s.u = 13;
    ok[5] = s.s == -3 && s.u == 5;
    int most = 2147483647; long wide = 9223372036854775807;
    ok[6] = most + 1 < 0 && most * 2 == -2 && wide + 1 < 0 && -(-most - 1) == -most - 1;
    ok[7] = abs(-most - 1) == -most - 1 && labs(-wide - 1) == -wide - 1;
    _Bool b = 256; b += 1;
    ok[8] = b == 1 && (_Bool)0.25f == 1 && (_Bool)(-0.0f) == 0 && (_Bool)NAN == 1;
    b = 0; b--;
    ok[9] = b == 1;
    int sum = 0;
    for (int i = 0; i < n; i++) { sum += 2147483647; }
    ok[10] = sum == (int)(2147483647u * (unsigned)n);
    int uninitialised; uninitialised &= 0;
    ok[11] = uninitialised == 0;
    unsigned char u = 250; u += 10;
    short h = 32767; h++;
    ok[12] = u == 4 && h == -32768;
    ok[13] = (-5) / 2 == -2 && -5 % 2 == -1 && (-5 >> 1) == -3 && (unsigned)-5 >> 28 == 15;
    ok[14] = 0.1f + 0.2f == 0.3f && 0.1 + 0.2 != 0.3 && x[0] / 3.0f * 3.0f == x[0];
    ok[15] = !(NAN < 1) && !(NAN > 1) && NAN != NAN && !(NAN == NAN);
    ok[16] = 1.0f / 0.0f == INFINITY && -1.0f / 0.0f == -INFINITY && isnan(0.0f / 0.0f);
    ok[17] = 1e-45f > 0 && 1e-45f / 2 == 0 && 0x1p-126f / 2 > 0;
    ok[18] = sqrtf(2.0f) == 0x1.6a09e6p+0f && sqrt(2.0) == 0x1.6a09e667f3bcdp+0 && isnan(sqrtf(-1.0f));
}
"""
OTHER_NAMES = ["char_is_signed", "arguments_are_evaluated_left_to_right", "unions_pun", "pointers_pun", "arrays_pun",
               "bit_fields_wrap", "signed_overflow_wraps", "abs_of_the_least_wraps", "to_bool_is_not_0", "bool_wraps_to_1",
               "a_sum_wraps", "uninitialised_locals_hold_something", "small_types_wrap", "division_truncates_shift_floors",
               "floats_round_to_their_type", "nan_compares_false", "division_by_zero_is_ieee", "subnormals_are_kept",
               "sqrt_is_correctly_rounded"]

CONTRACT = HEAD + """
static float product(float a, float b) { return a * b; }
kernel void contract(int n, const float a[n], const float b[n], const float c[n], float r[6][n])
{
    for (int i = 0; i < n; i++) {
        r[0][i] = a[i] * b[i] + c[i];
        float t = a[i] * b[i];
        r[1][i] = t + c[i];
        r[2][i] = fmaf(a[i], b[i], c[i]);
        r[3][i] = c[i];
        r[3][i] += a[i] * b[i];
        r[4][i] = product(a[i], b[i]) + c[i];
        r[5][i] = -c[i] - a[i] * b[i];
    }
}
"""


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def check_contraction(report, work, rng):
    path = work / "contract.c"
    path.write_text(CONTRACT)
    n = 1003
    a = [f32(rng.uniform(1, 2)) for _ in range(n)]
    b = [f32(rng.uniform(1, 2)) for _ in range(n)]
    c = [-f32(x * y) for x, y in zip(a, b)]  # what is left is the rounding of the product
    for name, values in (("a", a), ("b", b), ("c", c)):
        write_npy(work / f"{name}.npy", "<f4", (n,), struct.pack(f"<{n}f", *values))
    apart = [f32(f32(x * y) + z) for x, y, z in zip(a, b, c)]  # exact in doubles
    fused = [f32(x * y + z) for x, y, z in zip(a, b, c)]
    minus = [f32(-z - x * y) for x, y, z in zip(a, b, c)]
    minus_apart = [f32(-z - f32(x * y)) for x, y, z in zip(a, b, c)]
    assert apart != fused and minus != minus_apart
    on = [fused, apart, fused, fused, apart, minus]
    off = [apart, apart, fused, apart, apart, minus_apart]
    for name, options, env, expected in (("on", [], {}, on), ("off_by_option", ["--contract=off"], {}, off),
                                         ("off_by_environment", [], {"RILL_CONTRACT": "off"}, off)):
        failed = run(path, "contract", {"n": n}, {k: work / f"{k}.npy" for k in "abc"}, {"r": work / "r.npy"}, *options,
                     env=env)
        got = [] if failed else read_npy(work / "r.npy", "f")
        wrong = [k for k in range(6) if not failed and list(got[k * n:(k + 1) * n]) != expected[k]]
        report.check(f"contraction_{name}_is_inside_one_expression", not failed and not wrong, failed or f"rows {wrong}")


def check_others(report, work):
    path = work / "others.c"
    path.write_text(OTHERS)
    write_npy(work / "x.npy", "<f4", (100,), struct.pack("<100f", *([3.0] * 100)))
    failed = run(path, "others", {"n": 100}, {"x": work / "x.npy"}, {"ok": work / "ok.npy"})
    if failed:
        report.check("the_other_rows", False, failed)
        return
    for name, held in zip(OTHER_NAMES, read_npy(work / "ok.npy", "i")):
        report.check(name, held == 1, held)


def main():
    report = Report()
    rng = random.Random(6)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for t in INTS:
            check_integers(report, work, t, rng)
            check_int_conversions(report, work, t, rng)
        check_float_to_int(report, work, "float", "f", "<f4", rng)
        check_float_to_int(report, work, "double", "d", "<f8", rng)
        check_contraction(report, work, rng)
        check_others(report, work)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Every kernel file in the tree, built by gcc too, gives the same bytes on the CPU back end.

A line `// run: KERNEL name=value … [wild] [returns=VALUE] [~ TOLERANCE]` in a kernel file runs one kernel with these
scalars; a pointer's value is its number of elements, a struct's members are set by `name.member=value`. Arrays start with
the same numbers in both builds: small positive ones, or, if the line says wild, any. Compared are all arrays, the returned
value and the printed text. Without a tolerance everything is compared bit by bit (contraction off); with one, floats may
differ by so much relative to the largest magnitude in their array: math calls, float reductions, and what they decide.
`// struct NAME: FORMAT [member …]` says in Python's struct letters what a struct is made of. Each case starts with fresh
fields in both builds. The thread counts 1, 2 and 7 take turns, every fourth case has its bounds checked, every fifth and the
files of helpers call what would be inlined, the files of blocks run in schedules of their own (RILL_SCHEDULE=n: all in that
one), and the compiler verifies what each pass leaves.
"""
import ctypes
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
THREADS = [1, 2, 7]
FOLDERS = ["tests/kernels", "examples/kernels", "bench/kernels"]
# Serial and exact: what language.md defines is what these flags give, short of the traps that end the process.
GCC = ["gcc", "-std=gnu99", "-O1", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char", "-ffp-contract=off", "-w", "-shared", "-Wl,-Bsymbolic",
       "-fPIC", f"-I{ROOT}/include"]

SCALARS = {
    "_Bool": ("?", ctypes.c_bool, "|b1"), "bool": ("?", ctypes.c_bool, "|b1"), "char": ("b", ctypes.c_int8, "|i1"),
    "signed char": ("b", ctypes.c_int8, "|i1"), "unsigned char": ("B", ctypes.c_uint8, "|u1"),
    "int8_t": ("b", ctypes.c_int8, "|i1"), "uint8_t": ("B", ctypes.c_uint8, "|u1"),
    "short": ("h", ctypes.c_int16, "<i2"), "unsigned short": ("H", ctypes.c_uint16, "<u2"),
    "int16_t": ("h", ctypes.c_int16, "<i2"), "uint16_t": ("H", ctypes.c_uint16, "<u2"),
    "int": ("i", ctypes.c_int32, "<i4"), "unsigned": ("I", ctypes.c_uint32, "<u4"),
    "unsigned int": ("I", ctypes.c_uint32, "<u4"), "int32_t": ("i", ctypes.c_int32, "<i4"),
    "uint32_t": ("I", ctypes.c_uint32, "<u4"), "long": ("q", ctypes.c_int64, "<i8"),
    "long long": ("q", ctypes.c_int64, "<i8"), "unsigned long": ("Q", ctypes.c_uint64, "<u8"),
    "unsigned long long": ("Q", ctypes.c_uint64, "<u8"), "int64_t": ("q", ctypes.c_int64, "<i8"),
    "uint64_t": ("Q", ctypes.c_uint64, "<u8"), "size_t": ("Q", ctypes.c_uint64, "<u8"),
    "float": ("f", ctypes.c_float, "<f4"), "double": ("d", ctypes.c_double, "<f8"),
}


LETTERS = {letter: ctype for letter, ctype, _ in SCALARS.values()}
WILD_FLOATS = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-40, -1e-40, 0.5, 1.5, 2.5, -2.5, 3.4e38, 16777217.0]


def structure(letters, members):
    """The ctypes form of a struct whose members have names; padding letters are what C adds anyway."""
    kinds = [LETTERS[letter] for letter in re.sub(r"\d*x", "", letters)]
    return type("Value", (ctypes.Structure,), {"_fields_": list(zip(members, kinds))})


class Param:
    def __init__(self, text, structs):
        text = re.sub(r"\b(const|restrict|static)\b", " ", text).strip()
        self.extents = re.findall(r"\[([^\]]*)\]", text)
        head = re.sub(r"\[.*", "", text).strip()
        self.is_pointer = "*" in head
        words = head.replace("*", " ").split()
        self.name = words[-1]
        self.type = " ".join(words[:-1])
        self.is_array = self.is_pointer or bool(self.extents)
        self.members = []
        if self.type in SCALARS:
            self.format, self.ctype, self.descr = SCALARS[self.type]
        else:
            self.format, self.members = structs[re.sub(r"^(struct|union) ", "", self.type)]
            self.descr = f"|V{struct.calcsize('@' + self.format)}"
            self.ctype = structure(self.format, self.members)
        self.size = struct.calcsize("@" + self.format)


def evaluate(text, values):
    text = re.sub(r"\(\s*(size_t|int|long|int64_t)\s*\)", "", text.strip())
    return int(eval(text.replace("/", "//"), {}, dict(values)))  # our own files: C's integer arithmetic over names


def wild_value(letter, rng):
    size = struct.calcsize(letter)
    if letter in "fd":
        value = rng.choice(WILD_FLOATS) if rng.random() < 0.3 else rng.uniform(-1, 1) * 10.0 ** rng.randrange(-12, 12)
        return struct.unpack(letter, struct.pack(letter, value))[0]
    if letter == "?":
        return rng.random() < 0.5
    bits = rng.choice([0, 1, -1, 1 << (8 * size - 1), ~(1 << (8 * size - 1))]) if rng.random() < 0.2 else rng.getrandbits(64)
    return int.from_bytes((bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"), "little", signed=letter.islower())


def first_bytes(param, count, rng, wild):
    """Numbers that every type can hold, floats not all integers; or any."""
    letters = re.sub(r"\d*x", "", param.format)
    out = bytearray()
    for _ in range(count):
        values = []
        for letter in letters:
            if wild:
                values.append(wild_value(letter, rng))
            elif letter in "fd":
                values.append(rng.randrange(1, 2000) / 64.0)
            elif letter == "?":
                values.append(rng.random() < 0.5)
            else:
                values.append(rng.randrange(1, 100))
        out += struct.pack("@" + param.format, *values)
    return out


def write_npy(path, descr, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, "".join(f"{e}," for e in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(data))


def read_npy(path):
    data = path.read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


def differ(param, mine, theirs, tolerance):
    """None, or a sentence."""
    if mine == theirs:
        return None
    letters = re.sub(r"\d*x", "", param.format)
    a = [v for part in struct.iter_unpack("@" + param.format, mine) for v in part]
    b = [v for part in struct.iter_unpack("@" + param.format, theirs) for v in part]
    scale = max((abs(v) for i, v in enumerate(b) if letters[i % len(letters)] in "fd" and math.isfinite(v)), default=0)
    for i, (x, y) in enumerate(zip(a, b)):
        letter = letters[i % len(letters)]
        is_float = letter in "fd"
        if struct.pack(letter, x) == struct.pack(letter, y) or (is_float and x != x and y != y):
            continue
        if is_float and tolerance > 0 and abs(x - y) <= tolerance * scale:
            continue
        return f"'{param.name}' differs first at scalar {i}: {x!r}, gcc has {y!r}"
    return None


class Case:
    """One `// run:` line: what both builds get."""

    def __init__(self, path, text, line):
        parts, _, tolerance = line.partition("~")
        words = parts.split()
        self.name = words[0]
        self.wild = "wild" in words
        self.settings = dict(w.split("=", 1) for w in words[1:] if w != "wild")
        self.tolerance = float(tolerance) if tolerance.strip() else 0.0
        self.rng = random.Random(f"{path.name} {line}")
        structs = {n: (f, m.split()) for n, f, m in re.findall(r"//[ ]*struct (\w+):[ ]*(\S+)([^\n]*)", text)}
        match = re.search(r"\b(?:kernel|RILL_KERNEL)\s+([\w\s]+?)\s+" + self.name + r"\s*\(([^)]*(?:\([^)]*\)[^)]*)*?)\)\s*\{",
                          re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S))
        if match is None:
            raise ValueError(f"there is no kernel '{self.name}'")
        self.returns = " ".join(match.group(1).split())
        self.params = [Param(p, structs) for p in match.group(2).split(",") if p.strip() not in ("", "void")]
        numbers = {k: v for k, v in self.settings.items() if re.fullmatch(r"-?(0x[\da-fA-F]+|\d+)", v)}
        self.numbers = {k: int(v, 0) for k, v in numbers.items()}

    def value(self, p):
        """A scalar or a struct, for gcc's build."""
        def number(letter, text):
            return float(text) if letter in "fd" else int(text, 0)
        if not p.members:
            return p.ctype(number(p.format, self.settings[p.name]))
        letters = re.sub(r"\d*x", "", p.format)
        return p.ctype(*(number(l, self.settings[f"{p.name}.{m}"]) for l, m in zip(letters, p.members)))

    def array(self, p):
        """(extents, first bytes)"""
        extents = [evaluate(e, self.numbers) for e in p.extents] or [int(self.settings[p.name])]
        return extents, first_bytes(p, math.prod(extents), self.rng, self.wild)


def capture(function, arguments, work):
    """What the function returns, and what it prints to C's stdout."""
    libc = ctypes.CDLL(None)
    sys.stdout.flush()
    kept = os.dup(1)
    with open(work / "stdout", "wb") as out:
        os.dup2(out.fileno(), 1)
    returned = function(*arguments)
    libc.fflush(None)
    os.dup2(kept, 1)
    os.close(kept)
    return returned, (work / "stdout").read_bytes().decode(errors="replace")


def compare_returned(case, mine, returned):
    mine = float(mine) if isinstance(mine, str) else mine
    if isinstance(returned, float):
        letter = SCALARS[case.returns][0]
        mine = struct.unpack(letter, struct.pack(letter, mine))[0]
        if mine != mine and returned != returned or abs(mine - returned) <= case.tolerance * abs(returned):
            return None
    if mine != returned:
        return f"returned {mine!r}, gcc returns {returned!r}"
    if "returns" in case.settings and returned != int(case.settings["returns"], 0):
        return f"both return {returned!r}"
    return None


def run_case(path, text, library, line, work):
    """None, or a sentence."""
    try:
        case = Case(path, text, line)
    except ValueError as error:
        return str(error)
    command = [str(RILL), "run", str(path), case.name, "--contract=off", "--json"]
    arguments, arrays = [], []
    for p in case.params:
        if p.is_array:
            extents, data = case.array(p)
            buffer = (ctypes.c_char * max(len(data), 1)).from_buffer(bytearray(data) or bytearray(1))
            write_npy(work / f"{p.name}.in.npy", p.descr, extents, data)
            command += ["--in", f"{p.name}={work}/{p.name}.in.npy", "--out", f"{p.name}={work}/{p.name}.out.npy"]
            arguments.append(buffer)
            arrays.append((p, buffer, len(data)))
        else:
            arguments.append(case.value(p))
    given = {"returns"} | {p.name for p, _, _ in arrays}  # a pointer's array comes with its size
    command += [w for k, v in case.settings.items() if k not in given for w in ("--set", f"{k}={v}")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"rill run says: {done.stderr.strip()[-800:]}"
    got = json.loads(done.stdout)
    function = getattr(library, case.name)
    function.restype = None if case.returns == "void" else SCALARS[case.returns][1]
    returned, printed = capture(function, arguments, work)
    for p, buffer, size in arrays:
        wrong = differ(p, read_npy(work / f"{p.name}.out.npy"), bytes(buffer)[:size], case.tolerance)
        if wrong is not None:
            return wrong
    if got["printed"] != printed:
        return f"printed {got['printed'][:200]!r}, gcc prints {printed[:200]!r}"
    return compare_returned(case, got.get("returned"), returned) if case.returns != "void" else None


def run_file(path, first, given):
    """The number of cases, and whether one failed."""
    text = path.read_text()
    lines = re.findall(r"//[ ]*run:[ ]*(.*)", text)
    if os.environ.get("RILL_TEST_PART", "plain") != "plain" and "RILL_TEST_LONG" not in os.environ:
        lines = lines[::12]  # a sanitized compiler is slow: a sample is enough there
    failed = False
    with tempfile.TemporaryDirectory() as folder_name:
        work = pathlib.Path(folder_name)
        built = subprocess.run(GCC + ["-o", str(work / "kernel.so"), str(path), "-lm"], capture_output=True, text=True)
        if built.returncode != 0 or not lines:
            print(f"FAIL {path.name}: " + (f"gcc: {built.stderr.strip()[:300]}" if lines else "it has no '// run:' line"))
            return len(lines), True
        for number, line in enumerate(lines):
            copy = work / f"kernel{number}.so"  # another file: another copy of its fields
            shutil.copy(work / "kernel.so", copy)
            os.environ["RILL_THREADS"] = str(THREADS[(first + number) % len(THREADS)])
            os.environ["RILL_CHECK"] = "bounds" if (first + number) % 4 == 3 else ""
            if given["RILL_VERIFY"] == "1":
                calls = path.name.startswith("helpers") or (first + number) % 5 == 4
                os.environ["RILL_VERIFY"] = "calls" if calls else "1"
            if "RILL_SCHEDULE" not in given:
                os.environ["RILL_SCHEDULE"] = str(number % 5 if path.name.startswith("blocks") else 0)  # 0: as it comes
            wrong = run_case(path, text, ctypes.CDLL(str(copy)), line.strip(), work)
            print(f"ok {path.name} {line}" if wrong is None else f"FAIL {path.name} {line}: {wrong}", flush=True)
            failed |= wrong is not None
    return len(lines), failed


def main():
    os.environ.setdefault("RILL_VERIFY", "1")
    os.environ.setdefault("RILL_DEVICE", os.environ.get("RILL_TEST_DEVICE", "cpu"))
    wanted = sys.argv[1:]
    failed, count = False, 0
    given = dict(os.environ)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.c")):
            if wanted and not any(w in path.name for w in wanted):
                continue
            cases, wrong = run_file(path, count, given)
            count += cases
            failed |= wrong
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

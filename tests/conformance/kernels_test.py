#!/usr/bin/env python3
"""Every kernel file in the tree, built by gcc too, gives the same bytes on the device of RILL_TEST_DEVICE (cpu).

A line `// run: KERNEL name=value … [wild] [returns=VALUE] [~ TOLERANCE]` in a kernel file runs one kernel with these
scalars; a pointer's value is its number of elements, a struct's members are set by `name.member=value`. Arrays start with
the same numbers in both builds: small positive ones, or, if the line says wild, any. Compared are all arrays, the returned
value and the printed text. Without a tolerance everything is compared bit by bit (contraction off); with one, floats may
differ by so much relative to the largest magnitude in their array: math calls, float reductions, and what they decide.
`// struct NAME: FORMAT [member …]` says in Python's struct letters what a struct is made of. Each case starts with fresh
fields in both builds.

Cases of a file share compilations: each setting of `settings_of` is one process that compiles the file once and runs its
share of the cases (kernel_cases.c). Thread counts, checked bounds, loops watched for races, helpers that are called and not inlined, and schedules of
blocks take turns, and so does whether the file is compiled, found in the cache or built ahead of time: in the short form a file has one setting, a file of blocks two; under a sanitizer one file in four runs,
with one setting. RILL_TEST_LONG runs all cases of all files with every setting, and so does a run by hand, each case with one.
RILL_TEST_SHARE=1/4, or an argument 1/4, takes every fourth file, from the second on. The compiler verifies what each pass
leaves.

    kernels_test.py              all files
    kernels_test.py torture 1/4  files with this in their name, or shares of all
    kernels_test.py --pieces     the shares of this part and turn
"""
import concurrent.futures
import ctypes
import hashlib
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
import threading

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ["RILL_BUILD"])
CASES = BUILD / "tests" / "conformance" / "kernel_cases"
DEVICE = os.environ.get("RILL_TEST_DEVICE", "cpu")
IS_LONG = "RILL_TEST_LONG" in os.environ
PART = os.environ.get("RILL_TEST_PART", "plain")
IS_PLAIN = PART == "plain"
IS_SHORT = "RILL_TEST_TURN" in os.environ and not IS_LONG
TURN = int(os.environ.get("RILL_TEST_TURN", "0"))
JOBS = int(os.environ.get("RILL_TEST_JOBS", min(len(os.sched_getaffinity(0)), 8)))
LIMIT = int(os.environ.get("RILL_TEST_TIMEOUT", "120"))  # seconds, for one case or one compilation
THREADS = [1, 2, 7]
PIECES = 8  # shares of the files
# Iterations of these store the same constant in the same places, by the author's word (an index that was loaded): right, and
# a race to ThreadSanitizer wherever two threads take part.
RACES = {"dependence.c": ["one_constant"], "teams.c": ["asked"]}
# One iteration of these stores what another one reads, by the author's word, and RILL_CHECK=races says so.
REPORTED = {"teams.c": ["asked"]}
IS_WATCHED = DEVICE == "cpu" and PART == "tsan"
FOLDERS = ["tests/kernels", "examples/kernels", "bench/kernels"]
# Serial and exact: what language.md defines is what these flags give, short of the traps that end the process.
GCC = ["gcc", "-std=gnu99", "-O1", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char", "-ffp-contract=off", "-fexcess-precision=16", "-w", "-shared", "-Wl,-Bsymbolic",
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
    "_Float16": ("e", ctypes.c_uint16, "<f2"),  # in arrays: ctypes has no such value
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
    if letter == "e":
        return struct.unpack("e", rng.getrandbits(16).to_bytes(2, "little"))[0]  # every one of them
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
            elif letter in "fde":
                values.append(rng.randrange(1, 2000) / 64.0)
            elif letter == "?":
                values.append(rng.random() < 0.5)
            else:
                values.append(rng.randrange(1, 100))
        out += struct.pack("@" + param.format, *values)
    return out


def differ(param, mine, theirs, tolerance):
    """None, or a sentence."""
    if mine == theirs:
        return None
    letters = re.sub(r"\d*x", "", param.format)
    a = [v for part in struct.iter_unpack("@" + param.format, mine) for v in part]
    b = [v for part in struct.iter_unpack("@" + param.format, theirs) for v in part]
    scale = max((abs(v) for i, v in enumerate(b) if letters[i % len(letters)] in "fde" and math.isfinite(v)), default=0)
    for i, (x, y) in enumerate(zip(a, b)):
        letter = letters[i % len(letters)]
        is_float = letter in "fde"
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
        returned = self.returns.removeprefix("struct ")
        self.is_struct = returned in structs
        if self.is_struct:
            self.result_format, self.result_members = structs[returned]
            self.result_type = structure(self.result_format, self.result_members)
        elif self.returns != "void":
            self.result_format, self.result_type = SCALARS[self.returns][:2]
        self.params = [Param(p, structs) for p in match.group(2).split(",") if p.strip() not in ("", "void")]
        numbers = {k: v for k, v in self.settings.items() if re.fullmatch(r"-?(0x[\da-fA-F]+|\d+)", v)}
        self.numbers = {k: int(v, 0) for k, v in numbers.items()}

    def value(self, p):
        """A scalar or a struct, for gcc's build."""
        def number(letter, text):
            return float(text) if letter in "fde" else int(text, 0)
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
    if case.is_struct:
        returned = tuple(getattr(returned, member) for member in case.result_members)
        mine = struct.unpack(case.result_format, mine)
        wrong = [m for m, x, y in zip(case.result_members, mine, returned) if x != y and abs(x - y) > case.tolerance * abs(y)]
        return f"returned {mine}, gcc returns {returned}: {', '.join(wrong)}" if wrong else None
    mine = struct.unpack(case.result_format, mine)[0]
    if isinstance(returned, float):
        if mine != mine and returned != returned or abs(mine - returned) <= case.tolerance * abs(returned):
            return None
    if mine != returned:
        return f"returned {mine!r}, gcc returns {returned!r}"
    if "returns" in case.settings and returned != int(case.settings["returns"], 0):
        return f"both return {returned!r}"
    return None


class Driver:
    """kernel_cases with one file and one setting; None of it when it is not running."""

    def __init__(self, path, settings):
        self.log = tempfile.TemporaryFile()
        env = dict(os.environ, **settings)
        env.pop("RILL_TEST_PROGRESS", None)
        self.process = subprocess.Popen([str(CASES), DEVICE, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, cwd=ROOT, env=env)
        self.wrong = self.exchange(b"", lambda head: None)[1]

    def exchange(self, request, rest):
        """(what rest makes of the answer's head, None or a sentence)"""
        process = self.process
        late = threading.Timer(LIMIT, process.kill)
        late.start()
        try:
            process.stdin.write(request)
            process.stdin.flush()
            head = process.stdout.readline().decode().split()
            if head and head[0] in ("ready", "ok"):
                return rest([int(word) for word in head[1:]]), None
            if head and head[0] == "error":
                return None, f"Rill says: {process.stdout.read(int(head[1])).decode(errors='replace')[-800:]}"
            return None, "it ended, or took too long, in this case"
        except (BrokenPipeError, struct.error):
            return None, "it ended in this case"
        finally:
            late.cancel()

    def finish(self):
        """None, or what it said last if it did not end well."""
        self.process.stdin.close()
        late = threading.Timer(LIMIT, self.process.kill)
        late.start()
        status = self.process.wait()
        late.cancel()
        self.process.stdout.close()
        self.log.seek(0)
        words = self.log.read().decode(errors="replace")
        self.log.close()
        return None if status == 0 and "fake driver:" not in words else f"status {status}: {words.strip()[-3000:]}"


def scalar_line(p, value):
    """A number in the form that kernel_cases reads, a struct with its bytes."""
    if p.members:
        return f"s {p.size}\n".encode() + bytes(value)
    if isinstance(value.value, float):
        return f"f {value.value!r}\n".encode()
    return f"{'i' if value.value < 0 else 'u'} {int(value.value)}\n".encode()


def run_case(path, text, library, line, driver, work):
    """None, or a sentence."""
    try:
        case = Case(path, text, line)
    except ValueError as error:
        return str(error)
    request, arguments, arrays = [f"{case.name} {len(case.params)}\n".encode()], [], []
    for p in case.params:
        if p.is_array:
            extents, data = case.array(p)
            buffer = (ctypes.c_char * max(len(data), 1)).from_buffer(bytearray(data) or bytearray(1))
            request += [f"a {len(data)} {len(extents)} {' '.join(map(str, extents))}\n".encode(), bytes(data)]
            arguments.append(buffer)
            arrays.append((p, buffer, len(data)))
        else:
            arguments.append(case.value(p))
            request.append(scalar_line(p, arguments[-1]))
    read = driver.process.stdout.read
    got, wrong = driver.exchange(b"".join(request), lambda sizes: ([read(size) for size in sizes],
                                                                  [read(size) for _, _, size in arrays]))
    if wrong is not None:
        return wrong
    (value, text_printed), outputs = got
    function = getattr(library, case.name)
    function.restype = None if case.returns == "void" else case.result_type
    returned, printed = capture(function, arguments, work)
    for (p, buffer, size), output in zip(arrays, outputs):
        if len(output) != size:
            return "it ended in this case"
        wrong = differ(p, output, bytes(buffer)[:size], case.tolerance)
        if wrong is not None:
            return wrong
    if text_printed.decode(errors="replace") != printed:
        return f"printed {text_printed[:200]!r}, gcc prints {printed[:200]!r}"
    return compare_returned(case, value, returned) if case.returns != "void" else None


def build_by_gcc(path, text):
    """The library's path, or None, and gcc's words. Kept in the build for the other runs of this part."""
    seen = hashlib.sha256(" ".join(GCC).encode() + str(path).encode() + text.encode())
    for header in [ROOT / "include/rill/kernel.h"] + sorted((ROOT / "tests/kernels/include").glob("*")):
        seen.update(header.read_bytes())
    folder = BUILD / "tests" / "kernels-gcc"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / f"{path.stem}-{seen.hexdigest()[:16]}.so"
        if kept.exists():
            return kept, ""
        with tempfile.TemporaryDirectory(dir=folder) as work:
            made = pathlib.Path(work) / "kernel.so"
            built = subprocess.run(GCC + ["-o", str(made), str(path), "-lm"], capture_output=True, text=True, check=False)
            if built.returncode != 0:
                return None, built.stderr.strip()[:300]
            made.replace(kept)
        return kept, ""
    except OSError as error:
        return None, str(error)


def with_ways(every, index):
    """Where the code comes from takes turns too: compiled, built ahead of time, or found in a cache that a compile has filled.
    What is instrumented for a sanitizer is compiled."""
    if not IS_PLAIN and DEVICE == "cpu":
        return every
    ways = [{}, {"RILL_AHEAD": "here"}, {"RILL_CACHE": "filled"}]
    if IS_LONG:
        return [dict(settings, **way) for settings in every for way in ways]
    return [dict(settings, **ways[(index + TURN + number) % 3]) for number, settings in enumerate(every)]


def settings_of(path, index):
    """The environments in which the cases of a file run, each of them its share."""
    calls = "calls" if path.name.startswith("helpers") else "1"
    if DEVICE != "cpu":
        every = [{"RILL_CHECK": check, "RILL_VERIFY": calls} for check in ("", "bounds,races")]
        return with_ways(every if IS_LONG or (IS_PLAIN and not IS_SHORT) else [every[(index // 2 + TURN) % 4 == 3]], index)
    every = [{"RILL_THREADS": str(threads), "RILL_CHECK": ("races", "", "bounds")[(index + turn) % 3],
              "RILL_VERIFY": "calls" if (index + turn) % 3 == 1 else calls, "RILL_SCHEDULE": "0"}
             for turn, threads in enumerate(THREADS)]
    if path.name.startswith("block"):  # a schedule of their own; 0: as it comes
        every = [dict(every[seed % 3], RILL_SCHEDULE=str(seed)) for seed in range(5)]
    if IS_LONG or (IS_PLAIN and not IS_SHORT):
        return with_ways(every, index)
    first = (index + TURN) % len(every)
    return with_ways([every[first], every[first - 2]] if IS_PLAIN and len(every) > 3 else [every[first]], index)


def run_file(path, index):
    """The lines to report."""
    text = path.read_text()
    lines = [line.strip() for line in re.findall(r"//[ ]*run:[ ]*(.*)", text)]
    if IS_WATCHED:
        lines = [line for line in lines if line.split()[0] not in RACES.get(path.name, [])]
    kept, words = build_by_gcc(path, text)
    if kept is None or not lines:
        return [f"FAIL {path.name}: " + (f"gcc: {words}" if lines else "it has no '// run:' line")]
    every, said = settings_of(path, index), []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for turn, settings in enumerate(every):
            settings = {key: os.environ.get(key, value) if key == "RILL_SCHEDULE" else value for key, value in settings.items()}
            share = [line for number, line in enumerate(lines) if IS_LONG or number % len(every) == turn]
            said += run_share(path, text, kept, share, settings, turn, work)
    return said


def run_share(path, text, kept, lines, settings, turn, work):
    how = " ".join(f"{key[5:].lower()}={value}" for key, value in settings.items() if value not in ("", "0")) if IS_LONG else ""
    driver, said = None, []
    if "races" in settings.get("RILL_CHECK", ""):
        lines = [line for line in lines if line.split()[0] not in REPORTED.get(path.name, [])]
    if settings.get("RILL_CACHE") == "filled":
        settings = dict(settings, RILL_CACHE=str(work / "cache"))
        Driver(path, settings).finish()
    for number, line in enumerate(lines):
        copy = work / f"kernel{turn}_{number}.so"  # a name never loaded before: another copy of its fields
        shutil.copy(kept, copy)
        driver = driver or Driver(path, settings)
        wrong = driver.wrong or run_case(path, text, ctypes.CDLL(str(copy)), line, driver, work)
        copy.unlink()
        if wrong is not None and not wrong.startswith(("Rill says", "'", "printed", "returned", "both", "there is no")):
            wrong += f" ({driver.finish()})"  # the next case has another process
            driver = None
        name = f"{path.name} {line}" + (f" with {how}" if how else "")
        said.append(f"ok {name}" if wrong is None else f"FAIL {name}: {wrong}")
    wrong = driver.finish() if driver is not None else None
    is_news = wrong is not None and driver.wrong is None
    return said + ([f"FAIL {path.name}: the process of its cases: {wrong}"] if is_news else [])


def shares():
    """Of PIECES, those that run in this part and turn."""
    if IS_LONG:
        return range(PIECES)
    if "RILL_TEST_QUICK" in os.environ:
        return [TURN % PIECES]
    step = 1 if IS_PLAIN else 4
    return range(TURN % step, PIECES, step)


def main():
    if not os.access(CASES, os.X_OK):
        print(f"FAIL {CASES} was not built")
        return 1
    if sys.argv[1:] == ["--pieces"]:
        print("\n".join(f"{share}/{PIECES}" for share in shares()))
        return 0
    wanted = [word for word in sys.argv[1:] if "/" not in word]
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.c"))]
    share = next((word for word in sys.argv[1:] if "/" in word), os.environ.get("RILL_TEST_SHARE", "0/1"))
    first, step = (int(number) for number in share.split("/"))
    todo = [(path, index) for index, path in enumerate(paths)
            if (not wanted or any(w in path.name for w in wanted)) and index % step == first]
    failed = False
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        for said in pool.map(run_file, *zip(*todo)) if todo else []:
            print("\n".join(said), flush=True)
            failed |= any(line.startswith("FAIL ") for line in said)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

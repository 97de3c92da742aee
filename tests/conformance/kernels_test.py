#!/usr/bin/env python3
"""Every kernel file in the tree, built by gcc too, gives the same bytes on the CPU back end.

A line `// run: KERNEL name=value … [~ TOLERANCE]` in a kernel file runs one kernel with these scalars. Arrays start with
the same numbers in both builds. Without a tolerance everything is compared bit by bit (contraction off); with one, floats
may differ by so much relative to the largest magnitude in their array: math calls, float reductions, and what they decide.
`// struct NAME: FORMAT` says in Python's struct letters what the elements of an array of structs are made of.
"""
import ctypes
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
FOLDERS = ["tests/kernels", "examples/kernels", "bench/kernels"]
# Serial and exact: what language.md defines is what these flags give, short of the traps that end the process.
GCC = ["gcc", "-std=gnu99", "-O1", "-fwrapv", "-fno-strict-aliasing", "-fsigned-char", "-ffp-contract=off", "-w", "-shared",
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
        if self.type in SCALARS:
            self.format, self.ctype, self.descr = SCALARS[self.type]
        else:
            self.format = structs[self.type.replace("struct ", "")]
            self.descr = f"|V{struct.calcsize('@' + self.format)}"
            self.ctype = None
        self.size = struct.calcsize("@" + self.format)


def evaluate(text, values):
    text = re.sub(r"\(\s*(size_t|int|long|int64_t)\s*\)", "", text.strip())
    return int(eval(text.replace("/", "//"), {}, dict(values)))  # our own files: C's integer arithmetic over names


def first_bytes(param, count, rng):
    """Numbers that every type can hold; floats are not all integers."""
    letters = re.sub(r"\d*x", "", param.format)
    out = bytearray()
    for _ in range(count):
        values = []
        for letter in letters:
            if letter in "fd":
                values.append(rng.randrange(1, 2000) / 64.0)
            elif letter == "?":
                values.append(rng.random() < 0.5)
            else:
                values.append(rng.randrange(1, 100))
        out += struct.pack("@" + param.format, *values)
        out += bytes(-len(out) % 1)
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
        is_float = letters[i % len(letters)] in "fd"
        if x == y or (is_float and x != x and y != y):
            continue
        if is_float and tolerance > 0 and abs(x - y) <= tolerance * scale:
            continue
        return f"'{param.name}' differs first at scalar {i}: {x!r}, gcc has {y!r}"
    return None


def run_case(path, text, library, line, work):
    parts, _, tolerance = line.partition("~")
    words = parts.split()
    name, settings = words[0], dict(w.split("=", 1) for w in words[1:])
    tolerance = float(tolerance) if tolerance.strip() else 0.0
    structs = dict(re.findall(r"//\s*struct (\w+):\s*(\S+)", text))
    match = re.search(r"\b(?:kernel|RILL_KERNEL)\s+([\w\s]+?)\s+" + name + r"\s*\(([^)]*(?:\([^)]*\)[^)]*)*)\)", text)
    if match is None:
        return f"there is no kernel '{name}'"
    returns = " ".join(match.group(1).split())
    params = [Param(p, structs) for p in match.group(2).split(",") if p.strip() not in ("", "void")]
    rng = random.Random(f"{path.name} {line}")
    numbers = {k: int(v, 0) for k, v in settings.items() if re.fullmatch(r"-?(0x)?[\da-fA-F]+", v)}
    command = [str(RILL), "run", str(path), name, "--contract=off", "--json"]
    arguments, arrays = [], []
    for p in params:
        if p.is_array:
            extents = [evaluate(e, numbers) for e in p.extents] or [int(settings[p.name])]
            count = math.prod(extents)
            data = first_bytes(p, count, rng)
            buffer = (ctypes.c_char * max(len(data), 1)).from_buffer(bytearray(data) or bytearray(1))
            write_npy(work / f"{p.name}.in.npy", p.descr, extents, data)
            command += ["--in", f"{p.name}={work}/{p.name}.in.npy", "--out", f"{p.name}={work}/{p.name}.out.npy"]
            arguments.append(buffer)
            arrays.append((p, buffer, len(data)))
        else:
            value = settings[p.name]
            arguments.append(p.ctype(float(value) if p.format in "fd" else int(value, 0)))
            command += ["--set", f"{p.name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"rill run says: {done.stderr.strip()[:400]}"
    got = json.loads(done.stdout)
    function = getattr(library, name)
    function.restype = None if returns == "void" else SCALARS[returns][1]
    returned = function(*arguments)
    for p, buffer, size in arrays:
        wrong = differ(p, read_npy(work / f"{p.name}.out.npy"), bytes(buffer)[:size], tolerance)
        if wrong is not None:
            return wrong
    if returns != "void":
        mine = float(got["returned"]) if isinstance(got["returned"], str) else got["returned"]
        if returns == "float":
            mine = ctypes.c_float(mine).value  # nine digits name a float, but are not its double
        same = mine == returned or (isinstance(returned, float) and abs(mine - returned) <= tolerance * abs(returned))
        if not same and not (mine != mine and returned != returned):
            return f"returned {mine!r}, gcc returns {returned!r}"
    return None


def main():
    wanted = sys.argv[1:]
    failed = False
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.c")):
            text = path.read_text()
            lines = re.findall(r"//\s*run:\s*(.*)", text)
            if wanted and not any(w in path.name for w in wanted):
                continue
            with tempfile.TemporaryDirectory() as folder_name:
                work = pathlib.Path(folder_name)
                built = subprocess.run(GCC + ["-o", str(work / "kernel.so"), str(path), "-lm"], capture_output=True, text=True)
                if built.returncode != 0:
                    print(f"FAIL {path.name}: gcc does not build it: {built.stderr.strip()[:300]}")
                    failed = True
                    continue
                library = ctypes.CDLL(str(work / "kernel.so"))
                if not lines:
                    print(f"FAIL {path.name}: it has no '// run:' line")
                    failed = True
                for line in lines:
                    wrong = run_case(path, text, library, line.strip(), work)
                    print(f"ok {path.name} {line}" if wrong is None else f"FAIL {path.name} {line}: {wrong}")
                    failed |= wrong is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

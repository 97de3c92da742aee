"""What the tests of the command line share."""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("RILL_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
RILL = pathlib.Path(os.environ["RILL_BUILD"]) / "bin" / "rill"
sys.path.insert(0, str(ROOT / "tests" / "support"))
from report import LIMIT, Report  # noqa: E402

KERNEL_FOLDERS = ["tests/kernels", "examples/kernels", "bench/kernels"]


class Done:
    """What a command left: rc, out, err (bytes in .raw)."""

    def __init__(self, process):
        self.rc, self.raw = process.returncode, process.stdout
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    def __str__(self):
        return f"exit status {self.rc}\n-- out\n{self.out[-1500:]}\n-- err\n{self.err[-1500:]}"

    def json(self):
        try:
            return json.loads(self.raw.decode())  # strict UTF-8
        except ValueError as error:
            return {"not JSON": str(error)}


def rill(*args, stdin=None, env=None, cwd=None, timeout=LIMIT):
    return Done(subprocess.run([str(RILL), *map(str, args)], input=stdin, capture_output=True, timeout=timeout, cwd=cwd,
                               env=dict(os.environ, **(env or {})), check=False))


def fnv(data):
    """64-bit FNV-1a in hex."""
    value = 0xCBF29CE484222325
    for byte in bytes(data):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def first_bytes(letter, count):
    """What an array of |count| scalars starts with."""
    values = [k % 251 + 1 for k in range(count)]
    if letter == "?":
        values = [True] * count
    elif letter == "b":
        values = [v - 256 if v > 127 else v for v in values]
    return struct.pack(f"<{count}{letter}", *values)


def write_npy(path, descr, shape, data, version=1):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, "".join(f"{e}," for e in shape))
    header += " " * (-(len(header) + (11 if version == 1 else 13)) % 64) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    pathlib.Path(path).write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + header.encode() + bytes(data))


def read_npy(path):
    """(header, data)"""
    data = pathlib.Path(path).read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return eval(data[10:end], {}, {}), data[end:]  # a dictionary that rill wrote


def kernel_files():
    return [path for folder in KERNEL_FOLDERS for path in sorted((ROOT / folder).glob("*.c"))]


def product(shape):
    return math.prod(shape)

#!/usr/bin/env python3
"""The programs of examples/: each writes its picture, the same one on one thread and on several. What their kernels compute
is compared with gcc's build by conformance/kernels_test.py."""
import concurrent.futures
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True  # the tree stays as it is
from cli import ROOT, Report  # noqa: E402
from report import JOBS, LIMIT  # noqa: E402

PROGRAMS = pathlib.Path(os.environ["RILL_BUILD"]) / "examples"
# Argument, size of the picture, colours at least, share of bytes that may differ: particles that add to one node do so in any
# order, and a particle that lands beside a pixel's edge is drawn in another pixel.
PICTURES = {
    "fluid": ("40", (512, 512), 2, 0.01),
    "sph": ("60", (512, 512), 10, 0),
    "paths": ("4", (480, 320), 5000, 0),
    "solver": ("200", (512, 512), 300, 0),
    "image": ("3", (480, 600), 5000, 0),
}


def read_png(data):
    """(size, bytes) of a PNG of three channels without filters."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, size, packed = 8, (0, 0), b""
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body, crc = data[at + 4:at + 8], data[at + 8:at + 8 + length], data[at + 8 + length:at + 12 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", crc)[0]:
            raise ValueError(f"the checksum of {kind} is wrong")
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    rows = zlib.decompress(packed)
    width = 3 * size[0]
    return size, b"".join(rows[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(size[1]))


def draw(job):
    """(size, pixels), or a sentence."""
    name, threads = job
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "picture.png"
        done = subprocess.run([str(PROGRAMS / name), PICTURES[name][0], str(path)], cwd=ROOT, capture_output=True, text=True,
                              timeout=LIMIT, check=False, env=dict(os.environ, RILL_DEVICE="cpu", RILL_THREADS=threads))
        try:
            return read_png(path.read_bytes()) if done.returncode == 0 else f"status {done.returncode}: {done.stderr[-800:]}"
        except (OSError, ValueError) as error:
            return str(error)


def check_pictures(report):
    jobs = [(name, threads) for name in PICTURES for threads in ("1", "3")]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        drawn = dict(zip(jobs, pool.map(draw, jobs)))
    for name, (_, size, colours, share) in PICTURES.items():
        one, many = drawn[name, "1"], drawn[name, "3"]
        if not report.check(f"{name}_writes_a_picture", not isinstance(one, str) and not isinstance(many, str), f"{one}\n{many}"[:800]):
            continue
        found = len({one[1][i:i + 3] for i in range(0, len(one[1]), 3)})
        report.check(f"{name}_shows_something", one[0] == size and found >= colours, f"{one[0]}, {found} colours")
        others = sum(a != b for a, b in zip(one[1], many[1]))
        report.check(f"{name}_is_the_same_on_several_threads", one[0] == many[0] and others <= share * len(one[1]),
                     f"{others} of {len(one[1])} bytes differ")


def check_words(report):
    done = subprocess.run([str(PROGRAMS / "image"), "3", "/nowhere/picture.png"], cwd=ROOT, capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    report.check("a_picture_that_cannot_be_written_is_said", done.returncode == 1 and "/nowhere/picture.png" in done.stderr,
                 f"{done.returncode}: {done.stderr}")
    done = subprocess.run([str(PROGRAMS / "fluid")], cwd="/", capture_output=True, text=True, timeout=LIMIT, check=False)
    report.check("a_kernel_file_that_is_not_there_is_said", done.returncode == 1 and "examples/kernels/fluid.c" in done.stderr,
                 f"{done.returncode}: {done.stderr}")


def main():
    report = Report()
    check_pictures(report)
    check_words(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
